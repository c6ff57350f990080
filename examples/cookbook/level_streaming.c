/* Level streaming: a world larger than memory.
 *
 * A part of the map is an entity, and all that belongs to it lies below it in the hierarchy. To
 * unload a part is to destroy its root; what has left it was attached to another. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    int x;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(GAME)

enum {
    PARTS = 50,
    TREES = 200 /* in each */
};

static void load(sett_world* world, int part)
{
    char path[32];
    snprintf(path, sizeof path, "map/part%d", part);
    sett_entity root = sett_name_ensure(world, sett_null(), path);
    for (int k = 0; k < TREES; k++) { /* from a file: sett_json_read with .parent = root */
        sett_entity tree = SETT_CREATE(world, SETT_VALUE(Position, part * 100 + k % 100));
        sett_hierarchy_attach(world, tree, root);
    }
}

static sett_entity find(sett_world* world, int part)
{
    char path[32];
    snprintf(path, sizeof path, "map/part%d", part);
    return sett_name_lookup(world, sett_null(), path);
}

/* Loads the parts around the player and unloads the others. */
static void stream(sett_world* world, int here)
{
    for (int part = 0; part < PARTS; part++) {
        bool wanted = part >= here - 1 && part <= here + 1;
        sett_entity root = find(world, part);
        if (wanted && sett_is_null(root)) {
            load(world, part);
        } else if (!wanted && !sett_is_null(root)) {
            sett_entity_destroy(world, root);
        }
    }
}

int main(void)
{
    uint32_t most = 0;
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    stream(world, 0);
    sett_entity wolf = sett_hierarchy_first(world, find(world, 0));
    for (int here = 1; here < PARTS; here++) { /* the player walks, and the wolf follows */
        stream(world, here);
        sett_hierarchy_attach(world, wolf, find(world, here));
        uint32_t count = sett_entity_count(world);
        most = count > most ? count : most;
    }
    bool right = sett_entity_valid(world, wolf) && most <= 3 * (TREES + 1) + 2;
    printf("%d parts walked through, %u entities at once, the wolf is %s\n", PARTS, (unsigned)most,
           right ? "there" : "lost");
    sett_world_destroy(world);
    return right ? 0 : 1;
}
