/* test_json_rare.c: values in JSON that are nearly right: each is rejected, with its column, and
 * the value stays; and what is right beside them is read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/json.h"
#include "sett/strings.h"
#include "worlds.h"

enum {
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_1,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_2,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_3,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_4,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_5,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_6,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_7,
    A_NAME_LONG_ENOUGH_THAT_FEW_FIT_8
};

typedef struct Point {
    float x, y;
} Point;

typedef struct Rich {
    uint32_t mood;
    uint32_t three[3];
    Point at[2];
    unsigned char blob[4];
    char text[8];
    sett_entity who;
    bool yes;
    sett_string word;
    sett_list marks;
    sett_list points;
} Rich;

static sett_component Rich_id;
static sett_entity e;

static sett_world* begin(void)
{
    static const char* const names[] = {"left", "right"};
    sett_world* world = quiet_world();
    sett_component_desc desc = {
        SETT_TYPE(Rich),
        .members = SETT_STRUCT(
            Rich,
            (mood, .constants = SETT_CONSTANTS(
                       A_NAME_LONG_ENOUGH_THAT_FEW_FIT_1, A_NAME_LONG_ENOUGH_THAT_FEW_FIT_2,
                       A_NAME_LONG_ENOUGH_THAT_FEW_FIT_3, A_NAME_LONG_ENOUGH_THAT_FEW_FIT_4,
                       A_NAME_LONG_ENOUGH_THAT_FEW_FIT_5, A_NAME_LONG_ENOUGH_THAT_FEW_FIT_6,
                       A_NAME_LONG_ENOUGH_THAT_FEW_FIT_7, A_NAME_LONG_ENOUGH_THAT_FEW_FIT_8)),
            three, (at, .of = SETT_STRUCT(Point, x, y), .element_names = names),
            (blob, .element = SETT_MEMBER_OPAQUE), text, who, yes, word,
            (marks, .element = SETT_MEMBER_U32), (points, .of = SETT_STRUCT(Point, x, y)))};
    Rich_id = sett_component_register(world, &desc);
    CHECK_MSG(Rich_id != 0, "%s", sett_world_message(world));
    e = sett_entity_create(world);
    CHECK(sett_add(world, e, Rich_id) != NULL);
    return world;
}

static sett_status set(sett_world* world, const char* text)
{
    return sett_json_set(world, e, Rich_id, text, strlen(text));
}

static void nearly_right_values_are_rejected(void)
{
    static const char* const wrong[] = {
        "",
        "{",
        "[]",
        "5",
        "{\"mood\"}",
        "{\"mood\": }",
        "{\"mood\" 1}",
        "{\"mood\": 1,}",
        "{\"mood\": 1 \"yes\": true}",
        "{\"mood\": \"NONE_OF_THESE\"}",
        "{\"mood\": \"unfinished",
        "{\"mood\": \"\\q\"}",
        "{\"mood\": \"\\ud800\"}",
        "{\"mood\": [1]}",
        "{\"mood\": 4294967296}",
        "{\"mood\": -1}",
        "{\"mood\": 1.5}",
        "{\"none\": 1}",
        "{\"\": 1}",
        "{\"mo\\u0000od\": 1}",
        "{\"three\": 5}",
        "{\"three\": {\"x\": 1}}",
        "{\"three\": [1, 2]}",
        "{\"three\": [1, 2, 3, 4]}",
        "{\"three\": [1, 2, \"x\"]}",
        "{\"three\": [1, 2, 3}",
        "{\"three\": [1 2 3]}",
        "{\"three\": [1, 2,",
        "{\"at\": {\"left\": {\"x\": 1}, \"up\": {}}}",
        "{\"at\": {\"left\": 5}}",
        "{\"at\": {\"left\": {\"z\": 1}}}",
        "{\"at\": {\"left\"",
        "{\"at\": [{\"x\": 1}]}",
        "{\"at\": [5, 6]}",
        "{\"blob\": \"AAAAAA==\"}",
        "{\"blob\": {\"base46\": \"AAAAAA==\"}}",
        "{\"blob\": {\"base64\": \"AAAA\"}}",
        "{\"blob\": {\"base64\": \"AAAAAAAA\"}}",
        "{\"blob\": {\"base64\": \"A\"}}",
        "{\"blob\": {\"base64\": \"AAAA*A==\"}}",
        "{\"blob\": {\"base64\": 7}}",
        "{\"blob\": {\"base64\": \"AAAAAA==\", \"more\": 1}}",
        "{\"blob\": {}}",
        "{\"text\": \"123456789\"}",
        "{\"text\": 5}",
        "{\"who\": \"nobody\"}",
        "{\"who\": 5}",
        "{\"who\": \"#99:1\"",
        "{\"yes\": 1}",
        "{\"yes\": tru}",
        "{\"word\": 5}",
        "{\"word\": [\"a\"]}",
        "{\"word\": \"unfinished}",
        "{\"marks\": 5}",
        "{\"marks\": {\"0\": 5}}",
        "{\"marks\": [1, 2",
        "{\"marks\": [1, 2 3]}",
        "{\"marks\": [1, \"x\"]}",
        "{\"marks\": [1, [2]]}",
        "{\"marks\": [tru]}",
        "{\"points\": [{\"x\": 1}, {\"z\": 1}]}",
        "{\"points\": [1]}",
        "{\"points\": [{\"x\": 1}",
        "{\"mood\": 1, \"mood\": 2}",
        "{\"mood\": 1}}",
        "{\"mood\": 1} x",
    };
    sett_world* world = begin();
    char before[1000];
    char after[1000];
    CHECK_MSG(
        set(world, "{\"mood\": 3, \"three\": [1, 2, 3], \"word\": \"first\", \"marks\": [7]}") ==
            SETT_OK,
        "%s", sett_world_message(world));
    CHECK(sett_json_format_value(world, e, Rich_id, before, sizeof(before)) < sizeof(before));
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK_MSG(set(world, wrong[k]) == SETT_STATUS_INVALID, "%s: %d", wrong[k],
                  (int)sett_world_error(world));
        CHECK_MSG(strstr(sett_world_message(world), "column") != NULL, "%s: %s", wrong[k],
                  sett_world_message(world));
        CHECK(sett_json_format_value(world, e, Rich_id, after, sizeof(after)) < sizeof(after));
        CHECK_MSG(strcmp(before, after) == 0, "%s changed it: %s", wrong[k], after);
    }
    CHECK_END(world);
}

/* With the names that there are, as many as fit. */
static void wrong_constants_name_the_right_ones(void)
{
    sett_world* world = begin();
    CHECK_EQ(set(world, "{\"mood\": \"NONE\"}"), SETT_STATUS_INVALID);
    const char* message = sett_world_message(world);
    CHECK_MSG(strstr(message, "FIT_1, ...") != NULL && strstr(message, "FIT_8") == NULL, "%s",
              message);
    CHECK_END(world);
}

/* The last names that fit leave room for the mark of the others. */
static void cut_lists_of_constants_end_with_a_mark(void)
{
    static const sett_constant constants[] = {{"A_NAME_TWENTYEIGHT_LETTERS_A", 1},
                                              {"A_NAME_TWENTYEIGHT_LETTERS_B", 2},
                                              {"A_NAME_TWENTYEIGHT_LETTERS_C", 3},
                                              {NULL, 0}};
    sett_world* world = quiet_world();
    for (uint32_t shorter = 0; shorter < 27; shorter++) {
        sett_constant list[4];
        memcpy(list, constants, sizeof(list));
        list[1].name += shorter;
        sett_member member = {
            .name = "mood", .kind = SETT_MEMBER_U32, .size = 4, .count = 1, .constants = list};
        sett_struct of = {.name = "Mood",
                          .size = 4,
                          .members = &member,
                          .count = 1,
                          .calls_ = sett_members_link_};
        char name[16];
        snprintf(name, sizeof(name), "Mood%u", (unsigned)shorter);
        sett_component_desc desc = {.name = name, .size = 4, .members = &of};
        sett_component id = sett_component_register(world, &desc);
        CHECK_MSG(id != 0, "%s", sett_world_message(world));
        sett_entity at = sett_entity_create(world);
        const char* text = "{\"mood\": \"NONE\"}";
        CHECK_EQ(sett_json_set(world, at, id, text, strlen(text)), SETT_STATUS_INVALID);
        const char* message = sett_world_message(world);
        const char* end = message + strlen(message);
        CHECK_MSG(strcmp(end - 5, ", ...") == 0 || strcmp(end - 4, "RS_C") == 0, "%s", message);
    }
    CHECK_END(world);
}

static void right_values_are_read_back(void)
{
    static const char* const right[] = {
        "{}",
        " { } ",
        "{\"mood\": \"A_NAME_LONG_ENOUGH_THAT_FEW_FIT_8\"}",
        "{\"mood\": \"2\"}",
        "{\"three\": [4, 5, 6]}",
        "{\"at\": {\"right\": {\"y\": 2.5}}}",
        "{\"at\": [{\"x\": 1}, {\"x\": 2}]}",
        "{\"blob\": {\"base64\": \"AQIDBA==\"}}",
        "{\"text\": \"1234567\"}",
        "{\"yes\": true}",
        "{\"word\": \"\\u00e9\\ud83d\\ude00\"}",
        "{\"marks\": []}",
        "{\"marks\": [1, 2, 3]}",
        "{\"points\": [{\"x\": 1, \"y\": 2}, {}]}",
    };
    sett_world* world = begin();
    char text[1000];
    char again[1000];
    for (size_t k = 0; k < sizeof(right) / sizeof(right[0]); k++) {
        CHECK_MSG(set(world, right[k]) == SETT_OK, "%s: %s", right[k], sett_world_message(world));
        CHECK(sett_json_format_value(world, e, Rich_id, text, sizeof(text)) < sizeof(text));
        sett_world* other = begin();
        CHECK_EQ(set(other, text), SETT_OK);
        CHECK(sett_json_format_value(other, e, Rich_id, again, sizeof(again)) < sizeof(again));
        CHECK_STR_EQ(again, text);
        CHECK_EQ(sett_world_hash(other), sett_world_hash(world));
        CHECK_END(other);
    }
    const Rich* value = sett_get(world, e, Rich_id);
    CHECK_EQ(value->mood, 2);
    CHECK_EQ(value->three[1], 5);
    CHECK_EQ(value->blob[3], 4);
    CHECK_EQ(value->marks.count, 3);
    CHECK_EQ(value->points.count, 2);
    CHECK_END(world);
}

TEST_MAIN(TEST(nearly_right_values_are_rejected), TEST(wrong_constants_name_the_right_ones),
          TEST(cut_lists_of_constants_end_with_a_mark), TEST(right_values_are_read_back))
