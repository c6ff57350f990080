/* name_table.h: what other modules may ask of name.c. The hierarchy asks because siblings have
 * different names. */
#ifndef SETTI_NAME_TABLE_H
#define SETTI_NAME_TABLE_H

#include "relation/text.h"
#include "sett/name.h"

typedef struct setti_name_slot {
    uint32_t link; /* entity index plus one; 0: free */
    uint32_t hash; /* of the parent's link and the name's key */
} setti_name_slot;

/* What a world knows of its names beside the component: made by the first use. */
typedef struct setti_name_table {
    setti_type* type; /* "Name" */
    setti_texts texts;
    /* Who has which name below whom: a cache, made anew when the state has been replaced. */
    setti_name_slot* slot;
    uint32_t count;
    uint32_t capacity; /* a power of two, more than 1.5 * count; 0 at first */
    uint32_t epoch;
} setti_name_table;

/* The key of an entity's name, 0 without one. */
uint64_t setti_name_key(const sett_world* world, uint32_t index);

/* Whether an entity may come under another parent (a link, 0: become a root); fails as `call` if a
 * child there has its name, or if memory runs out. */
bool setti_name_may_move(sett_world* world, uint32_t index, uint32_t parent, const char* call);

/* Finds the key of a name for a new child of a parent (a link, 0: a root), adding its text. 0, and
 * fails as `call`: for what is no name, one that a child there has, or if memory runs out.
 * Registers the component. */
uint64_t setti_name_prepare(sett_world* world, uint32_t parent, const char* name, const char* call);

/* To be called after it came under another parent than `from`. If a child there has its name, it
 * loses its own. Needs no memory. */
void setti_name_moved(sett_world* world, uint32_t index, uint32_t from);

/* Takes its name off the index: the entity loses all that it has, its links too. */
void setti_name_end(sett_world* world, uint32_t index);

/* Makes room for so many more names; gives one to an entity that has the component and no name yet,
 * unless a sibling has it. The latter needs no memory. */
bool setti_name_reserve(sett_world* world, uint32_t count);
void setti_name_give(sett_world* world, uint32_t index, uint64_t key);

#endif
