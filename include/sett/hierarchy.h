/* hierarchy.h: parents and children.
 *
 *     sett_hierarchy_attach(world, turret, tank);
 *     sett_hierarchy_attach(world, barrel, turret);
 *     sett_entity_destroy(world, tank);                 destroys barrel, turret, tank
 *
 * An entity gets the component "Hierarchy" when it is attached to a parent or becomes a parent.
 * Queries, signatures and statistics see it like any other component. It takes 24 bytes, and there
 * is nothing else: entities outside of a hierarchy cost nothing.
 *
 *          tank                 first, last: turret, hatch       previous, next: none
 *          /  \
 *     turret  hatch             turret's next: hatch             both parents: tank
 *
 * Children are ordered: each is attached as the last one. Destroying an entity destroys its
 * descendants first, children before parents, unless its policy says otherwise; the removal hooks
 * of a child see its parent alive. Destroying and walking use no recursion and no memory.
 *
 * Inside a loop, entities that have the component can be attached and detached. Adding it to an
 * entity is a structural change (LOCKED): record it with sett_cmd_attach.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_HIERARCHY_H
#define SETT_HIERARCHY_H

#include "sett/core.h"

/* What happens to the children of an entity that is destroyed. */
typedef enum sett_children_policy {
    SETT_CHILDREN_DEFAULT, /* the world's default, see sett_hierarchy_register */
    SETT_CHILDREN_DESTROY, /* they are destroyed first */
    /* they become roots. A child loses its name if a root has the same one (name.h) */
    SETT_CHILDREN_DETACH,
    /* an entity with children, and each of its ancestors, cannot be destroyed
     * (SETT_STATUS_REJECTED); sett_world_clear and sett_world_destroy ignore this policy */
    SETT_CHILDREN_REJECT,
} sett_children_policy;

typedef struct sett_hierarchy_desc {
    sett_children_policy policy; /* default: SETT_CHILDREN_DESTROY */
} sett_hierarchy_desc;

/* The component "Hierarchy". Its id is SETT_ID_HIERARCHY, or sett_hierarchy_id for the macros that
 * take a type:
 *
 *     sett_hierarchy_register(world, NULL);                                       before the query
 *     query = SETT_QUERY_CREATE(world, SETT_INOUT(Transform), SETT_OPTIONAL(sett_hierarchy));
 *     ... const sett_hierarchy* nodes = SETT_FIELD(b, 1, sett_hierarchy); ...
 *
 * Read-only: only the functions below change it; sett_set and queries that ask for writing fail
 * with ARGUMENT. Links are entity indices plus one; all zeroes is a root without children. */
typedef struct sett_hierarchy {
    uint32_t parent; /* 0: it is a root */
    uint32_t first;  /* child; 0: none */
    uint32_t next;   /* sibling; 0: none, or a root */
    /* sibling; for the first child: the last child; 0: a root */
    uint32_t previous;
    uint32_t children; /* 4 times their number, plus the policy */
    /* steps to the root. Correct after sett_hierarchy_update, until an entity that has children is
     * moved. Hashes and comparisons of worlds leave it out */
    uint32_t depth;
} sett_hierarchy;

enum {
    sett_hierarchy_id = SETT_ID_HIERARCHY
};

SETT_API sett_component sett_hierarchy_register_sized(sett_world* world,
                                                      const sett_hierarchy_desc* desc, size_t size);

/* Registers the component. The first use of a hierarchy does it too: call this to set options, or
 * for a query or an observer that names the component before that.
 * Returns SETT_ID_HIERARCHY, 0 on failure. Fails: as sett_component_register; ARGUMENT for an
 * unknown policy; LIMIT in a world whose entity_limit is 2^31 or above.
 * Threads: writer. Since: 0.1 */
static inline sett_component sett_hierarchy_register(sett_world* world,
                                                     const sett_hierarchy_desc* desc)
{
    return sett_hierarchy_register_sized(world, desc, sizeof(*desc));
}

/* Makes an entity the last child of a parent. If it has another parent, it moves; its descendants
 * move with it. A child of a prefab becomes a prefab (sett_prefab_make), with its descendants.
 * Fails: STALE (either), CYCLE (the parent is the entity itself or a descendant of it), CONFLICT (a
 * child of the parent has the same name), LOCKED (see above; or one of them is being destroyed),
 * LIMIT, OUT_OF_MEMORY.
 * Cost: O(1), about 10 ns; if the entity has children: O(the smaller of the parent's depth and the
 * number of descendants).
 * Invalidates: nothing. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_attach(sett_world* world, sett_entity entity,
                                           sett_entity parent);

/* As sett_hierarchy_attach: makes the entity a child of the sibling's parent, right before or right
 * after the sibling.
 * Fails: also ARGUMENT (the sibling is a root, or the entity itself).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_insert_before(sett_world* world, sett_entity entity,
                                                  sett_entity sibling);
SETT_API sett_status sett_hierarchy_insert_after(sett_world* world, sett_entity entity,
                                                 sett_entity sibling);

/* Puts children of a parent in order: these `count` children come first, in this order. The others
 * follow, in the order that they have.
 * Fails: STALE, ARGUMENT (one is not a child of the parent), LOCKED (one is being destroyed).
 * Cost: O(count). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_hierarchy_order(sett_world* world, sett_entity parent,
                                          const sett_entity* children, uint32_t count);

/* Sets the scope: the parent of entities that are created from now on, by sett_entity_create,
 * sett_create_with, sett_entity_create_many, sett_instantiate (unless `parent` is given) and
 * sett_name_ensure. In name.h, relative paths from null begin there. Not: commands, given handles,
 * files, deltas. Null ends it. The scope is no part of the state.
 *
 *     sett_entity outer = sett_hierarchy_set_scope(world, level);
 *     ... everything that is created here is a child of the level ...
 *     sett_hierarchy_set_scope(world, outer);
 *
 * If the scope is destroyed, these calls fail with STALE until another is set.
 * Returns the scope before. Fails (the scope stays): STALE, LOCKED (the parent gets the component),
 * OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
SETT_API sett_entity sett_hierarchy_set_scope(sett_world* world, sett_entity parent);

/* Makes an entity a root; its descendants stay below it. The component stays: sett_remove removes
 * it, and makes the entity's children roots too, whatever its policy.
 * Fails: STALE, CONFLICT (a root has the same name), LOCKED (it is being destroyed).
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_detach(sett_world* world, sett_entity entity);

/* Record an attachment or a detachment (commands: core.h). When it is applied, and
 *     the entity or the parent is dead            it is skipped
 *     the entity is a child of the parent         it becomes the last child
 *     the entity is a root                        detaching changes nothing
 *     there would be a cycle or a name conflict   it is skipped, and sett_world_error says so
 * Both entities can be reserved ones of sett_cmd_create.
 * Fails: OUT_OF_MEMORY, LIMIT. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_attach(sett_commands* commands, sett_entity entity,
                                     sett_entity parent);
SETT_API sett_status sett_cmd_detach(sett_commands* commands, sett_entity entity);

/* Sets what happens to the children when this entity is destroyed. Adds the component if absent.
 * Fails: STALE, ARGUMENT, LOCKED, OUT_OF_MEMORY. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_set_policy(sett_world* world, sett_entity entity,
                                               sett_children_policy policy);

/* Returns the parent, the first or last child, the next or previous sibling; null if there is none.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_hierarchy_parent(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_first(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_last(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_next(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_previous(const sett_world* world, sett_entity entity);

/* Returns the root of the entity's tree, which is the entity itself if it has no parent; null for a
 * stale handle.
 * Cost: O(depth). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_hierarchy_root(const sett_world* world, sett_entity entity);

/* Returns the number of children. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_hierarchy_child_count(const sett_world* world, sett_entity entity);

/* Returns whether `entity` is a descendant of `ancestor`, at any depth.
 * Cost: O(depth). Threads: reader. Since: 0.1 */
SETT_API bool sett_hierarchy_is_descendant(const sett_world* world, sett_entity entity,
                                           sett_entity ancestor);

/* Walks a subtree, parents before children and siblings in their order: start with at = root, end
 * at null.
 *
 *     for (sett_entity e = root; !sett_is_null(e); e = sett_hierarchy_walk(world, root, e))
 *
 * Returns the entity after `at`. Cost: O(1) on average over a whole walk. Threads: reader.
 * Since: 0.1 */
SETT_API sett_entity sett_hierarchy_walk(const sett_world* world, sett_entity root, sett_entity at);

/* Returns the number of steps to the root. Depths are updated lazily, by the first call after an
 * entity that has children was moved.
 * Cost: O(1); the first call after moves: O(n log n) for n descendants of the moved entities,
 * usually O(n).
 * Threads: reader; the first call after moves: writer. Since: 0.1 */
SETT_API uint32_t sett_hierarchy_depth(sett_world* world, sett_entity entity);

/* Updates the depth in all components, to be read there. Cost: as sett_hierarchy_depth.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_hierarchy_update(sett_world* world);

/* Sorts a type in a sparse set by the hierarchy: parents before children, each subtree in adjacent
 * rows, siblings in their order, trees by the index of their root, entities without a hierarchy
 * last. A query that this type drives visits the entities in this order: make the type the only
 * required term that is not a tag, and read the others by handle, as examples/06_transforms.c does.
 * Additions and moves disturb the order.
 * Fails: as sett_sort. Cost: O(entities with the component + values).
 * Invalidates: addresses of the type. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_sort(sett_world* world, sett_component component);

/* Returns a component of the parent, to read; NULL if there is no parent, or if it does not have
 * the component.
 *   of    an accessor of the component
 *   node  the child's Hierarchy, from a loop or from sett_find
 *
 *     const Transform* parent = sett_hierarchy_find_in_parent(&transforms, &node[i]);
 *
 * Threads: reader. Since: 0.1 */
static inline const void* sett_hierarchy_find_in_parent(const sett_accessor* of,
                                                        const sett_hierarchy* node)
{
    uint32_t index = node->parent - 1;
    if (node->parent == 0) {
        return NULL;
    }
    if (of->type->kind != SETT_KIND_ARRAY_) {
        return sett_find(of->world, sett_entity_at(of->world, index), of->component);
    }
    /* An entity is unlinked before it ends: the parent is alive. */
    return sett_read_bit_(of->type, index) ? sett_read_row_(of->type, index) : NULL;
}

/* Loops over the children of an entity, in their order. The body may destroy, detach or move
 * `child`, but not the siblings after it. Evaluates `world` several times.
 *
 *     SETT_CHILDREN(world, tank, part) { SETT_ADD_TAG(world, part, Painted); } */
#define SETT_CHILDREN(world, parent, child)                                                        \
    for (sett_entity child = sett_hierarchy_first((world), (parent)),                              \
                     child##_next_ = sett_hierarchy_next((world), child);                          \
         !sett_is_null(child);                                                                     \
         child = child##_next_, child##_next_ = sett_hierarchy_next((world), child))

/* Loops over an entity and its descendants, parents before children. The body must not move them.
 * For a stale handle the body does not run. Evaluates `world` and `root` several times. */
#define SETT_SUBTREE(world, root, at)                                                              \
    for (sett_entity at = sett_entity_valid((world), (root)) ? (root) : sett_null();               \
         !sett_is_null(at); at = sett_hierarchy_walk((world), (root), at))

#endif
