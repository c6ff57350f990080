/* threads.h: a small pool of threads for systems, for programs without a job system of their own.
 *
 *     sett_threads* threads = sett_threads_create(0, NULL);
 *     sett_schedule_configure(world, &(sett_schedule_desc){.tasks = sett_threads_tasks(threads)});
 *     ... sett_progress(world, dt) ...
 *     sett_world_destroy(world);
 *     sett_threads_destroy(threads);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_THREADS_H
#define SETT_THREADS_H

#include "sett/system.h"

typedef struct sett_threads sett_threads;

/* Starts a pool in which `workers` threads work, the one that waits for a task included; 0: as many
 * as the machine runs at once; 1 starts none. `allocator`: NULL for the C library.
 * Returns NULL when memory or threads run out, and where the library was built without threads.
 * Threads: any. Since: 0.1 */
SETT_API sett_threads* sett_threads_create(uint32_t workers, const sett_allocator* allocator);

/* Ends the threads. No task may run. NULL is fine. Threads: any. Since: 0.1 */
SETT_API void sett_threads_destroy(sett_threads* threads);

/* Returns the pool as tasks, for sett_schedule_desc. Several worlds may use one pool; one at a time
 * is helped by its threads, the others do their work themselves.
 * Threads: any. Since: 0.1 */
SETT_API sett_tasks sett_threads_tasks(sett_threads* threads);

/* Returns how many threads work, the waiting one included. Threads: any. Since: 0.1 */
SETT_API uint32_t sett_threads_count(const sett_threads* threads);

#endif
