/* test_summary.c: the summary of words of bits, against a plain array.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "check.h"

#include "store/summary.h"

#define NUMBERS 300000u

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

typedef struct naive {
    bool out[NUMBERS]; /* not a member */
} naive;

static uint32_t naive_next(const naive* n, uint32_t from, uint32_t skip)
{
    for (; from < NUMBERS; from++) {
        if (!n->out[from] && skip-- == 0) {
            return from;
        }
    }
    return from + skip;
}

static void expect_same(const naive* n, const setti_summary* summary, uint32_t covered)
{
    const char* reason = setti_summary_validate(summary);
    CHECK_MSG(reason == NULL, "%s", reason);
    for (uint32_t k = 0; k < 20; k++) {
        uint32_t from = below(covered + 100);
        uint32_t skip = below(2) == 0 ? below(5) : below(2000);
        CHECK_EQ(setti_summary_has(summary, from), !n->out[from]);
        CHECK_EQ(setti_summary_next(summary, from), naive_next(n, from, 0));
        CHECK_EQ(setti_summary_skip(summary, from, skip), naive_next(n, from, skip));
    }
    CHECK_EQ(setti_summary_next(summary, 0), naive_next(n, 0, 0));
}

/* Members come and go, singly and in stretches, while ever more numbers are covered. */
static void members_are_found(void)
{
    enum {
        ROUNDS = CHECK_ROUNDS(2000)
    };
    static naive n;
    chance_state = check_setting("SETT_SEED", 1);
    memset(&n, 0, sizeof(n));
    setti_pool pool;
    setti_summary summary;
    setti_pool_init(&pool, setti_allocator_or_default(NULL), false);
    setti_summary_init(&summary);
    CHECK_EQ(setti_summary_next(&summary, 77), 77);
    CHECK_EQ(setti_summary_skip(&summary, 77, 5), 82);
    uint32_t covered = 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (below(ROUNDS / 80) == 0) {
            covered = SETTI_MIN(covered * 2 + below(50), NUMBERS - 5000);
        }
        CHECK(setti_summary_reserve(&pool, &summary, covered));
        uint32_t first = below(covered);
        uint32_t count = 1 + below(below(4) == 0 ? covered - first : 3);
        bool out = below(3) != 0;
        for (uint32_t k = first; k < SETTI_MIN(first + count, covered); k++) {
            n.out[k] = out;
            if (out) {
                setti_summary_remove(&summary, k);
            } else {
                setti_summary_add(&summary, k);
            }
        }
        expect_same(&n, &summary, covered);
    }
    CHECK_EQ(summary.levels, 4);
    setti_summary_deinit(&pool, &summary);
    CHECK_EQ(setti_summary_next(&summary, 0), 0);
    CHECK(setti_pool_validate(&pool) == NULL);
    setti_pool_deinit(&pool);
}

/* As many numbers as there can be: all five levels. */
static void very_many_numbers_are_covered(void)
{
    setti_pool pool;
    setti_summary summary;
    setti_pool_init(&pool, setti_allocator_or_default(NULL), false);
    setti_summary_init(&summary);
    const uint32_t most = (uint32_t)1 << 26;
    CHECK(setti_summary_reserve(&pool, &summary, most));
    CHECK_EQ(summary.levels, 5);
    for (uint32_t k = 0; k < most; k++) {
        setti_summary_remove(&summary, k);
    }
    CHECK_EQ(setti_summary_next(&summary, 0), most);
    setti_summary_add(&summary, most - 1);
    setti_summary_add(&summary, 40000000);
    CHECK_EQ(setti_summary_next(&summary, 5), 40000000);
    CHECK_EQ(setti_summary_skip(&summary, 0, 1), most - 1);
    CHECK_EQ(setti_summary_skip(&summary, 40000001, 3), most + 2);
    CHECK(setti_summary_validate(&summary) == NULL);
    setti_summary_deinit(&pool, &summary);
    setti_pool_deinit(&pool);
}

TEST_MAIN(TEST(members_are_found), TEST(very_many_numbers_are_covered))
