/* observer.h: callbacks for components that are added, set or removed, and for entities that begin
 * or stop to match a query. docs/events.md says which callback runs when, in which order.
 *
 *     sett_observer_create(world, &(sett_observer_desc){.name = "lights",
 *                                                       .component = Light_id,
 *                                                       .on_add = light_added,
 *                                                       .on_remove = light_removed});
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_OBSERVER_H
#define SETT_OBSERVER_H

#include "sett/core.h"

typedef struct sett_observer sett_observer;

/* An observer is either of a component: `component` and one or more of on_add, on_set, on_remove
 * and on_event; or of a query: `terms` and one or both of on_enter and on_exit. Without terms the
 * query matches every entity: on_enter runs when one is created, on_exit when it is destroyed.
 *
 * on_add runs after a value was added; on_set after it was set by sett_set, a recorded set, or a
 * value given at creation; on_remove before a value is removed; on_event when an event of this type
 * is sent (event.h), with its payload as `value`. on_enter runs after the change by
 * which an entity begins to match, on_exit before the change by which it stops to match: the entity
 * has all its components in both. Callbacks can read, write values, singletons too, and record
 * commands (sett_commands_here), but not change structure (LOCKED).
 *
 * on_remove and on_exit also run when the world is cleared, destroyed or replaced by
 * sett_world_clone. Restoring a snapshot runs no observer: what observers count must be in a
 * component, such as a singleton, which is restored. While a delta is applied callbacks can only
 * read (state.h), and singletons may not be there yet: give a receiver no observers that write. */
typedef struct sett_observer_desc {
    const char* name; /* for messages; default: "observer" */

    sett_component component; /* default (0): of a query */
    void (*on_add)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_set)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_remove)(sett_world* world, sett_entity entity, void* value, void* user);

    void (*on_event)(sett_world* world, sett_entity entity, void* value, void* user);
    /* runs after on_set if the component was there before, also with its old value, of which it
     * gets a copy: by sett_set, a recorded set, and when sett_relate redirects a link (`old` and
     * `value` begin with a sett_link: both targets). Not while a delta is applied. Only for values
     * without the hooks copy and deinit, and not for relationships with many targets */
    void (*on_replace)(sett_world* world, sett_entity entity, const void* old, void* value,
                       void* user);
    sett_entity entity; /* only this entity; default (null): all */

    /* With a component: run only for entities that match these terms, of kind SETT_WITH,
     * SETT_WITHOUT and SETT_ANY; default: all. Without one the query: SETT_WITH and SETT_WITHOUT,
     * no dont_fragment types. Access is ignored. */
    sett_term terms[SETT_QUERY_TERMS];
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);

    void* user; /* passed to all callbacks */

    /* call on_add or on_enter for existing matches while the observer is created, in the order of
     * the rows of the component, or of the query's rarest component; default: no */
    bool replay;
    bool disabled; /* create it disabled; default: no */
} sett_observer_desc;

SETT_API sett_observer* sett_observer_create_sized(sett_world* world,
                                                   const sett_observer_desc* desc, size_t size,
                                                   size_t term_size);

/* Creates an observer. It belongs to the world. Observers of the same component or query run in the
 * order of their creation.
 * Returns NULL on failure. Fails: UNREGISTERED, ARGUMENT (no callback, or one of the other form; a
 * term of another kind; replay without on_add and on_enter), LOCKED, OUT_OF_MEMORY.
 * Cost: O(signatures), plus the calls of replay. Afterwards each observed change costs the call and
 * about 10 ns; with an observer of a query, destroying any entity takes about twice as long.
 * Threads: writer. Since: 0.1 */
static inline sett_observer* sett_observer_create(sett_world* world, const sett_observer_desc* desc)
{
    return sett_observer_create_sized(world, desc, sizeof(*desc), sizeof(sett_term));
}

/* Destroys an observer. It is allowed at any time, also inside a loop or a callback, its own
 * included: the observer is not called any more. NULL is fine.
 * Fails: LOCKED (systems run side by side).
 * Cost: O(sets of components). Invalidates: `observer`.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_observer_destroy(sett_observer* observer);

/* Enables or disables an observer, from the next callback on, also within the present event. An
 * observer that is enabled again keeps its place in the order, and does not see what it missed.
 * Threads: enable: writer, is_enabled: reader. Since: 0.1 */
SETT_API void sett_observer_enable(sett_observer* observer, bool enabled);
SETT_API bool sett_observer_is_enabled(const sett_observer* observer);

#endif
