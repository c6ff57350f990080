/* scene_profile.c: whether what is registered costs anything: creating, visiting, and creating then
 * removing entities with 1, 2 or 3 components (position 2 floats, velocity 2, mass 1), in worlds of
 * three profiles: A (32 component types, 16 systems), AA (128, 32) and AAA (512, 64). Each system
 * is a prepared query over one of the types; one more requires exactly the components used. */
#include "scene_case.h"
#include "scene_sett.h"

#include <stdio.h>

typedef struct Mass {
    float value;
} Mass;

/* variant = 10 x profile + components */
#define PROFILE_OF(variant) ((variant) / 10)
#define PROFILE_COMPONENTS(variant) ((variant) % 10)

typedef struct profile_scene {
    sett_world* world;
    sett_component type[3];
    uint32_t count; /* of these */
    sett_query* query;
    sett_entity* entities;
} profile_scene;

static profile_scene profile_begin(scene_run* run)
{
    static const uint32_t types[] = {32, 128, 512};
    static const uint32_t systems[] = {16, 32, 64};
    uint32_t profile = PROFILE_OF(run->variant);
    profile_scene scene = {.world = scene_world(run, run->count > 100000)};
    scene.type[0] = SCENE_TYPE(scene.world, Position, SETT_STORAGE_DEFAULT);
    scene.type[1] = SCENE_TYPE(scene.world, Velocity, SETT_STORAGE_DEFAULT);
    scene.type[2] = SCENE_TYPE(scene.world, Mass, SETT_STORAGE_DEFAULT);
    scene.count = PROFILE_COMPONENTS(run->variant);
    for (uint32_t k = 3; k < types[profile]; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Other%u", (unsigned)k);
        sett_component id =
            scene_type(scene.world, name, sizeof(Pair), SETT_ALIGNOF(Pair), SETT_STORAGE_DEFAULT);
        if (k < 3 + systems[profile] - 1) {
            (void)scene_query(scene.world, (sett_term[]){{.component = id}, {0}});
        }
    }
    sett_term terms[4] = {{0}};
    for (uint32_t k = 0; k < scene.count; k++) {
        terms[k].component = scene.type[k];
    }
    scene.query = scene_query(scene.world, terms);
    scene.entities = scene_alloc(run->count, sizeof(sett_entity));
    return scene;
}

static void profile_fill(profile_scene* scene, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = scene->entities[k] = sett_entity_create(scene->world);
        for (uint32_t type = 0; type < scene->count; type++) {
            (void)sett_add(scene->world, e, scene->type[type]);
        }
    }
}

static void profile_end(profile_scene* scene)
{
    sett_world_destroy(scene->world);
    scene_free(scene->entities);
}

static void profile_create(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        profile_scene scene = profile_begin(run);
        scene_start(run);
        profile_fill(&scene, run->count);
        scene_stop(run);
        run->checksum += sett_component_count(scene.world, scene.type[0]);
        profile_end(&scene);
    }
    run->operations = (uint64_t)rounds * run->count;
}

static void profile_iterate(scene_run* run)
{
    profile_scene scene = profile_begin(run);
    profile_fill(&scene, run->count);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        SETT_QUERY_EACH(scene.query, b) {
            Position* p = sett_batch_field(b, 0);
            Velocity* v = scene.count > 1 ? sett_batch_field(b, 1) : NULL;
            Mass* m = scene.count > 2 ? sett_batch_field(b, 2) : NULL;
            if (m != NULL) {
                SETT_EACH(b, i) {
                    p[i].x += v[i].x * m[i].value;
                    p[i].y += v[i].y * m[i].value;
                }
            } else if (v != NULL) {
                SETT_EACH(b, i) {
                    p[i].x += v[i].x * SCENE_DT;
                    p[i].y += v[i].y * SCENE_DT;
                }
            } else {
                SETT_EACH(b, i) {
                    p[i].x += 1;
                    p[i].y += 1;
                }
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sett_component_count(scene.world, scene.type[0]);
    profile_end(&scene);
}

static void profile_create_remove(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        profile_scene scene = profile_begin(run);
        scene_start(run);
        profile_fill(&scene, run->count);
        for (uint32_t k = run->count; k-- > 0;) {
            (void)sett_entity_destroy(scene.world, scene.entities[k]);
        }
        scene_stop(run);
        run->checksum += sett_entity_count(scene.world);
        profile_end(&scene);
    }
    run->operations = (uint64_t)rounds * run->count;
}

/* clang-format off */
#define PROFILE_CASE(n, c, full, name, fn)                                                         \
    {"profile", name ", A", n, c, full, fn, 0, 0, 0},                                              \
    {"profile", name ", AA", n, 10 + (c), full, fn, 0, 0, 0},                                      \
    {"profile", name ", AAA", n, 20 + (c), full, fn, 0, 0, 0}
#define PROFILE_CASES(n, c, full)                                                                  \
    PROFILE_CASE(n, c, full, "create " #c, profile_create),                                        \
    PROFILE_CASE(n, c, full, "iterate " #c, profile_iterate),                                      \
    PROFILE_CASE(n, c, full, "create, remove " #c, profile_create_remove)
#define PROFILE_SIZE(n, full)                                                                      \
    PROFILE_CASES(n, 1, true), PROFILE_CASES(n, 2, full), PROFILE_CASES(n, 3, true)
/* clang-format on */

const scene_case scene_profile[] = {
    PROFILE_SIZE(1000, false),
    PROFILE_SIZE(10000, true),
    PROFILE_SIZE(100000, false),
    PROFILE_SIZE(1000000, true),
    {0},
};
