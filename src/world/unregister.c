/* unregister.c: unregisters component types, so that other types can have the names and ids.
 *
 * The workload: some dozens of types at once, when a game library is built and loaded again while
 * the world lives. A type in use is not unregistered. No callback runs between the last test for
 * uses and the end of the type.
 *
 * Invariant:  an unregistered type is in no list, no signature, and no term of a query or observer
 */
#include "world/change.h"
#include "world/command.h"

static const char unregister_call[] = "sett_component_unregister";

static sett_status unregister_reject(sett_world* world, const setti_type* type, const char* kind,
                                     const char* name)
{
    return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                 "%s: \"%.100s\" is used by %s \"%.100s\" - destroy that %s first",
                                 unregister_call, type->desc.name, kind, name, kind);
}

/* Whether the library uses a type. */
static bool unregister_is_of_library(const sett_world* world, const setti_type* type)
{
    if (type->id >= SETTI_COMPONENT_LIBRARY && type->id < SETT_ID_RESERVED_END) {
        return true;
    }
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        if (type == world->hidden[k]) {
            return true; /* Prefab and Disabled may have other ids */
        }
    }
    if (type == world->last_tag) {
        return true; /* the tag Singletons */
    }
    if (setti_type_switched(type) != NULL) {
        return true; /* the "off" tag of a type */
    }
    return type->module != NULL || type->cascade != NULL || type->writers != NULL;
}

static sett_status unregister_reject_own(sett_world* world, const setti_type* type)
{
    const char* why = "cannot be unregistered, because the library uses it - unregister only types "
                      "of the program";
    if (type->links != NULL || type->ends != NULL) {
        why = "belongs to a relationship, which cannot be unregistered - leave it, and give a new "
              "type another name";
    }
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s", unregister_call,
                                 type->desc.name, why);
}

/* Whether a listener has a condition on a type. */
static bool unregister_is_listened(const setti_listener* listener, const setti_type* type)
{
    if (setti_type_list_has(&listener->with, type) ||
        setti_type_list_has(&listener->without, type)) {
        return true;
    }
    return type->off != NULL && setti_type_list_has(&listener->without, type->off);
}

/* Destroys the groups of layouts that use a type. Fails if a group or observer of the program uses
 * the type. */
static sett_status unregister_from_listeners(sett_world* world, const setti_type* type)
{
    setti_listener* next;
    for (setti_listener* listener = world->listeners; listener != NULL; listener = next) {
        next = listener->next;
        if (!unregister_is_listened(listener, type)) {
            continue;
        }
        if (!listener->by_layout) {
            return unregister_reject(world, type, listener->observes ? "observer" : "group",
                                     listener->name);
        }
        setti_group_end(setti_group_of(listener));
    }
    /* finds observers of the component, and observers with a term about an ancestor's type */
    const char* observer = setti_observer_of_type(world, type);
    if (observer != NULL) {
        return unregister_reject(world, type, "observer", observer);
    }
    return SETT_OK;
}

/* Destroys the groups of layouts that use a type. Fails if another user of the type exists. */
SETTI_COLD static sett_status unregister_release(sett_world* world, const setti_type* type)
{
    if (setti_world_check_no_snapshots(world, unregister_call) != SETT_OK) {
        return SETT_STATUS_LOCKED;
    }
    for (const sett_commands* commands = world->all_commands; commands != NULL;
         commands = setti_commands_next(commands)) {
        if (sett_commands_count(commands) != 0) {
            return setti_world_fail_with(
                world, SETT_STATUS_LOCKED,
                "%s: %u recorded commands may use \"%.100s\" - make this call after %s",
                unregister_call, (unsigned)sett_commands_count(commands), type->desc.name,
                world->applying != NULL ? world->applier : "sett_commands_apply");
        }
    }
    for (uint32_t k = 0; k < type->dependants.count; k++) {
        const setti_type* other = type->dependants.item[k];
        if (other != type->off) { /* the "off" tag is freed with the type */
            return setti_world_fail_with(
                world, SETT_STATUS_CONFLICT,
                "%s: \"%.100s\" is required by component \"%.100s\" - unregister that one first",
                unregister_call, type->desc.name, other->desc.name);
        }
    }
    SETTI_MODULES_EACH(world, calls, holder) {
        const char* name = calls->holder(world, type);
        if (name != NULL) {
            return unregister_reject(world, type, calls->kind, name);
        }
    }
    return unregister_from_listeners(world, type);
}

/* Removes a type from a list. The other types keep their order. */
static void unregister_from_list(setti_type_list* list, const setti_type* type)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        if (list->item[k] != type) {
            list->item[count++] = list->item[k];
        }
    }
    list->count = count;
}

/* Frees a type that no entity has. Frees the "off" tag of the type, too. */
SETTI_COLD static void unregister_end(sett_world* world, setti_type* type)
{
    SETTI_ASSERT(type->storage.count == 0 && type->owner == NULL);
    if (type->off != NULL) {
        unregister_end(world, type->off);
    }
    SETTI_MODULES_EACH(world, calls, unregistered) {
        calls->unregistered(world, type);
    }
    if (world->observe_type != NULL) {
        (void)world->observe_type(world, type, SETTI_TYPE_ENDS);
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        setti_type* needed = type->required.item[k];
        unregister_from_list(&needed->dependants, type);
        if (needed->dependants.count == 0) {
            needed->flags &= ~(uint32_t)(SETTI_TYPE_REQUIRED | SETTI_TYPE_REQUIRED_APART);
        }
    }
    for (uint32_t k = 0; k < world->prepared; k++) {
        if (world->registered.item[k] == type) {
            world->prepared--; /* the type is one of the first `prepared` types */
        }
    }
    world->unregistered++;
    unregister_from_list(&world->registered, type);
    unregister_from_list(&world->dont_fragment, type);
    unregister_from_list(&world->renamed, type);
    SETTI_ASSERT(world->prepared <= world->registered.count);
    setti_world_remove_root(world, &type->root);
    setti_storage_deinit(&world->pool, &type->storage);
    setti_component_free(world, type);
}

SETTI_COLD sett_status sett_component_unregister(sett_world* world, sett_component component)
{
    setti_type* type = setti_change_check_type(world, component, unregister_call);
    if (type == NULL) {
        return setti_world_failure(world);
    }
    if (unregister_is_of_library(world, type)) {
        return unregister_reject_own(world, type);
    }
    sett_status status = unregister_release(world, type);
    if (status == SETT_OK) {
        status = setti_change_clear_type(world, type, unregister_call);
    }
    if (status == SETT_OK) {
        status = unregister_release(world, type); /* callbacks may have made new users */
    }
    if (status != SETT_OK) {
        return status;
    }
    setti_edit_reclaim_signatures(world);
    unregister_end(world, type);
    world->listener_version++; /* so that queries update their list of hidden tags */
    return SETT_OK;
}
