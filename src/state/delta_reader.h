/* delta_reader.h: shared by the files that apply a delta. */
#ifndef SETTI_DELTA_READER_H
#define SETTI_DELTA_READER_H

#include "state/delta.h"
#include "state/snapshot.h"

/* Reads bytes; beyond their end it reads zeroes. */
typedef struct setti_delta_reader {
    const unsigned char* at;
    const unsigned char* end;
    bool short_of; /* a read went beyond the end */
} setti_delta_reader;

/* A reader of a caller's bytes, which may be NULL if `size` is 0. */
static inline setti_delta_reader setti_delta_reader_of(const void* bytes, size_t size)
{
    const unsigned char* at = bytes;
    return (setti_delta_reader){.at = at, .end = size != 0 ? at + size : at};
}

/* Returns the next `size` bytes, or NULL if there are fewer. */
const unsigned char* setti_delta_read(setti_delta_reader* from, size_t size);

/* Writes the `size` bytes that setti_delta_pack packed. Sets short_of if they are incomplete or
 * damaged. */
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
typedef struct setti_delta_handles {
    setti_delta_reader from;
    uint32_t runs;  /* left after the current run */
    uint32_t count; /* handles left in the current run */
    sett_entity next;
} setti_delta_handles;

/* Reads the next handle. Returns false at the end. */
static inline bool setti_delta_next_handle(setti_delta_handles* handles, sett_entity* entity)
{
    if (handles->count == 0) {
        if (handles->runs == 0) {
            return false;
        }
        handles->runs--;
        handles->next = setti_delta_entity(&handles->from);
        handles->count = (uint32_t)setti_delta_number(&handles->from, 1);
    }
    *entity = handles->next;
    handles->next.index++;
    handles->count--;
    return true;
}

typedef struct setti_delta_type {
    setti_type* type;
    setti_delta_form form;
    const setti_codec* codec; /* or NULL */
    uint32_t choice;          /* setti_module.choice, for types with one */
    uint32_t kind;            /* setti_kind of the sender's storage */
    uint32_t bytes;
    bool sent; /* values have `bytes` in rounded form, until they are restored */
    uint64_t padding_hash;
    uint32_t extent; /* of the sender's storage */
    uint32_t count[SETTI_DELTA_SECTIONS];
    setti_delta_reader section[SETTI_DELTA_SECTIONS];
    setti_bytes changes;
    setti_bytes filtered;   /* a part's entries, restored, and without dead targets */
    setti_delta_rule* rule; /* how to convert values, or NULL */
    uint32_t* want;         /* wanted index of each row (delta_arrange.c), or NULL */
} setti_delta_type;

/* A delta that was parsed. */
typedef struct setti_delta {
    setti_player player; /* first: the codecs' view of it */
    sett_world* world;
    uint64_t before;
    uint64_t after;
    uint64_t hash_mask;              /* bits of `before` and `after` that were sent */
    const setti_delta_rules* rules;  /* or NULL */
    bool loading;                    /* onto an empty world, which a failure destroys */
    const setti_delta_allowed* part; /* what a part of a world may contain; NULL: between states */
    uint32_t type_count;
    uint32_t types_found; /* number of types that were read and found until now */
    setti_delta_type* type;
    setti_delta_handles ended;
    setti_delta_handles begun;
    setti_delta_handles slots;
    setti_delta_reader changed; /* the last list of changed entities */
    uint32_t changed_words;     /* words in it */
    size_t limit;               /* bytes of memory that the delta may take */
    size_t room;                /* bytes that one step may need for copies of pages */
    uint32_t room_pages;        /* number of these pages at most */
} setti_delta;

/* Reads the next entry or block. */
setti_delta_entry setti_delta_next(setti_delta_reader* from, const setti_delta_type* of);

/* Takes the first entry out of a block, or the entry itself if it is no block. Returns false if
 * none is left. */
bool setti_delta_take(setti_delta_entry* block, const setti_delta_type* of,
                      setti_delta_entry* entry);

/* Reads a type's changes, and turns them into entries with the world's values. Returns OK, or fails
 * with INVALID or OUT_OF_MEMORY. */
sett_status setti_delta_read_changes(setti_delta* delta, setti_delta_reader* from,
                                     setti_delta_type* of);

/* A run of rows; `count` indices follow. */
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

/* Whether the delta ends, creates or keeps the entity at an index. */
setti_fate setti_delta_fate(const setti_delta* delta, uint32_t index);

/* setti_player.read_data. */
void setti_delta_read_data(const setti_player* player, const setti_type* type,
                           const unsigned char* bytes, void* value);

/* Fails with INVALID and the reason. */
sett_status setti_delta_reject(const setti_delta* delta, const char* why);

/* Reserves memory for undoing the next step, which changes one entity in one type: for copies of
 * its pages. Returns false when memory runs out. */
bool setti_delta_room(const setti_delta* delta);

/* Like setti_delta_room, for sorting the rows of a sparse set up to row `extent`. This may write to
 * all of its pages, park some and allocate others. Includes all allocations until then, because
 * they would take from the reserved memory. */
bool setti_delta_room_to_arrange(const setti_delta* delta, const setti_storage* storage,
                                 uint32_t extent);

/* Plays everything except the order of rows. Returns false with the world's error set; the caller
 * undoes it. */
bool setti_delta_play(setti_delta* delta);

/* Finds a value of the delta that a callback has written. Returns false if there is none. */
bool setti_delta_find_altered(const setti_delta* delta, sett_entity* entity, const char** name);

/* Restores the order of rows if it was the delta's first order in the snapshot `undo`. Returns
 * false when memory runs out. */
bool setti_delta_arrange(setti_delta* delta, setti_snapshot* undo);

#endif
