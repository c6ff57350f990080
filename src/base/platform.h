/* platform.h: the interface to the operating system, or to the program's own functions
 * (sett/platform.h). No other part depends on the system. */
#ifndef SETTI_PLATFORM_H
#define SETTI_PLATFORM_H

#include "base/lock.h"
#include "sett/file.h"

#define SETTI_HUGE_PAGE ((size_t)2 << 20)

/* The default allocator of a world: aligned memory of the C library. */
void* setti_platform_alloc(void* user, size_t size, size_t align);

/* Allocates zeroes that cost nothing until they are touched. Returns NULL if the system has no such
 * memory. The caller then clears memory of setti_platform_alloc. */
void* setti_platform_alloc_zero(void* user, size_t size, size_t align);
void setti_platform_free(void* user, void* ptr, size_t size, size_t align);

/* Reads a monotonic clock, in nanoseconds. */
uint64_t setti_platform_now(void);

void setti_platform_sleep(uint64_t nanoseconds);

/* Writes to stderr. If possible, uses no buffer and no lock. */
void setti_platform_print(const char* text, size_t size);

uint32_t setti_platform_cores(void);

/* Returns a number that identifies the calling thread among the running threads. */
uintptr_t setti_platform_thread(void);

/* Writes the return addresses of the calling functions, innermost first. Returns the number of
 * addresses, or 0 if the system does not know the addresses. */
uint32_t setti_platform_callers(void** out, uint32_t capacity);

/* Whether `variable` was a local variable of a function that has returned. Returns false if this is
 * unknown. */
bool setti_platform_has_returned(const void* variable);

/* A mutex with one condition. */
typedef struct setti_gate {
    uint64_t opaque[18];
} setti_gate;

bool setti_gate_init(setti_gate* gate);
void setti_gate_deinit(setti_gate* gate);
void setti_gate_lock(setti_gate* gate);
void setti_gate_unlock(setti_gate* gate);

/* Unlocks the gate, waits for setti_gate_wake, and locks the gate again. May return earlier. */
void setti_gate_wait(setti_gate* gate);
/* Wakes all waiting threads. */
void setti_gate_wake(setti_gate* gate);

/* A thread. It must not be moved between start and join. */
typedef struct setti_thread {
    void (*body)(void* user);
    void* user;
    uint64_t opaque[2];
} setti_thread;

/* Starts a thread that calls `body`. Returns false on failure. */
bool setti_thread_start(setti_thread* thread);
void setti_thread_join(setti_thread* thread);

const sett_files* setti_platform_files(void);

/* Returns the default allocator if `allocator` is NULL or has no functions. Otherwise returns
 * *allocator. */
static inline sett_allocator setti_allocator_or_default(const sett_allocator* allocator)
{
    sett_allocator chosen = {.alloc_fn = setti_platform_alloc,
                             .free_fn = setti_platform_free,
                             .zero_fn = setti_platform_alloc_zero};
    if (allocator != NULL && allocator->alloc_fn != NULL) {
        chosen = *allocator;
    }
    return chosen;
}

#endif
