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

/* Sizes of pieces:
 *     up to 1 KB     32, 64, 128, ...
 *     up to 32 KB    multiples of 128: a page of 1,024 rows has 128 bytes of occupancy
 *     above          any; straight from the allocator */
#define SETTI_POOL_SMALL_CLASSES 6
#define SETTI_POOL_SMALL_MAX 1024
#define SETTI_POOL_STEP 128
#define SETTI_POOL_PAGE_MAX 32768
#define SETTI_POOL_CLASSES                                                                         \
    (SETTI_POOL_SMALL_CLASSES + (SETTI_POOL_PAGE_MAX - SETTI_POOL_SMALL_MAX) / SETTI_POOL_STEP)

/* Inline reads see indices below 1 << SETTI_READ_SHIFT, the default limit of entities. */
#define SETTI_READ_SHIFT 28 /* if larger, a single far entity could cost 32 MB */

typedef struct setti_block setti_block;
typedef struct setti_large setti_large;
typedef struct setti_strip setti_strip;
typedef struct setti_range setti_range;

typedef struct setti_pool {
    uint64_t tick;     /* the world's clock */
    uint64_t restored; /* the tick of the latest restore; 0: no restore */
    uint64_t cloned;   /* the tick of the latest clone into this world; 0: no clone */
    /* Pages with an earlier tick are saved before a write. 0 while no snapshot is held. */
    uint64_t cow_from;
    struct setti_cow* cow; /* saves old contents of pages; cow.h */
    /* Take the lock to allocate while parallel loops run, because loops save pages. */
    setti_lock lock;
    sett_allocator allocator;
    setti_block* blocks; /* newest first */
    setti_block* held;   /* a reserve in case the allocator fails, or NULL */
    setti_large* large;  /* pieces beyond SETTI_POOL_PAGE_MAX or of unusual alignment */
    setti_strip* strips; /* room for the next pages of tables */
    setti_range* ranges; /* free room joined by setti_pool_join */
    unsigned char* bump; /* unused memory, mostly the end of the newest block */
    size_t bump_size;    /* bytes from `bump` on */
    size_t block_size;   /* bytes held from the allocator */
    size_t used_size;    /* bytes handed out, each piece rounded up to its class */
    /* Limit of block_size without `exempt` and `held`; 0: no limit. For loads from outside. */
    size_t ceiling;
    size_t exempt;        /* bytes taken for saved pages since the ceiling was set */
    size_t promised;      /* used_size may grow to this value (setti_pool_reserve) */
    bool holds;           /* between setti_pool_hold and setti_pool_end_hold: no new strips */
    uint64_t allocations; /* calls for memory so far */
    /* While not 0, pages stay in place for reserved rows (setti_edit_pin). */
    uint32_t pinned;
    bool strayed;    /* a storage has a `stray`: pages became empty while pinned */
    bool huge_pages; /* all blocks are huge pages */
    bool small;      /* blocks and pages of values are small: sett_world_desc.small_pages */
    bool denied;     /* an allocation failed at the ceiling */
    /* free pieces by class, linked through the first word; not initialised without a block */
    void* free[SETTI_POOL_CLASSES];
} setti_pool;

void setti_pool_init(setti_pool* pool, sett_allocator allocator, bool huge_pages);
/* Frees all memory, also pieces in use. */
void setti_pool_deinit(setti_pool* pool);

/* Allocates a piece of uninitialised memory. Returns NULL if memory runs out. */
void* setti_pool_alloc(setti_pool* pool, size_t size, size_t align);

/* Allocates zeroes. Pieces of at least SETTI_POOL_ZERO bytes cost nothing until touched. */
void* setti_pool_alloc_zero(setti_pool* pool, size_t size, size_t align);
#define SETTI_POOL_ZERO ((size_t)512 << 10)

/* Reserves memory: the next allocations cannot fail while their sizes and 256 bytes for each piece
 * add up to at most `size`. Returns false if memory runs out. */
bool setti_pool_reserve(setti_pool* pool, size_t size);

/* Touches the next `step` bytes of unused memory ahead of much work, for at most `nanoseconds`. The
 * next call continues at *at. If *at is NULL, first takes a block for `size` bytes. */
void setti_pool_warm(setti_pool* pool, unsigned char** at, size_t size, size_t step,
                     uint64_t nanoseconds);

/* Joins neighbouring free pieces of a size, for pieces of other sizes. */
void setti_pool_join(setti_pool* pool, size_t size, size_t align);

/* Holds a block in case the allocator fails: until setti_pool_end_hold, small pieces cannot fail
 * while their sizes and 256 bytes for each piece add up to at most `size`. Returns false if memory
 * runs out. */
bool setti_pool_hold(setti_pool* pool, size_t size);
/* Ends the hold. The block stays for the next hold; setti_pool_let_go frees it. */
void setti_pool_end_hold(setti_pool* pool);
void setti_pool_let_go(setti_pool* pool);

/* Limits the growth of the pool to `more` bytes. 0 removes the limit. */
void setti_pool_set_ceiling(setti_pool* pool, size_t more);
bool setti_pool_is_above(const setti_pool* pool);

/* Allocates a piece that does not count against the ceiling. */
void* setti_pool_alloc_exempt(setti_pool* pool, size_t size, size_t align);

/* Makes room for `more` items. Returns the array, perhaps moved, or NULL if memory runs out. */
void* setti_pool_grow(setti_pool* pool, void* items, size_t size, uint32_t count, uint32_t more,
                      uint32_t* capacity);

/* Frees a piece. Pass the size and alignment of the allocation. */
void setti_pool_free(setti_pool* pool, void* piece, size_t size, size_t align);

/* Returns empty blocks to the allocator. */
void setti_pool_trim(setti_pool* pool);

/* Checks the invariant of page.c. Returns NULL or the error. */
const char* setti_pool_validate(const setti_pool* pool);

/* Rarely used data of a table; cow.h. */
typedef struct setti_page_notes setti_page_notes;

/* Room for the next pages of a table. The pool takes the room back when the allocator fails. */
struct setti_strip {
    setti_strip* next;
    setti_strip* previous;
    unsigned char* page; /* the first unused page */
    uint32_t left;       /* unused pages */
    uint32_t class;      /* of a page, in the pool */
};

/* A page table. The public sett_page_table_ has the same first members. */
typedef struct setti_pages {
    void** data;    /* pages by number; NULL: no page */
    uint64_t* tick; /* the tick of the last write to each page */
    uint32_t count; /* entries in use */
    uint32_t capacity;
    uint32_t size;           /* bytes of a page */
    uint32_t align;          /* of a page */
    setti_page_notes* notes; /* or NULL */
    /* A copy of `data` for readers, with `none` for missing pages. NULL without `none`. */
    const void** read;
    const void* none;
    uint32_t read_mask;  /* entries of `read`, a power of two, minus 1 */
    uint32_t read_count; /* number of entries that readers of values see; 0 if `hidden` or `bare` */
    bool hidden;         /* from readers */
    bool bare;           /* the entries have no values, only presence */
    uint8_t read_shift;
    uint32_t has_count; /* number of entries that readers of presence see; 0 if `hidden` */
} setti_pages;

void setti_pages_init(setti_pages* pages, size_t size, size_t align);

/* Makes an empty table with readers. Readers see `none` in place of a missing page. */
void setti_pages_init_read(setti_pages* pages, size_t size, size_t align, const void* none,
                           uint8_t shift);

/* Sets the number of entries in use, also for readers. */
static inline void setti_pages_set_count(setti_pages* pages, uint32_t count)
{
    pages->count = count;
    bool has_readers = !pages->hidden && pages->none != NULL;
    pages->has_count = has_readers ? SETTI_MIN(count, (uint32_t)1 << pages->read_shift) : 0;
    pages->read_count = pages->bare ? 0 : pages->has_count;
}

/* Hides the pages from readers, or shows the pages again. */
static inline void setti_pages_hide(setti_pages* pages, bool hidden)
{
    pages->hidden = hidden;
    setti_pages_set_count(pages, pages->count);
}

/* Extends the table to `count` entries. Returns false if memory runs out. */
bool setti_pages_reserve(setti_pool* pool, setti_pages* pages, uint32_t count);

/* Creates the page of an entry if missing, and sets *fresh. Returns false if memory runs out. */
bool setti_pages_ensure(setti_pool* pool, setti_pages* pages, uint32_t number, bool* fresh);

/* Moves a page to an empty entry. No snapshot may be held. */
void setti_pages_move(const setti_pool* pool, const setti_pages* pages, uint32_t from, uint32_t to);

/* Shrinks the table, if memory allows. */
void setti_pages_shrink(setti_pool* pool, setti_pages* pages, uint32_t capacity);

void setti_pages_free(setti_pool* pool, setti_pages* pages, uint32_t number);

/* Frees all pages. No snapshot may hold pages of the table. */
void setti_pages_deinit(setti_pool* pool, setti_pages* pages);

/* Checks `read` and the counts for readers. Returns NULL or the error. */
const char* setti_pages_validate(const setti_pages* pages);

SETTI_INLINE void* setti_pages_get(const setti_pages* pages, uint32_t number)
{
    return number < pages->count ? pages->data[number] : NULL;
}

/* Returns the address of a page's last restore tick. A restore sets `tick` back, not this tick. */
SETTI_INLINE uint64_t* setti_pages_restored(const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->capacity);
    return pages->tick + pages->capacity + number;
}

/* Rows have moved from page `from` to page `to`: `to` takes the later restore tick. */
static inline void setti_pages_join_restored(const setti_pages* pages, uint32_t from, uint32_t to)
{
    SETTI_ASSERT(from < pages->count && to < pages->count);
    uint64_t* restored = setti_pages_restored(pages, to);
    *restored = SETTI_MAX(*restored, *setti_pages_restored(pages, from));
}

/* Returns the address of a number: the place of a saved page's entry in the diff. */
static inline uint32_t* setti_pages_entry(const setti_pages* pages, uint32_t number)
{
    return (uint32_t*)(void*)(pages->data + pages->capacity) + number;
}

/* Returns a bit for each entry, set if the page exists. */
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

/* Returns the number of the first existing page from `number` on, or SETTI_NONE. */
static inline uint32_t setti_pages_next(const setti_pages* pages, uint32_t number)
{
    return pages->count != 0 ? setti_bits_next(setti_pages_bits(pages), number, pages->count)
                             : SETTI_NONE;
}

/* Returns the number of the last existing page before `end`, or SETTI_NONE. */
static inline uint32_t setti_pages_last(const setti_pages* pages, uint32_t end)
{
    return pages->count != 0
               ? setti_bits_last(setti_pages_bits(pages), SETTI_MIN(end, pages->count))
               : SETTI_NONE;
}

/* Slow path of setti_pages_write. */
void setti_pages_cow(setti_pool* pool, const setti_pages* pages, uint32_t number);

/* Call before writing to a page. Two threads must not write to the same page. */
SETTI_INLINE void setti_pages_write(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->count);
    if (pages->tick[number] != pool->tick) {
        if (SETTI_UNLIKELY(pages->tick[number] < pool->cow_from)) { /* a snapshot needs the page */
            setti_pages_cow(pool, pages, number);
        }
        pages->tick[number] = pool->tick;
    }
}

/* Fast path of setti_pages_write. Returns false if a snapshot needs the page. */
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

/* Fast paths are compiled twice: SETTI_COW is for calls while a snapshot is held. */
#define SETTI_COW true
#define SETTI_NO_COW false

/* Calls setti_pages_try_write if `cow` is SETTI_COW, else only stores the tick. */
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
