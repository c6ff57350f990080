/* 05_systems.c: systems, which the world runs in an order that it computes.
 *
 * Each system declares what it reads and writes. From that the world computes which systems can run
 * at the same time. The result is the same for any number of threads. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Life {
    float seconds;
} Life;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Velocity) COMPONENT(Life)
SETT_COMPONENTS(GAME)

static void move(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Position* p = SETT_FIELD_MUT(b, 0, Position);
        const Velocity* v = SETT_FIELD(b, 1, Velocity);
        SETT_EACH(b, i) {
            p[i].x += v[i].x * c->dt;
            p[i].y += v[i].y * c->dt;
        }
    }
}

static void fall(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        SETT_FIELD_MUT(b, 0, Velocity)[i].y -= 9.81f * c->dt;
    }
}

/* What it records is applied when its phase ends. */
static void age(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        Life* life = &SETT_FIELD_MUT(b, 0, Life)[i];
        life->seconds -= c->dt;
        if (life->seconds <= 0) {
            sett_cmd_destroy(c->commands, sett_batch_entity(b, i));
        }
    }
}

/* Declares nothing, so it runs alone, and may change structure at once. */
static void emit(sett_context* c)
{
    for (int k = 0; k < 2000; k++) {
        sett_entity spark = sett_entity_create(c->world);
        SETT_SET(c->world, spark, Position, .y = 1);
        SETT_SET(c->world, spark, Velocity, .x = (float)(k % 20 - 10), .y = (float)(k % 7));
        SETT_SET(c->world, spark, Life, .seconds = 0.1f * (float)(k % 30));
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);

    SETT_SYSTEM(world, emit, .phase = SETT_PHASE_INPUT, .interval = 0.5f);
    SETT_SYSTEM(world, move, .terms = {SETT_INOUT(Position), SETT_IN(Velocity)});
    SETT_SYSTEM(world, fall, .terms = {SETT_INOUT(Velocity)}, .before = {"move"});
    SETT_SYSTEM(world, age, .terms = {SETT_INOUT(Life)});

    char text[1000];
    sett_schedule_describe(world, text, sizeof text);
    printf("%s\n", text);
    sett_threads* threads = sett_threads_create(2, NULL);
    if (threads != NULL) {
        sett_schedule_configure(world, &(sett_schedule_desc){.tasks = sett_threads_tasks(threads)});
    }
    for (int frame = 1; frame <= 80; frame++) {
        sett_progress(world, 0.0625f);
        if (frame % 16 == 0) {
            printf("after %d s: %u sparks\n", frame / 16, (unsigned)sett_entity_count(world));
        }
    }
    sett_world_destroy(world);
    sett_threads_destroy(threads);
    return 0;
}
