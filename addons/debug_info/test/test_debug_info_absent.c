/* test_debug_info_absent.c: in a program without debug information the failure names -g. */
#include "described.h"

typedef struct Position {
    float x, y;
} Position;

static void the_remedy_is_named(void)
{
    char text[4096] = "";
    sett_debug_info_desc desc = {described_log, text};
    sett_debug_info_result result;
    sett_world* world = quiet_world();
    CHECK_EQ(sett_debug_info_describe(world, &desc, &result), SETT_OK); /* nothing to do */
    sett_component position = SETT_REGISTER(world, Position);
    CHECK_EQ(sett_debug_info_describe(world, &desc, &result), SETT_STATUS_ABSENT);
    CHECK(strstr(text, "compile it with -g") != NULL);
    CHECK_EQ(result.described, 0);
    CHECK_EQ(result.left_out, 1);
    CHECK(sett_members_get(world, position) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_OK);
    CHECK_EQ(sett_debug_info_describe(NULL, &desc, NULL), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

TEST_MAIN(TEST(the_remedy_is_named))
