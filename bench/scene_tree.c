/* scene_tree.c: trees of entities, beside the row "tree": the same by hand, one child among ten
 * million, instances of prefabs, and transforms through deep and wide scenes. */
#include "scene_case.h"
#include "scene_sett.h"

#include "sett/hierarchy.h"
#include "sett/prefab.h"

static void tree_by_hand(scene_run* run)
{
    sett_world* world = scene_world(run, false);
    sett_component a = SCENE_TYPE(world, Ca, SETT_STORAGE_DEFAULT);
    sett_component b = SCENE_TYPE(world, Cb, SETT_STORAGE_DEFAULT);
    sett_component c = SCENE_TYPE(world, Cc, SETT_STORAGE_DEFAULT);
    sett_component d = SCENE_TYPE(world, Cd, SETT_STORAGE_DEFAULT);
    sett_component link = SCENE_TYPE(world, scene_link, SETT_STORAGE_DEFAULT);
    sett_entity* roots = scene_alloc(run->count, sizeof(sett_entity));
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_TREE_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            roots[k] = sett_entity_create(world);
            (void)sett_add(world, roots[k], a);
            (void)sett_add(world, roots[k], b);
            (void)sett_add(world, roots[k], link);
            for (uint32_t i = 0; i < SCENE_TREE_CHILDREN; i++) {
                sett_entity child = scene_link_child(world, link, roots[k], c);
                for (uint32_t j = 0; j < SCENE_TREE_LEAVES; j++) {
                    (void)scene_link_child(world, link, child, d);
                }
            }
        }
        run->checksum += sett_entity_count(world);
        for (uint32_t k = 0; k < run->count; k++) {
            scene_link_destroy(world, link, roots[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_TREE_ROUNDS * SCENE_TREE_ENTITIES(run->count);
    scene_check(sett_entity_count(world) == 0, "the tree is gone");
    sett_world_destroy(world);
    scene_free(roots);
}

#define TREE_DETACHED 100000u

/* Detaches children of a parent that has very many. variant: each a random one; the first; the
 * last. */
static void tree_detach(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_entity parent = sett_entity_create(world);
    sett_entity* children = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        scene_check(sett_hierarchy_attach(world, children[k], parent) == SETT_OK, "attach");
    }
    uint32_t detached = run->count < TREE_DETACHED ? run->count : TREE_DETACHED;
    uint64_t state = SCENE_SEED;
    for (uint32_t k = 0; k < detached; k++) { /* drawn before: the list is not what is measured */
        uint32_t other = k + (uint32_t)((scene_random(&state) >> 32) % (run->count - k));
        sett_entity drawn = children[other];
        children[other] = children[k];
        children[k] = drawn;
    }
    scene_start(run);
    for (uint32_t k = 0; k < detached; k++) {
        sett_entity child = run->variant == 0   ? children[k]
                            : run->variant == 1 ? sett_hierarchy_first(world, parent)
                                                : sett_hierarchy_last(world, parent);
        (void)sett_hierarchy_detach(world, child);
    }
    scene_stop(run);
    run->operations = detached;
    run->checksum = sett_hierarchy_child_count(world, parent);
    scene_check(run->checksum == run->count - detached, "all were children");
    sett_world_destroy(world);
    scene_free(children);
}

/* ------------------------------------------------------------------------------------ instances */

typedef struct Part {
    float x, y, z, w;
} Part;

/* Entities of five components with the values of one, in worlds of their own, as games load them.
 * variant: one creation in bulk, given all values; instances of a prefab, one creation; one by
 * one; each created and set. */
static void tree_instances(scene_run* run)
{
    sett_component parts[5];
    const void* values[5];
    Part* given[5];
    for (uint32_t k = 0; k < 5; k++) {
        given[k] = scene_alloc(run->count, sizeof(Part));
        values[k] = given[k];
        for (uint32_t j = 0; j < run->count; j++) {
            given[k][j] = (Part){(float)k, 1, 2, 3};
        }
    }
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        sett_world* world = scene_world(run, true);
        sett_entity prefab = sett_entity_create(world);
        for (uint32_t k = 0; k < 5; k++) {
            char name[8] = {'P', (char)('0' + k), '\0'};
            parts[k] =
                scene_type(world, name, sizeof(Part), SETT_ALIGNOF(Part), SETT_STORAGE_DEFAULT);
            (void)sett_set(world, prefab, parts[k], given[k]);
        }
        scene_check(sett_prefab_make(world, prefab) == SETT_OK, "prefab");
        scene_check(sett_instance_of(world) != 0, "InstanceOf");
        scene_start(run);
        if (run->variant == 0) {
            (void)sett_entity_create_many(world, run->count, parts, 5, values, NULL);
        } else if (run->variant == 1) {
            (void)sett_instantiate(world, prefab, run->count, NULL);
        } else if (run->variant == 2) {
            for (uint32_t k = 0; k < run->count; k++) {
                (void)sett_instantiate(world, prefab, 1, NULL);
            }
        } else {
            for (uint32_t k = 0; k < run->count; k++) {
                sett_entity e = sett_entity_create(world);
                for (uint32_t part = 0; part < 5; part++) {
                    (void)sett_set(world, e, parts[part], given[part]);
                }
            }
        }
        scene_stop(run);
        run->checksum += sett_component_count(world, parts[4]);
        sett_world_destroy(world);
    }
    run->operations = (uint64_t)rounds * run->count;
    scene_check(run->checksum == run->operations + rounds, "all are there");
    for (uint32_t k = 0; k < 5; k++) {
        scene_free(given[k]);
    }
}

/* ----------------------------------------------------------------------------------- transforms */

/* A place relative to the parent's, and in the world. */
typedef struct Transform {
    float x, y, turn, size; /* local; (turn, size): a rotation with scale, cos and sin of it */
    float world_x, world_y, world_turn, world_size;
} Transform;

static inline void tree_place(Transform* t, const Transform* above)
{
    static const Transform origin = {0, 0, 1, 0, 0, 0, 1, 0};
    const Transform* p = above != NULL ? above : &origin;
    t->world_x = p->world_x + p->world_turn * t->x - p->world_size * t->y;
    t->world_y = p->world_y + p->world_size * t->x + p->world_turn * t->y;
    t->world_turn = p->world_turn * t->turn - p->world_size * t->size;
    t->world_size = p->world_size * t->turn + p->world_turn * t->size;
}

/* variant: how many levels a tree has; 0: one root and everything right below. The entities come in
 * random order, so that without sorting parents lie anywhere. */
static void tree_transforms(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component transform = SCENE_TYPE(world, Transform, SETT_STORAGE_SPARSE_SET);
    sett_entity* entities = scene_entities(world, run->count);
    uint32_t* order = scene_shuffled(run->count, SCENE_SEED);
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = entities[order[k]];
        Transform* t = sett_add(world, e, transform);
        t->x = (float)(k % 4);
        t->y = 1;
        t->turn = k % 2 == 0 ? 1.0f : 0.0f;
        t->size = 1 - t->turn;
        uint32_t level = run->variant != 0 ? k % run->variant : k != 0;
        if (level != 0) {
            sett_entity parent = entities[order[run->variant != 0 ? k - 1 : 0]];
            scene_check(sett_hierarchy_attach(world, e, parent) == SETT_OK, "attach");
        }
    }
    scene_check(sett_hierarchy_sort(world, transform) == SETT_OK, "sort");
    sett_query* query = scene_query(
        world,
        (sett_term[]){{.component = transform, .access = SETT_INOUT, .kind = SETT_WITH},
                      {.component = SETT_ID_HIERARCHY, .access = SETT_IN, .kind = SETT_OPTIONAL},
                      {0}});
    uint32_t rounds = scene_rounds(run->count, 1000000);
    sett_accessor transforms = sett_accessor_make(world, transform);
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        SETT_QUERY_EACH(query, b) {
            Transform* t = sett_batch_field(b, 0);
            const sett_hierarchy* node = sett_batch_field(b, 1);
            SETT_EACH(b, i) {
                tree_place(&t[i], sett_hierarchy_find_in_parent(&transforms, &node[i]));
            }
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Transform* t = sett_get(world, entities[order[k]], transform);
        run->checksum += scene_sum(k, t->world_x) + 3 * scene_sum(k, t->world_y);
    }
    sett_world_destroy(world);
    scene_free(order);
    scene_free(entities);
}

const scene_case scene_tree[] = {
    {"tree", "by hand", 10, 0, false, tree_by_hand, 0, 0, 0},
    {"tree", "detach a random child", 10000000, 0, true, tree_detach, 0, 0, 0},
    {"tree", "detach the first child", 10000000, 1, true, tree_detach, 0, 0, 0},
    {"tree", "detach the last child", 10000000, 2, true, tree_detach, 0, 0, 0},
    {"tree", "5 components, in bulk", 100000, 0, false, tree_instances, 0, 0, 0},
    {"tree", "5 components, instances", 100000, 1, false, tree_instances, 0, 0, 0},
    {"tree", "5 components, one by one", 100000, 2, false, tree_instances, 0, 0, 0},
    {"tree", "5 components, by hand", 100000, 3, false, tree_instances, 0, 0, 0},
    {"tree", "transforms, wide", 100000, 0, false, tree_transforms, 0, 0, 0},
    {"tree", "transforms, 4 levels", 100000, 4, false, tree_transforms, 0, 0, 0},
    {"tree", "transforms, 1,000 levels", 100000, 1000, false, tree_transforms, 0, 0, 0},
    {0},
};
