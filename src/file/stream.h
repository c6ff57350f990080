/* stream.h: records in a file, as docs/stream.md describes them. */
#ifndef SETTI_STREAM_H
#define SETTI_STREAM_H

#include "base/bytes.h"
#include "sett/file.h"
#include "sett/state.h"
#include "world/world.h"

#define SETTI_STREAM_VERSION 0u
#define SETTI_STREAM_HEADER 32  /* bytes */
#define SETTI_STREAM_RECORD 24  /* bytes before a payload: setti_stream_head */
#define SETTI_STREAM_PAGE 65536 /* bytes of a payload in a record; longer payloads are split */
#define SETTI_STREAM_MORE 1u    /* flag: the payload continues in the next record */
#define SETTI_STREAM_PACKED 2u  /* flag: unpacked size (8 bytes), then compressed payload */
#define SETTI_STREAM_FOREIGN                                                                       \
    0x8000u /* the first kind of foreign records; readers skip foreign records */

typedef enum setti_stream_kind {
    SETTI_STREAM_NONE,
    SETTI_STREAM_USER,
    SETTI_STREAM_TYPES,
    SETTI_STREAM_STATE,
    SETTI_STREAM_DELTA,
    SETTI_STREAM_KEYFRAME,
    SETTI_STREAM_INPUT,
    SETTI_STREAM_TIMES,
    SETTI_STREAM_LOG,
    SETTI_STREAM_INDEX,
    SETTI_STREAM_END,
    SETTI_STREAM_RUN,
    SETTI_STREAM_KINDS
} setti_stream_kind;

#define SETTI_STREAM_INDEX_ENTRY 16 /* bytes of an entry: the frame and the offset of a keyframe */

/* The head of a record, before the payload. */
typedef struct setti_stream_head {
    uint32_t kind;  /* 2 bytes */
    uint32_t flags; /* 2 bytes */
    uint32_t size;  /* 4 bytes: bytes of payload in the record */
    uint64_t frame;
    uint64_t checksum;
} setti_stream_head;

static inline setti_stream_head setti_stream_get_head(const unsigned char* bytes)
{
    return (setti_stream_head){(uint32_t)setti_bytes_get(bytes, 2),
                               (uint32_t)setti_bytes_get(bytes + 2, 2),
                               (uint32_t)setti_bytes_get(bytes + 4, 4),
                               setti_bytes_get(bytes + 8, 8), setti_bytes_get(bytes + 16, 8)};
}

/* A file being written. */
typedef struct setti_stream {
    const sett_files* files;
    void* file;
    uint64_t identity;                   /* of the file; each checksum depends on it */
    uint64_t offset;                     /* the offset of the next record */
    bool failed;                         /* a write failed: nothing more is written */
    const sett_compression* compression; /* or NULL */
    setti_pool* pool;                    /* for compression */
} setti_stream;

/* Writes the header to an empty file. The caller has set `compression` and `pool`. */
void setti_stream_begin(setti_stream* stream, const sett_files* files, void* file,
                        uint64_t identity);

/* Writes a payload of any size, in several records if necessary. Returns false if a write has
 * failed. */
bool setti_stream_write(setti_stream* stream, uint32_t kind, uint64_t frame, const void* bytes,
                        size_t size);

/* Writes the record of the systems, and then the state or delta. If `with_types` is true, writes
 * the types first. Returns false if a write has failed or memory runs out. */
bool setti_stream_write_state(setti_stream* stream, sett_world* world, uint32_t kind,
                              uint64_t frame, bool with_types, const setti_bytes* state);

/* Takes a snapshot for a frame. Fails if `frame` is lower than `last`, the frame of the last
 * record. */
sett_status setti_stream_take(sett_world* world, const char* call, uint64_t frame, uint64_t last,
                              sett_snapshot* now);

/* Drops a snapshot. Does nothing if the snapshot has ended already. */
void setti_stream_drop(sett_world* world, sett_snapshot snapshot);

/* Fails if the program must not write this record. `last` is the frame of the last record. */
sett_status setti_stream_check(sett_world* world, const char* call, uint32_t kind, uint64_t frame,
                               uint64_t last, const void* bytes, size_t size);

/* Writes a single record. The payload has at most SETTI_STREAM_PAGE bytes. */
void setti_stream_write_page(setti_stream* stream, uint32_t kind, uint32_t flags, uint64_t frame,
                             const void* bytes, size_t size);

/* A file being read. */
typedef struct setti_stream_reader {
    const sett_files* files;
    void* file;
    setti_pool* pool;
    uint64_t size;   /* the size of the file */
    uint64_t offset; /* the offset of the next record */
    uint64_t identity;
    uint32_t version;
    bool reads_foreign;                  /* foreign records are read too */
    const char* why;                     /* the message of the error, or NULL */
    sett_status status;                  /* the error: INVALID, FILE or ARGUMENT */
    const sett_compression* compression; /* or NULL */
    size_t limit;                        /* most bytes of a decompressed payload */
    bool denied;                         /* a payload exceeded `limit` */
    /* The last record: */
    uint32_t kind;
    uint64_t frame;
    setti_bytes payload;
    size_t unpacked; /* size of a decompressed `payload`, otherwise 0 */
} setti_stream_reader;

/* Reads the header. After an error, sets reader->why and reader->status, and returns false. */
bool setti_stream_open(setti_stream_reader* reader, const sett_files* files, void* file,
                       setti_pool* pool);
void setti_stream_close(setti_stream_reader* reader);

typedef enum setti_stream_next {
    SETTI_STREAM_READ,  /* a record was read */
    SETTI_STREAM_ENDED, /* the file has ended */
    SETTI_STREAM_TORN,  /* an incomplete or damaged record follows; `why` is the error */
    SETTI_STREAM_MEMORY /* memory ran out */
} setti_stream_next;

/* Reads the next record with the whole payload. */
setti_stream_next setti_stream_read(setti_stream_reader* reader);

/* Reads all pages up to the end of the first state, to check them. */
setti_stream_next setti_stream_find_state(setti_stream_reader* reader);

#endif
