/* test_trace_null.c: NULL in each place where a function of sett_trace.h takes an address: the call
 * does nothing. */
#include "null_calls.h"
#include "sett_trace.h"

#define CALLS(NAMED, FINE)                                                                         \
    FINE(sett_trace_file_destroy, (sett_trace_file_destroy(NULL), true))                           \
    NAMED(sett_trace_file_begin, (sett_trace_file_begin(NULL, SETT_SPAN_FRAME, "x", 0), true))     \
    NAMED(sett_trace_file_begin, (sett_trace_file_begin(file, SETT_SPAN_FRAME, NULL, 0), true))    \
    NAMED(sett_trace_file_end, (sett_trace_file_end(NULL, SETT_SPAN_FRAME), true))                 \
    NAMED(sett_trace_file_lost, sett_trace_file_lost(NULL) == 0)                                   \
    NAMED(sett_trace_file_save, !sett_trace_file_save(NULL, "x"))                                  \
    NAMED(sett_trace_file_save, !sett_trace_file_save(file, NULL))                                 \
    NAMED(sett_trace_file_clear, (sett_trace_file_clear(NULL), true))

static void null_is_harmless(void)
{
    sett_trace_file* file = sett_trace_file_create(10);
    CALLS(NULL_NAMED, NULL_FINE)
    sett_trace_file_destroy(file);
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/trace/sett_trace.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))
