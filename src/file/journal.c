/* journal.c: a file that follows a world.
 *
 * The workload: some kilobytes at the end of each frame. What has changed since the last frame is
 * the delta of two snapshots, of which the younger is held for the next frame.
 *
 *     state | delta 1 | delta 2 | ... | delta n          `last` is the state behind delta n
 *
 * Invariant:  what was written whole leads to `last`, or to the state before it if the last write
 *             failed: then nothing is written behind it
 */
#include "file/place.h"
#include "file/run_record.h"
#include "file/stream.h"
#include "file/types.h"
#include "sett/state.h"
#include "state/delta.h"

struct sett_journal {
    setti_place place;
    setti_stream stream;
    sett_snapshot last;
    uint64_t frame;
    uint32_t types; /* that the file knows */
};

static sett_status journal_open(sett_journal* journal, sett_world* world, const char* path,
                                const sett_file_desc* desc)
{
    static const char call[] = "sett_journal_create";
    setti_place* place = &journal->place;
    sett_status status = setti_place_init(place, world, call, path, desc);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_place_lock(place);
    if (status == SETT_OK) {
        status = setti_place_save_all(place, desc, false);
    }
    if (status == SETT_OK) {
        status = sett_snapshot_take(world, &journal->last);
    }
    if (status != SETT_OK) {
        return status;
    }
    const sett_files* files = place->files;
    journal->types = world->registered.count;
    journal->frame = desc != NULL ? desc->frame : 0;
    journal->stream.files = files;
    journal->stream.identity = place->identity;
    journal->stream.file = files->open(files->user, place->path, SETT_FILE_APPEND);
    if (journal->stream.file == NULL) {
        (void)sett_snapshot_drop(world, journal->last);
        return setti_place_fail(place, place->path, "cannot be opened again");
    }
    return SETT_OK;
}

sett_journal* sett_journal_create(sett_world* world, const char* path, const sett_file_desc* desc)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    sett_journal* journal = setti_pool_alloc(&world->pool, sizeof(*journal), 16);
    if (journal == NULL) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, "sett_journal_create", sett_null(), 0);
        return NULL;
    }
    memset(journal, 0, sizeof(*journal));
    if (journal_open(journal, world, path, desc) != SETT_OK) {
        (void)sett_world_message(world); /* written before its parts go */
        setti_place_deinit(&journal->place);
        setti_pool_free(&world->pool, journal, sizeof(*journal), 16);
        return NULL;
    }
    return journal;
}

/* What a delta needs is said before it: types that were registered since, how far systems are. */
static sett_status journal_write_head(sett_journal* journal, uint64_t frame)
{
    sett_world* world = journal->place.world;
    setti_stream* stream = &journal->stream;
    setti_bytes types = {NULL, 0, 0};
    setti_bytes run = {NULL, 0, 0};
    bool registered = journal->types != world->registered.count;
    bool done = (!registered || setti_types_encode(world, &types)) && setti_run_encode(world, &run);
    if (done && registered) {
        (void)setti_stream_write(stream, SETTI_STREAM_TYPES, frame, types.data, types.size);
        journal->types = world->registered.count;
    }
    if (done && run.size != 0) {
        (void)setti_stream_write(stream, SETTI_STREAM_RUN, frame, run.data, run.size);
    }
    setti_bytes_free(&world->pool, &types);
    setti_bytes_free(&world->pool, &run);
    return done ? SETT_OK
                : setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, journal->place.call,
                                   sett_null(), 0);
}

static sett_status journal_fail(const sett_journal* journal)
{
    return setti_place_fail(&journal->place, journal->place.path,
                            "cannot be written - is the disk full?");
}

/* Writes what leads from the last state to a later one. */
static sett_status journal_write(sett_journal* journal, sett_snapshot now, uint64_t frame)
{
    sett_world* world = journal->place.world;
    setti_bytes delta = {NULL, 0, 0};
    sett_status status = setti_delta_encode(world, journal->last, now, &delta);
    if (status != SETT_OK) {
        return status;
    }
    status = journal_write_head(journal, frame);
    if (status == SETT_OK &&
        !setti_stream_write(&journal->stream, SETTI_STREAM_DELTA, frame, delta.data, delta.size)) {
        status = journal_fail(journal);
    }
    setti_bytes_free(&world->pool, &delta);
    return status;
}

sett_status sett_journal_append(sett_journal* journal, uint64_t frame)
{
    if (SETTI_IS_NULL(journal)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = journal->place.world;
    sett_snapshot now;
    journal->place.call = "sett_journal_append";
    if (journal->stream.failed) {
        return journal_fail(journal);
    }
    if (frame < journal->frame) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "sett_journal_append: frame %llu comes after %llu",
                                     (unsigned long long)frame, (unsigned long long)journal->frame);
    }
    sett_status status = sett_snapshot_take(world, &now);
    if (status != SETT_OK) {
        return status;
    }
    status = journal_write(journal, now, frame);
    sett_snapshot drop = status == SETT_OK ? journal->last : now;
    if (sett_snapshot_status(world, drop) == SETT_OK) {
        (void)sett_snapshot_drop(world, drop);
    }
    if (status == SETT_OK) {
        journal->last = now;
        journal->frame = frame;
    }
    return status;
}

sett_status sett_journal_sync(sett_journal* journal)
{
    if (SETTI_IS_NULL(journal)) {
        return SETT_STATUS_ARGUMENT;
    }
    const sett_files* files = journal->place.files;
    return files->sync(files->user, journal->stream.file) ? SETT_OK : SETT_STATUS_FILE;
}

sett_status sett_journal_destroy(sett_journal* journal)
{
    if (journal == NULL) {
        return SETT_OK;
    }
    sett_world* world = journal->place.world;
    const sett_files* files = journal->place.files;
    journal->place.call = "sett_journal_destroy";
    bool done = setti_stream_write(&journal->stream, SETTI_STREAM_END, journal->frame, NULL, 0);
    done = files->sync(files->user, journal->stream.file) && done;
    done = files->close(files->user, journal->stream.file) && done;
    if (sett_snapshot_status(world, journal->last) == SETT_OK) {
        (void)sett_snapshot_drop(world, journal->last);
    }
    sett_status status = done ? SETT_OK : journal_fail(journal);
    (void)sett_world_message(world);
    setti_place_deinit(&journal->place);
    setti_pool_free(&world->pool, journal, sizeof(*journal), 16);
    return status;
}
