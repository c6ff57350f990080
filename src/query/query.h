/* query.h: a prepared query. */
#ifndef SETTI_QUERY_H
#define SETTI_QUERY_H

#include "world/world.h"

/* Rows of a step in which fields are gathered: few, so that the copies stay in the first-level
 * cache. */
#define SETTI_GATHER_ROWS 64

typedef struct setti_term {
    setti_type* type;
    sett_term_kind kind;
    sett_access access;
    bool has_field;        /* its type has bytes and the query asks for them */
    uint32_t scratch_rows; /* offset in the scratch of 64 gathered values, */
    uint32_t scratch_at;   /* and of 64 pointers to where they came from */
} setti_term;

struct sett_query {
    sett_world* world;
    char* name;
    uint32_t name_size;
    uint32_t term_count;
    uint32_t optional_count;
    uint32_t filter_count;            /* terms that step_pages tests after the required matrices: */
    uint8_t filter[SETT_QUERY_TERMS]; /* without, and required in packed storages */
    /* rows of a step over pages: the fewest rows a page among its matrix terms */
    uint32_t matrix_rows;
    uint32_t scratch_size; /* bytes, if everything had to be gathered */
    bool gathers;          /* over pages: some field lies in a packed storage */
    setti_term term[SETT_QUERY_TERMS];
};

/* Which term's packed storage drives a loop that begins now, SETT_QUERY_TERMS if pages are
 * intersected. A function of the counts in the world and nothing else. */
uint32_t setti_plan_driver(const sett_query* query);

#endif
