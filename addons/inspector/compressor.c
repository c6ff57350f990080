/* compressor.c: see compressor.h.
 *
 * The workload: 35 or 60 messages a second, of 10 to 100 KB. Most of it is differences of values
 * (src/state/delta_change.c), many of which are those of the frames before: what moves goes on. So
 * the messages are one frame of zstd, whose window reaches back over some of them; each ends with a
 * whole block, so that nothing of it waits for the next one. Freedoom's 68 maps: 90 of 182 MB a
 * minute, .5 ms a tick. At level 1 it is 100 MB, with a window of 128 KB too.
 *
 * Rejected: deflate, which browsers have. Its window is less than a message: 106 MB at level 6, 4
 * ms a tick.
 *
 *     the stream   begins      delta   delta   ...   begins      delta   ...
 *     is sent as   as it is    frame of zstd ...     as it is    another frame ...
 *
 * What begins the stream is not compressed: it is sent once, and the page, on the same machine, has
 * it sooner so.
 */
#include "compressor.h"

#include <string.h>
#include <zstd.h>

#define COMPRESSOR_LEVEL 3
#define COMPRESSOR_WINDOW 19 /* 512 KB: the page holds as much */

static bool compressor_start(compressor* by)
{
    by->zstd = ZSTD_createCCtx();
    return by->zstd != NULL &&
           !ZSTD_isError(
               ZSTD_CCtx_setParameter(by->zstd, ZSTD_c_compressionLevel, COMPRESSOR_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(by->zstd, ZSTD_c_windowLog, COMPRESSOR_WINDOW));
}

const char* setti_compressor_next(compressor* by, const char* message, size_t* size)
{
    static const char header[] = "\x89SETT\r\n\x1A";
    if (by->zstd == NULL && !compressor_start(by)) {
        return NULL;
    }
    if (*size >= 8 && memcmp(message, header, 8) == 0) {
        (void)ZSTD_CCtx_reset(by->zstd, ZSTD_reset_session_only);
        return message;
    }
    char piece[1 << 14];
    size_t left;
    ZSTD_inBuffer in = {message, *size, 0};
    setti_out_clear(&by->out);
    do {
        ZSTD_outBuffer out = {piece, sizeof(piece), 0};
        left = ZSTD_compressStream2(by->zstd, &out, &in, ZSTD_e_flush);
        setti_out_add(&by->out, piece, out.pos);
    } while (left != 0 && !ZSTD_isError(left));
    *size = by->out.size;
    return left == 0 && !by->out.failed ? by->out.at : NULL;
}

void setti_compressor_end(compressor* by)
{
    (void)ZSTD_freeCCtx(by->zstd);
    setti_out_free(&by->out);
    by->zstd = NULL;
}
