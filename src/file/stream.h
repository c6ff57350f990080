/* stream.h: records in a file, as docs/stream.md describes them. */
#ifndef SETTI_STREAM_H
#define SETTI_STREAM_H

#include "base/bytes.h"
#include "sett/file.h"

#define SETTI_STREAM_VERSION 0u
#define SETTI_STREAM_HEADER 32       /* bytes */
#define SETTI_STREAM_RECORD 24       /* bytes before a payload */
#define SETTI_STREAM_PAGE 65536      /* bytes of a payload at most; longer ones are split */
#define SETTI_STREAM_MORE 1u         /* flag: the payload goes on */
#define SETTI_STREAM_PACKED 2u       /* flag: it is a size of 8 bytes, and compressed */
#define SETTI_STREAM_FOREIGN 0x8000u /* kinds from here on are skipped */

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

/* A file to which records are written. */
typedef struct setti_stream {
    const sett_files* files;
    void* file;
    uint64_t identity;
    uint64_t offset;                     /* of what is written next */
    bool failed;                         /* a call failed: nothing more is written */
    const sett_compression* compression; /* or NULL */
    setti_pool* pool;                    /* for that */
} setti_stream;

/* Writes the header to an empty file. `stream` is zero but for what compresses. */
void setti_stream_begin(setti_stream* stream, const sett_files* files, void* file,
                        uint64_t identity);

/* Writes a payload of any size. False if it failed, now or before. */
bool setti_stream_write(setti_stream* stream, uint32_t kind, uint64_t frame, const void* bytes,
                        size_t size);

/* Writes a record: up to a page of a payload, and its flags. */
void setti_stream_write_page(setti_stream* stream, uint32_t kind, uint32_t flags, uint64_t frame,
                             const void* bytes, size_t size);

/* A file from which records are read. */
typedef struct setti_stream_reader {
    const sett_files* files;
    void* file;
    setti_pool* pool;
    uint64_t size;   /* of the file */
    uint64_t offset; /* of what was not read yet */
    uint64_t identity;
    uint32_t version;
    bool all;                            /* foreign records too */
    const char* why;                     /* what is wrong with the bytes; NULL: nothing */
    const sett_compression* compression; /* or NULL */
    size_t limit;                        /* bytes of a payload that is decompressed, at most */
    bool denied;                         /* one would be larger */
    /* the record that was read */
    uint32_t kind;
    uint64_t frame;
    setti_bytes payload;
    size_t unpacked; /* its bytes, if it was decompressed */
} setti_stream_reader;

/* Reads the header. False: `why` says what is wrong. */
bool setti_stream_open(setti_stream_reader* reader, const sett_files* files, void* file,
                       setti_pool* pool);

typedef enum setti_stream_next {
    SETTI_STREAM_READ,  /* a record was read */
    SETTI_STREAM_ENDED, /* nothing is left */
    SETTI_STREAM_TORN,  /* what follows is no whole record; `why` says what is wrong with it */
    SETTI_STREAM_MEMORY /* memory ran out */
} setti_stream_next;

/* Reads the next record, all of its payload; skips foreign ones. */
setti_stream_next setti_stream_read(setti_stream_reader* reader);

/* Goes on to the first whole state, page by page, and keeps none of them. */
setti_stream_next setti_stream_find_state(setti_stream_reader* reader);

/* Frees the payload. */
void setti_stream_close(setti_stream_reader* reader);

#endif
