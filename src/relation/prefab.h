/* prefab.h: prefabs, for other files. */
#ifndef SETTI_PREFAB_H
#define SETTI_PREFAB_H

#include "sett/prefab.h"
#include "world/world.h"

/* The tags that hide entities, in world->hidden. */
enum {
    SETTI_HIDDEN_DISABLED,
    SETTI_HIDDEN_PREFAB
};

enum {
    SETTI_MODULE_TYPE_INSTANCE_OF = 0 /* in world->module_type */
};

/* Functions that the hierarchy calls by pointer, so that programs without prefabs do not link
 * them. */
typedef struct setti_prefabs {
    sett_status (*make)(sett_world* world, sett_entity entity); /* sett_prefab_make */
} setti_prefabs;

enum {
    SETTI_SLOT_PREFABS = 4
};

/* Returns NULL before a tag of world->hidden is registered. */
SETTI_INLINE const setti_prefabs* setti_prefabs_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_PREFABS];
}

#endif
