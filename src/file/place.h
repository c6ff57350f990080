/* place.h: the path of a file to write, and the files beside the path: .new, .previous, .lock. */
#ifndef SETTI_PLACE_H
#define SETTI_PLACE_H

#include "base/bytes.h"
#include "sett/file.h"
#include "world/world.h"

#define SETTI_PLACE_USER_MAX ((size_t)16 << 20) /* most bytes of a user block */

typedef struct setti_place {
    sett_world* world; /* gives memory, gets messages */
    const sett_files* files;
    const char* call;
    const char* path;
    setti_bytes next;     /* name of the file being written, .new */
    setti_bytes previous; /* name of the previous generation */
    setti_bytes lock_name;
    void* lock;        /* the held lock, or NULL */
    uint64_t identity; /* the identity of the saved stream */
    uint64_t size;     /* the bytes of the saved stream */
} setti_place;

/* Builds the names of the files beside the path. `desc` can be NULL. */
sett_status setti_place_init(setti_place* place, sett_world* world, const char* call,
                             const char* path, const sett_file_desc* desc);
/* Frees the names and releases the lock. */
void setti_place_deinit(setti_place* place);

/* Fails if a path is NULL or empty. */
sett_status setti_place_check_path(sett_world* world, const char* call, const char* path);

/* Fails if the user block is too large, or if its pointer is NULL although its size is not 0. */
sett_status setti_place_check_user(sett_world* world, const char* call, const sett_file_desc* desc);

/* Takes the lock of the path, to exclude other writers. */
sett_status setti_place_lock(setti_place* place);

/* Tells whether records will be added to a new file. */
typedef enum setti_place_end {
    SETTI_PLACE_COMPLETE, /* the file gets an END record */
    SETTI_PLACE_CONTINUES /* a journal adds records */
} setti_place_end;

/* Saves the world and the record `run` of the systems. The caller holds the lock. */
sett_status setti_place_save(setti_place* place, const sett_file_desc* desc, const setti_bytes* run,
                             setti_place_end end);

/* Like setti_place_save, but first encodes the record of the world's systems. */
sett_status setti_place_save_all(setti_place* place, const sett_file_desc* desc,
                                 setti_place_end end);

/* Returns a mark by which sett_world.whole_file recognises a complete file. */
uint64_t setti_place_mark(const char* name, uint64_t identity, uint64_t size);

/* Reports the error FILE. The message is the name of the file, then `what`. */
sett_status setti_place_fail(const setti_place* place, const char* name, const char* what);

static inline const char* setti_place_name(const setti_bytes* name)
{
    return (const char*)name->data;
}

/* Returns the file functions of the descriptor. If there are none, returns those of the
 * platform. */
static inline const sett_files* setti_place_files(const sett_file_desc* desc)
{
    if (desc != NULL && desc->files != NULL) {
        return desc->files;
    }
    return setti_platform_files();
}

#endif
