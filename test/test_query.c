/* test_query.c: what loops visit, in which order, with which fields; what is rejected while they
 * run. */
#include "chance.h"
#include "sett/hierarchy.h"
#include "sett/sett.h"
#include "worlds.h"

#define ENTITIES 6000u

enum {
    ARRAY,
    WIDE,
    SPARSE,
    RARE,
    KEPT,
    TAG,
    DONT_FRAGMENT,
    TYPES
};

typedef struct scene {
    sett_world* world;
    sett_component id[TYPES];
    sett_entity entity[ENTITIES];
} scene;

/* Which entities have which type: by their number. */
static bool in_scene(uint32_t type, uint32_t k)
{
    static const uint32_t every[] = {1, 3, 2, 40, 7, 5, 4};
    return type == ARRAY ? k % 1500 < 1400 : k % every[type] == 0;
}

static void scene_begin(scene* s)
{
    static const sett_component_desc types[] = {
        {.name = "array", .size = 4},
        {.name = "wide", .size = 64, .align = 64, .track_rows = true},
        {.name = "sparse-set", .size = 4, .storage = SETT_STORAGE_SPARSE_SET, .track_rows = true},
        {.name = "rare", .size = 400},
        {.name = "kept", .size = 12, .keep_order = true},
        {.name = "tag"},
        {.name = "dont_fragment", .dont_fragment = true}};
    s->world = quiet_world();
    for (uint32_t type = 0; type < TYPES; type++) {
        s->id[type] = sett_component_register(s->world, &types[type]);
        CHECK(s->id[type] != 0);
    }
    CHECK_EQ(sett_entity_create_many(s->world, ENTITIES, NULL, 0, NULL, s->entity), SETT_OK);
    for (uint32_t n = 0; n < ENTITIES; n++) {
        uint32_t k = n * 1237 % ENTITIES; /* sparse-set rows are not in the order of indices */
        for (uint32_t type = 0; type < TYPES; type++) {
            if (in_scene(type, k)) {
                uint32_t* value = sett_add(s->world, s->entity[k], s->id[type]);
                CHECK(value != NULL);
                if (type < TAG) {
                    *value = k * 10 + type;
                }
            }
        }
    }
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
}

typedef struct wish {
    uint32_t type;
    sett_term_kind kind;
    sett_access access;
} wish;

static sett_query* make_query(const scene* s, const wish* wishes, uint32_t count)
{
    sett_query_desc desc = {.name = "wishes"};
    for (uint32_t k = 0; k < count; k++) {
        desc.terms[k].component = s->id[wishes[k].type];
        desc.terms[k].kind = wishes[k].kind;
        desc.terms[k].access = wishes[k].access;
    }
    sett_query* query = sett_query_create(s->world, &desc);
    CHECK(query != NULL);
    return query;
}

static bool matches(const wish* wishes, uint32_t count, uint32_t k)
{
    bool match = true;
    for (uint32_t w = 0; w < count; w++) {
        bool has = in_scene(wishes[w].type, k);
        match = match && (wishes[w].kind == SETT_OPTIONAL || has == (wishes[w].kind == SETT_WITH));
    }
    return match;
}

static void expect_fields(const sett_batch* b, const wish* wishes, uint32_t count, uint32_t row,
                          uint32_t k)
{
    for (uint32_t w = 0; w < count; w++) {
        static const size_t sizes[] = {4, 64, 4, 400, 12, 0, 0};
        const wish* wanted = &wishes[w];
        bool there = in_scene(wanted->type, k) && sizes[wanted->type] != 0 &&
                     wanted->access != SETT_NONE && wanted->kind != SETT_WITHOUT;
        const unsigned char* field = sett_batch_field(b, w);
        CHECK_EQ(field != NULL, there);
        if (there) {
            uint32_t value;
            memcpy(&value, field + row * sizes[wanted->type], sizeof(value));
            CHECK_EQ(value, k * 10 + wanted->type);
        }
    }
}

/* Every entity that matches, once, with its values. */
static void expect_loop(const scene* s, const wish* wishes, uint32_t count)
{
    static bool visited[ENTITIES];
    memset(visited, 0, sizeof(visited));
    uint32_t expected = 0;
    uint32_t found = 0;
    for (uint32_t k = 0; k < ENTITIES; k++) {
        expected += matches(wishes, count, k);
    }
    sett_query* query = make_query(s, wishes, count);
    CHECK_EQ(sett_query_count(query), expected);
    SETT_QUERY_EACH(query, b) {
        CHECK(b->count > 0 && b->count <= SETT_BATCH_ROWS);
        SETT_EACH(b, row) {
            sett_entity e = sett_batch_entity(b, row);
            CHECK(sett_entity_valid(s->world, e) && e.index < ENTITIES && !visited[e.index]);
            CHECK_EQ(sett_batch_index(b, row), e.index);
            CHECK(matches(wishes, count, e.index));
            expect_fields(b, wishes, count, row, e.index);
            visited[e.index] = true;
            found++;
        }
    }
    CHECK_EQ(found, expected);
    for (uint32_t part = 0; part < 3; part++) {
        SETT_FOR_PART(query, part, 3, b, row)
        {
            uint32_t k = sett_batch_index(b, row);
            CHECK(visited[k]);
            expect_fields(b, wishes, count, row, k);
            visited[k] = false;
            found--;
        }
    }
    CHECK_EQ(found, 0);
    SETT_FOR_PART(query, 3, 3, b, row)
    { /* there is no such part */
        CHECK(false);
    }
    sett_query_destroy(query);
}

static void every_pair_of_terms(void)
{
    static scene s;
    scene_begin(&s);
    expect_loop(&s, NULL, 0);
    for (uint32_t a = 0; a < TYPES; a++) {
        for (uint32_t kind_a = 0; kind_a < 3; kind_a++) {
            for (uint32_t b = 0; b < TYPES; b++) {
                for (uint32_t kind_b = 0; kind_b < 3; kind_b++) {
                    const wish wishes[] = {{a, (sett_term_kind)kind_a, SETT_IN},
                                           {b, (sett_term_kind)kind_b, (sett_access)(b % 2)}};
                    expect_loop(&s, wishes, a == b ? 1 : 2);
                }
            }
        }
    }
    scene_end(&s);
}

static void many_terms(void)
{
    static scene s;
    scene_begin(&s);
    static const wish some[][7] = {{{ARRAY, SETT_WITH, SETT_IN},
                                    {WIDE, SETT_WITH, SETT_INOUT},
                                    {SPARSE, SETT_WITH, SETT_INOUT},
                                    {KEPT, SETT_OPTIONAL, SETT_INOUT},
                                    {TAG, SETT_WITHOUT, SETT_IN},
                                    {DONT_FRAGMENT, SETT_OPTIONAL, SETT_IN},
                                    {RARE, SETT_OPTIONAL, SETT_IN}},
                                   {{RARE, SETT_WITH, SETT_INOUT},
                                    {KEPT, SETT_WITHOUT, SETT_IN},
                                    {SPARSE, SETT_WITH, SETT_IN},
                                    {WIDE, SETT_OPTIONAL, SETT_INOUT},
                                    {ARRAY, SETT_WITH, SETT_NONE},
                                    {DONT_FRAGMENT, SETT_WITH, SETT_IN},
                                    {TAG, SETT_OPTIONAL, SETT_NONE}},
                                   {{KEPT, SETT_WITH, SETT_IN},
                                    {SPARSE, SETT_WITH, SETT_INOUT},
                                    {RARE, SETT_OPTIONAL, SETT_INOUT},
                                    {TAG, SETT_OPTIONAL, SETT_IN},
                                    {DONT_FRAGMENT, SETT_WITHOUT, SETT_IN},
                                    {ARRAY, SETT_OPTIONAL, SETT_INOUT},
                                    {WIDE, SETT_WITHOUT, SETT_IN}}};
    for (uint32_t k = 0; k < 3; k++) {
        expect_loop(&s, some[k], 7);
    }
    scene_end(&s);
}

/* ---- Order ----------------------------------------------------------------------------------- */

static uint32_t descents(const scene* s, const wish* wishes, uint32_t count)
{
    sett_query* query = make_query(s, wishes, count);
    uint32_t last = 0;
    uint32_t found = 0;
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, row) {
            found += sett_batch_index(b, row) < last;
            last = sett_batch_index(b, row);
        }
    }
    sett_query_destroy(query);
    return found;
}

static void indices_ascend_where_a_array_drives(void)
{
    static scene s;
    scene_begin(&s);
    static const wish array[] = {{ARRAY, SETT_WITH, SETT_INOUT}, {SPARSE, SETT_WITH, SETT_NONE}};
    CHECK_EQ(descents(&s, array, 2), 0); /* half of all are sparse-set: more than pays */
    static const wish all[] = {{SPARSE, SETT_WITHOUT, SETT_IN}};
    CHECK_EQ(descents(&s, all, 1), 0);
    CHECK_EQ(descents(&s, NULL, 0), 0);
    static const wish sparse_set[] = {{SPARSE, SETT_WITH, SETT_IN}};
    CHECK(descents(&s, sparse_set, 1) > 100); /* as they were added */
    static const wish rare[] = {{ARRAY, SETT_WITH, SETT_IN}, {RARE, SETT_WITH, SETT_IN}};
    CHECK(descents(&s, rare, 2) > 10); /* one in forty: the sparse set drives */
    scene_end(&s);
}

static void kept_order_is_the_order_of_addition(void)
{
    static scene s;
    scene_begin(&s);
    for (uint32_t k = 0; k < ENTITIES; k += 14) {
        CHECK_EQ(sett_remove(s.world, s.entity[k], s.id[KEPT]), SETT_OK);
    }
    const wish kept[] = {{KEPT, SETT_WITH, SETT_IN}};
    sett_query* query = make_query(&s, kept, 1);
    for (uint32_t round = 0; round < 2; round++) { /* with gaps, and compacted */
        uint32_t n = 0;
        SETT_QUERY_EACH(query, b) {
            SETT_EACH(b, row) {
                uint32_t k;
                do {
                    k = n++ * 1237 % ENTITIES;
                } while (k % 7 != 0 || k % 14 == 0);
                CHECK_EQ(sett_batch_index(b, row), k);
            }
        }
        CHECK(n > ENTITIES - 20);
        CHECK_EQ(sett_component_compact(s.world, s.id[KEPT]), SETT_OK);
    }
    scene_end(&s);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void written_fields_arrive(void)
{
    static scene s;
    scene_begin(&s);
    const wish wishes[] = {{ARRAY, SETT_WITH, SETT_INOUT},
                           {SPARSE, SETT_WITH, SETT_OUT},
                           {WIDE, SETT_OPTIONAL, SETT_INOUT},
                           {KEPT, SETT_WITH, SETT_IN}};
    sett_query* query = make_query(&s, wishes, 4);
    uint64_t tick = sett_world_advance_tick(s.world);
    uint32_t count = 0;
    SETT_QUERY_EACH(query, b) {
        uint32_t* array = sett_batch_field(b, 0);
        uint32_t* sparse_set = sett_batch_field(b, 1);
        uint32_t(*wide)[16] = sett_batch_field(b, 2);
        SETT_EACH(b, row) {
            array[row] += 1;
            sparse_set[row] = 77000000 + sett_batch_index(b, row);
            if (wide != NULL) {
                wide[row][15] = 5;
            }
            count++;
        }
    }
    CHECK(count > 100);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        bool match = matches(wishes, 4, k);
        const uint32_t* array = sett_find(s.world, s.entity[k], s.id[ARRAY]);
        const uint32_t* sparse_set = sett_find(s.world, s.entity[k], s.id[SPARSE]);
        const uint32_t* wide = sett_find(s.world, s.entity[k], s.id[WIDE]);
        CHECK(array == NULL || *array == k * 10 + ARRAY + match);
        CHECK(sparse_set == NULL || *sparse_set == (match ? 77000000 + k : k * 10 + SPARSE));
        CHECK(wide == NULL || wide[15] == (match ? 5 : 0));
        CHECK(sparse_set == NULL ||
              (sett_changed_tick(s.world, s.entity[k], s.id[SPARSE]) == tick) == match);
        CHECK(wide == NULL ||
              (sett_changed_tick(s.world, s.entity[k], s.id[WIDE]) == tick) == match);
        CHECK(sett_changed_tick(s.world, s.entity[k], s.id[KEPT]) < tick);
    }
    scene_end(&s);
}

static void the_value_in_place_is_within_reach(void)
{
    static scene s;
    scene_begin(&s);
    const wish wishes[] = {{ARRAY, SETT_WITH, SETT_IN},
                           {SPARSE, SETT_WITH, SETT_INOUT},
                           {TAG, SETT_OPTIONAL, SETT_IN}};
    sett_query* query = make_query(&s, wishes, 3);
    SETT_QUERY_EACH(query, b) {
        uint32_t* sparse_set = sett_batch_field(b, 1);
        SETT_EACH(b, row) {
            sett_entity e = sett_batch_entity(b, row);
            CHECK_PTR_EQ(sett_batch_at(b, 0, row), sett_find(s.world, e, s.id[ARRAY]));
            CHECK_PTR_EQ(sett_batch_at(b, 1, row), sett_find(s.world, e, s.id[SPARSE]));
            CHECK_EQ(sett_batch_has(b, 2), sett_has(s.world, e, s.id[TAG]));
            CHECK(sett_batch_has(b, 0));
            sparse_set[row] = 1;
        }
    }
    scene_end(&s);
}

/* ---- Open loops ------------------------------------------------------------------------------ */

static void structure_is_locked_by_name(void)
{
    static scene s;
    scene_begin(&s);
    sett_query* outer = sett_query_create(s.world, &(sett_query_desc){.name = "outer"});
    uint32_t batches = 0;
    SETT_QUERY_EACH(outer, a) {
        CHECK(a->count > 0);
        sett_query* inner = sett_query_create(s.world, &(sett_query_desc){.name = "inner"});
        SETT_QUERY_EACH(inner, b) {
            CHECK(b->count > 0);
            CHECK(sett_is_null(sett_entity_create(s.world)));
            CHECK(strstr(sett_world_message(s.world), "\"inner\"") != NULL);
            break;
        }
        sett_query_destroy(inner);
        CHECK_EQ(sett_entity_destroy(s.world, s.entity[0]), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(s.world), "\"outer\"") != NULL);
        CHECK(strstr(sett_world_message(s.world), "use sett_cmd_destroy") != NULL);
        CHECK(strstr(sett_world_message(s.world), "sett_commands_apply") != NULL);
        CHECK_EQ(sett_world_clear(s.world), SETT_STATUS_LOCKED); /* which no command does */
        CHECK(strstr(sett_world_message(s.world), "make this call after the loop") != NULL);
        CHECK(sett_get_mut(s.world, s.entity[0], s.id[SPARSE]) != NULL); /* values may be written */
        batches++;
    }
    CHECK(batches > 1);
    CHECK_EQ(sett_entity_destroy(s.world, s.entity[0]), SETT_OK);
    scene_end(&s);
}

static void leave_open(sett_query* query)
{
    sett_batch batch;
    sett_batch* b = sett_query_begin(query, &batch);
    CHECK(sett_batch_next(b) && b->count > 0);
}

static void a_loop_left_open_is_named_and_can_be_closed(void)
{
    static scene s;
    scene_begin(&s);
    sett_query* query = sett_query_create(s.world, &(sett_query_desc){.name = "forgotten"});
    leave_open(query);
    leave_open(query);
    CHECK(sett_is_null(sett_entity_create(s.world)));
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(s.world), "\"forgotten\"") != NULL);
    sett_query_end_all(s.world);
    CHECK(!sett_is_null(sett_entity_create(s.world)));
    sett_query_end_all(s.world);
    leave_open(query);
    CHECK_EQ(sett_world_destroy(s.world), SETT_STATUS_LOCKED);
    sett_query_end_all(s.world);
    CHECK_EQ(sett_world_destroy(s.world), SETT_OK);
}

static void a_query_without_a_name_is_called_by_its_terms(void)
{
    static scene s;
    scene_begin(&s);
    sett_query_desc desc = {.terms = {{.component = s.id[ARRAY]},
                                      {.component = s.id[WIDE], .kind = SETT_WITHOUT},
                                      {.component = s.id[TAG], .kind = SETT_OPTIONAL}}};
    leave_open(sett_query_create(s.world, &desc));
    CHECK(sett_is_null(sett_entity_create(s.world)));
    CHECK(strstr(sett_world_message(s.world), "\"array, no wide, maybe tag\"") != NULL);
    CHECK_EQ(sett_hierarchy_attach(s.world, s.entity[0], s.entity[1]), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(s.world), "sett_hierarchy_attach: a loop") != NULL);
    sett_query_end_all(s.world);
    leave_open(sett_query_create(s.world, &(sett_query_desc){0}));
    CHECK(sett_is_null(sett_entity_create(s.world)));
    CHECK(strstr(sett_world_message(s.world), "\"everything\"") != NULL);
    sett_query_end_all(s.world);
    scene_end(&s);
}

static char heard[256];

static void hear(void* user, sett_log_level level, const char* message)
{
    (void)user;
    snprintf(heard, sizeof(heard), "%d %s", (int)level, message);
}

static void a_wrong_field_is_rejected(void)
{
    heard[0] = '\0';
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    typedef struct Small {
        uint32_t number;
    } Small;
    typedef struct Large {
        uint32_t number[3];
    } Large;
    sett_component Small_id = SETT_REGISTER(world, Small);
    sett_component Large_id =
        SETT_REGISTER_WITH(world, Large, .id = 7, .storage = SETT_STORAGE_SPARSE_SET);
    sett_component Flag_id = SETT_REGISTER_TAG_WITH(world, Flag, .id = 9);
    CHECK(Large_id == 7 && Flag_id == 9);
    CHECK_EQ(sett_component_find(world, "Flag"), 9);
    sett_entity e = sett_entity_create(world);
    SETT_SET(world, e, Small, 5);
    CHECK(SETT_FIND_MUT(world, e, Large) == NULL);
    SETT_SET(world, e, Large, {1, 2, 3});
    SETT_FIND_MUT(world, e, Large)->number[1] = 4;
    SETT_ADD_TAG(world, e, Flag);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Small), SETT_WITH(Large), SETT_IN(Flag),
                                          SETT_INOUT(Large));
    uint32_t seen = 0;
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, i) {
            CHECK_EQ(SETT_FIELD(b, 0, Small)[i].number, 5);
            CHECK_EQ(SETT_FIELD(b, 3, Large)[i].number[1], 4);
            seen++;
        }
        CHECK_STR_EQ(heard, "");
        CHECK(sett_batch_field_checked_(b, 0, false, sizeof(Large), "Large") == NULL);
        CHECK_STR_EQ(heard, "2 SETT_FIELD: term 0 of query \"Small, Large, Flag, Large\" as "
                            "Large: \"Small\" has values of type Small (4 bytes), not Large (12 "
                            "bytes) - term 3 has values of this type");
        CHECK(sett_batch_field_checked_(b, 1, false, sizeof(Large), "Large") == NULL);
        CHECK(strstr(heard, "only tests for presence") != NULL);
        CHECK(sett_batch_field_checked_(b, 2, false, 1, "Flag") == NULL);
        CHECK(strstr(heard, "tags have no values") != NULL);
        CHECK(sett_batch_field_checked_(b, 4, true, 4, "Small") == NULL);
        CHECK(strstr(heard, "has no such term - pass the number of a term, from 0 on") != NULL);
        CHECK_PTR_EQ(sett_batch_field_checked_(b, 3, true, sizeof(Large), "Large"),
                     sett_batch_field(b, 3));
    }
    CHECK_EQ(seen, 1);
    SETT_CMD_REMOVE(sett_commands_here(world), e, Small);
    SETT_CMD_ADD(sett_commands_here(world), e, Large);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK(!SETT_HAS(world, e, Small) && SETT_GET(world, e, Large)->number[1] == 4);
    sett_world_destroy(world);
}

static void bad_queries_are_rejected(void)
{
    static scene s;
    scene_begin(&s);
    sett_query_desc desc = {.name = "bad", .terms = {{.component = s.id[0]}, {.component = 555}}};
    CHECK(sett_query_create(s.world, &desc) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    CHECK(strstr(sett_world_message(s.world), "\"bad\"") != NULL);
    CHECK(strstr(sett_world_message(s.world), "555") != NULL);
    desc.terms[1].component = UINT32_MAX; /* what the macros make of 0 */
    CHECK(sett_query_create(s.world, &desc) == NULL);
    CHECK(strstr(sett_world_message(s.world), "component 0 is not registered") != NULL);
    desc.terms[1].component = s.id[1];
    desc.terms[1].kind = (sett_term_kind)9;
    CHECK(sett_query_create(s.world, &desc) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    desc.terms[1].kind = SETT_WITH;
    desc.terms[1].access = (sett_access)9;
    CHECK(sett_query_create(s.world, &desc) == NULL);
    desc.name = NULL;
    desc.terms[1] = (sett_term){.component = UINT32_MAX};
    desc.terms[2] = (sett_term){.component = s.id[2]};
    CHECK(sett_query_create(s.world, &desc) == NULL);
    char wanted[256];
    snprintf(wanted, sizeof(wanted), "sett_query_create: \"%s, %s\": term 1: component 0 is not",
             sett_component_name(s.world, s.id[0]), sett_component_name(s.world, s.id[2]));
    CHECK(strstr(sett_world_message(s.world), wanted) == sett_world_message(s.world));
    desc = (sett_query_desc){.terms = {{.component = 555}, {.component = 556}}};
    CHECK(sett_query_create(s.world, &desc) == NULL);
    CHECK(strstr(sett_world_message(s.world), ": a query of 2 terms: term 0: component 555 is") !=
          NULL);
    desc.terms[1].component = 0;
    CHECK(sett_query_create(s.world, &desc) == NULL);
    CHECK(strstr(sett_world_message(s.world), ": a query of 1 term: term 0") != NULL);
    sett_stats stats;
    sett_world_stats(s.world, &stats);
    CHECK_EQ(stats.queries, 0);
    sett_query_destroy(NULL);
    scene_end(&s);
}

static void what_is_wanted_is_not_excluded(void)
{
    static scene s;
    scene_begin(&s);
    for (int order = 0; order < 2; order++) {
        sett_query_desc desc = {.name = "both", .terms = {{.component = s.id[ARRAY]}}};
        desc.terms[1].component = s.id[TAG];
        desc.terms[2].component = s.id[ARRAY];
        desc.terms[order * 2].kind = SETT_WITHOUT;
        CHECK(sett_query_create(s.world, &desc) == NULL);
        CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
        CHECK_STR_EQ(
            sett_world_message(s.world),
            "sett_query_create: query \"both\": \"array\" is in one term and excluded by another - "
            "remove one of them");
        for (int kind = SETT_OPTIONAL; kind <= SETT_ANY; kind++) {
            desc.terms[2 - order * 2].kind = (sett_term_kind)kind;
            CHECK(sett_query_create(s.world, &desc) == NULL);
        }
        desc.terms[order * 2].kind = SETT_WITH; /* written twice, through two fields */
        desc.terms[2 - order * 2].kind = SETT_WITH;
        CHECK(sett_query_create(s.world, &desc) == NULL);
        CHECK(strstr(sett_world_message(s.world), "\"array\" is written by two terms") != NULL);
        desc.terms[order * 2].access = SETT_OUT;
        CHECK(sett_query_create(s.world, &desc) == NULL);
        desc.terms[order * 2].access = SETT_IN; /* read by the other */
        CHECK(sett_query_create(s.world, &desc) != NULL);
        desc.terms[0].kind = SETT_WITHOUT;
        desc.terms[2].kind = SETT_WITHOUT;
        CHECK(sett_query_create(s.world, &desc) != NULL);
    }
    scene_end(&s);
}

static void a_query_can_have_thirty_two_terms(void)
{
    sett_world* world = quiet_world();
    sett_query_desc desc = {.name = "wide"};
    for (uint32_t k = 0; k < SETT_QUERY_TERMS; k++) {
        char name[8];
        snprintf(name, sizeof(name), "c%u", k);
        desc.terms[k].component = sett_component_register(
            world, &(sett_component_desc){.name = name,
                                          .size = 8,
                                          .storage = k % 2 == 0 ? SETT_STORAGE_ARRAY
                                                                : SETT_STORAGE_SPARSE_SET});
        desc.terms[k].kind = k >= 30 ? SETT_OPTIONAL : SETT_WITH;
    }
    sett_entity e[3];
    sett_entity_create_many(world, 3, NULL, 0, NULL, e);
    for (uint32_t k = 0; k < SETT_QUERY_TERMS; k++) {
        for (uint32_t n = 0; n < 3; n++) {
            uint64_t value = k;
            CHECK((n == 1 && k == 31) || sett_set(world, e[n], desc.terms[k].component, &value));
        }
    }
    sett_query* query = sett_query_create(world, &desc);
    CHECK_EQ(sett_query_count(query), 3);
    uint32_t seen = 0;
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, row) {
            for (uint32_t k = 0; k < 31; k++) {
                CHECK_EQ(SETT_FIELD(b, k, uint64_t)[row], k);
            }
            CHECK_EQ(sett_batch_field(b, 31) == NULL, sett_batch_index(b, row) == e[1].index);
            seen++;
        }
    }
    CHECK_EQ(seen, 3);
    sett_world_destroy(world);
}

static void loops_over_nothing(void)
{
    static const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET};
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = quiet_world();
        sett_component id = sett_component_register(
            world, &(sett_component_desc){.name = "v", .size = 8, .storage = kinds[k]});
        sett_query* query =
            sett_query_create(world, &(sett_query_desc){.terms = {{.component = id}}});
        sett_query* all = sett_query_create(world, &(sett_query_desc){.name = NULL});
        uint32_t batches = 0;
        for (uint32_t round = 0; round < 2; round++) {
            CHECK_EQ(sett_query_count(query), 0);
            CHECK_EQ(sett_query_count(all), 0);
            SETT_QUERY_EACH(query, b) {
                batches += b->count;
            }
            SETT_QUERY_EACH(all, b) {
                batches += b->count;
            }
            sett_entity e = sett_entity_create(world);
            sett_add(world, e, id);
            CHECK_EQ(sett_query_count(query), 1);
            sett_entity_destroy(world, e);
        }
        CHECK_EQ(batches, 0);
        sett_world_destroy(world);
    }
}

/* An id that was never registered is 0, which ends a list of terms: it must not cut a query
 * short. */
static void a_forgotten_registration_is_rejected(void)
{
    sett_world* world = quiet_world();
    sett_component known_id = sett_component_register(
        world, &(sett_component_desc){.name = "known", .size = sizeof(float)});
    sett_component forgotten_id = 0;
    sett_query_desc last = {.terms = {SETT_INOUT(known), SETT_INOUT(forgotten)}};
    sett_query_desc first = {.terms = {SETT_WITHOUT(forgotten), SETT_IN(known)}};
    sett_query_desc plain = {.terms = {{.component = forgotten_id}, {.component = known_id}}};
    CHECK(sett_query_create(world, &last) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_query_create(world, &first) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_query_create(world, &plain) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    sett_world_destroy(world);
}

/* Nothing to write is rejected, and adds nothing. */
static void a_set_without_a_value_is_rejected(void)
{
    sett_world* world = quiet_world();
    sett_component id = sett_component_register(
        world, &(sett_component_desc){.name = "value", .size = sizeof(float)});
    sett_component tag = sett_component_register(world, &(sett_component_desc){.name = "tag"});
    sett_entity e = sett_entity_create(world);
    CHECK(sett_set(world, e, id, NULL) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(!sett_has(world, e, id));
    CHECK(sett_set(world, e, tag, NULL) != NULL);
    sett_world_destroy(world);
}

static void a_query_that_was_not_made_matches_nobody(void)
{
    sett_world* world = quiet_world();
    sett_query* query = sett_query_create(world, &(sett_query_desc){.terms = {{.component = 999}}});
    CHECK(query == NULL);
    uint32_t batches = 0;
    SETT_QUERY_EACH(query, b) {
        batches += b->count != 0;
    }
    CHECK_EQ(batches, 0);
    CHECK(!sett_is_null(sett_entity_create(world))); /* no loop is open */
    sett_world_destroy(world);
}

static void a_term_that_is_not_there_has_no_value(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    sett_component id = sett_component_register(
        world, &(sett_component_desc){.name = "only", .size = sizeof(float)});
    sett_entity e = sett_entity_create(world);
    heard[0] = '\0';
    CHECK(sett_get(world, e, id) == NULL);
    bool debug = heard[0] != '\0';
    CHECK(sett_add(world, e, id) != NULL);
    sett_query* query = sett_query_create(world, &(sett_query_desc){.terms = {{.component = id}}});
    heard[0] = '\0';
    SETT_QUERY_EACH(query, b) {
        CHECK_PTR_EQ(sett_batch_at(b, 0, 0), sett_find(world, e, id));
        CHECK_STR_EQ(heard, "");
        CHECK(sett_batch_at(b, 7, 0) == NULL);
        CHECK_STR_EQ(heard, debug ? "2 sett_batch_at: query \"only\" has no term 7 about the "
                                    "visited entity - pass such a term, or call sett_batch_from"
                                  : "");
    }
    sett_world_destroy(world);
}

/* What is visited has the order that was asked for, whatever optional terms are beside it. */
static void an_order_is_kept(void)
{
    for (uint32_t kind = 0; kind < 6; kind++) {
        for (uint32_t array = 0; array < 2; array++) {
            sett_world* world = quiet_world();
            sett_component rank = sett_component_register(
                world, &(sett_component_desc){.name = "Rank",
                                              .size = sizeof(uint32_t),
                                              .storage = array != 0 ? SETT_STORAGE_ARRAY
                                                                    : SETT_STORAGE_SPARSE_SET});
            sett_component tint = sett_component_register(
                world, &(sett_component_desc){.name = "Tint", .size = sizeof(uint32_t)});
            sett_component shiny =
                sett_component_register(world, &(sett_component_desc){.name = "Shiny"});
            sett_term first = {.component = rank, .access = SETT_IN, .drives = true};
            const sett_term second[6][2] = {
                {{.component = tint, .access = SETT_IN, .kind = SETT_OPTIONAL}},
                {{.component = tint, .access = SETT_INOUT, .kind = SETT_OPTIONAL}},
                {{.component = shiny, .access = SETT_NONE, .kind = SETT_OPTIONAL}},
                {{.component = tint, .access = SETT_IN, .kind = SETT_ANY},
                 {.component = rank, .access = SETT_NONE, .kind = SETT_ANY}},
                {{.component = tint, .access = SETT_IN, .kind = SETT_OPTIONAL},
                 {.component = shiny, .access = SETT_NONE, .kind = SETT_OPTIONAL}},
                {{.component = shiny, .access = SETT_NONE, .kind = SETT_WITH}}};
            sett_query* query = sett_query_create(
                world, &(sett_query_desc){.terms = {first, second[kind][0], second[kind][1]}});
            CHECK(query != NULL);
            sett_entity e[3000];
            uint64_t state = check_setting("SETT_SEED", 1);
            uint32_t with = 0;
            for (uint32_t k = 0; k < 3000; k++) {
                e[k] = sett_entity_create(world);
                *(uint32_t*)sett_add(world, e[k], rank) =
                    array != 0 ? k : chance_below(&state, 100000);
                bool runs = k / 200 % 2 != 0; /* long runs, and others */
                if (runs ? k / 300 % 2 != 0 : chance_below(&state, 3) == 0) {
                    *(uint32_t*)sett_add(world, e[k], tint) = 7;
                }
                if (chance_below(&state, 2) == 0) {
                    with++;
                    CHECK(sett_add(world, e[k], shiny) != NULL);
                }
            }
            sett_sort_desc sort = {.component = rank, .key = SETT_KEY_U32};
            CHECK(array != 0 || sett_sort(world, &sort) == SETT_OK);
            uint32_t count = 0;
            uint32_t before = 0;
            SETT_QUERY_EACH(query, b) {
                const uint32_t* ranks = sett_batch_field(b, 0);
                const uint32_t* tints = kind != 2 && kind != 5 ? sett_batch_field(b, 1) : NULL;
                SETT_EACH(b, i) {
                    CHECK(ranks[i] >= before);
                    before = ranks[i];
                    CHECK(tints == NULL || tints[i] == 7);
                    CHECK(kind == 2 || kind == 5 ||
                          (tints != NULL) == sett_has(world, sett_batch_entity(b, i), tint));
                    count++;
                }
            }
            CHECK_EQ(count, kind != 5 ? 3000 : with);
            CHECK_END(world);
        }
    }
}

TEST_MAIN(TEST(an_order_is_kept), TEST(a_term_that_is_not_there_has_no_value),
          TEST(a_query_that_was_not_made_matches_nobody),
          TEST(a_forgotten_registration_is_rejected), TEST(a_set_without_a_value_is_rejected),
          TEST(every_pair_of_terms), TEST(many_terms), TEST(indices_ascend_where_a_array_drives),
          TEST(kept_order_is_the_order_of_addition), TEST(written_fields_arrive),
          TEST(the_value_in_place_is_within_reach), TEST(structure_is_locked_by_name),
          TEST(a_loop_left_open_is_named_and_can_be_closed),
          TEST(a_query_without_a_name_is_called_by_its_terms), TEST(a_wrong_field_is_rejected),
          TEST(bad_queries_are_rejected), TEST(what_is_wanted_is_not_excluded),
          TEST(a_query_can_have_thirty_two_terms), TEST(loops_over_nothing))
