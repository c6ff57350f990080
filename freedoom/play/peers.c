/* peers.c - see peers.h.
 *
 * A player has one way to the host: the one where he was heard last. Another takes his place only
 * after he was silent. */
#include "peers.h"

#ifdef FREEDOOM_ENET

#include "host.h"

#include "sett_enet.h"
#ifdef FREEDOOM_WEBSOCKET
#include "sett_websocket.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PEERS_PAGES 8u                    /* at a time: one that is loaded again is there twice */
#define PEERS_SILENT UINT64_C(1500000000) /* ns */
#define PEERS_UDP 0u                      /* a way; 1 + k: page k */

struct Peers {
    sett_enet* udp;
    sett_net_transport by_udp, by_page; /* by_page: `send` NULL if there is none */
    struct {
        uint32_t way;
        uint64_t heard; /* 0: never */
    } route[COMPONENT_PLAYERS];
#ifdef FREEDOOM_WEBSOCKET
    sett_websocket* pages;
#endif
    Together together;
};

/* Whether the player may be heard on this way. */
static bool peers_hear(Peers* peers, uint32_t player, uint32_t way)
{
    uint64_t now = host_nanoseconds();
    if (player >= COMPONENT_PLAYERS ||
        (peers->route[player].way != way && peers->route[player].heard != 0 &&
         now - peers->route[player].heard < PEERS_SILENT)) {
        return false;
    }
    peers->route[player].way = way;
    peers->route[player].heard = now;
    return true;
}

static void peers_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    Peers* peers = user;
    uint32_t way = peer < COMPONENT_PLAYERS ? peers->route[peer].way : PEERS_UDP;
    if (way == PEERS_UDP) {
        peers->by_udp.send(peers->by_udp.user, peer, bytes, size);
    } else {
        peers->by_page.send(peers->by_page.user, way - 1, bytes, size);
    }
}

static uint32_t peers_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    Peers* peers = user;
    uint32_t size, page;
    while ((size = peers->by_udp.receive(peers->by_udp.user, peer, out, capacity)) != 0) {
        if (peers_hear(peers, *peer, PEERS_UDP)) {
            return size;
        }
    }
    while (peers->by_page.send != NULL &&
           (size = peers->by_page.receive(peers->by_page.user, &page, out, capacity)) != 0) {
        *peer = together_sender(out);
        if (*peer != 0 && peers_hear(peers, *peer, 1 + page)) {
            return size;
        }
    }
    return 0;
}

static bool peers_open_udp(Peers* peers, const PeersDesc* desc, Fault* fault)
{
    uint32_t local = desc->player - 1;
    peers->udp = sett_enet_create(local, (uint16_t)(desc->serves ? desc->port : 0));
    if (peers->udp == NULL) {
        return fault_set(fault, "--serve: port %u is in use; another: --port", desc->port);
    }
    if (local != 0 && !sett_enet_connect(peers->udp, 0, desc->host, (uint16_t)desc->port)) {
        return fault_set(fault, "--join %s: there is no machine of this name", desc->host);
    }
    peers->by_udp = sett_enet_transport(peers->udp);
    return true;
}

static bool peers_open_pages(Peers* peers, const PeersDesc* desc, Fault* fault)
{
    if (!desc->serves || desc->pages == NULL) {
        return true;
    }
#ifdef FREEDOOM_WEBSOCKET
    char port[16];
    snprintf(port, sizeof port, "%u", (unsigned)desc->port);
    peers->pages = sett_websocket_create(port, desc->pages, PEERS_PAGES);
    if (peers->pages == NULL) {
        return fault_set(fault, "--pages: port %u is in use; another: --port", desc->port);
    }
    peers->by_page = sett_websocket_transport(peers->pages);
    printf("pages join at http://localhost:%u/?join", (unsigned)desc->port);
    if (desc->players > 2) {
        printf("&players=%u&player=2 and so on", (unsigned)desc->players);
    }
    printf("; the map is %s\n", desc->map);
    (void)fflush(stdout);
    return true;
#else
    return fault_set(fault, "--pages: built without civetweb (Debian: libcivetweb-dev)");
#endif
}

bool peers_open(Peers** to, const PeersDesc* desc, Simulation* sim, Session* session, Fault* fault)
{
    *to = NULL;
    if (!desc->serves && desc->host[0] == '\0') {
        return true;
    }
    Peers* peers = calloc(1, sizeof *peers);
    if (peers == NULL) {
        return fault_set(fault, "out of memory");
    }
    /* The same maps and seed make the same beginning: a machine with another is rejected. */
    const TogetherDesc game = {.players = desc->players,
                               .local = desc->player - 1,
                               .version = sett_world_hash(sim->world),
                               .transport = {peers, peers_send, peers_receive}};
    if (!peers_open_udp(peers, desc, fault) || !peers_open_pages(peers, desc, fault) ||
        !together_open(&peers->together, sim, &game, fault)) {
        peers_close(peers);
        return false;
    }
    session_join(session, together_others(&peers->together), (uint16_t)desc->player);
    *to = peers;
    return true;
}

void peers_close(Peers* peers)
{
    if (peers == NULL) {
        return;
    }
    if (peers->together.session != NULL) {
        char text[160];
        sett_session_stats stats;
        SessionOthers others = together_others(&peers->together);
        others.tell(others.user, true, text, sizeof text);
        sett_session_stats_get(peers->together.session, &stats);
        printf("network     %s\n", text);
        printf("compared    %" PRIu64 " hashes were equal; %016" PRIx64 " before frame %" PRId64
               "\n",
               stats.compared, stats.hash, stats.hash_frame);
        together_close(&peers->together);
    }
#ifdef FREEDOOM_WEBSOCKET
    sett_websocket_destroy(peers->pages);
#endif
    sett_enet_destroy(peers->udp);
    free(peers);
}

#else

bool peers_open(Peers** peers, const PeersDesc* desc, Simulation* sim, Session* session,
                Fault* fault)
{
    (void)sim;
    (void)session;
    *peers = NULL;
    return (!desc->serves && desc->host[0] == '\0') ||
           fault_set(fault, "--serve, --join: built without ENet (Debian: libenet-dev)");
}

void peers_close(Peers* peers)
{
    (void)peers;
}

#endif
