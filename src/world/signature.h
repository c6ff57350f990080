/* signature.h: sets of component types, interned: the same set has the same number, 0 is the empty
 * set.
 *
 * The table is a graph. From a signature, adding or removing a type follows an edge to another;
 * edges are made on demand and found by one hash of (signature, type). It is a cache: the state of
 * a world does not depend on which numbers its sets have.
 */
#ifndef SETTI_SIGNATURE_H
#define SETTI_SIGNATURE_H

#include "base/hash_map.h"
#include "sett/id.h"

typedef struct setti_signature {
    sett_component* types; /* ascending */
    uint32_t count;
    uint32_t room;   /* types that fit `types` */
    uint32_t hooked; /* of these, types whose removal has more to do than the storage's work */
    /* the next signature under the same hash; in a free record the next free one; SETTI_NONE
     * ends */
    uint32_t chain;
    uint32_t mark; /* reclaiming: still in use */
} setti_signature;

typedef struct setti_signature_table {
    setti_signature* record;
    uint32_t count; /* records, free ones included; record 0 exists from the first edge on */
    uint32_t capacity;
    uint32_t free; /* the first free record, or SETTI_NONE */
    uint32_t free_count;
    uint32_t reclaim_at;   /* look for unused signatures when this many are in use */
    uint32_t swept;        /* how often numbers may have got other sets: setti_signature_sweep */
    setti_hash_map by_set; /* hash of the types -> first record of its chain */
    setti_hash_map edges;  /* signature and type -> signature with the type toggled */
} setti_signature_table;

/* Sets of fewer types than this are not worth looking for unused ones. */
#define SETTI_SIGNATURE_RECLAIM 4096

/* Where a known edge leads; SETTI_NONE if it has not been taken yet. */
static inline uint32_t setti_signature_edge(const setti_signature_table* table, uint32_t signature,
                                            sett_component type)
{
    return setti_hash_map_find(&table->edges, ((uint64_t)signature << 32) | type);
}

/* The signature with `type` toggled: without it if it has it, else with it. SETTI_NONE when memory
 * runs out. `hooked` says what the type is. Never reclaims. The first is for an edge
 * that has not been taken yet. */
uint32_t setti_signature_take_edge(setti_pool* pool, setti_signature_table* table,
                                   uint32_t signature, sett_component type, bool hooked);
SETTI_INLINE uint32_t setti_signature_toggle(setti_pool* pool, setti_signature_table* table,
                                             uint32_t signature, sett_component type, bool hooked)
{
    uint32_t to = setti_signature_edge(table, signature, type);
    return SETTI_LIKELY(to != SETTI_NONE)
               ? to
               : setti_signature_take_edge(pool, table, signature, type, hooked);
}

/* A type became hooked, or stopped being so: counts it in every set. */
void setti_signature_hook(const setti_signature_table* table, sett_component type, bool hooked);

bool setti_signature_has(const setti_signature_table* table, uint32_t signature,
                         sett_component type);

static inline uint32_t setti_signature_count(const setti_signature_table* table)
{
    return table->count - table->free_count;
}

/* Frees the signatures whose mark is 0, and all edges. The caller has marked what is in use, and
 * resets its own caches. */
void setti_signature_sweep(setti_pool* pool, setti_signature_table* table);

const char* setti_signature_validate(const setti_signature_table* table);

#endif
