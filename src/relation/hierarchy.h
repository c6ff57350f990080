/* hierarchy.h: the links of the hierarchy, for other files of this layer. A link is an entity index
 * plus one; 0 is none. */
#ifndef SETTI_HIERARCHY_H
#define SETTI_HIERARCHY_H

#include "sett/hierarchy.h"
#include "world/edit.h"

/* The state of a world's hierarchy beside the component; created by the first use. */
typedef struct setti_hierarchy {
    setti_type* type;            /* "Hierarchy" */
    sett_children_policy policy; /* where an entity says DEFAULT */
    uint32_t moved;              /* the first node whose depth is outdated; part of the state */
    uint32_t released; /* by setti_hierarchy_release: the link of the parent of its entity */
    bool copies;       /* copies are attached, for which callbacks run when they begin */
    setti_root root;
} setti_hierarchy;

/* In `depth`: the depth is outdated; the rest is the next node of that list, or 0. */
#define SETTI_MOVED 0x80000000u

#define SETTI_CHILD 4u /* one child, in `children` */
#define SETTI_POLICY 3u
#define SETTI_CHILDREN_LIMIT (UINT32_MAX - 2 * SETTI_CHILD)

enum {
    SETTI_SLOT_HIERARCHY = 0
};

/* The world's; NULL until it is used. */
SETTI_INLINE setti_hierarchy* setti_hierarchy_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_HIERARCHY];
}

/* The node of an entity, or NULL. */
SETTI_INLINE const sett_hierarchy* setti_hierarchy_find(const sett_world* world, uint32_t index)
{
    const setti_hierarchy* tree = setti_hierarchy_of(world);
    return tree != NULL ? setti_storage_find(&tree->type->storage, index) : NULL;
}

/* The link of an entity's parent. */
SETTI_INLINE uint32_t setti_hierarchy_parent(const sett_world* world, uint32_t index)
{
    const sett_hierarchy* node = setti_hierarchy_find(world, index);
    return node != NULL ? node->parent : 0;
}

/* The component, registered if it was not; 0 on failure. */
sett_component setti_hierarchy_register(sett_world* world);

/* The entity behind a link; null for 0. */
static inline sett_entity setti_hierarchy_entity(const sett_world* world, uint32_t link)
{
    return link != 0 ? setti_entity_at(&world->entities, link - 1) : sett_null();
}

/* Whether the entity can be linked or named anew: it exists, is not being destroyed, and no systems
 * run that may run in parallel. */
bool setti_hierarchy_check(sett_world* world, sett_entity entity, const char* call);

/* Observers that look up the hierarchy: hierarchy_observer.c. The two run on_exit before a node
 * gets the parent of the link `to`, and on_enter after it had that of the link `from`, for the node
 * and what is below it. */
extern const setti_upward_calls setti_hierarchy_observers;
void setti_hierarchy_notify_moving(sett_world* world, uint32_t index, uint32_t to);
void setti_hierarchy_notify_moved(sett_world* world, uint32_t index, uint32_t from);

/* Makes roots of an entity's children, and notifies observers that look up the hierarchy. */
void setti_hierarchy_release(sett_world* world, uint32_t index);

/* Like sett_hierarchy_attach, but a child of a prefab does not become a prefab. */
sett_status setti_hierarchy_attach(sett_world* world, sett_entity entity, sett_entity parent);

/* Makes a new entity the last child of a parent; both have the component. Sets its depth; the
 * caller sets those of its descendants. */
void setti_hierarchy_append(sett_world* world, uint32_t index, uint32_t parent);

#endif
