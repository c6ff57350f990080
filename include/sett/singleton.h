/* singleton.h: values of which a world has one. Opt-in.
 *
 *     Clock* clock = sett_singleton_ensure(world, Clock_id);
 *     const Clock* now = sett_singleton_get(world, Clock_id);
 *
 * They are components like all others, of an entity that the world keeps for them: queries,
 * observers and snapshots see them so. It has the tag "Singletons".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SINGLETON_H
#define SETT_SINGLETON_H

#include "sett/sett.h"

/* Returns the entity that has the singletons, created by the first call; null on failure. Clearing
 * the world ends it like any other, and the next call creates another.
 * Fails: LOCKED (where it has to be created), LIMIT, OUT_OF_MEMORY.
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_entity sett_singletons(sett_world* world);

/* As sett_ensure, sett_set, sett_find, sett_find_mut and sett_remove, of that entity.
 * Threads: writer; of sett_singleton_get: reader. Since: 0.1 */
SETT_API void* sett_singleton_ensure(sett_world* world, sett_component component);
SETT_API void* sett_singleton_set(sett_world* world, sett_component component, const void* value);
SETT_API const void* sett_singleton_get(const sett_world* world, sett_component component);
SETT_API void* sett_singleton_get_mut(sett_world* world, sett_component component);
SETT_API sett_status sett_singleton_remove(sett_world* world, sett_component component);

#endif
