/* json_text.c: the grammar of JSON, read and written.
 *
 * The workload: texts of some MB, from any source, read three times. The reader checks each byte,
 * and skips unused values without storing them.
 *
 * Invariant:  offset <= size;  depth is the number of open containers;  after an error all calls
 * fail */
#include "file/json_text.h"

bool setti_json_fail(setti_json* json, size_t offset, const char* wrong)
{
    if (json->wrong == NULL) {
        json->wrong = wrong;
        json->wrong_offset = offset;
    }
    return false;
}

/* Skips white space. If the next character is `c`, skips that character and returns true. */
SETTI_INLINE bool json_take(setti_json* json, char c)
{
    SETTI_ASSERT(c != '\0');
    if (setti_json_peek(json) != c) { /* '\0' at the end or after an error */
        return false;
    }
    json->offset++;
    return true;
}

bool setti_json_end(setti_json* json)
{
    size_t offset = setti_json_skip_space(json);
    if (json->wrong != NULL) {
        return false;
    }
    if (offset != json->size) {
        return setti_json_fail(json, offset, "text follows the end of the value - remove it");
    }
    return true;
}

/* Returns true for a character of ASCII that a string can contain without an escape. */
SETTI_INLINE bool json_is_plain(char c)
{
    bool is_ascii = (unsigned char)(c - 0x20) < 0x60; /* 0x20 to 0x7F */
    return is_ascii && c != '"' && c != '\\';
}

/* Returns the number of plain characters at the beginning of a text. */
SETTI_INLINE size_t json_plain_length(const char* text, size_t size)
{
    size_t length = 0;
    while (length < size && json_is_plain(text[length])) {
        length++;
    }
    return length;
}

/* Returns the size of a character that begins with the byte `lead`. Returns 0 if no character
 * begins with this byte. */
static size_t utf8_lead_length(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2) {
        return 0; /* not a first byte, or an overlong form */
    }
    if (lead < 0xE0) {
        return 2;
    }
    if (lead < 0xF0) {
        return 3;
    }
    return lead <= 0xF4 ? 4 : 0; /* above: beyond U+10FFFF */
}

/* Returns the size of the first character, or 0 if the text does not begin with valid UTF-8. */
static size_t utf8_length(const char* text, size_t size)
{
    const unsigned char* byte = (const unsigned char*)text;
    if (size == 0) {
        return 0;
    }
    unsigned char lead = byte[0];
    size_t length = utf8_lead_length(lead);
    if (length > size) {
        return 0;
    }
    unsigned char lowest = 0x80;
    unsigned char highest = 0xBF;
    if (lead == 0xE0) {
        lowest = 0xA0; /* no overlong form */
    } else if (lead == 0xF0) {
        lowest = 0x90; /* no overlong form */
    } else if (lead == 0xED) {
        highest = 0x9F; /* no surrogate */
    } else if (lead == 0xF4) {
        highest = 0x8F; /* not above U+10FFFF */
    }
    for (size_t k = 1; k < length; k++) {
        if (byte[k] < lowest || byte[k] > highest) {
            return 0;
        }
        lowest = 0x80; /* only the second byte has narrower limits */
        highest = 0xBF;
    }
    return length;
}

bool setti_utf8_is_valid(const char* text, size_t size)
{
    size_t offset = 0;
    while (offset < size) {
        size_t length = utf8_length(text + offset, size - offset);
        if (length == 0) {
            return false;
        }
        offset += length;
    }
    return true;
}

/* Writes a character as UTF-8. Returns the number of bytes. */
static size_t utf8_encode(uint32_t code, char out[4])
{
    SETTI_ASSERT(code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF));
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = 4;
    if (code < 0x800) {
        length = 2;
    } else if (code < 0x10000) {
        length = 3;
    }
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0}; /* by length */
    for (size_t k = length - 1; k > 0; k--) { /* from the last byte on, 6 bits a byte */
        out[k] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[length] | code);
    return length;
}

/* Returns the value of a hexadecimal digit, or 16 for any other character. */
static uint32_t json_hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (uint32_t)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (uint32_t)(c - 'A') + 10;
    }
    return 16;
}

/* Reads the four hexadecimal digits of an escape. Returns false if there are fewer digits. */
static bool json_hex(const setti_json* json, size_t offset, uint32_t* code)
{
    *code = 0;
    for (size_t k = offset; k < offset + 4; k++) {
        if (k >= json->size) {
            return false;
        }
        uint32_t digit = json_hex_digit(json->text[k]);
        if (digit > 15) {
            return false;
        }
        *code = *code << 4 | digit;
    }
    return true;
}

/* Decodes the escape of the low half of a surrogate pair. Returns false if the text at the offset
 * is no such escape. */
static bool json_low_half(const setti_json* json, size_t offset, uint32_t* low)
{
    if (offset + 1 >= json->size || json->text[offset] != '\\' || json->text[offset + 1] != 'u') {
        return false;
    }
    if (!json_hex(json, offset + 2, low)) {
        return false;
    }
    return *low >= 0xDC00 && *low < 0xE000;
}

/* Skips an escape, and decodes it to UTF-8. Returns the number of bytes, or 0 after an error. */
static size_t json_escape(setti_json* json, char out[4])
{
    SETTI_ASSERT(json->offset < json->size && json->text[json->offset] == '\\');
    static const char letters[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t"; /* for each letter, the decoded byte */
    size_t begin = json->offset;
    char letter = '\0';
    const char* simple = NULL;
    uint32_t code; /* a code unit of UTF-16, possibly the high half of a surrogate pair */
    uint32_t low;  /* the low half */
    if (begin + 1 < json->size) {
        letter = json->text[begin + 1];
    }
    if (letter != '\0') {
        simple = strchr(letters, letter);
    }
    if (simple != NULL) {
        json->offset += 2;
        out[0] = bytes[simple - letters];
        return 1;
    }
    if (letter != 'u') {
        setti_json_fail(json, begin, "unknown escape - write \\\\ for a backslash");
        return 0;
    }
    if (!json_hex(json, begin + 2, &code)) {
        setti_json_fail(json, begin,
                        "\\u needs four hexadecimal digits - write them, as in \\u0041");
        return 0;
    }
    json->offset += 6;                     /* a backslash, 'u' and four digits */
    if (code >= 0xD800 && code < 0xE000) { /* half of a surrogate pair */
        bool is_high = code < 0xDC00;
        if (!is_high || !json_low_half(json, begin + 6, &low)) {
            setti_json_fail(
                json, begin,
                "half of a surrogate pair is missing - write both halves, as in \\ud83d\\ude00");
            return 0;
        }
        json->offset += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00); /* 10 bits in each half */
    }
    return utf8_encode(code, out);
}

/* Skips the character at *piece. If the character is an escape, decodes it into `code`, and *piece
 * becomes `code`. Returns the number of bytes at *piece, or 0 after an error. */
static size_t json_character(setti_json* json, const char** piece, char code[4])
{
    if (**piece == '\\') {
        *piece = code;
        return json_escape(json, code);
    }
    size_t size = utf8_length(*piece, json->size - json->offset);
    if (size == 0) {
        setti_json_fail(json, json->offset, "not valid UTF-8 - write the text as UTF-8");
        return 0;
    }
    if ((unsigned char)**piece < 0x20) {
        setti_json_fail(json, json->offset,
                        "a string has a control character - escape it, as in \\n, or end the "
                        "string before it");
        return 0;
    }
    json->offset += size;
    return size;
}

bool setti_json_chars(setti_json* json, char* out, size_t capacity, size_t* length)
{
    size_t total = 0;
    if (!json_take(json, '"')) {
        return setti_json_fail(json, json->offset, "a string is expected");
    }
    size_t begin = json->offset - 1; /* the opening quote */
    while (json->offset < json->size && json->text[json->offset] != '"') {
        const char* piece = json->text + json->offset;
        char code[4];
        size_t size = json_plain_length(piece, json->size - json->offset);
        bool plain = size != 0; /* false: the piece is a single character */
        json->offset += size;
        if (!plain) {
            size = json_character(json, &piece, code);
            if (size == 0) {
                return false;
            }
        }
        size_t room = total < capacity ? capacity - total : 0;
        /* only plain characters are cut: no part of a character of several bytes is stored */
        if (out != NULL && (size <= room || plain)) {
            memcpy(out + total, piece, SETTI_MIN(size, room));
        }
        total += size;
    }
    if (json->offset == json->size) {
        return setti_json_fail(json, begin, "this string has no closing quote - add it");
    }
    json->offset++;
    *length = total;
    return true;
}

bool setti_json_string(setti_json* json, char* out, size_t capacity, size_t* length)
{
    SETTI_ASSERT(out == NULL || capacity != 0);
    size_t room = out != NULL ? capacity - 1 : 0; /* leaves a byte for the zero */
    bool valid = setti_json_chars(json, out, room, length);
    if (out != NULL) {
        bool fits = valid && *length < capacity;
        size_t end = fits ? *length : 0;
        out[end] = '\0';
    }
    return valid;
}

/* Skips digits. Returns the number of digits. */
static size_t json_digits(setti_json* json)
{
    size_t begin = json->offset;
    while (json->offset < json->size && json->text[json->offset] >= '0' &&
           json->text[json->offset] <= '9') {
        json->offset++;
    }
    return json->offset - begin;
}

SETTI_INLINE bool json_next_is(const setti_json* json, char c)
{
    return json->offset < json->size && json->text[json->offset] == c;
}

/* Skips a number. Returns false if the characters are no number of JSON. *digits becomes the number
 * of digits before the decimal point. */
static bool json_skip_number(setti_json* json, size_t* digits)
{
    if (json_next_is(json, '-')) {
        json->offset++;
    }
    bool starts_with_zero = json_next_is(json, '0');
    *digits = json_digits(json);
    bool leading_zero = starts_with_zero && *digits > 1;
    if (*digits == 0 || leading_zero) {
        return false;
    }
    if (json_next_is(json, '.')) {
        json->offset++;
        if (json_digits(json) == 0) {
            return false;
        }
    }
    if (json_next_is(json, 'e') || json_next_is(json, 'E')) {
        json->offset++;
        if (json_next_is(json, '+') || json_next_is(json, '-')) {
            json->offset++;
        }
        return json_digits(json) != 0;
    }
    return true;
}

bool setti_json_number(setti_json* json, const char** text, size_t* length)
{
    size_t begin = setti_json_skip_space(json);
    size_t digits = 0;
    bool valid = json->wrong == NULL && json_skip_number(json, &digits);
    *text = json->text + begin;
    *length = json->offset - begin;
    if (valid) {
        return true;
    }
    if (digits == 0) {
        return setti_json_fail(json, begin, "a number is expected");
    }
    return setti_json_fail(json, begin, "not a number of JSON - write it as in 0.5, -12 or 1e9");
}

/* Skips white space. If `word` follows, skips `word` and returns true. */
static bool json_word(setti_json* json, const char* word)
{
    size_t length = strlen(word);
    size_t offset = setti_json_skip_space(json);
    if (json->wrong != NULL || json->size - offset < length) {
        return false;
    }
    if (memcmp(json->text + offset, word, length) != 0) {
        return false;
    }
    json->offset += length;
    return true;
}

bool setti_json_bool(setti_json* json, bool* out)
{
    *out = json_word(json, "true");
    if (*out || json_word(json, "false")) {
        return true;
    }
    return setti_json_fail(json, json->offset, "true or false is expected");
}

bool setti_json_null(setti_json* json)
{
    if (json_word(json, "null")) {
        return true;
    }
    return setti_json_fail(json, json->offset, "null is expected");
}

bool setti_json_begin(setti_json* json, char open)
{
    SETTI_ASSERT(open == '{' || open == '[');
    if (!json_take(json, open)) {
        if (open == '{') {
            return setti_json_fail(json, json->offset, "an object is expected");
        }
        return setti_json_fail(json, json->offset, "a list is expected");
    }
    json->depth++;
    if (json->depth > SETTI_JSON_DEPTH) {
        return setti_json_fail(json, json->offset - 1,
                               "objects and lists are nested more than 64 deep - nest fewer");
    }
    return true;
}

/* Moves to the next element of a container, behind the comma. Returns false after an error. At the
 * end of the container, skips `close` and returns false. */
static bool json_more(setti_json* json, char open, char close)
{
    size_t token_end = json->offset; /* the end of the previous token, before white space */
    while (token_end != 0 && setti_json_is_space(json->text[token_end - 1])) {
        token_end--;
    }
    bool is_first = token_end != 0 && json->text[token_end - 1] == open; /* no comma precedes */
    if (json_take(json, close)) {
        json->depth--;
        return false;
    }
    size_t comma = json->offset;
    if (!is_first && !json_take(json, ',')) {
        return setti_json_fail(json, comma,
                               close == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
    }
    if (!is_first && setti_json_peek(json) == close) {
        return setti_json_fail(json, comma, "nothing follows this comma - remove it");
    }
    return json->wrong == NULL;
}

/* Reads the next key of an object, and skips the colon after the key. Returns false at the end of
 * the object, or after an error. If `key` is NULL, does not store
 * the key. */
static bool json_next_key(setti_json* json, char* key, size_t* length)
{
    if (!json_more(json, '{', '}')) {
        return false;
    }
    if (!setti_json_string(json, key, SETTI_JSON_KEY, length)) {
        return false;
    }
    if (!json_take(json, ':')) {
        return setti_json_fail(json, json->offset, "':' is expected");
    }
    return true;
}

bool setti_json_key(setti_json* json, char key[SETTI_JSON_KEY])
{
    size_t length = 0;
    if (!json_next_key(json, key, &length)) {
        return false;
    }
    if (length >= SETTI_JSON_KEY || memchr(key, 0, length) != NULL) {
        key[0] = '\0'; /* no known key is empty */
    }
    return true;
}

bool setti_json_item(setti_json* json)
{
    return json_more(json, '[', ']');
}

/* Skips a value that is not an object or list. `first` is the first character of the value. */
static bool json_skip_scalar(setti_json* json, char first)
{
    size_t length;
    const char* text;
    bool word;
    bool is_digit;
    switch (first) {
    case '"':
        return setti_json_string(json, NULL, 0, &length);
    case 't':
    case 'f':
        return setti_json_bool(json, &word);
    case 'n':
        return setti_json_null(json);
    default:
        is_digit = first >= '0' && first <= '9';
        if (is_digit || first == '-') {
            return setti_json_number(json, &text, &length);
        }
        return setti_json_fail(json, json->offset, "a value is expected");
    }
}

/* Moves to the next value of an object or list. Returns false at the end, or after an error. */
static bool json_next_value(setti_json* json, char open)
{
    size_t length;
    if (open == '{') {
        return json_next_key(json, NULL, &length);
    }
    return setti_json_item(json);
}

bool setti_json_skip(setti_json* json)
{
    char open = setti_json_peek(json);
    if (open != '{' && open != '[') {
        return json_skip_scalar(json, open);
    }
    if (!setti_json_begin(json, open)) {
        return false;
    }
    while (json_next_value(json, open)) {
        if (!setti_json_skip(json)) { /* recurses SETTI_JSON_DEPTH times at most */
            return false;
        }
    }
    return json->wrong == NULL;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Returns the value of a digit of base64, or 64 for any other character. */
static uint32_t base64_value(char c)
{
    if (c == '\0') {
        return 64; /* strchr would find the zero at the end of the digits */
    }
    const char* digit = strchr(base64_digits, c);
    if (digit == NULL) {
        return 64;
    }
    return (uint32_t)(digit - base64_digits);
}

/* Decodes four digits. Returns the number of bytes, or 0 if the digits are invalid. One or two '='
 * at the end stand for missing bytes. */
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
    uint32_t after_last_byte = bits & (0xFFFFFFu >> (8 * size)); /* these bits must be 0 */
    bool valid = (a | b | c | d) < 64 && after_last_byte == 0;   /* 64: not a digit */
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8);
    out[2] = (unsigned char)bits;
    return valid ? size : 0;
}

bool setti_json_base64(setti_json* json, unsigned char* out, size_t capacity, size_t* length)
{
    size_t offset = setti_json_skip_space(json) + 1; /* after the quote */
    size_t count;
    if (!setti_json_string(json, NULL, 0, &count)) {
        return false;
    }
    size_t end = json->offset - 1; /* before the closing quote */
    size_t size = 3;               /* number of bytes in the last four digits */
    *length = 0;
    for (; offset + 4 <= end && size == 3; offset += 4) { /* fewer than 3 bytes end the string */
        unsigned char bytes[3];
        size = base64_decode(json->text + offset, bytes);
        for (size_t k = 0; k < size && *length + k < capacity; k++) {
            out[*length + k] = bytes[k];
        }
        *length += size;
    }
    if (offset != end || size == 0) {
        return setti_json_fail(json, offset,
                               "not valid base64 - use A-Z a-z 0-9 + / without escapes, = at the "
                               "end, and no line ends");
    }
    return true;
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
        size_t part_size = SETTI_MIN(sizeof(out->buffer) - out->used, size);
        memcpy(out->buffer + out->used, text, part_size);
        out->used += part_size;
        text += part_size;
        size -= part_size;
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

/* Writes the escape of a quote, a backslash or a control byte. */
static void json_add_escape(setti_json_out* out, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    static const char pairs[] =
        "\"\"\\\\\nn\rr\tt"; /* a byte, then the letter of the escape, for each simple escape */
    char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]}; /* long form */
    size_t length = sizeof(escape);
    const char* pair = NULL;
    if (byte != 0) {
        pair = strchr(pairs, byte);
    }
    if (pair != NULL) {
        escape[1] = pair[1];
        length = 2; /* only the backslash and the letter */
    }
    setti_json_add(out, escape, length);
}

void setti_json_add_string(setti_json_out* out, const char* text, size_t size)
{
    setti_json_add(out, "\"", 1);
    while (size != 0) {
        unsigned char byte = (unsigned char)*text;
        size_t length = json_plain_length(text, size);
        if (length == 0) { /* not a plain character */
            length = utf8_length(text, size);
        }
        if (length == 0) {
            setti_json_add(out, "\\ufffd", 6); /* replaces a byte that is not UTF-8 */
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
    for (size_t offset = 0; offset < size; offset += 3) {
        size_t bytes_left = size - offset;
        uint32_t bits = (uint32_t)byte[offset] << 16;
        if (bytes_left > 1) {
            bits |= (uint32_t)byte[offset + 1] << 8;
        }
        if (bytes_left > 2) {
            bits |= byte[offset + 2];
        }
        /* 3 bytes are four digits of 6 bits; '=' stands for a missing byte */
        char text[4] = {base64_digits[bits >> 18], base64_digits[(bits >> 12) & 63], '=', '='};
        if (bytes_left > 1) {
            text[2] = base64_digits[(bits >> 6) & 63];
        }
        if (bytes_left > 2) {
            text[3] = base64_digits[bits & 63];
        }
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
