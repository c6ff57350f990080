/* hash.h: hashes of values. */
#ifndef SETTI_HASH_H
#define SETTI_HASH_H

#include "state/view.h"

/* Bytes of a value that are looked at, 0 if nothing of it is part of the state; of these, what the
 * type's mask leaves out counts as zero. */
static inline size_t setti_hash_size(const setti_type* type)
{
    bool bytes =
        type->desc.save == SETT_SAVE_BYTES ||
        (type->desc.save == SETT_SAVE_CLONE &&
         (type->desc.byte_count != 0 || type->members != NULL || type->desc.write != NULL));
    return bytes ? type->desc.size : 0;
}

/* Whether two values of a type are equal in what is hashed. */
bool setti_hash_same(const setti_type* type, const void* a, const void* b);

/* What a type's values are hashed with. */
typedef struct setti_hash_type {
    const setti_type* type;
    uint64_t seed;
    size_t size;                  /* as setti_hash_size */
    const unsigned char* mask;    /* the type's, or NULL */
    const setti_members* members; /* the same */
} setti_hash_type;

void setti_hash_begin(setti_hash_type* of, const setti_type* type);

/* Whether a value is hashed as its bytes are in memory, unless a float is NaN. */
bool setti_hash_is_plain(const setti_hash_type* of);

#define SETTI_HASH_K 0x9E3779B97F4A7C15u

/* What hashes are made with: of a value, steps from its seed over its bytes, eight at a time, and a
 * mix at the end. */
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

/* Not 0: a float of these eight bytes is NaN. */
SETTI_INLINE uint64_t setti_hash_nan(setti_nan_word of, uint64_t word)
{
    return ((word & ~of.test) + of.add) & of.test;
}

/* The hash of a handle. */
SETTI_INLINE uint64_t setti_hash_entity(sett_entity entity)
{
    return setti_hash_mix((((uint64_t)entity.generation << 32) | entity.index) + SETTI_HASH_K);
}

/* What the slots of a page of the entity table, from index `first` on, and a
 * value of an entity add to the sum of a world. */
uint64_t setti_hash_slots(const setti_entity_page* page, uint32_t first);
uint64_t setti_hash_value(const setti_hash_type* of, sett_entity entity, const void* value);

/* Like setti_hash_value, of a link, where the type has records. */
uint64_t setti_hash_link(const setti_hash_type* of, sett_entity source, const void* record);

/* The sum of the world, and the hash that a sum stands for. The former begins a new tick. */
uint64_t setti_hash_sum(sett_world* world);
uint64_t setti_hash_finish(uint64_t sum);

/* The sum of the world as it is on side 0 of a view, whose side 1 is the live world; and of about
 * how many values a hash is computed for that. The former begins a new tick. */
uint64_t setti_hash_sum_of(sett_world* world, setti_view* view);
uint64_t setti_hash_price(sett_world* world, setti_view* view);

#endif
