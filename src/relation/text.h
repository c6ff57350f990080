/* text.h: texts stored once. Each has a key, a hash of its bytes, which is the same in every world:
 * so components of keys can be compared, copied and sent. */
#ifndef SETTI_TEXT_H
#define SETTI_TEXT_H

#include "world/world.h"

/* Bytes in a text at most: four of the longest fit a page. */
#define SETTI_TEXT_MAX 1000
#define SETTI_TEXT_PAGE 4096

/* One text in its page: length, bytes, a zero. A length of 0 ends the page. */
#define SETTI_TEXT_HEAD sizeof(uint16_t)
/* In a length: this is a hole, the rest is its size. */
#define SETTI_TEXT_HOLE 0x8000u

typedef struct setti_texts {
    setti_pages pages; /* of text; part of the state, as is; NULL: a page without a text */
    uint32_t used;     /* the end of the last text: page number and offset as one number */
    setti_root root;   /* of both */
    /* key -> position; a cache, rebuilt when the state was replaced */
    setti_hash_map where;
    uint32_t epoch;

    /* The type whose values begin with a key; texts that no value refers to are unused. NULL: all
     * texts are in use. */
    const struct setti_type* users;
    uint32_t hold;   /* not 0: a key will be written to a value, so no sweep runs */
    uint32_t cursor; /* holes before it were looked at */
    uint64_t fresh;  /* bytes of texts added since then */
    uint64_t live;   /* bytes of texts that it left */
} setti_texts;

void setti_text_init(sett_world* world, setti_texts* texts);

/* Rebuilds the cache if the state was replaced. False when memory runs out, or while systems run,
 * maybe in parallel: without it all texts are searched. */
bool setti_text_sync(sett_world* world, setti_texts* texts);

/* The key of a text that is known; 0 if it is not. Without memory to rebuild the cache it searches
 * all texts. */
uint64_t setti_text_find(sett_world* world, setti_texts* texts, const char* text, size_t length);

/* Like setti_text_find, but adds the text if it is new; 0 when memory runs out. */
uint64_t setti_text_add(sett_world* world, setti_texts* texts, const char* text, size_t length);

/* Frees the texts that no value uses. The others do not move. Without memory to find them it does
 * nothing. */
void setti_text_sweep(sett_world* world, setti_texts* texts);

/* The text of a key, or NULL. */
const char* setti_text_of(sett_world* world, setti_texts* texts, uint64_t key);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_text_validate(sett_world* world, setti_texts* texts);

#endif
