/* Inventory: who carries what.
 *
 * An item is an entity, and a relationship says who carries it, with the slot as data of the link.
 * Giving it to another is one call, and when the carrier dies the items lie on the floor. An item
 * that changes hands runs on_replace; on_add and on_remove are for taking it from the floor and
 * dropping it. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Weight {
    float kg;
} Weight;

static sett_component Weight_id, CarriedBy_id; /* a link of CarriedBy has the slot, an int */

static sett_entity lost_by, won_by; /* of the last item that changed hands */

static void changed_hands(sett_world* world, sett_entity item, const void* old, void* value,
                          void* user)
{
    (void)world, (void)item, (void)user;
    lost_by = ((const sett_link*)old)->target;
    won_by = ((const sett_link*)value)->target;
}

static void give(sett_world* world, sett_entity item, sett_entity to, int slot)
{
    *(int*)sett_relate(world, item, CarriedBy_id, to) = slot;
}

static float load_of(sett_world* world, sett_entity carrier)
{
    float kg = 0;
    SETT_SOURCES(world, CarriedBy_id, carrier, item, link) {
        kg += SETT_GET(world, item, Weight)->kg;
    }
    return kg;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    Weight_id = SETT_REGISTER(world, Weight);
    CarriedBy_id = sett_relationship_register(
        world,
        &(sett_relationship_desc){.name = "CarriedBy", .size = sizeof(int), .align = sizeof(int)});
    sett_observer_create(
        world, &(sett_observer_desc){.component = CarriedBy_id, .on_replace = changed_hands});

    sett_entity ann = sett_entity_create(world), bob = sett_entity_create(world);
    sett_entity sword = SETT_CREATE(world, SETT_VALUE(Weight, .kg = 3));
    sett_entity shield = SETT_CREATE(world, SETT_VALUE(Weight, .kg = 5));
    give(world, sword, ann, 0);
    give(world, shield, ann, 1);
    give(world, sword, bob, 4); /* one carrier at a time: it changes hands */
    float of_ann = load_of(world, ann), of_bob = load_of(world, bob);
    int slot = *(const int*)sett_related(world, sword, CarriedBy_id, bob);
    bool seen = sett_equals(lost_by, ann) && sett_equals(won_by, bob);

    sett_entity_destroy(world, ann);
    sett_query* on_floor = SETT_QUERY_CREATE(world, SETT_IN(Weight), SETT_WITHOUT(CarriedBy));
    printf("ann %g kg, bob %g kg in slot %d, then %u on the floor\n", (double)of_ann,
           (double)of_bob, slot, (unsigned)sett_query_count(on_floor));
    bool right = seen && of_ann == 5 && of_bob == 3 && slot == 4 &&
                 sett_query_first(on_floor).index == shield.index;
    sett_world_destroy(world);
    return right ? 0 : 1;
}
