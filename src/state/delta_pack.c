/* delta_pack.c: packs bytes into fewer bits, for short forms (delta_short.c).
 *
 * The workload: changed values as columns of bytes (delta_change.c). When coordinates move a
 * little, most bytes of a column are -1, 0 or 1. So small bytes become codes of 2, 3 or 4 bits, in
 * blocks of 32 bytes. Other bytes follow the codes. A block that would not become smaller
 * is copied. 1,000 moving bodies take four fifths of the bytes.
 *
 *     group     1 byte with the choices of four blocks, 2 bits a block; then the four blocks
 *     block     32 bytes of the input, fewer at the end
 *               choice 0: the bytes
 *               choice 1, 2, 3: a code of 2, 3, 4 bits for each byte, the lowest bits first, filled
 *               up to a whole byte. The code is the byte, as a number with a sign; but the code -2,
 *               -4, -8 stands for a byte after the codes
 *
 * Rejected: an adaptive arithmetic coder. It would take a quarter more off, and 50 ns a byte.
 *
 * Invariant:  unpack(pack(bytes)) = bytes
 */
#include "state/delta_reader.h"
#include "state/delta_writer.h"

#define PACK_BLOCK 32u
#define PACK_GROUP 4u /* blocks */

static const unsigned char pack_width[4] = {8, 2, 3, 4}; /* bits of a code, by choice */

static size_t pack_codes_size(size_t size, uint32_t width)
{
    return (size * width + 7) / 8;
}

/* Whether a code of `width` bits can stand for a byte: the byte, as a number with a sign, is above
 * -half and below half. */
static bool pack_fits(uint32_t byte, uint32_t width)
{
    const uint32_t half = 1u << (width - 1);
    /* Adds half - 1: the range from -half + 1 to half - 1 becomes 0 to 2 * half - 2. */
    return ((byte + half - 1) & 255) < 2 * half - 1;
}

/* Returns the choice that packs a block into the fewest bytes. *packed_size becomes the number of
 * these bytes. */
static uint32_t pack_choose(const unsigned char* bytes, size_t size, size_t* packed_size)
{
    uint32_t others[4] = {0, 0, 0, 0}; /* number of bytes that have no code, by choice */
    uint32_t best = 0;
    for (size_t k = 0; k < size; k++) {
        others[1] += !pack_fits(bytes[k], 2); /* the widths are those of pack_width, as constants */
        others[2] += !pack_fits(bytes[k], 3);
        others[3] += !pack_fits(bytes[k], 4);
    }
    *packed_size = size; /* choice 0 copies the block */
    for (uint32_t choice = 1; choice < 4; choice++) {
        const size_t choice_size = pack_codes_size(size, pack_width[choice]) + others[choice];
        if (choice_size < *packed_size) {
            best = choice;
            *packed_size = choice_size;
        }
    }
    return best;
}

size_t setti_delta_packed(const unsigned char* bytes, size_t size)
{
    /* A byte of choices for each group; the last group can be incomplete. */
    size_t sum = (size + PACK_BLOCK * PACK_GROUP - 1) / (PACK_BLOCK * PACK_GROUP);
    for (size_t offset = 0; offset < size; offset += PACK_BLOCK) {
        size_t packed_size;
        (void)pack_choose(bytes + offset, SETTI_MIN((size_t)PACK_BLOCK, size - offset),
                          &packed_size);
        sum += packed_size;
    }
    return sum;
}

/* Writes the codes of a block, then the bytes that have no code. */
static void pack_write(setti_delta_writer* writer, const unsigned char* bytes, size_t size,
                       uint32_t width)
{
    unsigned char code[PACK_BLOCK];
    unsigned char other[PACK_BLOCK];
    uint32_t bits = 0;
    uint32_t held = 0; /* bits not written yet */
    size_t codes = 0;
    size_t others = 0;
    for (size_t k = 0; k < size; k++) {
        const bool has_code = pack_fits(bytes[k], width);
        other[others] = bytes[k]; /* if the byte fits, the next other byte overwrites it */
        others += !has_code;
        uint32_t packed = 1u << (width - 1); /* says that the byte follows the codes */
        if (has_code) {
            packed = bytes[k] & ((1u << width) - 1);
        }
        bits |= packed << held;
        held += width;
        if (held >= 8) {
            code[codes++] = (unsigned char)bits;
            bits >>= 8;
            held -= 8;
        }
    }
    if (held != 0) {
        code[codes++] = (unsigned char)bits;
    }
    setti_delta_write(writer, code, codes);
    setti_delta_write(writer, other, others);
}

void setti_delta_pack(setti_delta_writer* writer, const unsigned char* bytes, size_t size)
{
    size_t choices_offset = 0;
    uint32_t choices = 0; /* of the group's blocks so far */
    for (size_t offset = 0; offset < size; offset += PACK_BLOCK) {
        const uint32_t block = (offset / PACK_BLOCK) % PACK_GROUP; /* number in its group */
        const size_t count = SETTI_MIN((size_t)PACK_BLOCK, size - offset);
        size_t packed_size;
        const uint32_t choice = pack_choose(bytes + offset, count, &packed_size);
        if (block == 0) {
            choices_offset = writer->size;
            choices = 0;
            setti_delta_write_number(writer, 0, 1);
        }
        choices |= choice << (2 * block); /* 2 bits a block */
        setti_delta_write_at(writer, choices_offset, choices, 1);
        if (choice == 0) {
            setti_delta_write(writer, bytes + offset, count);
        } else {
            pack_write(writer, bytes + offset, count, pack_width[choice]);
        }
    }
}

/* Reads a block that pack_write wrote. */
static void pack_read(setti_delta_reader* reader, size_t size, uint32_t width, unsigned char* out)
{
    /* the sign bit of a code; as a code, it says that the byte follows the codes */
    const uint32_t half = 1u << (width - 1);
    const unsigned char* code = setti_delta_read(reader, pack_codes_size(size, width));
    uint32_t bits = 0;
    uint32_t held = 0; /* bits that are read, but not used yet */
    for (size_t k = 0; k < size && code != NULL; k++) {
        if (held < width) {
            bits |= (uint32_t)*code++ << held;
            held += 8;
        }
        const uint32_t packed = bits & (2 * half - 1);
        bits >>= width;
        held -= width;
        if (packed == half) {
            out[k] = (unsigned char)setti_delta_number(reader, 1);
        } else {
            out[k] = (unsigned char)((packed ^ half) - half); /* extends the sign */
        }
    }
    /* the unused bits of the last byte must be 0 */
    reader->short_of = reader->short_of || bits != 0;
}

void setti_delta_unpack(setti_delta_reader* reader, size_t size, setti_delta_writer* writer)
{
    uint32_t choices = 0;
    for (size_t offset = 0; offset < size && !reader->short_of; offset += PACK_BLOCK) {
        const uint32_t block = (offset / PACK_BLOCK) % PACK_GROUP;
        const size_t count = SETTI_MIN((size_t)PACK_BLOCK, size - offset);
        unsigned char piece[PACK_BLOCK] = {0};
        const unsigned char* bytes = piece;
        if (block == 0) {
            choices = (uint32_t)setti_delta_number(reader, 1);
        }
        const uint32_t choice = choices & 3; /* 2 bits a block */
        choices >>= 2;
        if (choice == 0) {
            bytes = setti_delta_read(reader, count);
        } else {
            pack_read(reader, count, pack_width[choice], piece);
        }
        if (!reader->short_of) {
            setti_delta_write(writer, bytes, count);
        }
    }
    if (choices != 0) { /* the choices of missing blocks must be 0 */
        reader->short_of = true;
    }
}
