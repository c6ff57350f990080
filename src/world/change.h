/* change.h: what other modules may ask of change.c, the one place where structure changes. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/world.h"

/* Destroys every entity, hooks included. Nothing is open. Needs no memory. */
void setti_change_destroy_all(sett_world* world);

/* From a type's ties, while they are asked: this entity has to go as well, before whoever was
 * asked. Passed over if it is going already. */
void setti_change_doom(sett_world* world, uint32_t index);

/* Makes sure that adding the type, which the entity does not have, needs no memory. */
bool setti_change_reserve(sett_world* world, setti_type* type, sett_entity entity);

/* Frees the signatures that no entity has. */
void setti_change_reclaim_signatures(sett_world* world);

/* Forgets which transitions are plain, and all plans: listeners have come or gone. */
void setti_change_forget_transitions(sett_world* world);

/* Makes every entity that matches already a member of a new listener. False when memory runs out,
 * with some of them members. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif
