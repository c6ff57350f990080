/* test_together.c - several humans in one game, over a bad network: all machines have the same
 * world at each tick that is final; the player of one who leaves goes on by himself. */
#include "battle.h"
#include "together.h"

#include "sett/random.h"

#define TICK_US (1000000u / SIMULATION_TICKS_A_SECOND)

typedef struct Machine {
    Simulation sim;
    Together together;
    bool on;
} Machine;

static uint64_t link_now(void* user)
{
    return sett_net_link_now(user);
}

static void machine_start(Machine* machine, sett_net_link* link, uint32_t players, uint32_t local)
{
    Fault fault;
    const char* map = "E1M1";
    battle_start(&machine->sim, &map, 1, 1, 1);
    const TogetherDesc desc = {.players = players,
                               .local = local,
                               .version = 1,
                               .transport = sett_net_link_transport(link, local),
                               .clock_us = link_now,
                               .clock_user = link};
    CHECK_MSG(together_open(&machine->together, &machine->sim, &desc, &fault), "%s", fault.text);
    machine->on = true;
}

static void machine_stop(Machine* machine)
{
    together_close(&machine->together);
    CHECK_VALID(machine->sim.world);
    simulation_deinit(&machine->sim);
    machine->on = false;
}

/* Another way each half second, shooting half of the time. */
static Input drawn_input(uint32_t player, uint64_t now)
{
    const sett_entity key = {player, 1};
    uint64_t bits = sett_random(1, key, now / 500000, 0);
    return (Input){.angle = (uint16_t)bits,
                   .forward = (int8_t)(bits >> 16 & 0x7f),
                   .side = (int8_t)((int)(bits >> 24 & 0x7f) - 64),
                   .buttons = (uint8_t)(bits >> 32 & (INPUT_FIRE | INPUT_USE))};
}

static const sett_net_link_desc networks[] = {
    {.seed = 1, .latency_us = 30000, .jitter_us = 5000, .loss = 100},
    {.seed = 2, .latency_us = 60000, .jitter_us = 20000, .loss = 500, .duplicate = 100},
    {.seed = 3, .latency_us = 120000, .jitter_us = 40000, .loss = 500, .reorder = 100},
    {.seed = 4, .latency_us = 200000, .jitter_us = 80000, .loss = 1000, .duplicate = 300}};

/* The clock of each machine is 1 % slower than that of the one before it. */
static bool is_late(uint32_t player, uint32_t tick)
{
    return player != 0 && tick % 100 < player;
}

static void play_together(uint32_t players, uint32_t seconds, const sett_net_link_desc* network)
{
    static Machine machine[COMPONENT_PLAYERS];
    sett_net_link* link = sett_net_link_create(network);
    CHECK(link != NULL);
    for (uint32_t p = 0; p < players; p++) {
        machine_start(&machine[p], link, players, p);
    }
    uint32_t ticks = seconds * SIMULATION_TICKS_A_SECOND;
    uint32_t left = players - 1;
    for (uint32_t tick = 0; tick < ticks; tick++) {
        sett_net_link_advance(link, TICK_US);
        if (tick == ticks / 3) {
            machine_stop(&machine[left]);
        } else if (tick == ticks / 2) {
            machine_start(&machine[left], link, players, left);
        }
        for (uint32_t p = 0; p < players; p++) {
            if (machine[p].on && !is_late(p, tick)) {
                Input input = drawn_input(p, sett_net_link_now(link));
                CHECK_MSG(together_advance(&machine[p].together, input) != SETT_SESSION_OVER, "%s",
                          machine[p].together.why);
            }
        }
        if (tick == ticks / 2 - 5) { /* gone: he decides for himself */
            const Together* host = &machine[0].together;
            CHECK(sett_is_null(host->selves[left]));
            CHECK_EQ(sett_component_count(host->sim->world, Input_id), players - 1);
        }
    }
    uint64_t replayed = 0, frames = 0;
    uint32_t deepest = 0;
    for (uint32_t p = 0; p < players; p++) {
        sett_session_stats stats;
        sett_session_stats_get(machine[p].together.session, &stats);
        CHECK_EQ(stats.present, (1u << players) - 1);
        CHECK(stats.compared > 5);
        replayed += stats.replayed;
        frames += stats.frame;
        deepest = stats.deepest > deepest ? stats.deepest : deepest;
    }
    CHECK(replayed != 0);
    printf("  %u players, %3u ms: %.2f ticks played again for each, %u at most\n",
           (unsigned)players, (unsigned)network->latency_us / 1000,
           (double)replayed / (double)frames, (unsigned)deepest);
    for (uint32_t p = 0; p < players; p++) {
        machine_stop(&machine[p]);
    }
    sett_net_link_destroy(link);
}

static void play_over_all(uint32_t players)
{
    uint32_t seconds = (uint32_t)check_setting("SETT_SECONDS", 24);
    for (uint32_t k = 0; k < sizeof(networks) / sizeof(*networks); k++) {
        play_together(players, seconds, &networks[k]);
    }
}

static void two_play_together(void)
{
    play_over_all(2);
}

static void four_play_together(void)
{
    play_over_all(4);
}

/* Another game is rejected, and says so. */
static void another_version_is_rejected(void)
{
    static Machine machine[2];
    sett_net_link* link = sett_net_link_create(&(sett_net_link_desc){.seed = 1});
    CHECK(link != NULL);
    for (uint32_t p = 0; p < 2; p++) {
        machine_start(&machine[p], link, 2, p);
    }
    together_close(&machine[1].together);
    Fault fault;
    const TogetherDesc other = {.players = 2,
                                .local = 1,
                                .version = 2,
                                .transport = sett_net_link_transport(link, 1),
                                .clock_us = link_now,
                                .clock_user = link};
    CHECK(together_open(&machine[1].together, &machine[1].sim, &other, &fault));
    sett_session_state state = SETT_SESSION_WAIT;
    for (uint32_t tick = 0; tick < 100 && state != SETT_SESSION_OVER; tick++) {
        sett_net_link_advance(link, TICK_US);
        (void)together_advance(&machine[0].together, (Input){.weapon = 0});
        state = together_advance(&machine[1].together, (Input){.weapon = 0});
    }
    CHECK_EQ(state, SETT_SESSION_OVER);
    CHECK(strstr(machine[1].together.why, "version") != NULL);
    machine_stop(&machine[0]);
    machine_stop(&machine[1]);
    sett_net_link_destroy(link);
}

TEST_MAIN(TEST(two_play_together), TEST(four_play_together), TEST(another_version_is_rejected))
