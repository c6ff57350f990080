/* 01_entities.c: entities, their components, and handles.
 *
 * A ship has a hull and can have a shield. The macros take the name of a type and find its id as
 * <type>_id, an enumerator that the component list made. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Hull {
    int points;
} Hull;

typedef struct Shield {
    int charge;
} Shield;

/* A line for each component: its type, and its options. The shield adds a hull if there is none. */
#define FLEET(COMPONENT, TAG)                                                                      \
    COMPONENT(Hull, .on_remove = hull_lost)                                                        \
    COMPONENT(Shield, .required = (const sett_component[]){Hull_id}, .required_count = 1)          \
    TAG(Docked)
SETT_COMPONENTS(FLEET)

/* Runs before a hull is removed: its value can still be read. */
static void hull_lost(sett_world* world, sett_entity ship, void* value, void* user)
{
    const Hull* hull = value;
    (void)world;
    (void)user;
    printf("ship %u is gone, with %d points left\n", (unsigned)ship.index, hull->points);
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, FLEET);

    sett_entity scout = sett_entity_create(world);
    SETT_SET(world, scout, Hull, .points = 30);
    SETT_ADD_TAG(world, scout, Docked);

    sett_entity cruiser = sett_entity_create(world);
    SETT_SET(world, cruiser, Shield, .charge = 100);
    SETT_GET_MUT(world, cruiser, Hull)->points = 250;

    /* SETT_GET expects the component, SETT_FIND asks. */
    const Shield* shield = SETT_FIND(world, scout, Shield);
    printf("the scout has %s shield, the cruiser one of %d\n", shield == NULL ? "no" : "a",
           SETT_GET(world, cruiser, Shield)->charge);

    /* The handle of a destroyed entity is stale, also when another entity uses its slot. */
    sett_entity_destroy(world, scout);
    sett_entity freighter = sett_entity_create(world);
    printf("the freighter moved into slot %u; the scout's handle is %s\n",
           (unsigned)freighter.index, sett_entity_valid(world, scout) ? "valid" : "stale");

    /* Misuse changes nothing, and says what it was. */
    if (!SETT_ADD_TAG(world, scout, Docked)) {
        printf("rejected: %s\n", sett_world_message(world));
    }
    sett_world_destroy(world);
    return 0;
}
