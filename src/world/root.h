/* root.h: roots, the parts of a world's state outside of pages.
 *
 * A module can hold a part of the world's state in memory of a fixed size. The module adds a root
 * for this memory (setti_world_add_root). Restoring a snapshot writes the memory, and increments
 * world->epoch, so that caches are computed again. Roots also refer to tables of pages. */
#ifndef SETTI_ROOT_H
#define SETTI_ROOT_H

#include "base/page.h"

#define SETTI_ROOT_SIZE 32

/* Bytes of a root in a snapshot: the memory of the root, and the lengths of two tables. */
#define SETTI_ROOT_SAVED(size) ((size_t)(size) + 2 * sizeof(uint32_t))

typedef struct setti_root {
    struct setti_root* next; /* in the order of adding */
    struct setti_root* previous;
    void* address;
    uint32_t number;       /* how many roots are before this root */
    uint32_t size;         /* bytes at `address`, at most SETTI_ROOT_SIZE */
    size_t saved_at;       /* offset in the roots of a snapshot */
    setti_pages* pages[2]; /* the root's tables of pages, or NULL */
    /* Cloning copies the bytes to the other world's root with the same name. NULL: the bytes are
     * not copied. */
    const char* name;
    uint32_t cloned; /* how many bytes cloning copies */
    bool optional;   /* the other world may lack the root, for example the root of a system */
    /* the bytes at the time when the root was added, for restoring an earlier state */
    unsigned char first[SETTI_ROOT_SIZE];
} setti_root;

#endif
