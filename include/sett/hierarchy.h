/* hierarchy.h: parents and children.
 *
 *     sett_hierarchy_attach(world, turret, tank);
 *     sett_hierarchy_attach(world, barrel, turret);
 *     sett_entity_destroy(world, tank);                 destroys barrel, turret, tank
 *
 * An entity gets the component "Hierarchy" (24 bytes) when it is attached to a parent, or becomes a
 * parent. Queries see it as any other component. Entities without it cost nothing.
 *
 *          tank                 first, last: turret, hatch       previous, next: none
 *          /  \
 *     turret  hatch             turret's next: hatch             both parents: tank
 *
 * Children have an order: a new child is the last one. Destroying an entity first destroys its
 * descendants, children before parents. A policy (sett_children_policy) can change this. Removal
 * callbacks of a child see its parent alive; where a delta, a selection or sett_undo_go ends both,
 * they see neither parents nor names. Destroying and walking use no recursion and no memory.
 *
 * Inside a loop, entities that have the component can be attached and detached. Without it the call
 * would add the component, and fails (LOCKED): record sett_cmd_attach. In a system that is not
 * exclusive all calls that change the hierarchy fail (LOCKED): record sett_cmd_attach and
 * sett_cmd_detach. So the hierarchy does not change while systems run, and each system can call the
 * functions that read it, without declaring anything.
 *
 * Positions relative to the parent need an order, parents before children. Take the first of these
 * recipes that fits:
 *     SETT_PARENT(T)             one level, or the parent's place of the last frame will do: loops
 *                                have no order (docs/queries.md). Any system
 *     sett_ordered, .cascade     any depth: the order follows what was attached and moved
 *                                (cookbook/weapon_parent.c). sett_ordered_rows hands out
 *                                the values of both. An exclusive system
 *     sett_hierarchy_sort        any depth, tens of thousands of entities: T is a sparse set that
 *                                drives the query. Sort after attaching, outside of systems or
 *                                in an exclusive one (examples/06_transforms.c). The loop: any
 *                                system that is `single_job`
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
    /* they become roots. A child loses its name if a root has the same name (name.h) */
    SETT_CHILDREN_DETACH,
    /* while it has children, neither the entity nor its ancestors can be destroyed (REJECTED).
     * sett_world_clear and sett_world_destroy ignore this policy */
    SETT_CHILDREN_REJECT,
} sett_children_policy;

typedef struct sett_hierarchy_desc {
    sett_children_policy policy; /* default: SETT_CHILDREN_DESTROY */
} sett_hierarchy_desc;

/* The component "Hierarchy". Its id is SETT_ID_HIERARCHY. In macros its C type is sett_hierarchy:
 *
 *     sett_hierarchy_register(world, NULL);                                       before the query
 *     query = SETT_QUERY_CREATE(world, SETT_INOUT(Transform), SETT_OPTIONAL(sett_hierarchy));
 *     ... const sett_hierarchy* nodes = SETT_FIELD(b, 1, sett_hierarchy); ...
 *
 * Only the functions below change it: sett_set, and queries that write it, fail (ARGUMENT). Links
 * are entity indices plus one. All zeroes is a root without children. */
typedef struct sett_hierarchy {
    uint32_t parent; /* 0: it is a root */
    uint32_t first;  /* child; 0: none */
    uint32_t next;   /* sibling; 0: none, or a root */
    /* sibling; for the first child: the last child; 0: a root */
    uint32_t previous;
    uint32_t children; /* 4 times the number of children, plus the policy */
    /* steps to the root. Correct after sett_hierarchy_update, until an entity with children moves.
     * Hashes and comparisons of worlds leave it out */
    uint32_t depth;
} sett_hierarchy;

enum {
    sett_hierarchy_id = SETT_ID_HIERARCHY
};

SETT_API sett_component sett_hierarchy_register_sized(sett_world* world,
                                                      const sett_hierarchy_desc* desc, size_t size);

/* Registers the component. The first use of a hierarchy does it too. Call it earlier to set
 * options, or to name the component in a query, in an observer or in a system's lists.
 * The default policy goes with the state: a world that loads a file, applies a delta or is made a
 * clone gets the other world's. A merge, JSON and a restored snapshot leave it as it is.
 * Returns SETT_ID_HIERARCHY; 0 on failure. Fails: as sett_component_register, ARGUMENT (an unknown
 * policy), LIMIT (entity_limit is 2^31 or above).
 * Threads: writer. Since: 0.1 */
static inline sett_component sett_hierarchy_register(sett_world* world,
                                                     const sett_hierarchy_desc* desc)
{
    return sett_hierarchy_register_sized(world, desc, sizeof(*desc));
}

/* Makes an entity the last child of a parent. An entity with another parent moves, and its
 * descendants move with it. A child of a prefab becomes a prefab (sett_prefab_make), with its
 * descendants, also if it has the tag Prefab already.
 * Fails: STALE (either), CYCLE (the parent is the entity itself or a descendant of it), CONFLICT (a
 * child of the parent has the same name), LOCKED (see above; or one of the two is being destroyed),
 * LIMIT, OUT_OF_MEMORY.
 * Cost: O(1), about 10 ns; if the entity has children: O(the smaller of the parent's depth and the
 * number of descendants); below a prefab O(descendants).
 * Invalidates: nothing. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_attach(sett_world* world, sett_entity entity,
                                           sett_entity parent);

/* Like sett_hierarchy_attach, with a place: the entity becomes a child of the sibling's parent,
 * right before or right after the sibling.
 * Fails: also ARGUMENT (the sibling is a root, or the entity itself).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_insert_before(sett_world* world, sett_entity entity,
                                                  sett_entity sibling);
SETT_API sett_status sett_hierarchy_insert_after(sett_world* world, sett_entity entity,
                                                 sett_entity sibling);

/* Puts these `count` children of a parent first, in this order. The other children follow, in their
 * present order.
 * Fails: STALE, ARGUMENT (an entity is not a child of the parent), LOCKED (see above; or a child
 * is being destroyed).
 * Cost: O(count). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_hierarchy_order(sett_world* world, sett_entity parent,
                                          const sett_entity* children, uint32_t count);

/* Sets the scope: the parent of entities that are created from now on. Null ends it.
 *
 *     sett_entity outer = sett_hierarchy_set_scope(world, level);
 *     ... everything that is created here is a child of the level ...
 *     sett_hierarchy_set_scope(world, outer);
 *
 * The scope applies to sett_entity_create, sett_create_with, sett_entity_create_many,
 * sett_instantiate (unless `parent` is given) and sett_name_ensure. Relative paths from null begin
 * there (name.h). Commands, sett_entity_create_handle, files and deltas ignore it. The scope is not
 * part of the state. After the scope is destroyed these calls fail (STALE), until you set another.
 * Returns the scope before. If it fails, the scope stays. Fails: STALE, LOCKED (the parent would
 * get the component), OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
SETT_API sett_entity sett_hierarchy_set_scope(sett_world* world, sett_entity parent);

/* Makes an entity a root. It keeps its descendants and its component. sett_remove removes the
 * component: then the entity's children become roots too, with any policy.
 * Fails: STALE, CONFLICT (a root has the same name), LOCKED (see above; or it is being
 * destroyed).
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_detach(sett_world* world, sett_entity entity);

/* Destroys the children of an entity in their order, with their descendants. The entity stays.
 *
 *     sett_hierarchy_destroy_children(world, inventory);
 *
 * The entity's own policy does not matter, those of its descendants do (sett_children_policy).
 * Fails: STALE, LOCKED; REJECTED and OUT_OF_MEMORY as sett_entity_destroy (all other children are
 * destroyed).
 * Cost: as sett_entity_destroy for each. Invalidates: as sett_entity_destroy.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_hierarchy_destroy_children(sett_world* world, sett_entity parent);

/* Record an attachment or a detachment (commands: core.h). When the command is applied:
 *     the entity or the parent is dead         the command is skipped
 *     the entity is a child of the parent      the entity becomes the last child
 *     the entity is a root                     detaching changes nothing
 *     a cycle or a name conflict would arise   the command is rejected; see sett_world_error
 * Both entities can be reserved by sett_cmd_create.
 * Fails: OUT_OF_MEMORY, LIMIT. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_attach(sett_commands* commands, sett_entity entity,
                                     sett_entity parent);
SETT_API sett_status sett_cmd_detach(sett_commands* commands, sett_entity entity);

/* Records sett_hierarchy_destroy_children. The children are those at the time when it is applied,
 * among them what earlier commands have attached. If the entity is dead then, the command is
 * skipped.
 * Fails: as sett_cmd_attach. Threads: as sett_cmd_add. Since: 0.2 */
SETT_API sett_status sett_cmd_destroy_children(sett_commands* commands, sett_entity parent);

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

/* Returns the root of the entity's tree. For an entity without a parent this is the entity itself.
 * Null for a stale handle.
 * Cost: O(depth). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_hierarchy_root(const sett_world* world, sett_entity entity);

/* Returns the number of children. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_hierarchy_child_count(const sett_world* world, sett_entity entity);

/* Returns whether `entity` is a descendant of `ancestor`, at any depth.
 * Cost: O(depth). Threads: reader. Since: 0.1 */
SETT_API bool sett_hierarchy_is_descendant(const sett_world* world, sett_entity entity,
                                           sett_entity ancestor);

/* Walks a subtree: parents before children, siblings in their order. Start with at = root, end at
 * null.
 *
 *     for (sett_entity e = root; !sett_is_null(e); e = sett_hierarchy_walk(world, root, e))
 *
 * Returns the entity after `at`. Cost: O(1) on average over a whole walk. Threads: reader.
 * Since: 0.1 */
SETT_API sett_entity sett_hierarchy_walk(const sett_world* world, sett_entity root, sett_entity at);

/* Returns the number of steps to the root. If entities with children were moved, the next call
 * updates all depths; in a system that is not exclusive it counts the steps instead.
 * Cost: O(1); after moves O(n log n) for n descendants of the moved entities, usually O(n); after
 * moves, in a system, O(depth).
 * Threads: reader; outside of systems, the first call after moves: writer. Since: 0.1 */
SETT_API uint32_t sett_hierarchy_depth(sett_world* world, sett_entity entity);

/* Updates `depth` in all components. Cost: as sett_hierarchy_depth.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_hierarchy_update(sett_world* world);

/* Sorts a type in a sparse set by the hierarchy: parents before children, siblings in their order,
 * trees by the index of their root, entities without a hierarchy last. Each subtree is in adjacent
 * rows. Later additions and moves disturb the order. A query that the type drives
 * (sett_term.drives) visits the entities in this order: see examples/06_transforms.c.
 * Fails: as sett_sort. Cost: O(entities with the component + values).
 * Invalidates: addresses of the type. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_sort(sett_world* world, sett_component component);

/* Returns a component of the parent, to read; NULL if there is no parent, or the parent does not
 * have the component.
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
    sett_read_ read = sett_read_make_(sett_read_header_(of->world), of->type);
    return sett_read_reaches_(read, index) && sett_read_bit_(read, index)
               ? sett_read_row_(read, index, of->type->shift, of->type->size)
               : NULL;
}

/* Loops over the children of an entity, in their order. The body can destroy, detach or move
 * `child`, but not later siblings. Evaluates `world` several times.
 *
 *     SETT_CHILDREN(world, tank, part) { SETT_ADD_TAG(world, part, Painted); } */
#define SETT_CHILDREN(world, parent, child)                                                        \
    for (sett_entity child = sett_hierarchy_first((world), (parent)),                              \
                     child##_next_ = sett_hierarchy_next((world), child);                          \
         !sett_is_null(child);                                                                     \
         child = child##_next_, child##_next_ = sett_hierarchy_next((world), child))

/* Loops over an entity and its descendants, parents before children. The body must not move these
 * entities. For a stale handle the body does not run. Evaluates `world` and `root` several times.
 */
#define SETT_SUBTREE(world, root, at)                                                              \
    for (sett_entity at = sett_entity_valid((world), (root)) ? (root) : sett_null();               \
         !sett_is_null(at); at = sett_hierarchy_walk((world), (root), at))

#endif
