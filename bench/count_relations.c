/* count_relations.c: what relationships cost those who do not use them, and prefabs those who do.
 * Counted, not timed: tools/count.sh runs it under cachegrind, each scene with and without what is
 * to be counted.
 *
 *     count_relations targets <number of targets> <loops>     P += V * dt over 100,000 entities,
 *                                                             all of them related to a target
 *     count_relations hidden <number of targets> <loops>      the same beside a prefab
 *     count_relations prefab|bulk|given <times>               100,000 entities of 5 components: as
 *                                                             instances; in bulk; in bulk with
 *                                                             values given
 */
#include "sett/prefab.h"
#include "sett/relationship.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTITIES 100000u

typedef struct Vector {
    float x, y;
} Vector;

static sett_world* world;
static sett_entity made[ENTITIES];

static void count_targets(uint32_t targets, uint32_t loops, bool hidden)
{
    sett_component types[2];
    types[0] =
        sett_component_register(world, &(sett_component_desc){.name = "Position", .size = 8});
    types[1] =
        sett_component_register(world, &(sett_component_desc){.name = "Velocity", .size = 8});
    sett_component owes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes"});
    sett_component likes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes", .many = true});
    sett_entity* target = calloc(targets, sizeof(*target));
    if (target == NULL ||
        sett_entity_create_many(world, ENTITIES, types, 2, NULL, made) != SETT_OK ||
        sett_entity_create_many(world, targets, NULL, 0, NULL, target) != SETT_OK) {
        exit(1);
    }
    if (hidden && sett_prefab_make(world, made[7]) != SETT_OK) {
        exit(1);
    }
    for (uint32_t k = 0; k < ENTITIES; k++) {
        if (sett_relate(world, made[k], owes, target[k % targets]) == NULL ||
            sett_relate(world, made[k], likes, target[k * 7 % targets]) == NULL) {
            exit(1);
        }
    }
    sett_query_desc desc = {
        .terms = {{.component = types[0], .access = SETT_INOUT, .kind = SETT_WITH},
                  {.component = types[1], .access = SETT_IN, .kind = SETT_WITH}}};
    sett_query* query = sett_query_create(world, &desc);
    for (uint32_t loop = 0; loop < loops; loop++) {
        SETT_QUERY_EACH(query, b) {
            Vector* p = sett_batch_field(b, 0);
            const Vector* v = sett_batch_field(b, 1);
            SETT_EACH(b, i) {
                p[i].x += v[i].x * 0.5f;
                p[i].y += v[i].y * 0.5f;
            }
        }
    }
    free(target);
}

static void count_creation(const char* scene, uint32_t times)
{
    sett_component types[5];
    static Vector values[5][ENTITIES];
    const void* given[5];
    sett_entity prefab = sett_entity_create(world);
    for (uint32_t k = 0; k < 5; k++) {
        char name[16];
        snprintf(name, sizeof(name), "Vector%u", (unsigned)k);
        types[k] = sett_component_register(world, &(sett_component_desc){.name = name, .size = 8});
        given[k] = values[k];
        memset(values[k], 1, sizeof(values[k]));
        if (sett_set(world, prefab, types[k], &values[k]) == NULL) {
            exit(1);
        }
    }
    if (sett_prefab_make(world, prefab) != SETT_OK || sett_instance_of(world) == 0) {
        exit(1);
    }
    for (uint32_t time = 0; time < times; time++) {
        sett_status status =
            strcmp(scene, "prefab") == 0
                ? sett_instantiate(world, prefab, ENTITIES, made)
                : sett_entity_create_many(world, ENTITIES, types, 5,
                                          strcmp(scene, "given") == 0 ? given : NULL, made);
        if (status != SETT_OK) {
            exit(1);
        }
    }
}

int main(int argc, char** argv)
{
    if (argc < 3) {
        fprintf(stderr, "count_relations targets <targets> <loops> | prefab|bulk|given <times>\n");
        return 2;
    }
    world = sett_world_create(NULL);
    if (world == NULL) {
        return 1;
    }
    bool hidden = strcmp(argv[1], "hidden") == 0;
    if ((hidden || strcmp(argv[1], "targets") == 0) && argc == 4) {
        count_targets((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), hidden);
    } else {
        count_creation(argv[1], (uint32_t)atoi(argv[2]));
    }
    sett_world_destroy(world);
    return 0;
}
