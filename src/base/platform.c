/* platform.c: the allocator of the system. See platform.h. */
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

sett_allocator setti_allocator_or_default(const sett_allocator* allocator)
{
    sett_allocator chosen = {setti_platform_realloc, NULL};
    if (allocator != NULL && allocator->realloc_fn != NULL) {
        chosen = *allocator;
    }
    return chosen;
}
