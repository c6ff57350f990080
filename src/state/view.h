/* view.h: two snapshots beside each other, page by page, without restoring either. */
#ifndef SETTI_VIEW_H
#define SETTI_VIEW_H

#include "state/snapshot.h"
#include "world/codec.h"

/* A page in both snapshots; NULL where it does not exist. */
typedef struct setti_view_page {
    const setti_pages* pages;
    uint32_t number;
    const void* in[2];
} setti_view_page;

/* Of 64 pages of a table, those that may differ, and how many of the view's pages lie before
 * them. */
typedef struct setti_view_word {
    uint64_t bits;
    uint32_t before;
} setti_view_word;

typedef struct setti_view_table {
    const setti_pages* pages; /* NULL: a free slot */
    uint32_t words;           /* how many, */
    uint32_t word;            /* and which is the first */
    uint32_t page;            /* the first of its pages, */
    uint32_t count;           /* and how many */
} setti_view_table;

typedef struct setti_view {
    setti_sides sides;    /* first: what codecs see of it */
    bool empty;           /* side 0 is the world before anything was in it */
    setti_view_page each; /* then: the page that the walk is at */
    const sett_world* world;
    const setti_snapshot* node[2];
    setti_view_table* table; /* open addressing */
    uint32_t table_bits;     /* of the number of slots */
    setti_view_word* word;
    uint32_t word_count;
    setti_view_page* page; /* that may not be the live ones, by table, ascending */
    uint32_t page_count;
} setti_view;

/* `b` NULL is the live world. False when memory runs out. */
bool setti_view_init(sett_world* world, setti_snapshot* a, setti_snapshot* b, setti_view* view);

/* The empty world, and the live one. Needs no memory, and no deinit. */
void setti_view_init_empty(sett_world* world, setti_view* view);

void setti_view_deinit(sett_world* world, setti_view* view);

/* A page as it is on one side, 0 or 1; NULL if it is not there. */
const void* setti_view_get(setti_view* view, const setti_pages* pages, uint32_t number,
                           uint32_t side);

/* The pages of a table that differ: the next behind *at, which starts at SETTI_NONE; NULL at the
 * end. */
const setti_view_page* setti_view_next(setti_view* view, const setti_pages* pages, uint32_t* at);

/* The slots of entities whose generations differ, ascending. */
typedef struct setti_view_slot {
    uint32_t index; /* SETTI_NONE: before the first */
    uint32_t generation[2];
    uint32_t at; /* as of setti_view_next */
    const setti_view_page* page;
} setti_view_slot;

/* Goes to the next one; false at the end. */
bool setti_view_next_slot(setti_view* view, setti_view_slot* slot);

/* How many numbers a table's pages have at most, on either side and live. */
uint32_t setti_view_count(setti_view* view, const setti_pages* pages);

/* Rows in use of a type's storage. */
uint32_t setti_view_extent(setti_view* view, const setti_type* type, uint32_t side);

/* The entity at an index on a side; null if there is none. */
sett_entity setti_view_entity(setti_view* view, uint32_t index, uint32_t side);

/* Sparse-set: the row that an index has on a side, or SETTI_NONE. */
uint32_t setti_view_row(setti_view* view, const setti_type* type, uint32_t index, uint32_t side);

/* The value that an index has on a side; NULL if none. A tag's is any address. */
const void* setti_view_value(setti_view* view, const setti_type* type, uint32_t index,
                             uint32_t side);

/* The value on a side of a root that is one number. */
uint32_t setti_view_number(setti_view* view, const setti_root* root, uint32_t side);

/* A record beside a type's values; the next one of the list of a value, NULL behind the last. *left
 * is how many there are from *place on, as setti_view_records sets both. */
const unsigned char* setti_view_record(setti_view* view, const setti_records* records,
                                       uint32_t place, uint32_t side);

typedef struct setti_view_list {
    uint32_t left;
    uint32_t place;
} setti_view_list;

setti_view_list setti_view_records(const setti_type* type, const void* value);
const unsigned char* setti_view_next_record(setti_view* view, const setti_records* records,
                                            setti_view_list* list, uint32_t side);

#endif
