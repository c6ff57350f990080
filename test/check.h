/* check.h: the test harness. A file of tests is a program, a test is a function without arguments.
 *
 *     static void adds_two(void)
 *     {
 *         CHECK_EQ(1 + 1, 2);
 *     }
 *
 *     TEST_MAIN(TEST(adds_two))
 *
 * Run without arguments it runs all tests, with names only those; --list prints the names. The
 * first check that fails prints file, line and both values and ends the program with status 1: what
 * comes after a broken promise is noise. The last line is always "N passed, N failed".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_CHECK_H
#define SETT_TEST_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define CHECK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CHECK_PRINTF(text, first)
#endif

/* ---- Checks -------------------------------------------------------------------------------------
 * Arguments are evaluated once. */

#define CHECK(condition)                                                                           \
    ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, "CHECK(%s)", #condition))

/* With a message of one's own, as for printf: CHECK_MSG(a < b, "round %d", round). */
#define CHECK_MSG(condition, ...)                                                                  \
    ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, __VA_ARGS__))

/* Integers of any type and sign: -1 does not equal UINT64_MAX. */
#define CHECK_EQ(a, b)                                                                             \
    check_integers(__FILE__, __LINE__, #a, #b, CHECK_INTEGER(a), CHECK_INTEGER(b))

#define CHECK_PTR_EQ(a, b) check_pointers(__FILE__, __LINE__, #a, #b, (a), (b))

/* Null equals null only. */
#define CHECK_STR_EQ(a, b) check_strings(__FILE__, __LINE__, #a, #b, (a), (b))

/* ---- The list of tests ----------------------------------------------------------------------- */

/* clang-format off */
#define TEST(function) {#function, function}
/* clang-format on */

#define TEST_MAIN(...)                                                                             \
    check_state check_progress;                                                                    \
    int main(int argc, char** argv)                                                                \
    {                                                                                              \
        static const check_test tests[] = {__VA_ARGS__};                                           \
        return check_run(tests, sizeof tests / sizeof tests[0], argc, argv);                       \
    }

/* How often or from where a test works, to be set from outside: check_setting("SETT_SEED", 1) is
 * the number in that environment variable, or 1. SETT_SHARE=4: a quarter of the operations. */
static inline uint64_t check_setting(const char* variable, uint64_t otherwise);

/* A test of many operations says at each tenth how far it is; a short one says nothing. Called
 * after each operation, or after some. */
static inline void check_print(uint64_t done, uint64_t all);

/* Under a sanitizer a round takes thirty times as long, and what it finds it finds in the first few
 * of a kind: CHECK_ROUNDS(n) is n, and there a tenth of it. For rounds of one random sequence only:
 * what each round does in its own way has to be done everywhere. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif
#define CHECK_ROUNDS(n) ((n) / (CHECK_SANITIZED ? 10 : 1))
/* The step of a walk over all of a kind: 1, and under a sanitizer more. A walk over each bit and
 * each length of a file takes every 31st there: that is odd, so it meets each bit of a byte. */
#define CHECK_STEP_OF(step) (CHECK_SANITIZED ? (step) : 1u)
#define CHECK_STEP CHECK_STEP_OF(31u)

/* ---- How it is done -------------------------------------------------------------------------- */

typedef struct check_test {
    const char* name;
    void (*function)(void);
} check_test;

/* An integer of any type: the sign apart, so that all of int64_t and uint64_t fit. */
typedef struct check_integer {
    bool negative;
    unsigned long long bits;
} check_integer;

/* clang-format off */
#define CHECK_INTEGER(x)                                                                           \
    _Generic((x),                                                                                  \
        _Bool: check_unsigned,                                                                     \
        unsigned char: check_unsigned,                                                             \
        unsigned short: check_unsigned,                                                            \
        unsigned int: check_unsigned,                                                              \
        unsigned long: check_unsigned,                                                             \
        unsigned long long: check_unsigned,                                                        \
        default: check_signed)(x)
/* clang-format on */

/* What the closing line counts. One program has one list of tests, so one such state, of however
 * many files it is made; it is defined where main is, as TEST_MAIN does. */
typedef struct check_state {
    const char* running;
    size_t passed;
    uint64_t notified; /* tenths of the test that runs, by check_print */
} check_state;

extern check_state check_progress;

static inline check_integer check_unsigned(unsigned long long value)
{
    return (check_integer){false, value};
}

static inline check_integer check_signed(long long value)
{
    return (check_integer){value < 0, (unsigned long long)value};
}

CHECK_PRINTF(3, 4)
_Noreturn static inline void check_failed(const char* file, int line, const char* format, ...)
{
    const char* test = check_progress.running;
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: ", file, line, test != NULL ? test : "(no test)");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    printf("%zu passed, 1 failed\n", check_progress.passed);
    fflush(stdout);
    /* Not exit: a checked program in an unknown state should not run its exit handlers, nor should
     * a leak of the failed test hide what failed. */
    _Exit(1);
}

static inline const char* check_format(check_integer value, char buffer[24])
{
    if (value.negative) {
        snprintf(buffer, 24, "%lld", (long long)value.bits);
    } else {
        snprintf(buffer, 24, "%llu", value.bits);
    }
    return buffer;
}

static inline void check_integers(const char* file, int line, const char* a_text,
                                  const char* b_text, check_integer a, check_integer b)
{
    if (a.negative != b.negative || a.bits != b.bits) {
        char a_buffer[24], b_buffer[24];
        check_failed(file, line, "CHECK_EQ(%s, %s): %s is not %s", a_text, b_text,
                     check_format(a, a_buffer), check_format(b, b_buffer));
    }
}

static inline void check_pointers(const char* file, int line, const char* a_text,
                                  const char* b_text, const void* a, const void* b)
{
    if (a != b) {
        check_failed(file, line, "CHECK_PTR_EQ(%s, %s): %p is not %p", a_text, b_text, a, b);
    }
}

static inline void check_strings(const char* file, int line, const char* a_text, const char* b_text,
                                 const char* a, const char* b)
{
    if (a && b ? strcmp(a, b) != 0 : a != b) {
        check_failed(file, line, "CHECK_STR_EQ(%s, %s): \"%s\" is not \"%s\"", a_text, b_text,
                     a ? a : "(null)", b ? b : "(null)");
    }
}

static inline uint64_t check_setting(const char* variable, uint64_t otherwise)
{
    const char* text = getenv(variable);
    if (!text || !*text) {
        bool shared = strcmp(variable, "SETT_OPERATIONS") == 0;
        return shared ? otherwise / check_setting("SETT_SHARE", 1) : otherwise;
    }
    char* end;
    unsigned long long value = strtoull(text, &end, 0);
    CHECK_MSG(*end == '\0', "%s=%s is not a number", variable, text);
    return value;
}

static inline void check_print(uint64_t done, uint64_t all)
{
    uint64_t tenth = all / 10;
    if (all >= 200000 && done >= tenth * (check_progress.notified + 1) &&
        check_progress.notified < 9) {
        check_progress.notified = done / tenth;
        printf("  %llu of %llu operations\n", (unsigned long long)done, (unsigned long long)all);
        fflush(stdout);
    }
}

static inline void check_run_one(const check_test* test)
{
    check_progress.running = test->name;
    check_progress.notified = 0;
    printf("%s\n", test->name);
    fflush(stdout);
    test->function();
    check_progress.passed++;
}

static inline int check_run(const check_test* tests, size_t count, int argc, char** argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++) {
            puts(tests[i].name);
        }
        return 0;
    }
    for (int a = 1; a < argc; a++) {
        size_t i = 0;
        while (i < count && strcmp(argv[a], tests[i].name) != 0) {
            i++;
        }
        CHECK_MSG(i < count, "no test is called %s", argv[a]);
        check_run_one(&tests[i]);
    }
    for (size_t i = 0; argc < 2 && i < count; i++) {
        check_run_one(&tests[i]);
    }
    printf("%zu passed, 0 failed\n", check_progress.passed);
    return 0;
}

#endif
