/* replica.h: copies worlds and types. */
#ifndef SETTI_REPLICA_H
#define SETTI_REPLICA_H

#include "world/world.h"

/* Creates an empty world with the options of `world`. Returns NULL if memory runs out. */
sett_world* setti_replica_create(const sett_world* world);

/* Registers a type of `from_world` in `to_world`, without callbacks. Also registers the types that
 * it requires. Does nothing if `to_world` has a type of this name. */
sett_status setti_replica_join(sett_world* to_world, const sett_world* from_world,
                               const setti_type* type, const char* call);

/* Does the same for all types of `from_world`. */
sett_status setti_replica_join_all(sett_world* to_world, const sett_world* from_world,
                                   const char* call);

/* Like setti_replica_join, but the registered type requires nothing, if the type permits this. */
sett_status setti_replica_join_bare(sett_world* to_world, const sett_world* from_world,
                                    const setti_type* type, const char* call);
/* Makes types of `to_world` require what types of the same name require in `from_world`. Then adds
 * required components that entities lack. */
sett_status setti_replica_require(sett_world* to_world, const sett_world* from_world,
                                  const char* call);

/* Like sett_world_clone, but messages name `call`. */
sett_status setti_replica_clone(const sett_world* from_world, sett_world* to_world,
                                const char* call);

/* Maps the signatures of a world to signatures of its replica. */
typedef struct setti_replica_map {
    /* signature[k] is the replica's signature for the signature k, or SETTI_NONE if that is not
     * known yet. The array is allocated in the replica's pool. */
    uint32_t* signature;
    uint32_t count;
    uint32_t capacity;
    uint32_t swept; /* signatures.swept of the original world at the last update */
} setti_replica_map;

/* Copies to `to_world` what has changed in `from_world` after the tick `since`. New types must have
 * been joined. Destroy `to_world` if memory runs out. */
sett_status setti_replica_update(const sett_world* from_world, sett_world* to_world,
                                 setti_replica_map* map, uint64_t since, const char* call);

#endif
