/* 07_relations.c: names, templates, and links from entities to entities.
 *
 * A wing of ships is made from one template with two turrets below it. Each ship hunts another: a
 * link that the library keeps in order when either end goes. */
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"

#include <stdio.h>

enum {
    SHIPS = 4
};

typedef struct Hull {
    int points;
} Hull;

enum {
    Hull_id = 1,
    Hunts_id
};

static sett_entity turret(sett_world* world, sett_entity ship, const char* name)
{
    sett_entity entity = sett_entity_create(world);
    SETT_SET(world, entity, Hull, .points = 10);
    sett_hierarchy_attach(world, entity, ship);
    sett_name_set(world, entity, name);
    return entity;
}

/* Who hunts this ship: a walk over the links that lead to it. */
static void tell_hunters(sett_world* world, sett_entity ship)
{
    char path[64];
    sett_name_path(world, ship, path, sizeof path);
    printf("%s is hunted by", path);
    sett_link_cursor cursor = {0};
    for (sett_entity e; !sett_is_null(e = sett_source_next(world, Hunts_id, ship, &cursor));) {
        sett_name_path(world, e, path, sizeof path);
        printf(" %s", path);
    }
    printf(" (%u)\n", (unsigned)sett_source_count(world, Hunts_id, ship));
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_component_register(world, &(sett_component_desc){SETT_TYPE(Hull), .id = Hull_id});
    /* One target a ship; when that is destroyed the link goes, and nothing else. */
    sett_relationship_register(world, &(sett_relationship_desc){.name = "Hunts", .id = Hunts_id});

    sett_entity design = sett_entity_create(world);
    SETT_SET(world, design, Hull, .points = 250);
    turret(world, design, "left");
    turret(world, design, "right");
    sett_prefab_make(world, design); /* queries pass over it from here on */

    sett_entity ship[SHIPS];
    sett_instantiate(world, design, SHIPS, ship);
    for (int k = 0; k < SHIPS; k++) {
        char name[16];
        snprintf(name, sizeof name, "ship%d", k);
        sett_name_set(world, ship[k], name);
        sett_relate(world, ship[k], Hunts_id, ship[k == 0 ? 1 : 0]);
    }
    sett_query* hulls = sett_query_create(world, &(sett_query_desc){.terms = {SETT_READS(Hull)}});
    printf("%u hulls, the template not counted\n", (unsigned)sett_query_count(hulls));
    tell_hunters(world, ship[0]);

    /* What lies below an entity is found by its path, and goes along with it. */
    sett_entity gun = sett_name_lookup(world, sett_null(), "ship2/right");
    printf("ship2/right has %d points\n", SETT_GET(world, gun, Hull)->points);
    sett_entity_destroy(world, ship[2]);
    printf("it is %s, and ", sett_entity_valid(world, gun) ? "still there" : "gone with its ship");
    tell_hunters(world, ship[0]);

    sett_entity_destroy(world, ship[0]);
    printf("ship1 hunts %s\n",
           sett_is_null(sett_target(world, ship[1], Hunts_id)) ? "nobody now" : "a ghost");
    sett_world_destroy(world);
    return 0;
}
