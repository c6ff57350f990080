/* steps.h: shared by the files that implement loops. A loop visits rows in steps:
 *
 *     match.c         finds the matching rows of a step: as bits in `words`, or all rows
 *     rows.c          chooses the matching rows of the next batch: a run of rows, or a list
 *     field.c         finds the values of a batch: in place, or copied in the order of the batch
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
    SETTI_STEP_DENSE, /* all `count` rows from unit_base on match */
} setti_step;

/* Makes the plan of a new loop. Does not open the loop. */
void setti_loop_start(sett_query* query, sett_batch* batch);

setti_step setti_step_next(sett_batch* batch);

/* Returns the entity index of a row of the step. */
SETTI_INLINE uint32_t setti_step_index(const sett_batch* batch, uint32_t row)
{
    setti_loop* loop = setti_loop_of(batch);
    return loop->step_indices != NULL ? loop->step_indices[row] : loop->unit_base + row;
}

/* The values of `wanted` below. */
#define SETTI_HAS_TYPE true
#define SETTI_LACKS_TYPE false

/* Keeps the rows that have the type of a term, or the rows that lack it. */
void setti_match_term(sett_batch* batch, const setti_term* term, bool wanted, uint64_t* words,
                      uint32_t word_count);

/* Whether the value of an entity was written after query->since. */
bool setti_match_is_new(const sett_query* query, const setti_storage* storage, uint32_t index);

/* Returns bit k for each word k that is not 0. Branches would mispredict often. */
SETTI_INLINE uint32_t setti_words_some(const uint64_t* words, uint32_t word_count)
{
    uint32_t some = 0;
    for (uint32_t at = 0; at < word_count; at++) {
        some |= (uint32_t)(words[at] != 0) << at;
    }
    return some;
}

/* Returns all ones if the first `rows` bits are set. Has no branches, for vector code. */
SETTI_INLINE uint64_t setti_words_full(const uint64_t* words, uint32_t rows)
{
    uint64_t all = UINT64_MAX;
    if (SETTI_LIKELY(rows == SETT_BATCH_ROWS)) { /* a constant count saves 67 instructions */
        for (uint32_t at = 0; at < SETT_BATCH_ROWS / 64; at++) {
            all &= words[at];
        }
        return all;
    }
    for (uint32_t at = 0; at < rows / 64; at++) {
        all &= words[at];
    }
    return rows % 64 != 0 ? all & (words[rows / 64] | ~setti_bits_below(rows % 64)) : all;
}

/* Finds the words of all arrays at `base`. Returns NULL, or an array that has no page there. */
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

/* Skips missing pages: no index from `from` to the result has a page in all arrays. Returns the
 * first index that may have, or SETTI_NONE. */
uint32_t setti_match_seek(const sett_query* query, uint32_t from);

/* Returns the array that had the fewest values at the last setti_lists_update. */
SETTI_INLINE const setti_storage* setti_match_rarest(const sett_query* query)
{
    SETTI_ASSERT(query->array_count != 0 && query->lists.rarest < query->array_count);
    return query->array[query->lists.rarest];
}

/* A remembered batch. The words of the step follow, then the list. */
typedef struct setti_listed {
    uint32_t first; /* row 0 of the batch, as a row of the step */
    uint16_t count; /* number of matching rows */
    uint16_t run;   /* 1: the rows are a run; 0: a list */
} setti_listed;

SETTI_INLINE uint64_t* setti_listed_words(const setti_listed* listed)
{
    return (uint64_t*)setti_unconst(listed + 1);
}

SETTI_INLINE uint16_t* setti_listed_rows(const setti_listed* listed, uint32_t unit)
{
    return (uint16_t*)(void*)(setti_listed_words(listed) + unit / 64);
}

/* Returns the remembered batch of the step at `base`, or NULL. */
SETTI_INLINE setti_listed* setti_lists_at(const setti_lists* lists, uint32_t base)
{
    uint32_t step = base >> lists->shift;
    if (step >= lists->steps) {
        return NULL;
    }
    return (setti_listed*)(void*)(lists->step + (size_t)step * lists->size);
}

/* Remembers the matching rows of a step as one batch in `listed`. Returns false if one batch or the
 * list cannot hold all rows. */
bool setti_rows_relist(setti_loop* loop, const uint64_t* words, setti_listed* listed);

/* Chooses the rows of the next batch. Returns the row of the step where the batch begins. */
uint32_t setti_rows_choose(sett_batch* batch);

/* Returns the k-th row of a batch. A local copy of batch->rows avoids reloads. */
SETTI_INLINE uint32_t setti_batch_row(const uint16_t* rows, uint32_t k)
{
    return rows != NULL ? rows[k] : k;
}

/* Sets the fields of a batch. `base` is the place of row 0 in a field in place. */
void setti_fields_set(sett_batch* batch, uint32_t base);

/* Copies the gathered values of a batch back to the storages. */
void setti_fields_scatter(const sett_batch* batch);

/* Returns the sources of the values of a gathered term, by row of the step. */
SETTI_INLINE setti_source* setti_field_sources(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->scratch != NULL && term->sources != 0);
    return (setti_source*)(void*)((unsigned char*)loop->scratch + term->sources);
}

/* Returns the copies of the values of a gathered term, by row of the step. */
SETTI_INLINE unsigned char* setti_field_copies(const sett_batch* batch, const setti_term* term)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->scratch != NULL && term->values != 0);
    return (unsigned char*)loop->scratch + term->values;
}

/* Marks each row of a batch as written, for types with track_rows. */
void setti_field_track(const sett_batch* batch, const setti_storage* storage, uint32_t base);

/* Returns a field in place, from `base` on. Marks its page as written, unless only read. */
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
