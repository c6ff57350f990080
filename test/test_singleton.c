/* test_singleton.c: values of which a world has one. */
#include "scarce.h"
#include "sett/singleton.h"

typedef struct Clock {
    double now;
} Clock;

static void a_world_has_one(void)
{
    sett_world* world = quiet_world();
    sett_component Clock_id = SETT_REGISTER(world, Clock);
    sett_component Paused_id = SETT_REGISTER_TAG(world, Paused);
    CHECK(sett_singleton_find(world, Clock_id) == NULL);
    CHECK_EQ(sett_singleton_remove(world, Clock_id), SETT_STATUS_ABSENT);
    CHECK(strstr(sett_world_message(world), "sett_singleton_remove, component") != NULL);
    CHECK_EQ(sett_entity_count(world), 0);
    Clock* clock = sett_singleton_ensure(world, Clock_id);
    CHECK(clock != NULL);
    clock->now = 3;
    CHECK_PTR_EQ(sett_singleton_ensure(world, Clock_id), clock);
    CHECK_PTR_EQ(sett_singleton_find(world, Clock_id), clock);
    CHECK_PTR_EQ(sett_singleton_find_mut(world, Clock_id), clock);
    CHECK(sett_singleton_find(world, Paused_id) == NULL);
    CHECK(sett_singleton_ensure(world, Paused_id) != NULL);
    CHECK(sett_singleton_set(world, Clock_id, &(Clock){4}) != NULL);
    CHECK(SETT_SINGLETON_FIND(world, Clock)->now == 4);
    CHECK(SETT_SINGLETON_SET(world, Clock, .now = 5)->now == 5);
    SETT_SINGLETON_ENSURE(world, Clock)->now += 1;
    CHECK(SETT_SINGLETON_FIND_MUT(world, Clock)->now == 6);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_EQ(sett_component_count(world, Clock_id), 1);
    CHECK_PTR_EQ(sett_get(world, sett_singletons(world), Clock_id),
                 sett_singleton_find(world, Clock_id));
    CHECK_EQ(sett_singleton_remove(world, Clock_id), SETT_OK);
    CHECK_EQ(sett_singleton_remove(world, Clock_id), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK(sett_singleton_find(world, Paused_id) == NULL);
    CHECK(sett_singleton_ensure(world, Clock_id) != NULL);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

static bool ensure(void* user)
{
    sett_world* world = user;
    return sett_singleton_ensure(world, sett_component_find(world, "Clock")) != NULL;
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    CHECK(SETT_REGISTER(world, Clock) != 0);
    scarce_run(world, &memory, ensure, NULL, world);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK(memory.failures != 0);
    scarce_end(&memory, world);
}

TEST_MAIN(TEST(a_world_has_one), TEST(memory_runs_out))
