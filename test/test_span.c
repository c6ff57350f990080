/* test_span.c: the functions of a profiler: every span that begins ends, within the one around it;
 * what is wrong is rejected, and the functions that there are stay.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/state.h"
#include "sett/system.h"
#include "sett/trace.h"
#include "worlds.h"

static struct {
    sett_span_kind open[16];
    uint32_t depth;
    uint32_t seen[SETT_SPAN_RESTORE + 1];
} s;

static void begin_span(void* user, sett_span_kind kind, const char* name, uint64_t number)
{
    (void)number;
    CHECK(user == &s && name != NULL && s.depth < 16);
    CHECK((unsigned)kind <= SETT_SPAN_RESTORE);
    s.open[s.depth++] = kind;
    s.seen[kind]++;
}

static void end_span(void* user, sett_span_kind kind)
{
    CHECK(user == &s && s.depth != 0);
    CHECK_EQ(s.open[--s.depth], kind);
}

static void trace_from_inside(sett_context* context)
{
    sett_world* world = context->world;
    CHECK_EQ(sett_trace_set(world, NULL), SETT_STATUS_LOCKED);
    CHECK(!sett_is_null(sett_cmd_create(context->commands)));
}

static void spans_end_as_they_begin(void)
{
    memset(&s, 0, sizeof(s));
    sett_world* world = quiet_world();
    const sett_trace trace = {.user = &s, .begin = begin_span, .end = end_span};
    CHECK_EQ(sett_trace_set(NULL, &trace), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_trace_set(world, &(sett_trace){.begin = begin_span}), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_trace_set(world, &(sett_trace){.end = end_span}), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_trace_set(world, &trace), SETT_OK);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "inside",
                                                        .exclusive = true,
                                                        .run = trace_from_inside}) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_EQ(s.depth, 0);
    CHECK_EQ(s.seen[SETT_SPAN_FRAME], 1);
    CHECK_EQ(s.seen[SETT_SPAN_SYSTEM] + s.seen[SETT_SPAN_JOB], 1);
    CHECK(s.seen[SETT_SPAN_COMMANDS] != 0);
    CHECK_EQ(s.seen[SETT_SPAN_SNAPSHOT], 1);
    CHECK_EQ(s.seen[SETT_SPAN_RESTORE], 1);
    CHECK_EQ(sett_trace_set(world, NULL), SETT_OK);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(s.seen[SETT_SPAN_FRAME], 1);
    CHECK_END(world);
}

TEST_MAIN(TEST(spans_end_as_they_begin))
