/* writer.c: see writer.h. */
#include "base/writer.h"

#include <stdio.h>
#include <string.h>

void setti_writer_add(setti_writer* writer, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t free_bytes = 0;
    char* end = NULL; /* the end of the text. NULL: the buffer is full, and text is only counted */
    if (writer->length < writer->size) {
        free_bytes = writer->size - writer->length;
        end = writer->out + writer->length;
    }
    int added = vsnprintf(end, free_bytes, format, arguments);
    va_end(arguments);
    if (added > 0) {
        writer->length += (size_t)added;
    }
}

void setti_writer_add_text(setti_writer* writer, const char* text)
{
    setti_writer_add_bytes(writer, text, strlen(text));
}

void setti_writer_add_bytes(setti_writer* writer, const char* bytes, size_t size)
{
    if (writer->length < writer->size) {
        size_t copied = SETTI_MIN(size, writer->size - writer->length - 1); /* 1: the end, '\0' */
        memcpy(writer->out + writer->length, bytes, copied);
        writer->out[writer->length + copied] = '\0';
    }
    writer->length += size;
}

void setti_writer_add_escaped(setti_writer* writer, const char* bytes, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        unsigned char byte = (unsigned char)bytes[k];
        bool is_printable = byte >= 0x20 && byte < 0x7F;
        bool is_escaped = !is_printable || byte == '"' || byte == '\\';
        setti_writer_add(writer, is_escaped ? "\\x%02x" : "%c", byte);
    }
}

void setti_message_escape(char* text, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (char* character = text; *character != '\0'; character++) {
        unsigned char byte = (unsigned char)*character;
        size_t buffer_left = size - (size_t)(character - text); /* bytes from here on */
        if (byte >= 0x20 && byte != 0x7F) {
            continue;
        }
        if (buffer_left < sizeof("\\xNN")) {
            *character = '?'; /* no room for \xNN */
            continue;
        }
        /* the number of bytes after the character that still fit */
        size_t tail = SETTI_MIN(strlen(character + 1), buffer_left - sizeof("\\xNN"));
        memmove(character + 4, character + 1, tail);
        character[4 + tail] = '\0';
        character[0] = '\\';
        character[1] = 'x';
        character[2] = digits[byte >> 4];
        character[3] = digits[byte & 15];
        character += 3; /* and the loop adds 1: skips \xNN */
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
    bool ends_call = end[0] == ':' || end[0] == ',';
    if (!ends_call || end[1] != ' ') {
        return message;
    }
    return end + 2;
}
