/* replica.h: types of one world in another. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* An empty world with the allocator and the entity limit of another one, which logs nothing. NULL
 * when memory runs out. */
sett_world* setti_replica_create(const sett_world* of);

/* Registers a type, and what it requires, in a world that may lack it, as the other world has it
 * but without callbacks. Fails: as registering. */
sett_status setti_replica_join(sett_world* into, const sett_world* from, const setti_type* type);

#endif
