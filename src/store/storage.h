/* storage.h: the values of one component type. One interface, with a flat switch on `kind`:
 *
 *     array        row = entity index; one bit of presence for each entity; storage_array.c
 *                  pages of rows only where values are
 *     tag          only the bits of presence                                storage_array.c
 *     sparse set   rows without gaps, an index from entity to row;          storage_sparse_set.c
 *                  with keep_order, a removal leaves a gap                  compact.c
 *                  index: pages, or for few values a hash table             sparse_index.c
 *
 * All functions take entity indices, without generations. The *place* of a value is the number of
 * the value's row over all pages. In an array, the place is the entity index.
 */
#ifndef SETTI_STORAGE_H
#define SETTI_STORAGE_H

#include "base/bits.h"
#include "base/page.h"
#include "sett/read.h"

#include <string.h>

/* Zeroes for inlined reads of missing pages. */
typedef union setti_zero_page {
    uint64_t words[1024];
    uint32_t halves[2048];
    sett_bound_ bound[SETT_BOUND_FRONT_];
} setti_zero_page;

/* Debug builds protect the zeroes from writes. As constants they would add 8 KB to a program. */
#if defined(NDEBUG)
#define SETTI_ZEROES_CONST
#else
#define SETTI_ZEROES_CONST const
#endif
extern SETTI_ZEROES_CONST setti_zero_page setti_zeroes;

typedef enum setti_kind {
    SETTI_ARRAY,
    SETTI_TAG,
    SETTI_SPARSE
} setti_kind;

/* Sizes of a page of presence. */
#define SETTI_BITS_SHIFT 13 /* array, tag: bits */
#define SETTI_BITS_ROWS ((uint32_t)1 << SETTI_BITS_SHIFT)
#define SETTI_BITS_WORDS (SETTI_BITS_ROWS / 64)
#define SETTI_SPARSE_SHIFT 10 /* sparse set: rows */
#define SETTI_SPARSE_ROWS ((uint32_t)1 << SETTI_SPARSE_SHIFT)
#define SETTI_SPARSE_MASK (SETTI_SPARSE_ROWS - 1)

typedef struct setti_index_slot {
    uint32_t index; /* of the entity; SETTI_NONE: an empty slot */
    uint32_t row;
} setti_index_slot;

#define SETTI_INDEX_SHIFT 9 /* sparse set, hashed: slots */
#define SETTI_INDEX_SLOTS ((uint32_t)1 << SETTI_INDEX_SHIFT)

typedef struct setti_sparse_page {
    union {
        uint32_t row[SETTI_SPARSE_ROWS]; /* the row of each entity index, or SETTI_NONE */
        setti_index_slot slot[SETTI_INDEX_SLOTS];
    };
    uint32_t count; /* used entries of `row` */
} setti_sparse_page;

static_assert(sizeof(((setti_sparse_page*)0)->slot) == sizeof(((setti_sparse_page*)0)->row),
              "a page of the table of a sparse set has one size");

#define SETTI_GATHERED UINT8_MAX /* `handle_kind` of a storage with copied values or `far` */

typedef struct setti_storage {
    /* The members up to the pointers of `rows` are one cache line. */
    uint8_t handle_kind; /* `kind`, or SETTI_GATHERED: access by handle takes the slow path */
    uint8_t shift;       /* a page has 1 << shift rows */
    uint8_t kind;        /* setti_kind */
    bool tracked;        /* each row has a tick */
    uint32_t size;       /* bytes a row */
    /* presence: pages of uint64_t[SETTI_BITS_WORDS], or of setti_sparse_page */
    setti_pages presence;
    /* pages of rows; in an array, the table covers all indices of each presence page */
    setti_pages rows;

    /* These SETTI_STORAGE_ROOT_SIZE bytes and the pages are the state of the storage. */
    uint32_t count;  /* values alive */
    uint32_t extent; /* above each index with a value; sparse set: above each row in use */
    /* an empty page retained for the next addition, or SETTI_NONE. Array: of rows; tag: of bits for
     * 1 << shift entities; sparse set: of the index */
    uint32_t spare;
    uint32_t hashed; /* sparse set: pages of the hash table, a power of two; 0: paged */

    uint32_t blank;  /* array: presence pages without a page of rows */
    bool keep_order; /* sparse-set: removal leaves a gap */
    bool far;        /* array, tag: an index was too high for inlined reads (SETTI_READ_SHIFT) */
    struct setti_gather* gather; /* open loops with copies of values */
    uint32_t indices;            /* sparse-set: offset in a page of the rows' entity indices */
    uint32_t ticks;              /* offset in a page of the rows' ticks, if tracked */
    uint32_t saved;              /* offset of the bits of setti_storage_saved in a page; 0: none */
    uint32_t align;              /* of pages, at least the alignment of a value */
    uint32_t stray; /* the page that became empty while pinned, SETTI_NONE or SETTI_STRAYS */
    void (*move)(void* to, void* from, uint32_t count, void* user); /* NULL: memcpy */
    void* user;                                                     /* argument of `move` */
} setti_storage;

#define SETTI_STRAYS (SETTI_NONE - 1) /* several pages */

#define SETTI_STORAGE_ROOT_SIZE (4 * sizeof(uint32_t)) /* from `count` to `hashed` */

/* ----------------------------------------------------------------------------------------- life */

void setti_storage_init(setti_storage* storage, setti_kind kind, size_t size, size_t align,
                        bool tracked);

static inline void setti_storage_init_tag(setti_storage* storage)
{
    const bool tracked = false; /* a tag has no rows */
    setti_storage_init(storage, SETTI_TAG, 0, 1, tracked);
}

/* Selects small pages, or pages of the usual size. */
void setti_storage_use_pages(setti_storage* storage, bool small);

/* Adds the bits of setti_storage_saved to pages. */
void setti_storage_add_saved(setti_storage* storage);

/* Updates `handle_kind` after a change of `gather` or `far`. */
static inline void setti_storage_update_access(setti_storage* storage)
{
    bool slow = storage->gather != NULL || storage->far;
    storage->handle_kind = slow ? SETTI_GATHERED : storage->kind;
    setti_pages_hide(&storage->presence, slow);
}

/* Frees all pages. The caller deinitialises the values. */
void setti_storage_deinit(setti_pool* pool, setti_storage* storage);

/* -------------------------------------------------------------------------------------- reading */

SETTI_INLINE uint32_t setti_storage_rows(const setti_storage* storage)
{
    return (uint32_t)1 << storage->shift;
}

/* Array, tag: returns the word of presence of an index, or NULL without a page. */
SETTI_INLINE uint64_t* setti_storage_word(const setti_storage* storage, uint32_t index)
{
    uint64_t* words = setti_pages_get(&storage->presence, index >> SETTI_BITS_SHIFT);
    return words != NULL ? words + (index / 64 & (SETTI_BITS_WORDS - 1)) : NULL;
}

/* Array, tag: returns 1 if an index has a value, else 0. */
SETTI_INLINE uint32_t setti_bitmap_bit(const setti_storage* storage, uint32_t index)
{
    const uint64_t* word = setti_storage_word(storage, index);
    return word != NULL ? (uint32_t)(*word >> (index % 64)) & 1 : 0;
}

SETTI_INLINE bool setti_bitmap_has(const setti_storage* storage, uint32_t index)
{
    return setti_bitmap_bit(storage, index) != 0;
}

/* Returns the first slot of the search for an entity (Fibonacci hashing). */
SETTI_INLINE uint32_t setti_index_home(uint32_t index, uint32_t pages)
{
    return (uint32_t)(((uint64_t)(index * 2654435769u) * pages * SETTI_INDEX_SLOTS) >> 32);
}

/* Hashed: finds the slot of an entity, or SETTI_NONE. */
uint32_t setti_index_find(const setti_storage* storage, uint32_t index);

SETTI_INLINE setti_index_slot* setti_index_slot_at(const setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(number >> SETTI_INDEX_SHIFT < storage->hashed);
    setti_sparse_page* page = storage->presence.data[number >> SETTI_INDEX_SHIFT];
    return &page->slot[number & (SETTI_INDEX_SLOTS - 1)];
}

/* Hashed: prefetches the slot of an entity and the last row. */
SETTI_INLINE void setti_index_prefetch(const setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->hashed != 0 && storage->count != 0);
    uint32_t last = storage->extent - 1;
    const unsigned char* rows = storage->rows.data[last >> storage->shift];
    uint32_t at = last & (((uint32_t)1 << storage->shift) - 1);
    SETTI_PREFETCH(setti_index_slot_at(storage, setti_index_home(index, storage->hashed)));
    SETTI_PREFETCH(rows + (size_t)at * storage->size);
    SETTI_PREFETCH(rows + storage->indices + at * sizeof(uint32_t));
}

/* Hashed: finds the row of an entity, or SETTI_NONE. */
uint32_t setti_index_row(const setti_storage* storage, uint32_t index);

/* Paged: finds the row of an entity, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_sparse_paged_row(const setti_pages* presence, uint32_t index)
{
    const setti_sparse_page* page = setti_pages_get(presence, index >> SETTI_SPARSE_SHIFT);
    return page != NULL ? page->row[index & SETTI_SPARSE_MASK] : SETTI_NONE;
}

SETTI_INLINE uint32_t setti_sparse_row(const setti_storage* storage, uint32_t index)
{
    return storage->hashed != 0 ? setti_index_row(storage, index)
                                : setti_sparse_paged_row(&storage->presence, index);
}

/* Sparse set: returns the number of an entity's page of presence. */
SETTI_INLINE uint32_t setti_sparse_page_of(const setti_storage* storage, uint32_t index)
{
    if (storage->hashed == 0) {
        return index >> SETTI_SPARSE_SHIFT;
    }
    return storage->hashed == 1 ? 0 : setti_index_find(storage, index) >> SETTI_INDEX_SHIFT;
}

bool setti_sparse_has(const setti_storage* storage, uint32_t index);

/* Inlined for arrays and tags. Inlined sparse sets would take 40 KB more. */
SETTI_INLINE bool setti_storage_has(const setti_storage* storage, uint32_t index)
{
    return SETTI_LIKELY(storage->kind != SETTI_SPARSE) ? setti_bitmap_has(storage, index)
                                                       : setti_sparse_has(storage, index);
}

/* Returns the presence of 64 entities from `base` on. */
uint64_t setti_storage_bits(const setti_storage* storage, uint32_t base);

/* Finds the place of an entity's value, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_storage_slot(const setti_storage* storage, uint32_t index)
{
    if (SETTI_LIKELY(storage->kind != SETTI_SPARSE)) {
        return setti_bitmap_has(storage, index) ? index : SETTI_NONE;
    }
    return setti_sparse_row(storage, index);
}

/* Returns the address of the value at a place. */
SETTI_INLINE void* setti_storage_row(const setti_storage* storage, uint32_t place)
{
    SETTI_ASSERT(setti_pages_get(&storage->rows, place >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[place >> storage->shift];
    return page + (size_t)(place & (setti_storage_rows(storage) - 1)) * storage->size;
}

/* Like setti_storage_row. A tag has any address. */
SETTI_INLINE void* setti_storage_at(const setti_storage* storage, uint32_t place)
{
    return SETTI_UNLIKELY(storage->kind == SETTI_TAG) ? setti_unconst(storage)
                                                      : setti_storage_row(storage, place);
}

/* Array, tag: finds the first index from `index` on with a page, or SETTI_NONE. */
uint32_t setti_array_seek(const setti_storage* storage, uint32_t index);

/* Array, tag: returns 1 + the highest index with a value. */
uint32_t setti_array_end(const setti_storage* storage);

/* Returns the presence bits that a saved page holds: bit k is set if row k has a value. */
SETTI_INLINE uint64_t* setti_storage_saved(const setti_storage* storage, void* page)
{
    SETTI_ASSERT(storage->saved != 0 && page != NULL);
    return (uint64_t*)(void*)((unsigned char*)page + storage->saved);
}

/* Sparse set: returns the address of a row's entity index. A gap has SETTI_NONE. */
SETTI_INLINE uint32_t* setti_storage_index(const setti_storage* storage, uint32_t row)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE &&
                 setti_pages_get(&storage->rows, row >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[row >> storage->shift];
    return (uint32_t*)(void*)(page + storage->indices) + (row & (setti_storage_rows(storage) - 1));
}

/* Tracked: returns the address of a place's tick. */
SETTI_INLINE uint64_t* setti_storage_tick(const setti_storage* storage, uint32_t place)
{
    SETTI_ASSERT(storage->tracked &&
                 setti_pages_get(&storage->rows, place >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[place >> storage->shift];
    return (uint64_t*)(void*)(page + storage->ticks) + (place & (setti_storage_rows(storage) - 1));
}

/* Like setti_storage_find, for a storage with gathers. */
void* setti_storage_find_gathered(const setti_storage* storage, uint32_t index);

/* Like setti_storage_find, for any storage. */
void* setti_storage_find_other(const setti_storage* storage, uint32_t index);

/* Finds the value of an entity, or NULL. Inlined for arrays. */
SETTI_INLINE void* setti_storage_find(const setti_storage* storage, uint32_t index)
{
    if (SETTI_LIKELY(storage->handle_kind == SETTI_ARRAY)) {
        return SETTI_LIKELY(setti_bitmap_has(storage, index)) ? setti_storage_row(storage, index)
                                                              : NULL;
    }
    return setti_storage_find_other(storage, index);
}

/* Marks the value at a place as written. */
SETTI_INLINE void setti_storage_write(setti_pool* pool, const setti_storage* storage,
                                      uint32_t place)
{
    if (SETTI_UNLIKELY(storage->kind == SETTI_TAG)) {
        return;
    }
    setti_pages_write(pool, &storage->rows, place >> storage->shift);
    if (SETTI_UNLIKELY(storage->tracked)) {
        *setti_storage_tick(storage, place) = pool->tick;
    }
}

/* Like setti_storage_find, and marks the value as written. */
void* setti_storage_find_mut(setti_pool* pool, const setti_storage* storage, uint32_t index);

/* Fast path of setti_storage_find_mut. Returns false if the slow path is needed. */
SETTI_INLINE bool setti_array_try_find_mut(const setti_pool* pool, const setti_storage* storage,
                                           uint32_t index, void** value)
{
    *value = NULL;
    if (SETTI_UNLIKELY(storage->handle_kind != SETTI_ARRAY || storage->tracked)) {
        return false;
    }
    if (!setti_bitmap_has(storage, index)) {
        return true;
    }
    if (SETTI_UNLIKELY(!setti_pages_try_write(pool, &storage->rows, index >> storage->shift))) {
        return false;
    }
    *value = setti_storage_row(storage, index);
    return true;
}

/* Returns the tick of the last write to a value. Returns 0 if there is no value. */
uint64_t setti_storage_written(const setti_storage* storage, uint32_t index);

/* Returns the tick of the last write or restore of a value. */
uint64_t setti_storage_changed(const setti_storage* storage, uint32_t index);

/* Copies the ticks of a value to the place where the value moves. */
SETTI_INLINE void setti_storage_move_tick(const setti_storage* from, uint32_t from_place,
                                          const setti_storage* to, uint32_t to_place)
{
    SETTI_ASSERT(from->tracked && to->tracked);
    SETTI_ASSERT(from->kind != SETTI_TAG && to->kind != SETTI_TAG);
    uint64_t from_restored = *setti_pages_restored(&from->rows, from_place >> from->shift);
    uint64_t* to_restored = setti_pages_restored(&to->rows, to_place >> to->shift);
    *setti_storage_tick(to, to_place) = *setti_storage_tick(from, from_place);
    *to_restored = SETTI_MAX(*to_restored, from_restored);
}

/* Returns the next index with a value, or SETTI_NONE. The caller may erase the latest index. */
uint32_t setti_storage_next(const setti_storage* storage, uint32_t* cursor);

/* Walks over all indices with a value: SETTI_EACH_INDEX(index, storage) { ... } */
#define SETTI_EACH_INDEX(index, storage)                                                           \
    for (uint32_t index##_cursor = 0, index = setti_storage_next(storage, &index##_cursor);        \
         index != SETTI_NONE; index = setti_storage_next(storage, &index##_cursor))

/* Like setti_storage_next, in the order of rows. The caller may not erase values. */
static inline uint32_t setti_storage_next_row(const setti_storage* storage, uint32_t* cursor)
{
    uint32_t index = SETTI_NONE;
    if (storage->kind != SETTI_SPARSE) {
        return setti_storage_next(storage, cursor);
    }
    while (index == SETTI_NONE && *cursor < storage->extent) { /* a gap has no index */
        index = *setti_storage_index(storage, (*cursor)++);
    }
    return index;
}

/* Finds the entity with the value at an address, or SETTI_NONE. */
uint32_t setti_storage_owner(const setti_storage* storage, const void* address);

/* ------------------------------------------------------------------------------------- changing
 * Called by edit*.c and change*.c only. */

/* Makes room for an index. Returns false if memory runs out. */
bool setti_storage_reserve(setti_pool* pool, setti_storage* storage, uint32_t index);

/* Creates pages for `count` more rows of a sparse set. */
bool setti_sparse_reserve_pages(setti_pool* pool, setti_storage* storage, uint32_t count);

/* Makes room for `count` more rows, and for their entries in a hash table. */
bool setti_sparse_reserve_rows(setti_pool* pool, setti_storage* storage, uint32_t count);

/* Makes room for more entities. Call setti_storage_reserve_indices next. */
SETTI_INLINE bool setti_storage_reserve_rows(setti_pool* pool, setti_storage* storage,
                                             uint32_t count)
{
    return storage->kind != SETTI_SPARSE || setti_sparse_reserve_rows(pool, storage, count);
}
bool setti_storage_reserve_indices(setti_pool* pool, setti_storage* storage, uint32_t first,
                                   uint32_t count);

/* Inserts up to *count neighbouring indices, all on one page of rows. *count becomes the number of
 * insertions. Returns the first value. */
void* setti_storage_insert(setti_pool* pool, setti_storage* storage, uint32_t index,
                           uint32_t* count);

/* Removes an index. The caller has deinitialised the value. */
void setti_storage_erase(setti_pool* pool, setti_storage* storage, uint32_t index);

/* Closes the gaps of a keep_order storage. */
void setti_storage_compact(setti_pool* pool, setti_storage* storage);

/* Opens a gap at each row with want[row] == SETTI_NONE, so that there are `extent` rows. */
bool setti_sparse_spread(setti_pool* pool, setti_storage* storage, const uint32_t* want,
                         uint32_t extent);

/* Closes gaps and frees the spare page. */
void setti_storage_trim(setti_pool* pool, setti_storage* storage);

/* Frees the pages that became empty while the pool was pinned. */
void setti_storage_free_strays(setti_pool* pool, setti_storage* storage);

/* Returns NULL, or the violated part of the storage's invariant. */
const char* setti_storage_validate(const setti_storage* storage);

/* Fast path of an insertion into an existing page. Returns NULL if a snapshot needs the page. */
SETTI_INLINE void* setti_array_insert_one(const setti_pool* pool, setti_storage* storage,
                                          uint32_t index, bool cow)
{
    SETTI_ASSERT(storage->kind == SETTI_ARRAY);
    if (SETTI_UNLIKELY(
            !setti_pages_try_mark(pool, &storage->rows, index >> storage->shift, cow) ||
            !setti_pages_try_mark(pool, &storage->presence, index >> SETTI_BITS_SHIFT, cow))) {
        return NULL;
    }
    uint64_t* words = storage->presence.data[index >> SETTI_BITS_SHIFT]; /* exists if the rows do */
    uint64_t* word = &words[index / 64 & (SETTI_BITS_WORDS - 1)];
    SETTI_ASSERT((*word >> (index % 64) & 1) == 0);
    *word |= (uint64_t)1 << (index % 64);
    storage->count++;
    if (index >= storage->extent) {
        storage->extent = index + 1;
    }
    if (SETTI_UNLIKELY(storage->tracked)) {
        *setti_storage_tick(storage, index) = pool->tick;
    }
    return setti_storage_row(storage, index);
}

/* Fast path of an insertion into an array. */
SETTI_INLINE void* setti_array_try_insert(const setti_pool* pool, setti_storage* storage,
                                          uint32_t index, bool cow)
{
    return SETTI_LIKELY(setti_pages_get(&storage->rows, index >> storage->shift) != NULL)
               ? setti_array_insert_one(pool, storage, index, cow)
               : NULL;
}

/* Fast path of setti_storage_insert. Returns NULL if the slow path is needed. */
void* setti_storage_try_insert(setti_pool* pool, setti_storage* storage, uint32_t index);

typedef enum setti_erased {
    SETTI_NOT_ERASED, /* no value, or the slow path is needed */
    SETTI_ERASED,
    SETTI_EMPTIED, /* the word of presence is 0: call setti_array_word_emptied */
} setti_erased;

/* Fast path of setti_array_erase. */
SETTI_INLINE setti_erased setti_array_try_erase(const setti_pool* pool, setti_storage* storage,
                                                uint32_t index)
{
    uint64_t* word = setti_storage_word(storage, index);
    if (SETTI_UNLIKELY(storage->kind == SETTI_SPARSE || word == NULL)) {
        return SETTI_NOT_ERASED;
    }
    uint64_t rest = *word ^ (uint64_t)1 << (index % 64);
    bool absent = rest > *word; /* the exclusive or has set the bit */
    if (SETTI_UNLIKELY(absent || !setti_pages_try_write(pool, &storage->presence,
                                                        index >> SETTI_BITS_SHIFT))) {
        return SETTI_NOT_ERASED;
    }
    *word = rest;
    storage->count--;
    return rest != 0 ? SETTI_ERASED : SETTI_EMPTIED;
}

/* Like setti_array_try_erase, for an existing value while no snapshot is held. */
SETTI_INLINE setti_erased setti_array_erase_no_cow(const setti_pool* pool, setti_storage* storage,
                                                   uint32_t index)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE);
    uint32_t number = index >> SETTI_BITS_SHIFT;
    uint64_t* words = storage->presence.data[number];
    uint32_t at = index / 64 & (SETTI_BITS_WORDS - 1);
    SETTI_ASSERT((words[at] >> (index % 64) & 1) != 0);
    (void)setti_pages_try_mark(pool, &storage->presence, number, SETTI_NO_COW);
    storage->count--;
    uint64_t rest = words[at] & ~((uint64_t)1 << (index % 64));
    words[at] = rest;
    return rest != 0 ? SETTI_ERASED : SETTI_EMPTIED;
}

/* Frees pages after a word of presence became 0. */
void setti_array_word_emptied(setti_pool* pool, setti_storage* storage, uint32_t index);

/* ----------------------------------------------------------------------------------------- rows */

#define SETTI_ROW_SMALL 64 /* inlined copies up to this size are faster than calls of memcpy */

SETTI_INLINE void setti_row_copy(void* to, const void* from, size_t size)
{
    unsigned char* t = to;
    const unsigned char* f = from;
    if (size > SETTI_ROW_SMALL) {
        memcpy(t, f, size);
        return;
    }
    if (size >= 8) { /* the last copy may overlap */
        for (size_t at = 0; at + 8 < size; at += 8) {
            memcpy(t + at, f + at, 8);
        }
        memcpy(t + size - 8, f + size - 8, 8);
        return;
    }
    if (size >= 4) {
        memcpy(t, f, 4);
        memcpy(t + size - 4, f + size - 4, 4);
        return;
    }
    if (size != 0) { /* 1 to 3 bytes: first, middle, last */
        unsigned char middle = f[size / 2];
        unsigned char last = f[size - 1];
        t[0] = f[0];
        t[size / 2] = middle;
        t[size - 1] = last;
    }
}

/* Sets `size` bytes to 0. Returns `to`. */
SETTI_INLINE void* setti_row_zero(void* to, size_t size)
{
    SETTI_ASSERT(to != NULL || size == 0);
    unsigned char* t = to;
    if (size > SETTI_ROW_SMALL) {
        return memset(t, 0, size);
    }
    if (size >= 8) {
        for (size_t at = 0; at + 8 < size; at += 8) {
            memset(t + at, 0, 8);
        }
        memset(t + size - 8, 0, 8);
        return to;
    }
    if (size >= 4) {
        memset(t, 0, 4);
        memset(t + size - 4, 0, 4);
        return to;
    }
    if (size != 0) { /* 1 to 3 bytes: first, middle, last */
        t[0] = 0;
        t[size / 2] = 0;
        t[size - 1] = 0;
    }
    return to;
}

/* Returns the address in the index of an entity's row number. */
SETTI_INLINE uint32_t* setti_sparse_entry(const setti_storage* storage, uint32_t index)
{
    if (storage->hashed != 0) {
        return &setti_index_slot_at(storage, setti_index_find(storage, index))->row;
    }
    SETTI_ASSERT(setti_pages_get(&storage->presence, index >> SETTI_SPARSE_SHIFT) != NULL);
    setti_sparse_page* page = storage->presence.data[index >> SETTI_SPARSE_SHIFT];
    return &page->row[index & SETTI_SPARSE_MASK];
}

/* Like setti_sparse_entry, for writing. */
SETTI_INLINE uint32_t* setti_sparse_entry_mut(setti_pool* pool, const setti_storage* storage,
                                              uint32_t index)
{
    setti_pages_write(pool, &storage->presence, setti_sparse_page_of(storage, index));
    return setti_sparse_entry(storage, index);
}

/* Assigns another row to an entity. The caller moves the value. */
SETTI_INLINE void setti_sparse_assign_row(setti_pool* pool, const setti_storage* storage,
                                          uint32_t index, uint32_t row)
{
    SETTI_ASSERT(row < storage->extent);
    *setti_sparse_entry_mut(pool, storage, index) = row;
    setti_pages_write(pool, &storage->rows, row >> storage->shift);
    *setti_storage_index(storage, row) = index;
}

/* ---------------------------------------------------------------------------------------- kinds
 * The functions of each kind that storage.c calls, and functions shared by the files of a kind. */

/* Notes an empty page, to free when the pool is no longer pinned. */
SETTI_INLINE void setti_storage_note_stray(setti_pool* pool, setti_storage* storage,
                                           uint32_t number)
{
    SETTI_ASSERT(pool->pinned != 0);
    bool single = storage->stray == SETTI_NONE || storage->stray == number; /* the only page */
    storage->stray = single ? number : SETTI_STRAYS;
    pool->strayed = true;
}

bool setti_array_reserve(setti_pool* pool, setti_storage* storage, uint32_t index);
void* setti_array_insert(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t* count);
void setti_array_erase(setti_pool* pool, setti_storage* storage, uint32_t index);
void setti_array_trim(setti_pool* pool, setti_storage* storage);
void setti_array_free_strays(setti_pool* pool, setti_storage* storage);
uint32_t setti_array_next(const setti_storage* storage, uint32_t* cursor);
const char* setti_array_validate(const setti_storage* storage);

/* Functions of sparse_index.c: the index of a sparse set. */
bool setti_sparse_reserve_entries(setti_pool* pool, setti_storage* storage, uint32_t count);
bool setti_sparse_use_pages(setti_pool* pool, setti_storage* storage);
bool setti_index_try_put(const setti_pool* pool, setti_storage* storage, uint32_t index,
                         uint32_t row);
void setti_sparse_put(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t row);
void setti_index_forget(setti_pool* pool, setti_storage* storage, uint32_t index);
bool setti_index_try_erase(setti_pool* pool, setti_storage* storage, uint32_t index);
void setti_sparse_shrink(setti_pool* pool, setti_storage* storage);
const char* setti_sparse_validate_index(const setti_storage* storage);

bool setti_sparse_is_full(const setti_storage* storage);
bool setti_sparse_reserve(setti_pool* pool, setti_storage* storage, uint32_t index);
bool setti_sparse_reserve_index(setti_pool* pool, setti_storage* storage, uint32_t index);
void* setti_sparse_try_insert(setti_pool* pool, setti_storage* storage, uint32_t index);
void* setti_sparse_insert(setti_pool* pool, setti_storage* storage, uint32_t index,
                          uint32_t* count);
void setti_sparse_erase(setti_pool* pool, setti_storage* storage, uint32_t index);
void setti_sparse_move(setti_pool* pool, setti_storage* storage, uint32_t from, uint32_t to);
void setti_sparse_release(setti_pool* pool, setti_storage* storage);
void setti_sparse_trim(setti_pool* pool, setti_storage* storage);
void setti_sparse_free_strays(setti_pool* pool, setti_storage* storage);
uint32_t setti_sparse_next(const setti_storage* storage, uint32_t* cursor);
const char* setti_sparse_validate(const setti_storage* storage);

#endif
