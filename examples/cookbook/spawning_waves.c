/* Waves of enemies.
 *
 * A system that declares nothing runs alone and can create entities at once. A condition lets it
 * run when the last wave is beaten, and a singleton holds the number of the wave. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Health {
    int points;
} Health;

typedef struct Wave {
    int number;
} Wave;

#define GAME(COMPONENT, TAG) COMPONENT(Health) COMPONENT(Wave)
SETT_COMPONENTS(GAME)

static bool all_beaten(const sett_world* world, void* user)
{
    (void)user;
    return sett_component_count(world, Health_id) == 0;
}

static void spawn(sett_context* context)
{
    Wave* wave = SETT_SINGLETON_FIND_MUT(context->world, Wave);
    wave->number++;
    for (int k = 0; k < 10 * wave->number; k++) {
        SETT_CREATE(context->world, SETT_VALUE(Health, .points = wave->number + k % 3));
    }
}

static void suffer(sett_context* context) /* the player's part, shortened */
{
    SETT_SYSTEM_FOR(context, b, i) {
        if (--SETT_FIELD_MUT(b, 0, Health)[i].points <= 0) {
            sett_cmd_destroy(context->commands, sett_batch_entity(b, i));
        }
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SINGLETON_ENSURE(world, Wave);
    SETT_SYSTEM(world, spawn, .phase = SETT_PHASE_LOAD, .run_if = all_beaten);
    SETT_SYSTEM(world, suffer, .terms = {SETT_INOUT(Health)});
    int frames = 0;
    uint32_t most = 0;
    while (SETT_SINGLETON_FIND(world, Wave)->number < 5 && frames < 1000) {
        sett_progress(world, 1.0f / 60);
        uint32_t enemies = sett_component_count(world, Health_id);
        most = enemies > most ? enemies : most;
        frames++;
    }
    printf("wave 5 after %d frames, %u enemies at once\n", frames, (unsigned)most);
    sett_world_destroy(world);
    return frames == 3 + 4 + 5 + 6 + 1 && most >= 40 ? 0 : 1;
}
