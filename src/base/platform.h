/* platform.h: the only part that depends on the operating system, or on the functions that the
 * program puts in its place (sett/platform.h). */
#ifndef SETTI_PLATFORM_H
#define SETTI_PLATFORM_H

#include "base/lock.h"
#include "sett/file.h"

/* Blocks of this size and alignment can be one huge page on the systems that have them. */
#define SETTI_HUGE_PAGE ((size_t)2 << 20)

/* The allocator used when a world is given none: the C library's, aligned. Memory aligned to
 * SETTI_HUGE_PAGE is offered to the system for huge pages. */
void* setti_platform_alloc(void* user, size_t size, size_t align);

/* Like setti_platform_alloc, of zeroes that the system does not back with memory before they are
 * touched; NULL: it cannot, or memory ran out. */
void* setti_platform_alloc_zero(void* user, size_t size, size_t align);
void setti_platform_free(void* user, void* ptr, size_t size, size_t align);

/* Nanoseconds of a monotonic clock. */
uint64_t setti_platform_now(void);

/* Lets the calling thread sleep for at least this many nanoseconds, where the system can. */
void setti_platform_sleep(uint64_t nanoseconds);

/* Writes to stderr; where the system allows it, without the C library's buffer and lock. */
void setti_platform_print(const char* text, size_t size);

/* The number of threads that the machine runs at once. */
uint32_t setti_platform_cores(void);

/* A number of the calling thread, unique while it runs. */
uintptr_t setti_platform_thread(void);

/* Writes the return addresses of the calling functions, the innermost first, at most `capacity`.
 * Returns their number; 0 where the system does not provide them. */
uint32_t setti_platform_callers(void** out, uint32_t capacity);

/* Whether an address lies on the unused part of the calling thread's stack, so that the function of
 * this local variable has returned. False if that is not known, and for other addresses. */
bool setti_platform_has_returned(const void* variable);

/* A mutex with one condition. */
typedef struct setti_gate {
    uint64_t opaque[18];
} setti_gate;

bool setti_gate_init(setti_gate* gate);
void setti_gate_deinit(setti_gate* gate);
void setti_gate_lock(setti_gate* gate);
void setti_gate_unlock(setti_gate* gate);

/* Waits for setti_gate_wake, which wakes all waiting threads; may return earlier. The caller has
 * locked the gate, and has it locked afterwards. */
void setti_gate_wait(setti_gate* gate);
void setti_gate_wake(setti_gate* gate);

/* A thread; its address must not change until it is joined. */
typedef struct setti_thread {
    void (*body)(void* user);
    void* user;
    uint64_t opaque[2];
} setti_thread;

/* Starts `body`; it and its argument are filled in already. False if no thread can be started. */
bool setti_thread_start(setti_thread* thread);
void setti_thread_join(setti_thread* thread);

const sett_files* setti_platform_files(void);

/* The caller's allocator, or the system's if none is given. */
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
