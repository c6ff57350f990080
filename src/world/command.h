/* command.h: command buffers, as the world sees them. */
#ifndef SETTI_COMMAND_H
#define SETTI_COMMAND_H

#include "world/world.h"

/* Frees a buffer, the world's own or another, and drops what it holds. */
void setti_commands_free(sett_commands* commands);

/* The next buffer of the world, or NULL. */
const sett_commands* setti_commands_next(const sett_commands* commands);

/* Adds up the commands' memory and their calls for memory, for statistics. */
void setti_commands_stats(const sett_world* world, size_t* size, uint64_t* allocations);

#endif
