/* bits.h: words of 64 bits. Bit k of word n stands for row 64 * n + k. */
#ifndef SETTI_BITS_H
#define SETTI_BITS_H

#include "base/common.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* Returns the position of the lowest set bit. The word is not 0. */
SETTI_INLINE uint32_t setti_bits_lowest(uint64_t word)
{
    SETTI_ASSERT(word != 0);
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#elif defined(_MSC_VER) && defined(_M_X64)
    unsigned long position;
    _BitScanForward64(&position, word);
    return (uint32_t)position;
#else
    uint32_t position = 0;
    while ((word & 1) == 0) {
        word >>= 1;
        position++;
    }
    return position;
#endif
}

/* Returns the position of the highest set bit. The word is not 0. */
SETTI_INLINE uint32_t setti_bits_highest(uint64_t word)
{
    SETTI_ASSERT(word != 0);
#if defined(__GNUC__)
    return 63 - (uint32_t)__builtin_clzll(word);
#else
    uint32_t position = 63;
    while ((word >> position) == 0) {
        position--;
    }
    return position;
#endif
}

/* Returns eight sums in a word (SWAR). Byte k of the result is the number of set bits in the bytes
 * 0 to k of `word`. */
SETTI_INLINE uint64_t setti_bits_sums(uint64_t word)
{
    word -= (word >> 1) & 0x5555555555555555u; /* counts in fields of 2 bits */
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u); /* of 4 bits */
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;                         /* of 8 bits */
    return word * 0x0101010101010101u; /* adds all lower bytes to each byte */
}

SETTI_INLINE uint32_t setti_bits_count(uint64_t word)
{
#if defined(__POPCNT__)
    return (uint32_t)__builtin_popcountll(word);
#else /* the builtin would be a call of a library function */
    return (uint32_t)(setti_bits_sums(word) >> 56); /* the highest byte: the sum of all bits */
#endif
}

/* Returns a word with the k lowest bits set. */
SETTI_INLINE uint64_t setti_bits_below(uint32_t k)
{
    return k >= 64 ? UINT64_MAX : (((uint64_t)1 << k) - 1);
}

/* Returns the position of the first set bit >= `position` and < `end`. Returns SETTI_NONE if no
 * such bit is set. */
static inline uint32_t setti_bits_next(const uint64_t* words, uint32_t position, uint32_t end)
{
    while (position < end) {
        uint64_t bits = words[position / 64] >> (position % 64); /* from `position` on */
        if (bits != 0) {
            position += setti_bits_lowest(bits);
            return position < end ? position : SETTI_NONE;
        }
        position = (position | 63) + 1; /* the first bit of the next word */
    }
    return SETTI_NONE;
}

/* Returns the position of the last set bit < `end`. Returns SETTI_NONE if no such bit is set. */
static inline uint32_t setti_bits_last(const uint64_t* words, uint32_t end)
{
    while (end > 0) {
        uint32_t word = (end - 1) / 64;
        uint64_t bits = words[word] & setti_bits_below(end - word * 64); /* below `end` */
        if (bits != 0) {
            return word * 64 + setti_bits_highest(bits);
        }
        end = word * 64;
    }
    return SETTI_NONE;
}

/* Sets bit k. Returns true if the bit was set before. */
static inline bool setti_bits_test_and_set(uint64_t* words, uint32_t k)
{
    uint64_t bit = (uint64_t)1 << (k % 64);
    bool was_set = (words[k / 64] & bit) != 0;
    words[k / 64] |= bit;
    return was_set;
}

/* Whether any bit is set in `count` words. */
static inline bool setti_bits_any(const uint64_t* words, uint32_t count)
{
    for (; count >= 4; count -= 4, words += 4) { /* four words at a time are faster */
        if ((words[0] | words[1] | words[2] | words[3]) != 0) {
            return true;
        }
    }
    for (; count != 0; count--, words++) {
        if (*words != 0) {
            return true;
        }
    }
    return false;
}

/* Clears the k lowest set bits of a word. */
static inline uint64_t setti_bits_drop(uint64_t word, uint32_t k)
{
    for (; k != 0; k--) {
        word &= word - 1; /* clears the lowest set bit */
    }
    return word;
}

/* Returns the least power of two >= `value`. */
static inline uint32_t setti_bits_ceil(uint32_t value)
{
    uint32_t power = 1;
    while (power < value) {
        power <<= 1;
    }
    return power;
}

#endif
