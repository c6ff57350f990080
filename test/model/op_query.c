/* op_query.c: queries: what they match, in which order, and what their batches read and write.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

#include "query/query.h"
#include "world/world.h"

typedef struct look {
    sett_query_desc desc;
    uint32_t type[SETT_QUERY_TERMS];
    uint32_t term_count;
    uint64_t used; /* types of all terms */
    uint64_t with;
    uint64_t without;
    uint64_t any;
    uint64_t changed;
    bool optional; /* some term is, or is one of several */

    /* Of one loop. */
    uint64_t since;
    bool ordered;             /* the documented order is known */
    uint32_t driver;          /* the type whose rows drive, MODEL_TYPES if indices do */
    const model_group* group; /* whose order the loop has, or NULL */
    bool exact;               /* it visits what is expected, and nothing else */
    uint32_t expected;        /* entities that match */
    uint32_t visited;
    sett_entity first;
    uint64_t last; /* 1 + what the last one visited had: index, row or stamp */
} look;

/* Queries that live on while groups come and go and storages change. */
#define KEPT_QUERIES 6

static struct {
    sett_query* query;
    look q;
} kept_queries[KEPT_QUERIES];

void forget_kept(void)
{
    memset(kept_queries, 0, sizeof(kept_queries));
}

static bool look_matches(const look* q, uint64_t mask)
{
    mask = model_seen(mask);
    return (mask & q->with) == q->with && (mask & q->without) == 0 &&
           (q->any == 0 || (mask & q->any) != 0);
}

/* With the terms that want a value changed. What counts as changed by page, sett_changed_tick
 * knows;
 * comparing values holds it against when each was really written. */
static bool look_accepts(const look* q, uint32_t index)
{
    bool accepted = look_matches(q, model.mask[index]);
    for (uint64_t rest = q->changed; rest != 0 && accepted; rest &= rest - 1) {
        uint32_t type = model_lowest(rest);
        bool exact = (model_types[type].flags & MODEL_TRACK) != 0 && model_types[type].size != 0;
        uint64_t tick =
            exact ? model.tick[type][index]
                  : sett_changed_tick(model.world, model_handle(&model, index), id_of(type));
        EXPECT(tick >= model.tick[type][index]);
        accepted = tick > q->since;
    }
    return accepted;
}

static void look_add(look* q, uint32_t number, sett_term_kind kind)
{
    if ((q->used & model_bit(number)) != 0 || q->term_count == SETT_QUERY_TERMS) {
        return;
    }
    sett_term* term = &q->desc.terms[q->term_count];
    term->component = id_of(number);
    term->kind = kind;
    term->access = (sett_access)below(4);
    term->changed = kind == SETT_WITH && one_in(6);
    if ((model_types[number].flags & MODEL_OWNED) != 0 && term->access == SETT_OUT) {
        term->access = SETT_INOUT; /* overwriting it would lose what it owns */
    }
    q->used |= model_bit(number);
    q->with |= kind == SETT_WITH ? model_bit(number) : 0;
    q->without |= kind == SETT_WITHOUT ? model_bit(number) : 0;
    q->any |= kind == SETT_ANY ? model_bit(number) : 0;
    q->changed |= term->changed ? model_bit(number) : 0;
    q->optional = q->optional || kind == SETT_OPTIONAL || kind == SETT_ANY;
    q->type[q->term_count++] = number;
}

/* The conditions of a group, for a query that it covers. */
static void look_add_group(look* q, const model_group* group)
{
    for (uint64_t rest = group->with; rest != 0; rest &= rest - 1) {
        look_add(q, model_lowest(rest), SETT_WITH);
    }
    for (uint64_t rest = group->without; rest != 0; rest &= rest - 1) {
        look_add(q, model_lowest(rest), SETT_WITHOUT);
    }
}

/* Terms that match something, mostly: taken from an entity, or from a group. */
static void look_choose(look* q)
{
    memset(q, 0, sizeof(*q));
    q->desc.name = "model";
    const model_group* group = one_in(2) ? some_group() : NULL;
    uint32_t wishes = below(6);
    if (group != NULL) {
        look_add_group(q, group);
        wishes = one_in(2) ? 0 : below(3);
    }
    uint32_t index = model.alive != 0 ? some_live() : 0;
    bool any = one_in(3);
    for (; wishes > 0; wishes--) {
        bool wanted = !one_in(3);
        uint32_t number = wanted && model.alive != 0 ? some_type_of(index) : some_type();
        sett_term_kind kind = wanted ? SETT_WITH : one_in(2) ? SETT_WITHOUT : SETT_OPTIONAL;
        look_add(q, number, any && one_in(2) ? SETT_ANY : kind);
    }
}

static uint32_t look_bits(uint64_t set)
{
    uint32_t count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* The group that covers the query: one that owns first, then the one with the most conditions.
 * False if two are equally good. */
static bool look_cover(const look* q, const model_group** cover)
{
    uint32_t best = 0;
    bool sure = true;
    *cover = NULL;
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        const model_group* group = &model.group[k];
        if (group->group == NULL || (group->with & ~q->with) != 0 ||
            (group->without & ~q->without) != 0) {
            continue;
        }
        uint32_t good =
            look_bits(group->with | group->without) + (group->owned != 0 ? MODEL_TYPES_MAX * 2 : 0);
        if (good >= best) {
            sure = good > best;
            best = good;
            *cover = group;
        }
    }
    return sure;
}

/* The sparse-set one with the fewest values among some types, MODEL_TYPES if none is. */
static uint32_t look_fewest(uint64_t types, bool* tie)
{
    uint32_t fewest = MODEL_TYPES;
    *tie = false;
    for (uint64_t rest = types; rest != 0; rest &= rest - 1) {
        uint32_t type = model_lowest(rest);
        if (!model_types[type].sparse_set) {
            continue;
        }
        if (fewest == MODEL_TYPES || model.count[type] < model.count[fewest]) {
            fewest = type;
            *tie = false;
        } else if (model.count[type] == model.count[fewest]) {
            *tie = true;
        }
    }
    return fewest;
}

/* Whether a sparse set goes before the group or the pages that there are: a matter of costs,
 * of which the model knows nothing. */
static bool look_drives(sett_query* query)
{
    setti_plan plan;
    setti_plan_update(query);
    setti_plan_make(query, &plan);
    return plan.driver != SETT_QUERY_TERMS && (query->arranged >> plan.driver & 1) == 0;
}

/* What the documentation says about the order: who drives. */
static void look_plan(sett_query* query, look* q)
{
    const model_group* cover;
    bool tie;
    q->ordered = look_cover(q, &cover);
    q->group = NULL;
    if (cover != NULL && cover->owned != 0) {
        q->driver = look_fewest(q->with & ~cover->owned, &tie);
        if (q->driver == MODEL_TYPES || !look_drives(query)) {
            q->group = cover;
            q->driver = model_lowest(cover->owned);
            tie = false;
        }
    } else {
        bool positional = cover != NULL;
        for (uint64_t rest = q->with; rest != 0; rest &= rest - 1) {
            positional = positional || !model_types[model_lowest(rest)].sparse_set;
        }
        q->driver = look_fewest(q->with, &tie);
        if (q->driver != MODEL_TYPES && positional && !look_drives(query)) {
            q->driver = MODEL_TYPES;
        }
    }
    q->ordered = q->ordered && !(tie && q->driver != MODEL_TYPES);
}

/* Before a loop: what it should find. */
static void look_begin(sett_query* query, look* q)
{
    q->since = one_in(4) ? below(2) : model.now - (model.now < 8 ? 0 : below(8));
    q->expected = 0;
    q->visited = 0;
    q->last = 0;
    look_plan(query, q);
    for (uint32_t k = 0; k < model.alive; k++) {
        q->expected += look_accepts(q, model.live[k]);
    }
    /* Where pages remember, what the loop itself writes may match later in the same loop. */
    q->exact = true;
    for (uint32_t k = 0; k < q->term_count; k++) {
        const sett_term* term = &q->desc.terms[k];
        bool rows = (model_types[q->type[k]].flags & MODEL_TRACK) != 0;
        bool writes = term->access == SETT_OUT || term->access == SETT_INOUT;
        q->exact = q->exact && !(term->changed && writes && !rows);
    }
}

/* Nothing but the conditions of the group whose order the loop has. */
static bool look_is_group(const look* q)
{
    return q->ordered && q->group != NULL && q->group->with == q->with &&
           q->group->without == q->without && q->changed == 0 && !q->optional;
}

static void look_order(look* q, uint32_t index, bool new_batch)
{
    if (look_is_group(q)) { /* its members are the first rows of all that it owns */
        for (uint64_t rest = q->group->owned; rest != 0; rest &= rest - 1) {
            EXPECT(setti_sparse_row(storage_of(model_lowest(rest)), index) == q->visited - 1);
        }
    }
    if (!q->ordered) {
        return;
    }
    uint64_t at = index;
    if (q->driver != MODEL_TYPES) {
        bool kept = (model_types[q->driver].flags & MODEL_KEEP) != 0;
        at = kept ? model.stamp[q->driver][index] : setti_sparse_row(storage_of(q->driver), index);
    }
    if (!(new_batch && q->optional)) {
        EXPECT(at + 1 > q->last);
    }
    q->last = at + 1;
}

/* One field of one row: its value, and perhaps a new one. */
static void look_field(const sett_batch* b, const look* q, uint32_t k, uint32_t row, uint32_t index,
                       bool write)
{
    uint32_t number = q->type[k];
    const model_type* type = &model_types[number];
    unsigned char* field = sett_batch_field(b, k);
    const sett_term* term = &q->desc.terms[k];
    bool present = (model_seen(model.mask[index]) >> number & 1) != 0;
    bool expected =
        term->kind != SETT_WITHOUT && term->access != SETT_NONE && type->size != 0 && present;
    const void* found = sett_find(model.world, model_handle(&model, index), type->id);
    EXPECT((field != NULL) == expected);
    EXPECT(sett_batch_has(b, k) == present);
    EXPECT(sett_batch_at(b, k, row) == (present ? found : NULL));
    if (field == NULL) {
        return;
    }
    unsigned char* value = field + (size_t)row * type->size;
    uint32_t seed = model.seed[number][index];
    if (q->ordered && q->group != NULL && (q->group->owned & model_bit(number)) != 0) {
        EXPECT(value == found); /* in place */
    }
    if ((type->flags & MODEL_OWNED) != 0) { /* gathered ones lie elsewhere */
        EXPECT(*((model_owned*)(void*)value)->block == seed);
    } else if (term->access != SETT_OUT) {
        EXPECT(model_filled(value, type->size, seed));
    }
    if (term->access != SETT_IN) {
        if (term->access == SETT_OUT || write) {
            seed = some_seed();
            model_value_write(type, value, seed);
        }
        model_write(&model, index, number, seed);
    }
}

static uint32_t look_mark[MODEL_INDICES]; /* by entity index: the loop that visited it last */
static uint32_t look_turn;                /* the loop that runs */

static void look_row(const sett_batch* b, look* q, uint32_t row, bool new_batch)
{
    sett_entity entity = sett_batch_entity(b, row);
    EXPECT(entity.index == sett_batch_index(b, row));
    EXPECT(model_valid(&model, entity));
    EXPECT(q->exact ? look_accepts(q, entity.index) : look_matches(q, model.mask[entity.index]));
    EXPECT(look_mark[entity.index] != look_turn);
    EXPECT(q->visited != 0 || sett_equals(entity, q->first));
    look_mark[entity.index] = look_turn;
    q->visited++;
    look_order(q, entity.index, new_batch);
    bool write = one_in(2);
    for (uint32_t k = 0; k < q->term_count; k++) {
        look_field(b, q, k, row, entity.index, write);
    }
}

static void look_batch(const sett_batch* b, look* q)
{
    bool new_batch = true;
    uint32_t rows = 0;
    EXPECT(b->count != 0 && b->count <= SETT_BATCH_ROWS && b->field_count == q->term_count);
    SETT_EACH(b, row) {
        look_row(b, q, row, new_batch);
        new_batch = false;
        rows++;
    }
    EXPECT(rows == b->count);
}

/* In the middle of a loop: what is rejected, and what is not. */
static void look_inside(const sett_batch* b)
{
    uint32_t index = sett_batch_index(b, b->rows != NULL ? b->rows[0] : 0);
    uint32_t type = some_type();
    if (!model_has(&model, index, type)) {
        expect_locked(model_handle(&model, index), type);
    }
    record_some();
    if (one_in(4)) {
        sett_entity_reserve(model.world, below(100));
    }
}

/* Leaves the loop early, in the three ways that there are. */
static bool look_loop(sett_query* query, look* q, uint32_t how)
{
    uint32_t stop = 1 + below(8);
    SETT_QUERY_EACH(query, b) {
        look_batch(b, q);
        if (one_in(16)) {
            look_inside(b);
        }
        if (--stop == 0 && how == 1) {
            break;
        }
        if (stop == 0 && how == 2) {
            sett_batch_end(b);
            return false;
        }
    }
    return how != 1 || stop != 0;
}

/* Words about the plan, cut at the given size. They name the group that the loop
 * follows. */
static void look_explain(sett_query* query, const look* q)
{
    char text[512];
    char part[512];
    size_t size = below(300);
    size_t length = sett_query_explain(query, text, sizeof(text));
    EXPECT(length != 0 && strstr(text, "\"model\"") != NULL);
    EXPECT(length >= sizeof(text) || strlen(text) == length);
    EXPECT(!q->ordered || q->group == NULL || strstr(text, q->group->name) != NULL);
    memset(part, '#', sizeof(part));
    EXPECT(sett_query_explain(query, part, size) == length);
    size_t kept = size == 0 ? 0 : length < size ? length : size - 1;
    EXPECT(memcmp(part, text, kept) == 0);
    EXPECT(size == 0 || part[kept] == '\0');
    for (size_t k = size; k < sizeof(part); k++) {
        EXPECT(part[k] == '#');
    }
}

/* What a query says without a loop. */
static void look_ask(sett_query* query, look* q)
{
    EXPECT(sett_query_count(query) == q->expected);
    q->first = sett_query_first(query);
    EXPECT(sett_is_null(q->first) == (q->expected == 0));
    for (uint32_t k = 0; k < 4 && model.alive != 0; k++) {
        uint32_t index = some_live();
        EXPECT(sett_query_matches(query, model_handle(&model, index)) == look_accepts(q, index));
    }
    EXPECT(q->expected == 0 || sett_query_matches(query, q->first));
    EXPECT(!sett_query_matches(query, some_stale()));
    if (one_in(4)) {
        look_explain(query, q);
    }
}

static void look_run(sett_query* query, look* q)
{
    look_begin(query, q);
    if (q->expected > 200 && !afford((uint64_t)q->expected * (1 + q->term_count))) {
        return;
    }
    sett_query_set_since(query, q->since);
    look_ask(query, q);
    look_turn++;
    bool whole = look_loop(query, q, below(6));
    if (whole && q->exact) {
        EXPECT(q->visited == q->expected);
    } else if (whole) {
        EXPECT(q->visited >= q->expected);
    }
    EXPECT(model.world->locks == 0);
}

void op_query(void)
{
    uint32_t k = below(KEPT_QUERIES * 2);
    if (!afford(model.alive / 16)) {
        return;
    }
    if (k < KEPT_QUERIES && kept_queries[k].query != NULL) {
        look_run(kept_queries[k].query, &kept_queries[k].q);
        return;
    }
    look q;
    look_choose(&q);
    sett_query* query = sett_query_create(model.world, &q.desc);
    EXPECT(query != NULL);
    look_run(query, &q);
    sett_query_destroy(query);
}

/* Another one to be kept. */
void op_keep_query(void)
{
    uint32_t k = below(KEPT_QUERIES);
    sett_query_destroy(kept_queries[k].query);
    look_choose(&kept_queries[k].q);
    kept_queries[k].query = sett_query_create(model.world, &kept_queries[k].q.desc);
    EXPECT(kept_queries[k].query != NULL);
}

void explain_kept(void)
{
    for (uint32_t k = 0; k < KEPT_QUERIES; k++) {
        if (kept_queries[k].query != NULL) {
            look_plan(kept_queries[k].query, &kept_queries[k].q);
            look_explain(kept_queries[k].query, &kept_queries[k].q);
        }
    }
}

/* A loop that is left without its end stays open until all are closed. */
void op_leave_open(void)
{
    look q;
    look_choose(&q);
    if (!one_in(4) || !afford(model.alive / 16)) {
        return;
    }
    for (uint32_t k = 0; k < q.term_count; k++) {
        q.desc.terms[k].access = SETT_IN;
    }
    sett_query* query = sett_query_create(model.world, &q.desc);
    EXPECT(query != NULL);
    sett_batch batch;
    sett_batch* b = sett_query_begin(query, &batch);
    EXPECT(b == &batch);
    (void)sett_batch_next(b);
    EXPECT(sett_is_null(sett_entity_create(model.world)) && failed_with(SETT_STATUS_LOCKED));
    EXPECT(strstr(sett_world_message(model.world), "\"model\"") != NULL);
    sett_query_end_all(model.world);
    sett_query_destroy(query);
    op_create();
}
