/* Testing a system.
 *
 * A test makes a small world, runs the system once and compares the whole world with the expected
 * one: so it sees what the system must not touch, too. The difference is printed with names. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x;
} Position;

typedef struct Velocity {
    float x;
} Velocity;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Velocity) TAG(Frozen)
SETT_COMPONENTS(GAME)

/* The game's: a module that adds its systems to any world. */
static void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x * context->dt;
    }
}

static void game_add_systems(sett_world* world)
{
    SETT_SYSTEM(world, move,
                .terms = {SETT_INOUT(Position), SETT_IN(Velocity), SETT_WITHOUT(Frozen)});
}

/* The test's. */
static sett_world* given(float free_x, float frozen_x)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    game_add_systems(world);
    SETT_CREATE(world, SETT_VALUE(Position, free_x), SETT_VALUE(Velocity, 2));
    SETT_CREATE(world, SETT_VALUE(Position, frozen_x), SETT_VALUE(Velocity, 2),
                SETT_VALUE_TAG(Frozen));
    SETT_CREATE(world, SETT_VALUE(Velocity, 2)); /* no position: nothing happens to it */
    return world;
}

int main(void)
{
    char text[256];
    const char* reason = "";
    sett_world* world = given(1, 1);
    sett_world* expected = given(2, 1);
    sett_system_run(sett_system_find(world, "move"), 0.5f); /* this one, and no other */
    bool same = sett_world_difference(world, expected, text, sizeof text) == 0;
    bool valid = sett_world_validate(world, &reason) == SETT_OK;
    printf("move: %s\n", same && valid ? "passed" : same ? reason : text);
    sett_world_destroy(world);
    sett_world_destroy(expected);
    return same && valid ? 0 : 1;
}
