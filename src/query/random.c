/* random.c: random numbers as functions of (seed, entity, tick, use).
 *
 * The workload: some numbers for each of many entities in each frame. Loops run on any number of
 * threads, and machines must agree in every bit. So there is no state, and the arithmetic is on
 * integers. Only the last step has a floating point result: at most 53 bits times a power of two,
 * which is exact. So results do not depend on libm or on contracted multiplications.
 *
 * Invariant:  equal arguments give equal results, on every machine
 */
#if !defined(SETT_NO_INLINE)
#define SETT_NO_INLINE /* this file defines the inline functions of random.h for other callers */
#endif
#include "sett/random.h"

#include "base/bits.h"
#include "query/query.h"

uint64_t sett_random(uint64_t seed, sett_entity entity, uint64_t tick, uint32_t use)
{
    return sett_random_of(sett_random_key(seed, tick, use), entity);
}

/* Scales the upper 32 bits, a fraction of 2^32, to a number below `limit`. */
uint32_t sett_random_range(uint64_t bits, uint32_t limit)
{
    return (uint32_t)((bits >> 32) * limit >> 32);
}

double sett_random_uniform(uint64_t bits)
{
    /* the upper 53 bits, which a double can hold, divided by 2^53 */
    return (double)(bits >> 11) * (1.0 / 9007199254740992.0);
}

/* Returns the square root, rounded down, or 2^31 - 1 if this is less. Finds one bit of the root in
 * each round, as in long division. */
static uint64_t random_root(uint64_t number)
{
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 60; bit != 0; bit >>= 2) { /* powers of 4 */
        uint64_t trial = root + bit;
        root >>= 1;
        if (number >= trial) {
            number -= trial;
            root += bit;
        }
    }
    return root;
}

/* Returns -2 ln(s / 2^62) in units of 2^-24. Squaring a number doubles its log2. So the next bit of
 * log2 is 1 if the square is 2 or more. */
static uint64_t random_log(uint64_t s)
{
    uint32_t high = setti_bits_highest(s);
    uint64_t mantissa; /* in [2^31, 2^32): a number in [1, 2), in units of 2^-31 */
    if (high >= 31) {
        mantissa = s >> (high - 31);
    } else {
        mantissa = s << (31 - high);
    }
    uint64_t fraction = 0; /* of log2, in units of 2^-32 */
    for (uint32_t k = 0; k < 32; k++) {
        uint64_t square = mantissa * mantissa;
        bool is_two_or_more = square >> 63 != 0;
        mantissa = square >> (is_two_or_more ? 32 : 31); /* in [1, 2) again */
        fraction = fraction << 1 | is_two_or_more;
    }
    uint64_t minus_log2 = ((uint64_t)(62 - high) << 32) - fraction; /* in units of 2^-32 */
    /* a number in units of 2^-24, times 2 ln 2 in units of 2^-32 */
    return (minus_log2 >> 8) * 5954088944u >> 32;
}

/* The polar method of Marsaglia. (x, y) is a random point in a circle of radius 1, and r is its
 * distance from the center. x / r is the cosine of a uniform angle, and s = r^2 is uniform. So the
 * result is x / r * sqrt(-2 ln s). */
double sett_random_normal(uint64_t bits)
{
    for (;; bits = sett_random_mix_(bits + 0x9E3779B97F4A7C15u)) {
        /* coordinates from -2^31 to 2^31 - 1, in units of 2^-31 */
        int64_t x = (int64_t)(bits >> 32) - ((int64_t)1 << 31);
        int64_t y = (int64_t)(bits & UINT32_MAX) - ((int64_t)1 << 31);
        uint64_t width = (uint64_t)(x < 0 ? -x : x);
        uint64_t height = (uint64_t)(y < 0 ? -y : y);
        uint64_t s = width * width + height * height;
        if (s == 0 || s >= (uint64_t)1 << 62) { /* the center, or outside of the circle */
            continue;
        }
        uint64_t cosine = (width << 31) / random_root(s);   /* |x| / r, in units of 2^-31 */
        uint64_t length = random_root(random_log(s) << 32); /* in units of 2^-28 */
        /* the product, in units of 2^-59, loses 10 bits, so that it is below 2^53 and exact */
        double result = (double)((cosine * length) >> 10) * 0x1p-49;
        return x < 0 ? -result : result;
    }
}

typedef struct random_item {
    uint64_t key;
    sett_entity entity;
} random_item;

/* The order of random_sort: by key, then by index. */
static bool random_goes_before(const random_item* a, const random_item* b)
{
    if (a->key != b->key) {
        return a->key < b->key;
    }
    return a->entity.index < b->entity.index;
}

/* Moves the item at `place` down in a heap, until neither child goes after the item. A child of an
 * item never goes after it, so the last item of the order is at place 0. */
static void random_sink(random_item* items, uint32_t place, uint32_t count)
{
    random_item item = items[place];
    for (uint32_t child = 2 * place + 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && random_goes_before(&items[child], &items[child + 1])) {
            child++;
        }
        if (!random_goes_before(&item, &items[child])) {
            break;
        }
        items[place] = items[child];
        place = child;
    }
    items[place] = item;
}

/* Sorts items by key, then by index. A heap sort takes O(n log n) in any case. */
static void random_sort(random_item* items, uint32_t count)
{
    for (uint32_t k = count / 2; k-- > 0;) { /* makes a heap: items from count / 2 on are leaves */
        random_sink(items, k, count);
    }
    for (uint32_t heap_count = count; heap_count > 1;) {
        /* the item at place 0, the last in the order, moves behind the heap; a leaf replaces it */
        random_item leaf = items[--heap_count];
        items[heap_count] = items[0];
        items[0] = leaf;
        random_sink(items, 0, heap_count);
    }
}

uint32_t sett_random_shuffle(const sett_query* given, uint64_t seed, uint64_t tick, uint32_t use,
                             sett_entity* out, uint32_t capacity)
{
    sett_query* query = setti_unconst(given); /* the plan, a cache, may be updated */
    if (SETTI_IS_NULL(query)) {
        return 0;
    }
    sett_world* world = query->world;
    uint32_t count = sett_query_count(query);
    size_t size;
    if (count == 0 || count > capacity || out == NULL) {
        return count;
    }
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return 0;
    }
    random_item* items;
    if (!setti_multiply(count, sizeof(*items), &size)) {
        return 0; /* more bytes than a size_t can count */
    }
    items = setti_world_alloc(world, size, 16, "sett_random_shuffle");
    if (items == NULL) {
        return 0;
    }
    uint32_t item_count = 0;
    SETTI_QUERY_EACH(query, b, __func__)
    {
        SETT_EACH(b, row) {
            SETTI_ASSERT(item_count < count);
            sett_entity entity = sett_batch_entity(b, row);
            items[item_count++] = (random_item){sett_random(seed, entity, tick, use), entity};
        }
    }
    random_sort(items, item_count);
    for (uint32_t k = 0; k < item_count; k++) {
        out[k] = items[k].entity;
    }
    setti_pool_free(&world->pool, items, size, 16);
    return item_count;
}
