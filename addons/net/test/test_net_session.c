/* test_net_session.c: sessions over good and bad networks; players that leave and come back. */
#include "peers.h"

static peers net;

/* No desync, all are as far as time allows, and hashes were compared. */
static void check_together(uint32_t players, uint64_t least)
{
    for (uint32_t k = 0; k < players; k++) {
        sett_session_stats stats = peers_stats(&net, k);
        peers_machine* machine = &net.machine[k];
        CHECK_MSG(machine->events[SETT_SESSION_DESYNC] == 0, "%s", machine->text);
        CHECK_MSG(stats.frame >= least, "player %u: frame %llu, final %lld, state %d", k,
                  (unsigned long long)stats.frame, (long long)stats.final_frame,
                  (int)machine->state);
        CHECK(stats.compared > least / 20);
    }
}

static void two_players_play_one_game(void)
{
    peers_begin(&net, 2, 0, 20, NULL);
    peers_start_all(&net);
    peers_run(&net, 5000);
    check_together(2, 280);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(net.machine[k].events[SETT_SESSION_SYNCHRONISED], 1);
        CHECK_EQ(peers_stats(&net, k).present, 3);
        CHECK_EQ(peers_stats(&net, k).rejected, 0);
    }
    peers_end(&net);
}

static void bad_networks_are_rolled_over(void)
{
    static const sett_net_link_desc links[] = {
        {.seed = 1, .latency_us = 30000, .jitter_us = 5000, .loss = 100},
        {.seed = 2, .latency_us = 60000, .jitter_us = 20000, .loss = 500, .duplicate = 100},
        {.seed = 3, .latency_us = 120000, .jitter_us = 40000, .loss = 500, .duplicate = 100},
        {.seed = 4, .latency_us = 200000, .jitter_us = 80000, .loss = 1000, .duplicate = 100}};
    for (uint32_t players = 2; players <= 8; players *= 2) {
        for (uint32_t k = 0; k < 4; k++) {
            peers_begin(&net, players, 2, 20, &links[k]);
            net.desc.max_prediction = k < 3 ? 10 : 20;
            net.desc.hash_every = 1;
            peers_start_all(&net);
            peers_run(&net, 10000);
            check_together(players, 350);
            CHECK(k == 0 || peers_stats(&net, 0).rollbacks > 0);
            peers_end(&net);
        }
    }
}

static void a_spectator_comes_late(void)
{
    sett_net_link_desc link = {.seed = 5, .latency_us = 60000, .jitter_us = 20000, .loss = 500};
    peers_begin(&net, 2, 2, 200, &link);
    peers_start_all(&net);
    peers_run(&net, 3000);
    peers_machine* watcher = peers_start(&net, 2);
    peers_run(&net, 6000);
    check_together(2, 450);
    sett_session_stats stats = peers_stats(&net, 2);
    CHECK_EQ(watcher->events[SETT_SESSION_SYNCHRONISED], 1);
    CHECK_MSG(stats.frame + 60 > peers_stats(&net, 0).frame && stats.rollbacks == 0, "frame %llu",
              (unsigned long long)stats.frame);
    CHECK(stats.compared > 10);
    CHECK_EQ(watcher->events[SETT_SESSION_DESYNC], 0);
    peers_end(&net);
}

static void a_player_is_interrupted_and_resumes(void)
{
    peers_begin(&net, 3, 2, 20, NULL);
    peers_start_all(&net);
    peers_run(&net, 2000);
    sett_net_link_cut(net.link, 2, true);
    peers_run(&net, 1500);
    uint64_t frame = peers_stats(&net, 0).frame;
    CHECK(frame < 150); /* it waits at the limit of prediction, and drops nothing */
    CHECK_EQ(net.machine[0].state, SETT_SESSION_WAIT);
    CHECK(net.machine[0].events[SETT_SESSION_INTERRUPTED] == 1);
    sett_net_link_cut(net.link, 2, false);
    peers_run(&net, 3000);
    CHECK(net.machine[0].events[SETT_SESSION_RESUMED] == 1);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_GONE], 0);
    check_together(3, 270);
    peers_end(&net);
}

/* Killed without a word, and started again with an empty world. */
static void a_player_that_dies_joins_again(void)
{
    sett_net_link_desc link = {.seed = 6, .latency_us = 60000, .jitter_us = 20000, .loss = 500};
    for (uint32_t dead = 0; dead < 3; dead++) {
        peers_begin(&net, 3, 2, 200, &link);
        net.desc.timeout_ms = 2000;
        peers_start_all(&net);
        peers_run(&net, 3000);
        sett_net_link_cut(net.link, dead, true);
        peers_stop(&net.machine[dead]);
        peers_run(&net, 4000);
        sett_net_link_cut(net.link, dead, false);
        uint32_t other = (dead + 1) % 3;
        CHECK_EQ(net.machine[other].gone, 1u << dead);
        CHECK_EQ(peers_stats(&net, other).present, 7u & ~(1u << dead));
        peers_machine* back = peers_start(&net, dead);
        peers_run(&net, 6000);
        CHECK_MSG(peers_stats(&net, other).present == 7, "player %u does not come back", dead);
        CHECK_EQ(back->events[SETT_SESSION_SYNCHRONISED], 1);
        check_together(3, 500);
        peers_end(&net);
    }
}

/* Not heard for so long that it is gone; then it is heard again. */
static void a_player_that_was_cut_off_joins_again(void)
{
    for (uint32_t cut = 0; cut < 3; cut++) {
        peers_begin(&net, 3, 2, 20, NULL);
        net.desc.timeout_ms = 1000;
        peers_start_all(&net);
        peers_run(&net, 2000);
        sett_net_link_cut(net.link, cut, true);
        peers_run(&net, 3000);
        sett_net_link_cut(net.link, cut, false);
        peers_run(&net, 5000);
        for (uint32_t k = 0; k < 3; k++) {
            CHECK_MSG(peers_stats(&net, k).present == 7, "cut %u: at %u present is %x", cut, k,
                      (unsigned)peers_stats(&net, k).present);
        }
        check_together(3, 400);
        peers_end(&net);
    }
}

static void a_player_that_leaves_is_gone_at_once(void)
{
    peers_begin(&net, 3, 2, 20, NULL);
    peers_start_all(&net);
    peers_run(&net, 2000);
    peers_stop(&net.machine[0]);
    peers_run(&net, 500);
    CHECK_EQ(peers_stats(&net, 1).present, 6);
    CHECK_EQ(peers_stats(&net, 2).present, 6);
    CHECK(peers_stats(&net, 2).frame > 130);
    peers_end(&net);
}

/* What it said last arrived at one of the others only, who passes it on with the decision. */
static void the_last_inputs_of_one_who_is_gone_are_passed_on(void)
{
    for (uint32_t gone = 0; gone < 4; gone++) {
        for (uint32_t size = 4; size <= 64; size += 60) {
            peers_begin(&net, 4, 2, 20, &(sett_net_link_desc){.seed = 8, .latency_us = 20000});
            net.desc.timeout_ms = 1000;
            net.desc.max_prediction = 32;
            net.desc.input_size = size;
            net.restless = true;
            peers_start_all(&net);
            peers_run(&net, 2000);
            net.machine[gone].mute = 0xF & ~(1u << (gone == 0 ? 1 : 0));
            peers_run(&net, 300);
            sett_net_link_cut(net.link, gone, true);
            peers_stop(&net.machine[gone]);
            peers_run(&net, 4000);
            for (uint32_t k = 0; k < 4; k++) {
                if (k != gone) {
                    CHECK_MSG(net.machine[k].events[SETT_SESSION_DESYNC] == 0, "%s",
                              net.machine[k].text);
                    CHECK_EQ(peers_stats(&net, k).present, 0xF & ~(1u << gone));
                    CHECK(peers_stats(&net, k).frame > 240);
                }
            }
            peers_end(&net);
        }
    }
}

/* Stops a machine, with a word or without one, and starts it again. */
static void stop_and_start(uint32_t players, uint64_t* chance)
{
    const uint32_t who = chance_below(chance, players);
    if (chance_below(chance, 2) == 0) {
        net.machine[who].mute = chance_below(chance, 1u << players);
        peers_run(&net, chance_below(chance, 100));
        sett_net_link_cut(net.link, who, true);
    }
    peers_stop(&net.machine[who]);
    peers_run(&net, 1 + chance_below(chance, 4000));
    sett_net_link_cut(net.link, who, false);
    peers_start(&net, who);
    peers_run(&net, 6000);
}

/* After each time all are in the game again, and it goes on. */
static void machines_come_and_go(void)
{
    const uint64_t games = check_setting("SETT_GAMES", 50);
    for (uint64_t seed = 1; seed <= games; seed++) {
        uint64_t chance = seed;
        const uint32_t players = 2 + (uint32_t)seed % 5;
        const sett_net_link_desc link = {.seed = seed,
                                         .latency_us = 5000 + chance_below(&chance, 60000),
                                         .jitter_us = chance_below(&chance, 2) * 20000,
                                         .loss = chance_below(&chance, 3) * 300};
        peers_begin(&net, players, 2, 20, &link);
        net.desc.timeout_ms = 2500;
        net.restless = true;
        peers_start_all(&net);
        peers_run(&net, 2000);
        for (uint32_t round = 0; round < 3; round++) {
            stop_and_start(players, &chance);
            const uint64_t frame = peers_stats(&net, 0).frame;
            peers_run(&net, 1000);
            for (uint32_t k = 0; k < players; k++) {
                const sett_session_stats stats = peers_stats(&net, k);
                CHECK_MSG(net.machine[k].events[SETT_SESSION_DESYNC] == 0, "game %u: %s",
                          (unsigned)seed, net.machine[k].text);
                CHECK_MSG(stats.present == (1u << players) - 1 && stats.frame > frame + 20,
                          "game %u, round %u: at player %u present is %x", (unsigned)seed,
                          (unsigned)round, (unsigned)k, (unsigned)stats.present);
            }
        }
        peers_end(&net);
    }
}

static void the_delay_changes_while_it_runs(void)
{
    sett_net_link_desc link = {.seed = 7, .latency_us = 50000};
    peers_begin(&net, 2, 0, 20, &link);
    peers_start_all(&net);
    peers_run(&net, 3000);
    uint64_t before = peers_stats(&net, 0).replayed;
    CHECK(before > 20);
    sett_session_set_delay(net.machine[0].session, 6);
    sett_session_set_delay(net.machine[1].session, 6);
    peers_run(&net, 500);
    before = peers_stats(&net, 0).replayed;
    peers_run(&net, 3000);
    CHECK(peers_stats(&net, 0).replayed < before + 10);
    sett_session_set_delay(net.machine[0].session, 1);
    peers_run(&net, 2000);
    check_together(2, 450);
    peers_end(&net);
}

static void wrong_options_are_rejected(void)
{
    peers_begin(&net, 2, 0, 0, NULL);
    sett_world* world = peers_world(&net);
    sett_session_desc good = net.desc;
    good.transport = sett_net_link_transport(net.link, 0);
    for (uint32_t k = 0; k < 9; k++) {
        sett_session_desc desc = good;
        desc.players = k == 0 ? 1 : k == 1 ? 9 : 2;
        desc.local = k == 2 ? 2 : 0;
        desc.input_size = k == 3 ? 0 : k == 4 ? 65 : 4;
        desc.input_delay = k == 5 ? 33 : 0;
        desc.max_prediction = k == 6 ? 33 : 0;
        desc.play = k == 7 ? NULL : desc.play;
        desc.transport.send = k == 8 ? NULL : desc.transport.send;
        CHECK(sett_session_create(world, &desc) == NULL);
    }
    sett_session_destroy(NULL);
    CHECK_END(world);
    peers_end(&net);
}

TEST_MAIN(TEST(two_players_play_one_game), TEST(bad_networks_are_rolled_over),
          TEST(a_spectator_comes_late), TEST(a_player_is_interrupted_and_resumes),
          TEST(a_player_that_dies_joins_again), TEST(a_player_that_was_cut_off_joins_again),
          TEST(a_player_that_leaves_is_gone_at_once),
          TEST(the_last_inputs_of_one_who_is_gone_are_passed_on), TEST(machines_come_and_go),
          TEST(the_delay_changes_while_it_runs), TEST(wrong_options_are_rejected))
