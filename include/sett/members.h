/* members.h: the members of the values of a component.
 *
 *     typedef struct Position { float x, y; } Position;
 *     typedef struct Door { float height; uint8_t state; sett_entity key; char label[16]; } Door;
 *
 *     SETT_MEMBERS(world, Position, x, y);
 *     SETT_MEMBERS(world, Door, (height, .unit = "m", .minimum = 0, .maximum = 4),
 *                  (state, .constants = SETT_CONSTANTS(SHUT, OPENS, OPEN)), key, label);
 *
 * In the line of a component list, or in any descriptor:
 *
 *     COMPONENT(Position, .members = SETT_STRUCT(Position, x, y))
 *
 * With members, values can be printed and written as JSON (json.h), and files of an older layout
 * can be read (file.h). The library derives from members:
 *
 *     padding           bytes that belong to no member (sett_component_desc.mask and bytes)
 *     entity_offsets    where handles lie
 *     the hash          the same on every machine: see sett_world_hash_portable
 *     a fingerprint     to compare the layouts of two programs
 *
 * If you forget a member, the call fails, and the message has the offset of the bytes that no
 * member explains. Exception: where the compiler does not tell padding (SETT_PADDING_KNOWN is 0:
 * clang), up to 7 bytes before an opaque member count as padding.
 *
 * The compiler finds the kind of a member: integers, floating point, bool, text (char and arrays of
 * char), sett_entity, sett_string (strings.h), and arrays of these. An enum is an integer. Write
 * everything else in parentheses, with the fields of sett_member:
 *
 *     (state, .constants = SETT_CONSTANTS(SHUT, OPEN))           an enum with its names
 *     (keys, .constants = SETT_CONSTANTS(RED, BLUE), .bits = true)            a set of bits
 *     (at, .of = SETT_STRUCT(Vec2, x, y))                        a struct, or an array of structs
 *     (matrix, .element = SETT_MEMBER_F32)                       an array of arrays
 *     (marks, .of = SETT_STRUCT(Mark, page, x))                  a sett_list of structs
 *     (scores, .element = SETT_MEMBER_U32)                       a sett_list of numbers
 *     (blob, .element = SETT_MEMBER_OPAQUE)                      bytes that only the program reads
 *     (z, .scale = 1.0 / 65536)                                  a number with a fixed point
 *     (x, .step = 1.0 / 1024)                                    rounded by sett_world_round
 *     (x, .send = {.scale = 512, .bits = 18})                    rounded where selections send it
 *     (cache, .local = true)                                     not part of hash, deltas and files
 *
 * SETT_CONSTANTS lists enumerators that are declared before, by their names and without quotes:
 *
 *     enum { SHUT, OPENS, OPEN };                                for the Door above
 *
 * Without such a declaration the compiler reports each of the macros. See SETT_CONSTANTS for
 * constants that are no enumerators.
 *
 * A type with strings or lists gets its copy and deinit hooks, and SETT_SAVE_CLONE, from the
 * library: pass its members in the descriptor, and leave these fields out. Items of a list are
 * numbers, or structs without handles, strings, lists and local members: relationships
 * (relationship.h) are lists of entities.
 *
 * Other memory that a value owns through a pointer is not a member. If such memory is part of the
 * value, as in containers of another language, give the type `write` and `read` hooks (core.h) in
 * place of members. If it is not, declare the pointer as opaque bytes with .local. Snapshots copy
 * it by your copy hook (SETT_SAVE_CLONE). Hashes, deltas, files and JSON leave it out. After
 * loading, the init hook has made it.
 *
 * On Linux, addons/debug_info reads members and constants of enums from the debug information of
 * the program. It does this for types without members.
 *
 * In C++17 only plain names work. For other fields, change the sett_member that SETT_MEMBER(T, m)
 * gives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_MEMBERS_H
#define SETT_MEMBERS_H

#include "sett/core.h"
#include "sett/strings.h"

/* The most members in one use of the macros, and the deepest nesting of structs. */
#define SETT_MEMBERS_MAX 32
#define SETT_MEMBERS_DEPTH 8

typedef enum sett_member_kind {
    SETT_MEMBER_UNKNOWN, /* the compiler does not see the kind: see `element` and `of` */
    SETT_MEMBER_BOOL,
    SETT_MEMBER_I8,
    SETT_MEMBER_U8,
    SETT_MEMBER_I16,
    SETT_MEMBER_U16,
    SETT_MEMBER_I32,
    SETT_MEMBER_U32,
    SETT_MEMBER_I64,
    SETT_MEMBER_U64,
    SETT_MEMBER_F32,
    SETT_MEMBER_F64,
    SETT_MEMBER_TEXT,   /* char[count], up to the first zero; a full array has no zero */
    SETT_MEMBER_ENTITY, /* sett_entity */
    SETT_MEMBER_OPAQUE, /* `count` bytes that the library does not interpret */
    SETT_MEMBER_STRUCT, /* see `of` */
    SETT_MEMBER_STRING, /* sett_string */
    SETT_MEMBER_LIST,   /* sett_list of `of`, or of `element` */
    SETT_MEMBER_KINDS
} sett_member_kind;

/* A name for a value of an integer. Lists end with a NULL name. */
typedef struct sett_constant {
    const char* name;
    int64_t value;
} sett_constant;

struct sett_struct;

/* How exact a member is sent. */
typedef struct sett_member_send {
    double scale;  /* multiples of 1 / scale, such as 512 for 1/512 m */
    uint32_t bits; /* of the multiple, with its sign: 2 to 24, of f64 to 32 */
} sett_member_send;

/* A member. SETT_MEMBER fills in `name`, `kind`, `offset` and `size`. Other fields are optional.
 * The struct changes only with a major version. */
typedef struct sett_member {
    const char* name;
    sett_member_kind kind;
    uint32_t offset; /* bytes from the start of the struct */
    uint32_t size;   /* bytes of all elements */
    uint32_t count;  /* elements of an array, else 1; the library fills it in */
    /* the kind of an element, if the compiler does not see it; default: `kind`. Of a list: the kind
     * of an item */
    sett_member_kind element;
    /* the members of a nested struct, or of an item of a list; default: none */
    const struct sett_struct* of;
    const sett_constant* constants; /* of an integer; default: none */
    bool bits;  /* the constants are bits: a value can have several; default: it is one of them */
    bool local; /* saved by snapshots; left out of hashes, deltas and files; default: no */
    /* of an integer of at most 32 bits: the number that 1 means, such as 1.0 / 65536; default: 1 */
    double scale;
    /* of f32 and f64, for the network: sett_world_round rounds to multiples of it. A power of two,
     * such as 1.0 / 1024; default: not rounded */
    double step;
    /* of f32 and f64: sett_selection_encode and sett_selection_copy round it to the nearest
     * multiple of 1 / scale, and send that in `bits` bits. Values beyond them become the greatest
     * or least that they hold. The world itself is not rounded; nor are deltas, and data of
     * relationships. Both ends need the same. Default: sent whole */
    sett_member_send send;
    double minimum;                   /* for tools: the least scaled value; default: no range */
    double maximum;                   /* the greatest */
    const char* unit;                 /* such as "m/s"; default: none */
    const char* description;          /* one sentence; default: none */
    const char* const* element_names; /* `count` of them, for an array; default: numbers */
} sett_member;

/* The members of a C type, in the order in which they are shown, hashed and saved. */
typedef struct sett_struct {
    const char* name;
    uint32_t size; /* bytes of a value */
    uint32_t count;
    const sett_member* members;
    /* internal: SETT_STRUCT fills it in. Programs without members then do not link this code */
    const struct sett_member_calls_* (*calls_)(void);
} sett_struct;

SETT_API const struct sett_member_calls_* sett_members_link_(void);

/* The member that a path such as "at[1].x" leads to. */
typedef struct sett_member_ref {
    const sett_member* member; /* the last one of the path; belongs to the world */
    sett_member_kind kind;     /* of an element */
    uint32_t offset;           /* bytes from the start of the value to the first element */
    uint32_t size;             /* bytes of an element */
    uint32_t count;            /* 1, or the elements of an array if the path has no index */
} sett_member_ref;

/* Sets the members of a component. Everything is copied. A second call for the same component must
 * have the same members, by name, kind and offset. It can change units, constants and ranges.
 * SETT_MEMBERS(world, T, ...) is the short form.
 * Fails: UNREGISTERED, ARGUMENT (the message names the member or the bytes), CONFLICT (other
 * members are set; values exist), LOCKED (a loop is open, or a snapshot exists), OUT_OF_MEMORY.
 * Invalidates: sett_members_get and sett_member_ref of the component.
 * Cost: O(members + size).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_members_set(sett_world* world, sett_component component,
                                      const sett_struct* members);

/* Returns the members of a component; NULL if none were set. Valid until sett_members_set.
 * Threads: reader. Since: 0.2 */
SETT_API const sett_struct* sett_members_get(const sett_world* world, sett_component component);

/* Finds a member by its path in the value: "x", "at[1].x", "rounds.shells" (an element by name).
 * Without an index an array means all its elements.
 * Returns whether the path leads to a member. Cost: O(members). Threads: reader. Since: 0.2 */
SETT_API bool sett_member_find(const sett_world* world, sett_component component, const char* path,
                               sett_member_ref* out);

/* Like sett_member_find, with the component's name in front: "Position.x". Sets *component.
 * Threads: reader. Since: 0.2 */
SETT_API bool sett_member_lookup(const sett_world* world, const char* path,
                                 sett_component* component, sett_member_ref* out);

/* Returns a hash of the names, kinds and counts of the members in their order, without local
 * members. Programs with equal fingerprints can exchange values, on all machines. 0 without
 * members.
 * Threads: reader. Since: 0.2 */
SETT_API uint64_t sett_members_fingerprint(const sett_world* world, sett_component component);

/* Like sett_members_fingerprint, for a sett_struct, such as an older layout for sett_file_migrate:
 *     sett_struct_fingerprint(SETT_STRUCT(OldDoor, height, state))
 * 0 for NULL. Threads: any. Since: 0.2 */
SETT_API uint64_t sett_struct_fingerprint(const sett_struct* of);

/* Rounds all members with a `step` to its multiples, in all values of the world. Then deltas are
 * smaller, because the lowest bytes of numbers are zeroes. Call it once a frame, before the
 * snapshot that a delta ends at:
 *
 *     sett_progress(world, dt);
 *     sett_world_round(world);
 *     sett_snapshot_take(world, &after);
 *     sett_delta_encode(world, before, after, bytes, sizeof(bytes), &size);
 *
 * The program goes on with the rounded numbers, as the receiver does: so both have equal hashes. A
 * program that must not lose precision rounds a copy (sett_world_clone), and sends the copy's
 * deltas. Infinite numbers, NaN, and numbers of 2^52 steps or more stay as they are. Values that
 * change count as written. No callback runs. Steps are not saved in files.
 * Fails: LOCKED.
 * Cost: O(values of types that have a member with a step), about 20 ns a number.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_world_round(sett_world* world);

/* Returns the name of a kind: "f32", "text". Threads: any. Since: 0.2 */
SETT_API const char* sett_member_kind_name(sett_member_kind kind);

/* Returns the bytes of one element of a kind; 0 for SETT_MEMBER_STRUCT and SETT_MEMBER_UNKNOWN. For
 * a string and a list: of sett_string and sett_list.
 * Threads: any. Since: 0.2 */
SETT_API uint32_t sett_member_kind_size(sett_member_kind kind);

/* ----------------------------------------------------------------------------------- the macros */

/* sett_members_set for the component T_id. Returns a sett_status. */
#define SETT_MEMBERS(world, T, ...) sett_members_set((world), T##_id, SETT_STRUCT(T, __VA_ARGS__))

/* The kind of an expression. `long` has the size that it has. */
#define SETT_MEMBER_LONG_ (sizeof(long) == 8 ? SETT_MEMBER_I64 : SETT_MEMBER_I32)
#define SETT_MEMBER_ULONG_ (sizeof(long) == 8 ? SETT_MEMBER_U64 : SETT_MEMBER_U32)

#if defined(__cplusplus)
extern "C++" {
template <typename T> struct sett_kind_of_ {
    static constexpr sett_member_kind value()
    {
        if constexpr (__is_enum(T)) {
            return sett_kind_of_<__underlying_type(T)>::value();
        } else {
            return SETT_MEMBER_UNKNOWN;
        }
    }
};
template <typename T> struct sett_kind_of_<const T> : sett_kind_of_<T> {
};
template <typename T, decltype(sizeof(0)) n> struct sett_kind_of_<T[n]> : sett_kind_of_<T> {
};
#define SETT_KIND_OF_(T, kind)                                                                     \
    template <> struct sett_kind_of_<T> {                                                          \
        static constexpr sett_member_kind value()                                                  \
        {                                                                                          \
            return kind;                                                                           \
        }                                                                                          \
    };
SETT_KIND_OF_(bool, SETT_MEMBER_BOOL)
SETT_KIND_OF_(char, SETT_MEMBER_TEXT)
SETT_KIND_OF_(signed char, SETT_MEMBER_I8)
SETT_KIND_OF_(unsigned char, SETT_MEMBER_U8)
SETT_KIND_OF_(short, SETT_MEMBER_I16)
SETT_KIND_OF_(unsigned short, SETT_MEMBER_U16)
SETT_KIND_OF_(int, SETT_MEMBER_I32)
SETT_KIND_OF_(unsigned int, SETT_MEMBER_U32)
SETT_KIND_OF_(long, SETT_MEMBER_LONG_)
SETT_KIND_OF_(unsigned long, SETT_MEMBER_ULONG_)
SETT_KIND_OF_(long long, SETT_MEMBER_I64)
SETT_KIND_OF_(unsigned long long, SETT_MEMBER_U64)
SETT_KIND_OF_(float, SETT_MEMBER_F32)
SETT_KIND_OF_(double, SETT_MEMBER_F64)
SETT_KIND_OF_(sett_entity, SETT_MEMBER_ENTITY)
SETT_KIND_OF_(sett_string, SETT_MEMBER_STRING)
SETT_KIND_OF_(sett_list, SETT_MEMBER_LIST)
#undef SETT_KIND_OF_

static inline sett_member sett_member_make_(const char* name, sett_member_kind kind,
                                            decltype(sizeof(0)) offset, decltype(sizeof(0)) size)
{
    sett_member member = {};
    member.name = name;
    member.kind = kind;
    member.offset = static_cast<uint32_t>(offset);
    member.size = static_cast<uint32_t>(size);
    return member;
}
static inline sett_constant sett_constant_make_(const char* name, int64_t value)
{
    return sett_constant{name, value};
}
}
#define SETT_MEMBER(T, m)                                                                          \
    sett_member_make_(#m, sett_kind_of_<decltype(T::m)>::value(), offsetof(T, m), sizeof(T::m))
#define SETT_MEMBER_ITEM_(T, m) SETT_MEMBER(T, m)
#define SETT_CONSTANT_ITEM_(T, c) sett_constant_make_(#c, static_cast<int64_t>(c))
#define SETT_STRUCT(T, ...)                                                                        \
    ([]() -> const sett_struct* {                                                                  \
        static const sett_member sett_items_[] = {SETT_ITEMS_(SETT_MEMBER_ITEM_, T, __VA_ARGS__)}; \
        static const sett_struct sett_of_ = {                                                      \
            #T, static_cast<uint32_t>(sizeof(T)),                                                  \
            static_cast<uint32_t>(sizeof(sett_items_) / sizeof(sett_member)), sett_items_,         \
            sett_members_link_};                                                                   \
        return &sett_of_;                                                                          \
    }())
#define SETT_CONSTANTS(...)                                                                        \
    ([]() -> const sett_constant* {                                                                \
        static const sett_constant sett_items_[] = {                                               \
            SETT_ITEMS_(SETT_CONSTANT_ITEM_, 0, __VA_ARGS__), {nullptr, 0}};                       \
        return sett_items_;                                                                        \
    }())
#else
/* Of an array: of its elements. What tells a pointer from an array is the type of its address. */
#define SETT_MEMBER_KIND_(x)                                                                       \
    _Generic(&(x),                                                                                 \
        bool**: SETT_MEMBER_UNKNOWN,                                                               \
        char**: SETT_MEMBER_UNKNOWN,                                                               \
        signed char**: SETT_MEMBER_UNKNOWN,                                                        \
        unsigned char**: SETT_MEMBER_UNKNOWN,                                                      \
        short**: SETT_MEMBER_UNKNOWN,                                                              \
        unsigned short**: SETT_MEMBER_UNKNOWN,                                                     \
        int**: SETT_MEMBER_UNKNOWN,                                                                \
        unsigned int**: SETT_MEMBER_UNKNOWN,                                                       \
        long**: SETT_MEMBER_UNKNOWN,                                                               \
        unsigned long**: SETT_MEMBER_UNKNOWN,                                                      \
        long long**: SETT_MEMBER_UNKNOWN,                                                          \
        unsigned long long**: SETT_MEMBER_UNKNOWN,                                                 \
        float**: SETT_MEMBER_UNKNOWN,                                                              \
        double**: SETT_MEMBER_UNKNOWN,                                                             \
        sett_entity**: SETT_MEMBER_UNKNOWN,                                                        \
        sett_string**: SETT_MEMBER_UNKNOWN,                                                        \
        sett_list**: SETT_MEMBER_UNKNOWN,                                                          \
        default: _Generic((x),                                                                     \
        SETT_KIND_(bool, SETT_MEMBER_BOOL),                                                        \
        SETT_KIND_(char, SETT_MEMBER_TEXT),                                                        \
        SETT_KIND_(signed char, SETT_MEMBER_I8),                                                   \
        SETT_KIND_(unsigned char, SETT_MEMBER_U8),                                                 \
        SETT_KIND_(short, SETT_MEMBER_I16),                                                        \
        SETT_KIND_(unsigned short, SETT_MEMBER_U16),                                               \
        SETT_KIND_(int, SETT_MEMBER_I32),                                                          \
        SETT_KIND_(unsigned int, SETT_MEMBER_U32),                                                 \
        SETT_KIND_(long, SETT_MEMBER_LONG_),                                                       \
        SETT_KIND_(unsigned long, SETT_MEMBER_ULONG_),                                             \
        SETT_KIND_(long long, SETT_MEMBER_I64),                                                    \
        SETT_KIND_(unsigned long long, SETT_MEMBER_U64),                                           \
        SETT_KIND_(float, SETT_MEMBER_F32),                                                        \
        SETT_KIND_(double, SETT_MEMBER_F64),                                                       \
        SETT_KIND_(sett_entity, SETT_MEMBER_ENTITY),                                               \
        SETT_KIND_(sett_string, SETT_MEMBER_STRING),                                               \
        SETT_KIND_(sett_list, SETT_MEMBER_LIST),                                                   \
        default: SETT_MEMBER_UNKNOWN))
#define SETT_KIND_(type, kind)                                                                     \
    type:                                                                                          \
    kind, type* : kind

/* An initialiser of a sett_member: of the member m of the type T, with fields of sett_member. */
#define SETT_MEMBER(...) SETT_MEMBER_FIRST_(__VA_ARGS__, )
#define SETT_MEMBER_FIRST_(T, m, ...)                                                              \
    {                                                                                              \
        .name = #m, .kind = SETT_MEMBER_KIND_(((T*)0)->m), .offset = (uint32_t)offsetof(T, m),     \
        .size = (uint32_t)sizeof(((T*)0)->m), __VA_ARGS__                                          \
    }

/* The members of T: names, or names with fields of sett_member in parentheses. Gives the address of
 * a sett_struct. Inside a function it is valid until the end of the block. */
#define SETT_STRUCT(T, ...)                                                                        \
    (&(const sett_struct){#T, (uint32_t)sizeof(T), SETT_COUNT_(__VA_ARGS__),                       \
                          (const sett_member[]){SETT_ITEMS_(SETT_MEMBER_ITEM_, T, __VA_ARGS__)},   \
                          sett_members_link_})

/* Enumerators, or variables that are constant, with their names, for sett_member.constants. Not
 * macros: these are replaced before their names are seen, and the members are rejected. Of
 * `#define RED 0`:
 *
 *     (color, .constants = (const sett_constant[]){{"RED", RED}, {"BLUE", BLUE}, {NULL, 0}}) */
#define SETT_CONSTANTS(...)                                                                        \
    ((const sett_constant[]){SETT_ITEMS_(SETT_CONSTANT_ITEM_, 0, __VA_ARGS__), {NULL, 0}})
#define SETT_CONSTANT_ITEM_(T, c)                                                                  \
    {                                                                                              \
#c, (int64_t)(c)                                                                           \
    }

/* `m` or `(m, .unit = ...)`. */
#define SETT_MEMBER_ITEM_(T, item) SETT_JOIN_(SETT_MEMBER_ITEM_, SETT_IN_PARENS_(item))(T, item)
#define SETT_MEMBER_ITEM_0(T, m) SETT_MEMBER_FIRST_(T, m, )
#define SETT_MEMBER_ITEM_1(T, item) SETT_MEMBER_CALL_(T, SETT_WITHOUT_PARENS_ item)
#define SETT_MEMBER_CALL_(...) SETT_MEMBER(__VA_ARGS__)
#define SETT_WITHOUT_PARENS_(...) __VA_ARGS__
#define SETT_IN_PARENS_(item) SETT_SECOND_(SETT_PROBE_ item, 0, )
#define SETT_PROBE_(...) , 1
#define SETT_SECOND_(...) SETT_SECOND_OF_(__VA_ARGS__, )
#define SETT_SECOND_OF_(a, b, ...) b
#define SETT_JOIN_(a, b) SETT_JOIN_NOW_(a, b)
#define SETT_JOIN_NOW_(a, b) a##b
#endif

/* item(T, a), item(T, b), ...: for up to SETT_MEMBERS_MAX arguments; and how many there are. */
/* clang-format off */
#define SETT_ITEMS_(item, T, ...)                                                                  \
    SETT_ITEMS_NOW_(SETT_COUNT_(__VA_ARGS__), item, T, __VA_ARGS__)
#define SETT_ITEMS_NOW_(count, item, T, ...) SETT_ITEMS_OF_(count, item, T, __VA_ARGS__)
#define SETT_ITEMS_OF_(count, item, T, ...) SETT_ITEMS_##count##_(item, T, __VA_ARGS__, )
#define SETT_COUNT_(...)                                                                           \
    SETT_COUNT_OF_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,    \
                   16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SETT_COUNT_OF_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, \
                       a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32,  \
                       count, ...) count
#define SETT_ITEMS_1_(i, T, a, ...)  i(T, a)
#define SETT_ITEMS_2_(i, T, a, ...) i(T, a), SETT_ITEMS_1_(i, T, __VA_ARGS__)
#define SETT_ITEMS_3_(i, T, a, ...) i(T, a), SETT_ITEMS_2_(i, T, __VA_ARGS__)
#define SETT_ITEMS_4_(i, T, a, ...) i(T, a), SETT_ITEMS_3_(i, T, __VA_ARGS__)
#define SETT_ITEMS_5_(i, T, a, ...) i(T, a), SETT_ITEMS_4_(i, T, __VA_ARGS__)
#define SETT_ITEMS_6_(i, T, a, ...) i(T, a), SETT_ITEMS_5_(i, T, __VA_ARGS__)
#define SETT_ITEMS_7_(i, T, a, ...) i(T, a), SETT_ITEMS_6_(i, T, __VA_ARGS__)
#define SETT_ITEMS_8_(i, T, a, ...) i(T, a), SETT_ITEMS_7_(i, T, __VA_ARGS__)
#define SETT_ITEMS_9_(i, T, a, ...) i(T, a), SETT_ITEMS_8_(i, T, __VA_ARGS__)
#define SETT_ITEMS_10_(i, T, a, ...) i(T, a), SETT_ITEMS_9_(i, T, __VA_ARGS__)
#define SETT_ITEMS_11_(i, T, a, ...) i(T, a), SETT_ITEMS_10_(i, T, __VA_ARGS__)
#define SETT_ITEMS_12_(i, T, a, ...) i(T, a), SETT_ITEMS_11_(i, T, __VA_ARGS__)
#define SETT_ITEMS_13_(i, T, a, ...) i(T, a), SETT_ITEMS_12_(i, T, __VA_ARGS__)
#define SETT_ITEMS_14_(i, T, a, ...) i(T, a), SETT_ITEMS_13_(i, T, __VA_ARGS__)
#define SETT_ITEMS_15_(i, T, a, ...) i(T, a), SETT_ITEMS_14_(i, T, __VA_ARGS__)
#define SETT_ITEMS_16_(i, T, a, ...) i(T, a), SETT_ITEMS_15_(i, T, __VA_ARGS__)
#define SETT_ITEMS_17_(i, T, a, ...) i(T, a), SETT_ITEMS_16_(i, T, __VA_ARGS__)
#define SETT_ITEMS_18_(i, T, a, ...) i(T, a), SETT_ITEMS_17_(i, T, __VA_ARGS__)
#define SETT_ITEMS_19_(i, T, a, ...) i(T, a), SETT_ITEMS_18_(i, T, __VA_ARGS__)
#define SETT_ITEMS_20_(i, T, a, ...) i(T, a), SETT_ITEMS_19_(i, T, __VA_ARGS__)
#define SETT_ITEMS_21_(i, T, a, ...) i(T, a), SETT_ITEMS_20_(i, T, __VA_ARGS__)
#define SETT_ITEMS_22_(i, T, a, ...) i(T, a), SETT_ITEMS_21_(i, T, __VA_ARGS__)
#define SETT_ITEMS_23_(i, T, a, ...) i(T, a), SETT_ITEMS_22_(i, T, __VA_ARGS__)
#define SETT_ITEMS_24_(i, T, a, ...) i(T, a), SETT_ITEMS_23_(i, T, __VA_ARGS__)
#define SETT_ITEMS_25_(i, T, a, ...) i(T, a), SETT_ITEMS_24_(i, T, __VA_ARGS__)
#define SETT_ITEMS_26_(i, T, a, ...) i(T, a), SETT_ITEMS_25_(i, T, __VA_ARGS__)
#define SETT_ITEMS_27_(i, T, a, ...) i(T, a), SETT_ITEMS_26_(i, T, __VA_ARGS__)
#define SETT_ITEMS_28_(i, T, a, ...) i(T, a), SETT_ITEMS_27_(i, T, __VA_ARGS__)
#define SETT_ITEMS_29_(i, T, a, ...) i(T, a), SETT_ITEMS_28_(i, T, __VA_ARGS__)
#define SETT_ITEMS_30_(i, T, a, ...) i(T, a), SETT_ITEMS_29_(i, T, __VA_ARGS__)
#define SETT_ITEMS_31_(i, T, a, ...) i(T, a), SETT_ITEMS_30_(i, T, __VA_ARGS__)
#define SETT_ITEMS_32_(i, T, a, ...) i(T, a), SETT_ITEMS_31_(i, T, __VA_ARGS__)
/* clang-format on */

#endif
