/* compact.c: closing the gaps of a keep_order storage.
 *
 * Removal leaves a gap, so that a loop sees the rest in the order of their addition; moving all
 * later rows down at each removal, as an array would, makes removing everything quadratic. One pass
 * over the rows closes all gaps at once.
 *
 *     before   a . b . . c          after   a b c
 *
 * Invariant:  the rows that are no gaps keep their order;  afterwards extent == count
 */
#include "store/storage.h"

void setti_storage_compact(setti_pool* pool, setti_storage* storage)
{
    if (storage->kind != SETTI_PACKED || storage->extent == storage->count) {
        return;
    }
    uint32_t to = 0;
    for (uint32_t row = 0; row < storage->extent; row++) {
        if (*setti_storage_index(storage, row) == SETTI_NONE) {
            continue;
        }
        if (to != row) {
            setti_packed_move(pool, storage, row, to);
        }
        to++;
    }
    storage->extent = to;
    setti_packed_release(pool, storage);
}
