/* Layouts: as texts, and found by the world itself. */
#include "sett/advise.h"
#include "sett/layout.h"
#include "sett/system.h"
#include "states.h"
#include "tune/layout.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Mass {
    float value, inverse;
} Mass; /* as large as the others: loop() is for any two of them */

enum {
    Position_id = 1,
    Velocity_id,
    Mass_id,
    Enemy_id
};

static void register_all(sett_world* world)
{
    SETT_REGISTER_WITH(world, Position, .id = Position_id);
    SETT_REGISTER_WITH(world, Velocity, .id = Velocity_id);
    SETT_REGISTER_WITH(world, Mass, .id = Mass_id);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "Enemy"}), Enemy_id);
}

/* Position everywhere, Velocity at a share in 100, Mass at every third. */
static void fill(sett_world* world, uint32_t count, uint32_t share)
{
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = sett_entity_create(world);
        SETT_SET(world, e, Position, .x = (float)k, .y = 1);
        if (k * 7919 % 100 < share) {
            SETT_SET(world, e, Velocity, .x = 1, .y = 2);
        }
        if (k % 3 == 0) {
            SETT_SET(world, e, Mass, .value = 1);
        }
    }
}

static sett_world* make_world(const sett_world_desc* desc, uint32_t count, uint32_t share)
{
    sett_world* world = sett_world_create(desc);
    CHECK(world != NULL);
    register_all(world);
    fill(world, count, share);
    return world;
}

static sett_world* make_quiet(uint32_t count, uint32_t share)
{
    return make_world(&(sett_world_desc){.log_fn = sett_log_silent}, count, share);
}

static sett_world* make_auto(uint32_t count, uint32_t share)
{
    sett_world* world = make_world(NULL, count, share);
    CHECK_EQ(sett_layout_auto(world, SETT_LAYOUT_VALUES), SETT_OK);
    return world;
}

static sett_query* make_query(sett_world* world)
{
    return SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
}

/* Returns a sum over all who were visited, in whatever order. */
static uint64_t loop(sett_query* query)
{
    uint64_t sum = 0;
    SETT_QUERY_EACH(query, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            p[i].x += v[i].x;
            sum += (uint64_t)sett_batch_entity(b, i).index * 31 + 7;
        }
    }
    return sum;
}

static const char* describe(const sett_world* world)
{
    static char text[2][8192];
    static uint32_t turn;
    char* out = text[turn++ % 2];
    CHECK(sett_layout_describe(world, out, sizeof(text[0])) < sizeof(text[0]));
    return out;
}

#define CHECK_LAYOUT(world, expected)                                                              \
    CHECK_MSG(strcmp(describe(world), (expected)) == 0, "%s", describe(world))

static sett_storage_kind storage_of(const sett_world* world, sett_component component)
{
    sett_component_desc desc;
    CHECK_EQ(sett_component_describe(world, component, &desc), SETT_OK);
    return desc.storage;
}

/* ---------------------------------------------------------------------------------------- texts */

static void a_text_is_applied(void)
{
    sett_world* world = make_quiet(3000, 50);
    sett_query* query = make_query(world);
    uint64_t sum = loop(query);
    CHECK_LAYOUT(world, "array Position Velocity Mass;\n");
    CHECK_EQ(sett_layout_apply(world, "array Position; sparse_set Velocity; # and\n"
                                      "group { Position Velocity without Enemy }"),
             SETT_OK);
    CHECK_LAYOUT(world, "array Mass;\ngroup { Position Velocity without Enemy }\n");
    CHECK_VALID(world);
    CHECK_EQ(loop(query), sum);
    CHECK_EQ(sett_layout_apply(world, "sparse_set Mass Position;"), SETT_OK);
    CHECK_LAYOUT(world, "sparse_set Position Velocity Mass;\n");
    CHECK_EQ(sett_layout_apply(world, "array Position"), SETT_OK);
    CHECK_LAYOUT(world, "array Position;\nsparse_set Velocity Mass;\n");
    CHECK_EQ(sett_layout_apply(world, ""), SETT_OK);
    CHECK_EQ(loop(query), sum);
    CHECK(SETT_GET(world, sett_entity_at(world, 2999), Position)->x ==
          2999 + 4 * (2999 * 7919 % 100 < 50));
    CHECK_END(world);
}

/* What is written can be read, in a world that registers its types later, too. */
static void a_layout_is_saved_and_shipped(void)
{
    sett_world* world = make_quiet(1000, 10);
    sett_component odd = sett_component_register(
        world, &(sett_component_desc){.name = "an \"odd\" \\ name;", .size = 4});
    sett_component word =
        sett_component_register(world, &(sett_component_desc){.name = "group", .size = 4});
    CHECK_EQ(sett_layout_apply(world, "sparse_set \"an \\\"odd\\\" \\\\ name;\" \"group\";\n"
                                      "group { Velocity Position with Enemy }"),
             SETT_OK);
    CHECK_EQ(storage_of(world, odd), SETT_STORAGE_SPARSE_SET);
    CHECK_EQ(storage_of(world, word), SETT_STORAGE_SPARSE_SET);
    char text[512];
    size_t length = sett_layout_describe(world, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    char few[10];
    CHECK_EQ(sett_layout_describe(world, few, sizeof(few)), length);
    CHECK(strncmp(few, text, 9) == 0 && few[9] == '\0');

    sett_world* other = quiet_world();
    CHECK_EQ(sett_layout_apply(other, text), SETT_OK);
    register_all(other);
    CHECK_EQ(storage_of(other, Velocity_id), SETT_STORAGE_SPARSE_SET);
    CHECK_EQ(storage_of(other, Mass_id), SETT_STORAGE_ARRAY);
    CHECK(sett_component_register(
              other, &(sett_component_desc){.name = "an \"odd\" \\ name;", .size = 4}) != 0);
    CHECK(sett_component_register(other, &(sett_component_desc){.name = "group", .size = 4}) != 0);
    CHECK_MSG(strcmp(describe(other), text) == 0, "%s", describe(other));
    /* as registered: the layout is no part of what a type is held to */
    register_all(other);
    fill(other, 100, 50);
    CHECK_END(other);
    CHECK_END(world);
}

static void wrong_texts_are_rejected(void)
{
    static const struct {
        const char* text;
        const char* message;
    } wrong[] = {
        {"arry Position;", "line 1, column 1, at \"arry Position;\": array, sparse_set or group"},
        {"array Position;\n  sparse_set;", "line 2, column 13"},
        {"array ;", "the name of a type is expected"},
        {"array", "at the end: the name of a type is expected - list one"},
        {"array Position sparse_set Velocity;", "line 1, column 16"},
        {"array Position {", "\";\" is expected after the last name"},
        {"Position", "array, sparse_set or group is expected"},
        {"array \"Position;", "the closing quote of a name is missing - add it"},
        {"array \"Position\\", "the closing quote of a name is missing - add it"},
        {"group Position", "\"{\" is expected after \"group\""},
        {"group { Position", "line 1, column 17"},
        {"group { with Position }", "the group owns no type - list one after \"{\""},
        {"group { Position ; }", "the name of a type, or \"}\", is expected - a group is "
                                 "written: group { A B with C without D }"},
        {"group { Position } group { Mass Position }", "line 1, column 33"},
        {"group { Position Position }", "the type is owned twice - leave out one"},
        {"group { Position with Mass Mass }", "line 1, column 28, at \"Mass }\": the group has"},
        {"group { Position with Mass without Position }", "the group has the type twice"},
        {"group { Position \"Position\" }", "the type is owned twice - leave out one"},
        {"array Position; sparse_set Position;", "the type is listed twice - leave out "
                                                 "one of the two"},
        {"array Position \"Position\";", "the type is listed twice - leave out one of the two"},
        {"group { a b c d e f g h i j k l m n o p q }",
         "a list of the group has more than 16 names"},
        {"group { Position with Hidden }", "dont_fragment"},
        {"group { Ordered }", "keep_order"},
        {"array Ordered;", "line 1, column 7, at \"Ordered;\": the type has `keep_order`"},
        {"array Owned;",
         "group \"theirs\" of the program owns the type - destroy that group first"},
        {"group { Owned }", "\"theirs\" owns"},
    };
    sett_world* world = make_quiet(100, 50);
    CHECK(sett_component_register(
              world, &(sett_component_desc){.name = "Ordered", .size = 4, .keep_order = true}) !=
          0);
    CHECK(sett_component_register(
              world, &(sett_component_desc){.name = "Hidden", .dont_fragment = true}) != 0);
    sett_component owned = sett_component_register(
        world,
        &(sett_component_desc){.name = "Owned", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    CHECK(sett_group_create(world, &(sett_group_desc){.name = "theirs", .owned = {owned}}) != NULL);
    const char* before = describe(world);
    size_t used = world->pool.used_size;
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        sett_status status = sett_layout_apply(world, wrong[k].text);
        CHECK_MSG(status == SETT_STATUS_ARGUMENT || status == SETT_STATUS_CONFLICT, "%s",
                  wrong[k].text);
        CHECK_MSG(strstr(sett_world_message(world), wrong[k].message) != NULL, "%s: %s",
                  wrong[k].text, sett_world_message(world));
        CHECK_MSG(strcmp(describe(world), before) == 0, "%s", wrong[k].text);
    }
    CHECK(setti_layout_of(world) == NULL || setti_layout_of(world)->text == NULL || used != 0);
    CHECK_END(world);
}

static char logged[1024];

static void keep_log(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof(logged) - used, "%s\n", message);
}

static void unknown_names_are_reported_once(void)
{
    sett_world* world = make_world(&(sett_world_desc){.log_fn = keep_log}, 10, 50);
    logged[0] = '\0';
    CHECK_EQ(
        sett_layout_apply(world, "array Position Typo;\ngroup { Mass Later with Never Masss }"),
        SETT_OK);
    sett_component later =
        sett_component_register(world, &(sett_component_desc){.name = "Later", .size = 4});
    CHECK_EQ(storage_of(world, later), SETT_STORAGE_SPARSE_SET);
    CHECK_EQ(strlen(logged), 0);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_MSG(strstr(logged, "line 1, column 16: type \"Typo\" is not registered") != NULL, "%s",
              logged);
    CHECK_MSG(strstr(logged, "line 2, column 25: type \"Never\"") != NULL, "%s", logged);
    CHECK(strstr(logged, "\"Masss\" is not registered in this world - did you mean \"Mass\"?"));
    CHECK(strstr(logged, "Later") == NULL && strstr(logged, "type \"Mass\"") == NULL);
    logged[0] = '\0';
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(sett_layout_step(world, 100), 0);
    CHECK_EQ(strlen(logged), 0);
    /* kept until now, and not beyond trim */
    CHECK_EQ(storage_of(world, sett_component_register(
                                   world, &(sett_component_desc){.name = "Typo", .size = 300})),
             SETT_STORAGE_ARRAY);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Never"}) != 0);
    CHECK(strstr(describe(world), "group") == NULL);
    CHECK_END(world);
}

static void a_layout_waits_for_snapshots(void)
{
    sett_world* world = make_quiet(100, 50);
    (void)take(world);
    CHECK_EQ(sett_layout_apply(world, "array Position;"), SETT_OK); /* nothing moves */
    CHECK_EQ(sett_layout_apply(world, "sparse_set Position;"), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_layout_apply(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_layout_apply(world, "group { Position Velocity }"), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), "sett_snapshot_drop_all") != NULL);
    /* a type that is new now, and its group when there is no snapshot any more */
    CHECK_EQ(sett_layout_apply(world, "group { Fresh Newer }"), SETT_OK);
    sett_component fresh =
        sett_component_register(world, &(sett_component_desc){.name = "Fresh", .size = 4});
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Newer", .size = 4}) != 0);
    CHECK_EQ(storage_of(world, fresh), SETT_STORAGE_SPARSE_SET);
    sett_snapshot_drop_all(world);
    (void)sett_layout_step(world, 100);
    CHECK(strstr(describe(world), "group { Fresh Newer }") != NULL);
    CHECK_END(world);
}

/* What the program asks for goes before what a layout made. */
static void layouts_give_way(void)
{
    sett_world* world = make_quiet(1000, 50);
    static const char text[] = "group { Position Velocity }";
    CHECK_EQ(sett_layout_apply(world, text), SETT_OK);
    CHECK_EQ(sett_component_convert(world, Position_id, SETT_STORAGE_ARRAY), SETT_OK);
    CHECK_LAYOUT(world, "array Position Mass;\nsparse_set Velocity;\n");
    CHECK_EQ(sett_layout_apply(world, text), SETT_OK);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = Position_id, .key = SETT_KEY_F32}),
             SETT_OK);
    CHECK_LAYOUT(world, "array Mass;\nsparse_set Position Velocity;\n");
    CHECK_EQ(sett_layout_apply(world, text), SETT_OK);
    sett_group* group =
        sett_group_create(world, &(sett_group_desc){.owned = {Position_id, Mass_id}});
    CHECK(group != NULL);
    CHECK_EQ(sett_group_count(group), 334);
    CHECK_LAYOUT(world, "sparse_set Position Velocity Mass;\n");
    CHECK_END(world);
}

/* Sorting and groups convert what was left to the library, and say what to call otherwise. */
static void what_needs_a_sparse_set_converts(void)
{
    sett_world* world = make_quiet(1000, 50);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = Mass_id, .key = SETT_KEY_F32}),
             SETT_OK);
    CHECK_EQ(storage_of(world, Mass_id), SETT_STORAGE_SPARSE_SET);
    sett_group* group =
        sett_group_create(world, &(sett_group_desc){.owned = {Position_id, Velocity_id}});
    CHECK(group != NULL);
    CHECK_EQ(sett_group_count(group), 500);
    sett_component fixed = sett_component_register(
        world, &(sett_component_desc){.name = "Fixed", .size = 4, .storage = SETT_STORAGE_ARRAY});
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = fixed, .key = SETT_KEY_U32}),
             SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world),
                 "call sett_component_convert(world, id, SETT_STORAGE_SPARSE_SET) first") != NULL);
    CHECK(sett_group_create(world, &(sett_group_desc){.owned = {fixed}}) == NULL);
    CHECK(strstr(sett_world_message(world),
                 "call sett_component_convert(world, id, SETT_STORAGE_SPARSE_SET) first") != NULL);
    /* a snapshot is of the storage as it is */
    sett_component free_type =
        sett_component_register(world, &(sett_component_desc){.name = "Free", .size = 4});
    (void)take(world);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = free_type, .key = SETT_KEY_U32}),
             SETT_STATUS_LOCKED);
    CHECK(sett_group_create(world, &(sett_group_desc){.owned = {free_type}}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    CHECK_END(world);
}

/* -------------------------------------------------------------------------------------- memory */

typedef struct scarce_step {
    sett_world* world;
    sett_query* query;
    uint64_t hash;
    uint64_t frames;
} scarce_step;

static bool step_apply(void* user)
{
    scarce_step* step = user;
    return sett_layout_apply(step->world, "group { Position Velocity Mass }") == SETT_OK;
}

static bool step_group(void* user)
{
    scarce_step* step = user;
    return sett_group_create(step->world,
                             &(sett_group_desc){.owned = {Position_id, Velocity_id}}) != NULL;
}

static void hash_is_the_same(void* user)
{
    scarce_step* step = user;
    CHECK_EQ(sett_world_hash(step->world), step->hash);
}

static void layout_is_the_same(void* user)
{
    scarce_step* step = user;
    hash_is_the_same(user);
    CHECK_LAYOUT(step->world, "array Position Velocity Mass;\n");
}

static void memory_may_run_out(void)
{
    static scarce_memory memory;
    for (int k = 0; k < 2; k++) {
        scarce_step step = {.world = scarce_world(&memory)};
        register_all(step.world);
        fill(step.world, 1000, 50);
        step.hash = sett_world_hash(step.world);
        scarce_run(step.world, &memory, k == 0 ? step_apply : step_group,
                   k == 0 ? hash_is_the_same : layout_is_the_same, &step);
        hash_is_the_same(&step);
        CHECK(memory.failures > 0);
        scarce_end(&memory, step.world);
    }
}

/* ------------------------------------------------------------------------------------ by itself */

#define FEW 20000

/* Frames until the layout is this; 0: after `most` it is not. */
static uint32_t frames_until(sett_world* world, sett_query* query, const char* layout,
                             uint32_t most)
{
    for (uint32_t frame = 1; frame <= most; frame++) {
        (void)loop(query);
        (void)sett_layout_step(world, UINT32_MAX);
        if (strcmp(describe(world), layout) == 0) {
            return frame;
        }
    }
    return 0;
}

#define GROUPED "array Mass;\ngroup { Position Velocity }\n"

static void a_group_is_found(void)
{
    sett_world* world = make_auto(FEW, 50);
    sett_query* query = make_query(world);
    uint64_t sum = loop(query);
    uint32_t frames = frames_until(world, query, GROUPED, 100);
    CHECK_MSG(frames != 0, "%s", describe(world));
    CHECK_EQ(loop(query), sum);
    CHECK(SETT_GET(world, sett_entity_at(world, 0), Position)->x == (float)(frames + 2));
    for (uint32_t k = 0; k < 500; k++) { /* and it stays */
        (void)loop(query);
        CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
    }
    CHECK_END(world);
}

/* Nothing to gain: nothing moves. */
static void arrays_stay(void)
{
    sett_world* world = make_auto(FEW, 100);
    sett_query* query = make_query(world);
    for (uint32_t k = 0; k < 600; k++) {
        (void)loop(query);
        CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
    }
    CHECK_LAYOUT(world, "array Position Velocity Mass;\n");
    CHECK_END(world);
}

/* The same calls give the same layout at the same frame, and what the world is does not depend on
 * it. */
static void layouts_are_deterministic(void)
{
    sett_world* world[3] = {make_auto(FEW, 40), make_auto(FEW, 40), make_quiet(FEW, 40)};
    sett_query* query[3];
    for (uint32_t w = 0; w < 3; w++) {
        query[w] = make_query(world[w]);
    }
    uint64_t moved_at_all = 0;
    for (uint32_t frame = 0; frame < 200; frame++) {
        uint64_t sums[3];
        uint64_t moved[3];
        for (uint32_t w = 0; w < 3; w++) {
            sums[w] = loop(query[w]);
            sett_entity e = sett_entity_at(world[w], frame * 97 % FEW);
            if (SETT_HAS(world[w], e, Velocity)) {
                CHECK_EQ(SETT_REMOVE(world[w], e, Velocity), SETT_OK);
            } else {
                SETT_SET(world[w], e, Velocity, .x = 2);
            }
            moved[w] = sett_layout_step(world[w], 30000);
        }
        moved_at_all += moved[0];
        CHECK_EQ(sums[0], sums[2]);
        CHECK_EQ(moved[0], moved[1]);
        CHECK_EQ(moved[2], 0);
        CHECK(strcmp(describe(world[0]), describe(world[1])) == 0);
        CHECK_EQ(sett_world_hash(world[0]), sett_world_hash(world[2]));
    }
    CHECK(moved_at_all > 0);
    for (uint32_t w = 0; w < 3; w++) {
        CHECK_END(world[w]);
    }
}

/* A step never moves more than it may, and a group is made all the same, type by type. */
static void steps_are_bounded(void)
{
    sett_world* world = make_auto(FEW, 50);
    sett_query* query = make_query(world);
    uint32_t steps = 0;
    for (uint32_t k = 0; k < 200 && strstr(describe(world), "group") == NULL; k++) {
        (void)loop(query);
        uint64_t moved = sett_layout_step(world, FEW);
        CHECK(moved <= FEW);
        steps += moved != 0;
        CHECK_VALID(world);
    }
    CHECK_LAYOUT(world, GROUPED);
    CHECK(steps >= 2);
    CHECK_END(world);
    /* nothing fits: nothing moves */
    world = make_auto(FEW, 50);
    query = make_query(world);
    for (uint32_t k = 0; k < 200; k++) {
        (void)loop(query);
        CHECK_EQ(sett_layout_step(world, 1000), 0);
    }
    CHECK_END(world);
}

/* What was registered with a storage of its own, named by a layout or sorted stays where it is. */
static void choices_of_the_program_stay(void)
{
    sett_world* world = sett_world_create(NULL);
    CHECK_EQ(sett_layout_auto(world, SETT_LAYOUT_VALUES), SETT_OK);
    SETT_REGISTER_WITH(world, Position, .id = Position_id, .storage = SETT_STORAGE_ARRAY);
    SETT_REGISTER_WITH(world, Velocity, .id = Velocity_id);
    SETT_REGISTER_WITH(world, Mass, .id = Mass_id);
    CHECK_EQ(sett_layout_apply(world, "array Velocity;"), SETT_OK);
    fill(world, FEW, 1);
    sett_query* query = make_query(world);
    for (uint32_t k = 0; k < 300; k++) {
        (void)loop(query);
        CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
    }
    /* the layout is replaced: the type stays as that left it, until it is free again */
    CHECK_EQ(sett_component_convert(world, Velocity_id, SETT_STORAGE_DEFAULT), SETT_OK);
    uint32_t frames =
        frames_until(world, query, "array Position Mass;\nsparse_set Velocity;\n", 300);
    CHECK_MSG(frames != 0, "%s", describe(world));
    CHECK_END(world);
}

/* Half-way the loops go over another pair of types. */
static void a_workload_that_changes_is_followed(void)
{
    sett_world* world = make_auto(FEW, 50);
    sett_query* query = make_query(world);
    sett_query* weigh = SETT_QUERY_CREATE(world, SETT_INOUT(Mass), SETT_IN(Velocity));
    CHECK(frames_until(world, query, GROUPED, 100) != 0);
    CHECK_MSG(frames_until(world, weigh, "sparse_set Position;\ngroup { Mass Velocity }\n", 3000) !=
                  0,
              "%s", describe(world));
    CHECK_END(world);
}

/* Every frame a third of all leaves and enters again: the group does not pay, and is not made again
 * and again. */
static void churn_ends_a_group(void)
{
    sett_world* world = make_auto(FEW, 50);
    sett_query* query = make_query(world);
    CHECK(frames_until(world, query, GROUPED, 100) != 0);
    uint32_t moves = 0;
    for (uint32_t frame = 0; frame < 1500; frame++) {
        for (uint32_t k = frame % 3; k < FEW; k += 3) {
            sett_entity e = sett_entity_at(world, k);
            if (SETT_HAS(world, e, Velocity)) {
                CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
                SETT_SET(world, e, Velocity, .x = 1);
            }
        }
        (void)loop(query);
        moves += sett_layout_step(world, UINT32_MAX) != 0;
    }
    CHECK(moves > 0 && moves < 12);
    CHECK_MSG(strstr(describe(world), "group") == NULL, "%s", describe(world));
    CHECK_END(world);
}

/* What many entities get and lose between two loops is cheaper in an array, and what stays with
 * few, in a sparse set; each is found from the other. */
static void what_comes_and_goes_is_an_array(void)
{
    sett_world* world = sett_world_create(NULL);
    CHECK_EQ(sett_layout_auto(world, SETT_LAYOUT_VALUES), SETT_OK);
    SETT_REGISTER_WITH(world, Position, .id = Position_id, .storage = SETT_STORAGE_ARRAY);
    SETT_REGISTER_WITH(world, Velocity, .id = Velocity_id);
    SETT_REGISTER_WITH(world, Mass, .id = Mass_id);
    fill(world, FEW, 1);
    sett_query* query = make_query(world);
    for (uint32_t frame = 0; frame < 6000; frame++) {
        bool churns = frame / 2000 != 1;
        for (uint32_t k = frame % 100; churns && k < FEW; k += 100) {
            sett_entity old = sett_entity_at(world, k);
            sett_entity other = sett_entity_at(world, (k + 1) % FEW);
            (void)SETT_REMOVE(world, old, Velocity);
            SETT_SET(world, other, Velocity, .x = 1);
        }
        (void)loop(query);
        (void)sett_layout_step(world, UINT32_MAX);
        if (frame % 2000 == 1999) {
            CHECK_EQ(storage_of(world, Velocity_id),
                     churns ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
        }
    }
    CHECK_END(world);
}

/* Workloads that change places every few hundred frames are followed ever more slowly. */
static void nothing_oscillates(void)
{
    sett_world* world = make_auto(FEW, 50);
    sett_query* query[2] = {make_query(world),
                            SETT_QUERY_CREATE(world, SETT_INOUT(Mass), SETT_IN(Velocity))};
    uint32_t moves[2] = {0, 0};
    for (uint32_t frame = 0; frame < 16000; frame++) {
        (void)loop(query[frame / 400 % 2]);
        moves[frame / 8000] += sett_layout_step(world, UINT32_MAX) != 0;
    }
    CHECK(moves[0] > 0);
    CHECK_MSG(moves[1] < moves[0] && moves[1] <= 4, "%u moves, then %u", (unsigned)moves[0],
              (unsigned)moves[1]);
    CHECK_END(world);
}

static void snapshots_hold_it_still(void)
{
    sett_world* world = make_auto(FEW, 50);
    sett_query* query = make_query(world);
    (void)take(world);
    for (uint32_t k = 0; k < 100; k++) {
        (void)loop(query);
        CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
    }
    sett_snapshot_drop_all(world);
    CHECK(frames_until(world, query, GROUPED, 100) != 0);
    CHECK_END(world);
}

static void move_system(sett_context* context)
{
    SETT_SYSTEM_EACH(context, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            p[i].x += v[i].x;
        }
    }
}

/* sett_progress steps by itself; what systems loop over counts, jobs or not, and what one writes by
 * handle does not move. */
static void systems_are_sampled(void)
{
    for (int writes = 0; writes < 2; writes++) {
        sett_world* world = make_auto(FEW, 50);
        sett_system_desc desc = {
            .name = "move", .terms = {SETT_INOUT(Position), SETT_IN(Velocity)}, .run = move_system};
        desc.access_inout[0] = writes != 0 ? Velocity_id : 0;
        CHECK(sett_system_create(world, &desc) != NULL);
        for (uint32_t k = 0; k < 200; k++) {
            CHECK_EQ(sett_progress(world, 1), SETT_OK);
        }
        CHECK_EQ(strstr(describe(world), "group") == NULL, writes != 0);
        CHECK_END(world);
    }
}

/* What one frame may move is limited: here to fewer values than these entities have. */
static void frames_are_as_short_as_asked(void)
{
    for (int any = 0; any < 2; any++) {
        sett_world* world = make_world(NULL, 140000, 50);
        CHECK_EQ(sett_layout_auto(world, any != 0 ? SETT_LAYOUT_VALUES : 100000), SETT_OK);
        CHECK(sett_system_create(
                  world, &(sett_system_desc){.name = "move",
                                             .terms = {SETT_INOUT(Position), SETT_IN(Velocity)},
                                             .run = move_system}) != NULL);
        for (uint32_t k = 0; k < 100; k++) {
            CHECK_EQ(sett_progress(world, 1), SETT_OK);
        }
        CHECK_MSG((strstr(describe(world), "group") != NULL) == (any != 0), "%s", describe(world));
        CHECK_EQ(storage_of(world, Position_id),
                 any != 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY);
        CHECK_END(world);
    }
}

static bool step_frames(void* user)
{
    scarce_step* step = user;
    for (uint32_t k = 0; k < 200; k++) {
        (void)loop(step->query);
        (void)sett_layout_step(step->world, UINT32_MAX);
        CHECK_EQ(sett_world_error(step->world), SETT_OK);
        if (strstr(describe(step->world), "group") != NULL) {
            return true;
        }
    }
    return false;
}

/* Memory that runs out in a step is no failure: the world stays as it is, and it is tried again. */
static void steps_without_memory_move_nothing(void)
{
    static scarce_memory memory;
    scarce_step step = {.world = scarce_world(&memory)};
    CHECK_EQ(sett_layout_auto(step.world, 1), SETT_OK);
    register_all(step.world);
    fill(step.world, 2000, 50);
    step.query = make_query(step.world);
    (void)loop(step.query);
    bool done = false;
    uint32_t tries = 0;
    for (size_t left = 0; left < SCARCE_MOST && !done; left += 2048, tries++) {
        scarce_squeeze(&step.world->pool, &memory, left);
        memory.strict = true;
        done = step_frames(&step);
        scarce_give_back(&step.world->pool, &memory);
        CHECK_VALID(step.world);
    }
    CHECK(done && tries > 1);
    CHECK_EQ(sett_world_error(step.world), SETT_OK);
    scarce_end(&memory, step.world);
}

/* One can be begun and ended at any time; types that a query names may go with it. */
static void it_can_be_ended(void)
{
    sett_world* world = make_quiet(FEW, 50);
    sett_query* query = make_query(world);
    CHECK_EQ(sett_layout_auto(world, 1000), SETT_OK);
    CHECK_EQ(sett_layout_auto(world, 0), SETT_OK);
    for (uint32_t k = 0; k < 100; k++) {
        (void)loop(query);
        CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
    }
    CHECK_EQ(sett_layout_auto(world, 1000), SETT_OK);
    for (uint32_t k = 0; k < 100 && !setti_layout_of(world)->building; k++) {
        (void)loop(query);
        (void)sett_layout_step(world, FEW);
    }
    sett_query_destroy(query);
    for (uint32_t k = 0; k < 100; k++) {
        CHECK_EQ(sett_layout_step(world, FEW), 0);
    }
    CHECK_END(world);
}

/* A world in which a group is being built, type by type. */
static sett_world* make_building(sett_query** query)
{
    sett_world* world = make_auto(FEW, 50);
    *query = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity),
                               {.component = Enemy_id, .kind = SETT_WITHOUT});
    for (uint32_t k = 0; k < 300 && !setti_layout_of(world)->building; k++) {
        (void)loop(*query);
        (void)sett_layout_step(world, FEW);
    }
    CHECK(setti_layout_of(world)->building);
    return world;
}

/* What comes between two steps of a group: types that grow beyond a step, values in a wrong order
 * that do not fit into one, entities that no longer match. Loops find what they found. */
static void building_gives_up_what_no_longer_fits(void)
{
    for (uint32_t what = 0; what < 4; what++) {
        sett_query* query;
        sett_world* world = make_building(&query);
        if (what == 1) { /* Position, which is an array yet, or Velocity no longer fits */
            fill(world, 3 * FEW, 50);
        } else if (what == 2) {
            for (uint32_t k = 0; k < FEW; k += 2) {
                CHECK(sett_add(world, sett_entity_at(world, k), Enemy_id) != NULL);
            }
        } else if (what == 3) { /* the program decides */
            CHECK_EQ(sett_component_convert(world, Velocity_id, SETT_STORAGE_ARRAY), SETT_OK);
        }
        uint64_t sum = loop(query);
        uint32_t steps = 0;
        for (; setti_layout_of(world)->building; steps++) {
            CHECK(sett_layout_step(world, what == 0 ? FEW / 4 : FEW) <= FEW);
            CHECK_EQ(loop(query), sum);
            CHECK_VALID(world);
            CHECK(steps < 100);
        }
        CHECK(steps != 0);
        for (uint32_t k = 0; k < 30; k++) {
            CHECK_EQ(loop(query), sum);
            (void)sett_layout_step(world, FEW);
        }
        CHECK_VALID(world);
        CHECK_END(world);
    }
}

static sett_component register_guest(sett_world* world)
{
    return sett_component_register(
        world, &(sett_component_desc){.name = "Guest", .size = sizeof(Velocity), .id = 9});
}

static void fill_guest(sett_world* world, sett_component guest, uint32_t every)
{
    for (uint32_t k = 0; k < FEW; k += every) {
        CHECK(sett_add(world, sett_entity_at(world, k), guest) != NULL);
    }
}

/* Types end while they are sampled, with all that was sampled: nothing piles up, and a later type
 * of that id moves at the frame at which it would move in a world that knew no earlier one. */
static void sampled_types_may_end(void)
{
    static scarce_memory memory[2];
    sett_world* world[2];
    sett_query* query[2];
    for (uint32_t w = 0; w < 2; w++) {
        world[w] = scarce_world(&memory[w]);
        register_all(world[w]);
        fill(world[w], FEW, 0);
        CHECK_EQ(sett_layout_auto(world[w], SETT_LAYOUT_VALUES), SETT_OK);
    }
    uint64_t held = 0;
    bool moved = false;
    for (uint32_t round = 0; round < 6; round++) { /* only in the first world */
        sett_component guest = register_guest(world[0]);
        fill_guest(world[0], guest, round % 2 == 0 ? 100 : 2);
        query[0] = SETT_QUERY_CREATE(world[0], SETT_INOUT(Position), {.component = guest});
        for (uint32_t frame = 0; frame < 60; frame++) {
            (void)loop(query[0]);
            moved = sett_layout_step(world[0], UINT32_MAX) != 0 || moved;
        }
        sett_query_destroy(query[0]);
        CHECK_EQ(sett_layout_apply(world[0], "array Position;"), SETT_OK);
        CHECK_EQ(sett_layout_apply(world[0], ""), SETT_OK);
        CHECK_EQ(sett_component_unregister(world[0], guest), SETT_OK);
        CHECK_EQ(sett_world_trim(world[0]), SETT_OK);
        CHECK_VALID(world[0]);
    }
    CHECK(moved);
    for (uint32_t round = 0; round < 400; round++) {
        sett_component guest = register_guest(world[0]);
        CHECK_EQ(sett_layout_auto(world[0], SETT_LAYOUT_VALUES), SETT_OK);
        for (uint32_t frame = 0; frame < 9; frame++) {
            (void)sett_layout_step(world[0], UINT32_MAX);
        }
        CHECK(setti_world_type(world[0], guest)->sample != NULL);
        CHECK_EQ(sett_component_unregister(world[0], guest), SETT_OK);
        CHECK_EQ(sett_world_trim(world[0]), SETT_OK);
        held = round == 20 ? memory[0].held : held;
    }
    CHECK_EQ(memory[0].held, held);
    uint32_t frames[2];
    CHECK_EQ(sett_layout_apply(world[1], "array Position;"), SETT_OK); /* as in the first */
    CHECK_EQ(sett_layout_apply(world[1], ""), SETT_OK);
    for (uint32_t w = 0; w < 2; w++) {
        sett_component guest = register_guest(world[w]);
        CHECK(setti_world_type(world[w], guest)->sample == NULL);
        fill_guest(world[w], guest, 50);
        query[w] = SETT_QUERY_CREATE(world[w], SETT_IN(Position), {.component = guest});
        CHECK_EQ(sett_layout_auto(world[w], SETT_LAYOUT_VALUES), SETT_OK);
        for (frames[w] = 0; frames[w] < 600; frames[w]++) {
            (void)loop(query[w]);
            if (sett_layout_step(world[w], UINT32_MAX) != 0) {
                break;
            }
        }
        CHECK(frames[w] < 600);
        CHECK_EQ(frames[w], frames[0]);
        CHECK_STR_EQ(describe(world[w]), describe(world[0]));
    }
    for (uint32_t w = 0; w < 2; w++) {
        scarce_end(&memory[w], world[w]);
    }
}

/* A group is made in the eighth frame, when memory was touched in seven: with its last type, and
 * without a look at its members, unless one of them left between two moves. */
static void groups_are_made_with_their_last_type(void)
{
    static const struct {
        uint32_t count;
        bool leaves; /* an entity, in each frame */
        uint32_t made;
    } cases[] = {{300000, true, 8}, {700000, false, 9}, {700000, true, 10}};
    for (uint32_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        sett_world* world = make_auto(cases[k].count, 50);
        sett_query* query = make_query(world);
        for (uint32_t frame = 1; frame <= 11; frame++) {
            (void)loop(query);
            if (cases[k].leaves) {
                sett_entity e = sett_entity_at(world, frame * 1000);
                CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
            }
            uint64_t hash = frame >= 8 ? sett_world_hash(world) : 0;
            uint64_t moved = sett_layout_step(world, UINT32_MAX);
            CHECK(frame < 8 || sett_world_hash(world) == hash);
            CHECK(moved == 0 || (frame >= 8 && frame <= cases[k].made));
            bool made = strstr(describe(world), "group { Position Velocity }") != NULL;
            CHECK_MSG(made == (frame >= cases[k].made), "%u: %s", (unsigned)frame, describe(world));
            if (frame >= 8) {
                CHECK_VALID(world);
            }
        }
        CHECK_END(world);
    }
}

/* A larger group is made over several frames, one type in each; meanwhile entities change, a
 * snapshot is taken and dropped, and the world is trimmed. The frames are those of a world with
 * other memory. */
static void large_groups_take_several_frames(void)
{
    enum {
        MANY = 1600000
    };
    uint32_t last[2] = {0, 0};
    for (uint32_t w = 0; w < 2; w++) {
        sett_world* world = make_auto(MANY, 50);
        sett_query* query = make_query(world);
        CHECK(w == 0 || sett_component_reserve(world, Mass_id, MANY) == SETT_OK);
        uint32_t moves = 0;
        uint64_t most = 0;
        for (uint32_t frame = 0; frame < 18; frame++) {
            (void)loop(query);
            sett_entity e = sett_entity_at(world, frame * 977);
            if (SETT_HAS(world, e, Velocity)) {
                CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
            } else {
                SETT_SET(world, e, Velocity, .x = 2);
            }
            if (frame == 9) {
                (void)take(world);
                CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
                sett_snapshot_drop_all(world);
                CHECK_EQ(sett_world_trim(world), SETT_OK);
            }
            uint64_t hash = frame >= 7 ? sett_world_hash(world) : 0;
            uint64_t moved = sett_layout_step(world, UINT32_MAX);
            CHECK(frame < 7 || sett_world_hash(world) == hash);
            moves += moved != 0;
            most = SETTI_MAX(most, moved);
            last[w] = strstr(describe(world), "group") == NULL ? frame + 1 : last[w];
        }
        CHECK_MSG(moves >= 2 && most <= MANY, "%u, %u", (unsigned)moves, (unsigned)most);
        CHECK_MSG(last[w] >= 9 && last[w] < 14, "%u", (unsigned)last[w]);
        CHECK_END(world);
    }
    CHECK_EQ(last[0], last[1]);
}

/* A large group that no longer pays ends, and its types become arrays, one in each frame. */
static void large_groups_end_in_several_frames(void)
{
    enum {
        MANY = 150000
    };
    sett_world* world = make_auto(MANY, 50);
    sett_query* query = make_query(world);
    CHECK(frames_until(world, query, GROUPED, 100) != 0);
    uint32_t moves = 0;
    uint64_t most = 0;
    for (uint32_t frame = 0; frame < 400 && moves < 2; frame++) {
        for (uint32_t k = frame % 3; k < MANY; k += 3) {
            sett_entity e = sett_entity_at(world, k);
            if (SETT_HAS(world, e, Velocity)) {
                CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
                SETT_SET(world, e, Velocity, .x = 1);
            }
        }
        (void)loop(query);
        uint64_t hash = sett_world_hash(world);
        uint64_t moved = sett_layout_step(world, UINT32_MAX);
        CHECK_EQ(sett_world_hash(world), hash);
        moves += moved != 0;
        most = SETTI_MAX(most, moved);
    }
    CHECK(moves == 2 && most <= MANY);
    CHECK_EQ(storage_of(world, Position_id), SETT_STORAGE_ARRAY);
    CHECK_EQ(storage_of(world, Velocity_id), SETT_STORAGE_ARRAY);
    CHECK_END(world);
}

/* A large group whose type another group needs ends: the type becomes an array in one frame, and
 * the other group is made in the next ones. */
static void large_groups_make_way_in_several_frames(void)
{
    enum {
        MANY = 1000000
    };
    sett_world* world = make_auto(MANY, 50);
    sett_query* query = make_query(world);
    CHECK(frames_until(world, query, GROUPED, 100) != 0);
    sett_query* other = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Mass));
    uint32_t last_array = 0;
    uint32_t frame = 0;
    for (; frame < 100 && strstr(describe(world), "group { Position Mass }") == NULL; frame++) {
        (void)loop(other);
        uint64_t hash = frame % 16 == 0 ? sett_world_hash(world) : 0;
        CHECK(sett_layout_step(world, UINT32_MAX) <= MANY + MANY / 3);
        CHECK(frame % 16 != 0 || sett_world_hash(world) == hash);
        last_array = storage_of(world, Position_id) == SETT_STORAGE_ARRAY ? frame : last_array;
    }
    CHECK_MSG(frame < 100 && last_array != 0, "%u %u", (unsigned)frame, (unsigned)last_array);
    for (uint32_t k = 0; k < 2; k++) {
        (void)sett_layout_step(world, UINT32_MAX);
    }
    CHECK_EQ(storage_of(world, Velocity_id), SETT_STORAGE_ARRAY);
    CHECK_END(world);
}

/* A type whose other storage needs much memory moves when that was touched; a type that ends before
 * is forgotten. */
static void large_types_wait_for_their_memory(void)
{
    for (uint32_t ends = 0; ends < 2; ends++) {
        sett_world* world = make_auto(10, 0);
        sett_component big = sett_component_register(
            world, &(sett_component_desc){.name = "Big", .size = 256, .align = 8});
        for (uint32_t k = 0; k < 400000; k++) {
            sett_entity e = sett_entity_create(world);
            if (k % 20 == 0) {
                CHECK(sett_add(world, e, big) != NULL);
            }
        }
        sett_query* query = SETT_QUERY_CREATE(world, {.component = big});
        uint32_t frame = 0;
        for (; frame < 60 && storage_of(world, big) == SETT_STORAGE_ARRAY; frame++) {
            for (uint32_t k = 0; k < 4; k++) {
                SETT_QUERY_EACH(query, b) {
                    CHECK(b->count != 0);
                }
            }
            (void)sett_layout_step(world, UINT32_MAX);
            if (ends != 0 && frame == 9) {
                sett_query_destroy(query);
                CHECK_EQ(sett_component_unregister(world, big), SETT_OK);
                break;
            }
        }
        CHECK_MSG(frame >= 9 && frame < 24, "%u", (unsigned)frame);
        for (uint32_t k = 0; k < 40; k++) {
            CHECK_EQ(sett_layout_step(world, UINT32_MAX), 0);
        }
        CHECK_END(world);
    }
}

#define KINDS 300
#define KIND_VALUES 16

/* Many types, few entities of which have each, and a query for each type: no query is a large part
 * of the frame, and all types find their storage within 64 frames. A query that half of the
 * entities match is not forgotten over them. */
static void many_rare_types_are_found(void)
{
    static sett_component kind[KINDS];
    static sett_query* query[KINDS];
    sett_world* world = make_auto(FEW, 50);
    sett_query* dense = make_query(world);
    for (uint32_t k = 0; k < KINDS; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Kind%u", (unsigned)k);
        sett_component_desc desc = {.name = name, .size = 8, .align = 8};
        kind[k] = sett_component_register(world, &desc);
        for (uint32_t v = 0; v < KIND_VALUES; v++) {
            uint32_t at = (k * 7919 + v * 1237) % FEW;
            CHECK(sett_add(world, sett_entity_at(world, at), kind[k]) != NULL);
        }
        query[k] = SETT_QUERY_CREATE(world, {.component = kind[k]});
    }
    uint64_t hash = 0;
    for (uint32_t frame = 0; frame < 64; frame++) {
        hash = sett_world_hash(world);
        for (uint32_t k = 0; k < KINDS; k++) {
            CHECK_EQ(sett_query_count(query[k]), KIND_VALUES);
            SETT_QUERY_EACH(query[k], b) {
                CHECK(b->count != 0);
            }
        }
        uint64_t moved = sett_layout_step(world, UINT32_MAX);
        CHECK(moved <= 2 * FEW);
        CHECK_EQ(sett_world_hash(world), hash);
        (void)loop(dense);
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        CHECK_EQ(storage_of(world, kind[k]), SETT_STORAGE_SPARSE_SET);
    }
    CHECK(strstr(describe(world), "group { Position Velocity }") != NULL);
    CHECK_END(world);
}

TEST_MAIN(TEST(a_text_is_applied), TEST(a_layout_is_saved_and_shipped),
          TEST(wrong_texts_are_rejected), TEST(unknown_names_are_reported_once),
          TEST(a_layout_waits_for_snapshots), TEST(layouts_give_way),
          TEST(what_needs_a_sparse_set_converts), TEST(memory_may_run_out), TEST(a_group_is_found),
          TEST(arrays_stay), TEST(layouts_are_deterministic), TEST(steps_are_bounded),
          TEST(choices_of_the_program_stay), TEST(a_workload_that_changes_is_followed),
          TEST(churn_ends_a_group), TEST(what_comes_and_goes_is_an_array), TEST(nothing_oscillates),
          TEST(snapshots_hold_it_still), TEST(systems_are_sampled),
          TEST(frames_are_as_short_as_asked), TEST(steps_without_memory_move_nothing),
          TEST(it_can_be_ended), TEST(building_gives_up_what_no_longer_fits),
          TEST(sampled_types_may_end), TEST(many_rare_types_are_found),
          TEST(groups_are_made_with_their_last_type), TEST(large_groups_take_several_frames),
          TEST(large_groups_end_in_several_frames), TEST(large_groups_make_way_in_several_frames),
          TEST(large_types_wait_for_their_memory))
