/* test_inspect.c - the inspector on a real game: who wrote 1,000 values, against hashes of these
 * values taken after each step; what its stream costs on all maps. */
#include "battle.h"

#include "compressor.h"
#include "sett_inspector.h"
#include "timing.h"

#define FRAMES 70
#define ASKED 1000
#define SEEN 4096 /* indices that are looked at */
#define TYPES 4

static const sett_component watched[TYPES] = {Position_id, Health_id, Walk_id, Heights_id};

typedef struct Written {
    sett_entity entity;
    sett_component component;
    uint64_t frame;
    const sett_system* system; /* NULL: none */
    bool commands;
} Written;

typedef struct Watch {
    Simulation sim;
    sett_inspector* inspector;
    uint64_t frame;
    uint64_t hash[SEEN][TYPES]; /* 0: it does not have the component */
    Written last[SEEN][TYPES];  /* who changed it in this frame */
    Written* written;
    uint32_t count;
    inspector_text message; /* of this frame */
} Watch;

static Watch w;

static uint64_t watch_hash(sett_entity entity, sett_component component)
{
    sett_component_desc desc;
    const unsigned char* value = sett_find(w.sim.world, entity, component);
    uint64_t hash = 14695981039346656037u;
    if (value == NULL || sett_component_describe(w.sim.world, component, &desc) != SETT_OK) {
        return 0;
    }
    for (size_t k = 0; k < desc.size; k++) {
        hash = (hash ^ value[k]) * 1099511628211u;
    }
    return hash ^ entity.generation;
}

static void watch_step(sett_world* world, sett_system* system, bool commands, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < SEEN; k++) {
        sett_entity entity = sett_entity_at(world, k);
        for (uint32_t t = 0; t < TYPES; t++) {
            uint64_t hash = sett_is_null(entity) ? 0 : watch_hash(entity, watched[t]);
            if (hash != w.hash[k][t]) {
                w.last[k][t] = (Written){entity, watched[t], w.frame + 1, system, commands};
                w.hash[k][t] = hash;
            }
        }
    }
}

static void watch_run(void* user)
{
    (void)user;
    CHECK_EQ(sett_progress(w.sim.world, 1.0f / SIMULATION_TICKS_A_SECOND), SETT_OK);
    simulation_reload(&w.sim);
}

static void watch_restored(void* user)
{
    (void)user;
    simulation_reload(&w.sim);
}

static void watch_frame(void)
{
    memset(w.last, 0, sizeof(w.last));
    CHECK_EQ(sett_schedule_watch(w.sim.world, watch_step, NULL), SETT_OK);
    watch_run(NULL);
    CHECK_EQ(sett_schedule_watch(w.sim.world, NULL, NULL), SETT_OK);
    w.frame++;
    for (uint32_t k = 0; k < SEEN; k++) {
        for (uint32_t t = 0; t < TYPES; t++) {
            /* what is there at the end, and was written by a system */
            if (w.last[k][t].frame != 0 && w.last[k][t].system != NULL && w.hash[k][t] != 0) {
                w.written[w.count++] = w.last[k][t];
            }
        }
    }
}

static void writers_of_a_battle_are_found(void)
{
    static const char* const maps[] = {"E1M1"};
    char body[256];
    char expected[128];
    uint32_t by_commands = 0;
    battle_start(&w.sim, maps, 1, 1, 1);
    w.written = malloc((size_t)FRAMES * SEEN * TYPES * sizeof(*w.written));
    CHECK(w.written != NULL);
    w.inspector = sett_inspector_open(w.sim.world, &(sett_inspector_desc){
                                                       .no_server = true,
                                                       .frame_rate = 10,
                                                       .run_frame = watch_run,
                                                       .restored = watch_restored,
                                                   });
    CHECK(w.inspector != NULL);
    watch_step(w.sim.world, NULL, false, NULL);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        CHECK_EQ(sett_inspector_frame(w.inspector), 1);
        watch_frame();
    }
    CHECK_EQ(sett_inspector_frame(w.inspector), 1);
    uint64_t hash = sett_world_hash(w.sim.world);
    CHECK(w.count >= ASKED);
    for (uint32_t k = 0; k < ASKED; k++) {
        const Written* at = &w.written[(uint64_t)k * w.count / ASKED];
        (void)snprintf(
            body, sizeof(body),
            "{\"do\":\"writer\",\"entity\":\"#%u:%u\",\"component\":\"%s\",\"frame\":%u}",
            (unsigned)at->entity.index, (unsigned)at->entity.generation,
            sett_component_name(w.sim.world, at->component), (unsigned)at->frame);
        (void)snprintf(expected, sizeof(expected), "\"by\":\"%ssystem %s\"",
                       at->commands ? "commands of " : "", sett_system_name(at->system));
        const char* answer = sett_inspector_request(w.inspector, body, strlen(body), NULL);
        CHECK_MSG(strstr(answer, expected) != NULL, "%s: %s, not %s", body, answer, expected);
        by_commands += at->commands;
    }
    CHECK_EQ(sett_world_hash(w.sim.world), hash);
    printf("  %u of %u writes were asked about, %u by commands\n", (unsigned)ASKED,
           (unsigned)w.count, (unsigned)by_commands);
    free(w.written);
    sett_inspector_close(w.inspector);
    simulation_deinit(&w.sim);
}

/* --- alarms ----------------------------------------------------------------------------------- */

#define PLANTED 20u
#define NEAR 200u
#define SIGN 201 /* a light that no sector has by itself */

static const char* alarm_ask(const char* body)
{
    return sett_inspector_request(w.inspector, body, strlen(body), NULL);
}

/* A sector in which nothing changes the light. */
static sett_entity alarm_dark(void)
{
    const Arena* arena = &w.sim.arenas[0];
    for (uint32_t k = 0; k < arena->level.map.sector_count; k++) {
        sett_entity sector = arena->sectors[k];
        if (!SETT_HAS(w.sim.world, sector, Blink) && !SETT_HAS(w.sim.world, sector, Glow) &&
            !SETT_HAS(w.sim.world, sector, Flicker) && !SETT_HAS(w.sim.world, sector, Special)) {
            return sector;
        }
    }
    return sett_null();
}

/* In each frame of a battle a light is the sign, one beside it, or another one: the alarm notes the
 * 20 frames with the sign, and none of the 200 that nearly have it. */
static void alarms_catch_what_was_planted(void)
{
    static const char* const maps[] = {"E1M1"};
    uint64_t expected[PLANTED];
    uint32_t planted = 0;
    uint32_t near = 0;
    memset(&w, 0, sizeof(w));
    battle_start(&w.sim, maps, 1, 1, 1);
    w.inspector = sett_inspector_open(
        w.sim.world, &(sett_inspector_desc){.no_server = true, .run_frame = watch_run});
    CHECK(w.inspector != NULL);
    sett_entity sector = alarm_dark();
    CHECK(!sett_is_null(sector));
    const char* answer =
        alarm_ask("{\"do\":\"alarm\",\"condition\":\"Light.level == 201\",\"on\":true}");
    CHECK_MSG(strstr(answer, "\"ok\":true") != NULL, "%s", answer);
    for (uint64_t frame = 1; planted < PLANTED || near < NEAR; frame++) {
        CHECK_EQ(sett_inspector_frame(w.inspector), 1);
        uint8_t level = 100;
        if (frame % 12 == 7 && planted < PLANTED) {
            level = SIGN;
            expected[planted++] = frame;
        } else if (frame % 12 != 0 && near < NEAR) {
            level = (uint8_t)(near++ % 2 == 0 ? SIGN - 1 : SIGN + 1);
        }
        CHECK(SETT_SET(w.sim.world, sector, Light, .level = level) != NULL);
        watch_run(NULL);
    }
    CHECK_EQ(sett_inspector_frame(w.inspector), 1);
    answer = alarm_ask("{\"do\":\"alarms\"}");
    const char* hit = strstr(answer, "\"hits\":[");
    CHECK_MSG(hit != NULL && strstr(answer, "\"next\":20,") != NULL, "%s", answer);
    for (uint32_t k = 0; k < PLANTED; k++) {
        hit = strchr(hit + 1, k == 0 ? '[' : ']');
        hit = k == 0 ? strchr(hit + 1, '[') : strchr(hit, '[');
        CHECK(hit != NULL);
        uint64_t frame = strtoull(hit + 1, NULL, 10);
        CHECK_MSG(frame == expected[k], "%llu, not %llu", (unsigned long long)frame,
                  (unsigned long long)expected[k]);
    }
    printf("  %u planted events were noted in their frames, %u near misses were not\n", PLANTED,
           near);
    sett_inspector_close(w.inspector);
    simulation_deinit(&w.sim);
}

/* --- cost ------------------------------------------------------------------------------------- */

static void watch_take(void* user, const void* bytes, size_t size, bool text)
{
    (void)user;
    if (!text) {
        setti_out_add(&w.message, bytes, size);
    }
}

static void all_maps_are_sent(void)
{
    double times[140];
    uint64_t plain = 0;
    uint64_t sent = 0;
    compressor by = {0};
    Atlas atlas = {0};
    Fault fault;
    memset(&w, 0, sizeof(w));
    CHECK_MSG(atlas_add(&atlas, WAD_CUT_FIRST, NULL, 0, &fault), "%s", fault.text);
    CHECK_MSG(atlas_add(&atlas, FREEDOOM_WAD_FOLDER "/freedoom2.wad", NULL, 0, &fault), "%s",
              fault.text);
    CHECK_MSG(simulation_init(&w.sim, atlas.levels, atlas.count, 1, 1, NULL, &fault), "%s",
              fault.text);
    w.inspector = sett_inspector_open(
        w.sim.world,
        &(sett_inspector_desc){.no_server = true, .frame_rate = 35, .run_frame = watch_run});
    CHECK(w.inspector != NULL);
    sett_inspector_stream(w.inspector, watch_take, NULL);
    CHECK_EQ(sett_inspector_frame(w.inspector), 1);
    size_t size = w.message.size;
    uint64_t whole = size;
    CHECK(setti_compressor_next(&by, w.message.at, &size) == w.message.at);
    for (uint32_t k = 0; k < 140; k++) {
        watch_run(NULL);
        setti_out_clear(&w.message);
        double begin = timing_ms();
        CHECK_EQ(sett_inspector_frame(w.inspector), 1);
        times[k] = timing_ms() - begin;
        size = w.message.size;
        CHECK(setti_compressor_next(&by, w.message.at, &size) !=
              NULL); /* as the server's thread does */
        plain += w.message.size;
        sent += size;
    }
    double minute = (double)plain * 35 * 60 / 140 / 1e6;
    double compressed = (double)sent * 35 * 60 / 140 / 1e6;
    timing_sort(times, 140);
    printf("  %u maps: a state of %.1f MB, %.0f MB a minute, compressed %.1f; a tick %.2f ms, "
           "best %.2f, slowest %.2f\n",
           (unsigned)atlas.count, (double)whole / 1e6, minute, compressed, times[70], times[0],
           times[139]);
    CHECK_MSG(minute < 200 && compressed < 100, "%.1f MB, compressed %.1f", minute, compressed);
    sett_inspector_close(w.inspector);
    setti_compressor_end(&by);
    setti_out_free(&w.message);
    simulation_deinit(&w.sim);
    atlas_deinit(&atlas);
}

TEST_MAIN(TEST(writers_of_a_battle_are_found), TEST(alarms_catch_what_was_planted),
          TEST(all_maps_are_sent))
