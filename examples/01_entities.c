/* 01_entities.c: entities, their components, and what happens to handles.
 *
 * A ship has a hull and may carry a shield. The macros take the type's name and find its number
 * under <type>_id: here enumerators, given to the world when the types are registered. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Hull {
    int points;
} Hull;

typedef struct Shield {
    int charge;
} Shield;

enum {
    Hull_id = 1,
    Shield_id,
    Docked_id
};

/* Called before a hull goes, while its value is still there. */
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
    const sett_component needs_hull[] = {Hull_id};
    SETT_REGISTER_WITH(world, Hull, .id = Hull_id, .on_remove = hull_lost);
    /* Whoever gets a shield gets a hull first. */
    SETT_REGISTER_WITH(world, Shield, .id = Shield_id, .required = needs_hull, .required_count = 1);
    /* Size 0: a tag, which is one bit an entity. */
    SETT_REGISTER_TAG_WITH(world, Docked, .id = Docked_id);

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

    /* A handle outlives its entity, and knows it: also when the slot has a new tenant. */
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
