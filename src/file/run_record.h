/* run_record.h: how far systems are, in a file. */
#ifndef SETTI_RUN_RECORD_H
#define SETTI_RUN_RECORD_H

#include "base/bytes.h"
#include "world/world.h"

/* Where a mirror holds the record of the world that it follows (setti_bytes), which is its own. */
enum {
    SETTI_SLOT_MIRRORED = 14
};

/* Writes down frames, time and the state of each system; nothing if there are no systems. False
 * when memory runs out. */
bool setti_run_encode(sett_world* world, setti_bytes* out);

/* Whether the bytes are of such a record. */
bool setti_run_check(const setti_bytes* from);

/* Puts it in the place of a world's, by the names of systems; unknown ones are skipped. The bytes
 * were checked; there may be none. */
void setti_run_apply(sett_world* world, const setti_bytes* from);

#endif
