/* state_hash.h - one number for the whole state of a world. */
#ifndef FREEDOOM_STATE_HASH_H
#define FREEDOOM_STATE_HASH_H

#include "simulation.h"

/* Returns a hash of which entity has which components with which values. It looks at fields, so
 * padding does not count, and adds up entities, so the order in which storages hold them does not
 * either: equal states have equal hashes with every compiler and on every machine.
 * Returns false when memory runs out. Cost: O(components in the world). */
bool state_hash(const Simulation* sim, uint64_t* hash);

#endif
