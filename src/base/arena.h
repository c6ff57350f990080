/* arena.h: memory that is taken piece by piece and given back all at once. Chunks come from the
 * allocator; after the first rounds there is one, large enough for all that a round takes. */
#ifndef SETTI_ARENA_H
#define SETTI_ARENA_H

#include "base/core.h"

typedef struct setti_arena_chunk setti_arena_chunk;

typedef struct setti_arena {
    const sett_allocator* allocator;
    setti_arena_chunk* chunk; /* the latest; those before it are full */
    size_t used;              /* bytes taken of it, its header included */
    size_t size;              /* bytes of all chunks */
    uint64_t allocations;     /* calls for memory so far */
} setti_arena;

/* Returns `size` bytes (not 0), uninitialised, or NULL. `align` is a power of two up to 4,096. */
void* setti_arena_alloc(setti_arena* arena, size_t size, size_t align);

/* Gives a piece back, if it is the last one taken; else it stays until the reset. */
void setti_arena_pop(setti_arena* arena, const void* piece, size_t size);

/* Gives all pieces back, and makes one chunk of several. */
void setti_arena_reset(setti_arena* arena);

/* Frees the chunks. */
void setti_arena_deinit(setti_arena* arena);

#endif
