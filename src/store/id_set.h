/* id_set.h: a sparse set that also keeps the order of the ids that are not in it, on pages of a
 * pool. The public sett_sparse_set is made of it. */
#ifndef SETTI_ID_SET_H
#define SETTI_ID_SET_H

#include "base/page.h"

#define SETTI_ID_SET_SHIFT 10
#define SETTI_ID_SET_ROWS ((uint32_t)1 << SETTI_ID_SET_SHIFT)
#define SETTI_ID_SET_MASK (SETTI_ID_SET_ROWS - 1)

/* Limits above this would let the capacity, a multiple of the rows, pass 2^32. */
#define SETTI_ID_SET_LIMIT (UINT32_MAX - SETTI_ID_SET_ROWS + 1)

typedef struct setti_id_page {
    uint32_t dense[SETTI_ID_SET_ROWS];  /* by row: its id */
    uint32_t sparse[SETTI_ID_SET_ROWS]; /* by id: its row */
} setti_id_page;

typedef struct setti_id_set {
    setti_pages pages; /* setti_id_page; a missing page is the identity */
    uint32_t count;    /* members: rows 0..count-1 */
    uint32_t limit;    /* numbers stay below */
} setti_id_set;

/* An empty set of numbers below `limit`. */
void setti_id_set_init(setti_id_set* set, uint32_t limit);

/* Makes the page of row (and number) `at` exist, as identity. */
bool setti_id_set_reserve_page(setti_pool* pool, setti_id_set* set, uint32_t at);

static inline uint32_t setti_id_set_capacity(const setti_id_set* set)
{
    return set->pages.count << SETTI_ID_SET_SHIFT;
}

SETTI_INLINE setti_id_page* setti_id_set_page_of(const setti_id_set* set, uint32_t at)
{
    return setti_pages_get(&set->pages, at >> SETTI_ID_SET_SHIFT);
}

/* The id in a row: the row itself where there is no page. */
SETTI_INLINE uint32_t setti_id_set_dense(const setti_id_set* set, uint32_t row)
{
    const setti_id_page* page = setti_id_set_page_of(set, row);
    return page != NULL ? page->dense[row & SETTI_ID_SET_MASK] : row;
}

/* The row of an id: the id itself where there is no page. */
SETTI_INLINE uint32_t setti_id_set_sparse(const setti_id_set* set, uint32_t id)
{
    const setti_id_page* page = setti_id_set_page_of(set, id);
    return page != NULL ? page->sparse[id & SETTI_ID_SET_MASK] : id;
}

SETTI_INLINE bool setti_id_set_has(const setti_id_set* set, uint32_t id)
{
    return setti_id_set_sparse(set, id) < set->count;
}

/* Creates the pages that adding `id` needs. After it setti_id_set_request cannot fail. */
bool setti_id_set_reserve_id(setti_pool* pool, setti_id_set* set, uint32_t id);

/* Adds a number that is not in the set; its pages exist. */
void setti_id_set_request(setti_pool* pool, setti_id_set* set, uint32_t id);

/* Makes `id` the id of a row, in both directions. The pages of both exist. The caller puts the id
 * that was there into another row. */
SETTI_INLINE void setti_id_set_put(setti_pool* pool, setti_id_set* set, uint32_t row, uint32_t id)
{
    setti_id_page* row_page = set->pages.data[row >> SETTI_ID_SET_SHIFT];
    setti_id_page* id_page = set->pages.data[id >> SETTI_ID_SET_SHIFT];
    setti_pages_write(pool, &set->pages, row >> SETTI_ID_SET_SHIFT);
    setti_pages_write(pool, &set->pages, id >> SETTI_ID_SET_SHIFT);
    row_page->dense[row & SETTI_ID_SET_MASK] = id;
    id_page->sparse[id & SETTI_ID_SET_MASK] = row;
}

/* Removes a member; its row is then row `count`. Needs no memory. */
SETTI_INLINE void setti_id_set_remove(setti_pool* pool, setti_id_set* set, uint32_t id)
{
    const setti_id_page* id_page = set->pages.data[id >> SETTI_ID_SET_SHIFT];
    uint32_t row = id_page->sparse[id & SETTI_ID_SET_MASK];
    uint32_t last = set->count - 1;
    SETTI_ASSERT(row <= last);
    set->count = last;
    if (row != last) {
        const setti_id_page* last_page = set->pages.data[last >> SETTI_ID_SET_SHIFT];
        uint32_t moved = last_page->dense[last & SETTI_ID_SET_MASK];
        setti_id_set_put(pool, set, row, moved);
        setti_id_set_put(pool, set, last, id);
    }
}

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_id_set_validate(const setti_id_set* set);

#endif
