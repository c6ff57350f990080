/* term.c: checks terms. See term.h.
 *
 * Invariant:  each combination of kind, walk, entity, singleton, along, changed and drives is used
 *             as documented, or rejected, but never ignored
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

/* Returns the kinds of a term (SETTI_TERM_*). Returns 0 for a plain SETT_WITH. */
static uint32_t term_kinds(const sett_term* term)
{
    /* by sett_term_kind */
    static const uint32_t kinds[] = {0, SETTI_TERM_WITHOUT, SETTI_TERM_OPTIONAL, SETTI_TERM_ANY};
    SETTI_ASSERT((unsigned)term->kind <= SETT_ANY);
    uint32_t found = kinds[term->kind];
    if (term->changed) {
        found |= SETTI_TERM_CHANGED;
    }
    if (term->drives) {
        found |= SETTI_TERM_DRIVES;
    }
    if (setti_term_is_upward(term)) {
        found |= SETTI_TERM_UPWARD;
    } else if (setti_term_is_elsewhere(term)) {
        found |= SETTI_TERM_ELSEWHERE;
    }
    return found;
}

/* Checks a term for contradictions. Returns NULL if there are none. Otherwise returns the error. */
static const char* term_contradiction(const sett_term* term)
{
    bool elsewhere = setti_term_is_elsewhere(term);
    if (term->changed && term->kind != SETT_WITH) {
        return "`changed` needs a required component of the entity - use SETT_WITH";
    }
    if (term->drives && elsewhere) {
        return "`drives` is set in a term about another entity - leave it out";
    }
    if (term->drives && term->kind != SETT_WITH) {
        return "`drives` needs a required component of the entity itself - use SETT_WITH";
    }
    bool is_for_visited = term->kind == SETT_ANY || term->changed;
    if (elsewhere && is_for_visited) {
        return "a term about another entity cannot be SETT_ANY or `changed` - use SETT_WITH, "
               "without `changed`";
    }
    if (term->walk != SETT_WALK_NONE && setti_term_is_fixed(term)) {
        return "`entity` or `singleton` is set beside `walk` - leave out one";
    }
    if (term->singleton && !sett_is_null(term->entity)) {
        return "`entity` and `singleton` are both set - leave out one";
    }
    if (term->along != 0 && term->walk == SETT_WALK_NONE) {
        return "`along` is set without `walk` - set `walk`";
    }
    return NULL;
}

/* Checks that the kinds of a term are allowed. Returns NULL if they are allowed. Otherwise returns
 * the error. */
static const char* term_excess(const sett_term* term, uint32_t allowed)
{
    static const char* const why[] = {
        /* by the position of the bit in SETTI_TERM_* */
        "SETT_WITHOUT is not observed", /* allowed everywhere so far */
        "SETT_ANY is not observed",     /* allowed everywhere so far */
        "an optional term has no effect here - leave it out",
        "`changed` is for loops only - leave it out, and observe the component with on_set",
        "`drives` is for loops only, as an observer has no order of entities - leave it out",
        "on_enter and on_exit cannot depend on another entity, except along the hierarchy - "
        "observe that entity's component, and read the rest in the callback",
        "an observer of a component can only test its own entity - look up others in the "
        "callback, or observe a query with on_enter and on_exit",
    };
    uint32_t excess = term_kinds(term) & ~allowed;
    if ((excess & SETTI_TERM_ELSEWHERE) != 0 && (allowed & SETTI_TERM_UPWARD) == 0) {
        excess = SETTI_TERM_UPWARD; /* an observer of a component: selects the last text */
    }
    if (excess == 0) {
        return NULL;
    }
    return why[setti_bits_lowest(excess)];
}

SETTI_COLD const char* setti_terms_check(const sett_term terms[SETT_QUERY_TERMS], uint32_t allowed,
                                         uint32_t* wrong_term)
{
    uint32_t count = setti_term_count(terms);
    uint32_t elsewhere_count = 0;
    bool has_driver = false;
    for (uint32_t k = 0; k < count; k++) {
        const sett_term* term = &terms[k];
        *wrong_term = k; /* if this term turns out to be wrong */
        if ((unsigned)term->kind > SETT_ANY) {
            return "`kind` has an unknown value - use SETT_WITH";
        }
        if ((unsigned)term->access > SETT_NONE) {
            return "`access` has an unknown value - use SETT_IN";
        }
        if ((unsigned)term->walk > SETT_WALK_SELF_UP) {
            return "`walk` has an unknown value - use SETT_WALK_UP";
        }
        const char* wrong = term_contradiction(term);
        if (wrong == NULL) {
            wrong = term_excess(term, allowed);
        }
        if (wrong != NULL) {
            return wrong;
        }
        if (term->drives && has_driver) {
            return "`drives` is set in two terms - leave out one";
        }
        has_driver = has_driver || term->drives;
        bool is_elsewhere = setti_term_is_elsewhere(term);
        if (is_elsewhere) {
            elsewhere_count++;
        }
        if (elsewhere_count > SETT_QUERY_ELSEWHERE) {
            return "more than 8 terms are about other entities - use fewer";
        }
        if (elsewhere_count != 0 && !is_elsewhere) {
            return "a term about another entity comes before this one - move that term to the end";
        }
    }
    *wrong_term = count; /* if a term follows, the error is this gap */
    for (uint32_t k = count; k < SETT_QUERY_TERMS; k++) {
        if (terms[k].component != 0) {
            return "the component of this term has id 0 - register the component first: its id is "
                   "0 until then";
        }
    }
    return NULL;
}

sett_status setti_term_reject(sett_world* world, const sett_term terms[SETT_QUERY_TERMS],
                              uint32_t number, const char* call, const char* name,
                              const char* wrong)
{
    SETTI_ASSERT(number < SETT_QUERY_TERMS);
    const setti_type* type = setti_world_type(world, terms[number].component);
    bool is_gap = terms[number].component == 0; /* an unregistered component has id 0 */
    sett_status status = is_gap ? SETT_STATUS_UNREGISTERED : SETT_STATUS_ARGUMENT;
    if (type == NULL) {
        return setti_world_fail_with(world, status, "%s: \"%.100s\": term %u: %s", call, name,
                                     (unsigned)number, wrong);
    }
    return setti_world_fail_with(world, status, "%s: \"%.100s\": term %u, \"%.100s\": %s", call,
                                 name, (unsigned)number, type->desc.name, wrong);
}
