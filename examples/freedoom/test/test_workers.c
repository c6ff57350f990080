/* test_workers.c - the battle is the same for any number of threads.
 *
 * FREEDOOM_TICKS is how long it lasts (150), FREEDOOM_ROUNDS how often it is played (1). */
#include "atlas.h"
#include "check.h"
#include "simulation.h"
#include "wad_cut.h"

#include "sett/state.h"

static void start(Simulation* sim, uint32_t workers)
{
    static const char* const maps[] = {"E1M2", "E2M4", "E3M3", "E4M2"};
    Atlas atlas = {0};
    Fault fault;
    CHECK_MSG(atlas_add(&atlas, WAD_CUT_FIRST, maps, 4, &fault), "%s", fault.text);
    CHECK_MSG(simulation_init(sim, atlas.levels, atlas.count, 1, workers, NULL, &fault), "%s",
              fault.text);
    atlas_deinit(&atlas);
}

static void run(Simulation* sim, uint64_t ticks)
{
    Fault fault;
    for (uint64_t i = 0; i < ticks; i++) {
        CHECK_MSG(simulation_step(sim, &fault), "%s", fault.text);
    }
}

static uint64_t hash_after(uint32_t workers, uint64_t ticks)
{
    Simulation sim;
    start(&sim, workers);
    run(&sim, ticks);
    uint64_t hash = sett_world_hash(sim.world);
    simulation_deinit(&sim);
    return hash;
}

static void workers_change_nothing(void)
{
    uint64_t ticks = check_setting("FREEDOOM_TICKS", 150);
    uint64_t rounds = check_setting("FREEDOOM_ROUNDS", 1);
    uint64_t expected = hash_after(1, ticks);
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint32_t workers = 1; workers <= 8; workers *= 2) {
            CHECK_EQ(hash_after(workers, ticks), expected);
        }
    }
}

TEST_MAIN(TEST(workers_change_nothing))
