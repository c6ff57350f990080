/* id_set.c: the sparse set of Briggs and Torczon, "An efficient representation for sparse sets"
 * (1993). As in the Varkor engine, the free ids are part of the permutation too.
 *
 * The workload: entities are created and destroyed by the hundred thousand, mostly the newest or a
 * random entity, without a search.
 *
 *     row      0 1 2 | 3 4 5           dense   members first, in the order of loops; then free ids
 *     dense    7 2 5 | 3 0 1 ...       sparse  the inverse permutation
 *
 * Invariant:  dense[sparse[id]] == id and sparse[dense[row]] == row, below the capacity;
 *             for each row < count, the page of the row and the page of the row's id exist, so that
 *             removal needs no memory
 */
#include "store/id_set.h"

void setti_id_set_init(setti_id_set* set, uint32_t limit)
{
    setti_pages_init(&set->pages, sizeof(setti_id_page), 64);
    set->count = 0;
    set->limit = SETTI_MIN(limit, SETTI_ID_SET_LIMIT);
}

bool setti_id_set_reserve_page(setti_pool* pool, setti_id_set* set, uint32_t position)
{
    uint32_t number = position >> SETTI_ID_SET_SHIFT;
    bool fresh; /* always true: the page is missing */
    if (SETTI_LIKELY(setti_id_set_page_of(set, position) != NULL)) {
        return true;
    }
    if (!setti_pages_ensure(pool, &set->pages, number, &fresh)) {
        return false;
    }
    setti_id_page* page = set->pages.data[number];
    for (uint32_t k = 0; k < SETTI_ID_SET_ROWS; k++) {
        page->dense[k] = (number << SETTI_ID_SET_SHIFT) + k;
        page->sparse[k] = (number << SETTI_ID_SET_SHIFT) + k;
    }
    return true;
}

bool setti_id_set_reserve_id(setti_pool* pool, setti_id_set* set, uint32_t id)
{
    /* setti_id_set_request swaps two rows, and writes to the pages of both rows and both ids */
    uint32_t free_row = set->count;
    if (!setti_id_set_reserve_page(pool, set, free_row) ||
        !setti_id_set_reserve_page(pool, set, id)) {
        return false;
    }
    uint32_t free_id = setti_id_set_dense(set, free_row);
    uint32_t row = setti_id_set_sparse(set, id);
    return setti_id_set_reserve_page(pool, set, free_id) &&
           setti_id_set_reserve_page(pool, set, row);
}

void setti_id_set_request(setti_pool* pool, setti_id_set* set, uint32_t id)
{
    SETTI_ASSERT(!setti_id_set_has(set, id) && set->count < set->limit && id < set->limit);
    uint32_t row = setti_id_set_sparse(set, id);
    if (row != set->count) { /* usually the id is in the first free row already */
        setti_id_set_put(pool, set, row, setti_id_set_dense(set, set->count));
        setti_id_set_put(pool, set, set->count, id);
    }
    set->count++;
}

SETTI_COLD const char* setti_id_set_validate(const setti_id_set* set)
{
    uint32_t capacity = setti_id_set_capacity(set);
    if (set->count > capacity) {
        return "sparse set: count beyond capacity";
    }
    for (uint32_t k = 0; k < capacity; k++) {
        uint32_t id = setti_id_set_dense(set, k);
        if (id >= capacity || setti_id_set_sparse(set, id) != k) {
            return "sparse set: sparse[dense[row]] != row";
        }
        bool has_pages =
            setti_id_set_page_of(set, k) != NULL && setti_id_set_page_of(set, id) != NULL;
        if (k < set->count && !has_pages) {
            return "sparse set: a member has no page";
        }
    }
    return NULL;
}
