/* plan.c: how a loop goes. In this order:
 *
 *     an owning group that the query includes: its members lie in front of its storages, in one
 *     order;
 *     else the required packed storage with the fewest entities, if these are few, or if there is
 *     nothing positional to intersect: each of its rows is looked up in the others;
 *     else pages: occupancy words are intersected, up to the smallest extent; a tracked set stands
 *     for the words of all that it covers.
 *
 * Few is less than a fifth of what would be looked at otherwise. Measured with a prototype (a
 * million entities, P += V * dt, ns per match, V on a share of them):
 *
 *     share of V                1 %    5 %    10 %   25 %   50 %
 *     AND of the occupancy      15     6.5    4.9    2.2    1.2
 *     packed V drives           2.1    4.0    3.0    1.7    1.4      in the order of ids
 *     packed V, shuffled        2.7    4.0    4.0    4.0    4.1
 *
 * All plans give the same set. Which one is taken depends on the counts in the world, on nothing
 * that two worlds of equal state could differ in.
 */
#include "query/query.h"

#define FEW 5

/* The term of the query with this type and kind, SETT_QUERY_TERMS if there is none. */
static uint32_t plan_term(const sett_query* query, const setti_type* type, sett_term_kind kind)
{
    uint32_t k = 0;
    while (k < query->term_count && (query->term[k].type != type || query->term[k].kind != kind)) {
        k++;
    }
    return k < query->term_count ? k : SETT_QUERY_TERMS;
}

/* The terms that a listener's conditions make true; 0 if they are not all among the query's. */
static uint32_t plan_covered(const sett_query* query, const setti_listener* listener)
{
    uint32_t covered = 0;
    for (uint32_t k = 0; k < listener->with.count + listener->without.count; k++) {
        bool with = k < listener->with.count;
        const setti_type* type =
            with ? listener->with.item[k] : listener->without.item[k - listener->with.count];
        uint32_t term = plan_term(query, type, with ? SETT_WITH : SETT_WITHOUT);
        if (term == SETT_QUERY_TERMS) {
            return 0;
        }
        covered |= (uint32_t)1 << term;
    }
    return covered;
}

/* Whether one cover is better than another: owning first, then by the number of terms. */
static bool plan_is_better(const setti_listener* a, uint32_t covered_a, const setti_listener* b,
                           uint32_t covered_b)
{
    if (b == NULL || (a->owned.count != 0) != (b->owned.count != 0)) {
        return b == NULL || a->owned.count != 0;
    }
    return setti_bits_count(covered_a) > setti_bits_count(covered_b);
}

static void plan_find_kinds(sett_query* query)
{
    query->positional = 0;
    query->matrix_rows = SETT_BATCH_ROWS;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_storage* storage = &query->term[k].type->storage;
        if (storage->kind != SETTI_PACKED) {
            query->positional |= (uint32_t)1 << k;
            query->matrix_rows = SETTI_MIN(query->matrix_rows, setti_storage_rows(storage));
        }
    }
}

static void plan_find_cover(sett_query* query)
{
    query->cover = NULL;
    query->covered = 0;
    query->arranged = 0;
    for (setti_listener* at = query->world->listeners; at != NULL; at = at->next) {
        uint32_t covered = at->observes ? 0 : plan_covered(query, at);
        if (covered != 0 && plan_is_better(at, covered, query->cover, query->covered)) {
            query->cover = at;
            query->covered = covered;
        }
    }
    for (uint32_t k = 0; query->cover != NULL && k < query->cover->owned.count; k++) {
        uint32_t term = plan_term(query, query->cover->owned.item[k], SETT_WITH);
        query->arranged |= (uint32_t)1 << term;
    }
}

/* The hiding tags that no term of the query names. */
static void plan_find_hidden(sett_query* query)
{
    query->hidden_count = 0;
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        setti_type* type = query->world->hidden[k];
        bool named = type == NULL;
        for (uint32_t t = 0; t < query->term_count; t++) {
            named = named || query->term[t].type == type;
        }
        if (!named) {
            setti_term* term = &query->hidden[query->hidden_count++];
            term->type = type;
            term->kind = SETT_WITHOUT;
            term->access = SETT_NONE;
        }
    }
}

void setti_plan_update(sett_query* query)
{
    if (query->version == query->world->listener_version) {
        return;
    }
    query->version = query->world->listener_version;
    plan_find_kinds(query);
    plan_find_cover(query);
    plan_find_hidden(query);
    bool set = query->cover != NULL && query->cover->owned.count == 0;
    uint32_t known = set ? query->covered : 0;
    query->matrix_count = 0;
    if (set) {
        query->matrix[query->matrix_count++] = &query->cover->members;
    }
    for (uint32_t rest = query->required & query->positional & ~known; rest != 0;
         rest &= rest - 1) {
        query->matrix[query->matrix_count++] = &query->term[setti_bits_lowest(rest)].type->storage;
    }
    query->filter = (query->without | (query->required & ~query->positional)) & ~known;
    query->simple = (query->required & ~query->positional) == 0 && query->matrix_count != 0 &&
                    query->hidden_count == 0;
    /* A packed type that the set covers has to be looked up all the same if its values are
     * wanted. */
    for (uint32_t rest = query->required & ~query->positional; rest != 0; rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        query->filter |= query->term[k].has_field ? (uint32_t)1 << k : 0;
    }
    query->plain = (query->optional | query->changed | query->filter) == 0;
    query->gathers = false;
    for (uint32_t k = 0; k < query->term_count; k++) {
        query->gathers |= query->term[k].has_field && (query->positional >> k & 1) == 0;
    }
}

/* The required packed term with the fewest entities that is not among `except`. */
static uint32_t plan_fewest(const sett_query* query, uint32_t except)
{
    uint32_t fewest = SETT_QUERY_TERMS;
    for (uint32_t rest = query->required & ~query->positional & ~except; rest != 0;
         rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        if (fewest == SETT_QUERY_TERMS ||
            query->term[k].type->storage.count < query->term[fewest].type->storage.count) {
            fewest = k;
        }
    }
    return fewest;
}

static bool plan_is_few(const sett_query* query, uint32_t term, uint32_t of)
{
    return term != SETT_QUERY_TERMS && (uint64_t)query->term[term].type->storage.count * FEW < of;
}

static void plan_drive(const sett_query* query, uint32_t driver, setti_plan* plan)
{
    plan->driver = driver;
    plan->in_place = (uint32_t)1 << driver;
    plan->residual = (query->required | query->without) & ~plan->in_place;
    plan->limit = query->term[driver].type->storage.extent;
}

void setti_plan_make(const sett_query* query, setti_plan* plan)
{
    const setti_entity_table* entities = &query->world->entities;
    if (query->arranged != 0 &&
        !plan_is_few(query, plan_fewest(query, query->arranged), query->cover->length)) {
        plan_drive(query, setti_bits_lowest(query->arranged), plan);
        plan->in_place = query->arranged;
        plan->residual &= ~query->covered;
        /* What the group does not own has to be looked up if its values are wanted. */
        for (uint32_t rest = query->required & query->covered & ~query->arranged; rest != 0;
             rest &= rest - 1) {
            uint32_t k = setti_bits_lowest(rest);
            plan->residual |= query->term[k].has_field ? (uint32_t)1 << k : 0;
        }
        plan->limit = query->cover->length;
        return;
    }
    uint32_t driver = plan_fewest(query, 0);
    if (driver != SETT_QUERY_TERMS &&
        (query->matrix_count == 0 || plan_is_few(query, driver, setti_entity_count(entities)))) {
        plan_drive(query, driver, plan);
        return;
    }
    plan->driver = SETT_QUERY_TERMS;
    plan->in_place = query->positional;
    plan->residual = 0;
    plan->limit = setti_plan_limit(query);
}
