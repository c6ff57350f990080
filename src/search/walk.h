/* walk.h: following links from one entity to others, in both directions. A *place* is where a link
 * is: what it means is known here alone. */
#ifndef SETTI_WALK_H
#define SETTI_WALK_H

#include "query/along.h"
#include "search/search_tree.h"

/* The first link from an entity to its targets (`down`: from its sources to it), or SETTI_NONE. */
SETTI_INLINE uint32_t setti_walk_first(const setti_along* along, uint32_t index, bool down)
{
    if (along->relation == NULL) {
        const sett_hierarchy* node = setti_storage_find(&along->type->storage, index);
        return node == NULL ? SETTI_NONE : (down ? node->first : node->parent) - 1;
    }
    const setti_relation* relation = along->relation;
    if (!down && !relation->many) {
        return setti_storage_has(&relation->links->storage, index) ? index : SETTI_NONE;
    }
    const setti_type* type = down ? relation->sources : relation->links;
    const sett_links* links = setti_storage_find(&type->storage, index);
    return links != NULL && links->count != 0 ? links->first_ : SETTI_NONE;
}

/* The entity at the other end of the link at a place. */
SETTI_INLINE uint32_t setti_walk_at(const setti_along* along, uint32_t place, bool down)
{
    SETTI_ASSERT(place != SETTI_NONE);
    if (along->relation == NULL) {
        return place;
    }
    if (along->relation->many) {
        const setti_chain_record* record = setti_chain_record_at(along->relation, place);
        return down ? record->source : record->target.index;
    }
    if (down) {
        return place;
    }
    SETTI_ASSERT(setti_storage_has(&along->relation->links->storage, place));
    const sett_link* link = setti_storage_find(&along->relation->links->storage, place);
    return link->target.index;
}

/* The next link of the same entity, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_walk_next(const setti_along* along, uint32_t place, bool down)
{
    if (along->relation == NULL) {
        const sett_hierarchy* node = down ? setti_storage_find(&along->type->storage, place) : NULL;
        return node != NULL ? node->next - 1 : SETTI_NONE;
    }
    if (along->relation->many) {
        const setti_chain_record* record = setti_chain_record_at(along->relation, place);
        return down ? record->by_target.next : record->by_source.next;
    }
    const sett_link* link =
        down ? setti_storage_find(&along->relation->links->storage, place) : NULL;
    return link != NULL ? link->chain_.next : SETTI_NONE;
}

#endif
