/* test_model_relation.c: random operations on links, trees, prefabs and copies, against a naive
 * world that keeps all of them in arrays.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=10000000 test_model_relation     another run, from outside
 *
 * A failure prints the seed and the operation. The first operations are checked one by one, later
 * ones every thousand. Handles of the dead are kept, asked for and used: every one has to be
 * recognised.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "check.h"
#include "sett/duplicate.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/search.h"
#include "sett/state.h"

#define INDICES 512u  /* in use */
#define LINKS 4096u   /* of all relationships */
#define CLOSELY 6000u /* operations that are checked one by one */
#define PERIOD 1000u  /* between checks, later */
#define DEAD 512u     /* handles kept of entities that are gone */
#define RELATIONS 8u  /* the last is InstanceOf */
#define ACYCLIC 6u    /* also transitive and reflexive; not recorded */
#define INSTANCE_OF 7u
#define RECORDED 8u /* commands in a row, at most */

typedef struct Value {
    uint32_t number;
    sett_entity reference;
} Value;

/* ---- The naive world ------------------------------------------------------------------------- */

typedef struct naive_relation {
    const char* name;
    bool many;
    bool data;
    sett_cleanup on_target, on_source;
    sett_storage_kind storage;
    sett_component id;
} naive_relation;

/* clang-format off */
#define REMOVE SETT_CLEANUP_REMOVE
#define DESTROY SETT_CLEANUP_DESTROY
#define REJECT SETT_CLEANUP_REJECT
#define ARRAY SETT_STORAGE_ARRAY
#define SPARSE SETT_STORAGE_SPARSE_SET
static naive_relation relations[RELATIONS] = {
    {"removes",      false, true,  REMOVE,  REMOVE,  ARRAY, 0},
    {"many",         true,  true,  REMOVE,  REMOVE,  SPARSE, 0},
    {"sources go",   false, true,  DESTROY, REMOVE,  SPARSE, 0},
    {"target stays", true,  false, REJECT,  REMOVE,  ARRAY, 0},
    {"targets go",   true,  true,  REMOVE,  DESTROY, ARRAY, 0},
    {"source stays", false, false, REMOVE,  REJECT,  ARRAY, 0},
    {"Reports",      false, false, REMOVE,  REMOVE,  ARRAY, 0},
    {"InstanceOf",   false, false, REMOVE,  REMOVE,  ARRAY, 0},
};
/* clang-format on */

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

static struct naive {
    naive_entity at[INDICES];
    naive_link link[LINKS]; /* in the order in which they were made */
    uint32_t link_count;
    uint32_t count;
    uint32_t end; /* indices from here on never had anybody */
    uint64_t places;
    sett_entity dead[DEAD];
    uint32_t dead_count;
} naive;

static struct naive then; /* as it was when the snapshot was taken */
static sett_snapshot snapshot;
static uint64_t then_hash;
static bool held;
static sett_world* world;
static sett_world* other; /* where copies are made too; nothing else happens there */
static sett_component value_id, shared_id, dont_fragment_id, prefab_id;
static sett_query* visible;
static sett_search* closure; /* variable 0 is the source */
static uint64_t seed;
static uint64_t done;
static const char* doing;
static uint32_t ranges;   /* into which the indices are divided, */
static uint32_t distance; /* and from the beginning of one to that of the next */
static uint32_t crowd;    /* entities that there should be, about */

_Noreturn static void fail(int line, const char* what)
{
    check_failed("test_model_relation.c", line,
                 "operation %llu (%s): %s; again with SETT_SEED=%llu", (unsigned long long)done,
                 doing, what, (unsigned long long)seed);
}

#define WANT(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

/* Where the naive world keeps an entity; and the index of one that is kept there. */
static uint32_t slot(sett_entity entity)
{
    WANT(entity.index % distance < INDICES / ranges && entity.index / distance < ranges);
    return entity.index / distance * (INDICES / ranges) + entity.index % distance;
}

static uint32_t place(uint32_t at)
{
    return at / (INDICES / ranges) * distance + at % (INDICES / ranges);
}

static bool alive(sett_entity entity)
{
    return !sett_is_null(entity) && sett_equals(naive.at[slot(entity)].handle, entity);
}

static void naive_born(sett_entity entity)
{
    WANT(!sett_is_null(entity));
    naive_entity* e = &naive.at[slot(entity)];
    WANT(sett_is_null(e->handle));
    for (uint32_t k = 0; k < naive.dead_count && k < DEAD; k++) {
        WANT(!sett_equals(naive.dead[k], entity)); /* handles do not come back */
    }
    *e = (naive_entity){.handle = entity, .parent = INDICES, .copy = INDICES};
    naive.count++;
    naive.end = slot(entity) >= naive.end ? slot(entity) + 1 : naive.end;
}

static void naive_unlink(uint32_t k)
{
    memmove(&naive.link[k], &naive.link[k + 1], (--naive.link_count - k) * sizeof(naive_link));
}

static uint32_t naive_find(uint32_t relation, uint32_t source, uint32_t target)
{
    uint32_t k = 0;
    while (k < naive.link_count &&
           (naive.link[k].relation != relation || naive.link[k].source != source ||
            (target != INDICES && naive.link[k].target != target))) {
        k++;
    }
    return k < naive.link_count ? k : LINKS;
}

static void naive_link_add(uint32_t relation, uint32_t source, uint32_t target, uint32_t data)
{
    WANT(naive.link_count < LINKS);
    naive.link[naive.link_count++] = (naive_link){relation, source, target, data};
}

/* Relates; the data of the link, to be written. */
static uint32_t* naive_relate(uint32_t relation, uint32_t source, uint32_t target)
{
    uint32_t data = 0;
    uint32_t k = naive_find(relation, source, target);
    if (k == LINKS) {
        uint32_t old = relations[relation].many ? LINKS : naive_find(relation, source, INDICES);
        if (old != LINKS) { /* turned: the data stay */
            data = naive.link[old].data;
            naive_unlink(old);
        }
        naive_link_add(relation, source, target, data);
        k = naive.link_count - 1;
    }
    return &naive.link[k].data;
}

/* Ends the links that `test` is true of. */
static void naive_end_links(bool (*test)(const naive_link* link, uint32_t a, uint32_t b),
                            uint32_t a, uint32_t b)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < naive.link_count; k++) {
        if (!test(&naive.link[k], a, b)) {
            naive.link[kept++] = naive.link[k];
        }
    }
    naive.link_count = kept;
}

static bool begins_at(const naive_link* link, uint32_t relation, uint32_t source)
{
    return (relation == RELATIONS || link->relation == relation) && link->source == source;
}

static bool leads_to(const naive_link* link, uint32_t relation, uint32_t target)
{
    return link->relation == relation && link->target == target;
}

static bool touches_going(const naive_link* link, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    return naive.at[link->source].going || naive.at[link->target].going;
}

/* Marks all who go when one does; whether it is possible. */
static bool naive_collect(uint32_t index)
{
    for (uint32_t k = 0; k < naive.end; k++) {
        naive.at[k].going = k == index;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < naive.end; k++) {
            naive_entity* e = &naive.at[k];
            if (!sett_is_null(e->handle) && !e->going && e->parent != INDICES &&
                naive.at[e->parent].going && naive.at[e->parent].policy != SETT_CHILDREN_DETACH) {
                e->going = more = true;
            }
        }
        for (uint32_t k = 0; k < naive.link_count; k++) {
            const naive_link* link = &naive.link[k];
            bool* source = &naive.at[link->source].going;
            bool* target = &naive.at[link->target].going;
            if (*target && !*source &&
                relations[link->relation].on_target == SETT_CLEANUP_DESTROY) {
                *source = more = true;
            }
            if (*source && !*target &&
                relations[link->relation].on_source == SETT_CLEANUP_DESTROY) {
                *target = more = true;
            }
        }
    }
    for (uint32_t k = 0; k < naive.link_count; k++) {
        const naive_link* link = &naive.link[k];
        bool source = naive.at[link->source].going;
        bool target = naive.at[link->target].going;
        if ((target && !source && relations[link->relation].on_target == SETT_CLEANUP_REJECT) ||
            (source && !target && relations[link->relation].on_source == SETT_CLEANUP_REJECT)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < naive.end; k++) { /* whether the children would go is of no account */
        const naive_entity* e = &naive.at[k];
        if (!sett_is_null(e->handle) && e->parent != INDICES && naive.at[e->parent].going &&
            naive.at[e->parent].policy == SETT_CHILDREN_REJECT) {
            return false;
        }
    }
    return true;
}

static bool naive_destroy(uint32_t index)
{
    if (!naive_collect(index)) {
        return false;
    }
    naive_end_links(touches_going, 0, 0);
    for (uint32_t k = 0; k < naive.end; k++) {
        if (naive.at[k].going) {
            naive.dead[naive.dead_count++ % DEAD] = naive.at[k].handle;
            naive.at[k].handle = sett_null();
            naive.count--;
        } else if (naive.at[k].parent != INDICES && naive.at[naive.at[k].parent].going) {
            naive.at[k].parent = INDICES;
        }
    }
    return true;
}

static bool naive_is_below(uint32_t index, uint32_t ancestor)
{
    while (index != INDICES && index != ancestor) {
        index = naive.at[index].parent;
    }
    return index == ancestor;
}

/* The k-th child. */
static uint32_t naive_child(uint32_t parent, uint32_t k)
{
    uint64_t after = 0;
    for (;; k--) {
        uint32_t next = INDICES;
        for (uint32_t c = 0; c < naive.end; c++) {
            const naive_entity* e = &naive.at[c];
            if (!sett_is_null(e->handle) && e->parent == parent && e->place > after &&
                (next == INDICES || e->place < naive.at[next].place)) {
                next = c;
            }
        }
        if (next == INDICES || k == 0) {
            return next;
        }
        after = naive.at[next].place;
    }
}

static void naive_attach(uint32_t index, uint32_t parent)
{
    naive.at[index].place = ++naive.places; /* to the end, from wherever it was */
    naive.at[index].parent = parent;
}

/* As a call does: what comes below a prefab becomes one. */
static void naive_join(uint32_t index, uint32_t parent)
{
    bool joins = naive.at[parent].prefab;
    for (uint32_t k = 0; joins && k < naive.end; k++) {
        naive.at[k].prefab |= !sett_is_null(naive.at[k].handle) && naive_is_below(k, index);
    }
    naive_attach(index, parent);
}

/* ---- Copies: what is made is looked up in the world, along the tree -------------------------- */

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

enum {
    HAS_VALUE = 1 << RELATIONS,
    HAS_SHARED = HAS_VALUE << 1,
    HAS_DONT_FRAGMENT = HAS_VALUE << 2,
    HAS_PREFAB = HAS_VALUE << 3
};

static naive_node nodes[INDICES];
static uint32_t node_count;
static uint8_t labels[INDICES]; /* names, by index; 0: none */

static uint32_t naive_has(uint32_t index)
{
    const naive_entity* e = &naive.at[index];
    uint32_t has = (e->has_value ? HAS_VALUE : 0u) | (e->has_shared ? HAS_SHARED : 0u) |
                   (e->dont_fragment ? HAS_DONT_FRAGMENT : 0u) | (e->prefab ? HAS_PREFAB : 0u);
    for (uint32_t k = 0; k < RELATIONS; k++) {
        has |= naive_find(k, index, INDICES) != LINKS ? 1u << k : 0u;
    }
    return has;
}

/* Lists a subtree; false if something of it is listed already. */
static bool naive_list(uint32_t index, uint32_t over, bool alone)
{
    naive_node* node = &nodes[node_count];
    bool root = over == INDICES;
    *node = (naive_node){.index = index, .over = over, .twin = root ? 0 : node_count};
    for (uint32_t k = 0; k < node_count; k++) {
        if (nodes[k].index == index) {
            return false;
        }
        if (!root && nodes[k].twin == k && nodes[k].over == over && labels[index] != 0 &&
            labels[nodes[k].index] == labels[index]) {
            node->twin = k;
        }
    }
    over = node->twin;
    node_count++;
    for (uint32_t k = 0; !alone && naive_child(index, k) != INDICES; k++) {
        if (!naive_list(naive_child(index, k), over, false)) {
            return false;
        }
    }
    return true;
}

/* What the copies of the nodes get: the first of twins that has something gives it. An instance
 * does not get what it shares with its prefab. */
static void naive_choose(bool instance)
{
    for (uint32_t k = 0; k < node_count; k++) {
        naive_node* node = &nodes[k];
        bool own = node->twin == k;
        node->has = naive_has(node->index);
        node->gets = node->has;
        node->derives = instance && own && (k == 0 || (node->gets & HAS_SHARED) != 0);
        for (uint32_t j = node->twin; j < k; j++) {
            node->gets &= nodes[j].twin == node->twin ? ~nodes[j].has : UINT32_MAX;
        }
        node->gets &= nodes[node->twin].derives ? ~(1u << INSTANCE_OF) : UINT32_MAX;
        node->gets &= instance && own ? ~(uint32_t)HAS_SHARED : UINT32_MAX;
        node->gets &= instance ? ~(uint32_t)HAS_PREFAB : UINT32_MAX;
    }
}

/* Notes the copy of a node: of the root the one given, of others the next child. */
static void naive_copy_node(uint32_t k, sett_entity root)
{
    const naive_node* node = &nodes[k];
    const naive_entity* from = &naive.at[node->index];
    if (node->twin == k) {
        sett_entity copy = root;
        uint32_t parent = k != 0 ? naive.at[nodes[node->over].index].copy : INDICES;
        for (uint32_t c = 0; k != 0 && (c == 0 || naive_child(parent, c - 1) != INDICES); c++) {
            copy = c == 0 ? sett_hierarchy_first(world, naive.at[parent].handle)
                          : sett_hierarchy_next(world, copy);
        }
        WANT(!sett_is_null(copy));
        naive_born(copy);
        naive.at[slot(copy)].policy = from->policy;
        if (k != 0) {
            naive_attach(slot(copy), parent);
        }
        naive.at[node->index].copy = slot(copy);
    }
    uint32_t copy = naive.at[nodes[node->twin].index].copy;
    naive_entity* to = &naive.at[copy];
    naive.at[node->index].copy = copy;
    to->has_value |= (node->gets & HAS_VALUE) != 0;
    to->value = (node->gets & HAS_VALUE) != 0 ? from->value : to->value;
    to->has_shared |= (node->gets & HAS_SHARED) != 0;
    to->shared = (node->gets & HAS_SHARED) != 0 ? from->shared : to->shared;
    to->dont_fragment |= (node->gets & HAS_DONT_FRAGMENT) != 0;
    to->prefab |= (node->gets & HAS_PREFAB) != 0;
}

/* The links and references of copies, when all are noted. */
static void naive_copy_links(void)
{
    for (uint32_t n = 0, before = naive.link_count; n < before; n++) {
        const naive_link link = naive.link[n];
        uint32_t copied = naive.at[link.target].copy;
        uint32_t target = copied != INDICES ? copied : link.target;
        uint32_t source = naive.at[link.source].copy;
        for (uint32_t k = 0; k < node_count; k++) {
            if (nodes[k].index == link.source && (nodes[k].gets >> link.relation & 1) != 0 &&
                naive_find(link.relation, source, target) == LINKS) { /* twins are one target */
                naive_link_add(link.relation, source, target, link.data);
            }
        }
    }
    for (uint32_t k = 0; k < node_count; k++) {
        uint32_t copy = naive.at[nodes[k].index].copy;
        if (nodes[k].derives) {
            naive_link_add(INSTANCE_OF, copy, nodes[k].index, 0);
        }
        sett_entity* reference = &naive.at[copy].value.reference;
        if ((nodes[k].gets & HAS_VALUE) != 0 && alive(*reference) &&
            naive.at[slot(*reference)].copy != INDICES) {
            *reference = naive.at[naive.at[slot(*reference)].copy].handle;
        }
    }
}

/* The nodes are listed, and nothing else has a copy. */
static void naive_copy_nodes(sett_entity copy, bool instance)
{
    naive_choose(instance);
    for (uint32_t k = 0; k < node_count; k++) {
        naive_copy_node(k, copy);
    }
    naive_copy_links();
    for (uint32_t k = 0; k < node_count; k++) { /* that there are no more */
        uint32_t made = naive.at[nodes[k].index].copy;
        uint32_t children = 0;
        for (; naive_child(made, children) != INDICES; children++) {
        }
        WANT(sett_hierarchy_child_count(world, naive.at[made].handle) == children);
    }
}

static void naive_copy(uint32_t root, sett_entity copy, bool alone, bool instance)
{
    uint32_t parent = instance ? INDICES : naive.at[root].parent;
    for (uint32_t k = 0; k < naive.end; k++) {
        naive.at[k].copy = INDICES;
    }
    node_count = 0;
    WANT(naive_list(root, INDICES, alone));
    naive_copy_nodes(copy, instance);
    if (parent != INDICES) {
        naive_join(slot(copy), parent);
    }
}

/* The shared value that an entity has, or its prefab, or that one's; NULL if none has. */
static const uint32_t* naive_shared(uint32_t index)
{
    for (uint32_t steps = 0; !naive.at[index].has_shared; steps++) {
        uint32_t k = steps < 64 ? naive_find(INSTANCE_OF, index, INDICES) : LINKS;
        if (k == LINKS) {
            return NULL;
        }
        index = naive.link[k].target;
    }
    return &naive.at[index].shared;
}

static uint32_t naive_depth(uint32_t index)
{
    uint32_t depth = 0;
    for (; naive.at[index].parent != INDICES; depth++) {
        index = naive.at[index].parent;
    }
    return depth;
}

static uint32_t naive_size(uint32_t root)
{
    uint32_t size = 0;
    for (uint32_t k = 0; k < naive.end; k++) {
        size += !sett_is_null(naive.at[k].handle) && naive_is_below(k, root);
    }
    return size;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void compare_targets(uint32_t relation, uint32_t index)
{
    sett_entity entity = naive.at[index].handle;
    sett_component id = relations[relation].id;
    sett_link_cursor cursor = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < naive.link_count; k++) {
        const naive_link* link = &naive.link[k];
        if (link->relation == relation && link->source == index) {
            sett_entity target = sett_target_next(world, entity, id, &cursor);
            WANT(sett_equals(target, naive.at[link->target].handle));
            WANT(!relations[relation].data || *(const uint32_t*)cursor.data == link->data);
            WANT(sett_related(world, entity, id, target) == cursor.data);
            WANT(sett_is_related(world, entity, id, target));
            WANT(count != 0 || sett_equals(sett_target(world, entity, id), target));
            count++;
        }
    }
    WANT(sett_is_null(sett_target_next(world, entity, id, &cursor)));
    WANT(sett_target_count(world, entity, id) == count);
    WANT(sett_has(world, entity, id) == (count != 0));
}

/* Without their order: copies are linked in another one than here. */
static void compare_sources(uint32_t relation, uint32_t index)
{
    sett_entity entity = naive.at[index].handle;
    sett_component id = relations[relation].id;
    sett_link_cursor cursor = {0};
    uint32_t count = 0;
    uint64_t sum = 0;
    sett_entity source;
    while (!sett_is_null(source = sett_source_next(world, id, entity, &cursor))) {
        WANT(naive_find(relation, slot(source), index) != LINKS);
        WANT(sett_equals(naive.at[slot(source)].handle, source));
        sum += slot(source);
        count++;
    }
    for (uint32_t k = 0; k < naive.link_count; k++) {
        if (leads_to(&naive.link[k], relation, index)) {
            sum -= naive.link[k].source;
            count--;
        }
    }
    WANT(count == 0 && sum == 0);
}

/* Where a source leads by the relationship that is transitive and reflexive: to itself, and on. */
static void compare_closure(uint32_t index)
{
    uint32_t count = 1;
    bool hidden = naive.at[index].prefab;
    for (uint32_t k = index; (k = naive_find(ACYCLIC, k, INDICES)) != LINKS; count++) {
        k = naive.link[k].target;
        hidden = hidden || naive.at[k].prefab;
    }
    if (!hidden) { /* searches do not see prefabs */
        WANT(sett_search_bind(closure, 0, naive.at[index].handle) == SETT_OK);
        WANT(sett_search_count(closure) == count);
    }
}

static void compare_entity(uint32_t index)
{
    const naive_entity* e = &naive.at[index];
    WANT(sett_equals(sett_entity_at(world, place(index)), e->handle));
    if (sett_is_null(e->handle)) {
        return;
    }
    const Value* value = sett_find(world, e->handle, value_id);
    WANT((value != NULL) == e->has_value);
    if (value != NULL) {
        WANT(value->number == e->value.number);
        WANT(sett_equals(value->reference, e->value.reference));
        WANT(sett_entity_valid(world, value->reference) == alive(value->reference));
    }
    WANT(sett_has(world, e->handle, dont_fragment_id) == e->dont_fragment);
    WANT(sett_has(world, e->handle, prefab_id) == e->prefab);
    WANT(sett_query_matches(visible, e->handle) == (e->has_value && !e->prefab));
    const uint32_t* shared = sett_prefab_get(world, e->handle, shared_id);
    const uint32_t* expected = naive_shared(index);
    WANT(shared == NULL ? expected == NULL : expected != NULL && *shared == *expected);
    WANT(sett_has(world, e->handle, shared_id) == e->has_shared);
    WANT(done % 3 != 0 || sett_hierarchy_depth(world, e->handle) == naive_depth(index));
    sett_entity parent = sett_hierarchy_parent(world, e->handle);
    WANT(sett_equals(parent, e->parent != INDICES ? naive.at[e->parent].handle : sett_null()));
    sett_entity at = sett_hierarchy_first(world, e->handle);
    for (uint32_t k = 0; k == 0 || !sett_is_null(at); k++) {
        uint32_t child = naive_child(index, k);
        WANT(sett_equals(at, child != INDICES ? naive.at[child].handle : sett_null()));
        at = sett_hierarchy_next(world, at);
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        compare_targets(k, index);
        compare_sources(k, index);
    }
    compare_closure(index);
}

static void compare_dead(void)
{
    for (uint32_t k = 0; k < DEAD && k < naive.dead_count; k++) {
        sett_entity entity = naive.dead[k];
        sett_link_cursor cursor = {0};
        WANT(!sett_entity_valid(world, entity));
        WANT(sett_find(world, entity, value_id) == NULL);
        WANT(sett_is_null(sett_target(world, entity, relations[k % RELATIONS].id)));
        WANT(sett_source_count(world, relations[k % RELATIONS].id, entity) == 0);
        WANT(sett_is_null(sett_source_next(world, relations[k % RELATIONS].id, entity, &cursor)));
        WANT(sett_prefab_get(world, entity, value_id) == NULL);
        WANT(sett_is_null(sett_hierarchy_parent(world, entity)));
    }
}

static void compare(void)
{
    const char* reason = "";
    if (sett_world_validate(world, &reason) != SETT_OK) {
        fail(__LINE__, reason);
    }
    WANT(sett_entity_count(world) == naive.count);
    uint32_t seen = 0;
    for (uint32_t k = 0; k < naive.end; k++) {
        compare_entity(k);
        seen += !sett_is_null(naive.at[k].handle) && naive.at[k].has_value && !naive.at[k].prefab;
    }
    WANT(sett_query_count(visible) == seen);
    compare_dead();
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Some entity; now and then a destroyed one, or null. */
static sett_entity some_entity(void)
{
    uint32_t kind = below(40);
    if (kind == 0 || naive.count == 0) {
        return sett_null();
    }
    if (kind < 3 && naive.dead_count != 0) {
        return naive.dead[below(naive.dead_count < DEAD ? naive.dead_count : DEAD)];
    }
    uint32_t cursor = below(naive.count); /* rows of retired entities: none */
    return sett_entity_next(world, &cursor);
}

static Value some_value(void)
{
    return (Value){below(1000), some_entity()};
}

/* Several at once, with values. */
static void create_many(uint32_t count)
{
    doing = "create many";
    const sett_component ids[] = {value_id, dont_fragment_id};
    Value values[8];
    sett_entity made[8];
    const void* of[] = {values, NULL};
    for (uint32_t k = 0; k < count; k++) {
        values[k] = some_value();
    }
    WANT(sett_entity_create_many(world, count, ids, 2, of, made) == SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        naive_born(made[k]);
        naive_entity* e = &naive.at[slot(made[k])];
        e->has_value = e->dont_fragment = true;
        e->value = values[k];
    }
}

static void do_create(void)
{
    doing = "create";
    uint32_t which = below(8);
    if (which == 0) {
        create_many(1 + below(8));
    } else if (which == 1) {
        Value value = some_value();
        const sett_value values[] = {{.component = value_id, .value = &value}};
        sett_entity entity = sett_create_with(world, values, 1);
        naive_born(entity);
        naive.at[slot(entity)].has_value = true;
        naive.at[slot(entity)].value = value;
    } else {
        naive_born(sett_entity_create(world));
    }
}

/* Children of a scope, with and without values. */
static void do_scope(void)
{
    doing = "create in a scope";
    sett_entity parent = some_entity();
    if (!alive(parent)) {
        return;
    }
    WANT(sett_is_null(sett_hierarchy_set_scope(world, parent)));
    if (below(2) == 0) {
        sett_entity made[4];
        uint32_t count = 1 + below(4);
        WANT(sett_entity_create_many(world, count, &dont_fragment_id, 1, NULL, made) == SETT_OK);
        for (uint32_t k = 0; k < count; k++) {
            naive_born(made[k]);
            naive.at[slot(made[k])].dont_fragment = true;
            naive_join(slot(made[k]), slot(parent));
        }
    } else {
        sett_entity entity = sett_entity_create(world);
        naive_born(entity);
        naive_join(slot(entity), slot(parent));
    }
    WANT(sett_equals(sett_hierarchy_set_scope(world, sett_null()), parent));
}

static void do_destroy(void)
{
    doing = "destroy";
    sett_entity entity = some_entity();
    sett_status status = sett_entity_destroy(world, entity);
    if (!alive(entity)) {
        WANT(status == SETT_STATUS_STALE);
    } else {
        WANT(status == (naive_destroy(slot(entity)) ? SETT_OK : SETT_STATUS_REJECTED));
    }
}

/* Some in a row, stale ones and some twice among them. */
static void do_destroy_many(void)
{
    doing = "destroy many";
    sett_entity list[6];
    uint32_t count = 1 + below(6);
    sett_status expected = SETT_OK;
    for (uint32_t k = 0; k < count; k++) {
        list[k] = some_entity();
    }
    sett_status status = sett_entity_destroy_many(world, list, count);
    for (uint32_t k = 0; k < count; k++) {
        if (alive(list[k]) && !naive_destroy(slot(list[k]))) {
            expected = SETT_STATUS_REJECTED;
        }
    }
    WANT(status == expected);
}

static void do_destroy_children(void)
{
    doing = "destroy children";
    sett_entity entity = some_entity();
    sett_entity child[INDICES];
    uint32_t count = 0;
    for (uint32_t k = INDICES; alive(entity); count++) {
        k = naive_child(slot(entity), count);
        if (k == INDICES) {
            break;
        }
        child[count] = naive.at[k].handle;
    }
    sett_status expected = alive(entity) ? SETT_OK : SETT_STATUS_STALE;
    sett_status status = sett_hierarchy_destroy_children(world, entity);
    for (uint32_t k = 0; k < count; k++) { /* an earlier one may have taken it along */
        if (alive(child[k]) && naive.at[slot(child[k])].parent == slot(entity) &&
            !naive_destroy(slot(child[k]))) {
            expected = SETT_STATUS_REJECTED;
        }
    }
    WANT(status == expected);
}

/* Whether a link of the relationship without circles would close one. */
static bool naive_closes(uint32_t source, uint32_t target)
{
    while (target != source && naive_find(ACYCLIC, target, INDICES) != LINKS) {
        target = naive.link[naive_find(ACYCLIC, target, INDICES)].target;
    }
    return target == source;
}

static void do_relate(void)
{
    doing = "relate";
    uint32_t relation = below(INSTANCE_OF + (below(8) == 0));
    sett_entity source = some_entity();
    sett_entity target = some_entity();
    bool possible = alive(source) && alive(target);
    bool closes = possible && relation == ACYCLIC && naive_closes(slot(source), slot(target));
    const uint32_t given = below(1000);
    bool gives = relations[relation].data && below(3) == 0;
    uint32_t* data = gives ? sett_relate_set(world, source, relations[relation].id, target, &given)
                           : sett_relate(world, source, relations[relation].id, target);
    WANT((data != NULL) == (possible && !closes));
    WANT(data != NULL ||
         sett_world_error(world) == (closes ? SETT_STATUS_CYCLE : SETT_STATUS_STALE));
    possible = possible && !closes;
    if (possible) {
        uint32_t* expected = naive_relate(relation, slot(source), slot(target));
        if (relations[relation].data) {
            WANT(*data == (gives ? given : *expected));
            *data = *expected = below(1000);
        }
    }
}

static void do_unrelate(void)
{
    doing = "unrelate";
    uint32_t relation = below(RELATIONS);
    sett_entity source = some_entity();
    sett_entity target = some_entity();
    if (naive.link_count != 0 && below(3) != 0) {
        const naive_link* link = &naive.link[below(naive.link_count)];
        relation = link->relation;
        source = naive.at[link->source].handle;
        target = naive.at[link->target].handle;
    }
    uint32_t k =
        alive(source) && alive(target) ? naive_find(relation, slot(source), slot(target)) : LINKS;
    sett_status status = sett_unrelate(world, source, relations[relation].id, target);
    WANT(status == (k != LINKS ? SETT_OK : alive(source) ? SETT_STATUS_ABSENT : SETT_STATUS_STALE));
    if (k != LINKS) {
        naive_unlink(k);
    }
}

static void do_end_links(void)
{
    doing = "end links";
    uint32_t relation = below(RELATIONS);
    sett_entity entity = some_entity();
    bool is = alive(entity);
    if (below(2) == 0) {
        sett_status status = sett_unrelate_sources(world, relations[relation].id, entity);
        WANT(status == (is ? SETT_OK : SETT_STATUS_STALE));
        if (is) {
            naive_end_links(leads_to, relation, slot(entity));
        }
        return;
    }
    bool has = is && naive_find(relation, slot(entity), INDICES) != LINKS;
    sett_status status = sett_remove(world, entity, relations[relation].id);
    WANT(status == (has ? SETT_OK : is ? SETT_STATUS_ABSENT : SETT_STATUS_STALE));
    if (has) {
        naive_end_links(begins_at, relation, slot(entity));
    }
}

static void do_value(void)
{
    doing = "value";
    sett_entity entity = some_entity();
    Value value = {below(1000), some_entity()};
    bool is = alive(entity);
    naive_entity* e = is ? &naive.at[slot(entity)] : NULL;
    uint32_t which = below(6);
    if (which < 3) {
        WANT((sett_set(world, entity, value_id, &value) != NULL) == is);
        if (is) {
            e->has_value = true;
            e->value = value;
        }
    } else if (which == 3) {
        WANT((sett_remove(world, entity, value_id) == SETT_OK) == (is && e->has_value));
        if (is) {
            e->has_value = false;
        }
    } else if (which == 4) {
        WANT((sett_ensure(world, entity, dont_fragment_id) != NULL) == is);
        if (is) {
            e->dont_fragment = true;
        }
    } else if (is) {
        e->prefab = !e->prefab;
        WANT(e->prefab ? sett_add(world, entity, prefab_id) != NULL
                       : sett_remove(world, entity, prefab_id) == SETT_OK);
    }
}

static void do_shared(void)
{
    doing = "shared value";
    sett_entity entity = some_entity();
    naive_entity* e = alive(entity) ? &naive.at[slot(entity)] : NULL;
    uint32_t which = below(4);
    if (which == 0) {
        uint32_t value = below(1000);
        WANT((sett_set(world, entity, shared_id, &value) != NULL) == (e != NULL));
        if (e != NULL) {
            e->has_shared = true;
            e->shared = value;
        }
    } else if (which == 1) {
        WANT((sett_remove(world, entity, shared_id) == SETT_OK) == (e != NULL && e->has_shared));
        if (e != NULL) {
            e->has_shared = false;
        }
    } else {
        const uint32_t* expected = e != NULL ? naive_shared(slot(entity)) : NULL;
        const uint32_t* own = sett_prefab_override(world, entity, shared_id);
        WANT((own != NULL) == (expected != NULL));
        if (expected != NULL) {
            e->shared = *expected;
            e->has_shared = true;
            WANT(*own == e->shared);
        }
    }
}

static void do_policy(void)
{
    doing = "policy";
    sett_entity entity = some_entity();
    uint32_t which = below(9);
    sett_children_policy policy = which == 8  ? SETT_CHILDREN_REJECT
                                  : which > 4 ? SETT_CHILDREN_DETACH
                                              : (sett_children_policy)(which % 2);
    WANT(sett_hierarchy_set_policy(world, entity, policy) ==
         (alive(entity) ? SETT_OK : SETT_STATUS_STALE));
    if (alive(entity)) {
        naive.at[slot(entity)].policy = policy;
    }
}

static void do_clear(void)
{
    doing = "clear";
    sett_entity entity = some_entity();
    WANT(sett_entity_clear(world, entity) == (alive(entity) ? SETT_OK : SETT_STATUS_STALE));
    if (alive(entity)) {
        naive_entity* e = &naive.at[slot(entity)];
        naive_end_links(begins_at, RELATIONS, slot(entity));
        e->has_value = e->has_shared = e->prefab = e->dont_fragment = false;
        e->policy = SETT_CHILDREN_DEFAULT;
        e->parent = INDICES;
        for (uint32_t k = 0; k < naive.end; k++) { /* its children become roots */
            if (naive.at[k].parent == slot(entity)) {
                naive.at[k].parent = INDICES;
            }
        }
    }
}

static void do_attach(void)
{
    doing = "attach";
    sett_entity entity = some_entity();
    sett_entity parent = some_entity();
    bool is = alive(entity) && alive(parent);
    if (below(4) == 0) {
        WANT(sett_hierarchy_detach(world, entity) == (alive(entity) ? SETT_OK : SETT_STATUS_STALE));
        if (alive(entity)) {
            naive.at[slot(entity)].parent = INDICES;
        }
        return;
    }
    bool cycle = is && naive_is_below(slot(parent), slot(entity));
    sett_status status = sett_hierarchy_attach(world, entity, parent);
    WANT(status == (!is ? SETT_STATUS_STALE : cycle ? SETT_STATUS_CYCLE : SETT_OK));
    if (status == SETT_OK) {
        naive_join(slot(entity), slot(parent));
    }
}

/* Beside a sibling: the parent has the component, the entity gets it. */
static void do_insert(void)
{
    doing = "insert";
    sett_entity entity = some_entity();
    sett_entity sibling = some_entity();
    bool behind = below(2) == 0;
    uint32_t parent = alive(sibling) ? naive.at[slot(sibling)].parent : INDICES;
    sett_status expected = SETT_OK;
    if (!alive(entity) || !alive(sibling)) {
        expected = SETT_STATUS_STALE;
    } else if (sett_equals(entity, sibling) || parent == INDICES) {
        expected = SETT_STATUS_ARGUMENT;
    } else if (naive_is_below(parent, slot(entity))) {
        expected = SETT_STATUS_CYCLE;
    }
    WANT((behind ? sett_hierarchy_insert_after(world, entity, sibling)
                 : sett_hierarchy_insert_before(world, entity, sibling)) == expected);
    if (expected == SETT_OK) {
        naive_join(slot(entity), parent);
        uint64_t at = naive.at[slot(sibling)].place + behind;
        for (uint32_t k = 0; k < naive.end; k++) {
            naive.at[k].place += naive.at[k].parent == parent && naive.at[k].place >= at;
        }
        naive.at[slot(entity)].place = at;
        naive.places++;
    }
}

static void do_instantiate(void)
{
    doing = "instantiate";
    sett_entity prefab = some_entity();
    sett_entity made[3];
    uint32_t count = below(3) + 1;
    if (alive(prefab) && naive_size(slot(prefab)) > 30) {
        return;
    }
    sett_status status = sett_instantiate(world, prefab, count, made);
    WANT(status == (alive(prefab) ? SETT_OK : SETT_STATUS_STALE));
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        naive_copy(slot(prefab), made[k], false, true);
    }
}

/* Gives some descendants names of few; afterwards takes these and those of the copies. */
static void label_all(bool on)
{
    for (uint32_t k = 0; k < node_count; k++) {
        uint32_t index = nodes[k].index;
        if (on && nodes[k].over != INDICES && below(2) == 0) {
            char name[2] = {(char)('a' + below(3)), '\0'};
            if (sett_name_set(world, naive.at[index].handle, name) == SETT_OK) {
                labels[index] = (uint8_t)name[0];
            }
        } else if (!on && labels[index] != 0) {
            uint32_t copy = nodes[k].twin == k ? naive.at[index].copy : INDICES;
            WANT(sett_remove(world, naive.at[index].handle, SETT_ID_NAME) == SETT_OK);
            WANT(copy == INDICES ||
                 sett_remove(world, naive.at[copy].handle, SETT_ID_NAME) == SETT_OK);
            labels[index] = 0;
        }
    }
}

/* Lists a prefab and its bases; false if one is in another. */
static bool bases_list(const sett_entity* from, uint32_t count)
{
    bool apart = true;
    node_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        apart = apart && naive_list(slot(from[k]), INDICES, false);
    }
    return apart;
}

/* Whether the copies of the nodes, together, are in a circle of the relationship without any. */
static bool bases_close(void)
{
    bool closes = false;
    for (uint32_t k = 0; k < node_count; k++) {
        uint32_t at = nodes[k].twin;
        for (uint32_t steps = 0; at != INDICES && steps < node_count; steps++) {
            uint32_t from = at;
            at = INDICES;
            for (uint32_t j = 0; j < node_count; j++) {
                uint32_t link = nodes[j].twin == from && (nodes[j].gets >> ACYCLIC & 1) != 0
                                    ? naive_find(ACYCLIC, nodes[j].index, INDICES)
                                    : LINKS;
                for (uint32_t to = 0; link != LINKS && to < node_count; to++) {
                    at = nodes[to].index == naive.link[link].target ? nodes[to].twin : at;
                }
            }
        }
        closes = closes || at != INDICES;
    }
    return closes;
}

/* An instance of several, with a parent. */
static void do_bases(void)
{
    doing = "instantiate with bases";
    sett_entity from[3] = {some_entity(), some_entity(), some_entity()};
    uint32_t count = 1 + below(3);
    sett_entity parent = below(3) == 0 ? some_entity() : sett_null();
    bool is = sett_is_null(parent) || alive(parent);
    for (uint32_t k = 0; k < count; k++) {
        if (alive(from[k]) && naive_size(slot(from[k])) > 20) {
            return;
        }
        is = is && alive(from[k]);
    }
    bool apart = is && bases_list(from, count);
    bool closes = false;
    if (apart) {
        label_all(true);
        WANT(bases_list(from, count)); /* by their names */
        naive_choose(true);
        closes = bases_close();
    }
    sett_entity made = sett_instantiate_with(
        world,
        &(sett_instantiate_desc){
            .prefab = from[0], .bases = from + 1, .base_count = count - 1, .parent = parent});
    WANT(sett_is_null(made) == (!apart || closes));
    for (uint32_t k = 0; k < naive.end; k++) {
        naive.at[k].copy = INDICES;
    }
    if (!sett_is_null(made)) {
        naive_copy_nodes(made, true);
        if (!sett_is_null(parent)) {
            naive_join(slot(made), slot(parent));
        }
    } else {
        WANT(sett_world_error(world) == (closes ? SETT_STATUS_CYCLE
                                         : is   ? SETT_STATUS_ARGUMENT
                                                : SETT_STATUS_STALE));
    }
    if (apart) {
        label_all(false);
    }
}

static void do_duplicate(void)
{
    doing = "duplicate";
    sett_entity entity = some_entity();
    sett_duplicate_desc desc = {.alone = below(2) == 0};
    if (alive(entity) && !desc.alone && naive_size(slot(entity)) > 40) {
        return;
    }
    sett_entity copy = sett_duplicate(world, entity, &desc);
    WANT(sett_is_null(copy) == !alive(entity));
    if (alive(entity)) {
        naive_copy(slot(entity), copy, desc.alone, false);
    } else {
        WANT(sett_world_error(world) == SETT_STATUS_STALE);
    }
}

/* Recorded with handles of the parts: they are reserved, and then all are brought to life. */
static void do_tree(void)
{
    doing = "record a tree";
    sett_entity prefab = some_entity();
    sett_entity part[40];
    if (!alive(prefab) || naive_size(slot(prefab)) > 40) {
        return;
    }
    sett_commands* commands = sett_commands_here(world);
    uint32_t size = naive_size(slot(prefab));
    WANT(sett_cmd_instantiate_tree(commands, prefab, part, 40) == size);
    WANT(sett_commands_apply(commands) == SETT_OK);
    naive_copy(slot(prefab), part[0], false, true);
    sett_entity at = part[0];
    for (uint32_t k = 0; k < size; k++) {
        WANT(sett_equals(part[k], at) && alive(at));
        at = size > 1 ? sett_hierarchy_walk(world, part[0], at) : at;
    }
}

typedef enum command_kind {
    RELATE,
    UNRELATE,
    ATTACH,
    DETACH,
    DESTROY_ONE,
    INSTANTIATE, /* the target, as the source */
} command_kind;

typedef struct command {
    command_kind kind;
    uint32_t relation, data;
    sett_entity source, target;
} command;

static void command_record(command* c)
{
    sett_commands* commands = sett_commands_here(world);
    sett_component id = relations[c->relation].id;
    sett_status status = SETT_OK;
    switch (c->kind) {
    case RELATE:
        status = sett_cmd_relate(commands, c->source, id, c->target,
                                 relations[c->relation].data ? &c->data : NULL);
        break;
    case UNRELATE:
        status = sett_cmd_unrelate(commands, c->source, id, c->target);
        break;
    case ATTACH:
        status = sett_cmd_attach(commands, c->source, c->target);
        break;
    case DETACH:
        status = sett_cmd_detach(commands, c->source);
        break;
    case DESTROY_ONE:
        status = sett_cmd_destroy(commands, c->source);
        break;
    case INSTANTIATE:
        c->source = sett_cmd_instantiate(commands, c->target);
        WANT(!sett_is_null(c->source) && !sett_entity_valid(world, c->source));
        break;
    }
    WANT(status == SETT_OK);
}

/* Does to the naive world what the command did, which skips what has become senseless. */
static void command_follow(const command* c)
{
    if (c->kind == INSTANTIATE) {
        if (alive(c->target)) {
            naive_copy(slot(c->target), c->source, false, true);
        } else { /* no entity was created, and none ever will have this handle */
            naive.dead[naive.dead_count++ % DEAD] = c->source;
        }
    } else if (c->kind == DESTROY_ONE && alive(c->source)) {
        (void)naive_destroy(slot(c->source));
    } else if (c->kind == DETACH && alive(c->source)) {
        naive.at[slot(c->source)].parent = INDICES;
    } else if (alive(c->source) && alive(c->target)) {
        if (c->kind == RELATE) {
            uint32_t* data = naive_relate(c->relation, slot(c->source), slot(c->target));
            *data = relations[c->relation].data ? c->data : 0;
        } else if (c->kind == UNRELATE) {
            uint32_t found = naive_find(c->relation, slot(c->source), slot(c->target));
            if (found != LINKS) {
                naive_unlink(found);
            }
        } else if (c->kind == ATTACH && !naive_is_below(slot(c->target), slot(c->source))) {
            naive_join(slot(c->source), slot(c->target));
        }
    }
}

/* Some commands in a row. An instance comes last, with a parent and a link: what becomes of it is
 * looked up when all are applied. */
static void do_commands(void)
{
    doing = "commands";
    command recorded[RECORDED + 3];
    uint32_t count = below(RECORDED) + 1;
    for (uint32_t k = 0; k < count; k++) {
        recorded[k] = (command){below(8) == 0 ? DESTROY_ONE : (command_kind)below(DESTROY_ONE),
                                below(ACYCLIC), below(1000), some_entity(), some_entity()};
    }
    sett_entity prefab = some_entity();
    if (below(3) == 0 && !(alive(prefab) && naive_size(slot(prefab)) > 30)) {
        recorded[count++] = (command){INSTANTIATE, 0, 0, sett_null(), prefab};
    }
    for (uint32_t k = 0, end = count; k < end; k++) {
        command_record(&recorded[k]);
        if (recorded[k].kind == INSTANTIATE) {
            recorded[count] = (command){ATTACH, 0, 0, recorded[k].source, some_entity()};
            command_record(&recorded[count++]);
            recorded[count] =
                (command){RELATE, below(ACYCLIC), below(1000), some_entity(), recorded[k].source};
            command_record(&recorded[count++]);
        }
    }
    WANT(sett_commands_apply(sett_commands_here(world)) == SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        command_follow(&recorded[k]);
    }
}

/* ---- Copies in another world ----------------------------------------------------------------- */

static sett_entity image[INDICES]; /* of each entity that was copied; null: it was not */

static sett_component other_id(sett_component id)
{
    return sett_component_find(other, sett_component_name(world, id));
}

/* Notes the copies of a subtree, along the tree. */
static void image_down(uint32_t index, sett_entity copy, bool alone)
{
    WANT(sett_entity_valid(other, copy));
    image[index] = copy;
    WANT(sett_hierarchy_child_count(other, copy) ==
         (alone ? 0 : sett_hierarchy_child_count(world, naive.at[index].handle)));
    sett_entity at = sett_hierarchy_first(other, copy);
    for (uint32_t k = 0; !sett_is_null(at); k++, at = sett_hierarchy_next(other, at)) {
        WANT(sett_equals(sett_hierarchy_parent(other, at), copy));
        image_down(naive_child(index, k), at, false);
    }
}

static void image_compare_links(uint32_t index)
{
    uint32_t counts[RELATIONS] = {0};
    for (uint32_t k = 0; k < naive.link_count; k++) {
        const naive_link* link = &naive.link[k];
        sett_entity target = image[link->target];
        if (link->source == index && !sett_is_null(target)) {
            sett_component id = other_id(relations[link->relation].id);
            const uint32_t* data = sett_related(other, image[index], id, target);
            WANT(data != NULL);
            WANT(!relations[link->relation].data || *data == link->data);
            counts[link->relation]++;
        }
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        WANT(sett_target_count(other, image[index], other_id(relations[k].id)) == counts[k]);
    }
}

static void image_compare(uint32_t index)
{
    const naive_entity* e = &naive.at[index];
    const Value* value = sett_find(other, image[index], other_id(value_id));
    WANT((value != NULL) == e->has_value);
    if (value != NULL) {
        sett_entity to = e->value.reference;
        WANT(value->number == e->value.number);
        WANT(sett_equals(value->reference, alive(to) ? image[slot(to)] : sett_null()));
    }
    const uint32_t* shared = sett_find(other, image[index], other_id(shared_id));
    WANT((shared != NULL) == e->has_shared && (shared == NULL || *shared == e->shared));
    WANT(sett_has(other, image[index], other_id(dont_fragment_id)) == e->dont_fragment);
    WANT(sett_has(other, image[index], other_id(prefab_id)) == e->prefab);
    image_compare_links(index);
}

static void do_copy_elsewhere(void)
{
    doing = "duplicate into another world";
    sett_entity entity = some_entity();
    sett_duplicate_desc desc = {.to = other, .alone = below(3) == 0};
    uint32_t before = sett_entity_count(other);
    if (ranges > 1) {
        WANT(sett_entity_set_range(other, below(ranges) * distance, 0) == SETT_OK);
    }
    sett_entity copy = sett_duplicate(world, entity, &desc);
    WANT(sett_is_null(copy) == !alive(entity));
    if (!alive(entity)) {
        WANT(sett_world_error(other) == SETT_STATUS_STALE);
        return;
    }
    memset(image, 0, sizeof(image));
    image_down(slot(entity), copy, desc.alone);
    WANT(sett_is_null(sett_hierarchy_parent(other, copy)));
    uint32_t copied = 0;
    for (uint32_t k = 0; k < naive.end; k++) {
        if (!sett_is_null(image[k])) {
            WANT(sett_hierarchy_depth(other, image[k]) ==
                 naive_depth(k) - naive_depth(slot(entity)));
            image_compare(k);
            copied++;
        }
    }
    WANT(copied == (desc.alone ? 1 : naive_size(slot(entity))));
    WANT(sett_entity_count(other) == before + copied);
    if (before + copied > crowd) {
        WANT(sett_world_validate(other, NULL) == SETT_OK);
        WANT(sett_world_clear(other) == SETT_OK);
    }
}

static void do_rare(void)
{
    doing = "clear the world, convert or trim";
    uint32_t which = below(48);
    if (which == 0 || which >= 40) {
        WANT(sett_world_clear(world) == SETT_OK);
        naive.link_count = 0;
        for (uint32_t k = 0; k < naive.end; k++) {
            if (!sett_is_null(naive.at[k].handle)) {
                naive.dead[naive.dead_count++ % DEAD] = naive.at[k].handle;
                naive.at[k].handle = sett_null();
                naive.count--;
            }
        }
    } else if (which < 10) {
        sett_storage_kind kind = which < 5 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
        sett_status status = sett_component_convert(world, relations[below(RELATIONS)].id, kind);
        WANT(status == SETT_OK || (held && status == SETT_STATUS_LOCKED));
    } else if (which == 10) {
        uint32_t relation = below(RELATIONS);
        WANT(sett_component_clear(world, relations[relation].id) == SETT_OK);
        for (uint32_t k = 0; k < naive.end; k++) {
            naive_end_links(begins_at, relation, k);
        }
    } else {
        WANT(sett_world_trim(world) == SETT_OK);
    }
}

/* Where indices lie far apart: entities are created in another range from now on, or all of one
 * end. Pages of values so come and go. */
static void do_range(void)
{
    doing = "another range";
    uint32_t range = below(ranges);
    if (below(3) != 0) {
        WANT(sett_entity_set_range(world, range * distance, 0) == SETT_OK);
        return;
    }
    for (uint32_t k = 0; k < naive.end; k++) {
        sett_entity entity = naive.at[k].handle;
        if (!sett_is_null(entity) && entity.index / distance == range) {
            WANT(sett_entity_destroy(world, entity) ==
                 (naive_destroy(k) ? SETT_OK : SETT_STATUS_REJECTED));
        }
    }
}

static void do_snapshot(void)
{
    doing = "snapshot";
    if (!held) {
        WANT(sett_snapshot_take(world, &snapshot) == SETT_OK);
        then = naive;
        then_hash = sett_world_hash(world);
        held = true;
    } else if (below(3) == 0) {
        WANT(sett_snapshot_drop(world, snapshot) == SETT_OK);
        held = false;
    } else {
        WANT(sett_snapshot_restore(world, snapshot) == SETT_OK);
        naive = then;
        WANT(sett_world_hash(world) == then_hash);
    }
}

static void step(void)
{
    uint32_t which = below(100);
    bool crowded = naive.count > crowd + below(crowd);
    if (ranges > 1 && below(30) == 0) {
        do_range();
    } else if (crowded || naive.link_count > LINKS / 6) {
        do_destroy();
    } else if (which < 12 || naive.count < 4) {
        do_create();
    } else if (which < 20) {
        do_destroy();
    } else if (which < 21) {
        do_destroy_many();
    } else if (which < 22) {
        do_destroy_children();
    } else if (which < 50) {
        do_relate();
    } else if (which < 62) {
        do_unrelate();
    } else if (which < 65) {
        do_end_links();
    } else if (which < 77) {
        do_value();
    } else if (which < 78) {
        do_clear();
    } else if (which < 80) {
        do_policy();
    } else if (which < 82) {
        do_shared();
    } else if (which < 86) {
        do_attach();
    } else if (which < 87) {
        do_insert();
    } else if (which < 88) {
        do_scope();
    } else if (which < 90) {
        (below(4) == 0 ? do_tree : do_instantiate)();
    } else if (which < 91) {
        do_bases();
    } else if (which < 93) {
        do_duplicate();
    } else if (which < 94) {
        do_copy_elsewhere();
    } else if (which < 99) {
        do_commands();
    } else if (below(10) != 0) {
        do_snapshot();
    } else {
        do_rare();
    }
}

/* In the other world in another order, so that numbers of types differ. */
static void register_relations(sett_world* in, bool backwards)
{
    for (uint32_t n = 0; n < INSTANCE_OF; n++) {
        naive_relation* r = &relations[backwards ? INSTANCE_OF - 1 - n : n];
        sett_relationship_desc desc = {.name = r->name,
                                       .size = r->data ? 4 : 0,
                                       .many = r->many,
                                       .acyclic = r == &relations[ACYCLIC],
                                       .transitive = r == &relations[ACYCLIC],
                                       .reflexive = r == &relations[ACYCLIC],
                                       .storage = r->storage,
                                       .on_target_destroyed = r->on_target,
                                       .on_source_destroyed = r->on_source};
        sett_component id = sett_relationship_register(in, &desc);
        CHECK(id != 0);
        r->id = backwards ? r->id : id;
    }
}

static sett_component register_values(sett_world* in)
{
    static const uint32_t offsets[] = {offsetof(Value, reference)};
    return sett_component_register(in, &(sett_component_desc){SETT_TYPE(Value),
                                                              .entity_offsets = offsets,
                                                              .entity_offset_count = 1});
}

static void register_all(void)
{
    value_id = register_values(world);
    dont_fragment_id = sett_component_register(
        world, &(sett_component_desc){.name = "Dont_fragment", .dont_fragment = true});
    shared_id = sett_component_register(world, &(sett_component_desc){.name = "Shared", .size = 4});
    CHECK_EQ(sett_prefab_share(world, shared_id, true), SETT_OK);
    register_relations(world, false);
    relations[INSTANCE_OF].id = sett_instance_of(world);
    CHECK(sett_name_register(world) != 0);
    prefab_id = sett_prefab_tag(world);
    closure = sett_search_create(world, "Reports($a, $b)");
    sett_query_desc desc = {
        .terms = {{.component = value_id, .access = SETT_IN, .kind = SETT_WITH}}};
    visible = sett_query_create(world, &desc);
    CHECK(value_id != 0 && dont_fragment_id != 0 && prefab_id != 0 && visible != NULL &&
          closure != NULL);
    CHECK_EQ(sett_search_variable(closure, "a"), 0);
    CHECK(sett_prefab_tag(other) != 0 && sett_instance_of(other) != 0);
    register_relations(other, true);
    CHECK(sett_component_register(other, &(sett_component_desc){.name = "Shared", .size = 4}) != 0);
    CHECK(sett_component_register(
              other, &(sett_component_desc){.name = "Dont_fragment", .dont_fragment = true}) != 0);
    CHECK(register_values(other) != 0);
}

static void agree(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(10000));
    seed = check_setting("SETT_SEED", 1);
    chance_state = seed;
    printf("  SETT_SEED=%llu SETT_OPERATIONS=%llu\n", (unsigned long long)seed,
           (unsigned long long)operations);
    memset(&naive, 0, sizeof(naive));
    held = false;
    world = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = ranges * distance});
    other = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = ranges * distance});
    CHECK(world != NULL && other != NULL);
    register_all();
    for (done = 0; done < operations; done++) {
        step();
        check_print(done, operations);
        if (done < CLOSELY || done % PERIOD == 0) {
            compare();
        }
    }
    compare();
    sett_world_destroy(world);
    sett_world_destroy(other);
}

static void links_trees_and_copies_agree(void)
{
    ranges = 1;
    distance = INDICES;
    crowd = 90;
    agree();
}

/* A page of rows, or of bits, is needed for each range, and becomes empty now and then. */
static void they_agree_where_indices_lie_far_apart(void)
{
    ranges = 4;
    distance = 9216;
    crowd = 16;
    agree();
}

TEST_MAIN(TEST(links_trees_and_copies_agree), TEST(they_agree_where_indices_lie_far_apart))
