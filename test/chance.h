/* chance.h: numbers drawn from a seed, the same on every machine.
 *
 *     uint64_t state = check_setting("SETT_SEED", 1);
 *     uint32_t one_of_three = chance_below(&state, 3);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_CHANCE_H
#define SETT_TEST_CHANCE_H

#include <stdint.h>

static inline uint64_t chance_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Any number: splitmix64. */
static inline uint64_t chance_draw(uint64_t* state)
{
    *state += 0x9E3779B97F4A7C15u;
    return chance_mix(*state);
}

/* 0 to limit - 1. */
static inline uint32_t chance_below(uint64_t* state, uint32_t limit)
{
    return (uint32_t)((chance_draw(state) >> 32) * limit >> 32);
}

/* A number that depends on its arguments alone: where threads draw, a state would make the result
 * depend on who comes first. */
static inline uint32_t chance_of(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = a * 0x9E3779B97F4A7C15u ^ (b + 0x632BE59BD9B4E019u) * 0xD6E8FEB86659FD93u ^
                 (c + 1) * 0xC2B2AE3D27D4EB4Fu;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    h ^= h >> 29;
    return (uint32_t)(h >> 16);
}

#endif
