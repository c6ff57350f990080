/* populate.h - the things of all maps. */
#ifndef FREEDOOM_POPULATE_H
#define FREEDOOM_POPULATE_H

#include "simulation.h"

/* Makes them, and a player for each start. Returns false when memory runs out. */
bool populate(Simulation* sim);

#endif
