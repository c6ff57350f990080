/* query_count.c: answers about a query for which the program needs no loop: sett_query_count,
 * sett_query_first, sett_query_matches. Also surveys the chunks that may hold matches, for jobs.
 *
 * The workload: a count or the first match now and then. In each frame, a survey for each system
 * that runs in several jobs, over up to a million entities.
 *
 * Invariant:  each answer equals the result of a loop over the query
 */
#include "query/steps.h"

uint32_t sett_query_count(const sett_query* given)
{
    sett_query* query = setti_unconst(given); /* the plan, a cache, may be updated */
    if (SETTI_IS_NULL(query)) {
        return 0;
    }
    sett_batch batch;
    uint32_t count = 0;
    setti_loop_start(query, &batch);
    const setti_loop* loop = setti_loop_of(&batch);
    if (loop->plain && loop->driver == SETTI_NO_DRIVER && query->array_count == 1) {
        /* each entity of the array matches: it is the only type, or a tracked set of all terms */
        return query->array[0]->count;
    }
    setti_step step = setti_step_next(&batch);
    while (step != SETTI_STEP_END) {
        if (step == SETTI_STEP_DENSE) {
            count += batch.count;
        } else {
            for (uint32_t word = 0; word < loop->word_count; word++) {
                count += setti_bits_count(loop->words[word]);
            }
        }
        step = setti_step_next(&batch);
    }
    return count;
}

sett_entity sett_query_first(const sett_query* given)
{
    sett_query* query = setti_unconst(given); /* the plan, a cache, may be updated */
    if (SETTI_IS_NULL(query)) {
        return sett_null();
    }
    sett_batch batch;
    uint32_t row = 0; /* the first row of a dense step */
    setti_loop_start(query, &batch);
    const setti_loop* loop = setti_loop_of(&batch);
    setti_step step = setti_step_next(&batch);
    if (step == SETTI_STEP_END) {
        return sett_null();
    }
    if (step == SETTI_STEP_WORDS) {
        SETTI_ASSERT(loop->waiting != 0);
        uint32_t word = setti_bits_lowest(loop->waiting);
        row = word * 64 + setti_bits_lowest(loop->words[word]);
    }
    return setti_entity_at(&query->world->entities, setti_step_index(&batch, row));
}

bool sett_query_matches(const sett_query* query, sett_entity entity)
{
    if (SETTI_IS_NULL(query)) {
        return false;
    }
    bool any_holds = query->any == 0; /* true if there is no SETT_ANY term, or one is true */
    if (!sett_entity_valid(query->world, entity) || setti_query_is_hidden(query, entity.index)) {
        return false;
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        const setti_storage* storage = &term->type->storage;
        bool has = setti_type_is_on(term->type, entity.index);
        if (has && term->kind == SETT_ANY) {
            any_holds = true;
        }
        if (has && term->kind == SETT_WITHOUT) {
            return false;
        }
        if (!has && term->kind == SETT_WITH) {
            return false;
        }
        if ((query->changed >> k & 1) != 0 && !setti_match_is_new(query, storage, entity.index)) {
            return false;
        }
    }
    return any_holds && setti_elsewhere_is(query, entity.index);
}

/* Notes that a chunk may hold a match. */
static void survey_mark(setti_survey* survey, uint32_t chunk)
{
    SETTI_ASSERT(chunk < SETTI_SURVEY_CHUNKS &&
                 (survey->bits[chunk / 64] >> (chunk % 64) & 1) == 0);
    survey->bits[chunk / 64] |= (uint64_t)1 << (chunk % 64);
    survey->filled++;
}

/* Finds the first word with a match, from the row `row` on. Returns the first row of this word.
 * Returns a row >= `end` if there is no match.
 *   bits  for each array, its words from the row `row` on */
static uint32_t survey_find(const sett_query* query, const uint64_t* const* bits, uint32_t row,
                            uint32_t end)
{
    for (uint32_t position = 0; row < end; position++, row += 64) {
        uint64_t word = bits[0][position];
        for (uint32_t k = 1; k < query->array_count; k++) {
            word &= bits[k][position];
        }
        if (word != 0) {
            break;
        }
    }
    return row;
}

/* Marks each chunk that has a match.
 *   limit  the end of the rows */
static void survey_pages(const sett_query* query, uint32_t limit, setti_survey* survey)
{
    const uint64_t* bits[SETT_QUERY_TERMS + 1];
    SETTI_ASSERT(query->array_count != 0 && survey->rows % SETT_BATCH_ROWS == 0);
    /* rows searched by one call of survey_find: at most a page of words */
    uint32_t page_rows = query->lists.rare ? SETT_BATCH_ROWS : SETTI_BITS_ROWS;
    for (uint32_t row = 0; row < limit;) {
        if (query->lists.rare) { /* skips to a page with values of the rarest type */
            /* the result is rounded down to the begin of a word */
            row = setti_array_seek(setti_match_rarest(query), row) & ~(uint32_t)63;
        }
        if (row >= limit) {
            return;
        }
        if (setti_match_words_at(query, row, bits) != NULL) { /* an array has no page here */
            row = setti_match_seek(query, row);
            continue;
        }
        uint32_t next_page = (row | (page_rows - 1)) + 1;
        uint32_t page_end = SETTI_MIN(limit, next_page);
        row = survey_find(query, bits, row, page_end);
        if (row < page_end) {
            survey_mark(survey, row / survey->rows);
            row = (row / survey->rows + 1) * survey->rows; /* the begin of the next chunk */
        }
    }
}

void setti_query_survey(sett_query* query, setti_survey* survey)
{
    sett_batch batch;
    setti_loop_start(query, &batch);
    setti_loop* loop = setti_loop_of(&batch);
    memset(survey, 0, sizeof(*survey));
    survey->scattered = query->written & ~loop->in_place;
    bool pages = loop->driver == SETTI_NO_DRIVER && query->array_count != 0;
    if (pages) {
        for (uint32_t k = 0; k < query->array_count; k++) {
            /* worlds of equal state may have different extents, but have equal ends */
            loop->limit = SETTI_MIN(loop->limit, setti_array_end(query->array[k]));
        }
    }
    /* a chunk has whole units of SETT_BATCH_ROWS rows; the divisions round up */
    uint32_t units = loop->limit / SETT_BATCH_ROWS + (loop->limit % SETT_BATCH_ROWS != 0);
    uint32_t chunk_units = SETTI_MAX((units + SETTI_SURVEY_CHUNKS - 1) / SETTI_SURVEY_CHUNKS, 1);
    survey->rows = chunk_units * SETT_BATCH_ROWS;
    survey->count = units / chunk_units + (units % chunk_units != 0);
    if (pages && units > 1) {
        survey_pages(query, loop->limit, survey);
        return;
    }
    for (uint32_t k = 0; k < survey->count; k++) {
        survey_mark(survey, k); /* a sparse set or all entities, or too few rows to search them */
    }
}

uint32_t setti_query_row(sett_query* query, sett_entity entity)
{
    sett_batch batch;
    if (!sett_query_matches(query, entity)) {
        return SETTI_NONE;
    }
    setti_loop_start(query, &batch);
    uint32_t driver = setti_loop_of(&batch)->driver;
    if (driver == SETTI_NO_DRIVER) { /* over pages, rows are entity indices */
        return entity.index;
    }
    return setti_sparse_row(&query->term[driver].type->storage, entity.index);
}
