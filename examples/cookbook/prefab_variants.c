/* Prefabs and their variants.
 *
 * A prefab is an entity that queries skip; an instance of it that is made a prefab again is a
 * variant. Values that all instances share stay with the prefab until one needs its own. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Health {
    int points;
} Health;

typedef struct Mesh { /* large, and the same for all */
    int number;
    char data[500];
} Mesh;

typedef struct Armour {
    int points;
} Armour;

#define GAME(COMPONENT, TAG) COMPONENT(Health) COMPONENT(Armour) COMPONENT(Mesh)
SETT_COMPONENTS(GAME)

static const Mesh* mesh_of(sett_world* world, sett_entity entity)
{
    return sett_prefab_get(world, entity, Mesh_id); /* its own, or that of its prefab */
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    sett_prefab_share(world, Mesh_id, true);

    sett_entity imp = SETT_CREATE(world, SETT_VALUE(Health, 60), SETT_VALUE(Mesh, .number = 7));
    sett_prefab_make(world, imp);
    sett_entity boss = sett_instantiate_with(
        world, &(sett_instantiate_desc){.prefab = imp, SETT_VALUES(SETT_VALUE(Health, 900))});
    sett_prefab_make(world, boss); /* the variant: like an imp, but stronger */

    /* What several prefabs have: the first wins, and children of one name would become one. */
    sett_entity armour = SETT_CREATE(world, SETT_VALUE(Armour, 5), SETT_VALUE(Health, 1));
    sett_prefab_make(world, armour);
    sett_entity knight = sett_instantiate_with(
        world, &(sett_instantiate_desc){.prefab = boss, .bases = &armour, .base_count = 1});
    sett_prefab_make(world, knight);

    sett_entity imps[100], one;
    sett_instantiate(world, imp, 100, imps);
    sett_instantiate(world, knight, 1, &one);
    bool armoured = SETT_GET(world, one, Armour)->points == 5;
    int weak = SETT_GET(world, imps[99], Health)->points,
        strong = SETT_GET(world, one, Health)->points;
    unsigned meshes = (unsigned)sett_component_count(world, Mesh_id);
    bool shared =
        mesh_of(world, imps[5]) == mesh_of(world, one) && mesh_of(world, one)->number == 7;

    Mesh* own = sett_prefab_override(world, one, Mesh_id); /* from now on it has one of its own */
    own->number = 8;
    shared = shared && mesh_of(world, one)->number == 8 && mesh_of(world, imps[5])->number == 7;

    sett_query* fighters = SETT_QUERY_CREATE(world, SETT_IN(Health));
    unsigned seen = (unsigned)sett_query_count(fighters); /* without the prefabs */
    printf("%u fighters of %d and %d points, %u mesh\n", seen, weak, strong, meshes);
    sett_world_destroy(world);
    return seen == 101 && weak == 60 && strong == 900 && meshes == 1 && shared && armoured ? 0 : 1;
}
