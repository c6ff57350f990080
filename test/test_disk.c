/* test_disk.c: the files of the operating system where they fail: paths that lead nowhere, folders
 * in the place of files, a full disk, locks, pipes. POSIX; /dev/full is Linux. Elsewhere it tests
 * nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "base/platform.h"
#include "sett/file.h"
#include "worlds.h"

#if defined(__linux__)
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define FOLDER "sett_test_disk"
#define FILE_PATH FOLDER "/file"

typedef struct Value {
    uint64_t number;
} Value;

static sett_component Value_id;

static sett_world* begin(uint32_t count)
{
    sett_world* world = quiet_world();
    Value_id = SETT_REGISTER(world, Value);
    CHECK_EQ(SETT_MEMBERS(world, Value, number), SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        SETT_SET(world, sett_entity_create(world), Value, .number = k);
    }
    return world;
}

static uint32_t files_in_folder(void)
{
    uint32_t count = 0;
    DIR* folder = opendir(FOLDER);
    CHECK(folder != NULL);
    for (const struct dirent* at = readdir(folder); at != NULL; at = readdir(folder)) {
        count += at->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static void make_folder(void)
{
    static const char* const names[] = {"/file",      "/file.previous", "/file.new",
                                        "/file.lock", "/folder/.new",   "/folder.previous"};
    for (uint32_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        char path[64];
        snprintf(path, sizeof(path), FOLDER "%s", names[k]);
        (void)remove(path);
    }
    (void)remove(FOLDER "/folder");
    (void)mkdir(FOLDER, 0755);
    CHECK_EQ(files_in_folder(), 0);
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Neither saved to nor loaded from, and the message names the path. */
static void must_fail(sett_world* world, const char* path)
{
    uint64_t hash = sett_world_hash(world);
    sett_file_info info;
    sett_merge_result merged;
    CHECK_MSG(sett_world_save(world, path) == SETT_STATUS_FILE, "saved to %s", path);
    CHECK_MSG(strstr(sett_world_message(world), "sett_world_save") != NULL, "%s",
              sett_world_message(world));
    CHECK_MSG(sett_world_load(world, path) != SETT_OK, "loaded from %s", path);
    sett_status status = sett_world_error(world);
    CHECK_MSG(status == SETT_STATUS_FILE || status == SETT_STATUS_INVALID, "%s: %s", path,
              sett_world_message(world));
    CHECK(sett_world_merge(world, path, &(sett_merge_desc){0}, &merged) != SETT_OK);
    CHECK(sett_file_info_get(path, NULL, NULL, 0, &info) != SETT_OK);
    CHECK(sett_journal_create(world, path, NULL) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_FILE);
    sett_autosave* autosave = sett_autosave_create(world, path, NULL);
    CHECK(autosave != NULL);
    CHECK_EQ(sett_autosave_start(autosave, 1), SETT_OK);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_STATUS_FILE);
    CHECK_MSG(strstr(sett_world_message(world), path) != NULL || strlen(path) > 100, "%s",
              sett_world_message(world));
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_STATUS_FILE);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_VALID(world);
}

static void paths_that_lead_nowhere_are_reported(void)
{
    make_folder();
    write_text(FILE_PATH, "not a file of Sett");
    CHECK_EQ(mkdir(FOLDER "/folder", 0755), 0);
    sett_world* world = begin(100);
    char endless[600];
    memset(endless, 'x', sizeof(endless));
    endless[sizeof(endless) - 1] = '\0';
    const char* const paths[] = {FOLDER "/no/file", FILE_PATH "/below", FOLDER "/folder/", endless,
                                 "/proc/sett_file"};
    for (uint32_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
        must_fail(world, paths[k]);
        CHECK_EQ(files_in_folder(), 2); /* none is left behind */
    }
    /* a folder has the name of the file: it stays, and is no file */
    CHECK(sett_world_load(world, FOLDER "/folder") != SETT_OK);
    CHECK_EQ(sett_world_save(world, FOLDER "/folder"), SETT_STATUS_FILE);
    CHECK_EQ(files_in_folder(), 2);
    CHECK_EQ(rmdir(FOLDER "/folder"), 0);
    CHECK_END(world);
}

static void* open_full(void* user, const char* path, sett_file_mode mode)
{
    (void)user;
    const sett_files* real = setti_platform_files();
    return real->open(real->user, mode == SETT_FILE_READ ? path : "/dev/full", mode);
}

/* No byte fits onto the disk: the file that was there stays as it is. */
static void a_full_disk_leaves_the_old_file(void)
{
    make_folder();
    sett_world* world = begin(5000);
    sett_world* into = begin(0);
    CHECK_EQ(sett_world_save(world, FILE_PATH), SETT_OK);
    uint64_t hash = sett_world_hash(world);
    SETT_SET(world, sett_entity_create(world), Value, .number = 1);
    sett_files full = *setti_platform_files();
    full.open = open_full;
    sett_file_desc desc = {.files = &full};
    CHECK_EQ(sett_world_save_with(world, FILE_PATH, &desc), SETT_STATUS_FILE);
    CHECK(sett_journal_create(world, FILE_PATH, &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_FILE);
    sett_autosave* autosave = sett_autosave_create(world, FILE_PATH, &desc);
    CHECK_EQ(sett_autosave_start(autosave, 1), SETT_OK);
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_STATUS_FILE);
    CHECK_EQ(sett_world_load(into, FILE_PATH), SETT_OK);
    CHECK_EQ(sett_world_hash(into), hash);
    CHECK_EQ(sett_world_save(world, FILE_PATH), SETT_OK); /* when there is room again */
    CHECK_EQ(sett_world_load(into, FILE_PATH), SETT_OK);
    CHECK_EQ(sett_world_hash(into), sett_world_hash(world));
    CHECK_END(world);
    CHECK_END(into);
    make_folder();
}

static void calls_on_files_say_what_failed(void)
{
    make_folder();
    const sett_files* files = setti_platform_files();
    unsigned char bytes[16] = {0};
    uint64_t size;
    CHECK(files->open(files->user, FILE_PATH, SETT_FILE_READ) == NULL);
    CHECK(!files->unlink(files->user, FILE_PATH));
    CHECK(!files->rename(files->user, FILE_PATH, FOLDER "/other"));
    CHECK(!files->sync_folder(files->user, FOLDER "/no/file"));
    CHECK(files->sync_folder(files->user, FILE_PATH));
    CHECK(files->sync_folder(files->user, "in_this_folder"));
    void* file = files->open(files->user, FILE_PATH, SETT_FILE_CREATE);
    CHECK(file != NULL && files->write(files->user, file, "0123456789", 10));
    CHECK(files->sync(files->user, file) && files->close(files->user, file));
    file = files->open(files->user, FILE_PATH, SETT_FILE_APPEND);
    CHECK(file != NULL && files->write(files->user, file, "ABC", 3));
    CHECK(files->close(files->user, file));
    file = files->open(files->user, FILE_PATH, SETT_FILE_READ);
    CHECK(file != NULL && files->size(files->user, file, &size));
    CHECK_EQ(size, 13);
    CHECK_EQ(files->read(files->user, file, 8, bytes, 16), 5);
    CHECK_EQ(memcmp(bytes, "89ABC", 5), 0);
    CHECK_EQ(files->read(files->user, file, 13, bytes, 16), 0);
    CHECK_EQ(files->read(files->user, file, UINT64_MAX, bytes, 16), 0); /* no file is so long */
    CHECK_EQ(files->read(files->user, file, (uint64_t)1 << 63, bytes, 16), 0);
    CHECK(!files->write(files->user, file, "x", 1)); /* it was opened for reading */
    CHECK(files->close(files->user, file));
    file = files->open(files->user, "/dev/full", SETT_FILE_APPEND);
    CHECK(file != NULL && !files->write(files->user, file, "x", 1));
    CHECK(!files->sync(files->user, file));
    (void)files->close(files->user, file);
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    file =
        files->open(files->user, path, SETT_FILE_READ); /* what cannot be sought in has no size */
    CHECK(file != NULL && !files->size(files->user, file, &size));
    CHECK_EQ(files->read(files->user, file, 0, bytes, 1), 0);
    CHECK(files->close(files->user, file));
    close(ends[0]);
    close(ends[1]);
    make_folder();
}

/* One at a time, also where a lock is taken from outside. */
static void locks_are_held_by_one(void)
{
    make_folder();
    const sett_files* files = setti_platform_files();
    static const char path[] = FILE_PATH ".lock";
    void* one = NULL;
    void* other = NULL;
    for (uint32_t round = 0; round < 3; round++) {
        CHECK_EQ(files->lock(files->user, path, &one), SETT_OK);
        CHECK_EQ(files->lock(files->user, path, &other), SETT_STATUS_LOCKED);
        CHECK(other == NULL);
        files->unlock(files->user, one);
        CHECK(access(path, F_OK) != 0);
    }
    CHECK_EQ(files->lock(files->user, FOLDER "/no/file.lock", &other), SETT_STATUS_FILE);
    CHECK_EQ(files->lock(files->user, FOLDER, &other), SETT_STATUS_FILE);
    CHECK(other == NULL);
    /* the file of a lock that is held is deleted: the name is free */
    CHECK_EQ(files->lock(files->user, path, &one), SETT_OK);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(files->lock(files->user, path, &other), SETT_OK);
    files->unlock(files->user, other);
    files->unlock(files->user, one);
    make_folder();
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

/* Signals do not end a sleep early. */
static void sleep_goes_on_behind_signals(void)
{
    struct sigaction action = {.sa_handler = count_alarm};
    struct sigaction before;
    struct itimerval timer = {{0, 2000}, {0, 2000}};
    const struct itimerval none = {{0, 0}, {0, 0}};
    sigemptyset(&action.sa_mask);
    CHECK_EQ(sigaction(SIGALRM, &action, &before), 0);
    uint64_t start = setti_platform_now();
    CHECK_EQ(setitimer(ITIMER_REAL, &timer, NULL), 0);
    setti_platform_sleep(30000000u);
    CHECK_EQ(setitimer(ITIMER_REAL, &none, NULL), 0);
    CHECK(setti_platform_now() - start >= 30000000u);
    CHECK(alarms != 0);
    CHECK_EQ(sigaction(SIGALRM, &before, NULL), 0);
}

/* What is printed arrives whole; where it cannot be written, printing ends all the same. */
static void printing_ends_where_nothing_can_be_written(void)
{
    static char text[20000];
    static char got[20000];
    memset(text, 'a', sizeof(text));
    fflush(stderr);
    int real = dup(STDERR_FILENO);
    int ends[2];
    CHECK(real >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    setti_platform_print(text, sizeof(text)); /* a pipe holds 64 KB */
    FILE* full = fopen("/dev/full", "wb");
    CHECK(full != NULL && dup2(fileno(full), STDERR_FILENO) >= 0);
    setti_platform_print(text, sizeof(text));
    CHECK(dup2(real, STDERR_FILENO) >= 0);
    close(real);
    close(ends[1]);
    (void)fclose(full);
    size_t size = 0;
    for (ssize_t n; (n = read(ends[0], got + size, sizeof(got) - size)) > 0;) {
        size += (size_t)n;
    }
    CHECK_EQ(size, sizeof(text));
    CHECK_EQ(memcmp(got, text, sizeof(text)), 0);
    close(ends[0]);
}

TEST_MAIN(TEST(paths_that_lead_nowhere_are_reported), TEST(a_full_disk_leaves_the_old_file),
          TEST(calls_on_files_say_what_failed), TEST(locks_are_held_by_one),
          TEST(sleep_goes_on_behind_signals), TEST(printing_ends_where_nothing_can_be_written))

#else

static void nothing_is_tested(void)
{
    CHECK(setti_platform_files() != NULL);
}

TEST_MAIN(TEST(nothing_is_tested))

#endif
