/* stream.c: see stream.h.
 *
 * The workload: megabytes of one state, then a few kilobytes a frame. The reader trusts no bytes:
 * memory is allocated only if the rest of the file is as long as the record, and a page is used
 * only if the checksum is right.
 *
 *     header | record, page | record, page | record, page (last) | record ...
 *              \______________ one payload _______________/
 *
 * Invariant:  bytes before `offset` belong to whole payloads or foreign records
 */
#include "file/stream.h"

#include "base/checksum.h"
#include "file/run_record.h"
#include "file/types.h"
#include "state/snapshot.h"

static const unsigned char stream_magic[8] = {0x89, 'S', 'E', 'T', 'T', '\r', '\n', 0x1A};

static void stream_put_bytes(setti_stream* stream, const void* bytes, size_t size)
{
    if (!stream->failed && size != 0) {
        const sett_files* files = stream->files;
        stream->failed = !files->write(files->user, stream->file, bytes, size);
        stream->offset += size;
    }
}

void setti_stream_begin(setti_stream* stream, const sett_files* files, void* file,
                        uint64_t identity)
{
    /* magic, version u32, reserved u32, identity u64, checksum u64 */
    unsigned char header[SETTI_STREAM_HEADER] = {0};
    stream->files = files;
    stream->file = file;
    stream->identity = identity;
    stream->failed = false;
    stream->offset = 0;
    memcpy(header, stream_magic, sizeof(stream_magic));
    setti_bytes_put(header + 8, SETTI_STREAM_VERSION, 4);
    setti_bytes_put(header + 16, identity, 8);
    setti_bytes_put(header + 24, setti_checksum(0, header, 24), 8);
    stream_put_bytes(stream, header, sizeof(header));
}

static uint64_t stream_checksum(uint64_t identity, const unsigned char* head, const void* payload,
                                size_t size)
{
    /* 16: the head up to the checksum */
    return setti_checksum(setti_checksum(identity, head, 16), payload, size);
}

void setti_stream_write_page(setti_stream* stream, uint32_t kind, uint32_t flags, uint64_t frame,
                             const void* bytes, size_t size)
{
    unsigned char head[SETTI_STREAM_RECORD];
    SETTI_ASSERT(size <= SETTI_STREAM_PAGE);
    setti_bytes_put(head, kind, 2);
    setti_bytes_put(head + 2, flags, 2);
    setti_bytes_put(head + 4, size, 4);
    setti_bytes_put(head + 8, frame, 8);
    setti_bytes_put(head + 16, stream_checksum(stream->identity, head, bytes, size), 8);
    stream_put_bytes(stream, head, sizeof(head));
    stream_put_bytes(stream, bytes, size);
}

/* Writes a payload, split into records. Returns false if a write has failed. */
static bool stream_write_pages(setti_stream* stream, uint32_t kind, uint32_t flags, uint64_t frame,
                               const void* bytes, size_t size)
{
    const unsigned char* page = bytes;
    do {
        size_t page_size = SETTI_MIN(size, SETTI_STREAM_PAGE);
        uint32_t more = size > page_size ? SETTI_STREAM_MORE : 0;
        setti_stream_write_page(stream, kind, flags | more, frame, page, page_size);
        size -= page_size;
        if (size != 0) {
            page += page_size; /* not for an empty payload: NULL + 0 is undefined */
        }
    } while (size != 0);
    return !stream->failed;
}

/* Compresses a payload. Returns new memory: *room bytes, of which the first *packed bytes are used.
 * Returns NULL if compression saves nothing, or if memory runs out. */
static unsigned char* stream_pack(const setti_stream* stream, const void* bytes, size_t size,
                                  size_t* packed, size_t* room)
{
    const sett_compression* compression = stream->compression;
    size_t bound = compression->bound(compression->user, size);
    if (bound >= SIZE_MAX - 8) { /* bound + 8 would overflow */
        return NULL;
    }
    *room = bound + 8;
    unsigned char* out = setti_pool_alloc(stream->pool, *room, 16);
    if (out == NULL) {
        return NULL;
    }
    setti_bytes_put(out, size, 8); /* for stream_unpack */
    *packed = compression->compress(compression->user, bytes, size, out + 8, bound);
    if (*packed == 0 || *packed > bound || *packed + 8 >= size) {
        setti_pool_free(stream->pool, out, *room, 16);
        return NULL;
    }
    *packed += 8;
    return out;
}

bool setti_stream_write(setti_stream* stream, uint32_t kind, uint64_t frame, const void* bytes,
                        size_t size)
{
    SETTI_ASSERT(kind != SETTI_STREAM_NONE);
    bool is_large =
        kind == SETTI_STREAM_STATE || kind == SETTI_STREAM_DELTA || kind == SETTI_STREAM_KEYFRAME;
    size_t packed = 0;
    size_t room = 0;
    unsigned char* out = NULL;
    if (is_large && stream->compression != NULL) {
        out = stream_pack(stream, bytes, size, &packed, &room);
    }
    if (out == NULL) {
        return stream_write_pages(stream, kind, 0, frame, bytes, size);
    }
    bool written = stream_write_pages(stream, kind, SETTI_STREAM_PACKED, frame, out, packed);
    setti_pool_free(stream->pool, out, room, 16);
    return written;
}

bool setti_stream_write_state(setti_stream* stream, sett_world* world, uint32_t kind,
                              uint64_t frame, bool with_types, const setti_bytes* state)
{
    setti_bytes types = {0};
    setti_bytes run = {0};
    bool encoded = !with_types || setti_types_encode(world, &types);
    if (encoded) {
        encoded = setti_run_encode(world, &run);
    }
    if (encoded && with_types) {
        (void)setti_stream_write(stream, SETTI_STREAM_TYPES, frame, types.data, types.size);
    }
    if (encoded && run.size != 0) {
        (void)setti_stream_write(stream, SETTI_STREAM_RUN, frame, run.data, run.size);
    }
    setti_bytes_free(&world->pool, &types);
    setti_bytes_free(&world->pool, &run);
    return encoded && setti_stream_write(stream, kind, frame, state->data, state->size);
}

static sett_status stream_check_frame(sett_world* world, const char* call, uint64_t frame,
                                      uint64_t last)
{
    if (frame >= last) {
        return SETT_OK;
    }
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: frame %llu is lower than the last one, %llu - pass "
                                 "frames in ascending order",
                                 call, (unsigned long long)frame, (unsigned long long)last);
}

sett_status setti_stream_check(sett_world* world, const char* call, uint32_t kind, uint64_t frame,
                               uint64_t last, const void* bytes, size_t size)
{
    bool is_common = kind >= SETT_RECORD_INPUT && kind <= SETT_RECORD_LOG;
    bool is_foreign = kind >= SETT_RECORD_PROGRAM && kind <= UINT16_MAX;
    if (!is_common && !is_foreign) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: kind %u is not for programs - pass SETT_RECORD_INPUT, "
                                     "SETT_RECORD_TIMES, SETT_RECORD_LOG or SETT_RECORD_PROGRAM "
                                     "+ n",
                                     call, (unsigned)kind);
    }
    if (setti_world_lacks_list(world, bytes, size, call, "bytes")) {
        return SETT_STATUS_ARGUMENT;
    }
    return stream_check_frame(world, call, frame, last);
}

sett_status setti_stream_take(sett_world* world, const char* call, uint64_t frame, uint64_t last,
                              sett_snapshot* now)
{
    sett_status status = stream_check_frame(world, call, frame, last);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_values_check(world, call);
    if (status != SETT_OK) {
        return status;
    }
    return setti_snapshot_take(world, now, call);
}

void setti_stream_drop(sett_world* world, sett_snapshot snapshot)
{
    if (sett_snapshot_status(world, snapshot) == SETT_OK) {
        (void)sett_snapshot_drop(world, snapshot);
    }
}

/* Stores an error of the file. Returns false. */
static bool stream_fail(setti_stream_reader* reader, sett_status status, const char* why)
{
    reader->status = status;
    reader->why = why;
    return false;
}

/* Stores an error of a damaged file. */
static setti_stream_next stream_torn(setti_stream_reader* reader, const char* why)
{
    (void)stream_fail(reader, SETT_STATUS_INVALID, why);
    return SETTI_STREAM_TORN;
}

static const char stream_ends_why[] = "the file is damaged: it ends within a record - load a copy";

/* Reads the bytes at an offset of the file. Returns false after an error. */
static bool stream_load(setti_stream_reader* reader, uint64_t offset, void* out, size_t size)
{
    const sett_files* files = reader->files;
    if (offset > reader->size || size > reader->size - offset) {
        return stream_fail(reader, SETT_STATUS_INVALID, stream_ends_why);
    }
    if (files->read(files->user, reader->file, offset, out, size) != size) {
        return stream_fail(reader, SETT_STATUS_FILE, "the file cannot be read - check the disk");
    }
    return true;
}

SETTI_COLD bool setti_stream_open(setti_stream_reader* reader, const sett_files* files, void* file,
                                  setti_pool* pool)
{
    unsigned char header[SETTI_STREAM_HEADER];
    memset(reader, 0, sizeof(*reader));
    reader->files = files;
    reader->file = file;
    reader->pool = pool;
    if (!files->size(files->user, file, &reader->size)) {
        return stream_fail(reader, SETT_STATUS_FILE,
                           "the size of the file cannot be read - check that it is a regular file");
    }
    memset(header, 0, sizeof(header));
    size_t size = (size_t)SETTI_MIN(reader->size, sizeof(header));
    if (!stream_load(reader, 0, header, size)) {
        return false;
    }
    if (memcmp(header, stream_magic, sizeof(stream_magic)) != 0) {
        return stream_fail(reader, SETT_STATUS_INVALID,
                           "the file is not one of Sett - load one that sett_world_save wrote");
    }
    if (size < sizeof(header)) {
        return stream_fail(reader, SETT_STATUS_INVALID,
                           "the file is damaged: it ends within its header - load a copy");
    }
    if (setti_bytes_get(header + 24, 8) != setti_checksum(0, header, 24)) {
        return stream_fail(reader, SETT_STATUS_INVALID,
                           "the file is damaged: its header was altered - load a copy");
    }
    reader->version = (uint32_t)setti_bytes_get(header + 8, 4);
    reader->identity = setti_bytes_get(header + 16, 8);
    reader->offset = SETTI_STREAM_HEADER;
    bool unknown_bits = setti_bytes_get(header + 12, 4) != 0; /* reserved, for a later format */
    if (reader->version != SETTI_STREAM_VERSION || unknown_bits) {
        return stream_fail(reader, SETT_STATUS_INVALID,
                           "the format version of the file differs from this library's - load it "
                           "with the library that wrote it");
    }
    return true;
}

/* Appends the page of the record at *offset to the payload. *page becomes the head of the record,
 * and *offset the offset of the next record. */
static setti_stream_next stream_read_page(setti_stream_reader* reader, uint64_t* offset,
                                          setti_stream_head* page)
{
    unsigned char head[SETTI_STREAM_RECORD];
    if (!stream_load(reader, *offset, head, sizeof(head))) {
        return SETTI_STREAM_TORN;
    }
    *page = setti_stream_get_head(head);
    size_t size = page->size;
    if (size > SETTI_STREAM_PAGE || page->flags > (SETTI_STREAM_MORE | SETTI_STREAM_PACKED)) {
        return stream_torn(reader, "the file is damaged: the head of a record is invalid - load a "
                                   "copy");
    }
    if (size > reader->size - *offset - sizeof(head)) {
        return stream_torn(reader, stream_ends_why);
    }
    if (!setti_bytes_reserve(reader->pool, &reader->payload, size)) {
        return SETTI_STREAM_MEMORY;
    }
    unsigned char* bytes = setti_bytes_end(&reader->payload);
    if (size != 0 && !stream_load(reader, *offset + sizeof(head), bytes, size)) {
        return SETTI_STREAM_TORN;
    }
    if (page->checksum != stream_checksum(reader->identity, head, bytes, size)) {
        return stream_torn(reader, "the file is damaged: the checksum of a record is wrong - load "
                                   "a copy");
    }
    reader->payload.size += size;
    *offset += sizeof(head) + size;
    return SETTI_STREAM_READ;
}

/* Replaces the payload by the decompressed payload. */
static setti_stream_next stream_unpack(setti_stream_reader* reader)
{
    const sett_compression* compression = reader->compression;
    setti_bytes* payload = &reader->payload;
    bool has_size = payload->size >= 8; /* the unpacked size precedes the packed bytes */
    size_t size = 0;
    bool unpacked = false;
    if (compression == NULL) {
        (void)stream_fail(
            reader, SETT_STATUS_ARGUMENT,
            "the file is compressed - set sett_file_desc.compression to the functions "
            "that it was saved with");
        return SETTI_STREAM_TORN;
    }
    if (has_size) {
        uint64_t stored = setti_bytes_get(payload->data, 8);
        if (stored > reader->limit) {
            reader->denied = true;
            return stream_torn(reader,
                               "a record is larger than sett_file_desc.limit - raise the limit");
        }
        size = (size_t)stored;
    }
    size_t capacity = SETTI_MAX(size, 1); /* not 0 bytes */
    unsigned char* out = setti_pool_alloc(reader->pool, capacity, 16);
    if (out == NULL) {
        return SETTI_STREAM_MEMORY;
    }
    if (has_size) {
        unpacked = compression->decompress(compression->user, payload->data + 8, payload->size - 8,
                                           out, size);
    }
    setti_bytes_free(reader->pool, payload);
    *payload = (setti_bytes){out, size, capacity};
    reader->unpacked = size;
    if (!unpacked) {
        return stream_torn(reader, "a record cannot be decompressed - load a copy, or set "
                                   "sett_file_desc.compression to the functions that it was "
                                   "saved with");
    }
    return SETTI_STREAM_READ;
}

/* Returns true if `page` can belong to the payload that begins with `first`. */
static bool stream_belongs(const setti_stream_head* page, const setti_stream_head* first)
{
    bool same_packing = (page->flags & SETTI_STREAM_PACKED) == (first->flags & SETTI_STREAM_PACKED);
    return page->kind == first->kind && page->frame == first->frame && same_packing;
}

/* Reads the pages of a payload. *first becomes the head of the first record, and *offset the offset
 * of the next payload. */
static setti_stream_next stream_read_pages(setti_stream_reader* reader, uint64_t* offset,
                                           setti_stream_head* first)
{
    setti_stream_next next = stream_read_page(reader, offset, first);
    setti_stream_head page = *first;
    while (next == SETTI_STREAM_READ && (page.flags & SETTI_STREAM_MORE) != 0) {
        next = stream_read_page(reader, offset, &page);
        if (next == SETTI_STREAM_READ && !stream_belongs(&page, first)) {
            next = stream_torn(reader, "the file is damaged: two records are mixed - load a copy");
        }
    }
    return next;
}

/* Reads a payload. After an error, the kind, the frame and the offset of the reader are
 * unchanged. */
static setti_stream_next stream_read_payload(setti_stream_reader* reader)
{
    uint64_t offset = reader->offset;
    setti_stream_head first = {0};
    reader->payload.size = 0;
    reader->unpacked = 0;
    setti_stream_next next = stream_read_pages(reader, &offset, &first);
    if (next != SETTI_STREAM_READ) {
        return next;
    }
    if (first.frame < reader->frame) {
        return stream_torn(reader, "the file is damaged: frames are not in order - load a copy");
    }
    if ((first.flags & SETTI_STREAM_PACKED) != 0) {
        next = stream_unpack(reader);
        if (next != SETTI_STREAM_READ) {
            return next;
        }
    }
    reader->kind = first.kind;
    reader->frame = first.frame;
    reader->offset = offset;
    return SETTI_STREAM_READ;
}

setti_stream_next setti_stream_read(setti_stream_reader* reader)
{
    SETTI_ASSERT(reader->offset >= SETTI_STREAM_HEADER);
    bool foreign;
    do {
        if (reader->offset == reader->size || reader->kind == SETTI_STREAM_END) {
            return SETTI_STREAM_ENDED;
        }
        setti_stream_next next = stream_read_payload(reader);
        if (next != SETTI_STREAM_READ) {
            return next;
        }
        foreign = reader->kind >= SETTI_STREAM_FOREIGN;
    } while (foreign && !reader->reads_foreign);
    bool known = reader->kind != SETTI_STREAM_NONE && reader->kind < SETTI_STREAM_KINDS;
    if (known || foreign) {
        return SETTI_STREAM_READ;
    }
    return stream_torn(reader, "this library does not know the kind of a record - load the file "
                               "with a newer library");
}

setti_stream_next setti_stream_find_state(setti_stream_reader* reader)
{
    setti_stream_head page = {0};
    bool found = false;
    while (!found) {
        reader->payload.size = 0;
        setti_stream_next next = stream_read_page(reader, &reader->offset, &page);
        if (next != SETTI_STREAM_READ) {
            return next;
        }
        bool is_last = (page.flags & SETTI_STREAM_MORE) == 0; /* the last page of a payload */
        found = is_last && page.kind == SETTI_STREAM_STATE;
    }
    return SETTI_STREAM_READ;
}

void setti_stream_close(setti_stream_reader* reader)
{
    setti_bytes_free(reader->pool, &reader->payload);
}
