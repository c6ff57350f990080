/* guard.c: telling when a system touches what it did not declare. While a system is watched, the
 * table of types that short paths read looks empty, as it does while use is recorded: every access
 * goes the long way, and there it is looked at. Nobody else pays.
 *
 * What was reported is added to the system's access with SETTI_ACCESS_REPORTED, so that a component
 * is reported once; the schedule does not see it, because it asks for other flags.
 */
#include "run/run.h"

#include <stdio.h>

static const char* guard_verb(uint32_t access)
{
    if (access == SETTI_ACCESS_PRESENCE) {
        return "asks for";
    }
    return access == SETTI_ACCESS_READ ? "reads" : "writes";
}

static uint32_t guard_sufficient(uint32_t access)
{
    if (access == SETTI_ACCESS_PRESENCE) {
        return SETTI_ACCESS_PRESENCE | SETTI_ACCESS_READS;
    }
    return access == SETTI_ACCESS_READ ? SETTI_ACCESS_READS : SETTI_ACCESS_WRITES;
}

static void guard_remember(sett_system* system, sett_component component)
{
    for (uint32_t k = 0; k < system->access_count; k++) {
        if (system->access[k].component == component) {
            system->access[k].flags |= SETTI_ACCESS_REPORTED;
            return;
        }
    }
    if (system->access_count < system->access_capacity) {
        system->access[system->access_count].component = component;
        system->access[system->access_count++].flags = SETTI_ACCESS_REPORTED;
    }
}

static void guard_touch(const setti_guard* guard, const sett_world* world, sett_component component,
                        uint32_t access, const char* call)
{
    sett_system* system = world->run->guarded;
    uint32_t flags = setti_system_access(system, component);
    char message[SETTI_MESSAGE_SIZE];
    (void)guard;
    if ((flags & (guard_sufficient(access) | SETTI_ACCESS_REPORTED)) != 0) {
        return;
    }
    guard_remember(system, component);
    snprintf(message, sizeof(message),
             "%s: system \"%.100s\" %s \"%.100s\", which it did not declare: what it is scheduled "
             "beside may write or read it at the same time; add it to the terms, `reads`, `writes` "
             "or `random`",
             call, system->name, guard_verb(access), sett_component_name(world, component));
    world->log_fn(world->hook_user, SETT_LOG_ERROR, message);
    if (world->assert_fn != NULL) {
        world->assert_fn(world->hook_user, SETT_STATUS_CONFLICT, message);
    }
}

void setti_guard_check_query(const sett_world* world, const sett_query* query)
{
    for (uint32_t k = 0; world->guard != NULL && k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        uint32_t access = SETTI_ACCESS_PRESENCE;
        if (term->access != SETT_NONE && term->type->storage.size != 0) {
            access = term->access == SETT_IN ? SETTI_ACCESS_READ : SETTI_ACCESS_WRITE;
        }
        guard_touch(world->guard, world, term->type->id, access, "sett_context_query");
    }
}

void setti_guard_watch(sett_world* world, sett_system* system)
{
    setti_run* run = world->run;
    run->guard.touch = guard_touch;
    run->guarded = system;
    world->guard = system != NULL ? &run->guard : NULL;
    world->hot_capacity = system != NULL || world->recording ? 0 : world->type_capacity;
}
