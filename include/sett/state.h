/* state.h: the world as a value: copied, rewound, compared and sent. Opt-in.
 *
 *     comparisons  a hash, the first difference, a copy          sett_world_*
 *     snapshots    the state kept as it is now, to go back to    sett_snapshot_*
 *     deltas       what differs between two, to be sent          sett_delta_*
 *     rings        the snapshots of the last n frames            sett_ring_*
 *
 * What the state is: which entities exist, with which handles, and which come next; the components
 * that they have and the values of those; the order of sparse sets, what groups and tracked
 * sets hold; at which tick each page was last written; frame and time of sett_progress, and of each
 * system whether it is enabled, how far it is on the way to its next run, and the tick of its last
 * run, with which its `changed` terms compare. What it is not: the clock (sett_world_tick), types,
 * queries with the ticks they were given, groups and systems themselves, recorded commands, and
 * values of types that say SETT_SAVE_SKIP.
 *
 * Changes and restores. A restore does not set the clock back, it begins a new tick. A program that
 * follows the world from outside (a renderer, a network layer) keeps a tick and asks what changed
 * since, by sett_query_set_since or sett_changed_tick: it finds what was written and what a restore
 * exchanged. A system finds what was written since its last run in the state that it is in: after a
 * restore the same frames visit the same entities again. Both are exact by page after a restore,
 * types with track_rows included.
 *
 * A value counts as written when the library is told: by sett_set, sett_get_mut and their kin, by
 * batches that declare out or inout. An address from sett_get_mut may be written until the next
 * snapshot is taken or restored, and read for as long as the component lives. What is written
 * otherwise is missing from the snapshots, without a word: call sett_world_check_writes once a
 * frame while you develop.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_STATE_H
#define SETT_STATE_H

#include "sett/sett.h"

/* ---------------------------------------------------------------------------------- comparisons */

/* Returns a number for the state: equal for worlds with the same entities (by handle), the same
 * components of those (by name) and the same values (by their bytes, padding as zeroes; of types
 * that are not saved as bytes only those that they declare). Storages, orders, groups, ids of
 * types, what was before and what machine it is do not matter; values must be laid out alike, and
 * in the same order of bytes.
 * It begins a new tick.
 * Cost: O(pages), plus O(values) of pages that were written since the last time.
 * Threads: writer. Since: 0.1 */
SETT_API uint64_t sett_world_hash(sett_world* world);

/* Writes a sentence about the first difference between two worlds, as sett_world_hash sees them,
 * as snprintf does: which entity, which component, which bytes.
 * Returns the length of the whole text; 0: there is none.
 * Cost: O(entities x types).
 * Threads: reader of both. Since: 0.1 */
SETT_API size_t sett_world_difference(const sett_world* a, const sett_world* b, char* out,
                                      size_t size);

/* For debugging: checks whether a value was written without the library being told (see above)
 * since the last call of this or of sett_world_hash.
 * Returns OK, or INVALID with a message that names the component and where.
 * Cost: O(values), plus the hash. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_check_writes(sett_world* world);

/* Makes `into` the world that `from` is: the same handles live, and the same come next. Types are
 * matched by name; those that it lacks are registered, the hierarchy, names and relationships among
 * them, under the same ids where these are free. Groups stay those of `into`. What was in it
 * ends as by sett_world_clear. Commands recorded in `from` are not seen.
 * Fails: LOCKED (a loop is open, or snapshots of `into` are held), CONFLICT (a type is laid out or
 * stored otherwise, or is something else there; the message names it), LIMIT (an entity's index is
 * beyond its limit), ARGUMENT (as sett_snapshot_take); then nothing was changed, but types may have
 * been registered. OUT_OF_MEMORY: then `into` is empty.
 * It begins a new tick of `into`, in which all that was copied counts as changed.
 * Cost: O(pages), and O(values) of cloned types and of groups.
 * Invalidates: all addresses in `into`.
 * Threads: writer of `into`, reader of `from`. Since: 0.1 */
SETT_API sett_status sett_world_clone(const sett_world* from, sett_world* into);

/* ------------------------------------------------------------------------------------ snapshots */

/* The state at one moment, held by its world. Snapshots form a tree, as the steps of an editor's
 * undo or a game's predictions do: one may go back to any of them, forward again, and on from there
 * another way. Each holds the pages in which it differs from its neighbour towards the present, so
 * that time and memory follow what was written and not what there is.
 *
 * A handle is a value; all zeroes is none. Of a snapshot that was dropped it is recognised as
 * stale. */
typedef struct sett_snapshot {
    uint32_t slot;
    uint32_t serial;
} sett_snapshot;

/* Keeps the state as it is now. Commands that were recorded, into any buffer, are applied first.
 * Groups can be neither made nor destroyed, and types not be converted, while snapshots are held.
 *   out  receives the handle
 * Fails: LOCKED (a loop is open, or a hook runs), ARGUMENT (a type has hooks for something that its
 * values own, and does not say how they are saved: see sett_save_policy), OUT_OF_MEMORY, or as
 * applying commands.
 * Cost: O(types); then each page is copied at its first write. Until the world is written to again
 * the first write to each page costs its copy: about 1 us for 16 KB.
 * Invalidates: nothing; but what was handed out for writing may only be read from now on.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_take(sett_world* world, sett_snapshot* out);

/* Makes the world what it was when the snapshot was taken; what it was until now is gone, unless a
 * snapshot of it was taken. All snapshots stay. Commands that were recorded and not applied are
 * dropped. It begins a new tick, and the pages that it exchanges count as changed in it for queries
 * and for sett_changed_tick, but not for the terms of systems. No hook runs but the copy, move,
 * init and deinit hooks of types that are saved by them
 * (SETT_SAVE_CLONE, SETT_SAVE_SKIP).
 *
 * Values of a SETT_SAVE_SKIP type stay as they are where the same entity has one before and after;
 * those that come back are initialised, those that end deinitialised.
 *
 * Fails: STALE (dropped), LOST, LOCKED, OUT_OF_MEMORY (only for SKIP types and for the callback of
 * sett_snapshot_options; then nothing is changed).
 * Cost: O(pages that differ on the way) and, for a SKIP type that does, O(its values).
 * Invalidates: nothing but the addresses of components that are not there any more: where one lives
 * before and after, at the same place, its address holds.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_restore(sett_world* world, sett_snapshot snapshot);

/* Forgets a snapshot, wherever in the tree it is. What its neighbours need of it stays with them;
 * where more than one hangs on it its memory stays until that changes. So does that of the one
 * right behind the present, until the next is taken or an other is restored: ticks of pages say
 * which of them it holds.
 * Fails: STALE, LOST (nothing is left to drop).
 * Cost: O(pages that it holds).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_drop(sett_world* world, sett_snapshot snapshot);

/* Forgets all of them. Threads: writer. Since: 0.1 */
SETT_API void sett_snapshot_drop_all(sett_world* world);

/* Returns OK if it can be restored; STALE if it was dropped or never was; LOST if memory ran out
 * when a page had to be copied for it, or if the limit on memory dropped it.
 * Threads: reader. Since: 0.1 */
SETT_API sett_status sett_snapshot_status(const sett_world* world, sett_snapshot snapshot);

/* What a restore did, for those who mirror the world elsewhere (a renderer, physics). */
typedef enum sett_restored_kind {
    SETT_RESTORED_KILLED,  /* this handle is of nobody any more */
    SETT_RESTORED_REVIVED, /* this handle is of somebody again */
    SETT_RESTORED_REMOVED, /* the entity, killed or not, had the component and has it no more */
    SETT_RESTORED_ADDED,   /* the entity, revived or not, has the component, and had not */
    SETT_RESTORED_CHANGED, /* its value is another now */
} sett_restored_kind;

typedef struct sett_restored {
    sett_restored_kind kind;
    sett_component component; /* 0 for KILLED and REVIVED */
    sett_entity entity;
} sett_restored;

/* Told of all that a restore did, when it is done: entities first, then component by component in
 * the order of their registration, each ascending by index. Values are compared by their declared
 * bytes; of SETT_SAVE_CLONE types that declare none, only presence. The world may be read, and
 * commands be recorded. */
typedef void (*sett_restored_fn)(sett_world* world, const sett_restored* items, uint32_t count,
                                 void* user);

/* How snapshots of a world are held. All zeroes is the default. */
typedef struct sett_snapshot_options {
    /* bytes of pages that may be held. When a page is kept that passes it, or when one is taken,
     * the oldest are dropped until it fits, which the log is told; the latest never is. Not inside
     * a loop, nor between two takings where a type is saved by cloning: there it may be passed by
     * the pages that are written for the first time since. Default: no limit */
    size_t memory_limit;
    sett_restored_fn restored; /* default: none */
    void* user;                /* handed to it */
} sett_snapshot_options;

/* Sets the options; NULL sets the defaults. Fails: OUT_OF_MEMORY. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_set_options(sett_world* world,
                                               const sett_snapshot_options* options);

typedef struct sett_snapshot_stats {
    uint32_t snapshots; /* held */
    uint32_t hidden;    /* dropped, and held all the same because others hang on them */
    uint32_t pages;     /* copied or parked for them */
    size_t page_size;   /* bytes in those pages */
    uint64_t lost;      /* snapshots that ended because memory ran out, or because of the limit */
} sett_snapshot_stats;

/* Fills `stats`. The pages are in sett_world_stats only as memory in use. Cost: O(snapshots).
 * Threads: reader. Since: 0.1 */
SETT_API void sett_snapshot_stats_get(const sett_world* world, sett_snapshot_stats* stats);

/* --------------------------------------------------------------------------------------- deltas */

/* Writes down what has to be done to a world in state `a` so that it is in state `b`: entities that
 * end and begin, by handle; components removed, added and changed, by the names of their types and
 * their declared bytes; parents and the order of their children, links with their data and the
 * order of both their lists, names; which handles come next, and the order of rows of sparse-set
 * storages. Either state may be the earlier one.
 *
 * Not in a delta: values of SETT_SAVE_SKIP types (there they are initialised) and the ticks of
 * change detection: whoever applies it finds changed what it changed.
 *   out   receives up to `capacity` bytes
 *   size  receives the bytes of the whole, also when they do not fit
 * Fails: STALE, LOST; LIMIT (it does not fit); ARGUMENT (a type that differs is saved by cloning
 * and declares no bytes; or an index has used up all of its generations between the two),
 * OUT_OF_MEMORY.
 * Cost: O(pages that differ), plus O(siblings) where children came, went or moved, likewise
 * O(sources) of targets, where sources have many targets times those; plus sett_world_hash; begins
 * a new tick. Nothing is restored for it.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                                       void* out, size_t capacity, size_t* size);

/* Makes a world that is in the state a delta is from what it is to. Recorded commands are applied
 * first. Hooks and observers are told as by the immediate calls. The bytes may come from anywhere:
 * all of them are checked, what they ask for is done by the calls that reject what cannot be, and
 * if what comes out is not what was expected, it is undone. SETT_SAVE_SKIP values that were ended
 * on the way are then fresh ones.
 *
 * A few bytes can name an entity at any index, as handles may be created far out, and make tables
 * as long as that, about a byte an index: sett_world_desc.entity_limit is what bounds it.
 *
 * A world with other storages, or with rows in another order, is in the same state when its hash is
 * the same (sett_world_hash), and the delta applies. One that was a clone and has followed since
 * also has the same order of rows and free indices: from there both go on computing alike, loops in
 * the same order, creations with the same handles.
 * Fails: INVALID (malformed, cut off, altered, of another version; the message says where it is
 * wrong), CONFLICT (this world is in another state, or a type is laid out otherwise), LOCKED,
 * ARGUMENT, OUT_OF_MEMORY; then the state is what it was. Memory to undo with is held before each
 * step, so that undoing needs none. LOST: only if hooks or observers that were told wrote to more
 * pages in one step than were held for it, about nine of every storage, and memory ran out then.
 * Cost: as the changes, plus sett_world_hash twice; O(rows) of sparse-set types that differ. Holds
 * one
 * block of up to nine pages of every table meanwhile.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size);

/* ---------------------------------------------------------------------------------------- rings */

/* The snapshots of the last n frames: taking one more drops the oldest. */
typedef struct sett_ring sett_ring;

/* Makes a ring of up to `capacity` (0 counts as 1) snapshots. It belongs to the world.
 * Returns NULL when memory runs out. Threads: writer. Since: 0.1 */
SETT_API sett_ring* sett_ring_create(sett_world* world, uint32_t capacity);

/* Drops its snapshots and frees it. NULL is fine.
 * Fails: LOCKED (systems run side by side).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_destroy(sett_ring* ring);

/* As sett_snapshot_take. */
SETT_API sett_status sett_ring_take(sett_ring* ring);

/* Goes back to the snapshot taken `back` takings ago: 0 is the latest. It stays in the ring, and
 * the later ones are dropped. The frame that it begins must not take again, or the ring has the
 * same moment twice; those that follow do:
 *
 *     sett_ring_take(ring), play(world);                   each frame
 *     sett_ring_restore(ring, 7), play(world);             eight frames back, and up to now again
 *     for (int k = 1; k < 8; k++) { sett_ring_take(ring), play(world); }
 *
 * Fails: ARGUMENT (it does not hold as many), or as sett_snapshot_restore. */
SETT_API sett_status sett_ring_restore(sett_ring* ring, uint32_t back);

/* Returns how many it holds. */
SETT_API uint32_t sett_ring_count(const sett_ring* ring);

/* Returns the snapshot taken `back` takings ago, none if it does not hold as many. */
SETT_API sett_snapshot sett_ring_at(const sett_ring* ring, uint32_t back);

#endif
