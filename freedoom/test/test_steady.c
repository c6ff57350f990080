/* test_steady.c - after a while the game asks for no more memory, however long it goes on.
 *
 * FREEDOOM_STEADY is how many ticks it goes on (400), FREEDOOM_ALL=1 takes all maps. */
#include "battle.h"

#define STEADY_WARM_UP 500u /* ticks */

/* Gives nothing any more once it is shut. */
typedef struct Purse {
    uint64_t calls;
    bool shut;
} Purse;

static void* purse_alloc(void* user, size_t size, size_t align)
{
    Purse* purse = user;
    purse->calls++;
    size_t least = align < sizeof(void*) ? sizeof(void*) : align;
    return purse->shut ? NULL : aligned_alloc(least, (size + least - 1) & ~(least - 1));
}

static void purse_free(void* user, void* old, size_t size, size_t align)
{
    (void)user;
    (void)size;
    (void)align;
    free(old);
}

static void start(Simulation* sim, bool all, const sett_allocator* allocator)
{
    static const char* const maps[] = {"E1M2", "E2M4", "E3M3", "E4M2"};
    Atlas atlas = {0};
    Fault fault;
    CHECK_MSG(atlas_add(&atlas, WAD_CUT_FIRST, maps, all ? 0 : 4, &fault), "%s", fault.text);
    if (all) {
        CHECK_MSG(atlas_add(&atlas, WAD_CUT_SECOND, NULL, 0, &fault), "%s", fault.text);
    }
    CHECK_MSG(simulation_init(sim, atlas.levels, atlas.count, 1, 1, allocator, &fault), "%s",
              fault.text);
    atlas_deinit(&atlas);
}

static void game_asks_for_nothing(void)
{
    uint64_t ticks = check_setting("FREEDOOM_STEADY", 400);
    Simulation sim;
    Purse purse = {0};
    sett_allocator allocator = {purse_alloc, purse_free, &purse, NULL};
    start(&sim, check_setting("FREEDOOM_ALL", 0) != 0, &allocator);
    battle_run(&sim, STEADY_WARM_UP);
    uint64_t calls = purse.calls;
    uint32_t crowd = sim.crowd.capacity;
    purse.shut = true;
    battle_run(&sim, ticks);
    CHECK_EQ(purse.calls, calls);
    CHECK_EQ(sim.crowd.capacity, crowd);
    simulation_deinit(&sim);
}

TEST_MAIN(TEST(game_asks_for_nothing))
