/* number.c: converts numbers to text and back.
 *
 * The workload: texts of worlds, with integers and floats of usual sizes. The functions *_usual
 * convert usual floats with integers, exactly: 160 instructions for a float of 7 digits, where
 * printf and strtof took 3,400. printf and strtod convert other floats, with the locale's decimal
 * point replaced. Both ways write equal texts.
 *
 * Invariant:  read(write(v)) == v, for every integer, every float and every NaN
 */
#include "value/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the processor rounds a quotient twice, because it first rounds to a longer format. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define NUMBER_ROUNDS_TWICE false
#else
#define NUMBER_ROUNDS_TWICE true
#endif

/* Floats that are written as texts without digits. */
static const struct {
    const char* text;
    uint64_t bits[2]; /* of an f64, of an f32 */
} number_words[] = {
    {"NaN", {0x7FF8000000000000u, 0x7FC00000u}},
    {"Infinity", {SETTI_F64_INFINITY, SETTI_F32_INFINITY}},
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
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    bool negative = setti_number_is_signed(kind) && (word & sign) != 0;
    return (int64_t)(negative ? word | (0 - sign) : word); /* extends the sign */
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

/* Replaces the locale's decimal separator by a point. Returns the length. */
static size_t number_put_point(char* text)
{
    size_t length = 0;
    bool in_separator = false; /* may have several bytes */
    for (const char* at = text; *at != '\0'; at++) {
        bool plain = (*at >= '0' && *at <= '9') || *at == 'e' || *at == '+' || *at == '-';
        if (plain || !in_separator) {
            text[length++] = plain ? *at : '.';
        }
        in_separator = !plain;
    }
    text[length] = '\0';
    return length;
}

/* Powers of ten, in lines of five. */
#define NUMBER_TENS(n) (n), (n)*10u, (n)*100u, (n)*1000u, (n)*10000u
static const uint64_t number_tens[] = {NUMBER_TENS((uint64_t)1), NUMBER_TENS((uint64_t)100000),
                                       NUMBER_TENS((uint64_t)10000000000),
                                       NUMBER_TENS((uint64_t)1000000000000000)};

/* A mantissa times a power of five. 64 bits suffice for f32. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 number_product;
#else
typedef uint64_t number_product;
#endif

size_t setti_number_digits(uint64_t number, char* out)
{
    char reversed[20];
    size_t length = 0;
    do {
        reversed[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    for (size_t k = 0; k < length; k++) {
        out[k] = reversed[length - 1 - k];
    }
    return length;
}

static size_t number_write_integer(bool negative, uint64_t number, char* out)
{
    size_t sign = negative ? 1 : 0;
    out[0] = '-'; /* overwritten if not negative */
    size_t length = sign + setti_number_digits(number, out + sign);
    out[length] = '\0';
    return length;
}

/* Writes digits and a point. The first digit stands for a multiple of 10^power. */
static size_t number_write_digits(uint64_t number, int power, char* out)
{
    char text[20];
    size_t used = 0;
    while (number % 10 == 0) { /* zeroes at the end */
        number /= 10;
    }
    size_t length = setti_number_digits(number, text);
    size_t whole = power < 0 ? 0 : (size_t)power + 1; /* digits before the point */
    if (whole == 0) {
        out[used++] = '0';
    }
    for (size_t k = 0; k < whole; k++) {
        out[used++] = k < length ? text[k] : '0';
    }
    if (length > whole) {
        out[used++] = '.';
    }
    for (int k = -1; k > power; k--) { /* zeroes after the point */
        out[used++] = '0';
    }
    for (size_t k = whole; k < length; k++) {
        out[used++] = text[k];
    }
    out[used] = '\0';
    return used;
}

/* Returns the power of ten of a number's first digit, for numbers from 1e-4 to 1e15. */
static int number_power(double size)
{
    if (size < 1) {
        /* exact: the doubles 0.1, 0.01 and 0.001 are not below the decimal numbers */
        return -1 - (size < 0.1) - (size < 0.01) - (size < 0.001); /* -1 to -4 */
    }
    int power = 0;
    while (size >= (double)number_tens[power + 1]) {
        power++;
    }
    return power;
}

/* Rounds mantissa * 2^exponent * 10^tens to an integer. *same: the result reads back equal. */
static uint64_t number_round(uint64_t mantissa, int exponent, int tens, bool* same)
{
    uint64_t five = number_tens[tens] >> tens; /* 5^tens: a step of the mantissa, in `product` */
    number_product product = (number_product)mantissa * five;
    int shift = -(exponent + tens); /* number = product / 2^shift */
    SETTI_ASSERT(shift > 0 && shift < 64);
    uint64_t number = (uint64_t)(product >> shift);
    uint64_t one = (uint64_t)1 << shift;
    uint64_t rest = (uint64_t)product & (one - 1);
    /* half to even, like printf */
    bool up = rest > one / 2 || (rest == one / 2 && (number & 1) != 0);
    uint64_t distance = up ? one - rest : rest;
    *same = distance <= five / 2; /* at most half a step; five is odd, so that it is never half */
    return up ? number + 1 : number;
}

/* Writes a float of usual size, with the fewest digits. Returns the length, or 0 for others. */
static size_t number_write_usual(sett_member_kind kind, double value, char* out)
{
    bool narrow = kind == SETT_MEMBER_F32;
    double size = value < 0 ? -value : value;
    if (!(size >= 1e-4 && size < (narrow ? 1e6 : 1e15))) {
        return 0; /* no usual size */
    }
    if (!narrow && sizeof(number_product) == 8) {
        return 0; /* the product would be too large */
    }
    uint64_t bits;
    memcpy(&bits, &size, sizeof(bits));
    int drop = narrow ? 29 : 0; /* mantissa bits of a double that an f32 does not have */
    uint64_t hidden = (uint64_t)1 << (52 - drop); /* the mantissa's highest bit, not stored */
    uint64_t mantissa = (bits >> drop & (hidden - 1)) | hidden;
    int exponent = (int)(bits >> 52) - 1075 + drop; /* size = mantissa * 2^exponent */
    int power = number_power(size);
    int most = narrow ? 9 : 17;
    for (int digits = narrow ? 6 : 15; digits <= most; digits++) {
        bool same;
        int decimals = digits - 1 - power;
        if (decimals >= 20) {
            return 0; /* number_tens has no such power */
        }
        uint64_t number = number_round(mantissa, exponent, decimals, &same);
        if (number >= number_tens[digits]) {
            return 0; /* rounding up gave one digit more */
        }
        if (same || digits == most) {
            size_t sign = value < 0 ? 1 : 0;
            out[0] = '-'; /* overwritten if not negative */
            return sign + number_write_digits(number, power, out + sign);
        }
    }
    return 0;
}

static size_t number_write_finite(sett_member_kind kind, double value, char* out)
{
    bool small = value > -1e6 && value < 1e6; /* small integers are the most frequent floats */
    if (small && (double)(int)value == value && !(value == 0 && signbit(value))) { /* not -0 */
        return number_write_integer(value < 0, (uint64_t)(value < 0 ? -value : value), out);
    }
    size_t usual = number_write_usual(kind, value, out);
    if (usual != 0) {
        return usual;
    }
    int most = kind == SETT_MEMBER_F32 ? 9 : 17;
    for (int digits = kind == SETT_MEMBER_F32 ? 6 : 15; digits <= most; digits++) {
        snprintf(out, SETTI_NUMBER_SIZE, "%.*g", digits, value);
        double back = kind == SETT_MEMBER_F32 ? (double)strtof(out, NULL) : strtod(out, NULL);
        if (back == value) {
            break; /* enough digits */
        }
    }
    return number_put_point(out);
}

static size_t number_write_float(sett_member_kind kind, const void* bytes, char* out)
{
    double value = setti_number_float(kind, bytes);
    if (isfinite(value)) {
        return number_write_finite(kind, value, out);
    }
    bool narrow = kind == SETT_MEMBER_F32;
    uint64_t bits = (uint64_t)setti_number_load(narrow ? SETT_MEMBER_U32 : SETT_MEMBER_U64, bytes);
    for (size_t k = 0; k < sizeof(number_words) / sizeof(number_words[0]); k++) {
        if (bits == number_words[k].bits[narrow]) {
            return (size_t)snprintf(out, SETTI_NUMBER_SIZE, "%s", number_words[k].text);
        }
    }
    return (size_t)snprintf(out, SETTI_NUMBER_SIZE, "nan:%0*llx", narrow ? 8 : 16,
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
    bool negative = number < 0 && kind != SETT_MEMBER_U64;
    uint64_t size = negative ? 0 - (uint64_t)number : (uint64_t)number;
    return number_write_integer(negative, size, out);
}

static const char* number_read_integer(sett_member_kind kind, const char* text, size_t length,
                                       void* bytes)
{
    SETTI_ASSERT(setti_number_is_integer(kind));
    bool negative = length != 0 && text[0] == '-';
    size_t first = negative ? 1 : 0; /* the first digit */
    uint64_t number = 0;
    uint32_t bits = 8 * sett_member_kind_size(kind);
    uint64_t most = UINT64_MAX >> (64 - bits);
    if (setti_number_is_signed(kind)) {
        most = most / 2 + (negative ? 1 : 0); /* of an i8: 127, or 128 if negative */
    } else if (negative) {
        most = 0;
    }
    if (length == first) {
        return "the number is not an integer";
    }
    for (size_t k = first; k < length; k++) {
        uint64_t digit = (uint64_t)(unsigned char)text[k] - '0';
        if (digit > 9) {
            return "the number is not an integer";
        }
        if (number > (most - digit) / 10 || digit > most) { /* number * 10 + digit > most */
            return "the number is out of the range of the member's type";
        }
        number = number * 10 + digit;
    }
    setti_number_store(kind, (int64_t)(negative ? 0 - number : number), bytes);
    return NULL;
}

/* Reads "nan:" and the bits of a NaN. Returns false for other texts. */
static bool number_read_nan(sett_member_kind kind, const char* text, size_t length, uint64_t* bits)
{
    static const char digits[] = "0123456789abcdef";
    if (length != 4u + (kind == SETT_MEMBER_F32 ? 8 : 16) || memcmp(text, "nan:", 4) != 0) {
        return false;
    }
    *bits = 0;
    for (size_t k = 4; k < length; k++) {
        const char* at = text[k] != '\0' ? strchr(digits, text[k]) : NULL;
        if (at == NULL) {
            return false;
        }
        *bits = *bits << 4 | (uint64_t)(at - digits);
    }
    if (kind == SETT_MEMBER_F32) {
        return (*bits & INT32_MAX) > SETTI_F32_INFINITY;
    }
    return (*bits & INT64_MAX) > SETTI_F64_INFINITY;
}

/* Copies a decimal number with the locale's separator. Returns false if the text is invalid. */
static bool number_copy(const char* text, size_t length, char out[SETTI_NUMBER_TEXT + 8])
{
    char probe[16]; /* "0.5" with the locale's separator, which may have several bytes */
    int size = snprintf(probe, sizeof(probe), "%.1f", 0.5);
    size_t used = 0;
    if (length == 0 || length > SETTI_NUMBER_TEXT || size < 3) {
        return false;
    }
    for (size_t k = 0; k < length; k++) {
        bool digit = text[k] >= '0' && text[k] <= '9';
        bool sign = text[k] != '\0' && strchr("+-eE", text[k]) != NULL; /* finds '\0' too */
        if (text[k] == '.' && used + (size_t)size < SETTI_NUMBER_TEXT + 8) {
            memcpy(out + used, probe + 1, (size_t)size - 2); /* the separator */
            used += (size_t)size - 2;
        } else if (digit || sign) {
            out[used++] = text[k];
        } else {
            return false;
        }
    }
    out[used] = '\0';
    return true;
}

/* Reads a number of up to 15 digits. Returns false for other texts. */
static bool number_read_usual(sett_member_kind kind, const char* text, size_t length, double* out)
{
    uint64_t number = 0;
    bool negative = length != 0 && text[0] == '-';
    size_t first = negative ? 1 : 0; /* the first digit */
    size_t at = first;
    size_t point = 0; /* offset of the digits after the point; 0: no point yet */
    for (; at < length && number < 100000000000000; at++) {
        uint64_t digit = (uint64_t)(unsigned char)text[at] - '0';
        if (text[at] == '.' && point == 0 && at != first) {
            point = at + 1;
        } else if (digit > 9) {
            return false;
        } else {
            number = number * 10 + digit;
        }
    }
    size_t decimals = point != 0 ? at - point : 0;
    bool too_long = at != length || decimals > 19;
    bool lacks_digits = at == first || point == length; /* before or after the point */
    if (NUMBER_ROUNDS_TWICE || too_long || lacks_digits) {
        return false;
    }
    double value = (double)number / (double)number_tens[decimals]; /* rounds once */
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (kind == SETT_MEMBER_F32 && (bits & 0x1FFFFFFF) == 0x10000000) {
        return false; /* halfway between two f32: a second rounding may be wrong */
    }
    if (kind == SETT_MEMBER_F32) {
        value = (double)(float)value;
    }
    *out = negative ? -value : value;
    return true;
}

static const char* number_read_decimal(sett_member_kind kind, const char* text, size_t length,
                                       double* out)
{
    SETTI_ASSERT(kind == SETT_MEMBER_F32 || kind == SETT_MEMBER_F64);
    char copy[SETTI_NUMBER_TEXT + 8];
    char* end = copy;
    if (number_read_usual(kind, text, length, out)) {
        return NULL;
    }
    if (number_copy(text, length, copy)) {
        *out = kind == SETT_MEMBER_F32 ? (double)strtof(copy, &end) : strtod(copy, &end);
    }
    if (end == copy || *end != '\0') {
        return "a number is expected";
    }
    return isfinite(*out) ? NULL : "the number is out of the range of the member's type";
}

static const char* number_read_float(sett_member_kind kind, const char* text, size_t length,
                                     void* bytes)
{
    uint64_t bits = 0;
    double value = 0;
    bool narrow = kind == SETT_MEMBER_F32;
    bool has_bits = number_read_nan(kind, text, length, &bits);
    for (size_t k = 0; k < sizeof(number_words) / sizeof(number_words[0]); k++) {
        const char* known = number_words[k].text;
        if (length == strlen(known) && memcmp(text, known, length) == 0) {
            bits = number_words[k].bits[narrow];
            has_bits = true;
        }
    }
    if (has_bits) {
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
    if (!(number > -1e10 && number < 1e10)) { /* scaled integers have at most 32 bits */
        return "the number is out of the range of the member's type";
    }
    number += number < 0 ? -0.5 : 0.5; /* the conversion to an integer then rounds to nearest */
    bool negative = number <= -1;      /* 0 has no sign */
    size_t size = number_write_integer(negative, (uint64_t)(number < 0 ? -number : number), whole);
    return number_read_integer(kind, whole, size, bytes);
}
