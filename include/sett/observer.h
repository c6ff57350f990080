/* observer.h: callbacks for components that are added, set or removed, and for entities that begin
 * or stop to match a query. Opt-in. docs/events.md says which callback runs when, in which order.
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

#include "sett/sett.h"

typedef struct sett_observer sett_observer;

/* What an observer wants to be told. Either of a component: `component` and one or more of on_add,
 * on_set and on_remove; or of a query: `terms` and one or both of entered and left.
 *
 * The same rules as for the hooks of components. on_add: after a value was added; on_set: after it
 * was written by sett_set, a recorded set or values given to sett_entity_create_many, and by
 * nothing else; on_remove: before a value goes, which is still whole. entered: after a change by
 * which the entity came to match; left: before one by which it will not; all of its components
 * exist. A callback may read, write values, and record commands, into sett_commands_here(world) or
 * another buffer; structure is LOCKED. */
typedef struct sett_observer_desc {
    const char* name; /* for messages; default: "observer" */

    sett_component component; /* default (0): of a query */
    void (*on_add)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_set)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_remove)(sett_world* world, sett_entity entity, void* value, void* user);

    /* Of kind SETT_WITH, at least one, and SETT_WITHOUT; access means nothing. No dont_fragment
     * types,
     * whose comings and goings queries are not told of: observe the component instead. */
    sett_term terms[SETT_QUERY_TERMS];
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);

    void* user; /* handed to all callbacks */

    /* While it is being created, tell on_add or entered of what exists already, in the order of the
     * rows of the component, or of the rarest component that the query wants; default: no */
    bool replay;
    bool disabled; /* until sett_observer_enable; default: no */
} sett_observer_desc;

/* Creates an observer. It belongs to the world. Several may want the same: they are called in the
 * order of their creation.
 * Returns NULL on failure. Fails: UNREGISTERED, ARGUMENT (neither component nor terms, or both; no
 * callback, or one that is not of this form; a term that is not with or without; a dont_fragment
 * type in
 * terms; replay without on_add and entered), LOCKED, OUT_OF_MEMORY.
 * Cost: O(sets of components); with replay, the calls. From then on the changes concerned take the
 * time of the call and about 10 ns; a query's observer makes every first transition of its kind
 * slower, and destroying any entity about twice as slow.
 * Threads: writer. Since: 0.1 */
SETT_API sett_observer* sett_observer_create(sett_world* world, const sett_observer_desc* desc);

/* Ends an observer, at any time: it is called no more. While a loop is open or a callback runs, its
 * own included, its memory is kept until the next observer is created or destroyed. NULL is fine.
 * Fails: LOCKED (systems run side by side).
 * Cost: O(sets of components). Invalidates: `observer`.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_observer_destroy(sett_observer* observer);

/* Whether an observer is called; from the next call on, also within the event that is being told.
 * It does not learn afterwards what happened while it was disabled, and keeps its place in the
 * order.
 * Threads: enable: writer, is_enabled: reader. Since: 0.1 */
SETT_API void sett_observer_enable(sett_observer* observer, bool enabled);
SETT_API bool sett_observer_is_enabled(const sett_observer* observer);

#endif
