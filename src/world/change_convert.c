/* change_convert.c: the storage of a type as a whole: room ahead, gaps closed, another kind.
 *
 * The workload: now and then, between frames. Who has the type stays the same, so neither
 * signatures nor listeners notice.
 *
 * Invariant:  the entities that have the type, and their values and ticks, are those from before
 */
#include "world/change_internal.h"

sett_status sett_component_reserve(sett_world* world, sett_component component, uint32_t count)
{
    static const char call[] = "sett_component_reserve";
    setti_type* type = setti_change_check_type(world, component, call);
    if (type == NULL) {
        return world->error;
    }
    /* An array has its rows where the entities are: room for all that exist and, behind the highest
     * index, for `count` to come. */
    const setti_id_set* ids = &world->entities.ids;
    uint32_t end = ids->limit - ids->count < count ? ids->limit : ids->count + count;
    end = SETTI_MAX(end, setti_id_set_capacity(ids));
    if (count != 0 && (!setti_storage_reserve_rows(&world->pool, &type->storage, count) ||
                       !setti_storage_reserve_indices(&world->pool, &type->storage, 0, end))) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), component);
    }
    return SETT_OK;
}

sett_status sett_component_compact(sett_world* world, sett_component component)
{
    setti_type* type = setti_change_check_type(world, component, "sett_component_compact");
    if (type == NULL) {
        return world->error;
    }
    setti_storage_compact(&world->pool, &type->storage);
    return SETT_OK;
}

/* Fills `to` with the values of `from`; all of it reserved. */
static void change_convert(sett_world* world, setti_storage* from, setti_storage* to)
{
    bool sparse_set = from->kind == SETTI_SPARSE;
    uint32_t cursor = 0;
    for (uint32_t k = 0; k < from->extent; k++) { /* rows in their order, or indices in theirs */
        uint32_t index =
            sparse_set ? *setti_storage_index(from, k) : setti_storage_next(from, &cursor);
        if (index == SETTI_NONE && !sparse_set) {
            break;
        }
        if (index == SETTI_NONE) { /* a gap */
            continue;
        }
        uint32_t count = 1;
        void* row = setti_storage_insert(&world->pool, to, index, &count);
        void* value = setti_storage_find(from, index);
        if (from->move != NULL && from->size != 0) {
            from->move(row, value, 1, from->user);
        } else {
            setti_row_copy(row, value, from->size);
        }
        if (from->tracked && to->tracked) {
            setti_storage_move_tick(from, setti_storage_slot(from, index), to,
                                    setti_storage_slot(to, index));
        }
    }
}

sett_status sett_component_convert(sett_world* world, sett_component component,
                                   sett_storage_kind kind)
{
    static const char call[] = "sett_component_convert";
    setti_type* type = setti_change_check_type(world, component, call);
    if (type == NULL) {
        return world->error;
    }
    sett_component_desc desc = type->desc;
    desc.storage = kind;
    const char* wrong = setti_component_resolve(&desc);
    if (wrong != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\": %s", call,
                                     desc.name, wrong);
    }
    if (desc.storage == type->desc.storage) {
        return SETT_OK;
    }
    if (setti_world_check_no_snapshots(world, call) != SETT_OK) {
        return world->error;
    }
    if (type->owner != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" is arranged by group \"%.100s\"", call,
                                     desc.name, type->owner->name);
    }
    setti_storage made;
    setti_component_init_storage(&made, &desc);
    uint32_t cursor = 0;
    bool reserved = setti_storage_reserve_rows(&world->pool, &made, type->storage.count);
    for (uint32_t index = setti_storage_next(&type->storage, &cursor);
         reserved && index != SETTI_NONE; index = setti_storage_next(&type->storage, &cursor)) {
        reserved = setti_storage_reserve_indices(&world->pool, &made, index, 1);
    }
    if (!reserved) {
        setti_storage_deinit(&world->pool, &made);
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), component);
    }
    change_convert(world, &type->storage, &made);
    setti_storage_deinit(&world->pool, &type->storage);
    made.rows.notes = type->storage.rows.notes;
    made.presence.notes = type->storage.presence.notes;
    type->storage = made;
    type->flags &= ~(uint32_t)SETTI_TYPE_OTHER;
    type->flags |= made.kind != SETTI_ARRAY ? SETTI_TYPE_OTHER : 0;
    type->desc.storage = desc.storage;
    world->listener_version++; /* queries look again at where their terms lie */
    return SETT_OK;
}
