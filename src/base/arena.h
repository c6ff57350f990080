/* arena.h: memory allocated piece by piece and freed all at once. */
#ifndef SETTI_ARENA_H
#define SETTI_ARENA_H

#include "base/common.h"

typedef struct setti_arena_chunk setti_arena_chunk;

typedef struct setti_arena {
    const sett_allocator* allocator;
    setti_arena_chunk* chunk; /* the newest chunk; older chunks are full */
    size_t used;              /* bytes in use of `chunk`, with the header */
    size_t size;              /* bytes of all chunks */
    uint64_t allocations;     /* number of allocations by the allocator so far */
    bool denied;              /* whether the allocator has failed */
} setti_arena;

/* Allocates a piece of uninitialised memory. Returns NULL if memory runs out. */
void* setti_arena_alloc(setti_arena* arena, size_t size, size_t align);

/* Frees `piece` if it is the newest piece. */
void setti_arena_pop(setti_arena* arena, const void* piece, size_t size);

/* Frees all pieces. Keeps one chunk, which is as large as all chunks were together. */
void setti_arena_reset(setti_arena* arena);
void setti_arena_deinit(setti_arena* arena);

#endif
