/* sort.h: what other modules may ask of sort.c. */
#ifndef SETTI_SORT_H
#define SETTI_SORT_H

#include "world/world.h"

/* An order of entities, given one by one: their indices, then SETTI_NONE. */
typedef struct setti_sort_walk {
    uint32_t (*next)(struct setti_sort_walk* walk);
} setti_sort_walk;

/* Puts a sparse-set type's rows in the order of a walk that names each entity once at most;
 * entities
 * that it does not name follow as they are. Fails as sett_sort. */
sett_status setti_sort_in_order(sett_world* world, sett_component component, const char* call,
                                setti_sort_walk* walk);

/* Gives row k of a sparse-set type without gaps what lies in row from[k], for k < count. False when
 * memory runs out. */
bool setti_sort_rows(sett_world* world, setti_type* type, const uint32_t* from, uint32_t count);

#endif
