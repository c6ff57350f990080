/* values.c: values that own memory, in snapshots.
 *
 * Saved pages of a SETT_SAVE_CLONE type have clones, made by the type's copy hook. Bits at the end
 * of a saved page mark the rows with a clone. Saved pages of a SETT_SAVE_SKIP type have no values:
 * a restore carries each live value over to the same entity.
 *
 *     page     values of rows | ticks | entity indices | alive, one bit a row
 *
 * Invariant:  in a saved page of a CLONE type, a row has a value if and only if its bit is set;
 *             a live page is saved before a value in it begins or ends for the first time: until
 *             then, presence tells which rows have a value in the saved state
 */
#include "base/bits.h"
#include "state/snapshot.h"

#define VALUES_WORDS (1024 / 64) /* a page has at most 1024 rows, and a word has 64 bits */

/* Returns the storage that has `rows` as a member. */
static const setti_storage* values_storage(const setti_pages* rows)
{
    return (const setti_storage*)(const void*)((const unsigned char*)rows -
                                               offsetof(setti_storage, rows));
}

static const setti_type* values_type(const setti_pages* rows)
{
    return (const setti_type*)(const void*)values_storage(rows); /* the type's first member */
}

static uint32_t values_word_count(const setti_storage* storage)
{
    return (setti_storage_rows(storage) + 63) / 64;
}

/* Sets the bits of `words`: a bit is 1 if the row of the live page has a value. */
static void values_find_alive(const setti_storage* storage, uint32_t number, uint64_t* words)
{
    SETTI_ASSERT(number < storage->rows.count);
    uint32_t rows = setti_storage_rows(storage);
    uint32_t first = number << storage->shift;
    memset(words, 0, VALUES_WORDS * sizeof(*words));
    if (storage->kind != SETTI_SPARSE) {
        const uint64_t* bits = setti_storage_word(storage, first);
        if (bits != NULL) {
            memcpy(words, bits, rows / 64 * sizeof(*words));
        }
        return;
    }
    for (uint32_t k = 0; k < rows && first + k < storage->extent; k++) {
        bool alive = *setti_storage_index(storage, first + k) != SETTI_NONE;
        words[k / 64] |= (uint64_t)alive << (k % 64);
    }
}

/* Neighbouring rows that all have values. */
typedef struct values_run {
    uint32_t row; /* the first row */
    uint32_t count;
    size_t offset; /* where the first row's value begins in a page */
} values_run;

static bool values_has(const uint64_t* words, uint32_t row)
{
    return (words[row / 64] >> (row % 64) & 1) != 0;
}

/* Moves `run` to the next run. `run` is zeroed before the first. Returns false at the end. */
static bool values_next_run(const setti_storage* storage, const uint64_t* words, values_run* run)
{
    uint32_t rows = setti_storage_rows(storage);
    run->row += run->count;
    run->count = 0;
    while (run->row < rows && !values_has(words, run->row)) {
        run->row++;
    }
    while (run->row + run->count < rows && values_has(words, run->row + run->count)) {
        run->count++;
    }
    run->offset = (size_t)run->row * storage->size;
    return run->count != 0;
}

static void values_deinit(const setti_type* type, const uint64_t* words, unsigned char* page)
{
    for (values_run run = {0}; values_next_run(&type->storage, words, &run);) {
        setti_type_deinit_values(type, page + run.offset, run.count);
    }
}

/* Moves values to uninitialised memory. Afterwards the old memory is uninitialised. */
static void values_relocate(const setti_type* type, void* destination, void* values, uint32_t count)
{
    if (type->desc.move != NULL) {
        setti_type_call_move(type, destination, values, count);
    } else {
        memcpy(destination, values, (size_t)count * type->storage.size);
    }
}

/* Returns the offset of the columns, which follow the values in a page. *size becomes the size of
 * the columns in bytes. */
static size_t values_columns(const setti_storage* storage, size_t* size)
{
    size_t offset = (size_t)setti_storage_rows(storage) * storage->size;
    size_t saved_size = storage->saved != 0 ? storage->saved : storage->rows.size;
    *size = saved_size - offset; /* without the bits at the end of a saved page */
    return offset;
}

static void values_copy_columns(const setti_storage* storage, void* to_page, const void* from_page)
{
    size_t size;
    size_t offset = values_columns(storage, &size);
    memcpy((unsigned char*)to_page + offset, (const unsigned char*)from_page + offset, size);
}

static void values_swap_columns(const setti_storage* storage, void* a, void* b)
{
    size_t size;
    size_t offset = values_columns(storage, &size);
    setti_cow_swap_bytes((unsigned char*)a + offset, (unsigned char*)b + offset, size);
}

/* Saves a live page in `copy`: clones of the values, the columns and the bits. */
static void clone_save(const setti_pages* pages, uint32_t number, void* copy)
{
    SETTI_ASSERT(copy != NULL && pages->data[number] != NULL);
    const setti_type* type = values_type(pages);
    const setti_storage* storage = &type->storage;
    const unsigned char* page = pages->data[number];
    uint64_t* saved_bits = setti_storage_saved(storage, copy);
    uint64_t alive[VALUES_WORDS];
    values_find_alive(storage, number, alive);
    memcpy(saved_bits, alive, values_word_count(storage) * sizeof(*saved_bits));
    values_copy_columns(storage, copy, page);
    for (values_run run = {0}; values_next_run(storage, alive, &run);) {
        unsigned char* clones = (unsigned char*)copy + run.offset;
        setti_type_init_values(type, clones, run.count);
        setti_type_call_copy(type, clones, page + run.offset, run.count);
    }
}

/* Turns a live page into a saved page: only writes the bits at the end of the page. */
static void clone_seal(const setti_pages* pages, uint32_t number)
{
    const setti_storage* storage = values_storage(pages);
    uint64_t alive[VALUES_WORDS];
    values_find_alive(storage, number, alive);
    memcpy(setti_storage_saved(storage, pages->data[number]), alive,
           values_word_count(storage) * sizeof(*alive));
}

/* Exchanges two rows. `a_has_value` and `b_has_value` tell whether the rows have values. */
static void clone_swap_row(const setti_type* type, void* a, void* b, bool a_has_value,
                           bool b_has_value)
{
    SETTI_ASSERT((!a_has_value || !b_has_value) || type->row != NULL);
    if (a_has_value && b_has_value) {
        values_relocate(type, type->row, a, 1); /* type->row has room for one value */
        values_relocate(type, a, b, 1);
        values_relocate(type, b, type->row, 1);
    } else if (a_has_value) {
        values_relocate(type, b, a, 1);
    } else if (b_has_value) {
        values_relocate(type, a, b, 1);
    }
}

/* Exchanges a live page and a saved page. */
static void clone_swap(const setti_pages* pages, uint32_t number, void* saved)
{
    const setti_type* type = values_type(pages);
    const setti_storage* storage = &type->storage;
    uint32_t rows = setti_storage_rows(storage);
    unsigned char* page = pages->data[number];
    uint64_t* saved_bits = setti_storage_saved(storage, saved);
    uint64_t alive[VALUES_WORDS];
    values_find_alive(storage, number, alive);
    if (type->desc.move == NULL) { /* values can be moved as bytes, so all rows at once */
        setti_cow_swap_bytes(page, saved, (size_t)rows * storage->size);
    } else {
        for (uint32_t row = 0; row < rows; row++) {
            size_t offset = (size_t)row * storage->size;
            clone_swap_row(type, page + offset, (unsigned char*)saved + offset,
                           values_has(alive, row), values_has(saved_bits, row));
        }
    }
    values_swap_columns(storage, page, saved);
    memcpy(saved_bits, alive, values_word_count(storage) * sizeof(*saved_bits));
}

static void clone_deinit_page(const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(pages->data[number] != NULL);
    uint64_t alive[VALUES_WORDS];
    values_find_alive(values_storage(pages), number, alive);
    values_deinit(values_type(pages), alive, pages->data[number]);
}

static void clone_deinit_copy(const setti_pages* pages, void* saved)
{
    const setti_type* type = values_type(pages);
    values_deinit(type, setti_storage_saved(&type->storage, saved), saved);
}

/* Moves the values, the columns and the bits of a saved page to another page. */
static void clone_move(const setti_pages* pages, void* to_page, void* from_page)
{
    const setti_type* type = values_type(pages);
    const setti_storage* storage = &type->storage;
    const uint64_t* saved_bits = setti_storage_saved(storage, from_page);
    for (values_run run = {0}; values_next_run(storage, saved_bits, &run);) {
        values_relocate(type, (unsigned char*)to_page + run.offset,
                        (unsigned char*)from_page + run.offset, run.count);
    }
    values_copy_columns(storage, to_page, from_page);
    memcpy(setti_storage_saved(storage, to_page), saved_bits,
           values_word_count(storage) * sizeof(*saved_bits));
}

static const setti_page_values values_clone = {clone_save,        clone_seal,        clone_swap,
                                               clone_deinit_page, clone_deinit_copy, clone_move};

static void skip_save(const setti_pages* pages, uint32_t number, void* copy)
{
    values_copy_columns(values_storage(pages), copy, pages->data[number]);
}

/* Does nothing: carry_out has moved the values already. */
static void skip_page(const setti_pages* pages, uint32_t number)
{
    (void)pages;
    (void)number;
}

static void skip_swap(const setti_pages* pages, uint32_t number, void* saved)
{
    values_swap_columns(values_storage(pages), pages->data[number], saved);
}

/* Does nothing: a saved page has no values. */
static void skip_drop(const setti_pages* pages, void* saved)
{
    (void)pages;
    (void)saved;
}

static void skip_move(const setti_pages* pages, void* to_page, void* from_page)
{
    values_copy_columns(values_storage(pages), to_page, from_page);
}

static const setti_page_values values_skip = {skip_save, skip_page, skip_swap,
                                              skip_page, skip_drop, skip_move};

static sett_status values_reject(sett_world* world, const setti_type* type, const char* call,
                                 const char* why)
{
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s", call,
                                 type->desc.name, why);
}

const char* setti_values_unsaved(const setti_type* type)
{
    const sett_component_desc* desc = &type->desc;
    bool saves_bytes = desc->save == SETT_SAVE_BYTES && type->storage.size != 0;
    bool has_hooks = desc->deinit != NULL || desc->copy != NULL || desc->move != NULL;
    bool is_linked = (type->flags & SETTI_TYPE_LINKED) != 0; /* hooks of links only guard them */
    if (!saves_bytes || !has_hooks || is_linked) {
        return NULL;
    }
    return "has a deinit, copy or move hook, so it cannot be saved as bytes - register it "
           "with SETT_SAVE_CLONE and a `copy` hook, or with SETT_SAVE_SKIP";
}

sett_status setti_values_check(sett_world* world, const char* call)
{
    for (uint32_t k = world->prepared; k < world->registered.count; k++) {
        const char* why = setti_values_unsaved(world->registered.item[k]);
        if (why != NULL) {
            return values_reject(world, world->registered.item[k], call, why);
        }
    }
    return SETT_OK;
}

static sett_status values_note(sett_world* world, setti_type* type, const char* call,
                               const setti_page_values* values)
{
    setti_page_notes* notes = setti_notes_get(&world->pool, &type->storage.rows);
    if (notes == NULL) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), type->id);
    }
    notes->values = values;
    return SETT_OK;
}

sett_status setti_values_prepare(sett_world* world, setti_type* type, const char* call)
{
    const sett_component_desc* desc = &type->desc;
    setti_storage* storage = &type->storage;
    if (storage->size == 0 || setti_pages_values(&storage->rows) != NULL) {
        return SETT_OK;
    }
    if (desc->save == SETT_SAVE_SKIP) {
        return values_note(world, type, call, &values_skip);
    }
    if (desc->save == SETT_SAVE_BYTES) {
        const char* why = setti_values_unsaved(type);
        if (why != NULL) {
            return values_reject(world, type, call, why);
        }
        return SETT_OK;
    }
    if (desc->copy == NULL) {
        return values_reject(world, type, call,
                             "has SETT_SAVE_CLONE, but no `copy` hook - set `copy`, or use "
                             "SETT_SAVE_SKIP");
    }
    if (desc->move != NULL && type->row == NULL) {
        type->row = setti_pool_alloc(&world->pool, storage->size, storage->align);
        if (type->row == NULL) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), type->id);
        }
    }
    return values_note(world, type, call, &values_clone);
}

/* Returns the least index >= `first` that has a value. Returns SETTI_NONE if there is none. Looks
 * at all rows. */
static uint32_t carry_least(const setti_storage* storage, uint32_t first)
{
    uint32_t least = SETTI_NONE;
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index >= first) { /* SETTI_NONE, the index of a free row, is above all indices */
            least = SETTI_MIN(index, least);
        }
    }
    return least;
}

/* Returns the least index >= *cursor that has a value. *cursor becomes the index after the returned
 * index. Returns SETTI_NONE if there is no index. */
static uint32_t carry_next(const setti_storage* storage, uint32_t* cursor)
{
    if (storage->kind != SETTI_SPARSE) {
        return setti_array_next(storage, cursor);
    }
    if (storage->hashed != 0) { /* the hash table is not sorted by index */
        uint32_t least = carry_least(storage, *cursor);
        *cursor = least;
        if (least != SETTI_NONE) {
            *cursor = least + 1;
        }
        return least;
    }
    uint32_t index = *cursor;
    while (index >> SETTI_SPARSE_SHIFT < storage->presence.count) {
        const setti_sparse_page* page = storage->presence.data[index >> SETTI_SPARSE_SHIFT];
        if (page == NULL) {
            index = (index | SETTI_SPARSE_MASK) + 1; /* the first index of the next page */
        } else if (page->row[index & SETTI_SPARSE_MASK] == SETTI_NONE) {
            index++;
        } else {
            *cursor = index + 1;
            return index;
        }
    }
    return SETTI_NONE;
}

/* Returns true if a restore may exchange pages of the type. `path` is the list of the snapshots
 * that the restore passes. */
static bool carry_concerns(const setti_snapshot* path, const setti_type* type)
{
    for (const setti_snapshot* snapshot = path; snapshot != NULL; snapshot = snapshot->next) {
        for (uint32_t k = 0; k < snapshot->diff.count; k++) {
            const setti_pages* pages = snapshot->diff.item[k].pages;
            if (pages == &type->storage.rows || pages == &type->storage.presence) {
                return true;
            }
        }
    }
    return false;
}

/* Allocates memory for all live values of a type. Returns NULL if memory runs out. */
static setti_carried* carry_make(sett_world* world, setti_type* type)
{
    const setti_storage* storage = &type->storage;
    size_t entity_offset = setti_align_up(sizeof(setti_carried), 8);
    size_t entity_end = entity_offset + storage->count * sizeof(sett_entity);
    size_t value_offset = setti_align_up(entity_end, storage->align);
    size_t size = value_offset + (size_t)storage->count * storage->size;
    unsigned char* bytes = setti_pool_alloc(&world->pool, size, storage->align);
    setti_carried* carried = (setti_carried*)(void*)bytes;
    if (carried != NULL) {
        *carried = (setti_carried){.type = type,
                                   .size = size,
                                   .entity = (sett_entity*)(void*)(bytes + entity_offset),
                                   .values = bytes + value_offset};
    }
    return carried;
}

/* Frees a list. The values must have been moved away. */
static void carry_free(sett_world* world, setti_carried* carried)
{
    while (carried != NULL) {
        setti_carried* next = carried->next;
        setti_pool_free(&world->pool, carried, carried->size, carried->type->storage.align);
        carried = next;
    }
}

/* Moves the live values out of the world. */
static void carry_out(const sett_world* world, setti_carried* carried)
{
    const setti_type* type = carried->type;
    uint32_t cursor = 0;
    uint32_t index;
    while ((index = carry_next(&type->storage, &cursor)) != SETTI_NONE) {
        carried->entity[carried->count] = setti_entity_at(&world->entities, index);
        values_relocate(type, carried->values + (size_t)carried->count * type->storage.size,
                        setti_storage_find(&type->storage, index), 1);
        SETTI_ASSERT(carried->count < type->storage.count);
        carried->count++;
    }
}

bool setti_values_carry(setti_state* state, const setti_snapshot* path, setti_carried** out)
{
    sett_world* world = state->world;
    *out = NULL;
    if (!state->has_values) {
        return true;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        if (setti_pages_values(&type->storage.rows) != &values_skip ||
            !carry_concerns(path, type)) {
            continue;
        }
        setti_carried* carried = carry_make(world, type);
        if (carried == NULL) {
            carry_free(world, *out);
            return false;
        }
        carried->next = *out;
        *out = carried;
    }
    /* all memory is allocated: nothing fails after the first value has moved */
    for (setti_carried* carried = *out; carried != NULL; carried = carried->next) {
        carry_out(world, carried);
    }
    return true;
}

/* Moves carried values back to the entities. Ends carried values of entities that have no row now,
 * and begins new values in rows without a carried value. */
static void carry_in(const sett_world* world, const setti_carried* carried)
{
    const setti_type* type = carried->type;
    size_t size = type->storage.size;
    uint32_t k = 0; /* the next carried value: carried values and the walk ascend by index */
    uint32_t cursor = 0;
    uint32_t index;
    while ((index = carry_next(&type->storage, &cursor)) != SETTI_NONE) {
        void* value = setti_storage_find(&type->storage, index);
        sett_entity entity = setti_entity_at(&world->entities, index);
        SETTI_ASSERT(!sett_is_null(entity));
        bool found = false;
        for (; !found && k < carried->count && carried->entity[k].index <= index; k++) {
            found = sett_equals(carried->entity[k], entity);
            if (found) {
                values_relocate(type, value, carried->values + k * size, 1);
            } else {
                setti_type_deinit_values(type, carried->values + k * size, 1);
            }
        }
        if (!found) { /* only the restored state has a value here */
            setti_type_init_values(type, value, 1);
        }
    }
    for (; k < carried->count; k++) {
        setti_type_deinit_values(type, carried->values + k * size, 1);
    }
}

void setti_values_settle(setti_state* state, setti_carried* list)
{
    for (const setti_carried* carried = list; carried != NULL; carried = carried->next) {
        carry_in(state->world, carried);
    }
    carry_free(state->world, list);
}

void setti_values_each_skipped(const setti_state* state,
                               void (*fn)(const setti_type* type, void* values, uint32_t count))
{
    const setti_type_list* types = &state->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_type* type = types->item[k];
        if (setti_pages_values(&type->storage.rows) != &values_skip) {
            continue;
        }
        SETTI_EACH_INDEX(index, &type->storage) {
            fn(type, setti_storage_find(&type->storage, index), 1);
        }
    }
}
