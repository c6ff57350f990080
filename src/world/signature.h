/* signature.h: interned sets of component types. Equal sets have the same number. The empty set has
 * number 0.
 *
 * The table is a graph. An edge leads from a signature to the signature with a type toggled: added,
 * or removed. Edges are created on demand. The table is a cache: the state of a world does not
 * depend on the numbers of signatures.
 */
#ifndef SETTI_SIGNATURE_H
#define SETTI_SIGNATURE_H

#include "base/hash_map.h"
#include "sett/id.h"

typedef struct setti_signature {
    sett_component* types; /* ascending */
    uint32_t count;
    uint32_t room;   /* capacity of `types` */
    uint32_t hooked; /* how many types of the set have SETTI_TYPE_REMOVE_HOOKS */
    /* of a record in use: the next record with an equal hash; of a free record: the next free
     * record; SETTI_NONE: the last */
    uint32_t chain;
    uint32_t mark; /* 1: the next sweep keeps the record; 0 outside of sweeps */
} setti_signature;

typedef struct setti_signature_table {
    setti_signature* record;
    uint32_t count; /* used and free records; record 0 exists from the first edge on */
    uint32_t capacity;
    uint32_t free; /* the first free record, or SETTI_NONE */
    uint32_t free_count;
    uint32_t reclaim_at;   /* the next sweep runs at this number of signatures */
    uint32_t swept;        /* sweeps so far; a sweep may change the meaning of numbers */
    setti_hash_map by_set; /* hash of a set -> first record with the hash */
    setti_hash_map edges;  /* signature and type -> signature with the type toggled */
} setti_signature_table;

/* Unused signatures are freed only from this number of signatures on. */
#define SETTI_SIGNATURE_RECLAIM 4096

/* Returns the signature with a type toggled, or SETTI_NONE if the table has no such edge yet. */
static inline uint32_t setti_signature_edge(const setti_signature_table* table, uint32_t signature,
                                            sett_component type)
{
    return setti_hash_map_find(&table->edges, ((uint64_t)signature << 32) | type);
}

/* The slow path of setti_signature_toggle, for a missing edge. */
uint32_t setti_signature_take_edge(setti_pool* pool, setti_signature_table* table,
                                   uint32_t signature, sett_component type, bool hooked);

/* Returns the signature with a type toggled. Returns SETTI_NONE if memory runs out.
 *   hooked  the type has SETTI_TYPE_REMOVE_HOOKS */
SETTI_INLINE uint32_t setti_signature_toggle(setti_pool* pool, setti_signature_table* table,
                                             uint32_t signature, sett_component type, bool hooked)
{
    uint32_t toggled = setti_signature_edge(table, signature, type);
    if (SETTI_LIKELY(toggled != SETTI_NONE)) {
        return toggled;
    }
    return setti_signature_take_edge(pool, table, signature, type, hooked);
}

/* Updates the signatures that contain a type. The type has got or lost SETTI_TYPE_REMOVE_HOOKS. */
void setti_signature_hook(const setti_signature_table* table, sett_component type, bool hooked);

bool setti_signature_has(const setti_signature_table* table, uint32_t signature,
                         sett_component type);

static inline uint32_t setti_signature_count(const setti_signature_table* table)
{
    return table->count - table->free_count;
}

/* Frees the signatures with mark 0, and all edges. */
void setti_signature_sweep(setti_pool* pool, setti_signature_table* table);

const char* setti_signature_validate(const setti_signature_table* table);

#endif
