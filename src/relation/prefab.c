/* prefab.c: entities as templates. Making instances is clone.c's work; here is what makes an entity
 * a template, and what instances share with it.
 *
 * Passing over prefabs is a mask that every query has, not a term that every user writes: the world
 * knows the two tags that hide, and a loop asks for them only while some entity has one.
 *
 * Invariant:  hidden[k] is NULL or the type of that tag's name;  an instance made by this file is
 * led to its prefab by InstanceOf
 */
#include "sett/prefab.h"

#include "query/query.h"
#include "relation/clone.h"
#include "relation/links.h"
#include "world/command.h"

#include <stdio.h>

/* Registers a tag that hides, and tells the queries that there are of it. */
static sett_component prefab_hide(sett_world* world, uint32_t which, const char* name)
{
    if (world->hidden[which] == NULL) {
        sett_component_desc desc;
        memset(&desc, 0, sizeof(desc));
        desc.name = name;
        desc.id = setti_component_own_id(world, name);
        sett_component tag = sett_component_register(world, &desc);
        if (tag == 0) {
            return 0;
        }
        world->hidden[which] = setti_world_type(world, tag);
        world->listener_version++;
        for (sett_query* query = world->queries; query != NULL; query = query->next) {
            setti_plan_update(query); /* sett_query_matches does not */
        }
    }
    return world->hidden[which]->id;
}

sett_component sett_prefab_tag(sett_world* world)
{
    return prefab_hide(world, SETTI_HIDDEN_PREFAB, "Prefab");
}

sett_component sett_disabled_tag(sett_world* world)
{
    return prefab_hide(world, SETTI_HIDDEN_DISABLED, "Disabled");
}

sett_status sett_prefab_make(sett_world* world, sett_entity entity)
{
    static const char call[] = "sett_prefab_make";
    if (!sett_entity_valid(world, entity)) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    sett_component tag = sett_prefab_tag(world);
    if (tag == 0) {
        return world->error;
    }
    const setti_type* type = world->hidden[SETTI_HIDDEN_PREFAB];
    sett_entity at = entity;
    do {
        if (!setti_storage_has(&type->storage, at.index) &&
            (setti_world_check_unlocked(world, call) != SETT_OK ||
             sett_add(world, at, tag) == NULL)) {
            return world->error;
        }
        at = sett_hierarchy_walk(world, entity, at);
    } while (!sett_is_null(at));
    return SETT_OK;
}

sett_component sett_instance_of(sett_world* world)
{
    if (world->instance_of == NULL) {
        sett_relationship_desc desc;
        memset(&desc, 0, sizeof(desc));
        desc.name = "InstanceOf";
        desc.id = setti_component_own_id(world, desc.name);
        sett_component id = sett_relationship_register(world, &desc);
        if (id == 0) {
            return 0;
        }
        world->instance_of = setti_relation_of(world, id);
    }
    return world->instance_of->links->id;
}

/* Makes `count` instances, or one of an entity that has nothing. */
static sett_status prefab_copy(sett_world* world, const char* call, sett_entity prefab,
                               uint32_t count, sett_entity into, sett_entity* out)
{
    if (sett_instance_of(world) == 0) {
        return world->error;
    }
    setti_clone clone;
    memset(&clone, 0, sizeof(clone));
    clone.from = world;
    clone.to = world;
    clone.call = call;
    clone.count = count;
    clone.into = into;
    clone.instances = world->instance_of;
    return setti_clone_run(&clone, prefab, out);
}

sett_status sett_instantiate(sett_world* world, sett_entity prefab, uint32_t count,
                             sett_entity* out)
{
    static const char call[] = "sett_instantiate";
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (!sett_entity_valid(world, prefab)) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, prefab, 0);
    }
    return count != 0 ? prefab_copy(world, call, prefab, count, sett_null(), out) : SETT_OK;
}

/* ------------------------------------------------------------------------------------ recording */

typedef struct prefab_call {
    setti_command_call call; /* first */
    sett_entity prefab;
} prefab_call;

/* Its entity was created by the record before this one. When memory runs out in between, the world
 * is in the caller's hands, who may have given it something. */
static sett_status prefab_apply(sett_world* world, sett_entity entity,
                                const setti_command_call* given)
{
    static const char call[] = "sett_cmd_instantiate";
    sett_entity prefab = ((const prefab_call*)(const void*)given)->prefab;
    if (sett_entity_components(world, entity, NULL, 0) != 0) {
        return setti_world_fail(world, SETT_STATUS_PRESENT, call, entity, 0);
    }
    if (!sett_entity_valid(world, prefab)) {
        return sett_entity_destroy(world, entity);
    }
    sett_status status = prefab_copy(world, call, prefab, 1, entity, NULL);
    if (status != SETT_OK && status != SETT_STATUS_OUT_OF_MEMORY) {
        (void)sett_entity_destroy(world, entity);
    }
    return status;
}

static void prefab_print(const sett_world* world, const setti_command_call* given, char* out,
                         size_t size)
{
    sett_entity prefab = ((const prefab_call*)(const void*)given)->prefab;
    (void)world;
    snprintf(out, size, " from entity %u:%u", (unsigned)prefab.index, (unsigned)prefab.generation);
}

sett_entity sett_cmd_instantiate(sett_commands* commands, sett_entity prefab)
{
    setti_command_call* call;
    sett_entity entity =
        setti_commands_create_call(commands, "instantiate", sizeof(prefab_call), &call);
    if (call != NULL) {
        call->apply = prefab_apply;
        call->print = prefab_print;
        ((prefab_call*)(void*)call)->prefab = prefab;
    }
    return entity;
}

sett_status sett_prefab_share(sett_world* world, sett_component component, bool shared)
{
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, "sett_prefab_share", sett_null(),
                                component);
    }
    type->flags &= ~(uint32_t)SETTI_TYPE_SHARED;
    type->flags |= shared ? SETTI_TYPE_SHARED : 0;
    return SETT_OK;
}

const void* sett_prefab_get(const sett_world* world, sett_entity entity, sett_component component)
{
    const void* value = sett_find(world, entity, component);
    /* Prefabs of prefabs can be led in a circle by hand; nobody has that many. */
    for (uint32_t steps = 0; value == NULL && world->instance_of != NULL && steps < 64; steps++) {
        entity = sett_target(world, entity, world->instance_of->links->id);
        if (sett_is_null(entity)) {
            break;
        }
        value = sett_find(world, entity, component);
    }
    return value;
}

void* sett_prefab_override(sett_world* world, sett_entity entity, sett_component component)
{
    static const char call[] = "sett_prefab_override";
    void* own = sett_find_mut(world, entity, component);
    const void* value = own == NULL ? sett_prefab_get(world, entity, component) : NULL;
    if (own != NULL || value != NULL) {
        return own != NULL ? own : sett_set(world, entity, component, value);
    }
    sett_status status = SETT_STATUS_ABSENT;
    if (!sett_entity_valid(world, entity)) {
        status = SETT_STATUS_STALE;
    } else if (setti_world_type(world, component) == NULL) {
        status = SETT_STATUS_UNREGISTERED;
    }
    setti_world_fail(world, status, call, entity, component);
    return NULL;
}
