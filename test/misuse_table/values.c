/* values.c: misuses of values by handle. */
#include "misuse_table.h"

static void get_stale(scene* s)
{
    IS_NULL(sett_get(s->world, s->dead, Position_id));
}

static void get_null(scene* s)
{
    IS_NULL(sett_get(s->world, sett_null(), Position_id));
}

static void get_absent(scene* s)
{
    IS_NULL(sett_get(s->world, s->e, Velocity_id));
}

static void get_mut_absent(scene* s)
{
    IS_NULL(sett_get_mut(s->world, s->e, Velocity_id));
}

static void set_stale(scene* s)
{
    IS_NULL(sett_set(s->world, s->dead, Position_id, &(Position){0}));
}

static void set_reused(scene* s)
{
    CHECK_EQ(sett_entity_create(s->world).index, s->dead.index);
    IS_NULL(sett_set(s->world, s->dead, Position_id, &(Position){0}));
}

static void add_present(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, Position_id));
}

static void foreign_handle(scene* s)
{
    s->other = quiet_world();
    CHECK_EQ(sett_entity_set_range(s->other, 65536, 0), SETT_OK);
    IS_NULL(sett_add(s->world, sett_entity_create(s->other), Position_id));
}

static void forget_an_own_entity(scene* s)
{
    FAILS(sett_entity_forget(s->world, s->e), ARGUMENT);
}

static void reserved_handle(scene* s)
{
    sett_entity later = sett_cmd_create(s->own);
    IS_NULL(sett_add(s->world, later, Position_id));
    CHECK_EQ(sett_commands_apply(s->own), SETT_OK);
}

static void id_zero(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, 0));
}

static void find_zero(scene* s)
{
    IS_NULL(sett_find(s->world, s->e, 0));
}

static void id_unregistered(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, 999));
}

static void type_unregistered(scene* s)
{
    typedef struct Health {
        int points;
    } Health;
    sett_component Health_id = 0;
    IS_NULL(SETT_ADD(s->world, s->e, Health));
}

static void value_listed_as_tag(scene* s)
{
    NO_ENTITY(SETT_CREATE(s->world, SETT_VALUE_TAG(Position)));
}

static void value_of_a_tag(scene* s)
{
    CHECK(sett_set(s->world, s->e, Frozen_id, &(Position){0}) != NULL);
    CHECK(sett_has(s->world, s->e, Frozen_id));
}

static void set_null_value(scene* s)
{
    IS_NULL(sett_set(s->world, s->e, Position_id, NULL));
}

static void other_type(scene* s)
{
    sett_component Place_id = Position_id;
    typedef struct Place {
        int level;
    } Place;
    IS_NULL(SETT_GET(s->world, s->e, Place));
}

static void get_a_relationship(scene* s)
{
    sett_component Owes_id = s->owes;
    typedef struct Owes {
        int amount;
    } Owes;
    CHECK(sett_relate(s->world, s->e, s->owes, s->f) != NULL);
    IS_NULL(SETT_GET(s->world, s->e, Owes));
}

static void write_a_link_as_another_type(scene* s)
{
    typedef struct Coins {
        uint32_t gold, silver;
    } Coins;
    sett_component Coins_id = s->owes;
    CHECK(sett_relate(s->world, s->e, s->owes, s->f) != NULL);
    IS_NULL(SETT_RELATED_MUT(s->world, s->e, Coins, s->f));
}

static void get_an_absent_singleton(scene* s)
{
    IS_NULL(SETT_SINGLETON_GET(s->world, Velocity));
}

static void get_mut_hierarchy(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    IS_NULL(sett_get_mut(s->world, s->e, SETT_ID_HIERARCHY));
}

static void set_name_component(scene* s)
{
    IS_NULL(sett_set(s->world, s->e, SETT_ID_NAME, &(sett_name){7}));
}

static void add_relationship(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, s->owes));
}

static void create_twice_listed(scene* s)
{
    const sett_component list[2] = {Position_id, Position_id};
    FAILS(sett_entity_create_many(s->world, 1, list, 2, NULL, NULL), ARGUMENT);
}

static void list_without_items(scene* s)
{
    FAILS(sett_add_many(s->world, NULL, 2, Velocity_id), ARGUMENT);
}

static void add_a_tag_with_values(scene* s)
{
    CHECK(!SETT_ADD_TAG(s->world, s->e, Velocity));
}

typedef char Frozen; /* the C type of a tag, for those who have one */

static void add_a_value_of_a_tag(scene* s)
{
    IS_NULL(SETT_ADD(s->world, s->e, Frozen));
    IS_NULL(SETT_ENSURE(s->world, s->e, Frozen));
}

static void get_what_the_prefab_has(scene* s)
{
    CHECK_EQ(sett_prefab_share(s->world, Sprite_id, true), SETT_OK);
    CHECK_EQ(sett_prefab_make(s->world, s->f), SETT_OK);
    sett_entity copy;
    CHECK_EQ(sett_instantiate(s->world, s->f, 1, &copy), SETT_OK);
    IS_NULL(sett_get(s->world, copy, Sprite_id));
}

static const misuse values_rows[] = {
    {"read through a handle of a destroyed entity", "NULL", get_stale, EVERY},
    {"read through the null handle", "NULL", get_null, EVERY},
    {"`sett_get` of a component that the entity does not have", "NULL", get_absent, EVERY},
    {"`sett_get_mut` of one that it does not have", "NULL", get_mut_absent, EVERY},
    {"set through a handle of a destroyed entity", "NULL", set_stale, EVERY},
    {"the same when another entity has its index", "NULL", set_reused, EVERY},
    {"add a component twice", "NULL", add_present, EVERY},
    {"use a handle of another world", "NULL", foreign_handle, EVERY},
    {"use a handle of `sett_cmd_create` before its command is applied", "NULL", reserved_handle,
     EVERY},
    {"use an id that is 0, because the type was never registered", "NULL", id_zero, EVERY},
    {"ask for an id that is 0 (`sett_find`, `sett_has`)", "NULL, false", find_zero, EVERY},
    {"use an id that is not registered", "NULL", id_unregistered, EVERY},
    {"`SETT_ADD` of a type that was never registered", "NULL", type_unregistered, EVERY},
    {"set a value of NULL", "NULL", set_null_value, EVERY},
    {"give a value to a tag", "the tag, as with NULL", value_of_a_tag, LOGGED},
    {"`sett_get` of what only the prefab has", "NULL", get_what_the_prefab_has, EVERY},
    {"`SETT_ADD_TAG` of a type that has values", "false", add_a_tag_with_values, CHECKED},
    {"`SETT_ADD` of a tag", "NULL", add_a_value_of_a_tag, CHECKED},
    {"`SETT_VALUE_TAG` of a type that has values", "null", value_listed_as_tag, CHECKED},
    {"`SETT_GET` as another C type", "NULL", other_type, CHECKED},
    {"`SETT_GET` of a relationship", "NULL", get_a_relationship, CHECKED},
    {"`SETT_RELATED_MUT` as another C type", "NULL", write_a_link_as_another_type, CHECKED},
    {"`sett_singleton_get` of one that does not exist", "NULL", get_an_absent_singleton, EVERY},
    {"ask for a Hierarchy to write it", "NULL", get_mut_hierarchy, EVERY},
    {"set the component of a name", "NULL", set_name_component, EVERY},
    {"add the component of a relationship", "NULL", add_relationship, EVERY},
    {"forget an entity of the world's own range", "ARGUMENT", forget_an_own_entity, EVERY},
    {"create an entity with a component listed twice", "ARGUMENT", create_twice_listed, EVERY},
    {"give NULL instead of a list, with a count", "ARGUMENT", list_without_items, EVERY},
};

const misuse_section misuse_values = MISUSE_SECTION("Handles and values", values_rows);
