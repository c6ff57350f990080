/* term.h: which terms are allowed, and which contradict themselves: one table for queries,
 * observers, and systems with on_enter, so that all accept and reject the same terms with the same
 * words. Terms in text and JSON become terms of these. */
#ifndef SETTI_TERM_H
#define SETTI_TERM_H

#include "sett/core.h"

#include "base/common.h"

/* Conditions of a term beside SETT_WITH. */
enum {
    SETTI_TERM_WITHOUT = 1,
    SETTI_TERM_ANY = 2,
    SETTI_TERM_OPTIONAL = 4,
    SETTI_TERM_CHANGED = 8,
    SETTI_TERM_DRIVES = 16,
    SETTI_TERM_ELSEWHERE = 32, /* another entity than the visited one; */
    SETTI_TERM_UPWARD = 64     /* of the hierarchy: the parent, an ancestor */
};

#define SETTI_TERM_OF_LOOPS                                                                        \
    (SETTI_TERM_WITHOUT | SETTI_TERM_ANY | SETTI_TERM_OPTIONAL | SETTI_TERM_CHANGED |              \
     SETTI_TERM_DRIVES | SETTI_TERM_ELSEWHERE | SETTI_TERM_UPWARD)
#define SETTI_TERM_OF_VALUES (SETTI_TERM_WITHOUT | SETTI_TERM_ANY) /* observers of a component */
#define SETTI_TERM_OF_ENTERING                                     /* observers of a query */      \
    (SETTI_TERM_WITHOUT | SETTI_TERM_ANY | SETTI_TERM_UPWARD)
/* Systems with on_enter or on_exit: what only their loops use is allowed as well. */
#define SETTI_TERM_OF_SYSTEMS_ENTERING                                                             \
    (SETTI_TERM_OF_ENTERING | SETTI_TERM_OPTIONAL | SETTI_TERM_DRIVES)

SETTI_INLINE bool setti_term_is_elsewhere(const sett_term* term)
{
    return term->walk != SETT_WALK_NONE || term->singleton || !sett_is_null(term->entity);
}

/* Whether it is about the parent or an ancestor. */
SETTI_INLINE bool setti_term_is_upward(const sett_term* term)
{
    return term->walk != SETT_WALK_NONE && (term->along == 0 || term->along == SETT_ID_HIERARCHY);
}

uint32_t setti_term_count(const sett_term terms[SETT_QUERY_TERMS]);

/* NULL, or what is wrong with a list of terms of the kinds in `allowed`; *at: with which.
 * Components are not looked at. */
const char* setti_terms_check(const sett_term terms[SETT_QUERY_TERMS], uint32_t allowed,
                              uint32_t* at);

/* Fails with ARGUMENT: this term of the query or observer `name` is wrong. */
sett_status setti_term_reject(sett_world* world, const sett_term terms[SETT_QUERY_TERMS],
                              uint32_t at, const char* call, const char* name, const char* wrong);

#endif
