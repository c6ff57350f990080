/* arena.c: scratch memory, freed all at once. See arena.h.
 *
 * The workload: each call of a system takes some scratch memory, about the same amount every frame.
 * So a reset replaces several chunks by one chunk of the total size. Later frames allocate nothing.
 *
 *     chunk    | header | piece | piece | ... used --> | free |
 *
 * Invariant:  size = sum of the chunks' sizes;  header <= used <= the chunk's size
 */
#include "base/arena.h"

struct setti_arena_chunk {
    setti_arena_chunk* previous;
    size_t size; /* bytes, with this header */
};

#define ARENA_ALIGN 64
#define ARENA_HEADER 64
#define ARENA_CHUNK ((size_t)4 << 10)

static_assert(sizeof(setti_arena_chunk) <= ARENA_HEADER, "pieces begin after the header");

/* Allocates a chunk for a piece of `size` bytes. Returns false if memory runs out. */
static bool arena_grow(setti_arena* arena, size_t size)
{
    SETTI_ASSERT(arena->allocator != NULL);
    size_t chunk_size = setti_align_up(SETTI_MAX(size, ARENA_CHUNK - ARENA_HEADER), ARENA_ALIGN);
    if (chunk_size > SIZE_MAX / 2) {
        return false;
    }
    chunk_size += ARENA_HEADER;
    const sett_allocator* allocator = arena->allocator;
    setti_arena_chunk* chunk = allocator->alloc_fn(allocator->user, chunk_size, ARENA_ALIGN);
    if (chunk == NULL) {
        arena->denied = true;
        return false;
    }
    chunk->previous = arena->chunk;
    chunk->size = chunk_size;
    arena->chunk = chunk;
    arena->used = ARENA_HEADER;
    arena->size += chunk_size;
    arena->allocations++;
    return true;
}

void* setti_arena_alloc(setti_arena* arena, size_t size, size_t align)
{
    SETTI_ASSERT(size != 0 && align != 0 && (align & (align - 1)) == 0);
    /* a chunk is aligned only to ARENA_ALIGN: a larger alignment may need more bytes */
    size_t slack = (align > ARENA_ALIGN) ? align : 0;
    if (size > SIZE_MAX / 4) {
        return NULL;
    }
    bool chunk_has_room = arena->chunk != NULL &&
                          setti_align_up(arena->used, align) + size + slack <= arena->chunk->size;
    if (!chunk_has_room && !arena_grow(arena, size + slack)) {
        return NULL;
    }
    uintptr_t base = (uintptr_t)arena->chunk;
    size_t offset = (size_t)(setti_align_up(base + arena->used, align) - base); /* in the chunk */
    arena->used = offset + size;
    SETTI_ASSERT(arena->used <= arena->chunk->size);
    return (unsigned char*)arena->chunk + offset;
}

void setti_arena_pop(setti_arena* arena, const void* piece, size_t size)
{
    SETTI_ASSERT(arena->chunk != NULL);
    const unsigned char* chunk = (const unsigned char*)arena->chunk;
    if ((const unsigned char*)piece + size == chunk + arena->used) {
        arena->used -= size;
    }
}

void setti_arena_deinit(setti_arena* arena)
{
    const sett_allocator* allocator = arena->allocator;
    while (arena->chunk != NULL) {
        setti_arena_chunk* previous = arena->chunk->previous;
        allocator->free_fn(allocator->user, arena->chunk, arena->chunk->size, ARENA_ALIGN);
        arena->chunk = previous;
    }
    arena->used = 0;
    arena->size = 0;
}

void setti_arena_reset(setti_arena* arena)
{
    if (arena->chunk == NULL) {
        return;
    }
    if (arena->chunk->previous != NULL) {
        size_t size = arena->size;
        setti_arena_deinit(arena);     /* also sets arena->size to 0 */
        (void)arena_grow(arena, size); /* if this fails, the next allocation tries again */
    }
    arena->used = ARENA_HEADER; /* empties the chunk */
}
