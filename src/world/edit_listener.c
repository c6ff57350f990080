/* edit_listener.c: what edits do with groups, tracked sets and observers of queries. See edit.h and
 * listener.h. Programs that have none do not link it: setti_edit_listen installs it.
 *
 * A plan says which listeners an edit concerns. It is made once for each pair of signatures, and
 * walked twice: for listeners that are left, and for those that are entered. Every listener is
 * tested only when a plan is made, or if there was no memory for it.
 *
 * The workload: some groups and observers, and the same few transitions again and again.
 *
 * Invariant:  a plan has a step for each listener that matches one of its signatures and not the
 *             other, and two steps for each observer with conditions on ancestors that it concerns
 */
#include "world/edit.h"

/* ---------------------------------------------------------------------------------------- plans */

/* Whether a transition concerns an observer with conditions on ancestors: the entity begins or
 * ceases to match, or its descendants can, or it gets or loses a place in the hierarchy. */
static bool listener_is_concerned(const sett_world* world, const setti_listener* listener,
                                  uint32_t from, uint32_t to)
{
    const setti_signature_table* table = &world->signatures;
    const setti_type* tree = world->types[SETT_ID_HIERARCHY];
    bool concerned =
        setti_listener_matches(listener, table, from) !=
            setti_listener_matches(listener, table, to) ||
        setti_listener_is_on(table, from, tree) != setti_listener_is_on(table, to, tree);
    for (uint32_t k = 0; !concerned && k < listener->upward_count; k++) {
        const setti_type* type = listener->upward[k].type;
        concerned =
            setti_listener_is_on(table, from, type) != setti_listener_is_on(table, to, type);
    }
    return concerned;
}

/* Whether a transition makes entities enter a listener (SETTI_ENTERS) or leave it (SETTI_LEAVES).
 * For an observer with conditions on ancestors: whether it may. */
static bool listener_is_crossed(const sett_world* world, const setti_listener* listener,
                                uint32_t from, uint32_t to, bool enters)
{
    if (listener->upward_count != 0) {
        return listener_is_concerned(world, listener, from, to);
    }
    return setti_listener_matches(listener, &world->signatures, from) != enters &&
           setti_listener_matches(listener, &world->signatures, to) == enters;
}

/* What a step does: SETTI_PLAN_*. Observers can be enabled at any time, so they always count as
 * having callbacks. */
static uint8_t plan_does(const setti_listener* listener, bool enters)
{
    if (listener == NULL) {
        return 0;
    }
    bool calls = listener->observes || (enters ? listener->on_enter : listener->on_exit) != NULL;
    unsigned moves = enters ? SETTI_PLAN_ENTERS : SETTI_PLAN_LEAVES;
    unsigned notifies = enters ? SETTI_PLAN_ON_ENTER : SETTI_PLAN_ON_EXIT;
    return (uint8_t)((listener->observes ? 0 : moves) | (calls ? notifies : 0));
}

/* Appends a step to the plan that is being made. False when memory runs out. */
static bool plan_append(sett_world* world, setti_listener* listener, bool enters)
{
    setti_plan_table* table = &world->plans;
    setti_plan_step* step = setti_pool_grow(&world->pool, table->step, sizeof(*step), table->count,
                                            1, &table->capacity);
    if (step == NULL) {
        return false;
    }
    table->step = step;
    table->step[table->count++] = (setti_plan_step){listener, enters, plan_does(listener, enters)};
    return true;
}

/* Finds or makes the plan of a transition: see setti_listener_calls.plan. */
static const setti_plan_step* plan_look_up(sett_world* world, uint32_t from, uint32_t to)
{
    setti_plan_table* table = &world->plans;
    uint64_t key = (uint64_t)from << 32 | to;
    uint32_t first = setti_hash_map_find(&table->by_edge, key);
    SETTI_ASSERT(world->listeners != NULL && from != to);
    if (first != SETTI_NONE) {
        table->last_key = key;
        table->last = first;
        return &table->step[first];
    }
    setti_listener* no_listener = NULL; /* of the step that ends a plan */
    first = table->count;
    bool made = true;
    for (setti_listener* at = world->listeners; at != NULL && made; at = at->next) {
        made = (!listener_is_crossed(world, at, from, to, SETTI_LEAVES) ||
                plan_append(world, at, SETTI_LEAVES)) &&
               (!listener_is_crossed(world, at, from, to, SETTI_ENTERS) ||
                plan_append(world, at, SETTI_ENTERS));
    }
    made = made && plan_append(world, no_listener, SETTI_LEAVES) &&
           setti_hash_map_set(&world->pool, &table->by_edge, key, first);
    if (!made) {
        table->count = first;
        return NULL;
    }
    for (uint32_t k = first; table->step[k].listener != NULL; k++) {
        table->step[first].all |= table->step[k].all;
    }
    return &table->step[first];
}

/* ------------------------------------------------------------------------------------ the steps */

/* A walk over the listeners that an edit concerns. */
typedef struct listener_walk {
    const setti_plan_step* step; /* the next of the plan; NULL: there is no plan */
    setti_listener* next;        /* without a plan: the next listener to test */
    uint32_t from;               /* the signature before */
    uint32_t to;                 /* the signature after */
} listener_walk;

static listener_walk listeners_walk(sett_world* world, const setti_edit* edit)
{
    uint32_t from = setti_edit_before(edit);
    uint32_t to = setti_edit_after(edit);
    return (listener_walk){setti_edit_plan(world, from, to), world->listeners, from, to};
}

/* The next listener that is entered, or left; NULL at the end. */
static setti_listener* listeners_next(const sett_world* world, listener_walk* walk, bool enters)
{
    for (; walk->step != NULL && walk->step->listener != NULL; walk->step++) {
        if (walk->step->enters == enters) {
            return (walk->step++)->listener;
        }
    }
    while (walk->step == NULL && walk->next != NULL) {
        setti_listener* listener = walk->next;
        walk->next = listener->next;
        if (listener_is_crossed(world, listener, walk->from, walk->to, enters)) {
            return listener;
        }
    }
    return NULL;
}

static bool listeners_reserve(sett_world* world, const setti_edit* edit, setti_entity_run run)
{
    const listener_walk all = listeners_walk(world, edit);
    for (uint32_t k = 0; k < run.count; k++) {
        listener_walk walk = all;
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
    const listener_walk all = listeners_walk(world, edit);
    for (uint32_t k = 0; k < run.count; k++) {
        listener_walk walk = all;
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
        void (*notified)(sett_world*, sett_entity, void*) =
            enters ? listener->on_enter : listener->on_exit;
        if (listener->upward_count != 0) {
            world->upward_calls->notify(world, listener, edit, entity, enters);
        } else if (notified != NULL) {
            const char* outer = setti_world_begin_call(world, listener->name);
            notified(world, entity, listener->user);
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
