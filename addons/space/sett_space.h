/* sett_space.h: which entities are near: grids and continuous spaces. Link sett::space.
 *
 *     sett_space* space = sett_space_create(world, &(sett_space_desc){
 *         .component = Position_id, .size = {150, 150}, .cell = 15, .periodic = true});
 *     sett_space_update(space);                               once a frame, or after changes
 *     SETT_SPACE_NEAR(space, bird, 15, hit) {                 who is within 15 of the bird
 *         const Velocity* v = SETT_GET(world, hit->entity, Velocity);
 *         x += hit->offset[0] / hit->squared;
 *     }
 *
 * A space divides an area into cells and knows which entities are in each. The positions are a
 * component of the program's. The space is derived from them: it is not a part of the world, and
 * snapshots, hashes and files do not contain it. sett_space_update brings it up to date from the
 * pages that were written, restored or loaded since; nothing has to be called when an entity moves,
 * ends, or gets a component. sett_space_refresh does so at once for one entity, in models whose
 * agents act one after another.
 *
 * Searches answer as of the last update. They read the space and not the world: systems on several
 * threads can search while positions are written. Entities that ended since are found until the
 * next update.
 *
 * Results depend on positions and handles alone, not on the order of changes: in a search the cells
 * come by row, and entities of a cell by the index of their handle. So sums of floats agree on all
 * machines, for any number of threads, and in each part of a world that is shared by ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SPACE_H
#define SETT_SPACE_H

#include "sett/core.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sett_space sett_space;

typedef enum sett_space_kind {
    SETT_SPACE_CONTINUOUS, /* positions are numbers; cells serve to find them */
    SETT_SPACE_GRID,       /* positions are integers: each is a cell */
} sett_space_kind;

/* How far one place is from another. */
typedef enum sett_space_metric {
    SETT_SPACE_METRIC_DEFAULT, /* a grid: Chebyshev; else Euclidean */
    SETT_SPACE_EUCLIDEAN,
    SETT_SPACE_CHEBYSHEV, /* the greater of the coordinates' distances: Moore's neighbourhoods */
    SETT_SPACE_MANHATTAN, /* the sum of the coordinates' distances: von Neumann's */
} sett_space_metric;

/* The type of a coordinate. */
typedef enum sett_space_number {
    SETT_SPACE_NUMBER_DEFAULT, /* that of the member; without members see `number` */
    SETT_SPACE_F32,
    SETT_SPACE_F64,
    SETT_SPACE_I8,
    SETT_SPACE_U8,
    SETT_SPACE_I16,
    SETT_SPACE_U16,
    SETT_SPACE_I32,
    SETT_SPACE_U32,
} sett_space_number;

/* The most cells of a space. */
#define SETT_SPACE_CELLS 0x4000000u

/* Not a cell: an entity or place outside of the space. */
#define SETT_SPACE_OUTSIDE 0xFFFFFFFFu

typedef struct sett_space_desc {
    sett_component component; /* the position */
    sett_space_kind kind;     /* default: continuous */
    /* which entities are in the space: those that match, which have the component then. A copy is
     * made. No term can be `changed`. Default: all with the component, but Prefab and Disabled */
    const sett_query* query;
    uint32_t dimensions;   /* 2 or 3; default: 2 */
    const char* member[3]; /* paths to the coordinates (members.h); default: "x", "y", "z" */
    /* for a component without members: the type of a coordinate; they follow one another from the
     * first byte of the value. Default: double or float, as they fill the value; in a grid int32_t
     */
    sett_space_number number;
    double origin[3]; /* the least position; of a grid integers. Default: 0 */
    double size[3];   /* the extent from the origin on; of a grid the number of cells */
    double cell;      /* edge of a cell, about the usual radius of a search; of a grid always 1 */
    bool periodic;    /* what leaves at one side enters at the other. Default: no */
    sett_space_metric metric;
} sett_space_desc;

/* Creates a space. It is empty until the first sett_space_update.
 *
 * Positions that are not finite are outside: no search finds these entities. In a grid that is not
 * periodic, so are positions beyond it. In a continuous space they belong to the nearest cell and
 * are found as all others, but searches slow down if there are many.
 * A search that is periodic measures to the nearest image of an entity and finds each once.
 *
 * Returns NULL on failure. Fails: ARGUMENT (sizes that are not positive or not finite, more than
 * SETT_SPACE_CELLS cells, no such member or no number in it, a query without the component),
 * UNREGISTERED, OUT_OF_MEMORY.
 * Cost: O(cells). Memory: 16 bytes a cell, and about 45 bytes an entity in a continuous space of 2
 * dimensions, 20 in a grid.
 * Threads: writer. Since: 0.2 */
sett_space* sett_space_create(sett_world* world, const sett_space_desc* desc);

/* Frees a space. NULL is fine. sett_world_destroy frees the spaces of its world too.
 * Fails: LOCKED (systems run). Threads: writer. Since: 0.2 */
sett_status sett_space_destroy(sett_space* space);

/* Brings the space up to date with the world.
 * Fails: OUT_OF_MEMORY, LOCKED (systems run). Then searches find a part of the changes; the next
 * call looks at all entities.
 * Cost: 3 instructions for each entity, 320 for each in a page that was written, and 320 more if it
 * has changed its cell. Where the positions are a sparse set, or track rows, 60 for each.
 * Invalidates: addresses for writing, if anything was written since the last call: a new tick
 * begins.
 * Threads: writer; in a system that is exclusive. Since: 0.2 */
sett_status sett_space_update(sett_space* space);

/* Brings the space up to date with one entity.
 *     sett_space_refresh  it was created, destroyed, got or lost a component, or has moved
 *     sett_space_move     it has moved, and matches still; any other is refreshed
 * Fails: OUT_OF_MEMORY (the space is unchanged), LOCKED.
 * Cost: sett_space_move 360 instructions, 400 more if it has changed its cell; sett_space_refresh
 * 220 more.
 * Threads: writer. Since: 0.2 */
sett_status sett_space_refresh(sett_space* space, sett_entity entity);
sett_status sett_space_move(sett_space* space, sett_entity entity);

/* ------------------------------------------------------------------------------------- searches */

/* An entity that a search found. */
typedef struct sett_space_hit {
    sett_entity entity;
    double offset[3]; /* from the place of the search to the entity: to its nearest image */
    double squared;   /* the sum of the squares of `offset` */
} sett_space_hit;

#define SETT_SPACE_HITS 32

/* A search, and its present hits. */
typedef struct sett_space_near {
    uint32_t count; /* of the present hits */
    uint32_t next_; /* the rest is internal */
    const sett_space* space_;
    sett_entity without_;
    double at_[3];
    double limit_;
    int32_t low_[3];
    int32_t high_[3];
    int32_t cell_[3];
    uint32_t entry_;
    bool wraps_;
    bool box_;
    bool done_;
    sett_space_hit hit_[SETT_SPACE_HITS];
} sett_space_near;

/* Loops over the entities within a radius, by cell and handle; `hit` is a const sett_space_hit*.
 * SETT_SPACE_NEAR searches around an entity of the space, where it was at the last update, and
 * does not find that entity. SETT_SPACE_NEAR_AT searches around a place, an array of doubles.
 * `break` and `continue` work as in any loop.
 *   radius  not negative; entities at exactly that distance are found. INFINITY finds all
 * Cost: 450 instructions, and 45 for each entity in cells that the radius touches, at 10 entities a
 * cell.
 * Threads: reader; also inside a system, while others write positions. */
#define SETT_SPACE_NEAR(space, entity, radius, hit)                                                \
    SETT_SPACE_LOOP_(hit, sett_space_near_begin((space), (entity), (radius), &hit##_search_))
#define SETT_SPACE_NEAR_AT(space, at, radius, hit)                                                 \
    SETT_SPACE_LOOP_(hit, sett_space_near_begin_at((space), (at), (radius), &hit##_search_))
#define SETT_SPACE_LOOP_(hit, begin)                                                               \
    for (sett_space_near hit##_search_, *hit##_near_ = (begin); hit##_near_ != NULL;               \
         hit##_near_ = NULL)                                                                       \
        while (hit##_near_->next_ == hit##_near_->count && sett_space_near_fill_(hit##_near_))     \
            for (const sett_space_hit *hit = hit##_near_->hit_,                                    \
                                      *hit##_end_ = hit + hit##_near_->count;                      \
                 hit != hit##_end_ || sett_space_near_end_(hit##_near_); hit++)

/* What the loops call. Both return `near`, from which nothing is found if the entity is not in the
 * space or the radius is negative or NaN.
 *   at  coordinates, as many as the space has dimensions; not finite: nothing is found
 * Threads: as the loops. Since: 0.2 */
sett_space_near* sett_space_near_begin(const sett_space* space, sett_entity entity, double radius,
                                       sett_space_near* near);
sett_space_near* sett_space_near_begin_at(const sett_space* space, const double* at, double radius,
                                          sett_space_near* near);

/* Private: finds the next hits. Returns false if there are none. Threads: as the loops. Since: 0.2
 */
bool sett_space_near_more_(sett_space_near* near);

/* Private: like sett_space_near_more_, without a call where nothing is left. */
static inline bool sett_space_near_fill_(sett_space_near* near)
{
    return !near->done_ && sett_space_near_more_(near);
}

/* Private: the end of a block, which a loop reaches unless it is left. Returns false. */
static inline bool sett_space_near_end_(sett_space_near* near)
{
    near->next_ = near->count;
    return false;
}

/* Returns the next hit; NULL at the end. Threads: as the loops. Since: 0.2 */
static inline const sett_space_hit* sett_space_near_next(sett_space_near* near)
{
    if (near->next_ == near->count && !sett_space_near_fill_(near)) {
        return NULL;
    }
    return &near->hit_[near->next_++];
}

/* Returns how many entities the loops would find. No branch depends on which cells are empty: in a
 * grid it takes about half as long as a loop over cells. To count those of a group, make a space
 * of them (`query`): then no entity is looked at.
 * Cost: around an entity of a grid, by Chebyshev's metric, 230 instructions and 8 for each cell;
 * else as the loops.
 * Threads: as the loops. Since: 0.2 */
uint32_t sett_space_near_count(const sett_space* space, sett_entity entity, double radius);
uint32_t sett_space_near_count_at(const sett_space* space, const double* at, double radius);

/* Finds the nearest entities: ascending by distance, equal ones by the index of the handle.
 *   at        coordinates
 *   radius    the greatest distance; INFINITY: any
 *   without   is not found; null: none
 *   out       receives the hits
 *   capacity  how many are wanted
 * Returns how many were found.
 * Cost: cells around the place are looked at, further ones as long as they can have a nearer
 * entity; O(capacity) for each entity there. The nearest 8 of 10 a cell: 16,000 instructions.
 * Threads: reader; also inside a system. Since: 0.2 */
uint32_t sett_space_nearest(const sett_space* space, const double* at, double radius,
                            sett_entity without, sett_space_hit* out, uint32_t capacity);

/* ---------------------------------------------------------------------------------------- cells */

/* Returns the number of cells; they are numbered by row: x first, then y, then z.
 * Threads: reader; also inside a system. Since: 0.2 */
uint32_t sett_space_cell_count(const sett_space* space);

/* Returns the cell of a place; SETT_SPACE_OUTSIDE if it has none.
 * Cost: O(1). Threads: reader; also inside a system. Since: 0.2 */
uint32_t sett_space_cell_at(const sett_space* space, const double* at);

/* Returns the cell in which an entity was at the last update, and writes its coordinates there to
 * `at`, unless that is NULL: in a periodic space within its size. Returns SETT_SPACE_OUTSIDE if the
 * entity is not in the space or outside; `at` is unchanged then.
 * Cost: O(entities of the cell). Threads: reader; also inside a system. Since: 0.2 */
uint32_t sett_space_find(const sett_space* space, sett_entity entity, double* at);

/* Returns the entities of a cell, by the index of their handle, and sets `count`; NULL if it is
 * empty. Valid until the next update or refresh.
 * Cost: O(1). Threads: reader; also inside a system. Since: 0.2 */
const sett_entity* sett_space_cell(const sett_space* space, uint32_t cell, uint32_t* count);

/* Returns how many entities are in the space, and in `outside`, unless that is NULL, how many match
 * but are outside. Threads: reader. Since: 0.2 */
uint32_t sett_space_count(const sett_space* space, uint32_t* outside);

/* Makes a random place in a cell. In a grid that is the cell's place.
 *   bits  64 random bits, such as of sett_random
 *   at    receives the coordinates
 * Cost: O(1). Threads: reader; also inside a system. Since: 0.2 */
void sett_space_random_place(const sett_space* space, uint32_t cell, uint64_t bits, double* at);

/* Returns a random entity of a cell, all as likely; null if it is empty.
 * Cost: O(1). Threads: reader; also inside a system. Since: 0.2 */
sett_entity sett_space_random_entity(const sett_space* space, uint32_t cell, uint64_t bits);

/* Returns a random empty cell, all as likely; SETT_SPACE_OUTSIDE if there is none.
 * sett_space_random_place gives its place.
 *   at      NULL: of the whole space; else one within the radius of this place's cell, not itself
 *   radius  in cells, by the metric of the space, not above 127
 * Cost: O(cells within the radius). Of the whole space: O(1 / share of empty cells), or O(cells) if
 * that share is below some hundredths.
 * Threads: reader; also inside a system. Since: 0.2 */
uint32_t sett_space_random_empty(const sett_space* space, const double* at, uint32_t radius,
                                 uint64_t bits);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
