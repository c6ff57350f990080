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

typedef struct Rewind {
    sett_ring* ring;              /* NULL: nothing is kept */
    uint64_t times[REWIND_TICKS]; /* nanoseconds of the latest ticks; by tick, modulo */
    uint64_t hashes[REWIND_TICKS];

    /* What came of going back. */
    uint32_t ticks;    /* so many */
    uint64_t back;     /* nanoseconds that it took */
    uint64_t recorded; /* nanoseconds of these ticks when they were recorded, */
    uint64_t replayed; /* and when they were played again and not recorded */
    size_t size;       /* bytes that were kept */
    bool same;         /* each tick ended as it had before */
} Rewind;

bool rewind_init(Rewind* rewind, Simulation* sim, Fault* fault);

/* As simulation_step, and keeps what was before. */
bool rewind_step(Rewind* rewind, Simulation* sim, Fault* fault);

/* Goes back as far as it can and plays the ticks again, twice: both times they have to end in the
 * same states, and the last of them in the one that the game is in now. */
bool rewind_check(Rewind* rewind, Simulation* sim, Fault* fault);

#endif
