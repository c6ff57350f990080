/* model.h: the naive world that test_model.c holds Sett against. Plain arrays by entity index, one
 * bit a type for presence, and for each value the number that its bytes were made from. Everything
 * is written the obvious way, so that it can be believed.
 *
 *     model_types.c    which types of components there are
 *     model_value.c    the bytes of their values
 *     model.c          what changes in the model when something changes in the world
 *     model_hooks.c    what the world calls while it works
 *     model_compare.c  whether the world is what the model says
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_MODEL_H
#define SETT_TEST_MODEL_H

#include "check.h"
#include "sett/observer.h"
#include "sett/sett.h"

#define MODEL_INDICES 100000u
#define MODEL_TYPES_MAX 64
#define MODEL_GENERATION_MAX 0x7FFFFFFFu

/* ---- Types ----------------------------------------------------------------------------------- */

enum {
    MODEL_KEEP = 1,        /* keep_order */
    MODEL_NO_FRAGMENT = 2, /* dont_fragment */
    MODEL_TRACK = 4,       /* track_rows */
    MODEL_OWNED = 8,       /* values own memory: init, deinit, copy, move */
    MODEL_NOTIFIED = 16,   /* on_add, on_set, on_remove count */
    MODEL_SEEDED = 32,     /* init writes bytes that are not zero */
    MODEL_OWN_ID = 64,     /* registered with an id of our choice, descending */
    MODEL_SWITCHED = 128   /* can_disable: its switch is a type of the model, too, "<name> off" */
};

#define MODEL_INIT_SEED 7u

typedef struct model_type {
    const char* name;
    uint32_t size;
    uint32_t align;
    sett_storage_kind storage;
    uint32_t flags;          /* MODEL_* */
    const char* required[3]; /* names */
    uint32_t cap;            /* entities that may have it, about; 0: all */
    uint32_t number;         /* its place in model_types; the rest is worked out at the start */
    sett_component id;
    bool sparse_set;     /* now: conversions change it */
    bool by_default;     /* its storage is left to the library */
    uint64_t closure;    /* types that it requires, all the way */
    uint64_t dependants; /* types that require it, all the way */
    uint32_t off;        /* its switch, or of a switch, the type; MODEL_TYPES: it has none */
} model_type;

#define MODEL_DRAWN 48u /* types that operations draw; the switches follow */
#define MODEL_TYPES 56u

extern model_type model_types[];

uint32_t model_find_type(const char* name);

/* What to register a type with. The ids of what it requires go to `needed`, with room for 3. */
void model_describe(model_type* type, sett_component_desc* desc, sett_component* needed);

static inline uint64_t model_bit(uint32_t type)
{
    return (uint64_t)1 << type;
}

/* The lowest type of a set that is not empty. */
static inline uint32_t model_lowest(uint64_t set)
{
    uint32_t type = 0;
    while ((set >> type & 1) == 0) {
        type++;
    }
    return type;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* A value that owns memory and knows where it lies, so that a missing or doubled init, deinit,
 * copy or move shows. */
typedef struct model_owned {
    _Alignas(8) struct model_owned* self; /* 24 bytes also where addresses have 4 */
    _Alignas(8) uint32_t* block;
    _Alignas(8) uint64_t guard;
} model_owned;

#define MODEL_GUARD 0x0123456789ABCDEFu

/* The bytes that `seed` makes; seed 0 makes zeroes. */
void model_fill(void* value, size_t size, uint32_t seed);
bool model_filled(const void* value, size_t size, uint32_t seed);

/* Whether a value in the world is what `seed` makes. */
bool model_value_is(const model_type* type, const void* value, uint32_t seed);

/* Writes a value in the world, or in a batch's copy of it. */
void model_value_write(const model_type* type, void* value, uint32_t seed);

/* Makes a value outside of the world. Owned ones borrow `block`. */
void model_value_make(const model_type* type, void* value, uint32_t* block, uint32_t seed);

/* ---- The naive world ------------------------------------------------------------------------- */

typedef enum model_life {
    MODEL_FREE,
    MODEL_ALIVE,
    MODEL_RESERVED,
    MODEL_RETIRED
} model_life;

typedef enum model_command_kind {
    MODEL_CREATE,
    MODEL_DESTROY,
    MODEL_ADD,
    MODEL_SET,
    MODEL_REMOVE,
    MODEL_ENABLE, /* by the last bit of `seed`: on or off */
    MODEL_CLEAR
} model_command_kind;

typedef struct model_command {
    model_command_kind kind;
    sett_entity entity;
    uint32_t type;
    uint32_t seed;
} model_command;

/* A group, and the calls of its callbacks. */
typedef struct model_group {
    sett_group* group; /* NULL: there is none here now */
    char name[24];
    uint64_t owned; /* sets of types */
    uint64_t with;  /* with the owned ones */
    uint64_t without;
    bool notified;                 /* it has callbacks */
    uint8_t inside[MODEL_INDICES]; /* by index: a member, as the callbacks told */
    uint32_t inside_count;
} model_group;

/* Events of one kind: how many, and a sum over their entities and values, so that the order in
 * which a call goes through entities does not matter. */
typedef enum model_event {
    MODEL_ON_ADD,
    MODEL_ON_SET,
    MODEL_ON_REMOVE,
    MODEL_ON_EVENT, /* of the program's own, with a value of the type as payload */
    MODEL_EVENTS
} model_event;

typedef struct model_events {
    uint64_t calls;
    uint64_t sum;
} model_events;

/* An observer, and its calls. */
typedef struct model_observer {
    sett_observer* observer; /* NULL: there is none here now */
    char name[24];
    uint32_t type;        /* MODEL_TYPES: of a query, */
    model_group crossing; /* with these conditions; members by its callbacks */
    uint32_t wants;       /* bits by model_event */
    bool enabled;
    uint32_t left_to_live;             /* calls after which it ends itself; 0: it does not */
    model_events seen[MODEL_EVENTS];   /* its calls, and */
    model_events missed[MODEL_EVENTS]; /* what it was not, being disabled or not made yet */
} model_observer;

#define MODEL_OBSERVERS 8
#define MODEL_GROUPS 6
#define MODEL_BUFFERS 3
#define MODEL_COMMANDS 4096

typedef struct model_world {
    sett_world* world;
    sett_commands* buffer[MODEL_BUFFERS];
    model_command command[MODEL_BUFFERS][MODEL_COMMANDS];
    uint32_t command_count[MODEL_BUFFERS];

    uint8_t life[MODEL_INDICES];        /* model_life */
    uint32_t generation[MODEL_INDICES]; /* of who lives there, or of who will next */
    uint64_t mask[MODEL_INDICES];       /* types that the entity has */
    uint32_t live[MODEL_INDICES];       /* indices alive, in no order */
    uint32_t place[MODEL_INDICES];      /* of an index in `live` */
    uint32_t lowest;                    /* no index below is free */
    uint32_t alive;
    uint32_t reserved;
    uint32_t retired;

    uint32_t* seed[MODEL_TYPES_MAX];  /* by index: what the value was made from */
    uint64_t* tick[MODEL_TYPES_MAX];  /* by index: when it was written */
    uint32_t* stamp[MODEL_TYPES_MAX]; /* by index: when it was added, for the order of keep_order */
    uint32_t stamps;
    uint32_t count[MODEL_TYPES_MAX]; /* entities that have it */
    uint64_t now;

    uint64_t added[MODEL_TYPES_MAX]; /* calls of the hooks that there should have been */
    uint64_t set[MODEL_TYPES_MAX];
    uint64_t removed[MODEL_TYPES_MAX];
    uint64_t notified_added[MODEL_TYPES_MAX]; /* and that there were */
    uint64_t notified_set[MODEL_TYPES_MAX];
    uint64_t notified_removed[MODEL_TYPES_MAX];
    model_events event[MODEL_TYPES_MAX][MODEL_EVENTS]; /* of types in `observed`, all there were */
    uint64_t observed;                                 /* types */
    uint64_t owned_live;    /* owned values that exist, in the world and in commands */
    uint64_t owned_waiting; /* of these, in commands */

    model_group group[MODEL_GROUPS];
    uint64_t group_owned; /* types that groups own */
    model_observer observer[MODEL_OBSERVERS];

    bool plain;      /* no type is dont_fragment: then destroying takes a shorter way */
    bool destroying; /* a call runs that destroys whole entities: hooks see all their components */
    char reason[256];
} model_world;

extern model_world model;

/* The world begins and ends with its model. `plain`: no type is dont_fragment. */
void model_begin(model_world* m, bool plain);
void model_end(model_world* m);

/* Part of model_begin: registers the type of this number, after those that it requires. */
void model_register(model_world* m, uint32_t number);

static inline sett_entity model_handle(const model_world* m, uint32_t index)
{
    sett_entity entity;
    entity.index = index;
    entity.generation = m->generation[index];
    return entity;
}

static inline bool model_valid(const model_world* m, sett_entity entity)
{
    return entity.index < MODEL_INDICES && m->life[entity.index] == MODEL_ALIVE &&
           m->generation[entity.index] == entity.generation;
}

static inline bool model_has(const model_world* m, uint32_t index, uint32_t type)
{
    return (m->mask[index] >> type & 1) != 0;
}

static inline bool model_is_dont_fragment(const model_world* m, uint32_t type)
{
    return (model_types[type].flags & MODEL_NO_FRAGMENT) != 0 && !m->plain;
}

/* Of the types that an entity has, those that queries see: not the ones switched off. */
static inline uint64_t model_seen(uint64_t mask)
{
    for (uint64_t rest = mask >> MODEL_DRAWN << MODEL_DRAWN; rest != 0; rest &= rest - 1) {
        mask &= ~model_bit(model_types[model_lowest(rest)].off);
    }
    return mask;
}

static inline bool model_is_member(const model_group* group, uint64_t mask)
{
    mask = model_seen(mask);
    return (mask & group->with) == group->with && (mask & group->without) == 0;
}

static inline uint32_t model_members(const model_world* m, const model_group* group)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < m->alive; k++) {
        count += model_is_member(group, m->mask[m->live[k]]);
    }
    return count;
}

static inline uint32_t model_room(const model_world* m)
{
    return MODEL_INDICES - m->alive - m->reserved - m->retired;
}

/* ---- What changes ---------------------------------------------------------------------------- */

void model_create(model_world* m, sett_entity entity);
void model_destroy(model_world* m, uint32_t index);
void model_forget(model_world* m, uint32_t index);

/* Switches a type that the entity has on or off. */
void model_enable(model_world* m, uint32_t index, uint32_t type, bool on);

/* Adds a type after what it requires. */
void model_add(model_world* m, uint32_t index, uint32_t type);
void model_set(model_world* m, uint32_t index, uint32_t type, uint32_t seed);

/* The value becomes what `seed` makes; written now. */
void model_write(model_world* m, uint32_t index, uint32_t type, uint32_t seed);

/* Removes a type, and those that require it. */
void model_remove(model_world* m, uint32_t index, uint32_t type);

/* Removes these types as they are. */
void model_remove_set(model_world* m, uint32_t index, uint64_t types);

/* A group begins: its members are inside without callbacks. */
void model_enter_all(const model_world* m, model_group* group);

/* ---- What the world calls -------------------------------------------------------------------- */

/* The hooks that a type of these flags has. */
void model_give_hooks(const model_type* type, sett_component_desc* desc);

/* Of groups and of observers of queries; `user` is the model_group. */
void model_on_enter(sett_world* world, sett_entity entity, void* user);
void model_left(sett_world* world, sett_entity entity, void* user);

/* Of observers of a type; `user` is the model_observer. */
void model_observe_add(sett_world* world, sett_entity entity, void* value, void* user);
void model_observe_set(sett_world* world, sett_entity entity, void* value, void* user);
void model_observe_remove(sett_world* world, sett_entity entity, void* value, void* user);
void model_observe_event(sett_world* world, sett_entity entity, void* value, void* user);

/* What a value adds to the sum of events. */
uint64_t model_event_sum(model_event event, uint32_t index, const void* bytes, size_t size);

/* ---- Comparing ------------------------------------------------------------------------------- */

/* NULL, or how the world differs; of one index, which may be free: */
const char* model_compare_index(model_world* m, uint32_t index);
const char* model_compare_value(model_world* m, uint32_t index, uint32_t type);
const char* model_compare_list(model_world* m, uint32_t index);

/* Of everything that is counted, and of all that there is. */
const char* model_compare_counts(model_world* m);
const char* model_compare_groups(model_world* m);
const char* model_compare_observers(model_world* m);
const char* model_compare(model_world* m);

#endif
