/* singleton.h: the singletons' entity, for other files. */
#ifndef SETTI_SINGLETON_H
#define SETTI_SINGLETON_H

#include "sett/singleton.h"
#include "world/world.h"

/* Registers the tag of the singletons' entity. Returns 0 on failure. */
sett_component setti_singleton_register(sett_world* world);

/* Returns the tag of the singletons' entity, or NULL before setti_singleton_register. */
static inline setti_type* setti_singleton_tag(const sett_world* world)
{
    return setti_type_find(world, "Singletons");
}

/* Returns the singletons' entity, or null if it does not exist. */
sett_entity setti_singleton_find(const sett_world* world);

#endif
