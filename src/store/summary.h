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
    /* level[0]: a bit for each number, set if the number is no member. level[k + 1]: a bit for each
     * word of level[k], set if all bits of the word are set. The last level in use is one word. All
     * levels are one allocation. */
    uint64_t* level[SETTI_SUMMARY_LEVELS];
    uint32_t levels;   /* in use; 0 if `capacity` is 0 */
    uint32_t capacity; /* numbers below have a bit; a power of two, or 0 */
} setti_summary;

/* Initialises a summary of capacity 0: all numbers are members. */
void setti_summary_init(setti_summary* summary);

/* Frees the memory. All numbers are members again. */
void setti_summary_deinit(setti_pool* pool, setti_summary* summary);

/* Raises the capacity to at least `count`, at most 2^28. Returns false when memory runs out. */
bool setti_summary_reserve(setti_pool* pool, setti_summary* summary, uint32_t count);

/* Adds a number below the capacity. Cost: O(1), and one step for each level with a full word. */
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

/* Removes a number below the capacity. Cost: O(1), and one step for each word that becomes full. */
void setti_summary_remove(setti_summary* summary, uint32_t number);

static inline bool setti_summary_has(const setti_summary* summary, uint32_t number)
{
    return number >= summary->capacity ||
           (summary->level[0][number / 64] >> (number % 64) & 1) == 0;
}

/* Returns the lowest member >= `from`. Cost: O(levels in use). */
uint32_t setti_summary_next(const setti_summary* summary, uint32_t from);

/* Like setti_summary_next, but skips the first `skip` members. Cost: O(levels in use), and one step
 * for each 64 numbers skipped. */
uint32_t setti_summary_skip(const setti_summary* summary, uint32_t from, uint32_t skip);

/* Returns NULL, or the violated part of the invariant. */
const char* setti_summary_validate(const setti_summary* summary);

#endif
