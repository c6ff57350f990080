/* price.h: the cost of loops under a layout, in whole numbers that are equal on all machines. */
#ifndef SETTI_PRICE_H
#define SETTI_PRICE_H

#include "query/query.h"

typedef int64_t setti_price;

#define SETTI_PRICE_NS 100 /* units of price in a nanosecond */

/* A change of the layout; at most one member is not NULL. */
typedef struct setti_relayout {
    const setti_type* type;          /* converted to the other kind of storage */
    const sett_query* group;         /* a group is created for the query */
    const setti_listener* dissolved; /* an automatic group to destroy; the types become arrays */
} setti_relayout;

/* The cost of all loops and accesses that a change concerns. */
typedef struct setti_prices {
    setti_price now;  /* without the change */
    setti_price then; /* with the change */
    uint64_t loops;   /* loops over the query that had the most loops */
} setti_prices;

/* Adds a cost that the change causes. A negative `cost` is a cost that the change saves, so only
 * the present layout has it. */
static inline void setti_prices_add(setti_prices* prices, setti_price cost)
{
    prices->then += SETTI_MAX(cost, 0);
    prices->now += SETTI_MAX(-cost, 0);
}

/* Returns the terms with types that a group for the query would own, as bits. */
uint32_t setti_price_owned(const sett_query* query);

/* Returns the cost of a loop over a query after `change`, or under the present layout if `change`
 * is NULL. */
setti_price setti_price_loop(const sett_query* query, setti_use use, const setti_relayout* change);

/* The queries that a change may concern. */
typedef struct setti_price_list {
    sett_query** query;
    uint32_t count;
} setti_price_list;

/* Returns the prices before and after a change, for the queries of `list`. If `list` is NULL, all
 * queries count. */
setti_prices setti_price_change(const sett_world* world, setti_use use,
                                const setti_relayout* change, const setti_price_list* list);

/* Returns how much more `count` changes cost in a sparse set of `rows` rows than in an array. A
 * change adds or removes a value. */
setti_price setti_price_changes(uint64_t count, uint64_t rows);

/* Returns the cost of `count` entities that enter or leave a group. The group owns `owned` types,
 * with `rows` rows. */
setti_price setti_price_churn(uint64_t count, uint32_t owned, uint64_t rows);

#endif
