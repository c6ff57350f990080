/* text.h: texts, each stored once. A text's key is a hash of the bytes, equal in every world, so
 * that components with keys can be compared, copied and sent. */
#ifndef SETTI_TEXT_H
#define SETTI_TEXT_H

#include "world/world.h"

/* The most bytes of a text. A page has room for four such texts. */
#define SETTI_TEXT_MAX 1000
#define SETTI_TEXT_PAGE 4096

/* Size of the head that stands before each text and has the text's length. A zero byte follows each
 * text, and a head of 0 the last text of a page. */
#define SETTI_TEXT_HEAD sizeof(uint16_t)
/* A bit of the head: the bytes that follow are a hole, not a text. */
#define SETTI_TEXT_HOLE 0x8000u

typedef struct setti_texts {
    setti_pages pages; /* part of the state; a page without texts may be NULL */
    uint32_t used;     /* the place after the last text; a place is a page number and an offset */
    setti_root root;   /* root of `pages` and `used` */
    /* Key -> place. A cache, rebuilt after the state was replaced. */
    setti_hash_map where;
    uint32_t epoch; /* the world's epoch when `where` was built */

    /* Each value of this type begins with the key of a text in use. NULL: all texts are in use. */
    const struct setti_type* users;
    uint32_t hold;   /* if not 0, no sweep runs, because a new key may not be in a value yet */
    uint32_t cursor; /* the search for holes continues here */
    uint64_t fresh;  /* bytes of texts added since the last sweep */
    uint64_t live;   /* bytes of texts in use at the last sweep */
} setti_texts;

void setti_text_init(sett_world* world, setti_texts* texts);

/* Rebuilds the cache if the state was replaced. Returns false if memory runs out or systems are
 * running. */
bool setti_text_sync(sett_world* world, setti_texts* texts);

/* Returns the key of a stored text, or 0 if the text is not stored. Searches all pages if the cache
 * cannot be rebuilt. */
uint64_t setti_text_find(sett_world* world, setti_texts* texts, const char* text, size_t length);

/* Like setti_text_find, but adds a new text. Returns 0 if memory runs out or the text is
 * rejected. */
uint64_t setti_text_add(sett_world* world, setti_texts* texts, const char* text, size_t length);

/* Returns true if setti_text_add rejects a text, because too many texts have the same hash. */
bool setti_text_is_crowded(const setti_texts* texts, const char* text, size_t length);

/* Frees unused texts without moving other texts. No effect if memory runs out. */
void setti_text_sweep(sett_world* world, setti_texts* texts);

/* Returns the text of a key, or NULL if there is none. */
const char* setti_text_of(sett_world* world, setti_texts* texts, uint64_t key);

const char* setti_text_validate(sett_world* world, setti_texts* texts);

#endif
