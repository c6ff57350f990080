/* writer.c: see writer.h. */
#include "base/writer.h"

#include <stdio.h>
#include <string.h>

void setti_writer_add(setti_writer* writer, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = writer->length < writer->size ? writer->size - writer->length : 0;
    char* at = room != 0 ? writer->out + writer->length : NULL;
    int added = vsnprintf(at, room, format, arguments);
    va_end(arguments);
    writer->length += added > 0 ? (size_t)added : 0;
}

void setti_writer_add_text(setti_writer* writer, const char* text)
{
    setti_writer_add_bytes(writer, text, strlen(text));
}

void setti_writer_add_bytes(setti_writer* writer, const char* bytes, size_t size)
{
    if (writer->length < writer->size) {
        size_t fits = SETTI_MIN(size, writer->size - writer->length - 1);
        memcpy(writer->out + writer->length, bytes, fits);
        writer->out[writer->length + fits] = '\0';
    }
    writer->length += size;
}

void setti_writer_add_escaped(setti_writer* writer, const char* bytes, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        unsigned char byte = (unsigned char)bytes[k];
        bool plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
        setti_writer_add(writer, plain ? "%c" : "\\x%02x", byte);
    }
}

void setti_message_escape(char* text, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (char* at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        size_t left = size - (size_t)(at - text); /* bytes of the buffer from `at` on */
        if (byte >= 0x20 && byte != 0x7F) {
            continue;
        }
        if (left < sizeof("\\xNN")) {
            *at = '?'; /* no room for \xNN */
            continue;
        }
        size_t tail = SETTI_MIN(strlen(at + 1), left - sizeof("\\xNN")); /* the rest, cut */
        memmove(at + 4, at + 1, tail);
        at[4 + tail] = '\0';
        at[0] = '\\';
        at[1] = 'x';
        at[2] = digits[byte >> 4];
        at[3] = digits[byte & 15];
        at += 3; /* the loop adds 1 */
    }
}

void setti_message_format(char* out, size_t size, const char* format, va_list arguments)
{
    (void)vsnprintf(out, size, format, arguments);
    setti_message_escape(out, size);
}

const char* setti_message_why(const char* message)
{
    if (strncmp(message, "sett_", 5) != 0) {
        return message;
    }
    const char* end = message + strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    bool is_call = (end[0] == ':' || end[0] == ',') && end[1] == ' ';
    return is_call ? end + 2 : message;
}
