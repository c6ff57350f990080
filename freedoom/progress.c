/* progress.c - see progress.h. */
#include "progress.h"

#include "host.h"

#include <stdio.h>

#define PROGRESS_WIDTH 40u
#define PROGRESS_INTERVAL 100000000u /* ns */

static void progress_draw_bar(Progress* progress, uint64_t done, uint64_t now)
{
    uint64_t filled = done * PROGRESS_WIDTH / progress->total;
    double seconds = (double)(now - progress->started) * 1e-9;
    fprintf(stderr, "\r%s [", progress->label);
    for (uint64_t i = 0; i < PROGRESS_WIDTH; ++i) {
        fputc(i < filled ? '#' : '.', stderr);
    }
    fprintf(stderr, "] %3u %%  %.1f s ", (unsigned)(done * 100 / progress->total), seconds);
    if (done > 0 && done < progress->total) {
        double left = seconds * (double)(progress->total - done) / (double)done;
        fprintf(stderr, "(%.0f s left) ", left);
    } else {
        fprintf(stderr, "             ");
    }
    fflush(stderr);
}

static void progress_draw_tenths(Progress* progress, uint64_t done)
{
    while ((uint64_t)progress->tenths * progress->total <= done * 10) {
        fprintf(stderr, " %u%%", progress->tenths * 10);
        ++progress->tenths;
    }
    fflush(stderr);
}

Progress progress_begin(const char* label, uint64_t total)
{
    Progress progress = {.label = label,
                         .total = total == 0 ? 1 : total,
                         .started = host_nanoseconds(),
                         .terminal = host_is_terminal(stderr)};
    if (!progress.terminal) {
        fprintf(stderr, "%s", label);
    }
    progress_show(&progress, 0);
    return progress;
}

void progress_show(Progress* progress, uint64_t done)
{
    uint64_t now = host_nanoseconds();
    if (!progress->terminal) {
        progress_draw_tenths(progress, done);
    } else if (done == 0 || done == progress->total || now - progress->drawn >= PROGRESS_INTERVAL) {
        progress->drawn = now;
        progress_draw_bar(progress, done, now);
    }
}

void progress_end(Progress* progress)
{
    progress_show(progress, progress->total);
    fputc('\n', stderr);
}
