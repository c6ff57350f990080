/* codec.h: how values travel of a type that is more than its bytes: what its module registers, so
 * that comparing, encoding and playing know types, and no module by name.
 *
 * Modules keep indices, keys and lists in their components, which a receiver could not check. So a
 * codec writes them as a program would set them (this parent, this target, this name), and plays
 * them by the calls that a program would make. The order of a list is sent only where it does not
 * follow from the entries: the list's members that were in it before, in their order, then the new
 * ones, ascending. */
#ifndef SETTI_CODEC_H
#define SETTI_CODEC_H

#include "base/bytes.h"
#include "world/component.h"

/* The form of a value in a delta, and the reader of it. */
typedef enum setti_delta_form {
    SETTI_DELTA_VALUES, /* bytes: of a type without a codec */
    SETTI_DELTA_TREE,
    SETTI_DELTA_NAME,
    SETTI_DELTA_LINK,
    SETTI_DELTA_LINKS,
    SETTI_DELTA_TARGET,
    SETTI_DELTA_OTHER, /* by a module that is not the library's */
    SETTI_DELTA_OWNED, /* canonical, of values that differ in size */
    SETTI_DELTA_FORMS
} setti_delta_form;

typedef enum setti_delta_kind {
    SETTI_DELTA_REMOVED,
    SETTI_DELTA_ADDED,
    SETTI_DELTA_CHANGED,
    SETTI_DELTA_KINDS
} setti_delta_kind;

/* One entry of a type, or a block of them. */
typedef struct setti_delta_entry {
    uint32_t kind;
    uint32_t index;             /* of a block: the first of its word */
    uint64_t bits;              /* of a block: those in it; else 0 */
    uint32_t count;             /* of items, where the codec counts them */
    uint32_t size;              /* bytes of the value, or of an item, as the delta has them */
    const unsigned char* bytes; /* of the value; NULL if it is removed */
} setti_delta_entry;

/* The k-th number of four bytes. */
static inline uint32_t setti_delta_word(const unsigned char* bytes, size_t k)
{
    return (uint32_t)setti_bytes_get(bytes + 4 * k, 4);
}

/* The sides on which two states are compared. While a delta is played both are the live state. */
enum {
    SETTI_BEFORE,
    SETTI_AFTER
};

/* Reads two states; `side` says which. */
typedef struct setti_sides {
    sett_entity (*entity)(struct setti_sides* sides, uint32_t index, uint32_t side); /* or null */
    const void* (*value)(struct setti_sides* sides, const setti_type* type, uint32_t index,
                         uint32_t side); /* NULL: the entity has none */
    const void* (*page)(struct setti_sides* sides, const setti_pages* pages, uint32_t number,
                        uint32_t side); /* NULL: it is not there */
    uint32_t (*number)(struct setti_sides* sides, const setti_root* root,
                       uint32_t side); /* of a root that is one */
} setti_sides;

/* Where a codec writes to. */
typedef struct setti_encoder {
    setti_sides* sides; /* values of SETTI_AFTER are written */
    void (*write)(struct setti_encoder* to, const void* bytes, size_t size);
    /* The program's bytes, as they travel: padding as zeroes, little endian. */
    void (*write_data)(struct setti_encoder* to, const setti_type* data, const void* value);
    void* user;
    sett_status status; /* what cannot be written, and why, is in the world's message */
} setti_encoder;

static inline void setti_encode_number(setti_encoder* to, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    setti_bytes_put(bytes, number, size);
    to->write(to, bytes, size);
}

/* The fate of the entity at an index. */
typedef enum setti_fate {
    SETTI_FATE_NONE, /* the delta leaves none there */
    SETTI_FATE_STAYS,
    SETTI_FATE_BEGINS /* another was there, or none */
} setti_fate;

/* A delta that is played. */
typedef struct setti_player {
    setti_sides* sides; /* the live world */
    setti_fate (*fate)(const struct setti_player* player, uint32_t index);
    /* Reserves memory for the next call that changes something. False: the world says why. */
    bool (*room)(const struct setti_player* player);
    bool (*reject)(const struct setti_player* player, const char* why); /* returns false */
    /* Reads the bytes of write_data over a value; padding stays. */
    void (*read_data)(const struct setti_player* player, const setti_type* type,
                      const unsigned char* bytes, void* value);
} setti_player;

/* The direction of a step in a list. */
typedef enum setti_list_step {
    SETTI_LIST_NEXT,
    SETTI_LIST_PREVIOUS
} setti_list_step;

/* A list whose members name its owner in their values. */
typedef struct setti_codec_list {
    uint32_t count;
    uint32_t first, last; /* places; SETTI_NONE if it is empty */
} setti_codec_list;

/* The position of a walk; zeroes at first. */
typedef struct setti_codec_cursor {
    uint32_t number;
    uint32_t place;
} setti_codec_cursor;

typedef struct setti_codec {
    setti_delta_form form;
    uint32_t counted;     /* bytes of the count that a value begins with; 0: it has none */
    uint32_t pass;        /* 0 or 1: values are set in order of passes, and detached in the other */
    uint32_t remove_pass; /* up to 2 */
    bool by_index;        /* values name their owner by index, whichever entity has it */
    bool whole;           /* one call may write to all rows */
    bool direct;          /* a member is in one list at most, at its own index as its place */
    /* Bytes of a value; of one that is counted, of each item, 0 if it is a text. NULL: 0. */
    uint32_t (*bytes)(const setti_type* type);

    /* Encoding. */
    /* Returns the type that has the lists which values of this type depend on. The pointer is NULL
     * if they depend on lists of their own type, or on none. */
    const setti_type* (*follows)(const sett_world* world);
    /* Whether a value must be written, whatever its owner. NULL: where its bytes
     * differ. */
    bool (*differs)(const void* before, const void* after);
    void (*encode)(setti_encoder* to, const setti_type* type, const void* value); /* optional */

    /* Playing. */
    /* NULL, or what is wrong with a value, whatever the world. Optional. */
    const char* (*check)(const setti_player* player, const setti_type* type,
                         const setti_delta_entry* entry);
    /* Before entities end: takes a value out of its lists, and all values of an entity that will
     * end (which need not have the type). Optional. */
    bool (*detach_for_move)(const setti_player* player, setti_type* type,
                            const setti_delta_entry* entry);
    bool (*detach)(const setti_player* player, setti_type* type, sett_entity entity);
    /* Sets the value; NULL removes it, as sett_remove does. Memory for the first change is
     * reserved. */
    bool (*play)(const setti_player* player, setti_type* type, sett_entity entity,
                 const setti_delta_entry* entry);
    bool (*remove)(const setti_player* player, setti_type* type, sett_entity entity);

    /* Whether no value leads back to its entity, by `owner`: checked of all that a delta sets.
     * Optional. */
    bool (*acyclic)(const setti_type* type);

    /* Lists. NULL: there are none. */
    /* The owners of the lists that a value is in, one by one, then null. */
    sett_entity (*owner)(setti_sides* sides, const setti_type* type, uint32_t index, uint32_t side,
                         setti_codec_cursor* cursor);
    /* The list that an entity owns; false if it has none. */
    bool (*list)(setti_sides* sides, const setti_type* type, uint32_t owner, uint32_t side,
                 setti_codec_list* list);
    /* The member at a place, which becomes that of the next member, or of the one before. */
    uint32_t (*step)(setti_sides* sides, const setti_type* type, uint32_t side, uint32_t* place,
                     setti_list_step step);
    /* Moves a member of an owner's list to its end; false if it is no member. */
    bool (*requeue)(setti_type* type, sett_entity owner, uint32_t member);
} setti_codec;

/* The codec of a type of the library's own modules, or NULL; registers a type of these, which the
 * library registers itself when a program first uses it, and nothing for other names (relation/
 * codecs.c). Found by these calls, so that programs without deltas do not link them. A program
 * without relation/ compiles state/ with SETT_NO_RELATION: there are no such types. */
#if defined(SETT_NO_RELATION)
static inline const setti_codec* setti_codec_own(const setti_type* type)
{
    (void)type;
    return NULL;
}

static inline sett_status setti_codec_register_library(sett_world* world, const char* name)
{
    (void)world;
    (void)name;
    return SETT_OK;
}
#else
const setti_codec* setti_codec_own(const setti_type* type);
sett_status setti_codec_register_library(sett_world* world, const char* name);
#endif

#endif
