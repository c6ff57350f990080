/* sweep_main.c: how costs change with one thing at a time: the size of a component, the number of
 * component types, how many entities were destroyed in between, how many were replaced, the number
 * of different sets of components, how large the world is around a type that comes and goes; and,
 * beside the textbook storages, costs and memory against the
 * share of entities that have a type.
 *
 *     sett_sweeps [--quick]
 *
 * One line of CSV for each point: sweep,series,x,low,median,high. Costs are in ns an operation,
 * quartiles of eleven repetitions; memory in bytes, exact, three times the same. With --quick all
 * is run through once, with a hundredth of the entities: figures without a meaning, for a test. */
#include "reference.h"
#include "scene_case.h"
#include "scene_sett.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_REPETITIONS 11

/* What --quick makes less of. */
static uint32_t sweep_repetitions = SWEEP_REPETITIONS;
static uint32_t sweep_count = 100000;
static uint32_t sweep_operations = 500000; /* of a loop in one measurement */

typedef struct sweep_point {
    const char* sweep;
    const char* series;
    double x;
    double ns[SWEEP_REPETITIONS];
    uint32_t taken;
} sweep_point;

static void sweep_add(sweep_point* point, const scene_run* run, uint64_t operations)
{
    point->ns[point->taken++] = run->seconds * 1e9 / (double)operations;
}

static void sweep_print(sweep_point* point)
{
    qsort(point->ns, point->taken, sizeof(double), scene_compare);
    printf("%s,%s,%g,%.4g,%.4g,%.4g\n", point->sweep, point->series, point->x,
           point->ns[point->taken / 4], point->ns[point->taken / 2],
           point->ns[point->taken * 3 / 4]);
    fflush(stdout);
}

/* Reads and writes the first four bytes of a type in all entities that have it. */
static void sweep_loop(sett_query* query, size_t size)
{
    SETT_QUERY_EACH(query, b) {
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
    uint32_t rounds = scene_rounds((uint32_t)matches + 1, sweep_operations);
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
    for (uint32_t k = 0; k < sweep_count; k++) {
        (void)sett_add(world, entities[k], id);
        (void)sett_remove(world, entities[k], id);
    }
    scene_stop(&run);
    sweep_add(point, &run, sweep_count);
}

/* ---- The size of a component ----------------------------------------------------------------- */

static void sweep_size(uint32_t size, sett_storage_kind kind)
{
    bool sparse_set = kind == SETT_STORAGE_SPARSE_SET;
    sweep_point points[4] = {
        {.sweep = "size", .series = sparse_set ? "create (sparse-set)" : "create", .x = size},
        {.sweep = "size",
         .series = sparse_set ? "add + remove (sparse-set)" : "add + remove",
         .x = size},
        {.sweep = "size",
         .series = sparse_set ? "get at random (sparse-set)" : "get at random",
         .x = size},
        {.sweep = "size", .series = sparse_set ? "loop (sparse-set)" : "loop", .x = size}};
    uint32_t* order = scene_shuffled(sweep_count, SCENE_SEED);
    for (uint32_t repetition = 0; repetition < sweep_repetitions; repetition++) {
        scene_run run = {0};
        sett_world* world = scene_world(&run, false);
        sett_component kept = scene_type(world, "Kept", size, 4, kind);
        sett_component toggled = scene_type(world, "Toggled", size, 4, kind);
        sett_entity* entities = scene_alloc(sweep_count, sizeof(sett_entity));
        scene_start(&run);
        for (uint32_t k = 0; k < sweep_count; k++) {
            entities[k] = sett_entity_create(world);
            (void)sett_add(world, entities[k], kept);
        }
        scene_stop(&run);
        sweep_add(&points[0], &run, sweep_count);
        sweep_toggle(&points[1], world, toggled, entities);
        run = (scene_run){0};
        scene_start(&run);
        for (uint32_t k = 0; k < sweep_count; k++) {
            const uint32_t* value = sett_get(world, entities[order[k]], kept);
            run.checksum += *value;
        }
        scene_stop(&run);
        scene_check(run.checksum == 0, "new values are zero");
        sweep_add(&points[2], &run, sweep_count);
        sweep_measure_loop(&points[3], sweep_query(world, kept), size, sweep_count);
        scene_free(entities);
        sett_world_destroy(world);
    }
    for (uint32_t k = 0; k < 4; k++) {
        sweep_print(&points[k]);
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
    sett_entity* entities = scene_alloc(sweep_count, sizeof(sett_entity));
    for (uint32_t repetition = 0; repetition < sweep_repetitions; repetition++) {
        scene_run run = {0};
        sett_world* world = scene_world(&run, false);
        for (uint32_t t = 0; t < types; t++) {
            char name[16];
            (void)snprintf(name, sizeof(name), "Type%u", (unsigned)t);
            id[t] = scene_type(world, name, 8, 4, SETT_STORAGE_ARRAY);
        }
        sett_component toggled = scene_type(world, "Toggled", 8, 4, SETT_STORAGE_ARRAY);
        scene_start(&run);
        for (uint32_t k = 0; k < sweep_count; k++) {
            uint32_t set = k * 64 / sweep_count * 64 + k % 64; /* alike lie near each other */
            entities[k] = sett_entity_create(world);
            (void)sett_add(world, entities[k], id[0]);
            for (uint32_t c = 1; c < 4; c++) {
                uint32_t choice = set % sets * 3 + c;
                (void)sett_add(world, entities[k], id[1 + choice % (types - 1)]);
            }
        }
        scene_stop(&run);
        sweep_add(&points[0], &run, sweep_count);
        sweep_toggle(&points[1], world, toggled, entities);
        sweep_measure_loop(&points[2], sweep_query(world, id[0]), 8, sweep_count);
        sett_world_destroy(world);
    }
    for (uint32_t k = 0; k < 3; k++) {
        sweep_print(&points[k]);
    }
    scene_free(entities);
    scene_free(id);
}

/* ---- A type that few entities have, for a short time ------------------------------------------
 * */

/* Adds it to and removes it from `few` entities in turn, again and again; 0: a drawn one each
 * time. */
static void sweep_few_toggle(sweep_point* point, sett_world* world, sett_component id,
                             const sett_entity* entities, const uint32_t* order, uint32_t few)
{
    uint32_t turns = few != 0 ? few : sweep_count;
    scene_run run = {0};
    for (uint32_t round = 0; round < 2; round++) { /* once to warm up */
        run = (scene_run){0};
        scene_start(&run);
        for (uint32_t k = 0; k < sweep_count; k++) {
            sett_entity e = entities[order[k % turns]];
            (void)sett_add(world, e, id);
            (void)sett_remove(world, e, id);
        }
        scene_stop(&run);
    }
    sweep_add(point, &run, sweep_count);
}

static void sweep_few(uint32_t size)
{
    sweep_point points[5] = {{.sweep = "few", .series = "the same one", .x = size},
                             {.sweep = "few", .series = "the same ten in turn", .x = size},
                             {.sweep = "few", .series = "the same hundred in turn", .x = size},
                             {.sweep = "few", .series = "a random one each time", .x = size},
                             {.sweep = "few", .series = "loop over one", .x = size}};
    static const uint32_t few[4] = {1, 10, 100, 0};
    uint32_t* order = scene_alloc(sweep_count, sizeof(uint32_t));
    uint64_t state = SCENE_SEED;
    for (uint32_t k = 0; k < sweep_count; k++) {
        order[k] = (uint32_t)((scene_random(&state) >> 32) % size);
    }
    for (uint32_t repetition = 0; repetition < sweep_repetitions; repetition++) {
        scene_run run = {0};
        sett_world* world = scene_world(&run, false);
        sett_component kept = scene_type(world, "Kept", 16, 4, SETT_STORAGE_ARRAY);
        sett_component brief = scene_type(world, "Brief", 16, 4, SETT_STORAGE_ARRAY);
        sett_entity* entities = scene_alloc(size, sizeof(sett_entity));
        (void)sett_entity_create_many(world, size, &kept, 1, NULL, entities);
        for (uint32_t k = 0; k < 4; k++) {
            sweep_few_toggle(&points[k], world, brief, entities, order, few[k]);
        }
        (void)sett_add(world, entities[size - 1], brief);
        sett_query* query = sweep_query(world, brief);
        scene_start(&run);
        for (uint32_t k = 0; k < 1000; k++) {
            sweep_loop(query, 16);
        }
        scene_stop(&run);
        sweep_add(&points[4], &run, 1000);
        scene_free(entities);
        sett_world_destroy(world);
    }
    for (uint32_t k = 0; k < 5; k++) {
        sweep_print(&points[k]);
    }
    scene_free(order);
}

/* ---- Fragmentation --------------------------------------------------------------------------- */

/* A world of positions and velocities, stored as the name of the series says. */
typedef struct sweep_bodies {
    sett_world* world;
    sett_component p;
    sett_component v;
    uint64_t state; /* of what is drawn */
} sweep_bodies;

static sweep_bodies sweep_bodies_create(const char* series)
{
    scene_run run = {0};
    bool sparse_set = strcmp(series, "array") != 0;
    sett_storage_kind kind = sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
    sweep_bodies bodies = {.world = scene_world(&run, false), .state = SCENE_SEED};
    bodies.p = SCENE_TYPE(bodies.world, Position, kind);
    bodies.v = SCENE_TYPE(bodies.world, Velocity, kind);
    if (strcmp(series, "group") == 0) {
        sett_group_desc desc = {.owned = {bodies.p, bodies.v}};
        scene_check(sett_group_create(bodies.world, &desc) != NULL, "sett_group_create");
    }
    return bodies;
}

/* Moves those that have both, once to warm up. */
static void sweep_move(sweep_point* point, const sweep_bodies* bodies, uint32_t matches)
{
    sett_query* query = scene_query(
        bodies->world,
        (sett_term[]){{.component = bodies->p}, {.component = bodies->v, .access = SETT_IN}, {0}});
    uint32_t rounds = scene_rounds(matches, sweep_operations);
    scene_run run = {0};
    for (uint32_t round = 0; scene_goes_on(&run, round, rounds); round++) {
        SETT_QUERY_EACH(query, b) {
            Position* position = sett_batch_field(b, 0);
            const Velocity* velocity = sett_batch_field(b, 1);
            SETT_EACH(b, i) {
                scene_move(&position[i], &velocity[i]);
            }
        }
    }
    sweep_add(point, &run, (uint64_t)rounds * matches);
}

/* A share of the entities is destroyed, here and there; the rest is looped over. */
static void sweep_fragments(double destroyed, const char* series)
{
    sweep_point point = {.sweep = "fragmentation", .series = series, .x = 1 - destroyed};
    sweep_point memory = {.sweep = "fragmentation memory", .series = series, .x = 1 - destroyed};
    uint32_t* order = scene_shuffled(sweep_count, SCENE_SEED);
    for (uint32_t repetition = 0; repetition < sweep_repetitions; repetition++) {
        sweep_bodies bodies = sweep_bodies_create(series);
        sett_world* world = bodies.world;
        sett_entity* entities = scene_entities(world, sweep_count);
        for (uint32_t k = 0; k < sweep_count; k++) {
            (void)sett_add(world, entities[k], bodies.p);
            (void)sett_add(world, entities[k], bodies.v);
        }
        uint32_t gone = (uint32_t)(destroyed * sweep_count);
        for (uint32_t k = 0; k < gone; k++) {
            (void)sett_entity_destroy(world, entities[order[k]]);
        }
        uint32_t left = sweep_count - gone;
        sweep_move(&point, &bodies, left);
        sett_stats stats;
        sett_world_stats(world, &stats);
        memory.ns[memory.taken++] = (double)stats.page_size / left;
        scene_free(entities);
        sett_world_destroy(world);
    }
    sweep_print(&point);
    sweep_print(&memory);
    scene_free(order);
}

/* ---- Replacement ----------------------------------------------------------------------------- */

/* A new one has a position, and with even odds a velocity. */
static sett_entity sweep_body(sweep_bodies* bodies)
{
    sett_entity e = sett_entity_create(bodies->world);
    (void)sett_add(bodies->world, e, bodies->p);
    if ((scene_random(&bodies->state) >> 40 & 1) != 0) {
        (void)sett_add(bodies->world, e, bodies->v);
    }
    return e;
}

/* As many entities as there are, times `share`, were replaced by new ones before the loop. */
static void sweep_replaced(double share, const char* series)
{
    sweep_point point = {.sweep = "replaced", .series = series, .x = share};
    for (uint32_t repetition = 0; repetition < sweep_repetitions; repetition++) {
        sweep_bodies bodies = sweep_bodies_create(series);
        sett_entity* entities = scene_alloc(sweep_count, sizeof(sett_entity));
        for (uint32_t k = 0; k < sweep_count; k++) {
            entities[k] = sweep_body(&bodies);
        }
        for (uint32_t k = 0; k < (uint32_t)(share * sweep_count); k++) {
            uint32_t at = (uint32_t)((scene_random(&bodies.state) >> 32) % sweep_count);
            (void)sett_entity_destroy(bodies.world, entities[at]);
            entities[at] = sweep_body(&bodies);
        }
        sweep_move(&point, &bodies, sett_component_count(bodies.world, bodies.v));
        scene_free(entities);
        sett_world_destroy(bodies.world);
    }
    sweep_print(&point);
}

/* ---- Storages against the share of entities that have the type ------------------------------- */

#define SWEEP_VALUE 16u /* bytes */

/* Sett's storages behind those of the textbook. */
enum {
    SWEEP_ARRAY = REFERENCE_KINDS,
    SWEEP_SPARSE,
    SWEEP_STORAGES
};

/* One storage of either sort, with what is done to it. */
typedef struct sweep_storage {
    uint32_t kind;
    reference ref;
    sett_world* world;
    sett_component id;
    sett_entity* entities;
    sett_query* query;
} sweep_storage;

static bool sweep_is_sett(const sweep_storage* storage)
{
    return storage->kind >= SWEEP_ARRAY;
}

static void sweep_storage_create(sweep_storage* storage, uint32_t kind)
{
    scene_run run = {0};
    memset(storage, 0, sizeof(*storage));
    storage->kind = kind;
    if (!sweep_is_sett(storage)) {
        reference_init(&storage->ref, (reference_kind)kind, SWEEP_VALUE, sweep_count);
        return;
    }
    storage->world = scene_world(&run, false);
    storage->id = scene_type(storage->world, "Value", SWEEP_VALUE, 4,
                             kind == SWEEP_ARRAY ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
    storage->entities = scene_entities(storage->world, sweep_count);
    storage->query = sweep_query(storage->world, storage->id);
}

static void sweep_storage_destroy(sweep_storage* storage)
{
    if (sweep_is_sett(storage)) {
        scene_free(storage->entities);
        sett_world_destroy(storage->world);
    } else {
        reference_deinit(&storage->ref);
    }
}

static void sweep_storage_add(sweep_storage* storage, const uint32_t* numbers, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (sweep_is_sett(storage)) {
            (void)sett_add(storage->world, storage->entities[numbers[k]], storage->id);
        } else {
            (void)reference_add(&storage->ref, numbers[k]);
        }
    }
}

static void sweep_storage_remove(sweep_storage* storage, const uint32_t* numbers, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (sweep_is_sett(storage)) {
            (void)sett_remove(storage->world, storage->entities[numbers[k]], storage->id);
        } else {
            reference_remove(&storage->ref, numbers[k]);
        }
    }
}

/* Of a handle that is kept, or of a number: textbook storages know no handles. */
static float sweep_storage_sum(const sweep_storage* storage, const uint32_t* numbers,
                               uint32_t count)
{
    float sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        float value;
        memcpy(&value,
               sweep_is_sett(storage)
                   ? sett_get(storage->world, storage->entities[numbers[k]], storage->id)
                   : reference_find(&storage->ref, numbers[k]),
               sizeof(value));
        sum += value;
    }
    return sum;
}

static void sweep_storage_visit(sweep_storage* storage)
{
    if (sweep_is_sett(storage)) {
        sweep_loop(storage->query, SWEEP_VALUE);
    } else {
        reference_visit(&storage->ref);
    }
}

static void sweep_storage_once(sweep_point* points, uint32_t kind, const uint32_t* numbers,
                               const uint32_t* shuffled, uint32_t count)
{
    sweep_storage storage;
    sweep_storage_create(&storage, kind);
    uint32_t rounds = scene_rounds(count + 1, sweep_operations);
    scene_run run[4] = {{0}};
    scene_start(&run[0]);
    sweep_storage_add(&storage, numbers, count);
    scene_stop(&run[0]);
    sweep_storage_visit(&storage);
    scene_start(&run[1]);
    for (uint32_t round = 1; round < rounds; round++) {
        sweep_storage_visit(&storage);
    }
    scene_stop(&run[1]);
    scene_start(&run[2]);
    float sum = sweep_storage_sum(&storage, shuffled, count);
    scene_stop(&run[2]);
    scene_check((uint64_t)sum == (uint64_t)rounds * count || rounds * count >= 1u << 24,
                "every value was visited in every round");
    scene_start(&run[3]);
    sweep_storage_remove(&storage, shuffled, count);
    scene_stop(&run[3]);
    for (uint32_t k = 0; k < 4; k++) {
        sweep_add(&points[k], &run[k], k == 1 && rounds > 1 ? (rounds - 1) * count : count);
    }
    sweep_storage_destroy(&storage);
}

/* Numbers below the count, a share of them, in order; returns how many. */
static uint32_t sweep_some(double share, uint32_t* numbers)
{
    uint64_t state = SCENE_SEED;
    uint32_t count = 0;
    for (uint32_t k = 0; k < sweep_count; k++) {
        if ((double)(scene_random(&state) >> 11) / 9007199254740992.0 < share) {
            numbers[count++] = k;
        }
    }
    return count;
}

static void sweep_storages(double share, uint32_t kind)
{
    const char* series = kind == SWEEP_ARRAY    ? "array"
                         : kind == SWEEP_SPARSE ? "sparse-set"
                                                : reference_names[kind];
    sweep_point points[4] = {{.sweep = "storage add", .series = series, .x = share},
                             {.sweep = "storage visit", .series = series, .x = share},
                             {.sweep = "storage get", .series = series, .x = share},
                             {.sweep = "storage remove", .series = series, .x = share}};
    uint32_t* numbers = scene_alloc(sweep_count, sizeof(uint32_t));
    uint32_t* shuffled = scene_alloc(sweep_count, sizeof(uint32_t));
    uint32_t count = sweep_some(share, numbers);
    memcpy(shuffled, numbers, count * sizeof(uint32_t));
    scene_shuffle(shuffled, count, sizeof(uint32_t));
    for (uint32_t repetition = 0; repetition < sweep_repetitions && count != 0; repetition++) {
        sweep_storage_once(points, kind, numbers, shuffled, count);
    }
    for (uint32_t k = 0; k < 4 && count != 0; k++) {
        sweep_print(&points[k]);
    }
    scene_free(shuffled);
    scene_free(numbers);
}

/* ---- Memory against the share of entities that have a type ----------------------------------- */

static void sweep_memory_line(uint32_t count, uint32_t size, const char* series, double share,
                              size_t bytes)
{
    printf("memory %u x %u,%s,%g,%zu,%zu,%zu\n", (unsigned)count, (unsigned)size, series, share,
           bytes, bytes, bytes);
}

/* What the arrays of a textbook storage take, of which a share of the numbers have a value. */
static void sweep_memory_reference(uint32_t count, uint32_t size, double share, reference_kind kind)
{
    char series[40];
    reference ref;
    uint64_t state = SCENE_SEED;
    reference_init(&ref, kind, size, count);
    for (uint32_t k = 0; k < count; k++) {
        if ((double)(scene_random(&state) >> 11) / 9007199254740992.0 < share) {
            (void)reference_add(&ref, k);
        }
    }
    (void)snprintf(series, sizeof(series), "%s measured", reference_names[kind]);
    sweep_memory_line(count, size, series, share, ref.bytes);
    reference_deinit(&ref);
}

static void sweep_memory(uint32_t count, uint32_t size, double share)
{
    scene_density spread = {count, size, share, true, false, 0, 0, 0};
    scene_density clustered = {count, size, share, false, false, 0, 0, 0};
    scene_density sparse_set = {count, size, share, true, true, 0, 0, 0};
    scene_density_measure(&spread);
    scene_density_measure(&clustered);
    scene_density_measure(&sparse_set);
    sweep_memory_line(count, size, "linear with bytes", share, (size_t)(size + 1) * count);
    sweep_memory_line(count, size, "linear with bits", share, spread.linear);
    sweep_memory_line(count, size, "sparse set", share, spread.sparse);
    sweep_memory_line(count, size, "array", share, spread.measured);
    sweep_memory_line(count, size, "array clustered", share, clustered.measured);
    sweep_memory_line(count, size, "sparse-set", share, sparse_set.measured);
    for (uint32_t kind = 0; kind < REFERENCE_KINDS; kind++) {
        if (kind != REFERENCE_ORDERED) {
            sweep_memory_reference(count, size, share, (reference_kind)kind);
        }
    }
}

static void sweep_all_memory(void)
{
    static const double shares[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1};
    static const double table[] = {0.01, 0.1, 0.25, 0.5, 0.75, 1};
    static const uint32_t sizes[] = {8, 16, 24, 32, 64, 128};
    for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
        sweep_memory(10 * sweep_count, 16, shares[k]);
    }
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
            sweep_memory(1000, sizes[s], table[k]);
        }
    }
}

static void sweep_all_storages(void)
{
    static const double shares[] = {0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1};
    for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
        for (uint32_t kind = 0; kind < SWEEP_STORAGES; kind++) {
            if (kind != REFERENCE_ORDERED) {
                sweep_storages(shares[k], kind);
            }
        }
    }
}

static void sweep_all_fragments(void)
{
    static const char* const layouts[] = {"array", "sparse-set", "group"};
    static const double destroyed[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99};
    static const double replaced[] = {0.01, 0.1, 0.25, 0.5, 1, 2, 4, 8};
    for (size_t layout = 0; layout < sizeof(layouts) / sizeof(layouts[0]); layout++) {
        for (size_t k = 0; k < sizeof(destroyed) / sizeof(destroyed[0]); k++) {
            sweep_fragments(destroyed[k], layouts[layout]);
        }
        for (size_t k = 0; k < sizeof(replaced) / sizeof(replaced[0]); k++) {
            sweep_replaced(replaced[k], layouts[layout]);
        }
    }
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        sweep_repetitions = 1;
        sweep_count = 1000;
        sweep_operations = 5000;
    }
    printf("sweep,series,x,low,median,high\n");
    for (uint32_t size = 4; size <= 256; size *= 2) {
        sweep_size(size, SETT_STORAGE_ARRAY);
        sweep_size(size, SETT_STORAGE_SPARSE_SET);
    }
    for (uint32_t types = 4; types <= 1024; types *= 4) {
        sweep_types(types, 1, "types", types);
    }
    for (uint32_t sets = 1; sets <= 4096; sets *= 8) {
        sweep_types(64, sets, "sets", sets);
    }
    for (uint32_t size = sweep_count / 10; size <= 100 * sweep_count; size *= 10) {
        sweep_few(size);
    }
    sweep_all_fragments();
    sweep_all_storages();
    sweep_all_memory();
    return 0;
}
