/* summary.c: see summary.h.
 *
 * The workload: entities are created one after another. Each 64th creation empties a word of free
 * indices and searches the next word. In a world of a million entities this reads three words.
 *
 *     level[2]                       0
 *     level[1]               1 0 1 0 0 ...        bit n: level[0][n] has no 0
 *     level[0]       ... 1 1 | 0 1 0 | 1 ...      bit n: number n is no member
 *
 * A set bit means that a number is missing. So in a table of zeroes, all numbers are members. An
 * entity at index 4,000,000,000 needs a table of 8 MB, but only a few pages are touched.
 *
 * Invariant:  bit n of level[k + 1] is set <=> level[k][n] has no 0;  the last level is one word;
 *             bits without a word in the level below are 1
 */
#include "store/summary.h"

#include <string.h>

/* Returns the number of words of a level. A level has a bit for each word of the level below. */
static uint32_t summary_words(uint32_t capacity, uint32_t level)
{
    SETTI_ASSERT(level < SETTI_SUMMARY_LEVELS);
    return SETTI_MAX(capacity >> (6 * (level + 1)), 1);
}

/* Returns the bytes of all levels. */
static size_t summary_size(uint32_t capacity, uint32_t levels)
{
    size_t words = 0;
    for (uint32_t k = 0; k < levels; k++) {
        words += summary_words(capacity, k);
    }
    return words * sizeof(uint64_t);
}

void setti_summary_init(setti_summary* summary)
{
    memset(summary, 0, sizeof(*summary));
}

void setti_summary_deinit(setti_pool* pool, setti_summary* summary)
{
    if (summary->capacity != 0) {
        setti_pool_free(pool, summary->level[0], summary_size(summary->capacity, summary->levels),
                        16);
    }
    setti_summary_init(summary);
}

/* Computes the levels above level[0]. Only the first `bits` bits of level[0] may be set. */
static void summary_rebuild(const setti_summary* summary, uint32_t bits)
{
    for (uint32_t k = 1; k < summary->levels; k++) {
        uint32_t words_below = summary_words(summary->capacity, k - 1);
        bits = (bits + 63) / 64; /* a bit for each word of level[k - 1] */
        for (uint32_t n = 0; n < bits; n++) {
            uint64_t full = summary->level[k - 1][n] == UINT64_MAX;
            summary->level[k][n / 64] |= full << (n % 64);
        }
        if (words_below < 64) { /* bits that have no word in the level below are 1 */
            summary->level[k][0] |= ~setti_bits_below(words_below);
        }
    }
}

bool setti_summary_reserve(setti_pool* pool, setti_summary* summary, uint32_t count)
{
    SETTI_ASSERT(count <= (uint32_t)1 << 28);
    if (count <= summary->capacity) {
        return true;
    }
    setti_summary larger;
    setti_summary_init(&larger);
    larger.capacity = setti_bits_ceil(SETTI_MAX(count, 64));
    do { /* up to the first level that is one word */
        larger.levels++;
    } while (summary_words(larger.capacity, larger.levels - 1) > 1);
    SETTI_ASSERT(larger.levels <= SETTI_SUMMARY_LEVELS);
    uint64_t* words = setti_pool_alloc_zero(pool, summary_size(larger.capacity, larger.levels), 16);
    if (words == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < larger.levels; k++) {
        larger.level[k] = words;
        words += summary_words(larger.capacity, k);
    }
    if (summary->capacity != 0) {
        memcpy(larger.level[0], summary->level[0], summary->capacity / 8); /* 8 bits a byte */
    }
    summary_rebuild(&larger, summary->capacity);
    setti_summary_deinit(pool, summary);
    *summary = larger;
    return true;
}

void setti_summary_remove(setti_summary* summary, uint32_t number)
{
    SETTI_ASSERT(number < summary->capacity);
    for (uint32_t k = 0; k < summary->levels; k++, number /= 64) {
        uint64_t* word = &summary->level[k][number / 64];
        *word |= (uint64_t)1 << (number % 64);
        if (*word != UINT64_MAX) {
            return; /* the word has more members, so the level above keeps the word */
        }
    }
}

uint32_t setti_summary_next(const setti_summary* summary, uint32_t number)
{
    uint32_t position = number;
    uint32_t k = 0;
    while (k < summary->levels && position / 64 < summary_words(summary->capacity, k)) {
        uint64_t members = ~summary->level[k][position / 64] >> (position % 64);
        if (members != 0) {
            position += setti_bits_lowest(members);
            while (k-- > 0) { /* down: to the lowest member of word `position` in the level below */
                position = position * 64 + setti_bits_lowest(~summary->level[k][position]);
            }
            return position;
        }
        position = position / 64 + 1; /* up: to the bit of the next word */
        k++;
    }
    return SETTI_MAX(number, summary->capacity); /* no member from `number` on is below it */
}

uint32_t setti_summary_skip(const setti_summary* summary, uint32_t number, uint32_t skip)
{
    SETTI_ASSERT(summary->levels != 0 || summary->capacity == 0);
    uint32_t next = setti_summary_next(summary, number);
    while (next < summary->capacity) {
        uint64_t members = ~summary->level[0][next / 64] >> (next % 64);
        uint32_t count = setti_bits_count(members);
        if (skip < count) {
            return next + setti_bits_lowest(setti_bits_drop(members, skip));
        }
        skip -= count;
        next = setti_summary_next(summary, (next / 64 + 1) * 64);
    }
    return next + skip; /* all numbers >= the capacity are members */
}

SETTI_COLD const char* setti_summary_validate(const setti_summary* summary)
{
    for (uint32_t k = 0; k + 1 < summary->levels; k++) {
        uint32_t words = summary_words(summary->capacity, k);
        uint32_t words_above = summary_words(summary->capacity, k + 1);
        for (uint32_t n = 0; n < words_above * 64; n++) {
            bool set = (summary->level[k + 1][n / 64] >> (n % 64) & 1) != 0;
            bool full = n >= words || summary->level[k][n] == UINT64_MAX;
            if (set != full) {
                return "summary: a level does not say which words below it are full";
            }
        }
    }
    if (summary->levels == 0) {
        return NULL;
    }
    if (summary_words(summary->capacity, summary->levels - 1) != 1) {
        return "summary: the last level is more than one word";
    }
    return NULL;
}
