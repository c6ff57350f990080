/* files.h: a disk in memory, which can lose power. It records every call; `disk_crash` makes of the
 * first n of them a disk as it may be found afterwards:
 *
 *     writes that were not synced   each sector of 512 bytes there, or not
 *     names that were not synced    each creation, renaming and removal there, or not
 *
 * Any call can be made to fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_FILES_H
#define SETT_TEST_FILES_H

#include "chance.h"
#include "check.h"
#include "sett/file.h"

#define DISK_NODES 512
#define DISK_NAMES 16
#define DISK_CALLS 4096
#define DISK_SECTOR 512u

typedef enum disk_kind {
    DISK_WRITE,
    DISK_SYNC,
    DISK_CREATE,
    DISK_RENAME,
    DISK_UNLINK,
    DISK_SYNC_FOLDER,
    DISK_OTHER
} disk_kind;

typedef struct disk_call {
    disk_kind kind;
    uint32_t node;
    size_t offset, size;
    char from[64], to[64];
} disk_call;

typedef struct disk_node {
    unsigned char* bytes;
    size_t size;
} disk_node;

typedef struct disk_name {
    char name[64];
    uint32_t node;
} disk_name;

typedef struct disk {
    sett_files files; /* first */
    disk_node node[DISK_NODES];
    uint32_t nodes;
    disk_name name[DISK_NAMES];
    uint32_t names;
    disk_call call[DISK_CALLS];
    uint32_t calls;
    uint32_t locks;
    uint32_t done;       /* calls of any kind */
    uint32_t fails_at;   /* the call that fails; 0: none */
    bool no_folder_sync; /* it does nothing */
    bool no_sync;        /* neither does this */
    uint32_t open;       /* files that are */
} disk;

typedef struct disk_file {
    uint32_t node;
    bool writes;
} disk_file;

/* Counts a call; whether it fails. */
static inline bool disk_fails(disk* of)
{
    return ++of->done == of->fails_at;
}

static inline disk_call* disk_record(disk* of, disk_kind kind)
{
    CHECK(of->calls < DISK_CALLS);
    disk_call* call = &of->call[of->calls++];
    memset(call, 0, sizeof(*call));
    call->kind = kind;
    return call;
}

static inline disk_name* disk_find(disk* of, const char* name)
{
    for (uint32_t k = 0; k < of->names; k++) {
        if (strcmp(of->name[k].name, name) == 0) {
            return &of->name[k];
        }
    }
    return NULL;
}

static inline void disk_remove(disk* of, const char* name)
{
    disk_name* at = disk_find(of, name);
    if (at != NULL) {
        *at = of->name[--of->names];
    }
}

static inline void disk_set(disk* of, const char* name, uint32_t node)
{
    disk_name* at = disk_find(of, name);
    if (at == NULL) {
        CHECK(of->names < DISK_NAMES && strlen(name) < sizeof(at->name));
        at = &of->name[of->names++];
        snprintf(at->name, sizeof(at->name), "%s", name);
    }
    at->node = node;
}

static inline uint32_t disk_make(disk* of, const char* name)
{
    CHECK(of->nodes < DISK_NODES);
    uint32_t node = of->nodes++;
    of->node[node].bytes = NULL;
    of->node[node].size = 0;
    disk_set(of, name, node);
    return node;
}

static inline void disk_put(disk_node* node, size_t offset, const void* bytes, size_t size)
{
    if (offset + size > node->size) {
        node->bytes = realloc(node->bytes, offset + size);
        CHECK(node->bytes != NULL);
        memset(node->bytes + node->size, 0, offset + size - node->size);
        node->size = offset + size;
    }
    memcpy(node->bytes + offset, bytes, size);
}

static inline void* disk_open(void* user, const char* path, sett_file_mode mode)
{
    disk* of = user;
    disk_name* at = disk_find(of, path);
    if (disk_fails(of) || (at == NULL && mode != SETT_FILE_CREATE)) {
        return NULL;
    }
    disk_file* file = malloc(sizeof(*file));
    CHECK(file != NULL);
    file->writes = mode != SETT_FILE_READ;
    if (mode == SETT_FILE_CREATE) {
        file->node = disk_make(of, path);
        disk_call* call = disk_record(of, DISK_CREATE);
        call->node = file->node;
        snprintf(call->to, sizeof(call->to), "%s", path);
    } else {
        file->node = at->node;
    }
    of->open++;
    return file;
}

static inline bool disk_close(void* user, void* file)
{
    disk* of = user;
    free(file);
    of->open--;
    return !disk_fails(of);
}

static inline size_t disk_read(void* user, void* file, uint64_t offset, void* out, size_t size)
{
    disk* of = user;
    const disk_node* node = &of->node[((disk_file*)file)->node];
    if (disk_fails(of) || offset >= node->size) {
        return 0;
    }
    size_t left = node->size - (size_t)offset;
    size = size < left ? size : left;
    memcpy(out, node->bytes + (size_t)offset, size);
    return size;
}

static inline bool disk_write(void* user, void* file, const void* bytes, size_t size)
{
    disk* of = user;
    const disk_file* to = file;
    disk_node* node = &of->node[to->node];
    CHECK(to->writes);
    if (disk_fails(of)) {
        disk_put(node, node->size, bytes, size / 2); /* the disk is full */
        return false;
    }
    disk_call* call = disk_record(of, DISK_WRITE);
    call->node = to->node;
    call->offset = node->size;
    call->size = size;
    disk_put(node, node->size, bytes, size);
    return true;
}

static inline bool disk_size(void* user, void* file, uint64_t* size)
{
    disk* of = user;
    *size = of->node[((disk_file*)file)->node].size;
    return !disk_fails(of);
}

static inline bool disk_sync(void* user, void* file)
{
    disk* of = user;
    if (disk_fails(of)) {
        return false;
    }
    disk_record(of, of->no_sync ? DISK_OTHER : DISK_SYNC)->node = ((disk_file*)file)->node;
    return true;
}

static inline bool disk_rename(void* user, const char* from, const char* to)
{
    disk* of = user;
    const disk_name* at = disk_find(of, from);
    if (disk_fails(of) || at == NULL) {
        return false;
    }
    uint32_t node = at->node;
    disk_call* call = disk_record(of, DISK_RENAME);
    call->node = node;
    snprintf(call->from, sizeof(call->from), "%s", from);
    snprintf(call->to, sizeof(call->to), "%s", to);
    disk_remove(of, from);
    disk_set(of, to, node);
    return true;
}

static inline bool disk_unlink(void* user, const char* path)
{
    disk* of = user;
    if (disk_fails(of) || disk_find(of, path) == NULL) {
        return false;
    }
    snprintf(disk_record(of, DISK_UNLINK)->from, 64, "%s", path);
    disk_remove(of, path);
    return true;
}

static inline sett_status disk_lock(void* user, const char* path, void** lock)
{
    disk* of = user;
    (void)path;
    if (disk_fails(of)) {
        return SETT_STATUS_FILE;
    }
    if (of->locks != 0) {
        return SETT_STATUS_LOCKED;
    }
    of->locks++;
    *lock = of;
    return SETT_OK;
}

static inline void disk_unlock(void* user, void* lock)
{
    disk* of = user;
    CHECK(lock == user && of->locks == 1);
    of->locks--;
}

static inline bool disk_sync_folder(void* user, const char* path)
{
    disk* of = user;
    (void)path;
    if (disk_fails(of)) {
        return false;
    }
    disk_record(of, of->no_folder_sync ? DISK_OTHER : DISK_SYNC_FOLDER);
    return true;
}

static inline disk* disk_create(void)
{
    disk* made = calloc(1, sizeof(*made));
    CHECK(made != NULL);
    made->files =
        (sett_files){made,      disk_open,   disk_close,  disk_read, disk_write,  disk_size,
                     disk_sync, disk_rename, disk_unlink, disk_lock, disk_unlock, disk_sync_folder};
    return made;
}

static inline void disk_destroy(disk* of)
{
    CHECK_EQ(of->open, 0);
    for (uint32_t k = 0; k < of->nodes; k++) {
        free(of->node[k].bytes);
    }
    free(of);
}

/* Whether a call is one that changes names. */
static inline bool disk_names(const disk_call* call)
{
    return call->kind == DISK_CREATE || call->kind == DISK_RENAME || call->kind == DISK_UNLINK;
}

/* How many calls among the first `count` changed names and are not on the disk for certain. */
static inline uint32_t disk_open_names(const disk* of, uint32_t count)
{
    uint32_t open = 0;
    for (uint32_t k = 0; k < count; k++) {
        open = of->call[k].kind == DISK_SYNC_FOLDER ? 0 : open + disk_names(&of->call[k]);
    }
    return open;
}

/* Whether a write is on the disk for certain after `count` calls. */
static inline bool disk_is_synced(const disk* of, uint32_t write, uint32_t count)
{
    bool synced = false;
    for (uint32_t k = write; !synced && k < count; k++) {
        synced = of->call[k].kind == DISK_SYNC && of->call[k].node == of->call[write].node;
    }
    return synced;
}

/* How unsynced sectors are found: none, all, up to one, or any. */
typedef struct disk_tear {
    bool any;        /* by chance; else those before `until` */
    uint64_t chance; /* the state of it */
    uint32_t until;
} disk_tear;

/* The disk after a crash behind `count` calls. Of the open names those with a bit in `names` are
 * there. */
static inline disk* disk_crash(const disk* of, uint32_t count, uint32_t names, disk_tear tear)
{
    disk* left = disk_create();
    uint32_t open = disk_open_names(of, count);
    uint32_t all = 0;
    uint32_t sector = 0;
    left->nodes = of->nodes;
    for (uint32_t k = 0; k < count; k++) {
        all += disk_names(&of->call[k]);
    }
    uint32_t number = 0;
    for (uint32_t k = 0; k < count; k++) {
        const disk_call* call = &of->call[k];
        if (call->kind == DISK_WRITE) {
            bool synced = disk_is_synced(of, k, count);
            for (size_t at = 0; at < call->size;) {
                size_t offset = call->offset + at;
                size_t size = DISK_SECTOR - offset % DISK_SECTOR;
                size = size < call->size - at ? size : call->size - at;
                bool there = tear.any ? chance_below(&tear.chance, 2) == 0 : sector < tear.until;
                sector += !synced;
                if (synced || there) {
                    disk_put(&left->node[call->node], offset, of->node[call->node].bytes + offset,
                             size);
                }
                at += size;
            }
        }
        if (!disk_names(call)) {
            continue;
        }
        bool certain = number < all - open;
        bool there = certain || (names >> (number - (all - open)) & 1) != 0;
        number++;
        if (there && call->kind != DISK_CREATE) {
            disk_remove(left, call->from);
        }
        if (there && call->kind != DISK_UNLINK) {
            disk_set(left, call->to, call->node);
        }
    }
    return left;
}

#endif
