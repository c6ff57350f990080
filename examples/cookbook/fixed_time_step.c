/* Fixed time steps, and drawing between two of them.
 *
 * The simulation advances in equal steps, as often as the time that passed allows. What is drawn
 * lies between the last two states, so movement is smooth at any frame rate. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x;
} Position;

typedef struct Previous { /* the position before the last step */
    float x;
} Previous;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Previous)
SETT_COMPONENTS(GAME)

static const float STEP = 1.0f / 32;

static void remember(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Previous)[i].x = SETT_FIELD(b, 1, Position)[i].x;
    }
}

static void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += 8 * context->dt;
    }
}

static float drawn_at(sett_world* world, sett_entity entity)
{
    float now = SETT_GET(world, entity, Position)->x;
    float before = SETT_GET(world, entity, Previous)->x;
    return before + (now - before) * sett_fixed_rest(world, STEP);
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, remember, .terms = {SETT_OUT(Previous), SETT_IN(Position)},
                .fixed_step = STEP);
    SETT_SYSTEM(world, move, .terms = {SETT_INOUT(Position)}, .fixed_step = STEP);
    sett_entity ball = SETT_CREATE(world, SETT_VALUE(Position, 0), SETT_VALUE(Previous, 0));

    float last = 0, largest = 0;
    for (int frame = 0; frame < 150; frame++) { /* a screen of 100 Hz */
        sett_progress(world, 0.01f);
        float x = drawn_at(world, ball);
        largest = x - last > largest ? x - last : largest;
        last = x;
    }
    uint64_t steps = sett_fixed_steps(world, STEP);
    printf("%d steps in 150 frames, at most %.2f from one frame to the next\n", (int)steps,
           (double)largest);
    sett_world_destroy(world);
    return (steps == 47 || steps == 48) && largest < 0.085f ? 0 : 1;
}
