/* components.h - every type of data in the world, and nothing else. Read this file first.
 *
 * What an entity is follows from what it has:
 *
 *     map          Map
 *     sector       Sector, Heights, Light             + Special if it does something
 *                                                     + Blink, Glow or Flicker if its light changes
 *                                                     + Door while its ceiling moves
 *                                                     + Lift while its floor does
 *                                                     + Crusher while its ceiling goes up
 *                                                       and down
 *     linedef      Line                               + Special if it does something
 *     any thing    Thing, Position, Place
 *       solid      + Body                             columns, barrels, monsters, players
 *       item       + Item
 *       start      + Start                            where a player comes in
 *       barrel     + Body, Health
 *       fighter    + Body, Health, Alive, Walk        + Target while it has an enemy
 *                                                     + Cooldown after an attack
 *                                                     + Pain while it cannot act
 *         monster  + Monster                          + Flying if it needs no floor
 *                                                     + Charge, Velocity while it throws itself
 *         player   + Player, Pack, Armour             + Invulnerable, Invisible, Shielded at
 *                                                       times
 *           human  + Input, Facing, Velocity, no Walk   a human player
 *       dying      + Dying                            until the end of the tick
 *       corpse     Thing, Position, Place, Corpse
 *     missile      Thing, Position, Place, Velocity, Missile    + Homing if it follows a body
 *     spark        Position, Place, Spark, Lifetime   where a bullet hit
 *     message      Hit, Use, Pickup or News           until it is dealt with
 *     the game     Game                               what is true of the world as a whole
 *
 * Sectors, lines and things stand below their map (Hierarchy); maps have a name, and sectors that
 * can move.
 *
 * So a monster that dies is not flagged as dead: it loses what made it alive, and from then on no
 * system for the living sees it. A door that is shut is not flagged as resting: it has no Door.
 *
 * Each type says what its values consist of (components.c), for printing, files and other machines.
 * Names and types go together: the id of T is
 * T_id, as the typed macros of typed.h expect. */
#ifndef FREEDOOM_COMPONENTS_H
#define FREEDOOM_COMPONENTS_H

#include "fixed.h"
#include "level.h"
#include "thing_table.h"

#include "sett/sett.h"

typedef enum ComponentId {
    Map_id = 1,
    Sector_id,
    Heights_id,
    Light_id,
    Blink_id,
    Glow_id,
    Flicker_id,
    Door_id,
    Lift_id,
    Crusher_id,
    Line_id,
    Special_id,
    Thing_id,
    Position_id,
    Place_id,
    Item_id,
    Start_id,
    Body_id,
    Health_id,
    Alive_id,
    Monster_id,
    Walk_id,
    Flying_id,
    Target_id,
    Cooldown_id,
    Pain_id,
    Charge_id,
    Player_id,
    Pack_id,
    Armour_id,
    Invulnerable_id,
    Invisible_id,
    Shielded_id,
    Dying_id,
    Corpse_id,
    Velocity_id,
    Missile_id,
    Homing_id,
    Spark_id,
    Lifetime_id,
    Hit_id,
    Use_id,
    Pickup_id,
    News_id,
    Game_id,
    Input_id,
    Facing_id,
    COMPONENT_END
} ComponentId;

/* --- the building ----------------------------------------------------------------------------- */

typedef struct Map {
    uint32_t arena; /* its place in Simulation.arenas */
} Map;

typedef struct Sector {
    uint16_t arena, number;
} Sector;

/* Where floor and ceiling are. */
typedef LevelHeights Heights;

typedef struct Light {
    uint8_t level; /* 0 is dark */
} Light;

/* Two levels of light in turn, each for its time. */
typedef struct Blink {
    uint8_t low, high;
    uint8_t dark, bright; /* ticks */
    uint8_t left;         /* ticks to the next change */
    bool random;          /* the times are the longest ones */
} Blink;

/* Up and down without a rest. */
typedef struct Glow {
    uint8_t low, high;
    bool rises;
} Glow;

/* As of a fire. */
typedef struct Flicker {
    uint8_t low, high;
} Flicker;

/* A ceiling or a floor on its way. When it has arrived, waited, and been back if it returns, the
 * component goes: what rests costs nothing. */
typedef struct Mover {
    Fixed goal;     /* height */
    Fixed home;     /* where it returns to */
    Fixed speed;    /* a tick */
    uint16_t pause; /* ticks at the goal before it returns */
    uint16_t left;  /* of them; 0 while it moves */
    uint16_t returns;
    uint16_t crushes; /* what is in the way is hurt, and does not stop it */
} Mover;

typedef Mover Door; /* moves the ceiling */
typedef Mover Lift; /* moves the floor, and what stands on it */

/* A ceiling that goes up and down until a line stops it. */
typedef struct Crusher {
    Fixed low, high; /* heights */
    Fixed speed;     /* a tick */
    uint16_t rises;
    uint16_t slows; /* while it crushes */
} Crusher;

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

typedef struct Start {
    sett_entity player; /* who came in here last */
    uint32_t waited;    /* ticks since his death */
} Start;

/* Item, Alive, Monster, Flying, Dying and Spark are tags. */

/* --- what the living are about ---------------------------------------------------------------- */

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

/* Removes itself when it has run down. */
typedef struct Clock {
    uint16_t ticks;
} Clock;

typedef Clock Cooldown;
typedef Clock Pain;

/* A lost soul on its way: it goes by its Velocity, not by its Walk. */
typedef struct Charge {
    uint16_t ticks; /* until it gives up */
} Charge;

#define COMPONENT_PLAYERS 4u /* on each map */

typedef struct Player {
    uint8_t number; /* from 1 */
} Player;

typedef struct Pack {
    uint16_t rounds[AMMO_COUNT];
    uint16_t weapons; /* bits 1 << WEAPON_* */
    uint8_t keys;     /* KEY_* */
    bool backpack;
} Pack;

typedef struct Armour {
    uint16_t points;
    uint16_t kind; /* ARMOUR_*, or 0 */
} Armour;

typedef Clock Invulnerable;
typedef Clock Invisible;
typedef Clock Shielded; /* from what burns on the floor */

/* What a human at a keyboard wants in this tick. Who has it decides nothing by himself: no Walk, no
 * Target. It comes from outside, before the tick. */
typedef struct Input {
    int8_t forward, side; /* 127: as fast as can be; side is to the right */
    uint8_t buttons;      /* INPUT_* */
    uint8_t weapon;       /* 1 + WEAPON_* to change to, or 0 */
    uint16_t angle;       /* where to look: 65,536 are a full turn, 0 is east */
} Input;

enum {
    INPUT_FIRE = 1,
    INPUT_USE = 2,
    INPUT_CROWD = 4, /* once more as many monsters as there are */
};

/* Where a human looks, with what in his hands; he moves by Velocity. His corpse keeps it. */
typedef struct Facing {
    uint16_t angle;
    uint8_t weapon;                      /* 1 + WEAPON_*; 0: the best he has */
    uint8_t leaves;                      /* 1: went through the map's exit */
    sett_entity attacker;                /* who hurt him last */
    uint16_t kills, doors, items, exits; /* his own */
} Facing;

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

typedef Clock Lifetime;

/* --- messages --------------------------------------------------------------------------------- */

/* "You were hit." An entity of its own, so that any number of hits can meet one victim in one
 * tick. */
typedef struct Hit {
    sett_entity victim, attacker;
    int32_t damage;
} Hit;

/* "You were pushed", or crossed. */
typedef struct Use {
    sett_entity line, user;
} Use;

/* "This is yours." The item itself is gone already. */
typedef struct Pickup {
    sett_entity player;
    uint32_t type; /* row of thing_table */
} Pickup;

/* What the world's history is made of. */
typedef enum Event {
    EVENT_SHOT,  /* fired bullets, threw a missile, bit, charged */
    EVENT_HIT,   /* a body lost health */
    EVENT_MISS,  /* a bullet or missile met the building */
    EVENT_BLAST, /* something exploded */
    EVENT_DEATH,
    EVENT_DROP,  /* left an item behind */
    EVENT_BIRTH, /* a lost soul came out of a pain elemental */
    EVENT_RISE,  /* a corpse was brought back to life */
    EVENT_ENTER, /* a player came in at a start, again */
    EVENT_PICKUP,
    EVENT_DOOR, /* a ceiling was set in motion */
    EVENT_LIFT, /* a floor was */
    EVENT_STAIRS,
    EVENT_CRUSHER, /* began to go up and down */
    EVENT_TELEPORT,
    EVENT_COUNT
} Event;

/* "This happened." To be counted, and printed with --trace. */
typedef struct News {
    uint16_t event, arena;
    uint16_t types[2]; /* of the entities, rows of thing_table: they may be gone when it is read */
    sett_entity who, other;
    int32_t amount;
} News;

/* --- the game --------------------------------------------------------------------------------- */

typedef struct Game {
    uint64_t seed;
    uint64_t events[EVENT_COUNT]; /* so many there were */
    uint64_t tick;
} Game;

/* Registers all of them. Returns false when memory runs out. */
bool components_register(sett_world* world);

#endif
