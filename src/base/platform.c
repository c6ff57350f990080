/* platform.c: the allocator of the system, and a lock. See platform.h. */
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif

#include "base/platform.h"

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

void* setti_platform_realloc(void* user, void* ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
#if defined(_WIN32)
        _aligned_free(ptr);
#else
        free(ptr);
#endif
        return NULL;
    }
    SETTI_ASSERT(ptr == NULL);
#if defined(_WIN32)
    return _aligned_malloc(new_size, align);
#else
    if (align <= sizeof(void*) * 2) {
        return malloc(new_size);
    }
    /* aligned_alloc wants a size that is a multiple of the alignment. */
    void* memory = aligned_alloc(align, setti_align_up(new_size, align));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && align >= SETTI_HUGE_PAGE) {
        (void)madvise(memory, setti_align_up(new_size, align), MADV_HUGEPAGE);
    }
#endif
    return memory;
#endif
}

/* Without atomics of any kind there are no threads to keep apart either. */
void setti_lock_take(setti_lock* lock)
{
#if defined(__GNUC__)
    while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE) != 0) {
    }
#elif defined(_MSC_VER)
    while (_InterlockedExchange(&lock->taken, 1) != 0) {
    }
#else
    lock->taken = 1;
#endif
}

void setti_lock_release(setti_lock* lock)
{
#if defined(__GNUC__)
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
#elif defined(_MSC_VER)
    (void)_InterlockedExchange(&lock->taken, 0);
#else
    lock->taken = 0;
#endif
}

sett_allocator setti_allocator_or_default(const sett_allocator* allocator)
{
    sett_allocator chosen = {setti_platform_realloc, NULL};
    if (allocator != NULL && allocator->realloc_fn != NULL) {
        chosen = *allocator;
    }
    return chosen;
}
