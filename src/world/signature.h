/* signature.h: sets of component types, interned: equal sets have one number, 0 is the empty set.
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
    uint32_t room;   /* capacity of `types` */
    uint32_t hooked; /* types of the set that have SETTI_TYPE_REMOVE_HOOKS */
    /* the next record with an equal hash, or, of a free record, the next free one; SETTI_NONE: it
     * is the last */
    uint32_t chain;
    uint32_t mark; /* while unused signatures are freed: 1 if it is in use */
} setti_signature;

typedef struct setti_signature_table {
    setti_signature* record;
    uint32_t count; /* records, free ones included; record 0 exists from the first edge on */
    uint32_t capacity;
    uint32_t free; /* the first free record, or SETTI_NONE */
    uint32_t free_count;
    uint32_t reclaim_at; /* free unused signatures when so many are in use */
    uint32_t swept;      /* how often setti_signature_sweep ran: numbers may mean other sets then */
    setti_hash_map by_set; /* hash of the types -> first record of its chain */
    setti_hash_map edges;  /* signature and type -> signature with the type toggled */
} setti_signature_table;

/* Unused signatures are not freed while fewer than this exist. */
#define SETTI_SIGNATURE_RECLAIM 4096

/* The signature to which an edge leads; SETTI_NONE if the edge is not known. */
static inline uint32_t setti_signature_edge(const setti_signature_table* table, uint32_t signature,
                                            sett_component type)
{
    return setti_hash_map_find(&table->edges, ((uint64_t)signature << 32) | type);
}

/* The signature with a type toggled: removed if it is in the signature, else added. Frees no
 * signatures. SETTI_NONE when memory runs out. The first function is for an edge that is not known.
 *   hooked  the type has SETTI_TYPE_REMOVE_HOOKS */
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

/* Updates the counts of hooked types: from now on the type is hooked, or it is not any more. */
void setti_signature_hook(const setti_signature_table* table, sett_component type, bool hooked);

bool setti_signature_has(const setti_signature_table* table, uint32_t signature,
                         sett_component type);

static inline uint32_t setti_signature_count(const setti_signature_table* table)
{
    return table->count - table->free_count;
}

/* Frees the signatures whose mark is 0, and all edges. The caller has marked those in use, and
 * resets its own caches. */
void setti_signature_sweep(setti_pool* pool, setti_signature_table* table);

const char* setti_signature_validate(const setti_signature_table* table);

#endif
