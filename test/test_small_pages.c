/* test_small_pages.c: a world with small pages does what any other does, and takes less memory. */
#include "chance.h"
#include "states.h"
#include "worlds.h"

typedef struct Spot {
    int32_t x, y;
} Spot;
typedef struct Large {
    uint32_t part[90];
} Large;
typedef struct Owner {
    uint32_t* count;
} Owner;

#define SMALL_TYPES(COMPONENT, TAG) COMPONENT(Spot, .track_rows = true) COMPONENT(Large) TAG(Seen)
SETT_COMPONENTS(SMALL_TYPES)

enum {
    FAR = 20000,
    STEPS = 3000
};

static sett_component rare, owner; /* a sparse set, and values that own memory */

static void owner_init(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        ((Owner*)values)[k].count = calloc(1, sizeof(uint32_t));
        CHECK(((Owner*)values)[k].count != NULL);
    }
}

static void owner_deinit(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        free(((Owner*)values)[k].count);
    }
}

static void owner_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        *((Owner*)to)[k].count = *((const Owner*)from)[k].count;
    }
}

static sett_world* begin(bool small_pages)
{
    sett_world* world = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .small_pages = small_pages});
    CHECK(world != NULL);
    CHECK_EQ(SETT_REGISTER_ALL(world, SMALL_TYPES), SETT_OK);
    rare = sett_component_register(
        world, &(sett_component_desc){
                   .name = "Rare", .size = 8, .align = 4, .storage = SETT_STORAGE_SPARSE_SET});
    owner = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Owner), .save = SETT_SAVE_CLONE, .init = owner_init,
                                      .copy = owner_copy, .deinit = owner_deinit});
    CHECK(rare != 0 && owner != 0);
    return world;
}

/* One random change, the same in each world that gets this number. */
static void change(sett_world* world, uint64_t draw)
{
    const sett_entity at = {(uint32_t)(draw % FAR), 1};
    if (!sett_entity_valid(world, at)) {
        (void)sett_entity_create_handle(world, at);
        return;
    }
    const uint32_t number = (uint32_t)(draw >> 32);
    const uint32_t pair[2] = {number, number + 1};
    switch (draw / FAR % 7) {
    case 0:
        SETT_SET(world, at, Spot, (int32_t)number, 1);
        break;
    case 1:
        SETT_SET(world, at, Large, .part = {number, [89] = number});
        break;
    case 2:
        sett_set(world, at, rare, pair);
        break;
    case 3:
        sett_add(world, at, owner);
        *((Owner*)sett_get_mut(world, at, owner))->count += number;
        break;
    case 4:
        sett_remove(world, at, draw % 2 != 0 ? Spot_id : rare);
        break;
    case 5:
        SETT_ADD_TAG(world, at, Seen);
        break;
    default:
        (void)sett_entity_clear(world, at);
        break;
    }
}

static uint64_t check_counts(sett_world* world)
{
    uint64_t sum = 0;
    uint32_t cursor = 0;
    for (sett_entity at; !sett_is_null(at = sett_entity_next(world, &cursor));) {
        const Owner* value = sett_find(world, at, owner);
        sum += value != NULL ? *value->count + at.index : 0;
    }
    return sum;
}

static void it_is_as_any_other_world(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    sett_world *one = begin(false), *two = begin(true);
    sett_snapshot before[2];
    uint64_t hash = 0, sum = 0;
    for (uint32_t k = 0; k < STEPS; k++) {
        const uint64_t draw = chance_draw(&chance) % 40 * 487 + chance_draw(&chance) % 7 * FAR +
                              (chance_draw(&chance) << 32);
        change(one, draw);
        change(two, draw);
        if (k % 300 == 100) {
            before[0] = take(one), before[1] = take(two);
            hash = sett_world_hash(one), sum = check_counts(one);
        } else if (k % 300 == 200) {
            CHECK_SAME(one, two);
            CHECK_EQ(check_counts(one), check_counts(two));
            CHECK_EQ(sett_snapshot_restore(one, before[0]), SETT_OK);
            CHECK_EQ(sett_snapshot_restore(two, before[1]), SETT_OK);
            CHECK_EQ(sett_world_hash(two), hash);
            CHECK_EQ(check_counts(two), sum);
            CHECK_EQ(sett_snapshot_drop(one, before[0]), SETT_OK);
            CHECK_EQ(sett_snapshot_drop(two, before[1]), SETT_OK);
        }
    }
    CHECK_SAME(one, two);
    CHECK_EQ(sett_component_convert(two, Spot_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_EQ(sett_component_convert(two, rare, SETT_STORAGE_ARRAY), SETT_OK);
    CHECK_EQ(sett_world_hash(one), sett_world_hash(two));
    CHECK_END(two);
    CHECK_END(one);
}

/* A copy has pages as large as those of the original. */
static void copies_lead_both_ways(void)
{
    for (uint32_t small = 0; small < 2; small++) {
        uint64_t chance = 5;
        sett_world *from = begin(small != 0), *into = begin(small == 0);
        sett_query* spots = SETT_QUERY_CREATE(into, SETT_IN(Spot));
        for (uint32_t k = 0; k < 500; k++) {
            change(into, chance_draw(&chance));
        }
        for (uint32_t k = 0; k < STEPS; k++) {
            change(from, chance_draw(&chance) % 40 * 487 + chance_draw(&chance) % 6 * FAR);
        }
        CHECK_EQ(sett_world_clone(from, into), SETT_OK);
        CHECK_SAME(from, into);
        CHECK_EQ(check_counts(from), check_counts(into));
        uint32_t found = 0, cursor = 0;
        for (sett_entity at; !sett_is_null(at = sett_entity_next(from, &cursor));) {
            found += SETT_HAS(from, at, Spot);
        }
        CHECK_EQ(sett_query_count(spots), found);
        change(into, 487);
        CHECK_EQ(sett_world_clone(into, from), SETT_OK);
        CHECK_SAME(from, into);
        CHECK_END(into);
        CHECK_END(from);
    }
}

/* 60 entities far apart, and eight snapshots, in each of which some values differ. */
static size_t memory_of(bool small_pages)
{
    sett_world* world = begin(small_pages);
    CHECK_EQ(sett_component_convert(world, Spot_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    for (uint32_t k = 0; k < 60; k++) {
        change(world, k * 17 % 1000);
        SETT_SET(world, ((sett_entity){k * 17 % 1000, 1}), Spot, 1, (int32_t)k);
    }
    for (uint32_t k = 0; k < 8; k++) {
        (void)take(world);
        for (uint32_t n = k; n < 60; n += 5) {
            SETT_GET_MUT(world, ((sett_entity){n * 17 % 1000, 1}), Spot)->x += 1;
        }
    }
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK_END(world);
    return stats.block_size;
}

static void it_takes_little_memory(void)
{
    const size_t usual = memory_of(false), small = memory_of(true);
    CHECK_MSG(small < 80000 && small * 3 < usual, "%u of %u bytes", (unsigned)small,
              (unsigned)usual);
}

static size_t block_size(const sett_world* world)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.block_size;
}

/* What was a large piece is used for small ones before the world takes more. */
static void large_pieces_become_small_ones(void)
{
    enum {
        PIECES = 8
    };
    sett_world* world = begin(true);
    void* large[PIECES];
    void* small[PIECES * 10];
    for (uint32_t k = 0; k < PIECES; k++) {
        large[k] = sett_world_alloc(world, 11000, 16);
        CHECK(large[k] != NULL);
    }
    const size_t before = block_size(world);
    for (uint32_t k = 0; k < PIECES; k++) {
        CHECK_EQ(sett_world_release(world, large[k], 11000, 16), SETT_OK);
    }
    for (uint32_t k = 0; k < PIECES * 10; k++) {
        small[k] = sett_world_alloc(world, 1000, 16);
        CHECK(small[k] != NULL);
        memset(small[k], 0xA5, 1000);
    }
    CHECK_EQ(block_size(world), before);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    for (uint32_t k = 0; k < PIECES * 10; k++) {
        CHECK_EQ(sett_world_release(world, small[k], 1000, 16), SETT_OK);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(large_pieces_become_small_ones), TEST(it_is_as_any_other_world),
          TEST(copies_lead_both_ways), TEST(it_takes_little_memory))
