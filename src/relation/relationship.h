/* relationship.h: what the library knows of a relationship, for other files. The links are in
 * chain.h. */
#ifndef SETTI_RELATIONSHIP_H
#define SETTI_RELATIONSHIP_H

#include "sett/relationship.h"
#include "world/change.h"

typedef struct setti_relation {
    struct setti_relation* next; /* in the world's list, in order of registration */
    sett_world* world;
    setti_type* links;   /* the component of sources: sett_link and data, or sett_links */
    setti_type* sources; /* the component of targets: sett_links */
    bool many;           /* desc.many */
    uint32_t data_size;
    const setti_type* data_type; /* what the data is: see setti_component_make_part */

    /* Of many: the records of all links, without gaps. */
    setti_pages records;
    uint32_t record_count; /* with the pages, part of the state */
    setti_root root;
    setti_records layout; /* of records; `data` of exclusive links as well */
    uint32_t claimed;     /* records reserved by a creation of many, see clone.c */

    /* Of many: the record of a source and a target, an open table of record numbers plus one. A
     * cache, made when looking for links along lists has taken as long as making it. */
    uint32_t* pairs;
    uint32_t pair_capacity; /* a power of two, more than 1.5 * record_count; 0: there is none */
    uint32_t pair_epoch;
    uint64_t walked;             /* links looked at since the state was replaced */
    sett_relationship_desc desc; /* as registered; what it points to is gone, hooks apart */
} setti_relation;

enum {
    SETTI_SLOT_RELATIONS = 2
};

/* The first that was registered in a world, or NULL. */
SETTI_INLINE setti_relation* setti_relations_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_RELATIONS];
}

/* The relation whose links values of this type are, or whose ends; or NULL. */
SETTI_INLINE setti_relation* setti_relation_of_links(const setti_type* type)
{
    return type->links;
}

SETTI_INLINE setti_relation* setti_relation_of_ends(const setti_type* type)
{
    return type->ends;
}

/* The relation of a component id, or NULL. */
static inline setti_relation* setti_relation_of(const sett_world* world, sett_component component)
{
    const setti_type* type = setti_world_type(world, component);
    return type != NULL ? setti_relation_of_links(type) : NULL;
}

/* Registers a relationship in another world, with data of this layout. */
sett_status setti_relation_join(sett_world* into, const setti_relation* relation,
                                const sett_component_desc* data);

/* The relation of a changing call, if the world allows it and the entity exists; else NULL, and the
 * world says why. */
setti_relation* setti_relation_check(sett_world* world, sett_component relationship,
                                     sett_entity entity, const char* call);

/* sett_relate with data (NULL: leave them), which are in place when callbacks run; an existing link
 * with other data runs on_set. The hook may_relate is not called. */
void* setti_relation_relate(sett_world* world, sett_entity source, sett_component relationship,
                            sett_entity target, const void* data, const char* call);

/* Sets the cascades of both types: what the destruction of an entity means for the other ends of
 * its links. */
void setti_cleanup_tie(const setti_relation* relation);

#endif
