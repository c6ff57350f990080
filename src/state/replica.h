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

/* The number here of each set of components (signature.h) by its number in the other world;
 * SETTI_NONE: not known yet. Of the pool of this world. */
typedef struct setti_replica_map {
    uint32_t* number;
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* of the other world's table */
} setti_replica_map;

/* Makes a world that is a copy of the other's past what that is now: copies the pages that were
 * written or restored behind `since`, a tick of the other one. No command of it is recorded. Types
 * that it has registered since were joined. Snapshots of this world stay.
 * Fails: CONFLICT (a type is stored otherwise: nothing has changed), OUT_OF_MEMORY: not reported;
 * the world is then only good to be destroyed. */
sett_status setti_replica_update(const sett_world* from, sett_world* into, setti_replica_map* map,
                                 uint64_t since);

#endif
