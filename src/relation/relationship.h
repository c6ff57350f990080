/* relationship.h: the data of a relationship; chain.h has the links. */
#ifndef SETTI_RELATIONSHIP_H
#define SETTI_RELATIONSHIP_H

#include "sett/relationship.h"
#include "world/change.h"

typedef struct setti_relation {
    struct setti_relation* next; /* the world's next relationship, in order of registration */
    sett_world* world;
    setti_type* links;   /* the component of sources: sett_link and data, or sett_links */
    setti_type* sources; /* the component of targets: sett_links */
    bool many;           /* desc.many */
    uint32_t data_size;
    const setti_type* data_type; /* type of the data: see setti_component_make_part */

    /* With many targets: the records of all links, without gaps. */
    setti_pages records;
    uint32_t record_count; /* part of the state, like `records` */
    setti_root root;
    setti_records layout; /* layout of records; layout.data is right for exclusive links too */
    uint32_t claimed;     /* records reserved for copies (clone.c) */

    /* With many targets: a hash table of source and target -> record + 1 (chain.c). */
    uint32_t* pairs;
    uint32_t pair_capacity; /* a power of two, more than 1.5 * record_count; 0: no table */
    uint32_t pair_epoch;
    uint64_t walked;             /* links visited by searches since a table was built or freed */
    sett_relationship_desc desc; /* as registered; all pointers except hooks are invalid */
} setti_relation;

enum {
    SETTI_SLOT_RELATIONS = 2
};

SETTI_INLINE setti_relation* setti_relations_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_RELATIONS];
}

SETTI_INLINE setti_relation* setti_relation_of_links(const setti_type* type)
{
    return type->links;
}

SETTI_INLINE setti_relation* setti_relation_of_ends(const setti_type* type)
{
    return type->ends;
}

/* Returns NULL if the component is no relationship. */
static inline setti_relation* setti_relation_of(const sett_world* world, sett_component component)
{
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return NULL;
    }
    return setti_relation_of_links(type);
}

/* Registers a relationship in the world `to_world`. `data` describes the data of links. */
sett_status setti_relation_join(sett_world* to_world, const setti_relation* relation,
                                const sett_component_desc* data);

/* Returns the relation for a call that changes an entity's links. Reports an error and returns NULL
 * if the call is not allowed. */
setti_relation* setti_relation_check(sett_world* world, sett_component relationship,
                                     sett_entity entity, const char* call);

/* Like sett_relate_set, but does not ask the hook may_relate. */
void* setti_relation_relate(sett_world* world, sett_entity source, sett_component relationship,
                            sett_entity target, const void* data, const char* call);

/* Sets the cascades of a relation's two types. Defined in cleanup.c. */
void setti_cleanup_tie(const setti_relation* relation);

#endif
