/* term.c: checks terms. See term.h.
 *
 * Invariant:  each combination of kind, walk, entity, singleton, along, changed and drives is used
 *             as documented, or rejected: none is ignored
 */
#include "world/term.h"
#include "base/bits.h"
#include "world/world.h"

uint32_t setti_term_count(const sett_term terms[SETT_QUERY_TERMS])
{
    uint32_t count = 0;
    while (count < SETT_QUERY_TERMS && terms[count].component != 0) {
        count++;
    }
    return count;
}

/* The kinds of a term: SETTI_TERM_*. */
static uint32_t term_kinds(const sett_term* term)
{
    static const uint32_t kinds[] = {0, SETTI_TERM_WITHOUT, SETTI_TERM_OPTIONAL, SETTI_TERM_ANY};
    SETTI_ASSERT((unsigned)term->kind <= SETT_ANY);
    return kinds[term->kind] | (term->changed ? SETTI_TERM_CHANGED : 0u) |
           (term->drives ? SETTI_TERM_DRIVES : 0u) |
           (setti_term_is_upward(term)      ? SETTI_TERM_UPWARD
            : setti_term_is_elsewhere(term) ? SETTI_TERM_ELSEWHERE
                                            : 0u);
}

/* The contradiction inside a term, or NULL. */
static const char* term_contradiction(const sett_term* term)
{
    bool elsewhere = setti_term_is_elsewhere(term);
    bool fixed = term->singleton || !sett_is_null(term->entity);
    if (term->changed && term->kind != SETT_WITH) {
        return "`changed` needs a required component of the entity (SETT_WITH)";
    }
    if (term->drives && (term->kind != SETT_WITH || elsewhere)) {
        return "`drives` can be set in one term only, a required component of the entity itself";
    }
    if (elsewhere && (term->kind == SETT_ANY || term->changed)) {
        return "a term about another entity cannot be SETT_ANY or `changed`";
    }
    if (term->walk != SETT_WALK_NONE && fixed) {
        return "a term has an `entity` or a `walk`, not both";
    }
    if (term->singleton && !sett_is_null(term->entity)) {
        return "a term has an `entity` or `singleton`, not both";
    }
    return term->along != 0 && term->walk == SETT_WALK_NONE ? "`along` needs `walk`" : NULL;
}

/* Why the term is not allowed, or NULL. */
static const char* term_excess(const sett_term* term, uint32_t allowed)
{
    static const char* const why[] = {
        "SETT_WITHOUT is not observed", /* allowed everywhere so far */
        "SETT_ANY is not observed",     /* allowed everywhere so far */
        "an optional term decides nothing here - leave it out",
        "`changed` is for loops only - observe the component instead",
        "`drives` is for loops only: an observer has no order of entities",
        "a change of another entity (`along`, `entity`, singleton) runs no callback, except in "
        "the hierarchy - observe the component there, and read the rest in the callback",
        "an observer of a component can only test its entity - look up from the callback, or "
        "observe a query: on_enter and on_exit",
    };
    uint32_t excess = term_kinds(term) & ~allowed;
    return excess != 0 ? why[setti_bits_lowest(excess)] : NULL;
}

const char* setti_terms_check(const sett_term terms[SETT_QUERY_TERMS], uint32_t allowed,
                              uint32_t* at)
{
    uint32_t count = setti_term_count(terms);
    uint32_t elsewhere = 0;
    bool driver = false;
    for (*at = 0; *at < count; ++*at) {
        const sett_term* term = &terms[*at];
        if ((unsigned)term->kind > SETT_ANY || (unsigned)term->access > SETT_NONE ||
            (unsigned)term->walk > SETT_WALK_SELF_UP) {
            return "its `kind`, `access` or `walk` has an unknown value";
        }
        const char* wrong = term_contradiction(term);
        wrong = wrong == NULL ? term_excess(term, allowed) : wrong;
        if (wrong != NULL) {
            return wrong;
        }
        if (term->drives && driver) {
            return "`drives` can be set in one term only, a required component of the entity "
                   "itself";
        }
        driver = driver || term->drives;
        bool other = setti_term_is_elsewhere(term);
        elsewhere += other;
        if (elsewhere > SETT_QUERY_ELSEWHERE || (elsewhere != 0 && !other)) {
            return "terms about other entities come last, at most 8";
        }
    }
    for (; *at < SETT_QUERY_TERMS; ++*at) {
        if (terms[*at].component != 0) {
            return "component 0 ends the list, but more terms follow - register the component "
                   "first";
        }
    }
    return NULL;
}

sett_status setti_term_reject(sett_world* world, const sett_term terms[SETT_QUERY_TERMS],
                              uint32_t at, const char* call, const char* name, const char* wrong)
{
    const setti_type* type = setti_world_type(world, terms[at].component);
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: \"%.100s\": term %u, \"%.100s\": %s", call, name,
                                 (unsigned)at, type != NULL ? type->desc.name : "", wrong);
}
