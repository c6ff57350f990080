/* special_table.h - what a line's number means: the facts that are published about what lines do to
 * the sectors with their tag, when they are pushed or crossed. */
#ifndef FREEDOOM_SPECIAL_TABLE_H
#define FREEDOOM_SPECIAL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum Trigger {
    TRIGGER_NONE,
    TRIGGER_KNOCK, /* walk into it: a door, the sector behind the line, tag or not */
    TRIGGER_PUSH,  /* walk into it: a switch */
    TRIGGER_CROSS, /* walk over it */
} Trigger;

typedef enum Effect {
    EFFECT_DOOR_VISIT, /* opens, waits, closes */
    EFFECT_DOOR_OPEN,
    EFFECT_DOOR_CLOSE,
    EFFECT_DOOR_BREAK,    /* closes, waits, opens */
    EFFECT_LIFT,          /* down to the lowest floor around, waits, comes back */
    EFFECT_FLOOR_LOWEST,  /* to the lowest floor around */
    EFFECT_FLOOR_HIGHEST, /* down to the highest */
    EFFECT_FLOOR_NEAR,    /* almost so far */
    EFFECT_FLOOR_NEXT,    /* up to the next higher one */
    EFFECT_FLOOR_CEILING, /* up to the lowest ceiling */
    EFFECT_FLOOR_UP,      /* up by `height` */
    EFFECT_FLOOR_CRUSH,   /* up, almost so far, and hurts */
    EFFECT_STAIRS,        /* each step higher than the one before by `height` */
    EFFECT_CRUSHER,       /* the ceiling goes down and up, and hurts */
    EFFECT_CRUSHER_STOP,
    EFFECT_LIGHT,    /* to `height` */
    EFFECT_TELEPORT, /* to the landing in the sector */
    EFFECT_EXIT,     /* of humans: to the next map */
} Effect;

typedef struct SpecialType {
    uint8_t trigger, effect;
    bool once;
    bool monsters;  /* they may, too; of teleports: only they */
    uint8_t key;    /* KEY_*, or 0 */
    uint8_t speed;  /* quarters of a map unit a tick */
    uint8_t height; /* map units, or light */
} SpecialType;

/* What a line of this number does; TRIGGER_NONE for what is not modelled. */
const SpecialType* special_find(uint16_t action);

#endif
