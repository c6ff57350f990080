/* picture.h - a map and all that is on it, seen from above, as a PNG file. */
#ifndef FREEDOOM_PICTURE_H
#define FREEDOOM_PICTURE_H

#include "canvas.h"
#include "simulation.h"

/* Draws one of the maps as it is now. Returns false if the file cannot be written. */
bool picture_write(const Simulation* sim, uint32_t arena, const char* path, Fault* fault);

/* Where a map lies on a picture. */
typedef struct PicturePlan {
    float left, top; /* map units at the upper left corner */
    float scale;     /* pixels a map unit */
} PicturePlan;

/* Draws the building alone over all of a canvas, as large as fits. Returns false when memory runs
 * out. */
bool picture_draw_plan(const Simulation* sim, uint32_t arena, Canvas* canvas, PicturePlan* plan);

#endif
