/* test_trend.c: statistics of the last seconds and minutes. */
#include "sett/trend.h"
#include "worlds.h"

/* Two hours of four frames a second, of which each second's first is longer. */
static void seconds_and_minutes_go_by(void)
{
    const float longest = 0.4f, usual = 0.25f; /* without a register's excess precision */
    static sett_trend trend;
    sett_world* world = quiet_world();
    CHECK(sett_trend_second(&trend, 0) == NULL && sett_trend_minute(&trend, 0) == NULL);
    for (uint32_t second = 0; second < 7200; second++) {
        for (uint32_t frame = 0; frame < 4; frame++) {
            CHECK(frame == 0 || second != 0 || sett_trend_second(&trend, 0) == NULL);
            sett_trend_add(&trend, world, frame == 0 ? longest : usual);
        }
        CHECK(!sett_is_null(sett_entity_create(world)));
        const sett_span* last = sett_trend_second(&trend, 0);
        CHECK(last != NULL && last->frames == 4 && last->entities == second);
        CHECK(last->dt_min == usual && last->dt_max == longest && last->time > 1.1);
        CHECK_EQ(sett_trend_minute(&trend, 0) != NULL, second >= 59);
    }
    CHECK_EQ(sett_trend_second(&trend, 59)->entities, 7199 - 59);
    CHECK(sett_trend_second(&trend, 60) == NULL && sett_trend_minute(&trend, 60) == NULL);
    for (uint32_t ago = 0; ago < 60; ago++) {
        const sett_span* minute = sett_trend_minute(&trend, ago);
        CHECK_EQ(minute->frames, 240);
        CHECK_EQ(minute->entities, 7199 - 60 * ago);
        CHECK(minute->time > 68.9 && minute->time < 69.1 && minute->dt_max == longest);
    }
    sett_stats stats;
    uint64_t allocations = 0;
    sett_world_stats(world, &stats);
    for (uint32_t ago = 0; ago < 60; ago++) {
        allocations += sett_trend_minute(&trend, ago)->allocations;
    }
    CHECK(allocations <= stats.allocations);
    CHECK_EQ(sett_trend_second(&trend, 0)->block_size, stats.block_size);
    CHECK_END(world);
}

TEST_MAIN(TEST(seconds_and_minutes_go_by))
