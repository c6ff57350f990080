/* delta.h: what encoding and applying share: the layout of a delta's bytes, and which values can be
 * sent.
 *
 *     head     magic, version, hash before, hash after, bytes in all, hash of the bytes from here
 *              on; how many types, bytes of them, and counts of the next three
 *     ended    runs of handles: first index, generation, how many (1 byte, 1 to 16)   ascending
 *     begun    the same
 *     slots    the same, of dead indices whose next life is not the next one: its generation
 *     and type by type
 *     entries  kind, index, value           ascending by index; removed: no value; or, of form
 *              values, kind + BLOCK, first index, bits (8 bytes), values of those with a bit
 *     changes  of form values, instead of entries: which values changed, and how (delta_change.c)
 *     lists    owner, kept, count, members  ascending by owner: what follows the first `kept`
 *     rows     runs of a sparse set's rows: first row, count, indices; a gap is SETTI_NONE
 *     and last, because then it is known which have any of these
 *     types    name, form and kind, size, layout version, bytes a value, hash of its mask, counts
 *              of its four, extent
 *              (tree: the default policy, less one, in place of the layout version)
 *
 * Of a type about which nothing is said, nothing travels: a record takes 43 bytes and its name, and
 * programs have a hundred types. Two occur without entries: those of a group of which one occurs,
 * which are arranged together; a type for which the program has chosen something
 * (setti_module.choice). A sparse set whose last rows went with their entities needs none: in which
 * order they go, the rows before them stay.
 *
 * Runs and blocks are short, so that no delta is much smaller than its result: the memory for a
 * hostile one can be bounded by its size.
 *
 * All numbers are little-endian and lie one after another without gaps.
 *
 * The form says what a value looks like, and how it is made:
 *
 *     values   its bytes, padding as zeroes (sett_component_desc.mask and bytes); little endian
 *              where it has members
 *     tree     parent's index plus one, policy       lists: children of an owner
 *     name     length, text
 *     link     target, data                          lists: sources of an owner
 *     links    how many, of each target and data     lists: sources of an owner
 *     target   nothing: that it has the list
 *     other    as another module writes it (world/codec.h)
 *     owned    length (4 bytes), canonical form: of values with strings or lists, or of hooks
 *
 * A list is sent where it does not follow from the entries: first the members that were in it
 * before, in their order, then the new ones, ascending.
 */
#ifndef SETTI_DELTA_H
#define SETTI_DELTA_H

#include "base/bytes.h"
#include "sett/state.h"
#include "state/hash.h"
#include "world/codec.h"

#define SETTI_DELTA_MAGIC 0x44544553u /* "SETD" */
/* 1: no links, no order; 2: spare pages; 3: no masks; 4: order of free indices; 5: no runs, no
 * blocks; 6: changed values whole; 7: all types, behind the head */
#define SETTI_DELTA_VERSION 8u
#define SETTI_DELTA_SHORT 0x80000000u /* beside the version: the lower halves of hashes only */
#define SETTI_DELTA_PART 0x50544553u  /* "SETP": values of a part of a world; selection.c */
#define SETTI_DELTA_SEAL 32           /* where the hash of the bytes is, */
#define SETTI_DELTA_COUNTS 40         /* where the head's counts are, and the checked bytes */
#define SETTI_DELTA_HEAD (SETTI_DELTA_COUNTS + 5 * 4) /* bytes */

#define SETTI_DELTA_LIFE 9   /* bytes of a run of handles, */
#define SETTI_DELTA_LIVES 16 /* and how many it has at most */

/* A flag beside an entry's kind: the entry is of up to 64 entities, whose first index is a multiple
 * of 64. */
#define SETTI_DELTA_BLOCK 8u

/* The parts of a type. */
typedef enum setti_delta_part {
    SETTI_DELTA_ENTRIES,
    SETTI_DELTA_CHANGES, /* behind the reader's check: as blocks of entries, in memory */
    SETTI_DELTA_LISTS,
    SETTI_DELTA_ROWS,
    SETTI_DELTA_PARTS
} setti_delta_part;

/* The codec of values that own memory: strings, lists, or the hooks `write` and `read`. */
extern const setti_codec setti_owned_codec;

/* How values of a type travel; NULL: as bytes. */
const setti_codec* setti_delta_codec(const setti_type* type);
setti_delta_form setti_delta_form_of(const setti_type* type);

/* NULL, or why values of this type cannot travel. */
const char* setti_delta_rejects(const setti_type* type);

/* Whether values are written in another byte order than they have. */
SETTI_INLINE bool setti_delta_turns(const setti_type* type)
{
    return SETTI_BIG_ENDIAN && type->members != NULL && setti_hash_size(type) != 0;
}

/* What a type's form says of values without members, or with opaque ones, that were written by a
 * big-endian machine: their byte order is not known. 0 for all others. */
#define SETTI_DELTA_BIG_ENDIAN 128u
SETTI_INLINE uint32_t setti_delta_order_of(const setti_type* type)
{
    type = setti_type_data(type);
    bool known = type->desc.write != NULL || (type->members != NULL && !type->members->opaque);
    return SETTI_BIG_ENDIAN && !known && setti_hash_size(type) > 1 ? SETTI_DELTA_BIG_ENDIAN : 0;
}

/* Bytes of a value in memory, as deltas and files say it: where hooks write it, of a list. */
size_t setti_delta_size(const setti_type* type);

/* What a type's form says of a part's values that are sent rounded (value/send.c): then the record
 * has the bytes that these take, and in place of the mask's hash that of how they are sent. */
#define SETTI_DELTA_SENT 64u
bool setti_delta_sends(const setti_type* type);

/* Bytes of a value; see setti_codec. */
uint32_t setti_delta_bytes(const setti_type* type);

/* The seal of a delta's bytes behind its counts; the head holds it. */
uint64_t setti_delta_seal(const void* bytes, size_t size);

/* Encodes the whole state: the delta from the empty world. Recorded commands are applied first.
 * Fails: as sett_delta_encode, for `call`. */
sett_status setti_delta_encode_state(sett_world* world, const char* call, setti_bytes* out);

/* Like setti_delta_encode_state, of two snapshots. */
sett_status setti_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                               setti_bytes* out);

/* How values of a type of this name are read, if their layout in the delta differs. */
typedef struct setti_delta_rule {
    const char* name;
    /* `size` bytes of the delta over an initialised value */
    void (*convert)(struct setti_delta_rule* rule, const void* from, size_t size, void* to);
} setti_delta_rule;

/* Plays a state onto a world in which nothing ever lived and nothing listens. It may take `limit`
 * bytes of memory. After a failure the world is only good to be destroyed. */
sett_status setti_delta_load(sett_world* world, const void* bytes, size_t size, size_t limit);

/* Like setti_delta_load, of a state that was encoded here, with rules, `size` bytes each, for some
 * of its types: its hash will be another one. */
typedef struct setti_delta_rules {
    setti_delta_rule* first;
    size_t size;
    uint32_t count;
} setti_delta_rules;
sett_status setti_delta_convert(sett_world* world, const setti_bytes* state,
                                const setti_delta_rules* rules);

/* Which entities and types a part may be about; `entities` NULL: all. */
typedef struct setti_delta_allowed {
    const sett_selection* selection;
    const struct setti_selected* entities;
} setti_delta_allowed;

/* Applies a part. Fails as sett_delta_apply, except that the state of the world does not matter. */
sett_status setti_delta_apply_part(sett_world* world, const void* bytes, size_t size,
                                   const setti_delta_allowed* allowed);

/* Applies a delta; `trust` leaves out the comparison of hashes: for replicas, and for tests. */
sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, bool trust);

#endif
