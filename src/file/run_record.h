/* run_record.h: the *systems' record* of a file: how far systems are. */
#ifndef SETTI_RUN_RECORD_H
#define SETTI_RUN_RECORD_H

#include "base/bytes.h"
#include "world/world.h"

/* The slot of a mirror for the record of the world that it follows (setti_bytes). */
enum {
    SETTI_SLOT_MIRRORED = 14
};

/* Encodes how far systems are; nothing without systems. Returns false when memory runs out. */
bool setti_run_encode(sett_world* world, setti_bytes* out);

/* Whether bytes are a valid record. */
bool setti_run_check(const setti_bytes* from);

/* Applies a checked record, which can be empty, to the systems of the same names. */
void setti_run_apply(sett_world* world, const setti_bytes* from);

#endif
