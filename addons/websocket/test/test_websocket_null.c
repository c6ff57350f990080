/* test_websocket_null.c: NULL in each place where a function of sett_websocket.h takes an address:
 * the call does nothing. */
#include "null_calls.h"
#include "sett_websocket.h"

#define CALLS(NAMED, FINE)                                                                         \
    NAMED(sett_websocket_create, sett_websocket_create(NULL, NULL, 1) == NULL)                     \
    FINE(sett_websocket_destroy, (sett_websocket_destroy(NULL), true))                             \
    NAMED(sett_websocket_port, sett_websocket_port(NULL) == 0)                                     \
    NAMED(sett_websocket_count, sett_websocket_count(NULL) == 0)                                   \
    NAMED(sett_websocket_transport, sett_websocket_transport(NULL).send == NULL)

static void null_is_harmless(void)
{
    CALLS(NULL_NAMED, NULL_FINE)
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/websocket/sett_websocket.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))
