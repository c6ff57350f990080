/* change_set.c: sett_set: an entity gets a value.
 *
 * The workload: the entity has the component, and the value is plain: it is copied in line. If the
 * entity lacks the component, the component is added with the value (change_add.c), so that on_add
 * sees the value.
 *
 * Invariant:  a failed call leaves the world unchanged
 */
#include "world/change.h"

#define CHANGE_NO_OLD NULL /* passed as `old` if there was no old value */

/* Runs the on_set callbacks of a type.
 *   old  the old value, for on_replace; or CHANGE_NO_OLD */
SETTI_COLD static void change_notify_set(sett_world* world, const setti_type* type,
                                         sett_entity entity, void* row, const void* old)
{
    SETTI_ASSERT(world->set_depth < SETTI_EVENT_DEPTH && row != NULL);
    const void* outer = world->replaced; /* of a callback that is running, and sets this value */
    world->replaced = old;
    world->set_depth++;
    setti_edit_call_all(world, type, SETTI_ON_SET, entity, row);
    world->set_depth--;
    world->replaced = outer;
}

void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row)
{
    SETTI_ASSERT(row != NULL && type->storage.size != 0);
    const setti_storage* storage = &type->storage;
    void* old = setti_pool_alloc(&world->pool, storage->size, SETTI_MAX(storage->align, 16));
    if (old == NULL) {
        return NULL;
    }
    return memcpy(old, row, storage->size);
}

void setti_change_release(sett_world* world, const setti_type* type, void* old)
{
    const setti_storage* storage = &type->storage;
    setti_pool_free(&world->pool, old, storage->size, SETTI_MAX(storage->align, 16));
}

/* Checks that a value may be set, and that on_set may run now. Returns false after an error.
 *   in_place  a module of the library has written the value already */
static bool change_may_set(sett_world* world, const setti_type* type, sett_entity entity,
                           bool in_place, const char* call)
{
    bool notified = setti_edit_has_callbacks(type, SETTI_ON_SET);
    uint32_t rejected = SETTI_TYPE_GUARDED;
    if (!in_place) { /* only modules write links */
        rejected |= SETTI_TYPE_LINKED;
    }
    if ((type->flags & rejected) != 0) {
        setti_component_reject_set(world, type, call);
        return false;
    }
    if (notified && world->running != NULL) { /* systems may run in any order */
        setti_world_fail_with(world, SETT_STATUS_LOCKED,
                              "%s: \"%.100s\" has on_set callbacks, which cannot run inside system "
                              "\"%.200s\" - use sett_cmd_set",
                              call, type->desc.name, setti_world_running(world));
        return false;
    }
    if (notified && world->set_depth == SETTI_EVENT_DEPTH) {
        setti_world_fail_with(
            world, SETT_STATUS_LIMIT,
            "%s, entity %u:%u, component \"%.100s\": a callback of \"%.100s\" sets a value "
            "inside %u nested on_set callbacks, which is the limit - use sett_cmd_set there",
            call, SETTI_HANDLE(entity), type->desc.name, world->calling,
            (unsigned)SETTI_EVENT_DEPTH);
        /* SETT_STATUS_LIMIT is not logged elsewhere */
        setti_world_log(world, SETT_LOG_ERROR, "%s", world->message);
        return false;
    }
    return true;
}

/* Replaces the entity's value, and runs hooks and callbacks. Returns false after an error.
 *   row    where the value is
 *   value  the new value. If this equals `row`, the new value is in place already */
SETTI_COLD static bool change_set_hooked(sett_world* world, const setti_type* type,
                                         sett_entity entity, void* row, const void* value,
                                         const char* call)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, entity.index) && row != NULL);
    bool in_place = value == row;
    /* read now, because hooks may add and remove callbacks */
    bool notified = setti_edit_has_callbacks(type, SETTI_ON_SET);
    bool replaces = type->replace_observers != 0 && !in_place;
    if (!change_may_set(world, type, entity, in_place, call)) {
        return false;
    }
    void* old = NULL;
    if (replaces) {
        old = setti_change_preserve(world, type, row);
        if (old == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, type->id);
            return false;
        }
    }
    if (!in_place) {
        if (type->desc.copy == NULL) { /* a hook `copy` ends the old value itself */
            setti_type_deinit_values(type, row, 1);
        }
        uint32_t count = type->storage.size != 0 ? 1 : 0; /* a tag has no value */
        setti_type_copy_values(type, row, value, count);
    }
    if (notified) {
        const void* old_link = world->replaced_link;
        world->replaced_link = NULL; /* not the old value of what callbacks may set */
        change_notify_set(world, type, entity, row, old != NULL ? old : old_link);
    }
    if (old != NULL) {
        setti_change_release(world, type, old);
    }
    return true;
}

/* Writes a value to a row of the entity. Returns false after an error. */
SETTI_INLINE bool change_write(sett_world* world, const setti_type* type, sett_entity entity,
                               void* row, const void* value)
{
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_SLOW_SET) != 0)) {
        return change_set_hooked(world, type, entity, row, value, "sett_set");
    }
    if (type->storage.size != 0) {
        setti_row_copy(row, value, type->storage.size);
    }
    return true;
}

/* Adds a component with the value of `part`. The value may lie in the storage of the component.
 * Then adding the component may move it, so this takes care that it is found. */
static void* change_set_moving(sett_world* world, sett_entity entity, setti_edit_part* part)
{
    SETTI_ASSERT(part->value != NULL && part->type->storage.size != 0);
    static const char call[] = "sett_set";
    const setti_storage* storage = &part->type->storage;
    if (part->type->desc.move != NULL) { /* the value must not be copied as bytes */
        /* instead of its address, the edit gets the entity `source` that has the value */
        part->source = setti_storage_owner(storage, part->value);
        if (part->source != SETTI_NONE) { /* the value belongs to an entity */
            part->origin = storage;
            part->value = NULL;
        }
    } else { /* plain bytes are copied before the move */
        size_t align = SETTI_MAX(storage->align, 16);
        void* aside = setti_scratch_get(&world->pool, &world->set_aside, storage->size, align);
        if (aside == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, part->type->id);
            return NULL;
        }
        setti_row_copy(aside, part->value, storage->size);
        part->value = aside;
    }
    return setti_change_add_fast(world, part->type, entity, call, part);
}

/* Returns true if adding the type may move values of the type. */
static bool change_may_move(const sett_world* world, const setti_type* type)
{
    /* two causes: groups arrange values, and a full sparse set closes gaps */
    if (type->storage.size == 0 || world->locks != 0) {
        return false;
    }
    return world->listeners != NULL || setti_sparse_is_full(&type->storage);
}

/* Does sett_set for an entity without the component. */
SETTI_APART static void* change_set_absent(sett_world* world, sett_entity entity, setti_type* type,
                                           const void* value)
{
    if ((type->flags & (SETTI_TYPE_GUARDED | SETTI_TYPE_LINKED)) != 0) {
        setti_component_reject_set(world, type, "sett_set");
        return NULL;
    }
    /* quiet: on_set runs here, after on_enter */
    setti_edit_part part = {.type = type, .value = value, .quiet = true};
    void* row;
    if (change_may_move(world, type)) {
        row = change_set_moving(world, entity, &part);
    } else {
        row = setti_change_add_fast(world, type, entity, "sett_set", &part);
    }
    if (row != NULL && setti_edit_has_callbacks(type, SETTI_ON_SET)) {
        change_notify_set(world, type, entity, row, CHANGE_NO_OLD);
    }
    return row;
}

/* Does sett_set for a registered type. Returns the value, or NULL after an error. */
SETTI_INLINE void* change_set(sett_world* world, sett_entity entity, setti_type* type,
                              const void* value)
{
    void* row = NULL;
    setti_change_check_tag(world, type, value, "sett_set");
    if (SETTI_UNLIKELY(value == NULL && type->storage.size != 0)) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "sett_set: the value of \"%.100s\" is NULL - pass its address",
                              type->desc.name);
        return NULL;
    }
    if (SETTI_LIKELY(setti_entity_signature(&world->entities, entity) != NULL) &&
        !setti_array_try_find_mut(&world->pool, &type->storage, entity.index, &row)) {
        row = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
    }
    if (row == NULL) { /* the entity lacks the type */
        if (SETTI_LIKELY((type->flags & SETTI_TYPE_SLOW_SET) == 0)) {
            row = setti_change_try_add(world, type->id, entity);
        }
        if (SETTI_UNLIKELY(row == NULL)) {
            return change_set_absent(world, entity, type, value);
        }
    }
    if (SETTI_LIKELY(change_write(world, type, entity, row, value))) {
        return row;
    }
    return NULL;
}

/* Does sett_set for an unregistered type, or while use is profiled or a system is watched. */
SETTI_COLD static void* change_set_unknown(sett_world* world, sett_entity entity,
                                           sett_component component, const void* value)
{
    setti_type* type = setti_change_check_access(world, entity, component, "sett_set");
    if (type == NULL) {
        return setti_change_add(world, entity, component, "sett_set", SETTI_NO_VALUE);
    }
    return change_set(world, entity, type, value);
}

void* sett_set(sett_world* world, sett_entity entity, sett_component component, const void* value)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_LIKELY(type != NULL)) {
        return change_set(world, entity, type, value);
    }
    return change_set_unknown(world, entity, component, value);
}

void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call)
{
    SETTI_ASSERT(fill != NULL && fill->write != NULL);
    void* row = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
    if (row != NULL) {
        fill->write(fill, row);
    } else {
        if (setti_change_check(world, entity, type->id, call) == NULL) {
            return NULL;
        }
        setti_edit_part part = {.type = type, .fill = fill, .quiet = true};
        row = setti_change_add_part(world, &part, entity);
        if (row == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, type->id);
            return NULL;
        }
    }
    /* this only runs callbacks, because the value is in place already */
    if (!change_set_hooked(world, type, entity, row, row, call)) {
        return NULL;
    }
    return row;
}
