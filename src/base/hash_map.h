/* hash_map.h: maps 64-bit keys to 32-bit numbers, for the caches of a world. No entry is removed
 * before the whole map is freed. */
#ifndef SETTI_HASH_MAP_H
#define SETTI_HASH_MAP_H

#include "base/page.h"

typedef struct setti_hash_slot {
    uint64_t key; /* 0: the slot is free */
    uint32_t value;
    uint32_t pad;
} setti_hash_slot;

typedef struct setti_hash_map {
    setti_hash_slot* slot;
    uint32_t count;
    uint32_t capacity; /* a power of two, at least 1.5 * count; 0 at first */
} setti_hash_map;

/* Returns the value of a key, or SETTI_NONE if the map does not have the key. */
uint32_t setti_hash_map_find(const setti_hash_map* map, uint64_t key);

/* Sets the value of a key. Returns false if memory runs out. */
bool setti_hash_map_set(setti_pool* pool, setti_hash_map* map, uint64_t key, uint32_t value);
void setti_hash_map_deinit(setti_pool* pool, setti_hash_map* map);

/* Returns the hash of a key and a number, for a hash table at `address`. The address is a seed that
 * no file knows. So a file cannot choose keys that collide. No result may depend on the order of a
 * table. */
static inline uint32_t setti_hash_home(uint64_t key, uint32_t number, const void* address)
{
    uint64_t hash = (key ^ (uint64_t)(uintptr_t)address) * 0x9E3779B97F4A7C15u;
    /* the high bits of the first product count too */
    hash = ((hash ^ (hash >> 32)) + number) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(hash >> 32);
}

/* Returns a hash of bytes (FNV-1a), never 0. */
uint64_t setti_hash_bytes(const void* bytes, size_t size);

/* The most texts with equal hashes. Each of these texts takes the next free key
 * (setti_hash_next). */
#define SETTI_HASH_STEPS 64

/* Returns the key after `key`, never 0. */
static inline uint64_t setti_hash_next(uint64_t key)
{
    if (key == UINT64_MAX) {
        return 1;
    }
    return key + 1;
}

#endif
