/* peers.h: machines that play one game over a simulated network, each with a world of its own.
 *
 * The game: a ship for each player, that flies, shoots and is hit; stones that drift.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_PEERS_H
#define SETT_TEST_PEERS_H

#include "chance.h"
#include "sett/random.h"
#include "sett_net.h"
#include "worlds.h"

typedef struct Body {
    int32_t x, y, vx, vy;
} Body;
typedef struct Ship {
    uint32_t player, rest, score;
} Ship;
typedef struct Shot {
    uint32_t player, life;
} Shot;

#define PEERS_TYPES(COMPONENT, TAG)                                                                \
    COMPONENT(Body, .members = SETT_STRUCT(Body, x, y, vx, vy))                                    \
    COMPONENT(Ship, .members = SETT_STRUCT(Ship, player, rest, score))                             \
    COMPONENT(Shot, .members = SETT_STRUCT(Shot, player, life))
SETT_COMPONENTS(PEERS_TYPES)

enum {
    PEERS_MAX = 12,
    PEERS_FRAME_US = 16667,
    PEERS_SIZE = 1 << 16
};

typedef struct peers_machine {
    struct peers* of;
    uint32_t endpoint;
    sett_world* world;
    sett_session* session;
    sett_session_state state;
    uint64_t chance, next_us;
    uint32_t period_us;     /* of its frames: clocks are out of step */
    unsigned char keys[64]; /* the first is of use */
    uint64_t played;        /* calls that played */
    uint32_t events[16];    /* by kind */
    uint32_t gone;          /* bits: players */
    uint32_t mute;          /* bits: peers to whom nothing is sent */
    char text[256];         /* of the latest event with a text */
    bool planted;           /* the next frame changes a bit that no input explains */
} peers_machine;

typedef struct peers {
    sett_net_link* link;
    sett_session_desc desc;
    peers_machine machine[PEERS_MAX];
    uint32_t stones;
    bool restless;                   /* keys change in each frame */
    void (*fill)(sett_world* world); /* what worlds have besides; NULL: nothing */
    void (*log)(void* user, sett_log_level level, const char* message); /* NULL: silent */
} peers;

/* ---------------------------------------------------------------------------------------- game */

static inline void peers_move(sett_world* world)
{
    sett_query* bodies = SETT_QUERY_CREATE(world, SETT_INOUT(Body));
    SETT_FOR(bodies, b, i) {
        Body* body = &SETT_FIELD_MUT(b, 0, Body)[i];
        body->x = (body->x + body->vx) & (PEERS_SIZE - 1);
        body->y = (body->y + body->vy) & (PEERS_SIZE - 1);
    }
    sett_query_destroy(bodies);
}

static inline void peers_steer(sett_world* world, const sett_inputs* inputs)
{
    sett_query* ships = SETT_QUERY_CREATE(world, SETT_INOUT(Ship), SETT_INOUT(Body));
    SETT_FOR(ships, b, i) {
        Ship* ship = &SETT_FIELD_MUT(b, 0, Ship)[i];
        Body* body = &SETT_FIELD_MUT(b, 1, Body)[i];
        uint32_t keys;
        memcpy(&keys, sett_input(inputs, ship->player), sizeof(keys));
        body->vx += (int32_t)(keys & 3) - 1;
        body->vy += (int32_t)(keys >> 2 & 3) - 1;
        ship->rest -= ship->rest > 0;
        if ((keys & 16) != 0 && ship->rest == 0) {
            ship->rest = 10;
            Body at = *body;
            at.vx *= 2;
            sett_entity shot = sett_cmd_create(sett_commands_here(world));
            sett_cmd_set(sett_commands_here(world), shot, Body_id, &at);
            sett_cmd_set(sett_commands_here(world), shot, Shot_id, &(Shot){ship->player, 40});
        }
    }
    sett_query_destroy(ships);
    sett_commands_apply(sett_commands_here(world));
}

static inline void peers_age(sett_world* world, uint64_t frame)
{
    sett_query* shots = SETT_QUERY_CREATE(world, SETT_INOUT(Shot), SETT_INOUT(Body));
    SETT_FOR(shots, b, i) {
        Shot* shot = &SETT_FIELD_MUT(b, 0, Shot)[i];
        sett_entity entity = sett_batch_entity(b, i);
        SETT_FIELD_MUT(b, 1, Body)
        [i].vy += (int32_t)sett_random_range(sett_random(1, entity, frame, 0), 3) - 1;
        if (--shot->life == 0) {
            sett_cmd_destroy(sett_commands_here(world), entity);
        }
    }
    sett_query_destroy(shots);
    sett_commands_apply(sett_commands_here(world));
}

static inline void peers_play(sett_world* world, const sett_inputs* inputs, void* user)
{
    peers_machine* machine = user;
    peers_steer(world, inputs);
    peers_move(world);
    peers_age(world, inputs->frame);
    if (machine->planted && inputs->predicted == 0) {
        machine->planted = false;
        uint32_t index = 5;
        SETT_GET_MUT(world, sett_entity_next(world, &index), Body)->vx ^= 1;
    }
}

static inline sett_world* peers_world(const peers* of)
{
    sett_world* world =
        of->log == NULL ? quiet_world() : sett_world_create(&(sett_world_desc){.log_fn = of->log});
    CHECK_EQ(SETT_REGISTER_ALL(world, PEERS_TYPES), SETT_OK);
    for (uint32_t p = 0; p < of->desc.players; p++) {
        SETT_CREATE(world, SETT_VALUE(Ship, .player = p), SETT_VALUE(Body, .x = (int32_t)p * 100));
    }
    for (uint32_t k = 0; k < of->stones; k++) {
        SETT_CREATE(world, SETT_VALUE(Body, .x = (int32_t)k * 9, .vx = (int32_t)(k % 7)));
    }
    if (of->fill != NULL) {
        of->fill(world);
    }
    return world;
}

/* ------------------------------------------------------------------------------------ machines */

static inline uint64_t peers_clock(void* user)
{
    return sett_net_link_now(((peers_machine*)user)->of->link);
}

static inline void peers_event(const sett_session_event* event, void* user)
{
    peers_machine* machine = user;
    machine->events[event->kind]++;
    machine->gone |= event->kind == SETT_SESSION_GONE ? 1u << event->player % 32 : 0;
    if (event->text[0] != '\0') {
        snprintf(machine->text, sizeof(machine->text), "%s", event->text);
    }
}

static inline void peers_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    const peers_machine* machine = user;
    if ((machine->mute >> peer & 1) == 0) {
        const sett_net_transport link =
            sett_net_link_transport(machine->of->link, machine->endpoint);
        link.send(link.user, peer, bytes, size);
    }
}

static inline uint32_t peers_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    const peers_machine* machine = user;
    const sett_net_transport link = sett_net_link_transport(machine->of->link, machine->endpoint);
    return link.receive(link.user, peer, out, capacity);
}

/* `endpoint` is the player, or from `players` on a spectator. */
static inline peers_machine* peers_start(peers* of, uint32_t endpoint)
{
    peers_machine* machine = &of->machine[endpoint];
    *machine = (peers_machine){.of = of, .endpoint = endpoint, .chance = endpoint + 1};
    machine->period_us = PEERS_FRAME_US + (endpoint % 3) * 50;
    machine->next_us = sett_net_link_now(of->link) + endpoint * 3000;
    machine->world = peers_world(of);
    sett_session_desc desc = of->desc;
    desc.local = endpoint < desc.players ? endpoint : SETT_SESSION_SPECTATOR;
    desc.transport = (sett_net_transport){machine, peers_send, peers_receive};
    desc.user = machine;
    desc.desync_path = endpoint == 1 ? desc.desync_path : NULL;
    machine->session = sett_session_create(machine->world, &desc);
    CHECK(machine->session != NULL);
    return machine;
}

static inline void peers_begin(peers* of, uint32_t players, uint32_t delay, uint32_t stones,
                               const sett_net_link_desc* link)
{
    *of = (peers){.link = sett_net_link_create(link), .stones = stones};
    of->desc = (sett_session_desc){.players = players,
                                   .input_size = 4,
                                   .input_delay = delay,
                                   .play = peers_play,
                                   .event = peers_event,
                                   .clock_us = peers_clock};
    CHECK(of->link != NULL);
}

static inline void peers_start_all(peers* of)
{
    for (uint32_t k = 0; k < of->desc.players; k++) {
        peers_start(of, k);
    }
}

static inline void peers_stop(peers_machine* machine)
{
    sett_session_destroy(machine->session);
    CHECK_END(machine->world);
    machine->session = NULL;
}

static inline void peers_end(peers* of)
{
    for (uint32_t k = 0; k < PEERS_MAX; k++) {
        if (of->machine[k].session != NULL) {
            peers_stop(&of->machine[k]);
        }
    }
    sett_net_link_destroy(of->link);
}

static inline void peers_frame(peers_machine* machine)
{
    if (machine->of->restless ||
        chance_below(&machine->chance, 12) == 0) { /* keys change five times a second */
        machine->keys[0] = (unsigned char)chance_below(&machine->chance, 32);
    }
    machine->state = sett_session_advance(machine->session, machine->keys);
    machine->played += machine->state == SETT_SESSION_PLAYED;
    machine->next_us += machine->period_us;
}

static inline void peers_run(peers* of, uint64_t ms)
{
    for (uint64_t k = 0; k < ms; k++) {
        sett_net_link_advance(of->link, 1000);
        for (uint32_t m = 0; m < PEERS_MAX; m++) {
            peers_machine* machine = &of->machine[m];
            if (machine->session != NULL && machine->next_us <= sett_net_link_now(of->link)) {
                peers_frame(machine);
            }
        }
    }
}

static inline sett_session_stats peers_stats(const peers* of, uint32_t k)
{
    sett_session_stats stats;
    sett_session_stats_get(of->machine[k].session, &stats);
    return stats;
}

#endif
