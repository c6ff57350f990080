/* inspector_text.c: see inspector_text.h. */
#include "inspector_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setti_out_clear(inspector_text* to)
{
    to->size = 0;
    to->failed = false;
    if (to->at != NULL) {
        to->at[0] = '\0';
    }
}

void setti_out_free(inspector_text* to)
{
    free(to->at);
    memset(to, 0, sizeof(*to));
}

char* setti_out_room(inspector_text* to, size_t size)
{
    if (to->failed || size > SIZE_MAX / 4 - to->size) {
        to->failed = true;
        return NULL;
    }
    if (to->size + size + 1 > to->capacity) {
        size_t capacity = (to->size + size + 1) * 2;
        char* at = malloc(capacity);
        if (at == NULL) {
            to->failed = true;
            return NULL;
        }
        if (to->size != 0) {
            memcpy(at, to->at, to->size);
        }
        free(to->at);
        to->at = at;
        to->capacity = capacity;
        at[to->size] = '\0';
    }
    return to->at + to->size;
}

void setti_out_add(inspector_text* to, const void* bytes, size_t size)
{
    char* at = setti_out_room(to, size);
    if (at != NULL && size != 0) {
        memcpy(at, bytes, size);
        to->size += size;
        to->at[to->size] = '\0';
    }
}

void setti_out_format(inspector_text* to, const char* format, ...)
{
    va_list list;
    va_list again;
    va_start(list, format);
    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, list);
    char* at = size >= 0 ? setti_out_room(to, (size_t)size) : NULL;
    if (at != NULL) {
        (void)vsnprintf(at, (size_t)size + 1, format, again);
        to->size += (size_t)size;
    }
    va_end(again);
    va_end(list);
}

/* Bytes of the UTF-8 sequence at `at`, 0 if it is none. */
static size_t text_sequence(const unsigned char* at, size_t size)
{
    unsigned char c = at[0];
    size_t count = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : 4;
    if (c >= 0x80 && (c < 0xC2 || c > 0xF4)) {
        return 0;
    }
    if (count > size) {
        return 0;
    }
    for (size_t k = 1; k < count; k++) {
        if ((at[k] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c == 0xE0 && at[1] < 0xA0) || (c == 0xF0 && at[1] < 0x90);
    bool beyond = (c == 0xED && at[1] > 0x9F) || (c == 0xF4 && at[1] > 0x8F);
    return overlong || beyond ? 0 : count;
}

void setti_out_quote_size(inspector_text* to, const char* string, size_t size)
{
    const unsigned char* at = (const unsigned char*)string;
    setti_out_add(to, "\"", 1);
    for (size_t k = 0; k < size;) {
        size_t count = text_sequence(at + k, size - k);
        if (count == 0) {
            setti_out_add(to, "\xEF\xBF\xBD", 3);
            k++;
        } else if (at[k] == '"' || at[k] == '\\') {
            setti_out_format(to, "\\%c", at[k]);
            k++;
        } else if (at[k] < 0x20 || at[k] == '<' || at[k] == '>' || at[k] == '&') {
            setti_out_format(to, "\\u%04x",
                             (unsigned)at[k]); /* signs of HTML: as letters nowhere */
            k++;
        } else {
            setti_out_add(to, at + k, count);
            k += count;
        }
    }
    setti_out_add(to, "\"", 1);
}

void setti_out_quote(inspector_text* to, const char* string)
{
    setti_out_quote_size(to, string, strlen(string));
}

void setti_out_comma(inspector_text* to)
{
    char last = to->size != 0 ? to->at[to->size - 1] : '{';
    if (last != '{' && last != '[' && last != ':' && last != ',') {
        setti_out_add(to, ",", 1);
    }
}

void setti_out_key(inspector_text* to, const char* key)
{
    setti_out_comma(to);
    setti_out_quote(to, key);
    setti_out_add(to, ":", 1);
}

/* -------------------------------------------------------------------------------------- reading */

typedef struct json_reader {
    const char* at;
    const char* end;
} json_reader;

static bool json_skip(json_reader* from, uint32_t depth);

static void json_blanks(json_reader* from)
{
    while (from->at < from->end && strchr(" \t\r\n", *from->at) != NULL && *from->at != '\0') {
        from->at++;
    }
}

static bool json_take(json_reader* from, char c)
{
    json_blanks(from);
    if (from->at < from->end && *from->at == c) {
        from->at++;
        return true;
    }
    return false;
}

static bool json_is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool json_skip_escape(json_reader* from)
{
    from->at++;
    if (from->at == from->end) {
        return false;
    }
    if (*from->at != 'u') {
        return *from->at != '\0' && strchr("\"\\/bfnrt", *from->at++) != NULL;
    }
    from->at++;
    for (int k = 0; k < 4; k++) {
        if (from->at == from->end || !json_is_hex(*from->at++)) {
            return false;
        }
    }
    return true;
}

static bool json_skip_string(json_reader* from)
{
    from->at++; /* the quote */
    while (from->at < from->end && *from->at != '"') {
        size_t count =
            text_sequence((const unsigned char*)from->at, (size_t)(from->end - from->at));
        if (*from->at == '\\') {
            if (!json_skip_escape(from)) {
                return false;
            }
        } else if (count == 0 || (unsigned char)*from->at < 0x20) {
            return false;
        } else {
            from->at += count;
        }
    }
    return from->at < from->end && *from->at++ == '"';
}

static bool json_digits(json_reader* from)
{
    const char* first = from->at;
    while (from->at < from->end && *from->at >= '0' && *from->at <= '9') {
        from->at++;
    }
    return from->at != first;
}

static bool json_skip_number(json_reader* from)
{
    if (*from->at == '-') {
        from->at++;
    }
    const char* first = from->at;
    if (!json_digits(from) || (*first == '0' && from->at != first + 1)) {
        return false;
    }
    if (from->at < from->end && *from->at == '.') {
        from->at++;
        if (!json_digits(from)) {
            return false;
        }
    }
    if (from->at < from->end && (*from->at == 'e' || *from->at == 'E')) {
        from->at++;
        if (from->at < from->end && (*from->at == '+' || *from->at == '-')) {
            from->at++;
        }
        return json_digits(from);
    }
    return true;
}

static bool json_skip_word(json_reader* from, const char* word)
{
    size_t size = strlen(word);
    if ((size_t)(from->end - from->at) < size || memcmp(from->at, word, size) != 0) {
        return false;
    }
    from->at += size;
    return true;
}

/* What stands between braces or brackets. */
static bool json_skip_list(json_reader* from, uint32_t depth, char close)
{
    from->at++;
    if (depth == 0) {
        return false;
    }
    if (json_take(from, close)) {
        return true;
    }
    do {
        json_blanks(from);
        if (close == '}' && (from->at == from->end || *from->at != '"' || !json_skip_string(from) ||
                             !json_take(from, ':'))) {
            return false;
        }
        if (!json_skip(from, depth - 1)) {
            return false;
        }
    } while (json_take(from, ','));
    return json_take(from, close);
}

static bool json_skip(json_reader* from, uint32_t depth)
{
    json_blanks(from);
    if (from->at == from->end) {
        return false;
    }
    switch (*from->at) {
    case '{':
        return json_skip_list(from, depth, '}');
    case '[':
        return json_skip_list(from, depth, ']');
    case '"':
        return json_skip_string(from);
    case 't':
        return json_skip_word(from, "true");
    case 'f':
        return json_skip_word(from, "false");
    case 'n':
        return json_skip_word(from, "null");
    default:
        return json_skip_number(from);
    }
}

bool setti_body_check(const char* at, size_t size, json* out)
{
    json_reader from = {at, at + size};
    json_blanks(&from);
    out->at = from.at;
    if (!json_skip(&from, JSON_DEPTH)) {
        return false;
    }
    out->size = (size_t)(from.at - out->at);
    json_blanks(&from);
    return from.at == from.end;
}

bool setti_body_next(json object, size_t* cursor, json* key, json* value)
{
    json_reader from = {object.at + *cursor, object.at + object.size};
    if (object.size == 0 || *object.at != '{' || from.at == from.end) {
        return false;
    }
    from.at++; /* the brace, or a comma */
    json_blanks(&from);
    if (from.at == from.end || *from.at != '"') {
        return false;
    }
    key->at = from.at;
    (void)json_skip_string(&from);
    key->size = (size_t)(from.at - key->at);
    (void)json_take(&from, ':');
    json_blanks(&from);
    value->at = from.at;
    (void)json_skip(&from, JSON_DEPTH);
    value->size = (size_t)(from.at - value->at);
    json_blanks(&from);
    *cursor = (size_t)(from.at - object.at);
    return true;
}

json setti_body_find(json object, const char* key)
{
    json found = {NULL, 0};
    json name;
    json value;
    char label[128];
    size_t cursor = 0;
    while (setti_body_next(object, &cursor, &name, &value)) {
        if (setti_body_string(name, label, sizeof(label)) && strcmp(label, key) == 0) {
            found = value;
        }
    }
    return found;
}

static uint32_t json_hex(const char* at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
    return (uint32_t)strtoul(digits, NULL, 16);
}

/* Writes a code point as UTF-8; returns its bytes. */
static size_t json_encode(uint32_t code, char* out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 63));
        out[2] = (char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

/* Reads what a backslash begins; returns the bytes written, 0 if it is no character. */
static size_t json_unescape(json_reader* from, char* out)
{
    static const char signs[] = "\"\\/bfnrt";
    static const char means[] = "\"\\/\b\f\n\r\t";
    char sign = *++from->at;
    from->at++;
    if (sign != 'u') {
        out[0] = means[strchr(signs, sign) - signs];
        return 1;
    }
    uint32_t code = json_hex(from->at);
    from->at += 4;
    if (code >= 0xD800 && code < 0xDC00 && from->end - from->at >= 6 && from->at[0] == '\\' &&
        from->at[1] == 'u') {
        uint32_t low = json_hex(from->at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            from->at += 6;
            return json_encode(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out);
        }
    }
    return code == 0 || (code >= 0xD800 && code < 0xE000) ? 0 : json_encode(code, out);
}

bool setti_body_string(json value, char* out, size_t capacity)
{
    size_t size = 0;
    if (value.size < 2 || *value.at != '"') {
        return false;
    }
    json_reader from = {value.at + 1, value.at + value.size - 1};
    while (from.at < from.end) {
        char piece[4];
        size_t count = 1;
        if (*from.at == '\\') {
            count = json_unescape(&from, piece);
        } else {
            piece[0] = *from.at++;
        }
        if (count == 0 || count >= capacity - size) {
            return false;
        }
        memcpy(out + size, piece, count);
        size += count;
    }
    out[size] = '\0';
    return true;
}

bool setti_body_number(json value, uint64_t* out)
{
    *out = 0;
    if (value.size == 0 || value.size > 16) {
        return false;
    }
    for (size_t k = 0; k < value.size; k++) {
        if (value.at[k] < '0' || value.at[k] > '9') {
            return false;
        }
        *out = *out * 10 + (uint64_t)(value.at[k] - '0');
    }
    return *out <= (uint64_t)1 << 53;
}

bool setti_body_true(json value)
{
    return value.size == 4 && memcmp(value.at, "true", 4) == 0;
}
