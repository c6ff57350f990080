/* number.c: converts numbers to text and back.
 *
 * The workload: texts of worlds, with integers and floats of usual sizes. The functions *_usual
 * convert floats of usual size, by exact arithmetic with integers. A float of 7 digits takes 160
 * instructions; printf and strtof took 3,400. All other floats go through printf and strtod, and
 * the locale's decimal point is replaced. Both ways write equal texts.
 *
 * Invariant:  read(write(v)) == v, for every integer, every float and every NaN
 */
#include "value/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the processor may round a quotient twice: first to a longer format, then to a double. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define NUMBER_ROUNDS_TWICE false
#else
#define NUMBER_ROUNDS_TWICE true
#endif

/* Floats that are written as texts without digits. */
static const struct {
    const char* text;
    uint64_t bits[2]; /* [0]: of an f64, [1]: of an f32 */
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
    unsigned char* lowest = (unsigned char*)&word; /* the lowest `size` bytes of the word */
    if (SETTI_BIG_ENDIAN) {                        /* the lowest bytes are at the end */
        lowest += sizeof(word) - size;
    }
    memcpy(lowest, bytes, size);
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    if (setti_number_is_signed(kind) && (word & sign) != 0) {
        word |= 0 - sign; /* extends the sign: sets all bits from the sign bit up */
    }
    return (int64_t)word;
}

void setti_number_store(sett_member_kind kind, int64_t number, void* bytes)
{
    uint32_t size = sett_member_kind_size(kind);
    uint64_t word = (uint64_t)number;
    const unsigned char* lowest = (const unsigned char*)&word; /* the lowest `size` bytes */
    if (SETTI_BIG_ENDIAN) {                                    /* the lowest bytes are at the end */
        lowest += sizeof(word) - size;
    }
    memcpy(bytes, lowest, size);
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

/* Replaces the locale's decimal separator by a point. Returns the new length of the text. */
static size_t number_put_point(char* text)
{
    size_t length = 0;
    bool in_separator = false; /* of several bytes, only the first becomes a point */
    for (const char* next = text; *next != '\0'; next++) {
        bool in_number = strchr("0123456789e+-", *next) != NULL;
        if (in_number) {
            text[length++] = *next;
        } else if (!in_separator) {
            text[length++] = '.';
        }
        in_separator = !in_number;
    }
    text[length] = '\0';
    return length;
}

/* Powers of ten: number_tens[n] is 10^n. */
#define NUMBER_TENS(n) (n), (n)*10u, (n)*100u, (n)*1000u, (n)*10000u
static const uint64_t number_tens[] = {NUMBER_TENS((uint64_t)1), NUMBER_TENS((uint64_t)100000),
                                       NUMBER_TENS((uint64_t)10000000000),
                                       NUMBER_TENS((uint64_t)1000000000000000)};

/* Holds a mantissa times a power of five. For the mantissa of an f32, 64 bits suffice. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 number_product;
#else
typedef uint64_t number_product;
#endif

size_t setti_number_digits(uint64_t number, char* out)
{
    char reversed[20]; /* the last digit comes first */
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

/* Writes a decimal number without an exponent. 10^power is the value of the first digit of
 * `number`: number 345 and power 1 give 34.5. */
static size_t number_write_digits(uint64_t number, int power, char* out)
{
    char text[20];
    size_t out_length = 0;
    while (number % 10 == 0) { /* drops zeroes at the end */
        number /= 10;
    }
    size_t length = setti_number_digits(number, text);
    size_t whole = 0; /* digits before the point */
    if (power >= 0) {
        whole = (size_t)power + 1;
    }
    if (whole == 0) {
        out[out_length++] = '0';
    }
    for (size_t k = 0; k < whole; k++) {
        out[out_length++] = k < length ? text[k] : '0';
    }
    if (length > whole) {
        out[out_length++] = '.';
    }
    for (int k = -1; k > power; k--) { /* zeroes after the point */
        out[out_length++] = '0';
    }
    for (size_t k = whole; k < length; k++) {
        out[out_length++] = text[k];
    }
    out[out_length] = '\0';
    return out_length;
}

/* Returns the exponent of a number's first digit: 2 for 345, -1 for 0.2. The number is >= 1e-4 and
 * < 1e15. */
static int number_power(double magnitude)
{
    if (magnitude < 1) {
        /* exact: the doubles 0.1, 0.01 and 0.001 are not below the decimal numbers */
        if (magnitude >= 0.1) {
            return -1;
        }
        if (magnitude >= 0.01) {
            return -2;
        }
        return magnitude >= 0.001 ? -3 : -4;
    }
    int power = 0;
    while (magnitude >= (double)number_tens[power + 1]) {
        power++;
    }
    return power;
}

/* Rounds mantissa * 2^exponent * 10^tens to an integer. Sets *exact if the integer, read back,
 * gives the same mantissa. */
static uint64_t number_round(uint64_t mantissa, int exponent, int tens, bool* exact)
{
    /* 5^tens = 10^tens / 2^tens. `product` grows by `five` if the mantissa grows by 1. */
    uint64_t five = number_tens[tens] >> tens;
    number_product product = (number_product)mantissa * five;
    int shift = -(exponent + tens); /* the exact number is product / 2^shift */
    SETTI_ASSERT(shift > 0 && shift < 64);
    uint64_t number = (uint64_t)(product >> shift);
    uint64_t one = (uint64_t)1 << shift; /* the number 1, in units of `product` */
    uint64_t fraction = (uint64_t)product & (one - 1);
    bool rounds_up = fraction > one / 2;
    if (fraction == one / 2) {
        rounds_up = (number & 1) != 0; /* half to even, like printf */
    }
    uint64_t distance = fraction; /* from the product to the rounded product */
    if (rounds_up) {
        distance = one - fraction;
        number++;
    }
    /* Less than half of `five`: the nearest mantissa is the given one. Exactly half is impossible,
     * because `five` is odd. */
    *exact = distance <= five / 2;
    return number;
}

/* Writes a float with the fewest digits that read back equal. Returns the length of the text.
 * Returns 0 if the float is not of usual size. */
static size_t number_write_usual(sett_member_kind kind, double value, char* out)
{
    bool narrow = kind == SETT_MEMBER_F32;
    double magnitude = value < 0 ? -value : value;
    double limit = narrow ? 1e6 : 1e15;
    if (magnitude < 1e-4 || magnitude >= limit) {
        return 0;
    }
    if (!narrow && sizeof(number_product) == 8) {
        return 0; /* the product needs 128 bits */
    }
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof(bits));
    int drop = narrow ? 29 : 0; /* bits of a double's mantissa that an f32's mantissa lacks */
    uint64_t hidden = (uint64_t)1 << (52 - drop); /* the mantissa's highest bit is not stored */
    uint64_t mantissa = (bits >> drop & (hidden - 1)) | hidden;
    /* magnitude = mantissa * 2^exponent; 1075 = the bias 1023 + 52 bits of the mantissa */
    int exponent = (int)(bits >> 52) - 1075 + drop;
    int power = number_power(magnitude);
    int most_digits = narrow ? 9 : 17; /* always suffice */
    for (int digits = narrow ? 6 : 15; digits <= most_digits; digits++) {
        bool exact;
        int decimals = digits - 1 - power;
        if (decimals >= 20) {
            return 0; /* number_tens has no such power */
        }
        uint64_t number = number_round(mantissa, exponent, decimals, &exact);
        if (number >= number_tens[digits]) {
            return 0; /* rounding up gave 10^digits: one digit more */
        }
        if (exact || digits == most_digits) {
            size_t sign = value < 0 ? 1 : 0;
            out[0] = '-'; /* overwritten if not negative */
            return sign + number_write_digits(number, power, out + sign);
        }
    }
    return 0;
}

/* Reads a float with the locale's decimal separator. `end` (may be NULL) gets the address after the
 * float. */
static double number_parse(sett_member_kind kind, const char* text, char** end)
{
    if (kind == SETT_MEMBER_F32) {
        return (double)strtof(text, end);
    }
    return strtod(text, end);
}

static size_t number_write_finite(sett_member_kind kind, double value, char* out)
{
    bool is_small = value > -1e6 && value < 1e6; /* small integers are the most frequent floats */
    bool is_integer = is_small && (double)(int)value == value;
    if (is_integer && !(value == 0 && signbit(value))) { /* not -0 */
        double magnitude = value < 0 ? -value : value;
        return number_write_integer(value < 0, (uint64_t)magnitude, out);
    }
    size_t length = number_write_usual(kind, value, out);
    if (length != 0) {
        return length;
    }
    int most_digits = (kind == SETT_MEMBER_F32) ? 9 : 17; /* always suffice */
    for (int digits = (kind == SETT_MEMBER_F32) ? 6 : 15; digits <= most_digits; digits++) {
        snprintf(out, SETTI_NUMBER_SIZE, "%.*g", digits, value);
        if (number_parse(kind, out, NULL) == value) {
            break; /* the digits suffice */
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
    uint64_t magnitude = (uint64_t)number;
    bool negative = number < 0 && kind != SETT_MEMBER_U64;
    if (negative) {
        magnitude = 0 - magnitude;
    }
    return number_write_integer(negative, magnitude, out);
}

/* Reads an integer: digits, with or without a minus before them. Returns the error, or NULL. */
static const char* number_read_integer(sett_member_kind kind, const char* text, size_t length,
                                       void* bytes)
{
    SETTI_ASSERT(setti_number_is_integer(kind));
    bool negative = length != 0 && text[0] == '-';
    size_t first = negative ? 1 : 0; /* the first digit */
    uint64_t number = 0;
    uint32_t bits = 8 * sett_member_kind_size(kind);
    uint64_t largest = UINT64_MAX >> (64 - bits);
    if (setti_number_is_signed(kind)) {
        largest /= 2; /* of an i8: 127 */
        if (negative) {
            largest++; /* of an i8: 128, because -128 is the least */
        }
    } else if (negative) {
        largest = 0; /* an unsigned integer may be -0 */
    }
    if (length == first) { /* no digits */
        return "the number is not an integer";
    }
    for (size_t k = first; k < length; k++) {
        uint64_t digit = (uint64_t)(unsigned char)text[k] - '0';
        if (digit > 9) {
            return "the number is not an integer";
        }
        /* tests number * 10 + digit > largest without overflow */
        if (digit > largest || number > (largest - digit) / 10) {
            return "the number is out of the range of the member's type";
        }
        number = number * 10 + digit;
    }
    if (negative) {
        number = 0 - number;
    }
    setti_number_store(kind, (int64_t)number, bytes);
    return NULL;
}

/* Reads "nan:" and the bits of a NaN as hexadecimal digits. Returns false for other texts. */
static bool number_read_nan(sett_member_kind kind, const char* text, size_t length, uint64_t* bits)
{
    static const char digits[] = "0123456789abcdef";
    size_t digit_count = kind == SETT_MEMBER_F32 ? 8 : 16;
    if (length != strlen("nan:") + digit_count || memcmp(text, "nan:", 4) != 0) {
        return false;
    }
    *bits = 0;
    for (size_t k = 4; k < length; k++) {
        const char* digit = strchr(digits, text[k]); /* for '\0', finds the end of `digits` */
        if (digit == NULL || *digit == '\0') {
            return false;
        }
        *bits = *bits << 4 | (uint64_t)(digit - digits);
    }
    if (kind == SETT_MEMBER_F32) { /* are these the bits of a NaN? */
        return (*bits & INT32_MAX) > SETTI_F32_INFINITY;
    }
    return (*bits & INT64_MAX) > SETTI_F64_INFINITY;
}

/* Copies a decimal number, and replaces the point by the locale's separator. Returns false if the
 * text is too long or has a character that no number has. */
static bool number_copy(const char* text, size_t length, char out[SETTI_NUMBER_TEXT + 8])
{
    char probe[16]; /* "0.5" with the locale's separator, which may have several bytes */
    int probe_length = snprintf(probe, sizeof(probe), "%.1f", 0.5);
    size_t out_length = 0;
    if (length == 0 || length > SETTI_NUMBER_TEXT || probe_length < 3) {
        return false;
    }
    for (size_t k = 0; k < length; k++) {
        bool digit = text[k] >= '0' && text[k] <= '9';
        bool sign = text[k] != '\0' && strchr("+-eE", text[k]) != NULL; /* strchr finds '\0' */
        if (text[k] == '.' && out_length + (size_t)probe_length < SETTI_NUMBER_TEXT + 8) {
            memcpy(out + out_length, probe + 1, (size_t)probe_length - 2); /* no 0, no 5 */
            out_length += (size_t)probe_length - 2;
        } else if (digit || sign) {
            out[out_length++] = text[k];
        } else {
            return false;
        }
    }
    out[out_length] = '\0';
    return true;
}

/* Reads a number of up to 15 digits without an exponent. Returns false for all other texts. */
static bool number_read_usual(sett_member_kind kind, const char* text, size_t length, double* out)
{
    uint64_t number = 0;
    bool negative = length != 0 && text[0] == '-';
    size_t first = negative ? 1 : 0; /* the first digit */
    size_t position = first;
    size_t fraction_start = 0; /* the position after the point; 0: no point was read */
    for (; position < length && number < 100000000000000; position++) { /* up to 15 digits */
        uint64_t digit = (uint64_t)(unsigned char)text[position] - '0';
        if (text[position] == '.' && fraction_start == 0 && position != first) {
            fraction_start = position + 1;
        } else if (digit > 9) {
            return false;
        } else {
            number = number * 10 + digit;
        }
    }
    size_t decimals = 0; /* digits after the point */
    if (fraction_start != 0) {
        decimals = position - fraction_start;
    }
    bool too_long = position != length || decimals > 19;
    /* a number needs digits, also after a point */
    bool lacks_digits = position == first || fraction_start == length;
    if (NUMBER_ROUNDS_TWICE || too_long || lacks_digits) {
        return false;
    }
    double value = (double)number / (double)number_tens[decimals]; /* both are exact: rounds once */
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    /* the mask has the 29 bits that the mantissa of an f32 lacks */
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
    char* end;
    if (number_read_usual(kind, text, length, out)) {
        return NULL;
    }
    if (!number_copy(text, length, copy)) {
        return "a number is expected";
    }
    *out = number_parse(kind, copy, &end);
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
        const char* word = number_words[k].text;
        if (length == strlen(word) && memcmp(text, word, length) == 0) {
            bits = number_words[k].bits[narrow];
            has_bits = true;
        }
    }
    if (has_bits) {
        setti_number_store(narrow ? SETT_MEMBER_U32 : SETT_MEMBER_U64, (int64_t)bits, bytes);
        return NULL;
    }
    const char* wrong = number_read_decimal(kind, text, length, &value);
    if (wrong != NULL) {
        return wrong;
    }
    if (narrow) {
        float single = (float)value;
        memcpy(bytes, &single, sizeof(single));
    } else {
        memcpy(bytes, &value, sizeof(value));
    }
    return NULL;
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
    char integer_text[SETTI_NUMBER_SIZE];
    double number = value / scale;
    if (!(number > -1e10 && number < 1e10)) { /* scaled integers have at most 32 bits */
        return "the number is out of the range of the member's type";
    }
    double magnitude = number < 0 ? -number : number;
    magnitude += 0.5; /* assigned, so that every processor rounds the sum to a double */
    uint64_t rounded = (uint64_t)magnitude;     /* to the nearest integer */
    bool negative = number < 0 && rounded != 0; /* 0 has no sign */
    size_t integer_length = number_write_integer(negative, rounded, integer_text);
    return number_read_integer(kind, integer_text, integer_length, bytes); /* checks the range */
}
