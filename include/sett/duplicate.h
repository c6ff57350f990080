/* duplicate.h: copies of entities, in the same world or in another. Opt-in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_DUPLICATE_H
#define SETT_DUPLICATE_H

#include "sett/sett.h"

/* How to duplicate. All zeroes: with all that is below, in the same world. */
typedef struct sett_duplicate_desc {
    /* where the copies are made; default: in the same world. Types are matched by name, and have to
     * be of the same size, alignment and layout_version */
    sett_world* to;
    bool alone; /* the entity without what is below it; default: no */
} sett_duplicate_desc;

/* Duplicates an entity with all components, and what is below it.
 *
 * References inside values (entity_offsets) and links of relationships that lead to what is
 * duplicated lead to the copies. Others stay as they are; in another world references become null,
 * and links are left out. Links that lead to the originals are not duplicated. In the same world
 * the copy gets the same parent, as its last child, and no name, for the original has that; what
 * is below keeps its own. Types with a deinit and no copy hook are initialised, not copied. Hooks
 * run when all copies exist: on_add, then on_set, entity by entity.
 *   desc  NULL: the defaults
 * Returns the copy; null on failure, with the error in the world where the copies would be. Fails:
 * STALE, LOCKED, UNREGISTERED and CONFLICT (the other world lacks a type, or has another of that
 * name), LIMIT, OUT_OF_MEMORY; then nothing was created.
 * Cost: O(entities x components). Invalidates: as adding the components.
 * Threads: writer of the world where the copies are made, reader of the other. Since: 0.1 */
SETT_API sett_entity sett_duplicate(sett_world* world, sett_entity entity,
                                    const sett_duplicate_desc* desc);

#endif
