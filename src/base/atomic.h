/* atomic.h: a number that one thread writes and others look at without a lock, to know whether
 * taking the lock is worth it. Where C has no atomics it is never looked at. */
#ifndef SETTI_ATOMIC_H
#define SETTI_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>

typedef atomic_uint_least32_t setti_signal;

static inline void setti_signal_set(setti_signal* to, uint32_t value)
{
    atomic_store_explicit(to, value, memory_order_release);
}

static inline bool setti_signal_is(setti_signal* from, uint32_t value)
{
    return atomic_load_explicit(from, memory_order_acquire) == value;
}

#define SETTI_SIGNAL_ROUNDS(rounds) (rounds)

#else

typedef uint32_t setti_signal;

static inline void setti_signal_set(setti_signal* to, uint32_t value)
{
    (void)to;
    (void)value;
}

static inline bool setti_signal_is(setti_signal* from, uint32_t value)
{
    (void)from;
    (void)value;
    return false;
}

#define SETTI_SIGNAL_ROUNDS(rounds) 0

#endif
#endif
