/* text.h: texts that are stored once each. A text's key is a hash of its bytes, equal in every
 * world, so components with keys can be compared, copied and sent. */
#ifndef SETTI_TEXT_H
#define SETTI_TEXT_H

#include "world/world.h"

/* Bytes in a text at most; a page has room for four. */
#define SETTI_TEXT_MAX 1000
#define SETTI_TEXT_PAGE 4096

/* Bytes of a text's header, its length. A zero ends the text; a length of 0 ends the page. */
#define SETTI_TEXT_HEAD sizeof(uint16_t)
/* The bit of a length that says: these bytes are a hole, not a text. */
#define SETTI_TEXT_HOLE 0x8000u

typedef struct setti_texts {
    setti_pages pages; /* part of the state, unchanged in it; NULL: a page without texts */
    uint32_t used;     /* end of the last text: page number and offset in one number */
    setti_root root;   /* root of `pages` and `used` */
    /* key -> position; a cache, rebuilt when the state was replaced */
    setti_hash_map where;
    uint32_t epoch;

    /* The type whose values begin with a key. Other texts are unused; NULL: all are in use. */
    const struct setti_type* users;
    uint32_t hold;   /* not 0: a key is not in a value yet, so no sweep runs */
    uint32_t cursor; /* earlier holes were searched */
    uint64_t fresh;  /* bytes of texts added since the last sweep */
    uint64_t live;   /* bytes of texts that the last sweep left */
} setti_texts;

void setti_text_init(sett_world* world, setti_texts* texts);

/* Rebuilds the cache if the state was replaced. Returns false without memory, or in systems. */
bool setti_text_sync(sett_world* world, setti_texts* texts);

/* The key of a stored text, or 0. Without memory for the cache it searches all texts. */
uint64_t setti_text_find(sett_world* world, setti_texts* texts, const char* text, size_t length);

/* Like setti_text_find, but adds a new text; 0 when memory runs out, or the text is rejected. */
uint64_t setti_text_add(sett_world* world, setti_texts* texts, const char* text, size_t length);

/* Whether a text is rejected, because too many texts have its hash. The cache is up to date. */
bool setti_text_is_crowded(const setti_texts* texts, const char* text, size_t length);

/* Frees the texts that no value uses; the others do not move. No effect without memory. */
void setti_text_sweep(sett_world* world, setti_texts* texts);

/* The text of a key, or NULL. */
const char* setti_text_of(sett_world* world, setti_texts* texts, uint64_t key);

/* Returns NULL, or which part of the invariant does not hold. */
const char* setti_text_validate(sett_world* world, setti_texts* texts);

#endif
