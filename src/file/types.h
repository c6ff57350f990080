/* types.h: the component types of a file. */
#ifndef SETTI_TYPES_H
#define SETTI_TYPES_H

#include "base/bytes.h"
#include "world/world.h"

/* Encodes all types of a world. Returns false if memory runs out. */
bool setti_types_encode(sett_world* world, setti_bytes* out);

/* Registers the types of a record in `world`, for the program's world `to_world`. Adds the number
 * of types that `to_world` lacks to *unknown. */
sett_status setti_types_decode(sett_world* world, const sett_world* to_world,
                               const setti_bytes* from, uint32_t* unknown);

/* Logs the types of a loaded world that the program has not registered. */
void setti_types_report(const sett_world* world, const sett_world* apart, const char* call);

/* Returns true if values of `a` are values of `b` without a conversion. */
bool setti_types_same(const setti_type* a, const setti_type* b);

#endif
