/* change_internal.h: what the files of change share. Structure changes in change*.c and nowhere
 * else:
 *
 *     change.c           add, remove, set, clear: one component of one entity
 *     fast_path.c        the same of plain types, faster; everything here does without it
 *     change_create.c    entities begin: one by one, and in bulk
 *     change_bundle.c    one entity begins with all of its components
 *     change_destroy.c   entities end, with all whom that collects
 *     change_convert.c   a type's storage as a whole: reserved, compacted, of another kind
 *     change_edge.c      the step from one set of components to another: its number, who is told
 */
#ifndef SETTI_CHANGE_INTERNAL_H
#define SETTI_CHANGE_INTERNAL_H

#include "world/change.h"

/* ----------------------------------------------------------------------------------- signatures */

/* The signature with the type toggled; the signature itself for a dont_fragment type. SETTI_NONE
 * when
 * memory runs out. */
uint32_t setti_change_toggle(sett_world* world, uint32_t signature, const setti_type* type);

static inline void setti_change_set_signature(sett_world* world, uint32_t index,
                                              uint32_t* signature, uint32_t to)
{
    setti_entity_write(&world->pool, &world->entities, index);
    *signature = to;
}

/* ---------------------------------------------------------------------------------------- hooks */

/* Calls all who are told of an event: of each its function as it is by then, because those before
 * may have disabled it. */
void setti_change_call_all(sett_world* world, const setti_type* type, setti_event event,
                           sett_entity entity, void* value);

SETTI_INLINE bool setti_change_has_callbacks(const setti_type* type, setti_event event)
{
    return (type->flags & (uint32_t)SETTI_TYPE_ON_ADD << event) != 0;
}

static inline void setti_change_call(sett_world* world, const setti_type* type, setti_event event,
                                     sett_entity entity, void* value)
{
    if (setti_change_has_callbacks(type, event)) {
        setti_change_call_all(world, type, event, entity, value);
    }
}

/* Ends the value that the entity has. It counts as written first: a snapshot may need it as it
 * is. */
static inline void setti_change_deinit_value(sett_world* world, const setti_type* type,
                                             uint32_t index)
{
    if (SETTI_UNLIKELY(type->desc.deinit != NULL)) {
        setti_type_call_deinit(type, setti_storage_find_mut(&world->pool, &type->storage, index),
                               1);
    }
}

/* ------------------------------------------------------------------------------------ listeners */

/* One walk over the listeners that a transition concerns, in order of their creation. */
typedef struct setti_change_walk {
    const setti_plan_step* step;
    setti_listener* next; /* without a plan: the next to ask */
    uint32_t from;
    uint32_t to;
} setti_change_walk;

setti_change_walk setti_change_walk_begin(sett_world* world, uint32_t from, const setti_type* type,
                                          uint32_t to);

/* Tells those that the entity is about to leave; everything still exists. */
void setti_change_notify_exit(sett_world* world, setti_change_walk walk, sett_entity entity);
void setti_change_leave(sett_world* world, setti_change_walk walk, uint32_t index);

/* The same for those that it enters; the first makes sure that the second needs no memory. */
bool setti_change_reserve_listeners(sett_world* world, setti_change_walk walk, uint32_t index);
void setti_change_enter(sett_world* world, setti_change_walk walk, uint32_t index);
void setti_change_notify_enter(sett_world* world, setti_change_walk walk, sett_entity entity);

/* Whether nobody listens to a transition: only such ones may take the fast path. */
bool setti_change_is_unheard(sett_world* world, uint32_t from, const setti_type* type, uint32_t to);

/* ------------------------------------------------------------------------------ one component */

/* A value that an addition is given. */
typedef struct setti_given {
    const void* value;
    uint32_t source; /* whose value of the type it is, which may move meanwhile; or SETTI_NONE */
    const setti_change_fill* fill; /* instead of a value: what writes it; or NULL */
} setti_given;

/* Makes a fresh row what is given, or without that an initialised value. Without a copy hook what
 * is given moves in. */
void setti_change_give(const setti_type* type, void* row, const setti_given* given);

/* Adds and removes, in every case: sett_add and sett_remove without a fast path. `given`: NULL, or
 * the value that it is added with. */
void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                       const char* call, const setti_given* given);
sett_status setti_change_remove(sett_world* world, sett_entity entity, sett_component component);

/* setti_change_add by the shortest path that there is; fast_path.c. */
void* setti_fast_add(sett_world* world, setti_type* type, sett_entity entity, const char* call,
                     const setti_given* given);

/* --------------------------------------------------------------------------------------- checks */

/* The type, if the world is unlocked and knows it. */
setti_type* setti_change_check_type(sett_world* world, sett_component component, const char* call);

/* Types of relationships come with places in lists, which their own functions see to. */
sett_status setti_change_reject_linked(sett_world* world, const setti_type* type, const char* call);

/* -------------------------------------------------------------------------------------- endings */

/* Takes all components off an entity, hooks first, values then. Needs no memory. Leaves the
 * signature for the caller to reset. */
void setti_change_strip(sett_world* world, sett_entity entity, uint32_t* signature);

#endif
