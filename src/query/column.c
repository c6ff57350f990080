/* column.c: one term's values of all matches, copied out of the world and back.
 *
 * The workload: another language, or a library of numbers, that works on plain arrays: numpy, a
 * plot, a table of results. One copy of 100,000 values costs less than a hundred calls across a
 * border, and the array stays valid whatever happens to the world.
 */
#include "query/query.h"

/* The size of a value of the term; 0 if it cannot be copied, with the reason. */
static size_t column_size(const sett_query* query, uint32_t k, bool writes, const char* call)
{
    sett_world* world = query->world;
    const setti_type* type = k < query->term_count ? query->term[k].type : NULL;
    const char* why = NULL;
    if (type == NULL || !query->term[k].has_field) {
        why = "has no field";
    } else if (type->desc.copy != NULL || type->desc.deinit != NULL) {
        why = "has values that own something: they are not plain bytes";
    } else if (writes && (query->written >> k & 1) == 0) {
        why = "is not declared to be written (SETT_INOUT, SETT_OUT)";
    }
    if (why != NULL) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: term %u of query \"%.100s\" %s",
                              call, (unsigned)k, query->open.name, why);
    }
    return why == NULL ? type->storage.size : 0;
}

/* Copies the field of a batch's first `count` entities out, or in. */
static void column_copy(const sett_batch* batch, uint32_t k, size_t size, uint32_t count,
                        unsigned char* out, const unsigned char* in)
{
    unsigned char* field = sett_batch_field(batch, k);
    if (field == NULL) {
        if (out != NULL) {
            memset(out, 0, count * size); /* optional, and absent */
        }
        return;
    }
    for (uint32_t n = 0; n < count;) {
        size_t row = batch->rows != NULL ? batch->rows[n] : n;
        uint32_t step = batch->rows != NULL ? 1 : count;
        if (out != NULL) {
            memcpy(out + n * size, field + row * size, step * size);
        } else {
            memcpy(field + row * size, in + n * size, step * size);
        }
        n += step;
    }
}

uint32_t sett_query_read(const sett_query* of, uint32_t k, void* out, uint32_t capacity)
{
    sett_query* query = setti_unconst(of); /* caches are brought up to date */
    if (SETTI_IS_NULL(query)) {
        return 0;
    }
    size_t size = column_size(query, k, false, "sett_query_read");
    unsigned char* to = out;
    uint32_t count = 0;
    if (size == 0) {
        return 0;
    }
    SETT_QUERY_EACH(query, b) {
        uint32_t left = to != NULL && count < capacity ? capacity - count : 0;
        uint32_t rows = SETTI_MIN(b->count, left);
        column_copy(b, k, size, rows, to != NULL ? to + count * size : NULL, NULL);
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
    size_t size = column_size(query, k, true, "sett_query_write");
    const unsigned char* from = values;
    uint32_t done = 0;
    if (size == 0) {
        return 0;
    }
    SETT_QUERY_EACH(query, b) {
        uint32_t rows = done < count ? SETTI_MIN(b->count, count - done) : 0;
        column_copy(b, k, size, rows, NULL, from + done * size);
        done += b->count;
    }
    return done;
}
