/* battle.h - a battle to be tested: begun on maps of the first WAD, and gone on with. */
#ifndef FREEDOOM_BATTLE_H
#define FREEDOOM_BATTLE_H

#include "atlas.h"
#include "simulation.h"
#include "wad_cut.h"
#include "worlds.h"

static inline void battle_start(Simulation* sim, const char* const* maps, uint32_t map_count,
                                uint64_t seed, uint32_t workers)
{
    Atlas atlas = {0};
    Fault fault;
    CHECK_MSG(atlas_add(&atlas, WAD_CUT_FIRST, maps, map_count, &fault), "%s", fault.text);
    CHECK_EQ(atlas.count, map_count);
    CHECK_MSG(simulation_init(sim, atlas.levels, atlas.count, seed, workers, NULL, &fault), "%s",
              fault.text);
    atlas_deinit(&atlas);
}

static inline void battle_run(Simulation* sim, uint64_t ticks)
{
    Fault fault;
    for (uint64_t i = 0; i < ticks; i++) {
        CHECK_MSG(simulation_step(sim, &fault), "%s", fault.text);
    }
}

#endif
