/* advise.c: what would be faster, from what was recorded. See sett/advise.h.
 *
 * The model: a loop costs what it looks at, plus what it finds. Each query is priced under the
 * layouts that it could have: pages, a packed driver, an owning group, in ns a loop. The cheapest
 * is proposed if it saves at least a tenth, and a microsecond. Constants are medians of
 * measurements (one core, a million entities, types of 8 bytes).
 *
 * Invariant:  advice is a function of counts and of the recorded numbers, of nothing else
 */
#include "sett/advise.h"

#include "query/query.h"

#include <stdarg.h>
#include <stdio.h>

#define COST_LOOP 25.0  /* opening and closing */
#define COST_STEP 12.0  /* a term's words of 1,024 indices */
#define COST_DENSE 0.55 /* a match in a run, or in a group */
#define COST_LISTED 1.3 /* a match in a list, */
#define COST_SPARSE 0.1 /* divided by the share of rows that match: their cache lines come alone */
#define COST_ROW 1.5    /* a row of a packed driver */
#define COST_GATHER 4.0 /* a value fetched from another order, and written back */
#define COST_EXCHANGE 15.0 /* entering or leaving a group, for each type that it owns */
#define WORTH_SHARE 0.9
#define WORTH_NS 1000.0

typedef struct advice {
    const sett_world* world;
    void (*sink)(void* user, const char* line);
    void* user;
    uint32_t count;
} advice;

SETTI_PRINTF(2, 3) static void advice_tell(advice* to, const char* format, ...)
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

static double price_of_matches(double matches, double rows)
{
    if (matches >= rows * 0.98) {
        return matches * COST_DENSE;
    }
    return matches * COST_LISTED + rows * COST_SPARSE * (matches > 0);
}

static double price_of_pages(const sett_query* query, double matches)
{
    double rows = (double)setti_plan_limit(query);
    double terms = (double)setti_bits_count(query->required);
    return COST_LOOP + rows / 1024 * COST_STEP * terms + price_of_matches(matches, rows);
}

static uint32_t advice_fields(const sett_query* query)
{
    uint32_t fields = 0;
    for (uint32_t k = 0; k < query->term_count; k++) {
        fields += query->term[k].has_field && query->term[k].kind == SETT_WITH;
    }
    return fields;
}

static double price_of_driver(const sett_query* query, uint32_t driver, double matches)
{
    const setti_term* term = &query->term[driver];
    double gathered = (double)(advice_fields(query) - term->has_field);
    return COST_LOOP + (double)term->type->storage.count * COST_ROW +
           matches * (COST_DENSE + gathered * COST_GATHER);
}

/* What loops cost now, by the plan that they take. */
static double price_now(const sett_query* query, double matches)
{
    setti_plan plan;
    setti_plan_make(query, &plan);
    if (plan.driver == SETT_QUERY_TERMS) {
        double gathered = 0;
        for (uint32_t k = 0; k < query->term_count; k++) {
            gathered += query->term[k].has_field && (query->positional >> k & 1) == 0;
        }
        return price_of_pages(query, matches) + matches * gathered * COST_GATHER;
    }
    if (query->arranged != 0 && plan.in_place == query->arranged) {
        double gathered = (double)(advice_fields(query) - setti_bits_count(query->arranged));
        return COST_LOOP + matches * (COST_DENSE + gathered * COST_GATHER);
    }
    return price_of_driver(query, plan.driver, matches);
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
        if ((type->flags & SETTI_TYPE_LOOSE) != 0 || type->owner != NULL ||
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

static bool advice_is_worth(double now, double then)
{
    return then < now * WORTH_SHARE && now - then > WORTH_NS;
}

/* The required matrix whose packed form would drive cheapest, SETT_QUERY_TERMS if none would
 * pay. */
static uint32_t advice_driver(const sett_query* query, double matches, double* price)
{
    uint32_t best = SETT_QUERY_TERMS;
    for (uint32_t rest = query->required & query->positional; rest != 0; rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        double then = price_of_driver(query, k, matches);
        bool few = (uint64_t)query->term[k].type->storage.count * 5 <
                   setti_entity_count(&query->world->entities);
        if (few && then < *price && query->term[k].type->owner == NULL) {
            *price = then;
            best = k;
        }
    }
    return best;
}

static void advice_on_query(advice* to, const sett_query* query)
{
    double loops = (double)query->use.loops;
    if (query->use.loops == 0 || query->required == 0) {
        return;
    }
    double matches = (double)query->use.matched / loops;
    double now = price_now(query, matches);
    double exchanges;
    double best = now;
    uint32_t driver = advice_driver(query, matches, &best);
    if (advice_can_group(query, &exchanges)) {
        double grouped = COST_LOOP + matches * COST_DENSE + exchanges / loops;
        if (grouped < best && advice_is_worth(now, grouped)) {
            char names[160];
            advice_names(query, names, sizeof(names));
            advice_tell(
                to,
                "query \"%.60s\" finds %.0f entities a loop in about %.1f us; a group that owns "
                "%s would take about %.1f us, %.1f us of it for keeping them together. Owned types "
                "are packed: their addresses move.",
                query->open.name, matches, now / 1000, names, grouped / 1000,
                exchanges / loops / 1000);
            return;
        }
    }
    if (driver != SETT_QUERY_TERMS && advice_is_worth(now, best)) {
        const setti_type* type = query->term[driver].type;
        advice_tell(
            to,
            "query \"%.60s\" finds %.0f entities a loop in about %.1f us; with \"%.60s\" packed, "
            "which %u of %u entities have, it would take about %.1f us "
            "(sett_component_convert).",
            query->open.name, matches, now / 1000, type->desc.name, (unsigned)type->storage.count,
            (unsigned)setti_entity_count(&query->world->entities), best / 1000);
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
    if (storage->kind == SETTI_PACKED && !storage->keep_order && type->owner == NULL &&
        storage->size != 0 && (uint64_t)storage->count * 5 > entities && entities > 1000 &&
        !advice_drives(to->world, type)) {
        advice_tell(
            to,
            "\"%.60s\" is packed, %u of %llu entities have it, and no loop is driven by it: in a "
            "matrix, loops would read it in place and %llu accesses and %llu changes would not "
            "go through an index (sett_component_convert).",
            type->desc.name, (unsigned)storage->count, (unsigned long long)entities,
            (unsigned long long)type->use.accessed, (unsigned long long)changes);
    }
    if (storage->kind == SETTI_TAG && (type->flags & SETTI_TYPE_LOOSE) == 0 &&
        setti_signature_count(&to->world->signatures) > SETTI_SIGNATURE_RECLAIM / 4 &&
        changes > 4 * (uint64_t)storage->count) {
        advice_tell(to,
                    "tag \"%.60s\" was toggled %llu times, and there are %u different sets of "
                    "components: registered as loose it would not add to them.",
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
