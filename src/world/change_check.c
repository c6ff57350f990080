/* change_check.c: checks whether a change of a component is allowed, and reports rejected changes.
 *
 * Invariant:  a check changes nothing in the world but the world's error
 */
#include "world/change.h"

setti_type* setti_change_check(sett_world* world, sett_entity entity, sett_component component,
                               const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    if (setti_entity_signature(&world->entities, entity) == NULL) {
        setti_world_fail(world, SETT_STATUS_STALE, call, entity, component);
        return NULL;
    }
    if (type == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, entity, component);
    }
    return type;
}

setti_type* setti_change_check_type(sett_world* world, sett_component component, const char* call)
{
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, sett_null(), component);
    }
    return type;
}

setti_type* setti_change_check_access(const sett_world* world, sett_entity entity,
                                      sett_component component, const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (type != NULL) {
        setti_world_touch(world, entity, component, SETTI_ACCESS_WRITE, call);
    }
    return type;
}

SETTI_COLD sett_status setti_change_reject_linked(sett_world* world, const setti_type* type,
                                                  const char* call)
{
    bool marks_singletons = (type->flags & SETTI_TYPE_ONE) != 0;
    if (marks_singletons) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: \"%.100s\" marks the entity of the singletons, and only the library "
            "adds it - call sett_singletons to get that entity",
            call, type->desc.name);
    }
    return setti_world_fail_with(
        world, SETT_STATUS_ARGUMENT,
        "%s: \"%.100s\" belongs to a relationship - use sett_relate and sett_unrelate", call,
        type->desc.name);
}

SETTI_COLD void setti_change_report_tag(const sett_world* world, const setti_type* type,
                                        const char* call)
{
    setti_world_misuse_with(world, SETT_STATUS_ARGUMENT,
                            "%s: \"%.100s\" is a tag: the value is ignored - pass NULL", call,
                            type->desc.name);
}
