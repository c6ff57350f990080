/* system.h: what makes a world run. A system is a function, a query and the access that it
 * declares; sett_progress runs all systems of a world once, in an order that is computed from
 * phases, from what was said about it, and from access.
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
 * Order. Phases follow one another by number. In a phase a system runs in the first stage that
 * comes behind every system that it is after, and behind every earlier one that it conflicts with:
 * two systems conflict if one of them writes what the other reads or writes. Systems of one stage
 * run side by side, in no order among themselves. sett_schedule_describe prints all of it.
 *
 * Earlier is, in a phase, what was created first, but for systems that name others: one with
 * `after` waits for those that it names, and one with `before` goes right ahead of the first that
 * it names. Systems that name none keep their order, unless what others say contradicts it:
 *
 *     created B, C, A with before B    runs as  A, B, C
 *     created A with after C, B, C, D  runs as  B, C, A, D
 *
 * Jobs. The entities that a system visits are split over jobs, by pages of 1,024, and its
 * function is called once for each job that has any. How many jobs there are depends on the state
 * of the world and never on the number of threads, so that results do not either. Without threads
 * the jobs run one after another. A function must therefore not keep what it counts in variables
 * of its own; a system that has to see everything in one call is `whole`. A system is not split,
 * and gets one job, if it is `whole`, writes anywhere (`random`), reads elsewhere what it writes,
 * writes values whose rows lie in another order than the loop's (sett_query_explain: gathered), or
 * has a sparse-set type among `writes`.
 *
 * Commands. A system records into context->commands. What was recorded is applied at the end of
 * each phase and before each system that runs alone; stage by stage, in a stage in the order of the
 * schedule, then job by job, then as recorded; at last what the world's own buffer holds. The
 * world's own buffer is applied at the beginning of the frame as well. Until then nobody sees it.
 *
 * Inside of a system's function:
 *   calls marked `Threads: reader`  allowed;
 *   sett_get_mut and its kin        of components declared as written;
 *   sett_set                        likewise, if the entity has it and the type has no on_set;
 *   structural changes              rejected (LOCKED), to be recorded;
 *   other loops                     by sett_context_query, of what is declared.
 * A system that runs alone (`alone`, or nothing declared at all) may do everything that is allowed
 * outside of systems, but sett_progress and sett_system_run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SYSTEM_H
#define SETT_SYSTEM_H

#include "sett/sett.h"

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

/* What a system's function is handed: valid during the call. */
typedef struct sett_context {
    sett_world* world;
    sett_system* system;
    sett_commands* commands; /* of this job */
    void* user;              /* of the descriptor */
    float dt;                /* seconds: of the frame, of the interval, or of the fixed step */
    uint32_t job;            /* this is job `system` */
    uint32_t job_count;      /* of so many, of which those without entities are not called */
    uint64_t frame;          /* frames completed before this one */
    double time;             /* seconds that all frames before this one took together */
    void* internal;          /* the library's own */
} sett_context;

#define SETT_SYSTEM_ACCESS 16
#define SETT_SYSTEM_ORDER 8

typedef struct sett_system_desc {
    const char* name;             /* unique in the world; needed */
    void (*run)(sett_context* c); /* default: none; the system is then a managed set only */
    void* user;                   /* handed to all callbacks */
    int phase;                    /* default: SETT_PHASE_UPDATE */

    /* The entities that it visits, as in sett_query_desc. None: the function is called once. A term
     * with `changed` matches what was written since the system last ran. That is part of the state:
     * after a restore (sett/state.h) it matches what it matched the first time. */
    sett_term terms[SETT_QUERY_TERMS];

    /* What it touches beyond; lists end at the first 0. */
    sett_component access_any_in[SETT_SYSTEM_ACCESS];    /* reads of any entity */
    sett_component access_inout[SETT_SYSTEM_ACCESS];     /* writes of the entities that it visits */
    sett_component access_any_inout[SETT_SYSTEM_ACCESS]; /* reads and writes of any entity */

    /* Systems of the same phase that it runs before and after, made earlier or later, by name;
     * lists end at the first NULL. Names that no system has by the first frame are reported to the
     * log, once, and have no effect. */
    const char* before[SETT_SYSTEM_ORDER];
    const char* after[SETT_SYSTEM_ORDER];

    bool single_job; /* one job visits everything; default: split over jobs */
    /* runs on the thread that calls sett_progress, while nothing else runs, and may change
     * structure at once; default: only if it declares nothing at all */
    bool exclusive;
    bool run_once; /* disabled after its first run; default: no */
    bool disabled; /* until sett_system_enable; default: no */

    /* Asked at the beginning of its stage, on the thread that calls sett_progress; must only read.
     * While it says no the system does not run and its time stands still. */
    bool (*run_if)(const sett_world* world, void* user);
    /* Seconds: runs in the frame in which so much time has passed, or would have but for less than
     * a thousandth of the frame, with the interval as dt. What is beyond counts for the next run. A
     * frame that is not shorter than the interval makes it run once, with all the time since the
     * last run as dt, and nothing is left; default: every frame */
    float interval;
    /* Seconds: runs as often as this fits into the time passed, with this as dt; default: once */
    float fixed_step;
    /* runs that one frame may need to catch up; what is left beyond is forgotten; default: 8 */
    uint32_t max_steps;

    /* A managed set: told of each entity that comes to match the terms, those that do already
     * included, and of each that ceases to. If given, terms may only require and exclude types that
     * are not dont_fragment. The rules are those of sett_group_desc. */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
} sett_system_desc;

/* Makes a system. It belongs to the world. It takes part from the next frame on and visits what
 * exists already.
 * Returns NULL on failure. Fails: ARGUMENT (no name; a wrong term), CONFLICT (the name is taken; an
 * order against the phases), CYCLE (the message names the systems in it), UNREGISTERED, LOCKED,
 * OUT_OF_MEMORY.
 * Cost: O(terms), and O(systems that are ahead of it, or behind it, by what is said: the fewer of
 * the two). The first frame after it works out the schedule: O(n log n) for n systems.
 * Threads: writer. Since: 0.1 */
SETT_API sett_system* sett_system_create(sett_world* world, const sett_system_desc* desc);

/* Frees a system; what it recorded and was not applied is dropped. NULL is fine.
 * Fails: LOCKED (also while sett_progress runs, or a snapshot is held).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_destroy(sett_system* system);

/* SETT_SYSTEM(world, move, .terms = {...}) makes a system of the function `move`, named "move"; at
 * least one field has to follow. Returns NULL on failure, as sett_system_create. In C++20
 * too, with the fields in the order of the descriptor; in C++17 fill in a descriptor. */
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

/* Says that `first` runs before `then`, two systems of the same world, as if `first` had named it
 * in `before`.
 * Fails: CYCLE, CONFLICT (phases say otherwise), ARGUMENT, LOCKED, OUT_OF_MEMORY.
 * Cost: as sett_system_create.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_order(sett_system* first, sett_system* then);

/* Returns the system with this name, or NULL. Cost: O(1), hashed. Threads: reader. Since: 0.1 */
SETT_API sett_system* sett_system_find(const sett_world* world, const char* name);

/* Returns the system's name. Threads: reader. Since: 0.1 */
SETT_API const char* sett_system_name(const sett_system* system);

/* Switches a system on or off, from the next stage on. Time stands still for one that is off.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_system_enable(sett_system* system, bool on);

/* Returns whether it is on. Threads: reader. Since: 0.1 */
SETT_API bool sett_system_is_enabled(const sett_system* system);

/* Returns the system's query, NULL if it has no terms. It belongs to the system.
 * Threads: reader. Since: 0.1 */
SETT_API sett_query* sett_system_query(const sett_system* system);

/* Returns the set of a system with `entered` or `left`, or NULL. It belongs to the system.
 * Threads: reader. Since: 0.1 */
SETT_API sett_group* sett_system_group(const sett_system* system);

typedef struct sett_system_stats {
    uint64_t runs;       /* calls of all jobs, and steps, count as one */
    uint64_t time_last;  /* nanoseconds of the last run, added up over its jobs */
    uint64_t time_total; /* the same of all runs */
    uint32_t matches;    /* entities that it would visit now */
    uint32_t jobs;       /* called in the last run */
    uint32_t stage;      /* of its phase, from 0 */
} sett_system_stats;

/* Fills `stats`. Cost: as sett_query_count. Threads: writer. Since: 0.1 */
SETT_API void sett_system_stats_get(sett_system* system, sett_system_stats* stats);

/* ------------------------------------------------------------------------------------- running */

/* Runs one frame: every system that is on and whose time has come. `dt`: seconds, not negative.
 * Fails: LOCKED (a loop is open, or it runs already), ARGUMENT (dt), OUT_OF_MEMORY: commands could
 * not be applied; the rest of the frame is left out, what was recorded is kept, and the next call
 * goes on with it before it begins a frame.
 * Cost: about 400 instructions a system, 600 for each further job, a reading of the clock for
 * each.
 * Threads: writer; the functions run on the threads of sett_schedule_desc.tasks. Since: 0.1 */
SETT_API sett_status sett_progress(sett_world* world, float dt);

/* Runs one system now, once, whatever its condition, interval or step; applies what it recorded.
 * Fails: as sett_progress.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_system_run(sett_system* system, float dt);

/* Begins the system's loop over the entities of this job, to be ended by sett_batch_end; what
 * SETT_SYSTEM_EACH is made of. It may be begun again: it visits the same.
 * Returns `batch`, NULL if the system has no terms or memory runs out.
 * Threads: the one that runs the function. Since: 0.1 */
SETT_API sett_batch* sett_context_begin(sett_context* context, sett_batch* batch);

/* Begins a loop over another query, all of it: nested in the system's own or not. Its terms have to
 * be declared: what it reads in `terms`, `reads` or `random`, what it writes in `random` or, if the
 * system is whole, in `writes`. Returns NULL for NULL, as sett_query_begin.
 * Threads: the one that runs the function. Since: 0.1 */
SETT_API sett_batch* sett_context_query(sett_context* context, sett_query* query,
                                        sett_batch* batch);

/* As SETT_FOR and SETT_QUERY_EACH, over the entities of the job. */
#define SETT_SYSTEM_FOR(context, b, i)                                                             \
    SETT_LOOP_(sett_context_begin((context), &b##_batch_), b) SETT_ROWS_(b, i)
#define SETT_SYSTEM_EACH(context, b)                                                               \
    SETT_LOOP_(sett_context_begin((context), &b##_batch_), b)                                      \
    while (sett_batch_next(b))

/* Returns `size` bytes, uninitialised, until the function returns; NULL when memory runs out.
 * `align`: a power of two up to 4,096. Allocates nothing once it has been called for as much.
 * Threads: the one that runs the function. Since: 0.1 */
SETT_API void* sett_context_alloc(sett_context* context, size_t size, size_t align);

/* ------------------------------------------------------------------------------------ schedule */

/* Part of a task: to do items `begin` to `end` - 1, at the same time as others do other items. */
typedef void (*sett_task_fn)(uint32_t begin, uint32_t end, void* context);

/* How work gets onto threads. sett/threads.h has a pool; a job system of your own fits as well. */
typedef struct sett_tasks {
    /* Has `task` called, on any threads, for ranges that make up 0 to `count` - 1, each of
     * `min_range` items or more (but the last). Returns a handle, or NULL if all is done already.
     */
    void* (*enqueue)(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                     void* user);
    /* Returns when the task of this handle is done; may do some of it. What its calls wrote is
     * visible then. */
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
    /* Default: none, all runs on the thread that calls sett_progress. With tasks the world's
     * allocator and its log hook may be called from their threads, several at once. */
    sett_tasks tasks;
    /* jobs at most that a system is split into, 1 to 64. Part of what results depend on: the same
     * on all machines that have to agree. Default: 16 */
    uint32_t job_limit;
    /* Reports, through the log and assert hooks, each component that a system touches through the
     * API and did not declare, once for each system and up to 16 of each; the call succeeds. With
     * tasks the hooks are called from the thread that touched it. What is reached through
     * sett_accessor_find is not watched. Cost: calls by handle take about twice as long in
     * systems. */
    sett_guard guard;
    bool no_times; /* measures no times; then stages go to `tasks` however short they are */
} sett_schedule_desc;

/* Says how a world runs its systems. Fails: LOCKED, ARGUMENT, OUT_OF_MEMORY.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_schedule_configure(sett_world* world, const sett_schedule_desc* desc);

/* Writes the schedule in words, as snprintf does: phase by phase, the stages, which systems run
 * side by side, what each waits for and why, how it is split.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.1 */
SETT_API size_t sett_schedule_describe(sett_world* world, char* out, size_t size);

#endif
