/* compare.h: all that differs between the two sides of a view. */
#ifndef SETTI_COMPARE_H
#define SETTI_COMPARE_H

#include "state/view.h"

/* Told of all that differs. Handles and values are NULL, or null, on the side where they are not;
 * an entity that ended and began again at its index is told as both. */
typedef struct setti_compare_sink {
    void (*entity)(struct setti_compare_sink* sink, const sett_entity* ended,
                   const sett_entity* begun);
    void (*value)(struct setti_compare_sink* sink, sett_entity was, const void* before,
                  sett_entity is, const void* after);
} setti_compare_sink;

typedef struct setti_compare {
    setti_view* view;
    uint64_t* bits; /* by entity index: what may differ */
    size_t words;
    uint64_t* begun; /* the entities that begin at their index */
    setti_compare_sink* sink;
} setti_compare;

/* Makes room; false when memory runs out. The sink is set by the caller, at any time. */
bool setti_compare_init(setti_view* view, setti_compare* compare);

void setti_compare_deinit(setti_compare* compare);

/* Tells the sink of all entities, ascending; then, and only then, of a type's values, ascending by
 * entity. */
void setti_compare_entities(setti_compare* compare);
void setti_compare_type(setti_compare* compare, const setti_type* type);

#endif
