/* system.h: systems. A system is a function, a query, and the components that it declares to read
 * and write. sett_progress runs all systems of a world once. Their order follows from phases, from
 * `before` and `after`, and from the declared access.
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
 * Order. Phases run in the order of their numbers. The systems of a phase have an order: that of
 * their creation, except that a system with `after` waits for the systems that it names, and a
 * system with `before` is placed directly in front of the earliest of those that it names:
 *
 *     created B, C, A, where A has before B     runs as  A, B, C
 *     created A, B, C, D, where A has after C   runs as  B, C, A, D
 *
 * Systems that conflict run one after another: if one writes a component that the other reads or
 * writes. Systems that do not conflict run in parallel, as a stage. sett_schedule_describe prints
 * the schedule.
 *
 * Access. A term declares access to the values of the entities that the system visits: SETT_IN,
 * SETT_INOUT or SETT_OUT for what its loop reads and writes. SETT_WITH(T) declares presence alone:
 * the system can ask sett_has for T, and does not wait for systems that write T; to read T by
 * handle it needs SETT_IN(T). Everything else that the system accesses is declared in lists:
 * `access_any_in` for reading other entities, and singletons; `access_inout` for writing a further
 * component of the visited entities by handle; `access_any_inout` for writing any entity, and
 * singletons.
 *
 * Jobs. The entities of a system are split into jobs, by pages of 1,024 entities, and its function
 * is called once for each job. The number of threads never changes the number of jobs, and so it
 * never changes results. Without threads the jobs run one after another. Because jobs can run in
 * parallel, a function must not count in a shared variable; a system that needs all entities in one
 * call is `single_job`. A system also has one job if it has `access_any_inout`; if it writes a
 * component that is in its `access_any_in`; if it writes fields that are copies (gathered:
 * sett_query_explain says so); or if `access_inout` lists a type in a sparse set.
 *
 * Commands. A system records into context->commands. Commands are applied at the end of each phase
 * and before each exclusive system: in the order of the schedule, then of jobs, then of recording;
 * the world's own buffer last. The world's own buffer is also applied at the beginning of a frame.
 *
 * Inside a system's function:
 *   calls marked `Threads: reader`  are allowed;
 *   sett_get_mut, sett_find_mut     for components declared as written;
 *   sett_set                        likewise, if the entity has the component and it has no on_set;
 *   structural changes              are rejected (LOCKED): record commands;
 *   loops over other queries        by sett_context_query.
 * An exclusive system (`exclusive`, or nothing declared at all) can do everything except
 * sett_progress and sett_system_run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SYSTEM_H
#define SETT_SYSTEM_H

#include "sett/core.h"

typedef struct sett_system sett_system;

/* Phases: any number; these have names. */
enum {
    SETT_PHASE_LOAD = -300,
    SETT_PHASE_INPUT = -200,
    SETT_PHASE_UPDATE_EARLY = -100,
    SETT_PHASE_UPDATE = 0,
    SETT_PHASE_UPDATE_LATE = 100,
    SETT_PHASE_OUTPUT = 200
};

/* The argument of a system's function, valid during the call. */
typedef struct sett_context {
    sett_world* world;
    sett_system* system;
    sett_commands* commands; /* the buffer of this job */
    void* user;              /* of the descriptor */
    float dt;                /* seconds: of the frame, of the interval, or of the fixed step */
    uint32_t job;            /* number of this job, from 0 */
    uint32_t job_count; /* of the system; the function is not called for jobs without entities */
    uint64_t frame;     /* frames completed before this one */
    double time;        /* seconds of all frames before this one */
    void* internal;
} sett_context;

#define SETT_SYSTEM_ACCESS 16
#define SETT_SYSTEM_ORDER 8

typedef struct sett_system_desc {
    const char* name;             /* unique in the world; required */
    void (*run)(sett_context* c); /* default: none, only on_enter and on_exit */
    void* user;                   /* passed to all callbacks */
    int phase;                    /* default: SETT_PHASE_UPDATE */

    /* The entities that it visits, as in sett_query_desc. Without terms the function is called
     * once. A term with `changed` matches values written since the system's last run; a restore
     * (state.h) restores that time too. */
    sett_term terms[SETT_QUERY_TERMS];

    /* Components that it accesses besides its terms; lists end at the first 0. */
    sett_component access_any_in[SETT_SYSTEM_ACCESS]; /* reads, of any entity */
    sett_component
        access_inout[SETT_SYSTEM_ACCESS]; /* reads and writes, of entities that it visits */
    sett_component access_any_inout[SETT_SYSTEM_ACCESS]; /* reads and writes, of any entity */

    /* Names of systems of the same phase that it runs before and after; lists end at the first
     * NULL. They can be created later. Unknown names are reported at the first frame. */
    const char* before[SETT_SYSTEM_ORDER];
    const char* after[SETT_SYSTEM_ORDER];

    bool single_job; /* one job visits all entities; default: no */
    /* runs on the thread that calls sett_progress while no other system runs, and can change
     * structure; default: only if it declares nothing at all */
    bool exclusive;
    bool run_once; /* disable it after its first run; default: no */
    bool disabled; /* create it disabled; default: no */

    /* Called at the beginning of its stage, on the thread that calls sett_progress; can only read.
     * If it returns false the system does not run, and its timers stand still. */
    bool (*run_if)(const sett_world* world, void* user);
    /* seconds between runs: it runs in the frame in which the interval has passed (or will have
     * within a thousandth of dt). dt is the interval; time left over counts for the next run. In a
     * frame longer than the interval it runs once, with the time since its last run as dt. Default:
     * every frame */
    float interval;
    /* seconds: it runs as often as this fits into the time that passed, with this as dt; default:
     * once a frame */
    float fixed_step;
    /* the most fixed steps of one frame; time beyond is dropped; default: 8 */
    uint32_t max_steps;

    /* Callbacks for entities that begin or stop to match the terms; on_enter runs for existing
     * matches when the system is created, unlike in groups. Terms can then only be WITH and
     * WITHOUT, of types without dont_fragment. Apart from that the rules are those of on_enter and
     * on_exit in sett_group_desc. */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
} sett_system_desc;

SETT_API sett_system* sett_system_create_sized(sett_world* world, const sett_system_desc* desc,
                                               size_t size, size_t term_size);

/* Creates a system. It belongs to the world, and runs from the next frame on.
 * Returns NULL on failure. Fails: ARGUMENT (no name; a wrong term), CONFLICT (the name is taken; an
 * order that contradicts the phases), CYCLE (the message names the systems in it), UNREGISTERED,
 * LOCKED, OUT_OF_MEMORY.
 * Cost: O(terms), plus O(the systems before it, or those after it, whichever are fewer). The next
 * frame computes the schedule: O(n log n) for n systems.
 * Threads: writer. Since: 0.1 */
static inline sett_system* sett_system_create(sett_world* world, const sett_system_desc* desc)
{
    return sett_system_create_sized(world, desc, sizeof(*desc), sizeof(sett_term));
}

/* Frees a system and drops its commands that were not applied. NULL is fine.
 * Fails: LOCKED (also while sett_progress runs, or a snapshot is held).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_destroy(sett_system* system);

/* SETT_SYSTEM(world, move, .terms = {...}) creates a system of the function `move` with the name
 * "move". At least one field is needed. In C++20 the fields must be in the order of the descriptor;
 * in C++17 fill in a descriptor. */
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

/* Makes the system `first` run before the system `then`, as `before` in its descriptor would.
 * Fails: CYCLE, CONFLICT (phases say otherwise), ARGUMENT, LOCKED, OUT_OF_MEMORY.
 * Cost: as sett_system_create.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_order(sett_system* first, sett_system* then);

/* Returns the system with this name, or NULL. Cost: O(1), hashed. Threads: reader. Since: 0.1 */
SETT_API sett_system* sett_system_find(const sett_world* world, const char* name);

/* Returns the system's name. Threads: reader. Since: 0.1 */
SETT_API const char* sett_system_name(const sett_system* system);

/* Enables or disables a system, from the next stage on. The timers of a disabled system stand
 * still.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_system_enable(sett_system* system, bool on);

/* Returns whether it is enabled. Threads: reader. Since: 0.1 */
SETT_API bool sett_system_is_enabled(const sett_system* system);

/* Returns the system's query, NULL if it has no terms. It belongs to the system.
 * Threads: reader. Since: 0.1 */
SETT_API sett_query* sett_system_query(const sett_system* system);

typedef struct sett_system_stats {
    uint64_t runs;       /* frames in which it ran */
    uint64_t time_last;  /* nanoseconds of the last run, the sum over its jobs */
    uint64_t time_total; /* nanoseconds of all runs */
    uint32_t matches;    /* entities that match now */
    uint32_t jobs;       /* of the last run */
    uint32_t stage;      /* in its phase, from 0 */
} sett_system_stats;

SETT_API void sett_system_stats_get_sized(const sett_system* system, sett_system_stats* stats,
                                          size_t size);

/* Fills `stats`. Cost: as sett_query_count. Threads: writer. Since: 0.1 */
static inline void sett_system_stats_get(const sett_system* system, sett_system_stats* stats)
{
    sett_system_stats_get_sized(system, stats, sizeof(*stats));
}

/* ------------------------------------------------------------------------------------- running */

/* Runs one frame: all enabled systems whose time has come.
 *   dt  seconds since the last frame, not negative
 * Fails: LOCKED (a loop is open, or it runs already), ARGUMENT (dt), OUT_OF_MEMORY: commands could
 * not be applied; the frame ends, and the next call applies them before it begins a frame.
 * Cost: about 400 instructions a system, 600 for each further job, and a reading of the clock for
 * each.
 * Threads: writer; the functions run on the threads of sett_schedule_desc.tasks. Since: 0.1 */
SETT_API sett_status sett_progress(sett_world* world, float dt);

/* Runs one system now, once, and applies its commands; ignores run_if, interval and fixed_step.
 * Fails: as sett_progress.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_run(sett_system* system, float dt);

/* Begins the loop over the entities of this job; sett_batch_end ends it. SETT_SYSTEM_FOR calls it.
 * It can be begun again, and visits the same entities.
 * Returns `batch`, NULL if the system has no terms or memory runs out.
 * Threads: the one that runs the function. Since: 0.1 */
SETT_API sett_batch* sett_context_begin(sett_context* context, sett_batch* batch);

/* Begins a loop over all entities of another query. The system must have declared what the query
 * reads, in `terms`, `access_any_in` or `access_any_inout`. Components that the query writes must
 * be in `access_any_inout`; for a single_job system `access_inout` is enough. Returns NULL as
 * sett_query_begin does. SETT_CONTEXT_FOR calls it.
 * Threads: the one that runs the function. Since: 0.1 */
SETT_API sett_batch* sett_context_query(sett_context* context, sett_query* query,
                                        sett_batch* batch);

/* SETT_FOR and SETT_QUERY_EACH over the entities of the job. */
#define SETT_SYSTEM_FOR(context, b, i)                                                             \
    SETT_LOOP_(sett_context_begin((context), &b##_batch_), b) SETT_ROWS_(b, i)
#define SETT_SYSTEM_EACH(context, b)                                                               \
    SETT_LOOP_(sett_context_begin((context), &b##_batch_), b)                                      \
    while (sett_batch_next(b))

/* SETT_FOR and SETT_QUERY_EACH in a system, over all entities of another query:
 *
 *     SETT_CONTEXT_FOR(context, targets, b, i) { ... } */
#define SETT_CONTEXT_FOR(context, query, b, i)                                                     \
    SETT_LOOP_(sett_context_query((context), (query), &b##_batch_), b) SETT_ROWS_(b, i)
#define SETT_CONTEXT_EACH(context, query, b)                                                       \
    SETT_LOOP_(sett_context_query((context), (query), &b##_batch_), b)                             \
    while (sett_batch_next(b))

/* Returns `size` bytes, uninitialised, valid until the system's function returns; NULL when memory
 * runs out. `align`: a power of two up to 4,096. Allocates nothing if an earlier frame has already
 * used the same amount.
 * Threads: the one that runs the function. Since: 0.1 */
SETT_API void* sett_context_alloc(sett_context* context, size_t size, size_t align);

/* ------------------------------------------------------------------------------------ schedule */

/* Part of a task: the items `begin` to `end` - 1. Other threads can run other items at the same
 * time. */
typedef void (*sett_task_fn)(uint32_t begin, uint32_t end, void* context);

/* How work gets onto threads: threads.h has a pool; a job system of your own fits too. */
typedef struct sett_tasks {
    /* Calls `task`, on any threads, for ranges that cover 0 to `count` - 1, each of at least
     * `min_range` items, except the last. Returns a handle, or NULL if the task is done already. */
    void* (*enqueue)(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                     void* user);
    /* Waits for a task; can run parts of it. What its calls wrote is visible afterwards. */
    void (*finish)(void* handle, void* user);
    void* user;
} sett_tasks;

typedef enum sett_guard {
    SETT_GUARD_DEFAULT, /* on in debug builds of the library */
    SETT_GUARD_ON,
    SETT_GUARD_OFF
} sett_guard;

/* How a world runs its systems. All zeroes is the default. */
typedef struct sett_schedule_desc {
    /* default: none, all systems run on the thread that calls sett_progress. With tasks, the
     * world's allocator and log hook can be called from several threads at once */
    sett_tasks tasks;
    /* the most jobs of a system, 1 to 64; results depend on it, so use the same number on all
     * machines of a lockstep game. Default: 16 */
    uint32_t job_limit;
    /* report accesses by handle that a system did not declare, to the log and assert hooks, once
     * for each pair of system and component, at most 16 for a system; the access itself succeeds.
     * The hooks are called from the system's thread. sett_accessor_find is not checked. Cost: calls
     * by handle take about twice as long in systems */
    sett_guard guard;
    /* do not measure times. Without measured times all stages go to `tasks`; with them, short
     * stages stay on the calling thread; default: no */
    bool no_times;
} sett_schedule_desc;

SETT_API sett_status sett_schedule_configure_sized(sett_world* world,
                                                   const sett_schedule_desc* desc, size_t size);

/* Sets how a world runs its systems. Fails: LOCKED, ARGUMENT, OUT_OF_MEMORY.
 * Threads: writer. Since: 0.1 */
static inline sett_status sett_schedule_configure(sett_world* world, const sett_schedule_desc* desc)
{
    return sett_schedule_configure_sized(world, desc, sizeof(*desc));
}

/* Formats the schedule as snprintf does: phases, stages, which systems run in parallel, what each
 * waits for and why, its jobs.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.1 */
SETT_API size_t sett_schedule_describe(const sett_world* world, char* out, size_t size);

#endif
