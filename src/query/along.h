/* along.h: follows the hierarchy, or an exclusive relationship, from an entity to its target. */
#ifndef SETTI_ALONG_H
#define SETTI_ALONG_H

#include "world/world.h"

#include "sett/hierarchy.h"
#include "sett/relationship.h"

/* Returns the target of the entity `index`. Returns SETTI_NONE if the entity has no target.
 *   relationship  NULL if it is not registered: then no entity has a target */
SETTI_INLINE uint32_t setti_along_target(const setti_type* relationship, uint32_t index)
{
    if (relationship == NULL) {
        return SETTI_NONE;
    }
    const void* value = setti_storage_find(&relationship->storage, index);
    if (value == NULL) {
        return SETTI_NONE;
    }
    SETTI_ASSERT(relationship->records == NULL);
    if (relationship->links != NULL) {
        return ((const sett_link*)value)->target.index;
    }
    /* `parent` is the parent's index + 1; without a parent, it is 0, and 0 - 1 is SETTI_NONE */
    return ((const sett_hierarchy*)value)->parent - 1;
}

/* Whether a type is a relationship with one target for each entity. */
SETTI_INLINE bool setti_along_is_one(const setti_type* type)
{
    return type->id == SETT_ID_HIERARCHY || (type->links != NULL && type->records == NULL);
}

/* Returns the index of the entity that a term is about. If `singleton` is true, this is the entity
 * of the singletons; otherwise it is `entity`. Returns SETTI_NONE if the entity does not exist. */
SETTI_INLINE uint32_t setti_along_fixed(const sett_world* world, bool singleton, sett_entity entity)
{
    if (!singleton) {
        return setti_entity_signature(&world->entities, entity) != NULL ? entity.index : SETTI_NONE;
    }
    const setti_type* tag = setti_world_type(world, SETT_ID_SINGLETONS);
    if (tag == NULL) {
        return SETTI_NONE;
    }
    uint32_t cursor = 0;
    return setti_storage_next(&tag->storage, &cursor); /* the only entity with the tag */
}

/* A walk from target to target, with Brent's cycle detection. A new walk is all zeroes. In a cycle,
 * the walk comes back to `seen`, because the steps between two changes of `seen` double. */
typedef struct setti_along_walk {
    uint32_t seen;  /* an entity visited earlier; replaced after 1, 2, 4, ... steps */
    uint32_t left;  /* steps until `seen` is replaced */
    uint32_t power; /* steps between two changes of `seen`; 0: the walk begins */
} setti_along_walk;

/* Makes a step of a walk, from the entity `index` to its target. Returns the target. Returns
 * SETTI_NONE if there is no target, or if the walk has come round a cycle. */
SETTI_INLINE uint32_t setti_along_next(setti_along_walk* walk, const setti_type* relationship,
                                       uint32_t index)
{
    if (walk->power != 0 && index == walk->seen) {
        return SETTI_NONE;
    }
    if (walk->left == 0) {
        walk->seen = index;
        walk->power = SETTI_MAX(walk->power * 2, 1);
        walk->left = walk->power;
    }
    walk->left--;
    return setti_along_target(relationship, index);
}

/* Walks along `relationship` from the entity `index`. Returns the first entity that has the
 * component `type`. Returns SETTI_NONE if no entity of the walk has it, or if `index` is
 * SETTI_NONE. `mode` says whether the entity itself and the targets of targets count. */
SETTI_INLINE uint32_t setti_along_find(const setti_type* relationship, sett_walk mode,
                                       const setti_type* type, uint32_t index)
{
    SETTI_ASSERT(mode <= SETT_WALK_SELF_UP);
    if (mode == SETT_WALK_ONE) {
        index = setti_along_target(relationship, index);
    }
    if (mode != SETT_WALK_UP) {
        bool here = index != SETTI_NONE && setti_type_is_on(type, index);
        if (here || mode != SETT_WALK_SELF_UP) { /* one `if`: two take 4 instructions more */
            return here ? index : SETTI_NONE;
        }
    }
    setti_along_walk walk = {0};
    do {
        index = setti_along_next(&walk, relationship, index);
    } while (index != SETTI_NONE && !setti_type_is_on(type, index));
    return index;
}

#endif
