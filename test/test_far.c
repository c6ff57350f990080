/* test_far.c: entities at indices near 2^32: tables that are zeroes where no entity is, and readers
 * that see the first 2^28 indices in line. A naive world says what has to be where.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "worlds.h"

#include <stdio.h>
#include <string.h>

#define INDICES 96
#define TYPES 3

static sett_component type[TYPES];
static uint32_t places[INDICES];

/* A naive entity: its generation is 0 while it is not alive. */
typedef struct far_entity {
    uint32_t generation;
    bool has[TYPES];
    uint64_t value[TYPES];
} far_entity;

/* Around both ends, and around the border of what is read in line, page borders among them. */
static void choose_places(void)
{
    static const uint32_t base[] = {0, 1000, (1u << 28) - 4, 3999999990u, 4294966000u, 1u << 31};
    for (uint32_t k = 0; k < INDICES; k++) {
        places[k] = base[k / 16] + k % 16;
    }
}

/* `allocator`: or NULL. */
static sett_world* far_world_of(const sett_allocator* allocator)
{
    sett_world_desc world_desc = {.log_fn = sett_log_silent, .entity_limit = UINT32_MAX - 1023};
    if (allocator != NULL) {
        world_desc.allocator = *allocator;
    }
    sett_world* world = sett_world_create(&world_desc);
    CHECK(world != NULL);
    static const char* const names[TYPES] = {"Array", "Sparse", "Tag"};
    for (uint32_t k = 0; k < TYPES; k++) {
        sett_component_desc desc = {.name = names[k], .size = k == 2 ? 0 : 8, .align = 8};
        desc.storage = k == 1 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_DEFAULT;
        desc.align = k == 2 ? 1 : 8;
        type[k] = sett_component_register(world, &desc);
        CHECK(type[k] != 0);
    }
    return world;
}

static sett_world* far_world(void)
{
    return far_world_of(NULL);
}

static void check_all(sett_world* world, const far_entity* model)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < INDICES; k++) {
        const far_entity* m = &model[k];
        sett_entity e = {places[k], m->generation};
        CHECK_EQ(m->generation != 0 && sett_entity_valid(world, e), m->generation != 0);
        for (uint32_t t = 0; m->generation != 0 && t < TYPES; t++) {
            CHECK_MSG(sett_has(world, e, type[t]) == m->has[t], "%u:%u type %u", (unsigned)e.index,
                      (unsigned)e.generation, (unsigned)t);
            sett_entity stale = {places[k], m->generation + 1};
            CHECK(!sett_has(world, stale, type[t]));
            if (t < 2) {
                const uint64_t* value = sett_find(world, e, type[t]);
                CHECK_EQ(value != NULL, m->has[t]);
                CHECK(value == NULL || *value == m->value[t]);
                CHECK(sett_find(world, stale, type[t]) == NULL);
            }
        }
        sum += m->generation != 0 && m->has[0] && m->has[1] ? m->value[0] + m->value[1] : 0;
    }
    sett_query* query = SETT_QUERY_CREATE(world, {.component = type[0]}, {.component = type[1]});
    uint64_t found = 0;
    SETT_QUERY_EACH(query, b) {
        const uint64_t* a = sett_batch_field(b, 0);
        const uint64_t* s = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            found += a[i] + s[i];
        }
    }
    CHECK_EQ(found, sum);
    sett_query_destroy(query);
}

/* One random change of both. */
static void change_one(sett_world* world, far_entity* model, uint64_t* state)
{
    uint32_t k = chance_below(state, INDICES);
    uint32_t t = chance_below(state, TYPES);
    far_entity* m = &model[k];
    sett_entity e = {places[k], m->generation};
    if (m->generation == 0) {
        static uint32_t generation = 1;
        e.generation = ++generation;
        CHECK_EQ(sett_entity_create_handle(world, e), SETT_OK);
        memset(m, 0, sizeof(*m));
        m->generation = e.generation;
    } else if (chance_below(state, 8) == 0) {
        CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
        m->generation = 0;
    } else if (m->has[t] && chance_below(state, 2) == 0) {
        CHECK_EQ(sett_remove(world, e, type[t]), SETT_OK);
        m->has[t] = false;
    } else {
        uint64_t* value = m->has[t] ? (t < 2 ? sett_get_mut(world, e, type[t]) : NULL)
                                    : sett_add(world, e, type[t]);
        m->has[t] = true;
        m->value[t] = chance_draw(state);
        if (t < 2) {
            CHECK(value != NULL);
            *value = m->value[t];
        }
    }
}

static void far_entities_behave_like_near_ones(void)
{
    static far_entity model[INDICES];
    static far_entity saved[INDICES];
    uint64_t state = check_setting("SETT_SEED", 1);
    choose_places();
    memset(model, 0, sizeof(model));
    sett_world* world = far_world();
    uint64_t hash = 0;
    sett_snapshot snapshot = {0};
    uint64_t steps = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(20000));
    for (uint64_t step = 0; step < steps; step++) {
        change_one(world, model, &state);
        if (step % 97 == 0) {
            check_all(world, model);
        }
        if (step % 1000 == 300) {
            CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
            memcpy(saved, model, sizeof(saved));
            hash = sett_world_hash(world);
        } else if (step % 1000 == 600) {
            CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
            memcpy(model, saved, sizeof(saved));
            CHECK_EQ(sett_world_hash(world), hash);
            check_all(world, model);
            sett_snapshot_drop_all(world);
        } else if (step % 5000 == 900) {
            CHECK_EQ(sett_world_trim(world), SETT_OK);
            CHECK_VALID(world);
            sett_world* copy = far_world();
            CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
            check_all(copy, model);
            CHECK_END(copy);
        }
    }
    check_all(world, model);
    CHECK_END(world);
}

/* Bytes of this process that lie in memory; 0 where this is not known. */
static size_t resident(void)
{
    size_t pages = 0;
#if defined(__linux__)
    FILE* file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        unsigned long all = 0;
        unsigned long here = 0;
        pages = fscanf(file, "%lu %lu", &all, &here) == 2 ? here : 0;
        (void)fclose(file);
    }
#endif
    return pages * 4096;
}

/* Tables for a far entity are asked for and not touched; a hash and a snapshot touch none. */
static void check_little_memory(const sett_allocator* allocator)
{
    sett_world* world = far_world_of(allocator);
    sett_entity far = {4000000000u, 1};
    size_t before = resident();
    CHECK_EQ(sett_entity_create_handle(world, far), SETT_OK);
    size_t entity = resident();
    for (uint32_t t = 0; t < TYPES; t++) {
        CHECK(sett_add(world, far, type[t]) != NULL);
    }
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(sett_world_hash(world), hash);
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    size_t all = resident();
    if (before != 0 && !CHECK_SANITIZED) {
        CHECK_MSG(entity - before <= (size_t)4 << 20, "%zu", entity - before);
        CHECK_MSG(all - before <= (size_t)16 << 20, "%zu", all - before);
    }
    CHECK_END(world);
}

static void far_entities_take_little_memory(void)
{
    check_little_memory(NULL);
}

/* An allocator of the program's own, which knows what it gave, and can fail. */

#define OWN_PIECES 1024
#define OWN_LARGE ((size_t)512 << 10) /* zeroes are asked for from here on */

typedef struct own_piece {
    void* address;
    size_t size;
    size_t align;
} own_piece;

typedef struct own_memory {
    own_piece piece[OWN_PIECES];
    uint32_t count;
    uint32_t calls;
    uint32_t zeroes; /* calls of own_zero */
    uint32_t fails;  /* the number of the call that fails; 0: none */
    bool forever;    /* and all calls behind it */
} own_memory;

static bool own_fails(own_memory* own)
{
    own->calls++;
    return own->fails != 0 && (own->forever ? own->calls >= own->fails : own->calls == own->fails);
}

static void* own_keep(own_memory* own, void* address, size_t size, size_t align)
{
    CHECK(address != NULL && own->count < OWN_PIECES);
    own->piece[own->count++] = (own_piece){address, size, align};
    return address;
}

static void* own_alloc(void* user, size_t size, size_t align)
{
    if (own_fails(user)) {
        return NULL;
    }
    void* fresh = aligned_alloc(align, (size + align - 1) & ~(align - 1));
    CHECK(fresh != NULL);
    memset(fresh, 0xA5, size); /* no code may rely on zeroes here */
    return own_keep(user, fresh, size, align);
}

static void* own_zero(void* user, size_t size, size_t align)
{
    own_memory* own = user;
    CHECK(size >= OWN_LARGE && align <= 16);
    own->zeroes++;
    return own_fails(own) ? NULL : own_keep(own, calloc(1, size), size, align);
}

static void own_free(void* user, void* address, size_t size, size_t align)
{
    own_memory* own = user;
    uint32_t k = 0;
    while (k < own->count && own->piece[k].address != address) {
        k++;
    }
    CHECK(k < own->count);
    CHECK_EQ(own->piece[k].size, size);
    CHECK_EQ(own->piece[k].align, align);
    own->piece[k] = own->piece[--own->count];
    free(address);
}

static sett_allocator own_allocator(own_memory* own)
{
    memset(own, 0, sizeof(*own));
    return (sett_allocator){own_alloc, own_free, own, own_zero};
}

static void far_entities_take_little_memory_of_an_own_allocator(void)
{
    static own_memory own;
    sett_allocator allocator = own_allocator(&own);
    check_little_memory(&allocator);
    CHECK(own.zeroes != 0);
    CHECK_EQ(own.count, 0);
}

/* After a call that failed: the world is as it was, and the call succeeds when there is memory. */
static void own_check_failed(own_memory* own, sett_world* world)
{
    CHECK_EQ(sett_world_error(world), SETT_STATUS_OUT_OF_MEMORY);
    CHECK_VALID(world);
    own->fails = 0;
}

/* Creates a far entity with a value of each type while the allocator fails. Returns the hash. */
static uint64_t own_far(own_memory* own, sett_world* world)
{
    sett_entity far = {4000000000u, 1};
    if (sett_entity_create_handle(world, far) != SETT_OK) {
        own_check_failed(own, world);
        CHECK(!sett_entity_valid(world, far));
        CHECK_EQ(sett_entity_create_handle(world, far), SETT_OK);
    }
    for (uint32_t t = 0; t < TYPES; t++) {
        void* value = sett_add(world, far, type[t]);
        if (value == NULL) {
            own_check_failed(own, world);
            CHECK(!sett_has(world, far, type[t]));
            value = sett_add(world, far, type[t]);
        }
        CHECK(value != NULL);
        if (t < 2) {
            memset(value, 7, 8);
        }
    }
    return sett_world_hash(world);
}

/* Each allocation fails, alone or with all that follow. Where zeroes fail alone, memory is cleared
 * instead. */
static void every_allocation_of_a_far_entity_fails(void)
{
    static own_memory own;
    uint64_t hash = 0;
    for (uint32_t forever = 0; forever < 2; forever++) {
        uint32_t calls = 1;
        for (uint32_t at = 0; at <= calls; at++) { /* the first time none fails */
            sett_allocator allocator = own_allocator(&own);
            sett_world* world = far_world_of(&allocator);
            uint32_t before = own.calls;
            own.fails = at != 0 ? before + at : 0;
            own.forever = forever != 0;
            uint64_t found = own_far(&own, world);
            own.fails = 0;
            if (at == 0) {
                calls = own.calls - before;
                CHECK(calls > 3 && own.zeroes > 3);
                hash = found;
            }
            CHECK_EQ(found, hash);
            CHECK_END(world);
            CHECK_EQ(own.count, 0);
        }
    }
}

TEST_MAIN(TEST(far_entities_take_little_memory),
          TEST(far_entities_take_little_memory_of_an_own_allocator),
          TEST(every_allocation_of_a_far_entity_fails), TEST(far_entities_behave_like_near_ones))
