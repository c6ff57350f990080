/* change.h: what other modules may ask of change.c, the one place where structure changes. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/world.h"

/* Destroys every entity, hooks included. Nothing is open. Needs no memory. */
void setti_change_destroy_all(sett_world* world);

/* Frees the signatures that no entity has. */
void setti_change_reclaim_signatures(sett_world* world);

#endif
