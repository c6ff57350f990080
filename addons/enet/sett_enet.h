/* sett_enet.h: sessions (sett_net.h) over UDP, by ENet. Link sett::enet and sett::net.
 *
 *     sett_enet* net = sett_enet_create(local, 7777);
 *     sett_enet_connect(net, 0, "example.org", 7777);
 *     ... .transport = sett_enet_transport(net) ...
 *
 * Each player listens on a port, and connects to all players with a lower number. A spectator
 * connects to one or more players. A machine that is silent for 3 seconds is given up, and can
 * connect again. ENet encrypts and proves nothing: a machine that knows the
 * address can take the place of a player that is not connected.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ENET_H
#define SETT_ENET_H

#include "sett_net.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sett_enet sett_enet;

/* Opens a socket.
 *   local  the player at this machine, or SETT_SESSION_SPECTATOR
 *   port   where it listens; 0: any
 * Returns NULL if memory runs out, or the port is in use. Threads: any. Since: 0.2 */
sett_enet* sett_enet_create(uint32_t local, uint16_t port);

/* Closes all connections and frees them. What was sent right before is still delivered, if it is
 * not lost. NULL is fine. Threads: one at a time. Since: 0.2 */
void sett_enet_destroy(sett_enet* net);

/* Says where a player is. The connection is made, and made again when it is lost, while datagrams
 * are received.
 *   player  with a lower number than this machine's
 *   host    name or address
 * Returns false if `player` is not lower, the name is not known, or `net` or `host` is NULL.
 * Cost: looks the name up, which can take seconds. Threads: one at a time. Since: 0.2 */
bool sett_enet_connect(sett_enet* net, uint32_t player, const char* host, uint16_t port);

/* Returns the functions for sett_session_desc.transport; valid until sett_enet_destroy. Of NULL: a
 * transport that no session takes.
 * Threads: one at a time. Since: 0.2 */
sett_net_transport sett_enet_transport(sett_enet* net);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
