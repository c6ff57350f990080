/* 06_transforms.c: world transforms from transforms relative to a parent.
 *
 * One scene is deep, a chain of links, each rotated a little; one is wide, ten thousand boxes on a
 * deck. The transforms are sorted by the hierarchy, so a plain loop visits parents first. */
#include "sett/sett.h"

#include <stdio.h>

/* A rotation with scale (a, b), and a place (x, y). */
typedef struct Matrix {
    float a, b, x, y;
} Matrix;

typedef struct Transform {
    Matrix local; /* relative to the parent */
    Matrix world; /* computed */
} Transform;

static sett_component Transform_id;

static Matrix product(Matrix p, Matrix m)
{
    Matrix r = {p.a * m.a - p.b * m.b, p.b * m.a + p.a * m.b, p.x + p.a * m.x - p.b * m.y,
                p.y + p.b * m.x + p.a * m.y};
    return r;
}

static sett_entity place(sett_world* world, sett_entity parent, Matrix local)
{
    sett_entity e = sett_entity_create(world);
    SETT_SET(world, e, Transform, .local = local);
    if (!sett_is_null(parent)) {
        sett_hierarchy_attach(world, e, parent);
    }
    return e;
}

/* Transforms drive the loop, in their own order; the node may be missing, where nothing is above or
 * below. */
static void propagate(sett_world* world, sett_query* query)
{
    sett_accessor transforms = sett_accessor_make(world, Transform_id);
    SETT_QUERY_EACH(query, b) {
        Transform* t = SETT_FIELD_MUT(b, 0, Transform);
        const sett_hierarchy* node = SETT_FIELD(b, 1, sett_hierarchy);
        SETT_EACH(b, i) {
            const Transform* above =
                node != NULL ? sett_hierarchy_find_in_parent(&transforms, &node[i]) : NULL;
            t[i].world = above != NULL ? product(above->world, t[i].local) : t[i].local;
        }
    }
}

static void print(sett_world* world, const char* what, sett_entity e)
{
    const Transform* t = SETT_GET(world, e, Transform);
    printf("%-10s depth %4u at (%.2f, %.2f)\n", what, sett_hierarchy_depth(world, e), t->world.x,
           t->world.y);
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    /* Sparse-set, so that it can be sorted. */
    Transform_id = SETT_REGISTER_WITH(world, Transform, .storage = SETT_STORAGE_SPARSE_SET);
    sett_hierarchy_register(world, NULL); /* before the query that names it */

    sett_entity arm = place(world, sett_null(), (Matrix){1, 0, 5, 5});
    sett_entity hand = arm;
    for (int k = 0; k < 1000; k++) {
        hand = place(world, hand, (Matrix){0.96f, 0.28f, 1, 0}); /* a link of length 1 */
    }

    sett_entity ship = place(world, sett_null(), (Matrix){0, 1, 100, 0}); /* by a quarter turn */
    sett_name_set(world, ship, "ship");
    for (int k = 0; k < 10000; k++) {
        sett_entity box = place(world, ship, (Matrix){1, 0, (float)(k % 100), (float)(k / 100)});
        if (k == 4242) {
            sett_name_set(world, box, "cargo");
        }
    }

    if (sett_hierarchy_sort(world, Transform_id) != SETT_OK) {
        return 1;
    }
    sett_query* query = SETT_QUERY_CREATE(world, {.component = Transform_id, .drives = true},
                                          SETT_OPTIONAL(sett_hierarchy));
    propagate(world, query);
    print(world, "the hand", hand);
    print(world, "the cargo", sett_name_lookup(world, sett_null(), "ship/cargo"));
    sett_entity_destroy(world, ship); /* and its boxes */
    printf("%u entities are left\n", sett_entity_count(world));
    sett_world_destroy(world);
    return 0;
}
