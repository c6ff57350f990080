/* world.h: the world, as a map of everything in it.
 *
 * Its members are of three classes. Pages (entity table and storages) and roots (the counts and
 * tables of pages beside them, root.h) are the world's state. Caches (signatures, edges, names,
 * last transitions) are derived from the state, and not compared when two worlds are.
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

#define SETTI_HIDDEN 2       /* tags whose entities queries skip */
#define SETTI_MODULE_TYPES 1 /* types that modules look for often */

/* How deep on_set callbacks may nest, and commands that are recorded while commands are applied.
 * Deeper ones are rejected. */
#define SETTI_EVENT_DEPTH 64

/* Memory that one call at a time uses. It stays, as large as it was needed, until the world is
 * trimmed. */
typedef struct setti_scratch {
    void* bytes;  /* of the pool; NULL: none so far */
    size_t size;  /* of `bytes` */
    size_t align; /* of `bytes` */
} setti_scratch;

/* What the world knows of a query or search over which loops are open. */
typedef struct setti_open_loop {
    const char* name; /* of the query or search, for messages */
    uint32_t count;   /* of open loops; the struct is in the world's list while it is not 0 */
    /* The batch of the first open loop, if the batches of all are local variables; else NULL. Once
     * the function of that variable has returned, all loops were left without being closed. */
    const void* frame;
    struct setti_gather_scratch* scratches; /* of the loops that gather */
    uint32_t closed; /* how often the world closed all loops, because they were left */
    bool of_search;  /* over a search, not over a query */
    struct setti_open_loop* next;
} setti_open_loop;

/* The access that a system declared to a component. */
enum {
    SETTI_ACCESS_PRESENCE = 1,        /* tests presence only */
    SETTI_ACCESS_READ = 2,            /* reads values of entities that it visits */
    SETTI_ACCESS_WRITE = 4,           /* writes values of entities that it visits */
    SETTI_ACCESS_READ_ANYWHERE = 8,   /* reads values of any entity */
    SETTI_ACCESS_WRITE_ANYWHERE = 16, /* writes values of any entity */
    SETTI_ACCESS_RECORDS = 32         /* records commands that add, remove or set it */
};

#define SETTI_ACCESS_READS                                                                         \
    (SETTI_ACCESS_READ | SETTI_ACCESS_WRITE | SETTI_ACCESS_READ_ANYWHERE |                         \
     SETTI_ACCESS_WRITE_ANYWHERE)
#define SETTI_ACCESS_WRITES (SETTI_ACCESS_WRITE | SETTI_ACCESS_WRITE_ANYWHERE)

#define SETTI_MISUSES 64

/* A kind of misuse, and how often it was reported; see misuse.c. */
typedef struct setti_misuse {
    uint64_t kind; /* a hash; 0: the entry is not in use */
    uint64_t count;
} setti_misuse;

struct sett_world {
    /* The first four members are those of sett_world_header_, which reading in line uses. */
    /* by component id: the types as readers see them; in place of NULL one that no entity has */
    const void** readable;
    /* entries in `types` for fast paths; 0 while use is profiled: all calls take the slow path */
    uint32_t hot_capacity;
    uint32_t type_capacity;   /* entries in `types` */
    const sett_bound_* bound; /* numbers of types as readers see them; bind.c */
    setti_entity_table entities;

    setti_type** types; /* by component id; NULL: not registered */
    sett_bound_* front; /* numbers of types: SETT_BOUND_FRONT_ slots, or NULL; bind.c */
    setti_bind_rest bind_rest;
    setti_pool pool; /* all memory of the world, and its clock */

    union {
        struct {
            uint32_t locks; /* open loops and running callbacks: structure may change only at 0 */
            uint32_t all_observers; /* listeners without `with`: every new entity enters them */
        };
        /* both in one load; 0: entities can be created by fast paths */
        uint64_t locks_or_observers;
    };

    setti_root* roots; /* the state beside the pages: doubly linked, in the order of adding */
    setti_root* last_root;
    /* grows when the state is replaced as a whole (a restore, a delta, a clone): caches of the
     * state compare it, and are computed again if it grew */
    uint32_t epoch;

    setti_signature_table signatures;
    setti_type_list registered;    /* in order of registration */
    setti_type_list dont_fragment; /* the dont_fragment types, in that order */
    setti_type_list renamed;       /* types with former names */
    sett_component next_id;        /* lower ids are taken */
    uint32_t prepared;             /* so many types, of `registered`, snapshots know how to save */
    /* hash of a name -> component id; on a collision the next free key */
    setti_hash_map names;
    uint32_t unregistered;        /* how many types were unregistered */
    struct setti_import* imports; /* modules of the program, the latest first; import.c */

    uint32_t cascading;                       /* how many types cascade */
    const setti_cascade_calls* cascade_calls; /* NULL: none does */
    bool removing_all;                        /* while an entity loses all of its types, not one */
    /* indices of entities that are destroyed together, in the order of collecting;
     * change_destroy.c */
    uint32_t* collect_list;
    uint32_t collect_count; /* entities in the list */
    uint32_t collect_room;  /* its capacity: the sum of the types' collect_room, plus one */
    uint32_t collect_one;   /* the list's memory while there are no links */

    /* tags whose entities queries skip unless they name them; NULL until they are registered */
    setti_type* hidden[SETTI_HIDDEN];
    /* tag: entities with it are destroyed last when all are; NULL until it is used */
    setti_type* last_tag;

    setti_listener* listeners;   /* doubly linked, in order of creation */
    setti_plan_table plans;      /* which listeners a transition concerns */
    uint32_t listener_version;   /* grows when listeners or storages change: queries look again */
    setti_open_loop* open_loops; /* queries and searches with open loops, the latest first */
    union {
        struct {
            uint32_t gathering; /* open loops that work on copies of values, outside of systems */
            bool profiling;     /* accesses, loops and matches are counted, for advice */
            bool counting;      /* loops are counted: for advice, or for sett_layout_auto */
        };
        uint64_t loops_differ; /* all three in one load; 0: a loop may begin by the fast path */
    };
    const char* calling; /* the component, group or observer whose callback runs, if any */
    uint32_t set_depth;  /* how deep on_set callbacks are nested now */

    struct sett_observer* observers; /* doubly linked, the latest first */
    uint32_t upward_observers;       /* observers with conditions on ancestors */
    uint32_t target_observers;       /* observers of links to one entity */
    /* edit.h; NULL until there is a hierarchy */
    const struct setti_upward_calls* upward_calls;
    bool observers_ended; /* some observers wait to be freed */
    /* Adds observers of every component to the lists of a type that is registered
     * (SETTI_TYPE_BEGINS), or removes them from those of one that is unregistered. False when
     * memory runs out. NULL until there is such an observer. */
    bool (*observe_type)(sett_world* world, setti_type* type, bool begins);
    const void* replaced;      /* while on_set runs: the value from before, or NULL */
    const void* replaced_link; /* the value from before of a link that is set in place, or NULL */
    struct {                   /* while on_set of a link's source runs: the link that changed */
        sett_component relationship; /* 0: none */
        uint32_t source;             /* index of the entity that has the link */
        sett_entity target;
    } changed_link;

    sett_commands* commands;     /* the world's own buffer, created at first use */
    sett_commands* applying;     /* the buffer that is being applied, or NULL */
    sett_commands* all_commands; /* doubly linked */
    setti_scratch sort_items;    /* of sort.c: keys and rows of the items */
    setti_scratch sort_rows;     /* of sort.c: one column of a storage */
    setti_scratch set_aside;     /* a copy of the value that sett_set writes while values move */
    void* spare_chunks;          /* free chunks for the buffers of jobs, see command.c */
    uint32_t command_depth; /* the depth of new records: 0, unless commands are being applied */
    bool depth_logged;      /* while commands are applied: a record was rejected as too deep */
    bool receiving;         /* a delta is applied: all buffers are closed */
    uint32_t open_jobs;     /* how many buffers record side by side, see command.h */
    /* recorded creations claim no lower index: those are for a clone that is being made */
    uint32_t claim_from;
    /* For asserts: index of the entity whose edit is reserved and not committed; SETTI_NONE: none.
     * While edits of several entities are reserved, the pages are pinned. */
    uint32_t reserved_for;

    const setti_naming* naming; /* NULL: entities have no names */

    /* grows when numbers of signatures may mean other sets: code that remembers numbers compares it
     */
    uint32_t transition_epoch;

    void* module[SETTI_SLOTS];                         /* by slot, see module.h */
    const setti_module_calls* called[SETTI_SLOTS + 1]; /* NULL behind the last */
    setti_type* module_type[SETTI_MODULE_TYPES]; /* by a number that a module defines; or NULL */

    sett_entity scope;                           /* parent of new entities; null: none */
    const struct setti_scope_calls* scope_calls; /* NULL: no scope, or it is switched off */

    bool replaying;      /* set by the program: sett_world_set_replaying */
    bool busy;           /* inside sett_progress or sett_system_run */
    const char* running; /* names of the systems that run; NULL: none, or an exclusive one */
    bool side_by_side;   /* systems run on several threads: none writes to this struct meanwhile */
    const setti_guard* guard; /* called at every access, while systems are watched */

    struct {
        sett_component id; /* the last id that a typed macro used unregistered; 0: none */
        char name[44];     /* the C type that the macro named */
    } noted;
    setti_lock misuse_lock; /* of `misuse` and `noted` */
    bool misused;           /* `misuse` is initialised */
    uintptr_t owner; /* debug builds: the thread that writes outside of systems; 0: none yet */

    sett_log_fn log_fn;
    sett_assert_fn assert_fn;
    void* hook_user;
    void* user;                 /* sett_world_set_user */
    sett_trace trace;           /* the program's profiler */
    bool reporting;             /* a hook runs, and the world is locked for it */
    setti_counter reporters;    /* how many hooks run now for readers, on all threads together */
    uint32_t signature_warning; /* warn when so many signatures are in use */

    uint64_t whole_file; /* a mark of the file that was written or loaded last */

    sett_status error; /* of the last call that failed */
    /* the entity, component and call of that failure: `message` is written from them when it is
     * asked for */
    sett_entity error_entity;
    sett_component error_component;
    const char* error_call; /* NULL: `message` is written already */
    void* memory;           /* the allocator's memory, in which the world is aligned */
    /* The members from here on are not zeroed when a world is created. */
    setti_root entity_root; /* of `entities` */
    char message[SETTI_MESSAGE_SIZE];
    char reason[SETTI_REASON_SIZE]; /* of sett_world_validate */
    setti_misuse misuse[SETTI_MISUSES];
};

/* The values of `begins` for sett_world.observe_type. */
#define SETTI_TYPE_BEGINS true
#define SETTI_TYPE_ENDS false

/* Frees all memory of a world. Runs no callback. */
void setti_world_free(sett_world* world);

/* The type, on a fast path: NULL while use is profiled. */
SETTI_INLINE setti_type* setti_world_hot_type(const sett_world* world, sett_component component)
{
    return component < world->hot_capacity ? world->types[component] : NULL;
}

SETTI_INLINE setti_type* setti_world_type(const sett_world* world, sett_component component)
{
    return component < world->type_capacity ? world->types[component] : NULL;
}

/* Records that `call` failed, and the entity and component that it was about (null, 0: none).
 * Returns `status`. The message is formatted when it is asked for, or when a debug build reports
 * it. */
sett_status setti_world_fail(sett_world* world, sett_status status, const char* call,
                             sett_entity entity, sett_component component);

/* Records that memory ran out in `call`. Returns OUT_OF_MEMORY. */
sett_status setti_world_no_memory(sett_world* world, const char* call);

/* Zeroed memory of the world's pool; NULL, which is recorded as `call`, when memory runs out. */
void* setti_world_alloc(sett_world* world, size_t size, size_t align, const char* call);

/* Like setti_world_fail, with a message of its own. */
sett_status setti_world_fail_with(sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Fails with ARGUMENT: `wrong` says what is wrong with the thing that has this name, or NULL. */
sett_status setti_world_fail_argument(sett_world* world, const char* call, const char* name,
                                      const char* wrong);

/* A handle in a message: the arguments of "%u:%u". */
#define SETTI_HANDLE(entity) (unsigned)(entity).index, (unsigned)(entity).generation

/* Like setti_world_fail_with, for a wrong text, file or delta: the caller did nothing wrong, so the
 * assert hook is not called. */
sett_status setti_world_fail_input(sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* A misuse found by a reading call: reported by debug builds, recorded nowhere, because
 * readers run side by side. */
void setti_world_misuse(const sett_world* world, sett_status status, const char* call,
                        sett_entity entity, sett_component component);

/* Like setti_world_misuse, with a message of its own, and reported in every build: the typed macros
 * request it, if the program is a debug build. */
void setti_world_misuse_with(const sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Like setti_world_misuse_with, for a call that changes the world: it is recorded, too. */
void setti_world_fail_checked(sett_world* world, sett_status status, const char* message);

/* Whether a list is NULL, and its count is not 0. The call fails then with ARGUMENT.
 *   what  the parameter or field */
bool setti_world_fail_no_list(sett_world* world, const char* call, const char* what);
SETTI_INLINE bool setti_world_lacks_list(sett_world* world, const void* list, size_t count,
                                         const char* call, const char* what)
{
    return SETTI_UNLIKELY(list == NULL && count != 0) &&
           setti_world_fail_no_list(world, call, what);
}

/* Like setti_world_lacks_list, for calls that run side by side with others: it is reported, but not
 * recorded. */
bool setti_world_report_no_list(const sett_world* world, const char* call, const char* what);
SETTI_INLINE bool setti_world_lacks_list_aside(const sett_world* world, const void* list,
                                               size_t count, const char* call, const char* what)
{
    return SETTI_UNLIKELY(list == NULL && count != 0) &&
           setti_world_report_no_list(world, call, what);
}

/* Reports a misuse to the log hook (the 1st, 10th, 100th time of its kind), and to the assert hook
 * if `asserts`: wrong input is no misuse, and only logged. */
void setti_misuse_report(const sett_world* world, sett_status status, const char* message,
                         bool asserts);

/* Stores the C type that a typed macro used with an id that is not registered. The failure of the
 * call that follows names it. */
void setti_misuse_note_type(const sett_world* world, sett_component id, const char* type_name);

/* Writes " (Position)", or nothing if no type was noted for this id. */
void setti_misuse_noted_type(const sett_world* world, sett_component id, char* out, size_t size);

/* The descriptor of a call: `desc`, or, if the program's header declares a shorter one, a copy in
 * *full with zeroes for the missing fields. NULL, which is reported, if the world or `desc` is
 * NULL, or if the program's header declares a longer one. */
const void* setti_world_desc(sett_world* world, const void* desc, size_t size, void* full,
                             size_t full_size, const char* call);

/* Like setti_world_desc, for a descriptor with terms, of `term_size` bytes each; `terms` are those
 * in *full. */
const void* setti_world_desc_terms(sett_world* world, const void* desc, size_t size,
                                   size_t term_size, void* full, size_t full_size, sett_term* terms,
                                   const char* call);

/* In debug builds: reports if a thread other than the world's owner writes, except while systems
 * run. The first thread that writes becomes the owner. Only reports: `call` is carried out. */
void setti_misuse_check_owner(sett_world* world, const char* call);

SETTI_INLINE void setti_world_check_owner(sett_world* world, const char* call)
{
    if (SETTI_DEBUG) {
        setti_misuse_check_owner(world, call);
    }
}

/* Writes why a handle is stale, as far as the entity table tells. */
void setti_world_describe_stale(const sett_world* world, char* out, size_t size,
                                sett_entity entity);

void setti_world_log(const sett_world* world, sett_log_level level, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Adds memory, and up to two tables of pages, to the state. Its present contents, such as zeroes,
 * are what a restore of an earlier state writes. `root` lies in the struct that it describes, and
 * stays in use until it is removed. */
void setti_world_add_root(sett_world* world, setti_root* root, void* address, size_t size,
                          setti_pages* pages, setti_pages* more_pages);

/* Like setti_world_add_root, for memory without pages. */
static inline void setti_world_add_plain_root(sett_world* world, setti_root* root, void* address,
                                              size_t size)
{
    setti_world_add_root(world, root, address, size, NULL, NULL);
}

/* Like setti_world_add_root, for a storage. */
void setti_world_add_storage(sett_world* world, setti_root* root, setti_storage* storage);

/* Removes a root; no snapshot may be held (setti_world_check_no_snapshots). */
void setti_world_remove_root(sett_world* world, setti_root* root);

/* SETT_OK, or fails with LOCKED: a snapshot is held, and it has the layout of the present types and
 * groups. */
sett_status setti_world_check_no_snapshots(sett_world* world, const char* call);

/* SETT_OK, or fails with LOCKED and a message that names the loop or the callback, and the remedy.
 * This call and the next fail with ARGUMENT for a world that is NULL. */
sett_status setti_world_check_unlocked(sett_world* world, const char* call);

/* SETT_OK, or fails with LOCKED and a message with the remedy, while systems run that are not
 * exclusive: they must not write to what they share, even on one thread. For calls that are allowed
 * while a loop is open; other calls use setti_world_check_unlocked. */
sett_status setti_world_check_serial(sett_world* world, const char* call);

/* The status of a call that has failed; its world may be NULL. */
static inline sett_status setti_world_failure(const sett_world* world)
{
    return world != NULL ? world->error : SETT_STATUS_ARGUMENT;
}

/* For messages, while systems run: the name of the system on this thread, or else of all that
 * run. */
const char* setti_world_running(const sett_world* world);

/* At least `size` bytes, uninitialised; NULL when memory runs out. They are valid until the next
 * call for this scratch. */
void* setti_scratch_get(setti_pool* pool, setti_scratch* scratch, size_t size, size_t align);

/* Call it where a value of an entity is accessed: reports a running system that did not declare it.
 *   access  SETTI_ACCESS_* */
SETTI_INLINE void setti_world_touch(const sett_world* world, sett_entity entity,
                                    sett_component component, uint32_t access, const char* call)
{
    if (SETTI_UNLIKELY(world->guard != NULL)) {
        world->guard->touch(world, entity, component, access, call);
    }
}

/* Locks the world while a callback of `name` runs, which messages name. Returns the name of the
 * outer callback, for setti_world_end_call. */
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

/* Counts a loop as open. In line: the rest of a loop over 16 entities is about 60 instructions. */
SETTI_INLINE void setti_world_open_loop(sett_world* world, setti_open_loop* loop)
{
    world->locks++;
    if (loop->count++ == 0) {
        loop->next = world->open_loops;
        world->open_loops = loop;
    }
}

/* Takes a query or search whose loops have ended off the list. */
void setti_world_unlink_loop(sett_world* world, const setti_open_loop* loop);

/* Counts a loop as closed. */
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

/* Closes the loops whose function has returned, where that is known (setti_open_loop.frame). */
void setti_world_close_returned(sett_world* world);

/* Closes all loops over one query or search and frees their scratch. Copies are not written
 * back. */
void setti_world_close_loops(sett_world* world, setti_open_loop* loop);

#endif
