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

/* The most components that the descriptor of a system can declare. */
#define SETTI_ACCESS_MOST (SETT_QUERY_TERMS + 4 * SETT_SYSTEM_ACCESS)

#define SETTI_GUARD_USES 32  /* limit of the components that the guard records for a system */
#define SETTI_SLICE_HINTS 64 /* see slice.c */

/* How a system accesses a component. */
typedef struct setti_access {
    sett_component component;
    uint32_t flags; /* SETTI_ACCESS_* */
} setti_access;

/* State of a system, saved by snapshots. */
typedef struct setti_system_state {
    double time;      /* passed seconds of the present interval */
    uint64_t runs;    /* number of runs so far */
    uint32_t enabled; /* 0 or 1 */
    uint32_t unused;
    uint64_t seen; /* tick of the last run, for terms with `changed` */
} setti_system_state;

/* State of a loop of fixed steps, saved by snapshots. */
typedef struct setti_fixed_state {
    double start;   /* seconds before the loop began, and skipped seconds */
    double now;     /* seconds since the loop began; skipped seconds are not counted */
    uint64_t steps; /* finished and running steps */
} setti_fixed_state;

typedef struct setti_fixed {
    struct setti_fixed* next; /* the loop with the next longer step */
    float step;               /* seconds */
    char name[28];            /* name of the root */
    setti_fixed_state state;
    setti_root root; /* root of `state` */

    /* Set by the schedule: */
    uint32_t number; /* 1, 2, ... in ascending order of steps */
    uint32_t most;   /* limit of steps in a frame; 0: SETTI_STEPS_DEFAULT */
    uint32_t first;  /* the first stage of the loop */
    uint32_t end;    /* after the last stage; equals `first` if the loop has no systems */
} setti_fixed;

/* Command buffer and scratch memory for a call of a system. */
typedef struct setti_job {
    sett_commands* commands;
    setti_job_loops loops;
    uint64_t time;           /* nanoseconds of the last call */
    unsigned char apart[64]; /* keeps jobs apart: other threads write to neighbouring jobs */
} setti_job;

/* A declared order of two systems. */
typedef struct setti_order {
    sett_system* system;            /* the declaring system */
    struct setti_system_name* name; /* name of the other system */
    struct setti_order* next;       /* next order declared by `system` */
    struct setti_order* next_about; /* next order about `name` */
    struct setti_order* previous_about;
    bool after;    /* SETTI_ORDER_AFTER or SETTI_ORDER_BEFORE */
    bool reported; /* a warning was logged: no system has the name */
} setti_order;

/* Values of setti_order.after: `system` runs after, or before, the named system. */
#define SETTI_ORDER_AFTER true
#define SETTI_ORDER_BEFORE false

/* A name that a system has, or that an order names. */
typedef struct setti_system_name {
    struct setti_system_name* next; /* next name in the bucket */
    uint64_t key;                   /* hash of the text */
    sett_system* system;            /* the system with this name, or NULL */
    setti_order* about;             /* list of the orders about this name */
    bool known;                     /* a system has or had this name */
    char text[];
} setti_system_name;

/* A walk over the systems declared to run before, or after, a given system. */
typedef struct setti_order_walk {
    const setti_order* own;   /* the next order declared by the given system */
    const setti_order* about; /* the next order about the given system */
    bool back;                /* SETTI_WALK_EARLIER or SETTI_WALK_LATER */
} setti_order_walk;

/* Values of `back`: the walk visits systems that run before, or after, the given system. */
#define SETTI_WALK_EARLIER true
#define SETTI_WALK_LATER false

/* How a system used a component; see guard.c. */
typedef struct setti_access_use {
    setti_mark component; /* 0: the entry is free */
    setti_mark flags;     /* GUARD_* of guard.c */
} setti_access_use;

struct sett_system {
    sett_world* world;
    sett_system* next; /* list of all systems, in order of creation */
    sett_system* previous;
    setti_system_name* entry;
    const char* name;        /* entry->text */
    sett_system_desc desc;   /* as given; `before` and `after` are moved to `orders` */
    sett_query* query;       /* NULL: the system has no terms */
    sett_group* group;       /* calls on_enter and on_exit; or NULL */
    sett_observer* observer; /* calls on_enter and on_exit instead of a group; or NULL */
    setti_access* access;    /* each component once; room for SETTI_ACCESS_MOST */
    uint32_t access_count;
    setti_order* orders; /* declared by the system, the latest first */
    bool exclusive;
    bool asks_changed;                       /* a term has `changed` */
    setti_access_use used[SETTI_GUARD_USES]; /* components used so far, recorded by the guard */
    setti_mark suggests;                     /* 1: a missing declaration was not logged yet */

    setti_job* jobs;
    uint32_t job_capacity; /* entries of `jobs`; 1 if the system is never split */
    setti_fixed* fixed;    /* the loop of fixed steps; NULL: the system runs once a frame */
    setti_system_state state;
    setti_root root; /* root of `state` */

    /* In this frame: */
    float dt;
    uint32_t job_used;  /* number of jobs that run */
    bool has_commands;  /* a job has commands that are not applied */
    uint64_t time_last; /* nanoseconds of the last run, sum of all jobs */
    uint64_t time_total;

    /* In the schedule: */
    uint32_t stage;          /* number of the stage in the phase */
    uint32_t place;          /* position by phases and declared orders */
    uint64_t section;        /* first sort key: the phase, or the loop of fixed steps */
    uint64_t key;            /* second sort key */
    uint32_t tie;            /* third sort key */
    uint32_t waiting;        /* while sorting: earlier systems that are not placed yet */
    sett_system* waits_for;  /* the system that prevents an earlier stage, or NULL */
    sett_component waits_on; /* the component for which the system waits, or 0 */
    bool awaits_commands;    /* uses components recorded by an earlier system */

    /* In a walk over orders: */
    sett_system* walk_from; /* the system visited before this system */
    sett_system* walk_next; /* list of systems with orders still to follow */
    uint64_t walk_seen;     /* number of the latest walk to this system */
};

/* A stage: systems that may run side by side. */
typedef struct setti_stage {
    uint32_t first; /* the first system: index in `sorted` */
    uint32_t count; /* number of systems */
    bool exclusive; /* the stage is a single exclusive system */
    bool applies;   /* commands are applied before the stage */
} setti_stage;

/* A job of a system in the running stage. */
typedef struct setti_slice {
    sett_system* system;
    setti_job* job;
    uint32_t number; /* number of the job, from 0 on */
    uint32_t count;  /* number of jobs of the system */
    uint32_t from;   /* the job visits rows [from, to) */
    uint32_t to;
    setti_mark thread; /* the thread that runs the job, or 0 */
} setti_slice;

/* State of frames, saved by snapshots. */
typedef struct setti_frame_state {
    uint64_t frames; /* completed frames */
    double time;     /* sum of the lengths of completed frames, in seconds */
} setti_frame_state;

static_assert(sizeof(setti_system_state) <= SETTI_ROOT_SIZE, "a root holds it");

typedef struct setti_run {
    sett_system* systems; /* list, in order of creation */
    sett_system* last;
    uint32_t count;
    setti_system_name** names; /* hash table of `name_capacity` buckets */
    uint32_t name_count;
    uint32_t name_capacity;
    uint64_t walks;    /* number of the latest forward walk; the back walk has the number before */
    uint64_t work;     /* steps taken so far to order systems; tests check a limit */
    uint32_t jobs;     /* limit of jobs of a system */
    sett_tasks tasks;  /* the program's threads */
    bool watched;      /* the guard watches systems */
    bool timed;        /* times are measured */
    sett_step_fn step; /* called after each system and each application of commands, or NULL */
    void* step_user;   /* passed to `step` */
    void* argument;    /* the argument of sett_system_run_with */
    uint64_t frame;    /* for contexts: number of the frame or fixed step */
    double time;       /* for contexts: begin of the frame or fixed step, in seconds */
    setti_frame_state state;
    setti_root root; /* root of `state` */

    /* The schedule, a cache. Systems are sorted by section, phase, stage and place. */
    bool scheduled;
    bool names_checked; /* unknown names in orders were reported */
    /* `sorted`, `heap`, `empty` and `stages` follow each other in one piece of memory. */
    sett_system** sorted;
    sett_system** heap; /* used while systems are sorted */
    /* for each system in `sorted`: the system is skipped while this storage is empty; or NULL */
    const setti_storage** empty;
    uint32_t heap_count;
    setti_stage* stages;
    uint32_t sorted_count;
    uint32_t stage_count;
    bool has_commands;    /* a system may have commands that are not applied */
    uint32_t capacity;    /* room of `sorted`, `heap`, `empty` and `stages` */
    setti_fixed* fixed;   /* list of fixed loops, the shortest step first */
    uint32_t fixed_first; /* the first stage of fixed loops; or fixed_end if there is none */
    uint32_t fixed_end;   /* after the last stage of fixed loops */
    float fixed_step;     /* length of steps, in seconds, of phases fixed_phase to fixed_last */
    int fixed_phase;
    int fixed_last;
    uint32_t fixed_most;       /* limit of the steps in a frame; 0: the default */
    uint32_t listener_version; /* world->listener_version at the last update of query plans */

    /* The running stage. */
    setti_slice* slices;
    sett_commands** buffers; /* command buffers of the slices; follows `slices` in memory */
    uint32_t slice_count;
    uint32_t slice_capacity;
    setti_mark hints[SETTI_SLICE_HINTS]; /* by hash of a thread: the thread's latest slice */
    bool jobs_open;                      /* handles created in `buffers` are not claimed yet */
    char running[200];                   /* names of the running systems */
    /* While slices run side by side: */
    sett_failure failure;    /* the failure of slice `failed` */
    uint32_t failed;         /* the highest number of a failed slice */
    setti_lock failure_lock; /* guards `failure` and `failed` */

    /* The guard. */
    setti_lock guard_lock; /* guards `used` of all systems */
    setti_mark suggests;   /* 1: `suggests` is set in a system */
} setti_run;

enum {
    SETTI_SLOT_RUN = 5
};

/* Returns the setti_run of a world, or NULL before the first use. */
SETTI_INLINE setti_run* setti_run_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_RUN];
}

/* Returns the setti_run of a world. The first call creates the setti_run. Returns NULL if memory
 * runs out. */
setti_run* setti_run_ensure(sett_world* world);

/* Fails with SETT_STATUS_LOCKED while systems run. */
sett_status setti_run_check_idle(sett_world* world, const char* call);

/* Whether two systems conflict. Sets *component to the component of the conflict. Sets *component
 * to 0 if there is no conflict, or if one of the systems is exclusive. */
bool setti_system_conflicts(const sett_system* a, const sett_system* b, sett_component* component);

/* Returns the access flags (SETTI_ACCESS_*) that a system declares for a component. */
uint32_t setti_system_access(const sett_system* system, sett_component component);

/* Whether the declared access allows splitting the system into jobs. */
bool setti_system_splits(const sett_system* system);

/* Returns a type with a sparse set that the system writes by handle. Returns NULL if there is no
 * such type. */
const setti_type* setti_system_sparse(const sett_system* system);

/* Creates the jobs of a system. Returns false if memory runs out. */
bool setti_system_make_jobs(sett_system* system);

/* Returns the entry of a name, or NULL if there is none. */
setti_system_name* setti_order_find_name(const setti_run* run, const char* text);

/* Returns the entry of a name. Creates the entry if needed. Returns NULL if memory runs out. */
setti_system_name* setti_order_ensure_name(sett_world* world, const char* text);

/* Frees a name that no system and no order uses. Does nothing if the name is in use. */
void setti_order_release_name(sett_world* world, setti_system_name* name);

/* Declares that a system runs before, or after, the system named `text`. Returns false if memory
 * runs out.
 *   after  SETTI_ORDER_AFTER or SETTI_ORDER_BEFORE */
bool setti_order_add(sett_system* system, const char* text, bool after);

/* Removes the order that the system has declared last. */
void setti_order_pop(sett_system* system);

/* Begins a walk over the systems that are declared to run before, or after, a system.
 *   back  SETTI_WALK_EARLIER or SETTI_WALK_LATER */
setti_order_walk setti_order_walk_begin(const sett_system* system, bool back);

/* Returns the next system of a walk, or NULL at the end. */
sett_system* setti_order_walk_next(setti_order_walk* walk);

/* Whether an order says that `first` runs before `then`. */
bool setti_order_is_declared(const sett_system* first, const sett_system* then);

/* Fails if phases or fixed loops contradict a declared order of a system. */
sett_status setti_order_check_phases(const sett_system* system, const char* call);

/* Warns of orders about unknown names. */
void setti_order_report_unknown(sett_world* world, const char* call);

/* Fails if a system is in a cycle of orders. */
sett_status setti_order_check_cycle(sett_system* start, const char* call);

/* Updates the schedule. Returns false if memory runs out. */
bool setti_schedule_update(sett_world* world);

/* Sets *fixed to the loop of a system. Creates the loop if needed. Sets *fixed to NULL if the
 * system has no fixed steps. Returns false if memory runs out. */
bool setti_fixed_set(sett_world* world, const sett_system_desc* desc, setti_fixed** fixed);

/* Adds `dt` seconds to the time of a loop. */
void setti_fixed_pass(setti_fixed* fixed, float dt);

/* Returns the loop with the earliest due step, or NULL if no step is due. */
setti_fixed* setti_fixed_due(const setti_run* run);

/* Fails if phases or fixed loops prevent `first` from running before `then`. */
sett_status setti_fixed_check_order(const sett_system* first, const sett_system* then,
                                    const char* call);

/* Each function checks an invariant. Returns NULL if the invariant holds. Otherwise returns what is
 * wrong. */
const char* setti_order_validate(const sett_world* world);
const char* setti_fixed_validate(const sett_world* world);
const char* setti_schedule_validate(const sett_world* world);

/* Notes that the calling thread begins a slice, or has finished a slice. */
void setti_slice_enter(setti_run* run, setti_slice* slice);
void setti_slice_leave(setti_slice* slice);

/* Returns the slice running on the calling thread. Returns NULL if no slice runs there. */
setti_slice* setti_slice_here(setti_run* run);

/* Returns the name of the system running on the calling thread. Returns NULL if no system runs
 * there. */
const char* setti_slice_name(const sett_world* world);

/* Stores a failure of the slice running on the calling thread. */
void setti_slice_fail(const sett_world* world, sett_status status, const char* message);

/* Arguments for the parameter `begins` of setti_guard_watch. */
#define SETTI_GUARD_BEGINS true
#define SETTI_GUARD_ENDS false

/* Begins or ends checking the accesses of slices. */
void setti_guard_watch(sett_world* world, bool begins);

/* Logs the access lists that systems need, if the systems have new undeclared uses. */
void setti_guard_suggest(sett_world* world);

/* Reports undeclared accesses of a loop over a query of the program. */
void setti_guard_check_query(const sett_world* world, const sett_query* query);

/* setti_threads_use adds a user to the thread pool of `tasks`, and setti_threads_leave removes a
 * user. If `tasks` belongs to no pool, they do nothing. */
void setti_threads_use(const sett_tasks* tasks);
void setti_threads_leave(const sett_tasks* tasks);
/* Whether `tasks` belongs to a thread pool that the program has destroyed. */
bool setti_threads_are_destroyed(const sett_tasks* tasks);

#endif
