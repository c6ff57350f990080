/* world.h: the world.
 *
 * The world's state consists of pages (entity table and storages) and of roots (counts and tables
 * of pages, see root.h). Caches are derived from the state: signatures, edges, names, transitions.
 */
#ifndef SETTI_WORLD_H
#define SETTI_WORLD_H

#include "base/atomic.h"
#include "sett/trace.h"
#include "world/component.h"
#include "world/entity_table.h"
#include "world/listener.h"
#include "world/module.h"
#include "world/root.h"
#include "world/signature.h"

#include "base/platform.h"

#define SETTI_MESSAGE_SIZE sizeof(((sett_failure*)NULL)->message)
#define SETTI_REASON_SIZE 256

#define SETTI_HIDDEN 2       /* number of tags that make queries skip entities */
#define SETTI_MODULE_TYPES 1 /* number of types that modules use often */

/* The limit of nested on_set callbacks, and of commands recorded while commands are applied. */
#define SETTI_EVENT_DEPTH 64

/* Memory that calls use one after another. sett_world_trim frees the memory. */
typedef struct setti_scratch {
    void* bytes;  /* of the pool; NULL before the first use */
    size_t size;  /* of `bytes` */
    size_t align; /* of `bytes` */
} setti_scratch;

/* The open loops over a query or search. */
typedef struct setti_open_loop {
    const char* name;  /* name of the query or search, for messages */
    uint32_t count;    /* number of open loops; if not 0, the struct is in the world's list */
    const void* frame; /* the first open loop's batch if it is a local variable, or NULL */
    struct setti_gather_scratch* scratches; /* of the open loops that gather values */
    uint32_t closed; /* how often the world closed loops that the program had left */
    bool of_search;  /* the loops are over a search; false: over a query */
    struct setti_open_loop* next;
} setti_open_loop;

/* Kinds of access to a component, declared by systems. */
enum {
    SETTI_ACCESS_PRESENCE = 1,        /* tests presence only */
    SETTI_ACCESS_READ = 2,            /* reads values of the visited entities */
    SETTI_ACCESS_WRITE = 4,           /* writes values of the visited entities */
    SETTI_ACCESS_READ_ANYWHERE = 8,   /* reads values of any entity */
    SETTI_ACCESS_WRITE_ANYWHERE = 16, /* writes values of any entity */
    SETTI_ACCESS_RECORDS = 32         /* records commands to add, remove or set the component */
};

#define SETTI_ACCESS_READS                                                                         \
    (SETTI_ACCESS_READ | SETTI_ACCESS_WRITE | SETTI_ACCESS_READ_ANYWHERE |                         \
     SETTI_ACCESS_WRITE_ANYWHERE)
#define SETTI_ACCESS_WRITES (SETTI_ACCESS_WRITE | SETTI_ACCESS_WRITE_ANYWHERE)

#define SETTI_MISUSES 64

/* How often a kind of misuse was reported. */
typedef struct setti_misuse {
    uint64_t kind; /* a hash; 0: the entry is not in use */
    uint64_t count;
} setti_misuse;

struct sett_world {
    /* The first four members match sett_world_header_. */

    const void** readable;    /* by component id: the types for readers; the array is never NULL */
    uint32_t hot_capacity;    /* entries of `types` that fast paths may use; 0 while profiled */
    uint32_t type_capacity;   /* entries in `types` */
    const sett_bound_* bound; /* for readers: `front`, or an empty table; see setti_bind_show */
    setti_entity_table entities;

    setti_type** types; /* by component id; NULL: not registered */
    sett_bound_* front; /* ids of types by number: SETT_BOUND_FRONT_ slots, or NULL; see bind.c */
    setti_bind_rest bind_rest;
    setti_pool pool; /* all memory of the world, and the world's clock */

    union {
        struct {
            uint32_t locks; /* open loops and running callbacks; structure may change only at 0 */
            uint32_t all_observers; /* observers that match an entity without components */
        };
        /* both counts as one number; at 0, fast paths may create entities */
        uint64_t locks_or_observers;
    };

    setti_root* roots; /* the state beside the pages: doubly linked, in the order of adding */
    setti_root* last_root;
    uint32_t epoch; /* grows when the state is replaced; caches of an older epoch are invalid */

    setti_signature_table signatures;
    setti_type_list registered;    /* in order of registration */
    setti_type_list dont_fragment; /* the dont_fragment types, in order of registration */
    setti_type_list renamed;       /* types with former names */
    sett_component next_id;        /* lower ids are taken */
    uint32_t prepared;    /* snapshots can save the first `prepared` types of `registered` */
    setti_hash_map names; /* hash of a name -> component id; after a collision, the next free key */
    uint32_t unregistered;        /* how many types were unregistered */
    struct setti_import* imports; /* modules of the program, the latest first; see import.c */

    uint32_t cascading;                       /* how many types cascade */
    const setti_cascade_calls* cascade_calls; /* NULL while no type cascades */
    bool removing_all;                        /* an entity loses all types, not just one */
    uint32_t* collect_list;                   /* indices of entities to destroy together */
    uint32_t collect_count;                   /* entities in the list */
    uint32_t collect_room; /* the list's capacity: 1 + the collect_room of all types */
    uint32_t collect_one;  /* the list's first memory, with room for one entity */

    setti_type* hidden[SETTI_HIDDEN]; /* tags of entities that queries skip; or NULL */
    setti_type* last_tag; /* sett_world_clear destroys entities with this tag last; or NULL */

    setti_listener* listeners;   /* doubly linked, in order of creation */
    setti_plan_table plans;      /* which listeners a transition concerns */
    uint32_t listener_version;   /* grows when listeners or storages change */
    setti_open_loop* open_loops; /* queries and searches with open loops, the latest first */
    union {
        struct {
            uint32_t gathering; /* open loops over copies of values, outside of systems */
            bool profiling;     /* accesses, loops and matches are counted, for advice */
            bool counting;      /* loops are counted, for advice or sett_layout_auto */
        };
        uint64_t loops_differ; /* all as one number; at 0, loops may begin by the fast path */
    };
    const char* calling; /* component, group or observer whose callback runs; or NULL */
    uint32_t set_depth;  /* how deep on_set callbacks are nested now */

    struct sett_observer* observers;               /* doubly linked, the latest first */
    uint32_t upward_observers;                     /* observers with conditions on ancestors */
    uint32_t target_observers;                     /* observers of links to one entity */
    const struct setti_upward_calls* upward_calls; /* NULL until there is a hierarchy */
    bool observers_ended;                          /* some observers wait to be freed */
    /* Adds the observers of every component to a type, or removes them. Returns true if the type
     * has these observers afterwards. NULL until there is such an observer. */
    bool (*observe_type)(sett_world* world, setti_type* type, bool begins);
    const void* replaced;            /* in on_set: the old value, or NULL */
    const void* replaced_link;       /* in on_set of a link set in place: the old value, or NULL */
    struct {                         /* in on_set of a link: the changed link */
        sett_component relationship; /* 0: no link */
        uint32_t source;             /* index of the source */
        sett_entity target;
    } changed_link;

    sett_commands* commands;     /* the world's own buffer, created at first use */
    sett_commands* applying;     /* the buffer being applied, or NULL */
    const char* applier;         /* the call that applies, while `applying` is not NULL */
    sett_commands* all_commands; /* doubly linked */
    setti_scratch sort_items;    /* for sort.c: keys and rows of the items */
    setti_scratch sort_rows;     /* for sort.c: one column of a storage */
    setti_scratch set_aside;     /* a copy of the value for sett_set, while values move */
    void* spare_chunks;          /* free chunks for the buffers of jobs, see command.c */
    uint32_t command_depth;      /* depth of new records; 0 while no commands are applied */
    bool depth_logged;           /* a record was rejected as too deep, since applying began */
    bool receiving;              /* a delta is being applied, and all buffers are closed */
    bool quiet;            /* the library makes calls, and an outer call reports their failures */
    uint32_t quiet_locks;  /* `locks` when `quiet` was set: callbacks lock the world further */
    uint32_t open_jobs;    /* how many buffers record side by side */
    uint32_t claim_from;   /* the lowest index for recorded creations */
    uint32_t reserved_for; /* for asserts: index with a reserved edit, or SETTI_NONE */

    const setti_naming* naming; /* NULL: entities have no names */

    uint32_t transition_epoch; /* grows when stored numbers of signatures become invalid */

    void* module[SETTI_SLOTS];                         /* by slot, see module.h */
    const setti_module_calls* called[SETTI_SLOTS + 1]; /* NULL after the last */
    setti_type* module_type[SETTI_MODULE_TYPES];       /* by a number of the module; or NULL */

    sett_entity scope;                           /* parent of new entities, or null */
    const struct setti_scope_calls* scope_calls; /* NULL: no scope, or the scope is off */

    bool replaying;         /* set by the program: sett_world_set_replaying */
    bool busy;              /* inside sett_progress or sett_system_run */
    const char* frame_call; /* the latest call that ran systems, or NULL */
    const char* running;    /* names of the running systems; NULL: no system, or an exclusive one */
    bool side_by_side;      /* systems run on several threads, and this struct is read-only */
    const setti_guard* guard; /* called at every access, while systems are watched */

    struct {
        sett_component id; /* the last unregistered id in a typed macro, or 0 */
        char name[44];     /* the C type in the macro */
    } noted;
    setti_lock misuse_lock; /* guards `misuse` and `noted` */
    bool misuse_is_zeroed;  /* `misuse` is initialised */
    uintptr_t owner;        /* debug builds: the writing thread; 0: not known */

    sett_log_fn log_fn;
    sett_assert_fn assert_fn;
    void* hook_user;
    void* user;                 /* sett_world_set_user */
    sett_trace trace;           /* the program's profiler */
    bool reporting;             /* a hook runs, and the world is locked */
    setti_counter reporters;    /* how many hooks run for readers, on all threads together */
    uint32_t signature_warning; /* at this number of signatures, a warning is logged */

    uint64_t whole_file; /* a mark of the last written or loaded file */

    sett_status error; /* status of the last failed call */
    /* The last failed call, for sett_world_message: */
    sett_entity error_entity;
    sett_component error_component;
    const char* error_call; /* NULL: `message` is written already */
    void* memory;           /* from the allocator; holds the world at an aligned address */
    const char* destroyer;  /* the call that destroys several entities, or forgets one; or NULL */
    /* The members below are not zeroed when a world is created. */
    setti_root entity_root; /* root of `entities` */
    char message[SETTI_MESSAGE_SIZE];
    char reason[SETTI_REASON_SIZE]; /* the result of sett_world_validate */
    setti_misuse misuse[SETTI_MISUSES];
};

/* Arguments for the parameter `begins` of sett_world.observe_type. */
#define SETTI_TYPE_BEGINS true
#define SETTI_TYPE_ENDS false

/* Frees all memory of a world. Runs no callback. */
void setti_world_free(sett_world* world);

/* Returns the type of a component. Returns NULL if fast paths may not use the type, or if there is
 * no such type. */
SETTI_INLINE setti_type* setti_world_hot_type(const sett_world* world, sett_component component)
{
    return component < world->hot_capacity ? world->types[component] : NULL;
}

/* Updates world->bound. An empty table turns fast paths of bindings off (bind.c). */
static inline void setti_bind_show(sett_world* world)
{
    const bool hidden = world->hot_capacity == 0 || world->front == NULL;
    world->bound = hidden ? setti_zeroes.bound : world->front;
}

SETTI_INLINE setti_type* setti_world_type(const sett_world* world, sett_component component)
{
    return component < world->type_capacity ? world->types[component] : NULL;
}

/* Records the failure of a call. Returns `status`. `entity` may be null, and `component` 0. */
sett_status setti_world_fail(sett_world* world, sett_status status, const char* call,
                             sett_entity entity, sett_component component);

/* Records that memory has run out. Returns SETT_STATUS_OUT_OF_MEMORY. */
sett_status setti_world_no_memory(sett_world* world, const char* call);

/* Allocates zeroed memory in the world's pool. If memory runs out, records a failure of `call` and
 * returns NULL. */
void* setti_world_alloc(sett_world* world, size_t size, size_t align, const char* call);

/* Records a failure with a formatted message. Returns `status`. */
sett_status setti_world_fail_with(sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Records a wrong argument. Returns SETT_STATUS_ARGUMENT.
 *   name  quoted in the message; NULL or "": left out */
sett_status setti_world_fail_argument(sett_world* world, const char* call, const char* name,
                                      const char* wrong);

/* The two arguments of "%u:%u", the format of a handle. */
#define SETTI_HANDLE(entity) (unsigned)(entity).index, (unsigned)(entity).generation

/* Like setti_world_fail_with, for a wrong text, file or delta. Does not call the assert hook. */
sett_status setti_world_fail_input(sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* In debug builds: reports a misuse in a reading call. */
void setti_world_misuse(const sett_world* world, sett_status status, const char* call,
                        sett_entity entity, sett_component component);

/* Reports a misuse in a reading call, in every build. */
void setti_world_misuse_with(const sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Reports and records a misuse in a writing call, in every build. */
void setti_world_fail_checked(sett_world* world, sett_status status, const char* message);

/* Slow path of setti_world_lacks_list. */
bool setti_world_fail_no_list(sett_world* world, const char* call, const char* what);

/* Fails and returns true if a list is NULL although the count is not 0.
 *   what  name of the parameter or field with the list */
SETTI_INLINE bool setti_world_lacks_list(sett_world* world, const void* list, size_t count,
                                         const char* call, const char* what)
{
    return SETTI_UNLIKELY(list == NULL && count != 0) &&
           setti_world_fail_no_list(world, call, what);
}

/* Slow path of setti_world_lacks_list_aside. */
bool setti_world_report_no_list(const sett_world* world, const char* call, const char* what);

/* Like setti_world_lacks_list, for readers. Does not record the failure. */
SETTI_INLINE bool setti_world_lacks_list_aside(const sett_world* world, const void* list,
                                               size_t count, const char* call, const char* what)
{
    return SETTI_UNLIKELY(list == NULL && count != 0) &&
           setti_world_report_no_list(world, call, what);
}

/* Reports a misuse or a wrong input to log_fn.
 *   asserts  true: calls assert_fn, too */
void setti_misuse_report(const sett_world* world, sett_status status, const char* message,
                         bool asserts);

/* Notes the C type of an unregistered id, for messages. */
void setti_misuse_note_type(const sett_world* world, sett_component id, const char* type_name);

/* Writes the noted C type of an id, as " (Position)". Writes "" if no C type was noted for the
 * id. */
void setti_misuse_noted_type(const sett_world* world, sett_component id, char* out, size_t size);

/* Fails because a frame is running. Even an exclusive system cannot make the call. */
sett_status setti_world_reject_frame(sett_world* world, const char* call);

/* Fails because commands are being applied. Even a recorded function cannot make the call. */
sett_status setti_world_reject_applying(sett_world* world, const char* call);

/* Returns the name of the latest call that ran systems, for messages. */
static inline const char* setti_world_frame_call(const sett_world* world)
{
    return world->frame_call != NULL ? world->frame_call : "sett_progress";
}

/* Returns a descriptor with all fields of this library: `desc`, or a copy in `full` if the
 * program's header declares fewer fields. Fails and returns NULL if `desc` is NULL or too long.
 *   size  bytes of *desc in the program's header */
const void* setti_world_desc(sett_world* world, const void* desc, size_t size, void* full,
                             size_t full_size, const char* call);

/* Like setti_world_desc, for a descriptor with terms.
 *   term_size  bytes of a term in the program's header
 *   terms      the terms in *full */
const void* setti_world_desc_terms(sett_world* world, const void* desc, size_t size,
                                   size_t term_size, void* full, size_t full_size, sett_term* terms,
                                   const char* call);

/* Reports a write if the calling thread is not the world's owner. */
void setti_misuse_check_owner(sett_world* world, const char* call);

SETTI_INLINE void setti_world_check_owner(sett_world* world, const char* call)
{
    if (SETTI_DEBUG) {
        setti_misuse_check_owner(world, call);
    }
}

/* Returns why a handle is not the handle of a living entity. */
const char* setti_world_describe_stale(const sett_world* world, sett_entity entity);

void setti_world_log(const sett_world* world, sett_log_level level, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Adds memory and up to two tables of pages to the world's state. A table may be NULL. */
void setti_world_add_root(sett_world* world, setti_root* root, void* address, size_t size,
                          setti_pages* pages, setti_pages* more_pages);

/* Adds memory to the world's state. The root has no tables of pages. */
static inline void setti_world_add_plain_root(sett_world* world, setti_root* root, void* address,
                                              size_t size)
{
    setti_world_add_root(world, root, address, size, NULL, NULL);
}

void setti_world_add_storage(sett_world* world, setti_root* root, setti_storage* storage);

/* Removes a root from the world's state. No snapshot may be held. */
void setti_world_remove_root(sett_world* world, setti_root* root);

sett_status setti_world_check_no_snapshots(sett_world* world, const char* call);

/* Fails while a loop, callback or system locks the world. */
sett_status setti_world_check_unlocked(sett_world* world, const char* call);

/* Fails while non-exclusive systems run. */
sett_status setti_world_check_serial(sett_world* world, const char* call);

/* Returns the status of the call that has failed. The world may be NULL. */
static inline sett_status setti_world_failure(const sett_world* world)
{
    if (world == NULL) {
        return SETT_STATUS_ARGUMENT;
    }
    if (world->side_by_side) {
        return SETT_STATUS_LOCKED; /* `error` is not set while systems run side by side */
    }
    return world->error;
}

/* Returns the name of the system on the current thread. If no system runs there, returns the names
 * of all running systems. Returns NULL if no system runs at all. */
const char* setti_world_running(const sett_world* world);

/* Returns uninitialised memory. The memory is valid until the next call with the same scratch.
 * Returns NULL if memory runs out. */
void* setti_scratch_get(setti_pool* pool, setti_scratch* scratch, size_t size, size_t align);

/* Reports an access, if the running system has not declared the access.
 *   access  SETTI_ACCESS_* */
SETTI_INLINE void setti_world_touch(const sett_world* world, sett_entity entity,
                                    sett_component component, uint32_t access, const char* call)
{
    if (SETTI_UNLIKELY(world->guard != NULL)) {
        world->guard->touch(world, entity, component, access, call);
    }
}

/* Locks the world while a callback runs. Returns the name of the outer callback (or NULL), for
 * setti_world_end_call. */
static inline const char* setti_world_begin_call(sett_world* world, const char* name)
{
    const char* outer = world->calling;
    world->calling = name;
    world->locks++;
    return outer;
}

static inline void setti_world_end_call(sett_world* world, const char* outer)
{
    SETTI_ASSERT(world->locks != 0);
    world->locks--;
    world->calling = outer;
}

/* Counts a loop as open. The function is inline, because a whole loop over 16 entities takes only
 * 60 instructions. */
SETTI_INLINE void setti_world_open_loop(sett_world* world, setti_open_loop* loop)
{
    world->locks++;
    if (loop->count++ == 0) {
        loop->next = world->open_loops;
        world->open_loops = loop;
    }
}

/* Slow path of setti_world_close_loop. */
void setti_world_unlink_loop(sett_world* world, const setti_open_loop* loop);

SETTI_INLINE void setti_world_close_loop(sett_world* world, setti_open_loop* loop)
{
    if (loop->count == 0) {
        return; /* closed by sett_query_end_all already */
    }
    SETTI_ASSERT(world->locks != 0);
    world->locks--;
    if (--loop->count == 0) {
        if (SETTI_LIKELY(world->open_loops == loop)) { /* the latest ends first, as a rule */
            world->open_loops = loop->next;
        } else {
            setti_world_unlink_loop(world, loop);
        }
    }
}

/* Closes the open loops of functions that have returned. */
void setti_world_close_returned(sett_world* world);

/* Closes all loops over a query or search. Gathered values are not written back. */
void setti_world_close_loops(sett_world* world, setti_open_loop* loop);

#endif
