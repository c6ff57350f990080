/* test_scarce_more.c: memory runs out in what runs at a later time than its call: commands that are
 * applied, events, the tidying of names, rings, modules. It fails or is left for later, and the
 * world stays sound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scarce.h"

#include "sett/event.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/state.h"
#include "sett/system.h"

#define ENTITIES 300

typedef struct Blow {
    unsigned char bytes[600];
} Blow;

static struct {
    scarce_memory memory;
    sett_world* world;
    sett_component blow, other;
    sett_entity e[ENTITIES];
    sett_ring* ring;
    uint32_t heard;
    uint32_t called;
} s;

static void hear(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)user;
    CHECK_EQ(((const Blow*)value)->bytes[0], 1);
    s.heard++;
}

static void call(sett_world* world, void* data)
{
    CHECK(world == s.world);
    CHECK_EQ(((const Blow*)data)->bytes[599], 7);
    s.called++;
}

static void begin(void)
{
    memset(&s, 0, sizeof(s));
    s.world = scarce_world(&s.memory);
    s.blow = sett_component_register(s.world, &(sett_component_desc){SETT_TYPE(Blow)});
    s.other = sett_component_register(s.world, &(sett_component_desc){.name = "o", .size = 40});
    CHECK_EQ(sett_entity_create_many(s.world, ENTITIES, NULL, 0, NULL, s.e), SETT_OK);
}

/* The step with so much memory; returns whether it was done. */
static bool try(size_t left, bool (*step)(void))
{
    scarce_squeeze(&s.world->pool, &s.memory, left);
    s.memory.strict = true;
    bool done = step();
    sett_status status = sett_world_error(s.world);
    scarce_give_back(&s.world->pool, &s.memory);
    CHECK(done || status == SETT_STATUS_OUT_OF_MEMORY);
    CHECK_VALID(s.world);
    s.memory.failures += !done;
    return done;
}

static void run(bool (*step)(void))
{
    bool done = false;
    for (size_t left = 0; left < SCARCE_MOST && !done; left += left < 4096 ? 64 : 1024) {
        done = try(left, step);
    }
    CHECK(done);
    CHECK(s.memory.failures != 0);
}

static bool step_event(void)
{
    Blow blow = {{1}};
    return sett_event_send(s.world, s.e[1], SETT_ROUTE_UP, s.blow, &blow) == SETT_OK;
}

static void events_with_large_payloads_fail_before_they_are_heard(void)
{
    begin();
    CHECK_EQ(sett_hierarchy_attach(s.world, s.e[1], s.e[0]), SETT_OK);
    CHECK(sett_observer_create(
              s.world, &(sett_observer_desc){.component = s.blow, .on_event = hear}) != NULL);
    run(step_event);
    CHECK_EQ(s.heard, 2); /* by the entity and its parent, once each */
    scarce_end(&s.memory, s.world);
}

static bool step_ring(void)
{
    return sett_ring_take(s.ring) == SETT_OK;
}

static void rings_fail_whole(void)
{
    begin();
    s.ring = sett_ring_create(s.world, 3);
    CHECK(s.ring != NULL);
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t count = sett_ring_count(s.ring);
        uint32_t failures = s.memory.failures;
        bool done = false;
        for (size_t left = 0; left < SCARCE_MOST && !done; left += left < 4096 ? 64 : 1024) {
            done = try(left, step_ring);
            CHECK(done || sett_ring_count(s.ring) == count);
        }
        CHECK(done && failures <= s.memory.failures);
        CHECK_EQ(sett_ring_count(s.ring), count < 3 ? count + 1 : 3);
        CHECK(sett_add(s.world, s.e[k], s.other) != NULL);
    }
    CHECK(s.memory.failures != 0);
    CHECK_EQ(sett_ring_restore(s.ring, 2), SETT_OK);
    CHECK_EQ(sett_component_count(s.world, s.other), 5);
    scarce_end(&s.memory, s.world);
}

static sett_status import(sett_world* world)
{
    (void)world;
    s.called++;
    return SETT_OK;
}

static bool step_import(void)
{
    return sett_module_import(s.world, "a module with a name that is long enough", import) ==
           SETT_OK;
}

static void modules_are_imported_once(void)
{
    begin();
    run(step_import);
    CHECK_EQ(s.called, 1);
    CHECK(step_import());
    CHECK_EQ(s.called, 1);
    scarce_end(&s.memory, s.world);
}

/* Calls that are recorded with a copy of their data: what fails is reported, and the others run. */
static void recorded_calls_run_or_are_reported(void)
{
    uint32_t missed = 0;
    for (size_t left = 0; left < 4000; left += 64) {
        begin();
        Blow blow = {{0}};
        blow.bytes[599] = 7;
        sett_commands* commands = sett_commands_here(s.world);
        for (uint32_t k = 0; k < 3; k++) {
            CHECK_EQ(sett_cmd_call(commands, call, &blow, sizeof(blow)), SETT_OK);
        }
        scarce_squeeze(&s.world->pool, &s.memory, left);
        s.memory.strict = true;
        sett_status status = sett_commands_apply(commands);
        scarce_give_back(&s.world->pool, &s.memory);
        CHECK_VALID(s.world);
        CHECK_EQ(status == SETT_OK, s.called == 3);
        CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
        missed += s.called != 3;
        scarce_end(&s.memory, s.world);
    }
    CHECK(missed != 0);
}

/* Texts that no name has any more are tidied up when there is memory for it: names stay. */
static void names_survive_tidying_without_memory(void)
{
    for (size_t left = 0; left < 20000; left += 700) {
        char name[80];
        begin();
        for (uint32_t round = 0; round < 3; round++) {
            for (uint32_t k = 0; k < ENTITIES; k++) {
                snprintf(name, sizeof(name), "name %u in round %u, which is a long one", k, round);
                CHECK_EQ(sett_name_set(s.world, s.e[k], name), SETT_OK);
            }
        }
        scarce_squeeze(&s.world->pool, &s.memory, left);
        s.memory.strict = true;
        sett_status status = sett_world_trim(s.world);
        scarce_give_back(&s.world->pool, &s.memory);
        CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
        CHECK_VALID(s.world);
        for (uint32_t k = 0; k < ENTITIES; k++) {
            snprintf(name, sizeof(name), "name %u in round 2, which is a long one", k);
            CHECK_STR_EQ(sett_name_get(s.world, s.e[k]), name);
            CHECK_ENTITY_EQ(sett_name_find(s.world, sett_null(), name), s.e[k]);
        }
        scarce_end(&s.memory, s.world);
    }
}

TEST_MAIN(TEST(events_with_large_payloads_fail_before_they_are_heard), TEST(rings_fail_whole),
          TEST(modules_are_imported_once), TEST(recorded_calls_run_or_are_reported),
          TEST(names_survive_tidying_without_memory))
