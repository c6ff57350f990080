/* swarm.h: a server with bodies that wander in a square, and clients that see what is near, over a
 * simulated network.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_SWARM_H
#define SETT_TEST_SWARM_H

#include "chance.h"
#include "net_client.h"
#include "worlds.h"

typedef struct Place {
    int32_t x, y;
} Place;
typedef struct Look {
    uint32_t kind, health;
} Look;
typedef struct Ship {
    uint32_t client;
    int32_t vx, vy;
} Ship;
typedef struct Map {
    uint32_t tile[5000];
} Map;
typedef struct Plan { /* the server's own */
    int32_t vx, vy;
    uint64_t secret;
} Plan;

#define SWARM_TYPES(COMPONENT, TAG)                                                                \
    COMPONENT(Place, .members = SETT_STRUCT(Place, x, y))                                          \
    COMPONENT(Look, .members = SETT_STRUCT(Look, kind, health))                                    \
    COMPONENT(Ship, .members = SETT_STRUCT(Ship, client, vx, vy))                                  \
    COMPONENT(Map, .members = SETT_STRUCT(Map, tile))                                              \
    COMPONENT(Plan, .members = SETT_STRUCT(Plan, vx, vy, secret))                                  \
    TAG(Marked)
SETT_COMPONENTS(SWARM_TYPES)

enum {
    SWARM_CLIENTS = 64,
    SWARM_SERVER = SWARM_CLIENTS, /* its endpoint */
    SWARM_TICK_US = 50000,
    SWARM_SIZE = 1 << 14
};

typedef struct swarm_client {
    struct swarm* of;
    sett_world* world;
    sett_client* client;
    sett_client_state state;
    int32_t x, y; /* it sees what is near */
    int8_t keys[2];
    uint64_t compared;
} swarm_client;

typedef struct swarm {
    sett_net_link* link;
    sett_world* world;
    sett_server* server;
    sett_server_desc desc;
    sett_client_desc client_desc;
    sett_query* bodies;
    swarm_client client[SWARM_CLIENTS];
    sett_entity ship[SWARM_CLIENTS]; /* that a client steers; or null */
    int32_t sight;
    uint32_t share; /* of 256 bodies, how many move */
    uint32_t joined, left;
    uint64_t chance;
} swarm;

static inline sett_status swarm_register(sett_world* world)
{
    return sett_hierarchy_register(world, NULL) != 0 ? SETT_REGISTER_ALL(world, SWARM_TYPES)
                                                     : SETT_STATUS_OUT_OF_MEMORY;
}

static inline uint64_t swarm_clock(void* user)
{
    return sett_net_link_now(((swarm*)user)->link);
}

static inline uint64_t swarm_client_clock(void* user)
{
    return sett_net_link_now(((swarm_client*)user)->of->link);
}

static inline int64_t swarm_distance(const swarm_client* from, const Place* to)
{
    const int64_t x = from->x - to->x, y = from->y - to->y;
    return x * x + y * y;
}

static inline void swarm_see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
{
    swarm* of = user;
    const swarm_client* from = &of->client[client];
    const int64_t radius = (int64_t)of->sight * of->sight;
    (void)world;
    SETT_FOR(of->bodies, b, i) {
        const int64_t away = swarm_distance(from, &SETT_FIELD(b, 0, Place)[i]);
        if (away < radius) {
            sett_sight_add(sight, sett_batch_entity(b, i), (float)radius / (float)(away + 100));
        }
    }
}

static inline void swarm_event(sett_server_event event, uint32_t client, void* user)
{
    swarm* of = user;
    (void)client;
    of->joined += event == SETT_SERVER_JOINED;
    of->left += event == SETT_SERVER_LEFT;
}

static inline void swarm_move(swarm* of)
{
    sett_query* moving = SETT_QUERY_CREATE(of->world, SETT_INOUT(Place), SETT_INOUT(Plan));
    SETT_FOR(moving, b, i) {
        Place* place = &SETT_FIELD_MUT(b, 0, Place)[i];
        Plan* plan = &SETT_FIELD_MUT(b, 1, Plan)[i];
        if (chance_of(sett_batch_index(b, i), 1, 2) % 256 < of->share) {
            plan->vx += (int32_t)chance_below(&of->chance, 3) - 1;
            plan->vy += (int32_t)chance_below(&of->chance, 3) - 1;
            place->x = (place->x + plan->vx) & (SWARM_SIZE - 1);
            place->y = (place->y + plan->vy) & (SWARM_SIZE - 1);
        }
    }
    sett_query_destroy(moving);
}

static inline void swarm_steer(sett_world* world, sett_entity ship, const int8_t keys[2])
{
    Ship* of = SETT_GET_MUT(world, ship, Ship);
    Place* place = SETT_GET_MUT(world, ship, Place);
    of->vx += keys[0];
    of->vy += keys[1];
    place->x += of->vx;
    place->y += of->vy;
}

static inline void swarm_begin(swarm* of, uint32_t bodies, int32_t sight,
                               const sett_net_link_desc* link)
{
    static const sett_component types[] = {Place_id,  Look_id, Ship_id,
                                           Marked_id, Map_id,  SETT_ID_HIERARCHY};
    *of = (swarm){.link = sett_net_link_create(link), .world = quiet_world(), .sight = sight};
    of->share = 256;
    CHECK(of->link != NULL);
    CHECK_EQ(swarm_register(of->world), SETT_OK);
    of->bodies = SETT_QUERY_CREATE(of->world, SETT_IN(Place));
    for (uint32_t k = 0; k < bodies; k++) {
        const int32_t x = (int32_t)chance_below(&of->chance, SWARM_SIZE);
        const int32_t y = (int32_t)chance_below(&of->chance, SWARM_SIZE);
        SETT_CREATE(of->world, SETT_VALUE(Place, x, y), SETT_VALUE(Look, k % 7, 100),
                    SETT_VALUE(Plan, .secret = chance_draw(&of->chance)));
    }
    of->desc = (sett_server_desc){.clients = SWARM_CLIENTS,
                                  .register_types = swarm_register,
                                  .types = types,
                                  .type_count = 6,
                                  .input_size = 2,
                                  .see = swarm_see,
                                  .event = swarm_event,
                                  .user = of,
                                  .transport = sett_net_link_transport(of->link, SWARM_SERVER),
                                  .clock_us = swarm_clock};
    of->client_desc = (sett_client_desc){.server = SWARM_SERVER,
                                         .register_types = swarm_register,
                                         .types = types,
                                         .type_count = 6,
                                         .input_size = 2,
                                         .clock_us = swarm_client_clock};
    for (uint32_t k = 0; k < SWARM_CLIENTS; k++) {
        of->client[k].x = (int32_t)chance_below(&of->chance, SWARM_SIZE);
        of->client[k].y = (int32_t)chance_below(&of->chance, SWARM_SIZE);
    }
}

static inline void swarm_serve(swarm* of)
{
    of->server = sett_server_create(of->world, &of->desc);
    CHECK(of->server != NULL);
}

static inline swarm_client* swarm_start(swarm* of, uint32_t k)
{
    swarm_client* client = &of->client[k];
    client->of = of;
    client->world = quiet_world();
    CHECK_EQ(swarm_register(client->world), SETT_OK);
    sett_client_desc desc = of->client_desc;
    desc.transport = sett_net_link_transport(of->link, k);
    desc.user = client;
    client->client = sett_client_create(client->world, &desc);
    client->state = SETT_CLIENT_CONNECTS;
    CHECK(client->client != NULL);
    return client;
}

static inline void swarm_stop(swarm_client* client)
{
    sett_client_destroy(client->client);
    CHECK_END(client->world);
    client->client = NULL;
}

static inline sett_client_stats swarm_stats(const swarm* of, uint32_t k)
{
    sett_client_stats stats;
    sett_client_stats_get(of->client[k].client, &stats);
    return stats;
}

static inline sett_server_stats swarm_served(const swarm* of, uint32_t k)
{
    sett_server_stats stats;
    sett_server_stats_get(of->server, k, &stats);
    return stats;
}

/* What the client received is what the server's view was in that tick. */
static inline void swarm_compare(const swarm* of, swarm_client* client)
{
    sett_client* c = client->client;
    const server_client* s = of->server->client[client - of->client];
    const view_snapshot* kept = &s->kept[c->tick % SERVER_KEEP];
    sett_snapshot at = kept->snapshot;
    if (c->tick == 0 || c->state == SETT_CLIENT_OVER || !s->connected) {
        return;
    }
    if (s->acked == c->tick) {
        at = s->base;
    } else if (kept->tick != c->tick) {
        return;
    }
    uint64_t hash;
    CHECK_EQ(sett_snapshot_hash(s->view, at, &hash), SETT_OK);
    CHECK_MSG(hash == sett_world_hash(c->received), "client %u: another state in tick %llu",
              (unsigned)(client - of->client), (unsigned long long)c->tick);
    client->compared++;
}

static inline void swarm_tick(swarm* of)
{
    sett_net_link_advance(of->link, SWARM_TICK_US);
    sett_server_receive(of->server);
    for (uint32_t k = 0; k < SWARM_CLIENTS; k++) {
        const int8_t* keys = sett_server_input(of->server, k);
        if (keys != NULL && !sett_is_null(of->ship[k])) {
            swarm_steer(of->world, of->ship[k], keys);
        }
    }
    swarm_move(of);
    sett_server_send(of->server);
    for (uint32_t k = 0; k < SWARM_CLIENTS; k++) {
        swarm_client* client = &of->client[k];
        if (client->client != NULL) {
            const uint64_t tick = client->client->tick;
            client->state = sett_client_advance(client->client, client->keys);
            if (client->client->tick != tick) {
                swarm_compare(of, client);
            }
        }
    }
}

static inline void swarm_run(swarm* of, uint32_t ticks)
{
    for (uint32_t k = 0; k < ticks; k++) {
        swarm_tick(of);
    }
}

static inline void swarm_end(swarm* of)
{
    for (uint32_t k = 0; k < SWARM_CLIENTS; k++) {
        if (of->client[k].client != NULL) {
            swarm_stop(&of->client[k]);
        }
    }
    sett_server_destroy(of->server);
    sett_query_destroy(of->bodies);
    CHECK_END(of->world);
    sett_net_link_destroy(of->link);
}

#endif
