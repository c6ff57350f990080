/* hash.h: what values amount to. */
#ifndef SETTI_HASH_H
#define SETTI_HASH_H

#include "relation/chain.h"

/* The ranges of bytes that make up a value of this type: *count of them, none if nothing of it is
 * part of the state. `whole` is room for one. */
const sett_byte_range* setti_hash_ranges(const setti_type* type, sett_byte_range* whole,
                                         uint32_t* count);

/* What a type's values are hashed with. */
typedef struct setti_hash_type {
    const setti_type* type;
    uint64_t seed;
    const sett_byte_range* ranges; /* `whole`, or the type's own */
    uint32_t range_count;
    sett_byte_range whole;
} setti_hash_type;

/* `of` must not move afterwards. */
void setti_hash_begin(setti_hash_type* of, const setti_type* type);

/* What an entity, and what a value of one, add to the sum of a world. */
uint64_t setti_hash_entity(sett_entity entity);
uint64_t setti_hash_value(const setti_hash_type* of, sett_entity entity, const void* value);

/* The same of a link, beside the value, where the type is a relationship with many targets. */
uint64_t setti_hash_link(const setti_hash_type* of, sett_entity source,
                         const setti_chain_record* record);

/* The sum of the world, and the hash that a sum stands for. The former begins a new tick. */
uint64_t setti_hash_sum(sett_world* world);
uint64_t setti_hash_finish(uint64_t sum);

/* Computes anew what is known by page and compares. Returns the type, or NULL, of which a page was
 * written without its tick. */
const setti_type* setti_hash_check(sett_world* world, uint32_t* first_index);

#endif
