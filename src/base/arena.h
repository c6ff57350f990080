/* arena.h: memory that is allocated piece by piece and freed all at once. Chunks come from the
 * allocator. After the first rounds one chunk is large enough for a whole round. */
#ifndef SETTI_ARENA_H
#define SETTI_ARENA_H

#include "base/common.h"

typedef struct setti_arena_chunk setti_arena_chunk;

typedef struct setti_arena {
    const sett_allocator* allocator;
    setti_arena_chunk* chunk; /* the latest chunk; the chunks before it are full */
    size_t used;              /* bytes used in `chunk`, its header included */
    size_t size;              /* bytes of all chunks */
    uint64_t allocations;     /* allocator calls so far */
    bool denied;              /* an allocator call failed */
} setti_arena;

/* Returns `size` bytes (not 0), uninitialised, or NULL. `align` is a power of two up to 4,096. */
void* setti_arena_alloc(setti_arena* arena, size_t size, size_t align);

/* Frees a piece if it is the newest one; otherwise it stays until the reset. */
void setti_arena_pop(setti_arena* arena, const void* piece, size_t size);

/* Frees all pieces, and merges several chunks into one. */
void setti_arena_reset(setti_arena* arena);
void setti_arena_deinit(setti_arena* arena);

#endif
