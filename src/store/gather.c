/* gather.c: finds the copies of values that loops work on. See gather.h.
 *
 * The workload: a loop over several sparse sets looks up a few handles in each batch. The row of an
 * entity in the loop's step gives the address of the copy. While a storage has a gather, the
 * storage's `handle_kind` is SETTI_GATHERED. Access by handle then takes the slow path.
 */
#include "store/gather.h"

void setti_gather_open(setti_gather_scratch* scratch, setti_gather_scratch** list)
{
    scratch->count = 0;
    memset(scratch->rows, 0, sizeof(scratch->rows));
    scratch->next = *list;
    scratch->link = list;
    if (scratch->next != NULL) { /* the scratch that was first before */
        scratch->next->link = &scratch->next;
    }
    *list = scratch;
}

void setti_gather_add(setti_gather_scratch* scratch, setti_storage* storage, unsigned char* values,
                      uint32_t term)
{
    setti_gather* gather = &scratch->gathers[scratch->count++];
    *gather = (setti_gather){.outer = storage->gather,
                             .storage = storage,
                             .scratch = scratch,
                             .values = values,
                             .term = term,
                             .used = true};
    storage->gather = gather;
    setti_storage_update_access(storage);
}

void setti_gather_close(setti_gather_scratch* scratch)
{
    for (uint32_t k = 0; k < scratch->count; k++) {
        setti_storage* storage = scratch->gathers[k].storage;
        setti_gather** link = &storage->gather;
        while (*link != &scratch->gathers[k]) { /* usually the first of the list */
            link = &(*link)->outer;
            SETTI_ASSERT(*link != NULL);
        }
        *link = (*link)->outer;
        setti_storage_update_access(storage);
    }
    *scratch->link = scratch->next; /* removes the scratch from the list */
    if (scratch->next != NULL) {
        scratch->next->link = scratch->link;
    }
}

void* setti_gather_find(const setti_storage* storage, const setti_gather_scratch* except,
                        uint32_t index)
{
    for (const setti_gather* gather = storage->gather; gather != NULL; gather = gather->outer) {
        const setti_gather_scratch* scratch = gather->scratch;
        if (scratch == except || !gather->used) {
            continue;
        }
        uint32_t loop_row = index;
        if (scratch->driver != NULL) {
            loop_row = setti_sparse_row(scratch->driver, index);
        }
        /* the row in the step; beyond the step for entities of other steps, also of earlier ones */
        uint32_t row = loop_row - scratch->base;
        if (row >= SETTI_GATHER_ROWS) {
            continue;
        }
        bool is_in_batch = ((scratch->rows[row / 64] >> (row % 64)) & 1) != 0;
        if (is_in_batch) {
            return gather->values + (size_t)row * storage->size;
        }
    }
    return NULL;
}

SETTI_COLD void* setti_storage_find_gathered(const setti_storage* storage, uint32_t index)
{
    uint32_t place = setti_storage_slot(storage, index);
    if (place == SETTI_NONE) {
        return NULL;
    }
    void* copy = setti_gather_find(storage, SETTI_GATHER_ANY, index);
    if (copy != NULL) {
        return copy;
    }
    return setti_storage_at(storage, place);
}
