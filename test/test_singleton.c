/* test_singleton.c: values of which a world has one. */
#include "scarce.h"
#include "sett/duplicate.h"
#include "sett/prefab.h"
#include "sett/singleton.h"
#include "sett/state.h"
#include "sett/system.h"

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
    CHECK_EQ(sett_world_error(world), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    Clock* clock = sett_singleton_ensure(world, Clock_id);
    CHECK(clock != NULL);
    clock->now = 3;
    CHECK_PTR_EQ(sett_singleton_ensure(world, Clock_id), clock);
    CHECK_PTR_EQ(sett_singleton_find(world, Clock_id), clock);
    CHECK_PTR_EQ(sett_singleton_find_mut(world, Clock_id), clock);
    CHECK_PTR_EQ(sett_singleton_get(world, Clock_id), clock);
    CHECK_PTR_EQ(sett_singleton_get_mut(world, Clock_id), clock);
    CHECK(sett_singleton_get(world, Paused_id) == NULL);
    CHECK(sett_singleton_find(world, Paused_id) == NULL);
    CHECK(sett_singleton_ensure(world, Paused_id) != NULL);
    CHECK(sett_singleton_set(world, Clock_id, &(Clock){4}) != NULL);
    CHECK(SETT_SINGLETON_FIND(world, Clock)->now == 4);
    CHECK(SETT_SINGLETON_SET(world, Clock, .now = 5)->now == 5);
    SETT_SINGLETON_ENSURE(world, Clock)->now += 1;
    CHECK(SETT_SINGLETON_FIND_MUT(world, Clock)->now == 6);
    CHECK(SETT_SINGLETON_GET(world, Clock)->now == 6);
    SETT_SINGLETON_GET_MUT(world, Clock)->now = 7;
    CHECK(SETT_SINGLETON_GET(world, Clock)->now == 7);
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

/* A removal hook that reads a singleton, of an entity that was made before and of one after it. */
static int ended;

static void read_clock(sett_world* world, sett_entity entity, void* value, void* user)
{
    const Clock* clock = sett_singleton_find(world, sett_component_find(world, "Clock"));
    (void)entity;
    (void)value;
    (void)user;
    CHECK(clock != NULL && clock->now > 6.5);
    ended++;
}

static void they_end_last(void)
{
    for (uint32_t way = 0; way < 3; way++) {
        sett_world* world = quiet_world();
        sett_world* copy = quiet_world();
        sett_component_desc desc = {.name = "Reader", .on_remove = read_clock};
        sett_component Clock_id = SETT_REGISTER(world, Clock);
        sett_component reader = sett_component_register(world, &desc);
        CHECK(sett_add(world, sett_entity_create(world), reader) != NULL);
        CHECK(SETT_SINGLETON_SET(world, Clock, .now = 7) != NULL);
        CHECK(sett_add(world, sett_entity_create(world), reader) != NULL);
        CHECK(sett_add(world, sett_singletons(world), reader) != NULL);
        ended = 0;
        if (way == 0) { /* a world that was not the one in which they were made */
            CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
            CHECK_EQ(sett_world_clear(copy), SETT_OK);
            CHECK_EQ(ended, 3);
            ended = 0;
        }
        if (way == 1) {
            CHECK_EQ(sett_world_clear(world), SETT_OK);
            CHECK_EQ(ended, 3);
            CHECK_EQ(sett_entity_count(world), 0);
        }
        sett_world_destroy(world);
        CHECK_EQ(ended, 3);
        sett_world_destroy(copy);
    }
}

static void what_fails_leaves_nothing(void)
{
    sett_world* world = quiet_world();
    sett_component Clock_id = SETT_REGISTER(world, Clock);
    CHECK(sett_singleton_set(world, Clock_id, NULL) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "sett_singleton_set: the value of \"Clock\"") != NULL);
    CHECK(sett_singleton_set(world, 77, &(Clock){1}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_singleton_ensure(world, 77) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(strstr(sett_world_message(world), "sett_singleton_ensure, ") != NULL);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_entity_create(world).generation, 1); /* no entity lived there */
    CHECK(sett_singleton_ensure(world, Clock_id) != NULL);
    CHECK(sett_singleton_set(world, 77, &(Clock){1}) == NULL);
    CHECK(strstr(sett_world_message(world), "sett_singleton_set, ") != NULL);
    CHECK_EQ(sett_singleton_remove(world, 77), SETT_STATUS_UNREGISTERED);
    CHECK(strstr(sett_world_message(world), "sett_singleton_remove, ") != NULL);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_WITH(Clock));
    SETT_QUERY_EACH(query, b) {
        (void)b;
        CHECK_EQ(sett_singleton_remove(world, Clock_id), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "sett_singleton_remove: ") != NULL);
    }
    CHECK_END(world);
}

static bool set(void* user)
{
    sett_world* world = user;
    return sett_singleton_set(world, sett_component_find(world, "Clock"), &(Clock){2}) != NULL;
}

static void nobody_is_there(void* user)
{
    CHECK_EQ(sett_entity_count(user), 0);
}

static void setting_without_memory_leaves_nothing(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    CHECK(SETT_REGISTER(world, Clock) != 0);
    scarce_run(world, &memory, set, nobody_is_there, world);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK(memory.failures != 0);
    scarce_end(&memory, world);
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

static void set_first(sett_context* context)
{
    SETT_SYSTEM_EACH(context, b) {
        (void)b;
        CHECK(sett_singleton_set(context->world, 1, &(int){3}) == NULL);
    }
}

static void the_first_is_not_added_in_a_system(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(sett_component_register(
                 world, &(sett_component_desc){.name = "Score", .id = 1, .size = sizeof(int)}),
             1);
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = "Other", .size = 4});
    CHECK(sett_add(world, sett_entity_create(world), id) != NULL);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "counts",
                                                        .run = set_first,
                                                        .terms = {{.component = id}}}) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    const char* message = sett_world_message(world);
    CHECK_MSG(strstr(message,
                     "there is no singleton \"Score\" yet, and system \"counts\" cannot add "
                     "one - call sett_singleton_ensure before the frame") != NULL,
              "%s", message);
    CHECK_END(world);
}

/* A road by which a program may try to give the tag to another entity. */
static void try_road(sett_world* world, uint32_t road, sett_entity one, sett_entity other)
{
    sett_component tag = SETT_ID_SINGLETONS;
    sett_value value = {.component = tag};
    sett_instantiate_desc with = {.prefab = other, .values = &value, .value_count = 1};
    sett_commands* commands = sett_commands_create(world);
    sett_entity made[2];
    if (road < 3) {
        CHECK((road == 0   ? sett_add(world, other, tag)
               : road == 1 ? sett_ensure(world, other, tag)
                           : sett_set(world, other, tag, NULL)) == NULL);
    } else if (road < 6) {
        CHECK(sett_is_null(road == 3   ? sett_create_with(world, &value, 1)
                           : road == 4 ? sett_duplicate(world, one, NULL)
                                       : sett_instantiate_with(world, &with)));
    } else if (road < 9) {
        CHECK_EQ(road == 6 ? sett_entity_create_many(world, 1, &tag, 1, NULL, made)
                           : sett_instantiate(world, one, road - 6, made),
                 SETT_STATUS_ARGUMENT);
    } else {
        CHECK_EQ(sett_cmd_add(commands, other, tag), SETT_OK);
        (void)sett_commands_apply(commands);
    }
    sett_commands_destroy(commands);
}

static void no_other_entity_gets_the_tag(void)
{
    for (uint32_t road = 0; road < 10; road++) {
        sett_world* world = quiet_world();
        sett_component tag = SETT_ID_SINGLETONS;
        sett_component Clock_id = SETT_REGISTER(world, Clock);
        CHECK(SETT_SINGLETON_SET(world, Clock, .now = 5) != NULL);
        sett_entity one = sett_singletons(world);
        sett_entity other = sett_entity_create(world);
        try_road(world, road, one, other);
        CHECK_MSG(sett_world_error(world) == SETT_STATUS_ARGUMENT, "road %u: %s", (unsigned)road,
                  sett_world_message(world));
        CHECK(strstr(sett_world_message(world), "sett_singletons") != NULL);
        CHECK_EQ(sett_entity_count(world), 2);
        CHECK_VALID(world);
        /* where none has it, one can */
        CHECK_EQ(sett_entity_destroy(world, one), SETT_OK);
        CHECK_EQ(sett_entity_create_many(world, 2, &tag, 1, NULL, NULL), SETT_STATUS_ARGUMENT);
        CHECK(sett_add(world, other, tag) != NULL);
        CHECK_ENTITY_EQ(sett_singletons(world), other);
        CHECK_END(world);
    }
}

TEST_MAIN(TEST(the_first_is_not_added_in_a_system), TEST(a_world_has_one),
          TEST(no_other_entity_gets_the_tag), TEST(they_end_last), TEST(what_fails_leaves_nothing),
          TEST(setting_without_memory_leaves_nothing), TEST(memory_runs_out))
