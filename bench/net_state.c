/* net_state.c: what going back eight frames costs at 100,000 bodies, and what a delta takes beside
 * bits that are packed by hand. */
#include "net_rows.h"
#include "sett/sett.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ROLLED = 100000,
    EIGHT = 8,
    ROUNDS = 200,
    PART = 20, /* one of so many is written in a frame */
    PACKED = 1000,
    LAG = 3, /* ticks from a state to the one that its delta leads from */
    TICKS_PACKED = 400
};

typedef struct Rolled {
    int32_t x, y, vx, vy;
} Rolled;
typedef struct Sent { /* 1/512 m; a rotation: the smallest three of a quaternion, 10 bits each */
    int32_t at[3];
    uint32_t turn;
} Sent;

#define STATE_TYPES(COMPONENT, TAG)                                                                \
    COMPONENT(Rolled, .members = SETT_STRUCT(Rolled, x, y, vx, vy))                                \
    COMPONENT(Sent, .members = SETT_STRUCT(Sent, at, turn))
SETT_COMPONENTS(STATE_TYPES)

/* ------------------------------------------------------------------------------------ rollback */

static sett_world* rollback_world(sett_entity* body)
{
    sett_world* world = sett_world_create(NULL);
    Rolled* value = calloc(ROLLED, sizeof(*value));
    const sett_component id = Rolled_id;
    (void)SETT_REGISTER_ALL(world, STATE_TYPES);
    for (int32_t k = 0; value != NULL && k < ROLLED; k++) {
        value[k] = (Rolled){k, 0, k % 5, 1};
    }
    const void* values = value;
    (void)sett_entity_create_many(world, ROLLED, &id, 1, &values, body);
    free(value);
    return world;
}

/* The game's step: every twentieth body, so that each page is written. */
static void rollback_step(sett_world* world, const sett_entity* body, uint32_t frame)
{
    for (uint32_t k = frame % PART; k < ROLLED; k += PART) {
        Rolled* value = SETT_FIND_MUT(world, body[k], Rolled);
        value->x += value->vx;
    }
}

typedef struct rollback_time {
    double all, step, hash; /* us of all rounds; `step` without a snapshot */
} rollback_time;

/* Goes back eight frames and plays them again. Every tenth frame is hashed once, when it cannot
 * change any more: it is a snapshot then. */
static rollback_time rollback_run(sett_world* world, const sett_entity* body, bool hashes)
{
    rollback_time time = {0, 0, 0};
    sett_snapshot kept[EIGHT + 2];
    uint32_t frame = 0;
    for (; frame < EIGHT + 1; frame++) {
        (void)sett_snapshot_take(world, &kept[frame % (EIGHT + 2)]);
        rollback_step(world, body, frame);
    }
    for (uint32_t round = 0; round < ROUNDS; round++, frame++) {
        const double from = net_us();
        const uint32_t back = frame - EIGHT;
        (void)sett_snapshot_restore(world, kept[back % (EIGHT + 2)]);
        for (uint32_t f = back; f < frame; f++) {
            if (f != back) {
                (void)sett_snapshot_drop(world, kept[f % (EIGHT + 2)]);
                (void)sett_snapshot_take(world, &kept[f % (EIGHT + 2)]);
            }
            rollback_step(world, body, f);
        }
        (void)sett_snapshot_take(world, &kept[frame % (EIGHT + 2)]);
        uint64_t hash = 0;
        if (hashes && round % 10 == 0) {
            const double begin = net_us();
            (void)sett_snapshot_hash(world, kept[back % (EIGHT + 2)], &hash);
            time.hash += net_us() - begin;
        }
        (void)sett_snapshot_drop(world, kept[back % (EIGHT + 2)]);
        rollback_step(world, body, frame);
        time.all += net_us() - from;
    }
    for (uint32_t f = frame - EIGHT; f < frame; f++) {
        (void)sett_snapshot_drop(world, kept[f % (EIGHT + 2)]);
    }
    const double from = net_us();
    for (uint32_t k = 0; k < ROUNDS * (EIGHT + 1); k++) {
        rollback_step(world, body, k);
    }
    time.step = net_us() - from;
    return time;
}

void net_print_rollback(void)
{
    sett_entity* body = calloc(ROLLED, sizeof(*body));
    printf(
        "\n100,000 bodies of 16 bytes, 5 %% scattered written in a frame; of one frame, in ms\n"
        "| confirmed frames | 8 frames back and again | without the game's step | of it a hash | "
        "goal |\n|---|---|---|---|---|\n");
    for (uint32_t hashes = 0; hashes < 2 && body != NULL; hashes++) {
        sett_world* world = rollback_world(body);
        const rollback_time time = rollback_run(world, body, hashes != 0);
        printf("| %s | %.2f | %.2f | %.2f | %s |\n", hashes != 0 ? "hashed each 10" : "not hashed",
               time.all / ROUNDS / 1000, (time.all - time.step) / ROUNDS / 1000,
               time.hash / ROUNDS / 1000, hashes != 0 ? "1.0" : "0.7");
        (void)sett_world_destroy(world);
    }
    free(body);
}

/* -------------------------------------------------------------------------------------- by hand */

typedef struct hand_body {
    float at[3], speed[3];
    uint32_t turn;
} hand_body;

static uint64_t hand_seed;

static float hand_draw(void)
{
    return (float)sett_random_uniform(sett_random(3, sett_null(), hand_seed++, 0));
}

/* Moves a share of the bodies: on a square of 200 m, hopping, turning. */
static void hand_move(hand_body* body, float share)
{
    for (uint32_t k = 0; k < PACKED; k++) {
        if ((float)(k * 2654435761u >> 8) / 16777216.0f >= share) {
            continue;
        }
        hand_body* of = &body[k];
        for (uint32_t a = 0; a < 3; a += 2) {
            of->speed[a] = (of->speed[a] + hand_draw() - 0.5f) * 0.98f;
            of->at[a] += of->speed[a] / 20;
            of->at[a] += of->at[a] < 0 ? 200.0f : of->at[a] >= 200 ? -200.0f : 0;
        }
        of->at[1] += of->speed[1] / 20;
        of->at[1] = of->at[1] < 0 ? -of->at[1] : of->at[1];
        of->speed[1] = of->at[1] > 0.5f ? of->speed[1] - 0.5f : 4 * hand_draw();
        for (uint32_t a = 0; a < 3; a++) {
            const uint32_t add = (uint32_t)(hand_draw() * 20);
            of->turn = (of->turn & ~(1023u << 10 * a)) |
                       (((of->turn >> 10 * a & 1023) + add) & 1023) << 10 * a;
        }
    }
}

static Sent hand_sent(const hand_body* of)
{
    return (Sent){
        {(int32_t)(of->at[0] * 512), (int32_t)(of->at[1] * 512), (int32_t)(of->at[2] * 512)},
        of->turn};
}

static bool hand_is_near(uint32_t was, uint32_t is)
{
    bool near = was >> 30 == is >> 30;
    for (uint32_t a = 0; a < 3; a++) {
        const int32_t d = (int32_t)(is >> 10 * a & 1023) - (int32_t)(was >> 10 * a & 1023);
        near = near && abs(d) < 16;
    }
    return near;
}

/* Gaffer's scheme, in bytes: the gap to the last index that changed (4 or 11 bits), an axis in 8,
 * 12 or 19 bits, a rotation in 16 or 33. */
static double hand_pack(const Sent* was, const Sent* is)
{
    uint64_t bits = 16;
    uint32_t last = 0;
    for (uint32_t k = 0; k < PACKED; k++) {
        if (memcmp(&was[k], &is[k], sizeof(Sent)) == 0) {
            continue;
        }
        bits += k - last < 8 ? 4 : 11;
        last = k;
        for (uint32_t a = 0; a < 3; a++) {
            const int32_t d = abs(is[k].at[a] - was[k].at[a]);
            bits += d < 64 ? 8 : d < 512 ? 12 : 19;
        }
        bits += hand_is_near(was[k].turn, is[k].turn) ? 16 : 33;
    }
    return (double)bits / 8;
}

/* The bytes of the short form of a delta. */
static size_t hand_delta(sett_world* world, sett_snapshot from, sett_snapshot to)
{
    static unsigned char table[1024], whole[1 << 17], out[1 << 17];
    const sett_component id = Sent_id;
    size_t table_size = 0, size = 0, sent = 0;
    (void)sett_delta_types(world, &id, 1, table, sizeof(table), &table_size);
    (void)sett_delta_encode(world, from, to, whole, sizeof(whole), &size);
    (void)sett_delta_shorten(world, table, table_size, whole, size, out, sizeof(out), &sent);
    return sent;
}

static void hand_run(float share)
{
    static hand_body body[PACKED];
    static sett_entity entity[PACKED];
    static Sent past[LAG + 1][PACKED];
    sett_snapshot kept[LAG + 1];
    sett_world* world = sett_world_create(NULL);
    double delta = 0, hand = 0;
    (void)SETT_REGISTER_ALL(world, STATE_TYPES);
    for (uint32_t k = 0; k < PACKED; k++) {
        body[k] = (hand_body){{hand_draw() * 200, hand_draw(), hand_draw() * 200},
                              {hand_draw() * 4 - 2, 0, hand_draw() * 4 - 2},
                              3u << 30};
        entity[k] = SETT_CREATE(world, SETT_VALUE_OF(Sent, &past[0][k]));
    }
    for (uint32_t tick = 0; tick < TICKS_PACKED; tick++) {
        const uint32_t now = tick % (LAG + 1), then = (tick + 1) % (LAG + 1);
        hand_move(body, share);
        for (uint32_t k = 0; k < PACKED; k++) {
            const Sent sent = hand_sent(&body[k]);
            if (memcmp(SETT_GET(world, entity[k], Sent), &sent, sizeof(sent)) != 0) {
                *SETT_GET_MUT(world, entity[k], Sent) = sent;
            }
            past[now][k] = sent;
        }
        (void)sett_snapshot_take(world, &kept[now]);
        if (tick >= LAG) {
            delta += (double)hand_delta(world, kept[then], kept[now]);
            hand += hand_pack(past[then], past[now]);
            (void)sett_snapshot_drop(world, kept[then]);
        }
    }
    const double ticks = TICKS_PACKED - LAG;
    printf("| %.0f %% | 32,000 | %.0f | %.0f | %+.1f %% |\n", (double)share * 100, delta / ticks,
           hand / ticks, (delta / hand - 1) * 100);
    (void)sett_world_destroy(world);
}

void net_print_hand(void)
{
    printf(
        "\none client that sees 1,000 bodies, against a state 3 ticks old; bytes a tick (goal: at "
        "most 10 %% over packing by hand)\n"
        "| moving | raw | short delta | packed by hand | over |\n|---|---|---|---|---|\n");
    hand_run(1);
    hand_run(0.2f);
}
