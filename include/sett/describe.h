/* describe.h: an entity as text, for logs, tools and debuggers.
 *
 *     char text[256];
 *     sett_entity_describe(world, e, text, sizeof text);
 *     puts(text);                      entity 7:2 "level/tank": Position, Hull, Hierarchy, Name
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
SETT_API size_t sett_entity_describe(sett_world* world, sett_entity entity, char* out, size_t size);

#endif
