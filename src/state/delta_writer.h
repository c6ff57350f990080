/* delta_writer.h: shared by the files that encode a delta. */
#ifndef SETTI_DELTA_WRITER_H
#define SETTI_DELTA_WRITER_H

#include "state/compare.h"
#include "state/delta.h"
#include "state/hash.h"

/* By how much what hashes are made of differs: the sum of what is new, less what is gone. */
typedef struct setti_delta_sum {
    setti_view* view; /* NULL: it is not summed */
    setti_hash_type of;
    uint64_t sum;
} setti_delta_sum;

void setti_delta_sum_value(setti_delta_sum* sum, sett_entity was, const void* before,
                           sett_entity is, const void* after);

/* Adds the difference of all slots, alive and dead. */
void setti_delta_sum_slots(setti_delta_sum* sum);

typedef struct setti_delta_writer {
    setti_compare_sink sink;
    setti_encoder encoder; /* for codecs: leads back here; its status is that of all */
    setti_compare* walk;
    setti_delta_sum sum;
    unsigned char* out;
    size_t capacity;
    size_t size;      /* of the whole, also beyond the capacity */
    setti_pool* pool; /* where more room is from; NULL: there is no more */
    uint32_t count;   /* of what is being written */
    /* the type being written */
    const setti_type* type;
    const setti_codec* codec; /* or NULL */
    /* the run of rows, or of handles, being written */
    size_t run_at; /* where its count is */
    uint32_t run_next;
    uint32_t run_count;
    uint32_t run_generation;
    /* the block of entries being written */
    size_t block_at; /* SIZE_MAX: it has one entry so far, which was not written */
    uint32_t block_first;
    setti_delta_kind block_kind;
    uint64_t block_bits;     /* 0: there is none */
    const void* block_value; /* of the entry that was not written */
    /* delta_change.c: values of the type that changed */
    setti_bytes words;      /* which entities */
    setti_bytes last_words; /* those of the last type that had any */
    setti_bytes values;     /* how, value by value, */
    setti_bytes columns;    /* and byte by byte of the values */
} setti_delta_writer;

void setti_delta_write(setti_delta_writer* to, const void* bytes, size_t size);
void setti_delta_write_number(setti_delta_writer* to, uint64_t number, size_t size);

/* Of short forms: bytes in fewer bits (delta_pack.c); how many bytes these take. */
void setti_delta_pack(setti_delta_writer* to, const unsigned char* bytes, size_t size);
size_t setti_delta_packed(const unsigned char* bytes, size_t size);

/* The head, all numbers of it 0; the record of a type; at the end the seal. */
void setti_delta_begin_encoder(setti_delta_writer* to, setti_sides* sides);
void setti_delta_write_head(setti_delta_writer* to, uint32_t magic);
/* Without counts; `sent`: its values are sent rounded. */
void setti_delta_write_record(setti_delta_writer* to, const setti_type* type, bool sent);
void setti_delta_write_type(setti_delta_writer* to, const setti_type* type, bool sent,
                            const uint32_t count[SETTI_DELTA_PARTS], uint32_t extent);
void setti_delta_write_seal(setti_delta_writer* to);

/* Overwrites a number that was left open. */
void setti_delta_write_at(setti_delta_writer* to, size_t at, uint64_t number, size_t size);

/* Writes a handle, or the next life of a dead index; they ascend. `count` counts runs. */
void setti_delta_begin_lives(setti_delta_writer* to);
void setti_delta_write_life(setti_delta_writer* to, uint32_t index, uint32_t generation);

/* The bytes of a value, padding as zeroes. */
void setti_delta_write_bytes(setti_delta_writer* to, const setti_type* type, const void* value);

/* Notes that a value of the writer's type changed, or some of rows whose bytes differ, and sums
 * their hashes; writes all that were noted: `count` becomes how many words of entities, SETTI_NONE
 * if they are those of the type before. */
void setti_delta_change(setti_delta_writer* to, sett_entity entity, const void* was,
                        const void* is);
void setti_delta_change_rows(setti_compare_sink* sink, setti_compare_rows* rows);
void setti_delta_write_changes(setti_delta_writer* to);
void setti_delta_end_changes(setti_delta_writer* to);

/* Writes the entries of the writer's type, or its lists; `count` becomes how many. */
void setti_delta_write_entries(setti_delta_writer* to);
void setti_delta_write_lists(setti_delta_writer* to);

/* Write what decides which handles come next, and in which order rows lie. */
void setti_delta_write_slots(setti_delta_writer* to);
void setti_delta_write_rows(setti_delta_writer* to);

#endif
