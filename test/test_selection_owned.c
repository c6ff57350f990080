/* test_selection_owned.c: parts of a world whose values have strings and lists, sent frame by
 * frame: the receiver has what the sender has, and what did not change is not sent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "sett/strings.h"
#include "states.h"

#define ENTITIES 60

typedef struct Sign {
    sett_string text;
    sett_list marks;
    uint32_t color;
} Sign;

static sett_component Sign_id;

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {
        SETT_TYPE(Sign),
        .members = SETT_STRUCT(Sign, text, (marks, .element = SETT_MEMBER_U32), color)};
    Sign_id = sett_component_register(world, &desc);
    CHECK(Sign_id != 0);
    return world;
}

static void change(sett_world* world, uint64_t* state, sett_entity e)
{
    Sign* sign = sett_ensure(world, e, Sign_id);
    char text[64];
    snprintf(text, sizeof(text), "%.*s", (int)chance_below(state, 30),
             "a text that is longer than what lies in a value");
    CHECK_EQ(sett_string_set(world, &sign->text, text), SETT_OK);
    uint32_t count = chance_below(state, 9);
    uint32_t* marks = sett_list_resize(world, &sign->marks, sizeof(uint32_t), count);
    CHECK(marks != NULL || count == 0);
    for (uint32_t k = 0; k < count; k++) {
        marks[k] = chance_below(state, 5);
    }
    sign->color = chance_below(state, 3);
}

/* Both have the same signs, by a look at each. */
static void compare(sett_world* a, sett_world* b, const sett_entity* e)
{
    for (uint32_t k = 0; k < ENTITIES; k++) {
        const Sign* x = sett_entity_valid(a, e[k]) ? sett_find(a, e[k], Sign_id) : NULL;
        const Sign* y = sett_entity_valid(b, e[k]) ? sett_find(b, e[k], Sign_id) : NULL;
        CHECK_EQ(x == NULL, y == NULL);
        if (x != NULL) {
            CHECK_STR_EQ(sett_string_get(&x->text), sett_string_get(&y->text));
            CHECK_EQ(x->color, y->color);
            CHECK_EQ(x->marks.count, y->marks.count);
            CHECK(x->marks.count == 0 ||
                  memcmp(x->marks.items, y->marks.items, x->marks.count * 4) == 0);
        }
    }
}

static void strings_and_lists_are_sent_when_they_change(void)
{
    static unsigned char bytes[100000];
    uint64_t state = check_setting("SETT_SEED", 1);
    sett_world* from = begin();
    sett_world* into = begin();
    sett_entity e[ENTITIES];
    CHECK_EQ(sett_entity_create_many(from, ENTITIES, NULL, 0, NULL, e), SETT_OK);
    sett_selection part = {.entities = e, .entity_count = ENTITIES};
    sett_snapshot since = {0, 0};
    size_t quiet = 0;
    for (uint32_t frame = 0; frame < CHECK_ROUNDS(400); frame++) {
        bool changes = frame % 4 != 3;
        for (uint32_t k = 0; changes && k < 6; k++) {
            sett_entity one = e[chance_below(&state, ENTITIES)];
            if (chance_below(&state, 5) != 0) {
                change(from, &state, one);
            } else if (sett_has(from, one, Sign_id)) {
                CHECK_EQ(sett_remove(from, one, Sign_id), SETT_OK);
            }
        }
        if (!changes) { /* written, and the same as before */
            for (uint32_t k = 0; k < ENTITIES; k++) {
                (void)sett_find_mut(from, e[k], Sign_id);
            }
        }
        sett_snapshot now = take(from);
        size_t size = 0;
        CHECK_MSG(sett_selection_encode(from, &part, since, bytes, sizeof(bytes), &size) == SETT_OK,
                  "%s", sett_world_message(from));
        CHECK_MSG(sett_selection_apply(into, bytes, size, NULL) == SETT_OK, "%s",
                  sett_world_message(into));
        compare(from, into, e);
        CHECK_EQ(sett_selection_difference(from, into, &part, NULL, 0), 0);
        quiet = !changes ? size : quiet;
        CHECK(changes ? quiet == 0 || size >= quiet : size <= 900);
        if (since.serial != 0 || since.slot != 0) {
            CHECK_EQ(sett_snapshot_drop(from, since), SETT_OK);
        }
        since = now;
    }
    CHECK(quiet != 0);
    CHECK_VALID(into);
    sett_snapshot_drop_all(from);
    CHECK_END(from);
    CHECK_END(into);
}

TEST_MAIN(TEST(strings_and_lists_are_sent_when_they_change))
