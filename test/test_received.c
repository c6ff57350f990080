/* test_received.c: a world that got the library's own types from another one, on whatever road,
 * behaves as one that registered them by the calls of their headers. */
#include "files.h"
#include "sett/duplicate.h"
#include "sett/json.h"
#include "states.h"

/* How a state comes into a world. */
typedef enum road {
    ROAD_FILE,
    ROAD_CLONE,
    ROAD_DELTA,
    ROAD_MERGE,
    ROAD_JSON,
    ROADS
} road;

static void by_delta(sett_world* from, sett_world* into, sett_snapshot first)
{
    unsigned char* bytes;
    size_t size = encode(from, first, take(from), &bytes);
    CHECK_APPLY(into, bytes, size);
    free(bytes);
}

static sett_status by_file(sett_world* from, sett_world* into, bool merge)
{
    disk* on = disk_create();
    const sett_file_desc desc = {.files = &on->files};
    CHECK_EQ(sett_world_save_with(from, "f", &desc), SETT_OK);
    sett_status status = merge
                             ? sett_world_merge(into, "f", &(sett_merge_desc){.file = &desc}, NULL)
                             : sett_world_load_with(into, "f", &desc, NULL);
    disk_destroy(on);
    return status;
}

/* `first`: of the world when it was empty. */
static void travel(road by, sett_world* from, sett_world* into, sett_snapshot first)
{
    static char text[4096];
    if (by == ROAD_FILE || by == ROAD_MERGE) {
        CHECK_MSG(by_file(from, into, by == ROAD_MERGE) == SETT_OK, "%s", sett_world_message(into));
    } else if (by == ROAD_CLONE) {
        CHECK_EQ(sett_world_clone(from, into), SETT_OK);
    } else if (by == ROAD_DELTA) {
        by_delta(from, into, first);
    } else {
        size_t size = sett_json_format(from, NULL, text, sizeof(text));
        CHECK(size != 0 && size < sizeof(text));
        CHECK_MSG(sett_json_read(into, text, size, NULL, NULL) == SETT_OK, "%s",
                  sett_world_message(into));
    }
    CHECK_VALID(into);
}

/* The child is recorded, or attached at once. */
static void children_become_prefabs(void)
{
    for (uint32_t round = 0; round < 2 * ROADS; round++) {
        sett_world* from = quiet_world();
        sett_world* into = quiet_world();
        sett_snapshot first = take(from);
        sett_entity prefab = sett_entity_create(from);
        sett_prefab_make(from, prefab);
        sett_query* query = sett_query_create(into, &(sett_query_desc){0});
        travel((road)(round / 2), from, into, first);
        sett_entity child = sett_entity_create(into);
        if (round % 2 == 0) {
            CHECK_EQ(sett_hierarchy_attach(into, child, prefab), SETT_OK);
        } else {
            sett_commands* commands = sett_commands_create(into);
            CHECK_EQ(sett_cmd_attach(commands, child, prefab), SETT_OK);
            CHECK_EQ(sett_commands_apply(commands), SETT_OK);
            sett_commands_destroy(commands);
        }
        CHECK(sett_has(into, child, SETT_ID_PREFAB));
        CHECK(!sett_query_matches(query, prefab) && !sett_query_matches(query, child));
        CHECK_END(from);
        CHECK_END(into);
    }
}

/* A query that is older than the tags skips who has them. */
static void hidden_entities_are_skipped(void)
{
    for (uint32_t round = 0; round < ROADS; round++) {
        sett_world* from = quiet_world();
        sett_world* into = quiet_world();
        sett_snapshot first = take(from);
        sett_entity disabled = sett_entity_create(from);
        sett_add(from, disabled, sett_disabled_tag(from));
        sett_entity prefab = sett_entity_create(from);
        sett_prefab_make(from, prefab);
        sett_query* query = sett_query_create(into, &(sett_query_desc){0});
        travel((road)round, from, into, first);
        CHECK(!sett_query_matches(query, disabled) && !sett_query_matches(query, prefab));
        CHECK_EQ(sett_query_count(query), 0);
        CHECK_END(from);
        CHECK_END(into);
    }
}

static void instances_know_their_prefab(void)
{
    for (uint32_t round = 0; round < ROADS; round++) {
        sett_world* from = quiet_world();
        sett_world* into = quiet_world();
        sett_snapshot first = take(from);
        for (uint32_t k = 0; k < 2; k++) {
            CHECK(SETT_REGISTER_TAG(k == 0 ? from : into, Shiny) != 0);
        }
        sett_entity prefab = sett_entity_create(from);
        sett_entity made;
        sett_name_set(from, prefab, "lamp");
        sett_add(from, prefab, sett_component_find(from, "Shiny"));
        sett_prefab_share(from, sett_component_find(from, "Shiny"), true);
        sett_prefab_make(from, prefab);
        CHECK_EQ(sett_instantiate(from, prefab, 1, &made), SETT_OK);
        travel((road)round, from, into, first);
        CHECK_ENTITY_EQ(sett_name_find(into, sett_null(), "lamp"), prefab);
        CHECK_ENTITY_EQ(sett_target(into, made, SETT_ID_INSTANCE_OF), prefab);
        CHECK(sett_prefab_get(into, prefab, sett_component_find(into, "Shiny")) != NULL);
        CHECK(sett_prefab_get(into, made, sett_component_find(into, "Shiny")) != NULL);
        CHECK_END(from);
        CHECK_END(into);
    }
}

/* The singletons end last, and stay one. */
static uint32_t ends;

static void note_end(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    CHECK_EQ(sett_has(world, entity, SETT_ID_SINGLETONS), ++ends == 2);
}

static void singletons_stay_one(void)
{
    for (uint32_t round = 0; round < ROADS; round++) {
        sett_world* from = quiet_world();
        sett_world* into = quiet_world();
        sett_snapshot first = take(from);
        for (uint32_t k = 0; k < 2; k++) {
            sett_component_desc desc = {.name = "Marked", .on_remove = note_end};
            CHECK(sett_component_register(k == 0 ? from : into, &desc) != 0);
        }
        sett_component marked = sett_component_find(from, "Marked");
        sett_entity one = sett_singletons(from);
        sett_add(from, one, marked);
        travel((road)round, from, into, first);
        CHECK_ENTITY_EQ(sett_singletons(into), one);
        sett_entity other = sett_entity_create(into);
        sett_add(into, other, sett_component_find(into, "Marked"));
        CHECK(sett_add(into, other, SETT_ID_SINGLETONS) == NULL);
        CHECK_EQ(sett_world_error(into), SETT_STATUS_ARGUMENT);
        CHECK_VALID(into);
        ends = 0;
        CHECK_END(into);
        CHECK_EQ(ends, 2);
        ends = 1;
        CHECK_END(from);
    }
}

/* The default policy of children goes with them, into worlds that have a hierarchy and others. */
static void the_default_policy_travels(void)
{
    for (uint32_t round = 0; round < 3 * 6; round++) {
        road by = (road)(round / 6);
        sett_children_policy there = (sett_children_policy)(SETT_CHILDREN_DESTROY + round / 2 % 3);
        sett_world* from = quiet_world();
        sett_world* into = quiet_world();
        sett_snapshot first = take(from);
        sett_hierarchy_register(from, &(sett_hierarchy_desc){.policy = there});
        if (round % 2 == 0) {
            sett_hierarchy_register(into, &(sett_hierarchy_desc){.policy = SETT_CHILDREN_REJECT});
        }
        sett_entity parent = sett_entity_create(from);
        sett_entity child = sett_entity_create(from);
        CHECK_EQ(sett_hierarchy_attach(from, child, parent), SETT_OK);
        travel(by, from, into, first);
        CHECK_SAME(from, into);
        for (uint32_t k = 0; k < 2; k++) {
            sett_world* world = k == 0 ? from : into;
            CHECK_EQ(sett_entity_destroy(world, parent),
                     there == SETT_CHILDREN_REJECT ? SETT_STATUS_REJECTED : SETT_OK);
            CHECK_EQ(sett_entity_valid(world, child), there != SETT_CHILDREN_DESTROY);
        }
        CHECK_END(from);
        CHECK_END(into);
    }
}

/* A delta that is rejected changes no policy; one of a policy that there is not is rejected. */
static void rejected_deltas_leave_the_policy(void)
{
    sett_world* from = quiet_world();
    sett_world* into = quiet_world();
    unsigned char* bytes;
    sett_snapshot first = take(from);
    sett_hierarchy_register(from, &(sett_hierarchy_desc){.policy = SETT_CHILDREN_DETACH});
    sett_entity_create(from);
    size_t size = encode(from, first, take(from), &bytes);
    sett_entity parent = sett_entity_create(into);
    sett_entity child = sett_entity_create(into);
    CHECK_EQ(sett_hierarchy_attach(into, child, parent), SETT_OK);
    CHECK_EQ(sett_delta_apply(into, bytes, size), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_entity_destroy(into, parent), SETT_OK);
    CHECK(!sett_entity_valid(into, child));
    free(bytes);
    CHECK_END(from);
    CHECK_END(into);
}

/* A program that made the tag itself sends two entities with it. */
static void two_singletons_are_rejected(void)
{
    sett_world* from = quiet_world();
    sett_snapshot first = take(from);
    sett_component tag =
        sett_component_register(from, &(sett_component_desc){.name = "Singletons",
                                                             .id = SETT_ID_SINGLETONS,
                                                             .storage = SETT_STORAGE_SPARSE_SET});
    CHECK_EQ(tag, SETT_ID_SINGLETONS);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(sett_add(from, sett_entity_create(from), tag) != NULL);
    }
    for (uint32_t round = 0; round < 2; round++) {
        sett_world* into = quiet_world();
        unsigned char* bytes;
        if (round == 0) {
            CHECK_EQ(by_file(from, into, false), SETT_STATUS_INVALID);
        } else {
            size_t size = encode(from, first, take(from), &bytes);
            CHECK_EQ(sett_delta_apply(into, bytes, size), SETT_STATUS_INVALID);
            free(bytes);
        }
        CHECK_EQ(sett_entity_count(into), 0);
        CHECK_END(into);
    }
    CHECK_END(from);
}

TEST_MAIN(TEST(children_become_prefabs), TEST(hidden_entities_are_skipped),
          TEST(instances_know_their_prefab), TEST(singletons_stay_one),
          TEST(the_default_policy_travels), TEST(rejected_deltas_leave_the_policy),
          TEST(two_singletons_are_rejected))
