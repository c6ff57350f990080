/* test_elsewhere.c: terms of plain queries that ask another entity: parents, ancestors, prefabs,
 * targets, fixed entities, singletons. A random world against a naive evaluation, storages of each
 * kind; values, access, systems, texts. */
#include "chance.h"
#include "worlds.h"

#include "base/common.h"

typedef struct Place {
    int64_t x;
} Place;

typedef struct Look {
    int32_t color;
} Look;

static sett_component Place_id, Look_id, Marked_id, Aims_id;
static uint64_t state;

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    Place_id = SETT_REGISTER_WITH(world, Place, .can_disable = true);
    Look_id = SETT_REGISTER_WITH(world, Look, .can_disable = true);
    Marked_id = SETT_REGISTER_TAG(world, Marked);
    Aims_id = sett_relationship_register(world, &(sett_relationship_desc){.name = "Aims"});
    return world;
}

static void change(sett_world* world)
{
    sett_entity e = entity_from(world, chance_below(&state, 60));
    sett_entity other = entity_from(world, chance_below(&state, 60));
    sett_component switched = chance_below(&state, 2) != 0 ? Place_id : Look_id;
    if (sett_has(world, e, switched)) {
        sett_enable(world, e, switched, chance_below(&state, 3) != 0);
    }
    switch (chance_below(&state, 7)) {
    case 0:
        sett_ensure(world, e, Place_id);
        break;
    case 1:
        sett_ensure(world, e, Look_id);
        break;
    case 2:
        sett_ensure(world, e, Marked_id);
        break;
    case 3:
        sett_remove(world, e, chance_below(&state, 2) != 0 ? Place_id : Look_id);
        break;
    case 4:
        sett_relate(world, e, Aims_id, other);
        break;
    case 5:
        sett_hierarchy_attach(world, e, other);
        break;
    default:
        sett_component_convert(world, chance_below(&state, 2) != 0 ? Place_id : Look_id,
                               chance_below(&state, 2) != 0 ? SETT_STORAGE_ARRAY
                                                            : SETT_STORAGE_SPARSE_SET);
        break;
    }
}

/* Where a term's component is, by the public calls. */
static sett_entity naive_source(sett_world* world, const sett_term* term, sett_entity at)
{
    bool self = term->walk == SETT_WALK_SELF_UP || !sett_is_null(term->entity);
    at = !sett_is_null(term->entity) ? term->entity : at;
    if (self && sett_is_enabled(world, at, term->component)) {
        return at;
    }
    for (int steps = 0; term->walk != SETT_WALK_NONE && steps < 100; steps++) {
        at = term->along == Aims_id ? sett_target(world, at, Aims_id)
                                    : sett_hierarchy_parent(world, at);
        if (sett_is_enabled(world, at, term->component)) {
            return at;
        }
        if (term->walk == SETT_WALK_ONE) {
            break;
        }
    }
    return sett_null();
}

static bool naive_match(sett_world* world, const sett_query_desc* desc, sett_entity at)
{
    bool all = true;
    for (uint32_t k = 0; desc->terms[k].component != 0; k++) {
        const sett_term* term = &desc->terms[k];
        bool other = term->walk != SETT_WALK_NONE || !sett_is_null(term->entity);
        bool has = other ? !sett_is_null(naive_source(world, term, at))
                         : sett_is_enabled(world, at, term->component);
        all = all && (term->kind == SETT_OPTIONAL || has == (term->kind == SETT_WITH));
    }
    return all;
}

static void draw_query(sett_world* world, sett_query_desc* desc)
{
    const sett_component types[] = {Place_id, Look_id, Marked_id};
    uint32_t count = 0;
    memset(desc, 0, sizeof(*desc));
    for (uint32_t k = 0; k < 3; k++) {
        if (chance_below(&state, 3) == 0) {
            desc->terms[count].component = types[k];
            desc->terms[count].access = SETT_IN;
            desc->terms[count++].kind = (sett_term_kind)chance_below(&state, 3);
        }
    }
    uint32_t others = 1 + chance_below(&state, 3);
    for (uint32_t k = 0; k < others; k++) {
        sett_term* term = &desc->terms[count++];
        term->component = types[chance_below(&state, 3)];
        term->access = SETT_IN;
        term->kind = (sett_term_kind)chance_below(&state, 3);
        term->walk = (sett_walk)chance_below(&state, 4);
        bool aims = chance_below(&state, 2) != 0;
        term->along = aims && term->walk != SETT_WALK_NONE ? Aims_id : 0;
        if (term->walk == SETT_WALK_NONE) {
            term->entity = entity_from(world, chance_below(&state, 60));
        }
    }
}

static void check_rows(sett_world* world, const sett_query_desc* desc, sett_query* query)
{
    uint32_t seen = 0;
    uint32_t expected = 0;
    SETT_FOR(query, b, i) {
        sett_entity e = sett_batch_entity(b, i);
        CHECK(naive_match(world, desc, e));
        for (uint32_t k = 0; desc->terms[k].component != 0; k++) {
            const sett_term* term = &desc->terms[k];
            if (term->walk != SETT_WALK_NONE || !sett_is_null(term->entity)) {
                sett_entity source = naive_source(world, term, e);
                CHECK_ENTITY_EQ(sett_batch_source(b, k, i), source);
                CHECK_EQ(sett_batch_from(b, k, i) != NULL, !sett_is_null(source));
                CHECK(sett_is_null(source) || term->component == Marked_id ||
                      sett_batch_from(b, k, i) == sett_find(world, source, term->component));
            }
        }
        seen++;
    }
    uint32_t cursor = 0;
    for (sett_entity e; e = sett_entity_next(world, &cursor), !sett_is_null(e);) {
        CHECK_EQ(sett_query_matches(query, e), naive_match(world, desc, e));
        expected += naive_match(world, desc, e);
    }
    CHECK_EQ(seen, expected);
    CHECK_EQ(sett_query_count(query), expected);
}

static void random_queries(void)
{
    state = check_setting("SETT_SEED", 1);
    sett_world* world = begin();
    CHECK_EQ(sett_entity_create_many(world, 60, NULL, 0, NULL, NULL), SETT_OK);
    for (uint32_t k = 0; k < CHECK_ROUNDS(4000); k++) {
        sett_query_desc desc;
        change(world);
        draw_query(world, &desc);
        sett_query* query = sett_query_create(world, &desc);
        CHECK_MSG(query != NULL, "%s", sett_world_message(world));
        check_rows(world, &desc, query);
        change(world);
        check_rows(world, &desc, query);
        CHECK_EQ(sett_query_destroy(query), SETT_OK);
    }
    CHECK_END(world);
}

static void values_of_parents_prefabs_and_singletons(void)
{
    sett_world* world = begin();
    sett_entity prefab = sett_entity_create(world);
    CHECK_EQ(sett_prefab_make(world, prefab), SETT_OK);
    CHECK_EQ(sett_prefab_share(world, Look_id, true), SETT_OK);
    SETT_SET(world, prefab, Look, .color = 7);
    SETT_SET(world, prefab, Place, .x = 1);
    sett_entity root = sett_entity_create(world);
    SETT_SET(world, root, Place, .x = 100);
    sett_entity child;
    CHECK_EQ(sett_instantiate(world, prefab, 1, &child), SETT_OK);
    sett_hierarchy_attach(world, child, root);
    *SETT_SINGLETON_ENSURE(world, Look) = (Look){9};
    sett_query* query = SETT_QUERY_CREATE(world, SETT_INOUT(Place), SETT_PARENT(Place),
                                          SETT_SHARED(Look), SETT_SINGLETON(Look));
    uint32_t count = 0;
    SETT_FOR(query, b, i) {
        CHECK_ENTITY_EQ(sett_batch_entity(b, i), child);
        SETT_FIELD_MUT(b, 0, Place)[i].x += SETT_FIELD_FROM(b, 1, i, Place)->x;
        CHECK_EQ(SETT_FIELD_FROM(b, 2, i, Look)->color, 7);
        CHECK_EQ(SETT_FIELD_FROM(b, 3, i, Look)->color, 9);
        CHECK_ENTITY_EQ(sett_batch_source(b, 2, i), prefab);
        CHECK(sett_batch_from(b, 0, i) == NULL);     /* it is no term elsewhere */
        CHECK(sett_batch_from_mut(b, 1, i) == NULL); /* it is only read */
        count++;
    }
    CHECK_EQ(count, 1);
    CHECK_EQ(SETT_GET(world, child, Place)->x, 101);
    CHECK_END(world);
}

static void switched_off(void)
{
    sett_world* world = begin();
    sett_entity prefab = sett_entity_create(world);
    CHECK_EQ(sett_prefab_make(world, prefab), SETT_OK);
    CHECK_EQ(sett_prefab_share(world, Look_id, true), SETT_OK);
    SETT_SET(world, prefab, Look, .color = 7);
    sett_entity child;
    CHECK_EQ(sett_instantiate(world, prefab, 1, &child), SETT_OK);
    sett_entity root = sett_entity_create(world);
    SETT_SET(world, root, Look, .color = 8);
    SETT_SET(world, child, Place, .x = 1);
    sett_hierarchy_attach(world, child, root);
    sett_relate(world, child, Aims_id, root);
    *SETT_SINGLETON_ENSURE(world, Look) = (Look){9};
    sett_query* queries[] = {
        SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_PARENT(Look)),
        SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_UP(Look)),
        SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_SELF_UP(Look)),
        SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_TARGET(Look, Aims)),
        SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_SINGLETON(Look)),
        SETT_QUERY_CREATE(world, SETT_IN(Place), {.component = Look_id, .entity = root}),
        SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_SHARED(Look)),
        SETT_QUERY_CREATE(world, SETT_IN(Place),
                          {.component = Look_id, .kind = SETT_WITHOUT, .walk = SETT_WALK_ONE}),
    };
    const uint32_t count = sizeof(queries) / sizeof(queries[0]);
    char plan[400];
    CHECK(sett_query_explain(queries[4], plan, sizeof(plan)) != 0);
    CHECK_MSG(strstr(plan, "nothing matches") == NULL, "%s", plan);
    CHECK(SETT_REMOVE(world, sett_singletons(world), Look) == SETT_OK);
    CHECK(sett_query_explain(queries[4], plan, sizeof(plan)) != 0);
    CHECK_MSG(strstr(plan, "; nothing matches now, because there is no singleton Look.") != NULL,
              "%s", plan);
    *SETT_SINGLETON_ENSURE(world, Look) = (Look){9};
    for (uint32_t off = 0; off < 2; off++) {
        sett_entity with[] = {prefab, root, sett_singletons(world)};
        for (uint32_t k = 0; k < 3; k++) {
            CHECK_EQ(sett_enable(world, with[k], Look_id, off == 0), SETT_OK);
        }
        for (uint32_t k = 0; k < count; k++) {
            bool matches = (k + 1 < count) == (off == 0);
            CHECK_MSG(sett_query_count(queries[k]) == matches &&
                          sett_query_matches(queries[k], child) == matches,
                      "query %u, off %u", (unsigned)k, (unsigned)off);
        }
    }
    /* only queries: it is there */
    CHECK_ENTITY_EQ(sett_find_up(world, child, SETT_ID_HIERARCHY, Look_id), root);
    CHECK_END(world);
}

/* Nor prefabs, for a query that asks them: until there is one, each entity has its own value. */
static void before_there_is_a_prefab(void)
{
    sett_world* world = begin();
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_SHARED(Look));
    CHECK_MSG(query != NULL, "%s", sett_world_message(world));
    sett_entity own = sett_entity_create(world);
    SETT_SET(world, own, Place, .x = 1);
    CHECK_EQ(sett_query_count(query), 0);
    SETT_SET(world, own, Look, .color = 5);
    CHECK_EQ(sett_query_count(query), 1);
    sett_entity prefab = sett_entity_create(world);
    SETT_SET(world, prefab, Place, .x = 1);
    SETT_SET(world, prefab, Look, .color = 7);
    CHECK_EQ(sett_prefab_make(world, prefab), SETT_OK);
    CHECK_EQ(sett_prefab_share(world, Look_id, true), SETT_OK);
    sett_entity copy;
    CHECK_EQ(sett_instantiate(world, prefab, 1, &copy), SETT_OK);
    int32_t sum = 0;
    SETT_FOR(query, b, i) {
        sum += (int32_t)SETT_FIELD_FROM(b, 1, i, Look)->color;
    }
    CHECK_EQ(sum, 12);
    CHECK_END(world);
}

/* A query that asks parents does not need the hierarchy to be there, nor does it register it. */
static void before_there_is_a_hierarchy(void)
{
    sett_world* world = begin();
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_UP(Look));
    CHECK_EQ(sett_component_find(world, "Hierarchy"), 0);
    sett_entity child = sett_entity_create(world);
    sett_entity root = sett_entity_create(world);
    SETT_SET(world, child, Place, .x = 1);
    SETT_SET(world, root, Look, .color = 2);
    CHECK_EQ(sett_query_count(query), 0);
    sett_hierarchy_attach(world, child, root);
    CHECK_EQ(sett_query_count(query), 1);
    CHECK(sett_query_matches(query, child));
    CHECK_END(world);
}

static void add_up(sett_context* context)
{
    CHECK_EQ(context->job_count, 1);
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_FROM_MUT(b, 1, i, Look)->color += SETT_FIELD(b, 0, Place)[i].x != 0;
    }
}

static void read_up(sett_context* context)
{
    CHECK(context->job_count > 1);
    SETT_SYSTEM_FOR(context, b, i) {
        CHECK_EQ(SETT_FIELD_FROM(b, 1, i, Look)->color, 5000);
        SETT_FIELD_MUT(b, 0, Place)[i].x = 2;
    }
}

static void writing_elsewhere_is_a_single_job(void)
{
    sett_world* world = begin();
    sett_entity root = sett_entity_create(world);
    SETT_SET(world, root, Look, .color = 0);
    for (uint32_t k = 0; k < 5000; k++) {
        sett_entity e = sett_entity_create(world);
        SETT_SET(world, e, Place, .x = 1);
        sett_hierarchy_attach(world, e, root);
    }
    sett_term look = SETT_PARENT(Look);
    SETT_SYSTEM(world, read_up, .terms = {SETT_INOUT(Place), look}, .after = {"add_up"});
    look.access = SETT_INOUT;
    SETT_SYSTEM(world, add_up, .terms = {SETT_IN(Place), look});
    sett_progress(world, 1);
    CHECK_EQ(SETT_GET(world, root, Look)->color, 5000);
    CHECK_END(world);
}

static void queries_from_text(void)
{
    sett_world* world = begin();
    sett_entity root = sett_entity_create(world);
    sett_name_set(world, root, "root");
    SETT_SET(world, root, Look, .color = 1);
    sett_entity child = sett_entity_create(world);
    SETT_SET(world, child, Place, .x = 1);
    sett_hierarchy_attach(world, child, root);
    static const char* const texts[] = {
        "Place, !Look, Look(parent)", "Place || Marked, Look(up)",
        "[in] Place, Look(root)",     "Place, ?Marked, Look(self|up)",
        "Hierarchy, !Look",           "Place, !Marked(parent)",
        "Place, !Look(singleton)",    "[none] Place",
        "Place, [inout] Look(up)",
    };
    for (uint32_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        sett_query_desc desc;
        CHECK_MSG(sett_query_parse(world, texts[k], &desc) == SETT_OK, "%s",
                  sett_world_message(world));
        desc.name = texts[k];
        sett_query* query = sett_query_create(world, &desc);
        CHECK_MSG(query != NULL, "%s", sett_world_message(world));
        CHECK_MSG(sett_query_count(query) == 1 && sett_query_matches(query, child), "%s", texts[k]);
        sett_search* search = sett_search_create(world, texts[k]);
        CHECK_EQ(sett_search_count(search), 1); /* the same as a search */
    }
    static const char* const wrong[] = {"Aims($this, $x)",
                                        "Place || !Look",
                                        "Place($x)",
                                        ".name == \"x\"",
                                        "{Place}",
                                        "Plaice",
                                        "Place || Look, Marked || Look"};
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        sett_query_desc desc;
        CHECK(sett_query_parse(world, wrong[k], &desc) != SETT_OK);
        CHECK(strstr(sett_world_message(world), "column") != NULL);
    }
    CHECK_END(world);
}

static void wrong_terms(void)
{
    sett_world* world = begin();
    sett_component many =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Many", .many = true});
    const sett_query_desc wrong[] = {
        {.terms = {{.component = Look_id, .walk = SETT_WALK_UP}, {.component = Place_id}}},
        {.terms = {{.component = Look_id, .walk = SETT_WALK_UP, .along = many}}},
        {.terms = {{.component = Look_id, .walk = SETT_WALK_UP, .along = Place_id}}},
        {.terms = {{.component = Look_id, .walk = SETT_WALK_UP, .singleton = true}}},
        {.terms = {{.component = Look_id, .walk = SETT_WALK_UP, .kind = SETT_ANY}}},
        {.terms = {{.component = Look_id, .walk = (sett_walk)9}}},
    };
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK(sett_query_create(world, &wrong[k]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    }
    CHECK_END(world);
}

static uint32_t traps; /* reports of a query that matches no instance */

static void hear_trap(void* user, sett_log_level level, const char* message)
{
    (void)user;
    traps += level == SETT_LOG_ERROR &&
             strstr(message, "matches no instance of a prefab: instances share the prefab's "
                             "\"Look\"") != NULL &&
             strstr(message, "SETT_SHARED(Look)") != NULL;
}

/* Whether a loop over the query that matches nothing says why, and does so once. */
static bool traps_once(sett_query* query, uint32_t matches)
{
    uint32_t before = traps;
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < 5; frame++) {
        SETT_FOR(query, b, i) {
            count++;
        }
    }
    CHECK_EQ(count, matches * 5);
    return traps == before + 1;
}

/* A type that instances share: a plain term does not see it at them, which is reported where no
 * entity has a value of its own. */
static void plain_terms_of_what_instances_share(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear_trap});
    Place_id = SETT_REGISTER(world, Place);
    Look_id = SETT_REGISTER(world, Look);
    Marked_id = SETT_REGISTER_TAG(world, Marked);
    sett_prefab_tag(world);
    sett_entity prefab =
        SETT_CREATE(world, SETT_VALUE_TAG(sett_prefab), SETT_VALUE(Look, 7), SETT_VALUE(Place, 1));
    CHECK_EQ(sett_prefab_share(world, Look_id, true), SETT_OK);
    sett_query* plain = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_IN(Look));
    sett_query* shared = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_SHARED(Look));
    sett_query* marked = SETT_QUERY_CREATE(world, SETT_IN(Look), SETT_WITH(Marked));
    sett_query* without = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_WITHOUT(Look));
    CHECK(!traps_once(plain, 0)); /* there is no instance, */
    sett_entity variant = sett_instantiate_with(
        world,
        &(sett_instantiate_desc){.prefab = prefab, SETT_VALUES(SETT_VALUE_TAG(sett_prefab))});
    CHECK(!traps_once(plain, 0)); /* but for one that is a prefab */
    sett_entity child;
    CHECK_EQ(sett_instantiate(world, prefab, 1, &child), SETT_OK);
    CHECK_EQ(traps_once(plain, 0), SETTI_DEBUG);
    CHECK(!traps_once(shared, 1));
    CHECK(!traps_once(marked, 0)); /* it would not match with a value of its own */
    CHECK(!traps_once(without, 1));
    char text[600];
    const char* words = "; instances that share Look with their prefab count as without it: "
                        "SETT_SHARED(Look) sees the prefab's";
    sett_query_explain(plain, text, sizeof(text));
    CHECK_MSG(strstr(text, words) != NULL, "%s", text);
    sett_query_explain(without, text, sizeof(text));
    CHECK_MSG(strstr(text, words) != NULL, "%s", text);
    sett_query_explain(shared, text, sizeof(text));
    CHECK_MSG(strstr(text, words) == NULL, "%s", text);
    CHECK_MSG(strstr(text, "query \"Place, Look(prefab)\"") != NULL, "%s", text);

    sett_entity own = SETT_CREATE(world, SETT_VALUE(Look, 8)); /* such values can be meant */
    SETT_ADD_TAG(world, child, Marked);
    CHECK(!traps_once(plain, 0) && !traps_once(marked, 0));
    CHECK_EQ(sett_entity_destroy(world, own), SETT_OK);
    CHECK_EQ(traps_once(marked, 0), SETTI_DEBUG);
    CHECK(SETT_PREFAB_OVERRIDE(world, child, Look) != NULL);
    CHECK(!traps_once(plain, 1));
    CHECK_EQ(sett_prefab_share(world, Look_id, false), SETT_OK);
    sett_query_explain(plain, text, sizeof(text));
    CHECK_MSG(strstr(text, "share") == NULL, "%s", text);
    CHECK(sett_entity_valid(world, variant));
    CHECK_END(world);
}

TEST_MAIN(TEST(random_queries), TEST(before_there_is_a_hierarchy), TEST(before_there_is_a_prefab),
          TEST(values_of_parents_prefabs_and_singletons), TEST(switched_off),
          TEST(plain_terms_of_what_instances_share), TEST(writing_elsewhere_is_a_single_job),
          TEST(queries_from_text), TEST(wrong_terms))
