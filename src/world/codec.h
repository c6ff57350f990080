/* codec.h: how deltas contain the values of a type that are more than bytes. A module registers a
 * codec for its type, so that code that compares, encodes and plays deltas names no module.
 *
 * Modules store indices, keys and lists in their components, which a receiver could not check. So a
 * codec writes values as a program would set them (this parent, this target, this name), and plays
 * them by the calls that a program would make. The receiver expects of a list first the members
 * that it had before, in their order, then the new ones, ascending by index; any other order is
 * sent. */
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

/* One entry of a type, or a block of entries for up to 64 neighbouring entities. */
typedef struct setti_delta_entry {
    uint32_t kind;              /* setti_delta_kind */
    uint32_t index;             /* of the entity; of a block: the first index of its word */
    uint64_t bits;              /* of a block: a bit for each entity in it; of one entry: 0 */
    uint32_t count;             /* items of the value, if the codec counts them */
    uint32_t size;              /* bytes of the value, or of an item, in the delta */
    const unsigned char* bytes; /* of the value; NULL if it is removed */
} setti_delta_entry;

/* The k-th number of four bytes. */
static inline uint32_t setti_delta_word(const unsigned char* bytes, size_t k)
{
    return (uint32_t)setti_bytes_get(bytes + 4 * k, 4);
}

/* The sides on which two states are compared. While a delta is played, SETTI_AFTER is the live
 * world. */
enum {
    SETTI_BEFORE,
    SETTI_AFTER
};

/* Reads two states; `side` says which. */
typedef struct setti_sides {
    /* The entity at an index, or null. */
    sett_entity (*entity)(struct setti_sides* sides, uint32_t index, uint32_t side);
    /* The value of the entity at an index, or NULL. */
    const void* (*value)(struct setti_sides* sides, const setti_type* type, uint32_t index,
                         uint32_t side);
    /* A page of a table, or NULL. */
    const void* (*page)(struct setti_sides* sides, const setti_pages* pages, uint32_t number,
                        uint32_t side);
    /* The contents of a root that is one number of 4 bytes. */
    uint32_t (*number)(struct setti_sides* sides, const setti_root* root, uint32_t side);
} setti_sides;

/* What a codec writes to. */
typedef struct setti_encoder {
    setti_sides* sides; /* values of SETTI_AFTER are written */
    void (*write)(struct setti_encoder* to, const void* bytes, size_t size);
    /* Writes the program's bytes in the delta's form: little-endian, padding as zeroes. */
    void (*write_data)(struct setti_encoder* to, const setti_type* data, const void* value);
    void* user;
    sett_status status; /* if it is not OK, the world's message says what cannot be written */
} setti_encoder;

static inline void setti_encode_number(setti_encoder* to, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    setti_bytes_put(bytes, number, size);
    to->write(to, bytes, size);
}

/* What a delta does to the entity at an index. */
typedef enum setti_fate {
    SETTI_FATE_NONE,  /* no entity is there afterwards */
    SETTI_FATE_STAYS, /* it survives */
    SETTI_FATE_BEGINS /* it is created; another one, or none, was there before */
} setti_fate;

/* A delta that is being played. */
typedef struct setti_player {
    setti_sides* sides; /* SETTI_AFTER is the live world */
    setti_fate (*fate)(const struct setti_player* player, uint32_t index);
    /* Reserves memory for the next call that changes something. False, with the world's message
     * set, when memory runs out. */
    bool (*room)(const struct setti_player* player);
    /* Reports what is wrong with the delta. Returns false. */
    bool (*reject)(const struct setti_player* player, const char* why);
    /* Reads bytes that write_data has written into a value; its padding is not changed. */
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
    uint32_t first; /* place of the first member; SETTI_NONE: the list is empty */
    uint32_t last;  /* place of the last member; SETTI_NONE: the list is empty */
} setti_codec_list;

/* The position of a walk over the owners of a value; zeroes at first. Its members are the
 * codec's. */
typedef struct setti_codec_cursor {
    uint32_t number;
    uint32_t place;
} setti_codec_cursor;

typedef struct setti_codec {
    setti_delta_form form;
    uint32_t counted; /* bytes of the count that a value begins with; 0: it has no count */
    uint32_t pass;    /* 0 or 1: values are set in the order of passes, and detached in reverse */
    uint32_t remove_pass; /* 0 to 2: values are removed in the order of these passes */
    bool by_index;        /* values name their owner by index, without a generation */
    bool whole;           /* one call may write to all rows of the type */
    bool direct;          /* a member is in one list at most, and its place is its index */
    /* Bytes of a value; of a counted value: of an item, 0 if it is a text. NULL: 0. */
    uint32_t (*bytes)(const setti_type* type);

    /* Encoding. */
    /* Returns the type that has the lists which values of this type depend on. The pointer is NULL
     * if they depend on lists of their own type, or on none. */
    const setti_type* (*follows)(const sett_world* world);
    /* Whether a value must be written, whatever its owner. NULL: where its bytes differ. */
    bool (*differs)(const void* before, const void* after);
    void (*encode)(setti_encoder* to, const setti_type* type, const void* value); /* optional */

    /* Playing. */
    /* NULL, or what is wrong with a value in any world. Optional. */
    const char* (*check)(const setti_player* player, const setti_type* type,
                         const setti_delta_entry* entry);
    /* Called before entities are destroyed: takes the value of an entry out of its lists, because
     * the value changes. Optional. */
    bool (*detach_for_move)(const setti_player* player, setti_type* type,
                            const setti_delta_entry* entry);
    /* Called before entities are destroyed, for each that will be, which may lack the type: takes
     * all of its values out of their lists. Optional. */
    bool (*detach)(const setti_player* player, setti_type* type, sett_entity entity);
    /* Sets the value; NULL removes it, as sett_remove does. Memory for the first change is
     * reserved. */
    bool (*play)(const setti_player* player, setti_type* type, sett_entity entity,
                 const setti_delta_entry* entry);
    bool (*remove)(const setti_player* player, setti_type* type, sett_entity entity);

    /* Whether links of the type must not close a circle: that is checked, by `owner`, for all
     * values that a delta sets. Optional. */
    bool (*acyclic)(const setti_type* type);

    /* Lists. NULL: there are none. */
    /* The next owner of a list that the value of an entity is in; null at the end. */
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

/* The codec of a type of the library's own modules, or NULL. The second function registers such a
 * type by its name, and does nothing for other names. Both are in a file of their own, and called
 * by deltas only, so that programs without deltas do not link codecs. A program without relation/
 * compiles state/ with SETT_NO_RELATION: there are no such types. */
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
