/* test_round.c: numbers rounded to the steps of their members. */
#include "worlds.h"

#include "chance.h"
#include "sett/members.h"
#include "sett/state.h"

#include <math.h>

typedef struct Vector {
    float x, y;
} Vector;

typedef struct Body {
    Vector at;
    Vector past[2];
    double angle;
    float exact;
    int32_t age;
} Body;

#define STEP (1.0 / 32)
#define VECTOR_STRUCT SETT_STRUCT(Vector, (x, .step = STEP), (y, .step = STEP))
#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Body,                                                                                \
              .members = SETT_STRUCT(Body, (at, .of = VECTOR_STRUCT), (past, .of = VECTOR_STRUCT), \
                                     (angle, .step = 4), exact, age))                              \
    COMPONENT(Vector, .storage = SETT_STORAGE_SPARSE_SET, .members = VECTOR_STRUCT)
SETT_COMPONENTS(LIST)

static sett_world* round_world(void)
{
    sett_world* world = sett_world_create(NULL);
    CHECK_EQ(SETT_REGISTER_ALL(world, LIST), SETT_OK);
    return world;
}

static void numbers_become_the_nearest_multiples(void)
{
    sett_world* world = round_world();
    sett_entity e =
        SETT_CREATE(world, SETT_VALUE(Body, .at = {1.001f, -1.001f},
                                      .past = {{3, (float)(STEP / 2)}, {-(float)(STEP / 2), 0}},
                                      .angle = 9.5, .exact = 0x1p-9f, .age = 7));
    sett_entity odd = SETT_CREATE(world, SETT_VALUE(Vector, .x = INFINITY, .y = NAN));
    sett_entity huge = SETT_CREATE(world, SETT_VALUE(Vector, .x = -0x1p127f, .y = -0.0001f));
    CHECK_EQ(sett_world_round(world), SETT_OK);
    const Body* body = SETT_GET(world, e, Body);
    CHECK(body->at.x == 1.0f && body->at.y == -1.0f);
    CHECK(body->past[0].x == 3 && body->past[0].y == (float)STEP &&
          body->past[1].x == (float)-STEP);
    CHECK(body->angle == 8 && body->exact == 0x1p-9f && body->age == 7);
    CHECK(isinf(SETT_GET(world, odd, Vector)->x) && isnan(SETT_GET(world, odd, Vector)->y));
    CHECK(SETT_GET(world, huge, Vector)->x == -0x1p127f && SETT_GET(world, huge, Vector)->y == 0);
    sett_world_destroy(world);
}

static void only_values_that_change_are_written(void)
{
    sett_world* world = round_world();
    sett_entity e = SETT_CREATE(world, SETT_VALUE(Vector, .x = 0.3f));
    CHECK_EQ(sett_world_round(world), SETT_OK);
    uint64_t tick = sett_world_advance_tick(world);
    CHECK_EQ(sett_world_round(world), SETT_OK);
    CHECK(sett_changed_tick(world, e, Vector_id) < tick);
    SETT_GET_MUT(world, e, Vector)->x = 0.3f;
    tick = sett_world_advance_tick(world);
    CHECK_EQ(sett_world_round(world), SETT_OK);
    CHECK_EQ(sett_changed_tick(world, e, Vector_id), tick);
    sett_world_destroy(world);
}

static size_t encode(sett_world* world, sett_snapshot a, sett_snapshot b, unsigned char* out,
                     size_t room)
{
    size_t size = 0;
    CHECK_EQ(sett_delta_encode(world, a, b, out, room, &size), SETT_OK);
    return size;
}

/* The sender and a receiver stay equal, and what is sent is less. */
static void deltas_of_rounded_worlds_are_smaller(void)
{
    static unsigned char bytes[1 << 16];
    size_t sent[2] = {0, 0};
    for (int rounds = 0; rounds < 2; rounds++) {
        sett_world* world = round_world();
        sett_world* replica = round_world();
        uint64_t random = 5;
        sett_snapshot before;
        CHECK_EQ(sett_snapshot_take(world, &before), SETT_OK);
        sett_entity list[100];
        CHECK_EQ(sett_entity_create_many(world, 100, &(sett_component){Vector_id}, 1, NULL, list),
                 SETT_OK);
        for (int frame = 0; frame < 20; frame++) {
            for (int k = 0; k < 100; k++) {
                Vector* at = SETT_GET_MUT(world, list[k], Vector);
                at->x += (float)chance_below(&random, 1000) * 0.00123f;
                at->y -= (float)chance_below(&random, 1000) * 0.00123f;
            }
            CHECK(rounds == 0 || sett_world_round(world) == SETT_OK);
            sett_snapshot after;
            CHECK_EQ(sett_snapshot_take(world, &after), SETT_OK);
            size_t size = encode(world, before, after, bytes, sizeof(bytes));
            sent[rounds] += size;
            CHECK_EQ(sett_delta_apply(replica, bytes, size), SETT_OK);
            CHECK_EQ(sett_world_hash(replica), sett_world_hash(world));
            sett_snapshot_drop(world, before);
            before = after;
        }
        CHECK_EQ(sett_world_validate(replica, NULL), SETT_OK);
        sett_world_destroy(replica);
        sett_world_destroy(world);
    }
    CHECK_MSG(sent[1] * 4 < sent[0] * 3, "%zu bytes, %zu without rounding", sent[1], sent[0]);
}

static void wrong_steps_are_rejected(void)
{
    sett_world* world = quiet_world();
    static const double wrong[] = {0.1, -0.5, 3, 0x1p-61, INFINITY};
    sett_component id = sett_component_register(
        world, &(sett_component_desc){.name = "Wrong", .size = 4, .align = 4});
    for (uint32_t k = 0; k < 6; k++) {
        sett_member member = {.name = "x",
                              .kind = k < 5 ? SETT_MEMBER_F32 : SETT_MEMBER_I32,
                              .size = 4,
                              .step = k < 5 ? wrong[k] : 0.5};
        sett_struct of = {.name = "Wrong", .size = 4, .count = 1, .members = &member};
        CHECK_EQ(sett_members_set(world, id, &of), SETT_STATUS_ARGUMENT);
        CHECK_MSG(strstr(sett_world_message(world), "step") != NULL, "%s",
                  sett_world_message(world));
    }
    sett_world_destroy(world);
}

static void a_loop_locks_rounding(void)
{
    sett_world* world = quiet_world();
    sett_query* query = SETT_QUERY_CREATE(world, {0});
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) != NULL);
    CHECK_EQ(sett_world_round(world), SETT_STATUS_LOCKED);
    sett_batch_end(&batch);
    CHECK_EQ(sett_world_round(NULL), SETT_STATUS_ARGUMENT);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(numbers_become_the_nearest_multiples), TEST(only_values_that_change_are_written),
          TEST(deltas_of_rounded_worlds_are_smaller), TEST(wrong_steps_are_rejected),
          TEST(a_loop_locks_rounding))
