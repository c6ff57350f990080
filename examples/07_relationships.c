/* 07_relationships.c: relationships, prefabs, copies and singletons.
 *
 * Ships are instances of a prefab, each with a turret; they are based at a station and hunt each
 * other. Destroying a station destroys its ships; destroying a ship ends the hunt for it. */
#include "sett/sett.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Hull {
    int strength;
} Hull;

typedef struct Hunts { /* exclusive: a link, then its data */
    sett_link link;
    int anger;
} Hunts;

typedef struct Score {
    int lost;
} Score;

static void expect(int condition, const char* what)
{
    if (!condition) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_component Hull_id = SETT_REGISTER(world, Hull);
    sett_component Score_id = SETT_REGISTER(world, Score);
    sett_component based_at = sett_relationship_register(
        world,
        &(sett_relationship_desc){.name = "based at", .on_target_destroyed = SETT_CLEANUP_DESTROY});
    sett_component Hunts_id = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "hunts", .size = sizeof(int)});

    /* A prefab: a ship with a turret below it. Queries skip both. */
    sett_entity ship = sett_entity_create(world);
    sett_entity turret = sett_entity_create(world);
    SETT_SET(world, ship, Hull, .strength = 100);
    sett_hierarchy_attach(world, turret, ship);
    sett_name_set(world, turret, "turret");
    sett_prefab_make(world, ship);

    sett_entity station = sett_entity_create(world);
    sett_entity ships[100];
    sett_instantiate(world, ship, 100, ships);
    for (int k = 0; k < 100; k++) {
        sett_relate(world, ships[k], based_at, station);
        *(int*)sett_relate(world, ships[k], Hunts_id, ships[(k + 1) % 100]) = k;
    }
    sett_entity base = sett_duplicate(world, station, NULL); /* no ship is based there yet */
    sett_relate(world, ships[7], based_at, base);            /* the eighth moves over */
    expect(!sett_is_null(sett_name_lookup(world, ships[7], "turret")), "it has its own turret");

    /* Who hunts the ninth? And with what anger? */
    SETT_SOURCES(world, Hunts_id, ships[8], hunter, link) {
        printf("ship %u hunts the ninth, anger %d\n", (unsigned)hunter.index,
               *(const int*)link.data);
    }

    /* Presence is an ordinary term; what a link carries is an ordinary field. */
    sett_query* hunters = SETT_QUERY_CREATE(world, SETT_IN(Hunts), SETT_IN(Hull));
    int anger = 0;
    SETT_FOR(hunters, b, i) {
        anger += SETT_FIELD(b, 0, Hunts)[i].anger;
    }
    printf("%u hunters, anger %d\n", (unsigned)sett_query_count(hunters), anger);

    sett_entity_destroy(world, station); /* 99 ships with their turrets go along */
    SETT_SINGLETON_ENSURE(world, Score)->lost += 99;
    expect(sett_entity_valid(world, ships[7]), "the eighth is based elsewhere");
    expect(sett_is_null(sett_target(world, ships[7], Hunts_id)), "and hunts no ship any more");
    printf("%u ship left, %d lost\n", (unsigned)sett_source_count(world, based_at, base),
           SETT_SINGLETON_FIND(world, Score)->lost);
    sett_world_destroy(world);
    return 0;
}
