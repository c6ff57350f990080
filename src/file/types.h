/* types.h: the component types of a file. */
#ifndef SETTI_TYPES_H
#define SETTI_TYPES_H

#include "base/bytes.h"
#include "world/world.h"

/* Encodes all types of a world. Returns false if memory runs out. */
bool setti_types_encode(sett_world* world, setti_bytes* out);

/* Registers the types of the record `record` in `world`, a separate world. *unknown is increased by
 * the number of types that the program's world `to_world` lacks. */
sett_status setti_types_decode(sett_world* world, const sett_world* to_world,
                               const setti_bytes* record, uint32_t* unknown);

/* Logs the types of the loaded world `loaded` that the program has not registered in `world`. */
void setti_types_report(const sett_world* world, const sett_world* loaded, const char* call);

/* Returns true if values of the type `a` need no conversion to become values of the type `b`. */
bool setti_types_same(const setti_type* a, const setti_type* b);

#endif
