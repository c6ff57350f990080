/* load.h: the contents of a file, in a world of its own. */
#ifndef SETTI_LOAD_H
#define SETTI_LOAD_H

#include "base/bytes.h"
#include "sett/file.h"
#include "world/world.h"

typedef struct setti_loaded {
    sett_world* apart; /* with the program's types */
    setti_bytes run;   /* systems' record; in the pool of the program's world */
    sett_load_result result;
} setti_loaded;

/* Reads a file like sett_world_load, and fails like it, without changing `world`. */
sett_status setti_load_apart(sett_world* world, const char* call, const char* path,
                             const sett_file_desc* desc, setti_loaded* out);
void setti_loaded_free(sett_world* world, setti_loaded* loaded);

/* The memory for the contents of a file of `size` bytes, in bytes, if the program sets no limit. */
size_t setti_load_default_limit(const sett_world* world, uint64_t size);

/* Why a world rejected a delta: its message, without the call, which is not the program's. */
const char* setti_load_why(const sett_world* apart);

#endif
