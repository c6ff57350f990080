/* stage.h - a map made ready to be drawn: what its walls, floors and ceilings show. */
#ifndef FREEDOOM_STAGE_H
#define FREEDOOM_STAGE_H

#include "art.h"
#include "level.h"
#include "look.h"

#define STAGE_LOOKS 256u /* rows of thing_table, and the puff as the last one */

typedef struct StageSide {
    uint16_t upper, lower, middle; /* textures or ART_NONE */
} StageSide;

typedef struct StageSector {
    uint16_t floor, ceiling; /* flats */
} StageSector;

typedef struct Stage {
    const Level* level;
    Art* art;
    StageSide* sides;
    StageSector* sectors;
    const Look* looks[STAGE_LOOKS];
    const ArtSprite* sprites[STAGE_LOOKS]; /* by row of thing_table; NULL: not to be seen */
    uint16_t sky;                          /* the texture */
    uint16_t sky_flat;                     /* a ceiling with this flat is the sky */
} Stage;

/* Looks up all names. Both `level` and `art` must outlive the stage. */
bool stage_open(Stage* stage, const Level* level, Art* art, Fault* fault);
void stage_close(Stage* stage);

#endif
