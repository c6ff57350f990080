/* test_session_large.c: states of some megabytes over a slow link: they arrive, however long that
 * takes, and the game of the others goes on meanwhile. */
#include "net_session.h"
#include "peers.h"

enum {
    LARGE_BYTES = 200,
    LARGE_RATE = 250000 /* bytes a second: 2 Mbit/s */
};

static peers net;
static uint32_t cargoes; /* entities with bytes that no frame writes */

/* Bytes that cannot be made smaller. */
static void large_fill(sett_world* world)
{
    uint64_t chance = 11;
    const sett_component cargo = sett_component_register(
        world, &(sett_component_desc){.name = "Cargo", .size = LARGE_BYTES});
    for (uint32_t k = 0; k < cargoes; k++) {
        uint64_t bytes[LARGE_BYTES / sizeof(uint64_t)];
        for (uint32_t b = 0; b < LARGE_BYTES / sizeof(uint64_t); b++) {
            bytes[b] = chance_draw(&chance);
        }
        CHECK(sett_set(world, sett_entity_create(world), cargo, bytes) != NULL);
    }
}

static void large_begin(uint32_t players, uint32_t bytes)
{
    const sett_net_link_desc link = {.seed = 1,
                                     .latency_us = 60000,
                                     .jitter_us = 20000,
                                     .loss = 500,
                                     .bytes_per_second = LARGE_RATE};
    cargoes = bytes / LARGE_BYTES;
    peers_begin(&net, players, 2, 20, &link);
    net.fill = large_fill;
    net.desc.max_prediction = 12;
    peers_start_all(&net);
    peers_run(&net, 4000);
    CHECK_EQ(peers_stats(&net, 0).present, (1u << players) - 1);
}

/* Runs until a machine has its state. Returns after how many ms. */
static uint64_t large_fetch(uint32_t k, uint64_t most)
{
    uint64_t ms = 0;
    while (ms < most && net.machine[k].session->mode != SESSION_RUNS) {
        peers_run(&net, 100);
        ms += 100;
    }
    return ms;
}

/* It arrives in 1.5 times of what its bytes take at least; the others play on, and it is among them
 * soon. */
static void large_check(uint32_t k, uint32_t bytes)
{
    const uint64_t least = (uint64_t)bytes * 1000 / LARGE_RATE;
    const uint64_t frame = peers_stats(&net, 0).frame;
    const uint64_t ms = large_fetch(k, 3 * least + 5000);
    const uint64_t frames = peers_stats(&net, 0).frame - frame;
    printf("  %.1f MB: %.1f s, at least %.1f; %.1f frames a second of the others meanwhile\n",
           bytes / 1e6, (double)ms / 1000, (double)least / 1000,
           (double)frames * 1000 / (double)ms);
    CHECK_EQ(net.machine[k].events[SETT_SESSION_SYNCHRONISED], 1);
    CHECK_MSG(ms < least * 3 / 2 + 2000, "%u ms", (unsigned)ms);
    CHECK_MSG(frames * 1000 > ms * 54, "%u frames in %u ms", (unsigned)frames, (unsigned)ms);
    peers_run(&net, 12000);
    const sett_session_stats stats = peers_stats(&net, k);
    CHECK_MSG(stats.frame + 30 > peers_stats(&net, 0).frame, "frame %u of %u",
              (unsigned)stats.frame, (unsigned)peers_stats(&net, 0).frame);
    CHECK_EQ(net.machine[k].events[SETT_SESSION_SYNCHRONISED], 1);
    CHECK_EQ(net.machine[k].events[SETT_SESSION_WAITING], 0);
    CHECK_EQ(stats.present, (1u << net.desc.players) - 1);
    CHECK(stats.compared > 10);
    for (uint32_t m = 0; m < net.desc.players; m++) {
        CHECK_MSG(net.machine[m].events[SETT_SESSION_DESYNC] == 0, "%s", net.machine[m].text);
    }
}

static void a_player_comes_back(void)
{
    large_begin(3, 5000000);
    peers_stop(&net.machine[1]);
    peers_run(&net, 3000);
    peers_start(&net, 1);
    large_check(1, 5000000);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_JOINED], 1);
    peers_end(&net);
}

static void a_spectator_comes_late(void)
{
    large_begin(2, 8000000);
    peers_start(&net, 2);
    large_check(2, 8000000);
    peers_end(&net);
}

/* From one player, the only one that is left. The second one gets the state that was begun for the
 * first one, which goes on arriving. */
static void two_come_one_after_the_other(void)
{
    large_begin(3, 2500000);
    peers_stop(&net.machine[1]);
    peers_stop(&net.machine[2]);
    peers_run(&net, 3000);
    peers_start(&net, 1);
    peers_run(&net, 2000);
    peers_start(&net, 2);
    CHECK(large_fetch(1, 60000) < 30000);
    CHECK(large_fetch(2, 60000) < 30000);
    peers_run(&net, 12000);
    for (uint32_t k = 1; k < 3; k++) {
        CHECK_EQ(net.machine[k].events[SETT_SESSION_SYNCHRONISED], 1);
        CHECK_EQ(net.machine[k].events[SETT_SESSION_WAITING], 0);
        CHECK_EQ(peers_stats(&net, k).present, 7);
        CHECK(peers_stats(&net, k).frame + 30 > peers_stats(&net, 0).frame);
    }
    peers_end(&net);
}

/* Meanwhile another player leaves, and one dies: who comes back plays their last inputs, and takes
 * the decisions. */
static void others_leave_meanwhile(void)
{
    large_begin(5, 4000000);
    net.restless = true;
    peers_stop(&net.machine[1]);
    peers_run(&net, 3000);
    peers_machine* back = peers_start(&net, 1);
    peers_run(&net, 8000);
    const uint32_t source = back->session->source, leaves = source == 4 ? 3 : 4;
    const uint32_t dies = source == 2 ? 3 : 2;
    CHECK_EQ(back->session->mode, SESSION_LOADS);
    peers_stop(&net.machine[leaves]);
    sett_net_link_cut(net.link, dies, true);
    peers_run(&net, 8000);
    peers_stop(&net.machine[dies]);
    CHECK_EQ(back->session->mode, SESSION_LOADS);
    CHECK(large_fetch(1, 40000) < 20000);
    peers_run(&net, 12000);
    CHECK_EQ(back->gone, 1u << leaves | 1u << dies);
    CHECK_EQ(back->events[SETT_SESSION_SYNCHRONISED], 1);
    CHECK_EQ(peers_stats(&net, 1).present, 31u & ~(1u << leaves | 1u << dies));
    CHECK(peers_stats(&net, 1).frame + 30 > peers_stats(&net, 0).frame);
    CHECK(peers_stats(&net, 1).compared > 10);
    CHECK_MSG(back->events[SETT_SESSION_DESYNC] == 0, "%s", back->text);
    peers_end(&net);
}

/* Starts a spectator, who gets no state: after some time there was one event, which says why. */
static void large_check_fails(uint64_t ms, sett_session_state state, sett_session_event_kind event,
                              const char* why)
{
    const peers_machine* watcher = peers_start(&net, 2);
    peers_run(&net, ms);
    CHECK_EQ(watcher->state, state);
    CHECK_EQ(watcher->events[event], 1);
    CHECK_MSG(strstr(watcher->text, why) != NULL, "%s", watcher->text);
}

/* A quarter of the rate that it would take. */
static void too_slow_a_link_is_named(void)
{
    large_begin(2, 4000000);
    sett_net_link_set(
        net.link, &(sett_net_link_desc){.latency_us = 60000, .bytes_per_second = LARGE_RATE / 5});
    const uint64_t frame = peers_stats(&net, 0).frame;
    large_check_fails(60000, SETT_SESSION_WAIT, SETT_SESSION_WAITING,
                      "did not arrive within 3072 frames");
    CHECK(peers_stats(&net, 0).frame > frame + 3300); /* of 3,600 */
    peers_end(&net);
}

static void a_state_above_the_limit_is_refused(void)
{
    large_begin(2, 1000000);
    net.desc.state_limit = 500000;
    large_check_fails(3000, SETT_SESSION_OVER, SETT_SESSION_FAILED,
                      "more than `state_limit`, 500000 bytes - raise");
    peers_end(&net);
}

TEST_MAIN(TEST(a_player_comes_back), TEST(a_spectator_comes_late),
          TEST(two_come_one_after_the_other), TEST(others_leave_meanwhile),
          TEST(too_slow_a_link_is_named), TEST(a_state_above_the_limit_is_refused))
