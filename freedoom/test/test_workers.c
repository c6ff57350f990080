/* test_workers.c - the battle is the same for any number of threads.
 *
 * FREEDOOM_TICKS is how long it lasts (150), FREEDOOM_ROUNDS how often it is played (1). */
#include "battle.h"

#include "sett/state.h"

static uint64_t hash_after(uint32_t workers, uint64_t ticks)
{
    static const char* const maps[] = {"E1M2", "E2M4", "E3M3", "E4M2"};
    Simulation sim;
    battle_start(&sim, maps, 4, 1, workers);
    battle_run(&sim, ticks);
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
