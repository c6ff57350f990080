/* delta_arrange.c: putting rows where they lie in the world that a delta was written in.
 *
 * The workload: a peer that was equal to that world down to the order of rows, and goes on
 * computing from here. A receiver that was not (another order, other groups, other storages: its
 * hash is the same) cannot be given it; it keeps the order that came out, type by type.
 *
 * How each row was is in the snapshot that is there for undoing; the delta's runs lie over it:
 *
 *     undo   a b c d e         runs     row 1: e, row 4: gone         wanted   a e c d
 *
 * Invariant:  what is wanted is taken only if it is a permutation of what is there, with members in
 *             front, and the same for all storages of a group
 */
#include "state/delta_reader.h"
#include "state/view.h"
#include "world/listener.h"
#include "world/sort.h"

#define ARRANGE_UNKNOWN (SETTI_NONE - 1) /* a row that nothing is known of: no index */

static bool arrange_fail(const setti_delta* delta)
{
    setti_world_fail(delta->world, SETT_STATUS_OUT_OF_MEMORY, "sett_delta_apply", sett_null(), 0);
    return false;
}

/* ------------------------------------------------------------------------------------- entities */

/* Rows that may have to hold another index, and which. */
typedef struct arrange_rows {
    uint32_t* row;
    uint32_t* want;
    uint32_t count;
} arrange_rows;

static void arrange_add_row(arrange_rows* rows, uint32_t row, uint32_t want)
{
    rows->row[rows->count] = row;
    rows->want[rows->count++] = want;
}

/* The pages of the table that are not as they were, then the delta's runs over them. */
static void arrange_collect(const setti_delta* delta, setti_view* view, arrange_rows* rows,
                            uint64_t* known)
{
    const setti_id_set* ids = &delta->world->entities.ids;
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    setti_delta_reader from = delta->order;
    for (uint32_t k = 0; k < delta->run_count; k++) {
        setti_delta_run run = setti_delta_next_run(&from);
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t row = run.first + i;
            arrange_add_row(rows, row, setti_delta_u32(&from));
            known[row / 64] |= (uint64_t)1 << (row % 64);
        }
    }
    while ((page = setti_view_next(view, &ids->pages, &at)) != NULL) {
        const setti_id_page* was = page->in[0];
        for (uint32_t k = 0; k < SETTI_ID_SET_ROWS; k++) {
            uint32_t row = (page->number << SETTI_ID_SET_SHIFT) + k;
            if ((known[row / 64] >> (row % 64) & 1) == 0) {
                arrange_add_row(rows, row, was != NULL ? was->dense[k] : row);
            }
        }
    }
}

/* Whether the rows would hold the indices that they hold, and members stay in front. */
static bool arrange_permutes(const setti_id_set* ids, const arrange_rows* rows, uint64_t* bits)
{
    for (uint32_t k = 0; k < rows->count; k++) {
        uint32_t index = setti_id_set_dense(ids, rows->row[k]);
        bits[index / 64] |= (uint64_t)1 << (index % 64);
    }
    for (uint32_t k = 0; k < rows->count; k++) {
        uint32_t want = rows->want[k];
        if (want >= setti_id_set_capacity(ids) || (bits[want / 64] >> (want % 64) & 1) == 0 ||
            (setti_id_set_sparse(ids, want) < ids->count) != (rows->row[k] < ids->count)) {
            return false;
        }
        bits[want / 64] &= ~((uint64_t)1 << (want % 64));
    }
    return true;
}

/* Makes the pages exist that runs name; false, *possible, if no row or index can be there: all that
 * ever lived at an index has made its page by now, and rows that hold another index hold one of
 * those. So a few bytes cannot make the table as large as its limit. */
static bool arrange_reserve(const setti_delta* delta, uint32_t* listed, bool* possible)
{
    sett_world* world = delta->world;
    setti_id_set* ids = &world->entities.ids;
    setti_delta_reader from = delta->order;
    uint64_t end = (uint64_t)setti_id_set_capacity(ids) + SETTI_ID_SET_ROWS;
    end = SETTI_MIN(end, ids->limit);
    for (uint32_t k = 0; k < delta->run_count; k++) {
        setti_delta_run run = setti_delta_next_run(&from);
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t index = setti_delta_u32(&from);
            *possible = *possible && index < end && run.first + i < end;
            if (*possible && (!setti_delta_room(delta) ||
                              !setti_id_set_reserve_page(&world->pool, ids, run.first + i) ||
                              !setti_id_set_reserve_page(&world->pool, ids, index))) {
                return false;
            }
        }
        *listed += run.count;
    }
    return true;
}

static bool arrange_put(const setti_delta* delta, const arrange_rows* rows)
{
    setti_id_set* ids = &delta->world->entities.ids;
    for (uint32_t k = 0; k < rows->count; k++) {
        if (setti_id_set_dense(ids, rows->row[k]) != rows->want[k]) {
            if (!setti_delta_room(delta)) {
                return false;
            }
            setti_id_set_put(&delta->world->pool, ids, rows->row[k], rows->want[k]);
        }
    }
    return true;
}

static bool arrange_entities(const setti_delta* delta, setti_view* view)
{
    setti_pool* pool = &delta->world->pool;
    const setti_id_set* ids = &delta->world->entities.ids;
    uint32_t listed = 0;
    bool possible = true;
    if (delta->world->entities.reserved != 0) {
        /* Observers recorded creations meanwhile, which count on the rows behind the members; and
         * which handles come next is not the sender's any more in any case. */
        return true;
    }
    if (!arrange_reserve(delta, &listed, &possible)) {
        return arrange_fail(delta);
    }
    uint32_t at = SETTI_NONE;
    size_t count = listed;
    while (setti_view_next(view, &ids->pages, &at) != NULL) {
        count += SETTI_ID_SET_ROWS;
    }
    if (!possible || count == 0) {
        return true;
    }
    size_t words = (size_t)setti_id_set_capacity(ids) / 64 + 1;
    size_t size = 2 * words * sizeof(uint64_t) + 2 * count * sizeof(uint32_t);
    uint64_t* bits = setti_pool_alloc(pool, size, 16);
    if (bits == NULL) {
        return arrange_fail(delta);
    }
    memset(bits, 0, 2 * words * sizeof(uint64_t));
    uint32_t* row = (uint32_t*)(void*)(bits + 2 * words);
    arrange_rows rows = {row, row + count, 0};
    arrange_collect(delta, view, &rows, bits + words);
    bool done = !arrange_permutes(ids, &rows, bits) || arrange_put(delta, &rows);
    setti_pool_free(pool, bits, size, 16);
    return done;
}

/* ----------------------------------------------------------------------------------------- rows */

static size_t arrange_want_size(const setti_delta_type* of)
{
    return SETTI_MAX(of->extent, 1) * sizeof(uint32_t);
}

/* Whether the order of a type's rows may not be what the delta says. */
static bool arrange_concerns(setti_view* view, const setti_delta_type* of)
{
    const setti_storage* storage = &of->type->storage;
    uint32_t at = SETTI_NONE;
    return storage->kind == SETTI_SPARSE && of->kind == SETTI_SPARSE &&
           (of->count[SETTI_DELTA_ROWS] != 0 || of->extent != storage->extent ||
            setti_view_next(view, &storage->rows, &at) != NULL);
}

/* How rows were, and the runs over it. */
static void arrange_want(setti_view* view, setti_delta_type* of)
{
    const setti_storage* storage = &of->type->storage;
    uint32_t was = setti_view_extent(view, of->type, 0);
    for (uint32_t row = 0; row < of->extent; row++) {
        const unsigned char* page =
            row < was ? setti_view_get(view, &storage->rows, row >> storage->shift, 0) : NULL;
        uint32_t k = row & (setti_storage_rows(storage) - 1);
        of->want[row] = page != NULL ? ((const uint32_t*)(const void*)(page + storage->indices))[k]
                                     : ARRANGE_UNKNOWN;
    }
    setti_delta_reader from = of->part[SETTI_DELTA_ROWS];
    for (uint32_t k = 0; k < of->count[SETTI_DELTA_ROWS]; k++) {
        setti_delta_run run = setti_delta_next_run(&from);
        for (uint32_t i = 0; i < run.count; i++) {
            of->want[run.first + i] = setti_delta_u32(&from);
        }
    }
}

/* Whether these are the entities that have the type, each once, gaps where there may be some. */
static bool arrange_fits(const setti_delta_type* of, uint64_t* bits)
{
    const setti_storage* storage = &of->type->storage;
    uint32_t count = 0;
    for (uint32_t row = 0; row < of->extent; row++) {
        uint32_t index = of->want[row];
        if (index == SETTI_NONE) {
            if (!storage->keep_order || row + 1 == of->extent) {
                return false;
            }
            continue;
        }
        uint32_t now = setti_sparse_row(storage, index);
        if (now == SETTI_NONE || (bits[now / 64] >> (now % 64) & 1) != 0) {
            return false;
        }
        bits[now / 64] |= (uint64_t)1 << (now % 64);
        count++;
    }
    return count == storage->count;
}

/* The first time in a world that the order of rows is not taken over: a program that relies on it
 * has to know. */
static void arrange_report(const setti_delta* delta, const setti_delta_type* of)
{
    sett_world* world = delta->world;
    if (!world->state->order_reported) {
        world->state->order_reported = true;
        setti_world_log(world, SETT_LOG_INFO,
                        "sett_delta_apply: \"%.100s\" keeps the order of its rows, which is not "
                        "that of the sender: loops over it go another way from now on (the state "
                        "is the same; reported once)",
                        of->type->desc.name);
    }
}

static void arrange_forget(const setti_delta* delta, setti_delta_type* of)
{
    setti_pool_free(&delta->world->pool, of->want, arrange_want_size(of), 16);
    of->want = NULL;
}

/* Finds what is wanted of a type; nothing if it cannot be had. False when memory runs out. */
static bool arrange_prepare(const setti_delta* delta, setti_view* view, setti_delta_type* of)
{
    setti_pool* pool = &delta->world->pool;
    const setti_delta_reader* rows = &of->part[SETTI_DELTA_ROWS];
    size_t known = setti_view_extent(view, of->type, 0) + (size_t)(rows->end - rows->at) / 4;
    if (of->extent > known) {
        return true; /* rows of which nothing is said, however many */
    }
    size_t size = ((size_t)of->type->storage.extent / 64 + 1) * sizeof(uint64_t);
    uint64_t* bits = setti_pool_alloc(pool, size, 16);
    of->want = bits != NULL ? setti_pool_alloc(pool, arrange_want_size(of), 16) : NULL;
    if (of->want == NULL) {
        setti_pool_free(pool, bits, size, 16);
        return arrange_fail(delta);
    }
    memset(bits, 0, size);
    arrange_want(view, of);
    if (!arrange_fits(of, bits)) {
        arrange_report(delta, of);
        arrange_forget(delta, of);
    }
    setti_pool_free(pool, bits, size, 16);
    return true;
}

static setti_delta_type* arrange_find(const setti_delta* delta, const setti_type* type)
{
    return type->delta_number != 0 ? &delta->type[type->delta_number - 1] : NULL;
}

/* Whether all storages of a group want the same members in front, in the same order. */
static bool arrange_agrees(const setti_delta* delta, const setti_listener* group)
{
    const setti_delta_type* first = arrange_find(delta, group->owned.item[0]);
    for (uint32_t k = 0; k < group->owned.count; k++) {
        const setti_delta_type* of = arrange_find(delta, group->owned.item[k]);
        if (of == NULL || of->want == NULL || first->want == NULL ||
            memcmp(of->want, first->want, group->length * sizeof(uint32_t)) != 0) {
            return false;
        }
    }
    for (uint32_t row = 0; row < group->length; row++) {
        if (setti_sparse_row(&first->type->storage, first->want[row]) >= group->length) {
            return false;
        }
    }
    return true;
}

static bool arrange_prepare_all(const setti_delta* delta, setti_view* view)
{
    bool done = true;
    for (uint32_t k = 0; done && k < delta->type_count; k++) {
        setti_delta_type* of = &delta->type[k];
        bool concerns = arrange_concerns(view, of);
        const setti_listener* group = of->type->owner;
        for (uint32_t i = 0; group != NULL && !concerns && i < group->owned.count; i++) {
            const setti_delta_type* other = arrange_find(delta, group->owned.item[i]);
            concerns = of->kind == SETTI_SPARSE && other != NULL && arrange_concerns(view, other);
        }
        done = !concerns || arrange_prepare(delta, view, of);
        if (of->kind == SETTI_SPARSE && of->type->storage.kind != SETTI_SPARSE &&
            of->count[SETTI_DELTA_ROWS] != 0) {
            arrange_report(delta, of);
        }
    }
    for (const setti_listener* at = delta->world->listeners; done && at != NULL; at = at->next) {
        for (uint32_t i = 0; at->owned.count != 0 && i < at->owned.count; i++) {
            setti_delta_type* of = arrange_find(delta, at->owned.item[i]);
            if (i == 0 && arrange_agrees(delta, at)) {
                break;
            }
            if (of != NULL && of->want != NULL) {
                arrange_report(delta, of);
                arrange_forget(delta, of);
            }
        }
    }
    return done;
}

static bool arrange_is_so(const setti_delta_type* of)
{
    const setti_storage* storage = &of->type->storage;
    bool same = storage->extent == of->extent;
    for (uint32_t row = 0; same && row < of->extent; row++) {
        same = *setti_storage_index(storage, row) == of->want[row];
    }
    return same;
}

/* Gives every row the entity that is wanted there. */
static bool arrange_type(const setti_delta* delta, const setti_delta_type* of)
{
    sett_world* world = delta->world;
    setti_storage* storage = &of->type->storage;
    size_t size = ((size_t)storage->count + 1) * sizeof(uint32_t);
    uint32_t* from = setti_pool_alloc(&world->pool, size, 16);
    if (from == NULL) {
        return arrange_fail(delta);
    }
    if (!setti_delta_room_to_arrange(delta, storage, of->extent)) {
        setti_pool_free(&world->pool, from, size, 16);
        return false;
    }
    setti_storage_compact(&world->pool, storage);
    uint32_t count = 0;
    for (uint32_t row = 0; row < of->extent; row++) {
        if (of->want[row] != SETTI_NONE) {
            from[count++] = setti_sparse_row(storage, of->want[row]);
        }
    }
    bool done = setti_sort_rows(world, of->type, from, count) &&
                setti_sparse_spread(&world->pool, storage, of->want, of->extent);
    setti_pool_free(&world->pool, from, size, 16);
    return done || arrange_fail(delta);
}

bool setti_delta_arrange(setti_delta* delta, setti_snapshot* undo)
{
    sett_world* world = delta->world;
    setti_view view;
    if (!setti_view_init(world, undo, NULL, &view)) {
        return arrange_fail(delta);
    }
    bool done = arrange_entities(delta, &view);
    setti_view_deinit(world, &view);
    if (!done || !setti_view_init(world, undo, NULL, &view)) { /* pages were added to it */
        return done ? arrange_fail(delta) : false;
    }
    done = arrange_prepare_all(delta, &view);
    setti_view_deinit(world, &view);
    for (uint32_t k = 0; k < delta->type_count; k++) {
        setti_delta_type* of = &delta->type[k];
        if (of->want != NULL) {
            done = done && (arrange_is_so(of) || arrange_type(delta, of));
            arrange_forget(delta, of);
        }
    }
    return done;
}
