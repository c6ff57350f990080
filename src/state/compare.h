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
    uint64_t* begun;  /* the entities that begin at their index */
    uint64_t* marked; /* room for the caller's own marks */
    bool all;         /* tell of what may differ also where it is the same */
    setti_compare_sink* sink;
} setti_compare;

/* Makes room; false when memory runs out. The sink is set by the caller, at any time. */
bool setti_compare_init(setti_view* view, setti_compare* compare);

void setti_compare_deinit(setti_compare* compare);

/* Tells the sink of all entities, ascending; then, and only then, of a type's values, ascending by
 * entity. */
void setti_compare_entities(setti_compare* compare);
void setti_compare_type(setti_compare* compare, const setti_type* type);

/* The latter in two steps, for who has marks to add: the indices of a type that may differ, added
 * to `bits`; then telling of those that are in `bits`. */
void setti_compare_mark(setti_compare* compare, const setti_type* type);
void setti_compare_notify(setti_compare* compare, const setti_type* type);

static inline void setti_compare_set(uint64_t* bits, uint32_t index)
{
    bits[index / 64] |= (uint64_t)1 << (index % 64);
}

#endif
