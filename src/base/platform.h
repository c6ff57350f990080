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
void* setti_platform_realloc(void* user, void* ptr, size_t old_size, size_t new_size, size_t align);

/* The caller's allocator, or that of the system where none is given. */
sett_allocator setti_allocator_or_default(const sett_allocator* allocator);

#endif
