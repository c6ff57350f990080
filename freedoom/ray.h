/* ray.h - what lies on a straight line through a map: can one see, and where does a shot end. */
#ifndef FREEDOOM_RAY_H
#define FREEDOOM_RAY_H

#include "level.h"

typedef struct RayPoint {
    Fixed x, y, z;
} RayPoint;

/* The point after a share (0 to FIXED_ONE) of a way. */
RayPoint ray_point(RayPoint from, RayPoint to, Fixed share);

/* Whether an eye sees any part of a target that stands at x, y and reaches from `low` to `high`. */
bool ray_sees(const Level* level, const LevelHeights* heights, RayPoint eye, Fixed x, Fixed y,
              Fixed low, Fixed high);

/* How far one gets on the way before a wall, a step or a lintel: a share from 0 to FIXED_ONE, where
 * FIXED_ONE means all of it. */
Fixed ray_reach(const Level* level, const LevelHeights* heights, RayPoint from, RayPoint to);

/* Whether the way leads across a line; if so sets *share to where. */
bool ray_meets(const LevelLine* line, RayPoint from, RayPoint to, Fixed* share);

/* Whether nothing passes the line: it has one side only, or no opening at present. */
bool ray_is_shut(const LevelLine* line, const LevelHeights* heights);

#endif
