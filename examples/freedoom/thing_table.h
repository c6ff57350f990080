/* thing_table.h - what a thing's number means: the facts that are published about the game's
 * things.
 *
 * Everything a thing can do follows from its row here; no system asks for a number. Lengths in map
 * units, times in ticks (35 a second). A roll of damage is `damage` times a number from 1 to
 * `sides`. */
#ifndef FREEDOOM_THING_TABLE_H
#define FREEDOOM_THING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ThingClass {
    THING_UNKNOWN, /* a number that is not in the table; it still becomes an entity */
    THING_START,   /* where a player or what teleports appears */
    THING_MONSTER,
    THING_BARREL, /* explodes when shot */
    THING_ITEM,
    THING_SCENERY,
    THING_MISSILE, /* never in a map: what monsters throw */
    THING_CLASS_COUNT
} ThingClass;

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

typedef struct ThingType {
    uint16_t number; /* in maps; 0 for what is never in a map */
    const char* name;
    ThingClass kind;
    uint32_t colour; /* 0xrrggbb, in pictures */
    int32_t radius, height;

    /* Of what can be shot. */
    int32_t health;
    uint16_t pain_chance; /* of 256 */
    bool flies;

    /* Of what moves. */
    uint8_t speed;      /* units a step; of a missile, a tick */
    uint8_t step_ticks; /* between two steps */

    /* Of what fights. */
    Roll melee; /* no damage: has no close attack; of a missile, its hit */
    AttackStyle attack;
    uint8_t volley;   /* bullets or missiles an attack */
    uint8_t pause;    /* ticks from one attack to the next, at least */
    Roll bullet;      /* of each bullet */
    uint16_t missile; /* THING_* below */
    uint8_t blast;    /* damage of an explosion at its centre; also its radius */
    bool homes;       /* a missile that follows its target */
    bool raises;      /* brings corpses back to life */
    uint16_t drops;   /* the number of the item that it leaves behind, or 0 */
} ThingType;

/* Rows without a number, for ThingType.missile. They come first. */
enum {
    THING_NOTHING, /* row 0: THING_UNKNOWN */
    THING_FIREBALL,
    THING_CACO_BALL,
    THING_BARON_BALL,
    THING_FAT_BALL,
    THING_TRACER,
    THING_PLASMA,
    THING_ROCKET,
    THING_LOST_SOUL, /* the one monster that can be born */
};

extern const ThingType thing_table[];
extern const uint16_t thing_table_count;

/* Returns the row of a number, 0 if it has none. Cost: O(rows), for use at spawn time. */
uint16_t thing_table_find(uint16_t number);

const char* thing_class_name(ThingClass kind);

#endif
