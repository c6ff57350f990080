/* snapshot_hash.c: hashes of snapshots.
 *
 * The workload: a session compares confirmed frames while the world is some predicted frames ahead.
 * Deltas contain the hashes of two states. An estimate selects the cheaper of two methods:
 *
 *     difference   from the known sum of a snapshot: hashes the values that differ, old and new
 *     whole        page by page, with the remembered sums of live pages (hash.c)
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
    sum->sum += after != NULL ? sum_value(sum, entity_after, after, SETTI_AFTER) : 0;
    sum->sum -= before != NULL ? sum_value(sum, entity_before, before, SETTI_BEFORE) : 0;
}

static uint64_t sum_slot(uint32_t index, uint32_t generation)
{
    const sett_entity entity = {index, generation};
    return generation != SETTI_UNUSED ? setti_hash_entity(entity) : 0;
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
    const setti_hash_type* hasher = &((sum_walk*)sink)->sum.hash_type;
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
    ((sum_walk*)sink)->sum.sum += sum;
}

/* Returns the sum of the state SETTI_AFTER minus the sum of the state SETTI_BEFORE. */
static uint64_t sum_difference(setti_compare* walk)
{
    sum_walk hash = {.sink.value = sum_note_value, .sum.view = walk->view};
    walk->sink = &hash.sink;
    setti_delta_sum_slots(&hash.sum);
    setti_compare_entities(walk);
    const setti_type_list* types = &walk->view->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        setti_hash_begin(&hash.sum.hash_type, types->item[k]);
        hash.sink.rows = types->item[k]->records == NULL ? sum_note_rows : NULL;
        setti_compare_type(walk, types->item[k]);
    }
    return hash.sum.sum;
}

#define SUM_SAMPLES 4u /* an estimate reads this many pages of a type */
#define SUM_COMPARE 8u /* comparing 8 rows takes as long as hashing one row */

/* Counts the rows of a page that differ. If the page is on one side only, these are all rows. */
static uint32_t sum_count_rows(const setti_view_page* page, const setti_storage* storage)
{
    const unsigned char* before = page->in[SETTI_BEFORE];
    const unsigned char* after = page->in[SETTI_AFTER];
    uint32_t rows = setti_storage_rows(storage);
    bool in_both = before != NULL && after != NULL;
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows && in_both; row++) {
        size_t at = (size_t)row * storage->size;
        count += memcmp(before + at, after + at, storage->size) != 0;
    }
    return in_both ? count : rows;
}

/* Estimates the work of sum_difference, in hashes. */
static uint64_t sum_price_difference(setti_view* view)
{
    const setti_type_list* types = &view->world->registered;
    uint64_t price = 0;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_storage* storage = &types->item[k]->storage;
        uint32_t at = SETTI_NONE;
        uint64_t pages = 0;
        uint64_t differ = 0;
        const setti_view_page* page;
        while ((page = setti_view_next(view, &storage->rows, &at)) != NULL) {
            differ += pages < SUM_SAMPLES ? sum_count_rows(page, storage) : 0;
            pages++;
        }
        price += pages * setti_storage_rows(storage) / SUM_COMPARE;
        /* two hashes for each different row, extrapolated from the samples */
        price += pages != 0 ? 2 * differ * pages / SETTI_MIN(pages, SUM_SAMPLES) : 0;
    }
    return price;
}

/* Returns the snapshot with a known sum that was taken nearest to `node`, or NULL. */
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

/* Computes the sum of `node` from the sum of `known`, if this is cheaper than `price`. Returns
 * false if the sum is still unknown. */
static bool sum_by_difference(sett_world* world, setti_snapshot* node, setti_snapshot* known,
                              uint64_t price)
{
    setti_view view;
    setti_compare walk;
    if (!setti_view_init(world, known, node, &view)) {
        return false;
    }
    if (sum_price_difference(&view) < price && setti_compare_init(&view, &walk)) {
        node->sum = known->sum + sum_difference(&walk);
        node->summed = true;
        setti_compare_deinit(&walk);
    }
    setti_view_deinit(world, &view);
    return node->summed;
}

sett_status setti_snapshot_sum(sett_world* world, setti_snapshot* node, const char* call)
{
    setti_view view;
    SETTI_ASSERT(!node->summed);
    if (!setti_view_init(world, node, NULL, &view)) {
        return setti_world_no_memory(world, call);
    }
    setti_snapshot* known = sum_find_known(node);
    uint64_t price = known != NULL ? setti_hash_price(world, &view) : 0;
    if (price == 0 || /* page by page costs nothing, or no sum is known */
        !sum_by_difference(world, node, known, price)) {
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
    status = node->summed ? SETT_OK : setti_snapshot_sum(world, node, __func__);
    *hash = status == SETT_OK ? setti_hash_finish(node->sum) : 0;
    return status;
}
