/* Timers: something happens after some seconds.
 *
 * A timer is a component that a system counts down. When it runs out, the system removes it, and
 * its on_remove observer does what was waited for. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Fuse {
    float seconds;
} Fuse;

#define GAME(COMPONENT, TAG) COMPONENT(Fuse, .storage = SETT_STORAGE_SPARSE_SET)
SETT_COMPONENTS(GAME)

static void burn(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        Fuse* fuse = &SETT_FIELD_MUT(b, 0, Fuse)[i];
        fuse->seconds -= context->dt;
        if (fuse->seconds <= 0) {
            SETT_CMD_REMOVE(context->commands, sett_batch_entity(b, i), Fuse);
        }
    }
}

static void explode(sett_world* world, sett_entity entity, void* value, void* user)
{
    const Fuse* fuse = value;
    int* explosions = user;
    if (fuse->seconds <= 0) { /* it ran out; if its entity was destroyed before, nothing happens */
        *explosions += 1;
        sett_cmd_destroy(sett_commands_here(world), entity);
    }
}

int main(void)
{
    int explosions = 0;
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, burn, .terms = {SETT_INOUT(Fuse)});
    sett_observer_create(
        world,
        &(sett_observer_desc){.component = Fuse_id, .on_remove = explode, .user = &explosions});
    sett_entity bombs[4];
    for (int k = 0; k < 4; k++) {
        bombs[k] = SETT_CREATE(world, SETT_VALUE(Fuse, .seconds = 0.5f * (float)(k + 1)));
    }
    sett_entity_destroy(world, bombs[0]); /* defused */
    for (int frame = 0; frame < 100; frame++) {
        sett_progress(world, 1.0f / 60);
    }
    printf("%d explosions after 1.67 s, %u bomb left\n", explosions,
           (unsigned)sett_entity_count(world));
    bool right = explosions == 2 && sett_entity_valid(world, bombs[3]);
    sett_world_destroy(world);
    return right ? 0 : 1;
}
