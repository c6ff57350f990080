/* number.c: see number.h. printf and strtod do the work; what a locale makes of the decimal point
 * is made undone.
 *
 * Invariant:  read(write(v)) == v, for every integer, every float and every NaN
 */
#include "value/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Floats that are written as words. */
static const struct {
    const char* text;
    uint64_t bits[2]; /* of an f64, of an f32 */
} number_words[] = {
    {"NaN", {0x7FF8000000000000u, 0x7FC00000u}},
    {"Infinity", {0x7FF0000000000000u, 0x7F800000u}},
    {"-Infinity", {0xFFF0000000000000u, 0xFF800000u}},
};

bool setti_number_is_signed(sett_member_kind kind)
{
    return kind == SETT_MEMBER_I8 || kind == SETT_MEMBER_I16 || kind == SETT_MEMBER_I32 ||
           kind == SETT_MEMBER_I64;
}

int64_t setti_number_load(sett_member_kind kind, const void* bytes)
{
    SETTI_ASSERT(setti_number_is_integer(kind) || kind == SETT_MEMBER_BOOL);
    uint32_t size = sett_member_kind_size(kind);
    uint64_t word = 0;
    unsigned char* into = (unsigned char*)&word;
    memcpy(SETTI_BIG_ENDIAN ? into + sizeof(word) - size : into, bytes, size);
    uint32_t shift = 64 - 8 * size;
    bool negative = setti_number_is_signed(kind) && (word >> (8 * size - 1) & 1) != 0;
    return (int64_t)(negative && shift != 0 ? word | UINT64_MAX << (64 - shift) : word);
}

void setti_number_store(sett_member_kind kind, int64_t number, void* bytes)
{
    uint32_t size = sett_member_kind_size(kind);
    uint64_t word = (uint64_t)number;
    const unsigned char* from = (const unsigned char*)&word;
    memcpy(bytes, SETTI_BIG_ENDIAN ? from + sizeof(word) - size : from, size);
}

double setti_number_float(sett_member_kind kind, const void* bytes)
{
    float narrow;
    double wide;
    if (kind == SETT_MEMBER_F32) {
        memcpy(&narrow, bytes, sizeof(narrow));
        return (double)narrow;
    }
    if (kind == SETT_MEMBER_F64) {
        memcpy(&wide, bytes, sizeof(wide));
        return wide;
    }
    int64_t number = setti_number_load(kind, bytes);
    return setti_number_is_signed(kind) ? (double)number : (double)(uint64_t)number;
}

/* -------------------------------------------------------------------------------------- writing */

/* Replaces the locale's decimal separator by a point. */
static size_t number_put_point(char* text)
{
    size_t length = 0;
    bool point = false;
    for (const char* at = text; *at != '\0'; at++) {
        bool plain = (*at >= '0' && *at <= '9') || *at == 'e' || *at == '+' || *at == '-';
        if (plain || !point) {
            text[length++] = plain ? *at : '.';
        }
        point = !plain;
    }
    text[length] = '\0';
    return length;
}

/* Whether reading the text gives this number. */
static bool number_is_same(sett_member_kind kind, const char* text, double value)
{
    return kind == SETT_MEMBER_F32 ? (double)strtof(text, NULL) == value
                                   : strtod(text, NULL) == value;
}

static size_t number_write_finite(sett_member_kind kind, double value, char* out)
{
    bool small = value > -1e6 && value < 1e6;
    if (small && (double)(int)value == value && !(value == 0 && signbit(value))) {
        return (size_t)snprintf(out, SETTI_NUMBER_SIZE, "%d", (int)value);
    }
    int most = kind == SETT_MEMBER_F32 ? 9 : 17;
    for (int digits = kind == SETT_MEMBER_F32 ? 6 : 15; digits <= most; digits++) {
        snprintf(out, SETTI_NUMBER_SIZE, "%.*g", digits, value);
        if (number_is_same(kind, out, value)) {
            break;
        }
    }
    return number_put_point(out);
}

static size_t number_write_float(sett_member_kind kind, const void* bytes, char* out)
{
    double value = setti_number_float(kind, bytes);
    if (isinf(value)) {
        return (size_t)snprintf(out, SETTI_NUMBER_SIZE, value < 0 ? "-Infinity" : "Infinity");
    }
    if (!isnan(value)) {
        return number_write_finite(kind, value, out);
    }
    bool narrow = kind == SETT_MEMBER_F32;
    uint64_t bits = (uint64_t)setti_number_load(narrow ? SETT_MEMBER_U32 : SETT_MEMBER_U64, bytes);
    return bits == number_words[0].bits[narrow]
               ? (size_t)snprintf(out, SETTI_NUMBER_SIZE, "NaN")
               : (size_t)snprintf(out, SETTI_NUMBER_SIZE, "nan:%0*llx", narrow ? 8 : 16,
                                  (unsigned long long)bits);
}

size_t setti_number_write(sett_member_kind kind, const void* bytes, double scale,
                          char out[SETTI_NUMBER_SIZE])
{
    if (!setti_number_is_integer(kind)) {
        return number_write_float(kind, bytes, out);
    }
    int64_t number = setti_number_load(kind, bytes);
    if (scale != 0) {
        return number_write_finite(SETT_MEMBER_F64, (double)number * scale, out);
    }
    return kind == SETT_MEMBER_U64
               ? (size_t)snprintf(out, SETTI_NUMBER_SIZE, "%llu", (unsigned long long)number)
               : (size_t)snprintf(out, SETTI_NUMBER_SIZE, "%lld", (long long)number);
}

/* -------------------------------------------------------------------------------------- reading */

static const char* number_read_integer(sett_member_kind kind, const char* text, size_t length,
                                       void* bytes)
{
    SETTI_ASSERT(setti_number_is_integer(kind));
    bool negative = length != 0 && text[0] == '-';
    uint64_t number = 0;
    uint32_t bits = 8 * sett_member_kind_size(kind);
    uint64_t most = UINT64_MAX >> (64 - bits);
    if (setti_number_is_signed(kind)) {
        most = (most >> 1) + negative;
    } else if (negative) {
        most = 0;
    }
    if (length == (size_t)negative) {
        return "is no integer";
    }
    for (size_t k = negative; k < length; k++) {
        uint64_t digit = (uint64_t)(unsigned char)text[k] - '0';
        if (digit > 9) {
            return "is no integer";
        }
        if (number > (most - digit) / 10 || digit > most) {
            return "is out of the range of its type";
        }
        number = number * 10 + digit;
    }
    setti_number_store(kind, (int64_t)(negative ? 0 - number : number), bytes);
    return NULL;
}

/* Reads "nan:" and the bits of a NaN. */
static bool number_read_nan(sett_member_kind kind, const char* text, size_t length, uint64_t* bits)
{
    size_t digits = kind == SETT_MEMBER_F32 ? 8 : 16;
    if (length != 4 + digits || memcmp(text, "nan:", 4) != 0) {
        return false;
    }
    *bits = 0;
    for (size_t k = 4; k < length; k++) {
        const char* at = strchr("0123456789abcdef", text[k]);
        if (at == NULL || text[k] == '\0') {
            return false;
        }
        *bits = *bits << 4 | (uint64_t)(at - "0123456789abcdef");
    }
    return kind == SETT_MEMBER_F32 ? (*bits & 0x7FFFFFFFu) > 0x7F800000u
                                   : (*bits & INT64_MAX) > 0x7FF0000000000000u;
}

/* Converts a decimal number to the form that strtod accepts. Returns false if it is none, or too
 * long. */
static bool number_copy(const char* text, size_t length, char out[SETTI_NUMBER_TEXT + 8])
{
    char probe[16]; /* a digit, the locale's point, a digit */
    int size = snprintf(probe, sizeof(probe), "%.1f", 0.5);
    size_t used = 0;
    if (length == 0 || length > SETTI_NUMBER_TEXT || size < 3) {
        return false;
    }
    for (size_t k = 0; k < length; k++) {
        bool plain = (text[k] >= '0' && text[k] <= '9') || strchr("+-eE", text[k]) != NULL;
        if (text[k] == '.' && used + (size_t)size < SETTI_NUMBER_TEXT + 8) {
            memcpy(out + used, probe + 1, (size_t)size - 2);
            used += (size_t)size - 2;
        } else if (plain && text[k] != '\0') {
            out[used++] = text[k];
        } else {
            return false;
        }
    }
    out[used] = '\0';
    return true;
}

static const char* number_read_decimal(sett_member_kind kind, const char* text, size_t length,
                                       double* out)
{
    SETTI_ASSERT(kind == SETT_MEMBER_F32 || kind == SETT_MEMBER_F64);
    char copy[SETTI_NUMBER_TEXT + 8];
    char* end = copy;
    if (number_copy(text, length, copy)) {
        *out = kind == SETT_MEMBER_F32 ? (double)strtof(copy, &end) : strtod(copy, &end);
    }
    if (end == copy || *end != '\0') {
        return "is no number";
    }
    return isfinite(*out) ? NULL : "is out of the range of its type";
}

static const char* number_read_float(sett_member_kind kind, const char* text, size_t length,
                                     void* bytes)
{
    uint64_t bits = 0;
    double value = 0;
    bool narrow = kind == SETT_MEMBER_F32;
    bool word = number_read_nan(kind, text, length, &bits);
    for (size_t k = 0; k < sizeof(number_words) / sizeof(number_words[0]); k++) {
        const char* own = number_words[k].text;
        if (length == strlen(own) && memcmp(text, own, length) == 0) {
            bits = number_words[k].bits[narrow];
            word = true;
        }
    }
    if (word) {
        setti_number_store(narrow ? SETT_MEMBER_U32 : SETT_MEMBER_U64, (int64_t)bits, bytes);
        return NULL;
    }
    const char* wrong = number_read_decimal(kind, text, length, &value);
    if (wrong == NULL && narrow) {
        float single = (float)value;
        memcpy(bytes, &single, sizeof(single));
    } else if (wrong == NULL) {
        memcpy(bytes, &value, sizeof(value));
    }
    return wrong;
}

const char* setti_number_read(sett_member_kind kind, const char* text, size_t length, double scale,
                              void* bytes)
{
    if (!setti_number_is_integer(kind)) {
        return number_read_float(kind, text, length, bytes);
    }
    if (scale == 0) {
        return number_read_integer(kind, text, length, bytes);
    }
    double value;
    const char* wrong = number_read_decimal(SETT_MEMBER_F64, text, length, &value);
    if (wrong != NULL) {
        return wrong;
    }
    char whole[SETTI_NUMBER_SIZE];
    double number = value / scale;
    if (!(number > -1e10 && number < 1e10)) {
        return "is out of the range of its type";
    }
    number += number < 0 ? -0.5 : 0.5; /* the nearest, without libm */
    int size = snprintf(whole, sizeof(whole), "%lld", (long long)number);
    return number_read_integer(kind, whole, (size_t)size, bytes);
}
