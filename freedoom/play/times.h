/* times.h - how long frames take, and what the slowest of them did. */
#ifndef FREEDOOM_TIMES_H
#define FREEDOOM_TIMES_H

#include "game.h"

#define TIMES_FRAMES 100000u

typedef enum TimesPart {
    TIMES_ALL,
    TIMES_PLAYING, /* ticks, snapshots */
    TIMES_DRAWING, /* the picture */
    TIMES_SHOWING, /* it goes to the window */
    TIMES_WORKING, /* by the processor, in all threads: less, where others use the machine */
    TIMES_PARTS,
} TimesPart;

typedef struct TimesFrame {
    float parts[TIMES_PARTS]; /* ms */
    float system;             /* ms that the slowest system took, all of its jobs together */
    uint32_t slowest;         /* its number */
    uint32_t tick;
} TimesFrame;

typedef struct Times {
    TimesFrame* frames;                     /* the last ones */
    float* sorted;                          /* one part of each */
    uint32_t count;                         /* since times_clear */
    uint64_t worked;                        /* ns until the last frame */
    uint64_t spent[SIMULATION_SYSTEMS_MAX]; /* ns by each system until the last frame */
} Times;

bool times_init(Times* times);
void times_deinit(Times* times);

/* Forgets all frames. */
void times_clear(Times* times);

/* A frame has been played, drawn and shown, all of it in so many ns. */
void times_note(Times* times, const Play* play, uint64_t all);

/* Prints the median, the 99th percentile and the worst of each part; and what the slowest frames
 * did. */
void times_print(Times* times, const Simulation* sim, const char* what);

#endif
