/* find.c: running the steps of a search.
 *
 * Each step asks the one before it for a block of rows, and fills a block of its own or leaves out
 * some of the rows. A block holds one variable: what was found, and from which row of the block
 * before. Blocks of SETT_SEARCH_ROWS stay in the first-level cache, and the misses of one step
 * overlap; going from row to row through all steps instead, each link would wait for the last.
 *
 *     block 1   [ p0 p1 p2 ]
 *     block 2   [ s0 s1 s2 s3 ]   parents [ 0 0 2 2 ]      s2 was found from p2
 *
 * A list is asked for a whole block: its pipes begin with the rows that are not decided yet, and
 * what reaches their end decides the row that it came from.
 *
 * Invariant:  parent[row] < count of the block before;  a step resumes where its block was full;
 *             no step changes a block that later steps have not used up
 */
#include "search/walk.h"

#include <stdio.h>

#define FIND_ROWS SETT_SEARCH_ROWS

typedef struct find_block {
    uint32_t count;
    uint32_t index[FIND_ROWS];
    uint16_t parent[FIND_ROWS];
    bool mark[FIND_ROWS]; /* of the input of a list: rows outside that are decided */
} find_block;

/* Entities that a closure has reached, in the order in which it did. */
typedef struct find_reached {
    uint32_t* index;
    uint32_t* slot; /* a table of numbers in `index`, plus one; twice the room */
    uint32_t count;
    uint32_t room; /* a power of two; 0: nothing yet */
} find_reached;

/* Where a step is. */
typedef struct find_work {
    bool begun;     /* it has a block of rows before it, */
    bool open;      /* and is in the middle of a row */
    uint32_t row;   /* of the block before */
    uint32_t place; /* of the next link, of a scan: the next index or row */
    find_reached reached;
} find_work;

typedef struct find {
    sett_search* search;
    sett_world* world;
    setti_search_plan plan;
    find_block* block;
    find_work* work;
    uint32_t* column; /* of results: FIND_ROWS for each variable */
    uint32_t constant[SETT_SEARCH_VARIABLES];
    size_t size; /* bytes of all that */
    bool pooled; /* from the world's pool, and not from its allocator */
    bool failed; /* memory ran out */
    bool begun;  /* the branch */
    uint32_t branch;
    uint32_t closed; /* of `open` when the loop began */
    bool sorts;      /* results come in an order: all are found first, */
    bool collected;  /* and have been */
    setti_sorted sorted;
} find;

/* --------------------------------------------------------------------------------- memory */

void* setti_find_alloc(sett_world* world, bool pooled, size_t size)
{
    setti_pool* pool = &world->pool;
    return pooled ? setti_pool_alloc(pool, size, 64)
                  : pool->allocator.alloc_fn(pool->allocator.user, size, 64);
}

void setti_find_release(sett_world* world, bool pooled, void* piece, size_t size)
{
    setti_pool* pool = &world->pool;
    if (pooled) {
        setti_pool_free(pool, piece, size, 64);
    } else if (piece != NULL) {
        pool->allocator.free_fn(pool->allocator.user, piece, size, 64);
    }
}

static void find_reached_free(const find* f, find_reached* reached)
{
    setti_find_release(f->world, f->pooled, reached->index, reached->room * 3 * sizeof(uint32_t));
    memset(reached, 0, sizeof(*reached));
}

/* All of a loop in one piece; `f` NULL: its size. */
static size_t find_lay_out(const sett_search* search, find* f)
{
    size_t at = setti_align_up(sizeof(find), 64);
    unsigned char* base = (unsigned char*)f;
    size_t steps = at;
    at = setti_align_up(at + search->step_room * sizeof(setti_search_step), 64);
    size_t pipes = at;
    at = setti_align_up(at + search->pipe_room * sizeof(setti_search_pipe), 64);
    size_t works = at;
    at = setti_align_up(at + search->step_room * sizeof(find_work), 64);
    size_t columns = at;
    at = setti_align_up(at + search->result_count * FIND_ROWS * sizeof(uint32_t), 64);
    size_t blocks = at;
    at += search->depth_room * sizeof(find_block);
    if (f != NULL) {
        f->plan.step = (setti_search_step*)(void*)(base + steps);
        f->plan.pipe = (setti_search_pipe*)(void*)(base + pipes);
        f->work = memset(base + works, 0, search->step_room * sizeof(find_work));
        f->column = (uint32_t*)(void*)(base + columns);
        f->block = (find_block*)(void*)(base + blocks);
    }
    return at;
}

static find* find_make(sett_search* search, bool pooled)
{
    if (pooled && search->spare != NULL) {
        find* spare = search->spare;
        search->spare = NULL;
        return spare;
    }
    SETTI_ASSERT(search->step_room != 0 && search->depth_room != 0);
    size_t size = find_lay_out(search, NULL);
    find* f = setti_find_alloc(search->world, pooled, size);
    if (f != NULL) {
        memset(f, 0, sizeof(*f));
        f->search = search;
        f->world = search->world;
        f->pooled = pooled;
        f->size = size;
        find_lay_out(search, f);
    }
    return f;
}

static void find_destroy(find* f)
{
    for (uint32_t k = 0; k < f->search->step_room; k++) {
        find_reached_free(f, &f->work[k].reached);
    }
    setti_sorted_free(&f->sorted, f->search);
    setti_find_release(f->world, f->pooled, f, f->size);
}

void setti_find_free(sett_search* search)
{
    if (search->spare != NULL) {
        SETTI_ASSERT(search->open.count == 0);
        find_destroy(search->spare);
        search->spare = NULL;
    }
}

/* ------------------------------------------------------------------------------- closures */

static uint32_t reached_home(const find_reached* reached, uint32_t index)
{
    SETTI_ASSERT(reached->room != 0 && (reached->room & (reached->room - 1)) == 0);
    return (index * 0x9E3779B1u >> 7) & (reached->room * 2 - 1);
}

static void reached_clear(find_reached* reached)
{
    if (reached->room != 0) {
        memset(reached->slot, 0, reached->room * 2 * sizeof(uint32_t));
    }
    reached->count = 0;
}

static bool reached_grow(find* f, find_reached* reached)
{
    find_reached grown = {.count = reached->count,
                          .room = reached->room != 0 ? reached->room * 2 : 64};
    grown.index = setti_find_alloc(f->world, f->pooled, grown.room * 3 * sizeof(uint32_t));
    if (grown.index == NULL) {
        f->failed = true;
        return false;
    }
    SETTI_ASSERT(reached->count == reached->room);
    grown.slot = grown.index + grown.room;
    memset(grown.slot, 0, grown.room * 2 * sizeof(uint32_t));
    for (uint32_t k = 0; k < reached->count; k++) {
        grown.index[k] = reached->index[k];
        uint32_t at = reached_home(&grown, grown.index[k]);
        while (grown.slot[at] != 0) {
            at = (at + 1) & (grown.room * 2 - 1);
        }
        grown.slot[at] = k + 1;
    }
    find_reached_free(f, reached);
    *reached = grown;
    return true;
}

/* Adds an entity that was not reached before. */
static void reached_add(find* f, find_reached* reached, uint32_t index)
{
    if (reached->count == reached->room && !reached_grow(f, reached)) {
        return;
    }
    SETTI_ASSERT(index != SETTI_NONE && reached->count < reached->room);
    uint32_t at = reached_home(reached, index);
    while (reached->slot[at] != 0) {
        if (reached->index[reached->slot[at] - 1] == index) {
            return;
        }
        at = (at + 1) & (reached->room * 2 - 1);
    }
    reached->index[reached->count++] = index;
    reached->slot[at] = reached->count;
}

/* Adds what links lead to from an entity. */
static void reached_follow(find* f, find_reached* reached, const setti_along* along, uint32_t from,
                           bool down)
{
    for (uint32_t place = setti_walk_first(along, from, down); place != SETTI_NONE;
         place = setti_walk_next(along, place, down)) {
        reached_add(f, reached, setti_walk_at(along, place, down));
    }
}

static void reached_begin(find* f, find_reached* reached, const setti_search_item* item,
                          uint32_t from, bool down)
{
    reached_clear(reached);
    if (from == SETTI_NONE) {
        return;
    }
    if (item->steps != SETT_STEPS_ONE_OR_MORE) {
        reached_add(f, reached, from);
    }
    if (item->steps != SETT_STEPS_ZERO_OR_MORE) {
        reached_follow(f, reached, &item->along, from, down);
    }
}

/* The k-th entity reached, SETTI_NONE behind the last. */
static uint32_t reached_take(find* f, find_reached* reached, const setti_search_item* item,
                             uint32_t k, bool down)
{
    if (k >= reached->count) {
        return SETTI_NONE;
    }
    uint32_t index = reached->index[k];
    if (item->steps != SETT_STEPS_ZERO_OR_ONE) {
        reached_follow(f, reached, &item->along, index, down);
    }
    return index;
}

/* ---------------------------------------------------------------------------------- rows */

/* What a row has in an operand: `depth` is the block that the row is in. */
SETTI_INLINE uint32_t find_value(const find* f, uint32_t depth, uint32_t row, uint8_t ref,
                                 uint8_t ref_depth)
{
    if (ref_depth == SETTI_NO_DEPTH) {
        return ref < SETT_SEARCH_VARIABLES ? f->constant[ref] : SETTI_NONE;
    }
    SETTI_ASSERT(ref_depth <= depth && row < f->block[depth].count);
    for (; depth > ref_depth; depth--) {
        row = f->block[depth].parent[row];
    }
    return f->block[depth].index[row];
}

/* Whether a row comes from one that a list has decided already. */
SETTI_INLINE bool find_is_decided(const find* f, const setti_search_step* step, uint32_t depth,
                                  uint32_t row)
{
    if (step->base == 0) {
        return false;
    }
    SETTI_ASSERT(depth >= step->base);
    for (; depth > step->base; depth--) {
        row = f->block[depth].parent[row];
    }
    return f->block[depth].mark[f->block[depth].parent[row]];
}

SETTI_INLINE void find_emit(find_block* out, uint32_t index, uint32_t row)
{
    SETTI_ASSERT(out->count < FIND_ROWS && row < FIND_ROWS);
    out->index[out->count] = index;
    out->parent[out->count++] = (uint16_t)row;
}

/* Leaves the rows that are wanted. */
SETTI_INLINE void find_keep(find_block* block, uint32_t* kept, uint32_t row, bool wanted)
{
    SETTI_ASSERT(*kept <= row && row < block->count);
    block->index[*kept] = block->index[row];
    block->parent[*kept] = block->parent[row];
    *kept += wanted;
}

/* ---------------------------------------------------------------------------------- scans */

/* What is intersected, word by word. */
typedef struct find_scan {
    const setti_storage* with[SETTI_SEARCH_ITEMS];
    const setti_storage* without[SETTI_SEARCH_ITEMS];
    uint32_t with_count, without_count;
    uint32_t limit;
} find_scan;

static void scan_prepare(const find* f, const setti_search_step* step, find_scan* scan)
{
    const sett_search* search = f->search;
    SETTI_ASSERT(step->scope < search->scope_count);
    const setti_search_scope* scope = &search->scope[step->scope];
    scan->with_count = 0;
    scan->without_count = 0;
    scan->limit = setti_entity_capacity(&f->world->entities);
    if (step->driver != NULL) {
        scan->with[scan->with_count++] = &step->driver->storage;
    }
    for (uint32_t k = scope->item; k < scope->item_stop; k++) {
        const setti_search_item* item = &search->item[search->order[k]];
        const setti_type* narrows = setti_choose_narrows(item, step->variable, step->driver);
        if (narrows != NULL) {
            scan->with[scan->with_count++] = &narrows->storage;
        } else if ((item->type != step->driver || item->negated) &&
                   setti_choose_scan_takes(item, step->variable, step->driver)) {
            const setti_storage** list = item->negated ? scan->without : scan->with;
            list[(item->negated ? &scan->without_count : &scan->with_count)[0]++] =
                &item->type->storage;
        }
    }
    for (uint32_t k = 0; k < scan->with_count; k++) {
        scan->limit = SETTI_MIN(scan->limit, scan->with[k]->extent);
    }
}

/* Who of the 64 entities at `base` is alive. */
static uint64_t scan_alive(const find* f, uint32_t base)
{
    const setti_entity_page* page = setti_entity_page_of(&f->world->entities, base);
    uint64_t word = 0;
    SETTI_ASSERT(base % 64 == 0);
    for (uint32_t k = 0; page != NULL && k < 64; k++) {
        uint32_t generation = page->generation[(base & SETTI_ENTITY_MASK) + k];
        word |= (uint64_t)((generation & SETTI_DEAD) == 0) << k;
    }
    return word;
}

static uint64_t scan_word(const find* f, const find_scan* scan, uint32_t base)
{
    uint64_t word = scan->with_count != 0 ? UINT64_MAX : scan_alive(f, base);
    for (uint32_t k = 0; k < scan->with_count && word != 0; k++) {
        const uint64_t* bits = setti_storage_word(scan->with[k], base);
        word &= bits != NULL ? *bits : 0;
    }
    for (uint32_t k = 0; k < scan->without_count && word != 0; k++) {
        const uint64_t* bits = setti_storage_word(scan->without[k], base);
        word &= ~(bits != NULL ? *bits : 0);
    }
    return word;
}

/* Goes on from w->place; false at the end. */
static bool scan_words(const find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    find_scan scan;
    scan_prepare(f, step, &scan);
    while (w->place < scan.limit) {
        uint32_t base = w->place & ~63u;
        if (scan.with_count != 0 && setti_storage_word(scan.with[0], base) == NULL) {
            w->place = setti_array_seek(scan.with[0], w->place);
            continue;
        }
        uint64_t word = scan_word(f, &scan, base) & ~setti_bits_below(w->place - base);
        for (; word != 0; word &= word - 1) {
            uint32_t index = base + setti_bits_lowest(word);
            if (out->count == FIND_ROWS) {
                w->place = index;
                return true;
            }
            find_emit(out, index, w->row);
        }
        w->place = base + 64;
    }
    return false;
}

static bool scan_rows(const setti_search_step* step, find_work* w, find_block* out)
{
    const setti_storage* storage = &step->driver->storage;
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    for (; w->place < storage->extent; w->place++) {
        uint32_t index = *setti_storage_index(storage, w->place);
        if (index != SETTI_NONE) {
            if (out->count == FIND_ROWS) {
                return true;
            }
            find_emit(out, index, w->row);
        }
    }
    return false;
}

/* --------------------------------------------------------------------------- finding links */

static bool fill_scan(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    w->place = w->open ? w->place : 0;
    bool sparse = step->driver != NULL && step->driver->storage.kind == SETTI_SPARSE;
    return sparse ? scan_rows(step, w, out) : scan_words(f, step, w, out);
}

/* The entity whose links a step follows from a row of the block before. */
SETTI_INLINE uint32_t find_from(const find* f, const setti_search_step* step, uint32_t row)
{
    bool down = step->kind == SETTI_FIND_SOURCES;
    return find_value(f, (uint32_t)step->depth - 1, row, down ? step->b : step->a,
                      down ? step->b_depth : step->a_depth);
}

/* The links of one row, from w->place on; false when there are no more. */
static bool fill_links(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    bool down = step->kind == SETTI_FIND_SOURCES;
    const setti_along* along = &step->item->along;
    SETTI_ASSERT(step->depth != 0 && step->item->kind == SETTI_ITEM_LINK);
    if (!w->open) {
        w->place = setti_walk_first(along, find_from(f, step, w->row), down);
        if (w->place == SETTI_NONE && step->item->optional) {
            find_emit(out, SETTI_NONE, w->row);
        }
    }
    while (w->place != SETTI_NONE) {
        if (out->count == FIND_ROWS) {
            return true;
        }
        find_emit(out, setti_walk_at(along, w->place, down), w->row);
        w->place = setti_walk_next(along, w->place, down);
    }
    return false;
}

static bool fill_reached(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    bool down = step->kind == SETTI_FIND_SOURCES;
    SETTI_ASSERT(step->depth != 0 && step->item->kind == SETTI_ITEM_LINK);
    if (!w->open) {
        reached_begin(f, &w->reached, step->item, find_from(f, step, w->row), down);
        w->place = 0;
        if (w->reached.count == 0 && step->item->optional) {
            find_emit(out, SETTI_NONE, w->row);
        }
    }
    while (w->place < w->reached.count) {
        if (out->count == FIND_ROWS) {
            return true;
        }
        find_emit(out, reached_take(f, &w->reached, step->item, w->place, down), w->row);
        w->place++;
    }
    return false;
}

static bool fill_copy(const find* f, const setti_search_step* step, const find_work* w,
                      find_block* out)
{
    SETTI_ASSERT(step->depth != 0 && step->item->kind == SETTI_ITEM_COMPARE);
    bool from_right = step->variable == step->item->source;
    const setti_search_side* side = &f->search->side[step->item->compare][from_right];
    uint32_t index = setti_compare_entity(
        f->world, side, find_value(f, (uint32_t)step->depth - 1, w->row, step->a, step->a_depth));
    if (index != SETTI_NONE) {
        find_emit(out, index, w->row);
    }
    return false;
}

/* Adds what a row leads to; true: the block is full before all of it was added. */
static bool fill_row(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    switch (step->kind) {
    case SETTI_FIND_SCAN:
        return fill_scan(f, step, w, out);
    case SETTI_FIND_COPY:
        return fill_copy(f, step, w, out);
    default:
        return step->item->steps == SETT_STEPS_ONE ? fill_links(f, step, w, out)
                                                   : fill_reached(f, step, w, out);
    }
}

static bool find_pull(find* f, uint32_t k);

/* Loads what the rows of a new block lead to: where links are many, misses overlap. */
static void find_prefetch(const find* f, const setti_search_step* step, uint32_t count)
{
    bool down = step->kind == SETTI_FIND_SOURCES;
    const setti_along* along = &step->item->along;
    const setti_relation* relation = along->relation;
    const setti_type* type = relation != NULL && down ? relation->sources : along->type;
    const void* value[FIND_ROWS];
    for (uint32_t row = 0; row < count; row++) {
        value[row] = setti_storage_find(&type->storage, find_from(f, step, row));
        SETTI_PREFETCH(value[row]);
    }
    for (uint32_t row = 0; relation != NULL && (down || relation->many) && row < count; row++) {
        const sett_links* links = value[row];
        if (links == NULL || links->count == 0) {
            continue;
        }
        SETTI_PREFETCH(setti_chain_at(relation, links->first_));
    }
}

static bool find_generate(find* f, uint32_t k)
{
    const setti_search_step* step = &f->plan.step[k];
    find_work* w = &f->work[k];
    find_block* out = &f->block[step->depth];
    const find_block* in = &f->block[step->depth - 1];
    SETTI_ASSERT(k != 0 && step->depth != 0 && step->depth < f->search->depth_room);
    out->count = 0;
    while (out->count == 0) {
        if (!w->begun) {
            if (!find_pull(f, k - 1)) {
                return false;
            }
            w->begun = true;
            w->open = false;
            w->row = 0;
            if (step->prefetch) {
                find_prefetch(f, step, in->count);
            }
        }
        while (w->row < in->count && out->count < FIND_ROWS) {
            bool decided = find_is_decided(f, step, (uint32_t)step->depth - 1, w->row);
            w->open = !decided && fill_row(f, step, w, out);
            if (w->open) {
                break;
            }
            w->row++;
        }
        w->begun = w->row < in->count;
    }
    return !f->failed;
}

/* The rows of the block outside that no side of the list has decided. */
static bool find_input(find* f, uint32_t k)
{
    SETTI_ASSERT(f->plan.step[k].kind == SETTI_FIND_INPUT);
    const setti_search_step* step = &f->plan.step[k];
    find_block* out = &f->block[step->depth];
    out->count = 0;
    if (f->work[k].begun) {
        return false;
    }
    f->work[k].begun = true;
    if (step->base == 0) {
        find_emit(out, SETTI_NONE, 0);
        return true;
    }
    for (uint32_t row = 0; row < f->block[step->depth - 1].count; row++) {
        if (!out->mark[row]) {
            find_emit(out, SETTI_NONE, row);
        }
    }
    return out->count != 0;
}

/* --------------------------------------------------------------------------------- testing */

/* Whether links lead from one entity to another: one at a time, where each has one target. */
static bool test_chain(const setti_search_item* item, uint32_t source, uint32_t target)
{
    SETTI_ASSERT(item->along.relation == NULL || !item->along.relation->many);
    setti_along_walk up = {0};
    while ((source = setti_along_next(&up, item->along.type, source)) != SETTI_NONE &&
           source != target) {
    }
    return source != SETTI_NONE;
}

static bool test_reached(find* f, find_reached* reached, const setti_search_item* item,
                         uint32_t source, uint32_t target)
{
    reached_begin(f, reached, item, source, false);
    for (uint32_t k = 0; k < reached->count; k++) {
        if (reached_take(f, reached, item, k, false) == target) {
            return true;
        }
    }
    return false;
}

static bool test_direct(const find* f, const setti_along* along, uint32_t source, uint32_t target)
{
    const setti_relation* relation = along->relation;
    if (relation == NULL || !relation->many) {
        return setti_along_target(along->type, source) == target;
    }
    const setti_entity_table* table = &f->world->entities;
    return setti_chain_find(relation, setti_entity_at(table, source),
                            setti_entity_at(table, target)) != SETTI_NONE;
}

/* A link at one end of which is any entity. */
static bool test_some(const find* f, const setti_search_step* step, uint32_t source,
                      uint32_t target)
{
    const setti_search_item* item = step->item;
    bool none = item->steps == SETT_STEPS_ZERO_OR_ONE || item->steps == SETT_STEPS_ZERO_OR_MORE;
    if (step->a == SETTI_SOME && step->b == SETTI_SOME) {
        if (none) {
            return f->world->entities.count != 0;
        }
        uint32_t cursor = 0;
        const setti_storage* storage = &item->along.type->storage;
        uint32_t index;
        while ((index = setti_storage_next(storage, &cursor)) != SETTI_NONE) {
            if (setti_walk_first(&item->along, index, false) != SETTI_NONE) {
                return true;
            }
        }
        return false;
    }
    bool down = step->a == SETTI_SOME;
    uint32_t from = down ? target : source;
    return from != SETTI_NONE && (none || setti_walk_first(&item->along, from, down) != SETTI_NONE);
}

static bool test_link(find* f, const setti_search_step* step, find_work* w, uint32_t source,
                      uint32_t target)
{
    const setti_search_item* item = step->item;
    if (step->a == SETTI_SOME || step->b == SETTI_SOME) {
        return test_some(f, step, source, target);
    }
    if (source == SETTI_NONE || target == SETTI_NONE) {
        return false;
    }
    bool many = item->along.relation != NULL && item->along.relation->many;
    switch (item->steps) {
    case SETT_STEPS_ONE:
        return test_direct(f, &item->along, source, target);
    case SETT_STEPS_ZERO_OR_ONE:
        return source == target || test_direct(f, &item->along, source, target);
    case SETT_STEPS_ZERO_OR_MORE:
        if (source == target) {
            return true;
        }
        break;
    default:
        break;
    }
    return many ? test_reached(f, &w->reached, item, source, target)
                : test_chain(item, source, target);
}

static bool test_compare(const find* f, const setti_search_item* item, uint32_t a, uint32_t b)
{
    const setti_search_side* sides = f->search->side[item->compare];
    return setti_compare_test(f->world, &sides[0], &sides[1], f->search->term[item->term].compare,
                              a, b);
}

/* Decides rows of the block outside, side by side. */
static void test_list(find* f, const setti_search_step* step)
{
    find_block* input = &f->block[step->depth + 1];
    SETTI_ASSERT(step->pipe < step->pipe_stop && step->pipe_stop <= f->plan.pipe_count);
    memset(input->mark, 0, sizeof(input->mark));
    for (uint32_t at = step->pipe; at < step->pipe_stop; at++) {
        const setti_search_pipe* pipe = &f->plan.pipe[at];
        for (uint32_t k = pipe->first; k < pipe->stop; k++) {
            f->work[k].begun = false;
        }
        while (find_pull(f, (uint32_t)pipe->stop - 1)) {
            uint32_t last = f->plan.step[pipe->stop - 1].depth;
            for (uint32_t row = 0; row < f->block[last].count; row++) {
                uint32_t from = row;
                for (uint32_t depth = last; depth > (uint32_t)step->depth; depth--) {
                    from = f->block[depth].parent[from];
                }
                SETTI_ASSERT(from < f->block[step->depth].count);
                input->mark[from] = true;
            }
        }
    }
}

static bool test_has(const find* f, const setti_search_step* step, uint32_t index)
{
    const setti_search_item* item = step->item;
    (void)f;
    if (step->a == SETTI_SOME) {
        return item->type->storage.count != 0;
    }
    return index != SETTI_NONE &&
           setti_along_find(item->along.type, item->walk, item->type, index) != SETTI_NONE;
}

/* A component of the entity itself: the most frequent test. */
static void find_keep_having(find* f, const setti_search_step* step, find_block* block)
{
    const setti_storage* storage = &step->item->type->storage;
    SETTI_ASSERT(step->item->along.type == NULL);
    uint32_t kept = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        uint32_t index = find_value(f, step->depth, row, step->a, step->a_depth);
        bool has = setti_storage_has(storage, index);
        find_keep(block, &kept, row, has != step->item->negated);
    }
    block->count = kept;
}

static void find_test(find* f, uint32_t k)
{
    const setti_search_step* step = &f->plan.step[k];
    const setti_search_item* item = step->item;
    find_block* block = &f->block[step->depth];
    if (item->kind == SETTI_ITEM_HAS && item->walk == SETT_WALK_NONE && step->a != SETTI_SOME) {
        find_keep_having(f, step, block);
        return;
    }
    if (item->kind == SETTI_ITEM_LIST) {
        test_list(f, step);
    }
    uint32_t kept = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        uint32_t a = find_value(f, step->depth, row, step->a, step->a_depth);
        uint32_t b = find_value(f, step->depth, row, step->b, step->b_depth);
        bool is = item->kind == SETTI_ITEM_LIST      ? f->block[step->depth + 1].mark[row]
                  : item->kind == SETTI_ITEM_LINK    ? test_link(f, step, &f->work[k], a, b)
                  : item->kind == SETTI_ITEM_COMPARE ? test_compare(f, item, a, b)
                                                     : test_has(f, step, a);
        find_keep(block, &kept, row, is != item->negated);
    }
    block->count = kept;
}

static void find_show(find* f, const setti_search_step* step)
{
    find_block* block = &f->block[step->depth];
    SETTI_ASSERT(step->variable < f->search->variable_count);
    const setti_variable* variable = &f->search->variable[step->variable];
    uint32_t kept = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        uint32_t index = find_value(f, step->depth, row, step->a, step->a_depth);
        bool shown = true;
        for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
            const setti_type* tag = variable->shows[k] ? NULL : f->world->hidden[k];
            shown = shown && (tag == NULL || !setti_storage_has(&tag->storage, index));
        }
        find_keep(block, &kept, row, shown);
    }
    block->count = kept;
}

/* Brings the next rows that step k leaves; false: there are no more. */
static bool find_pull(find* f, uint32_t k)
{
    const setti_search_step* step = &f->plan.step[k];
    SETTI_ASSERT(k < f->plan.step_count);
    if (step->kind == SETTI_FIND_INPUT) {
        return find_input(f, k);
    }
    if (step->kind != SETTI_FIND_TEST && step->kind != SETTI_FIND_SHOWN) {
        return find_generate(f, k);
    }
    while (find_pull(f, k - 1)) {
        if (step->kind == SETTI_FIND_TEST) {
            find_test(f, k);
        } else {
            find_show(f, step);
        }
        if (f->failed) {
            return false;
        }
        if (f->block[step->depth].count != 0) {
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------------- results */

sett_rows* sett_search_begin(sett_search* search, sett_rows* rows)
{
    if (search == NULL) {
        return NULL;
    }
    sett_world* world = search->world;
    bool serial = world->running == NULL;
    find* f = find_make(search, serial);
    if (f == NULL) {
        if (serial) {
            setti_world_no_memory(world, "sett_search_begin");
        }
        return NULL;
    }
    SETTI_ASSERT(f->search == search);
    setti_choose_plan(search, &f->plan);
    for (uint32_t v = 0; v < search->variable_count; v++) {
        bool fixed = search->variable[v].name == NULL || search->variable[v].bound;
        f->constant[v] = fixed ? setti_search_constant(search, v) : SETTI_NONE;
    }
    f->branch = 0;
    f->begun = false;
    f->failed = false;
    f->closed = search->open.closed;
    f->sorts = search->rank_of[0] != SETTI_NO_REF || search->rank_of[1] != SETTI_NO_REF ||
               search->rank_of[2] != SETTI_NO_REF;
    f->collected = false;
    f->sorted.count = 0;
    f->sorted.pooled = f->pooled;
    memset(rows, 0, sizeof(*rows));
    rows->world = world;
    rows->search = search;
    rows->variable_count = search->result_count;
    rows->internal = f;
    if (serial) {
        setti_world_open_loop(world, &search->open);
    }
    return rows;
}

/* Gathers what results have from the blocks, from the last one back. */
static void rows_gather(sett_rows* rows, const find* f, uint32_t last)
{
    uint16_t row[FIND_ROWS];
    for (uint32_t k = 0; k < rows->count; k++) {
        row[k] = (uint16_t)k;
    }
    SETTI_ASSERT(rows->count <= FIND_ROWS && last < f->search->depth_room);
    for (uint32_t depth = last + 1; depth-- != 0;) {
        for (uint32_t v = 0; v < rows->variable_count; v++) {
            uint8_t place = f->plan.place[f->branch][f->search->result[v]];
            if (place == depth) {
                uint32_t* column = f->column + (size_t)v * FIND_ROWS;
                for (uint32_t k = 0; k < rows->count; k++) {
                    column[k] = f->block[depth].index[row[k]];
                }
            }
        }
        for (uint32_t k = 0; k < rows->count; k++) {
            row[k] = f->block[depth].parent[row[k]];
        }
    }
    for (uint32_t v = 0; v < rows->variable_count; v++) {
        uint8_t number = f->search->result[v];
        uint32_t* column = f->column + (size_t)v * FIND_ROWS;
        for (uint32_t k = 0; f->search->variable[number].bound && k < rows->count; k++) {
            column[k] = f->constant[number];
        }
        rows->index[v] = column;
    }
}

static bool rows_find(sett_rows* rows, find* f)
{
    rows->count = 0;
    while (f->branch < f->search->branch_count && f->closed == f->search->open.closed) {
        const setti_search_pipe* pipe = &f->plan.pipe[f->branch];
        for (uint32_t k = pipe->first; !f->begun && k < pipe->stop; k++) {
            f->work[k].begun = false;
        }
        f->begun = true;
        uint32_t last = (uint32_t)pipe->stop - 1;
        if (find_pull(f, last)) {
            rows->count = f->block[f->plan.step[last].depth].count;
            rows_gather(rows, f, f->plan.step[last].depth);
            return true;
        }
        f->begun = false;
        f->branch = f->failed ? f->search->branch_count : f->branch + 1;
    }
    if (f->failed && f->pooled) {
        setti_world_no_memory(f->world, "sett_rows_next");
    }
    return false;
}

/* All results, in order. */
static void rows_collect(sett_rows* rows, find* f)
{
    f->collected = true;
    while (rows_find(rows, f)) {
        if (!setti_sorted_add(&f->sorted, f->search, rows)) {
            f->failed = true;
            break;
        }
    }
    f->failed = f->failed || !setti_sorted_sort(&f->sorted, f->search);
    if (f->failed) {
        f->sorted.count = 0;
        if (f->pooled) {
            setti_world_no_memory(f->world, "sett_rows_next");
        }
    }
}

bool sett_rows_next(sett_rows* rows)
{
    find* f = rows->internal;
    if (!f->sorts) {
        return rows_find(rows, f);
    }
    if (!f->collected) {
        rows_collect(rows, f);
    }
    bool open = f->closed == f->search->open.closed;
    rows->count =
        open && f->sorted.count != 0 ? setti_sorted_take(&f->sorted, f->search, f->column) : 0;
    for (uint32_t v = 0; v < rows->variable_count; v++) {
        rows->index[v] = f->column + (size_t)v * FIND_ROWS;
    }
    return rows->count != 0;
}

void sett_search_end(sett_rows* rows)
{
    find* f = rows != NULL ? rows->internal : NULL;
    if (f == NULL) {
        return;
    }
    rows->internal = NULL;
    if (!f->pooled) {
        find_destroy(f);
        return;
    }
    setti_world_close_loop(f->world, &f->search->open);
    if (f->search->spare == NULL) {
        f->search->spare = f;
    } else {
        find_destroy(f);
    }
}

uint64_t sett_search_count(sett_search* search)
{
    uint64_t count = 0;
    sett_rows rows;
    if (sett_search_begin(search, &rows) != NULL) {
        while (rows_find(&rows, rows.internal)) {
            count += rows.count;
        }
        sett_search_end(&rows);
    }
    return count;
}

/* -------------------------------------------------------------------------------- in words */

static void explain_step(setti_writer* writer, const sett_search* search,
                         const setti_search_step* step, uint32_t indent)
{
    static const char* const names[] = {"input",      "scan", "copy to", "targets to",
                                        "sources to", "test", "shown"};
    setti_writer_add(writer, "%*s%-11s", (int)indent, "", names[step->kind]);
    if (step->kind != SETTI_FIND_TEST && step->kind != SETTI_FIND_INPUT) {
        const char* name = search->variable[step->variable].name; /* constants are not found */
        setti_writer_add(writer, "%s%s ", strcmp(name, "*") == 0 ? "" : "$", name);
    }
    if (step->kind == SETTI_FIND_SCAN) {
        setti_writer_add(writer, step->driver != NULL ? "by %s " : "by all entities%s ",
                         step->driver != NULL ? step->driver->desc.name : "");
    } else if (step->item != NULL && step->item->kind == SETTI_ITEM_LIST) {
        setti_writer_add(writer, step->item->negated ? "not one of " : "one of ");
    } else if (step->item != NULL) {
        setti_writer_add(writer,
                         step->kind == SETTI_FIND_TEST && step->item->negated ? "not " : "");
        setti_search_print_term(search, step->item->term, writer);
        setti_writer_add(writer, " ");
    }
    uint64_t tenths = (step->estimate * 10 + 128) / 256;
    if (tenths < 100) {
        setti_writer_add(writer, "-> %u.%u\n", (unsigned)(tenths / 10), (unsigned)(tenths % 10));
    } else {
        setti_writer_add(writer, "-> %llu\n", (unsigned long long)(tenths / 10));
    }
}

static void explain_pipe(setti_writer* writer, const sett_search* search,
                         const setti_search_plan* plan, uint32_t pipe, uint32_t indent)
{
    for (uint32_t k = plan->pipe[pipe].first; k < plan->pipe[pipe].stop; k++) {
        const setti_search_step* step = &plan->step[k];
        if (step->kind != SETTI_FIND_INPUT) {
            explain_step(writer, search, step, indent);
        }
        for (uint32_t at = step->pipe; at < step->pipe_stop; at++) {
            setti_writer_add(writer, "%*sside %u\n", (int)indent + 4, "",
                             (unsigned)(at - step->pipe + 1));
            explain_pipe(writer, search, plan, at, indent + 8);
        }
    }
}

size_t sett_search_explain(sett_search* search, char* out, size_t size)
{
    setti_writer writer = {out, size, 0};
    sett_rows rows;
    if (size != 0) {
        out[0] = '\0';
    }
    if (sett_search_begin(search, &rows) == NULL) {
        return 0;
    }
    const find* f = rows.internal;
    setti_writer_add(&writer, "\"%s\", steps and the rows that they are estimated to leave:\n",
                     search->open.name);
    for (uint32_t k = 0; k < search->branch_count; k++) {
        if (search->branch_count > 1) {
            setti_writer_add(&writer, "branch %u\n", (unsigned)k + 1);
        }
        explain_pipe(&writer, search, &f->plan, k, 2);
    }
    sett_search_end(&rows);
    return writer.length;
}
