/* test_game.c - the game without a window: keys, frames and ticks. */
#include "battle.h"
#include "game.h"

#define FRAME (1.0f / 200.0f) /* seconds: more frames than ticks */

static void game_start(Play* play, Simulation* sim)
{
    static const char* const wads[] = {WAD_CUT_FIRST};
    const char* map = "E1M1";
    Fault fault;
    battle_start(sim, &map, 1, 1, 1);
    CHECK_MSG(game_open(play, sim, wads, 1, 0, 64, 64, &fault), "%s", fault.text);
}

static void game_stop(Play* play, Simulation* sim)
{
    game_close(play);
    simulation_deinit(sim);
}

static void frame(Play* play, GameControls controls)
{
    Fault fault;
    CHECK_MSG(game_frame(play, FRAME, &controls, &fault), "%s", fault.text);
}

/* A key that is down for one frame counts, in whichever frame; and once. */
static void short_presses_wait_for_a_tick(bool spreads)
{
    for (uint32_t wait = 0; wait < 7; wait++) {
        Play play;
        Simulation sim;
        game_start(&play, &sim);
        play.spreads = spreads;
        for (uint32_t i = 0; i < 20 + wait; i++) {
            frame(&play, (GameControls){.turn = 0});
        }
        uint32_t before = sett_component_count(sim.world, Monster_id);
        frame(&play, (GameControls){.crowd = true});
        for (uint32_t i = 0; i < 20; i++) {
            frame(&play, (GameControls){.turn = 0});
        }
        uint32_t after = sett_component_count(sim.world, Monster_id);
        CHECK(after > before + before / 2);
        CHECK(after < before * 3);
        game_stop(&play, &sim);
    }
}

static void short_presses_count(void)
{
    short_presses_wait_for_a_tick(false);
}

static void short_presses_count_in_spread_ticks(void)
{
    short_presses_wait_for_a_tick(true);
}

/* A tick that has begun is ended before the world goes back, or to another map. */
static void spread_ticks_end_before_a_rewind(void)
{
    Play play;
    Simulation sim;
    game_start(&play, &sim);
    play.spreads = true;
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 200 + round; i++) {
            frame(&play, (GameControls){.forward = 100, .turn = 0.01f});
        }
        CHECK(sim.phase != 0);
        frame(&play, (GameControls){.rewind = true});
        CHECK_EQ(sim.phase, 0);
        CHECK_EQ(play.session->mode, SESSION_REWINDS);
        for (uint32_t i = 0; i < 40; i++) {
            frame(&play, (GameControls){.rewind = true});
        }
        for (uint32_t i = 0; i < 200 && (i == 0 || play.session->mode != SESSION_PLAYS); i++) {
            frame(&play, (GameControls){.turn = 0});
        }
        CHECK_EQ(play.session->mode, SESSION_PLAYS);
    }
    CHECK(play.session->done.rewinds == 10);
    CHECK_VALID(sim.world);
    game_stop(&play, &sim);
}

TEST_MAIN(TEST(short_presses_count), TEST(short_presses_count_in_spread_ticks),
          TEST(spread_ticks_end_before_a_rewind))
