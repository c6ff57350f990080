/* event.c: events of the program, sent to an entity, to its ancestors or to its descendants.
 *
 * The workload: thousands of events a frame, mostly with at most one observer. An event's component
 * type has a list of observers, as for on_add, and sending an event walks over the list.
 */
#include "sett/event.h"
#include "sett/hierarchy.h"
#include "world/change.h"
#include "world/command.h"

#include <stdio.h>

static const char event_call[] = "sett_event_send";

/* Returns the entity after `entity` on a route from `first`, or null at the end. */
static sett_entity event_next(const sett_world* world, sett_route route, sett_entity first,
                              sett_entity entity)
{
    if (route == SETT_ROUTE_UP) {
        return sett_hierarchy_parent(world, entity);
    }
    if (route == SETT_ROUTE_DOWN) {
        return sett_hierarchy_walk(world, first, entity);
    }
    return sett_null();
}

/* Returns NULL, or a message about a wrong argument. */
static const char* event_wrong(sett_route route, const setti_type* type, const void* value)
{
    if ((type->flags & (SETTI_TYPE_DEINIT | SETTI_TYPE_COPY)) != 0) {
        return "values with the hooks copy or deinit cannot be sent - send plain bytes";
    }
    if ((unsigned)route > SETT_ROUTE_DOWN) {
        return "`route` has an unknown value - use SETT_ROUTE_ENTITY, _UP or _DOWN";
    }
    if (value == NULL && type->desc.size != 0) {
        return "the value is NULL - pass its address";
    }
    return NULL;
}

static sett_status event_check_send(sett_world* world, sett_entity entity, sett_route route,
                                    sett_component event, const void* value)
{
    const setti_type* type = setti_world_type(world, event);
    sett_status status = setti_world_check_serial(world, event_call);
    if (status != SETT_OK) {
        return status;
    }
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, event_call, entity, event);
    }
    const char* wrong = event_wrong(route, type, value);
    if (wrong != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: event \"%.100s\": %s",
                                     event_call, type->desc.name, wrong);
    }
    if (!sett_entity_valid(world, entity)) {
        return setti_world_fail(world, SETT_STATUS_STALE, event_call, entity, type->id);
    }
    if (world->set_depth == SETTI_EVENT_DEPTH) {
        return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                     "%s: event \"%.100s\" is sent inside %u nested callbacks, "
                                     "which is the limit - record it with sett_cmd_event",
                                     event_call, type->desc.name, (unsigned)SETTI_EVENT_DEPTH);
    }
    return SETT_OK;
}

/* Calls the observers for each entity on the route. Writes the payload to `copy` anew each time. */
static void event_run(sett_world* world, sett_entity first, sett_route route,
                      const setti_type* type, const void* value, void* copy)
{
    SETTI_ASSERT(world->set_depth < SETTI_EVENT_DEPTH && (value == NULL || copy != NULL));
    world->set_depth++;
    for (sett_entity entity = first; !sett_is_null(entity);
         entity = event_next(world, route, first, entity)) {
        if (value != NULL) {
            memcpy(copy, value, type->desc.size);
        }
        setti_edit_call_all(world, type, SETTI_ON_EVENT, entity, copy);
    }
    world->set_depth--;
}

sett_status sett_event_send(sett_world* world, sett_entity entity, sett_route route,
                            sett_component event, const void* value)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const setti_type* type = setti_world_type(world, event);
    sett_status status = event_check_send(world, entity, route, event, value);
    if (status != SETT_OK || !setti_edit_has_callbacks(type, SETTI_ON_EVENT)) {
        return status;
    }
    _Alignas(16) unsigned char buffer[256];
    size_t size = type->desc.size;
    size_t align = SETTI_MAX(type->desc.align, 1);
    bool fits_in_buffer = size <= sizeof(buffer) && align <= 16;
    void* copy = buffer;
    if (!fits_in_buffer) {
        copy = setti_pool_alloc(&world->pool, size, align);
    }
    if (copy == NULL) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, event_call, entity, event);
    }
    event_run(world, entity, route, type, value, copy);
    if (!fits_in_buffer) {
        setti_pool_free(&world->pool, copy, size, align);
    }
    return SETT_OK;
}

/* A recorded event. The payload begins EVENT_HEAD bytes after the begin of the record. */
typedef struct event_record {
    setti_command_call call; /* first member */
    sett_route route;
    sett_component event;
} event_record;

/* A multiple of 16, so that the payload is aligned. */
#define EVENT_HEAD ((sizeof(event_record) + 15) & ~(size_t)15)

static sett_status event_apply(sett_world* world, sett_entity entity, const void* call)
{
    const event_record* record = call;
    const void* value = (const char*)call + EVENT_HEAD;
    return sett_event_send(world, entity, record->route, record->event, value);
}

static void event_print(const sett_world* world, const void* call, char* out, size_t size)
{
    const event_record* record = call;
    snprintf(out, size, ": \"%.100s\"", sett_component_name(world, record->event));
}

sett_status sett_cmd_event(sett_commands* commands, sett_entity entity, sett_route route,
                           sett_component event, const void* value)
{
    static const setti_command_kind kind = {"send to", event_apply, event_print};
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = sett_commands_world(commands);
    const setti_type* type = setti_world_type(world, event);
    if (type == NULL) {
        setti_world_misuse(world, SETT_STATUS_UNREGISTERED, __func__, entity, event);
        return SETT_STATUS_UNREGISTERED;
    }
    const char* wrong = event_wrong(route, type, value);
    if (wrong != NULL) {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, "%s: event \"%.100s\": %s", __func__,
                                type->desc.name, wrong);
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status;
    setti_commands_check_handle(commands, entity, event, __func__);
    event_record* record =
        setti_commands_call(commands, entity, &kind, EVENT_HEAD + type->desc.size, &status);
    if (record != NULL) {
        record->route = route;
        record->event = event;
        if (value != NULL) {
            memcpy((char*)record + EVENT_HEAD, value, type->desc.size);
        }
    }
    return status;
}
