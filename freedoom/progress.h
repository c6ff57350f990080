/* progress.h - shows on stderr how far a long job is. */
#ifndef FREEDOOM_PROGRESS_H
#define FREEDOOM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
    const char* label;
    uint64_t total;
    uint64_t started, drawn; /* nanoseconds */
    uint32_t tenths;         /* of the plain one, printed so far */
    bool terminal;           /* a bar that moves, or a line that grows */
} Progress;

Progress progress_begin(const char* label, uint64_t total);

/* Draws at most ten times a second, so that it may be called as often as one likes. */
void progress_show(Progress* progress, uint64_t done);

void progress_end(Progress* progress);

#endif
