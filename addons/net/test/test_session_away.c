/* test_session_away.c: machines that stand still, leave and come back while others play, and
 * spectators whose player goes: all come back, all hear who is there, and none ends without a word.
 */
#include "net_session.h"
#include "peers.h"

static peers net;

/* The machine stops for a while: a debugger holds it, or its lid is closed. */
static void stand_still(uint32_t k, uint64_t ms)
{
    net.machine[k].next_us += ms * 1000;
}

static void check_all_play(uint32_t players, uint32_t machines)
{
    const uint64_t frame = peers_stats(&net, 0).frame;
    peers_run(&net, 1500);
    for (uint32_t k = 0; k < machines; k++) {
        const peers_machine* machine = &net.machine[k];
        const sett_session_stats stats = peers_stats(&net, k);
        CHECK_MSG(machine->events[SETT_SESSION_DESYNC] == 0, "%s", machine->text);
        CHECK_MSG(stats.present == (1u << players) - 1 && stats.frame > frame + 30,
                  "machine %u: present is %x, frame %llu after %llu, state %d", (unsigned)k,
                  (unsigned)stats.present, (unsigned long long)stats.frame,
                  (unsigned long long)frame, (int)machine->state);
    }
}

static void begin(uint32_t players, uint64_t seed)
{
    const sett_net_link_desc link = {
        .seed = seed, .latency_us = 30000, .jitter_us = 10000, .loss = 200};
    peers_begin(&net, players, 2, 20, &link);
    net.desc.timeout_ms = 1000;
    net.restless = true;
    peers_start_all(&net);
    peers_run(&net, 2000);
}

static void who_stood_still_comes_back(void)
{
    static const uint64_t pauses[] = {1500, 3000, 5200, 20000, 80000};
    for (uint32_t players = 2; players <= 4; players++) {
        for (uint32_t k = 0; k < 5; k++) {
            const uint32_t who = (players + k) % players;
            begin(players, k);
            stand_still(who, pauses[k]);
            peers_run(&net, pauses[k] + 4000);
            check_all_play(players, players);
            CHECK_EQ(net.machine[who].events[SETT_SESSION_GONE],
                     net.machine[who].events[SETT_SESSION_JOINED]);
            CHECK_EQ(net.machine[who].gone, 1u << who);
            peers_end(&net);
        }
    }
}

/* It missed decisions about others, too. */
static void others_come_and_go_meanwhile(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        begin(3, seed);
        stand_still(2, 9000);
        peers_run(&net, 3000);
        peers_stop(&net.machine[seed % 2]);
        peers_run(&net, 3000);
        if (seed % 3 != 0) {
            peers_start(&net, seed % 2);
        }
        peers_run(&net, 7000);
        if (seed % 3 == 0) {
            CHECK(net.machine[2].gone >> seed % 2 & 1);
            peers_start(&net, seed % 2);
            peers_run(&net, 4000);
        }
        check_all_play(3, 3);
        peers_end(&net);
    }
}

/* ---------------------------------------------------------------------------------- spectators */

/* The player that feeds it, by what is sent: the only one that knows it. */
static uint32_t feeder_of(const peers_machine* watcher)
{
    return watcher->session->source;
}

static void check_watched(uint32_t players)
{
    const peers_machine* watcher = &net.machine[players];
    check_all_play(players, players + 1);
    CHECK(peers_stats(&net, players).frame + 60 > peers_stats(&net, 0).frame);
    CHECK_EQ(watcher->events[SETT_SESSION_FAILED], 0);
    for (uint32_t k = 0; k < players; k++) {
        CHECK((watcher->session->peer[k].connected == (k == feeder_of(watcher))));
    }
}

static void spectators_take_another_player(void)
{
    enum {
        LEAVES,
        IS_CUT_OFF,
        STANDS_STILL,
        DIES,
        WAYS
    };
    for (uint32_t way = 0; way < WAYS; way++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            begin(3, seed);
            peers_machine* watcher = peers_start(&net, 3);
            peers_run(&net, 4000);
            const uint32_t feeder = feeder_of(watcher);
            CHECK_EQ(watcher->events[SETT_SESSION_SYNCHRONISED], 1);
            if (way == STANDS_STILL) {
                stand_still(feeder, 7000);
            } else if (way == LEAVES) {
                peers_stop(&net.machine[feeder]);
            } else {
                sett_net_link_cut(net.link, feeder, true);
            }
            if (way == DIES) {
                peers_stop(&net.machine[feeder]);
            }
            peers_run(&net, 8000);
            CHECK_MSG(feeder_of(watcher) != feeder, "way %u", (unsigned)way);
            CHECK_EQ(watcher->events[SETT_SESSION_SYNCHRONISED], 2);
            CHECK_EQ(watcher->events[SETT_SESSION_GONE], 1);
            CHECK_EQ(watcher->gone, 1u << feeder);
            sett_net_link_cut(net.link, feeder, false);
            if (way == LEAVES || way == DIES) {
                peers_start(&net, feeder);
            }
            peers_run(&net, 5000);
            CHECK_EQ(watcher->events[SETT_SESSION_JOINED], 1);
            check_watched(3);
            peers_end(&net);
        }
    }
}

static void a_spectator_that_stood_still_goes_on(void)
{
    static const uint64_t pauses[] = {700, 4600, 12000};
    for (uint32_t k = 0; k < 3; k++) {
        begin(2, k);
        net.desc.timeout_ms = 5000;
        peers_start(&net, 2);
        peers_run(&net, 3000);
        stand_still(2, pauses[k]);
        peers_run(&net, pauses[k] + 4000);
        check_watched(2);
        CHECK_EQ(net.machine[2].events[SETT_SESSION_INTERRUPTED],
                 net.machine[2].events[SETT_SESSION_RESUMED]);
        peers_end(&net);
    }
}

/* Of a player that does not feed it, it hears from the one that does. */
static void a_spectator_hears_who_comes_and_goes(void)
{
    begin(3, 1);
    peers_machine* watcher = peers_start(&net, 3);
    peers_run(&net, 3000);
    const uint32_t other = (feeder_of(watcher) + 1) % 3;
    CHECK_EQ(watcher->events[SETT_SESSION_INTERRUPTED], 0);
    peers_stop(&net.machine[other]);
    peers_run(&net, 3000);
    CHECK_EQ(watcher->gone, 1u << other);
    peers_start(&net, other);
    peers_run(&net, 4000);
    CHECK_EQ(watcher->events[SETT_SESSION_JOINED], 1);
    CHECK_EQ(watcher->events[SETT_SESSION_SYNCHRONISED], 1);
    CHECK_EQ(watcher->events[SETT_SESSION_INTERRUPTED], 0);
    check_watched(3);
    peers_end(&net);
}

/* ----------------------------------------------------------------------------------------- ends */

static void play_and_leave_a_loop(sett_world* world, const sett_inputs* inputs, void* user)
{
    peers_machine* machine = user;
    peers_play(world, inputs, user);
    if (machine->endpoint == 0 && inputs->frame == 60) {
        static sett_batch batch;
        sett_query_begin(SETT_QUERY_CREATE(world, SETT_IN(Body)), &batch);
        CHECK(sett_batch_next(&batch));
    }
}

/* Whatever ends a session, an event says it. */
static void no_session_ends_without_a_word(void)
{
    peers_begin(&net, 2, 0, 20, NULL);
    net.desc.play = play_and_leave_a_loop;
    peers_start_all(&net);
    peers_run(&net, 3000);
    peers_machine* machine = &net.machine[0];
    CHECK_EQ(machine->state, SETT_SESSION_OVER);
    CHECK_EQ(machine->events[SETT_SESSION_FAILED], 1);
    CHECK_MSG(strstr(machine->text, "loop") != NULL, "%s", machine->text);
    sett_query_end_all(machine->world);
    peers_end(&net);

    /* All who had the state have left. */
    begin(3, 1);
    peers_stop(&net.machine[0]);
    peers_run(&net, 2000);
    machine = peers_start(&net, 0);
    net.desc.timeout_ms = 1000;
    for (uint32_t k = 0; machine->session->mode != SESSION_LOADS; k++) {
        CHECK(k < 2000);
        peers_run(&net, 1);
    }
    peers_stop(&net.machine[1]);
    peers_stop(&net.machine[2]);
    peers_run(&net, 3000);
    CHECK_EQ(machine->state, SETT_SESSION_OVER);
    CHECK_EQ(machine->events[SETT_SESSION_FAILED], 1);
    CHECK_MSG(strstr(machine->text, "no player is left") != NULL, "%s", machine->text);
    peers_end(&net);
}

static void it_says_for_whom_it_waits(void)
{
    peers_begin(&net, 3, 0, 20, NULL);
    net.desc.timeout_ms = 1000;
    peers_start(&net, 0);
    peers_start(&net, 2);
    peers_machine* watcher = peers_start(&net, 3);
    peers_run(&net, 3500);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_WAITING], 3);
    CHECK_MSG(strstr(net.machine[0].text, "player 1 has not answered") != NULL, "%s",
              net.machine[0].text);
    CHECK_MSG(strstr(watcher->text, "no player has answered this spectator") != NULL, "%s",
              watcher->text);
    peers_start(&net, 1);
    peers_run(&net, 5000);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_WAITING], 3);
    check_watched(3);
    peers_end(&net);
}

/* --------------------------------------------------------------------------------- fast games */

static void set_period(uint32_t machines, uint32_t us)
{
    for (uint32_t k = 0; k < machines; k++) {
        net.machine[k].period_us = us;
    }
}

/* A game of 250 frames a second plays further in a second, for which a state is used, than who
 * stood still may be behind without fetching a state: who comes in is that far behind, and catches
 * up. */
static void states_of_fast_games_are_not_old(void)
{
    for (uint64_t ms = 500; ms < 1000; ms += 50) {
        const sett_net_link_desc link = {.seed = ms, .latency_us = 3000};
        peers_begin(&net, 2, 0, 20, &link);
        peers_start_all(&net);
        set_period(2, 4000);
        peers_run(&net, 2000);
        peers_start(&net, 2); /* the first spectator: for it a state is made */
        set_period(3, 4000);
        peers_run(&net, ms);
        CHECK_EQ(net.machine[2].events[SETT_SESSION_SYNCHRONISED], 1);
        peers_machine* second = peers_start(&net, 3);
        set_period(4, 4000);
        for (uint32_t k = 0; second->session->mode != SESSION_RUNS; k++) {
            CHECK(k < 2000);
            peers_run(&net, 1);
        }
        const uint64_t frame = peers_stats(&net, 0).frame, theirs = peers_stats(&net, 3).frame;
        CHECK_MSG(theirs + 300 > frame, "after %u ms: %llu frames behind", (unsigned)ms,
                  (unsigned long long)(frame - theirs));
        peers_run(&net, 2000);
        for (uint32_t k = 2; k < 4; k++) {
            CHECK_EQ(net.machine[k].events[SETT_SESSION_SYNCHRONISED], 1);
            CHECK(peers_stats(&net, k).frame + 20 > peers_stats(&net, 0).frame);
        }
        peers_end(&net);
    }
}

static void each_event_has_a_name(void)
{
    CHECK_STR_EQ(sett_session_event_name(SETT_SESSION_SYNCHRONISED), "SYNCHRONISED");
    CHECK_STR_EQ(sett_session_event_name(SETT_SESSION_REJECTED), "REJECTED");
    CHECK_STR_EQ(sett_session_event_name(SETT_SESSION_FAILED), "FAILED");
    CHECK_STR_EQ(sett_session_event_name(SETT_SESSION_WAITING), "WAITING");
    CHECK_STR_EQ(sett_session_event_name((sett_session_event_kind)77), "unknown");
}

TEST_MAIN(TEST(who_stood_still_comes_back), TEST(others_come_and_go_meanwhile),
          TEST(spectators_take_another_player), TEST(a_spectator_that_stood_still_goes_on),
          TEST(a_spectator_hears_who_comes_and_goes), TEST(no_session_ends_without_a_word),
          TEST(it_says_for_whom_it_waits), TEST(states_of_fast_games_are_not_old),
          TEST(each_event_has_a_name))
