/* clone.h: copies of entities, for prefabs, duplicates and merges. A copy in another world refers
 * to other copies, or to entities with the same path as the originals. */
#ifndef SETTI_CLONE_H
#define SETTI_CLONE_H

#include "relation/relationship.h"

typedef struct setti_clone_node {
    uint32_t index;       /* entity index of the original */
    uint32_t lead;        /* the node's first setti_clone_lead, or SETTI_NONE */
    uint32_t counterpart; /* the first node with the same copies, or SETTI_NONE if this is it */
    uint32_t parent;     /* set if there are bases: the parent's node, or that node's counterpart */
    uint64_t name;       /* key of the copies' name, or 0 */
    bool derives;        /* the copies get an InstanceOf link to the original */
    bool outside;        /* the entity is not copied: `onto` has the same path in the other world */
    bool in_tree;        /* `onto` must get the hierarchy's component, to become a parent */
    sett_entity onto;    /* the entity of `to` that becomes the copy; null: a copy is created */
    uint32_t existing;   /* the node's first setti_clone_existing, or SETTI_NONE */
    sett_entity* copies; /* `count` handles */
    setti_edit edit;     /* creates the copies, or adds components to `onto` */
} setti_clone_node;

/* A "sources" type that a node's copies get, because they are targets of copied links. */
typedef struct setti_clone_lead {
    setti_type* sources;
    uint32_t next; /* the node's next lead, or SETTI_NONE */
} setti_clone_lead;

/* How a merge treats a type of `from`. */
typedef enum setti_clone_verdict {
    SETTI_CLONE_SKIP, /* the copies do not get the type */
    SETTI_CLONE_TAKE, /* the copies get the type */
    SETTI_CLONE_RAW   /* the merge fails: values of the type may contain unknown handles */
} setti_clone_verdict;

/* A component that both the original and `onto` have before the merge. */
typedef struct setti_clone_existing {
    setti_type* type;            /* in the world `to` */
    const setti_storage* origin; /* in the world `from`; NULL if the values are links */
    void* old;                   /* the value before the merge, for on_replace, or NULL */
    uint32_t next;               /* the node's next entry, or SETTI_NONE */
} setti_clone_existing;

/* Options and results of a merge. */
typedef struct setti_clone_merge {
    const unsigned char* verdicts; /* index: component id in `from`; NULL: this is no merge */
    bool overwrites;               /* existing components are overwritten; otherwise they stay */
    bool rejects;                  /* the merge fails if a component exists */
    uint32_t top;     /* its copies become the parents of parentless copies; SETTI_NONE: no node */
    uint32_t outside; /* number of references, links and parents found by path */
    uint32_t lost;    /* number of references, links and parents not found: null in the copies */
    setti_clone_existing* existing;
    uint32_t existing_count;
    uint32_t existing_room;
} setti_clone_merge;

/* The originals, and the parent, name and values that the root's copies get. */
typedef struct setti_clone_desc {
    const char* call; /* for messages */
    sett_entity root; /* the original of the root's copies */
    /* More originals of the root's copies. They give types and children that `root` lacks. */
    const sett_entity* bases;
    uint32_t base_count;
    sett_entity parent; /* parent of the root's copies, in the same world; null: none */
    /* For one copy only: */
    const sett_entity* into; /* entities that become the copies of the first nodes, or NULL */
    uint32_t into_count;
    uint64_t name;            /* key of the copy's name, a held text that no sibling has; or 0 */
    const sett_value* values; /* replace the original's values, or are added */
    uint32_t value_count;
} setti_clone_desc;

typedef struct setti_clone {
    /* Filled in by the caller. All other members begin as zero. */
    setti_clone_desc desc;
    sett_world* from;
    sett_world* to;
    uint32_t count; /* copies of each entity */
    bool alone;     /* descendants are not copied */
    /* InstanceOf, if the copies become instances, or NULL. */
    setti_relation* instances;
    setti_type* tag; /* Prefab, if the parent of the copies is a prefab; otherwise NULL */
    setti_clone_merge merge;

    setti_clone_node* nodes; /* parents before children */
    uint32_t node_count;
    uint32_t node_room;
    uint32_t counterpart_count; /* nodes with a counterpart */
    /* Link of an original -> node. Not used if there is one node, and `from` is `to`. */
    setti_hash_map by_index;
    setti_clone_lead* leads;
    uint32_t lead_count;
    uint32_t lead_room;
    sett_entity* copies; /* handles of all copies, except the root's if `out` gets them */
    size_t copy_room;
    bool parent_joins; /* desc.parent must get the hierarchy's component, which it lacks */
} setti_clone;

/* Makes all copies or none. If `out` is not NULL, it gets the handles of the root's copies. */
sett_status setti_clone_run(setti_clone* clone, sett_entity* out);

/* Registers in `to` the types of `from` that the library defines. */
bool setti_clone_register(const setti_clone* clone);

/* Like setti_clone_run, but for merges. Call setti_clone_release afterwards. */
sett_status setti_clone_carry_out(setti_clone* clone, sett_entity* out);

void setti_clone_init_node(setti_clone* clone, setti_clone_node* node, uint32_t index);

/* Makes the nodes and their edits, but no copies. Call setti_clone_release afterwards, even after a
 * failure. */
sett_status setti_clone_plan(setti_clone* clone);
void setti_clone_release(setti_clone* clone);

/* Returns true if a node's copies get the name of the original. */
bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node);

#endif
