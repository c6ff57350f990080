/* test_rejected.c: what is rejected beside the usual mistakes: NULL for files, journals and orders,
 * handles of snapshots that went, types that cannot be sent, values that no list names. Each call
 * says why, and nothing has changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "states.h"

#include "sett/advise.h"
#include "sett/file.h"
#include "sett/json.h"
#include "sett/ordered.h"
#include "sett/search.h"
#include "sett/strings.h"
#include "sett/system.h"

typedef struct Item {
    uint32_t key;
    float weight;
} Item;

static sett_component Item_id, hooked, one;
static char said[600];

static void hear(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    snprintf(said, sizeof(said), "%s", message);
}

static void copy_bytes(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, count * 8);
}

static sett_world* begin(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    CHECK(world != NULL);
    Item_id = SETT_REGISTER(world, Item);
    CHECK_EQ(SETT_MEMBERS(world, Item, key, weight), SETT_OK);
    hooked = sett_component_register(
        world, &(sett_component_desc){
                   .name = "Hooked", .size = 8, .copy = copy_bytes, .save = SETT_SAVE_CLONE});
    one = sett_relationship_register(world, &(sett_relationship_desc){.name = "One"});
    for (uint32_t k = 0; k < 10; k++) {
        SETT_SET(world, sett_entity_create(world), Item, .key = k);
    }
    return world;
}

#define SAYS(world, part)                                                                          \
    CHECK_MSG(strstr(sett_world_message(world), (part)) != NULL, "%s", sett_world_message(world))

#define FAILS(world, call, status, part)                                                           \
    do {                                                                                           \
        CHECK_EQ(call, status);                                                                    \
        CHECK_EQ(sett_world_error(world), status);                                                 \
        SAYS(world, part);                                                                         \
    } while (0)

static bool any_record(void* user, uint32_t kind, uint64_t frame, const void* bytes, size_t size)
{
    (void)user;
    (void)kind;
    (void)frame;
    (void)bytes;
    (void)size;
    return false;
}

static bool any_text(void* user, const char* text, size_t size)
{
    (void)user;
    (void)text;
    (void)size;
    return true;
}

static void null_is_no_argument(void)
{
    const sett_status argument = SETT_STATUS_ARGUMENT;
    sett_world* world = begin();
    sett_merge_result merged;
    sett_query_desc query;
    sett_file_info info;
    uint32_t count;
    uint64_t key = 0;
    CHECK_EQ(sett_world_save(NULL, "file"), argument);
    CHECK_EQ(sett_world_load(NULL, "file"), argument);
    CHECK_EQ(sett_world_merge(NULL, "file", &(sett_merge_desc){0}, &merged), argument);
    CHECK_EQ(sett_file_info_get(NULL, NULL, NULL, 0, &info), argument);
    CHECK_EQ(sett_file_records(NULL, NULL, any_record, NULL), argument);
    CHECK_EQ(sett_file_records("no such file", NULL, NULL, NULL), argument);
    CHECK_EQ(sett_file_records("no such file", NULL, any_record, NULL), SETT_STATUS_FILE);
    CHECK_EQ(sett_file_migrate(NULL, Item_id, 0, NULL, NULL), argument);
    CHECK_EQ(sett_file_migrate(world, Item_id, 0, NULL, NULL), argument);
    CHECK_EQ(sett_journal_append(NULL, 0), argument);
    CHECK_EQ(sett_journal_write(NULL, SETT_RECORD_LOG, 0, NULL, 0), argument);
    CHECK_EQ(sett_journal_sync(NULL), argument);
    CHECK_EQ(sett_json_read(NULL, "", 0, NULL, NULL), argument);
    CHECK_EQ(sett_json_set(NULL, sett_null(), 0, "", 0), argument);
    CHECK_EQ(sett_json_write(NULL, &(sett_json_desc){0}, any_text, NULL), argument);
    FAILS(world, sett_json_write(world, &(sett_json_desc){0}, NULL, NULL), argument,
          "`fn` is NULL");
    CHECK_EQ(sett_query_parse(NULL, "Item", &query), argument);
    CHECK_EQ(sett_query_parse(world, NULL, &query), argument);
    CHECK_EQ(sett_query_parse(world, "Item", NULL), argument);
    CHECK(sett_search_create(NULL, "Item") == NULL);
    CHECK_EQ(sett_lookup_find(NULL, &key, NULL, 0), 0);
    sett_lookup* lookup = sett_lookup_create(world, Item_id, "key");
    CHECK(lookup != NULL && sett_lookup_create(world, Item_id, NULL) == NULL);
    CHECK_EQ(sett_lookup_find(lookup, NULL, NULL, 0), 0);
    CHECK_EQ(sett_lookup_range(NULL, NULL, NULL, 0, NULL, 0), 0);
    CHECK(sett_ordered_update(NULL, &count) == NULL);
    CHECK_EQ(sett_string_set(NULL, NULL, "x"), argument);
    CHECK_EQ(sett_string_set(world, NULL, "x"), argument);
    CHECK(sett_list_resize(world, NULL, 4, 1) == NULL);
    CHECK_EQ(sett_schedule_watch(NULL, NULL, NULL), argument);
    CHECK_EQ(sett_cmd_enable(NULL, sett_null(), Item_id, true), argument);
    CHECK(sett_singleton_get(NULL, Item_id) == NULL);
    CHECK(sett_singleton_get_mut(NULL, Item_id) == NULL);
    CHECK_EQ(sett_members_set(NULL, Item_id, NULL), argument);
    CHECK_EQ(sett_members_set(world, Item_id, NULL), argument);
    CHECK_EQ(sett_selection_copy(NULL, &(sett_selection){0}, 0, world), argument);
    CHECK_EQ(sett_delta_encode(NULL, (sett_snapshot){0, 0}, (sett_snapshot){0, 0}, NULL, 0, NULL),
             argument);
    CHECK_EQ(sett_selection_difference(NULL, world, &(sett_selection){0}, NULL, 0), 0);
    CHECK_END(world);
}

static void singletons_that_are_missing_are_named(void)
{
    sett_world* world = begin();
    CHECK(sett_singleton_get(world, Item_id) == NULL);
    CHECK(sett_singleton_get_mut(world, Item_id) == NULL);
#if !defined(NDEBUG)
    CHECK_MSG(strstr(said, "there is no singleton \"Item\"") != NULL, "%s", said);
#endif
    CHECK(SETT_SINGLETON_SET(world, Item, .key = 4) != NULL);
    CHECK_EQ(((Item*)sett_singleton_get_mut(world, Item_id))->key, 4);
    CHECK_END(world);
}

/* A line of the program's goes where those of the library go. */
static void lines_of_the_program_are_logged(void)
{
    char line[700];
    sett_world* world = begin();
    sett_world_log(world, SETT_LOG_WARNING, "100 % of it");
    CHECK_STR_EQ(said, "100 % of it");
    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\0';
    sett_world_log(world, SETT_LOG_INFO, line);
    CHECK_EQ(strlen(said), 511);
    sett_world_log(world, SETT_LOG_INFO, NULL);
    sett_world_log(NULL, SETT_LOG_INFO, "nobody hears it");
    CHECK_EQ(strlen(said), 511);
    CHECK_END(world);
}

/* What sett.hpp reports of C++ types. */
static void types_of_another_program_part_are_explained(void)
{
    sett_world* world = begin();
    for (int changes = 0; changes < 2; changes++) {
        said[0] = '\0';
        sett_component_refuse_(world, Item_id, 24, true, changes != 0);
        const char* text = changes != 0 ? sett_world_message(world) : said;
        CHECK_MSG(strstr(text, "two C++ types have the name \"Item\", of 8 bytes and of 24") !=
                      NULL,
                  "%s", text);
        sett_component_refuse_(world, Item_id, 12, false, changes != 0);
        text = changes != 0 ? sett_world_message(world) : said;
        CHECK_MSG(
            strstr(text,
                   "the C++ type \"Item\" (12 bytes) differs from the component of this name (8 "
                   "bytes)") != NULL,
            "%s", text);
    }
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK_END(world);
}

static void states_that_went_are_stale(void)
{
    sett_world* world = begin();
    sett_snapshot gone = take(world);
    sett_snapshot held = take(world);
    CHECK_EQ(sett_snapshot_drop(world, gone), SETT_OK);
    size_t size = 7;
    char bytes[100];
    FAILS(world, sett_delta_encode(world, gone, held, NULL, 0, &size), SETT_STATUS_STALE,
          "sett_delta_encode");
    CHECK_EQ(size, 0);
    FAILS(world, sett_delta_encode(world, held, gone, NULL, 0, &size), SETT_STATUS_STALE,
          "sett_delta_encode");
    sett_selection all = {0};
    FAILS(world, sett_selection_encode(world, &all, gone, NULL, 0, &size), SETT_STATUS_STALE,
          "sett_selection_encode");
    CHECK_EQ(size, 0);
    /* no room: the size is said, and no byte is written behind it */
    memset(bytes, 7, sizeof(bytes));
    FAILS(world, sett_selection_encode(world, &all, held, bytes, 10, &size), SETT_STATUS_LIMIT,
          "the buffer has 10");
    CHECK(size > 10);
    SETT_SET(world, sett_entity_at(world, 3), Item, .key = 77);
    sett_snapshot later = take(world);
    FAILS(world, sett_delta_encode(world, held, later, bytes, 10, &size), SETT_STATUS_LIMIT,
          "the buffer has 10");
    CHECK(size > 10);
    CHECK_EQ(bytes[99], 7);
    sett_component wrong = 900;
    all.types = &wrong;
    all.type_count = 1;
    FAILS(world, sett_selection_encode(world, &all, held, NULL, 0, &size), SETT_STATUS_UNREGISTERED,
          "900");
    FAILS(world, sett_delta_types(world, &wrong, 1, NULL, 0, &size), SETT_STATUS_UNREGISTERED,
          "900");
    char text[200];
    CHECK(sett_selection_difference(world, world, &all, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "900") != NULL, "%s", text);
    all.types = NULL;
    FAILS(world, sett_selection_copy(world, &(sett_selection){0}, 0, world), SETT_STATUS_ARGUMENT,
          "`from` and `into` are one world");
    CHECK_END(world);
}

/* Types with memory that nothing describes: parts and deltas with them are rejected, others are
 * not. */
static void types_that_cannot_be_sent_are_named(void)
{
    sett_world* world = begin();
    sett_world* into = begin();
    sett_entity e = sett_entity_at(world, 2);
    sett_snapshot before = take(world);
    size_t size;
    CHECK_EQ(sett_selection_encode(world, &(sett_selection){0}, before, NULL, 0, &size), SETT_OK);
    CHECK(sett_add(world, e, hooked) != NULL);
    sett_snapshot after = take(world);
    FAILS(world, sett_selection_encode(world, &(sett_selection){0}, before, NULL, 0, &size),
          SETT_STATUS_ARGUMENT, "\"Hooked\"");
    FAILS(world, sett_delta_encode(world, before, after, NULL, 0, &size), SETT_STATUS_ARGUMENT,
          "\"Hooked\"");
    CHECK_EQ(sett_selection_copy(world, &(sett_selection){0}, 0, into), SETT_STATUS_ARGUMENT);
    SAYS(into, "\"Hooked\"");
    sett_selection items = {.types = &Item_id, .type_count = 1};
    CHECK_EQ(sett_selection_encode(world, &items, before, NULL, 0, &size), SETT_OK);
    CHECK_EQ(sett_selection_copy(world, &items, 0, into), SETT_OK);
    CHECK_END(world);
    CHECK_END(into);
}

static uint64_t one_group(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    (void)user;
    return 0;
}

static int equal(const void* a, const void* b, void* user)
{
    (void)a;
    (void)b;
    (void)user;
    return 0;
}

static void wrong_orders_and_descriptors_are_explained(void)
{
    sett_world* world = begin();
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Item));
    const struct {
        sett_ordered_desc desc;
        const char* message;
    } orders[] = {
        {{.query = NULL}, "`text` and `query` are NULL"},
        {{.query = query, .text = "Item"}, "`text` contains the query"},
        {{.query = query, .component = Item_id, .key = SETT_KEY_U32, .compare = equal},
         "`key` and `compare` are both set"},
        {{.query = query, .group_by = one, .group_fn = one_group},
         "`group_by` and `group_fn` are both set"},
        {{.query = query, .component = Item_id}, "`component` is set without `key`"},
        {{.query = query, .component = Item_id, .key = SETT_KEY_U64, .key_offset = 4},
         "`key_offset` is too large for the values"},
        {{.query = query, .component = Item_id, .key = SETT_KEY_U32, .key_offset = 9},
         "`key_offset` is too large for the values"},
        {{.query = query, .component = Item_id, .key = SETT_KEY_F32},
         "`key` does not fit the type of the member"},
        {{.query = query, .group_by = Item_id},
         "`group_by` is not an exclusive relationship - set one, or use `group_fn`"},
        {{.query = query, .cascade = true, .along = Item_id},
         "`along` is not an exclusive relationship - set one"},
        {{.text = "Item group_by One", .group_fn = one_group},
         "`text` contains group_by, and `group_fn` is set - leave out one"},
    };
    for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++) {
        CHECK(sett_ordered_create(world, &orders[k].desc) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
        SAYS(world, orders[k].message);
    }
    const sett_relationship_desc relations[] = {
        {.name = "Large", .size = 65537},
        {.name = "Strange", .on_target_destroyed = (sett_cleanup)77},
        {.name = "Strange", .on_source_destroyed = (sett_cleanup)77},
        {.name = "Both", .acyclic = true, .many = true},
    };
    static const char* const wrong[] = {"64 KB", "`on_target_destroyed` has an unknown",
                                        "`on_source_destroyed` has an unknown", "leave out `many`"};
    for (uint32_t k = 0; k < 4; k++) {
        CHECK_EQ(sett_relationship_register(world, &relations[k]), 0);
        SAYS(world, wrong[k]);
    }
    sett_merge_result merged;
    const sett_merge_desc merges[] = {{.match = (sett_merge_match)9},
                                      {.existing = (sett_merge_existing)9},
                                      {.names = (sett_merge_names)9}};
    for (uint32_t k = 0; k < 3; k++) {
        FAILS(world, sett_world_merge(world, "no such file", &merges[k], &merged),
              SETT_STATUS_ARGUMENT, "has an unknown value");
    }
    sett_json_result read;
    sett_entity gone = sett_entity_create(world);
    CHECK_EQ(sett_entity_destroy(world, gone), SETT_OK);
    FAILS(world, sett_json_read(world, "{}", 2, &(sett_json_read_desc){.parent = gone}, &read),
          SETT_STATUS_STALE, "sett_json_read");
    sett_world* other = begin();
    sett_system* first = sett_system_create(world, &(sett_system_desc){.name = "first"});
    sett_system* then = sett_system_create(other, &(sett_system_desc){.name = "then"});
    if (first != NULL && then != NULL) {
        FAILS(world, sett_system_order(first, then), SETT_STATUS_ARGUMENT,
              "belong to different worlds - pass two systems of one world");
    }
    CHECK_END(other);
    CHECK_END(world);
}

/* While a loop is open, what would change structure is locked. */
static void open_loops_lock(void)
{
    sett_world* world = begin();
    sett_merge_result merged;
    sett_search* search = sett_search_create(world, "Item");
    SETT_SEARCH(search, rows, i)
    {
        CHECK_EQ(sett_search_destroy(search), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_world_merge(world, "file", &(sett_merge_desc){0}, &merged),
                 SETT_STATUS_LOCKED);
        CHECK_EQ(sett_json_read(world, "{}", 2, NULL, NULL), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_world_load(world, "file"), SETT_STATUS_LOCKED);
        CHECK(sett_rows_entity(rows, 0, i).index < 10);
        break;
    }
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    CHECK_END(world);
}

TEST_MAIN(TEST(null_is_no_argument), TEST(singletons_that_are_missing_are_named),
          TEST(lines_of_the_program_are_logged), TEST(types_of_another_program_part_are_explained),
          TEST(states_that_went_are_stale), TEST(types_that_cannot_be_sent_are_named),
          TEST(wrong_orders_and_descriptors_are_explained), TEST(open_loops_lock))
