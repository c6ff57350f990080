/* test_kill.c: programs that are ended by force (SIGKILL) while they save, or write a journal. What
 * is loaded afterwards is a state that they wrote: the last one that a call has returned for, or
 * the one that was being written. Power cuts: test_file.c and test_journal.c.
 * POSIX; elsewhere nothing is tested.
 *
 *     SETT_SEED=7 SETT_KILLS=1000 build/dev/test/test_kill
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define KILLS 1
#else
#define KILLS 0
#endif

#include "saved.h"

#define FRAMES 64u

static const char kill_path[] = "sett_test_kill";

/* The world of a frame follows from that of the frame before. */
static void kill_advance(sett_world* world, uint32_t frame)
{
    uint64_t chance = frame;
    change(world, &chance, frame == 0 ? 2000 : 100);
}

#if KILLS
/* What is killed: goes on from a frame, and says after each that it is in the file. */
static void kill_child(uint32_t first, bool journals, int out)
{
    sett_world* world = typed_world();
    sett_journal* journal = NULL;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        sett_file_desc desc = {.frame = frame, .compression = frame % 2 ? &run_lengths : NULL};
        sett_status status = SETT_OK;
        kill_advance(world, frame);
        if (frame < first) {
            continue;
        }
        if (!journals) {
            status = sett_world_save_with(world, kill_path, &desc);
        } else if (journal == NULL) {
            journal = sett_journal_create(world, kill_path, &desc);
            status = journal != NULL ? SETT_OK : sett_world_error(world);
        } else {
            status = sett_journal_append(journal, frame);
        }
        if (status != SETT_OK || write(out, &frame, sizeof(frame)) != sizeof(frame)) {
            fprintf(stderr, "%s\n", sett_world_message(world));
            _exit(1);
        }
    }
    (void)pause();
}

/* Starts a child, waits for some frames and for a moment, and kills it. Returns how many frames it
 * has written for certain. */
static uint32_t kill_one(uint32_t first, bool journals, uint64_t* chance)
{
    int ends[2];
    uint32_t wait = chance_below(chance, journals ? 20 : 4);
    uint32_t frame = 0;
    uint32_t written = 0;
    int status = 0;
    CHECK_EQ(pipe(ends), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(ends[0]);
        kill_child(first, journals, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (written < wait && read(ends[0], &frame, sizeof(frame)) == sizeof(frame)) {
        written++;
    }
    /* Up to 4 ms: about what one save takes. */
    (void)nanosleep(&(struct timespec){.tv_nsec = (long)chance_below(chance, 4000000)}, NULL);
    CHECK_EQ(kill(child, SIGKILL), 0);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status)); /* it has not failed before */
    while (read(ends[0], &frame, sizeof(frame)) == sizeof(frame)) {
        written++;
    }
    close(ends[0]);
    return written;
}

static void a_killed_program_leaves_its_last_state(void)
{
    uint64_t hash[FRAMES];
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint64_t count = check_setting("SETT_KILLS", CHECK_ROUNDS(40));
    uint32_t found = 0;  /* the frame that is in the file */
    uint64_t inside = 0; /* kills that came while a frame was being written, or right behind that */
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        kill_advance(world, frame);
        hash[frame] = sett_world_hash(world);
        if (frame == 0) {
            CHECK_EQ(sett_world_save_with(world, kill_path, NULL), SETT_OK);
        }
    }
    /* more of them where none has come at the right moment */
    for (uint64_t k = 0; k < count || (inside == 0 && k < 2000); k++) {
        uint32_t first = chance_below(&chance, FRAMES / 2);
        uint32_t written = kill_one(first, k % 2 != 0, &chance);
        sett_load_result result;
        sett_file_desc desc = {.compression = &run_lengths};
        CHECK_MSG(sett_world_load_with(into, kill_path, &desc, &result) == SETT_OK, "kill %u: %s",
                  (unsigned)k, sett_world_message(into));
        bool sure = written != 0 && result.frame == first + written - 1;
        bool next = result.frame == first + written;
        CHECK_MSG(sure || next || (written == 0 && result.frame == found),
                  "kill %u: frame %u was found, %u to %u were written", (unsigned)k,
                  (unsigned)result.frame, (unsigned)first, (unsigned)(first + written));
        CHECK(result.frame < FRAMES && sett_world_hash(into) == hash[result.frame]);
        inside += next || result.cut != 0 || remove("sett_test_kill.new") == 0;
        found = (uint32_t)result.frame;
        if (k < count) {
            check_print(k, count);
        }
    }
    CHECK(inside > 0);
    printf("  %llu kills, %llu of them while a frame was being written\n",
           (unsigned long long)count, (unsigned long long)inside);
    (void)remove(kill_path);
    (void)remove("sett_test_kill.previous");
    (void)remove("sett_test_kill.lock");
    CHECK_END(world);
    CHECK_END(into);
}
#else
static void a_killed_program_leaves_its_last_state(void)
{
    kill_advance(typed_world(), 0);
}
#endif

TEST_MAIN(TEST(a_killed_program_leaves_its_last_state))
