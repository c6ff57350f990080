/* codec.h: how deltas contain values that are more than bytes. A module registers a codec for its
 * type, so that the code for comparing, encoding and playing deltas names no module.
 *
 * Components of modules have indices, keys and lists, and a receiver could not check these. So a
 * codec writes what a program would pass to set the value: a parent, a target, a name. The receiver
 * plays the value by the calls that a program would make.
 *
 * The receiver expects the old members of a list in the old order, then the new members by index.
 * If a list has another order, the delta contains this order. */
#ifndef SETTI_CODEC_H
#define SETTI_CODEC_H

#include "base/bytes.h"
#include "world/component.h"

/* The form of a value in a delta. The receiver reads a value by its form. */
typedef enum setti_delta_form {
    SETTI_DELTA_VALUES, /* bytes; the type has no codec */
    SETTI_DELTA_TREE,
    SETTI_DELTA_NAME,
    SETTI_DELTA_LINK,
    SETTI_DELTA_LINKS,
    SETTI_DELTA_TARGET,
    SETTI_DELTA_OTHER, /* written by a module outside the library */
    SETTI_DELTA_OWNED, /* values with strings or lists, in canonical form; their sizes differ */
    SETTI_DELTA_FORMS  /* number of forms */
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
    uint32_t index;             /* index of the entity; in a block: the lowest of the 64 indices */
    uint64_t bits;              /* in a block: a bit for each entity; in a single entry: 0 */
    uint32_t count;             /* number of items in the value, if the codec counts items */
    uint32_t size;              /* bytes of the value, or of an item, in the delta */
    const unsigned char* bytes; /* the value; NULL if the value is removed */
} setti_delta_entry;

/* Returns the k-th number in an array of 4-byte numbers. */
static inline uint32_t setti_delta_word(const unsigned char* bytes, size_t k)
{
    return (uint32_t)setti_bytes_get(bytes + 4 * k, 4);
}

/* The two states that a codec can read. While a delta is played, SETTI_AFTER is the live world. */
enum {
    SETTI_BEFORE,
    SETTI_AFTER
};

/* Functions that read two states. `side`, SETTI_BEFORE or SETTI_AFTER, chooses the state. */
typedef struct setti_sides {
    /* Returns the entity at an index, or null if there is no entity. */
    sett_entity (*entity)(struct setti_sides* sides, uint32_t index, uint32_t side);
    /* Returns the value of the entity at an index. Returns NULL if the entity lacks the type. */
    const void* (*value)(struct setti_sides* sides, const setti_type* type, uint32_t index,
                         uint32_t side);
    /* Returns a page of a table, or NULL if the page is missing. */
    const void* (*page)(struct setti_sides* sides, const setti_pages* pages, uint32_t number,
                        uint32_t side);
    /* Returns the contents of a root. The root is a number of 4 bytes. */
    uint32_t (*number)(struct setti_sides* sides, const setti_root* root, uint32_t side);
} setti_sides;

/* The output of a codec. */
typedef struct setti_encoder {
    const char* call;   /* the program's call, for messages */
    setti_sides* sides; /* the codec writes values of SETTI_AFTER */
    void (*write)(struct setti_encoder* encoder, const void* bytes, size_t size);
    /* Writes a value of the program in the form of deltas: little-endian, padding as zeroes. */
    void (*write_data)(struct setti_encoder* encoder, const setti_type* data_type,
                       const void* value);
    void* user;
    sett_status status; /* SETT_OK, or the error of a value that could not be written */
} setti_encoder;

/* Writes the `size` lowest bytes of a number. */
static inline void setti_encode_number(setti_encoder* encoder, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    setti_bytes_put(bytes, number, size);
    encoder->write(encoder, bytes, size);
}

/* How a delta changes the entity at an index. */
typedef enum setti_fate {
    SETTI_FATE_NONE,  /* the index has no entity after the delta */
    SETTI_FATE_STAYS, /* the entity survives */
    SETTI_FATE_BEGINS /* the entity is created, possibly after another entity was destroyed */
} setti_fate;

/* A delta that is being played. */
typedef struct setti_player {
    const char* call;   /* the program's call, for messages */
    setti_sides* sides; /* SETTI_AFTER is the live world */
    setti_fate (*fate)(const struct setti_player* player, uint32_t index);
    /* Reserves memory for the next change. Returns false if memory runs out. */
    bool (*room)(const struct setti_player* player);
    /* Reports an error of the delta in values of `type`. Returns false. */
    bool (*reject)(const struct setti_player* player, const setti_type* type, const char* why);
    /* Decodes bytes that write_data has written, to `value`. Does not change padding. */
    void (*read_data)(const struct setti_player* player, const setti_type* type,
                      const unsigned char* bytes, void* value);
} setti_player;

/* The direction of a step in a list. */
typedef enum setti_list_step {
    SETTI_LIST_NEXT,
    SETTI_LIST_PREVIOUS
} setti_list_step;

/* A list of entities. Each member of the list has a value that names the list's owner. A place is
 * the number that a codec gives to a member of a list. */
typedef struct setti_codec_list {
    uint32_t count;
    uint32_t first; /* place of the first member; SETTI_NONE: the list is empty */
    uint32_t last;  /* place of the last member; SETTI_NONE: the list is empty */
} setti_codec_list;

/* The position in a loop over the owners that a value names. All members are 0 before the first
 * step; their meaning is up to the codec. */
typedef struct setti_codec_cursor {
    uint32_t number;
    uint32_t place;
} setti_codec_cursor;

typedef struct setti_codec {
    setti_delta_form form;
    uint32_t counted; /* bytes of the count at the start of a value; 0: values have no count */
    uint32_t
        pass; /* 0 or 1: values of pass 0 are set before values of pass 1, and detached after */
    uint32_t remove_pass; /* 0 to 2: values of pass 0 are removed first */
    bool by_index;        /* a value has the owner's index, without the owner's generation */
    bool whole;           /* one call of a codec's function may write to all rows of the type */
    bool direct; /* an entity is in at most one list, and the place is the entity's index */
    /* Returns the bytes of a value, or of an item if values have a count. NULL: an item is a
     * byte. */
    uint32_t (*bytes)(const setti_type* type);

    /* Encoding. */
    /* Values of this type depend on lists of another type: returns the other type. NULL: values
     * depend on no other type. */
    const setti_type* (*follows)(const sett_world* world);
    /* Returns true if a value must be written although its owner is the same. NULL: a value is
     * written if its bytes differ. */
    bool (*differs)(const void* before, const void* after);
    void (*encode)(setti_encoder* encoder, const setti_type* type,
                   const void* value); /* optional */

    /* Playing. */
    /* Returns NULL, or why a value is invalid in any world. Optional. */
    const char* (*check)(const setti_player* player, const setti_type* type,
                         const setti_delta_entry* entry);
    /* Takes a value that will change out of all lists, before entities are destroyed. Optional. */
    bool (*detach_for_move)(const setti_player* player, setti_type* type,
                            const setti_delta_entry* entry);
    /* Takes all values of an entity out of all lists, before the entity is destroyed. The entity
     * may lack the type. Optional. */
    bool (*detach)(const setti_player* player, setti_type* type, sett_entity entity);
    /* Sets a value. The caller has reserved memory for the first change; see setti_player.room. */
    bool (*play)(const setti_player* player, setti_type* type, sett_entity entity,
                 const setti_delta_entry* entry);
    /* Removes a value. NULL: sett_remove is called. */
    bool (*remove)(const setti_player* player, setti_type* type, sett_entity entity);

    /* Returns true if links of the type must not close a circle. Optional. */
    bool (*acyclic)(const setti_type* type);

    /* Lists. These functions are NULL if there are no lists. */
    /* Returns the owner of the next list that has the entity at an index. Returns null after the
     * last list. */
    sett_entity (*owner)(setti_sides* sides, const setti_type* type, uint32_t index, uint32_t side,
                         setti_codec_cursor* cursor);
    /* Finds the list of an owner. Returns false if the owner has no list. */
    bool (*list)(setti_sides* sides, const setti_type* type, uint32_t owner, uint32_t side,
                 setti_codec_list* list);
    /* Returns the index of the member at *place. *place becomes the place of the next or previous
     * member. */
    uint32_t (*step)(setti_sides* sides, const setti_type* type, uint32_t side, uint32_t* place,
                     setti_list_step step);
    /* Moves a member to the end of the owner's list. Returns false if the list lacks the member. */
    bool (*requeue)(setti_type* type, sett_entity owner, uint32_t member);
} setti_codec;

/* Only deltas call these functions, so that programs without deltas do not link codecs. */
#if defined(SETT_NO_RELATION) /* for programs without relation/ */
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
/* Returns the codec of a type that a module of the library has registered. Returns NULL for other
 * types. */
const setti_codec* setti_codec_own(const setti_type* type);

/* Registers the type with this name, if it is a type of the library's modules. Ignores other
 * names. */
sett_status setti_codec_register_library(sett_world* world, const char* name);
#endif

#endif
