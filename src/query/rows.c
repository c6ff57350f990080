/* rows.c: handing out the rows of a step that match, as
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
 * Invariant:  words = rows of the step that match and were not handed out;
 *             rows are handed out once, ascending within a batch
 */
#include "query/steps.h"

/* A leading run of at least this many rows is a batch of its own: a call costs about 10 ns, a row
 * of a list 0.5 to 1 more than one of a run. */
#define RUN_WORTH 64

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
    uint32_t index = setti_step_index(batch, at * 64 + setti_bits_lowest(taken[at]));
    for (uint32_t rest = query->optional; rest != 0; rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        const setti_term* term = &query->term[k];
        bool has = setti_storage_has(&term->type->storage, index);
        batch->present |= (uint32_t)has << k;
        setti_match_term(batch, term, has, taken, loop->word_count);
    }
}

uint32_t setti_rows_choose(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    uint64_t alike[SETTI_STEP_WORD_COUNT];
    uint64_t* taken = loop->words;
    uint32_t word_count = loop->word_count;
    uint32_t some = loop->some;
    if (loop->query->optional != 0) {
        taken = alike;
        memcpy(alike, loop->words, word_count * sizeof(uint64_t));
        take_alike(batch, alike);
        some = setti_words_some(alike, word_count);
    }
    uint32_t first;
    uint32_t length = run_length(taken, word_count, some, &first);
    if (length >= RUN_WORTH || run_is_all(taken, some, first + length)) {
        batch->rows = NULL;
        batch->count = length;
        words_clear_run(loop->words, first, first + length);
        loop->some = setti_words_some(loop->words, word_count);
        return first;
    }
    batch->rows = loop->list;
    batch->count = list_rows(taken, some, loop->list);
    loop->some = 0;
    if (taken == alike) {
        for (uint32_t at = 0; at < word_count; at++) {
            loop->words[at] &= ~alike[at];
        }
        loop->some = setti_words_some(loop->words, word_count);
    }
    return 0;
}
