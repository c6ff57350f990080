/* change_add.c: sett_add and sett_ensure: an entity gets a component.
 *
 * The workload: plain types on living entities. The type was added to a similar entity a moment
 * before. So it remembers the transition from the old to the new signature. The fast path is in
 * line in sett_add. It reads the entity and the type, and writes one bit and one signature. The
 * slow path, setti_change_add, handles every case: required types, groups, observers, storages of
 * every kind. After all checks, the slow path makes an edit (edit.h) for each type. It reserves all
 * edits before it carries out the first.
 *
 * A fast path changes the world exactly as the slow path would. If a fast path is impossible, it
 * changes nothing, and the slow path follows. If the library is compiled with SETT_NO_FAST_PATHS,
 * all changes take the slow path: tests run both ways. Slow paths also reject unregistered types.
 *
 * Invariant:  a transition that a type remembers concerns no listener;
 *             the two signatures of the transition differ only in this type;
 *             a failed call leaves the world unchanged
 */
#include "world/change.h"

/* Returns the entity's signature if the type remembers the transition from this signature.
 * Otherwise, and if the handle is stale, returns NULL. */
SETTI_INLINE uint32_t* fast_find_remembered(const sett_world* world, setti_type* type,
                                            sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_LIKELY(signature != NULL && setti_type_added(type, *signature)->from == *signature)) {
        return signature;
    }
    return NULL;
}

/* Adds an array type by the remembered transition. Returns the uninitialised row. Returns NULL if a
 * page is missing, or if a snapshot needs the page.
 *   cow  a snapshot may need pages */
SETTI_INLINE void* fast_try_add(sett_world* world, setti_type* type, uint32_t index,
                                uint32_t* signature, bool cow)
{
    /* everything here is in line: without calls, sett_add saves no registers */
    SETTI_ASSERT(cow || world->pool.cow_from == 0);
    const setti_transition* added = setti_type_added(type, *signature);
    if (SETTI_UNLIKELY(!setti_entity_try_mark(&world->pool, &world->entities, index, cow))) {
        return NULL;
    }
    void* value = setti_array_try_insert(&world->pool, &type->storage, index, cow);
    if (SETTI_LIKELY(value != NULL)) {
        *signature = added->to;
    }
    return value;
}

/* Creates missing pages, then calls fast_try_add. */
SETTI_APART static void* fast_try_add_page(sett_world* world, setti_type* type, uint32_t index)
{
    uint32_t* signature = setti_entity_set_mut(&world->entities, index);
    if (setti_array_reserve(&world->pool, &type->storage, index)) {
        return fast_try_add(world, type, index, signature, SETTI_COW);
    }
    return NULL;
}

/* Reserves a row in any storage, and inserts the index. Returns the row. Returns NULL if memory
 * runs out, or if the storage has the index already. */
SETTI_APART static void* fast_insert_reserved(sett_world* world, setti_storage* storage,
                                              uint32_t index)
{
    if (setti_storage_has(storage, index) || !setti_storage_reserve(&world->pool, storage, index)) {
        return NULL;
    }
    return setti_storage_try_insert(&world->pool, storage, index);
}

/* Passed to fast_try_add_other for a dont_fragment type. */
#define FAST_NO_SIGNATURE ((uint32_t*)NULL)

/* Like fast_try_add, but for a tag or a sparse set. For a dont_fragment type, `signature` is
 * FAST_NO_SIGNATURE. */
SETTI_INLINE void* fast_try_add_other(sett_world* world, setti_type* type, uint32_t index,
                                      uint32_t* signature)
{
    uint32_t after = 0; /* the new signature */
    if (signature != NULL) {
        after = setti_type_added(type, *signature)->to;
        if (!setti_entity_try_mark(&world->pool, &world->entities, index, SETTI_COW)) {
            return NULL;
        }
    }
    void* value = setti_storage_try_insert(&world->pool, &type->storage, index);
    if (SETTI_UNLIKELY(value == NULL)) {
        value = fast_insert_reserved(world, &type->storage, index);
    }
    if (signature != NULL && value != NULL) {
        *signature = after;
    }
    return value;
}

/* Like fast_try_add_other, for a dont_fragment type. */
SETTI_INLINE void* fast_try_add_dont_fragment(sett_world* world, setti_type* type,
                                              sett_entity entity)
{
    if (setti_entity_signature(&world->entities, entity) != NULL &&
        (type->flags & SETTI_TYPE_REQUIRES) == 0) {
        return fast_try_add_other(world, type, entity.index, FAST_NO_SIGNATURE);
    }
    return NULL;
}

SETTI_APART bool setti_change_learn_added(sett_world* world, setti_type* type, uint32_t signature)
{
    if (setti_signature_has(&world->signatures, signature, type->id)) {
        return false;
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        if (!setti_signature_has(&world->signatures, signature, type->required.item[k]->id)) {
            return false; /* other types must be added, too */
        }
    }
    uint32_t after = setti_edit_toggle(world, signature, type);
    if (after == SETTI_NONE || !setti_edit_has_no_listener(world, signature, after)) {
        return false;
    }
    setti_type_added(type, signature)->from = signature;
    setti_type_added(type, signature)->to = after;
    return true;
}

/* Returns true if collect_list has room for one more entity with the type. Also returns true if
 * entities with the type need no room there. */
SETTI_INLINE bool fast_has_collect_room(const setti_type* type)
{
    return SETTI_LIKELY(type->cascade == NULL) || type->cascade->collect == NULL ||
           type->storage.count < type->collect_room;
}

/* Adds a type with any storage. Returns the uninitialised value. Returns NULL if the slow path is
 * needed.
 *   slow  types with one of these flags need the slow path */
SETTI_APART static void* fast_try_add_any(sett_world* world, setti_type* type, sett_entity entity,
                                          uint32_t slow)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (!SETTI_FAST_PATHS || signature == NULL) {
        return NULL;
    }
    if (world->locks != 0) { /* systems that run side by side must not write to the world */
        return NULL;
    }
    if (!fast_has_collect_room(type)) {
        return NULL;
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        return fast_try_add_dont_fragment(world, type, entity);
    }
    if ((type->flags & slow) != 0) {
        return NULL;
    }
    /* if the transition is not remembered, it is looked up and remembered */
    if (setti_type_added(type, *signature)->from != *signature) {
        setti_edit_settle(world);
        if (!setti_change_learn_added(world, type, *signature)) {
            return NULL;
        }
    }
    if ((type->flags & SETTI_TYPE_OTHER) != 0) {
        return fast_try_add_other(world, type, entity.index, signature);
    }
    return fast_try_add_page(world, type, entity.index);
}

/* Writes the new value, and runs on_add. Returns `value`.
 *   value  the uninitialised row
 *   given  what to write. NULL: the default value */
SETTI_APART static void* fast_finish_by_call(sett_world* world, const setti_type* type,
                                             sett_entity entity, void* value,
                                             const setti_edit_part* given)
{
    SETTI_ASSERT(value != NULL && (given == NULL || given->type == type));
    const setti_edit_part no_value = {.type = setti_unconst(type)};
    if (given == NULL) {
        given = &no_value;
    }
    setti_edit_write_any(given, value, setti_edit_value(given));
    setti_edit_call_all(world, type, SETTI_ON_ADD, entity, value);
    return value;
}

/* Does the same as fast_finish_by_call. But for a small value that becomes zeroes, this has a path
 * that saves only one register. */
SETTI_APART static void* fast_finish(sett_world* world, const setti_type* type, sett_entity entity,
                                     void* value, const setti_edit_part* given)
{
    if (given != NULL || (type->flags & SETTI_TYPE_INIT) != 0 ||
        type->storage.size > SETTI_ROW_SMALL) {
        return fast_finish_by_call(world, type, entity, value, given);
    }
    setti_row_zero(value, type->storage.size);
    setti_edit_call_unlocked(world, type, SETTI_ON_ADD, entity, value);
    return value;
}

/* Does the rest of sett_add after a fast path. Takes the slow path if the fast path was impossible.
 *   value  the uninitialised row. NULL: the fast path was impossible */
SETTI_INLINE void* fast_end_add(sett_world* world, setti_type* type, sett_entity entity,
                                void* value, const char* call, const setti_edit_part* given)
{
    if (SETTI_UNLIKELY(value == NULL)) {
        return setti_change_add(world, entity, type->id, call, given);
    }
    if (SETTI_LIKELY(given == NULL && (type->flags & SETTI_TYPE_ADD_HOOKS) == 0)) {
        return setti_row_zero(value, type->storage.size);
    }
    return fast_finish(world, type, entity, value, given);
}

void* setti_change_add_fast(sett_world* world, setti_type* type, sett_entity entity,
                            const char* call, const setti_edit_part* given)
{
    if (SETTI_UNLIKELY(world->profiling)) {
        type->use.added++;
    }
    void* value = fast_try_add_any(world, type, entity, SETTI_TYPE_SLOW_ADD);
    return fast_end_add(world, type, entity, value, call, given);
}

/* Does sett_add for a tag, a sparse set or a dont_fragment type. */
SETTI_APART static void* fast_add_other(sett_world* world, setti_type* type, sett_entity entity)
{
    const uint32_t hooks = type->flags & (SETTI_TYPE_ADD_HOOKS | SETTI_TYPE_CASCADES);
    /* if this is false, setti_change_add_fast adds the type */
    const bool is_quiet = (world->locks | hooks) == 0;
    void* value = NULL;
    if (is_quiet && (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        value = fast_try_add_dont_fragment(world, type, entity);
    } else if (is_quiet && (type->flags & SETTI_TYPE_SLOW_ADD) == 0) {
        uint32_t* signature = fast_find_remembered(world, type, entity);
        if (SETTI_LIKELY(signature != NULL)) {
            value = fast_try_add_other(world, type, entity.index, signature);
        }
    }
    if (SETTI_LIKELY(value != NULL)) {
        return setti_row_zero(value, type->storage.size);
    }
    return setti_change_add_fast(world, type, entity, "sett_add", SETTI_NO_VALUE);
}

/* Does sett_add for an unregistered type, or while use is profiled. */
SETTI_COLD static void* fast_add_unknown(sett_world* world, sett_entity entity,
                                         sett_component component)
{
    static const char call[] = "sett_add";
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_change_add(world, entity, component, call, SETTI_NO_VALUE);
    }
    return setti_change_add_fast(world, type, entity, call, SETTI_NO_VALUE);
}

/* Does sett_add if a page is missing, or if a snapshot needs the page. */
SETTI_APART static void* fast_add_page(sett_world* world, setti_type* type, sett_entity entity)
{
    void* value = fast_try_add_page(world, type, entity.index);
    return fast_end_add(world, type, entity, value, "sett_add", SETTI_NO_VALUE);
}

/* Does sett_add while a snapshot is held, or while the world is locked. */
SETTI_APART static void* fast_add_held(sett_world* world, setti_type* type, sett_entity entity)
{
    if (SETTI_UNLIKELY(world->locks != 0)) {
        return setti_change_add(world, entity, type->id, "sett_add", SETTI_NO_VALUE);
    }
    uint32_t* signature = setti_entity_set_mut(&world->entities, entity.index);
    void* value = fast_try_add(world, type, entity.index, signature, SETTI_COW);
    if (SETTI_LIKELY(value != NULL)) {
        return fast_end_add(world, type, entity, value, "sett_add", SETTI_NO_VALUE);
    }
    return fast_add_page(world, type, entity);
}

void* sett_add(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || type == NULL)) {
        return fast_add_unknown(world, entity, component);
    }
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_LONG_ADD) != 0)) {
        return fast_add_other(world, type, entity);
    }
    uint32_t* signature = fast_find_remembered(world, type, entity);
    if (SETTI_UNLIKELY(signature == NULL)) {
        return setti_change_add_fast(world, type, entity, "sett_add", SETTI_NO_VALUE);
    }
    if (SETTI_UNLIKELY((world->pool.cow_from | world->locks) != 0)) {
        return fast_add_held(world, type, entity);
    }
    void* value = fast_try_add(world, type, entity.index, signature, SETTI_NO_COW);
    if (SETTI_UNLIKELY(value == NULL)) {
        return fast_add_page(world, type, entity);
    }
    if (SETTI_LIKELY((type->flags & SETTI_TYPE_ADD_HOOKS) == 0)) {
        return setti_row_zero(value, type->storage.size);
    }
    return fast_finish(world, type, entity, value, SETTI_NO_VALUE);
}

/* Adds an array type without hooks. Returns the uninitialised row. Returns NULL if the caller must
 * take another path, for example for other types.
 *   slow  types with one of these flags need the slow path */
SETTI_INLINE void* fast_try_add_quiet(sett_world* world, setti_type* type, sett_entity entity,
                                      uint32_t slow)
{
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || type == NULL || !fast_has_collect_room(type))) {
        return NULL;
    }
    if (SETTI_UNLIKELY((type->flags & (slow | SETTI_TYPE_OTHER | SETTI_TYPE_ADD_HOOKS)) != 0)) {
        return NULL;
    }
    uint32_t* signature = fast_find_remembered(world, type, entity);
    if (SETTI_UNLIKELY(signature == NULL || world->locks != 0)) {
        if (setti_bitmap_has(&type->storage, entity.index)) {
            return NULL; /* the entity has the type already */
        }
        return fast_try_add_any(world, type, entity, slow);
    }
    if (SETTI_LIKELY(world->pool.cow_from == 0)) {
        void* value = fast_try_add(world, type, entity.index, signature, SETTI_NO_COW);
        if (SETTI_LIKELY(value != NULL)) {
            return value;
        }
    }
    return fast_try_add_page(world, type, entity.index);
}

void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity)
{
    return fast_try_add_quiet(world, setti_world_hot_type(world, component), entity,
                              SETTI_TYPE_SLOW_ADD);
}

void* setti_change_try_add_link(sett_world* world, setti_type* type, sett_entity entity)
{
    return fast_try_add_quiet(world, type, entity,
                              SETTI_TYPE_SLOW_ADD & ~(uint32_t)SETTI_TYPE_LINKED);
}

bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature)
{
    SETTI_ASSERT(world->locks == 0);
    sett_entity entity = {index, 0};
    setti_edit_part part = {.type = type};
    /* flags of types that need the slow path; links are no such types */
    const uint32_t slow = SETTI_TYPE_SLOW_ADD & ~(uint32_t)SETTI_TYPE_LINKED;
    bool can_learn = SETTI_FAST_PATHS && (type->flags & slow) == 0 && world->listeners == NULL;
    if (can_learn && setti_type_added(type, *signature)->from != *signature) {
        /* setti_edit_of_added looks for this transition */
        (void)setti_change_learn_added(world, type, *signature);
    }
    setti_edit edit = setti_edit_of_added(world, &entity, *signature, &part);
    SETTI_ASSERT(!setti_storage_has(&type->storage, index));
    *signature = edit.to;
    return setti_edit_reserve_at(world, &edit, index);
}

/* Carries out the reserved edit that adds a part. Returns the value. */
static void* change_commit_add(sett_world* world, setti_edit_part* part, sett_entity entity)
{
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    setti_edit edit = setti_edit_of_added(world, &entity, signature, part);
    SETTI_ASSERT(edit.to != SETTI_NONE);
    setti_edit_run(world, &edit);
    return setti_storage_find(&part->type->storage, entity.index);
}

void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity)
{
    SETTI_ASSERT(!setti_storage_has(&type->storage, entity.index));
    setti_edit_part part = {.type = type};
    return change_commit_add(world, &part, entity);
}

bool setti_change_add_two(sett_world* world, setti_type* first, sett_entity a, setti_type* second,
                          sett_entity b, const setti_edit_fill* fill)
{
    bool adds_first = !setti_storage_has(&first->storage, a.index);
    bool adds_second = !setti_storage_has(&second->storage, b.index);
    if (!adds_first && !adds_second) {
        return true; /* nothing to add */
    }
    setti_edit_settle(world);
    setti_edit_pin(world);
    uint32_t signature = *setti_entity_signature(&world->entities, a);
    bool reserved = true; /* becomes false if memory runs out */
    if (adds_first) {
        reserved = setti_change_reserve_add(world, first, a.index, &signature);
    }
    if (a.index != b.index) { /* for a single entity, `signature` includes `first` already */
        signature = *setti_entity_signature(&world->entities, b);
    }
    if (reserved && adds_second) {
        reserved = setti_change_reserve_add(world, second, b.index, &signature);
    }
    if (reserved && adds_first) {
        (void)setti_change_add_reserved(world, first, a);
    }
    if (reserved && adds_second) {
        setti_edit_part part = {.type = second, .fill = fill, .quiet = true};
        (void)change_commit_add(world, &part, b);
    }
    setti_edit_unpin(world);
    return reserved;
}

void* setti_change_add_part(sett_world* world, setti_edit_part* part, sett_entity entity)
{
    SETTI_ASSERT(!setti_storage_has(&part->type->storage, entity.index));
    const setti_type_list* required = &part->type->required;
    setti_edit_settle(world);
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    for (uint32_t k = 0; k < required->count; k++) {
        if (!setti_storage_has(&required->item[k]->storage, entity.index) &&
            !setti_change_reserve_add(world, required->item[k], entity.index, &signature)) {
            return NULL;
        }
    }
    if (!setti_change_reserve_add(world, part->type, entity.index, &signature)) {
        return NULL;
    }
    for (uint32_t k = 0; k < required->count; k++) {
        if (!setti_storage_has(&required->item[k]->storage, entity.index)) {
            (void)setti_change_add_reserved(world, required->item[k], entity);
        }
    }
    return change_commit_add(world, part, entity);
}

SETTI_COLD void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                                  const char* call, const setti_edit_part* given)
{
    setti_type* type = setti_change_check(world, entity, component, call);
    if (type == NULL) {
        return NULL;
    }
    if (setti_storage_has(&type->storage, entity.index)) {
        setti_world_fail(world, SETT_STATUS_PRESENT, call, entity, component);
        return NULL;
    }
    if (!setti_change_may_add(type, 1)) {
        setti_change_reject_linked(world, type, call);
        return NULL;
    }
    setti_edit_part part = given != NULL ? *given : (setti_edit_part){.type = type};
    void* value = setti_change_add_part(world, &part, entity);
    if (value == NULL) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, component);
    }
    return value;
}

/* Returns the entity's value for writing. Adds the type if the entity lacks it. */
SETTI_INLINE void* change_ensure(sett_world* world, sett_entity entity, setti_type* type)
{
    if (SETTI_LIKELY(setti_entity_signature(&world->entities, entity) != NULL)) {
        void* value = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
        if (value != NULL) {
            return value;
        }
    }
    return setti_change_add_fast(world, type, entity, "sett_ensure", SETTI_NO_VALUE);
}

/* Does sett_ensure for an unregistered type, or while use is profiled or a system is watched. */
SETTI_COLD static void* change_ensure_unknown(sett_world* world, sett_entity entity,
                                              sett_component component)
{
    setti_type* type = setti_change_check_access(world, entity, component, "sett_ensure");
    if (type == NULL) {
        return setti_change_add(world, entity, component, "sett_ensure", SETTI_NO_VALUE);
    }
    return change_ensure(world, entity, type);
}

void* sett_ensure(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_LIKELY(type != NULL)) {
        return change_ensure(world, entity, type);
    }
    return change_ensure_unknown(world, entity, component);
}
