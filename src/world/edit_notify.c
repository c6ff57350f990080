/* edit_notify.c: the callbacks of an edit, and their order. See edit.h, and docs/events.md.
 *
 * The workload: types with hooks, groups and observers. Changes without callbacks take fast paths
 * (change_add.c).
 *
 * Invariant:  the order within an edit: on_exit; on_remove; structure and values change; on_add and
 *             on_set; on_enter
 */
#include "world/edit.h"

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

/* Runs the callbacks of an event, with the address of the entity's value. */
static void notify_call(sett_world* world, const setti_type* type, setti_event event,
                        sett_entity entity)
{
    if (setti_edit_has_callbacks(type, event)) {
        setti_edit_call_all(world, type, event, entity,
                            setti_storage_find(&type->storage, entity.index));
    }
}

/* Runs on_add and on_set of an added type. */
static void notify_part(sett_world* world, const setti_edit_part* part, sett_entity entity)
{
    bool has_value = part->value != NULL || part->origin != NULL || part->fill != NULL;
    notify_call(world, part->type, SETTI_ON_ADD, entity);
    if (has_value && !part->quiet) {
        notify_call(world, part->type, SETTI_ON_SET, entity);
    }
}

/* Runs on_add and on_set of a part for all entities of the edit. */
static void notify_added(sett_world* world, const setti_edit* edit, const setti_edit_part* part)
{
    if ((part->type->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0) {
        for (uint32_t n = 0; n < edit->count; n++) {
            notify_part(world, part, edit->entities[n]);
        }
    }
}

/* ------------------------------------------------------------------------------------ the steps */

void setti_edit_notify_leaving(sett_world* world, const setti_edit* edit)
{
    SETTI_ASSERT(!edit->creates && edit->count == 1);
    sett_entity entity = edit->entities[0];
    setti_edit_removal walk = setti_edit_removed(world, edit);
    if (setti_edit_does(world, edit, SETTI_PLAN_ON_EXIT)) {
        world->plans.calls->notify(world, edit, entity, SETTI_LEAVES);
    }
    if (!setti_edit_has_endings(world, edit)) {
        return;
    }
    const setti_type* type;
    while ((type = setti_edit_next_removed(world, &walk, entity.index)) != NULL) {
        notify_call(world, type, SETTI_ON_REMOVE, entity);
    }
}

void setti_edit_release(sett_world* world, const setti_edit* edit)
{
    if (SETTI_LIKELY(world->upward_observers == 0)) {
        return; /* the commit detaches the children */
    }
    if (edit->count != 1) {
        return; /* an edit of several entities removes nothing */
    }
    bool removes_hierarchy = edit->removes_all;
    if (edit->removed != NULL) {
        removes_hierarchy = edit->removed->id == SETT_ID_HIERARCHY;
    }
    if (removes_hierarchy &&
        setti_signature_has(&world->signatures, edit->from, SETT_ID_HIERARCHY)) {
        world->upward_calls->release(world, edit->entities[0].index);
    }
}

void setti_edit_call_entering(sett_world* world, const setti_edit* edit)
{
    bool has_callbacks = (edit->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0;
    SETTI_ASSERT(!has_callbacks || edit->entities != NULL);
    if (has_callbacks) {
        for (uint32_t k = 0; k < edit->added_count; k++) {
            notify_added(world, edit, &edit->added[k]);
        }
    }
    if (setti_edit_does(world, edit, SETTI_PLAN_ON_ENTER)) {
        SETTI_ASSERT(edit->entities != NULL);
        for (uint32_t n = 0; n < edit->count; n++) {
            world->plans.calls->notify(world, edit, edit->entities[n], SETTI_ENTERS);
        }
    }
}

void setti_edit_notify_begun(sett_world* world, sett_entity entity)
{
    if (world->all_observers != 0) {
        setti_edit edit = {.entities = &entity, .count = 1, .creates = true};
        setti_edit_notify_entering(world, &edit);
    }
}
