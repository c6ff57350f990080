/* name.h: names of entities, and finding entities by path. Opt-in.
 *
 *     sett_name_set(world, map, "map01");
 *     sett_name_set(world, door, "door");
 *     sett_hierarchy_attach(world, door, map);
 *     sett_entity same = sett_name_lookup(world, sett_null(), "map01/door");
 *
 * A name is the component "Name", which queries, signatures and statistics see like any other;
 * entities without it pay nothing. It is unique among siblings, and roots are siblings of each
 * other (sett/hierarchy.h). A text is stored once, however many entities have it; the room of texts
 * that no entity uses is given to new ones, and back by sett_world_trim. Looking up allocates
 * nothing.
 *
 * A restored state, a delta and a world that was cloned into bring their names. What finds texts
 * and names is made anew when it is first used then, which counts as writing: what is marked
 * `reader` below, and sett_entity_describe, is for `writer` until then. One sett_name_find, of a
 * name that some entity has, makes all of it; should memory run out, the next call tries again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_NAME_H
#define SETT_NAME_H

#include "sett/sett.h"

/* Bytes in a name at most. */
#define SETT_NAME_MAX 1000

/* The component "Name". For reading: only the functions below may write it. */
typedef struct sett_name {
    uint64_t key; /* which text: a hash of it, the same in every world; 0: no name */
} sett_name;

/* Registers the component under a number of the caller's, 0: a free one from 1,024 on. Not needed,
 * unless for that: the first use does it.
 * Returns its id, 0 on failure. Fails: as sett_component_register.
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_name_register(sett_world* world, sett_component id);

/* Returns the component's id, 0 if it is not registered. Threads: reader. Since: 0.1 */
SETT_API sett_component sett_name_component(const sett_world* world);

/* Names an entity, or gives it another name.
 *   name  1 to SETT_NAME_MAX bytes, none of them '/'; copied if it is new to the world
 * Fails: STALE, ARGUMENT (such a name), CONFLICT (a sibling has it; the message names both), LOCKED
 * (a loop is open and the entity lacks the component; or it is being destroyed), OUT_OF_MEMORY.
 * Cost: O(bytes); now and then, once as many bytes of texts were added as are in use, O(names), to
 * find texts that no entity uses.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_name_set(sett_world* world, sett_entity entity, const char* name);

/* Records it, to be applied with other commands (sett.h). Then an entity that is gone is passed
 * over; a name that a sibling has is rejected: the entity keeps the one it has, if any, and
 * sett_world_error says so. To record that a name goes, record that the component does:
 * sett_cmd_remove(commands, entity, sett_name_component(world)).
 *   name  as for sett_name_set; copied
 * Fails: ARGUMENT (such a name), OUT_OF_MEMORY, LIMIT. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_name_set(sett_commands* commands, sett_entity entity,
                                       const char* name);

/* Takes the name off, and the component with it; without one nothing happens.
 * Fails: STALE, LOCKED, OUT_OF_MEMORY. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_name_clear(sett_world* world, sett_entity entity);

/* Returns the name, NULL without one. Valid until the entity is renamed or loses it, or a state is
 * restored.
 * Cost: O(1). Threads: reader, as said above. Since: 0.1 */
SETT_API const char* sett_name_get(sett_world* world, sett_entity entity);

/* Returns who of a parent's children (null: of the roots) has this name; null if none has.
 * Cost: O(bytes). Threads: reader, as said above. Since: 0.1 */
SETT_API sett_entity sett_name_find(sett_world* world, sett_entity parent, const char* name);

/* Returns the entity at the end of a path, names with '/' between them, from an entity down (null:
 * from the roots). A path that begins with '/' goes from the roots in any case. Null if a name on
 * the way is missing, empty, or the path is.
 * Cost: O(bytes). Threads: reader, as said above. Since: 0.1 */
SETT_API sett_entity sett_name_lookup(sett_world* world, sett_entity from, const char* path);

/* Writes the path of an entity from its root, as snprintf does. Ancestors without a name are
 * written as '#' and their index, which cannot be looked up.
 * Returns the length of the whole path; 0, and writes "", for a stale handle.
 * Cost: O(bytes of the path). Threads: reader, as said above. Since: 0.1 */
SETT_API size_t sett_name_path(sett_world* world, sett_entity entity, char* out, size_t size);

/* Walks all entities of this name, whoever their parents are: start with *cursor = 0, end at null.
 * Names may be set and cleared between two calls.
 *
 *     uint32_t cursor = 0;
 *     sett_entity e;
 *     while (e = sett_name_next(world, "door", &cursor), !sett_is_null(e)) { ... }
 *
 * Cost: O(names in the world) for a whole walk. Threads: reader, as said above. Since: 0.1 */
SETT_API sett_entity sett_name_next(sett_world* world, const char* name, uint32_t* cursor);

#endif
