/* test_flight.c: flight recorders: what they hold, and programs that crash at random moments.
 * Crashes are POSIX; elsewhere they are left out.
 *
 *     SETT_SEED=7 SETT_CRASHES=1000 build/dev/test/test_flight
 *
 * SPDX-License-Identifier: MIT
 */
#if defined(__unix__) || defined(__APPLE__)
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define CRASHES 1
#else
#define CRASHES 0
#endif

#include "saved.h"
#include "scarce.h"

static const char flight_path[] = "sett_test_flight";

/* The world of a frame follows from that of the frame before. */
static void advance(sett_world* world, uint32_t frame)
{
    uint64_t chance = frame;
    change(world, &chance, frame == 0 ? 500 : 40);
}

static bool ignore(void* user, const void* bytes, size_t size)
{
    (void)bytes;
    *(uint64_t*)user += size;
    return true;
}

/* What is read of a file. */
typedef struct found {
    uint64_t log_frame; /* of the line of the log */
    uint64_t first;     /* frame of the state */
    uint64_t last;      /* of the last change */
    uint64_t input;     /* frame of the last input */
    uint32_t changes;
    bool ends;
    char line[64];
} found;

static bool look(void* user, uint32_t kind, uint64_t frame, const void* bytes, size_t size)
{
    found* to = user;
    const char* text = bytes;
    if (kind == SETT_RECORD_LOG && size < sizeof(to->line)) {
        to->log_frame = frame;
        size_t at = 1 + 2 + (size_t)(unsigned char)text[1] + 2 + 8 + 2; /* docs/stream.md */
        memcpy(to->line, text + at, size - at);
        to->line[size - at] = '\0';
    }
    to->first = kind == 3 ? frame : to->first;
    to->last = kind == 4 ? frame : to->last;
    to->changes += kind == 4;
    to->input = kind == SETT_RECORD_INPUT ? frame : to->input;
    to->ends = kind == 10;
    return true;
}

static found read_records(void)
{
    found got = {.log_frame = 0};
    CHECK_EQ(sett_file_records(flight_path, NULL, look, &got), SETT_OK);
    CHECK(got.ends);
    return got;
}

/* The file has whole frames; each loads to what the world was then. */
static void check_frame(uint64_t frame)
{
    sett_world* loaded = typed_world();
    sett_world* again = typed_world();
    sett_file_desc desc = {.last_frame = frame};
    sett_load_result result;
    CHECK_MSG(sett_world_load_with(loaded, flight_path, &desc, &result) == SETT_OK, "%s",
              sett_world_message(loaded));
    CHECK_EQ(result.frame, frame);
    CHECK_EQ(result.cut, 0);
    for (uint32_t k = 0; k <= frame; k++) {
        advance(again, k);
    }
    CHECK_EQ(sett_world_hash(loaded), sett_world_hash(again));
    CHECK_END(loaded);
    CHECK_END(again);
}

/* The last frames are there, at least as many as were asked for, and a state before them. */
static void has_the_last_frames(void)
{
    sett_world* world = typed_world();
    advance(world, 0);
    sett_flight_desc desc = {.frames = 10, .size = 8 << 20, .user_block = "map 7", .user_size = 5};
    sett_flight* flight = sett_flight_create(world, &desc);
    CHECK_MSG(flight != NULL, "%s", sett_world_message(world));
    for (uint32_t frame = 1; frame < 60; frame++) {
        advance(world, frame);
        uint32_t input = frame * 3;
        CHECK_EQ(sett_flight_write(flight, SETT_RECORD_INPUT, frame, &input, 4), SETT_OK);
        CHECK_EQ(sett_flight_append(flight, frame), SETT_OK);
        CHECK(sett_flight_frames(flight) >= (frame < 10 ? frame : 10));
        CHECK(sett_flight_frames(flight) <= 21);
        if (frame % 7 == 0) {
            char user[8] = "";
            sett_file_info info;
            CHECK_EQ(sett_flight_save(flight, flight_path, "saved"), SETT_OK);
            CHECK_EQ(sett_file_info_get(flight_path, NULL, user, sizeof(user), &info), SETT_OK);
            CHECK_STR_EQ(user, "map 7");
            found got = read_records();
            CHECK_EQ(got.last, frame);
            CHECK_EQ(got.input, frame);
            CHECK_EQ(got.log_frame, frame + 1);
            CHECK_STR_EQ(got.line, "saved");
            CHECK_EQ(got.changes, sett_flight_frames(flight));
            CHECK_EQ(got.first + got.changes, frame);
            check_frame(frame);
            check_frame(got.first + got.changes / 2);
        }
    }
    CHECK_EQ(sett_flight_append(flight, 3), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "pass frames in ascending order") != NULL);
    CHECK_EQ(sett_flight_write(flight, 3, 100, "", 0), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_flight_write(flight, SETT_RECORD_INPUT, 3, "", 0), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_flight_save(flight, "no/such/folder/file", NULL), SETT_STATUS_FILE);
    CHECK(strstr(sett_world_message(world), "check that its folder exists and can be written") !=
          NULL);
    CHECK_EQ(sett_flight_save(flight, "", NULL), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "`path` is empty - pass the path of a file") != NULL);
#if defined(__linux__)
    CHECK_EQ(sett_flight_save(flight, "/dev/full", NULL), SETT_STATUS_FILE);
    CHECK(strstr(sett_world_message(world),
                 "is incomplete, because a write failed - check that the "
                 "disk has room, and save again") != NULL);
#endif
    sett_flight_destroy(flight);
    sett_flight_destroy(NULL);
    CHECK_END(world);
    remove(flight_path);
}

/* Little memory holds fewer frames, never half a one; none at all is said. */
static void memory_is_fixed(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    register_types(world);
    advance(world, 0);
    sett_flight_desc desc = {.frames = 1000, .size = 1000};
    CHECK(sett_flight_create(world, &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK(strstr(sett_world_message(world),
                 "bytes, and sett_flight_desc.size is 1000 - create one with "
                 "a larger size") != NULL);
    size_t size;
    CHECK_EQ(sett_state_encode(world, NULL, 0, &size), SETT_OK);
    desc.size = 6 * size;
    sett_flight* flight = sett_flight_create(world, &desc);
    CHECK(flight != NULL);
    for (uint32_t frame = 1; frame < 200; frame++) {
        uint64_t dumped = 0;
        advance(world, frame);
        sett_status status = sett_flight_append(flight, frame);
        CHECK(status == SETT_OK || status == SETT_STATUS_LIMIT); /* the world grows */
        CHECK(sett_flight_dump(flight, NULL, ignore, &dumped));
        CHECK(dumped > 0 && dumped < desc.size + 1000);
        if (frame % 20 == 0) {
            CHECK_EQ(sett_flight_save(flight, flight_path, NULL), SETT_OK);
            found got = read_records();
            CHECK(status != SETT_OK || got.last == frame || got.first == frame);
            CHECK_EQ(got.log_frame, 0);
        }
    }
    char large[65536] = "";
    CHECK_EQ(sett_flight_write(flight, SETT_RECORD_INPUT, 500, large, sizeof(large)),
             SETT_STATUS_LIMIT);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_flight_write: the records of this frame have 0 bytes, and 65536 more do not "
                 "fit: at most 65536 fit, with 24 for each record - record less in each frame");
    sett_snapshot_drop_all(world); /* its own too: it goes on */
    advance(world, 200);
    CHECK(sett_flight_append(flight, 200) != SETT_STATUS_LOST);
    sett_flight_destroy(flight);
    scarce_end(&memory, world);
    remove(flight_path);
}

#if CRASHES
static sett_flight* crash_flight;

static bool crash_write(void* user, const void* bytes, size_t size)
{
    const char* at = bytes;
    while (size != 0) {
        ssize_t wrote = write(*(int*)user, at, size);
        if (wrote <= 0) {
            return false;
        }
        at += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

static void crash_handler(int number)
{
    int file = open(flight_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool done = sett_flight_dump(crash_flight, "crash", crash_write, &file);
    (void)number;
    _exit(done && close(file) == 0 ? 7 : 1);
}

/* Plays until a signal comes, at some moment: in a change, an allocation, while it records. */
static void crash_child(uint32_t microseconds)
{
    sett_world* world = typed_world();
    advance(world, 0);
    crash_flight = sett_flight_create(world, &(sett_flight_desc){.frames = 6, .size = 4 << 20});
    if (crash_flight == NULL || signal(SIGALRM, crash_handler) == SIG_ERR) {
        _exit(2);
    }
    struct itimerval at = {.it_value = {.tv_usec = (suseconds_t)microseconds}};
    setitimer(ITIMER_REAL, &at, NULL);
    for (uint32_t frame = 1;; frame++) {
        uint32_t input = frame;
        (void)sett_flight_write(crash_flight, SETT_RECORD_INPUT, frame, &input, sizeof(input));
        advance(world, frame);
        if (sett_flight_append(crash_flight, frame) != SETT_OK) {
            fprintf(stderr, "%s\n", sett_world_message(world));
            _exit(3);
        }
    }
}

/* Each leaves a readable record of the frames before, and of the frame of the crash. */
static void crashes_at_random_moments(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint64_t crashes = check_setting("SETT_CRASHES", CHECK_SANITIZED ? 20 : 100);
    for (uint64_t k = 0; k < crashes; k++) {
        int status = 0;
        uint32_t microseconds = 1 + chance_below(&chance, CHECK_SANITIZED ? 100000 : 30000);
        fflush(NULL);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            crash_child(microseconds);
        }
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %d", status);
        found got = read_records();
        uint64_t last = got.changes != 0 && got.last > got.first ? got.last : got.first;
        CHECK_STR_EQ(got.line, "crash");
        CHECK(got.log_frame == last + 1);
        CHECK(got.input <= last + 1);
        CHECK(got.changes <= 13 && (got.changes >= 6 || got.first == 0));
        if (last < 2000) {
            check_frame(last);
        }
    }
    remove(flight_path);
}
#else
static void crashes_at_random_moments(void)
{
}
#endif

TEST_MAIN(TEST(has_the_last_frames), TEST(memory_is_fixed), TEST(crashes_at_random_moments))
