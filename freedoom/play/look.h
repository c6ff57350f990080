/* look.h - how things look: the published names of their sprites, and which frames they show when.
 */
#ifndef FREEDOOM_LOOK_H
#define FREEDOOM_LOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Frames are letters; those of a text are shown in turn. */
typedef struct Look {
    uint16_t number; /* of the thing in maps; 0: see `row` */
    uint16_t row;    /* of thing_table, for what is never in a map */
    char sprite[5];
    const char* idle;
    const char* walk; /* NULL: as idle */
    const char* attack;
    char pain;
    const char* death; /* the last one is the corpse */
    uint8_t hangs;     /* from the ceiling, so many units high; 0: stands on the floor */
    bool bright;
} Look;

/* Returns the look of a row of thing_table, NULL if it is not to be seen. */
const Look* look_find(uint16_t row);

/* Of a spark. */
extern const Look look_puff;

/* The weapon in the player's hands: its sprite, and that of its flash or NULL. */
typedef struct LookWeapon {
    char sprite[5];
    const char* frames; /* at rest the first, then the others after a shot */
    const char* flash;
} LookWeapon;

extern const LookWeapon look_weapons[];

#endif
