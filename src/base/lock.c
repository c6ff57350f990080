/* lock.c: a spin lock that uses atomics of the compiler. With other compilers there are no threads.
 *
 * Invariant:  at most one thread is between take and release
 */
#include "base/lock.h"

#if defined(_MSC_VER)
#include <intrin.h>
#endif

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

void setti_lock_pause(void)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("isb");
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    _mm_pause();
#elif defined(_MSC_VER) && defined(_M_ARM64)
    __yield();
#endif
}
