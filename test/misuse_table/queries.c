/* queries.c: misuses of queries, groups, observers and commands. */
#include "misuse_table.h"

static void query_unregistered(scene* s)
{
    sett_component Ghost_id = 0;
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_IN(Position), SETT_IN(Ghost)));
}

static void query_hierarchy_unregistered(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_IN(sett_hierarchy)));
}

static void query_contradicts(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_IN(Position), SETT_WITHOUT(Position)));
}

static void query_writes_twice(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_INOUT(Position), SETT_OUT(Position)));
}

static void query_writes_names(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_INOUT(sett_name)));
}

static void query_without_descriptor(scene* s)
{
    IS_NULL(sett_query_create(s->world, NULL));
}

static void field_of_another_type(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)i;
        IS_NULL(SETT_FIELD(b, 0, Matrix));
        break;
    }
}

static void field_beyond_the_terms(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)i;
        IS_NULL(SETT_FIELD(b, 7, Position));
        break;
    }
}

static sett_query* looks_at_parents(scene* s)
{
    sett_entity child = SETT_CREATE(s->world, SETT_VALUE(Position, .x = 2));
    CHECK_EQ(sett_hierarchy_attach(s->world, child, s->e), SETT_OK);
    sett_query_desc desc = {.name = "parents", .terms = {SETT_IN(Position), SETT_PARENT(Position)}};
    return sett_query_create(s->world, &desc);
}

static void field_elsewhere(scene* s)
{
    SETT_FOR(looks_at_parents(s), b, i) {
        (void)i;
        IS_NULL(SETT_FIELD(b, 1, Position));
        IS_NULL(sett_batch_field(b, 1));
        break;
    }
}

static void field_from_of_another_type(scene* s)
{
    SETT_FOR(looks_at_parents(s), b, i) {
        IS_NULL(SETT_FIELD_FROM(b, 1, i, Matrix));
        break;
    }
}

static void field_from_here(scene* s)
{
    SETT_FOR(looks_at_parents(s), b, i) {
        IS_NULL(sett_batch_from(b, 0, i));
        break;
    }
}

static void system_without_terms(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        (void)b;
        (void)i;
    }
}

static void loops_without_terms(scene* s)
{
    CHECK(SETT_SYSTEM(s->world, system_without_terms, .phase = 0) != NULL);
    CHECK_EQ(sett_progress(s->world, 1), SETT_OK);
}

static void field_written_not_declared(scene* s)
{
    sett_query* reads = sett_query_create(
        s->world, &(sett_query_desc){.name = "reads", .terms = {SETT_IN(Position)}});
    SETT_FOR(reads, b, i) {
        (void)i;
        CHECK(SETT_FIELD_MUT(b, 0, Position) != NULL);
        break;
    }
}

static void batch_at_beyond(scene* s)
{
    SETT_FOR(s->query, b, i) {
        IS_NULL(sett_batch_at(b, 3, i));
        break;
    }
}

static void group_owns_an_owned_type(scene* s)
{
    CHECK(sett_group_create(s->world, &(sett_group_desc){.name = "first", .owned = {Sprite_id}}) !=
          NULL);
    IS_NULL(sett_group_create(
        s->world,
        &(sett_group_desc){.name = "second", .owned = {Sprite_id}, .with = {Position_id}}));
}

static void group_lists_twice(scene* s)
{
    IS_NULL(sett_group_create(
        s->world,
        &(sett_group_desc){.name = "twice", .with = {Position_id}, .without = {Position_id}}));
}

static void observer_without_callback(scene* s)
{
    IS_NULL(sett_observer_create(s->world,
                                 &(sett_observer_desc){.name = "deaf", .component = Position_id}));
}

static void watch_nothing(sett_world* world, sett_entity entity, void* user)
{
    (void)world, (void)entity, (void)user;
}

static void observer_of_dont_fragment(scene* s)
{
    IS_NULL(sett_observer_create(s->world, &(sett_observer_desc){.name = "marks",
                                                                 .terms = {SETT_WITH(Mark)},
                                                                 .on_enter = watch_nothing}));
}

static void commands_own_destroyed(scene* s)
{
    FAILS(sett_commands_destroy(s->own), ARGUMENT);
}

static void command_sets_null(scene* s)
{
    FAILS(sett_cmd_set(s->own, s->e, Velocity_id, NULL), ARGUMENT);
}

static void command_about_null(scene* s)
{
    FAILS(sett_cmd_add(s->own, sett_null(), Velocity_id), OK);
}

static void command_unregistered(scene* s)
{
    FAILS(sett_cmd_add(s->own, s->e, 999), UNREGISTERED);
}

static void plain_term_of_a_shared_type(scene* s)
{
    sett_entity copy;
    CHECK_EQ(sett_prefab_share(s->world, Sprite_id, true), SETT_OK);
    CHECK_EQ(sett_prefab_make(s->world, s->f), SETT_OK);
    CHECK_EQ(sett_instantiate(s->world, s->f, 1, &copy), SETT_OK);
    sett_query* query = sett_query_create(
        s->world,
        &(sett_query_desc){.name = "drawn", .terms = {SETT_IN(Position), SETT_IN(Sprite)}});
    SETT_FOR(query, b, i) {
        CHECK(false);
    }
}

static const misuse queries_rows[] = {
    {"a term of a type that was never registered", "NULL", query_unregistered, EVERY},
    {"a term of Hierarchy before its first use", "NULL", query_hierarchy_unregistered, EVERY},
    {"want and exclude a component", "NULL", query_contradicts, EVERY},
    {"write a component by two terms", "NULL", query_writes_twice, EVERY},
    {"write names in a loop", "NULL", query_writes_names, EVERY},
    {"no descriptor", "NULL", query_without_descriptor, EVERY},
    {"`SETT_FIELD` as another C type", "NULL", field_of_another_type, CHECKED},
    {"`SETT_FIELD` of a term that the query does not have", "NULL", field_beyond_the_terms,
     CHECKED},
    {"`SETT_FIELD` of a term that looks at another entity", "NULL", field_elsewhere, CHECKED},
    {"`SETT_FIELD_FROM` as another C type", "NULL", field_from_of_another_type, CHECKED},
    {"`sett_batch_from` of a term that looks at the visited entity", "NULL", field_from_here,
     EVERY},
    {"`SETT_SYSTEM_FOR` in a system without terms", "an empty loop", loops_without_terms, EVERY},
    {"loop over a plain term of what instances share", "an empty loop", plain_term_of_a_shared_type,
     LOGGED},
    {"write a field that is declared `SETT_IN`", "the field", field_written_not_declared, CHECKED},
    {"`sett_batch_at` of a term that the query does not have", "NULL", batch_at_beyond, EVERY},
};

const misuse_section misuse_queries = MISUSE_SECTION("Queries and fields", queries_rows);

static const misuse groups_rows[] = {
    {"own a type that another group owns", "NULL", group_owns_an_owned_type, EVERY},
    {"list a type twice in a group", "NULL", group_lists_twice, EVERY},
    {"an observer without a callback", "NULL", observer_without_callback, EVERY},
    {"observe a query with a dont_fragment type", "NULL", observer_of_dont_fragment, EVERY},
};

const misuse_section misuse_groups = MISUSE_SECTION("Groups and observers", groups_rows);

static const misuse commands_rows[] = {
    {"destroy the world's own buffer", "ARGUMENT", commands_own_destroyed, EVERY},
    {"record a value of NULL", "ARGUMENT", command_sets_null, EVERY},
    {"record about the null handle", "OK, and the command is skipped", command_about_null, LOGGED},
    {"record about a type that is not registered", "UNREGISTERED", command_unregistered, EVERY},
};

const misuse_section misuse_commands = MISUSE_SECTION("Commands", commands_rows);
