/* test_session.c - a game with a human player can be rewound at any time, and then is what it
 * was at that tick; humans walk, fall, push and shoot; without one nothing changes. */
#include "battle.h"
#include "script.h"

#include <math.h>

#include "sett/state.h"

#define TICKS 500u
#define SCRIPTS CHECK_ROUNDS(12)

static Session* session_start(Simulation* sim, const char* map)
{
    Fault fault;
    battle_start(sim, &map, 1, 1, 1);
    Session* session = calloc(1, sizeof *session);
    CHECK(session != NULL);
    CHECK_MSG(session_open(session, sim, 0, &fault), "%s", fault.text);
    return session;
}

static void session_stop(Session* session)
{
    Simulation* sim = session->sim;
    session_close(session);
    free(session);
    simulation_deinit(sim);
}

static void tick(Session* session, Input input)
{
    Fault fault;
    CHECK_MSG(session_tick(session, input, &fault), "%s", fault.text);
}

/* Every tick after a rewind, and of what remained played once more, must end as it did before. */
static void play_script(uint64_t seed)
{
    Simulation sim;
    Fault fault;
    const char* map = "E1M1";
    Script* script = malloc(sizeof *script);
    Session* session = session_start(&sim, map);
    CHECK(script != NULL);
    CHECK_MSG(script_play(script, session, seed, TICKS, &fault), "%s", fault.text);
    CHECK(script->rewinds > 0);
    CHECK_VALID(sim.world);
    session_stop(session);
    battle_start(&sim, &map, 1, 1, 1);
    CHECK_MSG(script_replay(script, &sim, TICKS, &fault), "%s", fault.text);
    simulation_deinit(&sim);
    free(script);
}

static void rewound_worlds_are_as_they_were(void)
{
    uint64_t seed = check_setting("SETT_SEED", 1);
    for (uint32_t i = 0; i < SCRIPTS; i++) {
        play_script(seed * 1000 + i);
    }
}

/* Let go, the picture goes on in every frame until the world has come there. */
static void nothing_freezes_after_a_rewind(void)
{
    Simulation sim;
    Fault fault;
    Session* session = session_start(&sim, "E1M1");
    for (uint32_t i = 0; i < 400; i++) {
        tick(session, (Input){.forward = 100, .angle = (uint16_t)(i * 50)});
    }
    for (uint32_t frames = 1; frames < 60; frames += 7) {
        CHECK_MSG(session_rewind_begin(session, &fault), "%s", fault.text);
        for (uint32_t i = 0; i < frames; i++) {
            CHECK_MSG(session_rewind(session, 2.33f, 3, &fault), "%s", fault.text);
        }
        CHECK_MSG(session_rewind_end(session, &fault), "%s", fault.text);
        for (uint32_t i = 0; session->mode != SESSION_PLAYS; i++) {
            float shown = session->shown;
            CHECK_MSG(session_return(session, 3, &fault), "%s", fault.text);
            CHECK(session->shown < shown);
            CHECK(i < 24);
        }
        CHECK(session->shown == (float)sim.dice.tick);
        CHECK(session_ghosts(session) != NULL);
        for (uint32_t i = 0; i < 100; i++) {
            tick(session, (Input){.forward = 100, .angle = (uint16_t)(i * 50)});
        }
    }
    session_stop(session);
}

/* A frame that has no time left plays one tick again, and the world still gets there. */
static void late_frames_play_one_tick(void)
{
    Simulation sim;
    Fault fault;
    Session* session = session_start(&sim, "E1M1");
    for (uint32_t i = 0; i < 200; i++) {
        tick(session, (Input){.forward = 100});
    }
    session->deadline = 1; /* long ago */
    CHECK_MSG(session_rewind_begin(session, &fault), "%s", fault.text);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t before = session->done.replayed;
        CHECK_MSG(session_rewind(session, 2.33f, 3, &fault), "%s", fault.text);
        CHECK(session->done.replayed - before <= 1);
    }
    CHECK(session->shown < 120.0f);
    session_stop(session);
}

static const Position* position_of(const Session* session)
{
    return SETT_GET(session->sim->world, session->self, Position);
}

static void humans_run_and_stop(void)
{
    Simulation sim;
    Session* session = session_start(&sim, "E1M1");
    tick(session, (Input){.angle = 0x4000});
    CHECK(!sett_is_null(session->self));
    CHECK(!SETT_HAS(sim.world, session->self, Walk));
    Position start = *position_of(session);
    for (int i = 0; i < 35; i++) {
        tick(session, (Input){.forward = 127, .angle = 0x4000});
    }
    Position ran = *position_of(session);
    CHECK(ran.x != start.x || ran.y != start.y);
    for (int i = 0; i < 70; i++) {
        tick(session, (Input){.angle = 0x4000});
    }
    Position rests = *position_of(session);
    tick(session, (Input){.angle = 0x4000});
    CHECK_EQ(rests.x, position_of(session)->x);
    CHECK_EQ(rests.y, position_of(session)->y);
    session_stop(session);
}

static void who_is_no_longer_human_goes_on_by_himself(void)
{
    Simulation sim;
    Session* session = session_start(&sim, "E1M1");
    tick(session, (Input){.angle = 0});
    sett_entity first = session->self;
    session->order.number = 2;
    tick(session, (Input){.angle = 0});
    CHECK(!sett_equals(session->self, first));
    CHECK(SETT_HAS(sim.world, session->self, Input));
    CHECK(!SETT_HAS(sim.world, first, Input));
    CHECK(SETT_HAS(sim.world, first, Walk));
    session_stop(session);
}

/* Ticks in parts end as whole ones do, and can be rewound. */
static void ticks_in_parts_are_the_same(void)
{
    Simulation whole_sim, parts_sim;
    Fault fault;
    Session* whole = session_start(&whole_sim, "E1M1");
    Session* parts = session_start(&parts_sim, "E1M1");
    uint32_t begun = 0;
    for (uint32_t i = 0; i < 150; i++) {
        Input input = {.forward = 100, .buttons = INPUT_FIRE, .angle = (uint16_t)(i * 300)};
        tick(whole, input);
        for (uint32_t k = 0; k < i % 4; k++) {
            float share = (float)(i * 7 % 10 + k * 3) / 10.0f;
            CHECK_MSG(session_begin_tick(parts, input, share, &fault), "%s", fault.text);
            begun += parts_sim.phase != 0 ? 1 : 0;
        }
        tick(parts, parts_sim.phase != 0 ? (Input){.forward = -100} : input);
        CHECK_EQ(parts_sim.phase, 0);
        CHECK_EQ(sett_world_hash(parts_sim.world), sett_world_hash(whole_sim.world));
    }
    CHECK(begun > 150);
    CHECK_MSG(session_rewind_begin(parts, &fault), "%s", fault.text);
    while (parts->shown > 60.0f) {
        CHECK_MSG(session_rewind(parts, 2.0f, 6, &fault), "%s", fault.text);
    }
    CHECK_MSG(session_rewind_end(parts, &fault), "%s", fault.text);
    while (parts->mode != SESSION_PLAYS) {
        CHECK_MSG(session_return(parts, 6, &fault), "%s", fault.text);
    }
    uint32_t again = parts_sim.dice.tick;
    session_stop(whole);
    whole = session_start(&whole_sim, "E1M1");
    for (uint32_t i = 0; i < again; i++) {
        tick(whole, (Input){.forward = 100, .buttons = INPUT_FIRE, .angle = (uint16_t)(i * 300)});
    }
    CHECK_EQ(sett_world_hash(parts_sim.world), sett_world_hash(whole_sim.world));
    session_stop(whole);
    session_stop(parts);
}

static void crowds_double(void)
{
    Simulation sim;
    Session* session = session_start(&sim, "E1M1");
    tick(session, (Input){.angle = 0});
    uint32_t before = sett_component_count(sim.world, Monster_id);
    tick(session, (Input){.buttons = INPUT_CROWD});
    CHECK(sett_component_count(sim.world, Monster_id) > before + before / 2);
    session_stop(session);
}

static void sines_are_near(void)
{
    CHECK_EQ(fixed_sine(0), 0);
    CHECK_EQ(fixed_cosine(0x8000), -FIXED_ONE);
    for (uint32_t angle = 0; angle < 65536; angle += 7) {
        double exact = sin((double)angle * 6.283185307179586 / 65536) * FIXED_ONE;
        CHECK(fabs(exact - (double)fixed_sine(angle)) <= 12.0);
    }
}

TEST_MAIN(TEST(sines_are_near), TEST(humans_run_and_stop),
          TEST(who_is_no_longer_human_goes_on_by_himself), TEST(crowds_double),
          TEST(ticks_in_parts_are_the_same), TEST(nothing_freezes_after_a_rewind),
          TEST(late_frames_play_one_tick), TEST(rewound_worlds_are_as_they_were))
