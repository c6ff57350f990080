/* name.h: names of entities, and lookup by path.
 *
 *     sett_name_set(world, map, "map01");
 *     sett_name_set(world, door, "door");
 *     sett_hierarchy_attach(world, door, map);
 *     sett_entity same = sett_name_lookup(world, sett_null(), "map01/door");
 *
 * A name is a component, "Name". Queries see it as any other. Entities without a name cost nothing.
 * Names are unique among siblings; roots count as siblings (hierarchy.h). Entities with the same
 * name share one stored text. Lookups allocate nothing.
 *
 * Names that players or files bring can be made to have one hash. At most 64 names of a hash are
 * taken in a world, so that they cannot make look-ups slow.
 *
 * Threads. Systems can call what is marked `reader`: sett_progress and sett_system_run bring the
 * index of names up to date before. Outside of systems, the first call after a restore, a delta or
 * a clone rebuilds the index. This call is `writer`, even if it is marked `reader (see above)`. So
 * is sett_entity_describe. Before threads of your own read names, call sett_name_find with an
 * existing name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_NAME_H
#define SETT_NAME_H

#include "sett/core.h"

/* The most bytes that a name can have. */
#define SETT_NAME_MAX 1000

/* The component "Name". Its id is SETT_ID_NAME. In macros its C type is sett_name:
 * SETT_WITH(sett_name). Only the functions below change it: sett_set, and queries that write it,
 * fail (ARGUMENT). */
typedef struct sett_name {
    uint64_t key; /* a hash of the text, the same in every world; 0: no name */
} sett_name;

enum {
    sett_name_id = SETT_ID_NAME
};

/* Registers the component. The first use of a name does it too. Call it earlier to name the
 * component in a query or an observer.
 * Returns SETT_ID_NAME; 0 on failure. Fails: as sett_component_register.
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_name_register(sett_world* world);

/* Names or renames an entity. To remove a name: sett_remove(world, entity, SETT_ID_NAME).
 *   name  1 to SETT_NAME_MAX bytes without '/'; not ".", "..", or '#' and a number, which have a
 *         meaning in paths; copied
 * Fails: STALE, ARGUMENT (not such a name), CONFLICT (a sibling has the name; the
 * message names both), LOCKED (in a system that is not exclusive; in a loop, if the entity
 * has no name yet; or the entity is being destroyed), LIMIT (64 names have its hash),
 * OUT_OF_MEMORY.
 * Cost: O(bytes), amortised: each time the stored texts double, unused ones are collected in
 * O(names).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_name_set(sett_world* world, sett_entity entity, const char* name);

/* Names or renames an entity as sett_name_set does; if a sibling has the name, puts a number behind
 * it: "Door", "Door 2", "Door 3". The number is the one after the numbers that are taken, or one of
 * a gap between them. A name that is too long for its number is cut. For importing: 10,000
 * entities of one name take about as long as of 10,000 names.
 * Fails: as sett_name_set, but for CONFLICT (only if a callback has given the name to a sibling).
 * Cost: as sett_name_set, plus O(log n) lookups for n siblings with the name.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_name_set_unique(sett_world* world, sett_entity entity, const char* name);

/* Records sett_name_set (commands: core.h). The applied command is skipped if the entity is dead.
 * It is rejected if a sibling has the name: see sett_world_error. To remove a name:
 * sett_cmd_remove(commands, entity, SETT_ID_NAME).
 *   name  as for sett_name_set; copied
 * Fails: ARGUMENT (as sett_name_set), OUT_OF_MEMORY, LIMIT. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_name_set(sett_commands* commands, sett_entity entity,
                                       const char* name);

/* Returns the name; NULL if there is none. Valid until the entity is renamed, its name is removed,
 * or a state is restored.
 * Cost: O(1). Threads: reader (see above). Since: 0.1 */
SETT_API const char* sett_name_get(const sett_world* world, sett_entity entity);

/* Returns the child of `parent` that has this name; null if there is none. If `parent` is null,
 * looks among the roots.
 * Cost: O(bytes). Threads: reader (see above). Since: 0.1 */
SETT_API sett_entity sett_name_find(const sett_world* world, sett_entity parent, const char* name);

/* Returns the entity at the end of a path of names, such as "map01/door"; null if there is none.
 * Debug builds report a path with dots that slashes would lead to an entity: names may have dots.
 * A part ".." leads to the parent; from a root, to the roots. A part "#12" leads to the child with
 * entity index 12: so each path that sett_name_path writes leads back to its entity.
 *   from  where the path starts; null: the scope (sett_hierarchy_set_scope) if there is one, else
 *         the roots. A path that begins with '/' starts at the roots
 * Cost: O(bytes). Threads: reader (see above). Since: 0.1 */
SETT_API sett_entity sett_name_lookup(const sett_world* world, sett_entity from, const char* path);

/* Like sett_name_lookup. Creates the entities of the path that do not exist.
 * Returns null on failure; what it had created is destroyed, and those handles do not come back.
 * Fails: as sett_entity_create, sett_hierarchy_attach and sett_name_set (a part "#12" has to
 * exist); ARGUMENT also for an empty part, and for ".." after a part that does not exist.
 * Cost: as these. Threads: writer. Since: 0.2 */
SETT_API sett_entity sett_name_ensure(sett_world* world, sett_entity from, const char* path);

/* Formats the path of an entity from its root, as snprintf does. An entity without a name is
 * written as '#' and its index. sett_name_lookup finds the entity by its path.
 * Returns the length of the whole path; for a stale handle 0, and writes "".
 * Cost: O(bytes of the path). Threads: reader (see above). Since: 0.1 */
SETT_API size_t sett_name_path(const sett_world* world, sett_entity entity, char* out, size_t size);

/* Walks all entities that have this name, in any scope: start with *cursor = 0, end at null. Names
 * may be set and cleared between two calls.
 *
 *     uint32_t cursor = 0;
 *     sett_entity e;
 *     while (e = sett_name_next(world, "door", &cursor), !sett_is_null(e)) { ... }
 *
 * Cost: O(names in the world) for a whole walk. Threads: reader (see above). Since: 0.1 */
SETT_API sett_entity sett_name_next(const sett_world* world, const char* name, uint32_t* cursor);

#endif
