/* trace.h: reports the begin and end of spans of time to the profiler. */
#ifndef SETTI_TRACE_H
#define SETTI_TRACE_H

#include "world/world.h"

SETTI_INLINE void setti_trace_begin(const sett_world* world, sett_span_kind kind, const char* name,
                                    uint64_t number)
{
    if (SETTI_UNLIKELY(world->trace.begin != NULL)) {
        world->trace.begin(world->trace.user, kind, name, number);
    }
}

SETTI_INLINE void setti_trace_end(const sett_world* world, sett_span_kind kind)
{
    if (SETTI_UNLIKELY(world->trace.begin != NULL)) {
        world->trace.end(world->trace.user, kind);
    }
}

#endif
