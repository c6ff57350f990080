/* sett_schedule_watch: each step of a frame is reported, in order, and shows what it changed. */
#include "worlds.h"

typedef struct Count {
    int number;
} Count;

enum {
    Count_id = 1,
    Mark_id
};

static void add(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Count)[i].number += 1;
        sett_cmd_add(context->commands, sett_batch_entity(b, i), Mark_id);
    }
}

static void twice(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Count)[i].number *= 2;
    }
}

typedef struct steps {
    sett_entity entity;
    char text[256];
} steps;

static void note(sett_world* world, sett_system* system, bool commands, void* user)
{
    steps* all = user;
    size_t at = strlen(all->text);
    (void)snprintf(all->text + at, sizeof(all->text) - at, "%s%s %d %d; ",
                   system != NULL ? sett_system_name(system) : "-", commands ? " commands" : "",
                   SETT_GET(world, all->entity, Count)->number,
                   sett_has(world, all->entity, Mark_id));
}

static void each_step_is_reported(void)
{
    sett_world* world = quiet_world();
    steps all = {.text = ""};
    CHECK_EQ(SETT_REGISTER(world, Count), Count_id);
    CHECK_EQ(SETT_REGISTER_TAG(world, Mark), Mark_id);
    all.entity = SETT_CREATE(world, SETT_VALUE(Count, .number = 3));
    CHECK(SETT_SYSTEM(world, add, .terms = {SETT_INOUT(Count)}) != NULL);
    CHECK(SETT_SYSTEM(world, twice, .terms = {SETT_INOUT(Count)}) != NULL);
    CHECK_EQ(sett_schedule_watch(world, note, &all), SETT_OK);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_STR_EQ(all.text, "add 4 0; twice 8 0; add commands 8 1; ");
    CHECK_EQ(sett_schedule_watch(world, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_STR_EQ(all.text, "add 4 0; twice 8 0; add commands 8 1; ");
    CHECK_END(world);
}

static void systems_are_listed(void)
{
    sett_world* world = quiet_world();
    CHECK_PTR_EQ(sett_system_next(world, NULL), NULL);
    CHECK_EQ(SETT_REGISTER(world, Count), Count_id);
    CHECK_EQ(SETT_REGISTER_TAG(world, Mark), Mark_id);
    sett_system* first = SETT_SYSTEM(world, add, .terms = {SETT_INOUT(Count)});
    sett_system* then = SETT_SYSTEM(world, twice, .terms = {SETT_INOUT(Count)});
    CHECK_PTR_EQ(sett_system_next(world, NULL), first);
    CHECK_PTR_EQ(sett_system_next(world, first), then);
    CHECK_PTR_EQ(sett_system_next(world, then), NULL);
    sett_system_stats stats;
    sett_system_stats_get(then, &stats);
    CHECK_PTR_EQ(stats.waits_for, first);
    CHECK_EQ(stats.waits_on, Count_id);
    CHECK(!sett_world_is_replaying(world));
    sett_world_set_replaying(world, true);
    CHECK(sett_world_is_replaying(world));
    CHECK_END(world);
}

TEST_MAIN(TEST(each_step_is_reported), TEST(systems_are_listed))
