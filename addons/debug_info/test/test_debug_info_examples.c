/* test_debug_info_examples.c: linked with an example, whose `main` and calls of sett_world_destroy
 * have other names. When it destroys a world, debug information describes all of that world's
 * types, and as the example does where that says members. */
#include "described.h"

int example_main(void);
sett_status example_world_destroy(sett_world* world);

static uint32_t described; /* types */

sett_status example_world_destroy(sett_world* world)
{
    char text[4096] = "";
    sett_debug_info_desc desc = {described_log, text};
    sett_debug_info_result result;
    sett_world* found = described_bare(world);
    CHECK_EQ(sett_debug_info_describe(found, &desc, &result), SETT_OK);
    CHECK_STR_EQ(text, "");
    (void)described_all(world, found);
    described += result.described;
    CHECK_END(found);
    return sett_world_destroy(world);
}

static void its_types_are_described(void)
{
    CHECK_EQ(example_main(), 0);
    CHECK(described > 0);
    printf("%u types are described\n", described);
}

TEST_MAIN(TEST(its_types_are_described))
