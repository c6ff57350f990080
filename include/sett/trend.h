/* trend.h: statistics over time: each of the last 60 seconds, and each of the last 60 minutes.
 *
 *     static sett_trend trend;                   about 7 KB; there is no other memory
 *     while (playing) {
 *         float dt = sett_frame_wait(&clock, 60);
 *         sett_progress(world, dt);
 *         sett_trend_add(&trend, world, dt);
 *     }
 *     const sett_span* last = sett_trend_second(&trend, 0);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TREND_H
#define SETT_TREND_H

#include "sett/core.h"

/* The seconds, and the minutes, of a trend. */
#define SETT_TREND_SPANS 60

/* Some frames, which together took a second, or a minute. */
typedef struct sett_span {
    double time;          /* seconds: at least 1, or 60 */
    float dt_min;         /* seconds of the shortest frame, */
    float dt_max;         /* and of the longest */
    uint32_t frames;      /* their number */
    uint32_t entities;    /* alive at the end */
    uint64_t values;      /* components of all entities at the end */
    uint64_t block_size;  /* bytes held from the allocator at the end */
    uint64_t allocations; /* calls of the allocator meanwhile */
} sett_span;

/* All zeroes at first. The members are for the library: use the functions below. */
typedef struct sett_trend {
    sett_span seconds[SETT_TREND_SPANS + 1];
    sett_span minutes[SETT_TREND_SPANS + 1];
    uint64_t second_count; /* complete ones */
    uint64_t minute_count;
    uint64_t allocations; /* of the world, at the end of the last second */
} sett_trend;

/* Adds a frame.
 *   dt  seconds that it took
 * Cost: a few ns; once a second that of sett_world_stats. Threads: writer. Since: 0.2 */
SETT_API void sett_trend_add(sett_trend* trend, const sett_world* world, float dt);

/* Returns a complete second, or minute; NULL if there is none.
 *   ago  0: the last one, 1: the one before it, up to 59
 * Valid until the next sett_trend_add.
 * Cost: O(1). Threads: reader, of the same trend. Since: 0.2 */
SETT_API const sett_span* sett_trend_second(const sett_trend* trend, uint32_t ago);
SETT_API const sett_span* sett_trend_minute(const sett_trend* trend, uint32_t ago);

#endif
