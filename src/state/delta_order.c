/* delta_order.c: encodes the next generations of dead slots, and the order of rows.
 *
 * The workload: a peer continues alone after the delta. Creations must return the same handles as
 * at the sender, and loops must have the same order. Few rows move, so only runs of rows with
 * another index are written.
 *
 * Invariant:  the rows before, overwritten by the runs, are the rows after
 */
#include "state/delta_writer.h"

/* Returns the generation that a slot has after its entity, if it has one, is destroyed. */
static uint32_t order_next_generation(uint32_t generation)
{
    if ((generation & SETTI_DEAD) != 0) {
        return generation;
    }
    if (generation == SETTI_GENERATION_MAX) {
        return SETTI_RETIRED;
    }
    return (generation + 1) | SETTI_DEAD;
}

/* Writes a dead slot's generation `after` if the receiver cannot compute it from `before`. */
static void order_write_slot(setti_delta_writer* writer, uint32_t index, uint32_t before,
                             uint32_t after)
{
    uint32_t next = order_next_generation(before);
    bool retired = before == SETTI_RETIRED || next == SETTI_RETIRED;
    if (retired && before != after && next != after) { /* a retired slot has no later generation */
        if (writer->encoder.status != SETT_OK) {
            return; /* the failure is reported already */
        }
        writer->encoder.status = setti_world_fail_with(
            setti_unconst(writer->walk->view->world), SETT_STATUS_ARGUMENT,
            "%s: index %u has used up its generations in the first snapshot, but not in the "
            "second, which a delta cannot encode - send the whole state (sett_state_encode)",
            writer->encoder.call, (unsigned)index);
    } else if ((after & SETTI_DEAD) != 0 && next != after) {
        setti_delta_write_handle(writer, index, after);
    }
}

void setti_delta_write_slots(setti_delta_writer* writer)
{
    setti_view_slot slot = {.index = SETTI_NONE}; /* before the first */
    setti_delta_begin_handles(writer);
    while (setti_view_next_slot(writer->walk->view, &slot)) {
        order_write_slot(writer, slot.index, slot.generation[SETTI_BEFORE],
                         slot.generation[SETTI_AFTER]);
    }
}

/* Adds a row's index to the current run, or to a new run after a gap. */
static void order_put(setti_delta_writer* writer, uint32_t row, uint32_t index)
{
    SETTI_ASSERT(writer->run_count == 0 || row >= writer->run_next);
    if (writer->run_count == 0 || row != writer->run_next) {
        setti_delta_write_number(writer, row, 4);
        writer->run_at = writer->size;
        setti_delta_write_number(writer, 0, 4);
        writer->run_count = 0;
        writer->count++;
    }
    setti_delta_write_number(writer, index, 4);
    setti_delta_write_at(writer, writer->run_at, ++writer->run_count, 4);
    writer->run_next = row + 1;
}

/* Returns the entity indices in a page of rows. NULL stays NULL. */
static const uint32_t* order_indices(const setti_storage* storage, const void* page)
{
    const unsigned char* bytes = page;
    if (page == NULL) {
        return NULL;
    }
    return (const uint32_t*)(const void*)(bytes + storage->indices);
}

/* Writes the rows of the page `number` whose indices differ, and all rows >= `old_extent`. */
static void order_put_page(setti_delta_writer* writer, uint32_t number, uint32_t old_extent,
                           uint32_t extent)
{
    setti_view* view = writer->walk->view;
    const setti_storage* storage = &writer->type->storage;
    uint32_t first = number << storage->shift;
    SETTI_ASSERT(first < extent && storage->kind == SETTI_SPARSE);
    uint32_t end = SETTI_MIN(extent - first, setti_storage_rows(storage));
    const uint32_t* before =
        order_indices(storage, setti_view_get(view, &storage->rows, number, SETTI_BEFORE));
    const uint32_t* after =
        order_indices(storage, setti_view_get(view, &storage->rows, number, SETTI_AFTER));
    for (uint32_t k = 0; k < end; k++) {
        if (first + k >= old_extent || before[k] != after[k]) {
            order_put(writer, first + k, after[k]);
        }
    }
}

void setti_delta_write_rows(setti_delta_writer* writer)
{
    setti_view* view = writer->walk->view;
    const setti_storage* storage = &writer->type->storage;
    uint32_t old_extent = setti_view_extent(view, writer->type, SETTI_BEFORE);
    uint32_t extent = setti_view_extent(view, writer->type, SETTI_AFTER);
    writer->count = 0;
    writer->run_count = 0;
    if (storage->kind != SETTI_SPARSE) {
        return;
    }
    /* pages that differ; then, from the page `tail` on, all pages with rows behind the old
     * extent */
    uint32_t tail = old_extent >> storage->shift;
    uint32_t cursor = SETTI_NONE; /* before the first */
    const setti_view_page* page;
    while ((page = setti_view_next(view, &storage->rows, &cursor)) != NULL) {
        if (page->number >= tail || (uint64_t)page->number << storage->shift >= extent) {
            break;
        }
        order_put_page(writer, page->number, old_extent, extent);
    }
    for (uint32_t number = tail; (uint64_t)number << storage->shift < extent; number++) {
        order_put_page(writer, number, old_extent, extent);
    }
}
