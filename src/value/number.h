/* number.h: numbers as text that is the same in every locale, and back. */
#ifndef SETTI_NUMBER_H
#define SETTI_NUMBER_H

#include "base/common.h"
#include "sett/members.h"

/* Bytes that the text of any number fits, with its zero. */
#define SETTI_NUMBER_SIZE 40

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

/* An integer of a value; of a u64 the same bits. */
int64_t setti_number_load(sett_member_kind kind, const void* bytes);
void setti_number_store(sett_member_kind kind, int64_t number, void* bytes);

/* Any number of a value. */
double setti_number_float(sett_member_kind kind, const void* bytes);

/* Writes an integer or float, times `scale` if that is not 0: floats as the shortest text that is
 * read as the same, "NaN", "Infinity", "-Infinity", and "nan:" with the bits of any other NaN.
 * Returns the length. */
size_t setti_number_write(sett_member_kind kind, const void* bytes, double scale,
                          char out[SETTI_NUMBER_SIZE]);

/* Reads what setti_number_write writes; of floats and scaled numbers any decimal number. Returns
 * NULL, or what is wrong. */
const char* setti_number_read(sett_member_kind kind, const char* text, size_t length, double scale,
                              void* bytes);

#endif
