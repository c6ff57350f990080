/* root.h: roots: the parts of a world's state that are not pages.
 *
 * A module may have state, which a snapshot restores, in plain memory of a fixed size. It embeds a
 * root beside it and adds that to the world (setti_world_add_root). Restoring writes the memory,
 * and increments world->epoch, which caches compare. Roots also lead to all tables of pages: a
 * table in no root is a cache. */
#ifndef SETTI_ROOT_H
#define SETTI_ROOT_H

#include "base/page.h"

#define SETTI_ROOT_SIZE 32

/* Bytes of a root in a snapshot: its own, and how long its tables are. */
#define SETTI_ROOT_SAVED(size) ((size_t)(size) + 2 * sizeof(uint32_t))

typedef struct setti_root {
    struct setti_root* next; /* in the order of adding */
    struct setti_root* previous;
    void* address;
    uint32_t number;       /* how many roots come before it */
    uint32_t size;         /* bytes, at most SETTI_ROOT_SIZE */
    size_t saved_at;       /* its offset in the bytes that a snapshot saves of all roots */
    setti_pages* pages[2]; /* tables of pages that belong to it; NULL: none */
    /* When the world is copied to another one, its bytes go to the root of this name there. NULL:
     * they are not copied. Set after adding. */
    const char* name;
    uint32_t cloned; /* how many bytes are copied then: all, unless set after adding */
    bool optional;   /* of the program, such as a system: the other world may lack it */
    /* the bytes when it was added; restoring an earlier state writes them */
    unsigned char first[SETTI_ROOT_SIZE];
} setti_root;

#endif
