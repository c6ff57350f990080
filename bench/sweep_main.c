/* sweep_main.c: how costs change with one thing at a time: the size of a component, the number of
 * component types, how many entities were destroyed in between, the number of different sets of
 * components; and memory against the share of entities that have a type.
 *
 *     sett_sweeps
 *
 * One line of CSV for each point: sweep,series,x,low,median,high. Costs are in ns an operation,
 * quartiles of eleven repetitions; memory in bytes, exact, three times the same. */
#include "scene_case.h"
#include "scene_sett.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_REPETITIONS 11
#define SWEEP_COUNT 100000u

typedef struct sweep_point {
    const char* sweep;
    const char* series;
    double x;
    double ns[SWEEP_REPETITIONS];
    uint32_t taken;
} sweep_point;

static int sweep_compare(const void* a, const void* b)
{
    const double* x = a;
    const double* y = b;
    return *x < *y ? -1 : *x > *y;
}

static void sweep_add(sweep_point* point, const scene_run* run, uint64_t operations)
{
    point->ns[point->taken++] = run->seconds * 1e9 / (double)operations;
}

static void sweep_tell(sweep_point* point)
{
    qsort(point->ns, point->taken, sizeof(double), sweep_compare);
    printf("%s,%s,%g,%.4g,%.4g,%.4g\n", point->sweep, point->series, point->x,
           point->ns[point->taken / 4], point->ns[point->taken / 2],
           point->ns[point->taken * 3 / 4]);
    fflush(stdout);
}

/* Reads and writes the first four bytes of a type in all entities that have it. */
static void sweep_loop(sett_query* query, size_t size)
{
    SETT_QUERY(query, b) {
        unsigned char* field = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            float value;
            memcpy(&value, field + i * size, sizeof(value));
            value += 1;
            memcpy(field + i * size, &value, sizeof(value));
        }
    }
}

static void sweep_measure_loop(sweep_point* point, sett_query* query, size_t size, uint64_t matches)
{
    uint32_t rounds = scene_rounds((uint32_t)matches + 1, 500000);
    sweep_loop(query, size);
    scene_run run = {0};
    scene_start(&run);
    for (uint32_t k = 0; k < rounds; k++) {
        sweep_loop(query, size);
    }
    scene_stop(&run);
    sweep_add(point, &run, rounds * matches);
}

static sett_query* sweep_query(sett_world* world, sett_component id)
{
    return scene_query(world, (sett_term[]){{.component = id}, {0}});
}

static void sweep_toggle(sweep_point* point, sett_world* world, sett_component id,
                         const sett_entity* entities)
{
    scene_run run = {0};
    scene_start(&run);
    for (uint32_t k = 0; k < SWEEP_COUNT; k++) {
        (void)sett_add(world, entities[k], id);
        (void)sett_remove(world, entities[k], id);
    }
    scene_stop(&run);
    sweep_add(point, &run, SWEEP_COUNT);
}

/* ---- The size of a component ----------------------------------------------------------------- */

static void sweep_size(uint32_t size, sett_storage_kind kind)
{
    bool packed = kind == SETT_STORAGE_PACKED;
    sweep_point points[4] = {
        {.sweep = "size", .series = packed ? "create (packed)" : "create", .x = size},
        {.sweep = "size", .series = packed ? "add + remove (packed)" : "add + remove", .x = size},
        {.sweep = "size", .series = packed ? "get at random (packed)" : "get at random", .x = size},
        {.sweep = "size", .series = packed ? "loop (packed)" : "loop", .x = size}};
    uint32_t* order = scene_shuffled(SWEEP_COUNT, SCENE_SEED);
    for (uint32_t repetition = 0; repetition < SWEEP_REPETITIONS; repetition++) {
        scene_run run = {0};
        sett_world* world = scene_world(&run, false);
        sett_component kept = scene_type(world, "Kept", size, 4, kind);
        sett_component toggled = scene_type(world, "Toggled", size, 4, kind);
        sett_entity* entities = scene_alloc(SWEEP_COUNT, sizeof(sett_entity));
        scene_start(&run);
        for (uint32_t k = 0; k < SWEEP_COUNT; k++) {
            entities[k] = sett_entity_create(world);
            (void)sett_add(world, entities[k], kept);
        }
        scene_stop(&run);
        sweep_add(&points[0], &run, SWEEP_COUNT);
        sweep_toggle(&points[1], world, toggled, entities);
        run = (scene_run){0};
        scene_start(&run);
        for (uint32_t k = 0; k < SWEEP_COUNT; k++) {
            const uint32_t* value = sett_get(world, entities[order[k]], kept);
            run.checksum += *value;
        }
        scene_stop(&run);
        scene_check(run.checksum == 0, "new values are zero");
        sweep_add(&points[2], &run, SWEEP_COUNT);
        sweep_measure_loop(&points[3], sweep_query(world, kept), size, SWEEP_COUNT);
        scene_free(entities);
        sett_world_destroy(world);
    }
    for (uint32_t k = 0; k < 4; k++) {
        sweep_tell(&points[k]);
    }
    scene_free(order);
}

/* ---- The number of types, and of different sets ---------------------------------------------- */

/* `types` are registered, an entity has four of them: its own of `sets` different choices. */
static void sweep_types(uint32_t types, uint32_t sets, const char* sweep, double x)
{
    sweep_point points[3] = {{.sweep = sweep, .series = "create with 4", .x = x},
                             {.sweep = sweep, .series = "add + remove", .x = x},
                             {.sweep = sweep, .series = "loop over one", .x = x}};
    sett_component* id = scene_alloc(types, sizeof(sett_component));
    sett_entity* entities = scene_alloc(SWEEP_COUNT, sizeof(sett_entity));
    for (uint32_t repetition = 0; repetition < SWEEP_REPETITIONS; repetition++) {
        scene_run run = {0};
        sett_world* world = scene_world(&run, false);
        for (uint32_t t = 0; t < types; t++) {
            char name[16];
            (void)snprintf(name, sizeof(name), "Type%u", (unsigned)t);
            id[t] = scene_type(world, name, 8, 4, SETT_STORAGE_MATRIX);
        }
        sett_component toggled = scene_type(world, "Toggled", 8, 4, SETT_STORAGE_MATRIX);
        scene_start(&run);
        for (uint32_t k = 0; k < SWEEP_COUNT; k++) {
            uint32_t set = k * 64 / SWEEP_COUNT * 64 + k % 64; /* alike lie near each other */
            entities[k] = sett_entity_create(world);
            (void)sett_add(world, entities[k], id[0]);
            for (uint32_t c = 1; c < 4; c++) {
                uint32_t choice = set % sets * 3 + c;
                (void)sett_add(world, entities[k], id[1 + choice % (types - 1)]);
            }
        }
        scene_stop(&run);
        sweep_add(&points[0], &run, SWEEP_COUNT);
        sweep_toggle(&points[1], world, toggled, entities);
        sweep_measure_loop(&points[2], sweep_query(world, id[0]), 8, SWEEP_COUNT);
        sett_world_destroy(world);
    }
    for (uint32_t k = 0; k < 3; k++) {
        sweep_tell(&points[k]);
    }
    scene_free(entities);
    scene_free(id);
}

/* ---- Fragmentation --------------------------------------------------------------------------- */

/* A share of the entities is destroyed, here and there; the rest is looped over. */
static void sweep_fragments(double destroyed, const char* series)
{
    bool packed = strcmp(series, "matrix") != 0;
    sweep_point point = {.sweep = "fragmentation", .series = series, .x = 1 - destroyed};
    sweep_point memory = {.sweep = "fragmentation memory", .series = series, .x = 1 - destroyed};
    uint32_t* order = scene_shuffled(SWEEP_COUNT, SCENE_SEED);
    for (uint32_t repetition = 0; repetition < SWEEP_REPETITIONS; repetition++) {
        scene_run run = {0};
        sett_world* world = scene_world(&run, false);
        sett_storage_kind kind = packed ? SETT_STORAGE_PACKED : SETT_STORAGE_MATRIX;
        sett_component p = SCENE_TYPE(world, Position, kind);
        sett_component v = SCENE_TYPE(world, Velocity, kind);
        if (strcmp(series, "group") == 0) {
            sett_group_desc desc = {.owned = {p, v}};
            scene_check(sett_group_create(world, &desc) != NULL, "sett_group_create");
        }
        sett_entity* entities = scene_entities(world, SWEEP_COUNT);
        for (uint32_t k = 0; k < SWEEP_COUNT; k++) {
            (void)sett_add(world, entities[k], p);
            (void)sett_add(world, entities[k], v);
        }
        uint32_t gone = (uint32_t)(destroyed * SWEEP_COUNT);
        for (uint32_t k = 0; k < gone; k++) {
            (void)sett_entity_destroy(world, entities[order[k]]);
        }
        sett_query* query = scene_query(
            world, (sett_term[]){{.component = p}, {.component = v, .access = SETT_IN}, {0}});
        uint32_t left = SWEEP_COUNT - gone;
        uint32_t rounds = 1 + scene_rounds(left, 500000);
        for (uint32_t round = 0; round < rounds; round++) {
            if (round == 1) {
                scene_start(&run);
            }
            SETT_QUERY(query, b) {
                Position* position = sett_batch_field(b, 0);
                const Velocity* velocity = sett_batch_field(b, 1);
                SETT_EACH(b, i) {
                    scene_move(&position[i], &velocity[i]);
                }
            }
        }
        scene_stop(&run);
        sweep_add(&point, &run, (uint64_t)(rounds - 1) * left);
        sett_stats stats;
        sett_world_stats(world, &stats);
        memory.ns[memory.taken++] = (double)stats.page_size / left;
        scene_free(entities);
        sett_world_destroy(world);
    }
    sweep_tell(&point);
    sweep_tell(&memory);
    scene_free(order);
}

/* ---- Memory against the share of entities that have a type ----------------------------------- */

static void sweep_memory_line(uint32_t count, uint32_t size, const char* series, double share,
                              size_t bytes)
{
    printf("memory %u x %u,%s,%g,%zu,%zu,%zu\n", (unsigned)count, (unsigned)size, series, share,
           bytes, bytes, bytes);
}

static void sweep_memory(uint32_t count, uint32_t size, double share)
{
    scene_density spread = {count, size, share, true, false, 0, 0, 0};
    scene_density clustered = {count, size, share, false, false, 0, 0, 0};
    scene_density packed = {count, size, share, true, true, 0, 0, 0};
    scene_density_measure(&spread);
    scene_density_measure(&clustered);
    scene_density_measure(&packed);
    sweep_memory_line(count, size, "linear with bytes", share, (size_t)(size + 1) * count);
    sweep_memory_line(count, size, "linear with bits", share, spread.linear);
    sweep_memory_line(count, size, "sparse set", share, spread.sparse);
    sweep_memory_line(count, size, "matrix", share, spread.measured);
    sweep_memory_line(count, size, "matrix clustered", share, clustered.measured);
    sweep_memory_line(count, size, "packed", share, packed.measured);
}

int main(void)
{
    static const double shares[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1};
    static const double table[] = {0.01, 0.1, 0.25, 0.5, 0.75, 1};
    static const uint32_t sizes[] = {8, 16, 24, 32, 64, 128};
    static const double destroyed[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99};
    printf("sweep,series,x,low,median,high\n");
    for (uint32_t size = 4; size <= 256; size *= 2) {
        sweep_size(size, SETT_STORAGE_MATRIX);
        sweep_size(size, SETT_STORAGE_PACKED);
    }
    for (uint32_t types = 4; types <= 1024; types *= 4) {
        sweep_types(types, 1, "types", types);
    }
    for (uint32_t sets = 1; sets <= 4096; sets *= 8) {
        sweep_types(64, sets, "sets", sets);
    }
    for (size_t k = 0; k < sizeof(destroyed) / sizeof(destroyed[0]); k++) {
        sweep_fragments(destroyed[k], "matrix");
        sweep_fragments(destroyed[k], "packed");
        sweep_fragments(destroyed[k], "group");
    }
    for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
        sweep_memory(1000000, 16, shares[k]);
    }
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
            sweep_memory(1000, sizes[s], table[k]);
        }
    }
    return 0;
}
