/* writer.c: see writer.h. */
#include "base/writer.h"

#include <stdarg.h>
#include <stdio.h>

void setti_writer_add(setti_writer* writer, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = writer->length < writer->size ? writer->size - writer->length : 0;
    int added = vsnprintf(room != 0 ? writer->out + writer->length : NULL, room, format, arguments);
    va_end(arguments);
    writer->length += added > 0 ? (size_t)added : 0;
}

void setti_writer_add_escaped(setti_writer* writer, const char* bytes, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        unsigned char byte = (unsigned char)bytes[k];
        bool plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
        setti_writer_add(writer, plain ? "%c" : "\\x%02x", byte);
    }
}
