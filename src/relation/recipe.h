/* recipe.h: recipes store clone.c's analysis of a prefab for the next instance. */
#ifndef SETTI_RECIPE_H
#define SETTI_RECIPE_H

#include "relation/clone.h"

/* Makes one instance, without bases, by its recipe. Returns false, without an effect, if clone.c
 * must make it or fail: no recipe, an outdated one or not a simple one, or no memory or index. */
bool setti_recipe_run(sett_world* world, const setti_clone_desc* instance, sett_entity* out);

/* Learns from an instance that clone.c has made: the second one stores a recipe. */
void setti_recipe_learn(sett_world* world, sett_entity prefab);

/* Frees all recipes; later instances make them again. */
void setti_recipe_drop(sett_world* world);

/* Outdates all recipes, after a change that cannot be seen in the prefab. */
void setti_recipe_forget(sett_world* world);

#endif
