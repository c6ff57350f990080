/* price.h: the cost of loops under the present or a possible layout, in whole hundredths of a
 * nanosecond, so that the result is the same on every machine. */
#ifndef SETTI_PRICE_H
#define SETTI_PRICE_H

#include "query/query.h"

typedef int64_t setti_price;

#define SETTI_PRICE_NS 100 /* to a nanosecond */

/* The difference from the present layout; at most one of these is not NULL. */
typedef struct setti_relayout {
    const setti_type* type; /* an array becomes a sparse set, a sparse set an array */
    /* a group of the types in this query is made, and automatic ones in its way end: what these
     * own stays in sparse sets */
    const sett_query* group;
    const setti_listener* dissolved; /* this group is destroyed, and its types become arrays */
} setti_relayout;

/* All loops over queries that a change concerns, and other accesses of its types. */
typedef struct setti_prices {
    setti_price now;
    setti_price then;
    uint64_t loops; /* of the query with the most */
} setti_prices;

/* The terms that a group for this query would own: those with values, all of them required. */
uint32_t setti_price_owned(const sett_query* query);

/* One loop. */
setti_price setti_price_loop(const sett_query* query, setti_use use, const setti_relayout* change);

/* Some queries of a world: all that a change concerns are among them. */
typedef struct setti_price_list {
    sett_query** query;
    uint32_t count;
} setti_price_list;

/* All that was counted. `list`: NULL stands for all queries. */
setti_prices setti_price_change(const sett_world* world, setti_use use,
                                const setti_relayout* change, const setti_price_list* list);

/* The extra time of `count` additions and removals in a sparse set of `rows` rows, compared to an
 * array. */
setti_price setti_price_changes(uint64_t count, uint64_t rows);

/* The cost of `count` entities that enter or leave a group of `rows` rows that owns `owned`
 * types. */
setti_price setti_price_churn(uint64_t count, uint32_t owned, uint64_t rows);

#endif
