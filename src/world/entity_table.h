/* entity_table.h: which entities exist, their generations, and the set of components of each.
 *
 * By index: a generation, a signature, and a bit that says whether the index is free. A dead slot
 * holds the generation of the next entity there, with SETTI_DEAD on top, so that one comparison
 * with a handle decides. Entities are created at the lowest free index: the next handle follows
 * from the table alone, not from the order of earlier calls.
 */
#ifndef SETTI_ENTITY_TABLE_H
#define SETTI_ENTITY_TABLE_H

#include "sett/id.h"
#include "store/summary.h"

#include <string.h>

#define SETTI_ENTITY_SHIFT 10
#define SETTI_ENTITY_ROWS ((uint32_t)1 << SETTI_ENTITY_SHIFT)
#define SETTI_ENTITY_MASK (SETTI_ENTITY_ROWS - 1)
#define SETTI_ENTITY_WORDS (SETTI_ENTITY_ROWS / 64)

/* Limits above this would let the capacity, a multiple of the rows, pass 2^32. */
#define SETTI_ENTITY_LIMIT (UINT32_MAX - SETTI_ENTITY_ROWS + 1)

/* The hint if no index of the range is free: a word without a page, so that fast paths fail. */
#define SETTI_ENTITY_NO_WORD (SETTI_ENTITY_LIMIT / 64)

#define SETTI_DEAD 0x80000000u           /* in a generation: no entity lives here */
#define SETTI_GENERATION_MAX 0x7FFFFFFFu /* of the last entity that a slot can have */
#define SETTI_RETIRED SETTI_DEAD         /* dead with next generation 0: never used again */
#define SETTI_UNUSED (SETTI_DEAD | 1)    /* dead, and no entity ever lived here */
#define SETTI_DYING 0x80000000u          /* in a signature: the entity is being destroyed */

typedef struct setti_entity_page {
    uint32_t generation[SETTI_ENTITY_ROWS]; /* first: 4 MB a million stay in a cache; read.h */
    uint32_t signature[SETTI_ENTITY_ROWS];  /* interned, see signature.h; 0 of dead slots */
    uint64_t free[SETTI_ENTITY_WORDS];      /* a bit a slot: dead, not retired, not reserved */
} setti_entity_page;

typedef struct setti_entity_table {
    setti_pages pages; /* setti_entity_page; a missing page is slots never used, all free */
    /* The table's root: with the pages, its state (SETTI_ENTITY_ROOT_SIZE). */
    uint32_t count;    /* alive */
    uint32_t reserved; /* indices of recorded creations, not applied: neither free nor alive */
    uint32_t retired;  /* indices that have used all generations */
    uint32_t limit;    /* indices stay below */
    /* New entities take indices of these words of free bits: the world's own range. */
    uint32_t first;
    uint32_t end; /* one behind the last of them */
    /* Caches: which words of free bits are not 0; the words of all pages are numbered. */
    uint32_t hint; /* words of the range before it are 0; SETTI_ENTITY_NO_WORD: all are */
    uint32_t next; /* words between the hint and this one are 0 */
    /* true: the hint's word has free bits, but is not in `words`. So destroying one entity and
     * creating another does not touch `words` */
    bool unlisted;
    setti_summary words; /* the numbers of words that are not 0 */
} setti_entity_table;

/* Bytes of the root: `count` to `retired`. */
#define SETTI_ENTITY_ROOT_SIZE (3 * sizeof(uint32_t))

/* Makes memory of zeroes an empty table of indices below `limit`. */
void setti_entity_init(setti_entity_table* table, uint32_t limit);

/* Frees all pages: no index was ever used. */
void setti_entity_deinit(setti_pool* pool, setti_entity_table* table);

/* -------------------------------------------------------------------------------------- reading */

/* A handle. On little-endian machines it is made as one number: for two members gcc would use two
 * vector registers. */
SETTI_INLINE sett_entity setti_entity_make(uint32_t index, uint32_t generation)
{
    sett_entity entity = {index, generation};
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t both = (uint64_t)generation << 32 | index;
    memcpy(&entity, &both, sizeof(entity));
#endif
    return entity;
}

/* The page of an index, or NULL if it was never used. */
SETTI_INLINE setti_entity_page* setti_entity_page_of(const setti_entity_table* table,
                                                     uint32_t index)
{
    return setti_pages_get(&table->pages, index >> SETTI_ENTITY_SHIFT);
}

/* The signature at an index that has a page, SETTI_DYING with it. */
SETTI_INLINE uint32_t setti_entity_set_of(const setti_entity_table* table, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    SETTI_ASSERT(page != NULL);
    return page->signature[index & SETTI_ENTITY_MASK];
}

/* The address of this signature. */
SETTI_INLINE uint32_t* setti_entity_set_mut(const setti_entity_table* table, uint32_t index)
{
    setti_entity_page* page = setti_entity_page_of(table, index);
    SETTI_ASSERT(page != NULL);
    return &page->signature[index & SETTI_ENTITY_MASK];
}

/* To be called before writing to a slot. */
SETTI_INLINE void setti_entity_write(setti_pool* pool, const setti_entity_table* table,
                                     uint32_t index)
{
    SETTI_ASSERT(setti_entity_page_of(table, index) != NULL);
    setti_pages_write(pool, &table->pages, index >> SETTI_ENTITY_SHIFT);
}

/* Like setti_entity_write, for fast paths, see setti_pages_try_mark; false if a snapshot needs the
 * page. */
SETTI_INLINE bool setti_entity_try_mark(const setti_pool* pool, const setti_entity_table* table,
                                        uint32_t index, bool cow)
{
    return setti_pages_try_mark(pool, &table->pages, index >> SETTI_ENTITY_SHIFT, cow);
}

/* Whether the handle's generation is that of its slot. For callers that test presence next: a dead
 * slot has no component, so an invalid handle with SETTI_DEAD in it needs no test of its own. */
SETTI_INLINE bool setti_entity_is_current(const setti_entity_table* table, sett_entity entity)
{
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    return SETTI_LIKELY(page != NULL) &&
           SETTI_LIKELY(page->generation[entity.index & SETTI_ENTITY_MASK] == entity.generation);
}

/* The address of a living entity's signature; NULL if the handle is null, stale or invalid. */
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

/* The generation in the slot of an index; any index may be given. */
static inline uint32_t setti_entity_generation(const setti_entity_table* table, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    return page != NULL ? page->generation[index & SETTI_ENTITY_MASK] : SETTI_UNUSED;
}

/* The handle of the entity that lives at an index, null if none does. */
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

/* Which of the 64 entities from an index on are alive. */
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

/* Indices from this on have no page. */
static inline uint32_t setti_entity_capacity(const setti_entity_table* table)
{
    return table->pages.count << SETTI_ENTITY_SHIFT;
}

/* Whether an index is in the world's own range. */
static inline bool setti_entity_in_range(const setti_entity_table* table, uint32_t index)
{
    return index / 64 >= table->first && index / 64 < table->end;
}

/* The index behind the range. */
static inline uint32_t setti_entity_end(const setti_entity_table* table)
{
    return (uint32_t)SETTI_MIN((uint64_t)table->end * 64, table->limit);
}

/* The first index of the hint's word: the lowest free index is not below it. */
SETTI_INLINE uint32_t setti_entity_hint_index(const setti_entity_table* table)
{
    return table->hint * 64;
}

/* Indices that no entity can be created at: alive, reserved or retired. */
static inline uint32_t setti_entity_taken(const setti_entity_table* table)
{
    return table->count + table->reserved + table->retired;
}

/* The next of the indices of living entities, ascending; SETTI_NONE at the end. Begins with
 * *cursor = 0. Entities may be created and destroyed meanwhile. */
uint32_t setti_entity_next(const setti_entity_table* table, uint32_t* cursor);

/* -------------------------------------------------------------------------------- free indices */

/* The free bits of a word, by its number; those of indices at or beyond the limit may be among
 * them where there is no page. */
static inline uint64_t setti_entity_free_bits(const setti_entity_table* table, uint32_t word)
{
    const setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    return page != NULL ? page->free[word % SETTI_ENTITY_WORDS] : UINT64_MAX;
}

/* The handle that the next entity at an index will have. */
static inline sett_entity setti_entity_upcoming(const setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(index < table->limit);
    return setti_entity_make(index, setti_entity_generation(table, index) & ~SETTI_DEAD);
}

/* The lowest free index of the range that is not below `from`, or SETTI_NONE. */
uint32_t setti_entity_next_free(const setti_entity_table* table, uint32_t from);

/* Skips `skip` words with free bits, counted from word `from`. Returns the next such word. */
uint32_t setti_entity_skip_words(const setti_entity_table* table, uint32_t from, uint32_t skip);

/* Free indices that follow one another. */
typedef struct setti_entity_run {
    uint32_t first;
    uint32_t count;
} setti_entity_run;

/* The first run at or after index `from`, cut to `most` indices. There has to be a free index. */
setti_entity_run setti_entity_next_run(const setti_entity_table* table, uint32_t from,
                                       uint32_t most);

/* ------------------------------------------------------------------------------------- creating */

/* Makes sure that creating `count` entities at the lowest free indices from *from on needs no
 * memory; *from becomes the index behind the last of them. Fails with LIMIT or OUT_OF_MEMORY. */
sett_status setti_entity_reserve(setti_pool* pool, setti_entity_table* table, uint32_t* from,
                                 uint32_t count);

/* Reserves the memory for one entity at the lowest free index, and stores that index in *index.
 * False when memory runs out. */
SETTI_INLINE bool setti_entity_reserve_lowest(setti_pool* pool, setti_entity_table* table,
                                              uint32_t* index)
{
    uint32_t from = setti_entity_hint_index(table);
    const setti_entity_page* page = setti_entity_page_of(table, from);
    uint64_t bits = page != NULL ? page->free[table->hint % SETTI_ENTITY_WORDS] : 0;
    if (SETTI_LIKELY(bits != 0)) {
        *index = from + setti_bits_lowest(bits);
        return true;
    }
    *index = setti_entity_next_free(table, from);
    return setti_entity_reserve(pool, table, &from, 1) == SETT_OK;
}

/* Makes sure that creating at this index needs no memory. */
sett_status setti_entity_reserve_index(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Makes the first word with free indices the hint. The word need not have a page.
 * setti_entity_leave_hint is called where the present hint's word has no free index. */
void setti_entity_leave_hint(setti_entity_table* table);
SETTI_INLINE void setti_entity_find_hint(setti_entity_table* table)
{
    if (SETTI_UNLIKELY(setti_entity_free_bits(table, table->hint) == 0)) {
        setti_entity_leave_hint(table);
    }
}

/* Call it after the last free index of the hint's word was taken: removes the word from `words`,
 * and makes the next word the hint. */
void setti_entity_advance_hint(setti_entity_table* table);

/* Whether setti_entity_step_hint, which is in line for fast paths, can be called instead. */
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

/* Creates an entity with this handle. Its index is free and has a page. */
void setti_entity_create_at(setti_pool* pool, setti_entity_table* table, sett_entity entity);

/* Creates an entity at the lowest free index of the hint's word. `page` has the word, and is marked
 * as written; `bits` are the word's free bits. If only one is left, setti_entity_advance_hint has
 * to be called next. */
SETTI_INLINE sett_entity setti_entity_take_lowest(setti_entity_table* table,
                                                  setti_entity_page* page, uint64_t bits)
{
    SETTI_ASSERT(page == setti_entity_page_of(table, setti_entity_hint_index(table)) && bits != 0);
    uint32_t word = table->hint;
    uint32_t index = word * 64 + setti_bits_lowest(bits);
    page->free[word % SETTI_ENTITY_WORDS] = bits & (bits - 1);
    table->count++;
    uint32_t generation = page->generation[index & SETTI_ENTITY_MASK] & ~SETTI_DEAD;
    page->generation[index & SETTI_ENTITY_MASK] = generation;
    return setti_entity_make(index, generation);
}

/* Creates an entity at the lowest free index, which is reserved. */
sett_entity setti_entity_create(setti_pool* pool, setti_entity_table* table);

/* Creates an entity at each index of a run, which is reserved, with this signature. Writes the
 * handles to `out`, unless it is NULL. */
void setti_entity_create_run(setti_pool* pool, setti_entity_table* table, setti_entity_run run,
                             uint32_t signature, sett_entity* out);

/* ----------------------------------------------------------------------------------- destroying */

/* Call it before an index becomes free in a word that has no free index: makes the word the hint,
 * or adds it to `words`. */
void setti_entity_add_word(setti_entity_table* table, uint32_t word);

/* Like setti_entity_add_word, in line for fast paths. False, with nothing done, if
 * setti_entity_add_word has to be called. */
SETTI_INLINE bool setti_entity_try_add_word(setti_entity_table* table, uint32_t word)
{
    if (table->unlisted || word >= table->hint || word < table->first || word >= table->end) {
        return false;
    }
    table->next = table->hint;
    table->hint = word;
    table->unlisted = true;
    return true;
}

/* Destroys the entity at an index: its signature becomes 0 and its handles stale. Needs no
 * memory. */
void setti_entity_destroy(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Destroys the entity at an index outside of the range, and makes the index unused: the handle can
 * be created again. Frees a page in which all indices are unused. Needs no memory. */
void setti_entity_forget(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Like setti_entity_destroy, for fast paths: the handle is current, its generation is not the last,
 * no snapshot is held, and the word has a free index or was added by setti_entity_add_word or
 * setti_entity_try_add_word. */
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

/* What memory is prefetched for. */
typedef enum setti_prefetch {
    SETTI_PREFETCH_TO_READ,
    SETTI_PREFETCH_TO_CHANGE
} setti_prefetch;

/* Prefetches what tells whether a handle is current, and, before a change, what changing or
 * destroying the entity reads and writes. Any index can be given. */
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

/* Sets which generation the next entity at an index gets. The index is dead, not retired, and has a
 * page. */
void setti_entity_set_next(setti_pool* pool, setti_entity_table* table, sett_entity entity);

/* ----------------------------------------------------------------------- reserved by commands */

/* Takes a free index, which has a page, for a recorded creation. Returns the handle that the entity
 * will have. */
sett_entity setti_entity_claim(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Whether an index was claimed and its entity was not created yet. */
bool setti_entity_is_claimed(const setti_entity_table* table, uint32_t index);

/* Creates the entity at a claimed index. */
void setti_entity_create_claimed(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* ----------------------------------------------------------------------------------- replacing */

/* Updates the caches for a page that was created, freed or exchanged as a whole. Nothing is
 * claimed. */
void setti_entity_refresh(setti_entity_table* table, uint32_t number);

/* Makes sure that so many pages can be put into the table by setti_pages_ensure. False when memory
 * runs out. */
bool setti_entity_reserve_pages(setti_pool* pool, setti_entity_table* table, uint32_t count);

/* Makes new entities take indices of the words from `first` to before `end`. */
void setti_entity_set_range(setti_entity_table* table, uint32_t first, uint32_t end);

/* Frees the memory of the summary for pages that were freed. */
void setti_entity_trim(setti_pool* pool, setti_entity_table* table);

/* Like setti_entity_refresh for all pages; computes their free bits from the generations, too. For
 * pages from another world, whose claims and limit do not hold here. */
void setti_entity_rebuild(setti_entity_table* table);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_entity_validate(const setti_entity_table* table);

#endif
