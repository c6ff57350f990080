/* census.h - how many there are of each kind. */
#ifndef FREEDOOM_CENSUS_H
#define FREEDOOM_CENSUS_H

#include "simulation.h"

#define CENSUS_TYPES_MAX 256u /* rows of thing_table */

typedef struct Census {
    uint32_t entities;
    uint32_t components[COMPONENT_END];  /* how many entities have each; by id */
    uint32_t things[THING_CLASS_COUNT];  /* things by class; without corpses and missiles */
    uint32_t monsters[CENSUS_TYPES_MAX]; /* living, by row of thing_table */
} Census;

/* Counts. Returns false when memory runs out. */
bool census_take(const Simulation* sim, Census* census);

#endif
