/* send.c: packs values with rounded members (sett_member.send) for selections.
 *
 * The workload: packets with the positions of bodies, for each client twenty times a second. A
 * value of 28 bytes has three positions of 18 bits and four turns of 10 bits: 12 bytes when packed.
 *
 *     bytes of the value without rounded members | bits of the rounded members
 *
 * A rounded member is number * scale, rounded to a signed integer of `bits` bits. The lowest bits
 * come first. Numbers beyond the limits become the limits. NaN becomes the least integer.
 *
 * Invariant:  an unpacked number, packed again, gives the same integer
 */
#include "base/bytes.h"
#include "base/hash_map.h"
#include "value/value.h"

#include <math.h>

size_t setti_send_size(const setti_members* members, size_t size)
{
    size_t bits = 0;
    for (uint32_t k = 0; k < members->send_count; k++) {
        size -= members->sends[k].size;
        bits += members->sends[k].bits;
    }
    return size + (bits + 7) / 8;
}

uint64_t setti_send_fingerprint(const setti_members* members)
{
    uint64_t fingerprint = 0;
    for (uint32_t k = 0; k < members->send_count; k++) {
        const setti_send* send = &members->sends[k];
        uint64_t scale;
        unsigned char word[24]; /* hashed together with the members before */
        memcpy(&scale, &send->scale, sizeof(scale));
        setti_bytes_put(word, fingerprint, 8);
        setti_bytes_put(word + 8, scale, 8);
        setti_bytes_put(word + 16, send->offset, 4);
        setti_bytes_put(word + 20, send->size, 2);
        setti_bytes_put(word + 22, send->bits, 2);
        fingerprint = setti_hash_bytes((const char*)word, sizeof(word));
    }
    return fingerprint;
}

/* Scales the number at `bytes`, and rounds it to an integer. Only the lowest send->bits bits of the
 * result have a meaning. */
static uint64_t send_round(const setti_send* send, const unsigned char* bytes)
{
    uint64_t sign = (uint64_t)1 << (send->bits - 1);
    double greatest = (double)(sign - 1); /* the greatest integer */
    uint64_t wide_bits = setti_bytes_get(bytes, send->size);
    uint32_t narrow_bits = (uint32_t)wide_bits;
    double number = 0;
    float single = 0;
    if (send->size == sizeof(float)) {
        memcpy(&single, &narrow_bits, sizeof(single));
        number = (double)single;
    } else {
        memcpy(&number, &wide_bits, sizeof(number));
    }
    if (isnan(number)) {
        return sign; /* the sign bit alone: the least integer, -most - 1 */
    }
    number *= send->scale;
    if (number > greatest) {
        number = greatest;
    } else if (number < -greatest) {
        number = -greatest;
    }
    /* the conversion cuts off the fraction: with .5, it rounds to the nearest integer */
    if (number < 0) {
        number -= 0.5;
    } else {
        number += 0.5;
    }
    return (uint64_t)(int64_t)number;
}

/* Converts the lowest send->bits bits of `bits` back to a number, and writes the number to
 * `out`. */
static void send_restore(const setti_send* send, uint64_t bits, unsigned char* out)
{
    uint64_t sign = (uint64_t)1 << (send->bits - 1);
    bits &= 2 * sign - 1;                                     /* the lowest send->bits bits */
    int64_t integer = (int64_t)(bits ^ sign) - (int64_t)sign; /* extends the sign */
    double number;
    if (bits == sign) {
        number = (double)NAN;
    } else {
        number = (double)integer / send->scale;
    }
    float single = (float)number;
    uint64_t wide_bits = 0;
    uint32_t narrow_bits = 0;
    memcpy(&wide_bits, &number, sizeof(wide_bits));
    memcpy(&narrow_bits, &single, sizeof(narrow_bits));
    setti_bytes_put(out, send->size == sizeof(float) ? narrow_bits : wide_bits, send->size);
}

void setti_send_pack(const setti_members* members, const unsigned char* value, size_t size,
                     unsigned char* out)
{
    size_t start = 0;       /* of the bytes between two rounded members */
    uint64_t word = 0;      /* bits that are not written yet; the lowest comes first */
    uint32_t word_bits = 0; /* number of bits in `word` */
    for (uint32_t k = 0; k < members->send_count; k++) { /* the bytes before each rounded member */
        size_t end = members->sends[k].offset;
        memcpy(out, value + start, end - start);
        out += end - start;
        start = end + members->sends[k].size;
    }
    memcpy(out, value + start, size - start); /* the bytes after the last rounded member */
    out += size - start;
    for (uint32_t k = 0; k < members->send_count; k++) {
        const setti_send* send = &members->sends[k];
        uint64_t mask = ((uint64_t)1 << send->bits) - 1;
        word |= (send_round(send, value + send->offset) & mask) << word_bits;
        /* writes the whole bytes of the word */
        for (word_bits += send->bits; word_bits >= 8; word_bits -= 8, word >>= 8) {
            *out++ = (unsigned char)word;
        }
    }
    if (word_bits != 0) { /* the last byte has fewer than 8 bits */
        *out++ = (unsigned char)word;
    }
}

void setti_send_unpack(const setti_members* members, const unsigned char* packed, size_t size,
                       unsigned char* out)
{
    size_t start = 0;       /* of the bytes between two rounded members */
    uint64_t word = 0;      /* bits that are read, but not unpacked yet; the lowest comes first */
    uint32_t word_bits = 0; /* number of bits in `word` */
    for (uint32_t k = 0; k < members->send_count; k++) { /* the bytes before each rounded member */
        size_t end = members->sends[k].offset;
        memcpy(out + start, packed, end - start);
        packed += end - start;
        start = end + members->sends[k].size;
    }
    memcpy(out + start, packed, size - start); /* the bytes after the last rounded member */
    packed += size - start;
    for (uint32_t k = 0; k < members->send_count; k++) {
        const setti_send* send = &members->sends[k];
        for (; word_bits < send->bits; word_bits += 8) {
            word |= (uint64_t)*packed++ << word_bits;
        }
        send_restore(send, word, out + send->offset);
        word >>= send->bits;
        word_bits -= send->bits;
    }
}
