/* components.h - every type of data in the world, and nothing else. Read this file first.
 *
 * What an entity is follows from what it has:
 *
 *     map          Map
 *     sector       Sector, Heights                      + Special if it does something
 *     linedef      Line                                 + Special if it does something
 *     any thing    Thing, Position, Place
 *       solid      + Body                               columns, barrels, monsters
 *       item       + Item
 *       barrel     + Body, Health
 *       monster    + Body, Health, Monster, Walk        + Flying if it needs no floor
 *                                                       + Target while it has an enemy
 *                                                       + Cooldown after an attack
 *                                                       + Pain while it cannot act
 *                                                       + Charge, Velocity while it throws itself
 *       dying      + Dying                              for the part of a tick until it is dealt
 *       with
 *       corpse     Thing, Position, Place, Corpse
 *     missile      Thing, Position, Place, Velocity, Missile    + Homing if it follows somebody
 *     spark        Position, Place, Spark, Lifetime     where a bullet hit
 *     hit          Hit                                  a message, until it is dealt with
 *
 * So a monster that dies is not flagged as dead: it loses what made it a monster, and from then on
 * no system for monsters sees it. Names and types go together: the id of T is T_id, as the typed
 * macros of sett.h expect. */
#ifndef FREEDOOM_COMPONENTS_H
#define FREEDOOM_COMPONENTS_H

#include "fixed.h"
#include "level.h"

#include "sett/sett.h"

typedef enum ComponentId {
    Map_id = 1,
    Sector_id,
    Heights_id,
    Line_id,
    Special_id,
    Thing_id,
    Position_id,
    Place_id,
    Item_id,
    Body_id,
    Health_id,
    Monster_id,
    Walk_id,
    Flying_id,
    Target_id,
    Cooldown_id,
    Pain_id,
    Charge_id,
    Dying_id,
    Corpse_id,
    Velocity_id,
    Missile_id,
    Homing_id,
    Spark_id,
    Lifetime_id,
    Hit_id,
    COMPONENT_END
} ComponentId;

/* --- the building ----------------------------------------------------------------------------- */

typedef struct Map {
    uint32_t arena; /* its place in Simulation.arenas */
} Map;

typedef struct Sector {
    uint16_t arena, number;
} Sector;

/* Where floor and ceiling are. The one fact about the building that can change. */
typedef LevelHeights Heights;

typedef struct Line {
    uint16_t arena, number;
} Line;

/* What a line or a sector does, and to the sectors with which tag. */
typedef struct Special {
    uint16_t action, tag;
} Special;

/* --- things ----------------------------------------------------------------------------------- */

typedef struct Thing {
    uint16_t type; /* row of thing_table */
} Thing;

typedef struct Position {
    Fixed x, y, z; /* z is that of the feet */
} Position;

/* On which map, and in which sector of it. */
typedef struct Place {
    uint16_t arena, sector;
} Place;

/* Takes up room and stops others. */
typedef struct Body {
    Fixed radius, height;
} Body;

typedef struct Health {
    int32_t points;
} Health;

/* Item, Monster, Flying, Dying and Spark are tags. */

/* --- what monsters are about ------------------------------------------------------------------ */

typedef struct Walk {
    uint8_t direction; /* 0 is east, 1 north-east, ... 7 south-east */
    uint8_t wait;      /* ticks to the next step */
    uint8_t steps;     /* left to go in this direction */
    uint8_t bumped;    /* 1: something was in the way of the last one */
} Walk;

typedef struct Target {
    sett_entity enemy;
    Fixed z;           /* of the enemy's feet when this tick began to decide */
    uint32_t patience; /* looks left before it is forgotten, if it stays out of sight */
} Target;

typedef struct Cooldown {
    uint16_t ticks;
} Cooldown;

typedef struct Pain {
    uint16_t ticks;
} Pain;

/* A lost soul on its way: it goes by its Velocity, not by its Walk. */
typedef struct Charge {
    uint16_t ticks; /* until it gives up */
} Charge;

typedef struct Corpse {
    uint32_t since; /* tick */
} Corpse;

/* --- what is in the air ----------------------------------------------------------------------- */

typedef struct Velocity {
    Fixed x, y, z; /* a tick */
} Velocity;

typedef struct Missile {
    sett_entity shooter;
} Missile;

typedef struct Homing {
    sett_entity prey;
} Homing;

typedef struct Lifetime {
    uint16_t ticks;
} Lifetime;

/* "You were hit." An entity of its own, so that any number of hits can meet one victim in one
 * tick. */
typedef struct Hit {
    sett_entity victim, attacker;
    int32_t damage;
} Hit;

/* Registers all of them. Returns false when memory runs out. */
bool components_register(sett_world* world);

#endif
