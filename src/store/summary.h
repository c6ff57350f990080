/* summary.h: finds the words of a large bit set that are not empty, without reading them.
 *
 * A set of numbers (of words), 0, 1, 2, ..., all of them members at first. Memory follows the
 * numbers that it has to cover; those beyond are members. Not state: the owner of the words
 * can rebuild it from them.
 */
#ifndef SETTI_SUMMARY_H
#define SETTI_SUMMARY_H

#include "base/bits.h"
#include "base/page.h"

#define SETTI_SUMMARY_LEVELS 5 /* 64^5 numbers: more than there are words */

typedef struct setti_summary {
    /* level[0]: a bit a number, set if it is no member; level[k + 1]: a bit for each word of
     * level[k], set if all its bits are. All in one allocation; the last level in use is one
     * word. */
    uint64_t* level[SETTI_SUMMARY_LEVELS];
    uint32_t levels;   /* in use; 0 while nothing is covered */
    uint32_t capacity; /* numbers covered: a power of two, or 0 */
} setti_summary;

/* All numbers are members, none is covered. */
void setti_summary_init(setti_summary* summary);

/* Frees its memory; all numbers are members again. */
void setti_summary_deinit(setti_pool* pool, setti_summary* summary);

/* Covers the numbers below `count`, at most 2^28. False when memory runs out. */
bool setti_summary_reserve(setti_pool* pool, setti_summary* summary, uint32_t count);

/* Adds or removes a number that is covered. Cost: O(1), and up to the levels in use where a word
 * becomes full or stops being so. */
SETTI_INLINE void setti_summary_add(setti_summary* summary, uint32_t number)
{
    SETTI_ASSERT(number < summary->capacity);
    for (uint32_t k = 0; k < summary->levels; k++, number /= 64) {
        uint64_t* word = &summary->level[k][number / 64];
        uint64_t before = *word;
        *word = before & ~((uint64_t)1 << (number % 64));
        if (before != UINT64_MAX) {
            return;
        }
    }
}

void setti_summary_remove(setti_summary* summary, uint32_t number);

static inline bool setti_summary_has(const setti_summary* summary, uint32_t number)
{
    return number >= summary->capacity ||
           (summary->level[0][number / 64] >> (number % 64) & 1) == 0;
}

/* The lowest member that is not below `from`. Cost: O(levels in use). */
uint32_t setti_summary_next(const setti_summary* summary, uint32_t from);

/* Like setti_summary_next, but skips `skip` members. Cost: that, and one step for each 64 numbers
 * between. */
uint32_t setti_summary_skip(const setti_summary* summary, uint32_t from, uint32_t skip);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_summary_validate(const setti_summary* summary);

#endif
