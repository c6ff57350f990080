/* use.h: counters of what a program does with types, queries and groups.
 *
 * The world and its queries count, and read none of these: layouts (tune/) are chosen by them.
 *
 *     world->counting     loops are counted: sett_profile_begin, sett_layout_auto
 *     world->profiling    access to single entities is counted as well: sett_profile_begin
 */
#ifndef SETTI_USE_H
#define SETTI_USE_H

#include <stdint.h>

/* Queries have two sets of counters: for advice, while use is profiled, and for samples of
 * sett_layout_auto. */
typedef enum setti_use {
    SETTI_PROFILED,
    SETTI_SAMPLED,
    SETTI_USES
} setti_use;

typedef struct setti_query_use {
    uint64_t loops;
    uint64_t matched; /* entities, in all counted loops together */
} setti_query_use;

/* Calls for single entities, counted while use is profiled. */
typedef struct setti_type_use {
    uint64_t added;
    uint64_t removed;
    uint64_t accessed; /* values that were read or written */
} setti_type_use;

/* One possible change of the layout: a group for a query, the other storage of a type, the end of
 * a group. */
typedef struct setti_relayout_use {
    int64_t regret;      /* what the change would have saved so far, less its cost */
    uint64_t churn;      /* how often entities entered or left the group, or would have */
    uint32_t changes;    /* how often the change was made */
    uint32_t stamp : 31; /* number of the list that a query was put on last */
    uint32_t taken : 1;  /* of a query: a change of this sample concerns it */
} setti_relayout_use;

#endif
