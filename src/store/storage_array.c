/* storage_array.c: the positional, paged storage. An entity's index is its place; a value never
 * moves.
 *
 * The workload: common components, joins of several of them, entities that come and go. Adding and
 * removing is setting and clearing a bit; which entities have two components is the AND of two
 * words.
 *
 *     presence   [ 8,192 bits ] [  NULL  ] [ 8,192 bits ]       one bit an entity
 *     rows       [p][p][p][ ][p][ ][ ][p] ...                   pages of rows where values are; a
 *     tag has none
 *     page       row 0 | row 1 | ... | ticks, if tracked
 *
 * The bits lie apart from the rows: testing presence then touches 128 KB for a million entities,
 * and intersecting two types reads two short streams.
 *
 * Invariant:  bit i set <=> i has a value;  count = bits set;  i has a value => i < extent and its
 * page of rows exists;
 *             a presence page exists => the table of rows has entries for all of it;
 *             a page of rows over which no bit is set is the spare, or waits as reserved
 */
#include "store/storage.h"

bool setti_array_reserve(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    uint32_t number = index >> SETTI_BITS_SHIFT;
    uint32_t pages = (number + 1) << (SETTI_BITS_SHIFT - storage->shift);
    bool fresh;
    if (setti_storage_word(storage, index) != NULL &&
        (storage->kind == SETTI_TAG || storage->rows.data[index >> storage->shift] != NULL)) {
        return true;
    }
    if (storage->kind == SETTI_ARRAY) {
        bool fresh_rows;
        if (!setti_pages_reserve(pool, &storage->rows, pages) ||
            !setti_pages_ensure(pool, &storage->rows, index >> storage->shift, &fresh_rows)) {
            return false;
        }
    }
    if (!setti_pages_ensure(pool, &storage->presence, number, &fresh)) {
        return false;
    }
    if (fresh) {
        memset(storage->presence.data[number], 0, storage->presence.size);
    }
    return true;
}

bool setti_array_reserve_tables(setti_pool* pool, setti_storage* storage, uint32_t extent)
{
    uint32_t pages = (extent + SETTI_BITS_ROWS - 1) >> SETTI_BITS_SHIFT;
    return (storage->kind == SETTI_TAG ||
            setti_pages_reserve(pool, &storage->rows,
                                pages << (SETTI_BITS_SHIFT - storage->shift))) &&
           setti_pages_reserve(pool, &storage->presence, pages);
}

void* setti_array_insert(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t* count)
{
    uint32_t rows = setti_storage_rows(storage);
    uint32_t end = index + SETTI_MIN(*count, rows - (index & (rows - 1)));
    setti_pages_write(pool, &storage->presence, index >> SETTI_BITS_SHIFT);
    setti_storage_write(pool, storage, index); /* first: what is kept is told by the bits */
    for (uint32_t at = index; at < end;) {
        uint32_t until = SETTI_MIN(end, (at | 63) + 1);
        uint64_t mask = setti_bits_below(until - at) << (at % 64);
        uint64_t* word = setti_storage_word(storage, at);
        SETTI_ASSERT((*word & mask) == 0);
        *word |= mask;
        at = until;
    }
    for (uint32_t at = index; storage->tracked && at < end; at++) {
        *setti_storage_tick(storage, at) = pool->tick;
    }
    *count = end - index;
    storage->count += *count;
    storage->extent = SETTI_MAX(storage->extent, end);
    return setti_storage_at(storage, index);
}

void setti_array_erase(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    setti_pages_write(pool, &storage->presence, index >> SETTI_BITS_SHIFT);
    setti_erased erased = setti_array_try_erase(pool, storage, index);
    SETTI_ASSERT(erased != SETTI_NOT_ERASED);
    if (erased == SETTI_EMPTIED) {
        setti_array_word_emptied(pool, storage, index);
    }
}

/* Whether the page of rows with this number has no value in it. */
static bool array_page_is_empty(const setti_storage* storage, uint32_t number)
{
    uint32_t rows = setti_storage_rows(storage);
    const uint64_t* word = setti_storage_word(storage, number << storage->shift);
    for (uint32_t k = 0; word != NULL && k < rows / 64; k++) {
        if (word[k] != 0) {
            return false;
        }
    }
    return true;
}

/* The stretch that became empty last is kept, so that an entity which toggles its component does
 * not pay for pages each time. */
void setti_array_word_emptied(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    uint32_t number = index >> storage->shift;
    if (storage->spare != number && array_page_is_empty(storage, number)) {
        setti_array_trim(pool, storage);
        storage->spare = number;
    }
}

static void array_free_bits(setti_pool* pool, setti_storage* storage, uint32_t number)
{
    const uint64_t* words = setti_pages_get(&storage->presence, number);
    for (uint32_t k = 0; words != NULL && k < SETTI_BITS_WORDS; k++) {
        if (words[k] != 0) {
            return;
        }
    }
    if (words != NULL) {
        setti_pages_free(pool, &storage->presence, number);
    }
}

void setti_array_trim(setti_pool* pool, setti_storage* storage)
{
    uint32_t spare = storage->spare;
    storage->spare = SETTI_NONE;
    if (spare == SETTI_NONE || !array_page_is_empty(storage, spare)) {
        return;
    }
    if (storage->kind == SETTI_ARRAY) {
        setti_pages_free(pool, &storage->rows, spare);
    }
    array_free_bits(pool, storage, spare >> (SETTI_BITS_SHIFT - storage->shift));
    uint32_t pages = (storage->extent + setti_storage_rows(storage) - 1) >> storage->shift;
    /* the last one went: the extent falls to the end of the last that has values */
    if (pages == spare + 1) {
        while (pages > 0 && array_page_is_empty(storage, pages - 1)) {
            pages--;
        }
        storage->extent = pages << storage->shift;
    }
}

uint32_t setti_array_next(const setti_storage* storage, uint32_t* cursor)
{
    uint32_t at = *cursor;
    while (at < storage->extent) {
        const uint64_t* word = setti_storage_word(storage, at);
        if (word == NULL) {
            at = (at | (SETTI_BITS_ROWS - 1)) + 1;
        } else if ((*word >> (at % 64)) == 0) {
            at = (at | 63) + 1;
        } else {
            at += setti_bits_lowest(*word >> (at % 64));
            *cursor = at + 1;
            return at;
        }
    }
    *cursor = at;
    return SETTI_NONE;
}

const char* setti_array_validate(const setti_storage* storage)
{
    uint32_t found = 0;
    for (uint32_t number = 0; number < storage->presence.count; number++) {
        const uint64_t* words = storage->presence.data[number];
        uint32_t pages = (number + 1) << (SETTI_BITS_SHIFT - storage->shift);
        if (words != NULL && storage->kind == SETTI_ARRAY && storage->rows.count < pages) {
            return "array: the table of rows is shorter than the bits";
        }
        for (uint32_t k = 0; words != NULL && k < SETTI_BITS_WORDS; k++) {
            uint32_t start = (number << SETTI_BITS_SHIFT) + k * 64;
            uint32_t room = storage->extent > start ? storage->extent - start : 0;
            found += setti_bits_count(words[k]);
            if ((words[k] & ~setti_bits_below(room)) != 0) {
                return "array: a value beyond the extent";
            }
            if (words[k] != 0 && storage->kind == SETTI_ARRAY &&
                storage->rows.data[start >> storage->shift] == NULL) {
                return "array: a value without a page";
            }
        }
    }
    return found == storage->count ? NULL : "array: count is not the number of bits";
}
