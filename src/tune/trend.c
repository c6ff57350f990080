/* trend.c: statistics over time, in rings of fixed size.
 *
 * Invariant:  in a ring, the span in progress follows the last complete span;
 *             a span of minutes has 60 spans of seconds
 */
#include "sett/trend.h"

#include "world/world.h"

/* Adds the span `later` to the earlier span `span`. */
static void trend_join(sett_span* span, const sett_span* later)
{
    if (span->frames == 0) {
        span->dt_min = later->dt_min;
        span->dt_max = later->dt_max;
    }
    span->time += later->time;
    span->dt_min = SETTI_MIN(span->dt_min, later->dt_min);
    span->dt_max = SETTI_MAX(span->dt_max, later->dt_max);
    span->frames += later->frames;
    span->entities = later->entities;
    span->values = later->values;
    span->block_size = later->block_size;
    span->allocations += later->allocations;
}

/* Returns the place of span number `number` in a ring. The ring has one more place than
 * SETT_TREND_SPANS, for the span in progress. */
static sett_span* trend_at(sett_span* spans, uint64_t number)
{
    return &spans[number % (SETT_TREND_SPANS + 1)];
}

/* Completes the span in progress, and begins an empty span. */
static void trend_next(sett_span* spans, uint64_t* count)
{
    ++*count;
    memset(trend_at(spans, *count), 0, sizeof(sett_span));
}

void sett_trend_add(sett_trend* trend, const sett_world* world, float dt)
{
    if (SETTI_IS_NULL(trend) || SETTI_IS_NULL(world)) {
        return;
    }
    sett_span* second = trend_at(trend->seconds, trend->second_count);
    trend_join(second, &(sett_span){.time = (double)dt, .dt_min = dt, .dt_max = dt, .frames = 1});
    if (second->time < 1) {
        return;
    }
    sett_stats stats;
    sett_world_stats(world, &stats);
    second->entities = stats.entities;
    second->values = stats.values;
    second->block_size = stats.block_size;
    second->allocations = stats.allocations - trend->allocations;
    trend->allocations = stats.allocations;
    trend_join(trend_at(trend->minutes, trend->minute_count), second);
    trend_next(trend->seconds, &trend->second_count);
    if (trend->second_count % 60 == 0) { /* a minute is complete */
        trend_next(trend->minutes, &trend->minute_count);
    }
}

/* Returns a complete span, or NULL if the ring does not have the span.
 *   ago  0 for the last complete span, 1 for the span before that span */
static const sett_span* trend_get(const sett_span* spans, uint64_t count, uint32_t ago)
{
    if (ago >= SETT_TREND_SPANS || ago >= count) {
        return NULL;
    }
    return &spans[(count - 1 - ago) % (SETT_TREND_SPANS + 1)];
}

const sett_span* sett_trend_second(const sett_trend* trend, uint32_t ago)
{
    if (SETTI_IS_NULL(trend)) {
        return NULL;
    }
    return trend_get(trend->seconds, trend->second_count, ago);
}

const sett_span* sett_trend_minute(const sett_trend* trend, uint32_t ago)
{
    if (SETTI_IS_NULL(trend)) {
        return NULL;
    }
    return trend_get(trend->minutes, trend->minute_count, ago);
}
