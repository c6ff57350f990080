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

/* Registers a type so, but it requires nothing: for states of a time when it did not. The second
 * makes all types of such a world require what those of these names do in the other one, and adds
 * what entities lack. */
sett_status setti_replica_join_bare(sett_world* into, const sett_world* from,
                                    const setti_type* type);
sett_status setti_replica_require(sett_world* into, const sett_world* from);

#endif
