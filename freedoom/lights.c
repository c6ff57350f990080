/* lights.c - the systems that change the light of sectors, and what makes them do it. See
 * systems.h. */
#include "lights.h"

#include "systems.h"

#define GLOW_STEP 8u        /* a tick */
#define FLICKER_INTERVAL 4u /* ticks */
#define FLICKER_STEP 16u

/* --- blink ------------------------------------------------------------------------------------ */

static uint8_t blink_time(const Simulation* sim, sett_entity self, const Blink* blink, bool bright)
{
    uint8_t time = bright ? blink->bright : blink->dark;
    return blink->random ? (uint8_t)(1 + simulation_roll(sim, self, DICE_LIGHT, time)) : time;
}

static void blink_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Blink* blink = sett_batch_field(b, 0);
        Light* light = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            if (--blink[i].left == 0) {
                bool bright = light[i].level != blink[i].high;
                light[i].level = bright ? blink[i].high : blink[i].low;
                blink[i].left = blink_time(job.sim, sett_batch_entity(b, i), &blink[i], bright);
            }
        }
    }
}

const sett_system_desc system_blink = {
    .name = "blink",
    .run = blink_run,
    .terms = {SETT_INOUT(Blink), SETT_INOUT(Light)},
};

/* --- glow ------------------------------------------------------------------------------------- */

static void glow_run(sett_context* context)
{
    SETT_SYSTEM_EACH(context, b) {
        Glow* glow = sett_batch_field(b, 0);
        Light* light = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            int32_t step = glow[i].rises ? (int32_t)GLOW_STEP : -(int32_t)GLOW_STEP;
            light[i].level = (uint8_t)fixed_clamp(light[i].level + step, glow[i].low, glow[i].high);
            if (light[i].level == (glow[i].rises ? glow[i].high : glow[i].low)) {
                glow[i].rises = !glow[i].rises;
            }
        }
    }
}

const sett_system_desc system_glow = {
    .name = "glow",
    .run = glow_run,
    .terms = {SETT_INOUT(Glow), SETT_INOUT(Light)},
};

/* --- flicker ---------------------------------------------------------------------------------- */

static void flicker_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Flicker* flicker = sett_batch_field(b, 0);
        Light* light = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            if (simulation_is_due(job.sim, self, FLICKER_INTERVAL)) {
                int32_t less =
                    (int32_t)(FLICKER_STEP * simulation_roll(job.sim, self, DICE_LIGHT, 4));
                light[i].level = (uint8_t)fixed_max(flicker[i].high - less, flicker[i].low);
            }
        }
    }
}

const sett_system_desc system_flicker = {
    .name = "flicker",
    .run = flicker_run,
    .terms = {SETT_IN(Flicker), SETT_INOUT(Light)},
};

/* --- what a sector's number means ------------------------------------------------------------- */

/* The darkest of a sector and its neighbours. */
static uint8_t lights_darkest_around(const Level* level, uint32_t sector)
{
    uint16_t darkest = level->map.sectors[sector].light;
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        const LevelLine* line = &level->lines[i];
        if (line->back != LEVEL_NO_SECTOR && (line->front == sector || line->back == sector)) {
            uint16_t other = line->front == sector ? line->back : line->front;
            uint16_t light = level->map.sectors[other].light;
            darkest = light < darkest ? light : darkest;
        }
    }
    return lights_level(darkest);
}

/* Numbers of sectors whose light changes. */
enum {
    LIGHTS_RANDOM = 1,
    LIGHTS_FAST = 2,
    LIGHTS_SLOW = 3,
    LIGHTS_FAST_AND_BURNING = 4,
    LIGHTS_GLOWING = 8,
    LIGHTS_SLOW_TOGETHER = 12,
    LIGHTS_FAST_TOGETHER = 13,
    LIGHTS_FLICKERING = 17
};

/* Rooms that do not blink together begin each at its own time. */
static void lights_set_up_blink(Simulation* sim, sett_entity entity, uint16_t special, Blink blink)
{
    bool together = special == LIGHTS_SLOW_TOGETHER || special == LIGHTS_FAST_TOGETHER;
    bool slow = special == LIGHTS_SLOW || special == LIGHTS_SLOW_TOGETHER;
    blink.left = (uint8_t)(together ? 1 : 1 + simulation_roll(sim, entity, DICE_LIGHT, 8));
    blink.random = special == LIGHTS_RANDOM;
    blink.dark = blink.random ? 7 : slow ? 35 : 15;
    blink.bright = blink.random ? 64 : 5;
    if (!blink.random && blink.low == blink.high) {
        blink.low = 0; /* among equals it goes black */
    }
    sett_set(sim->world, entity, Blink_id, &blink);
}

void lights_set_up(Simulation* sim, sett_entity entity, const Level* level, uint32_t number)
{
    uint16_t special = level->map.sectors[number].special;
    bool changes = (special >= LIGHTS_RANDOM && special <= LIGHTS_FAST_AND_BURNING) ||
                   special == LIGHTS_GLOWING || special == LIGHTS_SLOW_TOGETHER ||
                   special == LIGHTS_FAST_TOGETHER || special == LIGHTS_FLICKERING;
    if (!changes) {
        return;
    }
    uint8_t high = lights_level(level->map.sectors[number].light);
    uint8_t low = lights_darkest_around(level, number);
    if (special == LIGHTS_GLOWING) {
        SETT_SET(sim->world, entity, Glow, .low = low, .high = high);
    } else if (special == LIGHTS_FLICKERING) {
        low = (uint8_t)fixed_min(low + (int32_t)FLICKER_STEP, high);
        SETT_SET(sim->world, entity, Flicker, .low = low, .high = high);
    } else {
        lights_set_up_blink(sim, entity, special, (Blink){.low = low, .high = high});
    }
}
