/* component.h: component types. setti_type begins with the storage, so that the fields that every
 * access reads lie together. */
#ifndef SETTI_COMPONENT_H
#define SETTI_COMPONENT_H

#include "sett/core.h"
#include "store/storage.h"
#include "value/value.h"
#include "world/root.h"
#include "world/use.h"

#define SETTI_COMPONENT_LIBRARY ((sett_component)SETT_ID_HIERARCHY)

/* Ids are lower: the table of types takes 8 bytes an id. */
#define SETTI_COMPONENT_LIMIT ((sett_component)1 << 20)

/* Events of a value. */
typedef enum setti_event {
    SETTI_ON_ADD,
    SETTI_ON_SET,
    SETTI_ON_REMOVE,
    SETTI_ON_EVENT, /* of the program's own */
    SETTI_EVENTS
} setti_event;

/* Flags of a type: each says why some changes cannot take the fast path. */
enum {
    SETTI_TYPE_DONT_FRAGMENT = 1, /* takes no part in signatures */
    SETTI_TYPE_REQUIRES = 2,      /* requires other types */
    SETTI_TYPE_REQUIRED = 4,      /* some type requires it */
    SETTI_TYPE_INIT = 8,          /* has the hook init */
    SETTI_TYPE_COPY = 16,         /* has the hook copy */
    SETTI_TYPE_DEINIT = 32,       /* has the hook deinit */
    /* SETTI_TYPE_ON_ADD << event: has callbacks of the event, the descriptor's or observers' */
    SETTI_TYPE_ON_ADD = 64,
    SETTI_TYPE_ON_SET = 128,
    SETTI_TYPE_ON_REMOVE = 256,
    SETTI_TYPE_ON_EVENT = 512,
    SETTI_TYPE_LINKED = 1024, /* its values are links: only its module adds it */
    SETTI_TYPE_STAYS = 2048,  /* its values are ends of links: removed only with its entity */
    SETTI_TYPE_SHARED = 4096, /* instances have the value of their prefab, not their own */
    /* requires a dont_fragment type: no signature tells whether an entity has that */
    SETTI_TYPE_REQUIRES_DONT_FRAGMENT = 8192,
    SETTI_TYPE_OTHER = 16384,    /* its storage is no array */
    SETTI_TYPE_GUARDED = 32768,  /* its values are links or keys: only its module sets them */
    SETTI_TYPE_CASCADES = 65536, /* setti_type.cascade is set */
    /* a dont_fragment type requires it: no signature tells that this has to be removed as well */
    SETTI_TYPE_REQUIRED_APART = 131072,
    SETTI_TYPE_ONE = 262144,    /* one entity at most has it */
    SETTI_TYPE_CHOSEN = 524288, /* setti_module.choice is, or was, not the default */
    /* a file brought it, with values as opaque bytes: the program has not registered it */
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
/* Removing a value runs functions of the program; or of the program or the library. */
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

/* How many transitions a type remembers for additions, and for removals: neighbouring entities
 * often alternate between a few signatures. */
#define SETTI_TRANSITIONS 4

/* A transition that added or removed the type lately. Most changes repeat one, and need no look-up
 * of the edge then. */
typedef struct setti_transition {
    uint32_t from; /* signature before; SETTI_NONE: no transition */
    uint32_t to;   /* signature after */
} setti_transition;

struct setti_type;

/* What a module does with the values of a type, which are links, when an entity with the type is
 * destroyed. These are functions of the library; the program has hooks. */
typedef struct setti_cascade {
    /* Called for each entity that is going to be destroyed: passes the entities that have to be
     * destroyed before it to setti_change_collect, which takes each once. If it fails, with its
     * message set, no entity is destroyed. Writes nothing. NULL: no other is destroyed. */
    sett_status (*collect)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Called for each collected entity when all are collected. Reserves what `detach` needs
     * (setti_change_reserve_stranded). Fails as `collect` does. NULL: nothing to do. */
    sett_status (*validate)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Whether an entity that survives loses its value, because all targets of the value are
     * destroyed. NULL: never. */
    bool (*stranded)(const sett_world* world, const struct setti_type* type, uint32_t index);
    /* Called for each collected entity, before the first of them is destroyed. Removes the values
     * of surviving entities that lead to it, by setti_change_remove_stranded. Cannot fail. NULL:
     * nothing to do. */
    void (*detach)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Takes a value out of its lists. Called before the value is erased, after all callbacks.
     * Entities that are destroyed together are unlinked and destroyed one by one, in the reverse
     * order of collecting. Needs no memory and cannot fail. */
    void (*unlink)(sett_world* world, struct setti_type* type, uint32_t index);
    /* Only `unlink` is set, and it reads nothing but links of this type: it can be called after
     * other values of the entity are erased. */
    bool alone;

    /* The fast path, for entities that are all plain (setti_change_is_plain). NULL: there is none.
     * `begin` unlinks the entity at an index from all that survive, and returns the first entity to
     * be destroyed; SETTI_NONE, with nothing done, if an entity is not plain. `next` is called
     * before an entity is destroyed, and returns the next one. */
    uint32_t (*begin)(sett_world* world, struct setti_type* type, uint32_t index);
    uint32_t (*next)(sett_world* world, struct setti_type* type, uint32_t at);

    /* Frees memory that is not in use, for sett_world_trim. NULL: there is none. */
    void (*trim)(sett_world* world, struct setti_type* type);
} setti_cascade;

/* How an entity ends. */
typedef enum setti_ending {
    SETTI_ENDING_DESTROY,
    SETTI_ENDING_ALL, /* all entities are destroyed: links need no clean-up, and none can reject */
    SETTI_ENDING_FORGET /* its handle can be created again */
} setti_ending;

/* Functions of change_destroy.c for types that cascade: programs without such types do not link
 * them. */
typedef struct setti_cascade_calls {
    /* Destroys an entity with a type that cascades, and all entities that this collects; fails,
     * with nothing destroyed, if one of them must not be destroyed. */
    sett_status (*destroy)(sett_world* world, struct setti_type* type, uint32_t index,
                           setti_ending ending);
    /* Makes room to collect `need` entities with a type; false when memory runs out. */
    bool (*reserve)(sett_world* world, struct setti_type* type, uint64_t need);
} setti_cascade_calls;

/* Records of a type beside its values, such as links: in pages of their own, without gaps. Each
 * value is the head of a list of records. */
typedef struct setti_records {
    setti_pages* pages;
    const uint32_t* count;  /* of all records, in the present state */
    const setti_root* root; /* has the count in other states */
    uint32_t listed;        /* offset in a value: how many records it has */
    uint32_t first;         /* offset in a value: its first record */
    uint32_t next;          /* offset in a record: the next one of the list */
    uint32_t shift;         /* records a page = 1 << shift */
    uint32_t size;          /* bytes a record */
    uint32_t source;        /* offset in a record: index of the entity that has the value */
    uint32_t target;        /* offset in a record: handle of the target */
    uint32_t data;          /* offset in a record: the program's data */
} setti_records;

/* Writes how values of two types of one name differ. Returns the length, 0 if they mean the
 * same. */
typedef int (*setti_value_difference)(const struct setti_type* a, const void* in_a,
                                      const struct setti_type* b, const void* in_b, char* out,
                                      size_t size);

/* The functions of a module for a type whose values are more than bytes. Copies, checks and
 * statistics call them, and name no module. Each is optional. */
typedef struct setti_module {
    /* Returns NULL, or which part of the module's invariant does not hold. */
    const char* (*validate)(sett_world* world, struct setti_type* type);
    /* The pages beside those of the storage, or NULL. */
    const setti_pages* (*pages)(const sett_world* world, const struct setti_type* type);
    /* Registers the type in another world as it is in this one. Required if the type cascades, or
     * only calls of the module add it. */
    sett_status (*join)(sett_world* into, const sett_world* from, const struct setti_type* type);
    /* Whether two worlds' types of one name mean the same to the module. NULL: always. */
    bool (*same)(const struct setti_type* a, const struct setti_type* b);
    /* An option of the type that the program can change, less than `choices`, 0 by default. Copies
     * of worlds get it with the values. Once the type is SETTI_TYPE_CHOSEN, all deltas have it, in
     * place of the layout version. NULL: there is none. */
    uint32_t (*choice)(const struct setti_type* type);
    void (*choose)(struct setti_type* type, uint32_t choice);
    uint32_t choices;
    /* Writes how the values of an entity that both worlds have differ; `of_data` is for what the
     * program wrote. Returns the length, 0 if they are the same. NULL: by their bytes. */
    int (*difference)(sett_entity entity, const struct setti_type* a, const struct setti_type* b,
                      setti_value_difference of_data, char* out, size_t size);
    /* Writes the type's value of an entity as one line. NULL: by its members, or bytes. */
    void (*describe)(sett_world* world, const struct setti_type* type, sett_entity entity,
                     setti_writer* out);
    /* Whether an entity has a link of the type to `target`, or had one in its value `old`. `entity`
     * may be null, `old` NULL. NULL: values of the type are no links. */
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
    /* the tag of entities that have it switched off (enable.c); NULL: it cannot be switched off */
    struct setti_type* off;
    setti_call_list notified[SETTI_EVENTS];
    uint32_t flags; /* SETTI_TYPE_* */
    sett_component id;
    struct sett_world* world;
    /* for messages: the calls that write its values, if neither sett_set nor queries may
     * (setti_component_guard); NULL: they may */
    const char* writers;
    const setti_module* module;      /* or NULL */
    const struct setti_codec* codec; /* codec.h; NULL: none, or one of the library's */
    const setti_records* records;    /* or NULL */
    /* the type of the program's data, if they are a part of the values, or in records
     * (setti_component_make_part); NULL: the values themselves */
    const struct setti_type* data_type;
    const setti_cascade* cascade; /* set by setti_component_set_cascade, or NULL */
    /* all types that it requires, transitively; each comes behind those that it requires itself */
    setti_type_list required;
    /* all types that require it, transitively, in the order of registration */
    setti_type_list dependants;
    /* as registered, with defaults resolved, and copies in the pool of all that it points to.
     * `mask` has a bit for each bit of a value that counts; NULL: all count */
    sett_component_desc desc;
    /* the text that desc.type_name was copied from: its address is compared, and never read */
    const char* type_text;
    setti_members* members; /* NULL: not known; else desc.members is its `of` */
    /* members of the struct whose canonical form the `write` hook writes, with strings and lists:
     * then desc.members is its `of`, and `members` is NULL; NULL: there is none */
    setti_members* written;
    void* hook_user;       /* passed to copy, deinit and move: desc.user, or `members` */
    uint64_t padding_hash; /* a hash of the mask, 0 without one */
    bool padding_known; /* it was registered with a mask, with ranges, or has no room for padding */
    setti_type_use use; /* counted for advice */
    /* registered with SETT_STORAGE_DEFAULT, and no call of the program has requested another kind:
     * the library may choose its storage */
    bool default_storage;
    void* sample;    /* of the module that watches its use; NULL until it does */
    setti_root root; /* of the storage */
    void* row; /* room for one value, if hooks clone and move values; NULL until it is needed */
    uint32_t replace_observers; /* observers with on_replace */
    uint32_t claimed;           /* rows that are reserved and not inserted, see edit_reserve.c */
    /* entries of world->collect_list that are reserved for its entities, if its cascade collects */
    uint32_t collect_room;
    void* links;                  /* of relationships, if its values are links; or NULL */
    void* ends;                   /* of relationships, if its values are ends of links; or NULL */
    struct setti_listener* owner; /* the group that arranges the storage, or NULL */
    /* desc.storage before conversions: compared if the type is registered again */
    sett_storage_kind registered;
    uint64_t name_key; /* in the table of names */
    /* while a delta is applied: 1 + the type's number in it; 0: it has none */
    uint32_t delta_number;
} setti_type;

/* Writes a list of what differs between two resolved descriptors of one type, except ids and
 * required types; nothing if they are equal. The second function adds an item to the list, if it
 * differs. */
void setti_component_differences(setti_writer* out, const sett_component_desc* present,
                                 const sett_component_desc* wanted);
void setti_component_differ_in(setti_writer* out, bool differs, const char* what);

/* Fills in the defaults of a descriptor. Returns NULL, or what is wrong with it. */
const char* setti_component_resolve(sett_component_desc* desc);

/* Functions of component_members.c that registering calls through a descriptor's members: programs
 * without members do not link it. */
typedef struct sett_member_calls_ {
    /* NULL, or what is wrong with the members of a resolved descriptor; `out` has
     * SETTI_VALUE_MESSAGE bytes. `mask` as for setti_members_check. Gives it the hooks that strings
     * and lists need. */
    const char* (*check)(sett_component_desc* desc, const sett_struct* of,
                         const unsigned char* mask, char* out);
    /* Gives a type its members, and sets what follows from them: mask, offsets, hooks. False when
     * memory runs out, with nothing changed. */
    bool (*give)(setti_pool* pool, setti_type* type, const sett_struct* of);
    bool (*equal)(const sett_struct* a, const sett_struct* b);
    sett_status (*set)(sett_world* world, setti_type* type, const sett_struct* of,
                       const char* call); /* setti_component_set_members */
} setti_member_calls;

/* Makes a type require one more. No edit is prepared, and the caller adds the required type to
 * entities that lack it. False when memory runs out, with nothing changed. */
bool setti_component_require(sett_world* world, setti_type* type, setti_type* needed);

/* Gives a type members, unless it has them; for sett_members_set. */
sett_status setti_component_set_members(sett_world* world, setti_type* type, const sett_struct* of,
                                        const char* call);

/* Returns NULL, or which part of the invariant of a type's members does not hold. */
const char* setti_component_validate_members(const setti_type* type);

/* The id for a type of this name that the library registers for itself: the id that it has; else
 * the constant SETT_ID_* of that name; else, for a type that belongs to one of the program's, a
 * free id behind the reserved ones. */
sett_component setti_component_own_id(const sett_world* world, const char* name);

/* The remedy for an id that is not registered. */
const char* setti_component_remedy(sett_component id);

/* The name of a type, "?" if it is not registered. */
const char* setti_component_text(const sett_world* world, sett_component id);

/* Tries the names of all types as a guess for a name that was not found. */
void setti_component_guess(const sett_world* world, setti_guess* guess);

/* Makes a type cascade, before any entity has it. */
void setti_component_set_cascade(sett_world* world, setti_type* type, const setti_cascade* cascade);

/* Guards a type whose values are links or keys: calls, commands, creation and queries cannot set
 * them any more, which would break lists or tables. `writers` names the calls to use instead, for
 * messages. */
void setti_component_guard(setti_type* type, const char* writers);

/* Fails with ARGUMENT: `call` would set values of a guarded type. */
sett_status setti_component_reject_set(sett_world* world, const setti_type* type, const char* call);

/* Creates a type that is in no list of the world, for data inside values of another type. Checks
 * and copies the descriptor. NULL, which is reported, on failure. The second function frees it. */
setti_type* setti_component_make_part(sett_world* world, sett_component_desc* desc,
                                      const char* call);
void setti_component_free_parts(setti_pool* pool, setti_type* type);

/* Frees a type that was removed from all lists, and its id. */
void setti_component_free(sett_world* world, setti_type* type);

/* An empty storage for the type as a resolved descriptor wants it. */
void setti_component_init_storage(const sett_world* world, setti_storage* storage, setti_type* type,
                                  const sett_component_desc* desc);

/* Makes room for one more call; false when memory runs out. */
bool setti_call_list_reserve(setti_pool* pool, setti_call_list* list);

/* The sizes of a C type for setti_component_is_type: not compared; that of a tag. */
#define SETTI_ANY_SIZE ((size_t)0)
#define SETTI_TAG_SIZE SIZE_MAX

/* Whether values of the type have this C type, as far as is known. */
bool setti_component_is_type(const setti_type* type, size_t size, const char* type_name);

/* Writes that values of the type do not have this C type. */
void setti_component_describe_type(const setti_type* type, size_t size, const char* type_name,
                                   char* out, size_t room);

/* Appends a type; false when memory runs out. */
bool setti_type_list_add(setti_pool* pool, setti_type_list* list, setti_type* type);

bool setti_type_list_has(const setti_type_list* list, const setti_type* type);

/* Frees the list, not its types. */
void setti_type_list_deinit(setti_pool* pool, setti_type_list* list);

/* The type of a name, or NULL. */
setti_type* setti_type_find(const struct sett_world* world, const char* name);

/* Gives a type the former names (`old_names`) of a descriptor, if it has any. */
sett_status setti_component_rename(struct sett_world* world, setti_type* type,
                                   const sett_component_desc* desc, const char* call);

/* Updates whether types are read in line: not while use is profiled or a system is watched. */
void setti_component_show_types(struct sett_world* world);

/* bind.c: bound numbers that reading in line does not see. */
typedef struct setti_bind_rest {
    sett_bound_* slots; /* mask + 1 of them, or NULL */
    uint32_t mask;
    uint32_t count; /* slots in use, ended ones included */
} setti_bind_rest;

/* Updates which bound numbers reading in line sees, after `front` or `hot_capacity` has changed. */
void setti_bind_show(struct sett_world* world);

/* Removes the bound numbers of a type that is unregistered. */
void setti_bind_forget(struct sett_world* world, sett_component component);

/* The place where a type remembers the transition from this signature; its `from` tells whether it
 * does. */
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

/* Run hooks of values, with the world locked, because a change may be half done. */
void setti_type_call_init(const setti_type* type, void* values, uint32_t count);
void setti_type_call_deinit(const setti_type* type, void* values, uint32_t count);
void setti_type_call_copy(const setti_type* type, void* to, const void* from, uint32_t count);
void setti_type_call_move(const setti_type* type, void* to, void* from, uint32_t count);
sett_status setti_type_call_read(const setti_type* type, void* value, const void* bytes,
                                 size_t size);

/* Initialises values by the hook init, or with zeroes. */
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

/* The type that a tag switches off, which is the last one that the tag requires; or NULL. */
SETTI_INLINE const setti_type* setti_type_switched(const setti_type* type)
{
    uint32_t count = type->required.count;
    return count != 0 && type->required.item[count - 1]->off == type
               ? type->required.item[count - 1]
               : NULL;
}

/* world->readable before a type is registered. */
extern const void* const setti_component_no_types[1];

/* Whether the entity at an index has the type, and it is not switched off. */
SETTI_INLINE bool setti_type_is_on(const setti_type* type, uint32_t index)
{
    return setti_storage_has(&type->storage, index) &&
           (type->off == NULL || !setti_storage_has(&type->off->storage, index));
}

#endif
