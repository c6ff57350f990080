/* view.h: two snapshots side by side, page by page. */
#ifndef SETTI_VIEW_H
#define SETTI_VIEW_H

#include "state/snapshot.h"
#include "world/codec.h"

/* A page in two states. */
typedef struct setti_view_page {
    const setti_pages* pages;
    uint32_t number;
    const void* in[2]; /* contents by side; NULL: no page */
} setti_view_page;

/* The pages that may differ, among 64 pages of a table. */
typedef struct setti_view_word {
    uint64_t bits;
    uint32_t pages_before; /* number of the view's pages in earlier words of all tables */
} setti_view_word;

typedef struct setti_view_table {
    const setti_pages* pages; /* NULL: a free slot */
    uint32_t words;           /* number of words */
    uint32_t word;            /* index of the first word in view->word */
    uint32_t page;            /* index of the first page in view->page */
    uint32_t count;           /* number of pages in view->page */
} setti_view_table;

typedef struct setti_view {
    setti_sides sides;    /* first: codecs get the view as a setti_sides */
    bool empty;           /* the state before is an empty world */
    setti_view_page each; /* the current page of a walk over an empty world */
    const sett_world* world;
    const setti_snapshot* node[2];
    setti_view_table* table; /* open addressing */
    uint32_t table_bits;     /* log2(number of slots) */
    setti_view_word* word;
    uint32_t word_count;
    setti_view_page* page; /* pages that may differ, by table, ascending */
    uint32_t page_count;
} setti_view;

/* Begins a view of two snapshots; NULL is the live world. Returns false without memory. */
bool setti_view_init(sett_world* world, setti_snapshot* a, setti_snapshot* b, setti_view* view);

/* Begins a view of the empty world and the live world. Needs no deinit. */
void setti_view_init_empty(sett_world* world, setti_view* view);

void setti_view_deinit(sett_world* world, setti_view* view);

/* Returns a page on a side, or NULL. */
const void* setti_view_get(setti_view* view, const setti_pages* pages, uint32_t number,
                           uint32_t side);

/* Returns the next differing page of a table, or NULL at the end. *at begins as SETTI_NONE. */
const setti_view_page* setti_view_next(setti_view* view, const setti_pages* pages, uint32_t* at);

/* A walk over entity slots with differing generations, ascending. */
typedef struct setti_view_slot {
    uint32_t index; /* SETTI_NONE: before the first slot */
    uint32_t generation[2];
    uint32_t at; /* of setti_view_next */
    const setti_view_page* page;
} setti_view_slot;

/* Goes to the next slot. Returns false at the end. */
bool setti_view_next_slot(setti_view* view, setti_view_slot* slot);

/* Returns an upper bound of a table's page numbers. */
uint32_t setti_view_count(setti_view* view, const setti_pages* pages);

uint32_t setti_view_extent(setti_view* view, const setti_type* type, uint32_t side);

/* Returns the entity at an index on a side, or null. */
sett_entity setti_view_entity(setti_view* view, uint32_t index, uint32_t side);

/* Returns the value of the entity at an index, or NULL. */
const void* setti_view_value(setti_view* view, const setti_type* type, uint32_t index,
                             uint32_t side);

uint32_t setti_view_number(setti_view* view, const setti_root* root, uint32_t side);

const unsigned char* setti_view_record(setti_view* view, const setti_records* records,
                                       uint32_t place, uint32_t side);

/* The rest of a list of records. */
typedef struct setti_view_list {
    uint32_t left;  /* number of records */
    uint32_t place; /* of the next record */
} setti_view_list;

/* Returns the list of the records of a value. */
setti_view_list setti_view_records(const setti_type* type, const void* value);
/* Returns the next record of a list, or NULL at the end. */
const unsigned char* setti_view_next_record(setti_view* view, const setti_records* records,
                                            setti_view_list* list, uint32_t side);

#endif
