/* duplicate.h: copies of entities, in the same world or in another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_DUPLICATE_H
#define SETT_DUPLICATE_H

#include "sett/core.h"

/* How to duplicate. All zeroes: the entity and its descendants, in the same world. */
typedef struct sett_duplicate_desc {
    /* the world that receives the copies; default: the same world. Types are matched by name and
     * must have the same size, alignment and layout_version */
    sett_world* to;
    bool alone; /* without descendants; default: no */
} sett_duplicate_desc;

SETT_API sett_entity sett_duplicate_sized(sett_world* world, sett_entity entity,
                                          const sett_duplicate_desc* desc, size_t size);

/* Duplicates an entity with all its components, and its descendants.
 *
 * References inside values (entity_offsets) and links of relationships: those to a duplicated
 * entity point to its copy. The others stay as they are; in another world, references become null
 * and links are left out. Links from other entities to the originals are not duplicated.
 *
 * In the same world the copy becomes the last child of the original's parent and has no name, since
 * names are unique among siblings. Descendants have the names of their originals. Types with a
 * deinit hook and no copy hook are initialised, not copied. Hooks run when all copies exist:
 * on_add, then on_set, entity by entity.
 *   desc  NULL: the defaults
 * Returns the copy; null on failure: sett_world_error of the receiving world says why. Fails:
 * STALE, LOCKED, UNREGISTERED (the receiving world lacks a type), CONFLICT (its type of that name
 * differs), LIMIT, OUT_OF_MEMORY; nothing was created then.
 * Cost: O(entities x components). Invalidates: as adding the components.
 * Threads: writer of the receiving world, reader of the other. Since: 0.1 */
static inline sett_entity sett_duplicate(sett_world* world, sett_entity entity,
                                         const sett_duplicate_desc* desc)
{
    return sett_duplicate_sized(world, entity, desc, sizeof(*desc));
}

#endif
