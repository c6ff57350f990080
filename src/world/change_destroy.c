/* change_destroy.c: entities end, with all whom that collects.
 *
 * The workload: entities of plain types, which nobody has to be told of: their values' bits are
 * cleared, in line. Hooks, dont_fragment types, listeners and ties take the slow path: it gathers
 * who goes,
 * asks, strips one after another, and ends their rows all at once.
 *
 * Destroying one entity may doom others, which have to go before it: its children, say. They gather
 * in a list, whose room is made when entities are linked, so that destroying needs none:
 *
 *     collect_list     first | second | third found | ...     collect_room
 *
 * Each is asked in turn whom it collects, and counts as dying from then on. When nobody rejects,
 * they
 * end from the last found to the first. A chain of a million entities takes no more stack than one.
 * This order decides the order of rows in sparse sets, so it is the only one: the walk that
 * ends a tree node by node is for trees in which no order can be seen.
 *
 * Invariant:  a type that an entity has is told, cut and ended once
 *             dying  =>  no change but its end
 *             collect_room >= entities whose links doom them, and one
 */
#include "world/change_internal.h"

/* ------------------------------------------------------------------------------------ stripping */

void setti_change_strip(sett_world* world, sett_entity entity, uint32_t* signature)
{
    uint32_t set = *signature & ~SETTI_DYING;
    const setti_signature empty = {NULL, 0, 0, 0, 0, 0};
    const setti_signature record = set != 0 ? world->signatures.record[set] : empty;
    const setti_type_list* dont_fragment = &world->dont_fragment;
    setti_change_walk walk = setti_change_walk_begin(world, set, NULL, 0);
    setti_change_notify_exit(world, walk, entity);
    for (uint32_t k = dont_fragment->count; k-- > 0;) {
        setti_type* type = dont_fragment->item[k];
        if (setti_change_has_callbacks(type, SETTI_ON_REMOVE) &&
            setti_storage_has(&type->storage, entity.index)) {
            setti_change_call_all(world, type, SETTI_ON_REMOVE, entity,
                                  setti_storage_find(&type->storage, entity.index));
        }
    }
    for (uint32_t k = record.count; record.hooked != 0 && k-- > 0;) {
        const setti_type* type = world->types[record.types[k]];
        if (setti_change_has_callbacks(type, SETTI_ON_REMOVE)) {
            setti_change_call_all(world, type, SETTI_ON_REMOVE, entity,
                                  setti_storage_find(&type->storage, entity.index));
        }
    }
    world->stripping = true;
    for (uint32_t k = record.count; record.hooked != 0 && world->cascading != 0 && k-- > 0;) {
        setti_type* type = world->types[record.types[k]];
        if (type->cascade != NULL) {
            type->cascade->unlink(world, type, entity.index);
        }
    }
    world->stripping = false;
    setti_change_leave(world, walk, entity.index);
    for (uint32_t k = dont_fragment->count; k-- > 0;) {
        setti_type* type = dont_fragment->item[k];
        void* value = setti_storage_find(&type->storage, entity.index);
        if (value != NULL) {
            setti_change_deinit_value(world, type, entity.index);
            setti_storage_erase(&world->pool, &type->storage, entity.index);
        }
    }
    for (uint32_t k = record.count; k-- > 0;) {
        setti_type* type = world->types[record.types[k]];
        setti_change_deinit_value(world, type, entity.index);
        setti_storage_erase(&world->pool, &type->storage, entity.index);
    }
}

/* ----------------------------------------------------------------------------------- the
 * collected */

bool setti_change_reserve_collect(sett_world* world, setti_type* type, uint32_t more)
{
    uint64_t need = (uint64_t)type->storage.count + type->claimed + more;
    if (SETTI_LIKELY(need <= type->collect_room) || type->cascade == NULL ||
        type->cascade->collect == NULL) {
        return true;
    }
    SETTI_ASSERT(world->collect_count == 0);
    uint64_t grown = need + need / 2 + 64 - type->collect_room;
    size_t size;
    if (grown > SETTI_NONE - world->collect_room ||
        !setti_multiply(world->collect_room + (size_t)grown, sizeof(uint32_t), &size)) {
        return false;
    }
    uint32_t* list = setti_pool_alloc(&world->pool, size, 16);
    if (list == NULL) {
        return false;
    }
    if (world->collect_list != &world->collect_one) {
        size = world->collect_room * sizeof(uint32_t);
        setti_pool_free(&world->pool, world->collect_list, size, 16);
    }
    world->collect_list = list;
    world->collect_room += (uint32_t)grown;
    type->collect_room += (uint32_t)grown;
    return true;
}

void setti_change_collect(sett_world* world, uint32_t index)
{
    setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t* signature = &page->signature[index & SETTI_ENTITY_MASK];
    if ((*signature & SETTI_DYING) != 0) {
        return;
    }
    SETTI_ASSERT(world->collect_count < world->collect_room);
    setti_change_set_signature(world, index, signature, *signature | SETTI_DYING);
    world->collect_list[world->collect_count++] = index;
}

/* The first type of a signature that has ties, or NULL. */
static setti_type* change_cascading_type(const sett_world* world, uint32_t set)
{
    const setti_signature* record = &world->signatures.record[set];
    for (uint32_t k = 0; set != 0 && world->cascading != 0 && k < record->count; k++) {
        if (world->types[record->types[k]]->cascade != NULL) {
            return world->types[record->types[k]];
        }
    }
    return NULL;
}

/* What is asked of the ties of everybody collected, one question after another. */
typedef enum change_question {
    CHANGE_COLLECT,
    CHANGE_VALIDATE,
    CHANGE_DETACH,
} change_question;

static sett_status change_ask_type(sett_world* world, setti_type* type, uint32_t index,
                                   change_question question)
{
    const setti_cascade* cascade = type->cascade;
    if (question == CHANGE_DETACH) {
        if (cascade->detach != NULL) {
            cascade->detach(world, type, index);
        }
        return SETT_OK;
    }
    sett_status (*ask)(sett_world*, setti_type*, uint32_t) =
        question == CHANGE_COLLECT ? cascade->collect : cascade->validate;
    return ask != NULL ? ask(world, type, index) : SETT_OK;
}

/* Asks the ties of one of the collected. */
static sett_status change_ask(sett_world* world, uint32_t index, change_question question)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t set = page->signature[index & SETTI_ENTITY_MASK] & ~SETTI_DYING;
    sett_status status = SETT_OK;
    for (uint32_t k = 0; set != 0 && k < world->signatures.record[set].count; k++) {
        setti_type* type = world->types[world->signatures.record[set].types[k]];
        if (type->cascade != NULL && status == SETT_OK) {
            status = change_ask_type(world, type, index, question);
        }
    }
    return status;
}

SETTI_INLINE void change_erase(sett_world* world, setti_type* type, uint32_t index)
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

/* setti_change_strip where nobody but the ties has to be told. False when somebody has: nothing is
 * done then. */
static bool change_strip_quietly(sett_world* world, uint32_t index, uint32_t set)
{
    const setti_signature* record = &world->signatures.record[set];
    bool quiet = world->dont_fragment.count == 0 && world->listeners == NULL;
    for (uint32_t k = 0; quiet && k < record->count; k++) {
        quiet = (world->types[record->types[k]]->flags & SETTI_TYPE_ENDINGS) == 0;
    }
    if (!quiet) {
        return false;
    }
    for (uint32_t k = record->count; k-- > 0;) {
        setti_type* type = world->types[record->types[k]];
        if (type->cascade != NULL) {
            type->cascade->unlink(world, type, index);
        }
    }
    for (uint32_t k = record->count; k-- > 0;) {
        change_erase(world, world->types[record->types[k]], index);
    }
    return true;
}

/* Ends an entity of those that gathered. */
static void change_end_collected(sett_world* world, uint32_t index)
{
    setti_entity_table* table = &world->entities;
    setti_entity_page* page = setti_entity_page_of(table, index);
    uint32_t* signature = &page->signature[index & SETTI_ENTITY_MASK];
    uint32_t set = *signature & ~SETTI_DYING;
    world->stripping = true;
    if (set == 0 || !change_strip_quietly(world, index, set)) {
        setti_change_strip(world, setti_entity_at(table, index), signature);
    }
    world->stripping = false;
    setti_entity_destroy(&world->pool, table, index);
}

/* Asks all who gathered, until one of them rejects. */
static sett_status change_ask_all(sett_world* world, change_question question)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < world->collect_count && status == SETT_OK; k++) {
        status = change_ask(world, world->collect_list[k], question);
    }
    return status;
}

/* Destroys an entity and all whom that collects; rejected, unless forced, when one of them
 * rejects. */
static sett_status change_destroy_cascading(sett_world* world, uint32_t index, bool forced)
{
    sett_status status = SETT_OK;
    SETTI_ASSERT(world->collect_count == 0);
    setti_change_settle(world); /* what is reserved from here on has to stay */
    setti_change_collect(world, index);
    for (uint32_t k = 0; k < world->collect_count && (status == SETT_OK || forced); k++) {
        status = change_ask(world, world->collect_list[k], CHANGE_COLLECT);
    }
    if (!forced && status == SETT_OK) {
        status = change_ask_all(world, CHANGE_VALIDATE);
    }
    if (!forced && status == SETT_OK) {
        /* By force everybody goes: what is left of links goes with those who keep them. */
        (void)change_ask_all(world, CHANGE_DETACH);
    }
    bool rejected = !forced && status != SETT_OK;
    while (world->collect_count != 0) {
        uint32_t last = world->collect_list[--world->collect_count];
        if (rejected) {
            setti_entity_page_of(&world->entities, last)->signature[last & SETTI_ENTITY_MASK] &=
                ~SETTI_DYING;
        } else {
            change_end_collected(world, last);
        }
    }
    return rejected ? status : SETT_OK;
}

bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type)
{
    const setti_signature* record = &world->signatures.record[signature & ~SETTI_DYING];
    bool plain = signature != 0 && world->dont_fragment.count == 0 && world->listeners == NULL;
    for (uint32_t k = 0; plain && k < record->count; k++) {
        const setti_type* item = world->types[record->types[k]];
        plain = (item->flags & SETTI_TYPE_ENDINGS) == 0 &&
                (item->cascade == NULL || item == type) && item->storage.kind != SETTI_SPARSE;
    }
    return plain;
}

/* Ends an entity that nobody is told of. */
static void change_end(sett_world* world, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t set = page->signature[index & SETTI_ENTITY_MASK];
    for (uint32_t k = 0; set != 0 && k < world->signatures.record[set].count; k++) {
        change_erase(world, world->types[world->signatures.record[set].types[k]], index);
    }
    setti_entity_destroy(&world->pool, &world->entities, index);
}

/* The same of one that has something, nothing of it in sparse sets, while no snapshot is
 * held. */
SETTI_INLINE void change_end_no_cow(sett_world* world, uint32_t index)
{
    setti_entity_table* table = &world->entities;
    uint32_t slot = index & SETTI_ENTITY_MASK;
    const setti_entity_page* page = table->pages.data[index >> SETTI_ENTITY_SHIFT];
    const setti_signature* record = &world->signatures.record[page->signature[slot]];
    for (uint32_t k = record->count; k-- > 0;) {
        setti_type* type = world->types[record->types[k]];
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

/* Destroys an entity and all whom that collects one after another, without gathering them. False
 * when
 * they are not plain: then nothing is done. */
static bool change_destroy_plain(sett_world* world, setti_type* cascading, uint32_t index)
{
    uint32_t at = cascading->cascade->begin != NULL
                      ? cascading->cascade->begin(world, cascading, index)
                      : SETTI_NONE;
    if (at == SETTI_NONE) {
        return false;
    }
    bool cow = world->pool.cow_from != 0;
    while (at != SETTI_NONE) {
        uint32_t next = cascading->cascade->next(world, cascading, index, at);
        if (SETTI_LIKELY(!cow)) {
            change_end_no_cow(world, at);
        } else {
            change_end(world, at);
        }
        at = next;
    }
    return true;
}

/* Destroys an entity with hooked or dont_fragment types, or while there are groups. Not cold:
 * whole trees
 * end here. */
SETTI_APART static sett_status change_destroy_slow(sett_world* world, sett_entity entity,
                                                   uint32_t* signature, bool forced)
{
    if ((*signature & SETTI_DYING) != 0) {
        return SETT_OK; /* from one of its own removal hooks */
    }
    setti_type* cascading = change_cascading_type(world, *signature);
    if (cascading != NULL) {
        return change_destroy_plain(world, cascading, entity.index)
                   ? SETT_OK
                   : change_destroy_cascading(world, entity.index, forced);
    }
    setti_change_set_signature(world, entity.index, signature, *signature | SETTI_DYING);
    setti_change_strip(world, entity, signature);
    setti_entity_destroy(&world->pool, &world->entities, entity.index);
    return SETT_OK;
}

static sett_status change_destroy(sett_world* world, sett_entity entity, uint32_t* signature,
                                  bool forced)
{
    uint32_t set = *signature;
    if (SETTI_UNLIKELY((set & SETTI_DYING) != 0 || world->dont_fragment.count != 0 ||
                       world->listeners != NULL ||
                       (set != 0 && world->signatures.record[set].hooked != 0))) {
        return change_destroy_slow(world, entity, signature, forced);
    }
    change_end(world, entity.index);
    return SETT_OK;
}

/* The same for those who destroy many: one copy of the code serves them. */
static sett_status change_destroy_index(sett_world* world, uint32_t index, bool forced)
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    if (sett_is_null(entity)) {
        return SETT_OK;
    }
    return change_destroy(world, entity, setti_entity_signature(&world->entities, entity), forced);
}

SETTI_COLD static sett_status change_destroy_stale(sett_world* world, sett_entity entity)
{
    if (world->side_by_side) { /* nobody writes to the world meanwhile */
        return SETT_STATUS_STALE;
    }
    world->error = SETT_STATUS_STALE; /* an ordinary answer, so nobody is told */
    world->error_call = "sett_entity_destroy";
    world->error_entity = entity;
    world->error_component = 0;
    return SETT_STATUS_STALE;
}

/* The slow path of destroying: while something is open, while snapshots are held, or with somebody
 * to be told. */
SETTI_APART static sett_status change_destroy_long(sett_world* world, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        return change_destroy_stale(world, entity);
    }
    if (SETTI_UNLIKELY((*signature & SETTI_DYING) != 0)) {
        return SETT_OK;
    }
    if (SETTI_UNLIKELY(world->locks != 0)) {
        return setti_world_check_unlocked(world, "sett_entity_destroy");
    }
    return change_destroy(world, entity, signature, false);
}

/* The rest of the fast path, from the k-th type on: a sparse-set one, or one whose word of
 * occupancy
 * became 0 just now. */
SETTI_APART static sett_status change_destroy_rest(sett_world* world, uint32_t index,
                                                   const setti_signature* record, uint32_t k)
{
    setti_storage* storage = &world->types[record->types[k]]->storage;
    if (storage->kind == SETTI_SPARSE) {
        setti_storage_erase(&world->pool, storage, index);
    } else {
        setti_array_word_emptied(&world->pool, storage, index);
    }
    while (++k < record->count) {
        change_erase(world, world->types[record->types[k]], index);
    }
    return SETT_OK;
}

/* Ends a life, and then takes the values of the set. The signature says who has a value; and the
 * life ends first, because then less has to be kept over the loop, and nobody looks in between. */
SETTI_INLINE sett_status change_destroy_short(sett_world* world, sett_entity entity, uint32_t set)
{
    setti_entity_destroy_no_cow(&world->pool, &world->entities, entity);
    if (set == 0) {
        return SETT_OK;
    }
    const setti_signature* record = &world->signatures.record[set];
    uint32_t k = 0;
    do { /* a set with a number is not empty */
        setti_storage* storage = &world->types[record->types[k]]->storage;
        if (SETTI_UNLIKELY(storage->kind == SETTI_SPARSE ||
                           setti_array_erase_no_cow(&world->pool, storage, entity.index) ==
                               SETTI_EMPTIED)) {
            return change_destroy_rest(world, entity.index, record, k);
        }
    } while (++k < record->count);
    return SETT_OK;
}

/* The same where no other index of the word is free: the summary learns of it. */
SETTI_APART static sett_status change_destroy_first(sett_world* world, sett_entity entity,
                                                    uint32_t set)
{
    setti_entity_word_begins(&world->entities, entity.index / 64);
    return change_destroy_short(world, entity, set);
}

/* The fast path: plain types, nobody to be told, no snapshot held. Calls nothing. */
sett_status sett_entity_destroy(sett_world* world, sett_entity entity)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, __func__);
    const setti_entity_table* table = &world->entities;
    const uint32_t* signature = setti_entity_signature(table, entity);
    if (SETTI_UNLIKELY(world->pool.cow_from != 0 || signature == NULL || world->locks != 0 ||
                       world->dont_fragment.count != 0 || world->listeners != NULL ||
                       entity.generation == SETTI_GENERATION_MAX)) {
        return change_destroy_long(world, entity);
    }
    uint32_t set = *signature; /* not dying: nothing is locked */
    if (SETTI_UNLIKELY(set != 0 && world->signatures.record[set].hooked != 0)) {
        return change_destroy_long(world, entity);
    }
    const setti_entity_page* page = table->pages.data[entity.index >> SETTI_ENTITY_SHIFT];
    return SETTI_LIKELY(page->free[entity.index / 64 % SETTI_ENTITY_WORDS] != 0)
               ? change_destroy_short(world, entity, set)
               : change_destroy_first(world, entity, set);
}

/* How far ahead destroy_many asks for what an entity's end touches: of a million entities in random
 * order each misses three lines. */
#define CHANGE_AHEAD 16u

sett_status sett_entity_destroy_many(sett_world* world, const sett_entity* entities, uint32_t count)
{
    const setti_entity_table* table = &world->entities;
    sett_status status = setti_world_check_unlocked(world, "sett_entity_destroy_many");
    for (uint32_t k = 0; status != SETT_STATUS_LOCKED && k < count; k++) {
        if (count - k > CHANGE_AHEAD) {
            setti_entity_prefetch(table, entities[k + CHANGE_AHEAD].index);
        }
        if (setti_entity_signature(table, entities[k]) != NULL &&
            sett_entity_destroy(world, entities[k]) != SETT_OK) {
            status = world->error; /* the others go all the same */
        }
    }
    return status;
}

sett_status sett_entity_destroy_with(sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_type* type = setti_change_check_type(world, component, "sett_entity_destroy_with");
    if (type == NULL) {
        return world->error;
    }
    sett_status status = SETT_OK;
    uint32_t cursor = 0;
    for (uint32_t index = setti_storage_next(&type->storage, &cursor); index != SETTI_NONE;
         index = setti_storage_next(&type->storage, &cursor)) {
        if (change_destroy_index(world, index, false) != SETT_OK) {
            status = world->error; /* the others go all the same */
        }
    }
    return status;
}

/* Destroys all entities but those that have the type; NULL: all. From the highest index to the
 * lowest: what was created last goes first, mostly. */
static void change_destroy_without(sett_world* world, const setti_type* type)
{
    const setti_entity_table* table = &world->entities;
    for (uint32_t number = table->pages.count; number-- > 0;) {
        for (uint32_t slot = SETTI_ENTITY_ROWS;
             slot-- > 0 && table->pages.data[number] != NULL && table->count != 0;) {
            uint32_t index = (number << SETTI_ENTITY_SHIFT) + slot;
            if (type == NULL || !setti_storage_has(&type->storage, index)) {
                (void)change_destroy_index(world, index, true);
            }
        }
    }
    SETTI_ASSERT(type != NULL || table->count == 0);
}

void setti_change_destroy_all(sett_world* world)
{
    if (world->last_tag != NULL && world->last_tag->storage.count != 0) {
        change_destroy_without(world, world->last_tag);
    }
    change_destroy_without(world, NULL);
}
