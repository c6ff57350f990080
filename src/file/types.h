/* types.h: the component types of a file. */
#ifndef SETTI_TYPES_H
#define SETTI_TYPES_H

#include "base/bytes.h"
#include "world/world.h"

/* Encodes all types of a world. Returns false when memory runs out. */
bool setti_types_encode(sett_world* world, setti_bytes* out);

/* Registers the types of a record in a world for reading: like those of `into`, or else as opaque
 * bytes, counted in *unknown. Fails, with `world`'s message: INVALID, CONFLICT, ARGUMENT (values of
 * one of `into`'s types cannot be read), OUT_OF_MEMORY. */
sett_status setti_types_decode(sett_world* world, const sett_world* into, const setti_bytes* from,
                               uint32_t* unknown);

/* Logs, as `call`, the types of a loaded world `apart` that the program has not registered. */
void setti_types_report(const sett_world* world, const sett_world* apart, const char* call);

/* Whether values of one type can be used as values of the other. */
bool setti_types_same(const setti_type* a, const setti_type* b);

#endif
