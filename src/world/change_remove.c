/* change_remove.c: sett_remove, sett_entity_clear and sett_component_clear: entities lose
 * components.
 *
 * The workload: plain types, by a transition that the type remembers from a moment before. The fast
 * path is in line in sett_remove, as in sett_add (change_add.c). The slow path,
 * setti_change_remove, also removes the types that require the type, and runs callbacks.
 *
 * Invariant:  a failed call leaves the world unchanged
 */
#include "world/change.h"

/* Removes a type with any storage by the remembered transition. */
SETTI_APART static sett_status fast_remove_any(sett_world* world, setti_type* type, uint32_t index,
                                               uint32_t* signature)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    SETTI_ASSERT(setti_type_removed(type, *signature)->from == *signature);
    setti_edit_write_signature(world, index, signature, setti_type_removed(type, *signature)->to);
    setti_storage_erase(&world->pool, &type->storage, index);
    return SETT_OK;
}

/* Returns true if certainly no other type of an entity with the signature requires the type: then
 * the type is removed alone. */
static bool fast_is_removed_alone(const sett_world* world, const setti_type* type,
                                  uint32_t signature)
{
    if ((type->flags & (SETTI_TYPE_REQUIRED_APART | SETTI_TYPE_DONT_FRAGMENT)) != 0) {
        return false; /* not certain, because signatures do not have dont_fragment types */
    }
    for (uint32_t k = 0; k < type->dependants.count; k++) {
        if (setti_signature_has(&world->signatures, signature, type->dependants.item[k]->id)) {
            return false;
        }
    }
    return true;
}

/* Removes by the slow path, and remembers the transition. */
SETTI_APART static sett_status fast_remove_slow(sett_world* world, setti_type* type,
                                                sett_entity entity)
{
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    uint32_t before = 0; /* the signature before the change */
    bool alone = false;  /* no other type is removed together with the type */
    if (SETTI_FAST_PATHS && signature != NULL && world->locks == 0) {
        before = *signature;
        alone = fast_is_removed_alone(world, type, before);
    }
    sett_status status = setti_change_remove(world, entity, type->id);
    if (status != SETT_OK || !alone) {
        return status;
    }
    uint32_t after = *signature;
    if (after != before && setti_edit_has_no_listener(world, before, after)) {
        setti_type_removed(type, before)->from = before;
        setti_type_removed(type, before)->to = after;
    }
    return SETT_OK;
}

/* Returns true if another type of the entity may require the type. If the type remembers the
 * transition, no other type requires it: only removals of the type alone are remembered. */
static bool fast_may_be_required(setti_type* type, uint32_t signature)
{
    if ((type->flags & SETTI_TYPE_REQUIRED) == 0) {
        return false;
    }
    bool remembered = setti_type_removed(type, signature)->from == signature;
    return (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0 || !remembered;
}

/* Does sett_remove if the path in line is impossible. Takes a fast path nevertheless if it can. */
static sett_status fast_remove_long(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(world->profiling)) {
        type->use.removed++;
    }
    const uint32_t slow = SETTI_TYPE_REQUIRED_APART | SETTI_TYPE_REMOVE_HOOKS;
    if (!SETTI_FAST_PATHS || signature == NULL || world->locks != 0) {
        return fast_remove_slow(world, type, entity);
    }
    if ((type->flags & slow) != 0 || fast_may_be_required(type, *signature)) {
        return fast_remove_slow(world, type, entity);
    }
    if (!setti_storage_has(&type->storage, entity.index)) {
        return fast_remove_slow(world, type, entity);
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) { /* signatures and groups do not change */
        setti_storage_erase(&world->pool, &type->storage, entity.index);
        return SETT_OK;
    }
    setti_transition* removed = setti_type_removed(type, *signature);
    if (removed->from != *signature) {
        uint32_t after = setti_signature_edge(&world->signatures, *signature, type->id);
        if (after == SETTI_NONE || !setti_edit_has_no_listener(world, *signature, after)) {
            return fast_remove_slow(world, type, entity);
        }
        removed->from = *signature;
        removed->to = after;
    }
    return fast_remove_any(world, type, entity.index, signature);
}

/* Does sett_remove for an unregistered type, or while use is profiled. */
SETTI_COLD static sett_status fast_remove_unknown(sett_world* world, sett_entity entity,
                                                  sett_component component)
{
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_change_remove(world, entity, component);
    }
    return fast_remove_long(world, type, entity);
}

/* Does the rest of fast_remove_marked if the erased value was the last in its word of bits. Returns
 * SETT_OK. */
SETTI_APART static sett_status fast_finish_emptied(sett_world* world, setti_type* type,
                                                   uint32_t index)
{
    setti_array_word_emptied(&world->pool, &type->storage, index);
    return SETT_OK;
}

/* Erases the row of an array or tag by the remembered transition. */
SETTI_INLINE sett_status fast_remove_marked(sett_world* world, setti_type* type, uint32_t index,
                                            uint32_t* signature)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    SETTI_ASSERT(setti_type_removed(type, *signature)->from == *signature);
    setti_storage* storage = &type->storage;
    (void)setti_entity_try_mark(&world->pool, &world->entities, index, SETTI_NO_COW);
    *signature = setti_type_removed(type, *signature)->to;
    setti_erased erased = setti_array_erase_no_cow(&world->pool, storage, index);
    /* If an entity gets and loses the component in turns, the page is the spare page already. Then
     * nothing is to be done for an emptied word. */
    if (SETTI_LIKELY(erased == SETTI_ERASED) || storage->spare == index >> storage->shift) {
        return SETT_OK;
    }
    return fast_finish_emptied(world, type, index);
}

/* Like fast_remove_marked, while snapshots are held. */
SETTI_APART static sett_status fast_remove_cow(sett_world* world, setti_type* type, uint32_t index,
                                               uint32_t* signature)
{
    const setti_pages* presence = &type->storage.presence;
    if (setti_entity_try_mark(&world->pool, &world->entities, index, SETTI_COW) &&
        setti_pages_try_mark(&world->pool, presence, index >> SETTI_BITS_SHIFT, SETTI_COW)) {
        return fast_remove_marked(world, type, index, signature);
    }
    return fast_remove_any(world, type, index, signature);
}

/* Erases the row of an array or tag. */
SETTI_INLINE sett_status fast_remove_row(sett_world* world, setti_type* type, uint32_t index,
                                         uint32_t* signature)
{
    if (SETTI_LIKELY(world->pool.cow_from == 0)) {
        return fast_remove_marked(world, type, index, signature);
    }
    return fast_remove_cow(world, type, index, signature);
}

/* Unlinks and deinitialises a value. */
SETTI_APART static void fast_end_value(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    if (type->cascade != NULL) {
        type->cascade->unlink(world, type, index);
    }
    setti_edit_deinit_value(world, type, index);
}

/* The fast path of sett_remove for a type with hooks, callbacks or a cascade. */
SETTI_APART static sett_status fast_remove_notified(sett_world* world, setti_type* type,
                                                    sett_entity entity, uint32_t* signature)
{
    if (setti_edit_has_callbacks(type, SETTI_ON_REMOVE)) {
        setti_edit_call_unlocked(world, type, SETTI_ON_REMOVE, entity,
                                 setti_storage_at(&type->storage, entity.index));
    }
    if ((type->flags & (SETTI_TYPE_CASCADES | SETTI_TYPE_DEINIT)) != 0) {
        fast_end_value(world, type, entity.index);
    }
    return fast_remove_row(world, type, entity.index, signature);
}

sett_status sett_remove(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || type == NULL)) {
        return fast_remove_unknown(world, entity, component);
    }
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_SLOW_REMOVE) != 0 ||
                       type->storage.kind == SETTI_SPARSE)) {
        return fast_remove_long(world, type, entity);
    }
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(signature == NULL || world->locks != 0 ||
                       setti_type_removed(type, *signature)->from != *signature)) {
        return fast_remove_long(world, type, entity);
    }
    if (SETTI_LIKELY((type->flags & SETTI_TYPE_REMOVE_HOOKS) == 0)) {
        return fast_remove_row(world, type, entity.index, signature);
    }
    return fast_remove_notified(world, type, entity, signature);
}

/* Returns the k-th of the types to remove together: number 0 is `type`, and the others are its
 * dependants. Callers count k down to 0, so the last dependant is removed first, and `type` last.
 * There is one exception: the tag `off`, the first dependant, is removed after `type`. */
static setti_type* change_removed_with(setti_type* type, uint32_t k)
{
    SETTI_ASSERT(type->off == NULL || type->dependants.item[0] == type->off);
    SETTI_ASSERT(k <= type->dependants.count);
    if (type->off != NULL && k <= 1) {
        /* swaps numbers 0 and 1: if the tag were removed first, the type would be on for a
         * moment */
        k = 1 - k;
    }
    if (k == 0) {
        return type;
    }
    return type->dependants.item[k - 1];
}

/* Reserves memory to remove a type and its dependants. *signature is the signature before the
 * removals, and becomes the signature after them. Returns false if memory runs out. */
static bool change_reserve_removals(sett_world* world, setti_type* type, uint32_t index,
                                    uint32_t* signature)
{
    sett_entity entity = {index, 0};
    for (uint32_t k = type->dependants.count + 1; k-- > 0;) {
        setti_type* removed = change_removed_with(type, k);
        /* the entity may lack a dont_fragment type: memory is reserved all the same */
        bool dont_fragment = (removed->flags & SETTI_TYPE_DONT_FRAGMENT) != 0;
        if (!dont_fragment && !setti_signature_has(&world->signatures, *signature, removed->id)) {
            continue;
        }
        setti_edit edit = setti_edit_of_removed(world, &entity, *signature, removed);
        *signature = edit.to;
        if (!setti_edit_reserve_at(world, &edit, index)) {
            return false;
        }
    }
    return true;
}

/* Removes a type and its dependants. change_reserve_removals has reserved the memory. */
static void change_remove_reserved(sett_world* world, setti_type* type, sett_entity entity)
{
    for (uint32_t k = type->dependants.count + 1; k-- > 0;) {
        setti_type* removed = change_removed_with(type, k);
        if (setti_storage_has(&removed->storage, entity.index)) {
            uint32_t signature = *setti_entity_signature(&world->entities, entity);
            setti_edit edit = setti_edit_of_removed(world, &entity, signature, removed);
            SETTI_ASSERT(edit.to != SETTI_NONE);
            setti_edit_run(world, &edit);
        }
    }
}

/* Removes a type and its dependants. Returns false if memory runs out: then nothing is removed. */
static bool change_remove(sett_world* world, setti_type* type, sett_entity entity)
{
    setti_edit_settle(world);
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    if (!change_reserve_removals(world, type, entity.index, &signature)) {
        return false;
    }
    change_remove_reserved(world, type, entity);
    return true;
}

bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    uint32_t signature = setti_entity_set_of(&world->entities, index);
    return change_reserve_removals(world, type, index, &signature);
}

void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    change_remove_reserved(world, type, setti_entity_at(&world->entities, index));
}

/* Finds the next stranded type of a signature: a type whose links all lead to dying entities. Looks
 * from the type number *k on, and sets *k to the number after the found type. Returns NULL if there
 * is no such type.
 *   signature  the number of the signature */
static setti_type* change_next_stranded(const sett_world* world, uint32_t signature, uint32_t index,
                                        uint32_t* k)
{
    SETTI_ASSERT((signature & SETTI_DYING) == 0);
    while (signature != 0 && *k < world->signatures.record[signature].count) {
        setti_type* type = world->types[world->signatures.record[signature].types[(*k)++]];
        if (type->cascade == NULL || type->cascade->stranded == NULL) {
            continue;
        }
        if (setti_storage_has(&type->storage, index) &&
            type->cascade->stranded(world, type, index)) {
            return type;
        }
    }
    return NULL;
}

/* Reserves the removals in the order in which setti_change_remove_stranded removes: the memory that
 * is needed depends on the order. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index)
{
    uint32_t signature = setti_entity_set_of(&world->entities, index);
    uint32_t after = signature; /* the signature after the removals */
    uint32_t k = 0;
    setti_type* type;
    while ((type = change_next_stranded(world, signature, index, &k)) != NULL) {
        if (!change_reserve_removals(world, type, index, &after)) {
            return false;
        }
    }
    return true;
}

void setti_change_remove_stranded(sett_world* world, uint32_t index)
{
    uint32_t signature = setti_entity_set_of(&world->entities, index);
    uint32_t k = 0;
    setti_type* type;
    while ((type = change_next_stranded(world, signature, index, &k)) != NULL) {
        change_remove_reserved(world, type, setti_entity_at(&world->entities, index));
    }
}

SETTI_COLD sett_status setti_change_remove(sett_world* world, sett_entity entity,
                                           sett_component component)
{
    static const char call[] = "sett_remove";
    setti_type* type = setti_change_check(world, entity, component, call);
    if (type == NULL) {
        return world->error;
    }
    if (!setti_storage_has(&type->storage, entity.index)) {
        return SETT_STATUS_ABSENT; /* not reported, because this is no misuse */
    }
    if ((type->flags & SETTI_TYPE_STAYS) != 0) {
        return setti_change_reject_linked(world, type, call);
    }
    if (!change_remove(world, type, entity)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, component);
    }
    return SETT_OK;
}

/* Returns true if a signature has a type with SETTI_TYPE_STAYS. */
static bool change_has_staying(const sett_world* world, uint32_t signature)
{
    SETTI_ASSERT(signature == 0 || signature < world->signatures.count);
    for (uint32_t k = 0; signature != 0 && k < world->signatures.record[signature].count; k++) {
        const setti_type* type = world->types[world->signatures.record[signature].types[k]];
        if ((type->flags & SETTI_TYPE_STAYS) != 0) {
            return true;
        }
    }
    return false;
}

/* Removes all components from an entity, except those with SETTI_TYPE_STAYS. Returns false if
 * memory runs out. */
SETTI_COLD static bool change_clear_unless_staying(sett_world* world, sett_entity entity)
{
    SETTI_ASSERT(world->cascading != 0 && world->locks == 0);
    setti_edit_settle(world);
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    uint32_t after = signature; /* the signature after the removals that are reserved so far */
    for (uint32_t k = world->signatures.record[signature].count; k-- > 0;) {
        setti_type* type = world->types[world->signatures.record[signature].types[k]];
        if ((type->flags & SETTI_TYPE_STAYS) == 0 &&
            !change_reserve_removals(world, type, entity.index, &after)) {
            return false;
        }
    }
    for (uint32_t k = world->signatures.record[signature].count; k-- > 0;) {
        setti_type* type = world->types[world->signatures.record[signature].types[k]];
        if ((type->flags & SETTI_TYPE_STAYS) == 0 &&
            setti_storage_has(&type->storage, entity.index)) { /* not removed as a dependant */
            change_remove_reserved(world, type, entity);
        }
    }
    for (uint32_t k = world->dont_fragment.count; k-- > 0;) { /* these need no reservation */
        if (setti_storage_has(&world->dont_fragment.item[k]->storage, entity.index)) {
            change_remove_reserved(world, world->dont_fragment.item[k], entity);
        }
    }
    return true;
}

sett_status sett_entity_clear(sett_world* world, sett_entity entity)
{
    sett_status status = setti_world_check_unlocked(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        return setti_world_fail(world, SETT_STATUS_STALE, __func__, entity, 0);
    }
    if (world->cascading != 0 && change_has_staying(world, *signature)) {
        if (!change_clear_unless_staying(world, entity)) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, entity, 0);
        }
        return SETT_OK;
    }
    setti_edit edit = {.entities = &entity, .count = 1, .from = *signature, .removes_all = true};
    setti_edit_run(world, &edit);
    return SETT_OK;
}

sett_status setti_change_clear_type(sett_world* world, setti_type* type, const char* call)
{
    if ((type->flags & SETTI_TYPE_STAYS) != 0) {
        return setti_change_reject_linked(world, type, call);
    }
    SETTI_EACH_INDEX(index, &type->storage) {
        if (!change_remove(world, type, setti_entity_at(&world->entities, index))) {
            return setti_world_fail_with(
                world, SETT_STATUS_OUT_OF_MEMORY,
                "%s: component %u \"%.100s\": the allocator returned NULL; "
                "%u entities still have the component - free memory, and "
                "repeat the call",
                call, (unsigned)type->id, type->desc.name, (unsigned)type->storage.count);
        }
    }
    return SETT_OK;
}

sett_status sett_component_clear(sett_world* world, sett_component component)
{
    setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL) {
        return setti_world_failure(world);
    }
    return setti_change_clear_type(world, type, __func__);
}
