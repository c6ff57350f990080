/* atomic.h: numbers shared by threads without a lock.
 *
 *     signal   tells waiting threads to take the lock; publishes earlier writes
 *     mark     a word that may be read while it is written; orders no other access
 *     tally    a sum that several threads add to; orders no other access
 *     counter  counts threads; setti_counter_take publishes earlier writes
 *
 * Without C atomics (SETTI_ATOMICS is 0) signals are not read, tallies stay 0, and marks are plain
 * words: all known machines write aligned words whole. */
#ifndef SETTI_ATOMIC_H
#define SETTI_ATOMIC_H

#include "base/common.h"

#include <stdbool.h>
#include <stdint.h>

#if !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>

#define SETTI_ATOMICS 1

typedef atomic_uint_least32_t setti_signal;
typedef atomic_uint_least32_t setti_counter;
typedef atomic_uintptr_t setti_mark;
typedef atomic_uintptr_t setti_tally;

static inline void setti_tally_add(setti_tally* to, uintptr_t count)
{
    atomic_fetch_add_explicit(to, count, memory_order_relaxed);
}

/* Returns the sum, and resets the tally to 0. */
static inline uintptr_t setti_tally_take(setti_tally* from)
{
    return atomic_exchange_explicit(from, 0, memory_order_relaxed);
}

static inline void setti_mark_set(setti_mark* to, uintptr_t value)
{
    atomic_store_explicit(to, value, memory_order_relaxed);
}

static inline uintptr_t setti_mark_get(const setti_mark* from)
{
    setti_mark* mark = setti_unconst(from); /* atomic_load takes no const in C11 */
    return atomic_load_explicit(mark, memory_order_relaxed);
}

static inline void setti_signal_set(setti_signal* to, uint32_t value)
{
    atomic_store_explicit(to, value, memory_order_release);
}

static inline bool setti_signal_is(setti_signal* from, uint32_t value)
{
    return atomic_load_explicit(from, memory_order_acquire) == value;
}

/* Adds `value` and returns the old count. */
static inline uint32_t setti_counter_add(setti_counter* to, uint32_t value)
{
    return (uint32_t)atomic_fetch_add_explicit(to, value, memory_order_relaxed);
}

/* Subtracts `value` and returns the old count. The last thread sees the writes of all threads. */
static inline uint32_t setti_counter_take(setti_counter* counter, uint32_t value)
{
    return (uint32_t)atomic_fetch_sub_explicit(counter, value, memory_order_acq_rel);
}

static inline uint32_t setti_counter_get(setti_counter* counter)
{
    return (uint32_t)atomic_load_explicit(counter, memory_order_acquire);
}

/* The limit of loops that wait for a signal; 0 if signals are not read. */
#define SETTI_SIGNAL_ROUNDS(rounds) (rounds)

#else

#define SETTI_ATOMICS 0

typedef uint32_t setti_signal;
typedef uint32_t setti_counter;
typedef volatile uintptr_t setti_mark;
typedef uintptr_t setti_tally;

static inline void setti_tally_add(setti_tally* to, uintptr_t count)
{
    (void)to;
    (void)count;
}

static inline uintptr_t setti_tally_take(setti_tally* from)
{
    (void)from;
    return 0;
}

static inline void setti_mark_set(setti_mark* to, uintptr_t value)
{
    *to = value;
}

static inline uintptr_t setti_mark_get(const setti_mark* from)
{
    return *from;
}

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

static inline uint32_t setti_counter_add(setti_counter* to, uint32_t value)
{
    *to += value;
    return *to - value;
}

static inline uint32_t setti_counter_take(setti_counter* counter, uint32_t value)
{
    *counter -= value;
    return *counter + value;
}

static inline uint32_t setti_counter_get(setti_counter* counter)
{
    return *counter;
}

#define SETTI_SIGNAL_ROUNDS(rounds) 0

#endif
#endif
