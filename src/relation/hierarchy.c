/* hierarchy.c: parents and children, as links in a component.
 *
 * The workload: scene graphs and levels, built and destroyed by the thousand nodes (10 roots x 10 x
 * 20, 500 times), one child among ten million detached, chains a million deep. So siblings form a
 * doubly linked list, and the parent stores the first child and the number of children. Linking
 * searches, moves and allocates nothing. One component of 24 bytes has all links:
 *
 *     parent | first | next | previous | children, policy | depth
 *
 * The first child's `previous` is the last child, so that the parent needs no `last`. With `last`
 * and a word for the list of moved nodes, the component had 32 bytes.
 *
 * Depths are outdated only in moved subtrees. The root of a moved subtree is in the list of moved
 * nodes, and `depth` is the link of the next node in the list. When a depth is read the next time,
 * all listed subtrees are repaired and the list becomes empty.
 *
 * Destroying an entity collects the children, then the children's children (see change_destroy.c),
 * without a stack and without memory at any depth.
 *
 * Invariant:  c.parent == p  <=>  a walk from p.first along `next` visits c, once;
 *             previous is the inverse of next;  p.first.previous is the last child;
 *             p.children / 4 = number of children of p;
 *             c.depth == p.depth + 1 and root.depth == 0, unless c, p or root is in the list;
 *             no node is its own ancestor
 */
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/prefab.h"
#include "world/change.h"
#include "world/command.h"
#include "world/sort.h"

#include <stdio.h>

static_assert(sizeof(sett_hierarchy) == 24, "24 bytes, as the header says");

static const char tree_policy_wrong[] = "`policy` has an unknown value - use "
                                        "SETT_CHILDREN_DEFAULT, _DESTROY, _DETACH or _REJECT";

#define TREE_SEARCH 64 /* steps of a search in the list of moved nodes */
#define TREE_ROOT_DEPTH 0
#define TREE_AT_END 0u /* as `before`: the node becomes the last child */
#define TREE_COW true  /* a snapshot may be held: pages are copied before a write */
#define TREE_NO_COW false

/* Returns the row of a node. Only for storage in arrays. */
SETTI_INLINE sett_hierarchy* tree_row(const setti_storage* storage, uint32_t link)
{
    SETTI_ASSERT(link != 0);
    return setti_storage_row(storage, setti_link_index(link));
}

/* Marks the page of a node as written. Only for storage in arrays. */
SETTI_INLINE void tree_mark(sett_world* world, const setti_storage* storage, uint32_t link,
                            bool cow)
{
    SETTI_ASSERT(cow || world->pool.cow_from == 0);
    uint32_t page = setti_link_index(link) >> storage->shift;
    if (cow) {
        setti_pages_write(&world->pool, &storage->rows, page);
    } else {
        (void)setti_pages_try_mark(&world->pool, &storage->rows, page, SETTI_NO_COW);
    }
}

SETTI_INLINE const sett_hierarchy* tree_read(const setti_hierarchy* tree, uint32_t link)
{
    SETTI_ASSERT(link != 0 && setti_storage_has(&tree->type->storage, setti_link_index(link)));
    const setti_storage* storage = &tree->type->storage;
    if (SETTI_LIKELY(storage->kind == SETTI_ARRAY)) {
        return tree_row(storage, link);
    }
    return setti_storage_find(storage, setti_link_index(link));
}

/* Like tree_read, but marks the node as written (setti_storage_find_mut and tree_mark do). */
SETTI_INLINE sett_hierarchy* tree_write(sett_world* world, const setti_hierarchy* tree,
                                        uint32_t link)
{
    SETTI_ASSERT(link != 0 && setti_storage_has(&tree->type->storage, setti_link_index(link)));
    const setti_storage* storage = &tree->type->storage;
    if (SETTI_UNLIKELY(storage->kind != SETTI_ARRAY)) {
        return setti_storage_find_mut(&world->pool, storage, setti_link_index(link));
    }
    tree_mark(world, storage, link, TREE_COW);
    return tree_row(storage, link);
}

/* Returns the next node in a walk over the subtree of `root`, without descendants of `link`.
 * Returns 0 at the end of the walk. */
static uint32_t tree_next_outside(const setti_hierarchy* tree, uint32_t root, uint32_t link)
{
    while (link != root) {
        const sett_hierarchy* node = tree_read(tree, link);
        if (node->next != 0) {
            return node->next;
        }
        link = node->parent;
    }
    return 0;
}

/* Returns the node after `link` in a walk over the subtree of `root`, with parents first. Returns 0
 * at the end of the walk. */
static uint32_t tree_next(const setti_hierarchy* tree, uint32_t root, uint32_t link)
{
    SETTI_ASSERT(root != 0 && link != 0);
    uint32_t first = tree_read(tree, link)->first;
    if (first != 0) {
        return first;
    }
    return tree_next_outside(tree, root, link);
}

/* Returns the depth of a node's children. */
SETTI_INLINE uint32_t tree_depth_below(const sett_hierarchy* node)
{
    return (node->depth + 1) & ~SETTI_MOVED; /* wrong below a moved node, until the repair */
}

SETTI_INLINE bool tree_is_moved(const sett_hierarchy* node)
{
    return (node->depth & SETTI_MOVED) != 0;
}

static uint32_t tree_right_depth(const setti_hierarchy* tree, const sett_hierarchy* node)
{
    if (node->parent == 0) {
        return TREE_ROOT_DEPTH;
    }
    return tree_depth_below(tree_read(tree, node->parent));
}

/* Removes the first node from the list of moved nodes, and repairs the node's depth. Returns the
 * node's link. */
static uint32_t tree_take_moved(sett_world* world, setti_hierarchy* tree)
{
    uint32_t link = tree->moved;
    sett_hierarchy* node = tree_write(world, tree, link);
    tree->moved = node->depth & ~SETTI_MOVED; /* the link of the next moved node */
    node->depth = tree_right_depth(tree, node);
    return link;
}

/* Repairs the depths of the descendants of `root`, but not those below a moved node. */
static void tree_repair(sett_world* world, const setti_hierarchy* tree, uint32_t root)
{
    SETTI_ASSERT(!tree_is_moved(tree_read(tree, root)));
    uint32_t ancestor_link = tree_read(tree, root)->parent;
    for (uint32_t link = tree_read(tree, root)->first; link != 0;) {
        sett_hierarchy* node = tree_write(world, tree, link);
        if (tree_is_moved(node)) {
            link = tree_next_outside(tree, root, link); /* a later call repairs this subtree */
        } else {
            node->depth = tree_right_depth(tree, node);
            link = tree_next(tree, root, link);
        }
        /* Testing one ancestor after each node ends vain walks early: a node gets O(log n)
         * visits. */
        if (ancestor_link != 0) {
            const sett_hierarchy* ancestor = tree_read(tree, ancestor_link);
            if (tree_is_moved(ancestor)) {
                return; /* a later call repairs the whole subtree of the ancestor */
            }
            ancestor_link = ancestor->parent;
        }
    }
}

static void tree_repair_all(sett_world* world, setti_hierarchy* tree)
{
    while (tree->moved != 0) {
        uint32_t root = tree_take_moved(world, tree);
        tree_repair(world, tree, root);
    }
}

/* Sets the depth of a node without children. If the depth of a node with children changes, adds the
 * node to the list of moved nodes. */
static void tree_set_depth(setti_hierarchy* tree, sett_hierarchy* node, uint32_t link,
                           uint32_t depth)
{
    if (tree_is_moved(node)) {
        return; /* a repair sets the depth */
    }
    if (node->first == 0) {
        node->depth = depth;
    } else if (node->depth != depth) {
        node->depth = tree->moved | SETTI_MOVED; /* the link of the next moved node */
        tree->moved = link;
    }
}

/* Makes a child a root. Does not change `depth`. */
SETTI_INLINE void tree_unlink(sett_world* world, const setti_hierarchy* tree, uint32_t link,
                              sett_hierarchy* node)
{
    SETTI_ASSERT(node->parent != 0);
    sett_hierarchy* parent = tree_write(world, tree, node->parent);
    uint32_t follower = node->next; /* the node that has this node as `previous` */
    if (parent->first == link) {
        parent->first = follower;
    } else {
        tree_write(world, tree, node->previous)->next = follower;
        if (follower == 0) { /* the last child is the `previous` of the first child */
            follower = parent->first;
        }
    }
    if (follower != 0) {
        tree_write(world, tree, follower)->previous = node->previous;
    }
    parent->children -= SETTI_CHILD;
    node->parent = node->next = node->previous = 0;
}

/* Makes a root a child of `parent`, in front of the sibling `before` (a link, or TREE_AT_END). Does
 * not change `depth`. */
static void tree_link(sett_world* world, const setti_hierarchy* tree, uint32_t link,
                      sett_hierarchy* node, uint32_t parent, uint32_t before)
{
    SETTI_ASSERT(node->parent == 0 && parent != 0 && parent != link);
    SETTI_ASSERT(before == TREE_AT_END || tree_read(tree, before)->parent == parent);
    sett_hierarchy* parent_node = tree_write(world, tree, parent);
    uint32_t first = parent_node->first;
    uint32_t follower = before != TREE_AT_END ? before : first; /* gets this node as `previous` */
    node->parent = parent;
    node->next = before;
    node->previous = link;
    if (follower != 0) {
        sett_hierarchy* sibling = tree_write(world, tree, follower);
        node->previous = sibling->previous;
        sibling->previous = link;
    }
    if (before == first) { /* the new first child, or the only child */
        parent_node->first = link;
    } else {
        tree_write(world, tree, node->previous)->next = link;
    }
    parent_node->children += SETTI_CHILD;
}

/* Turns all children of a node into roots. */
static void tree_release_children(sett_world* world, setti_hierarchy* tree, uint32_t link)
{
    SETTI_ASSERT(tree_read(tree, link)->first != 0);
    sett_hierarchy* node = tree_write(world, tree, link);
    uint32_t child = node->first;
    node->first = 0;
    node->children &= SETTI_POLICY; /* the count becomes 0, the policy stays */
    while (child != 0) {
        sett_hierarchy* child_node = tree_write(world, tree, child);
        uint32_t next = child_node->next;
        child_node->parent = child_node->next = child_node->previous = 0;
        tree_set_depth(tree, child_node, child, TREE_ROOT_DEPTH);
        if (setti_names_of(world) != NULL) {
            setti_name_moved(world, setti_link_index(child), link);
        }
        child = next;
    }
}

static sett_children_policy tree_policy(const setti_hierarchy* tree, const sett_hierarchy* node)
{
    sett_children_policy policy_of_node = (sett_children_policy)(node->children & SETTI_POLICY);
    return policy_of_node != SETT_CHILDREN_DEFAULT ? policy_of_node : tree->policy;
}

/* Collects the children of an entity that is being destroyed, to destroy them too. Collects none if
 * the policy detaches them. */
static sett_status tree_collect(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_hierarchy* tree = setti_hierarchy_of(world);
    const sett_hierarchy* node = setti_storage_find(&type->storage, index);
    if (tree_policy(tree, node) == SETT_CHILDREN_DETACH) {
        return SETT_OK;
    }
    for (uint32_t child = node->first; child != 0; child = tree_read(tree, child)->next) {
        setti_change_collect(world, setti_link_index(child));
    }
    return SETT_OK;
}

/* Fails if an entity has children, and the policy rejects the destruction. Not called if the
 * destruction is forced. */
static sett_status tree_reject(sett_world* world, setti_type* type, uint32_t index)
{
    const sett_hierarchy* node = setti_storage_find(&type->storage, index);
    if (node->first != 0 && tree_policy(setti_hierarchy_of(world), node) == SETT_CHILDREN_REJECT) {
        sett_entity entity = setti_entity_at(&world->entities, index);
        return setti_world_fail_with(world, SETT_STATUS_REJECTED,
                                     "%s: entity %u:%u has %u children, and the policy "
                                     "SETT_CHILDREN_REJECT - destroy or detach them first",
                                     setti_change_destroyer(world), SETTI_HANDLE(entity),
                                     (unsigned)(node->children / SETTI_CHILD));
    }
    return SETT_OK;
}

/* Returns the leaf of a subtree that is destroyed first. Children are destroyed before parents. */
SETTI_INLINE uint32_t tree_first_destroyed(const setti_storage* storage, uint32_t link)
{
    SETTI_ASSERT(storage->kind == SETTI_ARRAY);
    for (uint32_t first = tree_row(storage, link)->first; first != 0;) {
        link = first;
        first = tree_row(storage, link)->first;
    }
    return link;
}

static uint32_t tree_signature(const sett_world* world, uint32_t link)
{
    const setti_entity_page* page =
        world->entities.pages.data[setti_link_index(link) >> SETTI_ENTITY_SHIFT];
    return page->signature[setti_link_index(link) & SETTI_ENTITY_MASK];
}

/* Returns true if a subtree is *plain*: all of it can be destroyed, and no callbacks must run. */
static bool tree_is_plain(sett_world* world, setti_type* type, uint32_t root)
{
    const setti_hierarchy* tree = setti_hierarchy_of(world);
    uint32_t plain_signature = 0; /* the last signature found plain; no node has signature 0 */
    for (uint32_t link = root; link != 0;) {
        const sett_hierarchy* node = tree_row(&type->storage, link);
        uint32_t signature = tree_signature(world, link);
        if (signature != plain_signature && !setti_change_is_plain(world, signature, type)) {
            return false;
        }
        plain_signature = signature;
        if (node->first != 0 && tree_policy(tree, node) != SETT_CHILDREN_DESTROY) {
            return false; /* the children survive, or reject the destruction */
        }
        if (node->first != 0) {
            link = node->first;
        } else if (link != root && node->next != 0) {
            link = node->next; /* as tree_next_outside does, but faster */
        } else {
            link = tree_next_outside(tree, root, link);
        }
    }
    return true;
}

/* Detaches a plain subtree. Returns the index of the entity to destroy first. Returns SETTI_NONE if
 * the subtree is not plain. */
static uint32_t tree_begin(sett_world* world, setti_type* type, uint32_t index)
{
    setti_hierarchy* tree = setti_hierarchy_of(world);
    if (type->storage.kind != SETTI_ARRAY || !tree_is_plain(world, type, setti_link_to(index))) {
        return SETTI_NONE;
    }
    /* Destroyed nodes must leave the list of moved nodes. If this returned SETTI_NONE instead, the
     * order of destruction would depend on earlier moves. */
    if (SETTI_UNLIKELY(tree->moved != 0)) {
        tree_repair_all(world, tree);
    }
    sett_hierarchy* node = tree_write(world, tree, setti_link_to(index));
    if (node->parent != 0) {
        tree_unlink(world, tree, setti_link_to(index), node);
    }
    return setti_link_index(tree_first_destroyed(&type->storage, setti_link_to(index)));
}

/* Returns the entity of a plain subtree to destroy after the entity `index`. */
static uint32_t tree_after(sett_world* world, setti_type* type, uint32_t index)
{
    const sett_hierarchy* node = tree_row(&type->storage, setti_link_to(index));
    SETTI_ASSERT(!tree_is_moved(node));
    (void)world;
    if (node->next != 0) {
        return setti_link_index(tree_first_destroyed(&type->storage, node->next));
    }
    return setti_link_index(node->parent); /* SETTI_NONE after the root */
}

/* Removes a node from the list of moved nodes, and repairs the node's depth. */
static void tree_leave_list(sett_world* world, setti_hierarchy* tree, sett_hierarchy* node,
                            uint32_t link)
{
    SETTI_ASSERT(tree->moved != 0 && tree_is_moved(node));
    if (tree->moved == link) {
        (void)tree_take_moved(world, tree);
        return;
    }
    uint32_t listed = tree->moved;
    for (uint32_t steps = 0; steps < TREE_SEARCH; steps++) {
        uint32_t next_listed = tree_read(tree, listed)->depth & ~SETTI_MOVED;
        if (next_listed == link) {
            tree_write(world, tree, listed)->depth = node->depth; /* the list skips `link` */
            node->depth = tree_right_depth(tree, node);
            return;
        }
        listed = next_listed;
    }
    tree_repair_all(world, tree); /* a longer search costs more than emptying the list */
}

/* Takes an entity that loses the component out of the hierarchy. */
static void tree_end_links(sett_world* world, setti_type* type, uint32_t index)
{
    SETTI_ASSERT(setti_storage_has(&type->storage, index));
    setti_hierarchy* tree = setti_hierarchy_of(world);
    sett_hierarchy* node = setti_storage_find_mut(&world->pool, &type->storage, index);
    if (setti_names_of(world) != NULL && world->removing_all) {
        setti_name_end(world, index); /* before children with the same name become siblings */
    }
    if (SETTI_UNLIKELY(tree_is_moved(node))) { /* before the children join the list */
        tree_leave_list(world, tree, node, setti_link_to(index));
    }
    if (SETTI_UNLIKELY(node->first != 0)) {
        tree_release_children(world, tree, setti_link_to(index));
    }
    uint32_t parent = node->parent;
    if (parent != 0) {
        tree_unlink(world, tree, setti_link_to(index), node);
        if (setti_names_of(world) != NULL) {
            setti_name_moved(world, index, parent);
        }
    }
}

static const char* tree_validate(sett_world* world, setti_type* type);

static sett_status tree_join_world(sett_world* to_world, const sett_world* from_world,
                                   const setti_type* type)
{
    sett_hierarchy_desc desc = {setti_hierarchy_of(from_world)->policy};
    (void)type;
    if (sett_hierarchy_register(to_world, &desc) == 0) {
        return to_world->error;
    }
    return SETT_OK;
}

/* Returns the default policy as a number from 0 on, for setti_module.choice. */
static uint32_t tree_default_policy(const setti_type* type)
{
    return (uint32_t)setti_hierarchy_of(type->world)->policy - SETT_CHILDREN_DESTROY;
}

/* Sets the default policy. `choice` is a number that tree_default_policy has returned: the policy,
 * counted from SETT_CHILDREN_DESTROY, which is 0. */
static void tree_choose(setti_type* type, uint32_t choice)
{
    SETTI_ASSERT(choice <= SETT_CHILDREN_REJECT - SETT_CHILDREN_DESTROY);
    setti_hierarchy_of(type->world)->policy =
        (sett_children_policy)(choice + SETT_CHILDREN_DESTROY);
    if (choice != 0) {
        type->flags |= SETTI_TYPE_CHOSEN;
    }
}

SETTI_COLD static void tree_describe(sett_world* world, const setti_type* type, sett_entity entity,
                                     setti_writer* out)
{
    sett_entity parent = sett_hierarchy_parent(world, entity);
    if (sett_is_null(parent)) {
        setti_writer_add(out, "a root");
    } else {
        setti_writer_add(out, "child of %u:%u", SETTI_HANDLE(parent));
    }
    static const char* const policies[] = {"", ", which it destroys", ", which it detaches",
                                           ", which reject its end"};
    const sett_hierarchy* node = setti_storage_find(&type->storage, entity.index);
    setti_writer_add(out, ", %u children%s", (unsigned)(node->children / SETTI_CHILD),
                     policies[node->children & SETTI_POLICY]);
}

/* Finds a link in which `node` and `other` differ. Writes the neighbour to which this link of
 * `node` leads to `out`. Returns the text to write in front of `out`. */
static const char* tree_neighbour(const sett_world* world, const sett_hierarchy* node,
                                  const sett_hierarchy* other, char* out, size_t size)
{
    const char* text = "the sibling before is "; /* if neither of the other two differs */
    uint32_t link = node->previous;
    if (node->first != other->first) {
        text = "the first child is ";
        link = node->first;
    } else if (node->next != other->next) {
        text = "the next sibling is ";
        link = node->next;
    }
    if (link != SETTI_NO_LINK) {
        sett_entity neighbour = setti_hierarchy_entity(world, link);
        (void)snprintf(out, size, "%u:%u", SETTI_HANDLE(neighbour));
    } else {
        (void)snprintf(out, size, "none");
    }
    return text;
}

SETTI_COLD static int tree_difference(sett_entity entity, const setti_type* a, const setti_type* b,
                                      setti_value_difference compare_values, char* out, size_t size)
{
    const sett_hierarchy* node_a = setti_storage_find(&a->storage, entity.index);
    const sett_hierarchy* node_b = setti_storage_find(&b->storage, entity.index);
    char text[2][96];
    const char* subject = "";
    if (compare_values(a, node_a, b, node_b, NULL, 0) == 0) {
        return 0;
    }
    setti_writer writer_a = setti_writer_begin(text[0], sizeof(text[0]));
    setti_writer writer_b = setti_writer_begin(text[1], sizeof(text[1]));
    tree_describe(a->world, a, entity, &writer_a);
    tree_describe(b->world, b, entity, &writer_b);
    if (strcmp(text[0], text[1]) == 0) {
        subject = tree_neighbour(a->world, node_a, node_b, text[0], sizeof(text[0]));
        (void)tree_neighbour(b->world, node_b, node_a, text[1], sizeof(text[1]));
    }
    return snprintf(out, size,
                    "entity %u:%u: \"%.100s\" differs: %s%s in the first world, %s in the second",
                    SETTI_HANDLE(entity), a->desc.name, subject, text[0], text[1]);
}

SETTI_COLD static setti_hierarchy* tree_register(sett_world* world)
{
    SETTI_ASSERT(setti_hierarchy_of(world) == NULL);
    static const setti_cascade cascade = {.collect = tree_collect,
                                          .validate = tree_reject,
                                          .unlink = tree_end_links,
                                          .begin = tree_begin,
                                          .next = tree_after};
    sett_component_desc desc = {.name = "Hierarchy",
                                .type_name = "sett_hierarchy",
                                .size = sizeof(sett_hierarchy),
                                .align = 8,
                                .id = SETT_ID_HIERARCHY};
    desc.members = SETT_STRUCT(sett_hierarchy, parent, first, next, previous, children,
                               (depth, .local = true)); /* not compared: reading repairs depths */
    setti_hierarchy* tree = setti_world_alloc(world, sizeof(*tree), 16, "sett_hierarchy_register");
    if (tree == NULL) {
        return NULL;
    }
    sett_component id = sett_component_register(world, &desc);
    if (id == 0) {
        setti_pool_free(&world->pool, tree, sizeof(*tree), 16);
        return NULL;
    }
    static const setti_module module = {.validate = tree_validate,
                                        .join = tree_join_world,
                                        .choice = tree_default_policy,
                                        .choose = tree_choose,
                                        .choices = SETT_CHILDREN_REJECT - SETT_CHILDREN_DESTROY + 1,
                                        .difference = tree_difference,
                                        .describe = tree_describe};
    world->upward_calls = &setti_hierarchy_observers;
    tree->type = setti_world_type(world, id);
    tree->type->module = &module;
    setti_component_set_cascade(world, tree->type, &cascade);
    setti_component_guard(tree->type,
                          "sett_hierarchy_attach, sett_hierarchy_detach (or sett_cmd_attach, "
                          "sett_cmd_detach) or sett_hierarchy_set_policy");
    setti_world_add_root(world, &tree->root, &tree->moved, sizeof(tree->moved), NULL, NULL);
    tree->root.name = tree->type->desc.name;
    world->module[SETTI_SLOT_HIERARCHY] = tree;
    return tree;
}

SETTI_COLD sett_component sett_hierarchy_register_sized(sett_world* world,
                                                        const sett_hierarchy_desc* desc,
                                                        size_t size)
{
    static const sett_hierarchy_desc defaults = {SETT_CHILDREN_DEFAULT};
    static const char call[] = "sett_hierarchy_register";
    sett_hierarchy_desc full;
    bool has_desc = desc != NULL;
    if (!has_desc) {
        desc = &defaults;
        size = sizeof(defaults);
    }
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), call);
    if (desc == NULL || setti_world_check_serial(world, call) != SETT_OK) {
        return 0;
    }
    if ((unsigned)desc->policy > SETT_CHILDREN_REJECT) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: %s", call, tree_policy_wrong);
        return 0;
    }
    if (world->entities.limit >= SETTI_MOVED) { /* a link must leave the top bit free */
        setti_world_fail_with(world, SETT_STATUS_LIMIT, "%s: %s", call,
                              "the world's entity_limit is 2^31 or more - create the world with a "
                              "lower one");
        return 0;
    }
    setti_hierarchy* tree = setti_hierarchy_of(world);
    bool is_new = tree == NULL;
    if (is_new) {
        tree = tree_register(world);
    }
    if (tree == NULL) {
        return 0;
    }
    if (has_desc || is_new) { /* otherwise the policy stays as it is */
        uint32_t choice = 0;
        if (desc->policy != SETT_CHILDREN_DEFAULT) {
            choice = (uint32_t)desc->policy - SETT_CHILDREN_DESTROY;
        }
        tree_choose(tree->type, choice);
    }
    return tree->type->id;
}

sett_component setti_hierarchy_register(sett_world* world)
{
    if (setti_hierarchy_of(world) != NULL) {
        return setti_hierarchy_of(world)->type->id;
    }
    return sett_hierarchy_register(world, NULL);
}

/* Registers the hierarchy's component at the first use. Returns false on failure. */
static bool tree_ensure_registered(sett_world* world, const char* call)
{
    if (setti_hierarchy_of(world) != NULL) {
        return true;
    }
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return false;
    }
    return sett_hierarchy_register(world, NULL) != 0;
}

bool setti_hierarchy_check(sett_world* world, sett_entity entity, const char* call)
{
    if (setti_is_null(world, call, "world")) {
        return false;
    }
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(signature == NULL)) {
        setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
        return false;
    }
    /* If nothing is locked, no entity is being destroyed and no system runs. *signature is not read
     * then: this saves one of six cache misses when a child of ten million is detached. */
    if (SETTI_LIKELY(world->locks == 0)) {
        return true;
    }
    if ((*signature & SETTI_DYING) != 0) {
        setti_world_fail_with(world, SETT_STATUS_LOCKED,
                              "%s: entity %u:%u is being destroyed - skip it", call,
                              SETTI_HANDLE(entity));
        return false;
    }
    return setti_world_check_serial(world, call) == SETT_OK;
}

/* Fast path of setti_hierarchy_check. */
SETTI_INLINE bool tree_check(sett_world* world, sett_entity entity, const char* call)
{
    bool may_change = world != NULL && world->locks == 0 &&
                      setti_entity_signature(&world->entities, entity) != NULL;
    return SETTI_LIKELY(may_change) || setti_hierarchy_check(world, entity, call);
}

/* Returns true if `ancestor` is `link`, or an ancestor of `link`. Climbs from `link` and descends
 * from `ancestor` in turn, so that the shorter walk decides. */
static bool tree_is_above(const sett_world* world, const setti_hierarchy* tree, uint32_t ancestor,
                          uint32_t link)
{
    uint32_t climbing = link;
    uint32_t descending = ancestor;
    while (climbing != 0 && descending != 0) {
        if (climbing == ancestor || descending == link) {
            return true;
        }
        climbing = setti_hierarchy_parent(world, setti_link_index(climbing));
        descending = tree_next(tree, ancestor, descending);
    }
    return false;
}

static sett_status tree_check_cycle(sett_world* world, const setti_hierarchy* tree,
                                    sett_entity entity, sett_entity parent, const char* call)
{
    if (parent.index == entity.index) {
        return setti_world_fail_with(world, SETT_STATUS_CYCLE,
                                     "%s: entity %u:%u cannot be its own parent - choose another "
                                     "parent",
                                     call, SETTI_HANDLE(entity));
    }
    if (!tree_is_above(world, tree, setti_link_to(entity.index), setti_link_to(parent.index))) {
        return SETT_OK;
    }
    return setti_world_fail_with(world, SETT_STATUS_CYCLE,
                                 "%s: entity %u:%u cannot be a child of its descendant %u:%u - "
                                 "first detach the descendant",
                                 call, SETTI_HANDLE(entity), SETTI_HANDLE(parent));
}

/* Fails if attaching forms a cycle, a sibling has the name, or `parent` has too many children. */
static sett_status tree_check_place(sett_world* world, const setti_hierarchy* tree,
                                    sett_entity entity, sett_entity parent, const char* call)
{
    const setti_storage* storage = &tree->type->storage;
    const sett_hierarchy* node = setti_storage_find(storage, entity.index);
    bool has_children = node != NULL && node->first != 0;
    if (has_children || entity.index == parent.index) {
        sett_status status = tree_check_cycle(world, tree, entity, parent, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    uint32_t parent_link = setti_link_to(parent.index);
    bool is_child = node != NULL && node->parent == parent_link;
    if (setti_names_of(world) != NULL && !is_child &&
        !setti_name_may_move(world, entity.index, parent_link, call)) {
        return world->error;
    }
    const sett_hierarchy* parent_node = setti_storage_find(storage, parent.index);
    if (parent_node != NULL && parent_node->children >= SETTI_CHILDREN_LIMIT) {
        return setti_world_fail(world, SETT_STATUS_LIMIT, call, parent, tree->type->id);
    }
    return SETT_OK;
}

/* Makes an entity a prefab if the new parent is a prefab. */
static sett_status tree_join_prefab(sett_world* world, sett_entity entity, sett_entity parent,
                                    const char* call)
{
    const setti_type* tag = world->hidden[SETTI_HIDDEN_PREFAB];
    bool parent_is_prefab = tag != NULL && setti_storage_has(&tag->storage, parent.index);
    if (!parent_is_prefab || world->receiving) {
        return SETT_OK; /* a received delta brings the tag */
    }
    if (!tree_check(world, entity, call) || !tree_check(world, parent, call) ||
        !tree_ensure_registered(world, call)) {
        return world->error;
    }
    sett_status status = tree_check_place(world, setti_hierarchy_of(world), entity, parent, call);
    if (status == SETT_OK && setti_prefabs_of(world) != NULL) {
        status = setti_prefabs_of(world)->make(world, entity);
    }
    return status;
}

/* Returns true if a move from `old_parent` to `new_parent` must notify observers that look up the
 * hierarchy. */
static bool tree_is_observed(const sett_world* world, const setti_hierarchy* tree,
                             uint32_t old_parent, uint32_t new_parent)
{
    return SETTI_UNLIKELY(world->upward_observers != 0) && old_parent != new_parent &&
           !tree->copies;
}

/* Fails inside of a callback: callbacks must not move entities that observers follow. */
static sett_status tree_check_observed(sett_world* world, const char* call)
{
    if (world->calling == NULL) {
        return SETT_OK;
    }
    return setti_world_check_unlocked(world, call);
}

static sett_status tree_place(sett_world* world, setti_hierarchy* tree, sett_entity entity,
                              sett_entity parent, uint32_t before, const char* call);

/* Adds the hierarchy's component to the parent and to the entity, if they lack it. Then calls
 * tree_place again. */
static sett_status tree_place_new(sett_world* world, setti_hierarchy* tree, sett_entity entity,
                                  sett_entity parent, uint32_t before, const char* call)
{
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return world->error;
    }
    if (!setti_change_add_two(world, tree->type, parent, tree->type, entity, NULL)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, tree->type->id);
    }
    bool has_sibling =
        before != TREE_AT_END && tree_read(tree, before)->parent == setti_link_to(parent.index);
    if (!has_sibling) {
        before = TREE_AT_END; /* a callback has moved the sibling to another parent */
    }
    return tree_place(world, tree, entity, parent, before, call);
}

/* Makes a node a child of `parent` (a link), in front of the sibling `before`. Checks nothing. */
static void tree_move(sett_world* world, setti_hierarchy* tree, uint32_t index, uint32_t parent,
                      uint32_t before)
{
    uint32_t link = setti_link_to(index);
    sett_hierarchy* node = tree_write(world, tree, link);
    uint32_t old_parent = node->parent;
    if (old_parent != SETTI_NO_LINK) {
        tree_unlink(world, tree, link, node);
    }
    tree_link(world, tree, link, node, parent, before);
    tree_set_depth(tree, node, link, tree_right_depth(tree, node));
    if (old_parent != parent && setti_names_of(world) != NULL) {
        setti_name_moved(world, index, old_parent);
    }
}

/* Makes an entity a child of `parent`, in front of the sibling `before`, or fails. */
static sett_status tree_place(sett_world* world, setti_hierarchy* tree, sett_entity entity,
                              sett_entity parent, uint32_t before, const char* call)
{
    const setti_storage* storage = &tree->type->storage;
    if (tree_check_place(world, tree, entity, parent, call) != SETT_OK) {
        return world->error;
    }
    const sett_hierarchy* node = setti_storage_find(storage, entity.index);
    if (node == NULL || !setti_storage_has(storage, parent.index)) {
        return tree_place_new(world, tree, entity, parent, before, call);
    }
    uint32_t old_parent = node->parent;
    uint32_t new_parent = setti_link_to(parent.index);
    if (!setti_edit_reserve_collect(world, tree->type, 0)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, tree->type->id);
    }
    if (!tree_is_observed(world, tree, old_parent, new_parent)) {
        tree_move(world, tree, entity.index, new_parent, before);
        return SETT_OK;
    }
    if (tree_check_observed(world, call) != SETT_OK) {
        return world->error;
    }
    setti_hierarchy_notify_moving(world, entity.index, new_parent);
    tree_move(world, tree, entity.index, new_parent, before);
    setti_hierarchy_notify_moved(world, entity.index, old_parent);
    return SETT_OK;
}

static const char tree_attach_call[] = "sett_hierarchy_attach";

/* Fast path of setti_hierarchy_attach. Returns false if the slow path is needed. */
SETTI_INLINE bool tree_try_attach(sett_world* world, setti_hierarchy* tree, sett_entity entity,
                                  sett_entity parent, bool cow)
{
    const setti_storage* storage = &tree->type->storage;
    bool has_name = setti_names_of(world) != NULL && setti_name_key(world, entity.index) != 0;
    if (storage->kind != SETTI_ARRAY || has_name) {
        return false;
    }
    if (!setti_bitmap_has(storage, parent.index) ||
        !setti_entity_is_current(&world->entities, parent)) {
        return false;
    }
    sett_hierarchy* parent_node = tree_row(storage, setti_link_to(parent.index));
    if (parent_node->children >= SETTI_CHILDREN_LIMIT) {
        return false;
    }
    sett_hierarchy* node = setti_change_try_add(world, tree->type->id, entity);
    if (node == NULL) { /* for example, a callback must run */
        return false;
    }
    uint32_t link = setti_link_to(entity.index);
    tree_mark(world, storage, setti_link_to(parent.index), cow);
    uint32_t first = parent_node->first;
    node->parent = setti_link_to(parent.index);
    node->first = node->next = node->children = 0;
    node->previous = link;
    node->depth = tree_depth_below(parent_node);
    parent_node->children += SETTI_CHILD;
    if (first == 0) {
        parent_node->first = link;
        return true;
    }
    sett_hierarchy* sibling = tree_row(storage, first);
    uint32_t last = sibling->previous;
    tree_mark(world, storage, first, cow);
    tree_mark(world, storage, last, cow);
    node->previous = last;
    tree_row(storage, last)->next = link;
    sibling->previous = link;
    return true;
}

/* Slow path of sett_hierarchy_attach, in a world with prefabs. */
SETTI_APART static sett_status tree_join_and_attach(sett_world* world, sett_entity entity,
                                                    sett_entity parent)
{
    if (tree_join_prefab(world, entity, parent, tree_attach_call) != SETT_OK) {
        return world->error;
    }
    return setti_hierarchy_attach(world, entity, parent);
}

sett_status sett_hierarchy_attach(sett_world* world, sett_entity entity, sett_entity parent)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (SETTI_LIKELY(world->hidden[SETTI_HIDDEN_PREFAB] == NULL)) {
        return setti_hierarchy_attach(world, entity, parent);
    }
    return tree_join_and_attach(world, entity, parent);
}

sett_status setti_hierarchy_attach(sett_world* world, sett_entity entity, sett_entity parent)
{
    const char* const call = tree_attach_call;
    setti_hierarchy* tree = setti_hierarchy_of(world);
    if (SETTI_LIKELY(tree != NULL && world->pool.cow_from == 0)) {
        if (SETTI_LIKELY(tree_try_attach(world, tree, entity, parent, TREE_NO_COW))) {
            return SETT_OK;
        }
    } else if (tree != NULL && tree_try_attach(world, tree, entity, parent, TREE_COW)) {
        return SETT_OK;
    }
    if (SETTI_UNLIKELY(!setti_hierarchy_check(world, entity, call) ||
                       !setti_hierarchy_check(world, parent, call) ||
                       !tree_ensure_registered(world, call))) {
        return world->error;
    }
    return tree_place(world, setti_hierarchy_of(world), entity, parent, TREE_AT_END, call);
}

void setti_hierarchy_append(sett_world* world, uint32_t index, uint32_t parent)
{
    const setti_hierarchy* tree = setti_hierarchy_of(world);
    sett_hierarchy* node = tree_write(world, tree, setti_link_to(index));
    SETTI_ASSERT(node->parent == 0 &&
                 tree_read(tree, setti_link_to(parent))->children < SETTI_CHILDREN_LIMIT);
    tree_link(world, tree, setti_link_to(index), node, setti_link_to(parent), TREE_AT_END);
    node->depth = tree_depth_below(tree_read(tree, setti_link_to(parent)));
}

typedef enum tree_side {
    TREE_IN_FRONT,
    TREE_BEHIND
} tree_side;

/* Makes `entity` a child of the sibling's parent, in front of or behind the sibling. */
static sett_status tree_insert(sett_world* world, sett_entity entity, sett_entity sibling,
                               tree_side side, const char* call)
{
    if (!setti_hierarchy_check(world, entity, call) ||
        !setti_hierarchy_check(world, sibling, call)) {
        return setti_world_failure(world);
    }
    if (sibling.index == entity.index) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: entity %u:%u cannot be its own sibling - name another "
                                     "sibling",
                                     call, SETTI_HANDLE(sibling));
    }
    const sett_hierarchy* sibling_node = setti_hierarchy_find(world, sibling.index);
    if (sibling_node == NULL || sibling_node->parent == SETTI_NO_LINK) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: entity %u:%u has no parent, so it has no siblings - "
                                     "attach it first",
                                     call, SETTI_HANDLE(sibling));
    }
    sett_entity parent = setti_hierarchy_entity(world, sibling_node->parent);
    uint32_t before = setti_link_to(sibling.index);
    if (side == TREE_BEHIND) {
        before = sibling_node->next;
    }
    if (before == setti_link_to(entity.index)) { /* already in place */
        return SETT_OK;
    }
    if (!setti_hierarchy_check(world, parent, call) ||
        tree_join_prefab(world, entity, parent, call) != SETT_OK) {
        return world->error;
    }
    return tree_place(world, setti_hierarchy_of(world), entity, parent, before, call);
}

sett_status sett_hierarchy_insert_before(sett_world* world, sett_entity entity, sett_entity sibling)
{
    return tree_insert(world, entity, sibling, TREE_IN_FRONT, "sett_hierarchy_insert_before");
}

sett_status sett_hierarchy_insert_after(sett_world* world, sett_entity entity, sett_entity sibling)
{
    return tree_insert(world, entity, sibling, TREE_BEHIND, "sett_hierarchy_insert_after");
}

sett_status sett_hierarchy_order(sett_world* world, sett_entity parent, const sett_entity* children,
                                 uint32_t count)
{
    if (!setti_hierarchy_check(world, parent, __func__) ||
        setti_world_lacks_list(world, children, count, __func__, "children")) {
        return setti_world_failure(world);
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!setti_hierarchy_check(world, children[k], __func__)) {
            return world->error;
        }
        if (setti_hierarchy_parent(world, children[k].index) != setti_link_to(parent.index)) {
            return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                         "%s: entity %u:%u is not a child of entity %u:%u - list "
                                         "only children of this parent",
                                         __func__, SETTI_HANDLE(children[k]), SETTI_HANDLE(parent));
        }
    }
    /* From the last entity to the first: each becomes the first child. */
    for (uint32_t k = count; k-- > 0;) {
        const setti_hierarchy* tree = setti_hierarchy_of(world);
        uint32_t link = setti_link_to(children[k].index);
        uint32_t first = tree_read(tree, setti_link_to(parent.index))->first;
        if (first != link) {
            sett_hierarchy* node = tree_write(world, tree, link);
            tree_unlink(world, tree, link, node);
            tree_link(world, tree, link, node, setti_link_to(parent.index), first);
        }
    }
    return SETT_OK;
}

/* Makes a child of `parent` (a link) a root. */
SETTI_INLINE void tree_detach(sett_world* world, setti_hierarchy* tree, uint32_t index,
                              uint32_t parent)
{
    SETTI_ASSERT(parent != 0 && tree_read(tree, setti_link_to(index))->parent == parent);
    sett_hierarchy* node = tree_write(world, tree, setti_link_to(index));
    tree_unlink(world, tree, setti_link_to(index), node);
    tree_set_depth(tree, node, setti_link_to(index), TREE_ROOT_DEPTH);
    if (setti_names_of(world) != NULL) {
        setti_name_moved(world, index, parent);
    }
}

static SETTI_COLD void tree_detach_observed(sett_world* world, setti_hierarchy* tree,
                                            uint32_t index, uint32_t parent)
{
    setti_hierarchy_notify_moving(world, index, SETTI_NO_LINK);
    tree_detach(world, tree, index, parent);
    setti_hierarchy_notify_moved(world, index, parent);
}

void setti_hierarchy_release(sett_world* world, uint32_t index)
{
    setti_hierarchy* tree = setti_hierarchy_of(world);
    SETTI_ASSERT(world->upward_observers != 0);
    uint32_t child;
    while ((child = tree_read(tree, setti_link_to(index))->first) != 0) {
        if (tree->copies) {
            tree_detach(world, tree, setti_link_index(child), setti_link_to(index));
        } else {
            tree_detach_observed(world, tree, setti_link_index(child), setti_link_to(index));
        }
    }
    /* on_enter needs the parent, but runs only after the entity has lost the node. */
    tree->released = tree_read(tree, setti_link_to(index))->parent;
}

sett_status sett_hierarchy_detach(sett_world* world, sett_entity entity)
{
    if (!tree_check(world, entity, __func__)) {
        return setti_world_failure(world);
    }
    uint32_t parent = setti_hierarchy_parent(world, entity.index);
    if (parent == 0) {
        return SETT_OK;
    }
    if (setti_names_of(world) != NULL &&
        !setti_name_may_move(world, entity.index, SETTI_NO_LINK, __func__)) {
        return world->error;
    }
    setti_hierarchy* tree = setti_hierarchy_of(world);
    if (tree_is_observed(world, tree, parent, SETTI_NO_LINK)) {
        if (tree_check_observed(world, __func__) != SETT_OK) {
            return world->error;
        }
        tree_detach_observed(world, tree, entity.index, parent);
    } else {
        tree_detach(world, tree, entity.index, parent);
    }
    return SETT_OK;
}

sett_status sett_hierarchy_set_policy(sett_world* world, sett_entity entity,
                                      sett_children_policy policy)
{
    if (!setti_hierarchy_check(world, entity, __func__)) {
        return setti_world_failure(world);
    }
    if ((unsigned)policy > SETT_CHILDREN_REJECT) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: %s", __func__,
                                     tree_policy_wrong);
    }
    if (!tree_ensure_registered(world, __func__)) {
        return world->error;
    }
    const setti_type* type = setti_hierarchy_of(world)->type;
    if (!setti_storage_has(&type->storage, entity.index) &&
        setti_world_check_unlocked(world, __func__) != SETT_OK) {
        return setti_world_failure(world); /* the component cannot be added in a locked world */
    }
    sett_hierarchy* node = sett_ensure(world, entity, type->id);
    if (node == NULL) {
        return world->error;
    }
    node->children = (node->children & ~SETTI_POLICY) | (uint32_t)policy;
    return SETT_OK;
}

/* Returns the child of `parent` to destroy next: the first, or the next sibling of `survivor`. */
static sett_entity tree_child_to_destroy(sett_world* world, sett_entity parent,
                                         sett_entity survivor)
{
    if (sett_entity_valid(world, survivor)) {
        return sett_hierarchy_next(world, survivor);
    }
    return sett_hierarchy_first(world, parent);
}

sett_status sett_hierarchy_destroy_children(sett_world* world, sett_entity parent)
{
    if (!setti_hierarchy_check(world, parent, __func__) ||
        setti_world_check_unlocked(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    sett_status status = SETT_OK;
    sett_entity survivor = sett_null(); /* the last child that could not be destroyed */
    world->destroyer = __func__;
    sett_entity child = sett_hierarchy_first(world, parent);
    while (!sett_is_null(child)) {
        if (sett_entity_destroy(world, child) != SETT_OK) {
            status = world->error;
            survivor = child;
        }
        child = tree_child_to_destroy(world, parent, survivor);
    }
    world->destroyer = NULL;
    return status;
}

/* Checks the scope. Adds the types that new children of the scope need. */
static sett_status scope_include(sett_world* world, setti_edit* edit, const char* call)
{
    SETTI_ASSERT(edit->creates && !sett_is_null(world->scope));
    setti_type* tag = world->hidden[SETTI_HIDDEN_PREFAB];
    sett_entity scope = world->scope;
    const sett_hierarchy* scope_node = setti_hierarchy_find(world, scope.index);
    if (!sett_entity_valid(world, scope)) {
        return setti_world_fail_with(world, SETT_STATUS_STALE,
                                     "%s: entity %u:%u, the scope of new entities, is not alive "
                                     "- set another scope with sett_hierarchy_set_scope",
                                     call, SETTI_HANDLE(scope));
    }
    setti_type* type = setti_hierarchy_of(world)->type;
    if (scope_node == NULL) {
        return setti_world_fail(world, SETT_STATUS_ABSENT, call, scope, type->id);
    }
    if (edit->count > (SETTI_CHILDREN_LIMIT - scope_node->children) / SETTI_CHILD) {
        return setti_world_fail(world, SETT_STATUS_LIMIT, call, scope, type->id);
    }
    if (setti_edit_include(world, edit, type) == NULL) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, scope, 0);
    }
    bool in_prefab = tag != NULL && setti_storage_has(&tag->storage, scope.index);
    if (in_prefab && setti_edit_include(world, edit, tag) == NULL) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, scope, 0);
    }
    return SETT_OK;
}

static void scope_attach(sett_world* world, const setti_edit* edit)
{
    for (uint32_t k = 0; k < edit->count; k++) {
        setti_hierarchy_append(world, edit->entities[k].index, world->scope.index);
    }
}

/* Checks an entity that becomes the scope. Adds the hierarchy's component if the entity lacks the
 * component. */
static bool scope_prepare(sett_world* world, sett_entity scope, const char* call)
{
    if (!setti_hierarchy_check(world, scope, call) || !tree_ensure_registered(world, call)) {
        return false;
    }
    if (setti_hierarchy_find(world, scope.index) != NULL) {
        return true;
    }
    const void* node =
        setti_change_add_fast(world, setti_hierarchy_of(world)->type, scope, call, SETTI_NO_VALUE);
    return node != NULL;
}

sett_entity sett_hierarchy_set_scope(sett_world* world, sett_entity parent)
{
    static const setti_scope_calls calls = {scope_include, scope_attach};
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    sett_entity previous = world->scope;
    bool has_scope = !sett_is_null(parent);
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return previous;
    }
    if (has_scope && !scope_prepare(world, parent, __func__)) {
        return previous;
    }
    world->scope = parent;
    world->scope_calls = has_scope ? &calls : NULL;
    /* A scope counts as an observer, so that no fast path creates entities. */
    if (!sett_is_null(previous)) {
        world->all_observers--;
    }
    if (has_scope) {
        world->all_observers++;
    }
    return previous;
}

typedef struct tree_call {
    setti_command_call call; /* first member */
    sett_entity parent;
} tree_call;

static sett_status tree_apply_attach(sett_world* world, sett_entity entity, const void* given)
{
    const tree_call* call = given;
    if (!sett_entity_valid(world, call->parent)) {
        return SETT_OK; /* the parent has been destroyed */
    }
    return sett_hierarchy_attach(world, entity, call->parent);
}

static void tree_print_attach(const sett_world* world, const void* given, char* out, size_t size)
{
    const tree_call* call = given;
    (void)world;
    snprintf(out, size, " to entity %u:%u", SETTI_HANDLE(call->parent));
}

sett_status sett_cmd_attach(sett_commands* commands, sett_entity entity, sett_entity parent)
{
    static const setti_command_kind kind = {"attach", tree_apply_attach, tree_print_attach};
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_commands_check_handle(commands, entity, 0, __func__);
    setti_commands_check_handle(commands, parent, 0, __func__);
    sett_status status;
    tree_call* call = setti_commands_call(commands, entity, &kind, sizeof(*call), &status);
    if (call != NULL) {
        call->parent = parent;
    }
    return status;
}

static sett_status tree_record(sett_commands* commands, sett_entity entity,
                               const setti_command_kind* kind, const char* call)
{
    if (setti_is_null(commands, call, "commands")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_commands_check_handle(commands, entity, 0, call);
    sett_status status;
    (void)setti_commands_call(commands, entity, kind, sizeof(setti_command_call), &status);
    return status;
}

static sett_status tree_apply_detach(sett_world* world, sett_entity entity, const void* call)
{
    (void)call;
    return sett_hierarchy_detach(world, entity);
}

sett_status sett_cmd_detach(sett_commands* commands, sett_entity entity)
{
    static const setti_command_kind kind = {"detach", tree_apply_detach, NULL};
    return tree_record(commands, entity, &kind, __func__);
}

static sett_status tree_apply_destroy_children(sett_world* world, sett_entity parent,
                                               const void* call)
{
    (void)call;
    return sett_hierarchy_destroy_children(world, parent);
}

sett_status sett_cmd_destroy_children(sett_commands* commands, sett_entity parent)
{
    static const setti_command_kind kind = {"destroy children of", tree_apply_destroy_children,
                                            NULL};
    return tree_record(commands, parent, &kind, __func__);
}

/* Returns the node of an entity, or NULL if the entity is dead or has no node. */
SETTI_INLINE const sett_hierarchy* tree_of(const sett_world* world, sett_entity entity,
                                           const char* call)
{
    if (setti_is_null(world, call, "world") ||
        SETTI_UNLIKELY(!setti_entity_is_current(&world->entities, entity))) {
        return NULL;
    }
    return setti_hierarchy_find(world, entity.index);
}

sett_entity sett_hierarchy_parent(const sett_world* world, sett_entity entity)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    return setti_hierarchy_entity(world, node != NULL ? node->parent : 0);
}

sett_entity sett_hierarchy_first(const sett_world* world, sett_entity entity)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    return setti_hierarchy_entity(world, node != NULL ? node->first : 0);
}

sett_entity sett_hierarchy_last(const sett_world* world, sett_entity entity)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    if (node == NULL || node->first == 0) {
        return sett_null();
    }
    uint32_t last = tree_read(setti_hierarchy_of(world), node->first)->previous;
    return setti_hierarchy_entity(world, last);
}

sett_entity sett_hierarchy_next(const sett_world* world, sett_entity entity)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    return setti_hierarchy_entity(world, node != NULL ? node->next : 0);
}

sett_entity sett_hierarchy_previous(const sett_world* world, sett_entity entity)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    uint32_t previous = node != NULL ? node->previous : 0;
    /* The first child's `previous` is the last child. The last child's `next` is 0. */
    bool is_sibling = previous != 0 && tree_read(setti_hierarchy_of(world), previous)->next != 0;
    return setti_hierarchy_entity(world, is_sibling ? previous : 0);
}

sett_entity sett_hierarchy_root(const sett_world* world, sett_entity entity)
{
    if (SETTI_IS_NULL(world) || setti_entity_signature(&world->entities, entity) == NULL) {
        return sett_null();
    }
    uint32_t root = setti_link_to(entity.index);
    for (uint32_t ancestor = root; ancestor != 0;
         ancestor = setti_hierarchy_parent(world, setti_link_index(ancestor))) {
        root = ancestor;
    }
    return setti_hierarchy_entity(world, root);
}

uint32_t sett_hierarchy_child_count(const sett_world* world, sett_entity entity)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    return node != NULL ? node->children / SETTI_CHILD : 0;
}

bool sett_hierarchy_is_descendant(const sett_world* world, sett_entity entity, sett_entity ancestor)
{
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    if (node == NULL || !setti_entity_is_current(&world->entities, ancestor)) {
        return false;
    }
    uint32_t link = node->parent;
    while (link != 0 && link != setti_link_to(ancestor.index)) {
        link = tree_read(setti_hierarchy_of(world), link)->parent;
    }
    return link != 0;
}

sett_entity sett_hierarchy_walk(const sett_world* world, sett_entity root, sett_entity at)
{
    if (tree_of(world, at, __func__) == NULL || tree_of(world, root, __func__) == NULL) {
        return sett_null();
    }
    uint32_t root_link = setti_link_to(root.index);
    uint32_t next = tree_next(setti_hierarchy_of(world), root_link, setti_link_to(at.index));
    return setti_hierarchy_entity(world, next);
}

uint32_t sett_hierarchy_depth(sett_world* world, sett_entity entity)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    if (world->running == NULL) {
        sett_hierarchy_update(world);
    }
    const sett_hierarchy* node = tree_of(world, entity, __func__);
    if (node == NULL) {
        return 0;
    }
    if (setti_hierarchy_of(world)->moved == 0) {
        return node->depth;
    }
    /* Systems that run in parallel do not repair depths: the ancestors are counted instead. */
    uint32_t depth = 0;
    while (node->parent != 0) {
        node = tree_read(setti_hierarchy_of(world), node->parent);
        depth++;
    }
    return depth;
}

void sett_hierarchy_update(sett_world* world)
{
    if (!SETTI_IS_NULL(world) && setti_hierarchy_of(world) != NULL &&
        setti_world_check_serial(world, __func__) == SETT_OK) {
        tree_repair_all(world, setti_hierarchy_of(world));
    }
}

/* A walk over the nodes of all trees, with parents before children. */
typedef struct tree_walk {
    setti_sort_walk walk; /* first member */
    const setti_hierarchy* tree;
    uint32_t cursor;  /* of the storage, to find roots */
    uint32_t root;    /* link of the current tree's root; 0: the next tree must be found */
    uint32_t visited; /* link of the node that was visited last */
} tree_walk;

static uint32_t tree_walk_next(setti_sort_walk* base)
{
    tree_walk* walk = (tree_walk*)(void*)base;
    if (walk->root != 0) {
        walk->visited = tree_next(walk->tree, walk->root, walk->visited);
        if (walk->visited != 0) {
            return setti_link_index(walk->visited);
        }
        walk->root = 0;
    }
    const setti_storage* storage = &walk->tree->type->storage;
    for (uint32_t index = setti_storage_next(storage, &walk->cursor); index != SETTI_NONE;
         index = setti_storage_next(storage, &walk->cursor)) {
        if (tree_read(walk->tree, setti_link_to(index))->parent == 0) {
            walk->root = setti_link_to(index);
            walk->visited = setti_link_to(index);
            return index;
        }
    }
    return SETTI_NONE;
}

sett_status sett_hierarchy_sort(sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (!tree_ensure_registered(world, __func__)) {
        return world->error;
    }
    tree_walk walk = {{tree_walk_next}, setti_hierarchy_of(world), 0, 0, 0};
    return setti_sort_in_order(world, component, __func__, &walk.walk);
}

/* Returns NULL if the children of a node are valid. Otherwise returns the reason. */
static const char* tree_validate_children(const sett_world* world, uint32_t link)
{
    const sett_hierarchy* node = setti_hierarchy_find(world, setti_link_index(link));
    uint32_t previous = 0;
    uint32_t count = 0; /* children before `child_link` */
    uint32_t child_count = node->children / SETTI_CHILD;
    for (uint32_t child_link = node->first; child_link != 0; count++) {
        const sett_hierarchy* child = setti_hierarchy_find(world, setti_link_index(child_link));
        if (child == NULL || child->parent != link || count == child_count) {
            return "hierarchy: a list of children is broken";
        }
        if (count != 0 && child->previous != previous) {
            return "hierarchy: a list of children is broken";
        }
        if (!tree_is_moved(node) && !tree_is_moved(child) && child->depth != node->depth + 1) {
            return "hierarchy: the depth of a child that was not moved is wrong";
        }
        previous = child_link;
        child_link = child->next;
    }
    uint32_t first = setti_link_index(node->first);
    uint32_t last = previous;
    bool end_is_right = last == 0 || setti_hierarchy_find(world, first)->previous == last;
    if (count != child_count || !end_is_right) {
        return "hierarchy: children are miscounted, or not ended";
    }
    return NULL;
}

/* Returns true if no node is in a cycle. A node in a cycle is not visited by a walk from a root. */
static bool tree_has_no_cycle(const setti_hierarchy* tree)
{
    const setti_storage* storage = &tree->type->storage;
    uint32_t visited = 0;
    SETTI_EACH_INDEX(index, storage) {
        uint32_t root = setti_link_to(index);
        if (tree_read(tree, root)->parent != 0) {
            continue;
        }
        for (uint32_t link = root; link != 0; link = tree_next(tree, root, link)) {
            visited++;
        }
    }
    return visited == storage->count;
}

SETTI_COLD static const char* tree_validate(sett_world* world, setti_type* type)
{
    const setti_hierarchy* tree = setti_hierarchy_of(world);
    const setti_storage* storage = &type->storage;
    uint32_t with_parent = 0;
    uint32_t children = 0;
    uint32_t moved = 0;
    SETTI_EACH_INDEX(index, storage) {
        const sett_hierarchy* node = setti_storage_find(storage, index);
        const char* reason = tree_validate_children(world, setti_link_to(index));
        if (reason != NULL) {
            return reason;
        }
        with_parent += node->parent != 0;
        children += node->children / SETTI_CHILD;
        moved += tree_is_moved(node);
        bool has_siblings = node->next != 0 || node->previous != 0;
        bool has_depth = !tree_is_moved(node) && node->depth != 0;
        if (node->parent == 0 && (has_siblings || has_depth)) {
            return "hierarchy: a root has siblings or a depth";
        }
    }
    if (with_parent != children) {
        return "hierarchy: a child is not among its parent's";
    }
    /* If no node is moved, all depths are right, so there is no cycle. */
    if (tree->moved != 0 && !tree_has_no_cycle(tree)) {
        return "hierarchy: an entity is below itself";
    }
    uint32_t listed = 0;
    for (uint32_t link = tree->moved; link != 0 && listed <= moved; listed++) {
        const sett_hierarchy* node = setti_hierarchy_find(world, setti_link_index(link));
        if (node == NULL || !tree_is_moved(node)) {
            return "hierarchy: the list of moved entities is broken";
        }
        link = node->depth & ~SETTI_MOVED;
    }
    if (listed != moved) {
        return "hierarchy: the list of moved entities is not all of them";
    }
    return NULL;
}
