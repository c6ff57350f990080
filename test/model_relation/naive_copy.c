/* naive_copy.c: copies in the naive world. What is made is looked up in the world, along the
 * tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

naive_node nodes[INDICES];
uint32_t node_count;
uint8_t labels[INDICES];

enum {
    HAS_VALUE = 1 << RELATIONS,
    HAS_SHARED = HAS_VALUE << 1,
    HAS_DONT_FRAGMENT = HAS_VALUE << 2,
    HAS_PREFAB = HAS_VALUE << 3
};

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

bool naive_list(uint32_t index, uint32_t over, bool alone)
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

void naive_choose(bool instance)
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

void naive_copy_nodes(sett_entity copy, bool instance)
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

void naive_copy(uint32_t root, sett_entity copy, bool alone, bool instance)
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
