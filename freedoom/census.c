/* census.c - see census.h. */
#include "census.h"

#include <assert.h>

static bool census_count_things(const Simulation* sim, Census* census)
{
    sett_query_desc desc = {.name = "census",
                            .terms = {SETT_IN(Thing), SETT_WITHOUT(Corpse), SETT_WITHOUT(Missile)}};
    sett_query* query = sett_query_create(sim->world, &desc);
    if (query == NULL) {
        return false;
    }
    SETT_QUERY_EACH(query, b) {
        const Thing* thing = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            ThingClass kind = thing_table[thing[i].type].kind;
            ++census->things[kind];
            census->monsters[thing[i].type] += kind == THING_MONSTER ? 1 : 0;
        }
    }
    sett_query_destroy(query);
    return true;
}

bool census_take(const Simulation* sim, Census* census)
{
    assert(thing_table_count <= CENSUS_TYPES_MAX);
    *census = (Census){.entities = sett_entity_count(sim->world)};
    for (sett_component id = 1; id < COMPONENT_END; ++id) {
        census->components[id] = sett_component_count(sim->world, id);
    }
    return census_count_things(sim, census);
}
