/* components.c - see components.h. */
#include "components.h"

#include "sett/hierarchy.h"
#include "sett/name.h"

#include <stddef.h>

#define COMPONENT(T) SETT_TYPE(T), .id = T##_id
#define RARE(T) COMPONENT(T), .storage = SETT_STORAGE_SPARSE_SET
#define TAG(T) .name = #T, .id = T##_id

/* Where handles lie, so that the library finds them when worlds are copied or merged. */
static const uint32_t components_target[] = {offsetof(Target, enemy)};
static const uint32_t components_missile[] = {offsetof(Missile, shooter)};
static const uint32_t components_homing[] = {offsetof(Homing, prey)};
static const uint32_t components_start[] = {offsetof(Start, player)};
static const uint32_t components_hit[] = {offsetof(Hit, victim), offsetof(Hit, attacker)};
static const uint32_t components_use[] = {offsetof(Use, line), offsetof(Use, user)};
static const uint32_t components_news[] = {offsetof(News, who), offsetof(News, other)};
static const uint32_t components_facing[] = {offsetof(Facing, attacker)};
static const uint32_t components_pickup[] = {offsetof(Pickup, player)};

/* What depends on being alive goes when Alive is removed: a death is one removal, and a type added
 * later cannot be forgotten there. */
static const sett_component components_alive[] = {Alive_id};
static const sett_component components_monster[] = {Monster_id};
static const sett_component components_player[] = {Player_id};
static const sett_component components_sector[] = {Sector_id, Heights_id, Light_id};
static const sett_component components_position[] = {Position_id, Place_id};

#define REQUIRES(list) .required = list, .required_count = sizeof list / sizeof list[0]
#define HANDLES(list) .entity_offsets = list, .entity_offset_count = sizeof list / sizeof list[0]

/* Most are on many entities with neighbouring numbers, or come and go: the default, an array, suits
 * them. What only a few hundred of all entities have is visited faster when it is sparse-set. */
static const sett_component_desc components[] = {
    {COMPONENT(Map)},
    {COMPONENT(Sector)},
    {COMPONENT(Heights)},
    {COMPONENT(Light)},
    {RARE(Blink), REQUIRES(components_sector)},
    {RARE(Glow), REQUIRES(components_sector)},
    {RARE(Flicker), REQUIRES(components_sector)},
    {RARE(Door), REQUIRES(components_sector)},
    {RARE(Lift), REQUIRES(components_sector)},
    {COMPONENT(Line)},
    {COMPONENT(Special)},
    {COMPONENT(Thing)},
    {COMPONENT(Position)},
    {COMPONENT(Place)},
    {TAG(Item)},
    {RARE(Start), HANDLES(components_start)},
    {COMPONENT(Body), REQUIRES(components_position)},
    {COMPONENT(Health)},
    {TAG(Alive)},
    {TAG(Monster), REQUIRES(components_alive)},
    {COMPONENT(Walk), REQUIRES(components_alive)},
    {TAG(Flying), REQUIRES(components_monster)},
    {COMPONENT(Target), REQUIRES(components_alive), HANDLES(components_target)},
    {COMPONENT(Cooldown), REQUIRES(components_alive)},
    {COMPONENT(Pain), REQUIRES(components_alive)},
    {COMPONENT(Charge), REQUIRES(components_monster)},
    {RARE(Player), REQUIRES(components_alive)},
    {RARE(Pack), REQUIRES(components_player)},
    {RARE(Armour), REQUIRES(components_player)},
    {RARE(Invulnerable), REQUIRES(components_player)},
    {RARE(Invisible), REQUIRES(components_player)},
    {RARE(Shielded), REQUIRES(components_player)},
    {TAG(Dying)},
    {COMPONENT(Corpse)},
    {COMPONENT(Velocity), REQUIRES(components_position)},
    {COMPONENT(Missile), HANDLES(components_missile)},
    {COMPONENT(Homing), HANDLES(components_homing)},
    {TAG(Spark)},
    {COMPONENT(Lifetime)},
    {RARE(Hit), HANDLES(components_hit)},
    {RARE(Use), HANDLES(components_use)},
    {RARE(Pickup), HANDLES(components_pickup)},
    {RARE(News), HANDLES(components_news)},
    {RARE(Game)},
    {RARE(Input), REQUIRES(components_player)},
    {RARE(Facing), HANDLES(components_facing)},
};

_Static_assert(sizeof components / sizeof components[0] == Facing_id,
               "every component has an id and a description");

bool components_register(sett_world* world)
{
    for (size_t i = 0; i < sizeof components / sizeof components[0]; ++i) {
        if (sett_component_register(world, &components[i]) == 0) {
            return false;
        }
    }
    return sett_hierarchy_register(world, NULL) != 0 && sett_name_register(world) != 0;
}
