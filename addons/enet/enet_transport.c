/* enet_transport.c: see sett_enet.h.
 *
 * A datagram is an unsequenced packet of ENet: it is not repeated, and does not wait for others. A
 * connection carries the number of the player that made it; so both sides know each other. */
#include "sett_enet.h"

#include <enet/enet.h>
#include <stdlib.h>
#include <string.h>

/* Milliseconds after which a peer that does not answer is given up, so that it can connect again;
 * ENet's own are 5,000 to 30,000. */
#define ENET_SILENT_LEAST 1500
#define ENET_SILENT_MOST 3000

#define ENET_PEERS (SETT_SESSION_PLAYERS + SETT_SESSION_SPECTATORS)

struct sett_enet {
    ENetHost* host;
    uint32_t local;
    ENetPeer* peer[ENET_PEERS]; /* connected, or about to be */
    ENetAddress address[SETT_SESSION_PLAYERS];
    bool known[SETT_SESSION_PLAYERS]; /* there is an address */
};

sett_enet* sett_enet_create(uint32_t local, uint16_t port)
{
    sett_enet* net = enet_initialize() == 0 ? calloc(1, sizeof(*net)) : NULL;
    ENetAddress address = {ENET_HOST_ANY, port};
    if (net == NULL) {
        return NULL;
    }
    net->local = local;
    net->host = enet_host_create(&address, ENET_PEERS, 1, 0, 0);
    if (net->host == NULL) {
        free(net);
        return NULL;
    }
    return net;
}

void sett_enet_destroy(sett_enet* net)
{
    if (net == NULL) {
        return;
    }
    enet_host_flush(net->host);
    for (uint32_t k = 0; k < ENET_PEERS; k++) {
        if (net->peer[k] != NULL) {
            enet_peer_disconnect_now(net->peer[k], 0);
        }
    }
    enet_host_destroy(net->host);
    enet_deinitialize();
    free(net);
}

static void enet_transport_dial(sett_enet* net, uint32_t player)
{
    net->peer[player] = enet_host_connect(net->host, &net->address[player], 1, net->local);
}

bool sett_enet_connect(sett_enet* net, uint32_t player, const char* host, uint16_t port)
{
    if (net == NULL || host == NULL || player >= SETT_SESSION_PLAYERS || player >= net->local ||
        enet_address_set_host(&net->address[player], host) != 0) {
        return false;
    }
    net->address[player].port = port;
    net->known[player] = true;
    return true;
}

static uint32_t enet_transport_number(const sett_enet* net, const ENetPeer* peer)
{
    uint32_t k = 0;
    while (k < ENET_PEERS && net->peer[k] != peer) {
        k++;
    }
    return k;
}

/* A player that comes has its own number, a spectator gets the first free one behind all players
 * that there can be. The place of a player that is connected is not taken. */
static void enet_transport_accept(sett_enet* net, ENetPeer* peer, uint32_t number)
{
    if (enet_transport_number(net, peer) < ENET_PEERS) {
        return; /* this side has dialled */
    }
    if (number == SETT_SESSION_SPECTATOR) {
        number = SETT_SESSION_PLAYERS;
        while (number < ENET_PEERS && net->peer[number] != NULL) {
            number++;
        }
    }
    if (number >= ENET_PEERS || number == net->local || net->peer[number] != NULL) {
        enet_peer_reset(peer);
        return;
    }
    net->peer[number] = peer;
}

static void enet_transport_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    sett_enet* net = user;
    if (peer < ENET_PEERS && net->peer[peer] != NULL &&
        net->peer[peer]->state == ENET_PEER_STATE_CONNECTED) {
        ENetPacket* packet = enet_packet_create(bytes, size, ENET_PACKET_FLAG_UNSEQUENCED);
        if (packet != NULL && enet_peer_send(net->peer[peer], 0, packet) != 0) {
            enet_packet_destroy(packet);
        }
        enet_host_flush(net->host);
    }
}

static uint32_t enet_transport_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    sett_enet* net = user;
    ENetEvent event;
    for (uint32_t k = 0; k < SETT_SESSION_PLAYERS; k++) {
        if (net->known[k] && net->peer[k] == NULL) {
            enet_transport_dial(net, k);
        }
    }
    while (enet_host_service(net->host, &event, 0) > 0) {
        const uint32_t number = enet_transport_number(net, event.peer);
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            enet_peer_timeout(event.peer, 0, ENET_SILENT_LEAST, ENET_SILENT_MOST);
            enet_transport_accept(net, event.peer, event.data);
        } else if (event.type == ENET_EVENT_TYPE_DISCONNECT && number < ENET_PEERS) {
            net->peer[number] = NULL;
        } else if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            const size_t size = event.packet->dataLength;
            bool fits = size > 0 && size <= capacity && number < ENET_PEERS;
            if (fits) {
                memcpy(out, event.packet->data, size);
                *peer = number;
            }
            enet_packet_destroy(event.packet);
            if (fits) {
                return (uint32_t)size;
            }
        }
    }
    return 0;
}

sett_net_transport sett_enet_transport(sett_enet* net)
{
    sett_net_transport transport = {net, enet_transport_send, enet_transport_receive};
    return net != NULL ? transport : (sett_net_transport){.user = NULL};
}
