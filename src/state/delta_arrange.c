/* delta_arrange.c: gives rows the sender's order.
 *
 * The workload: a peer had the sender's order of rows, and continues alone after the delta. Hashes
 * ignore the order. So a receiver with other groups or storages may keep its own order of a type.
 *
 * The delta's runs, written over the order in the snapshot `undo`, give the wanted order:
 *
 *     undo   a b c d e         runs     row 1: e, row 4: gone         wanted   a e c d
 *
 * Invariant:  a used order is a permutation of the present rows;  it begins with the members of the
 *             group;  all storages of the group have the members in the same order
 */
#include "state/delta_reader.h"
#include "state/view.h"
#include "world/listener.h"
#include "world/sort.h"

#define ARRANGE_UNKNOWN (SETTI_NONE - 1) /* a new row that no run sets; not an index */

/* Fails, because memory has run out. */
static bool arrange_fail(const setti_delta* delta)
{
    setti_world_no_memory(delta->world, delta->player.call);
    return false;
}

static size_t arrange_want_size(const setti_delta_type* delta_type)
{
    return SETTI_MAX(delta_type->extent, 1) * sizeof(uint32_t);
}

/* Whether a type's rows can have another order in this world than at the sender. */
static bool arrange_concerns(setti_view* view, const setti_delta_type* delta_type)
{
    const setti_storage* storage = &delta_type->type->storage;
    if (storage->kind != SETTI_SPARSE || delta_type->kind != SETTI_SPARSE) {
        return false;
    }
    if (delta_type->count[SETTI_DELTA_ROWS] != 0 || delta_type->extent != storage->extent) {
        return true;
    }
    uint32_t page = SETTI_NONE;                                  /* before the first */
    return setti_view_next(view, &storage->rows, &page) != NULL; /* a page of rows has changed */
}

/* Computes the wanted order of a type: the order in the snapshot, overwritten by the delta's
 * runs. */
static void arrange_compute(setti_view* view, setti_delta_type* delta_type)
{
    SETTI_ASSERT(delta_type->want != NULL);
    const setti_storage* storage = &delta_type->type->storage;
    uint32_t old_extent = setti_view_extent(view, delta_type->type, SETTI_BEFORE);
    for (uint32_t row = 0; row < delta_type->extent; row++) {
        const unsigned char* page = NULL;
        if (row < old_extent) {
            page = setti_view_get(view, &storage->rows, row >> storage->shift, SETTI_BEFORE);
        }
        uint32_t k = row & (setti_storage_rows(storage) - 1); /* position in the page */
        if (page != NULL) {
            delta_type->want[row] = ((const uint32_t*)(const void*)(page + storage->indices))[k];
        } else {
            delta_type->want[row] = ARRANGE_UNKNOWN;
        }
    }
    setti_delta_reader reader = delta_type->section[SETTI_DELTA_ROWS];
    for (uint32_t k = 0; k < delta_type->count[SETTI_DELTA_ROWS]; k++) {
        uint32_t first = setti_delta_u32(&reader);
        uint32_t count = setti_delta_u32(&reader);
        for (uint32_t i = 0; i < count; i++) {
            delta_type->want[first + i] = setti_delta_u32(&reader);
        }
    }
}

/* Whether the wanted order is a permutation of the present rows. `seen` must be zeroes. */
static bool arrange_fits(const setti_delta_type* delta_type, uint64_t* seen)
{
    SETTI_ASSERT(delta_type->want != NULL);
    const setti_storage* storage = &delta_type->type->storage;
    uint32_t count = 0;
    for (uint32_t row = 0; row < delta_type->extent; row++) {
        uint32_t index = delta_type->want[row];
        if (index == SETTI_NONE) { /* a gap: only with keep_order, and never as the last row */
            if (!storage->keep_order || row + 1 == delta_type->extent) {
                return false;
            }
            continue;
        }
        uint32_t present_row = setti_sparse_row(storage, index);
        if (present_row == SETTI_NONE ||
            ((seen[present_row / 64] >> (present_row % 64)) & 1) != 0) {
            return false;
        }
        seen[present_row / 64] |= (uint64_t)1 << (present_row % 64);
        count++;
    }
    return count == storage->count;
}

/* Logs that a type keeps this world's order. */
static void arrange_report(const setti_delta* delta, const setti_delta_type* delta_type)
{
    sett_world* world = delta->world; /* has no setti_state while a file is loaded */
    if (setti_state_of(world) != NULL && !setti_state_of(world)->order_reported) {
        setti_state_of(world)->order_reported = true; /* once a world */
        setti_world_log(
            world, SETT_LOG_INFO,
            "%s: rows of \"%.100s\" keep this world's order: loops visit them in another order "
            "than at the sender (the state is the same; logged once)",
            delta->player.call, delta_type->type->desc.name);
    }
}

/* Frees the wanted order of a type. */
static void arrange_forget(const setti_delta* delta, setti_delta_type* delta_type)
{
    setti_pool_free(&delta->world->pool, delta_type->want, arrange_want_size(delta_type), 16);
    delta_type->want = NULL;
}

/* Computes a type's wanted order. Leaves `want` NULL if the order is impossible. Returns false if
 * memory runs out. */
static bool arrange_prepare(const setti_delta* delta, setti_view* view,
                            setti_delta_type* delta_type)
{
    SETTI_ASSERT(delta_type->want == NULL);
    setti_pool* pool = &delta->world->pool;
    const setti_delta_reader* rows = &delta_type->section[SETTI_DELTA_ROWS];
    /* The rows in the snapshot, and the indices of 4 bytes in the runs. */
    size_t row_limit = setti_view_extent(view, delta_type->type, SETTI_BEFORE) +
                       (size_t)(rows->end - rows->at) / 4;
    if (delta_type->extent > row_limit) { /* an impossible order */
        return true;
    }
    size_t size = ((size_t)delta_type->type->storage.extent / 64 + 1) * sizeof(uint64_t);
    uint64_t* seen = setti_pool_alloc(pool, size, 16);
    if (seen == NULL) {
        return arrange_fail(delta);
    }
    delta_type->want = setti_pool_alloc(pool, arrange_want_size(delta_type), 16);
    if (delta_type->want == NULL) {
        setti_pool_free(pool, seen, size, 16);
        return arrange_fail(delta);
    }
    memset(seen, 0, size);
    arrange_compute(view, delta_type);
    if (!arrange_fits(delta_type, seen)) {
        arrange_report(delta, delta_type);
        arrange_forget(delta, delta_type);
    }
    setti_pool_free(pool, seen, size, 16);
    return true;
}

/* Returns the delta's entry for a type, or NULL. */
static setti_delta_type* arrange_find(const setti_delta* delta, const setti_type* type)
{
    return type->delta_number != 0 ? &delta->type[type->delta_number - 1] : NULL;
}

/* Whether the wanted orders of a group's types begin with the same members. */
static bool arrange_agrees(const setti_delta* delta, const setti_listener* group)
{
    SETTI_ASSERT(group->owned.count != 0);
    const setti_delta_type* first = arrange_find(delta, group->owned.item[0]);
    if (first == NULL || first->want == NULL) {
        return false;
    }
    for (uint32_t k = 1; k < group->owned.count; k++) {
        const setti_delta_type* delta_type = arrange_find(delta, group->owned.item[k]);
        if (delta_type == NULL || delta_type->want == NULL) {
            return false;
        }
        if (memcmp(delta_type->want, first->want, group->length * sizeof(uint32_t)) != 0) {
            return false;
        }
    }
    for (uint32_t row = 0; row < group->length; row++) {
        if (setti_sparse_row(&first->type->storage, first->want[row]) >= group->length) {
            return false; /* not a member of the group */
        }
    }
    return true;
}

/* Whether a type, or another type of its group, can have its rows in another order in this world
 * than at the sender. */
static bool arrange_concerns_group(const setti_delta* delta, setti_view* view,
                                   const setti_delta_type* delta_type)
{
    const setti_listener* group = delta_type->type->owner;
    if (arrange_concerns(view, delta_type)) {
        return true;
    }
    if (group == NULL || delta_type->kind != SETTI_SPARSE) {
        return false;
    }
    for (uint32_t i = 0; i < group->owned.count; i++) {
        const setti_delta_type* other = arrange_find(delta, group->owned.item[i]);
        if (other != NULL && arrange_concerns(view, other)) {
            return true;
        }
    }
    return false;
}

static bool arrange_prepare_all(const setti_delta* delta, setti_view* view)
{
    for (uint32_t k = 0; k < delta->type_count; k++) {
        setti_delta_type* delta_type = &delta->type[k];
        bool concerns = arrange_concerns_group(delta, view, delta_type);
        bool prepared = !concerns || arrange_prepare(delta, view, delta_type);
        bool is_sparse_there = delta_type->kind == SETTI_SPARSE;
        bool is_sparse_here = delta_type->type->storage.kind == SETTI_SPARSE;
        if (is_sparse_there && !is_sparse_here && delta_type->count[SETTI_DELTA_ROWS] != 0) {
            arrange_report(delta, delta_type); /* no order can be kept here */
        }
        if (!prepared) {
            return false;
        }
    }
    return true;
}

/* Forgets the wanted orders of groups whose types do not agree. */
static void arrange_check_groups(const setti_delta* delta)
{
    for (const setti_listener* listener = delta->world->listeners; listener != NULL;
         listener = listener->next) {
        bool agrees = listener->owned.count == 0 || arrange_agrees(delta, listener);
        for (uint32_t k = 0; !agrees && k < listener->owned.count; k++) {
            setti_delta_type* delta_type = arrange_find(delta, listener->owned.item[k]);
            if (delta_type != NULL && delta_type->want != NULL) {
                arrange_report(delta, delta_type);
                arrange_forget(delta, delta_type);
            }
        }
    }
}

/* Whether a type's rows have the wanted order already. */
static bool arrange_is_done(const setti_delta_type* delta_type)
{
    const setti_storage* storage = &delta_type->type->storage;
    if (storage->extent != delta_type->extent) {
        return false;
    }
    for (uint32_t row = 0; row < delta_type->extent; row++) {
        if (*setti_storage_index(storage, row) != delta_type->want[row]) {
            return false;
        }
    }
    return true;
}

/* Gives a type's rows the wanted order. Returns false when memory runs out. */
static bool arrange_type(const setti_delta* delta, const setti_delta_type* delta_type)
{
    sett_world* world = delta->world;
    setti_storage* storage = &delta_type->type->storage;
    size_t size = ((size_t)storage->count + 1) * sizeof(uint32_t);
    uint32_t* rows = setti_pool_alloc(&world->pool, size, 16); /* present rows, in wanted order */
    if (rows == NULL) {
        return arrange_fail(delta);
    }
    if (!setti_delta_room_to_arrange(delta, storage, delta_type->extent)) {
        setti_pool_free(&world->pool, rows, size, 16);
        return false;
    }
    setti_storage_compact(&world->pool, storage);
    uint32_t count = 0;
    for (uint32_t row = 0; row < delta_type->extent; row++) {
        if (delta_type->want[row] != SETTI_NONE) {
            rows[count++] = setti_sparse_row(storage, delta_type->want[row]);
        }
    }
    SETTI_ASSERT(count == storage->count);
    bool sorted = setti_sort_rows(world, delta_type->type, rows, count) &&
                  setti_sparse_spread(&world->pool, storage, delta_type->want, delta_type->extent);
    setti_pool_free(&world->pool, rows, size, 16);
    return sorted || arrange_fail(delta);
}

bool setti_delta_arrange(setti_delta* delta, setti_snapshot* undo)
{
    SETTI_ASSERT(delta->loading || undo != NULL);
    sett_world* world = delta->world;
    setti_view view;
    if (delta->loading) {
        setti_view_init_empty(world, &view);
    } else if (!setti_view_init(world, undo, NULL, &view)) {
        return arrange_fail(delta);
    }
    bool succeeded = arrange_prepare_all(delta, &view);
    if (!delta->loading) {
        setti_view_deinit(world, &view);
    }
    if (succeeded) {
        arrange_check_groups(delta);
    }
    for (uint32_t k = 0; k < delta->type_count; k++) {
        setti_delta_type* delta_type = &delta->type[k];
        if (delta_type->want == NULL) {
            continue;
        }
        /* After a failure, the wanted orders are only freed. */
        if (succeeded && !arrange_is_done(delta_type)) {
            succeeded = arrange_type(delta, delta_type);
        }
        arrange_forget(delta, delta_type);
    }
    return succeeded;
}
