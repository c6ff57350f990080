/* level.h - the part of a map that never changes: lines, areas, and the grid to find them with.
 *
 * Not everything belongs into components. What no system ever writes is kept here, sparse-set for
 * the
 * questions that collision asks ten thousand times a tick, and shared by all of the map's entities.
 * What does change, the heights of floors and ceilings, is a component of the sector entities and
 * is handed to these functions from outside.
 *
 * The grid is the map's own blockmap (squares of 128 units, each with the lines that touch it),
 * checked line by line; a map without a usable one gets a new one. */
#ifndef FREEDOOM_LEVEL_H
#define FREEDOOM_LEVEL_H

#include "fixed.h"
#include "wad.h"

#define LEVEL_NO_SECTOR 0xffffu
#define LEVEL_CELL_BITS 7 /* a cell is 128 units wide */
#define LEVEL_CELL_SIZE (1 << LEVEL_CELL_BITS)

/* A sector's floor and ceiling at the moment. */
typedef struct LevelHeights {
    Fixed floor, ceiling;
} LevelHeights;

/* Touches nothing while left > right. */
typedef struct LevelBox {
    Fixed left, right, bottom, top;
} LevelBox;

typedef struct LevelLine {
    int32_t x, y, dx, dy; /* start, and from start to end; map units */
    uint16_t front, back; /* sectors right and left of it; back may be LEVEL_NO_SECTOR */
    uint16_t flags;       /* WAD_LINE_* */
    uint16_t special;     /* not 0: may do something, see special_table.h */
    LevelBox box;         /* around it */
} LevelLine;

typedef struct Level {
    WadMap map; /* as read; owned */
    LevelLine* lines;
    uint16_t* subsector_sectors;
    LevelBox* sector_boxes; /* around the lines of each sector */

    int32_t grid_x, grid_y; /* lower left corner, map units */
    int32_t columns, rows;
    uint32_t* cell_first; /* cell c's lines are cell_lines[cell_first[c] .. cell_first[c + 1]) */
    uint16_t* cell_lines;
    uint16_t* cell_nodes; /* by cell: the node, or subsector, with which the search for a sector
                           * begins; those above it have all of the cell on one side */
    bool grid_rebuilt;    /* the map's own was missing or did not list every line */
} Level;

/* Takes the map over, also on failure. The only thing that can fail is memory. */
bool level_open(Level* level, WadMap* map, Fault* fault);
void level_close(Level* level);

/* The sector below a point. Cost: one step for each node on the way, two or three; outside of the
 * grid about fifteen. */
uint32_t level_sector_at(const Level* level, Fixed x, Fixed y);

/* The box that reaches `reach` to all sides of a place; cut off at the limits of the numbers. */
LevelBox level_box(Fixed x, Fixed y, Fixed reach);

LevelBox level_box_widen(LevelBox box, Fixed reach);

/* Widens a box so that it holds another. */
void level_box_join(LevelBox* box, const LevelBox* other);

extern const LevelBox level_no_box;

/* Column or row of a coordinate, clamped to the grid: a point outside belongs to the cell next to
 * it. */
int32_t level_column(const Level* level, Fixed x);
int32_t level_row(const Level* level, Fixed y);

/* Whether the grid covers a point. */
bool level_spans(const Level* level, Fixed x, Fixed y);

static inline uint32_t level_cell_count(const Level* level)
{
    return (uint32_t)level->columns * (uint32_t)level->rows;
}

static inline uint32_t level_cell(const Level* level, int32_t column, int32_t row)
{
    return (uint32_t)row * (uint32_t)level->columns + (uint32_t)column;
}

static inline bool level_boxes_meet(const LevelBox* a, const LevelBox* b)
{
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

static inline bool level_box_holds(const LevelBox* box, Fixed x, Fixed y)
{
    return x >= box->left && x <= box->right && y >= box->bottom && y <= box->top;
}

/* Side of the line on which a point lies, or of which it lies on: > 0 is left, < 0 right. */
static inline int64_t level_line_side(const LevelLine* line, Fixed x, Fixed y)
{
    int64_t from_start_x = (int64_t)x - (int64_t)line->x * FIXED_ONE;
    int64_t from_start_y = (int64_t)y - (int64_t)line->y * FIXED_ONE;
    return from_start_y * line->dx - from_start_x * line->dy;
}

/* The cells through which a straight way leads, in order of columns from west to east:
 *
 *     for (LevelWalk walk = level_walk(level, x0, y0, x1, y1); level_walk_next(&walk);) {
 *         ... walk.cell ...
 *     }
 *
 * Coordinates in LEVEL_WALK_UNIT parts of a map unit. A cell holds its lower and left edge and not
 * the others, and exactly the cells are visited that hold a point of the way: so two ways that meet
 * have the cell of the meeting point in common. Parts outside of the grid are left out. */
#define LEVEL_WALK_BITS 4
#define LEVEL_WALK_UNIT (1 << LEVEL_WALK_BITS)

typedef struct LevelWalk {
    uint32_t cell; /* the current one */

    int64_t x0, y0, dx, dy; /* relative to the grid's corner; dx >= 0 */
    int32_t columns, rows;  /* the grid's */
    int32_t column, last_column;
    int32_t row, last_row; /* left to do in this column */
} LevelWalk;

LevelWalk level_walk(const Level* level, int32_t x0, int32_t y0, int32_t x1, int32_t y1);
bool level_walk_next(LevelWalk* walk);

#endif
