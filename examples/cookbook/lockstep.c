/* Lockstep: machines that exchange inputs only.
 *
 * Each machine simulates the whole game. Same start, same inputs and same order give the same
 * state: the hash, sent along now and then, proves it. */
#include "sett/sett.h"

#include <stdio.h>

enum {
    PLAYERS = 2,
    DELAY = 3, /* frames between a key and its effect: the time to send it */
    FRAMES = 200
};

typedef struct Ship {
    int32_t player, x, speed;
} Ship;

typedef struct Input {
    int8_t push[PLAYERS];
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
    SETT_SINGLETON_ENSURE(world, Input);
    for (int32_t k = 0; k < PLAYERS; k++) {
        SETT_CREATE(world, SETT_VALUE(Ship, .player = k));
    }
    return world;
}

static int8_t key_of(int player, int frame) /* what a player does */
{
    return (int8_t)((frame / (5 + player)) % 3 - 1);
}

int main(void)
{
    sett_world* machines[PLAYERS] = {machine(), machine()};
    Input sent[FRAMES + DELAY] = {0}; /* the network: one input a player and frame */
    bool same = true;
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int player = 0; player < PLAYERS; player++) {
            sent[frame + DELAY].push[player] = key_of(player, frame);
        }
        for (int k = 0; k < PLAYERS; k++) {
            *SETT_SINGLETON_FIND_MUT(machines[k], Input) = sent[frame];
            sett_progress(machines[k], 1.0f / 60);
        }
        if (frame % 20 == 0) {
            same = same && sett_world_hash(machines[0]) == sett_world_hash(machines[1]);
        }
    }
    printf("%d frames, hashes are %s\n", FRAMES, same ? "the same" : "different");
    for (int k = 0; k < PLAYERS; k++) {
        sett_world_destroy(machines[k]);
    }
    return same ? 0 : 1;
}
