/* canonical.c: the canonical form of a value, equal on every machine.
 *
 * The workload: programs hash and compare millions of values. Nearly all values have adjacent
 * members without NaN. On little-endian machines, the bytes of such a value are the canonical form.
 *
 * Invariant:  decode(encode(v)) has the same canonical form as v
 *             setti_canonical_same(a, b)  <=>  encode(a) == encode(b)
 */
#include "value/value.h"

#include "base/bytes.h"
#include "value/number.h"

#define CANONICAL_PIECE 128u /* bytes written at a time: a multiple of every unit */

/* Whether the float at `bytes` is NaN. `unit` is 4 for an f32, 8 for an f64. */
static bool canonical_is_nan(const unsigned char* bytes, uint32_t unit)
{
    uint32_t narrow;
    uint64_t wide;
    SETTI_ASSERT(unit == sizeof(narrow) || unit == sizeof(wide));
    if (unit == sizeof(narrow)) {
        memcpy(&narrow, bytes, sizeof(narrow));
        return (narrow & INT32_MAX) > SETTI_F32_INFINITY; /* without the sign bit */
    }
    memcpy(&wide, bytes, sizeof(wide));
    return (wide & INT64_MAX) > SETTI_F64_INFINITY;
}

/* Writes a quiet NaN without a payload, little endian. */
static void canonical_write_nan(unsigned char* out, uint32_t unit)
{
    memset(out, 0, unit);
    /* the sign is 0; the bits of the exponent and the highest bit of the mantissa are 1 */
    out[unit - 1] = 0x7F;
    out[unit - 2] = (unit == 4) ? 0xC0 : 0xF8;
}

/* Reverses the bytes of a number. */
static void canonical_turn(unsigned char* out, const unsigned char* in, uint32_t unit)
{
    SETTI_ASSERT(unit != 0 && unit <= 8);
    for (uint32_t k = 0; k < unit; k++) {
        out[k] = in[unit - 1 - k];
    }
}

/* Encodes `count` bytes of a piece, from the offset `start` in the piece on. `in` is the beginning
 * of the piece. */
static void piece_encode(const setti_piece* piece, const unsigned char* in, uint32_t start,
                         uint32_t count, unsigned char* out)
{
    SETTI_ASSERT(start + count <= piece->size); /* both are multiples of the unit */
    if (piece->kind == SETTI_PIECE_TEXT) {
        uint32_t length = start + count; /* of the text, up to the last byte to encode */
        const unsigned char* end = memchr(in, 0, length);
        if (end != NULL) {
            length = (uint32_t)(end - in);
        }
        uint32_t used = 0; /* bytes to encode that belong to the text */
        if (length > start) {
            used = length - start;
        }
        memcpy(out, in + start, used);
        memset(out + used, 0, count - used);
        return;
    }
    if (piece->unit == 1 || !SETTI_BIG_ENDIAN) {
        memcpy(out, in + start, count);
    } else {
        for (uint32_t k = 0; k < count; k += piece->unit) {
            canonical_turn(out + k, in + start + k, piece->unit);
        }
    }
    if (piece->kind != SETTI_PIECE_FLOAT) {
        return;
    }
    for (uint32_t k = 0; k < count; k += piece->unit) {
        if (canonical_is_nan(in + start + k, piece->unit)) {
            canonical_write_nan(out + k, piece->unit);
        }
    }
}

size_t setti_canonical_next(const setti_members* members, const void* value,
                            setti_canonical_cursor* cursor, unsigned char* out, size_t capacity)
{
    SETTI_ASSERT(capacity >= 8);
    size_t written = 0;
    while (cursor->piece < members->piece_count) {
        const setti_piece* piece = &members->pieces[cursor->piece];
        uint32_t unit = piece->kind == SETTI_PIECE_TEXT ? 1 : piece->unit;
        size_t free_bytes = (capacity - written) / unit * unit; /* whole units only */
        uint32_t count = (uint32_t)SETTI_MIN((size_t)(piece->size - cursor->offset), free_bytes);
        if (count == 0) { /* `out` has no room for a unit */
            break;
        }
        piece_encode(piece, (const unsigned char*)value + piece->offset, cursor->offset, count,
                     out + written);
        written += count;
        cursor->offset += count;
        if (cursor->offset == piece->size) {
            cursor->piece++;
            cursor->offset = 0;
        }
    }
    return written;
}

/* Copies `size` bytes. The sizes 1, 4 and 8 are the most frequent. With a constant size, memcpy is
 * compiled to one instruction. */
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
        if (piece->kind <= SETTI_PIECE_BOOL && !SETTI_BIG_ENDIAN) { /* encoded unchanged */
            piece_copy(out, in, piece->size);
        } else {
            piece_encode(piece, in, 0, piece->size, out);
        }
        out += piece->size;
    }
}

/* Whether two floats have the same canonical form. All NaN have the same form. */
static bool canonical_same_float(const unsigned char* a, const unsigned char* b, uint32_t unit)
{
    if (memcmp(a, b, unit) == 0) {
        return true;
    }
    return canonical_is_nan(a, unit) && canonical_is_nan(b, unit);
}

static bool piece_same(const setti_piece* piece, const unsigned char* a, const unsigned char* b)
{
    if (piece->kind == SETTI_PIECE_TEXT) {
        return strncmp((const char*)a, (const char*)b, piece->size) == 0;
    }
    if (memcmp(a, b, piece->size) == 0) {
        return true;
    }
    if (piece->kind != SETTI_PIECE_FLOAT) {
        return false;
    }
    for (uint32_t k = 0; k < piece->size; k += piece->unit) {
        if (!canonical_same_float(a + k, b + k, piece->unit)) {
            return false;
        }
    }
    return true;
}

sett_string setti_owned_string(const void* bytes)
{
    sett_string string;
    memcpy(&string, bytes, sizeof(string));
    return string;
}

sett_list setti_owned_list(const void* bytes, uint32_t item_size)
{
    sett_list list;
    memcpy(&list, bytes, sizeof(list));
    SETTI_ASSERT(list.count == 0 || list.item_size == item_size);
    if (list.item_size != item_size) {
        list.count = 0; /* the program has written a list with other items to the member */
    }
    return list;
}

/* Both hooks read a list as if it were a string. The first member of a string and of a list is the
 * address of the shared memory. */
void setti_owned_copy_hook(void* copies, const void* originals, uint32_t count, void* user)
{
    const setti_members* members = user;
    size_t size = members->of.size;
    for (uint32_t k = 0; k < count; k++) {
        unsigned char* copy = (unsigned char*)copies + k * size;
        const unsigned char* original = (const unsigned char*)originals + k * size;
        for (uint32_t n = 0; n < members->owned_count; n++) {
            setti_owned_take(setti_owned_string(original + members->owned[n].offset).text);
        }
        /* after the takes, because `copy` may be `original` */
        setti_owned_deinit_hook(copy, 1, user);
        memmove(copy, original, size);
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
    for (uint32_t start = 0; start < piece->size; start += CANONICAL_PIECE) {
        uint32_t count = SETTI_MIN(piece->size - start, CANONICAL_PIECE);
        piece_encode(piece, in, start, count, out);
        sink->write(sink, out, count);
    }
}

static void owned_write(const setti_owned* owned, const unsigned char* value, sett_sink* sink)
{
    if (owned->item_size == 0) { /* a string */
        const sett_string string = setti_owned_string(value + owned->offset);
        uint32_t length = 0;
        if (string.text != NULL) {
            length = (uint32_t)strlen(string.text);
        }
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
            owned_write(&members->owned[piece->unit], value, sink); /* here `unit` is an index */
        } else {
            piece_write(piece, (const unsigned char*)value + piece->offset, sink);
        }
    }
}

typedef struct canonical_reader {
    const unsigned char* next; /* the first byte that is not yet read */
    size_t left;               /* bytes not yet read */
} canonical_reader;

/* Reads `size` bytes and returns their address. Returns NULL if fewer bytes are left. */
static const unsigned char* canonical_take(canonical_reader* reader, size_t size)
{
    const unsigned char* bytes = reader->next;
    if (size > reader->left) {
        return NULL;
    }
    reader->next += size;
    reader->left -= size;
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

/* Replaces the string at `out` by a copy of `text`. `out` need not be aligned. Returns false if
 * memory runs out. */
static bool owned_set_string(const sett_allocator* allocator, const unsigned char* text,
                             size_t length, unsigned char* out)
{
    sett_string string = {.room_ = 0};
    if (!setti_string_set(allocator, &string, text, length)) {
        return false;
    }
    setti_owned_drop(setti_owned_string(out).text);
    memcpy(out, &string, sizeof(string));
    return true;
}

/* Replaces the list at `out` by a list of `count` items. Decodes the items from `bytes`. `out` need
 * not be aligned. Returns false if memory runs out. */
static bool owned_set_list(const setti_owned* owned, const sett_allocator* allocator,
                           const unsigned char* bytes, uint32_t count, unsigned char* out)
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
    setti_owned_drop(setti_owned_list(out, owned->item_size).items);
    memcpy(out, &list, sizeof(list));
    return true;
}

/* Reads a string or list from the canonical form. If `out` is NULL, only checks the bytes. */
static sett_status owned_read(const setti_owned* owned, const sett_allocator* allocator,
                              canonical_reader* reader, unsigned char* out)
{
    bool is_list = owned->item_size != 0;
    size_t unit = is_list ? owned->encoded_item_size : 1; /* bytes of an item or of a character */
    const unsigned char* length_bytes = canonical_take(reader, 4);
    if (length_bytes == NULL) {
        return SETT_STATUS_INVALID;
    }
    uint32_t count = (uint32_t)setti_bytes_get(length_bytes, 4); /* of items or characters */
    if (count > reader->left / unit) {
        return SETT_STATUS_INVALID;
    }
    const unsigned char* bytes = canonical_take(reader, count * unit);
    if (!is_list && memchr(bytes, 0, count) != NULL) {
        return SETT_STATUS_INVALID; /* a string has no zero before its end */
    }
    if (out == NULL) {
        return SETT_OK;
    }
    bool replaced;
    if (is_list) {
        replaced = owned_set_list(owned, allocator, bytes, count, out);
    } else {
        replaced = owned_set_string(allocator, bytes, count, out);
    }
    return replaced ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

sett_status setti_canonical_read(const setti_members* members, const sett_allocator* allocator,
                                 const unsigned char* bytes, size_t size, void* value)
{
    canonical_reader reader = {bytes, size};
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* out = NULL;
        if (value != NULL) {
            out = (unsigned char*)value + piece->offset;
        }
        if (piece->kind == SETTI_PIECE_OWNED) {
            sett_status status = owned_read(&members->owned[piece->unit], allocator, &reader, out);
            if (status != SETT_OK) {
                return status;
            }
            continue;
        }
        const unsigned char* in = canonical_take(&reader, piece->size);
        if (in == NULL) {
            return SETT_STATUS_INVALID;
        }
        if (out != NULL) {
            piece_decode(piece, in, out);
        }
    }
    return reader.left == 0 ? SETT_OK : SETT_STATUS_INVALID;
}

static bool string_same(const void* a, const void* b)
{
    const sett_string x = setti_owned_string(a);
    const sett_string y = setti_owned_string(b);
    /* one address means that the text is shared, or that both strings are empty */
    return x.text == y.text || strcmp(sett_string_get(&x), sett_string_get(&y)) == 0;
}

static bool owned_same(const setti_owned* owned, const unsigned char* a, const unsigned char* b)
{
    if (owned->item_size == 0) {
        return string_same(a + owned->offset, b + owned->offset);
    }
    const sett_list x = setti_owned_list(a + owned->offset, owned->item_size);
    const sett_list y = setti_owned_list(b + owned->offset, owned->item_size);
    if (x.count != y.count) {
        return false;
    }
    if (x.items == y.items) {
        return true; /* the items are shared */
    }
    for (uint32_t k = 0; k < x.count; k++) {
        const unsigned char* item_x = (const unsigned char*)x.items + (size_t)k * owned->item_size;
        const unsigned char* item_y = (const unsigned char*)y.items + (size_t)k * owned->item_size;
        for (uint32_t p = 0; p < owned->piece_count; p++) {
            const setti_piece* piece = &owned->pieces[p];
            if (!piece_same(piece, item_x + piece->offset, item_y + piece->offset)) {
                return false;
            }
        }
    }
    return true;
}

void setti_canonical_turn_value(const setti_members* members, void* value)
{
    if (!SETTI_BIG_ENDIAN) {
        return; /* the numbers are little endian already */
    }
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* bytes = (unsigned char*)value + piece->offset;
        unsigned char number[8];
        if (piece->kind >= SETTI_PIECE_TEXT) {
            continue; /* texts, strings and lists have no numbers to reverse */
        }
        for (uint32_t n = 0; n < piece->size; n += piece->unit) {
            memcpy(number, bytes + n, piece->unit);
            canonical_turn(bytes + n, number, piece->unit);
        }
    }
}

void setti_canonical_clear(const setti_members* members, void* value)
{
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        unsigned char* bytes = (unsigned char*)value + piece->offset;
        if (piece->kind == SETTI_PIECE_FLOAT) {
            for (uint32_t n = 0; n < piece->size; n += piece->unit) {
                if (canonical_is_nan(bytes + n, piece->unit)) {
                    memset(bytes + n, 0, piece->unit);
                }
            }
        } else if (piece->kind == SETTI_PIECE_TEXT) {
            unsigned char* end = memchr(bytes, 0, piece->size);
            if (end != NULL) {
                memset(end, 0, (size_t)(bytes + piece->size - end));
            }
        }
    }
}

bool setti_canonical_same(const setti_members* members, const void* a, const void* b)
{
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        bool same;
        if (piece->kind == SETTI_PIECE_OWNED) {
            same = owned_same(&members->owned[piece->unit], a, b);
        } else {
            same = piece_same(piece, (const unsigned char*)a + piece->offset,
                              (const unsigned char*)b + piece->offset);
        }
        if (!same) {
            return false;
        }
    }
    return true;
}

bool setti_canonical_same_element(sett_member_kind kind, uint32_t size, const void* a,
                                  const void* b)
{
    SETTI_ASSERT(size != 0 && kind != SETT_MEMBER_STRUCT && kind != SETT_MEMBER_LIST);
    if (kind == SETT_MEMBER_STRING) {
        return string_same(a, b);
    }
    const setti_piece piece = setti_piece_of(kind, 0, size, size); /* only this element */
    return piece_same(&piece, a, b);
}

bool setti_canonical_is_plain(const setti_members* members, const void* value)
{
    bool has_nan = false;
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        const unsigned char* bytes = (const unsigned char*)value + piece->offset;
        bool is_float = piece->kind == SETTI_PIECE_FLOAT;
        for (uint32_t n = 0; is_float && n < piece->size; n += piece->unit) {
            has_nan |= canonical_is_nan(bytes + n, piece->unit);
        }
    }
    return !has_nan;
}
