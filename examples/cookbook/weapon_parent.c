/* A weapon in a hand: parents and transforms.
 *
 * The place of a child is relative to its parent. An order visits parents before children, at any
 * depth, so one pass finds where everything is in the world. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Local { /* relative to the parent */
    float x, y;
} Local;

typedef struct Global { /* in the world */
    float x, y;
} Global;

#define GAME(COMPONENT, TAG) COMPONENT(Local) COMPONENT(Global)
SETT_COMPONENTS(GAME)

static sett_entity part(sett_world* world, sett_entity parent, float x, float y)
{
    sett_entity entity = SETT_CREATE(world, SETT_VALUE(Local, x, y), SETT_VALUE(Global, .x = 0));
    if (!sett_is_null(parent)) {
        sett_hierarchy_attach(world, entity, parent);
    }
    return entity;
}

static void place_all(sett_world* world, sett_ordered* parents_first)
{
    uint32_t count;
    const sett_entity* entities = sett_ordered_update(parents_first, &count);
    for (uint32_t k = 0; k < count; k++) {
        const Local* local = SETT_GET(world, entities[k], Local);
        const Global* parent = SETT_FIND(world, sett_hierarchy_parent(world, entities[k]), Global);
        Global* global = SETT_GET_MUT(world, entities[k], Global);
        global->x = local->x + (parent != NULL ? parent->x : 0);
        global->y = local->y + (parent != NULL ? parent->y : 0);
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    sett_query* placed = SETT_QUERY_CREATE(world, SETT_INOUT(Global), SETT_IN(Local));
    sett_ordered* parents_first =
        sett_ordered_create(world, &(sett_ordered_desc){.query = placed, .cascade = true});

    sett_entity sword = part(world, sett_null(), 0, 1); /* lies about */
    sett_entity knight = part(world, sett_null(), 10, 0);
    sett_entity arm = part(world, knight, 1, 2);
    sett_hierarchy_attach(world, sword, arm); /* takes it */
    place_all(world, parents_first);
    float held = SETT_GET(world, sword, Global)->x;

    SETT_GET_MUT(world, knight, Local)->x = 50; /* walks */
    place_all(world, parents_first);
    float carried = SETT_GET(world, sword, Global)->x;

    sett_hierarchy_detach(world, sword); /* drops it where he stands */
    SETT_SET(world, sword, Local, .x = carried, .y = 0);
    place_all(world, parents_first);
    float dropped = SETT_GET(world, sword, Global)->x;
    printf("the sword: at %g, carried to %g, dropped at %g\n", (double)held, (double)carried,
           (double)dropped);
    sett_world_destroy(world);
    return held == 11 && carried == 51 && dropped == 51 ? 0 : 1;
}
