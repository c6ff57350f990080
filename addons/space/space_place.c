/* space_place.c: cells, the places in them, and random ones.
 *
 * The workload: models on grids, whose agents look for a place once in some steps, at most of them
 * in a space of which a tenth or more is empty. So a random empty cell is drawn by trial, and by
 * counting only where trials do not find one.
 *
 * Invariant:  random results depend on the bits and on the contents of cells, not on how these came
 *             about
 */
#include "../argument.h"
#include "space.h"

#include "sett/random.h"

#define SPACE_TRIALS 64u
#define SPACE_REACH 127u

uint32_t sett_space_cell_count(const sett_space* s)
{
    return !argument_is_null(s, __func__, "space") ? s->cell_count : 0;
}

uint32_t sett_space_cell_at(const sett_space* s, const double* at)
{
    if (argument_is_null(s, __func__, "space") || ARGUMENT_IS_NULL(at)) {
        return SETT_SPACE_OUTSIDE;
    }
    double copy[3] = {at[0], at[1], s->dimensions == 3 ? at[2] : 0};
    return setti_space_locate(s, copy);
}

/* The coordinates of a cell, counted in cells. */
static void space_numbers(const sett_space* s, uint32_t cell, int32_t out[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = (int32_t)(cell % (uint32_t)s->cells[k]);
        cell /= (uint32_t)s->cells[k];
    }
}

uint32_t sett_space_find(const sett_space* s, sett_entity entity, double* at)
{
    uint32_t place;
    uint32_t number = !argument_is_null(s, __func__, "space") ? space_cell_of(s, entity, &place)
                                                              : SETT_SPACE_OUTSIDE;
    if (number == SETT_SPACE_OUTSIDE || at == NULL) {
        return number;
    }
    int32_t numbers[3];
    if (s->is_grid) {
        space_numbers(s, number, numbers);
    }
    for (uint32_t k = 0; k < s->dimensions; k++) {
        at[k] = s->is_grid ? s->origin[k] + numbers[k] : space_axis(&s->cell[number], k)[place];
    }
    return number;
}

const sett_entity* sett_space_cell(const sett_space* s, uint32_t cell, uint32_t* count)
{
    bool is =
        !argument_is_null(s, __func__, "space") && cell < s->cell_count && s->cell[cell].count != 0;
    if (count != NULL) {
        *count = is ? s->cell[cell].count : 0;
    }
    return is ? space_handles(&s->cell[cell]) : NULL;
}

uint32_t sett_space_count(const sett_space* s, uint32_t* outside)
{
    if (outside != NULL) {
        *outside = s != NULL ? s->outside : 0;
    }
    return !argument_is_null(s, __func__, "space") ? s->count : 0;
}

void sett_space_random_place(const sett_space* s, uint32_t cell, uint64_t bits, double* at)
{
    if (argument_is_null(s, __func__, "space") || ARGUMENT_IS_NULL(at) || cell >= s->cell_count) {
        return;
    }
    int32_t numbers[3];
    space_numbers(s, cell, numbers);
    for (uint32_t k = 0; k < s->dimensions; k++) {
        /* 21 bits: the sum below rounds within the cell */
        double share = s->is_grid ? 0 : (double)(bits & 0x1FFFFF) * (1.0 / 0x200000);
        at[k] = s->origin[k] + (numbers[k] + share) * s->edge[k];
        bits >>= 21;
    }
}

sett_entity sett_space_random_entity(const sett_space* s, uint32_t cell, uint64_t bits)
{
    uint32_t count;
    if (argument_is_null(s, __func__, "space")) {
        return sett_null();
    }
    const sett_entity* entities = sett_space_cell(s, cell, &count);
    return entities != NULL ? entities[sett_random_range(bits, count)] : sett_null();
}

/* The n-th empty cell of all. */
static uint32_t space_nth_empty(const sett_space* s, uint64_t bits)
{
    uint32_t empty = 0;
    for (uint32_t k = 0; k < s->cell_count; k++) {
        empty += s->cell[k].count == 0;
    }
    uint32_t left = sett_random_range(bits, empty);
    for (uint32_t k = 0; k < s->cell_count && empty != 0; k++) {
        if (s->cell[k].count == 0 && left-- == 0) {
            return k;
        }
    }
    return SETT_SPACE_OUTSIDE;
}

static uint32_t space_random_empty_of_all(const sett_space* s, uint64_t bits)
{
    for (uint32_t k = 0; k < SPACE_TRIALS; k++) {
        uint64_t draw = sett_random(bits, sett_null(), k, 0);
        uint32_t cell = sett_random_range(draw, s->cell_count);
        if (s->cell[cell].count == 0) {
            return cell;
        }
    }
    return space_nth_empty(s, bits);
}

/* The cell at an offset; SETT_SPACE_OUTSIDE beyond the space or the radius. */
static uint32_t space_offset_cell(const sett_space* s, const int32_t from[3], const int32_t by[3],
                                  uint32_t radius)
{
    uint32_t measure = 0;
    uint32_t cell = 0;
    for (uint32_t k = 3; k-- > 0;) {
        uint32_t far = (uint32_t)(by[k] < 0 ? -by[k] : by[k]);
        measure += s->metric == SETT_SPACE_EUCLIDEAN   ? far * far
                   : s->metric == SETT_SPACE_MANHATTAN ? far
                                                       : 0;
        int32_t number = from[k] + by[k];
        if (s->periodic) {
            /* an offset to the farther image would meet a cell twice */
            if (2 * by[k] > s->cells[k] || 2 * by[k] <= -s->cells[k]) {
                return SETT_SPACE_OUTSIDE;
            }
            number = (number + s->cells[k]) % s->cells[k];
        }
        if (number < 0 || number >= s->cells[k]) {
            return SETT_SPACE_OUTSIDE;
        }
        cell = cell * (uint32_t)s->cells[k] + (uint32_t)number;
    }
    uint32_t limit = s->metric == SETT_SPACE_EUCLIDEAN ? radius * radius : radius;
    return measure <= limit ? cell : SETT_SPACE_OUTSIDE;
}

/* Counts the empty cells around a cell. Returns the `wanted`-th, or else how many there are. */
static uint32_t space_walk_empty(const sett_space* s, uint32_t cell, int32_t radius,
                                 uint32_t wanted)
{
    int32_t from[3];
    int32_t by[3];
    int32_t deep = s->dimensions == 3 ? radius : 0;
    uint32_t count = 0;
    space_numbers(s, cell, from);
    for (by[2] = -deep; by[2] <= deep; by[2]++) {
        for (by[1] = -radius; by[1] <= radius; by[1]++) {
            for (by[0] = -radius; by[0] <= radius; by[0]++) {
                uint32_t other = space_offset_cell(s, from, by, (uint32_t)radius);
                if (other != SETT_SPACE_OUTSIDE && other != cell && s->cell[other].count == 0 &&
                    count++ == wanted) {
                    return other;
                }
            }
        }
    }
    return count;
}

uint32_t sett_space_random_empty(const sett_space* s, const double* at, uint32_t radius,
                                 uint64_t bits)
{
    if (argument_is_null(s, __func__, "space") || radius > SPACE_REACH) {
        return SETT_SPACE_OUTSIDE;
    }
    if (at == NULL) {
        return space_random_empty_of_all(s, bits);
    }
    uint32_t cell = sett_space_cell_at(s, at);
    if (cell == SETT_SPACE_OUTSIDE) {
        return SETT_SPACE_OUTSIDE;
    }
    uint32_t count = space_walk_empty(s, cell, (int32_t)radius, UINT32_MAX);
    return count == 0 ? SETT_SPACE_OUTSIDE
                      : space_walk_empty(s, cell, (int32_t)radius, sett_random_range(bits, count));
}
