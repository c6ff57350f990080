/* components.c - see components.h. */
#include "components.h"

#include <string.h>

#include "sett/hierarchy.h"
#include "sett/name.h"

#include <stddef.h>

#define COMPONENT(T) SETT_TYPE(T), .id = T##_id
#define RARE(T) COMPONENT(T), .storage = SETT_STORAGE_SPARSE_SET
#define TAG(T) .name = #T, .id = T##_id

/* What values consist of, for printing, files and other machines. Lengths are shown in map units,
 * speeds in map units a tick. */
#define MEMBERS(T, ...) .members = SETT_STRUCT(T, __VA_ARGS__)
#define LENGTH(m) (m, .scale = 1.0 / FIXED_ONE)
#define TICKS(m) (m, .unit = "ticks")
#define THING(m) (m, .constants = components_things)

#define COMPONENT_THINGS 256

/* The names of all things, from their table: filled in before they are used. */
static sett_constant components_things[COMPONENT_THINGS + 1];

static const sett_constant components_weapons[] = {
    {"fist", 1 << WEAPON_FIST},
    {"chainsaw", 1 << WEAPON_CHAINSAW},
    {"berserk fist", 1 << WEAPON_BERSERK_FIST},
    {"pistol", 1 << WEAPON_PISTOL},
    {"shotgun", 1 << WEAPON_SHOTGUN},
    {"chaingun", 1 << WEAPON_CHAINGUN},
    {"super shotgun", 1 << WEAPON_SUPER_SHOTGUN},
    {"rocket launcher", 1 << WEAPON_ROCKET_LAUNCHER},
    {"plasma rifle", 1 << WEAPON_PLASMA_RIFLE},
    {"bfg", 1 << WEAPON_BFG},
    {NULL, 0},
};

#define COMPONENT_EVENTS                                                                           \
    SETT_CONSTANTS(EVENT_SHOT, EVENT_HIT, EVENT_MISS, EVENT_BLAST, EVENT_DEATH, EVENT_DROP,        \
                   EVENT_BIRTH, EVENT_RISE, EVENT_ENTER, EVENT_PICKUP, EVENT_DOOR, EVENT_LIFT,     \
                   EVENT_STAIRS, EVENT_CRUSHER, EVENT_TELEPORT)

static const char* const components_ammo[AMMO_COUNT] = {"none", "bullets", "shells", "rockets",
                                                        "cells"};
static const char* const components_events[EVENT_COUNT] = {
    "shot",  "hit",    "miss", "blast", "death",  "drop",    "birth",    "rise",
    "enter", "pickup", "door", "lift",  "stairs", "crusher", "teleport",
};

/* What depends on being alive goes when Alive is removed: a death is one removal, and a type added
 * later cannot be forgotten there. */
static const sett_component components_alive[] = {Alive_id};
static const sett_component components_monster[] = {Monster_id};
static const sett_component components_player[] = {Player_id};
static const sett_component components_sector[] = {Sector_id, Heights_id, Light_id};
static const sett_component components_position[] = {Position_id, Place_id};

#define REQUIRES(list) .required = list, .required_count = sizeof list / sizeof list[0]

/* Most are on many entities with neighbouring numbers, or come and go: the default, an array, suits
 * them. What only a few hundred of all entities have is visited faster when it is sparse-set. */
static const sett_component_desc components[] = {
    {COMPONENT(Map), MEMBERS(Map, arena)},
    {COMPONENT(Sector), MEMBERS(Sector, arena, number)},
    {COMPONENT(Heights), MEMBERS(Heights, LENGTH(floor), LENGTH(ceiling))},
    {COMPONENT(Light), MEMBERS(Light, level)},
    {RARE(Blink), MEMBERS(Blink, low, high, TICKS(dark), TICKS(bright), TICKS(left), random),
     REQUIRES(components_sector)},
    {RARE(Glow), MEMBERS(Glow, low, high, rises), REQUIRES(components_sector)},
    {RARE(Flicker), MEMBERS(Flicker, low, high), REQUIRES(components_sector)},
    {RARE(Door),
     MEMBERS(Door, LENGTH(goal), LENGTH(home), LENGTH(speed), TICKS(pause), TICKS(left), returns,
             crushes),
     REQUIRES(components_sector)},
    {RARE(Lift),
     MEMBERS(Lift, LENGTH(goal), LENGTH(home), LENGTH(speed), TICKS(pause), TICKS(left), returns,
             crushes),
     REQUIRES(components_sector)},
    {RARE(Crusher), MEMBERS(Crusher, LENGTH(low), LENGTH(high), LENGTH(speed), rises, slows),
     REQUIRES(components_sector)},
    {COMPONENT(Line), MEMBERS(Line, arena, number)},
    {COMPONENT(Special), MEMBERS(Special, action, tag)},
    {COMPONENT(Thing), MEMBERS(Thing, THING(type))},
    {COMPONENT(Position), MEMBERS(Position, LENGTH(x), LENGTH(y), LENGTH(z))},
    {COMPONENT(Place), MEMBERS(Place, arena, sector)},
    {TAG(Item)},
    {RARE(Start), MEMBERS(Start, player, TICKS(waited))},
    {COMPONENT(Body), MEMBERS(Body, LENGTH(radius), LENGTH(height)), REQUIRES(components_position)},
    {COMPONENT(Health), MEMBERS(Health, points)},
    {TAG(Alive)},
    {TAG(Monster), REQUIRES(components_alive)},
    {COMPONENT(Walk), MEMBERS(Walk, direction, TICKS(wait), steps, bumped),
     REQUIRES(components_alive)},
    {TAG(Flying), REQUIRES(components_monster)},
    {COMPONENT(Target), MEMBERS(Target, enemy, LENGTH(z), patience), REQUIRES(components_alive)},
    {COMPONENT(Cooldown), MEMBERS(Cooldown, TICKS(ticks)), REQUIRES(components_alive)},
    {COMPONENT(Pain), MEMBERS(Pain, TICKS(ticks)), REQUIRES(components_alive)},
    {COMPONENT(Charge), MEMBERS(Charge, TICKS(ticks)), REQUIRES(components_monster)},
    {RARE(Player), MEMBERS(Player, number), REQUIRES(components_alive)},
    {RARE(Pack),
     MEMBERS(Pack, (rounds, .element_names = components_ammo),
             (weapons, .constants = components_weapons, .bits = true),
             (keys, .constants = SETT_CONSTANTS(KEY_BLUE, KEY_YELLOW, KEY_RED), .bits = true),
             backpack),
     REQUIRES(components_player)},
    {RARE(Armour),
     MEMBERS(Armour, points, (kind, .constants = SETT_CONSTANTS(ARMOUR_GREEN, ARMOUR_BLUE))),
     REQUIRES(components_player)},
    {RARE(Invulnerable), MEMBERS(Invulnerable, TICKS(ticks)), REQUIRES(components_player)},
    {RARE(Invisible), MEMBERS(Invisible, TICKS(ticks)), REQUIRES(components_player)},
    {RARE(Shielded), MEMBERS(Shielded, TICKS(ticks)), REQUIRES(components_player)},
    {TAG(Dying)},
    {COMPONENT(Corpse), MEMBERS(Corpse, (since, .unit = "tick"))},
    {COMPONENT(Velocity), MEMBERS(Velocity, LENGTH(x), LENGTH(y), LENGTH(z)),
     REQUIRES(components_position)},
    {COMPONENT(Missile), MEMBERS(Missile, shooter)},
    {COMPONENT(Homing), MEMBERS(Homing, prey)},
    {TAG(Spark)},
    {COMPONENT(Lifetime), MEMBERS(Lifetime, TICKS(ticks))},
    {RARE(Hit), MEMBERS(Hit, victim, attacker, damage)},
    {RARE(Use), MEMBERS(Use, line, user)},
    {RARE(Pickup), MEMBERS(Pickup, player, THING(type))},
    {RARE(News), MEMBERS(News, (event, .constants = COMPONENT_EVENTS), arena, THING(types), who,
                         other, amount)},
    {RARE(Game), MEMBERS(Game, seed, (events, .element_names = components_events), tick)},
    {RARE(Input),
     MEMBERS(
         Input, forward, side,
         (buttons, .constants = SETT_CONSTANTS(INPUT_FIRE, INPUT_USE, INPUT_CROWD), .bits = true),
         weapon, angle),
     REQUIRES(components_player)},
    {RARE(Facing), MEMBERS(Facing, angle, weapon, leaves, attacker, kills, doors, items, exits)},
};

_Static_assert(sizeof components / sizeof components[0] == Facing_id,
               "every component has an id and a description");

/* The names of types of things. Of some that look alike only the first has the name: a name stands
 * for one value. */
static void components_name_things(void)
{
    uint32_t count = 0;
    for (uint16_t i = 0; i < thing_table_count && i < COMPONENT_THINGS; ++i) {
        uint32_t k = 0;
        while (k < count && strcmp(components_things[k].name, thing_table[i].name) != 0) {
            ++k;
        }
        if (k == count) {
            components_things[count++] = (sett_constant){thing_table[i].name, i};
        }
    }
}

bool components_register(sett_world* world)
{
    components_name_things();
    for (size_t i = 0; i < sizeof components / sizeof components[0]; ++i) {
        if (sett_component_register(world, &components[i]) == 0) {
            return false;
        }
    }
    return sett_hierarchy_register(world, NULL) != 0 && sett_name_register(world) != 0;
}
