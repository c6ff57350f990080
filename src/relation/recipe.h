/* recipe.h: how to create one instance of a prefab: clone.c's analysis of a subtree, stored for the
 * next time. */
#ifndef SETTI_RECIPE_H
#define SETTI_RECIPE_H

#include "relation/clone.h"

/* Makes an instance, without bases, by its recipe. Returns false, and nothing is done, if clone.c
 * has to make it, or to say why not: because the prefab has changed, has links of relationships, or
 * is instantiated for the first time, or because memory or indices run out. */
bool setti_recipe_run(sett_world* world, const setti_clone_desc* instance, sett_entity* out);

/* Called after clone.c has created an instance: from the second time on it stores a recipe, if
 * there is memory. */
void setti_recipe_learn(sett_world* world, sett_entity prefab);

/* Frees all recipes; they are created again when needed. */
void setti_recipe_drop(sett_world* world);

/* Something has changed that recipes depend on and that cannot be seen in the prefab. */
void setti_recipe_forget(sett_world* world);

#endif
