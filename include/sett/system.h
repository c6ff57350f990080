/* system.h: systems. A system is a function that sett_progress calls in each frame. A system
 * declares which entities it visits, and which components it reads and writes.
 *
 *     static void move(sett_context* context)
 *     {
 *         SETT_SYSTEM_FOR(context, b, i) {
 *             const Velocity* v = &SETT_FIELD(b, 1, Velocity)[i];
 *             SETT_FIELD_MUT(b, 0, Position)[i].x += v->x * context->dt;
 *         }
 *     }
 *
 *     SETT_SYSTEM(world, move, .terms = {SETT_INOUT(Position), SETT_IN(Velocity)});
 *     while (playing) {
 *         sett_progress(world, dt);
 *     }
 *
 * Words:
 *     frame       one call of sett_progress
 *     phase       a part of a frame, with a number. Phases run in ascending order
 *     stage       systems of one phase that can run in parallel
 *     job         a part of a system's entities. The function is called once for each job
 *     conflict    two systems conflict if one writes a component that the other reads or writes.
 *                 An exclusive system conflicts with all others
 *     exclusive   an exclusive system runs alone, on the thread that calls sett_progress
 *     by handle   with an entity's handle: sett_get(world, entity, component)
 *
 * Order. The order of the systems of a phase is the order in which they were created. `after`
 * makes a system wait for the systems of its list. `before` places a system just in front of the
 * earliest system of its list:
 *
 *     created B, C, A, where A has before B     in order  A, B, C
 *     created A, B, C, D, where A has after C   in order  B, C, A, D
 *
 * Two systems run one after another, in this order, if
 *     they conflict;
 *     one names the other in `before` or `after`;
 *     the later one accesses a component that the earlier one lists in `records`.
 * All others of the phase can run in parallel, or in another order: a system runs in the earliest
 * stage that these rules permit. sett_schedule_describe prints the stages.
 *
 * Access. The terms declare what the system's loop does with the entities that it visits: SETT_IN,
 * SETT_INOUT or SETT_OUT. SETT_WITH(T) permits no access to the values of T. sett_has and
 * sett_is_enabled need no declaration. Three lists declare all other values that the function
 * accesses:
 *
 *     access_inout       more components of the visited entities, read and written by handle
 *     access_any_in      components of any entity, and singletons, read
 *     access_any_inout   components of any entity, and singletons, read and written
 *
 * Jobs. The entities of a system are split into jobs, by pages of 1,024 entities. Jobs can run in
 * parallel, so a function must not write to a shared variable. The number of jobs does not depend
 * on the number of threads. So results do not depend on the threads. A system has one job if at
 * least one of these is true:
 *     it has `single_job`;
 *     it has `access_any_inout`;
 *     it writes a component that is in its own `access_any_in`;
 *     it writes a component that it also reads through a term elsewhere (core.h);
 *     it writes through a term elsewhere;
 *     it writes a gathered field (core.h; sett_query_explain names gathered fields);
 *     `access_inout` lists a type in a sparse set.
 * If no entity matches, a system that can have several jobs is not called. A system with one job
 * can be called without entities.
 *
 * Fixed steps. All systems with the same `fixed_step` form a loop. Each frame runs the loop once
 * for each step that has become due, and keeps the time left over:
 *
 *     input | step 7   step 8   step 9 | draw
 *
 * In each step these systems run in the order of their phases, and their commands are applied. A
 * term with `changed` compares with the step before. All fixed steps of a frame run in
 * SETT_PHASE_FIXED, after the other systems of that phase. Steps of loops with different lengths
 * run in the order in which they are due. So the state after each step does not depend on the frame
 * rate, as long as no time is dropped (max_steps) and these systems read nothing that other systems
 * write. Instead of single systems, a range of phases can be a loop
 * (sett_schedule_desc.fixed_step). sett_fixed_rest is for drawing between two steps.
 *
 * Commands. A system records into context->commands. These commands are applied
 *     at the end of the phase;
 *     before an exclusive system;
 *     before a later system that accesses a component that this one lists in `records`.
 * They are applied stage by stage; for one stage in the order of systems; for one system in the
 * order of jobs; for one job in the order of recording. The world's own buffer comes last, and is
 * also applied at the beginning of a frame.
 *
 * A system's function can call:
 *     functions marked `Threads: reader` or `system` (core.h), for values that it declared
 *     sett_get_mut, sett_find_mut   for components that it declared as written
 *     sett_set                      for these components too, if the entity has the component, and
 *                                   the component has no on_set callback or observer
 *     sett_context_query            to loop over another query
 *     sett_cmd_...                  to change structure; immediate calls fail (LOCKED)
 * An exclusive system can also change structure. It cannot run or destroy systems (LOCKED).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SYSTEM_H
#define SETT_SYSTEM_H

#include "sett/core.h"

typedef struct sett_system sett_system;

/* Phases. Any number is a phase; these have names. */
enum {
    SETT_PHASE_LOAD = -300,
    SETT_PHASE_INPUT = -200,
    SETT_PHASE_UPDATE_EARLY = -100,
    SETT_PHASE_FIXED = -50, /* here fixed steps run (see Fixed steps above) */
    SETT_PHASE_UPDATE = 0,
    SETT_PHASE_UPDATE_LATE = 100,
    SETT_PHASE_OUTPUT = 200
};

/* The argument of a system's function, valid during the call. */
typedef struct sett_context {
    sett_world* world;
    sett_system* system;
    sett_commands* commands; /* the buffer of this job: what sett_commands_here returns in it */
    void* user;              /* of the descriptor */
    float dt;                /* seconds: of the frame, the interval or the fixed step */
    uint32_t job;            /* number of this job, from 0 */
    uint32_t job_count;      /* jobs of this run of the system */
    uint64_t frame;          /* number of this frame, or of this fixed step, from 0 */
    double time;             /* the sum of dt of all frames, or of all steps, before this one */
    void* internal;
    void* argument; /* of sett_system_run_with; else NULL */
} sett_context;

/* The most components in a list of accesses, and the most names in `before` and `after`. */
#define SETT_SYSTEM_ACCESS 16
#define SETT_SYSTEM_ORDER 8

typedef struct sett_system_desc {
    const char* name;             /* unique in the world; required */
    void (*run)(sett_context* c); /* the function; default: none, only on_enter and on_exit */
    void* user;                   /* passed to all callbacks */
    /* called with `user` when the system is destroyed, after its last callback, or with the world.
     * Not if creating it fails. Default: none */
    void (*free_user)(void* user);
    int phase; /* default: SETT_PHASE_UPDATE */

    /* The entities that it visits, as in sett_query_desc. A term with `changed` matches values
     * written since the system's last run. Without terms the function is called once a frame.
     * A term of a singleton or of an `entity` is a gate: while it does not hold, the system does
     * not run, as if it were disabled. SETT_SINGLETON(Playing), or SETT_WITHOUT with `.singleton`,
     * makes a system run in one state of the game only. With such terms alone the function is
     * called once a frame too. */
    sett_term terms[SETT_QUERY_TERMS];

    /* More components that it accesses (see Access above). Each list ends at the first 0. */
    sett_component access_any_in[SETT_SYSTEM_ACCESS];
    sett_component access_inout[SETT_SYSTEM_ACCESS];
    sett_component access_any_inout[SETT_SYSTEM_ACCESS];

    /* Components that its commands add, set or remove (see Commands above). The list ends at the
     * first 0. A later system sees that in the same frame if it has the component in its terms or
     * lists, SETT_OPTIONAL among them; sett_has alone does not make it wait. Default: none */
    sett_component records[SETT_SYSTEM_ACCESS];

    /* Names of systems (see Order above). Each list ends at the first NULL. The systems can be
     * created later. The first frame logs a warning for each unknown name. */
    const char* before[SETT_SYSTEM_ORDER];
    const char* after[SETT_SYSTEM_ORDER];

    bool single_job; /* one job visits all entities; default: no */
    /* runs alone (see Words). A system whose terms, access lists and `records` are all empty runs
     * alone too. Default: no */
    bool exclusive;
    bool run_once; /* disable it after its first run; default: no */
    bool disabled; /* create it disabled; default: no */

    /* Called before the system runs, on the thread that calls sett_progress. The callback can only
     * read. If it returns false, the system does not run, as if it were disabled. Default: none */
    bool (*run_if)(const sett_world* world, void* user);
    /* seconds between two runs, and before the first. The system runs at most once a frame. Its dt
     * is the interval; time beyond the interval counts for the next interval.
     * Exception: in a frame longer than the interval, dt is all the time since the last run, and
     * nothing is left over. A run can come early, by up to 1/1000 of the frame's dt. Default: it
     * runs every frame.
     * Every n frames, where dt is always the same: n * dt. The product is rounded, so after tens of
     * thousands of frames a run is one frame off (with 1.0f / 60 the first one in frame 17,288).
     * Exact: no interval, and if (context->frame % n != 0) { return; } */
    float interval;
    /* seconds of one fixed step; this is also the system's dt. Not with `interval`. Default: that
     * of its phase (sett_schedule_desc.fixed_step); without one, one run a frame */
    float fixed_step;
    /* the most fixed steps in one frame. If more are due, all time beyond them is dropped. The
     * largest number of the systems with this step counts. Default: 8 */
    uint32_t max_steps;

    /* Callbacks when an entity begins to match the terms, and when it no longer does, as in
     * sett_group_desc. They concern the entities that the loop visits: a prefab or disabled entity
     * (prefab.h) does not match, unless a term names the tag. on_enter also runs for the matches
     * that exist when the system is created. With these callbacks terms are those of an observer of
     * a query (observer.h), or OPTIONAL, which does not matter for entering; without ANY, PARENT,
     * UP and SELF_UP at most 16 WITH and 16 WITHOUT. */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
} sett_system_desc;

SETT_API sett_system* sett_system_create_sized(sett_world* world, const sett_system_desc* desc,
                                               size_t size, size_t term_size);

/* Creates a system. It runs from the next frame on. sett_world_destroy frees it.
 * Returns NULL on failure. Fails: ARGUMENT (no name; a wrong term), CONFLICT (the name is taken;
 * `before` or `after` contradicts the phases), CYCLE (the message names the systems), UNREGISTERED,
 * LOCKED (with on_enter or on_exit also if a snapshot exists), OUT_OF_MEMORY.
 * Cost: O(terms). With `before` or `after` also a search for cycles: O(systems that these lists put
 * before it, or after it, whichever are fewer). The next frame computes the stages: O(n log n) for
 * n systems.
 * Threads: writer. Since: 0.1 */
static inline sett_system* sett_system_create(sett_world* world, const sett_system_desc* desc)
{
    return sett_system_create_sized(world, desc, sizeof(*desc), sizeof(sett_term));
}

/* Destroys a system and drops its commands. NULL is fine.
 * Fails: LOCKED (also while sett_progress runs, or a snapshot exists).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_destroy(sett_system* system);

/* Creates a system from the function `move`, with the name "move":
 *
 *     SETT_SYSTEM(world, move, .terms = {...});
 *
 * At least one option is needed. In C++20 options must be in the order of sett_system_desc. C++17
 * has no designated initialisers: fill in a sett_system_desc. */
#if !defined(__cplusplus)
#define SETT_SYSTEM(world, function, ...)                                                          \
    sett_system_create((world),                                                                    \
                       &(sett_system_desc){.name = #function, .run = (function), __VA_ARGS__})
#elif __cplusplus >= 202002L
#define SETT_SYSTEM(world, function, ...)                                                          \
    [&](sett_world* sett_world_) {                                                                 \
        SETT_DESIGNATED_(sett_system_desc, sett_desc_, .name = #function, .run = (function),       \
                         __VA_ARGS__)                                                              \
        return sett_system_create(sett_world_, &sett_desc_);                                       \
    }(world)
#endif

/* Makes `first` run before `then`, as `before` in the descriptor of `first` does.
 * Fails: CYCLE, CONFLICT (the phases say otherwise), ARGUMENT, LOCKED, OUT_OF_MEMORY.
 * Cost: as sett_system_create.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_order(sett_system* first, sett_system* then);

/* Returns the system with this name, or NULL. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_system* sett_system_find(const sett_world* world, const char* name);

/* Returns the system that was created after `system`; the first one for NULL; NULL at the end.
 * Threads: reader. Since: 0.2 */
SETT_API sett_system* sett_system_next(const sett_world* world, const sett_system* system);

/* Returns the system's name. Threads: reader. Since: 0.1 */
SETT_API const char* sett_system_name(const sett_system* system);

/* Enables or disables a system, from the next stage on. While it is disabled, no time passes for
 * its `interval`. Fixed steps go on without it.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_system_enable(sett_system* system, bool on);

/* Returns whether the system is enabled. Threads: reader. Since: 0.1 */
SETT_API bool sett_system_is_enabled(const sett_system* system);

/* Returns the system's query; NULL if it has no terms. Do not destroy the query.
 * Threads: reader. Since: 0.1 */
SETT_API sett_query* sett_system_query(const sett_system* system);

typedef struct sett_system_stats {
    uint64_t runs;       /* frames in which it ran, and calls of sett_system_run */
    uint64_t time_last;  /* nanoseconds of the last run, added up over its jobs */
    uint64_t time_total; /* nanoseconds of all runs */
    uint32_t matches;    /* entities that match now */
    uint32_t jobs;       /* of the last run */
    uint32_t stage;      /* number of its stage in its phase, from 0 */
    int phase;
    /* the system that keeps this one from running in an earlier stage; NULL: none */
    const sett_system* waits_for;
    /* the component because of which it waits; 0: `before`, `after`, or an exclusive system */
    sett_component waits_on;
} sett_system_stats;

SETT_API void sett_system_stats_get_sized(const sett_system* system, sett_system_stats* stats,
                                          size_t size);

/* Fills `stats`. Cost: as sett_query_count. Threads: writer. Since: 0.1 */
static inline void sett_system_stats_get(const sett_system* system, sett_system_stats* stats)
{
    sett_system_stats_get_sized(system, stats, sizeof(*stats));
}

/* ------------------------------------------------------------------------------------- running */

/* Runs one frame: every enabled system that is due.
 *   dt  seconds since the last frame, not negative
 * Fails: LOCKED (a loop is open, or the call is inside a frame), ARGUMENT (dt), OUT_OF_MEMORY
 * (commands could not be applied: the frame ends, and the next call begins with them).
 * Cost: about 1,000 instructions a system, and 600 for each job after the first; 30 for a system
 * that wants a component that no entity has. Each job also
 * reads the clock twice.
 * Threads: writer. Systems run on the threads of sett_schedule_desc.tasks. Since: 0.1 */
SETT_API sett_status sett_progress(sett_world* world, float dt);

/* Like sett_progress, only for the phases from `first` to `last`. For example, a paused game still
 * runs its output:
 *
 *     sett_progress_phases(world, dt, paused ? SETT_PHASE_OUTPUT : INT_MIN, INT_MAX);
 *
 * The call counts as a frame. No time passes for `interval` of systems in other phases. If
 * SETT_PHASE_FIXED is one of the phases, fixed steps run with all phases of theirs; else no time
 * passes for them.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_progress_phases(sett_world* world, float dt, int first, int last);

/* Returns the number of frames that the world has run: context->frame of the next one. It is part
 * of the state, so restoring a snapshot restores it.
 * Threads: reader. Since: 0.2 */
SETT_API uint64_t sett_world_frame(const sett_world* world);

/* Returns how many fixed steps of this length the world has run; 0 if no system has it. In a step:
 * that step is counted. Part of the state, so restoring a snapshot restores it.
 *   step  seconds, as in `fixed_step`
 * Threads: reader. Since: 0.2 */
SETT_API uint64_t sett_fixed_steps(const sett_world* world, float step);

/* Returns the time since the last fixed step of this length, as a part of a step: 0 to 1. To draw a
 * moving thing: its position before the last step, plus this part of what the step added.
 *   step  seconds, as in `fixed_step`
 * Returns 0 if no system has this step. Threads: reader. Since: 0.2 */
SETT_API float sett_fixed_rest(const sett_world* world, float step);

/* Waits until 1 / `rate` seconds have passed since the last call. Returns the seconds that have
 * passed, which are the next dt:
 *
 *     uint64_t clock = 0;
 *     while (playing) {
 *         sett_progress(world, sett_frame_wait(&clock, 60));
 *     }
 *
 *   clock  0 at first. The first call does not wait, and returns 1 / `rate`
 *   rate   frames a second. 0: no call waits, and the first returns 0
 * Threads: any. Since: 0.2 */
SETT_API float sett_frame_wait(uint64_t* clock, float rate);

/* Runs one system once, now, even if it is disabled or not due. Before and after it, recorded
 * commands of systems and of the world's own buffer are applied.
 * Fails: as sett_progress.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_run(sett_system* system, float dt);

/* Like sett_system_run, with an argument for this run: context->argument.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_system_run_with(sett_system* system, float dt, void* argument);

/* Begins the loop over the entities of this job. SETT_SYSTEM_FOR calls it; sett_batch_end ends the
 * loop. A job can loop several times.
 * Returns `batch`; NULL if the system has no terms (a misuse), or memory runs out.
 * Threads: the one that runs the job. Since: 0.1 */
SETT_API sett_batch* sett_context_begin(sett_context* context, sett_batch* batch);

/* Begins a loop over all entities of another query. SETT_CONTEXT_FOR calls it. The system must
 * declare each component whose values the query uses:
 *     the query writes it                           in `access_any_inout`
 *     the query reads it, and a term or
 *         `access_inout` of the system writes it    in `access_any_in` or `access_any_inout`
 *     the query reads it, the system does not
 *         write it                                  as a SETT_IN term, or in `access_any_in`
 * If the system has `single_job`, any term or list that declares this access is enough.
 * Returns `batch`; NULL if memory runs out, or the query is NULL or of another world (a misuse).
 * Threads: the one that runs the job. Since: 0.1 */
SETT_API sett_batch* sett_context_query(sett_context* context, sett_query* query,
                                        sett_batch* batch);

/* Loop over the entities of the job. SETT_SYSTEM_FOR visits them one by one, as SETT_FOR does;
 * SETT_SYSTEM_EACH batch by batch, as SETT_QUERY_EACH does. */
#define SETT_SYSTEM_FOR(context, b, i)                                                             \
    SETT_LOOP_(sett_context_begin((context), &b##_batch_), b) SETT_ROWS_(b, i)
#define SETT_SYSTEM_EACH(context, b)                                                               \
    SETT_LOOP_(sett_context_begin((context), &b##_batch_), b)                                      \
    while (sett_batch_more_(b))

/* Like sett_context_query, over all entities of another query:
 *
 *     SETT_CONTEXT_FOR(context, targets, b, i) { ... } */
#define SETT_CONTEXT_FOR(context, query, b, i)                                                     \
    SETT_LOOP_(sett_context_query((context), (query), &b##_batch_), b) SETT_ROWS_(b, i)
#define SETT_CONTEXT_EACH(context, query, b)                                                       \
    SETT_LOOP_(sett_context_query((context), (query), &b##_batch_), b)                             \
    while (sett_batch_more_(b))

/* Returns `size` bytes, uninitialised, valid until the system's function returns; NULL if memory
 * runs out. Allocates nothing if an earlier frame has used as much.
 *   align  a power of two, up to 4,096
 * Threads: the one that runs the job. Since: 0.1 */
SETT_API void* sett_context_alloc(sett_context* context, size_t size, size_t align);

/* ------------------------------------------------------------------------------------ schedule */

/* Runs the items `begin` to `end` - 1 of a task. Other threads can run other items meanwhile. */
typedef void (*sett_task_fn)(uint32_t begin, uint32_t end, void* context);

/* How work gets onto threads. threads.h has a pool; a job system of your own fits too. */
typedef struct sett_tasks {
    /* Begins a task: calls `task` for ranges that together cover 0 to `count` - 1, on any threads.
     * Each range has at least `min_range` items, except the last. Returns a pointer for `finish`;
     * NULL if the task is done already. */
    void* (*enqueue)(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                     void* user);
    /* Waits until a task is done, and can run ranges of it meanwhile. Afterwards the calling thread
     * must see what the task wrote. */
    void (*finish)(void* handle, void* user);
    void* user;
} sett_tasks;

/* Whether a world checks that systems access only what they declared. */
typedef enum sett_guard {
    SETT_GUARD_DEFAULT, /* on in debug builds of the library */
    SETT_GUARD_ON,
    SETT_GUARD_OFF
} sett_guard;

/* How a world runs its systems. All zeroes is the default. */
typedef struct sett_schedule_desc {
    /* threads for systems. These threads can call the world's allocator and log hook, several at
     * once. Default: all systems run on the thread that calls sett_progress */
    sett_tasks tasks;
    /* the most jobs of a system, 1 to 64. Results depend on this number: use the same on all
     * machines of a lockstep game. Default: 16 */
    uint32_t job_limit;
    /* report accesses by handle that a system did not declare, and members that its searches read.
     * The access still succeeds. The log and assert hooks are called on the system's thread: once
     * for each system and component, at most 16 times a system. sett_accessor_make counts as a
     * read. What an accessor finds that was made outside of the system is not checked. Cost: access
     * by handle takes about twice as long in systems */
    sett_guard guard;
    /* seconds of a fixed step (see Fixed steps above) for all systems of the phases fixed_phase to
     * fixed_last that have no fixed_step of their own. An `interval` of such a system counts the
     * time of steps. Default: none */
    float fixed_step;
    int fixed_phase;
    int fixed_last;
    uint32_t max_steps; /* as in sett_system_desc */
    /* do not measure the times of systems. Without times every stage uses `tasks`. With times a
     * very short stage runs on the calling thread alone. Default: no */
    bool no_times;
} sett_schedule_desc;

SETT_API sett_status sett_schedule_configure_sized(sett_world* world,
                                                   const sett_schedule_desc* desc, size_t size);

/* Sets how a world runs its systems.
 * Fails: LOCKED, ARGUMENT, CONFLICT (with fixed steps, `before` or `after` of a system contradicts
 * the phases), OUT_OF_MEMORY.
 * Threads: writer. Since: 0.1 */
static inline sett_status sett_schedule_configure(sett_world* world, const sett_schedule_desc* desc)
{
    return sett_schedule_configure_sized(world, desc, sizeof(*desc));
}

/* Called after each run of a system, and after commands were applied. The function can read the
 * world. If `commands` is false, `system` has run. If `commands` is true, commands of `system`
 * were applied; if `system` is NULL, those of the world's own buffer. */
typedef void (*sett_step_fn)(sett_world* world, sett_system* system, bool commands, void* user);

/* Calls a function after each run of a system, to find out which system changes a value. Systems
 * then run on the calling thread, one after another, with the same results. NULL ends it.
 * Fails: LOCKED (systems run), OUT_OF_MEMORY. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_schedule_watch(sett_world* world, sett_step_fn fn, void* user);

/* A flag for your code; the library does not read it. A tool sets it while it plays frames again
 * (docs/inspector.md). While it is true, play no sound, and send and log nothing.
 * Threads: reader / writer. Since: 0.2 */
SETT_API bool sett_world_is_replaying(const sett_world* world);
SETT_API void sett_world_set_replaying(sett_world* world, bool replaying);

/* Writes the schedule as text, as snprintf does: the phases, their stages, the systems and jobs of
 * a stage, and what each system waits for and why.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.1 */
SETT_API size_t sett_schedule_describe(const sett_world* world, char* out, size_t size);

/* Writes access lists for each system as text, as snprintf does: those of its descriptor, and what
 * the guard saw it use beyond them. Paste them into the descriptor. So the lists of a new system
 * can be written by running it with terms and without lists: debug builds also log each line, once.
 *
 *     think: .access_any_in = {Position_id, Body_id}, .access_any_inout = {Score_id},
 *     think: has not read Armour_id
 *
 * The second line is about a component that a list names, and that no run has used so far.
 * Components that are only written on visited entities can be moved to `access_inout`: the guard
 * does not know which entities those are. Exclusive systems need no lists and are left out.
 * Returns the length of the whole text, 0 if no system needs lists.
 * Threads: writer. Since: 0.2 */
SETT_API size_t sett_schedule_suggest(const sett_world* world, char* out, size_t size);

#endif
