/* load.h: what a file contains, in a world of its own. */
#ifndef SETTI_LOAD_H
#define SETTI_LOAD_H

#include "base/bytes.h"
#include "sett/file.h"
#include "world/world.h"

typedef struct setti_loaded {
    sett_world* apart; /* with the types of the program, as it has them */
    setti_bytes run;   /* how far systems are; of the pool of the program's world */
    sett_load_result result;
} setti_loaded;

/* Reads a file as sett_world_load does, and fails as that does; `world` stays as it is. */
sett_status setti_load_apart(sett_world* world, const char* call, const char* path,
                             const sett_file_desc* desc, setti_loaded* out);
void setti_loaded_free(sett_world* world, setti_loaded* loaded);

#endif
