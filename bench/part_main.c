/* part_main.c: what parts of a world cost as values: handles that go and come, hashes of snapshots,
 * selections, states in memory.
 *
 *     sett_parts [--quick]
 *
 * 100,000 entities. The medians of 20 runs, of 2 with --quick, which is for a test. Four tables:
 *
 *     handles     ns to create a handle of another world's range, and to forget it; bytes that the
 *                 world holds afterwards and did not before
 *     hashes      us of sett_snapshot_hash after so many entities changed, while the world is a
 *                 frame ahead; beside the hash of the whole world with all pages written
 *     selections  bytes and us of what changed in 72 of 100,000 bodies: exact, and sent rounded;
 *                 beside a view: a world that has these alone, updated, and its delta
 *     states      bytes and ms of sett_state_encode and sett_state_apply, five components each */
#include "scene.h"
#include "sett/sett.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTITIES 100000u
#define SEEN 72u
#define RUNS_MAX 20

static uint32_t runs = RUNS_MAX;

typedef struct Body {
    float x, y, z;
    float turn[4];
} Body;

typedef struct Exact {
    float x, y, z;
    float turn[4];
} Exact;

#define ROUND(scale_, bits_) .send = {.scale = (scale_), .bits = (bits_)}
#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Body, .members = SETT_STRUCT(Body, (x, ROUND(512, 18)), (y, ROUND(512, 18)),         \
                                           (z, ROUND(512, 18)), (turn, ROUND(511, 10))))           \
    COMPONENT(Exact, .members = SETT_STRUCT(Exact, x, y, z, turn))
SETT_COMPONENTS(KINDS)

static uint64_t dice = 1;
static unsigned char bytes[1 << 20];

static uint32_t part_draw(uint32_t below)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((dice >> 33) % below);
}

static double part_median(double* values)
{
    qsort(values, runs, sizeof(*values), scene_compare);
    return values[runs / 2];
}

static void part_ok(sett_world* world, sett_status status)
{
    scene_check(status == SETT_OK, sett_world_message(world));
}

static sett_world* part_world(void)
{
    sett_world* world = sett_world_create(NULL);
    scene_check(world != NULL, "memory");
    part_ok(world, SETT_REGISTER_ALL(world, KINDS));
    return world;
}

/* ------------------------------------------------------------------------------------- handles */

static size_t part_held(sett_world* world)
{
    sett_stats stats;
    sett_world_trim(world);
    sett_world_stats(world, &stats);
    return stats.block_size;
}

static void part_handles(void)
{
    double made[RUNS_MAX];
    double gone[RUNS_MAX];
    sett_world* world = part_world();
    part_ok(world, sett_entity_set_range(world, 1u << 20, 0));
    (void)sett_entity_create(world);
    size_t before = part_held(world);
    for (uint32_t run = 0; run < runs; run++) {
        double begin = scene_clock();
        for (uint32_t k = 0; k < ENTITIES; k++) {
            part_ok(world, sett_entity_create_handle(world, (sett_entity){k, 7}));
        }
        double middle = scene_clock();
        for (uint32_t k = 0; k < ENTITIES; k++) {
            part_ok(world, sett_entity_forget(world, (sett_entity){k, 7}));
        }
        made[run] = (middle - begin) * 1e9 / ENTITIES;
        gone[run] = (scene_clock() - middle) * 1e9 / ENTITIES;
    }
    printf("%10s %10s %12s\n%10.1f %10.1f %12ld\n\n", "create ns", "forget ns", "bytes left",
           part_median(made), part_median(gone), (long)part_held(world) - (long)before);
    sett_world_destroy(world);
}

/* -------------------------------------------------------------------------------------- worlds */

static sett_component part_type[5];

static void part_register(sett_world* world)
{
    static const size_t sizes[5] = {8, 16, 24, 32, 64};
    for (uint32_t k = 0; k < 5; k++) {
        char name[8];
        snprintf(name, sizeof(name), "c%u", (unsigned)k);
        part_type[k] =
            sett_component_register(world, &(sett_component_desc){.name = name, .size = sizes[k]});
    }
}

/* 100,000 entities of five components. */
static sett_world* part_full(void)
{
    sett_world* world = sett_world_create(NULL);
    scene_check(world != NULL, "memory");
    part_register(world);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_create(world);
        for (uint32_t type = 0; type < 5; type++) {
            uint32_t* value = sett_add(world, e, part_type[type]);
            scene_check(value != NULL, "memory");
            *value = k * type;
        }
    }
    return world;
}

/* Changes one value of so many entities, drawn at random. */
static void part_change(sett_world* world, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t index = count == ENTITIES ? k : part_draw(ENTITIES);
        uint32_t* value = sett_get_mut(world, sett_entity_at(world, index), part_type[k % 5]);
        ++*value;
    }
}

static void part_hashes(void)
{
    static const double shares[] = {.05, 1, 20, 100};
    sett_world* world = part_full();
    printf("%10s %10s %10s\n", "changed %", "hash us", "whole us");
    for (uint32_t n = 0; n < 4; n++) {
        double spent[RUNS_MAX];
        double whole[RUNS_MAX];
        uint32_t count = (uint32_t)(shares[n] * ENTITIES / 100);
        for (uint32_t run = 0; run < runs; run++) {
            sett_snapshot at[2];
            uint64_t hash;
            part_ok(world, sett_snapshot_take(world, &at[0]));
            part_ok(world, sett_snapshot_hash(world, at[0], &hash));
            part_change(world, count);
            part_ok(world, sett_snapshot_take(world, &at[1]));
            part_change(world, count);
            double begin = scene_clock();
            part_ok(world, sett_snapshot_hash(world, at[1], &hash));
            spent[run] = (scene_clock() - begin) * 1e6;
            sett_snapshot_drop_all(world);
            for (uint32_t type = 0; type < 5; type++) {
                for (uint32_t k = 0; k < ENTITIES; k += 256) {
                    ++*(uint32_t*)sett_get_mut(world, sett_entity_at(world, k), part_type[type]);
                }
            }
            begin = scene_clock();
            (void)sett_world_hash(world);
            whole[run] = (scene_clock() - begin) * 1e6;
        }
        printf("%10.2f %10.0f %10.0f\n", shares[n], part_median(spent), part_median(whole));
    }
    printf("\n");
    sett_world_destroy(world);
}

/* ---------------------------------------------------------------------------------- selections */

static void part_selections(void)
{
    sett_world* world = part_world();
    sett_world* view = part_world();
    sett_entity seen[SEEN];
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Body, .x = 1), SETT_VALUE(Exact, .x = 1));
        if (k % (ENTITIES / SEEN) == 0 && k / (ENTITIES / SEEN) < SEEN) {
            seen[k / (ENTITIES / SEEN)] = e;
        }
    }
    printf("%10s %10s %10s\n", "72 bodies", "bytes", "us");
    static const char* const names[] = {"exact", "rounded", "view"};
    for (uint32_t way = 0; way < 3; way++) {
        double spent[RUNS_MAX];
        size_t size = 0;
        sett_component type = way == 1 ? Body_id : Exact_id;
        const sett_selection part = {
            .entities = seen, .entity_count = SEEN, .types = &type, .type_count = 1};
        part_ok(world, sett_selection_copy(world, &part, 0, view));
        for (uint32_t run = 0; run < runs; run++) {
            sett_snapshot since;
            sett_snapshot there[2];
            uint64_t tick = sett_world_tick(world);
            part_ok(view, sett_snapshot_take(view, &there[0]));
            part_ok(world, sett_snapshot_take(world, &since));
            (void)sett_world_advance_tick(world);
            for (uint32_t k = 0; k < SEEN; k++) {
                float* value = sett_get_mut(world, seen[k], type);
                for (uint32_t n = 0; n < 7; n++) {
                    value[n] = (float)part_draw(1000) / 1001.0f;
                }
            }
            double begin = scene_clock();
            if (way < 2) {
                part_ok(world,
                        sett_selection_encode(world, &part, since, bytes, sizeof(bytes), &size));
            } else {
                part_ok(view, sett_selection_copy(world, &part, tick, view));
                part_ok(view, sett_snapshot_take(view, &there[1]));
                part_ok(view,
                        sett_delta_encode(view, there[0], there[1], bytes, sizeof(bytes), &size));
            }
            spent[run] = (scene_clock() - begin) * 1e6;
            sett_snapshot_drop_all(world);
            sett_snapshot_drop_all(view);
        }
        printf("%10s %10zu %10.1f\n", names[way], size, part_median(spent));
    }
    printf("\n");
    sett_world_destroy(view);
    sett_world_destroy(world);
}

/* -------------------------------------------------------------------------------------- states */

static void part_states(void)
{
    double encode[RUNS_MAX];
    double apply[RUNS_MAX];
    sett_world* world = part_full();
    sett_world* late = sett_world_create(NULL);
    part_register(late);
    size_t size;
    part_ok(world, sett_state_encode(world, NULL, 0, &size));
    unsigned char* state = scene_alloc(size, 1);
    for (uint32_t run = 0; run < runs; run++) {
        double begin = scene_clock();
        part_ok(world, sett_state_encode(world, state, size, &size));
        double middle = scene_clock();
        part_ok(late, sett_state_apply(late, state, size, 0));
        encode[run] = (middle - begin) * 1e3;
        apply[run] = (scene_clock() - middle) * 1e3;
    }
    scene_check(sett_world_hash(late) == sett_world_hash(world), "the states are equal");
    printf("%10s %10s %10s\n%10zu %10.1f %10.1f\n", "state", "encode ms", "apply ms", size,
           part_median(encode), part_median(apply));
    free(state);
    sett_world_destroy(late);
    sett_world_destroy(world);
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        runs = 2;
    }
    part_handles();
    part_hashes();
    part_selections();
    part_states();
    return 0;
}
