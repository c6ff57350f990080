/* concern.h: finds the queries that a change of the layout concerns, by the types to move. */
#ifndef SETTI_CONCERN_H
#define SETTI_CONCERN_H

#include "tune/price.h"

/* A query in the list of a type. */
typedef struct setti_concern_entry {
    sett_query* query;
    uint32_t next; /* entry of the same type; SETTI_NONE: the end */
} setti_concern_entry;

typedef struct setti_concerns {
    uint32_t* first; /* first entry by type id, or SETTI_NONE; NULL: no memory */
    uint32_t types;
    setti_concern_entry* entry;
    uint32_t entries;
    sett_query** found; /* result of setti_concerns_find; room for all queries */
    uint32_t queries;
    uint32_t stamp; /* number of the last call, 31 bits; equal in the queries of `found` */
    size_t size;    /* bytes of all three arrays */
} setti_concerns;

/* Lists the sampled queries by type. When memory runs out, `first` is NULL. */
void setti_concerns_init(setti_concerns* concerns, sett_world* world);
void setti_concerns_deinit(setti_concerns* concerns, sett_world* world);

/* Finds the queries that a change may concern. Returns `list`, or NULL if memory ran out before. */
const setti_price_list* setti_concerns_find(setti_concerns* concerns, const setti_relayout* change,
                                            setti_price_list* list);

#endif
