/* group.h: sets of entities that are kept up to date. A part of core.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_GROUP_H
#define SETT_GROUP_H

#include "sett/base.h"
#include "sett/id.h"

/* The most types in one list of a group. */
#define SETT_GROUP_TYPES 16

/* A group is the set of entities that have all of `owned` and `with`, and none of `without`. The
 * library updates it at each structural change.
 *
 * A group with `owned` types keeps its members in the first rows of the owned storages, in the same
 * order in each. Queries over these types then read plain arrays. When an entity enters or leaves,
 * two rows of each owned storage are exchanged.
 *
 * A group without `owned` types moves nothing. It stores one bit for each entity. Queries read this
 * bit instead of testing each type. */
typedef struct sett_group_desc {
    const char* name; /* for messages; default: "group" */
    /* Lists of types; each ends at the first 0. Owned types are in sparse sets, or have
     * SETT_STORAGE_DEFAULT. They do not have keep_order, and no other group owns them. Entities
     * with the tag Disabled or Prefab can be members too */
    sett_component owned[SETT_GROUP_TYPES];
    sett_component with[SETT_GROUP_TYPES];
    sett_component without[SETT_GROUP_TYPES];

    /* Callbacks: on_enter after an entity became a member (after on_add), on_exit before it leaves
     * the group (before on_remove). In both, the entity has all components of the group. Structure
     * is locked. */
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);
    void* user;
} sett_group_desc;

typedef struct sett_group sett_group;

SETT_API sett_group* sett_group_create_sized(sett_world* world, const sett_group_desc* desc,
                                             size_t size);

/* Creates a group. sett_world_destroy frees it. Entities that are members from the start enter
 * without callbacks.
 * Returns NULL on failure. Fails: ARGUMENT (`owned` and `with` are empty; a type twice; a
 * dont_fragment type; an owned type that has keep_order or was registered as an array; a type with
 * can_disable in `without`), UNREGISTERED, CONFLICT (another group owns the type), LOCKED (also if
 * a snapshot exists), OUT_OF_MEMORY.
 * Cost: O(entities of one of its types). Invalidates: addresses of owned types.
 * Threads: writer. Since: 0.1 */
static inline sett_group* sett_group_create(sett_world* world, const sett_group_desc* desc)
{
    return sett_group_create_sized(world, desc, sizeof(*desc));
}

/* Destroys a group; its entities do not change. NULL is fine.
 * Fails: LOCKED (also if a snapshot exists). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_group_destroy(sett_group* group);

/* Returns the number of members. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_group_count(const sett_group* group);

/* Returns whether the entity is a member. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API bool sett_group_has(const sett_group* group, sett_entity entity);

#endif
