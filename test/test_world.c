/* test_world.c: making worlds, their hooks, their messages, their statistics. */
#include "sett/sett.h"
#include "worlds.h"

static void* half_alloc(void* user, size_t size, size_t align)
{
    (void)user, (void)align;
    return malloc(size);
}

static void header_and_library_must_match(void)
{
    CHECK_EQ(sett_version(), SETT_VERSION);
    CHECK(sett_world_create_sized(NULL, 0, SETT_VERSION + 100, SETT_LAYOUT) == NULL);
    CHECK(sett_world_create_sized(NULL, 0, SETT_VERSION - 100, SETT_LAYOUT) == NULL);
    sett_world* patched = sett_world_create_sized(NULL, 0, SETT_VERSION + 1, SETT_LAYOUT);
    CHECK(patched != NULL); /* a patch release changes nothing that programs see */
    sett_world_destroy(patched);
    sett_world_desc half = {.log_fn = sett_log_silent, .allocator = {.alloc_fn = half_alloc}};
    CHECK(sett_world_create(&half) == NULL);
    sett_world_desc zero = {.log_fn = sett_log_silent, .allocator = {.zero_fn = half_alloc}};
    CHECK(sett_world_create(&zero) == NULL);
    for (uint32_t bit = 0; bit < 63; bit += 7) { /* the last says that the program is checked */
        uint64_t layout = SETT_LAYOUT ^ (uint64_t)1 << bit;
        CHECK(sett_world_create_sized(NULL, 0, SETT_VERSION, layout) == NULL);
    }
    sett_world* world = sett_world_create_sized(NULL, 0, SETT_VERSION, SETT_LAYOUT);
    CHECK(world != NULL);
    sett_world_destroy(world);
}

static void every_status_has_a_name_and_a_text(void)
{
    CHECK_STR_EQ(sett_status_name(SETT_OK), "SETT_STATUS_OK");
    CHECK_STR_EQ(sett_status_name(SETT_STATUS_INVALID), "SETT_STATUS_INVALID");
    CHECK_STR_EQ(sett_status_name(SETT_STATUS_COUNT), "SETT_STATUS_?");
    CHECK_STR_EQ(sett_status_name((sett_status)-1), "SETT_STATUS_?");
    for (int status = 0; status < SETT_STATUS_COUNT; status++) {
        CHECK(strncmp(sett_status_name((sett_status)status), "SETT_STATUS_", 12) == 0);
        CHECK(strlen(sett_status_text((sett_status)status)) > 5);
        CHECK(strcmp(sett_status_text((sett_status)status),
                     sett_status_text((sett_status)SETT_STATUS_COUNT)) != 0);
    }
}

static void an_empty_world_holds_next_to_nothing(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK_EQ(stats.allocations, 1);
    CHECK_EQ(stats.pages, 0);
    CHECK_EQ(stats.entities, 0);
    CHECK_EQ(stats.signatures, 1);
    CHECK(stats.block_size < 16384); /* the world itself */
    CHECK_EQ(sett_world_error(world), SETT_OK);
    CHECK_STR_EQ(sett_world_message(world), "");
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    sett_world_destroy(world);
    sett_world_destroy(NULL);
}

static uint64_t allocations_of(const sett_world* world)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.allocations;
}

static void reserved_memory_is_used_before_the_allocator_is_asked(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    sett_component value =
        sett_component_register(world, &(sett_component_desc){.name = "v", .size = 8});
    CHECK_EQ(sett_world_reserve(world, (size_t)1 << 20), SETT_OK);
    uint64_t before = allocations_of(world);
    CHECK_EQ(sett_world_reserve(world, (size_t)1 << 19), SETT_OK); /* there already */
    for (uint32_t k = 0; k < 20000; k++) {
        CHECK(sett_add(world, sett_entity_create(world), value) != NULL);
    }
    CHECK_EQ(allocations_of(world), before);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    CHECK_EQ(sett_world_reserve(world, SIZE_MAX), SETT_STATUS_OUT_OF_MEMORY);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_OUT_OF_MEMORY);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);

    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_world_reserve(world, (size_t)8 << 20), SETT_OK);
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK(stats.block_size >= (size_t)8 << 20);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    sett_world_stats(world, &stats);
    CHECK(stats.block_size < (size_t)2 << 20);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

static void two_worlds_share_nothing(void)
{
    sett_world* a = quiet_world();
    sett_world* b = quiet_world();
    sett_component in_a =
        sett_component_register(a, &(sett_component_desc){.name = "v", .size = 8});
    sett_component other =
        sett_component_register(b, &(sett_component_desc){.name = "other", .size = 8});
    sett_component in_b =
        sett_component_register(b, &(sett_component_desc){.name = "v", .size = 4});
    CHECK_EQ(in_a, other); /* numbers belong to a world */
    CHECK(in_a != in_b);
    sett_entity e = sett_entity_create(a);
    sett_entity f = sett_entity_create(b);
    CHECK(sett_equals(e, f));
    uint64_t nine = 9;
    CHECK(sett_set(a, e, in_a, &nine) != NULL);
    CHECK(!sett_has(b, f, in_a) && !sett_has(b, f, in_b));
    CHECK(sett_add(b, f, in_a + 100) == NULL);
    CHECK_EQ(sett_world_error(b), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_world_error(a), SETT_OK);
    sett_world_advance_tick(a);
    CHECK_EQ(sett_world_tick(a), sett_world_tick(b) + 1);
    sett_world_destroy(a);
    CHECK(sett_entity_valid(b, f));
    CHECK_EQ(sett_world_validate(b, NULL), SETT_OK);
    sett_world_destroy(b);
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

typedef struct ear {
    uint32_t logged;
    uint32_t asserted;
    sett_status status;
    char last[600];
} ear;

static void ear_log(void* user, sett_log_level level, const char* message)
{
    ear* heard = user;
    CHECK_EQ(level, SETT_LOG_ERROR);
    heard->logged++;
    snprintf(heard->last, sizeof(heard->last), "%s", message);
}

static void ear_assert(void* user, sett_status status, const char* message)
{
    ear* heard = user;
    heard->asserted++;
    heard->status = status;
    CHECK_STR_EQ(message, heard->last);
}

/* The library may have been compiled with or without NDEBUG: then it tells of every misuse, or
 * of none. */
static void misuse_is_reported_in_debug_builds(void)
{
    ear heard = {0, 0, SETT_OK, ""};
    sett_world_desc desc = {.log_fn = ear_log, .assert_fn = ear_assert, .hook_user = &heard};
    sett_world* world = sett_world_create(&desc);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, 5) == NULL);
    bool debug = heard.asserted != 0;
    CHECK_EQ(heard.logged, debug);
    CHECK_EQ(heard.status, debug ? SETT_STATUS_UNREGISTERED : SETT_OK);
    CHECK(sett_get(world, e, 5) == NULL);
    CHECK_EQ(heard.asserted, debug ? 2 : 0);
    CHECK(sett_find(world, e, 5) == NULL);                                /* an ordinary question */
    CHECK_EQ(sett_entity_destroy(world, sett_null()), SETT_STATUS_STALE); /* an ordinary answer */
    CHECK_EQ(heard.asserted, debug ? 2 : 0);
    CHECK(!debug || strstr(heard.last, "component 5") != NULL);
    sett_world_destroy(world);
}

static void messages_name_what_they_are_about(void)
{
    sett_world* world = quiet_world();
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = "velocity", .size = 8});
    sett_entity e = sett_entity_create(world);
    sett_add(world, e, id);
    CHECK(sett_add(world, e, id) == NULL);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_add, entity 0:1, component 1 \"velocity\": it exists already (sett_set "
                 "overwrites a component, sett_ensure accepts it)");
    CHECK_EQ(sett_remove(world, sett_entity_from_u64((uint64_t)7 << 32 | 3), id),
             SETT_STATUS_STALE);
    CHECK(strstr(sett_world_message(world), "sett_remove, entity 3:7") != NULL);
    CHECK_EQ(sett_remove(world, e, id), SETT_OK);
    CHECK_EQ(sett_remove(world, e, id), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE); /* no misuse: not reported */
    CHECK(sett_add(world, e, 44) == NULL);
    CHECK(strstr(sett_world_message(world), "component 44") != NULL);
    CHECK(!sett_is_null(sett_entity_create(world))); /* a success leaves it */
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_get(world, e, 44) == NULL); /* and so does reading */
    CHECK(strstr(sett_world_message(world), "sett_add") != NULL);
    sett_world_destroy(world);
}

/* What the message says of a stale handle. */
static void a_stale_handle_is_explained(void)
{
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 3});
    sett_component id = sett_component_register(world, &(sett_component_desc){.name = "tag"});
    sett_entity e = sett_entity_create(world);
    sett_entity_destroy(world, e);
    CHECK(sett_add(world, e, id) == NULL);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_add, entity 0:1, component 1 \"tag\": the handle "
                 "is stale: the entity was destroyed - test handles with "
                 "sett_entity_valid");
    sett_entity next = sett_entity_create(world);
    CHECK_EQ(next.index, e.index);
    CHECK(sett_add(world, e, id) == NULL);
    CHECK(strstr(sett_world_message(world), "another lives at its index now") != NULL);
    CHECK(sett_add(world, sett_null(), id) == NULL);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_add, component 1 \"tag\": the handle is null - pass the handle of an entity");
    sett_entity reserved = sett_cmd_create(sett_commands_here(world));
    CHECK(sett_add(world, reserved, id) == NULL);
    CHECK(strstr(sett_world_message(world), "the handle is only reserved (sett_cmd_create)") !=
          NULL);
    sett_commands_clear(sett_commands_here(world));
    CHECK(sett_add(world, reserved, id) == NULL);
    CHECK(strstr(sett_world_message(world), "reserved") == NULL);
    sett_entity foreign = {next.index, 77};
    CHECK(sett_add(world, foreign, id) == NULL);
    CHECK(strstr(sett_world_message(world), "this world has not created the handle, at least "
                                            "since its last restore - pass a handle that this "
                                            "world returned") != NULL);
    foreign.index = 123456789;
    CHECK(sett_add(world, foreign, id) == NULL);
    CHECK(strstr(sett_world_message(world), "this world has not created the handle, at least "
                                            "since its last restore - pass a handle that this "
                                            "world returned") != NULL);
    sett_entity_create(world);
    sett_entity_create(world);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK(strstr(sett_world_message(world),
                 "3 entities are alive or reserved, and new ones get indices from 0 to 2 - raise "
                 "entity_limit") != NULL);
    sett_world_destroy(world);
}

/* ---- Whole worlds ---------------------------------------------------------------------------- */

static void clearing_makes_every_handle_stale(void)
{
    static sett_entity e[5000];
    sett_world* world = quiet_world();
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = "v", .size = 8});
    sett_query* query = sett_query_create(world, &(sett_query_desc){.terms = {{.component = id}}});
    CHECK_EQ(sett_entity_create_many(world, 5000, &id, 1, NULL, e), SETT_OK);
    CHECK_EQ(sett_query_count(query), 5000);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_component_count(world, id), 0);
    CHECK_EQ(sett_query_count(query), 0);
    for (uint32_t k = 0; k < 5000; k++) {
        CHECK(!sett_entity_valid(world, e[k]));
    }
    CHECK_STR_EQ(sett_component_name(world, id), "v"); /* types and queries stay */
    CHECK(sett_add(world, sett_entity_create(world), id) != NULL);
    CHECK_EQ(sett_query_count(query), 1);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

static void trimming_gives_memory_back(void)
{
    enum {
        COUNT = 100000
    };
    static sett_entity e[COUNT];
    static const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET};
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = quiet_world();
        sett_component id = sett_component_register(
            world, &(sett_component_desc){.name = "v", .size = 128, .storage = kinds[k]});
        sett_stats full;
        sett_stats empty;
        CHECK_EQ(sett_entity_create_many(world, COUNT, &id, 1, NULL, e), SETT_OK);
        sett_world_stats(world, &full);
        CHECK(full.block_size > (size_t)COUNT * 128);
        CHECK_EQ(full.values, COUNT);
        CHECK(full.page_size > (size_t)COUNT * 128 && full.page_size <= full.block_size);
        CHECK_EQ(sett_component_clear(world, id), SETT_OK);
        CHECK_EQ(sett_world_trim(world), SETT_OK);
        sett_world_stats(world, &empty);
        CHECK_EQ(empty.values, 0);
        CHECK(empty.block_size < full.block_size / 2); /* huge blocks are coarse */
        CHECK(empty.pages < full.pages / 3);
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        sett_world_destroy(world);
    }
}

/* However entities are destroyed, pages without values are freed. */
static void destroying_gives_pages_back(void)
{
    enum {
        COUNT = 20000
    };
    static sett_entity e[COUNT];
    for (uint32_t way = 0; way < 4; way++) {
        sett_world* world = quiet_world();
        sett_component ids[2];
        ids[0] = sett_component_register(
            world, &(sett_component_desc){.name = "large", .size = 128, .align = 8});
        ids[1] = sett_component_register(world, &(sett_component_desc){.name = "tag"});
        sett_stats none;
        sett_stats full;
        sett_stats empty;
        CHECK_EQ(sett_entity_create_many(world, COUNT, NULL, 0, NULL, e), SETT_OK);
        sett_world_stats(world, &none);
        for (uint32_t k = 0; k < COUNT; k++) {
            CHECK(sett_add(world, e[k], ids[0]) != NULL);
            CHECK(sett_add(world, e[k], ids[1]) != NULL);
        }
        sett_world_stats(world, &full);
        CHECK(full.page_size > none.page_size + (size_t)COUNT * 128);
        if (way == 0) {
            for (uint32_t k = 0; k < COUNT; k++) {
                CHECK_EQ(sett_entity_destroy(world, e[k]), SETT_OK);
            }
        } else if (way == 1) {
            CHECK_EQ(sett_entity_destroy_many(world, e, COUNT), SETT_OK);
        } else if (way == 2) {
            CHECK_EQ(sett_entity_destroy_with(world, ids[1]), SETT_OK);
        } else {
            CHECK_EQ(sett_world_clear(world), SETT_OK);
        }
        CHECK_EQ(sett_world_trim(world), SETT_OK);
        sett_world_stats(world, &empty);
        CHECK(empty.page_size <= none.page_size);
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        sett_world_destroy(world);
    }
}

static void huge_pages_are_an_option(void)
{
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .huge_pages = true});
    CHECK(!sett_is_null(sett_entity_create(world)));
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK(stats.block_size >= (size_t)2 << 20);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

static void writing_is_noticed_by_tick(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "v", .size = 8, .track_rows = true};
    sett_component id = sett_component_register(world, &desc);
    sett_entity a = sett_entity_create(world);
    sett_entity b = sett_entity_create(world);
    uint64_t start = sett_world_tick(world);
    sett_add(world, a, id);
    sett_add(world, b, id);
    uint64_t second = sett_world_advance_tick(world);
    CHECK_EQ(second, start + 1);
    CHECK(sett_get(world, a, id) != NULL);
    CHECK_EQ(sett_changed_tick(world, a, id), start);
    CHECK(sett_get_mut(world, a, id) != NULL);
    CHECK_EQ(sett_changed_tick(world, a, id), second);
    CHECK_EQ(sett_changed_tick(world, b, id), start);
    uint64_t third = sett_world_advance_tick(world);
    uint64_t value = 1;
    sett_set(world, b, id, &value);
    CHECK_EQ(sett_changed_tick(world, b, id), third);
    CHECK(sett_ensure(world, a, id) != NULL);
    CHECK_EQ(sett_changed_tick(world, a, id), third);
    sett_remove(world, a, id);
    CHECK_EQ(sett_changed_tick(world, a, id), 0);
    CHECK_EQ(sett_changed_tick(world, a, 99), 0);
    CHECK_EQ(sett_changed_tick(world, sett_null(), id), 0);
    sett_world_destroy(world);
}

/* Whether the library was compiled without NDEBUG. */
static bool debug_reports(void)
{
    ear heard = {0, 0, SETT_OK, ""};
    sett_world_desc desc = {.log_fn = ear_log, .hook_user = &heard};
    sett_world* world = sett_world_create(&desc);
    (void)sett_add(world, sett_entity_create(world), 5);
    sett_world_destroy(world);
    return heard.logged != 0;
}

static void count_log(void* user, sett_log_level level, const char* message)
{
    CHECK_EQ(level, SETT_LOG_WARNING);
    CHECK(strstr(message, "1 recorded commands were never applied") != NULL);
    ++*(uint32_t*)user;
}

static void record_end(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    CHECK(!sett_is_null(sett_cmd_create(sett_commands_here(world))) || !sett_is_null(entity));
}

/* What callbacks record while the world ends is no program's mistake. */
static void forgotten_commands_are_reported(void)
{
    bool debug = debug_reports();
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t logged = 0;
        sett_world* world =
            sett_world_create(&(sett_world_desc){.log_fn = count_log, .hook_user = &logged});
        sett_component_desc desc = {.name = "Ends", .on_remove = record_end};
        sett_component ends = sett_component_register(world, &desc);
        CHECK(sett_add(world, sett_entity_create(world), ends) != NULL);
        if (round == 1) {
            CHECK(!sett_is_null(sett_cmd_create(sett_commands_here(world))));
        }
        CHECK_EQ(sett_world_destroy(world), SETT_OK);
        CHECK_EQ(logged, debug && round == 1);
    }
}

TEST_MAIN(TEST(forgotten_commands_are_reported), TEST(header_and_library_must_match),
          TEST(every_status_has_a_name_and_a_text), TEST(an_empty_world_holds_next_to_nothing),
          TEST(reserved_memory_is_used_before_the_allocator_is_asked),
          TEST(two_worlds_share_nothing), TEST(misuse_is_reported_in_debug_builds),
          TEST(messages_name_what_they_are_about), TEST(a_stale_handle_is_explained),
          TEST(clearing_makes_every_handle_stale), TEST(trimming_gives_memory_back),
          TEST(destroying_gives_pages_back), TEST(huge_pages_are_an_option),
          TEST(writing_is_noticed_by_tick))
