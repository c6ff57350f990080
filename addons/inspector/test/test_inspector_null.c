/* test_inspector_null.c: NULL in each place where a function of sett_inspector.h takes an address:
 * the call does nothing. */
#include "null_calls.h"
#include "sett_inspector.h"

#define CALLS(NAMED, FINE)                                                                         \
    NAMED(sett_inspector_open_sized, sett_inspector_open_sized(NULL, NULL, 0) == NULL)             \
    FINE(sett_inspector_frame, sett_inspector_frame(NULL) == 1)                                    \
    FINE(sett_inspector_close, (sett_inspector_close(NULL), true))                                 \
    NAMED(sett_inspector_address, sett_inspector_address(NULL)[0] == 0)                            \
    NAMED(sett_inspector_scene_sized,                                                              \
          sett_inspector_scene_sized(NULL, &scene, sizeof(scene)) == SETT_STATUS_ARGUMENT)         \
    NAMED(sett_inspector_request, sett_inspector_request(NULL, "x", 1, &size)[0] == 0)             \
    NAMED(sett_inspector_stream, (sett_inspector_stream(NULL, NULL, NULL), true))

static void null_is_harmless(void)
{
    static sett_inspector_scene_desc scene;
    size_t size;
    CALLS(NULL_NAMED, NULL_FINE)
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/inspector/sett_inspector.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))
