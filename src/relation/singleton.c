/* singleton.c: values of which a world has one.
 *
 * The entity that has them is found by its tag, which lies in a sparse set: the first row. A
 * handle in the world would be state beside the pages, to be saved and restored like them.
 *
 * Invariant:  at most one entity was given the tag by this file
 */
#include "sett/singleton.h"

#include "world/world.h"

static setti_type* singleton_tag(const sett_world* world)
{
    return setti_world_type(world, sett_component_find(world, "Singletons"));
}

/* The entity, null if there is none yet. */
static sett_entity singleton_find(const sett_world* world)
{
    const setti_type* tag = singleton_tag(world);
    if (tag == NULL || tag->storage.count == 0) {
        return sett_null();
    }
    uint32_t cursor = 0;
    return setti_entity_at(&world->entities, setti_storage_next(&tag->storage, &cursor));
}

sett_entity sett_singletons(sett_world* world)
{
    sett_entity entity = singleton_find(world);
    if (!sett_is_null(entity)) {
        return entity;
    }
    sett_component_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.name = "Singletons";
    desc.id = setti_component_own_id(world, desc.name);
    desc.storage = SETT_STORAGE_SPARSE_SET;
    sett_component tag = sett_component_register(world, &desc);
    if (tag == 0 || sett_entity_create_many(world, 1, &tag, 1, NULL, &entity) != SETT_OK) {
        return sett_null();
    }
    return entity;
}

void* sett_singleton_ensure(sett_world* world, sett_component component)
{
    sett_entity entity = sett_singletons(world);
    return sett_is_null(entity) ? NULL : sett_ensure(world, entity, component);
}

void* sett_singleton_set(sett_world* world, sett_component component, const void* value)
{
    sett_entity entity = sett_singletons(world);
    return sett_is_null(entity) ? NULL : sett_set(world, entity, component, value);
}

const void* sett_singleton_find(const sett_world* world, sett_component component)
{
    return sett_find(world, singleton_find(world), component);
}

void* sett_singleton_find_mut(sett_world* world, sett_component component)
{
    return sett_find_mut(world, singleton_find(world), component);
}

sett_status sett_singleton_remove(sett_world* world, sett_component component)
{
    sett_entity entity = singleton_find(world);
    if (sett_is_null(entity)) {
        return setti_world_fail(world, SETT_STATUS_ABSENT, "sett_singleton_remove", entity,
                                component);
    }
    return sett_remove(world, entity, component);
}
