/* change_destroy.c: entities end, with all whom that collects.
 *
 * The workload: entities with links, hooks, dont_fragment types, or groups that they are in; what
 * has nothing of that ends in fast_path.c. Each is one edit, which removes all components and ends
 * the entity.
 *
 * Destroying one entity may collect others, which have to go before it: its children, say. They
 * gather in a list, whose room is made when entities are linked, so that destroying needs none:
 *
 *     collect_list     first | second | third found | ...     collect_room
 *
 * Each is asked in turn whom it collects, and counts as dying from then on. When none rejects,
 * they end from the last found to the first. A chain of a million entities takes no more stack than
 * one. This order decides the order of rows in sparse sets, so it is the only one: the walk that
 * ends a tree node by node (fast_path.c) is for trees in which no order can be seen.
 *
 * Invariant:  dying  =>  no change but its end
 *             collect_room >= entities whose links collect them, and one
 *  */
#include "world/change.h"

/* -------------------------------------------------------------------------------- the collected */

void setti_change_collect(sett_world* world, uint32_t index)
{
    if (sett_is_null(setti_entity_at(&world->entities, index))) {
        return; /* all entities end, and this one has: its links were not cleaned up */
    }
    uint32_t* signature = setti_entity_set_mut(&world->entities, index);
    if ((*signature & SETTI_DYING) != 0) {
        return;
    }
    SETTI_ASSERT(world->collect_count < world->collect_room);
    setti_edit_write_signature(world, index, signature, *signature | SETTI_DYING);
    world->collect_list[world->collect_count++] = index;
}

/* Ends one entity, which is dying: an edit of its own. Of those that are collected, indices of the
 * world's own range are not forgotten: their handles would come back by themselves. */
static void destroy_one(sett_world* world, uint32_t index, bool forgets)
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    uint32_t set = *setti_entity_signature(&world->entities, entity) & ~SETTI_DYING;
    SETTI_ASSERT((*setti_entity_signature(&world->entities, entity) & SETTI_DYING) != 0);
    setti_edit edit = {.entities = &entity,
                       .count = 1,
                       .from = set,
                       .removes_all = true,
                       .destroys = true,
                       .forgets = forgets && !setti_entity_is_own(&world->entities, index)};
    setti_edit_notify_leaving(world, &edit);
    setti_edit_release(world, &edit);
    setti_edit_commit(world, &edit);
}

/* The questions to the cascades of all that are collected, one after another. */
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
    SETTI_ASSERT(world->collect_count != 0);
    SETTI_ASSERT((setti_entity_set_of(&world->entities, index) & SETTI_DYING) != 0);
    uint32_t set = setti_entity_set_of(&world->entities, index) & ~SETTI_DYING;
    sett_status status = SETT_OK;
    for (uint32_t k = 0; set != 0 && k < world->signatures.record[set].count; k++) {
        setti_type* type = world->types[world->signatures.record[set].types[k]];
        if (type->cascade != NULL && status == SETT_OK) {
            status = change_ask_type(world, type, index, question);
        }
    }
    return status;
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

static sett_status cascade_destroy(sett_world* world, setti_type* type, uint32_t index,
                                   setti_ending ending)
{
    bool forced = ending == SETTI_ENDING_ALL;
    bool forgets = ending == SETTI_ENDING_FORGET;
    sett_status status = SETT_OK;
    SETTI_ASSERT(world->collect_count == 0);
    SETTI_ASSERT(type->cascade != NULL && world->locks == 0);
    if (!forgets && setti_fast_destroy_tree(world, type, index)) {
        return SETT_OK;
    }
    setti_edit_settle(world); /* what is reserved from here on has to stay */
    setti_edit_pin(world);
    setti_change_collect(world, index);
    for (uint32_t k = 0; k < world->collect_count && (status == SETT_OK || forced); k++) {
        status = change_ask(world, world->collect_list[k], CHANGE_COLLECT);
    }
    if (!forced && status == SETT_OK) {
        status = change_ask_all(world, CHANGE_VALIDATE);
    }
    if (!forced && status == SETT_OK) {
        /* Forced: all entities go, so links need no clean-up. */
        (void)change_ask_all(world, CHANGE_DETACH);
    }
    setti_edit_unpin(world);
    bool rejected = !forced && status != SETT_OK;
    while (world->collect_count != 0) {
        uint32_t last = world->collect_list[--world->collect_count];
        if (rejected) {
            *setti_entity_set_mut(&world->entities, last) &= ~SETTI_DYING;
        } else {
            destroy_one(world, last, forgets);
        }
    }
    return rejected ? status : SETT_OK;
}

/* Makes room in the list for `need` entities of a type. */
static bool cascade_reserve(sett_world* world, setti_type* type, uint64_t need)
{
    SETTI_ASSERT(world->collect_count == 0 && need > type->collect_room);
    SETTI_ASSERT(world->collect_room > type->collect_room);
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

void setti_component_set_cascade(sett_world* world, setti_type* type, const setti_cascade* cascade)
{
    static const setti_cascade_calls calls = {cascade_destroy, cascade_reserve};
    SETTI_ASSERT(type->storage.count == 0 && cascade->unlink != NULL);
    bool hooked = (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    SETTI_ASSERT(!cascade->alone || (cascade->collect == NULL && cascade->validate == NULL));
    type->flags |= SETTI_TYPE_CASCADES | (cascade->alone ? SETTI_TYPE_UNLINKS : 0);
    if (!hooked) {
        setti_edit_reclaim_signatures(world); /* those with it count their hooked types wrongly */
    }
    world->cascading += type->cascade == NULL;
    type->cascade = cascade;
    world->cascade_calls = &calls;
}

/* ------------------------------------------------------------------------------------------ one */

/* The first type of a signature whose ties concern others, else the last one with ties, or NULL. */
static setti_type* change_cascading_type(const sett_world* world, uint32_t set)
{
    SETTI_ASSERT(set == 0 || set < world->signatures.count);
    if (set == 0 || world->cascading == 0) {
        return NULL;
    }
    const setti_signature* record = &world->signatures.record[set];
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

SETTI_COLD static sett_status change_destroy_stale(sett_world* world, sett_entity entity,
                                                   const char* call)
{
    if (world->side_by_side) { /* no thread writes to the world meanwhile */
        return SETT_STATUS_STALE;
    }
    world->error = SETT_STATUS_STALE; /* no misuse: it is not reported */
    world->error_call = call;
    world->error_entity = entity;
    world->error_component = 0;
    return SETT_STATUS_STALE;
}

/* Whether forgetting is rejected: creating would give the handle out again. */
SETTI_COLD static sett_status change_reject_own(sett_world* world, sett_entity entity)
{
    const setti_entity_table* table = &world->entities;
    return setti_world_fail_with(
        world, SETT_STATUS_ARGUMENT,
        "sett_entity_forget: entity %u:%u is in this world's own range (%u to %u), whose handles "
        "do not come back - call sett_entity_destroy, or sett_entity_set_range before",
        (unsigned)entity.index, (unsigned)entity.generation, (unsigned)table->first * 64,
        (unsigned)setti_entity_end(table) - 1);
}

sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending)
{
    bool forgets = ending == SETTI_ENDING_FORGET;
    const char* call = forgets ? "sett_entity_forget" : "sett_entity_destroy";
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        return change_destroy_stale(world, entity, call);
    }
    if ((*signature & SETTI_DYING) != 0) {
        return SETT_OK; /* from one of its own removal hooks */
    }
    if (SETTI_UNLIKELY(world->locks != 0)) {
        return setti_world_check_unlocked(world, call);
    }
    if (forgets && setti_entity_is_own(&world->entities, entity.index)) {
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
    return setti_change_destroy(world, entity, SETTI_ENDING_FORGET);
}

/* ----------------------------------------------------------------------------------------- many */

static sett_status change_destroy_index(sett_world* world, uint32_t index, setti_ending ending)
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    return sett_is_null(entity) ? SETT_OK : setti_fast_destroy(world, entity, ending);
}

/* How far ahead destroy_many asks for what an entity's end touches: of a million entities in random
 * order each misses three lines. */
#define CHANGE_AHEAD 16u

sett_status sett_entity_destroy_many(sett_world* world, const sett_entity* entities, uint32_t count)
{
    const setti_entity_table* table = &world->entities;
    sett_status status = setti_world_check_unlocked(world, "sett_entity_destroy_many");
    if (status == SETT_OK &&
        setti_world_lacks_list(world, entities, count, "sett_entity_destroy_many", "entities")) {
        return world->error;
    }
    for (uint32_t k = 0; status != SETT_STATUS_LOCKED && k < count; k++) {
        if (count - k > CHANGE_AHEAD) {
            setti_entity_prefetch(table, entities[k + CHANGE_AHEAD].index, true);
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
    setti_type* type = setti_change_check_type(world, component, "sett_entity_destroy_with");
    if (type == NULL) {
        return setti_world_failure(world);
    }
    sett_status status = SETT_OK;
    SETTI_EACH_INDEX(index, &type->storage) {
        if (change_destroy_index(world, index, SETTI_ENDING_DESTROY) != SETT_OK) {
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
                (void)change_destroy_index(world, index, SETTI_ENDING_ALL);
            }
        }
    }
    SETTI_ASSERT(type != NULL || table->count == 0);
}

void setti_change_destroy_all(sett_world* world)
{
    SETTI_ASSERT(world->collect_count == 0 && !world->removing_all);
    if (world->last_tag != NULL && world->last_tag->storage.count != 0) {
        change_destroy_without(world, world->last_tag);
    }
    change_destroy_without(world, NULL);
}
