/* inspector_text.h: a text that grows (setti_out_), with JSON written piece by piece, and JSON
 * read in place (setti_body_).
 */
#ifndef INSPECTOR_TEXT_H
#define INSPECTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEXT_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define TEXT_PRINTF
#endif

typedef struct inspector_text {
    char* at; /* with a zero behind it */
    size_t size;
    size_t capacity;
    bool failed; /* memory ran out: it is not whole */
} inspector_text;

void setti_out_clear(inspector_text* to);
void setti_out_free(inspector_text* to);
void setti_out_add(inspector_text* to, const void* bytes, size_t size);
void setti_out_format(inspector_text* to, const char* format, ...) TEXT_PRINTF;

/* Room for so many bytes more; NULL when memory runs out. */
char* setti_out_room(inspector_text* to, size_t size);

/* A JSON string: what is no UTF-8 becomes U+FFFD. */
void setti_out_quote(inspector_text* to, const char* string);
void setti_out_quote_size(inspector_text* to, const char* string, size_t size);

/* ,"key": or "key": - a comma where something stands before. */
void setti_out_key(inspector_text* to, const char* key);
void setti_out_comma(inspector_text* to);

/* A value in a JSON text. */
typedef struct json {
    const char* at;
    size_t size; /* 0: it is not there */
} json;

#define JSON_DEPTH 64

/* Whether the text is one JSON value, blanks around it allowed; `out` becomes it without them. */
bool setti_body_check(const char* at, size_t size, json* out);

/* The member of an object; size 0 if there is none. Of a checked text only. */
json setti_body_find(json object, const char* key);

/* Walks an object's members: begin with *cursor = 0. */
bool setti_body_next(json object, size_t* cursor, json* key, json* value);

/* Whether it is a string that fits; `out` gets it, with a zero behind it. Zeroes in it do not. */
bool setti_body_string(json value, char* out, size_t capacity);

/* Whether it is a whole number from 0 to 2^53. */
bool setti_body_number(json value, uint64_t* out);

/* Whether it is `true`. */
bool setti_body_true(json value);

#endif
