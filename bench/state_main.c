/* state_main.c: what snapshots cost beside a memcpy of the pages that they keep.
 *
 *     sett_states [--quick]
 *
 * 100,000 entities of five components of 8 to 64 bytes, a ring of ten snapshots, and a share of the
 * pages written to each frame, one value a page. In turns with it as many pages are copied, out of
 * memory that is as cold, into buffers that are used again. Medians of 200 frames, microseconds;
 * with --quick, which is for a test, of a few.
 *
 * The second table has medians and 99th percentiles: of a frame (taking, and the writes), of going
 * back eight frames, of encoding these eight as a delta, and of applying it; the delta's bytes; and
 * the bytes that snapshots keep for each byte that was written. Its last row writes to one entity
 * in a hundred, drawn at random. */
#include "scene.h"
#include "sett/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTITIES 100000
#define TYPES 5
#define FRAMES 200
#define ROUNDS 60
#define PAGE 16384
#define PAGES_MAX 2000

/* How many of them are measured. */
static uint32_t frames = FRAMES;
static uint32_t rounds = ROUNDS;

static const size_t sizes[TYPES] = {8, 16, 24, 32, 64};

typedef struct state_scene {
    sett_world* world;
    sett_component type[TYPES];
    uint32_t rows[TYPES]; /* a page */
    sett_entity* entities;
    uint32_t pages;
    uint64_t dice;
    unsigned char* buffer; /* pages that the memcpy writes, */
    unsigned char* cold;   /* and those that it reads */
} state_scene;

static double state_now(void)
{
    return scene_clock() * 1e6;
}

static uint32_t state_draw(state_scene* scene, uint32_t below)
{
    scene->dice = scene->dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((scene->dice >> 33) % below);
}

static double state_median(double* values, size_t count)
{
    qsort(values, count, sizeof(*values), scene_compare);
    return values[count / 2];
}

static void state_begin(state_scene* scene)
{
    memset(scene, 0, sizeof(*scene));
    scene->world = sett_world_create(NULL);
    scene->entities = scene_alloc(ENTITIES, sizeof(sett_entity));
    scene->buffer = scene_alloc(PAGES_MAX, PAGE);
    scene->cold = scene_alloc(PAGES_MAX, PAGE);
    scene_check(scene->world != NULL, "memory");
    for (uint32_t k = 0; k < TYPES; k++) {
        char name[8];
        snprintf(name, sizeof(name), "c%u", (unsigned)k);
        sett_component_desc desc = {.name = name, .size = sizes[k]};
        scene->type[k] = sett_component_register(scene->world, &desc);
        scene->rows[k] = 1024;
        while (scene->rows[k] * sizes[k] > PAGE) {
            scene->rows[k] /= 2;
        }
        scene->pages += (ENTITIES + scene->rows[k] - 1) / scene->rows[k];
    }
    sett_entity_create_many(scene->world, ENTITIES, scene->type, TYPES, NULL, scene->entities);
}

static void state_end(state_scene* scene)
{
    sett_world_destroy(scene->world);
    scene_free(scene->entities);
    scene_free(scene->buffer);
    scene_free(scene->cold);
}

/* Writes one value in each of `count` pages, some perhaps twice. */
static void state_touch(state_scene* scene, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t type = state_draw(scene, TYPES);
        uint32_t pages = ENTITIES / scene->rows[type];
        sett_entity entity = scene->entities[state_draw(scene, pages) * scene->rows[type]];
        unsigned char* value = sett_get_mut(scene->world, entity, scene->type[type]);
        value[0]++;
    }
}

/* The same draws, and a copy of each page. */
static void state_copy(state_scene* scene, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t type = state_draw(scene, TYPES);
        uint32_t page = state_draw(scene, scene->pages);
        memcpy(scene->buffer + (size_t)k * PAGE, scene->cold + (size_t)page * PAGE,
               scene->rows[type] * sizes[type]);
    }
}

static void state_frames(state_scene* scene, uint32_t count, double* kept, double* copied)
{
    static double with[FRAMES];
    static double without[FRAMES];
    sett_ring* ring = sett_ring_create(scene->world, 10);
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t half = 0; half < 2; half++) {
            double begin = state_now();
            if ((half + frame) % 2 == 0) {
                sett_ring_take(ring);
                state_touch(scene, count);
                with[frame] = state_now() - begin;
            } else {
                state_copy(scene, count);
                without[frame] = state_now() - begin;
            }
        }
    }
    sett_ring_destroy(ring);
    *kept = state_median(with, frames);
    *copied = state_median(without, frames);
}

/* Back over eight frames, and forward to the newest. */
static double state_rewind(state_scene* scene, uint32_t count)
{
    static double spent[ROUNDS];
    for (uint32_t round = 0; round < rounds; round++) {
        sett_snapshot taken[9];
        for (uint32_t frame = 0; frame < 9; frame++) {
            sett_snapshot_take(scene->world, &taken[frame]);
            state_touch(scene, frame < 8 ? count : 0);
        }
        double begin = state_now();
        sett_snapshot_restore(scene->world, taken[0]);
        sett_snapshot_restore(scene->world, taken[8]);
        spent[round] = state_now() - begin;
        sett_snapshot_drop_all(scene->world);
    }
    return state_median(spent, rounds);
}

/* Writes whole values of entities drawn at random. Returns the bytes written. */
static size_t state_touch_random(state_scene* scene, uint32_t count)
{
    size_t written = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t type = state_draw(scene, TYPES);
        sett_entity entity = scene->entities[state_draw(scene, ENTITIES)];
        unsigned char* value = sett_get_mut(scene->world, entity, scene->type[type]);
        memset(value, value[0] + 1, sizes[type]);
        written += sizes[type];
    }
    return written;
}

enum {
    STATE_FRAME,
    STATE_BACK,
    STATE_ENCODE,
    STATE_APPLY,
    STATE_TIMES
};

/* One row of the second table. `count`: pages of which one byte is written, or entities. */
static void state_deltas(state_scene* scene, const char* name, uint32_t count, bool random)
{
    static double spent[STATE_TIMES][ROUNDS * 8];
    static unsigned char bytes[64u << 20];
    size_t size = 0;
    double kept = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        sett_snapshot taken[9];
        size_t written = 0;
        for (uint32_t frame = 0; frame < 9; frame++) {
            double begin = state_now();
            scene_check(sett_snapshot_take(scene->world, &taken[frame]) == SETT_OK, "take");
            if (frame < 8 && random) {
                written += state_touch_random(scene, count);
            } else if (frame < 8) {
                state_touch(scene, count);
                written += count;
            }
            if (frame < 8) {
                spent[STATE_FRAME][round * 8 + frame] = state_now() - begin;
            }
        }
        sett_snapshot_stats stats;
        sett_snapshot_stats_get(scene->world, &stats);
        kept += (double)stats.page_size / (double)(written != 0 ? written : 1) / rounds;
        double begin = state_now();
        scene_check(sett_delta_encode(scene->world, taken[0], taken[8], bytes, sizeof(bytes),
                                      &size) == SETT_OK,
                    "encode");
        double encoded = state_now();
        scene_check(sett_snapshot_restore(scene->world, taken[0]) == SETT_OK, "restore");
        double back = state_now();
        scene_check(sett_delta_apply(scene->world, bytes, size) == SETT_OK, "apply");
        spent[STATE_APPLY][round] = state_now() - back;
        spent[STATE_BACK][round] = back - encoded;
        spent[STATE_ENCODE][round] = encoded - begin;
        sett_snapshot_drop_all(scene->world);
    }
    printf("%12s", name);
    for (uint32_t k = 0; k < STATE_TIMES; k++) {
        uint32_t n = k == STATE_FRAME ? rounds * 8 : rounds;
        double median = state_median(spent[k], n);
        printf(" %8.0f %8.0f", median, spent[k][n * 99 / 100]);
    }
    printf(" %9zu %9.1f\n", size, kept);
}

int main(int argc, char** argv)
{
    static const uint32_t shares[] = {0, 1, 5, 50};
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        frames = 4;
        rounds = 2;
    }
    state_scene scene;
    state_begin(&scene);
    printf("%8s %8s %8s %8s %8s %8s\n", "share", "pages", "kept us", "memcpy", "ratio", "rewind");
    for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
        uint32_t count = scene.pages * shares[k] / 100;
        double kept;
        double copied;
        state_frames(&scene, count, &kept, &copied);
        printf("%7u%% %8u %8.1f %8.1f %8.2f %8.0f\n", (unsigned)shares[k], (unsigned)count, kept,
               copied, count != 0 ? kept / copied : 0.0, state_rewind(&scene, count));
    }
    printf("\n%12s %8s %8s %8s %8s %8s %8s %8s %8s %9s %9s\n", "written", "frame", "99 %", "back 8",
           "99 %", "encode", "99 %", "apply", "99 %", "bytes", "kept/byte");
    state_deltas(&scene, "1% pages", scene.pages / 100, false);
    state_deltas(&scene, "5% pages", scene.pages * 5 / 100, false);
    state_deltas(&scene, "50% pages", scene.pages * 50 / 100, false);
    state_deltas(&scene, "1% entities", ENTITIES / 100, true);
    state_end(&scene);
    return 0;
}
