/* state.h: the world as a value: copy, rewind, compare and send it.
 *
 *     comparisons  hash, first difference, clone                 sett_world_*
 *     snapshots    the state at a moment, to go back to          sett_snapshot_*
 *     deltas       the difference of two snapshots, to be sent   sett_delta_*
 *     selections   a part of a world, to be compared and sent    sett_selection_*
 *     rings        the snapshots of the last n frames            sett_ring_*
 *
 * The state:
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
 *     what sett_prefab_share has set: call it again in a new world, as you register types
 *     the range of sett_entity_set_range
 *     recorded commands
 *     values of types with SETT_SAVE_SKIP
 *
 * Words:
 *     restore     make the state what it was when a snapshot was taken
 *     drop        delete a snapshot
 *     timers      of systems: the time that counts for an `interval`, or for the next fixed step
 *
 * Stray writes. You can write to an address (from sett_get_mut, sett_add, ...) until a new tick
 * begins (core.h: Addresses). A later write to this address is a stray write: the library does not
 * see it, and a restore does not undo it. Any write to an address from sett_get is a stray write
 * too. While you develop, call sett_world_check_writes once a frame: it finds stray writes.
 *
 * Changes after a restore. A restore begins a new tick. Each page that it changes then has two
 * ticks: the tick of the restore, and the tick of its last write, which is restored with it.
 * sett_changed_tick, and queries outside of systems, use the tick of the restore: all values of
 * these pages count as changed, even with track_rows, and a renderer draws them again. Queries of
 * systems use the tick of the last write: a frame that is played again visits the same entities as
 * the first time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_STATE_H
#define SETT_STATE_H

#include "sett/core.h"

/* ---------------------------------------------------------------------------------- comparisons */

/* Returns a hash of the world. Two worlds have equal hashes if they have the same entities (by
 * handle), components (by name) and hashed values, and if the next entity at each index gets the
 * same handle. The order of children (hierarchy.h) belongs to the values. Nothing else of the state
 * matters: not the order of links (SETT_SOURCES, SETT_TARGETS), nor the rows of sparse sets. Begins
 * a new tick.
 *
 * A type with members (members.h) is hashed member by member: little endian, text up to its zero
 * byte, all NaNs alike. Every other type is hashed as bytes, with padding as zero. A type
 * with a `write` hook is hashed as what that writes. Other values with SETT_SAVE_CLONE are hashed
 * only if the type has members or sett_component_desc.bytes; values with
 * SETT_SAVE_SKIP never.
 * Cost: O(pages), plus O(values) of pages that were written since the last call.
 * Threads: writer. Since: 0.1 */
SETT_API uint64_t sett_world_hash(sett_world* world);

/* Returns whether sett_world_hash sees every value, and is the same number on every machine. This
 * is so if each type, and the data of each relationship, has a `write` hook or members, and no
 * member is opaque (members.h). Types with SETT_SAVE_SKIP are no part of the state.
 *   raw  receives the first type for which this is not so; can be NULL
 * Cost: O(types). Threads: reader. Since: 0.2 */
SETT_API bool sett_world_hash_portable(const sett_world* world, sett_component* raw);

/* Writes the first difference between two worlds as text, as snprintf does: entity, component,
 * bytes. It compares what sett_world_hash hashes: values of a type with SETT_SAVE_CLONE and without
 * members, `bytes` and `write` can differ unseen. sett_world_hash_portable names such a type.
 * Returns the length of the whole text; 0 if there is no difference.
 * Cost: O(entities x types).
 * Threads: reader of both. Since: 0.1 */
SETT_API size_t sett_world_difference(const sett_world* a, const sett_world* b, char* out,
                                      size_t size);

/* For debugging: finds stray writes (see above) since the last call of this function or of
 * sett_world_hash. Call it once a frame, from the first frame on: the first call only records, so
 * it returns OK, and debug builds log that (SETT_LOG_INFO). Stray writes to a page that also had
 * proper writes are not found.
 * Returns OK, or INVALID with a message that names the component and the entity, or the first
 * entity of its page. If there are several, the next calls find the others. Begins a new tick.
 * Cost: O(values), plus the hash. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_world_check_writes(sett_world* world);

/* Copies the state of `from` into `into`. Afterwards both have the same handles, and create the
 * same handles next (unless sett_entity_set_range differs).
 *
 * First the entities of `into` are destroyed, as by sett_world_clear; on_remove callbacks run. No
 * callback runs for the copied entities. Commands recorded in `into` are dropped, and commands
 * recorded in `from` are not copied. All copied values count as changed.
 *
 * Types are matched by name. Types that `into` does not have are registered, with the same id if it
 * is free. Systems are matched by name too: their timers, and whether they are enabled, are copied.
 * Systems that only `from` has are not copied. Nor are queries, groups and observers. Types get the
 * storage that they have in `from`, and members that only `from` knows.
 * Fails: LOCKED (a loop is open, or snapshots of `into` exist), CONFLICT (a type has another layout
 * in `into`, or another storage that a group there needs, or is a relationship in one world only;
 * the message names it), LIMIT (its tables of entities exceed the entity_limit of `into`),
 * ARGUMENT (as sett_snapshot_take), OUT_OF_MEMORY (`into` is then empty). After a failure types can
 * have been registered.
 * Cost: O(pages), and O(values) of SETT_SAVE_CLONE types and of groups.
 * Invalidates: all addresses in `into`.
 * Threads: writer of `into`, reader of `from`. Since: 0.1 */
SETT_API sett_status sett_world_clone(const sett_world* from, sett_world* into);

/* ------------------------------------------------------------------------------------ snapshots */

/* A snapshot: the state at one moment, stored in its world. Any snapshot can be restored, in any
 * order. The world can go on from there, and take more snapshots. So snapshots form a tree, as the
 * branches of undo in an editor.
 *
 * Snapshots share equal pages. So time and memory depend on how much was written, not on the size
 * of the world.
 *
 * This struct is a handle; all zeroes is none. The handle of a dropped snapshot is stale. */
typedef struct sett_snapshot {
    uint32_t slot;
    uint32_t serial;
} sett_snapshot;

/* Takes a snapshot. Recorded commands, in all buffers, are applied first. While a snapshot exists,
 * groups cannot be created or destroyed, systems with on_enter or on_exit cannot be created,
 * systems cannot be destroyed, and types cannot be converted or unregistered.
 *   out  receives the handle
 * Fails: LOCKED (a loop is open, or a hook or callback runs), ARGUMENT (a type with deinit or copy
 * has SETT_SAVE_BYTES: choose CLONE or SKIP), OUT_OF_MEMORY, or as sett_commands_apply.
 * Cost: O(types); the number of snapshots that exist does not matter. Later the first write to each
 * page copies the page: about 1 us for 16 KB.
 * Invalidates: addresses for writing: they are for reading only from now on.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_take(sett_world* world, sett_snapshot* out);

/* Restores the state of a snapshot. The present state is lost, unless it has a snapshot too. All
 * snapshots stay. Recorded commands are dropped. A new tick begins.
 *
 * No callback or observer runs, except sett_snapshot_options.restored. If a callback counts
 * something, store the number in a component: then it is restored too.
 *
 * Values with SETT_SAVE_SKIP are not restored. A value that exists before and after the restore
 * stays as it is. A value that the restore adds is initialised, and a value that it removes is
 * deinitialised.
 * Fails: STALE (dropped), LOST (see sett_snapshot_status), LOCKED, OUT_OF_MEMORY (only for SKIP
 * types, and for sett_snapshot_options.restored).
 * Cost: O(pages that changed), plus O(values) of SKIP types that changed.
 * Invalidates: addresses of values that do not exist any more, or are in another row. All other
 * addresses are for reading only from now on.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_restore(sett_world* world, sett_snapshot snapshot);

/* Drops a snapshot, anywhere in the tree. It can stay in memory, hidden: while several branches
 * begin at it; or, if it was taken or restored last, until the next take or restore.
 * Fails: STALE, LOST (it is gone already).
 * Cost: O(its pages).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_snapshot_drop(sett_world* world, sett_snapshot snapshot);

/* Drops all snapshots. Threads: writer. Since: 0.1 */
SETT_API void sett_snapshot_drop_all(sett_world* world);

/* Returns whether a snapshot can be restored: OK; STALE if it was dropped, or never taken; LOST if
 * memory_limit was exceeded, or if memory ran out while a page was copied (this loses all snapshots
 * that exist).
 * Threads: reader, but not while systems run, because their writes copy pages.
 * Since: 0.1 */
SETT_API sett_status sett_snapshot_status(const sett_world* world, sett_snapshot snapshot);

/* Computes the hash of a snapshot: what sett_world_hash returned when it was taken, or would
 * have. So a program can compare a frame with other machines while its world is some frames ahead.
 * The library remembers it for the snapshot.
 *   hash  receives the hash
 * Fails: STALE, LOST, LOCKED (systems run in parallel), OUT_OF_MEMORY.
 * Cost: O(values that differ from a snapshot whose hash is known), or O(values of pages that were
 * written since their last hash), whichever is less. Can begin a new tick.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_snapshot_hash(sett_world* world, sett_snapshot snapshot, uint64_t* hash);

/* What a restore changed, for programs that mirror the world: a renderer, physics. */
typedef enum sett_restored_kind {
    SETT_RESTORED_KILLED,  /* the entity is not alive any more */
    SETT_RESTORED_REVIVED, /* the entity is alive again */
    SETT_RESTORED_REMOVED, /* the entity does not have the component any more, or is KILLED */
    SETT_RESTORED_ADDED,   /* the entity has the component again, or is REVIVED with it */
    SETT_RESTORED_CHANGED, /* the value is different */
} sett_restored_kind;

typedef struct sett_restored {
    sett_restored_kind kind;
    sett_component component; /* 0 for KILLED and REVIVED */
    sett_entity entity;
} sett_restored;

/* Called after a restore, with everything that it changed: first KILLED and REVIVED, then the items
 * of one component after another, in the order of registration. The items of a component ascend by
 * the index of their entities. CHANGED means that bytes of the value differ
 * (sett_component_desc.bytes). For SETT_SAVE_CLONE without such bytes only REMOVED and ADDED are
 * reported. The callback can read the world and record commands. */
typedef void (*sett_restored_fn)(sett_world* world, const sett_restored* items, uint32_t count,
                                 void* user);

/* Options for the snapshots of a world. All zeroes is the default. */
typedef struct sett_snapshot_options {
    /* bytes of pages that snapshots can use. Beyond it the oldest snapshots are lost, and the log
     * says so. The snapshot that was taken or restored last stays, and so do all that were taken
     * after it: they can exceed the limit. The limit can also be exceeded while a loop is open, or
     * a callback or systems run. Values with SETT_SAVE_CLONE can exceed it until the next snapshot
     * is taken. Default: no limit */
    size_t memory_limit;
    sett_restored_fn restored; /* default: none */
    void* user;                /* passed to `restored` */
    /* the most bytes of memory that applying a delta takes. A delta that needs more is rejected.
     * Copies of pages that serve to undo the delta do not count. Default: 64 MB, plus the memory of
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
 * Cost: O(1).
 * Threads: reader. Since: 0.1 */
static inline void sett_snapshot_stats_get(const sett_world* world, sett_snapshot_stats* stats)
{
    sett_snapshot_stats_get_sized(world, stats, sizeof(*stats));
}

/* --------------------------------------------------------------------------------------- deltas */

/* Set up a sender in this order: register types, create groups, take a snapshot of the empty world,
 * create entities. A receiver registers the same types and creates the same groups; the delta from
 * the empty snapshot brings the rest. Groups cannot be created later, because a snapshot exists.
 *
 * A client that plays ahead of the deltas (examples/cookbook/prediction.c) restores the last state
 * that it received, applies the next delta, and plays again. Frame count and timers come back with
 * that state, and no delta moves them on. So what is predicted must not depend on context->frame or
 * context->time, nor use interval, fixed_step, run_once or `changed` terms. Count frames in a
 * singleton: deltas send it, and hashes compare it. */

/* Encodes a delta: the bytes that turn state `a` into state `b`. Either can be the earlier one.
 * sett_delta_apply applies it, in this world or in another one.
 *
 * A delta contains:
 *     the handles of destroyed and created entities, and those of the next new entities
 *     components that are added, removed or changed, with their bytes
 *     of each type that has some of these: its name and layout (43 bytes and the name)
 *     parents and the order of children; links, their data and order; names
 *     the order of rows in sparse sets
 * It does not contain:
 *     values of SETT_SAVE_SKIP types; the receiver initialises them
 *     ticks; the values that it changes get the present tick of the receiver
 *     the frame count, the time, which systems are enabled, and their timers
 *
 * A delta without changes has 60 bytes.
 *
 *   out   receives up to `capacity` bytes. NULL: only asks for the size, and returns OK
 *   size  receives the size of the whole delta, even if it does not fit
 * Fails: STALE, LOST, LIMIT (the delta does not fit into `out`), OUT_OF_MEMORY, ARGUMENT (a
 * SETT_SAVE_CLONE type differs, and has neither members nor sett_component_desc.bytes; or an index
 * has used all its generations in `a`, but not in `b`).
 * Cost: O(pages that differ) and O(types), plus O(siblings) of changed children and O(sources) of
 * changed links. The first delta between two snapshots also costs a sett_world_hash, and begins a
 * new tick.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                                       void* out, size_t capacity, size_t* size);

/* Applies a delta. Recorded commands are applied first. Then the world must be in state `a` of the
 * delta: its hash is compared. Afterwards the world equals `b` in everything that a delta contains,
 * and has the same hash. The order of rows is an exception: it equals the sender's only if this
 * world began as a clone of the sender's world, and has applied all deltas since.
 *
 * The bytes can come from an untrusted source. All of them are checked. If they are wrong, or if
 * the result is not `b`, the delta is rejected, and its changes are undone.
 *
 * A receiver in another state cannot apply later deltas. Give it a new state: a file
 * (sett_world_load), or a new world and a delta that begins at a snapshot of the empty world. The
 * sender must have taken that snapshot before its first entity; a file works at any time.
 *
 * Types are found by name, those that occur in the delta. The library registers its own types.
 * Register all others before. If the receiver has another storage for a type, or a group that the
 * sender does not have, its rows can have another order: the log says so once (SETT_LOG_INFO).
 *
 * Callbacks run as for immediate calls (docs/events.md): on_add sees the final value, and on_set
 * runs after it; on_set also runs for each changed value. A callback can only read, because the
 * delta contains all changes. If a callback records a command, recording fails (LOCKED). If it
 * writes a value, the delta fails (INVALID). When a rejected delta is undone, no callback runs,
 * except sett_snapshot_options.restored; SETT_SAVE_SKIP values that come back are initialised.
 *
 * Fails: INVALID (the bytes are wrong, or of another version, or a callback wrote), CONFLICT (the
 * world is in another state, such as `b`: the message says if the delta was applied already; a type
 * is missing or different), LIMIT (sett_snapshot_options.delta_limit, or the entity_limit of this
 * world), LOCKED, ARGUMENT (as sett_snapshot_take), OUT_OF_MEMORY.
 * The message says where, or names the type. LOST: the delta could not be undone, because
 * callbacks wrote to many pages, and memory ran out: the world then has a part of the delta.
 * Cost: as the changes, plus sett_world_hash twice and O(types); O(rows) of changed types in sparse
 * sets.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size);

/* Short forms. A delta names each type that occurs in it, and says how its values lie: 43 bytes and
 * the name. Two ends of a connection can exchange this once, as a table, and then send the short
 * form of deltas and encoded selections, in which types are numbers:
 *
 *     sett_delta_types(server, NULL, 0, table, sizeof(table), &table_size); once, sent reliably
 *     sett_delta_encode(server, a, b, bytes, sizeof(bytes), &size);
 *     sett_delta_shorten(server, table, table_size, bytes, size, packet, sizeof(packet), &sent);
 *
 *     sett_delta_expand(client, table, table_size, packet, sent, bytes, sizeof(bytes), &size);
 *     sett_delta_apply(client, bytes, size);
 *
 * The head of a delta, with one type, is then at most 20 bytes instead of 103 and the name, that of
 * a selection at most 12, and values that changed a little take fewer bits. The short form has only
 * 4 bytes of each hash: 1 of 4 billion wrong states is not seen. A type that is not in the table,
 * or has changed since, travels whole.
 *
 * sett_delta_types writes the table of types of this world: of a list, or (NULL) of all types. Two
 * worlds that have the same types write the same table. sett_delta_shorten makes the short
 * form of what sett_delta_encode or sett_selection_encode wrote, sett_delta_expand what
 * sett_delta_apply and sett_selection_apply read. The last two use the bytes that they are given
 * only; the world says why they fail.
 *   types       a table of sett_delta_types; both ends have the same bytes
 *   bytes       to be shortened or expanded. For sett_delta_expand they can come from an untrusted
 *               source, and are checked
 *   out, capacity, ..._size  as of sett_delta_encode
 * Fails: LIMIT (it does not fit into `out`), INVALID (the bytes, or the table, are wrong or of
 * another version), ARGUMENT (NULL), UNREGISTERED (of the list).
 * Cost: O(bytes), and for each type that occurs O(table). Allocates nothing. Threads: writer.
 * Since: 0.2 */
SETT_API sett_status sett_delta_types(sett_world* world, const sett_component* types,
                                      uint32_t type_count, void* out, size_t capacity,
                                      size_t* size);
SETT_API sett_status sett_delta_shorten(sett_world* world, const void* types, size_t types_size,
                                        const void* bytes, size_t size, void* out, size_t capacity,
                                        size_t* short_size);
SETT_API sett_status sett_delta_expand(sett_world* world, const void* types, size_t types_size,
                                       const void* bytes, size_t size, void* out, size_t capacity,
                                       size_t* whole_size);

/* ----------------------------------------------------------------------------------- selections */

/* A part of a world: which entities, and which types. All zeroes is all of it. */
typedef struct sett_selection {
    const sett_entity* entities; /* a list, of `entity_count` handles in any order; or */
    uint32_t entity_count;
    sett_query* query;           /* what matches it; default: all entities */
    const sett_component* types; /* default: all types */
    uint32_t type_count;
    /* for sett_selection_encode and sett_selection_copy: which entities the receiver has already,
     * as a list; NULL: it has what `since` has. See there */
    const sett_entity* before;
    uint32_t before_count;
} sett_selection;

/* Computes the hash of a part as a plain sum over its values, so that the hashes of parts without
 * common entities add up to that of the whole. Stale handles count nothing.
 *   handles  whether each entity adds a number of its own too, also without components
 *   sum      receives the sum; compare it with another sum only
 * Fails: ARGUMENT (a list and a query), UNREGISTERED, LOCKED (systems run in parallel),
 * OUT_OF_MEMORY.
 * Cost: O(values of the part). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_selection_hash(sett_world* world, const sett_selection* selection,
                                         bool handles, uint64_t* sum);

/* Writes the first difference between two worlds in a part of them as text, as
 * sett_world_difference does. The selection is that of `a`.
 * Returns the length of the whole text; 0 if there is no difference. If the selection is wrong, or
 * memory runs out, the text says so.
 * Cost: O(entities of the part x types). Threads: writer of `a`, reader of `b`. Since: 0.2 */
SETT_API size_t sett_selection_difference(sett_world* a, const sett_world* b,
                                          const sett_selection* selection, char* out, size_t size);

/* Encodes a part, for a receiver that has other entities too. sett_selection_apply applies it.
 *
 *   since  a snapshot of what the receiver has: only values that changed since then are encoded,
 *          which components were removed, and which entities ended: of a list, those that it names.
 *          Of entities that did not exist then, all is encoded. All zeroes: all of the part
 *   out, capacity, size  as of sett_delta_encode
 * Values are encoded as in a delta, whole; numbers with sett_member.send (members.h) are rounded.
 * The order of children, of links and of rows is not encoded, nor are values of SETT_SAVE_SKIP
 * types.
 *
 * If entities enter and leave the selection, say in sett_selection.before what was selected when
 * `since` was taken. Of entities that enter, all is then encoded, with the links and children that
 * lead to them; those that are not selected any more end at the receiver:
 *
 *     sett_entity seen[2][MAX];
 *     uint32_t now = look(world, seen[0]);
 *     sett_selection part = {.entities = seen[0], .entity_count = now,
 *                            .before = seen[1], .before_count = had};
 *     sett_selection_encode(world, &part, since, packet, sizeof(packet), &size);
 *
 * Fails: STALE, LOST, LIMIT (it does not fit into `out`), ARGUMENT (a list and a query; a query of
 * another world; a type as of sett_delta_encode), UNREGISTERED, LOCKED, OUT_OF_MEMORY. Recorded
 * commands are applied first.
 * Cost: O(entities of the part x types), and O(pages that differ). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_selection_encode(sett_world* world, const sett_selection* selection,
                                           sett_snapshot since, void* out, size_t capacity,
                                           size_t* size);

/* Applies an encoded part: the receiver then has its entities, under their handles, with these
 * values. Other entities and components stay as they are. A link, or a parent, that this world does
 * not have is left out: the entity has no link then, or is a root.
 * An entity that ends is forgotten (sett_entity_forget) if its handle is outside of this world's
 * range, else destroyed; a later part can bring it back in either case. Its children become roots.
 * An entity loses its name if a sibling has the same name here.
 *
 * The bytes can come from an untrusted source. All of them are checked; if they are wrong, the part
 * is rejected, and its changes are undone. Callbacks run as in sett_delta_apply.
 *   allowed  which entities and types the bytes may be about, those that end too; NULL: all. With a
 *            query, entities are not created
 * Fails: as sett_delta_apply, whatever the state of the world; INVALID also if the part is about
 * something that is not allowed, would add or remove such a component because one type requires
 * another, or an index is in use by another entity.
 * Cost: as sett_delta_apply, without the hashes. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_selection_apply(sett_world* world, const void* bytes, size_t size,
                                          const sett_selection* allowed);

/* Copies a part into another world, under the same handles: as sett_selection_encode and
 * sett_selection_apply. Handles of the list that are stale in `from`, and those of `before` that
 * are not selected, end in `into`; components that an entity of `from` does not have are removed.
 *   since_tick  values that `into` has are copied only if they were written after this tick of
 *               `from`; 0: all. Links and parents are copied always
 * Fails: as these two; ARGUMENT (into itself). The message is that of `into`.
 * Threads: writer of both. Since: 0.2 */
SETT_API sett_status sett_selection_copy(sett_world* from, const sett_selection* selection,
                                         uint64_t since_tick, sett_world* into);

/* ---------------------------------------------------------------------------------------- rings */

/* A ring: the snapshots of the last n frames. Taking one more drops the oldest. */
typedef struct sett_ring sett_ring;

/* Creates a ring of up to `capacity` snapshots; 0 counts as 1. sett_world_destroy frees it.
 * Returns NULL if memory runs out. Threads: writer. Since: 0.1 */
SETT_API sett_ring* sett_ring_create(sett_world* world, uint32_t capacity);

/* Drops the ring's snapshots and frees it. NULL is fine.
 * Fails: LOCKED (systems run in parallel).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_destroy(sett_ring* ring);

/* Takes a snapshot. If the ring is full, drops the oldest.
 * Fails: as sett_snapshot_take. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_ring_take(sett_ring* ring);

/* Restores a snapshot of the ring. Later snapshots of the ring are dropped. The ring drops its
 * snapshots by itself. So for deltas take snapshots of your own (sett_snapshot_take).
 *   back  0: the latest, 1: the one before it, and so on
 *
 * If you take a snapshot before each frame, sett_ring_restore(ring, n) undoes n + 1 frames. The
 * restored snapshot stays in the ring. So play again without the first sett_ring_take:
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

/* Like sett_ring_take and sett_ring_restore, by numbers of frames, which the program gives. A frame
 * that is taken again replaces what the ring has of it, and later frames are dropped. So the loop
 * that plays frames again is the one that played them first:
 *
 *     sett_ring_restore_frame(ring, wrong);
 *     for (uint64_t frame = wrong; frame < now; frame++) {
 *         sett_ring_take_frame(ring, frame);
 *         play(world, frame);
 *     }
 *
 * sett_ring_take counts on from the latest frame. sett_ring_at_frame returns all zeroes if the ring
 * does not have the frame.
 * Fails: as sett_ring_take and sett_ring_restore. Threads: as sett_ring_take, sett_ring_at.
 * Since: 0.2 */
SETT_API sett_status sett_ring_take_frame(sett_ring* ring, uint64_t frame);
SETT_API sett_status sett_ring_restore_frame(sett_ring* ring, uint64_t frame);
SETT_API sett_snapshot sett_ring_at_frame(const sett_ring* ring, uint64_t frame);

/* Returns the number of snapshots in the ring. Dropped and lost ones do not count, unless an older
 * one of the ring exists. Threads: as sett_snapshot_status. Since: 0.1 */
SETT_API uint32_t sett_ring_count(const sett_ring* ring);

/* Returns a snapshot of the ring; all zeroes if there is none.
 *   back  as in sett_ring_restore
 * Threads: as sett_snapshot_status. Since: 0.1 */
SETT_API sett_snapshot sett_ring_at(const sett_ring* ring, uint32_t back);

#endif
