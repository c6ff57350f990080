/* file.h: worlds in files, which survive a power cut.
 *
 *     sett_world_save(world, "game.sett");          the state, in one file
 *     sett_world_load(world, "game.sett");          and back, into this world or another
 *
 *     save and load   the whole state                          sett_world_save, sett_world_load
 *     merge           a file added to a world that goes on     sett_world_merge
 *     info            what a file says of itself, not loaded   sett_file_info_get
 *     journals        a file that follows each frame           sett_journal_*
 *     autosaves       written by a thread of their own         sett_autosave_*
 *
 * Saving writes a new file beside the old one and then exchanges them. The old one is kept as
 * "<path>.previous". If the machine stops at any moment, loading finds the old state or the new
 * one, whole; when sett_world_save has returned, the new one. While a file is written,
 * "<path>.lock" keeps other writers out; where the system locks no files (WASI), a program that was
 * ended by force leaves it: delete it then. docs/stream.md describes the format.
 *
 * A file contains what a delta contains (state.h): entities by handle, components by the names of
 * their types, values, hierarchy, names, links, orders, the handles that come next. It also has the
 * frame count, the time, and timers of systems, by name: create systems before you load. Not in it:
 * queries, groups and observers; commands that are not applied; values of SETT_SAVE_SKIP types.
 * Types with SETT_SAVE_CLONE and no declared bytes cannot be saved.
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

/* The functions through which files are read and written: to put them elsewhere (an archive, a
 * console's storage, a test). All are required. Those that return bool return false on failure. */
typedef struct sett_files {
    void* user; /* passed to all */
    /* Returns a file, NULL on failure. */
    void* (*open)(void* user, const char* path, sett_file_mode mode);
    bool (*close)(void* user, void* file);
    /* Reads up to `size` bytes from `offset` on. Returns how many: fewer at the end of the file, or
     * on failure. */
    size_t (*read)(void* user, void* file, uint64_t offset, void* out, size_t size);
    bool (*write)(void* user, void* file, const void* bytes, size_t size); /* at its end */
    bool (*size)(void* user, void* file, uint64_t* size);
    bool (*sync)(void* user, void* file); /* what was written is on the disk */
    bool (*rename)(void* user, const char* from, const char* to); /* replaces `to` */
    bool (*unlink)(void* user, const char* path);
    /* Sets *lock to what one caller at a time can have. Returns OK, LOCKED (another has it), FILE
     * (`path` cannot be created) or OUT_OF_MEMORY. */
    sett_status (*lock)(void* user, const char* path, void** lock);
    void (*unlock)(void* user, void* lock);            /* and removes `path` */
    bool (*sync_folder)(void* user, const char* path); /* of this file: its name is on the disk */
} sett_files;

/* Functions that compress states and deltas, such as those of addons/zstd. All are required. They
 * are called from the thread that saves or loads. */
typedef struct sett_compression {
    void* user;                               /* passed to all */
    size_t (*bound)(void* user, size_t size); /* the most bytes that compressing so many takes */
    /* Returns how many bytes it has written; 0 on failure: then nothing is compressed. */
    size_t (*compress)(void* user, const void* from, size_t size, void* to, size_t capacity);
    /* Returns whether `from` is good and gives exactly `to_size` bytes. It can be anything. */
    bool (*decompress)(void* user, const void* from, size_t size, void* to, size_t to_size);
} sett_compression;

/* Options. All zeroes is the default. */
typedef struct sett_file_desc {
    const sett_files* files; /* default: those of the operating system */
    /* saving: what states and deltas are compressed with; default: they are not. Loading: what they
     * were compressed with, if they were */
    const sett_compression* compression;
    /* saving: bytes that can be read without loading: title, time, picture; at most 16 MB */
    const void* user_block;
    size_t user_size;
    uint64_t frame; /* saving: a number that goes with the state */
    /* loading: bytes of memory that reading may take, before the world is replaced, what is
     * decompressed included. Default: 16 times the size of the file, 64 MB, and 32 KB for each type
     * that is registered: an entity far from all others takes a page of each of its types, which is
     * why a file of a kilobyte may need more than the 17 KB that its size alone would allow. Only
     * states with thousands of such entities, or compressed to less than a sixteenth, need more */
    size_t limit;
    /* loading a journal: changes of later frames are not applied. Default (0): all are */
    uint64_t last_frame;
    /* a journal: frames from one keyframe, a whole state, to the next; loading then begins at the
     * last one that is not behind last_frame, if the journal has its end. Default: none */
    uint32_t keyframe_every;
} sett_file_desc;

/* -------------------------------------------------------------------------------- save and load */

/* What was loaded. */
typedef struct sett_load_result {
    uint64_t frame;      /* of the state that was loaded */
    uint32_t generation; /* 0: `path` itself; 1: "<path>.previous"; 2: "<path>.new" */
    uint32_t changes;    /* records of a journal that were applied */
    uint64_t cut;        /* bytes at the end of a journal that were not used */
    uint32_t dropped;   /* members that this program does not have any more; the log names them. Not
                       * counted of types that a function of the program converts */
    uint32_t new_types; /* types that this world did not know: registered as opaque bytes */
} sett_load_result;

/* Writes the state of a world to a file. Recorded commands are applied first.
 *   path  an existing file is replaced, and kept as "<path>.previous"; one that is damaged does not
 *         take the place of a "<path>.previous" that is whole
 *   desc  NULL: the default
 * Fails: FILE (the message names the file and the step), LOCKED (another writer has "<path>.lock";
 * or a loop is open), ARGUMENT (a type cannot be saved), OUT_OF_MEMORY. Then the old file is there,
 * under its name or as "<path>.previous".
 * Cost: O(values), sett_world_hash, and the disk: two waits for it. Where this world has neither
 * written nor loaded the file that is there, that is read once, to see whether it is whole.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_world_save(sett_world* world, const char* path);
SETT_API sett_status sett_world_save_with(sett_world* world, const char* path,
                                          const sett_file_desc* desc);

/* Replaces the state of a world by that of a file, as sett_world_clone does. The bytes can come
 * from an untrusted source: all are checked before the world is changed. If the file is missing or
 * damaged, "<path>.previous" is loaded, and the log says so.
 *   result  receives what was loaded; can be NULL
 * Types are matched by name; types that the world does not know are registered as opaque bytes,
 * with their members, and are written back when it is saved. A type that is laid out otherwise is
 * migrated by the names of its members (members.h): new members keep their defaults, members that
 * are gone are dropped, integers and floats become wider, arrays longer; or by a function of the
 * program (sett_file_migrate).
 * Fails: FILE, INVALID (no file is whole; the message says where), CONFLICT (a type cannot be
 * migrated), LIMIT (it needs more memory than `limit`), LOCKED (a loop is open, or snapshots are
 * held), OUT_OF_MEMORY. Then the state is unchanged; only if memory runs out at the very end the
 * world is empty, as with sett_world_clone.
 * Cost: O(values), twice the memory of the state.
 * Invalidates: all addresses in the world.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_world_load(sett_world* world, const char* path);
SETT_API sett_status sett_world_load_with(sett_world* world, const char* path,
                                          const sett_file_desc* desc, sett_load_result* result);

/* ---------------------------------------------------------------------------------------- merge */

/* When an entity of a file is one that the world has already. */
typedef enum sett_merge_match {
    SETT_MERGE_NEW,  /* never: all are created */
    SETT_MERGE_PATH, /* it has its name, under the same parent, up to the root */
    SETT_MERGE_VALUE /* it has the same value of a component: `match_component` */
} sett_merge_match;

/* A component with a value, or a relationship, that both have. Names and parents of entities that
 * the world has always stay. */
typedef enum sett_merge_existing {
    SETT_MERGE_KEEP,      /* that of the world stays */
    SETT_MERGE_OVERWRITE, /* that of the file replaces it; links with `many` are added to those */
    SETT_MERGE_REJECT     /* nothing is merged */
} sett_merge_existing;

/* An entity that is created has the name of one that is there. */
typedef enum sett_merge_names {
    SETT_MERGE_REJECT_NAME, /* nothing is merged */
    SETT_MERGE_NUMBER       /* it gets another one: "door_2" */
} sett_merge_names;

/* What is merged, and how. All zeroes: all of the file, as new entities. */
typedef struct sett_merge_desc {
    const sett_file_desc* file; /* as for loading; default: NULL */
    const char* subtree;        /* the path, in the file, of the entity that is merged with its
                                 * descendants; default: all entities */
    /* components that are merged; entities of the file without any of them are left out. Names and
     * parents come along. Default: all components */
    const sett_component* types;
    uint32_t type_count;
    /* the parent of entities whose parent is not merged; default: the entity that has its path in
     * the world, else none */
    sett_entity parent;
    sett_merge_match match;
    sett_component match_component; /* no two entities have the same value of it */
    sett_merge_existing existing;
    sett_merge_names names;
    /* names of types without members and entity_offsets that contain no handles: values of others
     * of this kind are rejected; default: none */
    const char* const* raw;
    uint32_t raw_count;
} sett_merge_desc;

typedef struct sett_merge_pair {
    sett_entity file;   /* the handle that an entity had in the file, */
    sett_entity entity; /* and what it is in the world */
} sett_merge_pair;

/* What was merged. */
typedef struct sett_merge_result {
    sett_load_result file;
    uint32_t created;             /* entities */
    uint32_t matched;             /* entities that the world had */
    uint32_t outside;             /* references to entities that are not merged: found by path, */
    uint32_t lost;                /* and not found: null, links left out, parents none */
    const sett_merge_pair* pairs; /* ascending by the index in the file */
    uint32_t pair_count;
    size_t size_; /* internal */
} sett_merge_result;

SETT_API sett_status sett_world_merge_sized(sett_world* world, const char* path,
                                            const sett_merge_desc* desc, size_t size,
                                            sett_merge_result* result);

/* Adds what a file contains to a world that goes on: a library of prefabs, a level, a mod. The file
 * is read as by sett_world_load, with all its checks and migrations.
 *
 *     sett_world_merge(world, "prefabs.sett", &(sett_merge_desc){.subtree = "/monsters"}, NULL);
 *
 *   desc    NULL: the default
 *   result  receives what was merged; can be NULL. To be freed by sett_merge_result_free
 * References inside (members of the kind entity, entity_offsets, links, parents) lead to the merged
 * entities; those to entities that are not merged lead to what has their path in the world, or
 * nowhere. Singletons become those of the world. Frames, time and recorded commands stay as they
 * are. Callbacks run when everything is there, values included: on_add and on_set of what is added,
 * then on_set (on_replace) of what is overwritten; only on_exit runs before.
 * Fails: as sett_world_load (snapshots may be held); ABSENT (`subtree`), STALE (`parent`),
 * UNREGISTERED (`types`), PRESENT (SETT_MERGE_REJECT), CONFLICT (a name is taken; two entities
 * match one; a type is not the same), CYCLE (of an acyclic relationship), ARGUMENT (a type without
 * members), LIMIT (too many entities). Then the world is as it was, but for types of the file that
 * are registered now.
 * Cost: as sett_world_load, O(merged values), and with `subtree` or `types` a search for the path
 * of each other entity of the file.
 * Invalidates: as adding the components.
 * Threads: writer. Since: 0.2 */
static inline sett_status sett_world_merge(sett_world* world, const char* path,
                                           const sett_merge_desc* desc, sett_merge_result* result)
{
    return sett_world_merge_sized(world, path, desc, sizeof(sett_merge_desc), result);
}

/* Returns what an entity of the file is in the world; null if it was not merged.
 * Cost: O(log entities). Threads: any. Since: 0.2 */
SETT_API sett_entity sett_merge_find(const sett_merge_result* result, sett_entity in_file);

/* Frees the pairs. Threads: writer. Since: 0.2 */
SETT_API void sett_merge_result_free(sett_world* world, sett_merge_result* result);

/* ------------------------------------------------------------------------------------ migration */

/* Converts a value of an older layout.
 *   members  of the file's type; NULL: not known
 *   from     the value, laid out as in the file, its numbers as this machine has them
 *   to       an initialised value, in which members that need no help are filled in already
 * Returns false to reject the file. */
typedef bool (*sett_file_migrate_fn)(const sett_struct* members, const void* from, void* to,
                                     void* user);

/* Says how values of a type are read that a file has in another layout.
 *   from_fingerprint  of that layout (sett_struct_fingerprint); 0: its members are not known
 * Fails: UNREGISTERED, OUT_OF_MEMORY. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_file_migrate(sett_world* world, sett_component component,
                                       uint64_t from_fingerprint, sett_file_migrate_fn fn,
                                       void* user);

/* What a file says of itself. */
typedef struct sett_file_info {
    uint32_t version;
    uint64_t size;    /* bytes of the file */
    size_t user_size; /* bytes of the user block */
} sett_file_info;

/* Reads the head of a file, without loading it.
 *   user_block  receives up to `capacity` bytes of the user block; can be NULL with 0
 * Fails: FILE (it cannot be opened), INVALID (it is no file of this kind, or its head is damaged).
 * Cost: O(user block). Threads: any. Since: 0.2 */
SETT_API sett_status sett_file_info_get(const char* path, const sett_file_desc* desc,
                                        void* user_block, size_t capacity, sett_file_info* info);

/* ------------------------------------------------------------------------------------- journals */

/* A file that begins with the whole state and goes on with what changed, frame by frame. Loading
 * it leads to the last frame that reached the disk whole, or to an earlier one
 * (sett_file_desc.last_frame): a save that is never more than a frame old, a recording, or both.
 *
 *     sett_journal* journal = sett_journal_create(world, "game.journal", NULL);
 *     sett_progress(world, dt), sett_journal_append(journal, ++frame);       each frame
 *     sett_journal_sync(journal);                                            now and then
 *
 * A journal holds a snapshot of the world: what sett_snapshot_take says about held snapshots
 * applies. To begin anew with a smaller file, destroy it and create it again. */
typedef struct sett_journal sett_journal;

/* Creates a journal: saves the state as sett_world_save_with does, and keeps the file open and
 * locked. Destroy it before its world.
 * Returns NULL on failure, as sett_world_save and sett_snapshot_take; the message says why.
 * Cost: as both. Threads: writer. Since: 0.2 */
SETT_API sett_journal* sett_journal_create(sett_world* world, const char* path,
                                           const sett_file_desc* desc);

/* Appends what has changed since the last call. Recorded commands are applied first.
 *   frame  a number that does not go back
 * Fails: FILE (nothing can be appended any more: destroy it), LOST (its snapshot is: likewise),
 * ARGUMENT (the frame goes back), or as sett_snapshot_take and sett_delta_encode. The next call
 * then appends all of it.
 * Cost: as sett_delta_encode, and one write. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_journal_append(sett_journal* journal, uint64_t frame);

/* Waits until all that was appended is on the disk. After a crash at least that is found.
 * Fails: FILE. Cost: the disk. Threads: any, one at a time, also beside all others. Since: 0.2 */
SETT_API sett_status sett_journal_sync(sett_journal* journal);

/* What programs and tools add to a journal. Loading skips it, sett_file_records reads it. Kinds
 * from SETT_RECORD_PROGRAM up to 0xFFFF are a program's own. */
enum {
    SETT_RECORD_INPUT = 6, /* what a frame got from outside */
    SETT_RECORD_TIMES = 7, /* durations of systems: docs/stream.md */
    SETT_RECORD_LOG = 8,   /* lines of a log, and changes of structure: docs/stream.md */
    SETT_RECORD_PROGRAM = 0x8000
};

/* Adds a record to a journal. An input stands before the delta of its frame: write it before
 * sett_journal_append of the same frame.
 *   kind   one of the above
 *   frame  a number that does not go back
 * Fails: FILE, ARGUMENT (another kind; the frame goes back). Cost: one write. Threads: writer.
 * Since: 0.2 */
SETT_API sett_status sett_journal_write(sett_journal* journal, uint32_t kind, uint64_t frame,
                                        const void* bytes, size_t size);

/* Takes a record. Returns whether to go on. */
typedef bool (*sett_record_fn)(void* user, uint32_t kind, uint64_t frame, const void* bytes,
                               size_t size);

/* Reads all records of a file, in order, those of the library too (docs/stream.md), up to the first
 * that is not whole. The bytes were checked for damage, and come from outside all the same.
 *   desc  NULL: the default; `limit`: the most bytes of one record, default: 1 GB
 * Fails: FILE (it cannot be opened), INVALID (its head is damaged), LIMIT, REJECTED (`fn` returned
 * false), OUT_OF_MEMORY. Cost: O(bytes). Threads: any. Since: 0.2 */
SETT_API sett_status sett_file_records(const char* path, const sett_file_desc* desc,
                                       sett_record_fn fn, void* user);

/* Ends the file, syncs and closes it. NULL is fine.
 * Returns FILE if that failed, or something before. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_journal_destroy(sett_journal* journal);

/* ------------------------------------------------------------------------------------ autosaves */

/* Saves a world while it goes on: the state is copied, and a thread writes the copy. */
typedef struct sett_autosave sett_autosave;

/* Creates an autosave to a path; writes nothing yet. Destroy it before its world.
 *   desc  its files are called by the thread, and so is the world's allocator; the user block is
 *         copied at each start
 * Returns NULL on failure. Threads: writer. Since: 0.2 */
SETT_API sett_autosave* sett_autosave_create(sett_world* world, const char* path,
                                             const sett_file_desc* desc);

/* Copies the state and begins to save it, as sett_world_save does. Recorded commands are not part
 * of it. Without threads the call saves by itself.
 * Fails: LOCKED (the last one has not ended, or a loop is open), or as sett_world_clone.
 * Cost: O(pages): 1 ms for 6 MB. The first start also allocates the copy.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_autosave_start(sett_autosave* autosave, uint64_t frame);

/* Returns LOCKED while it saves, else how the last one ended: as sett_world_save; OK if there was
 * none. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_autosave_status(sett_autosave* autosave);

/* Waits for it and frees it. NULL is fine. Returns how the last one ended. Threads: writer.
 * Since: 0.2 */
SETT_API sett_status sett_autosave_destroy(sett_autosave* autosave);

#endif
