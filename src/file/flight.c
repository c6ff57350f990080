/* flight.c: the last seconds of a world, ready to be written after a crash.
 *
 * The workload: some kilobytes a frame, thousands of frames, and then a crash. After a crash no
 * structure is reliable. So all frames are encoded beforehand, as records of a stream
 * (docs/stream.md), and a dump only copies complete records.
 *
 *     half 0   | lead | types, keyframe | delta | delta | ... | delta |        the older half
 *     half 1   | lead | types, keyframe | delta | delta |                      the present half
 *
 * The lead of a half is the delta that did not fit into the half before. The keyframe is the state
 * after the lead. A dump omits the lead of the older half, and writes the keyframe there as a
 * state. When the present half is full, the older half is overwritten. Its `used` is 0 meanwhile.
 *
 * Invariant:  the first `used` bytes of a half are complete records in ascending order of frames;
 *             lead <= used <= room;  the records of the older half precede the other records
 */
#include "sett/flight.h"
#include "base/atomic.h"
#include "base/checksum.h"
#include "file/place.h"
#include "file/stream.h"
#include "sett/state.h"
#include "state/delta.h"
#include "state/snapshot.h"

#define FLIGHT_FRAMES 300u
#define FLIGHT_SIZE ((size_t)64 << 20)
#define FLIGHT_INPUT ((size_t)65536)

typedef struct flight_half {
    unsigned char* bytes;
    setti_mark used; /* bytes of complete records */
    size_t lead;     /* bytes of the lead */
    uint32_t frames; /* number of deltas after the keyframe */
} flight_half;

struct sett_flight {
    sett_world* world;
    unsigned char* memory;
    size_t size; /* bytes of `memory`, for both halves */
    size_t room; /* bytes of a half */
    flight_half half[2];
    setti_mark now;       /* number of the half being written */
    unsigned char* input; /* input records of the next frame */
    setti_mark input_used;
    unsigned char* user; /* the user block, or NULL */
    size_t user_size;
    uint64_t identity;
    sett_snapshot last;   /* the state after the last delta */
    setti_mark frame_low; /* the frame of `last`, in two marks of 32 bits */
    setti_mark frame_high;
    uint32_t type_count;  /* number of types in the recording */
    uint32_t most_frames; /* most deltas after a keyframe */
    setti_bytes unit;     /* the records of a frame under construction */
};

/* Appends bytes of a stream to the unit (sett_files.write). */
static bool flight_unit_write(void* user, void* file, const void* bytes, size_t size)
{
    sett_flight* flight = file;
    (void)user;
    unsigned char* end = setti_bytes_add(&flight->world->pool, &flight->unit, size);
    if (end == NULL) {
        return false;
    }
    memcpy(end, bytes, size);
    return true;
}

static setti_stream flight_unit_stream(sett_flight* flight)
{
    static const sett_files files = {.write = flight_unit_write};
    return (setti_stream){.files = &files, .file = flight, .identity = flight->identity};
}

static uint64_t flight_frame(const sett_flight* flight)
{
    uint64_t high = (uint64_t)setti_mark_get(&flight->frame_high);
    return high << 32 | (uint32_t)setti_mark_get(&flight->frame_low);
}

static void flight_set_frame(sett_flight* flight, uint64_t frame)
{
    setti_mark_set(&flight->frame_low, (uintptr_t)(frame & UINT32_MAX));
    setti_mark_set(&flight->frame_high, (uintptr_t)(frame >> 32));
}

static size_t flight_used(const flight_half* half)
{
    return (size_t)setti_mark_get(&half->used);
}

/* Returns the number of the present half. */
static uint32_t flight_now(const sett_flight* flight)
{
    return (uint32_t)setti_mark_get(&flight->now);
}

/* Adds a keyframe or a delta to the unit. */
static sett_status flight_put_state(sett_flight* flight, uint32_t kind, uint64_t frame,
                                    const setti_bytes* state, const char* call)
{
    sett_world* world = flight->world;
    setti_stream stream = flight_unit_stream(flight);
    bool with_types =
        kind == SETTI_STREAM_KEYFRAME || flight->type_count != world->registered.count;
    if (setti_stream_write_state(&stream, world, kind, frame, with_types, state)) {
        return SETT_OK;
    }
    return setti_world_no_memory(world, call);
}

/* Fills the unit with the input and the delta of a frame. */
static sett_status flight_put_delta(sett_flight* flight, sett_snapshot now, uint64_t frame,
                                    const char* call)
{
    sett_world* world = flight->world;
    setti_bytes delta = {0};
    sett_status status = setti_delta_encode(world, flight->last, now, call, &delta);
    flight->unit.size = 0;
    if (status == SETT_OK && !setti_bytes_copy(&world->pool, &flight->unit, flight->input,
                                               (size_t)setti_mark_get(&flight->input_used))) {
        status = setti_world_no_memory(world, call);
    }
    if (status == SETT_OK) {
        status = flight_put_state(flight, SETTI_STREAM_DELTA, frame, &delta, call);
    }
    setti_bytes_free(&world->pool, &delta);
    return status;
}

/* Overwrites the older half with the unit and a keyframe. The unit contains the lead. The older
 * half becomes the present half. */
static sett_status flight_turn(sett_flight* flight, uint64_t frame, const char* call)
{
    sett_world* world = flight->world;
    setti_bytes state = {0};
    flight_half* half = &flight->half[1 - flight_now(flight)];
    size_t lead = flight->unit.size;
    sett_status status = setti_delta_encode_state(world, call, &state);
    if (status == SETT_OK) {
        status = flight_put_state(flight, SETTI_STREAM_KEYFRAME, frame, &state, call);
    }
    setti_bytes_free(&world->pool, &state);
    if (status == SETT_OK && flight->unit.size > flight->room) {
        /* twice the unit, because a recording has two halves of the same size */
        status = setti_world_fail_with(
            world, SETT_STATUS_LIMIT,
            "%s: the recorder needs %llu bytes, and sett_flight_desc.size is %llu - create one "
            "with a larger size",
            call, 2 * (unsigned long long)flight->unit.size, (unsigned long long)flight->size);
    }
    if (status != SETT_OK) {
        return status;
    }
    setti_mark_set(&half->used, 0); /* a dump during the copy omits the half */
    half->lead = lead;
    half->frames = 0;
    memcpy(half->bytes, flight->unit.data, flight->unit.size);
    setti_mark_set(&half->used, flight->unit.size);
    setti_mark_set(&flight->now, 1 - flight_now(flight));
    return SETT_OK;
}

/* Adds the records of a frame to the present half. If the half is full, begins the other half. */
static sett_status flight_record(sett_flight* flight, sett_snapshot now, uint64_t frame,
                                 const char* call)
{
    flight_half* half = &flight->half[flight_now(flight)];
    size_t used = flight_used(half);
    if (sett_snapshot_status(flight->world, flight->last) != SETT_OK) {
        flight->unit.size = 0; /* no delta without a snapshot: the recording begins again */
        sett_status status = flight_turn(flight, frame, call);
        if (status == SETT_OK) {
            setti_mark_set(&half->used, 0); /* no delta leads from this half to the new half */
        }
        return status;
    }
    sett_status status = flight_put_delta(flight, now, frame, call);
    if (status != SETT_OK) {
        return status;
    }
    if (half->frames >= flight->most_frames || flight->unit.size > flight->room - used) {
        return flight_turn(flight, frame, call);
    }
    memcpy(half->bytes + used, flight->unit.data, flight->unit.size);
    half->frames++;
    setti_mark_set(&half->used, used + flight->unit.size);
    return SETT_OK;
}

sett_status sett_flight_append(sett_flight* flight, uint64_t frame)
{
    sett_snapshot now;
    if (SETTI_IS_NULL(flight)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = flight->world;
    sett_status status = setti_stream_take(world, __func__, frame, flight_frame(flight), &now);
    if (status != SETT_OK) {
        return status;
    }
    status = flight_record(flight, now, frame, __func__);
    sett_snapshot unneeded = status == SETT_OK ? flight->last : now;
    setti_stream_drop(world, unneeded);
    if (status == SETT_OK) {
        flight->last = now;
        flight->type_count = world->registered.count;
        flight_set_frame(flight, frame);
        setti_mark_set(&flight->input_used, 0);
    }
    return status;
}

sett_status sett_flight_write(sett_flight* flight, uint32_t kind, uint64_t frame, const void* bytes,
                              size_t size)
{
    if (SETTI_IS_NULL(flight)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = flight->world;
    size_t used = (size_t)setti_mark_get(&flight->input_used);
    sett_status status =
        setti_stream_check(world, __func__, kind, frame, flight_frame(flight), bytes, size);
    if (status != SETT_OK) {
        return status;
    }
    /* after the first comparison, the sum in the second cannot overflow */
    bool fits = size <= FLIGHT_INPUT - SETTI_STREAM_RECORD &&
                used + size + SETTI_STREAM_RECORD <= FLIGHT_INPUT;
    if (!fits) {
        return setti_world_fail_with(
            world, SETT_STATUS_LIMIT,
            "%s: the records of this frame have %lu bytes, and %lu more do "
            "not fit: at most %lu fit, with %u for each record - record "
            "less in each frame",
            __func__, (unsigned long)used, (unsigned long)size, (unsigned long)FLIGHT_INPUT,
            SETTI_STREAM_RECORD);
    }
    flight->unit.size = 0;
    setti_stream stream = flight_unit_stream(flight);
    if (!setti_stream_write(&stream, kind, frame, bytes, size)) {
        return setti_world_no_memory(world, __func__);
    }
    memcpy(flight->input + used, flight->unit.data, flight->unit.size);
    setti_mark_set(&flight->input_used, used + flight->unit.size);
    return SETT_OK;
}

uint32_t sett_flight_frames(const sett_flight* flight)
{
    if (SETTI_IS_NULL(flight)) {
        return 0;
    }
    uint32_t now = flight_now(flight);
    const flight_half* present = &flight->half[now];
    const flight_half* older = &flight->half[1 - now];
    if (flight_used(older) == 0) {
        return present->frames;
    }
    return older->frames + 1 + present->frames; /* 1: the lead of the present half */
}

typedef struct flight_dump {
    sett_flight_write_fn write;
    void* user;
    uint64_t identity;
    uint64_t frame; /* the frame of the last record */
    bool complete;  /* no write has failed */
} flight_dump;

/* Passes bytes to the program. After a failed write, passes nothing more. */
static void flight_emit(flight_dump* dump, const void* bytes, size_t size)
{
    if (dump->complete && size != 0) {
        dump->complete = dump->write(dump->user, bytes, size);
    }
}

/* Writes bytes of a stream to the dump (sett_files.write). */
static bool flight_dump_write(void* user, void* file, const void* bytes, size_t size)
{
    (void)user;
    flight_emit(file, bytes, size);
    return true; /* a failure is noted in flight_dump.complete */
}

static setti_stream flight_dump_stream(flight_dump* dump)
{
    static const sett_files files = {.write = flight_dump_write};
    return (setti_stream){.files = &files, .file = dump, .identity = dump->identity};
}

/* Writes a half of the recording. If `is_first` is true, omits the lead, and writes the keyframe as
 * a state. */
static void flight_emit_half(flight_dump* dump, const flight_half* half, bool is_first)
{
    setti_stream stream = flight_dump_stream(dump);
    size_t used = flight_used(half);
    size_t offset = is_first ? half->lead : 0;
    while (offset + SETTI_STREAM_RECORD <= used) {
        const unsigned char* record = half->bytes + offset;
        setti_stream_head head = setti_stream_get_head(record);
        if (is_first && head.kind == SETTI_STREAM_KEYFRAME) {
            setti_stream_write_page(&stream, SETTI_STREAM_STATE, head.flags, head.frame,
                                    record + SETTI_STREAM_RECORD, head.size);
        } else {
            flight_emit(dump, record, SETTI_STREAM_RECORD + head.size);
        }
        dump->frame = head.frame;
        offset += SETTI_STREAM_RECORD + head.size;
    }
}

/* Writes the input of the next frame. If there is input, dump->frame becomes the frame of the last
 * record. */
static void flight_emit_input(flight_dump* dump, const sett_flight* flight)
{
    size_t used = (size_t)setti_mark_get(&flight->input_used);
    size_t offset = 0;
    flight_emit(dump, flight->input, used);
    while (offset < used) {
        setti_stream_head head = setti_stream_get_head(flight->input + offset);
        dump->frame = head.frame;
        offset += SETTI_STREAM_RECORD + head.size;
    }
}

/* Writes the length and at most `max_length` characters of a text. NULL stands for an empty
 * text. Returns the number of written bytes. */
static size_t flight_text(unsigned char* out, const char* text, size_t max_length)
{
    size_t length = 0;
    while (text != NULL && length < max_length && text[length] != '\0') {
        out[2 + length] = (unsigned char)text[length];
        length++;
    }
    setti_bytes_put(out, length, 2);
    return 2 + length; /* 2: bytes of the length */
}

/* Writes a log record with the reason and the running system. */
static void flight_emit_why(flight_dump* dump, const sett_world* world, const char* why)
{
    unsigned char log[600] = {0}; /* kind, system, component, entity, text (docs/stream.md) */
    setti_stream stream = flight_dump_stream(dump);
    size_t size = 1; /* the kind is 0 */
    size += flight_text(log + size, world->running, 200);
    size += flight_text(log + size, NULL, 0); /* no component */
    size += 8;                                /* the null entity */
    size += flight_text(log + size, why, 300);
    (void)setti_stream_write(&stream, SETTI_STREAM_LOG, dump->frame, log, size);
}

SETTI_COLD bool sett_flight_dump(const sett_flight* flight, const char* why,
                                 sett_flight_write_fn write, void* user)
{
    if (flight == NULL || write == NULL) {
        return false;
    }
    flight_dump dump = {
        .write = write, .user = user, .identity = flight->identity, .complete = true};
    uint32_t now = flight_now(flight); /* read once: another thread may change it meanwhile */
    const flight_half* present = &flight->half[now];
    const flight_half* older = &flight->half[1 - now];
    bool has_older = flight_used(older) != 0;
    setti_stream stream = flight_dump_stream(&dump);
    setti_stream_begin(&stream, stream.files, &dump, flight->identity);
    if (flight->user_size != 0) {
        (void)setti_stream_write(&stream, SETTI_STREAM_USER, 0, flight->user, flight->user_size);
    }
    if (has_older) {
        const bool is_first = true;
        flight_emit_half(&dump, older, is_first);
    }
    flight_emit_half(&dump, present, !has_older);
    uint64_t last = dump.frame;
    flight_emit_input(&dump, flight);
    if (why != NULL) {
        if (dump.frame <= last) { /* no input has the frame in progress */
            dump.frame = last + 1;
        }
        flight_emit_why(&dump, flight->world, why);
    }
    (void)setti_stream_write(&stream, SETTI_STREAM_END, dump.frame, NULL, 0);
    return dump.complete;
}

typedef struct flight_save {
    const sett_files* files;
    void* file;
} flight_save;

static bool flight_save_write(void* user, const void* bytes, size_t size)
{
    flight_save* save = user;
    return save->files->write(save->files->user, save->file, bytes, size);
}

sett_status sett_flight_save(const sett_flight* flight, const char* path, const char* why)
{
    if (SETTI_IS_NULL(flight)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = flight->world;
    sett_status status = setti_place_check_path(world, __func__, path);
    if (status != SETT_OK) {
        return status;
    }
    flight_save save = {.files = setti_platform_files()};
    save.file = save.files->open(save.files->user, path, SETT_FILE_CREATE);
    if (save.file == NULL) {
        return setti_world_fail_with(
            world, SETT_STATUS_FILE,
            "%s: \"%.200s\" cannot be created - check that its folder exists and can be "
            "written",
            __func__, path);
    }
    bool written = sett_flight_dump(flight, why, flight_save_write, &save);
    bool closed = save.files->close(save.files->user, save.file);
    if (!written || !closed) {
        return setti_world_fail_with(
            world, SETT_STATUS_FILE,
            "%s: \"%.200s\" is incomplete, because a write failed - check that the disk has "
            "room, and save again",
            __func__, path);
    }
    return SETT_OK;
}

static void flight_free(sett_flight* flight)
{
    setti_pool* pool = &flight->world->pool;
    setti_bytes_free(pool, &flight->unit);
    setti_pool_free(pool, flight->memory, flight->size, 16);
    setti_pool_free(pool, flight->input, FLIGHT_INPUT, 16);
    setti_pool_free(pool, flight->user, flight->user_size, 16);
    setti_pool_free(pool, flight, sizeof(*flight), 16);
}

static bool flight_reserve(sett_flight* flight, const sett_flight_desc* desc)
{
    setti_pool* pool = &flight->world->pool;
    flight->memory = setti_pool_alloc(pool, flight->size, 16); /* not cleared: costs no pages yet */
    flight->input = setti_pool_alloc(pool, FLIGHT_INPUT, 16);
    if (flight->memory == NULL || flight->input == NULL) {
        return false;
    }
    if (desc->user_size != 0) {
        flight->user = setti_pool_alloc(pool, desc->user_size, 16);
        if (flight->user == NULL) {
            return false;
        }
        flight->user_size = desc->user_size;
        memcpy(flight->user, desc->user_block, desc->user_size);
    }
    flight->room = flight->size / 2;
    flight->half[0].bytes = flight->memory;
    flight->half[1].bytes = flight->memory + flight->room;
    return true;
}

static bool flight_begin(sett_flight* flight, const sett_flight_desc* desc)
{
    static const char call[] = "sett_flight_create";
    sett_world* world = flight->world;
    const sett_file_desc user_desc = {.user_block = desc->user_block, .user_size = desc->user_size};
    if (setti_place_check_user(world, call, &user_desc) != SETT_OK) {
        return false;
    }
    if (!flight_reserve(flight, desc)) {
        (void)setti_world_no_memory(world, call);
        return false;
    }
    if (setti_values_check(world, call) != SETT_OK) {
        return false;
    }
    if (setti_snapshot_take(world, &flight->last, call) != SETT_OK) {
        return false;
    }
    flight->identity =
        setti_checksum(sett_world_hash(world) ^ desc->frame, desc->user_block, desc->user_size);
    flight_set_frame(flight, desc->frame);
    if (flight_turn(flight, desc->frame, call) != SETT_OK) {
        (void)sett_snapshot_drop(world, flight->last);
        return false;
    }
    flight->type_count = world->registered.count;
    return true;
}

SETTI_COLD sett_flight* sett_flight_create_sized(sett_world* world, const sett_flight_desc* given,
                                                 size_t size)
{
    static const char call[] = "sett_flight_create";
    sett_flight_desc desc = {.frames = 0};
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    if (given != NULL) {
        setti_copy_sized(&desc, sizeof(desc), given, size);
    }
    sett_flight* flight = setti_world_alloc(world, sizeof(*flight), 16, call);
    if (flight == NULL) {
        return NULL;
    }
    flight->world = world;
    flight->size = desc.size != 0 ? desc.size : FLIGHT_SIZE;
    flight->most_frames = desc.frames != 0 ? desc.frames : FLIGHT_FRAMES;
    if (!flight_begin(flight, &desc)) {
        flight_free(flight);
        return NULL;
    }
    return flight;
}

void sett_flight_destroy(sett_flight* flight)
{
    if (flight == NULL) {
        return;
    }
    if (setti_world_check_serial(flight->world, "sett_flight_destroy") != SETT_OK) {
        return;
    }
    setti_stream_drop(flight->world, flight->last);
    flight_free(flight);
}
