/* value.h: the members of values, and the canonical form of a value.
 *
 * The canonical form has the members in declared order and little endian. It contains no padding
 * and no local members. Text has zeroes after the end. All NaN have the same bits. Strings and
 * lists begin with the length, in 4 bytes. A form without strings and lists has a fixed size. */
#ifndef SETTI_VALUE_H
#define SETTI_VALUE_H

#include "base/guess.h"
#include "base/page.h"
#include "base/writer.h"
#include "sett/members.h"
#include "value/owner.h"

#define SETTI_VALUE_MESSAGE 256

#define SETTI_MEMBERS_COUNT_MAX 512 /* members of a struct */

/* How the bytes of a piece are encoded. */
typedef enum setti_piece_kind {
    SETTI_PIECE_BYTES, /* unchanged; units are reversed on big-endian machines */
    SETTI_PIECE_BOOL,  /* unchanged; 0 or 1 */
    SETTI_PIECE_FLOAT, /* all NaN have the same bits */
    SETTI_PIECE_TEXT,  /* zeroes follow the first zero */
    SETTI_PIECE_OWNED  /* a string or a list: `unit` is an index in setti_members.owned */
} setti_piece_kind;

/* Adjacent bytes of a value that are encoded in the same way. */
typedef struct setti_piece {
    uint32_t offset;
    uint32_t size;
    uint16_t kind; /* setti_piece_kind */
    uint16_t unit; /* bytes of a number: 1, 2, 4 or 8. SETTI_PIECE_OWNED: an index */
} setti_piece;

#define SETTI_NAN_SIZE 256 /* bytes of the largest type that has setti_members.words */

/* Finds NaN in eight bytes. If a float in the bytes `word` is NaN, the sum (word & ~test) + add has
 * the sign bit of the float. */
typedef struct setti_nan_word {
    uint64_t add;  /* carries into the sign bit if the float is NaN */
    uint64_t test; /* the sign bits of the floats */
} setti_nan_word;

#define SETTI_OWNED_COUNT_MAX 1024 /* strings and lists of a value */

typedef struct setti_owned {
    uint32_t offset;
    uint32_t item_size;         /* bytes of a list's item in memory; 0: a string */
    uint32_t encoded_item_size; /* bytes of an item's canonical form */
    uint32_t piece_count;       /* pieces of an item */
    const setti_piece* pieces;
} setti_owned;

/* A member that selections send as a rounded number (sett_member.send). */
typedef struct setti_send {
    uint32_t offset;
    uint16_t size; /* bytes: 4 or 8 */
    uint16_t bits; /* number of bits of the rounded number */
    double scale;
} setti_send;

/* Facts about a type's values, in one allocation of `room` bytes. */
typedef struct setti_members {
    sett_struct of; /* a copy of the declaration */
    const setti_piece* pieces;
    uint32_t piece_count;
    uint32_t size; /* bytes of the canonical form without strings and lists */
    uint32_t entity_count;
    bool adjacent; /* the canonical form of a value without NaN is `size` bytes from pieces[0] on */
    bool floats;   /* some members are floats */
    bool opaque;   /* contains bytes without a declared meaning */
    const uint32_t* entities; /* offsets of handles */
    const setti_owned* owned; /* strings and lists, also of local members */
    uint32_t owned_count;
    const setti_send* sends; /* sorted by offset */
    uint32_t send_count;
    bool varies;                 /* the size of the canonical form depends on the value */
    const setti_nan_word* words; /* to find NaN in words. NULL: NaN is searched in the pieces */
    uint64_t fingerprint;
    size_t room;
} setti_members;

/* Checks the members of a type. Returns the error, or NULL. A byte of `mask` is 0 for padding.
 * `mask` is NULL if the padding is unknown. `out` is memory for the error. */
const char* setti_members_check(const sett_struct* structure, size_t align,
                                const unsigned char* mask, char* out);

/* Returns the piece of a member's `size` bytes. */
setti_piece setti_piece_of(sett_member_kind kind, uint32_t offset, uint32_t size,
                           uint32_t element_size);

/* Whether a member is an array. Text and opaque bytes are no arrays, and are printed as a whole. */
static inline bool setti_member_is_array(const sett_member* member)
{
    return member->count > 1 && member->kind != SETT_MEMBER_TEXT &&
           member->kind != SETT_MEMBER_OPAQUE;
}

/* Whether two types have equal members at equal offsets. */
bool setti_members_equal(const sett_struct* a, const sett_struct* b);

/* Copies the members of a struct that setti_members_check has accepted. Returns NULL if memory runs
 * out. */
setti_members* setti_members_create(setti_pool* pool, const sett_struct* structure);

SETTI_INLINE void setti_members_destroy(setti_pool* pool, setti_members* members)
{
    if (members != NULL) {
        setti_pool_free(pool, members, members->room, 8);
    }
}

/* Sets each byte of `mask`: to 255 if the canonical form has that byte of the value, else to 0. */
void setti_members_mask(const setti_members* members, unsigned char* mask);

/* Returns the member with the name `name` of `length` bytes. Returns NULL if there is no such
 * member. */
const sett_member* setti_struct_member(const sett_struct* structure, const char* name,
                                       size_t length);

/* Finds a member by path. Returns false if there is no such member. If a name in the path is
 * unknown, `guess` (may be NULL) gets a similar name. */
bool setti_members_find(const sett_struct* structure, const char* path, sett_member_ref* out,
                        setti_guess* guess);

/* Writes the canonical form of a value without strings and lists. */
void setti_canonical_encode(const setti_members* members, const void* value, unsigned char* out);

/* Writes the canonical form of a value, also with strings and lists, piece by piece. */
void setti_canonical_write(const setti_members* members, const void* value, sett_sink* sink);

/* Returns the packed size of a value of `size` bytes that has rounded members. */
size_t setti_send_size(const setti_members* members, size_t size);
/* Returns a hash of the offsets, sizes, bits and scales of the rounded members. */
uint64_t setti_send_fingerprint(const setti_members* members);
/* Pack and unpack a little-endian value. `size` is the size of the unpacked value. */
void setti_send_pack(const setti_members* members, const unsigned char* value, size_t size,
                     unsigned char* out);
void setti_send_unpack(const setti_members* members, const unsigned char* packed, size_t size,
                       unsigned char* out);

/* Reads a value from the canonical form. If `value` is NULL, only checks the bytes. */
sett_status setti_canonical_read(const setti_members* members, const sett_allocator* allocator,
                                 const unsigned char* bytes, size_t size, void* value);

/* Return the string or list at `bytes`. `bytes` need not be aligned. The returned struct shares the
 * memory, but is no owner. */
sett_string setti_owned_string(const void* bytes);
sett_list setti_owned_list(const void* bytes, uint32_t item_size);

/* Returns a member that describes one item of a list. */
sett_member setti_member_item(const sett_member* list);

/* Hooks of types with strings or lists. `user` is the type's setti_members. */
void setti_owned_copy_hook(void* copies, const void* originals, uint32_t count, void* user);
void setti_owned_deinit_hook(void* values, uint32_t count, void* user);

/* Whether values with the members of `structure` own memory. */
bool setti_struct_owns(const sett_struct* structure);

/* Reverses the bytes of a value's numbers on big-endian machines. */
void setti_canonical_turn_value(const setti_members* members, void* value);

/* Zeroes the bytes that may differ between equal values: each NaN, and the bytes after the end of a
 * text. */
void setti_canonical_clear(const setti_members* members, void* value);

bool setti_canonical_same(const setti_members* members, const void* a, const void* b);

/* Whether two elements have the same canonical form. The elements are neither structs nor lists. */
bool setti_canonical_same_element(sett_member_kind kind, uint32_t size, const void* a,
                                  const void* b);

/* Whether no member of a value is NaN. */
bool setti_canonical_is_plain(const setti_members* members, const void* value);

/* A position in the canonical form of a value. At the beginning, both members are 0. */
typedef struct setti_canonical_cursor {
    uint32_t piece;
    uint32_t offset; /* in the piece */
} setti_canonical_cursor;
/* Encodes the next bytes of a value, up to `capacity`. Returns the number of bytes, or 0 at the
 * end. */
size_t setti_canonical_next(const setti_members* members, const void* value,
                            setti_canonical_cursor* cursor, unsigned char* out, size_t capacity);

/* Writes an entity that a value holds. */
typedef void (*setti_value_entity)(void* user, setti_writer* out, sett_entity entity);

/* Writes the members of a value: `x = 1.5 m, state = OPEN, at = {x = 1, y = 2}`. `entity` writes
 * the handles. If `entity` is NULL, handles are written as numbers. */
void setti_value_print(setti_writer* out, const sett_struct* structure, const void* value,
                       setti_value_entity entity, void* user);

/* Writes bytes as `12 bytes: 01 02 ...`. */
void setti_value_print_bytes(setti_writer* out, const void* bytes, size_t size);

/* Writes the first few differences between two values. Returns how many differences there are. */
uint32_t setti_value_print_differences(setti_writer* out, const sett_struct* structure,
                                       const void* a, const void* b);

#endif
