/* file.h: worlds in files, which survive a power cut.
 *
 *     sett_world_save(world, "game.sett");          the state, in one file
 *     sett_world_load(world, "game.sett");          and back, into this world or another
 *
 *     save and load   the whole state                          sett_world_save, sett_world_load
 *     states          the same as bytes in memory              sett_state_*
 *     merge           a file added to a world that goes on     sett_world_merge
 *     info            what a file says of itself, not loaded   sett_file_info_get
 *     journals        a file that follows each frame           sett_journal_*
 *     autosaves       written by a thread of their own         sett_autosave_*
 *     mirrors         a copy that another thread works on      sett_mirror_*
 *
 * Saving writes a new file, and then exchanges it with the old file, which becomes
 * "<path>.previous". If the machine stops at any moment, loading finds the old state or the new
 * state, whole. After sett_world_save has returned, it finds the new state. While a file is
 * written, "<path>.lock" keeps other writers out. Where the system locks no files (WASI), a program
 * that was ended by force leaves this file: delete it then. docs/stream.md describes the format.
 *
 * A file contains what a delta contains (state.h). It also contains the frame count, the time, and
 * the timers of systems, by name: create systems before you load. Types with SETT_SAVE_CLONE need
 * members, or sett_component_desc.bytes, to be saved.
 *
 * Files are version 0: until 1.0 a file is read by the version of the library that wrote it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_FILE_H
#define SETT_FILE_H

#include "sett/members.h"

/* ------------------------------------------------------------------------------ the file system */

typedef enum sett_file_mode {
    SETT_FILE_READ,   /* an existing file */
    SETT_FILE_CREATE, /* an empty file, to be written; replaces an existing one */
    SETT_FILE_APPEND, /* an existing file, to be written at its end */
} sett_file_mode;

/* Functions that read and write files, for example in an archive or a console's storage. All are
 * required. A function that returns bool returns false on failure. */
typedef struct sett_files {
    void* user; /* passed to all */
    /* Returns a file, NULL on failure. */
    void* (*open)(void* user, const char* path, sett_file_mode mode);
    bool (*close)(void* user, void* file);
    /* Reads up to `size` bytes from `offset` on. Returns the number of bytes: fewer at the end of
     * the file, or on failure. */
    size_t (*read)(void* user, void* file, uint64_t offset, void* out, size_t size);
    bool (*write)(void* user, void* file, const void* bytes, size_t size); /* at its end */
    bool (*size)(void* user, void* file, uint64_t* size);
    bool (*sync)(void* user, void* file); /* what was written is on the disk */
    bool (*rename)(void* user, const char* from, const char* to); /* replaces `to` */
    bool (*unlink)(void* user, const char* path);
    /* Locks `path` for one caller at a time. Returns OK, LOCKED (another caller has the lock), FILE
     * (`path` cannot be created) or OUT_OF_MEMORY. */
    sett_status (*lock)(void* user, const char* path, void** lock);
    void (*unlock)(void* user, void* lock);            /* also removes `path` */
    bool (*sync_folder)(void* user, const char* path); /* the name of this file is on the disk */
} sett_files;

/* Functions that compress states and deltas, such as those of addons/zstd. All are required. The
 * thread that saves or loads calls them. */
typedef struct sett_compression {
    void* user;                               /* passed to all */
    size_t (*bound)(void* user, size_t size); /* the most bytes that `size` bytes compress to */
    /* Returns the number of bytes written. 0 on failure: the data is then saved uncompressed. */
    size_t (*compress)(void* user, const void* from, size_t size, void* to, size_t capacity);
    /* Returns whether `from` is valid and gives exactly `to_size` bytes. `from` is not trusted. */
    bool (*decompress)(void* user, const void* from, size_t size, void* to, size_t to_size);
} sett_compression;

/* Options. All zeroes is the default. */
typedef struct sett_file_desc {
    const sett_files* files; /* default: those of the operating system */
    /* saving: compresses states and deltas; default: not compressed. Loading: the functions for
     * the compression that the file has */
    const sett_compression* compression;
    /* saving: bytes that can be read without loading: title, time, picture; at most 16 MB */
    const void* user_block;
    size_t user_size;
    uint64_t frame; /* saving: a number that is stored with the state */
    /* loading: the most bytes of memory that reading takes, before the world is replaced.
     * Decompressed data counts. Default: 64 MB, plus 16 times the size of the file, plus 32 KB for
     * each registered type. States with thousands of entities far from all others need more, and
     * so do states that were compressed to less than a sixteenth */
    size_t limit;
    /* loading a journal: changes of later frames are not applied. Default (0): all are applied */
    uint64_t last_frame;
    /* a journal: a keyframe (the whole state) is written each time after so many frames. Loading a
     * complete journal begins at the last keyframe up to last_frame. Default: no keyframes */
    uint32_t keyframe_every;
} sett_file_desc;

/* ----------------------------------------------------------------------------- states in memory */

/* Writes the whole state as bytes, for a peer that joins a running game, or a machine that takes
 * part of the work: what a file contains, without a file. Also the frame count, the time, and of
 * each system whether it is enabled, its timers and how often it ran. Recorded commands are applied
 * first.
 *   out   receives up to `capacity` bytes. NULL: only asks for the size, and returns OK
 *   size  receives the size of the whole state, even if it does not fit
 * Fails: LIMIT (it does not fit into `out`), LOCKED, OUT_OF_MEMORY, ARGUMENT (as sett_world_save).
 * Cost: O(values), sett_world_hash, and the memory of the bytes while it runs.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_state_encode(sett_world* world, void* out, size_t capacity, size_t* size);

/* Replaces the state of a world by such bytes. Callbacks run as in sett_world_clone. Register types
 * and create systems before; systems are matched by name. The bytes can come from an untrusted
 * source: all are checked before the world is changed.
 *   limit  the most bytes of memory that reading takes; 0: as sett_file_desc.limit
 * Fails: INVALID (the bytes are wrong, or of another version), CONFLICT (a type is missing or
 * different), LIMIT, LOCKED (a loop is open, or snapshots exist), ARGUMENT (as sett_world_load),
 * OUT_OF_MEMORY (the world can be empty then, as with sett_world_clone).
 * Cost: O(values), and twice the memory of the state.
 * Invalidates: all addresses in the world.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_state_apply(sett_world* world, const void* bytes, size_t size,
                                      size_t limit);

/* Computes a hash of the whole state: of what sett_world_hash covers, and of the frame count, the
 * time and the systems. Two peers that must stay in step have equal ones, if they have created the
 * same systems in the same order. Begins a new tick.
 * Fails: LOCKED (systems run in parallel), OUT_OF_MEMORY.
 * Cost: as sett_world_hash, and O(systems). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_state_hash(sett_world* world, uint64_t* hash);

/* -------------------------------------------------------------------------------- save and load */

/* What was loaded. */
typedef struct sett_load_result {
    uint64_t frame;      /* of the state that was loaded */
    uint32_t generation; /* 0: `path` itself; 1: "<path>.previous"; 2: "<path>.new" */
    uint32_t changes;    /* records of a journal that were applied */
    uint64_t cut;        /* bytes at the end of a journal that were not used */
    uint32_t dropped;    /* members that this program does not have any more; the log names them.
                         * Types that sett_file_migrate converts do not count */
    uint32_t new_types;  /* types that this world did not have: registered as opaque bytes */
} sett_load_result;

/* Writes the state of a world to a file. Recorded commands are applied first.
 *   path  an existing file becomes "<path>.previous". A damaged file does not replace a
 *         "<path>.previous" that is whole
 *   desc  NULL: the default
 * Fails: FILE (the message names the file and the step), LOCKED (another writer has "<path>.lock";
 * or a loop is open), ARGUMENT (as sett_snapshot_take; a SETT_SAVE_CLONE type has neither members
 * nor sett_component_desc.bytes), OUT_OF_MEMORY. Then the old file is there,
 * under its name or as "<path>.previous".
 * Cost: O(values), sett_world_hash, and the disk: two waits for it. Where this world has neither
 * written nor loaded the file that is there, that is read once, to see whether it is whole.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_world_save(sett_world* world, const char* path);
SETT_API sett_status sett_world_save_with(sett_world* world, const char* path,
                                          const sett_file_desc* desc);

/* Replaces the state of a world by the state in a file. Runs callbacks as sett_world_clone does.
 * The bytes can come from an untrusted source: all are checked before the world is changed. If the
 * file is missing or damaged, "<path>.previous" is loaded, and the log says so.
 *   result  receives what was loaded; can be NULL
 *
 * Types are matched by name: register yours before loading. A type that the world does not have is
 * registered as opaque bytes, with its members, and the log says so. Saving writes it again, but it
 * can take the id of a type that you register later. A relationship that the world does not have is
 * rejected (CONFLICT). A type with another layout is migrated: by a function of the program
 * (sett_file_migrate), or by the names of its members (members.h). Then new members keep their
 * defaults, removed members are dropped, integers and floats can become wider, and arrays longer.
 * Fails: FILE (it cannot be opened or read), INVALID (no file is whole; the message says where),
 * CONFLICT (a type cannot be migrated, or is an unknown relationship), ARGUMENT (the file has a
 * type that in this world has hooks for what it owns, and SETT_SAVE_BYTES; or it is compressed, and
 * `compression` is not set), LIMIT (it needs more memory than `limit`, or a higher entity_limit),
 * LOCKED (a loop is open, or snapshots exist), OUT_OF_MEMORY (the world can be empty then, as with
 * sett_world_clone).
 * Cost: O(values), twice the memory of the state.
 * Invalidates: all addresses in the world.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_world_load(sett_world* world, const char* path);
SETT_API sett_status sett_world_load_with(sett_world* world, const char* path,
                                          const sett_file_desc* desc, sett_load_result* result);

/* ---------------------------------------------------------------------------------------- merge */

/* Which entity of the world an entity of the file is merged with. */
typedef enum sett_merge_match {
    SETT_MERGE_NEW,  /* none: all entities are created */
    SETT_MERGE_PATH, /* the entity with the same path of names */
    SETT_MERGE_VALUE /* the entity with the same value of `match_component` */
} sett_merge_match;

/* What happens to a component or relationship that both entities have. Names and parents of
 * entities in the world stay. */
typedef enum sett_merge_existing {
    SETT_MERGE_KEEP,      /* the value of the world stays */
    SETT_MERGE_OVERWRITE, /* the value of the file replaces it; links with `many` are added */
    SETT_MERGE_REJECT     /* nothing is merged */
} sett_merge_existing;

/* What happens if a created entity has a name that is taken. */
typedef enum sett_merge_names {
    SETT_MERGE_REJECT_NAME, /* nothing is merged */
    SETT_MERGE_NUMBER       /* it gets another name: "door_2" */
} sett_merge_names;

/* What is merged, and how. All zeroes: all of the file, as new entities. */
typedef struct sett_merge_desc {
    const sett_file_desc* file; /* as for loading; default: NULL */
    const char* subtree;        /* path in the file: only this entity and its descendants are
                                 * merged; default: all entities */
    /* components that are merged, besides names and parents. Entities without any of them are left
     * out. Default: all components */
    const sett_component* types;
    uint32_t type_count;
    /* the parent of entities whose parent is not merged. Default: the entity of the world with the
     * path of that parent, else none */
    sett_entity parent;
    sett_merge_match match;
    sett_component match_component; /* no two entities have the same value of it */
    sett_merge_existing existing;
    sett_merge_names names;
    /* names of types that contain no handles. A type without members and entity_offsets is rejected
     * if it is not in this list. Default: none */
    const char* const* raw;
    uint32_t raw_count;
} sett_merge_desc;

typedef struct sett_merge_pair {
    sett_entity file;   /* a handle in the file */
    sett_entity entity; /* the same entity in the world */
} sett_merge_pair;

/* What was merged. */
typedef struct sett_merge_result {
    sett_load_result file;
    uint32_t created;             /* entities */
    uint32_t matched;             /* entities that the world had */
    uint32_t outside;             /* references to other entities, found by path in the world */
    uint32_t lost;                /* references to other entities, not found: null or left out */
    const sett_merge_pair* pairs; /* ascending by the index in the file */
    uint32_t pair_count;
    size_t size_; /* internal */
} sett_merge_result;

SETT_API sett_status sett_world_merge_sized(sett_world* world, const char* path,
                                            const sett_merge_desc* desc, size_t size,
                                            sett_merge_result* result);

/* Adds the entities of a file to a world: a library of prefabs, a level, a mod. The file is read,
 * checked and migrated as by sett_world_load.
 *
 *     sett_world_merge(world, "prefabs.sett", &(sett_merge_desc){.subtree = "/monsters"}, NULL);
 *
 *   desc    NULL: the default
 *   result  receives what was merged; can be NULL. Free it with sett_merge_result_free
 *
 * References (members of the kind entity, entity_offsets, links, parents) to a merged entity lead
 * to this entity in the world. Other references lead to the entity with the same path in the world,
 * or nowhere. Singletons are merged with the singletons of the world. Frame count, time and
 * recorded commands do not change.
 *
 * Callbacks run when all values are there: on_add and on_set for added components, then on_set and
 * on_replace for overwritten components. Only on_exit runs before.
 * Fails: as sett_world_load (but snapshots can exist); ABSENT (`subtree`), STALE (`parent`),
 * UNREGISTERED (`types`, `match_component`), PRESENT (SETT_MERGE_REJECT), CONFLICT (a name is
 * taken; two entities match one; a type differs), CYCLE (of an acyclic relationship), ARGUMENT (a
 * type without members), LIMIT (too many entities). Types of the file can be registered even so.
 * Cost: as sett_world_load, O(merged values), and with `subtree` or `types` a search for the path
 * of each other entity of the file.
 * Invalidates: as adding the components.
 * Threads: writer. Since: 0.2 */
static inline sett_status sett_world_merge(sett_world* world, const char* path,
                                           const sett_merge_desc* desc, sett_merge_result* result)
{
    return sett_world_merge_sized(world, path, desc, sizeof(sett_merge_desc), result);
}

/* Returns the entity of the world for an entity of the file; null if it was not merged.
 * Cost: O(log entities). Threads: any. Since: 0.2 */
SETT_API sett_entity sett_merge_find(const sett_merge_result* result, sett_entity in_file);

/* Frees the pairs. Threads: writer. Since: 0.2 */
SETT_API void sett_merge_result_free(sett_world* world, sett_merge_result* result);

/* ------------------------------------------------------------------------------------ migration */

/* Converts a value of an older layout.
 *   members  of the file's type; NULL: not known
 *   from     the value in the layout of the file, with the byte order of this machine. If the type
 *            has a `write` hook: a sett_list of the bytes that the hook wrote
 *   to       the new value. It is initialised, and members of the same name are converted already
 * Returns false to reject the file. */
typedef bool (*sett_file_migrate_fn)(const sett_struct* members, const void* from, void* to,
                                     void* user);

/* Sets the function that converts values of a type from an older layout.
 *   from_fingerprint  of the older layout (sett_struct_fingerprint); 0: without members, or of a
 *                     type with a `write` hook
 * Fails: UNREGISTERED, ARGUMENT (`fn` is NULL), OUT_OF_MEMORY. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_file_migrate(sett_world* world, sett_component component,
                                       uint64_t from_fingerprint, sett_file_migrate_fn fn,
                                       void* user);

/* The head of a file. */
typedef struct sett_file_info {
    uint32_t version;
    uint64_t size;    /* bytes of the file */
    size_t user_size; /* bytes of the user block */
} sett_file_info;

/* Reads the head of a file, without loading it.
 *   user_block  receives up to `capacity` bytes of the user block; can be NULL with 0
 * Fails: FILE (it cannot be opened or read), INVALID (not a file of Sett, or its head is damaged).
 * Cost: O(user block). Threads: any. Since: 0.2 */
SETT_API sett_status sett_file_info_get(const char* path, const sett_file_desc* desc,
                                        void* user_block, size_t capacity, sett_file_info* info);

/* ------------------------------------------------------------------------------------- journals */

/* A journal is a file with a whole state, followed by the changes of each frame. It is a save that
 * is never more than a frame old, and a recording. Loading it restores the last frame that is whole
 * on the disk, or an earlier frame (sett_file_desc.last_frame).
 *
 *     sett_journal* journal = sett_journal_create(world, "game.journal", NULL);
 *     sett_progress(world, dt), sett_journal_append(journal, ++frame);       each frame
 *     sett_journal_sync(journal);                                            now and then
 *
 * A journal holds a snapshot of the world (see sett_snapshot_take). For a smaller file, destroy the
 * journal and create it again. */
typedef struct sett_journal sett_journal;

/* Creates a journal: saves the state as sett_world_save_with does, and keeps the file open and
 * locked. Destroy it before its world.
 * Returns NULL on failure, as sett_world_save and sett_snapshot_take; the message says why.
 * Cost: as both. Threads: writer. Since: 0.2 */
SETT_API sett_journal* sett_journal_create(sett_world* world, const char* path,
                                           const sett_file_desc* desc);

/* Appends the changes since the last call. Recorded commands are applied first.
 *   frame  a number that does not go back
 * Fails: FILE, LOST, or STALE after sett_snapshot_drop_all (the journal cannot go on: destroy it),
 * ARGUMENT (the frame goes back), or as sett_snapshot_take and sett_delta_encode (the next call
 * appends these changes too). Exception: if only the keyframe of the frame fails (OUT_OF_MEMORY;
 * the message says so), the changes are appended, and loading begins at an earlier keyframe.
 * Cost: as sett_delta_encode, and one write. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_journal_append(sett_journal* journal, uint64_t frame);

/* Waits until all appended frames are on the disk. They survive a crash.
 * Fails: FILE, without a message in the world, which another thread may use.
 * Cost: the disk. Threads: any, one at a time, also during all other calls. Since: 0.2 */
SETT_API sett_status sett_journal_sync(sett_journal* journal);

/* Kinds of records that programs and tools add to a journal. Loading skips these records;
 * sett_file_records reads them. Your own kinds are from SETT_RECORD_PROGRAM to 0xFFFF. */
enum {
    SETT_RECORD_INPUT = 6, /* input of a frame */
    SETT_RECORD_TIMES = 7, /* durations of systems: docs/stream.md */
    SETT_RECORD_LOG = 8,   /* lines of a log, and changes of structure: docs/stream.md */
    SETT_RECORD_PROGRAM = 0x8000
};

/* Adds a record to a journal. Write the input of a frame before sett_journal_append of this frame.
 *   kind   one of the above
 *   frame  a number that does not go back
 * Fails: FILE, ARGUMENT (another kind; the frame goes back). Cost: one write. Threads: writer.
 * Since: 0.2 */
SETT_API sett_status sett_journal_write(sett_journal* journal, uint32_t kind, uint64_t frame,
                                        const void* bytes, size_t size);

/* Called with each record. Returns whether to go on. */
typedef bool (*sett_record_fn)(void* user, uint32_t kind, uint64_t frame, const void* bytes,
                               size_t size);

/* Reads all records of a file in order, up to the first damaged one. Records of the library are
 * included (docs/stream.md). The bytes are not trusted: they are checked only for damage.
 *   desc  NULL: the default; `limit`: the most bytes of one record, default: 1 GB
 * Fails: FILE (it cannot be opened or read), INVALID (its head is damaged), ARGUMENT (it is
 * compressed, and `compression` is not set), LIMIT, REJECTED (`fn` returned false), OUT_OF_MEMORY.
 * Cost: O(bytes). Threads: any. Since: 0.2 */
SETT_API sett_status sett_file_records(const char* path, const sett_file_desc* desc,
                                       sett_record_fn fn, void* user);

/* Ends, syncs and closes the file. NULL is fine.
 * Returns FILE if this call or an earlier one failed. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_journal_destroy(sett_journal* journal);

/* ------------------------------------------------------------------------------------ autosaves */

/* Saves a world while it goes on: the state is copied, and a thread writes the copy. */
typedef struct sett_autosave sett_autosave;

/* Creates an autosave. It writes nothing yet. Destroy it before its world.
 *   desc  its `files`, and the world's allocator, are called by the thread. Each start copies the
 *         user block
 * Returns NULL on failure. Fails: ARGUMENT (a user block that is NULL, or above 16 MB),
 * OUT_OF_MEMORY. Threads: writer. Since: 0.2 */
SETT_API sett_autosave* sett_autosave_create(sett_world* world, const char* path,
                                             const sett_file_desc* desc);

/* Copies the state, and begins to save it as sett_world_save does. It does not contain recorded
 * commands. In a build without threads the call itself saves.
 * Fails: LOCKED (the last save has not ended: start in a later frame; this is not reported. Or a
 * loop is open), or as sett_world_clone.
 * Cost: O(pages), a copy of all. The first start also allocates the copy.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_autosave_start(sett_autosave* autosave, uint64_t frame);

/* Returns LOCKED while a save runs, and then its result: OK, or what sett_world_save returns (the
 * message says why). OK if nothing was started yet. Call it each frame, or before the next start.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_autosave_status(sett_autosave* autosave);

/* Waits until the save has ended: before a level is loaded, for example. Returns its result, as
 * sett_autosave_status does.
 * Cost: up to that of sett_world_save. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_autosave_wait(sett_autosave* autosave);

/* Waits for the save, and frees the autosave. NULL is fine. Returns the result of the last save.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_autosave_destroy(sett_autosave* autosave);

/* -------------------------------------------------------------------------------------- mirrors */

/* A mirror: a world that becomes what another one is, again and again, for work that a frame shall
 * not wait for. The thread of the program copies what was written, and another thread works on the
 * copy: takes snapshots, encodes deltas, writes a journal, searches.
 *
 *     sett_mirror* mirror = sett_mirror_create(world);
 *     sett_mirror_copy(mirror);                 between frames; then, on another thread:
 *         sett_world_own(sett_mirror_world(mirror)), sett_journal_append(journal, frame);
 *
 * One thread at a time: the program copies when the other thread has done. What was written since
 * the last copy takes 0.15 ms a MB; encoding it takes about ten times as long. */
typedef struct sett_mirror sett_mirror;

/* Creates a mirror, and in it a world without entities. Destroy it before its world. It has the
 * allocator of its world: with one of your own, the other thread calls that, too.
 * Returns NULL if memory runs out.
 * Cost: O(1). Threads: writer. Since: 0.2 */
SETT_API sett_mirror* sett_mirror_create(sett_world* world);

/* Returns whether a world can be mirrored: the values of all its types are bytes, and no type has
 * hooks for them, which would run on the other thread. Types with strings or lists (members.h) have
 * such hooks.
 *   hooked  receives the first type that has; can be NULL
 * Cost: O(types). Threads: reader. Since: 0.2 */
SETT_API bool sett_mirror_supports(const sett_world* world, sett_component* hooked);

/* Makes the mirror what the world is. Recorded commands of the world are applied first, and it
 * begins a new tick. Snapshots and journals of the mirror stay. No callback or observer of it
 * runs.
 * Fails: LOCKED (a loop is open), ARGUMENT (not sett_mirror_supports), CONFLICT (a type has
 * ended, or is stored otherwise than before: destroy the mirror and make another one),
 * OUT_OF_MEMORY (if the copy was begun, all later calls fail so: make another one).
 * Cost: the first call as sett_world_clone; then O(pages) and the bytes of pages that were written
 * since the last call. Memory: as much as the world.
 * Invalidates: addresses in the mirror.
 * Threads: writer of both worlds. Since: 0.2 */
SETT_API sett_status sett_mirror_copy(sett_mirror* mirror);

/* Returns the mirror's world, which it destroys itself. What you change there is lost. It has no
 * systems; journals and files of it have those of the world.
 * Threads: any. Since: 0.2 */
SETT_API sett_world* sett_mirror_world(sett_mirror* mirror);

/* Destroys the mirror and its world. Destroy journals, queries and searches of it before. NULL is
 * fine.
 * Threads: writer of both worlds. Since: 0.2 */
SETT_API void sett_mirror_destroy(sett_mirror* mirror);

#endif
