/* test_fixed.c: loops of fixed steps: the same states after each step at any frame rate, on any
 * number of threads, and after a restore between two steps of one frame. */
#include "scarce.h"
#include "sett/threads.h"
#include "worlds.h"

#define FAST (1.0f / 64)
#define SLOW (1.0f / 32)
#define STEPS 256

typedef struct Pos {
    float x;
} Pos;

typedef struct Vel {
    float x;
} Vel;

typedef struct Life {
    int32_t steps;
} Life;

typedef struct Score {
    int32_t ended, seen, slow, entered;
} Score;

#define GAME(COMPONENT, TAG) COMPONENT(Pos) COMPONENT(Vel) COMPONENT(Life) COMPONENT(Score)
SETT_COMPONENTS(GAME)

/* One run of the game: the hash after each fast step. */
typedef struct play {
    sett_world* world;
    uint64_t hash[STEPS + 1];
    uint32_t step; /* the last one */
    uint32_t take; /* take a snapshot after this step */
    sett_snapshot snapshot;
} play;

static void spring(sett_context* c)
{
    CHECK(c->dt == FAST);
    CHECK(c->time == (double)c->frame * (double)FAST);
    SETT_SYSTEM_FOR(c, b, i) {
        SETT_FIELD_MUT(b, 0, Vel)[i].x -= SETT_FIELD(b, 1, Pos)[i].x * c->dt;
    }
}

static void move(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        SETT_FIELD_MUT(b, 0, Pos)[i].x += SETT_FIELD(b, 1, Vel)[i].x * c->dt;
    }
}

static void age(sett_context* c)
{
    Score* score = SETT_SINGLETON_GET_MUT(c->world, Score);
    SETT_SYSTEM_FOR(c, b, i) {
        Life* life = &SETT_FIELD_MUT(b, 0, Life)[i];
        if (--life->steps <= 0) {
            score->ended++;
            sett_cmd_destroy(c->commands, sett_batch_entity(b, i));
            sett_entity made = sett_cmd_create(c->commands);
            SETT_CMD_SET(c->commands, made, Life, (int32_t)(c->frame % 7) + 2);
            SETT_CMD_SET(c->commands, made, Pos, (float)c->frame);
            SETT_CMD_SET(c->commands, made, Vel, 1);
        }
    }
}

/* Visits what was written since the step before. */
static void look(sett_context* c)
{
    Score* score = SETT_SINGLETON_GET_MUT(c->world, Score);
    SETT_SYSTEM_FOR(c, b, i) {
        score->seen += SETT_FIELD(b, 0, Life)[i].steps;
    }
}

static void turn(sett_context* c)
{
    CHECK(c->dt == SLOW);
    SETT_SINGLETON_GET_MUT(c->world, Score)->slow++;
    SETT_SYSTEM_FOR(c, b, i) {
        SETT_FIELD_MUT(b, 0, Vel)[i].x *= 0.75f;
    }
}

static void note(sett_context* c)
{
    play* p = c->user;
    p->step = (uint32_t)c->frame + 1;
    CHECK_EQ(sett_fixed_steps(c->world, FAST), p->step);
    CHECK(p->step <= STEPS);
    uint64_t hash = sett_world_hash(c->world);
    CHECK(p->hash[p->step] == 0 || p->hash[p->step] == hash);
    p->hash[p->step] = hash;
    if (p->step == p->take) {
        CHECK_EQ(sett_snapshot_take(c->world, &p->snapshot), SETT_OK);
    }
}

static void entered(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity;
    (void)value;
    (void)user;
    SETT_SINGLETON_GET_MUT(world, Score)->entered++;
}

static void idle(sett_context* c)
{
    (void)c;
}

/* The systems are created in such an order that phases matter. */
static void begin(play* p, sett_threads* threads)
{
    sett_world* w = quiet_world();
    memset(p, 0, sizeof(*p));
    p->world = w;
    SETT_REGISTER_ALL(w, GAME);
    SETT_SINGLETON_SET(w, Score, 0);
    sett_schedule_desc schedule = {.no_times = true};
    if (threads != NULL) {
        schedule.tasks = sett_threads_tasks(threads);
    }
    CHECK_EQ(sett_schedule_configure(w, &schedule), SETT_OK);
    CHECK(SETT_SYSTEM(w, note, .user = p, .exclusive = true, .fixed_step = FAST, .max_steps = 64,
                      .phase = SETT_PHASE_OUTPUT) != NULL);
    CHECK(SETT_SYSTEM(w, turn, .terms = {SETT_INOUT(Vel)}, .access_any_inout = {Score_id},
                      .fixed_step = SLOW, .max_steps = 64) != NULL);
    CHECK(SETT_SYSTEM(w, spring, .terms = {SETT_INOUT(Vel), SETT_IN(Pos)}, .fixed_step = FAST) !=
          NULL);
    CHECK(SETT_SYSTEM(w, move, .terms = {SETT_INOUT(Pos), SETT_IN(Vel)}, .fixed_step = FAST) !=
          NULL);
    CHECK(SETT_SYSTEM(w, age, .terms = {SETT_INOUT(Life)}, .access_any_inout = {Score_id},
                      .fixed_step = FAST) != NULL);
    CHECK(SETT_SYSTEM(w, look, .terms = {SETT_CHANGED(Life)}, .access_any_inout = {Score_id},
                      .phase = SETT_PHASE_UPDATE_LATE, .fixed_step = FAST) != NULL);
    CHECK(SETT_SYSTEM(w, idle, .exclusive = true) != NULL);
    CHECK(sett_observer_create(w, &(sett_observer_desc){.component = Life_id, .on_add = entered}) !=
          NULL);
    for (int k = 0; k < 2100; k++) {
        SETT_CREATE(w, SETT_VALUE(Pos, (float)k), SETT_VALUE(Vel, 0), SETT_VALUE(Life, k % 90 + 1));
    }
}

/* Until STEPS steps are over, or one frame more would pass them. */
static void run_frames(play* p, float dt)
{
    while ((double)(p->step + 1) * (double)FAST + (double)dt <= (double)STEPS * (double)FAST) {
        CHECK_EQ(sett_progress(p->world, dt), SETT_OK);
    }
    CHECK(p->step >= STEPS - 16);
}

static void check_equal(const play* a, const play* b)
{
    for (uint32_t k = 1; k <= STEPS && k <= a->step && k <= b->step; k++) {
        CHECK_EQ(a->hash[k], b->hash[k]);
    }
}

static void end(play* p)
{
    CHECK(SETT_SINGLETON_GET(p->world, Score)->slow >= (int32_t)p->step / 2 - 1);
    CHECK(SETT_SINGLETON_GET(p->world, Score)->seen != 0);
    CHECK(SETT_SINGLETON_GET(p->world, Score)->ended > 2100);
    CHECK_END(p->world);
}

static void steps_do_not_depend_on_frames(void)
{
    static const float rates[] = {64, 16, 30, 60, 144};
    static play plays[5];
    for (uint32_t workers = 0; workers <= 4; workers += 4) {
        sett_threads* threads = workers != 0 ? sett_threads_create(workers, NULL) : NULL;
        for (uint32_t k = 0; k < 5; k++) {
            static play threaded;
            play* p = workers == 0 ? &plays[k] : &threaded;
            begin(p, threads);
            run_frames(p, 1 / rates[k]);
            check_equal(&plays[0], p);
            end(p);
        }
        if (threads != NULL) {
            sett_threads_destroy(threads);
        }
    }
}

static void check_restores(sett_threads* threads)
{
    for (uint32_t at = 36; at < 44; at += CHECK_STEP_OF(3)) { /* of two frames, each step */
        static play whole;
        static play p;
        begin(&whole, NULL);
        run_frames(&whole, 1.0f / 16);
        begin(&p, threads);
        p.take = at;
        while (p.step < 100) {
            CHECK_EQ(sett_progress(p.world, 1.0f / 16), SETT_OK);
        }
        p.take = 0;
        CHECK_EQ(sett_snapshot_restore(p.world, p.snapshot), SETT_OK);
        CHECK_EQ(sett_fixed_steps(p.world, FAST), at);
        CHECK_EQ(sett_progress(p.world, 0), SETT_OK); /* the rest of that frame */
        CHECK_EQ(p.step, at % 4 == 0 ? 100 : (at + 3) / 4 * 4);
        p.step = (uint32_t)sett_fixed_steps(p.world, FAST);
        run_frames(&p, 1.0f / 64);
        check_equal(&whole, &p);
        CHECK_EQ(sett_snapshot_drop(p.world, p.snapshot), SETT_OK);
        end(&p);
        end(&whole);
    }
}

static void a_restore_between_two_steps_goes_on(void)
{
    check_restores(NULL);
    sett_threads* threads = sett_threads_create(4, NULL);
    check_restores(threads);
    sett_threads_destroy(threads);
}

/* ---- Order ----------------------------------------------------------------------------------- */

typedef struct trace {
    char text[400];
} trace;

static void write_name(sett_context* c)
{
    trace* t = c->user;
    strcat(t->text, sett_system_name(c->system));
}

static sett_system* make(sett_world* w, trace* t, const char* name, sett_system_desc desc)
{
    desc.name = name;
    desc.run = write_name;
    desc.user = t;
    return sett_system_create(w, &desc);
}

#define MAKE(w, t, name, ...) make((w), (t), (name), (sett_system_desc){__VA_ARGS__})
#define CHECK_TRACE(t, wanted)                                                                     \
    do {                                                                                           \
        CHECK_STR_EQ((t)->text, (wanted));                                                         \
        (t)->text[0] = '\0';                                                                       \
    } while (0)

static void steps_of_several_loops_run_as_they_are_due(void)
{
    sett_world* w = quiet_world();
    trace t = {""};
    CHECK(MAKE(w, &t, "d", .phase = SETT_PHASE_UPDATE) != NULL);
    CHECK(MAKE(w, &t, "c", .fixed_step = 0.5f, .phase = SETT_PHASE_OUTPUT) != NULL);
    CHECK(MAKE(w, &t, "S", .fixed_step = 0.75f) != NULL);
    CHECK(MAKE(w, &t, "b", .fixed_step = 0.5f, .phase = SETT_PHASE_LOAD) != NULL);
    CHECK(MAKE(w, &t, "a", .phase = SETT_PHASE_FIXED) != NULL);
    CHECK_EQ(sett_progress(w, 0.25f), SETT_OK);
    CHECK_TRACE(&t, "ad");
    CHECK_EQ(sett_progress(w, 1.25f), SETT_OK);
    CHECK_TRACE(&t, "abcSbcbcSd"); /* due at .5, .75, 1 and 1.5, 1.5 */
    CHECK(sett_fixed_rest(w, 0.5f) == 0 && sett_fixed_rest(w, 3) == 0);
    CHECK_EQ(sett_progress(w, 0.125f), SETT_OK);
    CHECK_TRACE(&t, "ad");
    CHECK(sett_fixed_rest(w, 0.5f) == 0.25f);
    CHECK_EQ(sett_fixed_steps(w, 0.5f), 3);
    CHECK_EQ(sett_fixed_steps(w, 0.75f), 2);
    CHECK_EQ(sett_fixed_steps(w, 1), 0);
    CHECK_EQ(sett_progress_phases(w, 10, SETT_PHASE_UPDATE, SETT_PHASE_OUTPUT), SETT_OK);
    CHECK_TRACE(&t, "d"); /* paused: no time passes for fixed steps */
    CHECK_EQ(sett_fixed_steps(w, 0.5f), 3);
    char text[2000];
    CHECK(sett_schedule_describe(w, text, sizeof(text)) < sizeof(text));
    CHECK(strstr(text, "phase LOAD -300 of fixed steps of 0.5 seconds") != NULL);
    CHECK(strstr(text, "phase FIXED -50\n") != NULL);
    CHECK_END(w);
}

/* A loop that is created later is due by the clock that all share. */
static void a_later_loop_keeps_the_order(void)
{
    sett_world* w = quiet_world();
    trace t = {""};
    CHECK(MAKE(w, &t, "a", .fixed_step = 0.5f) != NULL);
    CHECK_EQ(sett_progress(w, 1.25f), SETT_OK);
    CHECK(MAKE(w, &t, "b", .fixed_step = 0.5f / 2) != NULL);
    CHECK_TRACE(&t, "aa");
    CHECK_EQ(sett_progress(w, 0.75f), SETT_OK); /* a at 1.5, 2.0; b at 1.5, 1.75, 2.0 */
    CHECK_TRACE(&t, "babba");
    CHECK_END(w);
}

static void a_range_of_phases_is_a_loop(void)
{
    sett_world* w = quiet_world();
    trace t = {""};
    CHECK(MAKE(w, &t, "i", .phase = SETT_PHASE_INPUT) != NULL);
    CHECK(MAKE(w, &t, "b", .phase = SETT_PHASE_UPDATE_LATE) != NULL);
    sett_schedule_desc range = {.fixed_step = 0.5f,
                                .fixed_phase = SETT_PHASE_UPDATE_EARLY,
                                .fixed_last = SETT_PHASE_UPDATE_LATE,
                                .max_steps = 3};
    CHECK_EQ(sett_schedule_configure(w, &range), SETT_OK);
    CHECK(MAKE(w, &t, "a", .phase = SETT_PHASE_UPDATE) != NULL);
    CHECK(MAKE(w, &t, "n", .interval = 1) != NULL);
    CHECK(MAKE(w, &t, "s", .fixed_step = 0.25f) != NULL);
    CHECK(MAKE(w, &t, "o", .phase = SETT_PHASE_OUTPUT) != NULL);
    CHECK_EQ(sett_progress(w, 1), SETT_OK);
    CHECK_TRACE(&t, "issabssanbo");
    CHECK_EQ(sett_progress(w, 100), SETT_OK); /* three steps, and eight of the other */
    CHECK_EQ(sett_fixed_steps(w, 0.5f), 5);
    CHECK_EQ(sett_fixed_steps(w, 0.25f), 12);
    CHECK_EQ(sett_progress(w, 1e30f), SETT_OK);
    CHECK_EQ(sett_fixed_steps(w, 0.5f), 8);
    t.text[0] = '\0';
    CHECK_EQ(sett_schedule_configure(w, &(sett_schedule_desc){0}), SETT_OK);
    CHECK_EQ(sett_progress(w, 0.25f), SETT_OK);
    CHECK_TRACE(&t, "isabo"); /* back to frames */
    CHECK_EQ(sett_schedule_configure(w, &(sett_schedule_desc){.fixed_step = -1}),
             SETT_STATUS_ARGUMENT);
    CHECK_END(w);
}

static void orders_that_contradict_are_rejected(void)
{
    sett_world* w = quiet_world();
    trace t = {""};
    CHECK(MAKE(w, &t, "early", .phase = SETT_PHASE_FIXED) != NULL);
    CHECK(MAKE(w, &t, "late", .phase = SETT_PHASE_UPDATE) != NULL);
    CHECK(MAKE(w, &t, "step", .fixed_step = 1, .after = {"early"}, .before = {"late"}) != NULL);
    CHECK(MAKE(w, &t, "x", .fixed_step = 1, .before = {"early"}) == NULL);
    CHECK_EQ(sett_world_error(w), SETT_STATUS_CONFLICT);
    CHECK(MAKE(w, &t, "x", .fixed_step = 1, .after = {"late"}) == NULL);
    CHECK_EQ(sett_world_error(w), SETT_STATUS_CONFLICT);
    CHECK(MAKE(w, &t, "x", .fixed_step = 2, .after = {"step"}) == NULL);
    CHECK(strstr(sett_world_message(w),
                 "steps of 1 seconds cannot run before \"x\" with steps of 2 seconds") != NULL);
    CHECK(MAKE(w, &t, "x", .fixed_step = 1, .phase = -1, .after = {"step"}) == NULL);
    CHECK_EQ(sett_world_error(w), SETT_STATUS_CONFLICT);
    CHECK(MAKE(w, &t, "x", .fixed_step = 1, .phase = 1, .after = {"step"}) != NULL);
    /* "late" is to run after the steps, and would be in a loop of its own length. */
    sett_schedule_desc range = {.fixed_step = 3};
    CHECK_EQ(sett_schedule_configure(w, &range), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_progress(w, 1), SETT_OK);
    CHECK_TRACE(&t, "earlystepxlate");
    CHECK_END(w);
}

static void grow(sett_context* c)
{
    CHECK_EQ(sett_entity_count(c->world),
             c->frame + 1); /* one of each step before, and the first */
    (void)sett_cmd_create(c->commands);
}

static void commands_are_applied_after_each_step(void)
{
    sett_world* w = quiet_world();
    SETT_REGISTER_ALL(w, GAME);
    SETT_CREATE(w, SETT_VALUE(Life, 1));
    CHECK(SETT_SYSTEM(w, grow, .terms = {SETT_IN(Life)}, .fixed_step = 0.5f) != NULL);
    CHECK(SETT_SYSTEM(w, idle, .terms = {SETT_IN(Life)}, .phase = SETT_PHASE_OUTPUT) != NULL);
    CHECK_EQ(sett_progress(w, 2), SETT_OK);
    CHECK_EQ(sett_entity_count(w), 5);
    CHECK_END(w);
}

static void one_second_is_one_second(void)
{
    for (int rate = 16; rate <= 64; rate += 16) {
        sett_world* w = quiet_world();
        trace t = {""};
        CHECK(MAKE(w, &t, "a", .fixed_step = 1.0f / 64, .run_once = true) != NULL);
        for (int k = 0; k < rate; k++) {
            CHECK_EQ(sett_progress(w, 1.0f / (float)rate), SETT_OK);
        }
        CHECK_TRACE(&t, "a");
        CHECK(sett_fixed_steps(w, 1.0f / 64) + 1 >= 64);
        CHECK_END(w);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct tried {
    sett_world* world;
    trace trace;
} tried;

static bool try_range(void* user)
{
    sett_schedule_desc range = {.fixed_step = 0.125f, .fixed_phase = -1000, .fixed_last = 1000};
    return sett_schedule_configure(((tried*)user)->world, &range) == SETT_OK;
}

static void check_not_in_steps(void* user)
{
    tried* t = user;
    CHECK_EQ(sett_progress(t->world, 0.25f), SETT_OK);
    CHECK_TRACE(&t->trace, "a");
    CHECK_VALID(t->world);
}

static void failing_memory_changes_nothing(void)
{
    static scarce_memory memory;
    static tried t;
    t.world = scarce_world(&memory);
    CHECK(MAKE(t.world, &t.trace, "a", .phase = 1) != NULL);
    check_not_in_steps(&t);
    scarce_run(t.world, &memory, try_range, check_not_in_steps, &t);
    CHECK_EQ(sett_progress(t.world, 0.25f), SETT_OK);
    CHECK_TRACE(&t.trace, "aa");
    scarce_end(&memory, t.world);
}

TEST_MAIN(TEST(steps_do_not_depend_on_frames), TEST(a_restore_between_two_steps_goes_on),
          TEST(steps_of_several_loops_run_as_they_are_due), TEST(a_later_loop_keeps_the_order),
          TEST(a_range_of_phases_is_a_loop), TEST(orders_that_contradict_are_rejected),
          TEST(one_second_is_one_second), TEST(commands_are_applied_after_each_step),
          TEST(failing_memory_changes_nothing))
