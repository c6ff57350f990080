/* delta_reader.h: shared by the files that apply a delta. */
#ifndef SETTI_DELTA_READER_H
#define SETTI_DELTA_READER_H

#include "state/delta.h"
#include "state/snapshot.h"

/* Bytes that may end too early: what is read beyond their end is zeroes. */
typedef struct setti_delta_reader {
    const unsigned char* at;
    const unsigned char* end;
    bool short_of; /* something was read beyond the end */
} setti_delta_reader;

/* The next `size` bytes; NULL if there are not as many. */
const unsigned char* setti_delta_read(setti_delta_reader* from, size_t size);

/* Writes the `size` bytes that setti_delta_pack wrote; short_of: they are not there, or damaged. */
struct setti_delta_writer;
void setti_delta_unpack(setti_delta_reader* from, size_t size, struct setti_delta_writer* to);

static inline uint64_t setti_delta_number(setti_delta_reader* from, size_t size)
{
    const unsigned char* bytes = setti_delta_read(from, size);
    return bytes != NULL ? setti_bytes_get(bytes, size) : 0;
}

static inline uint32_t setti_delta_u32(setti_delta_reader* from)
{
    return (uint32_t)setti_delta_number(from, 4);
}

static inline sett_entity setti_delta_entity(setti_delta_reader* from)
{
    sett_entity entity;
    entity.index = setti_delta_u32(from);
    entity.generation = setti_delta_u32(from);
    return entity;
}

/* Runs of handles: neighbouring indices, one generation. */
typedef struct setti_delta_lives {
    setti_delta_reader from;
    uint32_t runs;  /* that are left */
    uint32_t count; /* handles left of the present one */
    sett_entity next;
} setti_delta_lives;

/* The next handle; false behind the last. */
static inline bool setti_delta_next_life(setti_delta_lives* lives, sett_entity* entity)
{
    if (lives->count == 0) {
        if (lives->runs == 0) {
            return false;
        }
        lives->runs--;
        lives->next = setti_delta_entity(&lives->from);
        lives->count = (uint32_t)setti_delta_number(&lives->from, 1);
    }
    *entity = lives->next;
    lives->next.index++;
    lives->count--;
    return true;
}

typedef struct setti_delta_type {
    setti_type* type;
    setti_delta_form form;
    const setti_codec* codec; /* or NULL */
    uint32_t choice;          /* setti_module.choice, if the type has one */
    uint32_t kind;            /* setti_kind of its storage there */
    uint32_t bytes;
    bool sent; /* rounded: until they are restored, values have `bytes` as they are sent */
    uint64_t padding_hash;
    uint32_t extent; /* of its storage there */
    uint32_t count[SETTI_DELTA_PARTS];
    setti_delta_reader part[SETTI_DELTA_PARTS];
    setti_bytes changes;
    setti_bytes filtered;   /* of a part: its entries, without what leads nowhere, and restored */
    setti_delta_rule* rule; /* how its values are read; NULL: as they are */
    uint32_t* want; /* delta_arrange.c: the index that each row is to hold; NULL: as they are */
} setti_delta_type;

/* A delta whose parts were found. */
typedef struct setti_delta {
    setti_player player; /* first: what codecs see of it */
    sett_world* world;
    uint64_t before;
    uint64_t after;
    uint64_t hash_mask;              /* the bits of these that it has */
    const setti_delta_rules* rules;  /* or NULL */
    bool loading;                    /* onto an empty world, which is thrown away if that fails */
    const setti_delta_allowed* part; /* a part of a world; NULL: a delta between states */
    uint32_t type_count;
    uint32_t types_found; /* of these, from the first on */
    setti_delta_type* type;
    setti_delta_lives ended;
    setti_delta_lives begun;
    setti_delta_lives slots;
    setti_delta_reader changed; /* the last list of changed entities, */
    uint32_t changed_words;     /* and how many words it has */
    size_t limit;               /* bytes of memory that it may take */
    size_t room;                /* bytes that one step may need to keep pages */
    uint32_t room_pages;        /* and how many they may be */
} setti_delta;

/* The next entry or block. */
setti_delta_entry setti_delta_next(setti_delta_reader* from, const setti_delta_type* of);

/* Takes the first entry out of a block: false when there are no more. What is no block is its own
 * only entry. */
bool setti_delta_take(setti_delta_entry* block, const setti_delta_type* of,
                      setti_delta_entry* entry);

/* Reads the changes of a type, over the values that the world has: makes entries of them. OK, or
 * INVALID or OUT_OF_MEMORY, which the world says. */
sett_status setti_delta_read_changes(setti_delta* delta, setti_delta_reader* from,
                                     setti_delta_type* of);

/* One run of rows: `count` indices follow. */
typedef struct setti_delta_run {
    uint32_t first;
    uint32_t count;
} setti_delta_run;

static inline setti_delta_run setti_delta_next_run(setti_delta_reader* from)
{
    setti_delta_run run;
    run.first = setti_delta_u32(from);
    run.count = setti_delta_u32(from);
    return run;
}

/* What becomes of the entity at an index. */
setti_fate setti_delta_fate(const setti_delta* delta, uint32_t index);

/* The player's read_data. */
void setti_delta_read_data(const setti_player* player, const setti_type* type,
                           const unsigned char* bytes, void* value);

/* INVALID, because of this. */
sett_status setti_delta_reject(const setti_delta* delta, const char* why);

/* Reserves memory for the next step, a change of one entity in one type: copies of the pages that
 * it writes to, so that it can be undone. False when memory runs out. */
bool setti_delta_room(const setti_delta* delta);

/* Like setti_delta_room, for what puts the rows of a sparse set in order, up to row `extent`: it
 * may write to all of its pages, and free pages, which are parked, and make others in their places.
 * All that is allocated until then is among it: what is allocated in between would come out of what
 * is held. */
bool setti_delta_room_to_arrange(const setti_delta* delta, const setti_storage* storage,
                                 uint32_t extent);

/* Plays all but the order. False: sett_world_error says why, and the caller undoes it. */
bool setti_delta_play(setti_delta* delta);

/* Finds a value of the delta that a callback has written to; false if there is none. */
bool setti_delta_find_altered(const setti_delta* delta, sett_entity* entity, const char** name);

/* Restores the order of rows where the world had the delta's first order: `undo` is a snapshot of
 * it. False when memory runs out. */
bool setti_delta_arrange(setti_delta* delta, setti_snapshot* undo);

#endif
