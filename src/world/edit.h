/* edit.h: an edit is a structural change as a value. Four steps carry out an edit. All changes of
 * structure are edits, except the fast paths in change*.c.
 *
 * An edit holds the signatures of the entities before and after the change (`from` and `to`), the
 * added types with values, and the removed types. A call may need a list of edits, for example one
 * edit for each required type. The steps:
 *
 *     reserve           reserves memory for the other steps, first for all edits of a list
 *     notify leaving    runs on_exit of observers that match `from` and not `to`, and on_remove
 *     commit            changes structure and values; cannot fail
 *     notify entering   runs on_add (with the final value), on_set and on_enter
 *
 * Queries and groups see only `from` and `to`, no other signature. A call that fails in the first
 * step leaves the world unchanged. */
#ifndef SETTI_EDIT_H
#define SETTI_EDIT_H

#include "world/world.h"

/* Writes the value of an added component. The value is already initialised. */
typedef struct setti_edit_fill {
    void (*write)(const struct setti_edit_fill* fill, void* value);
} setti_edit_fill;

/* An added type. At most one of `value`, `origin` and `fill` is set. If none is set, the value is
 * only initialised. */
typedef struct setti_edit_part {
    setti_type* type;
    /* the value to copy, or an array of values for several entities */
    const void* value;
    const setti_storage* origin; /* storage to copy from; values in the storage may still move */
    const setti_edit_fill* fill; /* writes the value */
    uint32_t source;             /* if `origin` is set: index of the entity with the value */
    bool quiet;                  /* on_set does not run, although the part has a value */
} setti_edit_part;

typedef struct setti_edit {
    sett_entity* entities;  /* the handles; if `creates`: written by the commit, or NULL */
    uint32_t count;         /* number of entities; 1 if the edit does not create */
    uint32_t from;          /* the entities' signature before, without dont_fragment types */
    uint32_t to;            /* the entities' signature after; SETTI_NONE: memory ran out */
    setti_edit_part* added; /* required types come before the types that require them */
    uint32_t added_count;
    uint32_t room;       /* capacity of `added` in the pool; 0: `added` is memory of the caller */
    uint32_t flags;      /* SETTI_TYPE_* of all added types together, set by the step "reserve" */
    setti_type* removed; /* the removed type, or NULL */
    bool removes_all;    /* removes dont_fragment types, then all other types by descending id */
    bool creates;        /* the entities do not exist before */
    bool destroys;       /* the entities do not exist afterwards */
    bool forgets;        /* if `destroys`: the handles can be created again */
    bool repeat;         /* all entities get the same values */
} setti_edit;

/* --------------------------------------------------------------------------------------- making */

/* Frees unused signatures if there are many. A call that makes edits calls this function first. */
void setti_edit_settle(sett_world* world);

/* Pins the pages of storages. Pinned pages do not move and are not freed. */
static inline void setti_edit_pin(sett_world* world)
{
    SETTI_ASSERT(world->locks == 0 && (world->pool.pinned != 0 || !world->pool.strayed));
    world->pool.pinned++;
}

/* Frees the pages that became empty while pages were pinned. */
void setti_edit_free_strays(sett_world* world);

static inline void setti_edit_unpin(sett_world* world)
{
    SETTI_ASSERT(world->pool.pinned != 0);
    if (--world->pool.pinned == 0) { /* no outer call needs the pins */
        world->reserved_for = SETTI_NONE;
        if (SETTI_UNLIKELY(world->pool.strayed)) {
            setti_edit_free_strays(world);
        }
    }
}

/* Returns the signature with a type added, or removed if `signature` has the type. Returns
 * SETTI_NONE if memory runs out. */
uint32_t setti_edit_toggle(sett_world* world, uint32_t signature, const setti_type* type);

/* Frees the signatures that no entity has. */
void setti_edit_reclaim_signatures(sett_world* world);

/* Drops all plans and remembered transitions, after listeners have changed. */
void setti_edit_forget_transitions(sett_world* world);

/* Makes an edit that adds a type to an entity with the signature `before`. If memory runs out,
 * reserving the edit fails. */
setti_edit setti_edit_of_added(sett_world* world, sett_entity* entity, uint32_t before,
                               setti_edit_part* part);

/* Makes an edit that removes a type from an entity with the signature `before`. If memory runs out,
 * reserving the edit fails. */
setti_edit setti_edit_of_removed(sett_world* world, sett_entity* entity, uint32_t before,
                                 setti_type* type);

/* Adds a type to an edit, after the types that this type requires. The entities lack the type.
 * Returns the part of the type. Returns NULL if memory runs out. */
setti_edit_part* setti_edit_include(sett_world* world, setti_edit* edit, setti_type* type);

void setti_edit_free(sett_world* world, setti_edit* edit);

/* Functions that make new entities children of the world's scope. */
typedef struct setti_scope_calls {
    /* Adds the components of a child to an edit that creates entities. */
    sett_status (*include)(sett_world* world, setti_edit* edit, const char* call);
    /* Attaches the entities after the commit. */
    void (*attach)(sett_world* world, const setti_edit* edit);
} setti_scope_calls;

/* ------------------------------------------------------------------------------------ the steps */

/* The step "reserve". A failure drops the reservations of all edits.
 *   search_start  if the edit creates: *search_start is the index where the search for free indices
 *                 begins. The call advances *search_start for the next edit. */
sett_status setti_edit_reserve(sett_world* world, setti_edit* edit, uint32_t* search_start);

/* The step "reserve" for one entity, with an index that exists or is reserved. Returns false if
 * memory runs out. */
bool setti_edit_reserve_at(sett_world* world, setti_edit* edit, uint32_t index);

/* Drops the reservations of all edits. */
void setti_edit_unclaim(sett_world* world);

/* The steps "notify leaving" and "commit", for edits of one entity. */
void setti_edit_notify_leaving(sett_world* world, const setti_edit* edit);
void setti_edit_commit(sett_world* world, const setti_edit* edit);

/* The step "commit", for edits of one or several entities. */
void setti_edit_commit_many(sett_world* world, const setti_edit* edit);

/* The step "notify entering", for an entity created without components. */
void setti_edit_notify_begun(sett_world* world, sett_entity entity);

/* Reserves and commits an edit that creates an entity. Returns false if the reservation fails. */
bool setti_edit_begin(sett_world* world, setti_edit* edit);

/* Carries out a reserved edit of an existing entity. */
void setti_edit_run(sett_world* world, const setti_edit* edit);

/* ------------------------------------------------------------------------------- parts of steps */

/* A walk over the types that an edit removes. */
typedef struct setti_edit_removal {
    uint32_t dont_fragment; /* number of dont_fragment types still to visit */
    uint32_t count;         /* number of `types` still to visit, from the last to the first */
    const sett_component* types;
} setti_edit_removal;

/* Begins a walk over the types that an edit removes. */
static inline setti_edit_removal setti_edit_removed(const sett_world* world, const setti_edit* edit)
{
    SETTI_ASSERT(edit->removed == NULL || !edit->removes_all);
    setti_edit_removal walk = {0, 0, NULL};
    if (edit->removed != NULL) {
        walk.count = 1;
        walk.types = &edit->removed->id;
    } else if (edit->removes_all) {
        walk.dont_fragment = world->dont_fragment.count;
        if (edit->from != 0) {
            walk.count = world->signatures.record[edit->from].count;
            walk.types = world->signatures.record[edit->from].types;
        }
    }
    return walk;
}

/* Returns the next type of a walk, or NULL at the end. `index` is the index of the entity. */
static inline setti_type* setti_edit_next_removed(const sett_world* world, setti_edit_removal* walk,
                                                  uint32_t index)
{
    while (SETTI_UNLIKELY(walk->dont_fragment != 0)) {
        setti_type* type = world->dont_fragment.item[--walk->dont_fragment];
        if (setti_storage_has(&type->storage, index)) {
            return type;
        }
    }
    return walk->count != 0 ? world->types[walk->types[--walk->count]] : NULL;
}

/* Returns true if the edit may remove a type with SETTI_TYPE_REMOVE_HOOKS. */
SETTI_INLINE bool setti_edit_has_endings(const sett_world* world, const setti_edit* edit)
{
    if (!edit->removes_all) {
        return edit->removed != NULL && (edit->removed->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    }
    if (world->dont_fragment.count != 0) { /* signatures do not have these types */
        return true;
    }
    return edit->from != 0 && world->signatures.record[edit->from].hooked != 0;
}

/* Returns the value to copy for a part. Returns NULL if there is no value to copy. */
SETTI_INLINE const void* setti_edit_value(const setti_edit_part* part)
{
    if (part->origin == NULL || part->value != NULL) { /* a part with a value has no origin */
        SETTI_ASSERT(part->origin == NULL);
        return part->value;
    }
    SETTI_ASSERT(setti_storage_has(part->origin, part->source));
    if (SETTI_LIKELY(part->origin->kind == SETTI_ARRAY)) {
        return setti_storage_row(part->origin, part->source);
    }
    return setti_storage_find(part->origin, part->source);
}

/* The slow path of setti_edit_write.
 *   value  the result of setti_edit_value */
void setti_edit_write_any(const setti_edit_part* part, void* row, const void* value);

/* Writes the value of a part to a new row. */
SETTI_INLINE void setti_edit_write(const setti_edit_part* part, void* row)
{
    const setti_type* type = part->type;
    const void* value = setti_edit_value(part);
    if (SETTI_LIKELY(value != NULL && (type->flags & SETTI_TYPE_COPY) == 0)) {
        setti_row_copy(row, value, type->storage.size);
    } else if (value == NULL && part->fill == NULL && (type->flags & SETTI_TYPE_INIT) == 0) {
        setti_row_zero(row, type->storage.size);
    } else {
        setti_edit_write_any(part, row, value);
    }
}

/* Returns true if a type uses `claimed`: for rows of a sparse set, or for entries of
 * collect_list. */
SETTI_INLINE bool setti_edit_claims(const setti_type* type)
{
    return type->storage.kind == SETTI_SPARSE || type->cascade != NULL;
}

/* Reserves room in collect_list for `more` entities with a type. Returns false if memory runs
 * out. */
SETTI_INLINE bool setti_edit_reserve_collect(sett_world* world, setti_type* type, uint32_t more)
{
    uint64_t need = (uint64_t)type->storage.count + type->claimed + more;
    if (SETTI_LIKELY(need <= type->collect_room)) {
        return true;
    }
    bool collects = type->cascade != NULL && type->cascade->collect != NULL;
    return !collects || world->cascade_calls->reserve(world, type, need);
}

/* Functions of edits for listeners, in edit_listener.c.
 *   enters  SETTI_ENTERS or SETTI_LEAVES */
typedef struct setti_listener_calls {
    /* The slow path of setti_edit_plan. */
    const setti_plan_step* (*plan)(sett_world* world, uint32_t before, uint32_t after);
    /* Reserves memory for entities to enter listeners. Returns false if memory runs out. */
    bool (*reserve)(sett_world* world, const setti_edit* edit, setti_entity_run run);
    /* Makes entities enter or leave listeners. */
    void (*commit)(sett_world* world, const setti_edit* edit, setti_entity_run run, bool enters);
    /* Runs on_enter or on_exit. */
    void (*notify)(sett_world* world, const setti_edit* edit, sett_entity entity, bool enters);
} setti_listener_calls;

/* Functions of the hierarchy for observers with conditions on ancestors. */
typedef struct setti_upward_calls {
    /* Returns true if an entity matches. */
    bool (*matches)(sett_world* world, const setti_listener* listener, uint32_t index);
    /* Runs on_enter or on_exit for an edited entity and all descendants. */
    void (*notify)(sett_world* world, const setti_listener* listener, const setti_edit* edit,
                   sett_entity entity, bool enters);
    /* Detaches the children of an entity that loses Hierarchy. */
    void (*release)(sett_world* world, uint32_t index);
} setti_upward_calls;

/* The end of the step "notify leaving": detaches the children of an entity that loses Hierarchy. */
void setti_edit_release(sett_world* world, const setti_edit* edit);

void setti_edit_listen(sett_world* world, setti_listener* listener);
void setti_edit_unlisten(sett_world* world, setti_listener* listener);

/* Finds or makes the plan of a transition. Returns NULL if memory runs out. */
SETTI_INLINE const setti_plan_step* setti_edit_plan(sett_world* world, uint32_t before,
                                                    uint32_t after)
{
    static const setti_plan_step none = {.listener = NULL}; /* an empty plan */
    const setti_plan_table* plans = &world->plans;
    if (SETTI_LIKELY(world->listeners == NULL) || before == after) {
        return &none;
    }
    if (plans->last_key == ((uint64_t)before << 32 | after)) {
        return &plans->step[plans->last];
    }
    return plans->calls->plan(world, before, after);
}

/* Returns the signature before an edit, or SETTI_NONE if the entities do not exist yet. */
SETTI_INLINE uint32_t setti_edit_before(const setti_edit* edit)
{
    return edit->creates ? SETTI_NONE : edit->from;
}

/* Returns the signature after an edit, or SETTI_NONE if the entities no longer exist. */
SETTI_INLINE uint32_t setti_edit_after(const setti_edit* edit)
{
    return edit->destroys ? SETTI_NONE : edit->to;
}

/* Returns true if an edit may have an effect (SETTI_PLAN_*) on a listener. */
SETTI_INLINE bool setti_edit_does(sett_world* world, const setti_edit* edit, uint8_t effect)
{
    const setti_plan_step* plan =
        setti_edit_plan(world, setti_edit_before(edit), setti_edit_after(edit));
    /* without a plan (memory ran out), each effect is possible */
    return plan == NULL || (plan->all & effect) != 0;
}

/* Returns true if a transition concerns no listener. */
static inline bool setti_edit_has_no_listener(sett_world* world, uint32_t before, uint32_t after)
{
    const setti_plan_step* plan = setti_edit_plan(world, before, after);
    return plan != NULL && plan->listener == NULL;
}

/* The slow path of setti_edit_notify_entering. */
void setti_edit_call_entering(sett_world* world, const setti_edit* edit);

/* The step "notify entering". */
SETTI_INLINE void setti_edit_notify_entering(sett_world* world, const setti_edit* edit)
{
    if (SETTI_UNLIKELY((edit->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0 ||
                       world->listeners != NULL)) {
        setti_edit_call_entering(world, edit);
    }
}

/* Locks the world, and runs all callbacks of an event. */
void setti_edit_call_all(sett_world* world, const setti_type* type, setti_event event,
                         sett_entity entity, void* value);

/* Fast path of setti_edit_call_all, for an unlocked world. */
SETTI_INLINE void setti_edit_call_unlocked(sett_world* world, const setti_type* type,
                                           setti_event event, sett_entity entity, void* value)
{
    SETTI_ASSERT(world->locks == 0 && world->calling == NULL);
    const setti_call* call = type->notified[event].item;
    if (SETTI_UNLIKELY(type->notified[event].count != 1)) {
        setti_edit_call_all(world, type, event, entity, value);
        return;
    }
    world->locks++;
    world->calling = call->name;
    call->fn(world, entity, value, call->user);
    world->locks--;
    world->calling = NULL;
}

SETTI_INLINE bool setti_edit_has_callbacks(const setti_type* type, setti_event event)
{
    return (type->flags & (uint32_t)SETTI_TYPE_ON_ADD << event) != 0;
}

SETTI_INLINE void setti_edit_write_signature(sett_world* world, uint32_t index, uint32_t* signature,
                                             uint32_t after)
{
    SETTI_ASSERT(after != SETTI_NONE);
    setti_entity_write(&world->pool, &world->entities, index);
    *signature = after;
}

SETTI_INLINE void setti_edit_deinit_value(sett_world* world, const setti_type* type, uint32_t index)
{
    if (SETTI_UNLIKELY(type->desc.deinit != NULL)) {
        setti_type_call_deinit(type, setti_storage_find_mut(&world->pool, &type->storage, index),
                               1);
    }
}

#endif
