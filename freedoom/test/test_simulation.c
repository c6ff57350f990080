/* test_simulation.c - the battle is the same each time, stays sound, and is what its systems
 * say. */
#include "battle.h"
#include "census.h"

#include "sett/state.h"

static uint64_t event_count(const Simulation* sim, int event)
{
    return SETT_GET(sim->world, sim->game, Game)->events[event];
}

static uint64_t hash_of(const Simulation* sim)
{
    return sett_world_hash(sim->world);
}

static uint64_t hash_after(const char* const* maps, uint32_t map_count, uint64_t seed)
{
    Simulation sim;
    battle_start(&sim, maps, map_count, seed, 1);
    battle_run(&sim, 140);
    uint64_t hash = hash_of(&sim);
    simulation_deinit(&sim);
    return hash;
}

static void same_seed_same_battle(void)
{
    static const char* const maps[] = {"E1M4"};
    uint64_t hash = hash_after(maps, 1, 1);
    CHECK_EQ(hash, hash_after(maps, 1, 1));
    CHECK(hash != hash_after(maps, 1, 2));
}

static void everything_on_the_map_is_an_entity(void)
{
    static const char* const maps[] = {"E1M1", "E1M2"};
    Simulation sim;
    battle_start(&sim, maps, 2, 1, 1);
    CHECK_EQ(sett_component_count(sim.world, Map_id), 2);
    CHECK_EQ(sett_component_count(sim.world, Thing_id), 238 + 321 + 8);
    CHECK_EQ(sett_component_count(sim.world, Player_id), 2 * 4); /* the others of the things */
    CHECK_EQ(sett_component_count(sim.world, Line_id), 812 + 2080);
    CHECK_EQ(sett_component_count(sim.world, Sector_id), 133 + 318);
    CHECK_EQ(sett_entity_count(sim.world), 1 + 2 + 238 + 321 + 8 + 812 + 2080 + 133 + 318);
    simulation_deinit(&sim);
}

/* Counts the entities that match; `desc` is a query that should find none, or should. */
static uint32_t count_matches(const Simulation* sim, sett_query_desc desc)
{
    sett_query* query = sett_query_create(sim->world, &desc);
    CHECK(query != NULL);
    uint32_t count = sett_query_count(query);
    sett_query_destroy(query);
    return count;
}

static void check_kinds(const Simulation* sim)
{
    /* Nothing of the living is left on the dead. */
    CHECK_EQ(
        count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Corpse), SETT_WITH(Monster)}}), 0);
    CHECK_EQ(count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Corpse), SETT_WITH(Walk)}}),
             0);
    CHECK_EQ(count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Corpse), SETT_WITH(Target)}}),
             0);
    CHECK_EQ(count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Corpse), SETT_WITH(Body)}}),
             0);
    CHECK_EQ(
        count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Corpse), SETT_WITH(Velocity)}}),
        0);
    /* Who lives can be hurt, and who can be hurt takes up room. */
    CHECK_EQ(
        count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Monster), SETT_WITHOUT(Health)}}),
        0);
    CHECK_EQ(
        count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Health), SETT_WITHOUT(Body)}}), 0);
    CHECK_EQ(
        count_matches(sim, (sett_query_desc){.terms = {SETT_WITH(Charge), SETT_WITHOUT(Velocity)}}),
        0);
    /* The dying do not outlive their tick. */
    CHECK_EQ(sett_component_count(sim->world, Dying_id), 0);
}

/* A body that did not begin in a wall stands in none, and each is in the sector that is
 * noted. */
static void check_places(const Simulation* sim)
{
    sett_query_desc desc = {.terms = {SETT_IN(Position), SETT_IN(Place)}};
    sett_query* query = sett_query_create(sim->world, &desc);
    CHECK(query != NULL);
    SETT_QUERY_EACH(query, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            const Level* level = &sim->arenas[place[i].arena].level;
            CHECK_EQ(place[i].sector, level_sector_at(level, position[i].x, position[i].y));
        }
    }
    sett_query_destroy(query);
}

static void world_stays_sound(void)
{
    static const char* const maps[] = {"E2M3", "E4M7"};
    Simulation sim;
    battle_start(&sim, maps, 2, 3, 1);
    CHECK_VALID(sim.world);
    for (int i = 0; i < 20; i++) {
        battle_run(&sim, 20);
        CHECK_VALID(sim.world);
        check_kinds(&sim);
        check_places(&sim);
    }
    CHECK(event_count(&sim, EVENT_SHOT) > 0);
    CHECK(event_count(&sim, EVENT_HIT) > 0);
    CHECK(event_count(&sim, EVENT_DEATH) > 0);
    CHECK_EQ(sett_component_count(sim.world, Corpse_id) > 0, true);
    simulation_deinit(&sim);
}

static void trace_prints_what_is_counted(void)
{
    static const char* const maps[] = {"E1M2"};
    Simulation sim;
    battle_start(&sim, maps, 1, 1, 1);
    uint64_t lines = 0, deaths = 0, events = 0;
    char line[256];
    sim.trace = tmpfile();
    CHECK(sim.trace != NULL);
    battle_run(&sim, 200);
    rewind(sim.trace);
    while (fgets(line, sizeof line, sim.trace) != NULL) {
        lines++;
        deaths += strstr(line, "\tE1M2\tdeath\t") != NULL ? 1 : 0;
    }
    for (int event = 0; event < EVENT_COUNT; event++) {
        events += event_count(&sim, event);
    }
    CHECK(events > 0);
    CHECK_EQ(lines, events);
    CHECK_EQ(deaths, event_count(&sim, EVENT_DEATH));
    fclose(sim.trace);
    simulation_deinit(&sim);
}

static void hash_sees_every_change(void)
{
    static const char* const maps[] = {"E1M1"};
    Simulation sim;
    battle_start(&sim, maps, 1, 1, 1);
    battle_run(&sim, 35);
    uint64_t before = hash_of(&sim);
    sett_entity entity = sett_null();
    uint32_t cursor = 0;
    while (!SETT_HAS(sim.world, entity, Walk)) {
        entity = sett_entity_next(sim.world, &cursor);
        CHECK(!sett_is_null(entity));
    }
    SETT_GET_MUT(sim.world, entity, Position)->x ^= 1;
    CHECK(hash_of(&sim) != before);
    SETT_GET_MUT(sim.world, entity, Position)->x ^= 1;
    CHECK_EQ(hash_of(&sim), before);
    sett_add(sim.world, entity, Dying_id); /* a tag has no value, but counts */
    CHECK(hash_of(&sim) != before);
    sett_remove(sim.world, entity, Dying_id);
    CHECK_EQ(hash_of(&sim), before);
    sett_entity_destroy(sim.world, sett_entity_create(sim.world));
    CHECK(hash_of(&sim) != before); /* the next entity gets another handle */
    simulation_deinit(&sim);
}

/* Maps that were damaged but are sound in themselves: monsters at the end of the world, floors
 * above ceilings. They make no sense and have to be simulated all the same. */
static void damaged_maps_can_be_played(void)
{
    static const char* const names[] = {"E3M2"};
    WadCut cut = wad_cut_make(WAD_CUT_FIRST, names, 1);
    uint8_t* bytes = malloc(cut.size);
    CHECK(bytes != NULL);
    uint64_t seed = check_setting("SETT_SEED", 1);
    uint64_t trials = check_setting("FREEDOOM_PLAYED", 100), played = 0;
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint64_t random = seed + trial * 7919;
        Wad wad;
        WadMap map;
        Level level;
        Simulation sim;
        Fault fault;
        memcpy(bytes, cut.bytes, cut.size);
        /* Things, vertices and heights: numbers of which none is wrong. */
        for (int i = 0; i < 60; i++) {
            uint32_t lump = (uint32_t[]){1, 4, 8}[wad_cut_random(&random, 3)];
            uint32_t size = wad_cut_get(wad_cut_entry(&cut, lump) + 4, 4);
            uint32_t at = wad_cut_random(&random, size / 2) * 2;
            wad_cut_put(bytes + wad_cut_get(wad_cut_entry(&cut, lump), 4) + at,
                        wad_cut_random(&random, 3) == 0 ? 0x8000u - wad_cut_random(&random, 2)
                                                        : wad_cut_random(&random, 0x10000),
                        2);
        }
        CHECK_MSG(wad_open_memory(&wad, "damaged.wad", bytes, cut.size, &fault), "%s", fault.text);
        CHECK_MSG(wad_read_map(&wad, 0, &map, &fault), "%s", fault.text);
        CHECK_MSG(level_open(&level, &map, &fault), "%s", fault.text);
        CHECK_MSG(simulation_init(&sim, &level, 1, trial, 1, NULL, &fault), "%s", fault.text);
        battle_run(&sim, 60);
        played += event_count(&sim, EVENT_SHOT) > 0 ? 1 : 0;
        simulation_deinit(&sim);
        wad_close(&wad);
    }
    printf("  seed %llu: %llu of %llu with a fight\n", (unsigned long long)seed,
           (unsigned long long)played, (unsigned long long)trials);
    CHECK(played > trials / 10);
    free(bytes);
    free(cut.bytes);
}

TEST_MAIN(TEST(same_seed_same_battle), TEST(everything_on_the_map_is_an_entity),
          TEST(world_stays_sound), TEST(trace_prints_what_is_counted), TEST(hash_sees_every_change),
          TEST(damaged_maps_can_be_played))
