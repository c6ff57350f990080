/* trace.c: sets the profiler of a world.
 *
 * The workload: some hundred spans in a frame, or no profiler at all. Without a profiler, the begin
 * of a span only compares a pointer. The profiler reads the time.
 *
 * Invariant:  spans of a thread are properly nested; the profiler does not change inside of a span
 */
#include "world/trace.h"

sett_status sett_trace_set(sett_world* world, const sett_trace* trace)
{
    static const sett_trace none = {NULL, NULL, NULL};
    trace = trace != NULL ? trace : &none;
    sett_status status = setti_world_check_unlocked(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    if (world->busy || world->applying != NULL) {
        const char* running = world->applier;
        if (world->busy) {
            running = setti_world_frame_call(world);
        }
        return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                     "%s: %s is running - make this call after it has returned",
                                     __func__, running);
    }
    if ((trace->begin == NULL) != (trace->end == NULL)) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: one of `begin` and `end` is NULL - set both", __func__);
    }
    world->trace = *trace;
    return SETT_OK;
}
