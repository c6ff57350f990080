/* access_many.c: reading and changing by lists of handles.
 *
 * The workload: some thousands of entities in no order, each of which is a cache miss for its
 * handle, one for its bit and one for its value. What the next ones touch is fetched ahead: the
 * handle and the bit MANY_AHEAD entities before they are needed, the value half as many.
 *
 * Invariant:  what is done to an entity is what the call for one does
 */
#include "world/change.h"

#define MANY_AHEAD 16u

SETTI_INLINE void many_prefetch_bit(const setti_storage* storage, uint32_t index)
{
    if (storage->kind != SETTI_SPARSE) {
        SETTI_PREFETCH(setti_storage_word(storage, index));
        return;
    }
    const setti_sparse_page* page =
        setti_pages_get(&storage->presence, index >> SETTI_SPARSE_SHIFT);
    if (page != NULL) {
        SETTI_PREFETCH(&page->row[index & SETTI_SPARSE_MASK]);
    }
}

SETTI_INLINE void many_prefetch_row(const setti_storage* storage, uint32_t index)
{
    const unsigned char* page = setti_pages_get(&storage->rows, index >> storage->shift);
    if (storage->kind == SETTI_ARRAY && page != NULL) {
        SETTI_PREFETCH(page + (size_t)(index & (setti_storage_rows(storage) - 1)) * storage->size);
    }
}

SETTI_INLINE void many_prefetch(const sett_world* world, const setti_storage* storage,
                                const sett_entity* entities, uint32_t left, bool changes)
{
    if (left > MANY_AHEAD) {
        uint32_t far = entities[MANY_AHEAD].index;
        setti_entity_prefetch(&world->entities, far, changes);
        many_prefetch_bit(storage, far);
        many_prefetch_row(storage, far);
    }
}

uint32_t sett_find_many(const sett_world* world, const sett_entity* entities, uint32_t count,
                        sett_component component, const void** out)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_world_hot_type(world, component);
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (SETTI_UNLIKELY(type == NULL)) {
            out[k] = sett_find_slow_(world, entities[k].index, entities[k].generation, component);
        } else {
            many_prefetch(world, &type->storage, entities + k, count - k, false);
            out[k] = setti_entity_is_current(&world->entities, entities[k])
                         ? setti_storage_find(&type->storage, entities[k].index)
                         : NULL;
        }
        found += out[k] != NULL;
    }
    return found;
}

uint32_t sett_find_many_mut(sett_world* world, const sett_entity* entities, uint32_t count,
                            sett_component component, void** out)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_world_hot_type(world, component);
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (SETTI_LIKELY(type != NULL)) {
            many_prefetch(world, &type->storage, entities + k, count - k, false);
        }
        out[k] = sett_find_mut(world, entities[k], component);
        found += out[k] != NULL;
    }
    return found;
}

sett_status sett_add_many(sett_world* world, const sett_entity* entities, uint32_t count,
                          sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const setti_type* type = setti_change_check_type(world, component, "sett_add_many");
    if (type == NULL) {
        return world->error;
    }
    for (uint32_t k = 0; k < count; k++) {
        many_prefetch(world, &type->storage, entities + k, count - k, true);
        if (setti_entity_is_current(&world->entities, entities[k]) &&
            !setti_storage_has(&type->storage, entities[k].index) &&
            sett_add(world, entities[k], component) == NULL) {
            return world->error;
        }
    }
    return SETT_OK;
}

sett_status sett_set_many(sett_world* world, const sett_entity* entities, uint32_t count,
                          sett_component component, const void* values)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const setti_type* type = setti_change_check_type(world, component, "sett_set_many");
    if (type == NULL) {
        return world->error;
    }
    for (uint32_t k = 0; k < count; k++) {
        size_t at = (size_t)k * type->storage.size;
        const void* value = values != NULL ? (const unsigned char*)values + at : NULL;
        many_prefetch(world, &type->storage, entities + k, count - k, true);
        if (setti_entity_is_current(&world->entities, entities[k]) &&
            sett_set(world, entities[k], component, value) == NULL) {
            return world->error;
        }
    }
    return SETT_OK;
}

sett_status sett_remove_many(sett_world* world, const sett_entity* entities, uint32_t count,
                             sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const setti_type* type = setti_change_check_type(world, component, "sett_remove_many");
    if (type == NULL) {
        return world->error;
    }
    for (uint32_t k = 0; k < count; k++) {
        many_prefetch(world, &type->storage, entities + k, count - k, true);
        if (setti_entity_is_current(&world->entities, entities[k]) &&
            setti_storage_has(&type->storage, entities[k].index) &&
            sett_remove(world, entities[k], component) != SETT_OK) {
            return world->error;
        }
    }
    return SETT_OK;
}
