/* picture.h - a map and all that is on it, seen from above, as a PNG file. */
#ifndef FREEDOOM_PICTURE_H
#define FREEDOOM_PICTURE_H

#include "simulation.h"

/* Draws one of the maps as it is now. Returns false if the file cannot be written. */
bool picture_write(const Simulation* sim, uint32_t arena, const char* path, Fault* fault);

#endif
