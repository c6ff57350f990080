/* test_system.c: systems: what a function is handed, when it is called, what it may do. */
#include "check.h"
#include "scarce.h"
#include "sett/system.h"

#include <limits.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Count {
    uint32_t value;
} Count;

typedef struct scene {
    sett_world* world;
    sett_component position;
    sett_component velocity;
    sett_component count;
    sett_component rare; /* sparse-set */
    sett_component tag;
} scene;

static scene scene_begin(void)
{
    scene s;
    s.world = quiet_world();
    s.position = SETT_REGISTER(s.world, Position);
    s.velocity = SETT_REGISTER(s.world, Velocity);
    s.count = SETT_REGISTER(s.world, Count);
    s.rare = sett_component_register(
        s.world,
        &(sett_component_desc){.name = "Rare", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    s.tag = sett_component_register(s.world, &(sett_component_desc){.name = "Tag"});
    return s;
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
}

static void scene_fill(scene* s, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = sett_entity_create(s->world);
        sett_set(s->world, e, s->position, &(Position){(float)k, 0});
        sett_set(s->world, e, s->count, &(Count){0});
        if (k % 2 == 0) {
            sett_set(s->world, e, s->velocity, &(Velocity){1, 2});
        }
        if (k % 10 == 0) {
            sett_set(s->world, e, s->rare, &(uint32_t){k});
        }
    }
}

/* What calls left in `user`. */
typedef struct calls {
    uint32_t count;
    uint32_t entities;
    uint32_t jobs; /* a bit for each */
    float dt;
    uint64_t frame;
    double time;
    const char* log; /* names, in order */
    char text[400];
} calls;

static void note(sett_context* c)
{
    calls* to = c->user;
    to->count++;
    to->jobs |= (uint32_t)1 << c->job;
    to->dt = c->dt;
    to->frame = c->frame;
    to->time = c->time;
    CHECK(c->job < c->job_count);
    SETT_SYSTEM_EACH(c, b) {
        to->entities += b->count;
    }
}

static void write_name(sett_context* c)
{
    calls* to = c->user;
    strcat(to->text, sett_system_name(c->system));
    strcat(to->text, " ");
}

static void move(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            p[i].x += v[i].x * c->dt;
            p[i].y += v[i].y * c->dt;
        }
    }
}

static void visits_each_entity_once(void)
{
    scene s = scene_begin();
    sett_component Position_id = s.position;
    sett_component Velocity_id = s.velocity;
    scene_fill(&s, 5000);
    CHECK(SETT_SYSTEM(s.world, move, .terms = {SETT_INOUT(Position), SETT_IN(Velocity)}) != NULL);
    for (int frame = 0; frame < 3; frame++) {
        CHECK_EQ(sett_progress(s.world, 0.5f), SETT_OK);
    }
    uint32_t cursor = 0;
    for (sett_entity e = sett_entity_next(s.world, &cursor); !sett_is_null(e);
         e = sett_entity_next(s.world, &cursor)) {
        const Position* p = sett_get(s.world, e, s.position);
        float moved = e.index % 2 == 0 ? 1.5f : 0;
        CHECK(p->x == (float)e.index + moved && p->y == moved * 2);
    }
    scene_end(&s);
}

static void context_says_what_it_is(void)
{
    scene s = scene_begin();
    calls to = {0};
    sett_component Count_id = s.count;
    scene_fill(&s, 5000);
    sett_system* system = SETT_SYSTEM(s.world, note, .user = &to, .terms = {SETT_INOUT(Count)});
    CHECK(system != NULL);
    CHECK_PTR_EQ(sett_system_find(s.world, "note"), system);
    CHECK_EQ(sett_progress(s.world, 0.25f), SETT_OK);
    CHECK_EQ(to.count, 5); /* pages of 1,024 */
    CHECK_EQ(to.jobs, 31);
    CHECK_EQ(to.entities, 5000);
    CHECK_EQ(to.frame, 0);
    CHECK(to.time == 0 && to.dt == 0.25f);
    CHECK_EQ(sett_progress(s.world, 0.5f), SETT_OK);
    CHECK_EQ(to.frame, 1);
    CHECK_EQ(sett_world_frame(s.world), 2);
    CHECK(to.time == 0.25 && to.dt == 0.5f);
    sett_system_stats stats;
    sett_system_stats_get(system, &stats);
    CHECK_EQ(stats.runs, 2);
    CHECK_EQ(stats.jobs, 5);
    CHECK_EQ(stats.matches, 5000);
    CHECK(stats.time_total >= stats.time_last && stats.time_last != 0);
    scene_end(&s);
}

static void jobs_do_not_exceed_what_is_allowed(void)
{
    scene s = scene_begin();
    calls to = {0};
    sett_component Count_id = s.count;
    scene_fill(&s, 40000);
    CHECK_EQ(sett_schedule_configure(s.world, &(sett_schedule_desc){.job_limit = 3}), SETT_OK);
    CHECK(SETT_SYSTEM(s.world, note, .user = &to, .terms = {SETT_INOUT(Count)}) != NULL);
    CHECK_EQ(sett_progress(s.world, 0), SETT_OK);
    CHECK_EQ(to.count, 3);
    CHECK_EQ(to.entities, 40000);
    CHECK_EQ(sett_schedule_configure(s.world, &(sett_schedule_desc){.job_limit = 20}), SETT_OK);
    memset(&to, 0, sizeof(to));
    CHECK_EQ(sett_progress(s.world, 0), SETT_OK);
    CHECK_EQ(to.count, 20);
    CHECK_EQ(to.entities, 40000);
    CHECK_EQ(sett_schedule_configure(s.world, &(sett_schedule_desc){.job_limit = 65}),
             SETT_STATUS_ARGUMENT);
    scene_end(&s);
}

static uint32_t count_calls(scene* s, calls* to, const sett_system_desc* desc)
{
    sett_system* system = sett_system_create(s->world, desc);
    CHECK(system != NULL);
    memset(to, 0, sizeof(*to));
    CHECK_EQ(sett_progress(s->world, 0), SETT_OK);
    CHECK_EQ(sett_system_destroy(system), SETT_OK);
    return to->count;
}

static void splits_only_what_may_be_split(void)
{
    scene s = scene_begin();
    calls to;
    sett_component Position_id = s.position;
    sett_component Count_id = s.count;
    sett_component Rare_id = s.rare;
    scene_fill(&s, 30000);
    sett_system_desc desc = {.name = "s", .run = note, .user = &to};
    desc.terms[0] = (sett_term)SETT_INOUT(Count);
    CHECK_EQ(count_calls(&s, &to, &desc), 16);
    desc.access_any_in[0] = s.position;
    CHECK_EQ(count_calls(&s, &to, &desc), 16);
    desc.access_any_in[0] = s.count; /* others' values of what it writes */
    CHECK_EQ(count_calls(&s, &to, &desc), 1);
    desc.access_any_in[0] = 0;
    desc.access_inout[0] = s.position;
    CHECK_EQ(count_calls(&s, &to, &desc), 16);
    desc.access_inout[0] = s.rare; /* sparse-set: jobs might share a page */
    CHECK_EQ(count_calls(&s, &to, &desc), 1);
    desc.access_inout[0] = 0;
    desc.access_any_inout[0] = s.position;
    CHECK_EQ(count_calls(&s, &to, &desc), 1);
    desc.access_any_inout[0] = 0;
    desc.single_job = true;
    CHECK_EQ(count_calls(&s, &to, &desc), 1);
    desc.single_job = false;
    desc.exclusive = true;
    CHECK_EQ(count_calls(&s, &to, &desc), 1);
    desc.exclusive = false;
    /* 3,000 sparse-set rows drive; what is read may lie elsewhere, what is written not. */
    desc.terms[0] = (sett_term)SETT_INOUT(Rare);
    CHECK_EQ(count_calls(&s, &to, &desc), 3);
    desc.terms[1] = (sett_term)SETT_IN(Position);
    CHECK_EQ(count_calls(&s, &to, &desc), 3);
    CHECK_EQ(to.entities, 3000);
    desc.terms[1] = (sett_term)SETT_INOUT(Position);
    CHECK_EQ(count_calls(&s, &to, &desc), 1);
    CHECK_EQ(to.entities, 3000);
    scene_end(&s);
}

static void without_terms_called_once(void)
{
    scene s = scene_begin();
    calls to = {0};
    sett_component Position_id = s.position;
    CHECK(SETT_SYSTEM(s.world, note, .user = &to, .access_any_in = {s.position}) != NULL);
    CHECK_EQ(sett_progress(s.world, 0), SETT_OK);
    CHECK_EQ(to.count, 1);
    CHECK_EQ(to.entities, 0);
    CHECK(sett_system_query(sett_system_find(s.world, "note")) == NULL);
    /* With terms and no matches: not called, unless it is single_job. */
    calls none = {0};
    calls whole = {0};
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "none",
                                                          .run = note,
                                                          .user = &none,
                                                          .terms = {SETT_INOUT(Position)}}) !=
          NULL);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "whole",
                                                          .run = note,
                                                          .user = &whole,
                                                          .single_job = true,
                                                          .terms = {SETT_INOUT(Position)}}) !=
          NULL);
    CHECK_EQ(sett_progress(s.world, 0), SETT_OK);
    CHECK_EQ(none.count, 0);
    CHECK_EQ(whole.count, 1);
    scene_end(&s);
}

static sett_system* named(scene* s, calls* to, const char* name, sett_system_desc desc)
{
    desc.name = name;
    desc.run = write_name;
    desc.user = to;
    sett_system* system = sett_system_create(s->world, &desc);
    CHECK(system != NULL);
    return system;
}

static const char* run_names(scene* s, calls* to)
{
    to->text[0] = '\0';
    CHECK_EQ(sett_progress(s->world, 1), SETT_OK);
    return to->text;
}

static void phases_follow_one_another(void)
{
    scene s = scene_begin();
    calls to = {0};
    named(&s, &to, "draw", (sett_system_desc){.phase = SETT_PHASE_OUTPUT});
    named(&s, &to, "late", (sett_system_desc){.phase = SETT_PHASE_UPDATE_LATE});
    named(&s, &to, "update", (sett_system_desc){.phase = 0});
    named(&s, &to, "own", (sett_system_desc){.phase = 50});
    named(&s, &to, "early", (sett_system_desc){.phase = SETT_PHASE_UPDATE_EARLY});
    named(&s, &to, "load", (sett_system_desc){.phase = SETT_PHASE_LOAD});
    named(&s, &to, "input", (sett_system_desc){.phase = SETT_PHASE_INPUT});
    named(&s, &to, "again", (sett_system_desc){.phase = 0});
    CHECK_STR_EQ(run_names(&s, &to), "load input early update again own late draw ");
    scene_end(&s);
}

static void systems_are_switched(void)
{
    scene s = scene_begin();
    calls to = {0};
    sett_system* a = named(&s, &to, "a", (sett_system_desc){.disabled = true});
    named(&s, &to, "b", (sett_system_desc){.run_once = true});
    sett_system* c = named(&s, &to, "c", (sett_system_desc){.phase = 0});
    CHECK_STR_EQ(run_names(&s, &to), "b c ");
    CHECK_STR_EQ(run_names(&s, &to), "c ");
    sett_system_enable(a, true);
    CHECK(sett_system_is_enabled(a) && !sett_system_is_enabled(sett_system_find(s.world, "b")));
    CHECK_STR_EQ(run_names(&s, &to), "a c ");
    CHECK_EQ(sett_system_destroy(c), SETT_OK);
    CHECK_STR_EQ(run_names(&s, &to), "a ");
    to.text[0] = '\0';
    sett_system_enable(a, false);
    CHECK_EQ(sett_system_run(a, 1), SETT_OK); /* it is asked for */
    CHECK_STR_EQ(to.text, "a ");
    scene_end(&s);
}

static bool is_set(const sett_world* world, void* user)
{
    CHECK(sett_entity_count(world) == 0);
    return ((const calls*)user)->count != 0;
}

static void conditions_are_asked(void)
{
    scene s = scene_begin();
    calls to = {0};
    named(&s, &to, "if", (sett_system_desc){.run_if = is_set});
    CHECK_STR_EQ(run_names(&s, &to), "");
    to.count = 1;
    CHECK_STR_EQ(run_names(&s, &to), "if ");
    to.count = 0;
    CHECK_STR_EQ(run_names(&s, &to), "");
    scene_end(&s);
}

static void intervals_add_up(void)
{
    scene s = scene_begin();
    calls to = {0};
    sett_system* system = SETT_SYSTEM(s.world, note, .user = &to, .interval = 1);
    CHECK(system != NULL);
    for (int frame = 1; frame <= 9; frame++) {
        CHECK_EQ(sett_progress(s.world, 0.25f), SETT_OK);
        CHECK_EQ(to.count, frame / 4);
        CHECK(frame < 4 || to.dt == 1.0f);
    }
    CHECK_EQ(sett_progress(s.world, 3.0f), SETT_OK);
    CHECK_EQ(to.count, 3);
    CHECK(to.dt == 3.25f);
    sett_system_enable(system, false);
    CHECK_EQ(sett_progress(s.world, 3.0f), SETT_OK);
    sett_system_enable(system, true);
    CHECK_EQ(sett_progress(s.world, 0.5f), SETT_OK); /* time stood still */
    CHECK_EQ(to.count, 3);
    scene_end(&s);
}

/* How often a system runs in so many frames; *time: what its dts add up to. */
static uint32_t timer_runs;

static void count_timer(sett_context* context)
{
    (void)context;
    timer_runs++;
}

static sett_world* timed_world(bool known)
{
    sett_world* world = quiet_world();
    CHECK(!known || SETT_SYSTEM(world, count_timer, .interval = 2) != NULL);
    CHECK(sett_system_create(
              world, &(sett_system_desc){.name = "first", .run = count_timer, .run_once = true}) !=
          NULL);
    return world;
}

/* A clone goes on where the original is: the frame, the time, and timers of systems it knows. */
static void clones_have_the_timers(void)
{
    sett_world* world = timed_world(true);
    sett_world* clone = timed_world(true);
    sett_world* other = timed_world(false);
    for (uint32_t k = 0; k < 5; k++) {
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
    }
    CHECK_EQ(sett_world_clone(world, clone), SETT_OK);
    CHECK_EQ(sett_world_clone(world, other), SETT_OK); /* a system less */
    CHECK(!sett_system_is_enabled(sett_system_find(clone, "first")));
    CHECK(!sett_system_is_enabled(sett_system_find(other, "first")));
    for (uint32_t k = 0; k < 4; k++) {
        timer_runs = 0;
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_EQ(timer_runs, k % 2 == 0);
        CHECK_EQ(sett_progress(clone, 1), SETT_OK);
        CHECK_EQ(timer_runs, k % 2 == 0 ? 2 : 0);
        CHECK_EQ(sett_progress(other, 1), SETT_OK);
        CHECK_EQ(timer_runs, k % 2 == 0 ? 2 : 0);
    }
    CHECK_END(other);
    CHECK_END(clone);
    CHECK_END(world);
}

static uint32_t runs_in(float interval, float dt, int frames, double* time)
{
    scene s = scene_begin();
    calls to = {0};
    CHECK(SETT_SYSTEM(s.world, note, .user = &to, .interval = interval) != NULL);
    *time = 0;
    for (int frame = 0; frame < frames; frame++) {
        uint32_t before = to.count;
        CHECK_EQ(sett_progress(s.world, dt), SETT_OK);
        *time += to.count != before ? (double)to.dt : 0;
    }
    scene_end(&s);
    return to.count;
}

static void intervals_are_not_late(void)
{
    double time;
    CHECK_EQ(runs_in(0.3f, 0.1f, 100, &time), 33); /* rounding made it every fourth frame */
    CHECK(time > 9.899 && time < 9.901);
    CHECK_EQ(runs_in(0.25f, 0.1f, 100, &time), 40); /* what is left counts */
    CHECK(time > 9.999 && time < 10.001);
    CHECK_EQ(runs_in(1, 1.0f / 60, 600, &time), 10);
    CHECK_EQ(runs_in(0.1f, 0.1f, 100, &time), 100);
    CHECK_EQ(runs_in(0.06f, 0.1f, 100, &time), 100); /* once a frame at most */
    CHECK(time > 9.999 && time < 10.001);
    CHECK_EQ(runs_in(0.3f, 0.2997f, 1, &time), 0); /* more than a thousandth is missing */
    CHECK_EQ(runs_in(0.3f, 0.2998f, 1, &time), 1);
    CHECK_EQ(runs_in(0.3f, 0, 10, &time), 0);
}

static void fixed_steps_catch_up(void)
{
    scene s = scene_begin();
    calls to = {0};
    CHECK(SETT_SYSTEM(s.world, note, .user = &to, .fixed_step = 0.25f, .max_steps = 4) != NULL);
    CHECK_EQ(sett_progress(s.world, 0.125f), SETT_OK);
    CHECK_EQ(to.count, 0);
    CHECK_EQ(sett_progress(s.world, 0.25f), SETT_OK); /* 0.375 */
    CHECK_EQ(to.count, 1);
    CHECK(to.dt == 0.25f);
    CHECK_EQ(sett_progress(s.world, 0.875f), SETT_OK); /* 1 */
    CHECK_EQ(to.count, 5);
    CHECK_EQ(sett_progress(s.world, 0.125f), SETT_OK);
    CHECK_EQ(sett_progress(s.world, 1.0f), SETT_OK); /* 1.125: four steps, an eighth is kept */
    CHECK_EQ(to.count, 9);
    CHECK_EQ(sett_progress(s.world, 0.125f), SETT_OK);
    CHECK_EQ(to.count, 10);
    CHECK_EQ(sett_progress(s.world, 10), SETT_OK); /* forgotten beyond four */
    CHECK_EQ(to.count, 14);
    CHECK_EQ(sett_progress(s.world, 0.125f), SETT_OK);
    CHECK_EQ(to.count, 14);
    CHECK_EQ(sett_progress(s.world, 1e30f), SETT_OK);
    CHECK_EQ(to.count, 18);
    CHECK_EQ(sett_progress(s.world, -1), SETT_STATUS_ARGUMENT);
    scene_end(&s);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void spawn(sett_context* c)
{
    scene* s = c->user;
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity made = sett_cmd_create(c->commands);
            CHECK(!sett_is_null(made) && !sett_entity_valid(c->world, made));
            CHECK_EQ(sett_cmd_set(c->commands, made, s->count, &(Count){sett_batch_index(b, i)}),
                     SETT_OK);
            CHECK_EQ(sett_cmd_destroy(c->commands, sett_batch_entity(b, i)), SETT_OK);
        }
    }
}

static void count_seen(sett_context* c)
{
    uint32_t* seen = c->user;
    SETT_SYSTEM_EACH(c, b) {
        *seen += b->count;
    }
}

static void commands_are_applied_between_phases(void)
{
    scene s = scene_begin();
    uint32_t same = 0;
    uint32_t later = 0;
    uint32_t alone = 0;
    sett_component Position_id = s.position;
    sett_component Count_id = s.count;
    for (uint32_t k = 0; k < 3000; k++) {
        sett_set(s.world, sett_entity_create(s.world), s.position, &(Position){0, 0});
    }
    CHECK(SETT_SYSTEM(s.world, spawn, .user = &s, .terms = {SETT_IN(Position)}) != NULL);
    sett_system_desc desc = {.name = "same", .run = count_seen, .user = &same, .single_job = true};
    desc.terms[0] = (sett_term)SETT_IN(Count);
    desc.after[0] = "spawn";
    CHECK(sett_system_create(s.world, &desc) != NULL);
    desc.name = "alone";
    desc.user = &alone;
    desc.exclusive = true;
    desc.after[0] = "same";
    CHECK(sett_system_create(s.world, &desc) != NULL);
    desc.name = "later";
    desc.user = &later;
    desc.phase = 1;
    desc.after[0] = NULL;
    CHECK(sett_system_create(s.world, &desc) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(same, 0);
    CHECK_EQ(alone, 3000);
    CHECK_EQ(later, 3000);
    CHECK_EQ(sett_entity_count(s.world), 3000);
    CHECK_EQ(sett_component_count(s.world, s.position), 0);
    scene_end(&s);
}

/* Each job of each system writes who it is onto the same entity: the last one wins. */
static sett_entity stamped;

static void stamp(sett_context* c)
{
    scene* s = c->user;
    uint32_t value = c->job + (sett_system_name(c->system)[0] == 'b' ? 100 : 0);
    CHECK_EQ(sett_cmd_set(c->commands, stamped, s->count, &value), SETT_OK);
}

static void commands_go_by_system_then_job(void)
{
    scene s = scene_begin();
    sett_component Position_id = s.position;
    sett_component Velocity_id = s.velocity;
    scene_fill(&s, 8000);
    stamped = sett_entity_at(s.world, 7);
    sett_system_desc desc = {.name = "b", .run = stamp, .user = &s, .after = {"a"}};
    desc.terms[0] = (sett_term)SETT_IN(Velocity);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    desc = (sett_system_desc){.name = "a", .run = stamp, .user = &s};
    desc.terms[0] = (sett_term)SETT_IN(Position);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(((const Count*)sett_get(s.world, stamped, s.count))->value, 107);
    CHECK_EQ(sett_system_destroy(sett_system_find(s.world, "b")), SETT_OK);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(((const Count*)sett_get(s.world, stamped, s.count))->value, 7);
    scene_end(&s);
}

static void the_worlds_own_buffer_is_applied(void)
{
    scene s = scene_begin();
    uint32_t seen = 0;
    sett_component Count_id = s.count;
    sett_system_desc desc = {.name = "seen", .run = count_seen, .user = &seen, .single_job = true};
    desc.terms[0] = (sett_term)SETT_IN(Count);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    sett_commands* commands = sett_commands_here(s.world);
    sett_cmd_set(commands, sett_cmd_create(commands), s.count, &(Count){1});
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(seen, 1);
    scene_end(&s);
}

/* ---- What is rejected -------------------------------------------------------------------------
 * */

static void breaks_rules(sett_context* c)
{
    scene* s = c->user;
    sett_entity e = sett_entity_at(c->world, 0);
    CHECK(sett_is_null(sett_entity_create(c->world)));
    CHECK_EQ(sett_world_error(c->world), SETT_STATUS_LOCKED);
    CHECK_MSG(strstr(sett_world_message(c->world), "system \"breaks_rules\" is running") != NULL,
              "%s", sett_world_message(c->world));
    CHECK(strstr(sett_world_message(c->world), "context->commands") != NULL);
    CHECK_EQ(sett_entity_destroy(c->world, e), SETT_STATUS_LOCKED);
    CHECK(sett_add(c->world, e, s->tag) == NULL);
    CHECK_EQ(sett_remove(c->world, e, s->position), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_clear(c->world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_commands_apply(c->commands), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_progress(c->world, 1), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_system_run(c->system, 1), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_system_destroy(c->system), SETT_STATUS_LOCKED);
    CHECK(sett_system_create(c->world, &(sett_system_desc){.name = "x"}) == NULL);
    CHECK_EQ(sett_schedule_configure(c->world, &(sett_schedule_desc){0}), SETT_STATUS_LOCKED);
    sett_batch batch;
    CHECK(sett_query_begin(sett_system_query(c->system), &batch) == NULL);
    CHECK(strstr(sett_world_message(c->world), "SETT_CONTEXT_FOR") != NULL);
}

static void structure_stands_still(void)
{
    scene s = scene_begin();
    sett_component Position_id = s.position;
    scene_fill(&s, 10);
    CHECK(SETT_SYSTEM(s.world, breaks_rules, .user = &s, .terms = {SETT_INOUT(Position)}) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_entity_count(s.world), 10);
    CHECK(!sett_is_null(sett_entity_create(s.world)));
    scene_end(&s);
}

static uint32_t notified;

static void count_notified(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value, (void)user;
    notified++;
}

static void copy_count(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, count * sizeof(Count));
}

static void sets_notified_types(sett_context* c)
{
    const sett_component* type = c->user;
    sett_entity e = sett_entity_at(c->world, 0);
    CHECK(sett_set(c->world, e, type[0], &(Count){1}) == NULL);
    CHECK_EQ(sett_world_error(c->world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(c->world), "sett_cmd_set") != NULL);
    CHECK(sett_set(c->world, e, type[1], &(Count){1}) != NULL);
    CHECK_EQ(sett_cmd_set(c->commands, e, type[0], &(Count){2}), SETT_OK);
}

static void sets_that_are_notified_of_are_recorded(void)
{
    scene s = scene_begin();
    sett_component type[2];
    type[0] = sett_component_register(
        s.world, &(sett_component_desc){.name = "Told", .size = 4, .on_set = count_notified});
    type[1] = sett_component_register(
        s.world, &(sett_component_desc){.name = "Copied", .size = 4, .copy = copy_count});
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, type[0]);
    sett_add(s.world, e, type[1]);
    notified = 0;
    CHECK(SETT_SYSTEM(s.world, sets_notified_types, .user = type,
                      .access_inout = {type[0], type[1]}) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(notified, 1);
    CHECK_EQ(((const Count*)sett_get(s.world, e, type[0]))->value, 2);
    CHECK_EQ(((const Count*)sett_get(s.world, e, type[1]))->value, 1);
    scene_end(&s);
}

static void changes_at_once(sett_context* c)
{
    scene* s = c->user;
    SETT_SYSTEM_EACH(c, b) {
        CHECK(sett_is_null(sett_entity_create(c->world))); /* a loop is open */
        break;
    }
    sett_entity e = sett_entity_create(c->world);
    CHECK(sett_set(c->world, e, s->position, &(Position){0, 0}) != NULL);
    CHECK_EQ(sett_progress(c->world, 1), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_system_destroy(c->system), SETT_STATUS_LOCKED);
    sett_entity reserved = sett_cmd_create(c->commands);
    CHECK_EQ(sett_cmd_set(c->commands, reserved, s->position, &(Position){1, 1}), SETT_OK);
}

static void who_runs_alone_may_change_structure(void)
{
    scene s = scene_begin();
    sett_component Position_id = s.position;
    scene_fill(&s, 10);
    CHECK(SETT_SYSTEM(s.world, changes_at_once, .user = &s, .exclusive = true,
                      .terms = {SETT_INOUT(Position)}) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_entity_count(s.world), 12);
    CHECK_EQ(sett_component_count(s.world, s.position), 12);
    scene_end(&s);
}

static void makes_a_system(sett_context* c)
{
    char text[400];
    sett_system_stats stats;
    sett_system_desc desc = {.name = "made", .run = write_name, .user = c->user};
    sett_system* made = sett_system_create(c->world, &desc);
    CHECK(made != NULL);
    CHECK(sett_schedule_describe(c->world, text, sizeof(text)) != 0); /* the one at work */
    CHECK(strstr(text, "makes_a_system:") != NULL && strstr(text, "made:") == NULL);
    sett_system_stats_get(made, &stats);
    CHECK_EQ(stats.runs, 0);
    CHECK_VALID(c->world);
}

static void made_while_running_takes_part_later(void)
{
    scene s = scene_begin();
    calls to = {0};
    CHECK(SETT_SYSTEM(s.world, makes_a_system, .user = &to, .run_once = true) != NULL);
    CHECK_STR_EQ(run_names(&s, &to), "");
    CHECK_STR_EQ(run_names(&s, &to), "made ");
    scene_end(&s);
}

static void leaves_its_loop(sett_context* c)
{
    sett_batch batch;
    CHECK(sett_context_begin(c, &batch) != NULL);
    CHECK(sett_batch_next(&batch));
}

static void a_loop_left_open_does_no_harm(void)
{
    scene s = scene_begin();
    sett_component Position_id = s.position;
    sett_component Rare_id = s.rare;
    scene_fill(&s, 100);
    sett_system_desc desc = {.name = "alone", .run = leaves_its_loop, .exclusive = true};
    desc.terms[0] = (sett_term)SETT_INOUT(Position);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    desc.name = "gathers";
    desc.exclusive = false;
    desc.terms[1] = (sett_term)SETT_INOUT(Rare);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK(!sett_is_null(sett_entity_create(s.world)));
    scene_end(&s);
}

static void bad_descriptors_are_rejected(void)
{
    scene s = scene_begin();
    CHECK(sett_system_create(s.world, &(sett_system_desc){0}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "x", .interval = -1}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "x", .access_any_in = {999}}) ==
          NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_system_create(
              s.world, &(sett_system_desc){.name = "x", .terms = {{.component = 999}}}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_system_create(
              s.world, &(sett_system_desc){.name = "x", .terms = {[1] = {.component = s.tag}}}) ==
          NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "x"}) != NULL);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "x"}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_CONFLICT);
    sett_stats stats;
    sett_world_stats(s.world, &stats);
    CHECK_EQ(stats.queries, 0);
    CHECK_EQ(sett_system_destroy(NULL), SETT_OK);
    scene_end(&s);
}

/* ---- Changes, sets, memory ------------------------------------------------------------------- */

static void changed_terms_see_what_is_new(void)
{
    scene s = scene_begin();
    uint32_t seen = 0;
    sett_component Count_id = s.count;
    scene_fill(&s, 5000);
    sett_system_desc desc = {.name = "seen", .run = count_seen, .user = &seen, .single_job = true};
    desc.terms[0] = (sett_term)SETT_CHANGED(Count);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(seen, 5000);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(seen, 5000);
    ((Count*)sett_get_mut(s.world, sett_entity_at(s.world, 2000), s.count))->value = 1;
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(seen, 6024); /* its page */
    desc = (sett_system_desc){.name = "behind", .run = note, .phase = 1};
    desc.user = &(calls){0};
    desc.terms[0] = (sett_term)SETT_INOUT(Count);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(seen, 6024);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK); /* what was written after it, a frame ago */
    CHECK_EQ(seen, 6024 + 5000);
    scene_end(&s);
}

typedef struct managed {
    uint32_t on_enter;
    uint32_t on_exit;
    uint32_t sum;
} managed;

static void managed_enter(sett_world* world, sett_entity e, void* user)
{
    managed* m = user;
    CHECK(sett_entity_valid(world, e));
    CHECK(sett_is_null(sett_entity_create(world)));
    m->on_enter++;
    m->sum += e.index;
}

static void managed_leave(sett_world* world, sett_entity e, void* user)
{
    managed* m = user;
    CHECK(sett_entity_valid(world, e));
    m->on_exit++;
    m->sum -= e.index;
}

static void managed_sets_are_one_call(void)
{
    scene s = scene_begin();
    managed m = {0};
    sett_component Position_id = s.position;
    sett_component Tag_id = s.tag;
    scene_fill(&s, 100);
    sett_add(s.world, sett_entity_at(s.world, 99), s.tag);
    sett_system_desc desc = {.name = "set", .user = &m};
    desc.terms[0] = (sett_term)SETT_INOUT(Position);
    desc.terms[1] = (sett_term)SETT_WITHOUT(Tag);
    desc.on_enter = managed_enter;
    desc.on_exit = managed_leave;
    sett_system* set = sett_system_create(s.world, &desc);
    CHECK(set != NULL);
    CHECK_EQ(m.on_enter, 99);
    CHECK_EQ(m.sum, 99 * 98 / 2);
    sett_add(s.world, sett_entity_at(s.world, 5), s.tag);
    sett_remove(s.world, sett_entity_at(s.world, 99), s.tag);
    sett_entity_destroy(s.world, sett_entity_at(s.world, 6));
    CHECK_EQ(m.on_enter, 100);
    CHECK_EQ(m.on_exit, 2);
    CHECK_EQ(m.sum, 99 * 98 / 2 + 99 - 5 - 6);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_system_destroy(set), SETT_OK);
    CHECK_EQ(m.on_exit, 2);
    desc.terms[2] = (sett_term){.component = s.count, .access = SETT_IN, .changed = true};
    CHECK(sett_system_create(s.world, &desc) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    scene_end(&s);
}

static void uses_scratch(sett_context* c)
{
    uint32_t* expected = c->user;
    SETT_SYSTEM_EACH(c, b) {
        uint32_t* list = sett_context_alloc(c, b->count * sizeof(uint32_t), sizeof(uint32_t));
        double* wide = sett_context_alloc(c, 4096, 4096);
        CHECK(list != NULL && wide != NULL && (uintptr_t)wide % 4096 == 0);
        uint32_t k = 0;
        SETT_EACH(b, i) {
            list[k++] = sett_batch_index(b, i);
        }
        wide[511] = 1;
        for (k = 0; k < b->count; k++) {
            *expected += list[k];
        }
    }
}

/* Loops over rare types within a loop over rare types: scratch of both comes from the job. */
static void nests_loops(sett_context* c)
{
    sett_query* inner = c->user;
    SETT_SYSTEM_EACH(c, b) {
        Count* count = sett_batch_field(b, 0);
        const uint32_t* rare = sett_batch_field(b, 1);
        uint32_t others = 0;
        uint32_t all = 0;
        SETT_CONTEXT_EACH(c, inner, batch)
        {
            others += batch->count;
        }
        SETT_CONTEXT_FOR(c, inner, batch, row)
        {
            all++;
            if (all == others) {
                break;
            }
        }
        CHECK_EQ(all, others);
        SETT_EACH(b, i) {
            CHECK_EQ(rare[i], sett_batch_index(b, i));
            count[i].value += others;
        }
    }
}

static void loops_nest_and_memory_settles(void)
{
    static scarce_memory memory;
    memset(&memory, 0, sizeof(memory));
    sett_world* world = scarce_world(&memory);
    scene s = {.world = world};
    s.position = SETT_REGISTER(world, Position);
    s.velocity = SETT_REGISTER(world, Velocity);
    s.count = SETT_REGISTER(world, Count);
    s.rare = sett_component_register(
        world,
        &(sett_component_desc){.name = "Rare", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    sett_component Position_id = s.position;
    sett_component Count_id = s.count;
    sett_component Rare_id = s.rare;
    scene_fill(&s, 4000);
    uint32_t sum = 0;
    sett_query* inner =
        sett_query_create(world, &(sett_query_desc){.terms = {SETT_IN(Position), SETT_IN(Rare)}});
    CHECK(SETT_SYSTEM(world, uses_scratch, .user = &sum, .single_job = true,
                      .terms = {SETT_IN(Position)}) != NULL);
    CHECK(SETT_SYSTEM(world, nests_loops, .user = inner, .access_any_in = {s.position},
                      .terms = {SETT_INOUT(Count), SETT_IN(Rare)}) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    uint64_t held = memory.held;
    memory.closed = true;
    memory.strict = true; /* nothing is given any more */
    for (int frame = 0; frame < 50; frame++) {
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
    }
    CHECK_EQ(memory.held, held);
    CHECK_EQ(sum, 52u * (4000 * 3999 / 2));
    CHECK_EQ(((const Count*)sett_get(world, sett_entity_at(world, 10), s.count))->value, 52 * 400);
    CHECK_VALID(world);
    scarce_end(&memory, world);
}

typedef struct turn {
    uint64_t frame;
    sett_component component;
} turn;

/* One system after the other records for the first time, long after the first frame. */
static void record_in_turn(sett_context* c)
{
    const turn* mine = c->user;
    SETT_SYSTEM_EACH(c, b) {
        if (c->frame == mine->frame) {
            sett_cmd_set(c->commands, sett_batch_entity(b, 0), mine->component, &(Position){1, 2});
        }
    }
}

static void jobs_pass_their_chunks_on(void)
{
    static const char* const names[] = {"a", "b", "c", "d", "e", "f"};
    static scarce_memory memory;
    memset(&memory, 0, sizeof(memory));
    sett_world* world = scarce_world(&memory);
    sett_component Position_id = SETT_REGISTER(world, Position);
    for (uint32_t k = 0; k < 5000; k++) {
        SETT_SET(world, sett_entity_create(world), Position, (float)k, 0);
    }
    turn turns[6];
    for (uint32_t k = 0; k < 6; k++) {
        turns[k] = (turn){k, Position_id};
        sett_system_desc desc = {.name = names[k],
                                 .run = record_in_turn,
                                 .user = &turns[k],
                                 .phase = (int)k,
                                 .terms = {SETT_IN(Position)}};
        CHECK(sett_system_create(world, &desc) != NULL);
    }
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    uint64_t held = memory.held;
    for (uint32_t k = 0; k < 6; k++) {
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
    }
    CHECK_EQ(memory.held, held);
    CHECK_VALID(world);
    scarce_end(&memory, world);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

typedef struct scarce_scene {
    scene s;
    sett_system* system;
    uint32_t entities;
} scarce_scene;

static bool scarce_create(void* user)
{
    scarce_scene* at = user;
    sett_component Position_id = at->s.position;
    sett_system_desc desc = {.name = "scarce", .run = move, .after = {"a", "b"}};
    desc.terms[0] = (sett_term)SETT_INOUT(Position);
    desc.on_enter = managed_enter;
    desc.user = &(managed){0};
    at->system = sett_system_create(at->s.world, &desc);
    return at->system != NULL;
}

static void scarce_unchanged(void* user)
{
    scarce_scene* at = user;
    CHECK(sett_system_find(at->s.world, "scarce") == NULL);
    sett_stats stats;
    sett_world_stats(at->s.world, &stats);
    CHECK_EQ(stats.queries, 1);
}

static void spawn_scarce(sett_context* c)
{
    scarce_scene* at = c->user;
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity made = sett_cmd_create(c->commands);
            if (!sett_is_null(made) &&
                sett_cmd_set(c->commands, made, at->s.count, &(Count){0}) == SETT_OK) {
                at->entities++;
            }
        }
    }
}

static bool scarce_progress(void* user)
{
    scarce_scene* at = user;
    return sett_progress(at->s.world, 1) == SETT_OK;
}

static void failing_memory_changes_nothing(void)
{
    static scarce_memory memory;
    memset(&memory, 0, sizeof(memory));
    scarce_scene at = {.s = {.world = scarce_world(&memory)}};
    at.s.position = SETT_REGISTER(at.s.world, Position);
    at.s.velocity = SETT_REGISTER(at.s.world, Velocity);
    at.s.count = SETT_REGISTER(at.s.world, Count);
    at.s.rare =
        sett_component_register(at.s.world, &(sett_component_desc){.name = "Rare", .size = 4});
    sett_component Position_id = at.s.position;
    scene_fill(&at.s, 1500);
    uint32_t made = sett_entity_count(at.s.world);
    CHECK(SETT_SYSTEM(at.s.world, spawn_scarce, .user = &at, .terms = {SETT_IN(Position)}) != NULL);
    scarce_run(at.s.world, &memory, scarce_create, scarce_unchanged, &at);
    CHECK(memory.failures > 5);
    CHECK_EQ(sett_system_destroy(at.system), SETT_OK);
    memory.failures = 0;
    scarce_run(at.s.world, &memory, scarce_progress, NULL, &at);
    CHECK(memory.failures > 5);
    /* Whatever was recorded came to be, in the end. */
    CHECK_EQ(sett_entity_count(at.s.world), made + at.entities);
    scarce_end(&memory, at.s.world);
}

static void count_run(sett_context* c)
{
    ++*(uint32_t*)c->user;
}

static void phases_can_be_chosen(void)
{
    uint32_t runs[3] = {0};
    const int phases[3] = {SETT_PHASE_INPUT, SETT_PHASE_UPDATE, SETT_PHASE_OUTPUT};
    const char* const names[3] = {"input", "update", "output"};
    scene s = scene_begin();
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_system_create(s.world, &(sett_system_desc){.name = names[k],
                                                              .run = count_run,
                                                              .user = &runs[k],
                                                              .phase = phases[k],
                                                              .interval = 2}) != NULL);
    }
    CHECK_EQ(sett_progress_phases(s.world, 2, SETT_PHASE_UPDATE, INT_MAX), SETT_OK);
    CHECK(runs[0] == 0 && runs[1] == 1 && runs[2] == 1);
    CHECK_EQ(sett_progress_phases(s.world, 1, SETT_PHASE_INPUT, SETT_PHASE_INPUT), SETT_OK);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK); /* the timers of the others stood still */
    CHECK(runs[0] == 1 && runs[1] == 1 && runs[2] == 1);
    sett_cmd_create(sett_commands_here(s.world)); /* applied even where no phase is in the range */
    CHECK_EQ(sett_progress_phases(s.world, 1, 5, 4), SETT_OK);
    CHECK_EQ(sett_entity_count(s.world), 1);
    CHECK_EQ(sett_progress_phases(s.world, -1, 0, 1), SETT_STATUS_ARGUMENT);

    sett_system_stats stats;
    uint32_t k = 0;
    for (sett_system* at = NULL; (at = sett_system_next(s.world, at)) != NULL; k++) {
        sett_system_stats_get(at, &stats);
        CHECK_EQ(stats.phase, phases[k]);
        CHECK_STR_EQ(sett_system_name(at), names[k]);
    }
    CHECK_EQ(k, 3);
    scene_end(&s);
}

static void a_frame_takes_its_time(void)
{
    uint64_t clock = 0;
    CHECK(sett_frame_wait(&clock, 200) > 0.0049f);
    float dt = sett_frame_wait(&clock, 200);
    CHECK_MSG(dt >= 0.0049f && dt < 5, "%g", (double)dt);
    CHECK(sett_frame_wait(&clock, 0) < 5);
    clock = 0;
    CHECK(sett_frame_wait(&clock, 0) == 0);
}

typedef struct mark {
    sett_component tag;
    sett_query* marked;
    uint32_t seen;
} mark;

static void mark_some(sett_context* c)
{
    const mark* m = c->user;
    SETT_SYSTEM_FOR(c, b, i) {
        CHECK_EQ(sett_cmd_add(c->commands, sett_batch_entity(b, i), m->tag), SETT_OK);
    }
}

static void count_marked(sett_context* c)
{
    mark* m = c->user;
    SETT_SYSTEM_FOR(c, b, i) {
        m->seen++;
    }
}

/* In one phase: without `records` the reader would see the marks a frame later. */
static void what_is_recorded_is_there_for_the_next_reader(void)
{
    for (int says = 0; says < 2; says++) {
        scene s = scene_begin();
        mark m = {.tag = s.tag};
        scene_fill(&s, 10);
        sett_system_desc first = {.name = "mark", .run = mark_some, .user = &m};
        first.terms[0] = (sett_term){.component = s.velocity, .access = SETT_IN};
        first.records[0] = says == 1 ? s.tag : 0;
        sett_system_desc then = {.name = "count", .run = count_marked, .user = &m};
        then.terms[0] = (sett_term){.component = s.tag, .access = SETT_NONE};
        then.single_job = true;
        CHECK(sett_system_create(s.world, &first) != NULL);
        CHECK(sett_system_create(s.world, &then) != NULL);
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
        CHECK_EQ(m.seen, says == 1 ? 5 : 0);
        CHECK_EQ(sett_component_count(s.world, s.tag), 5);
        scene_end(&s);
    }
}

static void take_argument(sett_context* c)
{
    *(void**)c->user = c->argument;
}

static void a_run_can_have_an_argument(void)
{
    scene s = scene_begin();
    void* got = &s;
    int argument = 0;
    sett_system* system = sett_system_create(
        s.world, &(sett_system_desc){.name = "take", .run = take_argument, .user = &got});
    CHECK_EQ(sett_system_run_with(system, 1, &argument), SETT_OK);
    CHECK_PTR_EQ(got, &argument);
    CHECK_EQ(sett_system_run(system, 1), SETT_OK);
    CHECK_PTR_EQ(got, NULL);
    got = &s;
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_PTR_EQ(got, NULL);
    scene_end(&s);
}

static uint32_t idle_calls, idle_visits;

static void count_visits(sett_context* context)
{
    idle_calls++;
    SETT_SYSTEM_EACH(context, b) {
        idle_visits += b->count;
    }
}

/* Called only while each required type is somewhere; other terms do not matter. */
static void idle_until_a_wanted_type_comes(void)
{
    scene s = scene_begin();
    sett_system_desc desc = {.name = "idle", .run = count_visits};
    desc.terms[0].component = s.position;
    desc.terms[1] = (sett_term){.component = s.tag, .access = SETT_NONE};
    desc.terms[2] = (sett_term){.component = s.velocity, .kind = SETT_OPTIONAL};
    desc.terms[3] = (sett_term){.component = s.rare, .access = SETT_NONE, .kind = SETT_WITHOUT};
    CHECK(sett_system_create(s.world, &desc) != NULL);
    sett_entity e = sett_entity_create(s.world);
    sett_set(s.world, e, s.position, &(Position){1, 2});
    for (uint32_t k = 0; k < 3; k++) {
        idle_calls = idle_visits = 0;
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
        CHECK_EQ(idle_calls, k % 2);
        CHECK_EQ(idle_visits, k % 2);
        if (k % 2 == 0) {
            sett_add(s.world, e, s.tag);
        } else {
            sett_remove(s.world, e, s.tag);
        }
    }
    scene_end(&s);
}

TEST_MAIN(TEST(what_is_recorded_is_there_for_the_next_reader), TEST(a_run_can_have_an_argument),
          TEST(phases_can_be_chosen), TEST(a_frame_takes_its_time), TEST(visits_each_entity_once),
          TEST(context_says_what_it_is), TEST(jobs_do_not_exceed_what_is_allowed),
          TEST(splits_only_what_may_be_split), TEST(without_terms_called_once),
          TEST(phases_follow_one_another), TEST(systems_are_switched), TEST(conditions_are_asked),
          TEST(intervals_add_up), TEST(clones_have_the_timers), TEST(intervals_are_not_late),
          TEST(fixed_steps_catch_up), TEST(commands_are_applied_between_phases),
          TEST(commands_go_by_system_then_job), TEST(the_worlds_own_buffer_is_applied),
          TEST(structure_stands_still), TEST(sets_that_are_notified_of_are_recorded),
          TEST(who_runs_alone_may_change_structure), TEST(made_while_running_takes_part_later),
          TEST(a_loop_left_open_does_no_harm), TEST(bad_descriptors_are_rejected),
          TEST(changed_terms_see_what_is_new), TEST(managed_sets_are_one_call),
          TEST(loops_nest_and_memory_settles), TEST(jobs_pass_their_chunks_on),
          TEST(idle_until_a_wanted_type_comes), TEST(failing_memory_changes_nothing))
