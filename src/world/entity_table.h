/* entity_table.h: which entities exist, which life of each index is meant, and which set of
 * components each has.
 *
 * The complete sparse set says which indices are in use; beside it lie, by index, the generation
 * and the signature. A dead slot holds the generation that its next life will have, with SETTI_DEAD
 * on top, so that one comparison with a handle decides.
 */
#ifndef SETTI_ENTITY_TABLE_H
#define SETTI_ENTITY_TABLE_H

#include "sett/id.h"
#include "store/id_set.h"

#define SETTI_DEAD 0x80000000u           /* in a generation: nobody lives here */
#define SETTI_GENERATION_MAX 0x7FFFFFFFu /* the last life of a slot */
#define SETTI_RETIRED SETTI_DEAD         /* dead with next generation 0: never used again */
#define SETTI_DYING 0x80000000u          /* in a signature: the entity is being destroyed */

typedef struct setti_entity_page {
    uint32_t generation[SETTI_ID_SET_ROWS];
    uint32_t signature[SETTI_ID_SET_ROWS]; /* interned, see signature.h; 0 where nobody lives */
} setti_entity_page;

typedef struct setti_entity_table {
    /* setti_entity_page, aligned with those of `ids`; a missing page is slots never used */
    setti_pages pages;
    setti_id_set ids; /* members: alive, or retired */
    /* rows count..count+reserved-1 of `ids` are reserved by recorded commands */
    uint32_t reserved;
    uint32_t retired; /* members that are not alive */
} setti_entity_table;

/* The table's root: from `ids.count` to `retired`. */
#define SETTI_ENTITY_ROOT_SIZE                                                                     \
    (offsetof(setti_entity_table, retired) + sizeof(uint32_t) -                                    \
     offsetof(setti_entity_table, ids.count))

/* An empty table of indices below `limit`. */
void setti_entity_init(setti_entity_table* table, uint32_t limit);

/* The page of an index, or NULL if it was never used. */
SETTI_INLINE setti_entity_page* setti_entity_page_of(const setti_entity_table* table,
                                                     uint32_t index)
{
    return setti_pages_get(&table->pages, index >> SETTI_ID_SET_SHIFT);
}

/* To be called before writing to the generation or the signature of an index. */
SETTI_INLINE void setti_entity_write(setti_pool* pool, const setti_entity_table* table,
                                     uint32_t index)
{
    setti_pages_write(pool, &table->pages, index >> SETTI_ID_SET_SHIFT);
}

/* The same for fast paths, see setti_pages_try_mark; false if a snapshot needs the page. */
SETTI_INLINE bool setti_entity_try_mark(const setti_pool* pool, const setti_entity_table* table,
                                        uint32_t index, bool cow)
{
    return setti_pages_try_mark(pool, &table->pages, index >> SETTI_ID_SET_SHIFT, cow);
}

/* Whether the handle's generation is the one of its slot: for readers who go on to test presence,
 * which a dead slot has nowhere, so that a made-up handle with SETTI_DEAD in it need not be told
 * apart. */
SETTI_INLINE bool setti_entity_is_current(const setti_entity_table* table, sett_entity entity)
{
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    return SETTI_LIKELY(page != NULL) &&
           SETTI_LIKELY(page->generation[entity.index & SETTI_ID_SET_MASK] == entity.generation);
}

/* Where the signature of a living entity is, or NULL for a handle that is null, stale or made
 * up. */
SETTI_INLINE uint32_t* setti_entity_signature(const setti_entity_table* table, sett_entity entity)
{
    setti_entity_page* page = setti_entity_page_of(table, entity.index);
    uint32_t slot = entity.index & SETTI_ID_SET_MASK;
    if (SETTI_UNLIKELY(page == NULL || page->generation[slot] != entity.generation ||
                       (entity.generation & SETTI_DEAD) != 0)) {
        return NULL;
    }
    return &page->signature[slot];
}

/* The handle of whoever lives at an index, null if nobody does. */
static inline sett_entity setti_entity_at(const setti_entity_table* table, uint32_t index)
{
    sett_entity entity = {0, 0};
    const setti_entity_page* page = setti_entity_page_of(table, index);
    if (page != NULL && (page->generation[index & SETTI_ID_SET_MASK] & SETTI_DEAD) == 0) {
        entity.index = index;
        entity.generation = page->generation[index & SETTI_ID_SET_MASK];
    }
    return entity;
}

static inline uint32_t setti_entity_count(const setti_entity_table* table)
{
    return table->ids.count - table->retired;
}

/* The k-th index that creations from now on will take. */
static inline uint32_t setti_entity_upcoming(const setti_entity_table* table, uint32_t k)
{
    return setti_id_set_dense(&table->ids, table->ids.count + table->reserved + k);
}

/* The handle of whoever comes to life from this row behind the members: the index there, in its
 * next life. The row need not have a page. */
static inline sett_entity setti_entity_in_row(const setti_entity_table* table, uint32_t row)
{
    sett_entity entity = {setti_id_set_dense(&table->ids, row), 1};
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    if (page != NULL) {
        entity.generation = page->generation[entity.index & SETTI_ID_SET_MASK] & ~SETTI_DEAD;
    }
    return entity;
}

/* Makes sure that the next `count` creations need no memory. LIMIT or OUT_OF_MEMORY otherwise. */
sett_status setti_entity_reserve(setti_pool* pool, setti_entity_table* table, uint32_t count);

/* Makes sure that creating at this index needs no memory. */
sett_status setti_entity_reserve_index(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Brings this index to life with this generation; free, reserved, not reserved. */
void setti_entity_create_at(setti_pool* pool, setti_entity_table* table, sett_entity entity);

/* Brings the next free index to life; reserved. */
SETTI_INLINE sett_entity setti_entity_create(setti_pool* pool, setti_entity_table* table)
{
    sett_entity entity;
    entity.index = setti_entity_upcoming(table, 0);
    setti_entity_page* page = table->pages.data[entity.index >> SETTI_ID_SET_SHIFT];
    uint32_t* generation = &page->generation[entity.index & SETTI_ID_SET_MASK];
    entity.generation = *generation & ~SETTI_DEAD;
    if (SETTI_UNLIKELY(table->reserved != 0)) {
        setti_entity_create_at(pool, table, entity);
    } else { /* it lies in row `count` already */
        setti_entity_write(pool, table, entity.index);
        *generation = entity.generation;
        table->ids.count++;
    }
    return entity;
}

/* Brings the next `run` free indices to life, which follow one another, up or down, all with this
 * signature; reserved. Their handles go to `out`, unless it is NULL. */
void setti_entity_create_run(setti_pool* pool, setti_entity_table* table, uint32_t run, bool down,
                             uint32_t signature, sett_entity* out);

/* The rare half of setti_entity_destroy: the last life of a slot, or reservations behind the
 * members. */
void setti_entity_destroy_rare(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Ends a life: the signature becomes 0 and all handles stale. Needs no memory. */
SETTI_INLINE void setti_entity_destroy(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    setti_entity_page* page = table->pages.data[index >> SETTI_ID_SET_SHIFT];
    uint32_t slot = index & SETTI_ID_SET_MASK;
    if (SETTI_UNLIKELY(page->generation[slot] == SETTI_GENERATION_MAX || table->reserved != 0)) {
        setti_entity_destroy_rare(pool, table, index);
        return;
    }
    setti_entity_write(pool, table, index);
    page->signature[slot] = 0;
    page->generation[slot] = (page->generation[slot] + 1) | SETTI_DEAD;
    setti_id_set_remove(pool, &table->ids, index);
}

/* The same for fast paths: the handle is current and not the slot's last, nothing is reserved, and
 * no snapshot is held. */
SETTI_INLINE void setti_entity_destroy_no_cow(const setti_pool* pool, setti_entity_table* table,
                                              sett_entity entity)
{
    setti_entity_page* page = table->pages.data[entity.index >> SETTI_ID_SET_SHIFT];
    uint32_t slot = entity.index & SETTI_ID_SET_MASK;
    (void)setti_entity_try_mark(pool, table, entity.index, false);
    page->signature[slot] = 0;
    page->generation[slot] = (entity.generation + 1) | SETTI_DEAD;
    setti_id_set_remove_no_cow(pool, &table->ids, entity.index);
}

/* Asks for the memory that the end of an entity will read; and, when that is there and `ahead`
 * others are still to end before it, for what it will write. Any index will do. */
static inline void setti_entity_prefetch(const setti_entity_table* table, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    const setti_id_page* ids = setti_id_set_page_of(&table->ids, index);
    if (page != NULL && ids != NULL) {
        SETTI_PREFETCH(&page->generation[index & SETTI_ID_SET_MASK]);
        SETTI_PREFETCH(&page->signature[index & SETTI_ID_SET_MASK]);
        SETTI_PREFETCH(&ids->sparse[index & SETTI_ID_SET_MASK]);
    }
}

static inline void setti_entity_prefetch_end(const setti_entity_table* table, uint32_t index,
                                             uint32_t ahead)
{
    const setti_id_set* ids = &table->ids;
    uint32_t row = setti_id_set_sparse(ids, index);
    uint32_t moved = ids->count > ahead ? setti_id_set_dense(ids, ids->count - 1 - ahead) : 0;
    const setti_id_page* row_page = setti_id_set_page_of(ids, row);
    const setti_id_page* moved_page = setti_id_set_page_of(ids, moved);
    if (row_page != NULL && moved_page != NULL) {
        SETTI_PREFETCH(&row_page->dense[row & SETTI_ID_SET_MASK]);
        SETTI_PREFETCH(&moved_page->sparse[moved & SETTI_ID_SET_MASK]);
    }
}

/* As setti_entity_destroy in two steps, for many at once that lie in the last rows of the members:
 * the end of each life, which leaves the entity in its row, like a retired one; then the end of
 * `count` such rows, of which so many are retired indeed. Both need no memory. Returns whether it
 * was the slot's last life. */
SETTI_INLINE bool setti_entity_end(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    setti_entity_page* page = table->pages.data[index >> SETTI_ID_SET_SHIFT];
    uint32_t* generation = &page->generation[index & SETTI_ID_SET_MASK];
    bool last = *generation == SETTI_GENERATION_MAX;
    setti_entity_write(pool, table, index);
    page->signature[index & SETTI_ID_SET_MASK] = 0;
    *generation = last ? SETTI_RETIRED : (*generation + 1) | SETTI_DEAD;
    table->retired++;
    return last;
}

void setti_entity_leave(setti_pool* pool, setti_entity_table* table, uint32_t count,
                        uint32_t retired);

/* Makes the next life of an index that is dead, not retired, and was used before this one. */
void setti_entity_set_next(setti_pool* pool, setti_entity_table* table, sett_entity entity);

/* Reservations the next free index (reserved) to a recorded creation; keeps or breaks the
 * reservation. */
sett_entity setti_entity_reservation(setti_entity_table* table);
/* Reserves an given index, free and not reserved, whose handle is out already. The first makes sure
 * that the second needs no memory, when `ahead` others are reserved before; false when memory runs
 * out. */
bool setti_entity_reserve_reservation(setti_pool* pool, setti_entity_table* table, uint32_t index,
                                      uint32_t ahead);
void setti_entity_reservation_index(setti_pool* pool, setti_entity_table* table, uint32_t index);
bool setti_entity_is_reserved(const setti_entity_table* table, uint32_t index);
void setti_entity_keep_reservation(setti_pool* pool, setti_entity_table* table, uint32_t index);
void setti_entity_break_reservation(setti_pool* pool, setti_entity_table* table, uint32_t index);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_entity_validate(const setti_entity_table* table);

#endif
