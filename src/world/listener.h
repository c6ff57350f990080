/* listener.h: listeners follow which entities match conditions. There are three kinds: owning
 * groups, which arrange sparse sets; tracked sets, which have a bitmap; and observers of queries,
 * which have only callbacks. The conditions are on signatures, so the listeners that a transition
 * between two signatures concerns are always the same ones: they are its plan. */
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
    setti_type_list with;    /* members have all of these types, */
    setti_type_list without; /* none of these, */
    setti_type_list any;     /* and one of these, unless the list is empty; only of an observer */
    /* types of `with`, sparse sets, that a group arranges; empty: it is a tracked set or
     * observer */
    setti_type_list owned;
    uint32_t length;  /* group: its members are rows 0..length-1 of each owned storage */
    void* row;        /* group: room for one value, to exchange rows of types with a move hook */
    size_t row_size;  /* bytes of `row` */
    size_t row_align; /* alignment of `row` */
    setti_storage members; /* tracked set: a tag, of no registered type */
    /* The tags that hide entities from loops, of the world: no member has one, unless `with` names
     * it. An entry is NULL until the tag is registered. NULL: members can be hidden */
    setti_type* const* hidden;
    setti_upward_term upward[SETT_QUERY_ELSEWHERE]; /* only of an observer */
    uint32_t upward_count;
    bool observes;           /* of a sett_observer: has no members, only callbacks */
    bool by_layout;          /* group: made by a layout, gives way to groups of the program */
    bool automatic;          /* group: the layout was chosen by sett_layout_auto */
    setti_relayout_use use;  /* group: what ending it would save; only the churn is counted here */
    setti_root root;         /* of `length` */
    setti_root members_root; /* of `members` */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
    void* user;
} setti_listener;

struct sett_group {
    setti_listener listener; /* first: the world's list of listeners leads here */
    sett_world* world;
};

/* What a step of a plan does: a member leaves or enters a group or set; on_exit or on_enter
 * runs. */
enum {
    SETTI_PLAN_LEAVES = 1,
    SETTI_PLAN_ENTERS = 2,
    SETTI_PLAN_ON_EXIT = 4,
    SETTI_PLAN_ON_ENTER = 8
};

/* The two directions of a step; the values of `enters`. */
#define SETTI_ENTERS true
#define SETTI_LEAVES false

/* The effect of a transition on a listener. */
typedef struct setti_plan_step {
    setti_listener* listener; /* NULL: the end of the plan */
    bool enters;              /* SETTI_ENTERS or SETTI_LEAVES */
    uint8_t all;              /* SETTI_PLAN_*; of the first step: those of all steps together */
} setti_plan_step;

typedef struct setti_plan_table {
    const struct setti_listener_calls* calls; /* edit.h; NULL until there is a listener */
    setti_plan_step* step; /* the plans one after another; each ends with a NULL listener */
    uint32_t count;
    uint32_t capacity;
    setti_hash_map by_edge; /* two signatures -> first step of their plan */
    uint64_t last_key;      /* the pair of signatures that was looked up last; 0: none */
    uint32_t last;          /* the first step of its plan */
} setti_plan_table;

/* Adds a type to `with`, so that members have it switched on. False when memory runs out. */
bool setti_listener_with(setti_pool* pool, setti_listener* listener, setti_type* type);

/* Whether entities of this signature have the type, switched on. */
bool setti_listener_is_on(const setti_signature_table* table, uint32_t signature,
                          const setti_type* type);

/* Whether entities with this signature match, conditions on ancestors (`upward`) aside. False for
 * SETTI_NONE, the signature of an entity that does not exist. */
bool setti_listener_matches(const setti_listener* listener, const setti_signature_table* table,
                            uint32_t signature);

/* Remembered results of setti_listener_matches, which searches for each type: entities of many
 * signatures alternate. */
#define SETTI_MATCHES 1024

typedef struct setti_matches {
    uint32_t signature[SETTI_MATCHES]; /* at signature % SETTI_MATCHES; SETTI_NONE: no result yet */
    bool matches[SETTI_MATCHES];       /* the result for that signature */
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

/* Whether the entity is a member of a group or tracked set. */
bool setti_listener_has(const setti_listener* listener, uint32_t index);

/* Makes sure that entering needs no memory. False when memory runs out. */
bool setti_listener_reserve(setti_pool* pool, setti_listener* listener, uint32_t index);

/* Makes an entity a member, or a member none. The entity has all owned types in both calls. The
 * caller runs the callbacks. */
void setti_listener_enter(setti_pool* pool, setti_listener* listener, uint32_t index);
void setti_listener_leave(setti_pool* pool, setti_listener* listener, uint32_t index);

/* Creates a group that gives way to groups of the program. Converts arrays that it owns, even if
 * the program chose their storage. NULL on failure, with the world unchanged.
 *   length  the number of members, if they are the first rows of all owned storages already, in one
 *           order; else SETTI_NONE
 *   call    for messages */
sett_group* setti_group_create_for_layout(sett_world* world, const sett_group_desc* desc,
                                          bool automatic, uint32_t length, const char* call);

/* Like sett_group_create, but hidden entities (sett_disabled_tag, say) are no members, as loops
 * skip them. */
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
