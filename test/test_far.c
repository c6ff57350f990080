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

static sett_world* far_world(void)
{
    sett_world* world = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = UINT32_MAX - 1023});
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
static void far_entities_take_little_memory(void)
{
    sett_world* world = far_world();
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

TEST_MAIN(TEST(far_entities_take_little_memory), TEST(far_entities_behave_like_near_ones))
