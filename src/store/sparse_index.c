/* sparse_index.c: the index of a sparse set finds the row of an entity.
 *
 * The workload: a thousand types, each on some hundred entities all over the world, and types on
 * half of the entities. With pages of 1,024 indices, a look-up is two loads. But 160 values among
 * 20,000 entities take 80 KB of such pages. A hash table of 4 KB has room for INDEX_MOST values,
 * whatever the indices of the entities are.
 *
 *     hashed   pages 0..hashed-1: slots { index, row }; a search ends at an empty slot
 *     paged    by entity index: the row or SETTI_NONE     | 2 . . 0 | (no page) | . 1 . . |
 *
 * A new set is hashed. With more than INDEX_MOST values, the index becomes paged, unless the
 * entities are far apart. When the world is trimmed, a small set becomes hashed again. While the
 * pool is pinned, a hash table grows instead. The size of a hash table does not depend on the
 * reserved indices.
 *
 * Invariant:  hashed: each page has at most INDEX_MOST used slots;  no slot between the home of an
 *             index and the slot of the index is empty;
 *             paged: a page's count = number of rows != SETTI_NONE
 */
#include "store/storage.h"

#define INDEX_MOST (SETTI_INDEX_SLOTS / 4 * 3) /* the most used slots of a page */

/* Returns the number of slots of the hash table - 1. The number of slots is a power of two. */
static uint32_t index_mask(const setti_storage* storage)
{
    SETTI_ASSERT(storage->hashed != 0);
    return storage->hashed * SETTI_INDEX_SLOTS - 1;
}

/* Returns the slot of an entity. If the entity has no slot, returns the empty slot where the entity
 * can be added. */
SETTI_INLINE uint32_t index_seek(const setti_storage* storage, uint32_t index)
{
    uint32_t mask = index_mask(storage);
    uint32_t position = setti_index_home(index, storage->hashed);
    if (SETTI_LIKELY(storage->hashed == 1)) { /* one page: no search for the page of each slot */
        const setti_sparse_page* page = storage->presence.data[0];
        while (page->slot[position].index != index && page->slot[position].index != SETTI_NONE) {
            position = (position + 1) & mask;
        }
        return position;
    }
    for (;; position = (position + 1) & mask) {
        uint32_t found = setti_index_slot_at(storage, position)->index;
        if (found == index || found == SETTI_NONE) {
            return position;
        }
    }
}

uint32_t setti_index_find(const setti_storage* storage, uint32_t index)
{
    if (storage->count == 0) {
        return SETTI_NONE; /* an empty set may have no page */
    }
    uint32_t position = index_seek(storage, index);
    if (setti_index_slot_at(storage, position)->index != index) {
        return SETTI_NONE;
    }
    return position;
}

uint32_t setti_index_row(const setti_storage* storage, uint32_t index)
{
    uint32_t position = setti_index_find(storage, index);
    if (position == SETTI_NONE) {
        return SETTI_NONE;
    }
    return setti_index_slot_at(storage, position)->row;
}

SETTI_INLINE void index_write_slot(setti_pool* pool, const setti_storage* storage,
                                   uint32_t position, setti_index_slot slot)
{
    setti_pages_write(pool, &storage->presence, position >> SETTI_INDEX_SHIFT);
    *setti_index_slot_at(storage, position) = slot;
}

static void index_clear_page(setti_pool* pool, const setti_storage* storage, uint32_t number)
{
    setti_sparse_page* page = storage->presence.data[number];
    setti_pages_write(pool, &storage->presence, number);
    memset(page->row, 0xFF, sizeof(page->row)); /* SETTI_NONE in all rows or slots */
    page->count = 0;
}

/* Creates the page `number` of the index, if it is missing. Returns false if memory runs out. */
static bool index_ensure_page(setti_pool* pool, setti_storage* storage, uint32_t number)
{
    bool fresh;
    if (!setti_pages_ensure(pool, &storage->presence, number, &fresh)) {
        return false;
    }
    if (fresh) {
        index_clear_page(pool, storage, number);
    }
    return true;
}

/* Frees the pages of the index that are not pages of the hash table. */
static void index_free_after_table(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->hashed != 0);
    uint32_t number = setti_pages_next(&storage->presence, storage->hashed);
    while (number != SETTI_NONE) {
        setti_pages_free(pool, &storage->presence, number);
        number = setti_pages_next(&storage->presence, number + 1);
    }
    storage->spare = SETTI_NONE;
}

/* Adds all rows to the empty index. */
static void index_fill(setti_pool* pool, setti_storage* storage)
{
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index != SETTI_NONE) {
            setti_sparse_put(pool, storage, index, row);
        }
    }
}

/* Makes the index a hash table of `pages` pages. Returns false if memory runs out. */
static bool index_use_hash(setti_pool* pool, setti_storage* storage, uint32_t pages)
{
    for (uint32_t number = 0; number < pages; number++) {
        if (!index_ensure_page(pool, storage, number)) {
            if (storage->hashed != 0) { /* a paged index may keep the empty pages */
                index_free_after_table(pool, storage);
            }
            return false;
        }
    }
    /* drops the old index; nothing can fail from here on */
    for (uint32_t number = 0; number < pages; number++) {
        index_clear_page(pool, storage, number);
    }
    storage->hashed = pages;
    index_fill(pool, storage);
    index_free_after_table(pool, storage);
    return true;
}

/* Makes a hashed index paged. Reuses the pages of the hash table. Returns false if memory runs
 * out. */
bool setti_sparse_use_pages(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(pool->pinned == 0 && storage->hashed != 0);
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index != SETTI_NONE && !index_ensure_page(pool, storage, index >> SETTI_SPARSE_SHIFT)) {
            index_free_after_table(pool, storage);
            return false;
        }
    }
    uint32_t hashed = storage->hashed; /* the pages of the old hash table */
    for (uint32_t number = 0; number < hashed; number++) {
        if (setti_pages_get(&storage->presence, number) != NULL) {
            index_clear_page(pool, storage, number);
        }
    }
    storage->hashed = 0;
    index_fill(pool, storage);
    for (uint32_t number = 0; number < hashed; number++) {
        const setti_sparse_page* page = setti_pages_get(&storage->presence, number);
        if (page != NULL && page->count == 0) { /* the paged index does not use the page */
            setti_pages_free(pool, &storage->presence, number);
        }
    }
    return true;
}

/* Whether the entities are too far apart for a paged index. */
static bool index_is_far(const setti_storage* storage)
{
    uint32_t highest = 0;
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index != SETTI_NONE && index > highest) {
            highest = index;
        }
    }
    /* the page table would have more than 16 entries for each value */
    return (highest >> SETTI_SPARSE_SHIFT) / 16 > storage->count;
}

/* Makes room for `count` more entries in a hash table, or makes the index paged. Returns false if
 * memory runs out. */
bool setti_sparse_reserve_entries(setti_pool* pool, setti_storage* storage, uint32_t count)
{
    uint64_t needed_slots = (uint64_t)storage->count + count;
    /* in a paged index, setti_sparse_reserve_index makes the room */
    if (storage->hashed == 0 || needed_slots <= (uint64_t)storage->hashed * INDEX_MOST) {
        return true;
    }
    if (pool->pinned == 0 && !index_is_far(storage)) {
        return setti_sparse_use_pages(pool, storage);
    }
    uint32_t pages = storage->hashed;
    while (needed_slots > (uint64_t)pages * INDEX_MOST) {
        pages *= 2;
    }
    return index_use_hash(pool, storage, pages);
}

bool setti_sparse_reserve_index(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE && index != SETTI_NONE);
    uint32_t number = 0; /* a hash table may lack only the first page */
    if (storage->hashed == 0) {
        number = index >> SETTI_SPARSE_SHIFT;
    }
    return index_ensure_page(pool, storage, number);
}

/* The fast path of setti_sparse_put for a hash table. Returns false if the slow path is needed. */
bool setti_index_try_put(const setti_pool* pool, setti_storage* storage, uint32_t index,
                         uint32_t row)
{
    const setti_pages* presence = &storage->presence;
    if (setti_pages_get(presence, 0) == NULL || storage->count >= storage->hashed * INDEX_MOST) {
        return false;
    }
    uint32_t position = index_seek(storage, index);
    setti_index_slot* slot = setti_index_slot_at(storage, position);
    if (slot->index != SETTI_NONE ||
        !setti_pages_try_write(pool, presence, position >> SETTI_INDEX_SHIFT)) {
        return false;
    }
    *slot = (setti_index_slot){index, row};
    return true;
}

/* Adds the row of an entity to the index. */
void setti_sparse_put(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t row)
{
    if (storage->hashed != 0) {
        uint32_t position = index_seek(storage, index);
        SETTI_ASSERT(setti_index_slot_at(storage, position)->index == SETTI_NONE);
        index_write_slot(pool, storage, position, (setti_index_slot){index, row});
        return;
    }
    uint32_t* entry = setti_sparse_entry_mut(pool, storage, index);
    SETTI_ASSERT(*entry == SETTI_NONE);
    *entry = row;
    ((setti_sparse_page*)storage->presence.data[index >> SETTI_SPARSE_SHIFT])->count++;
}

/* Empties the slot `hole`. Moves later slots into the hole, because a search ends at an empty slot
 * (backward shift). */
SETTI_INLINE void index_empty_slot(setti_pool* pool, const setti_storage* storage, uint32_t hole)
{
    uint32_t mask = index_mask(storage);
    for (uint32_t position = (hole + 1) & mask;; position = (position + 1) & mask) {
        setti_index_slot slot = *setti_index_slot_at(storage, position);
        if (slot.index == SETTI_NONE) {
            break;
        }
        uint32_t home = setti_index_home(slot.index, storage->hashed);
        /* if the hole is at `home`, or between `home` and `position`, a search for the slot would
         * end at the hole: the slot moves there */
        if (((position - home) & mask) >= ((position - hole) & mask)) {
            index_write_slot(pool, storage, hole, slot);
            hole = position;
        }
    }
    index_write_slot(pool, storage, hole, (setti_index_slot){SETTI_NONE, SETTI_NONE});
}

void setti_index_forget(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    uint32_t position = index_seek(storage, index);
    SETTI_ASSERT(setti_index_slot_at(storage, position)->index == index);
    index_empty_slot(pool, storage, position);
}

/* The fast path of setti_sparse_erase. Returns false if the slow path is needed. */
bool setti_index_try_erase(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    if (storage->hashed != 1 || storage->keep_order || storage->tracked) {
        return false;
    }
    if (storage->move != NULL || pool->cow_from != 0) {
        return false;
    }
    uint32_t hole = index_seek(storage, index);
    setti_sparse_page* page = storage->presence.data[0];
    uint32_t row = page->slot[hole].row;
    uint32_t last = storage->extent - 1;
    SETTI_ASSERT(page->slot[hole].index == index && row <= last);
    /* with SETTI_NO_COW, both calls return true */
    (void)setti_pages_try_mark(pool, &storage->presence, 0, SETTI_NO_COW);
    (void)setti_pages_try_mark(pool, &storage->rows, row >> storage->shift, SETTI_NO_COW);
    if (row != last) { /* the last value moves to `row` */
        uint32_t moved = *setti_storage_index(storage, last);
        page->slot[index_seek(storage, moved)].row = row;
        *setti_storage_index(storage, row) = moved;
        setti_row_copy(setti_storage_at(storage, row), setti_storage_at(storage, last),
                       storage->size);
    }
    index_empty_slot(pool, storage, hole);
    storage->extent = last;
    storage->count--;
    if ((last & (setti_storage_rows(storage) - 1)) == 0) { /* the last row began a page */
        setti_sparse_release(pool, storage);
    }
    return true;
}

/* If the set has few values, makes the index a hash table of one page. If the set has no values,
 * also frees the page. */
void setti_sparse_shrink(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(pool->pinned == 0);
    /* half of INDEX_MOST, so that the next additions do not change the index again */
    if (storage->hashed != 1 && storage->count <= INDEX_MOST / 2) {
        (void)index_use_hash(pool, storage, 1);
    }
    if (storage->hashed == 1 && storage->count == 0 && storage->presence.count != 0) {
        setti_pages_free(pool, &storage->presence, 0);
    }
}

/* Checks a hash table, and counts the entries in *entries. Returns the error, or NULL. */
static const char* index_validate_hash(const setti_storage* storage, uint32_t* entries)
{
    uint32_t pages = storage->hashed;
    if ((pages & (pages - 1)) != 0 || storage->count > (uint64_t)pages * INDEX_MOST) {
        return "sparse-set: the hash table has a wrong size";
    }
    for (uint32_t number = 0; number < SETTI_MAX(pages, storage->presence.count); number++) {
        bool may_miss = storage->count == 0 && pages == 1; /* an empty table needs no page */
        bool exists = setti_pages_get(&storage->presence, number) != NULL;
        bool is_missing = !exists && number < pages && !may_miss;
        bool is_superfluous = exists && number >= pages;
        if (is_missing || is_superfluous) {
            return "sparse-set: the hash table has other pages than its size says";
        }
    }
    uint32_t slots = pages * SETTI_INDEX_SLOTS;
    for (uint32_t position = 0; storage->count != 0 && position < slots; position++) {
        if (setti_index_slot_at(storage, position)->index != SETTI_NONE) {
            ++*entries;
        }
    }
    return NULL;
}

static const char* index_validate_pages(const setti_storage* storage, uint32_t* entries)
{
    for (uint32_t number = 0; number < storage->presence.count; number++) {
        const setti_sparse_page* page = storage->presence.data[number];
        uint32_t filled = 0;
        if (page == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < SETTI_SPARSE_ROWS; k++) {
            if (page->row[k] != SETTI_NONE) {
                filled++;
            }
        }
        if (filled != page->count) {
            return "sparse-set: a sparse page miscounts its entries";
        }
        *entries += filled;
    }
    return NULL;
}

SETTI_COLD const char* setti_sparse_validate_index(const setti_storage* storage)
{
    uint32_t entries = 0;
    const char* reason;
    if (storage->hashed != 0) {
        reason = index_validate_hash(storage, &entries);
    } else {
        reason = index_validate_pages(storage, &entries);
    }
    if (reason != NULL) {
        return reason;
    }
    return entries == storage->count ? NULL : "sparse-set: count is not the number of entries";
}
