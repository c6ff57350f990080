/* hash_map.h: maps a 64-bit key to a 32-bit number, for the caches of a world. Entries are added,
 * looked up, and removed all at once; single entries are never removed. */
#ifndef SETTI_HASH_MAP_H
#define SETTI_HASH_MAP_H

#include "base/page.h"

typedef struct setti_hash_slot {
    uint64_t key; /* 0: free */
    uint32_t value;
    uint32_t pad;
} setti_hash_slot;

typedef struct setti_hash_map {
    setti_hash_slot* slot;
    uint32_t count;
    uint32_t capacity; /* a power of two, at least 1.5 * count; 0 at first */
} setti_hash_map;

/* Returns the value under `key` (not 0), or SETTI_NONE. */
uint32_t setti_hash_map_find(const setti_hash_map* map, uint64_t key);

/* Sets the value under `key` (not 0). False when memory runs out. */
bool setti_hash_map_set(setti_pool* pool, setti_hash_map* map, uint64_t key, uint32_t value);
void setti_hash_map_deinit(setti_pool* pool, setti_hash_map* map);

/* Where a hash table at an address begins to look for a key and its number. A peer or a file that
 * chooses keys cannot make many begin at one slot, since it does not know the address; nothing may
 * depend on the order of such a table. The key is multiplied twice: after one multiplication, keys
 * that differ in high bits alone would begin at one slot at every address. */
static inline uint32_t setti_hash_home(uint64_t key, uint32_t number, const void* address)
{
    uint64_t hash = (key ^ (uint64_t)(uintptr_t)address) * 0x9E3779B97F4A7C15u;
    hash = ((hash ^ (hash >> 32)) + number) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(hash >> 32);
}

/* A hash of bytes, never 0 (FNV-1a), without a seed: a name's key is equal on every machine. Texts
 * of one hash have the keys from that hash on, at most SETTI_HASH_STEPS of them. */
uint64_t setti_hash_bytes(const void* bytes, size_t size);

#define SETTI_HASH_STEPS 64

/* The key behind `key`, never 0. */
static inline uint64_t setti_hash_next(uint64_t key)
{
    return key == UINT64_MAX ? 1 : key + 1;
}

#endif
