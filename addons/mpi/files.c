/* files.c: checkpoints.
 *
 *     <path>.<tick>.<k>     part k of parts: which cells, their homes, their entities
 *     <path>                the index, a text, written last: tick, hash, and of each part its
 *                           cells, size and sum
 *
 * A part is written under another name, brought to the disk, and renamed; the index likewise, when
 * all parts are there. So whenever a rank dies, the index that is there leads to parts that are
 * whole: those of the checkpoint before have other names, and are removed last.
 *
 * Loading gives each rank a run of parts, and so of cells; what is uneven then is balanced.
 */
#include "../argument.h"
#include "ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAGIC 0x52544553u /* "SETR" */
#define FILES_VERSION 1u
#define FILES_PARTS 1000000u /* the most */
#define FILES_LINE 160       /* bytes of a line of the index, at most */

typedef struct files_part {
    uint32_t first, end; /* cells */
    uint64_t size, sum;
} files_part;

typedef struct files_index {
    uint64_t tick, hash;
    uint32_t cells, indices, parts;
    files_part* part;
} files_index;

static char* files_name(const char* path, uint64_t tick, uint32_t part)
{
    size_t size = strlen(path) + 48;
    char* name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%s.%" PRIu64 ".%" PRIu32, path, tick, part);
    }
    return name;
}

/* -------------------------------------------------------------------------------------- writing */

static bool files_write_all(int file, const unsigned char* at, size_t size)
{
    while (size != 0) {
        ssize_t wrote = write(file, at, size < 1u << 30 ? size : 1u << 30);
        if (wrote < 0 && errno != EINTR) {
            return false;
        }
        at += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* So that the new name is on the disk too. */
static bool files_sync_folder(const char* name)
{
    const char* slash = strrchr(name, '/');
    char* folder = strdup(slash != NULL ? name : ".");
    if (folder == NULL) {
        return false;
    }
    if (slash != NULL) {
        folder[slash - name + (slash == name)] = '\0';
    }
    int file = open(folder, O_RDONLY);
    free(folder);
    bool synced = file >= 0 && fsync(file) == 0;
    if (file >= 0) {
        close(file);
    }
    return synced;
}

static sett_status files_put(const sett_ranks* r, const char* name, const void* bytes, size_t size)
{
    size_t length = strlen(name) + 5;
    char* new = malloc(length);
    if (new == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    snprintf(new, length, "%s.new", name);
    int file = open(new, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool right = file >= 0 && files_write_all(file, bytes, size) && fsync(file) == 0;
    right = file >= 0 && close(file) == 0 && right;
    right = right && rename(new, name) == 0 && files_sync_folder(name);
    if (!right) {
        setti_ranks_report(r, SETT_STATUS_FILE,
                           "sett_ranks_save: \"%s\" cannot be written: %s - check that its folder "
                           "exists, and that the disk has room",
                           name, strerror(errno));
        unlink(new);
    }
    free(new);
    return right ? SETT_OK : SETT_STATUS_FILE;
}

static sett_status files_pack(sett_ranks* r, ranks_bytes* bytes)
{
    uint32_t first = r->bounds[r->rank];
    uint32_t end = r->bounds[r->rank + 1];
    setti_ranks_write_u32(bytes, FILES_MAGIC);
    setti_ranks_write_u32(bytes, FILES_VERSION);
    setti_ranks_write_u32(bytes, r->rank);
    setti_ranks_write_u32(bytes, r->count);
    setti_ranks_write_u64(bytes, r->tick);
    setti_ranks_write_u32(bytes, first);
    setti_ranks_write_u32(bytes, end);
    for (uint32_t cell = first; cell < end; cell++) {
        setti_ranks_write_home(r, bytes, cell);
    }
    sett_status status = setti_ranks_pack(r, &r->owned, bytes);
    return status == SETT_OK && bytes->failed ? SETT_STATUS_OUT_OF_MEMORY : status;
}

static void files_print(ranks_bytes* to, const char* line)
{
    setti_ranks_write(to, line, strlen(line));
}

static sett_status files_write_index(const sett_ranks* r, const char* path, uint64_t hash,
                                     const uint64_t* parts)
{
    ranks_bytes text = {NULL, 0, 0, false};
    char line[FILES_LINE];
    snprintf(line, sizeof(line),
             "sett ranks %u\ntick %" PRIu64 " hash %016" PRIx64 "\ncells %u indices %u parts %u\n",
             FILES_VERSION, r->tick, hash, (unsigned)r->desc.cells, (unsigned)r->desc.indices,
             (unsigned)r->count);
    files_print(&text, line);
    for (uint32_t k = 0; k < r->count; k++) {
        snprintf(line, sizeof(line), "part %u cells %u %u size %" PRIu64 " sum %016" PRIx64 "\n",
                 (unsigned)k, (unsigned)r->bounds[k], (unsigned)r->bounds[k + 1], parts[2 * k],
                 parts[2 * k + 1]);
        files_print(&text, line);
    }
    snprintf(line, sizeof(line), "end %016" PRIx64 "\n", setti_ranks_sum(text.at, text.size));
    files_print(&text, line);
    sett_status status =
        text.failed ? SETT_STATUS_OUT_OF_MEMORY : files_put(r, path, text.at, text.size);
    free(text.at);
    return status;
}

/* The parts of the checkpoint before, if it had the same path and another tick. */
static void files_remove_old(const sett_ranks* r, const char* path)
{
    bool old =
        r->checkpoint != NULL && strcmp(r->checkpoint, path) == 0 && r->checkpoint_tick != r->tick;
    for (uint32_t k = r->rank; old && k < r->checkpoint_parts; k += r->count) {
        char* name = files_name(path, r->checkpoint_tick, k);
        if (name != NULL) {
            unlink(name);
        }
        free(name);
    }
}

static void files_remember(sett_ranks* r, const char* path, uint64_t tick, uint32_t parts)
{
    char* name = strdup(path);
    if (name != NULL) {
        free(r->checkpoint);
        r->checkpoint = name;
        r->checkpoint_tick = tick;
        r->checkpoint_parts = parts;
        setti_ranks_name(r);
    }
}

/* Sizes and sums of all parts, at all ranks. */
static uint64_t* files_gather(const sett_ranks* r, uint64_t size, uint64_t sum)
{
    uint64_t* parts = calloc((size_t)r->count * 2, sizeof(*parts));
    if (setti_ranks_all(r, parts != NULL)) {
        parts[2 * r->rank] = size;
        parts[2 * r->rank + 1] = sum;
        setti_ranks_reduce(r, parts, (int)r->count * 2, MPI_SUM);
        return parts;
    }
    free(parts);
    return NULL;
}

sett_status sett_ranks_save(sett_ranks* r, const char* path)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    ranks_bytes bytes = {NULL, 0, 0, false};
    uint64_t hash = 0;
    setti_ranks_enter(r, __func__);
    sett_status status = SETT_OK;
    if (path == NULL) {
        status = setti_ranks_fail(r, SETT_STATUS_ARGUMENT,
                                  "sett_ranks_save: `path` is NULL - pass the path of the index");
    } else if (r->born.count != 0 || r->begun) {
        status = setti_ranks_fail(r, SETT_STATUS_ARGUMENT,
                                  "sett_ranks_save: the last tick has not ended, or entities were "
                                  "created after it - call sett_ranks_end first");
    }
    status = status == SETT_OK ? setti_ranks_hash(r, &hash) : status;
    status = status == SETT_OK ? files_pack(r, &bytes) : status;
    char* name = status == SETT_OK ? files_name(path, r->tick, r->rank) : NULL;
    if (name != NULL) {
        status = files_put(r, name, bytes.at, bytes.size);
    } else if (status == SETT_OK) {
        status = SETT_STATUS_OUT_OF_MEMORY;
    }
    uint64_t sum = setti_ranks_sum(bytes.at, bytes.size);
    bool all = setti_ranks_all(r, status == SETT_OK);
    uint64_t* parts = all ? files_gather(r, bytes.size, sum) : NULL;
    if (parts != NULL && r->rank == 0) {
        status = files_write_index(r, path, hash, parts);
    }
    all = setti_ranks_all(r, status == SETT_OK && parts != NULL);
    if (all) {
        files_remove_old(r, path);
        files_remember(r, path, r->tick, r->count);
    }
    free(parts);
    free(name);
    free(bytes.at);
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        setti_ranks_report(r, status,
                           "sett_ranks_save: memory ran out - use more ranks, or fewer entities");
    }
    return all || status != SETT_OK ? status : SETT_STATUS_FILE;
}

/* -------------------------------------------------------------------------------------- reading */

static sett_status files_report_memory(const sett_ranks* r)
{
    return setti_ranks_report(r, SETT_STATUS_OUT_OF_MEMORY,
                              "sett_ranks_load: memory ran out - use more ranks");
}

static sett_status files_get(const sett_ranks* r, const char* name, ranks_bytes* bytes)
{
    FILE* file = fopen(name, "rb");
    if (file == NULL) {
        return setti_ranks_report(r, SETT_STATUS_FILE,
                                  "sett_ranks_load: \"%s\" cannot be opened: %s - check the path",
                                  name, strerror(errno));
    }
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bytes->size = 0;
    unsigned char* room = size >= 0 ? setti_ranks_room(bytes, (size_t)size) : NULL;
    bool right = room != NULL && fseek(file, 0, SEEK_SET) == 0 &&
                 fread(room, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (size >= 0 && room == NULL) {
        return files_report_memory(r);
    }
    return right ? SETT_OK
                 : setti_ranks_report(r, SETT_STATUS_FILE,
                                      "sett_ranks_load: \"%s\" cannot be read - check the disk",
                                      name);
}

/* Reads "<word> <number>" and what separates it from the next. */
static uint64_t files_field(const char** at, const char* word, int base, bool* bad)
{
    size_t length = strlen(word);
    char* end = NULL;
    if (*bad || strncmp(*at, word, length) != 0 || (*at)[length] != ' ' ||
        ((*at)[length + 1] < '0' || (*at)[length + 1] > 'f')) {
        *bad = true;
        return 0;
    }
    errno = 0;
    uint64_t value = strtoull(*at + length + 1, &end, base);
    *bad = errno != 0 || (*end != ' ' && *end != '\n');
    *at = *bad ? *at : end + 1;
    return value;
}

static uint32_t files_field32(const char** at, const char* word, bool* bad)
{
    uint64_t value = files_field(at, word, 10, bad);
    *bad = *bad || value > UINT32_MAX;
    return (uint32_t)value;
}

static bool files_read_parts(files_index* index, const char** at)
{
    bool bad = false;
    index->part = index->parts != 0 && index->parts <= FILES_PARTS
                      ? calloc(index->parts, sizeof(*index->part))
                      : NULL;
    for (uint32_t k = 0; k < index->parts && index->part != NULL && !bad; k++) {
        files_part* part = &index->part[k];
        bad = files_field32(at, "part", &bad) != k || bad;
        part->first = files_field32(at, "cells", &bad);
        part->end = (uint32_t)strtoul(*at, NULL, 10);
        const char* space = strchr(*at, ' ');
        bad = bad || space == NULL || part->end < part->first || part->end > index->cells ||
              part->first != (k != 0 ? index->part[k - 1].end : 0);
        *at = space != NULL ? space + 1 : *at;
        part->size = files_field(at, "size", 10, &bad);
        part->sum = files_field(at, "sum", 16, &bad);
    }
    return index->part != NULL && !bad && index->part[index->parts - 1].end == index->cells;
}

static bool files_read_index(ranks_bytes* bytes, files_index* index)
{
    bool bad = false;
    setti_ranks_write(bytes, "", 1);
    if (bytes->failed || memchr(bytes->at, 0, bytes->size) != bytes->at + bytes->size - 1) {
        return false;
    }
    const char* begin = (const char*)bytes->at;
    const char* at = begin;
    bad = files_field(&at, "sett ranks", 10, &bad) != FILES_VERSION || bad;
    index->tick = files_field(&at, "tick", 10, &bad);
    index->hash = files_field(&at, "hash", 16, &bad);
    index->cells = files_field32(&at, "cells", &bad);
    index->indices = files_field32(&at, "indices", &bad);
    index->parts = files_field32(&at, "parts", &bad);
    if (bad || !files_read_parts(index, &at)) {
        return false;
    }
    char end[FILES_LINE];
    snprintf(end, sizeof(end), "end %016" PRIx64 "\n",
             setti_ranks_sum(begin, (size_t)(at - begin)));
    return strcmp(at, end) == 0;
}

/* Reads a part's bytes and compares them with what the index says. */
static sett_status files_read_part(const sett_ranks* r, const char* path, const files_index* index,
                                   uint32_t k, ranks_bytes* bytes, ranks_reader* from)
{
    char* name = files_name(path, index->tick, k);
    sett_status status = name != NULL ? files_get(r, name, bytes) : files_report_memory(r);
    const files_part* part = &index->part[k];
    if (status == SETT_OK && bytes->size != part->size) {
        status = setti_ranks_report(r, SETT_STATUS_INVALID,
                                    "sett_ranks_load: \"%s\" has %lu bytes, and by the index %lu "
                                    "bytes: it is truncated, or of another checkpoint - load "
                                    "another one",
                                    name, (unsigned long)bytes->size, (unsigned long)part->size);
    } else if (status == SETT_OK && setti_ranks_sum(bytes->at, bytes->size) != part->sum) {
        status = setti_ranks_report(
            r, SETT_STATUS_INVALID,
            "sett_ranks_load: \"%s\" is damaged, or of another checkpoint - load "
            "another one",
            name);
    }
    *from = (ranks_reader){bytes->at, bytes->at + bytes->size, false};
    if (status == SETT_OK) {
        bool right = setti_ranks_read_u32(from) == FILES_MAGIC &&
                     setti_ranks_read_u32(from) == FILES_VERSION;
        right = setti_ranks_read_u32(from) == k && right;
        right = setti_ranks_read_u32(from) == index->parts && right;
        right = setti_ranks_read_u64(from) == index->tick && right;
        right = setti_ranks_read_u32(from) == part->first && right;
        right = setti_ranks_read_u32(from) == part->end && right;
        status = right && !from->bad
                     ? SETT_OK
                     : setti_ranks_report(r, SETT_STATUS_INVALID,
                                          "sett_ranks_load: \"%s\" is not part %u of the "
                                          "checkpoint - load another checkpoint",
                                          name, (unsigned)k);
    }
    free(name);
    return status;
}

static uint32_t files_first(const sett_ranks* r, const files_index* index, uint32_t rank)
{
    return (uint32_t)((uint64_t)index->parts * rank / r->count);
}

/* All is checked before anything changes. */
static sett_status files_check(sett_ranks* r, const char* path, files_index* index,
                               ranks_bytes* bytes)
{
    sett_status status = files_get(r, path, bytes);
    if (status == SETT_OK && !files_read_index(bytes, index)) {
        status = setti_ranks_report(r, SETT_STATUS_INVALID,
                                    "sett_ranks_load: \"%s\" is damaged, or not the index of a "
                                    "checkpoint - pass the path that sett_ranks_save got",
                                    path);
    }
    if (status == SETT_OK && (index->cells != r->desc.cells || index->indices != r->desc.indices)) {
        status =
            setti_ranks_report(r, SETT_STATUS_CONFLICT,
                               "sett_ranks_load: \"%s\" has %u cells with %u indices each, and "
                               "these ranks %u with %u - set the same `cells` and `indices`",
                               path, (unsigned)index->cells, (unsigned)index->indices,
                               (unsigned)r->desc.cells, (unsigned)r->desc.indices);
    }
    if (status == SETT_OK) {
        uint32_t end = files_first(r, index, r->rank + 1);
        for (uint32_t k = files_first(r, index, r->rank); k < end && status == SETT_OK; k++) {
            ranks_reader from;
            status = files_read_part(r, path, index, k, bytes, &from);
        }
    }
    return status;
}

/* Everything of the simulation leaves this world. */
static sett_status files_clear(sett_ranks* r, const files_index* index)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < r->owned.count; k++) {
        sett_entity_clear(r->world, r->owned.item[k]);
    }
    for (uint32_t k = 0; k < r->owned.count && status == SETT_OK; k++) {
        status = sett_entity_forget(r->world, r->owned.item[k]);
    }
    status = status == SETT_OK ? setti_ranks_drop_ghosts(r) : status;
    for (uint32_t k = 0; k < r->linked.count; k++) {
        if (sett_entity_valid(r->world, r->linked.item[k])) {
            sett_entity_forget(r->world, r->linked.item[k]);
        }
    }
    r->owned.count = r->linked.count = 0;
    for (uint32_t k = r->bounds[r->rank]; k < r->bounds[r->rank + 1] && status == SETT_OK; k++) {
        status = setti_ranks_drop_home(r, k);
    }
    for (uint32_t k = 0; k <= r->count; k++) {
        uint32_t part = files_first(r, index, k);
        r->bounds[k] = part < index->parts ? index->part[part].first : index->cells;
    }
    return status == SETT_OK && !setti_ranks_find_peers(r) ? SETT_STATUS_OUT_OF_MEMORY : status;
}

static sett_status files_unpack(sett_ranks* r, const char* path, const files_index* index,
                                ranks_bytes* bytes)
{
    sett_status status = files_clear(r, index);
    uint32_t end = files_first(r, index, r->rank + 1);
    for (uint32_t k = files_first(r, index, r->rank); k < end && status == SETT_OK; k++) {
        ranks_reader from;
        status = files_read_part(r, path, index, k, bytes, &from);
        for (uint32_t n = index->part[k].first; n < index->part[k].end && status == SETT_OK; n++) {
            status = setti_ranks_read_home(r, &from);
            r->home[n].moved = false;
        }
        status = status == SETT_OK ? setti_ranks_unpack(r, &from) : status;
        status = status == SETT_OK && from.at != from.end ? SETT_STATUS_INVALID : status;
    }
    return status;
}

sett_status sett_ranks_load(sett_ranks* r, const char* path)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    ranks_bytes bytes = {NULL, 0, 0, false};
    files_index index = {0};
    uint64_t hash = 0;
    setti_ranks_enter(r, __func__);
    sett_status status =
        path != NULL ? files_check(r, path, &index, &bytes)
                     : setti_ranks_report(r, SETT_STATUS_ARGUMENT,
                                          "sett_ranks_load: `path` is NULL - pass the path of the "
                                          "index");
    if (!setti_ranks_all(r, status == SETT_OK)) {
        free(bytes.at);
        free(index.part);
        return status != SETT_OK ? status : SETT_STATUS_INVALID;
    }
    status = files_unpack(r, path, &index, &bytes);
    free(bytes.at);
    free(index.part);
    status = status == SETT_OK ? setti_ranks_settle(r, NULL, false) : status;
    status = status == SETT_OK ? setti_ranks_balance(r) : status;
    status = status == SETT_OK ? setti_ranks_hash(r, &hash) : status;
    if (status == SETT_STATUS_INVALID || (status == SETT_OK && hash != index.hash)) {
        return setti_ranks_fail(r, SETT_STATUS_INVALID,
                                "sett_ranks_load: \"%s\" has another state by this program - "
                                "register the types as the program that saved it",
                                path);
    }
    if (status != SETT_OK) {
        return setti_ranks_fail_status(r, status);
    }
    r->tick = index.tick;
    r->begun = false;
    files_remember(r, path, index.tick, index.parts);
    return SETT_OK;
}
