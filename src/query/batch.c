/* batch.c: walking what a query matches, a batch at a time.
 *
 * A loop goes in steps. Over pages a step is one page of the term with the fewest rows a page: the
 * occupancy words of all terms are intersected, 64 entities an operation. Over a packed driver it
 * is one page of its rows. Where fields have to be gathered a step is 64 rows. What matches in a
 * step is a set of bits, and is handed out as
 *
 *     one run of rows without gaps:  rows == NULL, the fields begin at its first row: a plain loop,
 *     which vectorises
 *     anything else:                 a list of row numbers; reading it back costs less than walking
 *     bits (1.3 against 1.5 ns at every second
 *                                    row, gcc -O3), and leaves one form of loop to compile
 *
 * A step is cut where the presence of an optional term changes, and a long leading run is handed
 * out by itself.
 *
 * Invariant:  words = rows of the step at unit_base that match and were not handed out;  rows are
 * handed out once, ascending within a batch
 */
#include "query/query.h"

#define WORDS (SETT_BATCH_ROWS / 64)

/* A leading run of at least this many rows is a batch of its own: a call costs about 8 ns, a row of
 * a list 0.8 more than one of a run. */
#define RUN_WORTH 64

/* ------------------------------------------------------------------------------------- matching */

/* Which of up to `rows` entities from `base` on are alive. */
static void match_alive(const setti_entity_table* table, uint32_t base, uint32_t rows,
                        uint64_t* words)
{
    const setti_entity_page* page = setti_entity_page_of(table, base);
    for (uint32_t row = 0; row < rows; row += 64) {
        uint64_t word = 0;
        for (uint32_t k = 0; page != NULL && k < 64; k++) {
            uint32_t generation = page->generation[(base & SETTI_ID_SET_MASK) + row + k];
            word |= (uint64_t)((generation & SETTI_DEAD) == 0) << k;
        }
        words[row / 64] = word;
    }
}

/* The entity index of a row of the step. */
SETTI_INLINE uint32_t match_index(const sett_batch* batch, uint32_t row)
{
    return batch->indices != NULL ? batch->indices[row] : batch->unit_base + row;
}

/* Clears the rows whose entity has the type (wanted: has it not); for terms that are not positional
 * in this loop. */
static void match_probe(const sett_batch* batch, const setti_storage* storage, bool wanted,
                        uint64_t* words, uint32_t word_count)
{
    for (uint32_t at = 0; at < word_count; at++) {
        for (uint64_t rest = words[at]; rest != 0; rest &= rest - 1) {
            uint32_t bit = setti_bits_lowest(rest);
            if (setti_storage_has(storage, match_index(batch, at * 64 + bit)) != wanted) {
                words[at] &= ~((uint64_t)1 << bit);
            }
        }
    }
}

/* Keeps the rows whose entities have the type (wanted: have it not). */
static void match_term(const sett_batch* batch, const setti_storage* storage, bool wanted,
                       uint64_t* words, uint32_t word_count)
{
    if (storage->kind == SETTI_PACKED || batch->indices != NULL) {
        match_probe(batch, storage, wanted, words, word_count);
        return;
    }
    const uint64_t* bits = setti_storage_word(storage, batch->unit_base);
    uint64_t flip = wanted ? 0 : UINT64_MAX;
    for (uint32_t at = 0; at < word_count; at++) {
        words[at] &= (bits != NULL ? bits[at] : 0) ^ flip;
    }
}

static uint32_t match_trim(const uint64_t* words, uint32_t word_count)
{
    while (word_count > 0 && words[word_count - 1] == 0) {
        word_count--;
    }
    return word_count;
}

/* The next step over pages. False at the end. */
static bool step_pages(sett_batch* batch)
{
    const sett_query* query = batch->query;
    while (batch->cursor < batch->limit) {
        uint32_t base = batch->cursor;
        uint32_t rows = SETTI_MIN(batch->unit, batch->limit - base);
        uint32_t word_count = (rows + 63) / 64;
        uint32_t end = base + batch->unit;
        bool first = true;
        batch->unit_base = base;
        /* required matrices: words against words */
        for (uint32_t k = 0; k < query->term_count; k++) {
            const setti_storage* storage = &query->term[k].type->storage;
            if (query->term[k].kind != SETT_WITH || storage->kind == SETTI_PACKED) {
                continue;
            }
            const uint64_t* bits = setti_storage_word(storage, base);
            if (bits == NULL) { /* nothing in all of its page */
                end = (base | (SETTI_BITS_ROWS - 1)) + 1;
                word_count = 0;
                break;
            }
            for (uint32_t at = 0; at < word_count; at++) {
                batch->words[at] = first ? bits[at] : batch->words[at] & bits[at];
            }
            first = false;
        }
        batch->cursor = end;
        if (first && word_count != 0) {
            match_alive(&query->world->entities, base, rows, batch->words);
        }
        word_count = match_trim(batch->words, word_count);
        for (uint32_t k = 0; word_count != 0 && k < query->filter_count; k++) {
            const setti_term* term = &query->term[query->filter[k]];
            match_term(batch, &term->type->storage, term->kind == SETT_WITH, batch->words,
                       word_count);
        }
        batch->word_count = match_trim(batch->words, word_count);
        if (batch->word_count != 0) {
            return true;
        }
    }
    return false;
}

/* The next step over the rows of a packed driver. False at the end. */
static bool step_packed(sett_batch* batch)
{
    const sett_query* query = batch->query;
    const setti_storage* driver = &query->term[batch->driver].type->storage;
    while (batch->cursor < batch->limit) {
        uint32_t base = batch->cursor;
        uint32_t rows = SETTI_MIN(batch->unit, batch->limit - base);
        uint32_t word_count = (rows + 63) / 64;
        batch->unit_base = base;
        batch->cursor = base + rows;
        batch->indices = setti_storage_index(driver, base);
        for (uint32_t at = 0; at < word_count; at++) {
            batch->words[at] = setti_bits_below(rows - at * 64);
        }
        for (uint32_t row = 0; driver->extent != driver->count && row < rows; row++) { /* gaps */
            batch->words[row / 64] &=
                ~((uint64_t)(batch->indices[row] == SETTI_NONE) << (row % 64));
        }
        for (uint32_t k = 0; k < query->term_count; k++) {
            const setti_term* term = &query->term[k];
            if (k != batch->driver && term->kind != SETT_OPTIONAL) {
                match_term(batch, &term->type->storage, term->kind == SETT_WITH, batch->words,
                           word_count);
            }
        }
        batch->word_count = match_trim(batch->words, word_count);
        if (batch->word_count != 0) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------- handing out */

/* Takes the rows for the next batch out of `words`: all, or those that have the same optional types
 * as the first. */
static uint32_t take_alike(sett_batch* batch, uint64_t* taken, uint32_t* present)
{
    const sett_query* query = batch->query;
    uint32_t word_count = batch->word_count;
    memcpy(taken, batch->words, word_count * sizeof(uint64_t));
    *present = 0;
    if (query->optional_count != 0) {
        uint32_t at = 0;
        while (taken[at] == 0) {
            at++;
        }
        uint32_t index = match_index(batch, at * 64 + setti_bits_lowest(taken[at]));
        for (uint32_t k = 0; k < query->term_count; k++) {
            const setti_term* term = &query->term[k];
            if (term->kind == SETT_OPTIONAL) {
                bool has = setti_storage_has(&term->type->storage, index);
                *present |= (uint32_t)has << k;
                match_term(batch, &term->type->storage, has, taken, word_count);
            }
        }
    }
    return word_count;
}

/* The length of the run that starts at the lowest bit, whose row becomes *first. */
static uint32_t run_length(const uint64_t* words, uint32_t word_count, uint32_t* first)
{
    uint32_t at = 0;
    while (words[at] == 0) {
        at++;
    }
    uint32_t low = setti_bits_lowest(words[at]);
    *first = at * 64 + low;
    uint64_t holes = ~(words[at] >> low);
    if (low != 0) {
        holes &= setti_bits_below(64 - low);
    }
    if (holes != 0) {
        return setti_bits_lowest(holes);
    }
    uint32_t length = 64 - low;
    while (++at < word_count && words[at] == UINT64_MAX) {
        length += 64;
    }
    return at < word_count ? length + setti_bits_lowest(~words[at]) : length;
}

/* Writes the row numbers of all bits. Eight at a time without asking how many there are: the list
 * has room for the excess. */
static uint32_t list_rows(const uint64_t* words, uint32_t word_count, uint16_t* list)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < word_count; at++) {
        uint64_t word = words[at];
        uint32_t bits = setti_bits_count(word);
        uint16_t* out = list + count;
        for (uint32_t done = 0; done < bits; done += 8, out += 8) {
            for (uint32_t k = 0; k < 8; k++) {
                /* The excess reads a bit that is always there. */
                out[k] = (uint16_t)(at * 64 + setti_bits_lowest(word | (uint64_t)1 << 63));
                word &= word - 1;
            }
        }
        count += bits;
    }
    return count;
}

/* Removes `taken` from what waits. */
static void words_clear(sett_batch* batch, const uint64_t* taken, uint32_t word_count)
{
    for (uint32_t at = 0; at < word_count; at++) {
        batch->words[at] &= ~taken[at];
    }
    batch->word_count = match_trim(batch->words, batch->word_count);
}

static void words_clear_run(sett_batch* batch, uint32_t first, uint32_t length)
{
    for (uint32_t at = first; at < first + length;) {
        uint32_t until = SETTI_MIN(first + length, (at / 64 + 1) * 64);
        batch->words[at / 64] &= ~(setti_bits_below(until - at) << (at % 64));
        at = until;
    }
    batch->word_count = match_trim(batch->words, batch->word_count);
}

/* Chooses the rows of the next batch from what waits. `shift` is by how much row 0 lies behind
 * unit_base. */
static uint32_t choose_rows(sett_batch* batch, uint32_t* present)
{
    uint64_t taken[WORDS];
    uint32_t word_count = take_alike(batch, taken, present);
    uint32_t first;
    uint32_t length = run_length(taken, word_count, &first);
    bool whole =
        match_trim(taken, word_count) <= (first + length - 1) / 64 + 1 &&
        (taken[(first + length - 1) / 64] & ~setti_bits_below((first + length - 1) % 64 + 1)) == 0;
    if (whole || length >= RUN_WORTH) {
        batch->rows = NULL;
        batch->count = length;
        words_clear_run(batch, first, length);
        return first;
    }
    batch->rows = batch->list;
    batch->count = list_rows(taken, word_count, batch->list);
    words_clear(batch, taken, word_count);
    return 0;
}

/* --------------------------------------------------------------------------------------- fields */

SETTI_INLINE uint32_t batch_row(const sett_batch* batch, uint32_t k)
{
    return batch->rows != NULL ? batch->rows[k] : k;
}

static void** gather_pointers(const sett_batch* batch, const setti_term* term)
{
    return (void**)(void*)((unsigned char*)batch->scratch + term->scratch_at);
}

static unsigned char* gather_values(const sett_batch* batch, const setti_term* term)
{
    return (unsigned char*)batch->scratch + term->scratch_rows;
}

/* Copies the field's values into the scratch, each to its row. */
static void* gather(sett_batch* batch, const setti_term* term)
{
    const setti_storage* storage = &term->type->storage;
    const setti_pool* pool = &batch->query->world->pool;
    size_t size = storage->size;
    unsigned char* values = gather_values(batch, term);
    void** pointers = gather_pointers(batch, term);
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t row = batch_row(batch, k);
        uint32_t place = setti_storage_place(storage, sett_batch_index(batch, row));
        if (term->access != SETT_IN) {
            setti_storage_write(pool, storage, place);
        }
        pointers[row] = setti_storage_at(storage, place);
    }
    for (uint32_t k = 0; term->access != SETT_OUT && k < batch->count; k++) {
        uint32_t row = batch_row(batch, k);
        setti_row_copy(values + row * size, pointers[row], size);
    }
    return values;
}

/* Writes gathered values back to where they came from. */
static void scatter(const sett_batch* batch)
{
    const sett_query* query = batch->query;
    for (uint32_t j = 0; j < query->term_count; j++) {
        const setti_term* term = &query->term[j];
        if (!term->has_field || term->access == SETT_IN ||
            batch->fields[j] != gather_values(batch, term)) {
            continue;
        }
        size_t size = term->type->storage.size;
        void** pointers = gather_pointers(batch, term);
        for (uint32_t k = 0; k < batch->count; k++) {
            uint32_t row = batch_row(batch, k);
            setti_row_copy(pointers[row], gather_values(batch, term) + row * size, size);
        }
    }
}

/* The field of rows that lie as the batch does, from `base` on: index of a matrix, row of the
 * driver. */
static void* field_in_place(sett_batch* batch, const setti_term* term, uint32_t base)
{
    const setti_storage* storage = &term->type->storage;
    const setti_pool* pool = &batch->query->world->pool;
    if (term->access != SETT_IN) {
        setti_pages_write(pool, &storage->rows, base >> storage->shift);
        for (uint32_t k = 0; storage->tracked && k < batch->count; k++) {
            *setti_storage_tick(storage, base + batch_row(batch, k)) = pool->tick;
        }
    }
    return setti_storage_at(storage, base);
}

static void set_fields(sett_batch* batch, uint32_t base, uint32_t present)
{
    const sett_query* query = batch->query;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (!term->has_field || (term->kind == SETT_OPTIONAL && (present >> k & 1) == 0)) {
            batch->fields[k] = NULL;
        } else if (batch->driver == SETT_QUERY_TERMS ? term->type->storage.kind != SETTI_PACKED
                                                     : k == batch->driver) {
            batch->fields[k] = field_in_place(batch, term, base);
        } else {
            batch->fields[k] = gather(batch, term);
        }
    }
}

/* ------------------------------------------------------------------------------------- the loop */

static void batch_start(sett_query* query, sett_batch* batch)
{
    batch->query = query;
    batch->count = 0;
    batch->field_count = query->term_count;
    batch->rows = NULL;
    batch->indices = NULL;
    batch->scratch = NULL;
    batch->driver = setti_plan_driver(query);
    batch->cursor = 0;
    batch->word_count = 0;
    if (batch->driver != SETT_QUERY_TERMS) {
        const setti_storage* storage = &query->term[batch->driver].type->storage;
        batch->limit = storage->extent;
        batch->unit = setti_storage_rows(storage);
        return;
    }
    batch->unit = query->matrix_rows;
    batch->limit = setti_id_set_capacity(&query->world->entities.ids);
    for (uint32_t k = 0; k < query->term_count; k++) { /* up to the smallest extent */
        const setti_storage* storage = &query->term[k].type->storage;
        if (query->term[k].kind == SETT_WITH && storage->kind != SETTI_PACKED) {
            batch->limit = SETTI_MIN(batch->limit, storage->extent);
        }
    }
}

static bool batch_gathers(const sett_batch* batch)
{
    const sett_query* query = batch->query;
    if (batch->driver == SETT_QUERY_TERMS) {
        return query->gathers;
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].has_field && k != batch->driver) {
            return true;
        }
    }
    return false;
}

sett_batch* sett_query_begin(sett_query* query, sett_batch* batch)
{
    sett_world* world = query->world;
    batch_start(query, batch);
    if (batch_gathers(batch)) {
        batch->scratch = setti_pool_alloc(&world->pool, query->scratch_size, 64);
        if (batch->scratch == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, "sett_query_begin", sett_null(), 0);
            return NULL;
        }
        batch->unit = SETTI_MIN(batch->unit, SETTI_GATHER_ROWS);
    }
    world->locks++;
    world->open_loops++;
    world->open_loop = query->name;
    return batch;
}

bool sett_batch_next(sett_batch* batch)
{
    if (batch->scratch != NULL && batch->count != 0) {
        scatter(batch);
    }
    batch->count = 0;
    bool packed = batch->driver != SETT_QUERY_TERMS;
    if (batch->word_count == 0 && !(packed ? step_packed(batch) : step_pages(batch))) {
        return false;
    }
    uint32_t present;
    uint32_t first;
    if (packed) {
        const setti_storage* driver = &batch->query->term[batch->driver].type->storage;
        batch->indices = setti_storage_index(driver, batch->unit_base);
        first = choose_rows(batch, &present);
        batch->indices += first;
    } else {
        first = choose_rows(batch, &present);
        batch->base = batch->unit_base + first;
        batch->generations =
            setti_entity_page_of(&batch->query->world->entities, batch->base)->generation +
            (batch->base & SETTI_ID_SET_MASK);
    }
    set_fields(batch, batch->unit_base + first, present);
    return true;
}

void sett_batch_end(sett_batch* batch)
{
    sett_world* world = batch->query->world;
    if (batch->scratch != NULL) {
        if (batch->count != 0) {
            scatter(batch);
        }
        setti_pool_free(&world->pool, batch->scratch, batch->query->scratch_size, 64);
        batch->scratch = NULL;
    }
    if (world->open_loops > 0) {
        world->open_loops--;
        world->locks--;
    }
}

uint32_t sett_query_count(const sett_query* query)
{
    sett_batch batch;
    uint32_t count = 0;
    batch_start(setti_unconst(query), &batch);
    bool packed = batch.driver != SETT_QUERY_TERMS;
    while (packed ? step_packed(&batch) : step_pages(&batch)) {
        for (uint32_t at = 0; at < batch.word_count; at++) {
            count += setti_bits_count(batch.words[at]);
        }
    }
    return count;
}

sett_entity sett_batch_entity_lookup(const sett_batch* batch, uint32_t row)
{
    return setti_entity_at(&batch->query->world->entities, batch->indices[row]);
}

const void* sett_batch_at(const sett_batch* batch, uint32_t k, uint32_t row)
{
    const setti_term* term = &batch->query->term[k];
    return k < batch->field_count
               ? setti_storage_find(&term->type->storage, sett_batch_index(batch, row))
               : NULL;
}
