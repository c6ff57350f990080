/* edit_listener.c: the steps of edits for groups, tracked sets and observers of queries. See edit.h
 * and listener.h. Programs without listeners do not link this file.
 *
 * A plan lists the listeners that a change from one signature to another concerns. An edit walks
 * the plan twice: for the listeners that the entity leaves, then for the listeners that it enters.
 * Making a plan tests every listener. If there is no memory for a plan, each edit tests every
 * listener.
 *
 * The workload: some groups and observers, and the same few transitions again and again.
 *
 * Invariant:  a plan has a step for each listener that matches exactly one of the two signatures,
 *             and two steps for each concerned observer with conditions on ancestors
 */
#include "world/edit.h"

/* ---------------------------------------------------------------------------------------- plans */

/* Returns true if a transition concerns an observer with conditions on ancestors. */
static bool listener_is_concerned(const sett_world* world, const setti_listener* listener,
                                  uint32_t before, uint32_t after)
{
    const setti_signature_table* table = &world->signatures;
    const setti_type* hierarchy = world->types[SETT_ID_HIERARCHY];
    if (setti_listener_matches(listener, table, before) !=
        setti_listener_matches(listener, table, after)) {
        return true;
    }
    if (setti_listener_is_on(table, before, hierarchy) !=
        setti_listener_is_on(table, after, hierarchy)) {
        return true; /* the ancestors change */
    }
    /* the listener may test the entity as an ancestor of other entities */
    for (uint32_t k = 0; k < listener->upward_count; k++) {
        const setti_type* type = listener->upward[k].type;
        if (setti_listener_is_on(table, before, type) != setti_listener_is_on(table, after, type)) {
            return true;
        }
    }
    return false;
}

/* Returns true if a transition makes entities enter the listener, or leave it if `enters` is false.
 * If the listener has conditions on ancestors, returns true if the entities may enter or leave. */
static bool listener_is_crossed(const sett_world* world, const setti_listener* listener,
                                uint32_t before, uint32_t after, bool enters)
{
    if (listener->upward_count != 0) {
        return listener_is_concerned(world, listener, before, after);
    }
    bool matches_before = setti_listener_matches(listener, &world->signatures, before);
    bool matches_after = setti_listener_matches(listener, &world->signatures, after);
    return matches_before != matches_after && matches_after == enters;
}

/* Returns the effects (SETTI_PLAN_*) of a step. `listener` is NULL at the end of a plan. */
static uint8_t plan_effects(const setti_listener* listener, bool enters)
{
    if (listener == NULL) {
        return 0;
    }
    bool has_callback = enters ? listener->on_enter != NULL : listener->on_exit != NULL;
    bool notifies = listener->observes || has_callback; /* an observer may be enabled later */
    unsigned moving = enters ? SETTI_PLAN_ENTERS : SETTI_PLAN_LEAVES;
    unsigned notifying = enters ? SETTI_PLAN_ON_ENTER : SETTI_PLAN_ON_EXIT;
    unsigned effects = listener->observes ? 0 : moving; /* an observer has no members */
    if (notifies) {
        effects |= notifying;
    }
    return (uint8_t)effects;
}

/* Appends a step to the last plan. Returns false if memory runs out. */
static bool plan_append(sett_world* world, setti_listener* listener, bool enters)
{
    setti_plan_table* table = &world->plans;
    setti_plan_step* step = setti_pool_grow(&world->pool, table->step, sizeof(*step), table->count,
                                            1, &table->capacity);
    if (step == NULL) {
        return false;
    }
    table->step = step;
    table->step[table->count++] =
        (setti_plan_step){listener, enters, plan_effects(listener, enters)};
    return true;
}

/* Appends a step if entities may cross the listener. Returns false if memory runs out. */
static bool plan_append_crossed(sett_world* world, setti_listener* listener, uint32_t before,
                                uint32_t after, bool enters)
{
    if (!listener_is_crossed(world, listener, before, after, enters)) {
        return true;
    }
    return plan_append(world, listener, enters);
}

/* Appends the plan of a transition. Returns false if memory runs out. */
static bool plan_append_all(sett_world* world, uint32_t before, uint32_t after)
{
    setti_listener* no_listener = NULL; /* ends the plan; the step's direction is not used */
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        if (!plan_append_crossed(world, listener, before, after, SETTI_LEAVES) ||
            !plan_append_crossed(world, listener, before, after, SETTI_ENTERS)) {
            return false;
        }
    }
    return plan_append(world, no_listener, SETTI_LEAVES);
}

/* Finds the plan of a transition, or makes it. Returns NULL if memory runs out. */
static const setti_plan_step* plan_look_up(sett_world* world, uint32_t before, uint32_t after)
{
    setti_plan_table* table = &world->plans;
    uint64_t key = (uint64_t)before << 32 | after;
    SETTI_ASSERT(world->listeners != NULL && before != after);
    /* the first step of the plan, or SETTI_NONE */
    uint32_t known = setti_hash_map_find(&table->by_edge, key);
    if (known != SETTI_NONE) {
        table->last_key = key;
        table->last = known;
        return &table->step[known];
    }
    const uint32_t first = table->count;
    if (!plan_append_all(world, before, after) ||
        !setti_hash_map_set(&world->pool, &table->by_edge, key, first)) {
        table->count = first; /* drops the incomplete plan */
        return NULL;
    }
    /* `all` of the first step has the effects of all steps */
    for (uint32_t k = first; table->step[k].listener != NULL; k++) {
        table->step[first].all |= table->step[k].all;
    }
    return &table->step[first];
}

/* ------------------------------------------------------------------------------------ the steps */

/* A walk over the listeners concerned by an edit. */
typedef struct listener_walk {
    const setti_plan_step* step; /* the next step of the plan; NULL: there is no plan */
    setti_listener* next;        /* if there is no plan: the next listener to test */
    uint32_t before;             /* the signature before the edit */
    uint32_t after;              /* the signature after the edit */
} listener_walk;

static listener_walk listeners_walk(sett_world* world, const setti_edit* edit)
{
    uint32_t before = setti_edit_before(edit);
    uint32_t after = setti_edit_after(edit);
    return (listener_walk){setti_edit_plan(world, before, after), world->listeners, before, after};
}

/* Returns the next listener that the edit's entities enter, or leave if `enters` is false. Returns
 * NULL at the end. */
static setti_listener* listeners_next(const sett_world* world, listener_walk* walk, bool enters)
{
    /* if there is a plan: skips the steps in the other direction */
    for (; walk->step != NULL && walk->step->listener != NULL; walk->step++) {
        if (walk->step->enters == enters) {
            return (walk->step++)->listener;
        }
    }
    /* if there is no plan: tests each listener */
    while (walk->step == NULL && walk->next != NULL) {
        setti_listener* listener = walk->next;
        walk->next = listener->next;
        if (listener_is_crossed(world, listener, walk->before, walk->after, enters)) {
            return listener;
        }
    }
    return NULL;
}

static bool listeners_reserve(sett_world* world, const setti_edit* edit, setti_entity_run run)
{
    const listener_walk begin = listeners_walk(world, edit);
    for (uint32_t k = 0; k < run.count; k++) {
        listener_walk walk = begin;
        setti_listener* listener;
        while ((listener = listeners_next(world, &walk, SETTI_ENTERS)) != NULL) {
            if (!setti_listener_reserve(&world->pool, listener, run.first + k)) {
                return false;
            }
        }
    }
    return true;
}

static void listeners_commit(sett_world* world, const setti_edit* edit, setti_entity_run run,
                             bool enters)
{
    const listener_walk begin = listeners_walk(world, edit);
    for (uint32_t k = 0; k < run.count; k++) {
        listener_walk walk = begin;
        setti_listener* listener;
        while ((listener = listeners_next(world, &walk, enters)) != NULL) {
            if (enters) {
                setti_listener_enter(&world->pool, listener, run.first + k);
            } else {
                setti_listener_leave(&world->pool, listener, run.first + k);
            }
        }
    }
}

static void listeners_notify(sett_world* world, const setti_edit* edit, sett_entity entity,
                             bool enters)
{
    listener_walk walk = listeners_walk(world, edit);
    setti_listener* listener;
    while ((listener = listeners_next(world, &walk, enters)) != NULL) {
        void (*callback)(sett_world*, sett_entity, void*) =
            enters ? listener->on_enter : listener->on_exit;
        if (listener->upward_count != 0) {
            world->upward_calls->notify(world, listener, edit, entity, enters);
        } else if (callback != NULL) {
            const char* outer = setti_world_begin_call(world, listener->name);
            callback(world, entity, listener->user);
            setti_world_end_call(world, outer);
        }
    }
}

/* -------------------------------------------------------------------- the world's listeners */

void setti_edit_listen(sett_world* world, setti_listener* listener)
{
    SETTI_ASSERT(listener->next == NULL && listener->previous == NULL && world->locks == 0);
    static const setti_listener_calls calls = {plan_look_up, listeners_reserve, listeners_commit,
                                               listeners_notify};
    setti_listener** end = &world->listeners;
    while (*end != NULL) {
        listener->previous = *end;
        end = &(*end)->next;
    }
    *end = listener;
    world->plans.calls = &calls;
    setti_edit_forget_transitions(world);
}

void setti_edit_unlisten(sett_world* world, setti_listener* listener)
{
    SETTI_LIST_REMOVE(world->listeners, listener);
    setti_edit_forget_transitions(world);
}
