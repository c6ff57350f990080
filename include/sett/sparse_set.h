/* sparse_set.h: a complete sparse set: a set of numbers below a limit that can also hand out a
 * number that is not in it. A data structure of its own, independent of worlds.
 *
 * It stores a permutation of all numbers below its capacity, members first, so that a loop can walk
 * them:
 *
 *     dense    7 2 5 | 3 0 1 ...     members | free: what `add` hands out, front first
 *
 * Every operation swaps two entries. Membership is one comparison. Sets share nothing: `reader` and
 * `writer` below mean readers and writers of the same set.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SPARSE_SET_H
#define SETT_SPARSE_SET_H

#include "sett/base.h"

typedef struct sett_sparse_set sett_sparse_set;

/* Creates an empty set.
 *   allocator  NULL: the C library
 *   limit      its numbers are below this; 0: the maximum, 4,294,966,272
 * Returns NULL when memory runs out. Memory: 8 bytes for each number up to the largest one used, in
 * pages of 1,024 numbers.
 * Threads: any. Since: 0.1 */
SETT_API sett_sparse_set* sett_sparse_set_create(const sett_allocator* allocator, uint32_t limit);

/* Frees the set. NULL is fine. Returns SETT_OK. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_sparse_set_destroy(sett_sparse_set* set);

/* Adds a number that is not in the set and writes it to *id: 0, 1, 2, ... in a fresh set; later the
 * number that was removed last.
 * Fails: LIMIT, OUT_OF_MEMORY.
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_sparse_set_add(sett_sparse_set* set, uint32_t* id);

/* Adds a given number.
 * Fails: PRESENT, LIMIT (not below the limit), OUT_OF_MEMORY.
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_sparse_set_request(sett_sparse_set* set, uint32_t id);

/* Removes a number. The last number of the dense order moves to its row.
 * Fails: ABSENT.
 * Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_sparse_set_remove(sett_sparse_set* set, uint32_t id);

/* Removes all numbers. Cost: O(1). Threads: writer. Since: 0.1 */
SETT_API void sett_sparse_set_clear(sett_sparse_set* set);

/* Returns whether a number is in the set; how many numbers are in it.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API bool sett_sparse_set_has(const sett_sparse_set* set, uint32_t id);
SETT_API uint32_t sett_sparse_set_count(const sett_sparse_set* set);

/* Makes room for numbers below `capacity`. Fails: LIMIT, OUT_OF_MEMORY.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_sparse_set_reserve(sett_sparse_set* set, uint32_t capacity);

/* Returns the number in a row, row < count; the row of a number that is in the set.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_sparse_set_at(const sett_sparse_set* set, uint32_t row);
SETT_API uint32_t sett_sparse_set_row(const sett_sparse_set* set, uint32_t id);

/* Sorts the rows. The sort is stable. `compare` returns a negative number if `a` goes before `b`;
 * NULL sorts by number.
 * Fails: OUT_OF_MEMORY (order unchanged).
 * Cost: O(n log n), O(n) when sorted already. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_sparse_set_sort(sett_sparse_set* set,
                                          int (*compare)(uint32_t a, uint32_t b, void* user),
                                          void* user);

/* Checks the invariant.
 * Returns SETT_OK, or INVALID with *reason (may be NULL) set to a constant sentence.
 * Cost: O(capacity). Threads: reader. Since: 0.1 */
SETT_API sett_status sett_sparse_set_validate(const sett_sparse_set* set, const char** reason);

#endif
