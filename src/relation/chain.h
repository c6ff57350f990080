/* chain.h: the links of relationships, in lists.
 *
 * Each target has a list of incoming links. If sources may have many targets, each source also has
 * a list of outgoing links. A *place* tells where a link is. An exclusive link is in the source's
 * component, and the place is the source's index. A link to one of many targets is a record, and
 * the place is the record's number.
 */
#ifndef SETTI_CHAIN_H
#define SETTI_CHAIN_H

#include "relation/relationship.h"

/* A direction of links, seen from an entity. */
typedef enum setti_link_side {
    SETTI_TARGETS, /* outgoing links */
    SETTI_SOURCES  /* incoming links */
} setti_link_side;

/* A record: a link of a relationship with many targets. The link's data follow it. */
typedef struct setti_chain_record {
    sett_link link;        /* first member; link.chain_ has the neighbours in the target's list */
    sett_chain_ by_source; /* neighbours in the source's list */
    uint32_t source;       /* entity index */
} setti_chain_record;

SETTI_INLINE setti_chain_record* setti_chain_record_at(const setti_relation* relation,
                                                       uint32_t place)
{
    SETTI_ASSERT(relation->many &&
                 setti_pages_get(&relation->records, place >> relation->layout.shift) != NULL);
    unsigned char* page = relation->records.data[place >> relation->layout.shift];
    uint32_t row = place & (((uint32_t)1 << relation->layout.shift) - 1); /* on the page */
    return (setti_chain_record*)(void*)(page + (size_t)row * relation->layout.size);
}

/* Returns the link at `place`, or NULL if the entity at this index has no link. */
SETTI_INLINE sett_link* setti_chain_at(const setti_relation* relation, uint32_t place)
{
    SETTI_ASSERT(place != SETTI_NONE);
    if (!relation->many) {
        return setti_storage_find(&relation->links->storage, place);
    }
    return &setti_chain_record_at(relation, place)->link;
}

/* Returns the existing link at `place`, marked as written. */
SETTI_INLINE sett_link* setti_chain_write(const setti_relation* relation, uint32_t place)
{
    SETTI_ASSERT(place != SETTI_NONE);
    setti_pool* pool = &relation->world->pool;
    const setti_storage* storage = &relation->links->storage;
    void* value;
    if (relation->many) {
        setti_pages_write(pool, &relation->records, place >> relation->layout.shift);
        return &setti_chain_record_at(relation, place)->link;
    }
    if (setti_array_try_find_mut(pool, storage, place, &value)) {
        return value;
    }
    return setti_storage_find_mut(pool, storage, place);
}

/* Reserves memory for one more record. */
bool setti_chain_reserve(setti_relation* relation);

/* Reserves memory for `count` records in addition to those claimed before. */
bool setti_chain_claim(setti_relation* relation, uint32_t count);

/* Reserves memory, so that the entity `index` can become a target. */
bool setti_chain_reserve_target(const setti_relation* relation, uint32_t index);
/* Makes an entity a target, in reserved memory. */
void setti_chain_make_target(const setti_relation* relation, sett_entity target);

/* Makes a link in reserved memory. Returns the link's data. */
void* setti_chain_link(setti_relation* relation, uint32_t source, sett_entity target);

/* Like setti_chain_link, for many sources with exclusive links that are null. */
void setti_chain_link_many(const setti_relation* relation, const sett_entity* sources,
                           uint32_t count, sett_entity target);

/* Removes an exclusive link from the target's list, and sets the link's target to null. */
void setti_chain_unlink(setti_relation* relation, sett_link* link);

/* Deletes a record. The last record moves to `place`. */
void setti_chain_delete(setti_relation* relation, uint32_t place);

/* Deletes a link, and runs on_set. Does nothing and returns false if it is the source's only
 * link. */
bool setti_chain_delete_one(setti_relation* relation, uint32_t place);

/* Moves the link at `place` to the end of the list of a side. */
void setti_chain_requeue(setti_relation* relation, setti_link_side side, uint32_t place);

/* Runs on_set after the link to `target` was changed. */
void setti_chain_notify(const setti_relation* relation, uint32_t source, sett_entity target);

/* Slow path of setti_chain_find, for sources with many targets. */
uint32_t setti_chain_look_up(const setti_relation* relation, sett_entity source,
                             sett_entity target);
/* Like setti_chain_look_up, but may build the table of pairs. */
uint32_t setti_chain_search(setti_relation* relation, sett_entity source, sett_entity target);

/* Returns the place of the link from source to target, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_chain_find(const setti_relation* relation, sett_entity source,
                                       sett_entity target)
{
    if (relation->many) {
        return setti_chain_look_up(relation, source, target);
    }
    const sett_link* link = NULL;
    if (setti_entity_is_current(&relation->world->entities, source)) {
        link = setti_storage_find(&relation->links->storage, source.index);
    }
    bool found = link != NULL && !sett_is_null(target) && sett_equals(link->target, target);
    return found ? source.index : SETTI_NONE;
}

/* Frees the table of pairs, if there is one. */
void setti_chain_drop_pairs(setti_relation* relation);

/* Returns the place of an entity's first link on a side, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_chain_first(const setti_relation* relation, uint32_t index,
                                        setti_link_side side)
{
    if (side == SETTI_TARGETS && !relation->many) {
        return setti_storage_has(&relation->links->storage, index) ? index : SETTI_NONE;
    }
    const setti_type* type = side == SETTI_SOURCES ? relation->sources : relation->links;
    const sett_links* links = setti_storage_find(&type->storage, index);
    bool has_links = links != NULL && links->count != 0;
    return has_links ? links->first_ : SETTI_NONE;
}

/* Returns the place of the link after `place` in the list of a side, or SETTI_NONE. */
SETTI_INLINE uint32_t setti_chain_next(const setti_relation* relation, uint32_t place,
                                       setti_link_side side)
{
    if (side == SETTI_TARGETS) {
        if (!relation->many) {
            return SETTI_NONE; /* the only link of the source */
        }
        return setti_chain_record_at(relation, place)->by_source.next;
    }
    const sett_link* link = setti_chain_at(relation, place);
    return link != NULL ? link->chain_.next : SETTI_NONE;
}

SETTI_INLINE uint32_t setti_chain_source(const setti_relation* relation, uint32_t place)
{
    return relation->many ? setti_chain_record_at(relation, place)->source : place;
}

/* Returns the index of the entity after the entity `index`, in a walk over the direct and indirect
 * sources of `root`. Returns SETTI_NONE at the end. Only for exclusive links. */
SETTI_INLINE uint32_t setti_chain_next_below(const setti_relation* relation, uint32_t root,
                                             uint32_t index)
{
    uint32_t next = setti_chain_first(relation, index, SETTI_SOURCES);
    while (next == SETTI_NONE && index != root) {
        next = setti_chain_next(relation, index, SETTI_SOURCES);
        index = setti_chain_at(relation, index)->target.index;
    }
    return next;
}

/* Returns the index of the entity at one end of a link. `side` is SETTI_SOURCES for the source, and
 * SETTI_TARGETS for the target. */
SETTI_INLINE uint32_t setti_chain_end(const setti_relation* relation, uint32_t place,
                                      setti_link_side side)
{
    if (side == SETTI_SOURCES) {
        return setti_chain_source(relation, place);
    }
    return setti_chain_at(relation, place)->target.index;
}

const char* setti_chain_validate(const setti_relation* relation);

#endif
