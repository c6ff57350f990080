/* describe.h: an entity in words, for logs, tools and debuggers. Opt-in.
 *
 *     char text[256];
 *     sett_entity_describe(world, e, text, sizeof text);
 *     puts(text);                      entity 7:2 "level/tank": Position, Hull, Hierarchy, Name
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_DESCRIBE_H
#define SETT_DESCRIBE_H

#include "sett/sett.h"

/* Writes what a handle is of, as snprintf does: the entity, its path if it has a name, the
 * components that it has, in the order of sett_entity_components; of a handle that is of nobody,
 * why.
 * Returns the length of the whole text.
 * Cost: O(components it has + dont_fragment types), plus that of its path.
 * Threads: reader, where there are names as sett/name.h says. Since: 0.1 */
SETT_API size_t sett_entity_describe(sett_world* world, sett_entity entity, char* out, size_t size);

#endif
