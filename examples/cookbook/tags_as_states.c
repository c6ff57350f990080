/* Tags as states: a system for each state.
 *
 * An entity has the tag of the state in which it is, and each system asks for one tag. Such tags
 * are registered with dont_fragment: changing them is cheap, however many there are. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Energy {
    int points;
} Energy;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Energy)                                                                              \
    TAG(Working, .dont_fragment = true)                                                            \
    TAG(Sleeping, .dont_fragment = true)
SETT_COMPONENTS(GAME)

static void become(sett_commands* commands, sett_entity entity, sett_component from,
                   sett_component to)
{
    sett_cmd_remove(commands, entity, from);
    sett_cmd_add(commands, entity, to);
}

static void work(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        if (--SETT_FIELD_MUT(b, 0, Energy)[i].points == 0) {
            become(context->commands, sett_batch_entity(b, i), Working_id, Sleeping_id);
        }
    }
}

static void sleep(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        Energy* energy = &SETT_FIELD_MUT(b, 0, Energy)[i];
        energy->points += 2;
        if (energy->points >= 100) {
            become(context->commands, sett_batch_entity(b, i), Sleeping_id, Working_id);
        }
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, work, .terms = {SETT_INOUT(Energy), SETT_WITH(Working)});
    SETT_SYSTEM(world, sleep, .terms = {SETT_INOUT(Energy), SETT_WITH(Sleeping)});
    for (int k = 0; k < 900; k++) {
        SETT_CREATE(world, SETT_VALUE(Energy, 1 + k % 100), SETT_VALUE_TAG(Working));
    }
    for (int frame = 0; frame < 540; frame++) {
        sett_progress(world, 1.0f / 60);
    }
    unsigned working = (unsigned)sett_component_count(world, Working_id);
    unsigned sleeping = (unsigned)sett_component_count(world, Sleeping_id);
    printf("%u work, %u sleep\n", working, sleeping);
    sett_world_destroy(world);
    return working + sleeping == 900 && sleeping > 200 && working > 200 ? 0 : 1;
}
