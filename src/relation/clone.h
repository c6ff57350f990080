/* clone.h: copies of an entity, or of its subtree, for prefabs and duplicates; and of any entities
 * of another world, some of which are in this one already, for merges. What copies in another world
 * refer to, and is not copied, is found there by its path. */
#ifndef SETTI_CLONE_H
#define SETTI_CLONE_H

#include "relation/relationship.h"

typedef struct setti_clone_node {
    uint32_t index;       /* of the original */
    uint32_t lead;        /* the first of its setti_clone_lead; SETTI_NONE: none */
    uint32_t counterpart; /* an earlier node with the same copies, or SETTI_NONE */
    uint32_t over;        /* with bases: the parent's node, or that node's counterpart */
    uint64_t name;        /* key of its copies' name; 0: none */
    bool derives;         /* its copies are linked to it by InstanceOf */
    bool outside;         /* `onto` is the entity of its path, and nothing is copied */
    bool in_tree;         /* gets the hierarchy's component, because it becomes a parent */
    sett_entity onto;  /* entity of the other world that it is merged onto; null: a copy is made */
    uint32_t existing; /* in a merge: the first of its components that `onto` has, or SETTI_NONE */
    sett_entity* copies; /* `count` handles */
    setti_edit edit;     /* creates its copies */
} setti_clone_node;

/* A "sources" type that a node's copies need because other copies link to them. */
typedef struct setti_clone_lead {
    setti_type* sources;
    uint32_t next; /* of the node's list */
} setti_clone_lead;

/* What a merge does with a type of `from`. */
typedef enum setti_clone_verdict {
    SETTI_CLONE_SKIP,
    SETTI_CLONE_TAKE,
    SETTI_CLONE_RAW /* rejects it: its values may contain unknown handles */
} setti_clone_verdict;

/* A component that both a node and its `onto` have. */
typedef struct setti_clone_existing {
    setti_type* type;            /* of `to` */
    const setti_storage* origin; /* in `from`; NULL: links */
    void* old;                   /* the former value, for on_replace, or NULL */
    uint32_t next;               /* of the node's list */
} setti_clone_existing;

/* The options and results of a merge. Its caller fills in by_index and the nodes. */
typedef struct setti_clone_merge {
    const unsigned char* verdicts; /* by component id of `from`; NULL: no merge */
    bool overwrites;               /* existing components are overwritten; else they stay */
    bool rejects;
    uint32_t top; /* this node becomes the parent of nodes that have none; SETTI_NONE: no node */
    uint32_t outside; /* number of references, links and parents that were found by path */
    uint32_t lost;    /* number of references, links and parents that became null: not found */
    setti_clone_existing* existing;
    uint32_t existing_count;
    uint32_t existing_room;
} setti_clone_merge;

/* What to copy, and what the root's copies get in addition. */
typedef struct setti_clone_desc {
    const char* call; /* for messages */
    sett_entity root; /* the original */
    /* Entities whose types and children the copies get if the root lacks them. */
    const sett_entity* bases;
    uint32_t base_count;
    sett_entity parent; /* of the root's copies, in the same world; null: none */
    /* The rest is for one copy. `into`: entities that become the first nodes' copies, or NULL. */
    const sett_entity* into;
    uint32_t into_count;
    uint64_t name;            /* key of a held text; 0: none. No child of `parent` has this name */
    const sett_value* values; /* replace the original's values, or are added */
    uint32_t value_count;
} setti_clone_desc;

typedef struct setti_clone {
    /* Filled in by the caller; the rest begins as zero. */
    setti_clone_desc desc;
    sett_world* from;
    sett_world* to;
    uint32_t count; /* copies of each entity */
    bool alone;     /* descendants are not copied */
    /* InstanceOf for instances, which get neither shared types nor the tag Prefab; else NULL. */
    setti_relation* instances;
    setti_type* tag; /* a tag for all copies (Prefab, below a prefab), or NULL */
    setti_clone_merge merge;

    setti_clone_node* nodes; /* parents before children */
    uint32_t node_count;
    uint32_t node_room;
    uint32_t counterpart_count; /* nodes with a counterpart */
    setti_hash_map by_index;    /* link of the original -> node; empty if there is one node */
    setti_clone_lead* leads;
    uint32_t lead_count;
    uint32_t lead_room;
    sett_entity* copies; /* without the root's if the caller has room for them */
    size_t copy_room;
    bool parent_joins; /* the parent gets the hierarchy's component */
} setti_clone;

/* Makes the copies, all or none; the root's go to `out` unless it is NULL. No loop is open in `to`.
 * Fails, in `to`: UNREGISTERED or CONFLICT (a type is missing or differs), LIMIT, OUT_OF_MEMORY. */
sett_status setti_clone_run(setti_clone* clone, sett_entity* out);

/* Registers the library's types of `from` in `to`. Returns false if `to` has an error. */
bool setti_clone_register(const setti_clone* clone);

/* setti_clone_run for merges, which call setti_names_hold and setti_clone_release themselves. Fails
 * also with PRESENT (a component exists, and `rejects`) and ARGUMENT (a raw type). */
sett_status setti_clone_carry_out(setti_clone* clone, sett_entity* out);

/* Initialises a node for an entity index of `from`, or SETTI_NONE. */
void setti_clone_init_node(setti_clone* clone, setti_clone_node* node, uint32_t index);

/* Analyses only: makes nodes and their edits. Call setti_clone_release in any case. */
sett_status setti_clone_plan(setti_clone* clone);
void setti_clone_release(setti_clone* clone);

/* Whether the copies of a node have its name. */
bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node);

#endif
