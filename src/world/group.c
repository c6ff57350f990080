/* group.c: creating and destroying groups. What they do while they live is listener.c's matter,
 * when they do it change*.c's. */
#include "world/change.h"

struct sett_group {
    setti_listener listener; /* first: the world's list of listeners leads here */
    sett_world* world;
};

static const char group_call[] = "sett_group_create";

/* Adds the types of a list; fails with a message that names the group. */
static sett_status group_add_types(sett_world* world, const char* name, const sett_component* ids,
                                   setti_type_list* list)
{
    for (uint32_t k = 0; k < SETT_GROUP_TYPES && ids[k] != 0; k++) {
        setti_type* type = setti_world_type(world, ids[k]);
        if (type == NULL) {
            return setti_world_fail_with(world, SETT_STATUS_UNREGISTERED,
                                         "%s: \"%.100s\": component %u is not registered",
                                         group_call, name, (unsigned)ids[k]);
        }
        if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            return setti_world_fail_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: \"%.100s\": \"%.100s\" is dont_fragment: it is in no signature, and groups "
                "follow signatures",
                group_call, name, type->desc.name);
        }
        if (!setti_type_list_has(list, type) && !setti_type_list_add(&world->pool, list, type)) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, group_call, sett_null(), 0);
        }
    }
    return SETT_OK;
}

static sett_status group_check_owned(sett_world* world, const setti_listener* listener)
{
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        const setti_type* type = listener->owned.item[k];
        if (type->owner != NULL) {
            return setti_world_fail_with(
                world, SETT_STATUS_CONFLICT,
                "%s: \"%.100s\" wants to own \"%.100s\", which \"%.100s\" owns; let one of them "
                "have it in `with` instead",
                group_call, listener->name, type->desc.name, type->owner->name);
        }
        if (type->storage.kind != SETTI_SPARSE || type->storage.keep_order) {
            return setti_world_fail_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: \"%.100s\": \"%.100s\" cannot be owned: its storage is not a sparse set, or "
                "keeps its order; register it as a sparse set, or have it in `with`",
                group_call, listener->name, type->desc.name);
        }
    }
    return SETT_OK;
}

static void group_free(sett_group* group)
{
    setti_pool* pool = &group->world->pool;
    setti_listener* listener = &group->listener;
    setti_type_list_deinit(pool, &listener->with);
    setti_type_list_deinit(pool, &listener->without);
    setti_type_list_deinit(pool, &listener->owned);
    setti_storage_deinit(pool, &listener->members);
    setti_pool_free(pool, listener->row, listener->row_size, listener->row_align);
    setti_pool_free(pool, listener->name, strlen(listener->name) + 1, 1);
    setti_pool_free(pool, group, sizeof(*group), 64);
}

/* Fills in a group; what it has when this fails is freed by the caller. */
static sett_status group_init(sett_group* group, const sett_group_desc* desc)
{
    sett_world* world = group->world;
    setti_listener* listener = &group->listener;
    sett_status status = group_add_types(world, listener->name, desc->owned, &listener->owned);
    if (status == SETT_OK) {
        status = group_add_types(world, listener->name, desc->owned, &listener->with);
    }
    if (status == SETT_OK) {
        status = group_add_types(world, listener->name, desc->with, &listener->with);
    }
    if (status == SETT_OK) {
        status = group_add_types(world, listener->name, desc->without, &listener->without);
    }
    if (status == SETT_OK && listener->with.count == 0) {
        status = setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                       "%s: \"%.100s\": it needs a type in `owned` or `with`",
                                       group_call, listener->name);
    }
    if (status == SETT_OK) {
        status = group_check_owned(world, listener);
    }
    for (uint32_t k = 0; status == SETT_OK && k < listener->owned.count; k++) {
        const setti_storage* storage = &listener->owned.item[k]->storage;
        listener->row_size =
            SETTI_MAX(listener->row_size, storage->move != NULL ? storage->size : 0);
        listener->row_align = SETTI_MAX(listener->row_align, storage->align);
    }
    if (status == SETT_OK && listener->row_size != 0) {
        listener->row = setti_pool_alloc(&world->pool, listener->row_size, listener->row_align);
        if (listener->row == NULL) {
            status = setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, group_call, sett_null(), 0);
        }
    }
    listener->row_size = listener->row != NULL ? listener->row_size : 0;
    return status;
}

/* Puts the group at the end of the world's listeners. */
static void group_link(sett_world* world, setti_listener* listener)
{
    setti_listener_link(&world->listeners, listener);
    setti_world_add_root(world, &listener->root, &listener->length, sizeof(listener->length), NULL,
                         NULL);
    setti_world_add_storage(world, &listener->members_root, &listener->members);
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        listener->owned.item[k]->owner = listener;
    }
    world->listener_version++;
    setti_change_forget_transitions(world);
}

sett_group* sett_group_create(sett_world* world, const sett_group_desc* desc)
{
    const char* name = desc->name != NULL ? desc->name : "group";
    if (setti_world_check_unlocked(world, group_call) != SETT_OK ||
        setti_world_check_no_snapshots(world, group_call) != SETT_OK) {
        return NULL;
    }
    sett_group* group = setti_pool_alloc(&world->pool, sizeof(*group), 64);
    char* copy = setti_pool_alloc(&world->pool, strlen(name) + 1, 1);
    if (group == NULL || copy == NULL) {
        setti_pool_free(&world->pool, group, sizeof(*group), 64);
        setti_pool_free(&world->pool, copy, strlen(name) + 1, 1);
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, group_call, sett_null(), 0);
        return NULL;
    }
    memset(group, 0, sizeof(*group));
    group->world = world;
    group->listener.name = memcpy(copy, name, strlen(name) + 1);
    group->listener.on_enter = desc->on_enter;
    group->listener.on_exit = desc->on_exit;
    group->listener.user = desc->user;
    setti_storage_init(&group->listener.members, SETTI_TAG, 0, 1, false);
    sett_status status = group_init(group, desc);
    if (status == SETT_OK && !setti_change_admit(world, &group->listener)) {
        status = setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, group_call, sett_null(), 0);
    }
    if (status != SETT_OK) {
        group_free(group);
        return NULL;
    }
    group_link(world, &group->listener);
    return group;
}

sett_status sett_group_destroy(sett_group* group)
{
    if (group == NULL) {
        return SETT_OK;
    }
    sett_world* world = group->world;
    setti_listener* listener = &group->listener;
    sett_status status = setti_world_check_unlocked(world, "sett_group_destroy");
    if (status == SETT_OK) {
        status = setti_world_check_no_snapshots(world, "sett_group_destroy");
    }
    if (status != SETT_OK) {
        return status;
    }
    setti_world_remove_root(world, &listener->root);
    setti_world_remove_root(world, &listener->members_root);
    setti_listener_unlink(&world->listeners, listener);
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        listener->owned.item[k]->owner = NULL;
    }
    world->listener_version++;
    setti_change_forget_transitions(world);
    group_free(group);
    return SETT_OK;
}

uint32_t sett_group_count(const sett_group* group)
{
    const setti_listener* listener = &group->listener;
    return listener->owned.count != 0 ? listener->length : listener->members.count;
}

bool sett_group_has(const sett_group* group, sett_entity entity)
{
    return sett_entity_valid(group->world, entity) &&
           setti_listener_has(&group->listener, entity.index);
}

setti_listener* setti_group_listener(sett_group* group)
{
    return &group->listener;
}

sett_world* setti_group_world(const sett_group* group)
{
    return group->world;
}
