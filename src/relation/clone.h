/* clone.h: copies of an entity, or of its subtree, for prefabs and duplicates; and of any entities
 * of another world, some of which are in this one already, for merges. What copies in another world
 * refer to, and is not copied, is found there by its path. */
#ifndef SETTI_CLONE_H
#define SETTI_CLONE_H

#include "relation/relationship.h"

typedef struct setti_clone_node {
    uint32_t index;       /* of the entity that is copied */
    uint32_t lead;        /* the first of its leads, SETTI_NONE: nothing copied leads here */
    uint32_t counterpart; /* the node whose copies are its copies as well, or SETTI_NONE */
    uint32_t over;        /* where there are bases: the node that its copies are children of */
    uint64_t name;        /* the key of its copies' name, 0: none */
    bool derives;         /* its copies are linked to it, by InstanceOf */
    bool outside;         /* of another world: nothing of it is copied */
    bool in_tree;         /* gets the hierarchy's component, because of others */
    sett_entity onto;     /* of another world: what it becomes part of; null: a copy is made */
    uint32_t existing; /* of a merge: the first of its components that `onto` has, or SETTI_NONE */
    sett_entity* copies; /* `count` of them */
    setti_edit edit;     /* that creates its copies */
} setti_clone_node;

/* A link from one copy to another: the "sources" type that the latter needs. */
typedef struct setti_clone_lead {
    setti_type* sources;
    uint32_t next; /* of the same node */
} setti_clone_lead;

/* The decision of a merge about a type of `from`. */
typedef enum setti_clone_verdict {
    SETTI_CLONE_SKIP,
    SETTI_CLONE_TAKE,
    SETTI_CLONE_RAW /* rejected: its values may have handles that are not known */
} setti_clone_verdict;

/* A component that a node and what it becomes part of both have. */
typedef struct setti_clone_existing {
    setti_type* type;            /* of `to` */
    const setti_storage* origin; /* of `from`; NULL: links */
    void* old;                   /* the value from before, for on_replace; or NULL */
    uint32_t next;               /* of the same node */
} setti_clone_existing;

/* How a merge differs from other copies. The caller fills in the nodes, with `onto`, `outside`,
 * `in_tree` and names that are not those of `from`, and what leads to them, in by_index. */
typedef struct setti_clone_merge {
    const unsigned char* verdicts; /* of each type of `from`, by its id; NULL: it is no merge */
    bool overwrites;               /* components that exist; default: they stay */
    bool rejects;
    uint32_t top;     /* the node that those become children of whose parent is none; SETTI_NONE */
    uint32_t outside; /* references, links and parents that led to a node that is outside, */
    uint32_t lost;    /* or to none, and lead nowhere now */
    setti_clone_existing* existing;
    uint32_t existing_count;
    uint32_t existing_room;
} setti_clone_merge;

/* The entities to copy, and what the copies of the root get beside. */
typedef struct setti_clone_desc {
    const char* call; /* for messages */
    sett_entity root; /* of what is copied; it exists */
    /* More entities whose types and children the copies get where the root's lack them. */
    const sett_entity* bases;
    uint32_t base_count;
    sett_entity parent; /* of the copies of the root, in the same world; null: none */
    /* For one copy: */
    /* entities without components that become the copies of the first nodes, the root before all;
     * default: none */
    const sett_entity* into;
    uint32_t into_count;
    uint64_t name;            /* the key of a text, held; 0: none. No child of the parent has it */
    const sett_value* values; /* replace the original's, or are added */
    uint32_t value_count;
} setti_clone_desc;

typedef struct setti_clone {
    /* Filled in by the caller, all else zero. */
    setti_clone_desc desc;
    sett_world* from;
    sett_world* to;
    uint32_t count; /* copies of each entity */
    bool alone;     /* without descendants */
    /* Copies are instances: without the tag Prefab and without shared types, and linked to their
     * prefab by this relationship. NULL: plain copies. */
    setti_relation* instances;
    setti_type* tag; /* that all copies get: Prefab, below a prefab; NULL: none */
    setti_clone_merge merge;

    setti_clone_node* nodes; /* parents before their children */
    uint32_t node_count;
    uint32_t node_room;
    uint32_t counterpart_count; /* nodes with a counterpart */
    setti_hash_map by_index;    /* where there are several: index of an entity + 1 -> its node */
    setti_clone_lead* leads;
    uint32_t lead_count;
    uint32_t lead_room;
    sett_entity* copies; /* but for the root's, where the caller has room for them */
    size_t copy_room;
    bool parent_joins; /* the parent gets the hierarchy's component first */
} setti_clone;

/* Makes the copies; those of the root go to `out` unless it is NULL. All of them, or none. Nothing
 * is open in `to`. Fails, with the message set in `to`: UNREGISTERED and CONFLICT (it lacks a type,
 * or has another of that name), LIMIT, OUT_OF_MEMORY. */
sett_status setti_clone_run(setti_clone* clone, sett_entity* out);

/* Registers names and the hierarchy in `to`, if `from` has them. False: `to` says why. */
bool setti_clone_register(const setti_clone* clone);

/* The part of setti_clone_run between setti_name_hold, which keeps the texts of names, and
 * setti_clone_release. A merge calls these two itself, and has no `out`. Fails also with PRESENT (a
 * component exists, and the merge rejects that) and ARGUMENT (a raw type). */
sett_status setti_clone_carry_out(setti_clone* clone, sett_entity* out);

/* A node without anything, of an entity index of `from`, or SETTI_NONE. */
void setti_clone_init_node(setti_clone* clone, setti_clone_node* node, uint32_t index);

/* Only the analysis: nodes and their edits. To be released in any case. */
sett_status setti_clone_plan(setti_clone* clone);
void setti_clone_release(setti_clone* clone);

/* Whether the copies of a node have its name. */
bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node);

#endif
