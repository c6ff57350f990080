/* scene_six.c: the six tests by which the engine Varkor compared its component systems: creation,
 * addition, three kinds of churn, and a random mixture whose every draw is prescribed. One world a
 * test, made and destroyed inside the clock. Component types: Ca, Cb, Cc and Cd of scene.h; "write
 * v" sets every field. */
#include "scene_case.h"
#include "scene_sett.h"

#include "sett/hierarchy.h"

#include <string.h>

#define SIX_ROUNDS 300
#define SIX_ENTITIES 2000

typedef struct six {
    sett_world* world;
    sett_component type[4]; /* A, B, C, D */
} six;

static six six_begin(scene_run* run, bool huge)
{
    six test = {.world = scene_world(run, huge)};
    test.type[0] = SCENE_TYPE(test.world, Ca, SETT_STORAGE_DEFAULT);
    test.type[1] = SCENE_TYPE(test.world, Cb, SETT_STORAGE_DEFAULT);
    test.type[2] = SCENE_TYPE(test.world, Cc, SETT_STORAGE_DEFAULT);
    test.type[3] = SCENE_TYPE(test.world, Cd, SETT_STORAGE_DEFAULT);
    return test;
}

static void six_write(void* value, uint32_t type, float v)
{
    switch (type) {
    case 0:
        scene_write_a(value, v);
        break;
    case 1:
        scene_write_b(value, v);
        break;
    case 2:
        scene_write_c(value, v);
        break;
    default:
        scene_write_d(value, v);
        break;
    }
}

static void six_create(scene_run* run)
{
    scene_start(run);
    sett_world* world = scene_world(run, true);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_entity_create(world);
    }
    run->checksum = sett_entity_count(world);
    sett_world_destroy(world);
    scene_stop(run);
    run->operations = run->count;
}

static void six_add(scene_run* run)
{
    scene_start(run);
    six test = six_begin(run, true);
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = sett_entity_create(test.world);
        for (uint32_t type = 0; type < 4; type++) {
            (void)sett_add(test.world, e, test.type[type]);
        }
    }
    run->checksum = sett_component_count(test.world, test.type[3]);
    sett_world_destroy(test.world);
    scene_stop(run);
    run->operations = run->count;
}

static void six_add_write_delete(scene_run* run)
{
    sett_entity* entities = scene_alloc(run->count, sizeof(sett_entity));
    scene_start(run);
    six test = six_begin(run, false);
    for (uint32_t round = 0; round < SIX_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            entities[k] = sett_entity_create(test.world);
            for (uint32_t type = 0; type < 4; type++) {
                (void)sett_add(test.world, entities[k], test.type[type]);
            }
        }
        for (uint32_t k = 0; k < run->count; k++) {
            for (uint32_t type = 0; type < 4; type++) {
                six_write(sett_get_mut(test.world, entities[k], test.type[type]), type, 1);
            }
        }
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(test.world, entities[k]);
        }
    }
    run->checksum = sett_entity_count(test.world);
    sett_world_destroy(test.world);
    scene_stop(run);
    run->operations = (uint64_t)SIX_ROUNDS * run->count;
    scene_free(entities);
}

static void six_distributed(scene_run* run)
{
    static const uint32_t pairs[4][2] = {{0, 3}, {1, 0}, {2, 1}, {3, 2}};
    sett_entity* entities = scene_alloc(run->count, sizeof(sett_entity));
    scene_start(run);
    six test = six_begin(run, false);
    sett_world* world = test.world;
    for (uint32_t round = 0; round < SIX_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            entities[k] = sett_entity_create(world);
            (void)sett_add(world, entities[k], test.type[pairs[k % 4][0]]);
            (void)sett_add(world, entities[k], test.type[pairs[k % 4][1]]);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            for (uint32_t j = 0; j < 2; j++) {
                uint32_t type = pairs[k % 4][j];
                six_write(sett_get_mut(world, entities[k], test.type[type]), type, 1);
            }
        }
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_remove(world, entities[k], test.type[pairs[k % 4][0]]);
            (void)sett_remove(world, entities[k], test.type[pairs[k % 4][1]]);
        }
        for (uint32_t k = run->count; k-- > 0;) {
            (void)sett_add(world, entities[k], test.type[pairs[(k + 1) % 4][0]]);
            (void)sett_add(world, entities[k], test.type[pairs[(k + 1) % 4][1]]);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(world, entities[k]);
        }
    }
    run->checksum = sett_entity_count(world);
    sett_world_destroy(world);
    scene_stop(run);
    run->operations = (uint64_t)SIX_ROUNDS * run->count;
    scene_free(entities);
}

/* The tree of six_relationship: of the library's hierarchy, or by hand if `link` is not 0. */
static sett_entity six_child(const six* test, sett_component link, sett_entity parent,
                             uint32_t type)
{
    if (link != 0) {
        return scene_link_child(test->world, link, parent, test->type[type]);
    }
    sett_entity e = sett_entity_create(test->world);
    (void)sett_hierarchy_attach(test->world, e, parent);
    (void)sett_add(test->world, e, test->type[type]);
    return e;
}

static sett_entity six_first(const six* test, sett_component link, sett_entity e)
{
    return link != 0 ? ((const scene_link*)sett_get(test->world, e, link))->first
                     : sett_hierarchy_first(test->world, e);
}

static sett_entity six_next(const six* test, sett_component link, sett_entity e)
{
    return link != 0 ? ((const scene_link*)sett_get(test->world, e, link))->next
                     : sett_hierarchy_next(test->world, e);
}

static sett_entity six_tree(const six* test, sett_component link)
{
    sett_entity root = sett_entity_create(test->world);
    if (link != 0) {
        (void)sett_add(test->world, root, link);
    }
    (void)sett_add(test->world, root, test->type[0]);
    (void)sett_add(test->world, root, test->type[1]);
    for (uint32_t i = 0; i < SCENE_TREE_CHILDREN; i++) {
        sett_entity child = six_child(test, link, root, 2);
        for (uint32_t j = 0; j < SCENE_TREE_LEAVES; j++) {
            (void)six_child(test, link, child, 3);
        }
    }
    return root;
}

static void six_write_tree(const six* test, sett_component link, sett_entity root)
{
    sett_world* world = test->world;
    six_write(sett_get_mut(world, root, test->type[0]), 0, 1);
    six_write(sett_get_mut(world, root, test->type[1]), 1, 1);
    for (sett_entity child = six_first(test, link, root); !sett_is_null(child);
         child = six_next(test, link, child)) {
        six_write(sett_get_mut(world, child, test->type[2]), 2, 1);
        for (sett_entity leaf = six_first(test, link, child); !sett_is_null(leaf);
             leaf = six_next(test, link, leaf)) {
            six_write(sett_get_mut(world, leaf, test->type[3]), 3, 1);
        }
    }
}

/* variant: 1 by hand. */
static void six_relationship(scene_run* run)
{
    sett_entity* roots = scene_alloc(run->count, sizeof(sett_entity));
    scene_start(run);
    six test = six_begin(run, false);
    sett_world* world = test.world;
    sett_component link =
        run->variant != 0 ? SCENE_TYPE(world, scene_link, SETT_STORAGE_DEFAULT) : 0;
    for (uint32_t round = 0; round < SCENE_TREE_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            roots[k] = six_tree(&test, link);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            six_write_tree(&test, link, roots[k]);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            if (link != 0) {
                scene_link_destroy(world, link, roots[k]);
            } else {
                (void)sett_entity_destroy(world, roots[k]);
            }
        }
    }
    run->checksum = sett_entity_count(world);
    sett_world_destroy(world);
    scene_stop(run);
    run->operations = (uint64_t)SCENE_TREE_ROUNDS * SCENE_TREE_ENTITIES(run->count);
    scene_free(roots);
}

/* --------------------------------------------------------------------------------------- random */

/* The Mersenne twister mt19937, because the test prescribes its draws. */
typedef struct six_twister {
    uint32_t state[624];
    uint32_t at;
    uint64_t draws;
} six_twister;

static void six_twister_seed(six_twister* twister, uint32_t seed)
{
    twister->state[0] = seed;
    for (uint32_t k = 1; k < 624; k++) {
        uint32_t last = twister->state[k - 1];
        twister->state[k] = 1812433253u * (last ^ (last >> 30)) + k;
    }
    twister->at = 624;
    twister->draws = 0;
}

static void six_twister_turn(six_twister* twister)
{
    uint32_t* s = twister->state;
    for (uint32_t k = 0; k < 624; k++) {
        uint32_t y = (s[k] & 0x80000000u) | (s[(k + 1) % 624] & 0x7fffffffu);
        s[k] = s[(k + 397) % 624] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
    }
    twister->at = 0;
}

static uint32_t six_twister_next(six_twister* twister)
{
    if (twister->at == 624) {
        six_twister_turn(twister);
    }
    uint32_t y = twister->state[twister->at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

static uint64_t six_draw(six_twister* twister)
{
    uint64_t high = six_twister_next(twister);
    twister->draws++;
    return high << 32 | six_twister_next(twister);
}

#define SIX_STEPS 50000
#define SIX_CYCLES 10
#define SIX_DRAWS 5416228u
#define SIX_FIRST_DRAW 15028999435905310454u

/* With `bare` there is no world: what the generator and the list cost alone. */
typedef struct six_random {
    six test;
    bool bare;
    six_twister twister;
    sett_entity* list;
    uint32_t size;
    uint32_t most;
    uint64_t created, deleted;
} six_random;

/* The number of a random entity in the list; false if the list is empty: then nothing is drawn. */
static bool six_pick(six_random* random, uint32_t* at)
{
    if (random->size == 0) {
        return false;
    }
    *at = (uint32_t)(six_draw(&random->twister) % random->size);
    return true;
}

static void six_random_write(six_random* random)
{
    uint32_t at;
    if (!six_pick(random, &at) || random->bare) {
        return;
    }
    sett_world* world = random->test.world;
    sett_entity e = random->list[at];
    void* found[4];
    for (uint32_t type = 0; type < 4; type++) {
        found[type] = sett_find_mut(world, e, random->test.type[type]);
    }
    for (uint32_t type = 0; type < 4; type++) {
        if (found[type] != NULL) {
            float first; /* every type begins with the number that the test adds to, but for D */
            memcpy(&first, (const char*)found[type] + (type == 3 ? sizeof(int32_t) : 0),
                   sizeof(first));
            six_write(found[type], type, first + 1);
        }
    }
}

static void six_random_create(six_random* random)
{
    sett_entity e = sett_null();
    if (!random->bare) {
        e = sett_entity_create(random->test.world);
    }
    random->list[random->size++] = e;
    random->most = random->size > random->most ? random->size : random->most;
    random->created++;
    for (uint32_t type = 0; type < 4; type++) {
        if (six_draw(&random->twister) % 2 == 1 && !random->bare) {
            (void)sett_add(random->test.world, e, random->test.type[type]);
        }
    }
}

/* Phase 2: writes, makes sure that a component is there, or that it is not. */
static void six_random_middle(six_random* random)
{
    uint64_t what = six_draw(&random->twister) % 3;
    uint32_t at;
    if (what == 0) {
        six_random_write(random);
        return;
    }
    if (!six_pick(random, &at)) {
        return;
    }
    sett_component type = random->test.type[six_draw(&random->twister) % 4];
    if (random->bare) {
        return;
    }
    if (what == 1) {
        (void)sett_ensure(random->test.world, random->list[at], type);
    } else if (sett_has(random->test.world, random->list[at], type)) {
        (void)sett_remove(random->test.world, random->list[at], type);
    }
}

static void six_random_delete(six_random* random)
{
    uint32_t at;
    if (!six_pick(random, &at)) {
        return;
    }
    if (!random->bare) {
        (void)sett_entity_destroy(random->test.world, random->list[at]);
    }
    random->list[at] = random->list[--random->size];
    random->deleted++;
}

static void six_random_cycle(six_random* random)
{
    for (uint32_t k = 0; k < SIX_STEPS; k++) {
        float p = (float)(SIX_STEPS - k) / (float)SIX_STEPS;
        float r = (float)(six_draw(&random->twister) % 1000) / 1000;
        if (r <= p) {
            six_random_create(random);
        } else {
            six_random_write(random);
        }
    }
    for (uint32_t k = 0; k < 2 * SIX_STEPS; k++) {
        six_random_middle(random);
    }
    for (uint32_t k = 0; k < SIX_STEPS; k++) {
        float p = (float)k / (float)SIX_STEPS;
        float r = (float)(six_draw(&random->twister) % 1000) / 1000;
        if (r <= p) {
            six_random_delete(random);
        } else {
            six_random_write(random);
        }
    }
}

/* variant: 1 without a world. */
static void six_random_test(scene_run* run)
{
    bool bare = run->variant != 0;
    static six_random random;
    memset(&random, 0, sizeof(random));
    six_twister_seed(&random.twister, 5489);
    scene_check(six_draw(&random.twister) == SIX_FIRST_DRAW, "the first draw of mt19937");
    six_twister_seed(&random.twister, 5489);
    random.bare = bare;
    random.list = scene_alloc(SIX_STEPS, sizeof(sett_entity));
    scene_start(run);
    if (!bare) {
        random.test = six_begin(run, false);
    }
    for (uint32_t cycle = 0; cycle < SIX_CYCLES; cycle++) {
        six_random_cycle(&random);
    }
    if (!bare) {
        scene_check(sett_entity_count(random.test.world) == random.size, "entities of random");
        sett_world_destroy(random.test.world);
    }
    scene_stop(run);
    scene_check(random.created == 249720 && random.deleted == 249581 && random.most == 25187 &&
                    random.twister.draws == SIX_DRAWS,
                "the course of random");
    run->operations = run->count;
    run->checksum = random.size;
    scene_free(random.list);
}

const scene_case scene_six[] = {
    {"six", "create", 1000000, 0, false, six_create, 0.0132, 23592960, 18},
    {"six", "add", 500000, 0, false, six_add, 0.113, 85459232, 161},
    {"six", "add_write_delete", SIX_ENTITIES, 0, false, six_add_write_delete, 0.138, 334112, 89},
    {"six", "distributed", SIX_ENTITIES, 0, false, six_distributed, 0.139, 245928, 82},
    {"six", "relationship", 10, 0, false, six_relationship, 0.201, 368696, 105074},
    {"six", "relationship by hand", 10, 1, false, six_relationship, 0.201, 368696, 105074},
    {"six", "random", 200000 * SIX_CYCLES, 0, false, six_random_test, 0.258, 4274560, 133},
    {"six", "random, generator alone", 200000 * SIX_CYCLES, 1, false, six_random_test, 0.057, 0, 0},
    {0},
};
