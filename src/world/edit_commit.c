/* edit_commit.c: the step commit of an edit. All memory is reserved, so this step cannot fail. See
 * edit.h.
 *
 * The workload: one type of an entity, all types of an entity, or thousands of new entities. New
 * entities are filled type by type, in runs of neighbouring indices:
 *
 *     free     0 0 1 1 1 0 0 1 0 1 1 1 1 ...           runs: 2 to 4, 7, 9 and on
 *
 * The order: unlink, leave groups, deinitialise and erase values; create the entity, insert and
 * write rows, write the signature or destroy the entity, enter groups.
 *
 * Invariant:  a type without dont_fragment is in an entity's signature
 *                 <=>  the type's storage has the entity's index
 *             a storage has an index  =>  the entity at the index is alive
 *             an entity has a type  =>  the entity has all types required by the type
 */
#include "world/edit.h"

/* ------------------------------------------------------------------------------------- removing */

/* Unlinks the values that an edit removes. */
static void commit_unlink(sett_world* world, const setti_edit* edit, uint32_t index)
{
    setti_edit_removal walk = setti_edit_removed(world, edit);
    setti_type* type;
    bool outer = world->removing_all; /* the functions `unlink` of modules read removing_all */
    world->removing_all = edit->removes_all;
    while ((type = setti_edit_next_removed(world, &walk, index)) != NULL) {
        if (type->cascade != NULL) {
            type->cascade->unlink(world, type, index);
        }
    }
    world->removing_all = outer;
}

/* Deinitialises and erases the values that an edit removes. */
static void commit_erase(sett_world* world, const setti_edit* edit, uint32_t index)
{
    setti_edit_removal walk = setti_edit_removed(world, edit);
    setti_type* type;
    while ((type = setti_edit_next_removed(world, &walk, index)) != NULL) {
        SETTI_ASSERT(setti_storage_has(&type->storage, index));
        setti_edit_deinit_value(world, type, index);
        setti_storage_erase(&world->pool, &type->storage, index);
    }
}

/* --------------------------------------------------------------------------------------- adding */

void setti_edit_write_any(const setti_edit_part* part, void* row, const void* value)
{
    SETTI_ASSERT(row != NULL || part->type->storage.size == 0);
    const setti_type* type = part->type;
    if (value == NULL || type->desc.copy != NULL) { /* a copy hook needs an initialised value */
        setti_type_init_values(type, row, 1);
    }
    if (value != NULL) {
        const uint32_t count = type->storage.size != 0 ? 1 : 0; /* a tag has no value */
        setti_type_copy_values(type, row, value, count);
    } else if (part->fill != NULL) {
        part->fill->write(part->fill, row);
    }
}

/* Uses `count` reservations of a type. */
SETTI_INLINE void commit_claim(setti_type* type, uint32_t count)
{
    SETTI_ASSERT(type->claimed >= (setti_edit_claims(type) ? count : 0));
    if (type->claimed != 0) { /* 0: the type needs no reservations */
        type->claimed -= count;
    }
}

/* Inserts a reserved index. Returns the uninitialised row. */
SETTI_INLINE void* commit_insert(sett_world* world, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(setti_storage_word(storage, index) != NULL || storage->kind == SETTI_SPARSE);
    if (SETTI_LIKELY(storage->kind == SETTI_ARRAY && world->pool.cow_from == 0)) {
        return setti_array_insert_one(&world->pool, storage, index, SETTI_NO_COW);
    }
    uint32_t one = 1;
    return setti_storage_insert(&world->pool, storage, index, &one);
}

/* Copies a value to `count` rows. */
static void commit_repeat(const setti_type* type, unsigned char* rows, const unsigned char* value,
                          uint32_t count)
{
    SETTI_ASSERT(count != 0);
    size_t size = type->storage.size;
    if (type->desc.copy != NULL) {
        for (uint32_t k = 0; k < count; k++) {
            setti_type_call_copy(type, rows + k * size, value, 1);
        }
        return;
    }
    setti_row_copy(rows, value, size);
    const size_t end = size * count;
    for (size_t written = size; written < end;) { /* each step doubles the written part */
        size_t step = SETTI_MIN(written, end - written);
        memcpy(rows + written, rows, step);
        written += step;
    }
}

/* Adds the type of a part to a run of new entities, with values.
 *   position  number of the edit's entities before the run */
static void commit_fill(sett_world* world, const setti_edit* edit, const setti_edit_part* part,
                        setti_entity_run run, uint32_t position)
{
    SETTI_ASSERT(position + run.count <= edit->count);
    setti_type* type = part->type;
    size_t size = type->storage.size;
    for (uint32_t k = 0; k < run.count;) {
        uint32_t step = run.count - k; /* becomes the number of inserted rows */
        unsigned char* rows =
            setti_storage_insert(&world->pool, &type->storage, run.first + k, &step);
        SETTI_ASSERT(step != 0 && step <= run.count - k);
        const unsigned char* value = setti_edit_value(part); /* an insertion may move values */
        if (value != NULL && !edit->repeat) {
            value += (position + k) * size;
        }
        if (value == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, rows, step);
        }
        bool has_value = value != NULL && size != 0;
        if (has_value && edit->repeat) {
            commit_repeat(type, rows, value, step);
        } else if (has_value) {
            setti_type_copy_values(type, rows, value, step);
        }
        k += step;
    }
}

/* ------------------------------------------------------------------------------------- entities */

/* Unlinks and erases the removed types of an existing entity. Makes the entity leave listeners. */
static void commit_leave(sett_world* world, const setti_edit* edit, uint32_t index)
{
    SETTI_ASSERT(!edit->creates);
    if (setti_edit_has_endings(world, edit)) {
        commit_unlink(world, edit, index);
    }
    if (setti_edit_does(world, edit, SETTI_PLAN_LEAVES)) {
        world->plans.calls->commit(world, edit, (setti_entity_run){index, 1}, SETTI_LEAVES);
    }
    if (edit->removes_all || edit->removed != NULL) {
        commit_erase(world, edit, index);
    }
}

/* Creates the entity of an edit. Returns the index of the entity. */
SETTI_INLINE uint32_t commit_create(sett_world* world, const setti_edit* edit)
{
    sett_entity entity = setti_entity_create(&world->pool, &world->entities);
    /* setti_entity_create has marked the page as written */
    *setti_entity_set_mut(&world->entities, entity.index) = edit->to;
    if (edit->entities != NULL) {
        edit->entities[0] = entity;
    }
    return entity.index;
}

/* Writes the signature of an existing entity, or destroys the entity. */
static void commit_signature(sett_world* world, const setti_edit* edit, uint32_t index)
{
    SETTI_ASSERT(!edit->creates);
    if (SETTI_UNLIKELY(edit->forgets)) {
        setti_entity_forget(&world->pool, &world->entities, index);
    } else if (edit->destroys) {
        setti_entity_destroy(&world->pool, &world->entities, index);
    } else {
        setti_edit_write_signature(world, index, setti_entity_set_mut(&world->entities, index),
                                   edit->to);
    }
}

void setti_edit_commit(sett_world* world, const setti_edit* edit)
{
    SETTI_ASSERT(edit->to != SETTI_NONE && world->locks == 0 && edit->count == 1);
    world->reserved_for = SETTI_NONE;
    uint32_t index;
    if (!edit->creates) {
        index = edit->entities[0].index;
        commit_leave(world, edit, index);
    } else {
        index = commit_create(world, edit);
    }
    const setti_edit_part* part = edit->added;
    for (uint32_t left = edit->added_count; left != 0; left--, part++) {
        commit_claim(part->type, 1);
        setti_edit_write(part, commit_insert(world, &part->type->storage, index));
    }
    if (!edit->creates) {
        commit_signature(world, edit, index);
    }
    if (setti_edit_does(world, edit, SETTI_PLAN_ENTERS)) {
        world->plans.calls->commit(world, edit, (setti_entity_run){index, 1}, SETTI_ENTERS);
    }
}

void setti_edit_commit_many(sett_world* world, const setti_edit* edit)
{
    if (edit->count == 1) {
        setti_edit_commit(world, edit);
        return;
    }
    SETTI_ASSERT(edit->creates && !edit->destroys && edit->to != SETTI_NONE && world->locks == 0);
    for (uint32_t k = 0; k < edit->added_count; k++) {
        commit_claim(edit->added[k].type, edit->count);
    }
    uint32_t search_start = setti_entity_hint_index(&world->entities);
    for (uint32_t created = 0; created < edit->count;) { /* the same runs as in reserve_runs */
        sett_entity* out = NULL;
        if (edit->entities != NULL) {
            out = edit->entities + created;
        }
        setti_entity_run run =
            setti_entity_next_run(&world->entities, search_start, edit->count - created);
        SETTI_ASSERT(run.count != 0 && run.count <= edit->count - created);
        setti_entity_create_run(&world->pool, &world->entities, run, edit->to, out);
        for (uint32_t k = 0; k < edit->added_count; k++) {
            commit_fill(world, edit, &edit->added[k], run, created);
        }
        if (setti_edit_does(world, edit, SETTI_PLAN_ENTERS)) {
            world->plans.calls->commit(world, edit, run, SETTI_ENTERS);
        }
        created += run.count;
        search_start = run.first + run.count;
    }
}

void setti_edit_run(sett_world* world, const setti_edit* edit)
{
    setti_edit_notify_leaving(world, edit);
    setti_edit_release(world, edit);
    setti_edit_commit(world, edit);
    setti_edit_notify_entering(world, edit);
}
