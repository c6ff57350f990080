/* describe.h: entities and values as text, for logs, tools and debuggers.
 *
 *     char text[256];
 *     sett_entity_describe(world, e, text, sizeof text);
 *     puts(text);                      entity 7:2 "level/tank": Position, Hull, Hierarchy, Name
 *     sett_print(world, e);            the same with values, to stderr:
 *
 *         entity 7:2 "level/tank"
 *             Position: x = 1.5 m, y = 2 m
 *             Hull: armour = 100, state = MOVING
 *             Hierarchy: child of 3:1, 2 children
 *
 * Values are shown by their members (members.h), with units and the names of constants; of types
 * without members the bytes are shown.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_DESCRIBE_H
#define SETT_DESCRIBE_H

#include "sett/core.h"

/* Formats an entity as snprintf does: its handle, its path if it has a name, its components in the
 * order of sett_entity_components. For a dead handle: the reason.
 * Returns the length of the whole text, without the terminating zero.
 * Cost: O(its components + dont_fragment types), plus the cost of its path.
 * Threads: reader; with names, as sett_name_path. Since: 0.1 */
SETT_API size_t sett_entity_describe(const sett_world* world, sett_entity entity, char* out,
                                     size_t size);

/* Formats the value of one component of an entity as snprintf does: `x = 1.5 m, state = OPEN`; ""
 * for a tag and for a component that the entity does not have.
 * Returns the length of the whole text. Cost: O(members). Threads: as sett_entity_describe.
 * Since: 0.2 */
SETT_API size_t sett_value_describe(sett_world* world, sett_entity entity, sett_component component,
                                    char* out, size_t size);

/* Formats an entity and all of its values as snprintf does, a line for each component.
 * Returns the length of the whole text. Cost: O(members). Threads: as sett_entity_describe.
 * Since: 0.2 */
SETT_API size_t sett_entity_describe_values(sett_world* world, sett_entity entity, char* out,
                                            size_t size);

/* Writes the text of sett_entity_describe_values to stderr, at most 8 KB of it: to be called from a
 * debugger. Allocates nothing and takes no lock; names are left out right after a restore, until
 * the program has used one.
 * Threads: reader. Since: 0.2 */
SETT_API void sett_print(const sett_world* world, sett_entity entity);

#endif
