/* platform.h: the only place that knows which operating system this is. */
#ifndef SETTI_PLATFORM_H
#define SETTI_PLATFORM_H

#include "base/core.h"

/* Blocks of this size and alignment can be one huge page on the systems that have them. */
#define SETTI_HUGE_PAGE ((size_t)2 << 20)

/* A lock for stretches of some instructions that hardly ever meet: waiting spins. All zeroes is an
 * open one. */
typedef struct setti_lock {
    volatile long taken;
} setti_lock;

void setti_lock_take(setti_lock* lock);
void setti_lock_release(setti_lock* lock);

/* The allocator used when a world is given none: the C library's, aligned. Memory aligned to
 * SETTI_HUGE_PAGE is offered to the system for huge pages. */
void* setti_platform_alloc(void* user, size_t size, size_t align);
void setti_platform_free(void* user, void* ptr, size_t size, size_t align);

/* Nanoseconds on a clock that only goes forward, from some beginning. */
uint64_t setti_platform_now(void);

/* Threads that the machine runs at once. */
uint32_t setti_platform_cores(void);

/* Tells the processor that this is a loop that waits. */
void setti_platform_pause(void);

/* A number for the thread that asks, which no other has while it lives. */
uintptr_t setti_platform_thread(void);

/* Whether a local variable of a function that this thread has called is gone, because the function
 * has returned. False where that is not known, and for what does not lie on this thread's stack. */
bool setti_platform_has_returned(const void* variable);

/* A mutex with one condition. */
typedef struct setti_gate {
    uint64_t opaque[18];
} setti_gate;

bool setti_gate_init(setti_gate* gate);
void setti_gate_deinit(setti_gate* gate);
void setti_gate_lock(setti_gate* gate);
void setti_gate_unlock(setti_gate* gate);

/* Waits until somebody wakes all who wait, or a little less; the gate is locked. */
void setti_gate_wait(setti_gate* gate);
void setti_gate_wake(setti_gate* gate);

/* A thread; lies where it is until it is joined. */
typedef struct setti_thread {
    void (*body)(void* user);
    void* user;
    uint64_t opaque[2];
} setti_thread;

/* Starts `body`, which with its argument is filled in already. False when there is no more. */
bool setti_thread_start(setti_thread* thread);
void setti_thread_join(setti_thread* thread);

/* The caller's allocator, or that of the system where none is given. */
sett_allocator setti_allocator_or_default(const sett_allocator* allocator);

#endif
