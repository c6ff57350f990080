/* demo.h - a session without anybody at the keyboard: it plays, looks at the map, goes back, and
 * plays on, the same each time. */
#ifndef FREEDOOM_DEMO_H
#define FREEDOOM_DEMO_H

#include "game.h"

#define DEMO_SECONDS (1.0f / 60.0f) /* that each frame lasts, however long it takes */

/* The script, in frames of a sixtieth of a second. */
enum {
    DEMO_BACK = 520,
    DEMO_BACK_END = 610,
    DEMO_MAP = 1500,
    DEMO_MAP_END = 1680,
    DEMO_BACK_AGAIN = 3000,
    DEMO_BACK_AGAIN_END = 3060,
    DEMO_COSTS = 3100,
    DEMO_END = 4200,
};

typedef struct Demo {
    uint32_t frame, frames; /* and how many there will be */
    uint16_t* from;         /* by cell of the grid for the way: where one came from */
    uint32_t* queue;
    Fixed* floors;     /* by cell, of those in the queue */
    uint8_t* goals;    /* by cell: 1 where something is to be had */
    uint8_t* visited;  /* by cell: 1 where he has gone for it */
    uint32_t way[512]; /* cells, the last one first */
    uint32_t way_count;
    uint32_t arena, planned; /* the way's map, and the frame in which it was found */
    uint32_t stuck, lost;    /* frames without moving; frames left to walk anywhere */
    Position last;
    uint32_t pictures; /* bits: which were written */
} Demo;

bool demo_init(Demo* demo, uint32_t frames);
void demo_deinit(Demo* demo);

/* What is pressed in the next frame. */
GameControls demo_controls(Demo* demo, const Play* play);

#endif
