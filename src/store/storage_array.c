/* storage_array.c: an array in pages, for arrays and tags. The entity's index is the place of the
 * value, and values never move.
 *
 * The workload: common components, loops over several components, entities created and destroyed
 * all the time. Adding sets a bit, and removing clears a bit. The AND of two words gives the
 * entities with two components.
 *
 *     presence   [ 8,192 bits ] [  NULL  ] [ 8,192 bits ]    a bit for each entity
 *     rows       [p][p][p][ ][p][ ][ ][p] ...                pages with values; a tag has no rows
 *     page       row 0 | row 1 | ... | ticks, if tracked
 *
 * The tables of pages have a bit for each existing page (setti_pages_next). So a walk skips missing
 * pages. The bits of presence are apart from the rows. So tests of presence touch little memory.
 *
 * Invariant:  bit i is set <=> i has a value;  count = number of set bits;
 *             i has a value => i < extent, and the page with row i exists;
 *             a page of presence exists => the table of rows covers all indices of the page;
 *             a page of rows exists => the page of presence of these rows exists;
 *             a page of rows without a set bit is the spare, is reserved, or became empty while the
 *             pool was pinned
 */
#include "store/storage.h"

#define ARRAY_BLANK 128 /* the most empty pages of presence that are kept, of 1 KB each */

/* Whether a page of presence is unused: in a tag, if no bit is set; in an array, if there is no
 * page of rows for the indices. */
static bool array_bits_are_empty(const setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(setti_pages_get(&storage->presence, number) != NULL);
    if (storage->kind == SETTI_TAG) {
        return !setti_bits_any(storage->presence.data[number], SETTI_BITS_WORDS);
    }
    uint32_t row_pages = 1u << (SETTI_BITS_SHIFT - storage->shift); /* for a page of presence */
    uint32_t first = number * row_pages;
    SETTI_ASSERT(first + row_pages <= storage->rows.count);
    const uint64_t* bits = setti_pages_bits(&storage->rows) + first / 64;
    if (row_pages < 64) { /* the bits of these pages are a part of a word */
        return ((bits[0] >> (first % 64)) & setti_bits_below(row_pages)) == 0;
    }
    return !setti_bits_any(bits, row_pages / 64);
}

void* setti_array_insert(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t* count)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE && setti_storage_word(storage, index) != NULL);
    uint32_t rows = setti_storage_rows(storage);
    uint32_t page_rest = rows - (index & (rows - 1)); /* rows of the page from `index` on */
    uint32_t end = index + SETTI_MIN(*count, page_rest);
    setti_pages_write(pool, &storage->presence, index >> SETTI_BITS_SHIFT);
    /* this write precedes the setting of the bits: a snapshot that saves the page reads the bits */
    setti_storage_write(pool, storage, index);
    for (uint32_t position = index; position < end;) {
        uint32_t word_end = SETTI_MIN(end, (position | 63) + 1); /* | 63: the word's last bit */
        uint64_t mask = setti_bits_below(word_end - position) << (position % 64);
        uint64_t* word = setti_storage_word(storage, position);
        SETTI_ASSERT((*word & mask) == 0);
        *word |= mask;
        position = word_end;
    }
    for (uint32_t position = index; storage->tracked && position < end; position++) {
        *setti_storage_tick(storage, position) = pool->tick;
    }
    *count = end - index;
    storage->count += *count;
    storage->extent = SETTI_MAX(storage->extent, end);
    return setti_storage_at(storage, index);
}

void setti_array_erase(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->count != 0 && setti_bitmap_has(storage, index));
    setti_pages_write(pool, &storage->presence, index >> SETTI_BITS_SHIFT);
    setti_erased erased = setti_array_try_erase(pool, storage, index);
    SETTI_ASSERT(erased != SETTI_NOT_ERASED);
    if (erased == SETTI_EMPTIED) {
        setti_array_word_emptied(pool, storage, index);
    }
}

/* Whether no row of the page `number` has a value. */
static bool array_page_is_empty(const setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE);
    const uint64_t* words = setti_storage_word(storage, number << storage->shift);
    return storage->count == 0 || words == NULL ||
           !setti_bits_any(words, setti_storage_rows(storage) / 64);
}

/* Frees the pages of presence that have no pages of rows. */
static void array_free_blank(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->kind == SETTI_ARRAY);
    setti_pages* pages = &storage->presence;
    for (uint32_t k = setti_pages_next(pages, 0); k != SETTI_NONE;
         k = setti_pages_next(pages, k + 1)) {
        if (array_bits_are_empty(storage, k)) {
            setti_pages_free(pool, pages, k);
        }
    }
    storage->blank = 0;
}

/* Lowers the extent to the end of the last page. */
static void array_lower_extent(setti_storage* storage)
{
    if (storage->count == 0) {
        storage->extent = 0;
        return;
    }
    bool is_tag = storage->kind == SETTI_TAG;
    const setti_pages* pages = is_tag ? &storage->presence : &storage->rows;
    uint32_t shift = is_tag ? SETTI_BITS_SHIFT : storage->shift;
    uint32_t last = (storage->extent - 1) >> shift;
    if (setti_pages_get(pages, last) == NULL) {
        last = setti_pages_last(pages, last);
        SETTI_ASSERT(last != SETTI_NONE);
        storage->extent = (last + 1) << shift;
    }
}

/* Call after the page of rows `page` was freed. Lowers the extent. If the page of presence is now
 * unused, a tag frees this page. An array keeps up to ARRAY_BLANK of these pages. */
static void array_update_after_free(setti_pool* pool, setti_storage* storage, uint32_t page)
{
    SETTI_ASSERT(setti_pages_get(&storage->rows, page) == NULL);
    uint32_t page_of_bits = page >> (SETTI_BITS_SHIFT - storage->shift);
    if (setti_pages_get(&storage->presence, page_of_bits) != NULL &&
        array_bits_are_empty(storage, page_of_bits)) {
        if (storage->kind == SETTI_TAG) {
            setti_pages_free(pool, &storage->presence, page_of_bits);
        } else if (++storage->blank > ARRAY_BLANK) {
            array_free_blank(pool, storage);
        }
    }
    array_lower_extent(storage);
}

/* Frees the spare page if the page is still empty. Afterwards there is no spare. */
static void array_free_spare(setti_pool* pool, setti_storage* storage)
{
    uint32_t spare = storage->spare;
    storage->spare = SETTI_NONE;
    if (spare == SETTI_NONE || !array_page_is_empty(storage, spare)) {
        return;
    }
    if (storage->kind == SETTI_ARRAY) {
        setti_pages_free(pool, &storage->rows, spare);
    }
    array_update_after_free(pool, storage, spare);
}

/* Moves the spare page to the entry `number`, which has no page. Returns false if there is no empty
 * spare, or if the spare must stay in place. */
static bool array_move_spare(setti_pool* pool, setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(storage->kind == SETTI_ARRAY && storage->rows.data[number] == NULL);
    uint32_t spare = storage->spare;
    if (pool->cow_from != 0 || pool->pinned != 0) {
        return false; /* a snapshot or a reservation may need the spare in place */
    }
    if (spare == SETTI_NONE || !array_page_is_empty(storage, spare)) {
        return false;
    }
    storage->spare = SETTI_NONE;
    setti_pages_move(pool, &storage->rows, spare, number);
    array_update_after_free(pool, storage, spare);
    return true;
}

/* Creates the page of presence of an index. Returns false if memory runs out. */
static bool array_add_presence(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    bool created; /* not needed */
    uint32_t number = index >> SETTI_BITS_SHIFT;
    /* entries of the table of rows, up to the last index of the page of presence */
    uint32_t row_pages = (number + 1) << (SETTI_BITS_SHIFT - storage->shift);
    if (storage->kind == SETTI_ARRAY && !setti_pages_reserve(pool, &storage->rows, row_pages)) {
        return false;
    }
    if (!setti_pages_ensure(pool, &storage->presence, number, &created)) {
        return false;
    }
    memset(storage->presence.data[number], 0, storage->presence.size);
    if (index >> SETTI_READ_SHIFT != 0) { /* too high for inlined reads */
        storage->far = true;
        setti_storage_update_access(storage);
    }
    return true;
}

bool setti_array_reserve(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE && index != SETTI_NONE);
    uint32_t presence_page = index >> SETTI_BITS_SHIFT;
    uint32_t row_page = index >> storage->shift;
    if (storage->spare == row_page) {
        storage->spare = SETTI_NONE; /* no removal may free the page now */
    }
    bool missing = setti_pages_get(&storage->presence, presence_page) == NULL;
    if (missing && !array_add_presence(pool, storage, index)) {
        return false;
    }
    if (storage->kind == SETTI_TAG || storage->rows.data[row_page] != NULL) {
        return true;
    }
    if (!missing && storage->blank != 0 && array_bits_are_empty(storage, presence_page)) {
        storage->blank--; /* the page of presence gets a page of rows again */
    }
    bool created; /* not needed */
    if (array_move_spare(pool, storage, row_page)) {
        return true;
    }
    return setti_pages_ensure(pool, &storage->rows, row_page, &created);
}

/* Makes the page `number` the spare, if the page is empty. Frees the previous spare. */
static void array_keep_spare(setti_pool* pool, setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(pool->pinned == 0);
    if (storage->spare != number && array_page_is_empty(storage, number)) {
        array_free_spare(pool, storage);
        storage->spare = number;
    }
}

void setti_array_word_emptied(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE && !setti_bitmap_has(storage, index));
    uint32_t number = index >> storage->shift;
    if (SETTI_LIKELY(pool->pinned == 0)) {
        array_keep_spare(pool, storage, number);
    } else if (array_page_is_empty(storage, number)) {
        setti_storage_note_stray(pool, storage, number);
    }
}

/* Frees all empty pages. */
static void array_free_empty(setti_pool* pool, setti_storage* storage)
{
    bool is_tag = storage->kind == SETTI_TAG;
    const setti_pages* pages = is_tag ? &storage->presence : &storage->rows;
    storage->spare = SETTI_NONE;
    for (uint32_t number = setti_pages_next(pages, 0); number != SETTI_NONE;
         number = setti_pages_next(pages, number + 1)) {
        if (is_tag) { /* the call frees the page if no bit is set */
            array_update_after_free(pool, storage, number << (SETTI_BITS_SHIFT - storage->shift));
        } else if (array_page_is_empty(storage, number)) {
            setti_pages_free(pool, &storage->rows, number);
            array_update_after_free(pool, storage, number);
        }
    }
}

void setti_array_free_strays(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->stray != SETTI_NONE);
    if (storage->stray == SETTI_STRAYS) {
        array_free_empty(pool, storage);
    } else {
        array_keep_spare(pool, storage, storage->stray);
    }
}

void setti_array_trim(setti_pool* pool, setti_storage* storage)
{
    array_free_spare(pool, storage);
    if (storage->kind == SETTI_ARRAY) {
        array_free_blank(pool, storage);
    }
}

uint32_t setti_array_seek(const setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE);
    uint32_t number = setti_pages_next(&storage->presence, index >> SETTI_BITS_SHIFT);
    if (number == SETTI_NONE) {
        return SETTI_NONE;
    }
    index = SETTI_MAX(index, number << SETTI_BITS_SHIFT);
    if (storage->kind == SETTI_TAG) {
        return index;
    }
    number = setti_pages_next(&storage->rows, index >> storage->shift);
    if (number == SETTI_NONE) {
        return SETTI_NONE;
    }
    return SETTI_MAX(index, number << storage->shift);
}

uint32_t setti_array_end(const setti_storage* storage)
{
    if (storage->count == 0) {
        return 0;
    }
    for (uint32_t end = storage->extent;;) {
        /* the first index of the word that has the bit of index end - 1 */
        uint32_t start = (end - 1) & ~(uint32_t)63;
        const uint64_t* word = setti_storage_word(storage, start);
        if (word != NULL && *word != 0) {
            return start + setti_bits_highest(*word) + 1;
        }
        end = start;
        if (word == NULL) {
            uint32_t number = setti_pages_last(&storage->presence, start >> SETTI_BITS_SHIFT);
            end = (number + 1) << SETTI_BITS_SHIFT;
        }
    }
}

uint32_t setti_array_next(const setti_storage* storage, uint32_t* cursor)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE);
    uint32_t index = *cursor;
    while (index < storage->extent) {
        const uint64_t* word = setti_storage_word(storage, index);
        if (word == NULL) {
            index = setti_array_seek(storage, index); /* SETTI_NONE ends the loop */
        } else if ((*word >> (index % 64)) == 0) {
            index = (index | 63) + 1; /* the first index of the next word */
        } else {
            index += setti_bits_lowest(*word >> (index % 64));
            *cursor = index + 1;
            return index;
        }
    }
    *cursor = storage->extent;
    return SETTI_NONE;
}

SETTI_COLD const char* setti_array_validate(const setti_storage* storage)
{
    uint32_t found = 0;
    for (uint32_t number = 0; number < storage->presence.count; number++) {
        const uint64_t* words = storage->presence.data[number];
        uint32_t row_pages = (number + 1) << (SETTI_BITS_SHIFT - storage->shift);
        if (words == NULL) {
            continue;
        }
        if (storage->kind == SETTI_ARRAY && storage->rows.count < row_pages) {
            return "array: the table of rows is shorter than the bits";
        }
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++) {
            uint32_t start = (number << SETTI_BITS_SHIFT) + k * 64;
            uint32_t allowed = 0; /* number of the word's lowest bits that may be set */
            if (storage->extent > start) {
                allowed = storage->extent - start;
            }
            found += setti_bits_count(words[k]);
            if ((words[k] & ~setti_bits_below(allowed)) != 0) {
                return "array: a value beyond the extent";
            }
            if (words[k] != 0 && storage->kind == SETTI_ARRAY &&
                storage->rows.data[start >> storage->shift] == NULL) {
                return "array: a value without a page";
            }
        }
    }
    for (uint32_t number = 0; number < storage->rows.count; number++) {
        if (storage->rows.data[number] != NULL &&
            setti_storage_word(storage, number << storage->shift) == NULL) {
            return "array: a page of rows without bits";
        }
    }
    return found == storage->count ? NULL : "array: count is not the number of bits";
}
