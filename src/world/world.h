/* world.h: the world, as a map of everything in it.
 *
 * Three classes of state. Pages: entity table and storages; they are the world's state. Roots: the
 * counts and page tables beside them (root.h). Caches: signatures, edges, names, last transitions;
 * derived, and never part of what two worlds are compared by.
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

#define SETTI_HIDDEN 2       /* tags whose entities queries skip */
#define SETTI_MODULE_TYPES 1 /* types that modules look for often */

/* How far events may follow from events: sets inside on_set callbacks, and
 * commands recorded while commands are applied. Deeper is rejected. */
#define SETTI_EVENT_DEPTH 64

/* Memory that is used for a moment, again and again: kept at its largest until the world is
 * trimmed. */
typedef struct setti_scratch {
    void* bytes;
    size_t size;
    size_t align;
} setti_scratch;

/* A query, as the world sees it while loops over it are open: by name, for messages. */
typedef struct setti_open_loop {
    const char* name;
    uint32_t count; /* loops open over it; linked while it is not 0 */
    /* The batch of the first of them, a local variable, if all are: once the function that it
     * belongs to has returned, all were left. Else NULL. */
    const void* frame;
    struct setti_gather_scratch* scratches; /* of those that gather */
    uint32_t closed;                        /* how often its loops were closed from outside */
    bool of_search;                         /* over a search, not over a query */
    struct setti_open_loop* next;
} setti_open_loop;

/* The access that a system declared to a component. */
enum {
    SETTI_ACCESS_PRESENCE = 1,        /* tests presence only */
    SETTI_ACCESS_READ = 2,            /* reads values, */
    SETTI_ACCESS_WRITE = 4,           /* or writes them, of the entities that it visits, */
    SETTI_ACCESS_READ_ANYWHERE = 8,   /* of any */
    SETTI_ACCESS_WRITE_ANYWHERE = 16, /* of any */
    SETTI_ACCESS_RECORDS = 32         /* changes who has it, or the values, by commands */
};

#define SETTI_ACCESS_READS                                                                         \
    (SETTI_ACCESS_READ | SETTI_ACCESS_WRITE | SETTI_ACCESS_READ_ANYWHERE |                         \
     SETTI_ACCESS_WRITE_ANYWHERE)
#define SETTI_ACCESS_WRITES (SETTI_ACCESS_WRITE | SETTI_ACCESS_WRITE_ANYWHERE)

/* A kind of misuse, and how often it was reported; see misuse.c. */
#define SETTI_MISUSES 64

typedef struct setti_misuse {
    uint64_t kind; /* hash; 0: none */
    uint64_t count;
} setti_misuse;

struct sett_world {
    /* Members that reading in line uses come first, as sett_world_header_. */
    /* as `types`; where that is NULL: a type that is not read in line, as 0 is in every world */
    const void** readable;
    /* entries in `types` for fast paths; 0 while use is profiled: all go the slow path */
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
            uint32_t all_observers; /* listeners without `with`: entities enter as they begin */
        };
        uint64_t locks_or_observers; /* both in one load; 0: entities begin on the fast path */
    };

    setti_root* roots; /* all of the state, but for pages: doubly linked, in order of adding */
    setti_root* last_root;
    /* grows when the state is replaced as a whole (a restore, a delta, a clone). Code that
     * caches something derived from the state compares it, and derives it again */
    uint32_t epoch;

    setti_signature_table signatures;
    setti_type_list registered;    /* in order of registration */
    setti_type_list dont_fragment; /* of these, the dont_fragment ones */
    setti_type_list renamed;       /* and those with former names */
    sett_component next_id;        /* ids below are taken */
    uint32_t prepared;             /* of `registered`: snapshots know how to save them */
    /* hash of a name -> component id; on a collision the next free key */
    setti_hash_map names;
    uint32_t unregistered;        /* types that have ended */
    struct setti_import* imports; /* modules, the latest first; import.c */

    uint32_t cascading;                       /* types that cascade */
    const setti_cascade_calls* cascade_calls; /* NULL: there are none */
    bool removing_all;                        /* while an entity loses all of its types, not one */
    /* Entities to be destroyed together, in the order in which they were found; change_destroy.c */
    uint32_t* collect_list;
    uint32_t collect_count;
    uint32_t collect_room; /* entries of the list: the sum of the types' collect_room, and one */
    uint32_t collect_one;  /* the list while there are no links */

    /* tags whose entities queries skip unless they name them; NULL until they are registered */
    setti_type* hidden[SETTI_HIDDEN];
    /* tag: entities with it are destroyed last when all are; NULL until it is used */
    setti_type* last_tag;

    setti_listener* listeners;   /* groups and tracked sets, doubly linked, in order of creation */
    setti_plan_table plans;      /* which of them a transition concerns */
    uint32_t listener_version;   /* grows when listeners come and go: queries look again */
    setti_open_loop* open_loops; /* of the queries that loops are open over, the latest first */
    union {
        struct {
            uint32_t gathering; /* loops open that work on copies of values, outside of systems */
            bool profiling;     /* accesses, loops and matches are counted, for advice */
            bool counting;      /* loops are counted: for advice, or for auto_layout */
        };
        uint64_t loops_differ; /* all of these in one load; 0: a loop may begin by the fast path */
    };
    const char* calling; /* the component, group or observer whose callback runs, if any */
    uint32_t set_depth;  /* on_set callbacks that run inside one another */

    struct sett_observer* observers; /* doubly linked, the latest first */
    uint32_t upward_observers;       /* of these: with conditions on ancestors */
    uint32_t target_observers;       /* of these: of links to one entity */
    /* edit.h; NULL until there is a hierarchy */
    const struct setti_upward_calls* upward_calls;
    bool observers_ended; /* some of them wait to be freed */
    /* Puts observers of every component into the lists of a type that begins, or takes them out of
     * one that ends; false when memory runs out. NULL until there is such an observer. */
    bool (*observe_type)(sett_world* world, setti_type* type, bool begins);
    const void* replaced;      /* while on_set runs: the value from before, or NULL */
    const void* replaced_link; /* the same, for a link that is set where it is */
    struct {                   /* while on_set of a link's source runs: which link it is about */
        sett_component relationship; /* 0: none */
        uint32_t source;
        sett_entity target;
    } changed_link;

    sett_commands* commands;     /* the world's own, made when first asked for */
    sett_commands* applying;     /* the buffer that is being applied, or NULL */
    sett_commands* all_commands; /* doubly linked */
    setti_scratch sort_items;    /* of the largest sort so far: see sort.c */
    setti_scratch sort_rows;
    setti_scratch set_aside; /* a value that sett_set writes while others move */
    void* spare_chunks;      /* which jobs record into: see command.c */
    uint32_t command_depth;  /* that records made now get: 0, unless commands are being applied */
    bool depth_logged;       /* by this application: that records are rejected for their depth */
    bool receiving;          /* a delta is applied: all buffers are closed */
    uint32_t open_jobs;      /* buffers that record side by side, see command.h */
    /* recorded creations claim no index below: those are for a clone at work */
    uint32_t claim_from;
    /* Of asserts: the entity that rows are reserved for, not carried out yet; SETTI_NONE: none is.
     * For those of several, the pages are pinned. */
    uint32_t reserved_for;

    const setti_naming* naming; /* NULL: entities have no names */

    /* grows when numbers of signatures may mean other sets: to be compared by what remembers some
     * */
    uint32_t transition_epoch;

    void* module[SETTI_SLOTS];                         /* module.h */
    const setti_module_calls* called[SETTI_SLOTS + 1]; /* NULL behind the last */
    setti_type* module_type[SETTI_MODULE_TYPES];       /* by a number of the module's; or NULL */

    sett_entity scope;                           /* parent of what is created; null: none */
    const struct setti_scope_calls* scope_calls; /* NULL: there is none, or not for now */

    bool replaying;      /* the program says so: sett_world_set_replaying */
    bool busy;           /* sett_progress or sett_system_run is at work */
    const char* running; /* the systems that run, by name; NULL: none, or one alone */
    bool side_by_side;   /* they run on several threads: none writes to this struct meanwhile */
    const setti_guard* guard; /* called at every access, while systems are watched */

    struct {
        sett_component id; /* 0: none */
        char name[44];
    } noted; /* the last id that was not registered, as the typed macro named it */
    setti_lock misuse_lock;
    bool misused;    /* `misuse` is initialised: there was some */
    uintptr_t owner; /* the thread that writes outside of systems; 0: none yet. In debug builds */

    sett_log_fn log_fn;
    sett_assert_fn assert_fn;
    void* hook_user;
    void* user;              /* the program's */
    sett_trace trace;        /* its profiler */
    bool reporting;          /* the hooks run, and the world is locked for them */
    setti_counter reporters; /* hooks that run for readers: side by side, or inside one another */
    uint32_t signature_warning; /* log when this many are in use */

    uint64_t whole_file; /* a mark of the file that was written or loaded last */

    sett_status error; /* of the last call that failed */
    /* what it was about, where `message` is still to be written from it */
    sett_entity error_entity;
    sett_component error_component;
    const char* error_call; /* the function's name; NULL: `message` is written */
    void* memory;           /* what the allocator returned for the world, which is aligned in it */
    /* From here on nothing is zeroed when a world is made. */
    setti_root entity_root; /* of `entities` */
    char message[SETTI_MESSAGE_SIZE];
    char reason[SETTI_MESSAGE_SIZE]; /* of sett_world_validate */
    setti_misuse misuse[SETTI_MISUSES];
};

/* Frees all memory of a world and nothing else: no callback runs. */
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

/* Records that `call` failed over this entity and component (null, 0: over none). Returns `status`.
 * Costs no formatting, unless a debug build reports misuse. */
sett_status setti_world_fail(sett_world* world, sett_status status, const char* call,
                             sett_entity entity, sett_component component);

/* Records that memory ran out in `call`. Returns OUT_OF_MEMORY. */
sett_status setti_world_no_memory(sett_world* world, const char* call);

/* Zeroed memory of the world's pool; NULL, and that is recorded, when it runs out. */
void* setti_world_alloc(sett_world* world, size_t size, size_t align, const char* call);

/* Like setti_world_fail, with a message of its own. */
sett_status setti_world_fail_with(sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

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

/* Like setti_world_misuse, with a message of its own, in every build: for a check that the caller's
 * own build requested. */
void setti_world_misuse_with(const sett_world* world, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Like setti_world_misuse_with, for a call that changes the world: it is recorded, too. */
void setti_world_fail_checked(sett_world* world, sett_status status, const char* message);

/* Whether a list is NULL, and its count is not 0. The call fails then with ARGUMENT; one that runs
 * side by side with others (`aside`) only reports it.
 *   what  the parameter or field */
bool setti_world_no_list(const sett_world* world, const char* call, const char* what, bool aside);
SETTI_INLINE bool setti_world_lacks_list(sett_world* world, const void* list, size_t count,
                                         const char* call, const char* what)
{
    return SETTI_UNLIKELY(list == NULL && count != 0) &&
           setti_world_no_list(world, call, what, false);
}
SETTI_INLINE bool setti_world_lacks_list_aside(const sett_world* world, const void* list,
                                               size_t count, const char* call, const char* what)
{
    return SETTI_UNLIKELY(list == NULL && count != 0) &&
           setti_world_no_list(world, call, what, true);
}

/* Reports a misuse to the hooks. Without `asserts` it is only logged: wrong input is no misuse. The
 * log gets it the 1st, 10th, 100th time. */
void setti_misuse_report(const sett_world* world, sett_status status, const char* message,
                         bool asserts);

/* Stores the C type that a program uses with an id that is not registered, for the message of the
 * call that follows. */
void setti_misuse_note_type(const sett_world* world, sett_component id, const char* type_name);

/* Writes " (Position)", or nothing if no type was noted for this id. */
void setti_misuse_noted_type(const sett_world* world, sett_component id, char* out, size_t size);

/* The descriptor of a call: `desc`, or, if the program's header has a shorter one, a copy in *full
 * with zeroes for the fields that it lacks. NULL, with a report, if the world or `desc` is NULL, or
 * if the program's header has a longer one. */
const void* setti_world_desc(sett_world* world, const void* desc, size_t size, void* full,
                             size_t full_size, const char* call);

/* Like setti_world_desc, for a descriptor with terms, which begin at `terms`, of `term_size` bytes
 * each. */
const void* setti_world_desc_terms(sett_world* world, const void* desc, size_t size,
                                   size_t term_size, void* full, size_t full_size, size_t terms,
                                   const char* call);

/* In debug builds: reports that another thread than the world's owner writes to it; the first one
 * that writes becomes the owner. `call` goes on. */
void setti_misuse_check_owner(sett_world* world, const char* call);

SETTI_INLINE void setti_world_check_owner(sett_world* world, const char* call)
{
#if !defined(NDEBUG)
    setti_misuse_check_owner(world, call);
#else
    (void)world;
    (void)call;
#endif
}

/* Writes why a handle is stale, as far as its slot tells. */
void setti_world_describe_stale(const sett_world* world, char* out, size_t size,
                                sett_entity entity);

void setti_world_log(const sett_world* world, sett_log_level level, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Adds memory, and up to two tables of pages, to the state. What is in it now is what it has to be
 * in states where it does not exist yet, such as zeroes. `root` lies in what it describes and stays
 * there until it is removed. */
void setti_world_add_root(sett_world* world, setti_root* root, void* address, size_t size,
                          setti_pages* pages, setti_pages* more_pages);

/* Like setti_world_add_root, for a storage. */
void setti_world_add_storage(sett_world* world, setti_root* root, setti_storage* storage);

/* Removes a root; no snapshot may be held (setti_world_check_no_snapshots). */
void setti_world_remove_root(sett_world* world, setti_root* root);

/* SETT_OK, or fails with LOCKED: a snapshot is held, which is of the state as it is laid out
 * now. */
sett_status setti_world_check_no_snapshots(sett_world* world, const char* call);

/* SETT_OK, or fails with LOCKED and a message that names the loop or the callback, and what to do
 * instead. ARGUMENT for a world that is NULL, here and below. */
sett_status setti_world_check_unlocked(sett_world* world, const char* call);

/* SETT_OK; or fails with LOCKED, and a message with the remedy, while systems run that could run in
 * parallel, even on one thread: they must not write to what the world shares. For calls that are
 * allowed while a loop is open; the others call setti_world_check_unlocked. */
sett_status setti_world_check_serial(sett_world* world, const char* call);

/* The status of a call that has failed, maybe because its world is NULL. */
static inline sett_status setti_world_failure(const sett_world* world)
{
    return world != NULL ? world->error : SETT_STATUS_ARGUMENT;
}

/* For messages, while systems run: the name of the one on this thread, or else of all. */
const char* setti_world_running(const sett_world* world);

/* At least so many bytes, of what was there before nothing; NULL when memory runs out. */
void* setti_scratch_get(setti_pool* pool, setti_scratch* scratch, size_t size, size_t align);

/* A value of an entity is accessed, which a running system has to declare. */
SETTI_INLINE void setti_world_touch(const sett_world* world, sett_entity entity,
                                    sett_component component, uint32_t access, const char* call)
{
    if (SETTI_UNLIKELY(world->guard != NULL)) {
        world->guard->touch(world, entity, component, access, call);
    }
}

/* Locks the world while what `name` says runs, for messages. Returns what was running before, for
 * the second. */
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

/* Counts a loop as open. In line, as a loop over 16 entities takes as long as 60 instructions. */
SETTI_INLINE void setti_world_open_loop(sett_world* world, setti_open_loop* loop)
{
    world->locks++;
    if (loop->count++ == 0) {
        loop->next = world->open_loops;
        world->open_loops = loop;
    }
}

/* Takes a query out of the list of those that loops are open over. */
void setti_world_unlink_loop(sett_world* world, const setti_open_loop* loop);

/* Counts it as closed. */
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

/* Closes the loops whose function has returned, as far as that is known. */
void setti_world_close_returned(sett_world* world);

/* Closes all loops over one query and frees their scratch; their copies are not written back. */
void setti_world_close_loops(sett_world* world, setti_open_loop* loop);

#endif
