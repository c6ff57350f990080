/* compact.c: closes the gaps of a keep_order storage, and opens them again.
 *
 * A removal leaves a gap, so that the order of the other rows stays. One pass over the rows closes
 * all gaps.
 *
 *     before   a . b . . c          after   a b c
 *
 * Invariant:  the order of values stays;  after setti_storage_compact, extent == count
 */
#include "store/storage.h"

void setti_storage_compact(setti_pool* pool, setti_storage* storage)
{
    if (storage->kind != SETTI_SPARSE || storage->extent == storage->count) {
        return;
    }
    uint32_t end = 0; /* the rows before `end` have no gaps */
    for (uint32_t row = 0; row < storage->extent; row++) {
        if (*setti_storage_index(storage, row) == SETTI_NONE) {
            continue;
        }
        if (end != row) {
            setti_sparse_move(pool, storage, row, end);
        }
        end++;
    }
    storage->extent = end;
    SETTI_ASSERT(end == storage->count);
    setti_sparse_release(pool, storage);
}

bool setti_sparse_spread(setti_pool* pool, setti_storage* storage, const uint32_t* want,
                         uint32_t extent)
{
    SETTI_ASSERT(want != NULL && extent >= storage->extent);
    uint32_t unmoved = storage->extent; /* number of values that have not moved yet */
    if (extent == unmoved) {
        return true;
    }
    SETTI_ASSERT(unmoved == storage->count); /* there are no gaps yet */
    if (!setti_sparse_reserve_pages(pool, storage, extent - unmoved)) {
        return false;
    }
    for (uint32_t row = unmoved; row < extent; row++) {
        setti_pages_write(pool, &storage->rows, row >> storage->shift);
        *setti_storage_index(storage, row) = SETTI_NONE;
    }
    storage->extent = extent;
    for (uint32_t row = extent; row-- > 0 && unmoved != 0;) { /* the last value moves first */
        if (want[row] == SETTI_NONE) {
            continue;
        }
        unmoved--; /* now the row of the value that moves to `row` */
        if (unmoved != row) {
            setti_sparse_move(pool, storage, unmoved, row);
            setti_pages_write(pool, &storage->rows, unmoved >> storage->shift);
            *setti_storage_index(storage, unmoved) = SETTI_NONE;
        }
    }
    return true;
}
