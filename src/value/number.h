/* number.h: numbers as text that is the same in every locale, and back. */
#ifndef SETTI_NUMBER_H
#define SETTI_NUMBER_H

#include "base/common.h"
#include "sett/members.h"

/* The size of the text of any number, its terminating zero included. */
#define SETTI_NUMBER_SIZE 40

/* The bits of infinity. Those of a NaN are more, without the sign. */
#define SETTI_F32_INFINITY 0x7F800000u
#define SETTI_F64_INFINITY 0x7FF0000000000000u

/* The longest text that is read as a number. */
#define SETTI_NUMBER_TEXT 400

static inline bool setti_number_is_integer(sett_member_kind kind)
{
    return kind >= SETT_MEMBER_I8 && kind <= SETT_MEMBER_U64;
}

static inline bool setti_number_is_float(sett_member_kind kind)
{
    return kind == SETT_MEMBER_F32 || kind == SETT_MEMBER_F64;
}

bool setti_number_is_signed(sett_member_kind kind);

/* Reads an integer of a value; a u64 as the signed integer with its bits. */
int64_t setti_number_load(sett_member_kind kind, const void* bytes);
void setti_number_store(sett_member_kind kind, int64_t number, void* bytes);

/* Reads any number of a value. */
double setti_number_float(sett_member_kind kind, const void* bytes);

/* Writes an integer or float, times `scale` if that is not 0: a float as the shortest text that is
 * read as it; the bits of an unusual NaN behind "nan:". Returns the length. */
size_t setti_number_write(sett_member_kind kind, const void* bytes, double scale,
                          char out[SETTI_NUMBER_SIZE]);

/* Writes the digits of a number, at most 20, without a zero behind. Returns how many. */
size_t setti_number_digits(uint64_t number, char* out);

/* Reads what setti_number_write wrote; for floats and scaled integers any decimal number. Returns
 * NULL or the error. */
const char* setti_number_read(sett_member_kind kind, const char* text, size_t length, double scale,
                              void* bytes);

#endif
