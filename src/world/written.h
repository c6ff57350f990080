/* written.h: the canonical form of values with strings, lists or hooks that write and read. */
#ifndef SETTI_WRITTEN_H
#define SETTI_WRITTEN_H

#include "base/bytes.h"
#include "world/world.h"

/* Whether the canonical forms of the type's values vary in size. */
static inline bool setti_type_varies(const setti_type* type)
{
    if (type->desc.write != NULL) {
        return true;
    }
    return type->members != NULL && type->members->varies;
}

/* Returns the struct that files have for the values of a type with hooks: a list of bytes. */
const sett_struct* setti_written_struct(void);

/* Writes the canonical form of a value that varies in size. */
void setti_type_write(const setti_type* type, const void* value, sett_sink* sink);

/* Reads a canonical form into a value. If `value` is NULL, only checks the bytes. Fails with
 * SETT_STATUS_INVALID if the bytes are no canonical form. */
sett_status setti_type_read(const setti_type* type, const unsigned char* bytes, size_t size,
                            void* value);

/* Whether the hook `write` writes equal bytes for two values. */
bool setti_type_same(const setti_type* type, const void* a, const void* b);

/* Appends the bytes that the hook `write` writes to `out`. Returns false if memory runs out. */
bool setti_type_write_bytes(const setti_type* type, const void* value, setti_pool* pool,
                            setti_bytes* out);

/* Writes the bytes that the hook `write` writes, as a text in quotes. */
void setti_type_print(const setti_type* type, const void* value, setti_writer* out);

/* Reads a value from bytes that the hook `write` has written. */
sett_status setti_type_read_bytes(const setti_type* type, const void* bytes, size_t size,
                                  void* value);

/* A value converted to the struct that the type's hooks write (type->written). */
typedef struct setti_written_view {
    const setti_type* type;
    void* value;       /* the struct, in the pool */
    setti_bytes bytes; /* written by the hook */
} setti_written_view;

/* Makes a view of a value. Call setti_written_end afterwards, also if this call fails. */
sett_status setti_written_show(const setti_type* type, const void* value, setti_written_view* view);

/* Writes a changed view back to the value. */
sett_status setti_written_store(setti_written_view* view, void* value);

void setti_written_end(setti_written_view* view);

#endif
