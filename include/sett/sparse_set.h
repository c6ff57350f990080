/* sparse_set.h: a complete sparse set on its own: a set of numbers below a limit that can also hand
 * out a fresh one. Opt-in.
 *
 * It keeps a permutation of all numbers below its capacity, the members in front, in a dense order
 * that a loop can walk:
 *
 *     dense    7 2 5 | 3 0 1 ...     members | free: what `add` hands out, front first
 *
 * Every operation is a swap of two entries, so that both directions of the permutation stay
 * complete. Membership is one comparison.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SPARSE_SET_H
#define SETT_SPARSE_SET_H

#include "sett/base.h"

typedef struct sett_sparse_set sett_sparse_set;

/* Returns an empty set of numbers below `limit` (0, and at most: 4,294,966,272), or NULL.
 * `allocator` may be NULL. Memory follows the largest number used: 8 bytes each, in pages of 1,024.
 * Threads: any. Since: 0.1 */
SETT_API sett_sparse_set* sett_sparse_set_create(const sett_allocator* allocator, uint32_t limit);

/* Frees the set. NULL is fine. */
SETT_API void sett_sparse_set_destroy(sett_sparse_set* set);

/* Adds some number that is not in the set and writes it to *id: the one at the front of the free
 * part, which is 0, 1, 2, ... in a fresh set and the latest removed first later.
 * Fails: LIMIT, OUT_OF_MEMORY.
 * Cost: O(1). Since: 0.1 */
SETT_API sett_status sett_sparse_set_add(sett_sparse_set* set, uint32_t* id);

/* Adds this number.
 * Fails: PRESENT, LIMIT (not below the limit), OUT_OF_MEMORY.
 * Cost: O(1). Since: 0.1 */
SETT_API sett_status sett_sparse_set_request(sett_sparse_set* set, uint32_t id);

/* Removes this number; the last of the dense order takes its place.
 * Fails: ABSENT.
 * Cost: O(1). Since: 0.1 */
SETT_API sett_status sett_sparse_set_remove(sett_sparse_set* set, uint32_t id);

/* Removes all. Cost: O(1). Since: 0.1 */
SETT_API void sett_sparse_set_clear(sett_sparse_set* set);

/* Returns whether the number is in the set, how many are, and for how many there is room without
 * growing.
 * Cost: O(1). */
SETT_API bool sett_sparse_set_has(const sett_sparse_set* set, uint32_t id);
SETT_API uint32_t sett_sparse_set_count(const sett_sparse_set* set);
SETT_API uint32_t sett_sparse_set_capacity(const sett_sparse_set* set);

/* Makes room for numbers below `capacity`. Fails: LIMIT, OUT_OF_MEMORY. Since: 0.1 */
SETT_API sett_status sett_sparse_set_reserve(sett_sparse_set* set, uint32_t capacity);

/* Returns the member at a place of the dense order, row < count; and the place of a member.
 * Cost: O(1). Since: 0.1 */
SETT_API uint32_t sett_sparse_set_at(const sett_sparse_set* set, uint32_t row);
SETT_API uint32_t sett_sparse_set_row(const sett_sparse_set* set, uint32_t id);

/* Sorts the members' dense order, stably. `compare` is below zero when `a` goes before `b`; NULL
 * sorts by number.
 * Fails: OUT_OF_MEMORY (order unchanged).
 * Cost: O(n log n), O(n) when sorted already. Since: 0.1 */
SETT_API sett_status sett_sparse_set_sort(sett_sparse_set* set,
                                          int (*compare)(uint32_t a, uint32_t b, void* user),
                                          void* user);

/* Checks the invariant.
 * Returns SETT_OK, or INVALID with *reason (may be NULL) set to a constant sentence.
 * Cost: O(capacity). */
SETT_API sett_status sett_sparse_set_validate(const sett_sparse_set* set, const char** reason);

#endif
