/* walk.h: follows links from one entity to others, in both directions. A place is a position in the
 * lists of relation/chain.h; in the hierarchy it is the index of the other entity. */
#ifndef SETTI_WALK_H
#define SETTI_WALK_H

#include "relation/chain.h"
#include "search/search.h"

/* The place of the first link from an entity to its targets (`down`: from its sources), or
 * SETTI_NONE. */
SETTI_INLINE uint32_t setti_walk_first(const setti_type* along, uint32_t index, bool down)
{
    if (along->links == NULL) {
        const sett_hierarchy* node = setti_storage_find(&along->storage, index);
        return node == NULL ? SETTI_NONE : (down ? node->first : node->parent) - 1;
    }
    return setti_chain_first(setti_relation_of_links(along), index, down);
}

/* The entity at the other end of the link at a place. */
SETTI_INLINE uint32_t setti_walk_at(const setti_type* along, uint32_t place, bool down)
{
    SETTI_ASSERT(place != SETTI_NONE);
    return along->links != NULL ? setti_chain_other(setti_relation_of_links(along), place, down)
                                : place;
}

/* The next link of the same entity, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_walk_next(const setti_type* along, uint32_t place, bool down)
{
    if (along->links == NULL) {
        const sett_hierarchy* node = down ? setti_storage_find(&along->storage, place) : NULL;
        return node != NULL ? node->next - 1 : SETTI_NONE;
    }
    return setti_chain_next(setti_relation_of_links(along), place, down);
}

#endif
