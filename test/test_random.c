/* test_random.c: random numbers by entity and frame, and columns of queries copied out and in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/sett.h"
#include "worlds.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Mass {
    double kg;
} Mass;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Position) COMPONENT(Mass, .storage = SETT_STORAGE_SPARSE_SET) TAG(Still)
SETT_COMPONENTS(KINDS)

static sett_entity handle(uint32_t index, uint32_t generation)
{
    return (sett_entity){index, generation};
}

/* The bits of all functions: what any machine and compiler must return. */
static void numbers_are_pinned(void)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 100000; k++) {
        uint64_t bits = sett_random(7, handle(k, 1 + k % 3), k / 10, k % 5);
        CHECK_EQ(sett_random_of(sett_random_key(7, k / 10, k % 5), handle(k, 1 + k % 3)), bits);
        double values[2] = {sett_random_uniform(bits), sett_random_normal(bits)};
        uint64_t raw[2];
        memcpy(raw, values, sizeof(raw));
        sum = sum * 31 + bits;
        sum = sum * 31 + sett_random_range(bits, k);
        sum = (sum * 31 + raw[0]) * 31 + raw[1];
    }
    CHECK_EQ(sum, 7305917139238698759u);
    CHECK_EQ(sett_random_range(UINT64_MAX, 6), 5);
    CHECK_EQ(sett_random_range(0, 6), 0);
    CHECK_EQ(sett_random_range(UINT64_MAX, 0), 0);
    CHECK(sett_random_uniform(UINT64_MAX) < 1 && sett_random_uniform(0) == 0);
}

/* Each argument counts, and neighbours have nothing in common. */
static void each_argument_counts(void)
{
    uint64_t differ[4] = {0, 0, 0, 0};
    uint32_t flips[64] = {0};
    enum {
        ROUNDS = 4096
    };
    for (uint32_t k = 0; k < ROUNDS; k++) {
        uint64_t base = sett_random(k, handle(k, 1), k, k);
        const uint64_t other[4] = {
            sett_random(k + 1, handle(k, 1), k, k), sett_random(k, handle(k + 1, 1), k, k),
            sett_random(k, handle(k, 1), k + 1, k), sett_random(k, handle(k, 2), k, k + 1)};
        for (uint32_t n = 0; n < 4; n++) {
            differ[n] |= base ^ other[n];
            for (uint32_t bit = 0; bit < 64; bit++) {
                flips[bit] += (base ^ other[n]) >> bit & 1;
            }
        }
    }
    for (uint32_t bit = 0; bit < 64; bit++) { /* 8,192 and 5 deviations of 64 */
        CHECK(flips[bit] > 8192 - 320 && flips[bit] < 8192 + 320);
    }
    CHECK(differ[0] == UINT64_MAX && differ[1] == UINT64_MAX && differ[2] == UINT64_MAX &&
          differ[3] == UINT64_MAX);
}

/* The density of the normal distribution, without libm. */
static double bell(double x)
{
    double y = 1 - x * x / 2 / 1048576;
    for (uint32_t k = 0; k < 20; k++) {
        y *= y;
    }
    return y * 0.3989422804014327;
}

static bool is_near(double x, double wanted, double by)
{
    return x > wanted - by && x < wanted + by;
}

static void normal_numbers_have_their_distribution(void)
{
    enum {
        COUNT = 400000,
        CELLS = 40
    };
    static uint32_t cell[CELLS + 2];
    double moment[5] = {0, 0, 0, 0, 0};
    for (uint32_t k = 0; k < COUNT; k++) {
        double x = sett_random_normal(sett_random(3, handle(k, 1), 0, 0));
        double power = 1;
        for (uint32_t n = 1; n < 5; n++) {
            power *= x;
            moment[n] += power / COUNT;
        }
        double at = (x + 4) * CELLS / 8 + 1;
        cell[at < 1 ? 0 : at >= CELLS + 1 ? CELLS + 1 : (uint32_t)at]++;
    }
    CHECK(is_near(moment[1], 0, 0.01) && is_near(moment[2], 1, 0.01));
    CHECK(is_near(moment[3], 0, 0.02) && is_near(moment[4], 3, 0.06));
    double chi = 0;
    for (uint32_t k = 1; k <= CELLS; k++) {
        double width = 8.0 / CELLS;
        double low = (k - 1) * width - 4;
        double expected =
            COUNT * width / 6 * (bell(low) + 4 * bell(low + width / 2) + bell(low + width));
        chi += (cell[k] - expected) * (cell[k] - expected) / expected;
    }
    CHECK_MSG(chi < 80, "chi squared of 40 cells: %g", chi);
}

/* The order is that of the numbers, whatever the storages, and has each entity once. */
static void a_shuffle_depends_on_who_matches_only(void)
{
    enum {
        COUNT = 3000
    };
    static sett_entity order[2][COUNT];
    for (uint32_t way = 0; way < 2; way++) {
        sett_world* world = quiet_world();
        CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
        for (uint32_t k = 0; k < COUNT; k++) {
            uint32_t index = way == 0 ? k : COUNT - 1 - k;
            CHECK_EQ(sett_entity_create_handle(world, handle(index, 1)), SETT_OK);
            CHECK(SETT_SET(world, handle(index, 1), Mass, .kg = index) != NULL);
        }
        sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Mass));
        CHECK_EQ(sett_random_shuffle(query, 5, 9, 1, order[way], 10), COUNT);
        CHECK_EQ(order[way][0].generation, 0);
        CHECK_EQ(sett_random_shuffle(query, 5, 9, 1, order[way], COUNT), COUNT);
        CHECK_END(world);
    }
    CHECK(memcmp(order[0], order[1], sizeof(order[0])) == 0);
    static bool seen[COUNT];
    uint32_t fixed = 0;
    uint64_t last = 0;
    for (uint32_t k = 0; k < COUNT; k++) {
        uint64_t key = sett_random(5, order[0][k], 9, 1);
        CHECK(!seen[order[0][k].index] && key >= last);
        seen[order[0][k].index] = true;
        fixed += order[0][k].index == k;
        last = key;
    }
    CHECK(fixed < 10);
}

static void columns_are_copied_out_and_in(void)
{
    enum {
        COUNT = 2500
    };
    static Position out[COUNT];
    static double mass[COUNT];
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    uint32_t matches = 0;
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Position, .x = (float)k));
        if (k % 3 == 0) {
            CHECK(SETT_SET(world, e, Mass, .kg = k) != NULL);
        }
        if (k % 7 == 0) {
            CHECK(SETT_ADD_TAG(world, e, Still));
        }
        matches += k % 7 != 0;
    }
    sett_query* query =
        SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_OPTIONAL(Mass), SETT_WITHOUT(Still));
    CHECK_EQ(sett_query_read(query, 0, NULL, 0), matches);
    CHECK_EQ(sett_query_read(query, 0, out, 100), matches);
    CHECK(out[99].x != 0 && out[100].x == 0);
    CHECK_EQ(sett_query_read(query, 0, out, COUNT), matches);
    CHECK_EQ(sett_query_read(query, 1, mass, COUNT), matches);
    uint32_t at = 0;
    SETT_FOR(query, b, i) {
        CHECK(out[at].x == SETT_FIELD(b, 0, Position)[i].x);
        uint32_t k = (uint32_t)out[at].x;
        CHECK(mass[at] == (k % 3 == 0 ? k : 0));
        at++;
    }
    for (uint32_t k = 0; k < matches; k++) {
        out[k].y = out[k].x * 2;
    }
    CHECK_EQ(sett_query_write(query, 0, out, 1000), matches);
    at = 0;
    SETT_FOR(query, b, i) {
        const Position* p = &SETT_FIELD(b, 0, Position)[i];
        CHECK(p->y == (at < 1000 ? p->x * 2 : 0));
        at++;
    }
    CHECK_EQ(sett_query_write(query, 1, mass, matches), 0); /* a term to read */
    CHECK_EQ(sett_query_read(query, 2, mass, matches), 0);  /* no field */
    CHECK_EQ(sett_query_read(query, 9, mass, matches), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

TEST_MAIN(TEST(numbers_are_pinned), TEST(each_argument_counts),
          TEST(normal_numbers_have_their_distribution), TEST(a_shuffle_depends_on_who_matches_only),
          TEST(columns_are_copied_out_and_in))
