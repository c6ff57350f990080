/* frame.c: runs systems, for a frame or one by one, and configures the schedule.
 *
 * The workload: some dozens of systems a frame, over a hundred to a million entities, on one thread
 * or several. A stage becomes a list of slices: one slice for each job that has rows to visit. Any
 * thread can run any slice. A slice writes only to the command buffer, scratch memory and open
 * loops of the slice's job. So no lock is taken, and results do not depend on the distribution of
 * slices among threads.
 *
 *     stage  { move, age }  ->  slices  | move 0 | move 1 | move 2 | age 0 |
 *
 * Jobs are cut at multiples of 1,024 rows. A page has 1,024 rows or a smaller power of two. So two
 * jobs never write to the same page, or to the tick of the same page.
 *
 * While a stage runs, the world is locked (setti_commands_begin_jobs).
 *
 * Invariant:  the slices of a system are jobs 0, 1, ..., and divide all rows that may match;
 *             commands are in the buffer of a job => `has_commands` of the system is set
 */
#include "base/cow.h"
#include "base/platform.h"
#include "run/run.h"
#include "world/command.h"
#include "world/trace.h"

#include <float.h>
#include <limits.h>

#include <stdio.h>

/* Stages shorter than this (in ns) use one thread. Waking a thread takes 5,000 to 50,000 ns. */
#define STAGE_WORTH 30000

#define FRAME_ALL_ROWS UINT32_MAX /* the end of a range with all rows */

/* ---------------------------------------------------------------------------------- calling one */

/* In debug builds: reports that a system has left a loop open. */
static void frame_report_open(const sett_system* system)
{
    if (SETTI_DEBUG) {
        setti_world_log(system->world, SETT_LOG_ERROR,
                        "%s: system \"%.100s\" has not ended a loop, so values may be lost - call "
                        "sett_batch_end or sett_search_end before leaving the loop",
                        setti_world_frame_call(system->world), system->name);
    }
}

/* Returns the present time in nanoseconds. Returns 0 if times are not measured. */
SETTI_INLINE uint64_t frame_now(const setti_run* run)
{
    if (run->timed) {
        return setti_platform_now();
    }
    return 0;
}

/* Runs a slice. Returns the time at the end (frame_now).
 *   begin  the present time (frame_now) */
static uint64_t frame_call(setti_run* run, setti_slice* slice, uint64_t begin)
{
    SETTI_ASSERT(slice->number < slice->count);
    sett_system* system = slice->system;
    setti_job* job = slice->job;
    sett_context context;
    context.world = system->world;
    context.system = system;
    context.commands = job->commands;
    context.user = system->desc.user;
    context.dt = system->dt;
    context.job = slice->number;
    context.job_count = slice->count;
    context.frame = run->frame;
    context.time = run->time;
    context.internal = slice;
    context.argument = run->argument;
    setti_slice_enter(run, slice);
    setti_arena_reset(&job->loops.scratch);
    sett_span_kind kind = slice->count > 1 ? SETT_SPAN_JOB : SETT_SPAN_SYSTEM;
    setti_trace_begin(system->world, kind, system->name, slice->number);
    system->desc.run(&context);
    setti_trace_end(system->world, kind);
    if (SETTI_UNLIKELY(job->loops.gathering != 0)) {
        frame_report_open(system);
        setti_query_close_job(&job->loops);
    }
    setti_slice_leave(slice);
    uint64_t end = frame_now(run);
    job->time = end - begin;
    return end;
}

sett_batch* sett_context_begin(sett_context* context, sett_batch* batch)
{
    const setti_slice* slice = context->internal;
    const sett_system* system = context->system;
    if (system->query == NULL) {
        if (SETTI_DEBUG) {
            setti_world_misuse_with(system->world, SETT_STATUS_ARGUMENT,
                                    "SETT_SYSTEM_FOR: system \"%.100s\" has no terms, so the "
                                    "loop is empty - create it with `terms`, or loop over a query "
                                    "with SETT_CONTEXT_FOR",
                                    system->name);
        }
        return NULL;
    }
    if (system->exclusive) {
        return sett_query_begin(system->query, batch);
    }
    return setti_query_begin_job(system->query, batch, &slice->job->loops, slice->from, slice->to,
                                 SETTI_REMEMBERS_STEPS);
}

sett_batch* sett_context_query(sett_context* context, sett_query* query, sett_batch* batch)
{
    const setti_slice* slice = context->internal;
    if (query == NULL) {
        return NULL;
    }
    if (SETTI_UNLIKELY(query->world != context->world)) {
        if (SETTI_DEBUG) {
            setti_world_misuse_with(
                context->world, SETT_STATUS_ARGUMENT,
                "SETT_CONTEXT_FOR: query \"%.100s\" and system \"%.100s\" belong to different "
                "worlds, so the loop is empty - create the query in the system's world",
                query->open.name, context->system->name);
        }
        return NULL;
    }
    if (context->system->exclusive) {
        return sett_query_begin(query, batch);
    }
    setti_guard_check_query(context->world, query);
    if (SETTI_UNLIKELY(context->world->counting)) {
        setti_tally_add(&query->nested, 1);
    }
    return setti_query_begin_job(query, batch, &slice->job->loops, 0, FRAME_ALL_ROWS,
                                 SETTI_REMEMBERS_NOTHING);
}

void* sett_context_alloc(sett_context* context, size_t size, size_t align)
{
    const setti_slice* slice = context->internal;
    return setti_arena_alloc(&slice->job->loops.scratch, SETTI_MAX(size, (size_t)1), align);
}

/* ------------------------------------------------------------------------------------- planning */

/* Adds `dt` seconds to the passed time of a system's interval. If the interval is over, sets the
 * `dt` of the system, and returns true. */
static bool frame_pass_interval(sett_system* system, float dt)
{
    SETTI_ASSERT(system->desc.interval > 0);
    double interval = (double)system->desc.interval;
    double passed = system->state.time + (double)dt;
    system->state.time = passed;
    /* dt / 1000 is a tolerance, because 3 * 0.1f is less than 0.3f */
    if (interval - passed > (double)dt / 1000) {
        return false;
    }
    /* A frame longer than the interval runs the system once, with the whole time as dt. Otherwise
     * dt is the interval, and the time that is left counts for the next run. */
    double left_over = 0;
    if ((double)dt < interval) {
        left_over = passed - interval;
    }
    system->state.time = left_over;
    system->dt = (float)(passed - left_over);
    return true;
}

/* Whether all terms about singletons and fixed entities are true. */
SETTI_INLINE bool frame_may_run(const sett_system* system)
{
    return system->query == NULL || system->query->elsewhere_count == 0 ||
           setti_elsewhere_holds(system->query);
}

/* Sets the `dt` of a system for a frame or fixed step. Returns true if the system runs. */
static bool frame_advance(sett_system* system, float dt)
{
    const sett_system_desc* desc = &system->desc;
    if (system->state.enabled == 0 || desc->run == NULL || !frame_may_run(system)) {
        return false;
    }
    if (desc->run_if != NULL && !desc->run_if(system->world, desc->user)) {
        return false;
    }
    system->dt = dt;
    if (desc->interval > 0) {
        return frame_pass_interval(system, dt);
    }
    return true;
}

/* Adds a slice for a job. The slice visits all rows. The caller may change the rows. */
static setti_slice* frame_add_slice(setti_run* run, sett_system* system, uint32_t number,
                                    uint32_t count)
{
    SETTI_ASSERT(run->slice_count < run->slice_capacity && number < count);
    setti_slice* slice = &run->slices[run->slice_count];
    slice->system = system;
    slice->job = &system->jobs[number];
    slice->number = number;
    slice->count = count;
    slice->from = 0;
    slice->to = FRAME_ALL_ROWS;
    setti_mark_set(&slice->thread, 0);
    run->buffers[run->slice_count++] = slice->job->commands;
    return slice;
}

/* Returns an empty storage of a required type. Returns NULL if all these storages have values. */
static const setti_storage* frame_find_empty(const sett_query* query)
{
    SETTI_EACH_TERM(k, query->required) {
        const setti_storage* storage = &query->term[k].type->storage;
        if (storage->count == 0) {
            return storage;
        }
    }
    return NULL;
}

/* Divides the rows of a system among jobs, and adds a slice for each job. */
static void frame_split(setti_run* run, sett_system* system)
{
    if (frame_find_empty(system->query) != NULL) { /* nothing matches */
        system->job_used = 0;
        return;
    }
    setti_survey survey;
    setti_query_survey(system->query, &survey);
    /* several jobs could write to the same page of a gathered field or a sparse set */
    bool one_job = survey.scattered != 0 || setti_system_sparse(system) != NULL;
    uint32_t jobs = one_job ? 1 : run->jobs;
    jobs = SETTI_MIN(jobs, system->job_capacity);
    jobs = SETTI_MIN(jobs, survey.filled);
    SETTI_ASSERT(survey.filled == 0 || jobs != 0);
    uint32_t filled_before = 0; /* number of filled chunks before chunk k */
    uint32_t job = 0;
    setti_slice* slice = NULL; /* of the latest job; the last job gets all further rows */
    for (uint32_t k = 0; k < survey.count; k++) {
        bool is_filled = (survey.bits[k / 64] >> (k % 64) & 1) != 0;
        if (!is_filled) {
            continue;
        }
        /* the next job begins at the filled chunk with this number */
        uint32_t begin = (uint32_t)((uint64_t)survey.filled * job / jobs);
        if (filled_before == begin) {
            if (slice != NULL) {
                slice->to = k * survey.rows;
            }
            slice = frame_add_slice(run, system, job++, jobs);
            slice->from = k * survey.rows;
        }
        filled_before++;
    }
    SETTI_ASSERT(job == jobs);
    system->job_used = jobs;
}

/* Whether the system at the position `place` in `sorted` is skipped, because a storage noted by
 * frame_note_empty is still empty. */
SETTI_INLINE bool frame_is_skipped(const setti_run* run, uint32_t place)
{
    SETTI_ASSERT(place < run->sorted_count);
    return run->empty[place] != NULL && run->empty[place]->count == 0;
}

/* Notes an empty storage for the system at the position `place` in `sorted`, so that the next
 * frames skip the system. */
static void frame_note_empty(setti_run* run, uint32_t place)
{
    const sett_system* system = run->sorted[place];
    /* each frame must call run_if, and count for the interval */
    bool conditional = system->desc.run_if != NULL || system->desc.interval > 0;
    bool can_skip = system->query != NULL && !conditional;
    run->empty[place] = NULL;
    if (can_skip) {
        run->empty[place] = frame_find_empty(system->query);
    }
}

/* Adds the slices of a due system. */
static void frame_plan(setti_run* run, sett_system* system)
{
    SETTI_ASSERT(system->job_capacity != 0);
    if (system->query != NULL) {
        system->query->since = system->state.seen; /* for terms with `changed` */
        system->query->since_is_state = true;
        /* counts the loop; for an exclusive system, sett_query_begin counts it */
        system->query->use[SETTI_SAMPLED].loops += system->exclusive ? 0 : 1;
        setti_lists_prepare(system->query);
    }
    if (system->job_capacity > 1) {
        frame_split(run, system);
        return;
    }
    (void)frame_add_slice(run, system, 0, 1); /* one job for all rows */
    system->job_used = 1;
}

/* Updates the plans of all queries, if listeners or storages have changed. */
static void frame_update_plans(sett_world* world)
{
    setti_run* run = setti_run_of(world);
    if (run->listener_version != world->listener_version) {
        sett_query* query = setti_query_first(world);
        for (; query != NULL; query = query->next) {
            setti_plan_update(query);
        }
        run->listener_version = world->listener_version;
    }
}

/* -------------------------------------------------------------------------------------- a stage */

/* Runs the slices from `begin` to `end` - 1. */
static void frame_task(uint32_t begin, uint32_t end, void* context)
{
    setti_run* run = context;
    uint64_t now = frame_now(run);
    for (uint32_t k = begin; k < end; k++) {
        now = frame_call(run, &run->slices[k], now);
    }
}

/* The values of the parameter `applied_commands` of frame_step. */
#define FRAME_RAN_SYSTEM false
#define FRAME_APPLIED_COMMANDS true

/* Calls the function given to sett_schedule_watch, if there is one. */
static void frame_step(sett_world* world, sett_system* system, bool applied_commands)
{
    const setti_run* run = setti_run_of(world);
    if (SETTI_UNLIKELY(run->step != NULL)) {
        world->running = NULL; /* the function may change the world */
        run->step(world, system, applied_commands, run->step_user);
    }
}

/* Runs the slices one after another on this thread. */
static void frame_run_here(sett_world* world, bool exclusive)
{
    SETTI_ASSERT(world->running == NULL);
    setti_run* run = setti_run_of(world);
    uint64_t now = frame_now(run);
    for (uint32_t k = 0; k < run->slice_count; k++) {
        sett_system* system = run->slices[k].system;
        world->running = exclusive ? NULL : system->name; /* NULL: may change the world */
        now = frame_call(run, &run->slices[k], now);
        bool is_last_slice = k + 1 == run->slice_count || run->slices[k + 1].system != system;
        if (is_last_slice) {
            frame_step(world, system, FRAME_RAN_SYSTEM);
        }
    }
    world->running = NULL;
}

/* Writes the names of running systems, without the outer quotes: move" or "age */
static void frame_list_names(setti_run* run)
{
    size_t length = 0;
    for (uint32_t k = 0; k < run->slice_count && length < sizeof(run->running); k++) {
        if (run->slices[k].number == 0) { /* each system once */
            length +=
                (size_t)snprintf(run->running + length, sizeof(run->running) - length, "%s%.60s",
                                 k == 0 ? "" : "\" or \"", run->slices[k].system->name);
        }
    }
}

/* Runs the slices on the program's threads. */
static void frame_run_side_by_side(sett_world* world)
{
    SETTI_ASSERT(!world->side_by_side && world->running == NULL);
    setti_run* run = setti_run_of(world);
    frame_list_names(run);
    world->running = run->running;
    sett_status error = world->error;
    /* While slices run, setti_world_failure returns LOCKED, and run->failure stores the failure. */
    world->error = SETT_STATUS_LOCKED;
    run->failure.status = SETT_OK;
    world->side_by_side = true;
    void* handle = run->tasks.enqueue(frame_task, run->slice_count, 1, run, run->tasks.user);
    if (handle != NULL) {
        run->tasks.finish(handle, run->tasks.user);
    }
    world->side_by_side = false;
    setti_cow_settle(&world->pool);
    world->error = error;
    world->running = NULL;
    if (run->failure.status != SETT_OK) {
        sett_world_swap_failure(world, &run->failure);
    }
}

/* Whether the slices take so long that other threads should help. */
static bool frame_is_worth_threads(const sett_world* world)
{
    const setti_run* run = setti_run_of(world);
    uint64_t time = 0;
    if (run->tasks.enqueue == NULL || run->slice_count < 2) {
        return false;
    }
    if (world->profiling || run->step != NULL) {
        return false;
    }
    if (!run->timed) {
        return true; /* the slices may be long */
    }
    for (uint32_t k = 0; k < run->slice_count; k++) {
        const sett_system* system = run->slices[k].system;
        if (run->slices[k].number == 0) { /* counts each system once */
            /* a system that has never run may take long */
            time += system->state.runs != 0 ? system->time_last : STAGE_WORTH;
        }
    }
    return time >= STAGE_WORTH;
}

/* Counts the runs and times of the systems. Notes which systems have commands to apply. Fails if
 * memory ran out in a loop. */
static sett_status frame_collect_results(sett_world* world)
{
    SETTI_ASSERT(!world->side_by_side);
    setti_run* run = setti_run_of(world);
    sett_status status = SETT_OK;
    bool asks_changed = false;
    for (uint32_t k = 0; k < run->slice_count; k++) {
        sett_system* system = run->slices[k].system;
        setti_job* job = run->slices[k].job;
        if (run->slices[k].number == 0) { /* counts each system once */
            system->time_last = 0;
            system->state.runs++;
            system->state.seen = world->pool.tick;
            system->state.enabled &= !system->desc.run_once; /* disabled after one run */
            asks_changed = asks_changed || system->asks_changed;
        }
        system->time_last += job->time;
        system->time_total += job->time;
        system->has_commands = system->has_commands || sett_commands_count(job->commands) != 0;
        run->has_commands = run->has_commands || system->has_commands;
        if (SETTI_UNLIKELY(job->loops.failed)) { /* no memory */
            job->loops.failed = false;
            status =
                setti_world_fail_with(world, SETT_STATUS_OUT_OF_MEMORY,
                                      "%s: system \"%.100s\": a loop visited no entity, because "
                                      "memory for copies of its fields ran out - free memory",
                                      setti_world_frame_call(world), system->name);
        }
    }
    if (asks_changed) {
        sett_world_advance_tick(world); /* later writes count as changed in the next run */
    }
    return status;
}

/* Claims the handles that jobs have created. */
static sett_status frame_end_jobs(sett_world* world)
{
    setti_run* run = setti_run_of(world);
    if (!run->jobs_open) {
        return SETT_OK;
    }
    sett_status status = setti_commands_end_jobs(world, run->buffers, run->slice_count,
                                                 setti_world_frame_call(world));
    run->jobs_open = status != SETT_OK;
    return status;
}

static sett_status frame_run_exclusive(sett_world* world)
{
    const bool exclusive = true;
    frame_run_here(world, exclusive);
    if (world->locks != 0) { /* the system has left a loop open */
        frame_report_open(setti_run_of(world)->slices[0].system);
        sett_query_end_all(world);
    }
    return frame_collect_results(world);
}

/* Runs the planned slices: all slices of one exclusive system, or slices of systems that are not
 * exclusive. */
static sett_status frame_run_slices(sett_world* world, bool exclusive)
{
    setti_run* run = setti_run_of(world);
    if (run->slice_count == 0) {
        return SETT_OK;
    }
    if (exclusive) {
        return frame_run_exclusive(world);
    }
    SETTI_ASSERT(!run->jobs_open && world->locks == 0);
    setti_commands_begin_jobs(world, run->buffers, run->slice_count);
    run->jobs_open = true;
    SETTI_MODULES_EACH(world, calls, before_jobs) {
        calls->before_jobs(world); /* updates caches, because jobs only read */
    }
    if (run->watched) {
        setti_guard_watch(world, SETTI_GUARD_BEGINS);
    }
    setti_commands_close(world->commands);
    if (frame_is_worth_threads(world)) {
        frame_run_side_by_side(world);
    } else {
        const bool exclusively = false;
        frame_run_here(world, exclusively);
    }
    setti_commands_open(world->commands);
    if (run->watched) {
        setti_guard_watch(world, SETTI_GUARD_ENDS);
        setti_guard_suggest(world);
    }
    sett_status status = frame_collect_results(world);
    sett_status ended = frame_end_jobs(world);
    return status != SETT_OK ? status : ended;
}

/* -------------------------------------------------------------------------------------- a frame */

/* Applies the commands of all jobs of a system. */
static sett_status frame_apply_jobs(const sett_system* system)
{
    for (uint32_t k = 0; k < system->job_capacity; k++) {
        sett_commands* commands = system->jobs[k].commands;
        if (sett_commands_count(commands) == 0) {
            continue;
        }
        sett_status status = setti_commands_apply(commands, setti_world_frame_call(system->world));
        setti_commands_release_chunks(commands);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

static sett_status frame_apply_system(sett_system* system)
{
    sett_status status = frame_apply_jobs(system);
    system->has_commands = status != SETT_OK; /* the next frame applies the remaining commands */
    frame_step(system->world, system, FRAME_APPLIED_COMMANDS);
    return status;
}

/* Applies the commands of the systems `first` to end - 1 in `sorted`, and then the commands of the
 * world. */
static sett_status frame_apply(sett_world* world, uint32_t first, uint32_t end)
{
    SETTI_ASSERT(first <= end && end <= setti_run_of(world)->sorted_count);
    setti_run* run = setti_run_of(world);
    for (uint32_t k = first; run->has_commands && k < end; k++) {
        if (!run->sorted[k]->has_commands) {
            continue;
        }
        sett_status status = frame_apply_system(run->sorted[k]);
        if (status != SETT_OK) {
            return status;
        }
    }
    bool applied_all = first == 0 && end == run->sorted_count;
    if (applied_all) {
        run->has_commands = false;
    }
    if (world->commands == NULL || sett_commands_count(world->commands) == 0) {
        return SETT_OK;
    }
    sett_status status = setti_commands_apply(world->commands, setti_world_frame_call(world));
    frame_step(world, NULL, FRAME_APPLIED_COMMANDS); /* NULL: commands of no system */
    return status;
}

/* Runs the systems of a stage that are due. */
static sett_status frame_stage(sett_world* world, const setti_stage* stage, float dt)
{
    SETTI_ASSERT(stage->count != 0 &&
                 stage->first + stage->count <= setti_run_of(world)->sorted_count);
    setti_run* run = setti_run_of(world);
    run->slice_count = 0;
    frame_update_plans(world);
    for (uint32_t k = stage->first; k < stage->first + stage->count; k++) {
        sett_system* system = run->sorted[k];
        if (frame_is_skipped(run, k) || !frame_advance(system, dt)) {
            continue;
        }
        frame_plan(run, system);
        if (system->job_used == 0) {
            frame_note_empty(run, k);
        }
    }
    return frame_run_slices(world, stage->exclusive);
}

typedef struct frame_range {
    uint32_t begin; /* the first stage */
    uint32_t end;   /* after the last stage */
    int first;      /* the first phase: stages of earlier phases do not run */
    int last;       /* the last phase: stages of later phases do not run */
} frame_range;

/* Runs a range of stages, and applies commands as scheduled. */
static sett_status frame_stages(sett_world* world, frame_range range, float dt)
{
    SETTI_ASSERT(world->busy && setti_run_of(world)->scheduled &&
                 range.end <= setti_run_of(world)->stage_count);
    setti_run* run = setti_run_of(world);
    if (range.begin == range.end) {
        return SETT_OK;
    }
    /* the first system in `sorted` with commands that are not applied yet */
    uint32_t first_unapplied = run->stages[range.begin].first;
    uint32_t end = run->stages[range.end - 1].first + run->stages[range.end - 1].count;
    for (uint32_t k = range.begin; k < range.end; k++) {
        const setti_stage* stage = &run->stages[k];
        if (!stage->applies && stage->count == 1 && frame_is_skipped(run, stage->first)) {
            continue; /* nothing to apply, and nothing to run */
        }
        int phase = run->sorted[stage->first]->desc.phase;
        if (phase < range.first || phase > range.last) {
            continue;
        }
        if (k == range.begin || stage->applies) {
            sett_status applied = frame_apply(world, first_unapplied, stage->first);
            if (applied != SETT_OK) {
                return applied;
            }
            first_unapplied = stage->first;
        }
        sett_status status = frame_stage(world, stage, dt);
        if (status != SETT_OK) {
            return status;
        }
    }
    return frame_apply(world, first_unapplied, end);
}

/* Passes `dt` seconds to all fixed loops. Runs the steps that are due, in the order of due
 * times. */
static sett_status frame_fixed(sett_world* world, float dt)
{
    setti_run* run = setti_run_of(world);
    setti_fixed* fixed;
    for (fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        setti_fixed_pass(fixed, dt);
    }
    while ((fixed = setti_fixed_due(run)) != NULL) {
        run->frame = fixed->state.steps++; /* counted first, for snapshots taken in the step */
        run->time = (double)run->frame * (double)fixed->step;
        frame_range all_phases = {fixed->first, fixed->end, INT_MIN, INT_MAX};
        sett_status status = frame_stages(world, all_phases, fixed->step);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Sets frame number and time for the contexts of systems that do not run in fixed steps. */
static void frame_reset_context(setti_run* run)
{
    run->frame = run->state.frames;
    run->time = run->state.time;
}

/* Runs the phases `first` to `last`: the stages before the fixed loops, the due steps of fixed
 * loops, and the stages after the fixed loops. */
static sett_status frame_run(sett_world* world, float dt, int first, int last)
{
    setti_run* run = setti_run_of(world);
    frame_range early = {0, run->fixed_first, first, last};
    frame_range late = {run->fixed_end, run->stage_count, first, last};
    frame_reset_context(run);
    sett_status status = frame_apply(world, 0, run->sorted_count);
    if (status != SETT_OK) {
        return status;
    }
    status = frame_stages(world, early, dt);
    if (status != SETT_OK) {
        return status;
    }
    if (first <= SETT_PHASE_FIXED && last >= SETT_PHASE_FIXED) {
        status = frame_fixed(world, dt);
        frame_reset_context(run);
    }
    if (status != SETT_OK) {
        return status;
    }
    return frame_stages(world, late, dt);
}

sett_status setti_run_check_idle(sett_world* world, const char* call)
{
    if (world->busy) {
        return setti_world_reject_frame(world, call);
    }
    return SETT_OK;
}

/* Checks that systems may run, and updates the schedule. */
static sett_status frame_begin(sett_world* world, float dt, const char* call)
{
    if (setti_run_check_idle(world, call) != SETT_OK) {
        return setti_world_failure(world);
    }
    world->frame_call = call;
    /* frame_end_jobs does nothing, unless it has failed in an earlier frame */
    if (frame_end_jobs(world) != SETT_OK || setti_world_check_unlocked(world, call) != SETT_OK) {
        return world->error;
    }
    if (!(dt >= 0 && dt <= FLT_MAX)) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `dt` is %g - pass a finite number of seconds, 0 or more",
                                     call, (double)dt);
    }
    if (!setti_schedule_update(world)) {
        return setti_world_no_memory(world, call);
    }
    if (!setti_run_of(world)->names_checked) {
        setti_order_report_unknown(world, call);
        setti_run_of(world)->names_checked = true;
    }
    return SETT_OK;
}

static sett_status frame_progress(sett_world* world, float dt, int first, int last,
                                  const char* call)
{
    setti_run* run = setti_run_ensure(world);
    if (run == NULL) {
        return setti_world_no_memory(world, call);
    }
    sett_status status = frame_begin(world, dt, call);
    if (status != SETT_OK) {
        return status;
    }
    if (SETTI_DEBUG && setti_threads_are_destroyed(&run->tasks)) {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT,
                                "%s: the thread pool was destroyed before this world, so systems "
                                "run on the calling thread - destroy the world before its pool",
                                call);
    }
    setti_trace_begin(world, SETT_SPAN_FRAME, "frame", run->state.frames);
    world->busy = true;
    status = frame_run(world, dt, first, last);
    world->busy = false;
    setti_trace_end(world, SETT_SPAN_FRAME);
    if (status == SETT_OK) {
        run->state.frames++;
        run->state.time += (double)dt;
        SETTI_MODULES_EACH(world, calls, after_frame) {
            calls->after_frame(world);
        }
    }
    return status;
}

sett_status sett_progress(sett_world* world, float dt)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    return frame_progress(world, dt, INT_MIN, INT_MAX, "sett_progress");
}

sett_status sett_progress_phases(sett_world* world, float dt, int first, int last)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    return frame_progress(world, dt, first, last, "sett_progress_phases");
}

uint64_t sett_world_frame(const sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_run* run = setti_run_of(world);
    return run != NULL ? run->state.frames : 0;
}

float sett_frame_wait(uint64_t* clock, float rate)
{
    if (SETTI_IS_NULL(clock)) {
        return 0;
    }
    const uint64_t second = 1000000000u;
    uint64_t period = 0;
    if (rate > 0) {
        period = (uint64_t)((double)second / (double)rate);
    }
    uint64_t now = setti_platform_now();
    if (*clock == 0) { /* the first call does not wait */
        *clock = now - period;
    }
    if (now - *clock < period) {
        setti_platform_sleep(period - (now - *clock));
        now = setti_platform_now();
    }
    uint64_t passed = now - *clock;
    *clock = now;
    return (float)((double)passed / (double)second);
}

/* Runs a system. Applies the commands of all systems before the run and afterwards. */
static sett_status frame_run_system(sett_system* system, float dt, void* argument)
{
    sett_world* world = system->world;
    setti_run* run = setti_run_of(world);
    sett_status status = frame_apply(world, 0, run->sorted_count);
    if (status != SETT_OK) {
        return status;
    }
    frame_update_plans(world);
    run->slice_count = 0;
    frame_reset_context(run);
    system->dt = dt;
    if (frame_may_run(system)) {
        frame_plan(run, system);
    }
    run->argument = argument;
    status = frame_run_slices(world, system->exclusive);
    run->argument = NULL;
    if (status != SETT_OK) {
        return status;
    }
    return frame_apply(world, 0, run->sorted_count);
}

static sett_status frame_run_one(sett_system* system, float dt, void* argument, const char* call)
{
    if (setti_is_null(system, call, "system")) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = system->world;
    sett_status status = frame_begin(world, dt, call);
    if (status != SETT_OK || system->desc.run == NULL) {
        return status;
    }
    world->busy = true;
    status = frame_run_system(system, dt, argument);
    world->busy = false;
    return status;
}

sett_status sett_system_run(sett_system* system, float dt)
{
    return frame_run_one(system, dt, NULL, __func__);
}

sett_status sett_system_run_with(sett_system* system, float dt, void* argument)
{
    return frame_run_one(system, dt, argument, __func__);
}

/* ---------------------------------------------------------------------------------- configuring */

/* Creates the jobs of all systems. Returns false if memory runs out. */
static bool frame_make_jobs(const setti_run* run)
{
    for (sett_system* system = run->systems; system != NULL; system = system->next) {
        if (!setti_system_make_jobs(system)) {
            return false;
        }
    }
    return true;
}

/* Makes the phases `first` to `last` run in steps of `step` seconds. Sets the loop of each system.
 * Returns false if memory runs out. */
static bool frame_set_range(sett_world* world, float step, int first, int last)
{
    setti_run* run = setti_run_of(world);
    run->fixed_step = step;
    run->fixed_phase = first;
    run->fixed_last = last;
    for (sett_system* system = run->systems; system != NULL; system = system->next) {
        if (!setti_fixed_set(world, &system->desc, &system->fixed)) {
            return false;
        }
    }
    return true;
}

/* Sets the fixed phases and the step of a descriptor. Fails if the phases make a declared
 * order impossible. */
static sett_status frame_try_fixed(sett_world* world, const sett_schedule_desc* desc,
                                   const char* call)
{
    if (!frame_set_range(world, desc->fixed_step, desc->fixed_phase, desc->fixed_last)) {
        return setti_world_no_memory(world, call);
    }
    for (const sett_system* system = setti_run_of(world)->systems; system != NULL;
         system = system->next) {
        sett_status status = setti_order_check_phases(system, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Sets the fixed steps of a descriptor. After a failure, nothing has changed. */
static sett_status frame_set_fixed(sett_world* world, const sett_schedule_desc* desc,
                                   const char* call)
{
    setti_run* run = setti_run_of(world);
    float old_step = run->fixed_step;
    int old_first = run->fixed_phase;
    int old_last = run->fixed_last;
    sett_status status = frame_try_fixed(world, desc, call);
    if (status != SETT_OK) {
        /* cannot fail, because the old loops exist */
        (void)frame_set_range(world, old_step, old_first, old_last);
        return status;
    }
    run->fixed_most = desc->max_steps;
    return SETT_OK;
}

static sett_status frame_check_schedule(sett_world* world, const sett_schedule_desc* desc,
                                        const char* call)
{
    if (desc->job_limit > SETTI_JOBS_MAX) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `job_limit` is %u - pass at most %d", call,
                                     (unsigned)desc->job_limit, SETTI_JOBS_MAX);
    }
    if ((desc->tasks.enqueue == NULL) != (desc->tasks.finish == NULL)) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: `tasks` has only one of `enqueue` and `finish` - set both", call);
    }
    if (!(desc->fixed_step >= 0)) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `fixed_step` is %g - pass seconds, 0 or more", call,
                                     (double)desc->fixed_step);
    }
    return SETT_OK;
}

SETTI_COLD sett_status sett_schedule_configure_sized(sett_world* world,
                                                     const sett_schedule_desc* desc, size_t size)
{
    static const char call[] = "sett_schedule_configure";
    sett_schedule_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), call);
    if (desc == NULL) {
        return setti_world_failure(world);
    }
    setti_run* run = setti_run_ensure(world);
    if (run == NULL) {
        return setti_world_no_memory(world, call);
    }
    if (setti_run_check_idle(world, call) != SETT_OK ||
        setti_world_check_unlocked(world, call) != SETT_OK ||
        frame_check_schedule(world, desc, call) != SETT_OK) {
        return setti_world_failure(world);
    }
    uint32_t old_jobs = run->jobs;
    run->jobs = desc->job_limit != 0 ? desc->job_limit : SETTI_JOBS_DEFAULT;
    sett_status status;
    if (frame_make_jobs(run)) {
        status = frame_set_fixed(world, desc, call);
    } else {
        status = setti_world_no_memory(world, call);
    }
    if (status != SETT_OK) {
        run->jobs = old_jobs;
        return status;
    }
    /* setti_threads_use comes first: if both tasks belong to one pool, leaving could free the
     * pool */
    setti_threads_use(&desc->tasks);
    setti_threads_leave(&run->tasks);
    run->tasks = desc->tasks;
    run->timed = !desc->no_times;
    bool wants_guard = desc->guard == SETT_GUARD_ON;
    if (SETTI_DEBUG) {
        wants_guard = desc->guard != SETT_GUARD_OFF;
    }
    /* with several threads, the guard needs atomics */
    bool can_guard = SETTI_ATOMICS || run->tasks.enqueue == NULL;
    run->watched = wants_guard && can_guard;
    run->scheduled = false; /* systems may have more jobs */
    return SETT_OK;
}

sett_status sett_schedule_watch(sett_world* world, sett_step_fn fn, void* user)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_run* run = setti_run_ensure(world);
    if (run == NULL) {
        return setti_world_no_memory(world, __func__);
    }
    if (setti_run_check_idle(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    run->step = fn;
    run->step_user = user;
    return SETT_OK;
}

bool sett_world_is_replaying(const sett_world* world)
{
    return !SETTI_IS_NULL(world) && world->replaying;
}

void sett_world_set_replaying(sett_world* world, bool replaying)
{
    if (!SETTI_IS_NULL(world)) {
        world->replaying = replaying;
    }
}
