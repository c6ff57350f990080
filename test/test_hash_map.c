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
    setti_pool_init(pool, (sett_allocator){map_alloc, setti_platform_free, NULL}, false);
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
          TEST(hashes_of_bytes_differ))
