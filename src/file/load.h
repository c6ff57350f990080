/* load.h: the contents of a file, in a separate world. */
#ifndef SETTI_LOAD_H
#define SETTI_LOAD_H

#include "base/bytes.h"
#include "base/writer.h"
#include "sett/file.h"
#include "world/world.h"

typedef struct setti_loaded {
    sett_world* contents; /* a separate world, with the program's types */
    setti_bytes run;      /* the record of the systems, in the pool of the program's world */
    sett_load_result result;
} setti_loaded;

/* Reads a file into a separate world. If no error is returned, setti_loaded_free must follow. */
sett_status setti_load_apart(sett_world* world, const char* call, const char* path,
                             const sett_file_desc* desc, setti_loaded* out);
void setti_loaded_free(sett_world* world, setti_loaded* loaded);

/* Returns the default limit of memory for a file of `size` bytes. */
size_t setti_load_default_limit(const sett_world* world, uint64_t size);

/* Returns the message of a separate world, without the name of the call that begins the message. */
static inline const char* setti_load_why(const sett_world* separate)
{
    return setti_message_why(sett_world_message(separate));
}

#endif
