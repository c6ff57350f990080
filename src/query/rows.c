/* rows.c: chooses the rows of the next batch, and remembers batches. A batch is either
 *
 *     a run of rows without gaps     `rows` is NULL, and fields begin at the first row: compilers
 *                                    vectorise the plain loop of the program
 *     or a list of row numbers       if every second row matches, reading the list takes 1.3 ns a
 *                                    row, and walking over bits 1.5 ns (gcc -O3)
 *
 * A batch has all waiting rows that have the same optional types as the first waiting row. If the
 * query has an order (sett_term.drives), the batch ends before the first row with other optional
 * types. If the rows begin with a long run, the run becomes a batch of its own.
 *
 * The workload: the same loops in each frame. One entity in a hundred matches, and few entities
 * change. To write the list took 76 of 126 instructions a match. Mostly it was the list of the
 * previous frame. So a query remembers the batch and the words of each step. It uses the batch
 * again while the words are equal. Rejected: a version for each page, because every write to
 * presence would have to update the version.
 *
 * Invariant:  `words` are the waiting rows: matching rows of the step that were not handed out;
 *             a row is handed out once, and the rows of a batch ascend;
 *             a remembered batch has exactly the rows of the remembered words
 */
#include "query/steps.h"

/* A run of this many rows becomes a batch. The batch costs 10 ns, and saves up to 1 ns a row. */
#define RUN_WORTH 64

/* Returns the length of the first run of set bits. *first becomes the first bit of the run.
 *   nonzero  bit k is set if word k is not 0 */
static uint32_t run_length(const uint64_t* words, uint32_t word_count, uint32_t nonzero,
                           uint32_t* first)
{
    uint32_t word = setti_bits_lowest(nonzero);
    SETTI_ASSERT(nonzero != 0 && words[word] != 0);
    uint32_t low = setti_bits_lowest(words[word]); /* where the run begins in its word */
    *first = word * 64 + low;
    uint64_t zeros = ~(words[word] >> low) & setti_bits_below(64 - low);
    if (zeros != 0) { /* the run ends inside of the first word */
        return setti_bits_lowest(zeros);
    }
    uint32_t length = 64 - low;
    word++;
    while (word < word_count && words[word] == UINT64_MAX) {
        length += 64;
        word++;
    }
    if (word < word_count && words[word] != 0) { /* not all ones, so the run ends in this word */
        length += setti_bits_lowest(~words[word]);
    }
    return length;
}

/* Whether all set bits are before the bit `end`.
 *   nonzero  bit k is set if word k is not 0 */
static bool run_is_all(const uint64_t* words, uint32_t nonzero, uint32_t end)
{
    SETTI_ASSERT(nonzero != 0 && end != 0);
    uint32_t last = (end - 1) / 64; /* the word of the last bit before `end` */
    return nonzero >> last == 1 && (words[last] & ~setti_bits_below(end - last * 64)) == 0;
}

/* list_of_byte has, for each of the 256 bytes, the numbers of the byte's set bits, ascending. In
 * these macros `p` has the numbers that are chosen so far, 8 bits each. LIST_k goes on with bit k
 * not set, then with bit k set. */
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
static const uint16_t list_of_byte[256][8] = {LIST_6((uint64_t)0), LIST_6((uint64_t)7)};

/* 1 in each 16 bits. A product with this constant has a number four times, to add to four rows at
 * once. */
#define LIST_FOUR 0x0001000100010001u

/* Writes the row numbers of the set bits of a word. Bit 0 is the row `base`. For each byte of the
 * word, writes eight numbers, of which only the first are meant. Byte k of `starts` is the position
 * in `out` of the numbers for byte k of the word. */
SETTI_INLINE void list_word(uint64_t word, uint32_t base, uint64_t starts, uint16_t* out)
{
    for (uint32_t byte = 0; byte < 8; byte++) {
        uint64_t rows[2];
        memcpy(rows, list_of_byte[word >> (8 * byte) & 255], sizeof(rows));
        rows[0] += (base + 8 * byte) * LIST_FOUR;
        rows[1] += (base + 8 * byte) * LIST_FOUR;
        /* the numbers of the next byte overwrite those that are too many */
        memcpy(out + (starts >> (8 * byte) & 255), rows, sizeof(rows));
    }
}

/* If a step has more rows than this, the estimate `few` was wrong. The loop that is faster for many
 * rows writes the others. */
#define LIST_FEW 128

/* Writes the row numbers of all set bits to `list`, without a branch for each word. Returns the
 * number of rows.
 *   nonzero  bit k is set if word k is not 0
 *   few      few bits are expected */
static uint32_t list_rows(const uint64_t* words, uint32_t nonzero, bool few, uint16_t* list)
{
    uint32_t count = 0;
    uint32_t word_number = setti_bits_lowest(nonzero);
    SETTI_ASSERT(nonzero != 0);
    uint64_t word = words[word_number];
    while (few && word != 0 && count < LIST_FEW) { /* one row in each round */
        list[count++] = (uint16_t)(word_number * 64 + setti_bits_lowest(word));
        word &= word - 1; /* clears the bit of this row */
        /* without a branch: if no bit is left, goes to the next word */
        bool word_ends = word == 0;
        nonzero = word_ends ? nonzero & (nonzero - 1) : nonzero;
        /* the next word that is not 0, or the word after the last word, which is 0 */
        word_number = setti_bits_lowest(nonzero | (uint32_t)1 << SETTI_STEP_WORD_COUNT);
        word = word_ends ? words[word_number] : word;
    }
    /* from here on, one word in each round */
    while (word != 0) {
        uint64_t ends = setti_bits_sums(word); /* byte k: set bits in bytes 0 to k */
        uint16_t* out = list + count;
        count += (uint32_t)(ends >> 56); /* the upper byte: set bits in the word */
        /* for up to 4 bits, it is faster to write them one by one */
        if ((ends >> 56) > 4) {
            list_word(word, word_number * 64, ends << 8, out); /* byte k: set bits before byte k */
        } else {
            /* always writes 4 numbers: those of the next word overwrite what is too many */
            for (uint32_t k = 0; k < 4; k++) {
                /* bit 63 is added because setti_bits_lowest does not take 0 */
                out[k] = (uint16_t)(word_number * 64 + setti_bits_lowest(word | (uint64_t)1 << 63));
                word &= word - 1;
            }
        }
        nonzero &= nonzero - 1; /* the next word, as in the loop above */
        word_number = setti_bits_lowest(nonzero | (uint32_t)1 << SETTI_STEP_WORD_COUNT);
        word = words[word_number];
    }
    return count;
}

/* Clears the bits from `first` to before `end`. */
static void words_clear_run(uint64_t* words, uint32_t first, uint32_t end)
{
    SETTI_ASSERT(first < end);
    while (first < end) {
        uint32_t word_end = (first | 63) + 1;        /* the first bit of the next word */
        uint32_t run_end = SETTI_MIN(end, word_end); /* in this word */
        words[first / 64] &= ~(setti_bits_below(run_end - first) << (first % 64));
        first = run_end;
    }
}

/* Removes from `taken` each row with other optional types than the first row of `taken`. Adds the
 * optional types that the first row has to batch->present. */
static void take_keep_alike(sett_batch* batch, uint64_t* taken)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    SETTI_ASSERT(loop->waiting != 0 && query->optional != 0);
    uint32_t word = setti_bits_lowest(loop->waiting);
    uint32_t first = word * 64 + setti_bits_lowest(taken[word]);
    uint32_t index = setti_step_index(batch, first);
    SETTI_EACH_TERM(k, query->optional) {
        const setti_term* term = &query->term[k];
        bool has = setti_type_is_on(term->type, index); /* whether the first row has the type */
        batch->present |= (uint32_t)has << k;
        setti_match_term(batch, term, has, taken, loop->word_count);
    }
}

/* Whether the waiting rows are those of a remembered batch. */
static bool rows_are_listed(const setti_loop* loop, const setti_listed* listed)
{
    const uint64_t* words = setti_listed_words(listed);
    SETTI_ASSERT(loop->word_count <= loop->step_rows / 64);
    uint64_t differ = 0;
    for (uint32_t word = 0; word < loop->word_count; word++) {
        differ |= words[word] ^ loop->words[word];
    }
    /* the last step may have fewer words than a remembered step: the others must be 0 */
    for (uint32_t word = loop->word_count; word < loop->step_rows / 64; word++) {
        differ |= words[word];
    }
    return differ == 0;
}

/* Remembers a batch in `listed`. Returns false if the list of `listed` has too little room.
 *   words  the matching rows of the step
 *   taken  the rows of the batch. If they are no run, the row numbers are in loop->list */
SETTI_INLINE bool rows_remember(const setti_loop* loop, const uint64_t* words, setti_listed taken,
                                setti_listed* listed)
{
    const setti_lists* lists = &loop->query->lists;
    if (!taken.run && taken.count > lists->room) {
        return false;
    }
    *listed = taken;
    memcpy(setti_listed_words(listed), words, lists->step_rows / 8);
    if (!taken.run) {
        memcpy(setti_listed_rows(listed, lists->step_rows), loop->list,
               taken.count * sizeof(loop->list[0]));
    }
    return true;
}

/* Chooses the rows of a batch: all rows of `words`, or only the first run if it is long. *taken
 * becomes the rows. Returns true if all rows were chosen. */
SETTI_INLINE bool rows_take(setti_loop* loop, const uint64_t* words, uint32_t word_count,
                            uint32_t nonzero, setti_listed* taken)
{
    uint32_t first;
    uint32_t count = run_length(words, word_count, nonzero, &first);
    bool takes_all = run_is_all(words, nonzero, first + count); /* the run has all rows */
    taken->run = takes_all || count >= RUN_WORTH;
    if (!taken->run) { /* a list of all rows */
        first = 0;
        count = list_rows(words, nonzero, loop->query->lists.few, loop->list);
        takes_all = true;
    }
    taken->first = first;
    taken->count = (uint16_t)count;
    return takes_all;
}

bool setti_rows_relist(setti_loop* loop, const uint64_t* words, setti_listed* listed)
{
    uint32_t word_count = loop->query->lists.step_rows / 64;
    uint32_t nonzero = setti_words_nonzero(words, word_count);
    setti_listed taken = {0, 0, 0};
    SETTI_ASSERT(words[word_count] == 0);
    bool is_one_batch = nonzero == 0 || rows_take(loop, words, word_count, nonzero, &taken);
    return is_one_batch && rows_remember(loop, words, taken, listed);
}

/* Removes from `taken` all rows that come after a waiting row that is not in `taken`. */
static void take_keep_leading(const setti_loop* loop, uint64_t* taken)
{
    uint32_t word = 0;
    while (word < loop->word_count && (loop->words[word] & ~taken[word]) == 0) {
        word++;
    }
    if (word < loop->word_count) { /* the first word with a row that is not taken */
        uint64_t others = loop->words[word] & ~taken[word];
        taken[word] &= setti_bits_below(setti_bits_lowest(others));
    }
    for (word++; word < loop->word_count; word++) {
        taken[word] = 0;
    }
}

/* Chooses the rows of a batch that have the same optional types as the first waiting row. */
static void rows_choose_alike(sett_batch* batch, setti_listed* taken)
{
    setti_loop* loop = setti_loop_of(batch);
    uint64_t alike[SETTI_STEP_WORD_COUNT + 1];
    memcpy(alike, loop->words, sizeof(alike));
    take_keep_alike(batch, alike);
    if (loop->query->drives != 0) {
        take_keep_leading(loop, alike);
    }
    uint32_t nonzero = setti_words_nonzero(alike, loop->word_count);
    if (rows_take(loop, alike, loop->word_count, nonzero, taken)) { /* all rows of `alike` */
        for (uint32_t word = 0; word < loop->word_count; word++) {
            loop->words[word] &= ~alike[word];
        }
    } else { /* only a run at the begin of `alike` */
        words_clear_run(loop->words, taken->first, taken->first + taken->count);
    }
    loop->waiting = setti_words_nonzero(loop->words, loop->word_count);
}

uint32_t setti_rows_choose(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_listed* listed = NULL;
    SETTI_ASSERT(loop->waiting != 0);
    if (loop->remembers) {
        listed = setti_lists_at(&loop->query->lists, loop->step_base);
    }
    /* a direct loop has compared the rows already, in step_is_listed */
    if (listed != NULL && !loop->direct && rows_are_listed(loop, listed)) {
        batch->rows = listed->run ? NULL : setti_listed_rows(listed, loop->step_rows);
        batch->count = listed->count;
        loop->waiting = 0;
        return listed->first;
    }
    setti_listed taken;
    if (loop->query->optional != 0) {
        rows_choose_alike(batch, &taken);
    } else if (rows_take(loop, loop->words, loop->word_count, loop->waiting, &taken)) {
        loop->waiting = 0;
        if (listed != NULL) {
            /* the last step may have fewer words than a remembered step: the others become 0 */
            uint32_t missing = loop->step_rows / 64 - loop->word_count;
            memset(loop->words + loop->word_count, 0, missing * sizeof(uint64_t));
            (void)rows_remember(loop, loop->words, taken, listed);
        }
    } else {
        words_clear_run(loop->words, taken.first, taken.first + taken.count);
        loop->waiting = setti_words_nonzero(loop->words, loop->word_count);
    }
    batch->rows = taken.run ? NULL : loop->list;
    batch->count = taken.count;
    return taken.first;
}

/* setti_lists_update is called before every 16th loop, and before the first two loops. */
#define LISTS_DUE 16

/* Steps are not remembered if more than so many eighths of the rows match: then remembering saves
 * less than a quarter of the time. */
#define LISTS_EIGHTHS 5

void setti_lists_free(sett_query* query)
{
    setti_lists* lists = &query->lists;
    if (lists->step != NULL) {
        setti_pool_free(&query->world->pool, lists->step, (size_t)lists->steps * lists->step_size,
                        16);
        lists->step = NULL;
    }
    lists->steps = 0;
    lists->recalls = lists->rare;
}

/* Allocates memory for `steps` steps. Each list has room for `room` rows. */
static void lists_make(sett_query* query, uint32_t steps, uint32_t room)
{
    setti_lists* lists = &query->lists;
    SETTI_ASSERT(query->open.count == 0 && steps != 0);
    setti_lists_free(query);
    lists->step_rows = query->array_rows;
    lists->shift = setti_bits_lowest(lists->step_rows);
    SETTI_ASSERT(lists->step_rows == (uint32_t)1 << lists->shift && lists->step_rows >= 64);
    lists->room = room;
    lists->step_size = (uint32_t)setti_align_up(
        sizeof(setti_listed) + lists->step_rows / 8 + room * sizeof(uint16_t), sizeof(uint64_t));
    lists->step = setti_pool_alloc(&query->world->pool, (size_t)steps * lists->step_size, 16);
    if (lists->step != NULL) { /* zeroes: no row has matched */
        memset(lists->step, 0, (size_t)steps * lists->step_size);
        lists->steps = steps;
        lists->recalls = true;
    }
}

/* Finds the array with the fewest values. Returns an estimate of the number of matches: the number
 * of these values, at most `limit`. */
static uint32_t lists_estimate(sett_query* query, uint32_t limit)
{
    uint32_t matches = limit;
    query->lists.rarest = 0;
    for (uint32_t k = 0; k < query->array_count; k++) {
        if (query->array[k]->count < matches) {
            query->lists.rarest = k;
            matches = query->array[k]->count;
        }
    }
    return matches;
}

/* Whether remembering steps would save time.
 *   limit  the end of the rows of a loop
 *   rows   rows of a step that are expected to match */
static bool lists_pay(const sett_query* query, uint32_t limit, uint32_t rows)
{
    /* other paths are faster for a single word, and for rare matches */
    if (limit <= 64 || query->lists.rare || rows * 8 > query->array_rows * LISTS_EIGHTHS) {
        return false;
    }
    /* the words of the arrays alone must tell whether a step has the remembered batch again */
    return query->array_count != 0 && (query->optional | query->changed) == 0 &&
           (query->fields & ~query->positional) == 0;
}

SETTI_COLD void setti_lists_update(sett_query* query)
{
    setti_lists* lists = &query->lists;
    bool is_first = !lists->decided;
    lists->due = is_first ? 1 : LISTS_DUE;
    if (query->open.count != 0) {
        return; /* batches point into the lists */
    }
    lists->decided = true;
    uint32_t limit = setti_plan_limit(query);
    uint32_t matches = lists_estimate(query, limit);
    uint32_t step_rows = query->array_rows;
    uint32_t steps = limit / step_rows + (limit % step_rows != 0);
    uint32_t rows = 0; /* rows of a step that are expected to match */
    if (limit != 0) {
        rows = (uint32_t)((uint64_t)step_rows * matches / limit);
    }
    lists->few = rows * 16 <= step_rows;
    lists->rare = query->array_count != 0 && matches <= steps / 2;
    lists->recalls = lists->rare || lists->step != NULL;
    if (is_first && !lists->few) {
        return; /* saves little, so this waits until the query has a second loop */
    }
    bool fits = step_rows == lists->step_rows && steps <= lists->steps && rows <= lists->room;
    if (lists_pay(query, limit, rows) && !fits) {
        uint32_t spare_steps = steps / 4; /* spares, because counts go up and down */
        uint32_t spare_rows = rows / 4 + 16;
        lists_make(query, steps + spare_steps, rows + spare_rows);
    }
}

/* Whether the row at position `k` of a remembered batch is the row `row` of its step. */
static bool listed_row_is(const setti_lists* lists, const setti_listed* listed, uint32_t k,
                          uint32_t row)
{
    if (k >= listed->count) {
        return false;
    }
    if (listed->run) {
        return listed->first + k == row;
    }
    return setti_listed_rows(listed, lists->step_rows)[k] == row;
}

SETTI_COLD const char* setti_lists_validate(const sett_query* query)
{
    const setti_lists* lists = &query->lists;
    for (uint32_t step = 0; step < lists->steps; step++) {
        const setti_listed* listed = setti_lists_at(lists, step * lists->step_rows);
        const uint64_t* words = setti_listed_words(listed);
        uint32_t found = 0; /* number of rows that matched, so far */
        for (uint32_t row = 0; row < lists->step_rows; row++) {
            if ((words[row / 64] >> (row % 64) & 1) == 0) {
                continue;
            }
            if (!listed_row_is(lists, listed, found, row)) {
                return "query: a remembered batch is not of the rows that matched";
            }
            found++;
        }
        if (found != listed->count) {
            return "query: a remembered batch has rows that did not match";
        }
    }
    return NULL;
}
