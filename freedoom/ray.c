/* ray.c - see ray.h.
 *
 * A ray is compared with lines in sixteenths of a map unit: then the largest cross product has 43
 * bits and its quotient, with 16 more, still fits into an int64_t, so every answer is exact integer
 * arithmetic. A line that lies in several cells is looked at several times; that changes nothing,
 * and saves a mark on each line, which threads would fight over. */
#include "ray.h"

typedef struct Ray {
    int64_t x, y, dx, dy; /* start, way; sixteenths */
} Ray;

static Fixed ray_between(Fixed from, Fixed to, Fixed share)
{
    return (Fixed)(from + ((int64_t)to - from) * share / FIXED_ONE);
}

RayPoint ray_point(RayPoint from, RayPoint to, Fixed share)
{
    return (RayPoint){.x = ray_between(from.x, to.x, share),
                      .y = ray_between(from.y, to.y, share),
                      .z = ray_between(from.z, to.z, share)};
}

static int32_t ray_coarse(Fixed x)
{
    return x >> (FIXED_BITS - LEVEL_WALK_BITS);
}

/* Whether the ray crosses the line, and after which share of its way. Left and right are decided
 * by
 * `>= 0` on both sides of every comparison, so a ray cannot slip through where two lines meet. */
static bool ray_crosses(const Ray* ray, const LevelLine* line, Fixed* share)
{
    int64_t x = (int64_t)line->x * LEVEL_WALK_UNIT - ray->x;
    int64_t y = (int64_t)line->y * LEVEL_WALK_UNIT - ray->y;
    int64_t dx = (int64_t)line->dx * LEVEL_WALK_UNIT;
    int64_t dy = (int64_t)line->dy * LEVEL_WALK_UNIT;
    int64_t line_start = ray->dx * y - ray->dy * x;
    int64_t line_end = line_start + ray->dx * dy - ray->dy * dx;
    if ((line_start >= 0) == (line_end >= 0)) {
        return false;
    }
    int64_t ray_start = dy * x - dx * y;
    int64_t ray_end = ray_start + dx * ray->dy - dy * ray->dx;
    if ((ray_start >= 0) == (ray_end >= 0)) {
        return false;
    }
    *share = (Fixed)(ray_start * FIXED_ONE / (ray_start - ray_end));
    return true;
}

/* --- sight -------------------------------------------------------------------------------------
 */

/* The wedge of directions that is still open, as heights that it has at the end of the ray. */
typedef struct RayWedge {
    Fixed eye;
    int64_t low, high; /* relative to the eye */
} RayWedge;

/* Narrows the wedge by the opening of a line. Returns false when nothing is left. */
static bool ray_narrow(RayWedge* wedge, const LevelLine* line, const LevelHeights* heights,
                       Fixed share)
{
    LevelHeights front = heights[line->front];
    LevelHeights back = heights[line->back];
    int64_t at = share > 0 ? share : 1;
    if (front.floor != back.floor) {
        int64_t step = (int64_t)fixed_max(front.floor, back.floor) - wedge->eye;
        int64_t low = step * FIXED_ONE / at;
        wedge->low = low > wedge->low ? low : wedge->low;
    }
    if (front.ceiling != back.ceiling) {
        int64_t lintel = (int64_t)fixed_min(front.ceiling, back.ceiling) - wedge->eye;
        int64_t high = lintel * FIXED_ONE / at;
        wedge->high = high < wedge->high ? high : wedge->high;
    }
    return wedge->low < wedge->high;
}

/* A closed door may have the same floor and the same ceiling on both sides. */
bool ray_is_shut(const LevelLine* line, const LevelHeights* heights)
{
    if (line->back == LEVEL_NO_SECTOR) {
        return true;
    }
    LevelHeights front = heights[line->front];
    LevelHeights back = heights[line->back];
    return fixed_max(front.floor, back.floor) >= fixed_min(front.ceiling, back.ceiling);
}

bool ray_sees(const Level* level, const LevelHeights* heights, RayPoint eye, Fixed x, Fixed y,
              Fixed low, Fixed high)
{
    int32_t x0 = ray_coarse(eye.x), y0 = ray_coarse(eye.y);
    int32_t x1 = ray_coarse(x), y1 = ray_coarse(y);
    Ray ray = {x0, y0, (int64_t)x1 - x0, (int64_t)y1 - y0};
    RayWedge wedge = {eye.z, (int64_t)low - eye.z, (int64_t)high - eye.z};
    for (LevelWalk walk = level_walk(level, x0, y0, x1, y1); level_walk_next(&walk);) {
        for (uint32_t i = level->cell_first[walk.cell]; i < level->cell_first[walk.cell + 1]; ++i) {
            const LevelLine* line = &level->lines[level->cell_lines[i]];
            Fixed share = 0;
            if (ray_crosses(&ray, line, &share) &&
                (ray_is_shut(line, heights) || !ray_narrow(&wedge, line, heights, share))) {
                return false;
            }
        }
    }
    return true;
}

/* --- shots -------------------------------------------------------------------------------------
 */

static bool ray_is_stopped(const LevelLine* line, const LevelHeights* heights, int64_t z)
{
    if (line->back == LEVEL_NO_SECTOR) {
        return true;
    }
    LevelHeights front = heights[line->front];
    LevelHeights back = heights[line->back];
    return z < fixed_max(front.floor, back.floor) || z > fixed_min(front.ceiling, back.ceiling);
}

Fixed ray_reach(const Level* level, const LevelHeights* heights, RayPoint from, RayPoint to)
{
    int32_t x0 = ray_coarse(from.x), y0 = ray_coarse(from.y);
    int32_t x1 = ray_coarse(to.x), y1 = ray_coarse(to.y);
    Ray ray = {x0, y0, (int64_t)x1 - x0, (int64_t)y1 - y0};
    int64_t climb = (int64_t)to.z - from.z;
    Fixed reach = FIXED_ONE;
    for (LevelWalk walk = level_walk(level, x0, y0, x1, y1); level_walk_next(&walk);) {
        for (uint32_t i = level->cell_first[walk.cell]; i < level->cell_first[walk.cell + 1]; ++i) {
            const LevelLine* line = &level->lines[level->cell_lines[i]];
            Fixed share = 0;
            if (ray_crosses(&ray, line, &share) && share < reach &&
                ray_is_stopped(line, heights, from.z + climb * share / FIXED_ONE)) {
                reach = share;
            }
        }
    }
    return reach;
}

bool ray_meets(const LevelLine* line, RayPoint from, RayPoint to, Fixed* share)
{
    int32_t x = ray_coarse(from.x), y = ray_coarse(from.y);
    Ray ray = {x, y, (int64_t)ray_coarse(to.x) - x, (int64_t)ray_coarse(to.y) - y};
    return ray_crosses(&ray, line, share);
}
