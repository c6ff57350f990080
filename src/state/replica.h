/* replica.h: copies worlds and types. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* Creates an empty world with the options of `world`. Returns NULL when memory runs out. */
sett_world* setti_replica_create(const sett_world* world);

/* Registers a type of another world, without callbacks. */
sett_status setti_replica_join(sett_world* to_world, const sett_world* from_world,
                               const setti_type* type, const char* call);

sett_status setti_replica_join_all(sett_world* to_world, const sett_world* from_world,
                                   const char* call);

/* Registers a type of another world, without callbacks and required types. */
sett_status setti_replica_join_bare(sett_world* to_world, const sett_world* from_world,
                                    const setti_type* type, const char* call);
/* Makes types of `to_world` require what they require in `from_world`, and adds the missing
 * components. */
sett_status setti_replica_require(sett_world* to_world, const sett_world* from_world,
                                  const char* call);

/* Like sett_world_clone, for another call of the program. */
sett_status setti_replica_clone(const sett_world* from_world, sett_world* to_world,
                                const char* call);

/* Maps the signatures of a world to signatures of its replica. */
typedef struct setti_replica_map {
    uint32_t* number; /* in the replica's pool; SETTI_NONE: not known yet */
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* signatures.swept of the other world at the last update */
} setti_replica_map;

/* Copies the changes in `from_world` after the tick `since` to `to_world`. New types must be joined
 * before. Destroy `to_world` when memory runs out. */
sett_status setti_replica_update(const sett_world* from_world, sett_world* to_world,
                                 setti_replica_map* map, uint64_t since, const char* call);

#endif
