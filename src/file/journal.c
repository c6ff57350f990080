/* journal.c: a file that records the changes of a world.
 *
 * The workload: some kilobytes at the end of each frame, the delta between two snapshots. The later
 * snapshot is held for the next frame.
 *
 *     state | delta 1 | delta 2 | ... | delta n          `last` is the state after delta n
 *
 * Invariant:  complete records lead to `last`; after a failed write, nothing more is written
 */
#include "file/place.h"
#include "file/stream.h"
#include "sett/state.h"
#include "state/delta.h"
#include "state/snapshot.h"

struct sett_journal {
    setti_place place;
    setti_stream stream;
    sett_snapshot last;
    uint64_t frame;
    uint32_t type_count;     /* number of types in the file */
    uint32_t keyframe_every; /* frames between keyframes; 0: no keyframes */
    uint64_t last_keyframe;  /* frame of the last keyframe */
    setti_bytes index;       /* frame and offset of each keyframe */
};

/* Saves the state, takes the first snapshot, and opens the file again for appending. */
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
    if (status != SETT_OK) {
        return status;
    }
    status = setti_place_save_all(place, desc, SETTI_PLACE_CONTINUES);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_snapshot_take(world, &journal->last, call);
    if (status != SETT_OK) {
        return status;
    }
    const sett_files* files = place->files;
    if (desc != NULL) {
        journal->frame = desc->frame;
        journal->keyframe_every = desc->keyframe_every;
        journal->stream.compression = desc->compression;
    }
    journal->type_count = world->registered.count;
    journal->last_keyframe = journal->frame;
    journal->stream.files = files;
    journal->stream.pool = &world->pool;
    journal->stream.identity = place->identity;
    journal->stream.file = files->open(files->user, place->path, SETT_FILE_APPEND);
    if (journal->stream.file == NULL) {
        (void)sett_snapshot_drop(world, journal->last);
        return setti_place_fail(
            place, place->path,
            "was saved, but cannot be opened for appending - check that no other program uses it, "
            "and create the journal again");
    }
    (void)files->size(files->user, journal->stream.file, &journal->stream.offset);
    return SETT_OK;
}

SETTI_COLD sett_journal* sett_journal_create(sett_world* world, const char* path,
                                             const sett_file_desc* desc)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return NULL;
    }
    sett_journal* journal = setti_world_alloc(world, sizeof(*journal), 16, __func__);
    if (journal == NULL) {
        return NULL;
    }
    if (journal_open(journal, world, path, desc) != SETT_OK) {
        (void)sett_world_message(world); /* formats the message before the names are freed */
        setti_place_deinit(&journal->place);
        setti_pool_free(&world->pool, journal, sizeof(*journal), 16);
        return NULL;
    }
    return journal;
}

static sett_status journal_fail(const sett_journal* journal)
{
    return setti_place_fail(&journal->place, journal->place.path,
                            "cannot be written - check that the disk has room, then destroy the "
                            "journal and create it again");
}

/* Writes a delta or a keyframe. Readers can begin at a keyframe. */
static sett_status journal_write_state(sett_journal* journal, uint32_t kind, uint64_t frame,
                                       const setti_bytes* state)
{
    sett_world* world = journal->place.world;
    bool with_types =
        kind == SETTI_STREAM_KEYFRAME || journal->type_count != world->registered.count;
    if (setti_stream_write_state(&journal->stream, world, kind, frame, with_types, state)) {
        journal->type_count = world->registered.count;
        return SETT_OK;
    }
    if (journal->stream.failed) {
        return journal_fail(journal);
    }
    return setti_world_no_memory(world, journal->place.call);
}

/* Reports that the last snapshot has ended. `status` tells why. */
static sett_status journal_fail_snapshot(const sett_journal* journal, sett_status status)
{
    sett_world* world = journal->place.world;
    if (status == SETT_STATUS_LOST) {
        return setti_world_fail_with(
            world, status,
            "%s: \"%.150s\" cannot go on: its snapshot is lost, because memory ran out or "
            "sett_snapshot_options.memory_limit was exceeded - free memory or raise the "
            "limit, then destroy the journal and create it again",
            journal->place.call, journal->place.path);
    }
    return setti_world_fail_with(
        world, status,
        "%s: \"%.150s\" cannot go on: the program dropped all snapshots - destroy the "
        "journal and create it again",
        journal->place.call, journal->place.path);
}

/* Writes the delta between the last snapshot and `now`. */
static sett_status journal_write(sett_journal* journal, sett_snapshot now, uint64_t frame)
{
    SETTI_ASSERT(frame >= journal->frame);
    sett_world* world = journal->place.world;
    setti_bytes delta = {0};
    sett_status status = sett_snapshot_status(world, journal->last);
    if (status != SETT_OK) {
        return journal_fail_snapshot(journal, status);
    }
    status = setti_delta_encode(world, journal->last, now, journal->place.call, &delta);
    if (status == SETT_OK) {
        status = journal_write_state(journal, SETTI_STREAM_DELTA, frame, &delta);
    }
    setti_bytes_free(&world->pool, &delta);
    return status;
}

/* Adds the frame and the offset of a keyframe to the index. Returns false if memory runs out. */
static bool journal_add_index(sett_journal* journal, uint64_t frame, uint64_t offset)
{
    unsigned char* entry =
        setti_bytes_add(&journal->place.world->pool, &journal->index, SETTI_STREAM_INDEX_ENTRY);
    if (entry == NULL) {
        return false;
    }
    setti_bytes_put(entry, frame, 8);
    setti_bytes_put(entry + 8, offset, 8);
    return true;
}

static sett_status journal_write_keyframe(sett_journal* journal, uint64_t frame)
{
    sett_world* world = journal->place.world;
    setti_bytes state = {0};
    uint64_t offset = journal->stream.offset; /* where the types precede the keyframe */
    sett_status status = setti_delta_encode_state(world, journal->place.call, &state);
    if (status == SETT_OK) {
        status = journal_write_state(journal, SETTI_STREAM_KEYFRAME, frame, &state);
    }
    if (status == SETT_OK && !journal_add_index(journal, frame, offset)) {
        status = setti_world_no_memory(world, journal->place.call);
    }
    setti_bytes_free(&world->pool, &state);
    /* even after an error, the next keyframe is a whole interval later */
    journal->last_keyframe = frame;
    if (status != SETT_STATUS_OUT_OF_MEMORY) {
        return status;
    }
    return setti_world_fail_with(
        world, status,
        "%s: frame %llu is recorded, but memory ran out for its keyframe - "
        "free memory before the next keyframe",
        journal->place.call, (unsigned long long)frame);
}

sett_status sett_journal_write(sett_journal* journal, uint32_t kind, uint64_t frame,
                               const void* bytes, size_t size)
{
    if (SETTI_IS_NULL(journal)) {
        return SETT_STATUS_ARGUMENT;
    }
    journal->place.call = "sett_journal_write";
    sett_status status = setti_stream_check(journal->place.world, journal->place.call, kind, frame,
                                            journal->frame, bytes, size);
    if (status != SETT_OK) {
        return status;
    }
    journal->frame = frame;
    if (!setti_stream_write(&journal->stream, kind, frame, bytes, size)) {
        return journal_fail(journal);
    }
    return SETT_OK;
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
    sett_status status = setti_stream_take(world, journal->place.call, frame, journal->frame, &now);
    if (status != SETT_OK) {
        return status;
    }
    status = journal_write(journal, now, frame);
    sett_snapshot unneeded = status == SETT_OK ? journal->last : now;
    setti_stream_drop(world, unneeded);
    if (status != SETT_OK) {
        return status;
    }
    journal->last = now;
    journal->frame = frame;
    bool is_due =
        journal->keyframe_every != 0 && frame - journal->last_keyframe >= journal->keyframe_every;
    if (is_due) {
        return journal_write_keyframe(journal, frame);
    }
    return SETT_OK;
}

sett_status sett_journal_sync(sett_journal* journal)
{
    if (SETTI_IS_NULL(journal)) {
        return SETT_STATUS_ARGUMENT;
    }
    const sett_files* files = journal->place.files;
    if (!files->sync(files->user, journal->stream.file)) {
        return SETT_STATUS_FILE; /* no message: the world can belong to another thread */
    }
    return SETT_OK;
}

SETTI_COLD sett_status sett_journal_destroy(sett_journal* journal)
{
    if (journal == NULL) {
        return SETT_OK;
    }
    sett_world* world = journal->place.world;
    const sett_files* files = journal->place.files;
    journal->place.call = "sett_journal_destroy";
    bool has_index = journal->index.size != 0;
    /* load_read_index finds the index by the last entry: the offset of the index itself */
    if (has_index && journal_add_index(journal, 0, journal->stream.offset)) {
        (void)setti_stream_write(&journal->stream, SETTI_STREAM_INDEX, journal->frame,
                                 journal->index.data, journal->index.size);
    }
    setti_bytes_free(&world->pool, &journal->index);
    bool written = setti_stream_write(&journal->stream, SETTI_STREAM_END, journal->frame, NULL, 0);
    bool synced = files->sync(files->user, journal->stream.file);
    bool closed = files->close(files->user, journal->stream.file);
    setti_stream_drop(world, journal->last);
    sett_status status = SETT_OK;
    if (!written || !synced || !closed) {
        status = setti_place_fail(&journal->place, journal->place.path,
                                  "was not written to its end - check that the disk has room (a "
                                  "load restores the last frame that was written)");
    }
    (void)sett_world_message(world); /* formats the message before the names are freed */
    setti_place_deinit(&journal->place);
    setti_pool_free(&world->pool, journal, sizeof(*journal), 16);
    return status;
}
