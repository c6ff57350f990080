/* component.h: component types. The record of a type begins with its storage: what every access
 * reads lies together. */
#ifndef SETTI_COMPONENT_H
#define SETTI_COMPONENT_H

#include "sett/core.h"
#include "store/storage.h"
#include "value/value.h"
#include "world/root.h"
#include "world/use.h"

#define SETTI_COMPONENT_LIBRARY ((sett_component)SETT_ID_HIERARCHY)

/* Ids stay below: the table of types is 8 bytes an id. */
#define SETTI_COMPONENT_LIMIT ((sett_component)1 << 20)

/* Events of a value. */
typedef enum setti_event {
    SETTI_ON_ADD,
    SETTI_ON_SET,
    SETTI_ON_REMOVE,
    SETTI_ON_EVENT, /* of the program's own */
    SETTI_EVENTS
} setti_event;

/* Why a change of this type cannot take the fast path. */
enum {
    SETTI_TYPE_DONT_FRAGMENT = 1, /* takes no part in signatures */
    SETTI_TYPE_REQUIRES = 2,      /* has required types */
    SETTI_TYPE_REQUIRED = 4,      /* some type requires it */
    SETTI_TYPE_INIT = 8,          /* has the hook */
    SETTI_TYPE_COPY = 16,
    SETTI_TYPE_DEINIT = 32,
    /* SETTI_TYPE_ON_ADD << event: has callbacks, the descriptor's hook or observers */
    SETTI_TYPE_ON_ADD = 64,
    SETTI_TYPE_ON_SET = 128,
    SETTI_TYPE_ON_REMOVE = 256,
    SETTI_TYPE_ON_EVENT = 512,
    SETTI_TYPE_LINKED = 1024, /* added only by the module that has its links */
    SETTI_TYPE_STAYS = 2048,  /* ends of links: removed with its entity, not before */
    SETTI_TYPE_SHARED = 4096, /* instances have the value of their prefab, not their own */
    /* some required type is dont_fragment: no signature tells whether an entity has it */
    SETTI_TYPE_REQUIRES_DONT_FRAGMENT = 8192,
    SETTI_TYPE_OTHER = 16384,    /* its storage is no array */
    SETTI_TYPE_GUARDED = 32768,  /* its values are links or keys: only its module sets them */
    SETTI_TYPE_CASCADES = 65536, /* its end has consequences for other entities */
    /* some type that requires it is dont_fragment: no signature tells that it has to go as well */
    SETTI_TYPE_REQUIRED_APART = 131072,
    SETTI_TYPE_ONE = 262144,    /* one entity at most has it */
    SETTI_TYPE_CHOSEN = 524288, /* setti_module.choice is, or was, another than the default */
    /* was read from a file as opaque bytes: the program has not registered it */
    SETTI_TYPE_FROM_FILE = 1048576,
    SETTI_TYPE_UNLINKS = 2097152 /* setti_cascade.alone */
};

#define SETTI_TYPE_SLOW_ADD                                                                        \
    (SETTI_TYPE_DONT_FRAGMENT | SETTI_TYPE_REQUIRES_DONT_FRAGMENT | SETTI_TYPE_LINKED |            \
     SETTI_TYPE_ONE)
#define SETTI_TYPE_LONG_ADD (SETTI_TYPE_SLOW_ADD | SETTI_TYPE_OTHER | SETTI_TYPE_CASCADES)
#define SETTI_TYPE_SLOW_SET                                                                        \
    (SETTI_TYPE_COPY | SETTI_TYPE_DEINIT | SETTI_TYPE_ON_SET | SETTI_TYPE_GUARDED)
#define SETTI_TYPE_SLOW_REMOVE                                                                     \
    (SETTI_TYPE_DONT_FRAGMENT | SETTI_TYPE_REQUIRED_APART | SETTI_TYPE_STAYS)
#define SETTI_TYPE_ADD_HOOKS (SETTI_TYPE_INIT | SETTI_TYPE_ON_ADD)
/* Endings that the user can see, and those that only the library does. */
#define SETTI_TYPE_ENDINGS (SETTI_TYPE_DEINIT | SETTI_TYPE_ON_REMOVE)
#define SETTI_TYPE_REMOVE_HOOKS (SETTI_TYPE_ENDINGS | SETTI_TYPE_CASCADES)

/* A callback of an event: the hook of the descriptor, or an observer. */
typedef struct setti_call {
    void (*fn)(sett_world* world, sett_entity entity, void* value, void* user);
    void* user;
    const char* name;               /* for messages: of the type, or of the observer */
    struct sett_observer* observer; /* NULL: the hook */
} setti_call;

/* All callbacks of an event, in the order of the calls. */
typedef struct setti_call_list {
    setti_call* item;
    uint32_t count;
    uint32_t capacity;
} setti_call_list;

/* A transition that this type took part in lately: most changes repeat one, and it spares the hash
 * of the edge. A type remembers a few, by signature: entities that lie side by side often
 * alternate. Never true: from == SETTI_NONE. */
#define SETTI_TRANSITIONS 4

typedef struct setti_transition {
    uint32_t from;
    uint32_t to;
} setti_transition;

struct setti_type;

/* What a module does with the links of a type when an entity with it is destroyed. Hooks are the
 * program's, these functions are the library's. Entities without such a type are destroyed as if
 * there were none. */
typedef struct setti_cascade {
    /* Called for each entity that is going to be destroyed: passes the entities that have to be
     * destroyed before it to setti_change_collect, which takes each once. If it fails, with its
     * message set, no entity is destroyed. Writes nothing. NULL: no other is destroyed. */
    sett_status (*collect)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Called for each entity of this list when the list is complete. Fails as `collect` does; else
     * it has reserved what `detach` needs (setti_change_reserve_stranded). NULL: nothing to do. */
    sett_status (*validate)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Whether an entity that survives loses its value, because all targets of the value are
     * destroyed. NULL: never. */
    bool (*stranded)(const sett_world* world, const struct setti_type* type, uint32_t index);
    /* Called for each entity that is destroyed, before the first one loses a value: removes the
     * values of surviving entities that lead to it, by setti_change_remove_stranded. Cannot fail.
     * NULL: nothing. */
    void (*detach)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Called before a value is erased, after all hooks. Entities that are destroyed together are
     * unlinked and destroyed one by one, the last found first. Needs no memory and cannot fail. */
    void (*unlink)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Only `unlink` is set, and it reads nothing but links of this type: it can be called after
     * other values of the entity are erased. */
    bool alone;

    /* The fast path if all entities that are destroyed together are plain (setti_change_is_plain)
     * and no callback runs; NULL: there is none. `begin` unlinks an entity from all that survive
     * and returns the first to be destroyed; SETTI_NONE, and nothing is done, if an entity is not
     * plain. `next`, called before an entity is destroyed, returns the one to be destroyed after
     * it. */
    uint32_t (*begin)(sett_world* world, struct setti_type* type, uint32_t index);
    uint32_t (*next)(sett_world* world, struct setti_type* type, uint32_t at);

    /* Gives back memory that is not in use, for sett_world_trim. NULL: there is none. */
    void (*trim)(sett_world* world, struct setti_type* type);
} setti_cascade;

/* How an entity ends. */
typedef enum setti_ending {
    SETTI_ENDING_DESTROY,
    SETTI_ENDING_ALL,   /* all entities go, so that links need no clean-up, and none is rejected */
    SETTI_ENDING_FORGET /* its handle can be created again */
} setti_ending;

/* Functions of change_destroy.c for types that cascade. A program without such types does not link
 * them. */
typedef struct setti_cascade_calls {
    /* Destroys an entity with a type that cascades, and all entities that this collects; fails,
     * with nothing destroyed, if one of them must not be destroyed. */
    sett_status (*destroy)(sett_world* world, struct setti_type* type, uint32_t index,
                           setti_ending ending);
    /* Makes room to collect so many entities of a type; false when memory runs out. */
    bool (*reserve)(sett_world* world, struct setti_type* type, uint64_t need);
} setti_cascade_calls;

/* Records of a type beside its values: in pages of their own, without gaps. A value begins a
 * list of them. */
typedef struct setti_records {
    setti_pages* pages;
    const uint32_t* count; /* of all; the root says it in other states */
    const setti_root* root;
    uint32_t listed, first, next;  /* offsets: in a value of its count and first, in a record */
    uint32_t shift;                /* records a page = 1 << shift */
    uint32_t size;                 /* bytes a record */
    uint32_t source, target, data; /* offsets: of an entity's index, of a handle, of data */
} setti_records;

/* Appends how values of two types of one name differ. Returns the length, 0 if their meaning is the
 * same. */
typedef int (*setti_value_difference)(const struct setti_type* a, const void* in_a,
                                      const struct setti_type* b, const void* in_b, char* out,
                                      size_t size);

/* The functions of a module for a type whose values are more than bytes, so that copies, checks and
 * statistics name no module. Each is optional. */
typedef struct setti_module {
    /* Returns NULL, or which part of the module's invariant does not hold. */
    const char* (*validate)(sett_world* world, struct setti_type* type);
    /* The pages beside those of the storage, or NULL. */
    const setti_pages* (*pages)(const sett_world* world, const struct setti_type* type);
    /* Registers the type in another world as it is in this one. To be given by every module whose
     * types cascade, or are added by its own calls only. */
    sett_status (*join)(sett_world* into, const sett_world* from, const struct setti_type* type);
    /* Whether two worlds' types of one name mean the same to the module. NULL: always. */
    bool (*same)(const struct setti_type* a, const struct setti_type* b);
    /* The program's choice for the type, less than `choices`, 0 by default: it goes with the
     * values to copies, and in deltas in place of the layout version, in all once the type is
     * SETTI_TYPE_CHOSEN. NULL: nothing. */
    uint32_t (*choice)(const struct setti_type* type);
    void (*choose)(struct setti_type* type, uint32_t choice);
    uint32_t choices;
    /* Writes how the values of an entity that both worlds have differ; `of_data` is for what the
     * program wrote. Returns the length, 0 if they are the same. NULL: by their bytes. */
    int (*difference)(sett_entity entity, const struct setti_type* a, const struct setti_type* b,
                      setti_value_difference of_data, char* out, size_t size);
    /* Writes what the type's value of an entity says, as one line. NULL: its members, or bytes. */
    void (*describe)(sett_world* world, const struct setti_type* type, sett_entity entity,
                     setti_writer* out);
    /* Whether an entity has a link of the type to `target`, or a value that it had (`old`) was one;
     * either may be null. NULL: its values are no links. */
    bool (*leads)(const sett_world* world, const struct setti_type* type, sett_entity entity,
                  const void* old, sett_entity target);
} setti_module;

typedef struct setti_type_list {
    struct setti_type** item;
    uint32_t count;
    uint32_t capacity;
} setti_type_list;

typedef struct setti_type {
    setti_storage storage;
    setti_transition added[SETTI_TRANSITIONS]; /* at from % SETTI_TRANSITIONS */
    setti_transition removed[SETTI_TRANSITIONS];
    /* tag of the entities in which it is switched off; NULL: it cannot be (world/enable.c) */
    struct setti_type* off;
    setti_call_list notified[SETTI_EVENTS];
    uint32_t flags; /* SETTI_TYPE_* */
    sett_component id;
    struct sett_world* world;
    /* the calls that write its values, for messages, where the library itself registered it and no
     * query may: see setti_component_guard; NULL: any */
    const char* writers;
    const setti_module* module;      /* or NULL */
    const struct setti_codec* codec; /* codec.h; NULL: none, or the library's own */
    const setti_records* records;    /* or NULL */
    /* what the program writes into a part of its values, or into records: see
     * setti_component_make_part; NULL: the values themselves */
    const struct setti_type* data_type;
    const setti_cascade* cascade; /* set by setti_component_set_cascade, or NULL */
    setti_type_list required; /* all, transitively; a type comes behind those that it requires */
    /* all that require it, transitively, in the order of registration */
    setti_type_list dependants;
    /* as registered, defaults resolved, what it points to owned by the pool; the mask is what of a
     * value counts, NULL: all bits */
    sett_component_desc desc;
    /* The text that desc.type_name was copied from: an address to compare with, not to be read. */
    const char* type_text;
    setti_members* members; /* or NULL: not known; desc.members is its `of` */
    /* or NULL: of the struct, with strings and lists, whose canonical form the `write` hook writes;
     * desc.members is its `of`, and `members` is NULL */
    setti_members* written;
    void* hook_user;       /* what copy, deinit and move get: desc.user, or `members` */
    uint64_t padding_hash; /* a hash of the mask, 0 without one */
    bool padding_known; /* it was registered with a mask, with ranges, or has no room for padding */
    setti_type_use use;
    /* registered with SETT_STORAGE_DEFAULT, and no call of the program has asked for another kind:
     * the library may choose its storage */
    bool default_storage;
    void* sample;               /* of a module that watches its use; NULL until it does */
    setti_root root;            /* of the storage */
    void* row;                  /* cloned and moved by hooks: room for a value on its way */
    uint32_t replace_observers; /* observers with on_replace */
    uint32_t claimed;           /* rows reserved and not taken yet, see edit_reserve.c */
    /* entries of world->collect_list for entities that have it: of types whose cascade collects */
    uint32_t collect_room;
    /* what the module that links entities holds of the type: of links; of their ends; or NULL */
    void* links;
    void* ends;
    struct setti_listener* owner; /* the group that arranges the storage, or NULL */
    sett_storage_kind
        registered;        /* desc.storage before conversions, to compare when it is registered
                            * again */
    uint64_t name_key;     /* in the table of names */
    uint32_t delta_number; /* while a delta is applied: one more than its number there; 0: none */
} setti_type;

/* Lists what differs between two resolved descriptors of one type, but for ids and what they
 * require; nothing if nothing does. The second adds to the list. */
void setti_component_differences(setti_writer* out, const sett_component_desc* present,
                                 const sett_component_desc* wanted);
void setti_component_differ_in(setti_writer* out, bool differs, const char* what);

/* Fills in the defaults of a descriptor. Returns NULL, or what is wrong with it. */
const char* setti_component_resolve(sett_component_desc* desc);

/* Functions of component_members.c that registering calls: found through a descriptor's members, so
 * that a program without any does not link it. */
typedef struct sett_member_calls_ {
    /* NULL, or what is wrong with the members of a resolved descriptor; `out` has
     * SETTI_VALUE_MESSAGE bytes. `mask` as for setti_members_check. Gives it the hooks that strings
     * and lists need. */
    const char* (*check)(sett_component_desc* desc, const sett_struct* of,
                         const unsigned char* mask, char* out);
    /* Gives a type its members, and what follows from them. False when memory runs out; nothing has
     * changed then. */
    bool (*give)(setti_pool* pool, setti_type* type, const sett_struct* of);
    bool (*equal)(const sett_struct* a, const sett_struct* b);
    sett_status (*set)(sett_world* world, setti_type* type, const sett_struct* of,
                       const char* call); /* setti_component_set_members */
} setti_member_calls;

/* Makes a type require one more, in a world that no edit is prepared in. Entities that lack it are
 * the caller's affair. False when memory runs out; nothing has changed then. */
bool setti_component_require(sett_world* world, setti_type* type, setti_type* needed);

/* Gives a type members that may be unknown yet; for sett_members_set. */
sett_status setti_component_set_members(sett_world* world, setti_type* type, const sett_struct* of,
                                        const char* call);

/* Returns NULL, or which part of the invariant of a type's members does not hold. */
const char* setti_component_validate_members(const setti_type* type);

/* The id for a type of this name that the library registers for itself: the one that it has; else
 * the constant of that name; else, for a type that goes with one of the program's, a free one
 * behind the reserved ids. */
sett_component setti_component_own_id(const sett_world* world, const char* name);

/* The remedy for an id that is not registered. */
const char* setti_component_remedy(sett_component id);

/* The name of a type, "?" if it is not registered. */
const char* setti_component_text(const sett_world* world, sett_component id);

/* Tries the names of all types. */
void setti_component_guess(const sett_world* world, setti_guess* guess);

/* Makes a type cascade, before any entity has it. */
void setti_component_set_cascade(sett_world* world, setti_type* type, const setti_cascade* cascade);

/* Values of the type lead elsewhere: setting them, by call, command, creation or query, would break
 * what they lead to. `writers` says in messages what to call instead. */
void setti_component_guard(setti_type* type, const char* writers);

/* Fails with ARGUMENT: `call` would set values of a guarded type. */
sett_status setti_component_reject_set(sett_world* world, const setti_type* type, const char* call);

/* Creates a type without a list entry, for values inside those of another type; its descriptor is
 * checked and copied. NULL, which is reported, on failure. The second frees it. */
setti_type* setti_component_make_part(sett_world* world, sett_component_desc* desc,
                                      const char* call);
void setti_component_free_parts(setti_pool* pool, setti_type* type);

/* Frees a type that is in no list any more; its id is free then. */
void setti_component_free(sett_world* world, setti_type* type);

/* An empty storage for the type as a resolved descriptor wants it. */
void setti_component_init_storage(const sett_world* world, setti_storage* storage, setti_type* type,
                                  const sett_component_desc* desc);

/* Makes room for one more; false when memory runs out. */
bool setti_call_list_reserve(setti_pool* pool, setti_call_list* list);

/* Whether values of the type are of this C type, as far as is known. `size` 0: not
 * compared; SIZE_MAX: those of a tag. */
bool setti_component_is_type(const setti_type* type, size_t size, const char* type_name);

/* Says that it is not. */
void setti_component_describe_type(const setti_type* type, size_t size, const char* type_name,
                                   char* out, size_t room);

/* Appends; false when memory runs out. */
bool setti_type_list_add(setti_pool* pool, setti_type_list* list, setti_type* type);

bool setti_type_list_has(const setti_type_list* list, const setti_type* type);

/* Frees the list itself. */
void setti_type_list_deinit(setti_pool* pool, setti_type_list* list);

/* The type of a name, or NULL. */
setti_type* setti_type_find(const struct sett_world* world, const char* name);

/* Gives a type the former names in a descriptor, unless that has none. */
sett_status setti_component_rename(struct sett_world* world, setti_type* type,
                                   const sett_component_desc* desc, const char* call);

/* Says whether types are read in line: not while use is profiled or a system is watched. */
void setti_component_show_types(struct sett_world* world);

/* bind.c: bound numbers that reading in line does not see. */
typedef struct setti_bind_rest {
    sett_bound_* slots; /* mask + 1 of them, or NULL */
    uint32_t mask;
    uint32_t count; /* slots in use, ended ones included */
} setti_bind_rest;

/* Shows bound numbers to readers, or none, after `front` or `hot_capacity` has changed. */
void setti_bind_show(struct sett_world* world);
/* A type that ends loses its numbers. */
void setti_bind_forget(struct sett_world* world, sett_component component);

/* Where a transition from this signature is remembered, if it is. */
SETTI_INLINE setti_transition* setti_type_added(setti_type* type, uint32_t from)
{
    return &type->added[from % SETTI_TRANSITIONS];
}

SETTI_INLINE setti_transition* setti_type_removed(setti_type* type, uint32_t from)
{
    return &type->removed[from % SETTI_TRANSITIONS];
}

static inline const setti_type* setti_type_data(const setti_type* type)
{
    return type->data_type != NULL ? type->data_type : type;
}

static inline void setti_type_forget_transitions(setti_type* type)
{
    for (uint32_t k = 0; k < SETTI_TRANSITIONS; k++) {
        type->added[k].from = SETTI_NONE;
        type->removed[k].from = SETTI_NONE;
    }
}

/* The hooks of values run with the world locked: it may be half changed. */
void setti_type_call_init(const setti_type* type, void* values, uint32_t count);
void setti_type_call_deinit(const setti_type* type, void* values, uint32_t count);
void setti_type_call_copy(const setti_type* type, void* to, const void* from, uint32_t count);
void setti_type_call_move(const setti_type* type, void* to, void* from, uint32_t count);
sett_status setti_type_call_read(const setti_type* type, void* value, const void* bytes,
                                 size_t size);

/* Where the type has no init hook: zero bytes. */
static inline void setti_type_init_values(const setti_type* type, void* values, uint32_t count)
{
    if (type->desc.init != NULL) {
        setti_type_call_init(type, values, count);
    } else {
        setti_row_zero(values, (size_t)count * type->storage.size);
    }
}

static inline void setti_type_copy_values(const setti_type* type, void* to, const void* from,
                                          uint32_t count)
{
    if (type->desc.copy != NULL) {
        setti_type_call_copy(type, to, from, count);
    } else {
        setti_row_copy(to, from, (size_t)count * type->storage.size);
    }
}

static inline void setti_type_deinit_values(const setti_type* type, void* values, uint32_t count)
{
    if (type->desc.deinit != NULL) {
        setti_type_call_deinit(type, values, count);
    }
}

/* The type that this tag switches off, or NULL: the last one that it requires. */
SETTI_INLINE const setti_type* setti_type_switched(const setti_type* type)
{
    uint32_t count = type->required.count;
    return count != 0 && type->required.item[count - 1]->off == type
               ? type->required.item[count - 1]
               : NULL;
}

/* `readable` of a world without types. */
extern const void* const setti_component_no_types[1];

/* Whether the entity at an index has the type, switched on. */
SETTI_INLINE bool setti_type_is_on(const setti_type* type, uint32_t index)
{
    return setti_storage_has(&type->storage, index) &&
           (type->off == NULL || !setti_storage_has(&type->off->storage, index));
}

#endif
