/* zstd.c: see sett_zstd.h. One call of zstd a record: states are in memory as a whole anyway. */
#include "sett_zstd.h"

#include <zstd.h>

static size_t zstd_bound(void* user, size_t size)
{
    (void)user;
    return ZSTD_compressBound(size);
}

static size_t zstd_compress(void* user, const void* from, size_t size, void* to, size_t capacity)
{
    size_t made = ZSTD_compress(to, capacity, from, size, (int)(intptr_t)user);
    return ZSTD_isError(made) ? 0 : made;
}

/* zstd never writes beyond `to_size`, whatever the bytes say. */
static bool zstd_decompress(void* user, const void* from, size_t size, void* to, size_t to_size)
{
    (void)user;
    size_t made = ZSTD_decompress(to, to_size, from, size);
    return !ZSTD_isError(made) && made == to_size;
}

sett_compression sett_zstd(int level)
{
    intptr_t number = level != 0 ? level : 3;
    sett_compression with = {(void*)number, zstd_bound, zstd_compress, zstd_decompress};
    return with;
}
