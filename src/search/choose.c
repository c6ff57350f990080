/* choose.c: the order of the steps of a search.
 *
 * The workload: three to eight terms over two to four variables, run many times. The cost depends
 * on the first step and on the direction of each link. So all orders are tried by branch and bound:
 * depth first, the cheapest next step first; an order above the best cost is dropped. After
 * CHOOSE_NODES tries only the cheapest next step is taken.
 *
 *     rows after a scan      = rows before x entities of the rarest component x shares
 *     rows after a link      = rows before x links / sources (or targets) of the relationship
 *     rows after a component = rows before x share
 *
 * A share is the part of the entities with a first component (Planet, or a target of DockedAt) that
 * also have a second component. Samples of the first component are tested for the second. If there
 * are too few samples, the smaller set counts as a subset of the larger set: to assume independence
 * would leave almost no rows. Numbers of rows are integers, in 1/256 of a row.
 *
 * All orders give the same results. The choice depends on counts alone: worlds of equal state have
 * equal counts.
 *
 * Invariant:  a step only reads variables that earlier steps have found;
 *             each item of a scope is true for all rows at the end of the scope's pipe
 */
#include "search/walk.h"

#define CHOOSE_NODES 400                /* picks tried for a pipe */
#define CHOOSE_MOST ((uint64_t)1 << 50) /* largest estimate and cost */

/* Tenths of a nanosecond. */
#define COST_ROW 5u     /* handing out a row */
#define COST_WORD 3u    /* an entity of a scan by words */
#define COST_SCAN 10u   /* an entity of a scan by rows */
#define COST_TARGET 40u /* following an exclusive link to its target */
#define COST_SOURCE 80u /* going to the next source of a target */
#define COST_FAR 300u   /* instead of COST_SOURCE, if the links are larger than a cache */
#define COST_MANY 60u   /* in addition, if links are records */
#define COST_HAS 20u    /* testing whether an entity has a component */
#define COST_LINKED 40u /* testing for a link between two entities */
#define COST_CLOSURE 300u
#define COST_OTHER 300u /* testing a name or a list */

#define SHARE_SAMPLES 64u /* places to sample, about */
#define SHARE_FEWEST 16u  /* fewer samples are not used */
#define SHARE_ONE 1024u   /* a share of all entities */
#define SHARE_MEMO 64

/* Links of more bytes do not stay in a cache. */
#define LARGE_SIZE ((size_t)512 << 10)

/* Estimated number of links that a closure follows from an entity, up and down. */
#define CLOSURE_UP 3
#define CLOSURE_DOWN 10

/* How a step finds a variable. */
typedef struct choose_pick {
    setti_search_step_kind kind;
    uint8_t variable;
    const setti_search_item* item; /* NULL: a scan */
    uint64_t rows, cost;           /* rows and cost of the pipe after the step */
} choose_pick;

typedef struct choose_memo {
    const setti_type* known;
    const setti_type* type;
    uint32_t share; /* the part of the entities with `known` that also have `type` */
} choose_memo;

typedef struct choose_state {
    uint64_t rows;                                  /* left by the steps so far */
    uint64_t cost;                                  /* cost of the steps so far */
    uint32_t found;                                 /* found variables, fixed ones included */
    uint32_t domain[SETT_SEARCH_VARIABLES];         /* number of possible values of a variable */
    const setti_type* known[SETT_SEARCH_VARIABLES]; /* a type that each value has, or NULL */
    uint64_t done[SETTI_SEARCH_ITEMS / 64];         /* a bit for each item already tested */
} choose_state;

typedef struct choose {
    const sett_search* search;
    setti_search_plan* plan;
    uint32_t fixed;                       /* constants and bound variables */
    uint8_t depth[SETT_SEARCH_VARIABLES]; /* of each found variable's block */
    /* Of the pipe under construction: */
    const setti_search_scope* scope;
    uint8_t input_depth;                      /* input_depth of the pipe's steps */
    uint8_t level;                            /* depth of the last block so far */
    uint32_t nodes;                           /* picks tried */
    choose_pick picks[SETT_SEARCH_VARIABLES]; /* the order being tried */
    choose_pick best[SETT_SEARCH_VARIABLES];  /* the cheapest so far */
    uint32_t best_count;                      /* UINT32_MAX: none yet */
    uint64_t best_cost;
    uint32_t memo_count;
    choose_memo memo[SHARE_MEMO];
} choose;

static const setti_search_item* choose_item(const choose* c, uint32_t k)
{
    SETTI_ASSERT(k >= c->scope->items.first && k < c->scope->items.stop);
    return &c->search->item[c->search->order[k]];
}

/* Returns rows * part / whole, but at least 1 and at most CHOOSE_MOST. Nothing overflows. */
static uint64_t choose_scale(uint64_t rows, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        whole = 1;
    }
    if (rows / whole >= CHOOSE_MOST / (part + 1)) { /* + 1: `part` can be 0 */
        return CHOOSE_MOST;
    }
    uint64_t scaled = rows / whole * part;
    uint64_t remainder = rows % whole;
    bool product_fits = remainder < ((uint64_t)1 << 31) && part < ((uint64_t)1 << 32);
    if (product_fits) { /* else the remainder hardly changes the estimate */
        scaled += remainder * part / whole;
    }
    return SETTI_MAX(SETTI_MIN(scaled, CHOOSE_MOST), 1);
}

static uint64_t choose_cost(uint64_t rows, uint64_t row_cost)
{
    SETTI_ASSERT(row_cost != 0);
    if (rows >= CHOOSE_MOST / row_cost) {
        return CHOOSE_MOST;
    }
    return rows * row_cost;
}

static uint32_t choose_target_count(const setti_type* relationship)
{
    if (relationship->links != NULL) {
        return setti_relation_of_links(relationship)->sources->storage.count;
    }
    return relationship->storage.count / 4 + 1; /* assumed: each fourth node has children */
}

static uint32_t choose_link_count(const setti_type* relationship)
{
    if (relationship->records != NULL) {
        return setti_relation_of_links(relationship)->record_count;
    }
    return relationship->storage.count;
}

static bool choose_is_large(const setti_type* relationship)
{
    return (size_t)relationship->storage.extent * relationship->storage.size > LARGE_SIZE;
}

/* The type that an item requires of a variable's entities, or NULL. */
static const setti_type* choose_required_type(const setti_search_item* item, uint32_t variable)
{
    if (item->negated || item->optional) {
        return NULL;
    }
    if (item->source == variable && item->needs[0] != NULL) {
        return item->needs[0];
    }
    return item->target == variable ? item->needs[1] : NULL;
}

/* The variable of a [drive] term in this scope, or SETTI_NO_REF. */
static uint32_t choose_driven(const choose* c)
{
    if (c->search->drives == SETTI_NONE) {
        return SETTI_NO_REF;
    }
    uint32_t variable = c->search->item[c->search->drives].source;
    return ((c->scope->locals >> variable) & 1) != 0 ? variable : SETTI_NO_REF;
}

/* Returns the type that drives a scan for a variable, or NULL. That is the type of the item that
 * the program has marked with `drives`, if the item is about the variable; or else the rarest
 * type. */
static const setti_type* choose_driver(const choose* c, uint32_t variable)
{
    if (choose_driven(c) == variable) {
        return choose_required_type(&c->search->item[c->search->drives], variable);
    }
    const setti_type* rarest = NULL;
    for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
        const setti_type* type = choose_required_type(choose_item(c, k), variable);
        if (type == NULL) {
            continue;
        }
        if (rarest == NULL || type->storage.count < rarest->storage.count) {
            rarest = type;
        }
    }
    return rarest;
}

/* Samples entities of the storage `sampled`. Returns the number of samples. *both becomes the
 * number of samples that `other` has too. */
static uint32_t share_sample(const setti_storage* sampled, const setti_storage* other,
                             uint32_t* both)
{
    SETTI_ASSERT(sampled != other);
    uint32_t samples = 0;
    *both = 0;
    if (sampled->kind == SETTI_SPARSE) {
        if (sampled->keep_order) {
            return 0; /* samples would depend on gaps, which are not part of the state */
        }
        uint32_t step = SETTI_MAX(sampled->extent / SHARE_SAMPLES, 1);
        for (uint32_t row = 0; row < sampled->extent; row += step) {
            *both += setti_storage_has(other, *setti_storage_index(sampled, row));
            samples++;
        }
        return samples;
    }
    /* Whole words of 64 presence bits are sampled. */
    uint32_t step = SETTI_MAX(sampled->extent / 64 / SHARE_SAMPLES, 1) * 64;
    for (uint32_t base = 0; base < sampled->extent; base += step) {
        const uint64_t* bits = setti_storage_word(sampled, base);
        for (uint64_t word = bits != NULL ? *bits : 0; word != 0; word &= word - 1) {
            *both += setti_storage_has(other, base + setti_bits_lowest(word));
            samples++;
        }
    }
    return samples;
}

/* Estimates which share of the entities with the type `known` also have `type`. */
static uint32_t choose_share(choose* c, const setti_type* known, const setti_type* type)
{
    for (uint32_t k = 0; k < c->memo_count; k++) {
        if (c->memo[k].known == known && c->memo[k].type == type) {
            return c->memo[k].share;
        }
    }
    uint32_t both = 0;
    uint32_t samples = 0;
    if (known != type) {
        samples = share_sample(&known->storage, &type->storage, &both);
    }
    uint32_t count = known->storage.count;
    /* Without samples, the smaller set counts as a subset of the larger set. */
    uint64_t share =
        SHARE_ONE * (uint64_t)SETTI_MIN(type->storage.count, count) / SETTI_MAX(count, 1);
    if (samples != 0 && samples >= SETTI_MIN(count, SHARE_FEWEST)) { /* enough samples */
        /* If no sample has both types, half a sample counts as having both. */
        uint64_t half_samples = both != 0 ? 2 * (uint64_t)both : 1;
        share = half_samples * SHARE_ONE / (2 * samples);
    }
    if (c->memo_count < SHARE_MEMO) {
        c->memo[c->memo_count++] = (choose_memo){known, type, (uint32_t)share};
    }
    return (uint32_t)share;
}

/* Whether a scan reads presence bits. `driver` is the scan's driver, or NULL for all entities. */
static bool choose_by_words(const setti_type* driver)
{
    return driver == NULL || driver->storage.kind != SETTI_SPARSE;
}

/* Whether presence bits alone decide an item: a test of a component that is disabled for no
 * entity. */
static bool choose_is_decided_by_bits(const setti_search_item* item)
{
    if (item->kind != SETTI_ITEM_HAS) {
        return false;
    }
    return item->type->off == NULL || item->type->off->storage.count == 0;
}

const setti_type* setti_choose_scanned(const setti_search_item* item, uint32_t variable,
                                       const setti_type* driver)
{
    bool bits_decide =
        choose_is_decided_by_bits(item) && item->source == variable && !item->optional;
    const setti_type* type = choose_required_type(item, variable);
    if (bits_decide) { /* also true for a negated item, which requires no type */
        type = item->needs[0];
    }
    if (type == NULL) {
        return NULL;
    }
    if (type == driver && !item->negated) {
        return type; /* the scan only goes through entities with this type */
    }
    if (!choose_by_words(driver) || type->storage.kind == SETTI_SPARSE) {
        return NULL; /* there are no bits to test */
    }
    return type;
}

static bool choose_is_done(const choose_state* s, const choose* c, const setti_search_item* item)
{
    uint32_t k = (uint32_t)(item - c->search->item);
    SETTI_ASSERT(k < c->search->item_count);
    return ((s->done[k / 64] >> (k % 64)) & 1) != 0;
}

static void choose_set_done(choose_state* s, const choose* c, const setti_search_item* item)
{
    uint32_t k = (uint32_t)(item - c->search->item);
    SETTI_ASSERT(k < c->search->item_count);
    s->done[k / 64] |= (uint64_t)1 << (k % 64);
}

/* The estimated number of entities that a variable can stand for after the steps so far. */
static uint32_t choose_domain(const choose* c, const choose_state* s, uint32_t variable)
{
    if (variable >= SETT_SEARCH_VARIABLES || ((c->fixed >> variable) & 1) != 0) {
        return 1;
    }
    return SETTI_MAX(s->domain[variable], 1);
}

static uint64_t choose_entities(const choose* c)
{
    return SETTI_MAX(c->search->world->entities.count, 1);
}

/* Estimates the rows that the test of a component leaves. Also reduces the domain of the
 * variable. */
static uint64_t choose_test_component(choose* c, choose_state* s, const setti_search_item* item)
{
    uint32_t domain = choose_domain(c, s, item->source);
    /* A domain of 1 is a fixed variable, or a single entity. */
    const setti_type* known = domain > 1 ? s->known[item->source] : NULL;
    uint64_t share;
    if (known != NULL) {
        share = choose_share(c, known, item->type);
    } else {
        /* The entities with the type count as a subset of `whole`, or as all of it. */
        uint64_t whole = item->negated ? choose_entities(c) : domain;
        share = SHARE_ONE * SETTI_MIN(item->type->storage.count, whole) / whole;
    }
    if (item->negated) {
        share = SHARE_ONE - share;
    }
    if (item->source < SETT_SEARCH_VARIABLES) {
        s->domain[item->source] = (uint32_t)choose_scale(domain, share, SHARE_ONE);
    }
    if (domain == 1) { /* a single entity is assumed to pass the test */
        return s->rows;
    }
    return choose_scale(s->rows, share, SHARE_ONE);
}

/* Estimates the rows that the test of a link leaves. */
static uint64_t choose_test_link(const choose* c, const choose_state* s,
                                 const setti_search_item* item)
{
    if (item->negated) {
        return s->rows;
    }
    uint64_t pairs =
        (uint64_t)choose_domain(c, s, item->source) * choose_domain(c, s, item->target);
    uint64_t links = choose_link_count(item->along);
    if (item->closure) {
        links *= CLOSURE_UP;
    }
    return choose_scale(s->rows, SETTI_MIN(links, pairs), pairs); /* the share of linked pairs */
}

static bool choose_compares_entities(const choose* c, const setti_search_item* item)
{
    return c->search->side[item->compare][0].gives == SETTI_VALUE_ENTITY;
}

/* Estimates the rows that a comparison leaves. */
static uint64_t choose_test_compare(const choose* c, const choose_state* s,
                                    const setti_search_item* item)
{
    const sett_search_term* term = &c->search->term[item->term];
    uint32_t domain =
        SETTI_MAX(choose_domain(c, s, item->source), choose_domain(c, s, item->target));
    uint32_t values = domain;
    if (!choose_compares_entities(c, item)) {
        values = SETTI_MIN(domain, 100); /* assumed: 100 different names, or values of a member */
    }
    bool is_equal = term->compare == SETT_COMPARE_EQUAL;
    bool selects_value = is_equal != item->negated;
    if (!selects_value) {
        return s->rows;
    }
    return choose_scale(s->rows, 1, values);
}

/* Adds the cost of testing an item. Returns the estimated number of rows left. */
static uint64_t choose_test(choose* c, choose_state* s, const setti_search_item* item)
{
    SETTI_ASSERT(s->rows != 0);
    uint64_t passed = s->rows / 2; /* assumed for a list or a walk */
    uint32_t row_cost = COST_OTHER;
    if (item->kind == SETTI_ITEM_HAS && item->walk == SETT_WALK_NONE) {
        passed = choose_test_component(c, s, item);
        row_cost = COST_HAS;
    } else if (item->kind == SETTI_ITEM_LINK) {
        passed = choose_test_link(c, s, item);
        row_cost = COST_LINKED;
        if (item->closure) {
            row_cost = COST_CLOSURE;
        } else if (item->along->records != NULL) {
            row_cost += 2 * COST_MANY;
        }
    } else if (item->kind == SETTI_ITEM_COMPARE) {
        passed = choose_test_compare(c, s, item);
        row_cost = choose_compares_entities(c, item) ? COST_ROW : COST_OTHER;
    }
    s->cost += choose_cost(s->rows, row_cost);
    return SETTI_MAX(passed, 1);
}

/* Whether an item is not tested yet, and all variables of the item are found. */
static bool choose_is_due(const choose* c, const choose_state* s, const setti_search_item* item)
{
    return !item->optional && !choose_is_done(s, c, item) && (item->variables & ~s->found) == 0;
}

/* Adds the costs of testing all due items, and marks the items as tested. */
static void choose_add_test_costs(choose* c, choose_state* s)
{
    for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
        const setti_search_item* item = choose_item(c, k);
        if (choose_is_due(c, s, item)) {
            s->rows = choose_test(c, s, item);
            choose_set_done(s, c, item);
        }
    }
}

/* Returns UINT32_MAX if a variable is not fixed. Otherwise returns how many links lead from the
 * variable to the side `side`. */
static uint32_t choose_link_count_of(const choose* c, const setti_search_item* item,
                                     uint32_t variable, setti_link_side side)
{
    bool to_sources = side == SETTI_SOURCES;
    if (variable >= SETT_SEARCH_VARIABLES || ((c->fixed >> variable) & 1) == 0) {
        return UINT32_MAX;
    }
    uint32_t index = setti_search_constant(c->search, variable);
    const setti_type* relationship = item->along;
    if (relationship->links == NULL) {
        const sett_hierarchy* node = setti_storage_find(&relationship->storage, index);
        if (node == NULL) {
            return 0;
        }
        if (to_sources) {
            return node->children / SETTI_CHILD; /* the lowest bits are the policy */
        }
        return node->parent != 0; /* one parent at most */
    }
    if (!to_sources && relationship->records == NULL) {
        return setti_storage_has(&relationship->storage, index); /* 1: an exclusive link */
    }
    const setti_type* type =
        to_sources ? setti_relation_of_links(relationship)->sources : relationship;
    const sett_links* links = setti_storage_find(&type->storage, index);
    return links != NULL ? links->count : 0;
}

/* Estimates the rows and the cost of a pick that follows the links of an item to the side
 * `side`. */
static void choose_follow(const choose* c, const choose_state* s, const setti_search_item* item,
                          setti_link_side side, choose_pick* pick)
{
    bool to_sources = side == SETTI_SOURCES;
    uint32_t start = to_sources ? item->target : item->source;
    const setti_type* relationship = item->along;
    uint32_t start_count = relationship->storage.count; /* entities that have such links */
    if (to_sources) {
        start_count = choose_target_count(relationship);
    }
    uint32_t domain = choose_domain(c, s, start);
    uint32_t exact = choose_link_count_of(c, item, start, side); /* known if `start` is fixed */
    SETTI_ASSERT(item->kind == SETTI_ITEM_LINK);
    if (exact != UINT32_MAX) {
        pick->rows = choose_scale(s->rows, exact, 1);
    } else {
        /* Rows whose start has links, times the links of such a start. */
        uint64_t linked = choose_scale(s->rows, SETTI_MIN(start_count, domain), domain);
        pick->rows = choose_scale(linked, choose_link_count(relationship), start_count);
    }
    uint32_t link_cost = COST_TARGET;
    if (to_sources) {
        link_cost = choose_is_large(relationship) ? COST_FAR : COST_SOURCE;
    }
    if (relationship->records != NULL) {
        link_cost += COST_MANY;
    }
    if (item->closure) {
        pick->rows = choose_scale(pick->rows, to_sources ? CLOSURE_DOWN : CLOSURE_UP, 1);
        link_cost += COST_CLOSURE;
    }
    pick->cost = s->cost + choose_cost(s->rows, COST_ROW) + choose_cost(pick->rows, link_cost);
}

/* Whether a step of this scope must still find the variable. */
static bool choose_is_wanted(const choose* c, const choose_state* s, uint32_t variable)
{
    uint32_t missing = c->scope->locals & ~s->found;
    return variable < SETT_SEARCH_VARIABLES && ((missing >> variable) & 1) != 0 &&
           !c->search->variable[variable].optional;
}

/* Fills in a pick that finds the source or the target of an item, as `side` says. Returns false if
 * the item cannot find that variable now. */
static bool choose_item_pick(const choose* c, const choose_state* s, const setti_search_item* item,
                             setti_link_side side, choose_pick* pick)
{
    bool to_sources = side == SETTI_SOURCES;
    uint32_t start = to_sources ? item->target : item->source;
    uint32_t end = to_sources ? item->source : item->target;
    if (start >= SETT_SEARCH_VARIABLES || ((s->found >> start) & 1) == 0) {
        return false;
    }
    if (!choose_is_wanted(c, s, end)) {
        return false;
    }
    pick->variable = (uint8_t)end;
    pick->item = item;
    if (item->kind == SETTI_ITEM_LINK) {
        pick->kind = to_sources ? SETTI_FIND_SOURCES : SETTI_FIND_TARGETS;
        choose_follow(c, s, item, side, pick);
        return true;
    }
    const setti_search_side* end_side = &c->search->side[item->compare][to_sources ? 0 : 1];
    bool is_equal = c->search->term[item->term].compare == SETT_COMPARE_EQUAL;
    if (!is_equal || end_side->kind != SETT_OPERAND_ENTITY) {
        return false;
    }
    pick->kind = SETTI_FIND_COPY;
    pick->rows = s->rows;
    pick->cost = s->cost + choose_cost(s->rows, COST_ROW);
    return true;
}

/* Lists the ways in which an item can find a variable now. Returns the number of picks. */
static uint32_t choose_item_picks(const choose* c, const choose_state* s,
                                  const setti_search_item* item, choose_pick* picks)
{
    if (item->kind != SETTI_ITEM_LINK && item->kind != SETTI_ITEM_COMPARE) {
        return 0;
    }
    if (item->negated || item->optional || choose_is_done(s, c, item)) {
        return 0;
    }
    uint32_t count = 0;
    if (choose_item_pick(c, s, item, SETTI_TARGETS, &picks[count])) {
        count++;
    }
    if (choose_item_pick(c, s, item, SETTI_SOURCES, &picks[count])) {
        count++;
    }
    return count;
}

/* Fills in a pick that finds a variable by a scan. */
static void choose_scan(choose* c, const choose_state* s, uint32_t variable, choose_pick* pick)
{
    SETTI_ASSERT(choose_is_wanted(c, s, variable));
    const setti_type* driver = choose_driver(c, variable);
    uint64_t candidates = driver != NULL ? driver->storage.count : choose_entities(c);
    uint64_t rows = choose_scale(s->rows, candidates, 1);
    pick->kind = SETTI_FIND_SCAN;
    pick->variable = (uint8_t)variable;
    pick->item = NULL;
    pick->cost = s->cost + choose_cost(rows, choose_by_words(driver) ? COST_WORD : COST_SCAN);
    for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
        const setti_search_item* item = choose_item(c, k);
        const setti_type* type = setti_choose_scanned(item, variable, driver);
        if (type == NULL || (type == driver && !item->negated)) {
            continue; /* not tested by bits, or true for all entities of the driver */
        }
        uint64_t share;
        if (driver != NULL) {
            share = choose_share(c, driver, type);
        } else {
            share = SHARE_ONE * (uint64_t)type->storage.count / candidates;
        }
        if (item->negated) {
            share = SHARE_ONE - SETTI_MIN(share, SHARE_ONE);
        }
        rows = choose_scale(rows, share, SHARE_ONE);
    }
    pick->rows = rows;
    pick->cost += choose_cost(rows, COST_ROW);
}

/* The rank of a pick: its cost, and the cost of a typical next step for the rows it leaves. */
static uint64_t choose_rank(const choose_pick* pick)
{
    return pick->cost + choose_cost(pick->rows, COST_TARGET);
}

/* Sorts by insertion: there are few picks. */
static void choose_sort_picks(choose_pick* picks, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        choose_pick pick = picks[k];
        uint32_t position = k;
        for (; position != 0; position--) {
            if (choose_rank(&picks[position - 1]) <= choose_rank(&pick)) {
                break;
            }
            picks[position] = picks[position - 1];
        }
        picks[position] = pick;
    }
}

/* Lists the possible next picks, the cheapest first. Returns the number of picks. */
static uint32_t choose_next(choose* c, const choose_state* s, choose_pick* picks)
{
    uint32_t count = 0;
    uint32_t driven = choose_driven(c);
    bool must_drive = choose_is_wanted(c, s, driven); /* the only pick is a scan for `driven` */
    if (!must_drive) {
        for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
            count += choose_item_picks(c, s, choose_item(c, k), &picks[count]);
        }
    }
    for (uint32_t v = 0; v < c->search->variable_count; v++) {
        bool is_allowed = !must_drive || v == driven;
        if (is_allowed && choose_is_wanted(c, s, v)) {
            choose_scan(c, s, v, &picks[count++]);
        }
    }
    choose_sort_picks(picks, count);
    return count;
}

/* Updates the state as if the step of a pick had run. */
static void choose_take(const choose* c, choose_state* s, const choose_pick* pick)
{
    SETTI_ASSERT(pick->variable < c->search->variable_count);
    uint64_t domain = choose_entities(c);
    const setti_type* known = NULL;
    if (pick->kind == SETTI_FIND_SCAN) { /* the scan also tests items by presence bits */
        known = choose_driver(c, pick->variable);
        /* The domain of a scanned variable: the number of results for each row before. */
        domain = choose_scale(pick->rows, SETTI_ESTIMATE_ONE, SETTI_MAX(s->rows, 1));
        domain /= SETTI_ESTIMATE_ONE;
        for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
            const setti_search_item* item = choose_item(c, k);
            if (choose_is_decided_by_bits(item) &&
                setti_choose_scanned(item, pick->variable, known) != NULL) {
                choose_set_done(s, c, item);
            }
        }
    } else if (pick->kind == SETTI_FIND_COPY) {
        bool finds_source = pick->variable == pick->item->source;
        uint8_t original = finds_source ? pick->item->target : pick->item->source;
        domain = choose_domain(c, s, original);
    } else {
        const setti_type* relationship = pick->item->along;
        domain = relationship->storage.count;
        if (pick->kind == SETTI_FIND_TARGETS) {
            domain = choose_target_count(relationship);
        }
        known = choose_required_type(pick->item, pick->variable);
    }
    SETTI_ASSERT(((s->found >> pick->variable) & 1) == 0);
    s->rows = pick->rows;
    s->cost = pick->cost;
    s->found |= (uint32_t)1 << pick->variable;
    s->domain[pick->variable] = (uint32_t)SETTI_MIN(SETTI_MAX(domain, 1), UINT32_MAX);
    s->known[pick->variable] = known;
    if (pick->item != NULL) {
        choose_set_done(s, c, pick->item);
    }
}

/* Tries all orders that begin with the first `count` of c->picks. `s` is the state after these
 * picks. */
static void choose_try(choose* c, choose_state s, uint32_t count)
{
    choose_add_test_costs(c, &s);
    if (c->best_count != UINT32_MAX && s.cost >= c->best_cost) { /* cannot become the best */
        return;
    }
    choose_pick picks[SETT_SEARCH_TERMS * 2 + SETT_SEARCH_VARIABLES];
    uint32_t pick_count = choose_next(c, &s, picks);
    SETTI_ASSERT(count <= SETT_SEARCH_VARIABLES);
    if (pick_count == 0) { /* all variables are found */
        c->best_cost = s.cost;
        c->best_count = count;
        memcpy(c->best, c->picks, count * sizeof(c->picks[0]));
        return;
    }
    for (uint32_t k = 0; k < pick_count; k++) {
        if (k != 0 && c->nodes >= CHOOSE_NODES) {
            return; /* from now on only the cheapest next pick is tried */
        }
        choose_state next = s;
        c->nodes++;
        c->picks[count] = picks[k];
        choose_take(c, &next, &picks[k]);
        choose_try(c, next, count + 1);
    }
}

/* The depth of a variable's block, or SETTI_NO_DEPTH. */
static uint8_t choose_depth_of(const choose* c, uint8_t ref)
{
    if (ref >= SETT_SEARCH_VARIABLES || ((c->fixed >> ref) & 1) != 0) {
        return SETTI_NO_DEPTH;
    }
    return c->depth[ref];
}

/* Appends a step that reads the variables `a` and `b`. SETTI_NO_REF stands for no variable. `rows`
 * is the estimated number of rows after the step. */
static setti_search_step* choose_add(choose* c, setti_search_step_kind kind, uint64_t rows,
                                     uint8_t a, uint8_t b)
{
    SETTI_ASSERT(c->plan->step_count < c->search->step_room);
    setti_search_step* step = &c->plan->step[c->plan->step_count++];
    memset(step, 0, sizeof(*step));
    step->kind = kind;
    step->depth = c->level;
    step->input_depth = c->input_depth;
    step->a = a;
    step->b = b;
    step->a_depth = choose_depth_of(c, a);
    step->b_depth = choose_depth_of(c, b);
    step->scope = c->scope;
    step->estimate = rows;
    return step;
}

#define CHOOSE_CLASSES 4

/* The cost class of an item's test. Class 0 is the cheapest. */
static uint32_t choose_class(const setti_search_item* item)
{
    switch (item->kind) {
    case SETTI_ITEM_HAS:
        return item->walk != SETT_WALK_NONE ? 1 : 0;
    case SETTI_ITEM_LINK:
        return item->closure ? 2 : 1;
    case SETTI_ITEM_COMPARE:
        return 2;
    default: /* a list */
        return 3;
    }
}

/* Appends a step for each due item, the cheapest first. */
static void choose_add_tests(choose* c, choose_state* s)
{
    for (uint32_t cost_class = 0; cost_class < CHOOSE_CLASSES; cost_class++) {
        for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
            const setti_search_item* item = choose_item(c, k);
            if (choose_class(item) != cost_class || !choose_is_due(c, s, item)) {
                continue;
            }
            s->rows = choose_test(c, s, item);
            choose_set_done(s, c, item);
            setti_search_step* step =
                choose_add(c, SETTI_FIND_TEST, s->rows, item->source, item->target);
            step->item = item;
            step->found = s->found;
        }
    }
}

/* If a tag can hide entities of a variable, adds a step that drops the hidden entities. */
static void choose_add_shown(choose* c, const choose_state* s, uint8_t variable)
{
    const setti_variable* tested = &c->search->variable[variable];
    bool is_constant = tested->name == NULL;
    if (is_constant || !tested->is_source) {
        return;
    }
    bool can_hide = false;
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        const setti_type* tag = c->search->world->hidden[k];
        if (!tested->shows[k] && tag != NULL && tag->storage.count != 0) {
            can_hide = true;
        }
    }
    if (can_hide) {
        setti_search_step* step = choose_add(c, SETTI_FIND_SHOWN, s->rows, variable, SETTI_NO_REF);
        step->variable = variable;
    }
}

/* Adds a step that finds a variable, and a new block for the variable. `item` is NULL for a
 * scan. */
static setti_search_step* choose_add_find(choose* c, setti_search_step_kind kind, uint64_t rows,
                                          const setti_search_item* item, uint8_t variable)
{
    uint8_t start = SETTI_NO_REF;
    if (item != NULL) {
        start = item->source == variable ? item->target : item->source;
    }
    c->depth[variable] = ++c->level;
    setti_search_step* step = choose_add(c, kind, rows, start, SETTI_NO_REF);
    step->item = item;
    step->variable = variable;
    if (item != NULL && item->kind == SETTI_ITEM_LINK) {
        bool follows_one_link = !item->or_self && !item->closure;
        step->prefetch = follows_one_link && choose_is_large(item->along);
    }
    return step;
}

/* Adds a step for each optional link. The step finds the end of the link that no step has found. */
static void choose_add_optional(choose* c, const choose_state* s)
{
    for (uint32_t k = c->scope->items.first; k < c->scope->items.stop; k++) {
        const setti_search_item* item = choose_item(c, k);
        uint32_t missing = item->variables & ~s->found;
        if (item->optional && item->kind == SETTI_ITEM_LINK && missing != 0) {
            uint8_t variable = (uint8_t)setti_bits_lowest(missing);
            bool finds_source = item->source == variable;
            setti_search_step_kind kind = finds_source ? SETTI_FIND_SOURCES : SETTI_FIND_TARGETS;
            choose_add_find(c, kind, s->rows, item, variable);
        }
    }
}

static void choose_pipe(choose* c, uint16_t pipe, uint16_t scope, uint32_t found, uint64_t rows,
                        uint8_t input_depth);

/* Plans a further pipe for each side of each list that the pipe `pipe` tests. */
static void choose_lists(choose* c, uint16_t pipe)
{
    SETTI_ASSERT(pipe < c->plan->pipe_count);
    for (uint32_t k = c->plan->pipe[pipe].first; k < c->plan->pipe[pipe].stop; k++) {
        setti_search_step* step = &c->plan->step[k];
        const setti_search_item* item = step->item;
        if (step->kind != SETTI_FIND_TEST || item->kind != SETTI_ITEM_LIST) {
            continue;
        }
        /* The new pipes: one for each scope of the list. */
        step->pipes.first = (uint16_t)c->plan->pipe_count;
        step->pipes.stop = (uint16_t)(step->pipes.first + (item->scopes.stop - item->scopes.first));
        c->plan->pipe_count = step->pipes.stop;
        SETTI_ASSERT(c->plan->pipe_count <= c->search->pipe_room &&
                     step->pipes.first < step->pipes.stop);
        for (uint16_t side = step->pipes.first; side < step->pipes.stop; side++) {
            uint16_t scope = c->search->order[item->scopes.first + side - step->pipes.first];
            choose_pipe(c, side, scope, step->found, step->estimate, (uint8_t)(step->depth + 1));
        }
    }
}

/* Adds the steps of the best order. */
static void choose_add_steps(choose* c, choose_state* s)
{
    choose_add(c, SETTI_FIND_INPUT, s->rows, SETTI_NO_REF, SETTI_NO_REF);
    for (uint32_t v = 0; v < c->search->variable_count; v++) {
        if ((((c->scope->locals & c->fixed) >> v) & 1) != 0) {
            choose_add_shown(c, s, (uint8_t)v); /* a bound entity can be hidden too */
        }
    }
    choose_add_tests(c, s);
    for (uint32_t k = 0; k < c->best_count; k++) {
        const choose_pick* pick = &c->best[k];
        choose_take(c, s, pick);
        setti_search_step* step =
            choose_add_find(c, pick->kind, s->rows, pick->item, pick->variable);
        step->driver = pick->item == NULL ? choose_driver(c, pick->variable) : NULL;
        choose_add_shown(c, s, pick->variable);
        choose_add_tests(c, s);
    }
    choose_add_optional(c, s); /* last: an optional link keeps every row */
}

/* Plans a scope as a pipe, and the lists of the scope as further pipes.
 *   rows   estimated number of rows at the beginning of the pipe
 *   found  bits of the variables that are known there */
static void choose_pipe(choose* c, uint16_t pipe, uint16_t scope, uint32_t found, uint64_t rows,
                        uint8_t input_depth)
{
    choose_state s = {.rows = rows, .found = found | c->fixed};
    for (uint32_t v = 0; v < SETT_SEARCH_VARIABLES; v++) {
        s.domain[v] = (uint32_t)choose_entities(c);
    }
    SETTI_ASSERT(scope < c->search->scope_count && pipe < c->plan->pipe_count);
    c->scope = &c->search->scope[scope];
    c->input_depth = c->level = input_depth;
    c->nodes = 0;
    c->best_count = UINT32_MAX;
    choose_try(c, s, 0); /* finds the best order, with a copy of `s` */
    c->plan->pipe[pipe].first = (uint16_t)c->plan->step_count;
    SETTI_ASSERT(c->best_count <= SETT_SEARCH_VARIABLES);
    choose_add_steps(c, &s);
    c->plan->pipe[pipe].stop = (uint16_t)c->plan->step_count;
    choose_lists(c, pipe);
}

void setti_choose_plan(const sett_search* search, setti_search_plan* plan)
{
    choose c;
    memset(&c, 0, offsetof(choose, memo)); /* the large `memo` stays unset: memo_count is 0 */
    c.search = search;
    c.plan = plan;
    SETTI_ASSERT(search->branch_count != 0 && search->branch_count <= SETTI_SEARCH_BRANCHES);
    plan->step_count = 0;
    plan->pipe_count = search->branch_count;
    for (uint32_t v = 0; v < search->variable_count; v++) {
        c.fixed |= (uint32_t)setti_search_is_fixed(&search->variable[v]) << v;
    }
    for (uint32_t k = 0; k < search->branch_count; k++) { /* a branch begins with one row */
        memset(c.depth, SETTI_NO_DEPTH, sizeof(c.depth));
        choose_pipe(&c, (uint16_t)k, search->branch[k], 0, SETTI_ESTIMATE_ONE, 0);
        memcpy(plan->depth[k], c.depth, sizeof(c.depth));
    }
}
