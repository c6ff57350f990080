/* core.h: the core of Sett. Read it from top to bottom:
 *
 *     world        contains everything                       sett_world_*
 *     components   types of data                             sett_component_*
 *     entities     create, destroy, list                     sett_entity_*
 *     values       an entity's components                    sett_add, sett_get, sett_set, ...
 *     commands     structural changes recorded for later     sett_commands_*, sett_cmd_*
 *     queries      loops over matching entities              sett_query_*, SETT_FOR
 *     groups       sets of entities, stored together         sett_group_*
 *     sorting      order of sparse sets and groups           sett_sort
 *     inspection   validation and statistics                 sett_world_validate, sett_world_stats
 *
 *     sett_query* moving = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
 *     SETT_FOR(moving, b, i) {
 *         SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x;
 *     }
 *
 *     sett_query* moving = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
 *     SETT_FOR(moving, b, i) {
 *         SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x;
 *     }
 *
 * It ends by including loop.h, the loops over queries (SETT_FOR), and typed.h, short forms that
 * take a C type (SETT_REGISTER, SETT_SET, ...). A program includes sett.h: all headers.
 *
 * Functions are described in this order: purpose; Returns; Fails; Cost; Invalidates; Threads;
 * Since. "Fails" lists values of sett_status without SETT_STATUS_; if a function does not return a
 * status, sett_world_error() has it.
 *
 * Threads. `any`: callable at any time from any thread. `reader`: any number of threads at once,
 * while no thread writes. `writer`: one thread at a time, and no readers. `system`: outside of
 * systems, the rule of `writer` holds; a system can call it for components that it declared, even
 * while other systems run (system.h). Worlds share nothing.
 *
 * Addresses of components. In an array an address is valid until the component is removed or the
 * type is converted. In a sparse set it is valid until any component of that type is removed, or
 * the type is sorted. With keep_order, removals do not change addresses. Compacting does, and an
 * addition can cause it. If a group owns the type, it is valid until any entity gains or loses one
 * of the group's types.
 *
 * Misuse (a stale handle, reading an absent component, a structural change inside a loop) is
 * detected in every build: the call changes nothing and returns its failure. Changing calls also
 * set sett_world_error(). Debug builds report it to the log and assert hooks.
 *
 * Descriptors (structs whose names end in _desc) are options: zero in a field means the default
 * that is written beside it. A call that takes one is inline, and passes its size to the function
 * of the library, whose name ends in _sized. So fields can be added: a library accepts the shorter
 * descriptors of a program that was compiled with an older header, and takes the missing fields as
 * zero. Bindings for other languages call the _sized function and pass the size of their own struct
 * (and of their sett_term, where it asks for that).
 *
 * NULL as the first argument, such as the result of a failed creation: the call does nothing and
 * returns ARGUMENT, NULL, 0 or false; debug builds report it on stderr. In release builds the
 * hottest calls do not check it, which would cost 3 to 8 %: sett_add, sett_ensure, sett_set,
 * sett_remove, sett_get, sett_find, sett_has and their `_mut` forms, sett_entity_create and
 * _destroy, accessors and functions of a batch. Do not pass NULL to these in release builds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_CORE_H
#define SETT_CORE_H

#include "sett/base.h"
#include "sett/id.h"
#include "sett/read.h"

typedef struct sett_world sett_world;
typedef struct sett_query sett_query;
typedef struct sett_commands sett_commands;

/* ---------------------------------------------------------------------------------------- world */

/* Options of a world. All zeroes is a good default. */
typedef struct sett_world_desc {
    sett_allocator allocator; /* default: the C library */
    sett_log_fn log_fn;       /* default: sett_log_stderr */
    sett_assert_fn assert_fn; /* default: none */
    void* hook_user;          /* passed to log_fn and assert_fn */
    void* user;               /* returned by sett_world_user */
    uint32_t entity_limit;    /* entity indices stay below this; default: 268,435,456 (2^28) */
    /* log when entities have this many different sets of components (signatures); default:
     * 65,536 */
    uint32_t signature_warning;
    /* allocate all memory in aligned blocks of 2 MB, for huge pages. Default (false): as soon as
     * the world uses 1.25 MB, but never with an allocator of your own */
    bool huge_pages;
    /* at the end of sett_progress, or in sett_layout_step (layout.h), change the storage of types
     * registered with SETT_STORAGE_DEFAULT, and group them, so that the program's loops get faster.
     * Addresses of values are valid until then; loops may visit entities in another order. Default:
     * no */
    bool auto_layout;
    /* the most values that one sett_progress moves for auto_layout; default: 4,194,304 */
    uint32_t auto_layout_values;
} sett_world_desc;

/* The layout of what is inlined into programs; checked by sett_world_create. */
#define SETT_LAYOUT                                                                                \
    ((uint64_t)sizeof(sett_batch) | (uint64_t)sizeof(sett_world_header_) << 16 |                   \
     (uint64_t)sizeof(sett_type_header_) << 32 | (uint64_t)sizeof(sett_value) << 48)

/* The function behind sett_world_create, for bindings. It ignores auto_layout: call
 * sett_layout_auto afterwards.
 *   size             bytes of *desc
 *   version, layout  SETT_VERSION and SETT_LAYOUT of the caller's header
 * Returns NULL when memory runs out, or if the library cannot serve this header (reported to the
 * log): it is of a later minor version, or of another layout. */
SETT_API sett_world* sett_world_create_sized(const sett_world_desc* desc, size_t size, int version,
                                             uint64_t layout);

/* sett_world_create(desc) is defined near the end of this header, because it needs all structs. */

/* Switches auto_layout on or off (see sett_world_desc).
 *   max_values  the most values that one sett_progress moves; 0 switches it off and leaves the
 *               layout as it is
 * Fails: OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_layout_auto(sett_world* world, uint32_t max_values);

/* Destroys all entities (removal hooks run) and frees everything that belongs to the world. NULL is
 * fine.
 * Fails: LOCKED (a loop is open, or a callback or system runs); nothing was destroyed then.
 * sett_query_end_all closes a loop that was left open by mistake.
 * Cost: O(pages), plus O(components with hooks). Invalidates: everything of this world.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_destroy(sett_world* world);

/* The program's own pointer, for callbacks that only get a world: sett_world_desc.user, or the one
 * set last.
 * Threads: reader / writer. Since: 0.2 */
SETT_API void* sett_world_user(const sett_world* world);
SETT_API void sett_world_set_user(sett_world* world, void* user);

/* Makes the calling thread the owner of the world. Until then the owner is the first thread that
 * wrote. Debug builds report a write from any other thread. A program that moves a world to another
 * thread calls this there. No effect in release builds.
 * Threads: writer. Since: 0.2 */
SETT_API void sett_world_own(sett_world* world);

/* Destroys all entities. Types, queries, systems and reserved memory stay.
 * Fails: LOCKED.
 * Cost: as destroying each entity.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_clear(sett_world* world);

/* Frees unused blocks of memory, compacts keep_order storages, and forgets sets of components that
 * no entity has any more, and unused texts of names (name.h).
 * Fails: LOCKED.
 * Cost: O(entities + pages). Invalidates: addresses of keep_order components.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_trim(sett_world* world);

/* Reserves memory: until the world has grown by `bytes`, it does not call the allocator, except for
 * single arrays above 32 KB, which very large worlds have. Reservations do not add up: the larger
 * one counts. sett_world_trim frees what is unused.
 * Fails: OUT_OF_MEMORY.
 * Cost: one allocation, or none if enough memory is free.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_reserve(sett_world* world, size_t bytes);

/* Returns the status of the last changing call on this world that failed; SETT_OK if none has
 * failed. Successful calls do not reset it; reading calls (sett_get, sett_has) do not set it.
 * Threads: reader. Since: 0.1 */
SETT_API sett_status sett_world_error(const sett_world* world);

/* Returns the message of sett_world_error, with names and handles; "" if no call has failed. Valid
 * until the next failure.
 * Threads: writer. Since: 0.1 */
SETT_API const char* sett_world_message(const sett_world* world);

/* The clock of change detection. Values are stored in pages, blocks of up to 1,024 values of one
 * type. Every write stamps the page of the value with the tick (and the value itself, if the type
 * has track_rows). sett_world_advance_tick begins a new tick and returns it. The tick never goes
 * back: restoring a snapshot (state.h) begins a new one. It is not part of the state, so a
 * simulation that is rewound must not compute with it.
 * Threads: reader / writer. Since: 0.1 */
SETT_API uint64_t sett_world_tick(const sett_world* world);
SETT_API uint64_t sett_world_advance_tick(sett_world* world);

/* ----------------------------------------------------------------------------------- components */

/* Ids of the built-in components, the same in every world. Each is registered in a world by the
 * first call of a function of its header. */
enum {
    SETT_ID_HIERARCHY = 1024,    /* hierarchy.h */
    SETT_ID_NAME,                /* name.h */
    SETT_ID_PREFAB,              /* prefab.h: a tag */
    SETT_ID_DISABLED,            /* prefab.h: a tag */
    SETT_ID_INSTANCE_OF,         /* prefab.h: a relationship, */
    SETT_ID_INSTANCE_OF_SOURCES, /* and the component that its targets have */
    SETT_ID_SINGLETONS,          /* singleton.h: the tag of the entity that has the singletons */
    SETT_ID_RESERVED_END = 1088  /* ids from 1,024 to 1,087 belong to the library */
};

struct sett_struct; /* members.h */

typedef enum sett_storage_kind {
    SETT_STORAGE_DEFAULT, /* array up to 256 bytes, else sparse set; tags: an array of bits */
    /* an array indexed by entity, in pages; stable addresses; for components that many entities
     * have, or that come and go often */
    SETT_STORAGE_ARRAY,
    /* values without gaps; for rare components; can be sorted and owned by a group */
    SETT_STORAGE_SPARSE_SET,
} sett_storage_kind;

typedef enum sett_save_policy {
    SETT_SAVE_BYTES, /* the value is its bytes */
    SETT_SAVE_CLONE, /* the value owns memory or the like: copied by the copy hook */
    SETT_SAVE_SKIP,  /* not part of the saved state */
} sett_save_policy;

/* A range of bytes in a value. */
typedef struct sett_byte_range {
    uint32_t offset;
    uint32_t size;
} sett_byte_range;

/* A component type. Only `name` is required. Everything pointed to is copied. */
typedef struct sett_component_desc {
    const char* name; /* unique in the world */
    /* the C type of the values: in programs compiled without NDEBUG, SETT_GET, SETT_FIELD and the
     * other typed macros check it. SETT_TYPE fills it in. Default: not checked */
    const char* type_name;
    /* bytes of a value, at most 1 MB in an array, 64 MB in a sparse set; default (0): a tag, a
     * component without a value */
    size_t size;
    /* power of two, at most 4,096; default: the largest that divides `size`, at most 16 */
    size_t align;
    /* `size` bytes: bits of padding are 0, all others 1. Padding is hashed, compared and sent as
     * zero. SETT_REGISTER, SETT_REGISTER_WITH and component lists pass SETT_MASK(T). Default: no
     * padding */
    const void* mask;
    /* 1 to 1,048,575, except 1,024 to 1,087, which belong to the library; default: the lowest free
     * id */
    sett_component id;
    sett_storage_kind storage; /* default: SETT_STORAGE_DEFAULT */
    sett_save_policy save;     /* default: SETT_SAVE_BYTES */
    uint32_t layout_version;   /* your version of the value's layout; default: 0 */
    bool keep_order; /* sparse set: removals preserve the order of the rest; default: no */
    /* adding and removing it does not change the entity's signature (the set of its types; other
     * libraries call it archetype): for many independent flags that are toggled often. It cannot be
     * used in groups, nor in observers with on_enter and on_exit; default: no */
    bool dont_fragment;
    /* record the tick of the last write for each value, not only for each page; not for tags;
     * default: no */
    bool track_rows;
    /* entities can have it switched off without losing the value (sett_enable); default: no */
    bool can_disable;

    /* Components that are added before this one, recursively, if absent. Removing one of them
     * removes this one first. They must be registered already. */
    const sett_component* required;
    uint32_t required_count;

    /* Byte offsets of sett_entity members inside a value, each once and a multiple of 4: if A
     * refers to B and both are copied, the copy of A refers to the copy of B (duplicate.h,
     * prefab.h). */
    const uint32_t* entity_offsets;
    uint32_t entity_offset_count;

    /* The bytes that are hashed, compared and sent in deltas; ranges must not overlap, the rest
     * counts as padding. Default: all bytes; none if `save` is not SETT_SAVE_BYTES. */
    const sett_byte_range* bytes;
    uint32_t byte_count;

    /* What a value consists of, such as SETT_STRUCT(Position, x, y): see members.h. Padding and
     * `entity_offsets` follow from it. Default: not known */
    const struct sett_struct* members;

    /* Value hooks, each for `count` adjacent values. Defaults: `init` zeroes, `deinit` does
     * nothing, `copy` and `move` are memcpy. `copy` writes to initialised values. `move` writes to
     * raw memory and leaves raw memory behind. The world may be half changed when they run: they
     * must not use it, and structural changes are rejected (LOCKED). */
    void (*init)(void* values, uint32_t count, void* user);
    void (*deinit)(void* values, uint32_t count, void* user);
    void (*copy)(void* to, const void* from, uint32_t count, void* user);
    void (*move)(void* to, void* from, uint32_t count, void* user);

    /* Callbacks: after a value was added; after it was set by sett_set or a recorded set; before it
     * is removed. They cannot change structure (LOCKED), but can record into sett_commands_here().
     * When an entity is destroyed, all its on_remove callbacks run before the first value is
     * removed. Observers (observer.h) run after on_add and on_set, and before on_remove. */
    void (*on_add)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_set)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_remove)(sett_world* world, sett_entity entity, void* value, void* user);
    void* user; /* passed to all hooks and callbacks */
} sett_component_desc;

/* Fills in name, type_name, size and align of a descriptor:
 * (sett_component_desc){SETT_TYPE(Position), .id = Position_id}. SETT_TYPE is a constant
 * expression, for static descriptors too. SETT_MASK is not: inside a function add .mask =
 * SETT_MASK(Position) if the type has padding; SETT_REGISTER and component lists do it.
 * */
#define SETT_TYPE(T) .name = #T, .type_name = #T, .size = sizeof(T), .align = SETT_ALIGNOF(T)

SETT_API sett_component sett_component_register_sized(sett_world* world,
                                                      const sett_component_desc* desc, size_t size);

/* Registers a type. Registering the same type again returns the same id.
 * Returns the id, or 0. Fails: ARGUMENT, CONFLICT (the message says what differs), UNREGISTERED
 * (a required type), CYCLE, LIMIT, OUT_OF_MEMORY, LOCKED.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
static inline sett_component sett_component_register(sett_world* world,
                                                     const sett_component_desc* desc)
{
    return sett_component_register_sized(world, desc, sizeof(*desc));
}

/* Registers all types of a list, which ends with a descriptor without a name: the function behind
 * SETT_REGISTER_ALL.
 * Fails: as sett_component_register; stops at the first type that fails.
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

/* Returns the id of the type with this name, or 0. Cost: O(1), hashed. Threads: reader. Since: 0.1
 */
SETT_API sett_component sett_component_find(const sett_world* world, const char* name);

/* Returns the type's name, or NULL if the id is not registered. Threads: reader. Since: 0.1 */
SETT_API const char* sett_component_name(const sett_world* world, sett_component component);

/* Returns whether the component's values have this C type: this size, and this type_name (or it was
 * registered without one). If not, reports it to the log and assert hooks, in every build. Returns
 * true for an unregistered id, which the next call rejects. The typed macros call it in programs
 * compiled without NDEBUG.
 *   size       bytes of the type; 0: not checked
 *   type_name  the type, with or without `const`
 *   call       the macro, for the message
 * Cost: O(1), usually one comparison of pointers. Threads: reader. Since: 0.2 */
SETT_API bool sett_component_check_type_(const sett_world* world, sett_component component,
                                         size_t size, const char* type_name, const char* call);

SETT_API sett_status sett_component_describe_sized(const sett_world* world,
                                                   sett_component component,
                                                   sett_component_desc* desc, size_t size);

/* Fills `desc` with the type's options, defaults resolved. Its pointers belong to the world.
 * Fails: UNREGISTERED.
 * Threads: reader. Since: 0.1 */
static inline sett_status sett_component_describe(const sett_world* world, sett_component component,
                                                  sett_component_desc* desc)
{
    return sett_component_describe_sized(world, component, desc, sizeof(*desc));
}

/* Returns the number of entities that have the component, prefabs and disabled entities included
 * (sett_query_count leaves them out). Cost: O(1). Threads: reader. Since: 0.1
 * */
SETT_API uint32_t sett_component_count(const sett_world* world, sett_component component);

/* Reserves memory: the next `count` additions of the component, to existing or new entities, do not
 * allocate.
 * Fails: LOCKED, UNREGISTERED, OUT_OF_MEMORY.
 * Cost: O(count).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_reserve(sett_world* world, sett_component component,
                                            uint32_t count);

/* Removes the component from every entity that has it.
 * Fails: LOCKED, UNREGISTERED, OUT_OF_MEMORY (then some may be removed).
 * Cost: as removing each. Invalidates: addresses of the type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_clear(sett_world* world, sett_component component);

/* Returns the entity whose component is at `address`, null if there is none.
 * Cost: O(pages of the type).
 * Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_component_owner(const sett_world* world, sett_component component,
                                          const void* address);

/* Moves a type's values to another kind of storage. Queries and loops work as before, in the order
 * of the new storage.
 * Fails: LOCKED, UNREGISTERED, ARGUMENT (a keep_order type cannot be an array; the value is too
 * large for the storage), CONFLICT (a group owns it), OUT_OF_MEMORY.
 * Cost: O(values). Invalidates: addresses of the type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_convert(sett_world* world, sett_component component,
                                            sett_storage_kind kind);

/* Closes the gaps that removals left in a keep_order storage. The library also does this when an
 * addition finds that at least half of the rows are gaps, and in sett_world_trim. No effect on
 * other storages.
 * Fails: LOCKED, UNREGISTERED.
 * Cost: O(rows). Invalidates: addresses of the type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_component_compact(sett_world* world, sett_component component);

/* ------------------------------------------------------------------------------------- entities */

/* Creates an entity without components, at the lowest free index: the index depends only on the
 * entities that are alive, the handles that commands have reserved, and the indices without
 * generations left.
 * Returns null on failure. Fails: LOCKED, LIMIT, OUT_OF_MEMORY.
 * Cost: O(1), about 5 ns. Invalidates: nothing.
 * Threads: writer. Since: 0.1 */
SETT_API sett_entity sett_entity_create(sett_world* world);

/* A component and its value. */
typedef struct sett_value {
    sett_component component;
    const void* value; /* default (NULL): zeroed, or initialised by the init hook; tags have none */
    size_t size;       /* of the C type, to check; default: not checked */
    const char* type;  /* name of the C type, to check; default (NULL): not checked */
} sett_value;

/* Creates an entity with these components and values, and with the components that they require.
 *
 *     sett_entity shot = SETT_CREATE(world, SETT_VALUE(Position, .x = x, .y = y),
 *                                    SETT_VALUE(Velocity, .x = 4), SETT_VALUE_TAG(Shot));
 *
 *   values  `count` of them, at most 32, each component once; copied
 * Callbacks run when all values are written: on_add, then on_set for components with a value.
 * Returns null on failure; nothing was created then. Fails: LOCKED, LIMIT, UNREGISTERED, ARGUMENT
 * (a component twice; a relationship; a `value` that points into a keep_order storage of this
 * world), OUT_OF_MEMORY.
 * Cost: O(count); less than creating the entity and setting each value.
 * Threads: writer. Since: 0.2 */
SETT_API sett_entity sett_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Creates `count` entities that all have the given components.
 *   components  component_count ids, each once; NULL with 0 for none
 *   values      an array of `count` values for each component, or NULL for components whose values
 *               are initialised; NULL instead of the list: all are initialised
 *               are initialised; NULL instead of the list: all are initialised
 *   out         receives `count` handles; can be NULL
 * Callbacks run when all values are written: on_add, then on_set for types with given values.
 * Fails: LOCKED, LIMIT, UNREGISTERED, ARGUMENT, OUT_OF_MEMORY; nothing was created then.
 * Cost: O(count), page by page.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_create_many(sett_world* world, uint32_t count,
                                             const sett_component* components,
                                             uint32_t component_count, const void* const* values,
                                             sett_entity* out);

/* Creates an entity with a given handle, for loading and networking.
 * Fails: PRESENT (the index is in use), STALE (the index had a later generation, or the handle is
 * null), LIMIT, LOCKED, OUT_OF_MEMORY.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_create_handle(sett_world* world, sett_entity entity);

/* Destroys an entity with all its components; also its descendants (hierarchy.h), and entities that
 * depend on it by a relationship (relationship.h). Links to it from other entities are removed.
 * Destroying an entity that is being destroyed, from a removal hook, returns OK and does nothing.
 * Returns OK, or STALE if it is not alive, which is no misuse and is not reported.
 * Fails: LOCKED; REJECTED (an entity that depends on it forbids it), OUT_OF_MEMORY (only
 * when links from other entities are removed); nothing has changed then.
 * Cost: O(components of all destroyed entities). Invalidates: its handle; addresses as when each
 * component is removed.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_destroy(sett_world* world, sett_entity entity);

/* Destroys `count` entities. Stale handles are skipped.
 * Fails: LOCKED.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_destroy_many(sett_world* world, const sett_entity* entities,
                                              uint32_t count);

/* Destroys every entity that has the component, in the order of its storage.
 * Fails: LOCKED, UNREGISTERED.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_destroy_with(sett_world* world, sett_component component);

/* Removes all components of an entity, and links to it from other entities (relationship.h). The
 * entity stays alive.
 * Fails: STALE, LOCKED; OUT_OF_MEMORY (only when links are removed; nothing has changed then).
 * Cost: O(its components).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_clear(sett_world* world, sett_entity entity);

/* Returns whether the entity is alive. Cost: one comparison. Threads: reader. Since: 0.1 */
SETT_API bool sett_entity_valid(const sett_world* world, sett_entity entity);

/* Returns the living entity with this index, null if there is none. Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_entity_at(const sett_world* world, uint32_t index);

/* Returns the number of living entities. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_entity_count(const sett_world* world);

/* Walks all entities, ascending by index: start with *cursor = 0, end at null. Entities may be
 * created and destroyed between two calls: those created at an index that was passed are skipped.
 * Cost: O(1), all of them O(indices / 64 + entities).
 * Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_entity_next(const sett_world* world, uint32_t* cursor);

/* Writes the ids of up to `capacity` of the entity's components, ascending; dont_fragment ones
 * last, in the order of their registration.
 * Returns the number of its components, 0 for a stale handle.
 * Cost: O(its components + dont_fragment types).
 * Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_entity_components(const sett_world* world, sett_entity entity,
                                         sett_component* out, uint32_t capacity);

/* Reserves memory: the next `count` entities are created without allocating.
 * Fails: OUT_OF_MEMORY, LIMIT.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_entity_reserve(sett_world* world, uint32_t count);

/* --------------------------------------------------------------------------------------- values */

/* Adds a component that the entity does not have; first the components that it requires.
 * Returns the address of the value, which is zeroed or initialised by the init hook; for a tag a
 * pointer that is not NULL and must not be dereferenced. NULL on failure. Fails: STALE,
 * UNREGISTERED, PRESENT, LOCKED, OUT_OF_MEMORY.
 * Cost: O(1), about 5 ns plus cache misses. Invalidates: nothing (keep_order: see
 * sett_component_compact).
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_add(sett_world* world, sett_entity entity, sett_component component);

/* As sett_add; if the entity has the component, returns its address, to write.
 * Threads: system, if the entity has the component. Since: 0.1 */
SETT_API void* sett_ensure(sett_world* world, sett_entity entity, sett_component component);

/* Sets a value, and adds the component if it is absent: then on_add sees the value that is
 * set, and on_set runs after it.
 *   value  copied by the copy hook. Without a copy hook the old value is deinitialised, and the
 *          bytes of the new one are copied: memory that they point to belongs to the world from
 *          then on. NULL only for a tag
 * Returns the address of the value; NULL on failure. Fails: as sett_add, except PRESENT.
 * Cost: as sett_add or sett_get_mut, plus the copy.
 * Threads: system, if the entity has the component and it has no on_set callback or observer.
 * Since: 0.1 */
SETT_API void* sett_set(sett_world* world, sett_entity entity, sett_component component,
                        const void* value);

/* Returns a component that the entity has, to read. If it does not have it, that is a misuse: NULL.
 * Cost: O(1), about 3 ns plus cache misses.
 * Threads: reader. Since: 0.1 */
SETT_READ_API const void* sett_get(const sett_world* world, sett_entity entity,
                                   sett_component component);

/* As sett_get, to write: marks the value as changed.
 * Threads: system. Since: 0.1 */
SETT_API void* sett_get_mut(sett_world* world, sett_entity entity, sett_component component);

/* Returns a component, to read; NULL if the entity does not have it, or if the handle is stale.
 * Threads: reader. Since: 0.1 */
SETT_READ_API const void* sett_find(const sett_world* world, sett_entity entity,
                                    sett_component component);

/* As sett_find, to write: marks the value as changed. Threads: system. Since: 0.1 */
SETT_API void* sett_find_mut(sett_world* world, sett_entity entity, sett_component component);

/* Returns whether the entity is alive and has the component. Threads: reader. Since: 0.1 */
SETT_READ_API bool sett_has(const sett_world* world, sett_entity entity, sett_component component);

/* Private: the slow paths of sett_get, sett_find and sett_has. */
SETT_API const void* sett_get_slow_(const sett_world* world, sett_entity entity,
                                    sett_component component);
SETT_API const void* sett_find_slow_(const sett_world* world, sett_entity entity,
                                     sett_component component);
SETT_API bool sett_has_slow_(const sett_world* world, sett_entity entity, sett_component component);

/* Removes a component; first the entity's components that require it.
 * Returns OK, or ABSENT if the entity does not have it: that is no misuse, and is not reported.
 * Fails: STALE, UNREGISTERED, LOCKED, OUT_OF_MEMORY.
 * Cost: O(1), about 4 ns plus cache misses. Invalidates: the address of the component; in a sparse
 * set, all addresses of that type.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_remove(sett_world* world, sett_entity entity, sett_component component);

/* Switches a component of an entity off, or on again. While it is off, queries, groups and
 * observers of queries treat the entity as if it did not have the component; sett_get, sett_has and
 * commands still see it, and the value stays. If the component is removed and added again, it is
 * on. The switch is a tag, "<name> off", that the library adds to the entity: it is part of
 * snapshots, hashes, deltas, files and copies. A component that is added is on.
 * Fails: STALE, UNREGISTERED, ABSENT, ARGUMENT (the type was registered without can_disable),
 * LOCKED, OUT_OF_MEMORY.
 * Cost: as adding and removing a tag; a loop over a type that is off somewhere tests one more
 * bitmap. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_enable(sett_world* world, sett_entity entity, sett_component component,
                                 bool on);

/* Returns whether the entity has the component, and it is not switched off.
 * Threads: reader. Since: 0.2 */
SETT_API bool sett_is_enabled(const sett_world* world, sett_entity entity,
                              sett_component component);

/* Lists of handles. These functions do what the calls above do, for `count` entities in order. They
 * prefetch the memory of the next entities, so that cache misses overlap.
 *
 * sett_find_many puts the address of each value, or NULL, into out[0..count-1] and returns how many
 * are not NULL; sett_find_many_mut likewise, and the values count as changed.
 *   out  `count` addresses, valid as long as those of sett_find are
 * Cost: as sett_find for each; while systems run, or a profile is taken, without prefetching.
 * Threads: reader; sett_find_many_mut: system. Since: 0.2 */
SETT_API uint32_t sett_find_many(const sett_world* world, const sett_entity* entities,
                                 uint32_t count, sett_component component, const void** out);
SETT_API uint32_t sett_find_many_mut(sett_world* world, const sett_entity* entities, uint32_t count,
                                     sett_component component, void** out);

/* sett_add_many adds a component to those entities that do not have it. sett_set_many sets it, and
 * adds it where it is missing. sett_remove_many removes it from those that have it. Stale handles,
 * and entities for which there is nothing to do, are skipped. A handle can be in the list twice:
 * the last value counts.
 *   values  of sett_set_many: one after another, of the component's size; NULL only for a tag
 * Fails: UNREGISTERED, LOCKED, ARGUMENT (a type that only sett_relate adds): nothing has changed.
 * OUT_OF_MEMORY: the change was made for the entities before the one that failed, and not for the
 * rest.
 * Cost: as sett_add, sett_set and sett_remove for each. Invalidates: as these.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_add_many(sett_world* world, const sett_entity* entities, uint32_t count,
                                   sett_component component);
SETT_API sett_status sett_set_many(sett_world* world, const sett_entity* entities, uint32_t count,
                                   sett_component component, const void* values);
SETT_API sett_status sett_remove_many(sett_world* world, const sett_entity* entities,
                                      uint32_t count, sett_component component);

/* An entity whose handle was checked once, to read several of its components.
 *
 *     sett_row row = sett_row_make(world, e);
 *     const Position* p = SETT_ROW_FIND(row, Position);
 *     const Velocity* v = SETT_ROW_FIND(row, Velocity);
 *
 * Do not use a row after any entity of the world was destroyed. */
typedef struct sett_row {
    const sett_world* world;
    sett_entity entity;
    uint32_t index; /* UINT32_MAX: the handle was stale, or reading takes the slow path */
} sett_row;

/* Returns the row of an entity; for a stale handle a row in which nothing is found. Cost: one cache
 * miss at most. Threads: reader. Since: 0.2 */
static inline sett_row sett_row_make(const sett_world* world, sett_entity entity)
{
    const sett_world_header_* header = sett_read_header_(world);
    sett_row row;
    row.world = world;
    row.entity = entity;
    row.index = sett_read_is_current_(header, entity) ? entity.index : UINT32_MAX;
    return row;
}

/* Returns the component of the row's entity, to read; NULL if it does not have it, or if the
 * handle was stale. Cost: as sett_find without the check of the handle. Threads: reader.
 * Since: 0.2 */
static inline const void* sett_row_find(sett_row row, sett_component component)
{
    const sett_type_header_* type = sett_read_type_(sett_read_header_(row.world), component);
    if (!SETT_LIKELY_(type != NULL)) {
        return sett_find_slow_(row.world, row.entity, component);
    }
    return SETT_LIKELY_(sett_read_bit_(type, row.index)) ? sett_read_row_(type, row.index) : NULL;
}

/* Returns whether the row's entity has the component. Cost and threads: as sett_row_find.
 * Since: 0.2 */
static inline bool sett_row_has(sett_row row, sett_component component)
{
    const sett_type_header_* type = sett_read_type_(sett_read_header_(row.world), component);
    return SETT_LIKELY_(type != NULL) ? sett_read_bit_(type, row.index) != 0
                                      : sett_has_slow_(row.world, row.entity, component);
}

/* A component type that was looked up once, for loops that read many entities in random order.
 * Valid until the world is destroyed.
 *
 *     sett_accessor positions = sett_accessor_make(world, Position_id);
 *     const Position* p = sett_accessor_find(&positions, target); */
typedef struct sett_accessor {
    const sett_world* world;
    const sett_type_header_* type;
    sett_component component;
} sett_accessor;

/* Returns an accessor. For an unregistered id it finds nothing until the type is registered.
 * Threads: reader. Since: 0.1 */
SETT_API sett_accessor sett_accessor_make(const sett_world* world, sett_component component);

/* As sett_find: the value, or NULL. Threads: reader. Since: 0.1 */
static inline const void* sett_accessor_find(const sett_accessor* accessor, sett_entity entity)
{
    const sett_world_header_* world = sett_read_header_(accessor->world);
    return SETT_LIKELY_(accessor->type->kind == SETT_KIND_ARRAY_)
               ? sett_read_value_(world, accessor->type, entity)
               : sett_find(accessor->world, entity, accessor->component);
}

/* As sett_has. Threads: reader. Since: 0.1 */
static inline bool sett_accessor_has(const sett_accessor* accessor, sett_entity entity)
{
    const sett_world_header_* world = sett_read_header_(accessor->world);
    return SETT_LIKELY_(accessor->type->kind == SETT_KIND_ARRAY_)
               ? sett_read_has_(world, accessor->type, entity)
               : sett_has(accessor->world, entity, accessor->component);
}

/* Returns the tick of the last write to a value (by set, get_mut, ensure, or a loop that declares
 * SETT_OUT or SETT_INOUT): exact if the type has track_rows, else of its page; 0 if the entity does
 * not have the component. If a later restore (state.h) changed the page, the tick of the restore.
 * Threads: reader. Since: 0.1 */
SETT_API uint64_t sett_changed_tick(const sett_world* world, sett_entity entity,
                                    sett_component component);

/* ------------------------------------------------------------------------------------- commands */

/* Structural changes recorded for later: inside loops, systems and callbacks structure cannot
 * change. Every world has a buffer; more can be created, such as one for each thread.
 * sett_commands_apply applies a buffer in the order of recording. sett_progress and sett_system_run
 * apply the world's own buffer; sett_snapshot_take, sett_ring_take and sett_delta_apply apply all
 * buffers. Other calls apply nothing.
 *
 * When a command is applied, and
 *     its entity is dead                           it is skipped; a recorded value is deinitialised
 *     its entity was reserved by another buffer,
 *         which was not applied yet                likewise
 *     add: the entity has the component            it is skipped; the value stays
 *     set: the entity does not have the component  it is added, as by sett_set
 *     remove: the entity does not have it          it is skipped
 * None of these is an error. A command that the world rejects (to destroy a parent whose children
 * forbid it) is skipped too; sett_world_error says so, and its message begins with
 * "sett_commands_apply: ".
 *
 * sett_cmd_create reserves a handle. It can be stored, compared and used in further commands. Until
 * the command is applied the entity is not alive: sett_entity_valid and sett_has return false,
 * sett_find returns NULL, immediate changes fail with STALE, and no loop visits it. If the command
 * is dropped, no other entity ever gets this handle.
 *
 * If callbacks record into a buffer during sett_commands_apply, the same call also applies these
 * commands, at the end. Commands recorded by callbacks of commands, nested more than 64 levels
 * deep, are rejected (LIMIT); the log names the callback and the component.
 *
 * Recording: by any thread, one at a time for each buffer, while no thread changes the world. But
 * sett_cmd_create is for the thread that owns the world, or for systems through context->commands.
 * Recording allocates nothing once a buffer has grown to its usual size. */

/* Returns the right buffer for where the call is made:
 *     in a system's function                                the buffer of the job
 *     in a callback, while a buffer is applied              the buffer that is being applied
 *     anywhere else                                         the world's own buffer
 * While non-exclusive systems run, the world's own buffer rejects commands (LOCKED), even if there
 * is only one thread: do not get the buffer outside and hand it to the system: call this function
 * inside. The current thread tells which job is calling. If a function can continue on another
 * thread (a fiber), it must use context->commands instead.
 * Cost: about 20 instructions in a system, 2 elsewhere.
 * Threads: system. Since: 0.2 */
SETT_API sett_commands* sett_commands_here(sett_world* world);

/* Creates another buffer. Returns NULL when memory runs out. Threads: writer. Since: 0.1 */
SETT_API sett_commands* sett_commands_create(sett_world* world);

/* Returns the world of a buffer. Threads: any. Since: 0.2 */
SETT_API sett_world* sett_commands_world(const sett_commands* commands);

/* Frees a buffer of sett_commands_create and drops its commands. NULL is fine.
 * Fails: LOCKED (it is being applied, or a job records into it), ARGUMENT (the world's own).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_commands_destroy(sett_commands* commands);

/* Applies all commands in order, also those that callbacks record into this buffer meanwhile.
 * Fails: LOCKED; OUT_OF_MEMORY: stops at the command that could not be applied, which stays in the
 * buffer with the rest; the message names it.
 * Cost: as the changes.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_commands_apply(sett_commands* commands);

/* Drops all commands. Entities reserved by sett_cmd_create are never created.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_commands_clear(sett_commands* commands);

/* Returns the number of commands in the buffer. Threads: as recording. Since: 0.1 */
SETT_API uint32_t sett_commands_count(const sett_commands* commands);

/* Formats the commands, one on each line, as snprintf does:
 *
 *     1: create entity 7:1
 *     2: set "Position" of entity 7:1
 *
 * Returns the length of the whole text.
 * Cost: O(commands).
 * Threads: reader. Since: 0.1 */
SETT_API size_t sett_commands_describe(const sett_commands* commands, char* out, size_t size);

/* Reserves an entity, which is created when the buffer is applied; the handle can be used in
 * further commands.
 * Returns null on failure. Fails: LIMIT, OUT_OF_MEMORY; LOCKED (systems run: use
 * sett_commands_here).
 * Threads: system, into context->commands; allowed while loops are open. Since: 0.1 */
SETT_API sett_entity sett_cmd_create(sett_commands* commands);

/* Each records a change for later. The function of the same name without "cmd_" makes it
 * immediately. sett_cmd_set copies the value, which is NULL only for a tag. relationship.h,
 * hierarchy.h, name.h and prefab.h have more.
 * Fails: OUT_OF_MEMORY, UNREGISTERED, ARGUMENT (sett_cmd_set: NULL), LIMIT (too deep, see above),
 * LOCKED (the world's own buffer while systems run). Failures are returned and do not set
 * sett_world_error, because several threads can record at once; only LIMIT does both. Since: 0.1 */
SETT_API sett_status sett_cmd_destroy(sett_commands* commands, sett_entity entity);
SETT_API sett_status sett_cmd_add(sett_commands* commands, sett_entity entity,
                                  sett_component component);
SETT_API sett_status sett_cmd_set(sett_commands* commands, sett_entity entity,
                                  sett_component component, const void* value);
SETT_API sett_status sett_cmd_remove(sett_commands* commands, sett_entity entity,
                                     sett_component component);
SETT_API sett_status sett_cmd_clear(sett_commands* commands, sett_entity entity);
SETT_API sett_status sett_cmd_enable(sett_commands* commands, sett_entity entity,
                                     sett_component component, bool on);

/* -------------------------------------------------------------------------------------- queries */

/* The most terms of a query. */
#define SETT_QUERY_TERMS 32

typedef enum sett_term_kind {
    SETT_WITH,     /* the entity has it */
    SETT_WITHOUT,  /* the entity does not have it */
    SETT_OPTIONAL, /* either; the field is NULL in batches of entities that do not have it */
    SETT_ANY,      /* the entity has one of the query's ANY terms at least; fields as OPTIONAL */
} sett_term_kind;

typedef enum sett_access {
    SETT_INOUT, /* read and written */
    SETT_IN,    /* only read: never counts as a change */
    SETT_OUT,   /* every value is overwritten and never read */
    SETT_NONE,  /* presence only; the field is NULL */
} sett_access;

/* On which entity a term looks for its component: the visited one, or one that is related to it. */
typedef enum sett_walk {
    SETT_WALK_NONE,    /* on the visited entity itself */
    SETT_WALK_ONE,     /* one step along the relationship in `along`: by default, the parent */
    SETT_WALK_UP,      /* the nearest ancestor that has it, from the parent on */
    SETT_WALK_SELF_UP, /* likewise, from the visited entity on */
} sett_walk;

/* A term of a query. SETT_IN(Position), SETT_WITHOUT(Frozen) and the like (typed.h) fill one in. */
/* A term of a query. SETT_IN(Position), SETT_WITHOUT(Frozen) and the like (typed.h) fill one in. */
typedef struct sett_term {
    sett_component component; /* 0 ends the list */
    sett_access access;       /* default: SETT_INOUT */
    sett_term_kind kind;      /* default: SETT_WITH */
    bool changed;             /* WITH: only if changed since sett_query_set_since; default: no */

    /* If one of these is set, the term looks at another entity (below: a term elsewhere). Such
     * terms come after the others, cannot be ANY, and have no field: SETT_FIELD_FROM(b, k, i, T) is
     * the value for one row. A system that writes through such a term runs as a single job. */
    sett_walk walk;       /* default: the entity itself */
    sett_component along; /* of `walk`: a relationship with one target; default: the hierarchy */
    sett_entity entity;   /* this entity; default: none */
    bool singleton;       /* the entity that has the singletons; default: no */
} sett_term;

/* The most terms about another entity (see sett_term) of a query. */
#define SETT_QUERY_ELSEWHERE 8

typedef struct sett_query_desc {
    const char* name; /* for messages; default: the names of its components */
    /* the first with component 0 ends the list; without terms the query matches every entity */
    sett_term terms[SETT_QUERY_TERMS];
} sett_query_desc;

/* The most rows of a batch. */
#define SETT_BATCH_ROWS 1024

/* Bytes of a batch that only the library reads. */
#define SETT_BATCH_INTERNAL_ 2432

/* Up to 1,024 matching entities. SETT_FOR and SETT_EACH visit its rows, which can have gaps. Fields
 * are arrays, indexed by row. Size: 3.3 KB, on the stack for each open loop. */
typedef struct sett_batch {
    uint32_t count;              /* entities in the batch, not rows */
    uint32_t field_count;        /* terms of the query */
    const uint16_t* rows;        /* their rows, ascending; NULL: all rows below `count` */
    uint32_t base;               /* entity index of row 0, where `indices` is NULL */
    uint32_t present;            /* bit k: these entities have the k-th term's component */
    const uint32_t* indices;     /* entity index of each row, or NULL */
    const uint32_t* generations; /* generation of each row, where `indices` is NULL */
    void* fields[SETT_QUERY_TERMS];
    /* internal: terms and types that SETT_FIELD [0] and SETT_FIELD_MUT [1] have checked already */
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

/* Creates a query. It belongs to the world, which frees it at the end. It skips entities with the
 * tags Disabled and Prefab (prefab.h), unless a term names the tag.
 * Returns NULL on failure. Fails: ARGUMENT (a wrong term; a component both required and excluded),
 * UNREGISTERED, OUT_OF_MEMORY.
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

/* Sets the tick that terms with `changed` compare with: they match values written at a later tick.
 * Exact for types with track_rows; of other types all values in a page count as written if one was.
 * A loop that declares SETT_OUT or SETT_INOUT writes every value that it visits. Values in pages
 * that a later restore (state.h) changed match too. The `changed` terms of a system compare with
 * its last run; pages that a restore changed do not match.
 *
 *     uint64_t seen = sett_world_tick(world);
 *     sett_world_advance_tick(world);        later writes are newer than `seen`
 *     ... a frame ...
 *     sett_query_set_since(query, seen);
 *
 * Threads: writer. Since: 0.1 */
SETT_API void sett_query_set_since(sett_query* query, uint64_t tick);

/* Formats, as snprintf does, how a loop over the query would run now, and why, with numbers.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.1 */
SETT_API size_t sett_query_explain(const sett_query* query, char* out, size_t size);

/* Returns the number of matching entities. Cost: as a loop with an empty body. Threads: system.
 * Since: 0.1 */
SETT_API uint32_t sett_query_count(const sett_query* query);

/* Returns the first entity in the order of the query, null if none matches.
 * Cost: up to the first match.
 * Threads: system. Since: 0.1 */
SETT_API sett_entity sett_query_first(const sett_query* query);

/* Returns whether the entity matches. Cost: O(terms). Threads: reader. Since: 0.1 */
SETT_API bool sett_query_matches(const sett_query* query, sett_entity entity);

/* The functions behind SETT_FOR and SETT_QUERY_EACH, for other languages. sett_query_begin opens a
 * loop and returns `batch`, or NULL: if memory runs out, or if the query is NULL (sett_query_create
 * has already reported the error). sett_batch_next moves to the next batch, or returns false.
 * sett_batch_end closes the loop; a second call does nothing.
 * Cost: about 10 ns to open and close; for each batch 5 ns, plus 2 ns for each field.
 * Threads: writer; systems use sett_context_begin and sett_context_query. Since: 0.1 */
SETT_API sett_batch* sett_query_begin(sett_query* query, sett_batch* batch);
SETT_API bool sett_batch_next(sett_batch* batch);
SETT_API void sett_batch_end(sett_batch* batch);

/* As sett_query_begin, for a batch that is a local variable. If the C function that holds the batch
 * returns and leaves the loop open, the next structural change closes it instead of failing.
 * SETT_FOR calls it in C without the attribute `cleanup`.
 * Threads: as sett_query_begin. Since: 0.2 */
SETT_API sett_batch* sett_query_begin_local_(sett_query* query, sett_batch* batch);

/* Makes this batch the last one: the next sett_batch_next returns false. `break` in SETT_EACH calls
 * it.
 * Threads: the one that runs the loop. Since: 0.2 */
SETT_API void sett_batch_stop(const sett_batch* batch);

/* Repairs a world in which a loop was left without sett_batch_end: closes all open loops. Do not
 * call it from inside a loop.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_query_end_all(sett_world* world);

/* Returns the values of the k-th term as an array, indexed by row; SETT_FIELD does the same and
 * returns a typed pointer. NULL for a tag, for SETT_NONE, and for an optional component that these
 * entities do not have.
 *
 * If a storage has the values in another order than the batch's rows, the field is a copy, gathered
 * for this batch, and written back when the batch ends if it is SETT_OUT or SETT_INOUT. During the
 * batch sett_get, sett_get_mut and sett_set use the copy, and return addresses in it, which are not
 * valid after the batch.
 * Threads: reader. Since: 0.1 */
static inline void* sett_batch_field(const sett_batch* batch, uint32_t k)
{
    return batch->fields[k];
}

/* As sett_batch_field, with a check of the C type (sett_component_check_type_): NULL if it is
 * another one. Also reports writing a field that is SETT_IN, and reading one that is SETT_OUT.
 * Reports to the log and assert hooks in every build. SETT_FIELD (`mut` false) and SETT_FIELD_MUT
 * call it in programs compiled without NDEBUG.
 *   size, type  the C type that the caller expects
 * Threads: the one that runs the loop. Since: 0.1 */
SETT_API void* sett_batch_field_checked_(const sett_batch* batch, uint32_t k, bool mut, size_t size,
                                         const char* type);

/* Returns whether the entities of this batch have the k-th term's component; for optional tags,
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

/* Returns the entity of a row. Cost: two loads if the loop walks an array, not a sparse set.
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

/* Returns the k-th term's value of one row; NULL for an optional component that the entity does not
 * have. A `k` that is not a term is a misuse: NULL.
 * Threads: reader. Since: 0.1 */
SETT_API const void* sett_batch_at(const sett_batch* batch, uint32_t k, uint32_t row);

/* Return the value of a term about another entity for one row, NULL if there is none:
 * sett_batch_from to read, sett_batch_from_mut to write, which marks it as changed. The macros
 * SETT_FIELD_FROM and SETT_FIELD_FROM_MUT take a C type and return a typed pointer.
 * sett_batch_source returns the entity that has it.
 *   k  the number of the term among all terms
 * A term that is not elsewhere, or not declared as written, is a misuse: NULL.
 * Cost: O(steps of the walk), about 5 ns each. Threads: the one that runs the loop. Since: 0.2 */
SETT_API const void* sett_batch_from(const sett_batch* batch, uint32_t k, uint32_t row);
SETT_API void* sett_batch_from_mut(const sett_batch* batch, uint32_t k, uint32_t row);
SETT_API sett_entity sett_batch_source(const sett_batch* batch, uint32_t k, uint32_t row);

/* --------------------------------------------------------------------------------------- groups */

/* The most types in one list of a group. */
#define SETT_GROUP_TYPES 16

/* A group is the set of entities that have all of `owned` and `with`, and none of `without`. Lists
 * end at the first 0. The set is always up to date.
 *
 * A group arranges the storages that it owns: its members are the first rows of each, in the same
 * order, and a query whose terms include the group's conditions loops over them as over plain
 * arrays. It costs an exchange of two rows in each owned storage when an entity enters or leaves. A
 * group that owns nothing (a tracked set) stores one bit for each entity and moves nothing; queries
 * use it instead of intersecting its types. */
typedef struct sett_group_desc {
    const char* name; /* for messages; default: "group" */
    /* types in sparse sets without keep_order, not owned by another group */
    sett_component owned[SETT_GROUP_TYPES];
    sett_component with[SETT_GROUP_TYPES];
    sett_component without[SETT_GROUP_TYPES];

    /* Callbacks for entities that enter or leave after the group was created. While on_enter or
     * on_exit runs, the entity has all the group's components. The rules are those of component
     * callbacks. on_enter runs after on_add, on_exit before on_remove. */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
    void* user;
} sett_group_desc;

typedef struct sett_group sett_group;

SETT_API sett_group* sett_group_create_sized(sett_world* world, const sett_group_desc* desc,
                                             size_t size);

/* Creates a group. It belongs to the world. Existing entities enter without callbacks.
 * Returns NULL on failure. Fails: ARGUMENT (no condition; a dont_fragment type; an owned type that
 * is not in a sparse set or has keep_order), UNREGISTERED, CONFLICT (another group owns the type),
 * LOCKED, OUT_OF_MEMORY.
 * Cost: O(entities of one of its types). Invalidates: addresses of owned types.
 * Threads: writer. Since: 0.1 */
static inline sett_group* sett_group_create(sett_world* world, const sett_group_desc* desc)
{
    return sett_group_create_sized(world, desc, sizeof(*desc));
}

/* Destroys a group; its entities are not changed. Fails: LOCKED. NULL is fine. Threads: writer. */
SETT_API sett_status sett_group_destroy(sett_group* group);

/* Returns the number of members. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_group_count(const sett_group* group);

/* Returns whether the entity is a member. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API bool sett_group_has(const sett_group* group, sett_entity entity);

/* -------------------------------------------------------------------------------------- sorting */

/* The type of a key. */
typedef enum sett_key_kind {
    SETT_KEY_NONE, /* no key */
    SETT_KEY_U32,
    SETT_KEY_I32,
    SETT_KEY_F32, /* -0 goes before 0, negative NaNs first, positive NaNs last */
    SETT_KEY_U64,
    SETT_KEY_I64,
    SETT_KEY_F64,
} sett_key_kind;

/* What to sort, and by what: one of `compare`, `key` and `like`.
 *
 *     sett_sort(world, &(sett_sort_desc){.component = Sprite_id, .key = SETT_KEY_U32,
 *                                        .key_offset = offsetof(Sprite, layer)}); */
typedef struct sett_sort_desc {
    /* the type to sort, in a sparse set that no group owns. With `group`: the owned type whose
     * values are compared; `like` does not use it */
    sett_component component;
    /* sort the members of this group, in all storages that it owns; default: none */
    sett_group* group;
    /* below 0: `a` goes first. Runs with the world locked */
    int (*compare)(const void* a, const void* b, void* user);
    void* user; /* passed to `compare` */
    /* a number `key_offset` bytes into the value; default: SETT_KEY_NONE */
    sett_key_kind key;
    size_t key_offset;
    /* sort as this type: entities that have it go first, in the order of its rows (for an array: of
     * entity indices); the others follow in their present order */
    sett_component like;
    bool reverse; /* greatest first; with `like`: last row first; default: no */
} sett_sort_desc;

SETT_API sett_status sett_sort_sized(sett_world* world, const sett_sort_desc* desc, size_t size);

/* Sorts the rows of a sparse set, or the members of an owning group. Later additions append;
 * removals disturb the order, except with keep_order. The sort is stable, in reverse too.
 * Fails: LOCKED, UNREGISTERED, ARGUMENT (not a sparse set; none or several of `compare`, `key` and
 * `like`; no such key), CONFLICT (a group arranges the type), OUT_OF_MEMORY (order unchanged).
 * Cost: by key O(n), about 30 ns a value; by `compare` O(n log n) comparisons; by `like` O(n of
 * both); less when little is out of order. A second sort of as many values allocates nothing.
 * Invalidates: addresses of the types whose rows move.
 * Threads: writer. Since: 0.2 */
static inline sett_status sett_sort(sett_world* world, const sett_sort_desc* desc)
{
    return sett_sort_sized(world, desc, sizeof(*desc));
}

/* ----------------------------------------------------------------------------------- inspection */

typedef struct sett_stats {
    uint32_t entities;        /* alive */
    uint32_t entity_capacity; /* indices that the entity table covers */
    uint32_t retired;         /* indices with no generations left: never used again */
    uint32_t components;      /* registered types */
    uint32_t signatures;      /* distinct sets of components */
    uint32_t queries;         /* created */
    uint64_t values;          /* components of all entities, tags included */
    uint64_t pages;           /* pages of state */
    size_t page_size;         /* bytes in those pages */
    size_t block_size;        /* bytes held from the allocator */
    size_t free_size;         /* of these, bytes in free pages */
    uint64_t allocations;     /* calls of the allocator since the world was created */
} sett_stats;

SETT_API void sett_world_stats_sized(const sett_world* world, sett_stats* stats, size_t size);

/* Fills `stats`. Cost: O(types + pages). Threads: writer. Since: 0.1 */
static inline void sett_world_stats(const sett_world* world, sett_stats* stats)
{
    sett_world_stats_sized(world, stats, sizeof(*stats));
}

/* Checks all invariants of all data structures.
 * Returns SETT_OK, or INVALID and sets *reason (if not NULL) to a sentence, valid until the next
 * call.
 * Cost: O(everything).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_validate(sett_world* world, const char** reason);

/* -------------------------------------------------------------------------------------- in line */

#if SETT_READS_IN_LINE_
static inline const void* sett_get(const sett_world* world, sett_entity entity,
                                   sett_component component)
{
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    return type != NULL && sett_read_is_current_(header, entity) &&
                   SETT_LIKELY_(sett_read_bit_(type, entity.index))
               ? sett_read_row_(type, entity.index)
               : sett_get_slow_(world, entity, component);
}

static inline const void* sett_find(const sett_world* world, sett_entity entity,
                                    sett_component component)
{
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    return SETT_LIKELY_(type != NULL) ? sett_read_value_(header, type, entity)
                                      : sett_find_slow_(world, entity, component);
}

static inline bool sett_has(const sett_world* world, sett_entity entity, sett_component component)
{
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    return SETT_LIKELY_(type != NULL) ? sett_read_has_(header, type, entity)
                                      : sett_has_slow_(world, entity, component);
}
#endif

/* Returns a world, or NULL when memory runs out or header and library do not match. `desc` may be
 * NULL.
 * Cost: one allocation, under 1 us.
 * Threads: any. Since: 0.1 */
static inline sett_world* sett_world_create(const sett_world_desc* desc)
{
    uint32_t moves = 0; /* values a frame, for auto_layout */
    if (desc != NULL && desc->auto_layout) {
        moves = desc->auto_layout_values != 0 ? desc->auto_layout_values : 4194304;
    }
    sett_world* world = sett_world_create_sized(desc, sizeof(*desc), SETT_VERSION, SETT_LAYOUT);
    if (moves != 0 && world != NULL && sett_layout_auto(world, moves) != SETT_OK) {
        sett_world_destroy(world);
        return NULL;
    }
    return world;
}

#include "sett/loop.h"
#include "sett/typed.h"

#endif
