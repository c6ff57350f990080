/* component.h: component types. */
#ifndef SETTI_COMPONENT_H
#define SETTI_COMPONENT_H

#include "sett/core.h"
#include "store/storage.h"
#include "value/value.h"
#include "world/root.h"
#include "world/use.h"

/* The first id of the library's types. */
#define SETTI_COMPONENT_LIBRARY ((sett_component)SETT_ID_HIERARCHY)

/* Component ids are less than this limit: the table of types takes 8 bytes an id. */
#define SETTI_COMPONENT_LIMIT ((sett_component)1 << 20)

/* What happens to a value, so that callbacks run. */
typedef enum setti_event {
    SETTI_ON_ADD,
    SETTI_ON_SET,
    SETTI_ON_REMOVE,
    SETTI_ON_EVENT, /* an event that the program sends */
    SETTI_EVENTS    /* number of events */
} setti_event;

/* Flags of a type. Each flag keeps some changes from the fast path. */
enum {
    SETTI_TYPE_DONT_FRAGMENT = 1, /* takes no part in signatures */
    SETTI_TYPE_REQUIRES = 2,      /* requires other types */
    SETTI_TYPE_REQUIRED = 4,      /* is required by other types */
    SETTI_TYPE_INIT = 8,          /* has the hook init */
    SETTI_TYPE_COPY = 16,         /* has the hook copy */
    SETTI_TYPE_DEINIT = 32,       /* has the hook deinit */
    /* SETTI_TYPE_ON_ADD << event: the descriptor or an observer has a callback for the event */
    SETTI_TYPE_ON_ADD = 64,
    SETTI_TYPE_ON_SET = 128,
    SETTI_TYPE_ON_REMOVE = 256,
    SETTI_TYPE_ON_EVENT = 512,
    SETTI_TYPE_LINKED = 1024, /* values are links: only the module adds the type */
    SETTI_TYPE_STAYS = 2048,  /* values list incoming links: removed only with the entity */
    SETTI_TYPE_SHARED = 4096, /* instances read the value of their prefab */
    /* requires a dont_fragment type */
    SETTI_TYPE_REQUIRES_DONT_FRAGMENT = 8192,
    SETTI_TYPE_OTHER = 16384,    /* the storage is not an array */
    SETTI_TYPE_GUARDED = 32768,  /* values are links or keys: only the module sets values */
    SETTI_TYPE_CASCADES = 65536, /* setti_type.cascade is set */
    /* is required by a dont_fragment type */
    SETTI_TYPE_REQUIRED_APART = 131072,
    SETTI_TYPE_ONE = 262144, /* at most one entity has the type */
    /* setti_module.choice was not 0 at some time, so deltas contain the choice */
    SETTI_TYPE_CHOSEN = 524288,
    /* created by loading a file, not registered by the program */
    SETTI_TYPE_FROM_FILE = 1048576,
    SETTI_TYPE_UNLINKS = 2097152 /* setti_cascade.alone is set */
};

/* The fast paths of adding, setting and removing are not for types with such a flag. With a flag of
 * LONG_ADD, sett_add cannot add the type in line. */
#define SETTI_TYPE_SLOW_ADD                                                                        \
    (SETTI_TYPE_DONT_FRAGMENT | SETTI_TYPE_REQUIRES_DONT_FRAGMENT | SETTI_TYPE_LINKED |            \
     SETTI_TYPE_ONE)
#define SETTI_TYPE_LONG_ADD (SETTI_TYPE_SLOW_ADD | SETTI_TYPE_OTHER | SETTI_TYPE_CASCADES)
#define SETTI_TYPE_SLOW_SET                                                                        \
    (SETTI_TYPE_COPY | SETTI_TYPE_DEINIT | SETTI_TYPE_ON_SET | SETTI_TYPE_GUARDED)
#define SETTI_TYPE_SLOW_REMOVE                                                                     \
    (SETTI_TYPE_DONT_FRAGMENT | SETTI_TYPE_REQUIRED_APART | SETTI_TYPE_STAYS)
#define SETTI_TYPE_ADD_HOOKS (SETTI_TYPE_INIT | SETTI_TYPE_ON_ADD)
/* If a type has one of these flags, removing a value runs functions of the program. */
#define SETTI_TYPE_ENDINGS (SETTI_TYPE_DEINIT | SETTI_TYPE_ON_REMOVE)
/* If a type has one of these flags, removing a value runs functions of the program or of the
 * library. */
#define SETTI_TYPE_REMOVE_HOOKS (SETTI_TYPE_ENDINGS | SETTI_TYPE_CASCADES)

/* A callback for an event: a hook of the descriptor, or an observer. */
typedef struct setti_call {
    void (*fn)(sett_world* world, sett_entity entity, void* value, void* user);
    void* user;
    const char* name;               /* for messages: name of the type or of the observer */
    struct sett_observer* observer; /* NULL: this is a hook of the descriptor */
} setti_call;

/* All callbacks for an event, in the order of the calls. */
typedef struct setti_call_list {
    setti_call* item;
    uint32_t count;
    uint32_t capacity;
} setti_call_list;

/* How many transitions of each kind a type remembers. More than one, because neighbouring entities
 * often alternate between signatures. */
#define SETTI_TRANSITIONS 4

/* A recent change of signature, by adding or removing the type. */
typedef struct setti_transition {
    uint32_t from; /* signature before; SETTI_NONE: no transition */
    uint32_t to;   /* signature after */
} setti_transition;

struct setti_type;

/* Functions of a module for a type with links. They clean up when an entity is destroyed. */
typedef struct setti_cascade {
    /* Collects, by setti_change_collect, the entities to destroy before the entity at `index`.
     * NULL: no other entity is destroyed. */
    sett_status (*collect)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Rejects the destruction, or reserves memory for `detach`. Runs when all entities are
     * collected. NULL: there is nothing to do. */
    sett_status (*validate)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Returns true if all targets of an entity's links are being destroyed. NULL: always false. */
    bool (*stranded)(const sett_world* world, const struct setti_type* type, uint32_t index);
    /* Removes links to a collected entity from surviving entities. NULL: there are no such
     * links. */
    void (*detach)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Takes a value out of the lists of links, before the value is erased. */
    void (*unlink)(sett_world* world, struct setti_type* type, uint32_t index);
    /* True if `collect`, `validate` and `detach` are NULL, and `unlink` reads only links of this
     * type. */
    bool alone;

    /* Begins the fast path of destroying the tree at an entity: unlinks the entity from all
     * surviving entities. Returns the first entity to destroy. Returns SETTI_NONE if an entity is
     * not plain (setti_change_is_plain). NULL: there is no fast path. */
    uint32_t (*begin)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Goes on with the fast path: returns the entity to destroy after the entity at `index`. Runs
     * before the entity at `index` is destroyed. */
    uint32_t (*next)(sett_world* world, struct setti_type* type, uint32_t index);

    /* Frees unused memory, for sett_world_trim. NULL: there is no unused memory. */
    void (*trim)(sett_world* world, struct setti_type* type);
} setti_cascade;

/* How an entity is destroyed. */
typedef enum setti_ending {
    SETTI_ENDING_DESTROY,
    SETTI_ENDING_ALL,   /* together with all other entities */
    SETTI_ENDING_FORGET /* the handle can be created again */
} setti_ending;

/* Functions of change_destroy.c. Programs without cascading types do not link these functions. */
typedef struct setti_cascade_calls {
    /* Destroys an entity and all entities that the cascades collect. If one of them must not be
     * destroyed, destroys none, and returns an error. */
    sett_status (*destroy)(sett_world* world, struct setti_type* type, uint32_t index,
                           setti_ending ending);
    /* Makes room to collect `need` entities with a type. Returns false if memory runs out. */
    bool (*reserve)(sett_world* world, struct setti_type* type, uint64_t need);
} setti_cascade_calls;

/* Where a type has records in addition to its values, for example links. Each value is the head of
 * a list of records. */
typedef struct setti_records {
    setti_pages* pages;     /* without gaps */
    const uint32_t* count;  /* number of all records in the present state */
    const setti_root* root; /* has the count of other states, for example of snapshots */
    uint32_t listed;        /* offset in a value: number of records in the list */
    uint32_t first;         /* offset in a value: the first record */
    uint32_t next;          /* offset in a record: the next record of the list */
    uint32_t shift;         /* a page has 1 << shift records */
    uint32_t size;          /* bytes of a record */
    uint32_t source;        /* offset in a record: index of the entity with the value */
    uint32_t target;        /* offset in a record: handle of the target */
    uint32_t data;          /* offset in a record: the program's data */
} setti_records;

/* Writes how a value of type `a` differs from a value of type `b`. Returns the length of the text.
 * Returns 0 if the values are equal. */
typedef int (*setti_value_difference)(const struct setti_type* a, const void* in_a,
                                      const struct setti_type* b, const void* in_b, char* out,
                                      size_t size);

/* Functions of a module for a type with values that are more than bytes. Each function is
 * optional. */
typedef struct setti_module {
    /* Returns NULL, or which part of the module's invariant is violated. */
    const char* (*validate)(sett_world* world, struct setti_type* type);
    /* Returns the module's own pages, or NULL. */
    const setti_pages* (*pages)(const sett_world* world, const struct setti_type* type);
    /* Registers in `to_world` a type of `from_world`. A module needs this function if the type
     * cascades, or if only calls of the module add the type. */
    sett_status (*join)(sett_world* to_world, const sett_world* from_world,
                        const struct setti_type* type);
    /* Returns true if types `a` and `b` of two worlds mean the same. NULL: always true. */
    bool (*same)(const struct setti_type* a, const struct setti_type* b);
    /* Returns an option that the program can change. The option is a number below `choices`, 0 by
     * default. NULL: there is no option. */
    uint32_t (*choice)(const struct setti_type* type);
    void (*choose)(struct setti_type* type, uint32_t choice);
    uint32_t choices;
    /* Writes how the values of an entity in two worlds differ. `data_difference` compares the
     * program's data. Returns the length of the text, or 0 if the values are equal. NULL: bytes are
     * compared. */
    int (*difference)(sett_entity entity, const struct setti_type* a, const struct setti_type* b,
                      setti_value_difference data_difference, char* out, size_t size);
    /* Writes the entity's value as one line. NULL: members or bytes are written. */
    void (*describe)(sett_world* world, const struct setti_type* type, sett_entity entity,
                     setti_writer* out);
    /* Returns true if the present value of `entity` links to `target`, or if the former value `old`
     * does. NULL: values of the type are no links. */
    bool (*leads)(const sett_world* world, const struct setti_type* type, sett_entity entity,
                  const void* old, sett_entity target);
} setti_module;

typedef struct setti_type_list {
    struct setti_type** item;
    uint32_t count;
    uint32_t capacity;
} setti_type_list;

typedef struct setti_type {
    setti_storage storage; /* first, because every access reads fields of the storage */
    /* recent transitions by adding the type. A transition is at index `from` % SETTI_TRANSITIONS */
    setti_transition added[SETTI_TRANSITIONS];
    /* recent transitions by removing the type */
    setti_transition removed[SETTI_TRANSITIONS];
    /* the tag that switches the type off (enable.c), or NULL */
    struct setti_type* off;
    setti_call_list notified[SETTI_EVENTS];
    uint32_t flags; /* SETTI_TYPE_* */
    sett_component id;
    struct sett_world* world;
    /* the calls that write values of a guarded type, for messages; NULL: sett_set writes values */
    const char* writers;
    const setti_module* module;      /* or NULL */
    const struct setti_codec* codec; /* or NULL; setti_codec_own finds codecs of the library */
    const setti_records* records;    /* NULL: the type has no records */
    /* the type of the program's data in a value (setti_component_make_part); NULL: the whole value
     * is data */
    const struct setti_type* data_type;
    const setti_cascade* cascade; /* set by setti_component_set_cascade, or NULL */
    /* all types that this type requires, directly or through others; each comes after the types
     * that it requires */
    setti_type_list required;
    /* all types that require this type, directly or through others, in the order of registration */
    setti_type_list dependants;
    /* the registered options, with defaults; pointers lead to copies in the pool. If `mask` is
     * NULL, all bits count */
    sett_component_desc desc;
    /* the address of the registered text of desc.type_name: only the address is compared */
    const char* type_text;
    setti_members* members; /* or NULL */
    /* members of the form that the `write` hook writes, or NULL */
    setti_members* written;
    void* hook_user;       /* passed to the hooks copy, deinit and move: desc.user, or `members` */
    uint64_t padding_hash; /* a hash of the mask; 0: there is no mask */
    bool padding_known;    /* it is known which bytes are padding */
    setti_type_use use;    /* counts of accesses and changes, for advice */
    /* the library may choose the kind of storage */
    bool default_storage;
    void* sample;               /* data of the module that watches use; NULL: use is not watched */
    setti_root root;            /* describes `storage` in the lists of storages */
    void* row;                  /* memory for one value; NULL before the first use */
    uint32_t replace_observers; /* number of observers with on_replace */
    uint32_t claimed;           /* number of unused reservations, see edit_reserve.c */
    /* number of entries of world->collect_list that are reserved for this type */
    uint32_t collect_room;
    void* links; /* if the values are links: data of their relationship; or NULL */
    void* ends;  /* if the values list incoming links: data of their relationship; or NULL */
    struct setti_listener* owner; /* the group that arranges the storage, or NULL */
    /* the kind of storage as registered, before conversions */
    sett_storage_kind registered;
    uint64_t name_key; /* the key in the table of names */
    /* while a delta is applied: 1 + the type's number in the delta; 0: not in the delta */
    uint32_t delta_number;
} setti_type;

/* Writes a list of the differences between two resolved descriptors. */
void setti_component_differences(setti_writer* out, const sett_component_desc* present,
                                 const sett_component_desc* wanted);

/* Adds the item `what` to a list of differences if `differs` is true. */
void setti_component_differ_in(setti_writer* out, bool differs, const char* what);

/* Fills in the defaults of a descriptor, and checks it. Returns NULL, or what is wrong. */
const char* setti_component_resolve(sett_component_desc* desc);

/* Functions of component_members.c. Programs without members do not link this file. */
typedef struct sett_member_calls_ {
    /* Checks members, and gives a descriptor the hooks for strings and lists. Returns NULL, or what
     * is wrong. The text may be in `out`, of SETTI_VALUE_MESSAGE bytes. */
    const char* (*check)(sett_component_desc* desc, const sett_struct* structure,
                         const unsigned char* mask, char* out);
    /* Gives a type members. Sets the mask, offsets and hooks to match the members. Returns false if
     * memory runs out. */
    bool (*give)(setti_pool* pool, setti_type* type, const sett_struct* structure);
    bool (*equal)(const sett_struct* a, const sett_struct* b);
    /* This is setti_component_set_members. */
    sett_status (*set)(sett_world* world, setti_type* type, const sett_struct* structure,
                       const char* call);
} setti_member_calls;

/* Makes `type` require the type `needed`. The caller must add `needed` to all entities with `type`.
 * Returns false if memory runs out. */
bool setti_component_require(sett_world* world, setti_type* type, setti_type* needed);

/* Gives a type members. Reports an error if the type has other members. */
sett_status setti_component_set_members(sett_world* world, setti_type* type,
                                        const sett_struct* structure, const char* call);

/* Returns NULL, or which part of the invariant of component_members.c is violated. */
const char* setti_component_validate_members(const setti_type* type);

/* Returns the id of a type of the library. If the type is not registered yet, returns the id that
 * it will get. */
sett_component setti_component_own_id(const sett_world* world, const char* name);

/* Returns the text for messages that says how to register a component. */
const char* setti_component_remedy(sett_component id);

/* Returns the name of a type, or "?" if the id is not registered. */
const char* setti_component_text(const sett_world* world, sett_component id);

/* Looks among the names of all types for the name that was meant by an unknown name. */
void setti_component_guess(const sett_world* world, setti_guess* guess);

/* Makes a type cascade. The caller ensures that no entity has the type yet. */
void setti_component_set_cascade(sett_world* world, setti_type* type, const setti_cascade* cascade);

/* Keeps the program from setting values of a type. `writers` names the calls to use instead. */
void setti_component_guard(setti_type* type, const char* writers);

/* Reports that `call` must not set values of a guarded type. Returns the error. */
sett_status setti_component_reject_set(sett_world* world, const setti_type* type, const char* call);

/* Creates a type for data inside values of another type. The world does not list the type. */
setti_type* setti_component_make_part(sett_world* world, sett_component_desc* desc,
                                      const char* call);

/* Frees a type that is in no list of the world. */
void setti_component_free_parts(setti_pool* pool, setti_type* type);

/* Frees a type that was removed from all lists, and frees its id. */
void setti_component_free(sett_world* world, setti_type* type);

/* Initialises an empty storage with the options of a descriptor. */
void setti_component_init_storage(const sett_world* world, setti_storage* storage, setti_type* type,
                                  const sett_component_desc* desc);

/* Makes room for one more callback. Returns false if memory runs out. */
bool setti_call_list_reserve(setti_pool* pool, setti_call_list* list);

/* Special sizes for setti_component_is_type. */
#define SETTI_ANY_SIZE ((size_t)0) /* any size is accepted */
#define SETTI_TAG_SIZE SIZE_MAX    /* the C type is a tag */

/* Returns false if values of the type are known to have another C type than `type_name`, or another
 * size. */
bool setti_component_is_type(const setti_type* type, size_t size, const char* type_name);

/* Writes a message: values of the type do not have the C type `type_name`.
 *   room  bytes of `out` */
void setti_component_describe_type(const setti_type* type, size_t size, const char* type_name,
                                   char* out, size_t room);

/* Adds a type to the end of a list. Returns false if memory runs out. */
bool setti_type_list_add(setti_pool* pool, setti_type_list* list, setti_type* type);

bool setti_type_list_has(const setti_type_list* list, const setti_type* type);

/* Frees the list, but not the types. */
void setti_type_list_deinit(setti_pool* pool, setti_type_list* list);

/* Returns the type with a present or former name, or NULL. */
setti_type* setti_type_find(const struct sett_world* world, const char* name);

/* Replaces the former names of a type by those in a descriptor, if there are any. */
sett_status setti_component_rename(struct sett_world* world, setti_type* type,
                                   const sett_component_desc* desc, const char* call);

/* Decides which types programs read in line: all types, but none while accesses are watched. */
void setti_component_show_types(struct sett_world* world);

/* The bound numbers that programs do not find in line (bind.c). */
typedef struct setti_bind_rest {
    sett_bound_* slots; /* an array of mask + 1 slots, or NULL */
    uint32_t mask;
    uint32_t count; /* number of used slots, including slots whose type was unregistered */
} setti_bind_rest;

/* Removes the bound numbers of a type that is unregistered. */
void setti_bind_forget(struct sett_world* world, sett_component component);

/* Returns the entry for the transition from `signature` by adding the type. The entry may have a
 * transition from another signature, or none: the caller compares `from`. */
SETTI_INLINE setti_transition* setti_type_added(setti_type* type, uint32_t signature)
{
    return &type->added[signature % SETTI_TRANSITIONS];
}

/* Like setti_type_added, for the transition by removing the type. */
SETTI_INLINE setti_transition* setti_type_removed(setti_type* type, uint32_t signature)
{
    return &type->removed[signature % SETTI_TRANSITIONS];
}

/* Returns the type of the program's data in a value. If the whole value is data, this is `type`. */
static inline const setti_type* setti_type_data(const setti_type* type)
{
    return type->data_type != NULL ? type->data_type : type;
}

static inline void setti_type_forget_transitions(setti_type* type)
{
    for (uint32_t k = 0; k < SETTI_TRANSITIONS; k++) {
        type->added[k] = (setti_transition){SETTI_NONE, SETTI_NONE};
        type->removed[k] = (setti_transition){SETTI_NONE, SETTI_NONE};
    }
}

/* Each of these functions runs a hook of a type. The world is locked while the hook runs. */
void setti_type_call_init(const setti_type* type, void* values, uint32_t count);
void setti_type_call_deinit(const setti_type* type, void* values, uint32_t count);
void setti_type_call_copy(const setti_type* type, void* copies, const void* originals,
                          uint32_t count);
void setti_type_call_move(const setti_type* type, void* destination, void* values, uint32_t count);
sett_status setti_type_call_read(const setti_type* type, void* value, const void* bytes,
                                 size_t size);

/* Initialises values by the hook init. Without this hook, values become zeroes. */
static inline void setti_type_init_values(const setti_type* type, void* values, uint32_t count)
{
    if (type->desc.init != NULL) {
        setti_type_call_init(type, values, count);
    } else {
        setti_row_zero(values, (size_t)count * type->storage.size);
    }
}

/* Copies values by the hook copy. Without this hook, copies their bytes. */
static inline void setti_type_copy_values(const setti_type* type, void* copies,
                                          const void* originals, uint32_t count)
{
    if (type->desc.copy != NULL) {
        setti_type_call_copy(type, copies, originals, count);
    } else {
        setti_row_copy(copies, originals, (size_t)count * type->storage.size);
    }
}

/* Ends values by the hook deinit, if the type has this hook. */
static inline void setti_type_deinit_values(const setti_type* type, void* values, uint32_t count)
{
    if (type->desc.deinit != NULL) {
        setti_type_call_deinit(type, values, count);
    }
}

/* If `type` is an `off` tag, returns the type that the tag switches off. Otherwise returns NULL. */
SETTI_INLINE const setti_type* setti_type_switched(const setti_type* type)
{
    uint32_t count = type->required.count;
    if (count == 0) {
        return NULL;
    }
    /* an `off` tag requires the type that it switches off; this is the last of the required
     * types */
    const setti_type* last = type->required.item[count - 1];
    return last->off == type ? last : NULL;
}

/* The value of world->readable before the first type is registered. */
extern const void* const setti_component_no_types[1];

/* Returns true if the entity at an index has the type, and the type is not switched off. */
SETTI_INLINE bool setti_type_is_on(const setti_type* type, uint32_t index)
{
    return setti_storage_has(&type->storage, index) &&
           (type->off == NULL || !setti_storage_has(&type->off->storage, index));
}

#endif
