/* name_table.h: what the hierarchy has to ask of names: siblings have different ones. */
#ifndef SETTI_NAME_TABLE_H
#define SETTI_NAME_TABLE_H

#include "world/world.h"

/* Whether an entity may come under another parent (a link, 0: become a root); fails as `call` if a
 * child there has its name. */
bool setti_name_may_move(sett_world* world, uint32_t index, uint32_t parent, const char* call);

/* To be called after it came under another parent. If a child there has its name, it loses its
 * own. */
void setti_name_moved(sett_world* world, uint32_t index, uint32_t from);

#endif
