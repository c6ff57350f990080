/* change_destroy.c: destroys entities. With a cascade, other entities are destroyed first, for
 * example the children of a parent.
 *
 * The workload: entities with plain types only. The fast path runs no callback, and clears the bits
 * of values in line. It destroys a whole tree in one walk. Other entities take the slow path: one
 * edit removes all components and destroys the entity. These are entities with hooks, dont_fragment
 * types, groups, or links to or from other entities.
 *
 * The slow path of a cascade first collects all entities to destroy in world->collect_list. The
 * memory of the list is reserved when entities are linked, so that destroying needs no memory.
 * `collect` is called for each entity of the list, and appends further entities. All entities in
 * the list are dying. If no entity rejects the destruction, all are destroyed, from the last to the
 * first. So a chain of a million entities takes no more stack than one entity. The order of
 * destruction decides the order of rows in sparse sets, so all paths must have the same order.
 * fast_destroy_tree has another order, and is only for trees without values in sparse sets.
 *
 * Invariant:  a dying entity does not change until it is destroyed;
 *             collect_room > number of entities with types that collect
 */
#include "world/change.h"

bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type)
{
    SETTI_ASSERT(signature == 0 || (signature & ~SETTI_DYING) < world->signatures.count);
    const setti_signature* record = &world->signatures.record[signature & ~SETTI_DYING];
    if (signature == 0 || world->dont_fragment.count != 0 || world->listeners != NULL) {
        return false;
    }
    for (uint32_t k = 0; k < record->count; k++) {
        const setti_type* item = world->types[record->types[k]];
        if ((item->flags & SETTI_TYPE_ENDINGS) != 0) { /* calls the program */
            return false;
        }
        if (item->cascade != NULL && item != type && (item->flags & SETTI_TYPE_UNLINKS) == 0) {
            return false;
        }
        if (item->storage.kind == SETTI_SPARSE) {
            return false;
        }
    }
    return true;
}

/* Takes a value out of the lists of links, if the type has SETTI_TYPE_UNLINKS. */
SETTI_INLINE void fast_unlink(sett_world* world, setti_type* type, uint32_t index)
{
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_UNLINKS) != 0)) {
        type->cascade->unlink(world, type, index);
    }
}

/* Erases an entity's value from any storage. Does not unlink the value, and runs no hook. */
SETTI_INLINE void fast_erase(sett_world* world, setti_type* type, uint32_t index)
{
    setti_erased erased = setti_array_try_erase(&world->pool, &type->storage, index);
    if (SETTI_UNLIKELY(erased != SETTI_ERASED)) {
        if (erased == SETTI_EMPTIED) { /* erased, and it was the last value in its word of bits */
            setti_array_word_emptied(&world->pool, &type->storage, index);
        } else { /* not erased: this is no array, or a snapshot needs the page */
            setti_storage_erase(&world->pool, &type->storage, index);
        }
    }
}

/* Destroys an entity whose values only need to be unlinked and erased. */
static void fast_destroy_plain(sett_world* world, uint32_t index)
{
    uint32_t signature = setti_entity_set_of(&world->entities, index);
    SETTI_ASSERT((signature & SETTI_DYING) == 0);
    for (uint32_t k = 0; signature != 0 && k < world->signatures.record[signature].count; k++) {
        setti_type* type = world->types[world->signatures.record[signature].types[k]];
        fast_unlink(world, type, index);
        fast_erase(world, type, index);
    }
    setti_entity_destroy(&world->pool, &world->entities, index);
}

/* Like fast_destroy_plain, but only for values in arrays and tags, and while no snapshot is
 * held. */
SETTI_INLINE void fast_destroy_plain_no_cow(sett_world* world, uint32_t index)
{
    SETTI_ASSERT(world->pool.cow_from == 0);
    setti_entity_table* table = &world->entities;
    uint32_t slot = index & SETTI_ENTITY_MASK;
    const setti_entity_page* page = table->pages.data[index >> SETTI_ENTITY_SHIFT];
    const setti_signature* record = &world->signatures.record[page->signature[slot]];
    for (uint32_t k = record->count; k-- > 0;) {
        setti_type* type = world->types[record->types[k]];
        fast_unlink(world, type, index);
        if (SETTI_UNLIKELY(setti_array_erase_no_cow(&world->pool, &type->storage, index) ==
                           SETTI_EMPTIED)) {
            setti_array_word_emptied(&world->pool, &type->storage, index);
        }
    }
    sett_entity entity = {index, page->generation[slot]};
    if (SETTI_UNLIKELY(entity.generation == SETTI_GENERATION_MAX)) {
        setti_entity_destroy(&world->pool, table, index); /* retires the index */
    } else {
        if (setti_entity_free_bits(table, index / 64) == 0) { /* its first free index */
            setti_entity_add_word(table, index / 64);
        }
        setti_entity_destroy_no_cow(&world->pool, table, entity);
    }
}

/* Prepares to destroy an entity and the tree below it. Returns the first entity to destroy. Returns
 * SETTI_NONE if an entity of the tree is not plain. */
SETTI_INLINE uint32_t fast_begin_tree(sett_world* world, setti_type* cascading, uint32_t index)
{
    if (!SETTI_FAST_PATHS) {
        return SETTI_NONE;
    }
    if ((cascading->flags & SETTI_TYPE_UNLINKS) != 0) { /* the tree is one entity */
        uint32_t signature = setti_entity_set_of(&world->entities, index);
        bool plain = setti_change_is_plain(world, signature, SETTI_NO_CASCADE);
        return plain ? index : SETTI_NONE;
    }
    if (cascading->cascade->begin == NULL) {
        return SETTI_NONE;
    }
    return cascading->cascade->begin(world, cascading, index);
}

/* Destroys an entity and the tree below it, without the list of entities to destroy. Returns false
 * if an entity of the tree is not plain: then nothing is destroyed. */
SETTI_APART static bool fast_destroy_tree(sett_world* world, setti_type* cascading, uint32_t index)
{
    const setti_cascade* cascade = cascading->cascade;
    uint32_t current = fast_begin_tree(world, cascading, index);
    if (current == SETTI_NONE) {
        return false;
    }
    bool cow = world->pool.cow_from != 0;
    while (current != SETTI_NONE) {
        uint32_t next = SETTI_NONE; /* the root, at `index`, is destroyed last */
        if (current != index) {
            next = cascade->next(world, cascading, current);
        }
        if (SETTI_LIKELY(!cow)) {
            fast_destroy_plain_no_cow(world, current);
        } else {
            fast_destroy_plain(world, current);
        }
        current = next;
    }
    return true;
}

/* Returns true if, to destroy an entity, it is enough to erase the values.
 *   signature  of the entity. NULL: the handle is stale */
SETTI_INLINE bool fast_only_erases(const sett_world* world, const uint32_t* signature)
{
    if (!SETTI_FAST_PATHS || signature == NULL || (*signature & SETTI_DYING) != 0) {
        return false;
    }
    if (world->locks != 0 || world->dont_fragment.count != 0 || world->listeners != NULL) {
        return false;
    }
    return *signature == 0 || world->signatures.record[*signature].hooked == 0;
}

/* Destroys an entity, by the fast path if erasing the values is enough. */
SETTI_APART static sett_status fast_destroy(sett_world* world, sett_entity entity,
                                            setti_ending ending)
{
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(!fast_only_erases(world, signature))) {
        return setti_change_destroy(world, entity, ending);
    }
    fast_destroy_plain(world, entity.index);
    return SETT_OK;
}

/* Memory is prefetched if at least this many values are left to erase. */
#define FAST_PREFETCH_FROM 3

/* Prefetches memory to erase values in sparse sets. With the prefetch, an entity with values in 8
 * of 1,000 sets is destroyed in half the time.
 *   first  the first type of the signature whose value is not erased yet */
static void fast_prefetch_sparse(const sett_world* world, uint32_t index,
                                 const setti_signature* record, uint32_t first)
{
    for (uint32_t k = first; k < record->count; k++) {
        const setti_storage* storage = &world->types[record->types[k]]->storage;
        SETTI_PREFETCH(storage->presence.data);
        SETTI_PREFETCH(&storage->rows.data);
        SETTI_PREFETCH(&storage->count);
    }
    /* a second loop, which reads what the first loop has prefetched */
    for (uint32_t k = first; k < record->count; k++) {
        const setti_storage* storage = &world->types[record->types[k]]->storage;
        if (storage->hashed != 0) {
            setti_index_prefetch(storage, index);
        }
    }
}

/* Does the rest of fast_destroy_short, from the k-th type of the signature on. */
SETTI_APART static sett_status fast_destroy_rest(sett_world* world, uint32_t index,
                                                 const setti_signature* record, uint32_t k)
{
    SETTI_ASSERT(world->pool.cow_from == 0 && k < record->count);
    setti_storage* storage = &world->types[record->types[k]]->storage;
    if (storage->kind == SETTI_SPARSE) {
        if (record->count - k >= FAST_PREFETCH_FROM) {
            fast_prefetch_sparse(world, index, record, k);
        }
        setti_storage_erase(&world->pool, storage, index);
    } else { /* fast_destroy_short has erased the value, the last one in a word of bits */
        setti_array_word_emptied(&world->pool, storage, index);
    }
    while (++k < record->count) {
        fast_erase(world, world->types[record->types[k]], index);
    }
    return SETT_OK;
}

/* Destroys an entity, then erases its values. In this order the loop needs fewer registers. The
 * order does not matter otherwise, because no callback runs between the two steps.
 *   record  the entity's signature. NULL: the entity has no values */
SETTI_INLINE sett_status fast_destroy_short(sett_world* world, sett_entity entity,
                                            const setti_signature* record)
{
    SETTI_ASSERT(world->pool.cow_from == 0 && world->locks == 0);
    setti_entity_destroy_no_cow(&world->pool, &world->entities, entity);
    if (record == NULL) {
        return SETT_OK;
    }
    SETTI_ASSERT(record->count != 0);
    uint32_t k = 0;
    do { /* no test before the first round: a signature has at least one type */
        setti_storage* storage = &world->types[record->types[k]]->storage;
        if (SETTI_UNLIKELY(storage->kind == SETTI_SPARSE ||
                           setti_array_erase_no_cow(&world->pool, storage, entity.index) ==
                               SETTI_EMPTIED)) {
            return fast_destroy_rest(world, entity.index, record, k);
        }
    } while (++k < record->count);
    return SETT_OK;
}

/* Like fast_destroy_short, for a word of the entity table that has no free index yet. The word is
 * added to the words with free indices first. */
SETTI_APART static sett_status fast_destroy_first(sett_world* world, sett_entity entity,
                                                  const setti_signature* record)
{
    setti_entity_add_word(&world->entities, entity.index / 64);
    return fast_destroy_short(world, entity, record);
}

/* Erases the values of plain types in line, while no snapshot is held. */
sett_status sett_entity_destroy(sett_world* world, sett_entity entity)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, __func__);
    setti_entity_table* table = &world->entities;
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    uint32_t slot = entity.index & SETTI_ENTITY_MASK;
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || page == NULL ||
                       page->generation[slot] != entity.generation)) {
        return fast_destroy(world, entity, SETTI_ENDING_DESTROY);
    }
    /* the index has its last generation, or the handle is not valid */
    if (SETTI_UNLIKELY(entity.generation >= SETTI_GENERATION_MAX)) {
        return fast_destroy(world, entity, SETTI_ENDING_DESTROY);
    }
    if (SETTI_UNLIKELY((world->pool.cow_from | world->locks_or_observers |
                        world->dont_fragment.count | (uintptr_t)world->listeners) != 0)) {
        return fast_destroy(world, entity, SETTI_ENDING_DESTROY);
    }
    uint32_t signature = page->signature[slot]; /* without SETTI_DYING, because nothing is locked */
    const setti_signature* record = NULL;
    if (SETTI_LIKELY(signature != 0)) {
        record = &world->signatures.record[signature];
        if (SETTI_UNLIKELY(record->hooked != 0)) {
            return fast_destroy(world, entity, SETTI_ENDING_DESTROY);
        }
    }
    if (SETTI_LIKELY(page->free[entity.index / 64 % SETTI_ENTITY_WORDS] != 0) ||
        setti_entity_try_add_word(table, entity.index / 64)) {
        return fast_destroy_short(world, entity, record);
    }
    return fast_destroy_first(world, entity, record);
}

void setti_change_collect(sett_world* world, uint32_t index)
{
    if (sett_is_null(setti_entity_at(&world->entities, index))) {
        return; /* a link to a destroyed entity: possible only while all entities are destroyed */
    }
    uint32_t* signature = setti_entity_set_mut(&world->entities, index);
    if ((*signature & SETTI_DYING) != 0) { /* in the list already */
        return;
    }
    SETTI_ASSERT(world->collect_count < world->collect_room);
    setti_edit_write_signature(world, index, signature, *signature | SETTI_DYING);
    world->collect_list[world->collect_count++] = index;
}

/* Destroys one dying entity by an edit.
 *   forgets  the world forgets the handle, so that it can be created again */
static void destroy_one(sett_world* world, uint32_t index, bool forgets)
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    uint32_t signature = *setti_entity_signature(&world->entities, entity) & ~SETTI_DYING;
    SETTI_ASSERT((*setti_entity_signature(&world->entities, entity) & SETTI_DYING) != 0);
    setti_edit edit = {
        .entities = &entity,
        .count = 1,
        .from = signature,
        .removes_all = true,
        .destroys = true,
        /* in the world's own range, the world itself would create the handle again */
        .forgets = forgets && !setti_entity_in_range(&world->entities, index)};
    setti_edit_notify_leaving(world, &edit);
    setti_edit_release(world, &edit);
    setti_edit_commit(world, &edit);
}

/* Which function of setti_cascade is called for all collected entities. */
typedef enum cascade_step {
    CASCADE_COLLECT,
    CASCADE_VALIDATE,
    CASCADE_DETACH,
} cascade_step;

/* Calls the function of a step for one type of a collected entity, if the type has this
 * function. */
static sett_status cascade_call(sett_world* world, setti_type* type, uint32_t index,
                                cascade_step step)
{
    const setti_cascade* cascade = type->cascade;
    if (cascade == NULL) {
        return SETT_OK;
    }
    if (step == CASCADE_COLLECT && cascade->collect != NULL) {
        return cascade->collect(world, type, index);
    }
    if (step == CASCADE_VALIDATE && cascade->validate != NULL) {
        return cascade->validate(world, type, index);
    }
    if (step == CASCADE_DETACH && cascade->detach != NULL) {
        cascade->detach(world, type, index);
    }
    return SETT_OK;
}

/* Calls the function of a step for each type of a collected entity, until one call fails. */
static sett_status cascade_take_step(sett_world* world, uint32_t index, cascade_step step)
{
    SETTI_ASSERT(world->collect_count != 0);
    SETTI_ASSERT((setti_entity_set_of(&world->entities, index) & SETTI_DYING) != 0);
    uint32_t signature = setti_entity_set_of(&world->entities, index) & ~SETTI_DYING;
    for (uint32_t k = 0; signature != 0 && k < world->signatures.record[signature].count; k++) {
        setti_type* type = world->types[world->signatures.record[signature].types[k]];
        sett_status status = cascade_call(world, type, index, step);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Calls the function of a step for all collected entities.
 *   forced  a failure does not end the loop */
static sett_status cascade_take_step_for_all(sett_world* world, cascade_step step, bool forced)
{
    sett_status status = SETT_OK;
    /* collect_count grows meanwhile, because `collect` appends entities to the list */
    for (uint32_t k = 0; k < world->collect_count && (status == SETT_OK || forced); k++) {
        status = cascade_take_step(world, world->collect_list[k], step);
    }
    return status;
}

/* Takes all steps for the collected entities. Returns an error if an entity must not be destroyed.
 *   forced  all entities are destroyed: none may reject this, and links need no clean-up */
static sett_status cascade_take_steps(sett_world* world, bool forced)
{
    sett_status status = cascade_take_step_for_all(world, CASCADE_COLLECT, forced);
    if (forced) {
        return SETT_OK;
    }
    if (status != SETT_OK) {
        return status;
    }
    status = cascade_take_step_for_all(world, CASCADE_VALIDATE, forced);
    if (status != SETT_OK) {
        return status;
    }
    (void)cascade_take_step_for_all(world, CASCADE_DETACH, forced);
    return SETT_OK;
}

/* Destroys an entity and all entities that the cascades collect, or none after an error. */
static sett_status cascade_destroy(sett_world* world, setti_type* type, uint32_t index,
                                   setti_ending ending)
{
    bool forced = ending == SETTI_ENDING_ALL;
    bool forgets = ending == SETTI_ENDING_FORGET;
    SETTI_ASSERT(world->collect_count == 0);
    SETTI_ASSERT(type->cascade != NULL && world->locks == 0);
    if (!forgets && fast_destroy_tree(world, type, index)) {
        return SETT_OK;
    }
    setti_edit_settle(world);
    setti_edit_pin(world);
    setti_change_collect(world, index);
    sett_status status = cascade_take_steps(world, forced);
    setti_edit_unpin(world);
    while (world->collect_count != 0) {
        uint32_t dying = world->collect_list[--world->collect_count];
        if (status != SETT_OK) { /* rejected: the entity survives */
            *setti_entity_set_mut(&world->entities, dying) &= ~SETTI_DYING;
        } else {
            destroy_one(world, dying, forgets);
        }
    }
    return status;
}

/* Makes room in collect_list for `need` entities of a type. Returns false if memory runs out. */
static bool cascade_reserve(sett_world* world, setti_type* type, uint64_t need)
{
    SETTI_ASSERT(world->collect_count == 0 && need > type->collect_room);
    SETTI_ASSERT(world->collect_room > type->collect_room);
    /* additional entries: half more than needed, and 64, so that the next calls find room */
    uint64_t more = need + need / 2 + 64 - type->collect_room;
    size_t size;
    if (more > SETTI_NONE - world->collect_room ||
        !setti_multiply(world->collect_room + (size_t)more, sizeof(uint32_t), &size)) {
        return false;
    }
    uint32_t* list = setti_pool_alloc(&world->pool, size, 16);
    if (list == NULL) {
        return false;
    }
    /* the first list is a member of the world, and is not freed */
    if (world->collect_list != &world->collect_one) {
        size = world->collect_room * sizeof(uint32_t);
        setti_pool_free(&world->pool, world->collect_list, size, 16);
    }
    world->collect_list = list;
    world->collect_room += (uint32_t)more;
    type->collect_room += (uint32_t)more;
    return true;
}

void setti_component_set_cascade(sett_world* world, setti_type* type, const setti_cascade* cascade)
{
    static const setti_cascade_calls calls = {cascade_destroy, cascade_reserve};
    SETTI_ASSERT(type->storage.count == 0 && cascade->unlink != NULL);
    bool hooked = (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    SETTI_ASSERT(!cascade->alone || (cascade->collect == NULL && cascade->validate == NULL));
    type->flags |= SETTI_TYPE_CASCADES;
    if (cascade->alone) {
        type->flags |= SETTI_TYPE_UNLINKS;
    }
    if (!hooked) {
        /* old signatures do not know that the type is hooked */
        setti_edit_reclaim_signatures(world);
    }
    if (type->cascade == NULL) {
        world->cascading++;
    }
    type->cascade = cascade;
    world->cascade_calls = &calls;
}

/* Returns the first type of a signature that may collect entities. If there is no such type,
 * returns the last type that only unlinks. Returns NULL if no type of the signature cascades. */
static setti_type* change_cascading_type(const sett_world* world, uint32_t signature)
{
    SETTI_ASSERT(signature == 0 || signature < world->signatures.count);
    if (signature == 0 || world->cascading == 0) {
        return NULL;
    }
    const setti_signature* record = &world->signatures.record[signature];
    setti_type* found = NULL;
    for (uint32_t k = 0; k < record->count; k++) {
        setti_type* type = world->types[record->types[k]];
        if (type->cascade != NULL) {
            found = type;
            if ((type->flags & SETTI_TYPE_UNLINKS) == 0) {
                break;
            }
        }
    }
    return found;
}

/* Returns the name of the call that destroys an entity, for messages. */
SETTI_COLD static const char* change_destroy_call(const sett_world* world, bool forgets)
{
    if (forgets) {
        return "sett_entity_forget";
    }
    return setti_change_destroyer(world);
}

/* Sets the world's error for a stale handle, but does not report it: to destroy an entity twice is
 * no misuse. Returns the error. */
SETTI_COLD static sett_status change_destroy_stale(sett_world* world, sett_entity entity,
                                                   bool forgets)
{
    if (world->side_by_side) { /* no thread may write to the world meanwhile */
        return SETT_STATUS_STALE;
    }
    world->error = SETT_STATUS_STALE;
    world->error_call = change_destroy_call(world, forgets);
    world->error_entity = entity;
    world->error_component = 0;
    return SETT_STATUS_STALE;
}

/* Reports that an entity cannot be forgotten: this world creates entities at the index, so the
 * handle cannot come back. Returns the error. */
SETTI_COLD static sett_status change_reject_own(sett_world* world, sett_entity entity)
{
    const setti_entity_table* table = &world->entities;
    return setti_world_fail_with(
        world, SETT_STATUS_ARGUMENT,
        "sett_entity_forget: entity %u:%u is in the range where this world creates entities (%u "
        "to %u), so its handle cannot be created again - call sett_entity_destroy, or first "
        "choose another range (sett_entity_set_range)",
        SETTI_HANDLE(entity), (unsigned)table->first * 64, (unsigned)setti_entity_end(table) - 1);
}

/* Handles a call that destroys an entity in a locked world. Closes loops that were left open by
 * mistake. If these were all locks, destroys the entity. Otherwise reports an error. */
SETTI_COLD static sett_status change_destroy_locked(sett_world* world, sett_entity entity,
                                                    setti_ending ending)
{
    const bool forgets = ending == SETTI_ENDING_FORGET;
    sett_status status = setti_world_check_unlocked(world, change_destroy_call(world, forgets));
    if (status != SETT_OK) {
        return status;
    }
    return setti_change_destroy(world, entity, ending);
}

sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending)
{
    bool forgets = ending == SETTI_ENDING_FORGET;
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        return change_destroy_stale(world, entity, forgets);
    }
    if ((*signature & SETTI_DYING) != 0) {
        return SETT_OK; /* called by a callback that runs because the entity is being destroyed */
    }
    if (SETTI_UNLIKELY(world->locks != 0)) {
        return change_destroy_locked(world, entity, ending);
    }
    if (forgets && setti_entity_in_range(&world->entities, entity.index)) {
        return change_reject_own(world, entity);
    }
    setti_type* cascading = change_cascading_type(world, *signature);
    if (cascading != NULL) {
        return world->cascade_calls->destroy(world, cascading, entity.index, ending);
    }
    setti_edit_write_signature(world, entity.index, signature, *signature | SETTI_DYING);
    destroy_one(world, entity.index, forgets);
    return SETT_OK;
}

sett_status sett_entity_forget(sett_world* world, sett_entity entity)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, __func__);
    /* in a locked world this fails; `destroyer` is not set, because other threads may read it */
    if (world->locks != 0) {
        return setti_change_destroy(world, entity, SETTI_ENDING_FORGET);
    }
    world->destroyer = __func__;
    sett_status status = setti_change_destroy(world, entity, SETTI_ENDING_FORGET);
    world->destroyer = NULL;
    return status;
}

/* Destroys the entity at an index, if there is one. */
static sett_status change_destroy_index(sett_world* world, uint32_t index, setti_ending ending)
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    if (sett_is_null(entity)) {
        return SETT_OK;
    }
    return fast_destroy(world, entity, ending);
}

/* Memory is prefetched this many entities ahead. If a million entities are destroyed in random
 * order, each has three cache misses. */
#define CHANGE_AHEAD 16u

sett_status sett_entity_destroy_many(sett_world* world, const sett_entity* entities, uint32_t count)
{
    sett_status status = setti_world_check_unlocked(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    if (setti_world_lacks_list(world, entities, count, __func__, "entities")) {
        return world->error;
    }
    const setti_entity_table* table = &world->entities;
    world->destroyer = __func__;
    for (uint32_t k = 0; k < count && status != SETT_STATUS_LOCKED; k++) {
        if (count - k > CHANGE_AHEAD) {
            setti_entity_prefetch(table, entities[k + CHANGE_AHEAD].index,
                                  SETTI_PREFETCH_TO_CHANGE);
        }
        if (setti_entity_signature(table, entities[k]) != NULL &&
            sett_entity_destroy(world, entities[k]) != SETT_OK) {
            status = world->error; /* the others are destroyed anyway */
        }
    }
    world->destroyer = NULL;
    return status;
}

sett_status sett_entity_destroy_with(sett_world* world, sett_component component)
{
    setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL) {
        return setti_world_failure(world);
    }
    sett_status status = SETT_OK;
    world->destroyer = __func__;
    SETTI_EACH_INDEX(index, &type->storage) {
        if (change_destroy_index(world, index, SETTI_ENDING_DESTROY) != SETT_OK) {
            status = world->error; /* the others are destroyed anyway */
        }
    }
    world->destroyer = NULL;
    return status;
}

/* Destroys all entities that lack the type `spared`, from the highest index to the lowest. If
 * `spared` is NULL, destroys all entities. */
static void change_destroy_without(sett_world* world, const setti_type* spared)
{
    const setti_entity_table* table = &world->entities;
    for (uint32_t index = setti_entity_capacity(table); index-- > 0 && table->count != 0;) {
        if (setti_entity_page_of(table, index) == NULL) {
            index &= ~SETTI_ENTITY_MASK; /* the first index of the missing page: skips the page */
        } else if (spared == NULL || !setti_storage_has(&spared->storage, index)) {
            (void)change_destroy_index(world, index, SETTI_ENDING_ALL);
        }
    }
    SETTI_ASSERT(spared != NULL || table->count == 0);
}

void setti_change_destroy_all(sett_world* world)
{
    SETTI_ASSERT(world->collect_count == 0 && !world->removing_all);
    if (world->last_tag != NULL && world->last_tag->storage.count != 0) {
        change_destroy_without(world, world->last_tag); /* entities with this tag come last */
    }
    change_destroy_without(world, NULL); /* all entities that are left */
}
