/* run_record.h: the record of the systems in a file: times, runs and loops of fixed steps. */
#ifndef SETTI_RUN_RECORD_H
#define SETTI_RUN_RECORD_H

#include "base/bytes.h"
#include "world/world.h"

/* In a mirror's copy, this module points to a setti_bytes with the original world's record. */
enum {
    SETTI_SLOT_MIRRORED = 14
};

/* Encodes the record. `out` stays empty if the world has no systems. Returns false if memory runs
 * out. */
bool setti_run_encode(sett_world* world, setti_bytes* out);

/* Returns true if the bytes are a valid record. */
bool setti_run_check(const setti_bytes* record);

/* Applies a checked record to the systems with the same names, and to the loops with the same
 * steps. */
void setti_run_apply(sett_world* world, const setti_bytes* record);

#endif
