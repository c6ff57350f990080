/* Damage as an event.
 *
 * Who hits sends an event; who has armour, health or a shield has an observer that reacts, and
 * neither knows the other. In a system the event is recorded, and arrives when the phase ends. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Health {
    int points;
} Health;

typedef struct Trap {
    sett_entity under; /* who stands on it */
    int points;
} Trap;

typedef struct Damage {
    int points;
    sett_entity by;
} Damage;

#define GAME(COMPONENT, TAG) COMPONENT(Health) COMPONENT(Trap) COMPONENT(Damage)
SETT_COMPONENTS(GAME)

static void trap_snaps(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        const Trap* trap = &SETT_FIELD(b, 0, Trap)[i];
        SETT_CMD_EVENT(context->commands, trap->under, SETT_ROUTE_ENTITY, Damage,
                       .points = trap->points, .by = sett_batch_entity(b, i));
    }
}

static void health_suffers(sett_world* world, sett_entity entity, void* value, void* user)
{
    const Damage* damage = value;
    Health* health = SETT_GET_MUT(world, entity, Health);
    (void)user;
    health->points -= damage->points;
    if (health->points <= 0) {
        sett_cmd_destroy(sett_commands_here(world), entity);
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, trap_snaps, .terms = {SETT_IN(Trap)});
    sett_observer_create(world, &(sett_observer_desc){.component = Damage_id,
                                                      .on_event = health_suffers,
                                                      .terms = {SETT_WITH(Health)}});
    sett_entity imp = SETT_CREATE(world, SETT_VALUE(Health, .points = 20));
    SETT_CREATE(world, SETT_VALUE(Trap, .under = imp, .points = 4));
    SETT_CREATE(world, SETT_VALUE(Trap, .under = imp, .points = 3));
    int frames = 0;
    while (sett_entity_valid(world, imp) && frames < 100) {
        sett_progress(world, 1.0f / 60);
        frames++;
    }
    printf("the imp lived for %d frames\n", frames);
    sett_world_destroy(world);
    return frames == 3 ? 0 : 1;
}
