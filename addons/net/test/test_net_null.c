/* test_net_null.c: NULL in each place where a function of sett_net.h takes an address: the call
 * does nothing. The header is read, so that no function is left out. */
#include "null_calls.h"
#include "sett_net.h"
#include "worlds.h"

static sett_net_link_desc link_desc;
static sett_session_desc session_desc; /* all zeroes: rejected, and read */
static sett_server_desc server_desc;
static sett_client_desc client_desc;
static sett_net_transport nothing;

static uint64_t zero_bytes(const void* out, size_t size)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < size; k++) {
        sum += ((const unsigned char*)out)[k];
    }
    return sum;
}

#define CALLS(X, FINE)                                                                             \
    X(sett_sync_test, sett_sync_test(NULL, 1, 1, play, NULL, NULL) == SETT_STATUS_ARGUMENT)        \
    FINE(sett_sync_test, sett_sync_test(world, 1, 1, NULL, NULL, NULL) == SETT_STATUS_ARGUMENT)    \
    X(sett_session_sync_test,                                                                      \
      sett_session_sync_test(NULL, &session_desc, 1, 1, NULL) == SETT_STATUS_ARGUMENT)             \
    X(sett_session_sync_test,                                                                      \
      sett_session_sync_test(world, NULL, 1, 1, NULL) == SETT_STATUS_ARGUMENT)                     \
    X(sett_session_create, sett_session_create(NULL, &session_desc) == NULL)                       \
    X(sett_session_create, sett_session_create(world, NULL) == NULL)                               \
    FINE(sett_session_destroy, (sett_session_destroy(NULL), true))                                 \
    X(sett_session_advance, sett_session_advance(NULL, "x") == SETT_SESSION_OVER)                  \
    X(sett_session_set_delay, (sett_session_set_delay(NULL, 1), true))                             \
    X(sett_session_stats_get, (sett_session_stats_get(NULL, &of_session), of_session.frame == 0))  \
    X(sett_session_stats_get, (sett_session_stats_get(NULL, NULL), true))                          \
    X(sett_sight_add, (sett_sight_add(NULL, sett_null(), 1), true))                                \
    X(sett_server_create, sett_server_create(NULL, &server_desc) == NULL)                          \
    X(sett_server_create, sett_server_create(world, NULL) == NULL)                                 \
    FINE(sett_server_destroy, (sett_server_destroy(NULL), true))                                   \
    X(sett_server_receive, (sett_server_receive(NULL), true))                                      \
    X(sett_server_input, sett_server_input(NULL, 0) == NULL)                                       \
    X(sett_server_send, (sett_server_send(NULL), true))                                            \
    X(sett_server_drop, (sett_server_drop(NULL, 0), true))                                         \
    X(sett_server_stats_get, (sett_server_stats_get(NULL, 0, &of_server), of_server.tick == 0))    \
    X(sett_server_stats_get, (sett_server_stats_get(NULL, 0, NULL), true))                         \
    X(sett_client_create, sett_client_create(NULL, &client_desc) == NULL)                          \
    X(sett_client_create, sett_client_create(world, NULL) == NULL)                                 \
    FINE(sett_client_destroy, (sett_client_destroy(NULL), true))                                   \
    X(sett_client_advance, sett_client_advance(NULL, "x") == SETT_CLIENT_OVER)                     \
    X(sett_client_show, (sett_client_show(NULL, 0), true))                                         \
    X(sett_client_message, strstr(sett_client_message(NULL), "NULL") != NULL)                      \
    X(sett_client_stats_get, (sett_client_stats_get(NULL, &of_client), of_client.tick == 0))       \
    X(sett_client_stats_get, (sett_client_stats_get(NULL, NULL), true))                            \
    FINE(sett_net_link_create, free_link(sett_net_link_create(NULL)))                              \
    FINE(sett_net_link_destroy, (sett_net_link_destroy(NULL), true))                               \
    X(sett_net_link_set, (sett_net_link_set(NULL, &link_desc), true))                              \
    X(sett_net_link_set, (sett_net_link_set(link, NULL), true))                                    \
    X(sett_net_link_cut, (sett_net_link_cut(NULL, 0, true), true))                                 \
    FINE(sett_net_link_cut, (sett_net_link_cut(link, SETT_NET_ENDPOINTS, true), true))             \
    X(sett_net_link_advance, (sett_net_link_advance(NULL, 1), true))                               \
    X(sett_net_link_now, sett_net_link_now(NULL) == 0)                                             \
    X(sett_net_link_transport, sett_net_link_transport(NULL, 0).send == NULL)                      \
    FINE(sett_net_link_transport, sett_net_link_transport(link, SETT_NET_ENDPOINTS).send == NULL)  \
    X(sett_net_link_around, sett_net_link_around(NULL, &nothing).send == NULL)                     \
    X(sett_net_link_around, sett_net_link_around(link, NULL).send == NULL)                         \
    FINE(sett_net_link_around, sett_net_link_around(link, &nothing).send == NULL)                  \
    X(sett_net_link_stats_get, (sett_net_link_stats_get(NULL, &of_link), of_link.sent == 0))       \
    X(sett_net_link_stats_get, (sett_net_link_stats_get(link, NULL), true))

static void play(sett_world* world, uint64_t frame, void* user)
{
    (void)world, (void)frame, (void)user;
}

static bool free_link(sett_net_link* link)
{
    sett_net_link_destroy(link);
    return link != NULL;
}

static void null_is_harmless(void)
{
    sett_session_stats of_session;
    sett_server_stats of_server;
    sett_client_stats of_client;
    sett_net_link_stats of_link;
    sett_world* world = quiet_world();
    sett_net_link* link = sett_net_link_create(NULL);
    CALLS(NULL_NAMED, NULL_FINE)
    CHECK_EQ(zero_bytes(&of_client, sizeof(of_client)), 0);
    CHECK_EQ(zero_bytes(&of_server, sizeof(of_server)), 0);
    sett_net_link_destroy(link);
    CHECK_END(world);
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/net/sett_net.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))
