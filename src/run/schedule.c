/* schedule.c: in which order systems run, and which of them side by side.
 *
 * The workload: some dozens of systems, made once. So the schedule is worked out anew, in steps of
 * O(systems squared), when a frame finds that something was made or ended.
 *
 *     1. by phase, in a phase by creation;
 *     2. in a phase: always the first of those left that is after none of those left: its place;
 *     3. stage = 1 + the highest stage of those in earlier places that it is after or conflicts
 *        with, 0 if there are none;
 *     4. by stage, in a stage by place.
 *
 *     sorted   | input | move  age | turn | draw |
 *     stages     0       1            2      3
 *
 * Invariant, once scheduled:  sorted holds every system once, by phase, stage and place;
 *             stages cut it without gaps, where phase or stage changes;
 *             two systems of a stage neither conflict nor is one after the other
 */
#include "run/run.h"

#include <stdio.h>

/* Whether it was said that `a` runs before `b`. */
static bool schedule_is_said(const sett_system* a, const sett_system* b)
{
    for (uint32_t k = 0; k < a->order_count; k++) {
        if (!a->order[k].after && a->order[k].other == b) {
            return true;
        }
    }
    for (uint32_t k = 0; k < b->order_count; k++) {
        if (b->order[k].after && b->order[k].other == a) {
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------------------- cycles */

/* Writes `text` in front of what stands at path + at; nothing, if there is no room. */
static size_t schedule_prepend(char* path, size_t at, const char* text)
{
    size_t length = strlen(text);
    if (length <= at) {
        memcpy(path + at - length, text, length);
        at -= length;
    }
    return at;
}

static sett_status schedule_fail_cycle(const sett_system* start, const sett_system* last,
                                       const char* call)
{
    char path[SETTI_MESSAGE_SIZE / 2];
    size_t at = sizeof(path) - 1;
    path[at] = '\0';
    at = schedule_prepend(path, at, start->name);
    for (const sett_system* from = last; from != start; from = from->walk_from) {
        at = schedule_prepend(path, schedule_prepend(path, at, " -> "), from->name);
    }
    at = schedule_prepend(path, schedule_prepend(path, at, " -> "), start->name);
    return setti_world_fail_with(start->world, SETT_STATUS_CYCLE,
                                 "%s: systems would run in a circle: %s", call, path + at);
}

sett_status setti_schedule_check_cycle(sett_system* start, const char* call)
{
    const setti_run* run = start->world->run;
    for (sett_system* at = run->systems; at != NULL; at = at->next) {
        at->walk_seen = false;
    }
    start->walk_next = NULL;
    for (sett_system* todo = start; todo != NULL;) {
        sett_system* from = todo;
        todo = todo->walk_next;
        for (sett_system* at = run->systems; at != NULL; at = at->next) {
            if (!schedule_is_said(from, at)) {
                continue;
            }
            if (at == start) {
                return schedule_fail_cycle(start, from, call);
            }
            if (!at->walk_seen) {
                at->walk_seen = true;
                at->walk_from = from;
                at->walk_next = todo;
                todo = at;
            }
        }
    }
    return SETT_OK;
}

/* --------------------------------------------------------------------------------- the schedule */

static bool schedule_reserve(sett_world* world)
{
    setti_run* run = world->run;
    setti_pool* pool = &world->pool;
    if (run->count > run->capacity) {
        uint32_t capacity = setti_bits_ceil(SETTI_MAX(run->count, 8));
        sett_system** sorted = setti_pool_alloc(pool, capacity * sizeof(sett_system*), 16);
        setti_stage* stages = setti_pool_alloc(pool, capacity * sizeof(*stages), 16);
        if (sorted == NULL || stages == NULL) {
            setti_pool_free(pool, sorted, capacity * sizeof(sett_system*), 16);
            setti_pool_free(pool, stages, capacity * sizeof(*stages), 16);
            return false;
        }
        setti_pool_free(pool, run->sorted, run->capacity * sizeof(sett_system*), 16);
        setti_pool_free(pool, run->stages, run->capacity * sizeof(*stages), 16);
        run->sorted = sorted;
        run->stages = stages;
        run->capacity = capacity;
    }
    uint32_t slices = 0;
    for (const sett_system* at = run->systems; at != NULL; at = at->next) {
        slices += at->job_capacity;
    }
    if (slices > run->slice_capacity) {
        uint32_t capacity = setti_bits_ceil(slices);
        setti_slice* slice = setti_pool_alloc(pool, capacity * sizeof(*slice), 64);
        sett_commands** buffers = setti_pool_alloc(pool, capacity * sizeof(sett_commands*), 16);
        if (slice == NULL || buffers == NULL) {
            setti_pool_free(pool, slice, capacity * sizeof(*slice), 64);
            setti_pool_free(pool, buffers, capacity * sizeof(sett_commands*), 16);
            return false;
        }
        setti_pool_free(pool, run->slices, run->slice_capacity * sizeof(*slice), 64);
        setti_pool_free(pool, run->buffers, run->slice_capacity * sizeof(sett_commands*), 16);
        run->slices = slice;
        run->buffers = buffers;
        run->slice_capacity = capacity;
    }
    return true;
}

/* Inserts systems in the order of a key, behind those with the same key. */
static void schedule_insert(sett_system** sorted, uint32_t count, sett_system* system,
                            bool by_stage)
{
    while (count > 0 && (by_stage ? sorted[count - 1]->stage > system->stage
                                  : sorted[count - 1]->desc.phase > system->desc.phase)) {
        sorted[count] = sorted[count - 1];
        count--;
    }
    sorted[count] = system;
}

/* Whether none of these has to run before it. */
static bool schedule_is_first(sett_system* const* left, uint32_t count, const sett_system* system)
{
    for (uint32_t k = 0; k < count; k++) {
        if (schedule_is_said(left[k], system)) {
            return false;
        }
    }
    return true;
}

/* Puts the systems of a phase, in order of creation, into the order of their places. */
static void schedule_place(sett_system** phase, uint32_t count)
{
    for (uint32_t place = 0; place < count; place++) {
        uint32_t k = place;
        while (!schedule_is_first(phase + place, count - place, phase[k])) {
            k++; /* ends: there are no cycles */
        }
        sett_system* first = phase[k];
        memmove(phase + place + 1, phase + place, (k - place) * sizeof(sett_system*));
        phase[place] = first;
        first->place = place;
    }
}

static void schedule_find_stage(sett_system* const* phase, sett_system* system)
{
    system->stage = 0;
    system->waits_for = NULL;
    for (uint32_t k = 0; k < system->place; k++) {
        sett_component on = 0;
        if (phase[k]->stage >= system->stage &&
            (schedule_is_said(phase[k], system) || setti_system_conflicts(phase[k], system, &on))) {
            system->stage = phase[k]->stage + 1;
            system->waits_for = phase[k];
            system->waits_on = on;
        }
    }
}

static void schedule_phase(sett_system** phase, uint32_t count)
{
    schedule_place(phase, count);
    for (uint32_t k = 0; k < count; k++) {
        schedule_find_stage(phase, phase[k]);
    }
    for (uint32_t k = 0; k < count; k++) {
        schedule_insert(phase, k, phase[k], true);
    }
}

static bool schedule_is_cut(const sett_system* a, const sett_system* b)
{
    return a->desc.phase != b->desc.phase || a->stage != b->stage;
}

static void schedule_cut(setti_run* run)
{
    run->stage_count = 0;
    for (uint32_t k = 0; k < run->sorted_count; k++) {
        if (k == 0 || schedule_is_cut(run->sorted[k - 1], run->sorted[k])) {
            setti_stage* stage = &run->stages[run->stage_count++];
            stage->first = k;
            stage->count = 0;
            stage->exclusive = run->sorted[k]->exclusive;
        }
        run->stages[run->stage_count - 1].count++;
    }
}

bool setti_schedule_update(sett_world* world)
{
    setti_run* run = world->run;
    if (run->scheduled || run->busy) { /* a frame goes on with the one that it began with */
        return true;
    }
    if (!schedule_reserve(world)) {
        return false;
    }
    uint32_t count = 0;
    for (sett_system* at = run->systems; at != NULL; at = at->next) {
        schedule_insert(run->sorted, count++, at, false);
    }
    for (uint32_t k = 0, end = 0; k < count; k = end) {
        while (end < count && run->sorted[end]->desc.phase == run->sorted[k]->desc.phase) {
            end++;
        }
        schedule_phase(run->sorted + k, end - k);
    }
    run->sorted_count = count;
    schedule_cut(run);
    run->scheduled = true;
    return true;
}

const char* setti_schedule_validate(const sett_world* world)
{
    const setti_run* run = world->run;
    uint32_t next = 0;
    for (uint32_t s = 0; run->scheduled && s < run->stage_count; s++) {
        const setti_stage* stage = &run->stages[s];
        if (stage->first != next || stage->count == 0) {
            return "stages do not cut the sorted systems without gaps";
        }
        next += stage->count;
        for (uint32_t k = stage->first; k < next; k++) {
            const sett_system* system = run->sorted[k];
            if (k > 0 && schedule_is_said(system, run->sorted[k - 1])) {
                return "a system runs before one that it is after";
            }
            for (uint32_t j = stage->first; j < k; j++) {
                sett_component on;
                if (setti_system_conflicts(system, run->sorted[j], &on) ||
                    schedule_is_said(run->sorted[j], system) ||
                    schedule_is_cut(run->sorted[j], system)) {
                    return "two systems of one stage may not run side by side";
                }
            }
        }
    }
    if (run->scheduled && (next != run->count || run->sorted_count != next)) {
        return "the schedule misses a system";
    }
    uint32_t count = 0;
    for (const sett_system* at = run->systems; at != NULL; at = at->next) {
        count++;
        for (uint32_t k = 0; k < at->order_count; k++) {
            if (at->order[k].other != sett_system_find(world, at->order[k].name)) {
                return "what is said of a name means another system";
            }
        }
    }
    return count == run->count ? NULL : "systems are miscounted";
}
