/* delta.h: what the two ends of a delta share: how its bytes are laid out, and what may travel.
 *
 *     head     magic, version, hash before, hash after, bytes in all, counts of the next three
 *     types    length of name, name, size, layout version, bytes a value, entries
 *     ended    index, generation            ascending by index
 *     begun    index, generation            ascending by index
 *     entries  kind, index, value           type by type, ascending by index; removed: no value
 *
 * All numbers are little-endian and lie one after another without gaps. A value is its declared
 * bytes (sett_component_desc.bytes).
 */
#ifndef SETTI_DELTA_H
#define SETTI_DELTA_H

#include "world/world.h"

#define SETTI_DELTA_MAGIC 0x44544553u /* "SETD" */
#define SETTI_DELTA_VERSION 1u
#define SETTI_DELTA_HEAD (8 * 4 + 2 * 4) /* bytes */

typedef enum setti_delta_kind {
    SETTI_DELTA_REMOVED,
    SETTI_DELTA_ADDED,
    SETTI_DELTA_CHANGED,
    SETTI_DELTA_KINDS
} setti_delta_kind;

/* NULL, or why values of this type cannot travel. */
const char* setti_delta_refuses(const setti_type* type);

/* Bytes of a value that are declared. */
uint32_t setti_delta_bytes(const setti_type* type);

/* Applies a delta; `trust` leaves out the comparison of hashes, for tests. */
sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, bool trust);

#endif
