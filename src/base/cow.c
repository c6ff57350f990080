/* cow.c: copy-on-write: saves pages before they are written. See cow.h.
 *
 * The workload: some hundred pages of 16 KB at the first writes of a frame. The copy costs most.
 * Besides the copy, a save only appends an entry. When a snapshot is destroyed, the memory of the
 * copies returns to the pool's free lists. The next snapshot reuses the memory.
 *
 *     table   | data | tick | entry |        diff   | pages, number, kind, data, tick | ...
 *                               |                      ^
 *                               +----------------------+
 *
 * Invariant:  tick[n] >= cow_from  <=>  the diff has exactly one entry of page n, entry[n]
 */
#include "base/cow.h"

#include <string.h>

setti_page_notes* setti_notes_get(setti_pool* pool, setti_pages* pages)
{
    SETTI_ASSERT(pages->notes == NULL || pages->notes->hash_count == 0 ||
                 pages->notes->hash != NULL);
    if (pages->notes == NULL) {
        pages->notes = setti_pool_alloc_zero(pool, sizeof(*pages->notes), 16);
    }
    return pages->notes;
}

void setti_notes_forget_all(const setti_pages* pages)
{
    const setti_page_notes* notes = pages->notes;
    if (notes == NULL) {
        return;
    }
    for (uint32_t k = 0; k < notes->hash_count; k++) {
        if (notes->hash[k].tick != 0) { /* untouched memory stays untouched */
            notes->hash[k].tick = 0;
        }
    }
}

void setti_notes_free_hash(setti_pool* pool, const setti_pages* pages)
{
    SETTI_ASSERT(pages->notes != NULL);
    setti_page_notes* notes = pages->notes;
    setti_pool_free(pool, notes->hash, notes->hash_count * sizeof(setti_page_hash), 16);
    notes->hash = NULL;
    notes->hash_count = 0;
}

bool setti_diff_reserve(setti_pool* pool, setti_diff* diff, uint32_t count)
{
    SETTI_ASSERT(diff->count <= diff->capacity);
    if (count <= diff->capacity - diff->count) {
        return true;
    }
    void* item =
        setti_pool_grow(pool, diff->item, sizeof(*diff->item), diff->count, count, &diff->capacity);
    if (item == NULL) {
        return false;
    }
    diff->item = item;
    return true;
}

/* Counts a page that the diff owns from now on. `page` may be NULL. */
static void diff_hold(setti_diff* diff, const setti_pages* pages, const void* page)
{
    if (page != NULL) {
        diff->pages++;
        diff->size += pages->size;
    }
}

/* Counts a page that the diff no longer owns. `page` may be NULL. */
static void diff_let_go(setti_diff* diff, const setti_pages* pages, const void* page)
{
    SETTI_ASSERT(page == NULL || diff->pages != 0);
    if (page != NULL) {
        diff->pages--;
        diff->size -= pages->size;
    }
}

/* Appends an entry to the diff. Returns NULL if memory runs out. */
static setti_cow_entry* cow_append(setti_pool* pool, const setti_pages* pages, uint32_t number,
                                   setti_cow_kind kind, void* data)
{
    SETTI_ASSERT(number < pages->count && pool->cow->diff != NULL);
    setti_diff* diff = pool->cow->diff;
    if (diff->count == diff->capacity &&
        !setti_diff_reserve(pool, diff, SETTI_MAX(pool->cow->expected, 16))) {
        return NULL;
    }
    setti_cow_entry* entry = &diff->item[diff->count];
    entry->pages = setti_unconst(pages);
    entry->data = data;
    entry->tick = pages->tick[number];
    entry->number = number;
    entry->kind = (uint32_t)kind;
    diff_hold(diff, pages, data);
    *setti_pages_entry(pages, number) = diff->count++;
    return entry;
}

bool setti_cow_hold(setti_pool* pool, setti_cow* cow, const setti_pages* pages, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        setti_spare* spare = setti_pool_alloc_exempt(pool, pages->size, pages->align);
        if (spare == NULL) {
            return false;
        }
        spare->next = cow->spare;
        spare->size = pages->size;
        spare->align = pages->align;
        cow->spare = spare;
    }
    return true;
}

void setti_cow_let_go(setti_pool* pool, setti_cow* cow)
{
    while (cow->spare != NULL) {
        setti_spare* spare = cow->spare;
        cow->spare = spare->next;
        setti_pool_free(pool, spare, spare->size, spare->align);
    }
    cow->spare_taken = false;
}

/* Takes a spare that has the size and alignment of the table's pages. Returns NULL if there is no
 * such spare. */
SETTI_COLD static void* cow_take_spare(const setti_pool* pool, const setti_pages* pages)
{
    for (setti_spare** link = &pool->cow->spare; *link != NULL; link = &(*link)->next) {
        setti_spare* spare = *link;
        if (spare->size == pages->size && spare->align == pages->align) {
            *link = spare->next;
            pool->cow->spare_taken = true;
            return spare;
        }
    }
    return NULL;
}

/* Appends a copy of a page to the diff. If there is no page, appends a SETTI_COW_ABSENT entry.
 * Returns false if memory runs out. */
static bool cow_copy(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(pages->tick[number] < pool->cow_from);
    const void* page = pages->data[number];
    if (page == NULL) {
        return cow_append(pool, pages, number, SETTI_COW_ABSENT, NULL) != NULL;
    }
    void* copy = setti_pool_alloc_exempt(pool, pages->size, pages->align);
    if (copy == NULL) {
        copy = cow_take_spare(pool, pages);
    }
    if (copy == NULL || cow_append(pool, pages, number, SETTI_COW_COPY, copy) == NULL) {
        setti_pool_free(pool, copy, pages->size, pages->align);
        return false;
    }
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->save(pages, number, copy);
    } else {
        memcpy(copy, page, pages->size);
    }
    setti_cow* cow = pool->cow;
    if (cow->limit != 0 && cow->others + cow->diff->size > cow->limit) {
        cow->full(cow);
    }
    return true;
}

static void cow_save(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    setti_lock_take(&pool->lock);
    /* before the lock was taken, another thread may have ended copy-on-write or saved the page */
    bool has_diff = pool->cow->diff != NULL;
    if (has_diff && pages->tick[number] < pool->cow_from) {
        if (!cow_copy(pool, pages, number)) {
            pool->cow->end(pool->cow, SETTI_COW_OUT_OF_MEMORY);
        }
    }
    setti_lock_release(&pool->lock);
}

/* Moves the saved contents `saved` to the page `page`. */
static void cow_move(const setti_pages* pages, void* page, void* saved)
{
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->move(pages, page, saved);
    } else {
        memcpy(page, saved, pages->size);
    }
}

/* Moves a page to the diff, instead of freeing the page. Returns true if the diff owns the page
 * now. */
static bool cow_park(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(pool->cow_from != 0 && pages->data[number] != NULL);
    void* page = pages->data[number];
    if (pool->cow->diff == NULL) {
        return false; /* all snapshots were lost */
    }
    if (pages->tick[number] < pool->cow_from) { /* the page was not saved yet */
        if (cow_append(pool, pages, number, SETTI_COW_PARKED, page) == NULL) {
            pool->cow->end(pool->cow, SETTI_COW_OUT_OF_MEMORY);
            return false;
        }
        if (setti_pages_values(pages) != NULL) {
            setti_pages_values(pages)->seal(pages, number);
        }
        return true;
    }
    setti_cow_entry* entry = &pool->cow->diff->item[*setti_pages_entry(pages, number)];
    SETTI_ASSERT(entry->pages == pages && entry->number == number);
    if (entry->kind != SETTI_COW_COPY) {
        return false; /* the snapshot does not have the page */
    }
    /* the page gets back the saved bytes and replaces the copy */
    cow_move(pages, page, entry->data);
    setti_pool_free(pool, entry->data, pages->size, pages->align);
    entry->kind = SETTI_COW_PARKED;
    entry->data = page;
    return true;
}

void setti_cow_begin(setti_pool* pool, setti_cow* cow)
{
    SETTI_ASSERT(pool->cow == NULL || pool->cow == cow);
    cow->save = cow_save;
    cow->park = cow_park;
    pool->cow = cow;
}

/* Frees the saved contents of an entry. */
static void cow_free(setti_pool* pool, setti_diff* diff, setti_cow_entry* entry)
{
    const setti_pages* pages = entry->pages;
    if (entry->data == NULL) {
        return;
    }
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->drop(pages, entry->data);
    }
    setti_pool_free(pool, entry->data, pages->size, pages->align);
    diff_let_go(diff, pages, entry->data);
    entry->data = NULL;
}

void setti_cow_swap_bytes(void* a, void* b, size_t size)
{
    SETTI_ASSERT(a != NULL && b != NULL && a != b);
    unsigned char buffer[2048]; /* fits the first-level cache */
    unsigned char* x = a;
    unsigned char* y = b;
    for (size_t offset = 0; offset < size;) {
        size_t part = SETTI_MIN(size - offset, sizeof(buffer));
        memcpy(buffer, x + offset, part);
        memcpy(x + offset, y + offset, part);
        memcpy(y + offset, buffer, part);
        offset += part;
    }
}

void setti_cow_swap(const setti_pool* pool, setti_diff* diff, setti_cow_entry* entry)
{
    SETTI_ASSERT(entry->number < entry->pages->capacity && entry->kind != SETTI_COW_LENT);
    setti_pages* pages = entry->pages;
    void* live = pages->data[entry->number];
    setti_notes_forget(pages, entry->number);
    uint64_t live_tick = pages->tick[entry->number];
    pages->tick[entry->number] = entry->tick;
    entry->tick = live_tick;
    *setti_pages_restored(pages, entry->number) = pool->tick;
    if (entry->kind == SETTI_COW_COPY && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->swap(pages, entry->number, entry->data); /* no page moves */
        return;
    }
    if (live != NULL && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->seal(pages, entry->number);
    }
    setti_pages_put(pages, entry->number, entry->data); /* the table and the entry swap pages */
    diff_hold(diff, pages, live);
    diff_let_go(diff, pages, entry->data);
    entry->data = live;
    if (entry->kind != SETTI_COW_COPY) { /* a copy stays a copy: table and entry have a page */
        entry->kind = live != NULL ? SETTI_COW_PARKED : SETTI_COW_ABSENT;
    }
}

void setti_cow_give_back(setti_cow_entry* entry)
{
    SETTI_ASSERT(entry->kind == SETTI_COW_LENT);
    void* copy = entry->pages->data[entry->number];
    setti_cow_swap_bytes(entry->data, copy, entry->pages->size);
    setti_pages_put(entry->pages, entry->number, entry->data);
    entry->data = copy;
    entry->kind = SETTI_COW_COPY;
}

void setti_cow_undo(setti_pool* pool, setti_diff* diff, setti_cow_entry* entry)
{
    SETTI_ASSERT(entry->number < entry->pages->capacity);
    setti_pages* pages = entry->pages;
    void** live_page = &pages->data[entry->number];
    setti_notes_forget(pages, entry->number);
    pages->tick[entry->number] = entry->tick;
    *setti_pages_restored(pages, entry->number) = pool->tick;
    if (*live_page != NULL && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->end(pages, entry->number);
    }
    if (entry->kind == SETTI_COW_COPY) {
        cow_move(pages, *live_page, entry->data);
        setti_pool_free(pool, entry->data, pages->size, pages->align);
    } else { /* entry->data is the old page, or NULL if there was none */
        setti_pool_free(pool, *live_page, pages->size, pages->align);
        setti_pages_put(pages, entry->number, entry->data);
    }
    diff_let_go(diff, pages, entry->data);
    entry->data = NULL;
    entry->kind = SETTI_COW_ABSENT;
}

void setti_diff_deinit(setti_pool* pool, setti_diff* diff)
{
    for (uint32_t k = 0; k < diff->count; k++) {
        cow_free(pool, diff, &diff->item[k]);
    }
    setti_pool_free(pool, diff->item, diff->capacity * sizeof(*diff->item), 16);
    memset(diff, 0, sizeof(*diff));
}

/* A hash table with open addressing: finds the entry of a page in a diff. */
typedef struct cow_index {
    const setti_diff* diff;
    uint32_t* slot; /* the index of an entry. SETTI_NONE: the slot is free */
    uint32_t bits;  /* the table has 1 << bits slots */
} cow_index;

/* Returns the slot of a page's entry, or a free slot if the page has no entry. */
static uint32_t* cow_index_find(const cow_index* index, const setti_pages* pages, uint32_t number)
{
    uint64_t key = (uint64_t)(uintptr_t)pages + ((uint64_t)number << 40);
    /* multiplicative hashing: the highest bits of the product */
    uint32_t position = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> (64 - index->bits));
    for (;; position = (position + 1) & (((uint32_t)1 << index->bits) - 1)) {
        uint32_t k = index->slot[position];
        if (k == SETTI_NONE) {
            return &index->slot[position];
        }
        const setti_cow_entry* entry = &index->diff->item[k];
        if (entry->pages == pages && entry->number == number) {
            return &index->slot[position];
        }
    }
}

static size_t cow_index_size(const cow_index* index)
{
    return sizeof(*index->slot) << index->bits;
}

static bool cow_index_init(setti_pool* pool, const setti_diff* diff, cow_index* index)
{
    SETTI_ASSERT(diff->count != 0 && diff->count < SETTI_NONE / 4);
    index->diff = diff;
    /* 2 to 4 slots for each entry, so that more than half of the slots are free */
    index->bits = 2 + setti_bits_highest(diff->count);
    index->slot = setti_pool_alloc(pool, cow_index_size(index), 16);
    if (index->slot == NULL) {
        return false;
    }
    memset(index->slot, 255, cow_index_size(index)); /* SETTI_NONE in all slots */
    for (uint32_t k = 0; k < diff->count; k++) {
        *cow_index_find(index, diff->item[k].pages, diff->item[k].number) = k;
    }
    return true;
}

/* Merges two entries of one page. Keeps `earlier_entry`, which has the older bytes. Frees
 * `later_entry`, an entry of the diff `later`. */
static void cow_merge(setti_pool* pool, setti_cow_entry* earlier_entry, setti_diff* later,
                      setti_cow_entry* later_entry)
{
    SETTI_ASSERT(earlier_entry->pages == later_entry->pages &&
                 earlier_entry->number == later_entry->number);
    const setti_pages* pages = earlier_entry->pages;
    if (earlier_entry->kind == SETTI_COW_COPY && later_entry->kind == SETTI_COW_PARKED) {
        /* the parked page gets the older bytes and replaces the copy */
        if (setti_pages_values(pages) != NULL) {
            setti_pages_values(pages)->drop(pages, later_entry->data);
        }
        cow_move(pages, later_entry->data, earlier_entry->data);
        setti_pool_free(pool, earlier_entry->data, pages->size, pages->align);
        earlier_entry->data = later_entry->data;
        earlier_entry->kind = SETTI_COW_PARKED;
        diff_let_go(later, pages, later_entry->data);
        later_entry->data = NULL;
    }
    cow_free(pool, later, later_entry);
}

/* Moves the entries of the diff `later` that were not merged to the end of the diff `earlier`. */
static void diff_move_entries(setti_pool* pool, setti_diff* earlier, setti_diff* later)
{
    SETTI_ASSERT(earlier->count + later->count <= earlier->capacity);
    for (uint32_t k = 0; k < later->count; k++) {
        if (later->item[k].pages != NULL) {
            earlier->item[earlier->count++] = later->item[k];
        }
    }
    earlier->size += later->size;
    earlier->pages += later->pages;
    setti_pool_free(pool, later->item, later->capacity * sizeof(*later->item), 16);
    memset(later, 0, sizeof(*later));
}

/* Merges the two entries of each page that both diffs have. Returns false if memory runs out. */
static bool diff_merge_entries(setti_pool* pool, const setti_diff* earlier, setti_diff* later)
{
    cow_index index;
    if (!cow_index_init(pool, later, &index)) {
        return false;
    }
    for (uint32_t k = 0; k < earlier->count; k++) {
        uint32_t found = *cow_index_find(&index, earlier->item[k].pages, earlier->item[k].number);
        if (found != SETTI_NONE) { /* the index of the page's entry in `later` */
            cow_merge(pool, &earlier->item[k], later, &later->item[found]);
            later->item[found].pages = NULL; /* diff_move_entries skips the entry */
        }
    }
    setti_pool_free(pool, index.slot, cow_index_size(&index), 16);
    return true;
}

bool setti_diff_merge(setti_pool* pool, setti_diff* earlier, setti_diff* later)
{
    if (!setti_diff_reserve(pool, earlier, later->count)) {
        return false;
    }
    bool both_have_entries = earlier->count != 0 && later->count != 0;
    if (both_have_entries && !diff_merge_entries(pool, earlier, later)) {
        return false;
    }
    diff_move_entries(pool, earlier, later);
    return true;
}
