/* duplicate.c: copies of entities; clone.c makes them. */
#include "sett/duplicate.h"
#include "relation/clone.h"
#include "relation/hierarchy.h"
#include "relation/prefab.h"
#include "sett/prefab.h"

sett_entity sett_duplicate_sized(sett_world* world, sett_entity entity,
                                 const sett_duplicate_desc* given, size_t size)
{
    static const sett_duplicate_desc defaults;
    sett_duplicate_desc full;
    if (given == NULL) {
        given = &defaults;
        size = sizeof(defaults);
    }
    const sett_duplicate_desc* desc =
        setti_world_desc(world, given, size, &full, sizeof(full), "sett_duplicate");
    if (desc == NULL) {
        return sett_null();
    }
    sett_world* to_world = desc->to != NULL ? desc->to : world;
    setti_clone clone = {.desc = {.call = "sett_duplicate", .root = entity},
                         .from = world,
                         .to = to_world,
                         .alone = desc->alone,
                         .count = 1};
    sett_entity copy = sett_null();
    if (setti_world_check_unlocked(to_world, clone.desc.call) != SETT_OK) {
        return sett_null();
    }
    if (!sett_entity_valid(world, entity)) {
        setti_world_fail(to_world, SETT_STATUS_STALE, clone.desc.call, entity, 0);
        return sett_null();
    }
    if (to_world == world) {
        setti_type* tag = world->hidden[SETTI_HIDDEN_PREFAB];
        uint32_t parent = setti_hierarchy_parent(world, entity.index);
        bool in_prefab = tag != NULL && parent != SETTI_NO_LINK &&
                         setti_storage_has(&tag->storage, setti_link_index(parent));
        clone.tag = in_prefab ? tag : NULL; /* the copy becomes a child of the same parent */
    }
    if (setti_clone_run(&clone, &copy) != SETT_OK) {
        return sett_null();
    }
    if (desc->lost != NULL) {
        *desc->lost = to_world != world ? clone.merge.lost : 0;
    }
    return copy;
}
