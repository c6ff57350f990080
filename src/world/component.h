/* component.h: component types. The record of a type begins with its storage: what every access
 * reads lies together. */
#ifndef SETTI_COMPONENT_H
#define SETTI_COMPONENT_H

#include "sett/sett.h"
#include "store/storage.h"
#include "world/root.h"

/* Ids stay below: the table of types is 8 bytes an id. */
#define SETTI_COMPONENT_LIMIT ((sett_component)1 << 20)

/* Why a change of this type cannot take the short way through change.c. */
enum {
    SETTI_TYPE_LOOSE = 1,        /* takes no part in signatures */
    SETTI_TYPE_REQUIRES = 2,     /* has required types */
    SETTI_TYPE_REQUIRED = 4,     /* some type requires it */
    SETTI_TYPE_ADD_HOOKS = 8,    /* init or on_add */
    SETTI_TYPE_SET_HOOKS = 16,   /* copy or on_set */
    SETTI_TYPE_REMOVE_HOOKS = 32 /* deinit or on_remove */
};

#define SETTI_TYPE_SLOW_ADD (SETTI_TYPE_LOOSE | SETTI_TYPE_REQUIRES)
#define SETTI_TYPE_SLOW_SET (SETTI_TYPE_SET_HOOKS | SETTI_TYPE_REMOVE_HOOKS)
#define SETTI_TYPE_SLOW_REMOVE (SETTI_TYPE_LOOSE | SETTI_TYPE_REQUIRED)

/* A transition that this type took part in lately: most changes repeat one, and it spares the hash
 * of the edge. A type remembers a few, by signature: entities that lie side by side often
 * alternate. Never true: from == SETTI_NONE. */
#define SETTI_TRANSITIONS 4

typedef struct setti_transition {
    uint32_t from;
    uint32_t to;
} setti_transition;

typedef struct setti_type_list {
    struct setti_type** item;
    uint32_t count;
    uint32_t capacity;
} setti_type_list;

typedef struct setti_type {
    setti_storage storage;
    setti_transition added[SETTI_TRANSITIONS]; /* at from % SETTI_TRANSITIONS */
    setti_transition removed[SETTI_TRANSITIONS];
    uint32_t flags; /* SETTI_TYPE_* */
    sett_component id;
    setti_type_list required; /* all, transitively; a type comes behind those that it requires */
    /* all that require it, transitively, in the order of registration */
    setti_type_list dependants;
    /* as registered, defaults resolved, what it points to owned by the pool */
    sett_component_desc desc;
    struct {
        uint64_t added, removed, accessed; /* single entities, while recording */
    } use;
    setti_root root;              /* of the storage */
    struct setti_listener* owner; /* the group that arranges the storage, or NULL */
    sett_storage_kind
        registered;    /* desc.storage before conversions: what registering again is held to */
    uint64_t name_key; /* in the table of names */
} setti_type;

/* Fills in the defaults of a descriptor. Returns NULL, or what is wrong with it. */
const char* setti_component_resolve(sett_component_desc* desc);

/* An empty storage as a resolved descriptor wants it. */
void setti_component_init_storage(setti_storage* storage, const sett_component_desc* desc);

/* Appends; false when memory runs out. */
bool setti_type_list_add(setti_pool* pool, setti_type_list* list, setti_type* type);

bool setti_type_list_has(const setti_type_list* list, const setti_type* type);

/* Frees the list itself. */
void setti_type_list_deinit(setti_pool* pool, setti_type_list* list);

/* Where a transition from this signature is remembered, if it is. */
SETTI_INLINE setti_transition* setti_type_added(setti_type* type, uint32_t from)
{
    return &type->added[from % SETTI_TRANSITIONS];
}

SETTI_INLINE setti_transition* setti_type_removed(setti_type* type, uint32_t from)
{
    return &type->removed[from % SETTI_TRANSITIONS];
}

static inline void setti_type_forget_transitions(setti_type* type)
{
    for (uint32_t k = 0; k < SETTI_TRANSITIONS; k++) {
        type->added[k].from = SETTI_NONE;
        type->removed[k].from = SETTI_NONE;
    }
}

/* Where the type has no init hook: zero bytes. */
static inline void setti_type_init_values(const setti_type* type, void* values, uint32_t count)
{
    if (type->desc.init != NULL) {
        type->desc.init(values, count, type->desc.user);
    } else {
        setti_row_zero(values, (size_t)count * type->storage.size);
    }
}

static inline void setti_type_copy_values(const setti_type* type, void* to, const void* from,
                                          uint32_t count)
{
    if (type->desc.copy != NULL) {
        type->desc.copy(to, from, count, type->desc.user);
    } else {
        setti_row_copy(to, from, (size_t)count * type->storage.size);
    }
}

static inline void setti_type_deinit_values(const setti_type* type, void* values, uint32_t count)
{
    if (type->desc.deinit != NULL) {
        type->desc.deinit(values, count, type->desc.user);
    }
}

#endif
