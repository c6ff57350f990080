/* sort.h: the order of sparse sets and groups. A part of core.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SORT_H
#define SETT_SORT_H

#include "sett/group.h"

/* The type of a key. */
typedef enum sett_key_kind {
    SETT_KEY_NONE, /* no key */
    SETT_KEY_U32,
    SETT_KEY_I32,
    SETT_KEY_F32, /* in this order: negative NaNs, numbers (-0 before 0), positive NaNs */
    SETT_KEY_U64,
    SETT_KEY_I64,
    SETT_KEY_F64,
} sett_key_kind;

/* What to sort, and by what: set exactly one of `compare`, `key` and `like`.
 *
 *     sett_sort(world, &(sett_sort_desc){.component = Sprite_id, .key = SETT_KEY_U32,
 *                                        .key_offset = offsetof(Sprite, layer)}); */
typedef struct sett_sort_desc {
    /* the type to sort: in a sparse set or with SETT_STORAGE_DEFAULT, and owned by no group. With
     * `group` and `key`: a type of its `owned` or `with`. With `group` and `compare`: a type of its
     * `owned`. With `group` and `like`: not needed */
    sett_component component;
    sett_group* group; /* sort the members of this group, in all types it owns; default: none */
    /* returns a number below 0 if `a` goes before `b`. Structure is locked */
    int (*compare)(const void* a, const void* b, void* user);
    void* user;        /* passed to `compare` */
    sett_key_kind key; /* compare a number in the value; default: SETT_KEY_NONE */
    size_t key_offset; /* of that number, in bytes */
    /* take the order of this type: of its rows if it is in a sparse set, of entity indices if it is
     * in an array. Entities without it go last, and stay in their present order */
    sett_component like;
    bool reverse; /* greatest first; with `like`: last row first; default: no */
} sett_sort_desc;

SETT_API sett_status sett_sort_sized(sett_world* world, const sett_sort_desc* desc, size_t size);

/* Sorts the rows of a sparse set, or the members of a group that owns types. The sort is stable.
 * Later additions go to the end. Later removals change the order, except with keep_order.
 * A query over several components visits entities in this order only if it asks for it:
 * SETT_IN_ORDER(T), or sett_term.drives.
 * Fails: LOCKED (also if the type is in an array and a snapshot exists: register it with
 * SETT_STORAGE_SPARSE_SET, or sort it once before the first snapshot), UNREGISTERED,
 * ARGUMENT (a type that was registered as an array; a group that owns no type; not exactly one of
 * `compare`, `key` and `like`; a key that is unknown, lies outside of the value, or is of another
 * kind than the member there, if the type has a list of members), CONFLICT (a group owns the
 * type), OUT_OF_MEMORY.
 * Cost: by key O(n), about 30 ns a value; by `compare` O(n log n) comparisons; by `like` O(rows of
 * both types). Less if little is out of order. A second sort of as many values allocates nothing.
 * Invalidates: addresses of the types whose rows move.
 * Threads: writer. Since: 0.2 */
static inline sett_status sett_sort(sett_world* world, const sett_sort_desc* desc)
{
    return sett_sort_sized(world, desc, sizeof(*desc));
}

#endif
