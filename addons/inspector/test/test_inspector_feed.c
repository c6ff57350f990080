/* What an inspector costs: bytes of the stream a minute, time of a frame, nothing while no page is
 * there. 100,000 entities with five types, of which 1 % of the values are written each frame.
 *
 * Bytes are the same on every machine, and asserted; times are printed. The floor is what the
 * written values take by themselves: 1,000 entities x 8 bytes x 60 frames x 60 seconds = 28.8 MB a
 * minute for one type, 144 MB for all five.
 */
#include "check.h"
#include "compressor.h"
#include "sett_inspector.h"
#include "timing.h"

#include <stdlib.h>
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>
#endif

#define ENTITIES 100000
#define WRITTEN 1000
#define TYPES 5
#define FRAMES 60

typedef struct pair {
    float x, y;
} pair;

typedef struct crowd {
    sett_world* world;
    sett_inspector* inspector;
    sett_component types[TYPES];
    sett_entity* all;
    inspector_text message; /* of this frame */
    compressor compressor;
    uint64_t bytes;
    uint64_t compressed;
    uint32_t frame;
} crowd;

static void crowd_take(void* user, const void* bytes, size_t size, bool text)
{
    if (!text) {
        setti_out_add(&((crowd*)user)->message, bytes, size);
    }
}

/* What the server's thread does with it. */
static void crowd_compress(crowd* of)
{
    size_t size = of->message.size;
    CHECK(size != 0 && setti_compressor_next(&of->compressor, of->message.at, &size) != NULL);
    of->bytes += of->message.size;
    of->compressed += size;
    setti_out_clear(&of->message);
}

static void crowd_open(crowd* of, const sett_inspector_desc* desc)
{
    static const char* const names[TYPES] = {"Place", "Speed", "Life", "Aim", "Mood"};
    memset(of, 0, sizeof(*of));
    of->world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    of->all = malloc(ENTITIES * sizeof(*of->all));
    CHECK(of->world != NULL && of->all != NULL);
    for (uint32_t k = 0; k < TYPES; k++) {
        of->types[k] = sett_component_register(
            of->world, &(sett_component_desc){.name = names[k],
                                              .size = sizeof(pair),
                                              .align = _Alignof(pair),
                                              .members = SETT_STRUCT(pair, x, y)});
    }
    for (uint32_t k = 0; k < ENTITIES; k++) {
        of->all[k] = sett_entity_create(of->world);
        for (uint32_t t = 0; t < TYPES; t++) {
            CHECK(sett_set(of->world, of->all[k], of->types[t], &(pair){(float)k, (float)t}) !=
                  NULL);
        }
    }
    of->inspector = sett_inspector_open(of->world, desc);
    CHECK(of->inspector != NULL);
}

static void crowd_close(crowd* of)
{
    sett_inspector_close(of->inspector);
    setti_compressor_end(&of->compressor);
    setti_out_free(&of->message);
    CHECK_EQ(sett_world_destroy(of->world), SETT_OK);
    free(of->all);
}

static void crowd_write(crowd* of, uint32_t types, bool scattered)
{
    of->frame++;
    for (uint32_t k = 0; k < WRITTEN; k++) {
        uint32_t at = scattered ? (k * 7919u + of->frame * 104729u) % ENTITIES
                                : (of->frame * WRITTEN + k) % ENTITIES;
        for (uint32_t t = 0; t < types; t++) {
            pair* value = sett_get_mut(of->world, of->all[at], of->types[t]);
            value->x += 1.25f;
            value->y -= 0.5f;
        }
    }
}

static void a_crowd_is_sent(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        uint32_t types = kind < 2 ? 1 : TYPES;
        bool scattered = kind % 2 != 0;
        double times[FRAMES];
        crowd of;
        crowd_open(&of, &(sett_inspector_desc){.no_server = true});
        sett_inspector_stream(of.inspector, crowd_take, &of);
        for (uint32_t k = 0; k < 4; k++) { /* the whole state, and pages that are copied first */
            crowd_write(&of, types, scattered);
            CHECK_EQ(sett_inspector_frame(of.inspector), 1);
            crowd_compress(&of);
        }
        of.bytes = of.compressed = 0;
        for (uint32_t k = 0; k < FRAMES; k++) {
            crowd_write(&of, types, scattered);
            double begin = timing_ms();
            CHECK_EQ(sett_inspector_frame(of.inspector), 1);
            times[k] = timing_ms() - begin;
            crowd_compress(&of);
        }
        timing_sort(times, FRAMES);
        double floor = (double)WRITTEN * sizeof(pair) * types * 3600 / 1e6;
        double minute = (double)of.bytes * 3600 / FRAMES / 1e6;
        double sent = (double)of.compressed * 3600 / FRAMES / 1e6;
        printf("  %u type%s, %s: %.1f MB a minute, compressed %.1f, floor %.0f; a frame %.2f ms, "
               "best %.2f, slowest %.2f\n",
               (unsigned)types, types > 1 ? "s" : "", scattered ? "here and there" : "side by side",
               minute, sent, floor, times[FRAMES / 2], times[0], times[FRAMES - 1]);
        CHECK_MSG(minute < 45 && sent < 5, "%.1f MB a minute, compressed %.1f", minute, sent);
        crowd_close(&of);
    }
}

static size_t allocated(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* With a server and without a page nothing is stored: no snapshot, so no page is copied. */
static void nothing_is_done_for_nobody(void)
{
    crowd of;
    sett_stats before;
    sett_stats after;
    sett_snapshot_stats held;
    crowd_open(&of, &(sett_inspector_desc){.quiet = true});
    for (double end = timing_ms() + 300; timing_ms() < end;) { /* the server's threads begin */
        CHECK_EQ(sett_inspector_frame(of.inspector), 1);
    }
    sett_world_stats(of.world, &before);
    size_t heap = allocated();
    for (uint32_t k = 0; k < 700; k++) { /* more than ten seconds */
        crowd_write(&of, 1, true);
        CHECK_EQ(sett_inspector_frame(of.inspector), 1);
    }
    sett_world_stats(of.world, &after);
    sett_snapshot_stats_get(of.world, &held);
    CHECK_EQ(after.allocations, before.allocations);
    CHECK_EQ(after.page_size, before.page_size);
    CHECK_EQ(held.page_size, 0);
    CHECK_EQ(allocated(), heap);
    crowd_close(&of);
    CHECK_EQ(sett_inspector_frame(NULL), 1);
}

TEST_MAIN(TEST(a_crowd_is_sent), TEST(nothing_is_done_for_nobody))
