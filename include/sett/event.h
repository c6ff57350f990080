/* event.h: events of your own, such as Damage. The type of an event is a component type. The value
 * is the payload; entities do not need this component. Observers with on_event receive events.
 *
 * sett_event_send runs the observers at once, and stores nothing. sett_cmd_event does so when
 * commands are applied. on_add, on_set and on_remove observe changes of components instead
 * (observer.h). For an event that systems see during a whole frame, set a component and remove it
 * again (examples/cookbook/one_frame_events.c).
 *
 *     typedef struct Damage {
 *         int points;
 *         sett_entity by;
 *     } Damage;
 *
 *     static void hurt(sett_world* world, sett_entity entity, void* value, void* user)
 *     {
 *         Damage* damage = value;
 *         SETT_GET_MUT(world, entity, Health)->points -= damage->points;
 *     }
 *
 *     sett_observer_create(world, &(sett_observer_desc){.component = Damage_id,
 *                                                       .on_event = hurt,
 *                                                       .terms = {SETT_WITH(Health)}});
 *     SETT_EVENT_SEND(world, orc, SETT_ROUTE_ENTITY, Damage, .points = 3);
 *
 * An event about the whole game can be sent to sett_singletons(world) (singleton.h). A system
 * records it with sett_cmd_event; it can call sett_singletons once there is a singleton.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_EVENT_H
#define SETT_EVENT_H

#include "sett/core.h"

/* Which entities an event is sent to, one after another. */
typedef enum sett_route {
    SETT_ROUTE_ENTITY, /* the entity */
    SETT_ROUTE_UP,     /* the entity, its parent, and so on to the root (hierarchy.h) */
    SETT_ROUTE_DOWN    /* the entity and its descendants, parents first */
} sett_route;

/* Sends an event now. For each entity of the route, runs the on_event observers of the component in
 * the order of their creation. Observers can record commands, and can send more events, up to 64
 * deep.
 *   event  the component type of the payload
 *   value  the payload; NULL only for a tag. Each entity gets a copy. If an observer changes the
 *          copy, later observers of the same entity see the change
 * Without observers it returns OK, and nothing reports it: a sender need not know who listens.
 * Fails: STALE, UNREGISTERED, ARGUMENT (NULL for a type with a value; a type with the hooks deinit
 * or copy; an unknown route), LIMIT (too deep), LOCKED (systems run in parallel: use
 * sett_cmd_event), OUT_OF_MEMORY (only for payloads above 256 bytes).
 * Cost: about 90 instructions without observers; a copy for each entity, a call for each observer.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_event_send(sett_world* world, sett_entity entity, sett_route route,
                                     sett_component event, const void* value);

/* Records sett_event_send with a copy of the payload (commands: core.h). The command is skipped if
 * the entity is dead when it is applied.
 * Fails: OUT_OF_MEMORY, UNREGISTERED, ARGUMENT (as sett_event_send), LOCKED.
 * Threads: as recording. Since: 0.2 */
SETT_API sett_status sett_cmd_event(sett_commands* commands, sett_entity entity, sett_route route,
                                    sett_component event, const void* value);

/* Send and record events by C type; `...` are the members of the payload. */
#if defined(__cplusplus)
extern "C++" {
template <typename T>
static inline sett_status sett_event_send_(sett_world* world, sett_entity entity, sett_route route,
                                           sett_component event, const char* type, T value)
{
    bool right = sett_component_check_change_(world, event, sizeof(T), type, "SETT_EVENT_SEND");
    return right ? sett_event_send(world, entity, route, event, &value) : SETT_STATUS_ARGUMENT;
}
template <typename T>
static inline sett_status sett_cmd_event_(sett_commands* commands, sett_entity entity,
                                          sett_route route, sett_component event, const char* type,
                                          T value)
{
    bool right = sett_component_check_type_(sett_commands_world(commands), event, sizeof(T), type,
                                            "SETT_CMD_EVENT");
    return right ? sett_cmd_event(commands, entity, route, event, &value) : SETT_STATUS_ARGUMENT;
}
}
#define SETT_EVENT_SEND(world, entity, route, T, ...)                                              \
    sett_event_send_<T>((world), (entity), (route), T##_id, #T, T{__VA_ARGS__})
#define SETT_CMD_EVENT(commands, entity, route, T, ...)                                            \
    sett_cmd_event_<T>((commands), (entity), (route), T##_id, #T, T{__VA_ARGS__})
#else
static inline sett_status sett_event_send_(sett_world* world, sett_entity entity, sett_route route,
                                           sett_component event, size_t size, const char* type,
                                           const void* value)
{
    bool right = sett_component_check_change_(world, event, size, type, "SETT_EVENT_SEND");
    return right ? sett_event_send(world, entity, route, event, value) : SETT_STATUS_ARGUMENT;
}

static inline sett_status sett_cmd_event_(sett_commands* commands, sett_entity entity,
                                          sett_route route, sett_component event, size_t size,
                                          const char* type, const void* value)
{
    bool right = sett_component_check_type_(sett_commands_world(commands), event, size, type,
                                            "SETT_CMD_EVENT");
    return right ? sett_cmd_event(commands, entity, route, event, value) : SETT_STATUS_ARGUMENT;
}
#define SETT_EVENT_SEND(world, entity, route, T, ...)                                              \
    sett_event_send_((world), (entity), (route), T##_id, sizeof(T), #T, &(T){__VA_ARGS__})
#define SETT_CMD_EVENT(commands, entity, route, T, ...)                                            \
    sett_cmd_event_((commands), (entity), (route), T##_id, sizeof(T), #T, &(T){__VA_ARGS__})
#endif

#endif
