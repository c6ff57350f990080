/* types.h: the component types of a file. */
#ifndef SETTI_TYPES_H
#define SETTI_TYPES_H

#include "base/bytes.h"
#include "world/world.h"

/* Writes down all types of a world. False when memory runs out. */
bool setti_types_encode(sett_world* world, setti_bytes* out);

/* Registers the types of such a record in a world that is to be read into: those that `into` knows
 * as it has them, all others as opaque bytes; *unknown counts those. Fails: INVALID, CONFLICT,
 * ARGUMENT (values of one that `into` has cannot be read), OUT_OF_MEMORY; the message is
 * `world`'s. */
sett_status setti_types_decode(sett_world* world, const sett_world* into, const setti_bytes* from,
                               uint32_t* unknown);

/* Logs a warning of `call` that names the types of `apart`, the world that a file was loaded into,
 * which the program has not registered. */
void setti_types_report(const sett_world* world, const sett_world* apart, const char* call);

/* Whether values of one can be taken for values of the other. */
bool setti_types_same(const setti_type* a, const setti_type* b);

#endif
