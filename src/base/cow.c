/* cow.c: copy-on-write: saves pages before they are written. See cow.h.
 *
 * The workload: some hundred pages of 16 KB at the first writes of a frame. The cost is the copy,
 * so nothing else is done but an append; the memory of copies returns to the pool's free lists when
 * a snapshot is destroyed, and the next snapshot reuses it.
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
        if (notes->hash[k].tick != 0) { /* most of a large table is never touched */
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

static void diff_hold(setti_diff* diff, const setti_pages* pages, const void* page)
{
    if (page != NULL) {
        diff->pages++;
        diff->size += pages->size;
    }
}

static void diff_let_go(setti_diff* diff, const setti_pages* pages, const void* page)
{
    SETTI_ASSERT(page == NULL || diff->pages != 0);
    if (page != NULL) {
        diff->pages--;
        diff->size -= pages->size;
    }
}

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

/* Saves a page, or notes that there is none. Returns false if memory runs out. */
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
    /* The diff is NULL if another thread has lost all snapshots. */
    if (pool->cow->diff != NULL && pages->tick[number] < pool->cow_from &&
        !cow_copy(pool, pages, number)) {
        pool->cow->end(pool->cow, SETTI_COW_OUT_OF_MEMORY);
    }
    setti_lock_release(&pool->lock);
}

/* Moves the saved contents `from` to a page. */
static void cow_move(const setti_pages* pages, void* to, void* from)
{
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->move(pages, to, from);
    } else {
        memcpy(to, from, pages->size);
    }
}

/* Parks a page in the diff. Returns true if the diff owns the page now. */
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
        return false; /* the page is newer than the snapshot */
    }
    /* the page gets the saved bytes back, and replaces the copy */
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
    for (size_t at = 0; at < size;) {
        size_t part = SETTI_MIN(size - at, sizeof(buffer));
        memcpy(buffer, x + at, part);
        memcpy(x + at, y + at, part);
        memcpy(y + at, buffer, part);
        at += part;
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
        setti_pages_values(pages)->swap(pages, entry->number, entry->data); /* in place */
        return;
    }
    if (live != NULL && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->seal(pages, entry->number);
    }
    setti_pages_put(pages, entry->number, entry->data); /* table and entry exchange pages */
    diff_hold(diff, pages, live);
    diff_let_go(diff, pages, entry->data);
    entry->data = live;
    if (entry->kind != SETTI_COW_COPY) { /* else both have a page */
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
    void** place = &pages->data[entry->number];
    setti_notes_forget(pages, entry->number);
    pages->tick[entry->number] = entry->tick;
    *setti_pages_restored(pages, entry->number) = pool->tick;
    if (*place != NULL && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->end(pages, entry->number);
    }
    if (entry->kind == SETTI_COW_COPY) {
        cow_move(pages, *place, entry->data);
        setti_pool_free(pool, entry->data, pages->size, pages->align);
    } else { /* `data` is the old page, or NULL */
        setti_pool_free(pool, *place, pages->size, pages->align);
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

/* A hash table from pages to entries of a diff, by open addressing. */
typedef struct cow_index {
    const setti_diff* diff;
    uint32_t* slot; /* the number of an entry; SETTI_NONE: free */
    uint32_t bits;  /* the table has 1 << bits slots */
} cow_index;

/* Finds the slot of a page's entry, or a free slot if the page has no entry. */
static uint32_t* cow_index_find(const cow_index* index, const setti_pages* pages, uint32_t number)
{
    uint64_t key = (uint64_t)(uintptr_t)pages + ((uint64_t)number << 40);
    uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15u >> (64 - index->bits));
    for (;; at = (at + 1) & (((uint32_t)1 << index->bits) - 1)) {
        uint32_t entry = index->slot[at];
        if (entry == SETTI_NONE || (index->diff->item[entry].pages == pages &&
                                    index->diff->item[entry].number == number)) {
            return &index->slot[at];
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
    index->bits = 2 + setti_bits_highest(diff->count); /* over half of the slots are free */
    index->slot = setti_pool_alloc(pool, cow_index_size(index), 16);
    if (index->slot == NULL) {
        return false;
    }
    memset(index->slot, 255, cow_index_size(index)); /* SETTI_NONE */
    for (uint32_t k = 0; k < diff->count; k++) {
        *cow_index_find(index, diff->item[k].pages, diff->item[k].number) = k;
    }
    return true;
}

/* Merges two entries of a page: `far` stays, with the older bytes; `near`, of `from`, is freed. */
static void cow_merge(setti_pool* pool, setti_cow_entry* far, setti_diff* from,
                      setti_cow_entry* near)
{
    SETTI_ASSERT(far->pages == near->pages && far->number == near->number);
    const setti_pages* pages = far->pages;
    if (far->kind == SETTI_COW_COPY && near->kind == SETTI_COW_PARKED) {
        /* the parked page gets the older bytes, and replaces the copy */
        if (setti_pages_values(pages) != NULL) {
            setti_pages_values(pages)->drop(pages, near->data);
        }
        cow_move(pages, near->data, far->data);
        setti_pool_free(pool, far->data, pages->size, pages->align);
        far->data = near->data;
        far->kind = SETTI_COW_PARKED;
        diff_let_go(from, pages, near->data);
        near->data = NULL;
    }
    cow_free(pool, from, near);
}

/* Moves the entries of `from` that were not merged to the end of `to`. */
static void diff_move_entries(setti_pool* pool, setti_diff* to, setti_diff* from)
{
    SETTI_ASSERT(to->count + from->count <= to->capacity);
    for (uint32_t k = 0; k < from->count; k++) {
        if (from->item[k].pages != NULL) {
            to->item[to->count++] = from->item[k];
        }
    }
    to->size += from->size;
    to->pages += from->pages;
    setti_pool_free(pool, from->item, from->capacity * sizeof(*from->item), 16);
    memset(from, 0, sizeof(*from));
}

/* Merges the entries of pages that are in both diffs. Returns false if memory runs out. */
static bool diff_merge_entries(setti_pool* pool, const setti_diff* to, setti_diff* from)
{
    cow_index index;
    if (!cow_index_init(pool, from, &index)) {
        return false;
    }
    for (uint32_t k = 0; k < to->count; k++) {
        uint32_t at = *cow_index_find(&index, to->item[k].pages, to->item[k].number);
        if (at != SETTI_NONE) {
            cow_merge(pool, &to->item[k], from, &from->item[at]);
            from->item[at].pages = NULL; /* diff_move_entries skips the entry */
        }
    }
    setti_pool_free(pool, index.slot, cow_index_size(&index), 16);
    return true;
}

bool setti_diff_merge(setti_pool* pool, setti_diff* to, setti_diff* from)
{
    const bool may_share = to->count != 0 && from->count != 0; /* entries of the same page */
    if (!setti_diff_reserve(pool, to, from->count) ||
        (may_share && !diff_merge_entries(pool, to, from))) {
        return false;
    }
    diff_move_entries(pool, to, from);
    return true;
}
