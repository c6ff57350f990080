/* snapshot_hash.c: hashes of snapshots.
 *
 * The workload: a session compares confirmed frames while the world is some predicted frames ahead.
 * Deltas contain the hashes of two states. An estimate selects the cheaper of two methods:
 *
 *     difference   begins with the known sum of another snapshot; hashes the values that differ
 *     whole        hashes page by page, and uses the remembered sums of live pages (hash.c)
 *
 * The difference is cheaper if few values of many pages differ.
 *
 * Invariant:  sum(after) = sum(before) - old values + new values, over all different values
 */
#include "state/delta_writer.h"
#include "state/hash.h"
#include "state/snapshot.h"

/* Returns the hash of a value, plus the hashes of its records. */
static uint64_t sum_value(const setti_delta_sum* sum, sett_entity entity, const void* value,
                          uint32_t side)
{
    const setti_type* type = sum->hash_type.type;
    uint64_t hash = setti_hash_value(&sum->hash_type, entity, value);
    if (type->records == NULL) {
        return hash;
    }
    setti_view_list list = setti_view_records(type, value);
    const void* record;
    while ((record = setti_view_next_record(sum->view, type->records, &list, side)) != NULL) {
        hash += setti_hash_link(&sum->hash_type, entity, record);
    }
    return hash;
}

void setti_delta_sum_value(setti_delta_sum* sum, sett_entity entity_before, const void* before,
                           sett_entity entity_after, const void* after)
{
    if (after != NULL) {
        sum->sum += sum_value(sum, entity_after, after, SETTI_AFTER);
    }
    if (before != NULL) {
        sum->sum -= sum_value(sum, entity_before, before, SETTI_BEFORE);
    }
}

/* Returns the hash of an index, or 0 if the index was never used. */
static uint64_t sum_slot(uint32_t index, uint32_t generation)
{
    const sett_entity entity = {index, generation};
    if (generation == SETTI_UNUSED) {
        return 0;
    }
    return setti_hash_entity(entity);
}

void setti_delta_sum_slots(setti_delta_sum* sum)
{
    setti_view_slot slot = {.index = SETTI_NONE};
    while (setti_view_next_slot(sum->view, &slot)) {
        sum->sum -= sum_slot(slot.index, slot.generation[SETTI_BEFORE]);
        sum->sum += sum_slot(slot.index, slot.generation[SETTI_AFTER]);
    }
}

typedef struct sum_walk {
    setti_compare_sink sink;
    setti_delta_sum sum;
} sum_walk;

/* Adds a changed value's new hash to the sum, and subtracts its old hash. */
static void sum_note_value(setti_compare_sink* sink, sett_entity entity_before, const void* before,
                           sett_entity entity_after, const void* after)
{
    setti_delta_sum_value(&((sum_walk*)sink)->sum, entity_before, before, entity_after, after);
}

/* Adds the new hashes of changed rows to the sum, and subtracts their old hashes. */
static void sum_note_rows(setti_compare_sink* sink, setti_compare_rows* rows)
{
    setti_delta_sum* walk_sum = &((sum_walk*)sink)->sum;
    const setti_hash_type* hasher = &walk_sum->hash_type;
    size_t size = hasher->type->storage.size;
    uint64_t sum = 0;
    for (uint32_t n = 0; n < rows->words; n++) {
        for (uint64_t rest = rows->bits[n]; rest != 0; rest &= rest - 1) {
            size_t row = n * 64 + setti_bits_lowest(rest);
            const sett_entity entity = {rows->first + (uint32_t)row, rows->generation[row]};
            sum += setti_hash_value(hasher, entity, rows->after + row * size);
            sum -= setti_hash_value(hasher, entity, rows->before + row * size);
        }
    }
    walk_sum->sum += sum;
}

/* Returns the sum of the state SETTI_AFTER minus the sum of the state SETTI_BEFORE. */
static uint64_t sum_difference(setti_compare* compare)
{
    sum_walk walk = {.sink.value = sum_note_value, .sum.view = compare->view};
    compare->sink = &walk.sink;
    setti_delta_sum_slots(&walk.sum);
    setti_compare_entities(compare);
    const setti_type_list* types = &compare->view->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        setti_hash_begin(&walk.sum.hash_type, types->item[k]);
        /* equal rows can have different links: then sum_note_value gets each value */
        walk.sink.rows = types->item[k]->records == NULL ? sum_note_rows : NULL;
        setti_compare_type(compare, types->item[k]);
    }
    return walk.sum.sum;
}

#define SUM_SAMPLES 4u /* an estimate reads this many pages of a type */
#define SUM_COMPARE 8u /* comparing this many rows takes as long as hashing one row */

/* Counts the rows of a page that differ. If a side lacks the page, all rows differ. */
static uint32_t sum_count_rows(const setti_view_page* page, const setti_storage* storage)
{
    const unsigned char* before = page->in[SETTI_BEFORE];
    const unsigned char* after = page->in[SETTI_AFTER];
    uint32_t rows = setti_storage_rows(storage);
    if (before == NULL || after == NULL) {
        return rows;
    }
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows; row++) {
        size_t offset = (size_t)row * storage->size;
        count += memcmp(before + offset, after + offset, storage->size) != 0;
    }
    return count;
}

/* Estimates the time of sum_difference, as a number of hashes. */
static uint64_t sum_price_difference(setti_view* view)
{
    const setti_type_list* types = &view->world->registered;
    uint64_t price = 0;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_storage* storage = &types->item[k]->storage;
        uint32_t cursor = SETTI_NONE;
        uint64_t pages = 0;
        uint64_t sampled_rows = 0; /* rows that differ in the first pages */
        const setti_view_page* page;
        while ((page = setti_view_next(view, &storage->rows, &cursor)) != NULL) {
            if (pages < SUM_SAMPLES) {
                sampled_rows += sum_count_rows(page, storage);
            }
            pages++;
        }
        price += pages * setti_storage_rows(storage) / SUM_COMPARE;
        if (pages != 0) {
            /* two hashes for each different row, extrapolated from the samples to all pages */
            price += 2 * sampled_rows * pages / SETTI_MIN(pages, SUM_SAMPLES);
        }
    }
    return price;
}

/* Returns a snapshot with a known sum: the nearest to `node` in the order of taking. Returns NULL
 * if no sum is known. */
static setti_snapshot* sum_find_known(setti_snapshot* node)
{
    setti_snapshot* older = node->older;
    setti_snapshot* younger = node->younger;
    while (older != NULL || younger != NULL) {
        if (older != NULL && older->summed) {
            return older;
        }
        if (younger != NULL && younger->summed) {
            return younger;
        }
        older = older != NULL ? older->older : NULL;
        younger = younger != NULL ? younger->younger : NULL;
    }
    return NULL;
}

/* Computes the sum of `node` from the sum of `known`, if this takes less work than `price`. Does
 * nothing if memory runs out. */
static void sum_by_difference(sett_world* world, setti_snapshot* node, setti_snapshot* known,
                              uint64_t price)
{
    setti_view view;
    setti_compare compare;
    if (!setti_view_init(world, known, node, &view)) {
        return;
    }
    if (sum_price_difference(&view) < price && setti_compare_init(&view, &compare)) {
        node->sum = known->sum + sum_difference(&compare);
        node->summed = true;
        setti_compare_deinit(&compare);
    }
    setti_view_deinit(world, &view);
}

sett_status setti_snapshot_sum(sett_world* world, setti_snapshot* node, const char* call)
{
    setti_view view;
    SETTI_ASSERT(!node->summed);
    if (!setti_view_init(world, node, NULL, &view)) {
        return setti_world_no_memory(world, call);
    }
    setti_snapshot* known = sum_find_known(node);
    if (known != NULL) {
        /* the price of the method `whole`; 0: the sums of all pages are remembered */
        uint64_t price = setti_hash_price(world, &view);
        if (price != 0) {
            sum_by_difference(world, node, known, price);
        }
    }
    if (!node->summed) {
        node->sum = setti_hash_sum(world, &view);
        node->summed = true;
    }
    setti_view_deinit(world, &view);
    return SETT_OK;
}

sett_status sett_snapshot_hash(sett_world* world, sett_snapshot snapshot, uint64_t* hash)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = setti_world_check_serial(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    setti_snapshot* node = setti_snapshot_find(world, snapshot, &status);
    if (node == NULL) {
        return setti_snapshot_fail(world, snapshot, status, __func__);
    }
    if (!node->summed) {
        status = setti_snapshot_sum(world, node, __func__);
    }
    if (status != SETT_OK) {
        *hash = 0;
        return status;
    }
    *hash = setti_hash_finish(node->sum);
    return SETT_OK;
}
