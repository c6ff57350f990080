/* test_sparse_set.c: the public complete sparse set, against plain arrays. */
#include "check.h"
#include "sett/sparse_set.h"

#define LIMIT 4000u

static void expect_valid(const sett_sparse_set* set)
{
    const char* reason = "";
    CHECK_MSG(sett_sparse_set_validate(set, &reason) == SETT_OK, "%s", reason);
    CHECK_STR_EQ(reason, "");
}

static void fresh_numbers_ascend_and_the_latest_removed_comes_back_first(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    uint32_t id = 99;
    CHECK(set != NULL);
    for (uint32_t k = 0; k < 3000; k++) {
        CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
        CHECK_EQ(id, k);
    }
    CHECK_EQ(sett_sparse_set_remove(set, 7), SETT_OK);
    CHECK_EQ(sett_sparse_set_remove(set, 2500), SETT_OK);
    CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
    CHECK_EQ(id, 2500);
    CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
    CHECK_EQ(id, 7);
    CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
    CHECK_EQ(id, 3000);
    expect_valid(set);
    sett_sparse_set_destroy(set);
}

static void the_last_takes_the_place_of_the_removed(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    uint32_t id;
    for (uint32_t k = 0; k < 5; k++) {
        sett_sparse_set_add(set, &id);
    }
    CHECK_EQ(sett_sparse_set_remove(set, 1), SETT_OK);
    CHECK_EQ(sett_sparse_set_at(set, 1), 4);
    CHECK_EQ(sett_sparse_set_row(set, 4), 1);
    CHECK_EQ(sett_sparse_set_at(set, 3), 3);
    CHECK_EQ(sett_sparse_set_count(set), 4);
    CHECK_EQ(sett_sparse_set_remove(set, 1), SETT_STATUS_ABSENT);
    sett_sparse_set_destroy(set);
}

static void requests_and_limits(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 1500);
    uint32_t id;
    CHECK_EQ(sett_sparse_set_request(set, 1499), SETT_OK);
    CHECK_EQ(sett_sparse_set_request(set, 1499), SETT_STATUS_PRESENT);
    CHECK_EQ(sett_sparse_set_request(set, 1500), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_sparse_set_request(set, UINT32_MAX), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_sparse_set_reserve(set, 1501), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_sparse_set_reserve(set, 1500), SETT_OK);
    CHECK(sett_sparse_set_has(set, 1499));
    CHECK(!sett_sparse_set_has(set, 0));
    CHECK(!sett_sparse_set_has(set, 1000000));
    CHECK_EQ(sett_sparse_set_remove(set, 1000000), SETT_STATUS_ABSENT);
    for (uint32_t k = 0; k < 1499; k++) {
        CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
        CHECK(id < 1500 && id != 1499);
    }
    CHECK_EQ(sett_sparse_set_add(set, &id), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_sparse_set_count(set), 1500);
    expect_valid(set);
    sett_sparse_set_destroy(set);
    sett_sparse_set_destroy(NULL);
}

static void far_numbers_cost_pages_only_where_they_are(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    CHECK_EQ(sett_sparse_set_request(set, 10000000), SETT_OK);
    CHECK_EQ(sett_sparse_set_request(set, 3), SETT_OK);
    CHECK_EQ(sett_sparse_set_at(set, 0), 10000000);
    CHECK_EQ(sett_sparse_set_at(set, 1), 3);
    uint32_t id;
    CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
    CHECK(id != 3 && id != 10000000 && sett_sparse_set_has(set, id));
    sett_sparse_set_destroy(set);
}

static void clearing_forgets_all_members(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    uint32_t id;
    for (uint32_t k = 0; k < 2000; k++) {
        sett_sparse_set_add(set, &id);
    }
    sett_sparse_set_clear(set);
    CHECK_EQ(sett_sparse_set_count(set), 0);
    CHECK(!sett_sparse_set_has(set, 0) && !sett_sparse_set_has(set, 1999));
    CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
    expect_valid(set);
    sett_sparse_set_destroy(set);
}

/* ---- Sorting --------------------------------------------------------------------------------- */

static uint32_t compared;

static int by_last_digit(uint32_t a, uint32_t b, void* user)
{
    CHECK_PTR_EQ(user, &compared);
    compared++;
    return (int)(a % 10) - (int)(b % 10);
}

static void sorting_is_stable(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    for (uint32_t k = 0; k < 1777; k++) {
        CHECK_EQ(sett_sparse_set_request(set, k * 7919 % 6007), SETT_OK);
    }
    CHECK_EQ(sett_sparse_set_sort(set, NULL, NULL), SETT_OK);
    for (uint32_t row = 1; row < 1777; row++) {
        CHECK(sett_sparse_set_at(set, row - 1) < sett_sparse_set_at(set, row));
        CHECK_EQ(sett_sparse_set_row(set, sett_sparse_set_at(set, row)), row);
    }
    CHECK_EQ(sett_sparse_set_sort(set, by_last_digit, &compared), SETT_OK);
    for (uint32_t row = 1; row < 1777; row++) {
        uint32_t a = sett_sparse_set_at(set, row - 1);
        uint32_t b = sett_sparse_set_at(set, row);
        CHECK(a % 10 < b % 10 || (a % 10 == b % 10 && a < b));
    }
    expect_valid(set);
    compared = 0;
    CHECK_EQ(sett_sparse_set_sort(set, by_last_digit, &compared), SETT_OK);
    CHECK_EQ(compared, 1776); /* sorted already: one look at each pair */
    sett_sparse_set_destroy(set);
}

static void sorting_few(void)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    CHECK_EQ(sett_sparse_set_sort(set, NULL, NULL), SETT_OK);
    sett_sparse_set_request(set, 9);
    CHECK_EQ(sett_sparse_set_sort(set, NULL, NULL), SETT_OK);
    sett_sparse_set_request(set, 4);
    CHECK_EQ(sett_sparse_set_sort(set, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_sparse_set_at(set, 0), 4);
    CHECK_EQ(sett_sparse_set_at(set, 1), 9);
    sett_sparse_set_destroy(set);
}

/* ---- At random ------------------------------------------------------------------------------- */

typedef struct naive_set {
    uint32_t dense[LIMIT]; /* members, in the order that the set should have */
    bool member[LIMIT];
    uint32_t count;
} naive_set;

static void naive_add(naive_set* naive, uint32_t id)
{
    naive->member[id] = true;
    naive->dense[naive->count++] = id;
}

static void naive_remove(naive_set* naive, uint32_t id)
{
    uint32_t row = 0;
    while (naive->dense[row] != id) {
        row++;
    }
    naive->dense[row] = naive->dense[--naive->count];
    naive->member[id] = false;
}

static void random_step(sett_sparse_set* set, naive_set* naive, uint32_t chance, uint32_t id)
{
    uint32_t given = LIMIT;
    if (chance < 40) {
        sett_status expected = naive->count == LIMIT ? SETT_STATUS_LIMIT : SETT_OK;
        CHECK_EQ(sett_sparse_set_add(set, &given), expected);
        if (expected == SETT_OK) {
            CHECK(given < LIMIT && !naive->member[given]);
            naive_add(naive, given);
        }
    } else if (chance < 60) {
        CHECK_EQ(sett_sparse_set_request(set, id),
                 naive->member[id] ? SETT_STATUS_PRESENT : SETT_OK);
        if (!naive->member[id]) {
            naive_add(naive, id);
        }
    } else {
        CHECK_EQ(sett_sparse_set_remove(set, id), naive->member[id] ? SETT_OK : SETT_STATUS_ABSENT);
        if (naive->member[id]) {
            naive_remove(naive, id);
        }
    }
    CHECK_EQ(sett_sparse_set_has(set, id), naive->member[id]);
}

static void it_is_what_plain_arrays_say(void)
{
    static naive_set naive;
    uint64_t random = check_setting("SETT_SEED", 1);
    sett_sparse_set* set = sett_sparse_set_create(NULL, LIMIT);
    memset(&naive, 0, sizeof(naive));
    for (uint32_t round = 0; round < 60000; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t chance = (uint32_t)(random >> 33) % 100;
        chance = round / 10000 % 2 == 0 ? chance * 7 / 10 : chance; /* grow, then shrink */
        random_step(set, &naive, chance, (uint32_t)(random >> 45) % LIMIT);
        if (round % 997 == 0) {
            expect_valid(set);
            CHECK_EQ(sett_sparse_set_count(set), naive.count);
            for (uint32_t row = 0; row < naive.count; row++) {
                CHECK_EQ(sett_sparse_set_at(set, row), naive.dense[row]);
                CHECK_EQ(sett_sparse_set_row(set, naive.dense[row]), row);
            }
        }
        if (round == 30000) {
            sett_sparse_set_clear(set);
            memset(&naive, 0, sizeof(naive));
        }
    }
    sett_sparse_set_destroy(set);
}

TEST_MAIN(TEST(fresh_numbers_ascend_and_the_latest_removed_comes_back_first),
          TEST(the_last_takes_the_place_of_the_removed), TEST(requests_and_limits),
          TEST(far_numbers_cost_pages_only_where_they_are), TEST(clearing_forgets_all_members),
          TEST(sorting_is_stable), TEST(sorting_few), TEST(it_is_what_plain_arrays_say))
