/* test_sync_examples.c: linked with an example whose frames are tested as it plays them: each is
 * played twice, and has to end in the same state. Before the first, SETT_FRAMES frames (1,000) are
 * tested that go back up to 8, and undone. */
#include "check.h"
#include "sett/sett.h"
#include "sett_net.h"

/* The example's main and its sett_progress, renamed by the build. */
int example_main(void);
sett_status example_progress(sett_world* world, float dt);

static uint32_t frames;

static void play(sett_world* world, uint64_t frame, void* user)
{
    (void)frame;
    (void)sett_progress(world, *(float*)user);
}

static sett_status test_frames(sett_world* world, uint32_t count, uint32_t distance, float dt)
{
    sett_desync first;
    sett_status status = sett_sync_test(world, count, distance, play, &dt, &first);
    CHECK_MSG(status == SETT_OK, "frame %u, of %u frames %llu: %s %s", frames, count,
              (unsigned long long)first.frame,
              status == SETT_STATUS_INVALID ? first.text : sett_status_name(status),
              sett_world_message(world));
    return status;
}

sett_status example_progress(sett_world* world, float dt)
{
    if (frames == 0) {
        sett_snapshot begin;
        CHECK_EQ(sett_snapshot_take(world, &begin), SETT_OK);
        (void)test_frames(world, (uint32_t)check_setting("SETT_FRAMES", 1000), 8, dt);
        CHECK_EQ(sett_snapshot_restore(world, begin), SETT_OK);
        CHECK_EQ(sett_snapshot_drop(world, begin), SETT_OK);
    }
    frames++;
    return test_frames(world, 1, 1, dt);
}

/* The example's result is its own affair: it may count what happens outside of the world. */
static void each_frame_can_be_played_again(void)
{
    (void)example_main();
    CHECK(frames > 0);
    printf("  %u frames\n", frames);
}

TEST_MAIN(TEST(each_frame_can_be_played_again))
