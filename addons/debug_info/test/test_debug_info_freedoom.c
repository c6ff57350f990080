/* test_debug_info_freedoom.c: all component types of freedoom/, as its own lists say them and as
 * debug information does. */
#include "components.h"
#include "described.h"

static void freedoom_is_described(void)
{
    char text[4096] = "";
    sett_debug_info_result result;
    sett_world* said = quiet_world();
    CHECK(components_register(said));
    sett_world* found = described_bare(said);
    CHECK_EQ(
        sett_debug_info_describe(
            found, &(sett_debug_info_desc){.log_fn = described_log, .log_user = text}, &result),
        SETT_OK);
    CHECK_STR_EQ(text, "");
    CHECK_EQ(result.left_out, 0);
    uint32_t count = described_all(said, found);
    CHECK(count > 35);
    CHECK_EQ(result.described, count);
    for (sett_component id = 1; id < COMPONENT_END; id++) {
        CHECK_EQ(sett_members_fingerprint(said, id), sett_members_fingerprint(found, id));
    }
    printf("%u types are equal\n", count);
    CHECK_END(said);
    CHECK_END(found);
}

TEST_MAIN(TEST(freedoom_is_described))
