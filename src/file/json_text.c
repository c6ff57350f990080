/* json_text.c: the grammar of JSON, read and written.
 *
 * The workload: texts of some MB, from any source, read three times. The reader checks each byte,
 * and skips unused values without storing them.
 *
 * Invariant:  at <= size;  depth is the number of open containers;  after an error all calls fail
 */
#include "file/json_text.h"

bool setti_json_fail(setti_json* json, size_t at, const char* wrong)
{
    if (json->wrong == NULL) {
        json->wrong = wrong;
        json->wrong_at = at;
    }
    return false;
}

/* Skips `c` if it is next after white space. Returns whether it was. */
SETTI_INLINE bool json_take(setti_json* json, char c)
{
    SETTI_ASSERT(c != '\0');
    if (setti_json_peek(json) != c || json->wrong != NULL || json->at == json->size) {
        return false;
    }
    json->at++;
    return true;
}

bool setti_json_end(setti_json* json)
{
    size_t at = setti_json_skip_space(json);
    return json->wrong == NULL &&
           (at == json->size ||
            setti_json_fail(json, at, "text follows the end of the value - remove it"));
}

/* Counts the leading bytes of a string that are ASCII and need no escape. */
SETTI_INLINE size_t json_plain_length(const char* text, size_t size)
{
    size_t length = 0;
    while (length < size && (unsigned char)(text[length] - 0x20) < 0x60 && /* 0x20 to 0x7F */
           text[length] != '"' && text[length] != '\\') {
        length++;
    }
    return length;
}

/* Returns the size of the first character, or 0 if the text does not begin with valid UTF-8. */
static size_t utf8_length(const char* text, size_t size)
{
    const unsigned char* byte = (const unsigned char*)text;
    unsigned char lead = size != 0 ? byte[0] : 0xFF;
    bool is_lead = lead < 0x80 || (lead >= 0xC2 && lead <= 0xF4);
    size_t length = 4;
    if (lead < 0x80) {
        length = 1;
    } else if (lead < 0xE0) {
        length = 2;
    } else if (lead < 0xF0) {
        length = 3;
    }
    if (!is_lead || length > size) {
        return 0;
    }
    unsigned char least = 0x80;
    unsigned char most = 0xBF;
    if (lead == 0xE0 || lead == 0xF0) {
        least = lead == 0xE0 ? 0xA0 : 0x90; /* no overlong form */
    } else if (lead == 0xED) {
        most = 0x9F; /* no surrogate */
    } else if (lead == 0xF4) {
        most = 0x8F; /* not above U+10FFFF */
    }
    for (size_t k = 1; k < length; k++) {
        if (byte[k] < least || byte[k] > most) {
            return 0;
        }
        least = 0x80; /* only the second byte has narrower limits */
        most = 0xBF;
    }
    return length;
}

bool setti_utf8_is_valid(const char* text, size_t size)
{
    size_t length = 1;
    for (size_t at = 0; at < size && length != 0; at += length) {
        length = utf8_length(text + at, size - at);
    }
    return length != 0;
}

/* Writes a character as UTF-8. Returns the number of bytes. */
static size_t utf8_encode(uint32_t code, char out[4])
{
    SETTI_ASSERT(code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF));
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x10000 ? 3 : 4;
    if (code < 0x800) {
        length = 2;
    }
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0}; /* by length */
    for (size_t k = length - 1; k > 0; k--) {
        out[k] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[length] | code);
    return length;
}

/* Returns 16 for a character that is not a hexadecimal digit. */
static uint32_t json_hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (uint32_t)(c - 'a') + 10;
    }
    return c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10 : 16;
}

/* Reads the four hexadecimal digits after "\u". Returns false if other characters follow. */
static bool json_hex(const setti_json* json, size_t at, uint32_t* code)
{
    *code = 0;
    for (size_t k = at; k < at + 4; k++) {
        uint32_t digit = k < json->size ? json_hex_digit(json->text[k]) : 16;
        if (digit > 15) {
            return false;
        }
        *code = *code << 4 | digit;
    }
    return true;
}

/* Skips an escape, and decodes it to UTF-8. Returns the number of bytes, or 0 after an error. */
static size_t json_escape(setti_json* json, char out[4])
{
    SETTI_ASSERT(json->at < json->size && json->text[json->at] == '\\');
    static const char letters[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t";
    size_t at = json->at;
    char letter = at + 1 < json->size ? json->text[at + 1] : '\0';
    const char* simple = letter != '\0' ? strchr(letters, letter) : NULL;
    uint32_t code; /* a code unit of UTF-16, possibly the high half of a surrogate pair */
    uint32_t low;  /* the low half */
    if (simple != NULL) {
        json->at += 2;
        out[0] = bytes[simple - letters];
        return 1;
    }
    if (letter != 'u') {
        setti_json_fail(json, at, "unknown escape - write \\\\ for a backslash");
        return 0;
    }
    if (!json_hex(json, at + 2, &code)) {
        setti_json_fail(json, at, "\\u needs four hexadecimal digits - write them, as in \\u0041");
        return 0;
    }
    json->at += 6;
    if (code >= 0xD800 && code < 0xE000) {
        bool escape_follows =
            at + 7 < json->size && json->text[at + 6] == '\\' && json->text[at + 7] == 'u';
        bool is_high = code < 0xDC00;
        bool is_pair = is_high && escape_follows && json_hex(json, at + 8, &low) && low >= 0xDC00 &&
                       low < 0xE000;
        if (!is_pair) {
            setti_json_fail(
                json, at,
                "half of a surrogate pair is missing - write both halves, as in \\ud83d\\ude00");
            return 0;
        }
        json->at += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    return utf8_encode(code, out);
}

/* Skips the character at *piece, which may be an escape. Returns its size in UTF-8, or 0 after an
 * error.
 *   code  room for a decoded escape; *piece becomes this address then */
static size_t json_character(setti_json* json, const char** piece, char code[4])
{
    if (**piece == '\\') {
        *piece = code;
        return json_escape(json, code);
    }
    size_t size = utf8_length(*piece, json->size - json->at);
    if (size == 0) {
        setti_json_fail(json, json->at, "not valid UTF-8 - write the text as UTF-8");
    } else if ((unsigned char)**piece < 0x20) {
        setti_json_fail(json, json->at,
                        "a string has a control character - escape it, as in \\n, or end the "
                        "string before it");
        return 0;
    }
    json->at += size;
    return size;
}

bool setti_json_chars(setti_json* json, char* out, size_t capacity, size_t* length)
{
    size_t used = 0;
    if (!json_take(json, '"')) {
        return setti_json_fail(json, json->at, "a string is expected");
    }
    size_t begin = json->at - 1; /* the opening quote */
    while (json->at < json->size && json->text[json->at] != '"') {
        const char* piece = json->text + json->at;
        char code[4];
        size_t size = json_plain_length(piece, json->size - json->at);
        bool plain = size != 0; /* else the piece is one character */
        json->at += size;
        if (!plain) {
            size = json_character(json, &piece, code);
            if (size == 0) {
                return false;
            }
        }
        size_t room = used < capacity ? capacity - used : 0;
        if (out != NULL && (size <= room || plain)) { /* no other character is cut */
            memcpy(out + used, piece, SETTI_MIN(size, room));
        }
        used += size;
    }
    if (json->at == json->size) {
        return setti_json_fail(json, begin, "this string has no closing quote - add it");
    }
    json->at++;
    *length = used;
    return true;
}

bool setti_json_string(setti_json* json, char* out, size_t capacity, size_t* length)
{
    SETTI_ASSERT(out == NULL || capacity != 0);
    bool good = setti_json_chars(json, out, out != NULL ? capacity - 1 : 0, length);
    if (out != NULL) {
        bool fits = good && *length < capacity;
        out[fits ? *length : 0] = '\0';
    }
    return good;
}

/* Skips digits. Returns the number of digits. */
static size_t json_digits(setti_json* json)
{
    size_t first = json->at;
    while (json->at < json->size && json->text[json->at] >= '0' && json->text[json->at] <= '9') {
        json->at++;
    }
    return json->at - first;
}

SETTI_INLINE bool json_is(const setti_json* json, char c)
{
    return json->at < json->size && json->text[json->at] == c;
}

bool setti_json_number(setti_json* json, const char** text, size_t* length)
{
    size_t first = setti_json_skip_space(json);
    json->at += json_is(json, '-') ? 1 : 0;
    bool starts_with_zero = json_is(json, '0');
    size_t digits = json_digits(json);
    bool good = json->wrong == NULL && digits != 0 && !(starts_with_zero && digits > 1);
    if (good && json_is(json, '.')) {
        json->at++;
        good = json_digits(json) != 0;
    }
    if (good && (json_is(json, 'e') || json_is(json, 'E'))) {
        json->at++;
        bool has_sign = json_is(json, '+') || json_is(json, '-');
        json->at += has_sign ? 1 : 0;
        good = json_digits(json) != 0;
    }
    *text = json->text + first;
    *length = json->at - first;
    return good ||
           setti_json_fail(json, first,
                           digits != 0 ? "not a number of JSON - write it as in 0.5, -12 or 1e9"
                                       : "a number is expected");
}

/* Skips `word` if it is next after white space. Returns whether it was. */
static bool json_word(setti_json* json, const char* word)
{
    size_t length = strlen(word);
    size_t at = setti_json_skip_space(json);
    bool same = json->wrong == NULL && json->size - at >= length &&
                memcmp(json->text + at, word, length) == 0;
    json->at += same ? length : 0;
    return same;
}

bool setti_json_bool(setti_json* json, bool* out)
{
    *out = json_word(json, "true");
    return *out || json_word(json, "false") ||
           setti_json_fail(json, json->at, "true or false is expected");
}

bool setti_json_null(setti_json* json)
{
    return json_word(json, "null") || setti_json_fail(json, json->at, "null is expected");
}

bool setti_json_begin(setti_json* json, char open)
{
    SETTI_ASSERT(open == '{' || open == '[');
    if (!json_take(json, open)) {
        return setti_json_fail(json, json->at,
                               open == '{' ? "an object is expected" : "a list is expected");
    }
    if (++json->depth > SETTI_JSON_DEPTH) {
        return setti_json_fail(json, json->at - 1,
                               "objects and lists are nested more than 64 deep - nest fewer");
    }
    return true;
}

/* Moves to the next element of a container: skips the comma before the element. At the end of the
 * container, skips `close` and returns false. */
static bool json_more(setti_json* json, char open, char close)
{
    size_t token_end = json->at; /* of the previous token, before white space */
    while (token_end != 0 && setti_json_is_space(json->text[token_end - 1])) {
        token_end--;
    }
    bool first = token_end != 0 && json->text[token_end - 1] == open; /* no element precedes */
    if (json_take(json, close)) {
        json->depth--;
        return false;
    }
    size_t comma = json->at;
    if (!first && !json_take(json, ',')) {
        return setti_json_fail(json, comma,
                               close == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
    }
    if (!first && setti_json_peek(json) == close) {
        return setti_json_fail(json, comma, "nothing follows this comma - remove it");
    }
    return json->wrong == NULL;
}

/* Reads a key and the colon after it. Returns false at the end of the object. */
static bool json_next_key(setti_json* json, char* key, size_t* length)
{
    return json_more(json, '{', '}') && setti_json_string(json, key, SETTI_JSON_KEY, length) &&
           (json_take(json, ':') || setti_json_fail(json, json->at, "':' is expected"));
}

bool setti_json_key(setti_json* json, char key[SETTI_JSON_KEY])
{
    size_t length = 0;
    bool good = json_next_key(json, key, &length);
    if (good && (length >= SETTI_JSON_KEY || memchr(key, 0, length) != NULL)) {
        key[0] = '\0'; /* an unknown key */
    }
    return good;
}

bool setti_json_item(setti_json* json)
{
    return json_more(json, '[', ']');
}

static bool json_skip_scalar(setti_json* json, char c)
{
    size_t length;
    const char* text;
    bool word;
    switch (c) {
    case '"':
        return setti_json_string(json, NULL, 0, &length);
    case 't':
    case 'f':
        return setti_json_bool(json, &word);
    case 'n':
        return setti_json_null(json);
    default:
        if (c == '-' || (c >= '0' && c <= '9')) {
            return setti_json_number(json, &text, &length);
        }
        return setti_json_fail(json, json->at, "a value is expected");
    }
}

bool setti_json_skip(setti_json* json)
{
    size_t length;
    char open = setti_json_peek(json);
    if (open != '{' && open != '[') {
        return json_skip_scalar(json, open);
    }
    bool good = setti_json_begin(json, open);
    while (good && (open == '{' ? json_next_key(json, NULL, &length) : setti_json_item(json))) {
        good = setti_json_skip(json); /* recurses SETTI_JSON_DEPTH times at most */
    }
    return good && json->wrong == NULL;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Returns the value of a digit, or 64 for another character. */
static uint32_t base64_value(char c)
{
    const char* at = c != '\0' ? strchr(base64_digits, c) : NULL;
    return at != NULL ? (uint32_t)(at - base64_digits) : 64;
}

/* Decodes four characters. Returns the number of bytes, or 0 after an error. */
static size_t base64_decode(const char text[4], unsigned char out[3])
{
    uint32_t a = base64_value(text[0]);
    uint32_t b = base64_value(text[1]);
    uint32_t c = base64_value(text[2]);
    uint32_t d = base64_value(text[3]);
    size_t size = 3;
    if (text[3] == '=') {
        size = text[2] == '=' ? 1 : 2;
        d = 0;
    }
    if (size == 1) {
        c = 0;
    }
    uint32_t bits = a << 18 | b << 12 | c << 6 | d;
    uint32_t after_last_byte = bits & (0xFFFFFFu >> 8 * size);
    bool good = (a | b | c | d) < 64 && after_last_byte == 0;
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8);
    out[2] = (unsigned char)bits;
    return good ? size : 0;
}

bool setti_json_base64(setti_json* json, unsigned char* out, size_t capacity, size_t* length)
{
    (void)setti_json_skip_space(json);
    size_t at = json->at + 1; /* after the quote */
    size_t count;
    if (!setti_json_string(json, NULL, 0, &count)) {
        return false;
    }
    size_t end = json->at - 1;
    size_t size = 3;
    *length = 0;
    for (; at + 4 <= end && size == 3; at += 4) { /* fewer than 3 bytes end the string */
        unsigned char bytes[3];
        size = base64_decode(json->text + at, bytes);
        for (size_t k = 0; k < size && *length + k < capacity; k++) {
            out[*length + k] = bytes[k];
        }
        *length += size;
    }
    return (at == end && size != 0) ||
           setti_json_fail(json, at, "not valid base64 - encode the bytes without line ends");
}

static void json_flush(setti_json_out* out)
{
    SETTI_ASSERT(out->used <= sizeof(out->buffer));
    if (!out->stopped && out->used != 0) {
        out->stopped = !out->fn(out->user, out->buffer, out->used);
    }
    out->used = 0;
}

void setti_json_add_across(setti_json_out* out, const char* text, size_t size)
{
    while (size != 0) {
        size_t room = SETTI_MIN(sizeof(out->buffer) - out->used, size);
        memcpy(out->buffer + out->used, text, room);
        out->used += room;
        text += room;
        size -= room;
        if (out->used == sizeof(out->buffer)) {
            json_flush(out);
        }
    }
}

bool setti_json_finish(setti_json_out* out)
{
    json_flush(out);
    return !out->stopped;
}

/* Writes a quote, a backslash or a control byte. */
static void json_add_escape(setti_json_out* out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    static const char pairs[] = "\"\"\\\\\nn\rr\tt"; /* each byte, then the letter of its escape */
    char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    const char* simple = byte != 0 ? strchr(pairs, byte) : NULL;
    if (simple != NULL) {
        escape[1] = simple[1];
    }
    setti_json_add(out, escape, simple != NULL ? 2 : 6);
}

void setti_json_add_string(setti_json_out* out, const char* text, size_t size)
{
    setti_json_add(out, "\"", 1);
    while (size != 0) {
        unsigned char byte = (unsigned char)*text;
        size_t plain = json_plain_length(text, size);
        size_t length = plain != 0 ? plain : utf8_length(text, size);
        if (length == 0) {
            setti_json_add(out, "\\ufffd", 6); /* for a byte that is not UTF-8 */
            length = 1;
        } else if (byte < 0x20 || byte == '"' || byte == '\\') {
            json_add_escape(out, byte);
        } else {
            setti_json_add(out, text, length);
        }
        text += length;
        size -= length;
    }
    setti_json_add(out, "\"", 1);
}

void setti_json_add_base64(setti_json_out* out, const void* bytes, size_t size)
{
    const unsigned char* byte = bytes;
    setti_json_add_text(out, "{\"base64\": \"");
    for (size_t at = 0; at < size; at += 3) {
        size_t rest = size - at;
        uint32_t bits = (uint32_t)byte[at] << 16;
        bits |= rest > 1 ? (uint32_t)byte[at + 1] << 8 : 0;
        bits |= rest > 2 ? (uint32_t)byte[at + 2] : 0;
        char text[4] = {base64_digits[bits >> 18], base64_digits[bits >> 12 & 63],
                        rest > 1 ? base64_digits[bits >> 6 & 63] : '=',
                        rest > 2 ? base64_digits[bits & 63] : '='};
        setti_json_add(out, text, sizeof(text));
    }
    setti_json_add_text(out, "\"}");
}

void setti_json_add_bytes(setti_json_out* out, const char* text, size_t size)
{
    if (setti_utf8_is_valid(text, size)) {
        setti_json_add_string(out, text, size);
    } else {
        setti_json_add_base64(out, text, size);
    }
}
