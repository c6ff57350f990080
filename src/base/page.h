/* page.h: the memory of a world.
 *
 * A pool takes blocks from the allocator and cuts them into pieces of a few KB: pages for a world's
 * state, and small tables. A paged array is a table of pointers to pages; growing the array adds a
 * page and never moves a page.
 *
 * Each page carries the tick of the last write to the page. Call setti_pages_write before writing
 * to a page. In a loop over a page, one call suffices. Change detection, snapshots and hashes
 * compare the ticks to find changed pages. */
#ifndef SETTI_PAGE_H
#define SETTI_PAGE_H

#include "base/bits.h"
#include "base/platform.h"

/* Sizes of pieces:
 *     up to 1 KB     32, 64, 128, ...
 *     up to 32 KB    multiples of 128: a page of 1,024 rows has 128 bytes of occupancy
 *     above          any size; each piece comes from the allocator */
#define SETTI_POOL_SMALL_CLASSES 6
#define SETTI_POOL_SMALL_MAX 1024
#define SETTI_POOL_STEP 128
#define SETTI_POOL_PAGE_MAX 32768
#define SETTI_POOL_CLASSES                                                                         \
    (SETTI_POOL_SMALL_CLASSES + (SETTI_POOL_PAGE_MAX - SETTI_POOL_SMALL_MAX) / SETTI_POOL_STEP)

/* Inline reads find entities with an index below 1 << SETTI_READ_SHIFT, the default limit of
 * entities. With a larger shift, one entity of a high index could cost 32 MB. */
#define SETTI_READ_SHIFT 28

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
    /* Take the lock to allocate while parallel loops run: a loop that writes may save a page. */
    setti_lock lock;
    sett_allocator allocator;
    setti_block* blocks; /* newest first */
    setti_block* held;   /* a reserve in case the allocator fails, or NULL */
    setti_large* large;  /* pieces beyond SETTI_POOL_PAGE_MAX or of unusual alignment */
    setti_strip* strips; /* memory for the next pages of tables */
    setti_range* ranges; /* free memory joined by setti_pool_join */
    unsigned char* bump; /* unused memory, mostly the end of the newest block */
    size_t bump_size;    /* bytes of unused memory at `bump` */
    size_t block_size;   /* bytes taken from the allocator */
    size_t used_size;    /* bytes of pieces in use; a piece counts with the size of its class */
    /* The limit of block_size - exempt - size of `held`. 0: no limit. Set while a world is loaded
     * from bytes that are not trusted. */
    size_t ceiling;
    size_t exempt;        /* bytes taken for saved pages since the ceiling was set */
    size_t promised;      /* used_size may grow to this value (setti_pool_reserve) */
    bool holds;           /* set by setti_pool_hold until setti_pool_end_hold: no new strips */
    uint64_t allocations; /* number of allocations by the allocator so far */
    /* While not 0, pages stay in place for reserved rows (setti_edit_pin). */
    uint32_t pinned;
    bool strayed;    /* a storage has a `stray`, because pages became empty while pinned */
    bool huge_pages; /* all blocks are huge pages */
    bool small;      /* blocks and pages of values are small: sett_world_desc.small_pages */
    bool denied;     /* an allocation failed at the ceiling */
    /* The free pieces of each class, linked through the first word. Not initialised while `blocks`
     * is NULL. */
    void* free[SETTI_POOL_CLASSES];
} setti_pool;

void setti_pool_init(setti_pool* pool, sett_allocator allocator, bool huge_pages);
/* Frees all memory, also pieces in use. */
void setti_pool_deinit(setti_pool* pool);

/* Allocates a piece of uninitialised memory. Returns NULL if memory runs out. */
void* setti_pool_alloc(setti_pool* pool, size_t size, size_t align);

/* Allocates zeroes. A piece of at least SETTI_POOL_ZERO bytes costs nothing until it is touched. */
void* setti_pool_alloc_zero(setti_pool* pool, size_t size, size_t align);
#define SETTI_POOL_ZERO ((size_t)512 << 10)

/* Reserves memory. The next allocations cannot fail, as long as their sum is at most `size` bytes.
 * Add 256 bytes for each piece. Returns false if memory runs out. */
bool setti_pool_reserve(setti_pool* pool, size_t size);

/* Touches the next `step` bytes of unused memory, before work that needs these bytes. Stops after
 * `nanoseconds`. The next call continues at *position. If *position is NULL, first takes a block
 * for `size` bytes. */
void setti_pool_warm(setti_pool* pool, unsigned char** position, size_t size, size_t step,
                     uint64_t nanoseconds);

/* Joins adjacent free pieces of a size, so that pieces of other sizes can take the memory. */
void setti_pool_join(setti_pool* pool, size_t size, size_t align);

/* Holds a block in case the allocator fails. Until setti_pool_end_hold, allocations of small pieces
 * cannot fail, as long as their sum is at most `size` bytes. Add 256 bytes for each piece. Returns
 * false if memory runs out. */
bool setti_pool_hold(setti_pool* pool, size_t size);
/* Ends the hold. The block stays for the next hold. setti_pool_let_go frees the block. */
void setti_pool_end_hold(setti_pool* pool);
void setti_pool_let_go(setti_pool* pool);

/* Limits the growth of the pool to `more` bytes from now on. `more` is 0 to remove the limit. */
void setti_pool_set_ceiling(setti_pool* pool, size_t more);
bool setti_pool_is_above(const setti_pool* pool);

/* Allocates a piece that does not count against the ceiling. */
void* setti_pool_alloc_exempt(setti_pool* pool, size_t size, size_t align);

/* Makes room for `more` items in an array that has `count` items. `size` is the size of an item.
 * Returns the array, which may have moved. Returns NULL if memory runs out. */
void* setti_pool_grow(setti_pool* pool, void* items, size_t size, uint32_t count, uint32_t more,
                      uint32_t* capacity);

/* Frees a piece. Pass the size and alignment of the allocation. */
void setti_pool_free(setti_pool* pool, void* piece, size_t size, size_t align);

/* Returns empty blocks to the allocator. */
void setti_pool_trim(setti_pool* pool);

/* Checks the invariant of page.c. Returns the error, or NULL. */
const char* setti_pool_validate(const setti_pool* pool);

/* Data of a table that is rarely used (see cow.h). */
typedef struct setti_page_notes setti_page_notes;

/* Adjacent unused pages for the next pages of a table. The pool takes unused pages back if the
 * allocator fails. */
struct setti_strip {
    setti_strip* next;
    setti_strip* previous;
    unsigned char* page; /* the first unused page */
    uint32_t left;       /* number of unused pages */
    uint32_t class;      /* the pool's class of a page */
};

/* A page table. The public sett_page_table_ has the same first members. */
typedef struct setti_pages {
    void** data;    /* pages by number; NULL: no page */
    uint64_t* tick; /* the tick of the last write to each page */
    uint32_t count; /* entries in use */
    uint32_t capacity;
    uint32_t size;           /* bytes of a page */
    uint32_t align;          /* alignment of a page */
    setti_page_notes* notes; /* NULL: no notes */
    /* A copy of `data` for readers, with `none` in place of missing pages. Without `none`, there is
     * no copy: both are NULL. */
    const void** read;
    const void* none;
    uint32_t read_mask;  /* number of entries of `read` (a power of two) - 1 */
    uint32_t read_count; /* number of entries that readers of values see; 0 if `hidden` or `bare` */
    bool hidden;         /* readers see no pages */
    bool bare;           /* the entries have no values, only presence */
    uint8_t read_shift;  /* `read` has at most 1 << read_shift entries */
    uint32_t has_count;  /* number of entries that readers of presence see; 0 if `hidden` */
} setti_pages;

void setti_pages_init(setti_pages* pages, size_t size, size_t align);

/* Makes an empty table for readers. Readers see `none` in place of a missing page. */
void setti_pages_init_read(setti_pages* pages, size_t size, size_t align, const void* none,
                           uint8_t shift);

/* Sets the number of entries in use, also for readers. */
static inline void setti_pages_set_count(setti_pages* pages, uint32_t count)
{
    pages->count = count;
    bool has_readers = !pages->hidden && pages->none != NULL;
    pages->has_count = 0;
    if (has_readers) {
        pages->has_count = SETTI_MIN(count, (uint32_t)1 << pages->read_shift);
    }
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

/* Creates the page of an entry, if the page is missing. Sets *fresh to whether the page was
 * created. Returns false if memory runs out. */
bool setti_pages_ensure(setti_pool* pool, setti_pages* pages, uint32_t number, bool* fresh);

/* Moves the page of entry `old_number` to the empty entry `new_number`. No snapshot may be held. */
void setti_pages_move(const setti_pool* pool, const setti_pages* pages, uint32_t old_number,
                      uint32_t new_number);

/* Shrinks the table to `capacity` entries. If memory runs out, the table stays as it is. */
void setti_pages_shrink(setti_pool* pool, setti_pages* pages, uint32_t capacity);

void setti_pages_free(setti_pool* pool, setti_pages* pages, uint32_t number);

/* Frees all pages. No snapshot may hold pages of the table. */
void setti_pages_deinit(setti_pool* pool, setti_pages* pages);

/* Checks `read` and the counts for readers. Returns the error, or NULL. */
const char* setti_pages_validate(const setti_pages* pages);

/* Returns the page of an entry. Returns NULL if the entry has no page. */
SETTI_INLINE void* setti_pages_get(const setti_pages* pages, uint32_t number)
{
    return number < pages->count ? pages->data[number] : NULL;
}

/* Returns the address of the tick at which a page was last restored. A restore sets pages->tick
 * back, but never sets this tick back. */
SETTI_INLINE uint64_t* setti_pages_restored(const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->capacity);
    return pages->tick + pages->capacity + number;
}

/* Call after rows have moved from page `from_page` to page `to_page`. Page `to_page` gets the later
 * restore tick of the two pages. */
static inline void setti_pages_join_restored(const setti_pages* pages, uint32_t from_page,
                                             uint32_t to_page)
{
    SETTI_ASSERT(from_page < pages->count && to_page < pages->count);
    uint64_t* restored = setti_pages_restored(pages, to_page);
    *restored = SETTI_MAX(*restored, *setti_pages_restored(pages, from_page));
}

/* Returns the address where a table keeps the index of the saved page in the diff (cow.h). */
static inline uint32_t* setti_pages_entry(const setti_pages* pages, uint32_t number)
{
    return (uint32_t*)(void*)(pages->data + pages->capacity) + number;
}

/* Returns the bits of the entries. The bit of an entry is set if the page exists. */
static inline uint64_t* setti_pages_bits(const setti_pages* pages)
{
    return (uint64_t*)(void*)setti_pages_entry(pages, pages->capacity);
}

/* Sets the page of an entry. `page` is NULL to empty the entry. */
static inline void setti_pages_put(const setti_pages* pages, uint32_t number, void* page)
{
    SETTI_ASSERT(number < pages->capacity);
    uint64_t* word = &setti_pages_bits(pages)[number / 64];
    uint64_t bit = (uint64_t)1 << (number % 64);
    pages->data[number] = page;
    if (pages->none != NULL && number <= pages->read_mask) {
        pages->read[number] = page != NULL ? page : pages->none;
    }
    if (page != NULL) {
        *word |= bit;
    } else {
        *word &= ~bit;
    }
}

/* Returns the number of the first page that exists, from `number` on. Returns SETTI_NONE if no such
 * page exists. */
static inline uint32_t setti_pages_next(const setti_pages* pages, uint32_t number)
{
    uint32_t next = SETTI_NONE;
    if (pages->count != 0) { /* a table without entries has no bits */
        next = setti_bits_next(setti_pages_bits(pages), number, pages->count);
    }
    return next;
}

/* Returns the number of the last page before `end` that exists. Returns SETTI_NONE if no such page
 * exists. */
static inline uint32_t setti_pages_last(const setti_pages* pages, uint32_t end)
{
    uint32_t last = SETTI_NONE;
    if (pages->count != 0) { /* a table without entries has no bits */
        last = setti_bits_last(setti_pages_bits(pages), SETTI_MIN(end, pages->count));
    }
    return last;
}

/* The slow path of setti_pages_write: saves the page for a snapshot. */
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

/* The fast path of setti_pages_write. Returns false if a snapshot needs the page. */
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

/* Fast paths are compiled twice: with SETTI_COW for calls while a snapshot is held, and with
 * SETTI_NO_COW for all other calls. */
#define SETTI_COW true
#define SETTI_NO_COW false

/* Calls setti_pages_try_write if `cow` is SETTI_COW. Otherwise only stores the tick, and returns
 * true. */
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
