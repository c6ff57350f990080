/* edit_commit.c: carrying out an edit: structure and values. Everything is reserved: nothing here
 * fails. See edit.h.
 *
 * The workload: one type of one entity; an entity with all its types; thousands of entities, which
 * are filled type by type, in runs of neighbouring indices:
 *
 *     free     0 0 1 1 1 0 0 1 0 1 1 1 1 ...           runs: 2 to 4, 7, 9 and on
 *
 * In this order: links are cut, groups left, values ended and erased; entities begin, rows are made
 * and written, the signature, groups entered; entities end.
 *
 * Invariant:  a type that is not dont_fragment is in an entity's signature
 *                 <=>  its storage has the entity's index
 *             a storage has an index  =>  the entity at that index is alive
 *             an entity has a type  =>  it has all that the type requires
 *  */
#include "world/edit.h"

/* ------------------------------------------------------------------------------------- removing */

setti_type* setti_edit_next_removed(const sett_world* world, const setti_edit* edit, uint32_t index,
                                    uint32_t* cursor)
{
    if (!edit->strips) {
        return (*cursor)++ == 0 ? edit->removed : NULL;
    }
    const setti_type_list* apart = &world->dont_fragment;
    while (*cursor < apart->count) {
        setti_type* type = apart->item[apart->count - 1 - (*cursor)++];
        if (setti_storage_has(&type->storage, index)) {
            return type;
        }
    }
    uint32_t at = (*cursor)++ - apart->count;
    if (edit->from == 0 || at >= world->signatures.record[edit->from].count) {
        return NULL;
    }
    const setti_signature* record = &world->signatures.record[edit->from];
    return world->types[record->types[record->count - 1 - at]];
}

/* Cuts what the values link. */
static void commit_unlink(sett_world* world, const setti_edit* edit, uint32_t index)
{
    uint32_t cursor = 0;
    setti_type* type;
    bool outer = world->stripping;
    world->stripping = edit->strips;
    while ((type = setti_edit_next_removed(world, edit, index, &cursor)) != NULL) {
        if (type->cascade != NULL) {
            type->cascade->unlink(world, type, index);
        }
    }
    world->stripping = outer;
}

static void commit_erase(sett_world* world, const setti_edit* edit, uint32_t index)
{
    uint32_t cursor = 0;
    setti_type* type;
    while ((type = setti_edit_next_removed(world, edit, index, &cursor)) != NULL) {
        SETTI_ASSERT(setti_storage_has(&type->storage, index));
        setti_edit_deinit_value(world, type, index);
        setti_storage_erase(&world->pool, &type->storage, index);
    }
}

/* --------------------------------------------------------------------------------------- adding */

/* The value that a part gives to the k-th entity; NULL: none, or `fill` writes it. */
SETTI_INLINE const void* part_value(const setti_edit_part* part, size_t offset)
{
    if (SETTI_LIKELY(part->origin == NULL)) {
        return part->value != NULL ? (const unsigned char*)part->value + offset : NULL;
    }
    SETTI_ASSERT(setti_storage_has(part->origin, part->source));
    return SETTI_LIKELY(part->origin->kind == SETTI_ARRAY)
               ? setti_array_row(part->origin, part->source)
               : setti_storage_find(part->origin, part->source);
}

SETTI_INLINE void part_write(const setti_edit_part* part, void* row)
{
    const setti_type* type = part->type;
    const void* value = part_value(part, 0);
    bool hooks = (type->flags & (SETTI_TYPE_INIT | SETTI_TYPE_COPY)) != 0;
    if (SETTI_UNLIKELY(hooks || part->fill != NULL)) {
        if (value == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, row, 1);
        }
        if (value != NULL) {
            setti_type_copy_values(type, row, value, type->storage.size != 0);
        } else if (part->fill != NULL) {
            part->fill->write(part->fill, row);
        }
    } else if (type->storage.size != 0 && value != NULL) {
        setti_row_copy(row, value, type->storage.size);
    } else if (type->storage.size != 0) {
        setti_row_zero(row, type->storage.size);
    }
}

void setti_edit_write(const setti_edit_part* part, void* row)
{
    part_write(part, row);
}

/* The row of one index, reserved, not initialised. */
SETTI_INLINE void* commit_insert(sett_world* world, setti_storage* storage, uint32_t index)
{
    setti_pool* pool = &world->pool;
    if (SETTI_UNLIKELY(storage->kind != SETTI_ARRAY || storage->tracked || pool->cow_from != 0)) {
        uint32_t one = 1;
        return setti_storage_insert(pool, storage, index, &one);
    }
    uint64_t* words = storage->presence.data[index >> SETTI_BITS_SHIFT];
    (void)setti_pages_try_mark(pool, &storage->presence, index >> SETTI_BITS_SHIFT, false);
    (void)setti_pages_try_mark(pool, &storage->rows, index >> storage->shift, false);
    SETTI_ASSERT(!setti_bitmap_has(storage, index));
    words[index / 64 & (SETTI_BITS_WORDS - 1)] |= (uint64_t)1 << (index % 64);
    storage->count++;
    storage->extent = SETTI_MAX(storage->extent, index + 1);
    return setti_array_row(storage, index);
}

/* Writes `count` copies of one value to rows. */
static void commit_repeat(const setti_type* type, unsigned char* rows, const unsigned char* value,
                          uint32_t count)
{
    size_t size = type->storage.size;
    for (uint32_t k = 0; type->desc.copy != NULL && k < count; k++) {
        setti_type_call_copy(type, rows + k * size, value, 1);
    }
    if (type->desc.copy != NULL) {
        return;
    }
    setti_row_copy(rows, value, size);
    for (size_t done = size, end = size * count; done < end;) { /* what is there, twice */
        size_t step = SETTI_MIN(done, end - done);
        memcpy(rows + done, rows, step);
        done += step;
    }
}

/* Gives a run of entities, the first of which is the `done`-th, one type. */
static void commit_fill(sett_world* world, const setti_edit* edit, const setti_edit_part* part,
                        setti_entity_run run, uint32_t done)
{
    setti_type* type = part->type;
    size_t size = type->storage.size;
    for (uint32_t k = 0; k < run.count;) {
        uint32_t step = run.count - k;
        unsigned char* rows =
            setti_storage_insert(&world->pool, &type->storage, run.first + k, &step);
        const void* value = part_value(part, edit->repeat ? 0 : (size_t)(done + k) * size);
        if (value == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, rows, step);
        }
        if (value != NULL && size != 0 && edit->repeat) {
            commit_repeat(type, rows, value, step);
        } else if (value != NULL && size != 0) {
            setti_type_copy_values(type, rows, value, step);
        }
        k += step;
    }
}

static void commit_add(sett_world* world, const setti_edit* edit, setti_entity_run run,
                       uint32_t done)
{
    for (uint32_t k = 0; k < edit->added_count; k++) {
        const setti_edit_part* part = &edit->added[k];
        if (SETTI_LIKELY(edit->count == 1)) {
            part_write(part, commit_insert(world, &part->type->storage, run.first));
        } else {
            commit_fill(world, edit, part, run, done);
        }
        if (SETTI_UNLIKELY(part->type->claimed != 0)) {
            SETTI_ASSERT(part->type->claimed >= run.count);
            part->type->claimed -= run.count;
        }
    }
}

/* ----------------------------------------------------------------------------- entities, groups */

/* Brings a run of the entities that begin to life, from an index on. */
static setti_entity_run commit_begin(sett_world* world, const setti_edit* edit, uint32_t from,
                                     uint32_t done)
{
    setti_entity_table* table = &world->entities;
    sett_entity* out = edit->entities != NULL ? edit->entities + done : NULL;
    if (edit->count == 1) {
        sett_entity entity = setti_entity_create(&world->pool, table);
        *setti_entity_signature(table, entity) = edit->to; /* its page is marked */
        if (out != NULL) {
            *out = entity;
        }
        return (setti_entity_run){entity.index, 1};
    }
    setti_entity_run run = setti_entity_next_run(table, from, edit->count - done);
    setti_entity_create_run(&world->pool, table, run, edit->to, out);
    return run;
}

static void commit_groups(sett_world* world, const setti_edit* edit, setti_entity_run run,
                          bool enters)
{
    const setti_edit_walk all = setti_edit_listeners(world, edit);
    for (uint32_t k = 0; k < run.count; k++) {
        setti_edit_walk walk = all;
        setti_listener* listener;
        while ((listener = setti_edit_next_listener(world, &walk, enters)) != NULL) {
            if (enters) {
                setti_listener_enter(&world->pool, listener, run.first + k);
            } else {
                setti_listener_leave(&world->pool, listener, run.first + k);
            }
        }
    }
}

/* What goes from an entity that there was. */
static void commit_leave(sett_world* world, const setti_edit* edit, uint32_t index)
{
    bool removes = edit->strips || edit->removed != NULL;
    if (removes) {
        commit_unlink(world, edit, index);
    }
    if (world->listeners != NULL) {
        commit_groups(world, edit, (setti_entity_run){index, 1}, false);
    }
    if (removes) {
        commit_erase(world, edit, index);
    }
}

void setti_edit_commit(sett_world* world, setti_edit* edit)
{
    uint32_t from = edit->begins ? world->entities.hint * 64 : 0;
    for (uint32_t done = 0; done < edit->count;) {
        setti_entity_run run;
        if (edit->begins) {
            run = commit_begin(world, edit, from, done);
            from = run.first + run.count;
        } else {
            run = (setti_entity_run){edit->entities[done].index, 1};
            commit_leave(world, edit, run.first);
        }
        commit_add(world, edit, run, done);
        if (!edit->begins && !edit->ends) {
            setti_entity_page* page = setti_entity_page_of(&world->entities, run.first);
            setti_edit_write_signature(world, run.first,
                                       &page->signature[run.first & SETTI_ENTITY_MASK], edit->to);
        }
        if (world->listeners != NULL) {
            commit_groups(world, edit, run, true);
        }
        if (edit->ends) {
            setti_entity_destroy(&world->pool, &world->entities, run.first);
        }
        done += run.count;
    }
}

void setti_edit_run(sett_world* world, setti_edit* edit)
{
    setti_edit_notify_leaving(world, edit);
    setti_edit_commit(world, edit);
    setti_edit_notify_entering(world, edit);
}
