/* hierarchy.h: the hierarchy, for this layer. A link is an entity's index plus one. 0 is no
 * link. */
#ifndef SETTI_HIERARCHY_H
#define SETTI_HIERARCHY_H

#include "sett/hierarchy.h"
#include "world/edit.h"

/* The state of a world's hierarchy, besides the component. Created by the first use. */
typedef struct setti_hierarchy {
    setti_type* type;            /* "Hierarchy" */
    sett_children_policy policy; /* of entities with SETT_CHILDREN_DEFAULT */
    uint32_t moved;              /* link of the first node in the list of moved nodes */
    uint32_t released;           /* parent (a link) of the entity last released */
    bool copies;                 /* clone.c attaches copies, and will run the callbacks */
    setti_root root;             /* makes `moved` part of the state */
} setti_hierarchy;

/* The link to no entity, for example the parent of a root. */
#define SETTI_NO_LINK 0u

/* A bit of `depth`. If it is set, the node is moved, and the other bits of `depth` are no depth,
 * but the link of the next moved node. */
#define SETTI_MOVED 0x80000000u

#define SETTI_CHILD 4u  /* `children` grows by this for each child */
#define SETTI_POLICY 3u /* the bits of `children` with the policy */
/* `children` of a node that can get no more children is at least this. */
#define SETTI_CHILDREN_LIMIT (UINT32_MAX - 2 * SETTI_CHILD)

enum {
    SETTI_SLOT_HIERARCHY = 0
};

SETTI_INLINE uint32_t setti_link_to(uint32_t index)
{
    return index + 1;
}

SETTI_INLINE uint32_t setti_link_index(uint32_t link)
{
    return link - 1; /* SETTI_NO_LINK becomes SETTI_NONE */
}

/* Returns the world's hierarchy, or NULL before the first use. */
SETTI_INLINE setti_hierarchy* setti_hierarchy_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_HIERARCHY];
}

SETTI_INLINE const sett_hierarchy* setti_hierarchy_find(const sett_world* world, uint32_t index)
{
    const setti_hierarchy* tree = setti_hierarchy_of(world);
    if (tree == NULL) {
        return NULL;
    }
    return setti_storage_find(&tree->type->storage, index);
}

/* Returns the link of an entity's parent, or 0 if there is no parent. */
SETTI_INLINE uint32_t setti_hierarchy_parent(const sett_world* world, uint32_t index)
{
    const sett_hierarchy* node = setti_hierarchy_find(world, index);
    return node != NULL ? node->parent : 0;
}

/* Registers the component if necessary. Returns 0 on failure. */
sett_component setti_hierarchy_register(sett_world* world);

static inline sett_entity setti_hierarchy_entity(const sett_world* world, uint32_t link)
{
    if (link == SETTI_NO_LINK) {
        return sett_null();
    }
    return setti_entity_at(&world->entities, setti_link_index(link));
}

/* Reports an error and returns false if `call` may not change the links of an entity. */
bool setti_hierarchy_check(sett_world* world, sett_entity entity, const char* call);

/* Observers that look up the hierarchy (hierarchy_observer.c). */
extern const setti_upward_calls setti_hierarchy_observers;
/* Runs on_exit before a node's parent becomes `new_parent` (a link). */
void setti_hierarchy_notify_moving(sett_world* world, uint32_t index, uint32_t new_parent);
/* Runs on_enter after a node has left the parent `old_parent` (a link). */
void setti_hierarchy_notify_moved(sett_world* world, uint32_t index, uint32_t old_parent);

/* Makes an entity's children roots, and runs the observers that look up the hierarchy. */
void setti_hierarchy_release(sett_world* world, uint32_t index);

/* Like sett_hierarchy_attach, but children of prefabs do not become prefabs. */
sett_status setti_hierarchy_attach(sett_world* world, sett_entity entity, sett_entity parent);

/* Makes a new entity the last child of `parent`. */
void setti_hierarchy_append(sett_world* world, uint32_t index, uint32_t parent);

#endif
