/* name.h: the names of a world, for other files. Names are unique among siblings. */
#ifndef SETTI_NAME_H
#define SETTI_NAME_H

#include "relation/text.h"
#include "sett/name.h"

typedef struct setti_name_slot {
    uint32_t link; /* entity index plus one; 0: free */
    uint32_t hash; /* of the parent's link and the name's key */
} setti_name_slot;

/* The state of a world's names, besides the component. The first use creates the table. */
typedef struct setti_name_table {
    setti_type* type; /* "Name" */
    setti_texts texts;
    /* The index by parent and name: a cache, rebuilt after the state was replaced. */
    setti_name_slot* slot;
    uint32_t count;
    uint32_t capacity; /* a power of two, more than 1.5 * count; 0: no table yet */
    uint32_t epoch;
} setti_name_table;

enum {
    SETTI_SLOT_NAMES = 1
};

/* Returns the world's names, or NULL before the first use. */
SETTI_INLINE setti_name_table* setti_names_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_NAMES];
}

/* Returns NULL if a text can be a name. Otherwise returns the end of a message. */
const char* setti_name_check(const char* name);

/* Returns the key of an entity's name, or 0 if there is no name. */
uint64_t setti_name_key(const sett_world* world, uint32_t index);

/* Reports an error and returns false if another child of `parent` (a link) has the entity's
 * name. */
bool setti_name_may_move(sett_world* world, uint32_t index, uint32_t parent, const char* call);

/* Adds the text of a name for a new child of `parent` (a link). Returns the text's key, or 0 on
 * failure. */
uint64_t setti_name_prepare(sett_world* world, uint32_t parent, const char* name, const char* call);

/* Names a checked entity, for the public function `call`. */
sett_status setti_name_set(sett_world* world, sett_entity entity, const char* name,
                           const char* call);

/* Reports why the text of a name could not be added: the hash is too common, or memory ran out. */
sett_status setti_name_fail(sett_world* world, const char* name, const char* call);

/* Updates the index after an entity has left the parent `old_parent` (a link). */
void setti_name_moved(sett_world* world, uint32_t index, uint32_t old_parent);

/* Clears an entity's name. The component stays. */
void setti_name_end(sett_world* world, uint32_t index);

/* Reserves memory for `count` more names. */
bool setti_name_reserve(sett_world* world, uint32_t count);
/* Names an entity in reserved memory, if no sibling has the name. */
void setti_name_give(sett_world* world, uint32_t index, uint64_t key);

/* Like sett_name_lookup, but reports nothing. */
sett_entity setti_name_lookup(const sett_world* world, sett_entity first, const char* path);

/* Returns true if a part of a path is "..". */
SETTI_INLINE bool setti_name_is_up(const char* text, size_t length)
{
    return length == 2 && text[0] == '.' && text[1] == '.';
}

/* Returns a number from 2 on for which `taken` returns false. */
static inline uint32_t setti_name_number(bool (*taken)(void* user, uint32_t number), void* user)
{
    uint32_t low = 1;  /* counts as taken */
    uint32_t high = 2; /* becomes a free number */
    while (taken(user, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (taken(user, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* Unused texts are not freed until setti_names_let_go. Calls nest. */
static inline void setti_names_hold(const sett_world* world)
{
    if (setti_names_of(world) != NULL) {
        setti_names_of(world)->texts.hold++;
    }
}

static inline void setti_names_let_go(const sett_world* world)
{
    if (setti_names_of(world) != NULL) {
        setti_names_of(world)->texts.hold--;
    }
}

#endif
