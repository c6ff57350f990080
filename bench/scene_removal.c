/* scene_removal.c: removing every component of a type, in three orders: from a sparse set,
 * where the last value fills the gap, and from one that keeps its order. 12-byte values; N = 10,000
 * and more. The author of the benchmark measured bare storages; here the change goes through the
 * world (handle, signature, storage), and bare ones are measured beside it: Sett's sparse set of
 * numbers, the textbook's with values, and the one that keeps its order by moving all that lies
 * behind at once. */
#include "reference.h"
#include "scene_case.h"
#include "scene_sett.h"

#include "sett/sparse_set.h"

enum {
    REMOVAL_LINEAR,
    REMOVAL_RANDOM,
    REMOVAL_REVERSE,
    REMOVAL_ORDERS
};

typedef struct removal_value {
    float x, y, z;
} removal_value;

/* Which entity goes at each step, to be freed. */
static uint32_t* removal_order(uint32_t count, uint32_t order)
{
    uint32_t* list = scene_shuffled(count, SCENE_SEED);
    for (uint32_t k = 0; order != REMOVAL_RANDOM && k < count; k++) {
        list[k] = order == REMOVAL_LINEAR ? k : count - 1 - k;
    }
    return list;
}

static void removal_run(scene_run* run, bool keep_order)
{
    sett_world* world = scene_world(run, false);
    sett_component_desc desc = {SETT_TYPE(removal_value)};
    desc.storage = SETT_STORAGE_SPARSE_SET;
    desc.keep_order = keep_order;
    sett_component id = sett_component_register(world, &desc);
    sett_entity* entities = scene_entities(world, run->count);
    sett_entity* asked = scene_alloc(run->count, sizeof(sett_entity));
    uint32_t* order = removal_order(run->count, run->variant);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_add(world, entities[k], id);
        asked[k] = entities[order[k]];
    }
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_remove(world, asked[k], id);
    }
    (void)sett_component_compact(world, id);
    scene_stop(run);
    run->operations = run->count;
    run->checksum = sett_component_count(world, id);
    scene_free(order);
    scene_free(asked);
    scene_free(entities);
    sett_world_destroy(world);
}

static void removal_sparse(scene_run* run)
{
    removal_run(run, false);
}

static void removal_keep_order(scene_run* run)
{
    removal_run(run, true);
}

static void removal_sparse_set(scene_run* run)
{
    sett_sparse_set* set = sett_sparse_set_create(NULL, 0);
    uint32_t* order = removal_order(run->count, run->variant);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_sparse_set_request(set, k);
    }
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_sparse_set_remove(set, order[k]);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = sett_sparse_set_count(set);
    scene_free(order);
    sett_sparse_set_destroy(set);
}

static void removal_reference(scene_run* run, reference_kind kind)
{
    reference set;
    uint32_t* order = removal_order(run->count, run->variant);
    reference_init(&set, kind, sizeof(removal_value), run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)reference_add(&set, k);
    }
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        reference_remove(&set, order[k]);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = set.count;
    scene_free(order);
    reference_deinit(&set);
}

static void removal_textbook(scene_run* run)
{
    removal_reference(run, REFERENCE_SPARSE_SET);
}

static void removal_at_once(scene_run* run)
{
    removal_reference(run, REFERENCE_ORDERED);
}

/* clang-format off */
#define REMOVAL_CASE(n, name, order, fn) {"removal", name, n, order, false, fn, 0, 0, 0}
#define REMOVAL_CASES(n)                                                                           \
    REMOVAL_CASE(n, "sparse set, linear", REMOVAL_LINEAR, removal_sparse),                         \
    REMOVAL_CASE(n, "sparse set, random", REMOVAL_RANDOM, removal_sparse),                         \
    REMOVAL_CASE(n, "sparse set, reverse", REMOVAL_REVERSE, removal_sparse),                       \
    REMOVAL_CASE(n, "keep_order, linear", REMOVAL_LINEAR, removal_keep_order),                     \
    REMOVAL_CASE(n, "keep_order, random", REMOVAL_RANDOM, removal_keep_order),                     \
    REMOVAL_CASE(n, "keep_order, reverse", REMOVAL_REVERSE, removal_keep_order),                   \
    REMOVAL_CASE(n, "sparse set alone, linear", REMOVAL_LINEAR, removal_sparse_set),               \
    REMOVAL_CASE(n, "sparse set alone, random", REMOVAL_RANDOM, removal_sparse_set),               \
    REMOVAL_CASE(n, "sparse set alone, reverse", REMOVAL_REVERSE, removal_sparse_set),             \
    REMOVAL_CASE(n, "textbook sparse set, linear", REMOVAL_LINEAR, removal_textbook),              \
    REMOVAL_CASE(n, "textbook sparse set, random", REMOVAL_RANDOM, removal_textbook),              \
    REMOVAL_CASE(n, "textbook sparse set, reverse", REMOVAL_REVERSE, removal_textbook)
/* clang-format on */

const scene_case scene_removal[] = {
    REMOVAL_CASES(10000),
    REMOVAL_CASES(100000),
    REMOVAL_CASES(250000),
    /* Quadratic: 45 ms here, 30 s at 250,000. */
    REMOVAL_CASE(10000, "order kept at once, linear", REMOVAL_LINEAR, removal_at_once),
    REMOVAL_CASE(10000, "order kept at once, random", REMOVAL_RANDOM, removal_at_once),
    REMOVAL_CASE(10000, "order kept at once, reverse", REMOVAL_REVERSE, removal_at_once),
    {0},
};
