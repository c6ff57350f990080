/* trial.h - what a page and this machine have to agree about; and what can be timed on both. */
#ifndef FREEDOOM_TRIAL_H
#define FREEDOOM_TRIAL_H

#include "simulation.h"

#define TRIAL_MAPS 68u

/* The worlds of these files. */
typedef struct Trial {
    const char* const* wads;
    uint32_t wad_count;
} Trial;

/* Plays a random script (script.h) for so many ticks, rewinds, plays what remained once more in a
 * second world, and gives the hash of all its ticks. Each tenth script has all maps, the others one
 * map each, in turn. */
bool trial_script(const Trial* trial, uint32_t number, uint32_t ticks, uint64_t* hash,
                  Fault* fault);

/* All maps; to be gone on with. */
bool trial_open(const Trial* trial, Simulation* sim, uint32_t seed, Fault* fault);
bool trial_simulate(Simulation* sim, uint32_t ticks, Fault* fault);

/* Positions += velocities * seconds: nanoseconds for one entity. As structs of x and y, or as plain
 * numbers, of which there are two an entity. */
float trial_march(uint32_t entities, uint32_t rounds, bool numbers);

#endif
