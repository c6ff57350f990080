/* Events that last for one frame.
 *
 * Where many systems have to see the same event, in any order, it is a component on the entity: a
 * system in an early phase adds it, others ask for it, and the last phase of the frame removes it
 * from all. Nothing is sent: for events that observers receive see damage_events.c. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Hit {
    int points;
} Hit;

typedef struct Health {
    int points;
} Health;

typedef struct Sounds {
    int played;
} Sounds;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Hit, .storage = SETT_STORAGE_SPARSE_SET) COMPONENT(Health) COMPONENT(Sounds)
SETT_COMPONENTS(GAME)

static void collide(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        if ((sett_batch_index(b, i) + context->frame) % 4 == 0) {
            SETT_CMD_SET(context->commands, sett_batch_entity(b, i), Hit, .points = 5);
        }
    }
}

static void suffer(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Health)[i].points -= SETT_FIELD(b, 1, Hit)[i].points;
    }
}

static void play_sounds(sett_context* context)
{
    Sounds* sounds = SETT_SINGLETON_FIND_MUT(context->world, Sounds);
    SETT_SYSTEM_EACH(context, b) {
        sounds->played += (int)b->count;
    }
}

static void forget(sett_context* context)
{
    sett_component_clear(context->world, Hit_id);
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SINGLETON_ENSURE(world, Sounds);
    SETT_SYSTEM(world, collide, .terms = {SETT_IN(Health)}, .phase = SETT_PHASE_INPUT);
    SETT_SYSTEM(world, suffer, .terms = {SETT_INOUT(Health), SETT_IN(Hit)});
    SETT_SYSTEM(world, play_sounds, .terms = {SETT_IN(Hit)}, .access_any_inout = {Sounds_id});
    SETT_SYSTEM(world, forget, .phase = SETT_PHASE_OUTPUT, .exclusive = true);
    for (int k = 0; k < 100; k++) {
        SETT_CREATE(world, SETT_VALUE(Health, .points = 1000));
    }
    for (int frame = 0; frame < 40; frame++) {
        sett_progress(world, 1.0f / 60);
    }
    int lost = 0;
    sett_query* all = SETT_QUERY_CREATE(world, SETT_IN(Health));
    SETT_FOR(all, b, i) {
        lost += 1000 - SETT_FIELD(b, 0, Health)[i].points;
    }
    int played = SETT_SINGLETON_FIND(world, Sounds)->played;
    printf("%d hits heard, %d points lost\n", played, lost);
    sett_world_destroy(world);
    return played == 1000 && lost == 5 * played ? 0 : 1;
}
