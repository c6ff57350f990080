/* trace.h: what a world does, as spans of time, for a profiler.
 *
 *     static void begin(void* user, sett_span_kind kind, const char* name, uint64_t number)
 *     {
 *         my_profiler_push(name);
 *     }
 *
 *     static void end(void* user, sett_span_kind kind)
 *     {
 *         my_profiler_pop();
 *     }
 *
 *     sett_trace_set(world, &(sett_trace){.begin = begin, .end = end});
 *
 * addons/trace writes spans as a file that Perfetto and chrome://tracing open. Tracy's zones need
 * ___tracy_emit_zone_begin_alloc and ___tracy_emit_zone_end in these two functions; Debian 12 has
 * no package of it, so that is not tested.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TRACE_H
#define SETT_TRACE_H

#include "sett/core.h"

/* What takes time. Spans of one thread lie inside of each other. */
typedef enum sett_span_kind {
    SETT_SPAN_FRAME,    /* sett_progress; number: frames so far */
    SETT_SPAN_SYSTEM,   /* a system, by its name, that runs as one job */
    SETT_SPAN_JOB,      /* one of several jobs of a system; number: which one */
    SETT_SPAN_COMMANDS, /* recorded commands are applied; number: how many */
    SETT_SPAN_SNAPSHOT, /* a snapshot is taken */
    SETT_SPAN_RESTORE   /* a snapshot is restored */
} sett_span_kind;

/* Both functions are called by the thread that does it: jobs run on several at once. They must not
 * call the world. All zeroes: none is called. */
typedef struct sett_trace {
    /* `name` is that of the system, else "frame", "commands", "snapshot", "restore" */
    void (*begin)(void* user, sett_span_kind kind, const char* name, uint64_t number);
    void (*end)(void* user, sett_span_kind kind);
    void* user;
} sett_trace;

/* Sets the functions; NULL ends it. Without them each of these places costs one comparison.
 * Fails: ARGUMENT (one of two functions), LOCKED (systems run, or commands are applied).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_trace_set(sett_world* world, const sett_trace* trace);

#endif
