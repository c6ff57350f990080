/* Replays.
 *
 * A replay is the state at its beginning and the inputs of each frame: here a copy of the world and
 * an array. Played again, it ends in the same state; a tool can stop it anywhere. */
#include "sett/sett.h"

#include <stdio.h>

enum {
    FRAMES = 300
};

typedef struct Car {
    float x, speed;
} Car;

typedef struct Input {
    float gas;
} Input;

#define GAME(COMPONENT, TAG) COMPONENT(Car) COMPONENT(Input)
SETT_COMPONENTS(GAME)

static void drive(sett_context* context)
{
    float gas = SETT_SINGLETON_FIND(context->world, Input)->gas;
    SETT_SYSTEM_FOR(context, b, i) {
        Car* car = &SETT_FIELD_MUT(b, 0, Car)[i];
        car->speed += (gas - 0.1f * car->speed) * context->dt;
        car->x += car->speed * context->dt;
    }
}

/* Queries and systems are not part of the state: each world needs its own. */
static sett_world* start(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, drive, .terms = {SETT_INOUT(Car)}, .access_any_in = {Input_id});
    SETT_SINGLETON_ENSURE(world, Input);
    return world;
}

static void frame(sett_world* world, float gas)
{
    SETT_SINGLETON_FIND_MUT(world, Input)->gas = gas;
    sett_progress(world, 1.0f / 60);
}

int main(void)
{
    float inputs[FRAMES];
    sett_world* game = start();
    sett_world* beginning = start();
    SETT_CREATE(game, SETT_VALUE(Car, .speed = 3));
    for (int k = 0; k < 100; k++) {
        frame(game, 1); /* before the recording */
    }

    sett_world_clone(game, beginning); /* or sett_world_save: a file */
    for (int k = 0; k < FRAMES; k++) {
        inputs[k] = (float)(k % 70) * 0.1f;
        frame(game, inputs[k]);
    }

    sett_world* replay = start();
    sett_world_clone(beginning, replay);
    for (int k = 0; k < FRAMES; k++) {
        frame(replay, inputs[k]);
    }
    bool same = sett_world_hash(game) == sett_world_hash(replay);
    printf("%d frames played again: %s\n", FRAMES, same ? "the same" : "different");
    sett_world_destroy(game);
    sett_world_destroy(beginning);
    sett_world_destroy(replay);
    return same ? 0 : 1;
}
