/* atomic.h: numbers shared by threads without a lock.
 *
 *     signal   tells waiting threads to take the lock; publishes earlier writes
 *     mark     a word that one thread may read while another writes; orders no other access
 *     tally    a sum to which several threads add; orders no other access
 *     counter  counts threads; setti_counter_take publishes earlier writes
 *
 * If there are no C atomics, SETTI_ATOMICS is 0. Signals are then not read, tallies stay 0, and
 * marks are plain words. All known machines write an aligned word as a whole. */
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

static inline void setti_tally_add(setti_tally* tally, uintptr_t count)
{
    atomic_fetch_add_explicit(tally, count, memory_order_relaxed);
}

/* Returns the sum, and resets the tally to 0. */
static inline uintptr_t setti_tally_take(setti_tally* tally)
{
    return atomic_exchange_explicit(tally, 0, memory_order_relaxed);
}

static inline void setti_mark_set(setti_mark* mark, uintptr_t value)
{
    atomic_store_explicit(mark, value, memory_order_relaxed);
}

static inline uintptr_t setti_mark_get(const setti_mark* mark)
{
    setti_mark* word = setti_unconst(mark); /* atomic_load takes no const in C11 */
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline void setti_signal_set(setti_signal* signal, uint32_t value)
{
    atomic_store_explicit(signal, value, memory_order_release);
}

static inline bool setti_signal_is(setti_signal* signal, uint32_t value)
{
    return atomic_load_explicit(signal, memory_order_acquire) == value;
}

/* Adds `value`. Returns the count before the addition. */
static inline uint32_t setti_counter_add(setti_counter* counter, uint32_t value)
{
    return (uint32_t)atomic_fetch_add_explicit(counter, value, memory_order_relaxed);
}

/* Subtracts `value`. Returns the count before the subtraction. The thread that subtracts last sees
 * the earlier writes of the other threads. */
static inline uint32_t setti_counter_take(setti_counter* counter, uint32_t value)
{
    return (uint32_t)atomic_fetch_sub_explicit(counter, value, memory_order_acq_rel);
}

static inline uint32_t setti_counter_get(setti_counter* counter)
{
    return (uint32_t)atomic_load_explicit(counter, memory_order_acquire);
}

/* The most rounds of a loop that waits for a signal. 0 if signals are not read. */
#define SETTI_SIGNAL_ROUNDS(rounds) (rounds)

#else

#define SETTI_ATOMICS 0

typedef uint32_t setti_signal;
typedef uint32_t setti_counter;
typedef volatile uintptr_t setti_mark;
typedef uintptr_t setti_tally;

static inline void setti_tally_add(setti_tally* tally, uintptr_t count)
{
    (void)tally;
    (void)count;
}

static inline uintptr_t setti_tally_take(setti_tally* tally)
{
    (void)tally;
    return 0;
}

static inline void setti_mark_set(setti_mark* mark, uintptr_t value)
{
    *mark = value;
}

static inline uintptr_t setti_mark_get(const setti_mark* mark)
{
    return *mark;
}

static inline void setti_signal_set(setti_signal* signal, uint32_t value)
{
    (void)signal;
    (void)value;
}

static inline bool setti_signal_is(setti_signal* signal, uint32_t value)
{
    (void)signal;
    (void)value;
    return false;
}

static inline uint32_t setti_counter_add(setti_counter* counter, uint32_t value)
{
    *counter += value;
    return *counter - value;
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
