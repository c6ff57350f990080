/* storage_sparse_set.c: the sparse set with values.
 *
 * The workload: components of few entities, walked from end to end; types with keep_order. An
 * addition appends a row. A removal moves the last row to the empty row. With keep_order, a removal
 * leaves a gap for compact.c.
 *
 *     page     values of rows | ticks, if tracked | entity indices of rows
 *
 * Invariant:  sparse[indices[r]] == r for each row r < extent except gaps (sparse_index.c);
 * count = number of rows that are no gaps;  no keep_order => no gaps;  the last row is no gap */
#include "base/cow.h"
#include "store/storage.h"

bool setti_sparse_reserve_pages(setti_pool* pool, setti_storage* storage, uint32_t count)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    if (count == 0) {
        return true;
    }
    if (count > SETTI_NONE - storage->extent) {
        return false; /* so many row numbers do not exist: treated as if memory ran out */
    }
    bool fresh; /* not needed */
    uint32_t last = (storage->extent + count - 1) >> storage->shift;
    for (uint32_t number = storage->extent >> storage->shift; number <= last; number++) {
        if (!setti_pages_ensure(pool, &storage->rows, number, &fresh)) {
            return false;
        }
    }
    return true;
}

bool setti_sparse_reserve_rows(setti_pool* pool, setti_storage* storage, uint32_t count)
{
    return setti_sparse_reserve_pages(pool, storage, count) &&
           setti_sparse_reserve_entries(pool, storage, count);
}

/* Whether the next insertion first closes the gaps: if the insertion needs a new page, and at least
 * half of the rows are gaps. */
bool setti_sparse_is_full(const setti_storage* storage)
{
    if (storage->kind != SETTI_SPARSE || storage->extent == 0) {
        return false;
    }
    if (storage->extent - storage->count < storage->count) {
        return false; /* fewer gaps than values */
    }
    return setti_pages_get(&storage->rows, storage->extent >> storage->shift) == NULL;
}

bool setti_sparse_reserve(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    if (setti_sparse_is_full(storage)) {
        setti_storage_compact(pool, storage);
    }
    return setti_sparse_reserve_rows(pool, storage, 1) &&
           setti_sparse_reserve_index(pool, storage, index);
}

/* The fast path of setti_sparse_put for a paged index. Returns false if the slow path is needed. */
SETTI_INLINE bool sparse_try_put(const setti_pool* pool, setti_storage* storage, uint32_t index,
                                 uint32_t row)
{
    uint32_t number = index >> SETTI_SPARSE_SHIFT;
    setti_sparse_page* page = setti_pages_get(&storage->presence, number);
    if (page == NULL || page->row[index & SETTI_SPARSE_MASK] != SETTI_NONE ||
        !setti_pages_try_write(pool, &storage->presence, number)) {
        return false;
    }
    page->row[index & SETTI_SPARSE_MASK] = row;
    page->count++;
    return true;
}

/* The fast path of setti_sparse_insert. Returns NULL if the slow path is needed. */
void* setti_sparse_try_insert(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    uint32_t row = storage->extent;
    uint32_t number = row >> storage->shift;
    if (setti_pages_get(&storage->rows, number) == NULL ||
        !setti_pages_try_write(pool, &storage->rows, number)) {
        return NULL;
    }
    bool added;
    if (storage->hashed != 0) {
        added = setti_index_try_put(pool, storage, index, row);
    } else {
        added = sparse_try_put(pool, storage, index, row);
    }
    if (!added) {
        return NULL;
    }
    if (storage->tracked) {
        *setti_storage_tick(storage, row) = pool->tick;
    }
    *setti_storage_index(storage, row) = index;
    storage->extent = row + 1;
    storage->count++;
    return setti_storage_at(storage, row);
}

void* setti_sparse_insert(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t* count)
{
    SETTI_ASSERT(storage->extent <= SETTI_NONE - *count);
    SETTI_ASSERT(setti_pages_get(&storage->rows, storage->extent >> storage->shift) != NULL);
    uint32_t rows = setti_storage_rows(storage);
    uint32_t first = storage->extent;
    *count = SETTI_MIN(*count, rows - (first & (rows - 1))); /* up to the end of the page */
    for (uint32_t k = 0; k < *count; k++) {
        setti_sparse_put(pool, storage, index + k, first + k);
        setti_storage_write(pool, storage, first + k);
        *setti_storage_index(storage, first + k) = index + k;
        storage->count++;
    }
    storage->extent += *count;
    return setti_storage_at(storage, first);
}

/* Moves a value from `old_row` to `new_row`. The caller empties `old_row`. */
void setti_sparse_move(setti_pool* pool, setti_storage* storage, uint32_t old_row, uint32_t new_row)
{
    SETTI_ASSERT(old_row != new_row && *setti_storage_index(storage, old_row) != SETTI_NONE);
    if (setti_pages_values(&storage->rows) != NULL) { /* saved before the value moves */
        setti_pages_write(pool, &storage->rows, old_row >> storage->shift);
    }
    setti_sparse_assign_row(pool, storage, *setti_storage_index(storage, old_row), new_row);
    if (storage->tracked) {
        setti_storage_move_tick(storage, old_row, storage, new_row);
    }
    if (storage->move != NULL) {
        storage->move(setti_storage_at(storage, new_row), setti_storage_at(storage, old_row), 1,
                      storage->user);
    } else {
        setti_row_copy(setti_storage_at(storage, new_row), setti_storage_at(storage, old_row),
                       storage->size);
    }
}

/* Frees the empty pages of rows, except the first empty page. */
void setti_sparse_release(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    uint32_t used_pages = (storage->extent + setti_storage_rows(storage) - 1) >> storage->shift;
    /* the first empty page, number `used_pages`, stays for the next rows */
    for (uint32_t number = used_pages + 1; setti_pages_get(&storage->rows, number) != NULL;
         number++) {
        if (SETTI_UNLIKELY(pool->pinned != 0)) {
            setti_storage_note_stray(pool, storage, SETTI_STRAYS);
            return;
        }
        setti_pages_free(pool, &storage->rows, number);
    }
}

/* Removes an entity from the index. */
static void sparse_forget(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    if (storage->hashed != 0) {
        setti_index_forget(pool, storage, index);
        return;
    }
    uint32_t number = index >> SETTI_SPARSE_SHIFT;
    setti_sparse_page* page = storage->presence.data[number];
    SETTI_ASSERT(page->count != 0);
    setti_pages_write(pool, &storage->presence, number);
    page->row[index & SETTI_SPARSE_MASK] = SETTI_NONE;
    page->count--;
    if (page->count != 0 || storage->spare == number) {
        return;
    }
    if (SETTI_UNLIKELY(pool->pinned != 0)) {
        setti_storage_note_stray(pool, storage, SETTI_STRAYS);
        return;
    }
    setti_sparse_trim(pool, storage); /* frees the previous spare */
    storage->spare = number;
}

void setti_sparse_free_strays(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE && storage->stray == SETTI_STRAYS);
    setti_sparse_release(pool, storage);
    storage->spare = SETTI_NONE;
    if (storage->hashed != 0) {
        return;
    }
    for (uint32_t number = 0; number < storage->presence.count; number++) {
        const setti_sparse_page* page = storage->presence.data[number];
        if (page != NULL && page->count == 0) {
            setti_pages_free(pool, &storage->presence, number);
        }
    }
}

/* The slow path of setti_sparse_erase. */
static void sparse_erase(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    uint32_t row = setti_sparse_row(storage, index);
    uint32_t last = storage->extent - 1;
    SETTI_ASSERT(row != SETTI_NONE);
    setti_pages_write(pool, &storage->rows, row >> storage->shift);
    if (row == last) {
        do { /* removes the last row and the gaps just before the last row */
            storage->extent--;
        } while (storage->extent > 0 &&
                 *setti_storage_index(storage, storage->extent - 1) == SETTI_NONE);
        setti_sparse_release(pool, storage);
    } else if (storage->keep_order) {
        *setti_storage_index(storage, row) = SETTI_NONE;
    } else {
        setti_sparse_move(pool, storage, last, row);
        storage->extent--;
        setti_sparse_release(pool, storage);
    }
    sparse_forget(pool, storage, index);
    storage->count--;
}

void setti_sparse_erase(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->extent != 0 && storage->count != 0);
    if (storage->hashed != 1 || !setti_index_try_erase(pool, storage, index)) {
        sparse_erase(pool, storage, index);
    }
}

void setti_sparse_trim(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    const setti_sparse_page* page = setti_pages_get(&storage->presence, storage->spare);
    if (storage->hashed == 0 && page != NULL && page->count == 0) {
        setti_pages_free(pool, &storage->presence, storage->spare);
    }
    storage->spare = SETTI_NONE;
}

/* Walks from the last row to the first. Returns the index of the next row that is no gap. Returns
 * SETTI_NONE at the end. *cursor is 0 at the beginning, then the latest row + 1. */
uint32_t setti_sparse_next(const setti_storage* storage, uint32_t* cursor)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    uint32_t row = storage->extent;
    if (*cursor != 0) {
        row = SETTI_MIN(*cursor - 1, storage->extent);
    }
    while (row > 0) {
        row--;
        uint32_t index = *setti_storage_index(storage, row);
        if (index != SETTI_NONE) {
            *cursor = row + 1;
            return index;
        }
    }
    *cursor = 1; /* as after row 0: no row is left */
    return SETTI_NONE;
}

SETTI_COLD const char* setti_sparse_validate(const setti_storage* storage)
{
    uint32_t found = 0;
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index == SETTI_NONE) {
            if (!storage->keep_order || row + 1 == storage->extent) {
                return "sparse-set: a gap where none may be";
            }
            continue;
        }
        found++;
        if (setti_sparse_row(storage, index) != row) {
            return "sparse-set: sparse[indices[row]] != row";
        }
    }
    if (found != storage->count) {
        return "sparse-set: count is not the number of rows";
    }
    return setti_sparse_validate_index(storage);
}
