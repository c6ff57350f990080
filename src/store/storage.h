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
#define SETTI_BITS_SHIFT 13 /* array, tag: a page has 1 << SETTI_BITS_SHIFT bits */
#define SETTI_BITS_ROWS ((uint32_t)1 << SETTI_BITS_SHIFT)
#define SETTI_BITS_WORDS (SETTI_BITS_ROWS / 64)
#define SETTI_SPARSE_SHIFT 10 /* sparse set: a page has the rows of 1 << 10 indices */
#define SETTI_SPARSE_ROWS ((uint32_t)1 << SETTI_SPARSE_SHIFT)
#define SETTI_SPARSE_MASK (SETTI_SPARSE_ROWS - 1)

typedef struct setti_index_slot {
    uint32_t index; /* the index of the entity. SETTI_NONE: the slot is empty */
    uint32_t row;
} setti_index_slot;

#define SETTI_INDEX_SHIFT 9 /* sparse set, hashed: a page has 1 << 9 slots */
#define SETTI_INDEX_SLOTS ((uint32_t)1 << SETTI_INDEX_SHIFT)

typedef struct setti_sparse_page {
    union {
        uint32_t row[SETTI_SPARSE_ROWS]; /* the row of each entity index, or SETTI_NONE */
        setti_index_slot slot[SETTI_INDEX_SLOTS];
    };
    uint32_t count; /* entries of `row` that are not SETTI_NONE */
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
    uint32_t size;       /* bytes of a row */
    /* Pages of presence: uint64_t[SETTI_BITS_WORDS], or setti_sparse_page in a sparse set. */
    setti_pages presence;
    /* Pages of rows. In an array, the table covers all indices of each page of presence. */
    setti_pages rows;

    /* These SETTI_STORAGE_ROOT_SIZE bytes and the pages are the state of the storage. */
    uint32_t count;  /* number of values */
    uint32_t extent; /* above all indices with a value; sparse set: above all rows in use */
    /* The number of an empty page that is kept for the next addition, or SETTI_NONE. Array: a page
     * of rows; tag: the bits of 1 << shift entities; sparse set: a page of the index. */
    uint32_t spare;
    uint32_t hashed; /* sparse set: number of pages of the hash table, a power of two. 0: paged */

    uint32_t blank;  /* array: number of pages of presence that have no page of rows */
    bool keep_order; /* sparse set: a removal leaves a gap */
    bool far;        /* array, tag: an index was too high for inlined reads (SETTI_READ_SHIFT) */
    struct setti_gather* gather; /* the open loops that work on copies of values, or NULL */
    uint32_t indices;            /* sparse set: where the entity indices begin in a page */
    uint32_t ticks;              /* tracked: where the ticks begin in a page */
    uint32_t saved;              /* where the bits of setti_storage_saved begin. 0: no bits */
    uint32_t align;              /* alignment of a page, at least the alignment of a value */
    uint32_t stray; /* the page that became empty while pinned. SETTI_NONE: no page did */
    void (*move)(void* to, void* from, uint32_t count, void* user); /* NULL: memcpy */
    void* user;                                                     /* argument of `move` */
} setti_storage;

#define SETTI_STRAYS (SETTI_NONE - 1) /* `stray` if several pages became empty */

#define SETTI_STORAGE_ROOT_SIZE (4 * sizeof(uint32_t)) /* from `count` to `hashed` */

/* ----------------------------------------------------------------------------------------- life */

void setti_storage_init(setti_storage* storage, setti_kind kind, size_t size, size_t align,
                        bool tracked);

static inline void setti_storage_init_tag(setti_storage* storage)
{
    const bool tracked = false; /* a tag has no rows */
    setti_storage_init(storage, SETTI_TAG, 0, 1, tracked);
}

/* Selects the size of the pages: small or usual. The storage must be empty. */
void setti_storage_use_pages(setti_storage* storage, bool small);

/* Adds room for the bits of setti_storage_saved to each page. The storage must be empty. */
void setti_storage_add_saved(setti_storage* storage);

/* Call after a change of `gather` or `far`. Updates `handle_kind`, and hides the pages from readers
 * or shows them. */
static inline void setti_storage_update_access(setti_storage* storage)
{
    bool slow = storage->gather != NULL || storage->far;
    storage->handle_kind = slow ? SETTI_GATHERED : storage->kind;
    setti_pages_hide(&storage->presence, slow);
}

/* Frees all pages. The caller deinitialises the values. */
void setti_storage_deinit(setti_pool* pool, setti_storage* storage);

/* -------------------------------------------------------------------------------------- reading */

/* Returns the number of rows of a page. */
SETTI_INLINE uint32_t setti_storage_rows(const setti_storage* storage)
{
    return (uint32_t)1 << storage->shift;
}

/* Array, tag: returns the word of presence with the bit of an index, or NULL if there is no
 * page. */
SETTI_INLINE uint64_t* setti_storage_word(const setti_storage* storage, uint32_t index)
{
    uint64_t* words = setti_pages_get(&storage->presence, index >> SETTI_BITS_SHIFT);
    if (words != NULL) {
        words += (index / 64) & (SETTI_BITS_WORDS - 1);
    }
    return words;
}

/* Array, tag: returns 1 if an index has a value, else 0. */
SETTI_INLINE uint32_t setti_bitmap_bit(const setti_storage* storage, uint32_t index)
{
    const uint64_t* word = setti_storage_word(storage, index);
    if (word == NULL) {
        return 0;
    }
    return (uint32_t)(*word >> (index % 64)) & 1;
}

SETTI_INLINE bool setti_bitmap_has(const setti_storage* storage, uint32_t index)
{
    return setti_bitmap_bit(storage, index) != 0;
}

/* Returns the slot at which the search for an entity begins (Fibonacci hashing). `pages` is the
 * number of pages of the hash table. */
SETTI_INLINE uint32_t setti_index_home(uint32_t index, uint32_t pages)
{
    /* hash * slots / 2^32, for a hash of 32 bits */
    return (uint32_t)(((uint64_t)(index * 2654435769u) * pages * SETTI_INDEX_SLOTS) >> 32);
}

/* Hashed: returns the number of an entity's slot, or SETTI_NONE if the entity has no value. */
uint32_t setti_index_find(const setti_storage* storage, uint32_t index);

SETTI_INLINE setti_index_slot* setti_index_slot_at(const setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(number >> SETTI_INDEX_SHIFT < storage->hashed);
    setti_sparse_page* page = storage->presence.data[number >> SETTI_INDEX_SHIFT];
    return &page->slot[number & (SETTI_INDEX_SLOTS - 1)];
}

/* Hashed: prefetches the slot of an entity and the last row, which a removal needs. */
SETTI_INLINE void setti_index_prefetch(const setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->hashed != 0 && storage->count != 0);
    uint32_t last = storage->extent - 1;
    const unsigned char* rows = storage->rows.data[last >> storage->shift];
    uint32_t row = last & (((uint32_t)1 << storage->shift) - 1);
    SETTI_PREFETCH(setti_index_slot_at(storage, setti_index_home(index, storage->hashed)));
    SETTI_PREFETCH(rows + (size_t)row * storage->size);
    SETTI_PREFETCH(rows + storage->indices + row * sizeof(uint32_t));
}

/* Hashed: returns the row of an entity, or SETTI_NONE if the entity has no value. */
uint32_t setti_index_row(const setti_storage* storage, uint32_t index);

/* Paged: returns the row of an entity, or SETTI_NONE if the entity has no value. */
SETTI_INLINE uint32_t setti_sparse_paged_row(const setti_pages* presence, uint32_t index)
{
    const setti_sparse_page* page = setti_pages_get(presence, index >> SETTI_SPARSE_SHIFT);
    return page != NULL ? page->row[index & SETTI_SPARSE_MASK] : SETTI_NONE;
}

SETTI_INLINE uint32_t setti_sparse_row(const setti_storage* storage, uint32_t index)
{
    uint32_t row;
    if (storage->hashed != 0) {
        row = setti_index_row(storage, index);
    } else {
        row = setti_sparse_paged_row(&storage->presence, index);
    }
    return row;
}

/* Sparse set: returns the number of the index page that has an entity's row. */
SETTI_INLINE uint32_t setti_sparse_page_of(const setti_storage* storage, uint32_t index)
{
    if (storage->hashed == 0) {
        return index >> SETTI_SPARSE_SHIFT;
    }
    return (storage->hashed == 1) ? 0 : (setti_index_find(storage, index) >> SETTI_INDEX_SHIFT);
}

bool setti_sparse_has(const setti_storage* storage, uint32_t index);

/* Whether an index has a value. Inlined for arrays and tags. Inlined code for sparse sets would add
 * 40 KB to the library. */
SETTI_INLINE bool setti_storage_has(const setti_storage* storage, uint32_t index)
{
    if (SETTI_LIKELY(storage->kind != SETTI_SPARSE)) {
        return setti_bitmap_has(storage, index);
    }
    return setti_sparse_has(storage, index);
}

/* Returns the bits of 64 entities: bit k is set if the entity of index base + k has a value. */
uint64_t setti_storage_bits(const setti_storage* storage, uint32_t base);

/* Returns the place of an entity's value. Returns SETTI_NONE if there is no value. */
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

/* Like setti_storage_row, for all kinds. For a tag, returns an address without meaning. */
SETTI_INLINE void* setti_storage_at(const setti_storage* storage, uint32_t place)
{
    if (SETTI_UNLIKELY(storage->kind == SETTI_TAG)) {
        return setti_unconst(storage);
    }
    return setti_storage_row(storage, place);
}

/* Array, tag: returns the first index >= `index` that has a page. Returns SETTI_NONE if no such
 * index has a page. */
uint32_t setti_array_seek(const setti_storage* storage, uint32_t index);

/* Array, tag: returns 1 + the highest index that has a value. Returns 0 if there are no values. */
uint32_t setti_array_end(const setti_storage* storage);

/* Returns the bits in a saved page: bit k is set if row k has a value. */
SETTI_INLINE uint64_t* setti_storage_saved(const setti_storage* storage, void* page)
{
    SETTI_ASSERT(storage->saved != 0 && page != NULL);
    return (uint64_t*)(void*)((unsigned char*)page + storage->saved);
}

/* Sparse set: returns the address of the entity index of a row. A gap has the index SETTI_NONE. */
SETTI_INLINE uint32_t* setti_storage_index(const setti_storage* storage, uint32_t row)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE &&
                 setti_pages_get(&storage->rows, row >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[row >> storage->shift];
    return (uint32_t*)(void*)(page + storage->indices) + (row & (setti_storage_rows(storage) - 1));
}

/* Tracked: returns the address of the tick at which the value at a place was written. */
SETTI_INLINE uint64_t* setti_storage_tick(const setti_storage* storage, uint32_t place)
{
    SETTI_ASSERT(storage->tracked &&
                 setti_pages_get(&storage->rows, place >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[place >> storage->shift];
    return (uint64_t*)(void*)(page + storage->ticks) + (place & (setti_storage_rows(storage) - 1));
}

/* Like setti_storage_find, while loops work on copies of the storage's values. */
void* setti_storage_find_gathered(const setti_storage* storage, uint32_t index);

/* Like setti_storage_find, for all kinds, but not inlined. */
void* setti_storage_find_other(const setti_storage* storage, uint32_t index);

/* Returns the value of an entity. Returns NULL if there is no value. Inlined for arrays. */
SETTI_INLINE void* setti_storage_find(const setti_storage* storage, uint32_t index)
{
    if (SETTI_LIKELY(storage->handle_kind == SETTI_ARRAY)) {
        void* value = NULL;
        if (SETTI_LIKELY(setti_bitmap_has(storage, index))) {
            value = setti_storage_row(storage, index);
        }
        return value;
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

/* Like setti_storage_find. Also marks the value as written. */
void* setti_storage_find_mut(setti_pool* pool, const setti_storage* storage, uint32_t index);

/* The fast path of setti_storage_find_mut. Returns false if the slow path is needed. Sets *value to
 * NULL if there is no value. */
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

/* Returns the tick of the last write or restore of a value. Returns 0 if there is no value. */
uint64_t setti_storage_changed(const setti_storage* storage, uint32_t index);

/* Copies the tick of a value that moves from `old_place` to `new_place`. The new page gets the
 * later restore tick of both pages. */
SETTI_INLINE void setti_storage_move_tick(const setti_storage* old_storage, uint32_t old_place,
                                          const setti_storage* new_storage, uint32_t new_place)
{
    SETTI_ASSERT(old_storage->tracked && new_storage->tracked);
    SETTI_ASSERT(old_storage->kind != SETTI_TAG && new_storage->kind != SETTI_TAG);
    uint64_t old_restored =
        *setti_pages_restored(&old_storage->rows, old_place >> old_storage->shift);
    uint64_t* new_restored =
        setti_pages_restored(&new_storage->rows, new_place >> new_storage->shift);
    *setti_storage_tick(new_storage, new_place) = *setti_storage_tick(old_storage, old_place);
    *new_restored = SETTI_MAX(*new_restored, old_restored);
}

/* Returns the next index that has a value. Returns SETTI_NONE at the end. *cursor is 0 at the
 * beginning. The caller may erase the value of the returned index. */
uint32_t setti_storage_next(const setti_storage* storage, uint32_t* cursor);

/* Walks over all indices with a value: SETTI_EACH_INDEX(index, storage) { ... } */
#define SETTI_EACH_INDEX(index, storage)                                                           \
    for (uint32_t index##_cursor = 0, index = setti_storage_next(storage, &index##_cursor);        \
         index != SETTI_NONE; index = setti_storage_next(storage, &index##_cursor))

/* Like setti_storage_next, but in the order of rows. The caller may not erase values. */
static inline uint32_t setti_storage_next_row(const setti_storage* storage, uint32_t* cursor)
{
    uint32_t index = SETTI_NONE; /* no row is found yet */
    if (storage->kind != SETTI_SPARSE) {
        return setti_storage_next(storage, cursor);
    }
    while (index == SETTI_NONE && *cursor < storage->extent) { /* a gap has no index */
        index = *setti_storage_index(storage, (*cursor)++);
    }
    return index;
}

/* Returns the index of the entity that has the value at `address`. Returns SETTI_NONE if there is
 * no value at `address`. */
uint32_t setti_storage_owner(const setti_storage* storage, const void* address);

/* ------------------------------------------------------------------------------------- changing
 * Called by edit*.c and change*.c only. */

/* Makes room for the value of an index. Returns false if memory runs out. */
bool setti_storage_reserve(setti_pool* pool, setti_storage* storage, uint32_t index);

/* Creates pages for `count` more rows of a sparse set. Returns false if memory runs out. */
bool setti_sparse_reserve_pages(setti_pool* pool, setti_storage* storage, uint32_t count);

/* Makes room for `count` more rows of a sparse set, and for `count` more entries in a hash table.
 * Returns false if memory runs out. */
bool setti_sparse_reserve_rows(setti_pool* pool, setti_storage* storage, uint32_t count);

/* Makes room for `count` more entities. Call setti_storage_reserve_indices next. Both functions
 * return false if memory runs out. */
SETTI_INLINE bool setti_storage_reserve_rows(setti_pool* pool, setti_storage* storage,
                                             uint32_t count)
{
    return storage->kind != SETTI_SPARSE || setti_sparse_reserve_rows(pool, storage, count);
}
bool setti_storage_reserve_indices(setti_pool* pool, setti_storage* storage, uint32_t first,
                                   uint32_t count);

/* Inserts up to *count adjacent indices, beginning with `index`. Stops at the end of a page of
 * rows. Sets *count to the number of insertions. Returns the first value. */
void* setti_storage_insert(setti_pool* pool, setti_storage* storage, uint32_t index,
                           uint32_t* count);

/* Removes the value of an index. The caller has deinitialised the value. */
void setti_storage_erase(setti_pool* pool, setti_storage* storage, uint32_t index);

/* Closes the gaps of a keep_order storage. */
void setti_storage_compact(setti_pool* pool, setti_storage* storage);

/* Moves the values apart, so that each row with want[row] == SETTI_NONE becomes a gap. `want` has
 * `extent` rows. Returns false if memory runs out. */
bool setti_sparse_spread(setti_pool* pool, setti_storage* storage, const uint32_t* want,
                         uint32_t extent);

/* Closes the gaps and frees the spare page. */
void setti_storage_trim(setti_pool* pool, setti_storage* storage);

/* Frees the pages that became empty while the pool was pinned. */
void setti_storage_free_strays(setti_pool* pool, setti_storage* storage);

/* Checks the invariant of the storage. Returns the error, or NULL. */
const char* setti_storage_validate(const setti_storage* storage);

/* The fast path of an insertion into an array, if the page of rows exists. Returns NULL if a
 * snapshot needs the page. */
SETTI_INLINE void* setti_array_insert_one(const setti_pool* pool, setti_storage* storage,
                                          uint32_t index, bool cow)
{
    SETTI_ASSERT(storage->kind == SETTI_ARRAY);
    if (SETTI_UNLIKELY(
            !setti_pages_try_mark(pool, &storage->rows, index >> storage->shift, cow) ||
            !setti_pages_try_mark(pool, &storage->presence, index >> SETTI_BITS_SHIFT, cow))) {
        return NULL;
    }
    /* the page of presence exists, because the page of rows exists */
    uint64_t* words = storage->presence.data[index >> SETTI_BITS_SHIFT];
    uint64_t* word = &words[(index / 64) & (SETTI_BITS_WORDS - 1)];
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

/* The fast path of an insertion into an array. Returns NULL if the slow path is needed. */
SETTI_INLINE void* setti_array_try_insert(const setti_pool* pool, setti_storage* storage,
                                          uint32_t index, bool cow)
{
    if (SETTI_UNLIKELY(setti_pages_get(&storage->rows, index >> storage->shift) == NULL)) {
        return NULL;
    }
    return setti_array_insert_one(pool, storage, index, cow);
}

/* The fast path of setti_storage_insert. Returns NULL if the slow path is needed. */
void* setti_storage_try_insert(setti_pool* pool, setti_storage* storage, uint32_t index);

typedef enum setti_erased {
    SETTI_NOT_ERASED, /* there is no value, or the slow path is needed */
    SETTI_ERASED,
    SETTI_EMPTIED, /* erased, and the word of presence is 0: call setti_array_word_emptied */
} setti_erased;

/* The fast path of setti_array_erase. */
SETTI_INLINE setti_erased setti_array_try_erase(const setti_pool* pool, setti_storage* storage,
                                                uint32_t index)
{
    uint64_t* word = setti_storage_word(storage, index);
    if (SETTI_UNLIKELY(storage->kind == SETTI_SPARSE || word == NULL)) {
        return SETTI_NOT_ERASED;
    }
    uint64_t new_word = *word ^ ((uint64_t)1 << (index % 64));
    bool absent = new_word > *word; /* the bit was 0, and is 1 now */
    if (SETTI_UNLIKELY(absent || !setti_pages_try_write(pool, &storage->presence,
                                                        index >> SETTI_BITS_SHIFT))) {
        return SETTI_NOT_ERASED;
    }
    *word = new_word;
    storage->count--;
    return new_word != 0 ? SETTI_ERASED : SETTI_EMPTIED;
}

/* Like setti_array_try_erase. The value exists, and no snapshot is held. */
SETTI_INLINE setti_erased setti_array_erase_no_cow(const setti_pool* pool, setti_storage* storage,
                                                   uint32_t index)
{
    SETTI_ASSERT(storage->kind != SETTI_SPARSE);
    uint32_t number = index >> SETTI_BITS_SHIFT;
    uint64_t* words = storage->presence.data[number];
    uint32_t position = (index / 64) & (SETTI_BITS_WORDS - 1);
    SETTI_ASSERT((words[position] >> (index % 64) & 1) != 0);
    (void)setti_pages_try_mark(pool, &storage->presence, number, SETTI_NO_COW);
    storage->count--;
    uint64_t new_word = words[position] & ~((uint64_t)1 << (index % 64));
    words[position] = new_word;
    return new_word != 0 ? SETTI_ERASED : SETTI_EMPTIED;
}

/* Frees pages, if possible, after the word of presence of `index` became 0. */
void setti_array_word_emptied(setti_pool* pool, setti_storage* storage, uint32_t index);

/* ----------------------------------------------------------------------------------------- rows */

#define SETTI_ROW_SMALL 64 /* inlined copies up to this size are faster than calls of memcpy */

/* Copies the bytes of a row. */
SETTI_INLINE void setti_row_copy(void* out, const void* in, size_t size)
{
    unsigned char* copy = out;
    const unsigned char* original = in;
    if (size > SETTI_ROW_SMALL) {
        memcpy(copy, original, size);
        return;
    }
    if (size >= 8) { /* the last 8 bytes may overlap the 8 bytes before */
        for (size_t offset = 0; offset + 8 < size; offset += 8) {
            memcpy(copy + offset, original + offset, 8);
        }
        memcpy(copy + size - 8, original + size - 8, 8);
        return;
    }
    if (size >= 4) { /* the two parts may overlap */
        memcpy(copy, original, 4);
        memcpy(copy + size - 4, original + size - 4, 4);
        return;
    }
    if (size != 0) { /* 1 to 3 bytes: first, middle, last */
        unsigned char middle = original[size / 2];
        unsigned char last = original[size - 1];
        copy[0] = original[0];
        copy[size / 2] = middle;
        copy[size - 1] = last;
    }
}

/* Sets `size` bytes to 0. Returns `out`. */
SETTI_INLINE void* setti_row_zero(void* out, size_t size)
{
    SETTI_ASSERT(out != NULL || size == 0);
    unsigned char* bytes = out;
    if (size > SETTI_ROW_SMALL) {
        return memset(bytes, 0, size);
    }
    if (size >= 8) { /* the last 8 bytes may overlap the 8 bytes before */
        for (size_t offset = 0; offset + 8 < size; offset += 8) {
            memset(bytes + offset, 0, 8);
        }
        memset(bytes + size - 8, 0, 8);
        return out;
    }
    if (size >= 4) { /* the two parts may overlap */
        memset(bytes, 0, 4);
        memset(bytes + size - 4, 0, 4);
        return out;
    }
    if (size != 0) { /* 1 to 3 bytes: first, middle, last */
        bytes[0] = 0;
        bytes[size / 2] = 0;
        bytes[size - 1] = 0;
    }
    return out;
}

/* Returns the address of an entity's row number in the index. */
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

/* Assigns a new row to an entity. The caller moves the value. */
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

/* Notes that a page became empty. The page is freed when the pool is no longer pinned. */
SETTI_INLINE void setti_storage_note_stray(setti_pool* pool, setti_storage* storage,
                                           uint32_t number)
{
    SETTI_ASSERT(pool->pinned != 0);
    bool single = storage->stray == SETTI_NONE || storage->stray == number; /* the only stray */
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
void setti_sparse_move(setti_pool* pool, setti_storage* storage, uint32_t old_row,
                       uint32_t new_row);
void setti_sparse_release(setti_pool* pool, setti_storage* storage);
void setti_sparse_trim(setti_pool* pool, setti_storage* storage);
void setti_sparse_free_strays(setti_pool* pool, setti_storage* storage);
uint32_t setti_sparse_next(const setti_storage* storage, uint32_t* cursor);
const char* setti_sparse_validate(const setti_storage* storage);

#endif
