/* delta_change.c: writes and reads changed values as differences.
 *
 * The workload: each frame some thousand values of a type change, in few bytes, and often in the
 * same way: timers count down, objects move. Sender and receiver know the values before. So a delta
 * has the changed entities, in words of 64 bits, and the growth of each byte, modulo 256. The first
 * bytes of all values come first, then the second bytes, so that equal bytes are neighbours.
 *
 *     words     for each word: number of skipped words; 1 byte with a bit for each byte of the
 *               word that is not 0; these bytes. If the count of words is SETTI_NONE, the list is
 *               missing: the last type with changes has the same entities
 *     columns   pieces, up to the bytes of all values:
 *               number 2 (n - 1), then 1 byte, which occurs n times
 *               number 2 (n - 1) + 1, then n bytes
 *     number    see setti_delta_short_number
 *
 * In the value before, padding, NaN and bytes after a text's end count as zeroes: states with equal
 * hashes can differ there.
 *
 * Rejected: zlib over whole values. It took 3.2 ms for a tick of Freedoom, and left more bytes.
 *
 * Invariant:  value before + difference = value after, in all bytes of the state
 */
#include "base/bits.h"
#include "state/delta_reader.h"
#include "state/delta_writer.h"

/* The changed entities among the 64 indices from number * 64 on. */
typedef struct change_word {
    uint64_t number;
    uint64_t bits;
} change_word;

/* Copies a value to `out` in the form that deltas have. */
static void change_copy(const setti_type* type, const void* value, uint32_t side,
                        unsigned char* out)
{
    size_t size = setti_hash_size(type);
    memcpy(out, value, size);
    setti_delta_mask(type, out, size);
    if (side == SETTI_BEFORE && type->members != NULL) {
        setti_canonical_clear(type->members, out);
    }
    if (setti_delta_turns(type)) {
        setti_canonical_turn_value(type->members, out);
    }
}

/* -------------------------------------------------------------------------------------- writing */

/* Adds the changed entities in `bits` to the list of words. Bit 0 is the entity number * 64. */
static void change_mark(setti_delta_writer* writer, uint32_t number, uint64_t bits)
{
    setti_pool* pool = setti_unconst(&writer->walk->view->world->pool);
    change_word* end = (change_word*)(void*)setti_bytes_end(&writer->words);
    if (writer->words.size == 0 || end[-1].number != number) {
        SETTI_ASSERT(writer->words.size == 0 || end[-1].number < number);
        end = (change_word*)(void*)setti_bytes_add(pool, &writer->words, sizeof(*end));
        if (end == NULL) {
            writer->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
            return;
        }
        *end++ = (change_word){number, 0};
    }
    end[-1].bits |= bits;
}

/* Returns room for the differences of `count` values, or NULL when memory runs out. */
static unsigned char* change_room(setti_delta_writer* writer, size_t count)
{
    setti_pool* pool = setti_unconst(&writer->walk->view->world->pool);
    /* + 1: change_slow needs room for one more value; + 8: change_row writes whole words */
    size_t size = (count + 1) * setti_hash_size(writer->type) + sizeof(uint64_t);
    if (!setti_bytes_reserve(pool, &writer->values, size)) {
        writer->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        return NULL;
    }
    return writer->values.data + writer->values.size;
}

/* Subtracts each byte of `b` from the same byte of `a`, modulo 256. */
SETTI_INLINE uint64_t change_minus(uint64_t a, uint64_t b)
{
    /* The highest bits are set in `a`, so that no byte borrows from the next. The last ^ corrects
     * these bits. */
    const uint64_t high = 0x8080808080808080u;
    return ((a | high) - (b & ~high)) ^ ((a ^ ~b) & high);
}

typedef struct change_hash {
    uint64_t before;
    uint64_t after;
} change_hash;

/* Adds eight bytes of a value, before and after, to the hashes. Writes the difference
 * of the bytes to `out`. */
SETTI_INLINE void change_step(change_hash* hash, uint64_t before, uint64_t after,
                              unsigned char* out)
{
    hash->before = setti_hash_step(hash->before, before);
    hash->after = setti_hash_step(hash->after, after);
    setti_bytes_put(out, change_minus(after, before), 8);
}

/* Writes the difference of a plain value to `out`. Returns the difference of the hashes. */
SETTI_INLINE uint64_t change_row(uint64_t seed, const unsigned char* before,
                                 const unsigned char* after, size_t size, unsigned char* out)
{
    change_hash hash = {seed, seed};
    size_t offset = 0;
    for (; offset + 8 <= size; offset += 8) {
        change_step(&hash, setti_bytes_get(before + offset, 8), setti_bytes_get(after + offset, 8),
                    out + offset);
    }
    if (offset < size) {
        size_t rest_size = size - offset;
        change_step(&hash, setti_bytes_get_few(before + offset, rest_size),
                    setti_bytes_get_few(after + offset, rest_size), out + offset);
    }
    return setti_hash_mix(hash.after) - setti_hash_mix(hash.before);
}

/* Returns 0 if a value contains no NaN. Otherwise returns another number. */
SETTI_INLINE uint64_t change_find_nan(const setti_nan_word* nan, const unsigned char* value,
                                      size_t size)
{
    uint64_t found = 0;
    size_t offset = 0;
    for (; offset + 8 <= size; offset += 8) {
        found |= setti_hash_nan(*nan++, setti_bytes_get(value + offset, 8));
    }
    if (offset < size) {
        found |= setti_hash_nan(*nan, setti_bytes_get_few(value + offset, size - offset));
    }
    return found;
}

/* Writes the difference of any value to `out`. Returns false if the values are equal. */
SETTI_APART static bool change_slow(setti_delta_writer* writer, sett_entity entity,
                                    const void* before, const void* after, unsigned char* out)
{
    const setti_type* type = writer->type;
    size_t size = setti_hash_size(type);
    if (setti_hash_same(type, before, after)) {
        return false;
    }
    setti_delta_sum_value(&writer->sum, entity, before, entity, after);
    change_copy(type, before, SETTI_BEFORE, out);
    change_copy(type, after, SETTI_AFTER, out + size); /* change_room includes this room */
    for (size_t k = 0; k < size; k++) {
        out[k] = (unsigned char)(out[size + k] - out[k]);
    }
    return true;
}

/* Whether values without NaN are hashed and sent as they are in memory. *nan becomes the test for
 * NaN, or NULL if values have no floats. */
static bool change_is_plain(const setti_delta_writer* writer, const setti_nan_word** nan)
{
    const setti_hash_type* hash_type = &writer->sum.hash_type;
    SETTI_ASSERT(writer->codec == NULL && writer->sum.view != NULL);
    *nan = hash_type->members != NULL ? hash_type->members->words : NULL;
    return setti_hash_is_plain(hash_type);
}

void setti_delta_change(setti_delta_writer* writer, sett_entity entity, const void* before,
                        const void* after)
{
    size_t size = setti_hash_size(writer->type);
    unsigned char* out = change_room(writer, 1);
    const setti_nan_word* nan;
    SETTI_ASSERT(size != 0);
    if (out == NULL) {
        return;
    }
    bool plain = change_is_plain(writer, &nan);
    if (plain && nan != NULL) {
        plain = (change_find_nan(nan, before, size) | change_find_nan(nan, after, size)) == 0;
    }
    if (plain) {
        uint64_t seed = writer->sum.hash_type.seed ^ setti_hash_entity(entity);
        writer->sum.sum += change_row(seed, before, after, size, out);
    } else if (!change_slow(writer, entity, before, after, out)) {
        return;
    }
    writer->values.size += size;
    change_mark(writer, entity.index / 64, (uint64_t)1 << (entity.index % 64));
}

#define CHANGE_ROWS (SETTI_COMPARE_WORDS * 64)

/* Lists the changed rows, ascending. Returns the number of rows. */
static uint32_t change_list_rows(const setti_compare_rows* rows, uint16_t list[CHANGE_ROWS])
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < rows->words; n++) {
        for (uint64_t rest_bits = rows->bits[n]; rest_bits != 0; rest_bits &= rest_bits - 1) {
            uint32_t row = n * 64 + setti_bits_lowest(rest_bits);
            SETTI_PREFETCH(&rows->generation[row]); /* for the loop over the list */
            list[count++] = (uint16_t)row;
        }
    }
    return count;
}

/* Whether all listed rows are plain and without NaN. */
SETTI_INLINE bool change_rows_are_plain(const setti_delta_writer* writer,
                                        const setti_compare_rows* rows, const uint16_t* list,
                                        uint32_t count, size_t size)
{
    const setti_nan_word* nan;
    bool plain = change_is_plain(writer, &nan);
    uint64_t found = 0;
    for (uint32_t k = 0; plain && nan != NULL && k < count; k++) {
        found |= change_find_nan(nan, rows->before + list[k] * size, size);
        found |= change_find_nan(nan, rows->after + list[k] * size, size);
    }
    return plain && found == 0;
}

/* Slow path of change_add_rows, for rows that are not plain. Unmarks equal rows. Returns the end of
 * the differences. */
static unsigned char* change_slow_rows(setti_delta_writer* writer, setti_compare_rows* rows,
                                       const uint16_t* list, uint32_t count, unsigned char* out)
{
    size_t size = setti_hash_size(writer->type);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t row = list[k];
        const sett_entity entity = {rows->first + row, rows->generation[row]};
        if (change_slow(writer, entity, rows->before + row * size, rows->after + row * size, out)) {
            out += size;
        } else {
            rows->bits[row / 64] &= ~((uint64_t)1 << (row % 64));
        }
    }
    return out;
}

/* Writes the differences of rows to `out`. Returns the end of the differences. The function is
 * inlined, so that usual sizes are constants. */
SETTI_INLINE unsigned char* change_add_rows(setti_delta_writer* writer, setti_compare_rows* rows,
                                            size_t size, unsigned char* out)
{
    uint16_t list[CHANGE_ROWS];
    uint32_t count = change_list_rows(rows, list);
    if (!change_rows_are_plain(writer, rows, list, count, size)) {
        return change_slow_rows(writer, rows, list, count, out);
    }
    const setti_compare_rows copy = *rows; /* can stay in registers */
    uint64_t seed = writer->sum.hash_type.seed;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++, out += size) {
        size_t row = list[k];
        const sett_entity entity = {copy.first + (uint32_t)row, copy.generation[row]};
        sum += change_row(seed ^ setti_hash_entity(entity), copy.before + row * size,
                          copy.after + row * size, size, out);
    }
    writer->sum.sum += sum;
    return out;
}

void setti_delta_change_rows(setti_compare_sink* sink, setti_compare_rows* rows)
{
    setti_delta_writer* writer = (setti_delta_writer*)sink;
    size_t size = setti_hash_size(writer->type);
    if (size == 0) {
        return;
    }
    unsigned char* out = change_room(writer, (size_t)rows->words * 64);
    if (out == NULL) {
        return;
    }
    SETTI_ASSERT(size == writer->type->storage.size);
#define CHANGE_ADD_ROWS(n) change_add_rows(writer, rows, n, out)
    out = SETTI_COMPARE_BY_SIZE(size, CHANGE_ADD_ROWS);
    writer->values.size = (size_t)(out - writer->values.data);
    for (uint32_t n = 0; n < rows->words; n++) {
        if (rows->bits[n] != 0) {
            change_mark(writer, rows->first / 64 + n, rows->bits[n]);
        }
    }
}

/* Writes a number, 7 bits a byte. Returns the end. */
static unsigned char* change_write_number(unsigned char* out, uint64_t number)
{
    for (; number > 127; number >>= 7) {
        *out++ = (unsigned char)(number | 128);
    }
    *out++ = (unsigned char)number;
    return out;
}

/* Writes the list of changed entities. Returns the end. */
static unsigned char* change_write_words(const setti_delta_writer* writer, unsigned char* out)
{
    const change_word* word = (const change_word*)(const void*)writer->words.data;
    uint64_t next = 0;
    for (uint32_t k = 0; k < writer->count; k++) {
        out = change_write_number(out, word[k].number - next); /* the skipped words */
        unsigned char* parts = out++; /* bit n: byte n of the word is not 0 */
        *parts = 0;
        for (uint32_t n = 0; n < 8; n++) {
            unsigned char byte = (unsigned char)(word[k].bits >> (8 * n));
            *out = byte; /* a byte 0 is overwritten by the next byte */
            *parts |= (unsigned char)((byte != 0) << n);
            out += byte != 0;
        }
        next = word[k].number + 1;
    }
    return out;
}

/* Writes a piece of `count` equal bytes. Returns the end. */
static unsigned char* change_write_run(unsigned char* out, unsigned char byte, size_t count)
{
    SETTI_ASSERT(count != 0);
    out = change_write_number(out, (uint64_t)(count - 1) * 2);
    *out = byte;
    return out + 1;
}

/* Writes a piece of `count` bytes, if any. Returns the end. */
static unsigned char* change_write_bytes(unsigned char* out, const unsigned char* bytes,
                                         size_t count)
{
    if (count != 0) {
        out = change_write_number(out, (uint64_t)(count - 1) * 2 + 1); /* + 1: not equal bytes */
        for (size_t k = 0; k < count; k += 8) { /* whole words, up to 7 bytes too many */
            setti_bytes_put(out + k, setti_bytes_get(bytes + k, 8), 8);
        }
    }
    return out + count;
}

/* Counts the bytes at the beginning that equal the first byte. */
static size_t change_count_equal(const unsigned char* bytes, size_t size)
{
    const uint64_t eight = bytes[0] * (UINT64_MAX / 255); /* the first byte, eight times */
    size_t count = 1;
    while (count + 8 <= size && setti_bytes_get(bytes + count, 8) == eight) {
        count += 8;
    }
    while (count < size && bytes[count] == bytes[0]) {
        count++;
    }
    return count;
}

/* Returns the next offset, >= `offset`, of four equal bytes. If there are none before the last 8
 * bytes, returns an offset among the last 8. */
static size_t change_next_equal(const unsigned char* bytes, size_t offset, size_t size)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    /* of 9 bytes, four equal bytes begin at one of the first 6 */
    for (; offset + 9 <= size; offset += 6) {
        uint64_t x = setti_bytes_get(bytes + offset, 8) ^ setti_bytes_get(bytes + offset + 1, 8);
        uint64_t equal = ~(((x & low) + low) | x | low); /* 128: the byte equals the next byte */
        equal &= (equal >> 8) & (equal >> 16); /* 128: the byte equals the next three bytes */
        if (equal != 0) {
            return offset + setti_bits_lowest(equal) / 8;
        }
    }
    return offset;
}

/* Writes bytes as pieces: runs of equal bytes, and other bytes. Returns the end. */
static unsigned char* change_write_columns(unsigned char* out, const unsigned char* bytes,
                                           size_t size)
{
    size_t written = 0;
    size_t offset = 0;
    for (;;) {
        offset = change_next_equal(bytes, offset, size); /* called once, so that it is inlined */
        if (offset >= size) {
            break;
        }
        size_t count = change_count_equal(bytes + offset, size - offset);
        if (count >= 4) { /* a shorter run would not save a byte */
            out = change_write_bytes(out, bytes + written, offset - written);
            out = change_write_run(out, bytes[offset], count);
            written = offset + count;
        }
        offset += count;
    }
    return change_write_bytes(out, bytes + written, size - written);
}

/* One of the three steps that transpose a matrix of 8 by 8 bytes: swaps blocks of `side` by `side`
 * bytes. The upper bytes of a row change places with the lower bytes of a later row. */
SETTI_INLINE void change_swap(uint64_t word[8], uint32_t side, uint32_t shift, uint64_t lower)
{
    for (uint32_t k = 0; k < 8; k++) {
        if ((k & side) == 0) {
            uint64_t swap = ((word[k] >> shift) ^ word[k + side]) & lower; /* bits that differ */
            word[k + side] ^= swap;
            word[k] ^= swap << shift;
        }
    }
}

/* Writes the first bytes of all values, then the second bytes, and so on.
 *   value_size  size of a value in bytes
 *   columns     has room for 8 more bytes */
static void change_transpose(const unsigned char* values, size_t count, size_t value_size,
                             unsigned char* columns)
{
    size_t k = 0;
    for (; k + 8 <= count; k += 8, values += 8 * value_size) {
        for (size_t c = 0; c < value_size; c += 8) {
            uint64_t word[8];
            for (size_t n = 0; n < 8; n++) {
                /* up to 7 bytes too many */
                word[n] = setti_bytes_get(values + n * value_size + c, 8);
            }
            change_swap(word, 4, 32, 0x00000000FFFFFFFFu);
            change_swap(word, 2, 16, 0x0000FFFF0000FFFFu);
            change_swap(word, 1, 8, 0x00FF00FF00FF00FFu);
            for (size_t n = 0; n < 8 && c + n < value_size; n++) {
                setti_bytes_put(columns + (c + n) * count + k, word[n], 8);
            }
        }
    }
    for (; k < count; k++) {
        for (size_t c = 0; c < value_size; c++) {
            columns[c * count + k] = *values++;
        }
    }
}

#define CHANGE_WORD_MAX 19 /* the most bytes of a written word: skipped words, parts, 8 bytes */

/* Writes the changes of the writer's type. Without memory, sets the writer's status. */
static void change_write_section(setti_delta_writer* writer)
{
    setti_pool* pool = setti_unconst(&writer->walk->view->world->pool);
    size_t size = writer->values.size;
    size_t value_size = setti_hash_size(writer->type);
    SETTI_ASSERT(size % value_size == 0);
    /* written columns have at most 2 * size bytes, and `values` has `size` bytes already */
    size_t extra_size = writer->count * (size_t)CHANGE_WORD_MAX + size + sizeof(uint64_t);
    writer->columns.size = 0;
    if (!setti_bytes_reserve(pool, &writer->columns, size + sizeof(uint64_t)) ||
        !setti_bytes_reserve(pool, &writer->values, extra_size)) {
        writer->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        return;
    }
    change_transpose(writer->values.data, size / value_size, value_size, writer->columns.data);
    unsigned char* out = writer->values.data; /* reused: the differences are in `columns` now */
    bool same_list = writer->words.size == writer->last_words.size &&
                     memcmp(writer->words.data, writer->last_words.data, writer->words.size) == 0;
    if (same_list) {
        writer->count = SETTI_NONE; /* the list is left out */
    } else {
        out = change_write_words(writer, out);
    }
    out = change_write_columns(out, writer->columns.data, size);
    SETTI_ASSERT((size_t)(out - writer->values.data) + sizeof(uint64_t) <= size + extra_size);
    setti_delta_write(writer, writer->values.data, (size_t)(out - writer->values.data));
    setti_bytes unused_words = writer->last_words;
    writer->last_words = writer->words;
    writer->words = unused_words;
}

void setti_delta_write_changes(setti_delta_writer* writer)
{
    writer->count = (uint32_t)(writer->words.size / sizeof(change_word));
    if (writer->values.size != 0 && writer->encoder.status == SETT_OK) {
        change_write_section(writer);
    }
    writer->words.size = 0; /* empties the lists for the next type */
    writer->values.size = 0;
}

void setti_delta_end_changes(setti_delta_writer* writer)
{
    setti_pool* pool = setti_unconst(&writer->walk->view->world->pool);
    setti_bytes_free(pool, &writer->words);
    setti_bytes_free(pool, &writer->last_words);
    setti_bytes_free(pool, &writer->values);
    setti_bytes_free(pool, &writer->columns);
}

/* -------------------------------------------------------------------------------------- reading */

uint64_t setti_delta_short_number(setti_delta_reader* reader)
{
    uint64_t number = 0;
    uint64_t byte = 128; /* 128 and more: another byte follows */
    for (uint32_t shift = 0; byte > 127 && shift < 63; shift += 7) { /* at most nine bytes */
        byte = setti_delta_number(reader, 1);
        number |= (byte & 127) << shift;
    }
    if (byte > 127) { /* a tenth byte would follow: the number is invalid */
        reader->short_of = true;
    }
    return number;
}

/* Reads the next word. Its number is `least_number` or more. An invalid word has no bits. */
static change_word change_read_word(setti_delta_reader* reader, uint64_t least_number)
{
    uint64_t gap = setti_delta_short_number(reader);
    uint64_t parts = setti_delta_number(reader, 1); /* bit n: byte n of the word is not 0 */
    change_word word = {least_number + gap, 0};
    for (uint32_t n = 0; n < 8; n++) {
        if (((parts >> n) & 1) != 0) {
            word.bits |= setti_delta_number(reader, 1) << (8 * n);
        }
    }
    if (reader->short_of || gap > UINT32_MAX / 64 || word.number > UINT32_MAX / 64) {
        word.bits = 0; /* incomplete, or beyond the last index */
    }
    return word;
}

/* Counts the changed values in a list of words. Returns 0 if the list is invalid. */
static size_t change_count(const setti_delta* delta, const setti_delta_type* delta_type,
                           setti_delta_reader* reader, uint32_t words)
{
    size_t count = 0;
    uint64_t next = 0;
    for (uint32_t k = 0; k < words; k++) {
        change_word word = change_read_word(reader, next);
        uint32_t first = (uint32_t)word.number * 64;
        if (word.bits == 0) {
            return 0;
        }
        for (uint64_t rest_bits = word.bits; rest_bits != 0; rest_bits &= rest_bits - 1) {
            uint32_t index = first + setti_bits_lowest(rest_bits);
            if (setti_delta_fate(delta, index) != SETTI_FATE_STAYS ||
                !setti_storage_has(&delta_type->type->storage, index)) {
                return 0; /* no such value */
            }
            count++;
        }
        next = word.number + 1;
    }
    return count;
}

/* Reads `size` bytes of columns, which are stored in pieces. Returns false if a piece is
 * invalid. */
static bool change_read_columns(setti_delta_reader* reader, unsigned char* out, size_t size)
{
    size_t offset = 0;
    while (offset < size) {
        uint64_t number = setti_delta_short_number(reader);
        uint64_t count = number / 2 + 1;
        bool same = number % 2 == 0; /* the piece is one byte, `count` times */
        if (count > size - offset) {
            return false;
        }
        const unsigned char* bytes = setti_delta_read(reader, same ? 1 : (size_t)count);
        if (bytes == NULL || reader->short_of) {
            return false;
        }
        if (same) {
            memset(out + offset, *bytes, (size_t)count);
        } else {
            memcpy(out + offset, bytes, (size_t)count);
        }
        offset += (size_t)count;
    }
    return true;
}

/* Writes changed values to `out`, as blocks of entries. Each value is the world's value plus the
 * difference.
 *   count    number of values, which is the length of a column */
static void change_make_entries(const setti_delta_type* delta_type, setti_delta_reader words,
                                const unsigned char* columns, size_t count, unsigned char* out)
{
    SETTI_ASSERT(count != 0);
    uint64_t next = 0;
    for (uint32_t k = 0; k < delta_type->count[SETTI_DELTA_CHANGES]; k++) {
        change_word word = change_read_word(&words, next);
        out[0] = SETTI_DELTA_CHANGED | SETTI_DELTA_BLOCK;
        setti_bytes_put(out + 1, word.number * 64, 4);
        setti_bytes_put(out + SETTI_DELTA_ENTRY_HEAD, word.bits, 8);
        out += SETTI_DELTA_BLOCK_HEAD;
        for (uint64_t rest_bits = word.bits; rest_bits != 0;
             rest_bits &= rest_bits - 1, columns++) {
            uint32_t index = (uint32_t)word.number * 64 + setti_bits_lowest(rest_bits);
            change_copy(delta_type->type, setti_storage_find(&delta_type->type->storage, index),
                        SETTI_BEFORE, out);
            for (size_t c = 0; c < delta_type->bytes; c++, out++) { /* byte c is in column c */
                *out = (unsigned char)(*out + columns[c * count]);
            }
        }
        next = word.number + 1;
    }
}

sett_status setti_delta_read_changes(setti_delta* delta, setti_delta_reader* reader,
                                     setti_delta_type* delta_type)
{
    uint32_t words = delta_type->count[SETTI_DELTA_CHANGES];
    if (words == 0) {
        return SETT_OK;
    }
    if (delta_type->codec != NULL || delta_type->bytes == 0 || delta->loading) {
        return setti_delta_reject(delta, "values of \"%.100s\" are changed in part, not as a whole",
                                  delta_type->type->desc.name);
    }
    bool has_list = words != SETTI_NONE; /* else the list of the last type with changes */
    if (has_list) {
        delta->changed = *reader;
        delta->changed_words = words;
    }
    delta_type->count[SETTI_DELTA_CHANGES] = delta->changed_words;
    setti_delta_reader list = delta->changed;
    size_t count = change_count(delta, delta_type, &list, delta->changed_words);
    if (count == 0) {
        return setti_delta_reject(delta, "a changed value of \"%.100s\" does not exist",
                                  delta_type->type->desc.name);
    }
    if (has_list) {
        reader->at = list.at; /* skips the list */
    }
    size_t size = count * delta_type->bytes; /* cannot overflow: the values are in memory */
    size_t entries = (size_t)delta->changed_words * SETTI_DELTA_BLOCK_HEAD + size;
    unsigned char* out = NULL;
    if (size < SIZE_MAX / 4) { /* so that the sum below does not overflow */
        out = setti_bytes_add(&delta->world->pool, &delta_type->changes, entries + size);
    }
    if (out == NULL) {
        return setti_world_no_memory(delta->world, delta->player.call);
    }
    unsigned char* columns = out + entries; /* the buffer has the entries, then the columns */
    if (!change_read_columns(reader, columns, size)) {
        return setti_delta_reject(delta, "the changed values of \"%.100s\" are incomplete",
                                  delta_type->type->desc.name);
    }
    change_make_entries(delta_type, delta->changed, columns, count, out);
    delta_type->section[SETTI_DELTA_CHANGES] = (setti_delta_reader){.at = out, .end = columns};
    return SETT_OK;
}
