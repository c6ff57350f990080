/* use.h: counters of a program's use of types, queries and groups.
 *
 * The world and its queries increment the counters. The module tune/ reads them to choose layouts.
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
    uint64_t accessed; /* values read or written */
} setti_type_use;

/* A possible change of the layout: to create a group for a query, to destroy a group, or to change
 * the storage of a type. */
typedef struct setti_relayout_use {
    int64_t regret;      /* saving so far if the change had been made, less the change's cost */
    uint64_t churn;      /* how often entities entered or left the (possible) group */
    uint32_t changes;    /* how often the change was made */
    uint32_t stamp : 31; /* of a query: number of the last list with the query */
    uint32_t taken : 1;  /* of a query: a change of the current sample concerns the query */
} setti_relayout_use;

#endif
