/* test_session_misuse.c: mistakes at sessions are named and change nothing; the sync test of a
 * session finds what its `play` does wrong. */
#include "peers.h"

static peers net;

static char heard[4000]; /* all that was logged as an error */

static void hear(void* user, sett_log_level level, const char* message)
{
    (void)user;
    if (level == SETT_LOG_ERROR && strlen(heard) + strlen(message) + 2 < sizeof(heard)) {
        strcat(strcat(heard, message), "\n");
    }
}

/* Two machines; what player 0 does is heard. */
static void begin(void)
{
    peers_begin(&net, 2, 0, 20, NULL);
    net.log = hear;
    peers_start(&net, 0);
    net.log = NULL;
    peers_start(&net, 1);
    heard[0] = '\0';
    peers_run(&net, 1000);
    CHECK(peers_stats(&net, 0).frame > 40);
    CHECK_STR_EQ(heard, "");
}

static void a_player_needs_an_input(void)
{
    begin();
    const uint64_t frame = peers_stats(&net, 0).frame;
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_EQ(sett_session_advance(net.machine[0].session, NULL), SETT_SESSION_WAIT);
    }
    CHECK_EQ(peers_stats(&net, 0).frame, frame);
    CHECK_MSG(strstr(heard, "`local_input` is NULL") != NULL, "%s", heard);
    peers_run(&net, 1000);
    CHECK(peers_stats(&net, 0).frame > frame + 40);
    peers_end(&net);
}

static void a_world_has_one_session(void)
{
    begin();
    sett_session_desc desc = net.desc;
    desc.transport = sett_net_link_transport(net.link, 5);
    CHECK(sett_session_create(net.machine[0].world, &desc) == NULL);
    CHECK_MSG(strstr(heard, "the world has a session") != NULL, "%s", heard);
    const uint64_t frame = peers_stats(&net, 0).frame;
    peers_run(&net, 1000);
    CHECK(peers_stats(&net, 0).frame > frame + 40);
    /* When it is destroyed another one can begin. */
    sett_session_destroy(net.machine[0].session);
    net.machine[0].session = NULL;
    sett_session* next = sett_session_create(net.machine[0].world, &desc);
    CHECK(next != NULL);
    sett_session_destroy(next);
    CHECK_END(net.machine[0].world);
    peers_end(&net);
}

static void null_is_harmless(void)
{
    sett_session_stats stats;
    sett_desync first;
    peers_begin(&net, 2, 0, 0, NULL);
    sett_world* world = peers_world(&net);
    CHECK(sett_session_create(NULL, &net.desc) == NULL);
    CHECK(sett_session_create(world, NULL) == NULL);
    CHECK_EQ(sett_session_advance(NULL, "keys"), SETT_SESSION_OVER);
    sett_session_set_delay(NULL, 3);
    sett_session_stats_get(NULL, &stats);
    CHECK(stats.frame == 0 && stats.hash_frame == -1);
    sett_session_stats_get(NULL, NULL);
    sett_session_destroy(NULL);
    CHECK_EQ(sett_sync_test(world, 1, 1, NULL, NULL, &first), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sync_test(NULL, 1, 1, NULL, NULL, &first), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_session_sync_test(NULL, &net.desc, 1, 1, &first), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_session_sync_test(world, NULL, 1, 1, &first), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
    peers_end(&net);
}

/* ----------------------------------------------------------------------- writes outside of play */

#if !defined(NDEBUG)
enum {
    WRITE,
    CREATE,
    DESTROY,
    PROGRESS,
    COMMAND,
    WAYS
};

static void write_outside(sett_world* world, uint32_t way)
{
    uint32_t index = 5;
    const sett_entity entity = sett_entity_next(world, &index);
    if (way == WRITE) {
        SETT_GET_MUT(world, entity, Body)->vx += 1;
    } else if (way == CREATE) {
        SETT_CREATE(world, SETT_VALUE(Body, .x = 1));
    } else if (way == DESTROY) {
        sett_entity_destroy(world, entity);
    } else if (way == PROGRESS) {
        sett_progress(world, 0.1f);
    } else {
        sett_cmd_destroy(sett_commands_here(world), entity);
    }
}
#endif

static void writes_outside_of_play_are_named(void)
{
#if !defined(NDEBUG)
    static const char* const expected[WAYS] = {"entity 5:1: \"Body\" differs: vx is",
                                               "is in the second world only", "entity 5:1",
                                               "the time", "commands were recorded"};
    for (uint32_t way = 0; way < WAYS; way++) {
        begin();
        write_outside(net.machine[0].world, way);
        peers_run(&net, 1000);
        CHECK_MSG(strstr(heard, "changed outside of `play`, before frame") != NULL &&
                      strstr(heard, expected[way]) != NULL,
                  "way %u: %s", (unsigned)way, heard);
        /* Named once, and some frames later there is what it leads to: a game without systems does
         * not see the time. */
        const char* first = strstr(heard, "outside of `play`");
        CHECK(strstr(first + 1, "outside of `play`") == NULL);
        CHECK_MSG(net.machine[1].events[SETT_SESSION_DESYNC] == (way != PROGRESS), "way %u: %s",
                  (unsigned)way, heard);
        sett_commands_clear(sett_commands_here(net.machine[0].world));
        peers_end(&net);
    }
#endif
}

/* -------------------------------------------------------------------------------------- types */

/* Of the library's types some are registered at their first use. */
static void types_of_the_library_are_not_compared(void)
{
    peers_begin(&net, 2, 0, 20, NULL);
    peers_start_all(&net);
    CHECK(!sett_is_null(sett_singletons(net.machine[0].world)));
    sett_session_destroy(net.machine[0].session);
    sett_session_desc desc = net.desc;
    desc.user = &net.machine[0];
    desc.transport = sett_net_link_transport(net.link, 0);
    net.machine[0].session = sett_session_create(net.machine[0].world, &desc);
    CHECK(!sett_is_null(sett_singletons(net.machine[1].world)));
    peers_run(&net, 1000);
    peers_stop(&net.machine[1]);
    peers_run(&net, 1000);
    peers_start(&net, 1); /* its world has no singletons yet */
    peers_run(&net, 3000);
    CHECK_MSG(net.machine[1].state == SETT_SESSION_PLAYED, "%s", net.machine[1].text);
    CHECK_EQ(peers_stats(&net, 0).present, 3);
    peers_end(&net);
}

static void both_values_are_named(void)
{
    peers_begin(&net, 3, 0, 20, NULL);
    peers_start(&net, 0);
    net.desc.players = 2;
    net.desc.input_size = 3;
    peers_start(&net, 1);
    peers_run(&net, 500);
    CHECK_MSG(strstr(net.machine[1].text,
                     "players 3, here 2; input_size 4, here 3 - set the same options") != NULL,
              "%s", net.machine[1].text);
    CHECK_MSG(strstr(net.machine[0].text, "players 2, here 3; input_size 3, here 4") != NULL, "%s",
              net.machine[0].text);
    peers_end(&net);
}

/* ----------------------------------------------------------------------------------- sync test */

static uint32_t steps;

static void play_and_count(sett_world* world, const sett_inputs* inputs, void* user)
{
    peers_play(world, inputs, user);
    if ((inputs->present & 1) == 0) { /* only who leaves brings it to light */
        uint32_t index = 5;
        SETT_GET_MUT(world, sett_entity_next(world, &index), Body)->vx = (int32_t)++steps;
    }
}

static void play_by_prediction(sett_world* world, const sett_inputs* inputs, void* user)
{
    peers_play(world, inputs, user);
    if (inputs->predicted == 0) {
        uint32_t index = 5;
        SETT_GET_MUT(world, sett_entity_next(world, &index), Body)->vx = 7;
    }
}

static void the_sync_test_plays_as_a_session(void)
{
    sett_desync first;
    peers_machine machine = {0};
    peers_begin(&net, 3, 0, 20, NULL);
    net.desc.user = &machine;
    sett_world* world = peers_world(&net);
    CHECK_EQ(sett_session_sync_test(world, &net.desc, 300, 8, &first), SETT_OK);
    uint32_t index = 0;
    CHECK(SETT_GET(world, sett_entity_next(world, &index), Ship)->score == 0);
    net.desc.play = play_and_count;
    CHECK_EQ(sett_session_sync_test(world, &net.desc, 1000, 8, &first), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(first.text, "entity 5:1: \"Body\" differs: vx is") != NULL, "%s", first.text);
    net.desc.play = play_by_prediction;
    CHECK_EQ(sett_session_sync_test(world, &net.desc, 100, 8, &first), SETT_STATUS_INVALID);
    net.desc.input_size = 65;
    CHECK_EQ(sett_session_sync_test(world, &net.desc, 100, 8, &first), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
    peers_end(&net);
}

TEST_MAIN(TEST(a_player_needs_an_input), TEST(a_world_has_one_session), TEST(null_is_harmless),
          TEST(writes_outside_of_play_are_named), TEST(types_of_the_library_are_not_compared),
          TEST(both_values_are_named), TEST(the_sync_test_plays_as_a_session))
