/* Advice: what it says about a layout that does not fit, and that following it ends it. */
#include "sett/advise.h"
#include "world/world.h"
#include "worlds.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum {
    Position_id = 1,
    Velocity_id,
    Frozen_id
};

#define MOST 16

static sett_advice advice[MOST];

static uint32_t advise(sett_world* world)
{
    memset(advice, 0, sizeof(advice));
    return sett_advise(world, advice, MOST);
}

/* `share` of 100 entities have a velocity. */
static sett_world* make_world(uint32_t count, uint32_t share)
{
    sett_world* world = sett_world_create(NULL);
    sett_component_desc position = {SETT_TYPE(Position), .id = Position_id};
    sett_component_desc velocity = {SETT_TYPE(Velocity), .id = Velocity_id};
    CHECK_EQ(sett_component_register(world, &position), Position_id);
    CHECK_EQ(sett_component_register(world, &velocity), Velocity_id);
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = sett_entity_create(world);
        SETT_ADD(world, e, Position);
        if (k * 7919 % 100 < share) {
            SETT_SET(world, e, Velocity, .x = 1, .y = 2);
        }
    }
    return world;
}

static uint32_t loop(sett_query* query, int times)
{
    uint32_t found = 0;
    for (int k = 0; k < times; k++) {
        SETT_QUERY_EACH(query, b) {
            Position* p = SETT_FIELD_MUT(b, 0, Position);
            const Velocity* v = SETT_FIELD(b, 1, Velocity);
            SETT_EACH(b, i) {
                p[i].x += v[i].x;
                found++;
            }
        }
    }
    return found;
}

static sett_query* make_query(sett_world* world)
{
    sett_query_desc desc = {.name = "move", .terms = {SETT_INOUT(Position), SETT_IN(Velocity)}};
    return sett_query_create(world, &desc);
}

static void nothing_profiled(void)
{
    sett_world* world = make_world(1000, 50);
    make_query(world);
    CHECK_EQ(advise(world), 0);
    sett_world_destroy(world);
}

/* One in a hundred: a group would be best, and once it is there, nothing more is said. */
static void group_is_advised(void)
{
    sett_world* world = make_world(100000, 1);
    sett_query* query = make_query(world);
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    uint32_t found = loop(query, 100);
    CHECK_EQ(advise(world), 1);
    CHECK_EQ(advice[0].kind, SETT_ADVICE_GROUP);
    CHECK_EQ(advice[0].components[0], Position_id);
    CHECK_EQ(advice[0].components[1], Velocity_id);
    CHECK_EQ(advice[0].components[2], 0);
    CHECK_EQ(advice[0].moved, 101000);
    CHECK(advice[0].gain_ns > 100000 && advice[0].gain_ns < advice[0].cost_ns);
    CHECK_MSG(strstr(advice[0].text, "\"move\" finds 1000 entities") != NULL, "%s", advice[0].text);
    CHECK_MSG(strcmp(advice[0].code, "sett_group_create(world, &(sett_group_desc){.owned = "
                                     "{Position_id, Velocity_id}});") == 0,
              "%s", advice[0].code);

    CHECK_EQ(sett_advice_apply(world, &advice[0]), SETT_OK);
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    CHECK_EQ(loop(query, 100), found);
    CHECK_MSG(advise(world) == 0, "%s", advice[0].text);
    CHECK_END(world);
}

/* Whether a group is advised where so many entities lose and get their velocity between loops. */
static bool is_group_advised(uint32_t entities, uint32_t toggled)
{
    sett_world* world = make_world(entities, 50);
    sett_query* query = make_query(world);
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    for (int k = 0; k < 100; k++) {
        CHECK(loop(query, 1) != 0);
        for (uint32_t index = 0, left = toggled; left != 0; index++) {
            sett_entity e = sett_entity_at(world, index);
            if (SETT_HAS(world, e, Velocity)) {
                CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
                SETT_SET(world, e, Velocity, .x = 1, .y = 2);
                left--;
            }
        }
    }
    CHECK_EQ(sett_profile_end(world), SETT_OK);
    bool advised = false;
    for (uint32_t count = advise(world); count-- > 0;) {
        advised = advised || advice[count].kind == SETT_ADVICE_GROUP;
    }
    CHECK_END(world);
    return advised;
}

/* Each that leaves or enters exchanges rows, in caches or, of many entities, out of them. */
static void leaving_a_group_has_a_price(void)
{
    CHECK(is_group_advised(10000, 0));
    CHECK(is_group_advised(10000, 4));
    CHECK(!is_group_advised(10000, 40));
    CHECK(is_group_advised(20000, 4));
    CHECK(!is_group_advised(20000, 20));
}

/* Conditions of the query that are no fields become conditions of the group, and it is worth making
 * where these are there. */
static void group_has_all_conditions(void)
{
    sett_world* world = make_world(20000, 50);
    sett_component_desc frozen = {.name = "Frozen", .id = Frozen_id};
    sett_component_desc enemy = {.name = "Enemy"};
    CHECK_EQ(sett_component_register(world, &frozen), Frozen_id);
    sett_component Enemy_id = sett_component_register(world, &enemy);
    for (uint32_t k = 0; k < 20000; k += 3) {
        CHECK(sett_add(world, sett_entity_at(world, k), Enemy_id) != NULL);
    }
    sett_query* query = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity),
                                          SETT_WITH(Enemy), SETT_WITHOUT(Frozen));
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    uint32_t found = loop(query, 10);
    CHECK_EQ(advise(world), 1);
    CHECK_EQ(advice[0].kind, SETT_ADVICE_GROUP);
    CHECK_EQ(advice[0].with[0], Enemy_id);
    CHECK_EQ(advice[0].without[0], Frozen_id);
    CHECK_EQ(sett_advice_apply(world, &advice[0]), SETT_OK);
    char words[512];
    sett_query_explain(query, words, sizeof(words));
    CHECK_MSG(strstr(words, "walked as plain arrays") != NULL, "%s", words);
    CHECK_EQ(loop(query, 10), found);
    CHECK_END(world);
}

/* The same with so much coming and going that keeping a group costs more than it saves. */
static void sparse_set_is_advised(void)
{
    sett_world* world = make_world(100000, 1);
    sett_query* query = make_query(world);
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    loop(query, 100);
    uint32_t cursor = 0;
    for (sett_entity e = sett_entity_next(world, &cursor); !sett_is_null(e);
         e = sett_entity_next(world, &cursor)) {
        if (e.index % 10 == 0 && !SETT_HAS(world, e, Velocity)) {
            SETT_ADD(world, e, Velocity);
            SETT_REMOVE(world, e, Velocity);
        }
    }
    CHECK_EQ(advise(world), 1);
    CHECK_EQ(advice[0].kind, SETT_ADVICE_CONVERT);
    CHECK_EQ(advice[0].components[0], Velocity_id);
    CHECK_EQ(advice[0].storage, SETT_STORAGE_SPARSE_SET);
    CHECK_EQ(advice[0].moved, 1000);
    CHECK_MSG(strstr(advice[0].text, "\"Velocity\", which 1000 of 100000") != NULL, "%s",
              advice[0].text);
    CHECK(strcmp(advice[0].code,
                 "sett_component_convert(world, Velocity_id, SETT_STORAGE_SPARSE_SET);") == 0);
    CHECK_EQ(sett_advice_apply(world, &advice[0]), SETT_OK);
    CHECK_MSG(advise(world) == 0, "%s", advice[0].text);
    sett_world_destroy(world);
}

/* No query loops over it, and it is read by handle. */
static void array_is_advised(void)
{
    sett_world* world = make_world(10000, 100);
    CHECK_EQ(sett_component_convert(world, Velocity_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    for (uint32_t k = 0; k < 10000; k++) {
        CHECK(SETT_GET(world, sett_entity_at(world, k), Velocity)->x == 1);
    }
    CHECK_EQ(advise(world), 1);
    CHECK_EQ(advice[0].kind, SETT_ADVICE_CONVERT);
    CHECK_EQ(advice[0].components[0], Velocity_id);
    CHECK_EQ(advice[0].storage, SETT_STORAGE_ARRAY);
    CHECK_EQ(sett_advise(world, advice, 0), 0);
    sett_world_destroy(world);
}

/* Tags toggled independently of each other: the advice for each is dont_fragment. */
static void dont_fragment_is_advised(void)
{
    sett_world* world = sett_world_create(NULL);
    enum {
        TAGS = 11,
        ENTITIES = 4000
    };
    sett_component tag[TAGS];
    for (uint32_t k = 0; k < TAGS; k++) {
        char name[16];
        snprintf(name, sizeof(name), "tag%u", k);
        sett_component_desc desc = {.name = name};
        tag[k] = sett_component_register(world, &desc);
    }
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    uint32_t chance = 1;
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_create(world);
        for (uint32_t j = 0; j < 60; j++) {
            chance = chance * 1664525 + 1013904223;
            uint32_t which = (chance >> 16) % TAGS;
            if (sett_has(world, e, tag[which])) {
                CHECK_EQ(sett_remove(world, e, tag[which]), SETT_OK);
            } else {
                CHECK(sett_add(world, e, tag[which]) != NULL);
            }
        }
    }
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK(stats.signatures > 1024);
    CHECK_EQ(advise(world), TAGS);
    CHECK_EQ(advice[TAGS - 1].kind, SETT_ADVICE_DONT_FRAGMENT);
    CHECK_EQ(advice[TAGS - 1].components[0], tag[TAGS - 1]);
    CHECK_MSG(strstr(advice[0].text, "registered with dont_fragment") != NULL, "%s",
              advice[0].text);
    world->log_fn = sett_log_silent;
    CHECK_EQ(sett_advice_apply(world, &advice[0]), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), advice[0].code) != NULL);
    sett_world_destroy(world);
}

/* Profiling sends every call the slow path: it has to answer the same. */
static void profiling_changes_nothing(void)
{
    sett_world* world = make_world(100, 0);
    sett_entity e = sett_entity_at(world, 7);
    CHECK_EQ(sett_profile_begin(world), SETT_OK);
    CHECK(!SETT_HAS(world, e, Velocity));
    CHECK(SETT_ADD(world, e, Velocity) != NULL);
    CHECK(SETT_ADD(world, e, Velocity) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_PRESENT);
    CHECK(SETT_SET(world, e, Velocity, .x = 3) != NULL);
    CHECK(SETT_GET(world, e, Velocity)->x == 3);
    CHECK(SETT_GET_MUT(world, e, Velocity) == SETT_GET(world, e, Velocity));
    CHECK(SETT_ENSURE(world, e, Velocity) == SETT_GET(world, e, Velocity));
    CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
    CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_profile_end(world), SETT_OK);
    CHECK(SETT_ADD(world, e, Velocity) != NULL);
    CHECK_END(world);
}

TEST_MAIN(TEST(nothing_profiled), TEST(group_is_advised), TEST(leaving_a_group_has_a_price),
          TEST(group_has_all_conditions), TEST(sparse_set_is_advised), TEST(array_is_advised),
          TEST(dont_fragment_is_advised), TEST(profiling_changes_nothing))
