/* selection.h: a part of a world: which entities, which types. */
#ifndef SETTI_SELECTION_H
#define SETTI_SELECTION_H

#include "sett/state.h"
#include "world/world.h"

/* The entities of a selection: ascending by index, each once; stale handles of its list too. */
typedef struct setti_selected {
    sett_entity* entity;
    uint32_t count;
    uint32_t capacity;
} setti_selected;

/* Finds them. Fails, for `call`: ARGUMENT (a list and a query), UNREGISTERED, OUT_OF_MEMORY. */
sett_status setti_selection_find(sett_world* world, const sett_selection* selection,
                                 const char* call, setti_selected* out);
void setti_selection_free(sett_world* world, setti_selected* selected);

/* Whether it has a handle. */
bool setti_selected_has(const setti_selected* selected, sett_entity entity);

/* Whether the selection has a type. */
bool setti_selection_has_type(const sett_selection* selection, const setti_type* type);

#endif
