/* meter.c: stands in front of glibc's allocator. Everything in the program is measured in the same
 * way, the peers' own allocators included, at the price of one predictable branch a call. Sizes are
 * those that the allocator really set aside (malloc_usable_size), 0 to 8 bytes above what was asked
 * for in small pieces and up to a page in large ones. Not for threads that run side by side while
 * it counts: none of the metered scenes has any. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* features.h says whether this is glibc */
#endif

#include "meter.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define METER_FITS 0 /* the sanitizers stand there already */
#elif defined(__GLIBC__)
#define METER_FITS 1
#else
#define METER_FITS 0
#endif

#if METER_FITS

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t align, size_t size);
void __libc_free(void* memory);

static bool meter_on;
static ptrdiff_t meter_live; /* may fall below zero: what was there before can be freed */
static ptrdiff_t meter_peak;
static size_t meter_calls;

static void* meter_gained(void* memory)
{
    if (__builtin_expect(meter_on, 0) && memory != NULL) {
        meter_live += (ptrdiff_t)malloc_usable_size(memory);
        meter_peak = meter_live > meter_peak ? meter_live : meter_peak;
        meter_calls++;
    }
    return memory;
}

static void meter_lost(void* memory)
{
    if (__builtin_expect(meter_on, 0) && memory != NULL) {
        meter_live -= (ptrdiff_t)malloc_usable_size(memory);
    }
}

void* malloc(size_t size)
{
    return meter_gained(__libc_malloc(size));
}

void* calloc(size_t count, size_t size)
{
    return meter_gained(__libc_calloc(count, size));
}

void* realloc(void* memory, size_t size)
{
    meter_lost(memory);
    return meter_gained(__libc_realloc(memory, size));
}

void* memalign(size_t align, size_t size)
{
    return meter_gained(__libc_memalign(align, size));
}

void* aligned_alloc(size_t align, size_t size)
{
    return meter_gained(__libc_memalign(align, size));
}

int posix_memalign(void** out, size_t align, size_t size)
{
    *out = meter_gained(__libc_memalign(align, size));
    return *out != NULL ? 0 : ENOMEM;
}

void free(void* memory)
{
    meter_lost(memory);
    __libc_free(memory);
}

bool meter_works(void)
{
    return true;
}

void meter_begin(void)
{
    meter_live = 0;
    meter_peak = 0;
    meter_calls = 0;
    meter_on = true;
}

meter_reading meter_end(void)
{
    meter_on = false;
    meter_reading reading = {(size_t)meter_peak, (size_t)meter_live, meter_calls};
    return reading;
}

void* meter_outside_alloc(size_t size)
{
    return __libc_malloc(size);
}

void meter_outside_free(void* memory)
{
    __libc_free(memory);
}

void meter_settle(size_t size)
{
    (void)malloc_trim(0);
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        (void)madvise(memory, size, MADV_HUGEPAGE);
        for (size_t at = 0; at < size; at += 4096) {
            ((volatile char*)memory)[at] = 1;
        }
        (void)munmap(memory, size);
    }
}

size_t meter_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}

#else

size_t meter_machine(void)
{
    return 0;
}

bool meter_works(void)
{
    return false;
}

void meter_begin(void)
{
}

meter_reading meter_end(void)
{
    meter_reading reading = {0};
    return reading;
}

void* meter_outside_alloc(size_t size)
{
    return malloc(size);
}

void meter_outside_free(void* memory)
{
    free(memory);
}

void meter_settle(size_t size)
{
    (void)size;
}

#endif
