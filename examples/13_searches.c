/* 13_searches.c: queries over several entities, as text: joins, what is not, how far, values; and
 * queries whose terms ask a parent. */
#include "sett/sett.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Hull {
    int strength;
} Hull;

typedef struct Place {
    float x;
} Place;

static void expect(int condition, const char* what)
{
    if (!condition) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

static sett_entity named(sett_world* world, const char* name)
{
    sett_entity entity = sett_entity_create(world);
    sett_name_set(world, entity, name);
    return entity;
}

/* Prints all results of a text; returns how many there are. */
static unsigned ask(sett_world* world, const char* text)
{
    unsigned count = 0;
    sett_search* search = sett_search_create(world, text);
    printf("%s\n", text);
    SETT_SEARCH(search, rows, i)
    {
        for (uint32_t v = 0; v < rows->variable_count; v++) {
            sett_entity entity = sett_rows_entity(rows, v, i);
            printf("    %s = %s", sett_search_variable_name(search, v),
                   sett_is_null(entity) ? "-" : sett_name_get(world, entity));
        }
        printf("\n");
        count++;
    }
    sett_search_destroy(search);
    return count;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_component Hull_id = SETT_REGISTER(world, Hull);
    sett_component Place_id = SETT_REGISTER(world, Place);
    SETT_MEMBERS(world, Hull, strength);
    sett_component docked =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "DockedAt"});
    sett_component ruled =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "RuledBy"});
    sett_component at_war =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "AtWar", .many = true});

    sett_entity red = named(world, "red"), blue = named(world, "blue");
    sett_entity earth = named(world, "earth"), venus = named(world, "venus");
    sett_relate(world, red, at_war, blue);
    sett_relate(world, earth, ruled, red);
    sett_relate(world, venus, ruled, blue);
    const char* names[] = {"ajax", "bolt", "cube"};
    for (int k = 0; k < 3; k++) {
        sett_entity ship = named(world, names[k]);
        SETT_SET(world, ship, Hull, .strength = 10 * k);
        if (k != 2) {
            sett_relate(world, ship, docked, k == 0 ? earth : venus);
        }
    }
    expect(ask(world, "Hull($ship), DockedAt($ship, $planet), RuledBy($planet, $who)") == 2, "two");
    expect(ask(world, "Hull($ship), !DockedAt($ship, _)") == 1, "one is not docked");
    expect(ask(world, "DockedAt($s, $p), RuledBy($p, $w), AtWar($w, _)") == 1, "one at war");
    expect(ask(world, "Hull order_by Hull.strength desc") == 3, "the strongest first");
    expect(ask(world, "Hull.strength >= 10, .name ~= \"b\"") == 2, "strong ones with a b");
    expect(ask(world, "Hull($ship), ?DockedAt($ship, $planet)") == 3, "all, docked or not");

    /* Terms of plain queries can ask a parent. */
    SETT_SET(world, earth, Place, .x = 100);
    sett_entity moon = named(world, "moon");
    SETT_SET(world, moon, Place, .x = 5);
    sett_hierarchy_attach(world, moon, earth);
    sett_query* children = SETT_QUERY_CREATE(world, SETT_INOUT(Place), SETT_PARENT(Place));
    SETT_FOR(children, b, i) {
        SETT_FIELD_MUT(b, 0, Place)[i].x += SETT_FIELD_FROM(b, 1, i, Place)->x;
    }
    expect(SETT_GET(world, moon, Place)->x > 104, "moved with its parent");
    sett_world_destroy(world);
    return 0;
}
