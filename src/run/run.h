/* run.h: systems, and all that a world knows about running them.
 *
 *     system.c     making and ending systems
 *     schedule.c   in which order they run, and which of them side by side
 *     frame.c      running them
 *     guard.c      watching what they touch
 *     thread.c     a pool of threads
 */
#ifndef SETTI_RUN_H
#define SETTI_RUN_H

#include "base/atomic.h"
#include "base/platform.h"
#include "query/query.h"
#include "sett/system.h"

#define SETTI_JOBS_DEFAULT 16
#define SETTI_JOBS_MAX 64
#define SETTI_STEPS_DEFAULT 8

#define SETTI_GUARD_REPORTS 16 /* components that the guard reports of one system */
#define SETTI_GUARD_HINTS 64

/* What a component is to a system. */
typedef struct setti_access {
    sett_component component;
    uint32_t flags; /* SETTI_ACCESS_* */
} setti_access;

/* Part of the world's state, unlike the rest of a system: snapshots save it as it is. */
typedef struct setti_system_state {
    double time;      /* seconds passed that no run has used */
    uint64_t runs;    /* frames in which it ran */
    uint64_t seen;    /* tick of the last run, for terms with `changed` */
    uint32_t enabled; /* 0 or 1 */
    uint32_t unused;
} setti_system_state;

/* One call of a system's function; apart from its neighbours, because threads write to it. */
typedef struct setti_job {
    sett_commands* commands;
    setti_side side;
    uint64_t time; /* nanoseconds of the last call */
    unsigned char apart[64];
} setti_job;

/* "This system runs before or after the one of that name." */
typedef struct setti_order {
    char* name;
    sett_system* other; /* of that name, or NULL */
    bool after;
} setti_order;

struct sett_system {
    sett_world* world;
    sett_system* next; /* of the world's, in order of creation */
    sett_system* previous;
    char* name;
    sett_system_desc desc; /* as given, without the order */
    sett_query* query;     /* NULL: no terms */
    sett_group* group;     /* NULL: no callbacks */
    setti_access* access;  /* each component once */
    uint32_t access_count;
    uint32_t access_capacity;
    setti_order* order;
    uint32_t order_count;
    uint32_t order_capacity;
    bool exclusive;
    bool asks_changed; /* a term has `changed` */
    /* what the guard has reported of it */
    sett_component reported[SETTI_GUARD_REPORTS];
    uint32_t reported_count;

    setti_job* jobs;
    uint32_t job_capacity; /* 1 if it is never split, whatever the state */
    setti_system_state state;
    setti_root root; /* of `state` */

    /* Of the frame, */
    float dt;
    uint32_t steps;     /* calls in a row of each job; 0: does not run */
    uint32_t job_used;  /* jobs called */
    bool recorded;      /* commands wait in some job */
    uint64_t time_last; /* nanoseconds */
    uint64_t time_total;

    /* of the schedule, */
    uint32_t stage;          /* in its phase */
    uint32_t place;          /* in the order of the phase */
    sett_system* waits_for;  /* why it is not in an earlier stage: this one, */
    sett_component waits_on; /* because of this component, 0: because it was said, or runs alone */

    /* and of a walk over systems. */
    sett_system* walk_from;
    sett_system* walk_next;
    bool walk_seen;
};

/* Systems that run side by side. */
typedef struct setti_stage {
    uint32_t first; /* of the sorted systems */
    uint32_t count;
    bool exclusive;
} setti_stage;

/* One job that is called in a stage. */
typedef struct setti_slice {
    sett_system* system;
    setti_job* job;
    uint32_t number; /* of the job, */
    uint32_t count;  /* of so many */
    uint32_t from;   /* rows that it visits */
    uint32_t to;
    setti_mark thread; /* that does it, while it is watched; or 0 */
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
    uint32_t jobs; /* at most, of a system */
    sett_tasks tasks;
    bool watched; /* by the guard */
    bool timed;
    bool busy; /* sett_progress or sett_system_run is at work */
    setti_frame_state state;
    setti_root root; /* of `state` */

    /* The schedule, a cache: sorted by phase, stage and place. */
    bool scheduled;
    sett_system** sorted;
    setti_stage* stages;
    uint32_t sorted_count;
    uint32_t stage_count;
    uint32_t capacity;         /* of `sorted` and `stages` */
    uint32_t listener_version; /* of the world, when the plans of queries were looked after */

    /* The stage at work. */
    setti_slice* slices;
    sett_commands** buffers; /* of the slices */
    uint32_t slice_count;
    uint32_t slice_capacity;
    bool jobs_open;  /* the handles of `buffers` are still to be claimed */
    char names[200]; /* of its systems */

    /* The guard. */
    setti_guard guard;
    setti_lock guard_lock; /* of all that was reported */
    setti_mark
        guard_hints[SETTI_GUARD_HINTS]; /* by hash of a thread: the slice that it began last */
} setti_run;

/* The world's, made if need be; NULL when memory runs out. */
setti_run* setti_run_ensure(sett_world* world);

/* NULL, or the component because of which the two conflict is in *on (0: one runs alone). */
bool setti_system_conflicts(const sett_system* a, const sett_system* b, sett_component* on);

/* The flags of a component, 0 if it was not declared. */
uint32_t setti_system_access(const sett_system* system, sett_component component);

/* Whether declared access allows it to be split, whatever the state. */
bool setti_system_splits(const sett_system* system);

/* Makes as many jobs as the world allows. False when memory runs out. */
bool setti_system_make_jobs(sett_system* system);

/* SETT_OK, or fails with CYCLE and a message that names the systems in it: those that lead from
 * `start` back to itself. */
sett_status setti_schedule_check_cycle(sett_system* start, const char* call);

/* Works out the schedule, unless it is known or at work. False when memory runs out. */
bool setti_schedule_update(sett_world* world);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_schedule_validate(const sett_world* world);

/* Watches the slices that are entered from now on; or no longer. */
void setti_guard_watch(sett_world* world, bool on);

/* The calling thread begins, or has done, a watched slice. */
void setti_guard_enter(setti_run* run, setti_slice* slice);
void setti_guard_leave(setti_slice* slice);

/* A system opens a loop over a query that is not its own. */
void setti_guard_check_query(const sett_world* world, const sett_query* query);

#endif
