/* naive.h: the naive world that test_model_relation.c holds Sett against: links, trees, prefabs and
 * copies, all of them in arrays.
 *
 *     naive.c          who is alive, below whom, linked to whom
 *     naive_copy.c     what a copy gets
 *     naive_compare.c  whether the world is what the naive one says
 *     op_<what>.c      the random operations, listed at the end: each does something to both, and
 *                      looks at what the call returned
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_NAIVE_H
#define SETT_TEST_NAIVE_H

#include "chance.h"
#include "check.h"
#include "sett/duplicate.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/search.h"
#include "sett/state.h"

#define INDICES 512u /* in use */
#define LINKS 4096u  /* of all relationships */
#define DEAD 512u    /* handles kept of entities that are gone */
#define RELATIONS 8u /* the last is InstanceOf */
#define ACYCLIC 6u   /* also transitive and reflexive; not recorded */
#define INSTANCE_OF 7u

typedef struct Value {
    uint32_t number;
    sett_entity reference;
} Value;

typedef struct naive_relation {
    const char* name;
    bool many;
    bool data;
    sett_cleanup on_target, on_source;
    sett_storage_kind storage;
    sett_component id;
} naive_relation;

typedef struct naive_link {
    uint32_t relation, source, target; /* indices */
    uint32_t data;
} naive_link;

typedef struct naive_entity {
    sett_entity handle; /* null: no entity here */
    uint32_t parent;    /* index, INDICES: none */
    uint64_t place;     /* among siblings: ascending */
    sett_children_policy policy;
    bool has_value, has_shared, prefab, dont_fragment;
    Value value;
    uint32_t shared; /* a value that instances share with their prefab */
    bool going;      /* scratch of destroying */
    uint32_t copy;   /* scratch of copying: index of the copy, INDICES: it is not copied */
} naive_entity;

typedef struct naive_world {
    naive_entity at[INDICES];
    naive_link link[LINKS]; /* in the order in which they were made */
    uint32_t link_count;
    uint32_t count;
    uint32_t end; /* indices from here on never had anybody */
    uint64_t places;
    sett_entity dead[DEAD];
    uint32_t dead_count;
} naive_world;

extern naive_world naive;
extern naive_relation relations[RELATIONS];
extern sett_world* world;
extern sett_world* other; /* where copies are made too; nothing else happens there */
extern sett_component value_id, shared_id, dont_fragment_id, prefab_id;
extern sett_query* visible;
extern sett_search* closure; /* variable 0 is the source */

/* ---- The run --------------------------------------------------------------------------------- */

extern uint64_t seed;
extern uint64_t done;
extern const char* doing;
extern uint32_t ranges;   /* into which the indices are divided, */
extern uint32_t distance; /* and from the beginning of one to that of the next */
extern uint32_t crowd;    /* entities that there should be, about */
extern uint64_t chance_state;

#define WANT(condition) ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition))

_Noreturn void fail(const char* file, int line, const char* what);

static inline uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

/* Some entity; now and then a destroyed one, or null. */
sett_entity some_entity(void);

/* ---- The naive world ------------------------------------------------------------------------- */

/* Where it keeps an entity; and the index of one that is kept there. */
uint32_t slot(sett_entity entity);
uint32_t place(uint32_t at);

bool alive(sett_entity entity);
void naive_born(sett_entity entity);
bool naive_destroy(uint32_t index);

/* LINKS: there is none. INDICES as the target: any. */
uint32_t naive_find(uint32_t relation, uint32_t source, uint32_t target);
void naive_link_add(uint32_t relation, uint32_t source, uint32_t target, uint32_t data);

/* Relates; the data of the link, to be written. */
uint32_t* naive_relate(uint32_t relation, uint32_t source, uint32_t target);
void naive_unlink(uint32_t k);

/* Ends the links that `test` is true of. */
void naive_end_links(bool (*test)(const naive_link* link, uint32_t a, uint32_t b), uint32_t a,
                     uint32_t b);
bool begins_at(const naive_link* link, uint32_t relation, uint32_t source);
bool leads_to(const naive_link* link, uint32_t relation, uint32_t target);

/* The k-th child. */
uint32_t naive_child(uint32_t parent, uint32_t k);
bool naive_is_below(uint32_t index, uint32_t ancestor);
uint32_t naive_depth(uint32_t index);
uint32_t naive_size(uint32_t root);
void naive_attach(uint32_t index, uint32_t parent);

/* Attaches as a call does: what comes below a prefab becomes one. */
void naive_join(uint32_t index, uint32_t parent);

/* The shared value that an entity has, or its prefab, or that one's; NULL if none has. */
const uint32_t* naive_shared(uint32_t index);

/* ---- Copies ---------------------------------------------------------------------------------- */

/* What is copied: a subtree, and those of its bases. A node whose parent's copy has a child of its
 * name by then adds to that one: its twin. */
typedef struct naive_node {
    uint32_t index;
    uint32_t over; /* node of the parent's copy */
    uint32_t twin; /* node whose copy is its own; itself, mostly */
    uint32_t has;  /* bits by relation, and HAS_* */
    uint32_t gets; /* of these, what its copy gets */
    bool derives;  /* its copy is an instance of it */
} naive_node;

extern naive_node nodes[INDICES];
extern uint32_t node_count;
extern uint8_t labels[INDICES]; /* names, by index; 0: none */

/* Lists a subtree; false if something of it is listed already. */
bool naive_list(uint32_t index, uint32_t over, bool alone);

/* What the copies of the nodes get: the first of twins that has something gives it. An instance
 * does not get what it shares with its prefab. */
void naive_choose(bool instance);

/* The nodes are listed, and nothing else has a copy. */
void naive_copy_nodes(sett_entity copy, bool instance);
void naive_copy(uint32_t root, sett_entity copy, bool alone, bool instance);

/* ---- Comparing and operations ---------------------------------------------------------------- */

void compare(void);

/* op_life.c */
void do_create(void);
void do_destroy(void);
void do_destroy_many(void);
void do_value(void);
void do_shared(void);
void do_clear(void);

/* op_link.c */
void do_relate(void);
void do_unrelate(void);
void do_end_links(void);

/* op_tree.c */
void do_scope(void);
void do_destroy_children(void);
void do_policy(void);
void do_attach(void);
void do_insert(void);

/* op_copy.c, op_elsewhere.c, op_record.c */
void do_prefab(void);
void do_bases(void);
void do_duplicate(void);
void do_copy_elsewhere(void);
void do_commands(void);

#endif
