/* member_record.h: the members of a type, in the types record of a file. */
#ifndef SETTI_MEMBER_RECORD_H
#define SETTI_MEMBER_RECORD_H

#include "base/arena.h"
#include "sett/members.h"
#include "state/delta_reader.h"

/* Writes a record to `out`. Only counts the bytes if `out` is NULL. */
typedef struct setti_record_writer {
    unsigned char* out;
    size_t size; /* bytes written or counted */
} setti_record_writer;

/* Writes the lowest `size` bytes of a number, the lowest byte first. */
void setti_record_put(setti_record_writer* writer, uint64_t number, size_t size);
void setti_record_put_double(setti_record_writer* writer, double number);
void setti_record_put_text(setti_record_writer* writer, const char* text); /* NULL: the text "" */

double setti_record_get_double(setti_delta_reader* reader);

/* Writes the members of a struct. `structure` is NULL if the members are unknown. */
void setti_member_record_write(setti_record_writer* writer, const sett_struct* structure);

/* Reads a struct into an arena, without checking whether the members fit together. *structure
 * becomes NULL if the members are unknown. Returns false if the record is invalid or memory runs
 * out. */
bool setti_member_record_read(setti_delta_reader* reader, setti_arena* arena,
                              const sett_struct** structure);

#endif
