/* walk.h: follows links from an entity to its sources or targets. The place of a link is a position
 * in relation/chain.h. In the hierarchy, the place is the index of the entity at the other end. */
#ifndef SETTI_WALK_H
#define SETTI_WALK_H

#include "relation/chain.h"
#include "search/search.h"

/* The place of an entity's first link, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_walk_first(const setti_type* relationship, uint32_t index,
                                       setti_link_side side)
{
    if (relationship->links == NULL) {
        const sett_hierarchy* node = setti_storage_find(&relationship->storage, index);
        if (node == NULL) {
            return SETTI_NONE;
        }
        /* The first child, or the parent. */
        uint32_t link = side == SETTI_SOURCES ? node->first : node->parent;
        return setti_link_index(link);
    }
    return setti_chain_first(setti_relation_of_links(relationship), index, side);
}

/* The entity at the other end of a link. */
SETTI_INLINE uint32_t setti_walk_end(const setti_type* relationship, uint32_t place,
                                     setti_link_side side)
{
    SETTI_ASSERT(place != SETTI_NONE);
    if (relationship->links == NULL) {
        return place;
    }
    return setti_chain_end(setti_relation_of_links(relationship), place, side);
}

/* The place of the next link, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_walk_next(const setti_type* relationship, uint32_t place,
                                      setti_link_side side)
{
    if (relationship->links == NULL) {
        if (side == SETTI_TARGETS) {
            return SETTI_NONE; /* an entity has only one parent */
        }
        const sett_hierarchy* node = setti_storage_find(&relationship->storage, place);
        if (node == NULL) {
            return SETTI_NONE;
        }
        return setti_link_index(node->next);
    }
    return setti_chain_next(setti_relation_of_links(relationship), place, side);
}

#endif
