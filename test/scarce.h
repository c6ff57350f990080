/* scarce.h: memory that runs out on purpose. An allocator that counts what it gave and what came
 * back, and a way to leave a world's pool only so many bytes: the pool cuts its own pieces from
 * blocks, so that failing the allocator alone would reach few of its callers.
 *
 *     static scarce_memory memory;
 *     sett_world* world = scarce_world(&memory);
 *     scarce_run(world, &memory, step, unchanged, &state);     tried with 0, 32, 64, ... bytes
 *     scarce_end(&memory, world);                              until it succeeds
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_SCARCE_H
#define SETT_TEST_SCARCE_H

#include "worlds.h"

#include "world/world.h"

#define SCARCE_PIECES 100000
#define SCARCE_MOST 60000 /* bytes that no step needs */

typedef struct scarce_memory {
    uint64_t held;    /* bytes that were given and did not come back */
    bool closed;      /* no blocks are given, */
    bool strict;      /* and nothing else either: pieces that do not fit into blocks, */
    uint32_t allowed; /* but for so many */
    void* piece[SCARCE_PIECES];
    size_t size[SCARCE_PIECES];
    uint32_t pieces; /* taken out of the pool to leave it little */
    uint32_t failures;
} scarce_memory;

static inline void* scarce_alloc(void* user, size_t size, size_t align)
{
    scarce_memory* memory = user;
    bool block = align == SETTI_POOL_STEP && size % 4096 == 0;
    if (memory->closed && (block || memory->strict) && memory->allowed-- == 0) {
        memory->allowed = 0;
        return NULL;
    }
    size_t least = align < sizeof(void*) ? sizeof(void*) : align;
    void* fresh = aligned_alloc(least, (size + least - 1) & ~(least - 1));
    CHECK(fresh != NULL);
    memset(fresh, 0xA5, size); /* no code may rely on zeroes */
    memory->held += size;
    return fresh;
}

static inline void scarce_free(void* user, void* address, size_t size, size_t align)
{
    scarce_memory* memory = user;
    (void)align;
    CHECK(memory->held >= size);
    memory->held -= size;
    free(address);
}

static inline sett_world* scarce_world(scarce_memory* memory)
{
    sett_world_desc desc = {.log_fn = sett_log_silent,
                            .allocator = {scarce_alloc, scarce_free, memory, NULL}};
    sett_world* world = sett_world_create(&desc);
    CHECK(world != NULL);
    return world;
}

static inline void scarce_end(scarce_memory* memory, sett_world* world)
{
    sett_world_destroy(world);
    CHECK_EQ(memory->held, 0);
}

static inline void scarce_take(setti_pool* pool, scarce_memory* memory, size_t size)
{
    CHECK(memory->pieces < SCARCE_PIECES);
    void* piece = setti_pool_alloc(pool, size, 16);
    CHECK(piece != NULL);
    memory->piece[memory->pieces] = piece;
    memory->size[memory->pieces++] = size;
}

static inline void scarce_give_back(setti_pool* pool, scarce_memory* memory)
{
    memory->closed = false;
    while (memory->pieces > 0) {
        memory->pieces--;
        setti_pool_free(pool, memory->piece[memory->pieces], memory->size[memory->pieces], 16);
    }
}

/* Takes the free pieces, and of the unused end of the newest block all but `left` bytes. */
static inline void scarce_squeeze(setti_pool* pool, scarce_memory* memory, size_t left)
{
    setti_pool_trim(pool); /* or blocks would pile up, one a try */
    size_t held = pool->block_size;
    pool->block_size = 0; /* blocks grow with what is held: small ones will do */
    while (pool->bump_size < left) {
        scarce_take(pool, memory, 1024);
    }
    pool->block_size += held;
    scarce_give_back(pool, memory);
    memory->closed = true;
    for (uint32_t k = 0; k < SETTI_POOL_CLASSES; k++) {
        size_t size = SETTI_POOL_SMALL_MAX;
        if (k < SETTI_POOL_SMALL_CLASSES) {
            size = (size_t)32 << k;
        } else {
            size += (size_t)(k - SETTI_POOL_SMALL_CLASSES + 1) * SETTI_POOL_STEP;
        }
        while (pool->blocks != NULL && pool->free[k] != NULL) {
            scarce_take(pool, memory, size);
        }
    }
    while (pool->bump_size > left + 4096) {
        scarce_take(pool, memory, 1024);
    }
    while (pool->bump_size > left && pool->bump_size >= 32) {
        scarce_take(pool, memory, 32);
    }
}

/* Tries a step with so much memory. After a failure the world has to be valid and, if `unchanged`
 * is given, as it says. */
static inline bool scarce_try(sett_world* world, scarce_memory* memory, size_t left, bool strict,
                              bool (*step)(void* user), void (*unchanged)(void* user), void* user)
{
    scarce_squeeze(&world->pool, memory, left);
    memory->strict = strict;
    bool done = step(user);
    scarce_give_back(&world->pool, memory);
    CHECK_VALID(world);
    if (!done) {
        CHECK_EQ(sett_world_error(world), SETT_STATUS_OUT_OF_MEMORY);
        memory->failures++;
        if (unchanged != NULL) {
            unchanged(user);
        }
    }
    return done;
}

/* Runs a step with ever more memory until it succeeds. */
static inline void scarce_run(sett_world* world, scarce_memory* memory, bool (*step)(void* user),
                              void (*unchanged)(void* user), void* user)
{
    for (size_t left = 0; left <= SCARCE_MOST; left += left < 4096 ? 32 : 512) {
        if (scarce_try(world, memory, left, true, step, unchanged, user) ||
            scarce_try(world, memory, left, false, step, unchanged, user)) {
            return;
        }
    }
    CHECK_MSG(false, "%d bytes are not enough", SCARCE_MOST);
}

#endif
