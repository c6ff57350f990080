/* threads.h: a small thread pool for systems, for programs that have no job system.
 *
 *     sett_threads* threads = sett_threads_create(0, NULL);
 *     sett_schedule_configure(world, &(sett_schedule_desc){.tasks = sett_threads_tasks(threads)});
 *     ... sett_progress(world, dt) ...
 *     sett_world_destroy(world);
 *     sett_threads_destroy(threads);                                      after its worlds
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_THREADS_H
#define SETT_THREADS_H

#include "sett/system.h"

typedef struct sett_threads sett_threads;

/* Starts a pool.
 *   workers    threads that work, including the one that calls sett_progress; 0: one for each
 *              processor; 1 starts no thread
 *   allocator  NULL: the C library
 * The pool has the threads that the system starts, if these are fewer (sett_threads_count); where
 * the library was built without threads it works on the calling thread.
 * Returns NULL when memory runs out.
 * Threads: any. Since: 0.1 */
SETT_API sett_threads* sett_threads_create(uint32_t workers, const sett_allocator* allocator);

/* Stops the threads and frees the pool. NULL is fine. Destroy the worlds that use it first, or give
 * them other tasks. A world that goes on without its pool runs its systems on the calling thread,
 * which debug builds report at each frame; the memory of the pool is freed with the last such
 * world.
 * Fails: LOCKED (a task is running).
 * Threads: any. Since: 0.1 */
SETT_API sett_status sett_threads_destroy(sett_threads* threads);

/* Returns the pool in the form that sett_schedule_desc.tasks takes. Several worlds can share a
 * pool: its threads help one world at a time, the other worlds run on their own threads. NULL gives
 * no tasks: everything runs on the calling thread.
 * Threads: any. Since: 0.1 */
SETT_API sett_tasks sett_threads_tasks(sett_threads* threads);

/* Returns the number of threads that work, including the one that calls sett_progress. Threads:
 * any. Since: 0.1 */
SETT_API uint32_t sett_threads_count(const sett_threads* threads);

#endif
