/* clone.c: copies of an entity, or of a subtree.
 *
 * The workload: a hundred thousand instances of one prefab at once, and single instances while a
 * game runs. A node stands for one original. All copies of a node are created in bulk, with
 * neighbouring indices, and the values of each type are written page by page.
 *
 *     nodes      root | child | child's child | ...          parents first
 *     edits      Position Sprite | Position | ...            the types of each node's copies
 *     copies     root 0 1 2 .. count-1 | child 0 1 2 .. | ...
 *
 * All memory is reserved before the first entity is created. Then copies are created, attached and
 * linked. Callbacks run last, when all references are valid. Components with links, and "sources"
 * components, are created empty; the links are made afterwards.
 *
 * Invariant:  an original may have an entity as a reference, as the target of a link or as the
 *             parent. If this entity is copied, the k-th copy of the original has the k-th copy of
 *             the entity. Otherwise each copy has the same entity. In another world, each copy has
 *             the entity with the same path, or null
 */
#include "relation/clone.h"
#include "relation/chain.h"
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/prefab.h"
#include "world/codec.h"

static bool clone_is_merge(const setti_clone* clone)
{
    return clone->merge.verdicts != NULL;
}

static bool clone_changes_world(const setti_clone* clone)
{
    return clone->from != clone->to;
}

static void* clone_alloc(const setti_clone* clone, size_t count, size_t size)
{
    size_t bytes; /* at least one element, because NULL means that memory ran out */
    if (!setti_multiply(SETTI_MAX(count, 1), size, &bytes)) {
        return NULL;
    }
    return setti_pool_alloc(&clone->to->pool, bytes, 16);
}

static void clone_free(const setti_clone* clone, const void* piece, size_t count, size_t size)
{
    setti_pool_free(&clone->to->pool, setti_unconst(piece), SETTI_MAX(count, 1) * size, 16);
}

static sett_status clone_no_memory(const setti_clone* clone)
{
    return setti_world_no_memory(clone->to, clone->desc.call);
}

/* Returns the next type of a node's original, or NULL at the end. `*cursor` begins as 0, and counts
 * the types of the signature before the dont_fragment types. */
static setti_type* clone_next_of_all(const setti_clone* clone, const setti_clone_node* node,
                                     uint32_t* cursor)
{
    const sett_world* from_world = clone->from;
    uint32_t set = setti_entity_set_of(&from_world->entities, node->index);
    uint32_t count = set != 0 ? from_world->signatures.record[set].count : 0;
    if (*cursor < count) {
        uint32_t position = (*cursor)++;
        return from_world->types[from_world->signatures.record[set].types[position]];
    }
    while (*cursor - count < from_world->dont_fragment.count) { /* after the signature's types */
        uint32_t position = (*cursor)++;
        setti_type* type = from_world->dont_fragment.item[position - count];
        if (setti_storage_has(&type->storage, node->index)) {
            return type;
        }
    }
    return NULL;
}

static bool clone_is_name(const setti_clone* clone, const setti_type* type)
{
    return setti_names_of(clone->from) != NULL && type == setti_names_of(clone->from)->type;
}

static bool clone_is_hierarchy(const setti_clone* clone, const setti_type* type)
{
    return setti_hierarchy_of(clone->from) != NULL && type == setti_hierarchy_of(clone->from)->type;
}

/* Returns true if a node's copies get the hierarchy's component. The caller ensures that the
 * original has the component. Copies that become instances have no parent, so they need the
 * component only for their own children. */
static bool clone_keeps_place(const setti_clone* clone, const setti_clone_node* node)
{
    bool is_root = node == clone->nodes || node->counterpart == 0;
    if (clone->instances == NULL || !is_root) {
        return true;
    }
    return setti_hierarchy_find(clone->from, node->index)->children != 0;
}

/* Returns true if an earlier node gives the same copies the type. `node` must have a
 * counterpart. */
static bool clone_is_taken(const setti_clone* clone, const setti_clone_node* node,
                           const setti_type* type)
{
    const setti_clone_node* first = &clone->nodes[node->counterpart];
    if (first->derives && type == clone->instances->links) {
        return true; /* the copies become instances of the original of `first` */
    }
    for (const setti_clone_node* earlier = first; earlier != node; earlier++) {
        bool same_copies = earlier == first || earlier->counterpart == node->counterpart;
        if (!same_copies || !setti_storage_has(&type->storage, earlier->index)) {
            continue;
        }
        if (!clone_is_hierarchy(clone, type) || clone_keeps_place(clone, earlier)) {
            return true;
        }
    }
    return false;
}

static bool clone_is_copied(const setti_clone_node* node)
{
    return node->index != SETTI_NONE && !node->outside; /* other nodes only lead to their `onto` */
}

static setti_clone_verdict clone_verdict(const setti_clone* clone, const setti_type* type)
{
    if (!clone_is_merge(clone)) {
        return SETTI_CLONE_TAKE;
    }
    return (setti_clone_verdict)clone->merge.verdicts[type->id];
}

/* Returns the next type that a node gives its copies, or NULL at the end. */
static setti_type* clone_next_type(const setti_clone* clone, const setti_clone_node* node,
                                   uint32_t* cursor)
{
    setti_type* type;
    if (!clone_is_copied(node)) {
        return NULL;
    }
    while ((type = clone_next_of_all(clone, node, cursor)) != NULL) {
        bool given_before =
            SETTI_UNLIKELY(node->counterpart != SETTI_NONE) && clone_is_taken(clone, node, type);
        if (!given_before && clone_verdict(clone, type) != SETTI_CLONE_SKIP) {
            return type;
        }
    }
    return NULL;
}

/* Returns the number of the node that has an entity's copies. Returns SETTI_NONE if the entity is
 * not copied. */
static uint32_t clone_node_of(const setti_clone* clone, sett_entity entity)
{
    if (!setti_entity_is_current(&clone->from->entities, entity)) {
        return SETTI_NONE;
    }
    if (clone->node_count == 1 && !clone_changes_world(clone)) { /* then by_index is empty */
        return clone->nodes[0].index == entity.index ? 0 : SETTI_NONE;
    }
    uint32_t k = setti_hash_map_find(&clone->by_index, setti_link_to(entity.index));
    SETTI_ASSERT(k == SETTI_NONE || k < clone->node_count);
    if (k != SETTI_NONE && clone->nodes[k].counterpart != SETTI_NONE) {
        return clone->nodes[k].counterpart;
    }
    return k;
}

/* A walk over the links of one relationship that a node's copies get. */
typedef struct clone_links {
    setti_relation* relation; /* in `from`; all other members begin as zero */
    sett_link_cursor cursor;
    sett_entity target;
    uint32_t node; /* the target's node; SETTI_NONE: the target is not copied */
} clone_links;

/* Goes to the next link of a node, but skips links to entities that the other world lacks. Returns
 * false at the end. */
static bool clone_links_next(const setti_clone* clone, const setti_clone_node* node,
                             clone_links* links)
{
    sett_entity source = setti_entity_at(&clone->from->entities, node->index);
    /* The InstanceOf link of an instance leads to its original, not to the original's prefab. */
    if (links->relation == clone->instances && node->derives) {
        links->target = sett_null();
        return false;
    }
    do {
        links->target =
            sett_target_next(clone->from, source, links->relation->links->id, &links->cursor);
        if (sett_is_null(links->target)) {
            return false;
        }
        links->node = clone_node_of(clone, links->target);
    } while (links->node == SETTI_NONE && clone_changes_world(clone));
    return true;
}

/* Returns the entry of a type that the entity node->onto had before the merge. Returns NULL if that
 * entity did not have the type. */
static setti_clone_existing* clone_existing(const setti_clone* clone, const setti_clone_node* node,
                                            const setti_type* type)
{
    uint32_t k = node->existing;
    while (k != SETTI_NONE && clone->merge.existing[k].type != type) {
        k = clone->merge.existing[k].next;
    }
    return k != SETTI_NONE ? &clone->merge.existing[k] : NULL;
}

static setti_type* clone_map(const setti_clone* clone, setti_type* type);

/* Returns true if a node's copies get the links of a type. If the entity node->onto has such links
 * already, it keeps them, unless the merge overwrites them. */
static bool clone_takes_links(const setti_clone* clone, const setti_clone_node* node,
                              setti_type* type)
{
    if (type->links == NULL) {
        return false;
    }
    if (sett_is_null(node->onto) || clone->merge.overwrites) {
        return true;
    }
    return clone_existing(clone, node, clone_map(clone, type)) == NULL;
}

/* Calls `visit` for each link that a node's copies get. If `visit` returns false, stops and returns
 * false. */
static bool clone_each_link(setti_clone* clone, setti_clone_node* node,
                            bool (*visit)(setti_clone* clone, setti_clone_node* node,
                                          const clone_links* links))
{
    uint32_t cursor = 0;
    setti_type* type;
    while ((type = clone_next_type(clone, node, &cursor)) != NULL) {
        if (clone_takes_links(clone, node, type)) {
            clone_links links = {.relation = setti_relation_of_links(type)};
            while (clone_links_next(clone, node, &links)) {
                if (!visit(clone, node, &links)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Returns true if two types have values of the same form. */
static bool clone_is_same(const setti_type* a, const setti_type* b)
{
    if (a->desc.size != b->desc.size || a->desc.align != b->desc.align ||
        a->desc.layout_version != b->desc.layout_version) {
        return false;
    }
    const setti_relation* links_a = setti_relation_of_links(a);
    const setti_relation* links_b = setti_relation_of_links(b);
    if (links_a == NULL || links_b == NULL) {
        return links_a == links_b; /* true if neither type has links */
    }
    return links_a->many == links_b->many && links_a->data_size == links_b->data_size;
}

/* Returns the type that has the name of `type` in the world of the copies. Reports an error and
 * returns NULL if that world has no type of this name, or if its values have another form. */
static setti_type* clone_map(const setti_clone* clone, setti_type* type)
{
    if (!clone_changes_world(clone)) {
        return type;
    }
    setti_type* match = setti_type_find(clone->to, type->desc.name);
    if (match != NULL && clone_is_same(type, match)) {
        return match;
    }
    if (match == NULL) {
        setti_world_fail_with(clone->to, SETT_STATUS_UNREGISTERED,
                              "%s: \"%.100s\" is not registered in the world that receives "
                              "copies - register it there",
                              clone->desc.call, type->desc.name);
    } else {
        char list[SETTI_MESSAGE_SIZE];
        setti_writer writer = setti_writer_begin(list, sizeof(list));
        setti_component_differences(&writer, &match->desc, &type->desc);
        bool only_links_differ = writer.length == 0;
        setti_component_differ_in(&writer, only_links_differ,
                                  "other relationship options, or none");
        setti_world_fail_with(clone->to, SETT_STATUS_CONFLICT,
                              "%s: \"%.100s\" differs in the world that receives copies: %.250s - "
                              "register the same type in both worlds",
                              clone->desc.call, type->desc.name, list);
    }
    return NULL;
}

/* Returns the entity to copy after `entity` in a walk from `root`, or null at the end. */
static sett_entity clone_walk(const setti_clone* clone, sett_entity root, sett_entity entity)
{
    if (clone->alone) {
        return sett_null();
    }
    return sett_hierarchy_walk(clone->from, root, entity);
}

void setti_clone_init_node(setti_clone* clone, setti_clone_node* node, uint32_t index)
{
    memset(node, 0, sizeof(*node));
    node->index = index;
    node->lead = SETTI_NONE;
    node->existing = SETTI_NONE;
    node->counterpart = SETTI_NONE;
    node->edit.count = clone->count;
    node->edit.repeat = true;
    node->edit.creates = true;
}

/* Sets `counterpart` of node k. Also sets `parent` if the node is not a root. */
static void clone_find_counterpart(setti_clone* clone, uint32_t k, bool is_root)
{
    SETTI_ASSERT(k < clone->node_count);
    setti_clone_node* node = &clone->nodes[k];
    if (is_root) { /* the roots of the prefab and of all bases have the same copies */
        node->counterpart = k != 0 ? 0 : SETTI_NONE;
        return;
    }
    uint64_t name = setti_name_key(clone->from, node->index);
    uint32_t parent_link = setti_hierarchy_parent(clone->from, node->index);
    uint32_t parent = setti_hash_map_find(&clone->by_index, parent_link);
    SETTI_ASSERT(parent < k); /* parents come before children */
    node->parent = parent;
    if (clone->nodes[parent].counterpart != SETTI_NONE) {
        node->parent = clone->nodes[parent].counterpart;
    }
    if (name == 0) {
        return; /* only nodes with names have counterparts */
    }
    for (uint32_t j = 1; j < k; j++) { /* the first node with the same name and parent */
        const setti_clone_node* other = &clone->nodes[j];
        if (other->counterpart == SETTI_NONE && other->parent == node->parent &&
            setti_name_key(clone->from, other->index) == name) {
            node->counterpart = j;
            return;
        }
    }
}

/* Makes `by_index` lead from an original to node k. Fails if two prefabs contain the original. */
static sett_status clone_index(setti_clone* clone, sett_entity original, uint32_t k)
{
    uint64_t key = setti_link_to(original.index);
    if (clone->desc.base_count != 0 && setti_hash_map_find(&clone->by_index, key) != SETTI_NONE) {
        return setti_world_fail_with(
            clone->to, SETT_STATUS_ARGUMENT,
            "%s: entity %u:%u would be copied twice, because two of the prefabs contain it - "
            "list only one of them",
            clone->desc.call, SETTI_HANDLE(original));
    }
    if (clone->node_count <= 1 && !clone_changes_world(clone)) {
        return SETT_OK; /* clone_node_of needs no map for one node */
    }
    bool added = setti_hash_map_set(&clone->to->pool, &clone->by_index, key, k);
    if (!added) {
        return clone_no_memory(clone);
    }
    return SETT_OK;
}

/* Initialises the nodes of a root and its descendants. `*next` is the number of the first node, and
 * becomes the number after the last. */
static sett_status clone_list(setti_clone* clone, sett_entity root, uint32_t* next)
{
    for (sett_entity original = root; !sett_is_null(original);
         original = clone_walk(clone, root, original)) {
        uint32_t k = *next;
        setti_clone_node* node = &clone->nodes[k];
        SETTI_ASSERT(k < clone->node_count);
        setti_clone_init_node(clone, node, original.index);
        node->derives = clone->instances != NULL && k == 0;
        /* The first nodes get no new entities: the entities of `into` become the copies. */
        node->edit.creates = k >= clone->desc.into_count;
        sett_status status = clone_index(clone, original, k);
        if (status != SETT_OK) {
            return status;
        }
        if (clone->desc.base_count != 0) {
            clone_find_counterpart(clone, k, sett_equals(original, root));
            clone->counterpart_count += node->counterpart != SETTI_NONE;
        }
        *next = k + 1;
    }
    return SETT_OK;
}

/* Returns the original `number` of the root's copies: 0 is desc.root, the bases follow. */
static sett_entity clone_root(const setti_clone* clone, uint32_t number)
{
    if (number == 0) {
        return clone->desc.root;
    }
    return clone->desc.bases[number - 1];
}

/* Makes the nodes. Fails if the world has no room for all copies. */
static sett_status clone_gather(setti_clone* clone)
{
    const setti_entity_table* table = &clone->to->entities;
    uint32_t root_count = 1 + clone->desc.base_count;
    for (uint32_t r = 0; r < root_count; r++) {
        sett_entity root = clone_root(clone, r);
        for (sett_entity original = root; !sett_is_null(original);
             original = clone_walk(clone, root, original)) {
            clone->node_count++;
        }
    }
    clone->nodes = clone_alloc(clone, clone->node_count, sizeof(*clone->nodes));
    if (clone->nodes == NULL) {
        return clone_no_memory(clone);
    }
    clone->node_room = clone->node_count;
    /* After a failure, setti_clone_release also frees the nodes that are not initialised yet. */
    memset(clone->nodes, 0, clone->node_count * sizeof(*clone->nodes));
    uint32_t next = 0;
    for (uint32_t r = 0; r < root_count; r++) {
        sett_status status = clone_list(clone, clone_root(clone, r), &next);
        if (status != SETT_OK) {
            return status;
        }
    }
    uint64_t copies = (uint64_t)(clone->node_count - clone->counterpart_count) * clone->count;
    /* The entities of `into` exist already. */
    if (copies - clone->desc.into_count > table->limit - setti_entity_taken(table)) {
        return setti_world_fail(clone->to, SETT_STATUS_LIMIT, clone->desc.call, sett_null(), 0);
    }
    return SETT_OK;
}

/* Returns the node to which the link of node k's copies leads, or SETTI_NONE. The relationship is
 * acyclic, so each copy has at most one link. */
static uint32_t clone_follow(const setti_clone* clone, const setti_relation* relation, uint32_t k)
{
    for (uint32_t j = k; j < clone->node_count; j++) {
        const setti_clone_node* node = &clone->nodes[j];
        bool same_copies = j == k || node->counterpart == k;
        if (same_copies && setti_storage_has(&relation->links->storage, node->index)) {
            sett_entity source = setti_entity_at(&clone->from->entities, node->index);
            return clone_node_of(clone, sett_target(clone->from, source, relation->links->id));
        }
    }
    return SETTI_NONE;
}

/* Returns true if a walk from node k along the links of a relationship never ends. */
static bool clone_walks_forever(const setti_clone* clone, const setti_relation* relation,
                                uint32_t k)
{
    for (uint32_t steps = clone->node_count; k != SETTI_NONE && steps > 0; steps--) {
        k = clone_follow(clone, relation, k);
    }
    return k != SETTI_NONE; /* after as many steps as there are nodes: a cycle */
}

/* Fails if acyclic links of a prefab and its bases form a cycle. */
static sett_status clone_check_circles(const setti_clone* clone)
{
    if (clone->counterpart_count == 0) {
        return SETT_OK;
    }
    for (const setti_relation* relation = setti_relations_of(clone->from); relation != NULL;
         relation = relation->next) {
        if (!relation->desc.acyclic) {
            continue;
        }
        for (uint32_t k = 0; k < clone->node_count; k++) {
            /* Only links that a counterpart gets from two originals can close a new cycle. Without
             * a counterpart, the walk begins at SETTI_NONE and ends at once. */
            if (clone_walks_forever(clone, relation, clone->nodes[k].counterpart)) {
                return setti_world_fail_with(
                    clone->to, SETT_STATUS_CYCLE,
                    "%s: the \"%.100s\" links of the prefab and of its "
                    "bases would form a cycle through entity %u:%u - remove "
                    "one of these links",
                    clone->desc.call, relation->links->desc.name,
                    SETTI_HANDLE(setti_entity_at(&clone->from->entities, clone->nodes[k].index)));
            }
        }
    }
    return SETT_OK;
}

/* Makes the copies of a node instances of the original if they share values with the original. */
static void clone_find_sharing(setti_clone* clone, setti_clone_node* node)
{
    if (clone->instances == NULL || node->counterpart != SETTI_NONE || node->derives) {
        return;
    }
    uint32_t cursor = 0;
    const setti_type* type;
    while ((type = clone_next_type(clone, node, &cursor)) != NULL) {
        if ((type->flags & SETTI_TYPE_SHARED) != 0) {
            node->derives = true;
            return;
        }
    }
}

/* If the copies are in another world, counts all links of a node as lost. clone_add_lead subtracts
 * the links that lead to a copy, or to an entity found by path. */
static void clone_count_links(setti_clone* clone, const setti_clone_node* node)
{
    if (!clone_changes_world(clone)) {
        return;
    }
    uint32_t cursor = 0;
    setti_type* type;
    while ((type = clone_next_type(clone, node, &cursor)) != NULL) {
        if (clone_takes_links(clone, node, type)) {
            sett_entity source = setti_entity_at(&clone->from->entities, node->index);
            clone->merge.lost += sett_target_count(clone->from, source, type->id);
        }
    }
}

/* Adds a lead to the node of a link's target, because the target's copies get a "sources"
 * component. Returns false on failure. */
static bool clone_add_lead(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    (void)node;
    if (links->node == SETTI_NONE) {
        return true; /* the target is not copied */
    }
    SETTI_ASSERT(links->node < clone->node_count && clone->lead_count <= clone->lead_room);
    setti_clone_node* target = &clone->nodes[links->node];
    clone->merge.outside += target->outside;
    if (clone_changes_world(clone)) {
        clone->merge.lost--; /* clone_count_links has counted the link */
    }
    setti_clone_lead* leads = setti_pool_grow(&clone->to->pool, clone->leads, sizeof(*leads),
                                              clone->lead_count, 1, &clone->lead_room);
    if (leads == NULL) {
        clone_no_memory(clone);
        return false;
    }
    clone->leads = leads;
    setti_clone_lead* lead = &leads[clone->lead_count];
    lead->sources = clone_map(clone, links->relation->sources);
    lead->next = target->lead;
    target->lead = clone->lead_count;
    clone->lead_count++;
    return lead->sources != NULL;
}

/* Finds the nodes whose copies become instances, and adds leads for all links that copies get. */
static sett_status clone_find_links(setti_clone* clone)
{
    for (uint32_t k = 0; k < clone->node_count; k++) {
        clone_find_sharing(clone, &clone->nodes[k]);
        clone_count_links(clone, &clone->nodes[k]);
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        if (!clone_each_link(clone, &clone->nodes[k], clone_add_lead)) {
            return clone->to->error;
        }
    }
    return SETT_OK;
}

bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node)
{
    if (!sett_is_null(node->onto) || node->counterpart != SETTI_NONE) {
        return false;
    }
    if (node == clone->nodes && !clone_changes_world(clone)) {
        return false; /* a copy may become a sibling of the root: two equal names */
    }
    return setti_name_key(clone->from, node->index) != 0;
}

/* Returns true if a node adds a type of its original to the edit of its copies. */
static bool clone_has_type(const setti_clone* clone, const setti_clone_node* node,
                           const setti_type* type)
{
    if (type->ends != NULL) {
        return false; /* clone_plan_node adds "sources" types */
    }
    if (!sett_is_null(node->onto)) {
        const setti_type* match = clone_map(clone, setti_unconst(type));
        if (setti_storage_has(&match->storage, node->onto.index) ||
            clone_is_hierarchy(clone, type)) {
            return false; /* `onto` has the type already, or stays in place */
        }
    }
    if (type->links != NULL) {
        clone_links links = {.relation = setti_relation_of_links(type)};
        return clone_links_next(clone, node, &links);
    }
    if (clone_is_name(clone, type)) {
        return setti_clone_keeps_name(clone, node);
    }
    if (clone_is_hierarchy(clone, type)) {
        return clone_keeps_place(clone, node);
    }
    if (clone->instances == NULL) {
        return true;
    }
    /* Instances get neither shared types nor the tag Prefab. */
    bool shared = (type->flags & SETTI_TYPE_SHARED) != 0 && node->counterpart == SETTI_NONE;
    return !shared && type != clone->from->hidden[SETTI_HIDDEN_PREFAB];
}

/* Returns the edit that makes a node's copies: the counterpart's edit, if there is a
 * counterpart. */
static setti_edit* clone_edit(const setti_clone* clone, setti_clone_node* node)
{
    SETTI_ASSERT(node->counterpart == SETTI_NONE ||
                 clone->nodes[node->counterpart].counterpart == SETTI_NONE);
    if (node->counterpart != SETTI_NONE) {
        return &clone->nodes[node->counterpart].edit;
    }
    return &node->edit;
}

/* Returns true if values of `type` are copied to `match`, the same type of `to`. */
static bool clone_copies_value(const setti_clone* clone, const setti_type* type,
                               const setti_type* match)
{
    if (match->desc.copy == NULL && match->desc.deinit != NULL) {
        return false; /* the values cannot be copied */
    }
    if (type->links != NULL || clone_is_hierarchy(clone, type) || clone_is_name(clone, type)) {
        return false; /* clone_connect writes these values */
    }
    return type->storage.size != 0;
}

/* Adds a type of `to` to the edit of a node's copies, if `onto` is null or lacks the type. */
static sett_status clone_include(const setti_clone* clone, setti_clone_node* node, setti_type* type)
{
    if (!sett_is_null(node->onto) && setti_storage_has(&type->storage, node->onto.index)) {
        return SETT_OK;
    }
    if (setti_edit_include(clone->to, &node->edit, type) == NULL) {
        return clone_no_memory(clone);
    }
    return SETT_OK;
}

/* Adds the caller's values, parent and name to the edit of the root's copy. */
static sett_status clone_plan_given(setti_clone* clone, setti_clone_node* node)
{
    SETTI_ASSERT(clone->desc.value_count == 0 || clone->desc.values != NULL);
    for (uint32_t v = 0; v < clone->desc.value_count; v++) {
        setti_type* type = setti_world_type(clone->to, clone->desc.values[v].component);
        if (type == NULL) {
            return setti_world_fail(clone->to, SETT_STATUS_UNREGISTERED, clone->desc.call,
                                    sett_null(), clone->desc.values[v].component);
        }
        if (type->cascade != NULL) {
            return setti_world_fail_with(clone->to, SETT_STATUS_ARGUMENT,
                                         "%s: values of \"%.100s\" are written by the library - "
                                         "leave them out of `values`",
                                         clone->desc.call, type->desc.name);
        }
        if (!setti_change_may_add(type, clone->count)) {
            return setti_change_reject_linked(clone->to, type, clone->desc.call);
        }
        setti_edit_part* part = setti_edit_include(clone->to, &node->edit, type);
        if (part == NULL) {
            return clone_no_memory(clone);
        }
        part->origin = NULL; /* the given value replaces the original's */
        part->value = clone->desc.values[v].value;
    }
    if (!sett_is_null(clone->desc.parent)) {
        sett_status status = clone_include(clone, node, setti_hierarchy_of(clone->to)->type);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (clone->desc.name != 0) {
        return clone_include(clone, node, setti_names_of(clone->to)->type);
    }
    return SETT_OK;
}

static sett_status clone_reject_raw(const setti_clone* clone, const setti_type* type)
{
    return setti_world_fail_with(
        clone->to, SETT_STATUS_ARGUMENT,
        "%s: the members of \"%.100s\" are not described, so handles cannot be found - describe "
        "them, or list the component in `raw` if it has no handles",
        clone->desc.call, type->desc.name);
}

/* Adds a type of the original to the edit of a node's copies. */
static sett_status clone_plan_type(setti_clone* clone, setti_clone_node* node, setti_type* type)
{
    setti_type* match = clone_map(clone, type);
    if (match == NULL) {
        return clone->to->error;
    }
    if (clone_verdict(clone, type) == SETTI_CLONE_RAW) {
        return clone_reject_raw(clone, type);
    }
    if ((match->flags & SETTI_TYPE_ONE) != 0 && !setti_change_may_add(match, clone->count)) {
        return setti_change_reject_linked(clone->to, match, clone->desc.call);
    }
    setti_edit_part* part = setti_edit_include(clone->to, clone_edit(clone, node), match);
    if (part == NULL) {
        return clone_no_memory(clone);
    }
    part->origin = clone_copies_value(clone, type, match) ? &type->storage : NULL;
    part->source = node->index;
    return SETT_OK;
}

/* Adds all types of a node to the edit of its copies. */
static sett_status clone_plan_node(setti_clone* clone, setti_clone_node* node)
{
    uint32_t cursor = 0;
    setti_type* type;
    sett_status status = SETT_OK;
    while ((type = clone_next_type(clone, node, &cursor)) != NULL) {
        if (clone_has_type(clone, node, type)) {
            status = clone_plan_type(clone, node, type);
        }
        if (status != SETT_OK) {
            return status;
        }
    }
    for (uint32_t k = node->lead; k != SETTI_NONE; k = clone->leads[k].next) {
        status = clone_include(clone, node, clone->leads[k].sources);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (node->in_tree) {
        status = clone_include(clone, node, setti_hierarchy_of(clone->to)->type);
    }
    if (status == SETT_OK && node->derives) {
        status = clone_include(clone, node, clone->instances->links);
    }
    if (status == SETT_OK && clone->tag != NULL && node->counterpart == SETTI_NONE) {
        status = clone_include(clone, node, clone->tag);
    }
    return status;
}

/* Claims records for a link of a node's copies. Returns false if memory runs out. */
static bool clone_claim_record(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    setti_relation* relation = setti_relation_of_links(clone_map(clone, links->relation->links));
    (void)node;
    if (!relation->many) {
        return true;
    }
    return setti_chain_claim(relation, clone->count);
}

/* Sets the key of the name that a node's copies get in `to`. */
static sett_status clone_set_name(const setti_clone* clone, setti_clone_node* node)
{
    if (node->name != 0) { /* the caller of a merge has set the name */
        return SETT_OK;
    }
    uint64_t key = setti_name_key(clone->from, node->index);
    if (!clone_changes_world(clone)) {
        node->name = key;
        return SETT_OK;
    }
    const char* text = setti_text_of(clone->from, &setti_names_of(clone->from)->texts, key);
    node->name = setti_text_add(clone->to, &setti_names_of(clone->to)->texts, text, strlen(text));
    if (node->name == 0) {
        return setti_name_fail(clone->to, text, clone->desc.call);
    }
    return SETT_OK;
}

/* Sets the names of all nodes, and reserves memory for the names of all copies. */
static sett_status clone_reserve_names(setti_clone* clone)
{
    uint64_t name_count = 0;
    bool may_be_named = setti_names_of(clone->from) != NULL;
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (may_be_named && clone_is_copied(node) && setti_clone_keeps_name(clone, node)) {
            if (clone_set_name(clone, node) != SETT_OK) {
                return clone->to->error;
            }
            name_count += clone->count;
        }
    }
    if (clone->desc.name != 0) {
        clone->nodes[0].name = clone->desc.name;
        name_count++;
    }
    if (name_count == 0) {
        return SETT_OK;
    }
    bool reserved = name_count < UINT32_MAX && setti_name_reserve(clone->to, (uint32_t)name_count);
    if (!reserved) {
        return clone_no_memory(clone);
    }
    return SETT_OK;
}

/* Reserves the hierarchy's component for desc.parent, if the parent lacks the component. */
static bool clone_reserve_parent(setti_clone* clone)
{
    sett_entity parent = clone->desc.parent;
    clone->parent_joins =
        !sett_is_null(parent) && setti_hierarchy_find(clone->to, parent.index) == NULL;
    if (!clone->parent_joins) {
        return true;
    }
    setti_type* type = setti_hierarchy_of(clone->to)->type;
    uint32_t signature = *setti_entity_signature(&clone->to->entities, parent);
    return setti_change_reserve_add(clone->to, type, parent.index, &signature);
}

/* Returns true if the edit of a node has anything to do. A node with a counterpart uses the edit of
 * the counterpart. */
static bool clone_is_edited(const setti_clone_node* node)
{
    return node->counterpart == SETTI_NONE && (node->edit.creates || node->edit.added_count != 0);
}

/* Reserves memory and entities for all copies. */
static sett_status clone_reserve(setti_clone* clone)
{
    sett_status status = clone_reserve_names(clone);
    if (status != SETT_OK) {
        return status;
    }
    if (!clone_reserve_parent(clone)) {
        return clone_no_memory(clone);
    }
    /* Reserving entities advances the hint. */
    uint32_t hint = setti_entity_hint_index(&clone->to->entities);
    for (uint32_t k = 0; k < clone->node_count && status == SETT_OK; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (!clone_each_link(clone, node, clone_claim_record)) {
            return clone_no_memory(clone);
        }
        /* The first instance makes the original a target. */
        if (node->derives && !setti_chain_reserve_target(clone->instances, node->index)) {
            return clone_no_memory(clone);
        }
        if (clone_is_edited(node)) {
            status = setti_edit_reserve(clone->to, &node->edit, &hint);
        }
        if (status != SETT_OK) {
            setti_world_fail(clone->to, status, clone->desc.call, sett_null(), 0);
        }
    }
    clone->to->claim_from = hint; /* entities that callbacks record get no index of a copy */
    return status;
}

/* Replaces the reference stored in `bytes` by the k-th copy of the entity to which it leads. */
static void clone_remap(setti_clone* clone, unsigned char* bytes, uint32_t k)
{
    SETTI_ASSERT(k < clone->count);
    sett_entity reference;
    memcpy(&reference, bytes, sizeof(reference));
    uint32_t node = SETTI_NONE; /* the reference is null, or leads to no copied entity */
    if (!sett_is_null(reference)) {
        node = clone_node_of(clone, reference);
    }
    if (node != SETTI_NONE) {
        clone->merge.outside += clone->nodes[node].outside;
        reference = clone->nodes[node].copies[k];
    } else if (clone_changes_world(clone)) {
        clone->merge.lost += !sett_is_null(reference);
        reference = sett_null(); /* the entity has no copy */
    }
    memcpy(bytes, &reference, sizeof(reference));
}

/* Remaps all references in the values of a type that a node's copies have. */
static void clone_remap_values(setti_clone* clone, const setti_clone_node* node,
                               const setti_type* type)
{
    if (type->desc.entity_offset_count == 0) {
        return;
    }
    for (uint32_t k = 0; k < clone->count; k++) {
        unsigned char* value = setti_storage_find(&type->storage, node->copies[k].index);
        for (uint32_t n = 0; n < type->desc.entity_offset_count; n++) {
            clone_remap(clone, value + type->desc.entity_offsets[n], k);
        }
    }
}

/* Returns true if a node's copies may have links of a relationship before clone_make_link makes the
 * node's links. */
static bool clone_may_have_links(const setti_clone* clone, const setti_clone_node* node,
                                 const setti_relation* relation)
{
    bool others_may_link = clone->counterpart_count != 0 || clone_is_merge(clone);
    if (relation->many && others_may_link) {
        return true;
    }
    return clone_existing(clone, node, relation->links) != NULL;
}

/* Like setti_chain_link, but the source may have links already, even the link to `target`. */
static unsigned char* clone_relink(setti_relation* relation, sett_entity source, sett_entity target)
{
    SETTI_ASSERT(setti_storage_has(&relation->links->storage, source.index));
    uint32_t place = setti_chain_find(relation, source, target);
    if (place != SETTI_NONE) {
        return (unsigned char*)setti_chain_write(relation, place) + relation->layout.data;
    }
    if (!relation->many) {
        setti_chain_unlink(relation, setti_chain_write(relation, source.index));
    }
    return setti_chain_link(relation, source.index, target);
}

/* Makes the link `links` of all copies of a node, and copies the data. Returns true, so that
 * clone_each_link goes on. */
static bool clone_make_link(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    setti_relation* relation = setti_relation_of_links(clone_map(clone, links->relation->links));
    for (uint32_t k = 0; k < clone->count; k++) {
        sett_entity target = links->target;
        if (links->node != SETTI_NONE) {
            target = clone->nodes[links->node].copies[k];
        }
        unsigned char* data;
        if (clone_may_have_links(clone, node, relation)) {
            data = clone_relink(relation, node->copies[k], target);
        } else {
            data = setti_chain_link(relation, node->copies[k].index, target);
        }
        memcpy(data, links->cursor.data, relation->data_size);
        const sett_component_desc* desc = &relation->data_type->desc;
        for (uint32_t n = 0; n < desc->entity_offset_count; n++) {
            clone_remap(clone, data + desc->entity_offsets[n], k);
        }
    }
    return true;
}

/* Returns the node of the entities that become the parents of a node's copies. Returns SETTI_NONE
 * if there is none. `parent` is the parent of the original, or null. */
static uint32_t clone_find_parent(setti_clone* clone, sett_entity parent)
{
    uint32_t parent_node = SETTI_NONE;
    if (!sett_is_null(parent)) {
        parent_node = clone_node_of(clone, parent);
    }
    uint32_t top = clone_is_merge(clone) ? clone->merge.top : SETTI_NONE;
    /* `top` replaces a parent that is missing or not copied. Without `top`, the link is lost. */
    if (parent_node == SETTI_NONE || (clone->nodes[parent_node].outside && top != SETTI_NONE)) {
        clone->merge.lost += !sett_is_null(parent) && top == SETTI_NONE;
        return top;
    }
    clone->merge.outside += clone->nodes[parent_node].outside;
    return parent_node;
}

/* Attaches a node's copies, and gives them the original's policy. */
static void clone_place(setti_clone* clone, const setti_clone_node* node)
{
    const sett_hierarchy* original = setti_hierarchy_find(clone->from, node->index);
    if (original == NULL && !node->in_tree) {
        return;
    }
    sett_entity parent = sett_null(); /* of the original */
    uint32_t policy = SETT_CHILDREN_DEFAULT;
    if (original != NULL) {
        parent = setti_hierarchy_entity(clone->from, original->parent);
        policy = original->children & SETTI_POLICY;
    }
    uint32_t parent_node = clone_find_parent(clone, parent);
    bool same_world = !clone_changes_world(clone);
    bool both_new = parent_node != SETTI_NONE && same_world && !clone_is_merge(clone);
    /* Without a parent node, a copy of the root becomes a sibling of the root. An instance gets no
     * parent. */
    bool becomes_sibling = same_world && !sett_is_null(parent) && clone->instances == NULL;
    for (uint32_t k = 0; k < clone->count; k++) {
        if (policy != SETT_CHILDREN_DEFAULT) {
            (void)sett_hierarchy_set_policy(clone->to, node->copies[k],
                                            (sett_children_policy)policy);
        }
        if (both_new) { /* child and parent have the component already: no checks are needed */
            setti_hierarchy_append(clone->to, node->copies[k].index,
                                   clone->nodes[parent_node].copies[k].index);
        } else if (parent_node != SETTI_NONE) {
            (void)setti_hierarchy_attach(clone->to, node->copies[k],
                                         clone->nodes[parent_node].copies[k]);
        } else if (becomes_sibling) {
            (void)setti_hierarchy_attach(clone->to, node->copies[k], parent);
        }
    }
}

/* If the merge overwrites, copies the original's values to the components that `onto` had. */
static void clone_overwrite(setti_clone* clone, const setti_clone_node* node)
{
    SETTI_ASSERT(clone_is_merge(clone) || node->existing == SETTI_NONE);
    if (!clone->merge.overwrites) {
        return;
    }
    for (uint32_t k = node->existing; k != SETTI_NONE; k = clone->merge.existing[k].next) {
        const setti_clone_existing* existing = &clone->merge.existing[k];
        if (existing->origin != NULL) {
            void* row = setti_storage_find_mut(&clone->to->pool, &existing->type->storage,
                                               node->onto.index);
            setti_type_copy_values(existing->type, row,
                                   setti_storage_find(existing->origin, node->index), 1);
            clone_remap_values(clone, node, existing->type);
        }
    }
}

/* Runs on_set for the components that a merge has overwritten. */
static void clone_notify_overwritten(const setti_clone* clone, const setti_clone_node* node)
{
    sett_world* world = clone->to;
    if (!clone->merge.overwrites) {
        return;
    }
    for (uint32_t k = node->existing; k != SETTI_NONE; k = clone->merge.existing[k].next) {
        const setti_type* type = clone->merge.existing[k].type;
        if ((type->flags & SETTI_TYPE_ON_SET) != 0) {
            world->replaced_link = clone->merge.existing[k].old;
            (void)sett_set(world, node->onto, type->id,
                           setti_storage_find(&type->storage, node->onto.index));
            world->replaced_link = NULL;
        }
    }
}

/* Returns true if a merge adds components to an entity in the hierarchy. */
static bool clone_edits_tree(const setti_clone* clone)
{
    for (uint32_t k = 0; k < clone->node_count; k++) {
        const setti_clone_node* node = &clone->nodes[k];
        bool edits_entity = clone_is_edited(node) && !node->edit.creates;
        if (edits_entity &&
            setti_signature_has(&clone->to->signatures, node->edit.from, SETT_ID_HIERARCHY)) {
            return true;
        }
    }
    return false;
}

/* Fails if observers with `walk` terms would miss changes of entities in the hierarchy. */
static sett_status clone_check_observed(const setti_clone* clone)
{
    if (clone->to->upward_observers == 0 || !clone_edits_tree(clone)) {
        return SETT_OK;
    }
    const setti_listener* observer = clone->to->listeners;
    while (observer->upward_count == 0) { /* upward_observers says that there is one */
        observer = observer->next;
    }
    return setti_world_fail_with(
        clone->to, SETT_STATUS_CONFLICT,
        "%s: observer \"%.100s\" has a `walk` term, and would miss components "
        "merged onto ancestors - destroy the observer, and create it with `replay` afterwards",
        clone->desc.call, observer->name);
}

/* Runs the callbacks that are due before a merge changes entities of `to`. */
static void clone_notify_leaving(setti_clone* clone)
{
    for (uint32_t k = 0; k < clone->node_count; k++) {
        if (!clone->nodes[k].edit.creates && clone_is_edited(&clone->nodes[k])) {
            setti_edit_notify_leaving(clone->to, &clone->nodes[k].edit);
        }
    }
}

/* Creates the copies, and adds components to `onto` entities. Runs no callbacks. */
static void clone_commit(setti_clone* clone)
{
    if (clone->parent_joins) {
        (void)setti_change_add_reserved(clone->to, setti_hierarchy_of(clone->to)->type,
                                        clone->desc.parent);
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (node->derives) {
            setti_chain_make_target(clone->instances,
                                    setti_entity_at(&clone->from->entities, node->index));
        }
        if (clone_is_edited(node)) { /* creates copies, or adds to an entity merged with */
            setti_edit_commit_many(clone->to, &node->edit);
        }
    }
}

/* Sets the references, links, parents and names of a node's copies. */
static void clone_connect(setti_clone* clone, setti_clone_node* node)
{
    for (uint32_t s = 0; s < node->edit.added_count; s++) {
        if (node->edit.added[s].origin != NULL) {
            clone_remap_values(clone, node, node->edit.added[s].type);
        }
    }
    clone_overwrite(clone, node);
    if (node->derives) {
        setti_chain_link_many(clone->instances, node->copies, clone->count,
                              setti_entity_at(&clone->from->entities, node->index));
    }
    (void)clone_each_link(clone, node, clone_make_link);
    /* if the copies are new entities */
    if (clone_is_copied(node) && sett_is_null(node->onto) && node->counterpart == SETTI_NONE) {
        clone_place(clone, node);
    }
    if (node == clone->nodes && !sett_is_null(clone->desc.parent)) {
        for (uint32_t c = 0; c < clone->count; c++) {
            (void)setti_hierarchy_attach(clone->to, node->copies[c], clone->desc.parent);
        }
    }
    if (node->name != 0) {
        for (uint32_t c = 0; c < clone->count; c++) {
            setti_name_give(clone->to, node->copies[c].index, node->name);
        }
    }
}

/* Runs the callbacks that are due after all copies are complete. */
static void clone_notify_entering(const setti_clone* clone)
{
    for (uint32_t k = 0; k < clone->node_count; k++) {
        if (clone_is_edited(&clone->nodes[k])) {
            setti_edit_notify_entering(clone->to, &clone->nodes[k].edit);
        }
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        clone_notify_overwritten(clone, &clone->nodes[k]);
    }
}

/* Makes the copies in reserved memory, and runs all callbacks. */
static void clone_make(setti_clone* clone)
{
    setti_hierarchy* tree = setti_hierarchy_of(clone->to);
    clone_notify_leaving(clone);
    clone_commit(clone);
    if (tree != NULL) {
        tree->copies = true; /* attaching runs no callbacks: clone_notify_entering does */
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        clone_connect(clone, &clone->nodes[k]);
    }
    if (tree != NULL) {
        tree->copies = false;
    }
    clone_notify_entering(clone);
}

void setti_clone_release(setti_clone* clone)
{
    if (clone->nodes != NULL) {
        for (uint32_t k = 0; k < clone->node_count; k++) {
            setti_edit_free(clone->to, &clone->nodes[k].edit);
        }
    }
    clone->to->claim_from = 0;
    for (setti_relation* relation = setti_relations_of(clone->to); relation != NULL;
         relation = relation->next) {
        relation->claimed = 0;
    }
    setti_hash_map_deinit(&clone->to->pool, &clone->by_index);
    const setti_clone_merge* merge = &clone->merge;
    for (uint32_t k = 0; k < merge->existing_count; k++) {
        setti_change_release(clone->to, merge->existing[k].type, merge->existing[k].old);
    }
    clone_free(clone, merge->existing, merge->existing_room, sizeof(*merge->existing));
    clone_free(clone, clone->nodes, clone->node_room, sizeof(*clone->nodes));
    clone_free(clone, clone->copies, clone->copy_room, sizeof(*clone->copies));
    clone_free(clone, clone->leads, clone->lead_room, sizeof(*clone->leads));
}

/* Adds an entry for a component that both the original and `onto` have: `type` in `from`, `match`
 * in `to`. Fails if the merge rejects such components. */
static sett_status clone_note_existing(setti_clone* clone, setti_clone_node* node, setti_type* type,
                                       setti_type* match)
{
    setti_clone_merge* merge = &clone->merge;
    bool has_value = type->links != NULL || clone_copies_value(clone, type, match);
    if (!has_value || type->ends != NULL) {
        return SETT_OK; /* the merge overwrites nothing */
    }
    if (merge->rejects) {
        return setti_world_fail_with(clone->to, SETT_STATUS_PRESENT,
                                     "%s: entity %u:%u has \"%.100s\" already - set `existing` to "
                                     "SETT_MERGE_KEEP or SETT_MERGE_OVERWRITE",
                                     clone->desc.call, SETTI_HANDLE(node->onto), match->desc.name);
    }
    if (clone_verdict(clone, type) == SETTI_CLONE_RAW && merge->overwrites) {
        return clone_reject_raw(clone, type);
    }
    setti_clone_existing* grown = setti_pool_grow(&clone->to->pool, merge->existing, sizeof(*grown),
                                                  merge->existing_count, 1, &merge->existing_room);
    if (grown == NULL) {
        return clone_no_memory(clone);
    }
    merge->existing = grown;
    setti_clone_existing* existing = &merge->existing[merge->existing_count];
    *existing = (setti_clone_existing){.type = match,
                                       .origin = type->links == NULL ? &type->storage : NULL,
                                       .next = node->existing};
    node->existing = merge->existing_count++;
    if (!merge->overwrites || !setti_change_keeps_link(match)) {
        return SETT_OK;
    }
    const void* value = setti_storage_find(&match->storage, node->onto.index);
    existing->old = setti_change_preserve(clone->to, match, value);
    if (existing->old == NULL) {
        return clone_no_memory(clone);
    }
    return SETT_OK;
}

/* Adds entries for the components that both the original of a node and `onto` have. */
static sett_status clone_note_all_existing(setti_clone* clone, setti_clone_node* node)
{
    uint32_t cursor = 0;
    setti_type* type;
    while ((type = clone_next_type(clone, node, &cursor)) != NULL) {
        setti_type* match = clone_map(clone, type);
        if (match == NULL) {
            return clone->to->error;
        }
        if (setti_storage_has(&match->storage, node->onto.index)) {
            sett_status status = clone_note_existing(clone, node, type, match);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return SETT_OK;
}

/* Prepares the edits of `onto` entities, and notes the components that they have already. */
static sett_status clone_match_existing(setti_clone* clone)
{
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (sett_is_null(node->onto)) {
            continue;
        }
        uint32_t signature = *setti_entity_signature(&clone->to->entities, node->onto);
        node->edit.creates = false;
        node->edit.entities = &node->onto;
        node->edit.from = signature;
        node->edit.to = signature;
        sett_status status = clone_note_all_existing(clone, node);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* The indices of an entity and all ancestors, from the entity up. */
typedef struct clone_path {
    uint32_t* index;
    uint32_t depth; /* number of indices */
    uint32_t capacity;
} clone_path;

/* Fills `path` with the indices of an entity and its ancestors. Returns false if memory runs
 * out. */
static bool clone_fill_path(const setti_clone* clone, sett_entity entity, clone_path* path)
{
    for (uint32_t link = setti_link_to(entity.index); link != SETTI_NO_LINK;
         link = setti_hierarchy_parent(clone->from, setti_link_index(link))) {
        uint32_t* grown = setti_pool_grow(&clone->to->pool, path->index, sizeof(*grown),
                                          path->depth, 1, &path->capacity);
        if (grown == NULL) {
            return false;
        }
        path->index = grown;
        path->index[path->depth] = setti_link_index(link);
        path->depth++;
    }
    return true;
}

/* Returns the entity of `to` that has the path, or null. The last index of `path` is the root. */
static sett_entity clone_follow_path(const setti_clone* clone, const clone_path* path)
{
    sett_entity found = sett_null();
    for (uint32_t k = path->depth; k > 0; k--) {
        sett_entity entity = setti_entity_at(&clone->from->entities, path->index[k - 1]);
        const char* name = sett_name_get(clone->from, entity);
        if (name == NULL) {
            return sett_null();
        }
        found = sett_name_find(clone->to, found, name);
        if (sett_is_null(found)) {
            return sett_null();
        }
    }
    return found;
}

/* Returns the entity of `to` with the path of an entity of `from`, or null. Sets `*status` if
 * memory runs out. */
static sett_entity clone_find_by_path(setti_clone* clone, sett_entity entity, sett_status* status)
{
    clone_path path = {0};
    sett_entity found = sett_null();
    if (clone_fill_path(clone, entity, &path)) {
        found = clone_follow_path(clone, &path);
    } else {
        *status = clone_no_memory(clone);
    }
    setti_pool_free(&clone->to->pool, path.index, path.capacity * sizeof(*path.index), 16);
    return found;
}

/* Adds an `outside` node for an entity that is not copied, if `to` has an entity with its path. */
static sett_status clone_add_outside(setti_clone* clone, sett_entity entity)
{
    sett_status status = SETT_OK;
    bool alive = setti_entity_is_current(&clone->from->entities, entity);
    if (!alive || clone_node_of(clone, entity) != SETTI_NONE) {
        return SETT_OK;
    }
    sett_entity onto = clone_find_by_path(clone, entity, &status);
    if (sett_is_null(onto)) {
        return status;
    }
    setti_clone_node* grown = setti_pool_grow(&clone->to->pool, clone->nodes, sizeof(*grown),
                                              clone->node_count, 1, &clone->node_room);
    if (grown == NULL) {
        return clone_no_memory(clone);
    }
    clone->nodes = grown;
    uint32_t k = clone->node_count++;
    setti_clone_init_node(clone, &clone->nodes[k], entity.index);
    clone->nodes[k].outside = true;
    clone->nodes[k].onto = onto;
    bool added =
        setti_hash_map_set(&clone->to->pool, &clone->by_index, setti_link_to(entity.index), k);
    if (!added) {
        return clone_no_memory(clone);
    }
    return SETT_OK;
}

/* Adds `outside` nodes for the references in a value. */
static sett_status clone_add_referred(setti_clone* clone, const sett_component_desc* desc,
                                      const unsigned char* value)
{
    for (uint32_t n = 0; n < desc->entity_offset_count; n++) {
        sett_entity reference;
        memcpy(&reference, value + desc->entity_offsets[n], sizeof(reference));
        sett_status status = clone_add_outside(clone, reference);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Adds `outside` nodes for the references and link targets in an entity's component. */
static sett_status clone_look_from(setti_clone* clone, uint32_t index, setti_type* type)
{
    const setti_relation* relation = setti_relation_of_links(type);
    if (relation == NULL) {
        return clone_add_referred(clone, &type->desc, setti_storage_find(&type->storage, index));
    }
    sett_entity source = setti_entity_at(&clone->from->entities, index);
    sett_link_cursor cursor = {0};
    sett_status status = SETT_OK;
    while (status == SETT_OK) {
        sett_entity target = sett_target_next(clone->from, source, type->id, &cursor);
        if (sett_is_null(target)) {
            break;
        }
        status = clone_add_outside(clone, target);
        if (status == SETT_OK) {
            status = clone_add_referred(clone, &relation->data_type->desc, cursor.data);
        }
    }
    return status;
}

/* Adds an `outside` node for the parent of the root: the root's copy becomes a child of `onto`. */
static sett_status clone_look_up(setti_clone* clone)
{
    uint32_t parent = setti_hierarchy_parent(clone->from, clone->desc.root.index);
    if (parent == SETTI_NO_LINK) {
        return SETT_OK;
    }
    sett_status status = clone_add_outside(clone, setti_hierarchy_entity(clone->from, parent));
    if (status != SETT_OK) {
        return status;
    }
    uint32_t parent_node = setti_hash_map_find(&clone->by_index, parent);
    if (parent_node != SETTI_NONE) {
        clone->nodes[parent_node].in_tree = true;
    }
    return SETT_OK;
}

/* Adds `outside` nodes for all entities to which copied entities refer. */
static sett_status clone_look_outside(setti_clone* clone)
{
    uint32_t count = clone->node_count; /* the nodes added below are not copied */
    for (uint32_t k = 0; k < count; k++) {
        const setti_clone_node node = clone->nodes[k]; /* a copy, since nodes may move */
        uint32_t cursor = 0;
        setti_type* type;
        while ((type = clone_next_type(clone, &node, &cursor)) != NULL) {
            sett_status status = clone_look_from(clone, node.index, type);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return clone_look_up(clone);
}

/* Makes the nodes and, if the copies are in another world, `outside` nodes. */
static sett_status clone_make_nodes(setti_clone* clone)
{
    if (clone_is_merge(clone)) {
        return SETT_OK; /* the caller of a merge has made the nodes */
    }
    sett_status status = clone_gather(clone);
    if (status == SETT_OK && clone_changes_world(clone)) {
        status = clone_look_outside(clone);
    }
    return status;
}

sett_status setti_clone_plan(setti_clone* clone)
{
    sett_status status = clone_make_nodes(clone);
    if (status == SETT_OK && clone_changes_world(clone)) {
        status = clone_match_existing(clone);
    }
    if (status == SETT_OK) {
        status = clone_check_circles(clone);
    }
    if (status == SETT_OK) {
        status = clone_find_links(clone);
    }
    if (status != SETT_OK) {
        return status;
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        status = clone_plan_node(clone, &clone->nodes[k]);
        if (status != SETT_OK) {
            return status;
        }
    }
    return clone_plan_given(clone, &clone->nodes[0]);
}

/* Sets `copies` of all nodes. If `out` is not NULL, the root's handles are in `out`. */
static sett_status clone_make_room(setti_clone* clone, sett_entity* out)
{
    SETTI_ASSERT(clone->copies == NULL);
    uint32_t allocated_nodes = clone->node_count;
    if (out != NULL) {
        allocated_nodes--; /* `out` gets the root's copies */
    }
    clone->copy_room = (size_t)allocated_nodes * clone->count;
    clone->copies = clone_alloc(clone, clone->copy_room, sizeof(*clone->copies));
    if (clone->copies == NULL) {
        return clone_no_memory(clone);
    }
    sett_entity* next = clone->copies;
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (node->counterpart != SETTI_NONE) {
            node->copies = clone->nodes[node->counterpart].copies;
            continue;
        }
        if (k == 0 && out != NULL) {
            node->copies = out;
        } else {
            node->copies = next;
            next += clone->count;
        }
        node->edit.entities = node->copies;
    }
    for (uint32_t k = 0; k < clone->desc.into_count; k++) {
        clone->nodes[k].copies[0] = clone->desc.into[k];
    }
    if (clone_changes_world(clone)) {
        for (uint32_t k = 0; k < clone->node_count; k++) {
            clone->nodes[k].copies[0] = clone->nodes[k].onto;
        }
    }
    return SETT_OK;
}

/* Plans and reserves all that clone_make needs. */
static sett_status clone_prepare(setti_clone* clone, sett_entity* out)
{
    sett_status status = setti_clone_plan(clone);
    if (status == SETT_OK) {
        status = clone_check_observed(clone);
    }
    if (status == SETT_OK) {
        status = clone_make_room(clone, out);
    }
    if (status == SETT_OK) {
        status = clone_reserve(clone);
    }
    return status;
}

sett_status setti_clone_carry_out(setti_clone* clone, sett_entity* out)
{
    setti_edit_settle(clone->to);
    setti_edit_pin(clone->to);
    sett_status status = clone_prepare(clone, out);
    if (status == SETT_OK) {
        clone_make(clone);
    } else {
        setti_edit_unclaim(clone->to);
    }
    setti_edit_unpin(clone->to);
    return status;
}

bool setti_clone_register(const setti_clone* clone)
{
    const setti_type_list* types = &clone->from->registered;
    if (!clone_changes_world(clone)) {
        return true;
    }
    for (uint32_t k = 0; k < types->count; k++) {
        if (setti_codec_register_library(clone->to, types->item[k]->desc.name) != SETT_OK) {
            return false;
        }
    }
    return true;
}

sett_status setti_clone_run(setti_clone* clone, sett_entity* out)
{
    SETTI_ASSERT(clone->nodes == NULL);
    if (!setti_clone_register(clone)) {
        return clone->to->error;
    }
    setti_names_hold(clone->to);
    sett_status status = setti_clone_carry_out(clone, out);
    setti_names_let_go(clone->to);
    setti_clone_release(clone);
    return status;
}
