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

#include <string.h>

/* Appends an entry for a page that has none. NULL when memory runs out. */
static setti_kept* diff_append(setti_pool* pool, setti_diff* diff)
{
    if (diff->count == diff->capacity) {
        uint32_t capacity = SETTI_MAX(diff->capacity * 2, 16);
        setti_kept* item = setti_pool_alloc(pool, capacity * sizeof(*item), 16);
        if (item == NULL) {
            return NULL;
        }
        if (diff->count != 0) {
            memcpy(item, diff->item, diff->count * sizeof(*item));
        }
        setti_pool_free(pool, diff->item, diff->capacity * sizeof(*item), 16);
        diff->item = item;
        diff->capacity = capacity;
    }
    return &diff->item[diff->count++];
}

static setti_kept* keep_append(setti_pool* pool, const setti_pages* pages, uint32_t number,
                               setti_kept_kind kind, void* data)
{
    setti_diff* diff = pool->keeper->diff;
    setti_kept* kept = diff_append(pool, diff);
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

static bool keep_copy(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    const void* page = pages->data[number];
    if (page == NULL) {
        return keep_append(pool, pages, number, SETTI_KEPT_ABSENT, NULL) != NULL;
    }
    void* copy = setti_pool_alloc(pool, pages->size, pages->align);
    if (copy == NULL || keep_append(pool, pages, number, SETTI_KEPT_COPY, copy) == NULL) {
        setti_pool_free(pool, copy, pages->size, pages->align);
        return false;
    }
    if (pages->values != NULL) {
        pages->values->save(pages, number, copy);
    } else {
        memcpy(copy, page, pages->size);
    }
    return true;
}

SETTI_COLD void setti_pages_keep(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    setti_lock_take(&pool->lock);
    /* another thread may just have found that there is no memory to keep anything */
    if (pages->tick[number] < pool->keep_from && !keep_copy(pool, pages, number)) {
        pool->keeper->lost(pool->keeper);
    }
    setti_lock_release(&pool->lock);
}

/* The page's entry holds a copy: the page takes its bytes back, so that it is what it was where it
 * was. */
static void keep_park_copied(setti_pool* pool, const setti_pages* pages, setti_kept* kept,
                             void* page)
{
    if (pages->values != NULL) {
        pages->values->move_back(pages, page, kept->data);
    } else {
        memcpy(page, kept->data, pages->size);
    }
    setti_pool_free(pool, kept->data, pages->size, pages->align);
    kept->kind = SETTI_KEPT_PARKED;
    kept->data = page;
}

SETTI_COLD bool setti_pages_park(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    void* page = pages->data[number];
    if (pages->tick[number] < pool->keep_from) {
        bool parked = keep_append(pool, pages, number, SETTI_KEPT_PARKED, page) != NULL;
        if (!parked) {
            pool->keeper->lost(pool->keeper);
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

void setti_kept_free(setti_pool* pool, setti_diff* diff, setti_kept* kept)
{
    const setti_pages* pages = kept->pages;
    if (kept->data == NULL) {
        return;
    }
    if (pages->values != NULL) {
        pages->values->drop(pages, kept->data);
    }
    setti_pool_free(pool, kept->data, pages->size, pages->align);
    kept->data = NULL;
    diff->size -= pages->size;
}

void setti_diff_deinit(setti_pool* pool, setti_diff* diff)
{
    for (uint32_t k = 0; k < diff->count; k++) {
        setti_kept_free(pool, diff, &diff->item[k]);
    }
    setti_pool_free(pool, diff->item, diff->capacity * sizeof(*diff->item), 16);
    memset(diff, 0, sizeof(*diff));
}
