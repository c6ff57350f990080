/* test_describe.c: entities in words. */
#include "check.h"
#include "sett/describe.h"
#include "sett/hierarchy.h"
#include "sett/name.h"

typedef struct Hull {
    int points;
} Hull;

static void check_text(sett_world* world, sett_entity entity, const char* expected)
{
    char text[256];
    CHECK_EQ(sett_entity_describe(world, entity, text, sizeof(text)), strlen(expected));
    CHECK_STR_EQ(text, expected);
    /* As snprintf: whatever the room, the length is that of the whole, and the end is marked. */
    for (size_t size = 0; size <= strlen(expected); size++) {
        char part[256];
        memset(part, '#', sizeof(part));
        CHECK_EQ(sett_entity_describe(world, entity, part, size), strlen(expected));
        CHECK(size == 0 || strlen(part) == size - 1);
        CHECK(size == 0 || strncmp(part, expected, size - 1) == 0);
        CHECK_EQ(part[size], '#');
    }
}

static void an_entity_is_printed_with_path_and_components(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_component Hull_id = SETT_REGISTER(world, Hull);
    sett_component Docked_id = SETT_REGISTER_TAG(world, Docked);
    sett_entity fleet = sett_entity_create(world);
    check_text(world, fleet, "entity 0:1: no components");
    sett_entity ship = sett_entity_create(world);
    SETT_SET(world, ship, Hull, 5);
    SETT_ADD_TAG(world, ship, Docked);
    check_text(world, ship, "entity 1:1: Hull, Docked");
    CHECK_EQ(sett_name_set(world, fleet, "fleet"), SETT_OK);
    CHECK_EQ(sett_name_set(world, ship, "scout"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, ship, fleet), SETT_OK);
    check_text(world, ship, "entity 1:1 \"fleet/scout\": Hull, Docked, Hierarchy, Name");
    sett_entity_destroy(world, fleet);
    check_text(world, ship, "entity 1:1: the handle is stale: the entity was destroyed");
    check_text(world, sett_null(), "entity 0:0: the handle is null");
    sett_world_destroy(world);
}

static void of_many_components_some_are_counted(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_entity e = sett_entity_create(world);
    for (int k = 0; k < 70; k++) {
        char name[8];
        snprintf(name, sizeof(name), "c%d", k);
        sett_add(world, e, sett_component_register(world, &(sett_component_desc){.name = name}));
    }
    char text[1024];
    size_t length = sett_entity_describe(world, e, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    CHECK(strstr(text, ": c0, c1, ") != NULL);
    CHECK(strstr(text, "c63, and 6 more") != NULL);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(an_entity_is_printed_with_path_and_components),
          TEST(of_many_components_some_are_counted))
