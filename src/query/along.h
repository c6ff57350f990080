/* along.h: follows the hierarchy, or an exclusive relationship, from entity to target. */
#ifndef SETTI_ALONG_H
#define SETTI_ALONG_H

#include "world/world.h"

#include "sett/hierarchy.h"
#include "sett/relationship.h"

/* Returns the target of an entity, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_along_target(const setti_type* relationship, uint32_t index)
{
    const void* value =
        relationship != NULL ? setti_storage_find(&relationship->storage, index) : NULL;
    if (value == NULL) {
        return SETTI_NONE;
    }
    SETTI_ASSERT(relationship->records == NULL);
    return relationship->links != NULL
               ? ((const sett_link*)value)->target.index
               : ((const sett_hierarchy*)value)->parent - 1; /* 0: no parent */
}

/* Whether a type allows one target for each entity. */
SETTI_INLINE bool setti_along_is_one(const setti_type* type)
{
    return type->id == SETT_ID_HIERARCHY || (type->links != NULL && type->records == NULL);
}

/* For a term about a fixed entity, or about a singleton: returns the entity's index, or SETTI_NONE
 * if it is dead or missing. */
SETTI_INLINE uint32_t setti_along_fixed(const sett_world* world, bool singleton, sett_entity entity)
{
    if (!singleton) {
        return setti_entity_signature(&world->entities, entity) != NULL ? entity.index : SETTI_NONE;
    }
    const setti_type* tag = setti_world_type(world, SETT_ID_SINGLETONS);
    uint32_t cursor = 0;
    return tag != NULL ? setti_storage_next(&tag->storage, &cursor) : SETTI_NONE;
}

/* A walk from target to target, with Brent's cycle detection. A new walk is all zeroes. */
typedef struct setti_along_walk {
    uint32_t seen;  /* an entity visited earlier, replaced after 1, 2, 4, ... steps */
    uint32_t left;  /* steps until `seen` changes */
    uint32_t power; /* steps between two changes of `seen`; 0: the walk begins */
} setti_along_walk;

/* Returns the next entity of a walk, or SETTI_NONE at the end. */
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

/* Returns the first entity with the component `type` on a walk along `relationship`, or
 * SETTI_NONE. */
SETTI_INLINE uint32_t setti_along_find(const setti_type* relationship, sett_walk walk,
                                       const setti_type* type, uint32_t index)
{
    SETTI_ASSERT(walk <= SETT_WALK_SELF_UP);
    if (walk == SETT_WALK_ONE) {
        index = setti_along_target(relationship, index);
    }
    if (walk != SETT_WALK_UP) {
        bool here = index != SETTI_NONE && setti_type_is_on(type, index);
        if (here || walk != SETT_WALK_SELF_UP) {
            return here ? index : SETTI_NONE;
        }
    }
    setti_along_walk up = {0};
    do {
        index = setti_along_next(&up, relationship, index);
    } while (index != SETTI_NONE && !setti_type_is_on(type, index));
    return index;
}

#endif
