/* file_meter.h: what saving and loading one world costs: into memory, and onto a disk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_BENCH_FILE_METER_H
#define SETT_BENCH_FILE_METER_H

#include "sett/sett.h"
#if defined(SETT_WITH_ZSTD)
#include "sett_zstd.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILE_ROUNDS 21

/* A file in memory: there is one, "memory"; its lock and its folder are nothing. */
typedef struct file_memory {
    sett_files files; /* first */
    unsigned char* bytes;
    size_t size, capacity;
} file_memory;

static void* memory_open(void* user, const char* path, sett_file_mode mode)
{
    file_memory* of = user;
    bool old = strcmp(path, "memory") != 0 && strcmp(path, "memory.new") != 0;
    of->size = mode == SETT_FILE_CREATE ? 0 : of->size;
    return old ? NULL : of;
}

static bool memory_close(void* user, void* file)
{
    return user == file;
}

static size_t memory_read(void* user, void* file, uint64_t offset, void* out, size_t size)
{
    const file_memory* of = user;
    size_t left = offset < of->size ? of->size - (size_t)offset : 0;
    (void)file;
    size = size < left ? size : left;
    memcpy(out, of->bytes + offset, size);
    return size;
}

static bool memory_write(void* user, void* file, const void* bytes, size_t size)
{
    file_memory* of = user;
    (void)file;
    if (size > of->capacity - of->size) {
        of->capacity = (of->size + size) * 2;
        of->bytes = realloc(of->bytes, of->capacity);
    }
    memcpy(of->bytes + of->size, bytes, size);
    of->size += size;
    return true;
}

static bool memory_size(void* user, void* file, uint64_t* size)
{
    (void)file;
    *size = ((const file_memory*)user)->size;
    return true;
}

static bool memory_sync(void* user, void* file)
{
    return user == file;
}

static bool memory_rename(void* user, const char* from, const char* to)
{
    return user != NULL && from != to;
}

static bool memory_unlink(void* user, const char* path)
{
    return user != NULL && path != NULL;
}

static sett_status memory_lock(void* user, const char* path, void** lock)
{
    (void)path;
    *lock = user;
    return SETT_OK;
}

static void memory_unlock(void* user, void* lock)
{
    (void)user;
    (void)lock;
}

static inline void file_memory_init(file_memory* of)
{
    memset(of, 0, sizeof(*of));
    of->files = (sett_files){.user = of,
                             .open = memory_open,
                             .close = memory_close,
                             .read = memory_read,
                             .write = memory_write,
                             .size = memory_size,
                             .sync = memory_sync,
                             .rename = memory_rename,
                             .unlink = memory_unlink,
                             .lock = memory_lock,
                             .unlock = memory_unlock,
                             .sync_folder = memory_unlink};
}

static inline double file_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int file_compare(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline double file_median(double* values, uint32_t count)
{
    qsort(values, count, sizeof(*values), file_compare);
    return values[count / 2];
}

static inline void file_check(const sett_world* world, bool good, const char* what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, sett_world_message(world));
        exit(1);
    }
}

/* Saves and loads in turns; `into` gets the state. Prints a line of medians, in milliseconds. */
static inline void file_measure(const char* name, sett_world* world, sett_world* into,
                                const char* path, const sett_file_desc* desc, size_t raw,
                                uint32_t rounds)
{
    double saving[FILE_ROUNDS];
    double loading[FILE_ROUNDS];
    sett_file_info info;
    for (uint32_t k = 0; k < rounds; k++) {
        double begin = file_now();
        file_check(world, sett_world_save_with(world, path, desc) == SETT_OK, name);
        double middle = file_now();
        file_check(into, sett_world_load_with(into, path, desc, NULL) == SETT_OK, name);
        loading[k] = file_now() - middle;
        saving[k] = middle - begin;
    }
    file_check(world, sett_file_info_get(path, desc, NULL, 0, &info) == SETT_OK, name);
    bool same = sett_world_hash(world) == sett_world_hash(into);
    printf("%-34s %10.2f %10.2f %12llu", name, file_median(saving, rounds),
           file_median(loading, rounds), (unsigned long long)info.size);
    if (raw != 0) {
        printf(" %7.3f", (double)info.size / (double)raw);
    }
    printf("  %s\n", same ? "same hash" : "OTHER HASH");
    file_check(world, same, "the hash after loading");
}

/* The lines of a world: memory and disk, with compression and without. */
static inline void file_measure_all(sett_world* world, sett_world* into, const char* path,
                                    size_t raw, uint32_t rounds)
{
    file_memory memory;
    sett_file_desc desc = {.files = NULL};
    file_memory_init(&memory);
    printf("%-34s %10s %10s %12s %7s\n", "milliseconds, medians", "save", "load", "bytes",
           raw != 0 ? "/ raw" : "");
    desc.files = &memory.files;
    file_measure("memory", world, into, "memory", &desc, raw, rounds);
    desc.files = NULL;
    file_measure("disk, fsync, .previous kept", world, into, path, &desc, raw, rounds);
#if defined(SETT_WITH_ZSTD)
    sett_compression zstd = sett_zstd(0);
    desc.compression = &zstd;
    desc.files = &memory.files;
    file_measure("memory, zstd", world, into, "memory", &desc, raw, rounds);
    desc.files = NULL;
    file_measure("disk, zstd", world, into, path, &desc, raw, rounds);
#else
    printf("(zstd: not found)\n");
#endif
    free(memory.bytes);
}

/* What an autosave takes of the program's thread, and of the other one. */
static inline void file_measure_autosave(sett_world* world, const char* path, uint32_t rounds)
{
    double starting[FILE_ROUNDS];
    double all[FILE_ROUNDS];
    sett_autosave* autosave = sett_autosave_create(world, path, NULL);
    file_check(world, autosave != NULL, "autosave");
    for (uint32_t k = 0; k <= rounds; k++) { /* the first allocates the copy */
        double begin = file_now();
        file_check(world, sett_autosave_start(autosave, k) == SETT_OK, "autosave");
        double middle = file_now();
        while (sett_autosave_status(autosave) == SETT_STATUS_LOCKED) {
        }
        file_check(world, sett_autosave_status(autosave) == SETT_OK, "autosave");
        if (k != 0) {
            starting[k - 1] = middle - begin;
            all[k - 1] = file_now() - begin;
        }
    }
    file_check(world, sett_autosave_destroy(autosave) == SETT_OK, "autosave");
    printf("autosave: %.2f ms of the program's thread, %.2f ms until it is on the disk\n",
           file_median(starting, rounds), file_median(all, rounds));
}

static inline void file_remove(const char* path)
{
    char name[1024];
    snprintf(name, sizeof(name), "%.1000s.previous", path);
    remove(path);
    remove(name);
}

#endif
