/* name.h: the names of a world, for other files. The hierarchy needs them because names are unique
 * among siblings. */
#ifndef SETTI_NAME_H
#define SETTI_NAME_H

#include "relation/text.h"
#include "sett/name.h"

typedef struct setti_name_slot {
    uint32_t link; /* entity index plus one; 0: free */
    uint32_t hash; /* of the parent's link and the name's key */
} setti_name_slot;

/* The state of a world's names beside the component; created by the first use. */
typedef struct setti_name_table {
    setti_type* type; /* "Name" */
    setti_texts texts;
    /* The index by parent and name: a cache, rebuilt when the state was replaced. */
    setti_name_slot* slot;
    uint32_t count;
    uint32_t capacity; /* a power of two, more than 1.5 * count; 0 at first */
    uint32_t epoch;
} setti_name_table;

enum {
    SETTI_SLOT_NAMES = 1
};

/* The world's; NULL until it is used. */
SETTI_INLINE setti_name_table* setti_names_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_NAMES];
}

/* Whether a text can be a name. */
bool setti_name_is_good(const char* name);

/* The key of an entity's name, 0 without one. */
uint64_t setti_name_key(const sett_world* world, uint32_t index);

/* Whether an entity can move to another parent (a link; 0: become a root); fails as `call` if a
 * child there has its name, or if memory runs out. */
bool setti_name_may_move(sett_world* world, uint32_t index, uint32_t parent, const char* call);

/* Finds the key of a name for a new child of a parent (a link, 0: a root), adding its text. 0, and
 * fails as `call`: for what is no name, one that a child there has, or if memory runs out.
 * Registers the component. */
uint64_t setti_name_prepare(sett_world* world, uint32_t parent, const char* name, const char* call);

/* Called after an entity has moved away from parent `from`. If a child there has its name, it loses
 * its own. Needs no memory. */
void setti_name_moved(sett_world* world, uint32_t index, uint32_t from);

/* Removes its name from the index: the entity is being destroyed. */
void setti_name_end(sett_world* world, uint32_t index);

/* Reserves memory for so many more names; names an entity that has the component and no name yet,
 * unless a sibling has it. The latter needs no memory. */
bool setti_name_reserve(sett_world* world, uint32_t count);
void setti_name_give(sett_world* world, uint32_t index, uint64_t key);

/* sett_name_lookup, which reports nothing. */
sett_entity setti_name_lookup(const sett_world* world, sett_entity from, const char* path);

/* Finds a free number for a name: one behind those that are taken, if these are 2 and up without a
 * gap. Asks O(log numbers) times, and the world alone decides which it is. */
static inline uint32_t setti_name_number(bool (*taken)(void* user, uint32_t number), void* user)
{
    uint32_t low = 1;
    uint32_t high = 2;
    while (taken(user, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(taken(user, middle) ? &low : &high) = middle;
    }
    return high;
}

/* Texts that no entity has yet are no garbage between a call with 1 and one with -1. */
static inline void setti_name_hold(const sett_world* world, int by)
{
    if (setti_names_of(world) != NULL) {
        setti_names_of(world)->texts.hold += (uint32_t)by;
    }
}

#endif
