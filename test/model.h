/* model.h: the naive world that test_model.c holds Sett against. Plain arrays by entity index, one
 * bit a type for presence, and for each value the number that its bytes were made from. Everything
 * is written the obvious way, so that it can be believed.
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
    MODEL_KEEP = 1,    /* keep_order */
    MODEL_LOOSE = 2,   /* loose */
    MODEL_TRACK = 4,   /* track_rows */
    MODEL_OWNED = 8,   /* values own memory: init, deinit, copy, move */
    MODEL_TOLD = 16,   /* on_add, on_set, on_remove count */
    MODEL_SEEDED = 32, /* init writes bytes that are not zero */
    MODEL_OWN_ID = 64  /* registered with an id of our choice, descending */
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
    bool packed;         /* now: conversions change it */
    uint64_t closure;    /* types that it requires, all the way */
    uint64_t dependants; /* types that require it, all the way */
} model_type;

#define MATRIX SETT_STORAGE_MATRIX
#define PACKED SETT_STORAGE_PACKED
#define BEST SETT_STORAGE_DEFAULT
#define LATER 0, 0, false, 0, 0 /* what model_register works out */

/* clang-format off */
static model_type model_types[] = {
    {"m1",        1,     1, MATRIX, 0, {0}, 0, LATER},
    {"m8",        8,     0, BEST,   MODEL_OWN_ID, {0}, 0, LATER},
    {"m24",      24,     8, MATRIX, MODEL_TRACK, {0}, 0, LATER},
    {"m64",      64,    64, BEST,   MODEL_OWN_ID, {0}, 0, LATER},
    {"m200",    200,     0, BEST,   0, {0}, 20000, LATER},
    {"m2000",  2000,    16, MATRIX, 0, {0}, 1500, LATER},
    {"p1",        1,     0, PACKED, MODEL_OWN_ID, {0}, 0, LATER},
    {"p4",        4,     0, PACKED, 0, {0}, 0, LATER},
    {"p8",        8,     8, PACKED, MODEL_TRACK, {0}, 0, LATER},
    {"p16",      16,     0, PACKED, 0, {0}, 0, LATER},
    {"p40",      40,     0, PACKED, MODEL_OWN_ID, {0}, 0, LATER},
    {"p700",    700,     0, BEST,   0, {0}, 3000, LATER},
    {"p4096",  4096,  4096, BEST,   MODEL_OWN_ID, {0}, 100, LATER},
    {"p9000",  9000,     0, PACKED, MODEL_TRACK, {0}, 100, LATER},
    {"p20000",20000,     0, BEST,   0, {0}, 60, LATER},
    {"k1",        1,     0, BEST,   MODEL_KEEP, {0}, 0, LATER},
    {"k8",        8,     0, PACKED, MODEL_KEEP | MODEL_TRACK, {0}, 0, LATER},
    {"k24",      24,     0, BEST,   MODEL_KEEP | MODEL_OWN_ID, {0}, 0, LATER},
    {"k300",    300,     0, BEST,   MODEL_KEEP, {0}, 5000, LATER},
    {"k9000",  9000,     0, PACKED, MODEL_KEEP, {0}, 100, LATER},
    {"ktag",      0,     0, BEST,   MODEL_KEEP, {0}, 0, LATER},
    {"t0",        0,     0, BEST,   0, {0}, 0, LATER},
    {"t1",        0,     0, BEST,   MODEL_OWN_ID, {0}, 0, LATER},
    {"t2",        0,     0, MATRIX, MODEL_TRACK, {0}, 0, LATER},
    {"t3",        0,     0, BEST,   0, {0}, 0, LATER},
    {"ptag",      0,     0, PACKED, MODEL_OWN_ID, {0}, 0, LATER},
    {"l0",        0,     0, BEST,   MODEL_LOOSE, {0}, 0, LATER},
    {"l1",        0,     0, BEST,   MODEL_LOOSE | MODEL_OWN_ID, {0}, 0, LATER},
    {"l2",        0,     0, BEST,   MODEL_LOOSE, {0}, 0, LATER},
    {"l3",        0,     0, PACKED, MODEL_LOOSE, {0}, 0, LATER},
    {"ld8",       8,     0, MATRIX, MODEL_LOOSE, {0}, 0, LATER},
    {"ld12",     12,     0, PACKED, MODEL_LOOSE | MODEL_OWN_ID, {0}, 0, LATER},
    {"ld16",     16,     0, BEST,   MODEL_LOOSE | MODEL_KEEP | MODEL_TRACK, {0}, 0, LATER},
    {"ld100",   100,     0, BEST,   MODEL_LOOSE, {0}, 20000, LATER},
    {"r0",       16,     0, BEST,   0, {"m8", 0, 0}, 0, LATER},
    {"r1",       16,     0, PACKED, MODEL_OWN_ID, {"r0", "t0", 0}, 0, LATER},
    {"r2",        0,     0, BEST,   MODEL_TOLD, {"k8", "l0", 0}, 0, LATER},
    {"r3",        8,     0, BEST,   MODEL_LOOSE, {"p8", 0, 0}, 0, LATER},
    {"r4",        8,     0, BEST,   MODEL_KEEP | MODEL_TOLD, {"r1", "r2", "t0"}, 0, LATER},
    {"om",       24,     8, MATRIX, MODEL_OWNED, {0}, 10000, LATER},
    {"op",       24,     8, PACKED, MODEL_OWNED | MODEL_TOLD, {0}, 10000, LATER},
    {"ok",       24,     8, BEST,   MODEL_OWNED | MODEL_KEEP, {0}, 10000, LATER},
    {"ol",       24,     8, PACKED, MODEL_OWNED | MODEL_LOOSE | MODEL_TOLD, {0}, 10000, LATER},
    {"or", 24, 8, MATRIX, MODEL_OWNED | MODEL_TOLD | MODEL_TRACK, {"om", "m1", 0}, 10000, LATER},
    {"told",      8,     0, BEST,   MODEL_TOLD, {0}, 20000, LATER},
    {"toldtag",   0,     0, BEST,   MODEL_TOLD | MODEL_OWN_ID, {0}, 20000, LATER},
    {"seeded",   12,     4, BEST,   MODEL_SEEDED, {0}, 20000, LATER},
    {"seededk",  12,     4, PACKED, MODEL_SEEDED | MODEL_KEEP | MODEL_LOOSE, {0}, 20000, LATER},
};
/* clang-format on */

#undef MATRIX
#undef PACKED
#undef BEST
#undef LATER

#define MODEL_TYPES ((uint32_t)(sizeof(model_types) / sizeof(model_types[0])))

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

/* ---- The naive world ------------------------------------------------------------------------- */

typedef enum model_life {
    MODEL_FREE,
    MODEL_ALIVE,
    MODEL_PROMISED,
    MODEL_RETIRED
} model_life;

typedef enum model_command_kind {
    MODEL_CREATE,
    MODEL_DESTROY,
    MODEL_ADD,
    MODEL_SET,
    MODEL_REMOVE,
    MODEL_CLEAR
} model_command_kind;

typedef struct model_command {
    model_command_kind kind;
    sett_entity entity;
    uint32_t type;
    uint32_t seed;
} model_command;

/* A group, and what was told about it. */
typedef struct model_group {
    sett_group* group; /* NULL: there is none here now */
    char name[24];
    uint64_t owned; /* sets of types */
    uint64_t with;  /* with the owned ones */
    uint64_t without;
    bool told;                     /* it has callbacks */
    uint8_t inside[MODEL_INDICES]; /* by index: a member, as the callbacks told */
    uint32_t inside_count;
} model_group;

/* Events of one kind: how many, and a sum over their entities and values, so that the order in
 * which a call goes through entities does not matter. */
typedef enum model_event {
    MODEL_ON_ADD,
    MODEL_ON_SET,
    MODEL_ON_REMOVE,
    MODEL_EVENTS
} model_event;

typedef struct model_events {
    uint64_t calls;
    uint64_t sum;
} model_events;

/* An observer, and what it was told. */
typedef struct model_observer {
    sett_observer* observer; /* NULL: there is none here now */
    char name[24];
    uint32_t type;        /* MODEL_TYPES: of a query, */
    model_group crossing; /* whose conditions these are, and who is inside as it was told */
    uint32_t wants;       /* bits by model_event */
    bool enabled;
    uint32_t left_to_live;             /* calls after which it ends itself; 0: it does not */
    model_events seen[MODEL_EVENTS];   /* what it was told, and */
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
    uint32_t alive;
    uint32_t promised;
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
    uint64_t told_added[MODEL_TYPES_MAX]; /* and that there were */
    uint64_t told_set[MODEL_TYPES_MAX];
    uint64_t told_removed[MODEL_TYPES_MAX];
    model_events event[MODEL_TYPES_MAX][MODEL_EVENTS]; /* of types in `observed`, all there were */
    uint64_t observed;                                 /* types */
    uint64_t owned_live;    /* owned values that exist, in the world and in commands */
    uint64_t owned_waiting; /* of these, in commands */

    model_group group[MODEL_GROUPS];
    uint64_t group_owned; /* types that groups own */
    model_observer observer[MODEL_OBSERVERS];

    bool plain;      /* no type is loose: then destroying takes a shorter way */
    bool destroying; /* a call runs that destroys whole entities: hooks see all their components */
    char reason[256];
} model_world;

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

static inline bool model_is_loose(const model_world* m, uint32_t type)
{
    return (model_types[type].flags & MODEL_LOOSE) != 0 && !m->plain;
}

static inline bool model_is_member(const model_group* group, uint64_t mask)
{
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

/* ---- Values ---------------------------------------------------------------------------------- */

/* A value that owns memory and knows where it lies, so that a missing or doubled init, deinit,
 * copy or move shows. */
typedef struct model_owned {
    _Alignas(8) struct model_owned* self; /* 24 bytes also where addresses have 4 */
    _Alignas(8) uint32_t* block;
    _Alignas(8) uint64_t guard;
} model_owned;

#define MODEL_GUARD 0x0123456789ABCDEFu

static inline uint64_t model_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Byte `at` to `at + 7` of the value that `seed` makes; seed 0 makes zeroes. */
static inline uint64_t model_word(uint32_t seed, size_t at)
{
    return seed == 0 ? 0 : model_mix(seed * 0x9E3779B97F4A7C15u + at);
}

static inline void model_fill(void* value, size_t size, uint32_t seed)
{
    unsigned char* bytes = value;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = model_word(seed, at);
        memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
    }
}

static inline bool model_filled(const void* value, size_t size, uint32_t seed)
{
    const unsigned char* bytes = value;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = model_word(seed, at);
        if (memcmp(bytes + at, &word, size - at < 8 ? size - at : 8) != 0) {
            return false;
        }
    }
    return true;
}

/* What a value adds to the sum of events: the first bytes decide. An addition counts by its entity
 * alone, because in bulk the values are given before anybody is told. */
static inline uint64_t model_event_sum(model_event event, uint32_t index, const void* bytes,
                                       size_t size)
{
    unsigned char first[64] = {0};
    uint64_t sum = model_mix(index + 1);
    if (event == MODEL_ON_ADD || size == 0) {
        return sum;
    }
    memcpy(first, bytes, size < sizeof(first) ? size : sizeof(first));
    for (size_t at = 0; at < sizeof(first) && at < size; at += 8) {
        uint64_t word;
        memcpy(&word, first + at, 8);
        sum = model_mix(sum + word);
    }
    return sum;
}

/* Notes an event of an observed type, with the value that the model has by now. */
static inline void model_happens(model_world* m, model_event event, uint32_t index, uint32_t type)
{
    if ((m->observed >> type & 1) == 0) {
        return;
    }
    unsigned char bytes[64];
    size_t size = model_types[type].size;
    uint32_t seed = m->seed[type][index];
    bool owned = (model_types[type].flags & MODEL_OWNED) != 0;
    model_fill(bytes, size < sizeof(bytes) ? size : sizeof(bytes), seed);
    m->event[type][event].calls++;
    m->event[type][event].sum += owned ? model_event_sum(event, index, &seed, sizeof(seed))
                                       : model_event_sum(event, index, bytes, size);
}

static inline uint32_t model_room(const model_world* m)
{
    return MODEL_INDICES - m->alive - m->promised - m->retired;
}

static inline void model_create(model_world* m, sett_entity entity)
{
    m->life[entity.index] = MODEL_ALIVE;
    m->generation[entity.index] = entity.generation;
    m->mask[entity.index] = 0;
    m->place[entity.index] = m->alive;
    m->live[m->alive++] = entity.index;
}

/* The value becomes what `seed` makes; written now. A tag has nothing to write. */
static inline void model_write(model_world* m, uint32_t index, uint32_t type, uint32_t seed)
{
    m->seed[type][index] = seed;
    m->tick[type][index] = model_types[type].size != 0 ? m->now : m->tick[type][index];
}

static inline void model_add_one(model_world* m, uint32_t index, uint32_t type)
{
    m->mask[index] |= model_bit(type);
    m->count[type]++;
    m->stamp[type][index] = ++m->stamps;
    m->added[type]++;
    model_happens(m, MODEL_ON_ADD, index, type);
    m->tick[type][index] = m->now;
    model_write(m, index, type,
                (model_types[type].flags & MODEL_SEEDED) != 0 ? MODEL_INIT_SEED : 0);
}

/* Adds a type after what it requires; requirements stand in front of it in the table. */
static inline void model_add(model_world* m, uint32_t index, uint32_t type)
{
    for (uint64_t missing = model_types[type].closure & ~m->mask[index]; missing != 0;
         missing &= missing - 1) {
        model_add_one(m, index, model_lowest(missing));
    }
    model_add_one(m, index, type);
}

static inline void model_set(model_world* m, uint32_t index, uint32_t type, uint32_t seed)
{
    if (!model_has(m, index, type)) {
        model_add(m, index, type);
    }
    model_write(m, index, type, seed);
    m->set[type]++;
    model_happens(m, MODEL_ON_SET, index, type);
}

static inline void model_remove_set(model_world* m, uint32_t index, uint64_t types)
{
    for (uint64_t rest = types & m->mask[index]; rest != 0; rest &= rest - 1) {
        uint32_t type = model_lowest(rest);
        m->mask[index] &= ~model_bit(type);
        m->count[type]--;
        m->removed[type]++;
        model_happens(m, MODEL_ON_REMOVE, index, type);
    }
}

static inline void model_remove(model_world* m, uint32_t index, uint32_t type)
{
    model_remove_set(m, index, model_types[type].dependants | model_bit(type));
}

static inline void model_destroy(model_world* m, uint32_t index)
{
    model_remove_set(m, index, UINT64_MAX);
    uint32_t place = m->place[index];
    uint32_t last = m->live[--m->alive];
    m->live[place] = last;
    m->place[last] = place;
    if (m->generation[index] == MODEL_GENERATION_MAX) {
        m->life[index] = MODEL_RETIRED;
        m->retired++;
    } else {
        m->life[index] = MODEL_FREE;
        m->generation[index]++;
    }
}

/* ---- Values in the world --------------------------------------------------------------------- */

/* Whether a value in the world is what `seed` makes. */
static inline bool model_value_is(const model_type* type, const void* value, uint32_t seed)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        const model_owned* owned = value;
        return owned->self == owned && owned->guard == MODEL_GUARD && *owned->block == seed;
    }
    return model_filled(value, type->size, seed);
}

/* Writes a value in the world, or in a batch's copy of it. */
static inline void model_value_write(const model_type* type, void* value, uint32_t seed)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        *((model_owned*)value)->block = seed;
    } else {
        model_fill(value, type->size, seed);
    }
}

/* Makes a value outside of the world. Owned ones borrow `block`. */
static inline void model_value_make(const model_type* type, void* value, uint32_t* block,
                                    uint32_t seed)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        model_owned* owned = value;
        owned->self = owned;
        owned->block = block;
        owned->guard = MODEL_GUARD;
        *block = seed;
    } else {
        model_fill(value, type->size, seed);
    }
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

static model_world model;

static inline void model_init_owned(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        model_owned* owned = (model_owned*)values + k;
        owned->self = owned;
        owned->block = calloc(1, sizeof(uint32_t));
        owned->guard = MODEL_GUARD;
        CHECK(owned->block != NULL);
    }
    model.owned_live += count;
}

static inline void model_deinit_owned(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        model_owned* owned = (model_owned*)values + k;
        CHECK_MSG(owned->self == owned && owned->guard == MODEL_GUARD,
                  "deinit of what is no value");
        free(owned->block);
        memset(owned, 0xDD, sizeof(*owned));
    }
    model.owned_live -= count;
}

static inline void model_copy_owned(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        const model_owned* source = (const model_owned*)from + k;
        model_owned* target = (model_owned*)to + k;
        CHECK_MSG(target->self == target && target->guard == MODEL_GUARD, "copy onto raw memory");
        CHECK_MSG(source->self == source && source->guard == MODEL_GUARD,
                  "copy of what is no value");
        *target->block = *source->block;
    }
}

static inline void model_move_owned(void* to, void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        model_owned* source = (model_owned*)from + k;
        model_owned* target = (model_owned*)to + k;
        CHECK_MSG(source->self == source && source->guard == MODEL_GUARD,
                  "move of what is no value");
        *target = *source;
        target->self = target;
        memset(source, 0xEE, sizeof(*source));
    }
}

static inline void model_init_seeded(void* values, uint32_t count, void* user)
{
    const model_type* type = user;
    for (uint32_t k = 0; k < count; k++) {
        model_fill((unsigned char*)values + (size_t)k * type->size, type->size, MODEL_INIT_SEED);
    }
}

/* In every hook: the entity lives and has the component, at this address, and structure is
 * locked. */
static inline void model_told(sett_world* world, sett_entity entity, const void* value,
                              const model_type* type)
{
    CHECK(world == model.world);
    CHECK(sett_entity_valid(world, entity));
    CHECK_PTR_EQ(sett_find(world, entity, type->id), value);
    if (entity.index % 16 == 0) {
        CHECK(sett_is_null(sett_entity_create(world)));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
}

static inline void model_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    const model_type* type = user;
    model_told(world, entity, value, type);
    for (uint64_t rest = type->closure; rest != 0; rest &= rest - 1) {
        CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    model.told_added[type->number]++;
}

static inline void model_on_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    const model_type* type = user;
    model_told(world, entity, value, type);
    model.told_set[type->number]++;
}

static inline void model_on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    const model_type* type = user;
    model_told(world, entity, value, type);
    for (uint64_t rest = type->closure; rest != 0; rest &= rest - 1) {
        CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    if (model.destroying) { /* not noted in the model yet: it has all that it had */
        for (uint64_t rest = model.mask[entity.index]; rest != 0; rest &= rest - 1) {
            CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
        }
    }
    model.told_removed[type->number]++;
}

/* Of a group: who is told of has all that the group asks for, in either direction. */
static inline void model_crossed(sett_world* world, sett_entity entity, const model_group* group)
{
    CHECK(world == model.world);
    CHECK(sett_entity_valid(world, entity));
    for (uint64_t rest = group->with; rest != 0; rest &= rest - 1) {
        CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    if (entity.index % 16 == 0) {
        CHECK(sett_is_null(sett_entity_create(world)));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
}

static inline void model_entered(sett_world* world, sett_entity entity, void* user)
{
    model_group* group = user;
    model_crossed(world, entity, group);
    for (uint64_t rest = group->without; rest != 0; rest &= rest - 1) {
        CHECK(!sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    CHECK(group->group == NULL || sett_group_has(group->group, entity));
    CHECK_MSG(group->inside[entity.index] == 0, "%s: entered twice", group->name);
    group->inside[entity.index] = 1;
    group->inside_count++;
}

static inline void model_left(sett_world* world, sett_entity entity, void* user)
{
    model_group* group = user;
    model_crossed(world, entity, group);
    CHECK_MSG(group->inside[entity.index] == 1, "%s: left without having entered", group->name);
    group->inside[entity.index] = 0;
    group->inside_count--;
}

/* Of an observer: counts the call, and ends the observer if its time has come. */
static inline void model_observed(sett_world* world, sett_entity entity, const void* value,
                                  model_observer* observer, model_event event)
{
    const model_type* type = &model_types[observer->type];
    model_told(world, entity, value, type);
    CHECK_MSG(observer->enabled && (observer->wants >> event & 1) != 0, "%s: not to be told",
              observer->name);
    observer->seen[event].calls++;
    observer->seen[event].sum +=
        (type->flags & MODEL_OWNED) != 0
            ? model_event_sum(event, entity.index, ((const model_owned*)value)->block, 4)
            : model_event_sum(event, entity.index, value, type->size);
    if (observer->left_to_live != 0 && --observer->left_to_live == 0 &&
        observer->observer != NULL) {
        sett_observer_destroy(observer->observer);
        observer->observer = NULL;
        observer->enabled = false;
    }
}

static inline void model_observe_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    model_observed(world, entity, value, user, MODEL_ON_ADD);
}

static inline void model_observe_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    model_observed(world, entity, value, user, MODEL_ON_SET);
}

static inline void model_observe_remove(sett_world* world, sett_entity entity, void* value,
                                        void* user)
{
    model_observed(world, entity, value, user, MODEL_ON_REMOVE);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static inline uint32_t model_find_type(const char* name)
{
    uint32_t type = 0;
    while (strcmp(model_types[type].name, name) != 0) {
        type++;
    }
    return type;
}

static inline void model_describe(model_type* type, sett_component_desc* desc,
                                  sett_component* needed)
{
    memset(desc, 0, sizeof(*desc));
    desc->name = type->name;
    desc->size = type->size;
    desc->align = type->align;
    desc->storage = type->storage;
    desc->id = (type->flags & MODEL_OWN_ID) != 0 ? 1000 - type->number : 0;
    desc->keep_order = (type->flags & MODEL_KEEP) != 0;
    desc->loose = (type->flags & MODEL_LOOSE) != 0 && !model.plain;
    desc->track_rows = (type->flags & MODEL_TRACK) != 0;
    desc->user = type;
    if ((type->flags & MODEL_OWNED) != 0) {
        desc->init = model_init_owned;
        desc->deinit = model_deinit_owned;
        desc->copy = model_copy_owned;
        desc->move = model_move_owned;
    }
    if ((type->flags & MODEL_SEEDED) != 0) {
        desc->init = model_init_seeded;
    }
    if ((type->flags & MODEL_TOLD) != 0) {
        desc->on_add = model_on_add;
        desc->on_set = model_on_set;
        desc->on_remove = model_on_remove;
    }
    desc->required = needed;
    while (desc->required_count < 3 && type->required[desc->required_count] != NULL) {
        const char* name = type->required[desc->required_count];
        needed[desc->required_count++] = model_types[model_find_type(name)].id;
    }
}

static inline void model_register(model_world* m, uint32_t number)
{
    model_type* type = &model_types[number];
    sett_component_desc desc;
    sett_component needed[3];
    type->number = number;
    type->closure = 0;
    type->dependants = 0;
    model_describe(type, &desc, needed);
    type->id = sett_component_register(m->world, &desc);
    CHECK(type->id != 0);
    CHECK_EQ(sett_component_describe(m->world, type->id, &desc), SETT_OK);
    type->packed = desc.storage == SETT_STORAGE_PACKED;
    type->align = (uint32_t)desc.align;
    for (uint32_t k = 0; k < 3 && type->required[k] != NULL; k++) {
        uint32_t other = model_find_type(type->required[k]);
        type->closure |= model_types[other].closure | model_bit(other);
    }
    for (uint64_t rest = type->closure; rest != 0; rest &= rest - 1) {
        model_types[model_lowest(rest)].dependants |= model_bit(number);
    }
    m->seed[number] = calloc(MODEL_INDICES, sizeof(uint32_t));
    m->tick[number] = calloc(MODEL_INDICES, sizeof(uint64_t));
    m->stamp[number] = calloc(MODEL_INDICES, sizeof(uint32_t));
    CHECK(m->seed[number] != NULL && m->tick[number] != NULL && m->stamp[number] != NULL);
}

static inline void model_begin(model_world* m, bool plain)
{
    _Static_assert(sizeof(model_types) / sizeof(model_types[0]) <= MODEL_TYPES_MAX, "a bit each");
    memset(m, 0, sizeof(*m));
    m->plain = plain;
    sett_world_desc desc = {0};
    desc.log_fn = sett_log_silent;
    desc.entity_limit = MODEL_INDICES;
    m->world = sett_world_create(&desc);
    CHECK(m->world != NULL);
    for (uint32_t index = 0; index < MODEL_INDICES; index++) {
        m->generation[index] = 1;
    }
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        model_register(m, type);
    }
    m->now = sett_world_tick(m->world);
    m->buffer[0] = sett_world_commands(m->world);
    for (uint32_t k = 1; k < MODEL_BUFFERS; k++) {
        m->buffer[k] = sett_commands_create(m->world);
        CHECK(m->buffer[k] != NULL);
    }
}

static inline void model_end(model_world* m)
{
    m->destroying = true;
    sett_world_destroy(m->world);
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        free(m->seed[type]);
        free(m->tick[type]);
        free(m->stamp[type]);
    }
    CHECK_EQ(m->owned_live, 0);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

CHECK_PRINTF(2, 3)
static inline const char* model_differs(model_world* m, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->reason, sizeof(m->reason), format, arguments);
    va_end(arguments);
    return m->reason;
}

/* One value of a living entity. NULL, or how the world differs. */
static inline const char* model_compare_value(model_world* m, uint32_t index, uint32_t number)
{
    const model_type* type = &model_types[number];
    sett_entity entity = model_handle(m, index);
    const void* value = sett_find(m->world, entity, type->id);
    if (value == NULL) {
        return model_differs(m, "entity %u lacks %s", index, type->name);
    }
    if (type->size != 0 && (uintptr_t)value % type->align != 0) {
        return model_differs(m, "entity %u: %s at %p is not aligned", index, type->name, value);
    }
    if (!model_value_is(type, value, m->seed[number][index])) {
        return model_differs(m, "entity %u: %s has another value", index, type->name);
    }
    uint64_t changed = sett_changed(m->world, entity, type->id);
    uint64_t written = m->tick[number][index];
    bool exact = (type->flags & MODEL_TRACK) != 0 && type->size != 0;
    if (exact ? changed != written : changed < written || changed > m->now) {
        return model_differs(m, "entity %u: %s changed at %llu, not %llu", index, type->name,
                             (unsigned long long)changed, (unsigned long long)written);
    }
    return NULL;
}

/* The list of an entity's components: ascending, then the loose ones. */
static inline const char* model_compare_list(model_world* m, uint32_t index)
{
    sett_component ids[MODEL_TYPES_MAX];
    uint32_t count = sett_entity_components(m->world, model_handle(m, index), ids, MODEL_TYPES_MAX);
    uint64_t found = 0;
    bool loose = false;
    for (uint32_t k = 0; k < count && k < MODEL_TYPES_MAX; k++) {
        uint32_t number = 0;
        while (number < MODEL_TYPES && model_types[number].id != ids[k]) {
            number++;
        }
        if (number == MODEL_TYPES || (found & model_bit(number)) != 0) {
            return model_differs(m, "entity %u: component %u is listed wrongly", index, ids[k]);
        }
        bool is_loose = model_is_loose(m, number);
        if (loose ? !is_loose : !is_loose && k > 0 && ids[k - 1] > ids[k]) {
            return model_differs(m, "entity %u: components are listed out of order", index);
        }
        loose = is_loose;
        found |= model_bit(number);
    }
    return found == m->mask[index] ? NULL
                                   : model_differs(m, "entity %u: another set is listed", index);
}

/* Whether an entity that lives is in the groups that it should be in. */
static inline const char* model_compare_member(model_world* m, uint32_t index)
{
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        const model_group* group = &m->group[k];
        if (group->group == NULL) {
            continue;
        }
        bool member = model_is_member(group, m->mask[index]);
        if (sett_group_has(group->group, model_handle(m, index)) != member) {
            return model_differs(m, "entity %u is %s %s", index, member ? "not in" : "in",
                                 group->name);
        }
        if (group->told && (group->inside[index] != 0) != member) {
            return model_differs(m, "%s was not told of entity %u", group->name, index);
        }
    }
    return NULL;
}

/* Whether observers of queries were told rightly of an entity that lives. */
static inline const char* model_compare_crossing(model_world* m, uint32_t index)
{
    for (uint32_t k = 0; k < MODEL_OBSERVERS; k++) {
        const model_observer* observer = &m->observer[k];
        const model_group* crossing = &observer->crossing;
        if (observer->observer != NULL && observer->type == MODEL_TYPES && observer->enabled &&
            (crossing->inside[index] != 0) != model_is_member(crossing, m->mask[index])) {
            return model_differs(m, "%s was not told of entity %u", observer->name, index);
        }
    }
    return NULL;
}

/* Everything about one index. */
static inline const char* model_compare_index(model_world* m, uint32_t index)
{
    sett_entity at = sett_entity_at(m->world, index);
    if (m->life[index] != MODEL_ALIVE) {
        return sett_is_null(at) ? NULL : model_differs(m, "index %u lives", index);
    }
    if (!sett_equals(at, model_handle(m, index)) || !sett_entity_valid(m->world, at)) {
        return model_differs(m, "index %u: generation %u is not %u", index, at.generation,
                             m->generation[index]);
    }
    const char* reason = model_compare_member(m, index);
    reason = reason == NULL ? model_compare_crossing(m, index) : reason;
    for (uint64_t rest = m->mask[index]; rest != 0 && reason == NULL; rest &= rest - 1) {
        reason = model_compare_value(m, index, model_lowest(rest));
    }
    return reason;
}

static inline const char* model_compare_counts(model_world* m)
{
    uint64_t owned = m->owned_waiting;
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        uint32_t count = sett_component_count(m->world, model_types[type].id);
        if (count != m->count[type]) {
            return model_differs(m, "%u have %s, not %u", count, model_types[type].name,
                                 m->count[type]);
        }
        owned += (model_types[type].flags & MODEL_OWNED) != 0 ? count : 0;
        if ((model_types[type].flags & MODEL_TOLD) != 0 &&
            (m->told_added[type] != m->added[type] || m->told_set[type] != m->set[type] ||
             m->told_removed[type] != m->removed[type])) {
            return model_differs(m, "hooks of %s were not called once each",
                                 model_types[type].name);
        }
    }
    if (owned != m->owned_live) {
        return model_differs(m, "%llu owned values exist, not %llu",
                             (unsigned long long)m->owned_live, (unsigned long long)owned);
    }
    if (sett_entity_count(m->world) != m->alive) {
        return model_differs(m, "%u entities, not %u", sett_entity_count(m->world), m->alive);
    }
    return NULL;
}

static inline const char* model_compare_groups(model_world* m)
{
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        const model_group* group = &m->group[k];
        if (group->group == NULL) {
            continue;
        }
        uint32_t members = model_members(m, group);
        uint32_t count = sett_group_count(group->group);
        if (count != members) {
            return model_differs(m, "%u in %s, not %u", count, group->name, members);
        }
        if (group->told && group->inside_count != members) {
            return model_differs(m, "%s was told of %u, not %u", group->name, group->inside_count,
                                 members);
        }
    }
    return NULL;
}

static inline const char* model_compare_observers(model_world* m)
{
    for (uint32_t k = 0; k < MODEL_OBSERVERS; k++) {
        const model_observer* observer = &m->observer[k];
        if (observer->observer == NULL || !observer->enabled) {
            continue;
        }
        if (observer->type == MODEL_TYPES) {
            uint32_t members = model_members(m, &observer->crossing);
            if (observer->crossing.inside_count != members) {
                return model_differs(m, "%s was told of %u, not %u", observer->name,
                                     observer->crossing.inside_count, members);
            }
            continue;
        }
        for (uint32_t event = 0; event < MODEL_EVENTS; event++) {
            const model_events* all = &m->event[observer->type][event];
            const model_events* seen = &observer->seen[event];
            const model_events* missed = &observer->missed[event];
            if ((observer->wants >> event & 1) != 0 && (seen->calls + missed->calls != all->calls ||
                                                        seen->sum + missed->sum != all->sum)) {
                return model_differs(m,
                                     "%s: event %u of %s: told %llu times, not %llu, or of others",
                                     observer->name, event, model_types[observer->type].name,
                                     (unsigned long long)seen->calls,
                                     (unsigned long long)(all->calls - missed->calls));
            }
        }
    }
    return NULL;
}

/* The whole world. Counts are equal and everything expected is found: so nothing else is there. */
static inline const char* model_compare(model_world* m)
{
    const char* reason = model_compare_counts(m);
    reason = reason == NULL ? model_compare_groups(m) : reason;
    reason = reason == NULL ? model_compare_observers(m) : reason;
    for (uint32_t index = 0; index < MODEL_INDICES && reason == NULL; index++) {
        reason = model_compare_index(m, index);
    }
    uint32_t cursor = 0;
    uint32_t walked = 0;
    for (sett_entity e = sett_entity_next(m->world, &cursor); !sett_is_null(e) && reason == NULL;
         e = sett_entity_next(m->world, &cursor)) {
        walked++;
        if (!model_valid(m, e)) {
            reason = model_differs(m, "the walk meets entity %u:%u", e.index, e.generation);
        }
    }
    if (reason == NULL && walked != m->alive) {
        reason = model_differs(m, "the walk meets %u entities, not %u", walked, m->alive);
    }
    sett_stats stats;
    sett_world_stats(m->world, &stats);
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        stats.values -= m->count[type];
    }
    if (reason == NULL && stats.values != 0) {
        reason = model_differs(m, "statistics count other values");
    }
    if (reason == NULL && (stats.entities != m->alive || stats.retired != m->retired)) {
        reason = model_differs(m, "statistics count %u alive, %u retired", stats.entities,
                               stats.retired);
    }
    return reason;
}

#endif
