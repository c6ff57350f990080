/* autosave.c: saves a world while the game runs.
 *
 * The workload: a game that must not miss a frame, and a disk of any speed. So the pages of the
 * state are copied into a second world, and a thread encodes and writes the copy. The next save
 * uses the same copy and pages again.
 *
 *     the game     copy | runs ...                             | copy | ...
 *     the thread          encode, write, sync, rename, sync           encode ...
 *
 * Rejected: encoding from a snapshot on the thread. Each page would need the lock of copy-on-write,
 * and names and types would need locks too. All this would save a copy of 0.15 ms a MB.
 *
 * Invariant:  while `running`, only the thread uses `copy` and `desc`
 */
#include "base/atomic.h"
#include "file/load.h"
#include "file/place.h"
#include "file/run_record.h"
#include "sett/state.h"
#include "state/replica.h"

struct sett_autosave {
    sett_world* world;
    sett_world* copy;
    uint32_t unregistered_before; /* sett_world.unregistered when the copy was created */
    setti_bytes path;
    setti_bytes user; /* a copy of the user block, for the save that runs */
    setti_bytes run;  /* the record of the systems, for the save that runs */
    sett_file_desc desc;
    const void* user_block; /* the program's user block */
    setti_thread thread;
    bool running;       /* a thread was started and not joined */
    setti_signal done;  /* 1: the thread has saved */
    sett_status status; /* the result of the last completed save */
};

static void autosave_free(sett_autosave* autosave)
{
    SETTI_ASSERT(!autosave->running);
    setti_pool* pool = &autosave->world->pool;
    sett_world_destroy(autosave->copy);
    setti_bytes_free(pool, &autosave->path);
    setti_bytes_free(pool, &autosave->user);
    setti_bytes_free(pool, &autosave->run);
    setti_pool_free(pool, autosave, sizeof(*autosave), 16);
}

/* Replaces the copy by an empty world. Returns false if memory runs out. */
static bool autosave_make_copy(sett_autosave* autosave)
{
    sett_world* copy = setti_replica_create(autosave->world);
    if (copy == NULL) {
        return false;
    }
    if (autosave->copy != NULL) {
        sett_world_own(autosave->copy); /* the saving thread owned the copy */
        sett_world_destroy(autosave->copy);
    }
    autosave->copy = copy;
    autosave->unregistered_before = autosave->world->unregistered;
    return true;
}

static bool autosave_init(sett_autosave* autosave, sett_world* world, const char* path,
                          const sett_file_desc* desc)
{
    memset(autosave, 0, sizeof(*autosave));
    autosave->world = world;
    autosave->desc.files = setti_place_files(desc);
    if (desc != NULL) {
        autosave->desc.compression = desc->compression;
        autosave->desc.user_size = desc->user_size;
        autosave->user_block = desc->user_block;
    }
    if (!autosave_make_copy(autosave)) {
        return false;
    }
    if (!setti_bytes_copy(&world->pool, &autosave->path, path, strlen(path) + 1)) {
        return false;
    }
    return setti_bytes_copy(&world->pool, &autosave->user, NULL, 0); /* no user block yet */
}

SETTI_COLD sett_autosave* sett_autosave_create(sett_world* world, const char* path,
                                               const sett_file_desc* desc)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(path)) {
        return NULL;
    }
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return NULL;
    }
    if (setti_place_check_user(world, __func__, desc) != SETT_OK) {
        return NULL;
    }
    sett_autosave* autosave = setti_pool_alloc(&world->pool, sizeof(*autosave), 16);
    if (autosave == NULL) {
        setti_world_no_memory(world, __func__);
        return NULL;
    }
    if (!autosave_init(autosave, world, path, desc)) {
        autosave_free(autosave);
        setti_world_no_memory(world, __func__);
        return NULL;
    }
    return autosave;
}

/* Copies the world, so that the thread can save the copy. */
static sett_status autosave_copy(sett_autosave* autosave)
{
    static const char call[] = "sett_autosave_start";
    SETTI_ASSERT(!autosave->running);
    sett_world* world = autosave->world;
    bool type_unregistered = world->unregistered != autosave->unregistered_before;
    if (type_unregistered && !autosave_make_copy(autosave)) {
        return setti_world_no_memory(world, call);
    }
    sett_world* copy = autosave->copy;
    sett_world_own(copy); /* the saving thread owned the copy */
    sett_status status = setti_replica_join_all(copy, world, call);
    if (status == SETT_OK) {
        status = setti_replica_clone(world, copy, call);
    }
    if (status != SETT_OK) {
        return setti_world_fail_with(world, status, "%s: %s", call, setti_load_why(copy));
    }
    return SETT_OK;
}

/* Copies the user block, and encodes the record of the systems. */
static sett_status autosave_copy_blocks(sett_autosave* autosave)
{
    sett_world* world = autosave->world;
    const void* block = autosave->user_block;
    size_t size = block != NULL ? autosave->desc.user_size : 0;
    setti_bytes_free(&world->pool, &autosave->user);
    setti_bytes_free(&world->pool, &autosave->run);
    bool copied = setti_bytes_copy(&world->pool, &autosave->user, block, size);
    if (!copied || !setti_run_encode(world, &autosave->run)) {
        return setti_world_no_memory(world, "sett_autosave_start");
    }
    autosave->desc.user_block = autosave->user.data;
    return SETT_OK;
}

static sett_status autosave_write(sett_autosave* autosave, setti_place* place)
{
    sett_status status = setti_place_lock(place);
    if (status != SETT_OK) {
        return status;
    }
    return setti_place_save(place, &autosave->desc, &autosave->run, SETTI_PLACE_COMPLETE);
}

/* Saves the copy. Runs on the thread, or in sett_autosave_start if no thread starts. */
static void autosave_body(void* user)
{
    sett_autosave* autosave = user;
    setti_place place;
    sett_world_own(autosave->copy);
    sett_status status = setti_place_init(&place, autosave->copy, "sett_autosave",
                                          (const char*)autosave->path.data, &autosave->desc);
    if (status == SETT_OK) {
        status = autosave_write(autosave, &place);
        setti_place_deinit(&place);
    }
    autosave->status = status;
    setti_signal_set(&autosave->done, 1);
}

/* Waits until the thread has ended. Reports an error of the last save, and returns its status. */
static sett_status autosave_finish(sett_autosave* autosave, const char* call)
{
    if (autosave->running) {
        setti_thread_join(&autosave->thread);
        autosave->running = false;
    }
    if (autosave->status != SETT_OK) {
        (void)setti_world_fail_with(autosave->world, autosave->status, "%s: %s", call,
                                    setti_load_why(autosave->copy));
    }
    return autosave->status;
}

/* Returns LOCKED while the thread saves. Otherwise returns the status of the last save. */
static sett_status autosave_poll(sett_autosave* autosave, const char* call)
{
    const bool can_test = SETTI_ATOMICS; /* without atomics, only a wait is possible */
    if (autosave->running && can_test && !setti_signal_is(&autosave->done, 1)) {
        return SETT_STATUS_LOCKED;
    }
    return autosave_finish(autosave, call);
}

sett_status sett_autosave_status(sett_autosave* autosave)
{
    if (SETTI_IS_NULL(autosave)) {
        return SETT_STATUS_ARGUMENT;
    }
    return autosave_poll(autosave, __func__);
}

sett_status sett_autosave_wait(sett_autosave* autosave)
{
    if (SETTI_IS_NULL(autosave)) {
        return SETT_STATUS_ARGUMENT;
    }
    return autosave_finish(autosave, __func__);
}

SETTI_COLD sett_status sett_autosave_start(sett_autosave* autosave, uint64_t frame)
{
    if (SETTI_IS_NULL(autosave)) {
        return SETT_STATUS_ARGUMENT;
    }
    (void)autosave_poll(autosave, "sett_autosave_start"); /* reports an earlier save's failure */
    if (autosave->running) {
        return SETT_STATUS_LOCKED; /* not misuse: programs cannot know the speed of a disk */
    }
    sett_status status = setti_world_check_unlocked(autosave->world, "sett_autosave_start");
    if (status != SETT_OK) {
        return status;
    }
    status = autosave_copy(autosave);
    if (status != SETT_OK) {
        return status;
    }
    status = autosave_copy_blocks(autosave);
    if (status != SETT_OK) {
        return status;
    }
    autosave->desc.frame = frame;
    autosave->thread.body = autosave_body;
    autosave->thread.user = autosave;
    setti_signal_set(&autosave->done, 0);
    autosave->running = setti_thread_start(&autosave->thread);
    if (!autosave->running) { /* no thread could start */
        autosave_body(autosave);
    }
    return SETT_OK;
}

sett_status sett_autosave_destroy(sett_autosave* autosave)
{
    if (autosave == NULL) {
        return SETT_OK;
    }
    sett_status status = autosave_finish(autosave, "sett_autosave_destroy");
    (void)sett_world_message(autosave->world); /* formats the message before the copy is freed */
    autosave_free(autosave);
    return status;
}
