/* cow.h: copy-on-write: old contents of pages. While a snapshot is held, the first write to a page
 * after it puts the page's bytes into a diff; a page that is freed is parked there instead, a new
 * page is noted as absent. */
#ifndef SETTI_COW_H
#define SETTI_COW_H

#include "base/page.h"

typedef enum setti_cow_kind {
    SETTI_COW_COPY,   /* the page is at its address, with new bytes: `data` has the old ones */
    SETTI_COW_PARKED, /* `data` is the page itself; its entry is empty or has another page now */
    SETTI_COW_ABSENT, /* there was no page */
    SETTI_COW_LENT,   /* in the middle of a restore: `data` is the address of the page in between */
} setti_cow_kind;

/* The old state of one page. */
typedef struct setti_cow_entry {
    setti_pages* pages;
    void* data;
    uint64_t tick;   /* of its last write then */
    uint32_t number; /* its number in its table */
    uint32_t kind;   /* setti_cow_kind */
} setti_cow_entry;

/* The difference between two states: at most one entry a page. */
typedef struct setti_diff {
    setti_cow_entry* item;
    uint32_t count;
    uint32_t capacity;
    uint32_t pages; /* pages that the diff holds */
    size_t size;    /* bytes of these pages */
} setti_diff;

/* Memory for a page that does not fit into the pool's blocks, used when the allocator fails. */
typedef struct setti_spare {
    struct setti_spare* next;
    size_t size;
    size_t align;
} setti_spare;

/* Why copy-on-write is stopped. */
typedef enum setti_cow_reason {
    SETTI_COW_WORLD_ENDS,
    SETTI_COW_OUT_OF_MEMORY
} setti_cow_reason;

typedef struct setti_cow {
    setti_diff* diff;  /* of the newest snapshot: receives saved pages; NULL: pages are not saved */
    uint32_t expected; /* entries that a new diff gets room for: as many as the last one had */
    size_t limit;      /* bytes that all diffs may hold; 0: any number */
    size_t others;     /* upper bound of the bytes in diffs other than `diff` */
    size_t pages;      /* upper bound of their pages */
    setti_spare* spare;
    bool spare_taken; /* a spare had to be used */
    /* Frees all diffs, because the world is destroyed or memory ran out: pages are then written
     * without being saved (the pool's lock is held). */
    void (*end)(struct setti_cow* cow, setti_cow_reason reason);
    /* Called when the diffs exceed `limit` (the pool's lock is held). */
    void (*full)(struct setti_cow* cow);
    /* Visits the data of all entries of this table, in all diffs. */
    void (*each)(struct setti_cow* cow, const setti_pages* pages,
                 void (*visit)(void* user, const void* data), void* user);
    /* What page.c calls while a snapshot is held; programs without snapshots do not link it. */
    void (*save)(setti_pool* pool, const setti_pages* pages, uint32_t number);
    /* For setti_pages_free: true if the page is parked, so that it must not be freed. */
    bool (*park)(setti_pool* pool, const setti_pages* pages, uint32_t number);
} setti_cow;

/* Operations on pages whose values are more than their bytes: in the live world the storage says
 * which values are alive, in saved data `save` and `seal` noted it in the page itself. */
typedef struct setti_page_values {
    /* Fills `copy`, the size of a page, with the values of a live page that are to be saved. */
    void (*save)(const setti_pages* pages, uint32_t number, void* copy);
    /* Notes in a live page itself which of its values are alive, before it is parked. */
    void (*seal)(const setti_pages* pages, uint32_t number);
    /* Exchanges the values of a live page with saved ones. */
    void (*swap)(const setti_pages* pages, uint32_t number, void* entry);
    /* Frees the values of a live page. */
    void (*end)(const setti_pages* pages, uint32_t number);
    /* Frees saved values. */
    void (*drop)(const setti_pages* pages, void* entry);
    /* Moves saved values to a page without any; they stay saved, or become live. */
    void (*move)(const setti_pages* pages, void* to, void* from);
} setti_page_values;

/* The hash of a page, valid while the page has this tick. */
typedef struct setti_page_hash {
    uint64_t tick;  /* 0: not known */
    uint64_t shape; /* hash of the other inputs */
    uint64_t hash;
} setti_page_hash;

struct setti_page_notes {
    const setti_page_values* values; /* NULL: the pages are plain bytes */
    setti_page_hash* hash;           /* by page number, of the first `hash_count` */
    uint32_t hash_count;
};

/* The table's notes, created at first use; NULL when memory runs out. */
setti_page_notes* setti_notes_get(setti_pool* pool, setti_pages* pages);

SETTI_INLINE const setti_page_values* setti_pages_values(const setti_pages* pages)
{
    return pages->notes != NULL ? pages->notes->values : NULL;
}

/* Drops the hash of a page, or of all: its contents were replaced, maybe without a new tick. */
static inline void setti_notes_forget(const setti_pages* pages, uint32_t number)
{
    if (pages->notes != NULL && number < pages->notes->hash_count) {
        pages->notes->hash[number].tick = 0;
    }
}

void setti_notes_forget_all(const setti_pages* pages);
void setti_notes_free_hash(setti_pool* pool, const setti_pages* pages);

/* Call when parallel threads have ended: if one of them ran out of memory and all snapshots were
 * lost, cow_from can be reset, since the others no longer read it. */
static inline void setti_cow_settle(setti_pool* pool)
{
    if (pool->cow_from != 0 && pool->cow->diff == NULL) {
        pool->cow_from = 0;
    }
}

/* From now on the pool's pages are saved here. */
void setti_cow_begin(setti_pool* pool, setti_cow* cow);

/* Exchanges two stretches of memory, through a buffer that stays in the first-level cache. */
void setti_cow_swap_bytes(void* a, void* b, size_t size);

/* Exchanges saved and live contents: the entry then holds the old live page. The page counts as
 * restored now. Plain bytes stay where they are, and the page is at the address of the copy, until
 * setti_cow_give_back: a page that several steps exchange is copied once. */
void setti_cow_swap(const setti_pool* pool, setti_diff* diff, setti_cow_entry* entry);

/* Ends what setti_cow_swap began, at a SETTI_COW_LENT entry: the page is at its address again. */
void setti_cow_give_back(setti_cow_entry* entry);

/* Replaces the live page by the saved one; the entry is then empty. The page counts as restored. */
void setti_cow_undo(setti_pool* pool, setti_diff* diff, setti_cow_entry* entry);

/* `to` is the difference of states 1 and 2, `from` that of 2 and 3. Makes `to` the difference of 1
 * and 3, and `from` empty. Returns false, with both unchanged, when memory runs out. */
bool setti_diff_merge(setti_pool* pool, setti_diff* to, setti_diff* from);

/* Makes room for `count` more entries; returns false when memory runs out. */
bool setti_diff_reserve(setti_pool* pool, setti_diff* diff, uint32_t count);
void setti_diff_deinit(setti_pool* pool, setti_diff* diff);

/* Holds memory for `count` pages of a table, whose size is above SETTI_POOL_PAGE_MAX; frees all of
 * it. The former is false when memory runs out. */
bool setti_cow_hold(setti_pool* pool, setti_cow* cow, const setti_pages* pages, uint32_t count);
void setti_cow_let_go(setti_pool* pool, setti_cow* cow);

#endif
