/* clone.h: copies of an entity, or of its subtree, for prefabs and duplicates. */
#ifndef SETTI_CLONE_H
#define SETTI_CLONE_H

#include "relation/chain.h"

typedef struct setti_clone_node {
    uint32_t index;      /* of the entity that is copied */
    uint32_t lead;       /* the first of its leads, SETTI_NONE: nothing copied leads here */
    uint64_t name;       /* the key of its copies' name, 0: none */
    bool derives;        /* its copies are linked to it, by InstanceOf */
    sett_entity* copies; /* `count` of them */
    setti_edit edit;     /* that creates its copies */
} setti_clone_node;

/* A link from one copy to another: the "sources" type that the latter needs. */
typedef struct setti_clone_lead {
    setti_type* sources;
    uint32_t next; /* of the same node */
} setti_clone_lead;

typedef struct setti_clone {
    /* Filled in by the caller, all else zero. */
    sett_world* from;
    sett_world* to;
    const char* call; /* for messages */
    uint32_t count;   /* copies of each entity */
    bool alone;       /* without descendants */
    sett_entity into; /* null; else the root of the only copy: it exists and has no components */
    /* Copies are instances: without the tag Prefab and without shared types, and linked to their
     * prefab by this relationship. NULL: plain copies. */
    setti_relation* instances;
    /* For one copy, what its root also gets: values that replace the original's or are added; a
     * parent in the same world; a name that no child of the parent has, by its key. */
    const sett_value* given;
    uint32_t given_count;
    sett_entity parent;
    uint64_t name;

    setti_clone_node* nodes; /* parents before their children */
    uint32_t node_count;
    setti_hash_map by_index; /* where there are several: index of an entity + 1 -> its node */
    setti_clone_lead* leads;
    uint32_t lead_count;
    uint32_t lead_room;
    sett_entity* copies; /* but for the root's, where the caller has room for them */
    size_t copy_room;
    bool parent_joins; /* the parent gets the hierarchy's component first */
} setti_clone;

/* Makes the copies; those of `root`, which exists, go to `out` unless it is NULL. All of them, or
 * none. Nothing is open in `to`. Fails, with the message set in `to`: UNREGISTERED and CONFLICT (it
 * lacks a type, or has another of that name), LIMIT, OUT_OF_MEMORY. */
sett_status setti_clone_run(setti_clone* clone, sett_entity root, sett_entity* out);

/* Only the analysis: nodes and their edits. To be released in any case. */
sett_status setti_clone_plan(setti_clone* clone, sett_entity root);
void setti_clone_release(setti_clone* clone);

/* Whether the copies of a node have its name. */
bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node);

#endif
