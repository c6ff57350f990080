/* observer.h: callbacks for components that are added, set or removed, and for entities that begin
 * or no longer match a query. docs/events.md describes their order.
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

/* What happened to a component of an entity. */
typedef enum sett_change {
    SETT_CHANGE_ADD,   /* it was added */
    SETT_CHANGE_SET,   /* its value was set: by sett_set, by a command, or at creation */
    SETT_CHANGE_REMOVE /* it is going to be removed */
} sett_change;

/* There are three kinds of observers. An observer of a component has `component`, and its callbacks
 * run
 *     on_add      after a value was added
 *     on_set      after a value was set: by sett_set, by a command, or at creation
 *     on_replace  after on_set, if the component was there before
 *     on_remove   before a value is removed
 *     on_event    when an event of this type is sent (event.h); `value` is the payload
 * An observer of a query has no `component`. Its callbacks run
 *     on_enter    after the change that makes an entity match
 *     on_exit     before the change that ends this
 * In both, the entity has all its components. Prefabs and entities with the tag Disabled do not
 * match, as loops skip them (prefab.h), unless a term names the tag. Without terms every entity
 * matches: on_enter runs when an entity is created, on_exit when it is destroyed.
 * An observer of every component has `on_any` alone, for editors, undo and logs. It runs where
 * on_add, on_set and on_remove of an observer of each component would, in the order of creation:
 * for tags, links, nodes of the hierarchy and names too, and for types that are registered later.
 *
 * Observers of components run for prefabs too. To leave them out, exclude the tag:
 *
 *     .terms = {{.component = SETT_ID_PREFAB, .kind = SETT_WITHOUT, .access = SETT_NONE}}
 *
 * Callbacks can read, write values, and record commands (sett_commands_here). They cannot change
 * structure (LOCKED). on_remove and on_exit also run for sett_world_clear, sett_world_destroy and
 * sett_world_clone. Restoring a snapshot runs no observer (see sett_snapshot_restore). While a
 * delta is applied callbacks can only read (see sett_delta_apply), and singletons can be missing:
 * give a receiver no observers that write, or disable them meanwhile (sett_observer_enable). */
typedef struct sett_observer_desc {
    const char* name; /* for messages; default: "observer" */

    sett_component component; /* default (0): an observer of a query */
    void (*on_add)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_set)(sett_world* world, sett_entity entity, void* value, void* user);
    void (*on_remove)(sett_world* world, sett_entity entity, void* value, void* user);

    void (*on_event)(sett_world* world, sett_entity entity, void* value, void* user);
    /* `old` is a copy of the old value. Also runs when sett_relate redirects a link: `old` and
     * `value` then begin with a sett_link. Does not run while a delta is applied. Not for types
     * with the hooks copy or deinit, nor for relationships with many targets */
    void (*on_replace)(sett_world* world, sett_entity entity, const void* old, void* value,
                       void* user);
    sett_entity entity; /* only this entity; default (null): all */

    /* Of a component: callbacks run only for entities that match these terms; default: for all. The
     * terms are SETT_WITH, SETT_WITHOUT and SETT_ANY.
     * Of a query: the query. The terms are of these kinds too; no dont_fragment types. An entity
     * that has one SETT_ANY component and gets another one has matched all the time. Terms can look
     * up the hierarchy (SETT_PARENT, SETT_UP, SETT_SELF_UP; register it before): an entity enters
     * when an ancestor gets the component, or when it is attached below one that has it. It exits
     * when no ancestor has the component any more.
     * While there is such an observer, callbacks cannot attach or detach entities (LOCKED: record
     * it), and merging a world or file onto entities of the hierarchy fails (CONFLICT).
     * Other terms are rejected: a change of another entity (`along` a relationship, `entity`,
     * `singleton`) would run no callback. Observe the component there, and look from the callback
     */
    sett_term terms[SETT_QUERY_TERMS];
    void (*on_enter)(sett_world* world, sett_entity entity, void* user);
    void (*on_exit)(sett_world* world, sett_entity entity, void* user);

    void* user; /* passed to all callbacks */
    /* called with `user` when the observer ends, after its last callback: when it is destroyed
     * (inside a callback: later), or with the world. Not if creating it fails. Default: none */
    void (*free_user)(void* user);

    /* run on_add or on_enter for existing matches while the observer is created, in the order of
     * rows of the component, or of the query's rarest component; default: no */
    bool replay;
    bool disabled; /* create it disabled; default: no */

    /* Of every component. Its terms and `entity` are as those of an observer of a component */
    void (*on_any)(sett_world* world, sett_entity entity, sett_component component,
                   sett_change change, void* value, void* user);

    /* Only links to this entity; default (null): all. `component` is a relationship, or the
     * observer is one of every component, and then of every relationship. Its callbacks run when a
     * link to it begins, gets other data or ends; on_set, with on_replace, also when an exclusive
     * link is turned from it to another target. Where an event is about several links of a source,
     * one of them leads to it. The links of children to their parent are no relationship */
    sett_entity target;
} sett_observer_desc;

SETT_API sett_observer* sett_observer_create_sized(sett_world* world,
                                                   const sett_observer_desc* desc, size_t size,
                                                   size_t term_size);

/* Creates an observer. sett_world_destroy frees it. Observers of the same component or query run
 * in the order of their creation.
 * Returns NULL on failure. Fails: UNREGISTERED, ARGUMENT (no callback, or a callback of the other
 * kind of observer; a wrong term; replay without on_add and on_enter), LOCKED, OUT_OF_MEMORY.
 * Cost: O(signatures), plus the calls of replay. Afterwards each observed change costs the call and
 * about 10 ns; with an observer of a query, destroying any entity takes five times as long. With
 * terms that look up the hierarchy, a change of their component at an entity, or of its parent,
 * costs O(descendants x depth below it); not those below a
 * descendant that has the component itself.
 * Threads: writer. Since: 0.1 */
static inline sett_observer* sett_observer_create(sett_world* world, const sett_observer_desc* desc)
{
    return sett_observer_create_sized(world, desc, sizeof(*desc), sizeof(sett_term));
}

/* Destroys an observer: its callbacks do not run any more. Works inside loops and callbacks too,
 * also inside its own. NULL is fine.
 * Fails: LOCKED (systems run in parallel).
 * Cost: O(sets of components). Invalidates: `observer`.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_observer_destroy(sett_observer* observer);

/* Enables or disables an observer, from the next callback on, also within the present event. It
 * keeps its place in the order. Missed events are not repeated.
 * Threads: enable: writer, is_enabled: reader. Since: 0.1 */
SETT_API void sett_observer_enable(sett_observer* observer, bool enabled);
SETT_API bool sett_observer_is_enabled(const sett_observer* observer);

#endif
