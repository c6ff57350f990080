/* ordered.h: the matches of a query in an order: parents before children, by value, by group.
 *
 *     sett_ordered* drawn = sett_ordered_create(world, &(sett_ordered_desc){
 *         .query = sprites, .component = Sprite_id, .key = SETT_KEY_U32,
 *         .key_offset = offsetof(Sprite, layer)});
 *
 *     uint32_t count;
 *     const sett_entity* entities = sett_ordered_update(drawn, &count);
 *     for (uint32_t k = 0; k < count; k++) { draw(SETT_GET(world, entities[k], Sprite)); }
 *
 * Transforms, with the value of each entity's parent at hand:
 *
 *     sett_ordered* nodes = sett_ordered_create(world, &(sett_ordered_desc){
 *         .query = transforms, .cascade = true});
 *
 *     const sett_ordered_row* row = sett_ordered_rows(nodes, Transform_id, SETT_INOUT, &count);
 *     for (uint32_t k = 0; k < count; k++) { place(row[k].value, row[k].parent); }
 *
 * With a local and a world transform the rows are those of the world's, which the parent has, and
 * SETT_GET(world, row[k].entity, Local) is the other.
 *
 * Nothing in storages moves: any number of orders can be kept over the same entities. sett_sort
 * (core.h) sorts a sparse set itself, which loops over it then follow.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ORDERED_H
#define SETT_ORDERED_H

#include "sett/core.h"

typedef struct sett_ordered sett_ordered;

/* What is put in order, and how: first by group, then parents before children, then by value, then
 * by entity index. Only `query` or `text` is required. */
typedef struct sett_ordered_desc {
    sett_query* query; /* must exist as long as the order */

    /* Instead of `query`, `group_by`, `cascade` and `key`: a plain query as text, with its order
     * (docs/queries.md): "Sprite group_by DrawnBy cascade order_by Sprite.layer desc". The order
     * makes the query, and destroys it */
    const char* text;

    /* Groups, ascending: the target's entity index of a relationship with one target for each
     * source (without a target: UINT64_MAX), or what the function returns. Default: one group, 0 */
    sett_component group_by;
    uint64_t (*group_fn)(sett_world* world, sett_entity entity, void* user);

    /* targets before sources: by the number of steps along `along` that an entity is away from the
     * last target; default: no */
    bool cascade;
    sett_component along; /* a relationship with one target; default: the hierarchy */

    /* By a number `key_offset` bytes into the component's value, or by `compare` (below 0: `a` goes
     * first). Entities without the component come first */
    sett_component component;
    sett_key_kind key;
    size_t key_offset;
    int (*compare)(const void* a, const void* b, void* user);
    bool reverse; /* values descending; default: no */

    /* Called by sett_ordered_update for each group that got its first entity, or lost its last one,
     * since the last update. They can read the world and record commands. */
    void (*on_group_first)(sett_world* world, uint64_t group, void* user);
    void (*on_group_last)(sett_world* world, uint64_t group, void* user);
    void* user; /* passed to all callbacks */
} sett_ordered_desc;

SETT_API sett_ordered* sett_ordered_create_sized(sett_world* world, const sett_ordered_desc* desc,
                                                 size_t size);

/* Creates an order. It belongs to the world, which frees it at the end.
 * Returns NULL on failure. Fails: as sett_query_parse; ARGUMENT (no query; `key` and `compare`;
 * `group_by` and `group_fn`; not a relationship with one target; a key that does not fit, as for
 * sett_sort), UNREGISTERED, OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
static inline sett_ordered* sett_ordered_create(sett_world* world, const sett_ordered_desc* desc)
{
    return sett_ordered_create_sized(world, desc, sizeof(*desc));
}

/* Frees an order. NULL is fine. Threads: writer. Since: 0.2 */
SETT_API void sett_ordered_destroy(sett_ordered* ordered);

/* Brings the order up to date.
 * Returns the entities in order, *count of them, valid until the next update; NULL, and *count 0,
 * if none matches or memory runs out (OUT_OF_MEMORY).
 * Cost: for an order without groups and values, along the hierarchy, while no entity comes, goes or
 * moves to another parent: O(pages); a loop over the query, about 6 ns an entity, if the query has
 * terms other than components in arrays. Otherwise also a loop over the result, about 20 ns an
 * entity at any depth; sorting only what is out of order: O(n log r) for r runs that are in order.
 * Threads: writer. Since: 0.2 */
SETT_API const sett_entity* sett_ordered_update(sett_ordered* ordered, uint32_t* count);

/* An entity of an order, as values of one component. */
typedef struct sett_ordered_row {
    void* value;        /* of the entity; NULL if it does not have the component */
    const void* parent; /* of its target along the cascade; NULL also without a target or cascade */
    sett_entity entity;
} sett_ordered_row;

/* Brings the order up to date, and looks up a component of all its entities and of their targets.
 * The k-th row is that of the k-th entity.
 *   access  SETT_IN: the values are only read; else they count as written
 * Returns the rows, *count of them, valid until structure changes or the order is asked again;
 * NULL, and *count 0, if none matches or the call fails.
 * Fails: UNREGISTERED; ARGUMENT (values that only the library writes); OUT_OF_MEMORY.
 * Cost: as sett_ordered_update, and about 5 ns an entity; no handle is checked. Asked again for the
 * same component in an array, while nothing came, went or moved: O(pages).
 * Threads: writer. Since: 0.2 */
SETT_API const sett_ordered_row* sett_ordered_rows(sett_ordered* ordered, sett_component component,
                                                   sett_access access, uint32_t* count);

/* A group of the last update. */
typedef struct sett_ordered_group {
    uint64_t group;
    uint32_t first; /* of its entities, in the array of sett_ordered_update, */
    uint32_t count;
} sett_ordered_group;

/* Returns the number of groups of the last update; the k-th of them, ascending.
 * Threads: reader. Since: 0.2 */
SETT_API uint32_t sett_ordered_group_count(const sett_ordered* ordered);
SETT_API sett_ordered_group sett_ordered_group_at(const sett_ordered* ordered, uint32_t k);

#endif
