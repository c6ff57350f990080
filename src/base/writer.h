/* writer.h: writes text into a buffer of the caller. Text that does not fit is counted too, as
 * snprintf does. */
#ifndef SETTI_WRITER_H
#define SETTI_WRITER_H

#include "base/common.h"

#include <stdarg.h>

typedef struct setti_writer {
    char* out;
    size_t size;
    size_t length; /* the length of the whole text, which may be more than `size` */
} setti_writer;

/* Empties a buffer. Returns 0 if `out` is NULL. Otherwise returns `size`. */
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
    setti_writer writer = {.out = out, .size = setti_writer_empty(out, size)};
    return writer;
}

/* Appends formatted text. Characters that do not fit are only counted. */
void setti_writer_add(setti_writer* writer, const char* format, ...) SETTI_PRINTF(2, 3);

void setti_writer_add_text(setti_writer* writer, const char* text);
void setti_writer_add_bytes(setti_writer* writer, const char* bytes, size_t size);

/* Appends bytes. Quotes, backslashes and unprintable bytes become \xNN. */
void setti_writer_add_escaped(setti_writer* writer, const char* bytes, size_t length);

/* Replaces control characters by \xNN, so that a message stays on one line. */
void setti_message_escape(char* text, size_t size);
void setti_message_format(char* out, size_t size, const char* format, va_list arguments);

/* Returns a message of a world without the name of the public function at the beginning. */
const char* setti_message_why(const char* message);

#endif
