/* summary.h: finds the words of a large bit set that are not empty.
 *
 * A summary is a set of word numbers. At first all numbers are members. Numbers >= `capacity` are
 * always members, and take no memory. A summary is not part of the world's state.
 */
#ifndef SETTI_SUMMARY_H
#define SETTI_SUMMARY_H

#include "base/bits.h"
#include "base/page.h"

#define SETTI_SUMMARY_LEVELS 5 /* 64^5 numbers: enough for all words */

typedef struct setti_summary {
    /* Bits of level[0]: the missing numbers. Bits of level[k + 1]: the full words of level[k]. */
    uint64_t* level[SETTI_SUMMARY_LEVELS]; /* parts of one allocation */
    uint32_t levels;                       /* number of levels; 0 if `capacity` is 0 */
    uint32_t capacity;                     /* number of bits in level[0]; a power of two, or 0 */
} setti_summary;

void setti_summary_init(setti_summary* summary);
void setti_summary_deinit(setti_pool* pool, setti_summary* summary);

/* Raises the capacity. Returns false if memory runs out. */
bool setti_summary_reserve(setti_pool* pool, setti_summary* summary, uint32_t count);

SETTI_INLINE void setti_summary_add(setti_summary* summary, uint32_t number)
{
    SETTI_ASSERT(number < summary->capacity);
    for (uint32_t k = 0; k < summary->levels; k++, number /= 64) {
        uint64_t* word = &summary->level[k][number / 64];
        uint64_t old_word = *word;
        *word = old_word & ~((uint64_t)1 << (number % 64));
        if (old_word != UINT64_MAX) {
            return; /* the word had members before, so the level above has the word already */
        }
    }
}

void setti_summary_remove(setti_summary* summary, uint32_t number);

static inline bool setti_summary_has(const setti_summary* summary, uint32_t number)
{
    return number >= summary->capacity ||
           ((summary->level[0][number / 64] >> (number % 64)) & 1) == 0;
}

/* Returns the lowest member >= `number`. */
uint32_t setti_summary_next(const setti_summary* summary, uint32_t number);

/* Like setti_summary_next, but skips the first `skip` members >= `number`. */
uint32_t setti_summary_skip(const setti_summary* summary, uint32_t number, uint32_t skip);

const char* setti_summary_validate(const setti_summary* summary);

#endif
