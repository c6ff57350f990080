/* hash.h: hashes of values. */
#ifndef SETTI_HASH_H
#define SETTI_HASH_H

#include "state/view.h"

/* Bytes of a value that are hashed, bits outside of the mask as zeroes; 0: it is not part of the
 * state. */
static inline size_t setti_hash_size(const setti_type* type)
{
    bool bytes =
        type->desc.save == SETT_SAVE_BYTES ||
        (type->desc.save == SETT_SAVE_CLONE &&
         (type->desc.byte_count != 0 || type->members != NULL || type->desc.write != NULL));
    return bytes ? type->desc.size : 0;
}

/* Whether two values count as equal: the same is hashed for both. */
bool setti_hash_same(const setti_type* type, const void* a, const void* b);

/* How a type's values are hashed. */
typedef struct setti_hash_type {
    const setti_type* type;
    uint64_t seed;
    size_t size;                  /* setti_hash_size of the type */
    const unsigned char* mask;    /* the type's, or NULL */
    const setti_members* members; /* the type's, or NULL */
} setti_hash_type;

void setti_hash_begin(setti_hash_type* of, const setti_type* type);

/* Whether values are hashed as their bytes in memory, unless a float is NaN. */
bool setti_hash_is_plain(const setti_hash_type* of);

#define SETTI_HASH_K 0x9E3779B97F4A7C15u

/* The last step of hashes. A value's hash starts with a seed, takes in its bytes, eight at a time,
 * and is mixed. */
SETTI_INLINE uint64_t setti_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

SETTI_INLINE uint64_t setti_hash_step(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

/* Not 0 if a float in these eight bytes is NaN. */
SETTI_INLINE uint64_t setti_hash_nan(setti_nan_word of, uint64_t word)
{
    return ((word & ~of.test) + of.add) & of.test;
}

SETTI_INLINE uint64_t setti_hash_entity(sett_entity entity)
{
    return setti_hash_mix((((uint64_t)entity.generation << 32) | entity.index) + SETTI_HASH_K);
}

/* The part of a world's sum for a value of an entity. */
uint64_t setti_hash_value(const setti_hash_type* of, sett_entity entity, const void* value);

/* The part of a world's sum for a link, of a type with records. */
uint64_t setti_hash_link(const setti_hash_type* of, sett_entity source, const void* record);

/* The world's sum of hashes, or that of the state before in a view whose state after is the live
 * world (`view` not NULL). Begins a new tick. */
uint64_t setti_hash_sum(sett_world* world, setti_view* view);
/* About how many values are hashed for that sum. */
uint64_t setti_hash_price(sett_world* world, setti_view* view);

/* The hash of a state with this sum. */
SETTI_INLINE uint64_t setti_hash_finish(uint64_t sum)
{
    return setti_hash_mix(sum);
}

#endif
