/* thing_table.h - what a thing's number means: the facts that are published about the game's
 * things.
 *
 * Everything a thing can do follows from its row here; no system asks for a number. Lengths in map
 * units, times in ticks (35 a second). */
#ifndef FREEDOOM_THING_TABLE_H
#define FREEDOOM_THING_TABLE_H

#include "weapon_table.h"

#include <stdbool.h>

typedef enum ThingClass {
    THING_UNKNOWN, /* a number that is not in the table; it still becomes an entity */
    THING_START,   /* where a player or what teleports appears */
    THING_PLAYER,  /* never in a map: comes in at a start */
    THING_MONSTER,
    THING_BARREL, /* explodes when shot */
    THING_ITEM,
    THING_SCENERY,
    THING_MISSILE, /* never in a map: what monsters throw */
    THING_CLASS_COUNT
} ThingClass;

/* What an item is good for. */
typedef enum GiftKind {
    GIFT_NONE,
    GIFT_HEALTH, /* `amount` more, up to `limit` */
    GIFT_ARMOUR, /* `amount` of class `what`, if that is more than now */
    GIFT_ARMOUR_BONUS,
    GIFT_MEGASPHERE, /* the most of health and armour */
    GIFT_AMMO,       /* `amount` rounds of AMMO_* `what` */
    GIFT_WEAPON,     /* WEAPON_* `what`, with `amount` rounds */
    GIFT_BACKPACK,   /* room for twice as many rounds, and some of each */
    GIFT_KEY,        /* KEY_* `what` */
    GIFT_BERSERK,    /* `amount` of health, and a fist to be feared */
    GIFT_INVULNERABLE,
    GIFT_INVISIBLE,
    GIFT_SHIELDED, /* the floor does no harm */
    GIFT_SIGHT,    /* of no use to one who does not look at a screen */
} GiftKind;

typedef struct Gift {
    uint8_t kind, what;
    uint16_t amount; /* of powers: ticks */
    int16_t limit;
} Gift;

enum {
    ARMOUR_GREEN = 1, /* takes a third of the harm */
    ARMOUR_BLUE = 2   /* half of it */
};

/* Cards and skulls open the same doors. */
enum {
    KEY_BLUE = 1,
    KEY_YELLOW = 2,
    KEY_RED = 4
};

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
    Arms arms;
    uint8_t blast;  /* damage of an explosion at its centre; also its radius */
    bool homes;     /* a missile that follows its target */
    bool raises;    /* brings corpses back to life */
    uint16_t drops; /* the number of the item that it leaves behind, or 0 */

    /* Of items. */
    Gift gift;
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
    THING_BFG_BALL,
    THING_PLAYER_ROW,
    THING_LOST_SOUL, /* the one monster that can be born */
};

#define THING_LANDING_NUMBER 14u /* where teleports lead to */

extern const ThingType thing_table[];
extern const uint16_t thing_table_count;

/* Returns the row of a number, 0 if it has none. Cost: O(rows), for use at spawn time. */
uint16_t thing_table_find(uint16_t number);

const char* thing_class_name(ThingClass kind);

#endif
