/* json_text.h: the grammar of JSON (RFC 8259). The caller asks the reader for the token that the
 * caller expects. The writer calls a function for each full buffer. Neither builds a tree. */
#ifndef SETTI_JSON_TEXT_H
#define SETTI_JSON_TEXT_H

#include "base/common.h"
#include "sett/json.h"

#include <string.h>

/* The deepest nesting of objects and lists. */
#define SETTI_JSON_DEPTH 64

/* Room for a key, with a zero at the end. All known keys are shorter. */
#define SETTI_JSON_KEY 1024

/* A text being read. After the first error all calls fail. */
typedef struct setti_json {
    const char* text;
    size_t size;
    size_t offset;       /* the offset of the next byte */
    uint32_t depth;      /* number of open containers */
    const char* wrong;   /* the error, or NULL */
    size_t wrong_offset; /* offset of the error */
} setti_json;

/* Stores the error `wrong` if it is the first error. Returns false. */
bool setti_json_fail(setti_json* json, size_t offset, const char* wrong);

SETTI_INLINE bool setti_json_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skips white space. Returns the offset of the next token. */
SETTI_INLINE size_t setti_json_skip_space(setti_json* json)
{
    SETTI_ASSERT(json->offset <= json->size);
    if (json->wrong != NULL) {
        return json->offset;
    }
    while (json->offset < json->size && setti_json_is_space(json->text[json->offset])) {
        json->offset++;
    }
    return json->offset;
}

/* Skips white space. Returns the next character, or '\0' at the end or after an error. */
SETTI_INLINE char setti_json_peek(setti_json* json)
{
    size_t offset = setti_json_skip_space(json);
    if (json->wrong != NULL || offset >= json->size) {
        return '\0';
    }
    return json->text[offset];
}

/* Reads a string into `out`, with a zero at the end. `out` becomes empty if the string does not
 * fit. If `out` is NULL, only checks the string. *length becomes the length of the whole string. */
bool setti_json_string(setti_json* json, char* out, size_t capacity, size_t* length);

/* Like setti_json_string, but adds no zero, and stores the beginning of a string that does not
 * fit. */
bool setti_json_chars(setti_json* json, char* out, size_t capacity, size_t* length);

/* Skips a number. *text becomes the first character of the number. */
bool setti_json_number(setti_json* json, const char** text, size_t* length);

bool setti_json_bool(setti_json* json, bool* out);
bool setti_json_null(setti_json* json);

/* Skips a value of any kind. */
bool setti_json_skip(setti_json* json);

/* Objects and arrays:
 *
 *     if (setti_json_begin(json, '{')) {
 *         while (setti_json_key(json, key)) { ... a value ... }
 *     }
 *
 * A key that is too long or contains a zero byte becomes empty. At the end of the container,
 * setti_json_key and setti_json_item return false without an error. */
bool setti_json_begin(setti_json* json, char open);
bool setti_json_key(setti_json* json, char key[SETTI_JSON_KEY]);
bool setti_json_item(setti_json* json);

/* Fails if anything except white space follows. */
bool setti_json_end(setti_json* json);

/* Decodes a string of base64, and stores at most `capacity` bytes. *length becomes the number of
 * all decoded bytes. */
bool setti_json_base64(setti_json* json, unsigned char* out, size_t capacity, size_t* length);

bool setti_utf8_is_valid(const char* text, size_t size);

typedef struct setti_json_out {
    sett_json_fn fn;
    void* user;
    bool stopped;   /* `fn` returned false */
    bool no_memory; /* memory ran out within a value */
    size_t used;    /* bytes in `buffer` */
    char buffer[2000];
} setti_json_out;

/* The slow path of setti_json_add: passes each full buffer to `fn`. */
void setti_json_add_across(setti_json_out* out, const char* text, size_t size);

SETTI_INLINE void setti_json_add(setti_json_out* out, const char* text, size_t size)
{
    if (size < sizeof(out->buffer) - out->used) {
        memcpy(out->buffer + out->used, text, size);
        out->used += size;
    } else {
        setti_json_add_across(out, text, size);
    }
}

SETTI_INLINE void setti_json_add_text(setti_json_out* out, const char* text)
{
    setti_json_add(out, text, strlen(text));
}

/* Adds an escaped string. Bytes that are not UTF-8 become U+FFFD. */
void setti_json_add_string(setti_json_out* out, const char* text, size_t size);

/* Adds bytes as an object: {"base64": "..."}. */
void setti_json_add_base64(setti_json_out* out, const void* bytes, size_t size);

/* Adds a text as a string, or as base64 if the text is not UTF-8. */
void setti_json_add_bytes(setti_json_out* out, const char* text, size_t size);

/* Passes the remaining bytes of the buffer to `fn`. Returns false if any call of `fn` returned
 * false. */
bool setti_json_finish(setti_json_out* out);

#endif
