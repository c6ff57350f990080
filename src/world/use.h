/* use.h: counters of a program's use of types, queries and groups.
 *
 * The world and its queries increment the counters. The module tune/ reads them to choose layouts.
 *
 *     world->counting     loops are counted: sett_profile_begin, sett_layout_auto
 *     world->profiling    calls for single entities are counted: sett_profile_begin
 */
#ifndef SETTI_USE_H
#define SETTI_USE_H

#include <stdint.h>

/* The sets of counters of a query. */
typedef enum setti_use {
    SETTI_PROFILED, /* for advice, while use is profiled */
    SETTI_SAMPLED,  /* for samples of sett_layout_auto */
    SETTI_USES
} setti_use;

typedef struct setti_query_use {
    uint64_t loops;
    uint64_t matched; /* visited entities, summed over the counted loops */
} setti_query_use;

/* Calls for single entities, counted while use is profiled. */
typedef struct setti_type_use {
    uint64_t added;
    uint64_t removed;
    uint64_t accessed; /* values read or written */
} setti_type_use;

/* A possible change of the layout. */
typedef struct setti_relayout_use {
    int64_t regret;      /* what the change would have saved so far, less the cost of the change */
    uint64_t churn;      /* how often entities entered or left the (possible) group */
    uint32_t changes;    /* how often the change was made */
    uint32_t stamp : 31; /* of a query: number of the last list that has the query */
    uint32_t taken : 1;  /* of a query: a change of the current sample concerns the query */
} setti_relayout_use;

#endif
