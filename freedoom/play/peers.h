/* peers.h - the machines of a game with others: they reach the host by UDP (ENet), or as pages in
 * browsers by WebSocket. */
#ifndef FREEDOOM_PEERS_H
#define FREEDOOM_PEERS_H

#include "together.h"

typedef struct PeersDesc {
    bool serves;       /* the host: others join */
    const char* host;  /* whom to join; "": without `serves` one plays alone */
    const char* pages; /* of the host: the folder of the page that can join; NULL: none */
    const char* map;   /* to tell it to those who join */
    uint32_t port;     /* of the host, for UDP, and for pages the one of TCP with this number */
    uint32_t players, player; /* player: from 1, the host */
} PeersDesc;

typedef struct Peers Peers;

/* Takes part in a game with others. *peers is NULL for one who plays alone, and on failure. */
bool peers_open(Peers** peers, const PeersDesc* desc, Simulation* sim, Session* session,
                Fault* fault);

/* Says how the network did. */
void peers_close(Peers* peers);

#endif
