/* root.h: what belongs to a world's state beside its pages.
 *
 * A module that keeps state (what a snapshot has to restore) in plain memory of a fixed size embeds
 * a root beside it and adds it to the world (setti_world_add_root). Restoring writes that memory,
 * and world->epoch tells caches that it did. All pages are found through roots too: a table of
 * pages that is in none is a cache. */
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
    uint32_t number;       /* how many come before it */
    uint32_t size;         /* bytes, at most SETTI_ROOT_SIZE */
    size_t saved_at;       /* where a snapshot saves it: behind those before it */
    setti_pages* pages[2]; /* tables of pages that go with it; NULL: none */
    /* Under this name it is found in a world that this one is copied to, and its bytes are copied
     * there. NULL: it is not copied. Set after adding. */
    const char* name;
    uint32_t cloned; /* bytes that are copied to another world; set after adding if not all */
    bool optional;   /* of the program, such as a system: not copied to a world that lacks it */
    /* its bytes when it was added; restoring an earlier state sets it to them */
    unsigned char first[SETTI_ROOT_SIZE];
} setti_root;

#endif
