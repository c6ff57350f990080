/* view.h: two snapshots side by side, page by page. */
#ifndef SETTI_VIEW_H
#define SETTI_VIEW_H

#include "state/snapshot.h"
#include "world/codec.h"

typedef struct setti_view_page {
    const setti_pages* pages;
    uint32_t number;
    const void* in[2]; /* the contents by side; NULL: the side lacks the page */
} setti_view_page;

/* The pages that may differ, among 64 pages of a table. */
typedef struct setti_view_word {
    uint64_t bits;
    uint32_t pages_before; /* the number of pages before these pages in view->page */
} setti_view_word;

typedef struct setti_view_table {
    const setti_pages* pages; /* NULL: a free slot */
    uint32_t words;           /* the number of the table's words in view->word */
    uint32_t word;            /* the index of the table's first word in view->word */
    uint32_t page;            /* the index of the table's first page in view->page */
    uint32_t count;           /* the number of the table's pages in view->page */
} setti_view_table;

typedef struct setti_view {
    setti_sides sides; /* first: codecs get the view as a setti_sides */
    bool empty;        /* SETTI_BEFORE is an empty world, SETTI_AFTER the live world */
    /* The page that setti_view_next has returned, if `empty` is true. Then each.in[SETTI_BEFORE] is
     * NULL. */
    setti_view_page each;
    const sett_world* world;
    const setti_snapshot* node[2]; /* by side; NULL: the live world */
    setti_view_table* table;       /* open addressing */
    uint32_t table_bits;           /* log2(number of slots) */
    setti_view_word* word;
    uint32_t word_count;
    setti_view_page* page; /* list of the pages that may differ: by table, then by number */
    uint32_t page_count;
} setti_view;

/* Begins a view of the snapshots `a` (SETTI_BEFORE) and `b` (SETTI_AFTER). NULL stands for the live
 * world. Returns false if memory runs out. */
bool setti_view_init(sett_world* world, setti_snapshot* a, setti_snapshot* b, setti_view* view);

/* Begins a view of the changes from an empty world to the live world. It needs no
 * setti_view_deinit. */
void setti_view_init_empty(sett_world* world, setti_view* view);

void setti_view_deinit(sett_world* world, setti_view* view);

/* Returns the contents of a page on a side, or NULL if the side lacks the page. */
const void* setti_view_get(setti_view* view, const setti_pages* pages, uint32_t number,
                           uint32_t side);

/* Returns a table's next page that may differ, or NULL at the end. *cursor is SETTI_NONE before the
 * first call. */
const setti_view_page* setti_view_next(setti_view* view, const setti_pages* pages,
                                       uint32_t* cursor);

/* A walk over the indices whose generations differ, ascending. */
typedef struct setti_view_slot {
    uint32_t index;              /* SETTI_NONE: before the first index */
    uint32_t generation[2];      /* at the index, by side */
    uint32_t cursor;             /* the cursor of setti_view_next */
    const setti_view_page* page; /* the page that has the index */
} setti_view_slot;

/* Goes to the next index whose generations differ. Returns false at the end. */
bool setti_view_next_slot(setti_view* view, setti_view_slot* slot);

/* Returns a number that is above the number of each page of a table on both sides. */
uint32_t setti_view_count(setti_view* view, const setti_pages* pages);

/* Returns the end of the rows of a type that are in use on a side. */
uint32_t setti_view_extent(setti_view* view, const setti_type* type, uint32_t side);

/* Returns the entity that lives at an index on a side, or null. */
sett_entity setti_view_entity(setti_view* view, uint32_t index, uint32_t side);

/* Returns the value at an entity index, or NULL. The value of a tag is any address. */
const void* setti_view_value(setti_view* view, const setti_type* type, uint32_t index,
                             uint32_t side);

/* Returns the first number in a root on a side, or 0 if the side lacks the root. */
uint32_t setti_view_number(setti_view* view, const setti_root* root, uint32_t side);

/* Returns the record at a place on a side. */
const unsigned char* setti_view_record(setti_view* view, const setti_records* records,
                                       uint32_t place, uint32_t side);

/* A walk through a list of records. */
typedef struct setti_view_list {
    uint32_t left;  /* the number of records that are not visited yet */
    uint32_t place; /* the place of the next record */
} setti_view_list;

/* Returns the list of a value's records. */
setti_view_list setti_view_records(const setti_type* type, const void* value);
/* Returns the next record of a list, or NULL at the end. */
const unsigned char* setti_view_next_record(setti_view* view, const setti_records* records,
                                            setti_view_list* list, uint32_t side);

#endif
