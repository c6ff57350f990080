/* key_order.c: sorted pairs of a key and a number, in chunks of up to 340 pairs.
 *
 * The workload: a hundred thousand values, some of them written between two look-ups. A few new
 * pairs are inserted, each by moving half a chunk; many new pairs are sorted with all others.
 * Rejected: one long array, because each insertion moves all later pairs; a tree of single pairs,
 * because each level and each result costs a cache miss.
 *
 *     part      [ -, 3 ][ 20, 2 ][ 31, 3 ]        lower bound of the keys, count of the pairs
 *                  |       |        |
 *     chunk      4 7 9   20 30   31 31 40
 *
 * Invariant:  pairs ascend, by key and then by number, in each chunk and from chunk to chunk;  no
 *             chunk is empty;  no pair is below its part's bound, except in the first chunk
 */
#include "search/key_order.h"

#include <string.h>

static bool key_is_below(uint64_t key, uint32_t number, uint64_t other, uint32_t other_number)
{
    if (key != other) {
        return key < other;
    }
    return number < other_number;
}

/* Returns the position of the last part whose bound is below the pair (key, number). Returns 0 if
 * no part has such a bound. */
static uint32_t key_part_of(const setti_key_order* order, uint64_t key, uint32_t number)
{
    uint32_t first = 0;
    uint32_t stop = order->part_count;
    while (stop - first > 1) {
        uint32_t middle = first + (stop - first) / 2;
        const setti_key_part* part = &order->part[middle];
        if (key_is_below(part->key, part->number, key, number)) {
            first = middle;
        } else {
            stop = middle;
        }
    }
    return first;
}

/* The row of the first pair in a part that is not less than (key, number), or the part's count. */
static uint32_t key_row_of(const setti_key_part* part, uint64_t key, uint32_t number)
{
    const setti_key_chunk* chunk = part->chunk;
    uint32_t first = 0;
    uint32_t stop = part->count;
    while (first < stop) {
        uint32_t middle = first + (stop - first) / 2;
        if (key_is_below(chunk->key[middle], chunk->number[middle], key, number)) {
            first = middle + 1;
        } else {
            stop = middle;
        }
    }
    return first;
}

setti_key_place setti_key_order_seek(const setti_key_order* order, uint64_t key, uint32_t number)
{
    setti_key_place place = {key_part_of(order, key, number), 0};
    if (place.part < order->part_count) { /* the order is not empty */
        place.row = key_row_of(&order->part[place.part], key, number);
        if (place.row == order->part[place.part].count) { /* the next part has the pair */
            place.part++;
            place.row = 0;
        }
    }
    return place;
}

uint32_t setti_key_order_between(const setti_key_order* order, setti_key_place first,
                                 setti_key_place stop)
{
    SETTI_ASSERT(first.part < stop.part || (first.part == stop.part && first.row <= stop.row));
    uint32_t count = stop.row - first.row; /* can be below 0 until the counts are added */
    for (uint32_t k = first.part; k < stop.part; k++) {
        count += order->part[k].count;
    }
    return count;
}

setti_key_place setti_key_order_skip(const setti_key_order* order, setti_key_place place,
                                     uint32_t count)
{
    while (place.part < order->part_count && count >= order->part[place.part].count - place.row) {
        count -= order->part[place.part].count - place.row;
        place.part++;
        place.row = 0;
    }
    place.row += count;
    SETTI_ASSERT(place.part < order->part_count || count == 0);
    return place;
}

/* Inserts an empty part at `position`. Returns NULL when memory runs out. */
static setti_key_part* key_part_insert(setti_pool* pool, setti_key_order* order, uint32_t position)
{
    SETTI_ASSERT(position <= order->part_count);
    setti_key_chunk* chunk = setti_pool_alloc(pool, sizeof(*chunk), 16);
    if (chunk == NULL) {
        return NULL;
    }
    setti_key_part* part =
        setti_pool_grow(pool, order->part, sizeof(*part), order->part_count, 1, &order->part_room);
    if (part == NULL) {
        setti_pool_free(pool, chunk, sizeof(*chunk), 16);
        return NULL;
    }
    order->part = part;
    memmove(&part[position + 1], &part[position], (order->part_count - position) * sizeof(*part));
    order->part_count++;
    part[position] = (setti_key_part){.chunk = chunk};
    return &part[position];
}

/* Moves `count` pairs of one part, or from one part to another. The rows can overlap. */
static void key_move(const setti_key_part* from_part, uint32_t from_row,
                     const setti_key_part* to_part, uint32_t to_row, uint32_t count)
{
    SETTI_ASSERT(from_row + count <= SETTI_KEY_ROWS && to_row + count <= SETTI_KEY_ROWS);
    const setti_key_chunk* source = from_part->chunk;
    setti_key_chunk* destination = to_part->chunk;
    memmove(&destination->key[to_row], &source->key[from_row], count * sizeof(uint64_t));
    memmove(&destination->number[to_row], &source->number[from_row], count * sizeof(uint32_t));
}

/* Moves the upper half of a full part to a new part behind it. Returns false when memory runs
 * out. */
static bool key_part_split(setti_pool* pool, setti_key_order* order, uint32_t position)
{
    setti_key_part* upper = key_part_insert(pool, order, position + 1);
    if (upper == NULL) {
        return false;
    }
    setti_key_part* lower = &order->part[position];
    upper->count = lower->count / 2;
    lower->count -= upper->count;
    key_move(lower, lower->count, upper, 0, upper->count);
    upper->key = upper->chunk->key[0];
    upper->number = upper->chunk->number[0];
    return true;
}

bool setti_key_order_add(setti_pool* pool, setti_key_order* order, uint64_t key, uint32_t number)
{
    if (order->part_count == 0 && key_part_insert(pool, order, 0) == NULL) {
        return false;
    }
    uint32_t position = key_part_of(order, key, number);
    if (order->part[position].count == SETTI_KEY_ROWS) {
        if (!key_part_split(pool, order, position)) {
            return false;
        }
        position = key_part_of(order, key, number); /* one of the halves */
    }
    setti_key_part* part = &order->part[position];
    uint32_t row = key_row_of(part, key, number);
    key_move(part, row, part, row + 1, part->count - row);
    part->chunk->key[row] = key;
    part->chunk->number[row] = number;
    part->count++;
    return true;
}

static void key_part_remove(setti_pool* pool, setti_key_order* order, uint32_t position)
{
    setti_key_part* part = &order->part[position];
    setti_pool_free(pool, part->chunk, sizeof(*part->chunk), 16);
    order->part_count--;
    memmove(part, part + 1, (order->part_count - position) * sizeof(*part));
}

/* Joins the part at `position` with the next part if their pairs fill at most half a chunk. */
static void key_part_join(setti_pool* pool, setti_key_order* order, uint32_t position)
{
    setti_key_part* lower = &order->part[position];
    const setti_key_part* upper = lower + 1;
    if (position + 1 < order->part_count && lower->count + upper->count <= SETTI_KEY_ROWS / 2) {
        key_move(upper, 0, lower, lower->count, upper->count);
        lower->count += upper->count;
        key_part_remove(pool, order, position + 1);
    }
}

void setti_key_order_remove(setti_pool* pool, setti_key_order* order, uint64_t key, uint32_t number)
{
    setti_key_place place = setti_key_order_seek(order, key, number);
    SETTI_ASSERT(place.part < order->part_count);
    setti_key_part* part = &order->part[place.part];
    SETTI_ASSERT(part->chunk->key[place.row] == key && part->chunk->number[place.row] == number);
    part->count--;
    /* The later pairs move down. */
    key_move(part, place.row + 1, part, place.row, part->count - place.row);
    if (part->count == 0) {
        key_part_remove(pool, order, place.part);
    } else {
        key_part_join(pool, order, place.part);
        if (place.part != 0) {
            key_part_join(pool, order, place.part - 1);
        }
    }
}

void setti_key_order_deinit(setti_pool* pool, setti_key_order* order)
{
    while (order->part_count != 0) {
        key_part_remove(pool, order, order->part_count - 1);
    }
    setti_pool_free(pool, order->part, order->part_room * sizeof(*order->part), 16);
    *order = (setti_key_order){0};
}

enum {
    KEY_DIGITS = 12, /* bytes of a pair, lowest first: 4 of the number, then 8 of the key */
    KEY_NUMBER_DIGITS = 4
};

static uint32_t key_digit(const setti_key_pair* pair, uint32_t digit)
{
    if (digit < KEY_NUMBER_DIGITS) {
        return (pair->number >> (digit * 8)) & 0xFF;
    }
    return (uint32_t)(pair->key >> ((digit - KEY_NUMBER_DIGITS) * 8)) & 0xFF;
}

/* Returns the digits to sort by, as bits. */
static uint32_t key_digits(const setti_key_pair* pair, uint32_t count)
{
    setti_key_pair varying = {0, 0}; /* bits that are not equal in all pairs */
    bool numbers_ascend = true;
    for (uint32_t k = 1; k < count; k++) {
        varying.key |= pair[k].key ^ pair[k - 1].key;
        varying.number |= pair[k].number ^ pair[k - 1].number;
        numbers_ascend = numbers_ascend && pair[k - 1].number <= pair[k].number;
    }
    uint32_t digits = 0;
    /* The sort is stable: numbers that ascend already, and digits that never vary, are left out. */
    for (uint32_t digit = numbers_ascend ? KEY_NUMBER_DIGITS : 0; digit < KEY_DIGITS; digit++) {
        digits |= (uint32_t)(key_digit(&varying, digit) != 0) << digit;
    }
    return digits;
}

/* Sorts by one digit after the other, the lowest first. Returns the buffer with the result: `pair`
 * or `other`. */
static setti_key_pair* key_sort(setti_key_pair* pair, setti_key_pair* other, uint32_t count)
{
    for (uint32_t digits = key_digits(pair, count); digits != 0; digits &= digits - 1) {
        uint32_t digit = setti_bits_lowest(digits);
        uint32_t begin[257] = {0}; /* by value of the digit: where the next such pair goes */
        for (uint32_t k = 0; k < count; k++) {
            begin[key_digit(&pair[k], digit) + 1]++; /* pairs go behind those of lower values */
        }
        for (uint32_t value = 1; value < 256; value++) {
            begin[value] += begin[value - 1];
        }
        for (uint32_t k = 0; k < count; k++) {
            other[begin[key_digit(&pair[k], digit)]++] = pair[k];
        }
        setti_key_pair* sorted = other;
        other = pair;
        pair = sorted;
    }
    return pair;
}

bool setti_key_order_build(setti_pool* pool, setti_key_order* order, setti_key_pair* pair,
                           setti_key_pair* other, uint32_t count)
{
    const uint32_t fill = SETTI_KEY_ROWS * 3 / 4; /* leaves room for new pairs */
    pair = key_sort(pair, other, count);
    setti_key_order_deinit(pool, order);
    for (uint32_t first = 0; first < count; first += fill) {
        setti_key_part* part = key_part_insert(pool, order, order->part_count);
        if (part == NULL) {
            setti_key_order_deinit(pool, order);
            return false;
        }
        part->key = pair[first].key;
        part->number = pair[first].number;
        part->count = SETTI_MIN(count - first, fill);
        for (uint32_t k = 0; k < part->count; k++) {
            part->chunk->key[k] = pair[first + k].key;
            part->chunk->number[k] = pair[first + k].number;
        }
    }
    return true;
}
