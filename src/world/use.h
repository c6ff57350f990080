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

/* The counters of a query are separate for advice, while profiling, and for samples. */
typedef enum setti_use {
    SETTI_PROFILED,
    SETTI_SAMPLED,
    SETTI_USES
} setti_use;

typedef struct setti_query_use {
    uint64_t loops;
    uint64_t matched; /* by all counted loops */
} setti_query_use;

/* Single entities, while profiling. */
typedef struct setti_type_use {
    uint64_t added, removed, accessed;
} setti_type_use;

/* One possible change of the layout: a group for a query, the other storage of a type, the end of
 * a group. */
typedef struct setti_relayout_use {
    int64_t regret;      /* the saving that it would have given, less its cost */
    uint64_t churn;      /* entities that would come and go with it, or do */
    uint32_t changes;    /* how often it was made */
    uint32_t stamp : 31; /* of the list that a query was put on last */
    uint32_t taken : 1;  /* a query: a change of this sample concerns it */
} setti_relayout_use;

#endif
