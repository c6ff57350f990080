/* access_many.c: reads and changes many entities, by lists of handles.
 *
 * The workload: some thousands of entities in no order, with three cache misses for each entity:
 * the generation, the bit and the value. So memory is prefetched MANY_AHEAD entities ahead.
 *
 * Invariant:  each entity is read or changed exactly as by the call for a single entity
 */
#include "world/change.h"

#define MANY_AHEAD 16u

/* Prefetches what tells whether an entity has a value: a word of bits, or an entry of the index. */
SETTI_INLINE void many_prefetch_bit(const setti_storage* storage, uint32_t index)
{
    if (storage->kind != SETTI_SPARSE) {
        SETTI_PREFETCH(setti_storage_word(storage, index));
        return;
    }
    const setti_sparse_page* page =
        setti_pages_get(&storage->presence, index >> SETTI_SPARSE_SHIFT);
    if (storage->hashed == 0 && page != NULL) { /* a hashed index is small, and needs no prefetch */
        SETTI_PREFETCH(&page->row[index & SETTI_SPARSE_MASK]);
    }
}

/* Prefetches the value at an index of an array. Does nothing for other storages. */
SETTI_INLINE void many_prefetch_row(const setti_storage* storage, uint32_t index)
{
    const unsigned char* page = setti_pages_get(&storage->rows, index >> storage->shift);
    if (storage->kind == SETTI_ARRAY && page != NULL) {
        SETTI_PREFETCH(page + (size_t)(index & (setti_storage_rows(storage) - 1)) * storage->size);
    }
}

/* Prefetches the generation, bit and value of the entity MANY_AHEAD places further in a list.
 *   entities  the list from the present entity on
 *   left      number of entities from entities[0] to the end of the list */
SETTI_INLINE void many_prefetch(const sett_world* world, const setti_storage* storage,
                                const sett_entity* entities, uint32_t left, setti_prefetch use)
{
    if (left > MANY_AHEAD) { /* otherwise the list ends before */
        uint32_t index = entities[MANY_AHEAD].index;
        setti_entity_prefetch(&world->entities, index, use);
        many_prefetch_bit(storage, index);
        many_prefetch_row(storage, index);
    }
}

/* Returns an entity's value in an array that read.h can read in line. Returns NULL if the entity
 * has no value. */
SETTI_INLINE const void* many_find_row(const sett_world* world, const setti_storage* storage,
                                       sett_entity entity)
{
    sett_read_ read = sett_read_make_(sett_read_header_(world), (const void*)storage);
    return sett_read_is_here_(read, entity)
               ? sett_read_row_(read, entity.index, storage->shift, storage->size)
               : NULL;
}

/* Prefetches what many_find_row will read. */
SETTI_INLINE void many_prefetch_value(const sett_world* world, const setti_storage* storage,
                                      uint32_t index)
{
    /* bits are not prefetched: a million are only 128 KB */
    const setti_pages* pages = &world->entities.pages;
    uint32_t page_number = index >> storage->shift;
    size_t offset = (size_t)(index & (setti_storage_rows(storage) - 1)) * storage->size;
    const setti_entity_page* page = pages->read[index >> SETTI_ENTITY_SHIFT & pages->read_mask];
    SETTI_PREFETCH(&page->generation[index & SETTI_ENTITY_MASK]);
    if (page_number < storage->rows.count) { /* prefetching from a missing page is harmless */
        SETTI_PREFETCH((const void*)((uintptr_t)storage->rows.data[page_number] + offset));
    }
}

/* Does sett_find_many for an array that read.h can read in line. */
static uint32_t many_find_plain(const sett_world* world, const setti_storage* storage,
                                const sett_entity* entities, uint32_t count, const void** out)
{
    SETTI_ASSERT(storage->handle_kind == SETTI_ARRAY);
    /* if no entity ever had the type, nothing is prefetched: pages of entities may be missing */
    uint32_t ahead = storage->presence.count != 0 ? MANY_AHEAD : count;
    uint32_t found = 0;
    uint32_t k = 0;
    for (; count - k > ahead; k++) { /* while there is an entity to prefetch */
        many_prefetch_value(world, storage, entities[k + ahead].index);
        out[k] = many_find_row(world, storage, entities[k]);
        found += out[k] != NULL;
    }
    for (; k < count; k++) {
        out[k] = many_find_row(world, storage, entities[k]);
        found += out[k] != NULL;
    }
    return found;
}

/* Returns true if one of the lists is NULL although `count` is not 0. Reports this list. */
SETTI_APART static bool many_lacks_lists(const sett_world* world, const sett_entity* entities,
                                         const void* out, uint32_t count, const char* call)
{
    return setti_world_lacks_list_aside(world, entities, count, call, "entities") ||
           setti_world_lacks_list_aside(world, out, count, call, "out");
}

uint32_t sett_find_many(const sett_world* world, const sett_entity* entities, uint32_t count,
                        sett_component component, const void** out)
{
    if (SETTI_IS_NULL(world) || many_lacks_lists(world, entities, out, count, __func__)) {
        return 0;
    }
    const setti_type* type = setti_world_hot_type(world, component);
    uint32_t found = 0;
    if (SETTI_LIKELY(type != NULL && type->storage.handle_kind == SETTI_ARRAY)) {
        return many_find_plain(world, &type->storage, entities, count, out);
    }
    for (uint32_t k = 0; k < count; k++) {
        if (SETTI_UNLIKELY(type == NULL)) {
            out[k] = setti_access_find(world, entities[k], component, __func__);
        } else {
            many_prefetch(world, &type->storage, entities + k, count - k, SETTI_PREFETCH_TO_READ);
            if (setti_entity_is_current(&world->entities, entities[k])) {
                out[k] = setti_storage_find(&type->storage, entities[k].index);
            } else {
                out[k] = NULL;
            }
        }
        found += out[k] != NULL;
    }
    return found;
}

uint32_t sett_find_many_mut(sett_world* world, const sett_entity* entities, uint32_t count,
                            sett_component component, void** out)
{
    if (SETTI_IS_NULL(world) || many_lacks_lists(world, entities, out, count, __func__)) {
        return 0;
    }
    setti_world_check_owner(world, __func__);
    const setti_type* type = setti_world_hot_type(world, component);
    if (type != NULL && type->writers != NULL) {
        type = NULL; /* the slow path rejects writing */
    }
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool found_fast = false;
        if (SETTI_LIKELY(type != NULL)) {
            many_prefetch(world, &type->storage, entities + k, count - k, SETTI_PREFETCH_TO_READ);
            found_fast =
                setti_entity_is_current(&world->entities, entities[k]) &&
                setti_array_try_find_mut(&world->pool, &type->storage, entities[k].index, &out[k]);
        }
        if (SETTI_UNLIKELY(!found_fast)) {
            out[k] = setti_access_find_mut(world, entities[k], component, __func__);
        }
        found += out[k] != NULL;
    }
    return found;
}

/* Returns true if the entity lacks the type, and the program must not add the type. In this case,
 * reports an error of `call`. */
SETTI_COLD static bool many_rejects(sett_world* world, const setti_type* type, sett_entity entity,
                                    const char* call)
{
    if (setti_change_may_add(type, 1) || setti_storage_has(&type->storage, entity.index)) {
        return false;
    }
    setti_change_reject_linked(world, type, call);
    return true;
}

/* Types without these flags need no test by many_rejects. */
#define MANY_LIMITED (SETTI_TYPE_LINKED | SETTI_TYPE_ONE)

/* Reports that memory ran out when an entity of a list was changed. Returns the error. */
SETTI_COLD static sett_status many_no_memory(sett_world* world, const setti_type* type,
                                             sett_entity entity, const char* call)
{
    if (world->error != SETT_STATUS_OUT_OF_MEMORY) {
        return world->error; /* reported already: a callback has left a loop open */
    }
    return setti_world_fail_with(world, SETT_STATUS_OUT_OF_MEMORY,
                                 "%s, entity %u:%u, component %u \"%.100s\": the allocator "
                                 "returned NULL; the entities before this one are changed - free "
                                 "memory, and repeat the call",
                                 call, SETTI_HANDLE(entity), (unsigned)type->id, type->desc.name);
}

sett_status sett_add_many(sett_world* world, const sett_entity* entities, uint32_t count,
                          sett_component component)
{
    const setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL || setti_world_lacks_list(world, entities, count, __func__, "entities")) {
        return setti_world_failure(world);
    }
    for (uint32_t k = 0; k < count; k++) {
        many_prefetch(world, &type->storage, entities + k, count - k, SETTI_PREFETCH_TO_CHANGE);
        if (!setti_entity_is_current(&world->entities, entities[k]) ||
            setti_storage_has(&type->storage, entities[k].index)) {
            continue;
        }
        if (SETTI_UNLIKELY((type->flags & MANY_LIMITED) != 0) &&
            many_rejects(world, type, entities[k], __func__)) {
            return world->error;
        }
        if (sett_add(world, entities[k], component) == NULL) { /* memory ran out */
            return many_no_memory(world, type, entities[k], __func__);
        }
    }
    return SETT_OK;
}

sett_status sett_set_many(sett_world* world, const sett_entity* entities, uint32_t count,
                          sett_component component, const void* values)
{
    const setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL || setti_world_lacks_list(world, entities, count, __func__, "entities")) {
        return setti_world_failure(world);
    }
    bool has_values = type->storage.size != 0;
    if (has_values && setti_world_lacks_list(world, values, count, __func__, "values")) {
        return setti_world_failure(world);
    }
    if (count != 0 && (type->flags & (SETTI_TYPE_GUARDED | SETTI_TYPE_LINKED)) != 0) {
        return setti_component_reject_set(world, type, __func__);
    }
    setti_change_check_tag(world, type, values, __func__);
    for (uint32_t k = 0; k < count; k++) {
        const void* value = NULL;
        if (type->storage.size != 0) {
            size_t offset = (size_t)k * type->storage.size;
            value = (const unsigned char*)values + offset;
        }
        many_prefetch(world, &type->storage, entities + k, count - k, SETTI_PREFETCH_TO_CHANGE);
        if (!setti_entity_is_current(&world->entities, entities[k])) {
            continue;
        }
        if (SETTI_UNLIKELY((type->flags & MANY_LIMITED) != 0) &&
            many_rejects(world, type, entities[k], __func__)) {
            return world->error;
        }
        if (sett_set(world, entities[k], component, value) == NULL) { /* memory ran out */
            return many_no_memory(world, type, entities[k], __func__);
        }
    }
    return SETT_OK;
}

sett_status sett_remove_many(sett_world* world, const sett_entity* entities, uint32_t count,
                             sett_component component)
{
    const setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL || setti_world_lacks_list(world, entities, count, __func__, "entities")) {
        return setti_world_failure(world);
    }
    if (count != 0 && (type->flags & SETTI_TYPE_STAYS) != 0) {
        return setti_change_reject_linked(world, type, __func__);
    }
    for (uint32_t k = 0; k < count; k++) {
        many_prefetch(world, &type->storage, entities + k, count - k, SETTI_PREFETCH_TO_CHANGE);
        if (setti_entity_is_current(&world->entities, entities[k]) &&
            setti_storage_has(&type->storage, entities[k].index) &&
            sett_remove(world, entities[k], component) != SETT_OK) { /* memory ran out */
            return many_no_memory(world, type, entities[k], __func__);
        }
    }
    return SETT_OK;
}
