/* test_descriptor.c: programs that were compiled with an older header: their descriptors, and their
 * terms, are shorter, and mean what they meant. */
#include "worlds.h"

#include "sett/system.h"

#include <stddef.h>

/* A term before `changed` was added. */
typedef struct old_term {
    sett_component component;
    sett_access access;
    sett_term_kind kind;
} old_term;

_Static_assert(sizeof(old_term) < sizeof(sett_term), "an older term is shorter");

/* A descriptor with its terms as an older header has them, its fields from `end` on missing.
 * Returns its size. */
static size_t age(const void* desc, size_t terms, size_t end, unsigned char* out)
{
    const unsigned char* from = desc;
    memcpy(out, from, terms);
    for (size_t k = 0; k < SETT_QUERY_TERMS; k++) {
        memcpy(out + terms + k * sizeof(old_term), from + terms + k * sizeof(sett_term),
               sizeof(old_term));
    }
    size_t tail = terms + SETT_QUERY_TERMS * sizeof(sett_term);
    size_t old_tail = terms + SETT_QUERY_TERMS * sizeof(old_term);
    memcpy(out + old_tail, from + tail, end - tail);
    memset(out + old_tail + end - tail, 0xCD, 64); /* never read */
    return old_tail + end - tail;
}

#define AGE(type, desc, last, out)                                                                 \
    age((desc), offsetof(type, terms), offsetof(type, last) + sizeof((desc)->last), (out))

static uint32_t ran;

static void count_run(sett_context* context)
{
    (void)context;
    ran++;
}

static void count_exit(sett_world* world, sett_entity entity, void* user)
{
    (void)world, (void)entity;
    ++*(uint32_t*)user;
}

static void shorter_terms_mean_what_they_meant(void)
{
    union {
        void* align;
        unsigned char bytes[sizeof(sett_system_desc) + 64];
    } old;
    sett_world* world = quiet_world();
    sett_component a =
        sett_component_register(world, &(sett_component_desc){.name = "a", .size = 4});
    sett_component b =
        sett_component_register(world, &(sett_component_desc){.name = "b", .size = 4});
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, a) != NULL);

    const sett_query_desc query_desc = {
        .name = "old",
        .terms = {{.component = a, .access = SETT_IN, .kind = SETT_WITH},
                  {.component = b, .access = SETT_IN, .kind = SETT_WITHOUT}}};
    size_t size = AGE(sett_query_desc, &query_desc, terms, old.bytes);
    sett_query* query = sett_query_create_sized(world, (const void*)&old, size, sizeof(old_term));
    CHECK(query != NULL);
    CHECK_EQ(sett_query_count(query), 1);

    uint32_t exits = 0;
    const sett_observer_desc observer_desc = {
        .terms = {{.component = a}, {.component = b, .kind = SETT_WITHOUT}},
        .on_exit = count_exit,
        .user = &exits};
    size = AGE(sett_observer_desc, &observer_desc, user, old.bytes);
    CHECK(sett_observer_create_sized(world, (const void*)&old, size, sizeof(old_term)) != NULL);

    const sett_system_desc system_desc = {.name = "run",
                                          .run = count_run,
                                          .terms = {{.component = a}},
                                          .before = {"later"},
                                          .single_job = true};
    size = AGE(sett_system_desc, &system_desc, single_job, old.bytes);
    CHECK(sett_system_create_sized(world, (const void*)&old, size, sizeof(old_term)) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(ran, 1);
    CHECK(sett_add(world, e, b) != NULL);
    CHECK_EQ(exits, 1);
    CHECK_EQ(sett_query_count(query), 0);
    CHECK_END(world);
}

static void missing_fields_are_zero(void)
{
    sett_world_desc worlds = {.log_fn = sett_log_silent, .entity_limit = 3, .huge_pages = true};
    sett_world* world = sett_world_create_sized(&worlds, offsetof(sett_world_desc, entity_limit),
                                                SETT_VERSION, SETT_LAYOUT);
    CHECK(world != NULL);
    CHECK_EQ(sett_entity_create_many(world, 10, NULL, 0, NULL, NULL), SETT_OK);

    sett_component_desc type = {.name = "type", .size = 4, .keep_order = true, .track_rows = true};
    sett_component id =
        sett_component_register_sized(world, &type, offsetof(sett_component_desc, keep_order));
    CHECK(id != 0);
    struct {
        sett_component_desc desc;
        uint64_t later; /* of a header that is newer than the library */
    } described = {.later = 7};
    CHECK_EQ(sett_component_describe_sized(world, id, &described.desc, sizeof(described)), SETT_OK);
    CHECK(!described.desc.keep_order && !described.desc.track_rows && described.later == 0);
    described.desc.storage = SETT_STORAGE_DEFAULT;
    CHECK_EQ(sett_component_describe_sized(world, id, &described.desc,
                                           offsetof(sett_component_desc, storage)),
             SETT_OK);
    CHECK_EQ(described.desc.storage, SETT_STORAGE_DEFAULT); /* not written */

    const sett_relationship_desc likes = {
        .name = "Likes", .many = true, .on_target_destroyed = SETT_CLEANUP_REJECT};
    CHECK(sett_relationship_register_sized(
              world, &likes, offsetof(sett_relationship_desc, on_target_destroyed)) != 0);
    CHECK_EQ(sett_relationship_register(world, &likes), 0); /* this one rejects */

    const sett_hierarchy_desc tree = {SETT_CHILDREN_REJECT};
    CHECK_EQ(sett_hierarchy_register_sized(world, &tree, 0), SETT_ID_HIERARCHY);
    sett_entity parent = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, sett_entity_create(world), parent), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, parent), SETT_OK);

    sett_stats stats = {.allocations = 99};
    sett_world_stats_sized(world, &stats, offsetof(sett_stats, allocations));
    CHECK(stats.entities == 10 && stats.allocations == 99);
    sett_snapshot_options options = {.memory_limit = 1};
    CHECK_EQ(sett_snapshot_set_options_sized(world, &options, sizeof(size_t)), SETT_OK);
    CHECK_END(world);
}

#define TOO_LONG(call)                                                                             \
    do {                                                                                           \
        CHECK(call);                                                                               \
        CHECK_EQ(sett_world_error(world), SETT_STATUS_MISMATCH);                                   \
        CHECK(strstr(sett_world_message(world),                                                    \
                     ": the descriptor is longer than this library's, because ") != NULL);         \
    } while (0)

static void longer_descriptors_are_rejected(void)
{
    const size_t term = sizeof(sett_term);
    sett_world* world = quiet_world();
    sett_world_desc desc = {.log_fn = sett_log_silent};
    CHECK(sett_world_create_sized(&desc, sizeof(desc) + 8, SETT_VERSION, SETT_LAYOUT) == NULL);
    sett_component_desc type = {.name = "type"};
    TOO_LONG(sett_component_register_sized(world, &type, sizeof(type) + 8) == 0);
    sett_query_desc query = {.name = "query"};
    TOO_LONG(sett_query_create_sized(world, &query, sizeof(query) + 8, term) == NULL);
    TOO_LONG(sett_query_create_sized(world, &query, sizeof(query), term + 4) == NULL);
    CHECK(sett_query_create_sized(world, &query, 8, term) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "`size` is 8 bytes, and the descriptor's terms end") !=
          NULL);
    sett_observer_desc observer = {.name = "observer"};
    TOO_LONG(sett_observer_create_sized(world, &observer, sizeof(observer) + 8, term) == NULL);
    sett_system_desc system = {.name = "system"};
    TOO_LONG(sett_system_create_sized(world, &system, sizeof(system) + 8, term) == NULL);
    sett_group_desc group = {.name = "group"};
    TOO_LONG(sett_group_create_sized(world, &group, sizeof(group) + 8) == NULL);
    sett_sort_desc sort = {.component = 1};
    TOO_LONG(sett_sort_sized(world, &sort, sizeof(sort) + 8) == SETT_STATUS_MISMATCH);
    sett_schedule_desc schedule = {.job_limit = 1};
    TOO_LONG(sett_schedule_configure_sized(world, &schedule, sizeof(schedule) + 8) ==
             SETT_STATUS_MISMATCH);
    sett_relationship_desc likes = {.name = "Likes"};
    TOO_LONG(sett_relationship_register_sized(world, &likes, sizeof(likes) + 8) == 0);
    sett_hierarchy_desc tree = {SETT_CHILDREN_DETACH};
    TOO_LONG(sett_hierarchy_register_sized(world, &tree, sizeof(tree) + 8) == 0);
    sett_instantiate_desc one = {.name = "one"};
    TOO_LONG(sett_is_null(sett_instantiate_with_sized(world, &one, sizeof(one) + 8)));
    sett_duplicate_desc copy = {.alone = true};
    TOO_LONG(sett_is_null(sett_duplicate_sized(world, sett_null(), &copy, sizeof(copy) + 8)));
    sett_snapshot_options options = {.memory_limit = 1};
    TOO_LONG(sett_snapshot_set_options_sized(world, &options, sizeof(options) + 8) ==
             SETT_STATUS_MISMATCH);
    CHECK_END(world);
}

TEST_MAIN(TEST(shorter_terms_mean_what_they_meant), TEST(missing_fields_are_zero),
          TEST(longer_descriptors_are_rejected))
