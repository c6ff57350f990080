/* written.h: values that are more than their bytes, in their canonical form. */
#ifndef SETTI_WRITTEN_H
#define SETTI_WRITTEN_H

#include "base/bytes.h"
#include "world/world.h"

/* Whether canonical forms differ in size: there are strings or lists, or hooks that write. */
static inline bool setti_type_varies(const setti_type* type)
{
    return type->desc.write != NULL || (type->members != NULL && type->members->varies);
}

/* The members that files say a type with hooks has. */
const sett_struct* setti_written_struct(void);

/* Writes, and reads, the canonical form of a value that varies. Reading returns OK; INVALID: the
 * bytes are not a value; OUT_OF_MEMORY: part of it was read. `value` NULL: only checks that, of
 * hooks, there are as many bytes as they say. */
void setti_type_write(const setti_type* type, const void* value, sett_sink* to);
sett_status setti_type_read(const setti_type* type, const unsigned char* bytes, size_t size,
                            void* value);

/* For types with hooks: whether they write the same of two values; what they write, without its
 * length, appended (false when memory runs out), or escaped and in quotes; and reading that. */
bool setti_type_same(const setti_type* type, const void* a, const void* b);
bool setti_type_write_bytes(const setti_type* type, const void* value, setti_pool* pool,
                            setti_bytes* out);
void setti_type_print(const setti_type* type, const void* value, setti_writer* out);
sett_status setti_type_read_bytes(const setti_type* type, const void* bytes, size_t size,
                                  void* value);

/* A value of a type whose hooks write a struct (type->written), as that struct. setti_written_show
 * makes it: INVALID means that it cannot be one, such as a text with a zero byte;
 * setti_written_store reads it back into a value; setti_written_end frees it, and is always
 * called. */
typedef struct setti_written_view {
    const setti_type* type;
    void* value;
    setti_bytes bytes;
} setti_written_view;

sett_status setti_written_show(const setti_type* type, const void* value, setti_written_view* view);
sett_status setti_written_store(setti_written_view* view, void* value);
void setti_written_end(setti_written_view* view);

#endif
