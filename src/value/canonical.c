/* canonical.c: the canonical form of a value, equal on every machine.
 *
 * The workload: programs hash and compare values by the million. On little-endian machines nearly
 * all values have adjacent members without NaN. The bytes in memory are then the canonical form.
 *
 * Invariant:  decode(encode(v)) has the same canonical form as v
 *             setti_canonical_same(a, b)  <=>  encode(a) == encode(b)
 */
#include "value/value.h"

#include "base/bytes.h"
#include "value/number.h"

#define CANONICAL_PIECE 128u /* bytes written at a time, a multiple of 8 */

static bool canonical_is_nan(const unsigned char* bytes, uint32_t unit)
{
    uint32_t narrow;
    uint64_t wide;
    SETTI_ASSERT(unit == sizeof(narrow) || unit == sizeof(wide));
    if (unit == sizeof(narrow)) {
        memcpy(&narrow, bytes, sizeof(narrow));
        return (narrow & INT32_MAX) > SETTI_F32_INFINITY;
    }
    memcpy(&wide, bytes, sizeof(wide));
    return (wide & INT64_MAX) > SETTI_F64_INFINITY;
}

/* Writes a quiet NaN without a payload, little endian. */
static void canonical_write_nan(unsigned char* out, uint32_t unit)
{
    memset(out, 0, unit);
    out[unit - 1] = 0x7F;
    out[unit - 2] = unit == 4 ? 0xC0 : 0xF8;
}

/* Reverses the bytes of a number. */
static void canonical_turn(unsigned char* out, const unsigned char* in, uint32_t unit)
{
    SETTI_ASSERT(unit != 0 && unit <= 8);
    for (uint32_t k = 0; k < unit; k++) {
        out[k] = in[unit - 1 - k];
    }
}

/* Encodes `count` bytes of a piece, from byte `from` on. */
static void piece_encode(const setti_piece* piece, const unsigned char* in, uint32_t from,
                         uint32_t count, unsigned char* out)
{
    SETTI_ASSERT(from + count <= piece->size); /* multiples of the unit */
    if (piece->kind == SETTI_PIECE_TEXT) {
        const unsigned char* end = memchr(in, 0, from + count);
        uint32_t length = end != NULL ? (uint32_t)(end - in) : from + count;
        uint32_t used = length > from ? length - from : 0;
        memcpy(out, in + from, used);
        memset(out + used, 0, count - used);
        return;
    }
    if (piece->unit == 1 || !SETTI_BIG_ENDIAN) {
        memcpy(out, in + from, count);
    } else {
        for (uint32_t k = 0; k < count; k += piece->unit) {
            canonical_turn(out + k, in + from + k, piece->unit);
        }
    }
    for (uint32_t k = 0; piece->kind == SETTI_PIECE_FLOAT && k < count; k += piece->unit) {
        if (canonical_is_nan(in + from + k, piece->unit)) {
            canonical_write_nan(out + k, piece->unit);
        }
    }
}

size_t setti_canonical_next(const setti_members* members, const void* value,
                            setti_canonical_cursor* cursor, unsigned char* out, size_t capacity)
{
    SETTI_ASSERT(capacity >= 8);
    size_t used = 0;
    while (cursor->piece < members->piece_count) {
        const setti_piece* piece = &members->pieces[cursor->piece];
        uint32_t unit = piece->kind == SETTI_PIECE_TEXT ? 1 : piece->unit;
        size_t room = (capacity - used) / unit * unit; /* whole units */
        uint32_t count = (uint32_t)SETTI_MIN((size_t)(piece->size - cursor->offset), room);
        if (count == 0) {
            break;
        }
        piece_encode(piece, (const unsigned char*)value + piece->offset, cursor->offset, count,
                     out + used);
        used += count;
        cursor->offset += count;
        if (cursor->offset == piece->size) {
            cursor->piece++;
            cursor->offset = 0;
        }
    }
    return used;
}

/* Copies bytes, fast for frequent sizes. */
static void piece_copy(unsigned char* out, const unsigned char* in, uint32_t size)
{
    switch (size) {
    case 1:
        *out = *in;
        break;
    case 4:
        memcpy(out, in, 4);
        break;
    case 8:
        memcpy(out, in, 8);
        break;
    default:
        memcpy(out, in, size);
        break;
    }
}

void setti_canonical_encode(const setti_members* members, const void* value, unsigned char* out)
{
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        const unsigned char* in = (const unsigned char*)value + piece->offset;
        if (piece->kind <= SETTI_PIECE_BOOL && !SETTI_BIG_ENDIAN) {
            piece_copy(out, in, piece->size);
        } else {
            piece_encode(piece, in, 0, piece->size, out);
        }
        out += piece->size;
    }
}

static bool piece_same(const setti_piece* piece, const unsigned char* a, const unsigned char* b)
{
    if (piece->kind == SETTI_PIECE_TEXT) {
        return strncmp((const char*)a, (const char*)b, piece->size) == 0;
    }
    if (memcmp(a, b, piece->size) == 0) {
        return true;
    }
    bool same = piece->kind == SETTI_PIECE_FLOAT; /* then NaN with different bits are equal */
    for (uint32_t k = 0; same && k < piece->size; k += piece->unit) {
        same = memcmp(a + k, b + k, piece->unit) == 0 ||
               (canonical_is_nan(a + k, piece->unit) && canonical_is_nan(b + k, piece->unit));
    }
    return same;
}

sett_string setti_owned_string(const void* at)
{
    sett_string string;
    memcpy(&string, at, sizeof(string));
    return string;
}

sett_list setti_owned_list(const void* at, uint32_t item_size)
{
    sett_list list;
    memcpy(&list, at, sizeof(list));
    SETTI_ASSERT(list.count == 0 || list.item_size == item_size);
    if (list.item_size != item_size) { /* a mistake of the program */
        list.count = 0;
    }
    return list;
}

void setti_owned_copy_hook(void* to, const void* from, uint32_t count, void* user)
{
    const setti_members* members = user;
    size_t size = members->of.size;
    for (uint32_t k = 0; k < count; k++) {
        unsigned char* into = (unsigned char*)to + k * size;
        const unsigned char* value = (const unsigned char*)from + k * size;
        for (uint32_t n = 0; n < members->owned_count; n++) { /* a list's address is at .text too */
            setti_owned_take(setti_owned_string(value + members->owned[n].offset).text);
        }
        setti_owned_deinit_hook(into, 1, user);
        memmove(into, value, size);
    }
}

void setti_owned_deinit_hook(void* values, uint32_t count, void* user)
{
    const setti_members* members = user;
    for (uint32_t k = 0; k < count; k++) {
        const unsigned char* value = (const unsigned char*)values + k * (size_t)members->of.size;
        for (uint32_t n = 0; n < members->owned_count; n++) {
            setti_owned_drop(setti_owned_string(value + members->owned[n].offset).text);
        }
    }
}

static void canonical_write_number(sett_sink* sink, uint32_t number)
{
    unsigned char bytes[4];
    setti_bytes_put(bytes, number, 4);
    sink->write(sink, bytes, 4);
}

static void piece_write(const setti_piece* piece, const unsigned char* in, sett_sink* sink)
{
    unsigned char out[CANONICAL_PIECE];
    for (uint32_t at = 0; at < piece->size; at += CANONICAL_PIECE) {
        uint32_t count = SETTI_MIN(piece->size - at, CANONICAL_PIECE);
        piece_encode(piece, in, at, count, out);
        sink->write(sink, out, count);
    }
}

static void owned_write(const setti_owned* owned, const unsigned char* value, sett_sink* sink)
{
    if (owned->item_size == 0) {
        const sett_string string = setti_owned_string(value + owned->offset);
        uint32_t length = string.text != NULL ? (uint32_t)strlen(string.text) : 0;
        canonical_write_number(sink, length);
        sink->write(sink, string.text, length);
        return;
    }
    const sett_list list = setti_owned_list(value + owned->offset, owned->item_size);
    const unsigned char* item = list.items;
    canonical_write_number(sink, list.count);
    for (uint32_t k = 0; k < list.count; k++, item += owned->item_size) {
        for (uint32_t p = 0; p < owned->piece_count; p++) {
            piece_write(&owned->pieces[p], item + owned->pieces[p].offset, sink);
        }
    }
}

void setti_canonical_write(const setti_members* members, const void* value, sett_sink* sink)
{
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        if (piece->kind == SETTI_PIECE_OWNED) {
            owned_write(&members->owned[piece->unit], value, sink);
        } else {
            piece_write(piece, (const unsigned char*)value + piece->offset, sink);
        }
    }
}

typedef struct canonical_from {
    const unsigned char* at;
    size_t left;
} canonical_from;

static const unsigned char* canonical_take(canonical_from* from, size_t size)
{
    const unsigned char* bytes = from->at;
    if (size > from->left) {
        return NULL;
    }
    from->at += size;
    from->left -= size;
    return bytes;
}

static void piece_decode(const setti_piece* piece, const unsigned char* in, unsigned char* out)
{
    if (piece->kind == SETTI_PIECE_TEXT || piece->unit == 1 || !SETTI_BIG_ENDIAN) {
        memcpy(out, in, piece->size);
        return;
    }
    for (uint32_t k = 0; k < piece->size; k += piece->unit) {
        canonical_turn(out + k, in + k, piece->unit);
    }
}

/* Replaces the string at `at`. Returns false when memory runs out. */
static bool owned_set_string(const sett_allocator* allocator, const unsigned char* text,
                             size_t length, unsigned char* at)
{
    sett_string string = {.room_ = 0};
    if (!setti_string_set(allocator, &string, text, length)) {
        return false;
    }
    setti_owned_drop(setti_owned_string(at).text);
    memcpy(at, &string, sizeof(string));
    return true;
}

/* Replaces the list at `at`. Returns false when memory runs out. */
static bool owned_set_list(const setti_owned* owned, const sett_allocator* allocator,
                           const unsigned char* bytes, uint32_t count, unsigned char* at)
{
    sett_list list = {.count = 0};
    if (!setti_list_resize(allocator, &list, owned->item_size, count)) {
        return false;
    }
    unsigned char* item = setti_unconst(list.items);
    for (uint32_t k = 0; k < count; k++, item += owned->item_size) {
        for (uint32_t p = 0; p < owned->piece_count; p++) {
            piece_decode(&owned->pieces[p], bytes, item + owned->pieces[p].offset);
            bytes += owned->pieces[p].size;
        }
    }
    setti_owned_drop(setti_owned_list(at, owned->item_size).items);
    memcpy(at, &list, sizeof(list));
    return true;
}

/* Reads a string or list from the canonical form. If `at` is NULL, only checks the bytes. */
static sett_status owned_read(const setti_owned* owned, const sett_allocator* allocator,
                              canonical_from* from, unsigned char* at)
{
    bool is_list = owned->item_size != 0;
    size_t each = is_list ? owned->item_least : 1; /* bytes of an item or character */
    const unsigned char* length = canonical_take(from, 4);
    uint32_t count = length != NULL ? (uint32_t)setti_bytes_get(length, 4) : 0;
    if (length == NULL || count > from->left / each) {
        return SETT_STATUS_INVALID;
    }
    const unsigned char* bytes = canonical_take(from, count * each);
    if (!is_list && memchr(bytes, 0, count) != NULL) {
        return SETT_STATUS_INVALID;
    }
    if (at == NULL) {
        return SETT_OK; /* only checked */
    }
    bool done = is_list ? owned_set_list(owned, allocator, bytes, count, at)
                        : owned_set_string(allocator, bytes, count, at);
    return done ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

sett_status setti_canonical_read(const setti_members* members, const sett_allocator* allocator,
                                 const unsigned char* bytes, size_t size, void* value)
{
    canonical_from from = {bytes, size};
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* at = value != NULL ? (unsigned char*)value + piece->offset : NULL;
        if (piece->kind == SETTI_PIECE_OWNED) {
            sett_status status = owned_read(&members->owned[piece->unit], allocator, &from, at);
            if (status != SETT_OK) {
                return status;
            }
            continue;
        }
        const unsigned char* in = canonical_take(&from, piece->size);
        if (in == NULL) {
            return SETT_STATUS_INVALID;
        }
        if (at != NULL) {
            piece_decode(piece, in, at);
        }
    }
    return from.left == 0 ? SETT_OK : SETT_STATUS_INVALID;
}

static bool string_same(const void* a, const void* b)
{
    const sett_string x = setti_owned_string(a);
    const sett_string y = setti_owned_string(b);
    return x.text == y.text || strcmp(sett_string_get(&x), sett_string_get(&y)) == 0;
}

static bool owned_same(const setti_owned* owned, const unsigned char* a, const unsigned char* b)
{
    if (owned->item_size == 0) {
        return string_same(a + owned->offset, b + owned->offset);
    }
    const sett_list x = setti_owned_list(a + owned->offset, owned->item_size);
    const sett_list y = setti_owned_list(b + owned->offset, owned->item_size);
    bool same = x.count == y.count;
    uint32_t count = x.items != y.items ? x.count : 0; /* shared items are equal */
    for (uint32_t k = 0; same && k < count; k++) {
        size_t at = (size_t)k * owned->item_size;
        for (uint32_t p = 0; same && p < owned->piece_count; p++) {
            size_t offset = at + owned->pieces[p].offset;
            same = piece_same(&owned->pieces[p], (const unsigned char*)x.items + offset,
                              (const unsigned char*)y.items + offset);
        }
    }
    return same;
}

void setti_canonical_turn_value(const setti_members* members, void* value)
{
    if (!SETTI_BIG_ENDIAN) {
        return;
    }
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* at = (unsigned char*)value + piece->offset;
        unsigned char unit[8];
        bool has_units = piece->kind < SETTI_PIECE_TEXT;
        for (uint32_t n = 0; has_units && n < piece->size; n += piece->unit) {
            memcpy(unit, at + n, piece->unit);
            canonical_turn(at + n, unit, piece->unit);
        }
    }
}

void setti_canonical_clear(const setti_members* members, void* value)
{
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* at = (unsigned char*)value + piece->offset;
        bool is_float = piece->kind == SETTI_PIECE_FLOAT;
        for (uint32_t n = 0; is_float && n < piece->size; n += piece->unit) {
            if (canonical_is_nan(at + n, piece->unit)) {
                memset(at + n, 0, piece->unit);
            }
        }
        unsigned char* end = piece->kind == SETTI_PIECE_TEXT ? memchr(at, 0, piece->size) : NULL;
        if (end != NULL) { /* the end of a text */
            memset(end, 0, (size_t)(at + piece->size - end));
        }
    }
}

bool setti_canonical_same(const setti_members* members, const void* a, const void* b)
{
    bool same = true;
    for (uint32_t k = 0; same && k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        if (piece->kind == SETTI_PIECE_OWNED) {
            same = owned_same(&members->owned[piece->unit], a, b);
        } else {
            same = piece_same(piece, (const unsigned char*)a + piece->offset,
                              (const unsigned char*)b + piece->offset);
        }
    }
    return same;
}

bool setti_canonical_same_element(sett_member_kind kind, uint32_t size, const void* a,
                                  const void* b)
{
    SETTI_ASSERT(size != 0 && kind != SETT_MEMBER_STRUCT && kind != SETT_MEMBER_LIST);
    if (kind == SETT_MEMBER_STRING) {
        return string_same(a, b);
    }
    const setti_piece piece = setti_piece_of(kind, 0, size, size);
    return piece_same(&piece, a, b);
}

bool setti_canonical_is_plain(const setti_members* members, const void* value)
{
    bool nan = false;
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        const unsigned char* bytes = (const unsigned char*)value + piece->offset;
        bool is_float = piece->kind == SETTI_PIECE_FLOAT;
        for (uint32_t at = 0; is_float && at < piece->size; at += piece->unit) {
            nan |= canonical_is_nan(bytes + at, piece->unit);
        }
    }
    return !nan;
}
