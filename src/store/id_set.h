/* id_set.h: a sparse set on pages of a pool. The free ids have an order as well. */
#ifndef SETTI_ID_SET_H
#define SETTI_ID_SET_H

#include "base/page.h"

#define SETTI_ID_SET_SHIFT 10
#define SETTI_ID_SET_ROWS ((uint32_t)1 << SETTI_ID_SET_SHIFT)
#define SETTI_ID_SET_MASK (SETTI_ID_SET_ROWS - 1)

/* The largest limit of a set: 2^32 less one page. The capacity is a number of whole pages, and must
 * be less than 2^32. */
#define SETTI_ID_SET_LIMIT (UINT32_MAX - SETTI_ID_SET_ROWS + 1)

typedef struct setti_id_page {
    uint32_t dense[SETTI_ID_SET_ROWS];  /* the id of each row */
    uint32_t sparse[SETTI_ID_SET_ROWS]; /* the row of each id */
} setti_id_page;

typedef struct setti_id_set {
    setti_pages pages; /* setti_id_page; a missing page means dense[n] = n and sparse[n] = n */
    uint32_t count;    /* the ids of the rows 0 to count - 1 are members */
    uint32_t limit;    /* all ids are less than the limit */
} setti_id_set;

void setti_id_set_init(setti_id_set* set, uint32_t limit);

/* Creates the page of the row `position`, if it is missing. The id `position` has the same page.
 * Returns false if memory runs out. */
bool setti_id_set_reserve_page(setti_pool* pool, setti_id_set* set, uint32_t position);

static inline uint32_t setti_id_set_capacity(const setti_id_set* set)
{
    return set->pages.count << SETTI_ID_SET_SHIFT;
}

SETTI_INLINE setti_id_page* setti_id_set_page_of(const setti_id_set* set, uint32_t position)
{
    return setti_pages_get(&set->pages, position >> SETTI_ID_SET_SHIFT);
}

/* Returns the id of a row. */
SETTI_INLINE uint32_t setti_id_set_dense(const setti_id_set* set, uint32_t row)
{
    const setti_id_page* page = setti_id_set_page_of(set, row);
    return page != NULL ? page->dense[row & SETTI_ID_SET_MASK] : row;
}

/* Returns the row of an id. */
SETTI_INLINE uint32_t setti_id_set_sparse(const setti_id_set* set, uint32_t id)
{
    const setti_id_page* page = setti_id_set_page_of(set, id);
    return page != NULL ? page->sparse[id & SETTI_ID_SET_MASK] : id;
}

SETTI_INLINE bool setti_id_set_has(const setti_id_set* set, uint32_t id)
{
    return setti_id_set_sparse(set, id) < set->count;
}

/* Makes room for setti_id_set_request. Returns false if memory runs out. */
bool setti_id_set_reserve_id(setti_pool* pool, setti_id_set* set, uint32_t id);

/* Adds a free id. Call setti_id_set_reserve_id before. */
void setti_id_set_request(setti_pool* pool, setti_id_set* set, uint32_t id);

/* Puts an id into a row. The caller puts the previous id of the row into another row. */
SETTI_INLINE void setti_id_set_put(setti_pool* pool, setti_id_set* set, uint32_t row, uint32_t id)
{
    setti_id_page* row_page = set->pages.data[row >> SETTI_ID_SET_SHIFT];
    setti_id_page* id_page = set->pages.data[id >> SETTI_ID_SET_SHIFT];
    setti_pages_write(pool, &set->pages, row >> SETTI_ID_SET_SHIFT);
    setti_pages_write(pool, &set->pages, id >> SETTI_ID_SET_SHIFT);
    row_page->dense[row & SETTI_ID_SET_MASK] = id;
    id_page->sparse[id & SETTI_ID_SET_MASK] = row;
}

/* Removes an id. The id becomes the first free id. */
SETTI_INLINE void setti_id_set_remove(setti_pool* pool, setti_id_set* set, uint32_t id)
{
    const setti_id_page* id_page = set->pages.data[id >> SETTI_ID_SET_SHIFT];
    uint32_t row = id_page->sparse[id & SETTI_ID_SET_MASK];
    uint32_t last = set->count - 1;
    SETTI_ASSERT(row <= last);
    set->count = last;
    if (row != last) { /* the id and the last member exchange rows */
        const setti_id_page* last_page = set->pages.data[last >> SETTI_ID_SET_SHIFT];
        uint32_t moved = last_page->dense[last & SETTI_ID_SET_MASK];
        setti_id_set_put(pool, set, row, moved);
        setti_id_set_put(pool, set, last, id);
    }
}

const char* setti_id_set_validate(const setti_id_set* set);

#endif
