/* test_misuse.c: how misuse is reported: the 1st, 10th and 100th of a kind at each place; and which
 * thread may write to a world. */
#include "sett/file.h"
#include "sett/json.h"
#include "sett/name.h"
#include "sett/search.h"
#include "sett/state.h"
#include "sett/system.h"
#include "sett/threads.h"
#include "worlds.h"

#include "base/platform.h"

#if !defined(NDEBUG)

typedef struct ear {
    uint32_t lines;
    uint32_t asserts;
    char last[600];
} ear;

static void ear_log(void* user, sett_log_level level, const char* message)
{
    ear* heard = user;
    (void)level;
    heard->lines++;
    snprintf(heard->last, sizeof(heard->last), "%s", message);
}

static void ear_assert(void* user, sett_status status, const char* message)
{
    ear* heard = user;
    CHECK(status != SETT_OK && message[0] != '\0');
    heard->asserts++;
}

static sett_world* ear_world(ear* heard)
{
    memset(heard, 0, sizeof(*heard));
    return sett_world_create(
        &(sett_world_desc){.log_fn = ear_log, .assert_fn = ear_assert, .hook_user = heard});
}

static sett_component type_of(sett_world* world, const char* name)
{
    return sett_component_register(world, &(sett_component_desc){.name = name, .size = 4});
}

static void a_misuse_is_logged_once_and_counted(void)
{
    static ear heard;
    sett_world* world = ear_world(&heard);
    sett_component mass = type_of(world, "Mass");
    sett_component size = type_of(world, "Size");
    sett_component both[2] = {mass, size};
    sett_entity e[200];
    CHECK_EQ(sett_entity_create_many(world, 200, both, 2, NULL, e), SETT_OK);
    for (uint32_t k = 0; k < 200; k++) { /* one mistake, of many entities */
        CHECK(sett_add(world, e[k], mass) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_PRESENT);
        CHECK_EQ(heard.asserts, k + 1);
        CHECK_EQ(heard.lines, 1u + (k + 1 >= 10) + (k + 1 >= 100));
    }
    CHECK_MSG(strncmp(heard.last, "100 times: sett_add, entity ", 28) == 0, "%s", heard.last);
    CHECK(strstr(heard.last, "\"Mass\"") != NULL);
    CHECK(sett_add(world, e[0], size) == NULL); /* of another component */
    CHECK_EQ(heard.lines, 4);
    CHECK_EQ(sett_remove(world, e[0], size), SETT_OK);
    CHECK(sett_get_mut(world, e[0], size) == NULL); /* by another call */
    CHECK_EQ(heard.lines, 5);
    CHECK_EQ(sett_remove(world, sett_null(), size), SETT_STATUS_STALE); /* for another reason */
    CHECK_EQ(heard.lines, 6);
    void* caller;
    if (setti_platform_callers(&caller, 1) != 0) {
        CHECK(sett_add(world, e[1], size) == NULL); /* at another place */
        CHECK_EQ(heard.lines, 7);
    }
    sett_world* other = ear_world(&heard); /* each world counts for itself */
    CHECK_EQ(sett_remove(other, sett_null(), 1), SETT_STATUS_STALE);
    CHECK_EQ(heard.lines, 1);
    CHECK_END(other);
    CHECK_END(world);
}

static void many_kinds_are_all_logged(void)
{
    static ear heard;
    sett_world* world = ear_world(&heard);
    sett_entity e = sett_entity_create(world);
    for (uint32_t k = 0; k < 300; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", (unsigned)k);
        sett_component type = type_of(world, name);
        for (volatile uint32_t twice = 0; twice < 2; twice++) { /* not unrolled: one place */
            CHECK(sett_get_mut(world, e, type) == NULL);
            CHECK_EQ(heard.lines, k + 1);
        }
    }
    CHECK_END(world);
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* It failed so, which was logged, with this in it, and did not reach the assert hook. */
static void check_is_input(ear* heard, const sett_world* world, sett_status status,
                           const char* part)
{
    CHECK_MSG(sett_world_error(world) == status, "%s", sett_world_message(world));
    CHECK_MSG(strstr(sett_world_message(world), part) != NULL, "%s", sett_world_message(world));
    CHECK_MSG(heard->lines != 0 && strstr(heard->last, part) != NULL, "%s", heard->last);
    CHECK_MSG(heard->asserts == 0, "%s", heard->last);
    heard->lines = 0;
}

/* A delta that creates an entity with a value; the world is as before. */
static size_t input_delta(sett_world* world, sett_component mass, unsigned char* bytes, size_t size)
{
    sett_snapshot before;
    sett_snapshot after;
    CHECK_EQ(sett_snapshot_take(world, &before), SETT_OK);
    CHECK(sett_set(world, sett_entity_create(world), mass, &(uint32_t){77}) != NULL);
    CHECK_EQ(sett_snapshot_take(world, &after), SETT_OK);
    size_t length;
    CHECK_EQ(sett_delta_encode(world, before, after, bytes, size, &length), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    sett_snapshot_drop_all(world);
    return length;
}

static void bad_input_does_not_reach_the_assert_hook(void)
{
    static ear heard;
    unsigned char bytes[2048];
    sett_world* world = ear_world(&heard);
    sett_component mass = type_of(world, "Mass");
    sett_query_desc desc;
    CHECK(sett_search_create(world, "Mass, Helth.points < 10") == NULL); /* typed by a player */
    check_is_input(&heard, world, SETT_STATUS_UNREGISTERED, "Helth");
    CHECK(sett_search_create(world, "Mass, Mass.points < 10") == NULL); /* what it means is wrong */
    CHECK(heard.lines != 0 && heard.asserts == 0);
    CHECK(sett_query_parse(world, "Mass,,", &desc) != SETT_OK);
    CHECK(heard.asserts == 0);
    heard.lines = 0;
    CHECK_EQ(sett_world_load(world, "no_such_folder/first_start.sett"), SETT_STATUS_FILE);
    check_is_input(&heard, world, SETT_STATUS_FILE, "first_start");
    CHECK(sett_json_read(world, "{", 1, NULL, NULL) != SETT_OK); /* a mod */
    check_is_input(&heard, world, SETT_STATUS_INVALID, "line 1");
    CHECK_EQ(sett_delta_apply(world, "garbage", 7), SETT_STATUS_INVALID); /* from the network */
    check_is_input(&heard, world, SETT_STATUS_INVALID, "sett_delta_apply: ");
    size_t size = input_delta(world, mass, bytes, sizeof(bytes));
    for (size_t k = 0; k < size; k++) {
        bytes[k] ^= 0x40;
        CHECK(sett_delta_apply(world, bytes, size) != SETT_OK);
        CHECK_MSG(heard.asserts == 0, "byte %u: %s", (unsigned)k, heard.last);
        bytes[k] ^= 0x40;
    }
    CHECK_EQ(sett_delta_apply(world, bytes, size), SETT_OK);
    sett_entity e = sett_entity_create(world); /* a misuse still does */
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK(sett_get(world, e, mass) == NULL);
    CHECK_EQ(heard.asserts, 1);
    CHECK(sett_add(world, e, mass) == NULL);
    CHECK_EQ(heard.asserts, 2);
    CHECK_END(world);
}

/* ---- Owners ---------------------------------------------------------------------------------- */

typedef struct visit {
    sett_world* world;
    sett_entity entity;
    sett_component type;
    bool owns;
} visit;

static void visit_body(void* user)
{
    const visit* v = user;
    if (v->owns) {
        sett_world_own(v->world);
    }
    CHECK(sett_get(v->world, v->entity, v->type) != NULL); /* readers are welcome */
    CHECK(sett_set(v->world, v->entity, v->type, &(uint32_t){1}) != NULL);
}

/* Does it on another thread, while this one waits. */
static void visit_elsewhere(visit* v)
{
    setti_thread thread = {.body = visit_body, .user = v};
    CHECK(setti_thread_start(&thread));
    setti_thread_join(&thread);
}

static void one_thread_writes(void)
{
    static ear heard;
    visit v = {.world = ear_world(&heard)};
    v.type = type_of(v.world, "Mass");
    v.entity = sett_entity_create(v.world);
    CHECK(sett_add(v.world, v.entity, v.type) != NULL);
    visit_elsewhere(&v);
    CHECK_EQ(heard.lines, 1);
    CHECK_EQ(heard.asserts, 1);
    CHECK_MSG(strstr(heard.last, "sett_set: another thread writes to this world - ") != NULL, "%s",
              heard.last);
    CHECK(strstr(heard.last, "sett_world_own(world)") != NULL);
    CHECK(sett_set(v.world, v.entity, v.type, &(uint32_t){1}) != NULL); /* it is still ours */
    CHECK_EQ(heard.asserts, 1);
    v.owns = true;
    visit_elsewhere(&v);
    CHECK_EQ(heard.asserts, 1);
    CHECK_EQ(sett_remove(v.world, v.entity, v.type), SETT_OK); /* no more */
    CHECK_EQ(heard.asserts, 2);
    sett_world_own(v.world);
    CHECK(sett_add(v.world, v.entity, v.type) != NULL);
    CHECK_EQ(heard.asserts, 2);
    CHECK_END(v.world);
}

static void write_all(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            CHECK(sett_set(c->world, e, *(sett_component*)c->user, &(uint32_t){1}) != NULL);
        }
    }
}

static void systems_write_on_all_threads(void)
{
    static ear heard;
    sett_world* world = ear_world(&heard);
    sett_component mass = type_of(world, "Mass");
    CHECK_EQ(sett_entity_create_many(world, 20000, &mass, 1, NULL, NULL), SETT_OK);
    sett_threads* threads = sett_threads_create(4, NULL);
    sett_schedule_desc schedule = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    sett_system_desc desc = {.name = "write", .run = write_all, .user = &mass};
    desc.terms[0].component = mass;
    CHECK(sett_system_create(world, &desc) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_MSG(heard.lines == 0, "%s", heard.last);
    CHECK_END(world);
    CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
}

TEST_MAIN(TEST(a_misuse_is_logged_once_and_counted), TEST(many_kinds_are_all_logged),
          TEST(bad_input_does_not_reach_the_assert_hook), TEST(one_thread_writes),
          TEST(systems_write_on_all_threads))

#else

/* Release builds tell no hooks, and do not know who writes. */
static void count_lines(void* user, sett_log_level level, const char* message)
{
    (void)level, (void)message;
    ++*(uint32_t*)user;
}

static void release_builds_are_silent(void)
{
    uint32_t lines = 0;
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = count_lines, .hook_user = &lines});
    CHECK_EQ(sett_remove(world, sett_null(), 1), SETT_STATUS_STALE);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    sett_world_own(world);
    CHECK_EQ(lines, 0);
    CHECK_END(world);
}

TEST_MAIN(TEST(release_builds_are_silent))

#endif
