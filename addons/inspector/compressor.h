/* compressor.h: messages of the stream as they cross the socket (protocol.md). */
#ifndef INSPECTOR_COMPRESSOR_H
#define INSPECTOR_COMPRESSOR_H

#include "inspector_text.h"

struct ZSTD_CCtx_s;

/* One for each listener. All zeroes: nothing was sent. */
typedef struct compressor {
    struct ZSTD_CCtx_s* zstd;
    inspector_text out;
} compressor;

/* Compresses the next message: all of them, from one that begins the stream on, each once.
 *   size  becomes the compressed size
 * Returns the bytes to send, valid until the next call; NULL if memory ran out. */
const char* setti_compressor_next(compressor* by, const char* message, size_t* size);
void setti_compressor_end(compressor* by);

#endif
