/* concern.h: which queries a change of the layout concerns, found by the types that it moves. */
#ifndef SETTI_CONCERN_H
#define SETTI_CONCERN_H

#include "tune/price.h"

/* A term of a query, in the list of its type. */
typedef struct setti_concern_entry {
    sett_query* query;
    uint32_t next; /* in the type's list; SETTI_NONE: the end */
} setti_concern_entry;

typedef struct setti_concerns {
    uint32_t* first; /* entry by type id, or SETTI_NONE; NULL: no memory */
    uint32_t types;
    setti_concern_entry* entry;
    uint32_t entries;
    sett_query** found; /* room for all queries */
    uint32_t queries;
    uint32_t stamp; /* the last call's number, 31 bits: queries with it are in `found` */
    size_t size;    /* of the memory of all arrays, in bytes */
} setti_concerns;

/* Lists the sampled queries by type. Without memory `first` is NULL: each change concerns all. */
void setti_concerns_init(setti_concerns* concerns, sett_world* world);
void setti_concerns_deinit(setti_concerns* concerns, sett_world* world);

/* The queries that a change may concern, each once, until the next call; NULL: all. */
const setti_price_list* setti_concerns_find(setti_concerns* concerns, const setti_relayout* change,
                                            setti_price_list* list);

#endif
