/* replica.h: copies of worlds, and of types. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* Creates an empty world with the allocator and the entity limit of `of`. The new world logs
 * nothing. Returns NULL when memory runs out. */
sett_world* setti_replica_create(const sett_world* of);

/* Registers the type `type` of another world, and the types that `type` requires, without
 * callbacks. Fails like sett_register. */
sett_status setti_replica_join(sett_world* into, const sett_world* from, const setti_type* type);

/* Joins all types of another world. */
sett_status setti_replica_join_all(sett_world* into, const sett_world* from);

/* Like setti_replica_join, but without requirements, for states from before the requirements. */
sett_status setti_replica_join_bare(sett_world* into, const sett_world* from,
                                    const setti_type* type);
/* Gives all types the requirements of the types with equal names in `from`, and adds required
 * components that entities lack. */
sett_status setti_replica_require(sett_world* into, const sett_world* from);

/* Maps numbers of the other world's signatures to numbers in the replica. */
typedef struct setti_replica_map {
    uint32_t* number; /* in the replica's pool; SETTI_NONE: not known yet */
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* signatures.swept of the other world at the last update */
} setti_replica_map;

/* Updates `into`, a copy of an earlier state of `from`. Reads the pages that `from` wrote or
 * restored after its tick `since`. Needs: no recorded commands in the copy, and new types joined.
 * Snapshots of the copy stay. Fails, without a report: CONFLICT (a type has another storage; no
 * effect), OUT_OF_MEMORY (the copy must be destroyed). */
sett_status setti_replica_update(const sett_world* from, sett_world* into, setti_replica_map* map,
                                 uint64_t since);

#endif
