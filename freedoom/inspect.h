/* inspect.h - the game with a window into it: a browser, by Sett's inspector. */
#ifndef FREEDOOM_INSPECT_H
#define FREEDOOM_INSPECT_H

#include "simulation.h"

/* Plays until a tick, 35 a second, as the inspector says. `explorer`: a folder with a copy of the
 * flecs explorer, or NULL. Fails where it was not built. */
bool inspect_play(Simulation* sim, uint32_t ticks, const char* explorer, Fault* fault);

#endif
