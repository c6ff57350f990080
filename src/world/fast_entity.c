/* fast_entity.c: entities begin without components, and end with plain ones. The slow path
 * (setti_change_create, setti_change_destroy) handles every case; see fast_path.c.
 *
 * The workload: entities of plain types, whose end runs no callback: the bits of their values
 * are cleared, in line. Whole trees of them end in one walk, where no order can be seen.
 */
#include "world/change.h"

bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type)
{
    SETTI_ASSERT(signature == 0 || (signature & ~SETTI_DYING) < world->signatures.count);
    const setti_signature* record = &world->signatures.record[signature & ~SETTI_DYING];
    bool plain = signature != 0 && world->dont_fragment.count == 0 && world->listeners == NULL;
    for (uint32_t k = 0; plain && k < record->count; k++) {
        const setti_type* item = world->types[record->types[k]];
        plain =
            (item->flags & SETTI_TYPE_ENDINGS) == 0 &&
            (item->cascade == NULL || item == type || (item->flags & SETTI_TYPE_UNLINKS) != 0) &&
            item->storage.kind != SETTI_SPARSE;
    }
    return plain;
}

/* ------------------------------------------------------------------------------------- creating */

/* Creates an entity at the lowest free index of the hinted word, after which the word can be empty;
 * on the slow path if it is empty already, or if observers have to be notified. */
SETTI_APART static sett_entity fast_create_last(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    uint32_t word = table->hint;
    setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    uint64_t bits = page != NULL ? page->free[word % SETTI_ENTITY_WORDS] : 0;
    if (SETTI_UNLIKELY(bits == 0 || world->detained != 0)) {
        return setti_change_create(world);
    }
    setti_entity_write(&world->pool, table, word * 64);
    sett_entity entity = setti_entity_take_lowest(table, page, bits);
    if ((bits & (bits - 1)) == 0) {
        setti_entity_hint_ends(table);
    }
    return entity;
}

/* The only free index of a word that the summary does not know of: where one entity ends and one
 * begins while all other indices are in use. */
SETTI_APART static sett_entity fast_create_only(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    setti_entity_page* page = setti_entity_page_of(table, table->hint * 64);
    uint64_t bits = page != NULL ? page->free[table->hint % SETTI_ENTITY_WORDS] : 0;
    if (bits == 0 || (bits & (bits - 1)) != 0 || !setti_entity_may_hint_end(table) ||
        world->detained != 0 ||
        !setti_entity_try_mark(&world->pool, table, table->hint * 64, true)) {
        return fast_create_last(world);
    }
    sett_entity entity = setti_entity_take_lowest(table, page, bits);
    setti_entity_end_hint(table);
    return entity;
}

/* Takes the lowest free index, where its page exists and others are free in its word. Without `cow`
 * nothing detains the world. Calls nothing. Equals setti_change_create. */
SETTI_INLINE sett_entity fast_create_fast(sett_world* world, bool cow)
{
    setti_entity_table* table = &world->entities;
    uint32_t number = table->hint / SETTI_ENTITY_WORDS;
    setti_entity_page* page = setti_pages_get(&table->pages, number);
    if (SETTI_UNLIKELY(page == NULL || (cow && world->detained != 0))) {
        return fast_create_only(world);
    }
    uint64_t bits = page->free[table->hint % SETTI_ENTITY_WORDS];
    if (SETTI_UNLIKELY((bits & (bits - 1)) == 0 ||
                       !setti_pages_try_mark(&world->pool, &table->pages, number, cow))) {
        return fast_create_only(world);
    }
    return setti_entity_take_lowest(table, page, bits);
}

SETTI_APART static sett_entity fast_create_cow(sett_world* world)
{
    return fast_create_fast(world, true);
}

/* Equals setti_change_create. */
sett_entity sett_entity_create(sett_world* world)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return sett_null();
    }
    setti_world_check_owner(world, __func__);
    if (!SETTI_FAST_PATHS) {
        return setti_change_create(world);
    }
    return SETTI_LIKELY((world->pool.cow_from | world->detained) == 0)
               ? fast_create_fast(world, false)
               : fast_create_cow(world);
}

/* Whether an entity at an index can get the type without memory: an array, or a tag, whose page
 * exists. Equals the reserving of one type in setti_edit_reserve_at. */
SETTI_INLINE bool fast_is_ready(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_storage* storage = &type->storage;
    bool ready = SETTI_LIKELY(storage->kind == SETTI_ARRAY)
                     ? setti_pages_get(&storage->rows, index >> storage->shift) != NULL
                     : storage->kind == SETTI_TAG && setti_storage_word(storage, index) != NULL;
    return ready &&
           (SETTI_LIKELY(type->cascade == NULL) || type->storage.count < type->collect_room ||
            setti_edit_reserve_collect(world, type, 1));
}

/* Commits an edit at the lowest free index, which is not the last of its word, if all its types are
 * ready there. False, and nothing is done, if they are not. Equals setti_edit_reserve_at and
 * setti_edit_commit. */
SETTI_INLINE bool fast_try_begin(sett_world* world, setti_edit* edit)
{
    setti_entity_table* table = &world->entities;
    uint32_t word = table->hint;
    setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    uint64_t bits = page != NULL ? page->free[word % SETTI_ENTITY_WORDS] : 0;
    if (!SETTI_FAST_PATHS || (bits & (bits - 1)) == 0 ||
        (world->pool.cow_from | world->detained) != 0 ||
        setti_edit_does(world, edit, SETTI_PLAN_ENTERS)) {
        return false;
    }
    uint32_t index = word * 64 + setti_bits_lowest(bits);
    uint32_t flags = 0;
    const setti_edit_part* end = edit->added + edit->added_count;
    for (const setti_edit_part* part = edit->added; part != end; part++) {
        flags |= part->type->flags;
        if (SETTI_UNLIKELY(!fast_is_ready(world, part->type, index))) {
            return false;
        }
    }
    edit->flags = flags;
    (void)setti_pages_try_mark(&world->pool, &table->pages, word / SETTI_ENTITY_WORDS, false);
    edit->entities[0] = setti_entity_take_lowest(table, page, bits);
    page->signature[index & SETTI_ENTITY_MASK] = edit->to;
    for (const setti_edit_part* part = edit->added; part != end; part++) {
        setti_storage* storage = &part->type->storage;
        void* row = SETTI_LIKELY(storage->kind == SETTI_ARRAY)
                        ? setti_array_insert_one(&world->pool, storage, index, false)
                        : setti_storage_try_insert(&world->pool, storage, index);
        setti_edit_write(part, row);
    }
    return true;
}

bool setti_edit_begin(sett_world* world, setti_edit* edit)
{
    SETTI_ASSERT(edit->creates && edit->count == 1 && edit->to != SETTI_NONE && world->locks == 0);
    uint32_t index;
    if (SETTI_LIKELY(fast_try_begin(world, edit))) {
        return true;
    }
    if (!setti_entity_reserve_lowest(&world->pool, &world->entities, &index) ||
        !setti_edit_reserve_at(world, edit, index)) {
        return false;
    }
    setti_edit_commit(world, edit);
    return true;
}

/* ----------------------------------------------------------------------------------- destroying */

/* Unlinks a value that goes, if its type allows no more than that. */
SETTI_INLINE void fast_unlink(sett_world* world, setti_type* type, uint32_t index)
{
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_UNLINKS) != 0)) {
        type->cascade->unlink(world, type, index);
    }
}

SETTI_INLINE void fast_erase(sett_world* world, setti_type* type, uint32_t index)
{
    setti_erased erased = setti_array_try_erase(&world->pool, &type->storage, index);
    if (SETTI_UNLIKELY(erased != SETTI_ERASED)) {
        if (erased == SETTI_EMPTIED) {
            setti_array_word_emptied(&world->pool, &type->storage, index);
        } else {
            setti_storage_erase(&world->pool, &type->storage, index);
        }
    }
}

/* Ends an entity whose end runs no callback. Equals setti_change_destroy. */
static void fast_end(sett_world* world, uint32_t index)
{
    uint32_t set = setti_entity_set_of(&world->entities, index);
    SETTI_ASSERT((set & SETTI_DYING) == 0);
    for (uint32_t k = 0; set != 0 && k < world->signatures.record[set].count; k++) {
        setti_type* type = world->types[world->signatures.record[set].types[k]];
        fast_unlink(world, type, index);
        fast_erase(world, type, index);
    }
    setti_entity_destroy(&world->pool, &world->entities, index);
}

/* Like fast_end, of one that has something, nothing of it in sparse sets, while no snapshot is
 * held. */
SETTI_INLINE void fast_end_no_cow(sett_world* world, uint32_t index)
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
        setti_entity_destroy(&world->pool, table, index);
    } else {
        if (setti_entity_free_bits(table, index / 64) == 0) {
            setti_entity_word_begins(table, index / 64);
        }
        setti_entity_destroy_no_cow(&world->pool, table, entity);
    }
}

/* Destroys an entity and all that its end collects, one after another, without a list of them.
 * False when they are not plain: then nothing is done. Equals setti_change_destroy. */
bool setti_fast_destroy_tree(sett_world* world, setti_type* cascading, uint32_t index)
{
    const setti_cascade* cascade = cascading->cascade;
    uint32_t at = SETTI_NONE;
    if (SETTI_FAST_PATHS && (cascading->flags & SETTI_TYPE_UNLINKS) != 0) {
        uint32_t set = setti_entity_set_of(&world->entities, index);
        at = setti_change_is_plain(world, set, NULL) ? index : SETTI_NONE;
    } else if (SETTI_FAST_PATHS && cascade->begin != NULL) {
        at = cascade->begin(world, cascading, index);
    }
    if (at == SETTI_NONE) {
        return false;
    }
    bool cow = world->pool.cow_from != 0;
    while (at != SETTI_NONE) {
        uint32_t next = at != index ? cascade->next(world, cascading, at) : SETTI_NONE;
        if (SETTI_LIKELY(!cow)) {
            fast_end_no_cow(world, at);
        } else {
            fast_end(world, at);
        }
        at = next;
    }
    return true;
}

/* Where nothing but the entity's rows goes; while a snapshot is held, too. Equals
 * setti_change_destroy. */
SETTI_APART sett_status setti_fast_destroy(sett_world* world, sett_entity entity,
                                           setti_ending ending)
{
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || signature == NULL || (*signature & SETTI_DYING) != 0 ||
                       world->locks != 0 || world->dont_fragment.count != 0 ||
                       world->listeners != NULL ||
                       (*signature != 0 && world->signatures.record[*signature].hooked != 0))) {
        return setti_change_destroy(world, entity, ending);
    }
    fast_end(world, entity.index);
    return SETT_OK;
}

/* From so many values on their memory is asked for ahead. */
#define FAST_ERASE_SOON 3

/* Asks for what the ends of an entity's values touch in sparse sets, from the k-th type on, so that
 * the waits overlap: an entity with values in 8 of 1,000 sets, which do not fit the second-level
 * cache, ends in half of the time. */
static void fast_erase_soon(const sett_world* world, uint32_t index, const setti_signature* record,
                            uint32_t k)
{
    for (uint32_t at = k; at < record->count; at++) {
        const setti_storage* storage = &world->types[record->types[at]]->storage;
        SETTI_PREFETCH(storage->presence.data);
        SETTI_PREFETCH(&storage->rows.data);
        SETTI_PREFETCH(&storage->count);
    }
    for (uint32_t at = k; at < record->count; at++) {
        const setti_storage* storage = &world->types[record->types[at]]->storage;
        if (storage->hashed != 0) {
            setti_index_prefetch(storage, index);
        }
    }
}

/* The rest of fast_destroy_short, from the k-th type on: a sparse set, or one whose word of
 * occupancy became 0 just now. */
SETTI_APART static sett_status fast_destroy_rest(sett_world* world, uint32_t index,
                                                 const setti_signature* record, uint32_t k)
{
    SETTI_ASSERT(world->pool.cow_from == 0 && k < record->count);
    setti_storage* storage = &world->types[record->types[k]]->storage;
    if (storage->kind == SETTI_SPARSE) {
        if (record->count - k >= FAST_ERASE_SOON) {
            fast_erase_soon(world, index, record, k);
        }
        setti_storage_erase(&world->pool, storage, index);
    } else {
        setti_array_word_emptied(&world->pool, storage, index);
    }
    while (++k < record->count) {
        fast_erase(world, world->types[record->types[k]], index);
    }
    return SETT_OK;
}

/* Ends an entity, and then erases the values of its signature, unless that is NULL. The entity ends
 * first: then fewer registers are saved over the loop, and no callback runs in between. */
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
    do { /* a set with a number is not empty */
        setti_storage* storage = &world->types[record->types[k]]->storage;
        if (SETTI_UNLIKELY(storage->kind == SETTI_SPARSE ||
                           setti_array_erase_no_cow(&world->pool, storage, entity.index) ==
                               SETTI_EMPTIED)) {
            return fast_destroy_rest(world, entity.index, record, k);
        }
    } while (++k < record->count);
    return SETT_OK;
}

/* Like fast_destroy_short, where no other index of the word is free: the summary learns of it. */
SETTI_APART static sett_status fast_destroy_first(sett_world* world, sett_entity entity,
                                                  const setti_signature* record)
{
    setti_entity_word_begins(&world->entities, entity.index / 64);
    return fast_destroy_short(world, entity, record);
}

/* The fast path: plain types, no callbacks, no snapshot held. Calls nothing. Equals
 * setti_change_destroy. */
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
                       page->generation[slot] != entity.generation ||
                       entity.generation >= SETTI_GENERATION_MAX || /* the last, or none */
                       (world->pool.cow_from | world->detained | world->dont_fragment.count |
                        (uintptr_t)world->listeners) != 0)) {
        return setti_fast_destroy(world, entity, SETTI_ENDING_DESTROY);
    }
    uint32_t set = page->signature[slot]; /* not dying: nothing is locked */
    const setti_signature* record = NULL;
    if (SETTI_LIKELY(set != 0)) {
        record = &world->signatures.record[set];
        if (SETTI_UNLIKELY(record->hooked != 0)) {
            return setti_fast_destroy(world, entity, SETTI_ENDING_DESTROY);
        }
    }
    return SETTI_LIKELY(page->free[entity.index / 64 % SETTI_ENTITY_WORDS] != 0) ||
                   setti_entity_try_word_begins(table, entity.index / 64)
               ? fast_destroy_short(world, entity, record)
               : fast_destroy_first(world, entity, record);
}
