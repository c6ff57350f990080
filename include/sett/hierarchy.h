/* hierarchy.h: entities below entities. Opt-in.
 *
 *     sett_hierarchy_attach(world, turret, tank);
 *     sett_hierarchy_attach(world, barrel, turret);
 *     sett_entity_destroy(world, tank);                 barrel, turret, tank
 *
 * An entity takes part once it was attached or got a child: it then has the component "Hierarchy",
 * which queries, signatures and statistics see like any other. Entities without pay nothing. Links
 * are numbers inside that component, 24 bytes an entity; there is nothing else, and nothing is
 * allocated for a node but its share of a page.
 *
 *          tank                 first, last: turret, hatch       previous, next: none
 *          /  \
 *     turret  hatch             turret's next: hatch             both parents: tank
 *
 * Children keep the order in which they were attached. Destroying an entity destroys what is below
 * it, children before their parents, unless its policy says otherwise; the removal hooks of a child
 * see its parents alive. Neither destroying nor walking takes stack or memory, however deep.
 *
 * While a loop is open, entities that have the component can be attached and detached; giving it to
 * one that lacks it is a structural change and rejected: record it with sett_cmd_attach.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_HIERARCHY_H
#define SETT_HIERARCHY_H

#include "sett/sett.h"

/* What becomes of the children of an entity that is destroyed. */
typedef enum sett_children_policy {
    SETT_CHILDREN_DEFAULT, /* as sett_hierarchy_register said for the world */
    SETT_CHILDREN_DESTROY, /* they are destroyed first */
    /* they become roots. One whose name a root has already loses its own (see name.h) */
    SETT_CHILDREN_DETACH,
    /* while there are any, the entity cannot be destroyed, nor can whoever is above it
     * (SETT_STATUS_REJECTED); sett_world_clear and sett_world_destroy do not ask */
    SETT_CHILDREN_REJECT,
} sett_children_policy;

typedef struct sett_hierarchy_desc {
    /* of the component type, for programs that number theirs; default: a free one from 1,024 on */
    sett_component id;
    sett_children_policy policy; /* default: SETT_CHILDREN_DESTROY */
} sett_hierarchy_desc;

/* The component "Hierarchy". For reading: only the functions below may write it. Links are entity
 * indices plus one, so that a component of zeroes is a root without children. */
typedef struct sett_hierarchy {
    uint32_t parent; /* 0: it is a root */
    uint32_t first;  /* child; 0: none */
    uint32_t next;   /* sibling; 0: none, or a root */
    /* sibling; the first one's is the last one; 0: a root */
    uint32_t previous;
    uint32_t children; /* 4 times their number, plus the policy */
    /* steps to the root; right after sett_hierarchy_update, and while nobody that has children is
     * moved. Not part of what two worlds are compared by */
    uint32_t depth;
} sett_hierarchy;

/* Registers the component. Not needed, unless to set what the descriptor sets (NULL: nothing), or
 * to name it in queries: the first use does it.
 *
 *     sett_component Hierarchy_id = sett_hierarchy_register(world, NULL);
 *     SETT_QUERY_CREATE(world, SETT_INOUT(Transform), SETT_OPTIONAL(Hierarchy));
 *
 * Returns its id, 0 on failure. Fails: as sett_component_register; ARGUMENT for an unknown policy;
 * LIMIT in a world whose entity_limit is 2^31 or above.
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_hierarchy_register(sett_world* world, const sett_hierarchy_desc* desc);

/* Returns the component's id, 0 if it is not registered. Threads: reader. Since: 0.1 */
SETT_API sett_component sett_hierarchy_component(const sett_world* world);

/* Makes an entity the last child of a parent, from wherever it was; what is below it comes along.
 * Fails: STALE (either), CYCLE (the parent is the entity, or below it), CONFLICT (a child of the
 * parent has the same name), LOCKED (see above; or one of them is being destroyed), LIMIT,
 * OUT_OF_MEMORY.
 * Cost: O(1), about 10 ns; if the entity has children, O(depth of the parent or entities below the
 * entity, whichever is less).
 * Invalidates: nothing. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_attach(sett_world* world, sett_entity entity,
                                           sett_entity parent);

/* The same, to a place right before or right behind a sibling, which has a parent.
 * Fails: also ARGUMENT (the sibling is a root, or the entity itself).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_insert_before(sett_world* world, sett_entity entity,
                                                  sett_entity sibling);
SETT_API sett_status sett_hierarchy_insert_after(sett_world* world, sett_entity entity,
                                                 sett_entity sibling);

/* Makes an entity a root; what is below it comes along. It keeps the component: to take that off
 * too use sett_remove, which also makes roots of its children, whatever its policy.
 * Fails: STALE, CONFLICT (a root has the same name), LOCKED (it is being destroyed).
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_detach(sett_world* world, sett_entity entity);

/* Record the two, to be applied with other commands (sett.h). What they find then:
 *     the entity or the parent is gone         skipped
 *     it is a child of that parent already     it becomes the last one
 *     it is a root already                     it stays one
 *     a cycle, a name that is taken there      rejected: all stays, and sett_world_error says so
 * Entities reserved by sett_cmd_create can be either.
 * Fail: OUT_OF_MEMORY, LIMIT. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_attach(sett_commands* commands, sett_entity entity,
                                     sett_entity parent);
SETT_API sett_status sett_cmd_detach(sett_commands* commands, sett_entity entity);

/* Sets what becomes of the children when this entity is destroyed. Gives it the component.
 * Fails: STALE, ARGUMENT, LOCKED, OUT_OF_MEMORY. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_set_policy(sett_world* world, sett_entity entity,
                                               sett_children_policy policy);

/* Return who stands there, null if nobody does. Ancestors: the parent, again and again.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_hierarchy_parent(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_first(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_last(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_next(const sett_world* world, sett_entity entity);
SETT_API sett_entity sett_hierarchy_previous(const sett_world* world, sett_entity entity);

/* Returns the topmost of its ancestors, itself for a root; null for a stale handle.
 * Cost: O(depth). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_hierarchy_root(const sett_world* world, sett_entity entity);

/* Returns how many children it has. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_hierarchy_child_count(const sett_world* world, sett_entity entity);

/* Returns whether `entity` stands below `ancestor`, at any depth.
 * Cost: O(depth). Threads: reader. Since: 0.1 */
SETT_API bool sett_hierarchy_is_descendant(const sett_world* world, sett_entity entity,
                                           sett_entity ancestor);

/* Walks a subtree, parents before children and siblings in their order: start with at = root, end
 * at null.
 *
 *     for (sett_entity e = root; !sett_is_null(e); e = sett_hierarchy_walk(world, root, e))
 *
 * Returns who comes after `at`. Cost: O(1) on average over a whole walk. Threads: reader.
 * Since: 0.1 */
SETT_API sett_entity sett_hierarchy_walk(const sett_world* world, sett_entity root, sett_entity at);

/* Returns how many steps it is to the root. Moving an entity that has children leaves the depths
 * below it to whoever asks first: that pays for all that has been moved.
 * Cost: O(1); after moves O(n log n), n being the entities below those moved, O(n) in all but
 * contrived cases.
 * Threads: reader, after moves writer. Since: 0.1 */
SETT_API uint32_t sett_hierarchy_depth(sett_world* world, sett_entity entity);

/* Makes every depth right: for those who read it in the component. Cost: as sett_hierarchy_depth.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_hierarchy_update(sett_world* world);

/* Puts a sparse-set type in the order of the hierarchy: parents before their children, each
 * subtree a
 * run of rows, siblings in their order; trees by the index of their root; entities without the
 * component last. A query that this type drives visits them in this order; let the type be the only
 * required term that is not a tag, and reach the rest through accessors: see the example
 * transforms. Additions and moves disturb the order.
 * Fails: as sett_sort. Cost: O(entities with the component + values).
 * Invalidates: addresses of the type. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_hierarchy_sort(sett_world* world, sett_component component);

/* Returns a component of the parent, to read; NULL if there is no parent or it has none. `of` was
 * made for that component, `node` is the child's Hierarchy, as a loop or sett_find gives it.
 *
 *     const Transform* above = sett_hierarchy_find_in_parent(&transforms, &node[i]);
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
    /* Links are cut before an entity ends: who is linked to is alive. */
    return sett_read_bit_(of->type, index) ? sett_read_row_(of->type, index) : NULL;
}

/* Loops over the children of an entity, in their order. `child` may be destroyed, detached or moved
 * in the body; those behind it may not. `break` and `continue` mean what they say. Evaluates
 * `world` several times.
 *
 *     SETT_CHILDREN(world, tank, part) { SETT_ADD_TAG(world, part, Painted); } */
#define SETT_CHILDREN(world, parent, child)                                                        \
    for (sett_entity child = sett_hierarchy_first((world), (parent)),                              \
                     child##_next_ = sett_hierarchy_next((world), child);                          \
         !sett_is_null(child);                                                                     \
         child = child##_next_, child##_next_ = sett_hierarchy_next((world), child))

/* Loops over an entity and all that is below it, parents before children; over nothing if it does
 * not exist. What is below stays where it is meanwhile. Evaluates `world` and `root` several times.
 */
#define SETT_SUBTREE(world, root, at)                                                              \
    for (sett_entity at = sett_entity_valid((world), (root)) ? (root) : sett_null();               \
         !sett_is_null(at); at = sett_hierarchy_walk((world), (root), at))

#endif
