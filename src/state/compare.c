/* compare.c: finds all differences between two snapshots, or a snapshot and the live world.
 *
 * The workload: a large world in which some pages of values are written, and some entities created
 * or destroyed. Only pages that differ are compared (view.h), and equal values are skipped.
 *
 * For each type, presence and rows give a set of marked indices that may differ. Then each marked
 * index is visited once, ascending, whatever the storage.
 *
 * Invariant:  an index without a mark has the same presence, handle and bytes on both sides
 */
#include "state/compare.h"

#include "base/bits.h"
#include "base/bytes.h"
#include "state/hash.h"

void setti_marks_clear(setti_marks* marks)
{
    memset(marks->used, 0, (marks->words / 64 + 1) * sizeof(uint64_t));
}

/* Returns the number of the next used word after `at`, or marks->words. SIZE_MAX: before word 0. */
static size_t marks_next_word(const setti_marks* marks, size_t at)
{
    for (at++; at < marks->words; at = (at / 64 + 1) * 64) {
        uint64_t rest = marks->used[at / 64] >> (at % 64);
        if (rest != 0) {
            return at + setti_bits_lowest(rest);
        }
    }
    return marks->words;
}

static uint64_t marks_get(const setti_marks* marks, size_t number)
{
    return (marks->used[number / 64] >> (number % 64) & 1) != 0 ? marks->word[number] : 0;
}

void setti_marks_join(setti_marks* marks, const setti_marks* from)
{
    SETTI_ASSERT(marks->words == from->words);
    for (size_t at = marks_next_word(from, SIZE_MAX); at < from->words;
         at = marks_next_word(from, at)) {
        *setti_marks_word(marks, at) |= from->word[at];
    }
}

bool setti_marks_next(const setti_marks* marks, uint32_t* index)
{
    SETTI_ASSERT(*index == SETTI_NONE || *index / 64 < marks->words);
    size_t at = SIZE_MAX; /* marks_next_word begins at word 0 */
    if (*index != SETTI_NONE) {
        uint32_t shift = *index % 64;
        at = *index / 64;
        uint64_t rest = shift < 63 ? marks->word[at] >> (shift + 1) : 0; /* after *index */
        if (rest != 0) {
            *index += 1 + setti_bits_lowest(rest);
            return true;
        }
    }
    do {
        at = marks_next_word(marks, at);
    } while (at < marks->words && marks->word[at] == 0);
    if (at < marks->words) {
        *index = (uint32_t)at * 64 + setti_bits_lowest(marks->word[at]);
    }
    return at < marks->words;
}

/* Reports a slot whose generations differ. */
static void compare_slot(setti_compare* compare, sett_entity before, sett_entity after)
{
    bool ended = (before.generation & SETTI_DEAD) == 0;
    bool begun = (after.generation & SETTI_DEAD) == 0;
    if (compare->sink->entity != NULL && (ended || begun)) {
        compare->sink->entity(compare->sink, ended ? &before : NULL, begun ? &after : NULL);
    }
    if (begun) {
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

/* Returns true if any of eight rows differs. */
SETTI_INLINE bool compare_eight(const unsigned char* before, const unsigned char* after,
                                size_t size)
{
    uint64_t differs = 0;
    size_t at = 0;
#if defined(__GNUC__) /* gcc 12 needs twice the instructions without vectors */
    typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));
    pair differ_pair = {0, 0};
    for (; at + 16 <= 8 * size; at += 16) { /* 8 * size: bytes of eight rows */
        differ_pair |= *(const pair*)(before + at) ^ *(const pair*)(after + at);
    }
    differs = differ_pair[0] | differ_pair[1];
#endif
    for (; at < 8 * size; at += 8) {
        differs |= setti_bytes_get(before + at, 8) ^ setti_bytes_get(after + at, 8);
    }
    return differs != 0;
}

SETTI_INLINE void compare_load(const unsigned char* page, size_t from, size_t size)
{
    for (size_t at = 0; at < size; at += 64) {
        SETTI_PREFETCH(page + from + at);
    }
}

/* Finds the rows that differ, and prefetches the page `next` unless NULL. With a constant `size`
 * this takes a fifth of the time of memcmp. */
SETTI_INLINE void compare_rows_of(setti_compare_rows* rows, const setti_view_page* next,
                                  size_t size)
{
    const unsigned char* before = rows->was;
    const unsigned char* after = rows->is;
    for (uint32_t n = 0; n < rows->words; n++, before += 64 * size, after += 64 * size) {
        uint32_t eights = 0; /* bit k: rows 8 k to 8 k + 7 differ */
        for (uint32_t k = 0; k < 8; k++) {
            if (next != NULL) { /* reading memory takes most of the time */
                compare_load(next->in[SETTI_BEFORE], (n * 64 + k * 8) * size, 8 * size);
                compare_load(next->in[SETTI_AFTER], (n * 64 + k * 8) * size, 8 * size);
            }
            uint32_t differs = compare_eight(before + k * 8 * size, after + k * 8 * size, size);
            eights |= differs << k;
        }
        uint64_t bits = 0;
        for (; eights != 0; eights &= eights - 1) {
            uint32_t first = 8 * setti_bits_lowest(eights);
            for (uint32_t row = first; row < first + 8; row++) {
                uint64_t differs = memcmp(before + row * size, after + row * size, size) != 0;
                bits |= differs << row;
            }
        }
        rows->bits[n] = bits;
    }
}

static void compare_rows(setti_compare_rows* rows, const setti_view_page* next, size_t size)
{
#define COMPARE_ROWS(n) compare_rows_of(rows, next, n)
    SETTI_COMPARE_BY_SIZE(size, COMPARE_ROWS);
}

/* Reports the different rows whose entity is the same on both sides, and has the value on both. */
static void compare_report_rows(setti_compare* compare, const setti_storage* storage,
                                setti_compare_rows* rows)
{
    setti_view* view = compare->view;
    const setti_pages* entities = &view->world->entities.pages;
    uint32_t first_word = rows->first / 64;
    uint64_t any = 0;
    for (uint32_t side = 0; side < 2; side++) {
        const uint64_t* words =
            setti_view_get(view, &storage->presence, rows->first >> SETTI_BITS_SHIFT, side);
        for (uint32_t k = 0; k < rows->words; k++) {
            rows->bits[k] &= words != NULL ? words[(first_word + k) & (SETTI_BITS_WORDS - 1)] : 0;
        }
    }
    for (uint32_t k = 0; k < rows->words; k++) {
        rows->bits[k] &= ~marks_get(&compare->begun, first_word + k);
        any |= rows->bits[k];
    }
    if (any != 0) {
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

/* Reports the different rows of an array's page if the sink takes rows, else marks them. */
static void compare_array_page(setti_compare* compare, const setti_storage* storage,
                               const setti_view_page* page, const setti_view_page* next)
{
    uint32_t words = setti_storage_rows(storage) / 64;
    size_t first_word = (size_t)page->number * words;
    SETTI_ASSERT(storage->kind != SETTI_SPARSE && words <= SETTI_COMPARE_WORDS);
    setti_compare_rows rows = {.words = words,
                               .first = (uint32_t)first_word * 64,
                               .was = page->in[SETTI_BEFORE],
                               .is = page->in[SETTI_AFTER]};
    if (rows.was == NULL || rows.is == NULL) {
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

static void compare_mark_array(setti_compare* compare, const setti_storage* storage)
{
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(compare->view, &storage->presence, &at)) != NULL) {
        const uint64_t* before = page->in[SETTI_BEFORE];
        const uint64_t* after = page->in[SETTI_AFTER];
        size_t first = (size_t)page->number * SETTI_BITS_WORDS;
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++) {
            uint64_t differs = (before != NULL ? before[k] : 0) ^ (after != NULL ? after[k] : 0);
            if (differs != 0) {
                *setti_marks_word(&compare->bits, first + k) |= differs;
            }
        }
    }
    at = SETTI_NONE;
    page = setti_view_next(compare->view, &storage->rows, &at);
    while (page != NULL) {
        const setti_view_page copy = *page; /* setti_view_next may reuse the address of `page` */
        page = setti_view_next(compare->view, &storage->rows, &at);
        compare_array_page(compare, storage, &copy, page);
    }
}

static void compare_mark_index(setti_compare* compare, const void* index)
{
    uint32_t number;
    memcpy(&number, index, sizeof(number));
    if (number != SETTI_NONE) {
        setti_marks_add(&compare->bits, number);
    }
}

/* Marks the entities of a page's rows that differ. Looks at the rows from `from` to `to` - 1 of the
 * storage. `extent`: number of rows in use, by side. */
static void compare_mark_rows(setti_compare* compare, const setti_storage* storage,
                              const setti_view_page* page, uint32_t from, uint32_t to,
                              const uint32_t extent[2])
{
    const unsigned char* before = page->in[SETTI_BEFORE];
    const unsigned char* after = page->in[SETTI_AFTER];
    uint32_t first = page->number << storage->shift;
    uint32_t end = SETTI_MIN(first + setti_storage_rows(storage), to);
    size_t size = storage->size;
    for (uint32_t row = SETTI_MAX(first, from); row < end; row++) {
        size_t k = row - first;
        size_t index_at = storage->indices + k * sizeof(uint32_t);
        bool in_before = before != NULL && row < extent[SETTI_BEFORE];
        bool in_after = after != NULL && row < extent[SETTI_AFTER];
        bool same_index = in_before && in_after &&
                          memcmp(before + index_at, after + index_at, sizeof(uint32_t)) == 0;
        if (same_index && memcmp(before + k * size, after + k * size, size) == 0) {
            continue;
        }
        if (in_before) {
            compare_mark_index(compare, before + index_at);
        }
        if (in_after && !same_index) {
            compare_mark_index(compare, after + index_at);
        }
    }
}

static void compare_mark_sparse(setti_compare* compare, const setti_type* type)
{
    const setti_storage* storage = &type->storage;
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    const uint32_t extent[2] = {setti_view_extent(compare->view, type, SETTI_BEFORE),
                                setti_view_extent(compare->view, type, SETTI_AFTER)};
    uint32_t less = SETTI_MIN(extent[0], extent[1]);
    uint32_t more = SETTI_MAX(extent[0], extent[1]);
    while ((page = setti_view_next(compare->view, &storage->rows, &at)) != NULL) {
        compare_mark_rows(compare, storage, page, 0, more, extent);
    }
    /* equal pages can have rows in use on one side only */
    for (uint32_t row = less; row < more; row = ((row >> storage->shift) + 1) << storage->shift) {
        setti_view_page both = {&storage->rows, row >> storage->shift, {NULL, NULL}};
        for (uint32_t side = 0; side < 2; side++) {
            both.in[side] = setti_view_get(compare->view, &storage->rows, both.number, side);
        }
        compare_mark_rows(compare, storage, &both, less, more, extent);
    }
}

/* Marks the sources of all links in pages that differ. */
static void compare_mark_records(setti_compare* compare, const setti_records* records)
{
    setti_view* view = compare->view;
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(view, records->pages, &at)) != NULL) {
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t first = page->number << records->shift;
            uint64_t end = (uint64_t)first + ((uint64_t)1 << records->shift);
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

/* Returns true if a source has equal links on both sides. */
static bool compare_same_records(setti_view* view, const setti_type* type, const void* a,
                                 const void* b)
{
    SETTI_ASSERT(type->records != NULL);
    const setti_records* records = type->records;
    setti_view_list list[2] = {setti_view_records(type, a), setti_view_records(type, b)};
    bool same = list[0].left == list[1].left;
    const unsigned char* before;
    while (same &&
           (before = setti_view_next_record(view, records, &list[0], SETTI_BEFORE)) != NULL) {
        const unsigned char* after = setti_view_next_record(view, records, &list[1], SETTI_AFTER);
        same =
            memcmp(before + records->target, after + records->target, sizeof(sett_entity)) == 0 &&
            setti_hash_same(type->data_type, before + records->data, after + records->data);
    }
    return same;
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

/* The pages that a walk over indices has read last. */
typedef struct compare_cache {
    setti_view_page presence;
    setti_view_page rows;
    setti_view_page entities;
} compare_cache;

/* Returns both sides of a page of the table `pages`. *latest is the page of the previous call. */
static inline const void* const* compare_page(setti_view* view, setti_view_page* latest,
                                              const setti_pages* pages, uint32_t number)
{
    if (latest->pages == NULL || latest->number != number) { /* not the latest page */
        latest->pages = pages;
        latest->number = number;
        latest->in[SETTI_BEFORE] = setti_view_get(view, pages, number, SETTI_BEFORE);
        latest->in[SETTI_AFTER] = setti_view_get(view, pages, number, SETTI_AFTER);
    }
    return latest->in;
}

static void compare_find_entities(setti_view* view, compare_cache* cache, uint32_t index,
                                  sett_entity out[2])
{
    const void* const* page = compare_page(view, &cache->entities, &view->world->entities.pages,
                                           index >> SETTI_ENTITY_SHIFT);
    for (uint32_t side = 0; side < 2; side++) {
        const setti_entity_page* in = page[side];
        uint32_t generation = in != NULL ? in->generation[index & SETTI_ENTITY_MASK] : SETTI_UNUSED;
        bool lives = (generation & SETTI_DEAD) == 0;
        out[side] = lives ? (sett_entity){index, generation} : sett_null();
    }
}

static void compare_find_values(setti_view* view, compare_cache* cache, const setti_type* type,
                                uint32_t index, const void* out[2])
{
    const setti_storage* storage = &type->storage;
    if (storage->kind == SETTI_SPARSE) {
        out[0] = setti_view_value(view, type, index, SETTI_BEFORE);
        out[1] = setti_view_value(view, type, index, SETTI_AFTER);
        return;
    }
    const void* const* words =
        compare_page(view, &cache->presence, &storage->presence, index >> SETTI_BITS_SHIFT);
    const void* const* rows = storage->size != 0 ? compare_page(view, &cache->rows, &storage->rows,
                                                                index >> storage->shift)
                                                 : NULL;
    size_t at = (size_t)(index & (setti_storage_rows(storage) - 1)) * storage->size;
    for (uint32_t side = 0; side < 2; side++) {
        const uint64_t* word = words[side];
        bool has =
            word != NULL && (word[index / 64 & (SETTI_BITS_WORDS - 1)] >> (index % 64) & 1) != 0;
        if (!has) {
            out[side] = NULL;
        } else if (rows == NULL) {
            out[side] = type; /* a tag has no value: any address will do */
        } else {
            out[side] = (const unsigned char*)rows[side] + at;
        }
    }
}

/* Reports an index if its values differ, or if compare->all is set. */
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
    compare->same =
        value[0] != NULL && value[1] != NULL && sett_equals(entity[0], entity[1]) &&
        setti_hash_same(type, value[0], value[1]) &&
        (type->records == NULL || compare_same_records(compare->view, type, value[0], value[1]));
    if (compare->all || !compare->same) {
        compare->sink->value(compare->sink, entity[0], value[0], entity[1], value[1]);
    }
}

/* Returns the bits of word `number` whose indices may have a value on one or both sides. */
static uint64_t compare_present(setti_compare* compare, compare_cache* cache,
                                const setti_storage* storage, uint32_t number, uint64_t bits)
{
    const setti_pages* pages = &storage->presence;
    uint64_t present = 0;
    if (storage->kind == SETTI_SPARSE) {
        return bits; /* compare_index looks up each index */
    }
    const void* const* in =
        compare_page(compare->view, &cache->presence, pages, number / SETTI_BITS_WORDS);
    for (uint32_t side = 0; side < 2; side++) {
        const uint64_t* word = in[side];
        present |= word != NULL ? word[number & (SETTI_BITS_WORDS - 1)] : 0;
    }
    return present & bits;
}

void setti_compare_notify(setti_compare* compare, const setti_type* type)
{
    const setti_marks* bits = &compare->bits;
    compare_cache cache = {0};
    SETTI_ASSERT(compare->sink != NULL);
    for (size_t at = marks_next_word(bits, SIZE_MAX); at < bits->words;
         at = marks_next_word(bits, at)) {
        uint64_t rest =
            compare_present(compare, &cache, &type->storage, (uint32_t)at, bits->word[at]);
        for (; rest != 0; rest &= rest - 1) {
            compare_index(compare, &cache, type, (uint32_t)at * 64 + setti_bits_lowest(rest));
        }
    }
}

bool setti_compare_concerns(setti_compare* compare, const setti_type* type)
{
    setti_view* view = compare->view;
    const setti_pages* pages[3] = {&type->storage.presence, &type->storage.rows,
                                   type->records != NULL ? type->records->pages : NULL};
    for (uint32_t k = 0; k < 3 && pages[k] != NULL; k++) {
        uint32_t at = SETTI_NONE;
        if (setti_view_next(view, pages[k], &at) != NULL) {
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
        setti_marks_join(&compare->bits, &compare->begun); /* a new entity can have equal values */
        setti_compare_mark(compare, type);
        setti_compare_notify(compare, type);
    }
}

/* Returns the number of words for a set of all indices. */
static size_t compare_word_count(setti_view* view)
{
    const sett_world* world = view->world;
    uint64_t end = (uint64_t)setti_view_count(view, &world->entities.pages) << SETTI_ENTITY_SHIFT;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_storage* storage = &world->registered.item[k]->storage;
        bool sparse_set = storage->kind == SETTI_SPARSE;
        uint32_t shift = sparse_set ? SETTI_SPARSE_SHIFT : SETTI_BITS_SHIFT;
        uint64_t presence = (uint64_t)setti_view_count(view, &storage->presence) << shift;
        uint64_t rows =
            sparse_set ? 0 : (uint64_t)setti_view_count(view, &storage->rows) << storage->shift;
        end = SETTI_MAX(end, SETTI_MAX(presence, rows));
    }
    return (size_t)(end / 64) + 1;
}

#define COMPARE_SETS 3

/* Returns the size of all sets in bytes. */
static size_t compare_size(size_t words)
{
    return COMPARE_SETS * (words + words / 64 + 1) * sizeof(uint64_t);
}

bool setti_compare_init(setti_view* view, setti_compare* compare)
{
    setti_pool* pool = setti_unconst(&view->world->pool);
    memset(compare, 0, sizeof(*compare));
    setti_marks* set[COMPARE_SETS] = {&compare->bits, &compare->begun, &compare->marked};
    size_t words = compare_word_count(view);
    uint64_t* room = setti_pool_alloc(pool, compare_size(words), 16);
    for (uint32_t k = 0; room != NULL && k < COMPARE_SETS; k++) {
        set[k]->words = words;
        set[k]->word = room;
        set[k]->used = room + words;
        room += words + words / 64 + 1;
        setti_marks_clear(set[k]);
    }
    compare->view = view;
    return room != NULL;
}

void setti_compare_deinit(setti_compare* compare)
{
    setti_pool* pool = setti_unconst(&compare->view->world->pool);
    setti_pool_free(pool, compare->bits.word, compare_size(compare->bits.words), 16);
}
