/* edit.h: a structural change as a value, and the four steps that carry it out. Every call,
 * command, delta and instance that changes structure makes edits; nothing else does, but for the
 * fast paths in change*.c.
 *
 * An edit says which entities have which set of types before and after, and what is in between:
 * types that come, with their values, and types that go. A call is a list of edits: one for each
 * type that an addition requires, say. The steps:
 *
 *     reserve           all memory that the others need; with a list, for the whole list first,
 *                       the pages pinned if its edits are of several entities
 *     notify leaving    on_exit of what matches `from` and not `to`; on_remove
 *     commit            structure and values: cannot fail
 *     notify entering   on_add, which sees the final value; on_set; on_enter
 *
 * Queries and groups see `from` and `to`, never sets in between. A call that fails in the first
 * step leaves the world as it was. */
#ifndef SETTI_EDIT_H
#define SETTI_EDIT_H

#include "world/world.h"

/* The treatment of an initialised value. */
typedef struct setti_edit_fill {
    void (*write)(const struct setti_edit_fill* fill, void* value);
} setti_edit_fill;

/* A type that comes, and its value: that of `value`, `origin` or `fill`, of which at most one is
 * not NULL; else an initialised one. */
typedef struct setti_edit_part {
    setti_type* type;
    const void* value; /* of an edit of several entities, unless it repeats: an array */
    /* The value is copied from the entity at index `source` of this storage. It is looked up only
     * then, because reserving and groups move values. */
    const setti_storage* origin;
    const setti_edit_fill* fill;
    uint32_t source;
    bool quiet; /* on_set does not run, though there is a value */
} setti_edit_part;

typedef struct setti_edit {
    /* The edited entities, `count` of them. An edit that creates writes their handles here, or to
     * nowhere if this is NULL, which it can be when no callback runs. Other edits are of one. */
    sett_entity* entities;
    uint32_t count;
    uint32_t from;          /* their signature before, */
    uint32_t to;            /* and after. dont_fragment types are in neither */
    setti_edit_part* added; /* what a type requires comes before it */
    uint32_t added_count;
    uint32_t room;       /* parts that `added` has room for, of the pool; 0: it is the caller's */
    uint32_t flags;      /* of the added types, of any: worked out by reserving */
    setti_type* removed; /* what goes; or NULL */
    bool removes_all;    /* all goes instead: dont_fragment types first, then by id, descending */
    bool creates;        /* the entities do not exist before */
    bool destroys;       /* the entities do not exist afterwards, */
    bool forgets;        /* and their handles can be created again */
    bool repeat;         /* all entities get the same values */
} setti_edit;

/* ----------------------------------------------------------------------------------- making one */

/* To be called before the first edit of a call is made: frees unused signatures, whose numbers
 * edits hold, when there are many. */
void setti_edit_settle(sett_world* world);

/* A call that reserves for several entities before it carries anything out does so between these
 * two: pages of storages neither move nor are freed meanwhile, whichever rows are erased or
 * reserved. */
static inline void setti_edit_pin(sett_world* world)
{
    SETTI_ASSERT(world->locks == 0 && (world->pool.pinned != 0 || !world->pool.strayed));
    world->pool.pinned++;
}

/* Frees the pages that became empty meanwhile. */
void setti_edit_free_strays(sett_world* world);
static inline void setti_edit_unpin(sett_world* world)
{
    SETTI_ASSERT(world->pool.pinned != 0);
    if (--world->pool.pinned == 0) { /* else the rows of a copy, which attaches its root, wait */
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

/* Forgets which transitions are plain, and all plans: listeners have come or gone. */
void setti_edit_forget_transitions(sett_world* world);

/* The edit that adds what `part` says to an entity with a signature, or that removes a type from
 * it. `to` is SETTI_NONE when memory runs out: reserving fails then. */
setti_edit setti_edit_of_added(sett_world* world, sett_entity* entity, uint32_t from,
                               setti_edit_part* part);
setti_edit setti_edit_of_removed(sett_world* world, sett_entity* entity, uint32_t from,
                                 setti_type* type);

/* Adds a type, and before it what it requires, to an edit with parts of its own; known ones stay as
 * they are, and required ones that its entity has, if that is given. Returns its part, for the
 * caller to say which value it gets. NULL when memory runs out. */
setti_edit_part* setti_edit_include(sett_world* world, setti_edit* edit, setti_type* type);

/* Frees an edit's own parts. */
void setti_edit_free(sett_world* world, setti_edit* edit);

/* Functions that make new entities children of the world's scope. */
typedef struct setti_scope_calls {
    /* Adds what children have to an edit whose entities begin. */
    sett_status (*include)(sett_world* world, setti_edit* edit, const char* call);
    /* Attaches the entities, which are there. */
    void (*attach)(sett_world* world, const setti_edit* edit);
} setti_scope_calls;

/* ------------------------------------------------------------------------------------ the steps */

/* Reserves what an edit needs; with several, each of them, in the order in which they are going to
 * be committed. *from: the index from which entities that begin take free ones, which becomes that
 * of the next edit; NULL: none begin. A failure gives up all that is reserved by number, and
 * LIMIT or OUT_OF_MEMORY is returned. */
sett_status setti_edit_reserve(sett_world* world, setti_edit* edit, uint32_t* from);

/* Like setti_edit_reserve, for one entity, at an index that the caller has reserved. */
bool setti_edit_reserve_at(sett_world* world, setti_edit* edit, uint32_t index);

/* Gives up the reservations of an edit that is not committed, because another one failed. */
void setti_edit_unclaim(sett_world* world);

void setti_edit_notify_leaving(sett_world* world, const setti_edit* edit);
void setti_edit_commit(sett_world* world, const setti_edit* edit); /* of one entity */
void setti_edit_commit_many(sett_world* world, const setti_edit* edit);

/* The last step of an entity that begins without components. */
void setti_edit_notify_begun(sett_world* world, sett_entity entity);

/* Reserves and commits an edit of one entity that begins. False, and nothing is done, when there is
 * no memory or no index left. */
bool setti_edit_begin(sett_world* world, setti_edit* edit);

/* For one entity that exists already: notifies leaving, commits, notifies entering. */
void setti_edit_run(sett_world* world, const setti_edit* edit);

/* ------------------------------------------------------------------------------- parts of steps */

/* A walk over the types that an edit takes from an entity, in the order in which they go. */
typedef struct setti_edit_removal {
    uint32_t apart;              /* dont_fragment types to be looked at before the others, */
    uint32_t count;              /* of which there are so many, */
    const sett_component* types; /* the last of them first */
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

/* NULL at the end. A type just returned may be gone by the next call. */
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

/* Whether the removal of what goes has more to do than to erase rows. */
SETTI_INLINE bool setti_edit_has_endings(const sett_world* world, const setti_edit* edit)
{
    if (!edit->removes_all) {
        return edit->removed != NULL && (edit->removed->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    }
    return world->dont_fragment.count != 0 ||
           (edit->from != 0 && world->signatures.record[edit->from].hooked != 0);
}

/* The value that a part gives; NULL: none, or `fill` writes it. */
SETTI_INLINE const void* setti_edit_value(const setti_edit_part* part)
{
    if (part->origin == NULL || part->value != NULL) {
        SETTI_ASSERT(part->origin == NULL);
        return part->value;
    }
    SETTI_ASSERT(setti_storage_has(part->origin, part->source));
    return SETTI_LIKELY(part->origin->kind == SETTI_ARRAY)
               ? setti_array_row(part->origin, part->source)
               : setti_storage_find(part->origin, part->source);
}

/* Makes a fresh row what a part says; in line where that is to copy bytes, or to clear them. The
 * second: with the value that it gives, of any type. */
void setti_edit_write_any(const setti_edit_part* part, void* row, const void* value);
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

/* Whether rows, or room to be destroyed together, are reserved by number and not by index: then
 * several that are reserved at once add up. */
SETTI_INLINE bool setti_edit_claims(const setti_type* type)
{
    return type->storage.kind == SETTI_SPARSE || type->cascade != NULL;
}

/* Makes sure that `more` entities with this type, which do not have it yet, can be destroyed
 * together: to be called before they are linked. False when memory runs out. */
SETTI_INLINE bool setti_edit_reserve_collect(sett_world* world, setti_type* type, uint32_t more)
{
    uint64_t need = (uint64_t)type->storage.count + type->claimed + more;
    return SETTI_LIKELY(need <= type->collect_room) || type->cascade == NULL ||
           type->cascade->collect == NULL || world->cascade_calls->reserve(world, type, need);
}

/* Functions of edits for listeners: edit_listener.c. A program without listeners does not link it.
 * */
typedef struct setti_listener_calls {
    /* Like setti_edit_plan, where there are listeners and two signatures that differ. */
    const setti_plan_step* (*plan)(sett_world* world, uint32_t from, uint32_t to);
    /* Reserves places with the listeners that are entered. */
    bool (*reserve)(sett_world* world, const setti_edit* edit, setti_entity_run run);
    /* Makes a run of entities enter, or leave. */
    void (*commit)(sett_world* world, const setti_edit* edit, setti_entity_run run, bool enters);
    /* Runs on_enter, or on_exit. */
    void (*notify)(sett_world* world, const setti_edit* edit, sett_entity entity, bool enters);
} setti_listener_calls;

/* Functions of the hierarchy for observers with conditions on ancestors. */
typedef struct setti_upward_calls {
    /* Whether the entity matches. */
    bool (*matches)(sett_world* world, const setti_listener* listener, uint32_t index);
    /* Runs on_enter, or on_exit, for the entity of an edit and its descendants. */
    void (*notify)(sett_world* world, const setti_listener* listener, const setti_edit* edit,
                   sett_entity entity, bool enters);
    /* Detaches the children of an entity, which loses its place in the hierarchy. */
    void (*release)(sett_world* world, uint32_t index);
} setti_upward_calls;

/* The second step's end: children are detached, where an observer looks up the hierarchy. */
void setti_edit_release(sett_world* world, const setti_edit* edit);

/* Puts a listener at the end of the world's; takes it out again. What is known of transitions is
 * forgotten. */
void setti_edit_listen(sett_world* world, setti_listener* listener);
void setti_edit_unlisten(sett_world* world, setti_listener* listener);

/* The plan of the way from one signature to another, made at its first use: its steps, up to one
 * without a listener. NULL when there was no room to make it; then every listener has to be
 * tested. */
SETTI_INLINE const setti_plan_step* setti_edit_plan(sett_world* world, uint32_t from, uint32_t to)
{
    static const setti_plan_step none = {NULL, false, 0};
    const setti_plan_table* plans = &world->plans;
    if (SETTI_LIKELY(world->listeners == NULL) || from == to) {
        return &none;
    }
    return plans->last_key == ((uint64_t)from << 32 | to) ? &plans->step[plans->last]
                                                          : plans->calls->plan(world, from, to);
}

/* The signatures that listeners compare: an entity that is created had none, one that is
 * destroyed gets none. */
SETTI_INLINE uint32_t setti_edit_before(const setti_edit* edit)
{
    return edit->creates ? SETTI_NONE : edit->from;
}

SETTI_INLINE uint32_t setti_edit_after(const setti_edit* edit)
{
    return edit->destroys ? SETTI_NONE : edit->to;
}

/* Whether an edit does this (SETTI_PLAN_*); possibly true where there was no memory for a plan. */
SETTI_INLINE bool setti_edit_does(sett_world* world, const setti_edit* edit, uint8_t what)
{
    const setti_plan_step* plan =
        setti_edit_plan(world, setti_edit_before(edit), setti_edit_after(edit));
    return plan == NULL || (plan->all & what) != 0;
}

/* Whether no listener is concerned: only such transitions may take a fast path. */
static inline bool setti_edit_is_unheard(sett_world* world, uint32_t from, uint32_t to)
{
    const setti_plan_step* plan = setti_edit_plan(world, from, to);
    return plan != NULL && plan->listener == NULL;
}

/* The last step; the second is its part that runs callbacks. */
void setti_edit_call_entering(sett_world* world, const setti_edit* edit);
SETTI_INLINE void setti_edit_notify_entering(sett_world* world, const setti_edit* edit)
{
    if (SETTI_UNLIKELY((edit->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0 ||
                       world->listeners != NULL)) {
        setti_edit_call_entering(world, edit);
    }
}

/* Runs all callbacks of an event: of each its function as it is by then, because those before may
 * have disabled it. */
void setti_edit_call_all(sett_world* world, const setti_type* type, setti_event event,
                         sett_entity entity, void* value);

/* Equals setti_edit_call_all, where the world is unlocked, and mostly with one callback. */
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

/* Ends the value that the entity has. It counts as written first: a snapshot may need it as it
 * is. */
SETTI_INLINE void setti_edit_deinit_value(sett_world* world, const setti_type* type, uint32_t index)
{
    if (SETTI_UNLIKELY(type->desc.deinit != NULL)) {
        setti_type_call_deinit(type, setti_storage_find_mut(&world->pool, &type->storage, index),
                               1);
    }
}

#endif
