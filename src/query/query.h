/* query.h: a prepared query. */
#ifndef SETTI_QUERY_H
#define SETTI_QUERY_H

#include "world/world.h"

/* Rows of a step in which fields are gathered: few, so that the copies stay in the first-level
 * cache, and enough to spread what a batch costs (about 40 ns) thin. */
#define SETTI_GATHER_ROWS 128

typedef struct setti_term {
    setti_type* type;
    sett_term_kind kind;
    sett_access access;
    bool has_field;  /* its type has bytes and the query asks for them */
    uint32_t values; /* offset in the scratch of the gathered values, */
    uint32_t places; /* and of the places in the storage that they come from */
} setti_term;

struct sett_query {
    setti_open_loop open; /* first: what the world knows of it while loops over it are open */
    sett_world* world;
    uint32_t name_size;
    uint32_t term_count;
    uint32_t required;     /* bit k: term k is required */
    uint32_t optional;     /* bit k: term k is optional */
    uint32_t matrix_count; /* required types that lie in matrices, or are tags: */
    uint32_t packed_count; /* required types that are packed */
    uint32_t filter_count; /* terms that a step over pages tests after the matrices: */
    uint32_t matrix_rows;  /* rows of a step over pages: the fewest a page among its matrices */
    uint32_t scratch_size; /* bytes, if everything had to be gathered */
    bool gathers;          /* over pages: some field lies in a packed storage */
    const setti_storage* matrix[SETT_QUERY_TERMS];
    uint8_t filter[SETT_QUERY_TERMS]; /* without, and required in packed storages */
    setti_term term[SETT_QUERY_TERMS];
};

/* Which term's packed storage drives a loop that begins now, SETT_QUERY_TERMS if pages are
 * intersected. A function of the counts in the world and nothing else. */
uint32_t setti_plan_driver(const sett_query* query);

#endif
