/* slice.c: finds the slice that runs on the calling thread. Each slice stores the number of the
 * thread that runs the slice. A thread searches the slices for the own number. (A thread-local
 * variable would be state outside of a world.) Hints make searches rare: a hint is the latest slice
 * of a thread.
 *
 *     hints, by hash of the thread     |  2 |    |  0 |    |
 *                                         |         |
 *     slices, and the thread of each   | #7 | -- | #4 | ...
 *
 * A function that continues on another thread (a fiber) does not find its slice there, or finds the
 * slice of that thread. Such a function must use the context that was passed to it.
 *
 * Invariant:  only the thread that runs a slice sets slice.thread, between enter and leave
 */
#include "run/run.h"
#include "world/command.h"

#include <stdio.h>

/* Returns the hint for a thread. Threads with an equal hash share a hint. */
static setti_mark* slice_hint(setti_run* run, uintptr_t thread)
{
    uint64_t hash = (uint64_t)thread * UINT64_C(0x9E3779B97F4A7C15); /* Fibonacci hashing */
    return &run->hints[(hash >> 32) % SETTI_SLICE_HINTS];
}

void setti_slice_enter(setti_run* run, setti_slice* slice)
{
    SETTI_ASSERT(setti_mark_get(&slice->thread) == 0);
    uintptr_t thread = setti_platform_thread();
    SETTI_ASSERT(slice >= run->slices && slice < run->slices + run->slice_count);
    setti_mark_set(&slice->thread, thread);
    setti_mark_set(slice_hint(run, thread), (uintptr_t)(slice - run->slices));
}

void setti_slice_leave(setti_slice* slice)
{
    SETTI_ASSERT(setti_mark_get(&slice->thread) == setti_platform_thread());
    setti_mark_set(&slice->thread, 0);
}

setti_slice* setti_slice_here(setti_run* run)
{
    uintptr_t thread = setti_platform_thread();
    uintptr_t hint = setti_mark_get(slice_hint(run, thread));
    if (hint < run->slice_count && setti_mark_get(&run->slices[hint].thread) == thread) {
        return &run->slices[hint];
    }
    for (uint32_t k = 0; k < run->slice_count; k++) {
        if (setti_mark_get(&run->slices[k].thread) == thread) {
            return &run->slices[k];
        }
    }
    return NULL;
}

const char* setti_slice_name(const sett_world* world)
{
    const setti_slice* slice = setti_slice_here(setti_run_of(world));
    return slice != NULL ? slice->system->name : NULL;
}

void setti_slice_fail(const sett_world* world, sett_status status, const char* message)
{
    SETTI_ASSERT(world->side_by_side && status != SETT_OK);
    setti_run* run = setti_run_of(world);
    const setti_slice* slice = setti_slice_here(run);
    uint32_t number = 0;
    if (slice != NULL) {
        number = (uint32_t)(slice - run->slices);
    }
    setti_lock_take(&run->failure_lock);
    /* keeps the failure of the last slice, as if slices ran one after another */
    if (run->failure.status == SETT_OK || number >= run->failed) {
        run->failed = number;
        run->failure.status = status;
        snprintf(run->failure.message, sizeof(run->failure.message), "%s", message);
    }
    setti_lock_release(&run->failure_lock);
}

sett_commands* sett_commands_here(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    if (world->applying != NULL) {
        return world->applying;
    }
    if (world->busy) {
        const setti_slice* slice = setti_slice_here(setti_run_of(world));
        if (slice != NULL) {
            return slice->job->commands;
        }
    }
    return setti_world_commands(world);
}
