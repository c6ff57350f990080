/* recipe.h: recipes store clone.c's analysis of a prefab for later instances. */
#ifndef SETTI_RECIPE_H
#define SETTI_RECIPE_H

#include "relation/clone.h"

/* Makes one instance, without bases, by the prefab's recipe. Returns false, without an effect, if
 * the recipe is missing, outdated or not simple, or memory or indices run out. */
bool setti_recipe_run(sett_world* world, const setti_clone_desc* instance, sett_entity* out);

/* Call after clone.c has made an instance. The second call for a prefab stores a recipe. */
void setti_recipe_learn(sett_world* world, sett_entity prefab);

/* Frees all recipes. Later instances make new recipes. */
void setti_recipe_drop(sett_world* world);

/* Makes all recipes outdated, after a change that is invisible in the prefabs. */
void setti_recipe_forget(sett_world* world);

#endif
