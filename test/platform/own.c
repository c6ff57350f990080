/* own.c: a program that brings the functions of the system itself. tools/check_platform.sh compiles
 * sett.c with -DSETT_PLATFORM=own and links it with this. With NOTHING_OWN there are only memory
 * and a text, as on the smallest machine.
 */
#include "check.h"
#include "files.h"
#include "sett/platform.h"
#include "sett/sett.h"

#include <pthread.h>

typedef struct Position {
    double x;
} Position;

typedef struct Velocity {
    double x;
} Velocity;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Velocity)
SETT_COMPONENTS(GAME)

/* ------------------------------------------------------------------------------- the platform */

static size_t bytes_in_use;
static char shown[4096];
static size_t shown_size;

static void* own_alloc(void* user, size_t size, size_t align)
{
    (void)user;
    bytes_in_use += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void own_free(void* user, void* ptr, size_t size, size_t align)
{
    (void)user;
    (void)align;
    bytes_in_use -= size;
    free(ptr);
}

static uint32_t zeroes_asked;

static void* own_zero(void* user, size_t size, size_t align)
{
    (void)user;
    CHECK(align <= 16);
    zeroes_asked++;
    bytes_in_use += size;
    return calloc(1, size);
}

static void own_print(const char* text, size_t size)
{
    CHECK(shown_size + size < sizeof(shown));
    memcpy(shown + shown_size, text, size);
    shown_size += size;
    shown[shown_size] = 0;
}

#if defined(NOTHING_OWN)

const sett_platform own = {.allocator = {own_alloc, own_free, NULL, own_zero}, .print = own_print};

#else

static sett_files own_files; /* a disk in memory */
static uint64_t clock_now = 1000;
static uint64_t slept;

static uint64_t own_now(void)
{
    return clock_now;
}

static void own_sleep(uint64_t nanoseconds)
{
    slept += nanoseconds;
    clock_now += nanoseconds;
}

static uintptr_t own_thread(void)
{
    static _Thread_local char here;
    return (uintptr_t)&here;
}

static uint32_t own_cores(void)
{
    return 3;
}

typedef struct own_started {
    pthread_t thread;
    void (*body)(void* user);
    void* user;
} own_started;

static void* own_body(void* argument)
{
    own_started* started = argument;
    started->body(started->user);
    return NULL;
}

static void* own_thread_start(void (*body)(void* user), void* user)
{
    own_started* started = malloc(sizeof(*started));
    CHECK(started != NULL);
    started->body = body;
    started->user = user;
    CHECK_EQ(pthread_create(&started->thread, NULL, own_body, started), 0);
    return started;
}

static void own_thread_join(void* thread)
{
    own_started* started = thread;
    CHECK_EQ(pthread_join(started->thread, NULL), 0);
    free(started);
}

typedef struct own_gate {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
} own_gate;

static void* own_gate_create(void)
{
    own_gate* gate = malloc(sizeof(*gate));
    CHECK(gate != NULL);
    CHECK_EQ(pthread_mutex_init(&gate->mutex, NULL), 0);
    CHECK_EQ(pthread_cond_init(&gate->condition, NULL), 0);
    return gate;
}

static void own_gate_destroy(void* gate)
{
    own_gate* of = gate;
    pthread_cond_destroy(&of->condition);
    pthread_mutex_destroy(&of->mutex);
    free(of);
}

static void own_gate_lock(void* gate)
{
    pthread_mutex_lock(&((own_gate*)gate)->mutex);
}

static void own_gate_unlock(void* gate)
{
    pthread_mutex_unlock(&((own_gate*)gate)->mutex);
}

static void own_gate_wait(void* gate)
{
    own_gate* of = gate;
    pthread_cond_wait(&of->condition, &of->mutex);
}

static void own_gate_wake(void* gate)
{
    pthread_cond_broadcast(&((own_gate*)gate)->condition);
}

const sett_platform own = {
    .allocator = {own_alloc, own_free, NULL, own_zero},
    .now = own_now,
    .sleep = own_sleep,
    .print = own_print,
    .files = &own_files,
    .thread = own_thread,
    .cores = own_cores,
    .thread_start = own_thread_start,
    .thread_join = own_thread_join,
    .gate_create = own_gate_create,
    .gate_destroy = own_gate_destroy,
    .gate_lock = own_gate_lock,
    .gate_unlock = own_gate_unlock,
    .gate_wait = own_gate_wait,
    .gate_wake = own_gate_wake,
};

#endif

/* ------------------------------------------------------------------------------------ the game */

static void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x * 0.25;
    }
}

static sett_world* game_create(sett_threads* threads)
{
    sett_world* world = sett_world_create(NULL);
    CHECK(world != NULL);
    CHECK_EQ(SETT_REGISTER_ALL(world, GAME), SETT_OK);
    CHECK_EQ(
        sett_schedule_configure(world, &(sett_schedule_desc){.tasks = sett_threads_tasks(threads)}),
        SETT_OK);
    SETT_SYSTEM(world, move, .terms = {SETT_INOUT(Position), SETT_IN(Velocity)});
    for (int k = 0; k < 20000; k++) {
        SETT_CREATE(world, SETT_VALUE(Position, .x = k), SETT_VALUE(Velocity, .x = k % 7));
    }
    CHECK_EQ(sett_component_count(world, Velocity_id), 20000);
    return world;
}

static void a_game_runs(void)
{
    uint64_t one = 0;
    for (uint32_t workers = 1; workers <= 4; workers++) {
        sett_threads* threads = sett_threads_create(workers, NULL);
        sett_world* world = game_create(threads);
        for (int frame = 0; frame < 100; frame++) {
            CHECK_EQ(sett_progress(world, 0.25f), SETT_OK);
        }
        one = workers == 1 ? sett_world_hash(world) : one;
        CHECK_EQ(sett_world_hash(world), one);
        CHECK_EQ(sett_world_destroy(world), SETT_OK);
        CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
    }
    CHECK_EQ(bytes_in_use, 0);
}

static void errors_are_shown(void)
{
    CHECK(sett_world_create_sized(NULL, 0, 0, 0) == NULL);
    CHECK(strncmp(shown, "sett: error: ", 13) == 0);
    CHECK(shown[shown_size - 1] == '\n');
}

static void large_tables_are_its_zeroes(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.entity_limit = 4100000000u});
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){4000000000u, 1}), SETT_OK);
    CHECK(zeroes_asked != 0);
    CHECK_EQ(sett_world_destroy(world), SETT_OK);
    CHECK_EQ(bytes_in_use, 0);
}

#if defined(NOTHING_OWN)

static void what_is_missing_is_missing(void)
{
    sett_threads* threads = sett_threads_create(0, NULL);
    CHECK_EQ(sett_threads_count(threads), 1);
    sett_world* world = game_create(threads);
    CHECK_EQ(sett_world_save(world, "game.sett"), SETT_STATUS_FILE);
    CHECK_EQ(sett_world_load(world, "game.sett"), SETT_STATUS_FILE);
    sett_autosave* autosave = sett_autosave_create(world, "game.sett", NULL);
    CHECK(autosave != NULL);
    CHECK_EQ(sett_autosave_start(autosave, 1), SETT_OK);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_STATUS_FILE);
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_STATUS_FILE);
    uint64_t clock = 0;
    for (int frame = 0; frame < 3; frame++) {
        CHECK(sett_frame_wait(&clock, 4) == 0.25f);
    }
    sett_world_destroy(world);
    sett_threads_destroy(threads);
    CHECK_EQ(bytes_in_use, 0);
}

TEST_MAIN(TEST(a_game_runs), TEST(errors_are_shown), TEST(large_tables_are_its_zeroes),
          TEST(what_is_missing_is_missing))

#else

static void all_of_it_is_used(void)
{
    disk* memory = disk_create();
    own_files = memory->files;
    sett_threads* threads = sett_threads_create(0, NULL);
    CHECK_EQ(sett_threads_count(threads), 3);
    sett_world* world = game_create(threads);
    CHECK_EQ(sett_world_save(world, "game.sett"), SETT_OK);
    sett_world* loaded = game_create(NULL);
    CHECK_EQ(sett_progress(loaded, 0.25f), SETT_OK);
    CHECK(sett_world_hash(loaded) != sett_world_hash(world));
    CHECK_EQ(sett_world_load(loaded, "game.sett"), SETT_OK);
    CHECK_EQ(sett_world_hash(loaded), sett_world_hash(world));

    sett_autosave* autosave = sett_autosave_create(world, "auto.sett", NULL);
    CHECK_EQ(sett_autosave_start(autosave, 1), SETT_OK);
    CHECK_EQ(sett_progress(world, 0.25f), SETT_OK);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_OK);
    CHECK_EQ(sett_world_load(world, "auto.sett"), SETT_OK);
    CHECK_EQ(sett_world_hash(loaded), sett_world_hash(world));

    uint64_t clock = 0;
    CHECK(sett_frame_wait(&clock, 4) == 0.25f);
    clock_now += 100000000;
    CHECK(sett_frame_wait(&clock, 4) == 0.25f);
    CHECK_EQ(slept, 150000000);
    sett_world_destroy(loaded);
    sett_world_destroy(world);
    sett_threads_destroy(threads);
    disk_destroy(memory);
    CHECK_EQ(bytes_in_use, 0);
}

TEST_MAIN(TEST(a_game_runs), TEST(errors_are_shown), TEST(large_tables_are_its_zeroes),
          TEST(all_of_it_is_used))

#endif
