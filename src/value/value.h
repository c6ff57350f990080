/* value.h: what a value consists of, and its canonical form. Knows no worlds.
 *
 * The canonical form of a value is its members in declared order, little endian, without padding
 * and without local members: text with zeroes behind its end, every NaN as one pattern; a string or
 * a list as its length (4 bytes) and its bytes or items. All values of a type have canonical forms
 * of one size, unless they own strings or lists. */
#ifndef SETTI_VALUE_H
#define SETTI_VALUE_H

#include "base/guess.h"
#include "base/page.h"
#include "base/writer.h"
#include "sett/members.h"
#include "value/owner.h"

#define SETTI_VALUE_MESSAGE 256

/* The most members of one struct. */
#define SETTI_MEMBERS_COUNT_MAX 512

/* How bytes of a value are encoded. */
typedef enum setti_piece_kind {
    SETTI_PIECE_BYTES, /* unchanged; units are reversed on big-endian machines */
    SETTI_PIECE_BOOL,  /* unchanged; 0 or 1 */
    SETTI_PIECE_FLOAT, /* as BYTES; every NaN becomes one pattern */
    SETTI_PIECE_TEXT,  /* up to the first zero */
    SETTI_PIECE_OWNED  /* a string or a list: `unit` is its number among those of the value */
} setti_piece_kind;

/* Bytes that are adjacent in a value and of one kind. */
typedef struct setti_piece {
    uint32_t offset;
    uint32_t size;
    uint16_t kind;
    uint16_t unit; /* bytes: 1, 2, 4 or 8 */
} setti_piece;

/* The largest type whose words are tested for NaN while they are hashed. */
#define SETTI_NAN_SIZE 256

/* Finds NaN among the floats of eight adjacent bytes: (word & ~test) + add has a bit of `test`,
 * which are the places of their signs, exactly where one is NaN. */
typedef struct setti_nan_word {
    uint64_t add;
    uint64_t test;
} setti_nan_word;

/* The most strings and lists of a value. */
#define SETTI_OWNED_COUNT_MAX 1024

/* A string or a list of a value. */
typedef struct setti_owned {
    uint32_t offset;
    uint32_t item_size;   /* of a list: bytes in memory; 0: a string */
    uint32_t item_least;  /* bytes of an item's canonical form */
    uint32_t piece_count; /* of an item */
    const setti_piece* pieces;
} setti_owned;

/* A number that selections send rounded: sett_member.send. */
typedef struct setti_send {
    uint32_t offset;
    uint16_t size; /* bytes: 4 or 8 */
    uint16_t bits;
    double scale;
} setti_send;

/* What is known of a type's values. One allocation of `room` bytes. */
typedef struct setti_members {
    sett_struct of; /* as declared, complete and copied */
    const setti_piece* pieces;
    uint32_t piece_count;
    uint32_t size; /* bytes of the canonical form; of values that own: of their pieces */
    uint32_t entity_count;
    bool adjacent; /* the canonical form is bytes in memory from pieces[0] on, except for NaN */
    bool floats;   /* some members are floats */
    bool opaque;   /* contains bytes without a declared meaning */
    const uint32_t* entities; /* offsets of handles */
    const setti_owned* owned; /* strings and lists, local ones too */
    uint32_t owned_count;
    const setti_send* sends; /* ascending by offset */
    uint32_t send_count;
    bool varies;                 /* a string or list is not local: canonical forms differ in size */
    const setti_nan_word* words; /* of adjacent members with floats, each in one word; or NULL */
    uint64_t fingerprint;
    size_t room;
} setti_members;

/* Checks the members of a type of this alignment. Returns NULL or the error, written to `out`, of
 * SETTI_VALUE_MESSAGE bytes. A bit of `mask` is set if it is not padding; NULL: unknown. */
const char* setti_members_check(const sett_struct* of, size_t align, const unsigned char* mask,
                                char* out);

/* How a kind's bytes are encoded; `element` is the size of one element. */
setti_piece setti_piece_of(sett_member_kind kind, uint32_t offset, uint32_t size, uint32_t element);

/* Whether a member is written as a list of elements. */
static inline bool setti_member_is_array(const sett_member* member)
{
    return member->count > 1 && member->kind != SETT_MEMBER_TEXT &&
           member->kind != SETT_MEMBER_OPAQUE;
}

/* Whether two types have equal members at equal offsets. */
bool setti_members_equal(const sett_struct* a, const sett_struct* b);

/* Copies checked members. Returns NULL when memory runs out. */
setti_members* setti_members_create(setti_pool* pool, const sett_struct* of);

SETTI_INLINE void setti_members_destroy(setti_pool* pool, setti_members* members)
{
    if (members != NULL) {
        setti_pool_free(pool, members, members->room, 8);
    }
}

/* Sets the bytes that the canonical form contains to 255, the others to 0. */
void setti_members_mask(const setti_members* members, unsigned char* mask);

/* Finds the member whose name has these `length` characters, or returns NULL. */
const sett_member* setti_struct_member(const sett_struct* of, const char* name, size_t length);

/* See sett_member_find. `guess`, unless it is NULL, gets a name that is like a missing one. */
bool setti_members_find(const sett_struct* of, const char* path, sett_member_ref* out,
                        setti_guess* guess);

/* Writes the canonical form, `size` bytes. */
void setti_canonical_encode(const setti_members* members, const void* value, unsigned char* out);

/* The canonical form of a value of any type, piece by piece. */
void setti_canonical_write(const setti_members* members, const void* value, sett_sink* to);

/* A value of `size` bytes, little endian, as selections send it where members are sent rounded: how
 * many bytes that takes, and a hash of how they are sent. */
size_t setti_send_size(const setti_members* members, size_t size);
uint64_t setti_send_fingerprint(const setti_members* members);
void setti_send_pack(const setti_members* members, const unsigned char* value, size_t size,
                     unsigned char* out);
void setti_send_unpack(const setti_members* members, const unsigned char* packed, size_t size,
                       unsigned char* out);

/* Reads the canonical form into a value. Returns OK; INVALID: the bytes are not a value;
 * OUT_OF_MEMORY: part of it was read. `value` NULL: only checks. */
sett_status setti_canonical_read(const setti_members* members, const sett_allocator* allocator,
                                 const unsigned char* bytes, size_t size, void* value);

/* A string or a list of a value, which need not be aligned. A list whose items differ in size from
 * the declared member is a mistake of the program, and counts as empty. */
sett_string setti_owned_string(const void* at);
sett_list setti_owned_list(const void* at, uint32_t item_size);

/* A member as one of the items of its list. */
sett_member setti_member_item(const sett_member* list);

/* The hooks of types with strings or lists; `user` is the type's setti_members. */
void setti_owned_copy_hook(void* to, const void* from, uint32_t count, void* user);
void setti_owned_deinit_hook(void* values, uint32_t count, void* user);

/* Whether values of such members own something. */
bool setti_struct_owns(const sett_struct* of);

/* Turns the numbers of a value between the machine's byte order and little endian, in place. */
void setti_canonical_turn_value(const setti_members* members, void* value);

/* Zeroes what the canonical form does not distinguish: NaN, and bytes after the end of a text. */
void setti_canonical_clear(const setti_members* members, void* value);

/* Whether two values have the same canonical form. */
bool setti_canonical_same(const setti_members* members, const void* a, const void* b);

/* Like setti_canonical_same, for one element that is no struct and no list. */
bool setti_canonical_same_element(sett_member_kind kind, uint32_t size, const void* a,
                                  const void* b);

/* Whether no float of a value is NaN: adjacent members are then their own canonical form. */
bool setti_canonical_is_plain(const setti_members* members, const void* value);

/* Encodes piece by piece: the cursor begins as all zeroes. Returns the bytes written to `out`, at
 * most `capacity`, which is 8 at least, and fewer than that many only at the end; 0 behind it. */
typedef struct setti_canonical_cursor {
    uint32_t piece;
    uint32_t offset; /* in the piece */
} setti_canonical_cursor;
size_t setti_canonical_next(const setti_members* members, const void* value,
                            setti_canonical_cursor* cursor, unsigned char* out, size_t capacity);

/* Writes an entity's description, for texts. */
typedef void (*setti_value_entity)(void* user, setti_writer* out, sett_entity entity);

/* Writes the members of a value: `x = 1.5 m, state = OPEN, at = {x = 1, y = 2}`. */
void setti_value_print(setti_writer* out, const sett_struct* of, const void* value,
                       setti_value_entity entity, void* user);

/* Writes bytes of unknown meaning: `12 bytes: 01 02 ...`. */
void setti_value_print_bytes(setti_writer* out, const void* bytes, size_t size);

/* Writes which members differ, the first few, as `x is 1 in the first ...`. Returns how many. */
uint32_t setti_value_print_differences(setti_writer* out, const sett_struct* of, const void* a,
                                       const void* b);

#endif
