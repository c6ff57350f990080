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
    bool alone;     /* without descendants; default: no */
    uint32_t* lost; /* receives how many references became null, and links and parents were left
                     * out, because another world has no entity of their path; default: none */
} sett_duplicate_desc;

SETT_API sett_entity sett_duplicate_sized(sett_world* world, sett_entity entity,
                                          const sett_duplicate_desc* desc, size_t size);

/* Duplicates an entity with all its components, and its descendants.
 *
 * In the copies, references (entity_offsets) and links to a duplicated entity lead to its copy. All
 * others stay as they are. In another world they lead to the entity of the same path; if there is
 * none, they become null, or are left out. So does the parent of the copy there: without it the
 * copy is a root, and without a name if another entity has it. Links from other entities to the
 * originals are not duplicated.
 *
 * In the same world the copy is the last child of the original's parent, and a prefab, with its
 * descendants, if the parent is one. It has no name, because
 * names are unique among siblings. Descendants keep their names. Values with a deinit hook and no
 * copy hook are initialised, not copied. Callbacks run when all copies exist: on_add, then on_set,
 * entity by entity.
 *   desc  NULL: the defaults
 * Returns the copy; null on failure (sett_world_error of the receiving world); nothing is created.
 * Fails: STALE, LOCKED, UNREGISTERED (the receiving world does not have a type), CONFLICT (a type
 * of the receiving world differs), LIMIT, OUT_OF_MEMORY.
 * Cost: O(entities x components). Invalidates: as adding the components.
 * Threads: writer of the receiving world, reader of the other. Since: 0.1 */
static inline sett_entity sett_duplicate(sett_world* world, sett_entity entity,
                                         const sett_duplicate_desc* desc)
{
    return sett_duplicate_sized(world, entity, desc, sizeof(*desc));
}

#endif
