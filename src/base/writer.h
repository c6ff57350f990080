/* writer.h: writes texts of any length into the caller's buffer, as snprintf does. */
#ifndef SETTI_WRITER_H
#define SETTI_WRITER_H

#include "base/common.h"

typedef struct setti_writer {
    char* out;
    size_t size;
    size_t length; /* of the whole text, also beyond `size` */
} setti_writer;

/* Begins an empty text in a buffer of `size` bytes, which may be 0. */
static inline void setti_writer_empty(char* out, size_t size)
{
    if (size != 0) {
        out[0] = '\0';
    }
}

static inline setti_writer setti_writer_begin(char* out, size_t size)
{
    setti_writer writer = {out, size, 0};
    setti_writer_empty(out, size);
    return writer;
}

/* Appends; characters that do not fit are only counted. */
void setti_writer_add(setti_writer* writer, const char* format, ...) SETTI_PRINTF(2, 3);

/* Appends arbitrary bytes: quotes, backslashes and bytes outside printable ASCII as \xNN. */
void setti_writer_add_escaped(setti_writer* writer, const char* bytes, size_t length);

#endif
