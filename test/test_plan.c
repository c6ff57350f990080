/* test_plan.c: how a loop goes must not change what it does. The same entities are laid out in
 * every way there is (each type as an array and sparse-set, under groups that own, borrow and
 * track),
 * which forces each plan in turn; what every query then matches, in which order, and what its
 * batches write is compared with a naive scan. */
#include "sett/sett.h"
#include "worlds.h"

#include "query/query.h"

/* ---- The field: entities, and a model of them ------------------------------------------------ */

enum {
    A,
    B,
    C,
    T,
    O,
    TYPES
};

#define BIT(type) (1u << (type))
#define SLOTS 2700u /* three pages of 1,024, the last of them in part */

typedef struct field {
    sett_world* world;
    sett_component id[TYPES];
    bool sparse_set[TYPES];
    sett_entity entity[SLOTS]; /* by index */
    bool alive[SLOTS];
    uint32_t mask[SLOTS];
    uint32_t number[TYPES][SLOTS];
    uint32_t alive_count;
    uint64_t random;
    uint32_t serial;
} field;

static field the_field;

static const uint32_t sizes[TYPES] = {[A] = 8, [B] = 12, [C] = 4, [T] = 0, [O] = 20};

static uint32_t draw(field* f, uint32_t below)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (uint32_t)((f->random >> 20) % below);
}

static void field_set(field* f, uint32_t index, uint32_t type)
{
    uint32_t value[5] = {++f->serial, 0, 0, 0, 0};
    CHECK(sett_set(f->world, f->entity[index], f->id[type], value) != NULL);
    f->mask[index] |= BIT(type);
    f->number[type][index] = f->serial;
}

/* `percent`: how many of the entities have each type. */
static void field_begin(field* f, const uint32_t* percent)
{
    static const char* const names[TYPES] = {"Ant", "Bee", "Cat", "Tag", "Owl"};
    memset(f, 0, sizeof(*f));
    f->random = 0x9E3779B97F4A7C15u;
    f->world = quiet_world();
    for (uint32_t t = 0; t < TYPES; t++) {
        sett_component_desc desc = {
            .name = names[t], .size = sizes[t], .align = 4, .storage = SETT_STORAGE_ARRAY};
        desc.align = sizes[t] != 0 ? 4 : 1;
        f->id[t] = sett_component_register(f->world, &desc);
    }
    CHECK_EQ(sett_entity_create_many(f->world, SLOTS, NULL, 0, NULL, f->entity), SETT_OK);
    for (uint32_t k = 0; k < SLOTS; k++) {
        CHECK_EQ(f->entity[k].index, k);
        f->alive[k] = true;
    }
    /* In a shuffled order, so that sparse-set rows lie otherwise than indices. */
    for (uint32_t t = 0; t < TYPES; t++) {
        uint32_t start = draw(f, SLOTS);
        for (uint32_t k = 0; k < SLOTS; k++) {
            uint32_t index = (start + k * 1009) % SLOTS; /* 1,009 is a prime */
            if (draw(f, 100) < percent[t]) {
                field_set(f, index, t);
            }
        }
    }
    for (uint32_t k = 0; k < SLOTS / 20; k++) {
        uint32_t index = draw(f, SLOTS);
        sett_entity_destroy(f->world, f->entity[index]);
        f->alive[index] = false;
        f->mask[index] = 0;
    }
    f->alive_count = sett_entity_count(f->world);
}

static void field_convert(field* f, uint32_t type, bool sparse_set)
{
    sett_storage_kind kind = sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
    CHECK_EQ(sett_component_convert(f->world, f->id[type], kind), SETT_OK);
    f->sparse_set[type] = sparse_set;
    CHECK_EQ(setti_world_type(f->world, f->id[type])->storage.kind == SETTI_SPARSE, sparse_set);
    if (sparse_set) { /* converted in the order of indices: disturb it */
        for (uint32_t k = 0; k < SLOTS; k += 7) {
            if (f->alive[k] && (f->mask[k] & BIT(type)) != 0) {
                CHECK_EQ(sett_remove(f->world, f->entity[k], f->id[type]), SETT_OK);
                field_set(f, k, type);
            }
        }
    }
}

static void field_compare(const field* f)
{
    for (uint32_t index = 0; index < SLOTS; index++) {
        for (uint32_t t = 0; f->alive[index] && t < TYPES; t++) {
            const uint32_t* value = sett_find(f->world, f->entity[index], f->id[t]);
            CHECK_EQ(value != NULL, (f->mask[index] & BIT(t)) != 0);
            if (value != NULL && sizes[t] != 0) {
                CHECK_EQ(*value, f->number[t][index]);
            }
        }
    }
}

/* ---- Queries --------------------------------------------------------------------------------- */

#define QUERY_TERMS 5

typedef struct asked {
    uint32_t type;
    sett_access access;
    sett_term_kind kind;
} asked;

typedef struct question {
    const char* name;
    uint32_t count;
    asked term[QUERY_TERMS];
} question;

#define IN(t)                                                                                      \
    {                                                                                              \
        t, SETT_IN, SETT_WITH                                                                      \
    }
#define INOUT(t)                                                                                   \
    {                                                                                              \
        t, SETT_INOUT, SETT_WITH                                                                   \
    }
#define OUT(t)                                                                                     \
    {                                                                                              \
        t, SETT_OUT, SETT_WITH                                                                     \
    }
#define HAVING(t)                                                                                  \
    {                                                                                              \
        t, SETT_NONE, SETT_WITH                                                                    \
    }
#define LACKS(t)                                                                                   \
    {                                                                                              \
        t, SETT_NONE, SETT_WITHOUT                                                                 \
    }
#define MAY(t, access)                                                                             \
    {                                                                                              \
        t, access, SETT_OPTIONAL                                                                   \
    }
#define ANY(t, access)                                                                             \
    {                                                                                              \
        t, access, SETT_ANY                                                                        \
    }

static const question questions[] = {
    {"moves", 2, {INOUT(A), IN(B)}},
    {"overwrites", 3, {OUT(A), IN(B), HAVING(T)}},
    {"without a tag", 2, {IN(A), LACKS(T)}},
    {"three", 4, {IN(A), OUT(B), IN(C), LACKS(T)}},
    {"optional", 2, {INOUT(A), MAY(O, SETT_INOUT)}},
    {"optional and tags", 4, {IN(B), MAY(T, SETT_NONE), MAY(O, SETT_OUT), MAY(C, SETT_IN)}},
    {"any of two", 3, {INOUT(A), ANY(B, SETT_INOUT), ANY(C, SETT_IN)}},
    {"nothing but any", 2, {ANY(B, SETT_IN), ANY(T, SETT_NONE)}},
    {"nothing required", 2, {MAY(O, SETT_INOUT), LACKS(A)}},
    {"everything", 5, {IN(A), IN(B), IN(C), HAVING(T), MAY(O, SETT_IN)}},
    {"all entities", 0, {{0, SETT_IN, SETT_WITH}}},
    {"one", 1, {INOUT(C)}},
    {"presence", 2, {IN(B), HAVING(A)}},
    {"any of three", 5, {INOUT(A), ANY(C, SETT_IN), ANY(T, SETT_IN), ANY(O, SETT_OUT), LACKS(B)}},
    {"all written", 4, {INOUT(O), INOUT(A), INOUT(B), INOUT(C)}},
    {"tag", 1, {HAVING(T)}},
    {"tag without", 3, {HAVING(T), LACKS(C), LACKS(O)}},
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static bool question_matches(const question* q, uint32_t mask)
{
    bool any = true;
    bool met = false;
    for (uint32_t k = 0; k < q->count; k++) {
        bool has = (mask & BIT(q->term[k].type)) != 0;
        if ((q->term[k].kind == SETT_WITH && !has) || (q->term[k].kind == SETT_WITHOUT && has)) {
            return false;
        }
        if (q->term[k].kind == SETT_ANY) {
            any = false;
            met = met || has;
        }
    }
    return any || met;
}

static bool question_splits(const question* q) /* batches by what they have */
{
    for (uint32_t k = 0; k < q->count; k++) {
        if (q->term[k].kind == SETT_OPTIONAL || q->term[k].kind == SETT_ANY) {
            return true;
        }
    }
    return false;
}

static sett_query* question_prepare(const field* f, const question* q)
{
    sett_query_desc desc = {.name = q->name};
    for (uint32_t k = 0; k < q->count; k++) {
        desc.terms[k].component = f->id[q->term[k].type];
        desc.terms[k].access = q->term[k].access;
        desc.terms[k].kind = q->term[k].kind;
    }
    sett_query* query = sett_query_create(f->world, &desc);
    CHECK(query != NULL);
    return query;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

typedef enum way {
    WAY_GROUP,        /* all from what a group owns */
    WAY_PARTIAL,      /* a group, and further terms tested or fetched */
    WAY_SPARSE,       /* a sparse set drives */
    WAY_SPARSE_ALONE, /* and nothing else is asked */
    WAY_SET,          /* a tracked set's bitmap, with others or alone */
    WAY_PAGES,
    WAY_PAGES_TESTED, /* and sparse-set terms tested for each */
    WAY_ALL,          /* all entities */
    WAYS
} way;

static uint64_t ways_seen[WAYS];
static uint64_t gathered_seen;

static way way_of(const sett_query* query, const setti_plan* plan)
{
    if (plan->driver != SETT_QUERY_TERMS) {
        if (query->arranged != 0 && plan->in_place == query->arranged) {
            return plan->residual == 0 ? WAY_GROUP : WAY_PARTIAL;
        }
        return plan->residual == 0 ? WAY_SPARSE_ALONE : WAY_SPARSE;
    }
    if (query->array_count == 0) {
        return WAY_ALL;
    }
    if (query->cover != NULL && query->cover->owned.count == 0) {
        return WAY_SET;
    }
    return query->filter != 0 ? WAY_PAGES_TESTED : WAY_PAGES;
}

/* The entity indices in the order in which this loop has to bring them. */
static uint32_t expected_order(const field* f, const sett_query* query, const setti_plan* plan,
                               const question* q, uint32_t* order)
{
    uint32_t count = 0;
    if (plan->driver == SETT_QUERY_TERMS) {
        for (uint32_t index = 0; index < SLOTS; index++) {
            if (f->alive[index] && question_matches(q, f->mask[index])) {
                order[count++] = index;
            }
        }
        return count;
    }
    const setti_storage* storage = &query->term[plan->driver].type->storage;
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index != SETTI_NONE && question_matches(q, f->mask[index])) {
            order[count++] = index;
        }
    }
    return count;
}

/* What the words say has to be what is done, with the numbers. */
static void expect_explained(const field* f, sett_query* query, const question* q, way w,
                             const setti_plan* plan)
{
    char text[1000];
    char number[40];
    size_t length = sett_query_explain(query, text, sizeof(text));
    CHECK(length < sizeof(text) && strlen(text) == length);
    CHECK_MSG(strstr(text, q->name) != NULL && text[length - 1] == '.', "%s", text);
    const char* word = w == WAY_GROUP || w == WAY_PARTIAL         ? "group \""
                       : w == WAY_SPARSE || w == WAY_SPARSE_ALONE ? " drives with its "
                       : w == WAY_SET                             ? "tracked set \""
                       : w == WAY_ALL                             ? "all "
                                                                  : "entities with ";
    CHECK_MSG(strstr(text, word) != NULL, "%s", text);
    if (w == WAY_ALL) {
        snprintf(number, sizeof(number), "all %u entities", (unsigned)f->alive_count);
        CHECK_MSG(strstr(text, number) != NULL, "%s", text);
        return;
    }
    if (w == WAY_GROUP || w == WAY_PARTIAL || w == WAY_SET) {
        CHECK_MSG(strstr(text, query->cover->name) != NULL, "%s", text);
        uint32_t members = w == WAY_SET ? query->cover->members.count : query->cover->length;
        snprintf(number, sizeof(number), "%u", (unsigned)members);
        CHECK_MSG(strstr(text, number) != NULL, "%s", text);
    } else if (w == WAY_SPARSE || w == WAY_SPARSE_ALONE) {
        const setti_type* type = query->term[plan->driver].type;
        snprintf(number, sizeof(number), "%s drives with its %u rows", type->desc.name,
                 (unsigned)type->storage.count);
        CHECK_MSG(strstr(text, number) != NULL, "%s", text);
    }
    /* Every type that is required is named, with its count where it is not the group's. */
    for (uint32_t k = 0; k < q->count; k++) {
        const setti_type* type = query->term[k].type;
        bool covered = (query->covered >> k & 1) != 0 && w != WAY_SPARSE && w != WAY_SPARSE_ALONE;
        if (q->term[k].kind != SETT_WITH || covered || (plan->in_place & BIT(k)) != 0) {
            continue;
        }
        snprintf(number, sizeof(number), "%s (%u)", type->desc.name, (unsigned)type->storage.count);
        CHECK_MSG(strstr(text, number) != NULL, "%s", text);
    }
    /* As snprintf: cut, ended, and the whole length told. */
    char cut[20];
    memset(cut, 'x', sizeof(cut));
    CHECK_EQ(sett_query_explain(query, cut, 10), length);
    CHECK_EQ(cut[9], '\0');
    CHECK(memcmp(cut, text, 9) == 0 && cut[10] == 'x');
    CHECK_EQ(sett_query_explain(query, NULL, 0), length);
}

/* Writes through a batch, and checks what it shows before. */
static void visit_row(field* f, const question* q, sett_batch* b, uint32_t row, uint32_t index)
{
    CHECK_EQ(sett_batch_index(b, row), index);
    CHECK(sett_equals(sett_batch_entity(b, row), f->entity[index]));
    for (uint32_t k = 0; k < q->count; k++) {
        uint32_t t = q->term[k].type;
        bool has = (f->mask[index] & BIT(t)) != 0;
        CHECK_EQ(sett_batch_has(b, k), has && q->term[k].kind != SETT_WITHOUT);
        bool field_wanted = has && sizes[t] != 0 && q->term[k].access != SETT_NONE;
        unsigned char* values = sett_batch_field(b, k);
        CHECK_EQ(values != NULL, field_wanted);
        const uint32_t* direct = sett_batch_at(b, k, row);
        CHECK_EQ(direct != NULL, has);
        CHECK(direct == NULL || direct == sett_get(f->world, f->entity[index], f->id[t]));
        if (!field_wanted) {
            continue;
        }
        uint32_t* value = (uint32_t*)(void*)(values + (size_t)row * sizes[t]);
        if (q->term[k].access != SETT_OUT) {
            CHECK_EQ(*value, f->number[t][index]);
        }
        if (q->term[k].access == SETT_INOUT) {
            *value += 3;
            f->number[t][index] += 3;
        } else if (q->term[k].access == SETT_OUT) {
            memset(value, 0, sizes[t]); /* every byte of it */
            *value = ++f->serial;
            f->number[t][index] = f->serial;
        }
    }
}

/* One query, one layout. */
static void run_question(field* f, const question* q, sett_query* query)
{
    static uint32_t order[SLOTS];
    static bool met[SLOTS];
    setti_plan plan;
    setti_plan_update(query);
    setti_plan_make(query, &plan);
    way w = way_of(query, &plan);
    ways_seen[w]++;
    uint32_t count = expected_order(f, query, &plan, q, order);
    CHECK_EQ(sett_query_count(query), count);
    sett_entity first = sett_query_first(query);
    CHECK(count != 0 ? sett_equals(first, f->entity[order[0]]) : sett_is_null(first));
    expect_explained(f, query, q, w, &plan);
    memset(met, 0, sizeof(met));
    uint32_t visited = 0;
    SETT_QUERY_EACH(query, b) {
        CHECK(b->count > 0 && b->count <= SETT_BATCH_ROWS);
        CHECK_EQ(b->field_count, q->count);
        gathered_seen += setti_loop_of(b)->scratch != NULL;
        uint32_t previous = UINT32_MAX;
        uint32_t rows = 0;
        SETT_EACH(b, i) {
            CHECK(previous == UINT32_MAX || i > previous);
            previous = i;
            uint32_t index = sett_batch_index(b, i);
            CHECK(index < SLOTS && f->alive[index] && !met[index]);
            CHECK(question_matches(q, f->mask[index]));
            met[index] = true;
            if (!question_splits(q)) {
                CHECK_EQ(index, order[visited]);
            }
            visit_row(f, q, b, i, index);
            visited++;
            rows++;
        }
        CHECK_EQ(rows, b->count);
    }
    CHECK_EQ(visited, count);
    field_compare(f);
}

static void run_questions(field* f, sett_query* const* queries)
{
    for (uint32_t k = 0; k < QUESTIONS; k++) {
        run_question(f, &questions[k], queries[k]);
    }
    for (uint32_t index = 0; index < SLOTS; index += 3) {
        for (uint32_t k = 0; k < QUESTIONS; k++) {
            CHECK_EQ(sett_query_matches(queries[k], f->entity[index]),
                     f->alive[index] && question_matches(&questions[k], f->mask[index]));
        }
    }
}

typedef struct grouping {
    const char* name;
    uint32_t owned;
    uint32_t with;
    uint32_t without;
} grouping;

static const grouping groupings[] = {
    {"none", 0, 0, 0},
    {"full", BIT(A) | BIT(B), 0, 0},
    {"half", BIT(A), BIT(B), 0},
    {"three", BIT(A) | BIT(C), BIT(B), BIT(T)},
    {"alone", BIT(B), 0, BIT(T)},
    {"tagged", BIT(B) | BIT(T), BIT(A), 0},
    {"set", 0, BIT(A) | BIT(B), 0},
    {"unset", 0, BIT(A), BIT(T)},
    {"single", 0, BIT(C), 0},
};

#define GROUPINGS (sizeof(groupings) / sizeof(groupings[0]))

static sett_group* make_group(const field* f, const grouping* g)
{
    sett_group_desc desc = {.name = g->name};
    uint32_t count[3] = {0, 0, 0};
    for (uint32_t t = 0; t < TYPES; t++) {
        if ((g->owned & BIT(t)) != 0) {
            if (!f->sparse_set[t]) {
                return NULL;
            }
            desc.owned[count[0]++] = f->id[t];
        }
        if ((g->with & BIT(t)) != 0) {
            desc.with[count[1]++] = f->id[t];
        }
        if ((g->without & BIT(t)) != 0) {
            desc.without[count[2]++] = f->id[t];
        }
    }
    sett_group* group = sett_group_create(f->world, &desc);
    CHECK(group != NULL);
    return group;
}

/* All layouts of one of the fields; the queries live through all of them. */
static void run_layouts(uint32_t number, const uint32_t* percent)
{
    field* f = &the_field;
    field_begin(f, percent);
    sett_query* queries[QUESTIONS];
    for (uint32_t k = 0; k < QUESTIONS; k++) {
        queries[k] = question_prepare(f, &questions[k]);
    }
    for (uint32_t step = 0; step < 1u << TYPES; step++) {
        uint32_t layout = step ^ step >> 1; /* Gray code: one conversion a step */
        for (uint32_t t = 0; t < TYPES; t++) {
            if (f->sparse_set[t] != ((layout & BIT(t)) != 0)) {
                field_convert(f, t, (layout & BIT(t)) != 0);
            }
        }
        for (uint32_t g = 0; g < GROUPINGS; g++) {
            /* Sanitized: each layout with some groupings, each grouping with some layouts. */
            if ((step + g + number) % CHECK_STEP_OF(7) != 0) {
                continue;
            }
            sett_group* group = g != 0 ? make_group(f, &groupings[g]) : NULL;
            sett_group* set = g == 1 ? make_group(f, &groupings[6]) : NULL; /* owning goes first */
            if (g == 0 || group != NULL) {
                run_questions(f, queries);
            }
            CHECK_EQ(sett_group_destroy(set), SETT_OK);
            CHECK_EQ(sett_group_destroy(group), SETT_OK);
        }
        CHECK_VALID(f->world);
    }
    CHECK_END(f->world);
}

static void every_layout_gives_what_a_naive_scan_gives(void)
{
    static const uint32_t percents[][TYPES] = {
        {90, 80, 70, 60, 50}, /* all common */
        {100, 100, 2, 30, 5}, /* dense, with rare ones */
        {3, 60, 50, 2, 90},   /* the first is rare */
        {40, 1, 0, 95, 0},    /* some are not there at all */
    };
    for (uint32_t k = 0; k < 4; k++) {
        run_layouts(k, percents[k]);
    }
    static const char* const names[WAYS] = {
        "group", "partial group", "sparse-set",           "sparse-set alone",
        "set",   "pages",         "pages and sparse-set", "all"};
    for (uint32_t w = 0; w < WAYS; w++) {
        CHECK_MSG(ways_seen[w] != 0, "no loop went by way of %s", names[w]);
        printf("  %s: %llu loops\n", names[w], (unsigned long long)ways_seen[w]);
    }
    CHECK(gathered_seen > CHECK_ROUNDS(1000));
}

/* ---- Sparse indices -------------------------------------------------------------------------- */

/* Entities far apart, with missing pages in between, and the extents of pools apart. */
static void missing_pages_are_skipped(void)
{
    sett_world* world = quiet_world();
    sett_component a =
        sett_component_register(world, &(sett_component_desc){.name = "A", .size = 8, .align = 8});
    sett_component_desc wide = {.name = "W", .size = 256};
    sett_component w = sett_component_register(world, &wide);
    sett_component tag = SETT_REGISTER_TAG(world, Tag);
    static const uint32_t indices[] = {0,     1,     63,    64,    1023,   1024,   8191,  8192,
                                       20000, 20001, 40959, 40960, 300000, 300001, 999999};
    enum {
        COUNT = sizeof(indices) / sizeof(indices[0])
    };
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity e = sett_entity_from_u64((uint64_t)1 << 32 | indices[k]);
        uint64_t value = indices[k];
        CHECK_EQ(sett_entity_create_handle(world, e), SETT_OK);
        CHECK(sett_set(world, e, a, &value) != NULL);
        if (k % 2 == 0) {
            CHECK(sett_add(world, e, w) != NULL);
        }
        if (k % 3 != 0) {
            CHECK(sett_add(world, e, tag) != NULL);
        }
    }
    for (uint32_t round = 0; round < 4; round++) {
        bool with_w = (round & 1) != 0;
        bool with_tag = (round & 2) != 0;
        sett_query_desc desc = {.terms = {{.component = a, .access = SETT_IN}}};
        desc.terms[1].component = w;
        desc.terms[1].kind = with_w ? SETT_WITH : SETT_WITHOUT;
        desc.terms[2].component = with_tag ? tag : 0;
        sett_query* query = sett_query_create(world, &desc);
        uint32_t k = 0;
        uint32_t seen = 0;
        SETT_QUERY_EACH(query, b) {
            const uint64_t* values = sett_batch_field(b, 0);
            SETT_EACH(b, i) {
                while (k < COUNT && (values[i] != indices[k])) {
                    CHECK((k % 2 == 0) != with_w || (with_tag && k % 3 == 0));
                    k++;
                }
                CHECK(k < COUNT);
                CHECK_EQ(sett_batch_index(b, i), indices[k]);
                k++;
                seen++;
            }
        }
        CHECK(seen > 0);
        CHECK_EQ(seen, sett_query_count(query));
        sett_query_destroy(query);
    }
    CHECK_END(world);
}

/* ---- Changed since --------------------------------------------------------------------------- */

/* Which entities a query brings, as a set of indices. */
static uint32_t collect(sett_query* query, bool* met, uint32_t size)
{
    uint32_t count = 0;
    memset(met, 0, size);
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, i) {
            uint32_t index = sett_batch_index(b, i);
            CHECK(index < size && !met[index]);
            met[index] = true;
            count++;
        }
    }
    CHECK_EQ(count, sett_query_count(query));
    for (uint32_t index = 0; index < size; index++) {
        CHECK_EQ(sett_query_matches(query, sett_entity_at(query->world, index)), met[index]);
    }
    return count;
}

static void changed_terms_bring_what_was_written(void)
{
    enum {
        COUNT = 5000
    };
    static bool met[COUNT];
    static bool written[COUNT];
    for (uint32_t layout = 0; layout < 8; layout++) {
        bool exact = (layout & 1) != 0;
        bool sparse_set = (layout & 2) != 0;
        bool owned = (layout & 4) != 0;
        if (owned && !sparse_set) {
            continue;
        }
        sett_world* world = quiet_world();
        sett_component_desc desc = {.name = "X", .size = 8, .track_rows = exact};
        desc.storage = sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
        sett_component x = sett_component_register(world, &desc);
        sett_component_desc other = {.name = "Y", .size = 8, .storage = desc.storage};
        sett_component y = sett_component_register(world, &other);
        sett_entity e[COUNT];
        CHECK_EQ(sett_entity_create_many(world, COUNT, (const sett_component[]){x, y}, 2, NULL, e),
                 SETT_OK);
        sett_group* group =
            owned ? sett_group_create(world, &(sett_group_desc){.owned = {x, y}}) : NULL;
        CHECK_EQ(group != NULL, owned);
        sett_query_desc changed = {
            "changed",
            {{.component = x, .access = SETT_IN, .kind = SETT_WITH, .changed = true},
             {.component = y, .access = SETT_IN, .kind = SETT_WITH}}};
        sett_query_desc writer = {"writer",
                                  {{.component = x, .access = SETT_INOUT, .kind = SETT_WITH}}};
        sett_query_desc reader = {"reader",
                                  {{.component = x, .access = SETT_IN, .kind = SETT_WITH}}};
        sett_query* query = sett_query_create(world, &changed);
        sett_query* writes = sett_query_create(world, &writer);
        sett_query* reads = sett_query_create(world, &reader);
        CHECK_EQ(collect(query, met, COUNT), COUNT); /* since the beginning of time */
        uint64_t seen = sett_world_tick(world);
        sett_world_advance_tick(world);
        sett_query_set_since(query, seen);
        CHECK_EQ(collect(query, met, COUNT), 0);
        CHECK_EQ(collect(reads, met, COUNT), COUNT); /* reading is no change */
        CHECK_EQ(collect(query, met, COUNT), 0);

        memset(written, 0, sizeof(written));
        uint64_t value = 1;
        static const uint32_t touched[] = {3, 700, 701, 1024, 4999};
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t index = touched[k];
            written[index] = true;
            CHECK(k % 2 == 0 ? sett_set(world, e[index], x, &value) != NULL
                             : sett_get_mut(world, e[index], x) != NULL);
        }
        CHECK(sett_get(world, e[2000], x) != NULL);
        CHECK(sett_ensure(world, e[3000], x) != NULL);
        written[3000] = true;
        uint32_t count = collect(query, met, COUNT);
        CHECK(exact ? count == 6 : count >= 6 && count <= 5 * 1024);
        for (uint32_t k = 0; k < COUNT; k++) {
            CHECK(exact ? met[k] == written[k] : met[k] || !written[k]);
        }
        CHECK(!met[3500]); /* a page without writes */

        /* A loop that declares inout writes what it visits. */
        seen = sett_world_tick(world);
        sett_world_advance_tick(world);
        sett_query_set_since(query, seen);
        CHECK_EQ(collect(query, met, COUNT), 0);
        uint32_t batches = 0;
        memset(written, 0, sizeof(written));
        SETT_QUERY_EACH(writes, b) {
            SETT_EACH(b, i) {
                written[sett_batch_index(b, i)] = true;
            }
            if (++batches == 2) {
                break;
            }
        }
        collect(query, met, COUNT);
        for (uint32_t k = 0; k < COUNT; k++) {
            CHECK(exact ? met[k] == written[k] : met[k] || !written[k]);
        }
        /* Additions are writes, and layouts that change keep what is known, or know less. */
        seen = sett_world_tick(world);
        sett_world_advance_tick(world);
        sett_query_set_since(query, seen);
        CHECK_EQ(sett_remove(world, e[10], x), SETT_OK);
        CHECK(sett_add(world, e[10], x) != NULL);
        count = collect(query, met, COUNT);
        CHECK(met[10] && (!exact || count == 1));
        if (!owned) {
            CHECK_EQ(sett_component_convert(
                         world, x, sparse_set ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET),
                     SETT_OK);
            count = collect(query, met, COUNT);
            CHECK(met[10] && (!exact || count == 1));
        }
        CHECK_END(world);
    }
}

/* Gathered fields are written too, exactly those that are visited. */
static void changed_terms_see_gathered_writes(void)
{
    enum {
        COUNT = 3000
    };
    static bool met[COUNT];
    sett_world* world = quiet_world();
    sett_component_desc x_desc = {
        .name = "X", .size = 8, .track_rows = true, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component_desc few_desc = {.name = "Few", .size = 8, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component x = sett_component_register(world, &x_desc);
    sett_component few = sett_component_register(world, &few_desc);
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity e = sett_entity_create(world);
        CHECK(sett_add(world, e, x) != NULL);
        CHECK(k % 10 != 0 || sett_add(world, e, few) != NULL);
    }
    sett_query_desc changed = {
        "changed", {{.component = x, .access = SETT_IN, .kind = SETT_WITH, .changed = true}}};
    sett_query* query = sett_query_create(world, &changed);
    for (uint32_t access = SETT_INOUT; access <= SETT_NONE; access++) {
        sett_query_desc desc = {
            "gather",
            {{.component = few, .access = SETT_IN, .kind = SETT_WITH},
             {.component = x, .access = (sett_access)access, .kind = SETT_WITH}}};
        sett_query* gather = sett_query_create(world, &desc);
        sett_query_set_since(query, sett_world_tick(world));
        sett_world_advance_tick(world);
        CHECK_EQ(collect(gather, met, COUNT), COUNT / 10);
        bool writes = access == SETT_INOUT || access == SETT_OUT;
        CHECK_EQ(collect(query, met, COUNT), writes ? COUNT / 10 : 0);
        for (uint32_t k = 0; k < COUNT; k++) {
            CHECK_EQ(met[k], writes && k % 10 == 0);
        }
    }
    CHECK_END(world);
}

/* ---- Conversion ------------------------------------------------------------------------------ */

/* Values that know where they lie, and count how often they moved. */
typedef struct anchored {
    struct anchored* self;
    uint32_t number;
    uint32_t moves;
} anchored;

static void anchored_init(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        ((anchored*)values)[k] = (anchored){(anchored*)values + k, 0, 0};
    }
}

static void anchored_move(void* to, void* from, uint32_t count, void* user)
{
    anchored* t = to;
    anchored* f = from;
    ++*(uint32_t*)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(f[k].self, &f[k]);
        t[k] = (anchored){&t[k], f[k].number, f[k].moves + 1};
        memset(&f[k], 0xEE, sizeof(f[k]));
    }
}

static void anchored_deinit(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(((anchored*)values)[k].self, (anchored*)values + k);
    }
}

static void converting_moves_every_value_once(void)
{
    enum {
        COUNT = 3000
    };
    sett_world* world = quiet_world();
    uint32_t moves = 0;
    sett_component_desc desc = {.name = "anchored",
                                .size = sizeof(anchored),
                                .storage = SETT_STORAGE_ARRAY,
                                .init = anchored_init,
                                .deinit = anchored_deinit,
                                .move = anchored_move,
                                .user = &moves};
    sett_component x = sett_component_register(world, &desc);
    sett_query* query = sett_query_create(world, &(sett_query_desc){.terms = {{.component = x}}});
    sett_entity e[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        e[k] = sett_entity_create(world);
        if (k % 3 != 0) {
            ((anchored*)sett_add(world, e[k], x))->number = k;
        }
    }
    for (uint32_t round = 1; round <= 5; round++) {
        bool sparse_set = round % 2 != 0;
        moves = 0;
        CHECK_EQ(sett_component_convert(world, x,
                                        sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY),
                 SETT_OK);
        CHECK_EQ(moves, COUNT - COUNT / 3);
        CHECK_EQ(sett_component_convert(
                     world, x, sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_DEFAULT),
                 SETT_OK); /* it is that already */
        CHECK_EQ(moves, COUNT - COUNT / 3);
        sett_component_desc now;
        CHECK_EQ(sett_component_describe(world, x, &now), SETT_OK);
        CHECK_EQ(now.storage, sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY);
        for (uint32_t k = 0; k < COUNT; k++) {
            const anchored* value = sett_find(world, e[k], x);
            CHECK_EQ(value != NULL, k % 3 != 0);
            CHECK(value == NULL ||
                  (value->self == value && value->number == k && value->moves == round));
        }
        uint32_t seen = 0;
        SETT_QUERY_EACH(query, b) {
            seen += b->count;
        }
        CHECK_EQ(seen, COUNT - COUNT / 3);
        CHECK_VALID(world);
    }
    CHECK_END(world);
}

static void tags_convert_like_any_type(void)
{
    for (uint32_t tracked = 0; tracked < 2; tracked++) {
        sett_world* world = quiet_world();
        sett_component_desc desc = {.name = "tag", .track_rows = tracked != 0};
        sett_component tag = sett_component_register(world, &desc);
        sett_component_desc dont_fragment_desc = {.name = "dont_fragment", .dont_fragment = true};
        sett_component dont_fragment = sett_component_register(world, &dont_fragment_desc);
        sett_component m = sett_component_register(
            world, &(sett_component_desc){.name = "M", .size = 4, .align = 4});
        sett_query* query =
            sett_query_create(world, &(sett_query_desc){.terms = {{.component = tag},
                                                                  {.component = dont_fragment},
                                                                  {.component = m}}});
        sett_entity e[2000];
        for (uint32_t k = 0; k < 2000; k++) {
            e[k] = sett_entity_create(world);
            CHECK(sett_add(world, e[k], m) != NULL);
            CHECK(k % 2 != 0 || sett_add(world, e[k], tag) != NULL);
            CHECK(k % 3 != 0 || sett_add(world, e[k], dont_fragment) != NULL);
        }
        for (uint32_t round = 0; round < 8; round++) {
            sett_storage_kind kind = round % 2 == 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
            CHECK_EQ(sett_component_convert(world, round % 4 < 2 ? tag : dont_fragment, kind),
                     SETT_OK);
            CHECK_EQ(sett_query_count(query), (2000 + 5) / 6);
            for (uint32_t k = 0; k < 2000; k++) {
                CHECK_EQ(sett_has(world, e[k], tag), k % 2 == 0);
                CHECK_EQ(sett_has(world, e[k], dont_fragment), k % 3 == 0);
            }
            CHECK_EQ(sett_remove(world, e[6], tag), SETT_OK);
            CHECK(sett_add(world, e[6], tag) != NULL);
            CHECK_VALID(world);
        }
        CHECK_END(world);
    }
}

static void conversions_that_make_no_sense_are_rejected(void)
{
    sett_world* world = quiet_world();
    sett_component_desc keep = {.name = "kept", .size = 4, .keep_order = true};
    sett_component_desc huge = {
        .name = "huge", .size = (size_t)2 << 20, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component_desc own = {.name = "owned", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component k = sett_component_register(world, &keep);
    sett_component h = sett_component_register(world, &huge);
    sett_component o = sett_component_register(world, &own);
    sett_group* group = sett_group_create(world, &(sett_group_desc){.name = "G", .owned = {o}});
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, k) != NULL && sett_add(world, e, o) != NULL);
    CHECK_EQ(sett_component_convert(world, k, SETT_STORAGE_ARRAY), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "kept") != NULL);
    CHECK_EQ(sett_component_convert(world, h, SETT_STORAGE_ARRAY), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_component_convert(world, h, (sett_storage_kind)77), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_component_convert(world, 999, SETT_STORAGE_ARRAY), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_component_convert(world, o, SETT_STORAGE_ARRAY), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "\"G\"") != NULL);
    CHECK_EQ(sett_group_destroy(group), SETT_OK);
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.name = "open", .terms = {{.component = o}}});
    SETT_QUERY_EACH(query, b) {
        CHECK_EQ(b->count, 1);
        CHECK_EQ(sett_component_convert(world, o, SETT_STORAGE_ARRAY), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "open") != NULL);
    }
    CHECK_EQ(sett_component_convert(world, o, SETT_STORAGE_ARRAY), SETT_OK);
    CHECK_END(world);
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Two worlds with the same entities and components, by different ways. */
static void the_choice_depends_on_what_is_there(void)
{
    enum {
        COUNT = 3000
    };
    char texts[2][8][600];
    for (uint32_t history = 0; history < 2; history++) {
        sett_world* world = quiet_world();
        const sett_component_desc descs[] = {
            {.name = "M", .size = 8},
            {.name = "N", .size = 200},
            {.name = "P", .size = 8, .storage = SETT_STORAGE_SPARSE_SET},
            {.name = "Q", .size = 8, .storage = SETT_STORAGE_SPARSE_SET},
            {.name = "K", .size = 8, .keep_order = true},
            {.name = "T"},
        };
        sett_component id[6];
        for (uint32_t t = 0; t < 6; t++) {
            id[t] = sett_component_register(world, &descs[t]);
        }
        static sett_entity e[COUNT];
        CHECK_EQ(sett_entity_create_many(world, COUNT, NULL, 0, NULL, e), SETT_OK);
        sett_group_desc desc = {.name = "G", .owned = {id[2], id[3]}};
        sett_group* group = history == 0 ? sett_group_create(world, &desc) : NULL;
        if (history == 1) { /* all entities had all types once, and K has gaps in the end */
            for (uint32_t k = 0; k < COUNT; k++) {
                for (uint32_t t = 0; t < 6; t++) {
                    CHECK(sett_add(world, e[k], id[t]) != NULL);
                }
            }
        }
        for (uint32_t k = 0; k < COUNT; k++) {
            uint32_t index = history == 0 ? k : COUNT - 1 - k;
            const bool has[6] = {index % 2 == 0 && index < 2500,
                                 index % 3 == 0,
                                 index % 4 == 0,
                                 index % 5 < 3,
                                 index % 50 == 0,
                                 index % 2 == 1};
            for (uint32_t t = 0; t < 6; t++) {
                if (has[t]) {
                    CHECK(sett_ensure(world, e[index], id[t]) != NULL);
                } else if (sett_has(world, e[index], id[t])) {
                    CHECK_EQ(sett_remove(world, e[index], id[t]), SETT_OK);
                }
            }
        }
        group = history == 1 ? sett_group_create(world, &desc) : group;
        CHECK(group != NULL);
        const uint32_t terms[8][3] = {{0, 1, 9}, {0, 5, 9}, {0, 4, 9}, {2, 3, 9},
                                      {2, 3, 4}, {4, 9, 9}, {0, 2, 9}, {9, 9, 9}};
        for (uint32_t q = 0; q < 8; q++) {
            sett_query_desc query = {.name = "same"};
            for (uint32_t k = 0; k < 3 && terms[q][k] != 9; k++) {
                query.terms[k].component = id[terms[q][k]];
            }
            sett_query* asked_query = sett_query_create(world, &query);
            CHECK(sett_query_explain(asked_query, texts[history][q], 600) < 600);
        }
        CHECK_END(world);
    }
    for (uint32_t q = 0; q < 8; q++) {
        CHECK_STR_EQ(texts[0][q], texts[1][q]);
    }
}

/* Counts move a query from one plan to another: here where looking all of M's
 * entities up in P, and gathering what P has, costs less than gathering M's values and back. */
static void few_enough_drive(void)
{
    sett_world* world = quiet_world();
    sett_component m =
        sett_component_register(world, &(sett_component_desc){.name = "M", .size = 4, .align = 4});
    sett_component_desc desc = {.name = "P", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component p = sett_component_register(world, &desc);
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){
                   .name = "q", .terms = {{.component = m}, {.component = p, .access = SETT_IN}}});
    sett_entity e[1000];
    for (uint32_t k = 0; k < 1000; k++) {
        e[k] = sett_entity_create(world);
        CHECK(sett_add(world, e[k], m) != NULL);
    }
    char text[400];
    for (uint32_t k = 0; k < 1000; k++) {
        sett_query_explain(query, text, sizeof(text));
        CHECK_EQ(strstr(text, "drives") != NULL, k <= 757);
        CHECK_EQ(strstr(text, "found by bits") != NULL, k > 757);
        CHECK_EQ(sett_query_count(query), k);
        CHECK(sett_add(world, e[(k * 7) % 1000], p) != NULL);
    }
    CHECK_END(world);
}

/* What the description says drives, whatever it costs: one sparse set instead of a smaller one, and
 * an array instead of both. */
static void the_driver_is_said(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "M", .size = 4};
    sett_component ids[3];
    for (uint32_t k = 0; k < 3; k++) {
        desc.name = k == 0 ? "M" : k == 1 ? "Small" : "Large";
        desc.storage = k != 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
        ids[k] = sett_component_register(world, &desc);
    }
    for (uint32_t k = 0; k < 1000; k++) {
        sett_entity e = sett_entity_create(world);
        CHECK(sett_add(world, e, ids[0]) != NULL);
        CHECK(k % 50 != 0 || sett_add(world, e, ids[1]) != NULL);
    }
    for (uint32_t k = 1000; k-- != 0;) { /* rows against the order of entities */
        CHECK(sett_add(world, sett_entity_at(world, k), ids[2]) != NULL);
    }
    static const char* const says[] = {"entities with M", "Small drives with its 20 rows",
                                       "Large drives with its 1000 rows"};
    for (uint32_t d = 0; d < 3; d++) {
        sett_query_desc q = {.terms = {{ids[0], .access = SETT_IN},
                                       {ids[1], .access = SETT_IN},
                                       {ids[2], .access = SETT_IN}}};
        q.terms[d].drives = true;
        sett_query* query = sett_query_create(world, &q);
        char text[400];
        sett_query_explain(query, text, sizeof(text));
        CHECK_MSG(strstr(text, says[d]) != NULL && strstr(text, "the query says so") != NULL, "%s",
                  text);
        uint32_t count = 0;
        uint32_t last = d == 2 ? UINT32_MAX : 0;
        SETT_FOR(query, b, i) {
            uint32_t index = sett_batch_entity(b, i).index;
            CHECK_EQ(index % 50, 0);
            CHECK(count == 0 || (d == 2 ? index < last : index > last));
            last = index;
            count++;
        }
        CHECK_EQ(count, 20);
        q.terms[(d + 1) % 3].drives = true;
        CHECK(sett_query_create(world, &q) == NULL);
        q.terms[(d + 1) % 3].drives = false;
        q.terms[d].kind = SETT_OPTIONAL;
        CHECK(sett_query_create(world, &q) == NULL);
    }
    CHECK_END(world);
}

/* The same counts, and rows in the order of the entities or not: out of order, driving costs more.
 */
static void order_counts(void)
{
    for (uint32_t step = 1; step <= 1001; step += 1000) {
        sett_world* world = quiet_world();
        sett_component m = sett_component_register(
            world, &(sett_component_desc){.name = "M", .size = 4, .align = 4});
        sett_component_desc desc = {.name = "P", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
        sett_component p = sett_component_register(world, &desc);
        sett_query* query = sett_query_create(
            world,
            &(sett_query_desc){.name = "q",
                               .terms = {{.component = m}, {.component = p, .access = SETT_IN}}});
        sett_entity e[4096];
        for (uint32_t k = 0; k < 4096; k++) {
            e[k] = sett_entity_create(world);
            CHECK(sett_add(world, e[k], m) != NULL);
        }
        for (uint32_t k = 0; k < 4096 * 6 / 10; k++) {
            CHECK(sett_add(world, e[k * step % 4096], p) != NULL);
        }
        char text[400];
        sett_query_explain(query, text, sizeof(text));
        CHECK_EQ(strstr(text, "drives") != NULL, step == 1);
        CHECK_END(world);
    }
}

/* Every plan can be forced, and gives the same. */
static void plans_can_be_forced(void)
{
    sett_world* world = quiet_world();
    sett_component m =
        sett_component_register(world, &(sett_component_desc){.name = "M", .size = 4, .align = 4});
    sett_component_desc desc = {.name = "P", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component p = sett_component_register(world, &desc);
    for (uint32_t k = 0; k < 3000; k++) {
        sett_entity e = sett_entity_create(world);
        uint32_t value = k;
        CHECK(k % 2 != 0 || sett_set(world, e, m, &value) != NULL);
        CHECK(k % 3 != 0 || sett_set(world, e, p, &value) != NULL);
    }
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.terms = {{.component = m}, {.component = p}}});
    for (uint32_t taken = SETTI_WAY_CHOSEN; taken <= SETTI_WAY_PAGES; taken++) {
        uint32_t matches = 0;
        query->forced = (setti_way)taken;
        for (uint32_t round = 0; taken != SETTI_WAY_ARRANGED && round < 2; round++) {
            SETT_QUERY_EACH(query, b) {
                CHECK_EQ(setti_loop_of(b)->driver == SETT_QUERY_TERMS || taken != SETTI_WAY_PAGES,
                         true);
                CHECK_EQ(setti_loop_of(b)->driver == 1 || taken != SETTI_WAY_SPARSE, true);
                uint32_t* x = sett_batch_field(b, 0);
                const uint32_t* y = sett_batch_field(b, 1);
                SETT_EACH(b, i) {
                    CHECK_EQ(x[i] % 3, 0);
                    CHECK_EQ(x[i], y[i]);
                    matches++;
                }
            }
        }
        CHECK_EQ(matches, taken == SETTI_WAY_ARRANGED ? 0 : 1000);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(every_layout_gives_what_a_naive_scan_gives), TEST(missing_pages_are_skipped),
          TEST(changed_terms_bring_what_was_written), TEST(changed_terms_see_gathered_writes),
          TEST(converting_moves_every_value_once), TEST(tags_convert_like_any_type),
          TEST(conversions_that_make_no_sense_are_rejected),
          TEST(the_choice_depends_on_what_is_there), TEST(few_enough_drive),
          TEST(the_driver_is_said), TEST(order_counts), TEST(plans_can_be_forced))
