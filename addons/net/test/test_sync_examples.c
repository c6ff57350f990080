/* test_sync_examples.c: linked with an example whose frames are tested as it plays them: each is
 * played twice, and has to end in the same state. */
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

sett_status example_progress(sett_world* world, float dt)
{
    sett_desync first;
    sett_status status = sett_sync_test(world, 1, 1, play, &dt, &first);
    CHECK_MSG(status == SETT_OK, "frame %u: %s %s", frames,
              status == SETT_STATUS_INVALID ? first.text : sett_status_name(status),
              sett_world_message(world));
    frames++;
    return status;
}

/* The example's result is its own affair: it may count what happens outside of the world. */
static void each_frame_can_be_played_again(void)
{
    (void)example_main();
    CHECK(frames > 0);
    printf("  %u frames\n", frames);
}

TEST_MAIN(TEST(each_frame_can_be_played_again))
