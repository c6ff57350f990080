/* state.h: the world as a value: copy, rewind, compare and send it.
 *
 *     comparisons  hash, first difference, clone                 sett_world_*
 *     snapshots    the state at a moment, to go back to          sett_snapshot_*
 *     deltas       the difference of two snapshots, to be sent   sett_delta_*
 *     rings        the snapshots of the last n frames            sett_ring_*
 *
 * The state: which entities are alive, their handles, and which handles the next new entities will
 * get; components and values; the order of sparse sets; which entities are in a group; the tick of
 * the last write of each page; frame and time of sett_progress; whether each system is enabled, its
 * timers and the tick of its last run. Not the state: the clock (sett_world_tick), component types,
 * queries and their ticks, groups and systems themselves, recorded commands, and values of types
 * with SETT_SAVE_SKIP.
 *
 * Changes and restores. A restore begins a new tick; the clock does not go back. A program that
 * follows the world from outside (a renderer, a network layer) stores a tick and asks for later
 * changes, by sett_query_set_since or sett_changed_tick: it finds what was written and what a
 * restore changed. The `changed` terms of a system compare with the tick of its last run. That tick
 * is restored, so that frames that are played again visit the same entities. For them a restore is
 * no change. In pages that a restore exchanged, all values count as written when one was, even for
 * types with track_rows.
 *
 * Writes. Snapshots see writes through the library: sett_set, sett_get_mut and similar calls, and
 * loops that declare SETT_OUT or SETT_INOUT. An address from sett_get_mut can be written until the
 * next snapshot is taken or restored. Other writes are missing from snapshots: call
 * sett_world_check_writes once a frame while you develop to find them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_STATE_H
#define SETT_STATE_H

#include "sett/core.h"

/* ---------------------------------------------------------------------------------- comparisons */

/* Returns a hash of the state. Worlds have equal hashes if they have the same entities (by handle),
 * components (by name) and values. A type with members (members.h) is hashed member by member: in
 * their order, little endian, text up to its zero byte, all NaNs as one value. Other types are
 * hashed as bytes, padding as zero. Of types without SETT_SAVE_BYTES only the declared bytes are
 * hashed. Storages, orders, groups, ids and history do not matter. It begins a new tick.
 * Cost: O(pages), plus O(values) of pages that were written since the last call.
 * Threads: writer. Since: 0.1 */
SETT_API uint64_t sett_world_hash(sett_world* world);

/* Returns whether sett_world_hash is the same number on every machine: every type that is hashed
 * has members, and no member is opaque (raw bytes). If not, *raw (can be NULL) is the first type
 * that is hashed as bytes of this machine.
 * Cost: O(types). Threads: reader. Since: 0.2 */
SETT_API bool sett_world_hash_portable(const sett_world* world, sett_component* raw);

/* Formats the first difference between two worlds, as snprintf does: entity, component, bytes. It
 * compares what sett_world_hash hashes.
 * Returns the length of the whole text; 0 if there is no difference.
 * Cost: O(entities x types).
 * Threads: reader of both. Since: 0.1 */
SETT_API size_t sett_world_difference(const sett_world* a, const sett_world* b, char* out,
                                      size_t size);

/* For debugging: finds values that were written behind the library's back (see above) since the
 * last call of this function or of sett_world_hash.
 * Returns OK, or INVALID with a message that names the component and the entity.
 * Cost: O(values), plus the hash. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_check_writes(sett_world* world);

/* Replaces the state of `into` by that of `from`: the same handles are alive, and new entities will
 * get the same handles. Types are matched by name; missing ones are registered, with the same ids
 * if these are free. Queries, groups, systems and observers are not part of the state: create them
 * in `into` as in `from`. The frame count, the time, and timers of systems that `into` has by name
 * are copied. The entities of `into` are destroyed first, as by sett_world_clear, with their
 * on_remove callbacks; for the copied ones no callback runs. Commands recorded in `from` are not
 * copied, those recorded in `into`, also by these callbacks, are dropped.
 * Fails: LOCKED (a loop is open, or snapshots of `into` are held), CONFLICT (a type of this name
 * has another layout or storage in `into`, or is a relationship in only one of the worlds; the
 * message names it), LIMIT (an entity's index is beyond its limit), ARGUMENT (as
 * sett_snapshot_take); then nothing was changed, but types may have been registered. OUT_OF_MEMORY:
 * then `into` is empty. When it succeeds, a new tick of `into` begins, and all copied values count
 * as changed.
 * Cost: O(pages), and O(values) of cloned types and of groups.
 * Invalidates: all addresses in `into`.
 * Threads: writer of `into`, reader of `from`. Since: 0.1 */
SETT_API sett_status sett_world_clone(const sett_world* from, sett_world* into);

/* ------------------------------------------------------------------------------------ snapshots */

/* The state at one moment, stored in its world. Snapshots form a tree, like the steps of an
 * editor's undo or a game's predictions: any of them can be restored, in any order, and the world
 * can go on from there. Each stores only the pages that differ from the next state on the way from
 * it to the present one, so time and memory depend on what was written, not on the size of the
 * world.
 *
 * A handle is a value; all zeroes is none. The handle of a dropped snapshot is stale. */
typedef struct sett_snapshot {
    uint32_t slot;
    uint32_t serial;
} sett_snapshot;

/* Takes a snapshot. Recorded commands, in all buffers, are applied first.
 * Groups can be neither made nor destroyed, and types not be converted, while snapshots are held.
 *   out  receives the handle
 * Fails: LOCKED (a loop is open, or a hook runs), ARGUMENT (a type has the hooks deinit or copy,
 * and its `save` was left at SETT_SAVE_BYTES: choose CLONE or SKIP), OUT_OF_MEMORY, or as applying
 * commands.
 * Cost: O(types), however many are held; then each page is copied at its first write, about 1 us
 * for 16 KB.
 * Invalidates: nothing; but addresses for writing can only be read from now on.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_take(sett_world* world, sett_snapshot* out);

/* Restores the state of a snapshot. The present state is lost, unless a snapshot of it was taken.
 * All snapshots stay. Commands that were not applied are dropped. A new tick begins; for queries
 * and sett_changed_tick, the pages that the restore changes count as changed in this tick; for
 * `changed` terms of systems they do not. No callback or observer runs. If a callback counts
 * something, put the counter into a component, so that it is restored too, or correct it in
 * sett_snapshot_options.restored. Only value hooks run (copy, move, init, deinit), of types with
 * SETT_SAVE_CLONE or SETT_SAVE_SKIP.
 *
 * Values of a SETT_SAVE_SKIP type stay as they are if the entity has one before and after; others
 * are initialised or deinitialised.
 *
 * Fails: STALE (dropped), LOST, LOCKED, OUT_OF_MEMORY (only for SKIP types and for the callback of
 * sett_snapshot_options; nothing has changed then).
 * Cost: O(pages that changed), plus O(values) of SKIP types that changed.
 * Invalidates: addresses of components that do not exist any more. A component that exists before
 * and after, in the same row, has the same address.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_restore(sett_world* world, sett_snapshot snapshot);

/* Drops a snapshot, anywhere in the tree. Pages that other snapshots need are given to them. If
 * several snapshots, or one and the present state, are based on it, it is hidden, and freed when
 * only one is left.
 * Fails: STALE, LOST (it was lost already).
 * Cost: O(its pages).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_drop(sett_world* world, sett_snapshot snapshot);

/* Drops all snapshots. Threads: writer. Since: 0.1 */
SETT_API void sett_snapshot_drop_all(sett_world* world);

/* Returns OK if it can be restored; STALE if it was dropped or never was; LOST if memory ran out
 * when a page had to be copied for it, or if the limit on memory dropped it.
 * Threads: reader, but not while systems run: a system that writes can run out of memory and so
 * lose the snapshot. Ask before or after sett_progress. Since: 0.1 */
SETT_API sett_status sett_snapshot_status(const sett_world* world, sett_snapshot snapshot);

/* What a restore changed, for programs that mirror the world elsewhere (a renderer, physics). */
typedef enum sett_restored_kind {
    SETT_RESTORED_KILLED,  /* the entity is not alive any more */
    SETT_RESTORED_REVIVED, /* the entity is alive again */
    SETT_RESTORED_REMOVED, /* the entity, killed or not, does not have the component any more */
    SETT_RESTORED_ADDED,   /* the entity, revived or not, has the component again */
    SETT_RESTORED_CHANGED, /* the value is different */
} sett_restored_kind;

typedef struct sett_restored {
    sett_restored_kind kind;
    sett_component component; /* 0 for KILLED and REVIVED */
    sett_entity entity;
} sett_restored;

/* Receives all that a restore changed, after it: entities first, then component by component in the
 * order of their registration, each ascending by index. Values are compared by their declared
 * bytes; of SETT_SAVE_CLONE types without declared bytes only presence is reported. The callback
 * can read the world and record commands. */
typedef void (*sett_restored_fn)(sett_world* world, const sett_restored* items, uint32_t count,
                                 void* user);

/* Options for the snapshots of a world. All zeroes is the default. */
typedef struct sett_snapshot_options {
    /* bytes of pages that snapshots can use: beyond it the oldest snapshots are dropped, and a
     * message is logged; the latest one is never dropped. It can be exceeded inside a loop, and
     * between two snapshots if a type has SETT_SAVE_CLONE. Default: no limit */
    size_t memory_limit;
    sett_restored_fn restored; /* default: none */
    void* user;                /* passed to `restored` */
    /* the most memory, in bytes, that applying one delta may take, not counting copies of pages for
     * undoing it. A delta that needs more is rejected before it allocates. Default: the sum of 64
     * MB, the memory of the world, and 64 times the bytes of the delta */
    size_t delta_limit;
} sett_snapshot_options;

SETT_API sett_status sett_snapshot_set_options_sized(sett_world* world,
                                                     const sett_snapshot_options* options,
                                                     size_t size);

/* Sets the options; NULL sets the defaults. Fails: OUT_OF_MEMORY. Threads: writer. Since: 0.1 */
static inline sett_status sett_snapshot_set_options(sett_world* world,
                                                    const sett_snapshot_options* options)
{
    return sett_snapshot_set_options_sized(world, options, sizeof(*options));
}

typedef struct sett_snapshot_stats {
    uint32_t snapshots; /* that can be restored */
    uint32_t hidden;    /* dropped, but still stored because others depend on them */
    uint32_t pages;     /* stored for them */
    size_t page_size;   /* bytes in those pages */
    uint64_t lost;      /* snapshots lost because memory ran out, or because of the limit */
} sett_snapshot_stats;

SETT_API void sett_snapshot_stats_get_sized(const sett_world* world, sett_snapshot_stats* stats,
                                            size_t size);

/* Fills `stats`. sett_world_stats counts these pages in block_size, not in pages and page_size.
 * Cost: O(snapshots).
 * Threads: reader. Since: 0.1 */
static inline void sett_snapshot_stats_get(const sett_world* world, sett_snapshot_stats* stats)
{
    sett_snapshot_stats_get_sized(world, stats, sizeof(*stats));
}

/* --------------------------------------------------------------------------------------- deltas */

/* Encodes the difference between two snapshots: what turns state `a` into state `b`, either of
 * which can be the earlier one. It contains entities that are destroyed and created, by handle;
 * components removed, added and changed, by the names of their types and their declared bytes;
 * parents and the order of children; links with their data and order; names; the handles that come
 * next; the order of rows in sparse sets.
 *
 * Not in a delta: values of SETT_SAVE_SKIP types, which are initialised at the receiver; ticks of
 * change detection: at the receiver the values that the delta changes count as changed; the frame
 * count, the time, and timers of systems (interval, fixed_step, run_once), which clones and files
 * have. What must be equal after a delta has to be in components.
 *   out   receives up to `capacity` bytes; NULL, with a capacity of 0, to ask for the size
 *   size  receives the size of the whole delta, also if it does not fit
 * Fails: STALE, LOST; LIMIT (it does not fit into `out`); ARGUMENT (a type that differs has
 * SETT_SAVE_CLONE and no declared bytes; or an entity index has no generations left in `a` and has
 * some in `b`), OUT_OF_MEMORY.
 * Cost: O(pages that differ), plus O(siblings) where children changed, O(sources) where links to a
 * target changed, and O(types). The first delta between two snapshots also costs a sett_world_hash,
 * and begins a new tick.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                                       void* out, size_t capacity, size_t* size);

/* Applies a delta to a world that is in the delta's first state. Recorded commands are applied
 * first. The bytes can come from an untrusted source: all of them are checked, and if the result is
 * not the expected state, everything is undone. If the delta is rejected and undone, SETT_SAVE_SKIP
 * values of entities that it had destroyed are initialised anew.
 *
 * Callbacks run as for immediate calls: on_add sees the final value, then on_set runs; on_set also
 * runs for each changed value (docs/events.md). They must only read. The sender's changes arrive
 * with its deltas; a change made here would make the next delta fail. Recording commands is
 * rejected meanwhile (LOCKED); a written value makes the delta fail with INVALID. If a delta is
 * rejected after callbacks ran, its changes are undone without callbacks, except
 * sett_snapshot_options.restored. Missing built-in components (Hierarchy, Name, Prefab, Disabled,
 * InstanceOf, Singletons) are registered; all other types must be registered before.
 *
 * A short delta can name an entity at a very high index, and tables of that length would have to be
 * allocated. sett_snapshot_options.delta_limit bounds the memory that one delta takes, before it is
 * allocated; after a rejection it is freed.
 *
 * Two states are equal if their hashes are (sett_world_hash), even if storages or orders of rows
 * differ. A clone that has applied all deltas also has the same order of rows and the same free
 * handles: both worlds continue alike. If the receiver stores a type in another way, so that the
 * order of its rows cannot be copied, the log says so once (SETT_LOG_INFO), with the name of the
 * type.
 * Fails: INVALID (malformed, cut off, altered, of another version, or a callback wrote a value; the
 * message says where), CONFLICT (this world is in another state; a type is missing or has another
 * layout: the message names it), LIMIT (it needs more memory than delta_limit), LOCKED, ARGUMENT,
 * OUT_OF_MEMORY; the state is unchanged then. Memory to undo is reserved before each step. LOST:
 * the delta could not be undone. This happens only if callbacks wrote to many pages, which they
 * must not do, and memory ran out.
 * Cost: as the changes, plus sett_world_hash twice and O(types); O(rows) of changed types in sparse
 * sets.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size);

/* ---------------------------------------------------------------------------------------- rings */

/* The snapshots of the last n frames: taking one more drops the oldest. */
typedef struct sett_ring sett_ring;

/* Creates a ring of up to `capacity` snapshots (0 counts as 1). It belongs to the world.
 * Returns NULL when memory runs out. Threads: writer. Since: 0.1 */
SETT_API sett_ring* sett_ring_create(sett_world* world, uint32_t capacity);

/* Drops its snapshots and frees it. NULL is fine.
 * Fails: LOCKED (systems run in parallel).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_destroy(sett_ring* ring);

/* Takes a snapshot, and drops the oldest if the ring is full. Fails: as sett_snapshot_take. */
SETT_API sett_status sett_ring_take(sett_ring* ring);

/* Restores an older snapshot: `back` 0 is the latest, 1 the one before it, and so on. It stays in
 * the ring; later ones are dropped. If each frame takes a snapshot and then plays,
 *
 *     back 0 is the state before the last frame: one frame is undone,
 *     back 1 is the state one frame earlier: two frames are undone,
 *     back n undoes n + 1 frames.
 *
 * To play them again, do not take the first frame's snapshot again, as it is still there:
 *
 *     sett_ring_restore(ring, n);
 *     for (uint32_t k = 0; k <= n; k++) {
 *         if (k > 0) { sett_ring_take(ring); }
 *         play(world);
 *     }
 *
 * Fails: ARGUMENT (there is no such snapshot), or as sett_snapshot_restore. */
SETT_API sett_status sett_ring_restore(sett_ring* ring, uint32_t back);

/* Returns the number of snapshots in it. */
SETT_API uint32_t sett_ring_count(const sett_ring* ring);

/* Returns a snapshot, counted as in sett_ring_restore; none if there is no such snapshot. */
SETT_API sett_snapshot sett_ring_at(const sett_ring* ring, uint32_t back);

#endif
