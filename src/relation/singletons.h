/* singletons.h: singleton.c for other modules. */
#ifndef SETTI_SINGLETONS_H
#define SETTI_SINGLETONS_H

#include "sett/singleton.h"
#include "world/world.h"

/* Registers the tag of the entity that has the singletons; 0 on failure. */
sett_component setti_singletons_register(sett_world* world);

/* The tag, NULL if it is not registered. */
static inline setti_type* setti_singletons_tag(const sett_world* world)
{
    return setti_type_find(world, "Singletons");
}

/* The entity that has them; null if there is none yet. */
sett_entity setti_singletons_find(const sett_world* world);

#endif
