/* queue.h: what an observer sees, in a queue instead of callbacks. For languages that C cannot call
 * back, and for programs that look at all changes at one place of the frame.
 *
 *     sett_queue* hurt = sett_queue_create(world, &(sett_observer_desc){.component = Health_id});
 *     ...
 *     sett_queued_change seen[64];
 *     for (uint32_t count; (count = sett_queue_take(hurt, seen, 64)) != 0;) {
 *         for (uint32_t k = 0; k < count; k++) {
 *             if (seen[k].change == SETT_CHANGE_SET) {
 *                 show_health(seen[k].entity);
 *             }
 *         }
 *     }
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_QUEUE_H
#define SETT_QUEUE_H

#include "sett/observer.h"

typedef struct sett_queue sett_queue;

/* A change that an observer saw. The entity can have changed again, or be dead, since then. */
typedef struct sett_queued_change {
    sett_entity entity;
    sett_component component; /* 0: the entity began (ADD) or ceased (REMOVE) to match the terms */
    sett_change change;
} sett_queued_change;

/* The most changes that a queue holds. */
#define SETT_QUEUE_LIMIT 1000000

/* Creates an observer without callbacks, and a queue of what it sees.
 *   desc  with a component: its changes (on_add, on_set, on_remove). Without: the beginning and the
 *         end of matches (on_enter, on_exit). No callback, `user` or `free_user` may be set, and
 *         not `disabled`
 * The queue is no part of the world's state: a restored snapshot leaves it as it is.
 * Returns NULL on failure. Fails: like sett_observer_create.
 * Cost: like sett_observer_create; about 85 instructions and 16 bytes for each change until it is
 * taken. Memory comes from the world's allocator.
 * Threads: writer. Since: 0.2 */
SETT_API sett_queue* sett_queue_create_sized(sett_world* world, const sett_observer_desc* desc,
                                             size_t size, size_t term_size);
static inline sett_queue* sett_queue_create(sett_world* world, const sett_observer_desc* desc)
{
    return sett_queue_create_sized(world, desc, sizeof(*desc), sizeof(sett_term));
}

/* Takes changes out of the queue, the oldest first. A queue that was full, or for which memory ran
 * out, has lost the newest ones: the call that empties it writes how many into the log, and LIMIT
 * or OUT_OF_MEMORY to sett_world_error.
 *   out  receives up to `capacity` changes. NULL: none is taken
 * Returns how many it took; 0: the queue is empty. With NULL, how many there are.
 * Cost: a copy of what is taken; memory is kept for later changes.
 * Threads: writer. Since: 0.2 */
SETT_API uint32_t sett_queue_take(sett_queue* queue, sett_queued_change* out, uint32_t capacity);

/* Destroys a queue and its observer. sett_world_destroy does so too. NULL is fine.
 * Fails: LOCKED (systems run in parallel). Invalidates: `queue`.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_queue_destroy(sett_queue* queue);

#endif
