/* test_unregister.c: component types that end. */
#include "owned.h"
#include "sett/prefab.h"
#include "world/world.h"
#include "worlds.h"

typedef struct Old {
    int32_t a;
} Old;

typedef struct New {
    int64_t a, b, c;
} New;

static const sett_component_desc old_desc = {SETT_TYPE(Old), .can_disable = true};
static const sett_component_desc new_desc = {.name = "Old", .size = sizeof(New)};

static void must_reject(sett_world* world, sett_component component, sett_status status,
                        const char* text)
{
    uint32_t count = sett_component_count(world, component);
    CHECK_EQ(sett_component_unregister(world, component), status);
    CHECK_MSG(strstr(sett_world_message(world), text) != NULL, "\"%s\" is not in: %s", text,
              sett_world_message(world));
    CHECK_EQ(sett_component_count(world, component), count);
    CHECK_VALID(world);
}

static void another_type_gets_name_and_id(void)
{
    sett_world* world = quiet_world();
    sett_component other = sett_component_register(world, &(sett_component_desc){.name = "Other"});
    for (uint32_t round = 0; round < 3; round++) {
        sett_component id = sett_component_register(world, round % 2 ? &new_desc : &old_desc);
        CHECK_EQ(id, 2);
        sett_entity entities[100];
        CHECK_EQ(sett_entity_create_many(world, 100, &id, 1, NULL, entities), SETT_OK);
        CHECK(sett_add(world, entities[7], other) != NULL);
        CHECK(round % 2 || sett_enable(world, entities[9], id, false) == SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(sett_component_find(world, "Old"), 0);
        CHECK_EQ(sett_component_find(world, "Old off"), 0);
        CHECK(!sett_has(world, entities[7], id) && sett_has(world, entities[7], other));
        CHECK(sett_find(world, entities[7], id) == NULL);
        CHECK(sett_add(world, entities[7], id) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
        CHECK_EQ(sett_component_unregister(world, id), SETT_STATUS_UNREGISTERED);
    }
    CHECK_END(world);
}

/* Two names under one hash lie behind each other: the second is found when the first has ended. */
static void names_stay_findable(void)
{
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < 200; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", k);
        sett_component id = sett_component_register(world, &(sett_component_desc){.name = name});
        if (k % 3 != 0) {
            CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
            CHECK_EQ(sett_component_find(world, name), 0);
        }
    }
    for (uint32_t k = 0; k < 200; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", k);
        CHECK_EQ(sett_component_find(world, name) != 0, k % 3 == 0);
    }
    CHECK_END(world);
}

static void idle(sett_context* context)
{
    (void)context;
}

static void ignore(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ++*(uint32_t*)user;
}

static void ignore_match(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    (void)user;
}

static int compare_nothing(const void* a, const void* b, void* user)
{
    (void)a, (void)b, (void)user;
    return 0;
}

static void what_uses_it_is_named(void)
{
    sett_world* world = quiet_world();
    uint32_t calls = 0;
    sett_component_desc described = old_desc;
    described.members = SETT_STRUCT(Old, a);
    sett_component id = sett_component_register(world, &described);
    sett_component other = sett_component_register(world, &(sett_component_desc){.name = "Other"});
    CHECK(sett_add(world, sett_entity_create(world), id) != NULL);

    sett_query* query = sett_query_create(
        world, &(sett_query_desc){.name = "q", .terms = {{.component = id, .access = SETT_IN}}});
    must_reject(world, id, SETT_STATUS_CONFLICT, "query \"q\"");
    sett_query_destroy(query);

    sett_system* system = sett_system_create(
        world,
        &(sett_system_desc){
            .name = "s", .run = idle, .terms = {{.component = other}}, .access_any_in = {id}});
    must_reject(world, id, SETT_STATUS_CONFLICT, "system \"s\"");
    sett_system_destroy(system);

    sett_search* search = sett_search_create(world, "Old($x), Other($x)");
    CHECK(search != NULL);
    must_reject(world, id, SETT_STATUS_CONFLICT, "search \"Old($x), Other($x)\"");
    sett_search_destroy(search);

    sett_query* others = sett_query_create(
        world, &(sett_query_desc){.name = "others", .terms = {{.component = other}}});
    sett_ordered* ordered = sett_ordered_create(
        world, &(sett_ordered_desc){.query = others, .component = id, .compare = compare_nothing});
    sett_ordered* second_order = sett_ordered_create(
        world,
        &(sett_ordered_desc){.query = others, .component = other, .compare = compare_nothing});
    CHECK(ordered != NULL && second_order != NULL);
    must_reject(world, id, SETT_STATUS_CONFLICT, "order \"others\"");
    sett_ordered_destroy(ordered);
    ordered = sett_ordered_create(world, &(sett_ordered_desc){.text = "Other order_by Old.a"});
    CHECK(ordered != NULL);
    must_reject(world, id, SETT_STATUS_CONFLICT, "order \"Other order_by Old.a\"");
    sett_ordered_destroy(ordered);
    sett_ordered_destroy(second_order);
    sett_query_destroy(others);

    sett_observer* observer = sett_observer_create(
        world,
        &(sett_observer_desc){.name = "o", .component = id, .on_remove = ignore, .user = &calls});
    must_reject(world, id, SETT_STATUS_CONFLICT, "observer \"o\"");
    sett_observer_destroy(observer);
    observer = sett_observer_create(world, &(sett_observer_desc){.name = "o",
                                                                 .component = other,
                                                                 .on_add = ignore,
                                                                 .user = &calls,
                                                                 .terms = {{.component = id}}});
    must_reject(world, id, SETT_STATUS_CONFLICT, "observer \"o\"");
    sett_observer_destroy(observer);
    observer = sett_observer_create(
        world,
        &(sett_observer_desc){.name = "o", .terms = {{.component = id}}, .on_enter = ignore_match});
    must_reject(world, id, SETT_STATUS_CONFLICT, "observer \"o\"");
    sett_observer_destroy(observer);

    sett_group* group =
        sett_group_create(world, &(sett_group_desc){.name = "g", .with = {id, other}});
    CHECK(group != NULL);
    must_reject(world, id, SETT_STATUS_CONFLICT, "group \"g\"");
    sett_group_destroy(group);

    sett_component needs = sett_component_register(
        world, &(sett_component_desc){.name = "Needs", .required = &id, .required_count = 1});
    must_reject(world, id, SETT_STATUS_CONFLICT, "component \"Needs\"");
    CHECK_EQ(sett_component_unregister(world, needs), SETT_OK);

    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    must_reject(world, id, SETT_STATUS_LOCKED, "sett_snapshot_drop_all");
    sett_snapshot_drop_all(world);

    sett_cmd_add(sett_commands_here(world), entity_from(world, 0), id);
    must_reject(world, id, SETT_STATUS_LOCKED, "recorded commands");
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);

    must_reject(world, sett_component_find(world, "Old off"), SETT_STATUS_ARGUMENT, "library");
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Needs",
                                                                .can_disable = true,
                                                                .required = &other,
                                                                .required_count = 1}) != 0);
    must_reject(world, sett_component_find(world, "Needs off"), SETT_STATUS_ARGUMENT, "library");
    must_reject(world, sett_name_register(world), SETT_STATUS_ARGUMENT, "library");
    sett_component hides =
        sett_component_register(world, &(sett_component_desc){.name = "Disabled"});
    CHECK_EQ(sett_disabled_tag(world), hides);
    must_reject(world, hides, SETT_STATUS_ARGUMENT, "library");
    must_reject(world, sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes"}),
                SETT_STATUS_ARGUMENT, "relationship");
    CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
    CHECK_EQ(calls, 0);

    /* what has looked at types before goes on */
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    CHECK_EQ(sett_component_register(world, &new_desc), id);
    sett_entity entity = sett_entity_create(world);
    CHECK(sett_set(world, entity, id, &(New){1, 2, 3}) != NULL);
    sett_snapshot second;
    CHECK_EQ(sett_snapshot_take(world, &second), SETT_OK);
    CHECK(sett_set(world, entity, id, &(New){4, 5, 6}) != NULL);
    CHECK_EQ(sett_snapshot_restore(world, second), SETT_OK);
    CHECK_EQ(((const New*)sett_get(world, entity, id))->c, 3);
    CHECK_END(world);
}

static void record(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    sett_cmd_add(sett_commands_here(world), entity, sett_component_find(world, "Old"));
}

static void values_end_with_their_callbacks(void)
{
    sett_world* world = quiet_world();
    uint32_t calls = 0;
    sett_component_desc desc = new_desc;
    desc.on_remove = ignore;
    desc.user = &calls;
    sett_component id = sett_component_register(world, &desc);
    CHECK_EQ(sett_entity_create_many(world, 20, &id, 1, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
    CHECK_EQ(calls, 20);

    desc.on_remove = record;
    id = sett_component_register(world, &desc);
    CHECK_EQ(sett_entity_create_many(world, 1, &id, 1, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_component_unregister(world, id), SETT_STATUS_LOCKED);
    CHECK(sett_component_find(world, "Old") == id);
    sett_commands_clear(sett_commands_here(world));
    CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
    CHECK_END(world);
}

/* ------------------------------------------------------------------------------------- modules */

static sett_status physics(sett_world* world)
{
    ++*(uint32_t*)sett_world_user(world);
    return sett_component_register(world, &old_desc) != 0 ? SETT_OK : sett_world_error(world);
}

static sett_status game(sett_world* world)
{
    sett_status status = sett_module_import(world, "physics", physics);
    return status == SETT_OK ? sett_module_import(world, "physics", physics) : status;
}

static sett_status circle(sett_world* world)
{
    return sett_module_import(world, "circle", circle);
}

static sett_status fails(sett_world* world)
{
    (void)sett_module_import(world, "physics", physics);
    return SETT_STATUS_LIMIT;
}

static void a_module_is_imported_once(void)
{
    uint32_t calls = 0;
    sett_world* world = quiet_world();
    sett_world_set_user(world, &calls);
    CHECK_EQ(sett_module_import(world, "fails", fails), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_module_import(world, "fails", game), SETT_OK); /* it was not imported */
    CHECK_EQ(sett_module_import(world, "game", game), SETT_OK);
    CHECK_EQ(sett_module_import(world, "game", fails), SETT_OK);
    CHECK_EQ(calls, 1);
    sett_module_forget(world, "physics");
    sett_module_forget(world, "nothing");
    CHECK_EQ(sett_module_import(world, "physics", physics), SETT_OK);
    CHECK_EQ(calls, 2);
    CHECK_EQ(sett_module_import(world, "circle", circle), SETT_STATUS_CYCLE);
    CHECK(strstr(sett_world_message(world), "\"circle\"") != NULL);
    CHECK_EQ(sett_module_import(world, "", circle), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_module_import(world, "x", NULL), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

TEST_MAIN(TEST(a_module_is_imported_once), TEST(another_type_gets_name_and_id),
          TEST(names_stay_findable), TEST(what_uses_it_is_named),
          TEST(values_end_with_their_callbacks))
