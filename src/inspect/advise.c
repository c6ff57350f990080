/* advise.c: what would be faster, from what was recorded. See sett/advise.h.
 *
 * The model: a loop costs what it looks at, plus what it finds, plus what it has to fetch from
 * another order. Every query that was recorded is priced under the layout that there is, and under
 * each that one change would give: a type sparse-set, or a group that owns what one query asks
 * for. A
 * change is judged by all queries that its types occur in, since a group that makes one loop
 * plain makes others gather. The cheapest change is proposed if it saves at least a tenth, and a
 * microsecond. Constants are of one core, a million entities, types of 8 bytes; what the proposals
 * are worth is measured by sett_advised (bench/advise_main.c), beside all layouts there are.
 *
 * Invariant:  advice is a function of counts and of the recorded numbers, of nothing else
 */
#include "sett/advise.h"

#include "query/query.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define COST_LOOP 25.0     /* opening and closing */
#define COST_STEP 12.0     /* a term's words of 1,024 indices */
#define COST_DENSE 0.55    /* a match in a run, or in a group */
#define COST_LISTED 0.2    /* more for a match in a list, */
#define COST_LINE 9.0      /* and more where its cache lines come alone, */
#define COST_LINES 0.6     /* but not more than this for each row looked at */
#define COST_LOOKUP 1.6    /* looking whether a row has another component */
#define COST_FETCH 2.1     /* a value copied from another order, */
#define COST_BACK 1.2      /* and back */
#define COST_EXCHANGE 15.0 /* entering or leaving a group, for each type that it owns */
#define WORTH_SHARE 0.9
#define WORTH_NS 1000.0

typedef struct advice {
    const sett_world* world;
    void (*sink)(void* user, const char* line);
    void* user;
    uint32_t count;
} advice;

SETTI_PRINTF(2, 3) static void advice_print(advice* to, const char* format, ...)
{
    char line[SETTI_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    to->sink(to->user, line);
    to->count++;
}

/* --------------------------------------------------------------------------------------- prices */

/* A layout: the one that there is, and one thing different. */
typedef struct advice_change {
    const setti_type* sparse_set; /* this type is sparse-set, or NULL; */
    const sett_query* group;      /* or a group owns what this query asks for, or NULL */
} advice_change;

/* The terms that a group for this query would own. */
static uint32_t advice_fields(const sett_query* query)
{
    uint32_t fields = 0;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        fields |= (uint32_t)(term->has_field && term->kind == SETT_WITH) << k;
    }
    return fields;
}

/* The terms of a query that have the same types as some of another's, and the same kind. */
static uint32_t advice_common(const sett_query* query, const sett_query* other, uint32_t terms)
{
    uint32_t common = 0;
    for (uint32_t rest = terms; rest != 0; rest &= rest - 1) {
        const setti_term* term = &other->term[setti_bits_lowest(rest)];
        for (uint32_t k = 0; k < query->term_count; k++) {
            bool same = query->term[k].type == term->type && query->term[k].kind == term->kind;
            common |= (uint32_t)same << k;
        }
    }
    return common;
}

static double advice_matches(const sett_query* query)
{
    return (double)query->use.matched / (double)query->use.loops;
}

/* Looking up some terms for each row, and fetching the values of some for each match. */
static double price_of_others(const sett_query* query, double rows, uint32_t tested,
                              uint32_t in_place)
{
    double matches = advice_matches(query);
    double price = rows * COST_LOOKUP * (double)setti_bits_count(tested);
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (term->has_field && (in_place >> k & 1) == 0) {
            price += matches * (term->access == SETT_IN ? COST_FETCH : COST_FETCH + COST_BACK);
        }
    }
    return price;
}

/* Over the first rows of what a group owns. */
static double price_of_group(const sett_query* query, double rows, uint32_t covered, uint32_t owned)
{
    return COST_LOOP + rows * COST_DENSE +
           price_of_others(query, rows, query->required & ~covered, owned);
}

static double price_of_driver(const sett_query* query, uint32_t driver)
{
    double rows = (double)query->term[driver].type->storage.count;
    uint32_t in_place = (uint32_t)1 << driver;
    return COST_LOOP + advice_matches(query) * COST_DENSE +
           price_of_others(query, rows, query->required & ~in_place, in_place);
}

static double price_of_pages(const sett_query* query, uint32_t sparse_set)
{
    double matches = advice_matches(query);
    double rows = (double)setti_plan_limit(query);
    double steps =
        rows / 1024 * COST_STEP * (double)setti_bits_count(query->required & ~sparse_set);
    double listed = SETTI_MIN(matches * COST_LINE, rows * COST_LINES) + matches * COST_LISTED;
    return COST_LOOP + steps + (matches >= rows * 0.98 ? matches * COST_DENSE : listed) +
           price_of_others(query, rows, query->required & sparse_set, ~sparse_set);
}

/* A loop over the query, the cheapest way that the layout gives. */
static double price_of(const sett_query* query, const advice_change* change)
{
    uint32_t sparse_set = ~query->positional;
    if (change->group != NULL) {
        uint32_t fields = advice_fields(change->group);
        uint32_t owned = advice_common(query, change->group, fields);
        uint32_t all = advice_common(query, change->group, change->group->required);
        sparse_set |= owned;
        if (setti_bits_count(all) == setti_bits_count(change->group->required)) {
            return price_of_group(query, advice_matches(change->group), all, owned);
        }
    }
    if (query->arranged != 0) {
        return price_of_group(query, query->cover->length, query->covered, query->arranged);
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        sparse_set |= (uint32_t)(query->term[k].type == change->sparse_set) << k;
    }
    sparse_set &= (uint32_t)(((uint64_t)1 << query->term_count) - 1);
    double least =
        (query->required & ~sparse_set) != 0 ? price_of_pages(query, sparse_set) : HUGE_VAL;
    for (uint32_t rest = query->required & sparse_set; rest != 0; rest &= rest - 1) {
        double price = price_of_driver(query, setti_bits_lowest(rest));
        least = SETTI_MIN(least, price);
    }
    return least;
}

/* All loops recorded over queries that a change concerns: before it, and after. */
typedef struct advice_total {
    double now;
    double then;
} advice_total;

static advice_total price_of_change(const sett_world* world, const advice_change* change)
{
    static const advice_change none = {NULL, NULL};
    advice_total total = {0, 0};
    for (const sett_query* query = world->queries; query != NULL; query = query->next) {
        double loops = (double)query->use.loops;
        bool concerned = change->group != NULL &&
                         advice_common(query, change->group, advice_fields(change->group)) != 0;
        for (uint32_t k = 0; k < query->term_count; k++) {
            concerned = concerned || query->term[k].type == change->sparse_set;
        }
        if (concerned && query->use.loops != 0 && query->required != 0) {
            total.now += loops * price_of(query, &none);
            total.then += loops * price_of(query, change);
        }
    }
    return total;
}

/* -------------------------------------------------------------------------------------- queries */

/* Whether a group could own all types whose values the query asks for. */
static bool advice_can_group(const sett_query* query, double* exchanges)
{
    uint32_t owned = 0;
    *exchanges = 0;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        const setti_type* type = term->type;
        if (term->kind != SETT_WITH) {
            continue;
        }
        if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0 || type->owner != NULL ||
            type->storage.keep_order) {
            return false;
        }
        owned += term->has_field;
        *exchanges += (double)(type->use.added + type->use.removed);
    }
    *exchanges *= owned * COST_EXCHANGE;
    return owned >= 2;
}

static void advice_names(const sett_query* query, char* out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < query->term_count && at < size; k++) {
        if (query->term[k].kind == SETT_WITH && query->term[k].has_field) {
            int more = snprintf(out + at, size - at, "%s%.40s", at != 0 ? ", " : "",
                                query->term[k].type->desc.name);
            at += more > 0 ? (size_t)more : 0;
        }
    }
}

/* Whether a change saves a tenth of all the loops that it concerns, and a microsecond in each of
 * these of one query. */
static bool advice_is_worth(const advice_total* total, double loops)
{
    return total->then < total->now * WORTH_SHARE && total->now - total->then > WORTH_NS * loops;
}

/* The required array that would save most if it were sparse-set, NULL if none would pay. */
static const setti_type* advice_driver(const sett_query* query, advice_total* total)
{
    const setti_type* best = NULL;
    for (uint32_t rest = query->required & query->positional; rest != 0; rest &= rest - 1) {
        const setti_type* type = query->term[setti_bits_lowest(rest)].type;
        advice_change change = {type, NULL};
        advice_total made = price_of_change(query->world, &change);
        bool pays =
            type->storage.kind == SETTI_ARRAY && advice_is_worth(&made, (double)query->use.loops);
        if (pays && (best == NULL || made.now - made.then > total->now - total->then)) {
            *total = made;
            best = type;
        }
    }
    return best;
}

static void advice_on_query(advice* to, const sett_query* query)
{
    static const advice_change none = {NULL, NULL};
    double loops = (double)query->use.loops;
    if (query->use.loops == 0 || query->required == 0) {
        return;
    }
    double exchanges;
    double now = price_of(query, &none);
    advice_total sparse_set = {0, 0};
    advice_change change = {advice_driver(query, &sparse_set), NULL};
    if (query->arranged == 0 && advice_can_group(query, &exchanges)) {
        advice_change grouping = {NULL, query};
        advice_total grouped = price_of_change(to->world, &grouping);
        grouped.then += exchanges;
        if (advice_is_worth(&grouped, loops) &&
            grouped.now - grouped.then > sparse_set.now - sparse_set.then) {
            char names[160];
            advice_names(query, names, sizeof(names));
            advice_print(
                to,
                "query \"%.60s\" finds %.0f entities a loop in about %.1f us; a group that owns "
                "%s would take about %.1f us, %.1f us of it for keeping them together. Owned types "
                "are sparse-set: their addresses move.",
                query->open.name, advice_matches(query), now / 1000, names,
                (price_of(query, &grouping) + exchanges / loops) / 1000, exchanges / loops / 1000);
            return;
        }
    }
    if (change.sparse_set != NULL) {
        advice_print(
            to,
            "query \"%.60s\" finds %.0f entities a loop in about %.1f us; with \"%.60s\" in a "
            "sparse set, which %u of %u entities have, it would take about %.1f us "
            "(sett_component_convert).",
            query->open.name, advice_matches(query), now / 1000, change.sparse_set->desc.name,
            (unsigned)change.sparse_set->storage.count,
            (unsigned)setti_entity_count(&query->world->entities), price_of(query, &change) / 1000);
    }
}

/* ---------------------------------------------------------------------------------------- types */

static bool advice_drives(const sett_world* world, const setti_type* type)
{
    for (const sett_query* query = world->queries; query != NULL; query = query->next) {
        setti_plan plan;
        setti_plan_make(query, &plan);
        if (query->use.loops != 0 && plan.driver != SETT_QUERY_TERMS &&
            query->term[plan.driver].type == type) {
            return true;
        }
    }
    return false;
}

static void advice_on_type(advice* to, const setti_type* type)
{
    const setti_storage* storage = &type->storage;
    uint64_t entities = setti_entity_count(&to->world->entities);
    uint64_t changes = type->use.added + type->use.removed;
    if (storage->kind == SETTI_SPARSE && !storage->keep_order && type->owner == NULL &&
        storage->size != 0 && (uint64_t)storage->count * 5 > entities && entities > 1000 &&
        !advice_drives(to->world, type)) {
        advice_print(
            to,
            "\"%.60s\" is in a sparse set, %u of %llu entities have it, and drives no loop: "
            "in an array, loops would read it in place and %llu accesses and %llu changes would "
            "not go through an index (sett_component_convert).",
            type->desc.name, (unsigned)storage->count, (unsigned long long)entities,
            (unsigned long long)type->use.accessed, (unsigned long long)changes);
    }
    if (storage->kind == SETTI_TAG && (type->flags & SETTI_TYPE_DONT_FRAGMENT) == 0 &&
        setti_signature_count(&to->world->signatures) > SETTI_SIGNATURE_RECLAIM / 4 &&
        changes > 4 * (uint64_t)storage->count) {
        advice_print(to,
                     "tag \"%.60s\" was toggled %llu times, and there are %u different sets of "
                     "components: registered as dont_fragment it would not add to them.",
                     type->desc.name, (unsigned long long)changes,
                     (unsigned)setti_signature_count(&to->world->signatures));
    }
}

uint32_t sett_advise(const sett_world* world, void (*sink)(void* user, const char* line),
                     void* user)
{
    advice to = {world, sink, user, 0};
    for (sett_query* query = world->queries; query != NULL; query = query->next) {
        setti_plan_update(query);
        advice_on_query(&to, query);
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        advice_on_type(&to, world->registered.item[k]);
    }
    if (to.count == 0) {
        sink(user,
             "nothing that was recorded would be faster in another layout by a tenth or more");
    }
    return to.count;
}

void sett_world_record(sett_world* world, bool on)
{
    world->recording = on;
    world->hot_capacity = on ? 0 : world->type_capacity;
    if (!on) {
        return;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        memset(&world->registered.item[k]->use, 0, sizeof(world->registered.item[k]->use));
    }
    for (sett_query* query = world->queries; query != NULL; query = query->next) {
        memset(&query->use, 0, sizeof(query->use));
    }
}
