/* collide.h - whether a body fits somewhere, and what it would stand on.
 *
 * A body is an upright box: a square of twice its radius, as high as its height. */
#ifndef FREEDOOM_COLLIDE_H
#define FREEDOOM_COLLIDE_H

#include "level.h"

#define COLLIDE_STEP fixed_from_int(24) /* the highest step that can be climbed, or dared down */

#define COLLIDE_SPECIALS 4u /* more lines at one place are skipped */

/* How something gets about. */
typedef enum CollideGait {
    COLLIDE_WALKS,
    COLLIDE_FLIES,
    COLLIDE_LEAPS, /* walks, and is not afraid of heights */
} CollideGait;

/* What lies under and above a box. */
typedef struct CollideFooting {
    Fixed floor;     /* highest floor under it: it stands on this */
    Fixed ceiling;   /* lowest ceiling above it */
    Fixed low_floor; /* lowest floor under it: how deep a part of it hangs over */
    uint16_t sector; /* under its centre */
    bool blocked;    /* a line that lets nothing through touches it */
    uint8_t special_count;
    uint16_t specials[COLLIDE_SPECIALS]; /* lines that touch it and may do something */
} CollideFooting;

/* Looks at a place; `blocking` are the WAD_LINE_BLOCKS* flags that stop this body.
 * Cost: O(lines in the cells it touches). */
CollideFooting collide_footing(const Level* level, const LevelHeights* heights, Fixed x, Fixed y,
                               Fixed radius, uint16_t blocking);

/* Whether any part of a box is over a sector. */
bool collide_touches(const Level* level, Fixed x, Fixed y, Fixed radius, uint16_t sector);

/* Whether a body that is now at height *z fits there and gets there by itself: no step of more than
 * COLLIDE_STEP, up or (if it walks) down. Sets *z to its height there. */
bool collide_enter(const CollideFooting* footing, Fixed* z, Fixed height, CollideGait gait);

#endif
