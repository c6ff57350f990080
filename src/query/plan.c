/* plan.c: chooses the rows that a loop visits, by the first of these ways that is possible:
 *
 *     the storage of the term with `drives`;
 *     an owning group, if the query has all conditions of the group: the members are the first rows
 *     of the owned storages, in the same order;
 *     pages: occupancy words are intersected, up to the smallest extent; the words of a tracked set
 *     replace the words of all types that the set covers;
 *     the required sparse set with the fewest entities: the entity of each row is looked up in the
 *     other storages.
 *
 * If both a sparse set and one of the two ways before it are possible, the estimated costs decide
 * instead. The estimate assumes that components are independent of each other:
 *
 *     cost = rows visited x (PASS + terms tested x TEST)
 *          + rows left x values gathered x (GATHER + SCATTER)
 *
 * A driver in disorder costs more: in some rows, the entity is far from the entity of the previous
 * row. In these rows, each gathered value and each test of a sparse set costs APART in addition. A
 * component aligned with the driver costs nothing, see match.c. Samples estimate both. The
 * constants were measured by sett_plans (docs/bench). In a query with one other component, a sparse
 * set of up to three quarters of all entities drives. With four other components, one of up to a
 * seventh drives.
 *
 * All plans find the same entities. The choice depends only on counts and on the order of rows,
 * both equal in worlds of equal state.
 */
#include "query/query.h"

/* Tenths of a nanosecond. */
#define COST_PASS 3    /* visiting a row, or an entity of a page */
#define COST_TEST 22   /* testing whether an entity has a component */
#define COST_GATHER 22 /* copying a value to the order of the batch */
#define COST_SCATTER 8 /* copying a value back */
#define COST_APART 16  /* added if the entity of the previous row is far */

#define ORDER_SAMPLES 16 /* number of rows looked at to estimate the order */
#define ORDER_FAR 64     /* two entities are far apart if their indices differ by more */
#define ORDER_ROWS 1024  /* with fewer rows, values stay in the cache: the order costs nothing */

/* Returns the number of the term with the given type and kind. Returns SETT_QUERY_TERMS if there is
 * no such term. */
static uint32_t plan_term(const sett_query* query, const setti_type* type, sett_term_kind kind)
{
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].type == type && query->term[k].kind == kind) {
            return k;
        }
    }
    return SETT_QUERY_TERMS;
}

/* Whether a query has a term with a type, of any kind. */
static bool plan_has_term_of(const sett_query* query, const setti_type* type)
{
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].type == type) {
            return true;
        }
    }
    return false;
}

/* Whether a query skips all hidden entities that a listener skips. Otherwise the listener's members
 * are too few for the query. */
static bool plan_skips_hidden(const sett_query* query, const setti_listener* listener)
{
    if (listener->hidden == NULL) { /* skips none */
        return true;
    }
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        const setti_type* tag = listener->hidden[k];
        /* a query that names the tag, other than to exclude it, shows the entities with the tag */
        bool excludes = plan_term(query, tag, SETT_WITHOUT) != SETT_QUERY_TERMS;
        bool shows = plan_has_term_of(query, tag) && !excludes;
        if (shows && !setti_type_list_has(&listener->with, tag)) {
            return false;
        }
    }
    return true;
}

/* Returns the terms that are true for all members of a listener, as bits. Returns 0 if the listener
 * has a condition that the query lacks. */
static uint32_t plan_covered(const sett_query* query, const setti_listener* listener)
{
    SETTI_ASSERT(!listener->observes);
    uint32_t covered = 0;
    for (uint32_t k = 0; k < listener->with.count; k++) {
        uint32_t term = plan_term(query, listener->with.item[k], SETT_WITH);
        if (term == SETT_QUERY_TERMS) {
            return 0;
        }
        covered |= (uint32_t)1 << term;
    }
    for (uint32_t k = 0; k < listener->without.count; k++) {
        const setti_type* type = listener->without.item[k];
        const setti_type* switched = setti_type_switched(type);
        if (switched != NULL && plan_term(query, switched, SETT_WITH) != SETT_QUERY_TERMS) {
            continue; /* `type` is the `off` tag of a required type: hidden in any case */
        }
        uint32_t term = plan_term(query, type, SETT_WITHOUT);
        if (term == SETT_QUERY_TERMS) {
            return 0;
        }
        covered |= (uint32_t)1 << term;
    }
    return plan_skips_hidden(query, listener) ? covered : 0;
}

/* Whether the listener `a` saves more than the listener `b`: a listener that owns types saves more,
 * then one that covers more terms. Returns true if `b` is NULL. */
static bool plan_is_better(const setti_listener* a, uint32_t covered_a, const setti_listener* b,
                           uint32_t covered_b)
{
    if (b == NULL) {
        return true;
    }
    bool a_owns = a->owned.count != 0;
    bool b_owns = b->owned.count != 0;
    if (a_owns != b_owns) {
        return a_owns;
    }
    return setti_bits_count(covered_a) > setti_bits_count(covered_b);
}

/* Finds the terms of arrays and tags (`positional`), and the rows of a step over pages. */
static void plan_find_kinds(sett_query* query)
{
    query->positional = 0;
    query->array_rows = SETT_BATCH_ROWS;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_storage* storage = &query->term[k].type->storage;
        if (storage->kind != SETTI_SPARSE) {
            query->positional |= (uint32_t)1 << k;
            query->array_rows = SETTI_MIN(query->array_rows, setti_storage_rows(storage));
        }
    }
}

/* Finds the best group or tracked set for the query (`cover`), and which terms it makes true. */
static void plan_find_cover(sett_query* query)
{
    query->cover = NULL;
    query->covered = 0;
    query->arranged = 0;
    for (setti_listener* listener = query->world->listeners; listener != NULL;
         listener = listener->next) {
        if (listener->observes) {
            continue;
        }
        uint32_t covered = plan_covered(query, listener);
        if (covered != 0 && plan_is_better(listener, covered, query->cover, query->covered)) {
            query->cover = listener;
            query->covered = covered;
        }
    }
    if (query->cover == NULL) {
        return;
    }
    for (uint32_t k = 0; k < query->cover->owned.count; k++) {
        uint32_t term = plan_term(query, query->cover->owned.item[k], SETT_WITH);
        SETTI_ASSERT(term != SETT_QUERY_TERMS);
        query->arranged |= (uint32_t)1 << term;
    }
}

/* Makes a query skip the entities that have the tag `type`. */
static void plan_hide(sett_query* query, setti_type* type)
{
    SETTI_ASSERT(query->hidden_count < SETTI_HIDDEN + SETT_QUERY_TERMS);
    query->hidden[query->hidden_count++] =
        (setti_term){.type = type, .kind = SETT_WITHOUT, .access = SETT_NONE};
}

/* Finds the tags that hide entities from a query, and the `off` tags of the required types. */
static void plan_find_hidden(sett_query* query)
{
    query->hidden_count = 0;
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        setti_type* tag = query->world->hidden[k];
        if (tag != NULL && !plan_has_term_of(query, tag)) {
            plan_hide(query, tag);
        }
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].kind == SETT_WITH && query->term[k].type->off != NULL) {
            plan_hide(query, query->term[k].type->off);
        }
    }
}

/* Finds the arrays that a step over pages reads, and the terms to test afterwards (`filter`). The
 * members of a tracked set are one array. It is read instead of the arrays of the types that it
 * covers. */
static void plan_find_arrays(sett_query* query)
{
    bool by_set = query->cover != NULL && query->cover->owned.count == 0;
    uint32_t tested_by_set = by_set ? query->covered : 0;
    query->array_count = 0;
    if (by_set) {
        query->array[query->array_count++] = &query->cover->members;
    }
    SETTI_EACH_TERM(k, query->required & query->positional & ~tested_by_set) {
        query->array[query->array_count++] = &query->term[k].type->storage;
    }
    SETTI_ASSERT(query->array_count <= SETT_QUERY_TERMS + 1);
    /* a covered sparse-set type still needs a look-up if the query has a field of the type */
    uint32_t sparse = query->required & ~query->positional;
    query->filter = ((query->without | sparse) & ~tested_by_set) | (sparse & query->fields);
}

void setti_plan_update(sett_query* query)
{
    if (query->version == query->world->listener_version) {
        return;
    }
    query->version = query->world->listener_version;
    if (query->lists.rare) { /* `rarest` may be another array now */
        query->lists.rare = false;
        query->lists.rarest = 0;
        query->lists.recalls = query->lists.step != NULL;
        query->lists.due = 1;
    }
    plan_find_kinds(query);
    plan_find_cover(query);
    plan_find_hidden(query);
    plan_find_arrays(query);
    bool all_positional = (query->required & ~query->positional) == 0;
    bool gathers = (query->fields & ~query->positional) != 0;
    query->simple = all_positional && query->array_count != 0 && query->hidden_count == 0;
    query->plain = (query->optional | query->changed | query->filter | query->elsewhere_count) == 0;
    query->direct = query->plain && query->array_count != 0 && !gathers;
    query->version_short = query->version;
    if (!query->simple || !query->direct) {
        query->version_short--; /* never the world's, so that each loop takes the slow path */
    }
}

/* Returns the term of the required sparse set with the fewest entities. Returns SETT_QUERY_TERMS if
 * there is no such sparse set.
 *   except  terms to leave out, as bits */
static uint32_t plan_fewest(const sett_query* query, uint32_t except)
{
    uint32_t fewest = SETT_QUERY_TERMS;
    SETTI_EACH_TERM(k, query->required & ~query->positional & ~except) {
        if (fewest == SETT_QUERY_TERMS ||
            query->term[k].type->storage.count < query->term[fewest].type->storage.count) {
            fewest = k;
        }
    }
    return fewest;
}

/* Makes a plan over the rows of the sparse set of the term `driver`. */
static void plan_drive(const sett_query* query, uint32_t driver, setti_plan* plan)
{
    SETTI_ASSERT(driver < query->term_count &&
                 query->term[driver].type->storage.kind == SETTI_SPARSE);
    plan->driver = driver;
    plan->in_place = (uint32_t)1 << driver;
    plan->residual = (query->required | query->without) & ~plan->in_place;
    plan->limit = query->term[driver].type->storage.extent;
}

/* Makes a plan over the members of the owning group. */
static void plan_walk_group(const sett_query* query, setti_plan* plan)
{
    SETTI_ASSERT(query->cover != NULL && query->arranged != 0);
    plan_drive(query, setti_bits_lowest(query->arranged), plan);
    plan->in_place = query->arranged;
    plan->residual &= ~query->covered;
    /* covered types that the group does not own are looked up, because fields need their values */
    plan->residual |= query->required & query->covered & ~query->arranged & query->fields;
    plan->limit = query->cover->length;
}

/* Makes a plan over entity indices, by the words of arrays. */
static void plan_walk_pages(const sett_query* query, setti_plan* plan)
{
    plan->driver = SETTI_NO_DRIVER;
    plan->in_place = query->positional;
    plan->residual = 0;
    plan->limit = setti_plan_limit(query);
}

/* Makes the plan for a way. */
static void plan_fill(const sett_query* query, setti_way way, setti_plan* plan)
{
    SETTI_ASSERT(way != SETTI_WAY_CHOSEN);
    if (way == SETTI_WAY_ARRANGED) {
        plan_walk_group(query, plan);
    } else if (way == SETTI_WAY_SPARSE) {
        plan_drive(query, plan_fewest(query, query->arranged), plan);
    } else {
        plan_walk_pages(query, plan);
    }
}

/* Estimates how many of `count` entities meet a condition. In the whole world, `meeting` entities
 * meet the condition. */
static uint64_t plan_estimate_share(const sett_query* query, uint64_t count, uint32_t meeting)
{
    uint64_t total = query->world->entities.count;
    SETTI_ASSERT((count == 0 || total != 0) && meeting <= total);
    if (count == 0) {
        return 0;
    }
    return count * meeting / total;
}

/* Looks at ORDER_SAMPLES rows. Returns the number of rows whose entity is far from the entity of
 * the next row. */
static uint32_t plan_disorder(const setti_storage* storage)
{
    uint32_t far_count = 0;
    if (storage->keep_order || storage->count < ORDER_ROWS) {
        return 0; /* with keep_order, worlds of equal state may differ in the gaps of their rows */
    }
    SETTI_ASSERT(storage->extent == storage->count);
    for (uint32_t k = 0; k < ORDER_SAMPLES; k++) {
        uint32_t row = storage->count / ORDER_SAMPLES * k;
        uint32_t index = *setti_storage_index(storage, row);
        uint32_t next_index = *setti_storage_index(storage, row + 1);
        uint32_t distance = SETTI_MAX(index, next_index) - SETTI_MIN(index, next_index);
        if (distance > ORDER_FAR) {
            far_count++;
        }
    }
    return far_count;
}

/* Whether a row of the driver seems to be aligned with `other`. If `other` is a sparse set, it must
 * have the entity in the same row. If `other` is an array, it must have the entity. In addition,
 * the entity of the driver's next row must have the next index. */
static bool plan_is_aligned(const setti_storage* driver, const setti_storage* other, uint32_t row)
{
    uint32_t index = *setti_storage_index(driver, row);
    if (other->kind == SETTI_SPARSE) {
        return setti_sparse_row(other, index) == row;
    }
    if (!setti_bitmap_has(other, index)) {
        return false;
    }
    bool is_last = row + 1 == driver->count;
    return is_last || *setti_storage_index(driver, row + 1) == index + 1;
}

uint32_t setti_plan_terms_in_order(const sett_query* query, uint32_t driver)
{
    const setti_storage* storage = &query->term[driver].type->storage;
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    if (storage->keep_order) {
        return 0;
    }
    uint32_t aligned = query->required & ~((uint32_t)1 << driver);
    SETTI_EACH_TERM(k, aligned) {
        const setti_storage* other = &query->term[k].type->storage;
        bool in_order = !other->keep_order; /* see plan_disorder */
        for (uint32_t n = 0; in_order && n < ORDER_SAMPLES && n < storage->count; n++) {
            in_order = plan_is_aligned(storage, other, storage->count / ORDER_SAMPLES * n);
        }
        if (!in_order) {
            aligned &= ~((uint32_t)1 << k);
        }
    }
    return aligned;
}

/* Estimates the cost of a loop, in tenths of a nanosecond. */
static uint64_t plan_cost(const sett_query* query, setti_way way, const setti_plan* plan)
{
    SETTI_ASSERT(way != SETTI_WAY_CHOSEN);
    uint32_t total = query->world->entities.count;
    uint64_t visited = total;
    uint64_t disorder = 0; /* cost that disorder adds to each row, on average */
    uint32_t aligned = 0;
    if (way == SETTI_WAY_ARRANGED) {
        visited = query->cover->length;
    } else if (way == SETTI_WAY_SPARSE) {
        const setti_storage* driver = &query->term[plan->driver].type->storage;
        visited = driver->count;
        disorder = (uint64_t)COST_APART * plan_disorder(driver) / ORDER_SAMPLES;
        aligned = setti_plan_terms_in_order(query, plan->driver);
    }
    uint64_t cost = visited * COST_PASS;
    uint64_t rows = visited; /* becomes the number of rows that are left after the tests */
    uint32_t tested = plan->residual & ~aligned;
    if (way == SETTI_WAY_PAGES) {
        tested = query->filter;
        for (uint32_t k = 0; k < query->array_count; k++) { /* tests of words: in COST_PASS */
            rows = plan_estimate_share(query, rows, query->array[k]->count);
        }
    }
    SETTI_EACH_TERM(k, tested) {
        const setti_term* term = &query->term[k];
        uint32_t count = term->type->storage.count;
        cost += rows * COST_TEST;
        if (term->type->storage.kind == SETTI_SPARSE) {
            cost += rows * disorder;
        }
        uint32_t matching = term->kind == SETT_WITH ? count : total - count;
        rows = plan_estimate_share(query, rows, matching);
    }
    SETTI_EACH_TERM(k, query->fields & ~(plan->in_place | aligned)) {
        cost += rows * (COST_GATHER + disorder);
        if (query->term[k].access == SETT_INOUT) { /* values are copied back, too */
            cost += rows * COST_SCATTER;
        }
    }
    return cost;
}

/* Returns the possible ways as bits: bit k is set if the setti_way k is possible. */
static uint32_t plan_ways(const sett_query* query)
{
    if (query->forced != SETTI_WAY_CHOSEN) {
        return (uint32_t)1 << query->forced;
    }
    bool group = query->arranged != 0;
    /* a sparse set that the group does not own */
    bool sparse = plan_fewest(query, query->arranged) != SETT_QUERY_TERMS;
    bool pages = query->array_count != 0 || !sparse; /* without arrays, pages are all entities */
    if (group) {
        pages = false; /* a group is better in any case */
    }
    return (uint32_t)group << SETTI_WAY_ARRANGED | (uint32_t)sparse << SETTI_WAY_SPARSE |
           (uint32_t)pages << SETTI_WAY_PAGES;
}

void setti_plan_make(const sett_query* query, setti_plan* plan)
{
    uint64_t least = UINT64_MAX;
    uint32_t ways = plan_ways(query);
    SETTI_ASSERT(ways != 0 && query->version == query->world->listener_version);
    if (query->drives != 0 && query->forced == SETTI_WAY_CHOSEN) {
        if ((query->drives & query->positional) != 0) {
            plan_walk_pages(query, plan);
        } else {
            plan_drive(query, setti_bits_lowest(query->drives), plan);
        }
        return;
    }
    if ((ways & (ways - 1)) == 0) { /* a single way */
        plan_fill(query, (setti_way)setti_bits_lowest(ways), plan);
        return;
    }
    for (uint32_t rest = ways; rest != 0; rest &= rest - 1) {
        setti_way way = (setti_way)setti_bits_lowest(rest);
        setti_plan candidate;
        plan_fill(query, way, &candidate);
        uint64_t cost = plan_cost(query, way, &candidate);
        if (cost < least) {
            least = cost;
            *plan = candidate;
        }
    }
}
