/* compare.c: finds all differences between two snapshots, or a snapshot and the live world.
 *
 * The workload: a large world in which some pages of values are written, and some entities created
 * or destroyed. Only pages that differ are compared (view.h), and equal values are skipped.
 *
 * For each type, the indices that may differ are marked, in a set. Two kinds of pages give the
 * marks: the pages of presence, and the pages of rows. Then each marked index is visited once,
 * ascending.
 *
 * Invariant:  an index without a mark has the same presence, handle and bytes on both sides
 */
#include "state/compare.h"

#include "base/bits.h"
#include "base/bytes.h"
#include "state/hash.h"

void setti_marks_clear(setti_marks* marks)
{
    /* no word is in use now: bits that stay in marks->word do not count */
    memset(marks->used, 0, (marks->words / 64 + 1) * sizeof(uint64_t));
}

/* Returns the next used word after the word `number`, or marks->words if there is none. `number` is
 * SIZE_MAX to find the first used word: SIZE_MAX + 1 is 0. */
static size_t marks_next_word(const setti_marks* marks, size_t number)
{
    for (number++; number < marks->words; number = (number / 64 + 1) * 64) {
        uint64_t used_from_here = marks->used[number / 64] >> (number % 64);
        if (used_from_here != 0) {
            return number + setti_bits_lowest(used_from_here);
        }
    }
    return marks->words;
}

/* Returns the bits of a word, or 0 if the word is not in use. */
static uint64_t marks_get(const setti_marks* marks, size_t number)
{
    bool used = (marks->used[number / 64] >> (number % 64) & 1) != 0;
    return used ? marks->word[number] : 0;
}

void setti_marks_join(setti_marks* marks, const setti_marks* added)
{
    SETTI_ASSERT(marks->words == added->words);
    for (size_t number = marks_next_word(added, SIZE_MAX); number < added->words;
         number = marks_next_word(added, number)) {
        *setti_marks_word(marks, number) |= added->word[number];
    }
}

bool setti_marks_next(const setti_marks* marks, uint32_t* index)
{
    SETTI_ASSERT(*index == SETTI_NONE || *index / 64 < marks->words);
    size_t number = SIZE_MAX; /* marks_next_word begins at word 0 */
    if (*index != SETTI_NONE) {
        uint32_t bit = *index % 64;
        number = *index / 64;
        uint64_t later_bits = 0; /* the bits after *index in the same word */
        if (bit < 63) {          /* a shift by 64 is undefined */
            later_bits = marks->word[number] >> (bit + 1);
        }
        if (later_bits != 0) {
            *index += 1 + setti_bits_lowest(later_bits);
            return true;
        }
    }
    do { /* a used word can have no bits */
        number = marks_next_word(marks, number);
    } while (number < marks->words && marks->word[number] == 0);
    if (number >= marks->words) {
        return false;
    }
    *index = (uint32_t)number * 64 + setti_bits_lowest(marks->word[number]);
    return true;
}

/* Reports a slot whose generations differ. */
static void compare_slot(setti_compare* compare, sett_entity before, sett_entity after)
{
    /* an entity that was alive before has ended, and an entity that is alive now has begun */
    const sett_entity* ended = (before.generation & SETTI_DEAD) == 0 ? &before : NULL;
    const sett_entity* begun = (after.generation & SETTI_DEAD) == 0 ? &after : NULL;
    bool differs = ended != NULL || begun != NULL; /* otherwise only the generation differs */
    if (differs && compare->sink->entity != NULL) {
        compare->sink->entity(compare->sink, ended, begun);
    }
    if (begun != NULL) {
        setti_marks_add(&compare->begun, after.index);
    }
}

void setti_compare_entities(setti_compare* compare)
{
    SETTI_ASSERT(compare->sink != NULL);
    setti_view_slot slot = {.index = SETTI_NONE};
    setti_marks_clear(&compare->begun);
    while (setti_view_next_slot(compare->view, &slot)) {
        compare_slot(compare, (sett_entity){slot.index, slot.generation[SETTI_BEFORE]},
                     (sett_entity){slot.index, slot.generation[SETTI_AFTER]});
    }
}

/* Returns true if at least one of eight neighbouring rows differs. */
SETTI_INLINE bool compare_eight(const unsigned char* before, const unsigned char* after,
                                size_t size)
{
    uint64_t differs = 0;
    size_t offset = 0;
#if defined(__GNUC__) /* gcc 12 needs twice the instructions without vectors */
    typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));
    pair differ_pair = {0, 0};
    for (; offset + 16 <= 8 * size; offset += 16) { /* eight rows have 8 * size bytes */
        differ_pair |= *(const pair*)(before + offset) ^ *(const pair*)(after + offset);
    }
    differs = differ_pair[0] | differ_pair[1];
#endif
    for (; offset < 8 * size; offset += 8) {
        differs |= setti_bytes_get(before + offset, 8) ^ setti_bytes_get(after + offset, 8);
    }
    return differs != 0;
}

/* Prefetches `size` bytes of a page, beginning at an offset. */
SETTI_INLINE void compare_load(const unsigned char* page, size_t offset, size_t size)
{
    for (size_t line = 0; line < size; line += 64) { /* a cache line has 64 bytes */
        SETTI_PREFETCH(page + offset + line);
    }
}

/* Finds the rows that differ, and prefetches the page `next`. `next` may be NULL. With a constant
 * `size` this function takes a fifth of the time of memcmp. */
SETTI_INLINE void compare_rows_of(setti_compare_rows* rows, const setti_view_page* next,
                                  size_t size)
{
    const unsigned char* before = rows->before;
    const unsigned char* after = rows->after;
    for (uint32_t n = 0; n < rows->words; n++, before += 64 * size, after += 64 * size) {
        uint32_t eights = 0; /* bit k: some of the rows 8 k to 8 k + 7 differ */
        for (uint32_t k = 0; k < 8; k++) {
            if (next != NULL) { /* waiting for memory takes most of the time */
                compare_load(next->in[SETTI_BEFORE], (n * 64 + k * 8) * size, 8 * size);
                compare_load(next->in[SETTI_AFTER], (n * 64 + k * 8) * size, 8 * size);
            }
            uint32_t differs = compare_eight(before + k * 8 * size, after + k * 8 * size, size);
            eights |= differs << k;
        }
        uint64_t bits = 0;
        for (; eights != 0; eights &= eights - 1) { /* the rows of eights that differ, one by one */
            uint32_t first = 8 * setti_bits_lowest(eights);
            for (uint32_t row = first; row < first + 8; row++) {
                uint64_t differs = memcmp(before + row * size, after + row * size, size) != 0;
                bits |= differs << row;
            }
        }
        rows->bits[n] = bits;
    }
}

/* Calls compare_rows_of. The compiler makes a faster copy of the function for each usual size. */
static void compare_rows(setti_compare_rows* rows, const setti_view_page* next, size_t size)
{
#define COMPARE_ROWS(n) compare_rows_of(rows, next, n)
    SETTI_COMPARE_BY_SIZE(size, COMPARE_ROWS);
}

/* Reports the rows that differ and have a value of the same entity on both sides. */
static void compare_report_rows(setti_compare* compare, const setti_storage* storage,
                                setti_compare_rows* rows)
{
    setti_view* view = compare->view;
    const setti_pages* entities = &view->world->entities.pages;
    uint32_t first_word = rows->first / 64;
    uint64_t reported_bits = 0;
    for (uint32_t side = 0; side < 2; side++) { /* drops rows without a value on the side */
        const uint64_t* words =
            setti_view_get(view, &storage->presence, rows->first >> SETTI_BITS_SHIFT, side);
        for (uint32_t k = 0; k < rows->words; k++) {
            uint32_t word = (first_word + k) & (SETTI_BITS_WORDS - 1); /* in the page of presence */
            rows->bits[k] &= words != NULL ? words[word] : 0;
        }
    }
    for (uint32_t k = 0; k < rows->words; k++) { /* drops rows whose entity is another one now */
        rows->bits[k] &= ~marks_get(&compare->begun, first_word + k);
        reported_bits |= rows->bits[k];
    }
    if (reported_bits != 0) {
        const setti_entity_page* page =
            setti_view_get(view, entities, rows->first >> SETTI_ENTITY_SHIFT, SETTI_AFTER);
        SETTI_ASSERT(page != NULL);
        rows->generation = page->generation + (rows->first & SETTI_ENTITY_MASK);
        compare->sink->rows(compare->sink, rows);
    }
}

static_assert(SETTI_COMPARE_WORDS * 64 <= SETTI_ENTITY_ROWS &&
                  SETTI_COMPARE_WORDS <= SETTI_BITS_WORDS,
              "rows lie in one page of entities, and one of presence");

/* Finds the rows of an array's page that differ. Reports the rows if both sides have the page and
 * the sink has the callback `rows`. Otherwise marks the indices. */
static void compare_array_page(setti_compare* compare, const setti_storage* storage,
                               const setti_view_page* page, const setti_view_page* next)
{
    uint32_t words = setti_storage_rows(storage) / 64;
    size_t first_word = (size_t)page->number * words;
    SETTI_ASSERT(storage->kind != SETTI_SPARSE && words <= SETTI_COMPARE_WORDS);
    setti_compare_rows rows = {.words = words,
                               .first = (uint32_t)first_word * 64,
                               .before = page->in[SETTI_BEFORE],
                               .after = page->in[SETTI_AFTER]};
    if (rows.before == NULL || rows.after == NULL) {
        memset(rows.bits, 255, sizeof(rows.bits)); /* a page on one side only: all rows differ */
    } else {
        bool prefetches = next != NULL && next->in[0] != NULL && next->in[1] != NULL;
        compare_rows(&rows, prefetches ? next : NULL, storage->size);
        if (compare->sink->rows != NULL) {
            compare_report_rows(compare, storage, &rows);
            return;
        }
    }
    for (uint32_t k = 0; k < words; k++) {
        if (rows.bits[k] != 0) {
            *setti_marks_word(&compare->bits, first_word + k) |= rows.bits[k];
        }
    }
}

/* Marks the indices that have a value of an array on one side only. */
static void compare_mark_presence(setti_compare* compare, const setti_storage* storage)
{
    uint32_t cursor = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(compare->view, &storage->presence, &cursor)) != NULL) {
        const uint64_t* before = page->in[SETTI_BEFORE];
        const uint64_t* after = page->in[SETTI_AFTER];
        size_t first_word = (size_t)page->number * SETTI_BITS_WORDS;
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++) {
            uint64_t bits_before = before != NULL ? before[k] : 0;
            uint64_t bits_after = after != NULL ? after[k] : 0;
            uint64_t differs = bits_before ^ bits_after;
            if (differs != 0) {
                *setti_marks_word(&compare->bits, first_word + k) |= differs;
            }
        }
    }
}

static void compare_mark_array(setti_compare* compare, const setti_storage* storage)
{
    compare_mark_presence(compare, storage);
    uint32_t cursor = SETTI_NONE;
    const setti_view_page* next = setti_view_next(compare->view, &storage->rows, &cursor);
    while (next != NULL) {
        const setti_view_page page = *next; /* setti_view_next may reuse the address */
        next = setti_view_next(compare->view, &storage->rows, &cursor);
        compare_array_page(compare, storage, &page, next);
    }
}

/* Marks the entity index of a row, unless the row is free. */
static void compare_mark_index(setti_compare* compare, const void* index_column)
{
    uint32_t index;
    memcpy(&index, index_column, sizeof(index));
    if (index != SETTI_NONE) {
        setti_marks_add(&compare->bits, index);
    }
}

/* Compares the rows of a page from `begin` to `end` - 1, and marks the entities of rows that
 * differ. Row numbers count through all pages. `extent` is the number of rows in use on each
 * side. */
static void compare_mark_rows(setti_compare* compare, const setti_storage* storage,
                              const setti_view_page* page, uint32_t begin, uint32_t end,
                              const uint32_t extent[2])
{
    const unsigned char* before = page->in[SETTI_BEFORE];
    const unsigned char* after = page->in[SETTI_AFTER];
    uint32_t first = page->number << storage->shift;
    uint32_t page_end = SETTI_MIN(first + setti_storage_rows(storage), end);
    size_t size = storage->size;
    for (uint32_t row = SETTI_MAX(first, begin); row < page_end; row++) {
        size_t k = row - first; /* the number of the row in the page */
        size_t index_offset = storage->indices + k * sizeof(uint32_t);
        bool in_before = before != NULL && row < extent[SETTI_BEFORE];
        bool in_after = after != NULL && row < extent[SETTI_AFTER];
        bool same_index =
            in_before && in_after &&
            memcmp(before + index_offset, after + index_offset, sizeof(uint32_t)) == 0;
        if (same_index && memcmp(before + k * size, after + k * size, size) == 0) {
            continue;
        }
        if (in_before) {
            compare_mark_index(compare, before + index_offset);
        }
        if (in_after && !same_index) { /* otherwise the index is marked already */
            compare_mark_index(compare, after + index_offset);
        }
    }
}

/* Marks the entities of the rows from `begin` to `end` - 1. Only one side uses these rows, so they
 * differ even if the pages are equal. */
static void compare_mark_rest(setti_compare* compare, const setti_storage* storage, uint32_t begin,
                              uint32_t end, const uint32_t extent[2])
{
    if (begin == end) {
        return;
    }
    uint32_t last = (end - 1) >> storage->shift; /* the number of the last page */
    for (uint32_t number = begin >> storage->shift; number <= last; number++) {
        setti_view_page page = {&storage->rows, number, {NULL, NULL}};
        for (uint32_t side = 0; side < 2; side++) {
            page.in[side] = setti_view_get(compare->view, &storage->rows, number, side);
        }
        compare_mark_rows(compare, storage, &page, begin, end, extent);
    }
}

static void compare_mark_sparse(setti_compare* compare, const setti_type* type)
{
    const setti_storage* storage = &type->storage;
    uint32_t cursor = SETTI_NONE;
    const setti_view_page* page;
    const uint32_t extent[2] = {setti_view_extent(compare->view, type, SETTI_BEFORE),
                                setti_view_extent(compare->view, type, SETTI_AFTER)};
    uint32_t common_end = SETTI_MIN(extent[0], extent[1]);
    uint32_t end = SETTI_MAX(extent[0], extent[1]);
    while ((page = setti_view_next(compare->view, &storage->rows, &cursor)) != NULL) {
        compare_mark_rows(compare, storage, page, 0, end, extent);
    }
    compare_mark_rest(compare, storage, common_end, end, extent);
}

/* Marks the sources of all links in pages that differ. */
static void compare_mark_records(setti_compare* compare, const setti_records* records)
{
    setti_view* view = compare->view;
    uint32_t cursor = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(view, records->pages, &cursor)) != NULL) {
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t first = page->number << records->shift;
            uint64_t end = (uint64_t)first + ((uint64_t)1 << records->shift);
            /* the first number in the root is the count of records */
            end = SETTI_MIN(end, (uint64_t)setti_view_number(view, records->root, side));
            for (uint32_t record = first; record < end; record++) {
                uint32_t index;
                memcpy(&index, setti_view_record(view, records, record, side) + records->source,
                       sizeof(index));
                setti_marks_add(&compare->bits, index);
            }
        }
    }
}

/* Returns true if a source has equal links on both sides. `before` and `after` are the source's
 * values. */
static bool compare_same_records(setti_view* view, const setti_type* type, const void* before,
                                 const void* after)
{
    SETTI_ASSERT(type->records != NULL);
    const setti_records* records = type->records;
    setti_view_list list_before = setti_view_records(type, before);
    setti_view_list list_after = setti_view_records(type, after);
    if (list_before.left != list_after.left) {
        return false;
    }
    const unsigned char* a;
    while ((a = setti_view_next_record(view, records, &list_before, SETTI_BEFORE)) != NULL) {
        const unsigned char* b = setti_view_next_record(view, records, &list_after, SETTI_AFTER);
        if (memcmp(a + records->target, b + records->target, sizeof(sett_entity)) != 0) {
            return false;
        }
        if (!setti_hash_same(type->data_type, a + records->data, b + records->data)) {
            return false;
        }
    }
    return true;
}

void setti_compare_mark(setti_compare* compare, const setti_type* type)
{
    if (type->storage.kind == SETTI_SPARSE) {
        compare_mark_sparse(compare, type);
    } else {
        compare_mark_array(compare, &type->storage);
    }
    if (type->records != NULL) {
        compare_mark_records(compare, type->records);
    }
}

/* The latest pages that a walk over indices has read. Neighbouring indices share pages. */
typedef struct compare_cache {
    setti_view_page presence;
    setti_view_page rows;
    setti_view_page entities;
} compare_cache;

/* Returns the contents of a page of the table `pages` on both sides. *latest is the page of the
 * previous call for this table. */
static inline const void* const* compare_page(setti_view* view, setti_view_page* latest,
                                              const setti_pages* pages, uint32_t number)
{
    if (latest->pages == NULL || latest->number != number) {
        latest->pages = pages;
        latest->number = number;
        latest->in[SETTI_BEFORE] = setti_view_get(view, pages, number, SETTI_BEFORE);
        latest->in[SETTI_AFTER] = setti_view_get(view, pages, number, SETTI_AFTER);
    }
    return latest->in;
}

/* Finds the entities at an index, by side. `out` is null on a side without an entity. */
static void compare_find_entities(setti_view* view, compare_cache* cache, uint32_t index,
                                  sett_entity out[2])
{
    const void* const* page = compare_page(view, &cache->entities, &view->world->entities.pages,
                                           index >> SETTI_ENTITY_SHIFT);
    for (uint32_t side = 0; side < 2; side++) {
        const setti_entity_page* slots = page[side];
        uint32_t generation = SETTI_UNUSED;
        if (slots != NULL) {
            generation = slots->generation[index & SETTI_ENTITY_MASK];
        }
        bool lives = (generation & SETTI_DEAD) == 0;
        out[side] = lives ? (sett_entity){index, generation} : sett_null();
    }
}

/* Finds the values at an index, by side. `out` is NULL on a side without a value. */
static void compare_find_values(setti_view* view, compare_cache* cache, const setti_type* type,
                                uint32_t index, const void* out[2])
{
    const setti_storage* storage = &type->storage;
    if (storage->kind == SETTI_SPARSE) {
        out[0] = setti_view_value(view, type, index, SETTI_BEFORE);
        out[1] = setti_view_value(view, type, index, SETTI_AFTER);
        return;
    }
    const void* const* presence =
        compare_page(view, &cache->presence, &storage->presence, index >> SETTI_BITS_SHIFT);
    const void* const* rows = NULL; /* NULL: the type is a tag, without rows */
    if (storage->size != 0) {
        rows = compare_page(view, &cache->rows, &storage->rows, index >> storage->shift);
    }
    uint32_t word = index / 64 & (SETTI_BITS_WORDS - 1);
    size_t offset = (size_t)(index & (setti_storage_rows(storage) - 1)) * storage->size;
    for (uint32_t side = 0; side < 2; side++) {
        const uint64_t* words = presence[side];
        bool has = words != NULL && (words[word] >> (index % 64) & 1) != 0;
        if (!has) {
            out[side] = NULL;
        } else if (rows == NULL) {
            out[side] = type; /* a tag has no value: any address will do */
        } else {
            out[side] = (const unsigned char*)rows[side] + offset;
        }
    }
}

/* Returns true if both sides have the same entity, with equal values and equal links. */
static bool compare_is_same(setti_view* view, const setti_type* type, const sett_entity entity[2],
                            const void* const value[2])
{
    if (value[0] == NULL || value[1] == NULL || !sett_equals(entity[0], entity[1])) {
        return false;
    }
    if (!setti_hash_same(type, value[0], value[1])) {
        return false;
    }
    return type->records == NULL || compare_same_records(view, type, value[0], value[1]);
}

/* Reports an index if the values on the two sides differ, or if compare->all is set. */
static void compare_index(setti_compare* compare, compare_cache* cache, const setti_type* type,
                          uint32_t index)
{
    const void* value[2];
    sett_entity entity[2];
    compare_find_values(compare->view, cache, type, index, value);
    if (value[0] == NULL && value[1] == NULL) {
        return;
    }
    compare_find_entities(compare->view, cache, index, entity);
    compare->same = compare_is_same(compare->view, type, entity, value);
    if (compare->all || !compare->same) {
        compare->sink->value(compare->sink, entity[0], value[0], entity[1], value[1]);
    }
}

/* Returns `bits` without the bits of indices that have no value on either side. `bits` is the word
 * `number` of a set of indices. */
static uint64_t compare_present(setti_compare* compare, compare_cache* cache,
                                const setti_storage* storage, uint32_t number, uint64_t bits)
{
    const setti_pages* pages = &storage->presence;
    uint64_t present = 0;
    if (storage->kind == SETTI_SPARSE) {
        return bits; /* compare_index finds out which indices have values */
    }
    const void* const* presence =
        compare_page(compare->view, &cache->presence, pages, number / SETTI_BITS_WORDS);
    for (uint32_t side = 0; side < 2; side++) {
        const uint64_t* words = presence[side];
        if (words != NULL) {
            present |= words[number & (SETTI_BITS_WORDS - 1)];
        }
    }
    return present & bits;
}

void setti_compare_notify(setti_compare* compare, const setti_type* type)
{
    const setti_marks* bits = &compare->bits;
    compare_cache cache = {0};
    SETTI_ASSERT(compare->sink != NULL);
    for (size_t number = marks_next_word(bits, SIZE_MAX); number < bits->words;
         number = marks_next_word(bits, number)) {
        uint32_t first = (uint32_t)number * 64; /* the first index of the word */
        uint64_t present =
            compare_present(compare, &cache, &type->storage, (uint32_t)number, bits->word[number]);
        for (; present != 0; present &= present - 1) {
            compare_index(compare, &cache, type, first + setti_bits_lowest(present));
        }
    }
}

bool setti_compare_concerns(setti_compare* compare, const setti_type* type)
{
    setti_view* view = compare->view;
    const setti_pages* pages[3] = {&type->storage.presence, &type->storage.rows,
                                   type->records != NULL ? type->records->pages : NULL};
    for (uint32_t k = 0; k < 3 && pages[k] != NULL; k++) { /* only pages[2] can be NULL */
        uint32_t cursor = SETTI_NONE;
        if (setti_view_next(view, pages[k], &cursor) != NULL) {
            return true;
        }
    }
    return setti_view_extent(view, type, SETTI_BEFORE) !=
           setti_view_extent(view, type, SETTI_AFTER);
}

void setti_compare_type(setti_compare* compare, const setti_type* type)
{
    if (setti_compare_concerns(compare, type)) {
        setti_marks_clear(&compare->bits);
        /* an entity that began always counts: the ended entity at the index can have an equal
         * value */
        setti_marks_join(&compare->bits, &compare->begun);
        setti_compare_mark(compare, type);
        setti_compare_notify(compare, type);
    }
}

/* Returns the number of words that a set of all indices needs. */
static size_t compare_word_count(setti_view* view)
{
    const sett_world* world = view->world;
    /* `end` is above all indices that an entity or a value has on either side */
    uint64_t end = (uint64_t)setti_view_count(view, &world->entities.pages) << SETTI_ENTITY_SHIFT;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_storage* storage = &world->registered.item[k]->storage;
        bool is_sparse = storage->kind == SETTI_SPARSE;
        uint32_t shift = is_sparse ? SETTI_SPARSE_SHIFT : SETTI_BITS_SHIFT;
        uint64_t presence_end = (uint64_t)setti_view_count(view, &storage->presence) << shift;
        end = SETTI_MAX(end, presence_end);
        if (!is_sparse) { /* rows of arrays are numbered by index */
            uint64_t row_end = (uint64_t)setti_view_count(view, &storage->rows) << storage->shift;
            end = SETTI_MAX(end, row_end);
        }
    }
    return (size_t)(end / 64) + 1;
}

#define COMPARE_SETS 3

/* Returns the number of words that a set of `words` words takes in memory. */
static size_t compare_set_words(size_t words)
{
    return words + words / 64 + 1; /* the array `word`, then the array `used` */
}

/* Returns the size of all sets in bytes. */
static size_t compare_size(size_t words)
{
    return COMPARE_SETS * compare_set_words(words) * sizeof(uint64_t);
}

bool setti_compare_init(setti_view* view, setti_compare* compare)
{
    setti_pool* pool = setti_unconst(&view->world->pool);
    memset(compare, 0, sizeof(*compare));
    setti_marks* set[COMPARE_SETS] = {&compare->bits, &compare->begun, &compare->marked};
    size_t words = compare_word_count(view);
    uint64_t* memory = setti_pool_alloc(pool, compare_size(words), 16);
    if (memory == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < COMPARE_SETS; k++) {
        set[k]->words = words;
        set[k]->word = memory;
        set[k]->used = memory + words;
        memory += compare_set_words(words);
        setti_marks_clear(set[k]);
    }
    compare->view = view;
    return true;
}

void setti_compare_deinit(setti_compare* compare)
{
    setti_pool* pool = setti_unconst(&compare->view->world->pool);
    setti_pool_free(pool, compare->bits.word, compare_size(compare->bits.words), 16);
}
