/* summary.h: finds the words of a large bit set that are not empty, without reading the words.
 *
 * A summary is a set of numbers of words. At first all numbers 0, 1, 2, ... are members. Numbers
 * from `capacity` on are members and take no memory. A summary is not part of the world's state,
 * since the owner of the words can compute it again.
 */
#ifndef SETTI_SUMMARY_H
#define SETTI_SUMMARY_H

#include "base/bits.h"
#include "base/page.h"

#define SETTI_SUMMARY_LEVELS 5 /* 64^5 numbers: enough for all words */

typedef struct setti_summary {
    /* Bits of level[0] are the numbers that are no members. Bits of level[k + 1] are the full words
     * of level[k]. All levels are one allocation. */
    uint64_t* level[SETTI_SUMMARY_LEVELS];
    uint32_t levels;   /* in use; 0 if `capacity` is 0 */
    uint32_t capacity; /* numbers below have a bit; a power of two, or 0 */
} setti_summary;

/* Initialises a summary of capacity 0: all numbers are members. */
void setti_summary_init(setti_summary* summary);

/* Frees the memory. All numbers are members again. */
void setti_summary_deinit(setti_pool* pool, setti_summary* summary);

/* Raises the capacity to at least `count`. Returns false if memory runs out. */
bool setti_summary_reserve(setti_pool* pool, setti_summary* summary, uint32_t count);

/* Adds a number below the capacity. */
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

/* Removes a number below the capacity. */
void setti_summary_remove(setti_summary* summary, uint32_t number);

static inline bool setti_summary_has(const setti_summary* summary, uint32_t number)
{
    return number >= summary->capacity ||
           (summary->level[0][number / 64] >> (number % 64) & 1) == 0;
}

/* Returns the lowest member >= `from`. */
uint32_t setti_summary_next(const setti_summary* summary, uint32_t from);

/* Returns the lowest member >= `from` after the first `skip` of them. */
uint32_t setti_summary_skip(const setti_summary* summary, uint32_t from, uint32_t skip);

/* Returns NULL, or the violated part of the invariant. */
const char* setti_summary_validate(const setti_summary* summary);

#endif
