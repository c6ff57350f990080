/* scene_sett_run.c: systems that the world runs, on one thread and on several. An operation is an
 * entity, in the empty frames a system. variant: threads. */
#include "scene_case.h"
#include "scene_sett.h"

#include "sett/threads.h"

#include <stdio.h>

static sett_threads* run_begin(sett_world* world, uint32_t workers)
{
    sett_threads* threads = NULL;
    sett_schedule_desc desc = {.guard = SETT_GUARD_OFF};
    if (workers > 1) {
        threads = sett_threads_create(workers, NULL);
        scene_check(threads != NULL, "sett_threads_create");
        desc.tasks = sett_threads_tasks(threads);
    }
    scene_check(sett_schedule_configure(world, &desc) == SETT_OK, "sett_schedule_configure");
    return threads;
}

static void run_system(sett_world* world, const char* name, void (*run)(sett_context* c),
                       void* user, const sett_term* terms)
{
    sett_system_desc desc = {.name = name, .run = run, .user = user};
    for (uint32_t k = 0; k < 4 && terms[k].component != 0; k++) {
        desc.terms[k] = terms[k];
    }
    scene_check(sett_system_create(world, &desc) != NULL, "sett_system_create");
}

/* Runs frames, the first of them outside of the clock. */
static void run_frames(scene_run* run, sett_world* world, uint32_t frames)
{
    for (uint32_t frame = 0; scene_goes_on(run, frame, frames); frame++) {
        scene_check(sett_progress(world, SCENE_DT) == SETT_OK, "sett_progress");
    }
}

/* -------------------------------------------------------------------------------- seven systems */

static void run_move(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_move(&p[i], &v[i]);
        }
    }
}

static void run_age(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Data* d = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            scene_age(&d[i]);
        }
    }
}

static void run_turn(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        const Position* p = sett_batch_field(b, 0);
        Velocity* v = sett_batch_field(b, 1);
        Data* d = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            scene_turn(&p[i], &v[i], &d[i]);
        }
    }
}

static void run_heal(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Health* h = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            scene_heal(&h[i]);
        }
    }
}

static void run_hurt(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Health* h = sett_batch_field(b, 0);
        const Damage* g = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_hurt(&h[i], &g[i]);
        }
    }
}

static void run_choose(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Sprite* s = sett_batch_field(b, 0);
        const Health* h = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_choose(&s[i], &h[i]);
        }
    }
}

/* All draw into one picture: see run_systems. */
static void run_draw(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        const Position* p = sett_batch_field(b, 0);
        const Sprite* s = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_draw(&p[i], &s[i], c->user);
        }
    }
}

/* clang-format off */
#define RUN_READ(id) {.component = (id), .access = SETT_IN}
#define RUN_WRITE(id) {.component = (id)}
/* clang-format on */

static void run_systems(scene_run* run)
{
    scene_bodies b = scene_bodies_create(run);
    sett_threads* threads = run_begin(b.world, run->variant);
    run_system(b.world, "move", run_move, NULL, (sett_term[]){RUN_WRITE(b.p), RUN_READ(b.v), {0}});
    run_system(b.world, "age", run_age, NULL, (sett_term[]){RUN_WRITE(b.d), {0}});
    run_system(b.world, "turn", run_turn, NULL,
               (sett_term[]){RUN_READ(b.p), RUN_WRITE(b.v), RUN_WRITE(b.d), {0}});
    run_system(b.world, "heal", run_heal, NULL, (sett_term[]){RUN_WRITE(b.h), {0}});
    run_system(b.world, "hurt", run_hurt, NULL, (sett_term[]){RUN_WRITE(b.h), RUN_READ(b.g), {0}});
    run_system(b.world, "choose", run_choose, NULL,
               (sett_term[]){RUN_WRITE(b.s), RUN_READ(b.h), {0}});
    sett_system_desc draw = {.name = "draw", .run = run_draw, .user = b.frame, .single_job = true};
    draw.terms[0] = (sett_term)RUN_READ(b.p);
    draw.terms[1] = (sett_term)RUN_READ(b.s);
    scene_check(sett_system_create(b.world, &draw) != NULL, "sett_system_create");
    run_frames(run, b.world, SCENE_SYSTEM_ROUNDS);
    run->operations = (uint64_t)SCENE_SYSTEM_ROUNDS * run->count;
    scene_bodies_destroy(&b, run);
    sett_threads_destroy(threads);
}

/* ----------------------------------------------------------------------------------- one system */

static void run_step(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            p[i].x += v[i].x * SCENE_DT;
            p[i].y += v[i].y * SCENE_DT;
        }
    }
}

static void run_count(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Position* p = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            p[i].x += 1;
            p[i].y += 1;
        }
    }
}

static void run_one(scene_run* run, bool with_velocity)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    sett_entity* entities = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        *(Position*)sett_add(world, entities[k], p) = scene_position(k);
        *(Velocity*)sett_add(world, entities[k], v) = scene_velocity(k);
    }
    sett_threads* threads = run_begin(world, run->variant);
    if (with_velocity) {
        run_system(world, "step", run_step, NULL, (sett_term[]){RUN_WRITE(p), RUN_READ(v), {0}});
    } else {
        run_system(world, "count", run_count, NULL, (sett_term[]){RUN_WRITE(p), {0}});
    }
    uint32_t frames = scene_rounds(run->count, 50000000);
    run_frames(run, world, frames);
    run->operations = (uint64_t)frames * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Position* at = sett_get(world, entities[k], p);
        run->checksum += scene_sum(k, at->x) + scene_sum(k, at->y);
    }
    scene_free(entities);
    sett_world_destroy(world);
    sett_threads_destroy(threads);
}

static void run_iterate(scene_run* run)
{
    run_one(run, false);
}

static void run_advance(scene_run* run)
{
    run_one(run, true);
}

/* What a system costs that has next to nothing to do: 64 of them over 16 entities each. */
static void run_empty(scene_run* run)
{
    sett_world* world = scene_world(run, false);
    sett_threads* threads = run_begin(world, run->variant);
    for (uint32_t k = 0; k < 64; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Other%u", (unsigned)k);
        sett_component id =
            scene_type(world, name, sizeof(Position), SETT_ALIGNOF(Position), SETT_STORAGE_DEFAULT);
        for (uint32_t e = 0; e < run->count; e++) {
            (void)sett_add(world, sett_entity_create(world), id);
        }
        run_system(world, name, run_count, NULL, (sett_term[]){RUN_WRITE(id), {0}});
    }
    run_frames(run, world, 10000);
    run->operations = 10000 * 64;
    sett_world_destroy(world);
    sett_threads_destroy(threads);
}

/* clang-format off */
#define RUN_CASE(n, w, name, fn) {"frames", name, n, w, false, fn, 0, 0, 0}
#define RUN_CASES(n, name, fn)                                                                     \
    RUN_CASE(n, 1, name ", 1", fn), RUN_CASE(n, 2, name ", 2", fn), RUN_CASE(n, 4, name ", 4", fn)
/* clang-format on */

const scene_case scene_frames[] = {
    RUN_CASES(65536, "7 systems", run_systems),
    RUN_CASES(1000000, "iterate 1 component", run_iterate),
    RUN_CASES(1000000, "P += V dt", run_advance),
    RUN_CASE(16, 1, "a system over 16 entities", run_empty),
    {0},
};
