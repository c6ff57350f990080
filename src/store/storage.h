/* storage.h: the values of one component type. One contract, a flat switch on `kind`:
 *
 *     array        position = entity index; one occupancy bit an entity;    storage_array.c
 *                  pages of rows where values are
 *     tag          the occupancy bits alone                                 storage_array.c
 *     sparse set   rows without gaps, an index from entity to row;          storage_sparse_set.c
 *                  with keep_order removal leaves gaps                      compact.c
 *                  the index: by pages, of few values a hash table          sparse_index.c
 *
 * Everything is by entity index; generations are the entity table's matter. The *place* of a value
 * is its row counted over all pages: the entity index in an array.
 */
#ifndef SETTI_STORAGE_H
#define SETTI_STORAGE_H

#include "base/bits.h"
#include "base/page.h"
#include "sett/read.h"

#include <string.h>

/* Zeroes, which readers see in place of what does not exist yet. */
typedef union setti_zero_page {
    uint64_t words[1024];
    uint32_t halves[2048];
    sett_bound_ bound[SETT_BOUND_FRONT_];
} setti_zero_page;

extern const setti_zero_page setti_zeroes;

typedef enum setti_kind {
    SETTI_ARRAY,
    SETTI_TAG,
    SETTI_SPARSE
} setti_kind;

/* Presence pages: of arrays and tags 8,192 bits; of sparse sets 1,024 rows, or 512 hashed slots. */
#define SETTI_BITS_SHIFT 13
#define SETTI_BITS_ROWS ((uint32_t)1 << SETTI_BITS_SHIFT)
#define SETTI_BITS_WORDS (SETTI_BITS_ROWS / 64)
#define SETTI_SPARSE_SHIFT 10
#define SETTI_SPARSE_ROWS ((uint32_t)1 << SETTI_SPARSE_SHIFT)
#define SETTI_SPARSE_MASK (SETTI_SPARSE_ROWS - 1)

/* A slot of the hash table of a sparse set. */
typedef struct setti_index_slot {
    uint32_t index; /* of the entity; SETTI_NONE: an empty slot */
    uint32_t row;
} setti_index_slot;

#define SETTI_INDEX_SHIFT 9
#define SETTI_INDEX_SLOTS ((uint32_t)1 << SETTI_INDEX_SHIFT)

typedef struct setti_sparse_page {
    union {
        uint32_t row[SETTI_SPARSE_ROWS]; /* by entity index: its row, SETTI_NONE if absent */
        setti_index_slot slot[SETTI_INDEX_SLOTS];
    };
    uint32_t count; /* used entries of `row`; not kept for `slot` */
} setti_sparse_page;

static_assert(sizeof(((setti_sparse_page*)0)->slot) == sizeof(((setti_sparse_page*)0)->row),
              "a page of the table of a sparse set has one size");

/* The `handle_kind` of a storage whose values a loop has copied: see gather.h. */
#define SETTI_GATHERED UINT8_MAX

typedef struct setti_storage {
    /* Fields that every access reads are one cache line, up to the pointers of `rows`. */
    uint8_t handle_kind; /* `kind`; SETTI_GATHERED: access by handle looks at `gather` and `far` */
    uint8_t shift; /* rows a page = 1 << shift: 1,024, or fewer, so that a page stays near 16 KB */
    uint8_t kind;  /* setti_kind */
    bool tracked;  /* rows have ticks of their own */
    uint32_t size; /* bytes a row */
    /* presence: pages of uint64_t[SETTI_BITS_WORDS], or of setti_sparse_page */
    setti_pages presence;
    /* pages of rows; an array has an entry for every row of each presence page */
    setti_pages rows;

    /* The root of the storage: with the pages, its state (SETTI_STORAGE_ROOT_SIZE). */
    uint32_t count; /* values alive */
    /* array, tag: above every index alive, by a distance that depends on the history
     * (setti_array_end is exact); sparse set: rows in use, gaps included */
    uint32_t extent;
    /* the number of an empty page that is held for the next addition, or SETTI_NONE. Array: a page
     * of rows; tag: the bits of 1 << shift entities; sparse set: a page of the index */
    uint32_t spare;
    /* sparse set: the pages of the hash table, a power of two; 0: presence is by entity index */
    uint32_t hashed;

    uint32_t blank;  /* array: presence pages without a page of rows, see storage_array.c */
    bool keep_order; /* sparse-set: removal leaves a gap */
    bool far;        /* array, tag: it had an index that is not read in line (SETTI_READ_SHIFT) */
    /* Open loops that work on copies of values. Read by loops over the type and by access by
     * handle: no system that writes the type runs beside these. */
    struct setti_gather* gather;
    uint32_t indices; /* sparse-set: offset in a page of the rows' entity indices */
    uint32_t ticks;   /* offset in a page of the rows' ticks, if tracked */
    uint32_t saved;   /* offset in a page of one bit a row: alive, in a saved page; 0: none */
    uint32_t align;   /* of a value in memory of its own: that of its page */
    /* the page that became empty while the pool was pinned, to be the next spare; SETTI_NONE:
     * there is none; SETTI_STRAYS: there are several */
    uint32_t stray;
    void (*move)(void* to, void* from, uint32_t count, void* user); /* NULL: memcpy */
    void* user;                                                     /* handed to move */
} setti_storage;

#define SETTI_STRAYS (SETTI_NONE - 1)

/* Bytes of the root: `count` to `hashed`. */
#define SETTI_STORAGE_ROOT_SIZE (4 * sizeof(uint32_t))

/* ----------------------------------------------------------------------------------------- life */

void setti_storage_init(setti_storage* storage, setti_kind kind, size_t size, size_t align,
                        bool tracked);

/* An empty storage of a tag: a set of entities. */
static inline void setti_storage_init_tag(setti_storage* storage)
{
    const bool tracked = false; /* a tag has no rows */
    setti_storage_init(storage, SETTI_TAG, 0, 1, tracked);
}

/* Sets the size of pages to about 1 KB (`small`) or 16 KB, the default. No page exists yet. */
void setti_storage_use_pages(setti_storage* storage, bool small);

/* Gives the storage's pages room to note which rows are alive, for values that hooks copy. Call
 * before the first page is created. */
void setti_storage_add_saved(setti_storage* storage);

/* Updates how the storage is accessed by handle, after `gather` or `far` has changed. */
static inline void setti_storage_update_access(setti_storage* storage)
{
    bool away = storage->gather != NULL || storage->far;
    storage->handle_kind = away ? SETTI_GATHERED : storage->kind;
    setti_pages_hide(&storage->presence, away);
}

/* Frees all pages without looking at the values. */
void setti_storage_deinit(setti_pool* pool, setti_storage* storage);

/* -------------------------------------------------------------------------------------- reading */

SETTI_INLINE uint32_t setti_storage_rows(const setti_storage* storage)
{
    return (uint32_t)1 << storage->shift;
}

/* Array, tag: the occupancy word of an index, or NULL if there is no page for it. */
SETTI_INLINE uint64_t* setti_storage_word(const setti_storage* storage, uint32_t index)
{
    uint64_t* words = setti_pages_get(&storage->presence, index >> SETTI_BITS_SHIFT);
    return words != NULL ? words + (index / 64 & (SETTI_BITS_WORDS - 1)) : NULL;
}

/* Array, tag: 1 if there is a value, 0 if not. A number, for arithmetic instead of branches. */
SETTI_INLINE uint32_t setti_bitmap_bit(const setti_storage* storage, uint32_t index)
{
    const uint64_t* word = setti_storage_word(storage, index);
    return word != NULL ? (uint32_t)(*word >> (index % 64)) & 1 : 0;
}

SETTI_INLINE bool setti_bitmap_has(const setti_storage* storage, uint32_t index)
{
    return setti_bitmap_bit(storage, index) != 0;
}

/* The first slot where a hash table of so many pages looks for an entity. Indices at any regular
 * distance spread well. A look-up may have to walk over all values that have one home. */
SETTI_INLINE uint32_t setti_index_home(uint32_t index, uint32_t pages)
{
    return (uint32_t)(((uint64_t)(index * 2654435769u) * pages * SETTI_INDEX_SLOTS) >> 32);
}

/* Sparse-set, hashed: the number of the slot of an entity, or SETTI_NONE. */
uint32_t setti_index_find(const setti_storage* storage, uint32_t index);

/* Sparse-set, hashed: a slot by its number. */
SETTI_INLINE setti_index_slot* setti_index_slot_at(const setti_storage* storage, uint32_t number)
{
    SETTI_ASSERT(number >> SETTI_INDEX_SHIFT < storage->hashed);
    setti_sparse_page* page = storage->presence.data[number >> SETTI_INDEX_SHIFT];
    return &page->slot[number & (SETTI_INDEX_SLOTS - 1)];
}

/* Sparse-set, hashed, with values: prefetches the slot of an entity and the last row. */
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

/* Sparse-set, hashed: the row of an entity, or SETTI_NONE. */
uint32_t setti_index_row(const setti_storage* storage, uint32_t index);

/* Like setti_sparse_row, of a table of pages by entity index. */
SETTI_INLINE uint32_t setti_sparse_paged_row(const setti_pages* presence, uint32_t index)
{
    const setti_sparse_page* page = setti_pages_get(presence, index >> SETTI_SPARSE_SHIFT);
    return page != NULL ? page->row[index & SETTI_SPARSE_MASK] : SETTI_NONE;
}

/* Sparse-set: the row of an entity, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_sparse_row(const setti_storage* storage, uint32_t index)
{
    return storage->hashed != 0 ? setti_index_row(storage, index)
                                : setti_sparse_paged_row(&storage->presence, index);
}

/* Sparse-set: the number of the presence page that has the entity's row. */
SETTI_INLINE uint32_t setti_sparse_page_of(const setti_storage* storage, uint32_t index)
{
    return storage->hashed == 0   ? index >> SETTI_SPARSE_SHIFT
           : storage->hashed == 1 ? 0
                                  : setti_index_find(storage, index) >> SETTI_INDEX_SHIFT;
}

bool setti_sparse_has(const setti_storage* storage, uint32_t index);

/* Only arrays and tags are inlined: with the sparse set, the 160 calls of this and of
 * setti_storage_find would take 40 KB. */
SETTI_INLINE bool setti_storage_has(const setti_storage* storage, uint32_t index)
{
    return SETTI_LIKELY(storage->kind != SETTI_SPARSE) ? setti_bitmap_has(storage, index)
                                                       : setti_sparse_has(storage, index);
}

/* Which of the 64 entities from index `base` on, a multiple of 64, have a value: a bit for each. */
uint64_t setti_storage_bits(const setti_storage* storage, uint32_t base);

/* The place of the entity's value, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_storage_slot(const setti_storage* storage, uint32_t index)
{
    if (SETTI_LIKELY(storage->kind != SETTI_SPARSE)) {
        return setti_bitmap_has(storage, index) ? index : SETTI_NONE;
    }
    return setti_sparse_row(storage, index);
}

/* The address of the value at a place whose page of rows exists. */
SETTI_INLINE void* setti_storage_row(const setti_storage* storage, uint32_t place)
{
    SETTI_ASSERT(setti_pages_get(&storage->rows, place >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[place >> storage->shift];
    return page + (size_t)(place & (setti_storage_rows(storage) - 1)) * storage->size;
}

/* Like setti_storage_row; for a tag, which has no rows: not NULL, and not to be dereferenced. */
SETTI_INLINE void* setti_storage_at(const setti_storage* storage, uint32_t place)
{
    return SETTI_UNLIKELY(storage->kind == SETTI_TAG) ? setti_unconst(storage)
                                                      : setti_storage_row(storage, place);
}

/* Array, tag: the first index from `index` on whose page exists; SETTI_NONE if there is none. */
uint32_t setti_array_seek(const setti_storage* storage, uint32_t index);

/* Array, tag: the highest index that has a value, plus 1; 0 if there is none. */
uint32_t setti_array_end(const setti_storage* storage);

/* For values that hooks copy: the words of a saved page that say which of its rows are alive. */
SETTI_INLINE uint64_t* setti_storage_saved(const setti_storage* storage, void* page)
{
    SETTI_ASSERT(storage->saved != 0 && page != NULL);
    return (uint64_t*)(void*)((unsigned char*)page + storage->saved);
}

/* Sparse-set: the address of a row's entity index; SETTI_NONE in it is a gap. */
SETTI_INLINE uint32_t* setti_storage_index(const setti_storage* storage, uint32_t row)
{
    SETTI_ASSERT(storage->kind == SETTI_SPARSE &&
                 setti_pages_get(&storage->rows, row >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[row >> storage->shift];
    return (uint32_t*)(void*)(page + storage->indices) + (row & (setti_storage_rows(storage) - 1));
}

/* Tracked: the address of a place's tick. */
SETTI_INLINE uint64_t* setti_storage_tick(const setti_storage* storage, uint32_t place)
{
    SETTI_ASSERT(storage->tracked &&
                 setti_pages_get(&storage->rows, place >> storage->shift) != NULL);
    unsigned char* page = storage->rows.data[place >> storage->shift];
    return (uint64_t*)(void*)(page + storage->ticks) + (place & (setti_storage_rows(storage) - 1));
}

/* Like setti_storage_find, for a storage with gathers: the copy, if the value has one. */
void* setti_storage_find_gathered(const setti_storage* storage, uint32_t index);

/* Like setti_storage_find, for a storage that is no array, or has gathers. */
void* setti_storage_find_other(const setti_storage* storage, uint32_t index);

/* The address of the entity's value, or NULL. Only arrays are inlined, as in setti_storage_has. */
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

/* Like setti_storage_find_mut, for fast paths: true with the answer in *value if the storage is a
 * plain array and no snapshot needs the page first. Otherwise *value is NULL. */
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

/* The tick of the last write to the entity's value, 0 if absent; for a tag, of the last change to
 * any entity's tag on the same page. Part of the state. */
uint64_t setti_storage_written(const setti_storage* storage, uint32_t index);

/* The later of setti_storage_written and the last restore that exchanged the page of the value or
 * of its presence: a restored value need not have been written. */
uint64_t setti_storage_changed(const setti_storage* storage, uint32_t index);

/* Tracked: copies the ticks of a value that moves from a place of `from` to one of `to`. */
SETTI_INLINE void setti_storage_move_tick(const setti_storage* from, uint32_t from_place,
                                          const setti_storage* to, uint32_t to_place)
{
    SETTI_ASSERT(from->tracked && to->tracked);
    SETTI_ASSERT(from->kind != SETTI_TAG && to->kind != SETTI_TAG);
    uint64_t was = *setti_pages_restored(&from->rows, from_place >> from->shift);
    uint64_t* is = setti_pages_restored(&to->rows, to_place >> to->shift);
    *setti_storage_tick(to, to_place) = *setti_storage_tick(from, from_place);
    *is = SETTI_MAX(*is, was);
}

/* The next entity index with a value, SETTI_NONE at the end: upwards in an array, from the last row
 * down in a sparse set. Begins with *cursor = 0. The index just returned may be erased. */
uint32_t setti_storage_next(const setti_storage* storage, uint32_t* cursor);

/* The whole walk: SETTI_EACH_INDEX(index, storage) { ... } */
#define SETTI_EACH_INDEX(index, storage)                                                           \
    for (uint32_t index##_cursor = 0, index = setti_storage_next(storage, &index##_cursor);        \
         index != SETTI_NONE; index = setti_storage_next(storage, &index##_cursor))

/* Like setti_storage_next, in the order of the rows. Nothing may be erased meanwhile. */
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

/* The index of the entity whose value lies at `address`, or SETTI_NONE. */
uint32_t setti_storage_owner(const setti_storage* storage, const void* address);

/* ------------------------------------------------------------------------------------- changing
 * Called by edit*.c and change*.c only. */

/* Makes sure that inserting `index` needs no memory; may compact. False when memory runs out. */
bool setti_storage_reserve(setti_pool* pool, setti_storage* storage, uint32_t index);

/* The pages for `count` more rows of a sparse set. */
bool setti_sparse_reserve_pages(setti_pool* pool, setti_storage* storage, uint32_t count);

/* The pages for `count` more rows of a sparse set, and room in its index. */
bool setti_sparse_reserve_rows(setti_pool* pool, setti_storage* storage, uint32_t count);

/* To reserve for many entities call setti_storage_reserve_rows once, with their number, and
 * setti_storage_reserve_indices for each run of neighbouring indices. */
SETTI_INLINE bool setti_storage_reserve_rows(setti_pool* pool, setti_storage* storage,
                                             uint32_t count)
{
    return storage->kind != SETTI_SPARSE || setti_sparse_reserve_rows(pool, storage, count);
}
bool setti_storage_reserve_indices(setti_pool* pool, setti_storage* storage, uint32_t first,
                                   uint32_t count);

/* Inserts up to *count neighbouring indices from `index` on, none of them present, all reserved: as
 * many as have rows in one page. *count becomes their number. Returns the address of the first of
 * these rows, which are not initialised. */
void* setti_storage_insert(setti_pool* pool, setti_storage* storage, uint32_t index,
                           uint32_t* count);

/* Removes the row of `index`, present, whose value is dead already. Needs no memory. */
void setti_storage_erase(setti_pool* pool, setti_storage* storage, uint32_t index);

/* Closes the gaps of a keep_order storage. Needs no memory. */
void setti_storage_compact(setti_pool* pool, setti_storage* storage);

/* Opens gaps in a storage without gaps: where one of the `extent` entries of `want` is SETTI_NONE.
 * The last entry is no gap. Rows stay in order. Returns false when memory runs out. */
bool setti_sparse_spread(setti_pool* pool, setti_storage* storage, const uint32_t* want,
                         uint32_t extent);

/* Closes the gaps of a keep_order storage, and frees the spare page. */
void setti_storage_trim(setti_pool* pool, setti_storage* storage);

/* Frees the pages that became empty while the pool was pinned. */
void setti_storage_free_strays(setti_pool* pool, setti_storage* storage);

/* Checks the storage's invariant. Returns NULL or the part that does not hold. */
const char* setti_storage_validate(const setti_storage* storage);

/* Inserts an index without a value into an array whose page exists, in line. Returns NULL, with
 * pages marked at most, if a snapshot needs them. `cow`: see setti_pages_try_mark. */
SETTI_INLINE void* setti_array_insert_one(const setti_pool* pool, setti_storage* storage,
                                          uint32_t index, bool cow)
{
    SETTI_ASSERT(storage->kind == SETTI_ARRAY);
    if (SETTI_UNLIKELY(
            !setti_pages_try_mark(pool, &storage->rows, index >> storage->shift, cow) ||
            !setti_pages_try_mark(pool, &storage->presence, index >> SETTI_BITS_SHIFT, cow))) {
        return NULL;
    }
    /* Where there is a page of rows there is one of presence. */
    uint64_t* words = storage->presence.data[index >> SETTI_BITS_SHIFT];
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

/* Like setti_array_insert_one, but the page may be missing: then NULL. */
SETTI_INLINE void* setti_array_try_insert(const setti_pool* pool, setti_storage* storage,
                                          uint32_t index, bool cow)
{
    return SETTI_LIKELY(setti_pages_get(&storage->rows, index >> storage->shift) != NULL)
               ? setti_array_insert_one(pool, storage, index, cow)
               : NULL;
}

/* Like setti_array_try_insert, by a call, for any storage; NULL also if the entity has a value. */
void* setti_storage_try_insert(setti_pool* pool, setti_storage* storage, uint32_t index);

typedef enum setti_erased {
    /* nothing is done: it is a sparse set, has no value, or a snapshot needs the page of the bit */
    SETTI_NOT_ERASED,
    SETTI_ERASED,
    SETTI_EMPTIED, /* erased the last of its word: the caller calls setti_array_word_emptied */
} setti_erased;

/* Fast path of a removal, in line. */
SETTI_INLINE setti_erased setti_array_try_erase(const setti_pool* pool, setti_storage* storage,
                                                uint32_t index)
{
    uint64_t* word = setti_storage_word(storage, index);
    if (SETTI_UNLIKELY(storage->kind == SETTI_SPARSE || word == NULL)) {
        return SETTI_NOT_ERASED;
    }
    uint64_t left = *word ^ (uint64_t)1 << (index % 64); /* less than before if the bit is set */
    if (SETTI_UNLIKELY(left > *word || !setti_pages_try_write(pool, &storage->presence,
                                                              index >> SETTI_BITS_SHIFT))) {
        return SETTI_NOT_ERASED;
    }
    *word = left;
    storage->count--;
    return left != 0 ? SETTI_ERASED : SETTI_EMPTIED;
}

/* Like setti_array_try_erase, for an array or tag with the value, while no snapshot is held. */
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
    uint64_t left = words[at] & ~((uint64_t)1 << (index % 64));
    words[at] = left;
    return left != 0 ? SETTI_ERASED : SETTI_EMPTIED;
}

/* Frees the pages around an index whose word of occupancy became 0, if no value is left in them. */
void setti_array_word_emptied(setti_pool* pool, setti_storage* storage, uint32_t index);

/* ----------------------------------------------------------------------------------------- rows */

/* Up to this size copying a row in line costs less than a call of memcpy. */
#define SETTI_ROW_SMALL 64

SETTI_INLINE void setti_row_copy(void* to, const void* from, size_t size)
{
    unsigned char* t = to;
    const unsigned char* f = from;
    if (size > SETTI_ROW_SMALL) {
        memcpy(t, f, size);
        return;
    }
    if (size >= 8) { /* the last eight bytes may overlap those before: fewer branches */
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
    if (size != 0) { /* one to three */
        unsigned char middle = f[size / 2];
        unsigned char last = f[size - 1];
        t[0] = f[0];
        t[size / 2] = middle;
        t[size - 1] = last;
    }
}

/* Returns `to`. */
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
    if (size != 0) { /* one to three */
        t[0] = 0;
        t[size / 2] = 0;
        t[size - 1] = 0;
    }
    return to;
}

/* Where the index stores an entity's row. The entity has a value, or the index is paged and has the
 * entity's page. */
SETTI_INLINE uint32_t* setti_sparse_entry(const setti_storage* storage, uint32_t index)
{
    if (storage->hashed != 0) {
        return &setti_index_slot_at(storage, setti_index_find(storage, index))->row;
    }
    SETTI_ASSERT(setti_pages_get(&storage->presence, index >> SETTI_SPARSE_SHIFT) != NULL);
    setti_sparse_page* page = storage->presence.data[index >> SETTI_SPARSE_SHIFT];
    return &page->row[index & SETTI_SPARSE_MASK];
}

/* Like setti_sparse_entry, and marks the page as written. */
SETTI_INLINE uint32_t* setti_sparse_entry_mut(setti_pool* pool, const setti_storage* storage,
                                              uint32_t index)
{
    setti_pages_write(pool, &storage->presence, setti_sparse_page_of(storage, index));
    return setti_sparse_entry(storage, index);
}

/* Assigns a row to an entity that has another one: writes both the index and the row's entity. The
 * caller moves the value. */
SETTI_INLINE void setti_sparse_assign_row(setti_pool* pool, const setti_storage* storage,
                                          uint32_t index, uint32_t row)
{
    SETTI_ASSERT(row < storage->extent);
    *setti_sparse_entry_mut(pool, storage, index) = row;
    setti_pages_write(pool, &storage->rows, row >> storage->shift);
    *setti_storage_index(storage, row) = index;
}

/* ---------------------------------------------------------------------------------------- kinds
 * The arms of storage.c's switch, and what the files of one kind share. */

/* Notes a page that became empty and has to stay, because the pool is pinned. */
SETTI_INLINE void setti_storage_note_stray(setti_pool* pool, setti_storage* storage,
                                           uint32_t number)
{
    SETTI_ASSERT(pool->pinned != 0);
    bool first = storage->stray == SETTI_NONE || storage->stray == number;
    storage->stray = first ? number : SETTI_STRAYS;
    pool->strayed = true;
}

bool setti_array_reserve(setti_pool* pool, setti_storage* storage, uint32_t index);
void* setti_array_insert(setti_pool* pool, setti_storage* storage, uint32_t index, uint32_t* count);
void setti_array_erase(setti_pool* pool, setti_storage* storage, uint32_t index);
void setti_array_trim(setti_pool* pool, setti_storage* storage);
void setti_array_free_strays(setti_pool* pool, setti_storage* storage);
uint32_t setti_array_next(const setti_storage* storage, uint32_t* cursor);
const char* setti_array_validate(const setti_storage* storage);

/* The index of a sparse set, sparse_index.c. */
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
