/* listener.h: a listener follows the entities that match conditions. An owning group arranges the
 * rows of sparse sets. A tracked set has a bitmap of the entities. An observer of a query has only
 * callbacks.
 *
 * Conditions test signatures. So a transition from one signature to another always concerns the
 * same listeners. A plan lists the listeners of a transition. */
#ifndef SETTI_LISTENER_H
#define SETTI_LISTENER_H

#include "world/component.h"
#include "world/signature.h"

/* A condition of an observer on the parent (SETT_WALK_ONE) or on the ancestors. */
typedef struct setti_upward_term {
    setti_type* type;
    sett_walk walk;
    bool with; /* true: the parent or an ancestor must have the type; false: must not have it */
} setti_upward_term;

typedef struct setti_listener {
    struct setti_listener* next;
    struct setti_listener* previous;
    char* name;
    setti_type_list with;    /* members have all these types */
    setti_type_list without; /* members have none of these types */
    setti_type_list any;     /* members have at least one of these types; may be empty */
    /* group: the types that the group owns, with rows to arrange; empty for other listeners */
    setti_type_list owned;
    uint32_t length;       /* group: the members are rows 0..length-1 of each owned storage */
    void* row;             /* group: room for one value; NULL if no type has a move hook */
    size_t row_size;       /* bytes of `row` */
    size_t row_align;      /* alignment of `row` */
    setti_storage members; /* tracked set: bitmap of members, the storage of a tag */
    /* world->hidden: members must not have hidden tags, except tags in `with` or `any`.
     * NULL: members may have hidden tags. */
    setti_type* const* hidden;
    setti_upward_term upward[SETT_QUERY_ELSEWHERE]; /* only of an observer */
    uint32_t upward_count;
    bool observes;           /* the listener of a sett_observer: no members, only callbacks */
    bool by_layout;          /* group: made by a layout; gives way to the program's groups */
    bool automatic;          /* group: the layout was chosen by sett_layout_auto */
    setti_relayout_use use;  /* group: counts what destroying the group would save */
    setti_root root;         /* root of `length` */
    setti_root members_root; /* root of `members` */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
    void* user;
} setti_listener;

struct sett_group {
    setti_listener listener; /* first: the world's list of listeners leads here */
    sett_world* world;
};

/* The effects of a step of a plan. */
enum {
    SETTI_PLAN_LEAVES = 1,  /* the entity leaves a group or tracked set */
    SETTI_PLAN_ENTERS = 2,  /* the entity enters a group or tracked set */
    SETTI_PLAN_ON_EXIT = 4, /* the callback on_exit runs */
    SETTI_PLAN_ON_ENTER = 8 /* the callback on_enter runs */
};

/* The values of `enters`, the direction of a step. */
#define SETTI_ENTERS true
#define SETTI_LEAVES false

/* The effect of a transition on a listener. */
typedef struct setti_plan_step {
    setti_listener* listener; /* NULL: the end of the plan */
    bool enters;              /* SETTI_ENTERS or SETTI_LEAVES */
    uint8_t all;              /* SETTI_PLAN_* of this step; in the first step: of all steps */
} setti_plan_step;

typedef struct setti_plan_table {
    const struct setti_listener_calls* calls; /* edit.h; NULL until there is a listener */
    setti_plan_step* step; /* the plans one after another; a NULL listener ends each plan */
    uint32_t count;
    uint32_t capacity;
    setti_hash_map by_edge; /* two signatures -> first step of the plan */
    uint64_t last_key;      /* the last pair of signatures looked up, or 0 */
    uint32_t last;          /* first step of the plan for last_key */
} setti_plan_table;

/* Adds the condition that members have a type, and that the type is switched on. Returns false if
 * memory runs out. */
bool setti_listener_require(setti_pool* pool, setti_listener* listener, setti_type* type);

/* Whether entities with a signature have the type switched on. */
bool setti_listener_is_on(const setti_signature_table* table, uint32_t signature,
                          const setti_type* type);

/* Whether entities with a signature match. Conditions on ancestors are not tested. SETTI_NONE, the
 * signature of no entity, never matches. */
bool setti_listener_matches(const setti_listener* listener, const setti_signature_table* table,
                            uint32_t signature);

/* The size of a cache of setti_listener_matches. */
#define SETTI_MATCHES 1024

typedef struct setti_matches {
    /* slot k holds a signature s with s % SETTI_MATCHES == k, or SETTI_NONE */
    uint32_t signature[SETTI_MATCHES];
    bool matches[SETTI_MATCHES]; /* the result for signature[k] */
} setti_matches;

static inline void setti_matches_init(setti_matches* known)
{
    memset(known->signature, 0xff, sizeof(known->signature)); /* SETTI_NONE in each slot */
}

/* Like setti_listener_matches, with a cache. */
static inline bool setti_matches_find(setti_matches* known, const setti_listener* listener,
                                      const setti_signature_table* table, uint32_t signature)
{
    uint32_t slot = signature % SETTI_MATCHES;
    SETTI_ASSERT(signature != SETTI_NONE);
    if (known->signature[slot] != signature) {
        known->signature[slot] = signature;
        known->matches[slot] = setti_listener_matches(listener, table, signature);
    }
    return known->matches[slot];
}

bool setti_listener_has(const setti_listener* listener, uint32_t index);

/* Reserves memory for setti_listener_enter. Returns false if memory runs out. */
bool setti_listener_reserve(setti_pool* pool, setti_listener* listener, uint32_t index);

void setti_listener_enter(setti_pool* pool, setti_listener* listener, uint32_t index);
void setti_listener_leave(setti_pool* pool, setti_listener* listener, uint32_t index);

/* Creates a group that gives way to groups of the program. Returns NULL on failure.
 *   automatic  sett_layout_auto chose the layout
 *   length     the number of members if the members are in the first rows already; otherwise
 *              SETTI_NONE
 *   call       for messages */
sett_group* setti_group_create_for_layout(sett_world* world, const sett_group_desc* desc,
                                          bool automatic, uint32_t length, const char* call);

/* Creates a group that hidden entities do not enter: loops of systems skip hidden entities. */
sett_group* setti_group_create_for_system(sett_world* world, const sett_group_desc* desc,
                                          const char* call);

/* Destroys the group that owns a type, if there is such a group. Fails if the program has created
 * the group. */
sett_status setti_group_give_way(sett_world* world, const struct setti_type* type,
                                 const char* call);

void setti_group_end(sett_group* group);

static inline sett_group* setti_group_of(setti_listener* listener)
{
    SETTI_ASSERT(!listener->observes);
    return (sett_group*)(void*)listener; /* the first member of sett_group */
}

struct sett_observer_desc;

/* Creates an observer from a descriptor of full size. Reports failures as `call`. */
struct sett_observer* setti_observer_create(sett_world* world,
                                            const struct sett_observer_desc* desc,
                                            const char* call);

/* Calls free_user of all observers, before the world is freed. */
void setti_observer_free_users(sett_world* world);

/* Returns the name of an observer of a type, or of an observer with a term about the type. Returns
 * NULL if there is no such observer. */
const char* setti_observer_of_type(sett_world* world, const setti_type* type);

/* Returns NULL if the listener is valid. Otherwise returns the broken part of the invariant. */
const char* setti_listener_validate(const setti_listener* listener);

#endif
