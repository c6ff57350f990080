/* crowd.h - who stands where: all bodies, sorted by the cell of the blockmap that they are in.
 *
 * Not state but an index into it: it is made anew from the components at the beginning of every
 * tick, which costs less than keeping it up to date, and which makes the tick independent of order:
 * each body sees the others where they stood when it began. */
#ifndef FREEDOOM_CROWD_H
#define FREEDOOM_CROWD_H

#include "level.h"
#include "ray.h"

#include "sett/sett.h"

/* A level in its place among the others. Cells and sectors are numbered through over all of
 * them. */
typedef struct Arena {
    Level level;
    uint32_t first_cell;
    uint32_t first_sector;
    sett_entity map;
    sett_entity* sectors; /* their entities, by number */
    sett_entity* lines;

    /* Made anew in each tick. */
    Fixed reach;      /* radius of the widest body in it */
    LevelBox lifting; /* around all floors that move */
} Arena;

typedef struct CrowdBody {
    Fixed x, y, z, radius, height;
    uint32_t cell;
    uint16_t arena, type;
    sett_entity entity;
} CrowdBody;

typedef struct Crowd {
    CrowdBody* bodies; /* by cell; those of cell c from cell_first[c] to cell_first[c + 1] */
    CrowdBody* arrivals;
    uint32_t count, capacity;
    uint32_t* cell_first;
    uint32_t cell_count;
} Crowd;

bool crowd_init(Crowd* crowd, uint32_t cell_count);
void crowd_deinit(Crowd* crowd);

/* One round: begin, add each body (all but `cell` filled in), sort. */
void crowd_begin(Crowd* crowd, Arena* arenas, uint32_t arena_count);
bool crowd_add(Crowd* crowd, Arena* arenas, CrowdBody body);
void crowd_sort(Crowd* crowd);

/* All bodies whose cell a box touches, and perhaps some more:
 *
 *     for (CrowdSweep sweep = crowd_sweep(crowd, arena, box); crowd_sweep_next(&sweep);) {
 *         ... sweep.body ...
 *     }
 *
 * A body may reach over from a cell outside of the box: widen the box by the arena's reach to meet
 * all that touch it. */
typedef struct CrowdSweep {
    const CrowdBody* body; /* the current one */

    const CrowdBody* next;
    const CrowdBody* row_end;
    const Crowd* crowd;
    uint32_t row_first_cell, columns, row_stride;
    int32_t rows_left;
} CrowdSweep;

CrowdSweep crowd_sweep(const Crowd* crowd, const Arena* arena, LevelBox box);
bool crowd_sweep_next_row(CrowdSweep* sweep);

static inline bool crowd_sweep_next(CrowdSweep* sweep)
{
    if (sweep->next == sweep->row_end && !crowd_sweep_next_row(sweep)) {
        return false;
    }
    sweep->body = sweep->next++;
    return true;
}

/* Returns the body that stands in the way of one that wants to move from `from` to `to`, or NULL.
 * Bodies that overlap already may part: only coming closer is forbidden. */
const CrowdBody* crowd_obstacle(const Crowd* crowd, const Arena* arena, RayPoint from, RayPoint to,
                                Fixed radius, Fixed height, sett_entity self);

/* Whether anybody is where a body of this radius wants to appear. */
bool crowd_is_taken(const Crowd* crowd, const Arena* arena, Fixed x, Fixed y, Fixed radius);

/* Returns the first body that a shot of the given radius meets on the first `share` of its way, or
 * NULL; then *share becomes where. */
const CrowdBody* crowd_first_hit(const Crowd* crowd, const Arena* arena, RayPoint from, RayPoint to,
                                 Fixed radius, sett_entity shooter, Fixed* share);

#endif
