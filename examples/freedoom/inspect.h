/* inspect.h - the game with a window into it: a browser, by Sett's inspector. */
#ifndef FREEDOOM_INSPECT_H
#define FREEDOOM_INSPECT_H

#include "simulation.h"

/* Plays until a tick, 35 a second, as the inspector says. Fails where it was not built. */
bool inspect_play(Simulation* sim, uint32_t ticks, Fault* fault);

#endif
