/* listener.h: what follows which entities match: owning groups, which arrange sparse sets,
 * tracked sets, which keep a bitmap, and observers of queries, which keep nothing. All know their
 * members by conditions on signatures, so that a transition between two signatures concerns a
 * listener or does not, once and for all: that is its plan. */
#ifndef SETTI_LISTENER_H
#define SETTI_LISTENER_H

#include "world/component.h"
#include "world/signature.h"

/* A condition of an observer on other entities: the parent (SETT_WALK_ONE), or an ancestor. */
typedef struct setti_upward_term {
    setti_type* type;
    sett_walk walk;
    bool with; /* one has it; false: none has it */
} setti_upward_term;

typedef struct setti_listener {
    struct setti_listener* next;
    struct setti_listener* previous;
    char* name;
    setti_type_list with;    /* the entity has all of these */
    setti_type_list without; /* and none of these */
    setti_type_list any;     /* and one of these, unless the list is empty; only of an observer */
    setti_type_list owned;   /* of `with`: sparse sets that a group arranges; none: a set */
    uint32_t length;         /* group: its members are rows 0..length-1 of each owned storage */
    void* row;               /* group: room for one value, to exchange rows of types with move */
    size_t row_size;
    size_t row_align;
    setti_storage members; /* set: a tag without registration */
    /* The tags that hide entities from loops, of the world: no member has one, unless `with` names
     * it. An entry is NULL until the tag is registered. NULL: members can be hidden */
    setti_type* const* hidden;
    setti_upward_term upward[SETT_QUERY_ELSEWHERE]; /* only of an observer */
    uint32_t upward_count;
    bool observes;          /* of a sett_observer: has no members, only callbacks */
    bool by_layout;         /* group: made by a layout, gives way to groups of the program */
    bool automatic;         /* by auto_layout */
    setti_relayout_use use; /* group: of its end; only the churn is counted here */
    setti_root root;        /* of `length` */
    setti_root members_root;
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
    void* user;
} setti_listener;

struct sett_group {
    setti_listener listener; /* first: the world's list of listeners leads here */
    sett_world* world;
};

/* The steps of a plan: members leave, or enter, groups and sets; callbacks of that. */
enum {
    SETTI_PLAN_LEAVES = 1,
    SETTI_PLAN_ENTERS = 2,
    SETTI_PLAN_ON_EXIT = 4,
    SETTI_PLAN_ON_ENTER = 8
};

/* The effect of a transition on a listener. */
typedef struct setti_plan_step {
    setti_listener* listener;
    bool enters;
    uint8_t all; /* SETTI_PLAN_*; of the first step: of all of them */
} setti_plan_step;

typedef struct setti_plan_table {
    const struct setti_listener_calls* calls; /* edit.h; NULL until there is a listener */
    setti_plan_step* step; /* the plans one after another; each ends with a NULL listener */
    uint32_t count;
    uint32_t capacity;
    setti_hash_map by_edge; /* two signatures -> first step of their plan */
    uint64_t last_key;      /* of these, the pair that was looked up last; 0: none */
    uint32_t last;
} setti_plan_table;

/* Adds a type that members have; one that is switched off does not count. False when memory runs
 * out. */
bool setti_listener_with(setti_pool* pool, setti_listener* listener, setti_type* type);

/* Whether entities of this signature have the type, switched on. */
bool setti_listener_is_on(const setti_signature_table* table, uint32_t signature,
                          const setti_type* type);

/* Whether entities of this signature are members, as far as that depends on themselves (`upward`
 * does not); SETTI_NONE: of an entity that does not exist. */
bool setti_listener_matches(const setti_listener* listener, const setti_signature_table* table,
                            uint32_t signature);

/* Results for the signatures tested last: entities of many signatures alternate, and a test
 * takes a search for each type. */
#define SETTI_MATCHES 1024

typedef struct setti_matches {
    uint32_t signature[SETTI_MATCHES]; /* SETTI_NONE: none yet */
    bool matches[SETTI_MATCHES];
} setti_matches;

static inline void setti_matches_init(setti_matches* known)
{
    memset(known->signature, 0xff, sizeof(known->signature));
}

/* Like setti_listener_matches, for a walk over many entities. */
static inline bool setti_matches_find(setti_matches* known, const setti_listener* listener,
                                      const setti_signature_table* table, uint32_t signature)
{
    uint32_t at = signature % SETTI_MATCHES;
    SETTI_ASSERT(signature != SETTI_NONE);
    if (known->signature[at] != signature) {
        known->signature[at] = signature;
        known->matches[at] = setti_listener_matches(listener, table, signature);
    }
    return known->matches[at];
}

/* Whether the entity is a member; not of an observer. */
bool setti_listener_has(const setti_listener* listener, uint32_t index);

/* Makes sure that the entity can enter without needing memory. */
bool setti_listener_reserve(setti_pool* pool, setti_listener* listener, uint32_t index);

/* Makes the entity, which has all it takes, a member; or ends that. Callbacks are the caller's. */
void setti_listener_enter(setti_pool* pool, setti_listener* listener, uint32_t index);
void setti_listener_leave(setti_pool* pool, setti_listener* listener, uint32_t index);

/* Creates a group that gives way, and converts the arrays that it is to own, whatever was said of
 * them. `call` is for messages. `length`: SETTI_NONE, or how many members there are, which lie in
 * front already, in one order. NULL on failure, the world as it was. */
sett_group* setti_group_create_for_layout(sett_world* world, const sett_group_desc* desc,
                                          bool automatic, uint32_t length, const char* call);

/* Like sett_group_create, but the members are the entities that a loop over these types visits. */
sett_group* setti_group_create_for_system(sett_world* world, const sett_group_desc* desc);

/* Destroys the group that a layout made and that owns the type, if there is one. Fails with LOCKED
 * while snapshots are held, with CONFLICT if the program made the group. */
sett_status setti_group_give_way(sett_world* world, const struct setti_type* type,
                                 const char* call);

/* Destroys a group; no snapshot is held. */
void setti_group_end(sett_group* group);

/* The group of a listener that does not observe. */
static inline sett_group* setti_group_of(setti_listener* listener)
{
    SETTI_ASSERT(!listener->observes);
    return (sett_group*)(void*)listener; /* its first member */
}

/* Calls free_user of all observers: the world ends, and no callback runs any more. */
void setti_observer_free_users(sett_world* world);

/* The name of an observer of the type, or with a term of it; NULL if there is none. Nothing is
 * locked. */
const char* setti_observer_of_type(sett_world* world, const setti_type* type);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_listener_validate(const setti_listener* listener);

#endif
