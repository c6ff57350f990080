/* read.h: reading by handle, in line. A part of core.h, which says what the calls mean; nothing in
 * here is for programs to name.
 *
 * What is read here is how a world and a component type begin. Whatever is neither array nor tag,
 * and whatever is wrong, goes the slow path, through the library. docs/decisions.md says what it
 * gains.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_READ_H
#define SETT_READ_H

#include "sett/id.h"

#include <stddef.h>
#include <string.h>

/* Whether sett_get, sett_find and sett_has are in line: in optimised C and C++, unless you define
 * SETT_NO_INLINE because the size of your program matters more, and in all other if you define
 * SETT_INLINE. Otherwise, and for other languages, they are functions of the library. */
#if !defined(SETT_NO_INLINE) &&                                                                    \
    (defined(SETT_INLINE) || (defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)) ||             \
     (defined(_MSC_VER) && defined(NDEBUG)))
#define SETT_READS_IN_LINE_ 1
#define SETT_READ_API static inline
#else
#define SETT_READS_IN_LINE_ 0
#define SETT_READ_API SETT_API
#endif

#if defined(__GNUC__)
#define SETT_LIKELY_(x) __builtin_expect(!!(x), 1)
#else
#define SETT_LIKELY_(x) (x)
#endif

/* The slow paths of reading. With NDEBUG they are declared to do nothing else than read, so that
 * compilers look up a type once, before a loop over its values. A read whose result is not used may
 * then be left out, and its misuse is not reported. */
#if defined(__GNUC__) && defined(NDEBUG)
#define SETT_READ_SLOW_ SETT_API __attribute__((pure, cold))
#else
#define SETT_READ_SLOW_ SETT_API
#endif

struct sett_world;

/* An array that grows by pages. */
typedef struct sett_page_table_ {
    void** data;    /* by page number; NULL: no entity there */
    uint64_t* tick; /* of the last write to each page */
    uint32_t count; /* pages */
    uint32_t capacity;
    uint32_t size;
    uint32_t align;
    void* notes;
    /* of entities and presence: as data, but memory to read instead of NULL; a power of two of
     * pages, which cover at least the first 2^28 indices of the capacity */
    const void* const* read;
    const void* none;
    uint32_t read_mask;  /* pages of `read` less one */
    uint32_t read_count; /* pages that are to be read in line, for values; of presence no more than
                            entities have in `read` */
    bool hidden;
    bool bare;
    uint8_t read_shift;
    uint32_t has_count; /* pages that are to be read in line, for presence */
} sett_page_table_;

/* The `kind` of an array, the only storage whose values are read in line, and of a tag, whose
 * presence is. The kinds of others are greater. */
#define SETT_KIND_ARRAY_ 0
#define SETT_KIND_TAG_ 1

/* How a component type begins. */
typedef struct sett_type_header_ {
    uint8_t kind;  /* SETT_KIND_ARRAY_, SETT_KIND_TAG_, or another */
    uint8_t shift; /* values a page = 1 << shift */
    uint8_t kind_of_storage;
    bool tracked;
    uint32_t size;             /* of a value */
    sett_page_table_ presence; /* of an array or a tag: pages of 8,192 bits */
    sett_page_table_ rows;     /* pages of values */
} sett_type_header_;

/* A component that is bound to a number (sett_component_bind). Reading in line looks at two slots,
 * whose places are constants where the number is one. With two, all types of a program find room in
 * 512 slots: of 20,000 random sets of 100 types, each did. */
#define SETT_BOUND_FRONT_ 512
typedef struct sett_bound_ {
    uint64_t number; /* 0: an empty slot */
    sett_component component;
} sett_bound_;

static inline uint32_t sett_bound_first_(uint64_t number)
{
    return (uint32_t)(number % SETT_BOUND_FRONT_);
}
/* The other of the two slots of a number, which `at` is one of. */
static inline uint32_t sett_bound_other_(uint64_t number, uint32_t at)
{
    return at ^ ((uint32_t)(number / SETT_BOUND_FRONT_ % SETT_BOUND_FRONT_) | 1);
}

/* How a world begins. */
typedef struct sett_world_header_ {
    const sett_type_header_* const* types; /* of another kind where none is registered, as 0 */
    uint32_t type_count;                   /* 0: all reading goes the slow path */
    uint32_t type_capacity;
    const sett_bound_* bound;  /* SETT_BOUND_FRONT_ slots; all empty where type_count is 0 */
    sett_page_table_ entities; /* pages of 1,024: generations first */
} sett_world_header_;

static inline const sett_world_header_* sett_read_header_(const struct sett_world* world)
{
    return (const sett_world_header_*)(const void*)world;
}

/* The type; of another kind if none is registered, or all reading goes the slow path. Without a
 * branch, so that compilers may move it out of a loop. */
static inline const sett_type_header_* sett_read_type_(const sett_world_header_* world,
                                                       sett_component component)
{
    return world->types[component < world->type_count ? component : 0];
}

/* What reading needs of a world and a type: loaded before any branch, for the same reason. */
typedef struct sett_read_ {
    void* const* generations;    /* by page number; NULL: no entity there */
    const void* const* presence; /* by page number */
    void* const* rows;
    uint32_t count; /* pages of presence; 0 if the type is not read in line */
    uint32_t mask;
    const void* const* any_generations; /* by page number & mask: never NULL */
} sett_read_;

static inline sett_read_ sett_read_make_(const sett_world_header_* world,
                                         const sett_type_header_* type)
{
    sett_read_ read;
    read.generations = world->entities.data;
    read.presence = type->presence.read;
    read.rows = type->rows.data;
    read.count = type->presence.read_count;
    read.mask = world->entities.read_mask;
    read.any_generations = world->entities.read;
    return read;
}

/* What reading presence needs: of a tag too, which has no values. */
static inline sett_read_ sett_read_make_has_(const sett_world_header_* world,
                                             const sett_type_header_* type)
{
    sett_read_ read = sett_read_make_(world, type);
    read.count = type->presence.has_count;
    return read;
}

/* Whether presence is known for this index: else the type has no value near it, or is not read in
 * line. */
static inline bool sett_read_reaches_(sett_read_ read, uint32_t index)
{
    return SETT_LIKELY_(index >> 13 < read.count);
}

/* 1 if there is a value for this index, which presence reaches, else 0. A number, because presence
 * is hard to predict: the caller need not branch on it. */
static inline uint32_t sett_read_bit_(sett_read_ read, uint32_t index)
{
    const uint64_t* words = (const uint64_t*)read.presence[index >> 13];
    return (uint32_t)(words[(index / 64) & 127] >> (index & 63)) & 1;
}

/* Whether there is a value for the handle. Presence comes first: who has a value lives, and so its
 * page of generations exists. */
static inline bool sett_read_is_here_(sett_read_ read, sett_entity entity)
{
    if (!sett_read_reaches_(read, entity.index) ||
        !SETT_LIKELY_(sett_read_bit_(read, entity.index))) {
        return false;
    }
    const uint32_t* generations = (const uint32_t*)read.generations[entity.index >> 10];
    return SETT_LIKELY_(generations[entity.index & 1023] == entity.generation);
}

/* The row of an index in an array, whose page exists. */
static inline const void* sett_read_row_(sett_read_ read, uint32_t index, uint32_t shift,
                                         uint32_t size)
{
    const unsigned char* rows = (const unsigned char*)read.rows[index >> shift];
    return rows + (size_t)(index & (((uint32_t)1 << shift) - 1)) * size;
}

/* Values a page, as a shift, by size: an array's pages have 16 KB or less, and 64 values at least.
 * A constant where the size is one. */
static inline uint8_t sett_read_shift_(size_t size)
{
    return (uint8_t)(size <= 16 ? 10 : size <= 32 ? 9 : size <= 64 ? 8 : size <= 128 ? 7 : 6);
}

/* Returns whether the entity has a value, where presence reaches the index. Without a branch,
 * because presence is hard to predict.
 * Where no entity ever was, or beyond the table, the generation is some number: there the bit is
 * 0. */
static inline bool sett_read_has_(sett_read_ read, sett_entity entity)
{
    uint32_t number = (entity.index >> 10) & read.mask;
    const uint32_t* generations = (const uint32_t*)read.any_generations[number];
    return (sett_read_bit_(read, entity.index) &
            (uint32_t)(generations[entity.index & 1023] == entity.generation)) != 0;
}

#endif
