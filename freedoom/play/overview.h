/* overview.h - a map from above, moving: the building as `make run` draws it, and on it who is
 * there. */
#ifndef FREEDOOM_OVERVIEW_H
#define FREEDOOM_OVERVIEW_H

#include "picture.h"
#include "render.h"
#include "sight.h"

typedef struct Overview {
    Canvas canvas;
    PicturePlan plan;
    uint32_t* building;   /* the canvas as pixels, in columns as the renderer's */
    uint32_t arena, tick; /* for which it was drawn */
    bool drawn;
} Overview;

bool overview_init(Overview* overview, int width, int height);
void overview_deinit(Overview* overview);

/* Draws over all of the picture. `ghosts` may be NULL; `self` has a ring around it. Returns false
 * when memory runs out. */
bool overview_draw(Overview* overview, Render* render, const Simulation* sim, const Sight* from,
                   const Sight* to, float share, const Sight* ghosts, sett_entity self);

/* Says what its colours mean, in a corner. */
void overview_draw_legend(Render* render, bool ghosts);

#endif
