/* sett_websocket.h: pages in browsers join a server (sett_net.h), by WebSocket. Link
 * sett::websocket and sett::net.
 *
 *     sett_websocket* net = sett_websocket_create("8080", "page", 16);
 *     ... .clients = 16, .transport = sett_websocket_transport(net) ...
 *
 * The page opens "ws://host:8080/net", and sends and receives each datagram as a binary message:
 * addons/websocket/page does that for programs in WebAssembly; examples/arena/web has one. A page
 * that connects gets the lowest number that is free. Datagrams arrive in order and none is lost:
 * what was lost below arrives late, and all behind it. A client skips states that come late.
 *
 * Nothing is encrypted: put a proxy with TLS in front. Every page of every site may connect.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_WEBSOCKET_H
#define SETT_WEBSOCKET_H

#include "sett_net.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The most pages at a time. */
#define SETT_WEBSOCKET_PEERS 256

typedef struct sett_websocket sett_websocket;

/* Listens. Its threads end with sett_websocket_destroy.
 *   address  a port, as "8080"; with an address for this machine alone, "127.0.0.1:8080". Port 0:
 *            any that is free
 *   folder   files that are shown at "http://host:port/"; NULL: none
 *   peers    pages at a time, 1 to SETT_WEBSOCKET_PEERS; each takes a thread
 * Returns NULL if memory runs out, `address` is NULL, `peers` is wrong, or the port is in use.
 * Threads: any. Since: 0.2 */
sett_websocket* sett_websocket_create(const char* address, const char* folder, uint32_t peers);

/* Closes all connections and frees them. NULL is fine. Threads: one at a time. Since: 0.2 */
void sett_websocket_destroy(sett_websocket* net);

/* Returns the port where it listens; 0 of NULL. Threads: any. Since: 0.2 */
uint16_t sett_websocket_port(const sett_websocket* net);

/* Returns how many pages are connected; 0 of NULL. Threads: any. Since: 0.2 */
uint32_t sett_websocket_count(sett_websocket* net);

/* Returns functions for sett_server_desc: numbers of peers are those of the pages. Sending to a
 * page that reads nothing can take two seconds once its connection is full; a server drops clients
 * that are not heard (timeout_ms). `user` is valid until sett_websocket_destroy. Of NULL: a
 * transport that no server takes.
 * Threads: any. Since: 0.2 */
sett_net_transport sett_websocket_transport(sett_websocket* net);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
