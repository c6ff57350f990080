/* run_record.h: the record of the systems in a file: times, runs and loops of fixed steps. */
#ifndef SETTI_RUN_RECORD_H
#define SETTI_RUN_RECORD_H

#include "base/bytes.h"
#include "world/world.h"

/* A mirror's copy has the record of the original world here (setti_bytes). */
enum {
    SETTI_SLOT_MIRRORED = 14
};

/* Encodes the record. Returns false if memory runs out. */
bool setti_run_encode(sett_world* world, setti_bytes* out);

/* Returns true if the bytes are a valid record. */
bool setti_run_check(const setti_bytes* from);

/* Applies a checked record to the systems with the same names. */
void setti_run_apply(sett_world* world, const setti_bytes* from);

#endif
