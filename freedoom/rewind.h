/* rewind.h - the last seconds of the game, kept: back to their beginning, and forward again.
 *
 * Kept is the state of once a second; the ticks between can be played again, for the game does
 * always the same. (Every tick would do as well, for rollback over a few: 350 of them are 1.1 GB,
 * since in each a fifth of all pages is written.) */
#ifndef FREEDOOM_REWIND_H
#define FREEDOOM_REWIND_H

#include "simulation.h"

#include "sett/state.h"

#define REWIND_SECONDS 10u
#define REWIND_TICKS (REWIND_SECONDS * SIMULATION_TICKS_A_SECOND)
#define REWIND_SAMPLES 32u

/* Seconds of one kind, recorded or not: nanoseconds of their ticks, by their place in the second,
 * and bytes that came to be kept in all of them. */
typedef struct RewindSample {
    uint64_t times[SIMULATION_TICKS_A_SECOND][REWIND_SAMPLES];
    uint32_t seconds;
    uint64_t kept;
} RewindSample;

typedef struct Rewind {
    sett_ring* ring; /* NULL: nothing is kept */
    /* Until this tick every other second is not recorded, which tells what recording costs: that is
     * little, and less than the difference between two runs. */
    uint32_t compare_until;
    RewindSample samples[2]; /* of seconds not recorded, and recorded */
    size_t size_before;      /* bytes kept when the second began */
    uint64_t hashes[REWIND_TICKS];

    /* What came of going back. */
    uint32_t ticks;   /* so many */
    uint64_t back[2]; /* nanoseconds that it took, the first time and the second */
    size_t size;      /* bytes that were kept */
    bool same;        /* each tick ended as it had before */
} Rewind;

bool rewind_init(Rewind* rewind, Simulation* sim, Fault* fault);

/* As simulation_step, and keeps what was before. */
bool rewind_step(Rewind* rewind, Simulation* sim, Fault* fault);

/* What recording adds to the time of a tick, as a share of it. False while nothing was compared. */
bool rewind_overhead(const Rewind* rewind, double* share);

/* Goes back as far as it can and plays the ticks again, twice: both times they have to end in the
 * same states, and the last of them in the one that the game is in now. */
bool rewind_check(Rewind* rewind, Simulation* sim, Fault* fault);

#endif
