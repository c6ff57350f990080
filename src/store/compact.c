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
    uint32_t end = 0; /* number of rows without gaps so far */
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
    uint32_t left = storage->extent; /* the values of the rows < left have not moved yet */
    if (extent == left) {
        return true;
    }
    SETTI_ASSERT(left == storage->count);
    if (!setti_sparse_reserve_pages(pool, storage, extent - left)) {
        return false;
    }
    for (uint32_t row = left; row < extent; row++) {
        setti_pages_write(pool, &storage->rows, row >> storage->shift);
        *setti_storage_index(storage, row) = SETTI_NONE;
    }
    storage->extent = extent;
    for (uint32_t row = extent; row-- > 0 && left != 0;) { /* the last value moves first */
        if (want[row] == SETTI_NONE) {
            continue;
        }
        left--;
        if (left != row) {
            setti_sparse_move(pool, storage, left, row);
            setti_pages_write(pool, &storage->rows, left >> storage->shift);
            *setti_storage_index(storage, left) = SETTI_NONE;
        }
    }
    return true;
}
