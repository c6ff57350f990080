/* State machine: a guard that patrols, chases and returns.
 *
 * The state is an enum in a component, and one system has the switch: right where states change
 * often and share their data. Where each state has systems of its own, see tags_as_states.c. */
#include "sett/sett.h"

#include <stdio.h>

typedef enum State {
    PATROL,
    CHASE,
    RETURN
} State;

typedef struct Guard {
    State state;
    float seconds; /* in this state */
    float x, home;
} Guard;

typedef struct Thief {
    float x;
} Thief;

#define GAME(COMPONENT, TAG) COMPONENT(Guard) COMPONENT(Thief)
SETT_COMPONENTS(GAME)

static void change(Guard* guard, State state)
{
    guard->state = state;
    guard->seconds = 0;
}

static void guard_thinks(sett_context* context)
{
    const Thief* thief = SETT_SINGLETON_FIND(context->world, Thief);
    SETT_SYSTEM_FOR(context, b, i) {
        Guard* guard = &SETT_FIELD_MUT(b, 0, Guard)[i];
        float distance = thief->x - guard->x;
        bool sees = distance > -5 && distance < 5;
        guard->seconds += context->dt;
        switch (guard->state) {
        case PATROL:
            if (sees) {
                change(guard, CHASE);
            }
            break;
        case CHASE:
            guard->x += (distance > 0 ? 2 : -2) * context->dt;
            if (!sees && guard->seconds > 1) {
                change(guard, RETURN);
            }
            break;
        case RETURN:
            guard->x += (guard->home > guard->x ? 1 : -1) * context->dt;
            if (sees) {
                change(guard, CHASE);
            } else if (guard->x - guard->home < 0.1f && guard->home - guard->x < 0.1f) {
                change(guard, PATROL);
            }
            break;
        }
    }
}

int main(void)
{
    static const char letters[] = "PCR";
    char seen[32] = "";
    int length = 0;
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, guard_thinks, .terms = {SETT_INOUT(Guard)}, .access_any_in = {Thief_id});
    sett_entity guard = SETT_CREATE(world, SETT_VALUE(Guard, .x = 0, .home = 0));
    SETT_SINGLETON_SET(world, Thief, .x = 20);
    for (int frame = 0; frame < 200; frame++) {
        /* the thief comes near, and runs away */
        SETT_SINGLETON_FIND_MUT(world, Thief)->x += frame < 40 ? -0.4f : 0.8f;
        sett_progress(world, 0.1f);
        char letter = letters[SETT_GET(world, guard, Guard)->state];
        if (length == 0 || seen[length - 1] != letter) {
            seen[length++] = letter;
        }
    }
    bool right =
        seen[0] == 'P' && seen[1] == 'C' && seen[2] == 'R' && seen[3] == 'P' && length == 4;
    printf("states: %s\n", seen);
    sett_world_destroy(world);
    return right ? 0 : 1;
}
