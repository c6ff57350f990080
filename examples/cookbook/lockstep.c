/* Lockstep: machines that exchange inputs only.
 *
 * Each machine simulates the whole game. Same start, same inputs and same order give the same
 * state: the hash, sent along now and then, proves it. A machine that joins late gets the state. */
#include "sett/sett.h"

#include <stdio.h>

enum {
    DELAY = 3, /* frames between a key and its effect: the time to send it */
    FRAMES = 200
};

typedef struct Ship {
    int32_t player, x, speed;
} Ship;
typedef struct Input { /* of both players */
    int8_t push[2];
} Input;

#define GAME(COMPONENT, TAG) COMPONENT(Ship) COMPONENT(Input)
SETT_COMPONENTS(GAME)

static void fly(sett_context* context)
{
    const Input* input = SETT_SINGLETON_FIND(context->world, Input);
    SETT_SYSTEM_FOR(context, b, i) {
        Ship* ship = &SETT_FIELD_MUT(b, 0, Ship)[i];
        ship->speed += input->push[ship->player]; /* integers: alike on every machine */
        ship->x += ship->speed;
    }
}

static sett_world* machine(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, fly, .terms = {SETT_INOUT(Ship)}, .access_any_in = {Input_id});
    return world;
}

static void play(sett_world* world, const Input* input)
{
    *SETT_SINGLETON_ENSURE(world, Input) = *input;
    sett_progress(world, 1.0f / 60);
}

int main(void)
{
    static unsigned char state[8192];
    static Input sent[FRAMES + DELAY]; /* the network: one input a player and frame */
    sett_world *first = machine(), *late = machine();
    SETT_CREATE(first, SETT_VALUE(Ship, .player = 0));
    SETT_CREATE(first, SETT_VALUE(Ship, .player = 1));
    bool same = true;
    for (int frame = 0; frame < FRAMES; frame++) {
        sent[frame + DELAY] = (Input){{(int8_t)(frame / 5 % 3 - 1), (int8_t)(frame / 6 % 3 - 1)}};
        size_t size;
        if (frame == 20 && sett_state_encode(first, state, sizeof(state), &size) == SETT_OK) {
            sett_state_apply(late, state, size, 0); /* it joins */
        }
        play(first, &sent[frame]);
        play(late, &sent[frame]);
        same = same && (frame < 20 || sett_world_hash(first) == sett_world_hash(late));
    }
    printf("%d frames, hashes are %s\n", FRAMES, same ? "the same" : "different");
    sett_world_destroy(first);
    sett_world_destroy(late);
    return same ? 0 : 1;
}
