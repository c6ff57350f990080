/* test_rewind.c - back and forth in time; names; and a map that goes with all that is in it. */
#include "battle.h"
#include "rewind.h"
#include "special_table.h"

#include "sett/hierarchy.h"
#include "sett/name.h"

static void start(Simulation* sim, uint32_t workers)
{
    static const char* const maps[] = {"E1M1", "E2M2"};
    battle_start(sim, maps, 2, 1, workers);
}

/* --- time ------------------------------------------------------------------------------------- */

static void record(Rewind* rewind, Simulation* sim, uint32_t ticks)
{
    Fault fault;
    for (uint32_t i = 0; i < ticks; i++) {
        CHECK_MSG(rewind_step(rewind, sim, &fault), "%s", fault.text);
    }
}

static void start_recording(Rewind* rewind, Simulation* sim, uint32_t workers)
{
    Fault fault;
    start(sim, workers);
    CHECK_MSG(rewind_init(rewind, sim, &fault), "%s", fault.text);
}

static void replay_ends_where_it_ended(void)
{
    Simulation sim;
    Rewind rewind;
    Fault fault;
    start_recording(&rewind, &sim, 2);
    record(&rewind, &sim, 400);
    uint64_t hash = sett_world_hash(sim.world);
    CHECK_MSG(rewind_check(&rewind, &sim, &fault), "%s", fault.text);
    /* Ten seconds are kept from the last full second on. */
    CHECK_EQ(rewind.ticks, REWIND_TICKS - SIMULATION_TICKS_A_SECOND + 400 % 35 + 0u);
    CHECK_EQ(sim.dice.tick, 400);
    CHECK_EQ(sett_world_hash(sim.world), hash);
    CHECK_VALID(sim.world);
    simulation_deinit(&sim);
}

/* A past that was changed leads elsewhere, and the check says so. */
static void another_past_is_noticed(void)
{
    Simulation sim;
    Rewind rewind;
    Fault fault = {""};
    start_recording(&rewind, &sim, 1);
    record(&rewind, &sim, 40);
    SETT_GET_MUT(sim.world, sim.game, Game)->events[EVENT_DOOR] += 1;
    CHECK(!rewind_check(&rewind, &sim, &fault));
    CHECK(strstr(fault.text, "another state") != NULL);
    simulation_deinit(&sim);
}

static void nothing_is_kept_of_nothing(void)
{
    Simulation sim;
    Rewind rewind;
    Fault fault;
    start_recording(&rewind, &sim, 1);
    CHECK_MSG(rewind_check(&rewind, &sim, &fault), "%s", fault.text);
    CHECK_EQ(rewind.ticks, 0);
    simulation_deinit(&sim);
}

/* Every other second is not recorded until all are; the last ten are all there. */
static void recording_is_compared_with_none(void)
{
    Simulation sim;
    Rewind rewind;
    Fault fault;
    double share;
    start_recording(&rewind, &sim, 1);
    CHECK(!rewind_overhead(&rewind, &share));
    rewind.compare_until = 4 * SIMULATION_TICKS_A_SECOND;
    record(&rewind, &sim, 14 * SIMULATION_TICKS_A_SECOND);
    CHECK_EQ(rewind.samples[0].seconds, 2);
    CHECK_EQ(rewind.samples[1].seconds, 2);
    CHECK(rewind.samples[1].kept > rewind.samples[0].kept);
    CHECK(rewind_overhead(&rewind, &share));
    CHECK_MSG(rewind_check(&rewind, &sim, &fault), "%s", fault.text);
    CHECK_EQ(rewind.ticks, REWIND_TICKS);
    CHECK(rewind.back[0] != 0 && rewind.back[1] != 0);
    simulation_deinit(&sim);
}

/* A disturbed tick here and there does not count, and one that is always longer does. */
static void overhead_is_that_of_typical_ticks(void)
{
    Rewind rewind = {.ring = NULL};
    double share;
    for (uint32_t kind = 0; kind < 2; kind++) {
        RewindSample* sample = &rewind.samples[kind];
        sample->seconds = 5;
        for (uint32_t k = 0; k < SIMULATION_TICKS_A_SECOND * sample->seconds; k++) {
            uint64_t longer = kind == 1 && k / 5 == 0 ? 70000 : 0;
            sample->times[k / 5][k % 5] = 100000 + longer + (k % 5 == k / 5 % 2 ? 900000 : 0);
        }
    }
    CHECK(rewind_overhead(&rewind, &share));
    CHECK_EQ((int)(share * 1e4 + 0.5), 200); /* 0.7 of one tick in 35 */
    rewind.samples[0].kept = 10;
    rewind.samples[1].kept = 50;
    CHECK(rewind_overhead(&rewind, &share));
    CHECK_EQ((int)(share * 1e4 + 0.5), 250);
}

/* --- names ------------------------------------------------------------------------------------ */

static void doors_have_names(void)
{
    Simulation sim;
    char path[64];
    start(&sim, 1);
    sett_entity door = sett_name_lookup(sim.world, sett_null(), "E1M1/door 1");
    const Sector* sector = SETT_FIND(sim.world, door, Sector);
    CHECK(sector != NULL);
    CHECK_EQ(sector->arena, 0);
    sett_name_path(sim.world, door, path, sizeof path);
    CHECK(strcmp(path, "E1M1/door 1") == 0);
    CHECK(sett_is_null(sett_name_lookup(sim.world, sett_null(), "E1M1/door 1000")));
    CHECK(!sett_is_null(sett_name_lookup(sim.world, sett_null(), "E2M2/door 1")));
    /* A line leads there, by itself or by its tag. */
    const Level* level = &sim.arenas[0].level;
    uint32_t lines = 0;
    for (uint32_t i = 0; i < level->map.line_count; i++) {
        uint16_t tag = level->map.lines[i].tag;
        bool behind = level->lines[i].back == sector->number;
        bool tagged = tag != 0 && tag == level->map.sectors[sector->number].tag;
        bool works = special_find(level->map.lines[i].special)->trigger != TRIGGER_NONE;
        lines += works && (behind || tagged) ? 1 : 0;
    }
    CHECK(lines > 0);
    simulation_deinit(&sim);
}

static void map_goes_with_all_that_is_in_it(void)
{
    Simulation sim;
    start(&sim, 1);
    battle_run(&sim, 100); /* so that something has been dropped */
    uint32_t first = 0, all = 0, cursor = 0;
    for (sett_entity e = sett_entity_next(sim.world, &cursor); !sett_is_null(e);
         e = sett_entity_next(sim.world, &cursor)) {
        bool below = sett_hierarchy_is_descendant(sim.world, e, sim.arenas[0].map);
        const Place* place = SETT_FIND(sim.world, e, Place);
        bool stays =
            place != NULL && !SETT_HAS(sim.world, e, Spark) && !SETT_HAS(sim.world, e, Missile);
        if (stays) {
            CHECK_EQ(below, place->arena == 0);
        }
        first += below ? 1 : 0;
        all++;
    }
    CHECK(first > 238 + 812 + 133);
    CHECK_EQ(sett_entity_destroy(sim.world, sim.arenas[0].map), SETT_OK);
    CHECK_EQ(sett_entity_count(sim.world), all - first - 1);
    CHECK_VALID(sim.world);
    CHECK_EQ(sett_component_count(sim.world, Map_id), 1);
    simulation_deinit(&sim);
}

TEST_MAIN(TEST(replay_ends_where_it_ended), TEST(another_past_is_noticed),
          TEST(nothing_is_kept_of_nothing), TEST(recording_is_compared_with_none),
          TEST(overhead_is_that_of_typical_ticks), TEST(doors_have_names),
          TEST(map_goes_with_all_that_is_in_it))
