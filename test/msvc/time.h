/* See assert.h. */
#pragma once
#define TIME_UTC 1
typedef long long time_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
time_t time(time_t* out);
int timespec_get(struct timespec* out, int base);
