/* checksum.c: see checksum.h.
 *
 * The workload: megabytes of values are saved and loaded. A checksum byte by byte would take longer
 * than everything else. So four lanes multiply side by side: a multiplication takes three cycles,
 * but the processor can begin a multiplication every cycle.
 *
 *     bytes   [ lane 0 ][ lane 1 ][ lane 2 ][ lane 3 ][ lane 0 ] ...  rest: byte by byte
 *
 * Invariant:  each step is a bijection, so an altered byte alters the lane of the byte, and the sum
 */
#include "base/checksum.h"

#include "base/bytes.h"

#define CHECKSUM_K 0x9E3779B185EBCA87u

static uint64_t checksum_step(uint64_t lane, uint64_t word)
{
    lane = (lane ^ word) * CHECKSUM_K;
    return (lane << 29) | (lane >> 35); /* rotated by 29 bits */
}

uint64_t setti_checksum(uint64_t seed, const void* bytes, size_t size)
{
    const unsigned char* next = bytes;
    size_t bytes_left = size;
    uint64_t lane[4] = {seed, seed + CHECKSUM_K, seed ^ CHECKSUM_K, ~seed};
    for (; bytes_left >= 32; bytes_left -= 32, next += 32) {
        for (size_t k = 0; k < 4; k++) {
            lane[k] = checksum_step(lane[k], setti_bytes_get(next + 8 * k, 8));
        }
    }
    uint64_t sum = checksum_step(seed, size);
    for (size_t k = 0; k < 4; k++) {
        sum = checksum_step(sum, lane[k]);
    }
    for (; bytes_left > 0; bytes_left--, next++) { /* the last bytes, fewer than 32 */
        sum = checksum_step(sum, *next);
    }
    sum = (sum ^ (sum >> 32)) * CHECKSUM_K; /* spreads the last bytes over all bits */
    return sum ^ (sum >> 29);
}
