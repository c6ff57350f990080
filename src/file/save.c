/* save.c: writes the state of a world so that a crash at any moment leaves a complete file.
 *
 * The workload: a player saves, and the machine loses power. So no file is overwritten. The new
 * file is written beside the old file and synced before the renames:
 *
 *     write  "<path>.new"  sync     rename  path -> "<path>.previous"     rename  .new -> path
 *     sync the folder
 *
 * A damaged file must not replace a complete "<path>.previous". So the file at `path` is read up to
 * the end of the state, which takes 2 ms for 6 MB. If this world has written or loaded the file,
 * only the header and the size are compared. Rejected: reading only the end of each file. That was
 * as fast, and overlooked damage.
 *
 * Invariant:  whichever renames have reached the disk, one of the three names leads to the old or
 *             the new state; after the last step `path` leads to the new state
 */
#include "base/checksum.h"
#include "file/place.h"
#include "file/run_record.h"
#include "file/stream.h"
#include "file/types.h"
#include "state/delta.h"
#include "state/snapshot.h"

/* Builds the name of a file beside the path. Returns false if memory runs out. */
SETTI_COLD static bool place_name(setti_pool* pool, const char* path, const char* suffix,
                                  setti_bytes* name)
{
    size_t path_size = strlen(path);
    size_t suffix_size = strlen(suffix) + 1; /* with the zero */
    if (!setti_bytes_reserve(pool, name, path_size + suffix_size)) {
        return false;
    }
    memcpy(name->data, path, path_size);
    memcpy(name->data + path_size, suffix, suffix_size);
    name->size = path_size + suffix_size;
    return true;
}

sett_status setti_place_check_path(sett_world* world, const char* call, const char* path)
{
    if (path == NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `path` is NULL - pass the path of a file", call);
    }
    if (path[0] == '\0') {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `path` is empty - pass the path of a file", call);
    }
    return SETT_OK;
}

SETTI_COLD sett_status setti_place_init(setti_place* place, sett_world* world, const char* call,
                                        const char* path, const sett_file_desc* desc)
{
    memset(place, 0, sizeof(*place));
    place->world = world;
    place->call = call;
    place->path = path;
    place->files = setti_place_files(desc);
    sett_status status = setti_place_check_path(world, call, path);
    if (status != SETT_OK) {
        return status;
    }
    if (!place_name(&world->pool, path, ".new", &place->next) ||
        !place_name(&world->pool, path, ".previous", &place->previous) ||
        !place_name(&world->pool, path, ".lock", &place->lock_name)) {
        setti_place_deinit(place);
        return setti_world_no_memory(world, call);
    }
    return SETT_OK;
}

void setti_place_deinit(setti_place* place)
{
    if (place->lock != NULL) {
        place->files->unlock(place->files->user, place->lock);
        place->lock = NULL;
    }
    setti_bytes_free(&place->world->pool, &place->next);
    setti_bytes_free(&place->world->pool, &place->previous);
    setti_bytes_free(&place->world->pool, &place->lock_name);
}

sett_status setti_place_lock(setti_place* place)
{
    const char* name = setti_place_name(&place->lock_name);
    sett_status status = place->files->lock(place->files->user, name, &place->lock);
    if (status == SETT_OK) {
        return status;
    }
    place->lock = NULL;
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(place->world, place->call);
    }
    if (status == SETT_STATUS_LOCKED) {
        return setti_world_fail_with(
            place->world, status,
            "%s: \"%.200s\" is locked by another writer, such as an open journal - wait, end the "
            "journal, or choose another path",
            place->call, name);
    }
    return setti_world_fail_with(
        place->world, status,
        "%s: \"%.200s\" cannot be created - check that its folder exists and can be written",
        place->call, name);
}

sett_status setti_place_fail(const setti_place* place, const char* name, const char* what)
{
    return setti_world_fail_with(place->world, SETT_STATUS_FILE, "%s: \"%.300s\" %s", place->call,
                                 name, what);
}

/* The contents of the records of a file, apart from the user block. */
typedef struct save_parts {
    setti_bytes types;
    const setti_bytes* run;
    setti_bytes state;
} save_parts;

sett_status setti_place_check_user(sett_world* world, const char* call, const sett_file_desc* desc)
{
    if (desc == NULL) {
        return SETT_OK;
    }
    if (setti_world_lacks_list(world, desc->user_block, desc->user_size, call, "user_block")) {
        return world->error;
    }
    if (desc->user_size > SETTI_PLACE_USER_MAX) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: the user block has %llu bytes, and at most 16 MB fit - shorten it", call,
            (unsigned long long)desc->user_size);
    }
    return SETT_OK;
}

uint64_t setti_place_mark(const char* name, uint64_t identity, uint64_t size)
{
    return setti_checksum(identity ^ size, name, strlen(name));
}

/* Writes all records to the open file. Returns false if a write has failed. */
static bool save_write(setti_place* place, const sett_file_desc* desc, const save_parts* parts,
                       void* file, setti_place_end end)
{
    static const sett_file_desc defaults;
    const sett_file_desc* options = desc != NULL ? desc : &defaults;
    /* the head of the state contains the hash of the world */
    uint64_t identity = setti_checksum(options->frame, parts->state.data, SETTI_DELTA_HEAD);
    setti_stream stream = {.compression = options->compression, .pool = &place->world->pool};
    place->identity = setti_checksum(identity, options->user_block, options->user_size);
    setti_stream_begin(&stream, place->files, file, place->identity);
    if (options->user_size != 0) {
        (void)setti_stream_write(&stream, SETTI_STREAM_USER, options->frame, options->user_block,
                                 options->user_size);
    }
    (void)setti_stream_write(&stream, SETTI_STREAM_TYPES, options->frame, parts->types.data,
                             parts->types.size);
    if (parts->run->size != 0) {
        (void)setti_stream_write(&stream, SETTI_STREAM_RUN, options->frame, parts->run->data,
                                 parts->run->size);
    }
    (void)setti_stream_write(&stream, SETTI_STREAM_STATE, options->frame, parts->state.data,
                             parts->state.size);
    if (end == SETTI_PLACE_COMPLETE) {
        (void)setti_stream_write(&stream, SETTI_STREAM_END, options->frame, NULL, 0);
    }
    place->size = stream.offset;
    return !stream.failed;
}

/* Writes the new file beside the path, and syncs the file. After an error, removes the file. */
static sett_status save_write_next(setti_place* place, const sett_file_desc* desc,
                                   const save_parts* parts, setti_place_end end)
{
    const sett_files* files = place->files;
    const char* name = setti_place_name(&place->next);
    void* file = files->open(files->user, name, SETT_FILE_CREATE);
    if (file == NULL) {
        return setti_place_fail(place, name,
                                "cannot be created - check that no folder and no read-only file "
                                "has this name");
    }
    bool written = save_write(place, desc, parts, file, end);
    bool synced = written && files->sync(files->user, file);
    bool closed = files->close(files->user, file);
    if (!written || !synced || !closed) {
        (void)files->unlink(files->user, name);
        return setti_place_fail(place, name, "cannot be written - check that the disk has room");
    }
    return SETT_OK;
}

typedef enum save_found {
    SAVE_NOTHING, /* the file does not exist, or cannot be opened */
    SAVE_DAMAGED,
    SAVE_WHOLE,
    SAVE_UNKNOWN /* memory ran out */
} save_found;

/* Reads a file up to the end of the state, to find out whether the file is whole. */
SETTI_COLD static save_found save_inspect(const setti_place* place, const char* name)
{
    const sett_files* files = place->files;
    setti_stream_reader reader;
    void* file = files->open(files->user, name, SETT_FILE_READ);
    if (file == NULL) {
        return SAVE_NOTHING;
    }
    save_found found = SAVE_DAMAGED;
    if (setti_stream_open(&reader, files, file, &place->world->pool)) {
        uint64_t mark = setti_place_mark(name, reader.identity, reader.size);
        setti_stream_next next = SETTI_STREAM_READ;
        if (mark != place->world->whole_file) { /* this world has not read or written the file */
            next = setti_stream_find_state(&reader);
        }
        if (next == SETTI_STREAM_READ) {
            found = SAVE_WHOLE;
        } else if (next == SETTI_STREAM_MEMORY) {
            found = SAVE_UNKNOWN;
        }
    }
    setti_stream_close(&reader);
    (void)files->close(files->user, file);
    return found;
}

/* Decides whether the old file at the path becomes the previous generation. A damaged old file must
 * not replace a whole previous generation. */
static sett_status save_decide_previous(const setti_place* place, bool* preserves)
{
    save_found old_file = save_inspect(place, place->path);
    save_found previous_file = SAVE_NOTHING; /* only matters if the old file is damaged */
    if (old_file == SAVE_DAMAGED) {
        previous_file = save_inspect(place, setti_place_name(&place->previous));
    }
    *preserves = old_file != SAVE_NOTHING && previous_file != SAVE_WHOLE;
    if (old_file == SAVE_UNKNOWN || previous_file == SAVE_UNKNOWN) {
        return setti_world_no_memory(place->world, place->call);
    }
    return SETT_OK;
}

static sett_status save_fail_rename(const setti_place* place, const char* old_name,
                                    const char* new_name)
{
    return setti_world_fail_with(place->world, SETT_STATUS_FILE,
                                 "%s: \"%.150s\" cannot be renamed to \"%.150s\" - check that its "
                                 "folder can be written, and that no folder has the new name",
                                 place->call, old_name, new_name);
}

/* Renames the new file to the path. If the old file is to be preserved, first renames it to the
 * previous generation. After a failed rename, removes the new file, unless the old file cannot be
 * renamed back. */
static sett_status save_exchange(const setti_place* place)
{
    const sett_files* files = place->files;
    const char* new_name = setti_place_name(&place->next);
    const char* previous_name = setti_place_name(&place->previous);
    bool preserves;
    sett_status status = save_decide_previous(place, &preserves);
    if (status != SETT_OK) {
        (void)files->unlink(files->user, new_name);
        return status;
    }
    if (preserves && !files->rename(files->user, place->path, previous_name)) {
        (void)files->unlink(files->user, new_name);
        return save_fail_rename(place, place->path, previous_name);
    }
    if (!files->rename(files->user, new_name, place->path)) {
        bool old_at_path = true; /* the failed rename has left the old file there */
        if (preserves) {
            old_at_path = files->rename(files->user, previous_name, place->path);
        }
        if (old_at_path) { /* otherwise a load may need the new file */
            (void)files->unlink(files->user, new_name);
        }
        return save_fail_rename(place, new_name, place->path);
    }
    place->world->whole_file = setti_place_mark(place->path, place->identity, place->size);
    if (files->sync_folder(files->user, place->path)) {
        return SETT_OK;
    }
    return setti_place_fail(place, place->path,
                            "is written, but its folder cannot be synced: a power cut may "
                            "bring back the old file - repeat this call, or choose another folder");
}

SETTI_COLD sett_status setti_place_save(setti_place* place, const sett_file_desc* desc,
                                        const setti_bytes* run, setti_place_end end)
{
    sett_world* world = place->world;
    save_parts parts = {.run = run};
    sett_status status = setti_place_check_user(world, place->call, desc);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_values_check(world, place->call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_delta_encode_state(world, place->call, &parts.state);
    if (status == SETT_OK && !setti_types_encode(world, &parts.types)) {
        status = setti_world_no_memory(world, place->call);
    }
    if (status == SETT_OK) {
        status = save_write_next(place, desc, &parts, end);
    }
    if (status == SETT_OK) {
        status = save_exchange(place);
    }
    setti_bytes_free(&world->pool, &parts.types);
    setti_bytes_free(&world->pool, &parts.state);
    return status;
}

sett_status setti_place_save_all(setti_place* place, const sett_file_desc* desc,
                                 setti_place_end end)
{
    sett_world* world = place->world;
    setti_bytes run = {0};
    if (!setti_run_encode(world, &run)) {
        return setti_world_no_memory(world, place->call);
    }
    sett_status status = setti_place_save(place, desc, &run, end);
    setti_bytes_free(&world->pool, &run);
    return status;
}

static sett_status save_world(sett_world* world, const char* call, const char* path,
                              const sett_file_desc* desc)
{
    if (setti_is_null(world, call, "world")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_place place;
    sett_status status = setti_place_init(&place, world, call, path, desc);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_place_lock(&place);
    if (status == SETT_OK) {
        status = setti_place_save_all(&place, desc, SETTI_PLACE_COMPLETE);
    }
    setti_place_deinit(&place);
    return status;
}

sett_status sett_world_save_with(sett_world* world, const char* path, const sett_file_desc* desc)
{
    return save_world(world, __func__, path, desc);
}

sett_status sett_world_save(sett_world* world, const char* path)
{
    return save_world(world, __func__, path, NULL);
}
