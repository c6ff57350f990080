/* enable.c: switches components off without removing their values, and on again.
 *
 * For each type registered with can_disable there is a tag "<name> off", which requires the type.
 * If an entity has the tag, the component of the entity is switched off. Snapshots, hashes, deltas,
 * files and copies contain the tag, and so the switch. Removing the component removes the tag.
 * Queries, groups and observers with a term of the type exclude the tag.
 *
 * Invariant:  an entity has a type's tag  =>  the entity has the type
 */
#include "world/change.h"
#include "world/command.h"

#include <stdio.h>

/* Checks that an entity's component can be switched. Returns SETT_STATUS_ARGUMENT if the type
 * was registered without `can_disable`. */
static sett_status enable_check(const sett_world* world, sett_entity entity, const setti_type* type)
{
    if (type == NULL) {
        return SETT_STATUS_UNREGISTERED;
    }
    if (!sett_entity_valid(world, entity)) {
        return SETT_STATUS_STALE;
    }
    if (type->off == NULL) {
        return SETT_STATUS_ARGUMENT;
    }
    if (!sett_has(world, entity, type->id)) {
        return SETT_STATUS_ABSENT;
    }
    return SETT_OK;
}

static const char enable_rejected[] =
    "%s: \"%.100s\" is registered without .can_disable, so it cannot be switched off - register it "
    "with .can_disable = true (types of the library cannot have it)";

sett_status sett_enable(sett_world* world, sett_entity entity, sett_component component, bool on)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const setti_type* type = setti_world_type(world, component);
    sett_status status = enable_check(world, entity, type);
    if (status == SETT_STATUS_ARGUMENT) {
        return setti_world_fail_with(world, status, enable_rejected, __func__, type->desc.name);
    }
    if (status != SETT_OK) {
        return setti_world_fail(world, status, __func__, entity, component);
    }
    bool is_enabled = !sett_has(world, entity, type->off->id);
    if (is_enabled == on) {
        return SETT_OK;
    }
    status = setti_world_check_unlocked(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    bool switched;
    if (on) {
        switched = sett_remove(world, entity, type->off->id) == SETT_OK;
    } else {
        switched = sett_add(world, entity, type->off->id) != NULL;
    }
    if (!switched) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, entity, component);
    }
    return SETT_OK;
}

bool sett_is_enabled(const sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return false;
    }
    const setti_type* type = setti_world_type(world, component);
    if (!sett_has(world, entity, component)) {
        return false;
    }
    return type->off == NULL || !sett_has(world, entity, type->off->id);
}

typedef struct enable_record {
    setti_command_call call; /* must be first */
    sett_component component;
    bool enabled;
} enable_record;

static sett_status enable_apply(sett_world* world, sett_entity entity, const void* call)
{
    const enable_record* record = call;
    if (!sett_has(world, entity, record->component)) { /* removed meanwhile */
        return SETT_OK;
    }
    return sett_enable(world, entity, record->component, record->enabled);
}

static void enable_print(const sett_world* world, const void* call, char* out, size_t size)
{
    const enable_record* record = call;
    snprintf(out, size, ": \"%.100s\" %s", sett_component_name(world, record->component),
             record->enabled ? "on" : "off");
}

sett_status sett_cmd_enable(sett_commands* commands, sett_entity entity, sett_component component,
                            bool on)
{
    static const setti_command_kind kind = {"switch", enable_apply, enable_print};
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = sett_commands_world(commands);
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        setti_world_misuse(world, SETT_STATUS_UNREGISTERED, __func__, entity, component);
        return SETT_STATUS_UNREGISTERED;
    }
    if (type->off == NULL) {
        if (SETTI_DEBUG) {
            setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, enable_rejected, __func__,
                                    type->desc.name);
        }
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status;
    setti_commands_check_handle(commands, entity, component, __func__);
    enable_record* record = setti_commands_call(commands, entity, &kind, sizeof(*record), &status);
    if (record != NULL) {
        record->component = component;
        record->enabled = on;
    }
    return status;
}
