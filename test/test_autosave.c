/* test_autosave.c: an autosave that fails leaves everything as it was, and the next one works. */
#include "saved.h"
#include "scarce.h"
#include "sett/system.h"
#include "sett/threads.h" /* this test runs under the thread sanitizer too */

enum {
    SPARE = 900
};

static scarce_memory memory;

static void run_nothing(sett_context* context)
{
    (void)context;
}

static sett_world* saved_world(void)
{
    sett_world* world = scarce_world(&memory);
    register_types(world);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "nothing", .run = run_nothing}) !=
          NULL);
    uint64_t chance = 3;
    change(world, &chance, 300);
    return world;
}

/* A type ends, and one of its name takes its place. */
static void exchange_type(sett_world* world, uint32_t size)
{
    if (sett_component_find(world, "Spare") != 0) {
        CHECK_EQ(sett_component_unregister(world, SPARE), SETT_OK);
    }
    sett_component_desc desc = {.name = "Spare", .size = size, .id = SPARE};
    CHECK_EQ(sett_component_register(world, &desc), SPARE);
}

static void check_saved(sett_world* world, disk* from, uint64_t frame, const char* title)
{
    sett_world* into = typed_world();
    sett_file_desc desc = {.files = &from->files};
    sett_load_result result;
    char block[16] = "";
    sett_file_info info;
    CHECK_MSG(sett_world_load_with(into, "f", &desc, &result) == SETT_OK, "%s",
              sett_world_message(into));
    CHECK_EQ(sett_world_hash(into), sett_world_hash(world));
    CHECK_EQ(result.frame, frame);
    CHECK_EQ(sett_file_info_get("f", &desc, block, sizeof(block), &info), SETT_OK);
    CHECK_STR_EQ(block, title);
    CHECK_END(into);
}

/* An autosave gets n pieces of memory and no more, for each n until they are enough. */
static void memory_runs_out(void)
{
    disk* to = disk_create();
    sett_world* world = saved_world();
    char title[16] = "level 0";
    sett_file_desc desc = {.files = &to->files, .user_block = title, .user_size = sizeof(title)};
    sett_autosave* autosave = NULL;
    uint32_t failed = 0;
    for (uint32_t n = 0; autosave == NULL; n++) {
        scarce_squeeze(&world->pool, &memory, 0);
        memory.strict = true;
        memory.allowed = n;
        autosave = sett_autosave_create(world, "f", &desc);
        scarce_give_back(&world->pool, &memory);
        CHECK(autosave != NULL || sett_world_error(world) == SETT_STATUS_OUT_OF_MEMORY);
        failed += autosave == NULL;
    }
    CHECK(failed > 1);
    bool done = false;
    for (uint32_t n = 0; !done; n++) {
        uint64_t frame = 2 * (uint64_t)n + 1;
        exchange_type(world, 4 + n % 8);
        uint64_t hash = sett_world_hash(world);
        scarce_squeeze(&world->pool, &memory, 0);
        memory.strict = true;
        memory.allowed = n;
        sett_status status = sett_autosave_start(autosave, frame);
        bool begun = status == SETT_OK;
        status = begun ? sett_autosave_wait(autosave) : status;
        scarce_give_back(&world->pool, &memory);
        done = status == SETT_OK;
        CHECK_MSG(done || status == SETT_STATUS_OUT_OF_MEMORY, "%u: %s", (unsigned)n,
                  sett_world_message(world));
        const char* call = begun ? "sett_autosave_wait: " : "sett_autosave_start: ";
        const char* message = sett_world_message(world);
        CHECK_MSG(done || strncmp(message, call, strlen(call)) == 0, "%s", message);
        CHECK_MSG(done || strstr(message + strlen(call), call) == NULL, "%s", message);
        CHECK_EQ(sett_world_hash(world), hash);
        snprintf(title, sizeof(title), "level %u", (unsigned)n);
        CHECK_MSG(sett_autosave_start(autosave, frame + 1) == SETT_OK, "%s",
                  sett_world_message(world));
        CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
        check_saved(world, to, frame + 1, title);
        CHECK_VALID(world);
        failed += !done;
    }
    CHECK(failed > 4);
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_OK);
    scarce_end(&memory, world);
    CHECK_EQ(to->open + to->locks, 0);
    disk_destroy(to);
}

/* Any call of the files fails: the world goes on, and the next autosave is whole. */
static void any_call_of_files_fails(void)
{
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        disk* to = disk_create();
        sett_world* world = saved_world();
        sett_file_desc desc = {.files = &to->files};
        sett_autosave* autosave = sett_autosave_create(world, "f", &desc);
        CHECK_EQ(sett_autosave_start(autosave, 1), SETT_OK);
        CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
        to->fails_at = to->done + n;
        CHECK_EQ(sett_autosave_start(autosave, 2), SETT_OK);
        sett_status status = sett_autosave_wait(autosave);
        CHECK(status == SETT_OK || status == SETT_STATUS_FILE || status == SETT_STATUS_LOCKED);
        done = to->done < to->fails_at;
        to->fails_at = 0;
        CHECK_EQ(sett_autosave_start(autosave, 3), SETT_OK);
        CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
        check_saved(world, to, 3, "");
        CHECK_EQ(sett_autosave_destroy(autosave), SETT_OK);
        scarce_end(&memory, world);
        CHECK_EQ(to->open + to->locks, 0);
        disk_destroy(to);
    }
}

static void what_cannot_be_is_rejected(void)
{
    disk* to = disk_create();
    sett_world* world = saved_world();
    sett_file_desc desc = {.files = &to->files, .user_size = 8};
    CHECK(sett_autosave_create(world, "f", &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_autosave_create: `user_block` is NULL, but its count is not 0 - pass a list, or a "
        "count of 0");
    desc.user_block = to;
    desc.user_size = ((size_t)16 << 20) + 1;
    CHECK(sett_autosave_create(world, "f", &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    desc.user_size = 0;
    CHECK(sett_autosave_create(NULL, "f", &desc) == NULL);
    CHECK(sett_autosave_create(world, NULL, &desc) == NULL);
    CHECK_EQ(sett_autosave_start(NULL, 1), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_autosave_status(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_autosave_wait(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_autosave_destroy(NULL), SETT_OK);

    sett_autosave* autosave = sett_autosave_create(world, "f", &desc);
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.terms = {{.component = PLACE}}});
    uint32_t batches = 0;
    SETT_QUERY_EACH(query, b) {
        batches += b->count != 0;
        CHECK_EQ(sett_autosave_start(autosave, 1), SETT_STATUS_LOCKED); /* the world is in a loop */
    }
    CHECK(batches != 0);
    CHECK_EQ(to->done, 0);
    CHECK_EQ(sett_autosave_start(autosave, 2), SETT_OK);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
    check_saved(world, to, 2, "");
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_OK);
    scarce_end(&memory, world);
    disk_destroy(to);
}

TEST_MAIN(TEST(memory_runs_out), TEST(any_call_of_files_fails), TEST(what_cannot_be_is_rejected))
