/* match.c: finds the matching rows of a step.
 *
 * In a loop over pages, a step has the rows of one page of each term. Occupancy words are
 * intersected, 64 entities in each operation. In a loop over the rows of a sparse set (the driver),
 * a step is a page of the driver. Each entity is looked up in the other storages, except in aligned
 * storages (step_align). If a loop gathers, its steps have at most SETTI_GATHER_ROWS rows.
 *
 * Invariant:  `words` are the matching rows of the step at step_base; bit k of `waiting` is
 *             words[k] != 0
 */
#include "query/steps.h"

/* Where to look up whether an entity has a value. */
typedef enum match_lookup {
    MATCH_BITS,  /* in the occupancy words of an array or tag */
    MATCH_PAGED, /* in the paged index of a sparse set */
    MATCH_HASHED /* in the hashed index of a small sparse set */
} match_lookup;

/* Tests a term row by row, as setti_match_term does. If values of the term are gathered, stores
 * their places. */
SETTI_INLINE void match_each_in(sett_batch* batch, const setti_term* term, match_lookup lookup,
                                bool wanted, uint64_t* words, uint32_t word_count)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(word_count <= SETTI_STEP_WORD_COUNT);
    /* a local copy: compilers know that stores to `sources` do not change it */
    setti_storage storage = {0};
    storage.presence = term->type->storage.presence;
    const uint32_t* indices = loop->step_indices;
    uint32_t base = loop->step_base;
    bool gathers = loop->scratch != NULL && term->has_field;
    setti_source* sources = gathers ? setti_field_sources(batch, term) : NULL;
    for (uint32_t word = 0; word < word_count; word++) {
        uint64_t present = 0;
        for (uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
            uint32_t bit = setti_bits_lowest(rest);
            uint32_t row = word * 64 + bit;
            uint32_t index = indices != NULL ? indices[row] : base + row;
            /* For MATCH_BITS the place is the index or SETTI_NONE: a bit minus 1 is 0 or all ones.
             * A branch instead would cost 12 ns a row if half of the rows match. */
            uint32_t place;
            if (lookup == MATCH_HASHED) {
                place = setti_index_row(&term->type->storage, index);
            } else if (lookup == MATCH_PAGED) {
                place = setti_sparse_paged_row(&storage.presence, index);
            } else {
                place = index | (setti_bitmap_bit(&storage, index) - 1);
            }
            present |= (uint64_t)(place != SETTI_NONE) << bit;
            if (gathers) {
                sources[row].place = place;
            }
        }
        words[word] &= wanted ? present : ~present;
    }
}

/* Tests a term row by row, as setti_match_term does. Switched-off components count as present. */
static void match_each(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                       uint32_t word_count)
{
    const setti_storage* storage = &term->type->storage;
    /* the constants make compilers write a loop for each way to look up */
    if (storage->kind != SETTI_SPARSE) {
        match_each_in(batch, term, MATCH_BITS, wanted, words, word_count);
    } else if (storage->hashed == 0) {
        match_each_in(batch, term, MATCH_PAGED, wanted, words, word_count);
    } else {
        match_each_in(batch, term, MATCH_HASHED, wanted, words, word_count);
    }
}

/* Tests a term, as setti_match_term does. But switched-off components count as present. */
static void match_storage(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                          uint32_t word_count)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_storage* storage = &term->type->storage;
    if (storage->kind == SETTI_SPARSE || loop->step_indices != NULL) {
        match_each(batch, term, wanted, words, word_count);
        return;
    }
    SETTI_ASSERT(loop->step_base % 64 == 0);
    const uint64_t* bits = setti_storage_word(storage, loop->step_base);
    uint64_t flip = wanted ? 0 : UINT64_MAX; /* inverts words if the type must be absent */
    for (uint32_t word = 0; word < word_count; word++) {
        uint64_t present = bits != NULL ? bits[word] : 0;
        words[word] &= present ^ flip;
    }
}

/* Tests a term. Switched-off components count as absent. */
void setti_match_term(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                      uint32_t word_count)
{
    /* the tag of switched-off components; for a SETT_WITH term the tag is in query->hidden */
    setti_type* off = term->type->off;
    if (SETTI_LIKELY(off == NULL || term->kind == SETT_WITH || off->storage.count == 0)) {
        match_storage(batch, term, wanted, words, word_count);
        return;
    }
    const setti_term tag = {.type = off, .kind = SETT_WITHOUT, .access = SETT_NONE};
    SETTI_ASSERT(off->storage.size == 0 && word_count <= SETTI_STEP_WORD_COUNT);
    uint64_t present[SETTI_STEP_WORD_COUNT]; /* becomes the rows with the component switched on */
    memcpy(present, words, word_count * sizeof(uint64_t));
    /* keeps the rows that have the component, then drops those that have the tag */
    match_storage(batch, term, SETTI_HAS_TYPE, present, word_count);
    match_storage(batch, &tag, SETTI_LACKS_TYPE, present, word_count);
    for (uint32_t word = 0; word < word_count; word++) {
        uint64_t absent = words[word] & ~present[word];
        words[word] = wanted ? present[word] : absent;
    }
}

/* Removes the rows whose entity has none of the types of the SETT_ANY terms. */
static void match_any(sett_batch* batch, uint64_t* words, uint32_t word_count)
{
    setti_loop* loop = setti_loop_of(batch);
    uint64_t with_any[SETTI_STEP_WORD_COUNT] = {0}; /* rows that have one of the types */
    SETTI_EACH_TERM(k, loop->query->any) {
        uint64_t having[SETTI_STEP_WORD_COUNT]; /* rows that have the type of the term */
        memcpy(having, words, word_count * sizeof(uint64_t));
        setti_match_term(batch, &loop->query->term[k], SETTI_HAS_TYPE, having, word_count);
        for (uint32_t word = 0; word < word_count; word++) {
            with_any[word] |= having[word];
        }
    }
    memcpy(words, with_any, word_count * sizeof(uint64_t));
}

bool setti_match_is_new(const sett_query* query, const setti_storage* storage, uint32_t index)
{
    const setti_pool* pool = &query->world->pool;
    SETTI_ASSERT(setti_storage_has(storage, index));
    /* with since_is_state, a restored value is not new, but a cloned value is new */
    uint64_t replaced = query->since_is_state ? pool->cloned : pool->restored;
    if (replaced > query->since) {
        return setti_storage_changed(storage, index) > query->since;
    }
    return setti_storage_written(storage, index) > query->since;
}

/* Removes each row whose value was not written after query->since. */
static void match_changed(const sett_batch* batch, const setti_storage* storage, uint64_t* words,
                          uint32_t word_count)
{
    for (uint32_t word = 0; word < word_count; word++) {
        for (uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
            uint32_t bit = setti_bits_lowest(rest);
            uint32_t index = setti_step_index(batch, word * 64 + bit);
            if (!setti_match_is_new(setti_loop_of(batch)->query, storage, index)) {
                words[word] &= ~((uint64_t)1 << bit);
            }
        }
    }
}

/* Sets `words` to the rows that all arrays have. Returns bit k for each word k that is not 0.
 *   bits   for each array, its words for the step
 *   count  number of arrays */
static uint32_t match_arrays(const uint64_t* const* bits, uint32_t count, uint64_t* words,
                             uint32_t word_count)
{
    SETTI_ASSERT(count != 0);
    const uint64_t* first = bits[0];
    const uint64_t* last = bits[count - 1]; /* the same array as `first` if there is only one */
    for (uint32_t word = 0; word < word_count; word++) {
        words[word] = first[word] & last[word];
    }
    for (uint32_t k = 1; k + 1 < count; k++) { /* the arrays between the first and the last */
        for (uint32_t word = 0; word < word_count; word++) {
            words[word] &= bits[k][word];
        }
    }
    return setti_words_nonzero(words, word_count);
}

/* Removes the rows of a step that do not match the query, or that a tag hides. Always tests the
 * terms with SETT_ANY, with sett_term.changed, and about other entities.
 *   terms  the other terms to test */
static void match_terms(sett_batch* batch, uint32_t terms)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    uint64_t* words = loop->words;
    SETTI_EACH_TERM(k, terms) {
        const setti_term* term = &query->term[k];
        setti_match_term(batch, term, term->kind == SETT_WITH, words, loop->word_count);
    }
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        if (query->hidden[k].type->storage.count != 0) {
            setti_match_term(batch, &query->hidden[k], SETTI_LACKS_TYPE, words, loop->word_count);
        }
    }
    if (query->any != 0) {
        match_any(batch, words, loop->word_count);
    }
    SETTI_EACH_TERM(k, query->changed) {
        match_changed(batch, &query->term[k].type->storage, words, loop->word_count);
    }
    if (query->elsewhere_count != 0) {
        setti_elsewhere_match(batch);
    }
    loop->waiting = setti_words_nonzero(words, loop->word_count);
}

/* Returns true only if no entity of a step is hidden. May return false although none is hidden,
 * because sparse sets are not searched. */
static bool match_hides_none(const sett_query* query, uint32_t base, uint32_t word_count)
{
    uint64_t hidden = 0;
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        const setti_storage* storage = &query->hidden[k].type->storage;
        if (storage->kind == SETTI_SPARSE) {
            hidden |= storage->count; /* an entity of the set may be in the step */
            continue;
        }
        const uint64_t* words = setti_storage_word(storage, base);
        /* without a page, no entity of the step has the tag */
        for (uint32_t word = 0; words != NULL && word < word_count; word++) {
            hidden |= words[word];
        }
    }
    return hidden == 0;
}

SETTI_APART uint32_t setti_match_seek(const sett_query* query, uint32_t index)
{
    for (uint32_t k = 0; k < query->array_count && index != SETTI_NONE; k++) {
        index = setti_array_seek(query->array[k], index);
    }
    return index;
}

/* Sets the words of a step to the living entities. Returns bit k for each word k that is not 0. */
SETTI_INLINE uint32_t match_alive(const sett_batch* batch, uint32_t rows)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_entity_table* entities = &loop->query->world->entities;
    for (uint32_t row = 0; row < rows; row += 64) {
        loop->words[row / 64] = setti_entity_alive(entities, loop->step_base + row);
    }
    return setti_words_nonzero(loop->words, (rows + 63) / 64);
}

/* Goes to the next step of a loop over pages. */
static setti_step step_pages(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->step_rows != 0 && loop->step_rows % 64 == 0);
    const sett_query* query = loop->query;
    const uint64_t* bits[SETT_QUERY_TERMS + 1];
    while (loop->cursor < loop->limit) {
        uint32_t base = loop->cursor;
        uint32_t rows = SETTI_MIN(loop->step_rows, loop->limit - base);
        uint32_t word_count = (rows + 63) / 64;
        SETTI_ASSERT(base % 64 == 0);
        loop->step_base = base;
        loop->cursor = base + loop->step_rows;
        if (setti_match_words_at(query, base, bits) != NULL) { /* not NULL: no row can match */
            /* an array has no page here: goes to the begin of the step that has the next pages */
            loop->cursor = setti_match_seek(query, base) & ~(loop->step_rows - 1);
            continue;
        }
        /* in this step, the arrays alone decide which rows match */
        bool plain = loop->plain || (query->plain && match_hides_none(query, base, word_count));
        if (query->array_count == 0) {
            loop->waiting = match_alive(batch, rows);
        } else {
            loop->waiting = match_arrays(bits, query->array_count, loop->words, word_count);
            if (plain && loop->words[0] == UINT64_MAX &&
                setti_words_full(loop->words, rows) == UINT64_MAX) {
                batch->count = rows;
                loop->waiting = 0;
                return SETTI_STEP_DENSE;
            }
        }
        loop->word_count = word_count;
        if (loop->waiting != 0 && !plain) {
            match_terms(batch, query->filter);
        }
        if (loop->waiting != 0) {
            return SETTI_STEP_WORDS;
        }
        if (loop->cursor < loop->limit) { /* no row matches: skips missing pages */
            loop->cursor = setti_match_seek(query, loop->cursor) & ~(loop->step_rows - 1);
        }
    }
    return SETTI_STEP_END;
}

/* Whether an array has all entities of a step, with their values side by side on one page.
 *   indices  the entity indices of the rows of the step */
static bool step_is_run(const setti_storage* storage, const uint32_t* indices, uint32_t rows)
{
    uint32_t first = indices[0];
    uint32_t end = first + rows;
    SETTI_ASSERT(storage->kind != SETTI_SPARSE && rows != 0);
    if (indices[rows - 1] != end - 1) { /* a quick test: finds most indices with gaps */
        return false;
    }
    if (first >> storage->shift != (end - 1) >> storage->shift) { /* two pages */
        return false;
    }
    for (uint32_t k = 0; k < rows; k++) {
        if (indices[k] != first + k) {
            return false;
        }
    }
    for (uint32_t index = first; index != end;) { /* in each round, the indices of one word */
        uint32_t count = SETTI_MIN(end - index, 64 - index % 64);
        const uint64_t* word = setti_storage_word(storage, index);
        uint64_t present = word != NULL ? *word >> (index % 64) : 0;
        if ((~present & setti_bits_below(count)) != 0) { /* the array lacks an entity */
            return false;
        }
        index += count;
    }
    return true;
}

/* Whether a storage has the entities of a step in the order of the step. */
static bool step_is_aligned(const sett_batch* batch, const setti_storage* storage, uint32_t rows)
{
    const setti_loop* loop = setti_loop_of(batch);
    uint32_t base = loop->step_base;
    if (storage->kind != SETTI_SPARSE) {
        return step_is_run(storage, loop->step_indices, rows);
    }
    uint32_t last = base + rows - 1;
    if (last >= storage->extent || base >> storage->shift != last >> storage->shift) {
        return false; /* the storage has too few rows, or has these rows on two pages */
    }
    size_t size = rows * sizeof(loop->step_indices[0]);
    return memcmp(setti_storage_index(storage, base), loop->step_indices, size) == 0;
}

/* Finds the terms whose values are in the order of this step. The loop reads these values in place.
 * A row read in place takes 0.5 ns, a gathered row 3.2 ns. */
static void step_align(sett_batch* batch, uint32_t rows)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    loop->in_place = loop->ordered;
    SETTI_EACH_TERM(k, loop->residual & query->required & ~loop->nested) {
        bool aligned = step_is_aligned(batch, &query->term[k].type->storage, rows);
        loop->in_place |= (uint32_t)aligned << k;
    }
}

/* Goes to the next step of a loop over the rows of a sparse set. */
static setti_step step_sparse(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    const setti_storage* driver = &query->term[loop->driver].type->storage;
    SETTI_ASSERT(driver->kind == SETTI_SPARSE && loop->limit <= driver->extent);
    while (loop->cursor < loop->limit) {
        uint32_t base = loop->cursor;
        uint32_t rows = SETTI_MIN(loop->step_rows, loop->limit - base);
        uint32_t word_count = (rows + 63) / 64;
        loop->step_base = base;
        loop->cursor = base + rows;
        loop->step_indices = setti_storage_index(driver, base);
        step_align(batch, rows);
        uint32_t residual = loop->residual & ~loop->in_place; /* aligned terms are true */
        if (loop->plain && residual == 0 && driver->extent == driver->count) {
            batch->count = rows;
            return SETTI_STEP_DENSE;
        }
        for (uint32_t word = 0; word < word_count; word++) {
            loop->words[word] = setti_bits_below(rows - word * 64); /* all rows of the step */
        }
        if (driver->extent != driver->count) { /* without the gaps of the driver */
            for (uint32_t row = 0; row < rows; row++) {
                bool gap = loop->step_indices[row] == SETTI_NONE;
                loop->words[row / 64] &= ~((uint64_t)gap << (row % 64));
            }
        }
        loop->word_count = word_count;
        match_terms(batch, residual);
        if (loop->waiting != 0) {
            return SETTI_STEP_WORDS;
        }
    }
    return SETTI_STEP_END;
}

setti_step setti_step_next(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (loop->driver == SETTI_NO_DRIVER) {
        return step_pages(batch);
    }
    return step_sparse(batch);
}
