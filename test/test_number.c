/* test_number.c: numbers as text, and back: exactly, shortest, in every locale. */
#include "chance.h"
#include "check.h"
#include "value/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

static const char* written(sett_member_kind kind, const void* bytes, double scale)
{
    static char out[SETTI_NUMBER_SIZE];
    size_t length = setti_number_write(kind, bytes, scale, out);
    CHECK_EQ(length, strlen(out));
    return out;
}

/* What is written is read as the same bytes. */
static void check_round(sett_member_kind kind, const void* bytes, double scale)
{
    unsigned char back[8] = {0};
    const char* text = written(kind, bytes, scale);
    const char* wrong = setti_number_read(kind, text, strlen(text), scale, back);
    CHECK_MSG(wrong == NULL, "%s %s", text, wrong);
    CHECK_MSG(memcmp(back, bytes, sett_member_kind_size(kind)) == 0, "%s %s",
              sett_member_kind_name(kind), text);
}

static const sett_member_kind kinds[] = {
    SETT_MEMBER_I8,  SETT_MEMBER_U8,  SETT_MEMBER_I16, SETT_MEMBER_U16, SETT_MEMBER_I32,
    SETT_MEMBER_U32, SETT_MEMBER_I64, SETT_MEMBER_U64, SETT_MEMBER_F32, SETT_MEMBER_F64};

static void any_bits_come_back(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    for (int k = 0; k < CHECK_ROUNDS(100000); k++) {
        uint64_t bits = chance_draw(&state);
        if (k % 5 == 0) {
            bits |= 0x7FF000007F800000u; /* NaN, or infinite */
        }
        if (k % 7 == 0) {
            bits &= 0xFFF0000000000000u;
        }
        sett_member_kind kind = kinds[chance_below(&state, 10)];
        check_round(kind, &bits, 0);
        if (kind >= SETT_MEMBER_I8 && kind <= SETT_MEMBER_U32) {
            check_round(kind, &bits, 1.0 / 65536);
            check_round(kind, &bits, 0.001);
            check_round(kind, &bits, 3);
        }
    }
}

/* The text of a finite float by printf alone. */
static void print_float(bool narrow, double value, char out[SETTI_NUMBER_SIZE])
{
    if (value > -1e6 && value < 1e6 && (double)(int)value == value &&
        !(value == 0 && signbit(value))) {
        snprintf(out, SETTI_NUMBER_SIZE, "%d", (int)value);
        return;
    }
    for (int digits = narrow ? 6 : 15;; digits++) {
        snprintf(out, SETTI_NUMBER_SIZE, "%.*g", digits, value);
        if (narrow ? (double)strtof(out, NULL) == value : strtod(out, NULL) == value) {
            return;
        }
    }
}

static void check_as_printed(bool narrow, double value)
{
    char text[SETTI_NUMBER_SIZE];
    double back;
    float single = (float)value;
    sett_member_kind kind = narrow ? SETT_MEMBER_F32 : SETT_MEMBER_F64;
    if (!isfinite(value) || (narrow && !isfinite(single))) {
        return;
    }
    value = narrow ? (double)single : value;
    print_float(narrow, value, text);
    CHECK_STR_EQ(written(kind, narrow ? (const void*)&single : (const void*)&value, 0), text);
    (void)setti_number_read(kind, text, strlen(text), 0, narrow ? (void*)&single : (void*)&back);
    back = narrow ? (double)single : back;
    CHECK_MSG(back == value && signbit(back) == signbit(value), "%s", text);
}

/* The floats with the bits of a double, and those before and behind it. */
static void check_beside(uint64_t bits)
{
    for (uint64_t k = bits - 1; k <= bits + 1; k++) {
        double wide;
        memcpy(&wide, &k, sizeof(wide));
        check_as_printed(false, wide);
        uint64_t far = bits + ((k - bits) << 29); /* of an f32 */
        memcpy(&wide, &far, sizeof(wide));
        check_as_printed(true, wide);
    }
}

/* A few digits with a point in them: read as strtod reads them. */
static void check_read(uint64_t* state)
{
    char text[SETTI_NUMBER_SIZE];
    double wide;
    float narrow;
    int digits = 1 + (int)chance_below(state, 18);
    int point = (int)chance_below(state, (uint32_t)digits + 8);
    int used = snprintf(text, sizeof(text), "%s", chance_below(state, 2) != 0 ? "-" : "");
    for (int k = 0; k < digits; k++) {
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%d",
                         k == point && k != 0 ? "." : "", (int)chance_below(state, 10));
    }
    CHECK(setti_number_read(SETT_MEMBER_F64, text, strlen(text), 0, &wide) == NULL);
    CHECK(setti_number_read(SETT_MEMBER_F32, text, strlen(text), 0, &narrow) == NULL);
    double by_strtod = strtod(text, NULL);
    float by_strtof = strtof(text, NULL);
    CHECK_MSG(memcmp(&wide, &by_strtod, sizeof(wide)) == 0, "%s", text);
    CHECK_MSG(memcmp(&narrow, &by_strtof, sizeof(narrow)) == 0, "%s", text);
}

static void texts_are_those_of_printf(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    for (int k = 0; k < CHECK_ROUNDS(100000); k++) {
        uint64_t bits = chance_draw(&state);
        double ten = (double)(uint64_t)(bits % 1000003) / 1000;
        float single;
        double wide;
        memcpy(&single, &bits, sizeof(single));
        memcpy(&wide, &bits, sizeof(wide));
        check_as_printed(true, (double)single);
        check_as_printed(false, wide);
        /* of usual size; with few digits; beside a power of two or ten */
        uint64_t exponent = (uint64_t)(1003 + chance_below(&state, 72)) << 52;
        bits = bits >> 12 | exponent;
        memcpy(&wide, &bits, sizeof(wide));
        check_as_printed(true, wide);
        check_as_printed(false, wide);
        check_as_printed(true, -ten);
        check_as_printed(false, ten);
        check_beside(exponent);
        for (ten = 1e-4; ten < 1e16 && k % 64 == 0; ten *= 10) {
            memcpy(&bits, &ten, sizeof(bits));
            check_beside(bits);
        }
        check_read(&state);
    }
    /* in the middle of two floats, or nearer to it than a double is */
    static const char* const middles[] = {
        "16777217",           "1.00000005960464477",  "1.000000059604644",
        "1.0000000596046448", "33554434.0",           "8388608.5",
        "0.0470223817974329", "0.000496562774060294", "0.00753733073361218",
        "3.42340624332428"};
    for (size_t k = 0; k < sizeof(middles) / sizeof(middles[0]); k++) {
        float read;
        CHECK(setti_number_read(SETT_MEMBER_F32, middles[k], strlen(middles[k]), 0, &read) == NULL);
        CHECK_MSG(read == strtof(middles[k], NULL), "%s", middles[k]);
    }
}

static void texts_are_the_shortest(void)
{
    float f = 0.1f;
    CHECK_STR_EQ(written(SETT_MEMBER_F32, &f, 0), "0.1");
    f = -0.0f;
    CHECK_STR_EQ(written(SETT_MEMBER_F32, &f, 0), "-0");
    f = 16777216.0f;
    CHECK_STR_EQ(written(SETT_MEMBER_F32, &f, 0), "16777216");
    f = 3.4028235e38f;
    CHECK_STR_EQ(written(SETT_MEMBER_F32, &f, 0), "3.4028235e+38");
    double d = 0.1;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "0.1");
    d = 1e22;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "1e+22");
    d = 0.30000000000000004; /* 0.1 + 0.2 in doubles */
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "0.30000000000000004");
    d = 5e-324;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "4.94065645841247e-324");
    d = -(double)INFINITY;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "-Infinity");
    uint64_t bits = 0x7FF8000000000001u;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &bits, 0), "nan:7ff8000000000001");
    bits--;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &bits, 0), "NaN");
    int32_t fixed = 69238784;
    CHECK_STR_EQ(written(SETT_MEMBER_I32, &fixed, 1.0 / 65536), "1056.5");
    bits = UINT64_MAX;
    CHECK_STR_EQ(written(SETT_MEMBER_U64, &bits, 0), "18446744073709551615");
    CHECK_STR_EQ(written(SETT_MEMBER_I64, &bits, 0), "-1");
}

static void ranges_and_forms_are_checked(void)
{
    static const struct {
        sett_member_kind kind;
        const char* text;
        bool good;
    } cases[] = {
        {SETT_MEMBER_I8, "-128", true},
        {SETT_MEMBER_I8, "127", true},
        {SETT_MEMBER_I8, "128", false},
        {SETT_MEMBER_I8, "-129", false},
        {SETT_MEMBER_U8, "255", true},
        {SETT_MEMBER_U8, "256", false},
        {SETT_MEMBER_U8, "-1", false},
        {SETT_MEMBER_U8, "-0", true},
        {SETT_MEMBER_U64, "18446744073709551615", true},
        {SETT_MEMBER_U64, "18446744073709551616", false},
        {SETT_MEMBER_I64, "-9223372036854775808", true},
        {SETT_MEMBER_I64, "-9223372036854775809", false},
        {SETT_MEMBER_I64, "9223372036854775808", false},
        {SETT_MEMBER_I32, "", false},
        {SETT_MEMBER_I32, "-", false},
        {SETT_MEMBER_I32, "1.5", false},
        {SETT_MEMBER_I32, "1x", false},
        {SETT_MEMBER_F32, "1e39", false},
        {SETT_MEMBER_F32, "1e38", true},
        {SETT_MEMBER_F64, "1e309", false},
        {SETT_MEMBER_F64, "1e-400", true},
        {SETT_MEMBER_F64, "", false},
        {SETT_MEMBER_F64, "1,5", false},
        {SETT_MEMBER_F64, "0x10", false},
        {SETT_MEMBER_F64, "inf", false},
        {SETT_MEMBER_F64, "nan", false},
        {SETT_MEMBER_F64, "nan:7ff0000000000000", false},
        {SETT_MEMBER_F64, "nan:7ff800000000000", false},
        {SETT_MEMBER_F32, "nan:7fc0000g", false},
        {SETT_MEMBER_F32, "Infinity", true},
        {SETT_MEMBER_F64, "1e", false},
        {SETT_MEMBER_F64, "--1", false},
    };
    unsigned char out[8];
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        const char* wrong =
            setti_number_read(cases[k].kind, cases[k].text, strlen(cases[k].text), 0, out);
        CHECK_MSG((wrong == NULL) == cases[k].good, "%s \"%s\": %s",
                  sett_member_kind_name(cases[k].kind), cases[k].text, wrong ? wrong : "taken");
    }
    CHECK(setti_number_read(SETT_MEMBER_I16, "0.25", 4, 1.0 / 65536, out) == NULL);
    CHECK(setti_number_read(SETT_MEMBER_I16, "1", 1, 1.0 / 65536, out) != NULL);
    CHECK(setti_number_read(SETT_MEMBER_I16, "1e300", 5, 1e-30, out) != NULL);
}

static void locales_do_not_matter(void)
{
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"};
    size_t k = 0;
    while (setlocale(LC_NUMERIC, names[k]) == NULL) {
        k++;
    }
    double d = 1234567.25;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "1234567.25");
    check_round(SETT_MEMBER_F64, &d, 0);
    d = 1.5e22;
    CHECK_STR_EQ(written(SETT_MEMBER_F64, &d, 0), "1.5e+22");
    check_round(SETT_MEMBER_F64, &d, 0);
    setlocale(LC_NUMERIC, "C");
}

TEST_MAIN(TEST(any_bits_come_back), TEST(texts_are_those_of_printf), TEST(texts_are_the_shortest),
          TEST(ranges_and_forms_are_checked), TEST(locales_do_not_matter))
