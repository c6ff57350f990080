/* cleanup.c: when an entity is destroyed, handles the entities at the other ends of its links.
 *
 * Destroying has four steps (change_destroy.c). `collect` finds more entities to destroy.
 * `validate` rejects the destruction, or reserves memory for `detach`, which removes links from
 * surviving entities. Then each collected entity is destroyed, and `unlink` removes its links from
 * the lists. Nothing changes before all `validate` calls have succeeded. Each entity is collected
 * once, so cycles of relationships end.
 *
 *     policy       the step that handles the entity at the other end
 *     destroy      collect: destroys the entity too
 *     reject       validate: fails unless the entity has been collected
 *     remove       a target is destroyed: validate reserves memory, detach removes the link;
 *                  a source is destroyed: unlink removes the link
 */
#include "relation/chain.h"
#include "relation/prefab.h"
#include "relation/recipe.h"

/* If the policy is `destroy`, collects the entities at the other ends of an entity's links. */
static void cleanup_collect(sett_world* world, const setti_relation* relation, uint32_t index,
                            setti_link_side side, sett_cleanup policy)
{
    if (policy != SETT_CLEANUP_DESTROY) {
        return;
    }
    uint32_t place = setti_chain_first(relation, index, side);
    for (; place != SETTI_NONE; place = setti_chain_next(relation, place, side)) {
        setti_change_collect(world, setti_chain_end(relation, place, side));
    }
}

/* Fails because a link between a dying entity and a survivor has the policy `reject`. */
SETTI_COLD static sett_status cleanup_reject(sett_world* world, const setti_relation* relation,
                                             sett_entity source, sett_entity target,
                                             sett_entity survivor)
{
    return setti_world_fail_with(
        world, SETT_STATUS_REJECTED,
        "%s: a \"%.100s\" link with the policy SETT_CLEANUP_REJECT leads from entity "
        "%u:%u to entity %u:%u - first remove the link, or destroy entity %u:%u",
        setti_change_destroyer(world), relation->links->desc.name, SETTI_HANDLE(source),
        SETTI_HANDLE(target), SETTI_HANDLE(survivor));
}

/* Fails if an entity at the other end of a link survives. The policy is `reject`. */
static sett_status cleanup_validate(sett_world* world, const setti_relation* relation,
                                    uint32_t index, setti_link_side side)
{
    SETTI_ASSERT(setti_change_is_dying(world, index));
    sett_entity dying = setti_entity_at(&world->entities, index);
    uint32_t place = setti_chain_first(relation, index, side);
    for (; place != SETTI_NONE; place = setti_chain_next(relation, place, side)) {
        uint32_t other = setti_chain_end(relation, place, side);
        if (setti_change_is_dying(world, other)) {
            continue;
        }
        sett_entity survivor = setti_entity_at(&world->entities, other);
        if (side == SETTI_TARGETS) {
            return cleanup_reject(world, relation, dying, survivor, survivor);
        }
        return cleanup_reject(world, relation, survivor, dying, survivor);
    }
    return SETT_OK;
}

static sett_status source_collect(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_relation* relation = setti_relation_of_links(type);
    cleanup_collect(world, relation, index, SETTI_TARGETS, relation->desc.on_source_destroyed);
    return SETT_OK;
}

static sett_status source_validate(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_relation* relation = setti_relation_of_links(type);
    if (relation->desc.on_source_destroyed != SETT_CLEANUP_REJECT) {
        return SETT_OK;
    }
    return cleanup_validate(world, relation, index, SETTI_TARGETS);
}

/* Removes a source's links from the lists, before the source loses the component. */
static void source_unlink(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    setti_relation* relation = setti_relation_of_links(type);
    void* value = setti_storage_find_mut(&world->pool, &type->storage, index);
    if (!relation->many) {
        setti_chain_unlink(relation, value);
        return;
    }
    const sett_links* targets = value;
    while (targets->count != 0) {
        setti_chain_delete(relation, targets->last_);
    }
}

static sett_status target_collect(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_relation* relation = setti_relation_of_ends(type);
    cleanup_collect(world, relation, index, SETTI_SOURCES, relation->desc.on_target_destroyed);
    return SETT_OK;
}

/* Returns true if all targets of a surviving source are being destroyed. */
static bool source_is_stranded(const sett_world* world, const setti_type* type, uint32_t index)
{
    SETTI_ASSERT(!setti_change_is_dying(world, index));
    const setti_relation* relation = setti_relation_of_links(type);
    uint32_t place = setti_chain_first(relation, index, SETTI_TARGETS);
    for (; place != SETTI_NONE; place = setti_chain_next(relation, place, SETTI_TARGETS)) {
        if (!setti_change_is_dying(world, setti_chain_end(relation, place, SETTI_TARGETS))) {
            return false;
        }
    }
    return true;
}

/* Returns true if the link at `place` is the last one in the list of its source. This is true for
 * one link of each source. */
static bool cleanup_is_last_link(const setti_relation* relation, uint32_t source, uint32_t place)
{
    const sett_links* targets = setti_storage_find(&relation->links->storage, source);
    return !relation->many || targets->last_ == place;
}

/* Reserves memory to remove the links to a target, or rejects the destruction. */
static sett_status target_validate(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_change_is_dying(world, index));
    const setti_relation* relation = setti_relation_of_ends(type);
    if (relation->desc.on_target_destroyed == SETT_CLEANUP_REJECT) {
        return cleanup_validate(world, relation, index, SETTI_SOURCES);
    }
    uint32_t place = setti_chain_first(relation, index, SETTI_SOURCES);
    for (; place != SETTI_NONE; place = setti_chain_next(relation, place, SETTI_SOURCES)) {
        uint32_t source = setti_chain_source(relation, place);
        /* Reserves once for each source: setti_change_reserve_stranded visits all links of it. */
        if (setti_change_is_dying(world, source) ||
            !cleanup_is_last_link(relation, source, place)) {
            continue;
        }
        if (!setti_change_reserve_stranded(world, source)) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, setti_change_destroyer(world),
                                    setti_entity_at(&world->entities, source), relation->links->id);
        }
    }
    return SETT_OK;
}

/* Removes the links from surviving sources to a destroyed target. */
static void target_detach(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_change_is_dying(world, index));
    setti_relation* relation = setti_relation_of_ends(type);
    uint32_t place = setti_chain_first(relation, index, SETTI_SOURCES);
    while (place != SETTI_NONE) {
        uint32_t next = setti_chain_next(relation, place, SETTI_SOURCES);
        uint32_t source = setti_chain_source(relation, place);
        if (!setti_change_is_dying(world, source)) {
            if (!setti_chain_delete_one(relation, place)) { /* the only link of the source */
                setti_change_remove_stranded(world, source);
            }
            /* The last record has moved to `place`. It may have been the next one to visit. */
            if (relation->many && next == relation->record_count) {
                next = place;
            }
        }
        place = next;
    }
}

/* Does nothing, because source_unlink removes the links. */
static void target_unlink(sett_world* world, setti_type* type, uint32_t index)
{
    (void)world;
    (void)type;
    (void)index;
}

/* Reserves memory to remove a target's links from all sources. Returns false if memory runs out. */
static bool cleanup_reserve_sources(sett_world* world, const setti_relation* relation,
                                    uint32_t index)
{
    uint32_t place = setti_chain_first(relation, index, SETTI_SOURCES);
    for (; place != SETTI_NONE; place = setti_chain_next(relation, place, SETTI_SOURCES)) {
        if (!setti_change_reserve_remove(world, relation->links,
                                         setti_chain_source(relation, place))) {
            return false;
        }
    }
    return true;
}

/* Removes a target's links from all sources, in reserved memory. */
static void cleanup_remove_sources(sett_world* world, setti_relation* relation, uint32_t index)
{
    uint32_t place = setti_chain_first(relation, index, SETTI_SOURCES);
    while (place != SETTI_NONE) {
        if (!setti_chain_delete_one(relation, place)) { /* the only link of the source */
            setti_change_remove_reserved(world, relation->links,
                                         setti_chain_source(relation, place));
        }
        place = setti_chain_first(relation, index, SETTI_SOURCES);
    }
}

sett_status sett_unrelate_sources(sett_world* world, sett_component relationship,
                                  sett_entity target)
{
    setti_relation* relation = setti_relation_check(world, relationship, target, __func__);
    if (relation == NULL) {
        return setti_world_failure(world);
    }
    setti_edit_settle(world);
    setti_edit_pin(world);
    bool reserved = cleanup_reserve_sources(world, relation, target.index);
    if (reserved) {
        cleanup_remove_sources(world, relation, target.index);
    }
    setti_edit_unpin(world);
    if (!reserved) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, target, relationship);
    }
    return SETT_OK;
}

static void source_trim(sett_world* world, setti_type* type)
{
    setti_chain_drop_pairs(setti_relation_of_links(type));
    if (type == world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF]) {
        setti_recipe_drop(world);
    }
}

void setti_cleanup_tie(const setti_relation* relation)
{
    static const setti_cascade source = {.collect = source_collect,
                                         .validate = source_validate,
                                         .stranded = source_is_stranded,
                                         .unlink = source_unlink,
                                         .trim = source_trim};
    static const setti_cascade unlinks = {.stranded = source_is_stranded,
                                          .unlink = source_unlink,
                                          .alone = true,
                                          .trim = source_trim};
    static const setti_cascade target = {.collect = target_collect,
                                         .validate = target_validate,
                                         .detach = target_detach,
                                         .unlink = target_unlink};
    /* If a source's end affects no other entity, the source is not collected, but only unlinked.
     * With many targets each source is collected, because the order of freeing records is
     * visible. */
    bool affects_none = !relation->many &&
                        relation->desc.on_source_destroyed == SETT_CLEANUP_REMOVE &&
                        relation->desc.on_target_destroyed != SETT_CLEANUP_DESTROY;
    setti_component_set_cascade(relation->world, relation->links,
                                affects_none ? &unlinks : &source);
    setti_component_set_cascade(relation->world, relation->sources, &target);
}
