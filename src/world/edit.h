/* edit.h: a structural change as a value, and the four steps that carry it out. Every call,
 * command, delta and instance that changes structure makes edits; nothing else does, but for the
 * fast paths in change*.c.
 *
 * An edit says which entities have which signature before and after, which types they get, with
 * their values, and which they lose. A call is a list of edits: one for each type that an addition
 * requires, say. The steps:
 *
 *     reserve           all memory that the other steps need; for a list, all of its edits are
 *                       reserved first, and the pages pinned if they concern several entities
 *     notify leaving    on_exit of observers that match `from` and not `to`; on_remove
 *     commit            structure and values: cannot fail
 *     notify entering   on_add, which sees the final value; on_set; on_enter
 *
 * Queries and groups see `from` and `to`, never a signature in between. A call that fails in the
 * first step leaves the world as it was. */
#ifndef SETTI_EDIT_H
#define SETTI_EDIT_H

#include "world/world.h"

/* A function that writes the value of an added component. */
typedef struct setti_edit_fill {
    /* Writes the value, which is initialised. */
    void (*write)(const struct setti_edit_fill* fill, void* value);
} setti_edit_fill;

/* A type that is added, and where its value comes from: at most one of `value`, `origin` and `fill`
 * is not NULL. If all are, the value is an initialised one, and on_set does not run. */
typedef struct setti_edit_part {
    setti_type* type;
    /* copied; for several entities, unless the edit repeats: an array of values */
    const void* value;
    /* The value of the entity at index `source` of this storage is copied. It is looked up just
     * before, because reserving and groups move values. */
    const setti_storage* origin;
    const setti_edit_fill* fill; /* writes the value */
    uint32_t source;
    bool quiet; /* on_set does not run, though there is a value */
} setti_edit_part;

typedef struct setti_edit {
    /* The edited entities. An edit that creates writes their handles here; NULL, allowed only if no
     * callback runs: the caller wants no handles. */
    sett_entity* entities;
    uint32_t count;         /* of entities: 1, unless the edit creates */
    uint32_t from;          /* the entities' signature before, without dont_fragment types */
    uint32_t to;            /* the signature after */
    setti_edit_part* added; /* a type comes behind those that it requires */
    uint32_t added_count;
    uint32_t room;       /* capacity of `added`, in the pool; 0: `added` is the caller's memory */
    uint32_t flags;      /* SETTI_TYPE_* of all added types together; reserving computes them */
    setti_type* removed; /* the type that is removed, or NULL */
    bool removes_all; /* all types are removed: dont_fragment ones first, then by id, descending */
    bool creates;     /* the entities do not exist before */
    bool destroys;    /* the entities do not exist afterwards */
    bool forgets;     /* if it destroys: the handles can be created again */
    bool repeat;      /* all entities get the same values */
} setti_edit;

/* ----------------------------------------------------------------------------------- making one */

/* Call it before the first edit of a call is made. Frees unused signatures, when there are many:
 * their numbers, which edits hold, can change here only. */
void setti_edit_settle(sett_world* world);

/* A call that reserves for several entities before it commits for the first does so between
 * setti_edit_pin and setti_edit_unpin. Meanwhile pages of storages neither move nor are freed,
 * whichever rows are erased or reserved. */
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
    if (--world->pool.pinned == 0) { /* else a copy, which makes this change, needs the pins */
        world->reserved_for = SETTI_NONE;
        if (SETTI_UNLIKELY(world->pool.strayed)) {
            setti_edit_free_strays(world);
        }
    }
}

/* The signature with the type toggled; the signature itself for a dont_fragment type. SETTI_NONE
 * when memory runs out. */
uint32_t setti_edit_toggle(sett_world* world, uint32_t signature, const setti_type* type);

/* Frees the signatures that no entity has. */
void setti_edit_reclaim_signatures(sett_world* world);

/* Forgets all plans, and the transitions that types remember: the listeners have changed. */
void setti_edit_forget_transitions(sett_world* world);

/* The edit that adds the type of a part to an entity with signature `from`, or removes a type from
 * it. Its `to` is SETTI_NONE when memory runs out: reserving it fails then. */
setti_edit setti_edit_of_added(sett_world* world, sett_entity* entity, uint32_t from,
                               setti_edit_part* part);
setti_edit setti_edit_of_removed(sett_world* world, sett_entity* entity, uint32_t from,
                                 setti_type* type);

/* Adds a type to an edit with parts of its own, behind those that it requires. Types that the edit
 * adds already, or that its entity has, are not added again. Returns the type's part, in which the
 * caller says where the value comes from. NULL when memory runs out. */
setti_edit_part* setti_edit_include(sett_world* world, setti_edit* edit, setti_type* type);

/* Frees an edit's own parts. */
void setti_edit_free(sett_world* world, setti_edit* edit);

/* Functions that make new entities children of the world's scope. */
typedef struct setti_scope_calls {
    /* Adds the components of children to an edit that creates. */
    sett_status (*include)(sett_world* world, setti_edit* edit, const char* call);
    /* Attaches the entities, which are created. */
    void (*attach)(sett_world* world, const setti_edit* edit);
} setti_scope_calls;

/* ------------------------------------------------------------------------------------ the steps */

/* Reserves what an edit needs. Of a list, call it for each edit, in the order in which they will be
 * committed. *from: the index from which an edit that creates takes free ones; becomes that for the
 * next edit. NULL for other edits. Fails with LIMIT or OUT_OF_MEMORY: then nothing stays reserved,
 * of this edit and those before. */
sett_status setti_edit_reserve(sett_world* world, setti_edit* edit, uint32_t* from);

/* Like setti_edit_reserve, for one entity, at an index that the caller has reserved. */
bool setti_edit_reserve_at(sett_world* world, setti_edit* edit, uint32_t index);

/* Gives up the reservations of an edit that is not committed, because another one failed. */
void setti_edit_unclaim(sett_world* world);

/* The steps after it; setti_edit_notify_entering is further below. The first two are for edits of
 * one entity. */
void setti_edit_notify_leaving(sett_world* world, const setti_edit* edit);
void setti_edit_commit(sett_world* world, const setti_edit* edit);
void setti_edit_commit_many(sett_world* world, const setti_edit* edit);

/* The last step for an entity that is created without components. */
void setti_edit_notify_begun(sett_world* world, sett_entity entity);

/* Reserves and commits an edit that creates one entity. False, with nothing done, when memory runs
 * out or no index is free. */
bool setti_edit_begin(sett_world* world, setti_edit* edit);

/* Carries out an edit of one existing entity, which is reserved: notifies leaving, commits,
 * notifies entering. */
void setti_edit_run(sett_world* world, const setti_edit* edit);

/* ------------------------------------------------------------------------------- parts of steps */

/* A walk over the types that an edit removes from an entity, in this order. */
typedef struct setti_edit_removal {
    uint32_t apart;              /* dont_fragment types that are left: they come first */
    uint32_t count;              /* entries of `types` that are left */
    const sett_component* types; /* visited from the last to the first */
} setti_edit_removal;

static inline setti_edit_removal setti_edit_removed(const sett_world* world, const setti_edit* edit)
{
    SETTI_ASSERT(edit->removed == NULL || !edit->removes_all);
    setti_edit_removal walk = {0, edit->removed != NULL, NULL};
    if (edit->removed != NULL) {
        walk.types = &edit->removed->id;
    } else if (edit->removes_all) {
        walk.apart = world->dont_fragment.count;
        walk.count = edit->from != 0 ? world->signatures.record[edit->from].count : 0;
        walk.types = walk.count != 0 ? world->signatures.record[edit->from].types : NULL;
    }
    return walk;
}

/* The next type of the walk, NULL at the end. The type may have been removed by the next call. */
static inline setti_type* setti_edit_next_removed(const sett_world* world, setti_edit_removal* walk,
                                                  uint32_t index)
{
    while (SETTI_UNLIKELY(walk->apart != 0)) {
        setti_type* type = world->dont_fragment.item[--walk->apart];
        if (setti_storage_has(&type->storage, index)) {
            return type;
        }
    }
    return walk->count != 0 ? world->types[walk->types[--walk->count]] : NULL;
}

/* Whether removing the types of an edit may have more to do than to erase rows. */
SETTI_INLINE bool setti_edit_has_endings(const sett_world* world, const setti_edit* edit)
{
    if (!edit->removes_all) {
        return edit->removed != NULL && (edit->removed->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    }
    return world->dont_fragment.count != 0 ||
           (edit->from != 0 && world->signatures.record[edit->from].hooked != 0);
}

/* The value that a part copies; NULL: the part has none, or `fill` writes it. */
SETTI_INLINE const void* setti_edit_value(const setti_edit_part* part)
{
    if (part->origin == NULL || part->value != NULL) {
        SETTI_ASSERT(part->origin == NULL);
        return part->value;
    }
    SETTI_ASSERT(setti_storage_has(part->origin, part->source));
    return SETTI_LIKELY(part->origin->kind == SETTI_ARRAY)
               ? setti_storage_row(part->origin, part->source)
               : setti_storage_find(part->origin, part->source);
}

/* Writes the value of a part to a new row, for types of any kind.
 *   value  what setti_edit_value returns for the part */
void setti_edit_write_any(const setti_edit_part* part, void* row, const void* value);

/* Like setti_edit_write_any; in line for plain bytes. */
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

/* Whether a type's rows, or entries of the world's collect_list, are reserved by their number, not
 * by index: then several reservations add up in `claimed`. */
SETTI_INLINE bool setti_edit_claims(const setti_type* type)
{
    return type->storage.kind == SETTI_SPARSE || type->cascade != NULL;
}

/* Makes sure that all entities with this type, and `more` that will get it, can be destroyed
 * together. Call it before they are linked. False when memory runs out. */
SETTI_INLINE bool setti_edit_reserve_collect(sett_world* world, setti_type* type, uint32_t more)
{
    uint64_t need = (uint64_t)type->storage.count + type->claimed + more;
    return SETTI_LIKELY(need <= type->collect_room) || type->cascade == NULL ||
           type->cascade->collect == NULL || world->cascade_calls->reserve(world, type, need);
}

/* Functions of edits for listeners, in edit_listener.c: programs without listeners do not link it.
 *   enters  SETTI_ENTERS or SETTI_LEAVES */
typedef struct setti_listener_calls {
    /* The slow path of setti_edit_plan: the world has listeners, and the signatures differ. */
    const setti_plan_step* (*plan)(sett_world* world, uint32_t from, uint32_t to);
    /* Reserves the memory for a run of entities in the listeners that they enter. */
    bool (*reserve)(sett_world* world, const setti_edit* edit, setti_entity_run run);
    /* Makes a run of entities enter or leave listeners. */
    void (*commit)(sett_world* world, const setti_edit* edit, setti_entity_run run, bool enters);
    /* Runs on_enter or on_exit. */
    void (*notify)(sett_world* world, const setti_edit* edit, sett_entity entity, bool enters);
} setti_listener_calls;

/* Functions of the hierarchy for observers with conditions on ancestors. */
typedef struct setti_upward_calls {
    /* Whether the entity at an index matches. */
    bool (*matches)(sett_world* world, const setti_listener* listener, uint32_t index);
    /* Runs on_enter or on_exit for the entity of an edit and its descendants. */
    void (*notify)(sett_world* world, const setti_listener* listener, const setti_edit* edit,
                   sett_entity entity, bool enters);
    /* Detaches the children of an entity that loses its place in the hierarchy. */
    void (*release)(sett_world* world, uint32_t index);
} setti_upward_calls;

/* Ends the step `notify leaving`: detaches the entity's children, if observers have conditions on
 * ancestors. */
void setti_edit_release(sett_world* world, const setti_edit* edit);

/* Appends a listener to the world's list; removes it again. Both forget transitions. */
void setti_edit_listen(sett_world* world, setti_listener* listener);
void setti_edit_unlisten(sett_world* world, setti_listener* listener);

/* The plan of a transition between two signatures: an array of steps, of which the last has no
 * listener. It is made at its first use. NULL when memory for it runs out: every listener has to be
 * tested then. */
SETTI_INLINE const setti_plan_step* setti_edit_plan(sett_world* world, uint32_t from, uint32_t to)
{
    static const setti_plan_step none = {.listener = NULL};
    const setti_plan_table* plans = &world->plans;
    if (SETTI_LIKELY(world->listeners == NULL) || from == to) {
        return &none;
    }
    return plans->last_key == ((uint64_t)from << 32 | to) ? &plans->step[plans->last]
                                                          : plans->calls->plan(world, from, to);
}

/* The signatures that listeners compare; SETTI_NONE for an entity before it is created and after it
 * is destroyed. */
SETTI_INLINE uint32_t setti_edit_before(const setti_edit* edit)
{
    return edit->creates ? SETTI_NONE : edit->from;
}

SETTI_INLINE uint32_t setti_edit_after(const setti_edit* edit)
{
    return edit->destroys ? SETTI_NONE : edit->to;
}

/* Whether an edit does `what` (SETTI_PLAN_*). True if there was no memory for a plan. */
SETTI_INLINE bool setti_edit_does(sett_world* world, const setti_edit* edit, uint8_t what)
{
    const setti_plan_step* plan =
        setti_edit_plan(world, setti_edit_before(edit), setti_edit_after(edit));
    return plan == NULL || (plan->all & what) != 0;
}

/* Whether a transition concerns no listener: only then it may take a fast path. */
static inline bool setti_edit_has_no_listener(sett_world* world, uint32_t from, uint32_t to)
{
    const setti_plan_step* plan = setti_edit_plan(world, from, to);
    return plan != NULL && plan->listener == NULL;
}

/* The slow path of setti_edit_notify_entering: there may be callbacks. */
void setti_edit_call_entering(sett_world* world, const setti_edit* edit);

/* The last step. */
SETTI_INLINE void setti_edit_notify_entering(sett_world* world, const setti_edit* edit)
{
    if (SETTI_UNLIKELY((edit->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0 ||
                       world->listeners != NULL)) {
        setti_edit_call_entering(world, edit);
    }
}

/* Runs all callbacks of an event. Reads each function just before the call: an earlier callback may
 * have disabled its observer. */
void setti_edit_call_all(sett_world* world, const setti_type* type, setti_event event,
                         sett_entity entity, void* value);

/* Equals setti_edit_call_all while the world is unlocked; in line for one callback. */
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
                                             uint32_t to)
{
    SETTI_ASSERT(to != SETTI_NONE);
    setti_entity_write(&world->pool, &world->entities, index);
    *signature = to;
}

/* Deinitialises the value of an entity. Marks it as written first, because a snapshot may need
 * it. */
SETTI_INLINE void setti_edit_deinit_value(sett_world* world, const setti_type* type, uint32_t index)
{
    if (SETTI_UNLIKELY(type->desc.deinit != NULL)) {
        setti_type_call_deinit(type, setti_storage_find_mut(&world->pool, &type->storage, index),
                               1);
    }
}

#endif
