/* field.c: sets the fields of a batch. A field is in place if its values are in the order of the
 * rows. Otherwise the values are gathered in a scratch, and copied back when the batch ends.
 *
 * The workload: loops over a sparse set and a few more components, or over arrays and a sparse set.
 * A step copies up to 128 rows, mostly of 4 to 16 bytes.
 *
 * Invariant:  a gathered term has, for each row of the batch, the source of the row's value;
 *             a storage lists each loop that writes copies of its values (gather.h)
 */
#include "query/steps.h"

SETTI_COLD void setti_field_track(const sett_batch* batch, const setti_storage* storage,
                                  uint32_t base)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(storage->tracked);
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t row = setti_batch_row(batch->rows, k);
        *setti_storage_tick(storage, base + row) = loop->query->world->pool.tick;
    }
}

/* Copies the values of a batch to the scratch, and replaces the place of each source by the value's
 * address. If the term writes, marks the pages of the values as written.
 *   size  bytes of a value */
SETTI_INLINE void gather_read(const sett_batch* batch, const setti_term* term, size_t size)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_pool* pool = &loop->query->world->pool;
    const setti_pages* pages = &term->type->storage.rows;
    setti_source* sources = setti_field_sources(batch, term) + loop->scratch_row;
    unsigned char* values = setti_field_copies(batch, term) + loop->scratch_row * size;
    /* local copies, because compilers assume that a store may change the structs */
    const uint16_t* rows = batch->rows;
    void* const* data = pages->data;
    const uint64_t* ticks = pages->tick;
    uint64_t tick = pool->tick;
    uint32_t shift = term->type->storage.shift;
    uint32_t row_mask = setti_storage_rows(&term->type->storage) - 1; /* the row in its page */
    bool writes = term->access != SETT_IN;
    for (uint32_t k = 0, count = batch->count; k < count; k++) {
        uint32_t row = setti_batch_row(rows, k);
        uint32_t place = sources[row].place;
        uint32_t page_number = place >> shift;
        SETTI_ASSERT(place != SETTI_NONE && setti_pages_get(pages, page_number) != NULL);
        unsigned char* address =
            (unsigned char*)data[page_number] + (size_t)(place & row_mask) * size;
        if (writes && ticks[page_number] != tick) {
            setti_pages_write(pool, pages, page_number); /* `address` stays the same */
        }
        sources[row].address = address;
        setti_row_copy(values + row * size, address, size);
    }
}

/* Copies the values of a batch from the scratch back to the addresses that gather_read has kept. */
SETTI_INLINE void gather_write_back(const sett_batch* batch, const setti_term* term, size_t size)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_source* sources = setti_field_sources(batch, term) + loop->scratch_row;
    const unsigned char* values = setti_field_copies(batch, term) + loop->scratch_row * size;
    const uint16_t* rows = batch->rows;
    for (uint32_t k = 0, count = batch->count; k < count; k++) {
        uint32_t row = setti_batch_row(rows, k);
        SETTI_ASSERT(sources[row].address != NULL);
        setti_row_copy(sources[row].address, values + row * size, size);
    }
}

/* The values of `back`: values are copied to the scratch, or from the scratch back to storages. */
#define GATHER_READ false
#define GATHER_WRITE_BACK true

/* Copies the values of a batch to the scratch, or back. */
SETTI_INLINE void gather_copy(const sett_batch* batch, const setti_term* term, size_t size,
                              bool back)
{
    if (back) {
        gather_write_back(batch, term, size);
    } else {
        gather_read(batch, term, size);
    }
}

/* Calls gather_copy. The usual sizes are passed as constants, so that compilers copy a
 * value by few instructions. */
static void gather_move(const sett_batch* batch, const setti_term* term, bool back)
{
    switch (term->type->storage.size) {
    case 4:
        gather_copy(batch, term, 4, back);
        break;
    case 8:
        gather_copy(batch, term, 8, back);
        break;
    case 12:
        gather_copy(batch, term, 12, back);
        break;
    case 16:
        gather_copy(batch, term, 16, back);
        break;
    default:
        gather_copy(batch, term, term->type->storage.size, back);
        break;
    }
}

/* Copies the values that outer loops have in their scratches to the scratch of this loop. With
 * `back`, copies from the scratch of this loop to those of the outer loops. */
SETTI_COLD static void gather_outer(const sett_batch* batch, const setti_term* term, bool back)
{
    const setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    unsigned char* values =
        setti_field_copies(batch, term) + loop->scratch_row * (size_t)storage->size;
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t row = setti_batch_row(batch->rows, k);
        unsigned char* value = values + row * (size_t)storage->size;
        void* outer = setti_gather_find(storage, loop->scratch, sett_batch_index(batch, row));
        if (outer == NULL) { /* no outer loop has copied this value */
            continue;
        }
        void* destination = back ? outer : value;
        const void* original = back ? value : outer;
        setti_row_copy(destination, original, storage->size);
    }
}

void setti_fields_scatter(const sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_EACH_TERM(k, loop->query->written & ~loop->in_place) {
        const setti_term* term = &loop->query->term[k];
        if (batch->fields[k] != NULL) {
            gather_move(batch, term, GATHER_WRITE_BACK);
            if (SETTI_UNLIKELY((loop->nested >> k & 1) != 0)) {
                gather_outer(batch, term, GATHER_WRITE_BACK);
            }
        }
    }
}

/* Marks the source of each row of a batch as written. The type has track_rows. */
SETTI_COLD static void gather_track(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_source* sources = setti_field_sources(batch, term) + loop->scratch_row;
    for (uint32_t k = 0; k < batch->count; k++) {
        setti_storage_write(&loop->query->world->pool, &term->type->storage,
                            sources[setti_batch_row(batch->rows, k)].place);
    }
}

/* Gathers the values of a term. Returns the field: the copy for row 0 of the batch. The copies for
 * the other rows follow.
 *   nested  an outer loop may have copies of the values */
static void* gather_field(const sett_batch* batch, const setti_term* term, bool nested)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    setti_source* sources = setti_field_sources(batch, term) + loop->scratch_row;
    SETTI_ASSERT(term->has_field);
    bool found_by_match = term->kind == SETT_WITH && !nested; /* match.c has stored the places */
    for (uint32_t k = 0; !found_by_match && k < batch->count; k++) {
        uint32_t row = setti_batch_row(batch->rows, k);
        sources[row].place = setti_storage_slot(storage, sett_batch_index(batch, row));
    }
    if (SETTI_UNLIKELY(storage->tracked && term->access != SETT_IN)) {
        gather_track(batch, term);
    }
    gather_move(batch, term, GATHER_READ);
    if (SETTI_UNLIKELY(nested)) {
        gather_outer(batch, term, GATHER_READ);
    }
    return setti_field_copies(batch, term) + (size_t)loop->scratch_row * storage->size;
}

void setti_fields_set(sett_batch* batch, uint32_t base)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    SETTI_ASSERT(batch->count != 0);
    for (uint32_t k = 0; k < batch->field_count; k++) {
        const setti_term* term = &query->term[k];
        if (!term->has_field || (batch->present >> k & 1) == 0) {
            batch->fields[k] = NULL;
        } else if ((loop->in_place >> k & 1) == 0) {
            batch->fields[k] = gather_field(batch, term, (loop->nested >> k & 1) != 0);
        } else {
            /* an array in a step over a sparse set: the row is the index of the first entity */
            bool by_index = loop->step_indices != NULL && term->type->storage.kind != SETTI_SPARSE;
            uint32_t row = by_index ? batch->indices[0] : base;
            batch->fields[k] = setti_field_in_place(batch, &query->world->pool, term, row);
        }
    }
    for (uint32_t k = 0; loop->scratch != NULL && k < loop->scratch->count; k++) {
        setti_gather* gather = &loop->scratch->gathers[k];
        /* false in a step where the values are in place, and so are not copied */
        gather->used = (loop->in_place >> gather->term & 1) == 0;
    }
}
