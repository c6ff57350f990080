/* random.h: random numbers that depend on nothing but what they are for.
 *
 *     uint64_t bits = sett_random(seed, entity, frame, USE_WANDER);
 *     int step = (int)sett_random_range(bits, 3) - 1;
 *
 * A number is a function of (seed, entity, tick, use), not of a hidden state. So results do not
 * depend on the order of loops, on threads, or on the machine that an entity is on, and a frame
 * that is played again draws the same numbers. Everything here is computed with integers, and gives
 * the same bits on every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_RANDOM_H
#define SETT_RANDOM_H

#include "sett/core.h"

/* Returns 64 random bits.
 *   seed    of the run
 *   entity  whose number it is; null for one of the world's
 *   tick    the number of the frame, as the program counts it
 *   use     what it is for: two numbers of an entity in one frame need different ones
 * Cost: about 5 ns. Threads: any. Since: 0.2 */
SETT_API uint64_t sett_random(uint64_t seed, sett_entity entity, uint64_t tick, uint32_t use);

/* sett_random in two steps, for one use of many entities: a key before the loop, and the number of
 * each entity in it. sett_random(seed, entity, tick, use) is
 * sett_random_of(sett_random_key(seed, tick, use), entity).
 * Cost: sett_random_of a third of sett_random. Threads: any. Since: 0.2 */
static inline uint64_t sett_random_key(uint64_t seed, uint64_t tick, uint32_t use);
static inline uint64_t sett_random_of(uint64_t key, sett_entity entity);

/* Make a number of 64 random bits. Use the bits for one number only: the upper ones decide, so that
 * of `bits >> 32` a range is always 0. For another number call sett_random with another `use`.
 *     sett_random_range    from 0 to limit - 1, all as likely, but for 1 in 2^32; 0 if `limit` is 0
 *     sett_random_uniform  from 0 to below 1, a multiple of 2^-53
 *     sett_random_normal   of the normal distribution, with mean 0 and deviation 1: the polar
 *                          method, with a logarithm and roots of integers; exact to about 2^-20
 * Cost: 1 ns; sett_random_normal about 100 ns.
 * Threads: any. Since: 0.2 */
SETT_READ_API uint32_t sett_random_range(uint64_t bits, uint32_t limit);
SETT_READ_API double sett_random_uniform(uint64_t bits);
SETT_API double sett_random_normal(uint64_t bits);

/* Writes the entities of a query in random order: in each frame another one, that depends only on
 * the arguments and on which entities match. Ranks that hold parts of a world can merge their lists
 * by sett_random of the same arguments, which ascends.
 *   seed, tick, use  as of sett_random
 *   out              receives up to `capacity` entities
 * Returns how many entities match; if more than `capacity` do, nothing is written, nor if memory
 * runs out: then it returns 0.
 * Fails: OUT_OF_MEMORY, LOCKED (systems run).
 * Cost: O(n log n). Threads: writer. Since: 0.2 */
SETT_API uint32_t sett_random_shuffle(const sett_query* query, uint64_t seed, uint64_t tick,
                                      uint32_t use, sett_entity* out, uint32_t capacity);

/* ------------------------------------------------------------------------------------- in line */

static inline uint64_t sett_random_mix_(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xE9846AF9B1A615Du;
    x = (x ^ (x >> 32)) * 0xE9846AF9B1A615Du;
    return x ^ (x >> 28);
}

static inline uint64_t sett_random_key(uint64_t seed, uint64_t tick, uint32_t use)
{
    uint64_t hash = sett_random_mix_(seed + 0x9E3779B97F4A7C15u * (use + (uint64_t)1));
    return sett_random_mix_(hash ^ (tick * 0xBF58476D1CE4E5B9u + 0x94D049BB133111EBu));
}

static inline uint64_t sett_random_of(uint64_t key, sett_entity entity)
{
    uint64_t handle = (uint64_t)entity.generation << 32 | entity.index;
    return sett_random_mix_(key ^ (handle * 0xD6E8FEB86659FD93u + 0x2545F4914F6CDD1Du));
}

#if SETT_READS_IN_LINE_
static inline uint32_t sett_random_range(uint64_t bits, uint32_t limit)
{
    return (uint32_t)((bits >> 32) * limit >> 32);
}

static inline double sett_random_uniform(uint64_t bits)
{
    return (double)(bits >> 11) * (1.0 / 9007199254740992.0);
}
#endif

#endif
