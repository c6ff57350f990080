/* edit_reserve.c: makes edits, and reserves the memory for committing edits. See edit.h.
 *
 * The workload: one type and one entity with existing pages, so that there is nothing to reserve. A
 * type's `claimed` counts the rows of a sparse set and the entries of collect_list that several
 * edits reserve. Each commit subtracts the rows that the edit uses.
 *
 * A reserved row may be in an empty page, the spare page of the storage. The storage may use the
 * spare page for other rows, or free it when another page becomes empty. A single edit is committed
 * before this can happen. A list of edits of several entities pins the pages.
 *
 * Invariant:  a type's `claimed` = rows for reserved edits;  0 between calls
 *             collect_room > number of entities that links may collect
 */
#include "world/edit.h"

/* --------------------------------------------------------------------------------------- making */

setti_edit setti_edit_of_added(sett_world* world, sett_entity* entity, uint32_t before,
                               setti_edit_part* part)
{
    SETTI_ASSERT(part->type != NULL && entity != NULL);
    const setti_transition* known = setti_type_added(part->type, before);
    uint32_t after = known->to;
    if (known->from != before) { /* the cache has another transition, or none */
        after = setti_edit_toggle(world, before, part->type);
    }
    return (setti_edit){.entities = entity,
                        .count = 1,
                        .from = before,
                        .to = after,
                        .added = part,
                        .added_count = 1,
                        .flags = part->type->flags};
}

setti_edit setti_edit_of_removed(sett_world* world, sett_entity* entity, uint32_t before,
                                 setti_type* type)
{
    SETTI_ASSERT(type != NULL && entity != NULL);
    return (setti_edit){.entities = entity,
                        .count = 1,
                        .from = before,
                        .to = setti_edit_toggle(world, before, type),
                        .removed = type};
}

static setti_edit_part* edit_find_part(const setti_edit* edit, const setti_type* type)
{
    for (uint32_t k = 0; k < edit->added_count; k++) {
        if (edit->added[k].type == type) {
            return &edit->added[k];
        }
    }
    return NULL;
}

/* Returns true if the entity has the type, or if the edit adds the type already. */
static bool edit_has(const setti_edit* edit, const setti_type* type)
{
    if (edit_find_part(edit, type) != NULL) {
        return true;
    }
    bool exists = !edit->creates && edit->entities != NULL;
    return exists && setti_storage_has(&type->storage, edit->entities[0].index);
}

setti_edit_part* setti_edit_include(sett_world* world, setti_edit* edit, setti_type* type)
{
    SETTI_ASSERT(type != NULL && edit->to != SETTI_NONE);
    SETTI_ASSERT(edit->room != 0 || edit->added == NULL); /* not memory of the caller */
    setti_edit_part* part = edit_find_part(edit, type);
    if (part != NULL) {
        return part;
    }
    void* parts = setti_pool_grow(&world->pool, edit->added, sizeof(*part), edit->added_count,
                                  type->required.count + 1, &edit->room);
    if (parts == NULL) {
        return NULL;
    }
    edit->added = parts;
    for (uint32_t k = 0; k <= type->required.count; k++) { /* `type` comes last */
        setti_type* needed = k < type->required.count ? type->required.item[k] : type;
        if (edit_has(edit, needed)) {
            continue;
        }
        uint32_t after = setti_edit_toggle(world, edit->to, needed);
        if (after == SETTI_NONE) {
            return NULL;
        }
        edit->to = after;
        part = &edit->added[edit->added_count++];
        *part = (setti_edit_part){.type = needed};
    }
    return part;
}

void setti_edit_free(sett_world* world, setti_edit* edit)
{
    if (edit->room != 0) {
        setti_pool_free(&world->pool, edit->added, edit->room * sizeof(*edit->added), 16);
        edit->added = NULL;
        edit->room = 0;
    }
}

/* ------------------------------------------------------------------------------------ reserving */

/* Reserves `count` more rows or entries of collect_list, if the type needs reservations. Returns
 * false if memory runs out. */
static bool reserve_claim(sett_world* world, setti_type* type, uint32_t count)
{
    if (SETTI_LIKELY(!setti_edit_claims(type))) {
        return true;
    }
    type->claimed += count;
    return setti_storage_reserve_rows(&world->pool, &type->storage, type->claimed) &&
           setti_edit_reserve_collect(world, type, 0); /* `claimed` counts the new entries */
}

void setti_edit_unclaim(sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        world->registered.item[k]->claimed = 0;
    }
    world->reserved_for = SETTI_NONE;
}

SETTI_COLD void setti_edit_free_strays(sett_world* world)
{
    world->pool.strayed = false;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_storage_free_strays(&world->pool, &world->registered.item[k]->storage);
    }
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        setti_storage_free_strays(&world->pool, &listener->members);
    }
}

/* Reserves pages for consecutive new entities. Returns false if memory runs out. */
static bool reserve_run(sett_world* world, const setti_edit* edit, setti_entity_run run)
{
    SETTI_ASSERT(run.count != 0);
    for (uint32_t k = 0; k < edit->added_count; k++) {
        setti_storage* storage = &edit->added[k].type->storage;
        if (!setti_storage_reserve_indices(&world->pool, storage, run.first, run.count)) {
            return false;
        }
    }
    if (!setti_edit_does(world, edit, SETTI_PLAN_ENTERS)) {
        return true;
    }
    return world->plans.calls->reserve(world, edit, run);
}

/* Reserves pages for new entities, at the free indices >= `search_start`. Returns false if memory
 * runs out. */
static bool reserve_runs(sett_world* world, const setti_edit* edit, uint32_t search_start)
{
    if (edit->added_count == 0) {
        return true;
    }
    for (uint32_t reserved = 0; reserved < edit->count;) {
        setti_entity_run run =
            setti_entity_next_run(&world->entities, search_start, edit->count - reserved);
        if (!reserve_run(world, edit, run)) {
            return false;
        }
        reserved += run.count;
        search_start = run.first + run.count;
    }
    return true;
}

/* Sets edit->flags, and reserves rows for all added types. Returns false if memory runs out. */
static bool reserve_claims(sett_world* world, setti_edit* edit)
{
    edit->flags = 0;
    for (uint32_t k = 0; k < edit->added_count; k++) {
        edit->flags |= edit->added[k].type->flags;
        if (!reserve_claim(world, edit->added[k].type, edit->count)) {
            return false;
        }
    }
    return edit->to != SETTI_NONE; /* SETTI_NONE: memory ran out for the signature */
}

/* Reserves the row of an index. Returns false if memory runs out.
 *   compacts  a full sparse set may close its gaps before it grows, which moves values */
SETTI_INLINE bool reserve_row(sett_world* world, setti_type* type, uint32_t index, bool compacts)
{
    setti_storage* storage = &type->storage;
    if (SETTI_LIKELY(storage->kind == SETTI_ARRAY &&
                     setti_pages_get(&storage->rows, index >> storage->shift) != NULL)) {
        return SETTI_LIKELY(type->cascade == NULL) || reserve_claim(world, type, 1);
    }
    if (compacts && type->claimed == 0 && setti_sparse_is_full(storage)) {
        setti_storage_compact(&world->pool, storage);
    }
    return reserve_claim(world, type, 1) &&
           setti_storage_reserve_indices(&world->pool, storage, index, 1);
}

bool setti_edit_reserve_at(sett_world* world, setti_edit* edit, uint32_t index)
{
    SETTI_ASSERT(world->locks == 0 && index < world->entities.limit);
    SETTI_ASSERT(edit->count == 1);
    SETTI_ASSERT(world->pool.pinned != 0 || world->reserved_for == SETTI_NONE ||
                 world->reserved_for == index);
    world->reserved_for = index;
    bool reserved = edit->to != SETTI_NONE; /* SETTI_NONE: memory ran out for the signature */
    bool compacts = !edit->creates;
    uint32_t flags = 0;
    const setti_edit_part* part = edit->added;
    for (uint32_t left = edit->added_count; reserved && left != 0; left--, part++) {
        flags |= part->type->flags;
        reserved = reserve_row(world, part->type, index, compacts);
    }
    edit->flags = flags;
    if (reserved && setti_edit_does(world, edit, SETTI_PLAN_ENTERS)) {
        reserved = world->plans.calls->reserve(world, edit, (setti_entity_run){index, 1});
    }
    if (!reserved) {
        setti_edit_unclaim(world);
    }
    return reserved;
}

sett_status setti_edit_reserve(sett_world* world, setti_edit* edit, uint32_t* search_start)
{
    SETTI_ASSERT(world->locks == 0 && (search_start != NULL || !edit->creates));
    if (!edit->creates) {
        bool reserved = setti_edit_reserve_at(world, edit, edit->entities[0].index);
        return reserved ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    }
    SETTI_ASSERT(edit->count != 0);
    uint32_t start = *search_start; /* setti_entity_reserve advances *search_start */
    sett_status status =
        setti_entity_reserve(&world->pool, &world->entities, search_start, edit->count);
    if (status == SETT_OK) {
        bool reserved = reserve_claims(world, edit) && reserve_runs(world, edit, start);
        status = reserved ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    }
    if (status != SETT_OK) {
        setti_edit_unclaim(world);
    }
    return status;
}
