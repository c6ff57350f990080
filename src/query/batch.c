/* batch.c: walking what a query matches, a batch at a time.
 *
 * A loop goes in steps. Over pages a step is as many rows as lie in one page of every term; the
 * occupancy words of the terms are intersected, 64 entities an operation. Over a sparse-set driver
 * it
 * is a page of its rows. Where fields have to be gathered a step is at most SETTI_GATHER_ROWS. What
 * matches in a step is a set of bits, and is handed out as
 *
 *     one run of rows without gaps   rows == NULL, the fields begin at its first row: a plain loop,
 *                                    which vectorises
 *     anything else                  a list of row numbers. Reading it costs less than walking bits
 *                                    (1.3 against 1.5 ns at every second row, gcc -O3) and leaves
 *                                    one form of loop to compile
 *
 * A step is cut where the presence of an optional term changes, and a long leading run is handed
 * out by itself.
 *
 * Invariant:  words = rows of the step at unit_base that match and were not handed out;
 *             rows are handed out once, ascending within a batch;
 *             a gathered term's places hold, for every row handed out, where its value lives;
 *             what a loop writes to copies of is in their storages' lists of gathers (gather.h)
 */
#include "query/query.h"

#define WORDS (SETT_BATCH_ROWS / 64)

/* A leading run of at least this many rows is a batch of its own: a call costs about 10 ns, a row
 * of a list 0.5 to 1 more than one of a run. */
#define RUN_WORTH 64

typedef enum step_result {
    STEP_END,   /* nothing left */
    STEP_WORDS, /* `words` holds what matches */
    STEP_DENSE, /* every row of the step matches: `count` of them from unit_base on */
} step_result;

/* ------------------------------------------------------------------------------------ gathering */

static setti_source* gather_sources(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    return (setti_source*)(void*)((unsigned char*)loop->scratch + term->sources);
}

static unsigned char* gather_values(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    return (unsigned char*)loop->scratch + term->values;
}

/* The k-th row of a batch. Loops that write to memory hand in a copy of batch->rows, or it would be
 * read again for each row. */
SETTI_INLINE uint32_t batch_row(const uint16_t* rows, uint32_t k)
{
    return rows != NULL ? rows[k] : k;
}

/* Copies the values of a batch's rows into the scratch, each to its row, notes where they live, and
 * marks them as written. A `size` known to the compiler makes one move of a copy. What the loop
 * needs is in variables of its own, because a store to the scratch might be to anything: with it
 * read anew for each row, a gathered row cost 115 instructions. */
SETTI_INLINE void gather_in(const sett_batch* batch, const setti_term* term, size_t size)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_pool* pool = &loop->query->world->pool;
    const setti_pages* pages = &term->type->storage.rows;
    setti_source* sources = gather_sources(batch, term) + loop->scratch_row;
    unsigned char* values = gather_values(batch, term) + loop->scratch_row * size;
    const uint16_t* rows = batch->rows;
    void* const* data = pages->data;
    const uint64_t* ticks = pages->tick;
    uint64_t tick = pool->tick;
    uint32_t shift = term->type->storage.shift;
    uint32_t mask = setti_storage_rows(&term->type->storage) - 1;
    bool writes = term->access != SETT_IN;
    for (uint32_t k = 0, count = batch->count; k < count; k++) {
        uint32_t row = batch_row(rows, k);
        uint32_t place = sources[row].place;
        uint32_t number = place >> shift;
        unsigned char* address = (unsigned char*)data[number] + (size_t)(place & mask) * size;
        if (writes && ticks[number] != tick) {
            setti_pages_write(pool, pages, number);
        }
        sources[row].address = address;
        setti_row_copy(values + row * size, address, size);
    }
}

/* Copies them back. */
SETTI_INLINE void gather_out(const sett_batch* batch, const setti_term* term, size_t size)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_source* sources = gather_sources(batch, term) + loop->scratch_row;
    const unsigned char* values = gather_values(batch, term) + loop->scratch_row * size;
    const uint16_t* rows = batch->rows;
    for (uint32_t k = 0, count = batch->count; k < count; k++) {
        uint32_t row = batch_row(rows, k);
        setti_row_copy(sources[row].address, values + row * size, size);
    }
}

SETTI_INLINE void gather_copy(const sett_batch* batch, const setti_term* term, size_t size,
                              bool back)
{
    if (back) {
        gather_out(batch, term, size);
    } else {
        gather_in(batch, term, size);
    }
}

static void gather_move(const sett_batch* batch, const setti_term* term, bool back)
{
    switch (term->type->storage.size) {
    case 4:
        gather_copy(batch, term, 4, back);
        break;
    case 8:
        gather_copy(batch, term, 8, back);
        break;
    case 12:
        gather_copy(batch, term, 12, back);
        break;
    case 16:
        gather_copy(batch, term, 16, back);
        break;
    default:
        gather_copy(batch, term, term->type->storage.size, back);
        break;
    }
}

/* Whether the k-th term's field of this batch is a gathered one. */
static bool gather_is_used(const sett_batch* batch, uint32_t k)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_term* term = &loop->query->term[k];
    return term->has_field && batch->fields[k] != NULL && (loop->in_place >> k & 1) == 0;
}

/* Between a batch's values and the copies that loops around this one have of them: reads these, or
 * writes them back. */
SETTI_COLD static void gather_outer(const sett_batch* batch, const setti_term* term, bool back)
{
    const setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    unsigned char* values = gather_values(batch, term) + loop->scratch_row * (size_t)storage->size;
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t row = batch_row(batch->rows, k);
        unsigned char* value = values + row * (size_t)storage->size;
        void* outer = setti_gather_find(storage, loop->scratch, sett_batch_index(batch, row));
        if (outer != NULL) {
            setti_row_copy(back ? outer : value, back ? value : outer, storage->size);
        }
    }
}

/* Writes gathered values back to where they came from. */
static void gather_scatter(const sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    for (uint32_t k = 0; k < batch->field_count; k++) {
        const setti_term* term = &loop->query->term[k];
        if (gather_is_used(batch, k) && term->access != SETT_IN) {
            gather_move(batch, term, true);
            if (SETTI_UNLIKELY((loop->nested >> k & 1) != 0)) {
                gather_outer(batch, term, true);
            }
        }
    }
}

/* Marks the places of single rows as written, for types that asked for it. */
SETTI_COLD static void gather_track(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_source* sources = gather_sources(batch, term) + loop->scratch_row;
    for (uint32_t k = 0; k < batch->count; k++) {
        setti_storage_write(&loop->query->world->pool, &term->type->storage,
                            sources[batch_row(batch->rows, k)].place);
    }
}

/* The field of a term whose values lie in another order than the batch's rows. */
static void* gather_field(const sett_batch* batch, const setti_term* term, bool nested)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    setti_source* sources = gather_sources(batch, term) + loop->scratch_row;
    for (uint32_t k = 0; (term->kind != SETT_WITH || nested) && k < batch->count; k++) {
        uint32_t row = batch_row(batch->rows, k);
        sources[row].place = setti_storage_slot(storage, sett_batch_index(batch, row));
    }
    if (SETTI_UNLIKELY(storage->tracked && term->access != SETT_IN)) {
        gather_track(batch, term);
    }
    gather_move(batch, term, false);
    if (SETTI_UNLIKELY(nested)) {
        gather_outer(batch, term, false);
    }
    return gather_values(batch, term) + (size_t)loop->scratch_row * storage->size;
}

/* ------------------------------------------------------------------------------------- matching */

/* The entity index of a row of the step. */
SETTI_INLINE uint32_t match_index(const sett_batch* batch, uint32_t row)
{
    setti_loop* loop = setti_loop_of(batch);
    return loop->step_indices != NULL ? loop->step_indices[row] : loop->unit_base + row;
}

/* Keeps the rows whose entities have the type (not wanted: lack it), asking for each; where the
 * term's values are going to be gathered, notes their places. `sparse-set` is known to the
 * compiler. */
SETTI_INLINE void match_each_in(sett_batch* batch, const setti_term* term, bool sparse_set,
                                bool wanted, uint64_t* words, uint32_t word_count)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_storage storage = {0}; /* a copy of what is read, which no store changes */
    storage.presence = term->type->storage.presence;
    const uint32_t* indices = loop->step_indices;
    uint32_t base = loop->unit_base;
    bool keep = loop->scratch != NULL && term->has_field;
    setti_source* sources = keep ? gather_sources(batch, term) : NULL;
    for (uint32_t at = 0; at < word_count; at++) {
        uint64_t found = 0;
        for (uint64_t rest = words[at]; rest != 0; rest &= rest - 1) {
            uint32_t bit = setti_bits_lowest(rest);
            uint32_t row = at * 64 + bit;
            uint32_t index = indices != NULL ? indices[row] : base + row;
            /* No branch on presence: at one in two it costs 12 ns a row. */
            uint32_t place = sparse_set ? setti_sparse_row(&storage, index)
                                        : index | (setti_bitmap_bit(&storage, index) - 1);
            found |= (uint64_t)(place != SETTI_NONE) << bit;
            if (keep) {
                sources[row].place = place;
            }
        }
        words[at] &= wanted ? found : ~found;
    }
}

static void match_each(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                       uint32_t word_count)
{
    if (term->type->storage.kind == SETTI_SPARSE) {
        match_each_in(batch, term, true, wanted, words, word_count);
    } else {
        match_each_in(batch, term, false, wanted, words, word_count);
    }
}

/* The same, words against words where the term is positional in this loop. */
static void match_term(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                       uint32_t word_count)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    if (storage->kind == SETTI_SPARSE || loop->step_indices != NULL) {
        match_each(batch, term, wanted, words, word_count);
        return;
    }
    const uint64_t* bits = setti_storage_word(storage, loop->unit_base);
    uint64_t flip = wanted ? 0 : UINT64_MAX;
    for (uint32_t at = 0; at < word_count; at++) {
        words[at] &= (bits != NULL ? bits[at] : 0) ^ flip;
    }
}

/* Keeps the rows whose entities have at least one of the ANY terms. */
static void match_any(sett_batch* batch, uint64_t* words, uint32_t word_count)
{
    setti_loop* loop = setti_loop_of(batch);
    uint64_t found[WORDS] = {0};
    for (uint32_t rest = loop->query->any; rest != 0; rest &= rest - 1) {
        uint64_t with[WORDS];
        memcpy(with, words, word_count * sizeof(uint64_t));
        match_term(batch, &loop->query->term[setti_bits_lowest(rest)], true, with, word_count);
        for (uint32_t at = 0; at < word_count; at++) {
            found[at] |= with[at];
        }
    }
    memcpy(words, found, word_count * sizeof(uint64_t));
}

/* Whether the entity's value was written, or restored, since the query's tick. What only a restore
 * exchanged is new to a cursor that is not restored itself. Cloning replaces the state of one world
 * by that of another, and is new to all. */
static bool match_is_new(const sett_query* query, const setti_storage* storage, uint32_t index)
{
    const setti_pool* pool = &query->world->pool;
    uint64_t replaced = query->since_is_state ? pool->cloned : pool->restored;
    uint64_t tick = replaced > query->since ? setti_storage_changed(storage, index)
                                            : setti_storage_written(storage, index);
    return tick > query->since;
}

/* Keeps the rows whose value was written since. */
static void match_changed(const sett_batch* batch, const setti_storage* storage, uint64_t* words,
                          uint32_t word_count)
{
    for (uint32_t at = 0; at < word_count; at++) {
        for (uint64_t rest = words[at]; rest != 0; rest &= rest - 1) {
            uint32_t bit = setti_bits_lowest(rest);
            uint32_t index = match_index(batch, at * 64 + bit);
            if (!match_is_new(setti_loop_of(batch)->query, storage, index)) {
                words[at] &= ~((uint64_t)1 << bit);
            }
        }
    }
}

/* Which words have bits. Without branches, which would be mispredicted at every step. */
static uint32_t match_some(const uint64_t* words, uint32_t word_count)
{
    uint32_t some = 0;
    for (uint32_t at = 0; at < word_count; at++) {
        some |= (uint32_t)(words[at] != 0) << at;
    }
    return some;
}

/* Intersects the words of `count` arrays; returns which of them have bits. */
static uint32_t match_matrices(const uint64_t* const* bits, uint32_t count, uint64_t* words,
                               uint32_t word_count)
{
    const uint64_t* first = bits[0];
    const uint64_t* last = bits[count - 1];
    for (uint32_t at = 0; at < word_count; at++) {
        words[at] = first[at] & last[at];
    }
    for (uint32_t k = 1; k + 1 < count; k++) {
        for (uint32_t at = 0; at < word_count; at++) {
            words[at] &= bits[k][at];
        }
    }
    return match_some(words, word_count);
}

/* Tests the rows for a set of terms, and then for what is asked of rows that have all that is
 * required. */
static void match_terms(sett_batch* batch, uint32_t terms)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    uint64_t* words = loop->words;
    for (uint32_t rest = terms; rest != 0; rest &= rest - 1) {
        const setti_term* term = &query->term[setti_bits_lowest(rest)];
        match_term(batch, term, term->kind == SETT_WITH, words, loop->word_count);
    }
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        if (query->hidden[k].type->storage.count != 0) {
            match_term(batch, &query->hidden[k], false, words, loop->word_count);
        }
    }
    if (query->any != 0) {
        match_any(batch, words, loop->word_count);
    }
    for (uint32_t rest = query->changed; rest != 0; rest &= rest - 1) {
        match_changed(batch, &query->term[setti_bits_lowest(rest)].type->storage, words,
                      loop->word_count);
    }
    loop->some = match_some(words, loop->word_count);
}

/* Which of up to `rows` entities from `base` on are alive. */
static void match_alive(const setti_entity_table* table, uint32_t base, uint32_t rows,
                        uint64_t* words)
{
    const setti_entity_page* page = setti_entity_page_of(table, base);
    for (uint32_t row = 0; row < rows; row += 64) {
        uint64_t word = 0;
        for (uint32_t k = 0; page != NULL && k < 64; k++) {
            uint32_t generation = page->generation[(base & SETTI_ENTITY_MASK) + row + k];
            word |= (uint64_t)((generation & SETTI_DEAD) == 0) << k;
        }
        words[row / 64] = word;
    }
}

/* All ones if the first `rows` bits are set. Looks at all of them: no branch, and vector code. */
SETTI_INLINE uint64_t match_full(const uint64_t* words, uint32_t rows)
{
    uint64_t all = UINT64_MAX;
    for (uint32_t at = 0; at < rows / 64; at++) {
        all &= words[at];
    }
    return rows % 64 != 0 ? all & (words[rows / 64] | ~setti_bits_below(rows % 64)) : all;
}

/* The occupancy words at `base` of all required arrays. Returns NULL, or the first without
 * any. */
SETTI_INLINE const setti_storage* match_words_at(const sett_query* query, uint32_t base,
                                                 const uint64_t** bits)
{
    for (uint32_t k = 0; k < query->array_count; k++) {
        bits[k] = setti_storage_word(query->array[k], base);
        if (bits[k] == NULL) {
            return query->array[k];
        }
    }
    return NULL;
}

/* Whether no entity of the step is hidden: mostly so, for who is hidden are few, in few places. */
static bool match_shows(const sett_query* query, uint32_t base, uint32_t word_count)
{
    uint64_t hidden = 0;
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        const setti_storage* storage = &query->hidden[k].type->storage;
        const uint64_t* words =
            storage->kind != SETTI_SPARSE ? setti_storage_word(storage, base) : NULL;
        hidden |= storage->kind == SETTI_SPARSE ? storage->count : 0;
        for (uint32_t at = 0; words != NULL && at < word_count; at++) {
            hidden |= words[at];
        }
    }
    return hidden == 0;
}

/* From where on the next match may lie: where every array has a page. Called when a step had
 * nothing, so that dense loops do not pay for it. */
SETTI_APART static uint32_t match_seek(const sett_query* query, uint32_t from)
{
    uint32_t to = from;
    for (uint32_t k = 0; k < query->array_count && to != SETTI_NONE; k++) {
        to = setti_array_seek(query->array[k], to);
    }
    return to;
}

/* The next step over pages. */
static step_result step_pages(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    const uint64_t* bits[SETT_QUERY_TERMS + 1];
    while (loop->cursor < loop->limit) {
        uint32_t base = loop->cursor;
        uint32_t rows = SETTI_MIN(loop->unit, loop->limit - base);
        uint32_t word_count = (rows + 63) / 64;
        loop->unit_base = base;
        loop->cursor = base + loop->unit;
        if (match_words_at(query, base, bits) != NULL) { /* nobody in all of its page */
            loop->cursor = match_seek(query, base) & ~(loop->unit - 1);
            continue;
        }
        bool plain = loop->plain || (query->plain && match_shows(query, base, word_count));
        if (query->array_count == 0) {
            match_alive(&query->world->entities, base, rows, loop->words);
            loop->some = match_some(loop->words, word_count);
        } else {
            loop->some = match_matrices(bits, query->array_count, loop->words, word_count);
            if (plain && loop->words[0] == UINT64_MAX &&
                match_full(loop->words, rows) == UINT64_MAX) {
                batch->count = rows;
                loop->some = 0;
                return STEP_DENSE;
            }
        }
        loop->word_count = word_count;
        if (loop->some != 0 && !plain) {
            match_terms(batch, query->filter);
        }
        if (loop->some != 0) {
            return STEP_WORDS;
        }
        if (loop->cursor < loop->limit) {
            loop->cursor = match_seek(query, loop->cursor) & ~(loop->unit - 1);
        }
    }
    return STEP_END;
}

/* The next step over the rows of a sparse-set driver. */
static step_result step_sparse(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    const setti_storage* driver = &query->term[loop->driver].type->storage;
    while (loop->cursor < loop->limit) {
        uint32_t base = loop->cursor;
        uint32_t rows = SETTI_MIN(loop->unit, loop->limit - base);
        uint32_t word_count = (rows + 63) / 64;
        loop->unit_base = base;
        loop->cursor = base + rows;
        loop->step_indices = setti_storage_index(driver, base);
        if (loop->plain && driver->extent == driver->count) {
            batch->count = rows;
            return STEP_DENSE;
        }
        for (uint32_t at = 0; at < word_count; at++) {
            loop->words[at] = setti_bits_below(rows - at * 64);
        }
        if (driver->extent != driver->count) {
            for (uint32_t row = 0; row < rows; row++) {
                bool gap = loop->step_indices[row] == SETTI_NONE;
                loop->words[row / 64] &= ~((uint64_t)gap << (row % 64));
            }
        }
        loop->word_count = word_count;
        match_terms(batch, loop->residual);
        if (loop->some != 0) {
            return STEP_WORDS;
        }
    }
    return STEP_END;
}

static step_result step_next(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    return loop->driver == SETT_QUERY_TERMS ? step_pages(batch) : step_sparse(batch);
}

/* ---------------------------------------------------------------------------------- handing out */

/* The length of the run that starts at the lowest bit, whose row becomes *first. */
static uint32_t run_length(const uint64_t* words, uint32_t word_count, uint32_t some,
                           uint32_t* first)
{
    uint32_t at = setti_bits_lowest(some);
    uint32_t low = setti_bits_lowest(words[at]);
    *first = at * 64 + low;
    uint64_t holes = ~(words[at] >> low) & setti_bits_below(64 - low);
    if (holes != 0) {
        return setti_bits_lowest(holes);
    }
    uint32_t length = 64 - low;
    while (++at < word_count && words[at] == UINT64_MAX) {
        length += 64;
    }
    return at < word_count && words[at] != 0 ? length + setti_bits_lowest(~words[at]) : length;
}

/* Whether no bit is set behind the run. */
static bool run_is_all(const uint64_t* words, uint32_t some, uint32_t end)
{
    uint32_t last = (end - 1) / 64;
    return some >> last == 1 && (words[last] & ~setti_bits_below(end - last * 64)) == 0;
}

/* By byte: the numbers of its bits, ascending. Built from the highest bit down: with bit k, the
 * numbers above it move up by one place, and k goes in front. */
#define LIST_BITS(p)                                                                               \
    {                                                                                              \
        (p) & 255, (p) >> 8 & 255, (p) >> 16 & 255, (p) >> 24 & 255, (p) >> 32 & 255,              \
            (p) >> 40 & 255, (p) >> 48 & 255, (p) >> 56                                            \
    }
#define LIST_0(p) LIST_BITS(p), LIST_BITS((p) << 8)
#define LIST_1(p) LIST_0(p), LIST_0((p) << 8 | 1)
#define LIST_2(p) LIST_1(p), LIST_1((p) << 8 | 2)
#define LIST_3(p) LIST_2(p), LIST_2((p) << 8 | 3)
#define LIST_4(p) LIST_3(p), LIST_3((p) << 8 | 4)
#define LIST_5(p) LIST_4(p), LIST_4((p) << 8 | 5)
#define LIST_6(p) LIST_5(p), LIST_5((p) << 8 | 6)
static const uint8_t list_of_byte[256][8] = {LIST_6((uint64_t)0), LIST_6((uint64_t)7)};

/* Writes the row numbers of a word's bits, eight at a time without asking how many there are: byte
 * by byte, each to where the bits below it end. */
SETTI_INLINE void list_word(uint64_t word, uint32_t base, uint64_t starts, uint16_t* out)
{
    for (uint32_t byte = 0; byte < 8; byte++) {
        uint8_t bits[8]; /* a copy that nothing aliases: the loop becomes two instructions */
        uint16_t* to = out + (starts >> (8 * byte) & 255);
        memcpy(bits, list_of_byte[word >> (8 * byte) & 255], 8);
        for (uint32_t k = 0; k < 8; k++) {
            to[k] = (uint16_t)(base + 8 * byte + bits[k]);
        }
    }
}

/* Writes the row numbers of all bits. The excess is overwritten by the next word's, or lies in the
 * room that the list has for it. A branch for every bit, or every word, costs a misprediction each:
 * at 1 % that was 8 of 17 ns a match. */
static uint32_t list_rows(const uint64_t* words, uint32_t some, uint16_t* list)
{
    uint32_t count = 0;
    for (; some != 0; some &= some - 1) {
        uint32_t at = setti_bits_lowest(some);
        uint64_t word = words[at];
        uint64_t ends = setti_bits_sums(word);
        uint16_t* out = list + count;
        count += (uint32_t)(ends >> 56);
        if (ends >> 56 > 4) {
            list_word(word, at * 64, ends << 8, out);
            continue;
        }
        for (uint32_t k = 0; k < 4; k++) {
            out[k] = (uint16_t)(at * 64 + setti_bits_lowest(word | (uint64_t)1 << 63));
            word &= word - 1;
        }
    }
    return count;
}

static void words_clear_run(uint64_t* words, uint32_t first, uint32_t end)
{
    while (first < end) {
        uint32_t until = SETTI_MIN(end, (first | 63) + 1);
        words[first / 64] &= ~(setti_bits_below(until - first) << (first % 64));
        first = until;
    }
}

/* Keeps of `taken` the rows with the same optional types as the first; these become `present`. */
static void take_alike(sett_batch* batch, uint64_t* taken)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    uint32_t at = setti_bits_lowest(loop->some);
    uint32_t index = match_index(batch, at * 64 + setti_bits_lowest(taken[at]));
    for (uint32_t rest = query->optional; rest != 0; rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        const setti_term* term = &query->term[k];
        bool has = setti_storage_has(&term->type->storage, index);
        batch->present |= (uint32_t)has << k;
        match_term(batch, term, has, taken, loop->word_count);
    }
}

/* Chooses the rows of the next batch from what waits. Returns the row of the step that becomes row
 * 0. */
static uint32_t choose_rows(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    uint64_t alike[WORDS];
    uint64_t* taken = loop->words;
    uint32_t word_count = loop->word_count;
    uint32_t some = loop->some;
    if (loop->query->optional != 0) {
        taken = alike;
        memcpy(alike, loop->words, word_count * sizeof(uint64_t));
        take_alike(batch, alike);
        some = match_some(alike, word_count);
    }
    uint32_t first;
    uint32_t length = run_length(taken, word_count, some, &first);
    if (length >= RUN_WORTH || run_is_all(taken, some, first + length)) {
        batch->rows = NULL;
        batch->count = length;
        words_clear_run(loop->words, first, first + length);
        loop->some = match_some(loop->words, word_count);
        return first;
    }
    batch->rows = loop->list;
    batch->count = list_rows(taken, some, loop->list);
    loop->some = 0;
    if (taken == alike) {
        for (uint32_t at = 0; at < word_count; at++) {
            loop->words[at] &= ~alike[at];
        }
        loop->some = match_some(loop->words, word_count);
    }
    return 0;
}

/* --------------------------------------------------------------------------------------- fields */

/* Marks single rows as written, for types that asked for it. */
SETTI_COLD static void field_track(const sett_batch* batch, const setti_storage* storage,
                                   uint32_t base)
{
    setti_loop* loop = setti_loop_of(batch);
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t row = batch_row(batch->rows, k);
        *setti_storage_tick(storage, base + row) = loop->query->world->pool.tick;
    }
}

/* The field of a term whose rows lie as the batch's do; row 0 is at `base`. */
SETTI_INLINE void* field_in_place(const sett_batch* batch, const setti_term* term, uint32_t base)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    uint32_t number = base >> storage->shift;
    uint32_t row = base & (setti_storage_rows(storage) - 1);
    if (term->access != SETT_IN) {
        setti_pages_write(&loop->query->world->pool, &storage->rows, number);
        if (SETTI_UNLIKELY(storage->tracked)) {
            field_track(batch, storage, base);
        }
    }
    return (unsigned char*)storage->rows.data[number] + (size_t)row * storage->size;
}

/* The fields of a batch whose row 0 is at `base`: an index over pages, a row of the driver. */
static void set_fields(sett_batch* batch, uint32_t base)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    for (uint32_t k = 0; k < batch->field_count; k++) {
        const setti_term* term = &query->term[k];
        if (!term->has_field || (batch->present >> k & 1) == 0) {
            batch->fields[k] = NULL;
        } else if ((loop->in_place >> k & 1) == 0) {
            batch->fields[k] = gather_field(batch, term, (loop->nested >> k & 1) != 0);
        } else {
            batch->fields[k] = field_in_place(batch, term, base);
        }
    }
}

/* ------------------------------------------------------------------------------------- the loop */

SETTI_INLINE void batch_reset(sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    loop->query = query;
    batch->count = 0;
    batch->field_count = query->term_count;
    batch->checked_.terms[0] = 0;
    batch->checked_.terms[1] = 0;
    batch->rows = NULL;
    batch->indices = NULL;
    loop->step_indices = NULL;
    loop->scratch = NULL;
    loop->scratch_row = 0;
    loop->nested = 0;
    loop->direct = false;
    loop->cursor = 0;
    loop->some = 0;
}

/* Over pages, as most loops go. */
SETTI_INLINE void batch_start_pages(const sett_query* query, sett_batch* batch, uint32_t limit)
{
    setti_loop* loop = setti_loop_of(batch);
    loop->driver = SETT_QUERY_TERMS;
    loop->in_place = query->positional;
    loop->unit = query->array_rows;
    loop->plain = query->plain;
    loop->fast = query->direct;
    loop->limit = limit;
}

static void batch_start_any(sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_plan plan;
    setti_plan_make(query, &plan);
    if (plan.driver == SETT_QUERY_TERMS) {
        batch_start_pages(query, batch, plan.limit);
        if (setti_plan_hides(query)) {
            loop->plain = false;
            loop->fast = false;
        }
        return;
    }
    loop->driver = plan.driver;
    loop->in_place = plan.in_place;
    loop->residual = plan.residual;
    loop->limit = plan.limit;
    loop->fast = false;
    loop->plain =
        (query->optional | query->changed | plan.residual) == 0 && !setti_plan_hides(query);
    loop->unit = SETT_BATCH_ROWS;
    for (uint32_t rest = plan.in_place; rest != 0; rest &= rest - 1) {
        const setti_storage* storage = &query->term[setti_bits_lowest(rest)].type->storage;
        loop->unit = SETTI_MIN(loop->unit, setti_storage_rows(storage));
    }
}

SETTI_INLINE void batch_start(sett_query* query, sett_batch* batch)
{
    if (SETTI_UNLIKELY(query->version != query->world->listener_version)) {
        setti_plan_update(query);
    }
    batch_reset(query, batch);
    if (SETTI_LIKELY(query->simple)) {
        batch_start_pages(query, batch, setti_plan_limit(query));
    } else {
        batch_start_any(query, batch);
    }
}

/* Whether a field's values lie in another order than the batch's rows. */
static bool batch_gathers(const sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    if (loop->driver == SETT_QUERY_TERMS && loop->nested == 0) {
        return query->gathers;
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].has_field && (loop->in_place >> k & 1) == 0) {
            return true;
        }
    }
    return false;
}

/* A loop within one that works on copies of some values works on copies of these too: they are read
 * from its copies and written back to them. */
SETTI_COLD static void batch_nest(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].has_field && query->term[k].type->storage.gather != NULL) {
            loop->nested |= (uint32_t)1 << k;
        }
    }
    loop->in_place &= ~loop->nested;
    loop->fast = loop->fast && loop->nested == 0;
}

/* Begins to gather into a scratch: from now on access by handle to what the loop writes is led to
 * its copies, when there are some. */
static void batch_open_scratch(sett_batch* batch, setti_gather_scratch* scratch,
                               setti_gather_scratch** list)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    setti_gather_open(scratch, list);
    scratch->size = query->scratch_size;
    scratch->align = query->scratch_align;
    scratch->driver =
        loop->driver != SETT_QUERY_TERMS ? &query->term[loop->driver].type->storage : NULL;
    loop->scratch = scratch;
    loop->unit = SETTI_MIN(loop->unit, SETTI_GATHER_ROWS);
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (term->has_field && term->access != SETT_IN && (loop->in_place >> k & 1) == 0) {
            setti_gather_add(scratch, &term->type->storage, gather_values(batch, term));
        }
    }
}

/* In a system a loop has to be one of the context's: this one writes to the world. */
SETTI_COLD static sett_batch* batch_reject(const sett_query* query)
{
    setti_world_fail_with(
        query->world, SETT_STATUS_LOCKED,
        "sett_query_begin: \"%.100s\": system \"%.200s\" runs; open the loop with "
        "sett_context_query, or declare the system as `exclusive`",
        query->open.name, query->world->running);
    return NULL;
}

sett_batch* sett_query_begin(sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (SETTI_UNLIKELY(query == NULL)) {
        return NULL;
    }
    sett_world* world = query->world;
    setti_world_check_owner(world, "sett_query_begin");
    if (SETTI_UNLIKELY(world->running != NULL)) {
        return batch_reject(query);
    }
    batch_start(query, batch);
    loop->open = &query->open;
    loop->closed = query->open.closed;
    if (SETTI_UNLIKELY(world->gathering != 0)) {
        batch_nest(batch);
    }
    if (!loop->fast && batch_gathers(batch)) {
        setti_gather_scratch* scratch =
            setti_pool_alloc(&world->pool, query->scratch_size, query->scratch_align);
        if (scratch == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, "sett_query_begin", sett_null(), 0);
            return NULL;
        }
        batch_open_scratch(batch, scratch, &query->open.scratches);
        world->gathering++;
    }
    setti_world_open_loop(world, &query->open);
    query->open.frame = NULL;
    if (SETTI_UNLIKELY(world->counting)) {
        query->use[SETTI_PROFILED].loops++;
        query->use[SETTI_SAMPLED].loops++;
        loop->fast = loop->fast && !world->profiling;
    }
    return batch;
}

sett_batch* sett_query_begin_local(sett_query* query, sett_batch* batch)
{
    const void* first = query != NULL ? query->open.frame : NULL;
    sett_batch* opened = sett_query_begin(query, batch);
    if (opened != NULL) {
        query->open.frame = query->open.count == 1 ? opened : first;
    }
    return opened;
}

static void survey_mark(setti_survey* survey, uint32_t chunk)
{
    survey->bits[chunk / 64] |= (uint64_t)1 << (chunk % 64);
    survey->filled++;
}

/* Over pages: the first match of a chunk marks it, and the next chunk is looked at. */
static void survey_pages(const sett_query* query, uint32_t limit, setti_survey* survey)
{
    const uint64_t* bits[SETT_QUERY_TERMS + 1];
    for (uint32_t row = 0; row < limit;) {
        uint32_t page_end = SETTI_MIN(limit, (row | (SETTI_BITS_ROWS - 1)) + 1);
        if (match_words_at(query, row, bits) != NULL) {
            row = match_seek(query, row);
            continue;
        }
        uint32_t first = row;
        for (; row < page_end; row += 64) {
            uint64_t word = bits[0][(row - first) / 64];
            for (uint32_t k = 1; k < query->array_count; k++) {
                word &= bits[k][(row - first) / 64];
            }
            if (word != 0) {
                survey_mark(survey, row / survey->rows);
                row = (row / survey->rows + 1) * survey->rows;
                break;
            }
        }
    }
}

void setti_query_survey(sett_query* query, setti_survey* survey)
{
    sett_batch batch;
    batch_start(query, &batch);
    setti_loop* loop = setti_loop_of(&batch);
    memset(survey, 0, sizeof(*survey));
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        survey->scatters |=
            term->has_field && term->access != SETT_IN && (loop->in_place >> k & 1) == 0;
    }
    bool pages = loop->driver == SETT_QUERY_TERMS && query->array_count != 0;
    for (uint32_t k = 0; pages && k < query->array_count; k++) { /* whatever came and went */
        loop->limit = SETTI_MIN(loop->limit, setti_array_end(query->array[k]));
    }
    uint32_t units = loop->limit / SETT_BATCH_ROWS + (loop->limit % SETT_BATCH_ROWS != 0);
    uint32_t size = SETTI_MAX((units + SETTI_SURVEY_CHUNKS - 1) / SETTI_SURVEY_CHUNKS, 1);
    survey->rows = size * SETT_BATCH_ROWS;
    survey->count = units / size + (units % size != 0);
    if (pages && units > 1) {
        survey_pages(query, loop->limit, survey);
        return;
    }
    for (uint32_t k = 0; k < survey->count; k++) {
        survey_mark(survey, k); /* rows without gaps, or nearly; or too few to look at */
    }
}

sett_batch* setti_query_begin_side(sett_query* query, sett_batch* batch, setti_side* side,
                                   uint32_t from, uint32_t to)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_world* world = query->world;
    batch_start(query, batch);
    loop->open = &side->none;
    loop->closed = side->none.closed;
    if (SETTI_UNLIKELY(side->open != 0)) {
        batch_nest(batch);
    }
    loop->cursor = from;
    loop->limit = SETTI_MIN(loop->limit, to);
    if (!loop->fast && batch_gathers(batch)) {
        setti_gather_scratch* scratch =
            setti_arena_alloc(&side->scratch, query->scratch_size, query->scratch_align);
        if (scratch == NULL) {
            side->failed = true;
            return NULL;
        }
        batch_open_scratch(batch, scratch, &side->none.scratches);
        side->open++;
    }
    if (SETTI_UNLIKELY(world->profiling)) { /* then there is one thread */
        query->use[SETTI_PROFILED].loops += from == 0;
        loop->fast = false;
    }
    return batch;
}

void setti_query_close_side(setti_side* side)
{
    while (side->none.scratches != NULL) {
        setti_gather_close(side->none.scratches);
    }
    side->none.closed++;
    side->open = 0;
}

/* The scratch of a loop that gathers; NULL if it does not, or if it was closed from outside, by
 * which its scratch was freed. */
static setti_gather_scratch* batch_scratch(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (SETTI_UNLIKELY(loop->closed != ((const setti_open_loop*)loop->open)->closed)) {
        loop->scratch = NULL;
        sett_batch_stop(batch);
    }
    return loop->scratch;
}

/* Which rows of the step are in the batch, for access by handle. */
static void scratch_note_rows(const sett_batch* batch, uint32_t first)
{
    const setti_loop* loop = setti_loop_of(batch);
    uint64_t* rows = loop->scratch->rows;
    loop->scratch->base = loop->unit_base;
    if (batch->rows == NULL) {
        for (uint32_t at = 0; at < SETTI_GATHER_ROWS / 64; at++) {
            uint32_t begin = SETTI_MAX(first, at * 64) - at * 64;
            uint32_t end = SETTI_MAX(first + batch->count, at * 64) - at * 64;
            rows[at] = setti_bits_below(end) & ~setti_bits_below(begin);
        }
    } else if (loop->query->optional == 0) { /* all that matched in the step */
        memcpy(rows, loop->words, loop->word_count * sizeof(uint64_t));
    } else {
        for (uint32_t k = 0; k < batch->count; k++) {
            rows[batch->rows[k] / 64] |= (uint64_t)1 << (batch->rows[k] % 64);
        }
    }
}

static void set_generations(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_entity_page* page =
        setti_entity_page_of(&loop->query->world->entities, batch->base);
    batch->generations = page->generation + (batch->base & SETTI_ENTITY_MASK);
}

SETTI_APART static bool batch_next_any(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (loop->scratch != NULL && batch_scratch(batch) != NULL && batch->count != 0) {
        gather_scatter(batch);
        memset(loop->scratch->rows, 0, sizeof(loop->scratch->rows));
    }
    batch->count = 0;
    batch->rows = NULL;
    batch->present = loop->query->required;
    step_result step = loop->some != 0 ? STEP_WORDS : step_next(batch);
    if (step == STEP_END) {
        return false;
    }
    uint32_t first = step == STEP_WORDS ? choose_rows(batch) : 0;
    loop->fast = loop->fast || (step == STEP_DENSE && loop->direct);
    loop->scratch_row = first;
    if (loop->driver != SETT_QUERY_TERMS) {
        batch->indices = loop->step_indices + first;
    } else {
        batch->base = loop->unit_base + first;
        set_generations(batch);
    }
    set_fields(batch, loop->unit_base + first);
    if (loop->scratch != NULL && loop->scratch->count != 0) {
        scratch_note_rows(batch, first);
    }
    if (SETTI_UNLIKELY(loop->query->world->profiling)) {
        loop->query->use[SETTI_PROFILED].matched += batch->count;
    }
    return true;
}

/* Whether all arrays have everybody from `base` on. */
SETTI_INLINE bool step_is_dense(const sett_query* query, uint32_t base, uint32_t rows)
{
    uint64_t all = UINT64_MAX;
    for (uint32_t k = 0; k < query->array_count; k++) {
        const uint64_t* words = setti_storage_word(query->array[k], base);
        all &= words != NULL ? match_full(words, rows) : 0;
    }
    return all == UINT64_MAX;
}

/* A step over plain pages: handed out as it is if every row matches. */
SETTI_APART static bool batch_next_plain(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    uint32_t base = loop->cursor;
    uint32_t rows = SETTI_MIN(loop->unit, loop->limit - base);
    if (!step_is_dense(query, base, rows)) {
        loop->fast = false; /* until a step is dense again: where one is not, few are */
        loop->direct = true;
        return batch_next_any(batch);
    }
    loop->cursor = base + loop->unit;
    batch->base = base;
    batch->count = rows;
    batch->rows = NULL;
    batch->present = query->required;
    set_generations(batch);
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        batch->fields[k] = term->has_field ? field_in_place(batch, term, base) : NULL;
    }
    return true;
}

/* With 16 entities a loop is all overhead: plain pages have a way of their own, on which nothing is
 * done that they do not need, and whose end is found without saving a register. */
bool sett_batch_next(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (!loop->fast || loop->some != 0) {
        return batch_next_any(batch);
    }
    if (loop->cursor >= loop->limit) {
        batch->count = 0;
        return false;
    }
    return batch_next_plain(batch);
}

/* Writes the last gathered values back, and frees the scratch. */
static void batch_end_scratch(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_gather_scratch* scratch = batch_scratch(batch);
    sett_query* query = loop->query;
    if (scratch == NULL) {
        return;
    }
    gather_scatter(batch);
    setti_gather_close(scratch);
    if (loop->open == &query->open) {
        query->world->gathering--;
        setti_pool_free(&query->world->pool, scratch, scratch->size, scratch->align);
    } else {
        setti_side* side = loop->open;
        side->open--;
        setti_arena_pop(&side->scratch, scratch, query->scratch_size);
    }
    loop->scratch = NULL;
}

void sett_batch_end(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_open_loop* open = loop->open;
    if (SETTI_UNLIKELY(open == NULL)) {
        return; /* it was ended by hand, and then left */
    }
    if (SETTI_UNLIKELY(loop->scratch != NULL)) {
        batch_end_scratch(batch);
    }
    batch->count = 0;
    loop->open = NULL;
    setti_world_close_loop(loop->query->world, open);
}

void sett_batch_stop(const sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    loop->cursor = loop->limit;
    loop->some = 0;
}

uint32_t sett_query_count(sett_query* query)
{
    if (SETTI_IS_NULL(query)) {
        return 0;
    }
    sett_batch batch;
    uint32_t count = 0;
    batch_start(query, &batch);
    const setti_loop* loop = setti_loop_of(&batch);
    if (loop->plain && loop->driver == SETT_QUERY_TERMS && query->array_count == 1) {
        return query->array[0]->count; /* one type, or a tracked set that covers all */
    }
    for (step_result step; (step = step_next(&batch)) != STEP_END;) {
        if (step == STEP_DENSE) {
            count += batch.count;
            continue;
        }
        for (uint32_t at = 0; at < loop->word_count; at++) {
            count += setti_bits_count(loop->words[at]);
        }
    }
    return count;
}

sett_entity sett_query_first(sett_query* query)
{
    if (SETTI_IS_NULL(query)) {
        return sett_null();
    }
    sett_batch batch;
    uint32_t row = 0;
    batch_start(query, &batch);
    const setti_loop* loop = setti_loop_of(&batch);
    step_result step = step_next(&batch);
    if (step == STEP_END) {
        return sett_null();
    }
    if (step == STEP_WORDS) {
        uint32_t at = setti_bits_lowest(loop->some);
        row = at * 64 + setti_bits_lowest(loop->words[at]);
    }
    return setti_entity_at(&query->world->entities, match_index(&batch, row));
}

bool sett_query_matches(const sett_query* query, sett_entity entity)
{
    if (SETTI_IS_NULL(query)) {
        return false;
    }
    bool any = query->any == 0;
    if (!sett_entity_valid(query->world, entity)) {
        return false;
    }
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        if (setti_storage_has(&query->hidden[k].type->storage, entity.index)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        const setti_storage* storage = &term->type->storage;
        bool has = setti_storage_has(storage, entity.index);
        any = any || (term->kind == SETT_ANY && has);
        if ((term->kind == SETT_WITH && !has) || (term->kind == SETT_WITHOUT && has) ||
            ((query->changed >> k & 1) != 0 && !match_is_new(query, storage, entity.index))) {
            return false;
        }
    }
    return any;
}

sett_entity sett_batch_entity_lookup(const sett_batch* batch, uint32_t row)
{
    setti_loop* loop = setti_loop_of(batch);
    return setti_entity_at(&loop->query->world->entities, batch->indices[row]);
}

SETTI_COLD static void batch_no_term(const sett_query* query, uint32_t k)
{
#if !defined(NDEBUG)
    setti_world_misuse_with(query->world, SETT_STATUS_ARGUMENT,
                            "sett_batch_at: term %u of query \"%.100s\": it has %u terms, counted "
                            "from 0",
                            (unsigned)k, query->open.name, (unsigned)query->term_count);
#else
    (void)query;
    (void)k;
#endif
}

const void* sett_batch_at(const sett_batch* batch, uint32_t k, uint32_t row)
{
    setti_loop* loop = setti_loop_of(batch);
    if (SETTI_UNLIKELY(k >= batch->field_count)) {
        batch_no_term(loop->query, k);
        return NULL;
    }
    return setti_storage_find(&loop->query->term[k].type->storage, sett_batch_index(batch, row));
}
