/* Memory runs out while loops on several threads keep pages for a snapshot: it is lost, the loops
 * go on, and no thread reads what another one writes (which the thread sanitizer is to say).
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/state.h"
#include "sett/threads.h"
#include "worlds.h"

#include "world/world.h"

enum {
    PLACE = 1,
    HEAT
};

#define ENTITIES 300000

static bool closed; /* set while no thread runs */

static void* scarce_alloc(void* user, size_t size, size_t align)
{
    (void)user;
    size_t least = align < sizeof(void*) ? sizeof(void*) : align;
    return closed ? NULL : aligned_alloc(least, (size + least - 1) & ~(least - 1));
}

static void scarce_free(void* user, void* address, size_t size, size_t align)
{
    (void)user;
    (void)size;
    (void)align;
    free(address);
}

static void grow(sett_context* c)
{
    sett_batch batch;
    for (sett_batch* b = sett_context_begin(c, &batch); b != NULL && sett_batch_next(b);) {
        uint64_t* value = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            value[i] = value[i] * 3 + 1;
        }
    }
}

static sett_world* begin(sett_threads* threads)
{
    static const sett_component all[] = {PLACE, HEAT};
    sett_world_desc desc = {.log_fn = sett_log_silent,
                            .allocator = {scarce_alloc, scarce_free, NULL, NULL}};
    sett_world* world = sett_world_create(&desc);
    for (sett_component id = PLACE; id <= HEAT; id++) {
        const char* name = id == PLACE ? "place" : "heat";
        CHECK(sett_component_register(
                  world, &(sett_component_desc){.name = name, .size = 8, .id = id}) != 0);
        const sett_system_desc growing = {
            .name = name,
            .run = grow,
            .terms = {{.component = id, .access = SETT_INOUT, .kind = SETT_WITH}}};
        CHECK(sett_system_create(world, &growing) != NULL);
    }
    CHECK_EQ(sett_entity_create_many(world, ENTITIES, all, 2, NULL, NULL), SETT_OK);
    sett_schedule_desc schedule = {.no_times = true, .tasks = sett_threads_tasks(threads)};
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    CHECK_EQ(sett_progress(world, 0.02f), SETT_OK);
    return world;
}

static void values_are(const sett_world* world, uint64_t expected)
{
    for (uint32_t index = 0; index < ENTITIES; index += 97) {
        sett_entity e = setti_entity_at(&world->entities, index);
        CHECK_EQ(*(const uint64_t*)sett_get(world, e, PLACE), expected);
        CHECK_EQ(*(const uint64_t*)sett_get(world, e, HEAT), expected);
    }
}

static void losing_a_snapshot_races_with_nobody(void)
{
    sett_threads* threads = sett_threads_create(3, NULL);
    CHECK(threads != NULL);
    sett_world* world = begin(threads);
    sett_snapshot lost;
    sett_snapshot kept;
    uint64_t expected = 1;
    for (uint32_t round = 0; round < 5; round++) {
        CHECK_EQ(sett_snapshot_take(world, &lost), SETT_OK);
        CHECK_EQ(sett_world_trim(world), SETT_OK);
        closed = true;
        CHECK_EQ(sett_progress(world, 0.02f), SETT_OK);
        closed = false;
        expected = expected * 3 + 1;
        values_are(world, expected);
        CHECK_EQ(sett_snapshot_status(world, lost), SETT_STATUS_LOST);
        CHECK_VALID(world);
        CHECK_EQ(world->pool.cow_from, 0); /* no snapshot is held, and writing costs what it did */
    }
    CHECK_EQ(sett_snapshot_take(world, &kept), SETT_OK);
    CHECK_EQ(sett_progress(world, 0.02f), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, kept), SETT_OK);
    values_are(world, expected);
    sett_world_destroy(world);
    sett_threads_destroy(threads);
}

TEST_MAIN(TEST(losing_a_snapshot_races_with_nobody))
