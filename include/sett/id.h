/* id.h: handles. A header of its own, so that code which only stores or passes entities needs
 * nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ID_H
#define SETT_ID_H

#include <stdbool.h>
#include <stdint.h>

/* A handle of an entity. All zeroes is null, which is never alive. `generation` counts the entities
 * that have had this index: the handle of a destroyed entity is never used again. */
typedef struct sett_entity {
    uint32_t index;
    uint32_t generation;
} sett_entity;

/* The id of a component type. The program chooses it (an enum is a good place), or the world. 0 is
 * no type. */
typedef uint32_t sett_component;

/* Returns the null handle. Threads: any. Since: 0.1 */
static inline sett_entity sett_null(void)
{
    sett_entity entity = {0, 0};
    return entity;
}

/* Returns whether a handle is null. Threads: any. Since: 0.1 */
static inline bool sett_is_null(sett_entity entity)
{
    return entity.generation == 0;
}

/* Returns whether two handles are of the same entity. Threads: any. Since: 0.1 */
static inline bool sett_equals(sett_entity a, sett_entity b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* Returns the handle as one number, for hash keys, logs and files; 0 for null.
 * Threads: any. Since: 0.1 */
static inline uint64_t sett_entity_to_u64(sett_entity entity)
{
    return ((uint64_t)entity.generation << 32) | entity.index;
}

/* Returns the handle that sett_entity_to_u64 gave this number. Threads: any. Since: 0.1 */
static inline sett_entity sett_entity_from_u64(uint64_t bits)
{
    sett_entity entity;
    entity.index = (uint32_t)bits;
    entity.generation = (uint32_t)(bits >> 32);
    return entity;
}

#endif
