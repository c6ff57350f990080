/* singleton.c: singletons, components of one entity of the world.
 *
 * A tag in a sparse set marks the entity. The entity is in the first row of the set. Rejected: a
 * handle in the world, because snapshots would have to save and restore the handle.
 *
 * When all entities are destroyed, the singletons' entity is the last, so that removal hooks of
 * other entities can read the singletons.
 *
 * Invariant:  at most one entity has the tag (SETTI_TYPE_ONE)
 */
#include "relation/singleton.h"
#include "world/change.h"

sett_entity setti_singleton_find(const sett_world* world)
{
    const setti_type* tag = setti_singleton_tag(world);
    if (tag == NULL || tag->storage.count == 0) {
        return sett_null();
    }
    uint32_t cursor = 0;
    return setti_entity_at(&world->entities, setti_storage_next(&tag->storage, &cursor));
}

sett_component setti_singleton_register(sett_world* world)
{
    sett_component_desc desc = {.name = "Singletons",
                                .id = setti_component_own_id(world, "Singletons"),
                                .storage = SETT_STORAGE_SPARSE_SET};
    sett_component tag = sett_component_register(world, &desc);
    if (tag != 0) {
        world->last_tag = setti_world_type(world, tag);
        world->last_tag->flags |= SETTI_TYPE_ONE;
    }
    return tag;
}

/* Creates the singletons' entity. If `component` is not 0, the entity gets this component. Returns
 * null on failure. */
static sett_entity singleton_create(sett_world* world, sett_component component, const void* value)
{
    sett_component tag = setti_singleton_register(world);
    sett_component components[2] = {tag, component};
    const void* values[2] = {NULL, value};
    uint32_t count = component != 0 ? 2 : 1;
    sett_entity entity = sett_null();
    const struct setti_scope_calls* scope = world->scope_calls;
    world->scope_calls = NULL; /* the entity is no child of the scope */
    if (tag != 0) {
        (void)sett_entity_create_many(world, 1, components, count, values, &entity);
    }
    world->scope_calls = scope;
    return entity;
}

sett_entity sett_singletons(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    sett_entity entity = setti_singleton_find(world);
    if (!sett_is_null(entity) || setti_world_check_unlocked(world, __func__) != SETT_OK) {
        return entity;
    }
    return singleton_create(world, 0, NULL);
}

/* Creates the singletons' entity with the first singleton. Returns the value's address, or NULL. */
static void* singleton_begin(sett_world* world, sett_component component, const void* value)
{
    sett_entity entity = singleton_create(world, component, value);
    if (sett_is_null(entity)) {
        return NULL;
    }
    return sett_find_mut(world, entity, component);
}

/* Returns true if the singleton exists or can be added. Otherwise reports an error of `call`.
 *   entity  the singletons' entity, or null */
static bool singleton_check(sett_world* world, sett_entity entity, sett_component component,
                            const char* call)
{
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, entity, component);
        return false;
    }
    if (!sett_is_null(entity) && setti_storage_has(&type->storage, entity.index)) {
        return true;
    }
    setti_world_close_returned(world);
    if (world->locks == 0) {
        return true;
    }
    if (world->running != NULL) {
        setti_world_fail_with(world, SETT_STATUS_LOCKED,
                              "%s: there is no singleton \"%.100s\" yet, and system \"%.200s\" "
                              "cannot add one - call sett_singleton_ensure before the frame",
                              call, type->desc.name, setti_world_running(world));
    } else {
        setti_world_fail_with(world, SETT_STATUS_LOCKED,
                              "%s: there is no singleton \"%.100s\" yet, and a loop or a "
                              "callback cannot add one - call sett_singleton_ensure earlier",
                              call, type->desc.name);
    }
    return false;
}

static void singleton_touch(const sett_world* world, sett_component component, uint32_t access,
                            const char* call)
{
    if (setti_world_type(world, component) != NULL) {
        setti_world_touch(world, setti_singleton_find(world), component, access, call);
    }
}

static const void* singleton_find(const sett_world* world, sett_component component,
                                  const char* call)
{
    singleton_touch(world, component, SETTI_ACCESS_READ, call);
    return sett_find(world, setti_singleton_find(world), component);
}

static void* singleton_find_mut(sett_world* world, sett_component component, const char* call)
{
    singleton_touch(world, component, SETTI_ACCESS_WRITE, call);
    return sett_find_mut(world, setti_singleton_find(world), component);
}

void* sett_singleton_ensure(sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    singleton_touch(world, component, SETTI_ACCESS_WRITE, __func__);
    sett_entity entity = setti_singleton_find(world);
    if (!singleton_check(world, entity, component, __func__)) {
        return NULL;
    }
    if (sett_is_null(entity)) {
        return singleton_begin(world, component, NULL);
    }
    return sett_ensure(world, entity, component);
}

void* sett_singleton_set(sett_world* world, sett_component component, const void* value)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    singleton_touch(world, component, SETTI_ACCESS_WRITE, __func__);
    const setti_type* type = setti_world_type(world, component);
    sett_entity entity = setti_singleton_find(world);
    if (!singleton_check(world, entity, component, __func__)) {
        return NULL;
    }
    if (type->storage.size == 0) {
        setti_change_check_tag(world, type, value, __func__);
        value = NULL;
    } else if (value == NULL) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: the value of \"%.100s\" is NULL - pass its address", __func__,
                              type->desc.name);
        return NULL;
    }
    if (sett_is_null(entity)) {
        return singleton_begin(world, component, value);
    }
    return sett_set(world, entity, component, value);
}

/* Reports a missing singleton in debug builds. */
SETTI_COLD static void singleton_report_absent(const sett_world* world, sett_component component,
                                               const char* call)
{
#if !defined(NDEBUG)
    const setti_type* type = setti_world_type(world, component);
    if (type != NULL) { /* an unregistered id has been reported before */
        setti_world_misuse_with(world, SETT_STATUS_ABSENT,
                                "%s: there is no singleton \"%.100s\" - add it with "
                                "sett_singleton_set, or test for it with sett_singleton_find",
                                call, type->desc.name);
    }
#else
    (void)world;
    (void)component;
    (void)call;
#endif
}

const void* sett_singleton_get(const sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    const void* value = singleton_find(world, component, __func__);
    if (SETTI_UNLIKELY(value == NULL)) {
        singleton_report_absent(world, component, __func__);
    }
    return value;
}

void* sett_singleton_get_mut(sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    void* value = singleton_find_mut(world, component, __func__);
    if (SETTI_UNLIKELY(value == NULL)) {
        singleton_report_absent(world, component, __func__);
    }
    return value;
}

const void* sett_singleton_find(const sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    return singleton_find(world, component, __func__);
}

void* sett_singleton_find_mut(sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    return singleton_find_mut(world, component, __func__);
}

sett_status sett_singleton_remove(sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_entity entity = setti_singleton_find(world);
    if (sett_is_null(entity)) {
        return SETT_STATUS_ABSENT;
    }
    const setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL) {
        return world->error;
    }
    return sett_remove(world, entity, component);
}
