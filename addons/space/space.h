/* space.h: a space from the inside. See space_update.c for its purpose and invariant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SPACE_INSIDE_H
#define SETT_SPACE_INSIDE_H

#include "sett_space.h"

/* Offsets are computed as they are written, with one rounding an operation, on all machines. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define SPACE_PAGE 1024u /* indices of entities a page */
#define SPACE_NOWHERE 0xFFFFFFFEu

/* The entities of a cell, by index, and the coordinates of each, in an allocation:
 *     [ handles: capacity ][ x: capacity ][ y: capacity ][ z: capacity ]
 * A grid has the handles alone, and a single one lies in the cell itself. */
typedef struct space_cell {
    union {
        unsigned char* data; /* NULL: none */
        sett_entity one;     /* in a grid, if `capacity` is 0 and `count` 1 */
    } at;
    uint32_t count;
    uint32_t capacity;
} space_cell;

/* What is known of the entities of 1,024 indices. */
typedef struct space_page {
    uint64_t in[SPACE_PAGE / 64];   /* bit: the entity was in the space at the last update */
    uint64_t seen[SPACE_PAGE / 64]; /* during an update: it matches; else 0 */
    uint32_t cell[SPACE_PAGE];      /* SETT_SPACE_OUTSIDE; SPACE_NOWHERE where `in` is 0 */
} space_page;

struct sett_space {
    sett_world* world;
    sett_component component;
    sett_query* all; /* which entities are in the space */
    uint32_t term;   /* the position's */
    uint32_t stride; /* bytes of a position */
    uint32_t dimensions;
    bool is_grid;
    bool periodic;
    bool stale; /* the next update looks at all entities */
    sett_space_metric metric;
    sett_space_number number[3];
    uint32_t offset[3]; /* of the coordinates in a position */

    double origin[3];
    int64_t corner[3]; /* of a grid: its origin */
    double size[3];
    double inverse[3]; /* cells a unit of length */
    double edge[3];    /* of a cell */
    int32_t cells[3];  /* 1 in a dimension that is not there */
    uint32_t cell_count;

    space_cell* cell;
    void* spare; /* a list of allocations of the smallest size */
    space_page** page;
    uint32_t page_room;
    uint32_t entry_size; /* bytes of an entity in a cell */
    uint32_t count;      /* entities in cells */
    uint32_t outside;    /* entities that match, in none */
    uint64_t since;      /* positions that were written up to this tick have been read */
};

static inline const sett_entity* space_handles(const space_cell* cell)
{
    return cell->capacity == 0 ? &cell->at.one : (const sett_entity*)(const void*)cell->at.data;
}

static inline const double* space_axis(const space_cell* cell, uint32_t axis)
{
    const unsigned char* after = cell->at.data + (size_t)cell->capacity * sizeof(sett_entity);
    return (const double*)(const void*)after + (size_t)axis * cell->capacity;
}

/* The page of an index; NULL if none of its entities was ever in the space. */
static inline space_page* space_page_of(const sett_space* s, uint32_t index)
{
    uint32_t number = index / SPACE_PAGE;
    return number < s->page_room ? s->page[number] : NULL;
}

static inline bool space_is_finite(double x)
{
    return x - x == 0.0;
}

/* space_cell.c */

/* Makes coordinates those of their image within a periodic space. Returns their cell. */
uint32_t setti_space_locate(const sett_space* s, double* at);

/* The first entity of a cell whose index is not below `index`. */
uint32_t setti_space_seek(const space_cell* cell, uint32_t index);

/* Returns the cell of an entity, and sets its place there; SETT_SPACE_OUTSIDE if it has none. */
static inline uint32_t space_cell_of(const sett_space* s, sett_entity entity, uint32_t* place)
{
    const space_page* page = space_page_of(s, entity.index);
    uint32_t number = page != NULL ? page->cell[entity.index % SPACE_PAGE] : SETT_SPACE_OUTSIDE;
    if (number == SETT_SPACE_OUTSIDE || number == SPACE_NOWHERE) {
        return SETT_SPACE_OUTSIDE;
    }
    const space_cell* cell = &s->cell[number];
    *place = cell->count == 1 ? 0 : setti_space_seek(cell, entity.index);
    bool is = space_handles(cell)[*place].generation == entity.generation;
    return is ? number : SETT_SPACE_OUTSIDE;
}

/* Adds to a cell, and removes from one. False when memory runs out. */
bool setti_space_insert(sett_space* s, uint32_t cell, sett_entity entity, const double* at);
void setti_space_erase(sett_space* s, uint32_t cell, uint32_t index);

/* Like these two, and in line for a cell of a grid that had none, or has a single one. */
static inline bool space_insert(sett_space* s, uint32_t number, sett_entity entity,
                                const double* at)
{
    space_cell* cell = &s->cell[number];
    if (!s->is_grid || cell->count != 0) {
        return setti_space_insert(s, number, entity, at);
    }
    cell->at.one = entity;
    cell->count = 1;
    return true;
}

static inline void space_erase(sett_space* s, uint32_t number, uint32_t index)
{
    space_cell* cell = &s->cell[number];
    if (cell->capacity != 0) {
        setti_space_erase(s, number, index);
        return;
    }
    *cell = (space_cell){.count = 0};
}

/* Sets world_error, and logs it in debug builds. */
sett_status setti_space_fail(sett_world* world, sett_status status, const char* call,
                             const char* message);

#endif
