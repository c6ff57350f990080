/* Snapshots while systems run on threads: a page is copied once, whichever thread writes to it
 * first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.h"
#include "sett/state.h"
#include "sett/threads.h"

enum {
    PLACE = 1,
    SPEED,
    HEAT
};

#define ENTITIES 20000
#define FRAMES 12
#define BACK 5

static void move(sett_context* c)
{
    sett_batch batch;
    for (sett_batch* b = sett_context_begin(c, &batch); b != NULL && sett_batch_next(b);) {
        uint64_t* place = sett_batch_field(b, 0);
        const uint64_t* speed = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            place[i] = place[i] * 3 + speed[i];
        }
    }
}

static void cool(sett_context* c)
{
    sett_batch batch;
    for (sett_batch* b = sett_context_begin(c, &batch); b != NULL && sett_batch_next(b);) {
        uint32_t* heat = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            heat[i] += sett_batch_index(b, i);
            if (heat[i] % 97 == 0) {
                (void)sett_cmd_destroy(c->commands, sett_batch_entity(b, i));
                (void)sett_cmd_add(c->commands, sett_cmd_create(c->commands), HEAT);
            }
        }
    }
}

static sett_world* begin(sett_threads* threads)
{
    static const sett_component all[] = {PLACE, SPEED, HEAT};
    static uint64_t speed[ENTITIES];
    for (uint32_t k = 0; k < ENTITIES; k++) {
        speed[k] = k * 7 + 1;
    }
    const void* values[] = {NULL, speed, NULL};
    sett_world* world = sett_world_create(NULL);
    const sett_component_desc types[] = {
        {.name = "place", .size = 8, .id = PLACE},
        {.name = "speed", .size = 8, .id = SPEED},
        {.name = "heat", .size = 4, .id = HEAT, .storage = SETT_STORAGE_SPARSE_SET},
    };
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_component_register(world, &types[k]) != 0);
    }
    CHECK_EQ(sett_entity_create_many(world, ENTITIES, all, 3, values, NULL), SETT_OK);
    const sett_system_desc moving = {
        .name = "move",
        .run = move,
        .terms = {{.component = PLACE, .access = SETT_INOUT, .kind = SETT_WITH},
                  {.component = SPEED, .access = SETT_IN, .kind = SETT_WITH}}};
    const sett_system_desc cooling = {
        .name = "cool",
        .run = cool,
        .terms = {{.component = HEAT, .access = SETT_INOUT, .kind = SETT_WITH}}};
    CHECK(sett_system_create(world, &moving) != NULL);
    CHECK(sett_system_create(world, &cooling) != NULL);
    sett_schedule_desc schedule = {.no_times = true};
    if (threads != NULL) {
        schedule.tasks = sett_threads_tasks(threads);
    }
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    return world;
}

static uint64_t step(sett_world* world, sett_ring* ring)
{
    CHECK_EQ(sett_ring_take(ring), SETT_OK);
    CHECK_EQ(sett_progress(world, 0.02f), SETT_OK);
    return sett_world_hash(world);
}

/* Plays; now and then goes back and plays the same frames again, to the same hashes. */
static uint64_t play(sett_threads* threads)
{
    sett_world* world = begin(threads);
    sett_ring* ring = sett_ring_create(world, BACK + 2);
    uint64_t hash[FRAMES];
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            hash[frame] = step(world, ring);
        }
        CHECK_EQ(sett_ring_restore(ring, BACK - 1), SETT_OK);
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        for (uint32_t frame = FRAMES - BACK; frame < FRAMES; frame++) {
            CHECK_EQ(step(world, ring), hash[frame]);
        }
    }
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_ring_destroy(ring);
    sett_world_destroy(world);
    return hash[FRAMES - 1];
}

static void frames_repeat_on_any_number_of_threads(void)
{
    uint64_t alone = play(NULL);
    for (uint32_t workers = 2; workers <= 4; workers++) {
        sett_threads* threads = sett_threads_create(workers, NULL);
        CHECK(threads != NULL);
        CHECK_EQ(play(threads), alone);
        sett_threads_destroy(threads);
    }
}

TEST_MAIN(TEST(frames_repeat_on_any_number_of_threads))
