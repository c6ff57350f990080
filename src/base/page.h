/* page.h: the memory of a world.
 *
 * A pool hands out pieces of a few KB, cut from blocks that it takes from the allocator: the pages
 * that hold a world's state, and the small tables around them. A paged array is a table of pointers
 * to such pages; growing it adds a page and never moves one.
 *
 * Each page carries the tick of its last write. Call setti_pages_write before writing, once a page
 * in loops: change detection, snapshots and hashes rely on it to know which pages differ from an
 * earlier state.
 */
#ifndef SETTI_PAGE_H
#define SETTI_PAGE_H

#include "base/bits.h"
#include "base/platform.h"

/* Pieces of up to 1 KB come in powers of two from 32 bytes, above in steps of 128 bytes up to 32
 * KB, larger ones straight from the allocator. Steps of 128 keep a page of 1,024 rows plus its 128
 * bytes of occupancy from wasting an eighth. */
#define SETTI_POOL_SMALL_CLASSES 6
#define SETTI_POOL_SMALL_MAX 1024
#define SETTI_POOL_STEP 128
#define SETTI_POOL_PAGE_MAX 32768
#define SETTI_POOL_CLASSES                                                                         \
    (SETTI_POOL_SMALL_CLASSES + (SETTI_POOL_PAGE_MAX - SETTI_POOL_SMALL_MAX) / SETTI_POOL_STEP)

/* Indices below 1 << SETTI_READ_SHIFT, the default limit, are read in line: what programs read has
 * an entry for each page up to there. Behind it one far entity would make that 32 MB. */
#define SETTI_READ_SHIFT 28

typedef struct setti_block setti_block;
typedef struct setti_large setti_large;
typedef struct setti_strip setti_strip;
typedef struct setti_range setti_range;

typedef struct setti_pool {
    /* the world's clock; beside the pool because every write path has the pool at hand */
    uint64_t tick;
    uint64_t restored; /* the tick of the latest restore; 0: none */
    uint64_t cloned;   /* the tick at which another world was cloned into this one; 0: none was */
    /* pages last written before this tick are saved before they are written; 0, and so no page,
     * while no snapshot is held */
    uint64_t cow_from;
    struct setti_cow* cow; /* saves old contents of pages; cow.h */
    /* held by the barrier while it saves a page, because loops on several threads may; lock it to
     * allocate from the pool while such loops run */
    setti_lock lock;
    sett_allocator allocator;
    setti_block* blocks; /* newest first */
    setti_block* held;   /* for when the allocator fails; or NULL */
    setti_large* large;  /* pieces beyond SETTI_POOL_PAGE_MAX or of unusual alignment */
    setti_strip* strips; /* runs: room that page tables took for their next pages */
    setti_range* ranges; /* free room that setti_pool_join made, of at least a page each */
    unsigned char* bump; /* the unused end of the newest block */
    size_t bump_size;    /* its bytes */
    size_t block_size;   /* bytes held from the allocator */
    size_t used_size;    /* bytes handed out, rounded up to their classes */
    /* The most bytes held from the allocator beside `exempt` and `held`; 0: no limit. For work that
     * an outside request causes: an allocation beyond it fails as if memory had run out. */
    size_t ceiling;
    size_t exempt; /* bytes held for copies of pages since the ceiling was set */
    /* bytes that setti_pool_reserve made room for, plus the bytes in use at that call */
    size_t promised;
    bool holds;           /* between setti_pool_hold and setti_pool_end_hold: no new runs */
    uint64_t allocations; /* calls for memory so far */
    /* Pages of storages neither move nor are freed: rows of several entities are reserved and not
     * taken yet. How often setti_edit_pin was called without setti_edit_unpin */
    uint32_t pinned;
    bool strayed;    /* pages became empty meanwhile: some storage has a `stray` */
    bool huge_pages; /* all blocks are huge pages, not only large ones: see pool_grow */
    bool small;      /* blocks and pages of values are small: sett_world_desc.small_pages */
    bool denied;     /* the ceiling was met */
    /* free pieces by class, linked through their first word; not initialised without a block */
    void* free[SETTI_POOL_CLASSES];
} setti_pool;

void setti_pool_init(setti_pool* pool, sett_allocator allocator, bool huge_pages);
/* Frees everything, including pieces that are still in use. */
void setti_pool_deinit(setti_pool* pool);

/* Returns `size` bytes (not 0), uninitialised, or NULL. `align` is a power of two up to 4,096. */
void* setti_pool_alloc(setti_pool* pool, size_t size, size_t align);

/* Like setti_pool_alloc, of zeroes. From SETTI_POOL_ZERO bytes on they come from the allocator's
 * zero_fn, if there is one: memory that is never touched costs nothing. `align`: at most 16. */
void* setti_pool_alloc_zero(setti_pool* pool, size_t size, size_t align);
#define SETTI_POOL_ZERO ((size_t)512 << 10)

/* Takes a block, unless `size` bytes are unused in the newest one. So many bytes can then be handed
 * out, each piece counted as up to 256 bytes more. Returns false when memory runs out. */
bool setti_pool_reserve(setti_pool* pool, size_t size);

/* Touches memory ahead, so that work that allocates much at once does not wait for the system. The
 * first call (*at is NULL) takes room for `size` bytes, of small pages: touching a huge one takes
 * too long. Each call touches the next `step` unused bytes of the newest block, fewer if these take
 * longer than `nanoseconds`. It promises nothing, and cannot fail. */
void setti_pool_warm(setti_pool* pool, unsigned char** at, size_t size, size_t step,
                     uint64_t nanoseconds);

/* Joins neighbouring free pieces of this size into room that is cut before a new block is taken. */
void setti_pool_join(setti_pool* pool, size_t size, size_t align);

/* Holds a block of `size` bytes for the case that the allocator fails: pieces of up to
 * SETTI_POOL_PAGE_MAX bytes are then cut from it. So pieces of `size` bytes together, each counted
 * as up to 256 bytes more, cannot fail. Returns false when memory runs out. */
bool setti_pool_hold(setti_pool* pool, size_t size);
/* Ends the hold; the block stays for the next one, until setti_pool_let_go or setti_pool_trim. */
void setti_pool_end_hold(setti_pool* pool);
/* Frees the held block. */
void setti_pool_let_go(setti_pool* pool);

/* Limits the pool to `more` bytes beyond those that it holds now; 0: no limit. */
void setti_pool_set_ceiling(setti_pool* pool, size_t more);
/* Whether the pool exceeds the ceiling because it used the held block. */
bool setti_pool_is_above(const setti_pool* pool);

/* Like setti_pool_alloc, but does not count against the ceiling. */
void* setti_pool_alloc_exempt(setti_pool* pool, size_t size, size_t align);

/* Makes room for `more` items of `size` bytes in an array of the pool, aligned to 16. Returns the
 * array, which may have moved; NULL, without a change, when memory runs out. */
void* setti_pool_grow(setti_pool* pool, void* items, size_t size, uint32_t count, uint32_t more,
                      uint32_t* capacity);

/* Frees a piece; `size` and `align` as at its allocation. NULL is ignored. */
void setti_pool_free(setti_pool* pool, void* piece, size_t size, size_t align);

/* Returns empty blocks to the allocator. Does nothing without memory for its own work. */
void setti_pool_trim(setti_pool* pool);

/* Checks that free and used bytes add up to the blocks' sizes. Returns NULL or the error. */
const char* setti_pool_validate(const setti_pool* pool);

/* Rarely used data of a table; cow.h. */
typedef struct setti_page_notes setti_page_notes;

/* A run: room for the next pages of a table, side by side, so that a loop over them is as fast as
 * over an array. It lies behind the entries of a table, and is in the pool's list while pages are
 * left. The pool takes these back when the allocator fails, and when it is trimmed. */
struct setti_strip {
    setti_strip* next;
    setti_strip* previous;
    unsigned char* page; /* the next one */
    uint32_t left;       /* pages */
    uint32_t class;      /* of a page, in the pool */
};

/* A page table. Pointers and ticks lie apart, so that the pointers of a million entities fit the
 * first-level cache. The public sett_page_table_ begins the same. */
typedef struct setti_pages {
    void** data;    /* by page number; NULL: this stretch is empty */
    uint64_t* tick; /* of the last write to the page; in the same allocation */
    uint32_t count; /* entries in use */
    uint32_t capacity;
    uint32_t size;           /* bytes of a page */
    uint32_t align;          /* of a page */
    setti_page_notes* notes; /* or NULL */
    /* Like `data`, with `none` in place of NULL, for readers that do not test for pages. It has as
     * many entries, but 1 << read_shift at most. NULL until `none` is set. */
    const void** read;
    const void* none;
    uint32_t read_mask;  /* entries of `read`, a power of two, less one */
    uint32_t read_count; /* entries in use that readers of values see; 0 if `hidden` or `bare` */
    bool hidden;         /* from readers */
    bool bare;           /* there are no values that belong to the entries */
    uint8_t read_shift;
    uint32_t has_count; /* entries in use that readers see */
} setti_pages;

/* An empty table of pages of this size and alignment. */
void setti_pages_init(setti_pages* pages, size_t size, size_t align);

/* Like setti_pages_init, with a page that readers see where there is none. They see the first
 * 1 << shift pages; what lies behind is for setti_pages_get. */
void setti_pages_init_read(setti_pages* pages, size_t size, size_t align, const void* none,
                           uint8_t shift);

/* Sets how many entries are in use; the entries behind them are empty. */
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

/* Extends the table to entries 0..count-1; new ones are empty. False when memory runs out. */
bool setti_pages_reserve(setti_pool* pool, setti_pages* pages, uint32_t count);

/* Creates this entry's page, with undefined contents, if there is none; *fresh becomes whether the
 * page was created. False when memory runs out. */
bool setti_pages_ensure(setti_pool* pool, setti_pages* pages, uint32_t number, bool* fresh);

/* Moves the page of one entry to another, empty entry; no snapshot is held. */
void setti_pages_move(const setti_pool* pool, const setti_pages* pages, uint32_t from, uint32_t to);

/* Frees the table's room beyond `capacity` entries. None of these entries has a page. Does nothing
 * if there is no memory for the smaller table. */
void setti_pages_shrink(setti_pool* pool, setti_pages* pages, uint32_t capacity);

/* Frees a page; its entry is then empty. An empty entry is ignored. */
void setti_pages_free(setti_pool* pool, setti_pages* pages, uint32_t number);

/* Frees all pages and the table, which is then empty. No snapshot may hold pages of it. */
void setti_pages_deinit(setti_pool* pool, setti_pages* pages);

/* Checks the table that readers use. Returns NULL or the error. */
const char* setti_pages_validate(const setti_pages* pages);

/* The page of this number, or NULL. */
SETTI_INLINE void* setti_pages_get(const setti_pages* pages, uint32_t number)
{
    return number < pages->count ? pages->data[number] : NULL;
}

/* The tick of the last restore that exchanged the page, 0 if there was none. Not part of the state:
 * restored pages have the ticks of their writes. */
SETTI_INLINE uint64_t* setti_pages_restored(const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->capacity);
    return pages->tick + pages->capacity + number;
}

/* When rows move between pages, `to` counts as restored no earlier than `from`. */
static inline void setti_pages_join_restored(const setti_pages* pages, uint32_t from, uint32_t to)
{
    SETTI_ASSERT(from < pages->count && to < pages->count);
    uint64_t* is = setti_pages_restored(pages, to);
    *is = SETTI_MAX(*is, *setti_pages_restored(pages, from));
}

/* The number of the page's entry in the diff, valid while the page's tick says that it has one. */
static inline uint32_t* setti_pages_entry(const setti_pages* pages, uint32_t number)
{
    return (uint32_t*)(void*)(pages->data + pages->capacity) + number;
}

/* One bit an entry: whether its page exists. */
static inline uint64_t* setti_pages_bits(const setti_pages* pages)
{
    return (uint64_t*)(void*)setti_pages_entry(pages, pages->capacity);
}

/* Sets the page of an entry; NULL empties it. */
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

/* The number of the first page from `number` on, or of the last one before `end`; SETTI_NONE if
 * there is none. Tables of ten million entities are 20 words of these bits. */
static inline uint32_t setti_pages_next(const setti_pages* pages, uint32_t number)
{
    return pages->count != 0 ? setti_bits_next(setti_pages_bits(pages), number, pages->count)
                             : SETTI_NONE;
}

static inline uint32_t setti_pages_last(const setti_pages* pages, uint32_t end)
{
    return pages->count != 0
               ? setti_bits_last(setti_pages_bits(pages), SETTI_MIN(end, pages->count))
               : SETTI_NONE;
}

/* Slow path of setti_pages_write: saves a page that a snapshot needs. */
void setti_pages_cow(setti_pool* pool, const setti_pages* pages, uint32_t number);

/* Call before writing to a page: once a page in loops. Two threads must not write to or mark one
 * page at a time: split a loop only at the borders of all pages that it writes. */
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

/* Like setti_pages_write, for fast paths, which call no function. Returns false, without a change,
 * if a snapshot needs the page: the slow path calls setti_pages_write. */
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

/* Fast paths are compiled twice, with and without copy-on-write, and selected by whether a snapshot
 * is held (pool->cow_from is not 0): the value of their parameter `cow`. */
#define SETTI_COW true
#define SETTI_NO_COW false

/* Like setti_pages_try_write, for such a path: with SETTI_NO_COW one store, which succeeds. */
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
