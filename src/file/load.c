/* load.c: reads a file into a separate world, and then replaces the program's world.
 *
 * The workload: files from any source, and files that a crash has cut off. So all records are read,
 * applied and compared with hashes in a separate world (`contents`) with limited memory. After an
 * error the program's world is unchanged, and the previous generation is tried.
 *
 *     file -> records -> types, state, deltas -> `contents` -> sett_world_clone -> program's world
 *
 * Invariant:  the program's world is replaced by a complete state, or unchanged
 */
#include "file/load.h"

#include "file/migrate.h"
#include "file/place.h"
#include "file/run_record.h"
#include "file/stream.h"
#include "file/types.h"
#include "sett/state.h"
#include "state/delta.h"
#include "state/replica.h"
#include "state/snapshot.h"

#include <stdio.h>

/* The default limit of memory, in bytes, is the sum of: */
#define LOAD_LIMIT ((size_t)64 << 20)     /* for each file: distant entities need more pages */
#define LOAD_LIMIT_A_BYTE ((size_t)16)    /* for each byte of the file */
#define LOAD_LIMIT_A_TYPE ((size_t)32768) /* for each type: a page */

/* The default limit of sett_file_records, in bytes. */
#define LOAD_RECORDS_LIMIT ((size_t)1 << 30)

/* An attempt to load one file: the path, or a file beside the path. */
typedef struct load_attempt {
    setti_place* place;
    const char* name;     /* the name of the file */
    sett_world* contents; /* the separate world with the contents of the file, or NULL */
    size_t full_limit;    /* sett_file_desc.limit, or the default */
    size_t limit;         /* `full_limit` without the buffer: for `contents` and unpacked records */
    uint64_t last_frame;  /* later records are not loaded */
    setti_stream_reader reader;
    setti_bytes next_run; /* the record of the systems for the next state or delta */
    setti_bytes run;      /* the record of the systems for the present state */
    sett_load_result result;
    bool has_state;
    bool stopped;                 /* a delta did not match the state */
    char why[SETTI_MESSAGE_SIZE]; /* the attempt's error */
} load_attempt;

/* Stores the attempt's error. Returns `status`. */
static sett_status load_fail(load_attempt* load, sett_status status, const char* why)
{
    snprintf(load->why, sizeof(load->why), "%.400s", why);
    return status;
}

static sett_status load_fail_limit(load_attempt* load)
{
    char why[128];
    snprintf(why, sizeof(why),
             "the file needs more memory than %llu bytes - raise sett_file_desc.limit if you trust "
             "the file",
             (unsigned long long)load->full_limit);
    return load_fail(load, SETT_STATUS_LIMIT, why);
}

static sett_status load_fail_memory(load_attempt* load)
{
    return load_fail(load, SETT_STATUS_OUT_OF_MEMORY,
                     "memory ran out, and this world is unchanged - free some, and call again");
}

/* Makes an error of `contents` the attempt's error. Returns the status of the attempt. */
static sett_status load_fail_contents(load_attempt* load, sett_status status)
{
    bool no_memory = status == SETT_STATUS_OUT_OF_MEMORY;
    bool can_be_limit = no_memory || status == SETT_STATUS_LIMIT;
    if (can_be_limit && load->contents->pool.denied) {
        return load_fail_limit(load);
    }
    if (no_memory) {
        return load_fail_memory(load);
    }
    return load_fail(load, status, setti_load_why(load->contents));
}

/* Returns a size, or the largest size from which limits can be computed without an overflow. */
static size_t load_bounded(uint64_t size)
{
    return (size_t)SETTI_MIN(size, SIZE_MAX / 4 / LOAD_LIMIT_A_BYTE);
}

size_t setti_load_default_limit(const sett_world* world, uint64_t size)
{
    return LOAD_LIMIT + LOAD_LIMIT_A_BYTE * load_bounded(size) +
           LOAD_LIMIT_A_TYPE * world->registered.count;
}

/* Sets the limits of memory of the attempt. If `limit` is 0, takes the default. Fails if the limit
 * leaves nothing for `contents`. */
static sett_status load_limit(load_attempt* load, size_t limit)
{
    /* for the largest payload, in a buffer that doubles */
    size_t buffer = 2 * load_bounded(load->reader.size);
    if (limit == 0) {
        limit = setti_load_default_limit(load->place->world, load->reader.size);
    }
    if (limit <= buffer) {
        char why[192];
        snprintf(
            why, sizeof(why),
            "sett_file_desc.limit is %llu bytes, and has to be more than twice the size of the "
            "file, %llu - raise the limit if you trust the file",
            (unsigned long long)limit, (unsigned long long)load->reader.size);
        return load_fail(load, SETT_STATUS_LIMIT, why);
    }
    load->full_limit = limit;
    load->limit = limit - buffer;
    load->reader.limit = load->limit;
    return SETT_OK;
}

static sett_status load_begin_contents(load_attempt* load)
{
    load->contents = setti_replica_create(load->place->world);
    if (load->contents == NULL) {
        return load_fail_memory(load);
    }
    setti_pool_set_ceiling(&load->contents->pool, load->limit);
    return SETT_OK;
}

/* Lowers the limit of `contents` by the size of the unpacked record. Returns the number of bytes
 * that are still free. The limit and the result are at least 1, because 0 stands for no limit. */
static size_t load_update_limit(load_attempt* load)
{
    size_t unpacked = load->reader.unpacked; /* in memory beside `contents` */
    size_t used = load->contents->pool.block_size + unpacked;
    size_t ceiling = 1;
    if (unpacked < load->limit) {
        ceiling = load->limit - unpacked;
    }
    setti_pool_set_ceiling(&load->contents->pool, ceiling);
    if (used >= load->limit) {
        return 1;
    }
    return load->limit - used;
}

/* Copies the record of the systems into `next_run`. */
static sett_status load_systems(load_attempt* load)
{
    setti_pool* pool = load->reader.pool;
    const setti_bytes* payload = &load->reader.payload;
    if (!setti_run_check(payload)) {
        return load_fail(load, SETT_STATUS_INVALID,
                         "the file is damaged: the times of systems are invalid - load a copy");
    }
    setti_bytes_free(pool, &load->next_run);
    if (!setti_bytes_copy(pool, &load->next_run, payload->data, payload->size)) {
        return load_fail_memory(load);
    }
    return SETT_OK;
}

/* Notes that a state or delta was loaded. Takes over the frame of the record, and makes `next_run`
 * the present record of the systems. */
static void load_advance(load_attempt* load)
{
    setti_bytes unused = load->run; /* the next record reuses the memory */
    load->run = load->next_run;
    load->next_run = unused;
    load->result.frame = load->reader.frame;
}

static sett_status load_state(load_attempt* load)
{
    const setti_bytes* payload = &load->reader.payload;
    if (load->has_state && load->reader.kind == SETTI_STREAM_KEYFRAME) {
        return SETT_OK; /* the deltas led to this state */
    }
    if (load->has_state) {
        return load_fail(load, SETT_STATUS_INVALID,
                         "the file is damaged: it has two states - load a copy");
    }
    sett_status status = setti_delta_load(load->contents, payload->data, payload->size,
                                          load_update_limit(load), SETTI_FROM_FILE);
    if (status != SETT_OK) {
        return load_fail_contents(load, status);
    }
    load->has_state = true;
    load_advance(load);
    return SETT_OK;
}

static sett_status load_delta(load_attempt* load)
{
    const setti_bytes* payload = &load->reader.payload;
    if (!load->has_state) {
        return load_fail(load, SETT_STATUS_INVALID,
                         "the file is damaged: it does not begin with a state - load a copy");
    }
    sett_snapshot_options options = {.delta_limit = load_update_limit(load)};
    sett_status status = sett_snapshot_set_options(load->contents, &options);
    if (status == SETT_OK) {
        status = setti_delta_apply_from(load->contents, payload->data, payload->size,
                                        SETTI_FROM_FILE, "sett_world_load");
    }
    if (status == SETT_OK) {
        load_advance(load);
        load->result.changes++;
        return SETT_OK;
    }
    if (status == SETT_STATUS_INVALID || status == SETT_STATUS_CONFLICT) {
        load->stopped = true; /* load_each_record ends, as at damage */
        return SETT_OK;
    }
    return load_fail_contents(load, status);
}

static sett_status load_types(load_attempt* load)
{
    sett_status status = setti_types_decode(load->contents, load->place->world,
                                            &load->reader.payload, &load->result.new_types);
    if (status != SETT_OK) {
        return load_fail_contents(load, status);
    }
    return SETT_OK;
}

static sett_status load_record(load_attempt* load)
{
    switch (load->reader.kind) {
    case SETTI_STREAM_TYPES:
        return load_types(load);
    case SETTI_STREAM_RUN:
        return load_systems(load);
    case SETTI_STREAM_STATE:
    case SETTI_STREAM_KEYFRAME:
        return load_state(load);
    case SETTI_STREAM_DELTA:
        return load_delta(load);
    default:
        return SETT_OK; /* a record of the program */
    }
}

/* Reads all records up to the last frame to load. *next becomes the reason for the end of the loop.
 * result.cut becomes the number of bytes after the last valid record. Returns the error of a
 * record, if there is one. */
static sett_status load_each_record(load_attempt* load, setti_stream_next* next)
{
    setti_stream_reader* reader = &load->reader;
    uint64_t valid_end = reader->offset; /* the end of the last valid record */
    *next = setti_stream_read(reader);
    while (*next == SETTI_STREAM_READ) {
        if (load->has_state && reader->frame > load->last_frame) {
            *next = SETTI_STREAM_ENDED; /* later records are not wanted */
            break;
        }
        sett_status status = load_record(load);
        if (status != SETT_OK) {
            return status;
        }
        if (load->stopped) {
            break;
        }
        valid_end = reader->offset;
        *next = setti_stream_read(reader);
    }
    if (*next == SETTI_STREAM_ENDED) {
        load->result.cut = 0;
    } else {
        load->result.cut = reader->size - valid_end;
    }
    return SETT_OK;
}

/* Reads all records up to the last frame to load. Fails if no record is a state. */
static sett_status load_records(load_attempt* load)
{
    SETTI_ASSERT(load->contents != NULL && !load->has_state);
    const setti_stream_reader* reader = &load->reader;
    setti_stream_next next;
    sett_status status = load_each_record(load, &next);
    if (status != SETT_OK) {
        return status;
    }
    if (next == SETTI_STREAM_MEMORY) {
        return load_fail_memory(load);
    }
    if (reader->denied) {
        return load_fail_limit(load);
    }
    if (load->has_state) {
        return SETT_OK; /* damage after a state only cuts off the end of the file */
    }
    if (reader->why != NULL) {
        return load_fail(load, reader->status, reader->why);
    }
    return load_fail(load, SETT_STATUS_INVALID,
                     "the file is damaged: it has no state - load a copy");
}

/* Reads the index of keyframes at the end of a file. Returns false if there is no index. */
static bool load_read_index(setti_stream_reader* index)
{
    const sett_files* files = index->files;
    unsigned char number[8]; /* the end of the index: the offset of the index */
    uint64_t begin = index->offset;
    uint64_t tail = sizeof(number) + SETTI_STREAM_RECORD; /* the number and the END record */
    if (index->size < begin + tail) {
        return false;
    }
    size_t size = files->read(files->user, index->file, index->size - tail, number, sizeof(number));
    if (size != sizeof(number)) {
        return false;
    }
    index->offset = setti_bytes_get(number, sizeof(number));
    if (index->offset < begin || index->offset >= index->size) {
        return false;
    }
    return setti_stream_read(index) == SETTI_STREAM_READ && index->kind == SETTI_STREAM_INDEX;
}

/* Moves the reader to the last keyframe up to `last_frame`. Returns false if there is no such
 * keyframe. */
static bool load_seek(load_attempt* load)
{
    setti_stream_reader* reader = &load->reader;
    setti_stream_reader index = *reader;
    size_t count = 0;
    bool found = false;
    memset(&index.payload, 0, sizeof(index.payload)); /* `reader` owns the memory */
    if (load_read_index(&index)) {
        count = index.payload.size / SETTI_STREAM_INDEX_ENTRY;
    }
    for (size_t k = 0; k + 1 < count; k++) { /* the last entry is no keyframe */
        const unsigned char* entry = index.payload.data + k * SETTI_STREAM_INDEX_ENTRY;
        uint64_t frame = setti_bytes_get(entry, 8);
        uint64_t offset = setti_bytes_get(entry + 8, 8);
        bool in_file = offset >= SETTI_STREAM_HEADER && offset < index.offset;
        if (in_file && frame <= load->last_frame) {
            reader->offset = offset;
            found = true;
        }
    }
    setti_stream_close(&index);
    return found;
}

/* Reads the records from the last keyframe on. If the keyframe is damaged, reads all records. */
static sett_status load_all(load_attempt* load)
{
    bool sought = load_seek(load);
    sett_status status = load_records(load);
    bool is_damaged = status == SETT_STATUS_INVALID || status == SETT_STATUS_FILE;
    if (sought && is_damaged && !load->has_state) { /* the keyframe is damaged */
        load->reader.offset = SETTI_STREAM_HEADER;  /* the first record */
        load->reader.frame = 0;
        load->reader.why = NULL;
        load->reader.kind = SETTI_STREAM_NONE;
        status = load_records(load);
    }
    return status;
}

/* Registers the types of the file in the new world `contents`, with the program's layouts.
 * `file_world` is the world with the layouts of the file. */
static sett_status load_register_types(load_attempt* load, const sett_world* file_world)
{
    const sett_world* program = load->place->world;
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < file_world->registered.count; k++) {
        const sett_world* from_world = program;
        const setti_type* type =
            setti_type_find(program, file_world->registered.item[k]->desc.name);
        if (type == NULL) { /* the program lacks the type */
            from_world = file_world;
            type = file_world->registered.item[k];
        }
        status = setti_replica_join(load->contents, from_world, type, load->place->call);
    }
    return status;
}

/* Reports an error if a value was not converted. */
static sett_status load_check_conversions(load_attempt* load, const setti_migration* list,
                                          uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (list[k].no_memory) {
            return load_fail_memory(load);
        }
        if (list[k].wrong != NULL) {
            char why[256];
            snprintf(why, sizeof(why), "type \"%.100s\": %s", list[k].rule.name, list[k].wrong);
            return load_fail(load, SETT_STATUS_CONFLICT, why);
        }
    }
    return SETT_OK;
}

/* Decodes a state into a new world `contents` with the program's layouts. `file_world` is the world
 * with the layouts of the file. */
static sett_status load_convert(load_attempt* load, const sett_world* file_world,
                                const setti_bytes* state, setti_migration* list, uint32_t count)
{
    const setti_delta_rules rules = {&list->rule, sizeof(*list), count};
    sett_status status = load_begin_contents(load);
    if (status != SETT_OK) {
        return status;
    }
    status = load_register_types(load, file_world);
    if (status == SETT_OK) {
        status = setti_delta_convert(load->contents, state, &rules);
    }
    if (status != SETT_OK) {
        return load_fail_contents(load, status);
    }
    return load_check_conversions(load, list, count);
}

/* Converts the loaded state to the layouts of the program, if any type needs a conversion. */
SETTI_COLD static sett_status load_migrate(load_attempt* load)
{
    sett_world* program = load->place->world;
    sett_world* file_world = load->contents;
    sett_status status;
    uint32_t count;
    uint32_t types = file_world->registered.count;
    setti_migration* list = setti_migrations_create(program, file_world, load->place->call, &count,
                                                    &load->result.dropped, &status);
    if (status != SETT_OK) {
        return load_fail_contents(load, status);
    }
    if (list == NULL) { /* no type needs a conversion */
        return SETT_OK;
    }
    setti_bytes state = {0};
    status = setti_delta_encode_state(file_world, load->place->call, &state);
    if (status != SETT_OK) {
        status = load_fail_contents(load, status);
    } else {
        status = load_convert(load, file_world, &state, list, count);
        setti_bytes_free(&file_world->pool, &state);
        sett_world_destroy(file_world); /* load_convert has replaced `contents` */
    }
    setti_migrations_free(program, list, types);
    return status;
}

/* Reads the records of an open file into `contents`. */
static sett_status load_read_contents(load_attempt* load)
{
    const setti_place* place = load->place;
    sett_status status = load_all(load);
    if (status == SETT_OK) { /* a type of the program can require more types */
        status = setti_replica_require(load->contents, place->world, place->call);
        if (status != SETT_OK) {
            status = load_fail_contents(load, status);
        }
    }
    setti_pool_set_ceiling(&load->contents->pool, 0);
    return status;
}

/* Reads an open file into `contents`, with the program's layouts. */
static sett_status load_file(load_attempt* load, void* file, const sett_file_desc* desc)
{
    setti_place* place = load->place;
    if (!setti_stream_open(&load->reader, place->files, file, &place->world->pool)) {
        return load_fail(load, load->reader.status, load->reader.why);
    }
    size_t limit = 0; /* the default */
    if (desc != NULL) {
        limit = desc->limit;
        load->reader.compression = desc->compression;
    }
    sett_status status = load_limit(load, limit);
    if (status == SETT_OK) {
        status = load_begin_contents(load);
    }
    if (status == SETT_OK) {
        status = load_read_contents(load);
    }
    if (status == SETT_OK) {
        status = load_migrate(load);
    }
    setti_stream_close(&load->reader);
    return status;
}

/* Loads the file called `name` into `load`. Even after an error, load_end must follow. */
SETTI_COLD static sett_status load_attempt_name(load_attempt* load, setti_place* place,
                                                const char* name, const sett_file_desc* desc)
{
    const sett_files* files = place->files;
    memset(load, 0, sizeof(*load));
    load->place = place;
    load->last_frame = UINT64_MAX;
    if (desc != NULL && desc->last_frame != 0) {
        load->last_frame = desc->last_frame;
    }
    load->name = name;
    void* file = files->open(files->user, name, SETT_FILE_READ);
    if (file == NULL) {
        return load_fail(load, SETT_STATUS_FILE,
                         "cannot be opened - check that it exists and can be read");
    }
    sett_status status = load_file(load, file, desc);
    if (!files->close(files->user, file) && status == SETT_OK) {
        status = load_fail(load, SETT_STATUS_FILE, "cannot be closed - load it again");
    }
    return status;
}

static void load_end(load_attempt* load)
{
    setti_pool* pool = &load->place->world->pool;
    setti_bytes_free(pool, &load->run);
    setti_bytes_free(pool, &load->next_run);
    sett_world_destroy(load->contents);
    load->contents = NULL;
}

/* Loads the file at the path. If the file is damaged or absent, tries the files beside the path. */
static sett_status load_any(load_attempt* load, setti_place* place, const sett_file_desc* desc)
{
    /* result.generation is an index of this list */
    const char* name[3] = {place->path, setti_place_name(&place->previous),
                           setti_place_name(&place->next)};
    sett_status status = load_attempt_name(load, place, name[0], desc);
    if (status == SETT_OK) {
        place->world->whole_file =
            setti_place_mark(name[0], load->reader.identity, load->reader.size);
        return status;
    }
    bool tries_others = status == SETT_STATUS_INVALID || status == SETT_STATUS_FILE;
    for (uint32_t k = 1; k < 3 && tries_others; k++) {
        load_attempt other;
        if (load_attempt_name(&other, place, name[k], desc) == SETT_OK) {
            setti_world_log(place->world, SETT_LOG_WARNING,
                            "%s: \"%.140s\" was loaded instead of \"%.140s\": %.170s", place->call,
                            name[k], name[0], load->why);
            load_end(load);
            *load = other;
            load->result.generation = k;
            return SETT_OK;
        }
        load_end(&other);
    }
    return setti_world_fail_input(place->world, status, "%s: \"%.150s\": %.300s", place->call,
                                  name[0], load->why);
}

SETTI_COLD sett_status setti_load_apart(sett_world* world, const char* call, const char* path,
                                        const sett_file_desc* desc, setti_loaded* out)
{
    setti_place place;
    load_attempt load;
    sett_status status = setti_place_init(&place, world, call, path, desc);
    if (status != SETT_OK) {
        return status;
    }
    status = load_any(&load, &place, desc);
    if (status == SETT_OK) {
        *out = (setti_loaded){load.contents, load.run, load.result};
        load.contents = NULL; /* load_end must not free what `out` has */
        load.run = (setti_bytes){NULL, 0, 0};
    }
    load_end(&load);
    setti_place_deinit(&place);
    return status;
}

void setti_loaded_free(sett_world* world, setti_loaded* loaded)
{
    setti_bytes_free(&world->pool, &loaded->run);
    sett_world_destroy(loaded->contents);
}

static sett_status load_world(sett_world* world, const char* call, const char* path,
                              const sett_file_desc* desc, sett_load_result* result)
{
    setti_loaded loaded;
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_world_check_no_snapshots(world, call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_load_apart(world, call, path, desc, &loaded);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_replica_clone(loaded.contents, world, call);
    if (status == SETT_OK) {
        setti_run_apply(world, &loaded.run);
        if (loaded.result.new_types != 0) {
            setti_types_report(world, loaded.contents, call);
        }
        if (result != NULL) {
            *result = loaded.result;
        }
    }
    setti_loaded_free(world, &loaded);
    return status;
}

sett_status sett_world_load_with(sett_world* world, const char* path, const sett_file_desc* desc,
                                 sett_load_result* result)
{
    return load_world(world, __func__, path, desc, result);
}

sett_status sett_world_load(sett_world* world, const char* path)
{
    return load_world(world, __func__, path, NULL, NULL);
}

/* Reads the record after the header. If the file has a user block, this record is the user block.
 * Copies at most `capacity` bytes to `user_block`, which can be NULL. */
static sett_status load_info(setti_stream_reader* reader, void* user_block, size_t capacity,
                             sett_file_info* info)
{
    setti_stream_next next = setti_stream_read(reader);
    if (next == SETTI_STREAM_MEMORY) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    if (next == SETTI_STREAM_TORN) {
        return reader->status;
    }
    if (next == SETTI_STREAM_ENDED) {
        return SETT_STATUS_INVALID;
    }
    info->version = reader->version;
    info->size = reader->size;
    info->user_size = reader->kind == SETTI_STREAM_USER ? reader->payload.size : 0;
    if (info->user_size != 0 && user_block != NULL) {
        memcpy(user_block, reader->payload.data, SETTI_MIN(capacity, info->user_size));
    }
    return SETT_OK;
}

/* Opens a file, and initialises a pool for the file. The pool may take `limit` bytes. If `limit` is
 * 0, the pool has no limit. Even after an error, load_close must follow. */
static sett_status load_open(setti_stream_reader* reader, setti_pool* pool, const char* path,
                             const sett_file_desc* desc, size_t limit)
{
    const sett_files* files = setti_place_files(desc);
    const bool huge_pages = false;
    setti_pool_init(pool, setti_allocator_or_default(NULL), huge_pages);
    setti_pool_set_ceiling(pool, limit);
    void* file = files->open(files->user, path, SETT_FILE_READ);
    *reader = (setti_stream_reader){.files = files, .pool = pool};
    if (file == NULL) {
        return SETT_STATUS_FILE;
    }
    if (!setti_stream_open(reader, files, file, pool)) {
        return reader->status;
    }
    return SETT_OK;
}

/* Closes a file, and frees the pool. Returns `status`, or FILE if closing fails. */
static sett_status load_close(const setti_stream_reader* reader, sett_status status)
{
    const sett_files* files = reader->files;
    setti_pool_deinit(reader->pool);
    bool closed = reader->file == NULL || files->close(files->user, reader->file);
    return closed ? status : SETT_STATUS_FILE;
}

SETTI_COLD sett_status sett_file_info_get(const char* path, const sett_file_desc* desc,
                                          void* user_block, size_t capacity, sett_file_info* info)
{
    if (SETTI_IS_NULL(path) || SETTI_IS_NULL(info)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_stream_reader reader;
    setti_pool pool;
    memset(info, 0, sizeof(*info));
    sett_status status = load_open(&reader, &pool, path, desc, 0);
    if (status == SETT_OK) {
        status = load_info(&reader, user_block, capacity, info);
    }
    return load_close(&reader, status);
}

/* Passes all records to `fn`. Damage ends the list without an error. */
static sett_status load_each(setti_stream_reader* reader, const sett_file_desc* desc,
                             sett_record_fn fn, void* user)
{
    reader->reads_foreign = true;
    reader->compression = desc != NULL ? desc->compression : NULL;
    setti_stream_next next = setti_stream_read(reader);
    while (next == SETTI_STREAM_READ) {
        if (!fn(user, reader->kind, reader->frame, reader->payload.data, reader->payload.size)) {
            return SETT_STATUS_REJECTED;
        }
        next = setti_stream_read(reader);
    }
    if (next == SETTI_STREAM_MEMORY) {
        return reader->pool->denied ? SETT_STATUS_LIMIT : SETT_STATUS_OUT_OF_MEMORY;
    }
    if (reader->denied) {
        return SETT_STATUS_LIMIT;
    }
    if (next == SETTI_STREAM_TORN && reader->status != SETT_STATUS_INVALID) {
        return reader->status;
    }
    return SETT_OK;
}

SETTI_COLD sett_status sett_file_records(const char* path, const sett_file_desc* desc,
                                         sett_record_fn fn, void* user)
{
    if (SETTI_IS_NULL(path) || fn == NULL) {
        return SETT_STATUS_ARGUMENT;
    }
    size_t limit = LOAD_RECORDS_LIMIT;
    if (desc != NULL && desc->limit != 0) {
        limit = desc->limit;
    }
    setti_stream_reader reader;
    setti_pool pool;
    sett_status status = load_open(&reader, &pool, path, desc, limit);
    reader.limit = limit;
    if (status == SETT_OK) {
        status = load_each(&reader, desc, fn, user);
    }
    return load_close(&reader, status);
}
