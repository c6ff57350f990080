/* term.h: checks the terms of queries, observers and systems. */
#ifndef SETTI_TERM_H
#define SETTI_TERM_H

#include "sett/core.h"

#include "base/common.h"

/* The kinds of terms beside a plain SETT_WITH. */
enum {
    SETTI_TERM_WITHOUT = 1,
    SETTI_TERM_ANY = 2,
    SETTI_TERM_OPTIONAL = 4,
    SETTI_TERM_CHANGED = 8,
    SETTI_TERM_DRIVES = 16,
    SETTI_TERM_ELSEWHERE = 32, /* about another entity, but not SETTI_TERM_UPWARD */
    SETTI_TERM_UPWARD = 64     /* about the parent or an ancestor in the hierarchy */
};

#define SETTI_TERM_OF_LOOPS                                                                        \
    (SETTI_TERM_WITHOUT | SETTI_TERM_ANY | SETTI_TERM_OPTIONAL | SETTI_TERM_CHANGED |              \
     SETTI_TERM_DRIVES | SETTI_TERM_ELSEWHERE | SETTI_TERM_UPWARD)
#define SETTI_TERM_OF_VALUES (SETTI_TERM_WITHOUT | SETTI_TERM_ANY) /* observers of a component */
#define SETTI_TERM_OF_ENTERING                                     /* observers of a query */      \
    (SETTI_TERM_WITHOUT | SETTI_TERM_ANY | SETTI_TERM_UPWARD)
/* systems with on_enter or on_exit */
#define SETTI_TERM_OF_SYSTEMS_ENTERING                                                             \
    (SETTI_TERM_OF_ENTERING | SETTI_TERM_OPTIONAL | SETTI_TERM_DRIVES)

/* Returns the world of a query. This is for layers that do not include the headers of queries. */
sett_world* setti_query_world(const void* query);

/* Whether a term is about the same entity for all visited entities. */
SETTI_INLINE bool setti_term_is_fixed(const sett_term* term)
{
    return term->singleton || !sett_is_null(term->entity);
}

/* Whether a term tests another entity. */
SETTI_INLINE bool setti_term_is_elsewhere(const sett_term* term)
{
    return term->walk != SETT_WALK_NONE || setti_term_is_fixed(term);
}

/* Whether a term tests the parent or an ancestor. */
SETTI_INLINE bool setti_term_is_upward(const sett_term* term)
{
    bool along_hierarchy = term->along == 0 || term->along == SETT_ID_HIERARCHY;
    return term->walk != SETT_WALK_NONE && along_hierarchy;
}

uint32_t setti_term_count(const sett_term terms[SETT_QUERY_TERMS]);

/* Checks a list of terms. Returns NULL if all are valid. Otherwise returns the error, and sets
 * *wrong_term to the number of the term in error.
 *   allowed  the allowed kinds of terms (SETTI_TERM_*) */
const char* setti_terms_check(const sett_term terms[SETT_QUERY_TERMS], uint32_t allowed,
                              uint32_t* wrong_term);

/* Fails because a term is wrong.
 *   number  of the term
 *   name    of the query or observer
 *   wrong   what is wrong, and the remedy */
sett_status setti_term_reject(sett_world* world, const sett_term terms[SETT_QUERY_TERMS],
                              uint32_t number, const char* call, const char* name,
                              const char* wrong);

#endif
