/* recipe.h: how to make one instance of a prefab: what clone.c finds out about a subtree, kept for
 * the next time. */
#ifndef SETTI_RECIPE_H
#define SETTI_RECIPE_H

#include "relation/clone.h"

/* One instance. */
typedef struct setti_instance {
    const char* call; /* for messages */
    sett_entity prefab;
    sett_entity into;   /* null, or an entity without components that becomes the instance */
    sett_entity parent; /* null: none */
    uint64_t name;      /* key of a text, held; 0: none. No child of the parent has it */
    const sett_value* values;
    uint32_t value_count;
} setti_instance;

/* Makes an instance if there is a recipe for it, and writes what came of it to *status. Returns
 * false, and nothing is done, if clone.c has to make it: because the prefab has changed, has links
 * of relationships, or is instantiated for the first time. */
bool setti_recipe_run(sett_world* world, const setti_instance* instance, sett_entity* out,
                      sett_status* status);

/* To be called after clone.c made an instance: from the second time on it is worth a recipe.
 * Without memory there is none. */
void setti_recipe_learn(sett_world* world, sett_entity prefab);

/* Frees all recipes: they are made again. */
void setti_recipe_drop(sett_world* world);

/* What recipes depend on, and is not seen in the prefab, has changed. */
void setti_recipe_forget(sett_world* world);

#endif
