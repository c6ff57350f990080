/* run.h: the systems of a world, and all that is stored for running them.
 *
 *     system.c     creating and destroying systems
 *     order.c      the declared order of systems, by name
 *     schedule.c   in which order they run, and which of them in parallel
 *     fixed.c      loops of fixed steps
 *     frame.c      running them
 *     slice.c      which system runs on this thread
 *     guard.c      checks what they access
 *     thread.c     a pool of threads
 */
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

/* Components that the terms and the four lists of a descriptor name. */
#define SETTI_ACCESS_MOST (SETT_QUERY_TERMS + 4 * SETT_SYSTEM_ACCESS)

#define SETTI_GUARD_USES 32 /* components that the guard notes of one system */
#define SETTI_SLICE_HINTS 64

/* How a system accesses a component. */
typedef struct setti_access {
    sett_component component;
    uint32_t flags; /* SETTI_ACCESS_* */
} setti_access;

/* Part of the world's state, unlike the rest of a system: snapshots save it as it is. */
typedef struct setti_system_state {
    double time;      /* seconds passed that no run has used */
    uint64_t runs;    /* frames in which it ran */
    uint32_t enabled; /* 0 or 1 */
    uint32_t unused;
    uint64_t seen; /* tick of the last run, for terms with `changed` */
} setti_system_state;

/* A loop of fixed steps, part of the world's state: its systems run steps 0, 1, ... in turn. */
typedef struct setti_fixed_state {
    double start;   /* when the loop's time began, and what it has dropped: seconds */
    double now;     /* seconds that its steps have used, or can use */
    uint64_t steps; /* completed, or running */
} setti_fixed_state;

typedef struct setti_fixed {
    struct setti_fixed* next; /* of the world's, with a longer step */
    float step;               /* seconds */
    char name[28];            /* of the root */
    setti_fixed_state state;
    setti_root root; /* of `state` */

    /* Of the schedule. */
    uint32_t number; /* from 1, in ascending order of steps */
    uint32_t most;   /* steps in one frame */
    uint32_t first;  /* of its stages */
    uint32_t end;    /* behind them; `first`: it has no systems */
} setti_fixed;

/* One call of a system's function; apart from its neighbours, because threads write to it. */
typedef struct setti_job {
    sett_commands* commands;
    setti_job_loops loops;
    uint64_t time; /* nanoseconds of the last call */
    unsigned char apart[64];
} setti_job;

/* "This system runs before or after the one of that name." */
typedef struct setti_order {
    sett_system* system; /* that says so */
    struct setti_system_name* name;
    struct setti_order* next;       /* of the system's */
    struct setti_order* next_about; /* of those about the name */
    struct setti_order* previous_about;
    bool after;
    bool reported; /* that no system has the name */
} setti_order;

/* A name that a system has, or that orders are about. */
typedef struct setti_system_name {
    struct setti_system_name* next; /* in its bucket */
    uint64_t key;                   /* hash of the text */
    sett_system* system;            /* that has it, or NULL */
    setti_order* about;
    bool known; /* some system has, or had it */
    char text[];
} setti_system_name;

/* The systems that are declared to run after a given one, or before it (`back`). */
typedef struct setti_order_walk {
    const setti_order* said;
    const setti_order* about;
    bool back;
} setti_order_walk;

/* What a system did with a component; see guard.c. */
typedef struct setti_access_use {
    setti_mark component; /* 0: none */
    setti_mark flags;
} setti_access_use;

struct sett_system {
    sett_world* world;
    sett_system* next; /* of the world's, in order of creation */
    sett_system* previous;
    setti_system_name* entry;
    const char* name;        /* the entry's */
    sett_system_desc desc;   /* as given, without the order */
    sett_query* query;       /* NULL: no terms */
    sett_group* group;       /* of on_enter and on_exit; NULL: none, or */
    sett_observer* observer; /* the terms are more than a group takes */
    setti_access* access;    /* each component once; room for SETTI_ACCESS_MOST */
    uint32_t access_count;
    setti_order* orders; /* declared by it, the latest first */
    bool exclusive;
    bool asks_changed;                       /* a term has `changed` */
    setti_access_use used[SETTI_GUARD_USES]; /* seen by the guard */
    setti_mark suggests; /* 1: its lists miss something that was not logged yet */

    setti_job* jobs;
    uint32_t job_capacity; /* 1 if it is never split, whatever the state */
    setti_fixed* fixed;    /* the loop that it runs in; NULL: once a frame */
    setti_system_state state;
    setti_root root; /* of `state` */

    /* Of the frame, */
    float dt;
    uint32_t job_used;  /* jobs called */
    bool recorded;      /* some job has recorded commands */
    uint64_t time_last; /* nanoseconds */
    uint64_t time_total;

    /* of the schedule, */
    uint32_t stage;          /* in its phase */
    uint32_t place;          /* in the order of phases and of declared orders */
    uint64_t section;        /* systems are sorted by it: the phase, or the loop of fixed steps; */
    uint64_t key;            /* in a section by this, */
    uint32_t tie;            /* and, where it is the same, by this */
    uint32_t waiting;        /* systems that run before it, not placed yet */
    sett_system* waits_for;  /* why it is not in an earlier stage: this one, */
    sett_component waits_on; /* because of this component; 0: an order, or exclusive */
    bool awaits_commands;    /* of a system of its phase, which `records` */

    /* and of a walk over systems. */
    sett_system* walk_from;
    sett_system* walk_next;
    uint64_t walk_seen; /* the latest walk that visited it */
};

/* Systems that run in parallel. */
typedef struct setti_stage {
    uint32_t first; /* of the sorted systems */
    uint32_t count;
    bool exclusive;
    bool applies; /* what earlier systems recorded is applied before: always at a phase's begin */
} setti_stage;

/* One job that is called in a stage. */
typedef struct setti_slice {
    sett_system* system;
    setti_job* job;
    uint32_t number; /* of the job, */
    uint32_t count;  /* of so many */
    uint32_t from;   /* rows that it visits */
    uint32_t to;
    setti_mark thread; /* that runs it, or 0 */
} setti_slice;

/* Part of the world's state. */
typedef struct setti_frame_state {
    uint64_t frames; /* completed */
    double time;     /* seconds that they took together */
} setti_frame_state;

static_assert(sizeof(setti_system_state) <= SETTI_ROOT_SIZE, "a root holds it");

typedef struct setti_run {
    sett_system* systems; /* in order of creation */
    sett_system* last;
    uint32_t count;
    setti_system_name** names; /* by hash */
    uint32_t name_count;
    uint32_t name_capacity;
    uint64_t walks; /* over orders; two at a time */
    uint64_t work;  /* steps taken to order systems: tests bound them */
    uint32_t jobs;  /* at most, of a system */
    sett_tasks tasks;
    bool watched; /* by the guard */
    bool timed;
    sett_step_fn step; /* called after each step; NULL: none */
    void* step_user;
    void* argument; /* of sett_system_run_with */
    uint64_t frame; /* of contexts: the frame's, or the fixed step's, */
    double time;    /* and when it began */
    setti_frame_state state;
    setti_root root; /* of `state` */

    /* The schedule, a cache: sorted by phase, stage and place. */
    bool scheduled;
    bool names_checked; /* unknown ones are reported */
    sett_system** sorted;
    sett_system** heap; /* behind them */
    const setti_storage**
        empty; /* behind these, by place in `sorted`: it skips that system while it
                                  * has no value; NULL: the system is not known to match nothing */
    uint32_t heap_count;
    setti_stage* stages;
    uint32_t sorted_count;
    uint32_t stage_count;
    bool recorded;        /* some system may have commands */
    uint32_t capacity;    /* of `sorted`, `heap` and `stages` */
    setti_fixed* fixed;   /* loops of fixed steps, the shortest step first */
    uint32_t fixed_first; /* stage of the first loop, or where it would be */
    uint32_t fixed_end;   /* behind the stages of the last loop */
    float fixed_step;     /* of the phases from fixed_phase to fixed_last; 0: none */
    int fixed_phase;
    int fixed_last;
    uint32_t fixed_most;       /* steps in one frame; 0: the default */
    uint32_t listener_version; /* of the world, when the plans of queries were looked after */

    /* The running stage. */
    setti_slice* slices;
    sett_commands** buffers; /* of the slices */
    uint32_t slice_count;
    uint32_t slice_capacity;
    setti_mark hints[SETTI_SLICE_HINTS]; /* by hash of a thread: the slice that it began last */
    bool jobs_open;                      /* the handles of `buffers` are still to be claimed */
    char running[200];                   /* names of its systems */
    sett_failure failure; /* of the last slice that failed, while slices run side by side, */
    uint32_t failed;      /* which is this one */
    setti_lock failure_lock;

    /* The guard. */
    setti_lock guard_lock; /* of all uses */
    setti_mark suggests;   /* 1: of some system */
} setti_run;

enum {
    SETTI_SLOT_RUN = 5
};

/* The world's; NULL until it has a system. */
SETTI_INLINE setti_run* setti_run_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_RUN];
}

/* The world's run, created if necessary; NULL when memory runs out. */
setti_run* setti_run_ensure(sett_world* world);

/* Whether two systems conflict; *on becomes the component (0: one is exclusive). */
bool setti_system_conflicts(const sett_system* a, const sett_system* b, sett_component* on);

/* The flags of a component, 0 if it was not declared. */
uint32_t setti_system_access(const sett_system* system, sett_component component);

/* Whether declared access allows it to be split, whatever the state. */
bool setti_system_splits(const sett_system* system);

/* The type in a sparse set that it writes by handle, so that it has one job: two could write to one
 * page. NULL: none. */
const setti_type* setti_system_sparse(const sett_system* system);

/* Creates as many jobs as the world allows. False when memory runs out. */
bool setti_system_make_jobs(sett_system* system);

/* The entry of a name, or NULL. The second creates it if necessary; NULL when memory runs out. */
setti_system_name* setti_order_find_name(const setti_run* run, const char* text);
setti_system_name* setti_order_ensure_name(sett_world* world, const char* text);

/* Frees a name that no system has and no order is about. */
void setti_order_release_name(sett_world* world, setti_system_name* name);

/* Adds an order of a system, false when memory runs out; removes the one added last. */
bool setti_order_add(sett_system* system, const char* text, bool after);
void setti_order_pop(sett_system* system);

setti_order_walk setti_order_walk_begin(const sett_system* system, bool back);
sett_system* setti_order_walk_next(setti_order_walk* walk);

/* Whether `first` is declared to run before `then`. */
bool setti_order_is_said(const sett_system* first, const sett_system* then);

/* SETT_OK, or fails because the phases contradict a declared order of this system. */
sett_status setti_order_check_phases(const sett_system* system, const char* call);

/* Warns of each order about a name that no system has had yet, once. */
void setti_order_report_unknown(sett_world* world);

/* SETT_OK, or fails with CYCLE and a message that names the systems in it: those that lead from
 * `start` back to itself. */
sett_status setti_order_check_cycle(sett_system* start, const char* call);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_order_validate(const sett_world* world);

/* Computes the schedule, unless it is up to date or in use. False when memory runs out. */
bool setti_schedule_update(sett_world* world);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_schedule_validate(const sett_world* world);

/* *fixed becomes the loop that a system with these options runs in; NULL: none. False when memory
 * runs out. */
bool setti_fixed_set(sett_world* world, const sett_system_desc* desc, setti_fixed** fixed);

/* `dt` seconds pass for a loop. */
void setti_fixed_pass(setti_fixed* fixed, float dt);

/* The loop whose step is due first, and before now; NULL: none. */
setti_fixed* setti_fixed_due(const setti_run* run);

/* SETT_OK, or fails because one system cannot run before the other: the phases, or their loops,
 * say otherwise. */
sett_status setti_fixed_check_order(const sett_system* first, const sett_system* then,
                                    const char* call);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_fixed_validate(const sett_world* world);

/* The calling thread begins a slice, or has finished it. */
void setti_slice_enter(setti_run* run, setti_slice* slice);
void setti_slice_leave(setti_slice* slice);

/* The slice that the calling thread runs, or NULL. */
setti_slice* setti_slice_here(setti_run* run);

/* The name of its system, or NULL. */
const char* setti_slice_name(const sett_world* world);

/* Notes a failure of the calling thread's slice. */
void setti_slice_fail(const sett_world* world, sett_status status, const char* message);

/* Begins or ends to watch the slices that are entered from now on. */
void setti_guard_watch(sett_world* world, bool on);

/* Logs the access lists of systems that turned out to need more. */
void setti_guard_suggest(sett_world* world);

/* A system opens a loop over a query that is not its own. */
void setti_guard_check_query(const sett_world* world, const sett_query* query);

/* A world begins and ceases to use tasks: a pool (threads.h) counts these worlds. */
void setti_threads_use(const sett_tasks* tasks);
void setti_threads_leave(const sett_tasks* tasks);

/* Whether they are of a pool that the program has destroyed. */
bool setti_threads_are_destroyed(const sett_tasks* tasks);

#endif
