/* clone.h: copies of entities, for prefabs, duplicates and merges. A copy in another world refers
 * to copies, or to entities with the same path. */
#ifndef SETTI_CLONE_H
#define SETTI_CLONE_H

#include "relation/relationship.h"

typedef struct setti_clone_node {
    uint32_t index;       /* of the original */
    uint32_t lead;        /* the node's first setti_clone_lead, or SETTI_NONE */
    uint32_t counterpart; /* the earlier node with the same copies, or SETTI_NONE */
    uint32_t parent;      /* with bases: the parent's node, or the counterpart of that node */
    uint64_t name;        /* key of the copies' name, or 0 */
    bool derives;         /* the copies get an InstanceOf link to the original */
    bool outside;         /* not copied, but `onto` in the other world has the same path */
    bool in_tree;         /* `onto` gets the hierarchy's component, to become a parent */
    sett_entity onto;     /* the entity of `to` that becomes the copy; null: a copy is created */
    uint32_t existing;    /* the node's first setti_clone_existing, or SETTI_NONE */
    sett_entity* copies;  /* `count` handles */
    setti_edit edit;      /* creates the copies, or adds components to `onto` */
} setti_clone_node;

/* A "sources" type that a node's copies get, because copied links lead to the copies. */
typedef struct setti_clone_lead {
    setti_type* sources;
    uint32_t next; /* the node's next lead, or SETTI_NONE */
} setti_clone_lead;

/* How a merge treats a type of `from`. */
typedef enum setti_clone_verdict {
    SETTI_CLONE_SKIP, /* the copies do not get the type */
    SETTI_CLONE_TAKE,
    SETTI_CLONE_RAW /* the merge fails: values of the type may contain unknown handles */
} setti_clone_verdict;

/* A component that the original and `onto` have. */
typedef struct setti_clone_existing {
    setti_type* type;            /* of `to` */
    const setti_storage* origin; /* of `from`; NULL if the component's values are links */
    void* old;                   /* the value before the merge, for on_replace, or NULL */
    uint32_t next;               /* the node's next entry, or SETTI_NONE */
} setti_clone_existing;

/* Options and results of a merge. */
typedef struct setti_clone_merge {
    const unsigned char* verdicts; /* by component id of `from`; NULL: no merge */
    bool overwrites;               /* existing components are overwritten, otherwise unchanged */
    bool rejects;                  /* the merge fails if a component exists */
    uint32_t top;     /* the node whose copies become parents of parentless copies, or SETTI_NONE */
    uint32_t outside; /* number of references, links and parents found by path */
    uint32_t lost;    /* number of references, links and parents not found, and set to null */
    setti_clone_existing* existing;
    uint32_t existing_count;
    uint32_t existing_room;
} setti_clone_merge;

/* The originals, and what the root's copies get besides. */
typedef struct setti_clone_desc {
    const char* call; /* for messages */
    sett_entity root; /* the original */
    /* More originals of the root's copies. They give types and children that `root` lacks. */
    const sett_entity* bases;
    uint32_t base_count;
    sett_entity parent; /* parent of the root's copies, in the same world; null: none */
    /* For one copy only: */
    const sett_entity* into; /* entities that become the copies of the first nodes, or NULL */
    uint32_t into_count;
    uint64_t name;            /* key of the copy's name, a held text; no sibling has it. 0: none */
    const sett_value* values; /* replace the original's values, or are added */
    uint32_t value_count;
} setti_clone_desc;

typedef struct setti_clone {
    /* Filled in by the caller. All other members begin as zero. */
    setti_clone_desc desc;
    sett_world* from;
    sett_world* to;
    uint32_t count; /* copies of each entity */
    bool alone;     /* without descendants */
    /* InstanceOf, if the copies become instances, or NULL. */
    setti_relation* instances;
    setti_type* tag; /* Prefab, if the parent of the copies is a prefab; else NULL */
    setti_clone_merge merge;

    setti_clone_node* nodes; /* parents before children */
    uint32_t node_count;
    uint32_t node_room;
    uint32_t counterpart_count; /* nodes with a counterpart */
    setti_hash_map by_index;    /* link of the original -> node; unused for one node in one world */
    setti_clone_lead* leads;
    uint32_t lead_count;
    uint32_t lead_room;
    sett_entity* copies; /* handles of all copies, but the root's are in `out` if given */
    size_t copy_room;
    bool parent_joins; /* desc.parent lacks the hierarchy's component, and gets it */
} setti_clone;

/* Makes all copies or none. `out` gets the handles of the root's copies; may be NULL. */
sett_status setti_clone_run(setti_clone* clone, sett_entity* out);

/* Registers the library's types of `from` in `to`. */
bool setti_clone_register(const setti_clone* clone);

/* Like setti_clone_run, but for merges. Call setti_clone_release afterwards. */
sett_status setti_clone_carry_out(setti_clone* clone, sett_entity* out);

/* Initialises the node of an original. */
void setti_clone_init_node(setti_clone* clone, setti_clone_node* node, uint32_t index);

/* Makes nodes and edits, but no copies. Call setti_clone_release afterwards, even on failure. */
sett_status setti_clone_plan(setti_clone* clone);
void setti_clone_release(setti_clone* clone);

/* Returns true if a node's copies get the name of the original. */
bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node);

#endif
