/* steps.h: shared by the files that implement loops. A loop visits rows in steps:
 *
 *     match.c         finds the matching rows of a step: as bits in `words`, or all rows
 *     rows.c          chooses the matching rows of the next batch: a run of rows, or a list
 *     field.c         finds the values of a batch: in place, or copied into the order of the batch
 *     batch.c         opens and closes a loop, and goes to the next batch
 *     query_count.c   counts matches, and answers other questions without a loop in the program
 */
#ifndef SETTI_STEPS_H
#define SETTI_STEPS_H

#include "query/query.h"

#define SETTI_STEP_WORD_COUNT (SETT_BATCH_ROWS / 64)

typedef enum setti_step {
    SETTI_STEP_END,   /* no step is left */
    SETTI_STEP_WORDS, /* `words` are the matching rows */
    SETTI_STEP_DENSE, /* all rows of the step match; they are the batch */
} setti_step;

/* Makes the plan of a new loop, but does not open the loop. */
void setti_loop_start(sett_query* query, sett_batch* batch);

setti_step setti_step_next(sett_batch* batch);

/* Returns the index of the entity in a row of the step. */
SETTI_INLINE uint32_t setti_step_index(const sett_batch* batch, uint32_t row)
{
    setti_loop* loop = setti_loop_of(batch);
    return loop->step_indices != NULL ? loop->step_indices[row] : loop->step_base + row;
}

/* The values of `wanted` below. */
#define SETTI_HAS_TYPE true
#define SETTI_LACKS_TYPE false

/* Tests a term: clears the bits of rows that fail. The bits of `words` are rows of the step. With
 * `wanted`, a row keeps its bit if the entity has the type of the term. Without `wanted`, a row
 * keeps its bit if the entity lacks the type. */
void setti_match_term(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                      uint32_t word_count);

/* Whether the value of an entity was written after query->since. */
bool setti_match_is_new(const sett_query* query, const setti_storage* storage, uint32_t index);

/* Returns a set of words: bit k is set if word k is not 0. Has no branches, because these would
 * often be mispredicted. */
SETTI_INLINE uint32_t setti_words_nonzero(const uint64_t* words, uint32_t word_count)
{
    uint32_t nonzero = 0;
    for (uint32_t word = 0; word < word_count; word++) {
        nonzero |= (uint32_t)(words[word] != 0) << word;
    }
    return nonzero;
}

/* Returns all ones if the first `rows` bits are set. Has no branches, for vector code. */
SETTI_INLINE uint64_t setti_words_full(const uint64_t* words, uint32_t rows)
{
    uint64_t common = UINT64_MAX;
    /* for the usual count: a loop of constant length saves 67 instructions */
    if (SETTI_LIKELY(rows == SETT_BATCH_ROWS)) {
        for (uint32_t word = 0; word < SETT_BATCH_ROWS / 64; word++) {
            common &= words[word];
        }
        return common;
    }
    for (uint32_t word = 0; word < rows / 64; word++) {
        common &= words[word];
    }
    if (rows % 64 != 0) { /* the bits from `rows` on do not count */
        common &= words[rows / 64] | ~setti_bits_below(rows % 64);
    }
    return common;
}

/* Sets bits[k] to the occupancy words of the k-th array, from the row `base` on. Returns NULL if
 * each array has a page there. Otherwise returns an array that has no page: then no row of the page
 * matches. */
SETTI_INLINE const setti_storage* setti_match_words_at(const sett_query* query, uint32_t base,
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

/* Skips missing pages. Returns the next index, from `index` on, where all arrays may have a page.
 * Returns SETTI_NONE if there is no such index. */
uint32_t setti_match_seek(const sett_query* query, uint32_t index);

/* Returns the array that had the fewest values when setti_lists_update was last called. */
SETTI_INLINE const setti_storage* setti_match_rarest(const sett_query* query)
{
    SETTI_ASSERT(query->array_count != 0 && query->lists.rarest < query->array_count);
    return query->array[query->lists.rarest];
}

/* A remembered batch. The words of the step follow in memory, then the list of rows. */
typedef struct setti_listed {
    uint32_t first; /* the row of the step where the batch begins */
    uint16_t count; /* number of matching rows */
    uint16_t run;   /* 1: the rows are a run; 0: the rows are in the list */
} setti_listed;

SETTI_INLINE uint64_t* setti_listed_words(const setti_listed* listed)
{
    return (uint64_t*)setti_unconst(listed + 1);
}

SETTI_INLINE uint16_t* setti_listed_rows(const setti_listed* listed, uint32_t step_rows)
{
    return (uint16_t*)(void*)(setti_listed_words(listed) + step_rows / 64);
}

/* Returns the remembered batch of the step that begins at the row `base`. Returns NULL if there is
 * no memory for this step. */
SETTI_INLINE setti_listed* setti_lists_at(const setti_lists* lists, uint32_t base)
{
    uint32_t step = base >> lists->shift;
    if (step >= lists->steps) {
        return NULL;
    }
    return (setti_listed*)(void*)(lists->step + (size_t)step * lists->step_size);
}

/* Remembers the matching rows of a step, the bits of `words`, as one batch in `listed`. Returns
 * false if one batch cannot have all rows, or if the list of `listed` has too little room. */
bool setti_rows_relist(setti_loop* loop, const uint64_t* words, setti_listed* listed);

/* Chooses the rows of the next batch. Returns the row of the step where the batch begins. */
uint32_t setti_rows_choose(sett_batch* batch);

/* Returns the k-th row of a batch. A local copy of batch->rows avoids reloads. */
SETTI_INLINE uint32_t setti_batch_row(const uint16_t* rows, uint32_t k)
{
    return rows != NULL ? rows[k] : k;
}

/* Sets the fields of a batch. The values of fields in place begin at the row `base` of storages. */
void setti_fields_set(sett_batch* batch, uint32_t base);

/* Copies the gathered values of a batch back to the storages. */
void setti_fields_scatter(const sett_batch* batch);

/* Returns an array of a gathered term: for each row of the step, the source of the row's value. */
SETTI_INLINE setti_source* setti_field_sources(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->scratch != NULL && term->sources_offset != 0);
    return (setti_source*)(void*)((unsigned char*)loop->scratch + term->sources_offset);
}

/* Returns an array of a gathered term: for each row of the step, a copy of the row's value. */
SETTI_INLINE unsigned char* setti_field_copies(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->scratch != NULL && term->copies_offset != 0);
    return (unsigned char*)loop->scratch + term->copies_offset;
}

/* Marks each row of a batch as written, for a type with track_rows. The first value of the field is
 * in the row `base` of the storage. */
void setti_field_track(const sett_batch* batch, const setti_storage* storage, uint32_t base);

/* Returns a field in place: the values from the row `base` of the storage on. Marks the page as
 * written, unless the term only reads. */
SETTI_INLINE void* setti_field_in_place(const sett_batch* batch, setti_pool* pool,
                                        const setti_term* term, uint32_t base)
{
    const setti_storage* storage = &term->type->storage;
    if (term->access != SETT_IN) {
        setti_pages_write(pool, &storage->rows, base >> storage->shift);
        if (SETTI_UNLIKELY(storage->tracked)) {
            setti_field_track(batch, storage, base);
        }
    }
    return setti_storage_row(storage, base);
}

#endif
