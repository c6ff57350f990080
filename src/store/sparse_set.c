/* sparse_set.c: the public sparse set: an id_set with its own pool. */
#include "sett/sparse_set.h"

#include "base/platform.h"
#include "store/id_set.h"

#include <string.h>

struct sett_sparse_set {
    setti_pool pool;
    setti_id_set set;
};

sett_sparse_set* sett_sparse_set_create(const sett_allocator* allocator, uint32_t limit)
{
    sett_allocator chosen = setti_allocator_or_default(allocator);
    sett_sparse_set* set = chosen.alloc_fn(chosen.user, sizeof(*set), sizeof(void*));
    if (set == NULL) {
        return NULL;
    }
    const bool huge_pages = false;
    setti_pool_init(&set->pool, chosen, huge_pages);
    setti_id_set_init(&set->set, limit != 0 ? limit : SETTI_ID_SET_LIMIT);
    return set;
}

sett_status sett_sparse_set_destroy(sett_sparse_set* set)
{
    if (set != NULL) {
        sett_allocator allocator = set->pool.allocator;
        setti_pool_deinit(&set->pool);
        allocator.free_fn(allocator.user, set, sizeof(*set), sizeof(void*));
    }
    return SETT_OK;
}

sett_status sett_sparse_set_add(sett_sparse_set* set, uint32_t* id)
{
    if (SETTI_IS_NULL(set)) {
        return SETT_STATUS_ARGUMENT;
    }
    /* the first free id; if the set is full, this is the limit, which the request rejects */
    uint32_t fresh = setti_id_set_dense(&set->set, set->set.count);
    sett_status status = sett_sparse_set_request(set, fresh);
    if (status == SETT_OK) {
        *id = fresh;
    }
    return status;
}

sett_status sett_sparse_set_request(sett_sparse_set* set, uint32_t id)
{
    if (SETTI_IS_NULL(set)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (id >= set->set.limit) {
        return SETT_STATUS_LIMIT;
    }
    if (setti_id_set_has(&set->set, id)) {
        return SETT_STATUS_PRESENT;
    }
    if (!setti_id_set_reserve_id(&set->pool, &set->set, id)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    setti_id_set_request(&set->pool, &set->set, id);
    return SETT_OK;
}

sett_status sett_sparse_set_remove(sett_sparse_set* set, uint32_t id)
{
    if (SETTI_IS_NULL(set)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (!setti_id_set_has(&set->set, id)) {
        return SETT_STATUS_ABSENT;
    }
    setti_id_set_remove(&set->pool, &set->set, id);
    return SETT_OK;
}

void sett_sparse_set_clear(sett_sparse_set* set)
{
    if (!SETTI_IS_NULL(set)) {
        set->set.count = 0;
    }
}

bool sett_sparse_set_has(const sett_sparse_set* set, uint32_t id)
{
    return !SETTI_IS_NULL(set) && setti_id_set_has(&set->set, id);
}

uint32_t sett_sparse_set_count(const sett_sparse_set* set)
{
    return SETTI_IS_NULL(set) ? 0 : set->set.count;
}

sett_status sett_sparse_set_reserve(sett_sparse_set* set, uint32_t capacity)
{
    if (SETTI_IS_NULL(set)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (capacity > set->set.limit) {
        return SETT_STATUS_LIMIT;
    }
    for (uint32_t id = 0; id < capacity; id += SETTI_ID_SET_ROWS) { /* the first id of each page */
        if (!setti_id_set_reserve_page(&set->pool, &set->set, id)) {
            return SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    return SETT_OK;
}

uint32_t sett_sparse_set_at(const sett_sparse_set* set, uint32_t row)
{
    if (SETTI_IS_NULL(set)) {
        return 0;
    }
    SETTI_ASSERT(row < set->set.count);
    return setti_id_set_dense(&set->set, row);
}

uint32_t sett_sparse_set_row(const sett_sparse_set* set, uint32_t id)
{
    if (SETTI_IS_NULL(set)) {
        return 0;
    }
    return setti_id_set_sparse(&set->set, id);
}

static int set_compare_numbers(uint32_t a, uint32_t b, void* user)
{
    (void)user;
    return (a > b) - (a < b);
}

/* Sorts the ids in `runs` (stable bottom-up merge sort). `merged` is memory for `count` ids.
 * Returns the array that has the result: `runs` or `merged`. */
static uint32_t* set_merge_sort(uint32_t* runs, uint32_t* merged, size_t count,
                                int (*compare)(uint32_t, uint32_t, void*), void* user)
{
    for (size_t length = 1; length < count; length *= 2) { /* merges runs of this length in pairs */
        for (size_t start = 0; start < count; start += 2 * length) {
            size_t a = start;
            size_t a_end = SETTI_MIN(start + length, count);
            size_t b = a_end;
            size_t b_end = SETTI_MIN(start + 2 * length, count);
            for (size_t position = start; position < b_end; position++) {
                bool takes_a = a < a_end; /* false: only ids of run b are left */
                if (takes_a && b < b_end) {
                    takes_a = compare(runs[a], runs[b], user) <= 0;
                }
                merged[position] = takes_a ? runs[a++] : runs[b++];
            }
        }
        uint32_t* swap = runs;
        runs = merged;
        merged = swap;
    }
    return runs;
}

sett_status sett_sparse_set_sort(sett_sparse_set* set, int (*compare)(uint32_t, uint32_t, void*),
                                 void* user)
{
    if (SETTI_IS_NULL(set)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_id_set* inner = &set->set;
    uint32_t count = inner->count;
    if (count < 2) {
        return SETT_OK;
    }
    if (compare == NULL) {
        compare = set_compare_numbers;
    }
    size_t size; /* of two arrays of ids */
    if (!setti_multiply(count, 2 * sizeof(uint32_t), &size)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    uint32_t* ids = setti_pool_alloc(&set->pool, size, 16);
    if (ids == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    bool sorted = true; /* the rows so far are in order */
    for (uint32_t row = 0; row < count; row++) {
        ids[row] = setti_id_set_dense(inner, row);
        if (sorted && row != 0) {
            sorted = compare(ids[row - 1], ids[row], user) <= 0;
        }
    }
    if (!sorted) {
        const uint32_t* result = set_merge_sort(ids, ids + count, count, compare, user);
        for (uint32_t row = 0; row < count; row++) {
            setti_id_set_put(&set->pool, inner, row, result[row]);
        }
    }
    setti_pool_free(&set->pool, ids, size, 16);
    return SETT_OK;
}

sett_status sett_sparse_set_validate(const sett_sparse_set* set, const char** reason)
{
    if (SETTI_IS_NULL(set)) {
        return SETT_STATUS_ARGUMENT;
    }
    const char* found = setti_id_set_validate(&set->set);
    if (found == NULL) {
        found = setti_pool_validate(&set->pool);
    }
    if (reason != NULL) {
        *reason = found != NULL ? found : "";
    }
    return found == NULL ? SETT_OK : SETT_STATUS_INVALID;
}
