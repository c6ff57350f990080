/* components.c - see components.h. */
#include "components.h"

#include <stddef.h>

#define COMPONENT(T) SETT_TYPE(T), .id = T##_id
#define TAG(T) .name = #T, .id = T##_id

/* Where handles lie, so that the library finds them when worlds are copied or merged. */
static const uint32_t components_target[] = {offsetof(Target, enemy)};
static const uint32_t components_missile[] = {offsetof(Missile, shooter)};
static const uint32_t components_homing[] = {offsetof(Homing, prey)};
static const uint32_t components_hit[] = {offsetof(Hit, victim), offsetof(Hit, attacker)};

/* What depends on being a monster goes when Monster is removed: a death is one removal, and a type
 * added later cannot be forgotten there. */
static const sett_component components_monster[] = {Monster_id};
static const sett_component components_position[] = {Position_id, Place_id};

#define REQUIRES(list) .required = list, .required_count = sizeof list / sizeof list[0]
#define HANDLES(list) .entity_offsets = list, .entity_offset_count = sizeof list / sizeof list[0]

/* Most are on many entities with neighbouring numbers, or come and go: the default, a matrix, suits
 * them. Hits are few, live for a moment and are visited all: packed. */
static const sett_component_desc components[] = {
    {COMPONENT(Map)},
    {COMPONENT(Sector)},
    {COMPONENT(Heights)},
    {COMPONENT(Line)},
    {COMPONENT(Special)},
    {COMPONENT(Thing)},
    {COMPONENT(Position)},
    {COMPONENT(Place)},
    {TAG(Item)},
    {COMPONENT(Body), REQUIRES(components_position)},
    {COMPONENT(Health)},
    {TAG(Monster)},
    {COMPONENT(Walk), REQUIRES(components_monster)},
    {TAG(Flying), REQUIRES(components_monster)},
    {COMPONENT(Target), REQUIRES(components_monster), HANDLES(components_target)},
    {COMPONENT(Cooldown), REQUIRES(components_monster)},
    {COMPONENT(Pain), REQUIRES(components_monster)},
    {COMPONENT(Charge), REQUIRES(components_monster)},
    {TAG(Dying)},
    {COMPONENT(Corpse)},
    {COMPONENT(Velocity), REQUIRES(components_position)},
    {COMPONENT(Missile), HANDLES(components_missile)},
    {COMPONENT(Homing), HANDLES(components_homing)},
    {TAG(Spark)},
    {COMPONENT(Lifetime)},
    {COMPONENT(Hit), HANDLES(components_hit), .storage = SETT_STORAGE_PACKED},
};

_Static_assert(sizeof components / sizeof components[0] == COMPONENT_END - 1,
               "every component has an id and a description");

bool components_register(sett_world* world)
{
    for (size_t i = 0; i < sizeof components / sizeof components[0]; ++i) {
        if (sett_component_register(world, &components[i]) == 0) {
            return false;
        }
    }
    return true;
}
