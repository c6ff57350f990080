/* concern.h: finds the queries that a change of the layout concerns. Such a query has a type that
 * moves. */
#ifndef SETTI_CONCERN_H
#define SETTI_CONCERN_H

#include "tune/price.h"

/* A query in the list of a type. */
typedef struct setti_concern_entry {
    sett_query* query;
    uint32_t next; /* next entry in the list of the type; SETTI_NONE: the end */
} setti_concern_entry;

typedef struct setti_concerns {
    uint32_t* first; /* array by type id: first entry, or SETTI_NONE; NULL: no memory */
    uint32_t types;
    setti_concern_entry* entry;
    uint32_t entries;
    sett_query** found; /* the queries found last; has room for all queries */
    uint32_t queries;
    uint32_t stamp; /* of the last call; the queries in `found` have the same stamp */
    size_t size;    /* bytes of all three arrays */
} setti_concerns;

/* Lists the sampled queries by type. If memory runs out, concerns->first is NULL. */
void setti_concerns_init(setti_concerns* concerns, sett_world* world);
void setti_concerns_deinit(setti_concerns* concerns, sett_world* world);

/* Finds the queries that a change may concern. Returns `list` with the queries. Returns NULL if
 * memory ran out in setti_concerns_init. */
const setti_price_list* setti_concerns_find(setti_concerns* concerns, const setti_relayout* change,
                                            setti_price_list* list);

#endif
