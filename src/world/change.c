/* change.c: components of one entity come and go: add, set, ensure, remove, clear.
 *
 * The workload: one entity, one component, any case: what it requires, what requires it, groups,
 * observers, storages of every kind. Each call checks, and then makes edits (edit.h): one for each
 * type, all of them reserved before the first is carried out. Common cases are in fast_path.c.
 *
 * Invariant:  a call that fails leaves the world as it was
 */
#include "world/change.h"

/* --------------------------------------------------------------------------------------- adding */

bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature)
{
    SETTI_ASSERT(world->locks == 0);
    sett_entity entity = {index, 0};
    setti_edit_part part = {.type = type};
    setti_edit edit = setti_edit_of_added(world, &entity, *signature, &part);
    SETTI_ASSERT(!setti_storage_has(&type->storage, index));
    *signature = edit.to;
    return setti_edit_reserve_at(world, &edit, index);
}

/* Carries out the edit that adds what a part says: reserved. */
static void* change_commit_add(sett_world* world, setti_edit_part* part, sett_entity entity)
{
    uint32_t from = *setti_entity_signature(&world->entities, entity);
    setti_edit edit = setti_edit_of_added(world, &entity, from, part);
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
        return true; /* a link that is turned */
    }
    setti_edit_settle(world);
    setti_edit_pin(world);
    uint32_t signature = *setti_entity_signature(&world->entities, a);
    bool done = !adds_first || setti_change_reserve_add(world, first, a.index, &signature);
    if (a.index != b.index) {
        signature = *setti_entity_signature(&world->entities, b);
    }
    done = done && (!adds_second || setti_change_reserve_add(world, second, b.index, &signature));
    if (done && adds_first) {
        (void)setti_change_add_reserved(world, first, a);
    }
    if (done && adds_second) {
        setti_edit_part part = {.type = second, .fill = fill, .quiet = true};
        (void)change_commit_add(world, &part, b);
    }
    setti_edit_unpin(world);
    return done;
}

/* Adds a type that the entity does not have, and before it what it requires. NULL when memory runs
 * out. */
static void* change_add(sett_world* world, setti_edit_part* part, sett_entity entity)
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

/* Whether the world, the type and the entity allow a change; fails as `call` otherwise. */
static setti_type* change_check(sett_world* world, sett_entity entity, sett_component component,
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

SETTI_COLD sett_status setti_change_reject_linked(sett_world* world, const setti_type* type,
                                                  const char* call)
{
    if ((type->flags & SETTI_TYPE_ONE) != 0) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: \"%.100s\" is the tag of the one entity that has the "
                                     "singletons - sett_singletons returns it",
                                     call, type->desc.name);
    }
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: \"%.100s\" belongs to a relationship: sett_relate adds it, "
                                 "sett_unrelate and sett_unrelate_sources end links",
                                 call, type->desc.name);
}

SETTI_COLD void setti_change_report_tag(const sett_world* world, const setti_type* type,
                                        const char* call)
{
    setti_world_misuse_with(world, SETT_STATUS_ARGUMENT,
                            "%s: \"%.100s\" is a tag: the value is ignored - pass NULL", call,
                            type->desc.name);
}

SETTI_COLD void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                                  const char* call, const setti_edit_part* given)
{
    setti_type* type = change_check(world, entity, component, call);
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
    setti_edit_part part = {.type = type};
    if (given != NULL) {
        part = *given;
    }
    void* value = change_add(world, &part, entity);
    if (value == NULL) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, component);
    }
    return value;
}

/* The type of a write that the fast path did not know: not registered, or use is profiled, or a
 * system is watched. */
static setti_type* change_type(const sett_world* world, sett_entity entity,
                               sett_component component, const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (type != NULL) {
        setti_world_touch(world, entity, component, SETTI_ACCESS_WRITE, call);
    }
    return type;
}

SETTI_INLINE void* change_ensure(sett_world* world, sett_entity entity, setti_type* type)
{
    if (SETTI_LIKELY(setti_entity_signature(&world->entities, entity) != NULL)) {
        void* value = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
        if (value != NULL) {
            return value;
        }
    }
    return setti_fast_add(world, type, entity, "sett_ensure", NULL);
}

SETTI_COLD static void* change_ensure_unknown(sett_world* world, sett_entity entity,
                                              sett_component component)
{
    setti_type* type = change_type(world, entity, component, "sett_ensure");
    return type != NULL ? change_ensure(world, entity, type)
                        : setti_change_add(world, entity, component, "sett_ensure", NULL);
}

void* sett_ensure(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_hot_type(world, component);
    return SETTI_LIKELY(type != NULL) ? change_ensure(world, entity, type)
                                      : change_ensure_unknown(world, entity, component);
}

/* on_set callbacks can set values, which run on_set callbacks, and so on: up to here. */
SETTI_COLD static bool change_set_too_deep(sett_world* world, sett_entity entity,
                                           const setti_type* type)
{
    setti_world_fail_with(world, SETT_STATUS_LIMIT,
                          "sett_set, entity %u:%u, component \"%.100s\": called by \"%.100s\", an "
                          "on_set callback, %u of them nested - record it instead",
                          (unsigned)entity.index, (unsigned)entity.generation, type->desc.name,
                          world->calling, (unsigned)SETTI_EVENT_DEPTH);
    setti_world_log(world, SETT_LOG_ERROR, "%s", world->message);
    return false;
}

/* on_set callbacks would run in no order with what runs beside the system. */
SETTI_COLD static bool change_set_in_system(sett_world* world, const setti_type* type)
{
    setti_world_fail_with(
        world, SETT_STATUS_LOCKED,
        "sett_set: \"%.100s\" has on_set callbacks, which cannot run inside system "
        "\"%.200s\" - record it with sett_cmd_set",
        type->desc.name, setti_world_running(world));
    return false;
}

/* `old`: the value from before, for on_replace; or NULL. */
SETTI_COLD static void change_notify_set(sett_world* world, const setti_type* type,
                                         sett_entity entity, void* row, const void* old)
{
    SETTI_ASSERT(world->set_depth < SETTI_EVENT_DEPTH && row != NULL);
    const void* outer = world->replaced;
    world->replaced = old;
    world->set_depth++;
    setti_edit_call_all(world, type, SETTI_ON_SET, entity, row);
    world->set_depth--;
    world->replaced = outer;
}

void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row)
{
    SETTI_ASSERT(row != NULL && type->storage.size != 0);
    const setti_storage* storage = &type->storage;
    void* old = setti_pool_alloc(&world->pool, storage->size, SETTI_MAX(storage->align, 16));
    if (old != NULL) {
        memcpy(old, row, storage->size);
    } else {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, "sett_set", sett_null(), type->id);
    }
    return old;
}

void setti_change_release(sett_world* world, const setti_type* type, void* old)
{
    const setti_storage* storage = &type->storage;
    setti_pool_free(&world->pool, old, storage->size, SETTI_MAX(storage->align, 16));
}

/* Writes a value of a type with hooks over one that is there. */
SETTI_COLD static bool change_set_hooked(sett_world* world, const setti_type* type,
                                         sett_entity entity, void* row, const void* value)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, entity.index) && row != NULL);
    bool notified = setti_edit_has_callbacks(type, SETTI_ON_SET);
    /* A link that was written in its place is set to itself, to be notified. */
    if ((type->flags & SETTI_TYPE_GUARDED) != 0 ||
        ((type->flags & SETTI_TYPE_LINKED) != 0 && value != row)) {
        setti_component_reject_set(world, type, "sett_set");
        return false;
    }
    if (notified && world->running != NULL) {
        return change_set_in_system(world, type);
    }
    if (notified && world->set_depth == SETTI_EVENT_DEPTH) {
        return change_set_too_deep(world, entity, type);
    }
    bool replaces = type->replace_observers != 0 && value != row;
    void* old = replaces ? setti_change_preserve(world, type, row) : NULL;
    if (replaces && old == NULL) {
        return false;
    }
    if (type->desc.copy == NULL && value != row) {
        setti_type_deinit_values(type, row, 1); /* without copy, what is given moves in */
    }
    if (value != row) {
        setti_type_copy_values(type, row, value, type->storage.size != 0);
    }
    if (notified) {
        const void* link = world->replaced_link;
        world->replaced_link = NULL;
        change_notify_set(world, type, entity, row, old != NULL ? old : link);
    }
    if (old != NULL) {
        setti_change_release(world, type, old);
    }
    return true;
}

/* Writes a value. False, and the failure is recorded, if the type must not be set directly, if
 * callbacks of sets are nested too deep, if a system runs and a callback would have to, or if
 * memory runs out. */
SETTI_INLINE bool change_write(sett_world* world, const setti_type* type, sett_entity entity,
                               void* row, const void* value)
{
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_SLOW_SET) != 0)) {
        return change_set_hooked(world, type, entity, row, value);
    }
    if (type->storage.size != 0) {
        setti_row_copy(row, value, type->storage.size);
    }
    return true;
}

/* Adds for sett_set where values may move meanwhile, by compaction or because a group takes the
 * entity in, and with them what `part` points to: a plain value is set aside, one with a move hook
 * is found again. */
static void* change_set_moving(sett_world* world, sett_entity entity, setti_edit_part* part)
{
    SETTI_ASSERT(part->value != NULL && part->type->storage.size != 0);
    static const char call[] = "sett_set";
    const setti_storage* storage = &part->type->storage;
    uint32_t source = SETTI_NONE;
    if (part->type->desc.move != NULL) {
        source = setti_storage_owner(storage, part->value);
    } else {
        size_t align = SETTI_MAX(storage->align, 16);
        void* aside = setti_scratch_get(&world->pool, &world->set_aside, storage->size, align);
        if (aside == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, part->type->id);
            return NULL;
        }
        setti_row_copy(aside, part->value, storage->size);
        part->value = aside;
    }
    if (source != SETTI_NONE) {
        part->value = NULL;
        part->origin = storage;
        part->source = source;
    }
    return setti_fast_add(world, part->type, entity, call, part);
}

static bool change_may_move(const sett_world* world, const setti_type* type)
{
    return type->storage.size != 0 && world->locks == 0 &&
           (world->listeners != NULL || setti_sparse_is_full(&type->storage));
}

/* Adds for sett_set: on_add sees the value that is set. */
SETTI_APART static void* change_set_absent(sett_world* world, sett_entity entity, setti_type* type,
                                           const void* value)
{
    if ((type->flags & (SETTI_TYPE_GUARDED | SETTI_TYPE_LINKED)) != 0) {
        setti_component_reject_set(world, type, "sett_set");
        return NULL;
    }
    /* on_set behind on_enter */
    setti_edit_part part = {.type = type, .value = value, .quiet = true};
    void* row = change_may_move(world, type)
                    ? change_set_moving(world, entity, &part)
                    : setti_fast_add(world, type, entity, "sett_set", &part);
    if (row != NULL && setti_edit_has_callbacks(type, SETTI_ON_SET)) {
        change_notify_set(world, type, entity, row, NULL); /* not inside of a callback */
    }
    return row;
}

SETTI_INLINE void* change_set(sett_world* world, sett_entity entity, setti_type* type,
                              const void* value)
{
    void* row = NULL;
    setti_change_check_tag(world, type, value, "sett_set");
    if (SETTI_UNLIKELY(value == NULL && type->storage.size != 0)) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "sett_set: a value of \"%.100s\" is needed, not NULL",
                              type->desc.name);
        return NULL;
    }
    if (SETTI_LIKELY(setti_entity_signature(&world->entities, entity) != NULL) &&
        !setti_array_try_find_mut(&world->pool, &type->storage, entity.index, &row)) {
        row = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
    }
    if (row == NULL) {
        if (SETTI_LIKELY((type->flags & SETTI_TYPE_SLOW_SET) == 0)) {
            row = setti_change_try_add(world, type->id, entity);
        }
        if (SETTI_UNLIKELY(row == NULL)) {
            return change_set_absent(world, entity, type, value);
        }
    }
    return SETTI_LIKELY(change_write(world, type, entity, row, value)) ? row : NULL;
}

SETTI_COLD static void* change_set_unknown(sett_world* world, sett_entity entity,
                                           sett_component component, const void* value)
{
    setti_type* type = change_type(world, entity, component, "sett_set");
    return type != NULL ? change_set(world, entity, type, value)
                        : setti_change_add(world, entity, component, "sett_set", NULL);
}

void* sett_set(sett_world* world, sett_entity entity, sett_component component, const void* value)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_hot_type(world, component);
    return SETTI_LIKELY(type != NULL) ? change_set(world, entity, type, value)
                                      : change_set_unknown(world, entity, component, value);
}

void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call)
{
    SETTI_ASSERT(fill != NULL && fill->write != NULL);
    void* row = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
    if (row != NULL) {
        fill->write(fill, row);
    } else if (change_check(world, entity, type->id, call) == NULL) {
        return NULL;
    } else {
        setti_edit_part part = {.type = type, .fill = fill, .quiet = true};
        row = change_add(world, &part, entity);
    }
    if (row == NULL) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, type->id);
        return NULL;
    }
    return change_set_hooked(world, type, entity, row, row) ? row : NULL;
}

/* ------------------------------------------------------------------------------------- removing */

/* Carries out the edit that removes a type: reserved. */
static void change_commit_remove(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t from = *setti_entity_signature(&world->entities, entity);
    setti_edit edit = setti_edit_of_removed(world, &entity, from, type);
    SETTI_ASSERT(edit.to != SETTI_NONE && setti_storage_has(&type->storage, entity.index));
    setti_edit_run(world, &edit);
}

/* Reserves the edit that removes a type. */
static bool change_reserve_removal(sett_world* world, setti_type* type, uint32_t index,
                                   uint32_t* signature)
{
    sett_entity entity = {index, 0};
    setti_edit edit = setti_edit_of_removed(world, &entity, *signature, type);
    *signature = edit.to;
    return setti_edit_reserve_at(world, &edit, index);
}

/* Types that go when a type goes, from the last k on: its dependants, the latest registered first,
 * then the type. The tag of a switch, which is the first dependant, goes behind the type: a
 * component that is off is not on for a moment. */
static setti_type* change_going(setti_type* type, uint32_t k)
{
    SETTI_ASSERT(type->off == NULL || type->dependants.item[0] == type->off);
    SETTI_ASSERT(k <= type->dependants.count);
    k = type->off != NULL && k <= 1 ? 1 - k : k;
    return k > 0 ? type->dependants.item[k - 1] : type;
}

/* change_reserve_removal for a type and all that go with it; skips types that the signature does
 * not contain (any more). False when memory runs out. */
static bool change_reserve_removals(sett_world* world, setti_type* type, uint32_t index,
                                    uint32_t* signature)
{
    for (uint32_t k = type->dependants.count + 1; k-- > 0;) {
        setti_type* going = change_going(type, k);
        bool dont_fragment = (going->flags & SETTI_TYPE_DONT_FRAGMENT) != 0;
        if ((dont_fragment || setti_signature_has(&world->signatures, *signature, going->id)) &&
            !change_reserve_removal(world, going, index, signature)) {
            return false;
        }
    }
    return true;
}

/* Removes a type that the entity has, all reserved, and what goes with it. */
static void change_remove_reserved(sett_world* world, setti_type* type, sett_entity entity)
{
    for (uint32_t k = type->dependants.count + 1; k-- > 0;) {
        setti_type* going = change_going(type, k);
        if (setti_storage_has(&going->storage, entity.index)) {
            change_commit_remove(world, going, entity);
        }
    }
}

/* Like change_remove_reserved, without anything reserved. False when memory runs out. */
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

/* The next type of a set, from the k-th on, whose value has to go from an entity that stays. */
static setti_type* change_next_stranded(const sett_world* world, uint32_t set, uint32_t index,
                                        uint32_t* k)
{
    SETTI_ASSERT((set & SETTI_DYING) == 0);
    while (set != 0 && *k < world->signatures.record[set].count) {
        setti_type* type = world->types[world->signatures.record[set].types[(*k)++]];
        if (type->cascade != NULL && type->cascade->stranded != NULL &&
            setti_storage_has(&type->storage, index) &&
            type->cascade->stranded(world, type, index)) {
            return type;
        }
    }
    return NULL;
}

/* Several types may go, and what they need depends on the order: both walk the set that the entity
 * has at first, upwards. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index)
{
    uint32_t set = setti_entity_set_of(&world->entities, index);
    uint32_t signature = set;
    uint32_t k = 0;
    setti_type* type;
    while ((type = change_next_stranded(world, set, index, &k)) != NULL) {
        if (!change_reserve_removals(world, type, index, &signature)) {
            return false;
        }
    }
    return true;
}

void setti_change_remove_stranded(sett_world* world, uint32_t index)
{
    uint32_t set = setti_entity_set_of(&world->entities, index);
    uint32_t k = 0;
    setti_type* type;
    while ((type = change_next_stranded(world, set, index, &k)) != NULL) {
        change_remove_reserved(world, type, setti_entity_at(&world->entities, index));
    }
}

SETTI_COLD sett_status setti_change_remove(sett_world* world, sett_entity entity,
                                           sett_component component)
{
    static const char call[] = "sett_remove";
    setti_type* type = change_check(world, entity, component, call);
    if (type == NULL) {
        return world->error;
    }
    if (!setti_storage_has(&type->storage, entity.index)) {
        return SETT_STATUS_ABSENT; /* no misuse: there is nothing to do */
    }
    if ((type->flags & SETTI_TYPE_STAYS) != 0) {
        return setti_change_reject_linked(world, type, call);
    }
    if (!change_remove(world, type, entity)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, component);
    }
    return SETT_OK;
}

/* Whether a set has types that stay as long as their entity does. */
static bool change_keeps(const sett_world* world, uint32_t set)
{
    SETTI_ASSERT(set == 0 || set < world->signatures.count);
    bool keeps = false;
    for (uint32_t k = 0; !keeps && set != 0 && k < world->signatures.record[set].count; k++) {
        const setti_type* type = world->types[world->signatures.record[set].types[k]];
        keeps = (type->flags & SETTI_TYPE_STAYS) != 0;
    }
    return keeps;
}

/* Takes all components off an entity but those that are kept, one by one. False when memory runs
 * out, with nothing changed. */
SETTI_COLD static bool change_clear_some(sett_world* world, sett_entity entity)
{
    SETTI_ASSERT(world->cascading != 0 && world->locks == 0);
    setti_edit_settle(world);
    uint32_t set = *setti_entity_signature(&world->entities, entity);
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t signature = set;
        for (uint32_t k = world->signatures.record[set].count; k-- > 0;) {
            setti_type* type = world->types[world->signatures.record[set].types[k]];
            if ((type->flags & SETTI_TYPE_STAYS) != 0) {
                continue;
            }
            if (pass == 0 && !change_reserve_removals(world, type, entity.index, &signature)) {
                return false;
            }
            if (pass == 1 && setti_storage_has(&type->storage, entity.index)) {
                change_remove_reserved(world, type, entity);
            }
        }
    }
    for (uint32_t k = world->dont_fragment.count; k-- > 0;) { /* these need no memory */
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
    if (world->cascading != 0 && change_keeps(world, *signature)) {
        return change_clear_some(world, entity)
                   ? SETT_OK
                   : setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, entity, 0);
    }
    setti_edit edit = {.entities = &entity, .count = 1, .from = *signature, .removes_all = true};
    setti_edit_run(world, &edit);
    return SETT_OK;
}

sett_status sett_component_clear(sett_world* world, sett_component component)
{
    setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL) {
        return setti_world_failure(world);
    }
    if ((type->flags & SETTI_TYPE_STAYS) != 0) {
        return setti_change_reject_linked(world, type, __func__);
    }
    SETTI_EACH_INDEX(index, &type->storage) {
        if (!change_remove(world, type, setti_entity_at(&world->entities, index))) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, sett_null(),
                                    component);
        }
    }
    return SETT_OK;
}
