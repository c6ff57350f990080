/* states.h: what tests of snapshots and deltas do again and again: take one, write one down, play
 * it, compare what came of it. The checks name the line of the test.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_STATES_H
#define SETT_TEST_STATES_H

#include "scarce.h"
#include "sett/state.h"

/* Two worlds are in the same state, and the second is sound. */
#define CHECK_SAME(a, b) check_same(__FILE__, __LINE__, (a), (b))

/* A delta fits onto the world. */
#define CHECK_APPLY(world, bytes, size) check_apply(__FILE__, __LINE__, (world), (bytes), (size))

static inline void check_same(const char* file, int line, sett_world* a, sett_world* b)
{
    char text[256];
    if (sett_world_difference(a, b, text, sizeof(text)) != 0) {
        check_failed(file, line, "%s", text);
    }
    if (sett_world_hash(a) != sett_world_hash(b)) {
        check_failed(file, line, "no difference, and different hashes");
    }
    check_valid(file, line, b);
}

static inline void check_apply(const char* file, int line, sett_world* world,
                               const unsigned char* bytes, size_t size)
{
    if (sett_delta_apply(world, bytes, size) != SETT_OK) {
        check_failed(file, line, "%s", sett_world_message(world));
    }
}

static inline sett_snapshot take(sett_world* world)
{
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    return snapshot;
}

/* What differs between two snapshots, as bytes to be freed. */
static inline size_t encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                            unsigned char** bytes)
{
    size_t size = 0;
    CHECK_EQ(sett_delta_encode(world, a, b, NULL, 0, &size), SETT_OK);
    *bytes = malloc(size);
    CHECK(*bytes != NULL);
    size_t again = 0;
    CHECK_MSG(sett_delta_encode(world, a, b, *bytes, size, &again) == SETT_OK, "%s",
              sett_world_message(world));
    CHECK_EQ(again, size);
    return size;
}

/* Plays a delta with so many bytes left in the world's pool, and so many blocks after them. */
static inline sett_status apply_scarcely(sett_world* world, scarce_memory* memory, size_t left,
                                         uint32_t blocks, const unsigned char* bytes, size_t size)
{
    scarce_squeeze(&world->pool, memory, left);
    memory->strict = true;
    memory->allowed = blocks;
    sett_status status = sett_delta_apply(world, bytes, size);
    memory->allowed = 0;
    scarce_give_back(&world->pool, memory);
    return status;
}

#endif
