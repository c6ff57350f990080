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

/* The members that files contain for a type with hooks: one list of bytes. */
const sett_struct* setti_written_struct(void);

/* Writes the canonical form of a value that varies. */
void setti_type_write(const setti_type* type, const void* value, sett_sink* to);

/* Reads a canonical form into a value. INVALID: the bytes are no value; OUT_OF_MEMORY: a part of
 * the value was read.
 *   value  NULL: only checks the bytes; of a type with hooks only their number */
sett_status setti_type_read(const setti_type* type, const unsigned char* bytes, size_t size,
                            void* value);

/* Of types with hooks: whether the hooks write equal bytes for two values. */
bool setti_type_same(const setti_type* type, const void* a, const void* b);

/* Of types with hooks: appends the bytes that the hook writes. False when memory runs out. */
bool setti_type_write_bytes(const setti_type* type, const void* value, setti_pool* pool,
                            setti_bytes* out);

/* Of types with hooks: writes the hook's bytes as text, escaped and in quotes. */
void setti_type_print(const setti_type* type, const void* value, setti_writer* out);

/* Of types with hooks: reads bytes that the hook wrote into a value. */
sett_status setti_type_read_bytes(const setti_type* type, const void* bytes, size_t size,
                                  void* value);

/* A value of a type whose hooks write a struct (type->written), as that struct. */
typedef struct setti_written_view {
    const setti_type* type;
    void* value;       /* the struct, in the pool */
    setti_bytes bytes; /* what the hook wrote */
} setti_written_view;

/* Makes a view of a value. Fails with INVALID if the hook wrote bytes that are not the struct (for
 * example a text with a zero byte in it). Call setti_written_end in any case. */
sett_status setti_written_show(const setti_type* type, const void* value, setti_written_view* view);

/* Reads the struct of a view, which the caller may have changed, into a value. */
sett_status setti_written_store(setti_written_view* view, void* value);

/* Frees a view. */
void setti_written_end(setti_written_view* view);

#endif
