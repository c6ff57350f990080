/* delta_writer.h: shared by the files that encode a delta. */
#ifndef SETTI_DELTA_WRITER_H
#define SETTI_DELTA_WRITER_H

#include "state/compare.h"
#include "state/delta.h"
#include "state/hash.h"

/* The sum of the hashes after a delta, less the sum before. */
typedef struct setti_delta_sum {
    setti_view* view;          /* NULL: no sum */
    setti_hash_type hash_type; /* how to hash the type being written */
    uint64_t sum;
} setti_delta_sum;

void setti_delta_sum_value(setti_delta_sum* sum, sett_entity entity_before, const void* before,
                           sett_entity entity_after, const void* after);

/* Adds the difference of all slots, alive and dead. */
void setti_delta_sum_slots(setti_delta_sum* sum);

typedef struct setti_delta_writer {
    setti_compare_sink sink;
    setti_encoder encoder; /* for codecs; also has the writer's status */
    setti_compare* walk;
    setti_delta_sum sum;
    unsigned char* out;
    size_t capacity;
    size_t size;      /* in bytes; also counts bytes that found no room */
    setti_pool* pool; /* to grow `out`; NULL: `out` is a caller's buffer */
    uint32_t count;   /* number of items in the current section or list */
    /* The type being written. */
    const setti_type* type;
    const setti_codec* codec; /* or NULL */
    /* The run of rows or handles being written. */
    size_t run_at; /* offset of the run's count */
    uint32_t run_next;
    uint32_t run_count;
    uint32_t run_generation;
    /* The block of entries being written. */
    size_t block_at; /* SIZE_MAX: the only entry is not written yet */
    uint32_t block_first;
    setti_delta_kind block_kind;
    uint64_t block_bits;     /* 0: no block */
    const void* block_value; /* the value of the entry that is not written yet */
    /* The type's changed values (delta_change.c). */
    setti_bytes words;      /* the changed entities */
    setti_bytes last_words; /* the changed entities of the last type with changes */
    setti_bytes values;     /* differences, by value */
    setti_bytes columns;    /* differences, by byte of the values */
} setti_delta_writer;

void setti_delta_write(setti_delta_writer* writer, const void* bytes, size_t size);
void setti_delta_write_number(setti_delta_writer* writer, uint64_t number, size_t size);

/* Packs bytes into fewer bits (delta_pack.c). */
void setti_delta_pack(setti_delta_writer* writer, const unsigned char* bytes, size_t size);
/* Returns the size of `bytes` after packing. */
size_t setti_delta_packed(const unsigned char* bytes, size_t size);

/* Sets up the encoder to write to `writer`. */
void setti_delta_begin_encoder(setti_delta_writer* writer, setti_sides* sides);
/* Writes a head without sizes, hashes and counts. */
void setti_delta_write_head(setti_delta_writer* writer, uint32_t magic);

/* Whether numbers are sent rounded (value/send.c). */
typedef enum setti_rounding {
    SETTI_EXACT,
    SETTI_ROUNDED
} setti_rounding;

/* Writes a type's record without counts. */
void setti_delta_write_record(setti_delta_writer* writer, const setti_type* type,
                              setti_rounding rounding);
void setti_delta_write_type(setti_delta_writer* writer, const setti_type* type,
                            setti_rounding rounding, const uint32_t count[SETTI_DELTA_SECTIONS],
                            uint32_t extent);
/* Writes the size and the seal into the head. */
void setti_delta_write_seal(setti_delta_writer* writer);

/* Overwrites `size` bytes at an offset with a number. */
void setti_delta_write_at(setti_delta_writer* writer, size_t offset, uint64_t number, size_t size);

void setti_delta_begin_handles(setti_delta_writer* writer);
/* Adds a handle to the list. Indices must ascend. */
void setti_delta_write_handle(setti_delta_writer* writer, uint32_t index, uint32_t generation);

/* Writes the bytes of a value. Padding is written as zeroes. */
void setti_delta_write_bytes(setti_delta_writer* writer, const setti_type* type, const void* value);

/* Notes a changed value of the writer's type, for setti_delta_write_changes. */
void setti_delta_change(setti_delta_writer* writer, sett_entity entity, const void* before,
                        const void* after);
void setti_delta_change_rows(setti_compare_sink* sink, setti_compare_rows* rows);
void setti_delta_write_changes(setti_delta_writer* writer);
void setti_delta_end_changes(setti_delta_writer* writer);

/* Write sections of the writer's type. */
void setti_delta_write_entries(setti_delta_writer* writer);
void setti_delta_write_lists(setti_delta_writer* writer);

/* Writes the next generations of dead slots. */
void setti_delta_write_slots(setti_delta_writer* writer);
/* Writes the order of a sparse set's rows. */
void setti_delta_write_rows(setti_delta_writer* writer);

#endif
