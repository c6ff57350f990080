/* structure.c: misuses of structure at the wrong time, and types. */
#include "misuse_table.h"

static void destroy_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        FAILS(sett_entity_destroy(s->world, sett_batch_entity(b, i)), LOCKED);
        break;
    }
}

static void add_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        IS_NULL(sett_add(s->world, sett_batch_entity(b, i), Velocity_id));
        break;
    }
}

static void world_destroyed_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_world_destroy(s->world), LOCKED);
        break;
    }
}

static void query_destroyed_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_query_destroy(s->query), LOCKED);
        break;
    }
}

static void apply_in_loop(scene* s)
{
    CHECK_EQ(SETT_CMD_ADD(s->own, s->e, Velocity), SETT_OK);
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_commands_apply(s->own), LOCKED);
        break;
    }
    CHECK_EQ(sett_commands_apply(s->own), SETT_OK);
}

static void snapshot_in_loop(scene* s)
{
    sett_snapshot snapshot;
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_snapshot_take(s->world, &snapshot), LOCKED);
        break;
    }
}

static void create_in_callback_run(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity, (void)value, (void)user;
    NO_ENTITY(sett_entity_create(world));
}

static void create_in_callback(scene* s)
{
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.name = "births",
                                                               .component = Velocity_id,
                                                               .on_add = create_in_callback_run}) !=
          NULL);
    CHECK(sett_add(s->world, s->e, Velocity_id) != NULL);
}

static int compare_and_remove(const void* a, const void* b, void* user)
{
    const scene* s = user;
    FAILS(sett_remove(s->world, s->f, Sprite_id), LOCKED);
    return (int)((const Sprite*)a)->layer - (int)((const Sprite*)b)->layer;
}

static void structure_in_comparator(scene* s)
{
    CHECK(sett_set(s->world, s->e, Sprite_id, &(Sprite){1}) != NULL);
    CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id,
                                                   .compare = compare_and_remove,
                                                   .user = s}),
             SETT_OK);
}

static sett_world* init_world;

static void init_and_create(void* values, uint32_t count, void* user)
{
    (void)user;
    memset(values, 0, count * sizeof(uint32_t));
    NO_ENTITY(sett_entity_create(init_world));
}

static void structure_in_value_hook(scene* s)
{
    sett_component id = sett_component_register(
        s->world, &(sett_component_desc){.name = "Hooked", .size = 4, .init = init_and_create});
    init_world = s->world;
    CHECK(sett_add(s->world, s->e, id) != NULL);
}

static void set_again(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value, (void)user;
    (void)sett_set(world, entity, Velocity_id, &(Velocity){0});
}

static void sets_without_end(scene* s)
{
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.name = "echo",
                                                               .component = Velocity_id,
                                                               .on_set = set_again}) != NULL);
    CHECK(sett_set(s->world, s->e, Velocity_id, &(Velocity){0}) != NULL);
    CHECK_EQ(sett_world_error(s->world), SETT_STATUS_LIMIT);
}

static void type_with_another_size(scene* s)
{
    NO_ID(
        sett_component_register(s->world, &(sett_component_desc){.name = "Position", .size = 12}));
}

static void type_with_a_taken_id(scene* s)
{
    NO_ID(sett_component_register(s->world,
                                  &(sett_component_desc){.name = "Other", .id = Position_id}));
}

static void type_with_an_id_of_the_library(scene* s)
{
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.name = "Other", .id = 1030}));
}

static void type_misaligned(scene* s)
{
    NO_ID(sett_component_register(s->world,
                                  &(sett_component_desc){.name = "Other", .size = 12, .align = 3}));
}

static void type_without_a_name(scene* s)
{
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.size = 12}));
}

static void type_references_overlap(scene* s)
{
    const uint32_t offsets[2] = {0, 4};
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.name = "Other",
                                                                   .size = 16,
                                                                   .entity_offsets = offsets,
                                                                   .entity_offset_count = 2}));
}

static void type_requires_unknown(scene* s)
{
    const sett_component required = 999;
    NO_ID(sett_component_register(
        s->world,
        &(sett_component_desc){.name = "Other", .required = &required, .required_count = 1}));
}

static void type_array_keeps_order(scene* s)
{
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.name = "Other",
                                                                   .size = 4,
                                                                   .storage = SETT_STORAGE_ARRAY,
                                                                   .keep_order = true}));
}

static void sort_an_array(scene* s)
{
    sett_component id = sett_component_register(
        s->world,
        &(sett_component_desc){.name = "Fixed", .size = 4, .storage = SETT_STORAGE_ARRAY});
    FAILS(sett_sort(s->world, &(sett_sort_desc){.component = id, .key = SETT_KEY_U32}), ARGUMENT);
}

static void sort_an_array_with_snapshots(scene* s)
{
    sett_snapshot snapshot;
    sett_sort_desc by_x = {.component = Position_id, .key = SETT_KEY_F32};
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    FAILS(sett_sort(s->world, &by_x), LOCKED);
    CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id, .key = SETT_KEY_U32}),
             SETT_OK); /* registered as a sparse set */
    sett_snapshot_drop_all(s->world);
    CHECK_EQ(sett_sort(s->world, &by_x), SETT_OK);
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    by_x.reverse = true;
    CHECK_EQ(sett_sort(s->world, &by_x), SETT_OK); /* it is in one since */
}

static void sort_by_nothing(scene* s)
{
    FAILS(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id}), ARGUMENT);
}

static void sort_by_another_kind(scene* s)
{
    FAILS(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id, .key = SETT_KEY_F32}),
          ARGUMENT);
}

static const misuse structure_rows[] = {
    {"destroy an entity inside a loop", "LOCKED", destroy_in_loop, EVERY},
    {"add a component inside a loop", "NULL", add_in_loop, EVERY},
    {"destroy the world inside a loop", "LOCKED", world_destroyed_in_loop, EVERY},
    {"destroy a query inside a loop over it", "LOCKED", query_destroyed_in_loop, EVERY},
    {"apply commands inside a loop", "LOCKED", apply_in_loop, EVERY},
    {"take a snapshot inside a loop", "LOCKED", snapshot_in_loop, EVERY},
    {"create an entity in a callback", "null", create_in_callback, EVERY},
    {"remove a component in a comparator of `sett_sort`", "LOCKED", structure_in_comparator, EVERY},
    {"create an entity in a hook of values", "null", structure_in_value_hook, EVERY},
    {"set a value in its own on_set, without end", "NULL, after 64", sets_without_end, EVERY},
};

const misuse_section misuse_structure =
    MISUSE_SECTION("Structure at the wrong time", structure_rows);

static const misuse types_rows[] = {
    {"register a type again, with another size", "0", type_with_another_size, EVERY},
    {"register a type with an id that another one has", "0", type_with_a_taken_id, EVERY},
    {"register a type with an id of the library", "0", type_with_an_id_of_the_library, EVERY},
    {"an alignment that is no power of two", "0", type_misaligned, EVERY},
    {"a type without a name", "0", type_without_a_name, EVERY},
    {"entity references that overlap", "0", type_references_overlap, EVERY},
    {"require a type that is not registered", "0", type_requires_unknown, EVERY},
    {"an array with keep_order", "0", type_array_keeps_order, EVERY},
    {"sort a type that was registered as an array", "ARGUMENT", sort_an_array, EVERY},
    {"sort a type in an array while snapshots are held", "LOCKED", sort_an_array_with_snapshots,
     EVERY},
    {"sort by no key", "ARGUMENT", sort_by_nothing, EVERY},
    {"sort a uint32_t as a float", "ARGUMENT", sort_by_another_kind, EVERY},
};

const misuse_section misuse_types = MISUSE_SECTION("Types", types_rows);
