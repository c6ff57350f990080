/* cow.h: copy-on-write: old contents of pages. While a snapshot is held, the diff of the snapshot
 * receives:
 *     the old bytes of a page, at the first write to the page
 *     each page that is freed (parked)
 *     for each new page, a note that there was no page (absent) */
#ifndef SETTI_COW_H
#define SETTI_COW_H

#include "base/page.h"

typedef enum setti_cow_kind {
    SETTI_COW_COPY,   /* `data` has the old bytes; the table has the page, with new bytes */
    SETTI_COW_PARKED, /* `data` is the old page, which left the table */
    SETTI_COW_ABSENT, /* there was no page */
    SETTI_COW_LENT,   /* the table has the copy of the page; `data` is the page itself */
} setti_cow_kind;

/* The old state of a page. */
typedef struct setti_cow_entry {
    setti_pages* pages;
    void* data;
    uint64_t tick;   /* the tick of the last write before the snapshot */
    uint32_t number; /* the number of the page in `pages` */
    uint32_t kind;   /* setti_cow_kind */
} setti_cow_entry;

/* The difference between two states: at most one entry for each page. */
typedef struct setti_diff {
    setti_cow_entry* item;
    uint32_t count;
    uint32_t capacity;
    uint32_t pages; /* number of pages that the diff owns */
    size_t size;    /* bytes of the owned pages */
} setti_diff;

/* Memory for a copy of a large page, in case the allocator fails. */
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
    setti_diff* diff;  /* receives saved pages; NULL: pages are not saved */
    uint32_t expected; /* number of entries of the previous diff, to reserve entries in `diff` */
    size_t limit;      /* the most bytes in all diffs. 0: no limit */
    size_t others;     /* upper bound of the bytes in diffs other than `diff` */
    size_t pages;      /* upper bound of the pages in diffs other than `diff` */
    setti_spare* spare;
    bool spare_taken; /* a page was saved in a spare */
    /* Called to free all diffs. The pool's lock is held. */
    void (*end)(struct setti_cow* cow, setti_cow_reason reason);
    /* Called when the diffs exceed `limit`. The pool's lock is held. */
    void (*full)(struct setti_cow* cow);
    /* Calls `visit` for the saved data of a table in all diffs. */
    void (*each)(struct setti_cow* cow, const setti_pages* pages,
                 void (*visit)(void* user, const void* data), void* user);
    /* page.c calls these pointers, so that programs without snapshots do not link cow.c. */
    /* Saves a page before a write. */
    void (*save)(setti_pool* pool, const setti_pages* pages, uint32_t number);
    /* Parks a page that will be freed. Returns true if the diff owns the page now. */
    bool (*park)(setti_pool* pool, const setti_pages* pages, uint32_t number);
} setti_cow;

/* Operations on pages of values with hooks. The note of a saved page says which rows have
 * values. */
typedef struct setti_page_values {
    /* Copies the values of a live page to `copy`, with the note. */
    void (*save)(const setti_pages* pages, uint32_t number, void* copy);
    /* Writes the note into a live page that becomes a saved page. */
    void (*seal)(const setti_pages* pages, uint32_t number);
    /* Exchanges the values of a live page and of the saved page `entry`. */
    void (*swap)(const setti_pages* pages, uint32_t number, void* entry);
    /* Deinitialises the values of a live page. */
    void (*end)(const setti_pages* pages, uint32_t number);
    /* Deinitialises the values of the saved page `entry`. */
    void (*drop)(const setti_pages* pages, void* entry);
    /* Moves the values of the saved page `from` to the page `to`, which has no values. */
    void (*move)(const setti_pages* pages, void* to, void* from);
} setti_page_values;

/* The remembered hash of a page. */
typedef struct setti_page_hash {
    uint64_t tick;  /* the hash is valid while the page has this tick; 0: no hash */
    uint64_t shape; /* hash of all inputs of `hash` except the page */
    uint64_t hash;
} setti_page_hash;

struct setti_page_notes {
    const setti_page_values* values; /* NULL: the pages are plain bytes */
    setti_page_hash* hash;           /* the hashes of the first `hash_count` pages */
    uint32_t hash_count;
};

/* Returns the notes of a table. Creates missing notes. Returns NULL if memory runs out. */
setti_page_notes* setti_notes_get(setti_pool* pool, setti_pages* pages);

/* Returns the operations on values of a table, or NULL if the pages are plain bytes. */
SETTI_INLINE const setti_page_values* setti_pages_values(const setti_pages* pages)
{
    return pages->notes != NULL ? pages->notes->values : NULL;
}

/* Drops the hash of a page after a restore. */
static inline void setti_notes_forget(const setti_pages* pages, uint32_t number)
{
    if (pages->notes != NULL && number < pages->notes->hash_count) {
        pages->notes->hash[number].tick = 0;
    }
}

void setti_notes_forget_all(const setti_pages* pages);
void setti_notes_free_hash(setti_pool* pool, const setti_pages* pages);

/* Stops saving pages if all snapshots were lost. No other thread may run. */
static inline void setti_cow_settle(setti_pool* pool)
{
    if (pool->cow_from != 0 && pool->cow->diff == NULL) {
        pool->cow_from = 0;
    }
}

void setti_cow_begin(setti_pool* pool, setti_cow* cow);

void setti_cow_swap_bytes(void* a, void* b, size_t size);

/* Exchanges the saved and the live contents of a page. If the values have no hooks, the table and
 * the entry exchange pages. Otherwise the values move between the pages. */
void setti_cow_swap(const setti_pool* pool, setti_diff* diff, setti_cow_entry* entry);

/* Puts the page of a SETTI_COW_LENT entry back into the table. The page and the copy exchange
 * bytes. */
void setti_cow_give_back(setti_cow_entry* entry);

/* Replaces the live contents of a page by the saved contents, and empties the entry. */
void setti_cow_undo(setti_pool* pool, setti_diff* diff, setti_cow_entry* entry);

/* Merges the diff `later` into the diff `earlier`. Returns false if memory runs out. */
bool setti_diff_merge(setti_pool* pool, setti_diff* earlier, setti_diff* later);

/* Makes room for `count` more entries. Returns false if memory runs out. */
bool setti_diff_reserve(setti_pool* pool, setti_diff* diff, uint32_t count);
void setti_diff_deinit(setti_pool* pool, setti_diff* diff);

/* Allocates `count` spares of the size of a table's pages. Returns false if memory runs out. */
bool setti_cow_hold(setti_pool* pool, setti_cow* cow, const setti_pages* pages, uint32_t count);
void setti_cow_let_go(setti_pool* pool, setti_cow* cow);

#endif
