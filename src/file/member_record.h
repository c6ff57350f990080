/* member_record.h: the members of a type, in the types record of a file. */
#ifndef SETTI_MEMBER_RECORD_H
#define SETTI_MEMBER_RECORD_H

#include "base/arena.h"
#include "sett/members.h"
#include "state/delta_reader.h"

/* Appends bytes to `out`. Counts bytes if `out` is NULL. */
typedef struct setti_record_writer {
    unsigned char* out;
    size_t size;
} setti_record_writer;

void setti_record_put(setti_record_writer* writer, uint64_t number, size_t size);
void setti_record_put_double(setti_record_writer* writer, double number);
void setti_record_put_text(setti_record_writer* writer, const char* text); /* NULL counts as "" */

double setti_record_get_double(setti_delta_reader* reader);

/* Writes the members of a struct. NULL stands for unknown members. */
void setti_member_record_write(setti_record_writer* writer, const sett_struct* structure);

/* Reads a struct into an arena, without checking whether the members fit together. */
bool setti_member_record_read(setti_delta_reader* reader, setti_arena* arena,
                              const sett_struct** of);

#endif
