/* state.h: the world as a value: copy, rewind, compare and send it.
 *
 *     comparisons  hash, first difference, clone                 sett_world_*
 *     snapshots    the state at a moment, to go back to          sett_snapshot_*
 *     deltas       the difference of two snapshots, to be sent   sett_delta_*
 *     rings        the snapshots of the last n frames            sett_ring_*
 *
 * The state is everything that a simulation computes with:
 *     which entities are alive, their handles, and the handles of the next new entities
 *     components and their values; which components are switched off
 *     the order of sparse sets, and the members of groups
 *     for each page the tick of its last write
 *     the frame count and the time of sett_progress
 *     of each system: whether it is enabled, its timers, and the tick of its last run
 *
 * Not part of the state:
 *     the tick of the world (sett_world_tick)
 *     component types, queries, systems, groups and observers themselves
 *     recorded commands
 *     values of types with SETT_SAVE_SKIP
 *
 * Words:
 *     restore     make the state what it was when a snapshot was taken
 *     drop        delete a snapshot
 *     timers      of a system: the time since its last run, for interval and fixed_step
 *     write       a change of a value: by sett_set, sett_ensure, a _mut call, or a loop with
 *                 SETT_OUT or SETT_INOUT
 *     stray write a change that the library does not see
 *
 * Stray writes. You can write to an address from sett_get_mut until the next snapshot is taken or
 * restored. A later write is a stray write. So is a write through an address from sett_get.
 * Snapshots do not contain stray writes. Call sett_world_check_writes once a frame while you
 * develop: it finds them.
 *
 * What counts as changed after a restore. A restore begins a new tick, and stores it in each page
 * that it changes. Queries and sett_changed_tick therefore find these pages, so a renderer draws
 * them again. All values of such a page count as changed, even with track_rows. Systems do not see
 * a restore as a change: their `changed` terms use another tick of each page, which a restore sets
 * back to that of the snapshot. So a frame that is played again visits the same entities as before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_STATE_H
#define SETT_STATE_H

#include "sett/core.h"

/* ---------------------------------------------------------------------------------- comparisons */

/* Returns a hash of the state. Two worlds have equal hashes if they have the same entities (by
 * handle), components (by name) and values. Storages, orders, groups, ids and history do not
 * matter. Begins a new tick.
 *
 * A type with members (members.h) is hashed member by member: little endian, text up to its zero
 * byte, all NaNs alike. Another type is hashed as bytes, with padding as zero. Of a type with
 * SETT_SAVE_CLONE or SETT_SAVE_SKIP only the ranges in sett_component_desc.bytes are hashed.
 * Cost: O(pages), plus O(values) of pages that were written since the last call.
 * Threads: writer. Since: 0.1 */
SETT_API uint64_t sett_world_hash(sett_world* world);

/* Returns whether sett_world_hash is the same number on every machine: each type that is
 * hashed, and the data of each relationship, has members (members.h), none of them opaque.
 *   raw  receives the first type for which this is not true; can be NULL
 * Cost: O(types). Threads: reader. Since: 0.2 */
SETT_API bool sett_world_hash_portable(const sett_world* world, sett_component* raw);

/* Writes the first difference between two worlds as text, as snprintf does: entity, component,
 * bytes. It compares what sett_world_hash hashes.
 * Returns the length of the whole text; 0 if there is no difference.
 * Cost: O(entities x types).
 * Threads: reader of both. Since: 0.1 */
SETT_API size_t sett_world_difference(const sett_world* a, const sett_world* b, char* out,
                                      size_t size);

/* Finds stray writes (see above) since the last call of this function or of sett_world_hash. The
 * first of these calls finds none. A stray write to a page that was also written properly is not
 * found. For debugging.
 * Returns OK, or INVALID with a message that names the component and the entity.
 * Cost: O(values), plus the hash. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_check_writes(sett_world* world);

/* Copies the state of `from` into `into`. Afterwards both have the same handles, and create the
 * same handles next.
 *
 * First the entities of `into` are destroyed, as by sett_world_clear; on_remove callbacks run. For
 * the copied entities no callback runs. Commands recorded in `into` are dropped. Commands recorded
 * in `from` are not copied. All copied values count as changed.
 *
 * Types are matched by name. Types that `into` does not have are registered, with the same id if it
 * is free. Systems are matched by name too, for their timers. Create queries, groups, systems and
 * observers in `into` yourself.
 * Fails: LOCKED (a loop is open, or snapshots of `into` exist), CONFLICT (a type has another layout
 * or storage in `into`, or is a relationship in one world only; the message names it), LIMIT (an
 * index is beyond the entity_limit of `into`), ARGUMENT (as sett_snapshot_take), OUT_OF_MEMORY
 * (`into` is then empty). A call that fails can have registered types.
 * Cost: O(pages), and O(values) of SETT_SAVE_CLONE types and of groups.
 * Invalidates: all addresses in `into`.
 * Threads: writer of `into`, reader of `from`. Since: 0.1 */
SETT_API sett_status sett_world_clone(const sett_world* from, sett_world* into);

/* ------------------------------------------------------------------------------------ snapshots */

/* A snapshot: the state at one moment, stored in its world. Any snapshot can be restored, in any
 * order. The world can go on from there, and take more snapshots: together they form a tree, as in
 * an editor with branches of undo.
 *
 * Snapshots share the pages that are equal in them. So time and memory depend on how much was
 * written, not on the size of the world.
 *
 * This struct is a handle; all zeroes is none. The handle of a dropped snapshot is stale. */
typedef struct sett_snapshot {
    uint32_t slot;
    uint32_t serial;
} sett_snapshot;

/* Takes a snapshot. Recorded commands, in all buffers, are applied first. While a snapshot exists,
 * groups cannot be created or destroyed, systems cannot be destroyed, and types cannot be converted
 * or unregistered.
 *   out  receives the handle
 * Fails: LOCKED (a loop is open, or a hook or callback runs), ARGUMENT (a type with deinit or copy
 * has SETT_SAVE_BYTES: choose CLONE or SKIP), OUT_OF_MEMORY, or as sett_commands_apply.
 * Cost: O(types); the number of snapshots that exist does not matter. Later the first write to each
 * page copies the page: about 1 us for 16 KB.
 * Invalidates: addresses from sett_get_mut: they are for reading only from now on.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_take(sett_world* world, sett_snapshot* out);

/* Restores the state of a snapshot. The present state is lost, unless it has a snapshot too. All
 * snapshots stay. Recorded commands are dropped. A new tick begins.
 *
 * No callback or observer runs. If a callback counts something, keep the number in a component:
 * then it is restored too. Or correct it in sett_snapshot_options.restored.
 *
 * Values with SETT_SAVE_SKIP are not restored. If an entity has one before and after, it stays as
 * it is. Otherwise the value is initialised or deinitialised.
 * Fails: STALE (dropped), LOST (see sett_snapshot_status), LOCKED, OUT_OF_MEMORY (only for SKIP
 * types, and for sett_snapshot_options.restored).
 * Cost: O(pages that changed), plus O(values) of SKIP types that changed.
 * Invalidates: addresses of values that do not exist any more. A value that exists before and
 * after, in the same row, has the same address, but fetch it again to write.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_restore(sett_world* world, sett_snapshot snapshot);

/* Drops a snapshot, anywhere in the tree. A snapshot from which several branches begin stays in
 * memory, hidden, until only one branch is left.
 * Fails: STALE, LOST.
 * Cost: O(its pages).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_drop(sett_world* world, sett_snapshot snapshot);

/* Drops all snapshots. Threads: writer. Since: 0.1 */
SETT_API void sett_snapshot_drop_all(sett_world* world);

/* Returns whether a snapshot can be restored: OK; STALE if it was dropped, or never taken; LOST if
 * memory ran out when a page was to be copied for it, or because of memory_limit.
 * Threads: reader, but not while systems run: their writes copy pages, and can lose the snapshot.
 * Since: 0.1 */
SETT_API sett_status sett_snapshot_status(const sett_world* world, sett_snapshot snapshot);

/* What a restore changed, for programs that mirror the world: a renderer, physics. */
typedef enum sett_restored_kind {
    SETT_RESTORED_KILLED,  /* the entity is not alive any more */
    SETT_RESTORED_REVIVED, /* the entity is alive again */
    SETT_RESTORED_REMOVED, /* the entity does not have the component any more; also if KILLED */
    SETT_RESTORED_ADDED,   /* the entity has the component again; also if REVIVED */
    SETT_RESTORED_CHANGED, /* the value is different */
} sett_restored_kind;

typedef struct sett_restored {
    sett_restored_kind kind;
    sett_component component; /* 0 for KILLED and REVIVED */
    sett_entity entity;
} sett_restored;

/* Called after a restore, with everything that it changed. Entities come first, then components in
 * the order of their registration; each ascending by index. A value is reported if its bytes differ
 * (sett_component_desc.bytes). For SETT_SAVE_CLONE without such bytes only REMOVED and ADDED are
 * reported. The callback can read the world and record commands. */
typedef void (*sett_restored_fn)(sett_world* world, const sett_restored* items, uint32_t count,
                                 void* user);

/* Options for the snapshots of a world. All zeroes is the default. */
typedef struct sett_snapshot_options {
    /* bytes of pages that snapshots can use. Beyond it the oldest snapshots are lost, and the log
     * says so; the latest one stays. The limit can be exceeded while a loop is open.
     * SETT_SAVE_CLONE types can exceed it until the next snapshot is taken. Default: no limit */
    size_t memory_limit;
    sett_restored_fn restored; /* default: none */
    void* user;                /* passed to `restored` */
    /* the most bytes of memory that applying a delta takes. Copies of pages, made in order to undo
     * it, are not counted. A delta that needs more is rejected. Default: 64 MB, plus the memory of
     * the world, plus 64 times the size of the delta */
    size_t delta_limit;
} sett_snapshot_options;

SETT_API sett_status sett_snapshot_set_options_sized(sett_world* world,
                                                     const sett_snapshot_options* options,
                                                     size_t size);

/* Sets the options; NULL sets the defaults.
 * Fails: OUT_OF_MEMORY. Threads: writer. Since: 0.1 */
static inline sett_status sett_snapshot_set_options(sett_world* world,
                                                    const sett_snapshot_options* options)
{
    return sett_snapshot_set_options_sized(world, options, sizeof(*options));
}

typedef struct sett_snapshot_stats {
    uint32_t snapshots; /* that can be restored */
    uint32_t hidden;    /* dropped, but still in memory (see sett_snapshot_drop) */
    uint32_t pages;     /* stored for them */
    size_t page_size;   /* bytes in those pages */
    uint64_t lost;      /* snapshots lost, because memory ran out or because of memory_limit */
} sett_snapshot_stats;

SETT_API void sett_snapshot_stats_get_sized(const sett_world* world, sett_snapshot_stats* stats,
                                            size_t size);

/* Fills `stats`. In sett_world_stats the pages of snapshots count in block_size only.
 * Cost: O(snapshots).
 * Threads: reader. Since: 0.1 */
static inline void sett_snapshot_stats_get(const sett_world* world, sett_snapshot_stats* stats)
{
    sett_snapshot_stats_get_sized(world, stats, sizeof(*stats));
}

/* --------------------------------------------------------------------------------------- deltas */

/* Encodes a delta: the bytes that turn state `a` into state `b`. Either can be the earlier one.
 * sett_delta_apply applies it, in this world or in another one.
 *
 * A delta contains:
 *     the handles of destroyed and created entities, and the handles that come next
 *     components that are added, removed or changed, with their bytes; types are named
 *     parents and the order of children; links, their data and order; names
 *     the order of rows in sparse sets
 * It does not contain:
 *     values of SETT_SAVE_SKIP types; the receiver initialises them
 *     ticks; at the receiver the changed values count as changed
 *     the frame count, the time, and timers of systems
 * What has to be equal after a delta must be in components.
 *
 *   out   receives up to `capacity` bytes. To ask for the size, pass NULL and 0
 *   size  receives the size of the whole delta, even if it does not fit
 * Fails: STALE, LOST, LIMIT (the delta does not fit), ARGUMENT (a SETT_SAVE_CLONE type differs, and
 * has no sett_component_desc.bytes; or an index is used up in `a`, but not in `b`),
 * OUT_OF_MEMORY.
 * Cost: O(pages that differ) and O(types), plus O(siblings) of changed children and O(sources) of
 * changed links. The first delta between two snapshots also costs a sett_world_hash, and begins a
 * new tick.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                                       void* out, size_t capacity, size_t* size);

/* Applies a delta. The world must be in the state `a` of the delta: its hash is compared. Recorded
 * commands are applied first. Afterwards the world is in state `b`: the hashes are equal. If the
 * world began as a clone of the sender's and has applied all its deltas, the order of rows and the
 * next handles are equal too: both worlds go on alike.
 *
 * The bytes can come from an untrusted source. All of them are checked. If they are wrong, or if
 * the result is not `b`, the delta is rejected, and what it changed is undone.
 *
 * Once its state differs, a receiver cannot apply later deltas. Replace the state: by a file
 * (sett_world_load), or by a new world and a delta that begins at a snapshot of the empty world.
 *
 * Types are found by name. The library registers its own; all others must be registered before. If
 * the receiver has another storage for a type, its rows can have another order: the log says so
 * once (SETT_LOG_INFO).
 *
 * Callbacks run as for immediate calls (docs/events.md): on_add sees the final value, and on_set
 * runs after it; on_set also runs for each changed value. A callback must only read: otherwise
 * the next delta would not fit the state. If it records a command, that fails with LOCKED. If it
 * writes a value, the delta fails with INVALID. No callback runs for what is undone, except
 * sett_snapshot_options.restored. If the rejected delta had removed SETT_SAVE_SKIP values, they
 * come back initialised anew.
 *
 * sett_snapshot_options.delta_limit bounds the memory that a delta takes. It is checked before
 * memory is allocated.
 * Fails: INVALID (the bytes are wrong, or of another version, or a callback wrote), CONFLICT (the
 * world is in another state; a type is missing or different), LIMIT (delta_limit), LOCKED,
 * ARGUMENT, OUT_OF_MEMORY. The message says where, or names the type. LOST: the delta could not be
 * undone: callbacks wrote to many pages, against the rule, and memory ran out.
 * Cost: as the changes, plus sett_world_hash twice and O(types); O(rows) of changed types in sparse
 * sets.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size);

/* ---------------------------------------------------------------------------------------- rings */

/* A ring: the snapshots of the last n frames. Taking one more drops the oldest. */
typedef struct sett_ring sett_ring;

/* Creates a ring of up to `capacity` snapshots; 0 counts as 1. The world frees it at its end.
 * Returns NULL if memory runs out. Threads: writer. Since: 0.1 */
SETT_API sett_ring* sett_ring_create(sett_world* world, uint32_t capacity);

/* Drops the ring's snapshots and frees it. NULL is fine.
 * Fails: LOCKED (systems run in parallel).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_destroy(sett_ring* ring);

/* Takes a snapshot. If the ring is full, drops the oldest.
 * Fails: as sett_snapshot_take. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_take(sett_ring* ring);

/* Restores a snapshot of the ring. It stays in the ring; later ones are dropped.
 *   back  0: the latest, 1: the one before it, and so on
 *
 * If each frame takes a snapshot and then plays, sett_ring_restore(ring, n) undoes n + 1 frames. To
 * play them again, skip the first sett_ring_take, because that snapshot is still there:
 *
 *     sett_ring_restore(ring, n);
 *     for (uint32_t k = 0; k <= n; k++) {
 *         if (k > 0) { sett_ring_take(ring); }
 *         play(world);
 *     }
 *
 * Fails: ARGUMENT (there is no such snapshot), or as sett_snapshot_restore.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_restore(sett_ring* ring, uint32_t back);

/* Returns the number of snapshots in the ring. Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_ring_count(const sett_ring* ring);

/* Returns a snapshot of the ring, none if there is no such snapshot.
 *   back  as in sett_ring_restore
 * Threads: reader. Since: 0.1 */
SETT_API sett_snapshot sett_ring_at(const sett_ring* ring, uint32_t back);

#endif
