/* edit_notify.c: who is notified of an edit, and in which order. See edit.h, and docs/events.md.
 *
 * Which listeners an edit concerns is a plan, made once for each pair of signatures; a walk goes
 * through it twice, for those that are left and for those that are entered. Only what has no plan
 * yet, or no memory for one, asks every listener.
 *
 * The workload: types with hooks, groups and observers. A change without callbacks is remembered by
 * its type (fast_path.c) and does not come here.
 *
 * Invariant:  of an edit, on_exit < on_remove < structure and values < on_add, on_set < on_enter
 */
#include "world/edit.h"

/* ------------------------------------------------------------------------------------ listeners */

setti_listener* setti_edit_next_listener(const sett_world* world, setti_edit_walk* walk,
                                         bool enters)
{
    for (; walk->step != NULL && walk->step->listener != NULL; walk->step++) {
        if (walk->step->enters == enters) {
            return (walk->step++)->listener;
        }
    }
    while (walk->step == NULL && walk->next != NULL) {
        setti_listener* listener = walk->next;
        walk->next = listener->next;
        bool before = setti_listener_matches(listener, &world->signatures, walk->from);
        bool after = setti_listener_matches(listener, &world->signatures, walk->to);
        if (before != after && after == enters) {
            return listener;
        }
    }
    return NULL;
}

/* Runs on_enter, or on_exit, of the listeners that an entity enters, or leaves. */
static void notify_listeners(sett_world* world, const setti_edit* edit, sett_entity entity,
                             bool enters)
{
    setti_edit_walk walk = setti_edit_listeners(world, edit);
    setti_listener* listener;
    while ((listener = setti_edit_next_listener(world, &walk, enters)) != NULL) {
        void (*notified)(sett_world*, sett_entity, void*) =
            enters ? listener->on_enter : listener->on_exit;
        if (notified != NULL) {
            const char* outer = world->calling;
            world->calling = listener->name;
            world->locks++;
            notified(world, entity, listener->user);
            world->locks--;
            world->calling = outer;
        }
    }
}

/* ----------------------------------------------------------------------------- hooks, observers */

void setti_edit_call_all(sett_world* world, const setti_type* type, setti_event event,
                         sett_entity entity, void* value)
{
    SETTI_ASSERT(event < SETTI_EVENTS);
    const setti_call* call = type->notified[event].item;
    const char* outer = world->calling;
    world->locks++;
    for (uint32_t left = type->notified[event].count; left != 0; left--, call++) {
        world->calling = call->name;
        call->fn(world, entity, value, call->user);
    }
    world->locks--;
    world->calling = outer;
}

static void notify_call(sett_world* world, const setti_type* type, setti_event event,
                        sett_entity entity)
{
    if (setti_edit_has_callbacks(type, event)) {
        setti_edit_call_all(world, type, event, entity,
                            setti_storage_find(&type->storage, entity.index));
    }
}

static void notify_part(sett_world* world, const setti_edit_part* part, sett_entity entity)
{
    bool given = part->value != NULL || part->origin != NULL || part->fill != NULL;
    notify_call(world, part->type, SETTI_ON_ADD, entity);
    if (given && !part->quiet) {
        notify_call(world, part->type, SETTI_ON_SET, entity);
    }
}

/* ------------------------------------------------------------------------------------ the steps */

void setti_edit_notify_leaving(sett_world* world, const setti_edit* edit)
{
    SETTI_ASSERT(!edit->begins && edit->count == 1);
    sett_entity entity = edit->entities[0];
    setti_edit_removal walk = setti_edit_removed(world, edit);
    const setti_type* type;
    if (setti_edit_does(world, edit, SETTI_PLAN_ON_EXIT)) {
        notify_listeners(world, edit, entity, false);
    }
    while (setti_edit_has_endings(world, edit) &&
           (type = setti_edit_next_removed(world, &walk, entity.index)) != NULL) {
        notify_call(world, type, SETTI_ON_REMOVE, entity);
    }
}

void setti_edit_notify_entering(sett_world* world, const setti_edit* edit)
{
    bool calls = (edit->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0;
    for (uint32_t k = 0; calls && k < edit->added_count; k++) {
        const setti_edit_part* part = &edit->added[k];
        if ((part->type->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0) {
            for (uint32_t n = 0; n < edit->count; n++) {
                notify_part(world, part, edit->entities[n]);
            }
        }
    }
    bool enters = setti_edit_does(world, edit, SETTI_PLAN_ON_ENTER);
    for (uint32_t n = 0; enters && n < edit->count; n++) {
        notify_listeners(world, edit, edit->entities[n], true);
    }
}

void setti_edit_notify_begun(sett_world* world, sett_entity entity)
{
    if (world->all_observers != 0) {
        setti_edit edit = {.entities = &entity, .count = 1, .begins = true};
        setti_edit_notify_entering(world, &edit);
    }
}
