/* space_cell.c: the cells of a space.
 *
 * The workload: some entities a cell, up to some hundreds, in up to millions of cells. Entities of
 * a cell lie side by side with their coordinates, so that a search reads the memory of its cells
 * and nothing else. They are sorted by index: an entity that comes or goes moves those behind it,
 * which costs less than a sort in each search. A cell that becomes empty returns its memory.
 *
 *     cell   [ e2 e7 e9  .  . ][ x2 x7 x9  .  . ][ y2 y7 y9  .  . ]     capacity 5, count 3
 *
 * Invariant:  handles of a cell ascend by index;  a cell without entities has no memory, nor has
 *             one of a grid with a single one
 */
#include "space.h"

#include <stdio.h>
#include <string.h>

#define SPACE_CHUNK 64u /* bytes of the smallest allocation */

/* Exact: each subtraction is of numbers within a factor of two. Without libm, which rounds in its
 * own way on some machines. */
static double space_wrap(double x, double size)
{
    if (x >= 0 && x < size) {
        return x;
    }
    double rest = x < 0 ? -x : x;
    double multiple = size;
    while (multiple <= rest / 2) {
        multiple *= 2;
    }
    for (; multiple >= size; multiple /= 2) {
        rest = rest >= multiple ? rest - multiple : rest;
    }
    if (x < 0 && rest > 0) {
        rest = size - rest;
    }
    return rest < size ? rest : 0; /* size - rest can round to size */
}

uint32_t setti_space_locate(const sett_space* s, double* at)
{
    uint32_t cell = 0;
    for (uint32_t k = s->dimensions; k-- > 0;) {
        if (!space_is_finite(at[k])) {
            return SETT_SPACE_OUTSIDE;
        }
        double x = at[k] - s->origin[k];
        if (s->periodic) {
            double in = space_wrap(x, s->size[k]);
            at[k] = in == x ? at[k] : s->origin[k] + in;
            x = in;
        } else if (s->is_grid && !(x >= 0 && x < s->size[k])) {
            return SETT_SPACE_OUTSIDE;
        }
        double number = x * s->inverse[k];
        int32_t last = s->cells[k] - 1;
        int32_t i = !(number > 0) ? 0 : number < last ? (int32_t)number : last;
        cell = cell * (uint32_t)s->cells[k] + (uint32_t)i;
    }
    return cell;
}

uint32_t setti_space_seek(const space_cell* cell, uint32_t index)
{
    const sett_entity* handles = space_handles(cell);
    uint32_t low = 0;
    uint32_t high = cell->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (handles[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static size_t space_chunk_size(const sett_space* s, uint32_t capacity)
{
    size_t size = SPACE_CHUNK;
    while (size / s->entry_size < capacity) {
        size *= 2;
    }
    return size;
}

static unsigned char* space_chunk_take(sett_space* s, size_t size)
{
    if (size == SPACE_CHUNK && s->spare != NULL) {
        void* chunk = s->spare;
        memcpy(&s->spare, chunk, sizeof(s->spare));
        return chunk;
    }
    return sett_world_alloc(s->world, size, 16);
}

static void space_chunk_give(sett_space* s, unsigned char* chunk, size_t size)
{
    if (size == SPACE_CHUNK) {
        memcpy(chunk, &s->spare, sizeof(s->spare));
        s->spare = chunk;
    } else if (chunk != NULL) {
        (void)sett_world_release(s->world, chunk, size, 16);
    }
}

/* The arrays of a cell: the handles, then each coordinate. All have elements of 8 bytes. */
static unsigned char* space_array(space_cell* cell, uint32_t k)
{
    return cell->capacity == 0 ? (unsigned char*)&cell->at.one
                               : cell->at.data + (size_t)k * cell->capacity * sizeof(double);
}

static void space_cell_free(sett_space* s, const space_cell* cell)
{
    if (cell->capacity != 0) {
        space_chunk_give(s, cell->at.data, space_chunk_size(s, cell->capacity));
    }
}

static bool space_cell_grow(sett_space* s, space_cell* cell)
{
    size_t size = space_chunk_size(s, cell->count + 1);
    space_cell grown = {.count = cell->count, .capacity = (uint32_t)(size / s->entry_size)};
    grown.at.data = space_chunk_take(s, size);
    if (grown.at.data == NULL) {
        return false;
    }
    for (uint32_t k = 0; cell->count != 0 && k < s->entry_size / sizeof(double); k++) {
        memcpy(space_array(&grown, k), space_array(cell, k), cell->count * sizeof(double));
    }
    space_cell_free(s, cell);
    *cell = grown;
    return true;
}

bool setti_space_insert(sett_space* s, uint32_t number, sett_entity entity, const double* at)
{
    space_cell* cell = &s->cell[number];
    if (cell->count >= cell->capacity && !space_cell_grow(s, cell)) {
        return false;
    }
    uint32_t place = setti_space_seek(cell, entity.index);
    for (uint32_t k = 0; k < s->entry_size / sizeof(double); k++) {
        unsigned char* array = space_array(cell, k) + place * sizeof(double);
        memmove(array + sizeof(double), array, (cell->count - place) * sizeof(double));
        memcpy(array, k == 0 ? (const void*)&entity : &at[k - 1], sizeof(double));
    }
    cell->count++;
    return true;
}

void setti_space_erase(sett_space* s, uint32_t number, uint32_t index)
{
    space_cell* cell = &s->cell[number];
    uint32_t place = setti_space_seek(cell, index);
    cell->count--;
    if (cell->count == 0) {
        space_cell_free(s, cell);
        memset(cell, 0, sizeof(*cell));
        return;
    }
    for (uint32_t k = 0; k < s->entry_size / sizeof(double); k++) {
        unsigned char* array = space_array(cell, k) + place * sizeof(double);
        memmove(array, array + sizeof(double), (cell->count - place) * sizeof(double));
    }
}

sett_status setti_space_fail(sett_world* world, sett_status status, const char* call,
                             const char* message)
{
    sett_failure failure = {.status = status};
    snprintf(failure.message, sizeof(failure.message), "%s: %s", call, message);
#ifndef NDEBUG
    sett_world_log(world, SETT_LOG_ERROR, failure.message);
#endif
    sett_world_swap_failure(world, &failure);
    return status;
}
