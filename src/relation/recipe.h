/* recipe.h: recipes, which store clone.c's analysis of a prefab for later instances. */
#ifndef SETTI_RECIPE_H
#define SETTI_RECIPE_H

#include "relation/clone.h"

/* Makes one instance by the prefab's recipe. Returns false if clone.c has to make the instance. */
bool setti_recipe_run(sett_world* world, const setti_clone_desc* instance, sett_entity* out);

/* Call after clone.c has made an instance of a prefab. The second call stores a recipe. */
void setti_recipe_learn(sett_world* world, sett_entity prefab);

/* Frees all recipes. */
void setti_recipe_drop(sett_world* world);

/* Makes all recipes outdated. */
void setti_recipe_forget(sett_world* world);

#endif
