/* A library of prefabs: a file that an editor saves, added to a game that runs.
 *
 * sett_world_merge creates the entities of a file beside those that are there. What they refer to
 * comes along; what a mod says of an entity that the game has, by its path, replaces the game's. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Health {
    int points;
} Health;
typedef struct Drops {
    sett_entity item;
} Drops;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Health, .members = SETT_STRUCT(Health, points))                                      \
    COMPONENT(Drops, .members = SETT_STRUCT(Drops, item))
SETT_COMPONENTS(GAME)

static sett_world* start(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    return world;
}

/* What an editor does: "/monsters/imp", which drops "/items/key". */
static bool save(const char* path, int health)
{
    sett_world* world = start();
    sett_entity imp = sett_name_ensure(world, sett_null(), "monsters/imp");
    sett_entity key = sett_name_ensure(world, sett_null(), "items/key");
    SETT_SET(world, imp, Health, health);
    SETT_SET(world, imp, Drops, key);
    sett_prefab_make(world, imp);
    bool done = sett_world_save(world, path) == SETT_OK;
    sett_world_destroy(world);
    return done;
}

int main(void)
{
    sett_world* world = start();
    sett_merge_result result;
    sett_entity guards[5];
    bool right = save("library.sett", 60) && save("mod.sett", 90) &&
                 sett_world_merge(world, "library.sett", NULL, &result) == SETT_OK;
    uint32_t created = result.created;
    sett_merge_result_free(world, &result);

    /* The mod has the same paths: its monsters, and no items, become those of the game. */
    sett_merge_desc mod = {
        .subtree = "monsters", .match = SETT_MERGE_PATH, .existing = SETT_MERGE_OVERWRITE};
    right = right && sett_world_merge(world, "mod.sett", &mod, &result) == SETT_OK;
    uint32_t matched = result.matched;
    sett_merge_result_free(world, &result);

    sett_entity imp = sett_name_lookup(world, sett_null(), "monsters/imp");
    right = right && sett_instantiate(world, imp, 5, guards) == SETT_OK;
    const Health* health = SETT_FIND(world, guards[4], Health);
    const Drops* drops = SETT_FIND(world, guards[4], Drops);
    right = right && health->points == 90 &&
            sett_equals(drops->item, sett_name_lookup(world, sett_null(), "items/key"));
    printf(
        "%u entities from the library, %u changed by the mod: an imp with %d points drops \"%s\"\n",
        (unsigned)created, (unsigned)matched, health->points, sett_name_get(world, drops->item));
    sett_world_destroy(world);
    remove("library.sett");
    remove("mod.sett");
    return right ? 0 : 1;
}
