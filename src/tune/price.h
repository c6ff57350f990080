/* price.h: the cost of loops under a layout, in whole numbers that are equal on every machine. */
#ifndef SETTI_PRICE_H
#define SETTI_PRICE_H

#include "query/query.h"

typedef int64_t setti_price;

#define SETTI_PRICE_NS 100 /* prices of a nanosecond */

/* A change of the layout; at most one member is not NULL. */
typedef struct setti_relayout {
    const setti_type* type; /* stored in the other kind */
    /* gets a group; automatic groups that own its types are destroyed */
    const sett_query* group;
    const setti_listener* dissolved; /* destroyed; its types become arrays */
} setti_relayout;

/* The costs of all loops that a change concerns, and of other accesses to its types. */
typedef struct setti_prices {
    setti_price now;
    setti_price then;
    uint64_t loops; /* number of loops of the query with the most */
} setti_prices;

/* Adds a cost that a change causes; below 0: that it saves. */
static inline void setti_prices_add(setti_prices* prices, setti_price cost)
{
    prices->then += SETTI_MAX(cost, 0);
    prices->now += SETTI_MAX(-cost, 0);
}

/* The bits of the terms that a group for a query would own: of all with values. A group
 * needs each of them to be required. */
uint32_t setti_price_owned(const sett_query* query);

/* The cost of one loop of a query after a change; NULL: under the present layout. */
setti_price setti_price_loop(const sett_query* query, setti_use use, const setti_relayout* change);

/* Queries of a world, with at least those that a change concerns. */
typedef struct setti_price_list {
    sett_query** query;
    uint32_t count;
} setti_price_list;

/* The prices before and after a change. `list` NULL: all queries. */
setti_prices setti_price_change(const sett_world* world, setti_use use,
                                const setti_relayout* change, const setti_price_list* list);

/* The cost of `count` additions and removals in a sparse set of `rows` rows, beyond an array's. */
setti_price setti_price_changes(uint64_t count, uint64_t rows);

/* The cost of `count` entities entering or leaving a group of `rows` rows and `owned` types. */
setti_price setti_price_churn(uint64_t count, uint32_t owned, uint64_t rows);

#endif
