/* page.h: the memory of a world.
 *
 * A pool takes blocks from the allocator and cuts them into pieces of a few KB: pages for a world's
 * state, and small tables. A paged array is a table of pointers to pages; growing the array adds a
 * page and never moves a page.
 *
 * Each page carries the tick of its last write. Call setti_pages_write before writing, once a page
 * in loops: change detection, snapshots and hashes compare these ticks to find changed pages.
 */
#ifndef SETTI_PAGE_H
#define SETTI_PAGE_H

#include "base/bits.h"
#include "base/platform.h"

/* Pieces of up to 1 KB have sizes 32, 64, 128, ..., pieces of up to 32 KB multiples of 128 bytes.
 * Larger pieces come straight from the allocator. With steps of 128 bytes a page of 1,024 rows and
 * 128 bytes of occupancy wastes nothing. */
#define SETTI_POOL_SMALL_CLASSES 6
#define SETTI_POOL_SMALL_MAX 1024
#define SETTI_POOL_STEP 128
#define SETTI_POOL_PAGE_MAX 32768
#define SETTI_POOL_CLASSES                                                                         \
    (SETTI_POOL_SMALL_CLASSES + (SETTI_POOL_PAGE_MAX - SETTI_POOL_SMALL_MAX) / SETTI_POOL_STEP)

/* Inline reads see indices below 1 << SETTI_READ_SHIFT, the default limit of entities: `read` has
 * an entry for each page up to there. With a higher limit one far entity could cost 32 MB. */
#define SETTI_READ_SHIFT 28

typedef struct setti_block setti_block;
typedef struct setti_large setti_large;
typedef struct setti_strip setti_strip;
typedef struct setti_range setti_range;

typedef struct setti_pool {
    uint64_t tick;     /* the world's clock; here because every write path has the pool at hand */
    uint64_t restored; /* the tick of the latest restore; 0: no restore */
    uint64_t cloned;   /* the tick of the latest clone into this world; 0: no clone */
    /* Pages last written before this tick are saved before the next write. 0 while no snapshot is
     * held: no page is saved. */
    uint64_t cow_from;
    struct setti_cow* cow; /* saves old contents of pages; cow.h */
    /* Saving a page takes the lock, since loops on several threads may save pages. Take the lock to
     * allocate from the pool while parallel loops run. */
    setti_lock lock;
    sett_allocator allocator;
    setti_block* blocks; /* newest first */
    setti_block* held;   /* a reserve in case the allocator fails, or NULL */
    setti_large* large;  /* pieces beyond SETTI_POOL_PAGE_MAX or of unusual alignment */
    setti_strip* strips; /* runs: room for the next pages of a table */
    setti_range* ranges; /* free room joined by setti_pool_join, each of at least a page */
    unsigned char* bump; /* the unused end of the newest block */
    size_t bump_size;    /* bytes from `bump` on */
    size_t block_size;   /* bytes held from the allocator */
    size_t used_size;    /* bytes handed out, each piece rounded up to its class */
    /* The limit of block_size, without `exempt` and `held`; 0: no limit. Allocations above the
     * limit fail as if memory had run out. For work caused by requests from outside. */
    size_t ceiling;
    size_t exempt;        /* bytes held for copies of pages since the ceiling was set */
    size_t promised;      /* used_size may grow to this without a new block (setti_pool_reserve) */
    bool holds;           /* between setti_pool_hold and setti_pool_end_hold: no new runs */
    uint64_t allocations; /* calls for memory so far */
    /* Calls of setti_edit_pin without setti_edit_unpin. Unless 0, storages neither move nor free
     * pages: rows of several entities are reserved and not taken yet. */
    uint32_t pinned;
    bool strayed;    /* pages became empty while pinned: a storage has a `stray` */
    bool huge_pages; /* all blocks are huge pages, not only large blocks: see pool_grow */
    bool small;      /* blocks and pages of values are small: sett_world_desc.small_pages */
    bool denied;     /* an allocation failed at the ceiling */
    /* free pieces by class, linked through the first word; not initialised without a block */
    void* free[SETTI_POOL_CLASSES];
} setti_pool;

void setti_pool_init(setti_pool* pool, sett_allocator allocator, bool huge_pages);
/* Frees everything, including pieces in use. */
void setti_pool_deinit(setti_pool* pool);

/* Returns `size` bytes (not 0), uninitialised, or NULL. `align` is a power of two up to 4,096. */
void* setti_pool_alloc(setti_pool* pool, size_t size, size_t align);

/* Like setti_pool_alloc, filled with zeroes. From SETTI_POOL_ZERO bytes on by the allocator's
 * zero_fn, if it has one: untouched memory then costs nothing. `align`: at most 16. */
void* setti_pool_alloc_zero(setti_pool* pool, size_t size, size_t align);
#define SETTI_POOL_ZERO ((size_t)512 << 10)

/* Makes room for `size` bytes in the newest block, or takes a block. Pieces of `size` bytes in all
 * then cannot fail, if each is counted with 256 bytes more. Returns false when memory runs out. */
bool setti_pool_reserve(setti_pool* pool, size_t size);

/* Touches memory ahead of work that allocates much at once. The first call (*at is NULL) takes room
 * for `size` bytes in small pages, because touching a huge page takes too long. Each call touches
 * the next `step` unused bytes of the newest block, and stops after `nanoseconds`. Cannot fail. */
void setti_pool_warm(setti_pool* pool, unsigned char** at, size_t size, size_t step,
                     uint64_t nanoseconds);

/* Joins neighbouring free pieces of `size` bytes. The joined room is used before new blocks. */
void setti_pool_join(setti_pool* pool, size_t size, size_t align);

/* Holds a block of `size` bytes in case the allocator fails. Pieces of `size` bytes in all then
 * cannot fail, if each has at most SETTI_POOL_PAGE_MAX bytes and is counted with 256 bytes more.
 * Returns false when memory runs out. */
bool setti_pool_hold(setti_pool* pool, size_t size);
/* Ends the hold. The block stays for the next hold, until setti_pool_let_go or setti_pool_trim. */
void setti_pool_end_hold(setti_pool* pool);
/* Frees the held block. */
void setti_pool_let_go(setti_pool* pool);

/* Limits the pool to `more` bytes above the bytes held now; 0: no limit. */
void setti_pool_set_ceiling(setti_pool* pool, size_t more);
/* Whether the pool exceeds the ceiling, because the held block was used. */
bool setti_pool_is_above(const setti_pool* pool);

/* Like setti_pool_alloc, but does not count against the ceiling. */
void* setti_pool_alloc_exempt(setti_pool* pool, size_t size, size_t align);

/* Makes room for `more` items of `size` bytes in an array of the pool, aligned to 16. Returns the
 * array, perhaps moved. Returns NULL and changes nothing when memory runs out. */
void* setti_pool_grow(setti_pool* pool, void* items, size_t size, uint32_t count, uint32_t more,
                      uint32_t* capacity);

/* Frees a piece; `size` and `align` as at its allocation. NULL is ignored. */
void setti_pool_free(setti_pool* pool, void* piece, size_t size, size_t align);

/* Returns empty blocks to the allocator. Does nothing without memory for a list of the blocks. */
void setti_pool_trim(setti_pool* pool);

/* Checks the invariant of page.c. Returns NULL or the error. */
const char* setti_pool_validate(const setti_pool* pool);

/* Rarely used data of a table; cow.h. */
typedef struct setti_page_notes setti_page_notes;

/* A run: memory for the next pages of a table, side by side, so that loops are as fast as over an
 * array. This header follows the entries of the table. The pool lists runs with unused pages, and
 * takes these pages back when the allocator fails and when the pool is trimmed. */
struct setti_strip {
    setti_strip* next;
    setti_strip* previous;
    unsigned char* page; /* the first unused page */
    uint32_t left;       /* unused pages */
    uint32_t class;      /* of a page, in the pool */
};

/* A page table. Pointers and ticks lie apart, so that the pointers of a million entities fit the
 * first-level cache. The public sett_page_table_ has the same first members. */
typedef struct setti_pages {
    void** data;    /* pages by number; NULL: no page */
    uint64_t* tick; /* of the last write to the page; in the allocation of `data` */
    uint32_t count; /* entries in use */
    uint32_t capacity;
    uint32_t size;           /* bytes of a page */
    uint32_t align;          /* of a page */
    setti_page_notes* notes; /* or NULL */
    /* A copy of `data` with `none` instead of NULL, for readers that do not test for pages: of at
     * most the first 1 << read_shift pages. NULL if `none` is NULL. */
    const void** read;
    const void* none;
    uint32_t read_mask;  /* entries of `read`, a power of two, minus 1 */
    uint32_t read_count; /* entries for readers of values; 0 if `hidden` or `bare` */
    bool hidden;         /* from readers */
    bool bare;           /* the entries have no values, only presence */
    uint8_t read_shift;
    uint32_t has_count; /* entries for readers of presence; 0 if `hidden` */
} setti_pages;

/* Makes an empty table for pages of `size` bytes. */
void setti_pages_init(setti_pages* pages, size_t size, size_t align);

/* Like setti_pages_init, for a table with readers: they see the first 1 << shift pages, and `none`
 * in place of a missing page. */
void setti_pages_init_read(setti_pages* pages, size_t size, size_t align, const void* none,
                           uint8_t shift);

/* Sets the number of entries in use. Later entries are empty. */
static inline void setti_pages_set_count(setti_pages* pages, uint32_t count)
{
    pages->count = count;
    pages->has_count = pages->hidden || pages->none == NULL
                           ? 0
                           : SETTI_MIN(count, (uint32_t)1 << pages->read_shift);
    pages->read_count = pages->bare ? 0 : pages->has_count;
}

/* Hides the table's pages from readers, or shows them again. */
static inline void setti_pages_hide(setti_pages* pages, bool hidden)
{
    pages->hidden = hidden;
    setti_pages_set_count(pages, pages->count);
}

/* Extends the table to `count` entries; new entries are empty. False when memory runs out. */
bool setti_pages_reserve(setti_pool* pool, setti_pages* pages, uint32_t count);

/* Creates the page of an entry, uninitialised, unless the entry has a page. Sets *fresh if it was
 * created now. Returns false when memory runs out. */
bool setti_pages_ensure(setti_pool* pool, setti_pages* pages, uint32_t number, bool* fresh);

/* Moves a page from entry `from` to the empty entry `to`. No snapshot may be held. */
void setti_pages_move(const setti_pool* pool, const setti_pages* pages, uint32_t from, uint32_t to);

/* Shrinks the table to `capacity` entries, at least `count`. Keeps its size if the allocation of
 * the smaller table fails. */
void setti_pages_shrink(setti_pool* pool, setti_pages* pages, uint32_t capacity);

/* Frees the page of an entry, if the entry has a page. */
void setti_pages_free(setti_pool* pool, setti_pages* pages, uint32_t number);

/* Frees all pages and empties the table. No snapshot may hold pages of the table. */
void setti_pages_deinit(setti_pool* pool, setti_pages* pages);

/* Checks `read` and the counts for readers. Returns NULL or the error. */
const char* setti_pages_validate(const setti_pages* pages);

/* Returns the page of a number, or NULL. */
SETTI_INLINE void* setti_pages_get(const setti_pages* pages, uint32_t number)
{
    return number < pages->count ? pages->data[number] : NULL;
}

/* The tick of the last restore of the page; 0: never restored. It is not part of the state: a
 * restore resets `tick`, not this. */
SETTI_INLINE uint64_t* setti_pages_restored(const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->capacity);
    return pages->tick + pages->capacity + number;
}

/* When rows move between pages, `to` counts as restored no earlier than `from`. */
static inline void setti_pages_join_restored(const setti_pages* pages, uint32_t from, uint32_t to)
{
    SETTI_ASSERT(from < pages->count && to < pages->count);
    uint64_t* restored = setti_pages_restored(pages, to);
    *restored = SETTI_MAX(*restored, *setti_pages_restored(pages, from));
}

/* The number of the page's entry in the diff; valid if the page's tick is at least cow_from. */
static inline uint32_t* setti_pages_entry(const setti_pages* pages, uint32_t number)
{
    return (uint32_t*)(void*)(pages->data + pages->capacity) + number;
}

/* One bit an entry, set if the page exists. */
static inline uint64_t* setti_pages_bits(const setti_pages* pages)
{
    return (uint64_t*)(void*)setti_pages_entry(pages, pages->capacity);
}

/* Sets the page of an entry; NULL empties the entry. */
static inline void setti_pages_put(const setti_pages* pages, uint32_t number, void* page)
{
    SETTI_ASSERT(number < pages->capacity);
    uint64_t* word = &setti_pages_bits(pages)[number / 64];
    uint64_t bit = (uint64_t)1 << (number % 64);
    pages->data[number] = page;
    if (pages->none != NULL && number <= pages->read_mask) {
        pages->read[number] = page != NULL ? page : pages->none;
    }
    *word = page != NULL ? *word | bit : *word & ~bit;
}

/* The number of the first page from `number` on; SETTI_NONE without such a page. Cheap: a table for
 * ten million entities has 20 words of bits. */
static inline uint32_t setti_pages_next(const setti_pages* pages, uint32_t number)
{
    return pages->count != 0 ? setti_bits_next(setti_pages_bits(pages), number, pages->count)
                             : SETTI_NONE;
}

/* The number of the last page before `end`; SETTI_NONE without such a page. */
static inline uint32_t setti_pages_last(const setti_pages* pages, uint32_t end)
{
    return pages->count != 0
               ? setti_bits_last(setti_pages_bits(pages), SETTI_MIN(end, pages->count))
               : SETTI_NONE;
}

/* Slow path of setti_pages_write: saves a page that a snapshot needs. */
void setti_pages_cow(setti_pool* pool, const setti_pages* pages, uint32_t number);

/* Call before writing to a page, once a page in loops. Two threads must not write to or mark the
 * same page: split a parallel loop at the borders of all pages written by it. */
SETTI_INLINE void setti_pages_write(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->count);
    if (pages->tick[number] != pool->tick) {
        if (SETTI_UNLIKELY(pages->tick[number] < pool->cow_from)) {
            setti_pages_cow(pool, pages, number);
        }
        pages->tick[number] = pool->tick;
    }
}

/* setti_pages_write for fast paths, which call no function. Returns false and changes nothing if a
 * snapshot needs the page; the slow path then calls setti_pages_write. */
SETTI_INLINE bool setti_pages_try_write(const setti_pool* pool, const setti_pages* pages,
                                        uint32_t number)
{
    SETTI_ASSERT(number < pages->count);
    if (pages->tick[number] != pool->tick) {
        if (SETTI_UNLIKELY(pages->tick[number] < pool->cow_from)) {
            return false;
        }
        pages->tick[number] = pool->tick;
    }
    return true;
}

/* Fast paths are compiled twice: `cow` is SETTI_COW while a snapshot is held (pool->cow_from is not
 * 0), else SETTI_NO_COW. */
#define SETTI_COW true
#define SETTI_NO_COW false

/* setti_pages_try_write for paths with a parameter `cow`. SETTI_NO_COW: one store, always true. */
SETTI_INLINE bool setti_pages_try_mark(const setti_pool* pool, const setti_pages* pages,
                                       uint32_t number, bool cow)
{
    SETTI_ASSERT(number < pages->count);
    if (cow) {
        return setti_pages_try_write(pool, pages, number);
    }
    pages->tick[number] = pool->tick;
    return true;
}

#endif
