/* core.h: the core of Sett. Read it from top to bottom:
 *
 *     world        contains everything                       sett_world_*
 *     components   types of data                             sett_component_*
 *     entities     create, destroy, list                     sett_entity_*
 *     values       an entity's components                    sett_add, sett_get, sett_set, ...
 *     queries      loops over matching entities              sett_query_*, SETT_FOR
 *     inspection   validation and statistics                 sett_world_validate, sett_world_stats
 *     command.h    changes recorded now, applied later       sett_commands_*, sett_cmd_*
 *     group.h      sets of entities, kept up to date         sett_group_*
 *     sort.h       order of sparse sets and groups           sett_sort
 *
 *     sett_query* moving = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
 *     SETT_FOR(moving, b, i) {
 *         SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x;
 *     }
 *
 * Programs include sett.h, which includes all headers. core.h also includes loop.h (SETT_FOR) and
 * typed.h (macros that take a C type, such as SETT_SET).
 *
 * Words:
 *     entity      a thing of your program
 *     handle      the name of an entity (sett_entity): an index and a generation. A new entity at a
 *                 used index gets a higher generation
 *     stale       a stale handle names an entity that is not alive
 *     component   a type of data, such as Position; also one entity's value of this type
 *     tag         a component without a value
 *     storage     where the values of one component lie in memory: an array or a sparse set
 *     row         a number: the place of a value in its storage, or of an entity in a batch
 *     page        a block of memory with up to 1,024 values of one type
 *     structure   which entities are alive, and which components each of them has
 *     command     a change, mostly of structure, that is recorded now and applied later
 *     callback    your function that runs when something changes: on_add, on_remove, ...
 *     hook        your function that the library needs for its own work: to allocate, to copy a
 *                 value, to log
 *     system      your function that runs in each frame (system.h)
 *     locked      structure cannot change, because a loop is open, or a callback, hook or system
 *                 runs. Values can be written, except by hooks. Not locked: exclusive systems
 *                 (system.h), and functions that sett_cmd_call records
 *     query       a list of terms. An entity matches if it fulfils every term
 *     term        one condition of a query: "has Position", "does not have Frozen"
 *     batch       up to 1,024 matching entities. A loop visits one batch after another
 *     field       an array: the values of one term, for the entities of a batch
 *     tick        a number that grows. A page stores the tick of the last write to its values
 *     write       a change of a value: by adding or setting it, by a _mut call, or by a loop with
 *                 SETT_OUT or SETT_INOUT. Every value that such a loop visits counts as written
 *
 * Each function is described in this order: purpose; Returns; Fails; Cost; Invalidates; Threads;
 * Since. "Fails" lists values of sett_status (base.h), without SETT_STATUS_. A call that fails
 * changes nothing, unless its description says otherwise. A function that does not return a status
 * returns NULL, 0, false or a null handle if it fails. If its description lists "Fails",
 * sett_world_error then returns the status.
 * A list of NULL with a count that is not 0 is rejected (ARGUMENT). A buffer of NULL has room for
 * nothing: the call returns the length or count alone.
 *
 * Threads:
 *     any      any thread can call it, at any time
 *     reader   several threads can call it at once, while no thread writes
 *     writer   one thread can call it, while no other thread reads or writes
 *     system   as `writer`; also inside a system, for components that the system declared
 * A system that is not exclusive cannot change the world by functions marked `writer`: they fail
 * (LOCKED).
 * Worlds are independent: two threads can use two worlds.
 *
 * Addresses. How long the address of a value is valid depends on its storage:
 *     array                   until the value is removed
 *     sparse set              until any value of the type is removed, or the type is sorted
 *     ... with keep_order     until the value is removed, or the type is sorted or compacted
 *     ... owned by a group    until any value of the type is removed, the group is sorted, or an
 *                             entity enters or leaves the group
 * All values of a type move if it gets another storage: by sett_component_convert, sett_sort,
 * sett_group_create or sett_layout_auto (layout.h). After a snapshot is taken or restored
 * (state.h), older addresses that are still valid are for reading only. You can write to an address
 * until the next tick begins; then fetch it again. These begin a tick: sett_world_advance_tick,
 * sett_world_hash, sett_world_check_writes; snapshots, restores, deltas and clones (state.h); saves
 * and loads (file.h). sett_progress and sett_system_run begin one only if a system with a `changed`
 * term has run.
 *
 * Misuse: for example a stale handle, sett_get of an absent component, a structural change inside a
 * loop. The call fails, in every build. Debug builds of the library (compiled without NDEBUG) also
 * report it to log_fn and assert_fn (sett_world_desc).
 *
 * Descriptors are structs of options; their names end in _desc. Zero in a member means the default,
 * which is written beside the member. A function that takes a descriptor is inline: it calls a
 * function whose name ends in _sized, with the size of the struct as one more argument. Other
 * languages call the _sized function.
 *
 * NULL as the first argument: the call does nothing and returns ARGUMENT, NULL, 0 or false, unless
 * its description says that NULL is fine. Debug builds report it on stderr. Release builds do not
 * check it in the most frequent functions, because the check costs 3 to 8 %: sett_add, sett_ensure,
 * sett_set, sett_remove, sett_get, sett_find, sett_has and their _mut forms, sett_entity_create and
 * sett_entity_destroy. No build checks it in functions of accessors, batches, contexts and rows
 * (search.h), nor in sett_string_get and sett_component_bound. A loop over a NULL query is empty,
 * and not reported:
 * sett_query_create has reported the error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_CORE_H
#define SETT_CORE_H

#include "sett/command.h"
#include "sett/group.h"
#include "sett/read.h"
#include "sett/sort.h"

typedef struct sett_query sett_query;

/* ---------------------------------------------------------------------------------------- world */

/* Options of a world. All zeroes is a good default. */
typedef struct sett_world_desc {
    sett_allocator allocator; /* default: the C library */
    sett_log_fn log_fn;       /* default: sett_log_stderr */
    sett_assert_fn assert_fn; /* default: none */
    void* hook_user;          /* passed to log_fn and assert_fn */
    void* user;               /* returned by sett_world_user */
    /* indices of entities are below it; default: 268,435,456 (2^28). Components of entities above
     * that are read by a call, not in line. Entities, and each array, have tables with 28 bytes for
     * each 1,024 indices up to the highest one: for an entity at 4e9 zeroes of 123 MB, and of 127
     * MB for each array that has it. By default, and with an allocator that has a zero_fn, the
     * system backs 2 MB of them with memory; without a zero_fn all of them are touched. Sparse sets
     * have no such tables */
    uint32_t entity_limit;
    /* log a warning when the world has this many signatures. A signature is the set of an entity's
     * components, without those with dont_fragment; equal sets count once. Default: 65,536 */
    uint32_t signature_warning;
    /* always take memory in aligned blocks of 2 MB (huge pages). Default (false): only if the world
     * has 1.25 MB or more, and no allocator of your own */
    bool huge_pages;
    /* for one of many worlds, each with some hundred entities, of which snapshots are taken often:
     * pages of values have about 1 KB instead of 16 KB, and memory comes in blocks of 16 KB. Loops
     * over many entities are slower then. Default: false */
    bool small_pages;
} sett_world_desc;

/* Creates a world.
 *   desc  options; NULL for the defaults
 * Returns NULL if memory runs out, or if header and library do not match.
 * Cost: one allocation, under 1 us.
 * Threads: any. Since: 0.1 */
static inline sett_world* sett_world_create(const sett_world_desc* desc);

/* The layout of what inline functions use: the sizes of four structs, and a version (the last
 * line), which grows when the calls from inline functions to the library change. It must be equal
 * in header and library. */
#define SETT_LAYOUT                                                                                \
    ((uint64_t)sizeof(sett_batch) | (uint64_t)sizeof(sett_world_header_) << 16 |                   \
     (uint64_t)sizeof(sett_type_header_) << 32 | (uint64_t)sizeof(sett_value) << 48 |              \
     (uint64_t)3 << 56)
#define SETT_LAYOUT_CHECKED_ ((uint64_t)1 << 63) /* compiled without NDEBUG */

/* The function behind sett_world_create, for other languages.
 *   size             bytes of *desc
 *   version, layout  SETT_VERSION and SETT_LAYOUT of the caller's header
 * Returns NULL if memory runs out, if the library is older than the header, or if the layouts
 * differ. The log says which. */
SETT_API sett_world* sett_world_create_sized(const sett_world_desc* desc, size_t size, int version,
                                             uint64_t layout);

/* Destroys all entities (on_remove callbacks run), then frees the world and everything that belongs
 * to it. NULL is fine.
 * Fails: LOCKED. If a loop was left open by mistake, call sett_query_end_all first.
 * Cost: O(pages), plus O(values of types with on_remove or deinit). Invalidates: everything of
 * this world.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_destroy(sett_world* world);

/* The program's own pointer, for functions that receive only a world. sett_world_desc.user is its
 * first value.
 * Threads: reader / writer. Since: 0.2 */
SETT_API void* sett_world_user(const sett_world* world);
SETT_API void sett_world_set_user(sett_world* world, void* user);

/* Makes the calling thread the owner of the world. Call it when a world moves to another thread:
 * debug builds report writes by threads that are not the owner. At first the owner is the first
 * thread that writes.
 * Threads: writer. Since: 0.2 */
SETT_API void sett_world_own(sett_world* world);

/* Destroys all entities, also those that sett_entity_destroy would reject. Types, queries, systems
 * and reserved memory stay.
 * Fails: LOCKED.
 * Cost: as sett_entity_destroy for each.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_clear(sett_world* world);

/* Frees memory that the world does not use. Compacts all keep_order types.
 * Fails: LOCKED.
 * Cost: O(entities + pages). Invalidates: addresses of keep_order types.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_trim(sett_world* world);

/* Reserves memory: the world can then grow by `bytes` without calling the allocator. Exception:
 * internal tables above 32 KB, in very large worlds. Two reservations do not add up: the larger one
 * counts. sett_world_trim frees what is not used.
 * Fails: OUT_OF_MEMORY.
 * Cost: one allocation, or none if enough memory is free.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_reserve(sett_world* world, size_t bytes);

/* Allocates memory of the world, for what callbacks need: see free_user in system.h and observer.h.
 * sett_world_destroy frees it, if sett_world_release has not.
 *   size   bytes, not 0
 *   align  a power of two, up to 4,096
 * Returns NULL on failure. Fails: ARGUMENT, OUT_OF_MEMORY, LOCKED (systems run in parallel).
 * Cost: O(1). Threads: writer. Since: 0.2 */
SETT_API void* sett_world_alloc(sett_world* world, size_t size, size_t align);

/* Frees what sett_world_alloc returned; `size` and `align` are what it was called with. NULL is
 * fine.
 * Fails: LOCKED (systems run in parallel). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_world_release(sett_world* world, void* memory, size_t size, size_t align);

/* Returns the status of the last change that failed in this world; SETT_OK if none has failed.
 * Success does not reset it. Calls that only read, such as sett_get, do not set it. Calls that
 * record a command set it only for LIMIT and LOCKED; those that create an entity also for
 * OUT_OF_MEMORY. While systems run on several threads, it is LOCKED and has no message. When they
 * have ended, it is the last failure of the last job that failed, in the order of systems and jobs.
 * Threads: reader. Since: 0.1 */
SETT_API sett_status sett_world_error(const sett_world* world);

/* Returns the message that belongs to sett_world_error, with names and handles; "" if no call has
 * failed. Valid until the next failure.
 * Threads: writer. Since: 0.1 */
SETT_API const char* sett_world_message(const sett_world* world);

/* What sett_world_error and sett_world_message return. All zeroes: no call has failed. */
typedef struct sett_failure {
    sett_status status;
    char message[512];
} sett_failure;

/* Exchanges `failure` with the failure that the world stores. A tool inside of a program calls it
 * twice, before and after its own calls: then the program does not see the tool's failures.
 * Threads: writer. Since: 0.2 */
SETT_API void sett_world_swap_failure(sett_world* world, sett_failure* failure);

/* Passes one line to the world's log_fn, as the library's own messages: for tools inside of a
 * program. The first 511 bytes of `message` are logged.
 * Threads: writer. Since: 0.2 */
SETT_API void sett_world_log(const sett_world* world, sett_log_level level, const char* message);

/* The tick of the world. A write stores it in the page of the value; with track_rows also beside
 * the value. sett_world_advance_tick begins a new tick and returns it. Other calls begin one too
 * (see Addresses). Ticks never go back, not even in a restore. So if a simulation restores
 * snapshots, its results must not depend on ticks.
 * Threads: reader / writer. Since: 0.1 */
SETT_API uint64_t sett_world_tick(const sett_world* world);
SETT_API uint64_t sett_world_advance_tick(sett_world* world);

/* ----------------------------------------------------------------------------------- components */

/* Ids of the built-in components, the same in every world. The first use registers the component.
 * A function of its header, such as sett_name_register, can register it earlier. Functions that
 * only read do not register it. */
enum {
    SETT_ID_HIERARCHY = 1024,    /* hierarchy.h */
    SETT_ID_NAME,                /* name.h */
    SETT_ID_PREFAB,              /* prefab.h: a tag */
    SETT_ID_DISABLED,            /* prefab.h: a tag */
    SETT_ID_INSTANCE_OF,         /* prefab.h: a relationship */
    SETT_ID_INSTANCE_OF_SOURCES, /* prefab.h: the instances of a prefab */
    SETT_ID_SINGLETONS,          /* singleton.h: the tag of the entity that has the singletons */
    SETT_ID_RESERVED_END = 1088  /* ids from 1,024 to 1,087 belong to the library */
};

struct sett_struct; /* members.h */

typedef enum sett_storage_kind {
    /* an array for values up to 256 bytes, else a sparse set; tags: an array of bits. If the
     * default is an array, sett_sort and owning groups convert it to a sparse set, as
     * sett_component_convert does */
    SETT_STORAGE_DEFAULT,
    /* indexed by entity, in pages. Values do not move, unless the storage changes. For components
     * that many entities have, or that are added and removed often */
    SETT_STORAGE_ARRAY,
    /* values lie side by side. For rare components. Can be sorted, and owned by a group */
    SETT_STORAGE_SPARSE_SET,
} sett_storage_kind;

/* What snapshots, copies and files do with a value. */
typedef enum sett_save_policy {
    SETT_SAVE_BYTES, /* copy its bytes */
    SETT_SAVE_CLONE, /* call the copy hook; for values that own memory */
    SETT_SAVE_SKIP,  /* leave it out */
} sett_save_policy;

/* A range of bytes in a value. */
typedef struct sett_byte_range {
    uint32_t offset;
    uint32_t size;
} sett_byte_range;

/* Takes the bytes that a `write` hook hands over: to->write(to, bytes, size), once or often. */
typedef struct sett_sink {
    void (*write)(struct sett_sink* to, const void* bytes, size_t size);
} sett_sink;

/* A component type. Only `name` is required. Names, lists and masks are copied. */
typedef struct sett_component_desc {
    const char* name; /* unique in the world */
    /* name of the C type. In programs compiled without NDEBUG, SETT_GET(world, e, T) and the other
     * typed macros compare it with T. SETT_TYPE sets it. Default: not compared */
    const char* type_name;
    /* bytes of a value: up to 1 MB in an array, 64 MB in a sparse set. Default (0): a tag */
    size_t size;
    /* power of two, up to 4,096; default: the largest that divides `size`, up to 16 */
    size_t align;
    /* shows which bits of a value are padding: `size` bytes, in which the bits of padding are 0,
     * and all others are 1. Padding is hashed, compared and sent as zero. SETT_REGISTER,
     * SETT_REGISTER_WITH and component lists pass SETT_MASK(T). Default: no padding */
    const void* mask;
    /* 1 to 1,023, or 1,088 to 1,048,575. Default: the lowest free id. Types that the library makes
     * for this one, such as "<name> off" (sett_enable), take ids from 1,088 on */
    sett_component id;
    sett_storage_kind storage; /* default: SETT_STORAGE_DEFAULT */
    sett_save_policy save;     /* default: SETT_SAVE_BYTES */
    uint32_t layout_version;   /* your version of the value's layout; default: 0 */
    bool keep_order; /* for sparse sets: removals preserve the order of the rest; default: no */
    /* do not count the component in signatures. For many independent flags that are toggled often.
     * Groups cannot use such a component. Nor can observers with on_enter or on_exit. Default: no
     */
    bool dont_fragment;
    bool track_rows;  /* store the tick of each value, not only of each page; not for tags;
                         default: no */
    bool can_disable; /* allow sett_enable, which switches a component off; default: no */

    /* Components that an entity with this one must have too. They must be registered already.
     * Absent ones are added before this component is added. Before one of them is removed, this
     * component is removed. */
    const sett_component* required;
    uint32_t required_count;

    /* The sett_entity members of a value: byte offsets, each once, each a multiple of 4. When
     * entities are copied together (duplicate.h, prefab.h), these members then refer to the copies.
     */
    const uint32_t* entity_offsets;
    uint32_t entity_offset_count;

    /* The bytes that are hashed, compared and sent in deltas: ranges that do not overlap. All other
     * bytes count as padding. Default: all bytes for SETT_SAVE_BYTES; for SETT_SAVE_CLONE the
     * members, or what the `write` hook writes, or none. For SETT_SAVE_SKIP always none */
    const sett_byte_range* bytes;
    uint32_t byte_count; /* ranges in `bytes` */

    /* The members of a value (members.h): SETT_STRUCT(Position, x, y). They give `mask` and
     * `entity_offsets`. Default: not known */
    const struct sett_struct* members;

    /* Registers a relationship (relationship.h): SETT_RELATIONSHIP(.many = true). The value is then
     * the data of a link, and `size` is 0 if links have no data. Besides `relationship` and `size`,
     * set only `name`, `id`, `storage`, `type_name`, `align`, `mask`, `members`. Default: none */
    const struct sett_relationship_desc* relationship;

    /* Value hooks, for values that own memory. Each handles `count` adjacent values:
     *     init    makes values in raw memory; default: zeroes
     *     deinit  ends values and leaves raw memory; default: nothing
     *     copy    overwrites values with copies of others; default: memcpy
     *     move    moves values to raw memory; the old memory is then raw; default: memcpy
     * A value hook must not use the world, which can be half changed. */
    void (*init)(void* values, uint32_t count, void* user);
    void (*deinit)(void* values, uint32_t count, void* user);
    void (*copy)(void* to, const void* from, uint32_t count, void* user);
    void (*move)(void* to, void* from, uint32_t count, void* user);

    /* Value hooks, for values that are more than their bytes. With them such values are hashed,
     * compared, sent in deltas and selections, saved in files and recordings, and printed. Give
     * both, and no `bytes`; with deinit or move, also copy. `save` is then SETT_SAVE_CLONE by
     * default if there is a copy hook.
     *     write  writes one value. Equal values write equal bytes, on every machine. It can be
     *            called from several threads at once
     *     read   overwrites an initialised value with what `write` wrote. The bytes can come from
     *            another machine and be hostile: check them, and go by `size`. Returns OK, INVALID
     *            or OUT_OF_MEMORY. After a failure too, `value` must be some valid value
     * JSON has the bytes as a string, or as base64 if they are not UTF-8.
     * `members` can describe what is written, as the struct with strings or lists of which it is
     * the canonical form: members in their order, little endian without padding, strings and lists
     * behind their length of 4 bytes. Then JSON has the members, and files of another layout are
     * read by their names. sett.hpp does so for std::string and std::vector. */
    void (*write)(const void* value, sett_sink* to, void* user);
    sett_status (*read)(void* value, const void* bytes, size_t size, void* user);

    /* Callbacks. Structure is locked: record commands into sett_commands_here(world). `value` of a
     * tag is not NULL, and must not be used.
     *     on_add     after a value was added; then observers run (observer.h)
     *     on_set     after a value was set by sett_set, a command or a creation; then observers run
     *     on_remove  before a value is removed, after observers
     * If an entity is destroyed, all its on_remove callbacks run before the first value is removed.
     */
    void (*on_add)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_set)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_remove)(sett_world* world, sett_entity entity, void* value, void* user);
    void* user; /* passed to all hooks and callbacks */

    /* What the component was called before: names that files, JSON, deltas and texts can still use.
     * No other type has one of these names, or had it. A list that is given later replaces the
     * earlier one. Deltas go by the present name: sender and receiver need the same. Default: none
     */
    const char* const* old_names;
    uint32_t old_name_count;
} sett_component_desc;

/* The name, type_name, size and align of a descriptor, as a constant expression:
 *
 *     (sett_component_desc){SETT_TYPE(Position), .id = Position_id}
 *
 * For a type with padding add .mask = SETT_MASK(Position), which works only inside functions. In
 * C++20 it does not compile for a type with default member initialisers: use SETT_REGISTER_WITH.
 */
#if defined(__cplusplus)
extern "C++" {
template <typename T> constexpr size_t sett_size_from_zero_()
{
    static_assert(__is_trivially_constructible(T) || !__is_trivially_copyable(T),
                  "values would begin as zeroes, not with the default member initialisers of this "
                  "type: register it by SETT_REGISTER or SETT_REGISTER_WITH; data of links always "
                  "begins as zeroes");
    return sizeof(T);
}
}
#define SETT_SIZE_FROM_ZERO_(T) sett_size_from_zero_<T>()
#else
#define SETT_SIZE_FROM_ZERO_(T) sizeof(T)
#endif
#define SETT_TYPE(T)                                                                               \
    .name = #T, .type_name = #T, .size = SETT_SIZE_FROM_ZERO_(T), .align = SETT_ALIGNOF(T)

SETT_API sett_component sett_component_register_sized(sett_world* world,
                                                      const sett_component_desc* desc, size_t size);

/* Registers a type. If the same type is registered already, returns its id; hooks, callbacks,
 * `user` and `mask` are not compared, and the present ones stay.
 * Returns the id, or 0. Fails: ARGUMENT, CONFLICT (the name is registered with other options, or
 * another type has the id; the message says which), UNREGISTERED (a required type), CYCLE, LIMIT,
 * OUT_OF_MEMORY, LOCKED.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
static inline sett_component sett_component_register(sett_world* world,
                                                     const sett_component_desc* desc)
{
    return sett_component_register_sized(world, desc, sizeof(*desc));
}

/* Registers the types of a list. The list ends with a descriptor without a name. SETT_REGISTER_ALL
 * calls it.
 * Fails: as sett_component_register, at the first type that fails; earlier ones stay registered.
 * Threads: writer. Since: 0.2 */
static inline sett_status sett_component_register_list_(sett_world* world,
                                                        const sett_component_desc* list)
{
    for (; list == NULL || list->name != NULL; list++) {
        if (sett_component_register(world, list) == 0) {
            return sett_world_error(world);
        }
    }
    return SETT_OK;
}

/* Unregisters a type, for hot reload of game code (examples/15_hot_reload.c). Removes it from all
 * entities (on_remove callbacks run), and frees its name and its id. First destroy the systems,
 * queries, searches, observers, groups and orders (ordered.h) that use it, and unregister types
 * that require it.
 * Fails: UNREGISTERED, CONFLICT (it is used; the message says by what),
 * ARGUMENT (a type of the library, or a relationship), LOCKED (a loop is open, snapshots exist, or
 * commands are recorded), OUT_OF_MEMORY (some entities may have lost it).
 * Cost: as sett_component_clear, and O(entities). Invalidates: addresses and accessors of the type.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_component_unregister(sett_world* world, sett_component component);

/* A module: a function that registers components, queries, systems and observers. It imports the
 * modules that it needs. */
typedef sett_status (*sett_module_fn)(sett_world* world);

/* Imports a module: calls its function, unless a module of this name is imported already.
 *   name  unique among modules; copied
 * Returns OK. If the function fails, returns the function's status, and the module is not imported.
 * Fails: ARGUMENT, CYCLE (modules import one another in a circle), OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_module_import(sett_world* world, const char* name,
                                        sett_module_fn register_all);

/* Forgets a module, so it can be imported again. First destroy the module's systems and observers,
 * and unregister its components.
 * Threads: writer. Since: 0.2 */
SETT_API void sett_module_forget(sett_world* world, const char* name);

/* Returns the id of the type with this name, or 0.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_component sett_component_find(const sett_world* world, const char* name);

/* Binds a number to a type, for programs that know their types by something else than an id:
 * sett.hpp binds the hash of a C++ type's name. sett_component_bound is then faster than
 * sett_component_find. Bindings belong to the world, not to its state.
 *   number  neither 0 nor UINT64_MAX; the same for the same type. Its low 18 bits should differ
 *           from those of others, as they do in a hash. Numbers of 2^63 or more are looked up by a
 *           call, about 10 ns.
 * Fails: ARGUMENT (such a number), UNREGISTERED, CONFLICT (the number is bound to another type),
 * LOCKED (systems run in parallel), OUT_OF_MEMORY.
 * Cost: O(1). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_component_bind(sett_world* world, uint64_t number,
                                         sett_component component);

/* Returns the id that is bound to a number; 0 if none is, or if the type was unregistered.
 * Cost: O(1), about 2 ns. Threads: reader. Since: 0.2 */
static inline sett_component sett_component_bound(const sett_world* world, uint64_t number);

/* Private: the slow path of sett_component_bound. */
SETT_READ_SLOW_ sett_component sett_component_bound_slow_(const sett_world* world, uint64_t number);

/* Returns the type's name, or NULL if the id is not registered. Threads: reader. Since: 0.1 */
SETT_API const char* sett_component_name(const sett_world* world, sett_component component);

/* Private: typed macros call it in programs compiled without NDEBUG. Compares the component's C
 * type with `size` (0: any size; SIZE_MAX: a tag) and `type_name`. If they differ, reports it, and
 * returns false. Returns true for an unregistered id: the macro's next call reports it.
 * Cost: O(1), usually one comparison of pointers. Threads: reader. Since: 0.2 */
SETT_API bool sett_component_check_type_(const sett_world* world, sett_component component,
                                         size_t size, const char* type_name, const char* call);

/* Private: like sett_component_check_type_, for calls that change the world: if the types differ,
 * sett_world_error is ARGUMENT. Threads: writer. Since: 0.2 */
SETT_API bool sett_component_check_change_(sett_world* world, sett_component component, size_t size,
                                           const char* type_name, const char* call);

/* Private: sett.hpp calls it for a C++ type of `size` bytes that must not be used as a component,
 * which has its name: `another`, a C++ type of the same program is, else it is laid out otherwise.
 * Reports CONFLICT, a misuse; for a call that `changes` the world, it is the world's failure. */
SETT_API void sett_component_refuse_(const sett_world* world, sett_component component, size_t size,
                                     bool another, bool changes);

SETT_API sett_status sett_component_describe_sized(const sett_world* world,
                                                   sett_component component,
                                                   sett_component_desc* desc, size_t size);

/* Fills `desc` with the type's options: defaults are filled in, such as the storage. Pointers in
 * `desc` belong to the world.
 * Fails: UNREGISTERED.
 * Threads: reader. Since: 0.1 */
static inline sett_status sett_component_describe(const sett_world* world, sett_component component,
                                                  sett_component_desc* desc)
{
    return sett_component_describe_sized(world, component, desc, sizeof(*desc));
}

/* Returns the number of entities that have the component. It counts prefabs and disabled entities
 * too; sett_query_count does not.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_component_count(const sett_world* world, sett_component component);

/* Reserves memory: the next `count` additions of the component do not allocate.
 * Fails: LOCKED, UNREGISTERED, OUT_OF_MEMORY.
 * Cost: O(count).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_reserve(sett_world* world, sett_component component,
                                            uint32_t count);

/* Removes the component from every entity that has it: also from prefabs and disabled entities,
 * which queries skip.
 * Fails: LOCKED, UNREGISTERED, OUT_OF_MEMORY (some may be removed).
 * Cost: as sett_remove for each. Invalidates: addresses of the type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_clear(sett_world* world, sett_component component);

/* Returns the entity whose value is at `address`; null if there is none.
 * Cost: O(pages of the type).
 * Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_component_owner(const sett_world* world, sett_component component,
                                          const void* address);

/* Moves the type's values to another storage. Loops then use the order of the new storage.
 * Fails: LOCKED (a loop is open, or snapshots exist), UNREGISTERED, ARGUMENT (an array cannot have
 * keep_order; the value is too large), CONFLICT (a group owns the type), OUT_OF_MEMORY.
 * Cost: O(values). Invalidates: addresses of the type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_convert(sett_world* world, sett_component component,
                                            sett_storage_kind kind);

/* Compacts a keep_order type: closes the gaps that removals have left. sett_world_trim does it for
 * all types. An addition does it too, if half of the rows are gaps. No effect on other types.
 * Fails: LOCKED, UNREGISTERED.
 * Cost: O(rows). Invalidates: addresses of the type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_compact(sett_world* world, sett_component component);

/* ------------------------------------------------------------------------------------- entities */

/* Creates an entity without components, at the lowest free index. An index is free if no entity is
 * alive there, no command has reserved it, and it has an unused generation. The index is in the
 * world's range (sett_entity_set_range). Two worlds with the same history create the same handles.
 * Returns null on failure. Fails: LOCKED, LIMIT, OUT_OF_MEMORY.
 * Cost: O(1), about 5 ns. Invalidates: nothing.
 * Threads: writer. Since: 0.1 */
SETT_API sett_entity sett_entity_create(sett_world* world);

/* A component and its value. */
typedef struct sett_value {
    sett_component component;
    const void* value; /* default (NULL): a tag, or a value that is initialised */
    size_t size;       /* of the C type; 0 for a tag */
    const char* type;  /* name of the C type, to check it and `size`; default: not checked */
} sett_value;

/* Creates an entity with these components and values. Required components are added too.
 *
 *     sett_entity shot = SETT_CREATE(world, SETT_VALUE(Position, .x = x, .y = y),
 *                                    SETT_VALUE(Velocity, .x = 4), SETT_VALUE_TAG(Shot));
 *
 *   values  `count` of them, at most 32, each component once. They are copied
 * Callbacks run when all values are there, for one component after another: on_add, then on_set if
 * its value was given.
 * Returns null on failure. Fails: LOCKED, LIMIT, UNREGISTERED, OUT_OF_MEMORY, ARGUMENT (more than
 * 32; a component twice; a relationship; a value whose address is inside a keep_order storage of
 * this world).
 * Cost: O(count); about as much as creating the entity and setting each value.
 * Threads: writer. Since: 0.2 */
SETT_API sett_entity sett_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Creates `count` entities with the same components.
 *   components  ids, each once; NULL with a component_count of 0 for none
 *   values      values[k] is an array of `count` values of components[k]. If `values` or values[k]
 *               is NULL, the values are initialised
 *   out         receives `count` handles; can be NULL
 * Callbacks run as in sett_create_with, when all entities have all values.
 * Fails: LOCKED, LIMIT, UNREGISTERED, ARGUMENT, OUT_OF_MEMORY.
 * Cost: O(count), page by page.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_create_many(sett_world* world, uint32_t count,
                                             const sett_component* components,
                                             uint32_t component_count, const void* const* values,
                                             sett_entity* out);

/* Creates an entity with a given handle, for loading and networking.
 * Fails: PRESENT (the index is in use), STALE (the handle is null, or the index has had this or a
 * later generation), LIMIT, LOCKED, OUT_OF_MEMORY.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_create_handle(sett_world* world, sett_entity entity);

/* Sets the world's range: new entities have indices from `first` to before `end`. With it a client
 * can create entities of its own, beside those that it creates for a server by
 * sett_entity_create_handle:
 *
 *     sett_entity_set_range(world, 1048576, 0);      the server's entities are below
 *
 * sett_entity_create_handle can create entities outside of the range. sett_delta_apply can too, but
 * not while the client has entities of its own: it compares hashes, and fails (CONFLICT). The range
 * is not part of the state (state.h).
 *   first  a multiple of 64; 0 at first
 *   end    a multiple of 64, or 0: the entity_limit, as at first
 * Fails: ARGUMENT (not multiples, an empty range, or beyond entity_limit), LOCKED.
 * Cost: O(1). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_entity_set_range(sett_world* world, uint32_t first, uint32_t end);

/* Destroys an entity, its components, its descendants (hierarchy.h) and the entities that depend on
 * it by a relationship (relationship.h). Links from other entities to it are removed.
 * Returns OK. Returns STALE if the entity is not alive; this is no misuse. Exception to LOCKED:
 * inside on_remove callbacks of the entity that is being destroyed, the same call returns OK, and
 * does nothing.
 * Fails: LOCKED, REJECTED (a child or a dependent entity forbids it: hierarchy.h, relationship.h),
 * OUT_OF_MEMORY (only if links are removed).
 * Cost: O(components of all destroyed entities). Invalidates: its handle; addresses as sett_remove.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_destroy(sett_world* world, sett_entity entity);

/* Destroys `count` entities. Skips stale handles.
 * Fails: LOCKED; REJECTED and OUT_OF_MEMORY as sett_entity_destroy (all other entities are
 * destroyed).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_destroy_many(sett_world* world, const sett_entity* entities,
                                              uint32_t count);

/* Destroys every entity that has the component, in the order of its storage: also prefabs and
 * disabled entities, which queries skip. To spare them, destroy what a query visits.
 * Fails: LOCKED, UNREGISTERED; REJECTED and OUT_OF_MEMORY as sett_entity_destroy_many.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_destroy_with(sett_world* world, sett_component component);

/* Destroys an entity that another world has created, and that may come back: it left the sight of
 * a client, or went to another machine. As sett_entity_destroy, but sett_entity_create_handle can
 * then create the same handle again, and nothing of the entity stays in memory.
 *
 * The handle must be outside of the world's range (sett_entity_set_range), so that
 * sett_entity_create never returns it. Entities that go with it, such as descendants, are forgotten
 * too; those in the range are destroyed.
 * Fails: ARGUMENT (in the range), or as sett_entity_destroy.
 * Cost, Invalidates: as sett_entity_destroy.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_entity_forget(sett_world* world, sett_entity entity);

/* Removes all components of an entity, and links from other entities to it (relationship.h). The
 * entity stays alive.
 * Fails: STALE, LOCKED, OUT_OF_MEMORY (only if links are removed).
 * Cost: O(its components).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_clear(sett_world* world, sett_entity entity);

/* Returns whether the entity is alive. Cost: one comparison. Threads: reader. Since: 0.1 */
SETT_API bool sett_entity_valid(const sett_world* world, sett_entity entity);

/* Returns the living entity with this index; null if there is none. Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_entity_at(const sett_world* world, uint32_t index);

/* Returns the number of living entities. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_entity_count(const sett_world* world);

/* Returns one entity after another, by ascending index; null at the end. Begin with *cursor = 0.
 * Entities can be created and destroyed between two calls. A new entity at an index that the
 * cursor has passed is not returned.
 * Cost: O(1); O(indices / 64 + entities) for all.
 * Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_entity_next(const sett_world* world, uint32_t* cursor);

/* Writes up to `capacity` ids of the entity's components. They are in ascending order; but
 * components with dont_fragment come last, in the order of their registration.
 * Returns how many components the entity has; 0 for a stale handle.
 * Cost: O(its components + dont_fragment types).
 * Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_entity_components(const sett_world* world, sett_entity entity,
                                         sett_component* out, uint32_t capacity);

/* Reserves memory: the next `count` creations do not allocate.
 * Fails: OUT_OF_MEMORY, LIMIT.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_reserve(sett_world* world, uint32_t count);

/* --------------------------------------------------------------------------------------- values */

/* Adds an absent component. First adds the components that it requires, with their callbacks. The
 * value is initialised by the init hook, or zero.
 * Returns the address of the value; for a tag, a pointer that is not NULL and must not be used.
 * NULL on failure. Fails: STALE, UNREGISTERED, PRESENT, LOCKED, ARGUMENT (a relationship),
 * OUT_OF_MEMORY.
 * Cost: O(1), about 5 ns plus cache misses. Invalidates: nothing, except in keep_order types
 * (sett_component_compact), and in types owned by a group that the entity enters or leaves.
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_add(sett_world* world, sett_entity entity, sett_component component);

/* Returns a component, to write. If it is absent, adds it first, as sett_add does.
 * Threads: system, if the entity has the component; else writer. Since: 0.1 */
SETT_API void* sett_ensure(sett_world* world, sett_entity entity, sett_component component);

/* Sets a value. If the component is absent, it is added: on_add sees the new value, and on_set runs
 * after on_add.
 *   value  copied by the copy hook. Without a copy hook the old value is deinitialised, and the
 *          bytes of the new one are copied: the world then owns the memory that the new value
 *          points to. NULL only for a tag
 * Returns the address of the value; NULL on failure. Fails: as sett_add, except PRESENT;
 * ARGUMENT (`value` is NULL, and the component is not a tag).
 * Cost: as sett_add or sett_get_mut, plus the copy.
 * Threads: system, if the entity has the component, and the component has no on_set callback or
 * observer; else writer. Since: 0.1 */
SETT_API void* sett_set(sett_world* world, sett_entity entity, sett_component component,
                        const void* value);

/* Returns a component, to read. If the entity does not have it: NULL, and a misuse.
 * Cost: O(1), about 3 ns plus cache misses.
 * Threads: reader. Since: 0.1 */
SETT_READ_API const void* sett_get(const sett_world* world, sett_entity entity,
                                   sett_component component);

/* Like sett_get, to write: the value counts as changed. Write to the address until the next tick
 * begins, for example by sett_snapshot_take or sett_world_hash (see Addresses); then call this
 * again. The library does not see a later write, nor does a restore undo it:
 * sett_world_check_writes (state.h) finds it.
 * Threads: system. Since: 0.1 */
SETT_API void* sett_get_mut(sett_world* world, sett_entity entity, sett_component component);

/* Returns a component, to read; NULL if the entity does not have it or the handle is stale.
 * Threads: reader. Since: 0.1 */
SETT_READ_API const void* sett_find(const sett_world* world, sett_entity entity,
                                    sett_component component);

/* Like sett_find, to write: the value counts as changed. Threads: system. Since: 0.1 */
SETT_API void* sett_find_mut(sett_world* world, sett_entity entity, sett_component component);

/* Returns whether the entity is alive and has the component. Threads: reader. Since: 0.1 */
SETT_READ_API bool sett_has(const sett_world* world, sett_entity entity, sett_component component);

/* Private: the slow paths of sett_get, sett_find and sett_has. The handle comes in two parts, which
 * callers have in registers. */
SETT_READ_SLOW_ const void* sett_get_slow_(const sett_world* world, uint32_t index,
                                           uint32_t generation, sett_component component);
SETT_READ_SLOW_ const void* sett_find_slow_(const sett_world* world, uint32_t index,
                                            uint32_t generation, sett_component component);
SETT_READ_SLOW_ bool sett_has_slow_(const sett_world* world, uint32_t index, uint32_t generation,
                                    sett_component component);

/* Removes a component. Components of the entity that require it are removed first.
 * Returns OK. Returns ABSENT if the entity does not have it; this is no misuse.
 * Fails: STALE, UNREGISTERED, LOCKED, ARGUMENT (a relationship), OUT_OF_MEMORY.
 * Cost: O(1), about 4 ns plus cache misses. Invalidates: the address of the value; in a sparse set
 * without keep_order all addresses of the type; addresses of types owned by a group that the entity
 * enters or leaves.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_remove(sett_world* world, sett_entity entity, sett_component component);

/* Switches a component of an entity off, or on again. Its value stays. A newly added component is
 * on. Queries, searches, groups, and observers with terms treat a component that is off as absent:
 * SETT_WITHOUT matches the entity, SETT_UP looks further up. All other calls, such as sett_get and
 * sett_has, treat it as present. A system that switches lamps on again finds them by
 * SETT_WITHOUT(Lamp), or by a tag that all lamps have: the term Lamp does not match one that is
 * off.
 *
 * The library stores the switch as a tag, "<name> off". Snapshots, hashes, deltas, files and copies
 * contain this tag.
 * Fails: STALE, UNREGISTERED, ABSENT, ARGUMENT (the type was registered without can_disable),
 * LOCKED, OUT_OF_MEMORY.
 * Cost: as adding or removing a tag. If any entity has it off, loops read one more bitmap.
 * Invalidates: addresses of types owned by a group that the entity enters or leaves.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_enable(sett_world* world, sett_entity entity, sett_component component,
                                 bool on);

/* Returns whether the entity has the component, and it is switched on.
 * Threads: reader. Since: 0.2 */
SETT_API bool sett_is_enabled(const sett_world* world, sett_entity entity,
                              sett_component component);

/* Functions for lists of entities. They are faster than a loop over sett_find, sett_add and so on,
 * because they prefetch the memory of the next entities.
 *
 * sett_find_many finds the component of each entity, to read; sett_find_many_mut to write.
 *   out  receives `count` addresses; NULL where the entity does not have the component
 * Returns how many entities have it.
 * Cost: at most as sett_find for each. There is no prefetch while the world is profiled
 * (sett_profile_begin, advise.h), nor in systems whose accesses are checked (sett_guard, system.h).
 * Threads: reader; sett_find_many_mut: system. Since: 0.2 */
SETT_API uint32_t sett_find_many(const sett_world* world, const sett_entity* entities,
                                 uint32_t count, sett_component component, const void** out);
SETT_API uint32_t sett_find_many_mut(sett_world* world, const sett_entity* entities, uint32_t count,
                                     sett_component component, void** out);

/* Make one change to each entity of a list, in order:
 *     sett_add_many     adds the component where it is absent
 *     sett_set_many     sets the component, and adds it where it is absent
 *     sett_remove_many  removes the component where it is present
 * Stale handles are skipped. If an entity is in the list twice, its last value counts.
 *   values  `count` values, one after another; NULL only for a tag
 * Fails: UNREGISTERED, LOCKED, ARGUMENT (a relationship), OUT_OF_MEMORY (entities before the one
 * that failed are changed).
 * Cost, Invalidates: as the call for one entity.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_add_many(sett_world* world, const sett_entity* entities, uint32_t count,
                                   sett_component component);
SETT_API sett_status sett_set_many(sett_world* world, const sett_entity* entities, uint32_t count,
                                   sett_component component, const void* values);
SETT_API sett_status sett_remove_many(sett_world* world, const sett_entity* entities,
                                      uint32_t count, sett_component component);

/* A component type that is looked up once, in order to read it from many entities. Valid until the
 * type is unregistered or the world is destroyed.
 *
 *     sett_accessor positions = sett_accessor_make(world, Position_id);
 *     const Position* p = sett_accessor_find(&positions, target); */
typedef struct sett_accessor {
    const sett_world* world;
    const sett_type_header_* type;
    sett_component component;
} sett_accessor;

/* Private: the type of an accessor; if it is not registered, a stand-in that has no values. */
SETT_API const sett_type_header_* sett_accessor_type_(const sett_world* world,
                                                      sett_component component);

/* Returns an accessor. If the type is not registered yet, the accessor never finds anything.
 * Threads: reader. Since: 0.1 */
static inline sett_accessor sett_accessor_make(const sett_world* world, sett_component component)
{
    /* In line, so that compilers hold its members in registers. */
    sett_accessor accessor;
    accessor.world = world;
    accessor.type = sett_accessor_type_(world, component);
    accessor.component = component;
    return accessor;
}

/* Like sett_find: the value, or NULL. Threads: reader. Since: 0.1 */
static inline const void* sett_accessor_find(const sett_accessor* accessor, sett_entity entity)
{
    const sett_type_header_* type = accessor->type;
    sett_read_ read = sett_read_make_(sett_read_header_(accessor->world), type);
    uint32_t shift = type->shift;
    uint32_t size = type->size;
    if (!SETT_LIKELY_(type->kind == SETT_KIND_ARRAY_)) {
        return sett_find_slow_(accessor->world, entity.index, entity.generation,
                               accessor->component);
    }
    return sett_read_is_here_(read, entity) ? sett_read_row_(read, entity.index, shift, size)
                                            : NULL;
}

/* Like sett_has. Threads: reader. Since: 0.1 */
static inline bool sett_accessor_has(const sett_accessor* accessor, sett_entity entity)
{
    const sett_world_header_* world = sett_read_header_(accessor->world);
    sett_read_ read = sett_read_make_has_(world, accessor->type);
    if (sett_read_reaches_(read, entity.index)) {
        return sett_read_has_(read, entity);
    }
    return accessor->type->kind > SETT_KIND_TAG_ &&
           sett_has_slow_(accessor->world, entity.index, entity.generation, accessor->component);
}

/* Returns the tick of the last write to a value; 0 if the entity does not have the component.
 * Without track_rows it is the last write to any value of the same page. A restore (state.h) counts
 * as a write to every value of a page that it changes.
 * Threads: reader. Since: 0.1 */
SETT_API uint64_t sett_changed_tick(const sett_world* world, sett_entity entity,
                                    sett_component component);

/* -------------------------------------------------------------------------------------- queries */

/* The most terms of a query. */
#define SETT_QUERY_TERMS 32

/* When an entity fulfils a term. */
typedef enum sett_term_kind {
    SETT_WITH,     /* if it has the component */
    SETT_WITHOUT,  /* if it does not have the component */
    SETT_OPTIONAL, /* always; the field is NULL for entities that do not have the component */
    SETT_ANY,      /* if it has the component of at least one ANY term; fields as OPTIONAL */
} sett_term_kind;

/* What a loop does with the values of a term. */
typedef enum sett_access {
    SETT_INOUT, /* reads and writes them */
    SETT_IN,    /* only reads them: they do not count as changed */
    SETT_OUT,   /* overwrites each value, and reads none */
    SETT_NONE,  /* does not use them; the field is NULL */
} sett_access;

/* The entity that a term looks at. "Visited" is the entity that the loop visits. */
typedef enum sett_walk {
    SETT_WALK_NONE,    /* the visited entity */
    SETT_WALK_ONE,     /* its parent, or its target of the relationship `along` */
    SETT_WALK_UP,      /* its nearest ancestor that has the component */
    SETT_WALK_SELF_UP, /* itself if it has the component, else as SETT_WALK_UP */
} sett_walk;

/* A term of a query. Macros of typed.h fill it in: SETT_IN(Position), SETT_WITHOUT(Frozen). */
typedef struct sett_term {
    sett_component component; /* 0 ends the list */
    sett_access access;       /* default: SETT_INOUT */
    sett_term_kind kind;      /* default: SETT_WITH */
    /* only for WITH: the value must also have changed since a tick (sett_query_set_since).
     * Default: no */
    bool changed;

    /* A term with `walk`, `entity` or `singleton` is a "term elsewhere": these choose the entity
     * that it looks at. Terms elsewhere come after all other terms, cannot be ANY, and have no
     * field: SETT_FIELD_FROM(b, k, i, T) returns the value for one row. A system that writes
     * through such a term has a single job. */
    sett_walk walk;       /* default: SETT_WALK_NONE */
    sett_component along; /* a relationship with one target, for `walk`; default: the hierarchy */
    sett_entity entity;   /* this entity; default: none */
    bool singleton;       /* the entity that has the singletons; default: no */

    /* loops have the order of this term's storage: the order of rows in a sparse set (sett_sort; if
     * it was never sorted, mostly the order of additions), or the order of entity indices in an
     * array. Nothing reports that a type was never sorted: both can be meant. At most one term of a
     * query can have it, and it must be a WITH term. Default: the library estimates which component
     * costs least */
    bool drives;
} sett_term;

/* The most terms of a query that look at another entity. */
#define SETT_QUERY_ELSEWHERE 8

typedef struct sett_query_desc {
    const char* name;                  /* for messages; default: the names of its components */
    sett_term terms[SETT_QUERY_TERMS]; /* without terms: every entity matches */
} sett_query_desc;

/* The most rows of a batch. */
#define SETT_BATCH_ROWS 1024

/* Bytes of a batch that only the library reads. */
#define SETT_BATCH_INTERNAL_ 2432

/* Up to 1,024 matching entities. Fields are arrays, indexed by row. Some rows can have no matching
 * entity: SETT_FOR and SETT_EACH skip these rows. A batch is 3.2 KB on the stack. */
typedef struct sett_batch {
    uint32_t count;              /* entities in the batch */
    uint32_t field_count;        /* terms of the query; terms elsewhere do not count */
    const uint16_t* rows;        /* rows of the entities, ascending; NULL: 0 to `count` - 1 */
    uint32_t base;               /* entity index of row 0, if `indices` is NULL */
    uint32_t present;            /* bit k: the entities have the component of the k-th term */
    const uint32_t* indices;     /* entity index of each row, or NULL */
    const uint32_t* generations; /* generation of each row, if `indices` is NULL */
    void* fields[SETT_QUERY_TERMS];
    uint64_t last_; /* internal: not 0: no batch comes after this one */
    /* internal: what SETT_FIELD [0] and SETT_FIELD_MUT [1] have checked in this loop */
    struct {
        uint32_t terms[2];
        const char* types[2][SETT_QUERY_TERMS];
    } checked_;
    union {
        uint64_t align_;
        void* pointer_;
        unsigned char bytes_[SETT_BATCH_INTERNAL_];
    } internal;
} sett_batch;

SETT_API sett_query* sett_query_create_sized(sett_world* world, const sett_query_desc* desc,
                                             size_t size, size_t term_size);

/* Creates a query. sett_world_destroy frees it. A query skips entities with the tag Disabled or
 * Prefab (prefab.h), unless a term names the tag. A query stores no list of matches: each loop
 * finds them. So adding and removing components costs the same with many queries.
 * Returns NULL on failure. Fails: ARGUMENT (a wrong term; a component in a WITH and in a WITHOUT
 * term), UNREGISTERED, OUT_OF_MEMORY.
 * Cost: O(terms).
 * Threads: writer. Since: 0.1 */
static inline sett_query* sett_query_create(sett_world* world, const sett_query_desc* desc)
{
    return sett_query_create_sized(world, desc, sizeof(*desc), sizeof(sett_term));
}

/* Frees a query. NULL is fine.
 * Fails: LOCKED (a loop over it is open, or systems run in parallel), CONFLICT (it belongs to a
 * system).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_query_destroy(sett_query* query);

SETT_API bool sett_query_term_at_sized(const sett_query* query, uint32_t k, sett_term* term,
                                       size_t size);

/* Writes the k-th term to `term`, for tools: a query with all these terms is equal to this one. The
 * access of a WITHOUT term is SETT_NONE, and `along` is never the default.
 * Returns false if there is no k-th term.
 * Threads: reader. Since: 0.2 */
static inline bool sett_query_term_at(const sett_query* query, uint32_t k, sett_term* term)
{
    return sett_query_term_at_sized(query, k, term, sizeof(*term));
}

/* Sets the tick for terms with `changed`. They match values whose sett_changed_tick is later.
 *
 *     uint64_t seen = sett_world_tick(world);
 *     sett_world_advance_tick(world);        later writes are newer than `seen`
 *     ... a frame ...
 *     sett_query_set_since(query, seen);
 *
 * Do not call it for the query of a system. There `changed` means since the system's last run, and
 * a restore (state.h) does not count as a change.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_query_set_since(sett_query* query, uint64_t tick);

/* Writes a text, as snprintf does: how a loop over the query would run now, why, and in brackets
 * the counts that decide it: how many entities have a type.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.1 */
SETT_API size_t sett_query_explain(const sett_query* query, char* out, size_t size);

/* Returns the number of matching entities. Cost: as an empty loop. Threads: system. Since: 0.1 */
SETT_API uint32_t sett_query_count(const sett_query* query);

/* Returns the first entity that a loop would visit; null if none matches.
 * Cost: up to the first match.
 * Threads: system. Since: 0.1 */
SETT_API sett_entity sett_query_first(const sett_query* query);

/* A term's values of all entities that match, in the order of a loop, for other languages and for
 * libraries that work on plain arrays. The array is yours, and stays valid.
 *     sett_query_read   copies the values to `out`; zeroes for an absent optional component
 *     sett_query_write  copies them back, and skips absent ones; the term is SETT_INOUT or SETT_OUT
 *   k         the number of the term; a term with a field, of values without copy or deinit hooks
 *   capacity  values that fit into `out`; 0: only counts
 *   count     values in `values`: further entities keep theirs
 * Returns how many entities match, also if there are more than `capacity` or `count`; 0 on failure.
 * Fails: ARGUMENT (another term), LOCKED (systems run), OUT_OF_MEMORY.
 * Cost: as a loop that copies. Threads: writer. Since: 0.2 */
SETT_API uint32_t sett_query_read(const sett_query* query, uint32_t k, void* out,
                                  uint32_t capacity);
SETT_API uint32_t sett_query_write(sett_query* query, uint32_t k, const void* values,
                                   uint32_t count);

/* Returns whether the entity matches. Cost: O(terms). Threads: reader. Since: 0.1 */
SETT_API bool sett_query_matches(const sett_query* query, sett_entity entity);

/* Loops for other languages; C and C++ have SETT_FOR and SETT_QUERY_EACH.
 *     sett_query_begin  opens a loop. Returns `batch`; NULL if memory runs out or the query is NULL
 *     sett_batch_next   goes to the next batch. Returns false at the end
 *     sett_batch_end    closes the loop; also call it at the end. A second call does nothing
 * Cost: about 10 ns to open and close; for each batch 5 ns, plus 2 ns for each field.
 * Threads: writer. In systems: sett_context_begin, sett_context_query. Since: 0.1 */
SETT_API sett_batch* sett_query_begin(sett_query* query, sett_batch* batch);
SETT_API bool sett_batch_next(sett_batch* batch);
SETT_API void sett_batch_end(sett_batch* batch);

/* Matching entities whose values lie side by side in memory: a batch, or several whose pages follow
 * one another. Fields are arrays, indexed by row, as in a batch. */
typedef struct sett_run {
    uint32_t count;          /* entities in the run */
    uint32_t present;        /* bit k: the entities have the component of the k-th term */
    const uint16_t* rows;    /* rows of the entities, ascending; NULL: 0 to `count` - 1 */
    uint32_t base;           /* entity index of row 0, if `indices` is NULL */
    uint32_t state_;         /* internal */
    const uint32_t* indices; /* entity index of each row, or NULL */
    void* fields[SETT_QUERY_TERMS];
} sett_run;

/* Loops over runs, for libraries of array operations, where each call costs more than a batch is
 * worth: a million entities that were created together are about a hundred runs, and a thousand
 * batches. Call it in place of sett_batch_next. The batch can be ahead of the run: use the run.
 *
 *     sett_run run = {0};
 *     while (sett_batch_next_run(batch, &run)) { ... }
 *
 *   run  all zeroes before the first call
 * Returns false at the end. A run with gaps (`rows`) is a single batch, and so is one with a
 * gathered field (sett_batch_field).
 * Cost: as sett_batch_next for each batch. Threads: the one that runs the loop. Since: 0.2 */
SETT_API bool sett_batch_next_run(sett_batch* batch, sett_run* run);

/* Writes the handles of a run's `count` entities to `out`. It replaces sett_batch_entity in other
 * languages.
 * Cost: O(count). Threads: the one that runs the loop. Since: 0.2 */
SETT_API void sett_run_entities(const sett_batch* batch, const sett_run* run, sett_entity* out);

/* Private: as sett_batch_next, without a call where this batch is known to be the last. */
static inline bool sett_batch_more_(sett_batch* batch)
{
    return batch->last_ == 0 && sett_batch_next(batch);
}

/* Private: as sett_query_begin, for a batch that is a local variable. SETT_FOR calls it where C has
 * no attribute `cleanup`. If a function returns inside such a loop, the loop stays open.
 * The next structural change finds that out, closes the loop, and succeeds.
 * Threads: as sett_query_begin. Since: 0.2 */
SETT_API sett_batch* sett_query_begin_local_(sett_query* query, sett_batch* batch);

/* Restricts a newly opened loop to a part of the storage. All parts together visit every match
 * once, if structure does not change between them. Parts are of equal size, rounded to multiples of
 * 1,024 rows. SETT_FOR_PART (loop.h) calls it, for example to visit a tenth of the entities in each
 * of ten frames.
 *   batch  NULL is fine
 *   part   0 to `parts` - 1
 *   parts  how many parts there are
 * Returns `batch`.
 * Threads: the one that runs the loop. Since: 0.2 */
SETT_API sett_batch* sett_batch_part(sett_batch* batch, uint32_t part, uint32_t parts);

/* Ends the loop after this batch: the next sett_batch_next returns false. `break` in SETT_EACH
 * (loop.h) calls it.
 * Threads: the one that runs the loop. Since: 0.2 */
SETT_API void sett_batch_stop(const sett_batch* batch);

/* Repairs a world in which a loop was left open: closes all open loops. Do not call it inside a
 * loop.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_query_end_all(sett_world* world);

/* Returns the field of the k-th term; SETT_FIELD returns it as a typed pointer. NULL for a tag, for
 * SETT_NONE, for a term elsewhere, and for an optional component that these entities do not have.
 *
 * A field usually points into the storage. If the rows of the storage are in another order than the
 * batch, the field is a copy (a gathered field). At the end of the batch a gathered field of a
 * SETT_OUT or SETT_INOUT term is written back. Until then sett_get, sett_get_mut and sett_set use
 * the copy too.
 * Threads: reader. Since: 0.1 */
static inline void* sett_batch_field(const sett_batch* batch, uint32_t k)
{
    return batch->fields[k];
}

/* Private: as sett_batch_field, in programs compiled without NDEBUG. Reports three mistakes: the
 * term's C type differs from `size` and `type` (returns NULL); SETT_FIELD_MUT (`mut`) of a SETT_IN
 * term; SETT_FIELD of a SETT_OUT term.
 * Threads: the one that runs the loop. Since: 0.1 */
SETT_API void* sett_batch_field_checked_(const sett_batch* batch, uint32_t k, bool mut, size_t size,
                                         const char* type);

/* Private: the field of the first term of this component that has one; see SETT_FIELD_OF. Reports
 * what sett_batch_field_checked_ does, and a query without such a term (returns NULL).
 * Cost: O(terms). Threads: the one that runs the loop. Since: 0.2 */
SETT_API void* sett_batch_field_of_(const sett_batch* batch, sett_component component, bool mut,
                                    size_t size, const char* type);

/* Returns whether the batch's entities have the component of the k-th term. Also for optional tags,
 * which have no field.
 * Threads: reader. Since: 0.1 */
static inline bool sett_batch_has(const sett_batch* batch, uint32_t k)
{
    return (batch->present >> k & 1) != 0;
}

/* Returns the entity index of a row. Threads: reader. Since: 0.1 */
static inline uint32_t sett_batch_index(const sett_batch* batch, uint32_t row)
{
    return batch->indices != NULL ? batch->indices[row] : batch->base + row;
}

/* The slow path of sett_batch_entity. */
SETT_API sett_entity sett_batch_entity_lookup_(const sett_batch* batch, uint32_t row);

/* Returns the entity of a row. Cost: two loads; a call if the loop walks a sparse set.
 * Threads: reader. Since: 0.1 */
static inline sett_entity sett_batch_entity(const sett_batch* batch, uint32_t row)
{
    if (batch->indices != NULL) {
        return sett_batch_entity_lookup_(batch, row);
    }
    sett_entity entity;
    entity.index = batch->base + row;
    entity.generation = batch->generations[row];
    return entity;
}

/* Returns the value of the k-th term for one row; NULL for an optional component that the entity
 * does not have. If there is no k-th term: a misuse, returns NULL.
 * Threads: reader. Since: 0.1 */
SETT_API const void* sett_batch_at(const sett_batch* batch, uint32_t k, uint32_t row);

/* The value of a term elsewhere (see sett_term) for one row; NULL if there is none.
 *     sett_batch_from      to read; SETT_FIELD_FROM returns a typed pointer
 *     sett_batch_from_mut  to write; SETT_FIELD_FROM_MUT returns a typed pointer
 *     sett_batch_source    the entity that has the value
 *   k  the number of the term among all terms
 * Misuse (returns NULL or a null handle): a term that is not elsewhere; writing through a SETT_IN
 * term.
 * Cost: about 20 ns, and O(steps of the walk). Threads: the one that runs the loop. Since: 0.2 */
SETT_API const void* sett_batch_from(const sett_batch* batch, uint32_t k, uint32_t row);
SETT_API void* sett_batch_from_mut(const sett_batch* batch, uint32_t k, uint32_t row);
SETT_API sett_entity sett_batch_source(const sett_batch* batch, uint32_t k, uint32_t row);

/* Private: as sett_batch_from, or sett_batch_from_mut (`mut`), in programs compiled without NDEBUG.
 * Reports a C type that is not that of `size` and `type`, and returns NULL.
 * Threads: the one that runs the loop. Since: 0.2 */
SETT_API void* sett_batch_from_checked_(const sett_batch* batch, uint32_t k, uint32_t row, bool mut,
                                        size_t size, const char* type);

/* ----------------------------------------------------------------------------------- inspection */

typedef struct sett_stats {
    uint32_t entities;        /* alive */
    uint32_t entity_capacity; /* indices that the entity table covers */
    uint32_t retired;         /* indices that used all their generations; never used again */
    uint32_t components;      /* registered types */
    uint32_t signatures;      /* distinct sets of components */
    uint32_t queries;         /* created */
    uint64_t values;          /* components of all entities, tags included */
    uint64_t pages;           /* pages of values, and of the library's tables */
    size_t page_size;         /* bytes in those pages */
    /* bytes held from the allocator; of large tables, such as those of an entity at a far index,
     * the system backs only what is touched */
    size_t block_size;
    size_t free_size;     /* of these, bytes in free pages */
    uint64_t allocations; /* calls of the allocator since the world was created */
} sett_stats;

SETT_API void sett_world_stats_sized(const sett_world* world, sett_stats* stats, size_t size);

/* Fills `stats`. Cost: O(types + pages). Threads: writer. Since: 0.1 */
static inline void sett_world_stats(const sett_world* world, sett_stats* stats)
{
    sett_world_stats_sized(world, stats, sizeof(*stats));
}

/* Checks all invariants of all data structures.
 *   reason  receives a sentence, valid until the next call; can be NULL
 * Returns SETT_OK or INVALID.
 * Cost: O(everything).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_validate(sett_world* world, const char** reason);

/* -------------------------------------------------------------------------------------- in line */

static inline sett_component sett_component_bound(const sett_world* world, uint64_t number)
{
    const sett_world_header_* header = sett_read_header_(world);
    const uint32_t at = sett_bound_first_(number);
    const sett_bound_* first = &header->bound[at];
    const sett_bound_* second = &header->bound[sett_bound_other_(number, at)];
    if (SETT_LIKELY_(first->number == number)) {
        return first->component;
    }
    return second->number == number ? second->component : sett_component_bound_slow_(world, number);
}

#if SETT_READS_IN_LINE_
static inline const void* sett_get(const sett_world* world, sett_entity entity,
                                   sett_component component)
{
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    sett_read_ read = sett_read_make_(header, type);
    uint32_t shift = type->shift;
    uint32_t size = type->size;
    return sett_read_is_here_(read, entity)
               ? sett_read_row_(read, entity.index, shift, size)
               : sett_get_slow_(world, entity.index, entity.generation, component);
}

static inline const void* sett_find(const sett_world* world, sett_entity entity,
                                    sett_component component)
{
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    sett_read_ read = sett_read_make_(header, type);
    uint32_t shift = type->shift;
    uint32_t size = type->size;
    if (!SETT_LIKELY_(type->kind == SETT_KIND_ARRAY_)) {
        return sett_find_slow_(world, entity.index, entity.generation, component);
    }
    return sett_read_is_here_(read, entity) ? sett_read_row_(read, entity.index, shift, size)
                                            : NULL;
}

static inline bool sett_has(const sett_world* world, sett_entity entity, sett_component component)
{
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    sett_read_ read = sett_read_make_has_(header, type);
    if (sett_read_reaches_(read, entity.index)) {
        return sett_read_has_(read, entity);
    }
    return type->kind > SETT_KIND_TAG_ &&
           sett_has_slow_(world, entity.index, entity.generation, component);
}
#endif

static inline sett_world* sett_world_create(const sett_world_desc* desc)
{
#if defined(NDEBUG)
    const uint64_t layout = SETT_LAYOUT;
#else
    const uint64_t layout =
        SETT_LAYOUT | SETT_LAYOUT_CHECKED_; /* warns if the library checks nothing */
#endif
    return sett_world_create_sized(desc, sizeof(*desc), SETT_VERSION, layout);
}

#include "sett/loop.h"
#include "sett/typed.h"

#endif
