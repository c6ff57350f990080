/* meter.h: bytes and calls that go to the C library's allocator, from any code. */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meter_reading {
    size_t peak;        /* bytes alive at most */
    size_t live;        /* bytes alive now */
    size_t allocations; /* calls that returned new memory */
} meter_reading;

/* Whether this C library can be metered at all: glibc can. */
bool meter_works(void);

/* Counts from zero; between begin and end all threads are counted together. */
void meter_begin(void);
meter_reading meter_end(void);

/* Memory that is not counted, and gives itself back only by meter_outside_free. */
void* meter_outside_alloc(size_t size);
void meter_outside_free(void* memory);

/* Makes every scene begin alike: unused memory goes back to the system, so that each pays
 * for its own page faults and none for what the one before it left; and the system has `size` bytes
 * that the machine really holds. Hypervisors take memory back that was free for seconds: the first
 * touch after that costs up to 40 times as much, above all of huge pages. */
void meter_settle(size_t size);

/* Bytes of memory that the machine has; 0 if that is not known. */
size_t meter_machine(void);

#ifdef __cplusplus
}
#endif

#endif
