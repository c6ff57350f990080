/* column.c: long arrays for other languages: runs of batches that follow each other in memory
 * (sett_batch_next_run). Also copies all matching values of a term (sett_query_read, _write).
 *
 * The workload: numpy, a plot, a table of results. In another language a call costs as much as the
 * work on a batch. Most pages of a large world follow each other in memory: 1,000 batches make
 * about 100 runs. A copy stays valid when the world changes.
 *
 * Invariant:  in a run, the fields of all batches lie side by side in memory, and so do the entity
 *             indices
 */
#include "query/steps.h"

/* Returns the size of a value of term `k`. If `call` cannot copy the values, reports an error and
 * returns 0.
 *   allowed  bit k is set if `call` may access the values of term k */
static size_t column_size(const sett_query* query, uint32_t k, uint32_t allowed, const char* call)
{
    const setti_type* type = k < query->term_count ? query->term[k].type : NULL;
    const char* why = NULL;
    if (type == NULL || !query->term[k].has_field) {
        why = "has no field - pass the number of a term with values of the visited entity";
    } else if (type->desc.copy != NULL || type->desc.deinit != NULL) {
        why = "has values with a copy or deinit hook, so their bytes alone cannot be copied - loop "
              "over the query";
    } else if ((allowed >> k & 1) == 0) {
        why = "is declared as read only - declare SETT_INOUT or SETT_OUT to write it";
    }
    if (why == NULL) {
        return type->storage.size;
    }
    setti_world_fail_with(query->world, SETT_STATUS_ARGUMENT, "%s: term %u of query \"%.100s\" %s",
                          call, (unsigned)k, query->open.name, why);
    return 0;
}

/* Copies the first `count` values of a field to `out`. If `out` is NULL, copies `in` to the
 * field. */
static void column_copy(const sett_batch* batch, uint32_t k, size_t value_size, uint32_t count,
                        unsigned char* out, const unsigned char* in)
{
    unsigned char* field = sett_batch_field(batch, k);
    if (field == NULL) { /* the optional type is absent */
        if (out != NULL) {
            memset(out, 0, count * value_size);
        }
        return;
    }
    uint32_t at_once = batch->rows != NULL ? 1 : count; /* values in each memcpy */
    for (uint32_t n = 0; n < count; n += at_once) {
        unsigned char* values = field + setti_batch_row(batch->rows, n) * value_size;
        if (out != NULL) {
            memcpy(out + n * value_size, values, at_once * value_size);
        } else {
            memcpy(values, in + n * value_size, at_once * value_size);
        }
    }
}

uint32_t sett_query_read(const sett_query* given, uint32_t k, void* out, uint32_t capacity)
{
    sett_query* query = setti_unconst(given); /* the plan, a cache, may be updated */
    if (SETTI_IS_NULL(query)) {
        return 0;
    }
    size_t value_size = column_size(query, k, query->fields, __func__);
    if (value_size == 0 || setti_world_check_serial(query->world, __func__) != SETT_OK) {
        return 0;
    }
    const unsigned char* no_input = NULL;
    unsigned char* copies = out;
    uint32_t count = 0;
    if (out == NULL) {
        capacity = 0; /* only counts */
    }
    SETTI_QUERY_EACH(query, b, __func__)
    {
        if (count < capacity) {
            uint32_t rows = SETTI_MIN(b->count, capacity - count);
            column_copy(b, k, value_size, rows, copies + count * value_size, no_input);
        }
        count += b->count;
    }
    return count;
}

uint32_t sett_query_write(sett_query* query, uint32_t k, const void* values, uint32_t count)
{
    if (SETTI_IS_NULL(query) ||
        setti_world_lacks_list_aside(query->world, values, count, __func__, "values")) {
        return 0;
    }
    size_t value_size = column_size(query, k, query->written, __func__);
    if (value_size == 0 || setti_world_check_serial(query->world, __func__) != SETT_OK) {
        return 0;
    }
    unsigned char* no_output = NULL;
    const unsigned char* copies = values;
    uint32_t written = 0;
    SETTI_QUERY_EACH(query, b, __func__)
    {
        if (written < count) {
            uint32_t rows = SETTI_MIN(b->count, count - written);
            column_copy(b, k, value_size, rows, no_output, copies + written * value_size);
        }
        written += b->count;
    }
    return written;
}

/* The values of sett_run.state_ between two calls of sett_batch_next_run. */
enum {
    COLUMN_USED,  /* the batch is part of the last run, or there is no batch yet */
    COLUMN_AHEAD, /* the batch is not part of the last run: it begins the next run */
    COLUMN_ENDED  /* the loop has ended */
};

/* Whether the entity indices of a batch begin where those of a run end. */
static bool column_indices_follow(const sett_run* run, const sett_batch* batch)
{
    if (run->indices != NULL) {
        return batch->indices == run->indices + run->count;
    }
    return batch->indices == NULL && batch->base == run->base + run->count;
}

/* Whether a batch continues a run: in memory, its values and indices follow those of the run. */
static bool column_continues(const sett_run* run, const sett_batch* batch)
{
    const sett_query* query = setti_loop_of(batch)->query;
    if (batch->rows != NULL || batch->present != run->present ||
        !column_indices_follow(run, batch)) {
        return false;
    }
    for (uint32_t k = 0; k < batch->field_count; k++) {
        const unsigned char* field = run->fields[k];
        size_t value_size = query->term[k].type->storage.size;
        if (field != NULL &&
            (const unsigned char*)batch->fields[k] != field + value_size * run->count) {
            return false;
        }
    }
    return true;
}

bool sett_batch_next_run(sett_batch* batch, sett_run* run)
{
    if (run->state_ == COLUMN_USED) {
        run->state_ = sett_batch_next(batch) ? COLUMN_AHEAD : COLUMN_ENDED;
    }
    if (run->state_ == COLUMN_ENDED) {
        run->count = 0;
        return false;
    }
    run->count = batch->count;
    run->present = batch->present;
    run->rows = batch->rows;
    run->base = batch->base;
    run->indices = batch->indices;
    memcpy(run->fields, batch->fields, batch->field_count * sizeof(batch->fields[0]));
    run->state_ = COLUMN_USED;
    if (run->rows != NULL || setti_loop_of(batch)->scratch != NULL) {
        return true; /* a batch with a list or with gathered fields is a whole run */
    }
    while (run->state_ == COLUMN_USED) {
        if (!sett_batch_next(batch)) {
            run->state_ = COLUMN_ENDED;
        } else if (!column_continues(run, batch)) {
            run->state_ = COLUMN_AHEAD;
        } else {
            run->count += batch->count;
        }
    }
    return true;
}

void sett_run_entities(const sett_batch* batch, const sett_run* run, sett_entity* out)
{
    const setti_entity_table* entities = &setti_loop_of(batch)->query->world->entities;
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t row = setti_batch_row(run->rows, k);
        uint32_t index = run->indices != NULL ? run->indices[row] : run->base + row;
        out[k] = setti_entity_at(entities, index);
    }
}
