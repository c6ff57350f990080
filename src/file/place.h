/* place.h: a path and its neighbours (.new, .previous, .lock), for functions that write there. */
#ifndef SETTI_PLACE_H
#define SETTI_PLACE_H

#include "base/bytes.h"
#include "sett/file.h"
#include "world/world.h"

#define SETTI_PLACE_USER_MAX ((size_t)16 << 20) /* bytes of a user block */

typedef struct setti_place {
    sett_world* world; /* for memory and messages */
    const sett_files* files;
    const char* call;
    const char* path;
    setti_bytes next;     /* names: what is being written, */
    setti_bytes previous; /* what was there before, */
    setti_bytes lock_name;
    void* lock;        /* NULL: it is not held */
    uint64_t identity; /* of the stream that was saved, */
    uint64_t size;     /* and its bytes */
} setti_place;

/* Fills in the names. Fails: ARGUMENT (no path), OUT_OF_MEMORY. */
sett_status setti_place_init(setti_place* place, sett_world* world, const char* call,
                             const char* path, const sett_file_desc* desc);

/* Whether a user block can be saved. Fails: ARGUMENT (NULL with a size, or above the limit). */
sett_status setti_place_check_user(sett_world* world, const char* call, const sett_file_desc* desc);

/* Frees them, and the lock. */
void setti_place_deinit(setti_place* place);

/* Excludes other writers. Fails: LOCKED. */
sett_status setti_place_lock(setti_place* place);

/* Writes the state of the world to a new file and exchanges it for the one at the path, which is
 * kept. The place is locked. `run`: how far systems are. `end`: nothing will follow. Fails: as
 * sett_world_save. */
sett_status setti_place_save(setti_place* place, const sett_file_desc* desc, const setti_bytes* run,
                             bool end);

/* Like setti_place_save, with the state of the world's own systems as `run`. */
sett_status setti_place_save_all(setti_place* place, const sett_file_desc* desc, bool end);

/* What a world remembers of a file that it knows to be whole (`whole_file`). */
uint64_t setti_place_mark(const char* name, uint64_t identity, uint64_t size);

/* FILE: what could not be done with a file. */
sett_status setti_place_fail(const setti_place* place, const char* name, const char* what);

static inline const char* setti_place_name(const setti_bytes* name)
{
    return (const char*)name->data;
}

static inline const sett_files* setti_place_files(const sett_file_desc* desc)
{
    return desc != NULL && desc->files != NULL ? desc->files : setti_platform_files();
}

#endif
