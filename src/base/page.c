/* page.c: the pool for all memory of a world. See page.h.
 *
 * The workload: pages of 4 to 17 KB live long. A filling world allocates page after page. A running
 * world frees and allocates pages of a few sizes again and again. So new pieces are cut at a bump
 * pointer, each size has a free list, and nothing is searched.
 *
 *     block   | header | piece | piece | ... | bump --> unused |
 *
 * A table takes a strip of adjacent pages at a time (pages_take). Without strips, the pages of
 * several tables alternated. Loops that exceed the second-level cache were then up to twice as slow
 * as loops over plain arrays.
 *
 * Invariant:  sum of block sizes = headers + used_size + bytes in free lists, strips, ranges +
 *             bump_size
 *             (a large piece counts as a block that has a header and one piece)
 */
#include "base/cow.h"

#include <stdlib.h>
#include <string.h>

struct setti_block {
    setti_block* next;
    size_t size;       /* bytes, with this header */
    size_t align;      /* as passed to the allocator */
    size_t free_bytes; /* set and used only by setti_pool_trim */
};

struct setti_large {
    setti_large* next;
    setti_large* previous;
    size_t size;  /* bytes, with the room before the piece (large_room) */
    size_t align; /* as passed to the allocator */
};

/* The header of adjacent free pieces that were joined. */
struct setti_range {
    setti_range* next;
    size_t size;
};

#define BLOCK_HEADER SETTI_POOL_STEP
#define BLOCK_MIN ((size_t)56 << 10)   /* two thousand entities of four types fit four blocks */
#define BLOCK_SMALL ((size_t)16 << 10) /* the smallest block if setti_pool.small is set */
#define BLOCK_MAX ((size_t)4 << 20)
#define HUGE_FROM ((size_t)1280 << 10) /* larger pools take huge pages */

static_assert(sizeof(setti_block) <= BLOCK_HEADER, "the header keeps pieces aligned to the step");
static_assert(sizeof(setti_large) <= 64, "the header fits the smallest room before a large piece");

/* Returns the class of the smallest pieces that hold `size` bytes. */
static uint32_t pool_class(size_t size)
{
    SETTI_ASSERT(size <= SETTI_POOL_PAGE_MAX);
    if (size > SETTI_POOL_SMALL_MAX) {
        /* steps above the largest small class, rounded up */
        size_t steps = (size - SETTI_POOL_SMALL_MAX + SETTI_POOL_STEP - 1) / SETTI_POOL_STEP;
        return SETTI_POOL_SMALL_CLASSES - 1 + (uint32_t)steps;
    }
    uint32_t size_class = 0;
    while (((size_t)32 << size_class) < size) {
        size_class++;
    }
    return size_class;
}

static size_t pool_class_size(uint32_t size_class)
{
    SETTI_ASSERT(size_class < SETTI_POOL_CLASSES);
    if (size_class < SETTI_POOL_SMALL_CLASSES) {
        return (size_t)32 << size_class;
    }
    return SETTI_POOL_SMALL_MAX +
           (size_t)(size_class - SETTI_POOL_SMALL_CLASSES + 1) * SETTI_POOL_STEP;
}

static bool pool_is_large(size_t size, size_t align)
{
    return size > SETTI_POOL_PAGE_MAX || align > SETTI_POOL_STEP;
}

/* Returns the alignment of pieces: pieces of 32 and 64 bytes are aligned to 32 and 64 bytes, larger
 * pieces to SETTI_POOL_STEP. */
static size_t pool_class_align(uint32_t size_class)
{
    return size_class < 2 ? pool_class_size(size_class) : SETTI_POOL_STEP;
}

/* The header of a free piece. Both counts are estimates for the list that begins with this
 * piece. */
typedef struct pool_piece {
    struct pool_piece* next;
    uint32_t length;   /* number of pieces */
    uint32_t unsorted; /* number of pieces added since the list was sorted by address */
} pool_piece;

static void pool_push(setti_pool* pool, uint32_t size_class, void* piece)
{
    SETTI_ASSERT(piece != NULL && size_class < SETTI_POOL_CLASSES);
    pool_piece* fresh = piece;
    pool_piece* head = pool->free[size_class];
    fresh->next = head;
    fresh->length = head != NULL ? head->length + 1 : 1;
    fresh->unsorted = head != NULL ? head->unsorted + 1 : 1;
    pool->free[size_class] = piece;
}

/* Merges two lists that are sorted by address. Returns the first piece of the merged list. */
static pool_piece* pieces_merge(pool_piece* a, pool_piece* b)
{
    pool_piece* first = NULL;
    pool_piece** link = &first; /* where the next piece is linked to the merged list */
    while (a != NULL && b != NULL) {
        /* the list with the next piece */
        pool_piece** lower = ((uintptr_t)a < (uintptr_t)b) ? &a : &b;
        *link = *lower;
        link = &(*lower)->next;
        *lower = (*lower)->next;
    }
    *link = a != NULL ? a : b;
    return first;
}

/* Sorts a list by address (merge sort). */
static pool_piece* pieces_sort(pool_piece* unsorted)
{
    pool_piece* part[32] = {NULL}; /* part[n]: 2^n sorted pieces, or NULL */
    uint32_t n;
    while (unsorted != NULL) {
        pool_piece* sorted = unsorted;
        unsorted = unsorted->next;
        sorted->next = NULL;
        /* like a binary counter: two parts of equal length become one part of the next length */
        for (n = 0; n < 31 && part[n] != NULL; n++) {
            sorted = pieces_merge(part[n], sorted);
            part[n] = NULL;
        }
        part[n] = sorted;
    }
    pool_piece* merged = NULL; /* the parts so far */
    for (n = 0; n < 32; n++) {
        merged = pieces_merge(part[n], merged);
    }
    return merged;
}

/* Sorts the free pieces of a class by address. Sets the counts in their headers anew. */
static void pool_sort(setti_pool* pool, uint32_t size_class)
{
    pool_piece* sorted = pieces_sort(pool->free[size_class]);
    uint32_t length = 0;
    for (pool_piece* piece = sorted; piece != NULL; piece = piece->next) {
        length++;
    }
    for (pool_piece* piece = sorted; piece != NULL; piece = piece->next) {
        piece->length = length--;
        piece->unsorted = 0;
    }
    pool->free[size_class] = sorted;
}

static void* pool_pop(setti_pool* pool, uint32_t size_class)
{
    SETTI_ASSERT(size_class < SETTI_POOL_CLASSES && pool->free[size_class] != NULL);
    void* piece = pool->free[size_class];
    memcpy(&pool->free[size_class], piece, sizeof(void*)); /* the link to the next piece */
    return piece;
}

/* Removes a strip from the pool's list. The strip then has no unused pages. */
static void strip_unlink(setti_pool* pool, setti_strip* strip)
{
    SETTI_ASSERT(pool->strips != NULL);
    SETTI_LIST_REMOVE(pool->strips, strip);
    strip->left = 0;
}

/* Gives `count` adjacent unused pages of a class to a strip. `page` is the first page. */
static void strip_link(setti_pool* pool, setti_strip* strip, uint32_t size_class,
                       unsigned char* page, uint32_t count)
{
    SETTI_ASSERT(count != 0);
    strip->page = page;
    strip->left = count;
    strip->class = size_class;
    strip->previous = NULL;
    SETTI_LIST_ADD(pool->strips, strip);
}

/* Adds the unused pages of a strip to the free list of their class. */
static void strip_retire(setti_pool* pool, setti_strip* strip)
{
    SETTI_ASSERT(strip->left != 0);
    size_t size = pool_class_size(strip->class);
    /* backwards, because the page that is pushed last is used first */
    for (uint32_t k = strip->left; k-- > 0;) {
        pool_push(pool, strip->class, strip->page + k * size);
    }
    strip_unlink(pool, strip);
}

/* Returns the bytes of the held block. Returns 0 if there is no held block. */
static size_t pool_held_size(const setti_pool* pool)
{
    return pool->held != NULL ? pool->held->size : 0;
}

/* Returns the bytes that count against the ceiling. */
static size_t pool_counted(const setti_pool* pool)
{
    size_t exempt = pool->exempt + pool_held_size(pool);
    if (pool->block_size <= exempt) {
        return 0; /* memory was freed since the ceiling was set */
    }
    return pool->block_size - exempt;
}

bool setti_pool_is_above(const setti_pool* pool)
{
    return pool->ceiling != 0 && pool_counted(pool) > pool->ceiling;
}

void setti_pool_set_ceiling(setti_pool* pool, size_t more)
{
    pool->exempt = 0;
    pool->denied = false;
    pool->ceiling = 0;
    if (more != 0) {
        size_t counted = pool_counted(pool);
        pool->ceiling = counted + SETTI_MIN(more, SIZE_MAX - counted); /* cannot overflow */
    }
}

/* Allocates memory by calling `allocate`, a function of the allocator. Returns NULL if memory runs
 * out, or if the ceiling does not allow the size. */
static void* pool_allocate(setti_pool* pool, size_t size, size_t align,
                           void* (*allocate)(void* user, size_t, size_t))
{
    if (pool->ceiling != 0) {
        size_t counted = pool_counted(pool);
        if (counted > pool->ceiling || size > pool->ceiling - counted) {
            pool->denied = true;
            return NULL;
        }
    }
    void* memory = allocate(pool->allocator.user, size, align);
    if (memory != NULL) {
        pool->allocations++;
        pool->block_size += size;
    }
    return memory;
}

static void pool_release(setti_pool* pool, void* memory, size_t size, size_t align)
{
    SETTI_ASSERT(memory != NULL && size <= pool->block_size);
    SETTI_ASSERT(memory != NULL && size != 0 && size <= pool->block_size);
    SETTI_ASSERT(size != 0 && align != 0);
    pool->allocator.free_fn(pool->allocator.user, memory, size, align);
    pool->block_size -= size;
}

void setti_pool_init(setti_pool* pool, sett_allocator allocator, bool huge_pages)
{
    SETTI_ASSERT(allocator.alloc_fn != NULL && allocator.free_fn != NULL);
    memset(pool, 0, offsetof(setti_pool, free)); /* pool_grow clears `free` with the first block */
    pool->tick = 1;
    pool->allocator = allocator;
    pool->huge_pages = huge_pages;
}

void setti_pool_end_hold(setti_pool* pool)
{
    pool->holds = false;
}

void setti_pool_let_go(setti_pool* pool)
{
    setti_pool_end_hold(pool);
    if (pool->held != NULL) {
        pool_release(pool, pool->held, pool->held->size, pool->held->align);
        pool->held = NULL;
    }
}

void setti_pool_deinit(setti_pool* pool)
{
    setti_pool_let_go(pool);
    while (pool->blocks != NULL) {
        setti_block* block = pool->blocks;
        pool->blocks = block->next;
        pool_release(pool, block, block->size, block->align);
    }
    while (pool->large != NULL) {
        setti_large* large = pool->large;
        pool->large = large->next;
        pool_release(pool, large, large->size, large->align);
    }
}

/* Cuts the unused memory at the bump pointer into free pieces. Each piece is as large as
 * possible. */
static void pool_retire_bump(setti_pool* pool)
{
    while (pool->bump_size >= 32) {
        size_t size = SETTI_MIN(pool->bump_size, (size_t)SETTI_POOL_PAGE_MAX);
        uint32_t size_class = pool_class(size);
        /* the largest class that fits the size and the address */
        while (pool_class_size(size_class) > size ||
               (uintptr_t)pool->bump % pool_class_align(size_class) != 0) {
            size_class--;
        }
        size = pool_class_size(size_class);
        pool_push(pool, size_class, pool->bump);
        pool->bump += size;
        pool->bump_size -= size;
    }
    SETTI_ASSERT(pool->bump_size == 0);
}

/* Whether memory comes from the default allocator, which can provide huge pages. */
static bool pool_is_system(const setti_pool* pool)
{
    return pool->allocator.alloc_fn == setti_platform_alloc;
}

/* Returns the size of the next block. The size is a share of the bytes in blocks so far, but enough
 * for a piece of `need` bytes. */
static size_t pool_block_size(const setti_pool* pool, size_t need)
{
    const size_t blocks = pool->block_size - pool_held_size(pool); /* bytes */
    size_t share = blocks / (pool->small ? 8 : 4);
    size_t least = pool->small ? BLOCK_SMALL : BLOCK_MIN;
    size_t most = SETTI_MAX(SETTI_MIN(blocks / 16, BLOCK_MAX), SETTI_HUGE_PAGE); /* 2 to 4 MB */
    size_t size = SETTI_MIN(SETTI_MAX(share, least), most);
    if (pool->block_size >= HUGE_FROM && pool_is_system(pool)) {
        size = SETTI_MAX(size, SETTI_HUGE_PAGE); /* the system clears it in a third of the time */
    }
    return setti_align_up(SETTI_MAX(size, need + BLOCK_HEADER), 4096);
}

/* Takes a block from the allocator. If the allocator fails, takes the held block. If `huge` is
 * true, the block may have huge pages. Returns false if memory runs out. */
SETTI_COLD static bool pool_grow(setti_pool* pool, size_t need, bool huge)
{
    size_t size = pool_block_size(pool, need);
    size_t align = SETTI_POOL_STEP;
    bool can_be_huge = huge && size >= SETTI_HUGE_PAGE && pool_is_system(pool);
    if (pool->huge_pages || can_be_huge) {
        align = SETTI_HUGE_PAGE;
        size = setti_align_up(size, align);
    }
    setti_block* block = pool_allocate(pool, size, align, pool->allocator.alloc_fn);
    if (block != NULL) {
        block->size = size;
        block->align = align;
    } else if (pool->held != NULL && pool->held->size >= need + BLOCK_HEADER) {
        block = pool->held;
        pool->held = NULL;
    } else {
        return false;
    }
    if (pool->blocks == NULL) {
        memset(pool->free, 0, sizeof(pool->free));
    }
    pool_retire_bump(pool);
    block->next = pool->blocks;
    block->free_bytes = 0;
    pool->blocks = block;
    pool->bump = (unsigned char*)block + BLOCK_HEADER;
    pool->bump_size = block->size - BLOCK_HEADER;
    return true;
}

/* Returns the bytes to skip before the next piece of a class. */
static size_t pool_gap(const setti_pool* pool, uint32_t size_class)
{
    /* up to the next multiple of the alignment */
    size_t gap = (size_t)(-(uintptr_t)pool->bump & (pool_class_align(size_class) - 1));
    size_t size = pool_class_size(size_class);
    /* Pages at equal addresses modulo 4,096 would evict each other from the first-level cache. (A
     * loop over 20 types took 34 ns an entity instead of 23.) */
    if (size % 4096 == 0 && pool->bump_size >= gap + SETTI_POOL_STEP + size) {
        gap += SETTI_POOL_STEP;
    }
    return gap;
}

/* Moves the bump pointer to the unused pages of a strip, after the allocator has failed. Returns
 * false if no strip has `need` bytes. */
SETTI_COLD static bool pool_take_strip(setti_pool* pool, size_t need)
{
    for (setti_strip* strip = pool->strips; strip != NULL; strip = strip->next) {
        size_t size = strip->left * pool_class_size(strip->class);
        if (size >= need) {
            pool_retire_bump(pool);
            pool->bump = strip->page;
            pool->bump_size = size;
            strip_unlink(pool, strip);
            return true;
        }
    }
    return false;
}

/* Moves the bump pointer to a range of joined free pieces. Returns false if no range has `need`
 * bytes. */
static bool pool_take_range(setti_pool* pool, size_t need)
{
    setti_range** link = &pool->ranges;
    while (*link != NULL && (*link)->size < need) {
        link = &(*link)->next;
    }
    setti_range* range = *link;
    if (range == NULL) {
        return false;
    }
    *link = range->next;
    pool_retire_bump(pool);
    pool->bump_size = range->size;
    pool->bump = (unsigned char*)range;
    return true;
}

/* Moves the bump pointer to a free piece that is larger than a piece of `need` bytes. Returns false
 * if no larger piece is free. */
SETTI_COLD static bool pool_split(setti_pool* pool, size_t need)
{
    for (uint32_t size_class = pool_class(need) + 1; size_class < SETTI_POOL_CLASSES;
         size_class++) {
        if (pool->free[size_class] != NULL) {
            unsigned char* piece = pool_pop(pool, size_class);
            pool_retire_bump(pool);
            pool->bump = piece;
            pool->bump_size = pool_class_size(size_class);
            return true;
        }
    }
    return false;
}

/* Moves the bump pointer to at least `need` bytes of unused memory. Returns false if memory runs
 * out. */
static bool pool_make_room(setti_pool* pool, size_t need)
{
    bool denied_before = pool->denied;
    const bool huge = true;
    if (pool_take_range(pool, need)) {
        return true;
    }
    if (pool->small && pool->blocks != NULL && pool_split(pool, need)) {
        return true;
    }
    if (pool_grow(pool, need, huge)) {
        return true;
    }
    if (!pool_take_strip(pool, need)) {
        return false;
    }
    pool->denied = denied_before; /* the strip served the request in spite of the ceiling */
    return true;
}

/* Cuts the next `gap` bytes at the bump pointer into small free pieces. */
static void pool_fill_gap(setti_pool* pool, size_t gap)
{
    while (gap >= 32) {
        bool fits_64 = gap >= 64 && (uintptr_t)pool->bump % 64 == 0;
        uint32_t size_class = fits_64 ? 1 : 0; /* class 1: 64 bytes; class 0: 32 bytes */
        size_t size = pool_class_size(size_class);
        pool_push(pool, size_class, pool->bump);
        pool->bump += size;
        pool->bump_size -= size;
        gap -= size;
    }
}

/* Returns the bytes before a large piece: the header and padding. */
static size_t large_room(size_t align)
{
    SETTI_ASSERT(align != 0);
    return SETTI_MAX(align, (size_t)64);
}

#define ZERO_ALIGN ((size_t)16) /* the alignment of memory from calloc */

static void* pool_alloc_large(setti_pool* pool, size_t size, size_t align, bool zero)
{
    SETTI_ASSERT(size != 0);
    size_t room = large_room(align); /* bytes before the piece */
    size_t block_align = zero ? ZERO_ALIGN : room;
    if (size > SIZE_MAX - room) {
        return NULL;
    }
    setti_large* large = pool_allocate(pool, room + size, block_align,
                                       zero ? pool->allocator.zero_fn : pool->allocator.alloc_fn);
    if (large == NULL) {
        return NULL;
    }
    large->size = room + size;
    large->align = block_align;
    large->previous = NULL;
    SETTI_LIST_ADD(pool->large, large);
    pool->used_size += size;
    return (unsigned char*)large + room;
}

void* setti_pool_alloc_exempt(setti_pool* pool, size_t size, size_t align)
{
    size_t ceiling = pool->ceiling;
    size_t size_before = pool->block_size;
    pool->ceiling = 0; /* no limit for this piece */
    void* piece = setti_pool_alloc(pool, size, align);
    pool->ceiling = ceiling;
    if (ceiling != 0) {
        pool->exempt += pool->block_size - size_before;
    }
    return piece;
}

void* setti_pool_alloc(setti_pool* pool, size_t size, size_t align)
{
    SETTI_ASSERT(size != 0 && (align & (align - 1)) == 0);
    if (pool_is_large(size, align)) {
        const bool zero = false;
        return pool_alloc_large(pool, size, align, zero);
    }
    uint32_t size_class = pool_class(SETTI_MAX(size, align));
    size_t piece_size = pool_class_size(size_class);
    /* without blocks, `free` is not initialised */
    if (pool->blocks != NULL && pool->free[size_class] != NULL) {
        pool->used_size += piece_size;
        return pool_pop(pool, size_class);
    }
    size_t gap = pool_gap(pool, size_class);
    if (pool->bump_size < gap + piece_size) {
        if (!pool_make_room(pool, piece_size)) {
            return NULL;
        }
        gap = 0; /* the new unused memory is aligned */
    }
    pool_fill_gap(pool, gap);
    void* piece = pool->bump;
    pool->bump += piece_size;
    pool->bump_size -= piece_size;
    pool->used_size += piece_size;
    return piece;
}

void* setti_pool_alloc_zero(setti_pool* pool, size_t size, size_t align)
{
    SETTI_ASSERT(align <= ZERO_ALIGN);
    if (size >= SETTI_POOL_ZERO && pool->allocator.zero_fn != NULL) {
        const bool zero = true;
        void* zeroes = pool_alloc_large(pool, size, align, zero);
        if (zeroes != NULL) {
            return zeroes;
        }
    }
    void* piece = setti_pool_alloc(pool, size, align);
    if (piece == NULL) {
        return NULL;
    }
    return memset(piece, 0, size);
}

#define RESERVE_FOR_STRIPS ((size_t)1 << 20) /* the most bytes that a reservation adds for strips */

bool setti_pool_reserve(setti_pool* pool, size_t size)
{
    if (size >= SIZE_MAX - SETTI_HUGE_PAGE - BLOCK_HEADER) {
        return false; /* the sums below would overflow */
    }
    const bool huge = true;
    size_t for_strips = SETTI_MIN(size / 4, RESERVE_FOR_STRIPS);
    if (pool->bump_size < size + for_strips && !pool_grow(pool, size + for_strips, huge)) {
        return false;
    }
    pool->promised = SETTI_MAX(pool->promised, pool->used_size + size);
    return true;
}

#define WARM_PART ((size_t)64 << 10) /* bytes touched between two readings of the clock */

void setti_pool_warm(setti_pool* pool, unsigned char** position, size_t size, size_t step,
                     uint64_t nanoseconds)
{
    const bool huge = false; /* touching a huge page takes too long */
    if (*position == NULL && pool->bump_size < size && pool->ceiling == 0) {
        (void)pool_grow(pool, size, huge);
    }
    uint64_t began = setti_platform_now();
    uintptr_t bump = (uintptr_t)pool->bump;
    uintptr_t touched_end = (uintptr_t)*position;
    size_t touched = 0; /* bytes after the bump pointer that were touched */
    if (touched_end >= bump && touched_end - bump <= pool->bump_size) { /* in the same block */
        touched = touched_end - bump;
    }
    size_t end = SETTI_MIN(touched + step, pool->bump_size);
    while (touched < end && setti_platform_now() - began <= nanoseconds) {
        size_t part_end = SETTI_MIN(touched + WARM_PART, end);
        for (size_t byte = touched; byte < part_end; byte += 4096) {
            pool->bump[byte] = 0; /* one byte in each page of the system */
        }
        touched = part_end;
    }
    *position = NULL; /* without unused memory, the next call takes a block */
    if (pool->bump_size != 0) {
        *position = pool->bump + touched;
    }
}

void setti_pool_join(setti_pool* pool, size_t size, size_t align)
{
    uint32_t size_class = pool_class(SETTI_MAX(size, align));
    size_t piece_size = pool_class_size(size_class);
    if (pool_is_large(size, align) || piece_size < SETTI_POOL_STEP || pool->blocks == NULL) {
        return;
    }
    pool_sort(pool, size_class); /* adjacent pieces become neighbours in the list */
    pool_piece* piece = pool->free[size_class];
    pool->free[size_class] = NULL;
    while (piece != NULL) {
        unsigned char* first = (unsigned char*)piece;
        size_t joined_size = 0; /* bytes of adjacent pieces, beginning with `first` */
        for (; (unsigned char*)piece == first + joined_size; joined_size += piece_size) {
            piece = piece->next;
        }
        if (joined_size == piece_size) { /* the piece has no free neighbours */
            pool_push(pool, size_class, first);
            continue;
        }
        setti_range* range = (setti_range*)(void*)first;
        range->next = pool->ranges;
        range->size = joined_size;
        pool->ranges = range;
    }
}

bool setti_pool_hold(setti_pool* pool, size_t size)
{
    size = setti_align_up(size + BLOCK_HEADER, 4096); /* whole pages of the system */
    if (pool->held != NULL && pool->held->size >= size) {
        return true;
    }
    setti_pool_let_go(pool);
    size_t ceiling = pool->ceiling;
    pool->ceiling = 0; /* a held block does not count against the ceiling */
    pool->held = pool_allocate(pool, size, SETTI_POOL_STEP, pool->allocator.alloc_fn);
    pool->ceiling = ceiling;
    if (pool->held != NULL) {
        pool->held->size = size;
        pool->held->align = SETTI_POOL_STEP;
    }
    pool->holds = true; /* also if the allocation failed: the caller ends the hold in any case */
    return pool->held != NULL;
}

void setti_pool_free(setti_pool* pool, void* piece, size_t size, size_t align)
{
    if (piece == NULL) {
        return;
    }
    if (pool_is_large(size, align)) {
        setti_large* large = (setti_large*)(void*)((unsigned char*)piece - large_room(align));
        SETTI_LIST_REMOVE(pool->large, large);
        pool->used_size -= size;
        pool_release(pool, large, large->size, large->align);
        return;
    }
    uint32_t size_class = pool_class(SETTI_MAX(size, align));
    SETTI_ASSERT(pool->used_size >= pool_class_size(size_class));
    pool->used_size -= pool_class_size(size_class);
    pool_push(pool, size_class, piece);
}

void* setti_pool_grow(setti_pool* pool, void* items, size_t size, uint32_t count, uint32_t more,
                      uint32_t* capacity)
{
    SETTI_ASSERT(count <= *capacity && more != 0);
    if (more <= *capacity - count) {
        return items;
    }
    size_t bytes;
    /* doubles, or makes room for at least 4 items */
    uint64_t new_capacity =
        SETTI_MAX((uint64_t)*capacity * 2, (uint64_t)count + SETTI_MAX(more, 4));
    if (new_capacity > UINT32_MAX || !setti_multiply((size_t)new_capacity, size, &bytes)) {
        return NULL;
    }
    void* grown = setti_pool_alloc(pool, bytes, 16);
    if (grown == NULL) {
        return NULL;
    }
    if (count != 0) {
        memcpy(grown, items, count * size);
    }
    setti_pool_free(pool, items, *capacity * size, 16);
    *capacity = (uint32_t)new_capacity;
    return grown;
}

/* Compares the addresses of two blocks, for qsort. */
static int block_compare(const void* a, const void* b)
{
    setti_block* const* x = a;
    setti_block* const* y = b;
    if ((uintptr_t)*x == (uintptr_t)*y) {
        return 0;
    }
    return (uintptr_t)*x < (uintptr_t)*y ? -1 : 1;
}

/* Returns the block of a piece (binary search). The blocks are sorted by address. */
static setti_block* block_find(setti_block** blocks, size_t count, const void* piece)
{
    SETTI_ASSERT(count != 0);
    size_t low = 0;
    while (count > 1) {
        size_t half = count / 2;
        if ((uintptr_t)blocks[low + half] <= (uintptr_t)piece) {
            low += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return blocks[low];
}

static bool block_is_empty(const setti_block* block)
{
    return block->free_bytes == block->size - BLOCK_HEADER;
}

/* Counts the free bytes of each block. Then removes the pieces of empty blocks from the free lists.
 * `sorted` has all blocks, sorted by address. */
static void pool_forget_empty(setti_pool* pool, setti_block** sorted, size_t count)
{
    for (uint32_t size_class = 0; size_class < SETTI_POOL_CLASSES; size_class++) {
        for (const pool_piece* piece = pool->free[size_class]; piece != NULL; piece = piece->next) {
            block_find(sorted, count, piece)->free_bytes += pool_class_size(size_class);
        }
    }
    for (uint32_t size_class = 0; size_class < SETTI_POOL_CLASSES; size_class++) {
        pool_piece* piece = pool->free[size_class];
        pool_piece* remaining = NULL;
        while (piece != NULL) {
            pool_piece* next = piece->next;
            if (!block_is_empty(block_find(sorted, count, piece))) {
                piece->next = remaining;
                remaining = piece;
            }
            piece = next;
        }
        pool->free[size_class] = remaining;
    }
}

/* Returns all blocks, sorted by address, in memory of the allocator. Returns NULL if there are no
 * blocks or memory runs out. */
static setti_block** pool_sort_blocks(const setti_pool* pool, size_t* count)
{
    *count = 0;
    for (setti_block* block = pool->blocks; block != NULL; block = block->next) {
        block->free_bytes = 0; /* for pool_forget_empty */
        ++*count;
    }
    if (*count == 0) {
        return NULL;
    }
    size_t size = *count * sizeof(setti_block*);
    setti_block** sorted = pool->allocator.alloc_fn(pool->allocator.user, size, sizeof(void*));
    if (sorted == NULL) {
        return NULL;
    }
    setti_block** next = sorted;
    for (setti_block* block = pool->blocks; block != NULL; block = block->next) {
        *next++ = block;
    }
    qsort(sorted, *count, sizeof(*sorted), block_compare);
    return sorted;
}

SETTI_COLD void setti_pool_trim(setti_pool* pool)
{
    if (!pool->holds) {
        setti_pool_let_go(pool);
    }
    size_t count;
    setti_block** sorted = pool_sort_blocks(pool, &count);
    if (sorted == NULL) {
        return;
    }
    while (pool->strips != NULL) {
        strip_retire(pool, pool->strips);
    }
    pool->promised = 0;
    while (pool_take_range(pool, 0)) { /* each call frees the memory that was at the bump pointer */
    }
    pool_retire_bump(pool); /* the free lists now hold all free bytes */
    pool->bump = NULL;
    pool_forget_empty(pool, sorted, count);
    for (setti_block** link = &pool->blocks; *link != NULL;) {
        setti_block* block = *link;
        if (block_is_empty(block)) {
            *link = block->next;
            pool_release(pool, block, block->size, block->align);
        } else {
            link = &block->next;
        }
    }
    pool->allocator.free_fn(pool->allocator.user, sorted, count * sizeof(*sorted), sizeof(void*));
}

SETTI_COLD const char* setti_pool_validate(const setti_pool* pool)
{
    size_t total = pool_held_size(pool);
    size_t accounted = pool->used_size + pool->bump_size + pool_held_size(pool);
    for (const setti_block* block = pool->blocks; block != NULL; block = block->next) {
        total += block->size;
        accounted += BLOCK_HEADER;
    }
    for (const setti_large* large = pool->large; large != NULL; large = large->next) {
        total += large->size;
        accounted += large_room(large->align);
    }
    for (const setti_strip* strip = pool->strips; strip != NULL; strip = strip->next) {
        accounted += strip->left * pool_class_size(strip->class);
    }
    for (const setti_range* range = pool->ranges; range != NULL; range = range->next) {
        accounted += range->size;
    }
    /* without blocks, `free` is not initialised */
    for (uint32_t size_class = 0; pool->blocks != NULL && size_class < SETTI_POOL_CLASSES;
         size_class++) {
        for (const pool_piece* piece = pool->free[size_class]; piece != NULL; piece = piece->next) {
            accounted += pool_class_size(size_class);
        }
    }
    if (total != pool->block_size) {
        return "pool: block_size is not the sum of the blocks";
    }
    if (total != accounted) {
        return "pool: used, free and unused bytes do not add up to the blocks";
    }
    return NULL;
}

/* --------------------------------------------------------------------------------------- tables */

/* A table: ticks | restored | pointers | numbers (setti_pages_entry) | bits | `read` | strip */
#define ENTRY_SIZE (2 * sizeof(uint64_t) + sizeof(void*) + sizeof(uint32_t)) /* up to the bits */

/* Returns the bytes of a table's bits. */
static size_t table_bits_size(uint32_t capacity)
{
    return ((size_t)capacity + 63) / 64 * sizeof(uint64_t);
}

#define STRIP_CAPACITY 8 /* smaller tables have no strip */
/* The largest strip, in bytes. Loops over a million values of 48 bytes took, in ns a value: 5.1
 * with strips of 64 KB, 4.2 with strips of 256 KB, 6.6 without strips. */
#define STRIP_SIZE ((size_t)256 << 10)

/* Returns the number of entries of `read`: 0 if the table has no readers. */
static uint32_t table_read_count(const setti_pages* pages, uint32_t capacity)
{
    if (pages->none == NULL) {
        return 0;
    }
    return SETTI_MIN(capacity, (uint32_t)1 << pages->read_shift);
}

/* Returns the offset of the strip in a table. */
static size_t table_strip_offset(const setti_pages* pages, uint32_t capacity)
{
    size_t size = capacity * ENTRY_SIZE + table_bits_size(capacity);
    size += table_read_count(pages, capacity) * sizeof(void*);
    return setti_align_up(size, sizeof(void*));
}

static size_t table_size(const setti_pages* pages, uint32_t capacity)
{
    size_t strip_size = capacity >= STRIP_CAPACITY ? sizeof(setti_strip) : 0;
    return table_strip_offset(pages, capacity) + strip_size;
}

/* Returns the strip of a table, or NULL if the table is too small. */
static setti_strip* pages_strip(const setti_pages* pages)
{
    if (pages->capacity < STRIP_CAPACITY) {
        return NULL;
    }
    size_t offset = table_strip_offset(pages, pages->capacity);
    return (setti_strip*)(void*)((unsigned char*)pages->tick + offset);
}

/* Moves the strip of the table `old_pages` to the resized table `new_pages`. Frees the strip if
 * `new_pages` is NULL or too small for a strip. */
static void pages_move_strip(setti_pool* pool, const setti_pages* old_pages,
                             const setti_pages* new_pages)
{
    setti_strip* old_strip = pages_strip(old_pages);
    setti_strip* new_strip = NULL;
    if (new_pages != NULL) {
        new_strip = pages_strip(new_pages);
    }
    if (new_strip != NULL) {
        memset(new_strip, 0, sizeof(*new_strip));
    }
    if (old_strip == NULL || old_strip->left == 0) {
        return;
    }
    if (new_strip == NULL) {
        strip_retire(pool, old_strip);
        return;
    }
    setti_strip moved = *old_strip;
    strip_unlink(pool, old_strip);
    strip_link(pool, new_strip, moved.class, moved.page, moved.left);
}

void setti_pages_init(setti_pages* pages, size_t size, size_t align)
{
    SETTI_ASSERT(size <= UINT32_MAX && (align & (align - 1)) == 0);
    memset(pages, 0, sizeof(*pages));
    pages->size = (uint32_t)size;
    pages->align = (uint32_t)align;
}

void setti_pages_init_read(setti_pages* pages, size_t size, size_t align, const void* none,
                           uint8_t shift)
{
    SETTI_ASSERT(none != NULL && shift < 32);
    setti_pages_init(pages, size, align);
    pages->none = none;
    pages->read_shift = shift;
}

/* Fills `read` again, after the table has moved. */
static void pages_show(setti_pages* pages)
{
    SETTI_ASSERT((pages->capacity & (pages->capacity - 1)) == 0);
    pages->read = (const void**)(void*)((unsigned char*)setti_pages_bits(pages) +
                                        table_bits_size(pages->capacity));
    pages->read_mask = table_read_count(pages, pages->capacity) - 1;
    for (uint32_t number = 0; number <= pages->read_mask; number++) {
        const void* page = setti_pages_get(pages, number);
        pages->read[number] = page != NULL ? page : pages->none;
    }
}

/* Whether a table is allocated as zeroes. Most of a large table is never touched, and costs no
 * memory then. */
static bool table_is_zero(const setti_pages* pages, uint32_t capacity)
{
    return table_size(pages, capacity) >= SETTI_POOL_ZERO;
}

/* Whether an unused entry is empty already. */
static bool entry_is_clear(const setti_pages* pages, uint32_t number)
{
    if (pages->data[number] != NULL || pages->tick[number] != 0) {
        return false;
    }
    return *setti_pages_restored(pages, number) == 0 && *setti_pages_entry(pages, number) == 0;
}

/* Empties the unused entries from pages->count up to `end`. */
static void pages_clear(const setti_pages* pages, uint32_t end)
{
    SETTI_ASSERT(end <= pages->capacity);
    bool zero = table_is_zero(pages, pages->capacity);
    for (uint32_t number = pages->count; number < end; number++) {
        if (zero && entry_is_clear(pages, number)) {
            continue; /* untouched memory stays untouched */
        }
        pages->data[number] = NULL;
        pages->tick[number] = 0;
        *setti_pages_restored(pages, number) = 0;
        *setti_pages_entry(pages, number) = 0;
    }
}

/* Moves a table to new memory. Returns false if memory runs out. */
static bool pages_resize(setti_pool* pool, setti_pages* pages, uint32_t capacity)
{
    SETTI_ASSERT(capacity >= pages->count && capacity != 0);
    bool zero = table_is_zero(pages, capacity);
    size_t size = table_size(pages, capacity);
    uint64_t* tick;
    if (zero) {
        tick = setti_pool_alloc_zero(pool, size, 16);
    } else {
        tick = setti_pool_alloc(pool, size, 16);
    }
    if (tick == NULL) {
        return false;
    }
    const setti_pages old = *pages;
    pages->data = (void**)(void*)(tick + (size_t)2 * capacity); /* after `tick` and `restored` */
    pages->tick = tick;
    pages->capacity = capacity;
    if (!zero) { /* otherwise the bits are 0 already */
        memset(setti_pages_bits(pages), 0, table_bits_size(capacity));
    }
    if (old.count != 0) {
        memcpy(tick, old.tick, old.count * sizeof(*tick));
        memcpy(setti_pages_restored(pages, 0), setti_pages_restored(&old, 0),
               old.count * sizeof(*tick));
        memcpy(pages->data, old.data, old.count * sizeof(*old.data));
        memcpy(setti_pages_entry(pages, 0), setti_pages_entry(&old, 0),
               old.count * sizeof(uint32_t));
        memcpy(setti_pages_bits(pages), setti_pages_bits(&old), table_bits_size(old.count));
    }
    if (pages->none != NULL) {
        pages_show(pages);
    }
    pages_move_strip(pool, &old, pages);
    setti_pool_free(pool, old.tick, table_size(&old, old.capacity), 16);
    return true;
}

void setti_pages_shrink(setti_pool* pool, setti_pages* pages, uint32_t capacity)
{
    SETTI_ASSERT(capacity >= pages->count);
    SETTI_ASSERT(pages->count == 0 || pages->data != NULL);
    if (pages->notes != NULL && pages->notes->hash_count > capacity) {
        setti_notes_free_hash(pool, pages);
    }
    if (capacity == 0) {
        setti_pages_deinit(pool, pages);
    } else if (capacity < pages->capacity && pages_resize(pool, pages, capacity)) {
        pages_clear(pages, capacity); /* snapshots may have saved pages beyond `count` */
    }
}

bool setti_pages_reserve(setti_pool* pool, setti_pages* pages, uint32_t count)
{
    if (count <= pages->count) {
        return true;
    }
    bool grows = count > pages->capacity;
    if (grows && !pages_resize(pool, pages, setti_bits_ceil(SETTI_MAX(count, 4)))) {
        return false;
    }
    bool is_clear = grows && table_is_zero(pages, pages->capacity); /* new memory of zeroes */
    if (!is_clear) {
        pages_clear(pages, count);
    }
    setti_pages_set_count(pages, count);
    return true;
}

/* Counts the pages just before the entry `number`, back to the first missing page. Counts at most
 * 64. */
static uint32_t pages_before(const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->count);
    const uint64_t* bits = setti_pages_bits(pages);
    uint64_t bits_before = 0; /* of the 64 entries before; bit 63 is of entry number - 1 */
    if (number % 64 != 0) {
        bits_before = bits[number / 64] << (64 - number % 64);
    }
    if (number / 64 != 0) {
        bits_before |= bits[number / 64 - 1] >> (number % 64);
    }
    if (bits_before == UINT64_MAX) {
        return 64;
    }
    return 63 - setti_bits_highest(~bits_before); /* the number of leading ones */
}

/* Cuts a strip of new pages at the bump pointer. `present` is the number of pages that the table
 * has just before the new page. */
static void strip_begin(setti_pool* pool, setti_strip* strip, uint32_t size_class, uint32_t present)
{
    SETTI_ASSERT(strip->left == 0 && pool->free[size_class] == NULL);
    size_t page_size = pool_class_size(size_class);
    size_t gap = pool_gap(pool, size_class);
    size_t unusable = gap; /* bytes that the strip cannot use */
    if (pool->promised > pool->used_size) {
        unusable += pool->promised - pool->used_size; /* a caller has reserved these bytes */
    }
    size_t usable = 0;
    if (pool->bump_size > unusable) {
        usable = pool->bump_size - unusable;
    }
    /* a quarter of the pages before, so that few unused pages are wasted */
    size_t wanted = SETTI_MIN(present / 4 * page_size, STRIP_SIZE);
    uint32_t count = (uint32_t)(SETTI_MIN(wanted, usable) / page_size);
    if (count < 2) {
        return; /* a single page is no strip */
    }
    pool_fill_gap(pool, gap);
    strip_link(pool, strip, size_class, pool->bump, count);
    pool->bump += count * page_size;
    pool->bump_size -= count * page_size;
}

/* Makes a strip of adjacent free pages. `present` is the number of pages that the table has just
 * before the new page. */
static void strip_reuse(setti_pool* pool, setti_strip* strip, uint32_t size_class, uint32_t present)
{
    const pool_piece* head = pool->free[size_class];
    size_t page_size = pool_class_size(size_class);
    size_t most_pages = SETTI_MIN(present / 4, STRIP_SIZE / page_size); /* as in strip_begin */
    if (head == NULL || most_pages < 2) {
        return;
    }
    if (head->unsorted >= 16 && head->unsorted >= head->length / 2) { /* many are unsorted */
        pool_sort(pool, size_class);
    }
    unsigned char* first = pool->free[size_class];
    uint32_t count = 0;
    while (count < most_pages &&
           (unsigned char*)pool->free[size_class] == first + count * page_size) {
        (void)pool_pop(pool, size_class);
        count++;
    }
    strip_link(pool, strip, size_class, first, count);
}

static bool strip_can_begin(const setti_pool* pool, const setti_strip* strip, uint32_t size_class)
{
    bool is_small = size_class < 2; /* a page of up to 64 bytes */
    /* whether a strip may keep memory that is not used yet */
    bool may_waste = pool->ceiling == 0 && !pool->holds;
    if (is_small || !may_waste) {
        return false;
    }
    return strip->left == 0 && pool->blocks != NULL;
}

/* Takes a page from the table's strip or the pool. Returns NULL if memory runs out. */
static void* pages_take(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    setti_strip* strip = pages_strip(pages);
    if (strip == NULL || pool_is_large(pages->size, pages->align)) {
        return setti_pool_alloc(pool, pages->size, pages->align);
    }
    uint32_t size_class = pool_class(SETTI_MAX(pages->size, pages->align));
    if (strip_can_begin(pool, strip, size_class)) {
        uint32_t present = pages_before(pages, number); /* few, if pages are scattered */
        if (present == 64) {
            present = number; /* assumes that all earlier pages exist */
        }
        if (pool->free[size_class] != NULL) {
            strip_reuse(pool, strip, size_class, present);
        } else {
            strip_begin(pool, strip, size_class, present);
        }
    }
    if (strip->left == 0) {
        return setti_pool_alloc(pool, pages->size, pages->align);
    }
    SETTI_ASSERT(strip->class == size_class);
    void* page = strip->page;
    strip->page += pool_class_size(size_class);
    pool->used_size += pool_class_size(size_class);
    if (--strip->left == 0) {
        strip_unlink(pool, strip);
    }
    return page;
}

bool setti_pages_ensure(setti_pool* pool, setti_pages* pages, uint32_t number, bool* fresh)
{
    SETTI_ASSERT(number < UINT32_MAX && pages->size != 0);
    *fresh = false;
    if (!setti_pages_reserve(pool, pages, number + 1)) {
        return false;
    }
    if (pages->data[number] == NULL) {
        void* page = pages_take(pool, pages, number);
        if (page == NULL) {
            return false;
        }
        setti_pages_write(pool, pages, number); /* a snapshot saves that there was no page */
        setti_pages_put(pages, number, page);
        *fresh = true;
    }
    return true;
}

SETTI_COLD void setti_pages_cow(setti_pool* pool, const setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(pool->cow_from != 0 && number < pages->count);
    pool->cow->save(pool, pages, number);
}

void setti_pages_free(setti_pool* pool, setti_pages* pages, uint32_t number)
{
    SETTI_ASSERT(number < pages->count);
    if (pages->data[number] == NULL) {
        return;
    }
    if (pool->cow_from == 0 || !pool->cow->park(pool, pages, number)) {
        setti_pool_free(pool, pages->data[number], pages->size, pages->align);
    }
    setti_pages_put(pages, number, NULL);
    pages->tick[number] = pool->tick;
}

void setti_pages_move(const setti_pool* pool, const setti_pages* pages, uint32_t old_number,
                      uint32_t new_number)
{
    SETTI_ASSERT(pool->cow_from == 0 && pages->data[old_number] != NULL &&
                 pages->data[new_number] == NULL);
    setti_pages_put(pages, new_number, pages->data[old_number]);
    setti_pages_put(pages, old_number, NULL);
    pages->tick[old_number] = pool->tick;
    pages->tick[new_number] = pool->tick;
}

void setti_pages_deinit(setti_pool* pool, setti_pages* pages)
{
    SETTI_ASSERT(pages->count <= pages->capacity);
    pages_move_strip(pool, pages, NULL);
    for (uint32_t number = 0; number < pages->count; number++) {
        setti_pool_free(pool, pages->data[number], pages->size, pages->align);
    }
    setti_pool_free(pool, pages->tick, table_size(pages, pages->capacity), 16);
    pages->data = NULL;
    pages->tick = NULL;
    pages->capacity = 0;
    pages->read = NULL;
    pages->read_mask = 0;
    setti_pages_set_count(pages, 0);
    setti_notes_forget_all(pages);
}

SETTI_COLD const char* setti_pages_validate(const setti_pages* pages)
{
    uint32_t has_count = pages->hidden ? 0 : table_read_count(pages, pages->count);
    uint32_t read_count = pages->bare ? 0 : has_count;
    if (pages->has_count != has_count || pages->read_count != read_count) {
        return "page table: readers count other pages than there are";
    }
    for (uint32_t number = 0; number < table_read_count(pages, pages->capacity); number++) {
        const void* page = setti_pages_get(pages, number);
        if (pages->read[number] != (page != NULL ? page : pages->none)) {
            return "page table: readers see another page than there is";
        }
    }
    return NULL;
}
