/* price.c: the cost model of advice and auto_layout.
 *
 * The price of a loop has three parts: scanning rows, matches, and fetching values from another
 * order. The plan of a layout that costs the least counts. A change is priced over all queries with
 * a type of the change, because a group makes some loops plain, and makes other loops gather. The
 * constants were measured on one core, with a million entities and types of 8 bytes. sett_layouts
 * (bench/layout_main.c) compares the choices with all possible layouts.
 *
 * Invariant:  a price is a whole number that depends only on counts and on the order of rows
 */
#include "tune/price.h"

/* Hundredths of a nanosecond. */
#define COST_LOOP 2500  /* beginning and ending a loop */
#define COST_STEP 1200  /* reading a term's words of 1,024 indices */
#define COST_DENSE 55   /* a match in a run, or in a group */
#define COST_LISTED 20  /* a match in a list */
#define COST_LINE 900   /* in addition, a match in a list that has its cache lines for itself */
#define COST_LINES 60   /* for each row scanned: the limit of all COST_LINE together */
#define COST_LOOKUP 160 /* testing whether a row has another component */
#define COST_FETCH 210  /* copying a value that lies in another order */
#define COST_BACK 120   /* copying a fetched value back */
#define ROWS_NEAR 16384 /* with more rows, accesses miss the cache, and the costs ..._FAR count */
/* Entering or leaving a group, for each owned type, in addition to the cost in an array. */
#define COST_EXCHANGE 3500
#define COST_EXCHANGE_FAR 22000 /* misses four cache lines */
/* Reading by handle in a sparse set, in addition to the cost in an array. */
#define COST_INDIRECT 300
/* Adding or removing in a sparse set, in addition to the cost in an array. */
#define COST_CHANGE 550
/* A change far in memory misses the cache at three places: the row that fills the hole, the index
 * entry of this row, and the new row. */
#define COST_CHANGE_FAR 5000

/* A layout as a query sees it. In the sets of terms, bit k stands for term k. */
typedef struct price_view {
    uint32_t sparse_set; /* terms of types that are stored as sparse sets */
    uint32_t owned;      /* terms of types that the group owns; 0: no group */
    uint32_t covered;    /* terms that are true for all members of the group */
    setti_price rows;    /* number of members of the group */
} price_view;

uint32_t setti_price_owned(const sett_query* query)
{
    uint32_t owned = 0;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (term->has_field && term->kind == SETT_WITH) {
            owned |= (uint32_t)1 << k;
        }
    }
    return owned;
}

/* Whether `group` owns a type that a group for `query` would own. */
static bool price_collides(const sett_query* query, const setti_listener* group)
{
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        if (query->term[setti_bits_lowest(terms)].type->owner == group) {
            return true;
        }
    }
    return false;
}

/* Returns the terms of `query` that are equal to one of the terms `terms` of `other`. *all becomes
 * true if `query` has an equal term for each of `terms`. */
static uint32_t price_common(const sett_query* query, const sett_query* other, uint32_t terms,
                             bool* all)
{
    uint32_t common = 0;
    *all = true;
    for (uint32_t terms_left = terms; terms_left != 0; terms_left &= terms_left - 1) {
        const setti_term* term = &other->term[setti_bits_lowest(terms_left)];
        uint32_t equal_terms = 0;
        for (uint32_t k = 0; k < query->term_count; k++) {
            const setti_term* candidate = &query->term[k];
            if (candidate->type == term->type && candidate->kind == term->kind) {
                equal_terms |= (uint32_t)1 << k;
            }
        }
        *all = *all && equal_terms != 0;
        common |= equal_terms;
    }
    return common;
}

/* Returns the average number of matches of a loop. */
static setti_price price_matches(const sett_query* query, setti_use use)
{
    const setti_query_use* counted = &query->use[use];
    if (counted->loops == 0) {
        return 0;
    }
    return (setti_price)(counted->matched / counted->loops);
}

/* Returns the terms of a query that have a type of `types`. */
static uint32_t price_terms_of(const sett_query* query, const setti_type_list* types)
{
    uint32_t terms = 0;
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (setti_type_list_has(types, query->term[k].type)) {
            terms |= (uint32_t)1 << k;
        }
    }
    return terms;
}

/* Adds to the view of `query` the group that would be created for the query `group`. */
static void price_view_group(const sett_query* query, setti_use use, const sett_query* group,
                             price_view* view)
{
    bool has_conditions;
    bool has_owned;
    uint32_t covered =
        price_common(query, group, group->required | group->without, &has_conditions);
    uint32_t owned = price_common(query, group, setti_price_owned(group), &has_owned);
    view->sparse_set |= owned;
    if (has_conditions && has_owned && view->owned == 0) { /* the group covers the query */
        view->owned = owned;
        view->covered = covered;
        view->rows = price_matches(group, use);
    }
}

/* Whether a change destroys the group that covers a query. */
static bool price_cover_ends(const sett_query* query, const setti_relayout* change)
{
    if (query->cover == change->dissolved) {
        return true;
    }
    return change->group != NULL && price_collides(change->group, query->cover);
}

/* Returns the layout after a change, as a query sees it. `change` may be NULL. */
static price_view price_view_of(const sett_query* query, setti_use use,
                                const setti_relayout* change)
{
    static const setti_relayout unchanged = {0};
    if (change == NULL) {
        change = &unchanged;
    }
    price_view view = {.sparse_set = ~query->positional}; /* also bits beyond the last term */
    if (query->arranged != 0 && !price_cover_ends(query, change)) { /* the present group stays */
        view.owned = query->arranged;
        view.covered = query->covered;
        view.rows = query->cover->length;
    }
    if (change->group != NULL) {
        price_view_group(query, use, change->group, &view);
    }
    if (change->dissolved != NULL) {
        view.sparse_set &= ~price_terms_of(query, &change->dissolved->owned);
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].type == change->type) {
            view.sparse_set ^= (uint32_t)1 << k; /* converted to the other kind */
        }
    }
    view.sparse_set &= (uint32_t)(((uint64_t)1 << query->term_count) - 1); /* only existing terms */
    return view;
}

/* Returns the cost of testing the terms `tested` for `rows` rows, and of fetching the values of the
 * matches. The values of the terms `in_place` need no fetching. */
static setti_price price_others(const sett_query* query, setti_price matches, setti_price rows,
                                uint32_t tested, uint32_t in_place)
{
    setti_price price = rows * COST_LOOKUP * setti_bits_count(tested);
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (term->has_field && (in_place >> k & 1) == 0) {
            setti_price back_cost = term->access == SETT_IN ? 0 : COST_BACK;
            price += matches * (COST_FETCH + back_cost);
        }
    }
    return price;
}

/* Returns the cost of a loop over the sparse set of a term. */
static setti_price price_driver(const sett_query* query, setti_price matches, uint32_t driver)
{
    const setti_storage* storage = &query->term[driver].type->storage;
    setti_price rows = storage->count;
    uint32_t in_place = (uint32_t)1 << driver;
    if (storage->kind == SETTI_SPARSE) { /* an array becomes a sparse set with another order */
        in_place |= setti_plan_terms_in_order(query, driver);
    }
    uint32_t tested = query->required & ~in_place;
    return COST_LOOP + matches * COST_DENSE + price_others(query, matches, rows, tested, in_place);
}

/* Returns the cost of a loop over the occupancy words of arrays and tags. */
static setti_price price_pages(const sett_query* query, setti_price matches, const price_view* view)
{
    uint32_t walked = query->required & ~view->sparse_set;
    setti_price rows = setti_entity_capacity(&query->world->entities);
    for (uint32_t terms = walked; terms != 0; terms &= terms - 1) {
        const setti_storage* storage = &query->term[setti_bits_lowest(terms)].type->storage;
        /* a sparse set becomes an array; its extent does not say yet how long the array is */
        if (storage->kind != SETTI_SPARSE) {
            rows = SETTI_MIN(rows, (setti_price)storage->extent);
        }
    }
    /* A step reads the words of 1,024 rows. */
    setti_price step_cost = rows * COST_STEP / 1024 * setti_bits_count(walked);
    setti_price match_cost;
    if (matches >= rows * 98 / 100) { /* nearly all rows match, so the matches are in runs */
        match_cost = matches * COST_DENSE;
    } else {
        setti_price line_cost = SETTI_MIN(matches * COST_LINE, rows * COST_LINES);
        match_cost = line_cost + matches * COST_LISTED;
    }
    uint32_t tested = query->required & view->sparse_set;
    return COST_LOOP + step_cost + match_cost +
           price_others(query, matches, rows, tested, ~view->sparse_set);
}

setti_price setti_price_loop(const sett_query* query, setti_use use, const setti_relayout* change)
{
    SETTI_ASSERT(query->required != 0);
    price_view view = price_view_of(query, use, change);
    setti_price matches = price_matches(query, use);
    if (view.owned != 0) {
        uint32_t tested = query->required & ~view.covered;
        return COST_LOOP + view.rows * COST_DENSE +
               price_others(query, matches, view.rows, tested, view.owned);
    }
    setti_price least_cost = INT64_MAX;
    if ((query->required & ~view.sparse_set) != 0) { /* an array or a tag */
        least_cost = price_pages(query, matches, &view);
    }
    for (uint32_t terms = query->required & view.sparse_set; terms != 0; terms &= terms - 1) {
        setti_price price = price_driver(query, matches, setti_bits_lowest(terms));
        least_cost = SETTI_MIN(least_cost, price);
    }
    return least_cost;
}

/* Whether a change may affect the cost of loops over a query. */
static bool price_is_concerned(const sett_query* query, const setti_relayout* change)
{
    bool all; /* not needed */
    if (change->group != NULL) {
        uint32_t owned = setti_price_owned(change->group);
        if (price_common(query, change->group, owned, &all) != 0) {
            return true;
        }
        return query->arranged != 0 && price_collides(change->group, query->cover);
    }
    if (change->dissolved != NULL) {
        return price_terms_of(query, &change->dissolved->owned) != 0;
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].type == change->type) {
            return true;
        }
    }
    return false;
}

/* Returns how much more the single accesses to a type cost in a sparse set than in an array. */
static setti_price price_singles(const setti_type* type)
{
    return (setti_price)type->use.accessed * COST_INDIRECT +
           setti_price_changes(type->use.added + type->use.removed, type->storage.count);
}

/* Returns how much more all single accesses cost after a change. */
static setti_price price_all_singles(setti_use use, const setti_relayout* change)
{
    if (use != SETTI_PROFILED) {
        return 0; /* only profiles count single accesses */
    }
    if (change->type != NULL) {
        setti_price singles = price_singles(change->type);
        bool becomes_array = change->type->storage.kind == SETTI_SPARSE;
        return becomes_array ? -singles : singles;
    }
    if (change->group == NULL) {
        return 0;
    }
    setti_price cost = 0;
    for (uint32_t terms = setti_price_owned(change->group); terms != 0; terms &= terms - 1) {
        const setti_type* type = change->group->term[setti_bits_lowest(terms)].type;
        if (type->storage.kind != SETTI_SPARSE) {
            cost += price_singles(type);
        }
    }
    return cost;
}

/* Adds the prices of the loops over a query, before and after a change, to the total. */
static void price_add(setti_prices* total, const sett_query* query, setti_use use,
                      const setti_relayout* change)
{
    uint64_t loops = query->use[use].loops;
    if (loops != 0 && query->required != 0 && price_is_concerned(query, change)) {
        total->now += (setti_price)loops * setti_price_loop(query, use, NULL);
        total->then += (setti_price)loops * setti_price_loop(query, use, change);
        total->loops = SETTI_MAX(total->loops, loops);
    }
}

setti_prices setti_price_change(const sett_world* world, setti_use use,
                                const setti_relayout* change, const setti_price_list* list)
{
    setti_prices total = {0, 0, 0};
    if (list != NULL) {
        for (uint32_t k = 0; k < list->count; k++) {
            price_add(&total, list->query[k], use, change);
        }
    } else {
        const sett_query* query = setti_query_first(world);
        for (; query != NULL; query = query->next) {
            price_add(&total, query, use, change);
        }
    }
    setti_prices_add(&total, price_all_singles(use, change));
    return total;
}

setti_price setti_price_changes(uint64_t count, uint64_t rows)
{
    setti_price cost = rows > ROWS_NEAR ? COST_CHANGE_FAR : COST_CHANGE;
    return (setti_price)count * cost;
}

setti_price setti_price_churn(uint64_t count, uint32_t owned, uint64_t rows)
{
    setti_price cost = rows > ROWS_NEAR ? COST_EXCHANGE_FAR : COST_EXCHANGE;
    return (setti_price)count * owned * cost;
}
