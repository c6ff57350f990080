/* Joins, as text.
 *
 * "Which armed ships orbit a planet that an enemy of mine rules?" asks several entities at once.
 * A search finds all answers; as a text it can come from a console, a script or a file. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Weapons {
    int count;
} Weapons;

static sett_entity named(sett_world* world, const char* name)
{
    return sett_name_ensure(world, sett_null(), name);
}

static sett_component relationship(sett_world* world, const char* name)
{
    return sett_relationship_register(world, &(sett_relationship_desc){.name = name});
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_component Weapons_id = SETT_REGISTER(world, Weapons);
    SETT_MEMBERS(world, Weapons, count);
    sett_component Orbits = relationship(world, "Orbits");
    sett_component RuledBy = relationship(world, "RuledBy");
    sett_component Hates = relationship(world, "Hates");

    sett_relate(world, named(world, "me"), Hates, named(world, "empire"));
    sett_relate(world, named(world, "mars"), RuledBy, named(world, "empire"));
    sett_relate(world, named(world, "venus"), RuledBy, named(world, "me"));
    const struct {
        const char *ship, *planet;
        int weapons;
    } ships[] = {{"ajax", "mars", 4}, {"bolt", "mars", 0}, {"cube", "venus", 9}};
    for (int k = 0; k < 3; k++) {
        sett_entity ship = named(world, ships[k].ship);
        SETT_SET(world, ship, Weapons, .count = ships[k].weapons);
        sett_relate(world, ship, Orbits, named(world, ships[k].planet));
    }

    sett_search* search = sett_search_create(
        world, "Weapons($ship), $ship.Weapons.count > 0, Orbits($ship, $planet), "
               "RuledBy($planet, $who), Hates(me, $who)");
    if (search == NULL) {
        printf("%s\n", sett_world_message(world));
        return 1;
    }
    const char* found = "";
    uint32_t ship = sett_search_variable(search, "ship");
    SETT_SEARCH(search, rows, i)
    {
        found = sett_name_get(world, sett_rows_entity(rows, ship, i));
    }
    bool right = sett_search_count(search) == 1 && strcmp(found, "ajax") == 0;
    printf("%u found: %s\n", (unsigned)sett_search_count(search), found);
    sett_world_destroy(world);
    return right ? 0 : 1;
}
