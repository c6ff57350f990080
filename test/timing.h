/* timing.h: how long something takes, for tests that print it. */
#ifndef SETT_TEST_TIMING_H
#define SETT_TEST_TIMING_H

#include <stdlib.h>
#include <time.h>

static inline double timing_ms(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline int timing_compare(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

/* The best comes first, then the others up to the slowest. */
static inline void timing_sort(double* times, size_t count)
{
    qsort(times, count, sizeof(times[0]), timing_compare);
}

#endif
