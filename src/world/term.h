/* term.h: checks which terms are allowed, and whether a term contradicts itself. Queries,
 * observers, and systems with on_enter call it, so that all of them reject a term with one message.
 * Terms in text and JSON are turned into these terms first. */
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
    SETTI_TERM_ELSEWHERE = 32, /* about another entity than the visited one, but no ancestor */
    SETTI_TERM_UPWARD = 64     /* about the parent or an ancestor in the hierarchy */
};

#define SETTI_TERM_OF_LOOPS                                                                        \
    (SETTI_TERM_WITHOUT | SETTI_TERM_ANY | SETTI_TERM_OPTIONAL | SETTI_TERM_CHANGED |              \
     SETTI_TERM_DRIVES | SETTI_TERM_ELSEWHERE | SETTI_TERM_UPWARD)
#define SETTI_TERM_OF_VALUES (SETTI_TERM_WITHOUT | SETTI_TERM_ANY) /* observers of a component */
#define SETTI_TERM_OF_ENTERING                                     /* observers of a query */      \
    (SETTI_TERM_WITHOUT | SETTI_TERM_ANY | SETTI_TERM_UPWARD)
/* Systems with on_enter or on_exit may also have the kinds that only their loops use. */
#define SETTI_TERM_OF_SYSTEMS_ENTERING                                                             \
    (SETTI_TERM_OF_ENTERING | SETTI_TERM_OPTIONAL | SETTI_TERM_DRIVES)

/* Whether a term is about another entity than the visited one. */
SETTI_INLINE bool setti_term_is_elsewhere(const sett_term* term)
{
    return term->walk != SETT_WALK_NONE || term->singleton || !sett_is_null(term->entity);
}

/* Whether a term is about the parent or an ancestor. */
SETTI_INLINE bool setti_term_is_upward(const sett_term* term)
{
    return term->walk != SETT_WALK_NONE && (term->along == 0 || term->along == SETT_ID_HIERARCHY);
}

/* How many terms there are: component 0 ends the list. */
uint32_t setti_term_count(const sett_term terms[SETT_QUERY_TERMS]);

/* NULL, or what is wrong with a list of terms, which may be of the kinds `allowed`; *at becomes the
 * number of the wrong term. Does not look at components. */
const char* setti_terms_check(const sett_term terms[SETT_QUERY_TERMS], uint32_t allowed,
                              uint32_t* at);

/* Fails with ARGUMENT: the term number `at` of the query or observer `name` is wrong. */
sett_status setti_term_reject(sett_world* world, const sett_term terms[SETT_QUERY_TERMS],
                              uint32_t at, const char* call, const char* name, const char* wrong);

#endif
