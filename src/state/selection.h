/* selection.h: a part of a world: some of the entities and types. */
#ifndef SETTI_SELECTION_H
#define SETTI_SELECTION_H

#include "base/bytes.h"
#include "sett/state.h"
#include "world/world.h"

/* The entities of a selection, ascending by index. */
typedef struct setti_selected {
    sett_entity* entity; /* some handles may be stale */
    uint32_t count;
    uint32_t capacity;
} setti_selected;

sett_status setti_selection_check(sett_world* world, const sett_selection* selection,
                                  const char* call);

/* Checks a selection, and lists the selected entities. These are the listed entities, or the
 * entities of the query. Without a list and a query, all entities are selected. */
sett_status setti_selection_find(sett_world* world, const sett_selection* selection,
                                 const char* call, setti_selected* out);
void setti_selection_free(sett_world* world, setti_selected* selected);

/* Appends a handle to a list. Returns false if memory runs out. */
bool setti_selected_add(sett_world* world, setti_selected* selected, sett_entity entity);

bool setti_selected_has(const setti_selected* selected, sett_entity entity);

/* A part of a world to encode. */
typedef struct setti_part {
    const sett_selection* selection;
    sett_snapshot since;        /* changes after this snapshot are sent; null: `tick` decides */
    const sett_world* to_world; /* the receiving world, or NULL if it is not known */
    uint64_t tick; /* values written later are sent, and values that `to_world` lacks; 0: all */
} setti_part;

/* Encodes a part. The caller frees `out`, also after a failure. */
sett_status setti_selection_encode(sett_world* world, const setti_part* part, const char* call,
                                   setti_bytes* out);

/* Encodes the handles of destroyed entities (`ended`) and created entities (`begun`). */
sett_status setti_selection_encode_handles(sett_world* world, const setti_selected* ended,
                                           const setti_selected* begun, const char* call,
                                           setti_bytes* out);

bool setti_selection_has_type(const sett_selection* selection, const setti_type* type);

#endif
