/* space_search.c: which entities are within a radius, and which are the nearest.
 *
 * The workload: each agent of some thousands looks around once a frame, at some tens of neighbours
 * in nine to 25 cells; systems on several threads do so at once. So a search has its state in the
 * caller's memory and only reads the space. It tests the entities of a cell without a branch, as
 * about half of them are hits, and hands them out in blocks.
 *
 *     . . . . . .
 *     . 1 2 3 . .     cells in the order of their visit, from the least coordinates on: a function
 *     . 4 5 6 . .     of place and radius alone; in a cell by index of the entity
 *     . 7 8 9 . .
 *
 * Invariant:  cells from `low` to `high` contain all entities within the radius, and each cell
 *             comes once: in a periodic space `low` can be negative, and `high` beyond the last
 *             cell
 */
#include "../argument.h"
#include "space.h"

#include <math.h>

/* What rounding can add to a distance, as a share of the numbers that it is made of. */
#define SPACE_SLACK 1e-14

static double space_absolute(double x)
{
    return x < 0 ? -x : x;
}

/* The number of the cell of a coordinate, which can lie beyond the space. */
static int32_t space_floor(const sett_space* s, uint32_t axis, double x)
{
    double number = (x - s->origin[axis]) * s->inverse[axis];
    double most = (double)SETT_SPACE_CELLS * 4;
    number = !(number > -most) ? -most : number < most ? number : most; /* also of NaN */
    int32_t whole = (int32_t)number;
    return whole - (whole > number);
}

static int32_t space_clamp(int32_t x, int32_t last)
{
    return x < 0 ? 0 : x > last ? last : x;
}

/* The cells of an axis that a search looks at. Returns whether images have to be compared. */
static bool space_range(const sett_space* s, sett_space_near* near, uint32_t axis, double radius)
{
    int32_t last = s->cells[axis] - 1;
    double at = near->at_[axis];
    double slack = (space_absolute(at) + radius) * SPACE_SLACK;
    int32_t low = space_floor(s, axis, at - radius - slack);
    low += s->is_grid && s->origin[axis] + low < at - radius - slack; /* its place, not its edge */
    int32_t high = space_floor(s, axis, at + radius + slack);
    bool wraps = false;
    if (s->periodic) {
        double width = (high - low + 1) * s->edge[axis];
        wraps = low < 0 || high > last || !(2 * width < s->size[axis] * (1 - SPACE_SLACK));
    }
    if (s->periodic && high - low >= last) {
        low = 0;
        high = last;
    } else if (s->is_grid && !s->periodic) { /* none beyond it: the range can be empty */
        low = low < 0 ? 0 : low;
        high = high > last ? last : high;
    } else if (!s->periodic) {
        low = space_clamp(low, last);
        high = space_clamp(high, last);
    }
    near->low_[axis] = low;
    near->high_[axis] = high;
    near->cell_[axis] = low;
    return wraps;
}

/* A search that finds nothing. */
static void space_search_clear(const sett_space* s, sett_space_near* near)
{
    near->count = 0;
    near->next_ = 0;
    near->space_ = s;
    near->without_ = sett_null();
    near->entry_ = 0;
    near->done_ = true;
}

/* A search around `at_`, which is within a periodic space. */
static void space_search_begin(const sett_space* s, double radius, sett_space_near* near)
{
    near->wraps_ = false;
    near->box_ = s->is_grid && s->metric == SETT_SPACE_CHEBYSHEV && radius < SETT_SPACE_CELLS &&
                 (int32_t)radius == radius;
    near->limit_ = s->metric == SETT_SPACE_EUCLIDEAN ? radius * radius : radius;
    near->low_[2] = near->high_[2] = near->cell_[2] = 0;
    for (uint32_t k = 0; k < s->dimensions; k++) {
        near->wraps_ |= space_range(s, near, k, radius);
        bool whole = s->periodic && near->high_[k] - near->low_[k] == s->cells[k] - 1;
        near->box_ =
            near->box_ && !whole && space_floor(s, k, near->at_[k]) + s->origin[k] == near->at_[k];
    }
    near->done_ = !(radius >= 0);
    for (uint32_t k = 0; k < s->dimensions; k++) {
        near->done_ |= near->low_[k] > near->high_[k];
    }
}

sett_space_near* sett_space_near_begin_at(const sett_space* s, const double* at, double radius,
                                          sett_space_near* near)
{
    if (ARGUMENT_IS_NULL(near)) {
        return NULL;
    }
    space_search_clear(s, near);
    if (argument_is_null(s, __func__, "space") || ARGUMENT_IS_NULL(at) || !(radius >= 0)) {
        return near;
    }
    near->at_[2] = 0;
    for (uint32_t k = 0; k < s->dimensions; k++) {
        if (!space_is_finite(at[k])) {
            return near;
        }
        near->at_[k] = at[k];
    }
    if (s->periodic) {
        (void)setti_space_locate(s, near->at_);
    }
    space_search_begin(s, radius, near);
    return near;
}

sett_space_near* sett_space_near_begin(const sett_space* s, sett_entity entity, double radius,
                                       sett_space_near* near)
{
    if (ARGUMENT_IS_NULL(near)) {
        return NULL;
    }
    space_search_clear(s, near);
    near->at_[2] = 0;
    if (!argument_is_null(s, __func__, "space") &&
        sett_space_find(s, entity, near->at_) != SETT_SPACE_OUTSIDE) {
        space_search_begin(s, radius, near);
        near->without_ = entity;
    }
    return near;
}

/* The offset along an axis, to the nearest image. */
static double space_nearest_image(double size, double offset)
{
    double half = size / 2;
    return offset > half ? offset - size : offset < -half ? offset + size : offset;
}

static double space_measure(const sett_space* s, const sett_space_hit* hit)
{
    double x = space_absolute(hit->offset[0]);
    double y = space_absolute(hit->offset[1]);
    double z = space_absolute(hit->offset[2]);
    double most = x > y ? x : y;
    switch (s->metric) {
    case SETT_SPACE_CHEBYSHEV:
        return most > z ? most : z;
    case SETT_SPACE_MANHATTAN:
        return x + y + z;
    default:
        return hit->squared;
    }
}

static int32_t space_wrapped(int32_t x, int32_t cells)
{
    return x < 0 ? x + cells : x >= cells ? x - cells : x;
}

/* The cells of the present row of a search. */
static const space_cell* space_row(const sett_space_near* near)
{
    const sett_space* s = near->space_;
    int32_t row = space_wrapped(near->cell_[2], s->cells[2]) * s->cells[1] +
                  space_wrapped(near->cell_[1], s->cells[1]);
    return &s->cell[(size_t)row * (uint32_t)s->cells[0]];
}

/* All entities of a cell are at one place, and are hits. Returns false if the block is full. */
static inline bool space_take_cell(sett_space_near* near, const space_cell* cell,
                                   const sett_space_hit* hit)
{
    const sett_entity* handles = space_handles(cell);
    uint64_t without = sett_is_null(near->without_) ? ~(uint64_t)0 : near->without_.index;
    uint32_t count = near->count;
    uint32_t k = near->entry_;
    for (; k < cell->count && count < SETT_SPACE_HITS; k++) {
        sett_space_hit* to = &near->hit_[count];
        to->entity = handles[k];
        to->offset[0] = hit->offset[0];
        to->offset[1] = hit->offset[1];
        to->offset[2] = hit->offset[2];
        to->squared = hit->squared;
        count += handles[k].index != without;
    }
    near->count = count;
    near->entry_ = k < cell->count ? k : 0;
    return k == cell->count;
}

/* A row of a grid. With `box` all cells of the search are within the radius, and images are where
 * the numbers of their cells say. Goes on where it was, and returns false if the block of hits is
 * full. */
static inline bool space_scan_grid(sett_space_near* near, bool box)
{
    const sett_space* s = near->space_;
    const space_cell* cells = space_row(near);
    sett_space_hit hit = {{0, 0}, {0, 0, 0}, 0};
    for (uint32_t k = 1; k < s->dimensions; k++) {
        int32_t number = box ? near->cell_[k] : space_wrapped(near->cell_[k], s->cells[k]);
        hit.offset[k] = s->origin[k] + number - near->at_[k];
        hit.offset[k] =
            box || !near->wraps_ ? hit.offset[k] : space_nearest_image(s->size[k], hit.offset[k]);
    }
    double second = hit.offset[1] * hit.offset[1];
    double third = hit.offset[2] * hit.offset[2];
    double first = s->origin[0] - near->at_[0];
    int32_t high = near->high_[0];
    for (int32_t x = near->cell_[0]; x <= high; x++) {
        int32_t number = space_wrapped(x, s->cells[0]);
        if (cells[number].count == 0) {
            continue;
        }
        hit.offset[0] = box ? first + x : s->origin[0] + number - near->at_[0];
        hit.offset[0] =
            box || !near->wraps_ ? hit.offset[0] : space_nearest_image(s->size[0], hit.offset[0]);
        hit.squared = hit.offset[0] * hit.offset[0] + second + third;
        if ((box || space_measure(s, &hit) <= near->limit_) &&
            !space_take_cell(near, &cells[number], &hit)) {
            near->cell_[0] = x;
            return false;
        }
    }
    return true;
}

/* Goes to the next row: y first. */
static inline void space_next_row(sett_space_near* near)
{
    near->cell_[0] = near->low_[0];
    if (++near->cell_[1] > near->high_[1]) {
        near->cell_[1] = near->low_[1];
        near->done_ = ++near->cell_[2] > near->high_[2];
    }
}

/* What a search reads for each entity: in variables, as hits are stored in between. */
typedef struct space_view {
    double at[3];
    double size[3];
    double limit;
    uint64_t without;
    bool has_z;
    bool wraps;
    bool euclidean;
} space_view;

/* The entities of a cell from `*entry` on, each at a place of its own. Returns how many hits there
 * are then; `*entry` is the entity to go on with, the cell's count unless the block is full. */
static inline uint32_t space_take_any(sett_space_near* near, const space_view* v,
                                      const space_cell* cell, uint32_t* entry, uint32_t found)
{
    const sett_entity* handle = space_handles(cell);
    const double* x = space_axis(cell, 0);
    const double* y = x + cell->capacity;
    const double* z = y + (v->has_z ? cell->capacity : 0);
    const uint32_t count = cell->count;
    uint32_t k = *entry;
    do {
        uint32_t room = SETT_SPACE_HITS - found;
        uint32_t stop = count - k < room ? count : k + room;
        for (; k < stop; k++) {
            sett_space_hit* hit = &near->hit_[found];
            sett_entity entity = handle[k];
            double offset[3] = {x[k] - v->at[0], y[k] - v->at[1], v->has_z ? z[k] - v->at[2] : 0};
            for (uint32_t n = 0; v->wraps && n < (v->has_z ? 3 : 2); n++) {
                offset[n] = space_nearest_image(v->size[n], offset[n]);
            }
            double squared = offset[0] * offset[0] + offset[1] * offset[1];
            squared = v->has_z ? squared + offset[2] * offset[2] : squared;
            *hit = (sett_space_hit){entity, {offset[0], offset[1], offset[2]}, squared};
            double measure = v->euclidean ? squared : space_measure(near->space_, hit);
            found += (measure <= v->limit) & (entity.index != v->without);
        }
    } while (k < count && found < SETT_SPACE_HITS);
    *entry = k;
    return found;
}

/* All rows of entities at places of their own. Inlined with constants for the usual spaces. */
static inline void space_scan_any(sett_space_near* near, bool has_z, bool wraps, bool euclidean)
{
    const sett_space* s = near->space_;
    const space_view view = {{near->at_[0], near->at_[1], near->at_[2]},
                             {s->size[0], s->size[1], s->size[2]},
                             near->limit_,
                             sett_is_null(near->without_) ? ~(uint64_t)0 : near->without_.index,
                             has_z,
                             wraps,
                             euclidean};
    uint32_t found = 0;
    uint32_t entry = near->entry_;
    for (; !near->done_; space_next_row(near)) {
        const space_cell* cells = space_row(near);
        const int32_t high = near->high_[0];
        for (int32_t number = near->cell_[0]; number <= high; number++) {
            const space_cell* cell = &cells[space_wrapped(number, s->cells[0])];
            if (cell->count == 0) {
                continue;
            }
            found = space_take_any(near, &view, cell, &entry, found);
            if (entry < cell->count) {
                near->cell_[0] = number;
                near->entry_ = entry;
                near->count = found;
                return;
            }
            entry = 0;
        }
    }
    near->count = found;
}

static void space_scan_grids(sett_space_near* near)
{
    for (; !near->done_; space_next_row(near)) {
        if (!(near->box_ ? space_scan_grid(near, true) : space_scan_grid(near, false))) {
            return;
        }
    }
}

bool sett_space_near_more_(sett_space_near* near)
{
    const sett_space* s = near->space_;
    near->count = 0;
    near->next_ = 0;
    if (near->done_) {
        return false;
    }
    if (s->is_grid) {
        space_scan_grids(near);
    } else if (s->dimensions == 3 || s->metric != SETT_SPACE_EUCLIDEAN) {
        space_scan_any(near, s->dimensions == 3, near->wraps_, s->metric == SETT_SPACE_EUCLIDEAN);
    } else if (near->wraps_) {
        space_scan_any(near, false, true, true);
    } else {
        space_scan_any(near, false, false, true);
    }
    return near->count != 0;
}

/* --------------------------------------------------------------------------------------- count */

/* Adds up all cells from `low` to `high`, with equal instructions for empty ones and others: many
 * branches on that would be mispredicted. */
static inline uint32_t space_count_cells(const sett_space* s, const int32_t low[3],
                                         const int32_t high[3], bool wraps)
{
    uint32_t count = 0;
    for (int32_t z = low[2]; z <= high[2]; z++) {
        int32_t slice = space_wrapped(z, s->cells[2]) * s->cells[1];
        for (int32_t y = low[1]; y <= high[1]; y++) {
            int32_t row = slice + space_wrapped(y, s->cells[1]);
            const space_cell* cells = &s->cell[(size_t)row * (uint32_t)s->cells[0]];
            for (int32_t x = low[0]; x <= high[0]; x++) {
                count += cells[wraps ? space_wrapped(x, s->cells[0]) : x].count;
            }
        }
    }
    return count;
}

static uint32_t space_count_box(const sett_space* s, const int32_t low[3], const int32_t high[3])
{
    return low[0] < 0 || high[0] >= s->cells[0] ? space_count_cells(s, low, high, true)
                                                : space_count_cells(s, low, high, false);
}

static uint32_t space_count_near(sett_space_near* near)
{
    if (!near->done_ && near->box_) {
        return space_count_box(near->space_, near->low_, near->high_) -
               !sett_is_null(near->without_);
    }
    uint32_t count = 0;
    while (sett_space_near_more_(near)) {
        count += near->count;
    }
    return count;
}

/* The cells around one of a grid, by Chebyshev's metric. Returns false if some of them are the same
 * one, in a small periodic space. */
static bool space_box_around(const sett_space* s, uint32_t cell, int32_t radius, int32_t low[3],
                             int32_t high[3])
{
    for (uint32_t k = 0; k < s->dimensions; k++) {
        int32_t cells = s->cells[k];
        int32_t at = (int32_t)(cell % (uint32_t)cells);
        low[k] = s->periodic || at > radius ? at - radius : 0;
        high[k] = s->periodic || at + radius < cells ? at + radius : cells - 1;
        if (high[k] - low[k] >= cells) {
            return false;
        }
        cell /= (uint32_t)cells;
    }
    return true;
}

/* Not inlined: a search is large, and the usual case above needs none. */
static uint32_t space_count_around(const sett_space* s, sett_entity entity, double radius)
{
    sett_space_near near;
    return space_count_near(sett_space_near_begin(s, entity, radius, &near));
}

uint32_t sett_space_near_count(const sett_space* s, sett_entity entity, double radius)
{
    if (argument_is_null(s, __func__, "space")) {
        return 0;
    }
    if (!s->is_grid || s->metric != SETT_SPACE_CHEBYSHEV || !(radius >= 0) ||
        radius >= SETT_SPACE_CELLS) {
        return space_count_around(s, entity, radius);
    }
    int32_t low[3] = {0, 0, 0};
    int32_t high[3] = {0, 0, 0};
    uint32_t place;
    uint32_t cell = space_cell_of(s, entity, &place);
    if (cell == SETT_SPACE_OUTSIDE) {
        return 0;
    }
    return space_box_around(s, cell, (int32_t)radius, low, high)
               ? space_count_box(s, low, high) - 1
               : space_count_around(s, entity, radius);
}

uint32_t sett_space_near_count_at(const sett_space* s, const double* at, double radius)
{
    sett_space_near near;
    if (argument_is_null(s, __func__, "space") || ARGUMENT_IS_NULL(at)) {
        return 0;
    }
    return space_count_near(sett_space_near_begin_at(s, at, radius, &near));
}

/* ------------------------------------------------------------------------------------- nearest */

typedef struct space_nearest {
    const sett_space* space;
    sett_space_hit* out;
    uint32_t count;
    uint32_t capacity;
} space_nearest;

static bool space_is_nearer(const sett_space* s, const sett_space_hit* a, const sett_space_hit* b)
{
    double left = space_measure(s, a);
    double right = space_measure(s, b);
    return left < right || (left == right && a->entity.index < b->entity.index);
}

static void space_offer(space_nearest* best, const sett_space_hit* hit)
{
    uint32_t place = best->count;
    while (place > 0 && space_is_nearer(best->space, hit, &best->out[place - 1])) {
        place--;
    }
    if (place == best->capacity) {
        return;
    }
    best->count += best->count < best->capacity;
    for (uint32_t k = best->count - 1; k > place; k--) {
        best->out[k] = best->out[k - 1];
    }
    best->out[place] = *hit;
}

/* Offers the entities of the cells in a box. */
static void space_offer_box(space_nearest* best, sett_space_near* near, const int32_t low[3],
                            const int32_t high[3])
{
    near->done_ = false;
    near->entry_ = 0;
    near->count = 0;
    near->next_ = 0;
    for (uint32_t k = 0; k < 3; k++) {
        near->low_[k] = near->cell_[k] = low[k];
        near->high_[k] = high[k];
        near->done_ |= low[k] > high[k];
    }
    for (const sett_space_hit* hit; (hit = sett_space_near_next(near)) != NULL;) {
        space_offer(best, hit);
    }
}

/* The box of cells up to `ring` cells away, each once. */
static void space_ring_box(const sett_space* s, const int32_t centre[3], int32_t ring,
                           int32_t low[3], int32_t high[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        int32_t least = s->periodic ? centre[k] - (s->cells[k] - 1) / 2 : 0;
        int32_t most = s->periodic ? centre[k] + s->cells[k] / 2 : s->cells[k] - 1;
        low[k] = centre[k] - ring > least ? centre[k] - ring : least;
        high[k] = centre[k] + ring < most ? centre[k] + ring : most;
    }
}

/* Offers the cells of the box that are not in the inner box: slabs, axis by axis. */
static void space_offer_shell(space_nearest* best, sett_space_near* near, const int32_t low[3],
                              const int32_t high[3], const int32_t inner_low[3],
                              const int32_t inner_high[3])
{
    int32_t from[3] = {low[0], low[1], low[2]};
    int32_t to[3] = {high[0], high[1], high[2]};
    for (uint32_t k = 3; k-- > 0;) {
        int32_t was_from = from[k];
        int32_t was_to = to[k];
        to[k] = inner_low[k] - 1;
        space_offer_box(best, near, from, to);
        from[k] = inner_high[k] + 1;
        to[k] = was_to;
        space_offer_box(best, near, from, to);
        from[k] = was_from > inner_low[k] ? was_from : inner_low[k];
        to[k] = was_to < inner_high[k] ? was_to : inner_high[k];
    }
}

/* The least distance along an axis of whatever is not in the box; infinite if all is in. */
static double space_beyond(const sett_space* s, const double* at, const int32_t low[3],
                           const int32_t high[3])
{
    double least = (double)INFINITY;
    for (uint32_t k = 0; k < s->dimensions; k++) {
        double x = at[k] - s->origin[k];
        bool all = high[k] - low[k] == s->cells[k] - 1;
        double left = x - low[k] * s->edge[k];
        double right = (high[k] + 1) * s->edge[k] - x;
        double slack =
            (space_absolute(at[k]) + space_absolute(s->origin[k]) + s->size[k]) * SPACE_SLACK;
        if (!all && (s->periodic || low[k] > 0) && left - slack < least) {
            least = left - slack;
        }
        if (!all && (s->periodic || high[k] < s->cells[k] - 1) && right - slack < least) {
            least = right - slack;
        }
    }
    return least;
}

static bool space_is_final(const space_nearest* best, double beyond, double radius)
{
    const sett_space* s = best->space;
    if (beyond > radius || isinf(beyond)) { /* nothing is left */
        return true;
    }
    if (best->count < best->capacity || !(beyond > 0)) {
        return false;
    }
    double worst = space_measure(s, &best->out[best->count - 1]);
    return worst < (s->metric == SETT_SPACE_EUCLIDEAN ? beyond * beyond : beyond);
}

uint32_t sett_space_nearest(const sett_space* s, const double* at, double radius,
                            sett_entity without, sett_space_hit* out, uint32_t capacity)
{
    sett_space_near near;
    if (argument_is_null(s, __func__, "space") || ARGUMENT_IS_NULL(at) ||
        (capacity != 0 && ARGUMENT_IS_NULL(out))) {
        return 0;
    }
    (void)sett_space_near_begin_at(s, at, radius, &near);
    if (near.done_ || capacity == 0) {
        return 0; /* no cell is within the radius */
    }
    near.without_ = without;
    near.wraps_ = s->periodic;
    near.box_ = false;
    space_nearest best = {s, out, 0, capacity};
    int32_t centre[3] = {0, 0, 0};
    for (uint32_t k = 0; k < s->dimensions; k++) {
        centre[k] = space_clamp(space_floor(s, k, near.at_[k]), s->cells[k] - 1);
    }
    int32_t low[3];
    int32_t high[3];
    space_ring_box(s, centre, 0, low, high);
    space_offer_box(&best, &near, low, high);
    for (int32_t ring = 1; !space_is_final(&best, space_beyond(s, near.at_, low, high), radius);
         ring++) {
        int32_t inner_low[3] = {low[0], low[1], low[2]};
        int32_t inner_high[3] = {high[0], high[1], high[2]};
        space_ring_box(s, centre, ring, low, high);
        space_offer_shell(&best, &near, low, high, inner_low, inner_high);
    }
    return best.count;
}
