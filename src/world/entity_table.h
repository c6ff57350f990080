/* entity_table.h: the living entities, with their generations and signatures (sets of components).
 *
 * For each index, the table has a slot with a generation, a signature and a free bit. A handle is
 * current if the handle and the slot have the same generation. A dead slot has the generation of
 * the next entity in the slot, with the bit SETTI_DEAD. Entities are created at the lowest free
 * index, so the next handle does not depend on the order of earlier calls. */
#ifndef SETTI_ENTITY_TABLE_H
#define SETTI_ENTITY_TABLE_H

#include "sett/id.h"
#include "store/summary.h"

#include <string.h>

#define SETTI_ENTITY_SHIFT 10
#define SETTI_ENTITY_ROWS ((uint32_t)1 << SETTI_ENTITY_SHIFT)
#define SETTI_ENTITY_MASK (SETTI_ENTITY_ROWS - 1)
#define SETTI_ENTITY_WORDS (SETTI_ENTITY_ROWS / 64)

/* The largest limit: setti_entity_capacity, a multiple of SETTI_ENTITY_ROWS, must fit 32 bits. */
#define SETTI_ENTITY_LIMIT (UINT32_MAX - SETTI_ENTITY_ROWS + 1)

/* The value of `hint` if no index of the range is free. This word has no page, so fast paths
 * fail. */
#define SETTI_ENTITY_NO_WORD (SETTI_ENTITY_LIMIT / 64)

#define SETTI_DEAD 0x80000000u           /* in a generation: the slot has no living entity */
#define SETTI_GENERATION_MAX 0x7FFFFFFFu /* the generation of the last entity in a slot */
#define SETTI_RETIRED SETTI_DEAD         /* dead with next generation 0: never used again */
#define SETTI_UNUSED (SETTI_DEAD | 1)    /* dead, and never used so far */
#define SETTI_DYING 0x80000000u          /* in a signature: the entity is being destroyed */

typedef struct setti_entity_page {
    uint32_t generation[SETTI_ENTITY_ROWS]; /* first member, see read.h */
    uint32_t signature[SETTI_ENTITY_ROWS];  /* interned, see signature.h; 0 in dead slots */
    uint64_t free[SETTI_ENTITY_WORDS];      /* set bit: dead, not retired, not reserved */
} setti_entity_page;

/* The free bits form words of 64 bits. Word w has the bits of the 64 indices from 64 * w on. */
typedef struct setti_entity_table {
    setti_pages pages; /* setti_entity_page; all slots of a missing page are unused and free */
    /* The table's root: SETTI_ENTITY_ROOT_SIZE bytes of state. */
    uint32_t count;    /* number of living entities */
    uint32_t reserved; /* number of indices claimed by recorded creations: neither free nor alive */
    uint32_t retired;  /* number of slots without further generations */
    uint32_t limit;    /* all indices are below `limit` */
    /* The world's own range, the indices for new entities. */
    uint32_t first; /* the first word */
    uint32_t end;   /* the word after the last */
    /* Caches for searching free bits. */
    uint32_t hint;       /* words of the range before `hint` are 0; or SETTI_ENTITY_NO_WORD */
    uint32_t next;       /* words between `hint` and `next` are 0 */
    bool unlisted;       /* `words` lacks the hint's word, although the word has free bits */
    setti_summary words; /* the numbers of words with free bits */
} setti_entity_table;

/* Bytes of the root: `count`, `reserved` and `retired`. */
#define SETTI_ENTITY_ROOT_SIZE (3 * sizeof(uint32_t))

/* Initialises a zeroed table for indices below `limit`. */
void setti_entity_init(setti_entity_table* table, uint32_t limit);

void setti_entity_deinit(setti_pool* pool, setti_entity_table* table);

/* -------------------------------------------------------------------------------------- reading */

SETTI_INLINE sett_entity setti_entity_make(uint32_t index, uint32_t generation)
{
    sett_entity entity = {index, generation};
    /* copied as one number, because gcc would use two vector registers for two members */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t both = (uint64_t)generation << 32 | index;
    memcpy(&entity, &both, sizeof(entity));
#endif
    return entity;
}

/* Returns the page of an index, or NULL if no index of the page was ever used. */
SETTI_INLINE setti_entity_page* setti_entity_page_of(const setti_entity_table* table,
                                                     uint32_t index)
{
    return setti_pages_get(&table->pages, index >> SETTI_ENTITY_SHIFT);
}

/* Returns the signature at an index. The bit SETTI_DYING may be set. */
SETTI_INLINE uint32_t setti_entity_set_of(const setti_entity_table* table, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    return page->signature[index & SETTI_ENTITY_MASK];
}

SETTI_INLINE uint32_t* setti_entity_set_mut(const setti_entity_table* table, uint32_t index)
{
    setti_entity_page* page = setti_entity_page_of(table, index);
    return &page->signature[index & SETTI_ENTITY_MASK];
}

/* Marks the page of an index as written, before a write. */
SETTI_INLINE void setti_entity_write(setti_pool* pool, const setti_entity_table* table,
                                     uint32_t index)
{
    SETTI_ASSERT(setti_entity_page_of(table, index) != NULL);
    setti_pages_write(pool, &table->pages, index >> SETTI_ENTITY_SHIFT);
}

/* Fast path of setti_entity_write. Returns false if a snapshot needs the page. */
SETTI_INLINE bool setti_entity_try_mark(const setti_pool* pool, const setti_entity_table* table,
                                        uint32_t index, bool cow)
{
    return setti_pages_try_mark(pool, &table->pages, index >> SETTI_ENTITY_SHIFT, cow);
}

/* Returns true if a handle and the slot have the same generation. Then the entity is alive, because
 * generations of dead slots have the bit SETTI_DEAD, and handles from calls do not. */
SETTI_INLINE bool setti_entity_is_current(const setti_entity_table* table, sett_entity entity)
{
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    return SETTI_LIKELY(page != NULL) &&
           SETTI_LIKELY(page->generation[entity.index & SETTI_ENTITY_MASK] == entity.generation);
}

/* Returns the address of an entity's signature, or NULL if the entity is not alive. */
SETTI_INLINE uint32_t* setti_entity_signature(const setti_entity_table* table, sett_entity entity)
{
    setti_entity_page* page = setti_entity_page_of(table, entity.index);
    uint32_t slot = entity.index & SETTI_ENTITY_MASK;
    if (SETTI_UNLIKELY(page == NULL || page->generation[slot] != entity.generation ||
                       (entity.generation & SETTI_DEAD) != 0)) {
        return NULL;
    }
    return &page->signature[slot];
}

static inline uint32_t setti_entity_generation(const setti_entity_table* table, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    return page != NULL ? page->generation[index & SETTI_ENTITY_MASK] : SETTI_UNUSED;
}

/* Returns the handle of the living entity at an index. Returns null if no entity lives there. */
static inline sett_entity setti_entity_at(const setti_entity_table* table, uint32_t index)
{
    uint32_t generation = setti_entity_generation(table, index);
    sett_entity entity = {0, 0};
    if ((generation & SETTI_DEAD) == 0) {
        entity.index = index;
        entity.generation = generation;
    }
    return entity;
}

/* Returns a bit mask of the living entities at the 64 indices from `base` on. */
static inline uint64_t setti_entity_alive(const setti_entity_table* table, uint32_t base)
{
    const setti_entity_page* page = setti_entity_page_of(table, base);
    uint64_t word = 0;
    SETTI_ASSERT(base % 64 == 0);
    for (uint32_t k = 0; page != NULL && k < 64; k++) {
        uint32_t generation = page->generation[(base & SETTI_ENTITY_MASK) + k];
        word |= (uint64_t)((generation & SETTI_DEAD) == 0) << k;
    }
    return word;
}

/* Returns a number that is higher than all indices with a page. */
static inline uint32_t setti_entity_capacity(const setti_entity_table* table)
{
    return table->pages.count << SETTI_ENTITY_SHIFT;
}

static inline bool setti_entity_in_range(const setti_entity_table* table, uint32_t index)
{
    return index / 64 >= table->first && index / 64 < table->end;
}

/* Returns the index after the world's own range. */
static inline uint32_t setti_entity_end(const setti_entity_table* table)
{
    return (uint32_t)SETTI_MIN((uint64_t)table->end * 64, table->limit);
}

/* Returns the first index of the hint's word. No lower index of the world's range is free. */
SETTI_INLINE uint32_t setti_entity_hint_index(const setti_entity_table* table)
{
    return table->hint * 64;
}

static inline uint32_t setti_entity_taken(const setti_entity_table* table)
{
    return table->count + table->reserved + table->retired;
}

/* Returns the index of the next living entity, or SETTI_NONE at the end. *cursor begins as 0. */
uint32_t setti_entity_next(const setti_entity_table* table, uint32_t* cursor);

/* -------------------------------------------------------------------------------- free indices */

/* Returns the free bits of a word. All bits of a word without a page are set, also the bits of
 * indices beyond the limit. */
static inline uint64_t setti_entity_free_bits(const setti_entity_table* table, uint32_t word)
{
    const setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    return page != NULL ? page->free[word % SETTI_ENTITY_WORDS] : UINT64_MAX;
}

/* Returns the handle of the next entity at a dead index. */
static inline sett_entity setti_entity_upcoming(const setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(index < table->limit);
    return setti_entity_make(index, setti_entity_generation(table, index) & ~SETTI_DEAD);
}

/* Returns the lowest free index >= `search_start` of the world's own range. Returns SETTI_NONE if
 * there is no such index. */
uint32_t setti_entity_next_free(const setti_entity_table* table, uint32_t search_start);

/* Skips `skip` words with free bits, from the word `first_word` on. Returns the next word with free
 * bits. */
uint32_t setti_entity_skip_words(const setti_entity_table* table, uint32_t first_word,
                                 uint32_t skip);

/* Consecutive free indices. */
typedef struct setti_entity_run {
    uint32_t first;
    uint32_t count;
} setti_entity_run;

/* Returns the first run of free indices >= `search_start`. The run has at most `max_count`
 * indices. */
setti_entity_run setti_entity_next_run(const setti_entity_table* table, uint32_t search_start,
                                       uint32_t max_count);

/* ------------------------------------------------------------------------------------- creating */

/* Reserves the memory to create `count` entities at the free indices >= *search_start. Sets
 * *search_start to the index at which the next reservation begins. */
sett_status setti_entity_reserve(setti_pool* pool, setti_entity_table* table,
                                 uint32_t* search_start, uint32_t count);

/* Sets *index to the lowest free index, and reserves the memory to create an entity there. Returns
 * false if no index is free, or if memory runs out. */
SETTI_INLINE bool setti_entity_reserve_lowest(setti_pool* pool, setti_entity_table* table,
                                              uint32_t* index)
{
    uint32_t search_start = setti_entity_hint_index(table);
    const setti_entity_page* page = setti_entity_page_of(table, search_start);
    uint64_t bits = 0;
    if (page != NULL) {
        bits = page->free[table->hint % SETTI_ENTITY_WORDS];
    }
    if (SETTI_LIKELY(bits != 0)) {
        *index = search_start + setti_bits_lowest(bits);
        return true;
    }
    *index = setti_entity_next_free(table, search_start);
    return setti_entity_reserve(pool, table, &search_start, 1) == SETT_OK;
}

/* Reserves the memory to create an entity at an index. */
sett_status setti_entity_reserve_index(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Slow path of setti_entity_find_hint. */
void setti_entity_leave_hint(setti_entity_table* table);

/* Makes `hint` the first word that has free indices in the world's range. */
SETTI_INLINE void setti_entity_find_hint(setti_entity_table* table)
{
    if (SETTI_UNLIKELY(setti_entity_free_bits(table, table->hint) == 0)) {
        setti_entity_leave_hint(table);
    }
}

/* Makes `next` the hint, after the last free index of the hint's word was taken. */
void setti_entity_advance_hint(setti_entity_table* table);

/* Returns true if setti_entity_step_hint may be called. */
SETTI_INLINE bool setti_entity_can_step_hint(const setti_entity_table* table)
{
    return table->unlisted && table->next < table->end;
}

SETTI_INLINE void setti_entity_step_hint(setti_entity_table* table)
{
    SETTI_ASSERT(setti_entity_can_step_hint(table));
    table->hint = table->next++;
    table->unlisted = false;
}

/* Creates an entity with a given handle. The memory is reserved. */
void setti_entity_create_at(setti_pool* pool, setti_entity_table* table, sett_entity entity);

/* Creates an entity at the lowest free index of the hint's word.
 *   page  the page with the word, marked as written
 *   bits  the free bits of the word */
SETTI_INLINE sett_entity setti_entity_take_lowest(setti_entity_table* table,
                                                  setti_entity_page* page, uint64_t bits)
{
    SETTI_ASSERT(page == setti_entity_page_of(table, setti_entity_hint_index(table)) && bits != 0);
    uint32_t word = table->hint;
    uint32_t index = word * 64 + setti_bits_lowest(bits);
    page->free[word % SETTI_ENTITY_WORDS] = bits & (bits - 1); /* if 0, the caller moves the hint */
    table->count++;
    uint32_t generation = page->generation[index & SETTI_ENTITY_MASK] & ~SETTI_DEAD;
    page->generation[index & SETTI_ENTITY_MASK] = generation;
    return setti_entity_make(index, generation);
}

/* Creates an entity at the lowest free index. The memory is reserved. */
sett_entity setti_entity_create(setti_pool* pool, setti_entity_table* table);

/* Creates an entity at each index of a run. The memory is reserved.
 *   out  the handles, or NULL */
void setti_entity_create_run(setti_pool* pool, setti_entity_table* table, setti_entity_run run,
                             uint32_t signature, sett_entity* out);

/* ----------------------------------------------------------------------------------- destroying */

/* Updates the caches before the first free bit of a word is set. */
void setti_entity_add_word(setti_entity_table* table, uint32_t word);

/* Fast path of setti_entity_add_word. Returns false if the caller must take the slow path. */
SETTI_INLINE bool setti_entity_try_add_word(setti_entity_table* table, uint32_t word)
{
    if (table->unlisted || word >= table->hint) {
        return false;
    }
    if (word < table->first || word >= table->end) {
        return false;
    }
    table->next = table->hint;
    table->hint = word;
    table->unlisted = true;
    return true;
}

void setti_entity_destroy(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Destroys an entity outside of the world's own range, so that the handle can be created again. */
void setti_entity_forget(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Fast path of setti_entity_destroy. If the index's word has no free bits, the caller has called
 * setti_entity_add_word. */
SETTI_INLINE void setti_entity_destroy_no_cow(const setti_pool* pool, setti_entity_table* table,
                                              sett_entity entity)
{
    SETTI_ASSERT(pool->cow_from == 0 && entity.generation < SETTI_GENERATION_MAX);
    setti_entity_page* page = table->pages.data[entity.index >> SETTI_ENTITY_SHIFT];
    uint32_t slot = entity.index & SETTI_ENTITY_MASK;
    SETTI_ASSERT(page->generation[slot] == entity.generation);
    SETTI_ASSERT(entity.index / 64 >= table->hint || entity.index / 64 < table->first);
    (void)setti_entity_try_mark(pool, table, entity.index, SETTI_NO_COW);
    page->signature[slot] = 0;
    page->generation[slot] = (entity.generation + 1) | SETTI_DEAD;
    page->free[slot / 64] |= (uint64_t)1 << (slot % 64);
    table->count--;
}

typedef enum setti_prefetch {
    SETTI_PREFETCH_TO_READ,
    SETTI_PREFETCH_TO_CHANGE
} setti_prefetch;

SETTI_INLINE void setti_entity_prefetch(const setti_entity_table* table, uint32_t index,
                                        setti_prefetch use)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    if (page != NULL) {
        SETTI_PREFETCH(&page->generation[index & SETTI_ENTITY_MASK]);
        if (use == SETTI_PREFETCH_TO_CHANGE) {
            SETTI_PREFETCH(&page->signature[index & SETTI_ENTITY_MASK]);
            SETTI_PREFETCH(&page->free[index / 64 % SETTI_ENTITY_WORDS]);
        }
    }
}

/* Makes `entity` the next handle of the dead slot at the index of `entity`. */
void setti_entity_set_next(setti_pool* pool, setti_entity_table* table, sett_entity entity);

/* Takes a free index out of use. The page must exist. */
void setti_entity_retire(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* ----------------------------------------------------------------------- reserved by commands */

/* Reserves a free index for a recorded creation. Returns the future handle. */
sett_entity setti_entity_claim(setti_pool* pool, setti_entity_table* table, uint32_t index);

bool setti_entity_is_claimed(const setti_entity_table* table, uint32_t index);

void setti_entity_create_claimed(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* ----------------------------------------------------------------------------------- replacing */

/* Updates the caches after page `number` was created, freed or replaced. */
void setti_entity_refresh(setti_entity_table* table, uint32_t number);

/* Reserves room for the addresses of `count` pages. Returns false if memory runs out. */
bool setti_entity_reserve_pages(setti_pool* pool, setti_entity_table* table, uint32_t count);

/* Makes the words from `first` to `end` - 1 the world's own range. */
void setti_entity_set_range(setti_entity_table* table, uint32_t first, uint32_t end);

/* Frees memory of the summary that is not in use. */
void setti_entity_trim(setti_pool* pool, setti_entity_table* table);

/* Computes the free bits and the caches, after pages were copied from another world. */
void setti_entity_rebuild(setti_entity_table* table);

const char* setti_entity_validate(const setti_entity_table* table);

#endif
