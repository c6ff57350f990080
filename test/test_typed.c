/* test_typed.c: the typed macros of a program compiled without NDEBUG compare the C type that they
 * name with the component's. */
#undef NDEBUG
#include "check.h"
#include "sett/hierarchy.h"
#include "sett/prefab.h"
#include "sett/sett.h"
#include "sett/singleton.h"

#include <stdio.h>

typedef struct Place {
    float x, y;
} Place;

typedef struct Speed {
    float x, y;
} Speed;

typedef struct Wide {
    float x, y, z;
} Wide;

static char heard[512];
static char last[512]; /* of what was looked for */
static uint32_t heard_count;

static void hear(void* user, sett_log_level level, const char* message)
{
    (void)user;
    snprintf(heard, sizeof(heard), "%d %s", (int)level, message);
    heard_count++;
}

static sett_world* make_world(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    heard[0] = '\0'; /* a library that was compiled with NDEBUG warns a program that was not */
    heard_count = 0;
    return world;
}

/* Whether exactly one message came, with this in it. Forgets it. */
static bool was_told(const char* part)
{
    bool told = heard_count == 1 && strstr(heard, part) != NULL;
    if (!told) {
        printf("%u: %s\n", (unsigned)heard_count, heard);
    }
    snprintf(last, sizeof(last), "%s", part);
    heard[0] = '\0';
    heard_count = 0;
    return told;
}

/* Whether the world stores a failure: that of the last report. Forgets it. */
static bool failed(sett_world* world)
{
    sett_failure failure = {SETT_OK, ""};
    sett_world_swap_failure(world, &failure);
    return failure.status == SETT_STATUS_ARGUMENT && strstr(failure.message, last) != NULL;
}

static void values_of_another_type_are_reported(void)
{
    sett_world* world = make_world();
    sett_component Place_id = SETT_REGISTER(world, Place);
    sett_component Speed_id = Place_id; /* the mistake */
    sett_entity e = sett_entity_create(world);
    sett_entity bare = sett_entity_create(world);
    CHECK(SETT_SET(world, e, Place, 1, 2) != NULL);
    CHECK(SETT_SET(world, e, Speed, 3, 4) == NULL);
    CHECK(was_told("SETT_SET: component 1 \"Place\" has values of type Place (8 bytes), not Speed "
                   "(8 bytes) - is Speed_id the id of another component?"));
    CHECK(failed(world));
    CHECK(SETT_GET(world, e, Speed) == NULL);
    CHECK(was_told("SETT_GET: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_GET_MUT(world, e, Speed) == NULL);
    CHECK(was_told("SETT_GET_MUT: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_FIND(world, e, Speed) == NULL);
    CHECK(was_told("SETT_FIND: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_FIND_MUT(world, e, Speed) == NULL);
    CHECK(was_told("SETT_FIND_MUT: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_ENSURE(world, e, Speed) == NULL);
    CHECK(was_told("SETT_ENSURE: component 1"));
    CHECK(failed(world));
    CHECK(!SETT_HAS(world, e, Speed));
    CHECK(was_told(
        "SETT_HAS: component 1 \"Place\" has values of type Place (8 bytes), not Speed -"));
    CHECK(!failed(world));
    CHECK_EQ(SETT_REMOVE(world, e, Speed), SETT_STATUS_ARGUMENT);
    CHECK(was_told("SETT_REMOVE: component 1"));
    CHECK(failed(world));
    CHECK(SETT_ADD(world, bare, Speed) == NULL);
    CHECK(was_told("SETT_ADD: component 1"));
    CHECK(failed(world));
    CHECK(!SETT_ADD_TAG(world, bare, Speed));
    CHECK(was_told("SETT_ADD_TAG: component 1"));
    CHECK(failed(world));
    sett_commands* commands = sett_commands_here(world);
    CHECK_PTR_EQ(sett_commands_world(commands), world);
    CHECK_EQ(SETT_CMD_SET(commands, bare, Speed, 3, 4), SETT_STATUS_ARGUMENT);
    CHECK(was_told("SETT_CMD_SET: component 1"));
    CHECK(!failed(world));
    CHECK_EQ(SETT_CMD_ADD(commands, bare, Speed), SETT_STATUS_ARGUMENT);
    CHECK(was_told("SETT_CMD_ADD: component 1"));
    CHECK(!failed(world));
    CHECK_EQ(SETT_CMD_REMOVE(commands, e, Speed), SETT_STATUS_ARGUMENT);
    CHECK(was_told("SETT_CMD_REMOVE: component 1"));
    CHECK(!failed(world));
    CHECK_EQ(sett_commands_count(commands), 0);
    CHECK(SETT_SINGLETON_SET(world, Speed, 3, 4) == NULL);
    CHECK(was_told("SETT_SINGLETON_SET: component 1"));
    CHECK(failed(world));
    CHECK(SETT_SINGLETON_ENSURE(world, Speed) == NULL);
    CHECK(was_told("SETT_SINGLETON_ENSURE: component 1"));
    CHECK(failed(world));
    CHECK(SETT_SINGLETON_GET(world, Speed) == NULL);
    CHECK(was_told("SETT_SINGLETON_GET: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_SINGLETON_GET_MUT(world, Speed) == NULL);
    CHECK(was_told("SETT_SINGLETON_GET_MUT: component 1"));
    CHECK(!failed(world));
    const Speed speed = {3, 4};
    CHECK(sett_is_null(SETT_CREATE(world, SETT_VALUE_OF(Speed, &speed))));
    CHECK(was_told("component 1 \"Place\" has values of type Place (8 bytes), not Speed"));
    CHECK(failed(world));
    CHECK(SETT_SINGLETON_FIND(world, Speed) == NULL);
    CHECK(was_told("SETT_SINGLETON_FIND: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_SINGLETON_FIND_MUT(world, Speed) == NULL);
    CHECK(was_told("SETT_SINGLETON_FIND_MUT: component 1"));
    CHECK(!failed(world));
    CHECK(SETT_GET(world, e, Place)->x == 1 && !sett_has(world, bare, Place_id));
    CHECK_EQ(heard_count, 0);
    sett_world_destroy(world);
}

static void values_in_variables_are_listed(void)
{
    typedef struct Variant {
        Place place;
        Speed speed;
    } Variant;
    static const Variant fast = {{1, 2}, {30, 40}};
    sett_world* world = make_world();
    sett_component Place_id = SETT_REGISTER(world, Place);
    sett_component Speed_id = SETT_REGISTER(world, Speed);
    const Variant* chosen = &fast;
    Speed own = chosen->speed;
    sett_entity e = SETT_CREATE(world, SETT_VALUE_OF(Place, &chosen->place),
                                SETT_VALUE_OF(Speed, &own), SETT_VALUE_TAG(sett_prefab));
    CHECK(sett_is_null(e)); /* not registered */
    heard_count = 0;
    CHECK_EQ(sett_prefab_tag(world), (uint32_t)sett_prefab_id);
    e = SETT_CREATE(world, SETT_VALUE_OF(Place, &chosen->place), SETT_VALUE_OF(Speed, &own),
                    SETT_VALUE_TAG(sett_prefab));
    CHECK(SETT_GET(world, e, Place)->y == 2 && SETT_GET(world, e, Speed)->x == 30);
    CHECK_EQ(heard_count, 0);
    sett_world_destroy(world);
}

static void tags_of_the_library_are_named(void)
{
    sett_world* world = make_world();
    sett_component Place_id = SETT_REGISTER(world, Place);
    CHECK_EQ(sett_prefab_tag(world), (uint32_t)sett_prefab_id);
    CHECK_EQ(sett_disabled_tag(world), (uint32_t)sett_disabled_id);
    CHECK_EQ(sett_instance_of(world), (uint32_t)sett_instance_of_id);
    sett_entity e = SETT_CREATE(world, SETT_VALUE(Place, 1, 2));
    sett_entity prefab = SETT_CREATE(world, SETT_VALUE(Place, 3, 4), SETT_VALUE_TAG(sett_prefab));
    sett_entity off = sett_instantiate_with(
        world,
        &(sett_instantiate_desc){.prefab = prefab, SETT_VALUES(SETT_VALUE_TAG(sett_disabled))});
    CHECK(SETT_HAS(world, prefab, sett_prefab) && !SETT_HAS(world, e, sett_prefab));
    CHECK(SETT_HAS(world, off, sett_disabled) && SETT_HAS(world, off, sett_instance_of));
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Place));
    sett_query* prefabs = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_WITH(sett_prefab));
    sett_query* without = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_WITHOUT(sett_prefab),
                                            SETT_OPTIONAL(sett_disabled));
    CHECK_EQ(sett_query_count(query), 1);
    CHECK_EQ(sett_query_count(prefabs), 1);
    CHECK_EQ(sett_query_count(without), 2);
    CHECK_EQ(heard_count, 0);
    sett_world_destroy(world);
}

static void sizes_are_compared_where_names_are_not_known(void)
{
    sett_world* world = make_world();
    sett_component Place_id = sett_component_register(
        world, &(sett_component_desc){.name = "spot", .size = sizeof(Place), .align = 4});
    sett_component Speed_id = Place_id;
    sett_component Wide_id = Place_id;
    sett_entity e = sett_entity_create(world);
    CHECK(SETT_SET(world, e, Place, 1, 2) != NULL);
    CHECK(SETT_GET(world, e, Speed)->y == 2); /* the same size, and no C type is known */
    CHECK_EQ(heard_count, 0);
    CHECK(SETT_GET(world, e, Wide) == NULL);
    CHECK(was_told(
        "SETT_GET: component 1 \"spot\" has values of type unknown (8 bytes), not Wide (12 "
        "bytes)"));
    sett_world_destroy(world);
}

static void the_c_type_is_not_the_name(void)
{
    sett_world* world = make_world();
    /* a second pool of the same C type, and a name with a namespace */
    sett_component_desc desc = {SETT_TYPE(Place)};
    desc.name = "game.Place";
    sett_component Place_id = sett_component_register(world, &desc);
    desc.name = "game.Goal";
    sett_component goal = sett_component_register(world, &desc);
    CHECK(goal != Place_id);
    sett_entity e = sett_entity_create(world);
    CHECK(SETT_SET(world, e, Place, 1, 2) != NULL);
    sett_component_desc described;
    CHECK_EQ(sett_component_describe(world, goal, &described), SETT_OK);
    CHECK_STR_EQ(described.type_name, "Place");
    CHECK_EQ(heard_count, 0);
    Place_id = goal;
    CHECK(SETT_FIND(world, e, Place) == NULL);
    CHECK_EQ(heard_count, 0);
    sett_world_destroy(world);
}

static void registering_again_compares_the_c_type(void)
{
    sett_world* world = make_world();
    sett_component unknown = sett_component_register(
        world, &(sett_component_desc){.name = "Place", .size = sizeof(Place), .align = 4});
    sett_component Place_id = SETT_REGISTER(world, Place); /* now it is known */
    CHECK_EQ(Place_id, unknown);
    CHECK_EQ(sett_component_register(
                 world, &(sett_component_desc){.name = "Place", .size = sizeof(Place), .align = 4}),
             unknown);
    CHECK_EQ(heard_count, 0);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "Place",
                                                                   .type_name = "Speed",
                                                                   .size = sizeof(Place),
                                                                   .align = 4}),
             0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "C type Place, not Speed") != NULL);
    heard_count = 0;
    sett_component Speed_id = Place_id;
    CHECK(SETT_FIND(world, sett_null(), Speed) == NULL);
    CHECK(was_told("of type Place (8 bytes), not Speed"));
    /* the text is compared, not where it lies */
    static const char text[] = "const Place";
    CHECK(sett_component_check_type_(world, Place_id, sizeof(Place), text + 6, "test"));
    CHECK(sett_component_check_type_(world, Place_id, sizeof(Place), text, "test"));
    CHECK_EQ(heard_count, 0);
    sett_world_destroy(world);
}

/* ---- Links ----------------------------------------------------------------------------------- */

typedef struct Debt {
    int32_t amount;
} Debt;

#define BONDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Debt, .relationship = SETT_RELATIONSHIP(.many = true))                               \
    TAG(Knows, .relationship = SETT_RELATIONSHIP())
SETT_COMPONENTS_FROM(BONDS, 20)

/* The data is what it was: a write as another type would go into the neighbours of the link. */
static void check_debts(sett_world* world, const sett_entity* e)
{
    for (int32_t k = 1; k < 4; k++) {
        CHECK_EQ(SETT_RELATED(world, e[0], Debt, e[k])->amount, 100 + k);
    }
    CHECK_EQ(heard_count, 0);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
}

static void data_of_links_is_compared(void)
{
    sett_world* world = make_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, BONDS), SETT_OK);
    CHECK_EQ(SETT_REGISTER_ALL(world, BONDS), SETT_OK);
    sett_component Place_id = Debt_id; /* the mistakes */
    sett_component Wide_id = Knows_id;
    sett_component Speed_id = SETT_REGISTER(world, Speed);
    sett_entity e[4];
    for (int32_t k = 0; k < 4; k++) {
        e[k] = sett_entity_create(world);
        if (k > 0) {
            SETT_RELATE(world, e[0], Debt, e[k])->amount = 90 + k;
            SETT_RELATED_MUT(world, e[0], Debt, e[k])->amount += 10;
        }
    }
    sett_commands* commands = sett_commands_here(world);
    CHECK(SETT_RELATED(world, e[1], Debt, e[2]) == NULL);
    CHECK_EQ(SETT_CMD_RELATE(commands, e[1], Debt, e[2], .amount = 7), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    CHECK_EQ(SETT_RELATED(world, e[1], Debt, e[2])->amount, 7);
    check_debts(world, e);
    CHECK(SETT_RELATED_MUT(world, e[0], Place, e[1]) == NULL);
    CHECK(was_told("2 SETT_RELATED_MUT: links of \"Debt\" have data of type Debt (4 bytes), not "
                   "Place (8 bytes) - is Place_id the id of another relationship?"));
    CHECK(SETT_RELATED(world, e[0], Place, e[1]) == NULL);
    CHECK(was_told("SETT_RELATED: links of \"Debt\""));
    CHECK(!failed(world));
    CHECK(SETT_RELATE(world, e[0], Place, e[1]) == NULL);
    CHECK(was_told("SETT_RELATE: links of \"Debt\""));
    CHECK(failed(world));
    CHECK_EQ(SETT_CMD_RELATE(commands, e[0], Place, e[1], .x = 1), SETT_STATUS_ARGUMENT);
    CHECK(was_told("SETT_CMD_RELATE: links of \"Debt\""));
    CHECK(!failed(world));
    CHECK_EQ(sett_commands_count(commands), 0);
    CHECK(SETT_RELATE(world, e[0], Wide, e[1]) == NULL);
    CHECK(was_told("SETT_RELATE: links of \"Knows\" have no data - sett_relate adds a link"));
    CHECK(SETT_RELATED(world, e[0], Speed, e[1]) == NULL);
    CHECK(
        was_told("\"Speed\" is not a relationship - pass one that sett_relationship_register has"));
    CHECK(!sett_has(world, e[0], Knows_id));
    check_debts(world, e);
    sett_world_destroy(world);
}

static void the_type_of_data_is_known_from_a_descriptor(void)
{
    typedef struct Loan {
        int32_t amount;
    } Loan;
    typedef struct Owes {
        sett_link link;
        int32_t amount;
    } Owes;
    sett_world* world = make_world();
    sett_component Loan_id = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Owes", SETT_LINK_DATA(Loan)});
    sett_component Owes_id = Loan_id;
    sett_entity a = sett_entity_create(world);
    SETT_RELATE(world, a, Loan, a)->amount = 3;
    CHECK_EQ(SETT_GET(world, a, Owes)->amount, 3);
    CHECK(SETT_RELATED(world, a, Owes, a) == NULL); /* the link and its data */
    CHECK(was_told("SETT_RELATED: links of \"Owes\" have data of 4 bytes, not Owes (20 bytes) - "
                   "pass the type of the data alone, without the sett_link"));
    CHECK_EQ(sett_relationship_register(
                 world, &(sett_relationship_desc){.name = "Owes", .type_name = "Wide", .size = 4}),
             0);
    CHECK(strstr(sett_world_message(world), "registered already") != NULL);
    CHECK_EQ(
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes", .size = 4}),
        Loan_id); /* unknown */
    sett_world* copy = make_world();
    CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
    typedef struct Coin {
        int32_t amount;
    } Coin;
    sett_component Coin_id = Loan_id;
    CHECK_EQ(SETT_RELATED(copy, a, Loan, a)->amount, 3);
    CHECK(SETT_RELATED(copy, a, Coin, a) == NULL);
    CHECK(was_told("have data of type Loan (4 bytes), not Coin (4 bytes)"));
    sett_world_destroy(copy);
    sett_world_destroy(world);
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static void access_is_compared_with_the_term(void)
{
    sett_world* world = make_world();
    sett_component Place_id = SETT_REGISTER(world, Place);
    sett_component Speed_id = SETT_REGISTER(world, Speed);
    sett_component Wide_id = SETT_REGISTER(world, Wide);
    const sett_component all[] = {Place_id, Speed_id, Wide_id};
    CHECK_EQ(sett_entity_create_many(world, 3000, all, 3, NULL, NULL), SETT_OK);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_INOUT(Place), SETT_IN(Speed), SETT_OUT(Wide));
    SETT_FOR(query, b, i) {
        SETT_FIELD_MUT(b, 0, Place)[i].x += SETT_FIELD(b, 1, Speed)[i].x + 1;
        SETT_FIELD_MUT(b, 2, Wide)[i].z = SETT_FIELD(b, 0, Place)[i].x;
    }
    CHECK_EQ(heard_count, 0);
    /* reported once a loop, not once a row, and the field is there */
    SETT_FOR(query, b, i) {
        SETT_FIELD_MUT(b, 1, Speed)[i].x = 1;
    }
    CHECK(was_told(
        "SETT_FIELD_MUT: term 1 of query \"Place, Speed, Wide\" (\"Speed\") is declared as read "
        "only - declare SETT_INOUT or SETT_OUT to write it"));
    float sum = 0;
    SETT_FOR(query, b, i) {
        sum += SETT_FIELD(b, 2, Wide)[i].z;
    }
    CHECK(sum == 3000);
    CHECK(was_told("SETT_FIELD: term 2 of query \"Place, Speed, Wide\" (\"Wide\") is declared "
                   "SETT_OUT, so its values must not be read"));
    sett_world_destroy(world);
}

static void a_field_is_found_by_its_type(void)
{
    sett_world* world = make_world();
    sett_component Place_id = SETT_REGISTER(world, Place);
    sett_component Speed_id = SETT_REGISTER(world, Speed);
    sett_component Wide_id = SETT_REGISTER(world, Wide);
    const sett_component all[] = {Place_id, Speed_id, Wide_id};
    CHECK_EQ(sett_entity_create_many(world, 3000, all, 3, NULL, NULL), SETT_OK);
    sett_query* query =
        SETT_QUERY_CREATE(world, SETT_WITH(Wide), SETT_IN(Speed), SETT_INOUT(Place));
    uint32_t rows = 0;
    SETT_QUERY_EACH(query, b) {
        CHECK(SETT_FIELD_OF(b, Speed) != NULL && SETT_FIELD_OF_MUT(b, Place) != NULL);
        CHECK_PTR_EQ(SETT_FIELD_OF(b, Speed), b->fields[1]);
        CHECK_PTR_EQ(SETT_FIELD_OF_MUT(b, Place), b->fields[2]);
        CHECK_PTR_EQ(SETT_FIELD_OF(b, Place), b->fields[2]);
        rows += b->count;
    }
    CHECK_EQ(rows, 3000);
    CHECK_EQ(heard_count, 0);
    SETT_QUERY_EACH(query, b) { /* once a loop */
        CHECK_PTR_EQ(SETT_FIELD_OF_MUT(b, Speed), b->fields[1]);
    }
    CHECK(was_told("SETT_FIELD_OF_MUT: term 1 of query \"Wide, Speed, Place\" (\"Speed\") is "
                   "declared as read only"));
    SETT_QUERY_EACH(query, b) {
        CHECK(SETT_FIELD_OF(b, Wide) == NULL); /* the term only asks whether it is present */
        sett_batch_stop(b);
    }
    CHECK(was_told("SETT_FIELD_OF: query \"Wide, Speed, Place\" has no term with values of Wide - "
                   "add a term"));
    CHECK(sett_hierarchy_register(world, NULL) != 0);
    sett_query* up = SETT_QUERY_CREATE(world, SETT_IN(Speed), SETT_PARENT(Place));
    sett_entity parent = sett_entity_at(world, 0);
    CHECK_EQ(sett_hierarchy_attach(world, sett_entity_at(world, 1), parent), SETT_OK);
    SETT_QUERY_EACH(up, b) {
        CHECK(SETT_FIELD_OF(b, Place) == NULL);
    }
    CHECK(was_told("has values of Place from another entity than the visited one - use "
                   "SETT_FIELD_FROM"));
    sett_world_destroy(world);
}

static void a_field_of_another_type_is_reported(void)
{
    sett_world* world = make_world();
    sett_component Place_id = SETT_REGISTER(world, Place);
    sett_component Speed_id = SETT_REGISTER(world, Speed);
    sett_component plain = sett_component_register(
        world, &(sett_component_desc){.name = "untyped", .size = sizeof(Place), .align = 4});
    const sett_component all[] = {Place_id, Speed_id, plain};
    CHECK_EQ(sett_entity_create_many(world, 10, all, 3, NULL, NULL), SETT_OK);
    sett_query* query = sett_query_create(
        world,
        &(sett_query_desc){.terms = {SETT_INOUT(Place), SETT_IN(Speed), {.component = plain}}});
    SETT_QUERY_EACH(query, b) {
        CHECK(SETT_FIELD(b, 0, Place) == b->fields[0] && SETT_FIELD(b, 1, Speed) == b->fields[1]);
        CHECK(SETT_FIELD(b, 0, Place) == b->fields[0]);
        CHECK(SETT_FIELD_MUT(b, 2, Speed) == b->fields[2]);
        CHECK_EQ(heard_count, 0);
        CHECK(SETT_FIELD(b, 0, Speed) == NULL);
        CHECK(was_told(
            "SETT_FIELD: term 0 of query \"Place, Speed, untyped\" as Speed: \"Place\" has "
            "values of type Place (8 bytes), not Speed (8 bytes) - term 1 has values of this "
            "type"));
        CHECK(SETT_FIELD_MUT(b, 1, Wide) == NULL);
        CHECK(
            was_told("SETT_FIELD_MUT: term 1 of query \"Place, Speed, untyped\" as Wide: \"Speed\" "
                     "has values of type Speed (8 bytes), not Wide (12 bytes)"));
        CHECK(SETT_FIELD(b, 0, Place) == b->fields[0]);
    }
    sett_world_destroy(world);
}

static void types_of_the_library_are_compared_too(void)
{
    sett_world* world = make_world();
    CHECK_EQ(sett_hierarchy_register(world, NULL), sett_hierarchy_id);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, sett_hierarchy_id) != NULL);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(sett_hierarchy));
    SETT_FOR(query, b, i) {
        CHECK(SETT_FIELD(b, 0, sett_hierarchy) != NULL);
        CHECK(SETT_FIELD(b, 0, Wide) == NULL && i == 0);
    }
    CHECK(was_told("has values of type sett_hierarchy"));
    sett_world_destroy(world);
}

TEST_MAIN(TEST(values_of_another_type_are_reported), TEST(values_in_variables_are_listed),
          TEST(tags_of_the_library_are_named), TEST(sizes_are_compared_where_names_are_not_known),
          TEST(the_c_type_is_not_the_name), TEST(registering_again_compares_the_c_type),
          TEST(data_of_links_is_compared), TEST(the_type_of_data_is_known_from_a_descriptor),
          TEST(access_is_compared_with_the_term), TEST(a_field_is_found_by_its_type),
          TEST(a_field_of_another_type_is_reported), TEST(types_of_the_library_are_compared_too))
