/* hash_map.c: open addressing with linear probing and multiplicative hashing (Knuth, TAOCP 3, 6.4).
 * See hash_map.h.
 *
 * Invariant:  no slot from the home slot of a key to the slot of the key is free;
 *             3 * count <= 2 * capacity
 */
#include "base/hash_map.h"

#include <string.h>

/* Returns the home slot of a key: the slot at which the search for the key begins. */
static uint32_t hash_map_home(const setti_hash_map* map, uint64_t key)
{
    SETTI_ASSERT(map->capacity != 0);
    return setti_hash_home(key, 0, map->slot) & (map->capacity - 1);
}

uint32_t setti_hash_map_find(const setti_hash_map* map, uint64_t key)
{
    SETTI_ASSERT(key != 0);
    if (map->capacity == 0) {
        return SETTI_NONE;
    }
    for (uint32_t position = hash_map_home(map, key);;
         position = (position + 1) & (map->capacity - 1)) {
        if (map->slot[position].key == key) {
            return map->slot[position].value;
        }
        if (map->slot[position].key == 0) {
            return SETTI_NONE;
        }
    }
}

/* Adds a key, or replaces the value of a key. The map has a free slot. */
static void hash_map_put(setti_hash_map* map, uint64_t key, uint32_t value)
{
    SETTI_ASSERT(map->count < map->capacity);
    uint32_t position = hash_map_home(map, key);
    while (map->slot[position].key != 0 && map->slot[position].key != key) {
        position = (position + 1) & (map->capacity - 1);
    }
    if (map->slot[position].key == 0) {
        map->count++;
    }
    map->slot[position].key = key;
    map->slot[position].value = value;
}

static bool hash_map_grow(setti_pool* pool, setti_hash_map* map)
{
    size_t size;
    if (map->capacity > UINT32_MAX / 4) {
        return false;
    }
    setti_hash_map grown = {.capacity = SETTI_MAX(map->capacity * 2, 16)}; /* 16 slots at first */
    if (!setti_multiply(grown.capacity, sizeof(setti_hash_slot), &size)) {
        return false;
    }
    grown.slot = setti_pool_alloc_zero(pool, size, 16);
    if (grown.slot == NULL) {
        return false;
    }
    for (uint32_t position = 0; position < map->capacity; position++) {
        if (map->slot[position].key != 0) {
            hash_map_put(&grown, map->slot[position].key, map->slot[position].value);
        }
    }
    setti_hash_map_deinit(pool, map);
    *map = grown;
    return true;
}

bool setti_hash_map_set(setti_pool* pool, setti_hash_map* map, uint64_t key, uint32_t value)
{
    SETTI_ASSERT(key != 0);
    /* one more key would fill more than two thirds of the slots */
    bool is_full = (uint64_t)(map->count + 1) * 3 > (uint64_t)map->capacity * 2;
    if (is_full && !hash_map_grow(pool, map)) {
        return false;
    }
    hash_map_put(map, key, value);
    return true;
}

void setti_hash_map_deinit(setti_pool* pool, setti_hash_map* map)
{
    SETTI_ASSERT(map->count <= map->capacity);
    setti_pool_free(pool, map->slot, (size_t)map->capacity * sizeof(setti_hash_slot), 16);
    memset(map, 0, sizeof(*map));
}

uint64_t setti_hash_bytes(const void* bytes, size_t size)
{
    const unsigned char* byte = bytes;
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ byte[k]) * 0x100000001B3u;
    }
    /* spreads the last bytes over all bits */
    hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;
    return hash != 0 ? hash : 1; /* as a key, 0 would mean a free slot */
}
