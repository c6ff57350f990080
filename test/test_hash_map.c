/* test_hash_map.c: the hash map of a world's caches, against a plain array. */
#include "check.h"

#include "base/hash_map.h"
#include "base/platform.h"

#define KEYS 5000

static bool closed; /* the allocator rejects */

static void* map_alloc(void* user, size_t size, size_t align)
{
    (void)user;
    return closed ? NULL : setti_platform_alloc(NULL, size, align);
}

static void map_begin(setti_pool* pool, setti_hash_map* map)
{
    closed = false;
    memset(map, 0, sizeof(*map));
    setti_pool_init(pool, (sett_allocator){map_alloc, setti_platform_free, NULL, NULL}, false);
}

static void map_end(setti_pool* pool, setti_hash_map* map)
{
    setti_hash_map_deinit(pool, map);
    CHECK_EQ(pool->used_size, 0);
    CHECK_EQ(setti_hash_map_find(map, 1), SETTI_NONE);
    setti_pool_deinit(pool);
}

static void an_empty_map_finds_nothing(void)
{
    setti_pool pool;
    setti_hash_map map;
    map_begin(&pool, &map);
    CHECK_EQ(setti_hash_map_find(&map, 1), SETTI_NONE);
    CHECK_EQ(setti_hash_map_find(&map, UINT64_MAX), SETTI_NONE);
    CHECK_EQ(pool.block_size, 0);
    map_end(&pool, &map);
}

static void setting_again_replaces(void)
{
    setti_pool pool;
    setti_hash_map map;
    map_begin(&pool, &map);
    CHECK(setti_hash_map_set(&pool, &map, 77, 1));
    CHECK(setti_hash_map_set(&pool, &map, 77, 2));
    CHECK_EQ(map.count, 1);
    CHECK_EQ(setti_hash_map_find(&map, 77), 2);
    CHECK_EQ(setti_hash_map_find(&map, 78), SETTI_NONE);
    map_end(&pool, &map);
}

/* Keys as the library makes them (two numbers side by side), and as an attacker would. */
static uint64_t some_key(uint32_t pattern, uint32_t k)
{
    switch (pattern) {
    case 0:
        return k + 1;
    case 1:
        return (uint64_t)(k + 1) << 32 | (k % 7 + 1);
    case 2:
        return (uint64_t)(k + 1) << 40;
    default:
        return UINT64_MAX - k;
    }
}

static void expect_all(const setti_hash_map* map, uint32_t pattern, uint32_t count)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        uint32_t expected = k < count ? k * 3 : SETTI_NONE;
        CHECK_EQ(setti_hash_map_find(map, some_key(pattern, k)), expected);
    }
    CHECK_EQ(map->count, count);
    CHECK((uint64_t)map->count * 3 <= (uint64_t)map->capacity * 2);
}

static void it_holds_what_was_set(void)
{
    for (uint32_t pattern = 0; pattern < 4; pattern++) {
        setti_pool pool;
        setti_hash_map map;
        map_begin(&pool, &map);
        for (uint32_t k = 0; k < KEYS; k++) {
            CHECK(setti_hash_map_set(&pool, &map, some_key(pattern, k), k * 3));
            if (k % 512 == 0) {
                expect_all(&map, pattern, k + 1);
            }
        }
        expect_all(&map, pattern, KEYS);
        map_end(&pool, &map);
    }
}

static void without_memory_it_stays_as_it_is(void)
{
    setti_pool pool;
    setti_hash_map map;
    map_begin(&pool, &map);
    closed = true;
    CHECK(!setti_hash_map_set(&pool, &map, 5, 5));
    closed = false;
    uint32_t k = 0;
    bool rejected = false;
    while (!rejected && k < KEYS) {
        closed = map.capacity >= 2048;
        rejected = !setti_hash_map_set(&pool, &map, some_key(0, k), k * 3);
        k += !rejected;
    }
    CHECK(rejected);
    expect_all(&map, 0, k);
    closed = false;
    CHECK(setti_hash_map_set(&pool, &map, some_key(0, k), k * 3));
    expect_all(&map, 0, k + 1);
    map_end(&pool, &map);
}

/* The number by which an odd number has to be multiplied to give 1, by Newton's method. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int k = 0; k < 6; k++) {
        x *= 2 - odd * x;
    }
    return x;
}

/* The k-th key that begins at slot 0 of a table at an address, whatever its capacity. */
static uint64_t colliding_key(const void* address, uint32_t k)
{
    uint64_t hash = (uint64_t)(k + 1) * inverse(0xD6E8FEB86659FD93u);
    hash ^= hash >> 32;
    return (hash * inverse(0x9E3779B97F4A7C15u)) ^ (uint64_t)(uintptr_t)address;
}

/* The most slots in use side by side: a search takes at most one step more. */
static uint32_t longest_run(const setti_hash_map* map)
{
    uint32_t longest = 0;
    uint32_t run = 0;
    for (uint32_t k = 0; k < map->capacity * 2; k++) { /* twice around */
        run = map->slot[k % map->capacity].key != 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Keys that all begin at one slot of one map are spread over another. */
static void keys_that_collide_do_so_in_one_map_only(void)
{
    enum {
        OTHERS = 1400, /* a map of 4,096 slots has room for 2,730 */
        ALL = 1300
    };
    setti_pool pool;
    setti_hash_map map[2];
    map_begin(&pool, &map[0]);
    memset(&map[1], 0, sizeof(map[1]));
    for (uint32_t k = 0; k < 2 * OTHERS; k++) {
        CHECK(setti_hash_map_set(&pool, &map[k % 2], (uint64_t)k * k + 1, k));
    }
    const void* slot = map[0].slot;
    for (uint32_t k = 0; k < ALL; k++) {
        uint64_t key = colliding_key(slot, k);
        CHECK_EQ(setti_hash_home(key, 0, slot), 0);
        CHECK(setti_hash_map_set(&pool, &map[0], key, k));
        CHECK(setti_hash_map_set(&pool, &map[1], key, k));
    }
    CHECK(map[0].slot == slot);
    CHECK_EQ(map[1].capacity, map[0].capacity);
    CHECK(longest_run(&map[0]) > ALL);
    CHECK_MSG(longest_run(&map[1]) < ALL / 4, "%u", (unsigned)longest_run(&map[1]));
    for (uint32_t k = 0; k < ALL; k++) {
        CHECK_EQ(setti_hash_map_find(&map[0], colliding_key(slot, k)), k);
        CHECK_EQ(setti_hash_map_find(&map[1], colliding_key(slot, k)), k);
    }
    for (uint32_t k = 0; k < 2 * ALL; k++) { /* a map that grows gets another address */
        CHECK(setti_hash_map_set(&pool, &map[0], (uint64_t)k * k * k + 7, k));
    }
    CHECK_MSG(longest_run(&map[0]) < ALL / 4, "%u", (unsigned)longest_run(&map[0]));
    setti_hash_map_deinit(&pool, &map[1]);
    map_end(&pool, &map[0]);
}

static void hashes_of_bytes_differ(void)
{
    CHECK_EQ(setti_hash_bytes("position", 8), setti_hash_bytes("position", 8));
    CHECK(setti_hash_bytes("position", 8) != setti_hash_bytes("positiom", 8));
    CHECK(setti_hash_bytes("ab", 2) != setti_hash_bytes("ba", 2));
    CHECK(setti_hash_bytes("", 0) != 0);
    for (uint32_t k = 0; k < 1000; k++) {
        CHECK(setti_hash_bytes(&k, sizeof(k)) != 0);
    }
}

TEST_MAIN(TEST(an_empty_map_finds_nothing), TEST(setting_again_replaces),
          TEST(it_holds_what_was_set), TEST(without_memory_it_stays_as_it_is),
          TEST(keys_that_collide_do_so_in_one_map_only), TEST(hashes_of_bytes_differ))
