/* replica.h: copies of worlds, and of their types. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* Creates an empty world with another one's allocator and entity limit, which logs nothing. NULL
 * when memory runs out. */
sett_world* setti_replica_create(const sett_world* of);

/* Registers another world's type, with the types that it requires, without callbacks. Fails like
 * registering. */
sett_status setti_replica_join(sett_world* into, const sett_world* from, const setti_type* type);

/* Joins all types of another world. */
sett_status setti_replica_join_all(sett_world* into, const sett_world* from);

/* Like setti_replica_join without requirements, for states from before these existed. */
sett_status setti_replica_join_bare(sett_world* into, const sett_world* from,
                                    const setti_type* type);
/* Gives all types the requirements that types of these names have in the other world, and adds the
 * components that entities lack. */
sett_status setti_replica_require(sett_world* into, const sett_world* from);

/* This world's signatures, by the other world's number; SETTI_NONE: not known yet. In this world's
 * pool. */
typedef struct setti_replica_map {
    uint32_t* number;
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* of the other world's signatures */
} setti_replica_map;

/* Updates a copy of an earlier state of the other world. Reads the pages that were written or
 * restored after `since`, a tick of the other world. In the copy no commands are recorded, and new
 * types were joined before. Its snapshots stay. Fails, without a report: CONFLICT (a type is stored
 * otherwise; no effect), OUT_OF_MEMORY (the world must be destroyed). */
sett_status setti_replica_update(const sett_world* from, sett_world* into, setti_replica_map* map,
                                 uint64_t since);

#endif
