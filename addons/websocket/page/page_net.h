/* page_net.h: the page's side of sett_websocket.h, for programs in WebAssembly: a transport for
 * sett_session_desc and sett_client_desc, whose datagrams page_net.js passes on. Compile page_net.c
 * with the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PAGE_NET_H
#define PAGE_NET_H

#include "sett_net.h"

/* All datagrams go to the server, and come from it: it is peer 0. One for the program. */
sett_net_transport page_net_transport(void);

#endif
