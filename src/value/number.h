/* number.h: converts numbers to text and back, equal in every locale. */
#ifndef SETTI_NUMBER_H
#define SETTI_NUMBER_H

#include "base/common.h"
#include "sett/members.h"

#define SETTI_NUMBER_SIZE 40 /* bytes of the longest written text */

/* The bits of infinity. A float is NaN if the bits without the sign bit are greater. */
#define SETTI_F32_INFINITY 0x7F800000u
#define SETTI_F64_INFINITY 0x7FF0000000000000u

#define SETTI_NUMBER_TEXT 400 /* bytes of the longest text that is read */

static inline bool setti_number_is_integer(sett_member_kind kind)
{
    return kind >= SETT_MEMBER_I8 && kind <= SETT_MEMBER_U64;
}

static inline bool setti_number_is_float(sett_member_kind kind)
{
    return kind == SETT_MEMBER_F32 || kind == SETT_MEMBER_F64;
}

bool setti_number_is_signed(sett_member_kind kind);

/* Reads an integer, or a bool. A u64 above INT64_MAX becomes negative. */
int64_t setti_number_load(sett_member_kind kind, const void* bytes);
void setti_number_store(sett_member_kind kind, int64_t number, void* bytes);

/* Reads a number of any kind as a double. A 64-bit integer may be rounded. */
double setti_number_float(sett_member_kind kind, const void* bytes);

/* Writes a number as text. Multiplies an integer by `scale` before, if `scale` is not 0. Returns
 * the length of the text. */
size_t setti_number_write(sett_member_kind kind, const void* bytes, double scale,
                          char out[SETTI_NUMBER_SIZE]);

/* Writes a number in up to 20 digits, without a terminating zero. Returns the number of digits. */
size_t setti_number_digits(uint64_t number, char* out);

/* Reads a number from text. For an integer, divides the number by `scale`, if `scale` is not 0.
 * Returns the error, or NULL. */
const char* setti_number_read(sett_member_kind kind, const char* text, size_t length, double scale,
                              void* bytes);

#endif
