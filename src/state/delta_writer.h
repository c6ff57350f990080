/* delta_writer.h: the files that write a delta, as they see each other. */
#ifndef SETTI_DELTA_WRITER_H
#define SETTI_DELTA_WRITER_H

#include "state/compare.h"
#include "state/delta.h"

typedef struct setti_delta_writer {
    setti_compare_sink sink;
    setti_compare* walk;
    unsigned char* out;
    size_t capacity;
    size_t size;        /* of the whole, also beyond the capacity */
    sett_status status; /* what cannot be written, and why, is in the world's message */
    bool begun;         /* write entities that began: else those that ended */
    uint32_t count;     /* of what is being written */
    /* the type being written */
    const setti_type* type;
    setti_delta_form form;
    /* the run of rows being written */
    size_t run_at; /* where its count is */
    uint32_t run_next;
    uint32_t run_count;
} setti_delta_writer;

void setti_delta_write(setti_delta_writer* to, const void* bytes, size_t size);
void setti_delta_write_number(setti_delta_writer* to, uint64_t number, size_t size);

/* Overwrites a number that was left open. */
void setti_delta_write_at(setti_delta_writer* to, size_t at, uint64_t number, size_t size);

/* The bytes of a value, padding as zeroes. */
void setti_delta_write_bytes(setti_delta_writer* to, const void* value);

/* Writes the entries of the writer's type, or its lists; `count` becomes how many. */
void setti_delta_write_entries(setti_delta_writer* to);
void setti_delta_write_lists(setti_delta_writer* to);

/* Write what decides which handles come next, and in which order rows lie. */
void setti_delta_write_slots(setti_delta_writer* to);
void setti_delta_write_rows(setti_delta_writer* to);

#endif
