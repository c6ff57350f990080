/* bytes.h: a piece of a pool that is filled from its start on. */
#ifndef SETTI_BYTES_H
#define SETTI_BYTES_H

#include "base/page.h"

typedef struct setti_bytes {
    unsigned char* data;
    size_t size; /* in use */
    size_t capacity;
} setti_bytes;

/* Behind the last byte in use; NULL if there is no memory. */
static inline unsigned char* setti_bytes_end(const setti_bytes* bytes)
{
    return bytes->size != 0 ? bytes->data + bytes->size : bytes->data;
}

static inline void setti_bytes_free(setti_pool* pool, setti_bytes* bytes)
{
    setti_pool_free(pool, bytes->data, bytes->capacity, 16);
    bytes->data = NULL;
    bytes->size = 0;
    bytes->capacity = 0;
}

#endif
