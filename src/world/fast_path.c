/* fast_path.c: adding and removing one component where that is short. The slow path
 * (setti_change_add, setti_change_remove) makes edits and handles every case. "Equals f" means: if
 * the function succeeds, it leaves the world as f would; if it fails, it has changed nothing, and
 * its caller calls f. If the library is compiled with SETT_NO_FAST_PATHS, all changes take the slow
 * path: tests run both ways.
 *
 * The workload: add and remove of plain types on living entities, a transition that was taken a
 * moment before. That path is in line at the top of sett_add and sett_remove: entity, type, one
 * bit, one number. Everything else leaves it through one branch.
 *
 * Invariant:  for a transition that a type remembers there is no listener, and the type is missing
 *             in `from` (added) or in `to` (removed); nothing else differs
 */
#include "world/change.h"

/* --------------------------------------------------------------------------------------- adding */

/* Where the signature of an entity is, if the type remembers the transition from it: then the type
 * is missing, and nothing that it requires. NULL otherwise. */
SETTI_INLINE uint32_t* fast_known(const sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    return SETTI_LIKELY(signature != NULL && setti_type_added(type, *signature)->from == *signature)
               ? signature
               : NULL;
}

/* The fast path of an array that is not SETTI_TYPE_LONG_ADD: takes the transition that the type
 * remembers, into pages that exist. The new row is not initialised. NULL: a page is missing, or a
 * snapshot needs it. Calls nothing, so that sett_add need not save registers. Equals
 * setti_change_add before the value is written. */
SETTI_INLINE void* fast_try_add(sett_world* world, setti_type* type, uint32_t index,
                                uint32_t* signature, bool cow)
{
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

/* Like fast_try_add, where a page may be missing. NULL also when memory runs out. */
SETTI_APART static void* fast_try_add_page(sett_world* world, setti_type* type, uint32_t index)
{
    uint32_t* signature = setti_entity_set_mut(&world->entities, index);
    return setti_array_reserve(&world->pool, &type->storage, index)
               ? fast_try_add(world, type, index, signature, true)
               : NULL;
}

/* Inserts an index into any storage. NULL if it has a value, or when memory runs out. */
SETTI_APART static void* fast_insert_reserved(sett_world* world, setti_storage* storage,
                                              uint32_t index)
{
    return !setti_storage_has(storage, index) && setti_storage_reserve(&world->pool, storage, index)
               ? setti_storage_try_insert(&world->pool, storage, index)
               : NULL;
}

/* Like fast_try_add, for a tag, a sparse set, or a dont_fragment type: then without a signature.
 * NULL also if the entity has a value. */
SETTI_INLINE void* fast_try_add_other(sett_world* world, setti_type* type, uint32_t index,
                                      uint32_t* signature)
{
    uint32_t to = signature != NULL ? setti_type_added(type, *signature)->to : 0;
    if (signature != NULL && !setti_entity_try_mark(&world->pool, &world->entities, index, true)) {
        return NULL;
    }
    void* value = setti_storage_try_insert(&world->pool, &type->storage, index);
    if (SETTI_UNLIKELY(value == NULL)) {
        value = fast_insert_reserved(world, &type->storage, index);
    }
    if (signature != NULL && value != NULL) {
        *signature = to;
    }
    return value;
}

/* Like fast_try_add_other, for a dont_fragment type that requires none: no signature and no group
 * knows of it. */
SETTI_INLINE void* fast_try_add_dont_fragment(sett_world* world, setti_type* type,
                                              sett_entity entity)
{
    return setti_entity_signature(&world->entities, entity) != NULL &&
                   (type->flags & SETTI_TYPE_REQUIRES) == 0
               ? fast_try_add_other(world, type, entity.index, NULL)
               : NULL;
}

/* Finds the transition out, and remembers it, if it is one of the type alone, and no listener is
 * concerned. */
SETTI_APART static bool fast_learn_added(sett_world* world, setti_type* type, uint32_t signature)
{
    bool alone = !setti_signature_has(&world->signatures, signature, type->id);
    for (uint32_t k = 0; alone && k < type->required.count; k++) {
        alone = setti_signature_has(&world->signatures, signature, type->required.item[k]->id);
    }
    uint32_t to = alone ? setti_edit_toggle(world, signature, type) : SETTI_NONE;
    if (to == SETTI_NONE || !setti_edit_is_unheard(world, signature, to)) {
        return false;
    }
    setti_type_added(type, signature)->from = signature;
    setti_type_added(type, signature)->to = to;
    return true;
}

/* Whether one more entity with the type can be destroyed together with all others. Equals
 * setti_edit_reserve_collect. */
SETTI_INLINE bool fast_collects(const setti_type* type)
{
    return SETTI_LIKELY(type->cascade == NULL) || type->cascade->collect == NULL ||
           type->storage.count < type->collect_room;
}

/* Adds a row of any kind where the type comes alone, and has none of the flags `slow`. NULL: take
 * the slow path. Equals setti_change_add before the value is written. */
SETTI_APART static void* fast_try_add_any(sett_world* world, setti_type* type, sett_entity entity,
                                          uint32_t slow)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (!SETTI_FAST_PATHS || signature == NULL ||
        world->locks != 0 || /* systems write to nothing that is shared */
        !fast_collects(type)) {
        return NULL;
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        return fast_try_add_dont_fragment(world, type, entity);
    }
    if ((type->flags & slow) != 0) {
        return NULL;
    }
    if (setti_type_added(type, *signature)->from != *signature) {
        setti_edit_settle(world);
        if (!fast_learn_added(world, type, *signature)) {
            return NULL;
        }
    }
    return (type->flags & SETTI_TYPE_OTHER) == 0
               ? fast_try_add_page(world, type, entity.index)
               : fast_try_add_other(world, type, entity.index, signature);
}

/* Equals setti_edit_call_all, where the world is unlocked, and mostly with one callback. */
SETTI_INLINE void fast_call_unlocked(sett_world* world, const setti_type* type, setti_event event,
                                     sett_entity entity, void* value)
{
    SETTI_ASSERT(world->locks == 0 && world->calling == NULL);
    const setti_call* call = type->notified[event].item;
    if (SETTI_UNLIKELY(type->notified[event].count != 1)) {
        setti_edit_call_all(world, type, event, entity, value);
        return;
    }
    world->locks++;
    world->calling = call->name;
    call->fn(world, entity, value, call->user);
    world->locks--;
    world->calling = NULL;
}

/* Initialises a value that was just added by the fast path, and runs on_add. Equals the end of
 * setti_change_add: setti_edit_write and setti_edit_notify_entering. */
SETTI_APART static void* fast_finish_by_call(sett_world* world, const setti_type* type,
                                             sett_entity entity, void* value,
                                             const setti_edit_part* given)
{
    SETTI_ASSERT(value != NULL && (given == NULL || given->type == type));
    const setti_edit_part part = {.type = setti_unconst(type)};
    given = given != NULL ? given : &part;
    setti_edit_write_any(given, value, setti_edit_value(given));
    setti_edit_call_all(world, type, SETTI_ON_ADD, entity, value);
    return value;
}

/* Like fast_finish_by_call, with one callback and no other call: only the value has to be held
 * meanwhile. */
SETTI_APART static void* fast_finish(sett_world* world, const setti_type* type, sett_entity entity,
                                     void* value, const setti_edit_part* given)
{
    if (given != NULL || (type->flags & SETTI_TYPE_INIT) != 0 ||
        type->storage.size > SETTI_ROW_SMALL) {
        return fast_finish_by_call(world, type, entity, value, given);
    }
    setti_row_zero(value, type->storage.size);
    fast_call_unlocked(world, type, SETTI_ON_ADD, entity, value);
    return value;
}

/* Goes on behind a try: by the slow path if it led nowhere. */
SETTI_INLINE void* fast_end_add(sett_world* world, setti_type* type, sett_entity entity,
                                void* value, const char* call, const setti_edit_part* given)
{
    if (SETTI_UNLIKELY(value == NULL)) {
        return setti_change_add(world, entity, type->id, call, given);
    }
    return SETTI_LIKELY(given == NULL && (type->flags & SETTI_TYPE_ADD_HOOKS) == 0)
               ? setti_row_zero(value, type->storage.size)
               : fast_finish(world, type, entity, value, given);
}

void* setti_fast_add(sett_world* world, setti_type* type, sett_entity entity, const char* call,
                     const setti_edit_part* given)
{
    if (SETTI_UNLIKELY(world->profiling)) {
        type->use.added++;
    }
    void* value = fast_try_add_any(world, type, entity, SETTI_TYPE_SLOW_ADD);
    return fast_end_add(world, type, entity, value, call, given);
}

/* Tags, sparse sets and dont_fragment types without hooks: keeps little over the call. */
SETTI_APART static void* fast_add_other(sett_world* world, setti_type* type, sett_entity entity)
{
    void* value = NULL;
    if ((world->locks | (type->flags & (SETTI_TYPE_ADD_HOOKS | SETTI_TYPE_CASCADES))) != 0) {
        /* below */
    } else if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        value = fast_try_add_dont_fragment(world, type, entity);
    } else if ((type->flags & SETTI_TYPE_SLOW_ADD) == 0) {
        uint32_t* signature = fast_known(world, type, entity);
        if (SETTI_LIKELY(signature != NULL)) {
            value = fast_try_add_other(world, type, entity.index, signature);
        }
    }
    return SETTI_LIKELY(value != NULL) ? setti_row_zero(value, type->storage.size)
                                       : setti_fast_add(world, type, entity, "sett_add", NULL);
}

/* The type is not registered, or use is profiled. */
SETTI_COLD static void* fast_add_unknown(sett_world* world, sett_entity entity,
                                         sett_component component)
{
    static const char call[] = "sett_add";
    setti_type* type = setti_world_type(world, component);
    return type != NULL ? setti_fast_add(world, type, entity, call, NULL)
                        : setti_change_add(world, entity, component, call, NULL);
}

/* A page is missing, or a snapshot needs it. */
SETTI_APART static void* fast_add_page(sett_world* world, setti_type* type, sett_entity entity)
{
    void* value = fast_try_add_page(world, type, entity.index);
    return fast_end_add(world, type, entity, value, "sett_add", NULL);
}

/* A snapshot is held, or the world is locked. */
SETTI_APART static void* fast_add_held(sett_world* world, setti_type* type, sett_entity entity)
{
    if (SETTI_UNLIKELY(world->locks != 0)) {
        return setti_change_add(world, entity, type->id, "sett_add", NULL);
    }
    uint32_t* signature = setti_entity_set_mut(&world->entities, entity.index);
    void* value = fast_try_add(world, type, entity.index, signature, true);
    return SETTI_LIKELY(value != NULL) ? fast_end_add(world, type, entity, value, "sett_add", NULL)
                                       : fast_add_page(world, type, entity);
}

/* Equals setti_change_add. */
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
    uint32_t* signature = fast_known(world, type, entity);
    if (SETTI_UNLIKELY(signature == NULL)) {
        return setti_fast_add(world, type, entity, "sett_add", NULL);
    }
    if (SETTI_UNLIKELY((world->pool.cow_from | world->locks) != 0)) {
        return fast_add_held(world, type, entity);
    }
    void* value = fast_try_add(world, type, entity.index, signature, false);
    if (SETTI_UNLIKELY(value == NULL)) {
        return fast_add_page(world, type, entity);
    }
    return SETTI_LIKELY((type->flags & SETTI_TYPE_ADD_HOOKS) == 0)
               ? setti_row_zero(value, type->storage.size)
               : fast_finish(world, type, entity, value, NULL);
}

/* Adds an array's row if no callback runs, and the type has none of the flags `slow`. */
SETTI_INLINE void* fast_try_add_quiet(sett_world* world, setti_type* type, sett_entity entity,
                                      uint32_t slow)
{
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || type == NULL || !fast_collects(type) ||
                       (type->flags & (slow | SETTI_TYPE_OTHER | SETTI_TYPE_ADD_HOOKS)) != 0)) {
        return NULL;
    }
    uint32_t* signature = fast_known(world, type, entity);
    if (SETTI_UNLIKELY(signature == NULL || world->locks != 0)) {
        return setti_bitmap_has(&type->storage, entity.index)
                   ? NULL
                   : fast_try_add_any(world, type, entity, slow);
    }
    void* value = SETTI_LIKELY(world->pool.cow_from == 0)
                      ? fast_try_add(world, type, entity.index, signature, false)
                      : NULL;
    return SETTI_LIKELY(value != NULL) ? value : fast_try_add_page(world, type, entity.index);
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

/* -------------------------------------------------------------------------------- creating with */

/* Equals setti_edit_include. */
SETTI_INLINE bool fast_include(sett_world* world, setti_edit* edit, setti_type* type,
                               const void* value)
{
    SETTI_ASSERT(edit->to != SETTI_NONE && (edit->room == 0 || edit->added_count < edit->room));
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || (type->flags & SETTI_TYPE_SLOW_ADD) != 0)) {
        return false;
    }
    const setti_transition* added = setti_type_added(type, edit->to);
    if (SETTI_UNLIKELY(added->from != edit->to) && !fast_learn_added(world, type, edit->to)) {
        return false;
    }
    edit->to = added->to;
    edit->added[edit->added_count++] = (setti_edit_part){.type = type, .value = value};
    return true;
}

bool setti_fast_include(sett_world* world, setti_edit* edit, setti_type* type, const void* value)
{
    return fast_include(world, edit, type, value);
}

/* Equals setti_change_create_with. */
sett_entity sett_create_with(sett_world* world, const sett_value* values, uint32_t count)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    setti_edit_part parts[SETTI_CREATE_MOST];
    sett_entity entity = sett_null();
    setti_edit edit = {.entities = &entity, .count = 1, .added = parts, .creates = true};
    bool plain = SETTI_FAST_PATHS && count <= SETTI_CREATE_MOST && values != NULL &&
                 (world->locks | world->scope.generation) == 0;
    if (SETTI_LIKELY(plain)) {
        setti_world_check_owner(world, __func__);
        setti_edit_settle(world);
    }
    for (uint32_t k = 0; k < count && plain; k++) {
        if (SETTI_UNLIKELY(values[k].type != NULL) &&
            !setti_change_check_values(world, &values[k], 1, __func__)) {
            return entity;
        }
        setti_type* type = setti_world_hot_type(world, values[k].component);
        setti_change_check_tag(world, type, values[k].value, __func__);
        plain = type != NULL && type->cascade == NULL &&
                fast_include(world, &edit, type, values[k].value);
    }
    if (SETTI_UNLIKELY(!plain || !setti_edit_begin(world, &edit))) {
        return setti_change_create_with(world, values, count);
    }
    setti_edit_notify_entering(world, &edit);
    return entity;
}

/* ------------------------------------------------------------------------------------- removing */

/* Erases a row of any kind, by the transition that the type remembers; pages are saved first.
 * Equals setti_change_remove of a type without callbacks. */
SETTI_APART static sett_status fast_remove_saved(sett_world* world, setti_type* type,
                                                 uint32_t index, uint32_t* signature)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    SETTI_ASSERT(setti_type_removed(type, *signature)->from == *signature);
    setti_edit_write_signature(world, index, signature, setti_type_removed(type, *signature)->to);
    setti_storage_erase(&world->pool, &type->storage, index);
    return SETT_OK;
}

/* Whether the type goes alone from a signature: nothing in it requires the type. */
static bool fast_goes_alone(const sett_world* world, const setti_type* type, uint32_t signature)
{
    bool alone = (type->flags & (SETTI_TYPE_REQUIRED_APART | SETTI_TYPE_DONT_FRAGMENT)) == 0;
    for (uint32_t k = 0; alone && k < type->dependants.count; k++) {
        alone = !setti_signature_has(&world->signatures, signature, type->dependants.item[k]->id);
    }
    return alone;
}

/* Removes by the slow path, and remembers the transition. */
SETTI_APART static sett_status fast_remove_slow(sett_world* world, setti_type* type,
                                                sett_entity entity)
{
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    uint32_t from = signature != NULL ? *signature : 0;
    bool alone = SETTI_FAST_PATHS && signature != NULL && world->locks == 0 &&
                 fast_goes_alone(world, type, from);
    sett_status status = setti_change_remove(world, entity, type->id);
    if (status == SETT_OK && alone && *signature != from &&
        setti_edit_is_unheard(world, from, *signature)) {
        setti_type_removed(type, from)->from = from;
        setti_type_removed(type, from)->to = *signature;
    }
    return status;
}

/* The slow path of removing: a known edge first, then everything else. */
static sett_status fast_remove_long(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(world->profiling)) {
        type->use.removed++;
    }
    if (!SETTI_FAST_PATHS || signature == NULL || world->locks != 0 ||
        (type->flags & (SETTI_TYPE_REQUIRED_APART | SETTI_TYPE_REMOVE_HOOKS)) != 0 ||
        ((type->flags & SETTI_TYPE_REQUIRED) != 0 &&
         ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0 ||
          setti_type_removed(type, *signature)->from != *signature)) ||
        !setti_storage_has(&type->storage, entity.index)) {
        return fast_remove_slow(world, type, entity);
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) { /* no signature and no group knows of it */
        setti_storage_erase(&world->pool, &type->storage, entity.index);
        return SETT_OK;
    }
    setti_transition* removed = setti_type_removed(type, *signature);
    if (removed->from != *signature) {
        uint32_t to = setti_signature_edge(&world->signatures, *signature, type->id);
        if (to == SETTI_NONE || !setti_edit_is_unheard(world, *signature, to)) {
            return fast_remove_slow(world, type, entity);
        }
        removed->from = *signature;
        removed->to = to;
    }
    return fast_remove_saved(world, type, entity.index, signature);
}

/* The type is not registered, or use is profiled. */
SETTI_COLD static sett_status fast_remove_unknown(sett_world* world, sett_entity entity,
                                                  sett_component component)
{
    setti_type* type = setti_world_type(world, component);
    return type != NULL ? fast_remove_long(world, type, entity)
                        : setti_change_remove(world, entity, component);
}

SETTI_APART static sett_status fast_emptied(sett_world* world, setti_type* type, uint32_t index)
{
    setti_array_word_emptied(&world->pool, &type->storage, index);
    return SETT_OK;
}

/* The end of the fast path: the row of an array or tag. An entity that takes a transition that the
 * type remembers has the value: only assertions look. An entity that toggles its component meets
 * the spare stretch each time. */
SETTI_INLINE sett_status fast_remove_marked(sett_world* world, setti_type* type, uint32_t index,
                                            uint32_t* signature)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    SETTI_ASSERT(setti_type_removed(type, *signature)->from == *signature);
    setti_storage* storage = &type->storage;
    (void)setti_entity_try_mark(&world->pool, &world->entities, index, false);
    *signature = setti_type_removed(type, *signature)->to;
    setti_erased erased = setti_array_erase_no_cow(&world->pool, storage, index);
    return SETTI_LIKELY(erased == SETTI_ERASED) || storage->spare == index >> storage->shift
               ? SETT_OK
               : fast_emptied(world, type, index);
}

/* Like fast_remove_marked, while snapshots are held. */
SETTI_APART static sett_status fast_remove_cow(sett_world* world, setti_type* type, uint32_t index,
                                               uint32_t* signature)
{
    const setti_pages* presence = &type->storage.presence;
    return setti_entity_try_mark(&world->pool, &world->entities, index, true) &&
                   setti_pages_try_mark(&world->pool, presence, index >> SETTI_BITS_SHIFT, true)
               ? fast_remove_marked(world, type, index, signature)
               : fast_remove_saved(world, type, index, signature);
}

SETTI_INLINE sett_status fast_remove_row(sett_world* world, setti_type* type, uint32_t index,
                                         uint32_t* signature)
{
    return SETTI_LIKELY(world->pool.cow_from == 0)
               ? fast_remove_marked(world, type, index, signature)
               : fast_remove_cow(world, type, index, signature);
}

/* Unlinks the value, and ends it. Equals the removal of one type in setti_edit_commit, up to the
 * row. */
SETTI_APART static void fast_end_value(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    if (type->cascade != NULL) {
        type->cascade->unlink(world, type, index);
    }
    setti_edit_deinit_value(world, type, index);
}

/* The fast path for a type with on_remove callbacks, or with values to deinitialise. */
SETTI_APART static sett_status fast_remove_notified(sett_world* world, setti_type* type,
                                                    sett_entity entity, uint32_t* signature)
{
    if (setti_edit_has_callbacks(type, SETTI_ON_REMOVE)) {
        fast_call_unlocked(world, type, SETTI_ON_REMOVE, entity,
                           setti_storage_at(&type->storage, entity.index));
    }
    if ((type->flags & (SETTI_TYPE_CASCADES | SETTI_TYPE_DEINIT)) != 0) {
        fast_end_value(world, type, entity.index);
    }
    return fast_remove_row(world, type, entity.index, signature);
}

/* Equals setti_change_remove. */
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
    return SETTI_LIKELY((type->flags & SETTI_TYPE_REMOVE_HOOKS) == 0)
               ? fast_remove_row(world, type, entity.index, signature)
               : fast_remove_notified(world, type, entity, signature);
}
