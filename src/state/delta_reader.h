/* delta_reader.h: shared by the files that apply a delta. */
#ifndef SETTI_DELTA_READER_H
#define SETTI_DELTA_READER_H

#include "state/delta.h"
#include "state/snapshot.h"

/* A position in a delta's bytes. */
typedef struct setti_delta_reader {
    const unsigned char* at;
    const unsigned char* end;
    bool short_of; /* a read went beyond the end */
} setti_delta_reader;

/* Returns a reader of `bytes`, which may be NULL if `size` is 0. */
static inline setti_delta_reader setti_delta_reader_of(const void* bytes, size_t size)
{
    const unsigned char* at = bytes;
    return (setti_delta_reader){.at = at, .end = size != 0 ? at + size : at};
}

/* Returns the next `size` bytes, or NULL if fewer are left. */
const unsigned char* setti_delta_read(setti_delta_reader* reader, size_t size);

/* Skips `count` items of `item_size` bytes. Returns false if fewer bytes are left. */
bool setti_delta_skip(setti_delta_reader* reader, uint32_t count, size_t item_size);

struct setti_delta_writer;
/* Unpacks bytes that setti_delta_pack packed. */
void setti_delta_unpack(setti_delta_reader* reader, size_t size, struct setti_delta_writer* writer);

/* Reads a number of `size` bytes. Returns 0 if fewer are left. */
static inline uint64_t setti_delta_number(setti_delta_reader* reader, size_t size)
{
    const unsigned char* bytes = setti_delta_read(reader, size);
    return bytes != NULL ? setti_bytes_get(bytes, size) : 0;
}

/* Reads a number of 7 bits a byte, the lowest first. Each byte but the last has 128 added. A number
 * of more than nine bytes is invalid: it counts as a read beyond the end. */
uint64_t setti_delta_short_number(setti_delta_reader* reader);

static inline uint32_t setti_delta_u32(setti_delta_reader* reader)
{
    return (uint32_t)setti_delta_number(reader, 4);
}

static inline sett_entity setti_delta_entity(setti_delta_reader* reader)
{
    sett_entity entity;
    entity.index = setti_delta_u32(reader);
    entity.generation = setti_delta_u32(reader);
    return entity;
}

/* Runs of handles, read one handle at a time. Reading changes the list: iterate over a copy. */
typedef struct setti_delta_handles {
    setti_delta_reader from;
    uint32_t runs;    /* left after the current run */
    uint32_t count;   /* handles left in the current run */
    sett_entity next; /* the first handle left in the current run */
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
    uint32_t choice;          /* setti_module.choice, for types with choices */
    uint32_t kind;            /* setti_kind of the sender's storage */
    uint32_t bytes;           /* of an encoded value, or of an item if values are counted */
    bool sent;                /* values were sent rounded */
    bool renamed;             /* the delta has one of the type's old names */
    uint64_t padding_hash;
    uint32_t extent; /* of the sender's storage */
    /* By section: number of entries, words of changes (delta_change.c), lists, or runs of rows. */
    uint32_t count[SETTI_DELTA_SECTIONS];
    setti_delta_reader section[SETTI_DELTA_SECTIONS]; /* where each section begins */
    setti_bytes changes;                              /* changed values, turned into entries */
    setti_bytes filtered;                             /* a part's entries after check_rewrite */
    setti_delta_rule* rule;                           /* how to convert values, or NULL */
    uint32_t* want; /* wanted index of each row (delta_arrange.c), or NULL */
} setti_delta_type;

typedef struct setti_delta {
    setti_player player; /* first: codecs get the delta as a setti_player */
    sett_world* world;
    uint64_t before;                /* hash of the first state */
    uint64_t after;                 /* hash of the last state */
    uint64_t hash_mask;             /* bits of these hashes that were sent */
    const setti_delta_rules* rules; /* or NULL */
    bool loading;                   /* into an empty world */
    bool trusted;                   /* the checksum and the hashes of states are not compared */
    setti_delta_source source;
    const setti_delta_allowed* part; /* allowed contents; NULL: the delta is no part */
    uint32_t type_count;
    uint32_t types_found; /* number of parsed types */
    setti_delta_type* type;
    setti_delta_handles ended;  /* destroyed entities */
    setti_delta_handles begun;  /* created entities; in a part, all entities with entries */
    setti_delta_handles slots;  /* freed indices; in a part, parents */
    setti_delta_reader changed; /* the changed entities of the last type with changes */
    uint32_t changed_words;     /* number of words in `changed` */
    size_t limit;               /* bytes of memory that the delta may take */
    size_t room;                /* bytes for the page copies of a step */
    uint32_t room_pages;        /* page copies of a step, at most */
} setti_delta;

/* Reads the next entry of a type, or block of entries. An invalid entry counts as a read
 * beyond the end. */
setti_delta_entry setti_delta_next(setti_delta_reader* reader, const setti_delta_type* delta_type);

/* Takes the next entry out of a block, or the single entry. Returns false at the end. */
bool setti_delta_take(setti_delta_entry* block, const setti_delta_type* delta_type,
                      setti_delta_entry* entry);

/* Finds the handle with an index, by bisection. Returns false if the list has none. */
bool setti_delta_find_handle(const setti_delta_handles* list, uint32_t index, sett_entity* entity);

/* Reads the head, the types and the lists of handles. Leaves the sections of types in `reader`. */
sett_status setti_delta_parse(setti_delta* delta, setti_delta_reader* reader);

/* Returns the bytes of memory that the list of types takes. */
size_t setti_delta_types_size(const setti_delta* delta);

/* Checks a parsed delta against the world, and notes where the sections of types begin. */
sett_status setti_delta_check(setti_delta* delta, setti_delta_reader* reader);

/* Reads a type's changes, and turns the changes into entries. */
sett_status setti_delta_read_changes(setti_delta* delta, setti_delta_reader* reader,
                                     setti_delta_type* delta_type);

/* Returns what a delta does with the entity at an index. */
setti_fate setti_delta_fate(const setti_delta* delta, uint32_t index);

/* Reads the bytes of an encoded value. */
void setti_delta_read_data(const setti_player* player, const setti_type* type,
                           const unsigned char* bytes, void* value);

/* Fails with INVALID, because the bytes are damaged. `format` gives the reason. */
sett_status setti_delta_reject(const setti_delta* delta, const char* format, ...)
    SETTI_PRINTF(2, 3);

/* Fails in the name of the program's call. */
sett_status setti_delta_fail(const setti_delta* delta, sett_status status, const char* format, ...)
    SETTI_PRINTF(3, 4);

/* Fails with LIMIT, because the bytes need more memory than they may take. */
sett_status setti_delta_reject_size(const setti_delta* delta);

/* Reports the world's latest error, which a call of the library met, for the program's call. */
sett_status setti_delta_fail_step(const setti_delta* delta);

/* Returns the word for the bytes in messages, such as "delta". */
const char* setti_delta_noun(const setti_delta* delta);

/* Reserves memory to change one entity in one type. Sets the world's error on failure. */
bool setti_delta_room(const setti_delta* delta);

/* Reserves memory to sort the rows of a sparse set. Sets the world's error on failure. */
bool setti_delta_room_to_arrange(const setti_delta* delta, const setti_storage* storage,
                                 uint32_t extent);

/* Plays everything except the order of rows. Sets the world's error on failure. */
bool setti_delta_play(setti_delta* delta);

/* Finds a value of the delta that a callback has overwritten: its entity, and the name of its type.
 * Returns false if there is none. */
bool setti_delta_find_altered(const setti_delta* delta, sett_entity* entity, const char** name);

/* Sorts rows into the sender's order. Returns false when memory runs out. */
bool setti_delta_arrange(setti_delta* delta, setti_snapshot* undo);

#endif
