/* delta_change.c: values that changed, as differences: written and read.
 *
 * The workload: each frame some thousand values of a type, of which few bytes changed, and many in
 * the same way: a timer counts down, all that moves goes on. Both sides know the value before. So
 * what travels is which entities, a word of 64 at a time, and by how much each byte grew, modulo
 * 256: the first bytes of all values, then the second ones, so that equal ones are neighbours.
 *
 *     words     of each: words between it and the one before, a number; which of the 8 bytes of its
 *               bits are not 0 (1 byte); these bytes. None if the count is SETTI_NONE: the entities
 *               are those of the type before that had changes.
 *     columns   until all bytes of all values are there: a number, and what it says:
 *               2 (n - 1)      n times the byte that follows
 *               2 (n - 1) + 1  n bytes that follow
 *     number    7 bits a byte, lowest first, 128 added to all but the last
 *
 * The value before, as differences are taken from: padding, what follows a text's end and floats
 * that are NaN as zeroes, because states with the same hash may differ in these.
 *
 * Rejected: zlib over whole values. At level 1 it took 3.2 ms a tick of Freedoom and left 94 of 160
 * KB; differences leave 86.
 *
 * Invariant:  value before + difference = value after, in all bytes that count
 */
#include "base/bits.h"
#include "state/delta_reader.h"
#include "state/delta_writer.h"

typedef struct change_word {
    uint64_t number;
    uint64_t bits;
} change_word;

/* A value as it travels; one that differences are taken from. */
static void change_copy(const setti_type* type, const void* value, bool from, unsigned char* out)
{
    size_t size = setti_hash_size(type);
    const unsigned char* mask = type->desc.mask;
    memcpy(out, value, size);
    for (size_t k = 0; mask != NULL && k < size; k++) {
        out[k] &= mask[k];
    }
    if (from && type->members != NULL) {
        setti_canonical_clear(type->members, out);
    }
    if (setti_delta_turns(type)) {
        setti_canonical_turn_value(type->members, out);
    }
}

/* -------------------------------------------------------------------------------------- writing */

static void change_mark(setti_delta_writer* to, setti_pool* pool, uint32_t index)
{
    change_word* last = (change_word*)(void*)setti_bytes_end(&to->words);
    if (to->words.size == 0 || last[-1].number != index / 64) {
        SETTI_ASSERT(to->words.size == 0 || last[-1].number < index / 64);
        last = (change_word*)(void*)setti_bytes_add(pool, &to->words, sizeof(*last));
        if (last == NULL) {
            to->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
            return;
        }
        *last++ = (change_word){index / 64, 0};
    }
    last[-1].bits |= (uint64_t)1 << (index % 64);
}

void setti_delta_change(setti_delta_writer* to, uint32_t index, const void* before,
                        const void* after)
{
    setti_pool* pool = setti_unconst(&to->walk->view->world->pool);
    size_t size = setti_hash_size(to->type);
    unsigned char* value = setti_bytes_add(pool, &to->values, 2 * size);
    SETTI_ASSERT(to->codec == NULL && size != 0);
    if (value == NULL) {
        to->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        return;
    }
    const unsigned char* is = after;
    change_copy(to->type, before, true, value);
    if (to->type->desc.mask != NULL || setti_delta_turns(to->type)) {
        change_copy(to->type, after, false, value + size);
        is = value + size;
    }
    for (size_t k = 0; k < size; k++) {
        value[k] = (unsigned char)(is[k] - value[k]);
    }
    to->values.size -= size;
    change_mark(to, pool, index);
}

static void change_write_number(setti_delta_writer* to, uint64_t number)
{
    unsigned char bytes[10];
    size_t count = 0;
    for (; number > 127; number >>= 7) {
        bytes[count++] = (unsigned char)(number | 128);
    }
    bytes[count++] = (unsigned char)number;
    setti_delta_write(to, bytes, count);
}

static void change_write_words(setti_delta_writer* to)
{
    const change_word* word = (const change_word*)(const void*)to->words.data;
    uint64_t next = 0;
    for (uint32_t k = 0; k < to->count; k++) {
        unsigned char bytes[9] = {0};
        size_t used = 1;
        for (uint32_t n = 0; n < 8; n++) {
            unsigned char byte = (unsigned char)(word[k].bits >> (8 * n));
            bytes[used] = byte;
            bytes[0] |= (unsigned char)((byte != 0) << n);
            used += byte != 0;
        }
        change_write_number(to, word[k].number - next);
        setti_delta_write(to, bytes, used);
        next = word[k].number + 1;
    }
}

static void change_write_piece(setti_delta_writer* to, const unsigned char* bytes, size_t count,
                               bool same)
{
    if (count != 0) {
        change_write_number(to, (uint64_t)(count - 1) * 2 + !same);
        setti_delta_write(to, bytes, same ? 1 : count);
    }
}

/* Equal bytes from four on, and all between them. */
static void change_write_columns(setti_delta_writer* to, const unsigned char* bytes, size_t size)
{
    size_t written = 0;
    size_t next;
    for (size_t at = 0; at < size; at = next) {
        for (next = at + 1; next < size && bytes[next] == bytes[at];) {
            next++;
        }
        if (next - at >= 4) {
            change_write_piece(to, bytes + written, at - written, false);
            change_write_piece(to, bytes + at, next - at, true);
            written = next;
        }
    }
    change_write_piece(to, bytes + written, size - written, false);
}

void setti_delta_write_changes(setti_delta_writer* to)
{
    setti_pool* pool = setti_unconst(&to->walk->view->world->pool);
    size_t size = to->values.size;
    size_t each = setti_hash_size(to->type);
    SETTI_ASSERT(size == 0 || size % each == 0);
    to->count = (uint32_t)(to->words.size / sizeof(change_word));
    to->columns.size = 0;
    unsigned char* columns = size != 0 ? setti_bytes_add(pool, &to->columns, size) : NULL;
    if (columns == NULL || to->encoder.status != SETT_OK) {
        to->encoder.status = size != 0 ? SETT_STATUS_OUT_OF_MEMORY : to->encoder.status;
        return;
    }
    const unsigned char* value = to->values.data;
    for (size_t k = 0; k < size / each; k++) {
        for (size_t c = 0; c < each; c++) {
            columns[c * (size / each) + k] = *value++;
        }
    }
    if (to->words.size == to->last_words.size &&
        memcmp(to->words.data, to->last_words.data, to->words.size) == 0) {
        to->count = SETTI_NONE;
    } else {
        change_write_words(to);
    }
    change_write_columns(to, columns, size);
    setti_bytes words = to->last_words;
    to->last_words = to->words;
    to->words = words;
    to->words.size = 0;
    to->values.size = 0;
}

void setti_delta_end_changes(setti_delta_writer* to)
{
    setti_pool* pool = setti_unconst(&to->walk->view->world->pool);
    setti_bytes_free(pool, &to->words);
    setti_bytes_free(pool, &to->last_words);
    setti_bytes_free(pool, &to->values);
    setti_bytes_free(pool, &to->columns);
}

/* -------------------------------------------------------------------------------------- reading */

static uint64_t change_read_number(setti_delta_reader* from)
{
    uint64_t number = 0;
    uint64_t byte = 128;
    for (uint32_t shift = 0; byte > 127 && shift < 63; shift += 7) {
        byte = setti_delta_number(from, 1);
        number |= (byte & 127) << shift;
    }
    from->short_of = from->short_of || byte > 127;
    return number;
}

/* The next word behind `number` words; without bits if there is none that can be. */
static change_word change_read_word(setti_delta_reader* from, uint64_t number)
{
    uint64_t gap = change_read_number(from);
    uint64_t parts = setti_delta_number(from, 1);
    change_word word = {number + gap, 0};
    for (uint32_t n = 0; n < 8; n++) {
        word.bits |= (parts >> n & 1) != 0 ? setti_delta_number(from, 1) << (8 * n) : 0;
    }
    if (from->short_of || gap > UINT32_MAX / 64 || word.number > UINT32_MAX / 64) {
        word.bits = 0;
    }
    return word;
}

/* How many values changed, all of which have to be there; 0: the list is not proper. */
static size_t change_count(const setti_delta* delta, const setti_delta_type* of,
                           setti_delta_reader* from, uint32_t words)
{
    size_t count = 0;
    uint64_t next = 0;
    for (uint32_t k = 0; k < words; k++) {
        change_word word = change_read_word(from, next);
        uint32_t first = (uint32_t)word.number * 64;
        if (word.bits == 0) {
            return 0;
        }
        for (uint64_t rest = word.bits; rest != 0; rest &= rest - 1) {
            uint32_t index = first + setti_bits_lowest(rest);
            if (setti_delta_fate(delta, index) != SETTI_FATE_STAYS ||
                !setti_storage_has(&of->type->storage, index)) {
                return 0;
            }
            count++;
        }
        next = word.number + 1;
    }
    return count;
}

static bool change_read_columns(setti_delta_reader* from, unsigned char* out, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint64_t number = change_read_number(from);
        uint64_t count = number / 2 + 1;
        bool same = number % 2 == 0;
        if (count > size - at) {
            return false;
        }
        const unsigned char* bytes = setti_delta_read(from, same ? 1 : (size_t)count);
        if (bytes == NULL || from->short_of) {
            return false;
        }
        if (same) {
            memset(out + at, *bytes, (size_t)count);
        } else {
            memcpy(out + at, bytes, (size_t)count);
        }
        at += (size_t)count;
    }
    return true;
}

/* Writes the changed values as blocks of entries. */
static void change_make_entries(const setti_delta_type* of, setti_delta_reader words,
                                const unsigned char* columns, size_t count, unsigned char* out)
{
    SETTI_ASSERT(count != 0);
    uint64_t next = 0;
    for (uint32_t k = 0; k < of->count[SETTI_DELTA_CHANGES]; k++) {
        change_word word = change_read_word(&words, next);
        *out++ = SETTI_DELTA_CHANGED | SETTI_DELTA_BLOCK;
        for (uint32_t n = 0; n < 4; n++) {
            *out++ = (unsigned char)(word.number * 64 >> (8 * n));
        }
        for (uint32_t n = 0; n < 8; n++) {
            *out++ = (unsigned char)(word.bits >> (8 * n));
        }
        for (uint64_t rest = word.bits; rest != 0; rest &= rest - 1, columns++) {
            uint32_t index = (uint32_t)word.number * 64 + setti_bits_lowest(rest);
            change_copy(of->type, setti_storage_find(&of->type->storage, index), true, out);
            for (size_t c = 0; c < of->bytes; c++, out++) {
                *out = (unsigned char)(*out + columns[c * count]);
            }
        }
        next = word.number + 1;
    }
}

sett_status setti_delta_read_changes(setti_delta* delta, setti_delta_reader* from,
                                     setti_delta_type* of)
{
    setti_pool* pool = &delta->world->pool;
    uint32_t* words = &of->count[SETTI_DELTA_CHANGES];
    bool again = *words == SETTI_NONE; /* the entities of the type before */
    if (*words == 0) {
        return SETT_OK;
    }
    if (of->codec != NULL || of->bytes == 0 || delta->loading) {
        return setti_delta_reject(delta, "values changed that cannot change");
    }
    setti_delta_reader list = again ? delta->changed : *from;
    *words = again ? delta->changed_words : *words;
    delta->changed = list;
    delta->changed_words = *words;
    size_t count = change_count(delta, of, again ? &list : from, *words);
    if (count == 0) {
        return setti_delta_reject(delta, "values changed that are not there");
    }
    size_t size = count * of->bytes; /* less than the world has */
    size_t blocks = (size_t)*words * 13;
    unsigned char* out =
        size < SIZE_MAX / 4 ? setti_bytes_add(pool, &of->changes, blocks + 2 * size) : NULL;
    if (out == NULL) {
        return setti_world_fail(delta->world, SETT_STATUS_OUT_OF_MEMORY, "sett_delta_apply",
                                sett_null(), 0);
    }
    if (!change_read_columns(from, out + blocks + size, size)) {
        return setti_delta_reject(delta, "its bytes end within the changes");
    }
    change_make_entries(of, delta->changed, out + blocks + size, count, out);
    of->part[SETTI_DELTA_CHANGES] = (setti_delta_reader){out, out + blocks + size, false};
    return SETT_OK;
}
