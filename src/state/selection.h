/* selection.h: a part of a world: some of the entities and types. */
#ifndef SETTI_SELECTION_H
#define SETTI_SELECTION_H

#include "base/bytes.h"
#include "sett/state.h"
#include "world/world.h"

/* The entities of a selection, ascending by index. Some handles may be stale. */
typedef struct setti_selected {
    sett_entity* entity;
    uint32_t count;
    uint32_t capacity;
} setti_selected;

/* Checks the lists and types of a selection. */
sett_status setti_selection_check(sett_world* world, const sett_selection* selection,
                                  const char* call);

/* Finds the entities of a selection. */
sett_status setti_selection_find(sett_world* world, const sett_selection* selection,
                                 const char* call, setti_selected* out);
void setti_selection_free(sett_world* world, setti_selected* selected);

/* Appends a handle to a list. Returns false if memory runs out. */
bool setti_selected_add(sett_world* world, setti_selected* selected, sett_entity entity);

bool setti_selected_has(const setti_selected* selected, sett_entity entity);

/* A part of a world to encode: changes since the snapshot `since`, or writes after `tick`. */
typedef struct setti_part {
    const sett_selection* selection;
    sett_snapshot since;
    const sett_world* into; /* the receiving world, or NULL */
    uint64_t tick;
} setti_part;

/* Encodes a part into memory of the pool. The caller frees `out`, after a failure as well. */
sett_status setti_selection_encode(sett_world* world, const setti_part* part, const char* call,
                                   setti_bytes* out);

/* Encodes ascending lists of destroyed and created entities. */
sett_status setti_selection_encode_handles(sett_world* world, const setti_selected* ended,
                                           const setti_selected* begun, const char* call,
                                           setti_bytes* out);

bool setti_selection_has_type(const sett_selection* selection, const setti_type* type);

#endif
