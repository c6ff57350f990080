/* weapon_table.h - ways to fight, of monsters and of players, and what players fight with.
 *
 * Times in ticks (35 a second). A roll of damage is `damage` times a number from 1 to `sides`. */
#ifndef FREEDOOM_WEAPON_TABLE_H
#define FREEDOOM_WEAPON_TABLE_H

#include <stdint.h>

typedef enum AttackStyle {
    ATTACK_NONE,
    ATTACK_BULLETS, /* hits at once, first thing in the way */
    ATTACK_MISSILE, /* throws `missile` */
    ATTACK_CHARGE,  /* throws itself */
    ATTACK_FLAMES,  /* hits what it sees, and all around */
    ATTACK_SPAWN,   /* gives birth to `missile` */
} AttackStyle;

typedef struct Roll {
    uint8_t damage, sides;
} Roll;

/* How something fights. */
typedef struct Arms {
    Roll melee; /* no damage: has no close attack; of a missile, its hit */
    AttackStyle attack;
    uint8_t volley;   /* bullets or missiles an attack */
    uint8_t pause;    /* ticks from one attack to the next, at least */
    Roll bullet;      /* of each bullet */
    uint16_t missile; /* row of thing_table */
    uint8_t blast;    /* of flames: as of ThingType */
} Arms;

typedef enum Ammo {
    AMMO_NONE,
    AMMO_BULLETS,
    AMMO_SHELLS,
    AMMO_ROCKETS,
    AMMO_CELLS,
    AMMO_COUNT
} Ammo;

/* Rows of weapon_table; the farther down, the more they are feared. */
typedef enum Weapon {
    WEAPON_FIST,
    WEAPON_CHAINSAW,
    WEAPON_BERSERK_FIST,
    WEAPON_PISTOL,
    WEAPON_SHOTGUN,
    WEAPON_CHAINGUN,
    WEAPON_SUPER_SHOTGUN,
    WEAPON_ROCKET_LAUNCHER,
    WEAPON_PLASMA_RIFLE,
    WEAPON_BFG,
    WEAPON_COUNT
} Weapon;

typedef struct WeaponType {
    const char* name;
    Arms arms;
    Ammo ammo;
    uint8_t rounds;    /* an attack */
    uint16_t distance; /* map units from the enemy, at least: it would hurt its owner */
} WeaponType;

extern const WeaponType weapon_table[WEAPON_COUNT];

/* Rounds that a player carries at most, and half of what he carries with a backpack. */
extern const uint16_t weapon_ammo_limits[AMMO_COUNT];

#endif
