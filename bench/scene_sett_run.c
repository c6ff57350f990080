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

/* Runs frames, the first of them outside of the clock. */
static void run_frames(scene_run* run, sett_world* world, uint32_t frames)
{
    for (uint32_t frame = 0; scene_goes_on(run, frame, frames); frame++) {
        scene_check(sett_progress(world, SCENE_DT) == SETT_OK, "sett_progress");
    }
}

/* -------------------------------------------------------------------------------- seven systems */

SCENE_SYSTEM_2(run_move, scene_move, Position, const Velocity)
SCENE_SYSTEM_1(run_age, scene_age, Data)
SCENE_SYSTEM_3(run_turn, scene_turn, const Position, Velocity, Data)
SCENE_SYSTEM_1(run_heal, scene_heal, Health)
SCENE_SYSTEM_2(run_hurt, scene_hurt, Health, const Damage)
SCENE_SYSTEM_2(run_choose, scene_choose, Sprite, const Health)

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

static void run_systems(scene_run* run)
{
    scene_bodies b = scene_bodies_create(run);
    sett_threads* threads = run_begin(b.world, run->variant);
    scene_system(b.world, "move", run_move, NULL, (sett_component[]){b.p, b.v, 0}, 1);
    scene_system(b.world, "age", run_age, NULL, (sett_component[]){b.d, 0}, 1);
    scene_system(b.world, "turn", run_turn, NULL, (sett_component[]){b.p, b.v, b.d}, 6);
    scene_system(b.world, "heal", run_heal, NULL, (sett_component[]){b.h, 0}, 1);
    scene_system(b.world, "hurt", run_hurt, NULL, (sett_component[]){b.h, b.g, 0}, 1);
    scene_system(b.world, "choose", run_choose, NULL, (sett_component[]){b.s, b.h, 0}, 1);
    scene_system(b.world, "draw", run_draw, b.frame, (sett_component[]){b.p, b.s, 0}, 0);
    run_frames(run, b.world, SCENE_SYSTEM_ROUNDS);
    run->operations = (uint64_t)SCENE_SYSTEM_ROUNDS * run->count;
    scene_bodies_destroy(&b, run);
    sett_threads_destroy(threads);
}

/* ----------------------------------------------------------------------------------- one system */

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
    scene_system(world, "one", with_velocity ? run_move : run_count, NULL,
                 (sett_component[]){p, with_velocity ? v : 0, 0}, 1);
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
        scene_system(world, name, run_count, NULL, (sett_component[]){id, 0}, 1);
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
