/* prefab.c: prefabs, which are entities that serve as templates. This file makes entities prefabs,
 * and shares values with instances; clone.c creates instances.
 *
 * Queries skip prefabs, though no term says so. The world has two hiding tags, Prefab and Disabled.
 * A loop tests a hiding tag only while some entity has the tag.
 *
 * Invariant:  hidden[k] is NULL or the type of the k-th hiding tag
 */
#include "sett/prefab.h"
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/prefab.h"
#include "relation/recipe.h"
#include "world/command.h"

#include <stdio.h>

#define PREFAB_STEPS 64 /* limit of a walk along InstanceOf links, which can form a cycle */

/* Removes the entities with the hiding tag from the groups and tracked sets that skip them. */
static void prefab_leave(sett_world* world, const setti_type* tag)
{
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        if (listener->hidden == NULL || listener->observes ||
            setti_type_list_has(&listener->with, tag)) {
            continue;
        }
        SETTI_EACH_INDEX(index, &tag->storage) {
            if (setti_listener_has(listener, index)) {
                setti_listener_leave(&world->pool, listener, index);
            }
        }
    }
    setti_edit_forget_transitions(world);
}

static void prefab_join(sett_world* to_world)
{
    static const setti_prefabs prefabs = {sett_prefab_make};
    static const setti_module_calls calls = {.slot = SETTI_SLOT_PREFABS, .join = prefab_join};
    to_world->module[SETTI_SLOT_PREFABS] = setti_unconst(&prefabs);
    setti_world_add_calls(to_world, &calls);
}

/* Returns the hiding tag hidden[which]. The first call registers the tag, and updates queries.
 * Returns 0 on failure. */
static sett_component prefab_hide(sett_world* world, uint32_t which, const char* name)
{
    SETTI_ASSERT(which < SETTI_HIDDEN);
    if (world->hidden[which] == NULL) {
        sett_component_desc desc = {.name = name, .id = setti_component_own_id(world, name)};
        sett_component tag = sett_component_register(world, &desc);
        if (tag == 0) {
            return 0;
        }
        world->hidden[which] = setti_world_type(world, tag);
        prefab_leave(world, world->hidden[which]);
        prefab_join(world);
        world->listener_version++;
        SETTI_MODULES_EACH(world, calls, update) {
            calls->update(world); /* now, because sett_query_matches does not update queries */
        }
    }
    return world->hidden[which]->id;
}

sett_component sett_prefab_tag(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    return prefab_hide(world, SETTI_HIDDEN_PREFAB, "Prefab");
}

sett_component sett_disabled_tag(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    return prefab_hide(world, SETTI_HIDDEN_DISABLED, "Disabled");
}

SETTI_COLD sett_status sett_prefab_make(sett_world* world, sett_entity entity)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (!sett_entity_valid(world, entity)) {
        return setti_world_fail(world, SETT_STATUS_STALE, __func__, entity, 0);
    }
    sett_component tag = sett_prefab_tag(world);
    if (tag == 0) {
        return world->error;
    }
    setti_type* type = setti_world_type(world, tag);
    sett_entity descendant = entity;
    do {
        if (!setti_storage_has(&type->storage, descendant.index) &&
            setti_change_add_fast(world, type, descendant, __func__, SETTI_NO_VALUE) == NULL) {
            return world->error;
        }
        descendant = sett_hierarchy_walk(world, entity, descendant);
    } while (!sett_is_null(descendant));
    return SETT_OK;
}

sett_component sett_instance_of(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    if (world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF] == NULL) {
        sett_relationship_desc desc = {.name = "InstanceOf",
                                       .id = setti_component_own_id(world, "InstanceOf")};
        sett_component id = sett_relationship_register(world, &desc);
        if (id == 0) {
            return 0;
        }
        world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF] = setti_world_type(world, id);
    }
    return world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF]->id;
}

/* Returns the scope, or null. The scope becomes the parent of instances if the program gives no
 * parent. */
static sett_entity prefab_scope(const sett_world* world)
{
    if (world->scope_calls == NULL) {
        return sett_null();
    }
    return world->scope;
}

/* Slow path of prefab_run. */
SETTI_APART static sett_status prefab_clone(sett_world* world, const setti_clone_desc* instance,
                                            uint32_t count, setti_type* tag, sett_entity* out)
{
    setti_clone clone = {
        .desc = *instance,
        .from = world,
        .to = world,
        .count = count,
        .instances = setti_relation_of_links(world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF]),
        .tag = tag};
    sett_status status = setti_clone_run(&clone, out);
    bool may_use_recipe = count == 1 && instance->base_count == 0 && tag == NULL;
    if (status == SETT_OK && may_use_recipe) {
        setti_recipe_learn(world, instance->root);
    }
    return status;
}

/* Makes `count` instances, by a recipe if possible. */
static sett_status prefab_run(sett_world* world, const setti_clone_desc* instance, uint32_t count,
                              sett_entity* out)
{
    if (sett_instance_of(world) == 0) {
        return world->error;
    }
    setti_edit_settle(world);
    setti_type* tag = world->hidden[SETTI_HIDDEN_PREFAB];
    bool in_prefab = tag != NULL && !sett_is_null(instance->parent) &&
                     setti_storage_has(&tag->storage, instance->parent.index);
    if (!in_prefab) {
        tag = NULL; /* only children of prefabs are prefabs */
    }
    bool may_use_recipe = count == 1 && instance->base_count == 0 && !in_prefab;
    if (may_use_recipe && setti_recipe_run(world, instance, out)) {
        return SETT_OK;
    }
    return prefab_clone(world, instance, count, tag, out);
}

/* Returns true if `parent` can get `count` more children. Otherwise reports an error. */
static bool prefab_check_parent(sett_world* world, sett_entity parent, uint32_t count,
                                const char* call)
{
    if (!sett_entity_valid(world, parent)) {
        setti_world_fail(world, SETT_STATUS_STALE, call, parent, 0);
        return false;
    }
    if (setti_hierarchy_register(world) == 0) {
        return false;
    }
    const sett_hierarchy* parent_node = setti_hierarchy_find(world, parent.index);
    uint32_t children = parent_node != NULL ? parent_node->children : 0;
    if (count > (SETTI_CHILDREN_LIMIT - children) / SETTI_CHILD) {
        setti_world_fail(world, SETT_STATUS_LIMIT, call, parent, SETT_ID_HIERARCHY);
        return false;
    }
    return true;
}

sett_status sett_instantiate(sett_world* world, sett_entity prefab, uint32_t count,
                             sett_entity* out)
{
    setti_clone_desc instance = {.call = "sett_instantiate", .root = prefab};
    sett_entity single;
    sett_status status = setti_world_check_unlocked(world, instance.call);
    if (status != SETT_OK || count == 0) {
        return status;
    }
    if (setti_entity_signature(&world->entities, prefab) == NULL) {
        return setti_world_fail(world, SETT_STATUS_STALE, instance.call, prefab, 0);
    }
    instance.parent = prefab_scope(world);
    if (!sett_is_null(instance.parent) &&
        !prefab_check_parent(world, instance.parent, count, instance.call)) {
        return world->error;
    }
    if (out == NULL && count == 1) {
        out = &single; /* a recipe needs room for the handle */
    }
    return prefab_run(world, &instance, count, out);
}

/* Returns true if no component is listed twice. Otherwise reports an error. */
static bool prefab_check_values(sett_world* world, const sett_instantiate_desc* desc,
                                const char* call)
{
    for (uint32_t k = 0; k < desc->value_count; k++) {
        setti_change_check_tag(world, setti_world_type(world, desc->values[k].component),
                               desc->values[k].value, call);
        for (uint32_t j = 0; j < k; j++) {
            if (desc->values[j].component == desc->values[k].component) {
                setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                      "%s: \"%.100s\" is listed twice - list each component once",
                                      call, setti_component_text(world, desc->values[k].component));
                return false;
            }
        }
    }
    return true;
}

/* Sets the parent and the name of `instance`. If the instance cannot have them, reports an error
 * and returns false. */
static bool prefab_prepare_place(sett_world* world, const sett_instantiate_desc* desc,
                                 setti_clone_desc* instance)
{
    instance->parent = desc->parent;
    if (sett_is_null(desc->parent)) {
        instance->parent = prefab_scope(world);
    }
    uint32_t parent_link = SETTI_NO_LINK;
    if (!sett_is_null(instance->parent)) {
        if (!prefab_check_parent(world, instance->parent, 1, instance->call)) {
            return false;
        }
        parent_link = setti_link_to(instance->parent.index);
    }
    if (desc->name == NULL) {
        return true;
    }
    instance->name = setti_name_prepare(world, parent_link, desc->name, instance->call);
    return instance->name != 0;
}

sett_entity sett_instantiate_with_sized(sett_world* world, const sett_instantiate_desc* desc,
                                        size_t size)
{
    sett_instantiate_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), "sett_instantiate_with");
    if (desc == NULL) {
        return sett_null();
    }
    setti_clone_desc instance = {.call = "sett_instantiate_with",
                                 .root = desc->prefab,
                                 .values = desc->values,
                                 .value_count = desc->value_count,
                                 .bases = desc->bases,
                                 .base_count = desc->base_count};
    if (setti_world_check_unlocked(world, instance.call) != SETT_OK ||
        setti_world_lacks_list(world, desc->values, desc->value_count, instance.call, "values") ||
        setti_world_lacks_list(world, desc->bases, desc->base_count, instance.call, "bases")) {
        return sett_null();
    }
    if (!sett_entity_valid(world, desc->prefab)) {
        setti_world_fail(world, SETT_STATUS_STALE, instance.call, desc->prefab, 0);
        return sett_null();
    }
    for (uint32_t k = 0; k < desc->base_count; k++) {
        if (!sett_entity_valid(world, desc->bases[k])) {
            setti_world_fail(world, SETT_STATUS_STALE, instance.call, desc->bases[k], 0);
            return sett_null();
        }
    }
    if (!setti_change_check_values(world, desc->values, desc->value_count, instance.call) ||
        !prefab_check_values(world, desc, instance.call) ||
        !prefab_prepare_place(world, desc, &instance)) {
        return sett_null();
    }
    sett_entity made = sett_null();
    setti_names_hold(world);
    sett_status status = prefab_run(world, &instance, 1, &made);
    setti_names_let_go(world);
    return status == SETT_OK ? made : sett_null();
}

typedef struct prefab_call {
    setti_command_call call; /* first member */
    const char* name;        /* name of the program's call, for messages */
    sett_entity prefab;
    uint32_t count;       /* number of recorded entities: 1 (the root), or all of the subtree */
    sett_entity entity[]; /* empty if count is 1; in the order of sett_hierarchy_walk */
} prefab_call;

/* Returns the number of entities of a subtree. */
static uint32_t prefab_tree_size(const sett_world* world, sett_entity prefab)
{
    uint32_t count = 0;
    for (sett_entity entity = prefab; !sett_is_null(entity);
         entity = sett_hierarchy_walk(world, prefab, entity)) {
        count++;
    }
    return count;
}

/* Destroys the entities that are alive. Stops at the first that cannot be destroyed. */
static sett_status prefab_destroy_all(sett_world* world, const sett_entity* entities,
                                      uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (!sett_entity_valid(world, entities[k])) {
            continue;
        }
        sett_status status = sett_entity_destroy(world, entities[k]);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Makes recorded entities an instance, with the first entity as the root. */
static sett_status prefab_apply(sett_world* world, sett_entity entity, const void* given)
{
    const prefab_call* record = given;
    const sett_entity* entities = record->count == 1 ? &entity : record->entity;
    bool all_alive = sett_entity_valid(world, record->prefab); /* the prefab and all entities */
    /* If memory ran out in an earlier try, the program may have changed the entities since. */
    for (uint32_t k = 0; k < record->count; k++) {
        if (!sett_entity_valid(world, entities[k])) {
            all_alive = false;
        }
        if (sett_entity_components(world, entities[k], NULL, 0) != 0) {
            return setti_world_fail_with(
                world, SETT_STATUS_PRESENT,
                "%s: entity %u:%u got components after memory had run out, "
                "so it cannot become an instance - record a new command",
                record->name, SETTI_HANDLE(entities[k]));
        }
    }
    if (!all_alive) {
        return prefab_destroy_all(world, entities, record->count);
    }
    sett_status status;
    if (record->count == 1 || prefab_tree_size(world, record->prefab) == record->count) {
        setti_clone_desc instance = {.call = record->name,
                                     .root = record->prefab,
                                     .into = entities,
                                     .into_count = record->count};
        sett_entity root = entity;
        status = prefab_run(world, &instance, 1, &root);
    } else {
        status = setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                       "%s: prefab %u:%u gained or lost descendants after the "
                                       "command was recorded - record the command again",
                                       record->name, SETTI_HANDLE(record->prefab));
    }
    if (status != SETT_OK && status != SETT_STATUS_OUT_OF_MEMORY) {
        (void)prefab_destroy_all(world, entities, record->count);
    }
    return status;
}

static void prefab_print(const sett_world* world, const void* given, char* out, size_t size)
{
    sett_entity prefab = ((const prefab_call*)given)->prefab;
    (void)world;
    snprintf(out, size, " from entity %u:%u", SETTI_HANDLE(prefab));
}

/* Records the creation of an instance with `count` entities. */
static bool prefab_record(sett_commands* commands, sett_entity prefab, sett_entity* out,
                          uint32_t count, const char* call)
{
    static const setti_command_kind kind = {"instantiate", prefab_apply, prefab_print};
    size_t list_size = 0;
    if (count > 1) {
        list_size = count * sizeof(*out);
    }
    prefab_call* record =
        setti_commands_create_call(commands, &kind, sizeof(*record) + list_size, out, count, call);
    if (record == NULL) {
        return false;
    }
    record->name = call;
    record->prefab = prefab;
    record->count = count;
    if (list_size != 0) {
        memcpy(record->entity, out, list_size);
    }
    return true;
}

sett_entity sett_cmd_instantiate(sett_commands* commands, sett_entity prefab)
{
    if (SETTI_IS_NULL(commands)) {
        return sett_null();
    }
    setti_commands_check_handle(commands, prefab, 0, __func__);
    sett_entity entity;
    if (!prefab_record(commands, prefab, &entity, 1, __func__)) {
        return sett_null();
    }
    return entity;
}

uint32_t sett_cmd_instantiate_tree(sett_commands* commands, sett_entity prefab, sett_entity* out,
                                   uint32_t capacity)
{
    if (SETTI_IS_NULL(commands)) {
        return 0;
    }
    const sett_world* world = sett_commands_world(commands);
    if (setti_world_lacks_list_aside(world, out, capacity, __func__, "out")) {
        return 0;
    }
    uint32_t count = 0;
    if (sett_entity_valid(world, prefab)) {
        count = prefab_tree_size(world, prefab);
    } else {
        setti_world_misuse(world, SETT_STATUS_STALE, __func__, prefab, 0);
    }
    if (count > capacity) {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT,
                                "%s: prefab %u:%u and its descendants are %u entities, `out` has "
                                "room for %u - pass a larger array",
                                __func__, SETTI_HANDLE(prefab), (unsigned)count,
                                (unsigned)capacity);
        count = 0;
    }
    if (count != 0 && !prefab_record(commands, prefab, out, count, __func__)) {
        count = 0;
    }
    for (uint32_t k = count; k < capacity; k++) {
        out[k] = sett_null();
    }
    return count;
}

sett_status sett_prefab_share(sett_world* world, sett_component component, bool shared)
{
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, __func__, sett_null(), component);
    }
    type->flags &= ~(uint32_t)SETTI_TYPE_SHARED;
    if (shared) {
        type->flags |= SETTI_TYPE_SHARED;
    }
    setti_recipe_forget(world);
    return SETT_OK;
}

const void* sett_prefab_get(const sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    const void* value = sett_find(world, entity, component);
    const setti_type* instances = world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF];
    if (value != NULL || instances == NULL) {
        return value;
    }
    for (uint32_t steps = 0; value == NULL && steps < PREFAB_STEPS; steps++) {
        entity = sett_target(world, entity, instances->id);
        if (sett_is_null(entity)) {
            return NULL;
        }
        value = sett_find(world, entity, component);
    }
    return value;
}

void* sett_prefab_override(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    void* value = sett_find_mut(world, entity, component);
    if (value != NULL) {
        return value;
    }
    const void* shared = sett_prefab_get(world, entity, component);
    if (shared != NULL) {
        return sett_set(world, entity, component, shared);
    }
    sett_status status = SETT_STATUS_ABSENT;
    if (!sett_entity_valid(world, entity)) {
        status = SETT_STATUS_STALE;
    } else if (setti_world_type(world, component) == NULL) {
        status = SETT_STATUS_UNREGISTERED;
    }
    setti_world_fail(world, status, __func__, entity, component);
    return NULL;
}
