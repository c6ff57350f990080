/* relations.c: misuses of hierarchies, names, relationships and prefabs. */
#include "misuse_table.h"

static void instantiate_twice_listed(scene* s)
{
    NO_ENTITY(sett_instantiate_with(
        s->world,
        &(sett_instantiate_desc){
            .prefab = s->f, SETT_VALUES(SETT_VALUE(Position, 1, 2), SETT_VALUE(Position, 3, 4))}));
}

static void attach_in_a_cycle(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    FAILS(sett_hierarchy_attach(s->world, s->f, s->e), CYCLE);
}

static void attach_to_the_dead(scene* s)
{
    FAILS(sett_hierarchy_attach(s->world, s->e, s->dead), STALE);
}

static void name_taken(scene* s)
{
    FAILS(sett_name_set(s->world, s->f, "ship"), CONFLICT);
}

static void name_that_leads_up(scene* s)
{
    FAILS(sett_name_set(s->world, s->e, ".."), ARGUMENT);
}

static void name_with_a_slash(scene* s)
{
    FAILS(sett_name_set(s->world, s->f, "a/b"), ARGUMENT);
}

static void destroy_rejected(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(s->world, s->f, SETT_CHILDREN_REJECT), SETT_OK);
    FAILS(sett_entity_destroy(s->world, s->f), REJECTED);
}

static void relate_by_a_component(scene* s)
{
    IS_NULL(sett_relate(s->world, s->e, Position_id, s->f));
}

static void record_a_link_by_a_component(scene* s)
{
    FAILS(sett_cmd_relate(s->own, s->e, Position_id, s->f, NULL), ARGUMENT);
}

static void follow_a_component(scene* s)
{
    NO_ENTITY(sett_target(s->world, s->e, Position_id));
}

static void relate_by_the_hierarchy(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    IS_NULL(sett_relate(s->world, s->e, SETT_ID_HIERARCHY, s->f));
}

static void follow_the_hierarchy(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    NO_ENTITY(sett_target(s->world, s->e, SETT_ID_HIERARCHY));
}

static void relate_to_the_dead(scene* s)
{
    IS_NULL(sett_relate(s->world, s->e, s->owes, s->dead));
}

static void instantiate_the_dead(scene* s)
{
    FAILS(sett_instantiate(s->world, s->dead, 1, NULL), STALE);
}

static void path_with_dots(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->f, s->e), SETT_OK);
    CHECK_EQ(sett_name_set(s->world, s->f, "gun"), SETT_OK);
    CHECK_ENTITY_EQ(sett_name_lookup(s->world, sett_null(), "ship/gun"), s->f);
    NO_ENTITY(sett_name_lookup(s->world, sett_null(), "ship.gnu"));
    CHECK_EQ(s->lines, 0); /* slashes would lead nowhere, too */
    NO_ENTITY(sett_name_lookup(s->world, sett_null(), "ship.gun"));
}

static const misuse relations_rows[] = {
    {"attach an entity to its own child", "CYCLE", attach_in_a_cycle, EVERY},
    {"attach to a destroyed parent", "STALE", attach_to_the_dead, EVERY},
    {"give two siblings one name", "CONFLICT", name_taken, EVERY},
    {"a name with a slash", "ARGUMENT", name_with_a_slash, EVERY},
    {"a name that leads up a path", "ARGUMENT", name_that_leads_up, EVERY},
    {"look up a path with dots", "null", path_with_dots, LOGGED},
    {"destroy a parent whose policy rejects it", "REJECTED", destroy_rejected, EVERY},
    {"`sett_relate` with a component that is no relationship", "NULL", relate_by_a_component,
     EVERY},
    {"`sett_cmd_relate` with a component that is no relationship", "ARGUMENT",
     record_a_link_by_a_component, LOGGED},
    {"`sett_target`, `sett_is_related` and the like of a component that is no relationship",
     "null, false, 0", follow_a_component, EVERY},
    {"`sett_target` of the hierarchy", "null", follow_the_hierarchy, EVERY},
    {"`sett_relate` with the hierarchy", "NULL", relate_by_the_hierarchy, EVERY},
    {"relate to a destroyed entity", "NULL", relate_to_the_dead, EVERY},
    {"instantiate a destroyed prefab", "STALE", instantiate_the_dead, EVERY},
    {"instantiate with a component listed twice", "null", instantiate_twice_listed, EVERY},
};

const misuse_section misuse_relations =
    MISUSE_SECTION("Hierarchies, names, relationships, prefabs", relations_rows);
