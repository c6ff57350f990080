/* arena.c: up to eight ships in an arena, over a network, without code for saving or comparing.
 *
 *     arena                        eight machines in this process, over a simulated bad network
 *     arena <player> <port> <host> <port of player 0>     one of two players, over UDP (ENet)
 *
 * The game is play(): it depends on the world and the inputs, and on nothing else. sett::net sends
 * the inputs, plays frames again when a guess was wrong, and compares hashes. A machine that leaves
 * and comes back gets the state from another one. */
#include "sett/random.h"
#include "sett/sett.h"
#include "sett_net.h"
#ifdef ARENA_ENET
#include "sett_enet.h"
#endif

#include <stdio.h>
#include <stdlib.h>

enum {
    PLAYERS = 8,
    SIZE = 1 << 16, /* of the arena, whose opposite borders meet */
    SPEED = 900,
    RANGE = 1500,
    STONES = 60,
    FRAME_US = 16667
};

/* Integers: they are equal on all machines. */
typedef struct Body {
    int32_t x, y, vx, vy;
} Body;
typedef struct Ship {
    uint32_t player, rest, hits, score;
} Ship;
typedef struct Shot {
    uint32_t player, life;
} Shot;
typedef struct Keys { /* the input of a player for a frame */
    int8_t x, y, fire;
} Keys;

#define ARENA(COMPONENT, TAG)                                                                      \
    COMPONENT(Body, .members = SETT_STRUCT(Body, x, y, vx, vy))                                    \
    COMPONENT(Ship, .members = SETT_STRUCT(Ship, player, rest, hits, score))                       \
    COMPONENT(Shot, .members = SETT_STRUCT(Shot, player, life))                                    \
    TAG(Stone)
SETT_COMPONENTS(ARENA)

/* A machine: a world, and the queries on it. */
typedef struct Machine {
    sett_world* world;
    sett_query *ships, *shots, *targets, *bodies;
    sett_session* session;
    sett_net_link* link; /* NULL: UDP */
    uint32_t player, players;
    bool talks; /* it prints events */
} Machine;

static void steer(Machine* m, const sett_inputs* inputs)
{
    sett_commands* later = sett_commands_here(m->world);
    SETT_FOR(m->ships, b, i) {
        Ship* ship = &SETT_FIELD_MUT(b, 0, Ship)[i];
        Body* body = &SETT_FIELD_MUT(b, 1, Body)[i];
        const Keys* keys = sett_input(inputs, ship->player); /* zeroes of one that is away */
        body->vx = (body->vx * 15 + keys->x * SPEED) / 16;
        body->vy = (body->vy * 15 + keys->y * SPEED) / 16;
        ship->rest -= ship->rest > 0;
        if (keys->fire != 0 && ship->rest == 0 && (body->vx != 0 || body->vy != 0)) {
            ship->rest = 12;
            const Body shot = {body->x, body->y, body->vx * 3, body->vy * 3};
            const sett_entity entity = sett_cmd_create(later);
            sett_cmd_set(later, entity, Body_id, &shot);
            sett_cmd_set(later, entity, Shot_id, &(Shot){ship->player, 40});
        }
    }
    sett_commands_apply(later);
}

static void move(const Machine* m)
{
    SETT_FOR(m->bodies, b, i) {
        Body* body = &SETT_FIELD_MUT(b, 0, Body)[i];
        body->x = (body->x + body->vx) & (SIZE - 1);
        body->y = (body->y + body->vy) & (SIZE - 1);
    }
}

/* A ship that is hit goes elsewhere: where is a function of what it is and when, so it is the same
 * on all machines, also when the frame is played again. */
static void hit(Machine* m, sett_entity target, uint64_t frame, uint32_t by)
{
    Ship* ship = SETT_FIND_MUT(m->world, target, Ship);
    Body* body = SETT_GET_MUT(m->world, target, Body);
    body->x = (int32_t)sett_random_range(sett_random(7, target, frame, 0), SIZE);
    body->y = (int32_t)sett_random_range(sett_random(7, target, frame, 1), SIZE);
    if (ship != NULL) {
        ship->hits++;
    }
    SETT_FOR(m->ships, b, i) {
        Ship* shooter = &SETT_FIELD_MUT(b, 0, Ship)[i];
        shooter->score += shooter->player == by ? (ship != NULL ? 5 : 1) : 0;
    }
}

/* The first ship or stone that a shot meets; never the one that fired it. */
static sett_entity find_target(const Machine* m, const Body* shot, uint32_t by)
{
    sett_entity found = sett_null();
    SETT_FOR(m->targets, b, i) {
        const Body* body = &SETT_FIELD(b, 0, Body)[i];
        const Ship* ship = SETT_FIND(m->world, sett_batch_entity(b, i), Ship);
        bool other = ship == NULL || ship->player != by;
        if (sett_is_null(found) && other && abs(body->x - shot->x) < RANGE &&
            abs(body->y - shot->y) < RANGE) {
            found = sett_batch_entity(b, i);
        }
    }
    return found;
}

static void strike(Machine* m, uint64_t frame)
{
    sett_commands* later = sett_commands_here(m->world);
    SETT_FOR(m->shots, b, i) {
        Shot* shot = &SETT_FIELD_MUT(b, 0, Shot)[i];
        const sett_entity target = find_target(m, &SETT_FIELD(b, 1, Body)[i], shot->player);
        if (!sett_is_null(target)) {
            hit(m, target, frame, shot->player);
            shot->life = 1;
        }
        if (--shot->life == 0) {
            sett_cmd_destroy(later, sett_batch_entity(b, i));
        }
    }
    sett_commands_apply(later);
}

static void play(sett_world* world, const sett_inputs* inputs, void* user)
{
    Machine* m = user;
    (void)world;
    steer(m, inputs);
    move(m);
    strike(m, inputs->frame);
}

/* All machines begin with the same state. */
static void fill(Machine* m)
{
    for (uint32_t k = 0; k < m->players; k++) {
        SETT_CREATE(m->world, SETT_VALUE(Ship, .player = k),
                    SETT_VALUE(Body, .x = (int32_t)k * SIZE / PLAYERS, .y = SIZE / 2));
    }
    for (int32_t k = 0; k < STONES; k++) {
        const Body body = {k * 7919 % SIZE, k * 104729 % SIZE, k % 9 * 20 - 80, k % 5 * 30};
        SETT_CREATE(m->world, SETT_VALUE_TAG(Stone), SETT_VALUE_OF(Body, &body));
    }
}

static void note(const sett_session_event* event, void* user)
{
    static const char* const what[] = {"begins",        "is silent", "is heard", "is gone",
                                       "is here again", "waits",     "differs",  "is rejected",
                                       "fails",         "is missing"};
    if (((const Machine*)user)->talks && event->kind != SETT_SESSION_AHEAD) {
        printf("frame %4llu: player %u %s %s\n", (unsigned long long)event->frame,
               (unsigned)event->player, what[event->kind], event->text);
    }
}

static uint64_t link_clock(void* user)
{
    return sett_net_link_now(((const Machine*)user)->link);
}

static bool start(Machine* m, sett_net_transport transport)
{
    m->world = sett_world_create(NULL);
    if (m->world == NULL || SETT_REGISTER_ALL(m->world, ARENA) != SETT_OK) {
        return false;
    }
    m->ships = SETT_QUERY_CREATE(m->world, SETT_INOUT(Ship), SETT_INOUT(Body));
    m->shots = SETT_QUERY_CREATE(m->world, SETT_INOUT(Shot), SETT_INOUT(Body));
    m->targets = SETT_QUERY_CREATE(m->world, SETT_IN(Body), SETT_WITHOUT(Shot));
    m->bodies = SETT_QUERY_CREATE(m->world, SETT_INOUT(Body));
    fill(m);
    m->session = sett_session_create(
        m->world, &(sett_session_desc){.players = m->players,
                                       .local = m->player,
                                       .input_size = sizeof(Keys),
                                       .input_delay = 2,
                                       .timeout_ms = 1500,
                                       .play = play,
                                       .event = note,
                                       .user = m,
                                       .transport = transport,
                                       .clock_us = m->link != NULL ? link_clock : NULL});
    return m->session != NULL;
}

static void stop(Machine* m)
{
    sett_session_destroy(m->session);
    sett_world_destroy(m->world);
    m->session = NULL;
}

/* Keys change five times a second. A real game reads them from the keyboard. */
static Keys press(uint32_t player, uint64_t time_us)
{
    const sett_entity key = {player, 1};
    const uint64_t now = time_us / 200000;
    const uint32_t drawn = (uint32_t)sett_random_range(sett_random(1, key, now, 0), 18);
    return (Keys){(int8_t)(drawn % 3) - 1, (int8_t)(drawn / 3 % 3) - 1, (int8_t)(drawn / 9)};
}

static void report(const Machine* m)
{
    sett_session_stats stats;
    sett_session_stats_get(m->session, &stats);
    printf("player %u: %llu frames, %.2f played again for each, deepest %u, %llu hashes compared\n",
           (unsigned)m->player, (unsigned long long)stats.frame,
           (double)stats.replayed / (double)stats.frame, (unsigned)stats.deepest,
           (unsigned long long)stats.compared);
}

/* Eight machines; player 5 is switched off after 10 s, and comes back with an empty world. */
static int simulate(void)
{
    static Machine machine[PLAYERS];
    const sett_net_link_desc network = {
        .seed = 1, .latency_us = 60000, .jitter_us = 20000, .loss = 500, .duplicate = 100};
    sett_net_link* link = sett_net_link_create(&network);
    bool good = link != NULL;
    for (uint32_t k = 0; k < PLAYERS && good; k++) {
        machine[k] = (Machine){.link = link, .player = k, .players = PLAYERS, .talks = k == 0};
        good = start(&machine[k], sett_net_link_transport(link, k));
    }
    for (uint32_t frame = 0; frame < 25 * 60 && good; frame++) {
        sett_net_link_advance(link, FRAME_US);
        if (frame == 600) {
            stop(&machine[5]);
        } else if (frame == 900) {
            good = start(&machine[5], sett_net_link_transport(link, 5));
        }
        for (uint32_t k = 0; k < PLAYERS && good; k++) {
            const Keys keys = press(k, sett_net_link_now(link));
            good = machine[k].session == NULL ||
                   sett_session_advance(machine[k].session, &keys) != SETT_SESSION_OVER;
        }
    }
    for (uint32_t k = 0; k < PLAYERS && link != NULL; k++) {
        if (machine[k].session != NULL) {
            sett_session_stats stats;
            sett_session_stats_get(machine[k].session, &stats);
            good = good && stats.present == (1u << PLAYERS) - 1 && stats.compared > 300;
            report(&machine[k]);
            stop(&machine[k]);
        }
    }
    sett_net_link_destroy(link);
    return good ? 0 : 1;
}

/* One of two players. */
static int connect_to(char** arguments)
{
#ifdef ARENA_ENET
    Machine m = {.player = (uint32_t)atoi(arguments[1]), .players = 2, .talks = true};
    sett_enet* net = sett_enet_create(m.player, (uint16_t)atoi(arguments[2]));
    sett_session_stats stats = {0};
    uint64_t clock = 0, time_us = 0;
    if (net == NULL ||
        (m.player != 0 && !sett_enet_connect(net, 0, arguments[3], (uint16_t)atoi(arguments[4])))) {
        puts("the port is in use, or the host is not known");
        return 1;
    }
    bool good = start(&m, sett_enet_transport(net));
    for (; good && stats.hash_frame < 600; time_us += FRAME_US) {
        const Keys keys = press(m.player, time_us);
        good = sett_session_advance(m.session, &keys) != SETT_SESSION_OVER && time_us < 60000000;
        sett_session_stats_get(m.session, &stats);
        (void)sett_frame_wait(&clock, 60);
    }
    report(&m);
    stop(&m);
    sett_enet_destroy(net);
    return good ? 0 : 1;
#else
    printf("%s: built without ENet\n", arguments[0]);
    return 1;
#endif
}

int main(int count, char** arguments)
{
    return count == 5 ? connect_to(arguments) : simulate();
}
