/* hash.h: hashes of values. */
#ifndef SETTI_HASH_H
#define SETTI_HASH_H

#include "state/view.h"

/* Returns true if the type tells which bytes of a value count, by `byte_count`, `members` or a
 * `write` hook. */
static inline bool setti_hash_knows_content(const setti_type* type)
{
    return type->desc.byte_count != 0 || type->members != NULL || type->desc.write != NULL;
}

/* Returns the number of hashed bytes of a value, or 0 if the values are not hashed. */
static inline size_t setti_hash_size(const setti_type* type)
{
    bool hashed = type->desc.save == SETT_SAVE_BYTES ||
                  (type->desc.save == SETT_SAVE_CLONE && setti_hash_knows_content(type));
    return hashed ? type->desc.size : 0;
}

/* Returns true if two values have the same hash. */
bool setti_hash_same(const setti_type* type, const void* a, const void* b);

/* A type, prepared for hashing. */
typedef struct setti_hash_type {
    const setti_type* type;
    uint64_t seed;
    size_t size;                  /* the result of setti_hash_size */
    const unsigned char* mask;    /* the type's mask, or NULL */
    const setti_members* members; /* the type's members, or NULL if only bytes are hashed */
} setti_hash_type;

void setti_hash_begin(setti_hash_type* hasher, const setti_type* type);

/* Returns true if the hash of a value without NaN is the hash of its bytes in memory. */
bool setti_hash_is_plain(const setti_hash_type* hasher);

#define SETTI_HASH_K 0x9E3779B97F4A7C15u /* 2^64 / the golden ratio */

/* Mixes all bits of a number, like the last steps of splitmix64. */
SETTI_INLINE uint64_t setti_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Adds eight bytes to a hash. */
SETTI_INLINE uint64_t setti_hash_step(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

/* Returns 0 if no float of `word` is NaN. The sum of a NaN and its part of nan.add carries into the
 * sign bit. */
SETTI_INLINE uint64_t setti_hash_nan(setti_nan_word nan, uint64_t word)
{
    return ((word & ~nan.test) + nan.add) & nan.test;
}

SETTI_INLINE uint64_t setti_hash_entity(sett_entity entity)
{
    /* + SETTI_HASH_K, because setti_hash_mix(0) is 0 */
    return setti_hash_mix((((uint64_t)entity.generation << 32) | entity.index) + SETTI_HASH_K);
}

uint64_t setti_hash_value(const setti_hash_type* hasher, sett_entity entity, const void* value);

/* Returns the hash of a link. `source` is the entity that has the link. */
uint64_t setti_hash_link(const setti_hash_type* hasher, sett_entity source, const void* record);

/* Returns the sum of all hashes on side SETTI_BEFORE of a view. `view` is NULL to hash the live
 * world. */
uint64_t setti_hash_sum(sett_world* world, setti_view* view);
/* Estimates how many hashes setti_hash_sum has to compute. */
uint64_t setti_hash_price(sett_world* world, setti_view* view);

SETTI_INLINE uint64_t setti_hash_finish(uint64_t sum)
{
    return setti_hash_mix(sum);
}

#endif
