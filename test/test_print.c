/* test_print.c: values, entities and differences in words. */
#include "states.h"

#include "world/world.h"

typedef enum State {
    SHUT,
    OPEN
} State;

enum {
    RED = 1,
    BLUE = 4
};

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef struct Door {
    int32_t height;
    State state;
    uint8_t keys;
    bool locked;
    char label[10];
    sett_entity owner;
    Vec2 at[2];
    uint16_t rounds[2];
    uint64_t big;
    uint8_t blob[20];
} Door;

static const char* const round_names[] = {"shells", "cells"};

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Door,                                                                                \
              .members = SETT_STRUCT(Door, (height, .scale = 1.0 / 65536, .unit = "m"),            \
                                     (state, .constants = SETT_CONSTANTS(SHUT, OPEN)),             \
                                     (keys, .constants = SETT_CONSTANTS(RED, BLUE), .bits = true), \
                                     locked, label, owner, (at, .of = SETT_STRUCT(Vec2, x, y)),    \
                                     (rounds, .element_names = round_names), big,                  \
                                     (blob, .element = SETT_MEMBER_OPAQUE)))                       \
    COMPONENT(Vec2)                                                                                \
    TAG(Marked)
SETT_COMPONENTS(LIST)

static sett_world* door_world(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, LIST), SETT_OK);
    sett_entity hall = sett_entity_create(world);
    sett_entity door = sett_entity_create(world);
    CHECK_EQ(sett_name_set(world, hall, "hall"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, door, hall), SETT_OK);
    CHECK_EQ(sett_name_set(world, door, "door"), SETT_OK);
    Door value = {.height = 65536 * 3 / 2,
                  .state = OPEN,
                  .keys = RED | BLUE | 16,
                  .locked = true,
                  .label = "a \"b\"",
                  .owner = hall,
                  .at = {{1, -0.5f}, {0.1f, 2}},
                  .rounds = {7, 8},
                  .big = UINT64_MAX};
    CHECK(sett_set(world, door, Door_id, &value) != NULL);
    CHECK(SETT_ADD_TAG(world, door, Marked));
    SETT_SET(world, door, Vec2, .x = 0);
    return world;
}

static const char door_text[] =
    "height = 1.5 m, state = OPEN, keys = RED | BLUE | 0x10, locked = true, "
    "label = \"a \\x22b\\x22\", owner = 0:1 \"hall\", at = [{x = 1, y = -0.5}, {x = 0.1, y = 2}], "
    "rounds = {shells = 7, cells = 8}, big = 18446744073709551615, "
    "blob = 20 bytes: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ...";

static void values_are_shown_by_their_members(void)
{
    char text[1024];
    sett_world* world = door_world();
    sett_entity door = sett_entity_at(world, 1);
    size_t length = sett_value_describe(world, door, Door_id, text, sizeof(text));
    CHECK_STR_EQ(text, door_text);
    CHECK_EQ(length, strlen(door_text));
    CHECK_EQ(sett_value_describe(world, door, Door_id, text, 7), strlen(door_text));
    CHECK_STR_EQ(text, "height");
    CHECK_EQ(sett_value_describe(world, door, Door_id, NULL, 0), strlen(door_text));
    sett_value_describe(world, door, Vec2_id, text, sizeof(text));
    CHECK_STR_EQ(text, "8 bytes: 00 00 00 00 00 00 00 00");
    CHECK_EQ(sett_value_describe(world, door, Marked_id, text, sizeof(text)), 0);
    CHECK_EQ(sett_value_describe(world, sett_entity_at(world, 0), Door_id, text, sizeof(text)), 0);
    CHECK_EQ(sett_value_describe(world, door, 99, text, sizeof(text)), 0);
    Door* value = SETT_GET_MUT(world, door, Door);
    value->state = (State)7;
    value->keys = 0;
    value->owner = (sett_entity){9, 9};
    memset(value->label, 'x', sizeof(value->label));
    sett_value_describe(world, door, Door_id, text, sizeof(text));
    CHECK_MSG(strstr(text, "state = 7, keys = 0x0,") != NULL, "%s", text);
    CHECK_MSG(strstr(text, "label = \"xxxxxxxxxx\", owner = 9:9 (not alive)") != NULL, "%s", text);
    CHECK_END(world);
}

static void entities_have_a_line_for_each(void)
{
    char text[2048];
    char expected[2048];
    sett_world* world = door_world();
    sett_entity door = sett_entity_at(world, 1);
    sett_component likes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes", .many = true});
    CHECK(sett_relate(world, door, likes, sett_entity_at(world, 0)) != NULL);
    CHECK(sett_relate(world, door, likes, door) != NULL);
    snprintf(expected, sizeof(expected),
             "entity 1:1 \"hall/door\"\n    Door: %s\n    Vec2: 8 bytes: 00 00 00 00 00 00 00 00\n"
             "    Marked\n    Likes: to 0:1, 1:1\n    Hierarchy: child of 0:1, 0 children\n"
             "    Name: \"door\"\n    Likes sources: 1 links\n",
             door_text);
    CHECK_EQ(sett_entity_describe_values(world, door, text, sizeof(text)), strlen(expected));
    CHECK_STR_EQ(text, expected);
    sett_entity_describe_values(world, (sett_entity){1, 7}, text, sizeof(text));
    CHECK_MSG(strncmp(text, "entity 1:7: ", 12) == 0, "%s", text);
    sett_entity_describe_values(world, sett_entity_create(world), text, sizeof(text));
    CHECK_STR_EQ(text, "entity 2:1: no components\n");
    CHECK_END(world);
}

/* sett_print asks for no memory, even where names would have to be looked up anew. */
static void printing_needs_no_memory(void)
{
    sett_world* world = door_world();
    sett_snapshot before = take(world);
    CHECK_EQ(sett_name_set(world, sett_entity_at(world, 1), "other"), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    uint64_t allocations = world->pool.allocations;
    size_t used = world->pool.used_size;
    sett_print(world, sett_entity_at(world, 1));
    sett_print(world, sett_null());
    CHECK_EQ(world->pool.allocations, allocations);
    CHECK_EQ(world->pool.used_size, used);
    CHECK_END(world);
}

static void differences_name_members(void)
{
    char text[512];
    sett_world* one = door_world();
    sett_world* other = door_world();
    Door* value = SETT_GET_MUT(other, sett_entity_at(other, 1), Door);
    value->at[1].y = 3;
    value->rounds[1] = 9;
    value->state = SHUT;
    CHECK(sett_world_difference(one, other, text, sizeof(text)) != 0);
    CHECK_STR_EQ(text, "entity 1:1: \"Door\" differs: state is OPEN in the first world, SHUT in "
                       "the second; at[1].y is 2 in the first world, 3 in the second; "
                       "rounds.cells is 8 in the first world, 9 in the second");
    value->locked = false;
    value->at[0].x = 5;
    value->label[0] = 'c';
    CHECK(sett_world_difference(one, other, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "; and 2 more") != NULL, "%s", text);
    CHECK_END(one);
    CHECK_END(other);
}

/* What does not count in the hash is no difference. */
static void what_does_not_count_is_no_difference(void)
{
    char text[512];
    sett_world* one = door_world();
    sett_world* other = door_world();
    SETT_GET_MUT(other, sett_entity_at(other, 1), Door)->label[8] = 'z';
    CHECK_EQ(sett_world_difference(one, other, text, sizeof(text)), 0);
    CHECK_EQ(sett_world_hash(one), sett_world_hash(other));
    CHECK_END(one);
    CHECK_END(other);
}

TEST_MAIN(TEST(values_are_shown_by_their_members), TEST(entities_have_a_line_for_each),
          TEST(printing_needs_no_memory), TEST(differences_name_members),
          TEST(what_does_not_count_is_no_difference))
