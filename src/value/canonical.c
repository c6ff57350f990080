/* canonical.c: the form of a value that is the same on every machine.
 *
 * The workload: hashing and comparing values by the million, of which nearly all have their members
 * side by side on a little-endian machine: there the canonical form is what lies in memory, and the
 * one thing to look for is NaN.
 *
 * Invariant:  decode(encode(v)) has the same canonical form as v
 *             setti_canonical_same(a, b)  <=>  encode(a) == encode(b)
 */
#include "value/value.h"

static uint64_t canonical_load(const unsigned char* bytes, uint32_t unit)
{
    if (unit == 4) {
        uint32_t word;
        memcpy(&word, bytes, sizeof(word));
        return word;
    }
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static bool canonical_is_nan(const unsigned char* bytes, uint32_t unit)
{
    return unit == 4 ? (canonical_load(bytes, 4) & 0x7FFFFFFFu) > 0x7F800000u
                     : (canonical_load(bytes, 8) & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u;
}

/* A quiet NaN without a payload, little endian. */
static void canonical_write_nan(unsigned char* out, uint32_t unit)
{
    memset(out, 0, unit);
    out[unit - 1] = 0x7F;
    out[unit - 2] = unit == 4 ? 0xC0 : 0xF8;
}

static void canonical_turn(unsigned char* out, const unsigned char* in, uint32_t unit)
{
    for (uint32_t k = 0; k < unit; k++) {
        out[k] = in[unit - 1 - k];
    }
}

/* Bytes from..from+count-1 of a piece, whole units. */
static void piece_encode(const setti_piece* piece, const unsigned char* in, uint32_t from,
                         uint32_t count, unsigned char* out)
{
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
        size_t room = (capacity - used) / unit * unit;
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

/* Bytes as they are, of the sizes that most have. */
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
        if (piece->kind <= SETTI_PIECE_BOOL && !SETTI_BIG_ENDIAN) {
            piece_copy(out, (const unsigned char*)value + piece->offset, piece->size);
            out += piece->size;
            continue;
        }
        piece_encode(piece, (const unsigned char*)value + piece->offset, 0, piece->size, out);
        out += piece->size;
    }
}

void setti_canonical_turn_value(const setti_members* members, void* value)
{
    for (uint32_t k = 0; SETTI_BIG_ENDIAN && k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* at = (unsigned char*)value + piece->offset;
        unsigned char unit[8];
        for (uint32_t n = 0; piece->kind != SETTI_PIECE_TEXT && n < piece->size; n += piece->unit) {
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
        if (end != NULL) {
            memset(end, 0, (size_t)(at + piece->size - end));
        }
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
    bool same = piece->kind == SETTI_PIECE_FLOAT;
    for (uint32_t k = 0; same && k < piece->size; k += piece->unit) {
        same = memcmp(a + k, b + k, piece->unit) == 0 ||
               (canonical_is_nan(a + k, piece->unit) && canonical_is_nan(b + k, piece->unit));
    }
    return same;
}

bool setti_canonical_same(const setti_members* members, const void* a, const void* b)
{
    bool same = true;
    for (uint32_t k = 0; same && k < members->piece_count; k++) {
        uint32_t at = members->pieces[k].offset;
        same = piece_same(&members->pieces[k], (const unsigned char*)a + at,
                          (const unsigned char*)b + at);
    }
    return same;
}

bool setti_canonical_same_element(sett_member_kind kind, uint32_t size, const void* a,
                                  const void* b)
{
    setti_piece piece = {0, size, SETTI_PIECE_BYTES, 1};
    if (kind == SETT_MEMBER_F32 || kind == SETT_MEMBER_F64) {
        piece.kind = SETTI_PIECE_FLOAT;
        piece.unit = (uint16_t)size;
    } else if (kind == SETT_MEMBER_TEXT) {
        piece.kind = SETTI_PIECE_TEXT;
    }
    return piece_same(&piece, a, b);
}

bool setti_canonical_is_plain(const setti_members* members, const void* value)
{
    bool nan = false;
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        const unsigned char* bytes = (const unsigned char*)value + piece->offset;
        for (uint32_t at = 0; piece->kind == SETTI_PIECE_FLOAT && at < piece->size;
             at += piece->unit) {
            nan |= canonical_is_nan(bytes + at, piece->unit);
        }
    }
    return !nan;
}
