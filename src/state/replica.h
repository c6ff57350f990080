/* replica.h: copies worlds and types. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* Creates an empty world with the options of `world`. Returns NULL if memory runs out. */
sett_world* setti_replica_create(const sett_world* world);

/* Registers a type of `from_world` and its required types in `to_world`, without callbacks. Does
 * nothing if `to_world` has a type of this name. */
sett_status setti_replica_join(sett_world* to_world, const sett_world* from_world,
                               const setti_type* type, const char* call);

/* Calls setti_replica_join for all types of `from_world`. */
sett_status setti_replica_join_all(sett_world* to_world, const sett_world* from_world,
                                   const char* call);

/* Like setti_replica_join, but the registered type requires nothing, if the type permits this. */
sett_status setti_replica_join_bare(sett_world* to_world, const sett_world* from_world,
                                    const setti_type* type, const char* call);
/* Makes each type of `to_world` require the same types as the type of the same name in
 * `from_world`. Then adds required components that entities lack. */
sett_status setti_replica_require(sett_world* to_world, const sett_world* from_world,
                                  const char* call);

/* Like sett_world_clone, but messages name `call`. */
sett_status setti_replica_clone(const sett_world* from_world, sett_world* to_world,
                                const char* call);

/* Maps the signatures of a world to signatures of its replica. */
typedef struct setti_replica_map {
    /* signature[k] is the replica's signature for the signature k, or SETTI_NONE before the first
     * use. The array is allocated in the replica's pool. */
    uint32_t* signature;
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* signatures.swept of the original world at the last update */
} setti_replica_map;

/* Copies all changes of `from_world` after the tick `since` to `to_world`. setti_replica_join_all
 * must have registered new types. If memory runs out, the caller must destroy `to_world`. */
sett_status setti_replica_update(const sett_world* from_world, sett_world* to_world,
                                 setti_replica_map* map, uint64_t since, const char* call);

#endif
