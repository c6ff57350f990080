/* test_key_order.c: pairs in order, against an array that counts them. */
#include "check.h"

#include "chance.h"
#include "scarce.h"
#include "search/key_order.h"

enum {
    KEYS = 40,
    NUMBERS = 100,
    PAIRS = KEYS * NUMBERS
};

static uint64_t state;
static uint8_t copies[PAIRS];

/* Far apart and close together. */
static uint64_t key_of(uint32_t pair)
{
    uint64_t key = pair / NUMBERS;
    return key % 2 == 0 ? key << 55 : (key - 1) << 55 | 1;
}

/* All pairs, from several places on. */
static void order_compare(const setti_key_order* order)
{
    setti_key_place at = setti_key_order_seek(order, 0, 0);
    const setti_key_place first = at;
    uint32_t before = 0;
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        uint32_t number = pair % NUMBERS;
        setti_key_place place = setti_key_order_seek(order, key_of(pair), number);
        CHECK_EQ(place.part, at.part);
        CHECK_EQ(place.row, at.row);
        CHECK_EQ(setti_key_order_between(order, first, place), before);
        setti_key_place skipped = setti_key_order_skip(order, first, before);
        CHECK_EQ(skipped.part, at.part);
        CHECK_EQ(skipped.row, at.row);
        for (uint32_t copy = 0; copy < copies[pair]; copy++, before++) {
            CHECK_EQ(order->part[at.part].chunk->key[at.row], key_of(pair));
            CHECK_EQ(setti_key_order_take(order, &at), number);
        }
    }
    CHECK_EQ(at.part, order->part_count);
    CHECK_EQ(at.row, 0);
    for (uint32_t k = 0; k + 1 < order->part_count; k++) { /* no memory for nothing */
        CHECK(order->part[k].count != 0);
        CHECK(order->part[k].count + order->part[k + 1].count > SETTI_KEY_ROWS / 2);
    }
}

static void order_build(setti_pool* pool, setti_key_order* order)
{
    static setti_key_pair pair[4 * PAIRS];
    uint32_t count = 0;
    for (uint32_t k = 0; k < PAIRS; k++) {
        for (uint32_t copy = 0; copy < copies[k]; copy++) {
            uint32_t at = chance_below(&state, count + 1); /* in any order */
            pair[count++] = pair[at];
            pair[at] = (setti_key_pair){key_of(k), k % NUMBERS};
        }
    }
    CHECK(setti_key_order_build(pool, order, pair, pair + count, count));
}

static void pairs_stay_in_order(void)
{
    state = check_setting("SETT_SEED", 1);
    uint32_t operations = (uint32_t)check_setting("SETT_OPERATIONS", CHECK_ROUNDS(100000));
    sett_world* world = quiet_world();
    setti_key_order order = {0};
    memset(copies, 0, sizeof(copies));
    for (uint32_t k = 0; k < operations; k++) {
        uint32_t pair = chance_below(&state, PAIRS);
        uint32_t wanted = k / 10000 % 3; /* mostly added, or removed */
        if (chance_below(&state, 3) < wanted ? copies[pair] != 0 : copies[pair] == 2) {
            setti_key_order_remove(&world->pool, &order, key_of(pair), pair % NUMBERS);
            copies[pair]--;
        } else if (copies[pair] < 2) {
            CHECK(setti_key_order_add(&world->pool, &order, key_of(pair), pair % NUMBERS));
            copies[pair]++;
        }
        if (k % 2500 == 0) {
            order_compare(&order);
        }
        if (k % 20011 == 20010) {
            order_build(&world->pool, &order);
            order_compare(&order);
        }
    }
    for (uint32_t pair = 0; pair < PAIRS; pair++) { /* all go */
        for (; copies[pair] != 0; copies[pair]--) {
            setti_key_order_remove(&world->pool, &order, key_of(pair), pair % NUMBERS);
        }
    }
    order_compare(&order);
    CHECK_EQ(order.part_count, 0);
    setti_key_order_deinit(&world->pool, &order);
    CHECK_END(world);
}

TEST_MAIN(TEST(pairs_stay_in_order))
