/* bytes.h: a growing byte buffer in a pool. */
#ifndef SETTI_BYTES_H
#define SETTI_BYTES_H

#include "base/page.h"

#include <string.h>

typedef struct setti_bytes {
    unsigned char* data;
    size_t size; /* bytes in use */
    size_t capacity;
} setti_bytes;

/* Writes the lowest `size` bytes of a number, lowest byte first. */
static inline void setti_bytes_put(unsigned char* out, uint64_t number, size_t size)
{
    SETTI_ASSERT(size <= sizeof(number));
    if (SETTI_BIG_ENDIAN) {
        for (size_t k = 0; k < size; k++) {
            out[k] = (unsigned char)(number >> (8 * k));
        }
    } else {
        memcpy(out, &number, size); /* a single store */
    }
}

/* Reads a number written by setti_bytes_put. */
static inline uint64_t setti_bytes_get(const unsigned char* bytes, size_t size)
{
    uint64_t number = 0;
    SETTI_ASSERT(size <= sizeof(number));
    if (SETTI_BIG_ENDIAN) {
        for (size_t k = 0; k < size; k++) {
            number |= (uint64_t)bytes[k] << (8 * k);
        }
    } else {
        memcpy(&number, bytes, size);
    }
    return number;
}

/* Reads a number of fewer than 8 bytes, in parts of 4, 2 and 1 bytes. So memcpy is not called. */
static inline uint64_t setti_bytes_get_few(const unsigned char* bytes, size_t size)
{
    uint64_t number = 0;
    uint32_t shift = 0;
    SETTI_ASSERT(size < sizeof(number));
    for (size_t part = 4; part != 0; part /= 2) {
        if ((size & part) != 0) { /* `size` is the sum of these parts */
            number |= setti_bytes_get(bytes, part) << shift;
            shift += 8 * (uint32_t)part;
            bytes += part;
        }
    }
    return number;
}

/* Makes room for `more` bytes. Returns false if memory runs out. On success bytes->data is not
 * NULL, even if `more` is 0. */
static inline bool setti_bytes_reserve(setti_pool* pool, setti_bytes* bytes, size_t more)
{
    if (bytes->capacity != 0 && more <= bytes->capacity - bytes->size) {
        return true;
    }
    /* at least doubles */
    size_t capacity = bytes->size + SETTI_MAX(SETTI_MAX(more, bytes->size), 1);
    unsigned char* data = setti_pool_alloc(pool, capacity, 16);
    if (data == NULL) {
        return false;
    }
    if (bytes->size != 0) {
        memcpy(data, bytes->data, bytes->size);
    }
    setti_pool_free(pool, bytes->data, bytes->capacity, 16);
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

/* Replaces the contents. If memory runs out, empties the buffer and returns false. */
static inline bool setti_bytes_copy(setti_pool* pool, setti_bytes* bytes, const void* contents,
                                    size_t size)
{
    if (!setti_bytes_reserve(pool, bytes, size)) {
        bytes->size = 0;
        return false;
    }
    if (size != 0) {
        memcpy(bytes->data, contents, size);
    }
    bytes->size = size;
    return true;
}

/* Returns the address after the last byte in use. */
static inline unsigned char* setti_bytes_end(const setti_bytes* bytes)
{
    if (bytes->size == 0) {
        return bytes->data; /* may be NULL: C does not allow NULL + 0 */
    }
    return bytes->data + bytes->size;
}

/* Appends `size` uninitialised bytes. Returns the address of the first byte. Returns NULL if memory
 * runs out. */
static inline unsigned char* setti_bytes_add(setti_pool* pool, setti_bytes* bytes, size_t size)
{
    if (!setti_bytes_reserve(pool, bytes, size)) {
        return NULL;
    }
    bytes->size += size;
    return bytes->data + bytes->size - size;
}

static inline void setti_bytes_free(setti_pool* pool, setti_bytes* bytes)
{
    setti_pool_free(pool, bytes->data, bytes->capacity, 16);
    bytes->data = NULL;
    bytes->size = 0;
    bytes->capacity = 0;
}

#endif
