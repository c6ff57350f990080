/* choose.c: the order of the steps of a search.
 *
 * The workload: three to eight terms over two to four variables, asked many times; relationships
 * with many links, components on few or on all entities. What decides is where to begin, and in
 * which direction each link is followed. So all orders are tried, depth first, the cheapest next
 * step first; an order that costs more than the best so far is left. After CHOOSE_NODES tries only
 * the cheapest next step is taken.
 *
 *     rows after a scan      = rows before x entities of the rarest component x shares
 *     rows after a link      = rows before x links / sources (or targets) of the relationship
 *     rows after a component = rows before x share
 *
 * The share of entities with one component (Planet, a target of DockedAt) that have another one is
 * looked up for SHARE_SAMPLES places of the first's storage. Where that says nothing, the smaller
 * set is taken to lie within the larger one, where independence would leave next to nothing.
 * Numbers are whole: 1/256 of a row.
 *
 * All orders give the same results. Which is taken depends on counts in the world alone, on nothing
 * that two worlds of equal state could differ in.
 *
 * Invariant:  a step reads variables that steps before it have found;
 *             each item of a scope is true for what leaves its pipe
 */
#include "search/walk.h"

#define CHOOSE_NODES 400
#define CHOOSE_ONE 256u /* a row */
#define CHOOSE_MOST ((uint64_t)1 << 50)

/* Tenths of a nanosecond. */
#define COST_ROW 5u     /* handing out a row */
#define COST_WORD 3u    /* an entity of a driver that is walked by words, */
#define COST_SCAN 10u   /* by rows */
#define COST_TARGET 40u /* going to the target of an exclusive link */
#define COST_SOURCE 80u /* to the next source of a target: a list, */
#define COST_FAR 300u   /* which is larger than caches: each waits for the one before */
#define COST_MANY 60u   /* more, where links are records */
#define COST_HAS 20u    /* looking whether an entity has a component */
#define COST_LINKED 40u /* whether one leads to another */
#define COST_CLOSURE 300u
#define COST_OTHER 300u /* names, lists */

/* Places where shares are looked up, and how many of them have to say something. */
#define SHARE_SAMPLES 64u
#define SHARE_FEWEST 16u
#define SHARE_ONE 1024u
#define SHARE_MEMO 64

/* Bytes of links that do not stay in a cache. */
#define LARGE_SIZE ((size_t)512 << 10)

/* Links that a closure is taken to follow from an entity, upwards and downwards. */
#define CLOSURE_UP 3
#define CLOSURE_DOWN 10

/* What a step finds a variable with. */
typedef struct choose_pick {
    setti_search_step_kind kind;
    uint8_t variable;
    const setti_search_item* item;
    uint64_t rows, cost;
} choose_pick;

/* Shares that were looked up for this plan. */
typedef struct choose_memo {
    const setti_type* of[SHARE_MEMO];
    const setti_type* type[SHARE_MEMO];
    uint32_t share[SHARE_MEMO];
    uint32_t count;
} choose_memo;

typedef struct choose_state {
    uint64_t rows;
    uint64_t cost;
    uint32_t found;
    uint32_t domain[SETT_SEARCH_VARIABLES];         /* values that a variable can have */
    const setti_type* known[SETT_SEARCH_VARIABLES]; /* a type that they all have, or NULL */
    uint64_t done[SETTI_SEARCH_ITEMS / 64];
} choose_state;

typedef struct choose {
    const sett_search* search;
    setti_search_plan* plan;
    choose_memo* memo;
    const setti_search_scope* scope;
    uint16_t number; /* of the scope */
    uint32_t fixed;  /* constants, and variables that are bound */
    uint32_t nodes;
    uint64_t best_cost;
    uint32_t best_count;
    choose_pick picks[SETT_SEARCH_VARIABLES];
    choose_pick best[SETT_SEARCH_VARIABLES];
    uint8_t depth[SETT_SEARCH_VARIABLES]; /* where variables are found */
} choose;

/* ------------------------------------------------------------------------------- counts */

/* rows * part / whole, without overflow; at least something. */
static uint64_t choose_scale(uint64_t rows, uint64_t part, uint64_t whole)
{
    whole = whole != 0 ? whole : 1;
    if (rows / whole >= CHOOSE_MOST / (part + 1)) {
        return CHOOSE_MOST;
    }
    uint64_t scaled = rows / whole * part;
    uint64_t rest = rows % whole;
    scaled += rest < ((uint64_t)1 << 31) && part < ((uint64_t)1 << 32) ? rest * part / whole : 0;
    return SETTI_MAX(SETTI_MIN(scaled, CHOOSE_MOST), 1);
}

static uint64_t choose_cost(uint64_t rows, uint64_t each)
{
    SETTI_ASSERT(each != 0);
    return rows >= CHOOSE_MOST / each ? CHOOSE_MOST : rows * each;
}

static const setti_type* choose_targets(const setti_along* along)
{
    return along->relation != NULL ? along->relation->sources : along->type;
}

/* Sources, targets and links of a relationship. */
static uint32_t choose_source_count(const setti_along* along)
{
    return along->type->storage.count;
}

static uint32_t choose_target_count(const setti_along* along)
{
    uint32_t count = choose_targets(along)->storage.count;
    return along->relation != NULL ? count : count / 4 + 1; /* of nodes: who has children */
}

static uint32_t choose_link_count(const setti_along* along)
{
    return along->relation != NULL && along->relation->many ? along->relation->record_count
                                                            : along->type->storage.count;
}

/* Whether links do not stay in a cache. */
static bool choose_is_large(const setti_along* along)
{
    const setti_storage* links = &along->type->storage;
    return (size_t)links->extent * links->size > LARGE_SIZE;
}

static bool choose_is_far(const setti_search_item* item)
{
    return item->steps == SETT_STEPS_ONE_OR_MORE || item->steps == SETT_STEPS_ZERO_OR_MORE;
}

/* The type that an entity has to have for an item to be true, of a variable as source or target;
 * NULL: none in particular. */
static const setti_type* choose_needs(const setti_search_item* item, uint32_t variable)
{
    if (item->negated || item->optional) {
        return NULL;
    }
    if (item->kind == SETTI_ITEM_HAS) {
        return item->walk == SETT_WALK_NONE && item->source == variable ? item->type : NULL;
    }
    if (item->kind == SETTI_ITEM_COMPARE) {
        return item->source == variable && item->type != NULL ? item->type
               : item->target == variable                     ? item->along.type
                                                              : NULL;
    }
    if (item->kind != SETTI_ITEM_LINK || item->steps == SETT_STEPS_ZERO_OR_MORE ||
        item->steps == SETT_STEPS_ZERO_OR_ONE) {
        return NULL;
    }
    return item->source == variable   ? item->along.type
           : item->target == variable ? choose_targets(&item->along)
                                      : NULL;
}

static bool choose_is_driven(const choose* c, uint32_t variable)
{
    const setti_search_item* drives = c->search->drives;
    return drives != NULL && drives->source == variable && (c->scope->locals >> variable & 1) != 0;
}

/* The rarest type that a variable of the scope has to have; NULL: any entity will do. The text or
 * the descriptor can say which. */
static const setti_type* choose_driver(const choose* c, uint32_t variable)
{
    if (choose_is_driven(c, variable)) {
        return choose_needs(c->search->drives, variable);
    }
    const setti_type* rarest = NULL;
    for (uint32_t k = c->scope->item; k < c->scope->item_stop; k++) {
        const setti_type* type = choose_needs(&c->search->item[c->search->order[k]], variable);
        if (type != NULL && (rarest == NULL || type->storage.count < rarest->storage.count)) {
            rarest = type;
        }
    }
    return rarest;
}

/* Of entities with a type those that have another one, looked up in samples; 0 seen: no answer. */
static uint32_t share_seen(const setti_storage* of, const setti_storage* other, uint32_t* both)
{
    SETTI_ASSERT(of != other);
    uint32_t seen = 0;
    *both = 0;
    if (of->kind == SETTI_SPARSE) {
        uint32_t step = SETTI_MAX(of->extent / SHARE_SAMPLES, 1);
        for (uint32_t row = 0; row < of->extent && !of->keep_order; row += step) {
            *both += setti_storage_has(other, *setti_storage_index(of, row));
            seen++;
        }
        return seen; /* gaps of keep_order come and go without a change of state */
    }
    uint32_t step = SETTI_MAX(of->extent / 64 / SHARE_SAMPLES, 1) * 64;
    for (uint32_t base = 0; base < of->extent; base += step) {
        const uint64_t* bits = setti_storage_word(of, base);
        for (uint64_t word = bits != NULL ? *bits : 0; word != 0; word &= word - 1) {
            *both += setti_storage_has(other, base + setti_bits_lowest(word));
            seen++;
        }
    }
    return seen;
}

/* How many of SHARE_ONE entities with a type have another one. */
static uint32_t choose_share(const choose* c, const setti_type* of, const setti_type* type)
{
    choose_memo* memo = c->memo;
    for (uint32_t k = 0; k < memo->count; k++) {
        if (memo->of[k] == of && memo->type[k] == type) {
            return memo->share[k];
        }
    }
    uint32_t both;
    uint32_t count = of->storage.count;
    uint32_t seen = of == type ? 0 : share_seen(&of->storage, &type->storage, &both);
    uint64_t share =
        SHARE_ONE * (uint64_t)SETTI_MIN(type->storage.count, count) / SETTI_MAX(count, 1);
    if (seen >= SETTI_MIN(count, SHARE_FEWEST) && seen != 0) { /* of none seen, half of one */
        share = (2 * (uint64_t)both + (both == 0)) * SHARE_ONE / (2 * seen);
    }
    if (memo->count < SHARE_MEMO) {
        memo->of[memo->count] = of;
        memo->type[memo->count] = type;
        memo->share[memo->count++] = (uint32_t)share;
    }
    return (uint32_t)share;
}

const setti_type* setti_choose_narrows(const setti_search_item* item, uint32_t variable,
                                       const setti_type* driver)
{
    const setti_type* type = item->kind != SETTI_ITEM_HAS ? choose_needs(item, variable) : NULL;
    bool words = driver == NULL || driver->storage.kind != SETTI_SPARSE;
    return words && type != NULL && type != driver && type->storage.kind != SETTI_SPARSE ? type
                                                                                         : NULL;
}

bool setti_choose_scan_takes(const setti_search_item* item, uint32_t variable,
                             const setti_type* driver)
{
    if (item->kind != SETTI_ITEM_HAS || item->walk != SETT_WALK_NONE || item->optional ||
        item->source != variable) {
        return false;
    }
    bool words = driver == NULL || driver->storage.kind != SETTI_SPARSE;
    return (item->type == driver && !item->negated) ||
           (words && item->type->storage.kind != SETTI_SPARSE);
}

/* --------------------------------------------------------------------------------- states */

static bool choose_is_done(const choose_state* s, const choose* c, const setti_search_item* item)
{
    uint32_t k = (uint32_t)(item - c->search->item);
    SETTI_ASSERT(k < c->search->item_count);
    return (s->done[k / 64] >> (k % 64) & 1) != 0;
}

static void choose_set_done(choose_state* s, const choose* c, const setti_search_item* item)
{
    uint32_t k = (uint32_t)(item - c->search->item);
    SETTI_ASSERT(k < c->search->item_count);
    s->done[k / 64] |= (uint64_t)1 << (k % 64);
}

static uint32_t choose_domain(const choose* c, const choose_state* s, uint32_t variable)
{
    if (variable >= SETT_SEARCH_VARIABLES || (c->fixed >> variable & 1) != 0) {
        return 1;
    }
    return SETTI_MAX(s->domain[variable], 1);
}

static uint64_t choose_entities(const choose* c)
{
    return SETTI_MAX(c->search->world->entities.count, 1);
}

/* The rows of which an item is true, all its variables found; and the cost of asking. */
static uint64_t choose_test(const choose* c, choose_state* s, const setti_search_item* item)
{
    SETTI_ASSERT(s->rows != 0);
    uint64_t rows = s->rows;
    uint64_t left = rows / 2;
    uint32_t each = COST_OTHER;
    if (item->kind == SETTI_ITEM_HAS && item->walk == SETT_WALK_NONE) {
        uint32_t domain = choose_domain(c, s, item->source);
        const setti_type* known = domain > 1 ? s->known[item->source] : NULL;
        uint64_t all = choose_entities(c);
        uint64_t share = known != NULL
                             ? choose_share(c, known, item->type)
                             : SHARE_ONE * SETTI_MIN(item->type->storage.count, domain) / domain;
        if (item->negated) { /* unless something is known: of all entities */
            uint64_t with = SETTI_MIN(item->type->storage.count, all);
            share = SHARE_ONE - (known != NULL ? share : SHARE_ONE * with / all);
        }
        each = COST_HAS;
        left = domain == 1 ? rows : choose_scale(rows, share, SHARE_ONE);
        if (item->source < SETT_SEARCH_VARIABLES) {
            s->domain[item->source] = (uint32_t)choose_scale(domain, share, SHARE_ONE);
        }
    } else if (item->kind == SETTI_ITEM_LINK) {
        uint64_t pairs =
            (uint64_t)choose_domain(c, s, item->source) * choose_domain(c, s, item->target);
        uint64_t links = choose_link_count(&item->along);
        links = choose_is_far(item) ? links * CLOSURE_UP : links;
        bool many = item->along.relation != NULL && item->along.relation->many;
        each = choose_is_far(item) ? COST_CLOSURE : COST_LINKED + (many ? 2 * COST_MANY : 0);
        left = item->negated ? rows : choose_scale(rows, SETTI_MIN(links, pairs), pairs);
    } else if (item->kind == SETTI_ITEM_COMPARE) {
        const sett_search_term* term = &c->search->term[item->term];
        bool equal = (term->compare == SETT_COMPARE_EQUAL) != item->negated;
        bool entity = setti_compare_kind(&c->search->side[item->compare][0]) == SETTI_VALUE_ENTITY;
        uint32_t domain =
            SETTI_MAX(choose_domain(c, s, item->source), choose_domain(c, s, item->target));
        each = entity ? COST_ROW : COST_OTHER;
        left = equal ? choose_scale(rows, 1, entity ? domain : SETTI_MIN(domain, 100)) : rows;
    }
    s->cost += choose_cost(rows, each);
    return SETTI_MAX(left, 1);
}

/* Asks whatever can be asked. */
static void choose_settle(const choose* c, choose_state* s)
{
    for (uint32_t k = c->scope->item; k < c->scope->item_stop; k++) {
        const setti_search_item* item = &c->search->item[c->search->order[k]];
        if (!choose_is_done(s, c, item) && !item->optional &&
            (item->variables & ~(s->found | c->fixed)) == 0) {
            s->rows = choose_test(c, s, item);
            choose_set_done(s, c, item);
        }
    }
}

/* The number of links of a constant; UINT32_MAX: it is none. */
static uint32_t choose_exact(const choose* c, const setti_search_item* item, uint32_t variable,
                             bool down)
{
    if (variable >= SETT_SEARCH_VARIABLES || (c->fixed >> variable & 1) == 0) {
        return UINT32_MAX;
    }
    uint32_t index = setti_search_constant(c->search, variable);
    const setti_along* along = &item->along;
    if (along->relation == NULL) {
        const sett_hierarchy* node = setti_storage_find(&along->type->storage, index);
        return node == NULL ? 0 : down ? node->children / SETTI_CHILD : node->parent != 0;
    }
    if (!down && !along->relation->many) {
        return setti_storage_has(&along->type->storage, index);
    }
    const setti_type* type = down ? along->relation->sources : along->relation->links;
    const sett_links* links = setti_storage_find(&type->storage, index);
    return links != NULL ? links->count : 0;
}

/* Rows and cost of following links from a variable that is found. */
static void choose_follow(const choose* c, const choose_state* s, const setti_search_item* item,
                          bool down, choose_pick* pick)
{
    uint32_t from = down ? item->target : item->source;
    uint32_t ends = down ? choose_target_count(&item->along) : choose_source_count(&item->along);
    uint32_t domain = choose_domain(c, s, from);
    uint32_t exact = choose_exact(c, item, from, down);
    bool many = item->along.relation != NULL && item->along.relation->many;
    SETTI_ASSERT(item->kind == SETTI_ITEM_LINK);
    pick->rows = exact != UINT32_MAX
                     ? choose_scale(s->rows, exact, 1)
                     : choose_scale(choose_scale(s->rows, SETTI_MIN(ends, domain), domain),
                                    choose_link_count(&item->along), ends);
    if (choose_is_far(item)) {
        pick->rows = choose_scale(pick->rows, down ? CLOSURE_DOWN : CLOSURE_UP, 1);
    }
    uint32_t source = choose_is_large(&item->along) ? COST_FAR : COST_SOURCE;
    uint32_t each = (down ? source : COST_TARGET) + (many ? COST_MANY : 0) +
                    (choose_is_far(item) ? COST_CLOSURE : 0);
    pick->cost = s->cost + choose_cost(s->rows, COST_ROW) + choose_cost(pick->rows, each);
}

static bool choose_is_found(const choose* c, const choose_state* s, uint32_t variable)
{
    return variable < SETT_SEARCH_VARIABLES && ((s->found | c->fixed) >> variable & 1) != 0;
}

static bool choose_is_wanted(const choose* c, const choose_state* s, uint32_t variable)
{
    return variable < SETT_SEARCH_VARIABLES &&
           (c->scope->locals & ~(s->found | c->fixed)) >> variable & 1 &&
           !c->search->variable[variable].optional;
}

/* Fills in the picks of one item; returns how many. */
static uint32_t choose_item_picks(const choose* c, const choose_state* s,
                                  const setti_search_item* item, choose_pick* picks)
{
    uint32_t count = 0;
    bool compare = item->kind == SETTI_ITEM_COMPARE;
    if (item->negated || item->optional || choose_is_done(s, c, item) ||
        (item->kind != SETTI_ITEM_LINK && !compare)) {
        return 0;
    }
    for (uint32_t down = 0; down < 2; down++) {
        uint32_t from = down ? item->target : item->source;
        uint32_t to = down ? item->source : item->target;
        if (!choose_is_found(c, s, from) || !choose_is_wanted(c, s, to)) {
            continue;
        }
        choose_pick* pick = &picks[count];
        pick->variable = (uint8_t)to;
        pick->item = item;
        if (!compare) {
            pick->kind = down ? SETTI_FIND_SOURCES : SETTI_FIND_TARGETS;
            choose_follow(c, s, item, down != 0, pick);
            count++;
        } else if (c->search->side[item->compare][!down].kind == SETT_OPERAND_ENTITY &&
                   c->search->term[item->term].compare == SETT_COMPARE_EQUAL) {
            pick->kind = SETTI_FIND_COPY;
            pick->rows = s->rows;
            pick->cost = s->cost + choose_cost(s->rows, COST_ROW);
            count++;
        }
    }
    return count;
}

/* A scan of a variable, and of what else of the scope it looks at. */
static void choose_scan(const choose* c, const choose_state* s, uint32_t variable,
                        choose_pick* pick)
{
    SETTI_ASSERT(choose_is_wanted(c, s, variable));
    const setti_type* driver = choose_driver(c, variable);
    uint64_t all = driver != NULL ? driver->storage.count : choose_entities(c);
    uint64_t rows = choose_scale(s->rows, all, 1);
    bool words = driver == NULL || driver->storage.kind != SETTI_SPARSE;
    pick->kind = SETTI_FIND_SCAN;
    pick->variable = (uint8_t)variable;
    pick->item = NULL;
    pick->cost = s->cost + choose_cost(rows, words ? COST_WORD : COST_SCAN);
    for (uint32_t k = c->scope->item; k < c->scope->item_stop; k++) {
        const setti_search_item* item = &c->search->item[c->search->order[k]];
        bool takes = setti_choose_scan_takes(item, variable, driver);
        const setti_type* type = takes ? item->type : setti_choose_narrows(item, variable, driver);
        if (type == NULL || (type == driver && !item->negated)) {
            continue;
        }
        uint64_t share = driver != NULL ? choose_share(c, driver, type)
                                        : SHARE_ONE * (uint64_t)type->storage.count / all;
        share = takes && item->negated ? SHARE_ONE - SETTI_MIN(share, SHARE_ONE) : share;
        rows = choose_scale(rows, share, SHARE_ONE);
    }
    pick->rows = rows;
    pick->cost += choose_cost(rows, COST_ROW);
}

static uint64_t choose_rank(const choose_pick* pick)
{
    return pick->cost + choose_cost(pick->rows, COST_TARGET);
}

/* All that can come next, the cheapest first; returns how many. */
static uint32_t choose_next(const choose* c, const choose_state* s, choose_pick* picks)
{
    uint32_t count = 0;
    const setti_search_item* drives = c->search->drives;
    bool driven = drives != NULL && choose_is_driven(c, drives->source) &&
                  choose_is_wanted(c, s, drives->source);
    for (uint32_t k = c->scope->item; k < c->scope->item_stop && !driven; k++) {
        count += choose_item_picks(c, s, &c->search->item[c->search->order[k]], &picks[count]);
    }
    for (uint32_t v = 0; v < c->search->variable_count; v++) {
        if (choose_is_wanted(c, s, v) && (!driven || v == drives->source)) {
            choose_scan(c, s, v, &picks[count++]);
        }
    }
    for (uint32_t k = 1; k < count; k++) { /* few: insertion */
        choose_pick pick = picks[k];
        uint32_t at = k;
        for (; at != 0 && choose_rank(&picks[at - 1]) > choose_rank(&pick); at--) {
            picks[at] = picks[at - 1];
        }
        picks[at] = pick;
    }
    return count;
}

static void choose_take(const choose* c, choose_state* s, const choose_pick* pick)
{
    SETTI_ASSERT(pick->variable < c->search->variable_count);
    uint64_t domain = choose_entities(c);
    const setti_type* known = NULL;
    if (pick->kind == SETTI_FIND_SCAN) {
        known = choose_driver(c, pick->variable);
        domain = choose_scale(pick->rows, CHOOSE_ONE, SETTI_MAX(s->rows, 1)) / CHOOSE_ONE;
        for (uint32_t k = c->scope->item; k < c->scope->item_stop; k++) {
            const setti_search_item* item = &c->search->item[c->search->order[k]];
            if (setti_choose_scan_takes(item, pick->variable, known)) {
                choose_set_done(s, c, item);
            }
        }
    } else if (pick->kind == SETTI_FIND_COPY) {
        domain = choose_domain(
            c, s, pick->variable == pick->item->source ? pick->item->target : pick->item->source);
    } else {
        bool down = pick->kind == SETTI_FIND_SOURCES;
        domain = down ? choose_source_count(&pick->item->along)
                      : choose_target_count(&pick->item->along);
        known = choose_needs(pick->item, pick->variable);
    }
    SETTI_ASSERT((s->found >> pick->variable & 1) == 0);
    s->rows = pick->rows;
    s->cost = pick->cost;
    s->found |= (uint32_t)1 << pick->variable;
    s->domain[pick->variable] = (uint32_t)SETTI_MIN(SETTI_MAX(domain, 1), UINT32_MAX);
    s->known[pick->variable] = known;
    if (pick->item != NULL) {
        choose_set_done(s, c, pick->item);
    }
}

/* Tries what can come next, and what can come then. */
static void choose_try(choose* c, choose_state s, uint32_t count)
{
    choose_settle(c, &s);
    if (c->best_count != UINT32_MAX && s.cost >= c->best_cost) {
        return;
    }
    choose_pick picks[SETT_SEARCH_TERMS * 2 + SETT_SEARCH_VARIABLES];
    uint32_t all = choose_next(c, &s, picks);
    SETTI_ASSERT(count <= SETT_SEARCH_VARIABLES);
    if (all == 0) {
        c->best_cost = s.cost;
        c->best_count = count;
        memcpy(c->best, c->picks, count * sizeof(c->picks[0]));
        return;
    }
    for (uint32_t k = 0; k < all && (k == 0 || c->nodes < CHOOSE_NODES); k++) {
        choose_state next = s;
        c->nodes++;
        c->picks[count] = picks[k];
        choose_take(c, &next, &picks[k]);
        choose_try(c, next, count + 1);
    }
}

/* --------------------------------------------------------------------------------- steps */

static setti_search_step* choose_add(choose* c, setti_search_step_kind kind, uint8_t depth,
                                     uint8_t base)
{
    SETTI_ASSERT(c->plan->step_count < c->search->step_room);
    setti_search_step* step = &c->plan->step[c->plan->step_count++];
    memset(step, 0, sizeof(*step));
    step->kind = kind;
    step->depth = depth;
    step->base = base;
    step->a = step->b = SETTI_NO_REF;
    step->a_depth = step->b_depth = SETTI_NO_DEPTH;
    step->scope = c->number;
    c->plan->depth = SETTI_MAX(c->plan->depth, (uint32_t)depth + 1);
    return step;
}

static uint8_t choose_depth_of(const choose* c, uint8_t ref)
{
    return ref < SETT_SEARCH_VARIABLES && (c->fixed >> ref & 1) == 0 ? c->depth[ref]
                                                                     : SETTI_NO_DEPTH;
}

static setti_search_step* choose_add_item(choose* c, setti_search_step_kind kind,
                                          const setti_search_item* item, uint8_t depth,
                                          uint8_t base)
{
    setti_search_step* step = choose_add(c, kind, depth, base);
    SETTI_ASSERT(item != NULL);
    step->item = item;
    step->a = item->source;
    step->b = item->target;
    step->a_depth = choose_depth_of(c, item->source);
    step->b_depth = choose_depth_of(c, item->target);
    step->prefetch = (kind == SETTI_FIND_TARGETS || kind == SETTI_FIND_SOURCES) &&
                     item->steps == SETT_STEPS_ONE && choose_is_large(&item->along);
    return step;
}

/* How late an item is asked, of those that can be: cheap ones first. */
static uint32_t choose_class(const setti_search_item* item)
{
    switch (item->kind) {
    case SETTI_ITEM_HAS:
        return item->walk != SETT_WALK_NONE;
    case SETTI_ITEM_LINK:
        return choose_is_far(item) ? 2 : 1;
    case SETTI_ITEM_COMPARE:
        return 2;
    default:
        return 3;
    }
}

/* Steps for all that can be asked. */
static void choose_add_tests(choose* c, choose_state* s, uint8_t depth, uint8_t base)
{
    for (uint32_t class = 0; class < 4; class ++) {
        for (uint32_t k = c->scope->item; k < c->scope->item_stop; k++) {
            const setti_search_item* item = &c->search->item[c->search->order[k]];
            if (choose_class(item) != class || item->optional || choose_is_done(s, c, item) ||
                (item->variables & ~(s->found | c->fixed)) != 0) {
                continue;
            }
            s->rows = choose_test(c, s, item);
            choose_set_done(s, c, item);
            setti_search_step* step = choose_add_item(c, SETTI_FIND_TEST, item, depth, base);
            step->estimate = s->rows;
            step->found = s->found;
        }
    }
}

/* A step that leaves out hidden entities, if there are any. */
static void choose_add_shown(choose* c, const choose_state* s, uint32_t variable, uint8_t depth,
                             uint8_t base)
{
    const setti_variable* at = &c->search->variable[variable];
    const sett_world* world = c->search->world;
    bool hides = false;
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        hides |= !at->shows[k] && world->hidden[k] != NULL && world->hidden[k]->storage.count != 0;
    }
    if (hides && at->is_source && at->name != NULL) {
        setti_search_step* step = choose_add(c, SETTI_FIND_SHOWN, depth, base);
        step->variable = step->a = (uint8_t)variable;
        step->a_depth = choose_depth_of(c, (uint8_t)variable);
        step->estimate = s->rows;
    }
}

/* A step that finds a variable, at the next depth. */
static void choose_add_pick(choose* c, choose_state* s, const choose_pick* pick, uint8_t depth,
                            uint8_t base)
{
    setti_search_step* step = pick->item != NULL
                                  ? choose_add_item(c, pick->kind, pick->item, depth, base)
                                  : choose_add(c, pick->kind, depth, base);
    step->variable = pick->variable;
    SETTI_ASSERT(pick->variable < c->search->variable_count && depth > base);
    c->depth[pick->variable] = depth;
    choose_take(c, s, pick);
    step->estimate = s->rows;
    if (pick->kind == SETTI_FIND_SCAN) {
        step->driver = choose_driver(c, pick->variable);
    } else if (pick->kind == SETTI_FIND_COPY) {
        bool left = pick->item->source != pick->variable;
        step->a = left ? pick->item->source : pick->item->target;
        step->a_depth = choose_depth_of(c, step->a);
    }
}

/* Optional links come last: they leave every row. */
static uint8_t choose_add_optional(choose* c, const choose_state* s, uint8_t depth, uint8_t base)
{
    for (uint32_t k = c->scope->item; k < c->scope->item_stop; k++) {
        const setti_search_item* item = &c->search->item[c->search->order[k]];
        uint32_t fresh = item->optional && item->kind == SETTI_ITEM_LINK
                             ? item->variables & ~(s->found | c->fixed)
                             : 0;
        if (fresh != 0) {
            uint8_t variable = (uint8_t)setti_bits_lowest(fresh);
            bool down = item->source == variable;
            setti_search_step* step = choose_add_item(
                c, down ? SETTI_FIND_SOURCES : SETTI_FIND_TARGETS, item, ++depth, base);
            step->variable = variable;
            step->estimate = s->rows;
            c->depth[variable] = depth;
        }
    }
    return depth;
}

static void choose_pipe(choose* c, uint16_t pipe, uint16_t scope, uint32_t found, uint64_t rows,
                        uint8_t depth, uint8_t base);

/* The pipes of the lists that a pipe asks. */
static void choose_lists(choose* c, uint16_t pipe)
{
    SETTI_ASSERT(pipe < c->plan->pipe_count);
    for (uint32_t k = c->plan->pipe[pipe].first; k < c->plan->pipe[pipe].stop; k++) {
        const setti_search_item* item = c->plan->step[k].item;
        if (c->plan->step[k].kind != SETTI_FIND_TEST || item->kind != SETTI_ITEM_LIST) {
            continue;
        }
        uint32_t count = (uint32_t)(item->scope_stop - item->scope);
        uint16_t first = (uint16_t)c->plan->pipe_count;
        c->plan->pipe_count += count;
        SETTI_ASSERT(c->plan->pipe_count <= c->search->pipe_room);
        SETTI_ASSERT(count != 0);
        c->plan->step[k].pipe = first;
        c->plan->step[k].pipe_stop = (uint16_t)(first + count);
        for (uint32_t at = 0; at < count; at++) {
            setti_search_step step = c->plan->step[k];
            uint8_t depth = (uint8_t)(step.depth + 1);
            choose_pipe(c, (uint16_t)(first + at), c->search->alternative[item->scope + at],
                        step.found, step.estimate, depth, depth);
        }
    }
}

/* Plans a scope: `found` is what its input has, `depth` where the input goes. */
static void choose_pipe(choose* c, uint16_t pipe, uint16_t scope, uint32_t found, uint64_t rows,
                        uint8_t depth, uint8_t base)
{
    choose_state s = {.rows = rows, .found = found};
    for (uint32_t v = 0; v < SETT_SEARCH_VARIABLES; v++) {
        s.domain[v] = (uint32_t)choose_entities(c);
    }
    SETTI_ASSERT(scope < c->search->scope_count && pipe < c->plan->pipe_count);
    c->scope = &c->search->scope[scope];
    c->number = scope;
    c->nodes = 0;
    c->best_count = UINT32_MAX;
    choose_try(c, s, 0);
    c->plan->pipe[pipe].first = (uint16_t)c->plan->step_count;
    SETTI_ASSERT(c->best_count <= SETT_SEARCH_VARIABLES);
    choose_add(c, SETTI_FIND_INPUT, depth, base)->estimate = rows;
    for (uint32_t v = 0; v < c->search->variable_count; v++) {
        if ((c->scope->locals & c->fixed) >> v & 1) {
            choose_add_shown(c, &s, v, depth, base);
        }
    }
    choose_add_tests(c, &s, depth, base);
    for (uint32_t k = 0; k < c->best_count; k++) {
        choose_add_pick(c, &s, &c->best[k], ++depth, base);
        choose_add_shown(c, &s, c->best[k].variable, depth, base);
        choose_add_tests(c, &s, depth, base);
    }
    choose_add_optional(c, &s, depth, base);
    c->plan->pipe[pipe].stop = (uint16_t)c->plan->step_count;
    choose_lists(c, pipe);
}

void setti_choose_plan(const sett_search* search, setti_search_plan* plan)
{
    choose c;
    choose_memo memo;
    memset(&c, 0, sizeof(c));
    memo.count = 0;
    c.memo = &memo;
    c.search = search;
    c.plan = plan;
    SETTI_ASSERT(search->branch_count != 0 && search->branch_count <= SETTI_SEARCH_BRANCHES);
    plan->step_count = 0;
    plan->depth = 0;
    plan->pipe_count = search->branch_count;
    for (uint32_t v = 0; v < search->variable_count; v++) {
        bool fixed = search->variable[v].name == NULL || search->variable[v].bound;
        c.fixed |= (uint32_t)fixed << v;
    }
    for (uint32_t k = 0; k < search->branch_count; k++) {
        memset(c.depth, SETTI_NO_DEPTH, sizeof(c.depth));
        choose_pipe(&c, (uint16_t)k, search->branch[k], 0, CHOOSE_ONE, 0, 0);
        memcpy(plan->place[k], c.depth, sizeof(c.depth));
    }
}
