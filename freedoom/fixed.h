/* fixed.h - numbers with 16 bits behind the point.
 *
 * The simulation knows no floating point at all: the same seed has to give the same battle with
 * every compiler and at every optimisation level, and integers give that for free. One map
 * unit
 * is FIXED_ONE; a map spans at most 65,536 units, so a coordinate fills an int32_t and a product of
 * two differences needs an int64_t. */
#ifndef FREEDOOM_FIXED_H
#define FREEDOOM_FIXED_H

#include <stdint.h>

typedef int32_t Fixed;

#define FIXED_BITS 16
#define FIXED_ONE ((Fixed)1 << FIXED_BITS)

/* C leaves `negative >> n` to the compiler; everything below counts on the usual answer. */
_Static_assert((-1 >> 1) == -1, "right shift of a negative number must keep the sign");

static inline Fixed fixed_from_int(int32_t units)
{
    return units * FIXED_ONE;
}

/* The whole units below x: floor, not truncation, so that a cell left of zero is as wide as others.
 */
static inline int32_t fixed_floor(Fixed x)
{
    return x >> FIXED_BITS;
}

static inline int64_t fixed_abs64(int64_t x)
{
    return x < 0 ? -x : x;
}

static inline int32_t fixed_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t fixed_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t fixed_clamp(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : (x > high ? high : x);
}

/* The nearest Fixed: for sums that a hostile file can drive over the edge of the map. */
static inline Fixed fixed_saturate(int64_t x)
{
    return x < INT32_MIN ? INT32_MIN : (x > INT32_MAX ? INT32_MAX : (Fixed)x);
}

static inline Fixed fixed_add(Fixed a, Fixed b)
{
    return fixed_saturate((int64_t)a + b);
}

/* Floor of a / b for b > 0. */
static inline int64_t fixed_floor_div(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient * b > a ? quotient - 1 : quotient;
}

/* The sine of an angle of which 65,536 are a full turn; wrong by 12 at most. A polynomial of the
 * part of a quarter turn: no table, and the same on every machine. */
static inline Fixed fixed_sine(uint32_t angle)
{
    uint32_t part = angle & 0x3fffu;
    int64_t x = ((angle & 0x4000u) != 0 ? 0x4000 - (int64_t)part : (int64_t)part) * 4;
    int64_t square = x * x / FIXED_ONE;
    int64_t inner = 42155 - square * 4765 / FIXED_ONE;
    int64_t sine = x * (102932 - square * inner / FIXED_ONE) / FIXED_ONE;
    sine = sine < FIXED_ONE ? sine : FIXED_ONE;
    return (Fixed)((angle & 0x8000u) != 0 ? -sine : sine);
}

static inline Fixed fixed_cosine(uint32_t angle)
{
    return fixed_sine(angle + 0x4000u);
}

/* The largest r with r * r <= x, found bit by bit. */
static inline uint32_t fixed_square_root(uint64_t x)
{
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 62; bit != 0; bit >>= 2) {
        if (x >= root + bit) {
            x -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}

#endif
