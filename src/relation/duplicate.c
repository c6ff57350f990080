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
    const sett_duplicate_desc* desc = setti_world_desc(world, given != NULL ? given : &defaults,
                                                       given != NULL ? size : sizeof(full), &full,
                                                       sizeof(full), "sett_duplicate");
    if (desc == NULL) {
        return sett_null();
    }
    setti_clone clone = {.desc = {.call = "sett_duplicate", .root = entity},
                         .from = world,
                         .to = desc->to != NULL ? desc->to : world,
                         .alone = desc->alone,
                         .count = 1};
    sett_entity copy = sett_null();
    if (setti_world_check_unlocked(clone.to, clone.desc.call) != SETT_OK) {
        return copy;
    }
    if (!sett_entity_valid(world, entity)) {
        setti_world_fail(clone.to, SETT_STATUS_STALE, clone.desc.call, entity, 0);
        return copy;
    }
    if (clone.to == world) {
        setti_type* tag = world->hidden[SETTI_HIDDEN_PREFAB];
        uint32_t parent = setti_hierarchy_parent(world, entity.index);
        bool below_prefab = tag != NULL && parent != SETTI_NO_LINK &&
                            setti_storage_has(&tag->storage, setti_link_index(parent));
        clone.tag = below_prefab ? tag : NULL;
    }
    if (setti_clone_run(&clone, &copy) != SETT_OK) {
        return sett_null();
    }
    if (desc->lost != NULL) {
        *desc->lost = clone.to != world ? clone.merge.lost : 0;
    }
    return copy;
}
