/* find.c: runs the steps of a search.
 *
 * Each step fetches a block of rows from the step before, and fills its own block or drops rows. A
 * block has the values of one variable and, for each value, its parent: a row of the block before.
 * Blocks of SETT_SEARCH_ROWS stay in the first-level cache, and the cache misses of a step overlap.
 * Rejected: taking a single row through all steps, because each link waits for the last.
 *
 *     block 1   [ p0 p1 p2 ]
 *     block 2   [ s0 s1 s2 s3 ]   parents [ 0 0 2 2 ]      s2 was found from p2
 *
 * A list is evaluated for a whole block. The pipe of each side begins with the undecided rows of
 * the block. Each row at the end of a pipe marks its origin in the block: the list is true there.
 *
 * Invariant:  parent[row] < count of the block before;  a step resumes where its block was full;
 *             no step changes a block that later steps still use
 */
#include "search/walk.h"

#include <stdio.h>

#define FIND_ROWS SETT_SEARCH_ROWS
#define FIND_WORK 1024 /* rows, words and links visited between two calls of a limit */

typedef struct find_block {
    uint32_t count;
    uint32_t index[FIND_ROWS];
    uint16_t parent[FIND_ROWS];
    /* Of an input block: whether the list is true, by row of the previous block. */
    bool mark[FIND_ROWS];
} find_block;

/* The entities reached by chains of links, in order of discovery. */
typedef struct find_reached {
    uint32_t* index;
    uint32_t* slot; /* hash table of 2 * room slots: (position in `index`) + 1; 0: empty */
    uint32_t count;
    uint32_t room; /* a power of two; 0: not allocated */
} find_reached;

/* The progress of a step through the rows of the previous block. */
typedef struct find_work {
    bool begun;     /* the previous block has rows left; of an input: it was handed out */
    bool open;      /* `row` has results left */
    uint32_t row;   /* the current row of the previous block */
    uint32_t place; /* the next result: a link's place, a position in `reached`, or an index or
                     * row of a scan */
    find_reached reached;
    setti_wanted wanted; /* of a scan: the entities that a look-up found */
} find_work;

typedef struct find {
    sett_search* search;
    sett_world* world;
    setti_search_plan plan;
    find_block* block;
    find_work* work;
    uint32_t* column;                         /* results: FIND_ROWS for each variable */
    uint32_t constant[SETT_SEARCH_VARIABLES]; /* entity indices of fixed variables */
    size_t size;                              /* of this struct and its arrays, in bytes */
    bool pooled;     /* allocated from the world's pool, not by the allocator */
    bool failed;     /* the loop must end: memory ran out, or `stopped` is set */
    bool stopped;    /* the search's limit ended the loop */
    uint32_t spent;  /* work since the last call of the limit */
    uint32_t branch; /* the current branch of the plan */
    uint32_t closed; /* search->open.closed when the loop began */
    bool collected;  /* results are collected and sorted first */
    setti_sorted sorted;
    struct find* next; /* in search->loops */
    const void* frame; /* the sett_rows of the loop if they are a local variable, or NULL */
} find;

void* setti_find_alloc(sett_world* world, bool pooled, size_t size)
{
    setti_pool* pool = &world->pool;
    if (pooled) {
        return setti_pool_alloc(pool, size, 64); /* 64: a cache line */
    }
    return pool->allocator.alloc_fn(pool->allocator.user, size, 64);
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
    /* `index` and `slot` are one piece of memory: one index and two slots for each entity. */
    setti_find_release(f->world, f->pooled, reached->index, reached->room * 3 * sizeof(uint32_t));
    memset(reached, 0, sizeof(*reached));
}

/* Takes the `size` bytes of `piece` at *offset, and moves *offset behind them, to the next cache
 * line. Returns NULL if `piece` is NULL. */
static void* find_take_memory(void* piece, size_t* offset, size_t size)
{
    size_t first = *offset;
    *offset = setti_align_up(first + size, 64);
    if (piece == NULL) {
        return NULL;
    }
    return (unsigned char*)piece + first;
}

/* Places the arrays of the loop `f` in the memory `piece`, behind the loop itself. Only measures
 * if `piece` is NULL. Returns the size of the loop and its arrays, in bytes. */
static size_t find_lay_out(const sett_search* search, find* f, void* piece)
{
    size_t offset = setti_align_up(sizeof(find), 64);
    f->plan.step = find_take_memory(piece, &offset, search->step_room * sizeof(setti_search_step));
    f->plan.pipe = find_take_memory(piece, &offset, search->pipe_room * sizeof(setti_span));
    f->work = find_take_memory(piece, &offset, search->step_room * sizeof(find_work));
    size_t column_size = FIND_ROWS * sizeof(uint32_t);
    f->column = find_take_memory(piece, &offset, search->result_count * column_size);
    f->block = find_take_memory(piece, &offset, search->depth_room * sizeof(find_block));
    return offset;
}

/* Returns the spare loop of the search, or allocates a loop. Returns NULL when memory runs out. */
static find* find_make(sett_search* search, bool pooled)
{
    if (pooled && search->spare != NULL) {
        find* spare = search->spare;
        search->spare = NULL;
        return spare;
    }
    SETTI_ASSERT(search->step_room != 0 && search->depth_room != 0);
    find empty = {.search = search, .world = search->world, .pooled = pooled};
    empty.size = find_lay_out(search, &empty, NULL);
    find* f = setti_find_alloc(search->world, pooled, empty.size);
    if (f != NULL) {
        *f = empty;
        find_lay_out(search, f, f);
        memset(f->work, 0, search->step_room * sizeof(find_work));
    }
    return f;
}

static void find_destroy(find* f)
{
    for (uint32_t k = 0; k < f->search->step_room; k++) {
        find_reached_free(f, &f->work[k].reached);
        setti_find_release(f->world, f->pooled, f->work[k].wanted.entity,
                           f->work[k].wanted.room * sizeof(sett_entity));
    }
    setti_sorted_free(&f->sorted, f->search);
    setti_find_release(f->world, f->pooled, f, f->size);
}

/* Takes a loop out of the list of the search. Keeps it as the spare loop, or frees it. */
static void find_release(find* f)
{
    find** link = &f->search->loops;
    while (*link != f) {
        SETTI_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = f->next;
    if (f->search->spare == NULL) {
        f->search->spare = f;
    } else {
        find_destroy(f);
    }
}

/* Ends the loops that a `break` or `return` left open: those that use `rows`, and those of
 * functions that have returned. */
static void find_release_left(const sett_search* search, const sett_rows* rows)
{
    for (find *f = search->loops, *next; f != NULL; f = next) {
        next = f->next;
        bool uses_rows = f->frame == rows;
        bool has_returned = f->frame != NULL && setti_platform_has_returned(f->frame);
        if (uses_rows || has_returned) {
            find_release(f);
        }
    }
}

void setti_find_free(sett_search* search)
{
    SETTI_ASSERT(search->open.count == 0);
    while (search->loops != NULL) { /* closed by the world, not by sett_search_end */
        find_release(search->loops);
    }
    if (search->spare != NULL) {
        find_destroy(search->spare);
        search->spare = NULL;
    }
}

SETTI_COLD static void find_check_limit(find* f)
{
    const setti_rank* rank = &f->search->rank;
    f->spent = 0;
    if (rank->stop != NULL && rank->stop(rank->stop_user)) {
        f->failed = f->stopped = true; /* each step ends when `failed` is set */
    }
}

/* Counts work, and calls the limit now and then. */
SETTI_INLINE void find_spend(find* f, uint32_t work)
{
    f->spent += work;
    if (SETTI_UNLIKELY(f->spent >= FIND_WORK)) {
        find_check_limit(f);
    }
}

/* Returns the first slot to probe for an entity. */
static uint32_t reached_home(const find_reached* reached, uint32_t index)
{
    SETTI_ASSERT(reached->room != 0 && (reached->room & (reached->room - 1)) == 0);
    /* Fibonacci hashing: the factor is 2^32 / 1.618. The lowest bits of the product are mixed least
     * and shifted out. */
    return ((index * 0x9E3779B1u) >> 7) & (reached->room * 2 - 1);
}

/* Doubles the room of a list. After a failure, sets f->failed and returns false. */
static bool reached_grow(find* f, find_reached* reached)
{
    find_reached grown = {.count = reached->count, .room = 64};
    if (reached->room != 0) {
        grown.room = reached->room * 2;
    }
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
        uint32_t probe = reached_home(&grown, grown.index[k]);
        while (grown.slot[probe] != 0) {
            probe = (probe + 1) & (grown.room * 2 - 1);
        }
        grown.slot[probe] = k + 1; /* 0 is an empty slot */
    }
    find_reached_free(f, reached);
    *reached = grown;
    return true;
}

/* Adds an entity, unless the list has the entity already. */
static void reached_add(find* f, find_reached* reached, uint32_t index)
{
    if (reached->count == reached->room && !reached_grow(f, reached)) {
        return;
    }
    SETTI_ASSERT(index != SETTI_NONE && reached->count < reached->room);
    uint32_t probe = reached_home(reached, index);
    while (reached->slot[probe] != 0) {
        if (reached->index[reached->slot[probe] - 1] == index) {
            return;
        }
        probe = (probe + 1) & (reached->room * 2 - 1);
    }
    reached->index[reached->count++] = index;
    reached->slot[probe] = reached->count; /* the position in `index`, plus 1 */
}

/* Adds the ends of the links of the entity `index`. */
static void reached_follow(find* f, find_reached* reached, const setti_type* relationship,
                           uint32_t index, setti_link_side side)
{
    for (uint32_t place = setti_walk_first(relationship, index, side); place != SETTI_NONE;
         place = setti_walk_next(relationship, place, side)) {
        reached_add(f, reached, setti_walk_end(relationship, place, side));
    }
}

/* Begins a new list with the ends of the links of the entity `index`. If `index` is SETTI_NONE, the
 * list stays empty. If the item is `or_self`, the entity itself is the first in the list. */
static void reached_begin(find* f, find_reached* reached, const setti_search_item* item,
                          uint32_t index, setti_link_side side)
{
    if (reached->room != 0) {
        memset(reached->slot, 0, reached->room * 2 * sizeof(uint32_t));
    }
    reached->count = 0;
    if (index == SETTI_NONE) {
        return;
    }
    if (item->or_self) {
        reached_add(f, reached, index);
    }
    /* If the entity itself is in the list, reached_take follows its links. */
    bool is_followed_later = item->or_self && item->closure;
    if (!is_followed_later) {
        reached_follow(f, reached, item->along, index, side);
    }
}

/* Returns the k-th entity reached, or SETTI_NONE if fewer are reached. In a closure, adds the ends
 * of the entity's links to the list. */
static uint32_t reached_take(find* f, find_reached* reached, const setti_search_item* item,
                             uint32_t k, setti_link_side side)
{
    if (k >= reached->count) {
        return SETTI_NONE;
    }
    uint32_t index = reached->index[k];
    find_spend(f, 1);
    if (item->closure && !f->failed) {
        reached_follow(f, reached, item->along, index, side);
    }
    return index;
}

/* The row of the block at `origin_depth` from which a row of the block at `depth` was found. */
SETTI_INLINE uint32_t find_origin(const find* f, uint32_t depth, uint32_t row,
                                  uint32_t origin_depth)
{
    SETTI_ASSERT(origin_depth <= depth && row < f->block[depth].count);
    for (; depth > origin_depth; depth--) {
        row = f->block[depth].parent[row];
    }
    return row;
}

/* The entity of the variable `ref` in a row of the block at `depth`, or SETTI_NONE. `ref_depth` is
 * the depth of the variable's own block. */
SETTI_INLINE uint32_t find_value(const find* f, uint32_t depth, uint32_t row, uint8_t ref,
                                 uint8_t ref_depth)
{
    if (ref_depth == SETTI_NO_DEPTH) { /* the variable is fixed */
        return ref < SETT_SEARCH_VARIABLES ? f->constant[ref] : SETTI_NONE;
    }
    return f->block[ref_depth].index[find_origin(f, depth, row, ref_depth)];
}

/* Whether the enclosing list is already true for a row of the block at `depth`. */
SETTI_INLINE bool find_is_decided(const find* f, const setti_search_step* step, uint32_t depth,
                                  uint32_t row)
{
    if (step->input_depth == 0) {
        return false; /* there is no list */
    }
    const find_block* input = &f->block[step->input_depth];
    uint32_t input_row = find_origin(f, depth, row, step->input_depth);
    return input->mark[input->parent[input_row]];
}

/* Appends the result `index`, which was found from the row `row` of the previous block. */
SETTI_INLINE void find_emit(find_block* out, uint32_t index, uint32_t row)
{
    SETTI_ASSERT(out->count < FIND_ROWS && row < FIND_ROWS);
    out->index[out->count] = index;
    out->parent[out->count++] = (uint16_t)row;
}

/* Copies the row `row` behind the kept rows. The copy counts as kept if the row passes. There is no
 * branch, because a processor could not predict it. */
SETTI_INLINE void find_keep(find_block* block, uint32_t* kept, uint32_t row, bool passes)
{
    SETTI_ASSERT(*kept <= row && row < block->count);
    block->index[*kept] = block->index[row];
    block->parent[*kept] = block->parent[row];
    *kept += passes;
}

/* Whether no tag hides the entity. `named` has the tags that terms name: they hide nothing. */
static bool find_is_shown(const find* f, uint32_t index, const bool named[SETTI_HIDDEN])
{
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        const setti_type* tag = named[k] ? NULL : f->world->hidden[k];
        if (tag != NULL && setti_storage_has(&tag->storage, index)) {
            return false;
        }
    }
    return true;
}

/* The storages with the presence bits that a scan tests. */
typedef struct find_scan {
    const setti_storage* storage[SETTI_SEARCH_ITEMS + 1]; /* the driver, if any, is first */
    uint64_t flip[SETTI_SEARCH_ITEMS + 1];                /* all ones for a negated term */
    uint32_t count;
    uint32_t limit; /* the scan ends before this index */
} find_scan;

static void scan_add(find_scan* scan, const setti_storage* storage, bool negated)
{
    scan->storage[scan->count] = storage;
    scan->flip[scan->count++] = negated ? UINT64_MAX : 0;
    if (!negated) {
        scan->limit = SETTI_MIN(scan->limit, storage->extent);
    }
}

static void scan_prepare(const find* f, const setti_search_step* step, find_scan* scan)
{
    const sett_search* search = f->search;
    scan->count = 0;
    scan->limit = setti_entity_capacity(&f->world->entities);
    if (step->driver != NULL) {
        scan_add(scan, &step->driver->storage, false /* negated */);
    }
    for (uint32_t k = step->scope->items.first; k < step->scope->items.stop; k++) {
        const setti_search_item* item = &search->item[search->order[k]];
        const setti_type* type = setti_choose_scanned(item, step->variable, step->driver);
        bool is_added = type == step->driver && !item->negated; /* before the loop */
        if (type != NULL && !is_added) {
            scan_add(scan, &type->storage, item->negated);
        }
    }
}

/* Returns `word` without the bits of entities that fail a test. Bit 0 is the entity `base`. */
static uint64_t scan_word(const find_scan* scan, uint32_t base, uint64_t word)
{
    for (uint32_t k = 0; k < scan->count && word != 0; k++) {
        const uint64_t* bits = setti_storage_word(scan->storage[k], base);
        uint64_t present = bits != NULL ? *bits : 0;
        word &= present ^ scan->flip[k];
    }
    return word;
}

static const setti_lookup_calls* find_lookup_calls(const void* lookup)
{
    return ((const setti_lookup_head*)lookup)->calls;
}

/* Finds the entities of a scan by a look-up, if the world has one that can find them. */
static void scan_narrow(find* f, const setti_search_step* step, find_work* w)
{
    const void* lookup = f->world->module[SETTI_SLOT_LOOKUPS];
    w->wanted.lookup = NULL;
    if (lookup == NULL || !f->pooled || step->kind != SETTI_FIND_SCAN) {
        return; /* a loop in a system is not pooled, and uses no look-up */
    }
    bool by_words = step->driver == NULL || step->driver->storage.kind != SETTI_SPARSE;
    if (by_words) {
        find_lookup_calls(lookup)->narrow(f->search, step, &w->wanted);
    }
}

/* The position of the first wanted entity with an index >= `index`. */
static uint32_t wanted_seek(const setti_wanted* wanted, uint32_t index)
{
    uint32_t first = 0;
    uint32_t end = wanted->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (wanted->entity[middle].index < index) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Adds the wanted entities that pass the scan. Returns true if the block is full. */
static bool scan_wanted(const find* f, const find_scan* scan, find_work* w, find_block* out)
{
    const sett_entity* entity = w->wanted.entity;
    uint32_t k = wanted_seek(&w->wanted, w->place);
    for (; k < w->wanted.count && entity[k].index < scan->limit; k++) {
        uint32_t index = entity[k].index;
        uint32_t base = index & ~63u; /* the first entity of the word */
        uint64_t bit = (uint64_t)1 << (index % 64);
        uint64_t word = setti_entity_alive(&f->world->entities, base) & bit;
        if (scan_word(scan, base, word) == 0) {
            continue;
        }
        if (out->count == FIND_ROWS) {
            w->place = index;
            return true;
        }
        find_emit(out, index, w->row);
    }
    return false;
}

/* Scans the presence bits of the driver, or the living entities if the step has no driver. Returns
 * true if the block is full. */
static bool scan_words(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    find_scan scan;
    scan_prepare(f, step, &scan);
    const sett_lookup* lookup = w->wanted.lookup;
    if (lookup != NULL && find_lookup_calls(lookup)->is_current(lookup)) {
        find_spend(f, 1);
        return scan_wanted(f, &scan, w, out);
    }
    find_spend(f, (scan.limit - SETTI_MIN(w->place, scan.limit)) / 64); /* words to scan */
    const setti_storage* driver = step->driver != NULL ? scan.storage[0] : NULL;
    while (w->place < scan.limit) {
        uint32_t base = w->place & ~63u; /* the first entity of the word */
        if (driver != NULL && setti_storage_word(driver, base) == NULL) {
            w->place = setti_array_seek(driver, w->place); /* skips pages without bits */
            continue;
        }
        /* All bits for now: scan_word tests the bits of the driver, the first storage. */
        uint64_t word = driver != NULL ? UINT64_MAX : setti_entity_alive(&f->world->entities, base);
        word = scan_word(&scan, base, word & ~setti_bits_below(w->place - base));
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

/* Scans the rows of a sparse set. Returns true if the block is full. */
static bool scan_rows(const setti_search_step* step, find_work* w, find_block* out)
{
    const setti_storage* storage = &step->driver->storage;
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    for (; w->place < storage->extent; w->place++) {
        uint32_t index = *setti_storage_index(storage, w->place);
        if (index != SETTI_NONE) { /* not a gap */
            if (out->count == FIND_ROWS) {
                return true;
            }
            find_emit(out, index, w->row);
        }
    }
    return false;
}

/* The entity from which a step finds the results of a row of the previous block, or SETTI_NONE. */
SETTI_INLINE uint32_t find_start(const find* f, const setti_search_step* step, uint32_t row)
{
    return find_value(f, (uint32_t)step->depth - 1, row, step->a, step->a_depth);
}

/* Adds the ends of the links of a row. Returns true if the block is full before the last end. */
SETTI_INLINE bool fill_links_of(find* f, const setti_search_step* step, find_work* w,
                                find_block* out, setti_link_side side)
{
    const setti_type* relationship = step->item->along;
    SETTI_ASSERT(step->depth != 0 && step->item->kind == SETTI_ITEM_LINK);
    if (!w->open) { /* a new row */
        w->place = setti_walk_first(relationship, find_start(f, step, w->row), side);
        if (w->place == SETTI_NONE && step->item->optional) {
            find_emit(out, SETTI_NONE, w->row);
        }
    }
    while (w->place != SETTI_NONE) {
        if (out->count == FIND_ROWS) {
            return true;
        }
        find_emit(out, setti_walk_end(relationship, w->place, side), w->row);
        w->place = setti_walk_next(relationship, w->place, side);
    }
    return false;
}

/* Calls fill_links_of with a constant side, so that a faster copy is compiled for each side. */
static bool fill_links(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    if (step->kind == SETTI_FIND_SOURCES) {
        return fill_links_of(f, step, w, out, SETTI_SOURCES);
    }
    return fill_links_of(f, step, w, out, SETTI_TARGETS);
}

/* Adds the entities reached from a row. Returns true if the block is full. */
static bool fill_reached(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    setti_link_side side = step->kind == SETTI_FIND_SOURCES ? SETTI_SOURCES : SETTI_TARGETS;
    SETTI_ASSERT(step->depth != 0 && step->item->kind == SETTI_ITEM_LINK);
    if (!w->open) { /* a new row */
        reached_begin(f, &w->reached, step->item, find_start(f, step, w->row), side);
        if (w->reached.count == 0 && step->item->optional) {
            find_emit(out, SETTI_NONE, w->row);
        }
    }
    while (w->place < w->reached.count) {
        if (out->count == FIND_ROWS) {
            return true;
        }
        find_emit(out, reached_take(f, &w->reached, step->item, w->place, side), w->row);
        w->place++;
    }
    return false;
}

/* Adds the entity on the side of `==` that an earlier step has found. Returns false, because a row
 * has one result at most, and the block has room for one. */
static bool fill_copy(const find* f, const setti_search_step* step, const find_work* w,
                      find_block* out)
{
    SETTI_ASSERT(step->depth != 0 && step->item->kind == SETTI_ITEM_COMPARE);
    const setti_search_side* sides = f->search->side[step->item->compare];
    const setti_search_side* side = step->variable == step->item->source ? &sides[1] : &sides[0];
    uint32_t index = setti_compare_entity(f->world, side, find_start(f, step, w->row));
    if (index != SETTI_NONE) {
        find_emit(out, index, w->row);
    }
    return false;
}

/* Adds the results of a row. Returns true if the block is full. */
static bool fill_row(find* f, const setti_search_step* step, find_work* w, find_block* out)
{
    w->place = w->open ? w->place : 0; /* a new row begins at place 0 */
    switch (step->kind) {
    case SETTI_FIND_SCAN:
        if (step->driver != NULL && step->driver->storage.kind == SETTI_SPARSE) {
            return scan_rows(step, w, out);
        }
        return scan_words(f, step, w, out);
    case SETTI_FIND_COPY:
        return fill_copy(f, step, w, out);
    default: /* links */
        if (step->item->or_self || step->item->closure) {
            return fill_reached(f, step, w, out);
        }
        return fill_links(f, step, w, out);
    }
}

static bool find_pull(find* f, uint32_t k);

/* Prefetches the links of the first `count` rows of the previous block: the values of all rows, and
 * then the first link of each list. */
static void find_prefetch(const find* f, const setti_search_step* step, uint32_t count)
{
    bool to_sources = step->kind == SETTI_FIND_SOURCES;
    const setti_relation* relation = setti_relation_of_links(step->item->along);
    const setti_type* type = step->item->along;
    if (relation != NULL && to_sources) {
        type = relation->sources;
    }
    const void* value[FIND_ROWS];
    for (uint32_t row = 0; row < count; row++) {
        value[row] = setti_storage_find(&type->storage, find_start(f, step, row));
        SETTI_PREFETCH(value[row]);
    }
    if (relation == NULL) {
        return; /* the hierarchy has no lists of links */
    }
    if (!to_sources && !relation->many) {
        return; /* the value of a source is its only link */
    }
    for (uint32_t row = 0; row < count; row++) {
        const sett_links* links = value[row];
        if (links == NULL || links->count == 0) {
            continue;
        }
        SETTI_PREFETCH(setti_chain_at(relation, links->first_));
    }
}

/* Lets the step before step k fill its next block, and begins at the first row of that block.
 * Returns false if there is no further block. */
static bool find_fetch(find* f, uint32_t k)
{
    const setti_search_step* step = &f->plan.step[k];
    find_work* w = &f->work[k];
    if (!find_pull(f, k - 1)) {
        return false;
    }
    w->begun = true;
    w->open = false;
    w->row = 0;
    if (step->prefetch) {
        find_prefetch(f, step, f->block[step->depth - 1].count);
    }
    return true;
}

/* Fills the block of step k with the next results. Returns false if there are none, or after a
 * failure. */
static bool find_generate(find* f, uint32_t k)
{
    const setti_search_step* step = &f->plan.step[k];
    find_work* w = &f->work[k];
    find_block* out = &f->block[step->depth];
    const find_block* in = &f->block[step->depth - 1];
    SETTI_ASSERT(k != 0 && step->depth != 0 && step->depth < f->search->depth_room);
    out->count = 0;
    while (out->count == 0 && !f->failed) { /* rows can have no results */
        bool needs_block = !w->begun;       /* no row of the previous block is left */
        if (needs_block && !find_fetch(f, k)) {
            return false;
        }
        while (w->row < in->count && out->count < FIND_ROWS && !f->failed) {
            bool decided = find_is_decided(f, step, (uint32_t)step->depth - 1, w->row);
            w->open = !decided && fill_row(f, step, w, out);
            if (w->open) { /* the block is full */
                break;
            }
            w->row++;
        }
        find_spend(f, in->count);
        w->begun = w->row < in->count;
    }
    return !f->failed;
}

/* Fills the input block of a pipe. Returns false if no row is undecided, or if the input was handed
 * out already. */
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
    if (step->input_depth == 0) { /* a branch begins with a single row */
        find_emit(out, SETTI_NONE, 0);
        return true;
    }
    for (uint32_t row = 0; row < f->block[step->depth - 1].count; row++) {
        if (!out->mark[row]) { /* for this row, no side was true so far */
            find_emit(out, SETTI_NONE, row);
        }
    }
    return out->count != 0;
}

/* Whether a chain of exclusive links leads from the source to the target. */
static bool test_followed(find* f, const setti_search_item* item, uint32_t source, uint32_t target)
{
    SETTI_ASSERT(item->along->records == NULL);
    setti_along_walk walk = {0};
    uint32_t ancestor = setti_along_next(&walk, item->along, source);
    while (ancestor != SETTI_NONE && ancestor != target && !f->failed) {
        find_spend(f, 1);
        ancestor = setti_along_next(&walk, item->along, ancestor);
    }
    return ancestor != SETTI_NONE; /* `ancestor` is the target, unless f->failed */
}

/* Whether a chain of links leads from the source to the target. `reached` gets the entities reached
 * on the way. */
static bool test_reached(find* f, find_reached* reached, const setti_search_item* item,
                         uint32_t source, uint32_t target)
{
    reached_begin(f, reached, item, source, SETTI_TARGETS);
    for (uint32_t k = 0; k < reached->count && !f->failed; k++) {
        if (reached_take(f, reached, item, k, SETTI_TARGETS) == target) {
            return true;
        }
    }
    return false;
}

static bool test_direct(const find* f, const setti_type* relationship, uint32_t source,
                        uint32_t target)
{
    if (relationship->records == NULL) {
        return setti_along_target(relationship, source) == target;
    }
    const setti_entity_table* table = &f->world->entities;
    return setti_chain_find(setti_relation_of_links(relationship), setti_entity_at(table, source),
                            setti_entity_at(table, target)) != SETTI_NONE;
}

/* Whether an entity can stand for `_`: no tag hides the entity. */
static bool some_is_shown(const find* f, uint32_t index)
{
    static const bool no_tag_is_named[SETTI_HIDDEN] = {false};
    return find_is_shown(f, index, no_tag_is_named);
}

/* Whether any entity is visible. */
static bool test_any_entity(find* f)
{
    uint32_t capacity = setti_entity_capacity(&f->world->entities);
    for (uint32_t base = 0; base < capacity && !f->failed; base += 64) {
        find_spend(f, 1);
        for (uint64_t word = setti_entity_alive(&f->world->entities, base); word != 0;
             word &= word - 1) {
            if (some_is_shown(f, base + setti_bits_lowest(word))) {
                return true;
            }
        }
    }
    return false;
}

/* Whether any link has a visible source. */
static bool test_any_link(find* f, const setti_type* relationship)
{
    uint32_t cursor = 0;
    uint32_t index;
    while ((index = setti_storage_next(&relationship->storage, &cursor)) != SETTI_NONE) {
        if (f->failed) {
            break;
        }
        find_spend(f, 1);
        if (setti_walk_first(relationship, index, SETTI_TARGETS) != SETTI_NONE &&
            some_is_shown(f, index)) {
            return true;
        }
    }
    return false;
}

/* Whether a chain of links leads to the target from any visible entity. */
static bool test_any_reached(find* f, find_reached* reached, const setti_search_item* item,
                             uint32_t target)
{
    reached_begin(f, reached, item, target, SETTI_SOURCES);
    for (uint32_t k = 0; k < reached->count && !f->failed; k++) {
        if (some_is_shown(f, reached_take(f, reached, item, k, SETTI_SOURCES))) {
            return true;
        }
    }
    return false;
}

/* Whether a link, or in a closure a chain of links, leads to the target from any visible entity. */
static bool test_any_source(find* f, find_reached* reached, const setti_search_item* item,
                            uint32_t target)
{
    if (item->or_self && some_is_shown(f, target)) {
        return true;
    }
    uint32_t place = setti_walk_first(item->along, target, SETTI_SOURCES);
    for (; place != SETTI_NONE && !f->failed;
         place = setti_walk_next(item->along, place, SETTI_SOURCES)) {
        find_spend(f, 1);
        if (some_is_shown(f, setti_walk_end(item->along, place, SETTI_SOURCES))) {
            return true;
        }
    }
    /* No direct source is visible. */
    return item->closure && test_any_reached(f, reached, item, target);
}

/* Whether a link exists. Its source or target is `_`, which stands for any entity. */
static bool test_some(find* f, const setti_search_step* step, find_work* w, uint32_t source,
                      uint32_t target)
{
    const setti_search_item* item = step->item;
    if (step->a != SETTI_SOME) { /* the target is `_` */
        if (source == SETTI_NONE) {
            return false;
        }
        return item->or_self || setti_walk_first(item->along, source, SETTI_TARGETS) != SETTI_NONE;
    }
    if (step->b == SETTI_SOME) { /* both are `_` */
        if (item->or_self) {
            return test_any_entity(f);
        }
        return test_any_link(f, item->along);
    }
    return target != SETTI_NONE && test_any_source(f, &w->reached, item, target);
}

static bool test_link(find* f, const setti_search_step* step, find_work* w, uint32_t source,
                      uint32_t target)
{
    const setti_search_item* item = step->item;
    if (step->a == SETTI_SOME || step->b == SETTI_SOME) {
        return test_some(f, step, w, source, target);
    }
    if (source == SETTI_NONE || target == SETTI_NONE) {
        return false;
    }
    if (source == target && item->or_self) {
        return true;
    }
    if (!item->closure) {
        return test_direct(f, item->along, source, target);
    }
    if (item->along->records != NULL) {
        return test_reached(f, &w->reached, item, source, target);
    }
    return test_followed(f, item, source, target);
}

/* Marks the rows of a block for which a list is true. The marks are in the input block of the
 * list's sides. */
static void test_list(find* f, const setti_search_step* step)
{
    find_block* input = &f->block[step->depth + 1];
    SETTI_ASSERT(step->pipes.first < step->pipes.stop && step->pipes.stop <= f->plan.pipe_count);
    memset(input->mark, 0, sizeof(input->mark));
    for (uint32_t side = step->pipes.first; side < step->pipes.stop; side++) {
        const setti_span* pipe = &f->plan.pipe[side];
        for (uint32_t k = pipe->first; k < pipe->stop; k++) {
            f->work[k].begun = false; /* the pipe begins anew for each block */
        }
        while (find_pull(f, (uint32_t)pipe->stop - 1)) {
            uint32_t depth = f->plan.step[pipe->stop - 1].depth;
            for (uint32_t row = 0; row < f->block[depth].count; row++) {
                input->mark[find_origin(f, depth, row, step->depth)] = true;
            }
        }
    }
}

/* Whether any visible entity has the component. */
static bool test_any(find* f, const setti_type* type)
{
    const bool named[SETTI_HIDDEN] = {[SETTI_HIDDEN_PREFAB] = type->id == SETT_ID_PREFAB,
                                      [SETTI_HIDDEN_DISABLED] = type->id == SETT_ID_DISABLED};
    uint32_t cursor = 0;
    uint32_t index;
    while ((index = setti_storage_next(&type->storage, &cursor)) != SETTI_NONE) {
        if (f->failed) {
            break;
        }
        find_spend(f, 1);
        if (setti_type_is_on(type, index) && find_is_shown(f, index, named)) {
            return true;
        }
    }
    return false;
}

static bool test_has(find* f, const setti_search_step* step, uint32_t index)
{
    const setti_search_item* item = step->item;
    if (step->a == SETTI_SOME) {
        return test_any(f, item->type);
    }
    return index != SETTI_NONE &&
           setti_along_find(item->along, item->walk, item->type, index) != SETTI_NONE;
}

/* Whether a step tests a variable's own component. For such a step, find_keep_having is faster. */
static bool test_is_having(const setti_search_step* step)
{
    const setti_search_item* item = step->item;
    if (item == NULL || item->kind != SETTI_ITEM_HAS) {
        return false;
    }
    return item->walk == SETT_WALK_NONE && step->a != SETTI_SOME;
}

/* Drops the rows without a component. If the item is negated, drops the rows with the component. */
static void find_keep_having(find* f, const setti_search_step* step, find_block* block)
{
    const setti_type* type = step->item->type;
    SETTI_ASSERT(step->item->along == NULL);
    uint32_t kept = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        uint32_t index = find_value(f, step->depth, row, step->a, step->a_depth);
        bool has = setti_type_is_on(type, index);
        find_keep(block, &kept, row, has != step->item->negated);
    }
    block->count = kept;
}

/* Whether a row passes step k. */
static bool find_passes(find* f, const setti_search_step* step, uint32_t k, uint32_t row)
{
    uint32_t a = find_value(f, step->depth, row, step->a, step->a_depth);
    if (step->kind == SETTI_FIND_SHOWN) {
        SETTI_ASSERT(step->variable < f->search->variable_count);
        return find_is_shown(f, a, f->search->variable[step->variable].shows);
    }
    uint32_t b = find_value(f, step->depth, row, step->b, step->b_depth);
    const setti_search_item* item = step->item;
    bool is_true;
    if (item->kind == SETTI_ITEM_LIST) {
        is_true = f->block[step->depth + 1].mark[row]; /* set by test_list */
    } else if (item->kind == SETTI_ITEM_LINK) {
        is_true = test_link(f, step, &f->work[k], a, b);
    } else if (item->kind == SETTI_ITEM_COMPARE) {
        const setti_search_side* sides = f->search->side[item->compare];
        is_true = setti_compare_test(f->world, &sides[0], &sides[1],
                                     f->search->term[item->term].compare, a, b);
    } else {
        is_true = test_has(f, step, a);
    }
    return is_true != item->negated;
}

/* Drops the rows of the block that fail step k. */
static void find_test(find* f, uint32_t k)
{
    const setti_search_step* step = &f->plan.step[k];
    const setti_search_item* item = step->item;
    find_block* block = &f->block[step->depth];
    find_spend(f, block->count);
    if (test_is_having(step)) {
        find_keep_having(f, step, block);
        return;
    }
    if (item != NULL && item->kind == SETTI_ITEM_LIST) {
        test_list(f, step);
    }
    uint32_t kept = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        find_keep(block, &kept, row, find_passes(f, step, k, row));
    }
    block->count = kept;
}

/* Fills the block of step k with the next rows that pass the step. Returns false if there are none,
 * or after a failure. */
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
        find_test(f, k);
        if (f->failed) {
            return false;
        }
        if (f->block[step->depth].count != 0) {
            return true;
        }
    }
    return false;
}

/* Reports to the guard that a loop reads the member of a side, if the side is a member. */
static void find_check_side(sett_world* world, const setti_search_side* side)
{
    if (side->kind == SETT_OPERAND_MEMBER) {
        world->guard->visit(world, side->type->id, SETTI_ACCESS_READ, "sett_search_begin");
    }
}

SETTI_COLD static void find_check_access(const sett_search* search)
{
    for (uint32_t k = 0; k < search->compare_count; k++) {
        find_check_side(search->world, &search->side[k][0]);
        find_check_side(search->world, &search->side[k][1]);
    }
    find_check_side(search->world, &search->rank.side);
}

/* Prepares a loop, which can be the spare one: plans the steps, and reads the fixed variables. */
static void find_begin(find* f, sett_search* search)
{
    SETTI_ASSERT(f->search == search);
    setti_choose_plan(search, &f->plan);
    for (uint32_t v = 0; v < search->variable_count; v++) {
        f->constant[v] = SETTI_NONE;
        if (setti_search_is_fixed(&search->variable[v])) {
            f->constant[v] = setti_search_constant(search, v);
        }
    }
    for (uint32_t k = 0; k < f->plan.step_count; k++) {
        f->work[k].begun = false;
        scan_narrow(f, &f->plan.step[k], &f->work[k]);
    }
    f->branch = 0;
    f->failed = f->stopped = false;
    f->spent = 0;
    f->closed = search->open.closed;
    f->collected = false;
    f->sorted.count = 0;
    f->sorted.pooled = f->pooled;
    f->frame = NULL;
}

sett_rows* sett_search_begin(sett_search* search, sett_rows* rows)
{
    if (search == NULL) {
        return NULL;
    }
    sett_world* world = search->world;
    bool serial = world->running == NULL;
    if (SETTI_UNLIKELY(world->guard != NULL)) {
        find_check_access(search);
    }
    find* f = find_make(search, serial);
    if (f == NULL) {
        if (serial) {
            setti_world_no_memory(world, "sett_search_begin");
        }
        return NULL;
    }
    find_begin(f, search);
    memset(rows, 0, sizeof(*rows));
    rows->world = world;
    rows->search = search;
    rows->variable_count = search->result_count;
    rows->internal = f;
    for (uint32_t v = 0; v < rows->variable_count; v++) {
        rows->index[v] = f->column + (size_t)v * FIND_ROWS;
    }
    if (serial) {
        setti_world_open_loop(world, &search->open);
        search->open.frame = NULL;
        f->next = search->loops;
        search->loops = f;
    }
    return rows;
}

/* Begins a loop whose `rows` are a local variable of the caller. */
sett_rows* sett_search_begin_local_(sett_search* search, sett_rows* rows)
{
    if (search == NULL || search->world->running != NULL) {
        return sett_search_begin(search, rows);
    }
    find_release_left(search, rows);
    const void* outermost = search->open.frame; /* sett_search_begin clears `frame` */
    sett_rows* opened = sett_search_begin(search, rows);
    if (opened != NULL) {
        find* f = opened->internal;
        f->frame = opened;
        /* If this is not the only open loop, the frame of the outermost loop stays. */
        search->open.frame = search->open.count == 1 ? opened : outermost;
    }
    return opened;
}

/* Writes the values of the rows of the last block to the columns. `last_depth` is the block's
 * depth. */
static void rows_gather(sett_rows* rows, const find* f, uint32_t last_depth)
{
    SETTI_ASSERT(rows->count <= FIND_ROWS && last_depth < f->search->depth_room);
    for (uint32_t v = 0; v < rows->variable_count; v++) {
        uint8_t number = f->search->result[v];
        uint8_t depth = f->plan.depth[f->branch][number];
        uint32_t* column = f->column + (size_t)v * FIND_ROWS;
        for (uint32_t k = 0; k < rows->count; k++) {
            column[k] = find_value(f, last_depth, k, number, depth);
        }
    }
}

static void rows_report_failure(const find* f)
{
    bool in_system = !f->pooled; /* systems do not report */
    if (f->failed && !f->stopped && !in_system) {
        setti_world_no_memory(f->world, "sett_rows_next");
    }
}

/* Finds the next block of unsorted results. Returns false at the end. */
static bool rows_find(sett_rows* rows, find* f)
{
    rows->count = 0;
    /* `closed` has changed if the world has closed all loops. */
    while (f->branch < f->search->branch_count && f->closed == f->search->open.closed) {
        uint32_t last_step = (uint32_t)f->plan.pipe[f->branch].stop - 1;
        if (find_pull(f, last_step)) {
            uint32_t last_depth = f->plan.step[last_step].depth;
            rows->count = f->block[last_depth].count;
            rows_gather(rows, f, last_depth);
            return true;
        }
        f->branch++;
        if (f->failed) { /* no further branch is tried */
            f->branch = f->search->branch_count;
        }
    }
    rows_report_failure(f);
    return false;
}

/* Finds and sorts all results. After a failure there are no results. */
static void rows_collect(sett_rows* rows, find* f)
{
    f->collected = true;
    while (rows_find(rows, f)) {
        if (!setti_sorted_add(&f->sorted, f->search, rows)) {
            f->failed = true;
            break;
        }
    }
    if (!f->failed && !setti_sorted_sort(&f->sorted, f->search)) {
        f->failed = true;
    }
    if (f->failed) {
        f->sorted.count = 0;
    }
    rows_report_failure(f);
}

bool sett_rows_next(sett_rows* rows)
{
    find* f = rows->internal;
    if (!f->search->sorts) {
        return rows_find(rows, f);
    }
    if (!f->collected) {
        rows_collect(rows, f);
    }
    bool was_closed = f->closed != f->search->open.closed; /* the world has closed all loops */
    rows->count = 0;
    if (!was_closed && f->sorted.count != 0) {
        rows->count = setti_sorted_take(&f->sorted, f->search, f->column);
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
    find_release(f);
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

/* Writes an estimated number of rows, below ten with one decimal. */
static void explain_rows(setti_writer* writer, uint64_t estimate)
{
    uint64_t tenths = (estimate * 10 + SETTI_ESTIMATE_ONE / 2) / SETTI_ESTIMATE_ONE; /* rounded */
    if (tenths < 100) {
        setti_writer_add(writer, "-> %u.%u\n", (unsigned)(tenths / 10), (unsigned)(tenths % 10));
    } else {
        setti_writer_add(writer, "-> %llu\n", (unsigned long long)(tenths / 10));
    }
}

static void explain_step(setti_writer* writer, const sett_search* search,
                         const setti_search_step* step, uint32_t indent)
{
    static const char* const names[] = {"input",      "scan", "copy to", "targets to",
                                        "sources to", "test", "shown"};
    setti_writer_add(writer, "%*s%-11s", (int)indent, "", names[step->kind]);
    if (step->kind != SETTI_FIND_TEST && step->kind != SETTI_FIND_INPUT) {
        const char* name = search->variable[step->variable].name;
        SETTI_ASSERT(name != NULL); /* steps find variables, not constants */
        setti_writer_add(writer, "%s%s ", strcmp(name, "*") == 0 ? "" : "$", name);
    }
    if (step->kind == SETTI_FIND_SCAN && step->driver == NULL) {
        setti_writer_add(writer, "by all entities ");
    } else if (step->kind == SETTI_FIND_SCAN) {
        setti_writer_add(writer, "by %s ", step->driver->desc.name);
    } else if (step->item != NULL && step->item->kind == SETTI_ITEM_LIST) {
        setti_writer_add(writer, step->item->negated ? "not one of " : "one of ");
    } else if (step->item != NULL) {
        if (step->kind == SETTI_FIND_TEST && step->item->negated) {
            setti_writer_add(writer, "not ");
        }
        setti_search_print_term(search, step->item->term, writer);
        setti_writer_add(writer, " ");
    }
    explain_rows(writer, step->estimate);
}

SETTI_COLD static void explain_pipe(setti_writer* writer, const sett_search* search,
                                    const setti_search_plan* plan, uint32_t pipe, uint32_t indent)
{
    for (uint32_t k = plan->pipe[pipe].first; k < plan->pipe[pipe].stop; k++) {
        const setti_search_step* step = &plan->step[k];
        if (step->kind != SETTI_FIND_INPUT) {
            explain_step(writer, search, step, indent);
        }
        for (uint32_t side = step->pipes.first; side < step->pipes.stop; side++) {
            setti_writer_add(writer, "%*sside %u\n", (int)indent + 4, "",
                             (unsigned)(side - step->pipes.first + 1));
            explain_pipe(writer, search, plan, side, indent + 8);
        }
    }
}

/* Returns the bits of `variable` and of all variables that terms join to it. Terms can also join a
 * variable by way of other variables. */
static uint32_t explain_joined(const sett_search* search, const setti_search_scope* scope,
                               uint32_t variable)
{
    uint32_t joined = (uint32_t)1 << variable;
    uint32_t before;
    do {
        before = joined;
        for (uint32_t k = scope->items.first; k < scope->items.stop; k++) {
            uint32_t item_variables = search->item[search->order[k]].variables;
            if ((item_variables & joined) != 0) {
                joined |= item_variables;
            }
        }
    } while (joined != before); /* until no term adds a variable */
    return joined;
}

/* Writes a note for each variable that no term joins to a variable before it. */
static void explain_apart(setti_writer* writer, const sett_search* search,
                          const setti_search_scope* scope)
{
    uint32_t joined = 0;
    uint32_t scope_variables = 0;
    for (uint32_t k = scope->items.first; k < scope->items.stop; k++) {
        scope_variables |= search->item[search->order[k]].variables;
    }
    while ((scope_variables & ~joined) != 0) {
        uint32_t first = setti_bits_lowest(scope_variables & ~joined);
        if (joined != 0) {
            const char* name = search->variable[first].name;
            setti_writer_add(writer,
                             "  note: no term joins %s%s to the variables before it, so each of "
                             "its entities is combined with each of their results\n",
                             strcmp(name, "*") == 0 ? "" : "$", name);
        }
        joined |= explain_joined(search, scope, first);
    }
}

/* Writes a note for each term that tests a component but not values shared from a prefab. */
static void explain_shared_types(setti_writer* writer, const sett_search* search)
{
    for (uint32_t k = 0; k < search->item_count; k++) {
        const setti_search_item* item = &search->item[k];
        if (item->kind == SETTI_ITEM_HAS && item->walk == SETT_WALK_NONE &&
            (item->type->flags & SETTI_TYPE_SHARED) != 0) {
            setti_writer_add(writer, "  note: ");
            setti_search_print_term(search, item->term, writer);
            setti_writer_add(writer, " does not see values that are shared from a prefab, "
                                     "(prefab) does\n");
        }
    }
}

SETTI_COLD size_t sett_search_explain(sett_search* search, char* out, size_t size)
{
    setti_writer writer = setti_writer_begin(out, size);
    sett_rows rows;
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
        explain_apart(&writer, search, &search->scope[search->branch[k]]);
    }
    explain_shared_types(&writer, search);
    sett_search_end(&rows);
    return writer.length;
}
