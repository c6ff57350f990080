/* platform.h: the interface to the operating system, or to the program's own functions
 * (sett/platform.h). No other part depends on the system. */
#ifndef SETTI_PLATFORM_H
#define SETTI_PLATFORM_H

#include "base/lock.h"
#include "sett/file.h"

/* The size of a huge page. */
#define SETTI_HUGE_PAGE ((size_t)2 << 20)

/* The default allocator of a world: aligned memory of the C library. Memory aligned to
 * SETTI_HUGE_PAGE is offered to the system for huge pages. */
void* setti_platform_alloc(void* user, size_t size, size_t align);

/* Allocates zeroes; the system provides the memory when it is touched. Returns NULL when memory
 * runs out, and on systems without such zeroes. */
void* setti_platform_alloc_zero(void* user, size_t size, size_t align);
void setti_platform_free(void* user, void* ptr, size_t size, size_t align);

/* Nanoseconds of a monotonic clock. */
uint64_t setti_platform_now(void);

/* Lets the calling thread sleep for at least `nanoseconds`, if the system can. */
void setti_platform_sleep(uint64_t nanoseconds);

/* Writes to stderr, without the C library's buffer and lock if the system allows. */
void setti_platform_print(const char* text, size_t size);

/* The number of processors. */
uint32_t setti_platform_cores(void);

/* A number of the calling thread, unique among running threads. */
uintptr_t setti_platform_thread(void);

/* Writes at most `capacity` return addresses of the calling functions, innermost first. Returns the
 * number written, 0 if the system does not provide addresses. */
uint32_t setti_platform_callers(void** out, uint32_t capacity);

/* Whether a local variable is dead: the address lies in the unused part of the calling thread's
 * stack. False for other addresses, and if the stack's limits are unknown. */
bool setti_platform_has_returned(const void* variable);

/* A mutex with one condition. */
typedef struct setti_gate {
    uint64_t opaque[18];
} setti_gate;

bool setti_gate_init(setti_gate* gate);
void setti_gate_deinit(setti_gate* gate);
void setti_gate_lock(setti_gate* gate);
void setti_gate_unlock(setti_gate* gate);

/* Waits for setti_gate_wake; may return earlier. The gate must be locked; it is unlocked only while
 * waiting. */
void setti_gate_wait(setti_gate* gate);
/* Wakes all waiting threads. */
void setti_gate_wake(setti_gate* gate);

/* A thread. Must not be moved between start and join. */
typedef struct setti_thread {
    void (*body)(void* user);
    void* user;
    uint64_t opaque[2];
} setti_thread;

/* Starts a thread; `body` and `user` are set. Returns false if no thread can be started. */
bool setti_thread_start(setti_thread* thread);
void setti_thread_join(setti_thread* thread);

const sett_files* setti_platform_files(void);

/* Returns the given allocator, or the system's if `allocator` is NULL. */
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
