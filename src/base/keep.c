/* keep.c: saving pages before they are written. See keep.h.
 *
 * The workload: some hundred pages of 16 KB at the first writes of a frame. What it costs is the
 * copy, so nothing else is done but an append; the pieces that copies go to come back to the pool's
 * free lists when a snapshot is dropped and are taken from there by the next.
 *
 *     table   | data | tick | entry |        diff   | pages, number, kind, data, tick | ...
 *                               |                      ^
 *                               +----------------------+
 *
 * Invariant:  tick[n] >= keep_from  <=>  the diff has exactly one entry of page n, entry[n]
 */
#include "base/keep.h"

#include <stdlib.h>
#include <string.h>

setti_page_notes* setti_notes_get(setti_pool* pool, setti_pages* pages)
{
    if (pages->notes == NULL) {
        pages->notes = setti_pool_alloc(pool, sizeof(*pages->notes), 16);
        if (pages->notes != NULL) {
            memset(pages->notes, 0, sizeof(*pages->notes));
        }
    }
    return pages->notes;
}

void setti_notes_forget_all(const setti_pages* pages)
{
    if (pages->notes != NULL && pages->notes->hash_count != 0) {
        memset(pages->notes->hash, 0, pages->notes->hash_count * sizeof(setti_page_hash));
    }
}

bool setti_diff_reserve(setti_pool* pool, setti_diff* diff, uint32_t count)
{
    if (count <= diff->capacity - diff->count) {
        return true;
    }
    uint32_t capacity = SETTI_MAX(diff->capacity * 2, diff->count + count);
    setti_kept* item = setti_pool_alloc(pool, capacity * sizeof(*item), 16);
    if (item == NULL) {
        return false;
    }
    if (diff->count != 0) {
        memcpy(item, diff->item, diff->count * sizeof(*item));
    }
    setti_pool_free(pool, diff->item, diff->capacity * sizeof(*item), 16);
    diff->item = item;
    diff->capacity = capacity;
    return true;
}

/* Appends an entry for a page that has none. NULL when memory runs out. */
static setti_kept* diff_append(setti_pool* pool, setti_diff* diff, uint32_t expected)
{
    if (diff->count == diff->capacity && !setti_diff_reserve(pool, diff, SETTI_MAX(expected, 16))) {
        return NULL;
    }
    return &diff->item[diff->count++];
}

static setti_kept* keep_append(setti_pool* pool, const setti_pages* pages, uint32_t number,
                               setti_kept_kind kind, void* data)
{
    setti_diff* diff = pool->keeper->diff;
    setti_kept* kept = diff_append(pool, diff, pool->keeper->expected);
    if (kept != NULL) {
        kept->pages = setti_unconst(pages);
        kept->data = data;
        kept->tick = pages->tick[number];
        kept->number = number;
        kept->kind = (uint32_t)kind;
        diff->size += data != NULL ? pages->size : 0;
        *setti_pages_entry(pages, number) = diff->count - 1;
    }
    return kept;
}

bool setti_keeper_hold(setti_pool* pool, setti_keeper* keeper, const setti_pages* pages,
                       uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        setti_spare* spare = setti_pool_alloc(pool, pages->size, pages->align);
        if (spare == NULL) {
            return false;
        }
        spare->next = keeper->spare;
        spare->size = pages->size;
        spare->align = pages->align;
        keeper->spare = spare;
    }
    return true;
}

void setti_keeper_let_go(setti_pool* pool, setti_keeper* keeper)
{
    while (keeper->spare != NULL) {
        setti_spare* spare = keeper->spare;
        keeper->spare = spare->next;
        setti_pool_free(pool, spare, spare->size, spare->align);
    }
    keeper->spare_taken = false;
}

/* Room for a page that is to be kept. */
static void* keep_room(setti_pool* pool, const setti_pages* pages)
{
    void* room = setti_pool_alloc(pool, pages->size, pages->align);
    setti_spare** at = &pool->keeper->spare;
    while (room == NULL && *at != NULL) {
        if ((*at)->size == pages->size && (*at)->align == pages->align) {
            room = *at;
            *at = (*at)->next;
            pool->keeper->spare_taken = true;
        } else {
            at = &(*at)->next;
        }
    }
    return room;
}

static bool keep_copy(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    const void* page = pages->data[number];
    if (page == NULL) {
        return keep_append(pool, pages, number, SETTI_KEPT_ABSENT, NULL) != NULL;
    }
    void* copy = keep_room(pool, pages);
    if (copy == NULL || keep_append(pool, pages, number, SETTI_KEPT_COPY, copy) == NULL) {
        setti_pool_free(pool, copy, pages->size, pages->align);
        return false;
    }
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->save(pages, number, copy);
    } else {
        memcpy(copy, page, pages->size);
    }
    setti_keeper* keeper = pool->keeper;
    if (keeper->limit != 0 && keeper->others + keeper->diff->size > keeper->limit) {
        keeper->full(keeper);
    }
    return true;
}

SETTI_COLD void setti_pages_keep(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    setti_lock_take(&pool->lock);
    /* another thread may just have found that there is no memory to keep anything: then keep_from,
     * which threads read without the lock, stays as it is while they run */
    if (pool->keeper->diff != NULL && pages->tick[number] < pool->keep_from &&
        !keep_copy(pool, pages, number)) {
        pool->keeper->end(pool->keeper, true);
    }
    setti_lock_release(&pool->lock);
}

static void keep_move(const setti_pages* pages, void* to, void* from)
{
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->move(pages, to, from);
    } else {
        memcpy(to, from, pages->size);
    }
}

/* The page's entry holds a copy: the page takes its bytes back, so that it is what it was where it
 * was. */
static void keep_park_copied(setti_pool* pool, const setti_pages* pages, setti_kept* kept,
                             void* page)
{
    keep_move(pages, page, kept->data);
    setti_pool_free(pool, kept->data, pages->size, pages->align);
    kept->kind = SETTI_KEPT_PARKED;
    kept->data = page;
}

SETTI_COLD bool setti_pages_park(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    void* page = pages->data[number];
    if (pool->keeper->diff == NULL) {
        return false;
    }
    if (pages->tick[number] < pool->keep_from) {
        bool parked = keep_append(pool, pages, number, SETTI_KEPT_PARKED, page) != NULL;
        if (!parked) {
            pool->keeper->end(pool->keeper, true);
        } else if (setti_pages_values(pages) != NULL) {
            setti_pages_values(pages)->seal(pages, number);
        }
        return parked;
    }
    setti_kept* kept = &pool->keeper->diff->item[*setti_pages_entry(pages, number)];
    SETTI_ASSERT(kept->pages == pages && kept->number == number);
    if (kept->kind != SETTI_KEPT_COPY) {
        return false; /* made since, which is nobody's but the live world's */
    }
    keep_park_copied(pool, pages, kept, page);
    return true;
}

/* -------------------------------------------------------------------------------------- entries */

/* Frees an entry's data. */
static void kept_free(setti_pool* pool, setti_diff* diff, setti_kept* kept)
{
    const setti_pages* pages = kept->pages;
    if (kept->data == NULL) {
        return;
    }
    if (setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->drop(pages, kept->data);
    }
    setti_pool_free(pool, kept->data, pages->size, pages->align);
    kept->data = NULL;
    diff->size -= pages->size;
}

static void kept_swap_tick(setti_kept* kept)
{
    uint64_t* tick = &kept->pages->tick[kept->number];
    uint64_t live = *tick;
    *tick = kept->tick;
    kept->tick = live;
}

void setti_kept_swap_bytes(void* a, void* b, size_t size)
{
    unsigned char buffer[2048];
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

void setti_kept_swap(setti_diff* diff, setti_kept* kept)
{
    setti_pages* pages = kept->pages;
    void** place = &pages->data[kept->number];
    setti_notes_forget(pages, kept->number);
    kept_swap_tick(kept);
    if (kept->kind == SETTI_KEPT_COPY) {
        if (setti_pages_values(pages) != NULL) {
            setti_pages_values(pages)->swap(pages, kept->number, kept->data);
        } else {
            setti_kept_swap_bytes(*place, kept->data, pages->size);
        }
        return;
    }
    if (*place != NULL && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->seal(pages, kept->number);
    }
    void* live = *place;
    *place = kept->data;
    diff->size += live != NULL ? pages->size : 0;
    diff->size -= kept->data != NULL ? pages->size : 0;
    kept->data = live;
    kept->kind = live != NULL ? SETTI_KEPT_PARKED : SETTI_KEPT_ABSENT;
}

void setti_kept_undo(setti_pool* pool, setti_diff* diff, setti_kept* kept)
{
    setti_pages* pages = kept->pages;
    void** place = &pages->data[kept->number];
    setti_notes_forget(pages, kept->number);
    pages->tick[kept->number] = kept->tick;
    if (*place != NULL && setti_pages_values(pages) != NULL) {
        setti_pages_values(pages)->end(pages, kept->number);
    }
    if (kept->kind == SETTI_KEPT_COPY) {
        keep_move(pages, *place, kept->data);
        setti_pool_free(pool, kept->data, pages->size, pages->align);
    } else {
        setti_pool_free(pool, *place, pages->size, pages->align);
        *place = kept->data;
    }
    diff->size -= kept->data != NULL ? pages->size : 0;
    kept->data = NULL;
    kept->kind = SETTI_KEPT_ABSENT;
}

/* ---------------------------------------------------------------------------------------- diffs */

void setti_diff_deinit(setti_pool* pool, setti_diff* diff)
{
    for (uint32_t k = 0; k < diff->count; k++) {
        kept_free(pool, diff, &diff->item[k]);
    }
    setti_pool_free(pool, diff->item, diff->capacity * sizeof(*diff->item), 16);
    memset(diff, 0, sizeof(*diff));
}

static int kept_compare(const void* a, const void* b)
{
    const setti_kept* x = a;
    const setti_kept* y = b;
    if (x->pages != y->pages) {
        return (uintptr_t)x->pages < (uintptr_t)y->pages ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* Both have an entry of a page: the nearer one says how the farther one's page lies. */
static void kept_merge(setti_pool* pool, setti_kept* far, setti_diff* from, setti_kept* near)
{
    const setti_pages* pages = far->pages;
    if (far->kind == SETTI_KEPT_COPY && near->kind == SETTI_KEPT_PARKED) {
        /* the page that the copy is of is parked: it takes its bytes back */
        if (setti_pages_values(pages) != NULL) {
            setti_pages_values(pages)->drop(pages, near->data);
        }
        keep_move(pages, near->data, far->data);
        setti_pool_free(pool, far->data, pages->size, pages->align);
        far->data = near->data;
        far->kind = SETTI_KEPT_PARKED;
        near->data = NULL;
        from->size -= pages->size;
    }
    kept_free(pool, from, near);
}

bool setti_diff_merge(setti_pool* pool, setti_diff* to, setti_diff* from)
{
    uint32_t capacity = SETTI_MAX(to->count + from->count, 16);
    setti_kept* item = setti_pool_alloc(pool, capacity * sizeof(*item), 16);
    if (item == NULL) {
        return false;
    }
    if (to->count != 0) {
        qsort(to->item, to->count, sizeof(*to->item), kept_compare);
    }
    if (from->count != 0) {
        qsort(from->item, from->count, sizeof(*from->item), kept_compare);
    }
    uint32_t count = 0;
    uint32_t at = 0;
    for (uint32_t k = 0; k < to->count; k++) {
        while (at < from->count && kept_compare(&from->item[at], &to->item[k]) < 0) {
            item[count++] = from->item[at++];
        }
        item[count++] = to->item[k];
        if (at < from->count && kept_compare(&from->item[at], &to->item[k]) == 0) {
            kept_merge(pool, &item[count - 1], from, &from->item[at++]);
        }
    }
    while (at < from->count) {
        item[count++] = from->item[at++];
    }
    setti_pool_free(pool, to->item, to->capacity * sizeof(*item), 16);
    setti_pool_free(pool, from->item, from->capacity * sizeof(*item), 16);
    to->item = item;
    to->count = count;
    to->capacity = capacity;
    to->size += from->size;
    memset(from, 0, sizeof(*from));
    return true;
}
