/* keep.h: what pages were like before they were written. While somebody keeps (a snapshot is held),
 * the first write to a page after it puts the page's bytes into a diff; a page that is freed is
 * parked there instead, one that comes to exist is noted as absent. */
#ifndef SETTI_KEEP_H
#define SETTI_KEEP_H

#include "base/page.h"

typedef enum setti_kept_kind {
    SETTI_KEPT_COPY,   /* the page is where it was, with other bytes: `data` has those it had */
    SETTI_KEPT_PARKED, /* the page itself, whose place is empty or another's now: `data` */
    SETTI_KEPT_ABSENT, /* there was none */
} setti_kept_kind;

/* How one page was. */
typedef struct setti_kept {
    setti_pages* pages;
    void* data;
    uint64_t tick;   /* of its last write then */
    uint32_t number; /* of the page in its table */
    uint32_t kind;   /* setti_kept_kind */
} setti_kept;

/* How one state differs from another: at most one entry a page. */
typedef struct setti_diff {
    setti_kept* item;
    uint32_t count;
    uint32_t capacity;
    size_t size; /* bytes of pages that it holds */
} setti_diff;

typedef struct setti_keeper {
    setti_diff* diff; /* where pages go */
    /* Memory ran out: the page is written all the same, so that nobody can go back any more. Frees
     * all diffs and ends the keeping. The pool's lock is held. */
    void (*lost)(struct setti_keeper* keeper);
} setti_keeper;

struct setti_page_values {
    /* Fills `copy`, the size of a page, with what there is to keep of this page. */
    void (*save)(const setti_pages* pages, uint32_t number, void* copy);
    /* Moves what `save` put there to the page, whose values are all dead. */
    void (*move_back)(const setti_pages* pages, void* page, void* copy);
    /* Ends the values of a copy or of a parked page. */
    void (*drop)(const setti_pages* pages, void* kept);
};

/* What setti_pages_free asks while somebody keeps: true if the page is parked, and thus not to be
 * freed. */
bool setti_pages_park(setti_pool* pool, const setti_pages* pages, uint32_t number);

/* Frees an entry's data. */
void setti_kept_free(setti_pool* pool, setti_diff* diff, setti_kept* kept);

/* Frees a diff with all its entries' data. */
void setti_diff_deinit(setti_pool* pool, setti_diff* diff);

#endif
