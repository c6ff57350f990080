/* replica.h: copies worlds and types. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* Creates an empty world with the options of `of`. Returns NULL when memory runs out. */
sett_world* setti_replica_create(const sett_world* of);

/* Registers a type of another world, without callbacks. */
sett_status setti_replica_join(sett_world* into, const sett_world* from, const setti_type* type,
                               const char* call);

sett_status setti_replica_join_all(sett_world* into, const sett_world* from, const char* call);

/* Registers a type of another world, without callbacks and required types. */
sett_status setti_replica_join_bare(sett_world* into, const sett_world* from,
                                    const setti_type* type, const char* call);
/* Makes types of `into` require what they require in `from`, and adds the missing components. */
sett_status setti_replica_require(sett_world* into, const sett_world* from, const char* call);

/* Like sett_world_clone, for another call of the program. */
sett_status setti_replica_clone(const sett_world* from, sett_world* into, const char* call);

/* Maps the signatures of a world to signatures of its replica. */
typedef struct setti_replica_map {
    uint32_t* number; /* in the replica's pool; SETTI_NONE: not known yet */
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* signatures.swept of the other world at the last update */
} setti_replica_map;

/* Copies the changes in `from` after the tick `since` to `into`. New types must be joined before.
 * Destroy `into` when memory runs out. */
sett_status setti_replica_update(const sett_world* from, sett_world* into, setti_replica_map* map,
                                 uint64_t since, const char* call);

#endif
