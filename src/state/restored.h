/* restored.h: reports the changes that a restore makes. */
#ifndef SETTI_RESTORED_H
#define SETTI_RESTORED_H

#include "state/compare.h"

typedef struct setti_restored {
    sett_restored* item;
    uint32_t count;
    uint32_t capacity;
} setti_restored;

/* Collects the changes that a restore of `target` will make. Returns false if memory runs out. */
bool setti_restored_find(sett_world* world, setti_snapshot* target, setti_restored* list);

void setti_restored_notify(sett_world* world, const setti_restored* list);

void setti_restored_free(sett_world* world, setti_restored* list);

#endif
