/* Cooldowns: not again before a second has passed.
 *
 * Who cannot act has a component that counts down, and systems ask for entities without it. It is
 * rare and short-lived, so a sparse set holds it. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Weapon {
    float pause; /* seconds between two shots */
    int shots;
} Weapon;

typedef struct Cooldown {
    float seconds;
} Cooldown;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Weapon) COMPONENT(Cooldown, .storage = SETT_STORAGE_SPARSE_SET)
SETT_COMPONENTS(GAME)

static void shoot(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        Weapon* weapon = &SETT_FIELD_MUT(b, 0, Weapon)[i];
        weapon->shots++;
        SETT_CMD_SET(context->commands, sett_batch_entity(b, i), Cooldown,
                     .seconds = weapon->pause);
    }
}

static void cool(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        Cooldown* cooldown = &SETT_FIELD_MUT(b, 0, Cooldown)[i];
        cooldown->seconds -= context->dt;
        if (cooldown->seconds <= 0) {
            SETT_CMD_REMOVE(context->commands, sett_batch_entity(b, i), Cooldown);
        }
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, cool, .terms = {SETT_INOUT(Cooldown)}, .phase = SETT_PHASE_UPDATE_EARLY);
    SETT_SYSTEM(world, shoot, .terms = {SETT_INOUT(Weapon), SETT_WITHOUT(Cooldown)});
    sett_entity pistol = SETT_CREATE(world, SETT_VALUE(Weapon, .pause = 0.5f));
    sett_entity cannon = SETT_CREATE(world, SETT_VALUE(Weapon, .pause = 2));
    for (int frame = 0; frame < 8 * 64; frame++) {
        sett_progress(world, 1.0f / 64);
    }
    int quick = SETT_GET(world, pistol, Weapon)->shots,
        slow = SETT_GET(world, cannon, Weapon)->shots;
    printf("in 8 s: %d shots and %d\n", quick, slow);
    sett_world_destroy(world);
    return quick == 16 && slow == 4 ? 0 : 1;
}
