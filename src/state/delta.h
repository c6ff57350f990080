/* delta.h: the layout of a delta's bytes, and calls to encode and apply deltas. */
#ifndef SETTI_DELTA_H
#define SETTI_DELTA_H

#include "base/bytes.h"
#include "sett/state.h"
#include "state/hash.h"
#include "world/codec.h"

#define SETTI_DELTA_MAGIC 0x44544553u /* "SETD" */
/* The library reads no older version. */
#define SETTI_DELTA_VERSION 8u
#define SETTI_DELTA_SHORT 0x80000000u /* flag of the version: hashes lack their upper halves */
#define SETTI_DELTA_PART 0x50544553u  /* "SETP": values of a part of a world (selection.c) */
/* Offsets of the head's numbers, of 8 bytes each. */
#define SETTI_DELTA_HASH_BEFORE 8
#define SETTI_DELTA_HASH_AFTER 16
#define SETTI_DELTA_SIZE 24   /* bytes of the whole delta */
#define SETTI_DELTA_SEAL 32   /* checksum of the counts and all later bytes */
#define SETTI_DELTA_COUNTS 40 /* the first count */
/* Offsets of the head's counts, of 4 bytes each. */
#define SETTI_DELTA_COUNT_TYPES SETTI_DELTA_COUNTS
#define SETTI_DELTA_TYPES_SIZE (SETTI_DELTA_COUNTS + 4)   /* bytes of the types' records */
#define SETTI_DELTA_COUNT_ENDED (SETTI_DELTA_COUNTS + 8)  /* runs of destroyed entities */
#define SETTI_DELTA_COUNT_BEGUN (SETTI_DELTA_COUNTS + 12) /* runs of created entities */
#define SETTI_DELTA_COUNT_SLOTS (SETTI_DELTA_COUNTS + 16) /* runs of freed indices */
#define SETTI_DELTA_HEAD (SETTI_DELTA_COUNTS + 5 * 4)     /* bytes of the head */

/* A run of handles: neighbouring indices of the same generation. */
#define SETTI_DELTA_HANDLES_SIZE 9 /* bytes of a run: first index, generation, count */
#define SETTI_DELTA_HANDLES_MAX 16 /* handles in a run at most */

#define SETTI_DELTA_ENTRY_HEAD 5  /* bytes of an entry before its values: kind and index */
#define SETTI_DELTA_BLOCK_HEAD 13 /* bytes of a block before its values: kind, first index, bits */

/* Flag of a kind: the entry is a block of up to 64 entities. */
#define SETTI_DELTA_BLOCK 8u

/* The sections of a type in a delta, in order. */
typedef enum setti_delta_section {
    SETTI_DELTA_ENTRIES,
    SETTI_DELTA_CHANGES, /* the reader turns changes into blocks of entries */
    SETTI_DELTA_LISTS,
    SETTI_DELTA_ROWS,
    SETTI_DELTA_SECTIONS
} setti_delta_section;

/* The codec for types with strings or lists, or with the hooks `write` and `read`. */
extern const setti_codec setti_owned_codec;

/* Returns the codec of a type's values. Returns NULL if values are sent as bytes, or not at all. */
const setti_codec* setti_delta_codec(const setti_type* type);
setti_delta_form setti_delta_form_of(const setti_type* type);

/* Returns the reason why values of `type` cannot be sent, or NULL. */
const char* setti_delta_rejects(const setti_type* type);

/* Whether deltas have the bytes of members in another order than this machine's memory. */
SETTI_INLINE bool setti_delta_turns(const setti_type* type)
{
    return SETTI_BIG_ENDIAN && type->members != NULL && setti_hash_size(type) != 0;
}

/* Sets the padding in a copy of a value to zeroes. */
SETTI_INLINE void setti_delta_mask(const setti_type* type, unsigned char* copy, size_t size)
{
    const unsigned char* mask = type->desc.mask;
    if (mask != NULL) {
        for (size_t k = 0; k < size; k++) {
            copy[k] &= mask[k];
        }
    }
}

/* A type's record has one number for: form + SETTI_DELTA_KIND * (kind of the storage) + flags. */
#define SETTI_DELTA_KIND 16u

/* Flag of a form: a big-endian machine wrote the values, and no reader can turn them, because their
 * members are not known. */
#define SETTI_DELTA_BIG_ENDIAN 128u
/* Returns SETTI_DELTA_BIG_ENDIAN if a type needs the flag on this machine, or 0. */
SETTI_INLINE uint32_t setti_delta_order_of(const setti_type* type)
{
    type = setti_type_data(type);
    bool has_members =
        type->desc.write != NULL || (type->members != NULL && !type->members->opaque);
    bool ordered = setti_hash_size(type) > 1; /* one byte has no order */
    if (SETTI_BIG_ENDIAN && !has_members && ordered) {
        return SETTI_DELTA_BIG_ENDIAN;
    }
    return 0;
}

/* Returns the size of a value in memory. Records of types in deltas and files have this size. */
size_t setti_delta_size(const setti_type* type);

/* Flag of a form: values are rounded. The record has a hash of how they are rounded, in place of
 * the hash of the padding. */
#define SETTI_DELTA_SENT 64u
/* Whether values of `type` can be sent rounded. */
bool setti_delta_sends(const setti_type* type);

/* Returns the size of an encoded value, or of an item if the codec counts items. */
uint32_t setti_delta_bytes(const setti_type* type);

/* Returns the checksum of a delta's bytes from SETTI_DELTA_COUNTS on. */
uint64_t setti_delta_seal(const void* bytes, size_t size);

/* Fails if `size` bytes do not fit into the caller's buffer `out`. NULL is not a buffer. */
sett_status setti_delta_check_capacity(sett_world* world, const char* call, const void* out,
                                       size_t capacity, size_t size);

/* Applies the recorded commands, then encodes the whole state. */
sett_status setti_delta_encode_state(sett_world* world, const char* call, setti_bytes* out);

sett_status setti_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                               const char* call, setti_bytes* out);

/* Converts values of a type with another layout in the delta. */
typedef struct setti_delta_rule {
    const char* name; /* name of the type */
    /* Converts `size` bytes of the delta to the initialised value `to`. */
    void (*convert)(struct setti_delta_rule* rule, const void* from, size_t size, void* to);
} setti_delta_rule;

/* Where the bytes come from, for messages. */
typedef enum setti_delta_source {
    SETTI_FROM_DELTA,
    SETTI_FROM_SELECTION,
    SETTI_FROM_STATE, /* sett_state_apply */
    SETTI_FROM_FILE
} setti_delta_source;

/* Loads a state into an empty world without listeners, in at most `limit` bytes. Destroy the world
 * after a failure. */
sett_status setti_delta_load(sett_world* world, const void* bytes, size_t size, size_t limit,
                             setti_delta_source source);

/* An array of structs of `size` bytes that begin with a setti_delta_rule. */
typedef struct setti_delta_rules {
    setti_delta_rule* first;
    size_t size;
    uint32_t count;
} setti_delta_rules;

/* Loads a state of this process, and converts values by `rules`. */
sett_status setti_delta_convert(sett_world* world, const setti_bytes* state,
                                const setti_delta_rules* rules);

/* The entities and types that a part may contain. */
typedef struct setti_delta_allowed {
    const sett_selection* selection;
    const struct setti_selected* entities; /* NULL: all entities */
} setti_delta_allowed;

/* Applies a part of a world's values, in the name of the program's call. */
sett_status setti_delta_apply_part(sett_world* world, const void* bytes, size_t size,
                                   const setti_delta_allowed* allowed, const char* call);

/* Applies a delta in the name of the program's call. `source` says where the bytes come from. */
sett_status setti_delta_apply_from(sett_world* world, const void* bytes, size_t size,
                                   setti_delta_source source, const char* call);

/* Whether the checksum of a delta and the hashes of states are compared. */
typedef enum setti_trust {
    SETTI_COMPARE_HASHES,
    SETTI_TRUST
} setti_trust;

/* Like sett_delta_apply, for tests and tools. */
sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, setti_trust trust);

#endif
