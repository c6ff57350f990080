/* writer.h: writes texts of any length into the caller's buffer, as snprintf does. */
#ifndef SETTI_WRITER_H
#define SETTI_WRITER_H

#include "base/common.h"

#include <stdarg.h>

typedef struct setti_writer {
    char* out;
    size_t size;
    size_t length; /* of the whole text, also beyond `size` */
} setti_writer;

/* Begins an empty text in a buffer of `size` bytes. Returns the room in it: none if it is NULL. */
static inline size_t setti_writer_empty(char* out, size_t size)
{
    if (out == NULL || size == 0) {
        return 0;
    }
    out[0] = '\0';
    return size;
}

static inline setti_writer setti_writer_begin(char* out, size_t size)
{
    setti_writer writer = {out, setti_writer_empty(out, size), 0};
    return writer;
}

/* Appends; characters that do not fit are only counted. */
void setti_writer_add(setti_writer* writer, const char* format, ...) SETTI_PRINTF(2, 3);

/* Append a text as it is. */
void setti_writer_add_text(setti_writer* writer, const char* text);
void setti_writer_add_bytes(setti_writer* writer, const char* bytes, size_t size);

/* Appends arbitrary bytes: quotes, backslashes and bytes outside printable ASCII as \xNN. */
void setti_writer_add_escaped(setti_writer* writer, const char* bytes, size_t length);

/* Makes a message one line, whatever the names in it contain: control characters become \xNN. Its
 * end is cut off where they do not fit. The second formats one first. */
void setti_message_escape(char* text, size_t size);
void setti_message_format(char* out, size_t size, const char* format, va_list arguments);

#endif
