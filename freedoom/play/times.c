/* times.c - see times.h. */
#include "times.h"

#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#define TIMES_SLOW 16.7f /* ms: 60 frames a second leave no more for one */
#define TIMES_SLOWEST 5u /* so many slow frames are explained in words */

bool times_init(Times* times)
{
    *times = (Times){.frames = calloc(TIMES_FRAMES, sizeof *times->frames),
                     .sorted = calloc(TIMES_FRAMES, sizeof *times->sorted)};
    return times->frames != NULL && times->sorted != NULL;
}

void times_deinit(Times* times)
{
    free(times->frames);
    free(times->sorted);
}

void times_clear(Times* times)
{
    times->count = 0;
}

static void times_note_systems(Times* times, TimesFrame* frame, const Simulation* sim)
{
    for (uint32_t n = 0; n < simulation_system_count(); ++n) {
        sett_system_stats stats;
        sett_system_stats_get(sim->systems[n], &stats);
        float time = (float)(stats.time_total - times->spent[n]) * 1e-6f;
        times->spent[n] = stats.time_total;
        if (time > frame->system) {
            frame->system = time;
            frame->slowest = n;
        }
    }
}

void times_note(Times* times, const Play* play, uint64_t all)
{
    TimesFrame* frame = &times->frames[times->count++ % TIMES_FRAMES];
    uint64_t worked = host_worked();
    *frame =
        (TimesFrame){.parts = {[TIMES_ALL] = (float)all * 1e-6f,
                               [TIMES_PLAYING] = (float)play->played * 1e-6f,
                               [TIMES_DRAWING] = (float)play->drawn * 1e-6f,
                               [TIMES_SHOWING] = (float)(all - play->played - play->drawn) * 1e-6f,
                               [TIMES_WORKING] = (float)(worked - times->worked) * 1e-6f},
                     .tick = play->sim->dice.tick};
    times->worked = worked;
    times_note_systems(times, frame, play->sim);
}

static int times_compare(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

/* Sorts one part of all frames; returns how many there are. */
static uint32_t times_sort(Times* times, TimesPart part)
{
    uint32_t count = times->count < TIMES_FRAMES ? times->count : TIMES_FRAMES;
    for (uint32_t i = 0; i < count; ++i) {
        times->sorted[i] = times->frames[i].parts[part];
    }
    qsort(times->sorted, count, sizeof *times->sorted, times_compare);
    return count;
}

static void times_print_part(Times* times, TimesPart part, const char* name)
{
    uint32_t n = times_sort(times, part);
    printf("%-12s%lu frames: median %.2f ms, 99 %% within %.2f ms, worst %.2f ms\n", name,
           (unsigned long)n, (double)times->sorted[n / 2],
           (double)times->sorted[(uint64_t)n * 99 / 100], (double)times->sorted[n - 1]);
}

static void times_print_slow(Times* times, const Simulation* sim)
{
    uint32_t count = times_sort(times, TIMES_ALL);
    float least = times->sorted[count > TIMES_SLOWEST ? count - TIMES_SLOWEST : 0];
    for (uint32_t i = 0; i < count; ++i) {
        const TimesFrame* frame = &times->frames[i];
        const float* parts = frame->parts;
        if (parts[TIMES_ALL] >= least && parts[TIMES_ALL] > TIMES_SLOW) {
            printf("  slow      tick %lu: %.2f ms: playing %.2f (%s %.2f), drawing %.2f, showing "
                   "%.2f, working %.2f\n",
                   (unsigned long)frame->tick, (double)parts[TIMES_ALL],
                   (double)parts[TIMES_PLAYING], sett_system_name(sim->systems[frame->slowest]),
                   (double)frame->system, (double)parts[TIMES_DRAWING],
                   (double)parts[TIMES_SHOWING], (double)parts[TIMES_WORKING]);
        }
    }
}

void times_print(Times* times, const Simulation* sim, const char* what)
{
    if (times->count != 0) {
        times_print_part(times, TIMES_ALL, what);
        times_print_part(times, TIMES_PLAYING, "  playing");
        times_print_part(times, TIMES_DRAWING, "  drawing");
        times_print_part(times, TIMES_WORKING, "  working");
        times_print_slow(times, sim);
    }
}
