/* run.h: the systems of a world, and the state for running them. */
#ifndef SETTI_RUN_H
#define SETTI_RUN_H

#include "base/atomic.h"
#include "base/platform.h"
#include "query/query.h"
#include "sett/observer.h"
#include "sett/system.h"

#define SETTI_JOBS_DEFAULT 16
#define SETTI_JOBS_MAX 64
#define SETTI_STEPS_DEFAULT 8

/* A descriptor's terms and access lists have at most so many components. */
#define SETTI_ACCESS_MOST (SETT_QUERY_TERMS + 4 * SETT_SYSTEM_ACCESS)

#define SETTI_GUARD_USES 32  /* components whose use by a system the guard notes */
#define SETTI_SLICE_HINTS 64 /* see slice.c */

/* How a system accesses a component. */
typedef struct setti_access {
    sett_component component;
    uint32_t flags; /* SETTI_ACCESS_* */
} setti_access;

/* The part of a system that belongs to the world's state, and is saved by snapshots. */
typedef struct setti_system_state {
    double time;      /* seconds of its interval that have passed */
    uint64_t runs;    /* how often it ran */
    uint32_t enabled; /* 0 or 1 */
    uint32_t unused;
    uint64_t seen; /* tick of the last run, for terms with `changed` */
} setti_system_state;

/* A loop of fixed steps: the part that belongs to the world's state. */
typedef struct setti_fixed_state {
    double start;   /* seconds before the loop's first step, plus the time that it has skipped */
    double now;     /* seconds that have passed for the loop */
    uint64_t steps; /* steps that ran, with the running one */
} setti_fixed_state;

typedef struct setti_fixed {
    struct setti_fixed* next; /* the loop with the next longer step */
    float step;               /* seconds */
    char name[28];            /* of the root */
    setti_fixed_state state;
    setti_root root; /* root of `state` */

    /* Set by the schedule: */
    uint32_t number; /* 1, 2, ... in ascending order of steps */
    uint32_t most;   /* steps in a frame, at most */
    uint32_t first;  /* its first stage */
    uint32_t end;    /* behind its last stage; equals `first` if it has no systems */
} setti_fixed;

/* What one call of a system's function uses. Threads write to neighbouring jobs, so `apart` keeps
 * them in different cache lines. */
typedef struct setti_job {
    sett_commands* commands;
    setti_job_loops loops;
    uint64_t time; /* nanoseconds of the last call */
    unsigned char apart[64];
} setti_job;

/* A declared order: a system runs before or after the system of a name. */
typedef struct setti_order {
    sett_system* system;            /* the declaring system */
    struct setti_system_name* name; /* of the other system */
    struct setti_order* next;       /* next of the system's orders */
    struct setti_order* next_about; /* next of the name's orders */
    struct setti_order* previous_about;
    bool after;    /* SETTI_ORDER_AFTER or SETTI_ORDER_BEFORE */
    bool reported; /* a warning was logged, because no system has the name */
} setti_order;

/* The values of setti_order.after: `system` runs after, or before, the named one. */
#define SETTI_ORDER_AFTER true
#define SETTI_ORDER_BEFORE false

/* A name that a system has or that an order names. */
typedef struct setti_system_name {
    struct setti_system_name* next; /* next in its bucket */
    uint64_t key;                   /* hash of the text */
    sett_system* system;            /* the system of that name, or NULL */
    setti_order* about;             /* the orders that name it */
    bool known;                     /* some system has or had it */
    char text[];
} setti_system_name;

/* A walk over the systems that are declared to run after, or before, a given one. */
typedef struct setti_order_walk {
    const setti_order* own;   /* the next of the system's own orders */
    const setti_order* about; /* the next of other systems' orders about it */
    bool back;                /* SETTI_WALK_EARLIER or SETTI_WALK_LATER */
} setti_order_walk;

/* The values of `back`: the walk visits systems that run before, or after, the given one. */
#define SETTI_WALK_EARLIER true
#define SETTI_WALK_LATER false

/* How a system used a component; see guard.c. */
typedef struct setti_access_use {
    setti_mark component; /* 0: the entry is free */
    setti_mark flags;     /* GUARD_* of guard.c */
} setti_access_use;

struct sett_system {
    sett_world* world;
    sett_system* next; /* list of the world's systems, in order of creation */
    sett_system* previous;
    setti_system_name* entry;
    const char* name;        /* entry->text */
    sett_system_desc desc;   /* as given, without `before` and `after`, which are in `orders` */
    sett_query* query;       /* NULL: the system has no terms */
    sett_group* group;       /* runs on_enter and on_exit; or NULL */
    sett_observer* observer; /* runs them if a group cannot follow the terms; or NULL */
    setti_access* access;    /* each component once; has room for SETTI_ACCESS_MOST */
    uint32_t access_count;
    setti_order* orders; /* declared by the system, the latest first */
    bool exclusive;
    bool asks_changed;                       /* a term has `changed` */
    setti_access_use used[SETTI_GUARD_USES]; /* what the guard has seen it use */
    setti_mark suggests;                     /* 1: its lists lack a use that is not logged yet */

    setti_job* jobs;
    uint32_t job_capacity; /* entries of `jobs`; 1 if the system is never split */
    setti_fixed* fixed;    /* its loop of fixed steps; NULL: it runs once a frame */
    setti_system_state state;
    setti_root root; /* root of `state` */

    /* In this frame: */
    float dt;
    uint32_t job_used;  /* how many of its jobs run */
    bool recorded;      /* some job recorded commands */
    uint64_t time_last; /* nanoseconds, of the last run */
    uint64_t time_total;

    /* In the schedule: */
    uint32_t stage;         /* number in its phase */
    uint32_t place;         /* position by phases and declared orders */
    uint64_t section;       /* first sort key: the phase, or the loop of fixed steps */
    uint64_t key;           /* second sort key */
    uint32_t tie;           /* third sort key */
    uint32_t waiting;       /* number of systems that run before it and are not placed yet */
    sett_system* waits_for; /* the system because of which it is not in an earlier stage, or NULL */
    /* the component of their conflict; 0: a declared order, or one of them is exclusive */
    sett_component waits_on;
    bool awaits_commands; /* it waits for commands of a system with `records`, in its phase */

    /* In a walk over orders: */
    sett_system* walk_from; /* the system from which the walk came to it */
    sett_system* walk_next; /* the next system whose orders the walk has to follow */
    uint64_t walk_seen;     /* number of the latest walk that visited it */
};

/* A stage: systems that may run side by side. */
typedef struct setti_stage {
    uint32_t first; /* its first system: index in `sorted` */
    uint32_t count; /* of systems */
    bool exclusive; /* it is one exclusive system */
    bool applies;   /* commands are applied before it; so at the begin of each phase */
} setti_stage;

/* One job of a stage. */
typedef struct setti_slice {
    sett_system* system;
    setti_job* job;
    uint32_t number; /* of the job, from 0 on */
    uint32_t count;  /* how many jobs its system has */
    uint32_t from;   /* it visits rows [from, to) */
    uint32_t to;
    setti_mark thread; /* the thread that runs it, or 0 */
} setti_slice;

/* The frame's part of the world's state. */
typedef struct setti_frame_state {
    uint64_t frames; /* frames that were completed */
    double time;     /* seconds of these frames together */
} setti_frame_state;

static_assert(sizeof(setti_system_state) <= SETTI_ROOT_SIZE, "a root holds it");

typedef struct setti_run {
    sett_system* systems; /* list, in order of creation */
    sett_system* last;
    uint32_t count;
    setti_system_name** names; /* hash table of `name_capacity` buckets */
    uint32_t name_count;
    uint32_t name_capacity;
    uint64_t walks; /* number of the latest walk forward over orders; the walk back has one less */
    uint64_t work;  /* steps taken to order systems: tests limit them */
    uint32_t jobs;  /* jobs of a system, at most */
    sett_tasks tasks;  /* the program's threads */
    bool watched;      /* the guard watches systems */
    bool timed;        /* times are measured */
    sett_step_fn step; /* called after each system and each application of commands, or NULL */
    void* step_user;   /* passed to `step` */
    void* argument;    /* the argument of sett_system_run_with */
    uint64_t frame;    /* for contexts: number of the frame or fixed step */
    double time;       /* for contexts: the time at which that began, in seconds */
    setti_frame_state state;
    setti_root root; /* root of `state` */

    /* The schedule, a cache: sorted by phase, stage and place. */
    bool scheduled;
    bool names_checked; /* unknown names in orders were reported */
    sett_system** sorted;
    sett_system** heap; /* used while systems are sorted; lies behind `sorted` in memory */
    /* By place in `sorted`: a storage while which is empty the system is skipped; NULL: it is not
     * skipped. Lies behind `heap` in memory, and `stages` behind it. */
    const setti_storage** empty;
    uint32_t heap_count;
    setti_stage* stages;
    uint32_t sorted_count;
    uint32_t stage_count;
    bool recorded;        /* some system may have recorded commands */
    uint32_t capacity;    /* room of `sorted`, `heap`, `empty` and `stages` */
    setti_fixed* fixed;   /* list of fixed loops, the shortest step first */
    uint32_t fixed_first; /* the first stage of fixed loops, or where it would be */
    uint32_t fixed_end;   /* behind the last stage of fixed loops */
    /* seconds; systems of the phases fixed_phase to fixed_last run in steps of this length; 0: they
     * run once a frame */
    float fixed_step;
    int fixed_phase;
    int fixed_last;
    uint32_t fixed_most;       /* these steps in a frame, at most; 0: the default */
    uint32_t listener_version; /* the world's, when the plans of queries were updated last */

    /* The running stage. */
    setti_slice* slices;
    sett_commands** buffers; /* the command buffers of the slices; lies behind `slices` in memory */
    uint32_t slice_count;
    uint32_t slice_capacity;
    setti_mark hints[SETTI_SLICE_HINTS]; /* by hash of a thread: the slice that it began last */
    bool jobs_open;                      /* handles from `buffers` are not claimed yet */
    char running[200];                   /* names of the running systems */
    /* while slices run side by side: the failure of the failed slice with the highest number */
    sett_failure failure;
    uint32_t failed;         /* the number of that slice */
    setti_lock failure_lock; /* of `failure` and `failed` */

    /* The guard. */
    setti_lock guard_lock; /* of the systems' `used` */
    setti_mark suggests;   /* 1: some system's `suggests` is set */
} setti_run;

enum {
    SETTI_SLOT_RUN = 5
};

/* The world's setti_run; NULL until it has a system. */
SETTI_INLINE setti_run* setti_run_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_RUN];
}

/* The world's setti_run, created if it is missing; NULL when memory runs out. */
setti_run* setti_run_ensure(sett_world* world);

/* SETT_OK, or fails with LOCKED while systems run. */
sett_status setti_run_check_idle(sett_world* world, const char* call);

/* Whether two systems conflict; *on becomes the component; 0: one of them is exclusive. */
bool setti_system_conflicts(const sett_system* a, const sett_system* b, sett_component* on);

/* The access flags of a component; 0: not declared. */
uint32_t setti_system_access(const sett_system* system, sett_component component);

/* Whether the declared access allows splitting the system. */
bool setti_system_splits(const sett_system* system);

/* A sparse-set type that the system writes by handle, or NULL. If there is one, the system has one
 * job: two jobs could write to one page. */
const setti_type* setti_system_sparse(const sett_system* system);

/* Creates the jobs that the system may need. False when memory runs out. */
bool setti_system_make_jobs(sett_system* system);

/* The entry of a name, or NULL. */
setti_system_name* setti_order_find_name(const setti_run* run, const char* text);

/* The entry of a name, created if it is missing; NULL when memory runs out. */
setti_system_name* setti_order_ensure_name(sett_world* world, const char* text);

/* Frees a name that no system has and no order names. */
void setti_order_release_name(sett_world* world, setti_system_name* name);

/* Adds an order: the system runs after the system named `text` (SETTI_ORDER_AFTER), or before it
 * (SETTI_ORDER_BEFORE). False when memory runs out. */
bool setti_order_add(sett_system* system, const char* text, bool after);

/* Removes the order that was added last. */
void setti_order_pop(sett_system* system);

/* Begins a walk over the systems declared to run before (SETTI_WALK_EARLIER) or after a system. */
setti_order_walk setti_order_walk_begin(const sett_system* system, bool back);

/* The next system of the walk; NULL at the end. */
sett_system* setti_order_walk_next(setti_order_walk* walk);

/* Whether `first` is declared to run before `then`. */
bool setti_order_is_declared(const sett_system* first, const sett_system* then);

/* SETT_OK, or fails if phases contradict a declared order of the system. */
sett_status setti_order_check_phases(const sett_system* system, const char* call);

/* Warns, once, of each order whose name no system has. */
void setti_order_report_unknown(sett_world* world);

/* SETT_OK, or fails with CYCLE and a message that lists it, if `start` is in a cycle of orders. */
sett_status setti_order_check_cycle(sett_system* start, const char* call);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_order_validate(const sett_world* world);

/* Computes the schedule, unless it is up to date or in use. False when memory runs out. */
bool setti_schedule_update(sett_world* world);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_schedule_validate(const sett_world* world);

/* Finds or creates the loop of fixed steps for a system with this descriptor; *fixed becomes NULL
 * if the system runs once a frame. False when memory runs out. */
bool setti_fixed_set(sett_world* world, const sett_system_desc* desc, setti_fixed** fixed);

/* Adds `dt` seconds to the time of a loop. */
void setti_fixed_pass(setti_fixed* fixed, float dt);

/* The loop whose step is due first; NULL: none is due. */
setti_fixed* setti_fixed_due(const setti_run* run);

/* SETT_OK, or fails if phases or fixed loops contradict that `first` runs before `then`. */
sett_status setti_fixed_check_order(const sett_system* first, const sett_system* then,
                                    const char* call);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_fixed_validate(const sett_world* world);

/* Notes that the calling thread begins a slice. */
void setti_slice_enter(setti_run* run, setti_slice* slice);

/* Notes that the calling thread has finished a slice. */
void setti_slice_leave(setti_slice* slice);

/* The slice that the calling thread runs, or NULL. */
setti_slice* setti_slice_here(setti_run* run);

/* The name of that slice's system, or NULL. */
const char* setti_slice_name(const sett_world* world);

/* Stores a failure of the calling thread's slice. */
void setti_slice_fail(const sett_world* world, sett_status status, const char* message);

/* The values of `on` below. */
#define SETTI_GUARD_BEGINS true
#define SETTI_GUARD_ENDS false

/* Begins or ends watching: accesses of slices are checked from now on, or not any more. */
void setti_guard_watch(sett_world* world, bool on);

/* For each system that used more than it declares: logs the access lists that it needs. */
void setti_guard_suggest(sett_world* world);

/* Reports a system's loop over a query that is not its own, if it did not declare the access. */
void setti_guard_check_query(const sett_world* world, const sett_query* query);

/* Notes that a world begins to use these tasks: a pool (threads.h) counts its worlds. */
void setti_threads_use(const sett_tasks* tasks);

/* Notes that a world ceases to use these tasks. */
void setti_threads_leave(const sett_tasks* tasks);

/* Whether the program has destroyed the pool of these tasks. */
bool setti_threads_are_destroyed(const sett_tasks* tasks);

#endif
