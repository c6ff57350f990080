/* meadow.c: a game of integers, the same in C, C++, Python and Lua: sheep eat grass, wolves eat
 * sheep. tools/languages.sh runs all four, and compares the hashes of their worlds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/sett.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SIZE = 256,
    CELLS = SIZE * SIZE,
    FRAMES = 300
};

typedef struct Position {
    int32_t x, y;
} Position;
typedef struct Dice {
    uint32_t state;
} Dice;
typedef struct Energy {
    int32_t points;
} Energy;
typedef struct Grass {
    uint16_t level[CELLS];
} Grass;

#define MEADOW(COMPONENT, TAG)                                                                     \
    COMPONENT(Position, .members = SETT_STRUCT(Position, x, y))                                    \
    COMPONENT(Dice, .members = SETT_STRUCT(Dice, state))                                           \
    COMPONENT(Energy, .members = SETT_STRUCT(Energy, points))                                      \
    COMPONENT(Grass, .members = SETT_STRUCT(Grass, level))                                         \
    TAG(Sheep) TAG(Wolf)
SETT_COMPONENTS(MEADOW)

/* What the systems share: queries, and counts by cell that live for a system only. */
typedef struct Meadow {
    sett_query* sheep;
    sett_query* wolves;
    sett_query* everyone[2];
    int32_t flock[CELLS], pack[CELLS], share[CELLS];
} Meadow;

static uint32_t cell_of(const Position* p)
{
    return (uint32_t)(p->y * SIZE + p->x);
}

static void count(sett_query* query, int32_t* counts)
{
    memset(counts, 0, CELLS * sizeof(*counts));
    SETT_FOR(query, b, i) {
        counts[cell_of(&SETT_FIELD(b, 1, Position)[i])]++;
    }
}

static void grow(sett_context* context)
{
    Grass* grass = SETT_SINGLETON_GET_MUT(context->world, Grass);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        if ((cell + context->frame) % 2 == 0 && grass->level[cell] < 200) {
            grass->level[cell]++;
        }
    }
}

static void wander(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        Position* p = &SETT_FIELD_MUT(b, 0, Position)[i];
        Dice* dice = &SETT_FIELD_MUT(b, 1, Dice)[i];
        dice->state = dice->state * 1664525u + 1013904223u;
        int32_t turn = (int32_t)((dice->state >> 16) % 9);
        p->x = (p->x + turn % 3 - 1) & (SIZE - 1);
        p->y = (p->y + turn / 3 - 1) & (SIZE - 1);
    }
}

/* The sheep of a cell share its grass. */
static void graze(sett_context* context)
{
    Meadow* m = context->user;
    Grass* grass = SETT_SINGLETON_GET_MUT(context->world, Grass);
    count(m->sheep, m->flock);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        int32_t each = m->flock[cell] > 0 ? grass->level[cell] / m->flock[cell] : 0;
        m->share[cell] = each < 12 ? each : 12;
        grass->level[cell] = (uint16_t)(grass->level[cell] - m->share[cell] * m->flock[cell]);
    }
    SETT_FOR(m->sheep, b, i) {
        SETT_FIELD_MUT(b, 0, Energy)[i].points += m->share[cell_of(&SETT_FIELD(b, 1, Position)[i])];
    }
}

/* The wolves of a cell share its sheep. */
static void hunt(sett_context* context)
{
    Meadow* m = context->user;
    count(m->wolves, m->pack);
    count(m->sheep, m->flock);
    SETT_FOR(m->wolves, b, i) {
        uint32_t cell = cell_of(&SETT_FIELD(b, 1, Position)[i]);
        SETT_FIELD_MUT(b, 0, Energy)[i].points += m->flock[cell] * 20 / m->pack[cell];
    }
    SETT_FOR(m->sheep, b, i) {
        if (m->pack[cell_of(&SETT_FIELD(b, 1, Position)[i])] > 0) {
            sett_cmd_destroy(context->commands, sett_batch_entity(b, i));
        }
    }
}

static void starve(sett_context* context)
{
    Meadow* m = context->user;
    for (int kind = 0; kind < 2; kind++) {
        SETT_FOR(m->everyone[kind], b, i) {
            Energy* energy = &SETT_FIELD_MUT(b, 0, Energy)[i];
            energy->points -= kind == 0 ? 3 : 2;
            if (energy->points <= 0) {
                sett_cmd_destroy(context->commands, sett_batch_entity(b, i));
            }
        }
    }
}

static void breed(sett_context* context)
{
    Meadow* m = context->user;
    for (int kind = 0; kind < 2; kind++) {
        SETT_FOR(m->everyone[kind], b, i) {
            Energy* energy = &SETT_FIELD_MUT(b, 0, Energy)[i];
            if (energy->points > (kind == 0 ? 120 : 240)) {
                energy->points /= 2;
                Dice dice = {SETT_FIELD(b, 2, Dice)[i].state ^ 0x9E3779B9u};
                sett_entity child = sett_cmd_create(context->commands);
                sett_cmd_set(context->commands, child, Position_id, &SETT_FIELD(b, 1, Position)[i]);
                sett_cmd_set(context->commands, child, Dice_id, &dice);
                sett_cmd_set(context->commands, child, Energy_id, energy);
                sett_cmd_add(context->commands, child, kind == 0 ? Sheep_id : Wolf_id);
            }
        }
    }
}

static void populate(sett_world* world)
{
    for (uint32_t k = 0; k < 21000; k++) {
        Position p = {(int32_t)(k * 7 % SIZE), (int32_t)(k * 13 / SIZE % SIZE)};
        Dice dice = {k * 2654435761u};
        Energy energy = {(int32_t)(40 + k % 50)};
        sett_value values[] = {SETT_VALUE_OF(Position, &p),
                               SETT_VALUE_OF(Dice, &dice),
                               SETT_VALUE_OF(Energy, &energy),
                               {k % 21 != 0 ? Sheep_id : Wolf_id, NULL, 0, NULL}};
        sett_create_with(world, values, 4);
    }
    Grass* grass = SETT_SINGLETON_ENSURE(world, Grass);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        grass->level[cell] = (uint16_t)(cell * 31 % 100);
    }
}

int main(void)
{
    static Meadow m;
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, MEADOW);
    m.sheep = SETT_QUERY_CREATE(world, SETT_INOUT(Energy), SETT_IN(Position), SETT_WITH(Sheep));
    m.wolves = SETT_QUERY_CREATE(world, SETT_INOUT(Energy), SETT_IN(Position), SETT_WITH(Wolf));
    m.everyone[0] = SETT_QUERY_CREATE(world, SETT_INOUT(Energy), SETT_IN(Position), SETT_IN(Dice),
                                      SETT_WITH(Sheep));
    m.everyone[1] = SETT_QUERY_CREATE(world, SETT_INOUT(Energy), SETT_IN(Position), SETT_IN(Dice),
                                      SETT_WITH(Wolf));
    SETT_SYSTEM(world, grow, .user = &m, .phase = 0, .exclusive = true);
    SETT_SYSTEM(world, wander, .phase = 1, .terms = {SETT_INOUT(Position), SETT_INOUT(Dice)});
    SETT_SYSTEM(world, graze, .user = &m, .phase = 2, .exclusive = true);
    SETT_SYSTEM(world, hunt, .user = &m, .phase = 3, .exclusive = true);
    SETT_SYSTEM(world, starve, .user = &m, .phase = 4, .exclusive = true);
    SETT_SYSTEM(world, breed, .user = &m, .phase = 5, .exclusive = true);
    populate(world);

    sett_ring* ring = sett_ring_create(world, 10);
    clock_t begin = clock();
    for (uint64_t frame = 0, played = 0; frame < FRAMES; frame++, played++) {
        sett_ring_take_frame(ring, frame);
        sett_progress(world, 1);
        if (frame % 50 == 49 && played - frame < (frame + 1) / 50 * 8) { /* eight frames again */
            frame -= 8;
            sett_ring_restore_frame(ring, frame + 1);
        }
    }
    double ms = 1000.0 * (double)(clock() - begin) / CLOCKS_PER_SEC / (FRAMES + FRAMES / 50 * 8);
    printf("%016" PRIx64 " %u sheep, %u wolves, %.3f ms a frame\n", sett_world_hash(world),
           sett_query_count(m.sheep), sett_query_count(m.wolves), ms);
    sett_world_destroy(world);
    return 0;
}
