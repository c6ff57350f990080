/* key_order.h: a sorted list of pairs of a key and a number, for look-ups of ranges. */
#ifndef SETTI_KEY_ORDER_H
#define SETTI_KEY_ORDER_H

#include "base/page.h"

#define SETTI_KEY_ROWS 340 /* a chunk has 4 KB */

typedef struct setti_key_chunk {
    uint64_t key[SETTI_KEY_ROWS];
    uint32_t number[SETTI_KEY_ROWS];
} setti_key_chunk;

typedef struct setti_key_part {
    setti_key_chunk* chunk;
    /* `key` and `number`: no pair in the chunk is less. The first part has no such bound. */
    uint64_t key;
    uint32_t number;
    uint32_t count; /* number of pairs in the chunk, not 0 */
} setti_key_part;

typedef struct setti_key_order {
    setti_key_part* part;
    uint32_t part_count;
    uint32_t part_room;
} setti_key_order;

typedef struct setti_key_pair {
    uint64_t key;
    uint32_t number;
} setti_key_pair;

/* The place of a pair. At the end, `part` is the number of parts and `row` is 0. */
typedef struct setti_key_place {
    uint32_t part;
    uint32_t row;
} setti_key_place;

/* Adds a pair. Returns false when memory runs out. */
bool setti_key_order_add(setti_pool* pool, setti_key_order* order, uint64_t key, uint32_t number);

/* Removes a pair. The pair must exist. */
void setti_key_order_remove(setti_pool* pool, setti_key_order* order, uint64_t key,
                            uint32_t number);

/* Sorts the `count` pairs at `pair`, and replaces the pairs of the order by them. `other` is a
 * second buffer of the same size. Returns false when memory runs out. */
bool setti_key_order_build(setti_pool* pool, setti_key_order* order, setti_key_pair* pair,
                           setti_key_pair* other, uint32_t count);

/* The place of the first pair that is not less than (key, number), or the end. */
setti_key_place setti_key_order_seek(const setti_key_order* order, uint64_t key, uint32_t number);

/* The number of pairs from the place `first` to before the place `stop`. */
uint32_t setti_key_order_between(const setti_key_order* order, setti_key_place first,
                                 setti_key_place stop);

/* The place `count` pairs after `place`. */
setti_key_place setti_key_order_skip(const setti_key_order* order, setti_key_place place,
                                     uint32_t count);

/* Returns the number of the pair at a place, and moves the place to the next pair. */
static inline uint32_t setti_key_order_take(const setti_key_order* order, setti_key_place* place)
{
    const setti_key_part* part = &order->part[place->part];
    SETTI_ASSERT(place->part < order->part_count && place->row < part->count);
    uint32_t number = part->chunk->number[place->row++];
    if (place->row == part->count) {
        place->part++;
        place->row = 0;
    }
    return number;
}

void setti_key_order_deinit(setti_pool* pool, setti_key_order* order);

#endif
