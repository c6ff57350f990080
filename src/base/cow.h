/* keep.h: what pages were like before they were written. While somebody keeps (a snapshot is held),
 * the first write to a page after it puts the page's bytes into a diff; a page that is freed is
 * parked there instead, one that comes to exist is noted as absent. */
#ifndef SETTI_COW_H
#define SETTI_COW_H

#include "base/page.h"

typedef enum setti_cow_kind {
    SETTI_COW_COPY,   /* the page is where it was, with other bytes: `data` has those it had */
    SETTI_COW_PARKED, /* the page itself, whose place is empty or another's now: `data` */
    SETTI_COW_ABSENT, /* there was none */
} setti_cow_kind;

/* How one page was. */
typedef struct setti_cow_entry {
    setti_pages* pages;
    void* data;
    uint64_t tick;   /* of its last write then */
    uint32_t number; /* of the page in its table */
    uint32_t kind;   /* setti_cow_kind */
} setti_cow_entry;

/* How one state differs from another: at most one entry a page. */
typedef struct setti_diff {
    setti_cow_entry* item;
    uint32_t count;
    uint32_t capacity;
    size_t size; /* bytes of pages that it holds */
} setti_diff;

/* Room for a page that does not fit into the pool's blocks, held for when the allocator fails. */
typedef struct setti_spare {
    struct setti_spare* next;
    size_t size;
    size_t align;
} setti_spare;

typedef struct setti_cow {
    setti_diff* diff;  /* of the newest snapshot: where pages go; NULL: nowhere */
    uint32_t expected; /* entries that it may come to have: as many as the last one had */
    size_t limit;      /* bytes that all diffs may hold; 0: any number */
    size_t others;     /* bytes in other diffs than `diff`, at most */
    setti_spare* spare;
    bool spare_taken; /* one of them had to be used */
    /* Ends the keeping and frees all diffs: because memory ran out, so that a page is written
     * without being kept and nobody can go back any more (the pool's lock is held), or because the
     * world ends. */
    void (*end)(struct setti_cow* cow, bool out_of_memory);
    /* Told that they hold more (the pool's lock is held). */
    void (*full)(struct setti_cow* cow);
    /* Visits the data of all entries of this table, in all diffs. */
    void (*each)(struct setti_cow* cow, const setti_pages* pages,
                 void (*visit)(void* user, const void* data), void* user);
} setti_cow;

/* What is done with pages whose values are more than their bytes: values of the live world are
 * alive where the storage says so, those of kept data where `save` and `seal` noted it in the page
 * itself. */
typedef struct setti_page_values {
    /* Fills `copy`, the size of a page, with what there is to keep of a live page. */
    void (*save)(const setti_pages* pages, uint32_t number, void* copy);
    /* Notes in a live page itself which of its values are alive: it is going to be parked. */
    void (*seal)(const setti_pages* pages, uint32_t number);
    /* Exchanges the values of a live page with kept ones. */
    void (*swap)(const setti_pages* pages, uint32_t number, void* entry);
    /* Ends the values of a live page. */
    void (*end)(const setti_pages* pages, uint32_t number);
    /* Ends kept values. */
    void (*drop)(const setti_pages* pages, void* entry);
    /* Moves kept values to a page without any; they stay kept ones, or become the live ones. */
    void (*move)(const setti_pages* pages, void* to, void* from);
} setti_page_values;

/* What a page amounts to, as long as its tick is that one. */
typedef struct setti_page_hash {
    uint64_t tick;  /* 0: not known */
    uint64_t shape; /* of what else it depends on */
    uint64_t hash;
} setti_page_hash;

struct setti_page_notes {
    const setti_page_values* values; /* NULL: bytes are all there is to the pages */
    setti_page_hash* hash;           /* by page number, of the first `hash_count` */
    uint32_t hash_count;
};

/* The table's notes, made when first asked for; NULL when memory runs out. */
setti_page_notes* setti_notes_get(setti_pool* pool, setti_pages* pages);

SETTI_INLINE const setti_page_values* setti_pages_values(const setti_pages* pages)
{
    return pages->notes != NULL ? pages->notes->values : NULL;
}

/* Forgets the hash of a page, or of all: what is in it was replaced, and its tick may not tell. */
static inline void setti_notes_forget(const setti_pages* pages, uint32_t number)
{
    if (pages->notes != NULL && number < pages->notes->hash_count) {
        pages->notes->hash[number].tick = 0;
    }
}

void setti_notes_forget_all(const setti_pages* pages);

/* Gives back the memory for hashes. */
void setti_notes_free_hash(setti_pool* pool, const setti_pages* pages);

/* To be called when threads that ran side by side have ended: if nothing is kept since one of them
 * found no memory, the others no longer read what says so. */
static inline void setti_cow_settle(setti_pool* pool)
{
    if (pool->cow_from != 0 && pool->cow->diff == NULL) {
        pool->cow_from = 0;
    }
}

/* What setti_pages_free asks while somebody keeps: true if the page is parked, and thus not to be
 * freed. */
bool setti_pages_park(setti_pool* pool, const setti_pages* pages, uint32_t number);

/* Exchanges what is in two stretches of memory, through a buffer that stays in the first-level
 * cache. */
void setti_cow_swap_bytes(void* a, void* b, size_t size);

/* Exchanges what is kept with what is live: the entry then says how the live page was. The page
 * counts as restored now. */
void setti_cow_swap(const setti_pool* pool, setti_diff* diff, setti_cow_entry* entry);

/* Makes the live page what is kept; what it was is gone, and the entry empty. The page counts as
 * restored now. */
void setti_cow_undo(setti_pool* pool, setti_diff* diff, setti_cow_entry* entry);

/* Of three states in a row, `to` says how the first differs from the second, `from` how the second
 * from the third: `to` becomes how the first differs from the third, `from` empty. False, and
 * nothing is done, when memory runs out. */
bool setti_diff_merge(setti_pool* pool, setti_diff* to, setti_diff* from);

/* Makes room for so many more entries; false when memory runs out. */
bool setti_diff_reserve(setti_pool* pool, setti_diff* diff, uint32_t count);

/* Holds room for `count` pages of a table, whose size is above SETTI_POOL_PAGE_MAX; gives all of it
 * back. The former is false when memory runs out. */
bool setti_cow_hold(setti_pool* pool, setti_cow* cow, const setti_pages* pages, uint32_t count);
void setti_cow_let_go(setti_pool* pool, setti_cow* cow);

/* Frees a diff with all its entries' data. */
void setti_diff_deinit(setti_pool* pool, setti_diff* diff);

#endif
