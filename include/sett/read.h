/* read.h: reading by handle, in line. A part of sett.h, which says what the calls mean; nothing in
 * here is for programs to name.
 *
 * Of two components of a random one of a million entities half of what a call costs is the call:
 * 25.8 ns, in line 21.5; presence of one, 6.7 and 5.5 (gcc 12 -O3). What is read here is how a
 * world and a component type begin; whatever is not a matrix, and whatever is wrong, goes the long
 * way, through the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_READ_H
#define SETT_READ_H

#include "sett/id.h"

#include <stddef.h>

#if defined(__GNUC__)
#define SETT_LIKELY_(x) __builtin_expect(!!(x), 1)
#else
#define SETT_LIKELY_(x) (x)
#endif

/* An array that grows by pages. */
typedef struct sett_page_table_ {
    void** data; /* NULL: a stretch where nobody is */
    uint64_t* tick;
    uint32_t count;
    uint32_t capacity;
    uint32_t size;
    uint32_t align;
    void* notes;
} sett_page_table_;

/* How a component type begins. */
typedef struct sett_type_front_ {
    uint8_t kind;  /* 0: a matrix */
    uint8_t shift; /* values a page = 1 << shift */
    bool keep_order;
    bool tracked;
    uint32_t size;             /* of a value */
    sett_page_table_ presence; /* of a matrix: pages of 8,192 bits */
    sett_page_table_ rows;     /* pages of values */
} sett_type_front_;

/* How a world begins. */
typedef struct sett_world_front_ {
    const sett_type_front_* const* types; /* NULL: not registered */
    uint32_t type_count;                  /* 0: all reading goes the long way */
    uint32_t type_capacity;
    sett_page_table_ entities; /* pages of 1,024: generations first */
} sett_world_front_;

/* The type, or NULL: the long way. */
static inline const sett_type_front_* sett_read_type_(const sett_world_front_* world,
                                                      sett_component component)
{
    const sett_type_front_* type =
        SETT_LIKELY_(component < world->type_count) ? world->types[component] : NULL;
    return SETT_LIKELY_(type != NULL) && SETT_LIKELY_(type->kind == 0) ? type : NULL;
}

/* Whether the handle's generation is that of its slot. */
static inline bool sett_read_is_current_(const sett_world_front_* world, sett_entity entity)
{
    uint32_t number = entity.index >> 10;
    if (!SETT_LIKELY_(number < world->entities.count)) {
        return false;
    }
    const uint32_t* generations = (const uint32_t*)world->entities.data[number];
    return SETT_LIKELY_(generations != NULL) &&
           SETT_LIKELY_(generations[entity.index & 1023] == entity.generation);
}

/* 1 if a matrix has a value for this index, else 0. Who has it is anybody's guess: callers that
 * only ask need no branch on it. */
static inline uint32_t sett_read_bit_(const sett_type_front_* type, uint32_t index)
{
    uint32_t number = index >> 13;
    if (!SETT_LIKELY_(number < type->presence.count)) {
        return 0;
    }
    const uint64_t* words = (const uint64_t*)type->presence.data[number];
    return SETT_LIKELY_(words != NULL) ? (uint32_t)(words[index / 64 & 127] >> (index & 63)) & 1
                                       : 0;
}

/* The row of an index in a matrix, whose page exists. */
static inline const void* sett_read_row_(const sett_type_front_* type, uint32_t index)
{
    const unsigned char* rows = (const unsigned char*)type->rows.data[index >> type->shift];
    return rows + (size_t)(index & (((uint32_t)1 << type->shift) - 1)) * type->size;
}

/* The value in a matrix, or NULL. */
static inline const void* sett_read_value_(const sett_world_front_* world,
                                           const sett_type_front_* type, sett_entity entity)
{
    return sett_read_is_current_(world, entity) && SETT_LIKELY_(sett_read_bit_(type, entity.index))
               ? sett_read_row_(type, entity.index)
               : NULL;
}

static inline bool sett_read_has_(const sett_world_front_* world, const sett_type_front_* type,
                                  sett_entity entity)
{
    return sett_read_is_current_(world, entity) && sett_read_bit_(type, entity.index) != 0;
}

#endif
