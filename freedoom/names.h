/* names.h - what people call things: E1M1, and in it "door 1", "lift 2". */
#ifndef FREEDOOM_NAMES_H
#define FREEDOOM_NAMES_H

#include "simulation.h"

/* Names a map, and those of its sectors that can move. Returns false when memory runs out. */
bool names_give(Simulation* sim, uint32_t arena);

#endif
