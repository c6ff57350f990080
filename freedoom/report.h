/* report.h - the tables at the end of a run. */
#ifndef FREEDOOM_REPORT_H
#define FREEDOOM_REPORT_H

#include "census.h"
#include "rewind.h"

typedef struct Report {
    const Simulation* sim;
    Census before, after;
    Rewind rewind;
    uint64_t nanoseconds; /* of all ticks together */
    uint64_t hash;        /* of the final state */
} Report;

/* Prints to standard output. */
void report_print(const Report* report);

#endif
